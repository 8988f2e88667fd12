/* All tests of the library in one program. The implementation is included, so that private
   functions can be tested. Arguments: parts of names, and tests that contain one of them are run; or
   --long, and those are run that are left out otherwise, all or again by parts of their names; or
   --half 0 or 1, for two processes. */
#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "test.h"

#define DEVCLOTH_IMPLEMENTATION
#include "../devcloth.h"

#ifdef DEVCLOTH_TEST_THREADS
#include "../examples/common/pool.h"
#endif

#include "../examples/common/mesh_report.c"
#include "../examples/common/shapes.c"
#include "../examples/papers/lbfgsb.h"

static const test_case *test; /* that runs */

#ifdef TEST_STATUSES
#include "support/statuses.h"
#endif

#include "support/dense.h"
#include "support/errors.h"
#include "support/meshes.h"
#include "support/queries.h"
#include "support/reorder.h"
#include "support/referee.h"
#include "support/sweep_referee.h"
#include "support/worlds.h"
#include "support/bodies.h"
#include "support/settle.h"
#include "support/cantilever.h"
#include "support/held_strip.h"
#include "support/catenary.h"
#include "support/drape_bound.h"
#include "support/drapes.h"
#include "support/ribbons.h"

#include "test_02_to_06_base.c"
#include "test_07_mesh.c"
#include "test_08_shapes.c"
#include "test_09_to_14_algebra.c"
#include "test_15_to_17_elements.c"
#include "test_18_to_20_forces.c"
#include "test_19_small_steps.c"
#include "test_22_to_26_steps.c"
#include "test_27_to_28_contact.c"
#include "test_29_to_38_collisions.c"
#include "test_33_crossings.c"
#include "test_37_global.c"
#include "test_39_collider.c"
#include "test_sweep_referee.c"
#include "test_40_to_49_world.c"
#include "test_reference.c"
#include "test_bending_reference.c"
#include "test_contact_reference.c"
#include "test_21_contact_rows.c"
#include "test_incompatible.c"
#include "test_drape_bound.c"
#include "test_50_to_53_drape.c"
#include "test_51_curves.c"
#include "test_52_postures.c"
#include "test_51_anchors.c"
#include "test_43_grabs.c"
#include "test_44_to_47_ribbon.c"
#include "test_ribbon_reference.c"
#include "test_48_groups.c"
#include "test_49_snapshots.c"
#include "test_49_work.c"
#include "test_49_rays.c"
#include "test_49_active.c"
#include "test_49_move.c"
#include "test_48_rolling.c"
#include "test_48_sliding.c"
#include "test_48_contacts.c"
#include "test_43_small_contact.c"
#include "test_48_threads.c"
#include "test_31_ignores.c"

#define LIST(tests)                                                                                \
    {                                                                                              \
        tests, sizeof tests / sizeof tests[0]                                                      \
    }

/* These take seconds each. */
static const char *const long_tests[] = {
    "a folded cloth follows its ball",
    "sheets follow curves",
    "drapes bend as the elastica",
    "patches of pins move by conjugate gradients",
    "ghost strain falls with refinement",
    "cantilever does not depend on the step",
    "cantilevers of all widths end where the elastica ends",
    "sheets over a cylinder end where they are to",
    "heavy cantilevers end where the elastica ends",
    "a pressed strip slips at the friction coefficient",
    "a strip slips over a rough cylinder at the capstan length",
    "loops hang like rings and pears",
    "a stack of sheets lies still",
    "a stiff sheet on a ball keeps its lengths and does not tremble",
    "sheets between closing walls are refused and go on",
    "shortened strips sag as the elastica",
    "all three systems agree in contact",
    "sheets of all kinds slide on triangles",
    "a sheet slides off a ball of triangles as off a sphere",
    "folds on a ball come to rest",
    "a ribbon falls on a sheet",
    "a Moebius band finds its rest and refines",
    "sphere of its own rest shape stays still",
    "the angle of friction is found within a hundredth",
    "test_drapes_of_961_vertices_hang_as_low",
    "obstacles of every kind stop a falling sheet",
    "systems are planned to the byte",
    "strips swing with a beam's frequencies",
    "sheets pulled beyond their length are refused and go on",
    "settling ends where the elastica ends",
    "ten thousand random steps of a collider are clear"};

