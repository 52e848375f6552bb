/* internal: what the files that read ELF share. Nothing outside src/facts includes this. */
#ifndef LAMPDUEL_FACTS_INTERNAL_H
#define LAMPDUEL_FACTS_INTERNAL_H

#include "facts/elf.h"

/* A file's bytes, as far as they are known, with its own byte order. */
struct elf_view {
	const struct elf_part *parts;
	size_t n;
	bool big;
};

/* Are these bytes of the file known? One part must hold all of them. NULL: no. */
const unsigned char *elf_bytes(const struct elf_view *v, uint64_t at, uint64_t size);
/* A number of size bytes at p, which callers have got from elf_bytes(). */
uint64_t elf_number(const struct elf_view *v, const unsigned char *p, size_t size);

/* Where headers of one kind are, how long each is, and how many. */
struct elf_table {
	uint64_t at, entry, count;
};
/* As the ELF header says, which is there as a whole: the sections', else the segments'. */
struct elf_table elf_table_of(const struct elf_view *v, const unsigned char *head, bool wide,
			      bool sections);

/* Fills cpu, attr_float and nan2008 of e; wide is 64 bits. */
void elf_read_attributes(const struct elf_view *v, struct elf_info *e);

#endif
