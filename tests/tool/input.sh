#!/bin/sh
# What the command-line tool makes of meshes good and bad: it works where it can, otherwise one clear
# line, an exit code, and nothing left behind that looks whole.
cd "$(dirname "$0")/../.." || exit 1
. tests/compile/checks.sh
tool=build/devcloth

# refused NAME TEXT CODE ARGUMENT...: exit code CODE, one line on stderr with TEXT in it
refused() {
    checked=$1
    text=$2
    code=$3
    shift 3
    "$tool" "$@" >"$work/out" 2>"$work/err"
    status=$?
    lines=$(wc -l <"$work/err")
    if [ "$status" -eq "$code" ] && [ "$lines" -eq 1 ] && grep -q -e "$text" "$work/err"; then
        pass
    else
        fail "$checked: exit $status, $lines lines instead of one with \"$text\"" "$work/err"
    fi
}

# mesh NAME LINE...: an OBJ file
mesh() {
    file=$work/$1.obj
    shift
    printf '%s\n' "$@" >"$file"
}

# runs NAME: the mesh is simulated for three frames, and everything is there
runs() {
    rm -rf "$work/run"
    if "$tool" demo "$work/$1.obj" --frames 3 --size 64x64 -o "$work/run" >"$work/out" 2>"$work/err" &&
        [ -f "$work/run/summary.txt" ] && [ -f "$work/run/cache.pc2" ] &&
        [ -f "$work/run/frames/frame_0002.png" ] && ! ls "$work/run"/*.part >/dev/null 2>&1; then
        pass
    else
        fail "demo $1" "$work/err"
    fi
}

# says NAME TEXT ARGUMENT...: exit code 0, and TEXT on stdout
says() {
    checked=$1
    text=$2
    shift 2
    if "$tool" "$@" >"$work/out" 2>"$work/err" && grep -q -e "$text" "$work/out"; then
        pass
    else
        cat "$work/out" >>"$work/err"
        fail "$checked: \"$text\" is missing" "$work/err"
    fi
}

square="v 0 0 0|v 1 0 0|v 1 1 0|v 0 1 0"
points() { echo "$square" | tr '|' '\n' >"$work/$1.obj"; }

# What works.
mesh single "v 0 0 0" "v 1 0 0" "v 0 1 0" "f 1 2 3"
points two && printf 'f 1 2 3\nf 1 3 4\n' >>"$work/two.obj"
points polygon && printf 'f 1/1 2/2 3/3 4/4\n' >>"$work/polygon.obj"
points negative && printf 'f -4 -3 -2\nf -4//1 -2//1 -1//1\n' >>"$work/negative.obj"
mesh pieces "v 0 0 0" "v 1 0 0" "v 0 1 0" "v 3 0 0" "v 4 0 0" "v 3 1 0" "f 1 2 3" "f 4 5 6"
printf 'v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\n# end\r\nf 1 2 3\r\n' >"$work/dos.obj"
for name in single two polygon negative pieces dos; do runs $name; done

# A byte order mark is no part of the first line.
for end in '\n' '\r\n'; do
    printf "\357\273\277v 0 0 0${end}v 1 0 0${end}v 0 1 0${end}f 1 2 3${end}" >"$work/marked.obj"
    says "a byte order mark" "3 vertices, 1 triangles" check "$work/marked.obj"
done

# A backslash joins lines, but not in a comment; failures name the first line of those joined.
for end in '\n' '\r\n'; do
    printf "# \\\\${end}v 0 0 0${end}v 1 \\\\${end} 0 0${end}v 0 1 0${end}f 1\\\\${end}2 \\\\${end}3${end}" \
        >"$work/joined.obj"
    says "joined lines" "3 vertices, 1 triangles" check "$work/joined.obj"
    printf "f 1 \\\\${end}2 9${end}" >>"$work/joined.obj"
    refused "joined lines without a vertex" "joined.obj:9: there is no vertex 9" 1 check "$work/joined.obj"
done
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 \\' >"$work/open.obj"
points ended && printf 'f 1 2 3\nf 1 3 4\\' >>"$work/ended.obj"
accepts "a backslash ends the file" "$tool" check "$work/ended.obj"
refused "a backslash at the end" "open.obj:4" 1 check "$work/open.obj"

# A mesh in centimetres is told, one in metres is not.
mesh wide "v 0 0 0" "v 170 0 0" "v 0 80 0" "f 1 2 3"
says "a mesh 170 wide" "the mesh is 170 m wide; if it is in centimetres, say demo --scale 0.01" \
    check "$work/wide.obj"
for given in "single 20" "wide 0.01"; do
    # shellcheck disable=SC2086
    set -- $given
    accepts "a narrow mesh" "$tool" demo "$work/$1.obj" --scale "$2" --frames 2 --size 64x64 -o "$work/run"
    if grep -q "m wide" "$work/log"; then fail "a narrow mesh is told" "$work/log"; else pass; fi
done

# Columns stay apart, however large the numbers: a mesh in millimetres, and larger.
for scale in 1000 1e6; do
    accepts "a large mesh" "$tool" demo "$work/two.obj" --scale $scale --dt 1 --fps 1 --frames 3 \
        --tolerance 1e-2 --size 64x64 -o "$work/run"
    if awk '/^  (kinetic|gravity|bending|sum) / { rows += NF == 3 } END { exit rows != 4 }' \
        "$work/run/summary.txt"; then pass; else fail "columns at scale $scale" "$work/run/summary.txt"; fi
done

# What cannot.
points zero && printf 'f 0 1 2\n' >>"$work/zero.obj"
refused "vertex 0" "zero.obj:5: there is no vertex '0'\$" 1 demo "$work/zero.obj" -o "$work/none"
refused "missing file" "nowhere.obj" 1 demo "$work/nowhere.obj" -o "$work/none"
refused "a directory" "$work" 1 demo "$work" -o "$work/none"
: >"$work/empty.obj"
refused "empty file" "empty.obj" 1 demo "$work/empty.obj" -o "$work/none"
points truncated && printf 'f 1 2' >>"$work/truncated.obj"
refused "truncated" "truncated.obj:5" 1 demo "$work/truncated.obj" -o "$work/none"
points faceless
refused "0 triangles" "faceless.obj" 1 demo "$work/faceless.obj" -o "$work/none"
mesh nan "v nan 0 0" "v 1 0 0" "v 0 1 0" "f 1 2 3"
refused "NaN" "nan.obj:1" 1 demo "$work/nan.obj" -o "$work/none"
mesh index "v 0 0 0" "v 1 0 0" "v 0 1 0" "f 1 2 9"
refused "index out of range" "index.obj:4" 1 demo "$work/index.obj" -o "$work/none"
mesh repeated "v 0 0 0" "v 1 0 0" "v 0 1 0" "f 1 2 2"
refused "repeated vertex" "twice" 1 demo "$work/repeated.obj" -o "$work/none"
mesh flat "v 0 0 0" "v 1 0 0" "v 2 0 0" "f 1 2 3"
refused "no area" "no area" 1 demo "$work/flat.obj" -o "$work/none"
points third && printf 'v 0 0 1\nf 1 2 3\nf 2 1 4\nf 1 2 5\n' >>"$work/third.obj"
refused "three triangles on an edge" "edges, triangle 1 2 5 of the face in line 8 " 1 demo "$work/third.obj" -o "$work/none"
points turned && printf 'f 1 2 3\nf 1 4 3\n' >>"$work/turned.obj"
refused "opposite orientation" "neighbour, triangle 1 4 3 of the face in line 6 " 1 demo "$work/turned.obj" -o "$work/none"
refused "a scene of a bad mesh" "neighbour, triangle 1 4 3 of the face in line 6 " 1 run shell --mesh "$work/turned.obj" -o "$work/none"
mesh far "# far" "v 0 0 0" "" "v 1e305 0 0" "v 0 1 0" "f 1 2 3"
refused "too far" "finite, vertex 2 in line 4 " 1 demo "$work/far.obj" --scale 1e6 -o "$work/none"
mesh doubtful "#" "v 0 0 0" "v 1 \\" "0 0" "#" "v 1 1 0" "v 0 1 0" "v 5 5 5" "v .5 1.001 0" "f 1 2 3 4" "f 4 3 6"
says "a vertex without a triangle" "(vertex 5 in line 8)" check "$work/doubtful.obj"
says "a needle" "(triangle 4 3 6 of the face in line 11)" check "$work/doubtful.obj"
says "pins" "hung by .*vertex 3 in line 6\$" demo "$work/doubtful.obj" --frames 1 --size 64x64 -o "$work/run"
mesh stiff "#" "v 0 0 0" "v 1 0 0" "v 1 1 0" "v 0 1 0" "v 2 0 0" "v 2 1 .5" "f 1 2 3 4" "#" "f 2 5 6 3"
"$tool" demo "$work/stiff.obj" --bending 1e6 --dt 1 --fps 1 --tolerance 1e-12 --no-collisions --frames 9 \
    --size 64x64 -o "$work/run" >"$work/out" 2>"$work/err"
if grep -q "step .* failed: .* triangle [1-6] [1-6] [1-6] of the face in line \(8\|10\)," "$work/err"; then
    pass
else
    fail "a step that fails names its triangle" "$work/err"
fi
head -c 5000 "$tool" >"$work/binary.obj"
refused "binary" "binary.obj" 1 demo "$work/binary.obj" -o "$work/none"
refused "output is a file" "$work/two.obj" 1 demo "$work/single.obj" -o "$work/two.obj/x"
for size in 100000x100000 64x4097 99999999999999999999x64; do
    for command in demo "run sphere" "drape I.e" "ribbon helix"; do
        # shellcheck disable=SC2086
        refused "a picture of $size" "too large, the limit is 4096x4096" 2 $command --size $size
    done
done
refused "a picture of no height" "from 64 to 4096" 2 demo --size 64x0
refused "half a size" "from 64 to 4096" 2 demo --size 64x
refused "unknown option" "frobnicate" 2 demo --frobnicate
refused "unknown command" "frobnicate" 2 frobnicate
refused "sheet of nothing" "1 to 24 scenes" 2 sheet "$work/none.png"
refused "unknown scene" "ball:8" 2 sheet "$work/none.png" sphere:8 ball:8
refused "no cells" "sphere:0" 2 sheet "$work/none.png" sphere:0
refused "no time" "sphere:8:0" 2 sheet "$work/none.png" sphere:8:0
refused "cells of a scene" "8 to 400" 1 sheet "$work/none.png" sphere:7
# before the scenes are simulated
refused "a sheet that cannot be written" "nowhere/none.png" 1 sheet "$work/nowhere/none.png" sphere:7
refused "a directory for a sheet" "no plain file" 1 sheet "$work" sphere:8
: >"$work/real.png"
ln -s real.png "$work/link.png"
refused "a link for a sheet" "no plain file" 1 sheet "$work/link.png" sphere:8
if [ -h "$work/link.png" ]; then pass; else fail "the link was replaced"; fi
mkdir -p "$work/kept/contact.png"
refuses "a directory of a picture's name" "no plain file" "$tool" demo --cells 4 --frames 2 --size 64x64 -o "$work/kept"
if [ -d "$work/kept/contact.png" ]; then pass; else fail "the directory was removed"; fi
if [ -e "$work/none/summary.txt" ]; then fail "a refused run left a summary"; else pass; fi

# Scenes.
accepts "sheet" "$tool" sheet "$work/sheet.png" sphere:8:.04 stiff:8:.04
[ -f "$work/sheet.png" ] && pass || fail "no picture of two scenes"
accepts "scenes" "$tool" scenes
accepts "a scene" "$tool" run sphere --cells 8 --frames 2 --size 64x64 -o "$work/scene"
if [ -f "$work/scene/summary.txt" ] && [ -f "$work/scene/cache.pc2" ]; then pass; else fail "files of a scene"; fi
accepts "a scene of several cloths" "$tool" run five --cells 8 --frames 2 --size 64x64 -o "$work/scene"
if [ -f "$work/scene/cache_5.pc2" ] && [ ! -e "$work/scene/cache.pc2" ]; then pass; else fail "files of five cloths"; fi
refused "no scene" "scenes lists them" 2 run
refused "unknown scene" "frobnicate" 2 run frobnicate
refused "two scenes" "one word too many" 2 run sphere five
refused "too few cells" "cells" 2 run sphere --cells 7
refused "too many cells" "cells" 2 run sphere --cells 401
refused "cells that are no number" "cells" 2 run sphere --cells many
refused "no time at all" "seconds" 2 run sphere --seconds 0
refused "frames missing" "frames" 2 run sphere --frames
refused "an option of demo" "bending" 2 run sphere --bending 1
refused "a word for scenes" "one word too many" 2 scenes sphere
refused "a scene into a file" "$work/two.obj" 1 run sphere --cells 8 -o "$work/two.obj/x"

# Drapes.
accepts "a drape" "$tool" drape I.e --size 64x64 -o "$work/drape" --picture "$work/drape/end.png"
if [ -f "$work/drape/summary.txt" ] && [ -f "$work/drape/end.png" ] && [ -f "$work/drape/report.csv" ] &&
    [ ! -e "$work/drape/frames/frame_0000.png" ]; then pass; else fail "files of a drape"; fi
accepts "a drape of a mesh" "$tool" drape "$work/two.obj" --frames --size 64x64 -o "$work/drape"
if [ -f "$work/drape/frames/frame_0001.png" ] && [ -f "$work/drape/last.png" ]; then pass; else fail "frames of a drape"; fi
refused "no drape" "scenes lists them" 2 drape
refused "unknown drape" "frobnicate" 2 drape frobnicate
refused "a start that is not there" "start" 2 drape I.d --start 3
refused "a drape of no file" "nowhere.obj" 1 drape "$work/nowhere.obj" -o "$work/none"
refused "a drape of a bad mesh" "triangle 1 4 3 of the face in line 6 " 1 drape "$work/turned.obj" -o "$work/none"

# Drapes that curves hold. A line a point; blanks, comments and ends of lines as they come.
curve() {
    file=$work/$1.txt
    shift
    printf '%s\n' "$@" >"$file"
}
holds() { refused "$1" "$2" 1 drape "$work/two.obj" --curve "$work/$3.txt" -o "$work/none"; }

printf '# the upper side\r\n0 1 0\r\n\r\n\t.5 1 .05 # middle\r\n1 1 0' >"$work/top.txt"
curve under "0 -.2 0" "1 -.2 .3"
accepts "a curve for a mesh" "$tool" drape "$work/two.obj" --curve "$work/top.txt" --size 64x64 -o "$work/drape"
if grep -q "top.txt, 1.005 m long, holds a border of 1 m by 2 vertices" "$work/drape/summary.txt" &&
    [ -f "$work/drape/pattern.svg" ]; then pass; else fail "files of a curve" "$work/drape/summary.txt"; fi
accepts "two curves for a sheet" "$tool" drape --curve "$work/top.txt" --curve "$work/under.txt" --cells 8 \
    --size 64x64 -o "$work/drape"
# Longer than the border by half: the border slides in it.
curve long "0 1 0" "1.5 1 0"
accepts "a longer curve" "$tool" drape "$work/two.obj" --curve "$work/long.txt" --size 64x64 -o "$work/drape"
curve upright "0 0 1" "1 0 1"
mesh stands_z "v 0 0 0" "v 1 0 0" "v 1 0 1" "v 0 0 1" "f 1 2 3 4"
accepts "a curve whose z is up" "$tool" drape "$work/stands_z.obj" --up z --curve "$work/upright.txt" \
    --size 64x64 -o "$work/drape"
if awk '$1 == "v" && $3 < .99 && ++low > 2 { exit 1 }' "$work/drape/last.obj"; then pass; else fail "which axis of a curve is up"; fi
# Between two arcs, above each other, a sheet is a part of a cylinder: its rulings are upright, where
# they go from side to side, but for a fiftieth of the way: it is flatter at its free ends.
for y in 0 .5; do
    awk -v y=$y 'BEGIN { for (i = 0; i <= 100; i++) print .3 * cos(i / 50), y, .3 * sin(i / 50) }' >"$work/arc$y.txt"
done
accepts "a cylinder" "$tool" drape --curve "$work/arc.5.txt" --curve "$work/arc0.txt" --weightless --cells 20 \
    --size 64x64 -o "$work/drape"
if sed -n 's/^<line x1="\([0-9.]*\)" y1="\([0-9.]*\)" x2="\([0-9.]*\)" y2="\([0-9.]*\)".*/\1 \2 \3 \4/p' \
    "$work/drape/pattern.svg" | awk '{ up = $4 - $2; aside = $3 - $1 }
        up * up > 498 * 498 { count++; if (aside * aside > 100) exit 1 }
        END { exit count < 20 }'; then pass; else fail "rulings of a cylinder" "$work/drape/pattern.svg"; fi
# A tube, by its closed border.
awk 'BEGIN { for (i = 0; i < 24; i++) print "v", cos(i % 12 * .5235988), (i >= 12), sin(i % 12 * .5235988)
    for (i = 1; i <= 12; i++) print "f", i, i + 12, i % 12 + 13, i % 12 + 1 }' >"$work/tube.obj"
