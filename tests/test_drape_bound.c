/* The convex lower bound of drape_bound.h where (1) of it is known in closed form, and against
   isometric shapes. */

enum { BOUND_VERTICES = 31 * 31 };
static const double BOUND_REACH = 3.7; /* [cells]                                               */

/* How far (2) may stay below (1), as a part of the fall: a fifth of BOUND_STRAIN at most. */
static const double BOUND_LACK = 2e-4;

typedef struct bounded {
    dc_vec2 flat[BOUND_VERTICES];
    double weight[BOUND_VERTICES];
    dc_anchor_desc anchors[BOUND_VERTICES];
    bound_sheet sheet;
} bounded;

/* A grid of unit cells, y up. */
static void bounded_grid(bounded *b, int columns, int rows)
{
    shape_desc shape = shape_defaults(SHAPE_GRID);
    static dc_vec3 positions[BOUND_VERTICES];
    static dc_index triangles[6 * BOUND_VERTICES];
    dc_mesh_desc mesh;
    memset(b, 0, sizeof *b);
    shape.width = shape.columns = columns;
    shape.height = shape.rows = rows;
    CHECK(shape_build(&shape, positions, triangles, b->flat, &mesh, NULL) == DC_OK);
    bound_weigh(&mesh, b->flat, b->weight);
    b->sheet.vertex_count = mesh.vertex_count;
    b->sheet.flat = b->flat;
    b->sheet.weight = b->weight;
    b->sheet.anchors = b->anchors;
    b->sheet.up[1] = 1;
    b->sheet.reach = BOUND_REACH;
}

static void bounded_hold(bounded *b, dc_index vertex, double x, double y, double z)
{
    dc_anchor_desc *anchor = &b->anchors[b->sheet.anchor_count++];
    anchor->vertex = vertex;
    anchor->target = dci_vec((dc_real)x, (dc_real)y, (dc_real)z);
}

/* sum m_i h_i of heights */
static double bounded_potential(const bounded *b, const double *height)
{
    double sum = 0;
    dc_index i;
    for (i = 0; i < b->sheet.vertex_count; i++) sum += b->weight[i] * height[i];
    return sum;
}

/* The bound is not above the least potential, and not far below it. */
static bound_result check_bound(const bounded *b, double potential)
{
    bound_result result = drape_bound(&b->sheet);
    CHECK_AT_MOST(result.bound, potential + 1e-9 * fabs(potential));
    CHECK_AT_MOST(potential - result.bound, BOUND_LACK * fabs(potential));
    CHECK_AT_MOST(result.strain, BOUND_STRAIN);
    return result;
}

static void test_panels_hang_as_computed(void)
{
    /* REFERENCE-CASES.md: sag by the span */
    static const struct {
        int panels;
        double length, sag;
    } known[] = {{4, 1.5, .5243196132},  {8, 1.5, .5078864380},  {16, 1.5, .5039081892},
                 {32, 1.5, .5029499256}, {64, 1.5, .5027123030}, {8, 1.1, .2018636174},
                 {16, 1.1, .2006882315}, {32, 1.1, .2003974491}};
    size_t i;
    for (i = 0; i < sizeof known / sizeof known[0]; i++) {
        catenary c = catenary_of_panels(known[i].panels, known[i].length, 1);
        CHECK_NEAR(catenary_sag(&c), known[i].sag, 1e-10);
    }
}

static void test_weights_of_the_bound_are_areas_around_vertices(void)
{
    /* a cell of two triangles: the ends of the diagonal have two thirds of its area, by 1/4 */
    static bounded b;
    double sum = 0;
    dc_index v;
    bounded_grid(&b, 1, 1);
    CHECK_NEAR(b.weight[0], 4.0 / 3, 1e-12);
    CHECK_NEAR(b.weight[1], 2.0 / 3, 1e-12);
    CHECK_NEAR(b.weight[2], 2.0 / 3, 1e-12);
    CHECK_NEAR(b.weight[3], 4.0 / 3, 1e-12);
    bounded_grid(&b, 7, 5);
    for (v = 0; v < 48; v++) sum += b.weight[v];
    CHECK_NEAR(sum, 48, 1e-9);
}

