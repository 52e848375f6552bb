#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/rng.h"
#include "base/text.h"
#include "facts/elf.h"

enum { MADE_MAX = 512 };

struct made {
	unsigned char data[MADE_MAX];
	size_t len;
};

static void put(struct made *m, size_t at, uint64_t value, size_t size, bool big)
{
	for (size_t i = 0; i < size; i++)
		m->data[big ? at + size - 1 - i : at + i] =
			(unsigned char)(value >> (8 * i) & 0xff);
}

/* A program of arch with one program header for interp (NULL: none) and one PT_DYNAMIC. */
static void make_elf(struct made *m, const char *arch, const char *interp, uint32_t flags)
{
	memset(m, 0, sizeof(*m));
	assert_true(elf_sample_header(arch, true, m->data));
	bool wide = m->data[EI_CLASS] == ELFCLASS64;
	bool big = m->data[EI_DATA] == ELFDATA2MSB;
	size_t ehdr = wide ? 64 : 52;
	size_t phdr = wide ? 56 : 32;

	put(m, 24, 0x1000, wide ? 8 : 4, big);                  /* e_entry */
	put(m, wide ? 32 : 28, ehdr, wide ? 8 : 4, big);        /* e_phoff */
	put(m, wide ? 48 : 36, flags, 4, big);                  /* e_flags */
	put(m, wide ? 54 : 42, phdr, 2, big);                   /* e_phentsize */
	put(m, wide ? 56 : 44, interp == NULL ? 1 : 2, 2, big); /* e_phnum */
	put(m, ehdr, PT_DYNAMIC, 4, big);
	m->len = ehdr + phdr;
	if (interp == NULL)
		return;
	size_t p = m->len;
	m->len += phdr;
	put(m, p, PT_INTERP, 4, big);
	put(m, p + (wide ? 8 : 4), m->len, wide ? 8 : 4, big);
	put(m, p + (wide ? 32 : 16), strlen(interp) + 1, wide ? 8 : 4, big);
	memcpy(m->data + m->len, interp, strlen(interp) + 1);
	m->len += strlen(interp) + 1;
}

static void names_every_architecture(void **state)
{
	static const char *const arches[] = {"amd64",   "i386",    "arm64",   "armhf", "armel",
					     "riscv64", "ppc64el", "powerpc", "s390x", "mips64el",
					     "mipsel",  "loong64", "x32",     "ppc64"};
	(void)state;
	for (size_t i = 0; i < sizeof(arches) / sizeof(arches[0]); i++) {
		struct made m;
		struct elf_info e;
		uint32_t flags = strcmp(arches[i], "armhf") == 0   ? 0x5000400
				 : strcmp(arches[i], "armel") == 0 ? 0x5000200
								   : 0;

		make_elf(&m, arches[i], "/lib/ld.so", flags);
		assert_int_equal(elf_read(m.data, m.len, &e, NULL), 0);
		assert_string_equal(e.arch, arches[i]);
		assert_string_equal(e.interp, "/lib/ld.so");
		assert_true(e.has_interp);
		assert_true(e.is_dynamic);
		assert_false(e.is_static);
		make_elf(&m, arches[i], NULL, flags);
		assert_int_equal(elf_read(m.data, m.len, &e, NULL), 0);
		assert_false(e.has_interp);
		assert_true(e.is_static);
	}
}

