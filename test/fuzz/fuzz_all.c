/* All readers at once, and the stream that cuts and joins for them. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_read(NULL, data, size);
	return 0;
}
