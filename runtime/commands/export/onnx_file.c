/* onnx_file.c: see onnx_file.h. The numbers of fields are those of onnx.proto3. */
#include "commands/export/onnx_file.h"

#include <stdio.h>
#include <string.h>

enum { VARINT = 0, LENGTH = 2 }; /* kinds of a field */
enum { IR_VERSION = 8, OPSET = 17 };
enum { ATTRIBUTE_INT = 2, ATTRIBUTE_INTS = 7 };

static void put_varint(Buffer *out, uint64_t v) {
    while (v >= 0x80) {
        buffer_bytes(out, &(unsigned char){(unsigned char)(v | 0x80)}, 1);
        v >>= 7;
    }
    buffer_bytes(out, &(unsigned char){(unsigned char)v}, 1);
}

static void put_integer(Buffer *out, int field, int64_t v) {
    put_varint(out, (uint64_t)field << 3 | VARINT);
    put_varint(out, (uint64_t)v);
}

static void put_bytes(Buffer *out, int field, const void *data, size_t size) {
    put_varint(out, (uint64_t)field << 3 | LENGTH);
    put_varint(out, size);
    buffer_bytes(out, data, size);
}

static void put_text(Buffer *out, int field, const char *text) {
    put_bytes(out, field, text, strlen(text));
}

/* The message inside, which is freed. */
static void put_message(Buffer *out, int field, Buffer *inside) {
    put_bytes(out, field, inside->data ? inside->data : "", inside->size);
    out->failed |= inside->failed;
    buffer_free(inside);
}

OnnxName onnx_name(const char *text) {
    OnnxName name;
    snprintf(name.text, sizeof name.text, "%s", text);
    return name;
}

static OnnxName fresh(OnnxGraph *g) {
    OnnxName name;
    snprintf(name.text, sizeof name.text, "value.%lld", (long long)g->values++);
    return name;
}

static void put_node(OnnxGraph *g, const OnnxNode *node, const char *output) {
    Buffer message = {0};
    for (int k = 0; k < node->inputs; k++)
        put_text(&message, 1, node->input[k].text);
    put_text(&message, 2, output);
    put_text(&message, 4, node->op);
    if (node->attribute) {
        const bool list = strcmp(node->attribute, "axes") == 0;
        Buffer attribute = {0};
        put_text(&attribute, 1, node->attribute);
        put_integer(&attribute, list ? 8 : 3, node->integer);
        put_integer(&attribute, 20, list ? ATTRIBUTE_INTS : ATTRIBUTE_INT);
        put_message(&message, 5, &attribute);
    }
    put_message(&g->nodes, 1, &message);
}

OnnxName onnx_node(OnnxGraph *g, const OnnxNode *node) {
    const OnnxName name = fresh(g);
    put_node(g, node, name.text);
    return name;
}

void onnx_output(OnnxGraph *g, const OnnxName *value, const char *name) {
    put_node(g, &(OnnxNode){.op = "Identity", .inputs = 1, .input = {*value}}, name);
}

static OnnxName initialiser(OnnxGraph *g, int type, int rank, const int64_t *shape,
                            const void *data) {
    const OnnxName name = fresh(g);
    Buffer message = {0};
    size_t count = 1;
    for (int k = 0; k < rank; k++) {
        put_integer(&message, 1, shape[k]);
        count *= (size_t)shape[k];
    }
    put_integer(&message, 2, type);
    put_text(&message, 8, name.text);
    put_bytes(&message, 9, data, count * 8); /* both types have eight bytes, little-endian */
    put_message(&g->initialisers, 5, &message);
    return name;
}

OnnxName onnx_doubles(OnnxGraph *g, int rank, const int64_t *shape, const double *value) {
    return initialiser(g, ONNX_DOUBLE, rank, shape, value);
}

OnnxName onnx_integers(OnnxGraph *g, int rank, const int64_t *shape, const int64_t *value) {
    return initialiser(g, ONNX_INT64, rank, shape, value);
}

/* An array of doubles: [N, columns], or [N] for columns 0. */
static void put_value_info(Buffer *graph, int field, const char *name, int64_t columns) {
    Buffer rows = {0}, width = {0}, shape = {0}, tensor = {0}, type = {0}, info = {0};
    put_text(&rows, 2, "N");
    put_message(&shape, 1, &rows);
    if (columns > 0) {
        put_integer(&width, 1, columns);
        put_message(&shape, 1, &width);
    }
    put_integer(&tensor, 1, ONNX_DOUBLE);
    put_message(&tensor, 2, &shape);
    put_message(&type, 1, &tensor);
    put_text(&info, 1, name);
    put_message(&info, 2, &type);
    put_message(graph, field, &info);
}

void onnx_finish(OnnxGraph *g, const OnnxEnds *ends, Buffer *file) {
    Buffer graph = {0}, opset = {0};
    buffer_bytes(&graph, g->nodes.data ? g->nodes.data : "", g->nodes.size);
    put_text(&graph, 2, "solution");
    buffer_bytes(&graph, g->initialisers.data ? g->initialisers.data : "", g->initialisers.size);
    put_value_info(&graph, 11, "x", ends->point);
    for (int k = 0; k < ends->outputs; k++)
        put_value_info(&graph, 12, ends->output[k], 0);
    graph.failed |= g->nodes.failed || g->initialisers.failed;
    put_integer(file, 1, IR_VERSION);
    put_text(file, 2, ends->producer);
    put_text(file, 3, ends->version);
    put_message(file, 7, &graph);
    put_integer(&opset, 2, OPSET);
    put_message(file, 8, &opset);
    buffer_free(&g->nodes);
    buffer_free(&g->initialisers);
}
