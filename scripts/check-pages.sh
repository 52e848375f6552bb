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
export XDG_DATA_HOME="$pages/data" XDG_CACHE_HOME="$pages/cache"
(
	cd "$pages"
	"$lampduel" reference --system soft=recorded:r.jsonl --system hard=recorded:r.jsonl -w mariadb -w openssl \
		--quick -n 7 --seed 2018 -o pair.html
	"$lampduel" run -b soft=recorded:r.jsonl -w mariadb -w openssl --quick -n 7 --seed 2018 -o alone.html
) >"$pages/log" 2>&1 || { cat "$pages/log" >&2; exit 1; }
tidy -q -e "$pages/pair.html" "$pages/alone.html" >&2
node "$web/page.mjs" "$pages/pair.html" "$pages/alone.html"
