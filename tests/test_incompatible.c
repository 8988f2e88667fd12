/* Constraints that cannot all be met: a step is refused with its reason and changes nothing, or its
   answer is within the stated tolerance; and the world goes on as soon as they can be met again. */

/* A step that is done and finite, or refused and without a trace. */
static dc_status incompatible_step(fixture *f, double dt)
{
    uint64_t hash = dc_world_hash(f->world);
    dc_real time = dc_world_time(f->world);
    dc_status status = fixture_step(f, dt);
    dc_measures m = dc_cloth_measure(f->world, 0);
    if (status == DC_OK) {
        CHECK(dci_is_finite(m.kinetic + m.bending + m.jump + m.strain_max));
        CHECK_AT_MOST(f->report.constraint_error, f->cloth.tolerance);
        return status;
    }
    CHECK(status == DC_NOT_CONVERGED && f->error.status == status);
    CHECK(f->error.what && f->error.what[0] && f->error.where);
    CHECK(dci_is_finite(f->error.value) && f->error.value > 0);
    CHECK(dc_world_hash(f->world) == hash && dc_world_time(f->world) == time);
    return status;
}

/* ---- Pulled apart beyond its length ---- */

/* Pins of a sheet of 6 x 6 cells: all of its left border, then of its right one. */
enum { PULLED_CELLS = 6, PULLED_PINS = 2 * (PULLED_CELLS + 1) };

/* Sags between its borders. */
static fixture pulled_sheet(dc_element element, dc_index *pins)
{
    const double pi = acos(-1.0), cell = 1.0 / PULLED_CELLS;
    fixture f = fixture_begin();
    dc_index v, line = PULLED_CELLS + 1, i;
    double angle = 0.8 * pi / 3 / PULLED_CELLS, radius; /* an arc of 48 degrees: chord .97 */
    fixture_grid(&f, PULLED_CELLS, PULLED_CELLS);
    radius = cell / (2 * sin(angle / 2));
    for (v = 0; v < f.cloth.mesh.vertex_count; v++) {
        double at = angle * (floor((double)f.positions[v].x / cell + 0.5) - PULLED_CELLS / 2.0);
        f.positions[v] =
            dci_vec((dc_real)(radius * sin(at)), (dc_real)(-radius * cos(at)), -f.positions[v].y);
    }
    for (i = 0; i < line; i++) {
        pins[i] = i * line;
        pins[line + i] = i * line + PULLED_CELLS;
    }
    f.cloth.pin_vertices = pins;
    f.cloth.pin_count = PULLED_PINS;
    f.cloth.element = element;
    f.desc.collides = 1;
    f.desc.solver.halvings_max =
        2; /* a step is refused after all of them have been tried: a second */
    return f;
}

enum { PULL_STEPS = 6 };
static const double PULL_WAY = 0.01; /* [m] in each                                             */

/* Leads the right border's pins to a distance from the left one's. */
static void reaction(fixture *f, const dc_vec3 *from, double way)
{
    dc_index i;
    for (i = PULLED_PINS / 2; i < PULLED_PINS; i++) {
        dc_vec3 target = from[i];
        target.x += (dc_real)way;
        CHECK(dc_cloth_set_pin(f->world, 0, i, target, &f->error) == DC_OK);
    }
}

/* Pins go apart step by step, beyond the sheet's length; then they come back. */
static void pull_apart(dc_element element)
{
    dc_index pins[PULLED_PINS];
    dc_vec3 from[PULLED_PINS];
    fixture f = pulled_sheet(element, pins);
    double way = 0, reached = 0, chord;
    int i, refused = 0;
    CHECK(fixture_open(&f) == DC_OK);
    for (i = 0; i < PULLED_PINS; i++) from[i] = dc_body_positions(f.world, 0)[pins[i]];
    chord = (double)(from[PULLED_PINS / 2].x - from[0].x);
    for (i = 0; i < PULL_STEPS; i++) {
        way += PULL_WAY;
        reaction(&f, from, way);
        if (incompatible_step(&f, 0.005) == DC_OK)
            reached = way;
        else
            refused++;
    }
    /* no further than the length and what the tolerance leaves of it; pins hold to the tolerance of
       half an edge, at both ends */
    CHECK_AT_MOST(chord + reached, 1 + (1 + 1.0 / PULLED_CELLS) * (double)f.cloth.tolerance);
    CHECK(refused >= PULL_STEPS - (int)((1 - chord) / PULL_WAY) && refused < PULL_STEPS);
    reaction(&f, from, 0);
    for (i = 0; i < 5; i++) CHECK(incompatible_step(&f, 0.005) == DC_OK);
    fixture_close(&f);
}

