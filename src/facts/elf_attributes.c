/* What an ELF file keeps beside its header on the CPU it was made for. */
#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "facts/internal.h"

#ifndef PT_GNU_PROPERTY
#define PT_GNU_PROPERTY 0x6474e553
#endif

enum {
	SECTION_GNU_ATTRIBUTES = 0x6ffffff5,
	SECTION_OF_MACHINE = 0x70000003, /* ARM's and RISC-V's attributes, both LOPROC + 3 */
	SECTION_MIPS_ABIFLAGS = 0x7000002a,
	SEGMENT_OF_MACHINE = 0x70000003, /* MIPS's abiflags, RISC-V's attributes */
	SECTIONS_MAX = 4096,
	TAGS_MAX = 64,
};

/* The attributes of one vendor: numbers by tag, and the one text that matters here. */
struct attributes {
	bool known[TAGS_MAX];
	uint64_t number[TAGS_MAX];
	char arch[ELF_CPU_MAX]; /* RISC-V's tag 5 */
};

struct cursor {
	const unsigned char *p, *end;
};

static uint64_t leb128(struct cursor *c)
{
	uint64_t n = 0;

	for (unsigned shift = 0; c->p < c->end; shift += 7) {
		unsigned char b = *c->p++;

		if (shift < 63)
			n |= (uint64_t)(b & 0x7f) << shift;
		if ((b & 0x80) == 0)
			break;
	}
	return n;
}

/* A terminated text, or NULL at the end of what is there. */
static const char *text(struct cursor *c)
{
	const unsigned char *nul = c->p < c->end ? memchr(c->p, 0, (size_t)(c->end - c->p)) : NULL;
	const char *s = (const char *)c->p;

	if (nul == NULL) {
		c->p = c->end;
		return NULL;
	}
	c->p = nul + 1;
	return s;
}

/* Does the tag have a text? Arm's rule below 32 is a list; else odd tags have. */
static bool has_text(bool arm, uint64_t tag)
{
	if (arm && tag < 32)
		return tag == 4 || tag == 5;
	return (tag & 1) != 0;
}

static void read_tags(struct cursor c, bool arm, struct attributes *a)
{
	enum { COMPATIBILITY = 32, RISCV_ARCH = 5 };

	while (c.p < c.end) {
		uint64_t tag = leb128(&c);

		if (tag == COMPATIBILITY) {
			(void)leb128(&c);
			(void)text(&c);
		} else if (has_text(arm, tag)) {
			const char *s = text(&c);

			if (s != NULL && tag == RISCV_ARCH)
				(void)snprintf(a->arch, sizeof(a->arch), "%s", s);
		} else {
			uint64_t n = leb128(&c);

			if (tag < TAGS_MAX) {
				a->known[tag] = true;
				a->number[tag] = n;
			}
		}
	}
}

/* 'A', then for each vendor: length, name, and for the whole file: 1, length, tags. */
static void read_section(const struct elf_view *v, const unsigned char *data, size_t len,
			 const char *vendor, struct attributes *a)
{
	const unsigned char *end = data + len;

	if (len == 0 || *data++ != 'A')
		return;
	while (end - data >= 4) {
		uint64_t size = elf_number(v, data, 4);
		if (size < 5 || size > (uint64_t)(end - data))
			return;
		struct cursor c = {data + 4, data + size};
		data += size;
		const char *name = text(&c);
		bool wanted = name != NULL && strcmp(name, vendor) == 0;
		while (wanted && c.end - c.p >= 5) {
			const unsigned char *start = c.p;
			bool whole_file = leb128(&c) == 1;
			if (c.end - c.p < 4)
				return;
			uint64_t sub = elf_number(v, c.p, 4);
			c.p += 4;
			if (sub < (uint64_t)(c.p - start) || sub > (uint64_t)(c.end - start))
				return;
			if (whole_file)
				read_tags((struct cursor){c.p, start + sub},
					  strcmp(vendor, "aeabi") == 0, a);
			c.p = start + sub;
		}
	}
}

/* The bytes of the first section (or segment) of this type that are known. */
static const unsigned char *section_of(const struct elf_view *v, const struct elf_info *e,
				       uint32_t type, size_t *len)
{
	bool wide = e->bits == 64;
	size_t word = wide ? 8 : 4;
	const unsigned char *head = elf_bytes(v, 0, wide ? 64 : 52);

	if (head == NULL)
		return NULL;
	struct elf_table t = elf_table_of(v, head, wide, true);
	if (t.entry < (wide ? 64 : 40) || t.count > SECTIONS_MAX)
		return NULL;
	for (uint64_t i = 0; i < t.count; i++) {
		const unsigned char *s =
			t.at > UINT64_MAX / 2 ? NULL : elf_bytes(v, t.at + i * t.entry, t.entry);

		if (s == NULL || elf_number(v, s + 4, 4) != type)
			continue;
		uint64_t size = elf_number(v, s + (wide ? 32 : 20), word);
		const unsigned char *data =
			elf_bytes(v, elf_number(v, s + (wide ? 24 : 16), word), size);
		*len = (size_t)size;
		return data;
	}
	return NULL;
}

