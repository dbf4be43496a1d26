/* Fuzz target: any bytes as a model file. As checksums would stop a fuzzer at the door, it mutates with knowledge of
 * the format, and makes the checksums right where it changed bytes. */
#include "fuzz/model_judge.h"
#include "fuzz/model_mutator.h"
#include "fuzz/repair.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

#ifdef FUZZER /* the program has LLVMFuzzerMutate() */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed) {
    if (seed % 4) return mutate_model(data, size, room, seed);
    size = LLVMFuzzerMutate(data, size, room);
    repair(data, size);
    return size;
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size) return 0;
    uint8_t *bytes = malloc(size);
    if (!bytes) abort();
    memcpy(bytes, data, size);
    if (data[size - 1] % 2 == 0) repair(bytes, size);
    judge_model(bytes, size);
    free(bytes);
    return 0;
}