awk 'BEGIN { print "closed"; for (i = 0; i < 100; i++) print cos(i * .06283185), 1, sin(i * .06283185) }' >"$work/ring.txt"
accepts "a closed curve" "$tool" drape "$work/tube.obj" --curve "$work/ring.txt" --size 64x64 -o "$work/drape"
awk '{ line[NR] = $0 } END { for (i = NR; i; i--) print line[i] }' "$work/ring.txt" >"$work/back.txt"
accepts "a closed curve backwards" "$tool" drape "$work/tube.obj" --curve "$work/back.txt" --size 64x64 -o "$work/drape"
refused "a closed curve for a sheet" "ring.txt: a closed curve wants a mesh" 1 drape --curve "$work/ring.txt"

refused "a curve of no file" "nowhere.txt: cannot open it" 1 drape "$work/two.obj" --curve "$work/nowhere.txt"
curve word "0 1 0" "one 1 0"
holds "no number in a curve" "word.txt:2: this is no number: 'one 1 0'" word
curve glued "0 1 0" "1 1 0x"
holds "a number with more" "glued.txt:2: this is no number: '0x'" glued
curve endless "0 1 0" "# 2" "1 inf 0"
holds "infinite" "endless.txt:3: this is not a finite number: 'inf 0'" endless
curve nan "nan 1 0" "1 1 0"
holds "NaN in a curve" "nan.txt:1: this is not a finite number: 'nan 1 0'" nan
curve plane "0 1" "1 1"
holds "two numbers" "plane.txt:1: a point has three numbers\$" plane
curve four "0 1 0" "1 1 0 7"
holds "four numbers" "four.txt:2: a point has three numbers, but here follows '7'" four
curve stands "0 1 0" "0 1 0" "1 1 0"
holds "a point twice" "stands.txt:2: this point is where the one before it is" stands
curve one "# one" "0 1 0"
holds "one point" "one.txt:2: the file ends with 1 points; a curve has 2 or more" one
: >"$work/none.txt"
holds "no points" "none.txt:0: the file ends with 0 points; a curve has 2 or more" none
curve two "closed" "0 1 0" "1 1 0" "0 1 0"
holds "a closed curve of two points" "two.txt:4: the file ends with 2 points; a closed curve has 3 or more" two
curve far "-1e300 1 0" "1e300 1 0"
holds "a curve without a length" "far.txt: the curve is too long" far
curve short "0 1 0" ".9 1 0"
holds "a short curve" "short.txt: the curve is 0.9 m long, the border that it is to hold 1 m" short
curve corner "0 1 0" "0 1.1 0"
holds "a curve at a corner" "corner.txt: both of its ends would hold one vertex" corner
# A part of the border by its vertices: here the lower side, led to above the upper one.
curve named "border 2 1" "1 1.2 0" "0 1.2 0"
accepts "a border by its vertices" "$tool" drape "$work/two.obj" --curve "$work/named.txt" --weightless \
    --size 64x64 -o "$work/drape"
