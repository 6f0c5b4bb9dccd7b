#define _POSIX_C_SOURCE 200809L
#include "train/run_frame.h"

#include "files/number.h"

#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void on_signal(int number) {
    interrupted = 1;
    signal(number, SIG_DFL);
}

volatile sig_atomic_t *frame_interrupted(void) {
    return &interrupted;
}

Status frame_run(ModuleFile *module, Config *config, FrameBody *body, Error *error) {
    char directory[RUN_PATH_MAX];
    Run run;
    Checkpoint checkpoint = {0};
    Buffer notes = {0};
    bool resume = config_flag(config, OPTION_RESUME);
    Status status = run_directory(config, directory, error);
    if (status == STATUS_OK)
        status = run_open(directory, resume, &run, error);
    if (status != STATUS_OK)
        return status;
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    if (resume)
        status = run_read_checkpoint(&run, config, &checkpoint, &notes, error);
    if (notes.size > 0)
        fprintf(stderr, "pderun: %s", notes.data);
    buffer_free(&notes);
    if (status == STATUS_OK)
        status = body(module, config, &run, resume ? &checkpoint : NULL, error);
    checkpoint_free(&checkpoint);
    run_close(&run);
    return status;
}

Screen frame_screen(const Config *config) {
    return (Screen){progress_for(STDERR_FILENO), config_flag(config, OPTION_QUIET)};
}

void frame_show(Screen *screen, const ProgressState *state, bool last) {
    Buffer line = {0};
    if (!screen->quiet && progress_line(&screen->progress, state, last, &line) && !line.failed)
        fputs(line.data, stderr);
    buffer_free(&line);
}

Status frame_end(const Run *run, const Config *config, const TrainResult *result, bool has_report,
                 Error *error) {
    char duration[PROGRESS_DURATION_MAX], number[NUMBER_TEXT_MAX];
    printf("\n%s after %lld iterations and %s (%s ms per iteration)\n", train_end_text(result->end),
           (long long)result->iterations, progress_duration(result->seconds, duration),
           number_print_digits(result->ms_per_iteration, 4, number));
    printf("files: %s/model.safetensors, log.jsonl, config.json, checkpoints/%s\n", run->directory,
           has_report ? ", report.html" : "");
    if (result->end == TRAIN_interrupted || result->end == TRAIN_time_limit)
        printf("go on with: pderun %s --out %s --resume\n", config->module, run->directory);
    return result->end == TRAIN_interrupted
               ? error_set(error, STATUS_INTERRUPTED, "stopped by a signal at iteration %lld",
                           (long long)result->iterations)
               : STATUS_OK;
}

void frame_note(Buffer *note) {
    if (note->size > 0)
        fprintf(stderr, "pderun: %s\n", note->data);
    buffer_free(note);
}
