/* The messages of an ONNX model, written in the encoding of protocol buffers: fields, each its number and kind, then a
 * number in base 128, or a length and the bytes. */
#include "models/export/onnx_message.h"

#include <string.h>

static void put_varint(text_buffer *to, uint64_t x) {
    char bytes[10];
    size_t n = 0;
    for (; x >= 0x80; x >>= 7) bytes[n++] = (char)(x | 0x80);
    bytes[n++] = (char)x;
    text_add(to, bytes, n);
}

void onnx_number(text_buffer *to, unsigned field, uint64_t value) {
    put_varint(to, field << 3);
    put_varint(to, value);
}

void onnx_bytes(text_buffer *to, unsigned field, const void *bytes, size_t n) {
    put_varint(to, field << 3 | 2);
    put_varint(to, n);
    text_add(to, bytes, n);
}

void onnx_text(text_buffer *to, unsigned field, const char *text) { onnx_bytes(to, field, text, strlen(text)); }

void onnx_message(text_buffer *to, unsigned field, text_buffer *message) {
    if (message->failed) to->failed = 1;
    onnx_bytes(to, field, message->text, message->n);
    text_free(message);
}

void onnx_node(text_buffer *graph, const char *operator, const char * const inputs[3], const char *output,
               const char *attributes, const int64_t *values) {
    text_buffer node = {0};
    for (int i = 0; i < 3 && inputs[i]; i++) onnx_text(&node, 1, inputs[i]);
    onnx_text(&node, 2, output);
    onnx_text(&node, 4, operator);
    for (int i = 0; attributes && *attributes; i++) {
        const size_t n = strcspn(attributes, " ");
        text_buffer attribute = {0};
        const int is_list = attributes[n - 1] == '*';
        onnx_bytes(&attribute, 1, attributes, n - (size_t)is_list);
        onnx_number(&attribute, is_list ? 8 : 3, (uint64_t)values[i]);
        onnx_number(&attribute, 20, is_list ? 7 : 2); /* whole numbers, or one */
        onnx_message(&node, 5, &attribute);
        attributes += n + (attributes[n] == ' ');
    }
    onnx_message(graph, 1, &node);
}

void onnx_tensor(text_buffer *graph, const char *name, unsigned type, const size_t n[2], const void *data,
                 size_t bytes) {
    text_buffer tensor = {0};
    for (int i = 0; i < 2 && n[i]; i++) onnx_number(&tensor, 1, n[i]);
    onnx_number(&tensor, 2, type);
    onnx_text(&tensor, 8, name);
    onnx_bytes(&tensor, 9, data, bytes);
    onnx_message(graph, 5, &tensor);
}

void onnx_strings(text_buffer *graph, const char *name, const sluice_name *texts, size_t n) {
    text_buffer tensor = {0};
    onnx_number(&tensor, 1, n);
    onnx_number(&tensor, 2, ONNX_STRING);
    for (size_t i = 0; i < n; i++) onnx_bytes(&tensor, 6, texts[i].text, texts[i].n);
    onnx_text(&tensor, 8, name);
    onnx_message(graph, 5, &tensor);
}

/* A dimension: a number or, where that is 0, a name. */
static void put_dimension(text_buffer *shape, uint64_t n) {
    text_buffer dimension = {0};
    if (n)
        onnx_number(&dimension, 1, n);
    else
        onnx_text(&dimension, 2, "rows");
    onnx_message(shape, 1, &dimension);
}

void onnx_value(text_buffer *graph, unsigned field, const char *name, unsigned type, uint64_t columns) {
    text_buffer shape = {0}, tensor = {0}, kind = {0}, value = {0};
    put_dimension(&shape, 0);
    if (columns) put_dimension(&shape, columns);
    onnx_number(&tensor, 1, type);
    onnx_message(&tensor, 2, &shape);
    onnx_message(&kind, 1, &tensor);
    onnx_text(&value, 1, name);
    onnx_message(&value, 2, &kind);
    onnx_message(graph, field, &value);
}
