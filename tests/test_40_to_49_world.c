/* Chapters 40 to 48: bodies, shortest paths, planning, memory, pins and clamps, the world. */

/* ---- What planning refuses ---- */

static void test_planning_names_the_wrong_field(void)
{
    volatile dc_real zero = 0;
    const dc_real nan = zero / zero;
    fixture f = fixture_begin();
    dc_cloth_desc good;
    fixture_grid(&f, 3, 3);
    good = f.cloth;
#define REFUSES(change, field)                                                                     \
    f.cloth = good;                                                                                \
    f.cloth.change;                                                                                \
    CHECK(fixture_open(&f) == DC_BAD_ARGUMENT);                                                    \
    CHECK(test_error_names(&f.error, field) && f.error.body == 0)
    REFUSES(element = (dc_element)7, "element");
    REFUSES(integrator = (dc_integrator)2, "integrator");
    REFUSES(solver.linear_solver = (dc_linear_solver)5, "solver.linear_solver");
    REFUSES(density = 0, "density");
    REFUSES(density = nan, "density");
    REFUSES(bending = -1, "bending");
    REFUSES(bending_damping = nan, "bending_damping");
    REFUSES(jump_gamma = -1, "jump_gamma");
    REFUSES(jump_beta = nan, "jump_beta");
    REFUSES(jump_acceleration = -1, "jump_acceleration");
    REFUSES(jump_damping = -1, "jump_damping");
    REFUSES(start_lengths = -1, "start_lengths");
    REFUSES(drag_normal = -1, "drag_normal");
    REFUSES(drag_tangential = nan, "drag_tangential");
    REFUSES(tolerance = 0, "tolerance");
    REFUSES(solver.residual_tol = 0, "solver.residual_tol");
    REFUSES(solver.cg_tol = 1, "solver.cg_tol");
    REFUSES(solver.iteration_max = 0, "solver.iteration_max");
    REFUSES(solver.halvings_max = 11, "solver.halvings_max");
    REFUSES(solver.halvings_max = -1, "solver.halvings_max");
    REFUSES(pin_count = -1, "pin_count");
    REFUSES(pin_count = 2, "pin_vertices");
    REFUSES(clamp_count = -1, "clamp_count");
    REFUSES(clamp_count = 1, "clamps");
    REFUSES(mesh.vertex_count = 0, "vertices");
    REFUSES(mesh.triangle_count = 0, "triangles");
#undef REFUSES
    f.cloth = good;
    fixture_close(&f);
}

static void test_planning_names_the_wrong_element(void)
{
    volatile dc_real zero = 0;
    fixture f = fixture_begin();
    dc_index pins[2] = {0, 16};
    dc_clamp_desc clamps[2] = {{0, 1}, {1, 0}};
    dc_vec3 start[16];
    dc_index v;
    fixture_grid(&f, 3, 3);
    f.cloth.pin_vertices = pins;
    f.cloth.pin_count = 2;
    CHECK(fixture_open(&f) == DC_BAD_ARGUMENT && f.error.index == 1 && f.error.value == 16);
    pins[1] = -1;
    CHECK(fixture_open(&f) == DC_BAD_ARGUMENT && f.error.index == 1 && f.error.value == -1);
    pins[1] = 0;
    CHECK(fixture_open(&f) == DC_BAD_ARGUMENT && f.error.index == 1 &&
          strstr(f.error.what, "another"));
    f.cloth.pin_count = 0;
    f.cloth.clamps = clamps;
    f.cloth.clamp_count = 2;
    CHECK(fixture_open(&f) == DC_BAD_ARGUMENT && strstr(f.error.what, "another"));
    clamps[1].vertex0 = 5, clamps[1].vertex1 = 6;
    CHECK(fixture_open(&f) == DC_BAD_ARGUMENT && f.error.index == 1 &&
          strstr(f.error.what, "inside"));
    clamps[1].vertex0 = 0, clamps[1].vertex1 = 9;
    CHECK(fixture_open(&f) == DC_BAD_ARGUMENT && f.error.index == 1 &&
          strstr(f.error.what, "not joined"));
    clamps[1].vertex0 = -3;
    CHECK(fixture_open(&f) == DC_BAD_ARGUMENT && f.error.index == 1 &&
          strstr(f.error.what, "not exist"));
    f.cloth.clamp_count = 0;
    for (v = 0; v < 16; v++) start[v] = f.positions[v];
    start[9].z = zero / zero;
    f.cloth.start_positions = start;
    CHECK(fixture_open(&f) == DC_NOT_FINITE && f.error.index == 9);
    f.cloth.start_positions = NULL;
    f.cloth.start_velocities = start;
    CHECK(fixture_open(&f) == DC_NOT_FINITE && f.error.index == 9);
    f.cloth.start_velocities = NULL;
    f.cloth.rest_positions = start;
    CHECK(fixture_open(&f) == DC_NOT_FINITE && f.error.index == 9 &&
          strstr(f.error.what, "rest position"));
    f.cloth.rest_positions = NULL;
    f.positions[3].x = 1 / zero;
    CHECK(fixture_open(&f) == DC_NOT_FINITE && f.error.index == 3);
    f.positions[3] = f.positions[2];
    CHECK(fixture_open(&f) == DC_BAD_MESH && f.error.body == 0);
    f.positions[3] = dci_vec(1, 0, 0);
    f.desc.gravity.x = zero / zero;
    CHECK(fixture_open(&f) == DC_NOT_FINITE && strstr(f.error.what, "gravity"));
    f.desc.gravity.x = 0;
    f.desc.wind.z = 1 / zero;
    CHECK(fixture_open(&f) == DC_NOT_FINITE && strstr(f.error.what, "wind"));
    f.desc.wind.z = 0;
    f.desc.cloth_count = 0;
    CHECK(dc_world_init(&f.desc, f.memory, 100, &f.world, &f.info, &f.error) == DC_BAD_ARGUMENT);
    fixture_close(&f);
}

/* ---- Memory ---- */

/* Cloths of every kind that planning must measure exactly. */
static fixture cloth_of_kind(int kind)
{
    static const dc_index pins[2] = {0, 5};
    static const dc_clamp_desc clamp = {1, 2};
    fixture f = fixture_begin();
    fixture_grid(&f, 4, 3);
    f.cloth.element = (dc_element)(kind % 2);
    f.cloth.solver.linear_solver = (dc_linear_solver)(kind / 2 % 2);
    f.desc.collides = kind / 4 % 2;
    f.cloth.pin_vertices = pins;
    f.cloth.pin_count = kind / 8;
    f.cloth.clamps = &clamp;
    f.cloth.clamp_count = kind % 5 == 0;
    return f;
}

static void test_planned_memory_is_used_exactly_and_less_is_refused(void)
{
    int kind;
    for (kind = 0; kind < 24; kind++) {
        fixture f = cloth_of_kind(kind);
        size_t bytes, refused = 0, tried = 0, sum = 0, planned;
        unsigned char *block;
        dc_index i;
        CHECK(fixture_open(&f) == DC_OK);
        planned = f.info.bytes;
        for (i = 0; i < f.info.section_count; i++) sum += f.info.section[i].bytes;
        CHECK_EQUAL(sum + DCI_ALIGNMENT - 1, planned); /* the table accounts for every byte */
        block = (unsigned char *)test_alloc(planned);
        for (bytes = 0; bytes < planned;
             bytes += bytes + 40 < planned ? 1 + bytes / 50 : 1, tried++)
            refused +=
                dc_world_init(&f.desc, block, bytes, &f.world, &f.info, &f.error) == DC_TOO_SMALL &&
                f.error.needed > bytes && f.error.needed <= planned && f.error.given == bytes;
        CHECK_EQUAL(refused, tried);
        CHECK(dc_world_init(&f.desc, NULL, planned, &f.world, &f.info, &f.error) == DC_TOO_SMALL);
        CHECK(dc_world_init(&f.desc, block, planned, &f.world, &f.info, &f.error) == DC_OK);
        CHECK_EQUAL(f.info.bytes, planned);
        CHECK_EQUAL(dc_world_bytes(f.world), planned);
        CHECK(fixture_run(&f, 0.004, 0.001) == DC_OK);
        free(block);
        fixture_close(&f);
    }
}

/* Blocks that are as large as the one before needed come to the planned size after some of them. */
static void test_a_block_that_grows_by_what_is_needed_is_large_enough(void)
{
    int kind, tries;
    for (kind = 0; kind < 24; kind++) {
        fixture f = cloth_of_kind(kind);
        size_t bytes = 0;
        CHECK(fixture_open(&f) == DC_OK);
        for (tries = 0; tries < 100; tries++) {
            void *block = test_alloc(bytes);
            dc_status status = dc_world_init(&f.desc, block, bytes, &f.world, NULL, &f.error);
            free(block);
            CHECK(status == DC_OK || status == DC_TOO_SMALL);
            if (status == DC_OK) break;
            CHECK(f.error.needed > bytes);
            bytes = f.error.needed;
        }
        CHECK(tries < 40);
        CHECK_EQUAL(bytes, f.info.bytes);
        fixture_close(&f);
    }
}

static void test_wrong_bodies_are_told_before_too_little_memory(void)
{
    static unsigned char memory[4096]; /* too little for the cloth */
    fixture f = fixture_begin();
    dc_ribbon_desc ribbon = dc_ribbon_defaults();
    dc_obstacle_desc obstacle;
    memset(&obstacle, 0, sizeof obstacle);
    fixture_grid(&f, 6, 6);
    f.desc.cloths = &f.cloth;
    f.desc.ribbons = &ribbon;
    f.desc.obstacles = &obstacle;
    f.desc.cloth_count = f.desc.ribbon_count = 1;
    f.desc.collides = 1;
    CHECK(dc_world_init(&f.desc, memory, sizeof memory, &f.world, &f.info, &f.error) ==
          DC_TOO_SMALL);
    CHECK(f.error.needed > sizeof memory);
    f.desc.obstacles = NULL;
    f.desc.obstacle_count = 1;
    CHECK(dc_world_init(&f.desc, memory, sizeof memory, &f.world, &f.info, &f.error) ==
          DC_BAD_ARGUMENT);
    f.desc.obstacles = &obstacle; /* a mesh without vertices */
    CHECK(dc_world_init(&f.desc, memory, sizeof memory, &f.world, &f.info, &f.error) ==
          DC_BAD_ARGUMENT);
    CHECK(f.error.body == 2 && strstr(f.error.what, "vertices"));
    ribbon.segment_count = 1;
    CHECK(dc_world_init(&f.desc, memory, sizeof memory, &f.world, &f.info, &f.error) ==
          DC_BAD_ARGUMENT);
    CHECK(f.error.body == 1 && test_error_names(&f.error, "segment_count"));
    fixture_close(&f);
}

static void test_grid_macros_bound_what_grids_need(void)
{
    static const dc_index sizes[][3] = {
        {1, 1, 0},   {1, 1, 4},    {2, 3, 2},    {1, 40, 23},  {40, 1, 41},  {7, 7, 2},
        {15, 15, 2}, {16, 16, 17}, {21, 21, 3},  {27, 34, 0},  {32, 53, 80}, {36, 54, 42},
        {49, 49, 2}, {50, 50, 2},  {10, 150, 3}, {64, 64, 65}, {4, 150, 2}};
    dc_index pins[128], k, i;
    for (k = 0; k < (dc_index)(sizeof sizes / sizeof *sizes); k++) {
        dc_index columns = sizes[k][0], rows = sizes[k][1], count = sizes[k][2];
        size_t bound = DC_GRID_BYTES(columns, rows, count), most = 0;
        int place;
        /* Pins side by side at a border, inside; all over. Large grids with one triangulation each. */
        for (place = 0; place < 9; place += columns * rows < 1000 ? 1 : 4) {
            dc_index first = place / 3 == 1 ? (DC_GRID_VERTICES(columns, rows) - count) / 2 : 0;
            dc_index step = place < 6 || count == 0 ? 1 : DC_GRID_VERTICES(columns, rows) / count;
            shape_desc shape = shape_defaults(SHAPE_GRID);
            fixture f = fixture_begin();
            shape.columns = columns;
            shape.rows = rows;
            shape.diagonals = (dc_diagonals)(place % 3);
            fixture_shape(&f, &shape);
            CHECK(f.cloth.mesh.vertex_count == DC_GRID_VERTICES(columns, rows));
            CHECK(f.cloth.mesh.triangle_count == DC_GRID_TRIANGLES(columns, rows));
            for (i = 0; i < count; i++) pins[i] = first + i * step;
            f.cloth.pin_vertices = pins;
            f.cloth.pin_count = count;
            CHECK(fixture_open(&f) == DC_OK);
            most = f.info.bytes > most ? f.info.bytes : most;
            fixture_close(&f);
        }
        CHECK(TEST_GAPS || most <= bound);
        CHECK(TEST_GAPS || columns * rows < 16 || (double)bound <= 1.25 * (double)most);
    }
}

/* A level for each k >= 2 with side >= 2^(k/2), or side^2 >= 2^k, up to the most cells; where 2^(k/2)
   is rounded down, one level begins a vertex earlier. */
