# shellcheck shell=bash
# Sourced by quickstart and runtests from the project's folder: packages and timed parts.

setup_name=${0##*/}
setup_log=build/setup.log
setup_log_begun=

say() {
	printf '%s: %s\n' "$setup_name" "$*"
}

complain() {
	printf '%s: %s\n' "$setup_name" "$*" >&2
}

# part TITLE COMMAND...: says what is done, does it, says how long it took; the command's status
part() {
	local title=$1 start=$SECONDS status=0
	shift
	say "$title ..."
	"$@" || status=$?
	if [ "$status" -eq 0 ]; then
		say "$title: $((SECONDS - start)) s"
	else
		complain "$title: failed after $((SECONDS - start)) s"
	fi
	return "$status"
}

# quietly COMMAND...: its output goes to the log, whose end is shown when it fails
quietly() {
	local status=0
	mkdir -p "${setup_log%/*}"
	[ -n "$setup_log_begun" ] || : >"$setup_log"
	setup_log_begun=1
	"$@" >"$setup_log.part" 2>&1 || status=$?
	{ printf '== %s\n' "$*"; cat "$setup_log.part"; } >>"$setup_log"
	if [ "$status" -ne 0 ]; then
		# not the compiler's command lines, between which its words would be lost
		grep -v -E '^((cc|gcc|clang|ar) |  [A-Z]+ )' "$setup_log.part" | tail -n 40 >&2
		complain "'$*' failed (all of its output: $setup_log)"
	fi
	rm -f "$setup_log.part"
	return "$status"
}

release_name() {
	# shellcheck disable=SC1091
	(. /etc/os-release 2>/dev/null && printf '%s\n' "${VERSION_CODENAME:-unknown}") || echo unknown
}

# Does this machine run armel and armhf by itself? An arm64 CPU without 32-bit state does not.
runs_arm() {
	case $(uname -m) in
	armv7l | armv8l) return 0 ;;
	aarch64) [ "$(setarch linux32 uname -m 2>/dev/null)" = armv8l ] ;;
	*) return 1 ;;
	esac
}

# packages_for PURPOSE...: their names in this release; of two lines of which one names releases,
# the one without is for the others
packages_for() {
	local purpose
	for purpose; do
		awk -v purpose="$purpose" -v release="$(release_name)" '
			$1 != purpose { next }
			NF < 3 { any[++n] = $2; next }
			("," $3 ",") ~ ("," release ",") { print $2; named = 1 }
			END { if (!named) for (i = 1; i <= n; i++) print any[i] }' scripts/packages
	done
}

is_installed() {
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

apt() {
	as_root env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -y -q -o DPkg::Lock::Timeout=600 "$@"
}

# install_packages PURPOSE...: what is missing, and nothing when nothing is
install_packages() {
	local wanted package missing=()
	wanted=$(packages_for "$@")
	if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
		say "this machine has no apt-get: these are needed, by whatever name: ${wanted//$'\n'/ }"
		return 0
	fi
	for package in $wanted; do
		is_installed "$package" || missing+=("$package")
	done
	if [ ${#missing[@]} -eq 0 ]; then
		say "every package is there"
		return 0
	fi
	if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
		complain "run this as root, or install sudo; missing: apt-get install ${missing[*]}"
		return 1
	fi
	say "installing ${missing[*]}"
	quietly apt update && quietly apt --no-install-recommends install "${missing[@]}"
}

# install_browser: what looks at pages. An npm that came from elsewhere is good enough.
install_browser() {
	local purposes=(browser)
	command -v npm >/dev/null || purposes+=(npm)
	install_packages "${purposes[@]}"
}

# install_server: the ssh server that tests start by themselves on loopback. Its package would start one for
# everybody; it is kept from that, now and at the next start of the machine.
install_server() {
	local policy=/usr/sbin/policy-rc.d ours="" status=0
	if [ -x /usr/sbin/sshd ] || ! command -v apt-get >/dev/null; then
		return 0
	fi
	if [ ! -e "$policy" ]; then
		ours=1
		printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null && as_root chmod 755 "$policy" || return 1
	fi
	install_packages server || status=1
	if [ -n "$ours" ]; then
		as_root rm -f "$policy"
		as_root systemctl disable ssh.service ssh.socket >/dev/null 2>&1 || true
	fi
	return "$status"
}