if awk '$1 == "v" && ++v <= 2 && ($3 - 1.2) ^ 2 > 1e-4 { exit 1 }' "$work/drape/last.obj"; then
    pass
else
    fail "the border that was named" "$work/drape/last.obj"
fi
curve stranger "0 1 0" "1 1 0" "border 1 5"
holds "a vertex that is not there" "stranger.txt:3: the mesh has no vertex 5" stranger
curve half "border 1" "0 1 0" "1 1 0"
holds "half a border" "half.txt:1: border wants the numbers of two vertices" half
curve more "border 1 2 3" "0 1 0" "1 1 0"
holds "a border of three" "more.txt:1: border wants two vertices, but here follows '3'" more
curve itself "border 2 2" "0 1 0" "1 1 0"
holds "a border of one vertex" "itself.txt: both of its ends would hold one vertex" itself
curve both "closed" "border 1 2" "0 1 0" "1 1 0" "2 0 0"
holds "a part of a closed border" "both.txt:2: a closed curve holds a whole border" both
refused "a border of no mesh" "named.txt:1: there is no mesh" 1 drape --curve "$work/named.txt"
mesh fan "v 0 0 0" "v 1 0 0" "v 1 1 0" "v 0 1 0" "v .5 .5 0" "f 1 2 5" "f 2 3 5" "f 3 4 5" "f 4 1 5"
curve inside "border 1 5" "0 1 0" "1 1 0"
refused "a vertex inside" "inside.txt:1: vertex 5 is not on a border" 1 drape "$work/fan.obj" --curve "$work/inside.txt" -o "$work/none"
mesh closed "v 0 0 0" "v 1 0 0" "v 0 1 0" "v 0 0 1" "f 1 3 2" "f 1 2 4" "f 2 3 4" "f 1 4 3"
refused "no border" "top.txt: the mesh has no border for it" 1 drape "$work/closed.obj" --curve "$work/top.txt" -o "$work/none"
mesh apart "v 0 0 0" "v 1 0 0" "v 0 1 0" "v 3 0 0" "v 4 0 0" "v 3 1 0" "f 1 2 3" "f 4 5 6"
curve across "0 1 0" "3 1 0"
refused "a curve over two pieces" "across.txt: its ends are on two borders" 1 \
    drape "$work/apart.obj" --curve "$work/across.txt" -o "$work/none"
