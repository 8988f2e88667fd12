/* Chapters 50 to 53: where cloth comes to rest, against closed forms; each status; hand-over. */

/* ---- Closed forms, REFERENCE-CASES.md without bending ----

   Cells are cut one way, so that all inner vertices of a row have one weight, also at the border:
   three triangles there, six inside. Each row of a sheet between two sides is then a chain of equal
   weights. The catenary of panels is the lowest place for each row by itself, and a cylinder over
   it, folded at the columns, is there with all of them: no other shape is as low. */

static draped *sheet_between_two_sides(int columns, int rows, double length, double depth)
{
    draped *d = draped_sheet(columns, rows, length, depth);
    int j;
    d->desc.bending_length = 0;
    for (j = 0; j <= rows; j++) {
        dc_index left = j * (columns + 1), right = left + columns;
        double z = (double)d->positions[left].z;
        draped_hold(d, left, -0.5, 0, z);
        draped_hold(d, right, 0.5, 0, z);
    }
    return d;
}

/* Largest distance from the cylinder [m], and the sag of the lowest vertex. */
static double distance_from_catenary(const draped *d, const catenary *c, double *sag)
{
    const dc_vec3 *x = dc_drape_positions(d->drape);
    double most = 0, low = 0;
    dc_index v;
    for (v = 0; v < d->desc.mesh.vertex_count; v++) {
        dc_index k = v % (c->panels + 1);
        double dx = (double)x[v].x + 0.5 - c->x[k], dy = (double)x[v].y - c->y[k],
               dz = (double)x[v].z - (double)d->positions[v].z;
        most = fmax(most, sqrt(dx * dx + dy * dy + dz * dz));
        low = fmin(low, (double)x[v].y);
    }
    *sag = -low;
    return most;
}

static void check_catenary(int columns, int rows, double length)
{
    draped *d = sheet_between_two_sides(columns, rows, length, length * rows / columns);
    d->desc.solver.stall_count = 10; /* more patience than by default: all digits are asked for */
    catenary c = catenary_of_panels(columns, length, 1);
    double sag, potential;
    check_rests(d);
    CHECK_AT_MOST(distance_from_catenary(d, &c, &sag), TOL(1e-4, 1e-3));
    CHECK_NEAR(sag, catenary_sag(&c), TOL(1e-4, 1e-3) * catenary_sag(&c));
    /* a column of inner vertices has a panel's part of all the weight */
    potential = catenary_potential(&c) * (columns + 1) * (rows + 1) / columns;
    CHECK_NEAR(d->report.potential, potential, TOL(1e-4, 1e-3) * fabs(potential));
    draped_close(d);
}

static void test_strip_of_panels_hangs_as_its_catenary(void)
{
    int panels;
    for (panels = 4; panels <= 32; panels *= 2) check_catenary(panels, 1, 1.5);
    for (panels = 8; panels <= 32; panels *= 2) check_catenary(panels, 1, 1.1);
}

static void test_sheet_between_two_sides_hangs_as_a_cylinder_over_the_catenary(void)
{
    check_catenary(8, 5, 1.5);
    check_catenary(16, 10, 1.5);
    check_catenary(24, 24, 1.5);
    check_catenary(16, 16, 1.1);
}

/* The potential is flat about a rest shape, so that it soon sinks no more while the shape is still
   on its way: to be within 1e-4 of the size takes patience. */
static void wait_longer(draped *d)
{
    d->desc.solver.stall_count = 30;
    d->desc.solver.iteration_max = 1000;
}

/* By one whole side at its full length: each vertex straight below it; no other shape is as low. */
static void test_sheet_hung_by_its_side_hangs_straight(void)
{
    draped *d = draped_sheet(9, 12, 0.9, 1.2);
    double most = 0, potential = -0.6 * d->desc.mesh.vertex_count; /* the middle is half way down */
    dc_index v;
    for (v = 0; v < 10; v++) draped_hold_there(d, v);
    check_rests(d);
    CHECK_NEAR(d->report.potential, potential, TOL(1e-4, 1e-3) * fabs(potential));
    wait_longer(d);
    check_rests(d);
    for (v = 0; v < d->desc.mesh.vertex_count; v++) {
        dc_vec3 place = dci_vec(d->positions[v].x, -d->flat[v].y, d->positions[0].z);
        dc_vec3 apart = dci_vec_sub(dc_drape_positions(d->drape)[v], place);
        most = fmax(most, (double)dci_norm(apart));
    }
    CHECK_AT_MOST(most, TOL(1e-4, 1e-3));
    draped_close(d);
}

/* The drop of the free end of a strip of length 1 that is held level at its other end by the
   anchors of two columns: so far as its second. */
static double drop_of_a_cantilever(int columns, double gamma)
{
    double cell = 1.0 / columns, drop = 0;
    int rows = 3, k;
    draped *d = draped_sheet(columns + 1, rows, 1 + cell, rows * cell);
    for (k = 0; k < d->desc.mesh.vertex_count; k++)
        if (k % (columns + 2) < 2) draped_hold_there(d, k);
    d->desc.bending_length = (dc_real)(1 / cbrt(gamma)); /* of length 1 */
    d->desc.solver.stall_count = 8;
    check_rests(d);
    for (k = 0; k <= rows; k++)
        drop -= (double)dc_drape_positions(d->drape)[(k + 1) * (columns + 2) - 1].y / (rows + 1);
    draped_close(d);
    return drop;
}

/* The clamp is as exact as a cell is small, so that twice the cells have half the error. */
static void test_drapes_bend_as_the_elastica(void)
{
    int g;
    for (g = 0; g < 3; g++) {
        double coarse = drop_of_a_cantilever(10, elasticas[g].gamma);
        double fine = drop_of_a_cantilever(20, elasticas[g].gamma);
        CHECK_NEAR(2 * fine - coarse, elasticas[g].drop, 0.01 * elasticas[g].drop);
        CHECK_NEAR(fine, elasticas[g].drop, 0.15 * elasticas[g].drop);
    }
}

/* A strip of length 1 without weight, whose ends are brought together and are held level by two
   columns each: its sag, and its energy by its width. */
static void shorten_a_drape(int columns, double shortening, double *sag, double *energy)
{
    double cell = 1.0 / columns, end = (1 - shortening) / 2;
    int rows = 6, v;
    draped *d = draped_sheet(columns + 2, rows, 1 + 2 * cell, rows * cell);
    for (v = 0; v < d->desc.mesh.vertex_count; v++) {
        int column = v % (columns + 3);
        double z = (double)d->positions[v].z;
        if (column < 2) draped_hold(d, v, -end + (column - 1) * cell, 0, z);
        if (column > columns) draped_hold(d, v, end + (column - columns - 1) * cell, 0, z);
    }
    d->desc.down = dci_vec(0, 0, 0);
    check_rests(d);
    *sag = 0;
    *energy = (double)d->report.bending / (rows * cell);
    for (v = 0; v < d->desc.mesh.vertex_count; v++)
        *sag = fmax(*sag, fabs((double)dc_drape_positions(d->drape)[v].y));
    draped_close(d);
}

static void test_drapes_without_gravity_are_as_smooth_as_the_elastica(void)
{
    int k;
    for (k = 0; k < SHORTENINGS - 1; k++) { /* the last one is too curved for ten cells */
        const double *right = shortenings[k];
        double sag[2], energy[2];
        shorten_a_drape(10, right[0], sag, energy);
        shorten_a_drape(20, right[0], sag + 1, energy + 1);
        CHECK_NEAR(2 * sag[1] - sag[0], right[1], 0.01 * right[1]);
        CHECK_NEAR(2 * energy[1] - energy[0], 4 * right[2], 0.03 * 4 * right[2]);
    }
}

/* Over a rough bar, R with half the thickness: a strip lies on it to both sides, and its ends hang
   straight down beside it, L - R pi / 2 below its axis. The mesh's chords cut the arc short: at a
   cell of h their length is less than that of the arc by (h / R)^2 / 24. */
