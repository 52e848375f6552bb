/*
 * rooted: what the kinds of system with a root folder share: the architecture
 * of the programs in it, native or emulated, the facts that follow, the sandbox.
 */
#ifndef LAMPDUEL_SYSTEM_ROOTED_H
#define LAMPDUEL_SYSTEM_ROOTED_H

#include "base/err.h"
#include "facts/elf.h"
#include "system/system.h"

struct rooted {
	char *arch;    /* Debian's name */
	char *program; /* inside: the one that was looked at */
	enum elf_float float_abi;
	bool users_own; /* set by the kind: nothing may be written into it, not even for a moment */
	char *sample; /* on this machine: an ELF file of it that needs no interpreter; NULL: none */
};

/* Looks at the programs in root until one tells. */
int rooted_look(const char *root, struct rooted *r, struct err *err);
void rooted_release(struct rooted *r);

/*
 * Sets the facts "arch", "abi.float", "cpu.emulated", "cpu.emulator" and "kernel.shared", and opens
 * the sandbox.
 * kind_release(kind_data) is called at close, also when this fails; both may be NULL.
 */
int rooted_open(struct system *s, const struct system_options *o, const char *root,
		const struct rooted *r, void *kind_data, void (*kind_release)(void *kind_data),
		struct err *err);

#endif
