/* The kinds with a root folder, up to a program that runs in one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/proc.h"
#include "base/text.h"
#include "facts/elf.h"
#include "system/guard.h"
#include "system/kinds.h"
#include "system/rooted.h"
#include "system/sandbox.h"

static int setup(void **state)
{
	char template[] = "/tmp/lampduel rooted-XXXXXX";

	assert_non_null(mkdtemp(template));
	*state = mem_strdup(template);
	return 0;
}

static int teardown(void **state)
{
	assert_int_equal(fs_remove_tree(*state, NULL), 0);
	free(*state);
	return 0;
}

static void put(const char *root, const char *name, const void *data, size_t len)
{
	char *path = fs_join(root, name);
	char *slash = strrchr(path, '/');

	*slash = '\0';
	assert_int_equal(fs_mkdirs(path, 0755, NULL), 0);
	*slash = '/';
	assert_int_equal(fs_write_atomic(path, data, len, 0755, NULL), 0);
	free(path);
}

static void the_architecture_comes_from_the_programs(void **state)
{
	unsigned char elf[ELF_SAMPLE];
	struct rooted r;
	struct err err = ERR_INIT;

	assert_true(rooted_look(*state, &r, &err) < 0);
	assert_non_null(strstr(err.msg, "no programs"));
	put(*state, "usr/bin/script", "#!/bin/sh\n", 10);
	put(*state, "bin/sh", "\177ELF", 4);
	char *pipe = fs_join(*state, "usr/bin/a-pipe");
	assert_int_equal(mkfifo(pipe, 0600), 0); /* must not be waited for */
	free(pipe);
	assert_true(rooted_look(*state, &r, &err) < 0);
	assert_true(elf_sample_header("armel", false, elf));
	put(*state, "usr/bin/zz", elf, sizeof(elf));
	assert_int_equal(rooted_look(*state, &r, &err), 0);
	assert_string_equal(r.arch, "armel");
	assert_int_equal(r.float_abi, ELF_FLOAT_SOFT);
	assert_string_equal(r.program, "/usr/bin/zz");
	rooted_release(&r);
	/* what is measured is looked at before anything else; links are followed inside the root */
	assert_true(elf_sample_header("s390x", false, elf));
	put(*state, "opt/openssl-3", elf, sizeof(elf));
	char *link = fs_join(*state, "usr/bin/openssl");
	assert_int_equal(symlink("/opt/openssl-3", link), 0);
	free(link);
	assert_int_equal(rooted_look(*state, &r, &err), 0);
	assert_string_equal(r.arch, "s390x");
	assert_int_equal(r.float_abi, ELF_FLOAT_UNKNOWN);
	rooted_release(&r);
	assert_true(rooted_look("/nowhere/at/all", &r, &err) < 0);
}

static void a_sample_needs_no_interpreter(void **state)
{
	struct rooted r;
	struct err err = ERR_INIT;

	(void)state;
	if (rooted_look("/", &r, &err) != 0)
		fail_msg("%s", err.msg);
	assert_non_null(r.sample);
	struct buf head = BUF_INIT;
	struct elf_info e;
	assert_int_equal(fs_read_head(r.sample, ELF_HEAD, &head, NULL), 0);
	assert_int_equal(elf_read(head.data, head.len, &e, NULL), 0);
	assert_true(e.is_static);
	buf_release(&head);
	rooted_release(&r);
}

static void targets_are_checked(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(dir_kind.check("dir:/srv/root", &err), 0);
	assert_int_equal(dir_kind.check("dir:relative", &err), ERR_USAGE);
	assert_int_equal(dir_kind.check("dir:", &err), ERR_USAGE);
	assert_int_equal(debian_kind.check("debian:trixie/arm64", &err), 0);
	assert_int_equal(debian_kind.check("debian:trixie", &err), ERR_USAGE);
}