static void float_abi_is_flags_then_interpreter(void **state)
{
	static const struct {
		uint32_t flags;
		const char *interp;
		enum elf_float want;
		const char *origin, *arch;
		bool conflict;
	} cases[] = {
		{0x5000400, "/lib/ld-linux-armhf.so.3", ELF_FLOAT_HARD, "e_flags", "armhf", false},
		{0x5000200, "/lib/ld-linux.so.3", ELF_FLOAT_SOFT, "e_flags", "armel", false},
		{0x5000000, "/lib/ld-linux-armhf.so.3", ELF_FLOAT_HARD, "interpreter", "armhf",
		 false},
		{0x5000002, "/lib/ld-linux.so.3", ELF_FLOAT_SOFT, "interpreter", "armel", false},
		{0x5000000, "/lib/ld-musl-armhf.so.1", ELF_FLOAT_HARD, "interpreter", "armhf",
		 false},
		{0x5000200, "/lib/ld-linux-armhf.so.3", ELF_FLOAT_SOFT, "e_flags", "armel", true},
		{0x5000400, NULL, ELF_FLOAT_HARD, "e_flags", "armhf", false},
		{0x5000000, NULL, ELF_FLOAT_UNKNOWN, "", NULL, false},
		{0x5000600, NULL, ELF_FLOAT_UNKNOWN, "", NULL, false},
		{0x4000400, NULL, ELF_FLOAT_UNKNOWN, "", NULL, false}, /* EABI 4 has no such bit */
		{0x200, NULL, ELF_FLOAT_SOFT, "e_flags", "armel", false},
		{0x400, "/lib/ld-linux.so.2", ELF_FLOAT_UNKNOWN, "", NULL, false},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct made m;
		struct elf_info e;

		make_elf(&m, "armel", cases[i].interp, cases[i].flags);
		assert_int_equal(elf_read(m.data, m.len, &e, NULL), 0);
		assert_int_equal(e.float_abi, cases[i].want);
		assert_string_equal(e.float_origin, cases[i].origin);
		assert_int_equal(e.float_conflict, cases[i].conflict);
		if (cases[i].arch == NULL)
			assert_null(e.arch);
		else
			assert_string_equal(e.arch, cases[i].arch);
		assert_string_equal(e.machine_name, "ARM");
	}
}

static void an_object_file_has_no_float_abi(void **state)
{
	struct made m;
	struct elf_info e;

	(void)state;
	make_elf(&m, "armhf", NULL, 0x5000400);
	put(&m, 16, ET_REL, 2, false);
	assert_int_equal(elf_read(m.data, m.len, &e, NULL), 0);
	assert_int_equal(e.float_abi, ELF_FLOAT_UNKNOWN);
	assert_false(e.is_static);
}

static void other_machines_float(void **state)
{
	struct made m;
	struct elf_info e;

	(void)state;
	make_elf(&m, "riscv64", NULL, 0x5);
	assert_int_equal(elf_read(m.data, m.len, &e, NULL), 0);
	assert_int_equal(e.float_abi, ELF_FLOAT_HARD);
	make_elf(&m, "riscv64", NULL, 0x1);
	assert_int_equal(elf_read(m.data, m.len, &e, NULL), 0);
	assert_int_equal(e.float_abi, ELF_FLOAT_SOFT);
	make_elf(&m, "loong64", NULL, 0x43);
	assert_int_equal(elf_read(m.data, m.len, &e, NULL), 0);
	assert_int_equal(e.float_abi, ELF_FLOAT_HARD);
	make_elf(&m, "amd64", NULL, 0x400);
	assert_int_equal(elf_read(m.data, m.len, &e, NULL), 0);
	assert_int_equal(e.float_abi, ELF_FLOAT_UNKNOWN);
}

/* Every length up to the whole: an exact copy, so that a read beyond it is seen by the sanitizer.
 */
static void every_truncation_is_survived(void **state)
{
	static const char *const arches[] = {"armhf", "amd64", "powerpc", "s390x"};

	(void)state;
	for (size_t a = 0; a < sizeof(arches) / sizeof(arches[0]); a++) {
		struct made m;
		struct elf_info e;
		make_elf(&m, arches[a], "/lib/ld-linux-armhf.so.3", 0x5000400);
		size_t headers = m.len - strlen("/lib/ld-linux-armhf.so.3") - 1;
		for (size_t n = 0; n < m.len; n++) {
			struct err err = ERR_INIT;
			unsigned char *copy = malloc(n == 0 ? 1 : n);
			assert_non_null(copy);
			memcpy(copy, m.data, n);
			int rc = elf_read(copy, n, &e, &err);
			if (n < headers) {
				assert_true(rc < 0);
				assert_true(strlen(err.msg) > 10);
			} else {
				assert_int_equal(rc, 0);
				assert_true(e.has_interp);
				assert_string_equal(e.interp, "");
			}
			free(copy);
		}
	}
}

