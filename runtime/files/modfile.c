/* modfile.c: writer and reader of the module's ELF container.
 *
 * Layout, in file order, with address = offset except for the last loaded part:
 *     ELF header, program headers
 *     .hash .dynsym .dynstr           what the dynamic linker needs to find `pde_module`
 *     .pde.head, the blobs            each on a 64-byte boundary
 *     .dynamic                        one segment further up: old dynamic linkers write into it
 *     .shstrtab, section headers      not loaded
 * Gaps are zero. Every byte is covered by the file digest in the head. */
#include "files/io.h"
#include "files/modfile.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#define HOST_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define HOST_MACHINE EM_AARCH64
#else
#error "modules are defined for x86-64 and aarch64"
#endif
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "modules are little-endian"
#endif

static const char head_name[] = ".pde.head";

enum {
    SEGMENT_ALIGNMENT = 0x10000, /* the largest page of either machine */
    BLOB_ALIGNMENT = 64,
    SEGMENTS = 4,   /* load read-only, load .dynamic, dynamic, stack */
    DYNAMICS = 7,   /* SONAME HASH STRTAB SYMTAB STRSZ SYMENT NULL */
    HASH_WORDS = 5, /* nbucket, nchain, one bucket, two chain entries */
    /* Section numbers; the blobs lie between SECTION_HEAD and .dynamic. */
    SECTION_HASH = 1,
    SECTION_DYNSYM,
    SECTION_DYNSTR,
    SECTION_HEAD,
    SECTION_FIRST_BLOB,
};

/* ---- writing ---- */

/* Where everything goes, decided before a byte is written. */
typedef struct Layout {
    uint64_t hash, dynsym, dynstr, dynstr_size, head, head_size;
    uint64_t blob[PDE_SECTION_LIMIT];
    uint64_t loaded; /* end of the read-only segment */
    uint64_t dynamic, shstrtab, shstrtab_size, headers, file_size;
    uint64_t symbol_name, soname; /* in .dynstr */
    uint32_t sections;
} Layout;

static uint64_t align_up(uint64_t value, uint64_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

static const char symbol_name[] = "pde_module";
static const char fixed_names[] = "\0.hash\0.dynsym\0.dynstr\0.pde.head\0.dynamic\0.shstrtab";

static Layout lay_out(const ModuleBlob *blob, size_t count, const char *soname) {
    Layout at = {0};
    at.sections = (uint32_t)(SECTION_FIRST_BLOB + count + 2);
    at.hash = sizeof(Elf64_Ehdr) + SEGMENTS * sizeof(Elf64_Phdr);
    at.dynsym = align_up(at.hash + HASH_WORDS * sizeof(Elf64_Word), 8);
    at.dynstr = at.dynsym + 2 * sizeof(Elf64_Sym);
    at.symbol_name = 1;
    at.soname = at.symbol_name + sizeof symbol_name;
    at.dynstr_size = at.soname + strlen(soname) + 1;
    at.head = align_up(at.dynstr + at.dynstr_size, BLOB_ALIGNMENT);
    at.head_size = sizeof(PdeHead) + count * sizeof(PdeSection);
    uint64_t end = at.head + at.head_size;
    at.shstrtab_size = sizeof fixed_names;
    for (size_t i = 0; i < count; i++) {
        at.blob[i] = align_up(end, BLOB_ALIGNMENT);
        end = at.blob[i] + blob[i].bytes.size;
        at.shstrtab_size += strlen(blob[i].name) + 1;
    }
    at.loaded = end;
    at.dynamic = align_up(end, 16);
    at.shstrtab = at.dynamic + DYNAMICS * sizeof(Elf64_Dyn);
    at.headers = align_up(at.shstrtab + at.shstrtab_size, 8);
    at.file_size = at.headers + at.sections * sizeof(Elf64_Shdr);
    return at;
}

static uint64_t dynamic_address(const Layout *at) {
    return at->dynamic + SEGMENT_ALIGNMENT;
}

static void put(char *file, uint64_t offset, const void *bytes, size_t size) {
    if (size > 0)
        memcpy(file + offset, bytes, size);
}

static void put_elf_header(char *file, const Layout *at) {
    const Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT,
                    ELFOSABI_NONE},
        .e_type = ET_DYN,
        .e_machine = HOST_MACHINE,
        .e_version = EV_CURRENT,
        .e_phoff = sizeof(Elf64_Ehdr),
        .e_shoff = at->headers,
        .e_ehsize = sizeof(Elf64_Ehdr),
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = SEGMENTS,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = (Elf64_Half)at->sections,
        .e_shstrndx = (Elf64_Half)(at->sections - 1),
    };
    put(file, 0, &header, sizeof header);
}

