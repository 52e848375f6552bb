/* measure/checkup: what a machine's facts and state say about measuring on it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "measure/checkup.h"

/* Facts as "key=value" lines. */
static void set_facts(struct factset *f, const char *text)
{
	char *copy = mem_strdup(text);
	char *save = NULL;

	for (char *line = strtok_r(copy, "\n", &save); line != NULL;
	     line = strtok_r(NULL, "\n", &save)) {
		char *equal = strchr(line, '=');
		*equal = '\0';
		factset_set(f, line, equal + 1, "test");
	}
	free(copy);
}

static void expect(const char *facts, const char *before, const char *after,
		   const struct checkup_more *more, const char *expected)
{
	static const char *const words[] = {"fine", "note", "bad"};
	struct checkup found = {{0}};
	struct factset f = {0};
	struct buf b = BUF_INIT;
	struct validity x;
	struct validity y;

	set_facts(&f, facts);
	validity_read(before, &x);
	validity_read(after, &y);
	checkup_machine(&f, &x, &y, more, &found);
	for (size_t i = 0; i < found.lines.n; i++)
		buf_addf(&b, "%s %s: %s\n", words[found.lines.v[i].finding], found.lines.v[i].what,
			 found.lines.v[i].text);
	assert_string_equal(buf_str(&b), expected);
	buf_release(&b);
	checkup_release(&found);
	factset_release(&f);
}

static void nothing_known_is_said(void **state)
{
	const struct checkup_more more = {CHECKUP_UNKNOWN, CHECKUP_UNKNOWN, -1, NULL};

	(void)state;
	expect("", "", "", &more,
	       "note governor: not known: the machine does not say who sets its clock\n"
	       "note load: not known: /proc/stat cannot be read there\n");
}

static void a_quiet_board_is_fine(void **state)
{
	const struct checkup_more more = {CHECKUP_YES, CHECKUP_YES, INT64_C(600000000), NULL};

	(void)state;
	expect("cpu.governor=performance\ncpu.cores=4\nvirtual.machine=none\nstorage.model=SD32G (microSD)\n",
	       "cpu0 0 0 0 0\npswpin 3\npswpout 4\nthrottled 0x0\ntemp 48000\n",
	       "cpu0 4 0 0 196\npswpin 3\npswpout 4\nthrottled 0x0\ntemp 48300\n", &more,
	       "fine governor: performance: the clock stays where it is\n"
	       "fine load: other programs use 2 % of the CPUs\n"
	       "fine steal: the hypervisor takes 0.0 % of the CPUs\n"
	       "fine throttling: none since the machine was started\n"
	       "fine temperature: 48 degrees Celsius\n"
	       "fine swap: nothing is swapped in or out\n"
	       "fine storage: SD32G (microSD)\n"
	       "fine memory: 600 MB are free\n"
	       "fine clock: kept right by a time server\n");
}

static void what_is_noisy_is_said_with_what_to_do(void **state)
{
	const struct checkup_more more = {CHECKUP_NO, CHECKUP_NO, INT64_C(100000000),
					  "cc1 (pid 12)"};

	(void)state;
	expect("cpu.governor=ondemand\ncpu.cores=1\ncpu.smt=on\nvirtual.machine=KVM\n"
	       "virtual.container=docker\n",
	       "cpu0 0 0 0 0 0 0 0 0\npswpin 3\npswpout 4\nthrottled 0x50000\ntemp 78000\n",
	       "cpu0 50 0 0 130 0 0 0 20\npswpin 9\npswpout 4\nthrottled 0x50005\ntemp 78000\n",
	       &more,
	       "note CPUs: there is one, which client and servers share: times hold some of the "
	       "client's\n"
	       "note governor: ondemand: the clock changes while measuring; keep it still, as "
	       "root: echo performance | tee "
	       "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor\n"
	       "note SMT: two CPUs share a core: what runs on one slows the other; as root: echo "
	       "off | tee /sys/devices/system/cpu/smt/control\n"
	       "note load: other programs use 25 % of the CPUs, most of all cc1 (pid 12): stop "
	       "them, or wait; samples are repeated while that is so\n"
	       "note steal: the hypervisor takes 10 % of the CPUs: other machines on the host are "
	       "busy, measure at another time\n"
	       "bad throttling: the voltage is too low: every sample would be repeated; a stronger "
	       "power supply, a shorter cable\n"
	       "bad throttling: the CPU is throttled: every sample would be repeated; cooling, and "
	       "power\n"
	       "note temperature: 78 degrees Celsius: let it cool down, most CPUs slow down a "
	       "little further up\n"
	       "note swap: the machine is swapping: end programs that need memory\n"
	       "note machine: KVM: what else its host does is seen as steal at best\n"
	       "note container: docker: its limits, and its neighbours, are part of what is "
	       "measured\n"
	       "note memory: 100 MB are free: servers of two systems need some 300\n"
	       "note power: the machine runs on its battery, which slows most of them down: plug "
	       "it in\n"
	       "note clock: no time server keeps it right: dates may be wrong, and a clock that is "
	       "set meanwhile costs a sample\n");
}

static void what_happened_before_is_no_fault_now(void **state)
{
	const struct checkup_more more = {CHECKUP_UNKNOWN, CHECKUP_UNKNOWN, -1, NULL};

	(void)state;
	expect("cpu.governor=performance\n", "cpu0 0 0 0 0\nthrottled 10000\n",
	       "cpu0 0 0 0 200\nthrottled 10000\n", &more,
	       "fine governor: performance: the clock stays where it is\n"
	       "fine load: other programs use 0 % of the CPUs\n"
	       "fine steal: the hypervisor takes 0.0 % of the CPUs\n"
	       "note throttling: the voltage was too low at some time since the machine was "
	       "started, not now; a stronger power supply, a shorter cable\n");
	expect("cpu.governor=performance\n", "cpu0 0 0 0 0\nundervoltage 0\n",
	       "cpu0 0 0 0 200\nundervoltage 1\n", &more,
	       "fine governor: performance: the clock stays where it is\n"
	       "fine load: other programs use 0 % of the CPUs\n"
	       "fine steal: the hypervisor takes 0.0 % of the CPUs\n"
	       "bad power: the voltage is too low: a stronger power supply, a shorter cable\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_known_is_said),
		cmocka_unit_test(a_quiet_board_is_fine),
		cmocka_unit_test(what_is_noisy_is_said_with_what_to_do),
		cmocka_unit_test(what_happened_before_is_no_fault_now),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
