/* ELF files: any bytes, whole and in two pieces. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "facts/elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_info info;
	uint64_t at = 0, len = 0;

	if (elf_read(data, size, &info, NULL) == 0 && strlen(info.cpu) >= sizeof(info.cpu))
		abort();
	(void)elf_tail(data, size, &at, &len);
	size_t half = size / 2;
	const struct elf_part parts[] = {{0, data, half}, {half, data + half, size - half}};
	(void)elf_read_parts(parts, 2, &info, NULL);
	return 0;
}
