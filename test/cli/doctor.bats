#!/usr/bin/env bats
# lampduel doctor: what it says depends on the machine, how it says it does not

setup() {
	export XDG_CACHE_HOME="$BATS_TEST_TMPDIR/cache"
	mkdir -p "$XDG_CACHE_HOME"
	cd "$BATS_TEST_TMPDIR" || return 1
}

@test "doctor's lines are fine, note, bad or unknown, and its exit status agrees" {
	run "$LAMPDUEL" doctor
	bad=0
	for line in "${lines[@]}"; do
		[[ "$line" =~ ^(fine|bad|note|unknown)\ +.+:\ . ]]
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
	[[ "$output" == *"bad      dir:$BATS_TEST_TMPDIR/empty: "*"no programs"* ]]
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
	[[ "$output" == *"note     debian:nonsense/armhf: "*"no release of Debian"* ]]
	[[ "$output" != *"fine     debian:nonsense/armhf: not prepared"* ]]
}

@test "doctor looks at this machine once, and says what its load is" {
	run "$LAMPDUEL" doctor local local
	[ "$(grep -c ' load: ' <<<"$output")" -eq 1 ]
	[[ "$output" =~ (fine|note)\ +load:\ other\ programs\ use\ [0-9]+\ %\ of\ the\ CPUs ]]
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

@test "doctor tells of another machine what it says of itself, in an instant" {
	cat >"$BATS_TEST_TMPDIR/pi.jsonl" <<'END'
{"lampduel_recording":1,"unix_ns":1796000000000000000}
{"system":"pi","target":"ssh:pi","arch":"armhf"}
{"call":"exec","system":"pi","step":"programs/usr/bin/openssl","round":0,"out":"OpenSSL 1.0.2k  26 Jan 2017\n"}
{"call":"exec","system":"pi","step":"doctor/state","round":0,"out":"memory 600000\nswap 0\ndisk 5000000\npower mains\nclock yes\n"}
{"call":"get","system":"pi","step":"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor","round":0,"out":"ondemand\n"}
{"call":"observe","system":"pi","step":"doctor","round":0,"out":"cpu0 0 0 0 0 0 0 0 0\nthrottled 0x0\n"}
{"call":"observe","system":"pi","step":"doctor","round":0,"out":"cpu0 4 0 0 196 0 0 0 0\nthrottled 0x50005\n"}
END
	target=recorded:$BATS_TEST_TMPDIR/pi.jsonl
	run "$LAMPDUEL" doctor "$target"
	[ "$status" -eq 1 ]
	grep PI <<<"${output//"$target"/PI}" >got
	cat >want <<'END'
fine     PI: reached, a folder was made there; armhf programs, native
fine     PI: openssl 1.0.2k
bad      PI: workload mariadb is not possible; missing: the MariaDB server (package mariadb-server-core), the MariaDB client (package mariadb-client-core)
bad      PI: workload wordpress is not possible; missing: the MariaDB server (package mariadb-server-core), the MariaDB client (package mariadb-client-core), Apache (package apache2-bin), PHP's command line program (package php-cli), Apache's PHP module (package libapache2-mod-php)
note     PI, governor: ondemand: the clock changes while measuring; keep it still, as root: echo performance | tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor
fine     PI, load: other programs use 2 % of the CPUs
fine     PI, steal: the hypervisor takes 0.0 % of the CPUs
bad      PI, throttling: the voltage is too low: every sample would be repeated; a stronger power supply, a shorter cable
bad      PI, throttling: the CPU is throttled: every sample would be repeated; cooling, and power
fine     PI, swap: nothing is swapped out
unknown  PI, machine: it does not say whether it is a virtual one
unknown  PI, storage: what the files lie on is not said there
fine     PI, memory: 614 MB are free
fine     PI, disk: 5120 MB are free
fine     PI, power: no battery drives the machine
fine     PI, clock: kept right by a time server
END
	diff got want
}
