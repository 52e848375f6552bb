#!/bin/bash
# check-pages.sh LAMPDUEL: makes report pages of replayed runs and looks at them in Chromium with axe-core, and
# with tidy. Prints TAP. What npm brings is kept in build/web.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
lampduel=$(readlink -f "$1")
web=build/web
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT

mkdir -p "$web"
cp test/web/package.json test/web/package-lock.json test/web/page.mjs "$web"
[ -d "$web/node_modules/axe-core" ] || (cd "$web" && npm ci --no-audit --no-fund --silent)
cp test/data/reference.jsonl "$pages/r.jsonl"
# three systems of which one fails in the rounds 4 and 5: what is left out is drawn
{
	printf '{"lampduel_recording":1,"unix_ns":1796000000000000000}\n'
	for name in one two three; do
		printf '{"system":"%s","target":"local","arch":"amd64","emulated":false,"emulator":""}\n' "$name"
	done
	for ((round = 1; round <= 12; round++)); do
		for name in one two three; do
			at=$((round * 100000 + ${#name} * 10000))
			took=$((2000 + 40 * ${#name} + round * 7919 % 50))
			more=
			[ "$name$round" != two4 ] && [ "$name$round" != two5 ] || more=',"status":"timeout","reason":"gave up"'
			printf '{"call":"exec","system":"%s","step":"command/work","round":%d,"start_ns":%d000000,"end_ns":%d000000%s}\n' \
				"$name" "$round" "$at" $((at + took)) "$more"
		done
	done
} >"$pages/w.jsonl"
export XDG_DATA_HOME="$pages/data" XDG_CACHE_HOME="$pages/cache"
(
	cd "$pages"
	"$lampduel" reference --system soft=recorded:r.jsonl --system hard=recorded:r.jsonl -w mariadb -w openssl \
		--quick -n 7 --seed 2018 -o pair.html
	"$lampduel" run -b soft=recorded:r.jsonl -w mariadb -w openssl --quick -n 7 --seed 2018 -o alone.html
	"$lampduel" run -b one=recorded:w.jsonl -c two=recorded:w.jsonl -c three=recorded:w.jsonl -n 12 --seed 1 \
		--command work -o three.html -- /usr/bin/work
	grep -q 'class="out s' three.html
) >"$pages/log" 2>&1 || { cat "$pages/log" >&2; exit 1; }
tidy -q -e "$pages/pair.html" "$pages/alone.html" "$pages/three.html" >&2
node "$web/page.mjs" "$pages/pair.html" "$pages/alone.html" "$pages/three.html"
