#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/text.h"
#include "system/emulate.h"

/* A folder with a made binfmt_misc, emulators and os-release. */
struct place {
	char *dir, *binfmt, *bin, *os_release;
	struct emulate_host host;
};

#define ARM_MAGIC "7f454c4601010100000000000000000002002800"
#define ARM_MASK "ffffffffffffff00fffffffffffffffffeffffff"

static void write_file(const char *dir, const char *name, const char *text, mode_t mode)
{
	char *path = fs_join(dir, name);

	assert_int_equal(fs_write_atomic(path, text, strlen(text), mode, NULL), 0);
	free(path);
}

static int setup(void **state)
{
	struct place *p = mem_alloc(sizeof(*p));
	char template[] = "/tmp/lampduel-emulate-XXXXXX";

	assert_non_null(mkdtemp(template));
	p->dir = mem_strdup(template);
	p->binfmt = fs_join(p->dir, "binfmt");
	p->bin = fs_join(p->dir, "bin");
	p->os_release = fs_join(p->dir, "os-release");
	assert_int_equal(fs_mkdirs(p->binfmt, 0755, NULL), 0);
	assert_int_equal(fs_mkdirs(p->bin, 0755, NULL), 0);
	write_file(p->dir, "os-release", "ID=debian\nVERSION_ID=\"12\"\n", 0644);
	write_file(p->binfmt, "status", "enabled\n", 0644);
	p->host = (struct emulate_host){.machine = "x86_64",
					.binfmt_dir = p->binfmt,
					.folders = p->bin,
					.os_release = p->os_release};
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	struct place *p = *state;

	assert_int_equal(fs_remove_tree(p->dir, NULL), 0);
	free(p->dir);
	free(p->binfmt);
	free(p->bin);
	free(p->os_release);
	free(p);
	return 0;
}

static void fake_emulator(struct place *p, const char *name)
{
	write_file(p->bin, name,
		   "#!/bin/sh\n"
		   "case $1 in\n"
		   "--version) echo 'qemu-fake version 9.8.7 (Debian 1:9.8)' ;;\n"
		   "-cpu) printf 'Available CPUs:\\n  arm1176\\n  cortex-a7\\n  cortex-a72\\n' ;;\n"
		   "esac\n",
		   0755);
}

static void machines_run_what_they_run(void **state)
{
	static const struct {
		const char *machine;
		bool compat32;
		const char *arch;
		bool runs;
	} cases[] = {
		{"x86_64", true, "amd64", true},    {"x86_64", true, "i386", true},
		{"x86_64", true, "armel", false},   {"i686", true, "amd64", false},
		{"aarch64", true, "arm64", true},   {"aarch64", true, "armhf", true},
		{"aarch64", true, "armel", true},   {"aarch64", false, "armhf", false},
		{"aarch64", false, "armel", false}, {"aarch64", true, "amd64", false},
		{"armv7l", true, "armhf", true},    {"armv7l", true, "armel", true},
		{"armv6l", true, "armel", true},    {"armv6l", true, "armhf", false},
		{"armv7l", true, "arm64", false},   {"riscv64", false, "riscv64", true},
		{"x86_64", true, "md64", false},    {"pdp11", true, "amd64", false},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct emulate_host h = {.compat32 = cases[i].compat32};
		(void)snprintf(h.machine, sizeof(h.machine), "%s", cases[i].machine);
		if (emulate_cpu_runs(&h, cases[i].arch) != cases[i].runs)
			fail_msg("%s on %s", cases[i].arch, cases[i].machine);
	}
}

static void a_native_system_says_so(void **state)
{
	struct place *p = *state;
	struct emulation e;
	struct err err = ERR_INIT;

	assert_int_equal(emulate_find(&p->host, "amd64", NULL, NULL, &e, &err), 0);
	assert_false(e.emulated);
	assert_null(e.program);
	assert_null(emulation_text(&e));
	assert_string_equal(e.reason, "this CPU (x86_64) runs them");
	emulation_release(&e);
	assert_int_equal(emulate_find(&p->host, "amd64", NULL, "pentium3", &e, &err), ERR_USAGE);
	assert_non_null(strstr(err.msg, "pentium3"));
}

