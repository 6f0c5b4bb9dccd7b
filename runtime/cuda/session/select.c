#include "cuda/session/select.h"

#include "cuda/device/device.h"
#include "cuda/device/driver.h"
#include "cuda/device/module_kernels.h"
#include "cuda/step/device_session.h"
#include "cuda/tensor/device_tensor.h"

#include <string.h>

Status cuda_factors(const Config *config, Factors *factors, Error *error) {
    bool tf32 = config_flag(config, OPTION_TF32), bf16 = config_flag(config, OPTION_BF16);
    *factors = bf16 ? FACTORS_bf16 : tf32 ? FACTORS_tf32 : FACTORS_full;
    return tf32 && bf16 ? error_set(error, STATUS_OPTION_CONFLICT,
                                    "--tf32 and --bf16 are two formats of the same products: "
                                    "choose one")
                        : STATUS_OK;
}

/* A device that takes the steps: of a session, or of a tensor network. */
typedef Status OpenOn(void *context, Backend *backend, Error *error);

static Status open_device(const Problem *problem, PdeActivation activation, const Config *config,
                          int ordinal, OpenOn *open, void *context, Error *error) {
    Backend *backend = NULL;
    DriverConfig driver = {
        .ordinal = ordinal, .problem = problem, .activation = activation, .cache = config->cache};
    Status status = cuda_factors(config, &driver.factors, error);
    if (status == STATUS_OK)
        status = driver_open(&driver, &backend, error);
    return status == STATUS_OK ? open(context, backend, error) : status;
}

/* possible: STATUS_OK, or why the device cannot take these steps. */
static Status select(const Problem *problem, PdeActivation activation, const Config *config,
                     Status possible, Error *reason, OpenOn *open, void *context, Buffer *note,
                     Error *error) {
    const char *option = config_text(config, OPTION_DEVICE);
    bool automatic = strcmp(option, "auto") == 0;
    CudaApi api = {0};
    int ordinal = CUDA_NO_DEVICE;
    Error absent = {0};
    bool has_ptx =
        cuda_kernels_have_ptx(&problem->module, problem->precision == PDE_F64, CUDA_ANY_ARCH);
    Status status = cuda_device_resolve(&api, option, has_ptx, &ordinal, &absent);
    cuda_close(&api);
    if (status != STATUS_OK)
        *reason = absent;
    else if (ordinal == CUDA_NO_DEVICE)
        return STATUS_OK;
    else
        status = possible;
    if (status == STATUS_OK)
        status = open_device(problem, activation, config, ordinal, open, context, reason);
    if (status == STATUS_OK)
        return STATUS_OK;
    if (!automatic)
        return error_set(error, status, "%s", reason->message);
    buffer_printf(note, "cuda:%d is not used: %s", ordinal, reason->message);
    return STATUS_OK;
}

typedef struct SessionPlace {
    Session *session;
    Stepper *stepper;
} SessionPlace;

static Status open_session(void *context, Backend *backend, Error *error) {
    const SessionPlace *place = context;
    CudaSession *device = NULL;
    Status status = cuda_session_open(place->session, backend, &device, error);
    if (status == STATUS_OK)
        *place->stepper = cuda_stepper(device);
    return status;
}

Status cuda_select(Session *s, const Config *config, Stepper *stepper, Buffer *note, Error *error) {
    SessionPlace place = {s, stepper};
    *stepper = session_stepper(s);
    Error reason = {0};
    Status possible = STATUS_OK;
    if (s->problem->spaces > 1)
        possible = error_set(&reason, STATUS_OPTION_CONFLICT,
                             "a device draws the points of one coordinate vector, and the problem "
                             "has %d: leave --device out",
                             s->problem->spaces);
    if (s->settings.resample > 1)
        possible = error_set(&reason, STATUS_OPTION_CONFLICT,
                             "a device takes points as they are drawn: leave --resample out");
    if (s->settings.lattice)
        possible = error_set(&reason, STATUS_OPTION_CONFLICT,
                             "a device draws random points: leave --sampling lattice out");
    if (s->problem->plan.sets)
        possible = error_set(&reason, STATUS_OPTION_CONFLICT,
                             "a device has one network whose units serve all fields, and this "
                             "problem has fields of fewer variables: leave --device out");
    if (s->problem->plan.inside)
        possible = error_set(&reason, STATUS_OPTION_CONFLICT,
                             "a device draws points in whole domains, and this one has `where`: "
                             "leave --device out");
    for (int t = 0; t < s->problem->plan.tasks; t++)
        if (s->problem->plan.task[t].kind == PLAN_observe)
            possible = error_set(&reason, STATUS_OPTION_CONFLICT,
                                 "a device draws points by a law, and '%s' has its own: leave "
                                 "--device out",
                                 s->problem->plan.task[t].name);
        else if (s->problem->plan.task[t].kind == PLAN_constraint)
            possible = error_set(&reason, STATUS_OPTION_CONFLICT,
                                 "a device does not take the mean over points that '%s' asks for: "
                                 "leave --device out",
                                 s->problem->plan.task[t].name);
        else if (s->problem->plan.task[t].kind == PLAN_norm)
            possible = error_set(&reason, STATUS_OPTION_CONFLICT,
                                 "a device does not take the mean over points that `normalise` "
                                 "asks for: leave --device out");
        else if (s->problem->plan.task[t].faces)
            possible = error_set(&reason, STATUS_OPTION_CONFLICT,
                                 "a device draws points on the whole boundary, and '%s' holds on a "
                                 "part of it: leave --device out",
                                 s->problem->plan.task[t].name);
    if (pde_optim_has(s->settings.optimiser.kind, PDE_JACOBIAN) &&
        (config_flag(config, OPTION_TF32) || config_flag(config, OPTION_BF16)))
        possible = error_set(&reason, STATUS_OPTION_CONFLICT,
                             "--tf32 and --bf16 leave three digits or less of the products that "
                             "--optimiser natural solves with: leave them out");
    if (pde_optim_has(s->settings.optimiser.kind, PDE_JACOBIAN) &&
        s->settings.natural_space == NATURAL_SPACE_PARAMETERS)
        possible = error_set(&reason, STATUS_OPTION_CONFLICT,
                             "a device solves a step of natural gradient among the rows: leave "
                             "--natural-space parameters out");
    return select(s->problem, s->settings.activation, config, possible, &reason, open_session,
                  &place, note, error);
}

typedef struct TensorPlace {
    TnnModule *m;
    CudaTensor *device;
} TensorPlace;

static Status open_tensor(void *context, Backend *backend, Error *error) {
    TensorPlace *place = context;
    Status status = cuda_tensor_open(place->m, backend, &place->device, error);
    if (status == STATUS_OK)
        status = cuda_tensor_push(place->device, error);
    if (status != STATUS_OK) {
        cuda_tensor_close(place->device);
        place->device = NULL;
    }
    return status;
}

Status cuda_tensor_select(TnnModule *m, const Config *config, CudaTensor **device, Buffer *note,
                          Error *error) {
    Error reason = {0};
    TensorPlace place = {m, NULL};
    Status status = select(&m->problem, m->config.activation, config, STATUS_OK, &reason,
                           open_tensor, &place, note, error);
    *device = place.device;
    return status;
}
