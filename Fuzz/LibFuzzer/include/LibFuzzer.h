#pragma once
#include <stddef.h>
#include <stdint.h>

// The engine's own main, for programs that have one: the toolchain brings it without a header.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test_one_input)(const uint8_t *data, size_t size));
