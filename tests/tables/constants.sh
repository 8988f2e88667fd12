#!/bin/sh
# What the tuned constants do. Each is halved and doubled in a copy of the library, and a scene of
# tests/ports/hash.c is run with it.
#
#     constants.sh          prints the table, in Markdown
#     constants.sh check    whether each constant of the table is one of the library
cd "$(dirname "$0")/../.." || exit 1

# Constant, scene and what is counted in it.
rows() {
    cat <<'END'
DCI_CONTACT_ROW_MOTION_TOL steered newton
DCI_CONTACT_ROW_TOL_MIN pressed newton
DCI_CONTACT_ROW_TOL_MAX pressed newton
DCI_CONTACT_ROW_TOL_RIBBONS ribbons evaluations
DCI_CONTACT_ROW_FORCE_TOL steered newton
DCI_CONTACT_ROW_ITERATIONS squeezed newton
DCI_CONTACT_ROW_YIELD pressed newton
DCI_CONTACT_ROW_COMPLIANCE_PART squeezed newton
DCI_CONTACT_ROW_PARTING squeezed newton
DCI_CONTACT_ROW_CLOSE steered newton
DCI_CONTACT_ROW_STALLED squeezed newton
DCI_CONTACT_ROW_STALLS_MAX squeezed newton
DCI_PINCH_SWEEPS squeezed newton
DCI_PINCH_SHARE_SWEEPS squeezed newton
DCI_PINCH_LEAST squeezed newton
DCI_DIVISIBLE_NEWTON_PART steered newton
DCI_CREASE_HOLDING ribbons evaluations
DCI_RIBBON_CONTACT_GOAL ribbons evaluations
DCI_NEWTON_CG_TOL folded evaluations
DCI_RIBBON_YIELD ribbons evaluations
DCI_RIBBON_ROWS chains evaluations
DCI_TIE_BALANCE ribbons evaluations
DCI_CONTACT_PENALTY chains evaluations
DCI_TIE_RATE ribbons evaluations
DCI_PIVOT_TOL late newton
DCI_SCHUR_REGULARISATION tube newton
DCI_SCHUR_TOL tube cg
DCI_COUPLE_CG_FLOOR tube cg
DCI_COUPLE_CG_FLOOR_TOL sheet cg
DCI_COUPLE_CG_DELAY tube cg
DCI_COUPLE_IMPACT_TOL fall newton
DCI_COUPLE_FAR fall cg
DCI_COUPLE_KEPT hurried newton
DCI_COUPLE_LOOSE_CG_TOL fall cg
DCI_COUPLE_LOOSE_CG_DELAY fall cg
DCI_COUPLE_PART_TOL squeezed newton
DCI_IMPULSE_PART squeezed newton
DCI_IMPULSE_MOTION pressed newton
DCI_SLACK_FRACTION pressed contacts
DCI_SLACK_EDGES pressed contacts
DCI_SLACK_THICKNESSES pressed contacts
DCI_SLACK_FRACTION_DRAPE drape cg
DCI_PUSH_STEPS separate crossings
DCI_CROSSING_PUSH_MAX separate crossings
DCI_CROSSING_PUSH_SPEED separate crossings
DCI_CROSSING_TIME separate crossings
DCI_REPEL_PASSES_MAX squeezed contacts
DCI_REPEL_TOL squeezed contacts
DCI_REPEL_PART_WITH_ROWS squeezed contacts
DCI_REPEL_EDGES_WITH_GLOBAL squeezed newton
DCI_RESPONSES_MAX chains contacts
DCI_GLOBAL_STIFFNESS squeezed newton
DCI_GLOBAL_TOL chains evaluations
DCI_GLOBAL_SWEEPS_MAX chains evaluations
DCI_STEP_METRIC bands evaluations
DCI_DECREASE_GOOD chains evaluations
DCI_DAMPING_FIRST chains evaluations
DCI_DAMPING_STEP chains evaluations
DCI_DAMPING_NEAR chains evaluations
DCI_DAMPING_LEAPS chains evaluations
DCI_PENALTY bands evaluations
DCI_PENALTY_GAIN bands evaluations
DCI_PENALTY_STEP bands evaluations
DCI_CONTACT_ROW_NEAR squeezed newton
DCI_CONTACT_ROW_FAR squeezed newton
DCI_CONE_PASSES squeezed newton
DCI_CONE_ZERO squeezed newton
DCI_CONE_NEAR squeezed newton
DCI_CONE_NEAR_SELF squeezed newton
DCI_CUT_ERROR_MAX late newton
DCI_CATCH_UP late newton
DCI_REAL_TIME_FORCES hurried newton
DCI_REAL_TIME_RESIDUAL hurried newton
DCI_CONTACT_ERROR_MAX steered newton
DCI_ROWS_ERROR_MAX squeezed newton
DCI_ROWS_PARTS_MAX squeezed newton
DCI_ANCHOR_STIFFNESS drape cg
DCI_CONTACT_STIFFNESS drape cg
DCI_SMOOTH_START drape cg
DCI_SMOOTH_DECAY drape cg
DCI_DAMPING_START drape cg
DCI_DRAPE_STEP_MAX drape cg
DCI_DRAPE_STALL drape cg
DCI_DRAPE_CG_TOL drape cg
DCI_BENDING_FALL drape cg
DCI_BENDING_SPRING drape cg
DCI_DRAPE_CG_TOL_FINE drape cg
DCI_LEAD_REACH drape cg
DCI_DAMPING_GROWTH drape cg
DCI_DAMPING_STRAIN drape cg
DCI_CURVE_STIFFNESS drape cg
DCI_DAMPING_POSTURE drape cg
DCI_CONTACT_SOFTNESS_LEAST drape cg
END
}