static void an_emulator_is_found_and_named(void **state)
{
	struct place *p = *state;
	struct emulation e;
	struct err err = ERR_INIT;

	fake_emulator(p, "qemu-arm-static");
	assert_int_equal(emulate_find(&p->host, "armel", NULL, NULL, &e, &err), 0);
	assert_true(e.emulated);
	assert_string_equal(e.name, "qemu-arm");
	assert_string_equal(e.version, "9.8.7");
	assert_string_equal(e.cpu, "cortex-a7");
	assert_true(text_starts(e.program, p->bin));
	char *text = emulation_text(&e);
	assert_string_equal(text, "qemu-arm 9.8.7, -cpu cortex-a7");
	free(text);
	emulation_release(&e);
	assert_int_equal(emulate_find(&p->host, "armhf", NULL, "cortex-a72,neon=off", &e, &err), 0);
	assert_string_equal(e.cpu, "cortex-a72,neon=off");
	emulation_release(&e);
	/* the beginning of a known name is no name */
	assert_int_equal(emulate_find(&p->host, "armhf", NULL, "cortex", &e, &err), ERR_USAGE);
	assert_non_null(strstr(err.msg, "'cortex'"));
}

static void a_missing_emulator_names_its_package(void **state)
{
	struct place *p = *state;
	struct emulation e;
	struct err err = ERR_INIT;

	assert_true(emulate_find(&p->host, "hppa", NULL, NULL, &e, &err) < 0);
	assert_non_null(strstr(err.msg, "qemu-hppa is missing: apt-get install qemu-user-static"));
	write_file(p->dir, "os-release", "ID=debian\nVERSION_ID=\"13\"\n", 0644);
	assert_true(emulate_find(&p->host, "hppa", NULL, NULL, &e, &err) < 0);
	assert_non_null(strstr(err.msg, "apt-get install qemu-user"));
	assert_null(strstr(err.msg, "qemu-user-static"));
	assert_true(emulate_find(&p->host, "vax", NULL, NULL, &e, &err) < 0);
	assert_non_null(strstr(err.msg, "no emulator"));
}

static void packages_by_release(void **state)
{
	struct place *p = *state;

	assert_string_equal(emulate_package(&p->host), "qemu-user-static");
	write_file(p->dir, "os-release", "VERSION_ID=13\nID=debian\n", 0644);
	assert_string_equal(emulate_package(&p->host), "qemu-user");
	write_file(p->dir, "os-release", "ID=debian\nVERSION_CODENAME=sid\n", 0644);
	assert_string_equal(emulate_package(&p->host), "qemu-user");
	write_file(p->dir, "os-release", "ID=ubuntu\nVERSION_ID=\"24.04\"\n", 0644);
	assert_string_equal(emulate_package(&p->host), "qemu-user-static");
}

static void binfmt_entries_are_matched(void **state)
{
	struct place *p = *state;
	char *found = NULL;

	assert_null(emulate_binfmt(&p->host, "armhf"));
	write_file(p->binfmt, "qemu-arm",
		   "enabled\ninterpreter /usr/bin/qemu-arm-static\nflags: OCF\noffset 0\n"
		   "magic " ARM_MAGIC "\nmask " ARM_MASK "\n",
		   0644);
	write_file(p->binfmt, "python3",
		   "enabled\ninterpreter /usr/bin/python3\nflags: \n"
		   "offset 0\nmagic cb0d0d0a\n",
		   0644);
	found = emulate_binfmt(&p->host, "armhf");
	assert_string_equal(found, "/usr/bin/qemu-arm-static");
	free(found);
	found = emulate_binfmt(&p->host, "armel");
	assert_string_equal(found, "/usr/bin/qemu-arm-static");
	free(found);
	assert_null(emulate_binfmt(&p->host, "arm64"));
	assert_null(emulate_binfmt(&p->host, "amd64"));
	write_file(p->binfmt, "qemu-arm",
		   "disabled\ninterpreter /usr/bin/qemu-arm-static\nflags: OCF\noffset 0\n"
		   "magic " ARM_MAGIC "\nmask " ARM_MASK "\n",
		   0644);
	assert_null(emulate_binfmt(&p->host, "armhf"));
}

