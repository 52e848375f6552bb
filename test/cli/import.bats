#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2034 # status, out and err come from the helper; at and step go there
# lampduel's own JSON: sessions measured one installation at a time, compared and imported.

load helper

setup() {
	setup_home
	cd "$BATS_TEST_TMPDIR" || return 1
	{
		printf '{"lampduel_recording":1,"unix_ns":1796000000000000000}\n'
		for name in slow quick; do
			printf '{"system":"%s","target":"local","arch":"amd64","emulated":false}\n' "$name"
		done
		at=0
		for round in 1 2 3 4 5 6; do
			for name in slow quick; do
				ms=$((1900 + 100 * round))
				[ "$name" = slow ] || ms=$((ms / 2))
				call "$name" "$round" "$ms"
			done
		done
	} >run.jsonl
}

# session SYSTEM SEED FILE
session() {
	lampduel run -b "$1=recorded:run.jsonl" --seed "$2" --command work -n 6 -o "$3" -- /usr/bin/work \
		>/dev/null 2>&1
}

@test "one installation at a time: two files, one table" {
	session slow 1 soft.json
	session quick 2 hard.json
	rm -r "$XDG_DATA_HOME"
	try lampduel compare soft.json hard.json
	[ "$status" -eq 0 ] && [ -z "$err" ]
	[[ $out == *"Configuration"*"slow"*"quick"*"Architecture"*"amd64"*"amd64"* ]]
	[[ $out == *"-50.0 %"*"2.00x"*"no verdict"* ]]
	[[ $out == *"within these sessions only"* ]]
}

@test "six sessions a side give a verdict, none counts twice" {
	for i in 1 2 3 4 5 6; do
		session slow "$i" "soft$i.json"
		session quick "$((10 + i))" "hard$i.json"
	done
	try lampduel compare soft?.json against hard?.json
	[ "$status" -eq 0 ] && [[ $out == *" faster,"* ]]
	[[ $out != *"no verdict"* ]]
	first=$out
	try lampduel compare "$(echo soft?.json | tr ' ' ,)" "$(echo hard?.json | tr ' ' ,)"
	[ "$out" = "$first" ]
	try lampduel compare soft1.json soft2.json soft1.json against hard1.json
	[ "$status" -eq 2 ]
	said_in_one_line "soft1.json: these figures of one session are there twice"
	try lampduel compare soft1.json against
	[ "$status" -eq 2 ]
	try lampduel compare soft1.json,soft2.json
	[ "$status" -eq 2 ]
	said_in_one_line "one side"
}

@test "emulated sessions and others are no one side" {
	session slow 1 a.json
	sed 's/"emulated":false/"emulated":true/' run.jsonl >x && mv x run.jsonl
	session slow 2 b.json
	try lampduel compare a.json b.json against a.json
	[ "$status" -eq 2 ]
	said_in_one_line "emulated sessions and others"
}

@test "an exported experiment imports to an equal one" {
	lampduel run -b slow=recorded:run.jsonl -c quick=recorded:run.jsonl --seed 3 --command work \
		-n 6 -o a.json -- /usr/bin/work >/dev/null 2>&1
	try lampduel import a.json
	[ "$status" -eq 0 ] && [ "$out" = "a.json is experiment 2" ]
	lampduel report -o b.json 2
	same() { grep -v '^  "id": \|was imported from\|"notes": \[\|^  \],\?$' "$1"; }
	same a.json >a; same b.json >b
	cmp a b
	lampduel report --explain 1 | tail -n +2 >a.txt
	lampduel report --explain 2 | grep -v 'imported from a' | tail -n +2 >b.txt
	diff a.txt b.txt
	# again: nothing is added any more
	lampduel import b.json
	lampduel report -o c.json 3
	diff <(grep -v '^  "id"' b.json) <(grep -v '^  "id"' c.json)
	# read as it is, in pairs, with no store
	try lampduel compare a.json
	[ "$status" -eq 0 ] && [[ $out == *" faster,"* ]]
	try lampduel compare a.json#quick a.json#slow
	[ "$status" -eq 0 ] && [[ $out == *" slower,"* ]]
	try lampduel compare a.json a.json#slow
	[ "$status" -eq 2 ]
	said_in_one_line 'name one of "slow", "quick"'
	try lampduel parse a.json
	[ "$status" -eq 0 ]
	# each value has the line it stands in
	while IFS=$'\t' read -r value line; do
		at=$(sed -n "${line}s/^ *\"value\": \\(.*\\),\$/\\1/p" a.json)
		[ -n "$at" ] && [ "$(printf %.6g "$at")" = "$(printf %.6g "$value")" ]
	done < <(cut -f 4,9 <<<"$out" | grep '^[0-9]*\.[0-9]')
	[ "$(cut -f 9 <<<"$out" | tail -n +2 | sort -u | wc -l)" -gt 6 ]
	[ "$(grep -c 'command/work/wall' <<<"$out")" -eq 12 ]
	[[ $out == *$'\nrun\t'* || $out == run$'\t'* ]]
	lampduel parse - <a.json | sed 's/\t-\t/\ta.json\t/' >piped
	lampduel parse a.json | cmp - piped
}