static void hostile_headers_are_refused(void **state)
{
	struct made m;
	struct elf_info e;

	(void)state;
	make_elf(&m, "amd64", "/lib64/ld-linux-x86-64.so.2", 0);
	put(&m, 32, UINT64_MAX - 8, 8, false); /* the headers' place wraps around */
	assert_true(elf_read(m.data, m.len, &e, NULL) < 0);
	make_elf(&m, "amd64", "/lib64/ld-linux-x86-64.so.2", 0);
	put(&m, 56, 0xfffe, 2, false);
	assert_true(elf_read(m.data, m.len, &e, NULL) < 0);
	make_elf(&m, "amd64", "/lib64/ld-linux-x86-64.so.2", 0);
	put(&m, 54, 1, 2, false); /* entries smaller than a header */
	assert_true(elf_read(m.data, m.len, &e, NULL) < 0);
	make_elf(&m, "amd64", "/lib64/ld-linux-x86-64.so.2", 0);
	put(&m, 64 + 56 + 32, UINT64_MAX, 8, false); /* the interpreter's length */
	assert_int_equal(elf_read(m.data, m.len, &e, NULL), 0);
	assert_string_equal(e.interp, "");
	make_elf(&m, "amd64", "/lib64/ld-linux-x86-64.so.2", 0);
	m.data[m.len - 1] = 'x'; /* not terminated */
	assert_int_equal(elf_read(m.data, m.len, &e, NULL), 0);
	assert_string_equal(e.interp, "");
	make_elf(&m, "amd64", NULL, 0);
	m.data[EI_CLASS] = 7;
	assert_true(elf_read(m.data, m.len, &e, NULL) < 0);
	make_elf(&m, "amd64", NULL, 0);
	put(&m, 18, 9999, 2, false);
	assert_int_equal(elf_read(m.data, m.len, &e, NULL), 0);
	assert_null(e.arch);
	assert_string_equal(e.machine_name, "machine 9999");
	assert_true(elf_read("#!/bin/sh\n", 10, &e, NULL) < 0);
	assert_true(elf_read("", 0, &e, NULL) < 0);
}

static void random_damage_is_survived(void **state)
{
	struct rng *r = rng_new(1, 0);

	(void)state;
	for (int i = 0; i < 20000; i++) {
		struct made m;
		struct elf_info e;
		make_elf(&m, i % 2 == 0 ? "armhf" : "ppc64", "/lib/ld-linux.so.3", 0x5000200);
		for (int k = 0; k < 4; k++)
			m.data[4 + rng_below(r, m.len - 4)] = (unsigned char)rng_below(r, 256);
		unsigned char *copy = malloc(m.len);
		assert_non_null(copy);
		memcpy(copy, m.data, m.len);
		if (elf_read(copy, m.len, &e, NULL) == 0)
			assert_true(strlen(e.interp) < ELF_INTERP_MAX);
		free(copy);
	}
	rng_free(r);
}

static void reads_its_own_program(void **state)
{
	struct buf b = BUF_INIT;
	struct elf_info e;

	(void)state;
	assert_int_equal(fs_read_head("/proc/self/exe", ELF_HEAD, &b, NULL), 0);
	assert_int_equal(elf_read(b.data, b.len, &e, NULL), 0);
	assert_int_equal(e.bits, (int)sizeof(void *) * 8);
	assert_non_null(e.arch);
#if defined(__x86_64__) && defined(__LP64__)
	assert_string_equal(e.arch, "amd64");
#elif defined(__aarch64__)
	assert_string_equal(e.arch, "arm64");
#endif
	assert_true(e.has_interp);
	assert_false(e.is_static);
	buf_release(&b);
}

/* The folder of an unpacked installation of arch on this machine, or NULL. */
static char *find_root(const char *arch)
{
	const char *folder = getenv("LAMPDUEL_TEST_ROOTS");
	char *path = NULL;

	if (folder != NULL) {
		path = mem_printf("%s/root-%s", folder, arch);
	} else {
		char *cache = fs_cache_dir();
		path = mem_printf("%s/rootfs/bookworm-%s/root", cache, arch);
		free(cache);
	}
	if (!fs_is_dir(path))
		mem_replace(&path, NULL);
	return path;
}

