/* domain.h: the operations of a domain on a device: one row for each row of domain.def. */
#ifndef PDE_RUNTIME_CUDA_STEP_DOMAIN_H
#define PDE_RUNTIME_CUDA_STEP_DOMAIN_H

#include "cuda/step/device_session.h"

typedef struct DeviceDomain {
    void (*inside)(CudaTask *t);   /* NULL: the problem gives a law */
    void (*boundary)(CudaTask *t); /* x and the normals; NULL: there is none */
    void (*project)(CudaTask *t);  /* points that an attack has moved come back */
} DeviceDomain;

const DeviceDomain *cuda_domain(const CudaTask *t);

/* Standard normals, or uniform numbers, into the rows of x (points.c). */
void cuda_points_numbers(CudaTask *t, bool normal);
uint32_t cuda_points_stream(const CudaTask *t, StreamUse use);

#endif