@test "pasted output is imported: labels of one file, or files, as systems" {
	printf '# Soft\nSELECT BENCHMARK(1000000,MD5(1));\n1 row in set (3.03 sec)\n\n' >soft.txt
	printf '# Hard\nSELECT BENCHMARK(1000000,MD5(1));\n1 row in set (1.02 sec)\n' >hard.txt
	cat soft.txt hard.txt >both.txt
	try lampduel import both.txt
	[ "$status" -eq 0 ] && [ "$out" = "Soft against Hard is experiment 1" ]
	try lampduel report
	[[ $out == *"-66.34 %"*"no verdict"*"within these sessions only"* ]]
	try lampduel import soft.txt hard.txt
	[ "$status" -eq 0 ] && [ "$out" = "soft.txt against hard.txt is experiment 2" ]
	try lampduel compare exp:1/Soft exp:2/hard.txt
	[ "$status" -eq 0 ] && [[ $out == *"-66.34 %"* ]]
	# each value keeps its file and line, through the store and back
	lampduel report --format json -o one.json 1
	[ "$(grep -c '"origin": "both.txt:[37]"' one.json)" -eq 2 ]
	lampduel import one.json
	lampduel report --format json -o two.json 3
	[ "$(grep -c '"origin": "both.txt:[37]"' two.json)" -eq 2 ]
	try lampduel parse two.json
	[ "$(cut -f 4,10 <<<"$out" | sed -n 3p)" = "$(printf '1.02e-06\tread from both.txt:7')" ]
	lampduel remove 3
	try lampduel import
	[ "$status" -eq 2 ]
	try lampduel import /dev/null
	[ "$status" -eq 1 ]
	try lampduel list
	[ "$(grep -c complete <<<"$out")" -eq 2 ]
}

@test "damaged files of ours are one line, and nothing is stored" {
	session slow 1 a.json
	head -c 2000 a.json >cut.json
	sed 's/"format_version": 1/"format_version": 9/' a.json >new.json
	sed 's/"round": 2,/"round": 1,/' a.json >twice.json
	for command in import compare parse; do
		try lampduel "$command" cut.json
		[ "$status" -ne 0 ] && said_in_one_line "cut.json:"
		try lampduel "$command" new.json
		[ "$status" -ne 0 ] && said_in_one_line "9 is newer than this lampduel"
		try lampduel "$command" twice.json
		[ "$status" -ne 0 ] && said_in_one_line "is there twice"
	done
	try lampduel list
	[ "$(grep -c complete <<<"$out")" -eq 1 ]
}

@test "of imported figures nothing is said that nobody knows" {
	printf 'Soft:\nmysql> SELECT BENCHMARK(1000000,MD5(1));\n1 row in set (3.03 sec)\n' >a.txt
	printf 'Hard:\nmysql> SELECT BENCHMARK(1000000,MD5(1));\n1 row in set (1.02 sec)\n' >b.txt
	try lampduel import a.txt b.txt
	[ "$status" -eq 0 ]
	try lampduel report
	[[ $out == *$'\n'"imported 20"*"by rounding"* ]]
	[[ $out != *seed* && $out != *native* && $out != *1970* && $out != *"95 %"* ]]
	try lampduel show 1
	[[ $out == *Imported*20* && $out != *Seed* && $out != *native* && $out != *Rounds* ]]
	for format in markdown html; do
		try lampduel report --format "$format"
		[[ $out != *"seed 0"* && $out != *native* && $out != *1970* && $out != *"95 %"* ]]
	done
}
