#!/bin/bash
# How often is a difference claimed where there is none? Compares a CPU-bound command of about 50 ms with
# itself, 15 rounds each, on this machine as it is; beside it stand as many pairs of hyperfine's runs, one
# after the other as it does them, judged by Welch's t. The two take turns, so that they meet the same machine.
# Usage: aa.sh LAMPDUEL [WELCH]     (AA_COMPARISONS=100, AA_SECONDS=900: the most it may take)
set -euo pipefail
lampduel=${1:?usage: aa.sh LAMPDUEL [WELCH]}
welch=${2:-}
comparisons=${AA_COMPARISONS:-100} seconds=${AA_SECONDS:-900} rounds=15
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
awk=$(command -v awk)

command_of() { work=("$awk" "BEGIN { for (i = 0; i < $1; i++) x += i }"); }

now_ms() { echo $(($(date +%s%N) / 1000000)); }

# iterations that take 50 ms here, from the quickest of three
calibrate() {
	local start took best=1000000
	command_of 1000000
	for _ in 1 2 3; do
		start=$(now_ms)
		"${work[@]}"
		took=$(($(now_ms) - start))
		[ "$took" -ge "$best" ] || best=$took
	done
	command_of $((50 * 1000000 / (best > 0 ? best : 1)))
}

# one comparison; prints its verdict
compare_once() {
	COLUMNS=240 NO_COLOR=1 "$lampduel" run --accept-load --aa -b local --command spin -n "$rounds" --db "$tmp/aa.db" \
		-- "${work[@]}" 2>"$tmp/log" | sed -nE 's/^spin, wall clock .*x +(faster|slower|same|unclear|no verdict).*/\1/p'
}

calibrate
have_hyperfine=''
if [ -n "$welch" ] && command -v hyperfine >/dev/null; then have_hyperfine=1; fi
begin=$SECONDS done=0 wrong=0 same=0 unclear=0 none=0
while [ "$done" -lt "$comparisons" ] && [ $((SECONDS - begin)) -lt "$seconds" ]; do
	verdict=$(compare_once) || true
	case $verdict in
	faster | slower) wrong=$((wrong + 1)) ;;
	same) same=$((same + 1)) ;;
	unclear) unclear=$((unclear + 1)) ;;
	"no verdict") none=$((none + 1)) ;;
	*) tail -n 1 "$tmp/log" >&2; exit 1 ;;
	esac
	done=$((done + 1))
	[ -z "$have_hyperfine" ] ||
		hyperfine -N --style none --runs "$rounds" --export-json "$tmp/$done.json" \
			"$(printf '%q ' "${work[@]}")" "$(printf '%q ' "${work[@]}")" >/dev/null 2>&1
done
printf 'lampduel, a command against itself, %d rounds: %d of %d verdicts wrong (%d same, %d unclear, %d none)\n' \
	"$rounds" "$wrong" "$done" "$same" "$unclear" "$none"
if [ -n "$have_hyperfine" ]; then
	"$welch" "$tmp"/*.json
else
	echo 'hyperfine is not here, so nothing stands beside it'
fi
[ "$done" -eq "$comparisons" ] || printf 'the time of %d s was up after %d of %d comparisons\n' "$seconds" "$done" "$comparisons"