static void test_bound_of_a_chain_is_its_catenary(void)
{
    static bounded b;
    int links, i;
    for (links = 4; links <= 64; links *= 2) {
        catenary c = catenary_of_panels(links, links, links / 1.5);
        memset(&b, 0, sizeof b);
        b.sheet.vertex_count = links + 1;
        b.sheet.flat = b.flat;
        b.sheet.weight = b.weight;
        b.sheet.anchors = b.anchors;
        b.sheet.up[1] = 1;
        b.sheet.reach = 1.5;
        for (i = 0; i <= links; i++) {
            b.flat[i].x = (dc_real)i;
            b.weight[i] = 1;
        }
        bounded_hold(&b, 0, 0, 0, 0);
        bounded_hold(&b, links, links / 1.5, 0, 0);
        check_bound(&b, catenary_potential(&c));
    }
}

/* One anchor: hanging each vertex straight below it, at its flat distance, overdraws no string and
   is the lowest for each. */
static double fan_potential(const bounded *b)
{
    double sum = 0;
    dc_index i;
    for (i = 0; i < b->sheet.vertex_count; i++)
        sum -= b->weight[i] * bound_distance(&b->sheet, i, b->anchors[0].vertex);
    return sum;
}

static void test_bound_of_one_anchor_is_a_plumb_line(void)
{
    static bounded b;
    int cells;
    for (cells = 4; cells <= 20; cells += 8) {
        bounded_grid(&b, cells, cells);
        bounded_hold(&b, cells / 2 * (cells + 2), 0, 0, 0); /* the middle */
        check_bound(&b, fan_potential(&b));
        b.anchors[0].vertex = 0; /* a corner */
        check_bound(&b, fan_potential(&b));
    }
}

static void test_bound_of_a_sheet_that_hangs_by_its_upper_side_is_its_potential(void)
{
    static bounded b;
    static double height[BOUND_VERTICES];
    dc_index v;
    bounded_grid(&b, 10, 14);
    for (v = 0; v < b.sheet.vertex_count; v++) height[v] = (double)b.flat[v].y;
    for (v = 14 * 11; v < 15 * 11; v++) bounded_hold(&b, v, (double)b.flat[v].x, 14, 0);
    CHECK_NEAR(drape_bound(&b.sheet).bound, bounded_potential(&b, height),
               BOUND_LACK * b.sheet.vertex_count * 7); /* it falls by 7 on the mean */
    CHECK_AT_MOST(drape_bound(&b.sheet).bound, bounded_potential(&b, height));
}

/* Between two sides at one height each row is a chain of equal weights, and its catenary serves for
   all rows at once: a cylinder. */
static void test_bound_of_a_sheet_between_two_sides_is_a_cylinder_over_the_catenary(void)
{
    static bounded b;
    static double height[BOUND_VERTICES];
    catenary c = catenary_of_panels(16, 16, 16 / 1.5);
    dc_index v;
    bounded_grid(&b, 16, 9);
    for (v = 0; v < b.sheet.vertex_count; v++) {
        height[v] = c.y[v % 17];
        if (v % 17 == 0 || v % 17 == 16) bounded_hold(&b, v, c.x[v % 17], 0, (double)b.flat[v].y);
    }
    check_bound(&b, bounded_potential(&b, height));
}

/* Two corners of the upper side, drawn together to half their distance: pleats along y bring them
   there and leave every vertex at its own height, and none can be lower than by itself at the
   nearer corner. */
static void test_bound_lies_between_pleats_and_plumb_lines(void)
{
    static bounded b;
    static double pleats[BOUND_VERTICES], plumb[BOUND_VERTICES];
    bound_result result;
    dc_index v;
    bounded_grid(&b, 16, 16);
    bounded_hold(&b, 16 * 17, 0, 0, 0);
    bounded_hold(&b, 16 * 17 + 16, 8, 0, 0);
    for (v = 0; v < b.sheet.vertex_count; v++) {
        pleats[v] = (double)b.flat[v].y - 16;
        plumb[v] = -fmin(bound_distance(&b.sheet, v, b.anchors[0].vertex),
                         bound_distance(&b.sheet, v, b.anchors[1].vertex));
    }
    result = drape_bound(&b.sheet);
    CHECK_AT_MOST(result.bound, bounded_potential(&b, pleats));
    CHECK_AT_MOST(bounded_potential(&b, plumb), result.bound);
}

