#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2016 # status, out, err and cache come from the helpers; what others are to expand stands in single quotes
# A live WordPress with a page cache and a MariaDB with a password, treated as somebody's running site: nothing in it
# changes, no password is seen anywhere, and a stored page is never taken for a generated one.

load helper

password=geheim-4711

setup() {
	setup_live
	[ "$(uname -m)" = x86_64 ] || skip "this machine is no x86-64"
	[ -n "${LAMPDUEL_TEST_ALL:-}" ] || skip "slow: --all"
	[ "$(id -u)" -eq 0 ] || skip "a network of its own needs root"
	for program in sshd busybox; do
		command -v "$program" >/dev/null || [ -x "/usr/sbin/$program" ] || skip "$program is missing"
	done
	lampduel rootfs add debian:bookworm/amd64 >/dev/null 2>&1
	site="$BATS_TEST_TMPDIR/site"
	cp -a "$cache/rootfs/bookworm-amd64/root" "$site"
	mkdir -p "$site/srv" "$site/proc" "$site/dev" "$site/run" "$site/tmp" "$site/bin"
	# no package's own script ran there: it has no shell of its own
	cp -L "$(command -v busybox)" "$site/bin/busybox"
	for applet in $(busybox --list); do
		[ -e "$site/bin/$applet" ] || [ -e "$site/usr/bin/$applet" ] || ln -s busybox "$site/bin/$applet"
	done
	ln -sf php8.2 "$site/usr/bin/php"
	cp "$BATS_TEST_DIRNAME/site.sh" "$site/srv/"
	printf '%s\n' "$password" >"$site/srv/password"
	cd "$BATS_TEST_TMPDIR" || return 1
	mkdir -p bin /run/sshd
	ssh-keygen -q -t ed25519 -N '' -f host
	ssh-keygen -q -t ed25519 -N '' -f user
	printf '#!/bin/sh\nexec /usr/bin/ssh -F "%s/ssh_config" "$@"\n' "$PWD" >bin/ssh
	chmod +x bin/ssh
	PATH="$PWD/bin:$PATH"
	printf '%s\n' "IdentityFile $PWD/user" "UserKnownHostsFile $PWD/known" 'StrictHostKeyChecking accept-new' \
		'HostName 127.0.0.1' "User $(id -un)" >ssh_config
	printf '%s\n' 'Port 2299' 'ListenAddress 127.0.0.1' "HostKey $PWD/host" 'PidFile none' \
		"AuthorizedKeysFile $PWD/user.pub" 'StrictModes no' 'UsePAM no' 'PermitRootLogin yes' >sshd_config
	# the site's own machine, and this one, which the site's loopback belongs to as well
	printf 'Port 2298\nForceCommand exec /usr/sbin/chroot %s /bin/sh -c "$SSH_ORIGINAL_COMMAND"\n' "$site" >inside
	sed /^Port/d sshd_config >>inside
}

# The rest of the line beside the running site; what it was before and after is in the files before and after.
beside_the_site() {
	unshare -m -n -p -f --mount-proc sh -c 'set -e
		site=$1
		shift
		ip link set lo up
		mount -t proc proc "$site/proc"
		mount --rbind /dev "$site/dev"
		chroot "$site" /bin/sh /srv/site.sh install >install.log 2>&1
		/usr/sbin/sshd -f sshd_config
		/usr/sbin/sshd -f inside
		chroot "$site" /bin/sh /srv/site.sh dump >before
		# who looks at command lines and environments meanwhile
		(set +e; while sleep 0.1; do cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ >>seen 2>/dev/null; done) &
		status=0
		"$@" || status=$?
		kill $! || :
		chroot "$site" /bin/sh /srv/site.sh dump >after
		exit $status' sh "$site" "$@"
}

untouched() {
	[ "$(wc -l <before)" -eq 2 ]
	cmp before after
	[ -s seen ]
	! grep -q "$password" seen || { echo "the password was to be seen in a command line or an environment"; return 1; }
	! grep -rq "$password" "$XDG_DATA_HOME" out err || { echo "the password is in the store or in a message"; return 1; }
}

@test "a running MariaDB, by the system's own file, over ssh" {
	try beside_the_site "$LAMPDUEL" run --accept-load -b site=ssh:somewhere:2298 -n 2 --quick -w mariadb --set mariadb.server=running \
		--set mariadb.defaults-file=/etc/site.cnf
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	[[ $out == *"ENCODE"* && $out == *"server=running"* && $out == *"as it ran"* ]]
	# what the server has in effect, not what its files and its program say
	[ "$(sql "SELECT origin FROM fact WHERE key = 'effective.mariadb.innodb_buffer_pool_size'")" = "SHOW GLOBAL VARIABLES" ]
	[ "$(sql "SELECT count(*) FROM fact WHERE key LIKE 'effective.mariadb.%'")" -gt 300 ]
	untouched
}

@test "a running WordPress, from here and over ssh: generated each time, nothing changes" {
	try beside_the_site "$LAMPDUEL" run --accept-load -b here=local -c there=ssh:somewhere:2299 -n 3 --quick -w wordpress \
		--set wordpress.url=http://127.0.0.1:8080/
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	[[ $out == *"WordPress page"* && $out == *"first byte"* && $out == *"asked=there"* && $out != *127.0.0.1* ]] ||
		{ echo "$out"; return 1; }
	untouched
	between "$(change_of 'WordPress page ')" -40 65
}

@test "a stored page is refused, whatever it says" {
	try beside_the_site "$LAMPDUEL" run --accept-load -b local -n 1 -w wordpress --set wordpress.url=http://127.0.0.1:8080/ \
		--set wordpress.fresh=header
	[ "$status" -eq 1 ]
	grep -q "^lampduel: .*it is a stored copy$" err
	untouched
}
