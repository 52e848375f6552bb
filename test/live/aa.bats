#!/usr/bin/env bats
# shellcheck disable=SC2154 # status and out come from the helpers
# Live comparisons of a command with itself: how many verdicts are wrong. The full series is make bench-aa.

load helper

setup() { setup_live; }

@test "ten comparisons of a command with itself: at most three wrong" {
	[ -n "${LAMPDUEL_TEST_ALL:-}" ] || skip "only with --all"
	# with a rate of 5 % more than three of ten happen once in a thousand times
	AA_COMPARISONS=10 try "$BATS_TEST_DIRNAME/../../bench/aa.sh" "$LAMPDUEL"
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	wrong=$(sed -nE 's/^lampduel, .*: ([0-9]+) of 10 verdicts wrong.*/\1/p' <<<"$out")
	echo "$out"
	[ "$wrong" -le 3 ]
}