static const unsigned char *segment_of(const struct elf_view *v, const struct elf_info *e,
				       uint32_t type, size_t *len)
{
	bool wide = e->bits == 64;
	size_t word = wide ? 8 : 4;
	const unsigned char *head = elf_bytes(v, 0, wide ? 64 : 52);

	if (head == NULL)
		return NULL;
	struct elf_table t = elf_table_of(v, head, wide, false);
	const unsigned char *table = elf_bytes(v, t.at, t.entry * t.count);
	for (uint64_t i = 0; table != NULL && t.entry >= (wide ? 56 : 32) && i < t.count; i++) {
		const unsigned char *p = table + i * t.entry;

		if (elf_number(v, p, 4) != type)
			continue;
		uint64_t size = elf_number(v, p + (wide ? 32 : 16), word);
		*len = (size_t)size;
		return elf_bytes(v, elf_number(v, p + (wide ? 8 : 4), word), size);
	}
	return NULL;
}

__attribute__((format(printf, 2, 3))) static void add(struct elf_info *e, const char *fmt, ...)
{
	size_t n = strlen(e->cpu);
	va_list ap;

	if (n > 0 && n + 2 < sizeof(e->cpu)) {
		memcpy(e->cpu + n, ", ", 3);
		n += 2;
	}
	va_start(ap, fmt);
	(void)vsnprintf(e->cpu + n, sizeof(e->cpu) - n, fmt, ap);
	va_end(ap);
}

static void read_arm(const struct elf_view *v, struct elf_info *e)
{
	enum { CPU_ARCH = 6, PROFILE = 7, THUMB = 9, FP_ARCH = 10, SIMD = 12, VFP_ARGS = 28 };
	static const char *const arch[] = {"v4 or before", "v4",    "v4T",  "v5T", "v5TE", "v5TEJ",
					   "v6",           "v6KZ",  "v6T2", "v6K", "v7",   "v6-M",
					   "v6S-M",        "v7E-M", "v8-A", "v8-R"};
	static const char *const fp[] = {"no floating point unit",
					 "VFPv1",
					 "VFPv2",
					 "VFPv3",
					 "VFPv3-D16",
					 "VFPv4",
					 "VFPv4-D16",
					 "FPv8",
					 "FPv8-D16"};
	struct attributes a = {.arch = ""};
	size_t len = 0;
	const unsigned char *data = section_of(v, e, SECTION_OF_MACHINE, &len);

	if (data == NULL)
		return;
	read_section(v, data, len, "aeabi", &a);
	if (a.known[CPU_ARCH] && a.number[CPU_ARCH] < sizeof(arch) / sizeof(arch[0])) {
		char profile = (char)a.number[PROFILE];

		add(e, "ARM%s%s%.1s", arch[a.number[CPU_ARCH]],
		    a.number[CPU_ARCH] == 10 && strchr("ARM", profile) != NULL && profile != 0 ? "-"
											       : "",
		    a.number[CPU_ARCH] == 10 && strchr("ARM", profile) != NULL ? &profile : "");
	}
	if (a.known[CPU_ARCH] && a.number[FP_ARCH] < sizeof(fp) / sizeof(fp[0]))
		add(e, "%s", fp[a.number[FP_ARCH]]);
	if (a.number[SIMD] > 0)
		add(e, "NEON");
	if (a.number[THUMB] == 2)
		add(e, "Thumb-2");
	/* 0 is also what is not said; linkers that keep one object's attributes do not say it */
	if (a.known[VFP_ARGS] && a.number[VFP_ARGS] == 1)
		e->attr_float = ELF_FLOAT_HARD;
}

static void read_mips(const struct elf_view *v, struct elf_info *e)
{
	static const char *const levels[] = {"MIPS I",   "MIPS II",  "MIPS III", "MIPS IV",
					     "MIPS V",   "MIPS32",   "MIPS64",   "MIPS32r2",
					     "MIPS64r2", "MIPS32r6", "MIPS64r6"};
	static const char *const fp[] = {NULL,
					 "double float",
					 "single float",
					 "soft float",
					 "old 64-bit float",
					 "float in 32- or 64-bit registers",
					 "64-bit float",
					 "64-bit float without odd singles"};
	enum { FP_SOFT = 3, FP_ABI = 7, FLAGS_SIZE = 24, GNU_FP = 4 };
	uint32_t level = e->flags >> 28;
	size_t len = 0;
	uint64_t abi = 0;
	const unsigned char *data = segment_of(v, e, SEGMENT_OF_MACHINE, &len);

	if (data == NULL || len < FLAGS_SIZE)
		data = section_of(v, e, SECTION_MIPS_ABIFLAGS, &len);
	if (data != NULL && len >= FLAGS_SIZE) {
		abi = data[FP_ABI];
	} else if ((data = section_of(v, e, SECTION_GNU_ATTRIBUTES, &len)) != NULL) {
		struct attributes a = {.arch = ""};

		read_section(v, data, len, "gnu", &a);
		abi = a.number[GNU_FP];
	}
	if (level < sizeof(levels) / sizeof(levels[0]))
		add(e, "%s", levels[level]);
	e->nan2008 = (e->flags & 0x400) != 0;
	if (abi > 0 && abi < sizeof(fp) / sizeof(fp[0])) {
		e->attr_float = abi == FP_SOFT ? ELF_FLOAT_SOFT : ELF_FLOAT_HARD;
		add(e, "%s", fp[abi]);
	}
	if (e->nan2008)
		add(e, "NaN of 2008");
}

