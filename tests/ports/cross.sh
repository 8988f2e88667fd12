#!/bin/sh
# The same bits on other processors, under qemu-user: 32 and 64 bits, little and big endian.
# Wants gcc-X-linux-gnu, libc6-dev-X-cross and qemu-user; what is absent is skipped.
cd "$(dirname "$0")/../.." || exit 1
. tests/compile/checks.sh
. tests/ports/targets.sh

# cross QEMU NAME COMPILER FLAG...
cross() {
    emulator=$1
    shift
    [ -z "$emulator" ] || have "$emulator" || return 0
    target "$@"
}

make_reference
compare_record

# gnu99, gcc's default: contraction is allowed, and s390x computes floats as floats.
flags="-std=gnu99 -O2 -static"
cross "" "i686 with SSE" i686-linux-gnu-gcc $flags -msse2 -mfpmath=sse

# Emulation is slow.
steps=50
cross qemu-aarch64 "aarch64" aarch64-linux-gnu-gcc $flags
cross qemu-arm "arm, hard float" arm-linux-gnueabihf-gcc $flags
cross qemu-riscv64 "riscv64" riscv64-linux-gnu-gcc $flags
cross qemu-s390x "s390x, big-endian" s390x-linux-gnu-gcc $flags
cross qemu-ppc64 "ppc64, big-endian" powerpc64-linux-gnu-gcc $flags

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