static void test_grid_levels_are_logarithms_of_the_shorter_side(void)
{
    int64_t side, power = 4;
    int levels = 0;
    for (side = 1; 2 * (side - 1) * (side - 1) <= DCI_COUNT_MAX; side++) {
        int found = DC_GRID_LEVELS(side - 1, side - 1);
        for (; side * side >= power; power *= 2) levels++;
        CHECK(found == levels || (found == levels + 1 && (side + 1) * (side + 1) > power));
        CHECK_EQUAL(DC_GRID_LEVELS(side - 1, 2 * side), found);
    }
}

/* The second of two sheets has no drag: dc_info says so as soon as there is wind. */
static void test_a_cloth_that_wind_does_not_move_is_told(void)
{
    bodies *b = bodies_begin();
    bodies_sheet(b, 2, 2, 1, 1, 0, 0, 0);
    bodies_sheet(b, 2, 2, 1, 1, 0, 1, 0);
    b->cloth[0].drag_normal = b->cloth[1].drag_normal = 0;
    b->cloth[0].drag_tangential = 1, b->cloth[1].drag_tangential = 0;
    CHECK(bodies_make(b) == DC_OK && b->info.calm_body == DC_NONE);
    b->desc.wind = dci_vec(0, 0, 3);
    CHECK(bodies_make(b) == DC_OK && b->info.calm_body == 1);
    b->cloth[1].drag_normal = 1;
    CHECK(bodies_make(b) == DC_OK && b->info.calm_body == DC_NONE);
    bodies_close(b);
}

/* Three sheets of 2 m, in metres and far away; in centimetres; in millimetres. */
static void test_a_cloth_in_centimetres_is_told_with_its_width(void)
{
    static const double unit[3] = {1, 100, 1000};
    bodies *b = bodies_begin();
    int i;
    for (i = 0; i < 3; i++) bodies_sheet(b, 2, 3, unit[i], 2 * unit[i], 70, 0, 5000 * i);
    b->desc.cloth_count = 1;
    CHECK(bodies_make(b) == DC_OK && b->info.wide_body == DC_NONE && b->info.wide_width == 0);
    b->desc.cloth_count = 3;
    CHECK(bodies_make(b) == DC_OK);
    CHECK_EQUAL(b->info.wide_body, 1);
    CHECK_NEAR(b->info.wide_width, 200, TOL(1e-9, 1e-2));
    bodies_close(b);
}

enum { UNITS_CELLS = 6, UNITS_STEPS = 40 };

/* A sheet with drag falls on a ball, hung by one corner, in wind, pulled by forces, and a ribbon hangs
   by a spring and an attached normal, where `unit` is one metre and all fields are multiplied as the
   table UNITS of the header says for 100. */
static ribbons *units_begin(dc_real unit)
{
    static const dc_index pins[1] = {0};
    ribbons *r = ribbons_begin();
    dc_attachment_desc *hold;
    dc_cloth_desc *c = &r->cloth[0];
    dc_ribbon_desc *d = &r->ribbon[0];
    dc_obstacle_desc *ball = &r->obstacle[r->desc.obstacle_count++];
    ribbons_sheet(r, UNITS_CELLS, 0.5 * unit, 0.5 * unit, 0, 0, 0);
    c->pin_vertices = pins;
    c->pin_count = 1;
    c->drag_normal = DCI_R(0.2) / unit / unit, c->drag_tangential = DCI_R(0.1) / unit / unit;
    c->density /= unit * unit, c->bending *= unit * unit;
    c->thickness *= unit, c->solver.residual_tol *= unit, c->grab_force_max *= unit;
    c->jump_acceleration *= unit;
    d->segment_count = 8;
    d->length = DCI_R(0.3) * unit, d->width = DCI_R(0.05) * unit;
    d->origin = dci_vec(unit, 0, 0), d->along = dci_vec(1, 0, 0), d->normal = dci_vec(0, 1, 0);
    d->drag = DCI_R(0.1) / unit / unit, d->density /= unit * unit, d->bending *= unit * unit;
    d->thickness *= unit, d->solver.residual_tol *= unit, d->tolerance *= unit;
    hold = ribbons_hold(r, 0, 0, 0, d->origin);
    hold->is_soft = 1, hold->stiffness = 20;
    hold = ribbons_hold(r, 0, 0, 0, dci_vec(0, 1, 0));
    hold->kind = DC_ATTACH_NORMAL;
    hold->is_soft = 1, hold->stiffness = DCI_R(1e-2) * unit * unit;
    memset(ball, 0, sizeof *ball);
    ball->kind = DC_OBSTACLE_SPHERE;
    ball->radius = DCI_R(0.15) * unit;
    ball->point[0] = dci_vec(0, DCI_R(-0.17) * unit, 0);
    ball->friction = DCI_R(0.3);
    r->desc.collides = 1;
    r->desc.gravity = dci_vec(0, DCI_R(-9.81) * unit, 0);
    r->desc.wind = dci_vec(0, 0, 2 * unit);
    return r;
}

static void units_run(ribbons *r, dc_real unit)
{
    dc_vec3 forces[DC_GRID_VERTICES(UNITS_CELLS, UNITS_CELLS)];
    dc_index v;
    int i;
    for (v = 0; v < DC_GRID_VERTICES(UNITS_CELLS, UNITS_CELLS); v++)
        forces[v] = dci_vec(DCI_R(2e-4) * (dc_real)v * unit, 0, 0);
    CHECK(ribbons_open(r) == DC_OK);
    CHECK(dc_cloth_set_forces(r->world, 0, forces, &r->error) == DC_OK);
    for (i = 0; i < UNITS_STEPS; i++)
        CHECK(dc_world_step(r->world, DCI_R(0.005), &r->report, &r->error) == DC_OK);
}

/* Whether points are the same in the unit of the second. */
static int units_agree(const dc_vec3 *x, const dc_vec3 *y, dc_index count, dc_real unit)
{
    dc_index v;
    for (v = 0; v < count; v++)
        if (!(x[v].x * unit == y[v].x && x[v].y * unit == y[v].y && x[v].z * unit == y[v].z))
            return 0;
    return 1;
}

/* With a power of two instead of 100 multiplication is exact: so the bits of the motion are the same,
   unless a constant of the library has a length in its unit. */
static void test_a_world_in_another_unit_of_length_makes_the_same_motion(void)
{
    const dc_real unit = 64;
    ribbons *a = units_begin(1), *b = units_begin(unit);
    dc_index count, v;
    double moved = 0;
    units_run(a, 1);
    units_run(b, unit);
    CHECK(a->report.counters.contact_rows > 0);
    count = a->cloth[0].mesh.vertex_count;
    CHECK(units_agree(dc_body_positions(a->world, 0), dc_body_positions(b->world, 0), count, unit));
    CHECK(
        units_agree(dc_body_velocities(a->world, 0), dc_body_velocities(b->world, 0), count, unit));
    for (v = 0; v < count; v++)
        moved =
            fmax(moved,
                 (double)dci_norm(dci_vec_sub(dc_body_positions(a->world, 0)[v], a->positions[v])));
    CHECK(moved > 0.03);
    CHECK(units_agree(dc_body_positions(a->world, a->desc.cloth_count),
                      dc_body_positions(b->world, b->desc.cloth_count),
                      dc_body_mesh(a->world, a->desc.cloth_count)->vertex_count, unit));
    CHECK(a->info.wide_body == DC_NONE && b->info.wide_body == 0);
    ribbons_close(a);
    ribbons_close(b);
}

static void test_unusual_meshes_are_told_how_much_they_need(void)
{
    enum { RIM = 200 };
    static dc_vec3 positions[RIM + 1];
    static dc_index triangles[3 * RIM];
    fixture f = fixture_begin();
    dc_index i;
    positions[RIM] = dci_vec(0, 0, 0);
    for (i = 0; i < RIM; i++) {
        dc_real a = 2 * DCI_PI * (dc_real)i / RIM;
        positions[i] = dci_vec(dc_cos(a), dc_sin(a), 0);
        shape_put_triangle(triangles, i, RIM, i, (i + 1) % RIM);
    }
    f.cloth.mesh.vertex_count = RIM + 1;
    f.cloth.mesh.triangle_count = RIM;
    f.cloth.mesh.positions = positions;
    f.cloth.mesh.triangles = triangles;
    CHECK(fixture_open(&f) == DC_OK);
    CHECK(fixture_run(&f, 0.005, 0.001) == DC_OK);
    fixture_close(&f);
}

static void test_results_do_not_depend_on_where_memory_is(void)
{
    uint64_t hash[3];
    int k;
    for (k = 0; k < 3; k++) {
        fixture f = hung_sheet(6, DC_LINEAR_CHOLESKY);
        unsigned char *block;
        CHECK(fixture_open(&f) == DC_OK);
        block = (unsigned char *)test_alloc(f.info.bytes + 16);
        memset(block, 17 * k, f.info.bytes + 16);
        CHECK(dc_world_init(&f.desc, block + 5 * k, f.info.bytes, &f.world, &f.info, &f.error) ==
              DC_OK);
        CHECK(fixture_run(&f, 0.03, 0.001) == DC_OK);
        hash[k] = dc_world_hash(f.world);
        free(block);
        fixture_close(&f);
    }
    CHECK(hash[0] == hash[1] && hash[1] == hash[2]);
}

/* ---- Meshes of every kind fall ---- */

static void run_mesh(const dc_vec3 *positions, dc_index vertex_count, const dc_index *triangles,
                     dc_index triangle_count)
{
    int element;
    for (element = 0; element < 2; element++) {
        fixture f = fixture_begin();
        dc_measures m;
        double fall = 0;
        dc_index v;
        f.cloth.mesh.vertex_count = vertex_count;
        f.cloth.mesh.triangle_count = triangle_count;
        f.cloth.mesh.positions = positions;
        f.cloth.mesh.triangles = triangles;
        f.cloth.element = cloth_elements[element];
        CHECK(fixture_open(&f) == DC_OK);
        CHECK(fixture_run(&f, 0.1, 0.002) == DC_OK);
        m = dc_cloth_measure(f.world, 0);
        fall = (double)(-m.momentum.y / m.mass); /* free fall: v = g t */
        CHECK_NEAR(fall, 0.981, TOL(1e-3, 5e-3));
        for (v = 0; v < vertex_count; v++)
            CHECK(dci_vec_is_finite(dc_body_positions(f.world, 0)[v]));
        fixture_close(&f);
    }
}

static void test_smallest_and_strangest_meshes_fall_freely(void)
{
    static const dc_vec3 p[7] = {{0, 0, 0},  {1, 0, 0},   {1, 1, 0}, {0, 1, 0},
                                 {-1, 0, 0}, {-1, -1, 0}, {5, 5, 5}};
    static const dc_index one[3] = {0, 1, 2}, two[6] = {0, 1, 2, 0, 2, 3},
                          tie[6] = {0, 1, 2, 0, 4, 5}, apart[6] = {0, 1, 2, 3, 5, 4};
    static const dc_vec3 sliver[4] = {
        {0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1 + DCI_R(1.0) / 159, 0, 0}};
    static const dc_index slivers[6] = {0, 1, 2, 2, 1, 3};
    run_mesh(p, 3, one, 1);
    run_mesh(p, 4, two, 2);
    run_mesh(p, 6, tie, 2);
    run_mesh(p, 6, apart, 2);
    run_mesh(p, 7, two, 2); /* isolated vertices 4, 5, 6 stay where they are */
    run_mesh(sliver, 4, slivers, 2);
}

static void test_isolated_vertices_stay(void)
{
    static const dc_vec3 p[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {7, 7, 7}};
    static const dc_index one[3] = {0, 1, 2};
    int element;
    for (element = DC_ELEMENT_NONCONFORMING; element <= DC_ELEMENT_ISOMETRIC; element++) {
        fixture f = fixture_begin();
        f.cloth.mesh.vertex_count = 4;
        f.cloth.mesh.triangle_count = 1;
        f.cloth.mesh.positions = p;
        f.cloth.mesh.triangles = one;
        f.cloth.element = (dc_element)element;
        CHECK(fixture_open(&f) == DC_OK);
        CHECK(fixture_run(&f, 0.01, 0.001) == DC_OK);
        CHECK(dc_body_positions(f.world, 0)[3].x == 7 && dc_body_velocities(f.world, 0)[3].y == 0);
        CHECK(dc_body_positions(f.world, 0)[0].y < 0);
        fixture_close(&f);
    }
}

static void test_closed_shapes_fall_freely(void)
{
    int kind;
    for (kind = SHAPE_DISK; kind <= SHAPE_CAPSULE; kind++) {
        shape_desc shape = shape_defaults((shape_kind)kind);
        fixture f = fixture_begin();
        dc_measures m;
        shape.columns = 12;
        shape.rows = 6;
        fixture_shape(&f, &shape);
        CHECK(fixture_open(&f) == DC_OK);
        CHECK(fixture_run(&f, 0.05, 0.001) == DC_OK);
        m = dc_cloth_measure(f.world, 0);
        CHECK_NEAR(-m.momentum.y / m.mass, 9.81 * 0.05, 1e-3);
        CHECK_AT_MOST(m.constraint_error, 1.001e-4);
        fixture_close(&f);
    }
}

