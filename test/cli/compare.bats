#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2034 # status, out and err come from the helper; at and step go there
# compare: what its arguments may be, pasted figures, stored ones, the gate.

load helper

setup() {
	setup_home
	cd "$BATS_TEST_TMPDIR" || return 1
}

# $1: file; then pairs of label and seconds
pasted() {
	file=$1
	shift
	while [ $# -gt 0 ]; do
		printf '# %s\nSELECT BENCHMARK(1000000,MD5(1));\n1 row in set (%s sec)\n\n' "$1" "$2"
		shift 2
	done >"$file"
}

# Two like systems, replayed: nothing waits for the measuring lock.
measure() {
	local round name at=0 step=command/x
	{
		printf '{"lampduel_recording":1,"unix_ns":1796000000000000000}\n'
		for name in a b; do printf '{"system":"%s","target":"local","arch":"amd64"}\n' "$name"; done
		for round in 1 2 3 4 5 6 7; do
			for name in a b; do call "$name" "$round" $((900 + 10 * round)); done
		done
	} >measured.jsonl
	lampduel run -b a=recorded:measured.jsonl -c b=recorded:measured.jsonl --command x -n 7 -- true >/dev/null 2>&1
}

@test "the labels of one file against each other" {
	pasted out.txt "Soft float" 3.03 "Hard float" 1.02
	try lampduel compare out.txt
	[ "$status" -eq 0 ] && [ -z "$err" ]
	[[ $out == *"Comparison: Soft float against Hard float"* ]]
	[[ $out == *"-66.34 %"*"2.971x"*"no verdict"* ]]
	[[ $out == *"within these sessions"* ]]
	# the interval that a step of 0.01 s allows: 3.025/1.025 to 3.035/1.015
	[[ $out == *"2.951x"*"2.990x"* ]]
}

@test "two labels by name, in the order asked for" {
	pasted out.txt one 3.00 two 2.00 three 4.00
	try lampduel compare "file:out.txt#three" "out.txt#one"
	[ "$status" -eq 0 ] && [[ $out == *"three against one"*"-25.00 %"* ]]
	[[ $out != *"2.00 s"* ]]
	try lampduel compare out.txt
	[ "$status" -eq 0 ] && [[ $out == *"-33"*"+33"* ]]
}

@test "two files are two sides; each without label is one" {
	pasted a.txt x 2.00 x 2.02 x 2.01 x 1.99
	pasted b.txt x 1.00 x 1.02 x 1.01 x 0.99
	try lampduel compare a.txt b.txt
	[ "$status" -eq 0 ] && [[ $out == *"a.txt against b.txt"*"n 4"*"no verdict"* ]]
	pasted a.txt same 2.00
	pasted b.txt same 1.00
	try lampduel compare "a.txt#same" "b.txt#same"
	[ "$status" -eq 0 ] && [[ $out == *"same (a.txt) against same (b.txt)"* ]]
	try lampduel compare "a.txt#same" "a.txt#same" --format csv
	[ "$status" -eq 0 ] && [[ $out == *"same (a.txt)"*"same (a.txt, 2)"* ]]
}

@test "a label that is not there is an error that lists those that are" {
	pasted out.txt one 3.00 two 2.00
	try lampduel compare "out.txt#none" "out.txt#two"
	[ "$status" -eq 2 ]
	said_in_one_line '"one", "two"'
}

@test "other work is not compared" {
	pasted a.txt x 2.00
	sed 's/MD5/SHA1/' a.txt >b.txt
	try lampduel compare a.txt b.txt
	[ "$status" -eq 1 ]
	said_in_one_line "no metric in common"
}

@test "a word that is neither file nor experiment, or both" {
	try lampduel compare nothing
	[ "$status" -eq 2 ]
	said_in_one_line 'no file "nothing"'
	try lampduel compare exp:x
	[ "$status" -eq 2 ]
	said_in_one_line "not the number of an experiment"
	pasted 7 x 1.00
	try lampduel compare 7
	[ "$status" -eq 2 ]
	said_in_one_line "write file:7 or exp:7"
	try lampduel compare 99
	[ "$status" -eq 1 ]
	said_in_one_line "99"
	try lampduel compare
	[ "$status" -eq 2 ]
	try lampduel compare a b c
	[ "$status" -eq 2 ]
}

@test "the systems of an experiment are compared in pairs" {
	measure || skip "nothing can be measured here"
	try lampduel compare 1
	[ "$status" -eq 0 ] && [[ $out == *"Experiment 1"* ]]
	try lampduel compare exp:1/b exp:1/a
	[ "$status" -eq 0 ] && [[ $out == *"Results: a against b"* ]]
	[[ $out != *"sessions only"* ]]
	try lampduel compare exp:1/a exp:1/none
	[ "$status" -eq 2 ]
	said_in_one_line 'no two systems "a" and "none"'
	try lampduel compare exp:1/a
	[ "$status" -eq 2 ]
	said_in_one_line "one side"
}

@test "experiments apart are compared within their sessions, and six a side give a verdict" {
	for _ in 1 2; do measure || skip "nothing can be measured here"; done
	try lampduel compare exp:1/a exp:2/a
	[ "$status" -eq 0 ] && [[ $out == *"a (exp:1) against a (exp:2)"*"sessions only"* ]]
	try lampduel compare exp:1 exp:2
	[ "$status" -eq 2 ]
	said_in_one_line 'name one of "a", "b"'
	for _ in 3 4 5 6 7 8 9 10 11 12; do measure; done
	try lampduel compare --explain exp:1,2,3,4,5,6/a exp:7,8,9,10,11,12/a
	[ "$status" -eq 0 ] && [[ $out != *"command/x/wall: no verdict"* ]]
	[[ $out == *"command/x/wall: "* ]]
}

@test "the gate: undecided is said, and an error only when asked for" {
	pasted out.txt one 3.00 two 3.00
	try lampduel compare --gate out.txt
	[ "$status" -eq 0 ] && [[ $out == *"Gate undecided"*"two: cost"*"no verdict"* ]]
	try lampduel compare --gate=strict out.txt
	[ "$status" -eq 4 ] && [[ $out == *"Gate undecided"* ]]
	try lampduel compare --gate=never out.txt
	[ "$status" -eq 2 ]
}

# speed NAME FILE: what openssl printed; SECONDS of processor time, EXTRA line before
speed() {
	printf '%s\nDoing 2048 bits private rsa'"'"'s for 10s: %d 2048 bits private RSA'"'"'s in %ss\nOpenSSL %s\n' \
		"$2" "$3" "$4" "$5" >"$1"
}

@test "traps between two outputs: processes, clocks, versions" {
	elapsed='You have chosen to measure elapsed time instead of user CPU time.'
	speed cpu.txt "" 403 4.95 "1.0.2k  26 Jan 2017"
	speed wall.txt "$elapsed" 533 10.00 "1.0.2l  25 May 2017"
	# less than its time is processor time, and that is no elapsed time
	try lampduel compare cpu.txt wall.txt
	[[ $out$err == *"far below the run time"* || $out$err == *"no metric in common"* ]]
	[[ $out != *"%"*"x "*"no verdict, "* ]]
	# versions stand in the table of configurations, and in a note
	speed a.txt "$elapsed" 400 10.00 "1.0.2k  26 Jan 2017"
	try lampduel compare a.txt wall.txt
	[ "$status" -eq 0 ]
	[[ $out == *"OpenSSL "*"1.0.2k "*"1.0.2l"* ]]
	[[ $out == *"OpenSSL: a.txt has 1.0.2k, wall.txt has 1.0.2l"* ]]
	# the sum over processes is not the rate of one, also where that one does not say so
	printf '$ openssl speed -multi 4 rsa2048\nOpenSSL 1.0.2k  26 Jan 2017\n                  sign    verify    sign/s verify/s\nrsa 2048 bits 0.003283s 0.000168s    304.6   5952.4\n' >multi.txt
	sed -e 1d -e 's/0.003283s 0.000168s    304.6   5952.4/0.012283s 0.000668s     81.4   1497.5/' multi.txt >single.txt
	try lampduel compare single.txt multi.txt
	[[ $out == *"conditions differ"*"processes=4"* || $err == *"no metric in common"* ]]
}

@test "trap: CPU time against elapsed time" {
	speed cpu.txt '$ openssl speed rsa2048' 403 9.90 "1.1.1n  15 Mar 2022"
	speed wall.txt 'You have chosen to measure elapsed time instead of user CPU time.' 503 10.00 "1.1.1n  15 Mar 2022"
	try lampduel compare cpu.txt wall.txt
	[ "$status" -eq 0 ]
	[[ $(tr -s ' \n' ' ' <<<"$out") == *"No verdict on openssl rsa2048 sign"*"the conditions differ: clock=user;processes=1 on cpu.txt, clock=elapsed;processes=1 on wall.txt"* ]]
	[ "$(grep -cE '[-+][0-9.]+ %' <<<"$out")" -eq 0 ]
}

@test "trap: seconds that contradict the nominal time" {
	elapsed='You have chosen to measure elapsed time instead of user CPU time.'
	speed a.txt "$elapsed" 503 10.00 "3.0.2  15 Mar 2022"
	speed b.txt "$elapsed" 503 4103.00 "3.0.2  15 Mar 2022"
	try lampduel compare a.txt b.txt
	[ "$status" -eq 0 ]
	[[ $(tr -s ' \n' ' ' <<<"$out") == *"b.txt:2: measured seconds (4103) do not match the test's 10 s: the rate is doubtful"* ]]
	[[ $out != *"a.txt:"*"do not match"* ]]
}

@test "trap: different expressions" {
	printf 'SELECT BENCHMARK(1000,MD5(1));\n1 row in set (3.02 sec)\n' >md5.txt
	printf 'SELECT BENCHMARK(1000,SHA1(1));\n1 row in set (2.01 sec)\n' >sha1.txt
	printf 'SELECT  benchmark( 2000, md5( 1 ) );\n1 row in set (3.02 sec)\n' >again.txt
	try lampduel compare md5.txt sha1.txt
	[ "$status" -eq 1 ] && [ -z "$out" ]
	said_in_one_line "md5.txt (mariadb/benchmark.md5(1)/time) and sha1.txt (mariadb/benchmark.sha1(1)/time) have no metric in common"
	# another count of the same one is the same work
	try lampduel compare md5.txt again.txt
	[ "$status" -eq 0 ] && [[ $out == *"-50.0"*" %"*"not equally long (mariadb count=1000,2000)"* ]]
	# in strings the case of letters counts
	printf "SELECT BENCHMARK(1000,md5('A'));\n1 row in set (3.02 sec)\n" >upper.txt
	printf "SELECT BENCHMARK(1000,MD5('a'));\n1 row in set (2.02 sec)\n" >lower.txt
	try lampduel compare upper.txt lower.txt
	[[ $(tr -s ' \n' ' ' <<<"$out") == *"the conditions differ: count=1000;expr=md5('A') on upper.txt, count=1000;expr=MD5('a') on lower.txt"* ]]
	# both in one file
	try lampduel parse md5.txt again.txt
	[ -z "$err" ]
	cat md5.txt sha1.txt >both.txt
	try lampduel parse both.txt
	[[ $err == *"BENCHMARK() of different expressions (md5(1), sha1(1))"* ]]
}

@test "trap: a rate made of errors" {
	for errors in 0 900; do
		printf 'This is ApacheBench, Version 2.3\nConcurrency Level:      2\nComplete requests:      900\nFailed requests:        0\n'
		[ "$errors" -eq 0 ] || printf 'Non-2xx responses:      %d\n' "$errors"
		printf 'Requests per second:    %d.25 [#/sec] (mean)\n' $((400 + errors))
	done >both.txt
	head -n 5 both.txt >good.txt
	tail -n +6 both.txt >bad.txt
	try lampduel compare good.txt bad.txt
	[ "$status" -eq 0 ]
	[[ $(tr -s ' \n' ' ' <<<"$out") == *"bad.txt:6: every response is an error: a rate of errors is no speed"* ]]
}

@test "trap: a cached page given as generated" {
	printf '<!-- Dynamic page generated in 1.702 seconds. -->\n' >fresh.html
	printf 'HTTP/1.1 200 OK\nX-Cache: HIT\n\n<!-- Dynamic page generated in 0.702 seconds. -->\n' >hit.html
	printf '<!--\n\tgenerated in 0.702 seconds\n\tserved from batcache in 0.003 seconds\n-->\n' >batcache.html
	for page in hit batcache; do
		try lampduel compare fresh.html $page.html
		[ "$status" -eq 0 ]
		[[ $(tr -s ' \n' ' ' <<<"$out") == *"$page.html:"*": the page was served from a cache: its generation time is that of the stored page"* ]]
	done
	try lampduel compare fresh.html fresh.html
	[[ $out != *"from a cache"* ]]
}

@test "trap: rounding too coarse for the difference" {
	for t in 0.02 0.01 3.03 1.02; do
		printf 'SELECT BENCHMARK(100000,MD5(1));\n1 row in set (%s sec)\n' $t >$t.txt
	done
	try lampduel compare 0.02.txt 0.01.txt
	[ "$status" -eq 0 ]
	[[ $(tr -s ' \n' ' ' <<<"$out") == *"the readings are rounded too coarsely for a difference of -50 %: their resolution allows"* ]]
	try lampduel compare 3.03.txt 1.02.txt
	[ "$status" -eq 0 ] && [[ $out == *"-66.34 %"* && $out != *"too coarsely"* ]]
}

@test "standard input is a side, once" {
	pasted a.txt Soft 3.03
	pasted b.txt Hard 1.02
	try lampduel compare - b.txt <a.txt
	[ "$status" -eq 0 ] && [[ $out == *"standard input against b.txt"*"-66.34 %"* ]]
	cat a.txt b.txt >both.txt
	try lampduel compare - <both.txt
	[ "$status" -eq 0 ] && [[ $out == *"Soft against Hard"*"-66.34 %"* ]]
	try lampduel compare "-#Hard" a.txt <both.txt
	[ "$status" -eq 0 ] && [[ $out == *"Hard against a.txt"* ]]
	try lampduel compare - - <both.txt
	[ "$status" -eq 2 ] && [[ $err == *"standard input can be read once"* ]]
}

@test "pasted figures are compared without a store, whatever state that is in" {
	pasted a.txt Soft 3.03
	pasted b.txt Hard 1.02
	try lampduel compare a.txt b.txt --db "$BATS_TEST_TMPDIR/none/s.db"
	[ "$status" -eq 0 ] && [ ! -e "$BATS_TEST_TMPDIR/none" ]
	printf 'no database' >broken.db
	try lampduel compare a.txt b.txt --db broken.db
	[ "$status" -eq 0 ] && [ "$(cat broken.db)" = "no database" ]
	try lampduel compare exp:1 b.txt --db broken.db
	[ "$status" -eq 1 ] && [[ $err == *"broken.db"* ]]
}

@test "headings by the hundred are refused, two of them compared" {
	for i in $(seq 100); do pasted part.txt "box $i" 3.03 && cat part.txt; done >all.txt
	try lampduel compare all.txt
	[ "$status" -eq 1 ] && [[ $err == *"all.txt: 100 headings or runs with figures"*"FILE#HEADING"* ]]
	try lampduel compare "all.txt#box 3" "all.txt#box 99"
	[ "$status" -eq 0 ] && [[ $out == *"box 3 against box 99"* ]]
}

# statement FILE LABEL EXPRESSION SECONDS
statement() {
	printf '%s:\nmysql> SELECT BENCHMARK(1000000,%s);\n1 row in set (%s sec)\n' "$2" "$3" "$4" >"$1"
}

@test "an SQL expression is shown as it was typed, and is one whatever its quotes" {
	statement a.txt Soft 'ENCODE("praise","bob")' 3.03
	statement b.txt Hard "encode('praise', 'bob')" 1.02
	try lampduel compare a.txt b.txt
	[ "$status" -eq 0 ] && [[ $out == *'1,000,000 x ENCODE("praise","bob")'*"-66.34 %"* && $out != *"is stated on"* ]]
	statement a.txt Soft "MD5('a')" 3.03
	statement b.txt Hard 'MD5("a")' 1.02
	try lampduel compare a.txt b.txt
	[ "$status" -eq 0 ] && [[ $out == *"-66.34 %"* ]]
	statement b.txt Hard 'MD5("A")' 1.02
	try lampduel compare a.txt b.txt
	[ "$status" -eq 1 ] || [[ $out != *"-66.34 %"* ]]
	statement b.txt Hard "SHA1('a')" 1.02
	try lampduel compare a.txt b.txt
	[ "$status" -eq 1 ] && [[ $err == *"md5('a')"*"sha1('a')"*"no metric in common"* ]]
}

@test "sessions that found other amounts of work for a sample compare, per operation" {
	cp "$BATS_TEST_DIRNAME/../data/reference.jsonl" r.jsonl
	try lampduel reference --system soft=recorded:r.jsonl --system hard=recorded:r.jsonl -w mariadb -w openssl \
		--quick -n 7 --seed 2018
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	try lampduel report --format json -o here.json
	# the other machine is faster: longer samples there
	sed 's/count=/count=1/; s/seconds=/seconds=1/; s/"seed": 2018/"seed": 2019/' here.json >there.json
	[ "$(cat here.json)" != "$(cat there.json)" ]
	try lampduel compare here.json#soft there.json#hard
	[ "$status" -eq 0 ]
	[[ $out == *"1,000,000 x ENCODE('praise','bob')"*"-68 %"*"openssl rsa2048 sign"*"-23.53 %"* && $out != *"no value"* ]]
	note=$(tr -s ' \n' ' ' <<<"$out")
	[[ $note == *"samples are not equally long ("*"); their figures are per operation"* ]]
	[[ $note == *"mariadb count="*,*" "* && $note == *"openssl seconds=1,11"* ]]
	# a session's own notes say whose they are
	sed 's/"notes": \[\]/"notes": ["the fan was loud"]/; s/"seed": 2018/"seed": 2020/' here.json >loud.json
	grep -q "the fan was loud" loud.json
	try lampduel compare loud.json#soft there.json#hard
	[[ $out == *"- loud.json: the fan was loud"* ]]
	# sessions of one side, too, each with its own
	try lampduel compare here.json#soft there.json#soft against here.json#hard there.json#hard
	[ "$status" -eq 0 ] && [[ $out == *"n 14"* && $out != *"no value"* ]]
	# other work stays other work
	sed "s/'praise'/'blame'/g; s/\"seed\": 2018/\"seed\": 2019/" here.json >other.json
	try lampduel compare here.json#soft other.json#hard
	[[ $out == *"no value"* ]]
}