/* Folded flat about its middle along the mesh's lines, once and twice, and hung up there. Folded
   twice, its mean depth is side / (2 sqrt 2); the bound's is the mean distance from the middle,
   (sqrt 2 + log(1 + sqrt 2)) / 6 of the side: 2.9% of it apart. */
static void test_bound_lies_below_folded_sheets(void)
{
    enum { CELLS = 20, COUNT = (CELLS + 1) * (CELLS + 1) };
    static bounded b;
    static double once[BOUND_VERTICES], twice[BOUND_VERTICES];
    double gap, exact = (sqrt(2.0) + log(1 + sqrt(2.0))) / 6 - 1 / sqrt(8.0);
    bound_result result;
    dc_index v;
    bounded_grid(&b, CELLS, CELLS);
    bounded_hold(&b, COUNT / 2, 0, 0, 0);
    for (v = 0; v < COUNT; v++) {
        double x = fabs((double)b.flat[v].x - CELLS / 2), y = fabs((double)b.flat[v].y - CELLS / 2);
        once[v] = -y;
        twice[v] = -(x + y) / sqrt(2.0);
    }
    result = drape_bound(&b.sheet);
    CHECK_AT_MOST(result.bound, bounded_potential(&b, once));
    CHECK_AT_MOST(result.bound, bounded_potential(&b, twice));
    gap = (bounded_potential(&b, twice) - result.bound) / COUNT / CELLS;
    CHECK_NEAR(gap, exact, 0.1 / CELLS); /* vertices for the area: an error of order cell / side */
}

/* Forces far from balance, too: those of strings in a random shape, and of the first iterations. */
static void test_any_forces_give_a_bound(void)
{
    static bounded b;
    double least;
    int i, seed, balanced = 0;
    bounded_grid(&b, 8, 8);
    bounded_hold(&b, 40, 0, 0, 0);
    least = fan_potential(&b);
    for (seed = 1; seed <= 20; seed++) {
        bound_solver solver = bound_open(&b.sheet);
        solver.kappa = BOUND_KAPPA;
        for (i = 0; i < 3 * 81; i++)
            if (i / 3 != 40) solver.x[i] = 8 * (double)dci_random((uint32_t)seed, (uint32_t)i);
        for (i = 0; i < 10; i++) {
            bound_differentiate(&solver);
            CHECK_AT_MOST(bound_evaluate(&solver).bound, least + 1e-9 * fabs(least));
            balanced += bound_unbalanced(&solver) < BOUND_BALANCE;
            CHECK(bound_solve(&solver, 1e-3));
            bound_search(&solver);
        }
        bound_close(&solver);
    }
    CHECK_AT_MOST(balanced, 100); /* of 200 */
}

/* Raised by h, the bound rises by h sum m_i; turned and scaled it turns and scales. */
static void test_bound_moves_turns_and_scales_with_the_sheet(void)
{
    static const double SCALE = 1e-3, RAISED = 5; /* [1], [m] */
    static bounded b;
    double before, after, sum = 0;
    dc_index v;
    bounded_grid(&b, 8, 8);
    bounded_hold(&b, 0, 0, 0, 0);
    bounded_hold(&b, 8, 6, 0, 0);
    bounded_hold(&b, 80, 6, 1, 5);
    before = drape_bound(&b.sheet).bound;
    for (v = 0; v < 81; v++) {
        b.flat[v].x *= (dc_real)SCALE;
        b.flat[v].y *= (dc_real)SCALE;
        sum += b.weight[v];
    }
    b.sheet.reach *= SCALE;
    b.sheet.up[1] = 0;
    b.sheet.up[0] = -1;
    for (v = 0; v < 3; v++) { /* x, y, z becomes -y, x, z */
        dc_vec3 t = b.anchors[v].target;
        b.anchors[v].target =
            dci_vec((dc_real)(-SCALE * (double)t.y - RAISED), (dc_real)(SCALE * (double)t.x),
                    (dc_real)(SCALE * (double)t.z));
    }
    CHECK_NEAR(sum, 81, 1e-9);
    after = drape_bound(&b.sheet).bound;
    CHECK_NEAR((after - RAISED * sum) / SCALE, before, TOL(1e-4, 1e-1) * fabs(before));
}