/* ---- Pins ---- */

static void test_pins_hold_move_and_let_go(void)
{
    fixture f = hung_sheet(6, DC_LINEAR_CHOLESKY);
    const dc_index *pin = f.cloth.pin_vertices;
    dc_vec3 at, goal;
    double h = 1.0 / 6;
    int i;
    CHECK(fixture_open(&f) == DC_OK);
    at = dc_body_positions(f.world, 0)[pin[0]];
    CHECK(fixture_run(&f, 0.05, 0.001) == DC_OK);
    CHECK_AT_MOST(dci_norm(dci_vec_sub(dc_body_positions(f.world, 0)[pin[0]], at)), 1e-4 * h);
    goal = at;
    for (i = 0; i < 100; i++) { /* to the right at half a metre a second */
        goal.x += DCI_R(0.0005);
        CHECK(dc_cloth_set_pin(f.world, 0, 0, goal, &f.error) == DC_OK);
        CHECK(fixture_step(&f, 0.001) == DC_OK);
        CHECK_AT_MOST(dci_norm(dci_vec_sub(dc_body_positions(f.world, 0)[pin[0]], goal)), 1e-4 * h);
    }
    CHECK_NEAR(dc_body_velocities(f.world, 0)[pin[0]].x, 0.5, 0.05);
    dc_cloth_release_pin(f.world, 0, 0, NULL);
    CHECK(fixture_run(&f, 0.1, 0.001) == DC_OK);
    CHECK(dc_body_positions(f.world, 0)[pin[0]].y < goal.y - DCI_R(0.03)); /* it falls */
    at = dc_body_positions(f.world, 0)[pin[0]];
    CHECK(dc_cloth_set_pin(f.world, 0, 0, at, &f.error) == DC_OK); /* caught again where it is */
    CHECK(fixture_run(&f, 0.05, 0.001) == DC_OK);
    CHECK_AT_MOST(dci_norm(dci_vec_sub(dc_body_positions(f.world, 0)[pin[0]], at)), 1e-4 * h);
    fixture_close(&f);
}

/* A hung sheet whose other vertices were pins, too, until they were released. */
static void test_released_pins_hold_nothing(void)
{
    const dc_index cells = 10, count = (cells + 1) * (cells + 1);
    dc_vec3 *at = (dc_vec3 *)test_alloc((size_t)count * sizeof(dc_vec3));
    dc_index *pins = (dc_index *)test_alloc((size_t)count * sizeof(dc_index)), i;
    int all;
    for (all = 0; all < 2; all++) {
        fixture f = hung_sheet(cells, DC_LINEAR_CHOLESKY);
        pins[0] = f.cloth.pin_vertices[0], pins[1] = f.cloth.pin_vertices[1];
        for (i = 0, f.cloth.pin_count = 2; all && i < count; i++)
            if (i != pins[0] && i != pins[1]) pins[f.cloth.pin_count++] = i;
        f.cloth.pin_vertices = pins;
        f.cloth.drag_normal = f.cloth.drag_tangential = 1;
        CHECK(fixture_open(&f) == DC_OK);
        for (i = 2; i < f.cloth.pin_count; i++) dc_cloth_release_pin(f.world, 0, i, NULL);
        CHECK(fixture_run(&f, 0.4, 0.01) == DC_OK);
        for (i = 0; i < count; i++) {
            if (!all) at[i] = dc_body_positions(f.world, 0)[i];
            CHECK_NEAR(dci_norm(dci_vec_sub(dc_body_positions(f.world, 0)[i], at[i])), 0,
                       TOL(1e-4, 1e-2));
        }
        /* All are held again, where they are: nothing moves. */
        for (i = 0; i < count; i++) at[i] = dc_body_positions(f.world, 0)[i];
        for (i = 2; i < f.cloth.pin_count; i++)
            CHECK(dc_cloth_set_pin(f.world, 0, i, at[pins[i]], &f.error) == DC_OK);
        CHECK(fixture_step(&f, 0.01) == DC_OK);
        for (i = 0; all && i < count; i++)
            CHECK_NEAR(dci_norm(dci_vec_sub(dc_body_positions(f.world, 0)[i], at[i])), 0, 1e-4);
        fixture_close(&f);
    }
    free(at);
    free(pins);
}

static void test_taut_pins_are_noticed(void)
{
    fixture f = fixture_begin(), g = fixture_begin();
    static const dc_index corners[2] = {20, 24}, middle[3] = {20, 22, 24};
    dc_index v;
    fixture_grid(&f, 4, 4);
    fixture_grid(&g, 4, 4);
    f.cloth.pin_vertices = corners;
    f.cloth.pin_count = 2;
    CHECK(fixture_open(&f) == DC_OK);
    CHECK(f.info.taut_body == 0 && f.info.taut_pin[0] == 0 && f.info.taut_pin[1] == 1);
    f.cloth.pin_vertices = middle;
    f.cloth.pin_count = 3;
    CHECK(fixture_open(&f) == DC_OK && f.info.taut_pin[0] == 0 && f.info.taut_pin[1] == 1);
    for (v = 0; v < 25; v++) g.positions[v].x *= DCI_R(0.999), g.positions[v].z = 0;
    for (v = 0; v < 25; v++) f.positions[v].x *= 1;
    f.cloth.start_positions = g.positions; /* a thousandth of slack */
    CHECK(fixture_open(&f) == DC_OK && f.info.taut_body == DC_NONE &&
          f.info.taut_pin[0] == DC_NONE);
    f.cloth.start_positions = NULL;
    f.cloth.pin_vertices = middle + 1;
    f.cloth.pin_count = 1;
    CHECK(fixture_open(&f) == DC_OK && f.info.taut_body == DC_NONE);
    fixture_close(&f);
    fixture_close(&g);
}

/* ---- Clamps ---- */

static fixture clamped_strip(double bending)
{
    static const dc_clamp_desc clamps[2] = {{0, 9}, {18, 9}}; /* in both orders */
    fixture f = fixture_begin();
    shape_desc shape = shape_defaults(SHAPE_GRID);
    dc_index v;
    shape.columns = 8;
    shape.rows = 2;
    shape.height = DCI_R(0.25);
    fixture_shape(&f, &shape);
    for (v = 0; v < 27; v++) f.positions[v] = dci_vec(f.positions[v].x, 0, -f.positions[v].y);
    f.cloth.clamps = clamps;
    f.cloth.clamp_count = 2;
    f.cloth.bending = (dc_real)bending;
    f.cloth.bending_damping = DCI_R(0.2);
    return f;
}

static void test_clamps_hold_turn_and_let_go(void)
{
    fixture f = clamped_strip(1);
    dc_vec3 tip;
    int i;
    CHECK(fixture_open(&f) == DC_OK);
    CHECK(fixture_run(&f, 1, 0.01) == DC_OK);
    tip = dc_body_positions(f.world, 0)[17];
    CHECK_NEAR(tip.y, -0.181,
               0.02); /* small deflections: rho g L^4 / (8 k) = .184, a little less in truth */
    for (i = 1; i <= 50; i++) { /* turn the vice by 90 degrees, upwards */
        dc_real a = DCI_PI / 2 * (dc_real)i / 50;
        dc_vec3 outward = dci_vec(-dc_cos(a), -dc_sin(a), 0);
        CHECK(dc_cloth_set_clamp(f.world, 0, 0, dci_vec(0, 0, 0), dci_vec(0, 0, DCI_R(-0.125)),
                                 outward, &f.error) == DC_OK);
        CHECK(dc_cloth_set_clamp(f.world, 0, 1, dci_vec(0, 0, DCI_R(-0.25)),
                                 dci_vec(0, 0, DCI_R(-0.125)), outward, &f.error) == DC_OK);
        CHECK(fixture_step(&f, 0.01) == DC_OK);
    }
    CHECK(fixture_run(&f, 1, 0.01) == DC_OK);
    tip = dc_body_positions(f.world, 0)[17];
    CHECK(tip.y > DCI_R(0.9)); /* it stands upright: Gamma 1.5 is far below buckling at 7.84 */
    dc_cloth_release_clamp(f.world, 0, 0, NULL);
    dc_cloth_release_clamp(f.world, 0, 1, NULL);
    dc_cloth_release_clamp(f.world, 0, 1, NULL); /* twice is no error */
    CHECK(fixture_run(&f, 0.2, 0.01) == DC_OK);
    CHECK_NEAR(tip.y - dc_body_positions(f.world, 0)[17].y, 9.81 * 0.04 / 2, 0.05); /* free fall */
    fixture_close(&f);
}

static void test_released_clamps_can_be_taken_again(void)
{
    fixture f = clamped_strip(1);
    dc_vec3 before, after;
    CHECK(fixture_open(&f) == DC_OK);
    CHECK(fixture_run(&f, 1, 0.01) == DC_OK);
    before = dc_body_positions(f.world, 0)[17];
    dc_cloth_release_clamp(f.world, 0, 0, NULL);
    dc_cloth_release_clamp(f.world, 0, 1, NULL);
    CHECK(dc_cloth_set_clamp(f.world, 0, 0, dci_vec(0, 0, 0), dci_vec(0, 0, DCI_R(-0.125)),
                             dci_vec(-1, 0, 0), &f.error) == DC_OK);
    CHECK(dc_cloth_set_clamp(f.world, 0, 1, dci_vec(0, 0, DCI_R(-0.25)),
                             dci_vec(0, 0, DCI_R(-0.125)), dci_vec(-1, 0, 0), &f.error) == DC_OK);
    CHECK(fixture_run(&f, 0.5, 0.01) == DC_OK);
    after = dc_body_positions(f.world, 0)[17];
    CHECK_NEAR(after.y, before.y, 2e-3);
    fixture_close(&f);
}

static void test_clamps_refuse_nonsense(void)
{
    volatile dc_real zero = 0;
    fixture f = clamped_strip(1);
    dc_vec3 a = {0, 0, 0}, b = {0, 0, DCI_R(-0.125)}, out = {-1, 0, 0}, nan = {0, 0, 0};
    nan.y = zero / zero;
    CHECK(fixture_open(&f) == DC_OK);
    CHECK(dc_cloth_set_clamp(f.world, 0, 0, nan, b, out, &f.error) == DC_NOT_FINITE &&
          f.error.index == 0);
    CHECK(dc_cloth_set_clamp(f.world, 0, 1, a, b, nan, &f.error) == DC_NOT_FINITE &&
          f.error.index == 1);
    CHECK(dc_cloth_set_clamp(f.world, 0, 0, a, a, out, &f.error) == DC_BAD_ARGUMENT);
    CHECK(dc_cloth_set_clamp(f.world, 0, 0, a, b, b, &f.error) == DC_BAD_ARGUMENT);
    CHECK(dc_cloth_set_clamp(f.world, 0, 0, a, b, a, &f.error) == DC_BAD_ARGUMENT);
    CHECK(dc_cloth_set_clamp(f.world, 0, 0, a, b, out, &f.error) == DC_OK);
    CHECK(fixture_step(&f, 0.01) == DC_OK);
    fixture_close(&f);
}

/* ---- Measurements ---- */

static void test_measurements_of_a_flat_moving_sheet(void)
{
    fixture f = fixture_begin();
    dc_vec3 velocity[36];
    dc_measures m;
    dc_index v;
    fixture_grid(&f, 5, 5);
    for (v = 0; v < 36; v++) /* translation (1, 2, 3) and a turn about z with 4 rad/s */
        velocity[v] = dci_vec(1 - 4 * f.positions[v].y, 2 + 4 * f.positions[v].x, 3);
    f.cloth.start_velocities = velocity;
    f.cloth.density = 2;
    CHECK(fixture_open(&f) == DC_OK);
    m = dc_cloth_measure(f.world, 0);
    CHECK_NEAR(m.mass, 2, TOL(1e-13, 1e-5));
    CHECK_NEAR(m.centre.x, 0.5, TOL(1e-13, 1e-5));
    CHECK_NEAR(m.centre.y, 0.5, TOL(1e-13, 1e-5));
    CHECK_NEAR(m.momentum.x, 2 * (1 - 2), TOL(1e-12, 1e-4));
    CHECK_NEAR(m.momentum.y, 2 * (2 + 2), TOL(1e-12, 1e-4));
    CHECK_NEAR(m.momentum.z, 6, TOL(1e-12, 1e-4));
    /* rigid inertia exactly: int x^2 = 1/3 each; Lz = int x v_y - y v_x = 2 (2/2 + 4/3 - 1/2 + 4/3) */
    CHECK_NEAR(m.angular_momentum.z, 2 * (1 - 0.5 + 8.0 / 3), TOL(1e-12, 1e-4));
    /* 1/2 int (1 - 4 y)^2 + (2 + 4 x)^2 + 9 = (1 - 4 + 16/3) + (4 + 8 + 16/3) + 9, with density 2 */
    CHECK_NEAR(m.kinetic, (1 - 4 + 16.0 / 3) + (4 + 8 + 16.0 / 3) + 9, TOL(1e-11, 1e-4));
    CHECK_NEAR(m.gravity, 2 * 9.81 * 0.5, TOL(1e-12, 1e-4));
    CHECK_AT_MOST(m.strain_max, TOL(1e-13, 1e-5));
    CHECK_AT_MOST(m.angle_defect_max, TOL(1e-12, 1e-4));
    CHECK_AT_MOST(m.bending + m.jump, TOL(1e-20, 1e-6));
    CHECK_AT_MOST(m.constraint_error, TOL(1e-13, 1e-5));
    fixture_close(&f);
}

