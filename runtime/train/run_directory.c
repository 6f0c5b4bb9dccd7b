#define _POSIX_C_SOURCE 200809L
#include "train/run_directory.h"

#include "engine/real.h"
#include "files/json.h"
#include "step/hook.h"
#include "step/optimiser.h"
#include "train/resume.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------ directory */

const char *run_path(const Run *run, const char *name, char *out) {
    int n = snprintf(out, RUN_PATH_MAX, "%s/%s", run->directory, name);
    return n > 0 && n < RUN_PATH_MAX ? out : "";
}

/* What an earlier run left. Its lock is held, and anything that no run writes stays. */
static Status remove_earlier(Run *run, Error *error) {
    static const char *const file[] = {"config.json", "log.jsonl",   "model.safetensors",
                                       "error.json",  "report.html", "module.so"};
    char path[RUN_PATH_MAX];
    Status status = checkpoint_remove_all(run->checkpoints, error);
    for (size_t k = 0; k < sizeof file / sizeof *file && status == STATUS_OK; k++)
        status = io_remove(run_path(run, file[k], path), error);
    return status;
}

static void run_name(const char *directory, Run *run) {
    *run = (Run){.lock = IO_LOCK_NONE, .log = LOG_NONE, .saved = -1};
    snprintf(run->directory, sizeof run->directory, "%s", directory);
    run->state =
        (RunState){.best = (double)INFINITY, .held_best = (double)INFINITY, .rate_factor = 1};
    run_path(run, "checkpoints", run->checkpoints);
}

void run_follow(const char *directory, Run *run) {
    run_name(directory, run);
    run->follows = true;
}

Status run_open(const char *directory, RunKind kind, Run *run, Error *error) {
    run_name(directory, run);
    Status status = io_make_directory(run->checkpoints, error);
    if (status == STATUS_OK)
        status = io_lock(run->directory, &run->lock, error);
    if (status == STATUS_OK)
        io_remove_temporaries(run->checkpoints, 0);
    if (status == STATUS_OK && kind == RUN_REPLACED)
        status = remove_earlier(run, error);
    if (status == STATUS_OK && kind == RUN_NEW && checkpoint_exists(run->checkpoints))
        status = error_set(error, STATUS_OPTION_CONFLICT,
                           "'%s' holds the checkpoints of an earlier run: go on with --resume, "
                           "choose another --out, or replace it with --force",
                           directory);
    if (status != STATUS_OK)
        run_close(run);
    return status;
}

void run_close(Run *run) {
    (void)log_close(&run->log, NULL);
    io_unlock(&run->lock);
    images_close(&run->images);
    *run = (Run){.lock = IO_LOCK_NONE, .log = LOG_NONE};
}

/* -------------------------------------------------------------------------- state as JSON */

void run_put_progress(const RunState *state, JsonWriter *json) {
    json_key(json, "seconds");
    json_put_number(json, state->seconds);
    json_key(json, "cpu_seconds");
    json_put_number(json, state->cpu_seconds);
    json_key(json, "best");
    json_put_number(json, state->best);
    json_key(json, "best_iteration");
    json_put_integer(json, state->best_iteration);
}

static void put_state(const RunState *state, JsonWriter *json) {
    run_put_progress(state, json);
    json_key(json, "held_best");
    json_put_number(json, state->held_best);
    json_key(json, "held_best_iteration");
    json_put_integer(json, state->held_best_iteration);
    json_key(json, "rate_factor");
    json_put_number(json, state->rate_factor);
    json_key(json, "skipped");
    json_put_integer(json, state->skipped);
}

