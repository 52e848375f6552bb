#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2016,SC1003,SC2030,SC2031 # status, out, err and cache come from the helpers; what others are to expand stands in single quotes
# A real sshd on loopback, with keys and configuration of its own, in a network of its own: systems reached through
# the OpenSSH client, in the login shells people have, and what goes wrong with them.

load helper

port=2299

setup() {
	setup_live
	for program in sshd ssh ssh-keygen; do
		command -v "$program" >/dev/null || [ -x "/usr/sbin/$program" ] || skip "$program is missing"
	done
	[ "$(id -u)" -eq 0 ] || skip "a network of its own needs root"
	export XDG_CACHE_HOME="$BATS_TEST_TMPDIR/cache"
	cache=$XDG_CACHE_HOME/lampduel
	there="$BATS_TEST_TMPDIR/there"
	mkdir -p "$cache" "$there" "$BATS_TEST_TMPDIR/bin" /run/sshd
	cd "$BATS_TEST_TMPDIR" || return 1
	ssh-keygen -q -t ed25519 -N '' -f host
	ssh-keygen -q -t ed25519 -N '' -f user
	printf '#!/bin/sh\nexec /usr/bin/ssh -F "%s/ssh_config" "$@"\n' "$PWD" >bin/ssh
	chmod +x bin/ssh
	PATH="$PWD/bin:$PATH"
	cp user.pub authorized
	printf '[127.0.0.1]:%s %s\n' "$port" "$(cut -d' ' -f1,2 host.pub)" >known
	printf '%s\n' "IdentityFile $PWD/user" 'IdentitiesOnly yes' "UserKnownHostsFile $PWD/known" \
		'StrictHostKeyChecking ask' 'Host box' 'HostName 127.0.0.1' "Port $port" \
		"User $(id -un)" >ssh_config
	printf '%s\n' "Port $port" 'ListenAddress 127.0.0.1' "HostKey $PWD/host" "PidFile $PWD/sshd.pid" \
		"AuthorizedKeysFile $PWD/authorized" 'StrictModes no' 'UsePAM no' 'PermitRootLogin yes' \
		'PasswordAuthentication no' 'KbdInteractiveAuthentication no' \
		"SetEnv TMPDIR=$there" >sshd_config
}

# The rest of the line in a network of its own with the server in it; $1: a further line of its configuration.
# Processes that a run leaves are named in the file left.
with_server() {
	[ -z "$1" ] || printf '%s\n' "$1" >>sshd_config
	shift
	unshare -n -p -f --mount-proc sh -c 'ip link set lo up 2>/dev/null || ifconfig lo up
		/usr/sbin/sshd -f sshd_config -E sshd.log && "$@"
		status=$?
		for i in 1 2 3 4 5 6 7 8 9 10; do
			grep -lz "^LAMPDUEL_RUN=" /proc/[0-9]*/environ >left 2>/dev/null || break
			sleep 0.5
		done
		exit $status' sh "$@"
}

# A login shell of another kind: ForceCommand runs what was asked for in it.
in_shell() { printf 'ForceCommand exec %s -c "$SSH_ORIGINAL_COMMAND"' "$1"; }

nothing_there() {
	[ -z "$(ls "$there")" ] || { echo "left: $(ls "$there")"; return 1; }
	[ ! -e /tmp/lampduel-measuring ] || { echo "left: the lock"; return 1; }
	[ -z "$(ls "$cache/run" 2>/dev/null)" ] || { echo "left: $(ls "$cache/run")"; return 1; }
	[ ! -s left ] || { echo "left: $(cat left)"; return 1; }
}

# A command that writes its arguments down, once.
recorder() {
	printf '#!/bin/sh\n[ -s "%s" ] || { for a; do printf "<%%s>" "$a"; done >"%s"; }\n' "$PWD/args" "$PWD/args" >record
	chmod +x record
}

check_shell() {
	recorder
	try with_server "$(in_shell "$1")" "$LAMPDUEL" run --accept-load -b far=ssh:box -n 1 --command x -- "$PWD/record" \
		"it's" '' -- -n '$(id)' '`id`' $'two\nlines\n' '"*" ~ !' 'ünï' '\'
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	printf '<%s>' "it's" '' -- -n '$(id)' '`id`' $'two\nlines\n' '"*" ~ !' 'ünï' '\' >expected
	cmp args expected
	nothing_there
}

@test "every argument survives: login shell dash" { check_shell dash; }

