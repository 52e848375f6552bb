/* measure/validity: what two looks at a machine say of the time between them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "measure/validity.h"
#include "system/observe.h"

static const struct validity_sample plain = {.own_ns = -1};

/* The difference's JSON of two texts, and whether it disturbs; NULL: the lines that are expected
 * are not in it. */
static char *between(const char *a, const char *b, const struct validity_sample *sample,
		     bool *disturbed)
{
	struct validity x;
	struct validity y;

	validity_read(a, &x);
	validity_read(b, &y);
	return validity_difference(&x, &y, sample, disturbed);
}

static void expect(const char *a, const char *b, const struct validity_sample *sample,
		   const char *reason, const char *member)
{
	bool disturbed = false;
	char *j = between(a, b, sample, &disturbed);

	if (disturbed != (reason != NULL) || (reason != NULL && strstr(j, reason) == NULL) ||
	    (reason == NULL && strstr(j, "reason") != NULL) ||
	    (member != NULL && strstr(j, member) == NULL))
		fail_msg("%s (%s)", j, disturbed ? "disturbed" : "not disturbed");
	free(j);
}

static void what_is_not_known_disturbs_nothing(void **state)
{
	(void)state;
	expect("", "", &plain, NULL, "{}");
	expect("nonsense\ncpu\ncpuX 1\nown\nin_state\n", "hz 0\nfreq x\n", &plain, NULL, "{}");
	/* a CPU that went off between the looks; a counter that begins anew */
	expect("cpu1 0 0 0 0\ncpu2 0 0 0 0\nown 0\n", "cpu1 500 0 0 0\nown 0\n", &plain, NULL,
	       "{}");
	expect("cpu1 900 0 0 900\nown 0\n", "cpu1 0 0 0 10\nown 0\n", &plain, NULL, NULL);
}

static void load_of_others_disturbs(void **state)
{
	(void)state;
	const char *before = "hz 100\ncpu1 1000 0 100 5000 9 0 0 0 0 0\nown 700\n";
	/* 2 s: the measured processes used 1.9 s of 1.95 s that were busy */
	expect(before, "hz 100\ncpu1 1190 0 105 5005 9 0 0 0 0 0\nown 890\n", &plain, NULL,
	       "\"foreign\":0.025");
	/* 1.0 s of 2 s were another's */
	const char *busy = "hz 100\ncpu1 1190 0 105 5005 9 0 0 0 0 0\nown 795\n";
	expect(before, busy, &plain, "other programs used 50 % of the CPU\"", "\"foreign\":0.5");
	/* in a short sample a few ticks are no load: 4 of 20 */
	expect(before, "hz 100\ncpu1 1014 0 100 5006 9 0 0 0 0 0\nown 710\n", &plain, NULL,
	       "\"foreign\":0.2");
	expect(before, "hz 100\ncpu1 1016 0 100 5004 9 0 0 0 0 0\nown 710\n", &plain,
	       "other programs", NULL);
	/* accepted, or a server's that is measured: nothing foreign in it */
	expect(before, busy, &(struct validity_sample){.own_ns = -1, .accept_load = true}, NULL,
	       "\"foreign\":0.5");
	expect(before, busy, &(struct validity_sample){.own_ns = -1, .serves_others = true}, NULL,
	       "\"steal\":0");
}

static void a_machine_without_own_counts_goes_by_the_samples_cpu_time(void **state)
{
	(void)state;
	const char *before = "cpu0 0 0 0 0\ncpu1 0 0 0 0\n";
	const char *after = "cpu0 100 0 0 100\ncpu1 150 0 0 50\n";

	/* 2.5 of 4 s were busy */
	expect(before, after, &(struct validity_sample){.own_ns = 2400000000}, NULL,
	       "\"foreign\":0.025");
	expect(before, after, &(struct validity_sample){.own_ns = 1000000000},
	       "other programs used 38 % of the CPUs", NULL);
	expect(before, after, &plain, NULL, "{\"steal\":0.0");
}

