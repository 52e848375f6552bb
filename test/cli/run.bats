#!/usr/bin/env bats
# shellcheck disable=SC2154 # status, out, err and cache come from the helpers
# Whole runs, replayed from the answers that real systems gave once: every figure is exact, and it takes no time.
# UPDATE_GOLDEN=1 writes the expected report anew.

load helper

setup() {
	setup_home
	cp "$BATS_TEST_DIRNAME/../data/reference.jsonl" "$BATS_TEST_TMPDIR/r.jsonl"
	cd "$BATS_TEST_TMPDIR" || return 1
}

# The reference case as recorded; more options may follow.
replay() {
	try lampduel reference --system soft=recorded:r.jsonl --system hard=recorded:r.jsonl -w mariadb -w openssl \
		--quick -n 7 --seed 2018 "$@"
}

@test "the replayed reference case prints exactly the expected report" {
	replay
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	golden="$BATS_TEST_DIRNAME/../data/reference.txt"
	[ -z "${UPDATE_GOLDEN:-}" ] || printf '%s\n' "$out" >"$golden"
	diff "$golden" "$BATS_TEST_TMPDIR/out"
}

@test "report prints the stored experiment again, byte for byte, in a German locale too" {
	replay
	cp out first
	try env LANG=de_DE.UTF-8 LC_ALL=de_DE.UTF-8 "$LAMPDUEL" report
	[ "$status" -eq 0 ]
	diff first out
}

@test "every place has one execution a system; the order is drawn, not fixed" {
	replay
	[ "$(sql "SELECT count(*) FROM execution")" -eq 42 ]
	[ "$(sql "SELECT count(DISTINCT position) FROM execution")" -eq 2 ]
	# 21 pairs: a fair coin gives 1 to 20 times the same system first in all but 1 of a million seeds
	first=$(sql "SELECT count(*) FROM execution e JOIN system s ON s.id = e.system WHERE e.position = 1 AND s.name = 'soft'")
	[ "$first" -ge 1 ] && [ "$first" -le 20 ]
}

@test "the same seed makes the same order, another one another" {
	replay
	one=$(sql "SELECT group_concat(position, '') FROM (SELECT position FROM execution ORDER BY id)")
	rm -r "$XDG_DATA_HOME"
	replay
	[ "$one" = "$(sql "SELECT group_concat(position, '') FROM (SELECT position FROM execution ORDER BY id)")" ]
}

@test "--max-time ends after a whole round, says so, and the report has those rounds" {
	replay --max-time 30s
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	[[ $err == *"the time limit ended the run after 2 of 7 rounds"* ]]
	[[ $out == *"the time limit ended the run after 2 of 7 rounds"* ]]
	[ "$(sql "SELECT count(*) FROM execution")" -eq 12 ]
}

@test "-v shows every sample with its values" {
	replay -v
	[ "$(grep -c '^round [1-7]  ' err)" -eq 42 ]
	grep -q '^round 1  openssl/rsa2048  soft  openssl/rsa2048/sign [0-9.]* op/s' err
}

@test "a password in an address is not stored" {
	replay --mirror http://somebody:secret@mirror.example/debian
	[ "$status" -eq 0 ]
	[[ $(sql "SELECT command FROM experiment") == *"//mirror.example/debian"* ]]
	[ "$(sql "SELECT count(*) FROM experiment WHERE command || plan LIKE '%secret%'")" -eq 0 ]
}

@test "-o writes the report as well" {
	replay -o report.txt
	[ "$status" -eq 0 ]
	grep -q "Raspberry Pi 3" report.txt
	[[ $out == *"Raspberry Pi 3"* ]]
	replay -o /nowhere/report.txt
	[ "$status" -eq 1 ]
	said_in_one_line "there is no folder /nowhere"
}

@test "files and folders that cannot be are refused before anything is measured" {
	mkdir folder
	for options in "-o folder" "-o folder/" "--record folder" "--record /nowhere/r" "-o /nowhere/r"; do
		# shellcheck disable=SC2086 # two words
		replay $options
		[ "$status" -eq 1 ]
		said_in_one_line "cannot write ${options#* }"
	done
	try lampduel run -b dir:/nowhere -w openssl
	[ "$status" -eq 1 ]
	said_in_one_line "dir:/nowhere: there is no such folder"
	[ "$(sql "SELECT count(*) FROM experiment")" -eq 0 ]
}