static void put_session(const Session *s, JsonWriter *json) {
    char hex[DIGEST_HEX_SIZE + 1];
    double scale[PLAN_TASKS_MAX], size[PLAN_UNKNOWNS_MAX];
    int unknowns = s->problem->plan.unknowns;
    json_key(json, "module");
    json_put_text(json, digest_hex(&s->problem->module.digest, hex));
    json_key(json, "updates");
    json_put_integer(json, pde_engine_updates(s->engine));
    for (int i = 0; i < s->tasks; i++)
        scale[i] = s->task[i].residual_scale;
    json_put_numbers(json, "output_scale", s->output_scale, s->problem->outputs);
    json_put_numbers(json, "residual_scale", scale, s->tasks);
    for (int i = 0; i < s->tasks; i++)
        scale[i] = s->task[i].balance;
    json_put_numbers(json, "balance", scale, s->tasks);
    for (int k = 0; k < unknowns; k++)
        size[k] = s->unknown_limit[k][0];
    json_put_numbers(json, "unknown_size", size, unknowns);
    json_put_numbers(json, "unknown", s->unknown, unknowns);
    json_put_numbers(json, "unknown_m", s->unknown_state[0], unknowns);
    json_put_numbers(json, "unknown_v", s->unknown_state[1], unknowns);
    optimiser_save(s, json);
    hooks_save(s, json);
}

static Status run_json(const Run *run, const Session *s, const Config *config, Buffer *out,
                       Error *error) {
    JsonWriter json = {.out = out};
    json_begin_object(&json);
    put_session(s, &json);
    put_state(&run->state, &json);
    json_key(&json, "config");
    json_begin_object(&json);
    config_write_json(config, &json);
    json_end_object(&json);
    json_end_object(&json);
    return buffer_status(out, error);
}

static Status mismatch(Error *error, const char *what) {
    return error_set(error, STATUS_CHECKPOINT_MISMATCH,
                     "the checkpoint was written with another %s", what);
}

static Status get_session(const json_t *root, Session *s, Error *error) {
    char hex[DIGEST_HEX_SIZE + 1];
    double scale[PLAN_TASKS_MAX], balance[PLAN_TASKS_MAX], size[PLAN_UNKNOWNS_MAX];
    const char *refused = NULL;
    int unknowns = s->problem->plan.unknowns;
    const char *module = json_string_value(json_object_get(root, "module"));
    if (!module || strcmp(module, digest_hex(&s->problem->module.digest, hex)) != 0)
        return mismatch(error, "module");
    if (!json_get_numbers(root, "output_scale", s->output_scale, s->problem->outputs) ||
        !json_get_numbers(root, "residual_scale", scale, s->tasks) ||
        !json_get_numbers(root, "balance", balance, s->tasks) ||
        !json_get_numbers(root, "unknown_size", size, unknowns) ||
        !json_get_numbers(root, "unknown", s->unknown, unknowns) ||
        !json_get_numbers(root, "unknown_m", s->unknown_state[0], unknowns) ||
        !json_get_numbers(root, "unknown_v", s->unknown_state[1], unknowns))
        return mismatch(error, "problem");
    for (int i = 0; i < s->tasks; i++) {
        s->task[i].residual_scale = scale[i];
        s->task[i].balance = balance[i];
    }
    for (int k = 0; k < unknowns; k++)
        s->unknown_limit[k][0] = size[k];
    s->balanced = -1;
    pde_engine_set_updates(s->engine, (int64_t)json_number_or(root, "updates", 0));
    optimiser_load(s, root);
    if (!hooks_load(s, root, &refused)) {
        char option[PLAN_NAME_MAX];
        snprintf(option, sizeof option, "--%s", refused);
        return mismatch(error, option);
    }
    session_unknowns_changed(s);
    return STATUS_OK;
}

static void get_state(const json_t *root, int64_t iteration, RunState *state) {
    *state =
        (RunState){.iteration = iteration,
                   .seconds = json_number_or(root, "seconds", 0),
                   .cpu_seconds = json_number_or(root, "cpu_seconds", 0),
                   .best = json_number_or(root, "best", (double)INFINITY),
                   .best_iteration = (int64_t)json_number_or(root, "best_iteration", 0),
                   .held_best = json_number_or(root, "held_best", (double)INFINITY),
                   .held_best_iteration = (int64_t)json_number_or(root, "held_best_iteration", 0),
                   .rate_factor = json_number_or(root, "rate_factor", 1),
                   .skipped = (int64_t)json_number_or(root, "skipped", 0)};
}

