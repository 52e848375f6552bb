#!/usr/bin/env bats
# shellcheck disable=SC2154 # status, out and err come from the helper
# lampduel init: what it writes is what run -f reads.

load helper

setup() {
	setup_home
	cd "$BATS_TEST_TMPDIR" || return 1
}

# Does run -f read the file? It then stumbles over a time limit of nothing, which is looked at afterwards.
is_read() {
	try lampduel run -f "$1" --max-time 0
	[ "$status" -eq 2 ]
	said_in_one_line "--max-time: nothing can be measured in no time"
}

@test "the file is written once, and run -f reads it" {
	try lampduel init
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	grep -qx 'target = local' duel.ini
	grep -qx '; rounds = 15' duel.ini
	is_read duel.ini
	before=$(cksum duel.ini)
	try lampduel init
	[ "$status" -eq 1 ]
	said_in_one_line "duel.ini is there already"
	[ "$(cksum duel.ini)" = "$before" ]
}

@test "every default that it suggests is one" {
	try lampduel init -o - one=local
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	# without what has no default: these show a form, or nothing
	sed -E '/= (N|TIME|FILE|URL|.*\|.*|)$/d; /^; (command =|\[)/d; s/^; ([a-z-]+ = )/\1/' <<<"$out" >all.ini
	[ "$(grep -c '^; rounds =' all.ini)" = 0 ]
	is_read all.ini
}

@test "what cannot be opened, or written, is said" {
	try lampduel init "dir:$BATS_TEST_TMPDIR/none"
	[ "$status" -eq 1 ]
	said_in_one_line "none"
	[ ! -e duel.ini ]
	try lampduel init nonsense:x
	[ "$status" -eq 2 ]
	try lampduel init -o /nowhere/duel.ini
	[ "$status" -eq 1 ]
	said_in_one_line "/nowhere"
}

@test "two targets of one name get names of their own" {
	try lampduel init -o - local old=local
	[ "$status" -eq 0 ]
	[[ "$out" == *"[system local]"*"role = baseline"*"[system old]"*"role = candidate"* ]]
}