static void put_segments(char *file, const Layout *at) {
    const uint64_t dynamic_size = DYNAMICS * sizeof(Elf64_Dyn), address = dynamic_address(at);
    const Elf64_Phdr segment[SEGMENTS] = {
        {.p_type = PT_LOAD,
         .p_flags = PF_R,
         .p_filesz = at->loaded,
         .p_memsz = at->loaded,
         .p_align = SEGMENT_ALIGNMENT},
        {.p_type = PT_LOAD,
         .p_flags = PF_R | PF_W,
         .p_offset = at->dynamic,
         .p_vaddr = address,
         .p_paddr = address,
         .p_filesz = dynamic_size,
         .p_memsz = dynamic_size,
         .p_align = SEGMENT_ALIGNMENT},
        {.p_type = PT_DYNAMIC,
         .p_flags = PF_R | PF_W,
         .p_offset = at->dynamic,
         .p_vaddr = address,
         .p_paddr = address,
         .p_filesz = dynamic_size,
         .p_memsz = dynamic_size,
         .p_align = 8},
        {.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W, .p_align = 16},
    };
    put(file, sizeof(Elf64_Ehdr), segment, sizeof segment);
}

/* One bucket holds the one symbol: a hash table that needs no hashing. */
static void put_dynamic_linking(char *file, const Layout *at, const char *soname) {
    const Elf64_Word hash[HASH_WORDS] = {1, 2, 1, 0, 0};
    put(file, at->hash, hash, sizeof hash);
    const Elf64_Sym symbol = {
        .st_name = (Elf64_Word)at->symbol_name,
        .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
        .st_other = STV_DEFAULT,
        .st_shndx = SECTION_HEAD,
        .st_value = at->head,
        .st_size = at->head_size,
    };
    put(file, at->dynsym + sizeof(Elf64_Sym), &symbol, sizeof symbol);
    put(file, at->dynstr + at->symbol_name, symbol_name, sizeof symbol_name);
    put(file, at->dynstr + at->soname, soname, strlen(soname) + 1);
    const Elf64_Dyn dynamic[DYNAMICS] = {
        {DT_SONAME, {at->soname}},
        {DT_HASH, {at->hash}},
        {DT_STRTAB, {at->dynstr}},
        {DT_SYMTAB, {at->dynsym}},
        {DT_STRSZ, {at->dynstr_size}},
        {DT_SYMENT, {sizeof(Elf64_Sym)}},
        {DT_NULL, {0}},
    };
    put(file, at->dynamic, dynamic, sizeof dynamic);
}

/* Offset of a name within fixed_names. */
static Elf64_Word fixed_name(const char *name) {
    size_t i = 1;
    while (strcmp(fixed_names + i, name) != 0)
        i += strlen(fixed_names + i) + 1;
    return (Elf64_Word)i;
}

