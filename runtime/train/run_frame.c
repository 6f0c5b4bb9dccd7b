#define _POSIX_C_SOURCE 200809L
#include "train/run_frame.h"

#include "engine/ranks/ranks.h"
#include "files/number.h"
#include "files/say.h"
#include "train/run_place.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { IMPATIENT_MS = 1000 };

static volatile sig_atomic_t interrupted;
static atomic_llong first_signal; /* milliseconds of a steady clock; 0: none came */

static _Thread_local FrameHost *host_of_thread;

void frame_host(FrameHost *host) {
    host_of_thread = host;
}

/* Whoever stops a job often signals both its group and its process: signals that come together are one.
 * A later one is a person who will not wait for the checkpoint, and ends the process as usual. */
static void on_signal(int number) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    long long now = 1 + t.tv_sec * 1000LL + t.tv_nsec / 1000000, before = 0;
    interrupted = 1;
    if (atomic_compare_exchange_strong(&first_signal, &before, now) || now - before < IMPATIENT_MS)
        return;
    signal(number, SIG_DFL);
    raise(number);
}

/* A terminal that goes away is no reason to lose what was trained; nohup is left its way. */
static void catch_signals(void) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, hangup;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
}

static void print_lines(Buffer *lines) {
    for (const char *line = lines->data; line && *line; line += strcspn(line, "\n") + 1)
        say_error("pderun: %.*s\n", (int)strcspn(line, "\n"), line);
    buffer_free(lines);
}

/* The run's directory is rank 0's, and the others read there. */
static Status take_place(const Config *config, Run *run, Buffer *notes, Error *error) {
    char directory[RUN_DIRECTORY_MAX] = "";
    Status status = STATUS_OK;
    if (ranks_number(config->ranks) == 0) {
        status = run_place_take(config, run, notes, error);
        if (status == STATUS_OK)
            memcpy(directory, run->directory, sizeof directory);
    }
    if (status == STATUS_OK)
        status = ranks_give(config->ranks, directory, sizeof directory, error);
    if (status == STATUS_OK && ranks_number(config->ranks) > 0)
        run_follow(directory, run);
    return status;
}

Status frame_run(ModuleFile *module, Config *config, FrameBody *body, Error *error) {
    Run run;
    Checkpoint checkpoint = {0};
    Buffer notes = {0};
    bool resume = config_flag(config, OPTION_RESUME);
    Status status = take_place(config, &run, &notes, error);
    print_lines(&notes);
    if (status != STATUS_OK)
        return status;
    if (host_of_thread)
        memcpy(host_of_thread->directory, run.directory, sizeof run.directory);
    else
        catch_signals();
    if (resume)
        status = run_read_checkpoint(&run, module, config, &checkpoint, &notes, error);
    print_lines(&notes);
    if (status == STATUS_OK)
        status = body(module, config, &run, resume ? &checkpoint : NULL, error);
    checkpoint_free(&checkpoint);
    run_close(&run);
    return status;
}

Screen frame_screen(const Config *config) {
    return (Screen){progress_for(STDERR_FILENO), config_flag(config, OPTION_QUIET)};
}

static void show_progress(void *context, const ProgressState *state, bool last) {
    Screen *screen = context;
    Buffer line = {0};
    if (!screen->quiet && progress_line(&screen->progress, state, last, &line) && !line.failed)
        say_error_as_is(line.data); /* numbers and our own words */
    buffer_free(&line);
}

static void show_warning(void *context, const char *text) {
    Screen *screen = context;
    say_error_as_is(progress_clear(&screen->progress));
    say_error("pderun: ");
    say_error_lines(text, strlen(text));
    say_error("\n");
}

TrainHooks frame_hooks(Screen *screen) {
    if (host_of_thread)
        return host_of_thread->hooks;
    return (TrainHooks){screen, show_progress, show_warning, &interrupted};
}

void frame_verdict(const Verdict *verdict) {
    Buffer line = {0};
    verdict_print(verdict, &line);
    if (!line.failed)
        say("\nverdict: %s\n", line.data);
    buffer_free(&line);
}

Status frame_end(const Run *run, const Config *config, const TrainResult *result, bool has_report,
                 Error *error) {
    char duration[PROGRESS_DURATION_MAX], number[NUMBER_TEXT_MAX];
    say("\n%s after %lld iterations and %s (%s ms per iteration)\n", train_end_text(result->end),
        (long long)result->iterations, progress_duration(result->seconds, duration),
        number_print_digits(result->ms_per_iteration, 4, number));
    say("files: %s/model.safetensors, log.jsonl, config.json, checkpoints/%s\n", run->directory,
        has_report ? ", report.html" : "");
    if (result->end == TRAIN_interrupted || result->end == TRAIN_time_limit)
        say("go on with: pderun %s --out %s --resume\n", config->module, run->directory);
    return result->end == TRAIN_interrupted
               ? error_set(error, STATUS_INTERRUPTED, "stopped by a signal at iteration %lld",
                           (long long)result->iterations)
               : STATUS_OK;
}

void frame_note(Buffer *note) {
    if (note->size > 0) {
        say_error("pderun: ");
        say_error_lines(note->data, note->size);
        say_error("\n");
    }
    buffer_free(note);
}
