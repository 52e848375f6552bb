#include "facts/elf.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "facts/internal.h"

const unsigned char *elf_bytes(const struct elf_view *v, uint64_t at, uint64_t size)
{
	for (size_t i = 0; i < v->n; i++) {
		const struct elf_part *p = &v->parts[i];

		if (at >= p->at && at - p->at <= p->len && size <= p->len - (at - p->at))
			return (const unsigned char *)p->data + (at - p->at);
	}
	return NULL;
}

uint64_t elf_number(const struct elf_view *v, const unsigned char *p, size_t size)
{
	uint64_t n = 0;

	for (size_t i = 0; i < size; i++)
		n = n << 8 | p[v->big ? i : size - 1 - i];
	return n;
}

/* One row for each pair of machine and form that has a name in Debian. */
static const struct {
	const char *arch;
	uint16_t machine;
	unsigned char bits;
	bool big;
	uint32_t flags; /* of a sample header; for ARM the float ABI is told apart by them */
} arches[] = {
	{"amd64", EM_X86_64, 64, false, 0},
	{"i386", EM_386, 32, false, 0},
	{"arm64", EM_AARCH64, 64, false, 0},
	{"armhf", EM_ARM, 32, false, EF_ARM_EABI_VER5 | EF_ARM_ABI_FLOAT_HARD},
	{"armel", EM_ARM, 32, false, EF_ARM_EABI_VER5 | EF_ARM_ABI_FLOAT_SOFT},
	{"armeb", EM_ARM, 32, true, EF_ARM_EABI_VER5},
	{"x32", EM_X86_64, 32, false, 0},
	{"riscv64", EM_RISCV, 64, false, EF_RISCV_RVC | EF_RISCV_FLOAT_ABI_DOUBLE},
	{"loong64", EM_LOONGARCH, 64, false, 0x43},
	{"ppc64el", EM_PPC64, 64, false, 2},
	{"ppc64", EM_PPC64, 64, true, 1},
	{"powerpc", EM_PPC, 32, true, 0},
	{"s390x", EM_S390, 64, true, 0},
	{"s390", EM_S390, 32, true, 0},
	{"mips64el", EM_MIPS, 64, false, 0x80000007},
	{"mips64", EM_MIPS, 64, true, 0x80000007},
	{"mipsel", EM_MIPS, 32, false, 0x70001007},
	{"mips", EM_MIPS, 32, true, 0x70001007},
	{"sparc64", EM_SPARCV9, 64, true, 0},
	{"sparc", EM_SPARC, 32, true, 0},
	{"alpha", EM_ALPHA, 64, false, 0},
	{"hppa", EM_PARISC, 32, true, 0x210},
	{"m68k", EM_68K, 32, true, 0},
	{"sh4", EM_SH, 32, false, 9},
	{"ia64", EM_IA_64, 64, false, 0},
};

enum { N_ARCHES = sizeof(arches) / sizeof(arches[0]) };

static const struct {
	uint16_t machine;
	const char *name;
} machine_names[] = {
	{EM_386, "Intel 80386"}, {EM_X86_64, "x86-64"},   {EM_ARM, "ARM"},
	{EM_AARCH64, "AArch64"}, {EM_RISCV, "RISC-V"},    {EM_LOONGARCH, "LoongArch"},
	{EM_PPC, "PowerPC"},     {EM_PPC64, "PowerPC64"}, {EM_S390, "S/390"},
	{EM_MIPS, "MIPS"},       {EM_SPARC, "SPARC"},     {EM_SPARCV9, "SPARC64"},
	{EM_ALPHA, "Alpha"},     {EM_PARISC, "PA-RISC"},  {EM_68K, "m68k"},
	{EM_SH, "SuperH"},       {EM_IA_64, "IA-64"},
};

static void name_machine(struct elf_info *e)
{
	for (size_t i = 0; i < sizeof(machine_names) / sizeof(machine_names[0]); i++) {
		if (machine_names[i].machine == e->machine) {
			(void)snprintf(e->machine_name, sizeof(e->machine_name), "%s",
				       machine_names[i].name);
			return;
		}
	}
	(void)snprintf(e->machine_name, sizeof(e->machine_name), "machine %u",
		       (unsigned)e->machine);
}

static void name_arch(struct elf_info *e)
{
	for (size_t i = 0; i < N_ARCHES; i++) {
		if (arches[i].machine != e->machine || arches[i].bits != e->bits ||
		    arches[i].big != e->big_endian)
			continue;
		if (e->machine == EM_ARM && !e->big_endian &&
		    e->float_abi != ((arches[i].flags & EF_ARM_ABI_FLOAT_HARD) != 0
					     ? ELF_FLOAT_HARD
					     : ELF_FLOAT_SOFT))
			continue;
		e->arch = arches[i].arch;
		return;
	}
}