static void test_bound_tells_anchors_out_of_reach(void)
{
    static bounded b;
    bounded_grid(&b, 8, 8);
    bounded_hold(&b, 0, 0, 0, 0);
    bounded_hold(&b, 8, 8.1, 0, 0);
    CHECK_AT_MOST(BOUND_STRAIN, drape_bound(&b.sheet).strain);
}

/* ---- Drapes against the bound ---- */

/* Anchors of example I of [CT10], as parts of the side from the middle. */
typedef struct pattern {
    const char *name;
    int anchor_count;
    double place[4][2];
    double drawn; /* targets are at this part of their distances from the middle */
} pattern;

static const pattern patterns[] = {
    {"three anchors", 3, {{-.5, -.5}, {.5, -.5}, {0, .5}}, .75},
    {"two corners", 2, {{-.5, -.5}, {.5, -.5}}, .8},
    {"four corners", 4, {{-.5, -.5}, {.5, -.5}, {.5, .5}, {-.5, .5}}, .8},
};

/* No drape is below the bound, and none hangs higher above it, on the mean, than 3% of the side. A
   sheet folded twice about its middle does as well. */
static void check_drape_is_low(const pattern *p, int cells)
{
    static bounded b;
    draped *d = draped_sheet(cells, cells, cells, cells);
    double bound, gap;
    int i;
    bounded_grid(&b, cells, cells);
    for (i = 0; i < p->anchor_count; i++) {
        dc_index column = (dc_index)((p->place[i][0] + 0.5) * cells),
                 row = (dc_index)((p->place[i][1] + 0.5) * cells), v = row * (cells + 1) + column;
        double x = p->drawn * (double)d->positions[v].x, z = p->drawn * (double)d->positions[v].z;
        bounded_hold(&b, v, x, 0, z);
        draped_hold(d, v, x, 0, z);
    }
    check_rests(d);
    bound = drape_bound(&b.sheet).bound;
    gap = ((double)d->report.potential - bound) / b.sheet.vertex_count / cells;
    CHECK_AT_MOST(-1e-4, gap); /* what the tolerance of lengths is worth */
    CHECK_AT_MOST(gap, 0.03);
    draped_close(d);
}

/* Held by its middle, 31 x 31 vertices, the sheet is 5.2% above the bound, 3.2% if it may cross
   itself: folds that meet at the middle, with all edges at their lengths, lock. */
static void test_drapes_hang_within_three_per_cent_of_the_bound(void)
{
    check_drape_is_low(&patterns[1], 16);
    check_drape_is_low(&patterns[2], 16);
}

/* This one needs the size of the paper: folds of a coarser mesh are too coarse. */
static void test_drapes_of_961_vertices_hang_as_low(void)
{
    check_drape_is_low(&patterns[0], 30);
}

static const test_case tests_drape_bound[] = {
    {"test_panels_hang_as_computed", test_panels_hang_as_computed},
    {"test_weights_of_the_bound_are_areas_around_vertices",
     test_weights_of_the_bound_are_areas_around_vertices},
    {"test_bound_of_a_chain_is_its_catenary", test_bound_of_a_chain_is_its_catenary},
    {"test_bound_of_one_anchor_is_a_plumb_line", test_bound_of_one_anchor_is_a_plumb_line},
    {"test_bound_of_a_sheet_that_hangs_by_its_upper_side_is_its_potential",
     test_bound_of_a_sheet_that_hangs_by_its_upper_side_is_its_potential},
    {"test_bound_of_a_sheet_between_two_sides_is_a_cylinder_over_the_catenary",
     test_bound_of_a_sheet_between_two_sides_is_a_cylinder_over_the_catenary},
    {"test_bound_lies_between_pleats_and_plumb_lines",
     test_bound_lies_between_pleats_and_plumb_lines},
    {"test_bound_lies_below_folded_sheets", test_bound_lies_below_folded_sheets},
    {"test_any_forces_give_a_bound", test_any_forces_give_a_bound},
    {"test_bound_moves_turns_and_scales_with_the_sheet",
     test_bound_moves_turns_and_scales_with_the_sheet},
    {"test_bound_tells_anchors_out_of_reach", test_bound_tells_anchors_out_of_reach},
    {"test_drapes_hang_within_three_per_cent_of_the_bound",
     test_drapes_hang_within_three_per_cent_of_the_bound},
    {"test_drapes_of_961_vertices_hang_as_low", test_drapes_of_961_vertices_hang_as_low},
};