static void put_section_headers(char *file, const Layout *at, const ModuleBlob *blob,
                                size_t count) {
    const uint32_t dynamic = at->sections - 2, names = at->sections - 1;
    Elf64_Shdr header[SECTION_FIRST_BLOB + PDE_SECTION_LIMIT + 2] = {
        [SECTION_HASH] = {fixed_name(".hash"), SHT_HASH, SHF_ALLOC, at->hash, at->hash,
                          HASH_WORDS * sizeof(Elf64_Word), SECTION_DYNSYM, 0, 8,
                          sizeof(Elf64_Word)},
        [SECTION_DYNSYM] = {fixed_name(".dynsym"), SHT_DYNSYM, SHF_ALLOC, at->dynsym, at->dynsym,
                            2 * sizeof(Elf64_Sym), SECTION_DYNSTR, 1, 8, sizeof(Elf64_Sym)},
        [SECTION_DYNSTR] = {fixed_name(".dynstr"), SHT_STRTAB, SHF_ALLOC, at->dynstr, at->dynstr,
                            at->dynstr_size, 0, 0, 1, 0},
        [SECTION_HEAD] = {fixed_name(head_name), SHT_PROGBITS, SHF_ALLOC, at->head, at->head,
                          at->head_size, 0, 0, BLOB_ALIGNMENT, 0},
    };
    put(file, at->shstrtab, fixed_names, sizeof fixed_names);
    uint64_t name = sizeof fixed_names;
    for (size_t i = 0; i < count; i++) {
        header[SECTION_FIRST_BLOB + i] = (Elf64_Shdr){(Elf64_Word)name,
                                                      SHT_PROGBITS,
                                                      SHF_ALLOC,
                                                      at->blob[i],
                                                      at->blob[i],
                                                      blob[i].bytes.size,
                                                      0,
                                                      0,
                                                      BLOB_ALIGNMENT,
                                                      0};
        put(file, at->shstrtab + name, blob[i].name, strlen(blob[i].name) + 1);
        name += strlen(blob[i].name) + 1;
    }
    header[dynamic] =
        (Elf64_Shdr){fixed_name(".dynamic"), SHT_DYNAMIC, SHF_ALLOC | SHF_WRITE,
                     dynamic_address(at),    at->dynamic, DYNAMICS * sizeof(Elf64_Dyn),
                     SECTION_DYNSTR,         0,           8,
                     sizeof(Elf64_Dyn)};
    header[names] = (Elf64_Shdr){fixed_name(".shstrtab"), SHT_STRTAB, 0, 0, at->shstrtab,
                                 at->shstrtab_size,       0,          0, 1, 0};
    put(file, at->headers, header, at->sections * sizeof *header);
}

static Digest digest_of_head(const char *head, size_t size) {
    PdeHead blank;
    memcpy(&blank, head, sizeof blank);
    memset(blank.head_sha256, 0, sizeof blank.head_sha256);
    memset(blank.file_sha256, 0, sizeof blank.file_sha256);
    const Bytes part[] = {{&blank, sizeof blank}, {head + sizeof blank, size - sizeof blank}};
    return digest_of_parts(part, 2);
}

static Digest digest_of_file(const char *file, size_t size, uint64_t head) {
    static const uint8_t zero[DIGEST_SIZE];
    size_t before = (size_t)head + offsetof(PdeHead, file_sha256), after = before + DIGEST_SIZE;
    const Bytes part[] = {{file, before}, {zero, DIGEST_SIZE}, {file + after, size - after}};
    return digest_of_parts(part, 3);
}

static void put_head(char *file, const Layout *at, const ModuleBlob *blob, size_t count,
                     const char *version) {
    PdeHead head = {.magic = PDE_MAGIC,
                    .abi_major = PDE_ABI_MAJOR,
                    .abi_minor = PDE_ABI_MINOR,
                    .section_count = (uint32_t)count,
                    .head_size = at->head_size,
                    .file_size = at->file_size};
    memcpy(head.version, version, strlen(version));
    put(file, at->head, &head, sizeof head);
    for (size_t i = 0; i < count; i++) {
        PdeSection section = {
            .offset = at->blob[i] - at->head, .size = blob[i].bytes.size, .flags = blob[i].flags};
        memcpy(section.name, blob[i].name, strlen(blob[i].name));
        Digest digest = digest_of(blob[i].bytes.data, blob[i].bytes.size);
        memcpy(section.sha256, digest.byte, DIGEST_SIZE);
        put(file, at->head + sizeof head + i * sizeof section, &section, sizeof section);
    }
    Digest digest = digest_of_head(file + at->head, (size_t)at->head_size);
    put(file, at->head + offsetof(PdeHead, head_sha256), digest.byte, DIGEST_SIZE);
}

