#!/bin/sh
# The same bits on other processors, under qemu-user: 32 and 64 bits, little and big endian.
# Wants gcc-X-linux-gnu, libc6-dev-X-cross and qemu-user; what is absent is skipped.
cd "$(dirname "$0")/../.." || exit 1
. tests/compile/checks.sh
. tests/ports/targets.sh

make_reference
compare_record

# Emulation is slow: each processor in one precision, two side by side; and what takes longest on the
# first alone. fused.sh searches the objects of all for what hashes could miss.
steps=50
# gnu99, gcc's default: contraction is allowed, and s390x computes floats as floats.
flags="-std=gnu99 -O2 -static"

# emulated PRECISION MACHINE QEMU FLAG...
emulated() {
    emulated_in=$1
    machine=$2
    emulator=$3
    shift 3
    rm -f "$work/$emulated_in.out"
    [ -z "$emulator" ] || have "$emulator" || return 0
    # shellcheck disable=SC2086
    begin "$emulated_in" "$machine-gcc" $flags "$@"
}

# both NAME NAME: the one in double and the one in single are done
both() {
    settle
    compare "$1" double
    compare "$2" single
}
emulated double aarch64-linux-gnu qemu-aarch64
scenes=$(all_but_slow)
emulated single arm-linux-gnueabihf qemu-arm
both "aarch64" "arm, hard float"
emulated double riscv64-linux-gnu qemu-riscv64
emulated single s390x-linux-gnu qemu-s390x
both "riscv64" "s390x, big-endian"
emulated double powerpc64-linux-gnu qemu-ppc64
emulated single i686-linux-gnu "" -msse2 -mfpmath=sse
both "ppc64, big-endian" "i686 with SSE"
emulator=

# Where ISO mode keeps wider intermediate results, it is refused.
if have s390x-linux-gnu-gcc; then
    refuses "s390x, -std=c99, single" "wider than their type" \
        s390x-linux-gnu-gcc -std=c99 -DDEVCLOTH_SINGLE -fsyntax-only tests/ports/hash.c
fi
if have i686-linux-gnu-gcc; then
    refuses "i686 with x87" "wider than their type" \
        i686-linux-gnu-gcc -std=c99 -mfpmath=387 -fsyntax-only tests/ports/hash.c
fi
finish