/* ----------------------------------------------------------------------------- checkpoints */

static Status get_slots(Run *run, Session *s, const Checkpoint *checkpoint, Error *error) {
    assert(run->images.engine == s->engine);
    char prefix[STATE_PREFIX_MAX];
    Status status = STATUS_OK;
    for (int i = 0; i <= pde_engine_slots(s->engine) && status == STATUS_OK; i++) {
        void *image = images_room(&run->images, i);
        status =
            network_read(&s->network, state_prefix(i, prefix), &checkpoint->file, image, error);
        if (status == STATUS_OK)
            pde_engine_set(s->engine, i, image);
    }
    images_forget(&run->images);
    if (status == STATUS_OK)
        status = optimiser_read(s, &checkpoint->file, error);
    if (status == STATUS_OK)
        status = hooks_read(s, &checkpoint->file, error);
    return status;
}

/* What the best row goes by: the error where it is known, else the loss on held-out points, else that of
 * the sample, which is another with another method. */
typedef struct Mark {
    bool error, held;
    int64_t terms;
    char algorithm[16];
} Mark;

static Mark mark_of(const Session *s, int64_t test_points, int64_t held_out, int64_t terms,
                    const char *algorithm) {
    const Problem *p = s->problem;
    Mark mark = {.error = (problem_has_exact(p) && test_points > 0) || p->plan.references > 0};
    mark.held = !mark.error && held_out > 0;
    if (!mark.error && !mark.held) {
        mark.terms = terms;
        snprintf(mark.algorithm, sizeof mark.algorithm, "%s", algorithm);
    }
    return mark;
}

/* Marks that mean something else than those of the checkpoint are not compared with them. */
static void forget_other_marks(const json_t *root, const Session *s, RunState *state) {
    const json_t *config = json_object_get(root, "config");
    const char *algorithm = json_string_value(json_object_get(config, "algorithm"));
    const Settings *set = &s->settings;
    Mark now =
        mark_of(s, set->test_points, set->held_out, set->terms, algorithm_name(set->algorithm));
    Mark then = mark_of(s, (int64_t)json_number_or(config, "test-points", 0),
                        (int64_t)json_number_or(config, "held-out", 0),
                        (int64_t)json_number_or(config, "terms", 0), algorithm ? algorithm : "");
    if (now.error == then.error && now.held == then.held && now.terms == then.terms &&
        strcmp(now.algorithm, then.algorithm) == 0)
        return;
    state->best = (double)INFINITY;
    state->best_iteration = state->iteration;
}

static Status load_into(Run *run, Session *s, const Checkpoint *checkpoint, Error *error) {
    assert(checkpoint->run); /* checkpoint_load has seen to it */
    json_t *root = json_loads(checkpoint->run, 0, NULL);
    Status status = json_is_object(root) ? get_session(root, s, error) : mismatch(error, "pderun");
    if (status == STATUS_OK)
        status = get_slots(run, s, checkpoint, error);
    if (status == STATUS_OK)
        get_state(root, (int64_t)checkpoint->iteration, &run->state);
    if (status == STATUS_OK)
        forget_other_marks(root, s, &run->state);
    json_decref(root);
    run->saved = run->state.iteration;
    return status;
}

Status run_read_checkpoint(const Run *run, const ModuleFile *module, Config *config,
                           Checkpoint *checkpoint, Buffer *notes, Error *error) {
    Status status = checkpoint_load_newest(run->checkpoints, checkpoint, notes, error);
    if (status != STATUS_OK)
        return status;
    json_t *root = json_loads(checkpoint->run, 0, NULL);
    char *text = json_dumps(json_object_get(root, "config"), JSON_COMPACT);
    if (text)
        status = resume_options(config, (Bytes){text, strlen(text)}, module, notes, error);
    free(text);
    json_decref(root);
    if (status != STATUS_OK)
        checkpoint_free(checkpoint);
    return status;
}

