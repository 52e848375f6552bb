#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2034,SC2030,SC2031 # status, out and err come from the helper; at and step go there
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

# seen SYSTEM ROUND ATTEMPT BEFORE AFTER: what the machine said of itself around one execution
seen() {
	printf '{"call":"observe","system":"%s","step":"command/work","round":%d,"attempt":%d,"at_ns":%d000000,"out":"%s\\n"}\n' \
		"$1" "$2" "$3" "$at" "$4" "$1" "$2" "$3" "$at" "$5"
}

# again ROUND ATTEMPT FACTOR: both systems once more, FACTOR times as long as record() has it
again() {
	call slow "$1" $((${3} * (1900 + 100 * $1))) ",\"attempt\":$2"
	call quick "$1" $((${3} * (950 + 50 * $1))) ",\"attempt\":$2"
}

@test "a neighbour on the measured CPU: the pair is repeated, its figures do not count" {
	{
		record false | sed '/"quick".*"round":3/s/"end_ns":[0-9]*/"end_ns":99999000000000/'
		at=900000
		seen quick 3 1 'cpu1 0 0 0 0\nown 0' 'cpu1 700 0 0 300\nown 100'
		again 3 2 1
		seen quick 3 2 'cpu1 700 0 0 300\nown 100' 'cpu1 800 0 0 400\nown 198'
	} >"$recording"
	duel -n 6
	[ "$status" -eq 0 ]
	[[ "$err" == *"command/work on quick, round 3, attempt 1: other programs used 60 % of the CPU"* ]]
	[[ "$out" == *" 2.25 s "*" 1.12 s "*"2.000x"*"faster"* ]]
	[[ "$out" == *"14 executions, 12 counted, 2 not"* ]]
	[[ "$(flat "$out")" == *"quick, command/work: 1 disturbed (other programs used 60 % of the CPU)"* ]]
	# whoever accepts it gets it, and finds it noted
	duel -n 6 --accept-load --end-early no
	[ "$status" -eq 0 ]
	[[ "$out" == *"12 executions, 12 counted"* ]]
	try lampduel show --executions
	[[ "$out" == *'"foreign":0.6'* ]]
}

@test "a throttled board: three attempts, then the round is left out; the verdict is not misled" {
	{
		record false
		for attempt in 1 2 3; do
			[ $attempt = 1 ] || again 1 $attempt 9
			seen slow 1 $attempt 'throttled 0x50000' 'throttled 0x50005'
		done
		for round in 7 8 9; do
			call slow "$round" $((1900 + 100 * round))
			call quick "$round" $((950 + 50 * round))
		done
	} >"$recording"
	duel -n 9
	[ "$status" -eq 0 ]
	[[ "$(flat "$out")" == *"slow, command/work: 3 disturbed (under-voltage; the CPU was throttled)"* ]]
	[[ "$out" == *"2.000x"*"faster"* ]]
	[[ "$(flat "$out")" == *"1 of 8 rounds excluded, slow: disturbed"* ]] || { echo "$out"; return 1; }
}

@test "a board that is throttled all the time: the run ends, and gives no verdict" {
	{
		record false
		for round in 1 2 3 4 5 6; do
			for attempt in 1 2 3; do
				[ $attempt = 1 ] || again $round $attempt 1
				seen slow $round $attempt 'throttled 0x50005' 'throttled 0x50005'
			done
		done
	} >"$recording"
	duel -n 6
	[ "$status" -eq 0 ]
	[[ "$(flat "$err")" == *"more than a fifth of the planned rounds was disturbed in every task"* ]]
	[[ "$(flat "$err")" == *"ended after 2 of 6 rounds"* ]]
	[[ "$out" != *faster* ]]
	try lampduel report --format json
	[[ "$out" == *'"ending": "disturbed"'* || "$out" == *'"ending":"disturbed"'* ]]
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
