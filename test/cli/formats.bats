#!/usr/bin/env bats
# shellcheck disable=SC2154 # status, out and err come from the helper
# Formats of reports: chosen by name or suffix, JSON as its schema says.

load helper

setup() {
	setup_home
	cd "$BATS_TEST_TMPDIR" || return 1
	printf '# Soft\nSELECT BENCHMARK(1000000,MD5(1));\n1 row in set (3.03 sec)\n\n' >out.txt
	printf '# Hard_1\nSELECT BENCHMARK(1000000,MD5(1));\n1 row in set (1.02 sec)\n' >>out.txt
	schema="$BATS_TEST_DIRNAME/../../doc/lampduel.schema.json"
}

valid() {
	python3 -W ignore -c 'import json, sys, jsonschema
jsonschema.Draft7Validator.check_schema(json.load(open(sys.argv[1])))
jsonschema.validate(json.load(open(sys.argv[2])), json.load(open(sys.argv[1])))' "$schema" "$1"
}

@test "a format is chosen by its name, else by the file's suffix" {
	try lampduel compare --format markdown out.txt
	[ "$status" -eq 0 ]
	[[ $out == "## Comparison: Soft against Hard"* ]]
	[[ $out == *"| Task | Soft | Hard\\_1 | time |"* ]]
	for file in a.md a.JSON a.csv a.txt a.dat; do
		try lampduel compare -o "$file" out.txt
		[ "$status" -eq 0 ] && [ -z "$out$err" ]
	done
	[ "$(head -c 14 a.md)" = "## Comparison:" ]
	[ "$(head -c 10 a.JSON)" = "$(printf '{\n "format')" ]
	[ "$(head -c 11 a.csv)" = "experiment," ]
	[ "$(head -c 11 a.txt)" = "Comparison:" ]
	cmp a.txt a.dat
	lampduel compare --format csv -o b.txt out.txt
	cmp a.csv b.txt
	try lampduel compare --format papyrus out.txt
	[ "$status" -eq 2 ]
	said_in_one_line "papyrus"
}

@test "csv: CRLF at the end of each line, as many cells in each" {
	lampduel compare --format csv out.txt >a.csv
	[ "$(wc -l <a.csv)" -eq 3 ]
	[ "$(grep -c $'\r$' a.csv)" -eq 3 ]
	python3 -c 'import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
assert [float(r["value"]) for r in rows] == [3.03e-6, 1.02e-6], rows
assert all(None not in r and None not in r.values() for r in rows)' a.csv
}

@test "json is as the schema says" {
	python3 -c 'import jsonschema' || skip "python3-jsonschema is not installed"
	lampduel compare -o a.json out.txt
	valid a.json
	sed 's/"life": 1/"life": "1"/' a.json >b.json
	try valid b.json
	[ "$status" -ne 0 ]
}