static void test_measurements_see_strain_where_it_is(void)
{
    fixture f = fixture_begin();
    dc_vec3 push[36];
    dc_measures m;
    dc_index v;
    const dc_mesh *mesh;
    fixture_grid(&f, 5, 5);
    CHECK(fixture_open(&f) == DC_OK);
    for (v = 0; v < 36; v++) push[v] = dci_vec(0, 0, 0);
    push[0] = dci_vec(DCI_R(-0.02), 0, 0); /* the corner: its lower edge gets a tenth longer */
    CHECK(dc_cloth_correct(f.world, 0, push, &f.error) == DC_OK);
    m = dc_cloth_measure(f.world, 0);
    mesh = dc_cloth_mesh(f.world, 0);
    CHECK_NEAR(m.strain_max, 0.1, TOL(1e-9, 1e-4));
    CHECK(mesh->edge_vertices[2 * m.strain_edge] <= 1 &&
          mesh->edge_vertices[2 * m.strain_edge + 1] <= 1);
    CHECK(m.strain_rms > 0 && m.strain_rms < m.strain_max);
    CHECK(m.constraint_error > DCI_R(0.01) && m.constraint_triangle <= 1);
    fixture_close(&f);
}

static void test_angle_defect_of_a_cone_is_seen(void)
{
    fixture f = fixture_begin();
    shape_desc shape = shape_defaults(SHAPE_DISK);
    dc_vec3 push[19];
    dc_measures m;
    dc_index v;
    double half, angle;
    shape.rows = 2;
    fixture_shape(&f, &shape);
    CHECK(fixture_open(&f) == DC_OK);
    for (v = 0; v < 19; v++) push[v] = dci_vec(0, 0, 0);
    push[0] = dci_vec(0, 0, DCI_R(0.05)); /* six triangles of side .25 rise to a tip */
    CHECK(dc_cloth_correct(f.world, 0, push, &f.error) == DC_OK);
    m = dc_cloth_measure(f.world, 0);
    half = asin(0.125 / sqrt(0.25 * 0.25 + 0.05 * 0.05)); /* of the angle at the tip */
    angle = 2 * acos(-1.0) - 12 * half;
    CHECK_EQUAL(m.angle_defect_vertex, 0);
    CHECK_NEAR(m.angle_defect_max, angle, TOL(1e-9, 1e-4));
    fixture_close(&f);
}

/* A measurement reads: of a sheet with a rest shape, pins and clamps no byte of the world changes. */
static void test_measuring_a_cloth_writes_nothing(void)
{
    fixture f = fixture_begin();
    dc_index pins[1] = {0};
    dc_clamp_desc clamps[1] = {{0, 1}};
    unsigned char *before;
    dc_vec3 *rest;
    dc_measures first, second;
    fixture_grid(&f, 4, 4);
    rest = fixture_rolled(&f, 0.25, 0.2);
    f.cloth.rest_positions = rest;
    f.cloth.pin_vertices = pins;
    f.cloth.pin_count = 1;
    f.cloth.clamps = clamps;
    f.cloth.clamp_count = 1;
    CHECK(fixture_open(&f) == DC_OK);
    CHECK(fixture_run(&f, 0.02, 0.002) == DC_OK);
    before = (unsigned char *)test_alloc(f.info.bytes);
    test_allow(f.memory, f.info.bytes);
    memcpy(before, f.memory, f.info.bytes);
    first = dc_cloth_measure(f.world, 0);
    CHECK(memcmp(before, f.memory, f.info.bytes) == 0);
    second = dc_cloth_measure(f.world, 0);
    CHECK(first.bending > 0 && first.bending == second.bending);
    free(before), free(rest);
    fixture_close(&f);
}

#ifdef DEVCLOTH_TEST_THREADS
typedef struct measuring {
    const dc_world *world;
    dc_measures result[8];
} measuring;

static void measure_task(void *context, dc_index i)
{
    measuring *m = (measuring *)context;
    m->result[i] = dc_cloth_measure(m->world, 0);
}

/* Several threads measure one world at the same time; the thread sanitizer watches. */
static void test_cloths_are_measured_on_threads(void)
{
    fixture f = fixture_begin();
    measuring m;
    pool threads;
    dc_vec3 *rest;
    int i;
    fixture_grid(&f, 6, 6);
    rest = fixture_rolled(&f, 1.0 / 6, 0.2);
    f.cloth.rest_positions = rest;
    CHECK(fixture_open(&f) == DC_OK && fixture_run(&f, 0.01, 0.002) == DC_OK);
    m.world = f.world;
    pool_open(&threads, 2);
    pool_run(&threads, 8, measure_task, &m);
    pool_close(&threads);
    for (i = 1; i < 8; i++)
        CHECK(m.result[i].bending == m.result[0].bending &&
              m.result[i].constraint_error == m.result[0].constraint_error);
    free(rest);
    fixture_close(&f);
}

enum { STEPPED_WORLDS = 3 };

typedef struct stepped {
    bodies *world[STEPPED_WORLDS];
    dc_status status[STEPPED_WORLDS];
} stepped;

/* All of a world's steps. The function's name is in brackets: what counts statuses is not for threads. */
static void step_task(void *context, dc_index i)
{
    stepped *s = (stepped *)context;
    bodies *b = s->world[i];
    int step;
    s->status[i] = DC_OK;
    for (step = 0; s->status[i] == DC_OK && step < 20; step++)
        s->status[i] = (dc_world_step)(b->world, DCI_R(0.005), &b->report, &b->error);
}

/* Worlds share nothing: each has the bits that it has alone; the thread sanitizer watches. */
static void test_worlds_are_stepped_on_threads(void)
{
    stepped together, alone;
    pool threads;
    int i, k;
    for (i = 0; i < STEPPED_WORLDS; i++)
        for (k = 0; k < 2; k++) {
            bodies *b = bodies_begin();
            bodies_sheet(b, 5 + i, 5, 0.3, 0.3, 0, 0.01, 0);
            bodies_obstacle(b, DC_OBSTACLE_SPHERE, dci_vec(0, DCI_R(-0.1), 0), dci_vec(0, 0, 0),
                            0.1);
            CHECK(bodies_open(b) == DC_OK);
            (k ? &alone : &together)->world[i] = b;
        }
    pool_open(&threads, 2);
    pool_run(&threads, STEPPED_WORLDS, step_task, &together);
    pool_close(&threads);
    for (i = 0; i < STEPPED_WORLDS; i++) {
        bodies *b = together.world[i];
        step_task(&alone, i);
        CHECK(together.status[i] == DC_OK && alone.status[i] == DC_OK);
        CHECK(b->report.counters.contact_rows > 0);
        CHECK(dc_world_hash(b->world) == dc_world_hash(alone.world[i]->world));
        bodies_close(b);
        bodies_close(alone.world[i]);
    }
}
#endif

/* ---- World ---- */

static void test_two_cloths_do_not_disturb_each_other(void)
{
    fixture f = hung_sheet(5, DC_LINEAR_CHOLESKY), g = hung_sheet(5, DC_LINEAR_CHOLESKY);
    fixture small = fixture_begin();
    dc_cloth_desc both[2];
    dc_world_desc desc = dc_world_defaults();
    dc_index v;
    int same = 1;
    fixture_grid(&small, 3, 2);
    both[0] = small.cloth;
    both[1] = f.cloth;
    desc.cloths = both;
    desc.cloth_count = 2;
    CHECK(make_world(&desc, &f.memory, &f.world, &f.info, &f.error) == DC_OK);
    CHECK(fixture_open(&g) == DC_OK);
    CHECK(fixture_run(&f, 0.03, 0.001) == DC_OK && fixture_run(&g, 0.03, 0.001) == DC_OK);
    for (v = 0; v < 36; v++)
        same = same && memcmp(dc_body_positions(f.world, 1) + v, dc_body_positions(g.world, 0) + v,
                              sizeof(dc_vec3)) == 0;
    CHECK(same);
    /* the second one fails: neither moves */
    {
        uint64_t hash = dc_world_hash(f.world);
        CHECK(dc_cloth_set_pin(f.world, 1, 0, dci_vec(9, 9, 9), &f.error) == DC_OK);
        CHECK(fixture_step(&f, 0.001) == DC_NOT_CONVERGED && f.error.body == 1);
        CHECK(dc_world_hash(f.world) == hash);
    }
    both[1].density = -1;
    CHECK(make_world(&desc, &f.memory, &f.world, &f.info, &f.error) == DC_BAD_ARGUMENT &&
          f.error.body == 1);
    fixture_close(&f);
    fixture_close(&g);
    fixture_close(&small);
}

/* What steers later steps is hashed: each of these changed alone makes another hash. */
static void test_hash_knows_what_steers_later_steps(void)
{
    fixture f = fixture_begin();
    dci_cloth *c;
    uint64_t start;
    fixture_grid(&f, 2, 2);
    f.desc.collides = 1;
    CHECK(fixture_open(&f) == DC_OK);
    c = fixture_cloth(&f);
    start = dc_world_hash(f.world);
    f.world->surface.may_cross ^= 1;
    CHECK(dc_world_hash(f.world) != start);
    f.world->surface.may_cross ^= 1;
    c->state.is_hit ^= 1;
    CHECK(dc_world_hash(f.world) != start);
    c->state.is_hit ^= 1;
    c->committed.last[3].y = 1;
    CHECK(dc_world_hash(f.world) != start);
    c->committed.last[3].y = 0;
    c->committed.steady[3].y = 1;
    CHECK(dc_world_hash(f.world) != start);
    c->committed.steady[3].y = 0;
    CHECK(f.world->contacts->warm_count == 0);
    memset(f.world->contacts->warm, 0, sizeof *f.world->contacts->warm);
    f.world->contacts->warm[0].corner_count = 3;
    f.world->contacts->warm_count = 1;
    CHECK(dc_world_hash(f.world) != start);
    f.world->contacts->warm_count = 0;
    CHECK(dc_world_hash(f.world) == start);
    fixture_close(&f);
}

/* The header: after an error the counts are of all that was tried. */
static void test_a_failed_step_tells_what_it_tried(void)
{
    fixture f = hung_sheet(6, DC_LINEAR_CHOLESKY);
    dc_vec3 corner;
    CHECK(fixture_open(&f) == DC_OK);
    corner = dc_body_positions(f.world, 0)[f.cloth.pin_vertices[1]];
    CHECK(dc_cloth_set_pin(f.world, 0, 1, dci_vec_add(corner, dci_vec(3, 0, 0)), &f.error) ==
          DC_OK);
    CHECK(fixture_step(&f, 0.002) == DC_NOT_CONVERGED);
    CHECK(f.report.counters.newton_iterations > 0 && f.report.counters.factorizations > 0);
    fixture_close(&f);
}

static void test_hash_tells_states_apart(void)
{
    fixture f = hung_sheet(4, DC_LINEAR_CHOLESKY);
    uint64_t start, one;
    CHECK(fixture_open(&f) == DC_OK);
    start = dc_world_hash(f.world);
    CHECK(start == dc_world_hash(f.world));
    CHECK(fixture_step(&f, 0.001) == DC_OK);
    one = dc_world_hash(f.world);
    CHECK(one != start);
    CHECK(fixture_step(&f, 0.001) == DC_OK);
    CHECK(dc_world_hash(f.world) != one);
    fixture_close(&f);
}

/* A world that has failed a step goes on like its twin that has not: same bits, same measurements. */
static void test_failed_steps_leave_no_trace(void)
{
    int solver;
    for (solver = DC_LINEAR_CHOLESKY; solver <= DC_LINEAR_CG; solver++) {
        fixture f = hung_sheet(5, (dc_linear_solver)solver);
        fixture twin = hung_sheet(5, (dc_linear_solver)solver);
        dc_vec3 place, far = dci_vec(DCI_R(1e6), 0, 0);
        CHECK(fixture_open(&f) == DC_OK && fixture_open(&twin) == DC_OK);
        CHECK(fixture_step(&f, 0.001) == DC_OK && fixture_step(&twin, 0.001) == DC_OK);
        place = dc_body_positions(f.world, 0)[f.cloth.pin_vertices[0]];
        CHECK(dc_cloth_set_pin(f.world, 0, 0, far, &f.error) == DC_OK);
        CHECK(fixture_step(&f, 0.001) != DC_OK);
        CHECK(dc_cloth_set_pin(f.world, 0, 0, place, &f.error) == DC_OK);
        CHECK(dc_cloth_set_pin(twin.world, 0, 0, place, &f.error) == DC_OK);
        CHECK(fixture_step(&f, 0.001) == DC_OK && fixture_step(&twin, 0.001) == DC_OK);
        CHECK(dc_world_hash(f.world) == dc_world_hash(twin.world));
        fixture_close(&f);
        fixture_close(&twin);
    }
}