static void test_strip_over_a_bar_hangs_down_on_both_sides(void)
{
    enum { COLUMNS = 60 };
    static const double RADIUS = 0.25, LENGTH = 1; /* half of the strip's */
    draped *d = draped_sheet(COLUMNS, 3, 2 * LENGTH, 0.1);
    double reach = RADIUS, depth;
    dc_index end[4] = {0, COLUMNS, 3 * (COLUMNS + 1), 4 * (COLUMNS + 1) - 1};
    int k;
    d->desc.thickness = DCI_R(0.005);
    d->desc.friction = 1;
    reach += 0.0025;
    for (k = 0; k < d->desc.mesh.vertex_count; k++) d->positions[k].y = DCI_R(0.006);
    draped_obstacle(d, DC_OBSTACLE_CAPSULE, dci_vec(0, (dc_real)-RADIUS, -1),
                    dci_vec(0, (dc_real)-RADIUS, 1), RADIUS)
        ->friction = 1;
    check_rests(d);
    depth = RADIUS + LENGTH - reach * acos(-1.0) / 2; /* of the ends, below y = 0 */
    for (k = 0; k < 4; k++) {
        dc_vec3 x = dc_drape_positions(d->drape)[end[k]];
        CHECK_NEAR(x.y, -depth, 0.01 * LENGTH);
        CHECK_NEAR(fabs((double)x.x), reach, 0.01 * LENGTH);
    }
    draped_close(d);
}

/* ---- What planning refuses ---- */

static draped *hung_square(int cells)
{
    draped *d = draped_sheet(cells, cells, 1, 1);
    draped_hold(d, 0, -0.4, 0, 0.4);
    draped_hold(d, cells, 0.4, 0, 0.4);
    return d;
}

static void test_drape_planning_names_the_wrong_field(void)
{
    volatile dc_real zero = 0;
    const dc_real nan = zero / zero;
    draped *d = hung_square(3);
    dc_drape_desc good = d->desc;
#define REFUSES(change, field)                                                                     \
    d->desc = good;                                                                                \
    d->desc.change;                                                                                \
    CHECK(draped_open(d) == DC_BAD_ARGUMENT && test_error_names(&d->error, field))
    REFUSES(solver.linear_solver = (dc_linear_solver)2, "solver.linear_solver");
    REFUSES(tolerance = 0, "tolerance");
    REFUSES(tolerance = nan, "tolerance");
    REFUSES(solver.stall_count = 0, "solver.stall_count");
    REFUSES(solver.iteration_max = 0, "solver.iteration_max");
    REFUSES(thickness = -1, "thickness");
    REFUSES(thickness = nan, "thickness");
    REFUSES(friction = -1, "friction");
    REFUSES(friction = nan, "friction");
    REFUSES(bending_length = nan, "bending_length");
    REFUSES(pair_capacity = 0, "pair_capacity");
    REFUSES(pair_capacity = -2, "pair_capacity");
    REFUSES(noise = -1, "noise");
    REFUSES(noise = nan, "noise");
    REFUSES(anchor_count = -1, "anchor_count");
    REFUSES(anchors = NULL, "anchors");
    REFUSES(obstacle_count = -1, "obstacle_count");
    good.obstacle_count = 1;
    REFUSES(obstacles = NULL, "obstacles");
    good.obstacle_count = 0;
    REFUSES(mesh.vertex_count = 0, "vertices");
    REFUSES(mesh.triangle_count = 0, "triangles");
    REFUSES(mesh.positions = NULL, "positions");
    REFUSES(mesh.triangles = NULL, "triangles");
#undef REFUSES
    d->desc = good;
    CHECK(draped_open(d) == DC_OK);
    draped_close(d);
}

static void test_drape_planning_names_the_wrong_element(void)
{
    volatile dc_real zero = 0;
    draped *d = hung_square(3);
    d->anchors[1].vertex = 16;
    CHECK(draped_open(d) == DC_BAD_ARGUMENT && d->error.index == 1);
    d->anchors[1].vertex = -1;
    CHECK(draped_open(d) == DC_BAD_ARGUMENT && d->error.index == 1);
    d->anchors[1].vertex = 0; /* two on one vertex */
    CHECK(draped_open(d) == DC_BAD_ARGUMENT && d->error.index == 1);
    CHECK_NEAR(d->error.value, 0.8, TOL(1e-12, 1e-6));
    d->anchors[1] = d->anchors[0]; /* with the same target */
    CHECK(draped_open(d) == DC_BAD_ARGUMENT && d->error.index == 1 && d->error.value == 0);
    d->anchors[1].vertex = 3;
    d->anchors[1].target.y = zero / zero;
    CHECK(draped_open(d) == DC_NOT_FINITE && d->error.index == 1);
    d->anchors[1].target.y = 0;
    d->desc.down.z = 1 / zero;
    CHECK(draped_open(d) == DC_NOT_FINITE && strstr(d->error.what, "down"));
    d->desc.down = dc_drape_defaults().down;
    d->positions[5].x = zero / zero;
    CHECK(draped_open(d) == DC_NOT_FINITE && d->error.index == 5);
    d->positions[5] = d->positions[6];
    d->triangles[4] = d->triangles[3];
    CHECK(draped_open(d) == DC_BAD_MESH && d->error.index == 1);
    draped_close(d);
}

static void test_drape_planning_refuses_a_wrong_start(void)
{
    volatile dc_real zero = 0;
    draped *d = hung_square(3);
    dc_vec3 start[16];
    memcpy(start, d->positions, sizeof start);
    start[9].z = zero / zero;
    d->desc.start_positions = start;
    CHECK(draped_open(d) == DC_NOT_FINITE && d->error.index == 9);
    start[9] = d->positions[9];
    CHECK(draped_open(d) == DC_OK);
    draped_close(d);
}

static void test_drape_planning_refuses_wrong_obstacles(void)
{
    volatile dc_real zero = 0;
    draped *d = hung_square(3);
    dc_obstacle_desc *o =
        draped_obstacle(d, DC_OBSTACLE_SPHERE, dci_vec(0, -1, 0), dci_vec(0, 0, 0), 0.25);
    CHECK(draped_open(d) == DC_OK);
    o->radius = 0;
    CHECK(draped_open(d) == DC_BAD_ARGUMENT && strstr(d->error.what, "radius"));
    o->radius = DCI_R(0.25);
    o->kind = (dc_obstacle_kind)9;
    CHECK(draped_open(d) == DC_BAD_ARGUMENT && strcmp(d->error.field, "kind") == 0);
    o->kind = DC_OBSTACLE_SPHERE;
    o->friction = -1;
    CHECK(draped_open(d) == DC_BAD_ARGUMENT && strcmp(d->error.field, "friction") == 0);
    o->friction = 0;
    o->point[0].y = zero / zero;
    CHECK(draped_open(d) != DC_OK);
    o->kind = DC_OBSTACLE_MESH; /* without vertices */
    CHECK(dc_drape_init(&d->desc, NULL, 0, &d->drape, &d->info, &d->error) == DC_BAD_ARGUMENT &&
          strstr(d->error.what, "vertices"));
    draped_close(d);
}

/* Counts are looked at before arrays. */
static void test_drape_planning_refuses_too_large_counts(void)
{
    draped *d = hung_square(3);
    dc_drape_desc good = d->desc;
    d->desc.mesh.vertex_count = DCI_COUNT_MAX + 1;
    CHECK(draped_open(d) == DC_TOO_LARGE);
    d->desc = good;
    d->desc.mesh.triangle_count = DCI_COUNT_MAX + 1;
    CHECK(draped_open(d) == DC_TOO_LARGE);
    d->desc = good;
    draped_obstacle(d, DC_OBSTACLE_MESH, dci_vec(0, 0, 0), dci_vec(0, 0, 0), 0);
    d->obstacles[0].mesh = good.mesh;
    d->obstacles[0].mesh.triangle_count = DCI_COUNT_MAX + 1;
    CHECK(draped_open(d) == DC_TOO_LARGE && d->error.body == 1);
    draped_close(d);
}

/* Two squares side by side in the plane y = 0, one piece each; the second one `apart` further. */
static draped *two_squares(int cells, double apart)
{
    draped *d = draped_begin();
    shape_desc shape = shape_defaults(SHAPE_GRID);
    dc_index n = (cells + 1) * (cells + 1), t = 2 * cells * cells, i;
    shape.columns = shape.rows = cells;
    d->positions = (dc_vec3 *)test_alloc(2 * (size_t)n * sizeof(dc_vec3));
    d->triangles = (dc_index *)test_alloc(6 * (size_t)t * sizeof(dc_index));
    d->flat = (dc_vec2 *)test_alloc(2 * (size_t)n * sizeof(dc_vec2));
    CHECK(shape_build(&shape, d->positions, d->triangles, d->flat, &d->desc.mesh, NULL) == DC_OK);
    for (i = 0; i < n; i++) {
        d->flat[n + i] = d->flat[i];
        d->positions[i] = dci_vec(d->flat[i].x - DCI_R(0.5), 0, DCI_R(0.5) - d->flat[i].y);
        d->positions[n + i] = dci_vec(d->positions[i].x + (dc_real)apart, 0, d->positions[i].z);
    }
    for (i = 0; i < 3 * t; i++) d->triangles[3 * t + i] = d->triangles[i] + n;
    d->desc.mesh.vertex_count = 2 * n;
    d->desc.mesh.triangle_count = 2 * t;
    return d;
}