Status run_write_config(const Run *run, const Config *config, Error *error) {
    char path[RUN_PATH_MAX];
    Buffer text = {0};
    JsonWriter json = {.out = &text, .indent = 2};
    json_begin_object(&json);
    config_write_json(config, &json);
    json_end_object(&json);
    buffer_text(&text, "\n");
    Status status = buffer_status(&text, error);
    if (status == STATUS_OK)
        status = io_write_atomic(run_path(run, "config.json", path), &(Bytes){text.data, text.size},
                                 1, error);
    buffer_free(&text);
    return status;
}

Status run_write_module(const Run *run, const ModuleFile *module, Error *error) {
    char path[RUN_PATH_MAX];
    run_path(run, "module.so", path);
    if (run->state.iteration > 0 && io_exists(path))
        return STATUS_OK;
    return io_write_atomic(path, &(Bytes){module->data, module->size}, 1, error);
}

Status run_open_log(Run *run, const Config *config, Error *error) {
    Status status = log_open(run->directory, (uint64_t)run->state.iteration, &run->log, error);
    if (status == STATUS_OK && config_flag(config, OPTION_TENSORBOARD))
        status = log_open_events(run->directory, &run->log, error);
    return status;
}

Status run_begin(Run *run, Session *s, const Config *config, const Checkpoint *checkpoint,
                 Error *error) {
    Status status = images_open(&run->images, s->engine,
                                (size_t)s->network.size * real_size(s->settings.precision), error);
    if (status == STATUS_OK && checkpoint)
        status = load_into(run, s, checkpoint, error);
    if (status == STATUS_OK && !run->follows)
        status = run_write_config(run, config, error);
    if (status == STATUS_OK && !run->follows)
        status = run_write_module(run, &s->problem->module, error);
    if (status == STATUS_OK && !run->follows)
        status = run_open_log(run, config, error);
    return status;
}

static bool is_kept(const Run *run, const Session *s) {
    return s->settings.fall_back > 0 && run->state.held_best_iteration == run->state.iteration;
}

Status run_save(Run *run, const Session *s, const Config *config, bool best, Error *error) {
    enum { LAYER_ARRAYS = 2 * PDE_MAX_LAYERS, IMAGES = 1 + PDE_STATES_MAX };
    char names[IMAGES][LAYER_ARRAYS][NETWORK_NAME_MAX], prefix[STATE_PREFIX_MAX];
    Array array[IMAGES * LAYER_ARRAYS + OPTIMISER_ARRAYS_MAX + HOOK_ARRAYS_MAX];
    HookNames hook_names;
    int count = 0;
    Buffer json = {0};
    if (run->follows) {
        run->saved = run->state.iteration;
        return STATUS_OK;
    }
    for (int i = 0; i <= pde_engine_slots(s->engine); i++) {
        count += network_arrays(&s->network, state_prefix(i, prefix), run->images.at[i], names[i],
                                array + count);
    }
    images_forget(&run->images);
    count += optimiser_arrays(s, array + count);
    count += hooks_arrays(s, &hook_names, array + count);
    assert((size_t)count <= sizeof array / sizeof array[0]);
    Status status = run_json(run, s, config, &json, error);
    if (status == STATUS_OK)
        status = checkpoint_save(run->checkpoints, (uint64_t)run->state.iteration, json.data, array,
                                 (size_t)count,
                                 (CheckpointOptions){s->settings.keep, best, is_kept(run, s),
                                                     images_supply(&run->images)},
                                 error);
    images_forget(&run->images);
    buffer_free(&json);
    if (status == STATUS_OK)
        run->saved = run->state.iteration;
    return status;
}

Status run_restore(Run *run, Session *s, Error *error) {
    Checkpoint checkpoint;
    Buffer notes = {0};
    Status status = checkpoint_load_newest(run->checkpoints, &checkpoint, &notes, error);
    buffer_free(&notes);
    if (status != STATUS_OK)
        return status;
    status = load_into(run, s, &checkpoint, error);
    checkpoint_free(&checkpoint);
    return status;
}

Status run_fall_back(Run *run, Session *s, Error *error) {
    Checkpoint checkpoint;
    const RunState own = run->state;
    const int64_t saved = run->saved;
    Status status = checkpoint_load_kept(run->checkpoints, &checkpoint, error);
    if (status != STATUS_OK)
        return status;
    status = load_into(run, s, &checkpoint, error);
    checkpoint_free(&checkpoint);
    run->state = own;
    run->saved = saved;
    return status;
}