static void check_root(const char *arch, enum elf_float want)
{
	char *root = find_root(arch);
	struct buf b = BUF_INIT;
	struct elf_info e;

	if (root == NULL) {
		print_message("no unpacked %s installation here (LAMPDUEL_TEST_ROOTS)\n", arch);
		skip();
	}
	char *program = fs_resolve_in_root(root, "/usr/bin/openssl");
	assert_non_null(program);
	assert_int_equal(fs_read_head(program, ELF_HEAD, &b, NULL), 0);
	assert_int_equal(elf_read(b.data, b.len, &e, NULL), 0);
	assert_string_equal(e.arch, arch);
	assert_int_equal(e.float_abi, want);
	assert_false(e.float_conflict);
	char *loader = fs_resolve_in_root(root, e.interp);
	assert_non_null(loader);
	buf_clear(&b);
	assert_int_equal(fs_read_head(loader, ELF_HEAD, &b, NULL), 0);
	assert_int_equal(elf_read(b.data, b.len, &e, NULL), 0);
	assert_true(e.is_static);
	free(loader);
	free(program);
	free(root);
	buf_release(&b);
}

static void reads_real_armel(void **state)
{
	(void)state;
	check_root("armel", ELF_FLOAT_SOFT);
}

static void reads_real_armhf(void **state)
{
	(void)state;
	check_root("armhf", ELF_FLOAT_HARD);
}

/* Puts a section of this type with these bytes behind what is there, and its header behind it. */
static void add_section(struct made *m, uint32_t type, const void *bytes, size_t len)
{
	bool wide = m->data[EI_CLASS] == ELFCLASS64;
	bool big = m->data[EI_DATA] == ELFDATA2MSB;
	size_t word = wide ? 8 : 4;
	size_t at = m->len;

	memcpy(m->data + at, bytes, len);
	size_t head = at + len;
	m->len = head + (wide ? 64 : 40);
	assert_true(m->len <= MADE_MAX);
	put(m, wide ? 40 : 32, head, word, big);
	put(m, wide ? 58 : 46, wide ? 64 : 40, 2, big);
	put(m, wide ? 60 : 48, 1, 2, big);
	put(m, head + 4, type, 4, big);
	put(m, head + (wide ? 24 : 16), at, word, big);
	put(m, head + (wide ? 32 : 20), len, word, big);
}

/* CPU arch 10 (v7), profile A, Thumb-2, VFPv3-D16, NEON none, VFP args 1, with a name in between */
static const char arm_v7[] = "A\x26\0\0\0aeabi\0\1\x1c\0\0\0\5"
			     "7-A\0\6\x0a\7A\x09\2\x0a\4"
			     "\x1c\1\x20\0x\0\x43"
			     "z\0";

static void attributes_name_the_cpu(void **state)
{
	struct made m;
	struct elf_info e;
	struct err err = ERR_INIT;
	char v7[sizeof(arm_v7)];

	(void)state;
	/* both lengths as they are */
	memcpy(v7, arm_v7, sizeof(v7));
	v7[1] = (char)(sizeof(arm_v7) - 2);
	v7[12] = (char)(sizeof(arm_v7) - 1 - 11);
	make_elf(&m, "armhf", "/lib/ld-linux-armhf.so.3", 0x5000400);
	add_section(&m, 0x70000003, v7, sizeof(arm_v7) - 1);
	assert_int_equal(elf_read(m.data, m.len, &e, &err), 0);
	assert_string_equal(e.cpu, "ARMv7-A, VFPv3-D16, Thumb-2");
	assert_int_equal(e.attr_float, ELF_FLOAT_HARD);
	assert_false(e.float_conflict);
	/* the same in two pieces, as it is read from a large file */
	uint64_t at = 0, size = 0;
	assert_true(elf_tail(m.data, m.len, &at, &size));
	assert_int_equal(at + size, m.len);
	const struct elf_part parts[] = {{0, m.data, 52 + 2 * 32 + 32},
					 {100, m.data + 100, m.len - 100}};
	struct elf_info pieces;
	assert_int_equal(elf_read_parts(parts, 2, &pieces, &err), 0);
	assert_string_equal(pieces.cpu, e.cpu);
	/* a header that says soft does not agree with them */
	make_elf(&m, "armel", NULL, 0x5000200);
	add_section(&m, 0x70000003, v7, sizeof(arm_v7) - 1);
	assert_int_equal(elf_read(m.data, m.len, &e, &err), 0);
	assert_int_equal(e.float_abi, ELF_FLOAT_SOFT);
	assert_true(e.float_conflict);
	/* cut or damaged anywhere: never more than what is there is read */
	for (size_t n = 0; n < m.len; n++) {
		unsigned char *copy = malloc(n == 0 ? 1 : n);
		memcpy(copy, m.data, n);
		(void)elf_read(copy, n, &e, NULL);
		free(copy);
		struct made broken = m;
		broken.data[n] ^= 0xff;
		(void)elf_read(broken.data, broken.len, &e, NULL);
	}
}