@test "how to resume is said where resuming can help, and only there" {
	sed '/"step":"openssl\/rsa2048","round":1,/s/"start_ns"/"exit":1,"status":"failed","reason":"unknown algorithm","start_ns"/' \
		r.jsonl >bad.jsonl
	for attempt in 2 3; do
		grep -E '"step":"openssl/rsa2048","round":1,' bad.jsonl | sed "s/\"attempt\":1,/\"attempt\":$attempt,/"
	done >more.jsonl
	mv r.jsonl whole.jsonl
	cat bad.jsonl more.jsonl >r.jsonl
	replay
	[ "$status" -eq 1 ]
	said_last "openssl/rsa2048 cannot be measured"
	[[ $err != *--resume* ]]
	grep -v -E '"step":"openssl/rsa[24][0-9]*","round":[2-7],' whole.jsonl >r.jsonl
	replay
	[ "$status" -eq 1 ]
	said_last "(lampduel reference --resume 2 completes it)"
}

# The last line on standard error is the error and holds $1.
said_last() {
	err=$(tail -n 1 "$BATS_TEST_TMPDIR/err")
	said_in_one_line "$1"
}

@test "an answer that is missing ends the run with its place in one line" {
	grep -v '"step":"openssl/rsa4096","round":1,' r.jsonl >cut.jsonl
	mv cut.jsonl r.jsonl
	replay
	[ "$status" -eq 1 ]
	said_last "openssl/rsa4096"
	[ "$(sql "SELECT state FROM experiment")" = failed ]
}

@test "two tasks that both stop working end the run after three rounds of that" {
	grep -v -E '"step":"openssl/rsa[24][0-9]*","round":[2-7],' r.jsonl >cut.jsonl
	mv cut.jsonl r.jsonl
	replay
	[ "$status" -eq 1 ]
	said_last "cannot be measured"
	[ "$(sql "SELECT max(number) FROM round")" -eq 4 ]
}

@test "counts that were not found before an interruption are kept when it is resumed" {
	mv r.jsonl whole.jsonl
	grep -v '"step":"mariadb/encode/calibrate/count' whole.jsonl >r.jsonl
	if cmp -s r.jsonl whole.jsonl; then return 1; fi
	replay
	[ "$status" -eq 1 ]
	[ "$(sql "SELECT json_extract(params, '$.count') FROM task WHERE name = 'mariadb/encode'")" -eq 0 ]
	mv whole.jsonl r.jsonl
	try lampduel reference --resume 1
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	[ "$(sql "SELECT json_extract(params, '$.count') FROM task WHERE name = 'mariadb/encode'")" -gt 0 ]
	[ "$(sql "SELECT count(*) FROM execution")" -eq 42 ]
}

@test "--resume takes no options that would make another experiment of it" {
	replay --max-time 30s
	try lampduel reference --resume 1 -n 5
	[ "$status" -eq 2 ]
	said_in_one_line "leave out --rounds"
	try lampduel run --resume 1 -- true
	[ "$status" -eq 2 ]
	said_in_one_line 'leave out "true"'
}

@test "a failed openssl speed is no sample: repeated, then the place is left out" {
	# round 3, on one side: the program fails every time it is tried
	sed 's/^\(.*"call":"exec".*"system":"hard".*"step":"openssl\/rsa2048","round":3,.*\)"start_ns"/\1"exit":1,"status":"failed","reason":"exit status 1","start_ns"/' \
		r.jsonl >bad.jsonl
	if cmp -s r.jsonl bad.jsonl; then return 1; fi
	for attempt in 2 3; do
		grep -E '"step":"openssl/rsa2048","round":3,' bad.jsonl | sed "s/\"attempt\":1,/\"attempt\":$attempt,/"
	done >more.jsonl
	cat bad.jsonl more.jsonl >r.jsonl
	replay
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	[ "$(sql "SELECT count(*) FROM execution WHERE status <> 'ok'")" -eq 3 ]
	[ "$(sql "SELECT count(*) FROM execution")" -eq 46 ]
	[[ $out == *"n 6"* && $out == *"exit status 1"* ]]
}

@test "an error message never holds raw control characters" {
	try lampduel list --db $'r.jsonl/a\e[31m/x.db'
	[ "$status" -eq 1 ]
	said_in_one_line 'r.jsonl/a\x1b[31m'
}