@test "every argument survives: login shell bash" { check_shell bash; }

@test "every argument survives: login shell BusyBox ash" {
	command -v busybox >/dev/null || skip "busybox is missing"
	check_shell "busybox ash"
}

@test "a machine with nothing but BusyBox: its own clock, CPU times by ticks" {
	busybox=$(command -v busybox) || skip "busybox is missing"
	file -L "$busybox" | grep -q static || skip "busybox is not static"
	command -v bwrap >/dev/null || skip "bubblewrap is missing"
	mkdir -p tiny/bin tiny/proc tiny/dev tiny/tmp
	cp "$busybox" tiny/bin/busybox
	for applet in $("$busybox" --list); do
		[ "$applet" = busybox ] || ln -s busybox "tiny/bin/$applet"
	done
	printf '#!/bin/sh\nexec bwrap --bind %s/tiny / --proc /proc --dev /dev --setenv PATH /bin --unsetenv TMPDIR /bin/sh -c "$SSH_ORIGINAL_COMMAND"\n' "$PWD" >enter
	chmod +x enter
	try with_server "ForceCommand $PWD/enter" "$LAMPDUEL" run --accept-load -b far=ssh:box -n 3 --command nap -- sleep 0.3
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	[ -z "$(ls tiny/tmp)" ]
	value=$(sqlite3 "$XDG_DATA_HOME/lampduel/lampduel.db" "SELECT min(value.value) FROM value JOIN metric ON metric.id = value.metric WHERE metric.name = 'command/nap/wall'")
	between "$value" 0.28 1.5
	try with_server '' "$LAMPDUEL" facts ssh:box
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	[ -z "$(ls tiny/tmp)" ]
	grep -qE '^clock\.command +/proc/uptime, step 10 ms$' <<<"$out"
	grep -qE "^kernel\.release +$(uname -r | sed 's/[.+]/\\&/g')\$" <<<"$out"
	grep -qE '^memory\.total +[0-9]+ MiB$' <<<"$out"
}

@test "two hosts at once, interleaved; neither host nor user in the report" {
	try with_server '' "$LAMPDUEL" run --accept-load -b ssh:box -c "ssh:$(id -un)@127.0.0.1:$port" -n 2 --command x -- true
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	[[ $out == *"ssh:..."* && $out != *127.0.0.1* && $out != *box* && $out != *"$(id -un)@"* ]]
	[[ $out == *"host-2 against host"* ]]
	nothing_there
}

@test "one clear line: no such key, unknown host, changed host, nobody there, disk full" {
	: >authorized
	try with_server '' "$LAMPDUEL" run --accept-load -b ssh:box -n 1 --command x -- true
	[ "$status" -eq 1 ]
	said_last "ssh-copy-id"
	cp user.pub authorized
	mv known known.good
	try with_server '' "$LAMPDUEL" run --accept-load -b ssh:box -n 1 --command x -- true
	[ "$status" -eq 1 ]
	said_last "log in once by hand"
	[ ! -s known ]
	printf '[127.0.0.1]:%s %s\n' "$port" "$(cut -d' ' -f1,2 user.pub)" >known
	try with_server '' "$LAMPDUEL" run --accept-load -b ssh:box -n 1 --command x -- true
	[ "$status" -eq 1 ]
	said_last "not the one that is known"
	mv known.good known
	try with_server '' "$LAMPDUEL" run --accept-load -b ssh:127.0.0.1:1 -n 1 --command x -- true
	[ "$status" -eq 1 ]
	said_last "refused"
	nothing_there
}

@test "disk full over there: said, nothing left" {
	mkdir full
	sed -i "s|^SetEnv.*|SetEnv TMPDIR=$PWD/full|" sshd_config
	try unshare -m sh -c "mount -t tmpfs -o size=4k tmpfs full; head -c 4096 /dev/zero >full/all
		unshare -n -p -f --mount-proc sh -c 'ip link set lo up; /usr/sbin/sshd -f sshd_config && \"\$@\"' sh \
		'$LAMPDUEL' run --accept-load -b ssh:box -n 1 --command x -- true"
	[ "$status" -eq 1 ]
	said_last "No space left"
	nothing_there
}

said_last() {
	[ "$(printf '%s\n' "$err" | grep -c '^lampduel: ')" -eq 1 ] || { printf 'not one line: %s\n' "$err"; return 1; }
	case "$(printf '%s\n' "$err" | tail -n 1)" in
	"lampduel: "*"$1"*) ;;
	*) printf 'does not say "%s": %s\n' "$1" "$err"; return 1 ;;
	esac
}