static void test_failed_steps_leave_the_measurements(void)
{
    fixture f = clamped_strip(1);
    dc_measures before, after;
    CHECK(fixture_open(&f) == DC_OK);
    CHECK(fixture_run(&f, 0.1, 0.01) == DC_OK);
    before = dc_cloth_measure(f.world, 0);
    CHECK(dc_cloth_set_clamp(f.world, 0, 0, dci_vec(0, DCI_R(1e6), 0),
                             dci_vec(0, DCI_R(1e6), DCI_R(-0.125)), dci_vec(-1, -1, 0),
                             &f.error) == DC_OK);
    CHECK(fixture_step(&f, 0.01) != DC_OK);
    after = dc_cloth_measure(f.world, 0);
    CHECK(before.bending > 0 && before.bending == after.bending && before.jump == after.jump);
    fixture_close(&f);
}

static void test_counts_beyond_all_memory_are_refused(void)
{
    fixture f = fixture_begin();
    unsigned char little[64];
    fixture_grid(&f, 2, 2);
    f.desc.cloths = &f.cloth;
    f.desc.cloth_count = 1;
    CHECK(dc_cholesky_scratch_bytes(INT32_MAX, 10) == 0);
    f.cloth.clamp_count = INT32_MAX;
    CHECK(dc_world_init(&f.desc, little, sizeof little, &f.world, &f.info, &f.error) ==
          DC_BAD_ARGUMENT);
    f.cloth.clamp_count = 0;
    f.cloth.pin_count = INT32_MAX;
    /* a wrong description is told before a lack of memory */
    CHECK(dc_world_init(&f.desc, little, sizeof little, &f.world, &f.info, &f.error) ==
          DC_BAD_ARGUMENT);
    CHECK(f.error.body == 0);
    f.cloth.pin_count = 0;
    f.cloth.mesh.vertex_count = -1;
    CHECK(dc_world_init(&f.desc, little, sizeof little, &f.world, &f.info, &f.error) ==
          DC_BAD_ARGUMENT);
    f.cloth.mesh.vertex_count = 9;
    CHECK(dc_world_init(&f.desc, little, sizeof little, &f.world, &f.info, &f.error) ==
          DC_TOO_SMALL);
    fixture_close(&f);
}

/* After a very short step even a moderate displacement is a velocity without bounds. */
static void test_corrections_keep_the_velocity_finite(void)
{
    fixture f = hung_sheet(3, DC_LINEAR_CHOLESKY);
    dc_vec3 change[16];
    uint64_t hash;
    int v;
    double size = TOL(1e150, 1e18), dt = TOL(1e-170, 1e-25);
    CHECK(fixture_open(&f) == DC_OK);
    CHECK(fixture_step(&f, 0.001) == DC_OK);
    fixture_cloth(&f)->state.dt_prev = (dc_real)dt;
    hash = dc_world_hash(f.world);
    for (v = 0; v < 16; v++) change[v] = dci_vec((dc_real)size, 0, 0);
    CHECK(dc_cloth_correct(f.world, 0, change, &f.error) == DC_NOT_FINITE);
    CHECK(dc_world_hash(f.world) == hash);
    fixture_close(&f);
}

/* Moved by 1 in a step of 1 whose last sub-step was a quarter: the history is that of speed 1. After
   a step that was taken whole x_{n-1} stays. */
static void test_displacement_after_substeps_keeps_its_speed(void)
{
    static const double dt_prev[2] = {0.25, 1}, expected[2] = {0.75, 0}; /* (20.7) */
    int i;
    for (i = 0; i < 2; i++) {
        dc_vec3 change = dci_vec(0, 1, 0), x = dci_vec(0, 0, 0), v = x, x_prev = x, v_prev = x;
        dci_state state;
        memset(&state, 0, sizeof state);
        state.x = &x, state.v = &v, state.x_prev = &x_prev, state.v_prev = &v_prev;
        state.dt_prev = (dc_real)dt_prev[i];
        dci_state_displace(&state, &change, 1, 1);
        CHECK(x.y == 1 && v.y == 1 && v_prev.y == 1);
        CHECK((double)x_prev.y == expected[i]);
    }
}

/* ---- Rest curvature ---- */

/* The fastest particle. [m/s] */
static double fastest(const fixture *f)
{
    const dci_cloth *c = fixture_cloth(f);
    double most = 0;
    dc_index k;
    for (k = 0; k < c->element.particle_count; k++)
        most = fmax(most, (double)dci_norm(c->state.v[k]));
    return most;
}

static fixture curved_sphere(dc_element element)
{
    shape_desc shape = shape_defaults(SHAPE_SPHERE);
    fixture f = fixture_begin();
    shape.columns = 16;
    shape.rows = 10;
    shape.radius = DCI_R(0.1);
    fixture_shape(&f, &shape);
    f.cloth.element = element;
    f.cloth.bending = DCI_R(1e-3);
    f.cloth.rest_positions = f.positions;
    f.desc.gravity = dci_vec(0, 0, 0);
    return f;
}

/* Rounding of R x, eps |x| / h^2 with h = .01 m at the poles, times s R / m is an acceleration of
   some 1e4 eps / h^4 k / density: 1e-10 m/s^2, and thousands of m/s^2 without rest curvature.
   Damped by the time step, .01 s, it adds up to less than 1e-11 m/s. */
static void test_sphere_of_its_own_rest_shape_stays_still(void)
{
    int kind;
    for (kind = 0; kind < 4; kind++) {
        fixture f = curved_sphere(cloth_elements[kind % 2]);
        f.cloth.solver.linear_solver = (dc_linear_solver)(kind / 2);
        CHECK(fixture_open(&f) == DC_OK);
        CHECK(fixture_run(&f, 0.5, 0.01) == DC_OK);
        CHECK_AT_MOST(fastest(&f), TOL(1e-11, 1e-2));
        CHECK_AT_MOST(dc_cloth_measure(f.world, 0).bending, TOL(1e-20, 1e-6));
        fixture_close(&f);
    }
}

/* Half a cylinder, bent half as much again and let go: with damping it comes to rest as half a
   cylinder, wherever that is; all distances between nodes are those of the rest shape. */
static void test_strip_bent_further_comes_back(void)
{
    int element;
    for (element = 0; element < 2; element++) {
        fixture f = rolled_strip(cloth_elements[element]);
        dc_vec3 *rest = fixture_rolled(&f, rolled_cell, rolled_angle),
                *start = fixture_rolled(&f, rolled_cell, 1.5 * rolled_angle);
        const dci_cloth *c;
        double worst = 0, before;
        dc_index k;
        f.cloth.rest_positions = rest;
        f.cloth.start_positions = start;
        f.cloth.bending_damping = DCI_R(0.05);
        CHECK(fixture_open(&f) == DC_OK);
        c = fixture_cloth(&f);
        before = (double)dc_cloth_measure(f.world, 0).bending;
        CHECK(fixture_run(&f, 1.5, 0.005) == DC_OK);
        CHECK_AT_MOST((double)dc_cloth_measure(f.world, 0).bending / before, 1e-3);
        for (k = 1; k < c->element.node_count; k++) {
            dc_real now = dci_norm(dci_vec_sub(c->state.x[k], c->state.x[0]));
            dc_real then = dci_norm(dci_vec_sub(c->rest.x[k], c->rest.x[0]));
            worst = fmax(worst, fabs((double)(now - then)));
        }
        CHECK_AT_MOST(worst, 0.01 * ROLLED_COLUMNS * rolled_cell);
        free(rest), free(start);
        fixture_close(&f);
    }
}

/* Clamps the edges at x = 0 of a rolled strip. */
static void clamp_rolled_strip(fixture *f, dc_clamp_desc clamps[ROLLED_ROWS])
{
    dc_index i;
    for (i = 0; i < ROLLED_ROWS; i++) {
        clamps[i].vertex0 = i * (ROLLED_COLUMNS + 1);
        clamps[i].vertex1 = (i + 1) * (ROLLED_COLUMNS + 1);
    }
    f->cloth.clamps = clamps;
    f->cloth.clamp_count = ROLLED_ROWS;
}

/* A clamped rest shape has nothing to do, neither when it is let go nor when it is taken again. */
static void test_clamped_rest_shape_stays_still(void)
{
    int element, turn;
    for (element = 0; element < 2; element++) {
        fixture f = rolled_strip(cloth_elements[element]);
        dc_clamp_desc clamps[ROLLED_ROWS];
        dc_vec3 *rest = fixture_rolled(&f, rolled_cell, rolled_angle);
        f.cloth.rest_positions = f.cloth.start_positions = rest;
        clamp_rolled_strip(&f, clamps);
        CHECK(fixture_open(&f) == DC_OK);
        for (turn = 0; turn < 2; turn++) {
            CHECK(fixture_run(&f, 0.1, 0.01) == DC_OK);
            CHECK_AT_MOST(fastest(&f), TOL(1e-10, 1e-2));
            dc_cloth_release_clamp(f.world, 0, 1, NULL);
        }
        free(rest);
        fixture_close(&f);
    }
}

/* A clamped curved strip swings under gravity; the same, turned and moved with its gravity, and
   with its rest shape turned and moved otherwise, does the same but for rounding: 1e5 times that of
   its size, .5 m, which is what a hundred products with the inverse of an ill-conditioned S may
   come to. A step stops within its tolerances, so where it ends must not show: they are small here. */
static void test_curved_strip_swings_the_same_wherever_it_is(void)
{
    int element;
    for (element = 0; element < 2; element++) {
        fixture f = rolled_strip(cloth_elements[element]), g;
        dc_clamp_desc clamps[ROLLED_ROWS];
        dc_vec3 *rest = fixture_rolled(&f, rolled_cell, rolled_angle),
                *moved = fixture_rolled(&f, rolled_cell, rolled_angle),
                *start = fixture_rolled(&f, rolled_cell, rolled_angle);
        const dc_vec3 way = dci_vec(DCI_R(0.3), DCI_R(-0.2), DCI_R(0.1));
        double worst = 0, path = 0;
        dc_index v, count = f.cloth.mesh.vertex_count;
        for (v = 0; v < count; v++) {
            start[v] = turned_and_moved(rest[v], way);
            moved[v] = turned_and_moved(start[v], way);
        }
        f.cloth.tolerance = (dc_real)TOL(1e-10, 1e-4);
        f.cloth.solver.residual_tol = (dc_real)TOL(1e-6, 0.5);
        f.cloth.solver.cg_tol = (dc_real)TOL(1e-6, 1e-2);
        clamp_rolled_strip(&f, clamps);
        f.desc.gravity = dci_vec(0, 1, -9);
        g = f;
        f.cloth.rest_positions = f.cloth.start_positions = rest;
        g.cloth.start_positions = start;
        g.cloth.rest_positions = moved;
        g.desc.gravity = turned_and_moved(f.desc.gravity, dci_vec(0, 0, 0));
        CHECK(fixture_open(&f) == DC_OK && fixture_open(&g) == DC_OK);
        CHECK(fixture_run(&f, 0.1, 0.002) == DC_OK && fixture_run(&g, 0.1, 0.002) == DC_OK);
        for (v = 0; v < count; v++) {
            dc_vec3 a = fixture_cloth(&f)->vertex_x[v], b = fixture_cloth(&g)->vertex_x[v];
            worst = fmax(worst, (double)dci_norm(dci_vec_sub(turned_and_moved(a, way), b)));
            path = fmax(path, (double)dci_norm(dci_vec_sub(a, rest[v])));
        }
        CHECK(path > 0.01);
        CHECK_AT_MOST(worst, TOL(1e5 * 2.2e-16 * 0.5, 1e-3));
        free(rest), free(start), free(moved);
        free(g.memory);
        fixture_close(&f);
    }
}

/* Folded flat in the middle: there the normals cancel, and there is no frame until it opens. */
static void test_folded_vertices_are_bent_from_flat(void)
{
    int element;
    for (element = 0; element < 2; element++) {
        fixture f = rolled_strip(cloth_elements[element]);
        dc_vec3 *rest = fixture_rolled(&f, rolled_cell, rolled_angle),
                *start = fixture_rolled(&f, rolled_cell, rolled_angle);
        const dc_real middle = f.positions[ROLLED_COLUMNS / 2].x;
        const dci_cloth *c;
        dc_index v, row, lost = 0;
        for (v = 0; v < f.cloth.mesh.vertex_count; v++) {
            start[v] = f.positions[v];
            if (start[v].x > middle) start[v].x = 2 * middle - start[v].x;
        }
        f.cloth.rest_positions = rest;
        f.cloth.start_positions = start;
        f.cloth.bending_damping = DCI_R(0.05);
        CHECK(fixture_open(&f) == DC_OK);
        c = fixture_cloth(&f);
        CHECK(dci_is_finite(dc_cloth_measure(f.world, 0).bending));
        for (row = 0; row < c->energy.bending_count; row++)
            lost += dci_norm(c->rest.turned[row]) == 0;
        CHECK(lost >= ROLLED_ROWS);
        CHECK(fixture_run(&f, 0.5, 0.005) == DC_OK);
        CHECK(dci_is_finite(dc_cloth_measure(f.world, 0).bending));
        free(rest), free(start);
        fixture_close(&f);
    }
}