/* --------------------------------------------------------------------------------- the model */

/* {"d": 100, "T": 0.5}, and names as a list: what the file needs to be read without its module. */
static void describe_numbers(const Plan *plan, Buffer *out) {
    JsonWriter json = {.out = out};
    json_begin_object(&json);
    for (int i = 0; i < plan->dims; i++) {
        json_key(&json, plan->dim[i].name);
        json_put_integer(&json, plan->dim[i].value);
    }
    for (int i = 0; i < plan->params; i++) {
        json_key(&json, plan->param[i].name);
        json_put_number(&json, plan->param[i].value);
    }
    json_end_object(&json);
}

static void describe_inputs(const Plan *plan, Buffer *out) {
    for (int k = 0; k < plan->spaces; k++)
        buffer_printf(out, "%s%s[%lld]", k ? ", " : "", plan->space[k].name,
                      (long long)plan_extent(plan, plan->space[k].d));
    if (plan->time)
        buffer_printf(out, ", %s", plan->time);
    if (plan->has_features)
        buffer_text(out, "; the network sees features of them, which source states");
}

static void describe_fields(const Plan *plan, Buffer *out) {
    for (int f = 0; f < plan->fields; f++)
        buffer_printf(out, "%s%s", f ? ", " : "", plan->field[f].name);
}

Status run_write_model(Run *run, const Session *s, Error *error) {
    assert(run->images.engine == s->engine);
    char names[2 * PDE_MAX_LAYERS][NETWORK_NAME_MAX], path[RUN_PATH_MAX];
    char hex[DIGEST_HEX_SIZE + 1];
    Array array[2 * PDE_MAX_LAYERS + 1];
    Buffer scales = {0};
    if (run->follows)
        return STATUS_OK;
    int count = network_arrays(&s->network, "", images_get(&run->images, PDE_SLOT_PARAMETERS),
                               names, array);
    if (s->problem->plan.unknowns > 0)
        array[count++] =
            (Array){"unknowns", ARRAY_F64, 1, {(uint64_t)s->problem->plan.unknowns}, s->unknown};
    for (int o = 0; o < s->problem->outputs; o++) {
        buffer_text(&scales, o ? "," : "");
        buffer_number(&scales, s->output_scale[o]);
    }
    const Plan *plan = &s->problem->plan;
    Buffer fields = {0}, inputs = {0}, numbers = {0}, source = {0};
    Bytes written = {"", 0};
    describe_fields(plan, &fields);
    describe_inputs(plan, &inputs);
    describe_numbers(plan, &numbers);
    (void)module_section(&s->problem->module, ".pde.dbg", &written);
    buffer_bytes(&source, written.data, written.size);
    buffer_text(&source, "");
    const SafetensorsText text[] = {
        {"activation", pde_activation_name(s->settings.activation)},
        {"fields", fields.data},
        {"inputs", inputs.data},
        {"module", digest_hex(&s->problem->module.digest, hex)},
        {"network", "a = x W1 + b1, then activation and W, b for each further layer; no activation "
                    "after the last"},
        {"numbers", numbers.data},
        {"output_scale", scales.data},
        {"source", source.data},
        {"title", plan->title},
        {"version", "pderun " PDE_VERSION}};
    Status status = buffer_status(&scales, error);
    const Buffer *const made[] = {&fields, &inputs, &numbers, &source};
    for (size_t k = 0; k < 4 && status == STATUS_OK; k++)
        status = buffer_status(made[k], error);
    if (status == STATUS_OK)
        status = safetensors_write(run_path(run, "model.safetensors", path), array, (size_t)count,
                                   text, sizeof text / sizeof text[0], error);
    buffer_free(&fields);
    buffer_free(&inputs);
    buffer_free(&numbers);
    buffer_free(&source);
    buffer_free(&scales);
    images_forget(&run->images);
    return status;
}
