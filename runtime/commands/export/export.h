/* export.h: a trained model for other programs. */
#ifndef PDE_RUNTIME_COMMANDS_EXPORT_EXPORT_H
#define PDE_RUNTIME_COMMANDS_EXPORT_EXPORT_H

#include "step/session.h"

typedef struct ExportModel {
    const Session *session; /* in double */
    const double *theta;    /* for each layer W[in][out], then b[out] */
    const double *scale;    /* [outputs] */
    const char
        *arrays;     /* what --emit=arrays prints with the run's dims and params; NULL: not known */
    const char *out; /* the file to write */
} ExportModel;

/* Each writes model->out; Python's numbers go into a file of the same name that ends in .npz. */
Status export_c(const ExportModel *model, Error *error);
Status export_torch(const ExportModel *model, Error *error);
Status export_jax(const ExportModel *model, Error *error);
Status export_onnx(const ExportModel *model, Error *error);

#endif