static void test_piece_that_nothing_holds_is_refused(void)
{
    draped *d = two_squares(3, 1.5);
    draped_hold_there(d, 0);
    CHECK(draped_open(d) == DC_BAD_ARGUMENT && d->error.index >= 16 && d->error.index < 32);
    draped_hold_there(d, 31);
    CHECK(draped_open(d) == DC_OK);
    d->desc.anchor_count = 0;
    CHECK(draped_open(d) == DC_BAD_ARGUMENT && d->error.index >= 0 && d->error.index < 32);
    d->desc.down = dci_vec(0, 0, 0); /* then nothing falls */
    CHECK(draped_open(d) == DC_OK);
    draped_close(d);
}

/* ---- Memory ---- */

static void test_drape_takes_the_planned_bytes_and_not_one_less(void)
{
    int kind;
    for (kind = 0; kind < 2; kind++) {
        draped *d = hung_square(4);
        size_t used, bytes, refused = 0, tried = 0;
        d->desc.solver.linear_solver = (dc_linear_solver)kind;
        draped_obstacle(d, DC_OBSTACLE_SPHERE, dci_vec(0, -1, 0), dci_vec(0, 0, 0), 0.25);
        CHECK(draped_open(d) == DC_OK);
        used = d->info.bytes;
        for (bytes = 0; bytes < used; bytes += 1 + bytes / 100, tried++)
            refused += dc_drape_init(&d->desc, d->memory, bytes, &d->drape, &d->info, &d->error) ==
                           DC_TOO_SMALL &&
                       d->error.needed > bytes && d->error.needed <= used &&
                       d->error.given == bytes;
        CHECK_EQUAL(refused, tried);
        CHECK(dc_drape_init(&d->desc, d->memory, used - 1, &d->drape, &d->info, &d->error) ==
              DC_TOO_SMALL);
        CHECK(d->error.needed == used && d->error.given == used - 1);
        CHECK(dc_drape_init(&d->desc, d->memory, used, &d->drape, &d->info, &d->error) == DC_OK);
        CHECK_EQUAL(d->info.bytes, used);
        CHECK(dc_drape_iterate(d->drape, NULL, NULL) == DC_OK); /* neither is wanted */
        draped_close(d);
    }
}

static void test_drape_does_not_depend_on_where_memory_is(void)
{
    uint64_t hash[3];
    int k;
    for (k = 0; k < 3; k++) {
        draped *d = hung_square(5);
        unsigned char *block;
        CHECK(draped_open(d) == DC_OK);
        block = (unsigned char *)test_alloc(d->info.bytes + 16);
        memset(block, 17 * k, d->info.bytes + 16);
        CHECK(dc_drape_init(&d->desc, block + 5 * k, d->info.bytes, &d->drape, &d->info, NULL) ==
              DC_OK);
        dc_drape_solve(d->drape, NULL, NULL);
        hash[k] = dc_drape_hash(d->drape);
        free(block);
        draped_close(d);
    }
    CHECK(hash[0] == hash[1] && hash[0] == hash[2]);
}

/* ---- Starting ---- */

static void test_drape_begins_where_it_is_told(void)
{
    draped *d = hung_square(4);
    dc_vec3 start[25];
    dc_index v;
    memcpy(start, d->positions, sizeof start);
    for (v = 0; v < 25; v++) start[v].y += 1;
    d->desc.start_positions = start;
    d->desc.noise = 0;
    CHECK(draped_open(d) == DC_OK);
    CHECK(memcmp(dc_drape_positions(d->drape), start, sizeof start) == 0);
    CHECK_EQUAL(dc_drape_mesh(d->drape)->vertex_count, 25);
    CHECK_EQUAL(dc_drape_look(d->drape).iterations, 0);
    CHECK(dc_drape_look(d->drape).state == DC_DRAPE_MOVING);
    CHECK_NEAR(dc_drape_look(d->drape).potential, 25, TOL(1e-12, 1e-5)); /* all weights at y = 1 */
    CHECK_NEAR(dc_drape_look(d->drape).length_energy, 0, TOL(1e-28, 1e-11));
    /* (.1, 1, .1) for both */
    CHECK_NEAR(dc_drape_look(d->drape).anchor_energy, 2.04, TOL(1e-12, 1e-6));
    CHECK_NEAR(dc_drape_look(d->drape).anchor_distance, sqrt(1.02), TOL(1e-12, 1e-6));
    draped_close(d);
}

static void test_noise_shakes_by_its_seed(void)
{
    static const double NOISE = 0.01;
    dc_vec3 x[3][25];
    double most = 0;
    int k, v;
    for (k = 0; k < 3; k++) {
        draped *d = hung_square(4);
        d->desc.noise = (dc_real)NOISE;
        d->desc.seed = k == 0 ? 1 : 2;
        CHECK(draped_open(d) == DC_OK);
        memcpy(x[k], dc_drape_positions(d->drape), sizeof x[k]);
        for (v = 0; v < 25; v++)
            most = fmax(most, (double)dci_norm(dci_vec_sub(x[k][v], d->positions[v])));
        draped_close(d);
    }
    CHECK(memcmp(x[0], x[1], sizeof x[0]) != 0);
    CHECK(memcmp(x[1], x[2], sizeof x[1]) == 0);
    CHECK_AT_MOST(most, NOISE * 0.36 * sqrt(3.0)); /* of the longest edge, the diagonal */
    CHECK_AT_MOST(NOISE * 0.25 / 10, most);
}

/* The second square turned upright, through the first. */
static draped *crossing_squares(void)
{
    draped *d = two_squares(3, 0);
    dc_index v;
    for (v = 16; v < 32; v++)
        d->positions[v] = dci_vec(DCI_R(0.1), d->positions[v].x + DCI_R(0.07),
                                  d->positions[v].z * DCI_R(0.9) + DCI_R(0.02));
    draped_hold_there(d, 0);
    draped_hold_there(d, 16);
    return d;
}

static void test_crossing_start_is_refused(void)
{
    draped *d = crossing_squares();
    CHECK(draped_open(d) == DC_CROSSING);
    CHECK(d->error.value >= 1 && d->error.pair.first.body == 0 && d->error.pair.second.body == 0);
    d->desc.self_contact = 0;
    CHECK(draped_open(d) == DC_OK);
    draped_close(d);
    d = hung_square(4);
    draped_obstacle(d, DC_OBSTACLE_SPHERE, dci_vec(0, 0, 0), dci_vec(0, 0, 0), 0.3);
    CHECK(draped_open(d) == DC_CROSSING);
    CHECK(d->error.value >= 1 && (d->error.pair.first.body == 1 || d->error.pair.second.body == 1));
    draped_close(d);
}

static void test_too_few_pairs_are_refused_with_enough(void)
{
    draped *d = hung_square(8);
    dc_status status;
    size_t needed;
    draped_obstacle(d, DC_OBSTACLE_PLANE, dci_vec(0, DCI_R(-0.2), 0), dci_vec(0, 1, 0), 0);
    d->desc.pair_capacity = 1;
    status = draped_rest(d); /* when they come close it knows */
    CHECK(status == DC_TOO_SMALL && d->error.needed > 1 && d->error.given == 1);
    needed = d->error.needed;
    CHECK(needed < 100000);
    draped_close(d);
}

static void test_too_few_pairs_at_the_start_are_refused(void)
{
    draped *d = draped_sheet(8, 8, 1, 1);
    d->desc.pair_capacity = 1; /* each of 81 vertices is a thousandth above the floor */
    draped_obstacle(d, DC_OBSTACLE_PLANE, dci_vec(0, DCI_R(-1e-3), 0), dci_vec(0, 1, 0), 0);
    CHECK(draped_open(d) == DC_BAD_ARGUMENT && strstr(d->error.where, "dc_drape_init"));
    CHECK(test_error_names(&d->error, "pair_capacity") && d->error.value >= 81);
    draped_close(d);
}

