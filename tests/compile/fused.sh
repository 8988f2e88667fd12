#!/bin/sh
# No fused multiply-add in the object code of the library for processors that have it: instructions are
# searched by name. Hashes see what scenes execute, this sees all. One compiler without CHECK_ALL; with it
# all that are installed, for other processors too.
cd "$(dirname "$0")/../.." || exit 1
. tests/compile/checks.sh

# Names of the instructions. ARM's vmla and vmls round the product: they are not fused.
x86='^vf[cn]?m(add|sub)'
aarch64='^(fn?m(add|sub|la|ls|ad|sb)|fcmla|fmmla|bf(dot|ml|mm))'
arm='^(vfn?m[as]|vcmla)'
riscv64='^(fn?m(add|sub)[.]|vfw?n?m(acc|sac|add|sub))'
s390x='^(m[as][de]br?$|[vw]fn?m[as]([dsx]b)?$)'
ppc64='^(fn?m(add|sub)|x[sv]n?m(add|sub)|vn?m(add|sub)fp)'

# listed OBJDUMP PATTERN FILE: function and instruction, a line for each; at the end functions without.
# riscv's labels inside functions look like functions.
listed() {
    "$1" -d --no-show-raw-insn "$3" | awk -v pattern="$2" '
        /^[0-9a-f]+ <.*>:$/ && $2 !~ /^<[.]L[0-9]/ { name = $2; all[name] }
        $2 ~ pattern && !known[name, $2]++ { print name, $2; has[name] }
        END { for (name in all) if (!(name in has)) print "none in", name }'
}

# searched NAME OBJDUMP PATTERN COMPILER FLAG...: one check for each precision, and one that the search
# finds what it looks for
searched() {
    name=$1
    dump=$2
    pattern=$3
    shift 3
    have "$1" && have "$dump" || return 0
    if "$@" -ffp-contract=fast -c -o "$work/control.o" tests/compile/fused.c >"$work/log" 2>&1 &&
        listed "$dump" "$pattern" "$work/control.o" >"$work/found" && [ -s "$work/found" ] &&
        ! grep -q '^none' "$work/found"; then
        pass
    else
        fail "$name: what is fused on purpose was not found" "$work/log" "$work/found"
    fi
    for real in $precisions; do
        { "$@" "$real" -c -o "$work/$real.o" tests/compile/implementation.c >"$work/$real.log" 2>&1 &&
            listed "$dump" "$pattern" "$work/$real.o" >"$work/$real.found"
            echo $? >"$work/$real.status"; } &
    done
    wait
    for real in $precisions; do
        if [ "$(cat "$work/$real.status")" -ne 0 ] || ! grep -q '^none' "$work/$real.found"; then
            fail "$name, $real" "$work/$real.log"
        elif grep -v '^none' "$work/$real.found" >"$work/fused"; then
            fail "$name, $real: fused" "$work/fused"
        else
            pass
        fi
    done
}

searched "gcc -O2 -mfma" objdump "$x86" gcc -std=c99 -O2 -mfma
[ -n "$all" ] || finish
searched "clang -O3, x86-64-v3" objdump "$x86" clang -O3 -march=x86-64-v3
precisions=-DDC_REAL_IS_DOUBLE
searched "gcc -O3, the machine's instructions" objdump "$x86" gcc -std=gnu99 -O3 -march=native
searched "gcc -O3, x86-64-v4" objdump "$x86" gcc -std=gnu99 -O3 -march=x86-64-v4
searched "clang -O3, aarch64" aarch64-linux-gnu-objdump "$aarch64" \
    clang --target=aarch64-linux-gnu -O3 -march=armv8.3-a

for options in "aarch64-linux-gnu $aarch64 -march=armv9-a" \
    "arm-linux-gnueabihf $arm -march=armv8.3-a+simd -mfpu=auto" \
    "riscv64-linux-gnu $riscv64 -march=rv64gc" "s390x-linux-gnu $s390x -march=z16" \
    "powerpc64-linux-gnu $ppc64 -mcpu=power10"; do
    # shellcheck disable=SC2086
    set -f -- $options
    set +f
    machine=$1
    pattern=$2
    shift 2
    searched "$machine $*" "$machine-objdump" "$pattern" "$machine-gcc" -std=gnu99 -O3 "$@"
done
finish
