#!/bin/bash
# Does every module of src/ include only what stands below it in the table of doc/design.md? A header
# called internal.h, or said to be a module's own, is nobody else's.
set -euo pipefail
cd "$(dirname "$0")/.."
declare -A rank
row=0 status=0

complain() {
	printf '%s\n' "$*" >&2
	status=1
}

while IFS= read -r line; do
	row=$((row + 1))
	while read -r word; do
		[ ! -d "src/${word%/}" ] || rank[${word%/}]=$row
	done < <(grep -oE '(^|   )[a-z]+/' <<<"$line")
done < <(awk '/^## /{on = /^## Modules/} on && /^```/{block = !block; next} on && block' doc/design.md)

for folder in src/*/; do
	module=$(basename "$folder")
	[ -n "${rank[$module]:-}" ] || complain "src/$module: not in the table of modules in doc/design.md"
done
while IFS=: read -r file number text; do
	module=${file#src/} module=${module%%/*}
	included=${text#*\"} included=${included%\"*}
	other=${included%%/*}
	[ "$other" != "$module" ] || continue
	[ "${rank[$other]:-0}" -gt "${rank[$module]:-0}" ] ||
		complain "$file:$number: $module includes $included, which does not stand below it"
	case $included in
	*/internal.h | *_int.h) complain "$file:$number: $included is for its own module" ;;
	esac
done < <(grep -nE '^#include "' src/*/*.[ch])
exit "$status"