/* The start has no pairs; a pair's room is filled when the sheet comes near the ball. */
static void test_too_few_pairs_on_the_way_leave_the_shape(void)
{
    int k;
    draped *d = draped_sheet(8, 8, 1, 1);
    dc_status status = DC_OK;
    uint64_t hash = 0;
    d->desc.self_contact = 0;
    d->desc.pair_capacity = 1;
    draped_obstacle(d, DC_OBSTACLE_SPHERE, dci_vec(0, DCI_R(-0.4), 0), dci_vec(0, 0, 0), 0.3);
    CHECK(draped_open(d) == DC_OK);
    for (k = 0; k < 200 && status == DC_OK; k++) {
        hash = dc_drape_hash(d->drape);
        status = dc_drape_iterate(d->drape, &d->report, &d->error);
    }
    CHECK(status == DC_TOO_SMALL && d->error.needed > 1 && d->error.given == 1);
    CHECK(strstr(d->error.what, "pair_capacity") && strstr(d->error.where, "dc_drape_iterate"));
    CHECK(k > 1 && dc_drape_hash(d->drape) == hash);
    CHECK(dc_drape_solve(d->drape, &d->report, &d->error) == DC_TOO_SMALL);
    CHECK(strstr(d->error.where, "dc_drape_solve") && dc_drape_hash(d->drape) == hash);
    draped_close(d);
}

/* ---- What can go wrong on the way ---- */

static int is_finite_shape(const draped *d)
{
    dc_index v;
    for (v = 0; v < d->desc.mesh.vertex_count; v++)
        if (!dci_vec_is_finite(dc_drape_positions(d->drape)[v])) return 0;
    return 1;
}

/* It ends, is not at rest, and tells which anchor is how far from its target. */
static void check_anchor_is_missed(draped *d, const char *why)
{
    CHECK(draped_rest(d) == DC_NOT_CONVERGED);
    if (!d->drape) exit(3);
    CHECK(strstr(d->error.what, "anchor") && strstr(d->error.what, why));
    CHECK(d->error.index >= 0 && d->error.index < d->desc.anchor_count);
    CHECK(d->error.value == d->report.anchor_distance);
    CHECK_AT_MOST((double)d->desc.tolerance / 10, d->error.value); /* cells are a tenth and more */
    CHECK_EQUAL(d->report.worst_anchor, d->error.index);
    CHECK(d->report.state == DC_DRAPE_AT_LIMIT);
    CHECK(is_finite_shape(d));
}

/* Corners of one side, .2 too far apart. */
static void test_anchors_out_of_reach_are_told(void)
{
    draped *d = draped_sheet(8, 8, 1, 1);
    draped_hold_there(d, 40);
    draped_hold(d, 0, -0.6, 0, 0.5);
    draped_hold(d, 8, 0.6, 0, 0.5);
    check_anchor_is_missed(d, "reach");
    CHECK(d->error.index > 0);
    draped_close(d);
}

static void test_anchor_inside_an_obstacle_is_told(void)
{
    static const double RADIUS = 0.3, DEPTH = 0.15;
    int kind;
    for (kind = 0; kind < 2; kind++) {
        draped *d = draped_sheet(4, 4, 1, 1);
        draped_hold(d, 12, 0, -0.2 - DEPTH, 0); /* the middle */
        if (kind == 0)
            draped_obstacle(d, DC_OBSTACLE_SPHERE, dci_vec(0, (dc_real)(-0.2 - RADIUS), 0),
                            dci_vec(0, 0, 0), RADIUS);
        else
            draped_obstacle(d, DC_OBSTACLE_PLANE, dci_vec(0, DCI_R(-0.2), 0), dci_vec(0, 1, 0), 0);
        check_anchor_is_missed(d, "way");
        CHECK_AT_MOST(DEPTH, d->error.value); /* it cannot be nearer than the surface */
        CHECK_AT_MOST(d->error.value, 2 * DEPTH);
        draped_close(d);
    }
}

/* Two corners at one place. */
static void test_anchors_in_each_others_way_are_told(void)
{
    draped *d = draped_sheet(8, 8, 1, 1);
    d->desc.thickness = DCI_R(0.04);
    draped_hold(d, 0, 0, 0, 0);
    draped_hold(d, 8, 0, 0, 0);
    check_anchor_is_missed(d, "way");
    draped_close(d);
}

/* The ball is below the first piece, which is held as well, and not below the second. */
static void test_piece_that_falls_past_all_obstacles_is_told(void)
{
    draped *d = two_squares(3, 1.5);
    draped_hold_there(d, 0);
    draped_obstacle(d, DC_OBSTACLE_SPHERE, dci_vec(0, -2, 0), dci_vec(0, 0, 0), 0.3);
    CHECK(draped_rest(d) == DC_NOT_CONVERGED);
    CHECK(strstr(d->error.what, "falls") && d->error.value > 0);
    draped_close(d);
}

static void test_sheet_that_slides_off_a_ball_is_told(void)
{
    draped *d = draped_sheet(8, 8, 1, 1);
    dc_index v;
    for (v = 0; v < 81; v++) d->positions[v].x += DCI_R(0.2);
    draped_obstacle(d, DC_OBSTACLE_SPHERE, dci_vec(0, DCI_R(-0.35), 0), dci_vec(0, 0, 0), 0.3);
    d->desc.friction = 0;
    CHECK(draped_rest(d) == DC_NOT_CONVERGED);
    CHECK(strstr(d->error.what, "falls") && d->error.value > 0);
    CHECK(is_finite_shape(d));
    CHECK(dc_drape_iterate(d->drape, &d->report, &d->error) == DC_OK);
    CHECK(d->report.state == DC_DRAPE_AT_LIMIT);
    draped_close(d);
}

/* A sheet on a plane that goes down towards x by `angle`, where its friction would hold it up to
   `friction_angle` [degrees]. */
static draped *sheet_on_slope(double angle, double friction_angle)
{
    draped *d = draped_sheet(8, 8, 1, 1);
    double radian = 3.14159265358979 / 180, c = cos(radian * angle), s = sin(radian * angle);
    dc_vec3 normal = dci_vec(s, c, 0);
    dc_index v;
    for (v = 0; v < 81; v++) {
        dc_vec3 *x = d->positions + v;
        *x = dci_vec_axpy(dci_vec(c * x->x, -s * x->x, x->z), DCI_R(0.01), normal);
    }
    d->desc.friction = (dc_real)tan(radian * friction_angle);
    draped_obstacle(d, DC_OBSTACLE_PLANE, dci_vec(0, 0, 0), normal, 0)->friction = d->desc.friction;
    return d;
}

/* The direction of gravity counts, not its length, though squares of it overflow or vanish. */
static void test_down_may_have_any_length(void)
{
    const double length[] = {1, TOL(1e300, 1e37), TOL(1e-300, 1e-36)};
    dc_vec3 *shape = NULL;
    int k;
    for (k = 0; k < 3; k++) {
        draped *d = draped_sheet(4, 4, 1, 1);
        size_t bytes = (size_t)d->desc.mesh.vertex_count * sizeof(dc_vec3);
        draped_hold_there(d, 0);
        draped_hold_there(d, 4);
        d->desc.down = dci_vec(0, (dc_real)-length[k], 0);
        d->desc.tolerance = (dc_real)TOL(1e-5, 1e-4);
        check_rests(d);
        if (k == 0) {
            shape = (dc_vec3 *)test_alloc(bytes);
            memcpy(shape, dc_drape_positions(d->drape), bytes);
        }
        CHECK(memcmp(shape, dc_drape_positions(d->drape), bytes) == 0);
        CHECK(d->report.potential < 0);
        draped_close(d);
    }
    free(shape);
}

/* Wherever it stops, the reason holds: if nothing is out of tolerance, it still moves. */
static void test_reasons_hold_wherever_it_stops(void)
{
    dc_status status = DC_NOT_CONVERGED;
    int moves = 0, most;
    for (most = 1; status == DC_NOT_CONVERGED && most < 100; most++) {
        draped *d = draped_sheet(6, 6, 1, 1);
        draped_hold_there(d, 0);
        draped_hold_there(d, 6);
        d->desc.tolerance = DCI_R(0.01);
        d->desc.solver.iteration_max = most;
        status = draped_rest(d);
        if (status == DC_NOT_CONVERGED && d->report.strain_max <= d->desc.tolerance) {
            CHECK(strstr(d->error.what, "still moves") != NULL);
            moves += d->report.stage == DC_DRAPE_STAGES - 1;
        }
        draped_close(d);
    }
    CHECK(status == DC_OK);
    CHECK(moves > 0);
}

