# shellcheck shell=bash
# What every command-line test needs: a store, cache and home of its own, and output kept apart.

lampduel() { "${LAMPDUEL:?set LAMPDUEL to the program under test}" "$@"; }

setup_home() {
	export HOME="$BATS_TEST_TMPDIR/a home" XDG_CACHE_HOME="$BATS_TEST_TMPDIR/a home/cache"
	export XDG_DATA_HOME="$BATS_TEST_TMPDIR/a home/data" NO_COLOR=1 COLUMNS=100
	unset LAMPDUEL_MIRROR
	mkdir -p "$HOME"
}

# Runs a command; $status, $out and $err say what came of it.
# shellcheck disable=SC2034
try() {
	status=0
	"$@" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" </dev/null || status=$?
	out=$(cat "$BATS_TEST_TMPDIR/out")
	err=$(cat "$BATS_TEST_TMPDIR/err")
}

# One line on standard error that begins with the program's name and holds $1.
said_in_one_line() {
	[ "$(printf '%s\n' "$err" | wc -l)" -eq 1 ] || { printf 'not one line: %s\n' "$err"; return 1; }
	case "$err" in
	"lampduel: "*"$1"*) ;;
	*) printf 'does not say "%s": %s\n' "$1" "$err"; return 1 ;;
	esac
}

# call SYSTEM ROUND MILLISECONDS [MORE]: a line of a recording, one execution of $step (otherwise of the command
# "work"), MORE is further JSON; $at, the recording's clock in ms, goes on
call() {
	at=$((at + 10000))
	printf '{"call":"exec","system":"%s","step":"%s","round":%d,"start_ns":%d000000,"end_ns":%d000000,"user_ns":1000000,"maxrss":4096000%s}\n' \
		"$1" "${step-command/work}" "$2" "$at" $((at + $3)) "${4-}"
}

# What the store answers to one SQL statement.
sql() { sqlite3 "$XDG_DATA_HOME/lampduel/lampduel.db" "$1"; }

# flat TEXT: on one line, however it was wrapped
flat() { tr -s ' \n' ' ' <<<"$1"; }
