#!/usr/bin/env bats
# shellcheck disable=SC2030,SC2031 # each test is a process of its own
# Real installations. Those in the user's cache stay there, as those of a run do.

# An archive is needed: without one these say so instead of failing.
add() {
	run "$LAMPDUEL" rootfs add "$@"
	[[ "$output" != *"cannot be reached"* ]] || skip "the Debian archive cannot be reached"
	[[ "$output" != *"names no Debian archive"* ]] || skip "apt here knows no Debian archive"
}

slow() {
	[ -n "${LAMPDUEL_TEST_ALL:-}" ] || skip "slow: --all"
}

@test "an installation of this machine's architecture is prepared and can be measured" {
	target=debian:bookworm/$(dpkg --print-architecture)
	add "$target"
	[ "$status" -eq 0 ]
	# from now on nothing is downloaded
	LAMPDUEL_MIRROR=file:/nowhere run "$LAMPDUEL" rootfs add "$target"
	[ "$status" -eq 0 ]
	run "$LAMPDUEL" doctor "$target"
	[[ "$output" == *"fine     $target: openssl 3.0."* ]]
	[[ "$output" == *"fine     $target: mariadb 10.11."*"apache 2.4."*"php 8.2."*"wordpress 6.1"* ]]
}

@test "two ports of one release have the same versions" {
	slow
	export XDG_CACHE_HOME="$BATS_TEST_TMPDIR/a cache with blanks" LANG=de_DE.UTF-8
	add debian:bookworm/armel debian:bookworm/armhf
	[ "$status" -eq 0 ]
	folder="$XDG_CACHE_HOME/lampduel/rootfs"
	for port in armel armhf; do
		root="$folder/bookworm-$port/root"
		[ -s "$root/etc/passwd" ]
		[ ! -e "$root/etc/resolv.conf" ]
		[ -z "$(find "$root" ! -user "$(id -u)" -print -quit)" ] || [ "$(id -u)" -eq 0 ]
		# rebuilds of one port alone (+b1) are the same source
		sed -n 's/^Package: //p; s/^Version: //p' "$root/var/lib/dpkg/status" | paste - - |
			sed 's/+b[0-9]*$//' | sort >"$BATS_TEST_TMPDIR/$port"
	done
	for package in openssl mariadb-server-core apache2-bin php8.2-cli wordpress; do
		[ "$(grep "^$package	" "$BATS_TEST_TMPDIR/armel")" = \
			"$(grep "^$package	" "$BATS_TEST_TMPDIR/armhf")" ]
	done
	run "$LAMPDUEL" doctor debian:bookworm/armel debian:bookworm/armhf
	[[ "$output" == *"fine     debian:bookworm/armel: openssl 3.0."* ]]
	[[ "$output" == *"fine     debian:bookworm/armhf: openssl 3.0."* ]]
}

@test "programs of Debian 13 start in what was unpacked" {
	slow
	export XDG_CACHE_HOME="$BATS_TEST_TMPDIR/cache"
	target=debian:trixie/$(dpkg --print-architecture)
	add "$target"
	[ "$status" -eq 0 ]
	run "$LAMPDUEL" doctor "$target"
	[[ "$output" == *"fine     $target: openssl 3.5."* ]]
	[[ "$output" == *"php 8.4."* ]]
}

@test "two processes at once make one installation" {
	slow
	export XDG_CACHE_HOME="$BATS_TEST_TMPDIR/cache"
	"$LAMPDUEL" rootfs add debian:bookworm/i386 >"$BATS_TEST_TMPDIR/other" 2>&1 3>&- &
	sleep 1
	add debian:bookworm/i386
	wait
	[ "$status" -eq 0 ]
	[ "$(cat "$BATS_TEST_TMPDIR/other" - <<<"$output" | grep -c 'was there already')" -eq 1 ]
}

@test "interrupted or killed, nothing is left" {
	slow
	export XDG_CACHE_HOME="$BATS_TEST_TMPDIR/cache"
	folder="$XDG_CACHE_HOME/lampduel/rootfs"
	for signal in INT KILL; do
		"$LAMPDUEL" rootfs add debian:bookworm/armhf 3>&- &
		pid=$!
		sleep 6
		kill -"$signal" "$pid"
		wait "$pid" || true
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			[ -e "$folder/.bookworm-armhf.new" ] || break
			sleep 1
		done
		[ ! -e "$folder/.bookworm-armhf.new" ]
		[ ! -e "$folder/bookworm-armhf" ]
	done
	run pgrep -f "mmdebstrap.*$BATS_TEST_TMPDIR"
	[ "$status" -eq 1 ]
}