# value NAME: as the library has it
value() {
    sed -n -e "s|^#define $1 ||p" -e "s|.*\b$1 = \([0-9]*\).*|\1|p" devcloth_impl.h |
        sed -e 's| */\*.*||' -e 's|DCI_R(\([^)]*\))|\1|g' \
            -e 's|(sizeof(dc_real) == 4 ? \(.*\) : \(.*\))|\2, floats \1|' | head -1
}

# read_count PROGRAM SCENE FIELD: of its last line
read_count() {
    timeout 300 "$1" 200 "$2" | tail -1 |
        awk -v field="$3" '{ for (i = 1; i < NF; i++) if ($i == field) found = $(i + 1) }
            END { print found == "" ? "fails" : found }'
}

# count NAME FACTOR SCENE FIELD: with FACTOR, as 1 / 2, times the constant
count() {
    copy=$(mktemp -d) || exit 1
    mkdir "$copy/tests" "$copy/examples"
    cp -r tests/ports tests/support "$copy/tests/" && cp -r examples/common "$copy/examples/" && cp devcloth.h "$copy/"
    sed -e "s|^\(#define $1 \)\([^/]*\)|\1(DCI_R(1) * $2 * (\2))|" \
        -e "s|\b$1 = \([0-9]*\)|$1 = (\1 * $2)|" devcloth_impl.h >"$copy/devcloth_impl.h"
    ${CC:-cc} -std=c99 -O1 -w "$copy/tests/ports/hash.c" -o "$copy/hash" -lm &&
        read_count "$copy/hash" "$3" "$4"
    rm -rf "$copy"
}

case ${1:-} in
check)
    rows | while read -r name scene field; do
        [ -n "$(value "$name")" ] || { echo "$name, $scene, $field: no such constant"; exit 1; }
    done
    exit
    ;;
DCI_*)
    echo "| $1 | $(value "$1") | $2 | $3 | $(count "$1" "1 / 2" "$2" "$3") |" \
        "$(read_count build/hash "$2" "$3") | $(count "$1" 2 "$2" "$3") |"
    exit
    ;;
esac
cat <<'END'
# The tuned constants

