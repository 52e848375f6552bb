#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2034 # status, out and err come from the helper; at and step go there
# Runs that are tested on their way: where they end, what they say of it, what later reports know.

load helper

setup() {
	setup_home
	cd "$BATS_TEST_TMPDIR" || return 1
}

# record FILE ROUNDS FACTOR: "a" takes about 2000 ms with a spread of a few percent, "b" FACTOR / 1000 of that,
# with a spread of its own
record() {
	at=0
	{
		printf '{"lampduel_recording":1,"unix_ns":1796000000000000000}\n'
		for name in a b; do printf '{"system":"%s","target":"local","arch":"amd64"}\n' "$name"; done
		for ((round = 1; round <= $2; round++)); do
			call a "$round" $((2000 + round * 37 % 101))
			call b "$round" $(((2000 + round * 53 % 103) * $3 / 1000))
		done
	} >"$1"
}

duel() {
	try lampduel run -b a=recorded:r.jsonl -c b=recorded:r.jsonl --seed 1 --command work "$@" -- /usr/bin/work
}

@test "a run ends at the first look at which all is settled, says so, and reports agree" {
	record r.jsonl 15 800
	duel
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	[[ $err == *"every verdict was settled after 9 of at most 15 rounds (look 1 of 4), so the run ended there"* ]]
	[[ $(flat "$out") == *"9 of 15 rounds"*" faster, "*"18 executions, 18 counted"* ]]
	[[ $(flat "$out") == *"Looked at after 9, 11, 13 and 15 rounds, this is look 1 of 4: levels and intervals allow for all of them."* ]]
	[ "$(sql "SELECT state || ' ' || ending FROM experiment")" = "complete decided" ]
	cp out first
	try lampduel report
	cmp first out
	try lampduel compare exp:1/b exp:1/a
	[[ $(flat "$out") == *"this is look 1 of 4"* ]]
	try lampduel report --explain
	[[ $(flat "$out") == *"look 1 of 4, interval at 99."* ]]
	try lampduel run --resume 1
	[ "$status" -eq 1 ]
	said_in_one_line "experiment 1 is complete"
}

@test "what is not settled goes on to the last round" {
	record r.jsonl 15 1012
	duel
	[ "$status" -eq 0 ]
	[[ $err != *"settled"* ]]
	[[ $(flat "$out") == *"15 of 15 rounds"*"this is look 4 of 4"* ]]
	[ "$(sql "SELECT ending FROM experiment")" = "" ]
}

@test "--end-early=no measures all rounds, with one test; so does the reference case unless asked" {
	record r.jsonl 15 800
	duel --end-early=no
	[[ $(flat "$out") == *"15 of 15 rounds"* && $out != *"Looked at"* ]]
	try lampduel reference -b a=recorded:r.jsonl -c b=recorded:r.jsonl --command work -- /usr/bin/work
	[[ $(flat "$out") == *"15 of 15 rounds"* && $out != *"Looked at"* ]]
	try lampduel reference --end-early=yes -b a=recorded:r.jsonl -c b=recorded:r.jsonl --command work -- /usr/bin/work
	[[ $(flat "$out") == *"9 of 15 rounds"* && $(flat "$out") == *"this is look 1 of 4"* ]]
	printf '[run]\nend-early = no\n[system a]\ntarget = recorded:r.jsonl\n[system b]\ntarget = recorded:r.jsonl\n[workload work]\ncommand = /usr/bin/work\n' >duel.ini
	try lampduel run -f duel.ini
	[[ $(flat "$out") == *"15 of 15 rounds"* ]]
}

@test "-n fixes the looks" {
	record r.jsonl 30 800
	duel -n 30
	[[ $(flat "$out") == *"16 of 30 rounds"*"Looked at after 16, 18, 22, 26 and 30 rounds, this is look 1 of 5"* ]]
}

@test "a time limit is one last look, also where a planned one would have been" {
	record r.jsonl 15 1012
	duel --max-time 205s
	[ "$status" -eq 0 ]
	[[ $err == *"the time limit ended the run after 10 of 15 rounds"* ]]
	[[ $(flat "$out") == *"Looked at after 9 and 10 rounds, this is look 2 of 2"* ]]
	[ "$(sql "SELECT ending FROM experiment")" = time ]
	duel --max-time 185s
	[[ $err == *"the time limit ended the run after 9 of 15 rounds"* ]]
	# nothing was looked at before: one test
	[[ $out != *"Looked at"* ]]
}

@test "an interrupted run that is resumed ends at the same look" {
	record whole.jsonl 15 800
	for after in 4 9 10; do
		rm -rf "$XDG_DATA_HOME"
		cp whole.jsonl r.jsonl
		duel --end-early=no
		sql "PRAGMA foreign_keys = ON; DELETE FROM round WHERE number > $after;
			UPDATE experiment SET state = 'interrupted', plan = json_set(plan, '\$.looks', json('true'))"
		[ "$(sql "SELECT count(*) FROM execution")" -eq $((2 * after)) ]
		try lampduel run --resume 1
		[ "$status" -eq 0 ] || { echo "$err"; return 1; }
		# whoever was beyond the first look without ending there is at the next one
		expected=$((after <= 9 ? 9 : 11))
		[ "$(sql "SELECT max(number) || ' ' || ending FROM round, experiment")" = "$expected decided" ]
	done
}

@test "rounds that share starts are not looked at, and asking for both is refused" {
	record r.jsonl 15 800
	duel --lives 5
	[[ $(flat "$out") == *"15 of 15 rounds"* && $out != *"Looked at"* ]]
	duel --lives 5 --end-early=yes
	[ "$status" -eq 2 ]
	said_in_one_line "--end-early=yes: looks are planned by rounds"
}

@test "so few rounds that nothing can be shown are named before the first of them" {
	record r.jsonl 15 800
	duel -n 5
	[[ $err == *"5 rounds are planned: so few show large differences at best; for others, in this many metrics, it takes at least 6 (-n 6)"*"measuring"* ]]
	duel -n 6
	[[ $err != *"are planned"* ]]
}