/* The arrays of a rest shape are planned, and are there only with one. */
static void test_rest_shape_takes_what_was_planned(void)
{
    int element;
    for (element = 0; element < 2; element++) {
        fixture f = curved_sphere(cloth_elements[element]);
        const dci_cloth *c;
        size_t curved, flat, nodes, rows;
        const size_t gaps = 3 * DCI_GAP; /* one of its arrays is empty */
        CHECK(fixture_open(&f) == DC_OK);
        curved = f.info.bytes;
        CHECK_EQUAL(dc_world_bytes(f.world), curved);
        CHECK(dc_world_init(&f.desc, f.memory, curved - 1, &f.world, &f.info, &f.error) ==
              DC_TOO_SMALL);
        CHECK(f.error.needed == curved);
        f.cloth.rest_positions = NULL;
        CHECK(fixture_open(&f) == DC_OK);
        c = fixture_cloth(&f);
        flat = f.info.bytes;
        nodes = (size_t)c->element.node_count * sizeof(dc_vec3);
        rows = (size_t)c->energy.bending_count * sizeof(dc_vec3);
        CHECK(!c->rest.x && !c->rest.known && !c->rest.turned);
        CHECK(curved >= flat + nodes + rows + gaps);
        CHECK(curved < flat + nodes + rows + gaps + 2 * DCI_ALIGNMENT);
        fixture_close(&f);
    }
}

/* A sheet of 1 m that is let go horizontally, pinned along a side. */
static fixture settled_sheet(dc_index *pins)
{
    fixture f = fixture_begin();
    dc_index v;
    fixture_grid(&f, 6, 6);
    for (v = 0; v < 49; v++) {
        f.positions[v].z = -f.positions[v].y;
        f.positions[v].y = 0;
    }
    for (v = 0; v < 7; v++) pins[v] = 42 + v;
    f.cloth.pin_vertices = pins;
    f.cloth.pin_count = 7;
    f.cloth.integrator = DC_INTEGRATOR_BACKWARD_EULER;
    CHECK(fixture_open(&f) == DC_OK);
    return f;
}

static void test_settling_finds_where_a_sheet_hangs(void)
{
    dc_index pins[7], steps = 0;
    fixture f = settled_sheet(pins);
    dc_measures m;
    CHECK(dc_world_settle(f.world, DCI_R(0.01), DCI_R(1e-3), 2000, &steps, &f.error) == DC_OK);
    m = dc_cloth_measure(f.world, 0);
    CHECK(steps > 0 && steps < 2000);
    CHECK_NEAR(m.centre.y, -0.5, 0.005);
    CHECK_NEAR(m.centre.z, -1, 0.02); /* straight below the pins */
    CHECK(m.kinetic == 0);
    CHECK_AT_MOST(m.constraint_error, 1e-3);
    fixture_close(&f);
}

/* A strip clamped at one end settles where the elastica does, to a twentieth of a per cent of its
   length beside the error of the mesh, h^2 / 8 for chords of a curve with curvature 2.2 at most: on
   finer meshes nearer. */
static void test_settling_ends_where_the_elastica_ends(void)
{
    static dc_clamp_desc clamps[CANTILEVER_ROWS];
    static test_mesh mesh;
    int cells;
    for (cells = 10; cells <= TOL(40, 20); cells *= 2) {
        fixture f = fixture_begin();
        cantilever c = cantilever_defaults();
        double x, drop, chord = 2.2 / 8 / cells / cells;
        dc_index steps;
        c.cells = cells;
        c.rows = cells < 40 ? 2 : 4;
        c.width = 0.1;
        c.gamma = elasticas[1].gamma;
        cantilever_mesh(&c, &mesh);
        f.cloth.mesh = test_mesh_desc(&mesh);
        f.cloth.clamps = clamps;
        f.cloth.clamp_count = cantilever_clamps(&mesh, clamps);
        f.cloth.bending = (dc_real)(0.15 * 9.81 / c.gamma);
        CHECK(fixture_open(&f) == DC_OK);
        CHECK(dc_world_settle(f.world, DCI_R(0.004), DCI_R(1e-3), 1000, &steps, &f.error) == DC_OK);
        cantilever_free_edge(&f, &mesh, &x, &drop);
        CHECK_NEAR(drop, elasticas[1].drop, chord + 5e-4);
        CHECK_NEAR(x, elasticas[1].x, chord + 5e-4);
        fixture_close(&f);
    }
}

/* A sheet that falls on a ball comes to rest there: both elements,
   both integrators. */
static void test_sheets_settle_on_a_ball(void)
{
    int kind;
    for (kind = 0; kind < 4; kind++) {
        fixture f = fixture_begin();
        dc_obstacle_desc ball;
        dc_index v, steps;
        fixture_grid(&f, 6, 6);
        for (v = 0; v < 49; v++)
            f.positions[v] =
                dci_vec(f.positions[v].x - DCI_R(0.5), DCI_R(0.31), DCI_R(0.5) - f.positions[v].y);
        memset(&ball, 0, sizeof ball);
        ball.kind = DC_OBSTACLE_SPHERE;
        ball.radius = DCI_R(0.3);
        ball.friction = DCI_R(0.5);
        f.desc.obstacles = &ball;
        f.desc.obstacle_count = 1;
        f.desc.collides = 1;
        f.cloth.friction = DCI_R(0.5);
        f.cloth.element = kind % 2 ? DC_ELEMENT_ISOMETRIC : DC_ELEMENT_NONCONFORMING;
        f.cloth.integrator = kind < 2 ? DC_INTEGRATOR_BDF2 : DC_INTEGRATOR_BACKWARD_EULER;
        CHECK(fixture_open(&f) == DC_OK);
        CHECK(dc_world_settle(f.world, DCI_R(0.005), DCI_R(1e-3), 2000, &steps, &f.error) == DC_OK);
        CHECK(dc_cloth_measure(f.world, 0).centre.y < DCI_R(0.2));
        fixture_close(&f);
    }
}

/* A sheet that lies on the ground, with contact left to the stages, does not move, and says so. */
static void test_a_sheet_at_rest_shows_no_velocity(void)
{
    int kind;
    for (kind = 0; kind < 4; kind++) {
        fixture f = fixture_begin();
        dc_obstacle_desc ground;
        const dc_vec3 *velocity;
        dc_measures m;
        double fastest = 0;
        dc_index v;
        fixture_grid(&f, 4, 4);
        for (v = 0; v < 25; v++)
            f.positions[v] = dci_vec(f.positions[v].x, DCI_R(0.0011), -f.positions[v].y);
        memset(&ground, 0, sizeof ground);
        ground.kind = DC_OBSTACLE_PLANE;
        ground.point[1].y = 1;
        ground.friction = DCI_R(0.5);
        f.desc.obstacles = &ground;
        f.desc.obstacle_count = 1;
        f.desc.collides = 1;
        f.cloth.element = kind % 2 ? DC_ELEMENT_ISOMETRIC : DC_ELEMENT_NONCONFORMING;
        f.cloth.integrator = kind < 2 ? DC_INTEGRATOR_BDF2 : DC_INTEGRATOR_BACKWARD_EULER;
        f.desc.row_capacity = 1;
        CHECK(fixture_open(&f) == DC_OK && fixture_run(&f, 0.8, 0.002) == DC_OK);
        CHECK(f.report.counters.obstacle_contacts > 0);
        velocity = dc_body_velocities(f.world, 0);
        for (v = 0; v < 25; v++) fastest = fmax(fastest, (double)dci_norm(velocity[v]));
        m = dc_cloth_measure(f.world, 0);
        /* a twentieth of what they would be with v = g dt/2 */
        CHECK_AT_MOST(fastest, 9.81e-3 / 20);
        CHECK_AT_MOST(m.kinetic, m.mass * 9.81e-3 * 9.81e-3 / 2 / 20);
        CHECK_AT_MOST(dci_norm(m.momentum), m.mass * 9.81e-3 / 20);
        fixture_close(&f);
    }
}

/* A clamp holds the midpoint of its edge; an end that swings down onto the ground is pushed up from
   it. The sheet stands on its clamped edge, which moves to the side. */
static void test_ends_of_a_clamp_give_way_to_the_ground(void)
{
    static const dc_clamp_desc clamp = {2, 3};
    int kind;
    for (kind = 0; kind < 2; kind++) {
        fixture f = fixture_begin();
        dc_obstacle_desc ground;
        dc_vec3 middle;
        int i;
        fixture_grid(&f, 4, 4);
        memset(&ground, 0, sizeof ground);
        ground.kind = DC_OBSTACLE_PLANE;
        ground.point[0].y = DCI_R(-0.0025);
        ground.point[1].y = 1;
        f.desc.obstacles = &ground;
        f.desc.obstacle_count = 1;
        f.desc.collides = 1;
        f.cloth.element = kind % 2 ? DC_ELEMENT_ISOMETRIC : DC_ELEMENT_NONCONFORMING;
        f.cloth.clamps = &clamp;
        f.cloth.clamp_count = 1;
        CHECK(fixture_open(&f) == DC_OK);
        for (i = 1; i <= 60; i++) {
            dc_real x = DCI_R(0.04) * dc_sin(2 * DCI_PI * (dc_real)i / 240);
            CHECK(dc_cloth_set_clamp(f.world, 0, 0, dci_vec(DCI_R(0.5) + x, 0, 0),
                                     dci_vec(DCI_R(0.75) + x, 0, 0), dci_vec(0, -1, 0),
                                     &f.error) == DC_OK);
            CHECK(fixture_step(&f, 1. / 240) == DC_OK);
        }
        CHECK(dc_body_positions(f.world, 0)[2].y > DCI_R(-0.0025));
        middle = dc_cloth_midpoints(f.world, 0)[fixture_cloth(&f)->clamps.edge[0]];
        CHECK_NEAR(middle.x, 0.665, 1e-6);
        CHECK_NEAR(middle.y, 0, 1e-6);
        fixture_close(&f);
    }
}

/* The row of clamps along the first border of a grid, at this height. */
static void lower_clamps(fixture *f, dc_real height)
{
    dc_index k;
    for (k = 0; k < f->cloth.clamp_count; k++) {
        dc_vec3 left = f->positions[k], right = f->positions[k + 1];
        left.y = right.y = height;
        CHECK(dc_cloth_set_clamp(f->world, 0, k, left, right, dci_vec(0, 0, 1), &f->error) ==
              DC_OK);
    }
}

/* They go down through the ground. Where the drawn edges cannot follow, the step is refused before
   the cloth is torn; clamps that stop a little under the ground are borne. */
static void test_clamps_led_into_the_ground_are_refused(void)
{
    enum { CELLS = 6 };
    int stops;
    for (stops = 0; stops < 2; stops++) {
        int i;
        dc_status status = DC_OK;
        fixture f = fixture_begin();
        dc_clamp_desc clamps[CELLS];
        dc_obstacle_desc ground;
        dc_index k;
        fixture_grid(&f, CELLS, CELLS);
        for (k = 0; k < f.cloth.mesh.vertex_count; k++)
            f.positions[k] = dci_vec(f.positions[k].x, 0, -f.positions[k].y);
        for (k = 0; k < CELLS; k++) {
            clamps[k].vertex0 = k;
            clamps[k].vertex1 = k + 1;
        }
        memset(&ground, 0, sizeof ground);
        ground.kind = DC_OBSTACLE_PLANE;
        ground.point[0].y = DCI_R(-0.02);
        ground.point[1].y = 1;
        f.desc.obstacles = &ground;
        f.desc.obstacle_count = 1;
        f.desc.collides = 1;
        f.cloth.clamps = clamps;
        f.cloth.clamp_count = CELLS;
        CHECK(fixture_open(&f) == DC_OK);
        for (i = 1; i <= 60 && status == DC_OK; i++) {
            uint64_t before = dc_world_hash(f.world);
            dc_real depth = DCI_R(0.4) * (dc_real)i / 240;
            lower_clamps(&f, stops ? -dci_min(depth, DCI_R(0.025)) : -depth);
            status = fixture_step(&f, 1. / 240);
            CHECK(status == DC_OK || dc_world_hash(f.world) == before);
            for (k = 0; k < f.cloth.mesh.vertex_count; k++)
                CHECK_AT_MOST(dci_norm(dc_body_velocities(f.world, 0)[k]), 3);
        }
        CHECK(status == (stops ? DC_OK : DC_NOT_CONVERGED));
        if (!stops) {
            CHECK(strstr(f.error.what, "clamp") != NULL && f.error.value > DCI_R(0.2));
            CHECK(f.error.body == 0 && f.error.index >= 0 && f.error.index < CELLS);
        }
        fixture_close(&f);
    }
}

