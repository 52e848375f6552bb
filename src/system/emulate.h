/*
 * emulate: can this machine run programs of an architecture, by itself or by
 * an emulator, and by which? Emulated must never pass for native: an enabled
 * binfmt_misc entry whose magic fits goes before the CPU's own ability, and
 * where a sample program of the installation is at hand, the kernel is asked
 * what it would really run.
 *
 * An emulated program is always started as PROGRAM [-cpu MODEL] PATH ARGS,
 * binfmt_misc or not: PROGRAM needs no file beside it, so that it runs with any
 * installation as its root folder.
 */
#ifndef LAMPDUEL_SYSTEM_EMULATE_H
#define LAMPDUEL_SYSTEM_EMULATE_H

#include <stdbool.h>

#include "base/err.h"

struct emulation {
	bool emulated;
	char *reason; /* one line: why it is native or not; printable */
	/* When emulated only: */
	char *program; /* the emulator's path on this machine; static */
	char *name;    /* "qemu-arm" */
	char *version; /* "7.2.22"; "" when it does not say */
	char *cpu;     /* for -cpu; NULL: the emulator's own choice */
};

/* What decides; emulate_host_init() looks at this machine, tests make their own. */
struct emulate_host {
	char machine[66];       /* uname -m */
	bool compat32;          /* personality(PER_LINUX32) is accepted */
	const char *binfmt_dir; /* /proc/sys/fs/binfmt_misc */
	const char *folders;    /* where emulators are looked for; NULL: PATH and the usual ones */
	const char *os_release; /* /etc/os-release, to name the right package */
};

void emulate_host_init(struct emulate_host *h);

/*
 * How programs of arch (Debian's name) run here. sample: an ELF file of that arch that needs no
 * interpreter (the dynamic loader is one), or NULL. cpu: the model asked for or NULL; with a
 * native system it is an error, as is one that the emulator does not know.
 */
int emulate_find(const struct emulate_host *h, const char *arch, const char *sample,
		 const char *cpu, struct emulation *e, struct err *err);
void emulation_release(struct emulation *e);
/* "qemu-arm 7.2.22, -cpu cortex-a7"; NULL when native. New string. */
char *emulation_text(const struct emulation *e);

/* Does the CPU with its kernel run arch, going by uname and personality alone? */
bool emulate_cpu_runs(const struct emulate_host *h, const char *arch);
/* The interpreter of the enabled binfmt_misc entry that fits arch, or NULL. New string. */
char *emulate_binfmt(const struct emulate_host *h, const char *arch);
/* Debian's package with the emulators, by this machine's release. Static. */
const char *emulate_package(const struct emulate_host *h);
/* QEMU's name of arch ("arm" for armhf), or NULL. Static. */
const char *emulate_qemu_name(const char *arch);

enum emulate_answer {
	EMULATE_NATIVE,  /* the program itself was loaded */
	EMULATE_OTHER,   /* another program was loaded for it: an interpreter */
	EMULATE_REFUSED, /* the kernel does not run it */
	EMULATE_UNKNOWN, /* the kernel would not let us look */
};

/* Loads path up to its first instruction, looks at what was loaded, and kills it. other: the
 * interpreter's path when there is one (new string), else NULL. */
enum emulate_answer emulate_ask_kernel(const char *path, char **other);

#endif
