# For the shell scripts of the tests: counting, and a directory for what is built. Sourced from the
# top of the project; a script ends with `finish`.
#
# CHECK_ALL=1 (`make check-compilers`) is everything; without it scripts leave out what seldom finds more.
passed=0
failed=0
all=${CHECK_ALL:-}
precisions=-DDC_REAL_IS_DOUBLE
[ -z "$all" ] || precisions="$precisions -DDEVCLOTH_SINGLE"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

pass() { passed=$((passed + 1)); }

# fail NAME [FILE...]: the files tell why
fail() {
    failed=$((failed + 1))
    echo "FAILED: $1"
    shift
    [ $# -eq 0 ] || head -n 20 "$@"
}

# accepts NAME COMMAND...: the command succeeds
accepts() {
    checked=$1
    shift
    if "$@" >"$work/log" 2>&1; then pass; else fail "$checked" "$work/log"; fi
}

# refuses NAME TEXT COMMAND...: the command fails, and for the right reason: it says TEXT
refuses() {
    checked=$1
    text=$2
    shift 2
    if "$@" >"$work/log" 2>&1; then
        fail "$checked: was accepted"
    elif grep -q -e "$text" "$work/log"; then
        pass
    else
        fail "$checked: failed without saying \"$text\"" "$work/log"
    fi
}

# have COMMAND: if not, that is said, and nothing is counted
have() {
    command -v "$1" >/dev/null 2>&1 && return 0
    echo "$1: skipped"
    return 1
}

# is_asked COMPILER: one that is there; without CHECK_ALL gcc and g++ alone
is_asked() {
    [ -n "$all" ] || case $1 in gcc | g++) ;; *) return 1 ;; esac
    have "$1"
}

finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
    exit
}