#ifdef DEVCLOTH_SINGLE
/* A second each, or more; in double precision they are not long. */
static const char *const long_in_single[] = {
    "a collider leaves random steps clear",
    "a forged snapshot does no harm",
    "a heavy ribbon hung on a sheet bends it as a point load does",
    "a heavy sheet on a pile does not press it flat",
    "a pile of cloths lies still",
    "a sheet goes with a ball frame by frame",
    "a sheet inside a ball",
    "a strip without friction slides off a cylinder",
    "a table cloth follows its table",
    "every step of a sheet on a mesh is judged free",
    "every step of two sheets on each other is judged free",
    "far postures are as low as new drapes",
    "folding ribbon never crosses itself",
    "grid macros bound what grids need",
    "incline sticks below the angle of friction and slides above",
    "patches of pins hold and move",
    "sheet on a sphere never crosses",
    "sheets settle on a ball",
    "steps may go on unconverged",
    "steps of a second are certified or refused",
};
#endif

static int is_one_of(const test_case *test, const char *const *names, size_t count)
{
    size_t i;
    for (i = 0; i < count; i++)
        if (strcmp(test->name, names[i]) == 0) return 1;
    return 0;
}

static int is_long(const test_case *test)
{
#ifdef DEVCLOTH_SINGLE
    if (is_one_of(test, long_in_single, sizeof long_in_single / sizeof *long_in_single)) return 1;
#endif
    return is_one_of(test, long_tests, sizeof long_tests / sizeof *long_tests);
}

static int is_wanted(const test_case *test, int number, int argc, char **argv)
{
    int only_long, k;
    if (argc < 2) return !is_long(test);
    if (argc == 3 && strcmp(argv[1], "--half") == 0)
        return !is_long(test) && number % 2 == atoi(argv[2]);
    only_long = strcmp(argv[1], "--long") == 0;
    if (only_long && !is_long(test)) return 0;
    for (k = 1 + only_long; k < argc; k++)
        if (strstr(test->name, argv[k])) return 1;
    return argc == 1 + only_long;
}

int main(int argc, char **argv)
{
    static const struct {
        const test_case *tests;
        size_t count;
    } lists[] = {
        LIST(tests_base),
        LIST(tests_mesh),
        LIST(tests_shapes),
        LIST(tests_algebra),
        LIST(tests_elements),
        LIST(tests_forces),
        LIST(tests_small),
        LIST(tests_steps),
        LIST(tests_contact),
        LIST(tests_collisions),
        LIST(tests_crossings),
        LIST(tests_global),
        LIST(tests_collider),
        LIST(tests_sweep_referee),
        LIST(tests_world),
        LIST(tests_reference),
        LIST(tests_bending_reference),
        LIST(tests_contact_reference),
        LIST(tests_contact_rows),
        LIST(tests_incompatible),
        LIST(tests_drape_bound),
        LIST(tests_drape),
        LIST(tests_curves),
        LIST(tests_postures),
        LIST(tests_anchors),
        LIST(tests_ribbon),
        LIST(tests_ribbon_reference),
        LIST(tests_groups),
        LIST(tests_snapshots),
        LIST(tests_work),
        LIST(tests_grabs),
        LIST(tests_rays),
        LIST(tests_active),
        LIST(tests_move),
        LIST(tests_rolling),
        LIST(tests_sliding), LIST(tests_small_contact),
        LIST(tests_contacts),
        LIST(tests_threads),
        LIST(tests_ignores),
    };
    int passed = 0, failed = 0, number = 0;
    size_t i, j;
#ifdef TEST_STATUSES
    test_tells_statuses = argc > 1 && strcmp(argv[1], "--statuses") == 0;
#endif
    for (i = 0; i < sizeof lists / sizeof lists[0]; i++)
        for (j = 0; j < lists[i].count; j++) {
            int before = test_failures, checks = test_checks;
            test = &lists[i].tests[j];
            if (!is_wanted(test, number++, argc, argv)) continue;
            test_shown = test_is_skipped = 0;
            test->run();
            if (test_is_skipped && test_failures == before) continue;
            if (test_checks == checks) printf("    no check was made\n");
            if (test_failures == before && test_checks > checks) {
                passed++;
                continue;
            }
            failed++;
            printf("FAILED: %s\n", test->name);
        }
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
