#!/usr/bin/env bats
# shellcheck disable=SC2154 # status, out, err and cache come from the helpers
# Help, versions, usage errors, and what happens when standard output cannot be written.

load helper

setup() { setup_home; }

@test "no command: help on standard error and exit status 2" {
	try lampduel
	[ "$status" -eq 2 ] && [ -z "$out" ]
	[[ $err == *"Usage: lampduel COMMAND"* ]]
}

@test "--help and --version go to standard output" {
	try lampduel --help
	[ "$status" -eq 0 ] && [ -z "$err" ]
	[[ $out == *"reference"*"run"*"doctor"* ]]
	try lampduel --version
	[ "$status" -eq 0 ] && [[ $out =~ ^lampduel\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

@test "an unknown command is one line and exit status 2, its name made harmless" {
	try lampduel $'fly\e[31m'
	[ "$status" -eq 2 ]
	said_in_one_line 'no command "fly\x1b[31m"'
}

@test "every command has help, and every option of it stands in the manual" {
	manual="$BATS_TEST_DIRNAME/../../man/lampduel.1"
	commands=$(lampduel --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
	[ "$(printf '%s\n' "$commands" | wc -l)" -ge 2 ]
	for command in $commands; do
		try lampduel "$command" --help
		[ "$status" -eq 0 ] && [[ $out == "Usage: lampduel $command"* ]]
		grep -q "$command" "$manual"
		# shellcheck disable=SC2013 # words are what is wanted
		for option in $(sed -n 's/^  \(-.,\|   \) --\([a-z-]*\).*/\2/p' "$BATS_TEST_TMPDIR/out"); do
			grep -qF -- "\\-\\-${option//-/\\-}" "$manual" ||
				{ echo "$command --$option is not in the manual"; return 1; }
		done
	done
}

@test "every key of [run] stands in lampduel.ini(5)" {
	for option in rounds warmup lives max-time sample step quick as-published wordpress seed keep output mirror; do
		grep -qF -- "${option//-/\\-}" "$BATS_TEST_DIRNAME/../../man/lampduel.ini.5" ||
			{ echo "$option is not in the manual"; return 1; }
	done
}

@test "every parameter of a workload stands in lampduel.ini(5), every kind of target in lampduel(1)" {
	try lampduel run --help
	seen=0
	while IFS='=' read -r key value; do
		grep -q "^\.B $key\$" "$BATS_TEST_DIRNAME/../../man/lampduel.ini.5" ||
			{ echo "$key is not in the manual"; return 1; }
		[ "$value" != auto ] || grep -A 1 "^\.B $key\$" "$BATS_TEST_DIRNAME/../../man/lampduel.ini.5" | grep -q "default auto"
		seen=$((seen + 1))
	done < <(sed -n 's/^    \([a-z]*=.*\)/\1/p' "$BATS_TEST_TMPDIR/out")
	[ "$seen" -ge 10 ]
	while read -r scheme; do
		grep -q "^\.BI* $scheme" "$BATS_TEST_DIRNAME/../../man/lampduel.1" ||
			{ echo "$scheme is not in the manual"; return 1; }
	done < <(sed -n '/^TARGET is/,/^$/s/^  \([a-z]*:*\).*/\1/p' "$BATS_TEST_TMPDIR/out")
}

@test "a margin of nothing is refused, not taken for the default" {
	for command in "report --margin 0" "compare --gate --margin=0% x y"; do
		# shellcheck disable=SC2086
		try lampduel $command
		[ "$status" -eq 2 ]
		said_in_one_line "is not a share above 0"
	done
}

@test "quickstart refuses a typing error before it installs anything" {
	try "$BATS_TEST_DIRNAME/../../quickstart" --quik
	[ "$status" -eq 2 ]
	[ "$err" = "quickstart: unknown option --quik; ./quickstart --help says more" ]
	[ -z "$out" ]
}

@test "what quickstart and the README name exists: commands and their options" {
	top="$BATS_TEST_DIRNAME/../.."
	seen=0
	while read -r command words; do
		[ "$command" != --help ] || continue
		try lampduel "$command" --help
		[ "$status" -eq 0 ] || { echo "there is no lampduel $command"; return 1; }
		for word in ${words%% -- *}; do
			case $word in
			-*) grep -qE "(^|[ ,])${word%%=*}([],= []|$)" "$BATS_TEST_TMPDIR/out" ||
				{ echo "lampduel $command has no $word"; return 1; } ;;
			esac
		done
		seen=$((seen + 1))
	done < <(sed -n 's/^ *build\/lampduel \([^|\\]*\).*/\1/p' "$top/quickstart" "$top/README.md")
	[ "$seen" -ge 8 ]
	while read -r format; do
		[[ $(lampduel report --help) == *"--format "*"$format"* ]]
	done < <(sed -n 's/.*lampduel.*--format \([a-z]*\).*/\1/p' "$top/quickstart" "$top/README.md")
}

@test "make install puts every manual page in its section" {
	top="$BATS_TEST_DIRNAME/../.."
	make -n -C "$top" install DESTDIR=/there prefix=/usr >"$BATS_TEST_TMPDIR/plan"
	for page in "$top"/man/*; do
		grep -qF "/man${page##*.}/${page##*/}" "$BATS_TEST_TMPDIR/plan" ||
			{ echo "${page##*/} is not installed"; return 1; }
	done
}

@test "the manual pages are well formed" {
	command -v mandoc >/dev/null || skip "mandoc is not installed"
	for page in "$BATS_TEST_DIRNAME"/../../man/*; do
		mandoc -T lint -W warning "$page"
	done
}

@test "a wrong option is one line and exit status 2" {
	try lampduel run --none
	[ "$status" -eq 2 ]
	said_in_one_line "--none"
	try lampduel run -n 0 -b local
	[ "$status" -eq 2 ]
	said_in_one_line "--rounds: 0 is out of range"
}

@test "run without systems shows three examples and exits with 2" {
	try lampduel run
	[ "$status" -eq 2 ] && [ -z "$out" ]
	[ "$(grep -c '^    lampduel run ' "$BATS_TEST_TMPDIR/err")" -eq 3 ]
}

@test "help names a command, or none" {
	try lampduel help run
	[ "$status" -eq 0 ] && [[ $out == "Usage: lampduel run "* ]]
	try lampduel help
	[ "$status" -eq 0 ] && [[ $out == *"Commands:"* ]]
	try lampduel help nosuch
	[ "$status" -eq 2 ] && [[ $err == *'no command "nosuch"'* ]]
	try lampduel -V
	[ "$status" -eq 0 ] && [[ $out == "lampduel "* ]]
}

@test "a full disk under standard output is an error" {
	[ -c /dev/full ] || skip "there is no /dev/full"
	status=0
	lampduel --help >/dev/full 2>"$BATS_TEST_TMPDIR/err" || status=$?
	[ "$status" -eq 1 ]
	grep -q "cannot write to standard output" "$BATS_TEST_TMPDIR/err"
}
