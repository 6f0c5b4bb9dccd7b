/* config.c: reading option values from all sources; the table is option.def. */
#define _POSIX_C_SOURCE 200809L
#include "cache/cache.h"
#include "files/io.h"
#include "files/number.h"
#include "options/config.h"

#include <assert.h>
#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where a value stands: decides how messages name the option. */
typedef struct Place {
    ConfigSource source;
    const char *where; /* of a JSON source */
} Place;

static bool takes_words(OptionKind kind) {
    return kind == KIND_CHOICE || kind == KIND_CHOICE_OR_NUMBER || kind == KIND_CHOICE_OR_INTEGER;
}

static Status refuse(const Place *place, Status status, const OptionRow *row, const char *text,
                     Error *error) {
    Buffer takes = {0};
    Bytes near = {"", 0};
    option_describe(&takes, row);
    buffer_text(&takes, "");
    const bool meant = takes_words(row->kind) && option_nearest_word(row->argument, text, &near);
    const char *all = takes.failed ? "another value" : takes.data;
    const char *ask = meant ? "; did you mean '" : "", *end = meant ? "'?" : "";
    if (place->source == CONFIG_COMMAND_LINE || place->source == CONFIG_DEFAULT)
        error_set(error, status, "--%s takes %s, not '%s'%s%.*s%s", row->name, all, text, ask,
                  (int)near.size, (const char *)near.data, end);
    else
        error_set(error, status, "%s: \"%s\" takes %s, not '%s'%s%.*s%s", place->where, row->name,
                  all, text, ask, (int)near.size, (const char *)near.data, end);
    buffer_free(&takes);
    return status;
}

static Status out_of_memory(Error *error) {
    return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the options");
}

/* ---- pairs ---- */

static ConfigPair *find_pair(const Config *config, const char *name) {
    for (size_t i = 0; i < config->pair_count; i++)
        if (strcmp(config->pair[i].name, name) == 0)
            return &config->pair[i];
    return NULL;
}

static Status add_pair(Config *config, ConfigSource source, const char *name, const char *value,
                       Error *error) {
    ConfigPair *old = find_pair(config, name);
    if (old && old->source > source)
        return STATUS_OK;
    char *value_copy = strdup(value);
    if (!value_copy)
        return out_of_memory(error);
    if (old) {
        free(old->value);
        old->value = value_copy;
        old->source = source;
        return STATUS_OK;
    }
    ConfigPair *larger = realloc(config->pair, (config->pair_count + 1) * sizeof *larger);
    char *name_copy = strdup(name);
    if (larger)
        config->pair = larger;
    if (!larger || !name_copy) {
        free(name_copy);
        free(value_copy);
        return out_of_memory(error);
    }
    config->pair[config->pair_count++] = (ConfigPair){source, name_copy, value_copy};
    return STATUS_OK;
}

/* "name=value" */
static Status add_pair_text(Config *config, const Place *place, const OptionRow *row,
                            const char *text, Error *error) {
    size_t length = strcspn(text, "=");
    double number;
    if (length == 0 || text[length] == '\0' || !isalpha((unsigned char)text[0]) ||
        !number_read(text + length + 1, &number))
        return refuse(place, STATUS_OPTION_VALUE, row, text, error);
    char *name = strndup(text, length);
    Status status = name ? add_pair(config, place->source, name, text + length + 1, error)
                         : out_of_memory(error);
    free(name);
    return status;
}

/* `auto`, wherever it stands, and the run that is resumed has chosen already. */
static bool awaits_choice(const Config *config, Option option, ConfigSource source) {
    return option_table[option].kind == KIND_CHOICE_OR_INTEGER && source == CONFIG_RESUMED &&
           config_is(config, option, "auto");
}

