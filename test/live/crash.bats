#!/usr/bin/env bats
# shellcheck disable=SC2154 # status, out, err and cache come from the helpers
# Runs that are ended in the middle, in every way: nothing stays behind, and --resume completes what is missing
# without measuring again what is there.

load helper

setup() {
	setup_live
	[ "$(uname -m)" = x86_64 ] || skip "this machine is no x86-64"
	lampduel rootfs add debian:bookworm/amd64 >/dev/null 2>&1
}

# A run of one system with services and processes, in the background; $pid is its.
begin() {
	"$LAMPDUEL" run --accept-load -b one=debian:bookworm/amd64 -w mariadb -w openssl --set openssl.algorithms=rsa2048 \
		--quick -n "${1:-6}" --seed 5 >"$BATS_TEST_TMPDIR/run.out" 2>"$BATS_TEST_TMPDIR/run.err" </dev/null 3>&- &
	pid=$!
}

some_executions() { [ "$(executions)" -ge "$1" ]; }

ended() { status=0; wait "$pid" || status=$?; }

@test "kill -9 in the middle: all is gone, resume measures only what is missing" {
	begin
	wait_for 60 some_executions 3
	kill -KILL "$pid"
	ended
	nothing_left
	before=$(executions)
	[ "$before" -ge 3 ]
	first=$(sqlite3 "$XDG_DATA_HOME/lampduel/lampduel.db" "SELECT max(id) FROM execution")
	try lampduel run --resume 1
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	# 6 rounds of 2 tasks on one system; an execution that was in flight left no trace
	[ "$(executions)" -eq 12 ]
	[ "$(sqlite3 "$XDG_DATA_HOME/lampduel/lampduel.db" "SELECT count(*) FROM execution WHERE id <= $first")" -eq "$before" ]
	try lampduel run --resume 1
	[ "$status" -eq 1 ]
	said_in_one_line "complete"
	nothing_left
}

@test "Ctrl-C: one line, exit status 130, resumable" {
	begin
	wait_for 60 some_executions 2
	kill -INT "$pid"
	ended
	[ "$status" -eq 130 ]
	tail -n 1 "$BATS_TEST_TMPDIR/run.err" | grep -q '^lampduel: experiment 1 stopped (lampduel run --resume 1 completes it)'
	nothing_left
}

@test "the supervisor is killed: the run goes on and cleans up by itself" {
	begin 2
	wait_for 60 some_executions 1
	children=$(pgrep -P "$pid" | tr '\n' ' ')
	for child in $children; do
		# the supervisor is the child that is lampduel itself
		[ "$(readlink "/proc/$child/exe")" = "$(readlink -f "$LAMPDUEL")" ] && kill -KILL "$child"
	done
	ended
	[ "$status" -eq 0 ] || { cat "$BATS_TEST_TMPDIR/run.err"; return 1; }
	nothing_left
}

@test "MariaDB is killed during a sample: said, and the sample repeated" {
	begin 3
	wait_for 60 some_executions 1
	killed=0
	for _ in $(seq 100); do
		for p in $(marked); do
			case "$(cat "/proc/$p/comm" 2>/dev/null)" in mariadbd) kill -KILL "$p" && killed=1 ;; esac
		done
		[ "$killed" -eq 1 ] && break
		sleep 0.05
	done
	[ "$killed" -eq 1 ]
	ended
	[ "$status" -eq 0 ] || { cat "$BATS_TEST_TMPDIR/run.err"; return 1; }
	nothing_left
}

@test "the sandbox is killed: one clear line, nothing left, resumable" {
	begin
	wait_for 60 some_executions 1
	for p in $(pgrep -x bwrap -P "$pid"); do kill -KILL "$p"; done
	ended
	[ "$status" -eq 1 ]
	tail -n 1 "$BATS_TEST_TMPDIR/run.err" | grep -q '^lampduel: .*one.*sandbox'
	nothing_left
	try lampduel run --resume 1
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
}

@test "a second run waits and says for whom" {
	begin 2
	wait_for 60 some_executions 1
	try lampduel run --accept-load -b local -n 1 --command true -- true
	[ "$status" -eq 0 ]
	[[ $err == *"waiting for "*"lampduel run"*"one measuring run at a time"* ]]
	ended
	[ "$status" -eq 0 ]
}

@test "a full disk: one clear line that says where" {
	[ "$(id -u)" -eq 0 ] || skip "needs root to mount a small file system"
	small="$BATS_TEST_TMPDIR/small"
	mkdir "$small"
	mount -t tmpfs -o size=256k lampduel-test "$small" 2>/dev/null || skip "mounting is not allowed here"
	try env XDG_DATA_HOME="$small" "$LAMPDUEL" run --accept-load -b local -n 500 --command true -- true
	umount "$small"
	[ "$status" -eq 1 ]
	printf '%s\n' "$err" | tail -n 1 | grep -q "$small"
	printf '%s\n' "$err" | tail -n 1 | grep -q "no space left"
	nothing_left
}

@test "no room for the servers' data: said before anything is started" {
	[ "$(id -u)" -eq 0 ] || skip "needs root to mount a small file system"
	small="$BATS_TEST_TMPDIR/small"
	mkdir -p "$small"
	mount -t tmpfs -o size=20m lampduel-test "$small" 2>/dev/null || skip "mounting is not allowed here"
	mkdir -p "$small/lampduel"
	try env XDG_CACHE_HOME="$small" "$LAMPDUEL" run --accept-load -b "dir:$cache/rootfs/bookworm-amd64/root" -w mariadb -n 1
	umount "$small"
	[ "$status" -eq 1 ]
	[[ $(tail -n 1 <<<"$err") == "lampduel: $small/"*"the disk has "*" MB left and the servers' data need 200 MB"* ]]
	nothing_left
}

@test "a component was removed from an installation: said by name" {
	copy="$BATS_TEST_TMPDIR/root copy"
	cp -a "$cache/rootfs/bookworm-amd64/root" "$copy"
	rm "$copy/usr/sbin/mariadbd"
	try lampduel run --accept-load -b "dir:$copy" -w mariadb -n 1
	[ "$status" -eq 1 ]
	printf '%s\n' "$err" | tail -n 1 | grep -q "mariadb"
	nothing_left
}
