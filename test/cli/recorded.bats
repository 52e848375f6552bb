#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2034 # status, out and err come from the helper; at and step go there
# Whole runs of recorded systems: every figure is known beforehand, nothing takes time.

load helper

setup() {
	setup_home
	recording="$BATS_TEST_TMPDIR/a run.jsonl"
}

# record EMULATED: two systems; "slow" takes 2000 to 2500 ms a round, "quick" half of it
record() {
	at=0
	printf '# made by hand\n{"lampduel_recording":1,"unix_ns":1796000000000000000}\n'
	for name in slow quick; do
		printf '{"system":"%s","target":"local","arch":"amd64","emulated":%s,"emulator":"qemu-toy 1"}\n' "$name" "$1"
	done
	for round in 1 2 3 4 5 6; do
		call slow "$round" $((1900 + 100 * round))
		call quick "$round" $((950 + 50 * round))
	done
}

duel() {
	try lampduel run -b slow="recorded:$recording" -c quick="recorded:$recording" --seed 1 \
		--command work "$@" -- /usr/bin/work
}

@test "a replay has the figures of its recording" {
	record false >"$recording"
	duel -n 6
	[ "$status" -eq 0 ]
	# means of 2.00 .. 2.50 and 1.00 .. 1.25; every pair is 2 to 1
	[[ "$out" == *"work, wall clock "*" 2.25 s "*" 1.12 s "*" -50.00 %"*"2.000x"*"faster"* ]]
	[[ "$out" == *"12 executions, 12 counted"* ]]
	[[ "$out" == *"replayed from a recording"* ]]
	[[ "$out" == *"2026-11-30 00:53:20 UTC"* ]]
	first=$(grep -v '^Experiment' <<<"$out")
	duel -n 6
	[ "$(grep -v '^Experiment' <<<"$out")" = "$first" ]
}

@test "the stored experiment is listed, shown, reported and removed" {
	record false >"$recording"
	duel -n 6
	[ "$status" -eq 0 ]
	try lampduel list
	[[ "$out" == *"complete"*"6 of 6"* ]]
	try lampduel show --executions
	[ "$(wc -l <<<"$out")" -eq 13 ]
	try lampduel report
	[[ "$out" == *"quick against slow"* ]]
	try lampduel remove 1
	[ "$out" = "removed experiment 1" ]
	try lampduel report
	[ "$status" -eq 1 ]
	said_in_one_line "there is no experiment in the store"
}

@test "emulated systems are never called faster" {
	record true >"$recording"
	duel -n 6
	[ "$status" -eq 0 ]
	[[ "$out" == *"less time under emulation"* ]]
	[[ "$out" == *"on its host: nothing is"* ]]
	[[ "$out" != *faster* ]]
}

@test "an attempt that fails is repeated on both systems, and said" {
	{
		record false | sed '/"quick".*"round":3/s/}$/,"status":"timeout","reason":"gave up after 60 s"}/'
		at=500000
		call slow 3 2200 ',"attempt":2'
		call quick 3 1100 ',"attempt":2'
	} >"$recording"
	duel -n 6
	[ "$status" -eq 0 ]
	[[ "$out" == *"14 executions, 12 counted, 2 not"* ]]
	[[ "$out" == *"- slow, command/work: 1 set aside (the same sample was repeated on every system)"* ]]
	[[ "$out" == *"- quick, command/work: 1 timed out (gave up after 60 s)"* ]]
	[[ "$out" == *" 2.25 s "*" 1.12 s "* ]]
}

@test "what is not recorded is named" {
	record false >"$recording"
	duel -n 7
	[[ "$out$err" == *"no (further) exec of "*": step command/work, round 7, attempt 1"* ]]
}

@test "files that are no recordings are refused in one line" {
	printf '{"lampduel_recording":1}\n{"system":"slow"}\n{"call":"sing","system":"slow","step":"x"}\n' >"$recording"
	duel -n 6
	[ "$status" -eq 1 ]
	said_in_one_line "a run.jsonl:3: call: not a call of a system"
	try lampduel run -b slow=recorded:/no/such/file --command work -- /bin/true
	[ "$status" -eq 1 ]
	said_in_one_line "/no/such/file"
}

@test "a system alone has no column of rates where nothing has a rate" {
	record false >"$recording"
	try lampduel run -b slow="recorded:$recording" --command work -n 6 -- /usr/bin/work
	[ "$status" -eq 0 ]
	[[ "$out" == *"Task "*"mean "*"sd "*"n"* && "$out" != *" rate "* ]]
	try lampduel report --format markdown
	[[ "$out" == *"| Task | mean | sd | n |"* ]]
}
