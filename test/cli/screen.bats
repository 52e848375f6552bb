#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2034 # out comes from here and the helper; at goes to the helper
# What a terminal is shown while a run goes on, in a terminal made by script(1); the systems are recorded.

load helper

setup() {
	setup_home
	command -v script >/dev/null || skip "script (of util-linux) is not here, so there is no terminal to draw on"
	recording="$BATS_TEST_TMPDIR/a run.jsonl"
	at=0
	{
		printf '{"lampduel_recording":1,"unix_ns":1796000000000000000}\n'
		for name in slow quick; do
			printf '{"system":"%s","target":"local","arch":"amd64","emulated":false,"emulator":""}\n' "$name"
		done
		for round in 1 2 3 4 5 6; do
			call slow "$round" 2000
			call quick "$round" 1000
		done
	} >"$recording"
	esc=$(printf '\033')
}

# duel LINES COLUMNS OPTION...: what a terminal of that size was sent goes to $out, its escapes as ^[
duel() {
	local size="rows $1 cols $2"
	shift 2
	printf 'stty %s; exec "%s" run -b slow="recorded:%s" -c quick="recorded:%s" --seed 1 -n 6 %s --command work -- /usr/bin/work\n' \
		"$size" "$LAMPDUEL" "$recording" "$recording" "$*" >"$BATS_TEST_TMPDIR/job"
	TERM=${term-xterm} script -qec "sh '$BATS_TEST_TMPDIR/job'" "$BATS_TEST_TMPDIR/log" >/dev/null </dev/null
	out=$(tr -d '\r' <"$BATS_TEST_TMPDIR/log" | sed "s/$esc/^[/g")
}

# how often the cursor was moved up
moves() { grep -c '\^\[\[[0-9]*A' <<<"$out"; }

@test "a terminal shows progress, the current sample and the values of every metric" {
	duel 24 80
	[[ $out == *"] "*" 50 %, about "*" left"* ]]
	[[ $out == *"now:  round 6 of 6: "*" on slow"* && $out == *"now:  round 6 of 6: "*" on quick"* ]]
	[[ $out == *"metric "*"rounds "*"slow "*"quick"* ]]
	grep -Eq '^work, wall clock +6/6 +2\.000 s +1\.000 s' <<<"$out"
	# one redraw before each of the 12 samples and one after it
	[ "$(grep -c '^now: ' <<<"$out")" -eq 12 ]
	[ "$(grep -c '^done: ' <<<"$out")" -eq 12 ]
}

@test "at the end the screen is gone and the report stands there" {
	duel 24 80
	rest=${out##*"^[[J"}
	[[ $rest == "Experiment 1"* && $rest == *"2.000x"* && $rest != *"^[["* ]]
	# no mode of the terminal was changed: no private sequence
	[[ $out != *"^[[?"* ]]
}

@test "a short terminal is never drawn beyond, a shorter one has a bar" {
	duel 10 60
	highest=$(grep -o '\^\[\[[0-9]*A' <<<"$out" | tr -dc '0-9\n' | sort -n | tail -1)
	[ "$highest" -ge 4 ] && [ "$highest" -le 9 ]
	duel 9 60
	[[ $out == *"^[[K["*"] "*" %, about "*", round 6 "* ]]
	[ "$(moves)" -eq 0 ]
	duel 24 30
	[[ $out == *"^[[K["* ]]
	[ "$(moves)" -eq 0 ]
}

@test "what is said meanwhile stays, of the screen nothing is left, in every size of terminal" {
	reason='gave up \u001b[2J after 60 s, which is more to say than a narrow terminal has on one line'
	{
		sed '/"quick".*"round":[35]/s/}$/,"attempt":1,"status":"timeout","reason":"'"${reason/\\/\\\\}"'"}/' "$recording"
		at=500000
		for round in 3 5; do
			call slow "$round" 2000 ',"attempt":2'
			call quick "$round" 1000 ',"attempt":2'
		done
	} >"$recording.new"
	mv "$recording.new" "$recording"
	for size in "24 80" "12 60" "10 40" "8 70" "24 30"; do
		# shellcheck disable=SC2086 # two words
		duel $size
		# the log has a line of script's own before and after
		sed '1d' "$BATS_TEST_TMPDIR/log" >"$BATS_TEST_TMPDIR/sent"
		# shellcheck disable=SC2086
		left=$(python3 "$BATS_TEST_DIRNAME/terminal.py" $size "$BATS_TEST_TMPDIR/sent")
		all=$(tr -d '\n' <<<"$left")
		[[ $all == *"measuring"*"command/work on quick, round 3,"*"\\x1b[2J"*"round 5,"*"Experiment "* ]]
		[[ $all != *"now: "* && $all != *"done: "* && $all != *"Ctrl-C"* && $all != *" %, about"* ]]
		[ "$(grep -c '^metric' <<<"$left")" -eq 0 ]
		[ "$(grep -o 'measuring' <<<"$all" | wc -l)" -eq 1 ]
	done
}

@test "with -v every sample has a line and there is a bar only" {
	duel 24 80 -v
	[ "$(moves)" -eq 0 ]
	[[ $out != *"now: "* && $out == *"round 6 "*"slow"*"wall 2"* ]]
}

# report [NAME=VALUE...]: the report as a terminal is sent it, to $out
report() {
	script -qec "stty rows 24 cols 80; exec env $* '$LAMPDUEL' report" "$BATS_TEST_TMPDIR/log" >/dev/null </dev/null
	out=$(tr -d '\r' <"$BATS_TEST_TMPDIR/log" | sed "s/$esc/^[/g")
}

@test "a report has strips and colour on a terminal, and there alone" {
	duel 24 80
	report -u NO_COLOR TERM=xterm LC_ALL=C
	[[ $out == *"^[[1mResults: quick against slow^[[0m"* && $out == *"^[[32m  how sure: faster"* ]]
	[[ $out == *"^[[1mSamples^[[0m"* && $out == *$'\n'"  slow  |^[["*"#^[[0m|"* ]]
	report NO_COLOR=1 TERM=xterm LC_ALL=C
	[[ $out != *"^["* && $out == *$'\nSamples\n'* && $out == *"faster"* ]]
	report -u NO_COLOR TERM=dumb LC_ALL=C
	[[ $out != *"^["* && $out == *$'\nSamples\n'* ]]
	try env -u NO_COLOR TERM=xterm "$LAMPDUEL" report
	[[ $out != *"$esc"* && $out != *"Samples"* ]]
	try lampduel report -o "$BATS_TEST_TMPDIR/r.txt"
	grep -q '^Samples$' "$BATS_TEST_TMPDIR/r.txt"
}

@test "a terminal that can only print lines is sent nothing else, nor is a file" {
	term=dumb
	duel 24 80
	[[ $out != *"^["* && $out == *"round 6 of 6 is done"* ]]
	try lampduel run -b slow="recorded:$recording" -c quick="recorded:$recording" -n 6 --command work -- /usr/bin/work
	[ "$status" -eq 0 ]
	[[ $err != *"$esc"* && $err == *"round 6 of 6 is done"* ]]
}