curve slope "0 1 0" "1 0 0"
refused "a piece that no curve holds" "piece .*vertex 4 in line 4" 1 drape "$work/apart.obj" --curve "$work/slope.txt" -o "$work/none"
refused "a curve for a scene" "not 'I.d'" 2 drape I.d --curve "$work/top.txt"
refused "three curves" "curve can be given 2 times" 2 drape --curve a --curve b --curve c
refused "curves at one place" "no --width is given" 1 drape --curve "$work/top.txt" --curve "$work/top.txt"
# A rectangle between the rims of a cone would have to stretch.
for part in ".2 .3" ".3 0"; do
    # shellcheck disable=SC2086
    set -- $part
    awk -v r="$1" -v y="$2" 'BEGIN { for (i = 0; i <= 100; i++) print r * cos(i / 25), y, r * sin(i / 25) }' >"$work/rim$2.txt"
done
rm -rf "$work/cone"
refused "what cannot be a cone" "length of this edge" 1 drape --curve "$work/rim.3.txt" --curve "$work/rim0.txt" \
    --weightless --cells 12 --size 64x64 -o "$work/cone"
if [ -e "$work/cone/summary.txt" ] || [ -e "$work/cone/pattern.svg" ]; then fail "what did not rest left a summary"; else pass; fi