# Cuts the connection once, as soon as the second round runs.
cutter() {
	cat <<-'END' >./cut
		#!/bin/sh
		# the program that is measured: in its third execution it kills the server's process above it
		echo x >>"$1"
		[ "$(wc -l <"$1")" -eq 3 ] || exit 0
		sleep 300 &
		p=$$
		while [ "$p" -gt 1 ]; do
			p=$(awk '/^PPid/ {print $2}' "/proc/$p/status")
			case $(tr '\0' ' ' <"/proc/$p/cmdline") in sshd:*) kill -9 "$p"; break ;; esac
		done
		sleep 300
	END
	chmod +x cut
}

@test "the connection is cut in the middle: that pair is repeated, nothing is left there" {
	cutter
	try with_server '' "$LAMPDUEL" run --accept-load -b far=ssh:box -n 4 --command x -- "$PWD/cut" "$PWD/count"
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	[ "$(sqlite3 "$XDG_DATA_HOME/lampduel/lampduel.db" "SELECT group_concat(status) FROM execution")" = ok,ok,invalid,ok,ok ]
	[[ $(sqlite3 "$XDG_DATA_HOME/lampduel/lampduel.db" "SELECT reason FROM execution WHERE status = 'invalid'") == *"connection was lost"* ]]
	nothing_there
}

@test "lampduel is killed: over there everything ends and is removed" {
	with_server '' sh -c '"$1" run -b far=ssh:box -n 1 --command x -- sleep 301 2>/dev/null &
		i=0; until pgrep -x sleep >/dev/null && pgrep -f "sleep 301" >/dev/null && [ -n "$(ls "$2")" ]; do
			i=$((i + 1)); [ $i -lt 100 ] || exit 9; sleep 0.1; done
		sleep 1; kill -9 $!
		i=0; while [ -n "$(ls "$2")" ] || pgrep -x sleep >/dev/null; do
			i=$((i + 1)); [ $i -lt 100 ] || exit 8; sleep 0.1; done' sh "$LAMPDUEL" "$there"
	nothing_there
}

@test "a busy neighbour over there is seen" {
	[ -n "${LAMPDUEL_TEST_ALL:-}" ] || skip "slow: --all"
	local neighbours=()
	for _ in $(seq "$(nproc)"); do
		timeout 300 sh -c 'while :; do :; done' 3>&- &
		neighbours+=($!)
	done
	try with_server '' "$LAMPDUEL" run -b near=local -c far=ssh:box -n 3 --command nap -- sleep 1
	kill "${neighbours[@]}"
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	[[ $err == *"waiting for a quiet machine, up to a minute: other programs use"* ]]
	[[ $err == *"on near, round 1, attempt 3: other programs used"* ]]
	[[ $err == *"on far, round 1, attempt 3: other programs used"* ]]
	[[ $err == *"no verdict is possible"* ]]
}

# The facts of a machine over there are those that it has itself, which is here the same one.
check_facts() {
	try with_server "$(in_shell "$1")" "$LAMPDUEL" facts --all ssh:box
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	lampduel facts --all local >here 2>/dev/null
	local key
	for key in kernel.release cpu.cores openssl.version os.name memory.total storage.filesystem libc.version; do
		[ "$(grep "^$key " here | tr -s ' ')" = "$(grep "^$key " <<<"$out" | tr -s ' ')" ] ||
			{ grep "^$key " here; grep "^$key " <<<"$out"; return 1; }
	done
	nothing_there
}

@test "facts over ssh: login shell dash" { check_facts dash; }

@test "facts over ssh: login shell BusyBox ash" {
	command -v busybox >/dev/null || skip "busybox is missing"
	check_facts "busybox ash"
}

@test "differences between this machine and one over ssh" {
	try with_server '' "$LAMPDUEL" differences local ssh:box
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	[[ $out != *kernel.release* && $out != *openssl.version* ]] || { echo "$out"; return 1; }
	nothing_there
}

@test "doctor over ssh: what that machine lacks and how busy it is" {
	try with_server '' "$LAMPDUEL" doctor ssh:box
	[[ $out == *"fine     ssh:box: openssl "* ]] || { echo "$out$err"; return 1; }
	[[ $out =~ (fine|note)\ +ssh:box,\ load:\ other\ programs\ use\ [0-9]+\ %\ of\ the\ CPUs ]]
	[[ $out == *"ssh:box, memory: "*" MB are free"* ]]
	nothing_there
}