static void steal_disturbs(void **state)
{
	(void)state;
	const char *before = "cpu1 0 0 0 0 0 0 0 0\nown 0\n";

	expect(before, "cpu1 170 0 0 10 0 0 0 20\nown 170\n", &plain, NULL, "\"steal\":0.1");
	expect(before, "cpu1 170 0 0 8 0 0 0 22\nown 170\n", &plain,
	       "the hypervisor took 11 % of the CPU (steal)", NULL);
}

static void sleep_clock_and_swap_disturb(void **state)
{
	(void)state;
	/* ns: monotonic, calendar, with sleep */
	const char *before = "clocks 1000 5000000000 1000\npswpin 5\npswpout 7\n";

	expect(before, "clocks 2000001000 7000000000 2000001000\npswpin 100\npswpout 168\n", &plain,
	       NULL, "\"swap_pages\":256");
	expect(before, "clocks 2000001000 7000000000 2000001000\npswpin 5\npswpout 264\n", &plain,
	       "the machine was swapping", NULL);
	expect(before, "clocks 2000001000 67000000000 62000001000\n", &plain, "the machine slept",
	       NULL);
	expect(before, "clocks 2000001000 6989000000 2000001000\n", &plain,
	       "the clock was set by -0.011 s", "\"clock_set\":-0.011");
	/* all that a shell can see of it */
	expect("btime 1700000000\n", "btime 1700000001\n", &plain, NULL, "{}");
	expect("btime 1700000000\n", "btime 1700003600\n", &plain, "the clock was set by +3600 s",
	       NULL);
}

static void firmware_bits_disturb(void **state)
{
	(void)state;
	/* set long ago, not now: nothing can be said, and nothing is */
	expect("throttled 0x50000\n", "throttled 0x50000\n", &plain, NULL,
	       "\"throttled\":\"0x50000\"");
	expect("throttled 0x0\n", "throttled 0x1\n", &plain, "under-voltage", NULL);
	expect("throttled 0x8\n", "throttled 0x0\n", &plain, "soft temperature limit", NULL);
	/* it came and went between the looks */
	expect("throttled 0x10000\n", "throttled 0x70000\n", &plain,
	       "the frequency was capped; the CPU was throttled", NULL);
	/* the older sysfs file has no 0x */
	expect("throttled 0\n", "throttled 20002\n", &plain, "the frequency was capped", NULL);
	expect("undervoltage 0\n", "undervoltage 1\n", &plain, "under-voltage", NULL);
	expect("undervoltage 0\n", "undervoltage 0\n", &plain, NULL, "{}");
}

static void low_frequencies_disturb_where_the_governor_promises_none(void **state)
{
	(void)state;
	const char *before = "governor performance\nmax_freq 1400000\n"
			     "in_state 600000 10\nin_state 1200000 40\nin_state 1400000 5000\n";
	const char *after = "governor performance\nmax_freq 1400000\n"
			    "in_state 600000 10\nin_state 1200000 90\nin_state 1400000 5150\n";
	const char *saving = "governor ondemand\nmax_freq 1400000\n"
			     "in_state 600000 10\nin_state 1200000 90\nin_state 1400000 5150\n";

	expect(before, after, &plain, "below its highest frequency for 25 % of the time",
	       "\"mhz\":1350.0");
	expect(saving, saving, &plain, NULL, "{}");
	expect(before, saving, &plain, NULL, "\"below_max\":0.25");
	expect("freq 1500000\nfreq 500000\ntemp 41000\ntemp 52500\n",
	       "freq 1500000\nfreq 500000\ntemp 41000\ntemp 52500\n", &plain, NULL,
	       "{\"mhz\":1000.0,\"celsius\":52.5}");
}

static void core_throttling_disturbs(void **state)
{
	(void)state;
	expect("cpu1 0 0 0 0\nown 0\ncore_throttle_ms 5\n",
	       "cpu1 200 0 0 0\nown 200\ncore_throttle_ms 105\n", &plain, NULL,
	       "\"core_throttle\":0.05");
	expect("cpu1 0 0 0 0\nown 0\ncore_throttle_ms 5\n",
	       "cpu1 200 0 0 0\nown 200\ncore_throttle_ms 1005\n", &plain,
	       "the CPU was throttled for 1 s", NULL);
}