static void test_sheets_pulled_beyond_their_length_are_refused_and_go_on(void)
{
    int element;
    for (element = 0; element < 2; element++) pull_apart(cloth_elements[element]);
}

/* ---- Between walls that close ---- */

/* A sheet that lies on a floor; a ceiling comes down a millimetre a step until .5 mm are left, and
   then through the floor, and waits there; then it goes up again. One corner may be held in
   between. */
static void close_walls(dc_element element, dc_index pin_count)
{
    static const dc_index pin = 0;
    const double gap = 0.02, step = 0.001;
    dc_obstacle_desc wall[2];
    dc_vec3 up[3], none = dci_vec(0, 0, 0), told[3];
    fixture f = fixture_begin();
    dc_index v;
    int i, k, refused = 0;
    double height;
    fixture_grid(&f, 4, 4);
    for (v = 0; v < f.cloth.mesh.vertex_count; v++)
        f.positions[v] = dci_vec(f.positions[v].x, DCI_R(0.002), -f.positions[v].y);
    f.cloth.pin_vertices = &pin;
    f.cloth.pin_count = pin_count;
    f.cloth.element = element;
    memset(wall, 0, sizeof wall);
    for (i = 0; i < 2; i++) {
        wall[i].kind = DC_OBSTACLE_PLANE;
        wall[i].point[0].y = (dc_real)(i * gap);
        wall[i].point[1].y = (dc_real)(i * gap + (i ? -1 : 1));
    }
    f.desc.collides = 1;
    f.desc.obstacles = wall;
    f.desc.obstacle_count = 2;
    CHECK(fixture_open(&f) == DC_OK);
    for (k = 0; k < 3; k++) up[k] = dc_body_positions(f.world, f.world->moving_count + 1)[k];
    for (i = 0; i < 25; i++) {
        height = gap - (i + 1) * step;
        for (k = 0; k < 3; k++) {
            told[k] = up[k];
            told[k].y = (dc_real)height;
        }
        CHECK(dc_obstacle_move(f.world, f.world->moving_count + 1, told, none, &f.error) == DC_OK);
        if (incompatible_step(&f, 0.002) == DC_OK) {
            CHECK(f.report.is_certified && height > 0);
            continue;
        }
        refused++;
        CHECK(f.report.unresolved > 0 && f.error.pair.first.body == 0);
        CHECK(f.error.pair.second.body == 1 || f.error.pair.second.body == 2);
    }
    CHECK(refused >= 6); /* from a height of 0 down to -5 mm */
    CHECK(dc_obstacle_move(f.world, f.world->moving_count + 1, up, none, &f.error) == DC_OK);
    for (i = 0; i < 10; i++) CHECK(incompatible_step(&f, 0.002) == DC_OK);
    CHECK(f.report.is_certified);
    fixture_close(&f);
}

static void test_sheets_between_closing_walls_are_refused_and_go_on(void)
{
    int element;
    dc_index pins;
    for (element = 0; element < 2; element++)
        for (pins = 0; pins < 2; pins++) close_walls(cloth_elements[element], pins);
}

static const test_case tests_incompatible[] = {
    {"sheets pulled beyond their length are refused and go on",
     test_sheets_pulled_beyond_their_length_are_refused_and_go_on},
    {"sheets between closing walls are refused and go on",
     test_sheets_between_closing_walls_are_refused_and_go_on},
};