static void test_a_sheet_that_slides_without_end_is_not_at_rest(void)
{
    const double friction_angles[] = {0, 20};
    int i;
    for (i = 0; i < 2; i++) {
        draped *d = sheet_on_slope(45, friction_angles[i]);
        CHECK(draped_rest(d) == DC_NOT_CONVERGED && d->report.state == DC_DRAPE_AT_LIMIT);
        CHECK(strstr(d->error.what, "still moves") && d->error.value > 0);
        draped_close(d);
    }
}

static void test_friction_holds_a_sheet_on_a_slope(void)
{
    draped *d = sheet_on_slope(30, 33);
    dc_index v;
    dc_real moved = 0;
    CHECK(draped_rest(d) == DC_OK);
    for (v = 0; v < 81; v++)
        moved = dci_max(moved, dci_norm(dci_vec_sub(dc_drape_positions(d->drape)[v],
                                                    d->positions[v])));
    CHECK_AT_MOST(moved, 0.125 / 10); /* a tenth of a cell */
    draped_close(d);
}

static void test_drape_ends_at_its_limit(void)
{
    draped *d = hung_square(6);
    uint64_t hash;
    d->desc.solver.iteration_max = 1;
    d->desc.tolerance = 100; /* so that nothing else is wrong */
    CHECK(draped_rest(d) == DC_NOT_CONVERGED);
    CHECK(strstr(d->error.what, "iteration_max") && d->error.index == DC_NONE);
    CHECK(d->report.state == DC_DRAPE_AT_LIMIT);
    CHECK_EQUAL(d->report.iterations, 1);
    hash = dc_drape_hash(d->drape);
    CHECK(dc_drape_iterate(d->drape, &d->report, &d->error) == DC_OK); /* changes nothing */
    CHECK_EQUAL(d->report.iterations, 1);
    CHECK(dc_drape_hash(d->drape) == hash);
    draped_close(d);
}

/* All edges start 30% too long, and one iteration is not enough for the tolerance. */
static void test_edges_off_their_lengths_are_told(void)
{
    draped *d = draped_sheet(4, 4, 1, 1);
    dc_index v;
    for (v = 0; v < 25; v++) d->positions[v] = dci_vec_scale(DCI_R(1.3), d->positions[v]);
    d->desc.down = dci_vec(0, 0, 0);
    d->desc.bending_length = 0; /* lengths alone: the last stage is the first */
    d->desc.solver.iteration_max = 1;
    CHECK(draped_rest(d) == DC_NOT_CONVERGED);
    CHECK(strstr(d->error.what, "length of this edge"));
    CHECK(d->error.value == d->report.strain_max && d->error.value > d->desc.tolerance);
    CHECK_EQUAL(d->error.index, d->report.strain_edge);
    draped_close(d);
}

/* An anchor's target at the end of all numbers: the residual of conjugate gradients overflows. */
static void test_numbers_that_overflow_leave_the_shape(void)
{
    draped *d = hung_square(4);
    uint64_t hash;
    d->desc.solver.linear_solver = DC_LINEAR_CG;
    d->anchors[1].target.x = DCI_REAL_MAX / 2;
    CHECK(draped_open(d) == DC_OK);
    hash = dc_drape_hash(d->drape);
    CHECK(dc_drape_iterate(d->drape, &d->report, &d->error) == DC_NOT_FINITE);
    CHECK(strstr(d->error.where, "dc_drape_iterate") && dc_drape_hash(d->drape) == hash);
    CHECK(dc_drape_solve(d->drape, &d->report, &d->error) == DC_NOT_FINITE);
    CHECK(strstr(d->error.where, "dc_drape_solve") && dc_drape_hash(d->drape) == hash);
    draped_close(d);
}

/* Rows that hold back have a positive weight; with one that pushes on, no damping is enough. */
static void test_matrix_that_is_not_positive_leaves_the_shape(void)
{
    int k;
    for (k = 0; k < 2; k++) {
        draped *d = hung_square(4);
        uint64_t hash;
        CHECK(draped_open(d) == DC_OK);
        hash = dc_drape_hash(d->drape);
        d->drape->schedule.smooth = DCI_R(-1e9);
        if (k == 0) CHECK(dc_drape_iterate(d->drape, &d->report, &d->error) == DC_SINGULAR);
        if (k == 1) CHECK(dc_drape_solve(d->drape, &d->report, &d->error) == DC_SINGULAR);
        CHECK(!strcmp(d->error.where, k == 0 ? "dc_drape_iterate" : "dc_drape_solve"));
        CHECK(dc_drape_hash(d->drape) == hash);
        draped_close(d);
    }
}

/* Without an error record each function fails with the same status. */
static void test_drape_fails_without_an_error_record(void)
{
    draped *d = crossing_squares();
    dc_drape_desc wrong = d->desc;
    dc_drape *drape = NULL;
    dc_info info;
    wrong.tolerance = 0;
    CHECK(draped_open(d) == DC_CROSSING);
    CHECK(dc_drape_init(&wrong, d->memory, d->info.bytes, &drape, &info, NULL) == DC_BAD_ARGUMENT);
    CHECK(dc_drape_init(&d->desc, NULL, 0, &drape, &info, NULL) == DC_TOO_SMALL);
    CHECK(dc_drape_init(&d->desc, d->memory, d->info.bytes, &drape, &info, NULL) == DC_CROSSING);
    CHECK(drape == NULL && info.bytes == d->info.bytes);
    draped_close(d);
    d = hung_square(4);
    d->desc.solver.iteration_max = 1;
    CHECK(draped_open(d) == DC_OK);
    CHECK(dc_drape_solve(d->drape, NULL, NULL) == DC_NOT_CONVERGED);
    draped_close(d);
}

/* ---- What an iteration reports ---- */

/* sum m_i h_i and E_L from the positions. */
static void energies_of(const draped *d, double *potential, double *length_energy)
{
    const dc_vec3 *x = dc_drape_positions(d->drape);
    const dc_mesh *mesh = dc_drape_mesh(d->drape);
    double area = 0;
    dc_index t, c, e;
    *potential = *length_energy = 0;
    for (t = 0; t < mesh->triangle_count; t++) {
        for (c = 0; c < 3; c++)
            *potential += (double)mesh->rest_area[t] / 3 * (double)x[mesh->triangles[3 * t + c]].y;
        area += (double)mesh->rest_area[t];
    }
    *potential *= mesh->vertex_count / area;
    for (e = 0; e < mesh->edge_count; e++) {
        const dc_index *v = mesh->edge_vertices + 2 * e;
        double l = (double)dci_norm(dci_vec_sub(x[v[0]], x[v[1]]));
        l -= (double)mesh->rest_length[mesh->corner_of_edge[2 * e]];
        *length_energy += l * l;
    }
}

static void test_drape_reports_what_its_shape_is(void)
{
    int k;
    draped *d = hung_square(6);
    CHECK(draped_open(d) == DC_OK);
    for (k = 1; k <= 12; k++) {
        double potential, length_energy, anchor_energy = 0;
        dc_drape_report look;
        int a;
        CHECK(dc_drape_iterate(d->drape, &d->report, &d->error) == DC_OK);
        energies_of(d, &potential, &length_energy);
        for (a = 0; a < 2; a++) {
            dc_vec3 x = dc_drape_positions(d->drape)[d->anchors[a].vertex];
            double r = (double)dci_norm(dci_vec_sub(x, d->anchors[a].target));
            anchor_energy += r * r;
        }
        CHECK_EQUAL(d->report.iterations, k);
        CHECK_NEAR(d->report.potential, potential, TOL(1e-12, 1e-4));
        CHECK_NEAR(d->report.length_energy, length_energy, TOL(1e-12, 1e-5));
        CHECK_NEAR(d->report.anchor_energy, anchor_energy, TOL(1e-12, 1e-5));
        CHECK(d->report.stage >= 0 && d->report.stage < DC_DRAPE_STAGES);
        look = dc_drape_look(d->drape);
        CHECK(look.potential == d->report.potential && look.iterations == k &&
              look.state == d->report.state && look.strain_max == d->report.strain_max);
    }
    /* through all stages, and rests in the last one */
    CHECK(dc_drape_solve(d->drape, &d->report, &d->error) == DC_OK);
    CHECK_EQUAL(d->report.stage, DC_DRAPE_STAGES - 1);
    draped_close(d);
}

