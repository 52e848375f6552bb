/*
 * elf: what an ELF file says of itself: machine, Debian's name of the
 * architecture, interpreter, float ABI. Pure: bytes in; nothing is trusted, a
 * truncated or hostile file is an error or leaves things unknown.
 *
 * The bytes may be the file's beginning alone (ELF_HEAD is enough for every
 * program seen); what lies behind them is treated as missing.
 * Sources: the gABI's chapters 4 and 5; the ABI supplements of Arm (IHI 0044,
 * section "ELF header"), RISC-V and LoongArch for e_flags; for attributes Arm's
 * "Addenda to, and Errata in, the ABI" (IHI 0045), the MIPS psABI's .MIPS.abiflags,
 * GNU's object attributes, the x86-64 psABI's GNU properties.
 */
#ifndef LAMPDUEL_FACTS_ELF_H
#define LAMPDUEL_FACTS_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { ELF_HEAD = 65536, ELF_INTERP_MAX = 256, ELF_CPU_MAX = 96 };

enum elf_float {
	ELF_FLOAT_UNKNOWN, /* the machine or the file does not say */
	ELF_FLOAT_SOFT,
	ELF_FLOAT_HARD,
};

struct elf_info {
	int bits; /* 32 or 64 */
	bool big_endian;
	uint16_t type; /* ET_EXEC, ET_DYN, ... */
	uint16_t machine;
	uint32_t flags;
	const char *arch;      /* Debian's name, static; NULL when it has none */
	char machine_name[24]; /* "ARM", "x86-64"; "machine 999" */
	bool has_interp;       /* interp is set */
	char interp[ELF_INTERP_MAX];
	bool is_dynamic; /* has a PT_DYNAMIC segment */
	/*
	 * A program that needs no file beside it: no interpreter, and either an executable
	 * or position independent without being a library as far as its entry point says.
	 */
	bool is_static;
	enum elf_float float_abi;
	const char *float_origin;    /* "e_flags" or "interpreter", static; "" while unknown */
	enum elf_float interp_float; /* what the interpreter's name alone says */
	enum elf_float attr_float;   /* what attributes within the file say */
	bool float_conflict;         /* these do not agree with each other */
	bool nan2008;                /* MIPS: IEEE 754-2008's NaN */
	/*
	 * The least CPU the file says it was made for, "ARMv7-A, VFPv3-D16, Thumb-2",
	 * "MIPS32r2", "rv64gc"; empty where the format does not say (amd64, arm64).
	 */
	char cpu[ELF_CPU_MAX];
};

/* Is this the beginning of an ELF file at all? */
bool elf_is(const void *data, size_t len);
/* A piece of a file: len bytes from offset at. */
struct elf_part {
	uint64_t at;
	const void *data;
	size_t len;
};

/* 0, or negative when it is none or cut short before its program headers end. */
int elf_read(const void *data, size_t len, struct elf_info *out, struct err *err);
/* The same for a file of which some pieces are known, the beginning among them. */
int elf_read_parts(const struct elf_part *parts, size_t n, struct elf_info *out, struct err *err);
/*
 * Where in the file its section headers and the attributes before them lie, from its beginning;
 * false when it has none.
 */
bool elf_tail(const void *data, size_t len, uint64_t *at, uint64_t *size);
const char *elf_float_name(enum elf_float f); /* "soft" "hard" "unknown" */

/*
 * The start of an ELF header as a program of Debian's arch has it, for comparing with
 * binfmt_misc's magic: out gets ELF_SAMPLE bytes. false: not known here.
 */
enum { ELF_SAMPLE = 64 };
bool elf_sample_header(const char *arch, bool position_independent, unsigned char out[ELF_SAMPLE]);

#endif
