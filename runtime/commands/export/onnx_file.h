/* onnx_file.h: writes the messages of ONNX (onnx.proto3), which are protocol buffers: fields of a number and a kind, and
 * messages inside of messages by their length. Only what a model of plain arrays needs. */
#ifndef PDE_RUNTIME_COMMANDS_EXPORT_ONNX_FILE_H
#define PDE_RUNTIME_COMMANDS_EXPORT_ONNX_FILE_H

#include "files/buffer.h"

#include <stdint.h>

/* Elements, as TensorProto.DataType numbers them. */
enum { ONNX_FLOAT = 1, ONNX_INT64 = 7, ONNX_DOUBLE = 11 };

/* owner of the buffers, until onnx_finish. */
typedef struct OnnxGraph {
    Buffer nodes, initialisers; /* fields of a GraphProto */
    int64_t values;             /* names given so far: value.0, value.1, ... */
} OnnxGraph;

enum { ONNX_NAME_MAX = 64 };
typedef struct OnnxName {
    char text[ONNX_NAME_MAX];
} OnnxName;

/* An operation on values that are there; an empty name leaves an optional input out. attribute NULL: none; its value
 * is `integer`, or, of the name "axes", a list of this one. */
typedef struct OnnxNode {
    const char *op, *attribute;
    int64_t integer;
    int inputs;
    OnnxName input[3];
} OnnxNode;
OnnxName onnx_node(OnnxGraph *graph, const OnnxNode *node);
/* Its value under a name of the caller's. */
void onnx_output(OnnxGraph *graph, const OnnxName *value, const char *name);
OnnxName onnx_name(const char *text);

/* Constants: rank 0 is a single number. */
OnnxName onnx_doubles(OnnxGraph *graph, int rank, const int64_t *shape, const double *value);
OnnxName onnx_integers(OnnxGraph *graph, int rank, const int64_t *shape, const int64_t *value);

/* The whole file: input x [N, point], outputs [N] of these names. Frees the graph. */
typedef struct OnnxEnds {
    const char *producer, *version;
    int64_t point;
    int outputs;
    const char *const *output;
} OnnxEnds;
void onnx_finish(OnnxGraph *graph, const OnnxEnds *ends, Buffer *file);

#endif