/* ---- The same from the same, and from what is only told in another way ---- */

static uint64_t hash_of_a_drape(void)
{
    draped *d = hung_square(8);
    uint64_t hash;
    check_rests(d);
    hash = dc_drape_hash(d->drape);
    draped_close(d);
    return hash;
}

static void test_drape_is_the_same_each_time(void)
{
    CHECK(hash_of_a_drape() == hash_of_a_drape());
}

/* The catenary has no other rest shape beside it, so that all paths have to lead to it. */
static void check_conjugate_gradients(double bending_length)
{
    double potential[2];
    int k;
    for (k = 0; k < 2; k++) {
        draped *d = sheet_between_two_sides(12, 6, 1.3, 0.6);
        d->desc.solver.linear_solver = k ? DC_LINEAR_CG : DC_LINEAR_CHOLESKY;
        d->desc.bending_length = (dc_real)bending_length;
        check_rests(d);
        potential[k] = (double)d->report.potential;
        CHECK((k == 0) == (d->report.factorizations > 0));
        CHECK((k == 1 || bending_length > 0) == (d->report.cg_iterations > 0));
        draped_close(d);
    }
    CHECK_NEAR(potential[1], potential[0], TOL(1e-4, 1e-3) * fabs(potential[0]));
}

static void test_conjugate_gradients_lead_to_the_same_rest(void)
{
    check_conjugate_gradients(0);
    check_conjugate_gradients(0.1);
}

/* 1024 is a power of two: nothing is rounded otherwise. */
static void test_drape_does_not_depend_on_the_unit_of_length(void)
{
    static const dc_real scales[3] = {1, 1024, 1 / DCI_R(1024.0)};
    dc_vec3 x[3][81];
    double most[3] = {0, 0, 0};
    int k, v;
    for (k = 0; k < 3; k++) {
        draped *d = hung_square(8);
        for (v = 0; v < 81; v++) {
            d->positions[v] = dci_vec_scale(scales[k], d->positions[v]);
            d->flat[v].x *= scales[k];
            d->flat[v].y *= scales[k];
        }
        for (v = 0; v < 2; v++)
            d->anchors[v].target = dci_vec_scale(scales[k], d->anchors[v].target);
        check_rests(d);
        memcpy(x[k], dc_drape_positions(d->drape), sizeof x[k]);
        for (v = 0; v < 81; v++) {
            dc_vec3 unscaled = dci_vec_scale(1 / scales[k], x[k][v]);
            most[k] = fmax(most[k], (double)dci_norm(dci_vec_sub(unscaled, x[0][v])));
        }
        draped_close(d);
    }
    CHECK_AT_MOST(most[1], TOL(1e-9, 1e-4));
    CHECK_AT_MOST(most[2], TOL(1e-9, 1e-4));
}

static dc_vec3 turned(dc_vec3 a)
{
    return dci_vec(a.z, a.x, a.y);
}

static void test_drape_turns_with_gravity(void)
{
    dc_vec3 x[2][91];
    double most = 0;
    int k, v;
    for (k = 0; k < 2; k++) {
        draped *d = sheet_between_two_sides(12, 6, 1.3, 0.6);
        for (v = 0; k == 1 && v < 91; v++) d->positions[v] = turned(d->positions[v]);
        for (v = 0; k == 1 && v < d->desc.anchor_count; v++)
            d->anchors[v].target = turned(d->anchors[v].target);
        if (k == 1) d->desc.down = turned(dci_vec(0, -7, 0)); /* its length does not matter */
        check_rests(d);
        memcpy(x[k], dc_drape_positions(d->drape), sizeof x[k]);
        draped_close(d);
    }
    for (v = 0; v < 91; v++) {
        dc_vec3 apart = dci_vec_sub(turned(x[0][v]), x[1][v]);
        most = fmax(most, (double)dci_norm(apart));
    }
    CHECK_AT_MOST(most, TOL(2e-4, 2e-3)); /* both are that near the catenary */
}

/* ---- Meshes of all kinds ---- */

static void test_sheet_with_a_hole_comes_to_rest(void)
{
    shape_desc shape = shape_defaults(SHAPE_ANNULUS);
    draped *d = draped_begin();
    dc_index v;
    shape.columns = 24;
    shape.rows = 5;
    draped_shape(d, &shape);
    for (v = 0; v < d->desc.mesh.vertex_count; v++)
        d->positions[v] = dci_vec(d->positions[v].x, 0, -d->positions[v].y);
    for (v = 5 * 24; v < 6 * 24; v += 8) { /* on the outer border, drawn inwards */
        dc_vec3 x = d->positions[v];
        draped_hold(d, v, 0.9 * (double)x.x, 0, 0.9 * (double)x.z);
    }
    check_rests(d);
    CHECK(d->report.potential < 0);
    draped_close(d);
}

/* Each piece comes to where it would come alone. */
static void test_two_pieces_come_to_rest(void)
{
    draped *d = two_squares(6, 4);
    const dc_vec3 *x;
    dc_index v;
    for (v = 0; v < 7; v++) draped_hold_there(d, v); /* the sides at z = .5: they hang straight */
    for (v = 49; v < 56; v++) draped_hold_there(d, v);
    wait_longer(d);
    check_rests(d);
    x = dc_drape_positions(d->drape);
    for (v = 0; v < 98; v++) {
        CHECK_NEAR(x[v].x, d->positions[v].x, TOL(1e-4, 1e-3));
        CHECK_NEAR(x[v].y, -(double)d->flat[v % 49].y, TOL(1e-4, 1e-3));
    }
    draped_close(d);
}

/* A skirt: an open cone that flares by 30 degrees, y from -sqrt(3/4) to 0. */
static draped *skirt(int columns, int rows)
{
    shape_desc shape = shape_defaults(SHAPE_CYLINDER);
    draped *d = draped_begin();
    dc_index v;
    shape.columns = columns;
    shape.rows = rows;
    shape.radius = 1;
    shape.height = 1;
    draped_shape(d, &shape);
    for (v = 0; v < d->desc.mesh.vertex_count; v++) {
        double up = (double)d->positions[v].y, wide = 0.3 + 0.5 * (1 - up);
        d->positions[v] =
            dci_vec((dc_real)(wide * (double)d->positions[v].x), (dc_real)(sqrt(0.75) * (up - 1)),
                    (dc_real)(wide * (double)d->positions[v].z));
    }
    return d;
}

/* Held at six places of its waist, drawn inwards: the hem hangs no further below them than its way
   along the cone, which rolled out goes from .6 to 1.6 of its tip and at most 15 degrees aside; and
   the cone itself is not the lowest. */
static void test_closed_skirt_comes_to_rest(void)
{
    draped *d = skirt(24, 8);
    double lowest = 0, before = 0;
    dc_index v, n = d->desc.mesh.vertex_count;
    for (v = 0; v < n; v++) {
        dc_vec3 x = d->positions[v];
        before += (double)x.y;
        if (x.y > DCI_R(-1e-6) && v % 4 == 0)
            draped_hold(d, v, 0.9 * (double)x.x, 0, 0.9 * (double)x.z);
    }
    CHECK_EQUAL(d->desc.anchor_count, 6);
    check_rests(d);
    for (v = 0; v < n; v++) lowest = fmin(lowest, (double)dc_drape_positions(d->drape)[v].y);
    CHECK_AT_MOST(-sqrt(0.36 + 2.56 - 2 * 0.6 * 1.6 * cos(acos(-1.0) / 12)), lowest);
    CHECK_AT_MOST(lowest, -sqrt(0.75));
    CHECK_AT_MOST(d->report.potential, before);
    draped_close(d);
}

/* Held all around its upper border, a tube hangs straight down: each vertex at its own depth. */
static void test_closed_tube_hangs_straight(void)
{
    shape_desc shape = shape_defaults(SHAPE_CYLINDER);
    draped *d = draped_begin();
    double most = 0;
    dc_index v;
    shape.columns = 16;
    shape.rows = 8;
    shape.radius = DCI_R(0.4);
    shape.height = 1;
    draped_shape(d, &shape);
    for (v = 0; v < d->desc.mesh.vertex_count; v++)
        if (d->positions[v].y > DCI_R(0.999)) draped_hold_there(d, v);
    CHECK_EQUAL(d->desc.anchor_count, 16);
    check_rests(d);
    CHECK_NEAR(d->report.potential, 0.5 * d->desc.mesh.vertex_count,
               TOL(1e-4, 1e-3) * d->desc.mesh.vertex_count);
    for (v = 0; v < d->desc.mesh.vertex_count; v++) {
        dc_vec3 moved = dci_vec_sub(dc_drape_positions(d->drape)[v], d->positions[v]);
        most = fmax(most, (double)dci_norm(moved));
    }
    CHECK_AT_MOST(most, 0.02); /* it may sway a little, as the sheet by its side */
    draped_close(d);
}

