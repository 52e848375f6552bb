#!/usr/bin/env bats
# lampduel doctor: what it says depends on the machine, how it says it does not

setup() {
	export XDG_CACHE_HOME="$BATS_TEST_TMPDIR/cache"
	mkdir -p "$XDG_CACHE_HOME"
}

@test "doctor's lines are fine, bad or note, and its exit status agrees" {
	run "$LAMPDUEL" doctor
	bad=0
	for line in "${lines[@]}"; do
		[[ "$line" =~ ^(fine|bad\ |note)\ \ .+:\ . ]]
		[[ "$line" != bad* ]] || bad=1
	done
	[ "$status" -eq "$bad" ]
	[[ "$output" == *"debian:bookworm/armel"* ]]
	[[ "$output" == *"debian:bookworm/armhf"* ]]
}

@test "doctor does not go to the network and leaves nothing" {
	LAMPDUEL_MIRROR=http://127.0.0.1:9/debian run timeout 60 "$LAMPDUEL" doctor
	[[ "$output" == *"http://127.0.0.1:9/debian (not contacted)"* ]]
	[ -z "$(find "$XDG_CACHE_HOME" -mindepth 3 ! -name '.*')" ]
}

@test "doctor hides the password of a mirror" {
	LAMPDUEL_MIRROR=http://me:secret@mirror.example/debian run "$LAMPDUEL" doctor
	[[ "$output" == *"http://mirror.example/debian"* ]]
	[[ "$output" != *secret* ]]
}

@test "doctor refuses what is no target before it looks at anything" {
	run "$LAMPDUEL" doctor debian:bookworm
	[ "$status" -eq 2 ]
	[ "${#lines[@]}" -eq 1 ]
	run "$LAMPDUEL" doctor nonsense:x
	[ "$status" -eq 2 ]
}

@test "doctor says what is wrong with a folder" {
	mkdir "$BATS_TEST_TMPDIR/empty"
	run "$LAMPDUEL" doctor "dir:$BATS_TEST_TMPDIR/empty"
	[ "$status" -eq 1 ]
	[[ "$output" == *"bad   dir:$BATS_TEST_TMPDIR/empty: "*"no programs"* ]]
	[ -z "$(ls -A "$BATS_TEST_TMPDIR/empty")" ]
	run "$LAMPDUEL" doctor "dir:/nowhere/$(printf '\033')[31m"
	[ "$status" -eq 1 ]
	[[ "$output" != *"$(printf '\033')"* ]]
}

@test "doctor knows when an installation is prepared on first use" {
	run "$LAMPDUEL" doctor debian:bookworm/armhf
	[[ "$output" == *"not prepared yet"* ]]
}

@test "doctor does not call a release fine that it does not know" {
	run "$LAMPDUEL" doctor debian:nonsense/armhf
	[[ "$output" == *"note  debian:nonsense/armhf: "*"no release of Debian"* ]]
	[[ "$output" != *"fine  debian:nonsense/armhf: not prepared"* ]]
}

@test "doctor looks at this machine once, and says what its load is" {
	run "$LAMPDUEL" doctor local local
	[ "$(grep -c ' load: ' <<<"$output")" -eq 1 ]
	[[ "$output" =~ (fine|note)\ \ load:\ other\ programs\ use\ [0-9]+\ %\ of\ the\ CPUs ]]
}

@test "the noise test is of one target, and says when it cannot be made" {
	run "$LAMPDUEL" doctor --noise local local
	[ "$status" -eq 2 ]
	[ "${#lines[@]}" -eq 1 ]
	mkdir "$BATS_TEST_TMPDIR/empty"
	run "$LAMPDUEL" doctor --noise "dir:$BATS_TEST_TMPDIR/empty"
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" == "lampduel: dir:"*"no programs"* ]]
}
