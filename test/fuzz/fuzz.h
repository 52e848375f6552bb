/*
 * fuzz: what the harnesses share. A text is read in pieces of a size that the input chooses, and
 * all that comes out is checked, whatever came in.
 */
#ifndef LAMPDUEL_TEST_FUZZ_H
#define LAMPDUEL_TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "parse/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads data with one reader, NULL: with all. Aborts when a value breaks its contract. */
void fuzz_read(const struct reader *only, const uint8_t *data, size_t size);

#endif
