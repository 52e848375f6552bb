#!/usr/bin/env bats
# lampduel rootfs, as far as nothing is downloaded; test/live/rootfs.bats makes real ones

setup() {
	export XDG_CACHE_HOME="$BATS_TEST_TMPDIR/a cache"
	mkdir -p "$XDG_CACHE_HOME"
	folder="$XDG_CACHE_HOME/lampduel/rootfs"
}

# an installation as one is left by lampduel rootfs add
pretend() {
	mkdir -p "$folder/$1-$2/root/usr/bin"
	cat >"$folder/$1-$2/description.json" <<-END
		{"form": 1, "target": "debian:$1/$2", "name": "$1-$2", "suite": "$1", "arch": "$2",
		 "os_name": "Debian 12.15 ($1)", "mirror": "http://mirror.example/debian",
		 "sources": "$1", "components": "main", "release_date": "2026-07-11 10:16:37 UTC",
		 "created": "2026-11-30 22:12:38 UTC", "bytes": 406061056,
		 "packages": [{"name": "openssl", "version": "3.0.20-1~deb12u2", "arch": "$2"},
		              {"name": "php8.2-cli", "version": "8.2.32-1~deb12u1", "arch": "$2"},
		              {"name": "mariadb-server-core", "version": "1:10.11.19-0", "arch": "$2"}]}
	END
}

@test "rootfs without an action is a usage error" {
	run "$LAMPDUEL" rootfs
	[ "$status" -eq 2 ]
	[[ "$output" == *"add, list, update or remove"* ]]
	run "$LAMPDUEL" rootfs add
	[ "$status" -eq 2 ]
	run "$LAMPDUEL" rootfs destroy debian:bookworm/armel
	[ "$status" -eq 2 ]
}

@test "rootfs refuses targets that are none" {
	for target in debian:bookworm debian:bookworm/vax debian:../x/armel local dir:/tmp; do
		run "$LAMPDUEL" rootfs add "$target"
		[ "$status" -eq 2 ]
		[ "${#lines[@]}" -eq 1 ]
	done
	[ ! -e "$folder" ] || [ -z "$(ls -A "$folder")" ]
}

@test "rootfs list says when there are none" {
	run "$LAMPDUEL" rootfs list
	[ "$status" -eq 0 ]
	[ "$output" = "no prepared installations in $folder" ]
	run "$LAMPDUEL" rootfs list debian:bookworm/armel
	[ "$status" -eq 1 ]
	[[ "$output" == *"lampduel rootfs add debian:bookworm/armel"* ]]
}

@test "rootfs list shows release, sources, size and versions" {
	pretend bookworm armel
	pretend bookworm armhf
	mkdir -p "$folder/half-done"
	run "$LAMPDUEL" rootfs list
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "debian:bookworm/armel    Debian 12.15 (bookworm), archive of 2026-07-11 (bookworm: main), 387 MB, made 2026-11-30" ]
	[ "${lines[1]}" = "                         openssl 3.0.20-1~deb12u2, php 8.2.32-1~deb12u1, mariadb 10.11.19-0" ]
	[[ "${lines[2]}" == "debian:bookworm/armhf "* ]]
	[[ "${lines[4]}" == "half-done "*"incomplete"* ]]
	run "$LAMPDUEL" rootfs list debian:bookworm/armhf
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 2 ]
}

@test "rootfs add of one that is there touches nothing and needs no network" {
	pretend bookworm armel
	touch "$folder/bookworm-armel/root/mark"
	LAMPDUEL_MIRROR=file:/nowhere run "$LAMPDUEL" rootfs add debian:bookworm/armel
	[ "$status" -eq 0 ]
	[[ "$output" == *"was there already"* ]]
	[ -e "$folder/bookworm-armel/root/mark" ]
}

@test "rootfs add with other sources than what is there says so" {
	pretend bookworm armel
	run "$LAMPDUEL" rootfs add --sources security debian:bookworm/armel
	[ "$status" -eq 1 ]
	[[ "$output" == *"with other sources (bookworm)"* ]]
	run "$LAMPDUEL" rootfs add --sources release debian:bookworm/armel
	[ "$status" -eq 0 ]
}

@test "rootfs remove removes, and says when there is nothing" {
	pretend bookworm armel
	run "$LAMPDUEL" rootfs remove debian:bookworm/armel
	[ "$status" -eq 0 ]
	[ -z "$(ls -A "$folder")" ]
	run "$LAMPDUEL" rootfs remove debian:bookworm/armel
	[ "$status" -eq 1 ]
	[[ "$output" == *"not prepared"* ]]
}

@test "a failed rootfs add leaves nothing and says one line" {
	run "$LAMPDUEL" rootfs add --mirror file:/nowhere/debian debian:bookworm/armel
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" == "lampduel: preparing debian:bookworm/armel: "* ]]
	[ -z "$(ls -A "$folder")" ]
}

@test "a failed rootfs update keeps the old one" {
	pretend bookworm armel
	run "$LAMPDUEL" rootfs update --mirror file:/nowhere/debian debian:bookworm/armel
	[ "$status" -eq 1 ]
	[ -d "$folder/bookworm-armel/root/usr/bin" ]
	[ ! -e "$folder/.bookworm-armel.new" ]
}

@test "a mirror that is no address is a usage error" {
	run "$LAMPDUEL" rootfs add --mirror "two words" debian:bookworm/armel
	[ "$status" -eq 2 ] || [[ "$output" == *"missing"* ]]
	LAMPDUEL_MIRROR=nonsense run "$LAMPDUEL" rootfs add debian:bookworm/armel
	[ "$status" -eq 2 ] || [[ "$output" == *"missing"* ]]
	run "$LAMPDUEL" rootfs add --sources everything debian:bookworm/armel
	[ "$status" -eq 2 ]
}

@test "what another process uses is not removed" {
	pretend bookworm armel
	exec 7>"$folder/.bookworm-armel.lock"
	flock --shared 7
	run "$LAMPDUEL" rootfs remove debian:bookworm/armel
	[ "$status" -eq 1 ]
	[[ "$output" == *"another lampduel uses it"* ]]
	[ -d "$folder/bookworm-armel" ]
	exec 7>&-
}

@test "rootfs --help names its actions" {
	run "$LAMPDUEL" rootfs --help
	[ "$status" -eq 0 ]
	[[ "$output" == *"update TARGET..."* ]]
	[[ "$output" == *"--mirror"* ]]
}
