#!/usr/bin/env bats
# shellcheck disable=SC2154 # out comes from the helper
# A program and a library of Debian's real packages of many architectures, each with the right ABI.

load helper

elf="$BATS_TEST_DIRNAME/../../build/unit/test_elf"

setup() {
	setup_live
	[ -n "${LAMPDUEL_TEST_ALL:-}" ] || skip "slow: --all"
	[ -x "$elf" ] || skip "the unit tests are not built"
	[ -x /usr/lib/apt/apt-helper ] || skip "apt-helper is missing"
	mirror=$(lampduel doctor 2>/dev/null | sed -n 's/^fine *archive: \(.*\) (not contacted)$/\1/p')
	[ -n "$mirror" ] || skip "apt here knows no Debian archive"
	cd "$BATS_TEST_TMPDIR" || return 1
}

# check ARCH HELLO ZLIB EXPECTED: packages of these versions; what is read of hello and of libz
check() {
	local file package
	for package in "h/hello/hello_$2_$1" "z/zlib/zlib1g_$3_$1"; do
		file=$(basename "$package").deb
		/usr/lib/apt/apt-helper download-file "$mirror/pool/main/$package.deb" "$file" >/dev/null 2>&1 ||
			skip "$package.deb cannot be downloaded from $mirror"
		rm -rf unpacked
		dpkg-deb -x "$file" unpacked
		try "$elf" "$(find unpacked -type f \( -path '*/bin/hello' -o -name 'libz.so.1.*' \) -print -quit)"
		# shellcheck disable=SC2053 # a pattern
		[[ $out == $4 ]] || { echo "$package: $out"; return 1; }
	done
}

@test "bookworm: ARM soft and hard float, MIPS, PowerPC and others" {
	check armel 2.10-3 1.2.13.dfsg-1 'armel|32|soft||ARMv5TE, no floating point unit'
	check armhf 2.10-3 1.2.13.dfsg-1 'armhf|32|hard||ARMv7-A, VFPv3-D16, Thumb-2'
	check arm64 2.10-3 1.2.13.dfsg-1 'arm64|64|unknown||'
	check mipsel 2.10-3 1.2.13.dfsg-1 'mipsel|32|hard||MIPS32r2, float in 32- or 64-bit registers'
	check mips64el 2.10-3 1.2.13.dfsg-1 'mips64el|64|hard||MIPS64r2, double float'
	check ppc64el 2.10-3 1.2.13.dfsg-1 'ppc64el|64|unknown||ELFv2'
	check s390x 2.10-3 1.2.13.dfsg-1 's390x|64|unknown||'
	check i386 2.10-3 1.2.13.dfsg-1 'i386|32|unknown||'
}

@test "trixie: RISC-V" {
	check riscv64 2.10-5 '1.3.dfsg%2breally1.3.1-1%2bb1' 'riscv64|64|hard||rv64i2p1_m2p0_a2p1_f2p2_d2p2_c2p0_*'
}
