#!/bin/sh
# The same bits on another processor, under qemu-user: 32 and 64 bits, little and big endian.
# Wants gcc-X-linux-gnu, libc6-dev-X-cross and qemu-user; what is absent is skipped.
#
#     cross.sh aarch64|arm|riscv64|s390x|ppc64|i686    one processor
#     cross.sh refused                                 where results would be wider, compiling fails
cd "$(dirname "$0")/../.." || exit 1
. tests/compile/checks.sh
. tests/ports/targets.sh

# Emulation is slow: each processor in one precision, and what takes longest on the first alone.
# fused.sh searches the objects of all for what hashes could miss.
steps=50
# gnu99, gcc's default: contraction is allowed, and s390x computes floats as floats.
flags="-std=gnu99 -O2 -static"
[ "${1:-}" = aarch64 ] || scenes=$(all_but_slow)

# emulated NAME PRECISION MACHINE QEMU FLAG...
emulated() {
    name=$1
    precision=$2
    machine=$3
    emulator=$4
    shift 4
    have "$emulator" || finish
    # shellcheck disable=SC2086
    one "$name" "$precision" "$machine-gcc" $flags "$@"
}

case ${1:-} in
aarch64) emulated "aarch64" double aarch64-linux-gnu qemu-aarch64 ;;
arm) emulated "arm, hard float" single arm-linux-gnueabihf qemu-arm ;;
riscv64) emulated "riscv64" double riscv64-linux-gnu qemu-riscv64 ;;
s390x)
    emulated "s390x, big-endian" single s390x-linux-gnu qemu-s390x
    # shellcheck disable=SC2086
    reads "s390x reads the snapshots of this machine" single s390x-linux-gnu-gcc $flags
    ;;
ppc64) emulated "ppc64, big-endian" double powerpc64-linux-gnu qemu-ppc64 ;;
i686) emulated "i686 with SSE" single i686-linux-gnu qemu-i386 -msse2 -mfpmath=sse ;;
refused)
    # Where ISO mode keeps wider intermediate results.
    if have s390x-linux-gnu-gcc; then
        refuses "s390x, -std=c99, single" "wider than their type" \
            s390x-linux-gnu-gcc -std=c99 -DDEVCLOTH_SINGLE -fsyntax-only tests/ports/hash.c
    fi
    if have i686-linux-gnu-gcc; then
        refuses "i686 with x87" "wider than their type" \
            i686-linux-gnu-gcc -std=c99 -mfpmath=387 -fsyntax-only tests/ports/hash.c
    fi
    ;;
esac
finish