static enum elf_float float_of_flags(const struct elf_info *e)
{
	/* the bits have their meaning in linked files alone */
	if (e->type != ET_EXEC && e->type != ET_DYN)
		return ELF_FLOAT_UNKNOWN;
	switch (e->machine) {
	case EM_ARM: {
		uint32_t both = EF_ARM_ABI_FLOAT_SOFT | EF_ARM_ABI_FLOAT_HARD;
		uint32_t eabi = e->flags & EF_ARM_EABIMASK;

		/* before the EABI, 0x400 told the layout of numbers and not how they are passed */
		if (eabi == EF_ARM_EABI_UNKNOWN)
			return (e->flags & both) == EF_ARM_SOFT_FLOAT ? ELF_FLOAT_SOFT
								      : ELF_FLOAT_UNKNOWN;
		if (eabi != EF_ARM_EABI_VER5 || (e->flags & both) == both)
			return ELF_FLOAT_UNKNOWN;
		if ((e->flags & EF_ARM_ABI_FLOAT_HARD) != 0)
			return ELF_FLOAT_HARD;
		return (e->flags & EF_ARM_ABI_FLOAT_SOFT) != 0 ? ELF_FLOAT_SOFT : ELF_FLOAT_UNKNOWN;
	}
	case EM_RISCV:
		return (e->flags & EF_RISCV_FLOAT_ABI) == EF_RISCV_FLOAT_ABI_SOFT ? ELF_FLOAT_SOFT
										  : ELF_FLOAT_HARD;
	case EM_LOONGARCH: {
		uint32_t modifier = e->flags & 7;

		if (modifier == 1)
			return ELF_FLOAT_SOFT;
		return modifier == 2 || modifier == 3 ? ELF_FLOAT_HARD : ELF_FLOAT_UNKNOWN;
	}
	default:
		return ELF_FLOAT_UNKNOWN;
	}
}

static enum elf_float float_of_interp(const struct elf_info *e)
{
	static const struct {
		const char *name;
		enum elf_float abi;
	} known[] = {
		{"ld-linux-armhf.so.3", ELF_FLOAT_HARD},
		{"ld-linux.so.3", ELF_FLOAT_SOFT},
		{"ld-musl-armhf.so.1", ELF_FLOAT_HARD},
		{"ld-musl-arm.so.1", ELF_FLOAT_SOFT},
	};
	const char *base = strrchr(e->interp, '/');

	if (e->machine != EM_ARM)
		return ELF_FLOAT_UNKNOWN;
	base = base == NULL ? e->interp : base + 1;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(base, known[i].name) == 0)
			return known[i].abi;
	}
	return ELF_FLOAT_UNKNOWN;
}

/* The header first, then the loader, then attributes: linkers keep those of one object alone. */
static void read_float(struct elf_info *e)
{
	enum elf_float flags = float_of_flags(e);
	const struct {
		enum elf_float abi;
		const char *origin;
	} says[] = {
		{flags, "e_flags"},
		{e->interp_float = float_of_interp(e), "interpreter"},
		{e->attr_float, "attributes"},
	};

	for (size_t i = 0; i < sizeof(says) / sizeof(says[0]); i++) {
		if (says[i].abi == ELF_FLOAT_UNKNOWN)
			continue;
		if (e->float_abi == ELF_FLOAT_UNKNOWN) {
			e->float_abi = says[i].abi;
			e->float_origin = says[i].origin;
		}
		e->float_conflict = e->float_conflict || says[i].abi != e->float_abi;
	}
}

struct elf_table elf_table_of(const struct elf_view *v, const unsigned char *head, bool wide,
			      bool sections)
{
	const unsigned char *at = head + (wide ? 32 : 28) + (sections ? (wide ? 8 : 4) : 0);
	const unsigned char *sizes = head + (wide ? 54 : 42) + (sections ? 4 : 0);

	return (struct elf_table){elf_number(v, at, wide ? 8 : 4), elf_number(v, sizes, 2),
				  elf_number(v, sizes + 2, 2)};
}

/* A name that is cut off, unterminated or too long stays empty: has_interp alone says it is there.
 */
static void read_interp(const struct elf_view *v, uint64_t at, uint64_t size, struct elf_info *e)
{
	const unsigned char *name =
		size == 0 || size > ELF_INTERP_MAX ? NULL : elf_bytes(v, at, size);

	e->has_interp = true;
	if (name != NULL && name[size - 1] == '\0')
		(void)snprintf(e->interp, sizeof(e->interp), "%s", (const char *)name);
}

static int read_segments(const struct elf_view *v, const unsigned char *head, struct elf_info *e,
			 struct err *err)
{
	bool wide = e->bits == 64;
	struct elf_table t = elf_table_of(v, head, wide, false);

	if (t.count == 0)
		return 0;
	if (t.entry < (wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr)) || t.count == PN_XNUM)
		return err_set(err, "its program headers are damaged");
	const unsigned char *table = elf_bytes(v, t.at, t.entry * t.count);
	if (table == NULL)
		return err_set(err, "it is cut short before the end of its program headers");
	for (size_t i = 0; i < t.count; i++) {
		const unsigned char *p = table + i * t.entry;
		uint64_t kind = elf_number(v, p, 4);

		if (kind == PT_DYNAMIC)
			e->is_dynamic = true;
		if (kind == PT_INTERP && !e->has_interp)
			read_interp(v, elf_number(v, p + (wide ? 8 : 4), wide ? 8 : 4),
				    elf_number(v, p + (wide ? 32 : 16), wide ? 8 : 4), e);
	}
	return 0;
}