static Status set_value(Config *config, Option option, const Place *place, const char *text,
                        Error *error) {
    const OptionRow *row = &option_table[option];
    ConfigValue value = {.source = place->source, .number = (double)NAN};
    if (row->kind == KIND_PAIR)
        return add_pair_text(config, place, row, text, error);
    if (!config_read_value(row, text, &value))
        return refuse(place, STATUS_OPTION_VALUE, row, text, error);
    ConfigValue *old = &config->value[option];
    if (old->source > place->source && !awaits_choice(config, option, place->source))
        return STATUS_OK;
    value.text = strdup(text);
    if (!value.text)
        return out_of_memory(error);
    free(old->text);
    *old = value;
    return STATUS_OK;
}

Status config_init(Config *config, Error *error) {
    *config = (Config){0};
    const Place place = {CONFIG_DEFAULT, NULL};
    for (Option i = 0; i < OPTION_COUNT; i++) {
        config->value[i].number = (double)NAN;
        if (*option_table[i].standard == '\0')
            continue;
        Status status = set_value(config, i, &place, option_table[i].standard, error);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static Status copy_text(char **to, const char *from, Error *error) {
    *to = from ? strdup(from) : NULL;
    return from && !*to ? out_of_memory(error) : STATUS_OK;
}

Status config_copy(Config *to, const Config *from, Error *error) {
    *to = (Config){.ranks = from->ranks};
    Status status = copy_text(&to->module, from->module, error);
    if (status == STATUS_OK)
        status = copy_text(&to->cache, from->cache, error);
    for (Option i = 0; i < OPTION_COUNT && status == STATUS_OK; i++) {
        to->value[i] = from->value[i];
        status = copy_text(&to->value[i].text, from->value[i].text, error);
        if (status != STATUS_OK)
            for (Option k = i + 1; k < OPTION_COUNT; k++)
                to->value[k].text = NULL;
    }
    for (size_t i = 0; i < from->pair_count && status == STATUS_OK; i++)
        status = add_pair(to, from->pair[i].source, from->pair[i].name, from->pair[i].value, error);
    if (status != STATUS_OK)
        config_free(to);
    return status;
}

void config_free(Config *config) {
    for (Option i = 0; i < OPTION_COUNT; i++)
        free(config->value[i].text);
    for (size_t i = 0; i < config->pair_count; i++) {
        free(config->pair[i].name);
        free(config->pair[i].value);
    }
    free(config->pair);
    free(config->module);
    free(config->cache);
    *config = (Config){0};
}

/* ---- the command line ---- */

static Status unknown_option(const Place *place, const char *name, size_t length, Error *error) {
    const char *near = option_nearest((Bytes){name, length});
    const int shown = length < 60 ? (int)length : 60;
    if (place->source != CONFIG_COMMAND_LINE)
        return error_set(error, STATUS_UNKNOWN_OPTION, "%s: unknown key \"%.*s\"%s%s%s",
                         place->where, shown, name, near ? "; did you mean \"" : "",
                         near ? near : "", near ? "\"?" : "");
    return error_set(error, STATUS_UNKNOWN_OPTION, "unknown option '--%.*s'%s%s%s", shown, name,
                     near ? "; did you mean '--" : "; see 'pderun --help'", near ? near : "",
                     near ? "'?" : "");
}

static Status read_module_name(Config *config, const char *word, Error *error) {
    if (config->module)
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "one module is run at a time, and '%s' and '%s' are named", config->module,
                         word);
    config->module = strdup(word);
    return config->module ? STATUS_OK : out_of_memory(error);
}

/* A word that may be left out: the next one, if it is one of the option's. */
static Status read_page(Config *config, Option option, int argc, char *const *argv, int *i,
                        Error *error) {
    const Place place = {CONFIG_COMMAND_LINE, NULL};
    const bool given =
        *i + 1 < argc && option_word(option_table[option].argument, argv[*i + 1]) >= 0;
    return set_value(config, option, &place, given ? argv[++*i] : "common", error);
}

/* One option beginning at argv[*i]; moves *i to its last word. */
static Status read_option(Config *config, int argc, char *const *argv, int *i, Error *error) {
    const Place place = {CONFIG_COMMAND_LINE, NULL};
    const char *word = argv[*i];
    if (strcmp(word, "-h") == 0)
        word = "--help";
    else if (strcmp(word, "-o") == 0)
        word = "--out";
    else if (word[1] != '-')
        return error_set(error, STATUS_UNKNOWN_OPTION,
                         "unknown option '%s'; options begin with two dashes", word);
    const char *name = word + 2;
    size_t length = strcspn(name, "=");
    Option option;
    if (!option_find((Bytes){name, length}, &option))
        return unknown_option(&place, name, length, error);
    if (name[length] == '=')
        return set_value(config, option, &place, name + length + 1, error);
    if (option_table[option].kind == KIND_FLAG)
        return set_value(config, option, &place, "true", error);
    if (option_table[option].kind == KIND_PAGE)
        return read_page(config, option, argc, argv, i, error);
    if (*i + 1 >= argc || strncmp(argv[*i + 1], "--", 2) == 0)
        return error_set(error, STATUS_OPTION_MISSING_VALUE, "--%s needs a value: %s",
                         option_table[option].name, option_table[option].help);
    return set_value(config, option, &place, argv[++*i], error);
}

Status config_read_arguments(Config *config, int argc, char *const *argv, Error *error) {
    Status status = STATUS_OK;
    bool options_end = false;
    for (int i = 1; i < argc && status == STATUS_OK; i++) {
        if (!options_end && strcmp(argv[i], "--") == 0)
            options_end = true;
        else if (!options_end && argv[i][0] == '-' && argv[i][1] != '\0')
            status = read_option(config, argc, argv, &i, error);
        else
            status = read_module_name(config, argv[i], error);
    }
    return status;
}

/* ---- JSON ---- */

/* A JSON number or word as an option's text; false for anything else. */
static bool json_as_text(const json_t *value, Buffer *text) {
    buffer_text(text, "");
    if (json_is_string(value))
        buffer_text(text, json_string_value(value));
    else if (json_is_boolean(value))
        buffer_text(text, json_is_true(value) ? "true" : "false");
    else if (json_is_integer(value))
        buffer_printf(text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        buffer_number(text, json_real_value(value));
    else
        return false;
    return !text->failed;
}

/* {"set": {"d": 100, "T": 0.5}} */
static Status read_json_pairs(Config *config, const Place *place, json_t *object, Error *error) {
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value) {
        if (!json_is_number(value))
            return error_set(error, STATUS_OPTION_VALUE, "%s: \"set\": \"%s\" must be a number",
                             place->where, name);
        Buffer text = {0};
        Status status = json_as_text(value, &text)
                            ? add_pair(config, place->source, name, text.data, error)
                            : out_of_memory(error);
        buffer_free(&text);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static Status read_json_member(Config *config, const Place *place, const char *key, json_t *value,
                               Error *error) {
    Option option;
    if (!option_find((Bytes){key, strlen(key)}, &option))
        return unknown_option(place, key, strlen(key), error);
    const OptionRow *row = &option_table[option];
    bool path =
        row->kind == KIND_TEXT && row->span == SPAN_CALL; /* what it may touch: the user says */
    if (row->group == GROUP_ACTION || option == OPTION_CONFIG ||
        (path && place->source != CONFIG_FILE))
        return error_set(error, STATUS_CONFIG_FILE, "%s: \"%s\" belongs on the command line",
                         place->where, key);
    if (json_is_null(value))
        return STATUS_OK;
    if (row->kind == KIND_PAIR && json_is_object(value))
        return read_json_pairs(config, place, value, error);
    Buffer text = {0};
    Status status;
    if (row->kind != KIND_PAIR && json_as_text(value, &text))
        status = set_value(config, option, place, text.data, error);
    else
        status = error_set(error, STATUS_OPTION_VALUE, "%s: \"%s\" must be %s", place->where, key,
                           row->kind == KIND_PAIR ? "an object of numbers" : "a number or a text");
    buffer_free(&text);
    return status;
}

Status config_read_json(Config *config, ConfigSource source, Bytes json, const char *where,
                        Error *error) {
    const Place place = {source, where};
    json_error_t problem;
    json_t *root = json_loadb(json.data, json.size, JSON_REJECT_DUPLICATES, &problem);
    if (!root)
        return error_set(error, STATUS_CONFIG_FILE, "%s, line %d: %s", where, problem.line,
                         problem.text);
    Status status = STATUS_OK;
    if (!json_is_object(root))
        status = error_set(error, STATUS_CONFIG_FILE, "%s is not a JSON object", where);
    const char *key;
    json_t *value;
    json_object_foreach(root, key, value) {
        if (status == STATUS_OK)
            status = read_json_member(config, &place, key, value, error);
    }
    json_decref(root);
    return status;
}

Status config_read_file(Config *config, Error *error) {
    enum { CONFIG_FILE_MAX = 1 << 20 };
    const char *path = config_text(config, OPTION_CONFIG);
    char *data;
    size_t size;
    if (!path)
        return STATUS_OK;
    Status status = io_read_file(path, CONFIG_FILE_MAX, &data, &size, error);
    if (status == STATUS_OK)
        status = config_read_json(config, CONFIG_FILE, (Bytes){data, size}, path, error);
    free(data);
    return status;
}

/* ---- what concerns several options ---- */

static bool given(const Config *config, Option option) {
    const ConfigValue *value = &config->value[option];
    return value->source > CONFIG_DEFAULT &&
           (option_table[option].kind != KIND_FLAG || value->integer);
}

Status config_open_cache(Config *config, Error *error) {
    char path[CACHE_PATH_MAX];
    if (config_flag(config, OPTION_NO_CACHE) || config->cache)
        return STATUS_OK;
    Status status = cache_find(path, error);
    if (status != STATUS_OK || !path[0])
        return status;
    size_t size = strlen(path) + 1;
    config->cache = malloc(size);
    if (config->cache)
        memcpy(config->cache, path, size);
    return STATUS_OK;
}

Status config_check(const Config *config, Error *error) {
    static const Option action[] = {OPTION_INFO,    OPTION_PLAN,    OPTION_SELFTEST, OPTION_PREDICT,
                                    OPTION_EXPORT,  OPTION_ERROR,   OPTION_SUGGEST,  OPTION_DEVICES,
                                    OPTION_EXPLAIN, OPTION_VERSION, OPTION_HELP};
    const size_t actions = sizeof action / sizeof *action;
    for (size_t i = 0; i < actions; i++)
        for (size_t j = i + 1; j < actions; j++)
            if (given(config, action[i]) && given(config, action[j]))
                return error_set(error, STATUS_OPTION_CONFLICT,
                                 "--%s and --%s each say what to do; leave one out",
                                 option_name(action[i]), option_name(action[j]));
    if (given(config, OPTION_MODEL) && !given(config, OPTION_PREDICT) &&
        !given(config, OPTION_EXPORT))
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "--model is used with --predict and --export only");
    if (given(config, OPTION_WHAT) && !given(config, OPTION_PREDICT))
        return error_set(error, STATUS_OPTION_CONFLICT, "--what is used with --predict only");
    if (given(config, OPTION_FORCE) && given(config, OPTION_RESUME))
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "--resume goes on with a run and --force replaces it; leave one out");
    static const Option plans[] = {OPTION_TIME, OPTION_EFFORT, OPTION_RACE, OPTION_SUGGEST};
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
        if (given(config, OPTION_RESUME) && config->value[plans[i]].source == CONFIG_COMMAND_LINE &&
            !(plans[i] == OPTION_EFFORT && config_is(config, OPTION_EFFORT, "none")))
            return error_set(error, STATUS_OPTION_CONFLICT,
                             "--resume goes on with what was chosen, and --%s chooses; say how far "
                             "with --iterations, or how long with --time-limit",
                             option_name(plans[i]));
    if (given(config, OPTION_PREDICT) && given(config, OPTION_RESUME))
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "--predict uses a trained model and --resume trains one; leave one out");
    return STATUS_OK;
}