static void test_settling_tells_what_it_cannot_do(void)
{
    volatile dc_real zero = 0;
    dc_index pins[7], steps = 7;
    fixture f = settled_sheet(pins);
    uint64_t before = dc_world_hash(f.world);
    dc_vec3 nowhere = {5, 0, 0};
    CHECK(dc_world_settle(f.world, 0, DCI_R(0.01), 10, &steps, &f.error) == DC_BAD_ARGUMENT);
    CHECK(strstr(f.error.what, "dt") && steps == 0);
    CHECK(dc_world_settle(f.world, DCI_R(0.01), zero / zero, 10, NULL, &f.error) ==
          DC_BAD_ARGUMENT);
    CHECK(strstr(f.error.what, "tolerance") != NULL);
    CHECK(dc_world_settle(f.world, DCI_R(0.01), DCI_R(0.01), 0, &steps, &f.error) ==
          DC_BAD_ARGUMENT);
    CHECK(strstr(f.error.what, "step_max") != NULL);
    CHECK(dc_world_hash(f.world) == before);
    CHECK(dc_world_settle(f.world, DCI_R(0.01), DCI_R(0.01), 3, &steps, &f.error) ==
          DC_NOT_CONVERGED);
    CHECK(steps == 3 && f.error.value > 0.01);
    CHECK(dc_cloth_measure(f.world, 0).kinetic == 0);
    /* a pin that is led where the cloth does not reach */
    CHECK(dc_cloth_set_pin(f.world, 0, 0, nowhere, &f.error) == DC_OK);
    before = dc_world_hash(f.world);
    CHECK(dc_world_settle(f.world, DCI_R(0.01), DCI_R(0.01), 3, &steps, &f.error) ==
          DC_NOT_CONVERGED);
    CHECK(steps == 0 && strcmp(f.error.where, "dc_world_settle") == 0);
    CHECK(dc_world_hash(f.world) == before);
    fixture_close(&f);
}

/* ---- What is refused, and where ---- */

/* Of two cloths the second is driven wrongly: each error names it. */
static void test_setters_name_the_cloth(void)
{
    volatile dc_real zero = 0;
    const dc_vec3 nan = dci_vec(zero / zero, 0, 0), x = dci_vec(1, 0, 0);
    fixture f = fixture_begin();
    dc_cloth_desc both[2];
    dc_vec3 wrong[9];
    dc_index pins[1] = {0}, v;
    dc_clamp_desc clamps[1] = {{0, 1}};
    fixture_grid(&f, 2, 2);
    both[0] = both[1] = f.cloth;
    both[1].pin_vertices = pins;
    both[1].pin_count = 1;
    both[1].clamps = clamps;
    both[1].clamp_count = 1;
    f.desc.cloths = both;
    f.desc.cloth_count = 2;
    CHECK(make_world(&f.desc, &f.memory, &f.world, &f.info, &f.error) == DC_OK);
    for (v = 0; v < 9; v++) wrong[v] = v == 4 ? nan : dci_vec(0, 0, 0);
    CHECK(dc_cloth_set_pin(f.world, 1, 0, nan, &f.error) == DC_NOT_FINITE);
    CHECK(f.error.body == 1 && f.error.index == 0);
    CHECK(dc_cloth_set_clamp(f.world, 1, 0, nan, x, x, &f.error) == DC_NOT_FINITE);
    CHECK(f.error.body == 1 && f.error.index == 0);
    CHECK(dc_cloth_set_clamp(f.world, 1, 0, x, x, x, &f.error) == DC_BAD_ARGUMENT);
    CHECK(f.error.body == 1 && f.error.index == 0);
    CHECK(dc_cloth_set_forces(f.world, 1, wrong, &f.error) == DC_NOT_FINITE);
    CHECK(f.error.body == 1 && f.error.index == 4);
    CHECK(dc_cloth_correct(f.world, 1, wrong, &f.error) == DC_NOT_FINITE);
    CHECK(f.error.body == 1 && f.error.index == 4);
    wrong[4] = dci_vec(DCI_REAL_MAX, 0, 0); /* the mean of two of them is no number */
    CHECK(dc_world_step(f.world, DCI_R(0.001), NULL, &f.error) == DC_OK);
    CHECK(dc_cloth_correct(f.world, 1, wrong, &f.error) != DC_OK);
    CHECK(f.error.body == 1);
    fixture_close(&f);
}

/* Whether the last call refused this number of a thing of the cloth, which is body 0. */
static int refuses(const dc_error *error, dc_status status, const char *field, dc_index number)
{
    return status == DC_BAD_ARGUMENT && test_error_names(error, field) && error->index == number;
}

static void test_numbers_that_are_not_there_are_refused(void)
{
    static const dc_index wrong[3] = {-1, 4, 1000000};
    static const dc_index pins[4] = {0, 1, 2, 3};
    static const dc_clamp_desc clamps[4] = {{0, 1}, {1, 2}, {6, 7}, {7, 8}};
    const dc_vec3 x = {0, 0, 0}, some[9] = {{0, 0, 0}};
    bodies *b = bodies_begin();
    dc_error *e = &b->error;
    dc_world *w;
    uint64_t hash;
    int k;
    bodies_sheet(b, 2, 2, 1, 1, 0, 0, 0);
    b->cloth[0].pin_vertices = pins;
    b->cloth[0].clamps = clamps;
    b->cloth[0].pin_count = b->cloth[0].clamp_count = 4;
    CHECK(bodies_open(b) == DC_OK);
    w = b->world;
    hash = dc_world_hash(w);
    for (k = 0; k < 3; k++) {
        dc_index n = wrong[k], v = n == 4 ? 9 : n;
        CHECK(refuses(e, dc_cloth_set_pin(w, n, 0, x, e), "body", n));
        CHECK(refuses(e, dc_cloth_set_pin(w, 0, n, x, e), "pin", n) && e->body == 0);
        CHECK(refuses(e, dc_cloth_release_pin(w, n, 0, e), "body", n));
        CHECK(refuses(e, dc_cloth_release_pin(w, 0, n, e), "pin", n));
        CHECK(refuses(e, dc_cloth_set_clamp(w, n, 0, x, x, x, e), "body", n));
        CHECK(refuses(e, dc_cloth_set_clamp(w, 0, n, x, x, x, e), "clamp", n));
        CHECK(refuses(e, dc_cloth_release_clamp(w, n, 0, e), "body", n));
        CHECK(refuses(e, dc_cloth_release_clamp(w, 0, n, e), "clamp", n));
        CHECK(refuses(e, dc_cloth_grab(w, n, 0, x, 1, e), "body", n));
        CHECK(refuses(e, dc_cloth_grab(w, 0, v, x, 1, e), "vertex", v));
        CHECK(refuses(e, dc_cloth_grab_move(w, n, 0, x, e), "body", n));
        CHECK(refuses(e, dc_cloth_grab_move(w, 0, v, x, e), "vertex", v));
        CHECK(refuses(e, dc_cloth_release(w, n, 0, e), "body", n));
        CHECK(refuses(e, dc_cloth_release(w, 0, v, e), "vertex", v));
        CHECK(refuses(e, dc_cloth_set_forces(w, n, some, e), "body", n));
        CHECK(refuses(e, dc_cloth_correct(w, n, some, e), "body", n));
        CHECK(refuses(e, dc_ribbon_set_attachment(w, n, 0, x, e), "body", n));
        CHECK(refuses(e, dc_ribbon_release_attachment(w, n, 0, e), "body", n));
        CHECK(refuses(e, dc_ribbon_relax(w, n, NULL, e), "body", n));
        CHECK(refuses(e, dc_obstacle_move(w, n, some, x, e), "body", n));
        CHECK(refuses(e, dc_body_set_active(w, n, 0, e), "body", n));
        CHECK(refuses(e, dc_body_texture_coordinates(w, n, NULL, NULL, e), "body", n));
        if (n != DC_NONE) /* the whole world */
            CHECK(refuses(e, dc_world_move(w, n, x, x, x, 0, e), "body", n));
    }
    /* A body of another kind. */
    CHECK(refuses(e, dc_ribbon_relax(w, 0, NULL, e), "body", 0));
    CHECK(refuses(e, dc_obstacle_move(w, 0, some, x, e), "body", 0));
    CHECK(dc_world_hash(w) == hash);
    bodies_close(b);
}

/* A world of an isometric sheet with an isolated vertex, and ribbons above it. */
typedef struct followed {
    fixture f;
    dc_vec3 positions[10];
    dc_ribbon_desc ribbon[2];
    dc_attachment_desc hold;
} followed;

static followed *followed_begin(void)
{
    followed *w = (followed *)test_alloc(sizeof *w);
    dc_index v;
    w->f = fixture_begin();
    fixture_grid(&w->f, 2, 2);
    for (v = 0; v < 9; v++) w->positions[v] = w->f.positions[v];
    w->positions[9] = dci_vec(3, 3, 3);
    w->f.cloth.mesh.positions = w->positions;
    w->f.cloth.mesh.vertex_count = 10;
    w->f.cloth.element = DC_ELEMENT_ISOMETRIC;
    w->ribbon[0] = w->ribbon[1] = dc_ribbon_defaults();
    w->ribbon[0].segment_count = w->ribbon[1].segment_count = 4;
    w->ribbon[0].origin = dci_vec(0, 2, 0);
    w->ribbon[1].origin = dci_vec(0, 3, 0);
    w->hold = dc_attachment_defaults();
    w->f.desc.ribbons = w->ribbon;
    w->f.desc.ribbon_count = 2;
    return w;
}

static void followed_end(followed *w)
{
    fixture_close(&w->f);
    free(w);
}

/* Each thing that ribbon 0 could be attached to, and is not there to follow. */
static void test_what_cannot_be_followed_is_named(void)
{
    static const struct {
        dc_index body, vertex;
        const char *what;
    } wrong[] = {{-2, 0, "body"},   {3, 0, "body"},    {1, 0, "ribbon"},      {2, 0, "ribbon"},
                 {0, 10, "vertex"}, {0, -1, "vertex"}, {0, 9, "no triangles"}};
    followed *w = followed_begin();
    size_t i;
    w->ribbon[0].attachments = &w->hold;
    w->ribbon[0].attachment_count = 1;
    for (i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        w->hold.body = wrong[i].body;
        w->hold.vertex = wrong[i].vertex;
        CHECK(fixture_open(&w->f) == DC_BAD_ARGUMENT);
        CHECK(strstr(w->f.error.what, wrong[i].what) && w->f.error.index == 0);
        CHECK(w->f.error.body == 1);
    }
    w->hold.body = 0;
    w->hold.vertex = 8;
    CHECK(fixture_open(&w->f) == DC_OK);
    followed_end(w);
}

/* Where a vertex of the isometric surface will be is looked up, not written anywhere. */
static void test_a_vertex_to_be_followed_is_looked_up(void)
{
    followed *w = followed_begin();
    const dci_cloth *cloth;
    unsigned char *before;
    dc_vec3 surface[10 + 16];
    dc_index v;
    CHECK(fixture_open(&w->f) == DC_OK && fixture_run(&w->f, 0.02, 0.002) == DC_OK);
    cloth = fixture_cloth(&w->f);
    CHECK_EQUAL(cloth->surface.vertex_count, 10 + 16);
    dci_cloth_place_vertices(cloth, cloth->trial.x, surface);
    before = (unsigned char *)test_alloc(w->f.info.bytes);
    test_allow(w->f.memory, w->f.info.bytes);
    memcpy(before, w->f.memory, w->f.info.bytes);
    for (v = 0; v < 9; v++) {
        dc_vec3 x = dci_cloth_next(w->f.world->member, v, 1);
        CHECK(x.x == surface[v].x && x.y == surface[v].y && x.z == surface[v].z);
    }
    CHECK(memcmp(before, w->f.memory, w->f.info.bytes) == 0);
    free(before);
    followed_end(w);
}

/* ---- Rare failures ---- */

static void test_meshes_that_are_too_large_are_refused(void)
{
    static unsigned char memory[4096];
    fixture f = fixture_begin();
    dc_obstacle_desc obstacle;
    fixture_grid(&f, 1, 1);
    f.desc.cloths = &f.cloth;
    f.desc.cloth_count = 1;
    f.cloth.mesh.triangle_count = 50000001;
    CHECK(dc_world_init(&f.desc, memory, sizeof memory, &f.world, &f.info, &f.error) ==
          DC_TOO_LARGE);
    CHECK(f.error.body == 0 && strstr(f.error.what, "50 million"));
    f.cloth.mesh.triangle_count = 2;
    memset(&obstacle, 0, sizeof obstacle);
    obstacle.mesh = f.cloth.mesh;
    obstacle.mesh.vertex_count = 50000001;
    f.desc.obstacles = &obstacle;
    f.desc.obstacle_count = 1;
    f.desc.collides = 1;
    CHECK(dc_world_init(&f.desc, memory, sizeof memory, &f.world, &f.info, &f.error) ==
          DC_TOO_LARGE);
    CHECK(f.error.body == 1 && strstr(f.error.what, "50 million"));
    CHECK(!f.world);
    fixture_close(&f);
}

