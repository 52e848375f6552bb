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
	static const char *const words[] = {"fine", "note", "bad", "unknown"};
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

/* The lines after those of the load, of a machine that says nothing more. */
#define REST_UNKNOWN                                                                               \
	"unknown machine: it does not say whether it is a virtual one\n"                           \
	"unknown storage: what the files lie on is not said there\n"                               \
	"unknown memory: how much is free is not said there\n"                                     \
	"unknown disk: how much is free is not said there\n"                                       \
	"unknown power: it does not say whether a battery drives it\n"                             \
	"unknown clock: nothing there tells whether a time server keeps it right: compare its "    \
	"date with another machine's\n"

static void nothing_known_is_said(void **state)
{
	struct checkup_more more = {.busiest = NULL};

	(void)state;
	checkup_read("", &more);
	expect("", "", "", &more,
	       "unknown governor: the machine does not say who sets its clock\n"
	       "unknown load: /proc/stat cannot be read there\n"
	       "unknown steal: /proc/stat does not say what a hypervisor takes\n"
	       "unknown throttling: neither firmware nor driver tells of it: watch for samples "
	       "that take longer one after another\n"
	       "unknown swap: /proc/vmstat cannot be read there\n" REST_UNKNOWN);
}

static void a_quiet_board_is_fine(void **state)
{
	struct checkup_more more = {.busiest = NULL};

	(void)state;
	checkup_read("memory 600000\nswap 0\ndisk 5000000\npower mains\nclock yes\n", &more);
	expect("cpu.governor=performance\ncpu.cores=4\nstorage.model=SD32G (microSD)\n"
	       "storage.kind=said not to turn\nstorage.filesystem=ext4\nvirtual.machine=none\n",
	       "cpu0 0 0 0 0\npswpin 3\npswpout 4\nthrottled 0x0\ntemp 48000\n",
	       "cpu0 4 0 0 196\npswpin 3\npswpout 4\nthrottled 0x0\ntemp 48300\n", &more,
	       "fine governor: performance: the clock stays where it is\n"
	       "fine load: other programs use 2 % of the CPUs\n"
	       "fine steal: the hypervisor takes 0.0 % of the CPUs\n"
	       "fine throttling: none since the machine was started\n"
	       "fine temperature: 48 degrees Celsius\n"
	       "fine swap: nothing is swapped out\n"
	       "fine machine: no hypervisor is seen\n"
	       "fine storage: SD32G (microSD), ext4\n"
	       "fine memory: 614 MB are free\n"
	       "fine disk: 5120 MB are free\n"
	       "fine power: no battery drives the machine\n"
	       "fine clock: kept right by a time server\n");
}

static void what_is_noisy_is_said_with_what_to_do(void **state)
{
	struct checkup_more more = {.busiest = "cc1 (pid 12)"};

	(void)state;
	checkup_read("memory 100000\nswap 100\ndisk 100000\npower battery\nclock no\n", &more);
	expect("cpu.governor=ondemand\ncpu.cores=1\ncpu.smt=on\nvirtual.machine=KVM\n"
	       "virtual.container=docker\nstorage.device=/dev/vda1\nstorage.kind=said to turn\n",
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
	       "fine storage: /dev/vda1, said to turn\n"
	       "note memory: 102 MB are free: servers of two systems need some 300\n"
	       "note disk: 102 MB are free: servers of two systems need some 400\n"
	       "note power: the machine runs on its battery, which slows most of them down: plug "
	       "it in\n"
	       "note clock: no time server keeps it right: dates may be wrong, and a clock that is "
	       "set meanwhile costs a sample\n");
}

static void what_happened_before_is_no_fault_now(void **state)
{
	struct checkup_more more = {.busiest = NULL};

	(void)state;
	checkup_read("swap 99609\n", &more);
	expect("cpu.governor=performance\n", "cpu0 0 0 0 0 0 0 0 0\nthrottled 10000\n",
	       "cpu0 0 0 0 200 0 0 0 0\nthrottled 10000\n", &more,
	       "fine governor: performance: the clock stays where it is\n"
	       "fine load: other programs use 0 % of the CPUs\n"
	       "fine steal: the hypervisor takes 0.0 % of the CPUs\n"
	       "note throttling: the voltage was too low at some time since the machine was "
	       "started, not now; a stronger power supply, a shorter cable\n"
	       "note swap: 101 MB are swapped out, and slow what needs them again: end programs "
	       "that need memory\n" REST_UNKNOWN);
	checkup_read("swap 20\n", &more);
	expect("cpu.governor=performance\n",
	       "cpu0 0 0 0 0\nundervoltage 0\ncore_throttle_ms 12\ncore_throttle_ms 0\n",
	       "cpu0 0 0 0 200\nundervoltage 1\ncore_throttle_ms 12\ncore_throttle_ms 0\n", &more,
	       "fine governor: performance: the clock stays where it is\n"
	       "fine load: other programs use 0 % of the CPUs\n"
	       "fine steal: the hypervisor takes 0.0 % of the CPUs\n"
	       "bad voltage: the voltage is too low: a stronger power supply, a shorter cable\n"
	       "note throttling: the CPU was throttled for 12 ms since the machine was started, "
	       "not "
	       "now; cooling\n"
	       "fine swap: 0 MB are swapped out, nothing moves\n" REST_UNKNOWN);
}

static void cores_throttled_meanwhile_are_bad(void **state)
{
	struct checkup_more more = {.busiest = NULL};

	(void)state;
	checkup_read("", &more);
	expect("cpu.governor=performance\nvirtual.machine=none\n",
	       "cpu0 0 0 0 0\ncore_throttle_ms 12\n", "cpu0 0 0 0 200\ncore_throttle_ms 13\n",
	       &more,
	       "fine governor: performance: the clock stays where it is\n"
	       "fine load: other programs use 0 % of the CPUs\n"
	       "fine steal: the hypervisor takes 0.0 % of the CPUs\n"
	       "bad throttling: the CPU is throttled: samples would be repeated; cooling, and "
	       "power\n"
	       "unknown swap: /proc/vmstat cannot be read there\n"
	       "fine machine: no hypervisor is seen\n"
	       "unknown storage: what the files lie on is not said there\n"
	       "unknown memory: how much is free is not said there\n"
	       "unknown disk: how much is free is not said there\n"
	       "unknown power: it does not say whether a battery drives it\n"
	       "unknown clock: nothing there tells whether a time server keeps it right: compare "
	       "its date with another machine's\n");
}

/* What is no number, or none that a machine has, is unknown, not zero. */
static void nonsense_is_unknown(void **state)
{
	struct checkup_more more = {.busiest = "x"};

	(void)state;
	checkup_read("memory\nmemory many\nswap -5\ndisk 99999999999999999\n\n nothing\n"
		     "power battery",
		     &more);
	assert_true(more.memory_free == -1);
	assert_true(more.swap_used == -1);
	assert_true(more.disk_free == -1);
	assert_int_equal(more.on_mains, CHECKUP_NO);
	assert_int_equal(more.clock_kept, CHECKUP_NOT_SAID);
	assert_string_equal(more.busiest, "x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_known_is_said),
		cmocka_unit_test(a_quiet_board_is_fine),
		cmocka_unit_test(what_is_noisy_is_said_with_what_to_do),
		cmocka_unit_test(what_happened_before_is_no_fault_now),
		cmocka_unit_test(cores_throttled_meanwhile_are_bad),
		cmocka_unit_test(nonsense_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