static void test_irregular_mesh_comes_to_rest(void)
{
    static test_mesh mesh;
    draped *d = draped_begin();
    dc_index v;
    int kind;
    for (kind = 0; kind < 2; kind++) {
        d->desc = dc_drape_defaults();
        d->desc.anchors = d->anchors;
        if (kind == 0)
            test_mesh_delaunay(&mesh, 1, 1, 8, 8);
        else
            test_mesh_rotated(&mesh, 1, 1, 8, 8);
        d->desc.mesh = test_mesh_desc(&mesh);
        for (v = 0; v < 4; v++) /* the corners are its first vertices; in the plane y = 0 */
            draped_hold(d, v, 0.8 * (double)mesh.flat[v].x, 0, 0.8 * (double)mesh.flat[v].y);
        check_rests(d);
    }
    draped_close(d);
}

/* Half the thickness above the floor. Contacts are springs: one for each vertex of a sheet of n,
   which give way by its part m_i / (4 n) of a mean edge, at most, (51.4); a fifth more for what it
   shares with neighbours. */
static void test_sheet_on_a_floor_lies_down(void)
{
    static const double THICKNESS = 0.01, FLOOR = -0.1;
    draped *d = draped_sheet(8, 8, 1, 1);
    double weight = 81.0 / 64, edge = (144 + 64 * sqrt(2.0)) / 208 / 8, way;
    dc_index v;
    d->desc.thickness = (dc_real)THICKNESS;
    draped_obstacle(d, DC_OBSTACLE_PLANE, dci_vec(0, (dc_real)FLOOR, 0), dci_vec(0, 1, 0), 0);
    check_rests(d);
    way = 1.2 * weight * edge / (4 * 81);
    for (v = 0; v < 81; v++) {
        double height = (double)dc_drape_positions(d->drape)[v].y - FLOOR;
        CHECK_AT_MOST(THICKNESS / 2 - way, height);
        CHECK_AT_MOST(height, THICKNESS / 2 + 1e-3 * THICKNESS);
    }
    CHECK_EQUAL(d->report.contacts, 81);
    draped_close(d);
}

/* Without collisions of any kind. */
static void test_sheet_that_may_cross_itself_comes_to_rest(void)
{
    draped *d = hung_square(8);
    d->desc.self_contact = 0;
    CHECK(draped_rest(d) == DC_OK);
    CHECK(d->report.state == DC_DRAPE_AT_REST && !d->report.is_certified);
    CHECK_AT_MOST(d->report.strain_max, d->desc.tolerance);
    draped_close(d);
}

/* With nothing to decrease but the lengths' error, the first stage is the last one. */
static void test_a_drape_begins_in_the_stage_that_it_needs(void)
{
    int has_gravity;
    for (has_gravity = 0; has_gravity < 2; has_gravity++) {
        draped *d = draped_sheet(2, 2, 1, 1);
        if (!has_gravity) d->desc.down = dci_vec(0, 0, 0), d->desc.bending_length = 0;
        draped_hold(d, 0, -0.4, 0.2, 0.4);
        CHECK(draped_open(d) == DC_OK);
        CHECK_EQUAL(d->drape->report.stage, has_gravity ? 0 : DC_DRAPE_STAGES - 1);
        draped_close(d);
    }
}

/* Without gravity it only goes where the anchors want it. */
static void test_anchors_alone_lead_to_rest(void)
{
    draped *d = draped_sheet(8, 8, 1, 1);
    d->desc.down = dci_vec(0, 0, 0);
    draped_hold(d, 0, -0.4, 0.2, 0.4);
    draped_hold(d, 8, 0.4, 0.2, 0.4);
    draped_hold(d, 76, 0, -0.1, -0.4);
    check_rests(d);
    CHECK_AT_MOST(d->report.anchor_distance, d->desc.tolerance / 8);
    draped_close(d);
}

static void test_sheet_on_a_rough_ball_stays_there(void)
{
    draped *d = draped_sheet(12, 12, 1, 1);
    dc_index v;
    d->desc.thickness = DCI_R(0.01);
    d->desc.friction = DCI_R(0.6);
    draped_obstacle(d, DC_OBSTACLE_SPHERE, dci_vec(0, DCI_R(-0.32), 0), dci_vec(0, 0, 0), 0.3)
        ->friction = DCI_R(0.6);
    check_rests(d);
    for (v = 0; v < 169; v++) {
        dc_vec3 r = dci_vec_sub(dc_drape_positions(d->drape)[v], d->obstacles[0].point[0]);
        CHECK_AT_MOST(0.3, (double)dci_norm(r));
    }
    CHECK(d->report.contacts > 0);
    CHECK_NEAR(dc_drape_positions(d->drape)[84].y, -0.015, 0.01); /* the middle, on the top */
    draped_close(d);
}

/* ---- Hand-over ---- */

static void test_drape_hands_over_to_a_world(void)
{
    draped *d = draped_sheet(10, 10, 1, 1);
    fixture f = fixture_begin();
    dc_index pins[2], v;
    dc_measures m;
    double most = 0;
    draped_hold(d, 0, -0.4, 0, 0.4);
    draped_hold(d, 10, 0.4, 0, 0.4);
    draped_obstacle(d, DC_OBSTACLE_SPHERE, dci_vec(0, -1, DCI_R(0.3)), dci_vec(0, 0, 0), 0.25);
    d->desc.thickness = DCI_R(0.01);
    d->desc.friction = DCI_R(0.2);
    check_rests(d);
    f.cloth.mesh = d->desc.mesh;
    dc_drape_hand_over(d->drape, &f.cloth, pins);
    CHECK(f.cloth.start_positions == dc_drape_positions(d->drape));
    CHECK(f.cloth.thickness == d->desc.thickness && f.cloth.friction == d->desc.friction);
    CHECK(f.cloth.self_contact == d->desc.self_contact);
    CHECK(f.cloth.pin_vertices == pins && f.cloth.pin_count == 2 && pins[0] == 0 && pins[1] == 10);
    f.desc.obstacles = d->obstacles;
    f.desc.obstacle_count = 1;
    f.desc.collides = 1;
    CHECK(fixture_open(&f) == DC_OK);
    if (!f.world) exit(3);
    CHECK_EQUAL(dc_world_crossings(f.world, 0, NULL), 0);
    m = dc_cloth_measure(f.world, 0);
    CHECK_AT_MOST(m.constraint_error, f.cloth.tolerance);
    /* the world had nothing to repair but what the drape's own tolerance left */
    for (v = 0; v < 121; v++) {
        dc_vec3 moved =
            dci_vec_sub(dc_body_positions(f.world, 0)[v], dc_drape_positions(d->drape)[v]);
        most = fmax(most, (double)dci_norm(moved));
    }
    CHECK_AT_MOST(most, 0.1 * 100 * (double)d->desc.tolerance + TOL(1e-12, 1e-6));
    CHECK(fixture_run(&f, 0.01, 0.001) == DC_OK);
    fixture_close(&f);
    draped_close(d);
}

/* As many iterations as were used are enough; with one less it is at its limit. */
static void test_one_drape_iteration_too_few_is_told(void)
{
    draped *d = hung_square(4), *less = hung_square(4);
    dc_index enough;
    CHECK(draped_rest(d) == DC_OK);
    less->desc.solver.iteration_max = enough = d->report.iterations;
    CHECK(draped_rest(less) == DC_OK && less->report.state == DC_DRAPE_AT_REST);
    CHECK(dc_drape_hash(less->drape) == dc_drape_hash(d->drape));
    less->desc.solver.iteration_max--;
    CHECK(draped_rest(less) == DC_NOT_CONVERGED && less->report.state == DC_DRAPE_AT_LIMIT);
    CHECK(less->report.iterations == enough - 1 && !strcmp(less->error.where, "dc_drape_solve"));
    draped_close(d);
    draped_close(less);
}

/* Room for one pair, then for twice as many as are told each time until it comes to rest: what
   fails changes nothing, and nothing crosses. */