/* Numbers whose squares are none. */
static void test_a_start_out_of_all_bounds_is_refused(void)
{
    int solver;
    for (solver = 0; solver < 2; solver++) {
        fixture f = fixture_begin();
        dc_vec3 start[4];
        dc_index v;
        fixture_grid(&f, 1, 1);
        for (v = 0; v < 4; v++) start[v] = dci_vec_scale((dc_real)TOL(1e200, 1e30), f.positions[v]);
        f.cloth.start_positions = start;
        f.cloth.solver.linear_solver = (dc_linear_solver)solver;
        CHECK(fixture_open(&f) == DC_NOT_FINITE);
        CHECK(f.error.body == 0 && strstr(f.error.what, "not finite") && !f.world);
        fixture_close(&f);
    }
}

/* Without gravity, in air that drags the same in all directions, a sheet ends with the wind: (22.7)
   has no other speed at which nothing pulls. Drag 1 kg/(m^2 s) on .15 kg/m^2 takes .15 s for all but
   1/e: after 3 s e^-20 is left. A wind that is refused leaves the one before. */
static void test_a_sheet_goes_with_the_wind(void)
{
    volatile dc_real zero = 0;
    const dc_vec3 wind = {1, DCI_R(-0.5), DCI_R(0.25)};
    fixture f = fixture_begin();
    dc_measures m;
    fixture_grid(&f, 2, 2);
    f.desc.gravity = dci_vec(0, 0, 0);
    f.cloth.drag_normal = f.cloth.drag_tangential = 1;
    CHECK(fixture_open(&f) == DC_OK);
    CHECK(dc_world_set_wind(f.world, wind, &f.error) == DC_OK && f.error.status == DC_OK);
    CHECK(dc_world_set_wind(f.world, dci_vec(zero / zero, 0, 0), &f.error) == DC_NOT_FINITE);
    CHECK(strstr(f.error.what, "wind") != NULL);
    CHECK(fixture_run(&f, 3, 0.02) == DC_OK);
    m = dc_cloth_measure(f.world, 0);
    CHECK_NEAR(m.momentum.x / m.mass, 1, TOL(1e-6, 1e-3));
    CHECK_NEAR(m.momentum.y / m.mass, -0.5, TOL(1e-6, 1e-3));
    CHECK_NEAR(m.momentum.z / m.mass, 0.25, TOL(1e-6, 1e-3));
    fixture_close(&f);
}

/* What a step of settling cannot do, settling tells: forces that are not finite, or too many pairs.
   From rest, a first step that fails leaves the world as it was. */
static void test_settling_fails_as_its_steps_do(void)
{
    fixture f = lying_sheet(6, 0);
    dc_obstacle_desc floor_ = obstacle_floor(-0.3 * (double)f.cloth.thickness);
    dc_index steps = 7;
    uint64_t hash;
    f.desc.obstacles = &floor_;
    f.desc.obstacle_count = 1;
    f.desc.pair_capacity = 49; /* one for each vertex and the floor */
    f.desc.solver.halvings_max = 0;
    CHECK(fixture_open(&f) == DC_OK);
    hash = dc_world_hash(f.world);
    CHECK(dc_world_set_gravity(f.world, dci_vec(DCI_R(4e5), 0, 0), &f.error) == DC_OK); /* 1.6 m */
    CHECK(dc_world_settle(f.world, DCI_R(0.002), DCI_R(0.01), 5, &steps, &f.error) == DC_TOO_SMALL);
    CHECK(strstr(f.error.what, "pair_capacity") && f.error.needed > 49 && f.error.given == 49);
    CHECK(steps == 0 && dc_world_hash(f.world) == hash);
    CHECK(dc_world_set_gravity(f.world, dci_vec(DCI_REAL_MAX / 4, 0, 0), &f.error) == DC_OK);
    CHECK(dc_world_settle(f.world, DCI_R(0.002), DCI_R(0.01), 5, &steps, &f.error) ==
          DC_NOT_FINITE);
    CHECK(steps == 0 && dc_world_hash(f.world) == hash);
    fixture_close(&f);
}

/* As many steps as were taken are enough; with one less it is not yet at rest. */
static void test_one_step_too_few_does_not_settle(void)
{
    dc_index pins[7], enough = 0, steps = 0;
    fixture f = settled_sheet(pins), g = settled_sheet(pins), h = settled_sheet(pins);
    CHECK(dc_world_settle(f.world, DCI_R(0.01), DCI_R(0.02), 2000, &enough, &f.error) == DC_OK);
    CHECK(enough > 1);
    CHECK(dc_world_settle(g.world, DCI_R(0.01), DCI_R(0.02), enough, &steps, &g.error) == DC_OK);
    CHECK(steps == enough && dc_world_hash(g.world) == dc_world_hash(f.world));
    CHECK(dc_world_settle(h.world, DCI_R(0.01), DCI_R(0.02), enough - 1, &steps, &h.error) ==
          DC_NOT_CONVERGED);
    CHECK(steps == enough - 1 && h.error.value > DCI_R(0.02));
    fixture_close(&f);
    fixture_close(&g);
    fixture_close(&h);
}

/* A tube whose pattern is smaller than its start by a tenth: of the difference of squared lengths,
   1 / .81 - 1 of the pattern's, a part q^2 (3 - 2 q) is gone at time t = q T. It begins and ends
   without a blow. A snapshot from halfway goes on alike. */
static void test_lengths_of_the_start_become_those_of_the_mesh_in_time(void)
{
    const double time = 0.5, difference = 1 / 0.81 - 1;
    fixture f[2];
    dc_vec3 *start = NULL;
    void *snapshot = NULL;
    size_t bytes = 0;
    int i, k, steps = 36, half = 18;
    for (k = 0; k < 2; k++) {
        shape_desc shape = shape_defaults(SHAPE_CYLINDER);
        static const dc_index pin = 0;
        dc_index v;
        f[k] = fixture_begin();
        shape.columns = 12;
        shape.rows = 4;
        fixture_shape(&f[k], &shape);
        if (!start)
            start = (dc_vec3 *)test_alloc((size_t)f[k].cloth.mesh.vertex_count * sizeof *start);
        for (v = 0; v < f[k].cloth.mesh.vertex_count; v++) {
            start[v] = f[k].positions[v];
            f[k].positions[v] = dci_vec_scale(DCI_R(0.9), start[v]);
        }
        f[k].cloth.start_positions = start;
        f[k].cloth.pin_vertices = &pin;
        f[k].cloth.pin_count = 1;
        f[k].cloth.start_lengths = (dc_real)time;
        CHECK(fixture_open(&f[k]) == DC_OK);
        CHECK_NEAR(dc_cloth_measure(f[k].world, 0).constraint_error, difference, 1e-4);
    }
    for (i = 1; i <= steps; i++) {
        double q = fmin(1, i / 60.0 / time), left = 1 - q * q * (3 - 2 * q);
        CHECK(fixture_step(&f[0], 1.0 / 60) == DC_OK);
        CHECK_NEAR(f[0].report.length_left, difference * left, TOL(1e-12, 1e-6));
        CHECK_NEAR(dc_cloth_measure(f[0].world, 0).constraint_error, difference * left, 2e-4);
        if (i == half) {
            bytes = dc_world_save_bytes(f[0].world);
            snapshot = test_alloc(bytes);
            CHECK(dc_world_save(f[0].world, snapshot, bytes, &f[0].error) == DC_OK);
            CHECK(dc_world_load(f[1].world, snapshot, bytes, &f[1].error) == DC_OK);
        }
        if (i > half) CHECK(fixture_step(&f[1], 1.0 / 60) == DC_OK);
    }
    CHECK(dc_world_hash(f[0].world) == dc_world_hash(f[1].world));
    free(snapshot);
    start[0] = start[1];
    CHECK(fixture_open(&f[1]) == DC_BAD_ARGUMENT && strstr(f[1].error.what, "no length"));
    free(start);
    for (k = 0; k < 2; k++) fixture_close(&f[k]);
}

static const test_case tests_world[] = {
    {"planning names the wrong field", test_planning_names_the_wrong_field},
    {"planning names the wrong element", test_planning_names_the_wrong_element},
    {"planned memory is used exactly and less is refused",
     test_planned_memory_is_used_exactly_and_less_is_refused},
    {"a block that grows by what is needed is large enough",
     test_a_block_that_grows_by_what_is_needed_is_large_enough},
    {"wrong bodies are told before too little memory",
     test_wrong_bodies_are_told_before_too_little_memory},
    {"grid levels are logarithms of the shorter side",
     test_grid_levels_are_logarithms_of_the_shorter_side},
    {"a cloth that wind does not move is told", test_a_cloth_that_wind_does_not_move_is_told},
    {"a cloth in centimetres is told with its width",
     test_a_cloth_in_centimetres_is_told_with_its_width},
    {"a world in another unit of length makes the same motion",
     test_a_world_in_another_unit_of_length_makes_the_same_motion},
    {"grid macros bound what grids need", test_grid_macros_bound_what_grids_need},
    {"unusual meshes are told how much they need", test_unusual_meshes_are_told_how_much_they_need},
    {"results do not depend on where memory is", test_results_do_not_depend_on_where_memory_is},
    {"smallest and strangest meshes fall freely", test_smallest_and_strangest_meshes_fall_freely},
    {"isolated vertices stay", test_isolated_vertices_stay},
    {"closed shapes fall freely", test_closed_shapes_fall_freely},
    {"pins hold, move and let go", test_pins_hold_move_and_let_go},
    {"released pins hold nothing", test_released_pins_hold_nothing},
    {"taut pins are noticed", test_taut_pins_are_noticed},
    {"clamps hold, turn and let go", test_clamps_hold_turn_and_let_go},
    {"released clamps can be taken again", test_released_clamps_can_be_taken_again},
    {"clamps refuse nonsense", test_clamps_refuse_nonsense},
    {"measurements of a flat moving sheet", test_measurements_of_a_flat_moving_sheet},
    {"measurements see strain where it is", test_measurements_see_strain_where_it_is},
    {"angle defect of a cone is seen", test_angle_defect_of_a_cone_is_seen},
    {"measuring a cloth writes nothing", test_measuring_a_cloth_writes_nothing},
#ifdef DEVCLOTH_TEST_THREADS
    {"cloths are measured on threads", test_cloths_are_measured_on_threads},
    {"worlds are stepped on threads", test_worlds_are_stepped_on_threads},
#endif
    {"lengths of the start become those of the mesh in time",
     test_lengths_of_the_start_become_those_of_the_mesh_in_time},
    {"numbers that are not there are refused", test_numbers_that_are_not_there_are_refused},
    {"setters name the cloth", test_setters_name_the_cloth},
    {"what cannot be followed is named", test_what_cannot_be_followed_is_named},
    {"a vertex to be followed is looked up", test_a_vertex_to_be_followed_is_looked_up},
    {"two cloths do not disturb each other", test_two_cloths_do_not_disturb_each_other},
    {"hash tells states apart", test_hash_tells_states_apart},
    {"hash knows what steers later steps", test_hash_knows_what_steers_later_steps},
    {"a failed step tells what it tried", test_a_failed_step_tells_what_it_tried},
    {"failed steps leave no trace", test_failed_steps_leave_no_trace},
    {"failed steps leave the measurements", test_failed_steps_leave_the_measurements},
    {"counts beyond all memory are refused", test_counts_beyond_all_memory_are_refused},
    {"corrections keep the velocity finite", test_corrections_keep_the_velocity_finite},
    {"displacement after sub-steps keeps its speed",
     test_displacement_after_substeps_keeps_its_speed},
    {"sphere of its own rest shape stays still", test_sphere_of_its_own_rest_shape_stays_still},
    {"strip bent further comes back", test_strip_bent_further_comes_back},
    {"clamped rest shape stays still", test_clamped_rest_shape_stays_still},
    {"curved strip swings the same wherever it is",
     test_curved_strip_swings_the_same_wherever_it_is},
    {"folded vertices are bent from flat", test_folded_vertices_are_bent_from_flat},
    {"rest shape takes what was planned", test_rest_shape_takes_what_was_planned},
    {"settling finds where a sheet hangs", test_settling_finds_where_a_sheet_hangs},
    {"settling ends where the elastica ends", test_settling_ends_where_the_elastica_ends},
    {"sheets settle on a ball", test_sheets_settle_on_a_ball},
    {"a sheet at rest shows no velocity", test_a_sheet_at_rest_shows_no_velocity},
    {"ends of a clamp give way to the ground", test_ends_of_a_clamp_give_way_to_the_ground},
    {"clamps led into the ground are refused", test_clamps_led_into_the_ground_are_refused},
    {"settling tells what it cannot do", test_settling_tells_what_it_cannot_do},
    {"meshes that are too large are refused", test_meshes_that_are_too_large_are_refused},
    {"a start out of all bounds is refused", test_a_start_out_of_all_bounds_is_refused},
    {"a sheet goes with the wind", test_a_sheet_goes_with_the_wind},
    {"settling fails as its steps do", test_settling_fails_as_its_steps_do},
    {"one step too few does not settle", test_one_step_too_few_does_not_settle},
};
