/* option_pairs: tries options of pdec or pderun by two, straight from the tables that the programs are built from,
 * so that a new option enters by itself.
 *
 *   option_pairs pdec PDEC PDERUN STRIDE BASE...      option_pairs pderun PDERUN PDERUN STRIDE BASE...
 *
 * Every call is BASE and two options, in a working directory with good.so, points.npy, v.npy, conf.json and
 * trained.run; each pair whose number is a multiple of STRIDE is tried, and each option by itself. A call
 * must end within LIMIT seconds with a documented exit code, say why where it is not 0, and leave good.so a module
 * that pderun can read; a training must end with one verdict. Prints FAIL lines and a count. */
#define _POSIX_C_SOURCE 200809L
#include "compiler/pdec.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT = 300, WORDS = 64, CHOICES = 512, TEXT_MAX = 1 << 16, SAMPLE_MAX = 128 };

typedef struct Choices {
    char text[CHOICES][SAMPLE_MAX]; /* words with spaces between them */
    size_t n;
} Choices;

typedef struct Outcome {
    int status; /* the exit code, 128 and the signal, or -1: it was killed at the limit */
    char said[TEXT_MAX], complained[TEXT_MAX];
} Outcome;

typedef struct Work {
    const char *program, *pderun;
    bool trains; /* pderun, not pdec */
    char **base;
    int base_n;
    Choices choices;
    size_t stride, number, passed, failed;
    struct stat module;
    Outcome outcome;
} Work;

/* ---- what may be given to an option ---- */

/* Values for options whose argument is a text; the option by itself gets "x". */
static const struct {
    const char *name, *value;
} samples[] = {
    {"-o", "good.so"},
    {"--eval", "x_1"},
    {"--eval", "residual"},
    {"--eval", "bad("},
    {"--explain", "E0402"},
    {"--explain", "R502"},
    {"--arch", "sm_80"},
    {"--set", "d=2"},
    {"--set", "q=1"},
    {"--at", "points.npy"},
    {"--at", "missing.npy"},
    {"--out", "v.npy"},
    {"--allow-data", "."},
    {"--config", "conf.json"},
    {"--race", "1,1"},
    {"--variant", "plain"},
    {"--trace", "trace.safetensors"},
    {"--predict", "points.npy --model trained.run"},
    {"--model", "trained.run"},
    {"--what", "residual"},
    {"--error", "trained.run"},
    {"--resume", "--out trained.run"},
    {"--time", "0.2"},
    {"--time-limit", "1"},
    {"--rate", "linear(1e-2,0)"},
    {"--device", "cpu"},
    {"--device", "cuda:0"},
};

static void add(Choices *choices, const char *name, const char *between, const char *value) {
    if (choices->n == CHOICES) {
        fprintf(stderr, "option_pairs: more options than it holds\n");
        exit(2);
    }
    snprintf(choices->text[choices->n++], SAMPLE_MAX, "%s%s%s", name, between, value);
}

static void add_text(Choices *choices, const char *name) {
    bool found = false;
    for (size_t k = 0; k < sizeof samples / sizeof *samples; k++)
        if (strcmp(samples[k].name, name) == 0) {
            add(choices, name, " ", samples[k].value);
            found = true;
        }
    if (!found)
        add(choices, name, " ", "x");
}

/* Each of "a|b|c" or "|a|b|c". A budget of minutes becomes one of a moment. */
static void add_words(Choices *choices, const char *name, const char *words) {
    while (*words) {
        char word[SAMPLE_MAX];
        words += *words == '|';
        size_t n = strcspn(words, "|");
        if (n > sizeof word / 2)
            exit(2);
        snprintf(word, sizeof word, "%.*s", (int)n, words);
        if (strcmp(name, "--effort") == 0)
            snprintf(word + n, sizeof word - n, " --time 0.2");
        add(choices, name, "=", word);
        words += n;
    }
}