bool elf_is(const void *data, size_t len)
{
	return len >= SELFMAG && memcmp(data, ELFMAG, SELFMAG) == 0;
}

int elf_read(const void *data, size_t len, struct elf_info *out, struct err *err)
{
	const struct elf_part whole = {0, data, len};

	return elf_read_parts(&whole, 1, out, err);
}

/* Class and byte order; the whole header is there. */
static const unsigned char *read_head(struct elf_view *v, struct elf_info *out, struct err *err)
{
	const unsigned char *head = elf_bytes(v, 0, SELFMAG);

	if (head == NULL || !elf_is(head, SELFMAG)) {
		(void)err_set(err, "it is no ELF file");
		return NULL;
	}
	head = elf_bytes(v, 0, EI_NIDENT);
	if (head == NULL) {
		(void)err_set(err, "it is cut short within its ELF header");
		return NULL;
	}
	unsigned char class = head[EI_CLASS];
	unsigned char order = head[EI_DATA];
	if ((class != ELFCLASS32 && class != ELFCLASS64) ||
	    (order != ELFDATA2LSB && order != ELFDATA2MSB)) {
		(void)err_set(err, "its ELF header is damaged");
		return NULL;
	}
	v->big = order == ELFDATA2MSB;
	out->bits = class == ELFCLASS64 ? 64 : 32;
	out->big_endian = v->big;
	head = elf_bytes(v, 0, class == ELFCLASS64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr));
	if (head == NULL)
		(void)err_set(err, "it is cut short within its ELF header");
	return head;
}

int elf_read_parts(const struct elf_part *parts, size_t n, struct elf_info *out, struct err *err)
{
	struct elf_view v = {.parts = parts, .n = n};

	*out = (struct elf_info){.float_origin = ""};
	const unsigned char *head = read_head(&v, out, err);
	if (head == NULL)
		return ERR_FAIL;
	bool wide = out->bits == 64;
	out->type = (uint16_t)elf_number(&v, head + 16, 2);
	out->machine = (uint16_t)elf_number(&v, head + 18, 2);
	out->flags = (uint32_t)elf_number(&v, head + (wide ? 48 : 36), 4);
	name_machine(out);
	int rc = read_segments(&v, head, out, err);
	if (rc != 0)
		return rc;
	out->is_static = !out->has_interp && (out->type == ET_EXEC || out->type == ET_DYN) &&
			 elf_number(&v, head + 24, wide ? 8 : 4) != 0;
	elf_read_attributes(&v, out);
	read_float(out);
	name_arch(out);
	return 0;
}

bool elf_tail(const void *data, size_t len, uint64_t *at, uint64_t *size)
{
	/* attributes are not loaded: they lie behind all that is, just before the headers */
	enum { BEFORE = 4096 };
	const struct elf_part whole = {0, data, len};
	struct elf_view v = {.parts = &whole, .n = 1};
	struct elf_info info;
	const unsigned char *head = read_head(&v, &info, NULL);

	if (head == NULL)
		return false;
	struct elf_table sections = elf_table_of(&v, head, info.bits == 64, true);

	if (sections.at == 0 || sections.at > UINT32_MAX || sections.count == 0)
		return false;
	*at = sections.at > BEFORE ? sections.at - BEFORE : 0;
	*size = sections.at - *at + sections.entry * sections.count;
	return true;
}

const char *elf_float_name(enum elf_float f)
{
	switch (f) {
	case ELF_FLOAT_SOFT:
		return "soft";
	case ELF_FLOAT_HARD:
		return "hard";
	default:
		return "unknown";
	}
}

bool elf_sample_header(const char *arch, bool position_independent, unsigned char out[ELF_SAMPLE])
{
	for (size_t i = 0; i < N_ARCHES; i++) {
		bool big = arches[i].big;
		bool wide = arches[i].bits == 64;

		if (!text_equal(arches[i].arch, arch))
			continue;
		memset(out, 0, ELF_SAMPLE);
		memcpy(out, ELFMAG, SELFMAG);
		out[EI_CLASS] = wide ? ELFCLASS64 : ELFCLASS32;
		out[EI_DATA] = big ? ELFDATA2MSB : ELFDATA2LSB;
		out[EI_VERSION] = EV_CURRENT;
		out[big ? 17 : 16] = position_independent ? ET_DYN : ET_EXEC;
		out[big ? 18 : 19] = (unsigned char)(arches[i].machine >> 8);
		out[big ? 19 : 18] = (unsigned char)(arches[i].machine & 0xff);
		out[big ? 23 : 20] = EV_CURRENT;
		for (size_t b = 0; b < 4; b++) {
			size_t at = (wide ? 48 : 36) + (big ? 3 - b : b);

			out[at] = (unsigned char)(arches[i].flags >> (8 * b) & 0xff);
		}
		return true;
	}
	return false;
}