@test "a sample of no time and a step of no size are refused" {
	for options in "--sample 0" "--step 0" "--step 100%"; do
		# shellcheck disable=SC2086 # two words
		replay $options
		[ "$status" -eq 2 ]
		said_in_one_line "${options%% *}: "
	done
}

@test "hostile output reaches neither terminal nor report" {
	sed 's/OpenSSL 3\.0\.20 /OpenSSL 3.0.20\\u001b[31m\\u0007 /' r.jsonl >hostile.jsonl
	if cmp -s r.jsonl hostile.jsonl; then return 1; fi
	mv hostile.jsonl r.jsonl
	replay
	if grep -q $'\e\|\a' out err; then return 1; fi
	[[ $out == *'OpenSSL'* ]]
}

@test "NULL from the server is no sample, with the reason" {
	sed '/"step":"mariadb\/encode","round":1,/s/\\t0\\t/\\tNULL\\t/' r.jsonl >null.jsonl
	if cmp -s r.jsonl null.jsonl; then return 1; fi
	for attempt in 2 3; do
		grep '"step":"mariadb/encode","round":1,' null.jsonl | sed "s/\"attempt\":1,/\"attempt\":$attempt,/"
	done >more.jsonl
	cat null.jsonl more.jsonl >r.jsonl
	replay
	[ "$status" -eq 1 ]
	said_last "mariadb/encode cannot be measured"
	[[ $err == *"the expression failed"* ]]
}

@test "an interrupted experiment is completed, and nothing is measured twice" {
	replay --max-time 30s
	sql "UPDATE experiment SET state = 'interrupted'"
	try lampduel reference --resume 1
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	# the limit is each session's, and the replayed clock has passed it after one round more
	[ "$(sql "SELECT count(*) FROM execution")" -eq 18 ]
	[ "$(sql "SELECT count(*) FROM (SELECT DISTINCT round, task, system FROM execution)")" -eq 18 ]
	try lampduel reference --resume 2
	[ "$status" -eq 1 ]
	said_in_one_line "2"
	try lampduel reference --resume x
	[ "$status" -eq 2 ]
}

@test "a duel file says what options say; unknown keys and sections name their line" {
	cat >duel.ini <<'END'
; as an ini file of PHP's
[run]
rounds = 7
quick = yes
seed = 2018

[system hard]
target = recorded:r.jsonl

[system soft]
target = recorded:r.jsonl
role = baseline

[workload mariadb]
benchmarks = encode

[workload openssl]
algorithms = rsa2048,rsa4096
END
	try lampduel run -f duel.ini -n 2
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	[[ $out == *"hard against soft"* && $out == *"2 of 2 rounds"* ]]
	printf '[run]\nrounds = 7\nrownds = 8\n' >bad.ini
	try lampduel run -f bad.ini
	[ "$status" -eq 2 ]
	said_in_one_line 'bad.ini:3: [run] has no key "rownds"'
	printf '[system a]\ntarget = local\n[sistem b]\ntarget = local\n' >bad.ini
	try lampduel run -f bad.ini
	[ "$status" -eq 2 ]
	said_in_one_line "bad.ini:4: unknown section [sistem b]"
	printf '[system a]\nrole = baseline\n' >bad.ini
	try lampduel run -f bad.ini
	[ "$status" -eq 2 ]
	said_in_one_line "[system a] has no target"
	printf '[system a]\ntarget = local\nrole = baseline\n[system b]\ntarget = local\nrole = baseline\n' >bad.ini
	try lampduel run -f bad.ini
	[ "$status" -eq 2 ]
	said_in_one_line "[system a] and [system b] are both the baseline"
	printf '[run]\nrounds = 2\n[system a]\ntarget = local\n[run]\nrounds = 9\n' >bad.ini
	try lampduel run -f bad.ini
	[ "$status" -eq 2 ]
	said_in_one_line "bad.ini:5: [run] stands in line 1 already"
	printf '[run]\nthis is no key\n' >bad.ini
	try lampduel run -f bad.ini
	[ "$status" -eq 2 ]
	said_in_one_line "bad.ini:2:"
	try lampduel run -f missing.ini
	[ "$status" -eq 1 ]
	said_in_one_line "missing.ini"
}