static void add_flag(Choices *choices, const char *name) {
    for (size_t k = 0; k < sizeof samples / sizeof *samples; k++)
        if (strcmp(samples[k].name, name) == 0) {
            add(choices, name, " ", samples[k].value);
            return;
        }
    add(choices, name, "", "");
}

/* The least value, and one that a tiny run can bear. */
static void add_number(Choices *choices, const char *name, double least, double most) {
    char text[SAMPLE_MAX];
    const double some = least > 3 ? least * 2 : 3;
    snprintf(text, sizeof text, "%.17g", least);
    add(choices, name, "=", text);
    snprintf(text, sizeof text, "%.17g", some < most ? some : most);
    add(choices, name, "=", text);
}

static void list_pdec(Choices *choices) {
    enum { FLAG, TEXT, CHOICE };
    static const struct {
        const char *name;
        int kind;
        const char *argument;
    } table[] = {
#define OPTION(ID, name, kind, argument, with, help) {name, kind, argument},
#include "compiler/driver/option.def"
#undef OPTION
    };
    const char *what;
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (strcmp(table[k].name, "--emit") == 0)
            for (size_t i = 0; pdec_stage(i, &what); i++)
                add(choices, table[k].name, "=", pdec_stage(i, &what));
        else if (table[k].kind == CHOICE)
            add_words(choices, table[k].name, table[k].argument);
        else if (table[k].kind == TEXT)
            add_text(choices, table[k].name);
        else
            add_flag(choices, table[k].name);
    add(choices, "--emit=ptx", "", "");
    add(choices, "--emit=nothing", "", "");
}

static void list_pderun(Choices *choices) {
    enum {
        FLAG,
        INTEGER,
        NUMBER,
        CHOICE,
        CHOICE_OR_NUMBER,
        CHOICE_OR_INTEGER,
        DURATION,
        RATE,
        DEVICE,
        PAIR,
        TEXT,
        PAGE
    };
#define ACTIVATION(name, ...) "|" #name
#define OPTIMISER(name, ...) "|" #name
    static const char ACTIVATION_NAMES[] =
#include "runtime/contract/activation.def"
        ;
    static const char OPTIMISER_NAMES[] =
#include "runtime/contract/optim.def"
        ;
    static const struct {
        const char *name;
        int kind;
        double least, most;
        const char *argument;
    } table[] = {
#define OPTION(ID, name, kind, standard, least, most, argument, group, span, help)                 \
    {"--" name, kind, least, most, argument},
#include "runtime/options/option.def"
#undef OPTION
    };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        const int kind = table[k].kind;
        if (kind == CHOICE || kind == CHOICE_OR_NUMBER || kind == CHOICE_OR_INTEGER)
            add_words(choices, table[k].name, table[k].argument);
        if (kind == INTEGER || kind == NUMBER || kind == CHOICE_OR_NUMBER ||
            kind == CHOICE_OR_INTEGER)
            add_number(choices, table[k].name, table[k].least, table[k].most);
        else if (kind == FLAG || kind == PAGE)
            add_flag(choices, table[k].name);
        else if (kind != CHOICE)
            add_text(choices, table[k].name);
    }
}

/* ---- one call ---- */

static size_t split(char *words, char **out, size_t n) {
    char *rest;
    for (char *word = strtok_r(words, " ", &rest); word && n + 1 < WORDS;
         word = strtok_r(NULL, " ", &rest))
        out[n++] = word;
    out[n] = NULL;
    return n;
}

static void read_back(const char *name, char *out) {
    FILE *file = fopen(name, "rb");
    size_t n = file ? fread(out, 1, TEXT_MAX - 1, file) : 0;
    out[n] = '\0';
    if (file)
        fclose(file);
}

/* The exit code of a child, which is killed at the limit. */
static int wait_for(pid_t child) {
    const struct timespec nap = {.tv_nsec = 1000000};
    time_t begun = time(NULL);
    int status;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (time(NULL) - begun > LIMIT) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return -1;
        }
        nanosleep(&nap, NULL);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int call(char *const *words, const char *out, const char *err) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int said = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        int complained = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (said < 0 || complained < 0 || dup2(said, 1) < 0 || dup2(complained, 2) < 0)
            _exit(127);
        execv(words[0], words);
        _exit(127);
    }
    return child < 0 ? -1 : wait_for(child);
}

