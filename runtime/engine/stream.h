/* stream.h: who draws which random numbers. A number is a function of (seed, stream, step, point,
 * coordinate), see rng.h; two uses with different streams are independent. */
#ifndef PDE_RUNTIME_ENGINE_STREAM_H
#define PDE_RUNTIME_ENGINE_STREAM_H

#include <stdint.h>

typedef enum StreamUse {                  /* 0: expectations, contract/draw.h */
                         STREAM_INIT = 1, /* initial parameters */
                         STREAM_SPACE,
                         STREAM_TIME,
                         STREAM_RADIUS,
                         STREAM_FACE, /* which part of the boundary */
                         STREAM_AUX,
                         STREAM_SET,       /* index sets I of the gradient */
                         STREAM_VALUE_SET, /* index sets J of the value */
                         STREAM_PROBE,
                         STREAM_ATTACK_SET, /* index sets of the attack */
                         STREAM_SELFTEST,
                         STREAM_WALK, /* paths of error bars; sub: the step, task: which numbers */
                         STREAM_LATTICE, /* shifts */
                         STREAM_RESAMPLE
} StreamUse;

typedef enum StreamRole { ROLE_TRAIN, ROLE_TEST } StreamRole;

/* Steps of training count from 0; these lie where no run comes to. */
#define STEP_PILOT UINT32_MAX                   /* and some below it */
#define STEP_HELD_OUT (UINT32_MAX - 0x10000000) /* and some below it */

/* sub: a family and part, an auxiliary, a layer: below 65536; task: below 256 */
static inline uint32_t stream_of(StreamUse use, StreamRole role, int task, int sub) {
    return (uint32_t)use | (uint32_t)role << 5 | (uint32_t)task << 8 | (uint32_t)sub << 16;
}

#endif