accepts "a ribbon" "$tool" ribbon helix --seconds 0.1 --segments 20 --size 64x64 -o "$work/ribbon"
if [ -f "$work/ribbon/summary.txt" ] && [ -f "$work/ribbon/frames/frame_0002.png" ] &&
    [ -f "$work/ribbon/meshes/frame_0002.obj" ] && [ -f "$work/ribbon/report.csv" ] &&
    [ -f "$work/ribbon/rulings.obj" ]; then pass; else fail "files of a ribbon"; fi
# True scale: a metre and the margins.
if grep -q 'width="1024.000mm" .* viewBox="0 0 1024.000 ' "$work/ribbon/pattern.svg"; then pass; else fail "pattern of a ribbon"; fi
refused "no ribbon" "scenes lists them" 2 ribbon
refused "unknown ribbon" "frobnicate" 2 ribbon frobnicate
refused "too few segments" "segments" 2 ribbon helix --segments 2

# check and size.
accepts "check" "$tool" check "$work/two.obj"
refused "check of a bad mesh" "oriented" 1 check "$work/turned.obj"
says "check of a good mesh" "nothing is wrong" check "$work/two.obj"

# All faults of each kind, the first three by name.

# tells NAME LINE...: check refuses the mesh, and these are all its lines about what is wrong
tells() {
    name=$1
    refused "check $name" "$name.obj: " 1 check "$work/$name.obj"
    shift
    sed -n 's/^wrong: //p' "$work/out" >"$work/said"
    printf '%s\n' "$@" >"$work/meant"
    if cmp -s "$work/said" "$work/meant" && grep -q '^not usable$' "$work/out"; then
        pass
    else
        fail "check $name tells all that is wrong" "$work/said"
    fi
}

