/* The messages of an ONNX model (onnx.proto3), written in the encoding of protocol buffers. */
#ifndef CLI_ONNX_MESSAGE_H
#define CLI_ONNX_MESSAGE_H

#include "http/text_buffer.h"
#include "sluice.h"

/* Types of tensor elements, as TensorProto numbers them. */
enum { ONNX_FLOAT = 1, ONNX_INT64 = 7, ONNX_STRING = 8, ONNX_DOUBLE = 11 };

/* A field: a number, or bytes (a text, or a message within the message). */
void onnx_number(text_buffer *to, unsigned field, uint64_t value);
void onnx_bytes(text_buffer *to, unsigned field, const void *bytes, size_t n);
void onnx_text(text_buffer *to, unsigned field, const char *text);
/* A field that is a message, which is then freed. */
void onnx_message(text_buffer *to, unsigned field, text_buffer *message);

/* A node of the graph with up to three inputs, NULL for those that it does not have. `attributes` NULL: it has none;
 * else the names of whole numbers, a blank apart, whose values are `values`; one that ends with * is a list of one
 * number. */
void onnx_node(text_buffer *graph, const char *operator, const char * const inputs[3], const char *output,
               const char *attributes, const int64_t *values);
/* A constant tensor of one or two dimensions (n[1] 0: one), little-endian. */
void onnx_tensor(text_buffer *graph, const char *name, unsigned type, const size_t n[2], const void *data,
                 size_t bytes);
void onnx_strings(text_buffer *graph, const char *name, const sluice_name *texts, size_t n);
/* An input (field 11) or output (12): as many rows as there are, of `columns` (0: the rows are numbers). */
void onnx_value(text_buffer *graph, unsigned field, const char *name, unsigned type, uint64_t columns);

#endif