static void read_riscv(const struct elf_view *v, struct elf_info *e)
{
	static const char *const abi[] = {"soft float", "single float", "double float",
					  "quad float"};
	struct attributes a = {.arch = ""};
	size_t len = 0;
	const unsigned char *data = segment_of(v, e, SEGMENT_OF_MACHINE, &len);

	if (data == NULL)
		data = section_of(v, e, SECTION_OF_MACHINE, &len);
	if (data != NULL)
		read_section(v, data, len, "riscv", &a);
	if (a.arch[0] != '\0')
		(void)snprintf(e->cpu, sizeof(e->cpu), "%s", a.arch);
	else
		add(e, "RV%d%s", e->bits, (e->flags & EF_RISCV_RVC) != 0 ? " with C" : "");
	if (strlen(e->cpu) + 16 < sizeof(e->cpu))
		add(e, "%s", abi[(e->flags & EF_RISCV_FLOAT_ABI) >> 1]);
}

static void read_powerpc(const struct elf_view *v, struct elf_info *e)
{
	static const char *const fp[] = {NULL, "double float", "soft float", "single float"};
	enum { GNU_FP = 4, GNU_VECTOR = 8, SPE = 3, FP_SOFT = 2 };
	struct attributes a = {.arch = ""};
	size_t len = 0;

	if (e->machine == EM_PPC64) {
		if ((e->flags & 3) != 0)
			add(e, "ELFv%u", (unsigned)(e->flags & 3));
		return;
	}
	const unsigned char *data = section_of(v, e, SECTION_GNU_ATTRIBUTES, &len);
	if (data != NULL)
		read_section(v, data, len, "gnu", &a);
	uint64_t abi = a.number[GNU_FP] & 3;
	if (abi != 0) {
		e->attr_float = abi == FP_SOFT ? ELF_FLOAT_SOFT : ELF_FLOAT_HARD;
		add(e, "%s", fp[abi]);
	}
	if (a.number[GNU_VECTOR] == SPE)
		add(e, "SPE");
}

static void read_loongarch(struct elf_info *e)
{
	static const char *const abi[] = {NULL, "soft float", "single float", "double float"};
	uint32_t modifier = e->flags & 7;

	if (modifier >= 1 && modifier <= 3)
		add(e, "%s", abi[modifier]);
}

/* GNU_PROPERTY_X86_ISA_1_NEEDED: the highest level named. */
static void read_x86(const struct elf_view *v, struct elf_info *e)
{
	enum { NOTE_HEAD = 16, PROPERTY_TYPE_0 = 5 };
	static const uint32_t isa_needed = 0xc0008002;
	size_t len = 0;
	const unsigned char *p = segment_of(v, e, PT_GNU_PROPERTY, &len);
	size_t align = e->bits == 64 ? 8 : 4;

	if (p == NULL || len < NOTE_HEAD || elf_number(v, p + 8, 4) != PROPERTY_TYPE_0)
		return;
	p += NOTE_HEAD;
	len -= NOTE_HEAD;
	while (len >= 12) {
		uint64_t type = elf_number(v, p, 4);
		uint64_t size = elf_number(v, p + 4, 4);
		uint64_t step = 8 + (size + align - 1) / align * align;

		if (type == isa_needed && size == 4) {
			uint64_t bits = elf_number(v, p + 8, 4);
			int level = 0;

			for (int i = 0; i < 4; i++)
				level = (bits >> i & 1) != 0 ? i + 1 : level;
			if (level > 1)
				add(e, "x86-64-v%d", level);
		}
		if (step > len)
			return;
		p += step;
		len -= (size_t)step;
	}
}

void elf_read_attributes(const struct elf_view *v, struct elf_info *e)
{
	switch (e->machine) {
	case EM_ARM:
		read_arm(v, e);
		break;
	case EM_MIPS:
		read_mips(v, e);
		break;
	case EM_RISCV:
		read_riscv(v, e);
		break;
	case EM_PPC:
	case EM_PPC64:
		read_powerpc(v, e);
		break;
	case EM_LOONGARCH:
		read_loongarch(e);
		break;
	case EM_386:
	case EM_X86_64:
		read_x86(v, e);
		break;
	default:
		break;
	}
}
