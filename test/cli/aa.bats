#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2034 # status, out and err come from the helper; at and step go there
# Checks of one system against itself: how they are run, found again, and what they withhold.

load helper

setup() {
	setup_home
	cd "$BATS_TEST_TMPDIR" || return 1
}

# record FILE CPU PERMILLE NAME...: systems of one CPU model; each later one takes PERMILLE / 1000 of the first
record() {
	at=0
	file=$1 cpu=$2 permille=$3
	shift 3
	{
		printf '{"lampduel_recording":1,"unix_ns":1796000000000000000}\n'
		for name; do
			printf '{"system":"%s","target":"local","arch":"amd64","facts":[{"key":"machine.id","value":"%s","origin":"made up"}]}\n' "$name" "$cpu"
		done
		for ((round = 1; round <= 15; round++)); do
			call "$1" "$round" $((2000 + round * 37 % 101))
			for name in "${@:2}"; do call "$name" "$round" $(((2000 + round * 53 % 103) * permille / 1000)); done
		done
	} >"$file"
}

check() { try lampduel run --aa -b a=recorded:r.jsonl --command work "$@" -- /usr/bin/work; }
duel() { try lampduel run -b a=recorded:r.jsonl -c c=recorded:r.jsonl --command work "$@" -- /usr/bin/work; }

@test "a check measures two instances of one system, and says what it is and found" {
	record r.jsonl one 1000 a a-2
	check
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	[[ $(flat "$out") == *"Experiment 1, a check of one system against itself: "*"a-2 against a"* ]]
	[[ $(flat "$out") == *"30 executions, 30 counted"* ]]
	[[ $(flat "$out") == *"a check of one system against itself. It found no difference in 1 metric, as it should."* ]]
	try env COLUMNS=120 "$LAMPDUEL" list
	[[ $out == *" aa "*"complete"* ]]
}

@test "it takes exactly one system" {
	record r.jsonl one 1000 a a-2 c
	duel --aa
	[ "$status" -eq 2 ]
	said_in_one_line "--aa compares one system with itself"
	try lampduel run --aa --command work -- /usr/bin/work
	[ "$status" -eq 2 ]
	printf '[run]\naa = yes\n[system a]\ntarget = recorded:r.jsonl\n[workload work]\ncommand = /usr/bin/work\n' >duel.ini
	try lampduel run -f duel.ini
	[ "$status" -eq 0 ] && [[ $out == *"a-2 against a"* ]]
}

@test "a report says whether there is a check, and withholds what it found until it is repeated" {
	record r.jsonl one 800 a c
	duel
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	[[ $(flat "$out") == *" faster, "*"No check of one system against itself (run --aa) was made on this machine with these versions and parameters."* ]]

	# a difference where there is none
	record r.jsonl one 1040 a a-2
	check
	[[ $(flat "$out") == *"It found a difference in 1 of 1 metric, where there is none (command/work/wall): "*"until the check is repeated"* ]]
	try env COLUMNS=240 "$LAMPDUEL" report --explain 1
	[ "$status" -eq 0 ]
	[[ $(flat "$out") == *"no verdict (a check of one system against itself differs), 1.2"*"x (1.2"*" to 1.3"* ]] || { echo "$out"; return 1; }
	[[ $(flat "$out") == *"(experiment 2) found a difference of "*"repeat the check (run --aa)"* ]]
	[[ $(flat "$out") == *"(run --aa; experiment 2 of 2026-11-30) covers 1 of 1 metric and found a difference in 1 of them, where there is none."* ]]
	[[ $out != *faster* ]]
	try lampduel compare --gate=strict 1
	[ "$status" -eq 4 ]

	# a run that could have ended early does not, as nothing can be settled
	record r.jsonl one 800 a c
	duel
	[[ $(flat "$out") == *"15 of 15 rounds"*"no verdict (a check of one system against itself differs), "* ]]

	# too few rounds to find anything clear nothing
	record r.jsonl one 1000 a a-2
	check -n 5
	try lampduel report 1
	[[ $out == *"no verdict (a check of one system against itself differs), "* ]]
	check
	try lampduel report 1
	[[ $(flat "$out") == *" faster, "*"experiment 5 of 2026-11-30) covers 1 of 1 metric and found no difference."* ]]
}

