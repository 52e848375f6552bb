#!/usr/bin/env bats
# shellcheck disable=SC2154 # status, out, err and cache come from the helpers
# Real duels: native on two releases, emulated on both ARM ports. Short ones; figures have wide bounds, because
# the machine that tests is as noisy as it is.

load helper

setup() { setup_live; }

need_amd64() { [ "$(uname -m)" = x86_64 ] || skip "this machine is no x86-64"; }

# $out as one line, however it was wrapped.
flat() { printf '%s\n' "$out" | tr -s ' \n' ' '; }

@test "a native duel of two releases: every task, one WordPress, nothing left" {
	need_amd64
	try lampduel run --accept-load -b old=debian:bookworm/amd64 -c new=debian:trixie/amd64 --quick -n 2 --seed 7
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	[[ $out == *"WordPress page, OPcache on"* && $out == *"ENCODE"* && $out == *"rsa2048"* ]]
	[[ $out == *native* && $out != *"under emulation"* && $out != *"emulated by"* ]]
	[[ $(flat) == *"kernel of the host"* ]]
	[ "$(executions)" -eq 16 ]
	nothing_left
}

@test "the reference case on both ARM ports: soft float loses where it must" {
	try lampduel reference --accept-load --quick -n 2
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	between "$(change_of '1,000,000 x')" -85 -45
	between "$(change_of 'rsa2048')" -55 -10
	[[ $(flat) == *"Raspberry Pi 3"* && $out == *"-12.47 %"* && $out == *"-66.34 %"* ]]
	if [[ $out == *"emulated by qemu"* ]]; then
		[[ $(flat) == *"nothing is claimed about any hardware"* ]]
		[[ $out != *faster* && $out != *slower* ]]
	fi
	nothing_left
}

# From the results to the notes: what does not name the targets.
figures() { sed -n '/^Results/,/^Notes/p'; }

@test "a recording of a real run replays to the same report" {
	need_amd64
	try lampduel run --accept-load -b a=debian:bookworm/amd64 -c b=debian:trixie/amd64 --quick -n 1 --seed 3 \
		--record "$BATS_TEST_TMPDIR/run.jsonl"
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	lampduel report | figures >"$BATS_TEST_TMPDIR/first"
	try lampduel run --accept-load --system "a=recorded:$BATS_TEST_TMPDIR/run.jsonl" \
		--system "b=recorded:$BATS_TEST_TMPDIR/run.jsonl" --quick -n 1 --seed 3
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	lampduel report | figures >"$BATS_TEST_TMPDIR/second"
	diff "$BATS_TEST_TMPDIR/first" "$BATS_TEST_TMPDIR/second"
}

@test "a command in two installations" {
	need_amd64
	try lampduel run --accept-load -b a=debian:bookworm/amd64 -c b=debian:trixie/amd64 -n 3 --command version \
		-- /usr/bin/openssl version
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	[[ $out == *version* ]]
	nothing_left
}