/* Opens target, runs openssl version and gives its output; skips where no sandbox works. */
static struct system *open_target(const char *target, const char *dir, struct guard **g,
				  const char *cpu, struct clock *clock, struct err *err)
{
	struct sandbox_probe p;

	sandbox_probe(&p);
	bool works = p.bubblewrap;
	if (!works)
		print_message("skipped: %s\n", p.why_not);
	sandbox_probe_release(&p);
	if (!works)
		skip();
	clock_init_real(clock);
	/* of its own: ending a run ends every process with its mark, of other tests too */
	char *run_id = guard_new_run_id();
	*g = guard_new_run_dir(dir, run_id, err);
	assert_non_null(*g);
	char *run_dir = guard_system_dir(*g, "one", err);
	struct system_options o = {.name = "one",
				   .target = target,
				   .cpu = cpu,
				   .run_id = run_id,
				   .run_dir = run_dir,
				   .cache_dir = dir,
				   .clock = clock};
	struct system *s = system_open(&o, err);
	free(run_dir);
	free(run_id);
	return s;
}

static void expect_openssl(struct system *s)
{
	struct strvec argv = STRVEC_INIT;
	struct exec_request q = {.argv = &argv, .timeout_ns = 60 * NS_PER_S};
	struct step step = {.name = "version", .attempt = 1};
	struct outcome out;
	struct err err = ERR_INIT;

	strvec_push(&argv, "openssl");
	strvec_push(&argv, "version");
	if (system_exec(s, &step, &q, &out, &err) != 0)
		fail_msg("%s", err.msg);
	if (out.status != OUTCOME_OK)
		fail_msg("%s: %s", out.reason, buf_str(&out.err));
	assert_true(text_starts(buf_str(&out.out), "OpenSSL ") ||
		    text_starts(buf_str(&out.out), "LibreSSL "));
	outcome_release(&out);
	strvec_release(&argv);
}

static void this_machines_root_is_native(void **state)
{
	struct err err = ERR_INIT;
	struct guard *g = NULL;
	struct clock clock;
	char *openssl = proc_find("openssl");

	free(openssl);
	if (openssl == NULL) {
		print_message("skipped: no openssl here\n");
		skip();
	}
	struct system *s = open_target("dir:/", *state, &g, NULL, &clock, &err);
	if (s == NULL)
		fail_msg("%s", err.msg);
	assert_string_equal(factset_get(&s->facts, "kernel.shared"), "yes");
	assert_string_equal(factset_get(&s->facts, "arch"), s->arch);
	assert_non_null(factset_get(&s->facts, "os.name"));
	if (s->emulated)
		assert_string_equal(factset_get(&s->facts, "cpu.emulated"), "yes");
	else
		assert_string_equal(factset_get(&s->facts, "cpu.emulated"), "no");
	expect_openssl(s);
	system_close(s);
	guard_end(g);
}

static void an_armel_root_is_emulated_or_native_but_known(void **state)
{
	const char *folder = getenv("LAMPDUEL_TEST_ROOTS");
	struct err err = ERR_INIT;
	struct guard *g = NULL;
	struct clock clock;
	char *target = mem_printf("dir:%s/root-armel", folder == NULL ? "/nowhere" : folder);
	char *qemu = proc_find("qemu-arm-static");

	free(qemu);
	if (!fs_is_dir(system_target_rest(target)) || qemu == NULL) {
		print_message("skipped: no armel installation (LAMPDUEL_TEST_ROOTS) or no "
			      "qemu-arm-static\n");
		free(target);
		skip();
	}
	struct system *s = open_target(target, *state, &g, NULL, &clock, &err);
	if (s == NULL)
		fail_msg("%s", err.msg);
	assert_string_equal(s->arch, "armel");
#if defined(__x86_64__)
	assert_true(s->emulated);
	assert_string_equal(s->emulated_cpu, "cortex-a7");
	assert_true(text_starts(s->emulator, "qemu-arm "));
	assert_non_null(strstr(factset_get(&s->facts, "cpu.emulator"), ", -cpu cortex-a7"));
#endif
	expect_openssl(s);
	system_close(s);
	guard_end(g);
	s = open_target(target, *state, &g, "no-such-cpu", &clock, &err);
	assert_null(s);
	assert_non_null(strstr(err.msg, "no-such-cpu"));
	guard_end(g);
	free(target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_architecture_comes_from_the_programs, setup,
						teardown),
		cmocka_unit_test(a_sample_needs_no_interpreter),
		cmocka_unit_test(targets_are_checked),
		cmocka_unit_test_setup_teardown(this_machines_root_is_native, setup, teardown),
		cmocka_unit_test_setup_teardown(an_armel_root_is_emulated_or_native_but_known,
						setup, teardown),
	};

	return cmocka_run_group_tests_name("rooted", tests, NULL, NULL);
}