static void this_machine_is_observed(void **state)
{
	struct buf a = BUF_INIT;
	struct buf b = BUF_INIT;
	struct validity x;
	struct validity y;

	(void)state;
	observe_machine(&a);
	observe_machine(&b);
	validity_read(buf_str(&a), &x);
	validity_read(buf_str(&b), &y);
	assert_int_equal(x.known & (VALIDITY_CLOCKS | VALIDITY_CPU | VALIDITY_OWN | VALIDITY_BTIME),
			 VALIDITY_CLOCKS | VALIDITY_CPU | VALIDITY_OWN | VALIDITY_BTIME);
	assert_int_equal(x.cpus, y.cpus);
	assert_true(x.cpus >= 1 && x.hz >= 100 && y.total >= x.total && y.own >= x.own);
	assert_true(y.mono_ns > x.mono_ns && y.boot_ns >= y.mono_ns);
	buf_release(&a);
	buf_release(&b);
}

static void a_process_may_have_any_name(void **state)
{
	struct observed_process p = {.pid = 0};

	(void)state;
	assert_true(observe_read_process(
		"12 (a) b (c)) S 7 12 12 0 -1 4194560 100 0 0 0 3 4 50 60 20", &p));
	assert_int_equal(p.pid, 12);
	assert_int_equal(p.parent, 7);
	assert_int_equal(p.ticks, 117);
	assert_string_equal(p.name, "a) b (c)");
	assert_true(
		observe_read_process("9 (sixteen letters!) R 1 9 9 0 -1 0 0 0 0 0 1 0 0 0", &p));
	assert_string_equal(p.name, "sixteen letters");
	assert_false(observe_read_process("12 (x) S 7 12", &p));
	assert_false(observe_read_process("12 )x( S 7 12", &p));
	assert_false(observe_read_process("", &p));
}

static void the_busiest_of_others_are_named(void **state)
{
	struct observed_process then[] = {{5, 1, "idle", 10, false}, {7, 1, "old", 1000, false}};
	struct observed_process now[] = {{5, 1, "idle", 11, false},
					 {7, 1, "old", 1100, false},
					 {8, 1, "new", 900, false},
					 {9, 1, "mine", 5000, true}};
	struct observed_processes a = {.v = {then, 2, 2}};
	struct observed_processes b = {.v = {now, 4, 4}};

	(void)state;
	char *text = observe_busiest(&a, &b);
	assert_string_equal(text, "new (pid 8), old (pid 7)");
	free(text);
	assert_null(observe_busiest(&b, &b));
}

static void as_busy_as_another_is_named_too(void **state)
{
	struct observed_process now[] = {{3, 1, "a", 200, false},
					 {5, 1, "b", 200, false},
					 {7, 1, "c", 300, false},
					 {8, 1, "d", 200, false}};
	struct observed_processes none = {{0}};
	struct observed_processes l = {.v = {now, 4, 4}};

	(void)state;
	char *text = observe_busiest(&none, &l);
	assert_string_equal(text, "c (pid 7), a (pid 3), b (pid 5)");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_known_disturbs_nothing),
		cmocka_unit_test(load_of_others_disturbs),
		cmocka_unit_test(a_machine_without_own_counts_goes_by_the_samples_cpu_time),
		cmocka_unit_test(steal_disturbs),
		cmocka_unit_test(sleep_clock_and_swap_disturb),
		cmocka_unit_test(firmware_bits_disturb),
		cmocka_unit_test(low_frequencies_disturb_where_the_governor_promises_none),
		cmocka_unit_test(core_throttling_disturbs),
		cmocka_unit_test(this_machine_is_observed),
		cmocka_unit_test(a_process_may_have_any_name),
		cmocka_unit_test(the_busiest_of_others_are_named),
		cmocka_unit_test(as_busy_as_another_is_named_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