static Status check_arguments(const ModuleBlob *blob, size_t count, const char *version,
                              Error *error) {
    if (count > PDE_SECTION_LIMIT || strlen(version) >= PDE_VERSION_SIZE)
        return error_set(error, STATUS_INTERNAL, "a module with %zu sections, version '%s'", count,
                         version);
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        if (strncmp(blob[i].name, ".pde.", 5) != 0 || strcmp(blob[i].name, head_name) == 0 ||
            strlen(blob[i].name) >= PDE_SECTION_NAME_SIZE)
            return error_set(error, STATUS_INTERNAL, "a module section cannot be called '%s'",
                             blob[i].name);
        for (size_t j = 0; j < i; j++)
            if (strcmp(blob[i].name, blob[j].name) == 0)
                return error_set(error, STATUS_INTERNAL, "two module sections '%s'", blob[i].name);
        if (blob[i].bytes.size > MODULE_SIZE_MAX - total)
            return error_set(error, STATUS_FILE_TOO_LARGE, "the module is larger than %d bytes",
                             MODULE_SIZE_MAX);
        total += blob[i].bytes.size;
    }
    return STATUS_OK;
}

Status module_build(const ModuleBlob *blob, size_t count, const char *soname, const char *version,
                    Buffer *out, Error *error) {
    Status status = check_arguments(blob, count, version, error);
    if (status != STATUS_OK)
        return status;
    const Layout at = lay_out(blob, count, soname);
    if (at.file_size > MODULE_SIZE_MAX)
        return error_set(error, STATUS_FILE_TOO_LARGE, "the module is larger than %d bytes",
                         MODULE_SIZE_MAX);
    size_t start = out->size;
    buffer_zeros(out, (size_t)at.file_size);
    status = buffer_status(out, error);
    if (status != STATUS_OK)
        return status;
    char *file = out->data + start;
    put_elf_header(file, &at);
    put_segments(file, &at);
    put_dynamic_linking(file, &at, soname);
    put_section_headers(file, &at, blob, count);
    for (size_t i = 0; i < count; i++)
        put(file, at.blob[i], blob[i].bytes.data, blob[i].bytes.size);
    put_head(file, &at, blob, count, version);
    Digest digest = digest_of_file(file, (size_t)at.file_size, at.head);
    put(file, at.head + offsetof(PdeHead, file_sha256), digest.byte, DIGEST_SIZE);
    return STATUS_OK;
}

Status module_write(const char *path, const ModuleBlob *blob, size_t count, const char *version,
                    Error *error) {
    const char *slash = strrchr(path, '/');
    Buffer file = {0};
    Status status = module_build(blob, count, slash ? slash + 1 : path, version, &file, error);
    if (status == STATUS_OK)
        status = io_write_atomic(path, &(Bytes){file.data, file.size}, 1, error);
    buffer_free(&file);
    return status;
}

/* ---- reading ---- */

static bool inside(uint64_t offset, uint64_t length, uint64_t size) {
    return offset <= size && length <= size - offset;
}

