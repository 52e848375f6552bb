#!/usr/bin/env bats
# lampduel parse: what is read in pasted output; stores nothing
# shellcheck disable=SC2154 # status, out and err come from the helper

load helper

setup() {
	setup_home
	cd "$BATS_TEST_TMPDIR" || return
	printf '# Soft\trow\n$ openssl speed rsa2048\nrsa 2048 bits 0.025189s 0.000675s     39.7   1482.2\n' >soft.txt
}

@test "parse prints a header and one line for each value, tab-separated" {
	try lampduel parse soft.txt
	[ "$status" -eq 0 ]
	[ -z "$err" ]
	[ "$(printf '%s\n' "$out" | head -n 1)" = "$(printf 'run\tlabel\tmetric\tvalue\tunit\tstep\tderived\tfile\tline\tnote\tconditions\tsoftware')" ]
	[ "$(printf '%s\n' "$out" | wc -l)" -eq 3 ]
	[ "$(printf '%s\n' "$out" | sed -n 3p | cut -f 1,3-9)" = "$(printf '1\topenssl/rsa2048/verify\t1482.2\top/s\t0.1\t0\tsoft.txt\t3')" ]
}

@test "parse escapes tabs and backslashes, and what a terminal would act on" {
	printf '# a\\b\tc \033[31mred\302\233\nrsa 2048 bits 0.025189s 0.000675s     39.7   1482.2\n' >odd.txt
	try lampduel parse odd.txt
	[ "$status" -eq 0 ]
	[ "$(printf '%s\n' "$out" | sed -n 2p | cut -f 2)" = 'a\\b\tc red\x9b' ]
}

@test "parse reads standard input as -, and several files" {
	cp soft.txt other.txt
	files=$("$LAMPDUEL" parse - soft.txt <other.txt | cut -f 8 | tr "\n" " ")
	[ "$files" = "file - - soft.txt soft.txt " ]
}

@test "parse --format json is the same, as JSON" {
	command -v python3 >/dev/null || skip "python3 is not installed"
	try lampduel parse --format json soft.txt
	[ "$status" -eq 0 ]
	printf '%s' "$out" | python3 -c '
import json, sys
rows = json.load(sys.stdin)
assert len(rows) == 2, rows
assert rows[1]["metric"] == "openssl/rsa2048/verify" and rows[1]["value"] == 1482.2, rows
assert rows[1]["derived"] is False and rows[1]["line"] == 3 and rows[0]["label"] == "Soft\\trow", rows
'
}

@test "a cell that cannot be used has no value and a reason" {
	printf 'Doing aes for 3s on 16 size blocks: 12 aes in 0.00s\n' >zero.txt
	try lampduel parse zero.txt
	[ "$status" -eq 0 ]
	[ "$(printf '%s\n' "$out" | sed -n 2p | cut -f 3,4,5,10)" = "$(printf 'openssl/bulk.aes/16\t\tB/s\t12 operations in 0 s: no rate')" ]
	case "$err" in *"user time (0 s) is far below"*) ;; *) false ;; esac
}

@test "a file without a result is an error that says what was looked for" {
	printf 'nothing here\n' >prose.txt
	try lampduel parse prose.txt
	[ "$status" -eq 1 ]
	said_in_one_line "prose.txt: no result found; looked for the output of openssl speed"
}

@test "a missing file is an error, the others are read all the same" {
	try lampduel parse missing.txt soft.txt
	[ "$status" -eq 1 ]
	said_in_one_line "cannot open missing.txt: No such file"
	[ "$(printf '%s\n' "$out" | wc -l)" -eq 3 ]
}

@test "parse without files, or with an unknown format, is a usage error" {
	try lampduel parse
	[ "$status" -eq 2 ]
	said_in_one_line "name the files to read"
	try lampduel parse --format xml soft.txt
	[ "$status" -eq 2 ]
}

@test "parse to a full device fails" {
	[ -w /dev/full ] || skip "there is no /dev/full"
	status=0
	"$LAMPDUEL" parse soft.txt >/dev/full 2>err.txt || status=$?
	[ "$status" -eq 1 ]
	grep -q "cannot write" err.txt
}
