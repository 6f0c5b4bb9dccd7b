/* choice_report.c: see choice_report.h. */
#include "commands/choice_report.h"

#include <jansson.h>

static const struct {
    const char *key, *purpose;
} parts[CHOICE_PARTS] = {{"table", "the candidates that took part, and why one was chosen"},
                         {"rules", "what was chosen, and the reasons"},
                         {"statements", "the same as statements for the file"},
                         {"repeat", "this run again, to the bit"},
                         {"command", "the same settings without the race"}};

void choice_report_open(const Run *run, ChoiceReport *choice) {
    char path[RUN_PATH_MAX];
    json_t *file = json_load_file(run_path(run, "choice.json", path), 0, NULL);
    *choice = (ChoiceReport){.file = file};
    for (int k = 0; k < CHOICE_PARTS; k++) {
        const char *text = json_string_value(json_object_get(file, parts[k].key));
        if (text && *text)
            choice->part[choice->count++] = (ReportCommand){parts[k].purpose, text};
    }
}

void choice_report_close(ChoiceReport *choice) {
    json_decref(choice->file);
    *choice = (ChoiceReport){0};
}