static Status check_elf_header(const char *path, const char *data, size_t size, Elf64_Ehdr *header,
                               Error *error) {
    if (size < SELFMAG || memcmp(data, ELFMAG, SELFMAG) != 0)
        return error_set(error, STATUS_NOT_A_MODULE, "'%s' is not a module: it is not an ELF file",
                         path);
    if (size < sizeof *header)
        return error_set(error, STATUS_MODULE_TRUNCATED, "'%s' ends inside its ELF header", path);
    memcpy(header, data, sizeof *header);
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_type != ET_DYN || header->e_shentsize != sizeof(Elf64_Shdr))
        return error_set(error, STATUS_NOT_A_MODULE,
                         "'%s' is not a module: it is not a 64-bit shared object", path);
    if (!inside(header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr), size))
        return error_set(error, STATUS_MODULE_TRUNCATED,
                         "'%s' ends before its section headers: it has %zu bytes", path, size);
    return STATUS_OK;
}

/* Finds .pde.head by name. Any shared object may come here, so "not found" is not damage. */
static Status find_head(const char *path, const char *data, size_t size, const Elf64_Ehdr *elf,
                        Elf64_Shdr *head, Error *error) {
    Elf64_Shdr names = {0};
    bool usable = elf->e_shstrndx < elf->e_shnum;
    if (usable) {
        memcpy(&names, data + elf->e_shoff + elf->e_shstrndx * sizeof names, sizeof names);
        usable = inside(names.sh_offset, names.sh_size, size);
    }
    for (uint32_t i = 0; usable && i < elf->e_shnum; i++) {
        memcpy(head, data + elf->e_shoff + i * sizeof *head, sizeof *head);
        if (inside(head->sh_name, sizeof head_name, names.sh_size) &&
            memcmp(data + names.sh_offset + head->sh_name, head_name, sizeof head_name) == 0)
            return STATUS_OK;
    }
    return error_set(error, STATUS_NOT_A_MODULE,
                     "'%s' is a shared object, but not a module written by pdec", path);
}

static Status damaged(Error *error, const char *path, const char *what) {
    return error_set(error, STATUS_MODULE_DAMAGED, "'%s' is damaged: %s", path, what);
}

static Status check_head(const char *path, ModuleFile *module, const Elf64_Shdr *place,
                         Error *error) {
    if (!inside(place->sh_offset, place->sh_size, module->size))
        return error_set(error, STATUS_MODULE_TRUNCATED, "'%s' ends inside its header", path);
    const char *bytes = module->data + place->sh_offset;
    if (place->sh_size < sizeof(PdeHead) || place->sh_offset % BLOB_ALIGNMENT != 0 ||
        memcmp(bytes, PDE_MAGIC, PDE_MAGIC_SIZE) != 0)
        return damaged(error, path, "its header does not begin like one");
    /* Aligned: malloc's alignment and a multiple of 64. */
    const PdeHead *head = (const void *)bytes;
    if (head->abi_major != PDE_ABI_MAJOR || head->abi_minor > PDE_ABI_MINOR)
        return error_set(
            error, STATUS_MODULE_ABI, "'%s' has ABI %u.%u; this program reads %d.0 to %d.%d", path,
            head->abi_major, head->abi_minor, PDE_ABI_MAJOR, PDE_ABI_MAJOR, PDE_ABI_MINOR);
    if (head->file_size > module->size)
        return error_set(error, STATUS_MODULE_TRUNCATED, "'%s' has %zu bytes and should have %llu",
                         path, module->size, (unsigned long long)head->file_size);
    if (head->file_size != module->size)
        return damaged(error, path, "something was appended to it");
    if (head->section_count > PDE_SECTION_LIMIT || head->head_size != place->sh_size ||
        head->head_size != sizeof *head + head->section_count * sizeof(PdeSection) ||
        head->version[PDE_VERSION_SIZE - 1] != '\0')
        return damaged(error, path, "its header makes no sense");
    Digest digest = digest_of_head(bytes, (size_t)head->head_size);
    if (memcmp(digest.byte, head->head_sha256, DIGEST_SIZE) != 0)
        return damaged(error, path, "the digest of its header does not match");
    module->head = head;
    module->section = (const void *)(bytes + sizeof *head);
    return STATUS_OK;
}