Printed by `make constants-table`. Each constant is halved and doubled, and a scene of
[../ports/hash.c](../ports/hash.c) counts what changes. Bounds that follow from a number format, an equation
or a capacity are not here; the text beside them says what they follow from. Constants of the sparse
solvers change times alone: `build/bench solver`. Where three numbers agree, the constant is a limit that
the scene does not reach. `DCI_CONE_NEAR_SELF` shows in the scene `twisted` alone (`build/tests_scenes
twisted`): with .9 the tube's middle is too wide, .042 for at most .04. `DCI_DRAPE_CG_TOL_FINE` counts where
a drape is led: with 5e-2, "a sheet follows the slider of its curve" comes back .07 mm aside for at most .01.
Postures have two constants, which this scene does not need. With `DCI_DAMPING_POSTURE` 1e-7, "a folded cloth
follows its ball" drifts by 2.8 mm for at most 1; without the bound `DCI_LEAD_REACH`, "a sheet follows the
slider of its curve" drifts by 8 mm. With `DCI_DAMPING_STRAIN` 1, "a herringbone cloth follows its table"
takes 204 iterations for at most 180. `DCI_DAMPING_GROWTH` counts where lengths cannot be met: with 1, "curves
too far apart stretch the sheet" fails. `DCI_CURVE_STIFFNESS` is for curves alone: with 10, "a sheet goes along
with its curve" takes 12 iterations for at most 10; with 1, "a sheet follows the slider of its curve" takes 280
for at most 240, and drifts by 2.5 mm.
`DCI_CONTACT_SOFTNESS_LEAST` is the bound of a stiffness that would have no value without it.
`DCI_CONTACT_ROW_COMPLIANCE_PART` is the floor of (21.7) between obstacles: with .01, "balls that squeeze a sheet
do not shoot it off" fails, at 17 m/s for at most .4.
`DCI_BENDING_FALL` keeps folds of single triangles from locking: with 0, drape II.b of `make test` has 2.8%
of sharp folds, for at most 2.5% (`build/tests_drapes II.b`), and with floats II.a fails, too.
With `DCI_COUPLE_FAR` 0, `fall` takes 4,212 Newton iterations for 690; without loose solutions
(`DCI_COUPLE_LOOSE_CG_TOL` 0.01) it takes 5,228 iterations of conjugate gradients for 3,671. "An impact
takes few iterations" fails with either.
`DCI_PIVOT_TOL` tells fine tubes from dependent constraints: with 1e-4, "a fine cuff is held in a few
iterations" takes 40 in a step, for at most 12. `DCI_SCHUR_REGULARISATION` counts where
lengths follow from others: with 1e-3, "sheets between pins need few iterations" takes 587 for at most 40; with
1e-6 and floats, "clamps all around hold a sheet" fails. With `DCI_SCHUR_TOL` 1e-9, "a sheet between pins steps by
conjugate gradients" fails; with .1, "both linear solvers make the same step".
With `DCI_REAL_TIME_FORCES` 1, "real time takes fewer iterations" takes 1,311 for at most 1,168; with
`DCI_REAL_TIME_RESIDUAL` 0.01 it takes 1,201. `DCI_COUPLE_KEPT` saves factorisations, which are not counted here:
with 0, "a stiff sheet on a ball keeps its lengths and does not tremble" takes 671 for at most 604. With .1, the
steps of "real time takes fewer iterations" still end unconverged at rest.
With `DCI_GLOBAL_TOL` 0.5, "a sheet that lands flat stops in one piece" and tests of random contacts fail;
with 100 for `DCI_GLOBAL_SWEEPS_MAX`, "a pinch ends and the rest is solved" fails.
With the lower bound of the tolerance in place of `DCI_CONTACT_ROW_MOTION_TOL`, `folded` takes 15,068
evaluations for 717. Without `DCI_ROWS_PARTS_MAX`, `steered` takes 896 Newton iterations for 701. Without
`DCI_SLACK_EDGES`, a sheet that flies at 60 m/s has 248,357 pairs for none, and takes 15 times the work; without
`DCI_SLACK_THICKNESSES`, `fall` searches for pairs of a vertex 8,684 times for 1,255. With 0.25 for
`DCI_SLACK_FRACTION_DRAPE`, as elsewhere, the tests of drapes, anchors and curves take 20.2 s for 18.9.
With `DCI_PLANE_SINE_LEAST` 0, "a collider refuses bad moves" fails. Without
`DCI_REPEL_EDGES_WITH_GLOBAL`, "a sheet that is thrown at a ball keeps its lengths" fails, with a strain of 1.2.
Without `DCI_ROWS_ERROR_MAX`, a hung sheet that two balls pinch, in steps of 1/30 s, is strained by 23% for 9%.
Without `DCI_CROSSING_PUSH_SPEED`, "in short steps crossings are not parted faster" fails, with 204 for at most 40.
With the bounds of chapter 37 for `DCI_REPEL_TOL` and `DCI_REPEL_PASSES_MAX`, `fall` takes 913 passes for 630.
With `DCI_IMPULSE_PART` 0, the scenes `five`, `shirt`, `cape` and `sphere` take a tenth longer, as each impulse
takes a linear solution.

