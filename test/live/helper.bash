# shellcheck shell=bash
# shellcheck disable=SC2154 # status, out, err and cache come from the helpers
# Tests in this folder start the real MariaDB, Apache, PHP, WordPress and OpenSSL. Prepared installations are
# kept in the user's own cache, so that they are downloaded once; stores are the test's own.

load ../cli/helper

setup_live() {
	export XDG_DATA_HOME="$BATS_TEST_TMPDIR/data" NO_COLOR=1 COLUMNS=100
	cache=$HOME/.cache/lampduel
	[ "$(id -u)" != 0 ] || cache=/var/cache/lampduel
	[ -z "$XDG_CACHE_HOME" ] || cache=$XDG_CACHE_HOME/lampduel
	others=" $(all_marked | tr '\n' ' ')"
	others_runs=$(all_run_folders)
}

all_marked() {
	grep -lz '^LAMPDUEL_RUN=' /proc/[0-9]*/environ 2>/dev/null | tr '\0' '\n' | sed -n 's|/proc/\([0-9]*\)/environ|\1|p'
}

# Processes that a run of ours started and that are still there, one pid a line; not those of a run that was
# there before the test began, which is somebody else's.
marked() {
	local pid
	for pid in $(all_marked); do
		[[ $others == *" $pid "* ]] || echo "$pid"
	done
}

all_run_folders() { find "$cache/run" -mindepth 1 -maxdepth 1 ! -name '.*' -printf '%f\n' 2>/dev/null || true; }

# The run folders that are ours.
run_folders() { all_run_folders | grep -vxF -- "${others_runs:-/}" || true; }

# After a run, however it ended: no process, no mount, no run folder. Waits for the supervisor, at most 10 s.
nothing_left() {
	local i
	for i in 1 2 3 4 5 6 7 8 9 10; do
		[ -z "$(marked)" ] && [ -z "$(run_folders)" ] && break
		sleep 1
	done
	[ -z "$(marked)" ] || { echo "left: processes $(marked | tr '\n' ' ') after $i s"; return 1; }
	[ -z "$(run_folders)" ] || { echo "left: $(run_folders)"; return 1; }
	! grep -q lampduel /proc/mounts || { echo "left: mounts"; return 1; }
}

# Waits up to $1 seconds for the rest of the line to succeed.
wait_for() {
	local seconds=$1 i
	shift
	for ((i = 0; i < seconds * 5; i++)); do
		"$@" && return 0
		sleep 0.2
	done
	return 1
}

# Executions stored for experiment $1 that are ok.
executions() { sqlite3 "$XDG_DATA_HOME/lampduel/lampduel.db" "SELECT count(*) FROM execution" 2>/dev/null || echo 0; }

# The change of time in per cent in the report line that holds $1, from $out: "-63.2".
change_of() {
	printf '%s\n' "$out" | grep -F -- "$1" | head -n 1 | grep -oE '[-+][0-9]+(\.[0-9]+)? ?%' | head -n 1 | tr -d ' %+'
}

# Is $1 between $2 and $3?
between() { awk -v x="$1" -v a="$2" -v b="$3" 'BEGIN { exit !(x != "" && x >= a && x <= b) }'; }