Status config_imply(Config *config, Option by, Option option, const char *text, Error *error) {
    const Place place = {config->value[by].source, "what the options imply"};
    if (config->value[option].source >= place.source)
        return STATUS_OK;
    return set_value(config, option, &place, text, error);
}

Status config_set(Config *config, Option option, const char *text, Error *error) {
    const Place place = {CONFIG_COMMAND_LINE, "the command line"};
    return set_value(config, option, &place, text, error);
}

Status config_choose(Config *config, Option option, const char *text, Error *error) {
    const Place place = {CONFIG_CHOSEN, "what was chosen"};
    return set_value(config, option, &place, text, error);
}

Status config_override(Config *config, Option option, const char *text, Error *error) {
    const Place place = {CONFIG_CHOSEN, "what was chosen"};
    config->value[option].source = CONFIG_DEFAULT;
    return set_value(config, option, &place, text, error);
}

bool config_is_stated(const Config *config, Option option) {
    return config->value[option].source > CONFIG_CHOSEN;
}

Status config_decide(Config *config, Option option, int64_t value, Error *error) {
    const Place place = {config->value[option].source, "what was chosen"};
    Buffer text = {0};
    buffer_printf(&text, "%lld", (long long)value);
    Status status = buffer_status(&text, error);
    if (status == STATUS_OK)
        status = set_value(config, option, &place, text.data, error);
    buffer_free(&text);
    return status;
}