@test "the noise test, here and over ssh" {
	[ -n "${LAMPDUEL_TEST_ALL:-}" ] || skip "slow: --all"
	for target in local ssh:box; do
		try with_server '' "$LAMPDUEL" doctor --noise --time 15s "$target"
		[ "$status" -eq 0 ] || { echo "$err"; return 1; }
		[[ $out == *"pairs of one task of arithmetic"*"15 rounds show a difference of "*" %"*"load: other programs used"* ]]
		nothing_there
	done
}

@test "openssl over ssh gives what it gives here" {
	[ "$(nproc)" -ge 1 ]
	try with_server '' "$LAMPDUEL" run --accept-load -b near=local -c far=ssh:box -n 2 -w openssl --set openssl.algorithms=rsa2048 \
		--set openssl.seconds=1
	[ "$status" -eq 0 ] || { echo "$err"; return 1; }
	# the same unit and clock on both sides: however busy the machine is, no factor of three lies between them
	ratio=$(sqlite3 "$XDG_DATA_HOME/lampduel/lampduel.db" "SELECT max(m) / min(m) FROM (SELECT avg(value) AS m
		FROM value v JOIN execution e ON e.id = v.execution JOIN metric k ON k.id = v.metric
		WHERE k.name = 'openssl/rsa2048/sign' GROUP BY e.system)")
	between "$ratio" 1 3
	nothing_there
}

# The rest of the line between two hosts, "one" and "two": networks of their own with a server each, 50 ms away.
with_two_hosts() {
	local host
	for host in 1 2; do
		printf '10.9.%d.2 %s\n' $host "$(cut -d' ' -f1,2 host.pub)" >>known
		printf '%s\n' "Host host$host" "HostName 10.9.$host.2" 'Port 22' "User $(id -un)" \
			"ProxyCommand perl $BATS_TEST_DIRNAME/far.pl %h %p 0.025" >>ssh_config
	done
	unshare -n -p -f --mount-proc sh -ec 'ip link set lo up
		for i in 1 2; do
			ip link add near$i type veth peer name far$i
			unshare -n sh -c "until ip address add 10.9.$i.2/24 dev far$i 2>/dev/null; do sleep 0.1; done
				ip link set far$i up; ip link set lo up
				exec /usr/sbin/sshd -D -f sshd_config -o Port=22 -o ListenAddress=10.9.$i.2 -o PidFile=none -E sshd$i.log" &
			server=$!
			until [ "$(readlink /proc/$server/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.1; done
			ip link set far$i netns $server
			ip address add 10.9.$i.1/24 dev near$i
			ip link set near$i up
			until grep -q listening sshd$i.log 2>/dev/null; do sleep 0.1; done
		done
		"$@"' sh "$@"
}

@test "two hosts 50 ms away give what this one gives" {
	[ -n "${LAMPDUEL_TEST_ALL:-}" ] || skip "slow: --all"
	command -v ip >/dev/null || skip "ip (iproute2) is missing"
	command -v perl >/dev/null || skip "perl is missing"
	try with_two_hosts "$LAMPDUEL" run --accept-load -b near=local -c one=ssh:host1 -c two=ssh:host2 -n 7 --end-early no \
		--quick -w openssl --set openssl.algorithms=rsa2048 --command nap -o r.json -- sleep 0.2
	[ "$status" -eq 0 ] || { echo "$err"; cat sshd?.log; return 1; }
	# the nap's time must hold nothing of the way there: less than one way
	nap=$(sql "SELECT max(v.value) FROM value v JOIN metric m ON m.id = v.metric WHERE m.name = 'command/nap/wall'")
	[ "$(awk -v x="$nap" 'BEGIN { print x < 0.224 }')" = 1 ] || { echo "$nap"; return 1; }
	# rsa's intervals, a little wider, hold "equal"
	python3 -c 'import json, math, sys
seen = 0
for row in json.load(open("r.json"))["report"]["rows"]:
    for change in row["changes"]:
        if "rsa2048" in row["title"]:
            seen += 1
            assert change["estimate"]["low"] < math.log(1.03) and change["estimate"]["high"] > -math.log(1.03), row
assert seen == 4, seen' || { echo "$out"; return 1; }
	nothing_there
}