@test "another machine, other work or another target is another check" {
	record r.jsonl one 1040 a a-2
	check
	[[ $out == *"It found a difference"* ]]
	record r.jsonl two 800 a c
	duel
	[[ $(flat "$out") == *" faster, "*"No check of one system"* ]]
	record r.jsonl one 800 a c
	try lampduel run -b a=recorded:r.jsonl -c c=recorded:r.jsonl --command work -- /usr/bin/work --otherwise
	[[ $(flat "$out") == *" faster, "*"No check of one system"* ]]
	cp r.jsonl other.jsonl
	try lampduel run -b a=recorded:other.jsonl -c c=recorded:other.jsonl --command work -- /usr/bin/work
	[[ $(flat "$out") == *" faster, "*"No check of one system"* ]]
	duel
	[[ $(flat "$out") == *"no verdict (a check of one system against itself differs), "*"experiment 1 of"* ]]
}

@test "an interrupted check is no check, and is resumed by run" {
	record whole.jsonl one 1040 a a-2
	head -n 20 whole.jsonl >r.jsonl
	check
	[ "$status" -eq 1 ]
	[[ $err == *"lampduel run --resume 1"* ]]
	record r.jsonl one 800 a c
	duel
	[[ $(flat "$out") == *"No check of one system"* ]]
	cp whole.jsonl r.jsonl
	try lampduel run --resume 1
	[ "$status" -eq 0 ]
	try lampduel report 2
	[[ $(flat "$out") == *"no verdict (a check of one system against itself differs), "* ]]
}

@test "counts that calibration found differ from time to time: the check is found all the same" {
	cp "$BATS_TEST_DIRNAME/../data/reference.jsonl" r.jsonl
	replay() { try lampduel "$@" -w mariadb -w openssl --quick -n 7 --seed 2018; }
	replay reference --system soft=recorded:r.jsonl --system hard=recorded:r.jsonl
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	[[ $(flat "$out") == *"No check of one system"* ]]
	replay reference --system soft=recorded:r.jsonl --system hard=recorded:r.jsonl
	# as if the second had been a check, made with another count
	db="$XDG_DATA_HOME/lampduel/lampduel.db"
	sqlite3 "$db" "UPDATE experiment SET kind = 'aa' WHERE id = 2;
		UPDATE metric SET conditions = replace(conditions, 'count=', 'count=1') WHERE experiment = 2"
	# 7 rounds are too few for this family to clear anything, and the two ports differ: all findings are differences
	try lampduel report 1
	[[ $(flat "$out") == *"No check of one system"* ]]
	sqlite3 "$db" "UPDATE metric SET is_primary = 0 WHERE name NOT LIKE 'mariadb/%'"
	try lampduel report 1
	[[ $(flat "$out") == *"experiment 2 of "*" covers 1 of 1 metric and found a difference in 1 of them"* ]]
	# a host that was left out of a report that was imported may be any
	sqlite3 "$db" "CREATE TABLE kept AS SELECT id, target FROM system; UPDATE system SET target = 'ssh:...'"
	try lampduel report 1
	[[ $(flat "$out") == *"No check of one system"* ]]
	sqlite3 "$db" "UPDATE system SET target = (SELECT target FROM kept WHERE kept.id = system.id)"
	# a count that was asked for is a parameter
	sqlite3 "$db" "UPDATE experiment SET plan = json_set(plan, '\$.workloads[0].params.count', '1000000') WHERE id = 2"
	try lampduel report 1
	[[ $(flat "$out") == *"No check of one system"* ]]
}
