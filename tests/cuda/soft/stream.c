/* stream.c: streams, events, captured graphs. Work is done when it is asked for; a stream that
 * captures keeps it instead, and a graph does it each time it is launched. With PDE_SOFT_CUDA_LAZY a
 * stream keeps all work until somebody waits for it: what the host reads too early is then not there. */
#include "driver.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct Event {
    struct timespec time;
    int recorded;
    CUstream stream;
};

static struct {
    struct Stream *streams, null;
    int nevents, ngraphs;
} all;

int stream_known(CUstream s) {
    if (!s || s == (CUstream)1 || s == (CUstream)2) /* the default streams */
        return 1;
    for (struct Stream *k = all.streams; k; k = k->next)
        if (k == s)
            return 1;
    return 0;
}

static struct Stream *real(CUstream s) {
    return !s || s == (CUstream)1 || s == (CUstream)2 ? &all.null : s;
}

int soft_capturing(void) {
    for (struct Stream *k = all.streams; k; k = k->next)
        if (k->capturing && k->mode != 2)
            return 1;
    return 0;
}

int stream_objects_report(void) {
    int count = 0;
    for (struct Stream *k = all.streams; k; k = k->next, count++)
        finding(FOUND_LEAK, NULL, "a stream was not destroyed");
    if (all.nevents)
        finding(FOUND_LEAK, NULL, "%d events were not destroyed", all.nevents);
    if (all.ngraphs)
        finding(FOUND_LEAK, NULL, "%d graphs were not destroyed", all.ngraphs);
    return count + all.nevents + all.ngraphs;
}

static CUresult keep(struct Graph *g, SoftTask *task, const void *data, size_t size) {
    if (g->count == g->cap) {
        int cap = g->cap ? 2 * g->cap : 32;
        Task *larger = realloc(g->tasks, (size_t)cap * sizeof *larger);
        if (!larger)
            return CUDA_OUT_OF_MEMORY;
        g->tasks = larger;
        g->cap = cap;
    }
    void *copy = malloc(size);
    if (!copy)
        return CUDA_OUT_OF_MEMORY;
    memcpy(copy, data, size);
    g->tasks[g->count++] = (Task){task, copy};
    return CUDA_SUCCESS;
}

/* Does what a stream has kept; a task may wait for another stream and so come back here. */
static CUresult drain(struct Stream *s) {
    CUresult status = CUDA_SUCCESS;
    struct Graph work = s->pending;
    s->pending = (struct Graph){0};
    for (int k = 0; k < work.count; k++) {
        if (!status)
            status = (CUresult)work.tasks[k].run(work.tasks[k].data);
        free(work.tasks[k].data);
    }
    free(work.tasks);
    return status;
}

/* The default stream and the streams that are not made with the flag "non-blocking" wait for each
 * other. */
static CUresult drain_blocking(void) {
    CUresult status = drain(&all.null);
    for (struct Stream *k = all.streams; k && !status; k = k->next)
        if (!k->non_blocking)
            status = drain(k);
    return status;
}

CUresult soft_wait(int for_all) {
    CUresult status = drain_blocking();
    for (struct Stream *k = all.streams; k && !status && for_all; k = k->next)
        status = drain(k);
    return status;
}

CUresult soft_wait_stream(CUstream stream) {
    return stream_known(stream) ? drain(real(stream)) : CUDA_INVALID_HANDLE;
}

CUresult soft_submit(CUstream stream, SoftTask *task, const void *data, size_t size) {
    if (!stream_known(stream))
        return CUDA_INVALID_HANDLE;
    struct Stream *s = real(stream);
    if (s->capturing)
        return keep(s->graph, task, data, size);
    if (s == &all.null && soft_capturing())
        return CUDA_STREAM_CAPTURE_UNSUPPORTED;
    if (settings()->lazy) {
        CUresult before = s == &all.null    ? drain_blocking()
                          : s->non_blocking ? CUDA_SUCCESS
                                            : drain(&all.null);
        return before ? before : keep(&s->pending, task, data, size);
    }
    void *copy = malloc(size);
    if (!copy)
        return CUDA_OUT_OF_MEMORY;
    memcpy(copy, data, size);
    int status = task(copy);
    free(copy);
    return (CUresult)status;
}