/* ---- what must hold ---- */

static bool module_is_good(Work *work) {
    struct stat now;
    if (stat("good.so", &now) != 0)
        return false;
    if (now.st_ino == work->module.st_ino && now.st_size == work->module.st_size &&
        now.st_mtim.tv_nsec == work->module.st_mtim.tv_nsec)
        return true;
    work->module = now;
    char program[4096], info[] = "--info", file[] = "good.so";
    snprintf(program, sizeof program, "%s", work->pderun);
    char *words[] = {program, info, file, NULL};
    return call(words, "info.txt", "info.txt") == 0;
}

static bool is_training(char *const *words) {
    static const char *const other[] = {
        "--help", "--version",  "--explain", "--devices", "--build-mpi", "--info",
        "--plan", "--selftest", "--predict", "--error",   "--suggest",
    };
    for (; *words; words++)
        for (size_t k = 0; k < sizeof other / sizeof *other; k++)
            if (strcmp(*words, other[k]) == 0)
                return false;
    return true;
}

static const char *breach(Work *work, char *const *words) {
    const Outcome *o = &work->outcome;
    if (o->status == -1)
        return "does not end";
    if (o->status < 0 || o->status > (work->trains ? 4 : 3))
        return "an exit code that is not documented";
    if (o->status != 0 && !o->complained[0])
        return "fails without a word";
    if (o->status == 0 && strstr(o->complained, "error["))
        return "an error and exit code 0";
    if (work->trains && is_training(words) && (o->status == 0 || o->status == 4)) {
        const char *verdict = strstr(o->said, "\nverdict: ");
        if (!verdict || strstr(verdict + 1, "\nverdict: "))
            return "not one verdict";
    }
    if (!module_is_good(work))
        return "good.so is lost";
    return NULL;
}

static void try(Work *work, const char *one, const char *two) {
    char text[2 * SAMPLE_MAX + 8], *words[WORDS] = {0}, directory[32];
    size_t n = 0;
    char program[4096], out[] = "--out";
    snprintf(program, sizeof program, "%s", work->program);
    words[n++] = program;
    for (int k = 0; k < work->base_n; k++)
        words[n++] = work->base[k];
    if (work->trains) {
        snprintf(directory, sizeof directory, "run%zu", work->number);
        words[n++] = out;
        words[n++] = directory;
    }
    snprintf(text, sizeof text, "%s %s", one, two);
    split(text, words, n);
    work->outcome.status = call(words, "out.txt", "err.txt");
    read_back("out.txt", work->outcome.said);
    read_back("err.txt", work->outcome.complained);
    const char *what = breach(work, words);
    work->passed += !what;
    work->failed += what != NULL;
    if (what)
        printf("FAIL: %s (exit %d): %s %s\n%s%s", what, work->outcome.status, one, two,
               work->outcome.complained, work->outcome.said);
}

int main(int argc, char **argv) {
    static Work work;
    if (argc < 5)
        return 2;
    work.trains = strcmp(argv[1], "pderun") == 0;
    work.program = argv[2];
    work.pderun = argv[3];
    work.stride = strtoul(argv[4], NULL, 10);
    work.base = argv + 5;
    work.base_n = argc - 5;
    (work.trains ? list_pderun : list_pdec)(&work.choices);
    for (size_t i = 0; i < work.choices.n; i++, work.number++)
        try(&work, work.choices.text[i], "");
    for (size_t i = 0; i < work.choices.n; i++)
        for (size_t j = work.trains ? i + 1 : 0; j < work.choices.n;
             j++) /* pderun does not look at the order */
            if (work.number++ % work.stride == 0 && i != j)
                try(&work, work.choices.text[i], work.choices.text[j]);
    printf("%zu calls were good, %zu were bad\n", work.passed, work.failed);
    return work.failed != 0;
}
