/* config.h: the options of a run and where each value comes from.
 *
 * Sources by precedence: the default in option.def, what pderun chose, the module, the configuration file,
 * the checkpoint that is resumed, the command line. They may be applied in any order: a value never
 * replaces one from a higher source. So the command line is read first, which names the
 * configuration file and the module. */
#ifndef PDE_RUNTIME_OPTIONS_CONFIG_H
#define PDE_RUNTIME_OPTIONS_CONFIG_H

#include "files/buffer.h"
#include "files/json.h"
#include "options/option.h"

#include <stdint.h>

typedef enum ConfigSource {
    CONFIG_UNSET,
    CONFIG_DEFAULT,
    CONFIG_CHOSEN, /* by pderun itself, where nobody said anything (choose/) */
    CONFIG_MODULE,
    CONFIG_FILE,
    CONFIG_RESUMED, /* the run that is resumed */
    CONFIG_COMMAND_LINE
} ConfigSource;

typedef struct ConfigValue {
    ConfigSource source;
    char *text;      /* as it was written; NULL if unset */
    double number;   /* INTEGER, NUMBER, DURATION (seconds); NaN otherwise, and for a word */
    int64_t integer; /* INTEGER; FLAG as 0 or 1; CHOICE as the position of the word */
} ConfigValue;

/* One --set name=value. */
typedef struct ConfigPair {
    ConfigSource source;
    char *name, *value;
} ConfigPair;

/* Fills number and integer from the text; false if the text is not of the option's kind (config_value.c). */
bool config_read_value(const OptionRow *row, const char *text, ConfigValue *value);

/* owner of all texts; config_init, then config_free. */
typedef struct Config {
    ConfigValue value[OPTION_COUNT];
    ConfigPair *pair;
    size_t pair_count;
    char *module; /* the file named on the command line, or NULL */
    char *cache;  /* directory of compiled kernels, or NULL: config_open_cache sets it */
    struct Ranks
        *ranks; /* the processes of this run (engine/ranks/ranks.h), not owned; NULL: one */
} Config;

Status config_init(Config *config, Error *error);
/* All values and pairs of `from` with their sources, into a configuration of its own. */
Status config_copy(Config *to, const Config *from, Error *error);
void config_free(Config *config);

/* argv[0] is skipped. A single word without dashes is the module. */
Status config_read_arguments(Config *config, int argc, char *const *argv, Error *error);
/* A JSON object; `where` names it in messages (a path, or "the module"). */
Status config_read_json(Config *config, ConfigSource source, Bytes json, const char *where,
                        Error *error);
/* Reads the file of --config, if there is one. */
Status config_read_file(Config *config, Error *error);
/* Finds the cache of compiled kernels unless --no-cache is given. STATUS_CACHE_UNSAFE: it must not be used, and
 * that should be said; the run goes on without. */
Status config_open_cache(Config *config, Error *error);
/* What concerns several options: call it when all sources have been read. */
Status config_check(const Config *config, Error *error);

/* A value that follows from the option `by`, unless one was given at the same or a higher source. */
Status config_imply(Config *config, Option by, Option option, const char *text, Error *error);

/* As if it stood on the command line. */
Status config_set(Config *config, Option option, const char *text, Error *error);
/* Sets what nobody has stated; it stands below every statement. */
Status config_choose(Config *config, Option option, const char *text, Error *error);
/* The same where the module's statement gives way (iterations to a budget). */
Status config_override(Config *config, Option option, const char *text, Error *error);
/* Has anyone stated it: module, file, resumed run or command line? */
bool config_is_stated(const Config *config, Option option);

/* What `auto` of a CHOICE_OR_INTEGER was decided to be; the value's source stays. */
Status config_decide(Config *config, Option option, int64_t value, Error *error);

bool config_is_set(const Config *config, Option option); /* by default or otherwise */
bool config_flag(const Config *config, Option option);
int64_t config_integer(const Config *config, Option option);
double config_number(const Config *config, Option option);    /* NaN if unset or a word */
const char *config_text(const Config *config, Option option); /* NULL if unset */
/* True if the CHOICE has this value, which must be one of its words. */
bool config_is(const Config *config, Option option, const char *word);
/* The value given to a dim or param, or NULL. */
const char *config_pair(const Config *config, const char *name);

const char *config_source_name(ConfigSource source); /* "default", "module", ... */
/* The settings that are part of the run (SPAN in option.def), as members of the object that was
 * begun: what a checkpoint stores and config_read_json(CONFIG_RESUMED) restores. */
void config_write_json(const Config *config, JsonWriter *json);

/* A learning rate as text: "1e-3" is constant(1e-3). */
enum { RATE_NAME_MAX = 16, RATE_ARGUMENTS_MAX = 4 };
typedef struct RateText {
    char schedule[RATE_NAME_MAX]; /* a row of schedule.def */
    double argument[RATE_ARGUMENTS_MAX];
    int count; /* of arguments, at least 1 */
} RateText;
bool config_read_rate(const char *text, RateText *rate);

#endif