static bool section_is_known(const char *name) {
#define PDE_SECTION(id, known, flags, what)                                                        \
    if (strcmp(name, known) == 0)                                                                  \
        return true;
    PDE_SECTIONS(PDE_SECTION)
#undef PDE_SECTION
    return false;
}

static Status check_section(const char *path, const ModuleFile *module, uint32_t i, Error *error) {
    const PdeSection *section = &module->section[i];
    const char *head = (const char *)module->head;
    uint64_t room = module->size - (uint64_t)(head - module->data);
    if (memchr(section->name, '\0', sizeof section->name) == NULL ||
        !inside(section->offset, section->size, room) || section->offset % BLOB_ALIGNMENT != 0 ||
        section->offset < module->head->head_size || section->reserved != 0)
        return damaged(error, path, "its table of sections makes no sense");
    for (uint32_t j = 0; j < i; j++)
        if (strcmp(section->name, module->section[j].name) == 0)
            return damaged(error, path, "a section occurs twice");
    Digest digest = digest_of(head + section->offset, (size_t)section->size);
    if (memcmp(digest.byte, section->sha256, DIGEST_SIZE) != 0)
        return error_set(error, STATUS_MODULE_DAMAGED,
                         "'%s' is damaged: the digest of section %s does not match", path,
                         section->name);
    if (!(section->flags & PDE_SECTION_OPTIONAL) && !section_is_known(section->name))
        return error_set(error, STATUS_MODULE_SECTION,
                         "'%s' needs a section %s that this program does not know", path,
                         section->name);
    return STATUS_OK;
}

static Status check_module(const char *path, ModuleFile *module, Error *error) {
    Elf64_Ehdr elf;
    Elf64_Shdr place;
    Status status = check_elf_header(path, module->data, module->size, &elf, error);
    if (status == STATUS_OK)
        status = find_head(path, module->data, module->size, &elf, &place, error);
    if (status == STATUS_OK)
        status = check_head(path, module, &place, error);
    for (uint32_t i = 0; status == STATUS_OK && i < module->head->section_count; i++)
        status = check_section(path, module, i, error);
    if (status != STATUS_OK)
        return status;
    module->digest = digest_of_file(module->data, module->size, place.sh_offset);
    if (memcmp(module->digest.byte, module->head->file_sha256, DIGEST_SIZE) != 0)
        return damaged(error, path, "the digest of the file does not match");
    if (elf.e_machine != HOST_MACHINE)
        return error_set(error, STATUS_MODULE_MACHINE,
                         "'%s' is for another processor (ELF machine %u, this one is %d)", path,
                         elf.e_machine, HOST_MACHINE);
    return STATUS_OK;
}

Status module_parse(const char *path, char *data, size_t size, ModuleFile *module, Error *error) {
    *module = (ModuleFile){.data = data, .size = size};
    Status status = check_module(path, module, error);
    if (status != STATUS_OK)
        module_free(module);
    return status;
}

Status module_read(const char *path, ModuleFile *module, Error *error) {
    *module = (ModuleFile){0};
    char *data;
    size_t size;
    Status status = io_read_file(path, MODULE_SIZE_MAX, &data, &size, error);
    return status == STATUS_OK ? module_parse(path, data, size, module, error) : status;
}

bool module_section(const ModuleFile *module, const char *name, Bytes *bytes) {
    for (uint32_t i = 0; i < module->head->section_count; i++) {
        const PdeSection *section = &module->section[i];
        if (strcmp(section->name, name) == 0) {
            *bytes = (Bytes){(const char *)module->head + section->offset, (size_t)section->size};
            return true;
        }
    }
    *bytes = (Bytes){0};
    return false;
}

Status module_require(const ModuleFile *module, const char *name, Bytes *bytes, Error *error) {
    if (module_section(module, name, bytes))
        return STATUS_OK;
    return error_set(error, STATUS_MODULE_SECTION, "the module has no section %s", name);
}

void module_free(ModuleFile *module) {
    free(module->data);
    *module = (ModuleFile){0};
}