static void other_machines_name_their_cpu(void **state)
{
	static const unsigned char mips[24] = {0, 0, 32, 2, 1, 1, 0, 3};
	static const char riscv[] = "A\x1f\0\0\0riscv\0\1\x15\0\0\0\4\x10\5rv64i2p1_m2\0";
	static const char gnu[] = "A\0\0\0\x0f"
				  "gnu\0\1\0\0\0\7\4\2";
	struct made m;
	struct elf_info e;
	struct err err = ERR_INIT;

	(void)state;
	make_elf(&m, "mipsel", NULL, 0x70001007);
	add_section(&m, 0x7000002a, mips, sizeof(mips));
	assert_int_equal(elf_read(m.data, m.len, &e, &err), 0);
	assert_string_equal(e.cpu, "MIPS32r2, soft float");
	assert_int_equal(e.float_abi, ELF_FLOAT_SOFT);
	assert_string_equal(e.float_origin, "attributes");
	char made[sizeof(riscv)];
	memcpy(made, riscv, sizeof(riscv));
	made[1] = (char)(sizeof(riscv) - 2);
	made[12] = (char)(sizeof(riscv) - 1 - 11);
	make_elf(&m, "riscv64", NULL, 5);
	add_section(&m, 0x70000003, made, sizeof(riscv) - 1);
	assert_int_equal(elf_read(m.data, m.len, &e, &err), 0);
	assert_string_equal(e.cpu, "rv64i2p1_m2, double float");
	make_elf(&m, "powerpc", NULL, 0);
	add_section(&m, 0x6ffffff5, gnu, sizeof(gnu) - 1);
	assert_int_equal(elf_read(m.data, m.len, &e, &err), 0);
	assert_string_equal(e.cpu, "soft float");
	make_elf(&m, "ppc64el", NULL, 2);
	assert_int_equal(elf_read(m.data, m.len, &e, &err), 0);
	assert_string_equal(e.cpu, "ELFv2");
	make_elf(&m, "loong64", NULL, 0x43);
	assert_int_equal(elf_read(m.data, m.len, &e, &err), 0);
	assert_string_equal(e.cpu, "double float");
}

/* For the live tests: what is read of each file, a line each. */
static int show(int n, char **paths)
{
	int bad = 0;

	for (int i = 0; i < n; i++) {
		struct buf b = BUF_INIT;
		struct elf_info e;
		struct err err = ERR_INIT;

		if (fs_read(paths[i], 64 << 20, &b, &err) != 0 ||
		    elf_read(b.data, b.len, &e, &err) != 0) {
			printf("%s: %s\n", paths[i], err.msg);
			bad = 1;
		} else {
			printf("%s|%d|%s|%s|%s\n", e.arch == NULL ? e.machine_name : e.arch, e.bits,
			       elf_float_name(e.float_abi), e.float_conflict ? "conflict" : "",
			       e.cpu);
		}
		buf_release(&b);
	}
	return bad;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return show(argc - 1, argv + 1);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_every_architecture),
		cmocka_unit_test(float_abi_is_flags_then_interpreter),
		cmocka_unit_test(an_object_file_has_no_float_abi),
		cmocka_unit_test(other_machines_float),
		cmocka_unit_test(every_truncation_is_survived),
		cmocka_unit_test(hostile_headers_are_refused),
		cmocka_unit_test(random_damage_is_survived),
		cmocka_unit_test(reads_its_own_program),
		cmocka_unit_test(reads_real_armel),
		cmocka_unit_test(attributes_name_the_cpu),
		cmocka_unit_test(other_machines_name_their_cpu),
		cmocka_unit_test(reads_real_armhf),
	};

	return cmocka_run_group_tests_name("elf", tests, NULL, NULL);
}
