#!/bin/bash
# How long the reference case takes from its start to its first sample, with everything prepared, as a
# share of one round of it. Usage: first_sample.sh LAMPDUEL
set -euo pipefail
lampduel=${1:?usage: first_sample.sh LAMPDUEL}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$lampduel" rootfs add debian:bookworm/armel debian:bookworm/armhf >/dev/null 2>"$tmp/log" ||
	{ tail -n 1 "$tmp/log" >&2; exit 1; }

now() { date +%s%N; }
start=$(now) measuring='' first=''
# one line of standard error a phase, with -v one a sample
while IFS= read -r line; do
	case $line in
	measuring) measuring=$(now) ;;
	"round 1  "*) [ -n "$first" ] || first=$(now) ;;
	esac
done < <("$lampduel" reference -n 1 --quick -v --seed 1 --db "$tmp/bench.db" 2>&1 >/dev/null)
end=$(now)
if [ -z "$measuring" ] || [ -z "$first" ]; then
	echo "first_sample: the run did not get to its first sample" >&2
	exit 1
fi
awk -v s="$start" -v m="$measuring" -v f="$first" -v e="$end" 'BEGIN {
	printf "reference, everything prepared: %.1f s to the first sample (%.1f s set-up and counts), %.2f times one round of %.1f s (1 run)\n",
		(f - s) / 1e9, (m - s) / 1e9, (f - s) / (e - m), (e - m) / 1e9 }'