int pdeSoftCudaSubmit(void *stream, SoftTask *task, const void *data, size_t size) {
    return (int)soft_submit(stream, task, data, size);
}

/* ---- streams ------------------------------------------------------------------------------------------*/
SOFT_API CUresult cuStreamCreate(CUstream *out, unsigned flags) {
    CALL("cuStreamCreate");
    struct Stream *s = calloc(1, sizeof *s);
    if (!s)
        return CUDA_OUT_OF_MEMORY;
    s->non_blocking = flags & 1;
    s->next = all.streams;
    all.streams = s;
    *out = s;
    return CUDA_SUCCESS;
}

static void free_graph(struct Graph *g) {
    for (int k = 0; k < g->count; k++)
        free(g->tasks[k].data);
    free(g->tasks);
    free(g);
}

SOFT_API CUresult cuStreamDestroy_v2(CUstream stream) {
    CUresult failed = soft_call("cuStreamDestroy");
    for (struct Stream **at = &all.streams; *at; at = &(*at)->next) {
        if (*at != stream)
            continue;
        CUresult status = drain(stream);
        failed = failed ? failed : status;
        *at = stream->next;
        if (stream->capturing)
            free_graph(stream->graph);
        free(stream);
        return failed;
    }
    return CUDA_INVALID_HANDLE;
}

static CUresult wait(const char *name, CUstream stream) {
    CALL(name);
    if (!stream_known(stream))
        return CUDA_INVALID_HANDLE;
    return real(stream)->capturing     ? CUDA_STREAM_CAPTURE_UNSUPPORTED
           : real(stream) == &all.null ? drain_blocking()
                                       : drain(stream);
}

SOFT_API CUresult cuStreamSynchronize(CUstream stream) {
    return wait("cuStreamSynchronize", stream);
}

SOFT_API CUresult cuStreamQuery(CUstream stream) {
    return wait("cuStreamQuery", stream);
}

static int wait_for_stream(void *data) {
    CUstream stream = *(CUstream *)data;
    return stream_known(stream) ? (int)drain(real(stream))
                                : 0; /* a stream that has ended has done all */
}

SOFT_API CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
    CALL("cuStreamWaitEvent");
    (void)flags;
    if (!stream_known(stream) || !event)
        return CUDA_INVALID_HANDLE;
    if (!settings()->lazy || !event->recorded || real(event->stream) == real(stream))
        return CUDA_SUCCESS;
    return soft_submit(stream, wait_for_stream, &event->stream, sizeof event->stream);
}

/* ---- capture ------------------------------------------------------------------------------------------*/
SOFT_API CUresult cuStreamBeginCapture_v2(CUstream stream, int mode) {
    CALL("cuStreamBeginCapture");
    if (!stream_known(stream) || real(stream) == &all.null)
        return CUDA_STREAM_CAPTURE_UNSUPPORTED;
    if (stream->capturing || mode < 0 || mode > 2)
        return CUDA_ILLEGAL_STATE;
    stream->graph = calloc(1, sizeof *stream->graph);
    if (!stream->graph)
        return CUDA_OUT_OF_MEMORY;
    stream->capturing = 1;
    stream->mode = mode;
    return CUDA_SUCCESS;
}

SOFT_API CUresult cuStreamIsCapturing(CUstream stream, int *status) {
    CALL("cuStreamIsCapturing");
    *status = real(stream)->capturing;
    return CUDA_SUCCESS;
}

SOFT_API CUresult cuStreamEndCapture(CUstream stream, CUgraph *out) {
    CUresult failed = soft_call("cuStreamEndCapture");
    *out = NULL;
    if (!stream_known(stream) || !real(stream)->capturing)
        return CUDA_ILLEGAL_STATE;
    stream->capturing = 0;
    if (failed || soft_state()) {
        free_graph(stream->graph);
        return failed ? failed : soft_state();
    }
    *out = stream->graph;
    (*out)->live = 1;
    all.ngraphs++;
    return CUDA_SUCCESS;
}