/* ---- access ---- */

bool config_is_set(const Config *config, Option option) {
    return config->value[option].source != CONFIG_UNSET;
}

bool config_flag(const Config *config, Option option) {
    assert(option_table[option].kind == KIND_FLAG);
    return config->value[option].integer != 0;
}

int64_t config_integer(const Config *config, Option option) {
    assert(option_table[option].kind == KIND_INTEGER ||
           option_table[option].kind == KIND_CHOICE_OR_INTEGER);
    return config->value[option].integer;
}

double config_number(const Config *config, Option option) {
    return config->value[option].number;
}

const char *config_text(const Config *config, Option option) {
    return config->value[option].text;
}

bool config_is(const Config *config, Option option, const char *word) {
    int wanted = option_word(option_table[option].argument, word);
    assert(wanted >= 0);
    return config->value[option].integer == wanted && isnan(config->value[option].number);
}

const char *config_pair(const Config *config, const char *name) {
    const ConfigPair *pair = find_pair(config, name);
    return pair ? pair->value : NULL;
}

const char *config_source_name(ConfigSource source) {
    static const char *const name[] = {"not set", "default",     "chosen",      "module",
                                       "file",    "resumed run", "command line"};
    return name[source];
}

void config_write_json(const Config *config, JsonWriter *json) {
    for (Option i = 0; i < OPTION_COUNT; i++) {
        const OptionRow *row = &option_table[i];
        const ConfigValue *value = &config->value[i];
        if (row->span == SPAN_CALL || !value->text)
            continue;
        json_key(json, row->name);
        if (row->kind == KIND_FLAG)
            json_put_boolean(json, value->integer != 0);
        else if (row->kind == KIND_INTEGER)
            json_put_integer(json, value->integer);
        else if (!isnan(value->number))
            json_put_number(json, value->number);
        else
            json_put_text(json, value->text);
    }
    json_key(json, option_table[OPTION_SET].name);
    json_begin_object(json);
    for (size_t i = 0; i < config->pair_count; i++) {
        double number = 0;
        number_read(config->pair[i].value, &number);
        json_key(json, config->pair[i].name);
        json_put_number(json, number);
    }
    json_end_object(json);
}