static void damaged_binfmt_entries_match_nothing(void **state)
{
	static const char *const texts[] = {
		"",
		"enabled\n",
		"enabled\ninterpreter /x\noffset 0\nmagic 7g454c46\n",
		"enabled\ninterpreter /x\noffset 4294967295\nmagic 7f454c46\n",
		"enabled\ninterpreter /x\noffset 63\nmagic 7f454c46\n",
		"enabled\ninterpreter /x\noffset 0\nmagic 7f454\n",
		"enabled\ninterpreter /x\nflags: \nextension .exe\n",
	};
	struct place *p = *state;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		write_file(p->binfmt, "odd", texts[i], 0644);
		assert_null(emulate_binfmt(&p->host, "amd64"));
	}
	write_file(p->binfmt, "odd", "enabled\ninterpreter /x\noffset 0\nmagic 7f454c46\n", 0644);
	char *found = emulate_binfmt(&p->host, "amd64");
	assert_string_equal(found, "/x");
	free(found);
	write_file(p->binfmt, "status", "disabled\n", 0644);
	assert_null(emulate_binfmt(&p->host, "amd64"));
}

static void binfmt_is_never_sold_as_native(void **state)
{
	struct place *p = *state;
	struct emulation e;
	struct err err = ERR_INIT;

	/* a CPU that runs them itself, and an entry that takes them away from it */
	(void)snprintf(p->host.machine, sizeof(p->host.machine), "armv7l");
	write_file(p->binfmt, "qemu-arm",
		   "enabled\ninterpreter /nowhere/qemu-arm-static\nflags: F\noffset 0\n"
		   "magic " ARM_MAGIC "\nmask " ARM_MASK "\n",
		   0644);
	fake_emulator(p, "qemu-arm-static");
	assert_int_equal(emulate_find(&p->host, "armhf", NULL, NULL, &e, &err), 0);
	assert_true(e.emulated);
	assert_string_equal(e.name, "qemu-arm");
	assert_string_equal(e.reason, "binfmt_misc hands them to /nowhere/qemu-arm-static");
	emulation_release(&e);
}

static void the_kernel_is_asked(void **state)
{
	struct place *p = *state;
	char *other = NULL;
	char *self = realpath("/proc/self/exe", NULL);
	struct emulation e;

	enum emulate_answer answer = emulate_ask_kernel(self, &other);
	if (answer == EMULATE_UNKNOWN) {
		print_message("ptrace is not allowed here\n");
		free(self);
		skip();
	}
	assert_int_equal(answer, EMULATE_NATIVE);
	assert_null(other);
	/* a script is run by another program, as a binfmt_misc entry would have it */
	write_file(p->dir, "script", "#!/bin/sh\nexit 0\n", 0755);
	char *script = fs_join(p->dir, "script");
	assert_int_equal(emulate_ask_kernel(script, &other), EMULATE_OTHER);
	assert_non_null(other);
	free(other);
	write_file(p->dir, "script", "\177ELF nothing of the kind", 0755);
	assert_int_equal(emulate_ask_kernel(script, &other), EMULATE_REFUSED);
	assert_null(other);
	assert_int_equal(emulate_ask_kernel("/nowhere", &other), EMULATE_UNKNOWN);
	/* what the kernel says goes before the table: here a CPU said to run armhf does not */
	(void)snprintf(p->host.machine, sizeof(p->host.machine), "armv7l");
	fake_emulator(p, "qemu-arm-static");
	assert_int_equal(emulate_find(&p->host, "armhf", script, NULL, &e, NULL), 0);
	assert_true(e.emulated);
	emulation_release(&e);
	free(script);
	free(self);
}

static void this_machine_is_described(void **state)
{
	struct emulate_host h;
	int before = personality(0xffffffff);

	(void)state;
	emulate_host_init(&h);
	assert_true(strlen(h.machine) > 2);
	assert_int_equal(personality(0xffffffff), before);
#if defined(__x86_64__)
	assert_string_equal(h.machine, "x86_64");
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machines_run_what_they_run),
		cmocka_unit_test_setup_teardown(a_native_system_says_so, setup, teardown),
		cmocka_unit_test_setup_teardown(an_emulator_is_found_and_named, setup, teardown),
		cmocka_unit_test_setup_teardown(a_missing_emulator_names_its_package, setup,
						teardown),
		cmocka_unit_test_setup_teardown(packages_by_release, setup, teardown),
		cmocka_unit_test_setup_teardown(binfmt_entries_are_matched, setup, teardown),
		cmocka_unit_test_setup_teardown(damaged_binfmt_entries_match_nothing, setup,
						teardown),
		cmocka_unit_test_setup_teardown(binfmt_is_never_sold_as_native, setup, teardown),
		cmocka_unit_test_setup_teardown(the_kernel_is_asked, setup, teardown),
		cmocka_unit_test(this_machine_is_described),
	};

	return cmocka_run_group_tests_name("emulate", tests, NULL, NULL);
}