Small steps have constants of their own. Their scenes count no iterations, so what is told here are the tests
that fail, and `frame.small` of `build/bench frame`. Chapters 19, 41, 43 and 49 give their roots.
- `DCI_RELAX_KEPT`, kappa of (19.3): with 0, a hung sheet is strained by 8e-4 where .3e-3 is asked, and one on
  a ball by 5e-3 for 7e-4; with .1, "small steps come to rest on round bodies" and five more fail.
- `DCI_RELAX_ROOT_LEAST` bounds a root: with 0, "triangles move to the nearest rigid place" fails.
- `DCI_SUB_STEP`: with 1/240, "corrections and pauses hold for small steps" fails, strained by 6.7% for 5; folds
  of 30 x 30 are strained by 7e-3 at 1/480 and 1.6e-3 at 1/1200.
- `DCI_SUB_STEP_TOUCH`: with 1/300, "small steps stick below the angle of friction" and "small steps come to rest
  on round bodies", strained by 7e-3 for 2e-3, fail.
- `DCI_SUB_STEP_LEAST`: with 0, "stiff cloth is referred to exact steps" fails.
- `DCI_SUB_STEP_STABLE` is the margin below the 4 of (19.7): with 8, "a sub-step below the bound is stable and one
  above is refused" fails.
- `DCI_TOUCH_SHARED`: with 1, "small steps slide as on a plane" goes 70% of the way, and "small steps stick below
  the angle of friction" slides by 15 mm; a sheet of 40 x 40 slides off its ball.
- `DCI_TOUCH_SOFT` and `DCI_TOUCH_SOFT_GAP`: with 1 for the first no test fails, but the sheet on the ball sinks by
  2 cm in eight seconds.
- `DCI_SMALL_WAY`: without it no test fails, but the longest frame of a landing takes twice as long, and squared lengths are off by
  up to .6 after it, for .08.
- Without `DCI_TOUCH_PART`, or without `DCI_ROUND_NEAR`, no test fails, and the sheet on the ball does as well.

The scene `chains` is chaotic: a last bit changes what it counts by as much as a constant does. So its
rows show only that a constant has an effect, not which value is best:
END
rows | awk '$2 == "chains" { print "- `" $1 "`" }'
cat <<'END'

| constant | value | scene | counts | half | as it is | twice |
| --- | --- | --- | --- | --- | --- | --- |
END
lines=$(mktemp) || exit 1
rows | xargs -P "$(nproc 2>/dev/null || echo 1)" -L 1 sh tests/tables/constants.sh >"$lines"
rows | while read -r name scene field; do grep "^| $name | .* | $scene | $field |" "$lines"; done
rm -f "$lines"
