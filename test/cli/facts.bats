#!/usr/bin/env bats
# shellcheck disable=SC2154 # status, out and err come from the helpers
# lampduel facts and differences, on a recorded Raspberry Pi and on this machine.

load helper

setup() {
	setup_home
	pi="recorded:$BATS_TEST_DIRNAME/../data/pi-two-cards.jsonl"
}

@test "facts of a recorded Raspberry Pi" {
	try lampduel facts "$pi#soft"
	[ "$status" -eq 0 ]
	grep -qE '^os\.name +Slackware 14\.2$' <<<"$out"
	grep -qE '^cpu\.part +Cortex-A53$' <<<"$out"
	grep -qE '^cpu\.board +Raspberry Pi 3 Model B Rev 1\.2$' <<<"$out"
	grep -qE '^storage\.model +SD card SC16G, made 10/2015$' <<<"$out"
	grep -qE '^package\.httpd +2\.4\.27-arm-1_slack14\.2$' <<<"$out"
	[[ "$out" != *hunter2* ]]
	[[ "$out" == *"net.password=(hidden)"* ]]
}

@test "differences: the reference's rows, then the most suspect, then what to do" {
	try lampduel differences "$pi#soft" "$pi#hard"
	[ "$status" -eq 0 ]
	[[ "$out" == *"OpenSSL "*"1.0.2k"*"1.0.2l"*"cpu.governor"*"ondemand"*"performance"*"openssl.version"*"build.openssl.compiler"* ]]
	[[ "$out" == *"Memory: 2 equal, 0 differ"* ]]
	[[ "$out" == *"- set the same governor on both"*"- install the same versions"* ]]
	try lampduel differences "$pi#soft" "$pi#soft"
	[[ "$out" == *"CPU: "*" equal, 0 differ"* ]]
	[[ "$out" != *"as alike as can be"* ]]
}

@test "facts and differences as JSON" {
	try lampduel facts --format json "$pi#hard"
	[[ "$out" == *'"key": "cpu.governor",'*'"value": "performance",'* ]]
	try lampduel differences --format json "$pi#soft" "$pi#hard"
	[[ "$out" == *'"differences": ['*'"key": "cpu.governor",'*'"a": "ondemand",'* ]]
}

@test "facts of this machine, and of what a run stored" {
	try lampduel facts local
	[ "$status" -eq 0 ]
	[[ "$out" == *"kernel.release"*"$(uname -r)"* ]]
	try lampduel differences exp:1
	[ "$status" -eq 1 ]
	said_in_one_line "experiment"
	for name in exp:x exp:1,2 exp:0; do
		try lampduel facts "$name"
		[ "$status" -eq 2 ]
		said_in_one_line "exp"
	done
	try lampduel facts
	[ "$status" -eq 2 ]
	try lampduel facts nonsense:x
	[ "$status" -eq 2 ]
}