@test "--continue completes the interrupted experiment of the same request, and no other" {
	replay --continue --max-time 30s
	[ "$status" -eq 0 ]
	sql "UPDATE experiment SET state = 'interrupted'"
	replay --continue --max-time 40s
	[[ $err != *"going on with"* ]]
	replay --continue --max-time 30s
	[ "$status" -eq 0 ]
	[[ $err != *"going on with experiment 2"* ]]
	[[ $err == *"going on with experiment 1, which was interrupted"* ]]
	[ "$(sql "SELECT count(*) FROM experiment")" -eq 2 ]
	[ "$(sql "SELECT count(*) FROM execution x JOIN round r ON r.id = x.round WHERE r.experiment = 1")" -eq 18 ]
	replay --continue --max-time 30s
	[[ $err != *"going on with"* ]]
}

@test "a duel file: empty sections count, none stands twice, keys have no order, long lines are named" {
	systems=$'[system soft]\ntarget = recorded:r.jsonl\n[system hard]\ntarget = recorded:r.jsonl\n'
	printf '[run]\nrounds = 2\nquick = yes\nseed = 2018\n%s[workload mariadb] ; encode is its default\n' "$systems" >duel.ini
	try lampduel run -f duel.ini
	[ "$(sql "SELECT group_concat(DISTINCT workload) FROM task")" = mariadb ]
	printf '%s[system soft]\ntarget = local\n' "$systems" >bad.ini
	try lampduel run -f bad.ini
	[ "$status" -eq 2 ]
	said_in_one_line "bad.ini:5: [system soft] stands in line 1 already"
	printf '%s[workload work]\ntimeout = 5s\ncommand = /bin/true\ncolour = red\n' "$systems" >bad.ini
	try lampduel run -f bad.ini
	[ "$status" -eq 2 ]
	said_in_one_line "bad.ini:8:"
	[[ $err == *colour* ]]
	printf '%s[workload nonsense]\n' "$systems" >bad.ini
	try lampduel run -f bad.ini
	[ "$status" -eq 2 ]
	said_in_one_line "bad.ini:5:"
	printf '%s[workload openssl]\nalgorithms = rsa2048%0300d\n' "$systems" 1 >bad.ini
	try lampduel run -f bad.ini
	[ "$status" -eq 2 ]
	said_in_one_line "bad.ini:6: a line has at most"
}

@test "systems, workloads and counts that cannot be are refused before anything starts" {
	while IFS='|' read -r words says; do
		# shellcheck disable=SC2086 # words
		try lampduel run $words
		[ "$status" -eq 2 ] || { echo "$words: $status $err"; return 1; }
		said_in_one_line "$says" || { echo "for $words"; return 1; }
	done <<'END'
-b mars:x|mars
-b debian:bookworm/vax|vax
-b local -w nothing|nothing
-b local -w openssl --set openssl.colour=red|colour
-b local -w openssl --set mariadb.count=5|mariadb is not measured
-b local -w openssl --set nonsense|WORKLOAD.KEY=VALUE
-b local -w openssl --lives 20|--lives 20
-b a=local -c a=local|two systems are named "a"
-b local extra|extra
-b local --command x|--command x
-b local -c recorded:r.jsonl -w openssl|recorded:
-b local -b a=local|--baseline is given twice
-b local --mirror foo|--mirror: "foo" is no address
-b local --max-time 0|--max-time: nothing
-b local --step 200%|--step: a share
-b local -w command|measured with --command NAME
-b local --command x/../y -- true|--command x/../y: the name
END
}

@test "a life has its own number, also after the services were started again" {
	replay
	[ "$(sql "SELECT group_concat(life, ' ') FROM (SELECT DISTINCT life FROM execution e JOIN task t ON t.id = e.task WHERE t.name = 'mariadb/encode' ORDER BY life)")" = "1 2 3 4 5 6 7" ]
	rm -r "$XDG_DATA_HOME"
	replay --max-time 30s
	sql "UPDATE experiment SET state = 'interrupted'"
	try lampduel reference --resume 1
	[ "$(sql "SELECT count(DISTINCT life) FROM execution e JOIN task t ON t.id = e.task WHERE t.name = 'mariadb/encode'")" -eq 3 ]
}