static void test_drape_with_too_few_pairs_can_go_on(void)
{
    draped *d = draped_sheet(6, 6, 1, 1);
    dc_index refused = 0, room, i;
    dc_status status = DC_OK;
    draped_obstacle(d, DC_OBSTACLE_SPHERE, dci_vec(0, DCI_R(-0.35), 0), dci_vec(0, 0, 0), 0.3);
    d->desc.friction = 1;
    CHECK(draped_open(d) == DC_OK);
    room = d->drape->surface.pair_capacity;
    d->drape->surface.pair_capacity = 1;
    for (i = 0; i < 200 && dc_drape_look(d->drape).state == DC_DRAPE_MOVING; i++) {
        uint64_t hash = dc_drape_hash(d->drape);
        status = dc_drape_iterate(d->drape, &d->report, &d->error);
        CHECK(status == DC_OK || (status == DC_TOO_SMALL && dc_drape_hash(d->drape) == hash));
        if (status == DC_OK) continue;
        CHECK(d->error.needed > d->error.given);
        CHECK_AT_MOST(2 * d->error.needed, room);
        d->drape->surface.pair_capacity = 2 * (dc_index)d->error.needed;
        refused++;
    }
    CHECK(refused > 0 && status == DC_OK);
    CHECK(d->report.state == DC_DRAPE_AT_REST && d->report.is_certified);
    CHECK_EQUAL(referee_count(dc_drape_mesh(d->drape), dc_drape_positions(d->drape),
                              dc_drape_mesh(d->drape), dc_drape_positions(d->drape)),
                0);
    draped_close(d);
}

/* Contacts that find no room are not balanced, but what is proved is proved. */
static void test_drape_contacts_without_room_are_certified(void)
{
    dc_index contacts = 0, k;
    for (k = 0; k < 3; k++) {
        draped *d = draped_sheet(6, 6, 1, 1);
        draped_obstacle(d, DC_OBSTACLE_SPHERE, dci_vec(0, DCI_R(-0.35), 0), dci_vec(0, 0, 0), 0.3);
        d->desc.friction = 1;
        CHECK(draped_open(d) == DC_OK);
        if (k > 0) d->drape->contact_capacity = k == 1 ? contacts - 1 : 0;
        dc_drape_solve(d->drape, &d->report, &d->error); /* may not come to rest */
        if (k == 0) contacts = d->report.contacts;
        CHECK(contacts > 1 && d->report.is_certified);
        CHECK_EQUAL(referee_count(dc_drape_mesh(d->drape), dc_drape_positions(d->drape),
                                  dc_drape_mesh(d->drape), dc_drape_positions(d->drape)),
                    0);
        draped_close(d);
    }
}

static const test_case tests_drape[] = {
    {"test_strip_of_panels_hangs_as_its_catenary", test_strip_of_panels_hangs_as_its_catenary},
    {"test_sheet_between_two_sides_hangs_as_a_cylinder_over_the_catenary",
     test_sheet_between_two_sides_hangs_as_a_cylinder_over_the_catenary},
    {"test_sheet_hung_by_its_side_hangs_straight", test_sheet_hung_by_its_side_hangs_straight},
    {"drapes bend as the elastica", test_drapes_bend_as_the_elastica},
    {"drapes without gravity are as smooth as the elastica",
     test_drapes_without_gravity_are_as_smooth_as_the_elastica},
    {"test_strip_over_a_bar_hangs_down_on_both_sides",
     test_strip_over_a_bar_hangs_down_on_both_sides},
    {"test_drape_planning_names_the_wrong_field", test_drape_planning_names_the_wrong_field},
    {"test_drape_planning_names_the_wrong_element", test_drape_planning_names_the_wrong_element},
    {"test_drape_planning_refuses_a_wrong_start", test_drape_planning_refuses_a_wrong_start},
    {"test_drape_planning_refuses_wrong_obstacles", test_drape_planning_refuses_wrong_obstacles},
    {"test_piece_that_nothing_holds_is_refused", test_piece_that_nothing_holds_is_refused},
    {"test_drape_takes_the_planned_bytes_and_not_one_less",
     test_drape_takes_the_planned_bytes_and_not_one_less},
    {"test_drape_does_not_depend_on_where_memory_is",
     test_drape_does_not_depend_on_where_memory_is},
    {"test_drape_begins_where_it_is_told", test_drape_begins_where_it_is_told},
    {"test_noise_shakes_by_its_seed", test_noise_shakes_by_its_seed},
    {"test_crossing_start_is_refused", test_crossing_start_is_refused},
    {"test_too_few_pairs_are_refused_with_enough", test_too_few_pairs_are_refused_with_enough},
    {"test_too_few_pairs_on_the_way_leave_the_shape",
     test_too_few_pairs_on_the_way_leave_the_shape},
    {"test_drape_planning_refuses_too_large_counts", test_drape_planning_refuses_too_large_counts},
    {"test_too_few_pairs_at_the_start_are_refused", test_too_few_pairs_at_the_start_are_refused},
    {"test_edges_off_their_lengths_are_told", test_edges_off_their_lengths_are_told},
    {"test_numbers_that_overflow_leave_the_shape", test_numbers_that_overflow_leave_the_shape},
    {"test_matrix_that_is_not_positive_leaves_the_shape",
     test_matrix_that_is_not_positive_leaves_the_shape},
    {"test_drape_fails_without_an_error_record", test_drape_fails_without_an_error_record},
    {"test_anchors_out_of_reach_are_told", test_anchors_out_of_reach_are_told},
    {"test_anchor_inside_an_obstacle_is_told", test_anchor_inside_an_obstacle_is_told},
    {"test_anchors_in_each_others_way_are_told", test_anchors_in_each_others_way_are_told},
    {"test_piece_that_falls_past_all_obstacles_is_told",
     test_piece_that_falls_past_all_obstacles_is_told},
    {"test_sheet_that_slides_off_a_ball_is_told", test_sheet_that_slides_off_a_ball_is_told},
    {"down may have any length", test_down_may_have_any_length},
    {"reasons hold wherever it stops", test_reasons_hold_wherever_it_stops},
    {"test_a_sheet_that_slides_without_end_is_not_at_rest",
     test_a_sheet_that_slides_without_end_is_not_at_rest},
    {"test_friction_holds_a_sheet_on_a_slope", test_friction_holds_a_sheet_on_a_slope},
    {"test_drape_ends_at_its_limit", test_drape_ends_at_its_limit},
    {"test_drape_reports_what_its_shape_is", test_drape_reports_what_its_shape_is},
    {"test_drape_is_the_same_each_time", test_drape_is_the_same_each_time},
    {"test_conjugate_gradients_lead_to_the_same_rest",
     test_conjugate_gradients_lead_to_the_same_rest},
    {"test_drape_does_not_depend_on_the_unit_of_length",
     test_drape_does_not_depend_on_the_unit_of_length},
    {"test_drape_turns_with_gravity", test_drape_turns_with_gravity},
    {"test_sheet_with_a_hole_comes_to_rest", test_sheet_with_a_hole_comes_to_rest},
    {"test_two_pieces_come_to_rest", test_two_pieces_come_to_rest},
    {"test_closed_skirt_comes_to_rest", test_closed_skirt_comes_to_rest},
    {"test_closed_tube_hangs_straight", test_closed_tube_hangs_straight},
    {"test_irregular_mesh_comes_to_rest", test_irregular_mesh_comes_to_rest},
    {"test_sheet_on_a_floor_lies_down", test_sheet_on_a_floor_lies_down},
    {"test_sheet_that_may_cross_itself_comes_to_rest",
     test_sheet_that_may_cross_itself_comes_to_rest},
    {"test_anchors_alone_lead_to_rest", test_anchors_alone_lead_to_rest},
    {"test_a_drape_begins_in_the_stage_that_it_needs",
     test_a_drape_begins_in_the_stage_that_it_needs},
    {"test_sheet_on_a_rough_ball_stays_there", test_sheet_on_a_rough_ball_stays_there},
    {"test_drape_hands_over_to_a_world", test_drape_hands_over_to_a_world},
    {"test_one_drape_iteration_too_few_is_told", test_one_drape_iteration_too_few_is_told},
    {"test_drape_with_too_few_pairs_can_go_on", test_drape_with_too_few_pairs_can_go_on},
    {"test_drape_contacts_without_room_are_certified",
     test_drape_contacts_without_room_are_certified},
};