# By themselves: vertices 2 and 4 are at one place, 1, 2 and 5 to 8 on a line, 9 is far.
mesh alone "v 0 0 0" "v 1 0 0" "v 0 1 0" "v 1 0 0" "v 2 0 0" "v 3 0 0" "v 4 0 0" "v 5 0 0" "v 0 0 1e300" \
    "f 3 3 1" "f 2 4 3" "f 1 2 5" "f 1 5 6" "f 1 6 7" "f 1 7 8" "f 1 9 3"
tells alone "1 triangles name a vertex twice (triangle 3 3 1 of the face in line 10)" \
    "1 triangles have two corners at one place (triangle 2 4 3 of the face in line 11)" \
    "4 triangles have no area (triangle 1 2 5 of the face in line 12; triangle 1 5 6 of the face in line 13; triangle 1 6 7 of the face in line 14; ...)" \
    "1 triangles are too large to compute their area (triangle 1 9 3 of the face in line 16)"

# Twins, wherever they begin and however they are turned, count as that alone. So does a triangle that
# names a vertex twice.
points copies && printf 'f 1 2 3\nf 1 3 4\nf 3 1 2\nf 4 3 1\nf 1 1 3\n' >>"$work/copies.obj"
tells copies "1 triangles name a vertex twice (triangle 1 1 3 of the face in line 9)" \
    "2 triangles are there twice (triangle 3 1 2 of the face in line 7 as triangle 1 2 3 of the face in line 5; triangle 4 3 1 of the face in line 8 as triangle 1 3 4 of the face in line 6)"
points copied && printf 'f 1 2 3\nf 1 3 4\nf 3 1 2\n' >>"$work/copied.obj"
refused "a twin at an edge of two others" "there twice, triangle 3 1 2 of the face in line 7 " 1 \
    demo "$work/copied.obj" -o "$work/none"

# At an edge of two: once, though it is the third at two edges.
points thirds && printf 'v 0 0 1\nf 1 2 3\nf 1 3 4\nf 3 1 5\n' >>"$work/thirds.obj"
tells thirds "1 triangles are the third, or a further one, at an edge (triangle 3 1 5 of the face in line 8 at an edge of triangle 1 2 3 of the face in line 6)"