@test "the page of an emulated pair claims nothing about hardware and names nobody" {
	replay -o page.html
	[ "$status" -eq 0 ]
	page=$(cat page.html)
	[[ $page == "<!DOCTYPE html>"*"nothing is claimed about any hardware"*"</html>" ]]
	[[ $page == *"no verdict on hard against soft is possible yet"*"as fast under emulation"*"-67.8 %"* && $page != *faster* ]]
	[[ $page == *"<svg class=\"chart broad\" role=\"img\""* && $page != *"<script"* ]]
	! command -v tidy >/dev/null || tidy -q -e page.html
	try lampduel report --format html -o - 1
	[ "$status" -eq 0 ] && [ "$out" = "$page" ]
}

@test "a chart alone is a drawing that stands by itself" {
	replay
	try lampduel report --chart all.svg
	[ "$status" -eq 0 ] && [ -z "$out" ]
	python3 -c 'import sys, xml.dom.minidom as m; m.parse("all.svg")'
	[[ $(cat all.svg) == *"times as fast, under emulation"* && $(cat all.svg) != *faster* ]]
	try lampduel report --chart one.svg --metric openssl/rsa2048/sign -o text.txt
	[ "$status" -eq 0 ] && [ -s text.txt ]
	python3 -c 'import xml.dom.minidom as m; m.parse("one.svg")'
	try lampduel report --chart one.svg --metric nothing
	[ "$status" -eq 2 ]
	said_in_one_line "there are: mariadb/benchmark.encode/time"
	try lampduel report --chart one.gif
	[ "$status" -eq 2 ]
	said_in_one_line ".svg or a .png"
	if ! command -v rsvg-convert >/dev/null; then
		try lampduel report --chart all.png
		[ "$status" -eq 1 ] && [ ! -e all.png ]
		said_in_one_line "librsvg2-bin"
	fi
}

# png FILE: prints width and height of a PNG that has all its parts, and in how many different bytes it is drawn
png() {
	python3 - "$1" <<-'END'
		import struct, sys, zlib
		data = open(sys.argv[1], 'rb').read()
		assert data[:8] == b'\x89PNG\r\n\x1a\n'
		at, parts = 8, {}
		while at < len(data):
		    size, kind = struct.unpack('>I4s', data[at:at + 8])
		    body = data[at + 8:at + 8 + size]
		    assert struct.unpack('>I', data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + body)
		    parts[kind] = parts.get(kind, b'') + body
		    at += 12 + size
		assert kind == b'IEND'
		print(*struct.unpack('>II', parts[b'IHDR'][:8]), len(set(zlib.decompress(parts[b'IDAT']))))
	END
}

@test "a chart is drawn as PNG, twice as large as in a page" {
	command -v rsvg-convert >/dev/null || skip "rsvg-convert (librsvg2-bin) is not here, and PNG needs it"
	replay
	try lampduel report --chart all.png
	[ "$status" -eq 0 ] && [ -z "$out$err" ]
	read -r width height bytes < <(png all.png)
	# five changes of 34 units, and what is above and below them
	[ "$width" -eq 1440 ] && [ "$height" -eq $((2 * (30 + 5 * 34 + 42))) ] && [ "$bytes" -gt 50 ]
	try lampduel report --chart one.png --metric openssl/rsa2048/sign
	[ "$status" -eq 0 ]
	read -r width height bytes < <(png one.png)
	[ "$width" -eq 1440 ] && [ "$height" -eq 472 ] && [ "$bytes" -gt 50 ]
	[ -z "$(find /tmp -maxdepth 1 -name 'lampduel-chart.*' -user "$(id -u)")" ]
}

@test "a report that does not fit says why" {
	[ -c /dev/full ] || skip "there is no /dev/full"
	replay
	status=0
	lampduel report --format json >/dev/full 2>err || status=$?
	[ "$status" -eq 1 ]
	[ "$(cat err)" = "lampduel: cannot write to standard output: No space left on device" ]
}

@test "a program that is not there is said once" {
	try lampduel run -b local --accept-load -n 3 --command key -- /no/such/program
	[ "$status" -eq 1 ]
	[[ $err == *"experiment 1 failed: command/key cannot be measured on local: cannot run /no/such/program: no such program"* ]]
	[[ $err != *"attempt 2"* ]]
	[ "$(sql "SELECT count(*) FROM execution")" -eq 1 ]
}