SOFT_API CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph graph,
                                              unsigned long long flags) {
    CALL("cuGraphInstantiate");
    (void)flags;
    if (!graph || !graph->live)
        return CUDA_INVALID_HANDLE;
    struct Graph *g = calloc(1, sizeof *g);
    if (!g)
        return CUDA_OUT_OF_MEMORY;
    *g = *graph;
    graph->tasks = NULL; /* moved: a graph is instantiated once here */
    graph->count = graph->cap = 0;
    g->live = 1;
    all.ngraphs++;
    *out = g;
    return CUDA_SUCCESS;
}

SOFT_API CUresult cuGraphInstantiate_v2(CUgraphExec *out, CUgraph graph, void **node, char *log,
                                        size_t room) {
    if (node)
        *node = NULL;
    if (log && room)
        *log = 0;
    return cuGraphInstantiateWithFlags(out, graph, 0);
}

static int run_graph(void *data) {
    struct Graph *g = *(struct Graph **)data;
    soft_counters.graph_launches++;
    for (int k = 0; k < g->count; k++) {
        int status = g->tasks[k].run(g->tasks[k].data);
        if (status)
            return status;
    }
    return 0;
}

SOFT_API CUresult cuGraphLaunch(CUgraphExec g, CUstream stream) {
    CALL("cuGraphLaunch");
    if (!g || !g->live)
        return CUDA_INVALID_HANDLE;
    return soft_submit(stream, run_graph, &g, sizeof g);
}

static CUresult destroy_graph(const char *name, struct Graph *g) {
    CUresult failed = soft_call(name);
    if (!g || !g->live)
        return CUDA_INVALID_HANDLE;
    CUresult status = soft_wait(1);
    all.ngraphs--;
    free_graph(g);
    return failed ? failed : status;
}

SOFT_API CUresult cuGraphDestroy(CUgraph g) {
    return destroy_graph("cuGraphDestroy", g);
}

SOFT_API CUresult cuGraphExecDestroy(CUgraphExec g) {
    return destroy_graph("cuGraphExecDestroy", g);
}

/* ---- events ---------------------------------------------------------------------------------------------*/
SOFT_API CUresult cuEventCreate(CUevent *out, unsigned flags) {
    CALL("cuEventCreate");
    (void)flags;
    *out = calloc(1, sizeof **out);
    all.nevents += *out != NULL;
    return *out ? CUDA_SUCCESS : CUDA_OUT_OF_MEMORY;
}

SOFT_API CUresult cuEventDestroy_v2(CUevent e) {
    CUresult failed = soft_call("cuEventDestroy");
    if (!e)
        return CUDA_INVALID_HANDLE;
    all.nevents--;
    free(e);
    return failed;
}

SOFT_API CUresult cuEventRecord(CUevent e, CUstream stream) {
    CALL("cuEventRecord");
    if (!e || !stream_known(stream))
        return CUDA_INVALID_HANDLE;
    clock_gettime(CLOCK_MONOTONIC, &e->time);
    e->recorded = 1;
    e->stream = stream;
    return CUDA_SUCCESS;
}

SOFT_API CUresult cuEventSynchronize(CUevent e) {
    CALL("cuEventSynchronize");
    return !e            ? CUDA_INVALID_HANDLE
           : e->recorded ? (CUresult)wait_for_stream(&e->stream)
                         : CUDA_SUCCESS;
}

SOFT_API CUresult cuEventQuery(CUevent e) {
    CALL("cuEventQuery");
    return !e            ? CUDA_INVALID_HANDLE
           : e->recorded ? (CUresult)wait_for_stream(&e->stream)
                         : CUDA_SUCCESS;
}

SOFT_API CUresult cuEventElapsedTime(float *milliseconds, CUevent a, CUevent b) {
    CALL("cuEventElapsedTime");
    if (!a || !b || !a->recorded || !b->recorded)
        return CUDA_INVALID_HANDLE;
    *milliseconds = (float)((double)(b->time.tv_sec - a->time.tv_sec) * 1e3 +
                            (double)(b->time.tv_nsec - a->time.tv_nsec) * 1e-6);
    return CUDA_SUCCESS;
}

SOFT_API CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent a, CUevent b) {
    return cuEventElapsedTime(milliseconds, a, b);
}