# Six triangles around vertex 7, of which the first and the fourth are turned: these are fewer. Each is
# named with its neighbour at the edge of the lowest vertices.
mesh around "v 2 0 0" "v 1 2 0" "v -1 2 0" "v -2 0 0" "v -1 -2 0" "v 1 -2 0" "v 0 0 0" \
    "f 7 2 1" "f 7 2 3" "f 7 3 4" "f 7 5 4" "f 7 5 6" "f 7 6 1"
tells around "2 triangles are oriented against the others (triangle 7 2 1 of the face in line 8 against triangle 7 6 1 of the face in line 13; triangle 7 5 4 of the face in line 11 against triangle 7 3 4 of the face in line 10)"

# A Moebius band of five triangles: whichever way each faces, one pair of neighbours does not agree.
# Which is a matter of order: the one at the last edge, from 4 to 5.
mesh moebius "v 0 0 0" "v 1 0 1" "v 2 1 0" "v 1 2 1" "v -1 1 2" "f 1 2 3" "f 2 4 3" "f 3 4 5" "f 4 1 5" "f 5 1 2"
tells moebius "1 triangles cannot be oriented as a neighbour: the surface has only one side (triangle 4 1 5 of the face in line 9 beside triangle 3 4 5 of the face in line 8)"

# The case that was reported, and two triangles back to back, which the library takes.
mesh three "v 0 0 0" "v 1 0 0" "v 0 1 0" "v 0 -1 0" "v 0 0 1" "v 3 0 0" "v 4 0 0" "v 3 1 0" "v 3 -1 0" "v 5 5 5" \
    "f 1 2 3" "f 2 1 4" "f 1 2 5" "f 6 7 8" "f 6 7 9" "f 10 10 10"
tells three "1 triangles name a vertex twice (triangle 10 10 10 of the face in line 16)" \
    "1 triangles are the third, or a further one, at an edge (triangle 1 2 5 of the face in line 13 at an edge of triangle 1 2 3 of the face in line 11)" \
    "1 triangles are oriented against the others (triangle 6 7 9 of the face in line 15 against triangle 6 7 8 of the face in line 14)"
mesh back "v 0 0 0" "v 1 0 0" "v 0 1 0" "f 1 2 3" "f 3 2 1"
says "two triangles back to back" "^doubtful: 1 triangles are there twice (triangle 3 2 1 .* as triangle 1 2 3 " \
    check "$work/back.obj"

# What crosses itself: an edge through a triangle of another piece, also where other things are wrong.
mesh pierced "v 0 0 0" "v 1 0 0" "v 0 1 0" "#" "v .2 .2 -1" "v .2 .3 1" "v 3 3 0" "f 1 2 3" "f 4 5 6"
cross="^doubtful: the mesh crosses .*from vertex 4 in line 5 to vertex 5 in line 6, and triangle 1 2 3 of the face in line 8)"
says "what crosses" "$cross" check "$work/pierced.obj"
sed 's/.*/&/; $a f 3 2 1\nf 1 1 2' "$work/pierced.obj" >"$work/pierced_bad.obj"
refused "a bad mesh that crosses" "pierced_bad.obj" 1 check "$work/pierced_bad.obj"
if grep -q "$cross" "$work/out"; then pass; else fail "crossings of a bad mesh" "$work/out"; fi

# Not welded: two squares side by side, of four vertices each. A slit in one piece is only doubtful;
# vertices that no face names do not count.
mesh unwelded "v 0 0 0" "v 1 0 0" "v 1 1 0" "v 0 1 0" "f 1 2 3 4" \
    "v 1 -0 0" "v 2 0 0" "v 2 1 0" "v 1 1 0" "f 5 6 7 8"
mesh slit "v 0 0 0" "v 1 0 0" "v 1 1 0" "v 0 1 0" "v -1 .5 0" "v 0 0 0" \
    "f 1 2 3" "f 1 3 4" "f 4 5 6"
mesh unused "v 0 0 0" "v 1 0 0" "v 0 1 0" "v 0 0 0" "f 1 2 3"
apart="2 vertices lie at the place of another (vertex 5 in line 6 at that of vertex 2 in line 2)"
says "check of pieces" "^doubtful: $apart; the mesh is in 2 pieces.*weld" check "$work/unwelded.obj"
says "the verdict on pieces" "^usable once it is welded" check "$work/unwelded.obj"
says "check of a slit" "^doubtful: 1 vertices .* open there.*weld" check "$work/slit.obj"
says "the verdict on a slit" "^usable$" check "$work/slit.obj"
says "a vertex without a face" "^doubtful: 1 vertices without a triangle" check "$work/unused.obj"
if grep -q "place of another" "$work/out"; then fail "vertices that no face names"; else pass; fi
says "welded" "^note: 2 vertices were welded" check --weld "$work/unwelded.obj"
if grep -q "unwelded.obj: 6 vertices, 4 triangles, 1 pieces, 6 border edges" "$work/out" &&
    grep -q "^nothing is wrong" "$work/out"; then pass; else fail "what was welded is whole" "$work/out"; fi
says "what is welded already" "^note: 0 vertices were welded" check "$work/two.obj" --weld
# Vertices keep their numbers: without those welded, 6 and 7 would be 5 and 6.
{ cat "$work/unwelded.obj" && printf 'f 5 7 6\nv 9 9 9\n'; } >"$work/numbers.obj"
refused "numbers after welding" "there twice, triangle 2 7 6 of the face in line 11 " 1 check --weld "$work/numbers.obj"
if grep -q "^doubtful: 1 vertices without a triangle .*(vertex 9 in line 12)" "$work/out"; then
    pass
else
    fail "names after welding" "$work/out"
fi
for command in "demo $work/unwelded.obj --frames 1" "drape $work/unwelded.obj" \
    "run shell --mesh $work/unwelded.obj --frames 1"; do
    # shellcheck disable=SC2086
    "$tool" $command --weld --size 64x64 -o "$work/run" >"$work/out" 2>"$work/err"
    status=$?
    if [ $status -eq 0 ] && grep -q "^note: 2 vertices were welded" "$work/err"; then
        pass
    else
        fail "welded: $command" "$work/err"
    fi
done

# Which axis is up. A square in the xz-plane stands if z is up, otherwise it lies; one in the xy-plane
# the other way round. Upright ones get no such note, nor does what is only a line from above.
mesh standing_z "v 0 2 0" "v 1 2 0" "v 1 2 1" "v 0 2 1" "f 1 2 3 4"
says "a level plane" "^note: all vertices lie in one level plane, y = 2: .* say --up z\$" check "$work/standing_z.obj"
says "the verdict on a level plane" "^nothing is wrong" check "$work/standing_z.obj"
says "a level plane, z up" "^note: all vertices lie in one level plane, z = 0: .* say --up y\$" check --up z "$work/two.obj"
for command in "--up z $work/standing_z.obj" "--up y $work/two.obj" "$work/two.obj"; do
    # shellcheck disable=SC2086
    says "an upright plane" "^nothing is wrong" check $command
    if grep -q "level" "$work/out"; then fail "$command is not level" "$work/out"; else pass; fi
done
# Hung by its highest vertices in the file's z, and that is the height of what is simulated.
says "a mesh whose z is up" "1 x 1 x 0 m" demo "$work/standing_z.obj" --up z --frames 1 --size 64x64 -o "$work/run"
if grep -q "vertex 3 in line 3" "$work/out" && grep -q "vertex 4 in line 4" "$work/out"; then
    pass
else
    fail "the highest vertices of a mesh whose z is up" "$work/out"
fi
"$tool" demo "$work/standing_z.obj" --frames 1 --size 64x64 -o "$work/run" >"$work/out" 2>"$work/err"
if grep -q "^note: .* level plane" "$work/err"; then pass; else fail "a level plane in a demo" "$work/err"; fi
refused "an axis that cannot be up" "up wants y or z, not 'x'" 2 check --up x "$work/two.obj"
refused "no axis" "up wants AXIS" 2 check "$work/two.obj" --up
for command in "demo $work/unwelded.obj" "drape $work/unwelded.obj" "run shell --mesh $work/unwelded.obj"; do
    # shellcheck disable=SC2086
    refused "pieces: $command" "$apart, and the mesh is in 2 pieces.*weld" 1 $command -o "$work/none"
done
runs slit
"$tool" run shell --mesh "$work/slit.obj" --frames 1 --size 64x64 -o "$work/run" >"$work/out" 2>"$work/err"
if grep -q "^doubtful: 1 vertices lie at the place of another" "$work/err"; then
    pass
else
    fail "a scene of a slit" "$work/err"
fi
accepts "pieces that come apart" "$tool" demo "$work/unwelded.obj" --no-collisions --frames 3 \
    --size 64x64 -o "$work/run" 2>"$work/err"
accepts "size" "$tool" size 10x10
for size in 100000x100000 2001x1 99999999999999999999x1 0x5; do
    refused "size of a grid of $size" "1 to 2000 cells" 1 size $size
done
accepts "size of a mesh" "$tool" size "$work/two.obj"
finish
