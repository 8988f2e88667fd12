/* Contact rows: the law of a row, and what it is for: rest at rest, no rebound, a stiff
   sheet that touches and keeps its lengths. Friction on inclines is tested with that of the stages. */

/* A row in which nothing is special, from random numbers. */
static dci_contact_row touch_random(uint32_t seed)
{
    dci_contact_row row;
    dc_vec3 n = dci_vec(dci_random(seed, 1), dci_random(seed, 2) + DCI_R(1.1), dci_random(seed, 3));
    memset(&row, 0, sizeof row);
    row.normal = dci_vec_scale(1 / dci_norm(n), n);
    row.friction = dci_abs(dci_random(seed, 4));
    row.compliance = DCI_R(1.5) + dci_random(seed, 5);
    row.thickness = 1;
    row.force = dci_vec_scale(3 * dci_abs(dci_random(seed, 6)), row.normal);
    row.estimate = row.force;
    row.gap = dci_vec(2 * dci_random(seed, 7), 2 * dci_random(seed, 8), 2 * dci_random(seed, 9));
    return row;
}

/* Forces push, are inside the cone, and friction is against the sliding. */
static void test_a_contact_pushes_and_its_friction_is_within_the_cone(void)
{
    uint32_t seed;
    int open = 0, sticks = 0, slides = 0;
    for (seed = 0; seed < 1000; seed++) {
        dci_contact_row row = touch_random(seed);
        dc_vec3 law = dci_contact_row_law(&row, -1), side, slid;
        dc_real pressure = dci_dot(law, row.normal);
        side = dci_vec_axpy(law, -pressure, row.normal);
        slid = dci_vec_axpy(row.gap, -dci_dot(row.gap, row.normal), row.normal);
        CHECK(pressure >= 0);
        CHECK_AT_MOST(dci_norm(side),
                      row.friction * pressure * (1 + TOL(1e-12, 1e-5)) + TOL(1e-13, 1e-5));
        CHECK_AT_MOST(dci_dot(side, slid), TOL(1e-12, 1e-5));
        open += row.k_normal == 0;
        slides += row.k_side < row.k_normal;
        sticks += row.k_normal > 0 && row.k_side == row.k_normal;
    }
    CHECK(open > 100 && sticks > 20 && slides > 100);
}

/* K is what the force loses along a small way, with the bound of friction kept; where it slides, K
   may have a part along the friction, too, which loses nothing. */
static void test_the_stiffness_of_a_contact_bounds_the_derivative_of_its_law(void)
{
    const dc_real h = TOL(DCI_R(1e-6), DCI_R(1e-3));
    uint32_t seed;
    for (seed = 0; seed < 300; seed++) {
        dci_contact_row row = touch_random(seed), moved;
        dc_real pressure = dci_dot(row.force, row.normal);
        dc_vec3 way = dci_vec(dci_random(seed, 10), dci_random(seed, 11), dci_random(seed, 12));
        dc_vec3 before, after, more, along;
        row.settled = seed % 3 == 0 ? DCI_R(1) : dci_abs(dci_random(seed, 13));
        before = dci_contact_row_law(&row, pressure);
        moved = row;
        moved.gap = dci_vec_axpy(row.gap, h, way);
        after = dci_contact_row_law(&moved, pressure);
        if ((row.k_normal > 0) != (moved.k_normal > 0)) continue;
        more = dci_vec_axpy(dci_contact_row_stiffen(&row, way), -1 / h, dci_vec_sub(before, after));
        CHECK_AT_MOST(-dci_dot(more, way), TOL(1e-4, 2e-2));
        if (row.k_side < row.k_normal) {
            along = dci_vec_axpy(before, -dci_dot(before, row.normal), row.normal);
            along = dci_vec_scale(1 / dci_norm(along), along);
            CHECK_NEAR(dci_dot(more, along), (1 - row.settled) * row.k_side * dci_dot(way, along),
                       TOL(1e-4, 2e-2));
            more = dci_vec_axpy(more, -dci_dot(more, along), along);
        }
        CHECK_AT_MOST(dci_norm(more), TOL(1e-4, 2e-2));
    }
}

/* Where all vertices of an attachment are held, its compliance is 0, by which nothing may divide: no
   flag of a division by zero, although its result would not be used. */
static void test_an_attachment_between_held_vertices_divides_by_nothing(void)
{
    dci_pull pull = {{{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}, 0, 0};
    dci_contact_row row = touch_random(3);
    dc_vec3 force;
    row.kind = DCI_ROW_TIE;
    row.own.pull = &pull;
    row.compliance = 0;
    feclearexcept(FE_DIVBYZERO);
    CHECK(dci_vec_is_finite(dci_contact_row_law(&row, -1)));
    CHECK(dci_is_finite(dci_contact_row_potential(&row, row.gap, 1, &force)));
    CHECK(dci_vec_is_finite(force));
    CHECK(!fetestexcept(FE_DIVBYZERO));
}

/* A block that is dragged in one direction, and then in another one at an angle. */
static void test_friction_that_turns_is_not_settled(void)
{
    dci_contact_row row = touch_random(5);
    const double angles[] = {0, 0.3, 1.2, 2};
    int i;
    row.normal = dci_vec(0, 0, 1);
    row.friction = DCI_R(0.5);
    for (i = 0; i < 4; i++) {
        const double c = cos(angles[i]), s = sin(angles[i]);
        row.estimate = dci_vec(0, 0, 2); /* no friction yet */
        row.gap = dci_vec(5, 0, 0);
        (void)dci_contact_row_update(&row, 1);
        CHECK_NEAR(row.force.x, -1, TOL(1e-12, 1e-6));
        row.gap = dci_vec((dc_real)(5 * c), (dc_real)(5 * s), 0);
        (void)dci_contact_row_update(&row, 1);
        CHECK_NEAR(row.settled, c > 0 ? c : 0, TOL(1e-12, 1e-6));
    }
    row.gap = dci_vec(0, 0, 5 * row.compliance); /* it lifts off */
    (void)dci_contact_row_update(&row, 1);
    CHECK(row.settled == 0 && dci_norm(row.force) == 0);
}

/* What its gap lacks from iteration to iteration, in tenths of the thickness. */
static void test_a_contact_whose_gap_stalls_becomes_a_spring(void)
{
    static const struct {
        int lack[6];
        int yields;
    } cases[] = {
        {{8, 4, 2, 1, 0, 0}, 0},                              /* it converges */
        {{8, 8, 8, 8, 8, 8}, 1},     {{8, 7, 6, 3, 2, 1}, 1}, /* once a spring, always one */
        {{8, 8, 4, 4, 2, 2}, 0},                              /* not two in succession */
        {{1, 1, 1, 1, 1, 1}, 0},                              /* within the tolerance */
        {{-4, -4, -4, -4, 8, 8}, 0},                          /* it was open */
    };
    size_t k;
    int i;
    for (k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        dci_contact_row row = touch_random(6);
        dc_vec3 p;
        for (i = 0; i < 6; i++) {
            row.gap = dci_vec_scale(DCI_R(-0.1) * (dc_real)cases[k].lack[i], row.normal);
            dci_contact_row_watch(&row, DCI_R(0.15));
        }
        CHECK(dci_contact_row_yields(&row) == cases[k].yields);
        p = row.estimate;
        row.gap = dci_vec_scale(-1, row.normal);
        (void)dci_contact_row_update(&row, 0);
        CHECK((dci_norm(dci_vec_sub(row.estimate, p)) == 0) == cases[k].yields);
    }
}

/* (21.6) of two edges of one cloth whose vertices share nodes: the quadratic form of a dense matrix. */
static void test_a_contact_gives_way_as_what_is_behind_it(void)
{
    enum { VERTICES = 4, NODES = 3 };
    static const dc_index start[VERTICES + 1] = {0, 2, 4, 6, 9};
    static const dc_index column[9] = {0, 1, 1, 2, 0, 2, 0, 1, 2};
    dc_index starts[VERTICES + 1], columns[9], k, p;
    dc_real value[9], diagonal[NODES], wanted = 0;
    dc_sparse a;
    dc_real work[NODES];
    dci_contact_row row = touch_random(3);
    dci_contact_rows contact_rows;
    dci_contact_body body = {NULL, 0, 0, NULL};
    dci_contact_vertex vertex[VERTICES];
    const dc_index list = 0;
    row.force = dci_vec(0, 0, 0);
    memset(&a, 0, sizeof a);
    memset(&contact_rows, 0, sizeof contact_rows);
    memcpy(starts, start, sizeof starts);
    memcpy(columns, column, sizeof columns);
    for (p = 0; p < 9; p++) value[p] = dci_random(5, (uint32_t)p);
    for (k = 0; k < NODES; k++) diagonal[k] = DCI_R(1.5) + dci_random(6, (uint32_t)k);
    for (k = 0; k < VERTICES; k++) {
        vertex[k].body = &body;
        vertex[k].number = row.place[k] = k;
        row.factor[k] = dci_random(7, (uint32_t)k);
    }
    a.row_count = VERTICES;
    a.column_count = NODES;
    a.start = starts;
    a.column = columns;
    a.value = value;
    for (k = 0; k < NODES; k++) {
        dc_real weight = 0;
        dc_index v;
        for (v = 0; v < VERTICES; v++)
            for (p = start[v]; p < start[v + 1]; p++)
                if (column[p] == k) weight += row.factor[v] * value[p];
        wanted += weight * weight / diagonal[k];
    }
    body.vertex = &a;
    contact_rows.row = &row;
    contact_rows.list = &list;
    contact_rows.count = 1;
    contact_rows.body = &body;
    contact_rows.vertex = vertex;
    row.compliance = 2 * wanted;
    dci_contact_rows_set_compliance(&contact_rows, NODES, diagonal, work);
    CHECK_NEAR(row.compliance, wanted, TOL(1e-14, 1e-6) * wanted);
    row.compliance = wanted / 2; /* the masses give way less */
    dci_contact_rows_set_compliance(&contact_rows, NODES, diagonal, work);
    CHECK(row.compliance == wanted / 2);
}

/* (21.7): D yields to the load by 3% of the thickness (a tenth in floats), but is no less than D/20
   between two obstacles or with a ribbon. */
static void test_a_contact_under_load_yields_by_a_part_of_the_thickness(void)
{
    dci_contact_row row = touch_random(4);
    row.compliance = 2;
    row.thickness = DCI_R(0.5);
    row.ribbon_compliance = 0;
    row.force = dci_vec(0, 0, 0);
    CHECK(dci_contact_row_load_compliance(&row, 0) == 2);
    row.force = dci_vec_scale(DCI_R(0.005), row.normal); /* yields by .01 of .5 */
    CHECK(dci_contact_row_load_compliance(&row, 0) == 2);
    row.force = dci_vec_scale(DCI_R(0.1), row.normal); /* by .2, and may by .015 */
    CHECK_NEAR(dci_contact_row_load_compliance(&row, 0), TOL(0.15, 0.5), TOL(1e-14, 1e-6));
    CHECK_NEAR(dci_contact_row_load_compliance(&row, 1), TOL(0.15, 0.5), TOL(1e-14, 1e-6));
    row.force = dci_vec_scale(100, row.normal);
    CHECK_NEAR(dci_contact_row_load_compliance(&row, 0), TOL(1.5e-4, 5e-4), TOL(1e-14, 1e-9));
    CHECK_NEAR(dci_contact_row_load_compliance(&row, 1), 0.1, TOL(1e-14, 1e-6));
    row.ribbon_compliance = 1;
    CHECK_NEAR(dci_contact_row_load_compliance(&row, 0), 0.1, TOL(1e-14, 1e-6));
}

/* A sheet that lies on a plane has no speed, and the forces of its contacts are its weight. */
static void test_a_sheet_at_rest_is_at_rest(void)
{
    int element;
    for (element = 0; element < 2; element++) {
        bodies *b = bodies_begin();
        dc_index k = bodies_sheet(b, 5, 5, 1, 1, 0, 1e-3, 0), i;
        const dci_cloth *c;
        dc_vec3 reaction = dci_vec(0, 0, 0);
        bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, 0, 0), dci_vec(0, 1, 0), 0);
        b->cloth[k].element = element == 0 ? DC_ELEMENT_NONCONFORMING : DC_ELEMENT_ISOMETRIC;
        CHECK(bodies_open(b) == DC_OK);
        for (i = 0; i < 100; i++) CHECK(bodies_step(b, 0.002) == DC_OK && b->report.is_certified);
        c = dci_world_cloth(b->world, k);
        for (i = 0; i < dc_body_mesh(b->world, k)->vertex_count; i++)
            CHECK_AT_MOST(dci_norm(c->vertex_v[i]), 1e-3);
        for (i = 0; i < c->element.node_count; i++)
            reaction = dci_vec_add(reaction, c->committed.last[i]);
        CHECK_NEAR(reaction.y, 9.81 * (double)c->total_mass,
                   TOL(2e-3, 1e-2) * 9.81 * c->total_mass);
        CHECK(b->report.counters.rounds == 1 && b->report.counters.released == 0);
        bodies_close(b);
    }
}

/* As with the stages, (20.6): it stays where it meets the plane at 2 m/s. */
static void test_a_sheet_does_not_bounce_off_a_plane(void)
{
    bodies *b = bodies_begin();
    dc_index k = bodies_sheet(b, 4, 4, 0.5, 0.5, 0, 0.0157, 0), i;
    double fastest = 0;
    bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, 0, 0), dci_vec(0, 1, 0), 0);
    b->desc.gravity = dci_vec(0, 0, 0);
    CHECK(bodies_open(b) == DC_OK);
    bodies_throw(b, k, dci_vec(0, -2, 0));
    for (i = 0; i < 50; i++) {
        dc_measures m;
        CHECK(bodies_step(b, 0.001) == DC_OK && b->report.is_certified);
        m = dc_cloth_measure(b->world, k);
        if (i > 8) fastest = fmax(fastest, (double)(m.momentum.y / m.mass));
    }
    CHECK_AT_MOST(fastest, 0.15);
    CHECK_AT_MOST(dc_cloth_measure(b->world, k).centre.y, 2.5e-3);
    bodies_close(b);
}

/* An impact that the motion before it did not foretell: a sheet as stiff as a board falls flat, .01 m in
   steps of 1/60 s. Whatever is lost, nothing is won. */
static void test_a_board_that_falls_flat_wins_no_energy(void)
{
    bodies *b = bodies_begin();
    dc_index k = bodies_sheet(b, 8, 8, 1, 1, 0, 0.012, 0), i;
    dc_measures m;
    double before, most;
    bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, 0, 0), dci_vec(0, 1, 0), 0);
    b->cloth[k].bending = 10;
    b->cloth[k].solver.residual_tol =
        TOL(DCI_R(1e-3), DCI_R(0.5)); /* which bends it on the way, a little */
    CHECK(bodies_open(b) == DC_OK);
    m = dc_cloth_measure(b->world, k);
    before = most = (double)m.gravity;
    for (i = 0; i < 30; i++) {
        CHECK(bodies_step(b, 1.0 / 60) == DC_OK && b->report.is_certified);
        m = dc_cloth_measure(b->world, k);
        most = fmax(most, (double)(m.kinetic + m.gravity + m.bending + m.jump));
    }
    CHECK_AT_MOST(most, before + TOL(1e-6, 1e-4) * before);
    bodies_close(b);
}

typedef struct stiff_run {
    double error;     /* largest of contact_error                                              */
    double trembling; /* [J] what the bending energy goes forth and back from picture to picture */
    int iterations, factorizations, parts, steps;
} stiff_run;

/* A stiff sheet on a ball, pictures of .01 s. */
static stiff_run stiff_sheet(dc_index row_capacity)
{
    enum { PICTURES = 60, STEPS = 5 };
    bodies *b = bodies_begin();
    dc_index k = bodies_sheet(b, 16, 16, 1, 1, 0, 4e-3, 0);
    double energy[PICTURES];
    stiff_run run;
    int i, step;
    memset(&run, 0, sizeof run);
    bodies_obstacle(b, DC_OBSTACLE_SPHERE, dci_vec(0, DCI_R(-0.3), 0), dci_vec(0, 0, 0), 0.3)
        ->friction = DCI_R(0.3);
    b->cloth[k].element = DC_ELEMENT_ISOMETRIC;
    b->cloth[k].bending = DCI_R(0.1);
    b->cloth[k].bending_damping = DCI_R(5e-3);
    b->cloth[k].drag_normal = b->cloth[k].drag_tangential = DCI_R(0.2);
    b->desc.row_capacity = row_capacity;
    CHECK(bodies_open(b) == DC_OK);
    for (i = 0; i < PICTURES; i++) {
        double before = i > 1 ? energy[i - 1] - energy[i - 2] : 0, change;
        for (step = 0; step < STEPS; step++) {
            CHECK(dc_world_step(b->world, DCI_R(0.002), &b->report, &b->error) == DC_OK);
            CHECK(b->report.is_certified);
            run.error = fmax(run.error, (double)b->report.contact_error);
            run.iterations += b->report.counters.newton_iterations;
            run.factorizations += b->report.counters.factorizations;
            run.parts += b->report.counters.world_substeps;
            run.steps++;
        }
        energy[i] = (double)dc_cloth_measure(b->world, k).bending;
        change = i > 0 ? energy[i] - energy[i - 1] : 0;
        if (change * before < 0) run.trembling += fmin(fabs(change), fabs(before));
    }
    bodies_close(b);
    return run;
}

/* Wang's figures 4.2 and 4.3: as constraints of the step, and left to the stages for lack of room. */
static void test_a_stiff_sheet_on_a_ball_keeps_its_lengths_and_does_not_tremble(void)
{
    stiff_run stages = stiff_sheet(1), rows = stiff_sheet(DC_NONE);
    CHECK_AT_MOST(rows.error, stages.error / 10);
    CHECK_AT_MOST(rows.trembling, stages.trembling / 5);
    CHECK_AT_MOST(rows.iterations, 20 * rows.steps);
    /* Steps are not divided for want of room. */
    CHECK_EQUAL(stages.parts, stages.steps);
    /* Where iterations are short, the factor is kept. */
    CHECK_AT_MOST(rows.factorizations, 0.9 * rows.iterations);
}

/* In frames of 1/60 s a sheet is thrown on a ball that goes to and fro, with a fraction of the
   acceleration that friction bears: it goes with the ball, for three of its swings. */
static void test_a_sheet_goes_with_a_ball_frame_by_frame(void)
{
    const double pi = acos(-1.0), radius = 0.3, swing = 0.1, rate = 0.5, dt = 1.0 / 60;
    bodies *b = bodies_begin();
    dc_index k = bodies_sheet(b, 10, 10, 1, 1, 0, 0.31, 0);
    int i;
    bodies_obstacle(b, DC_OBSTACLE_SPHERE, dci_vec(0, 0, 0), dci_vec(0, 0, 0), radius)->friction =
        b->cloth[k].friction;
    CHECK(bodies_open(b) == DC_OK);
    for (i = 1; i <= (int)(2 / (rate * dt)); i++) {
        double from_start = 1 - cos(2 * pi * rate * i * dt); /* without a jerk */
        dc_vec3 at[2] = {{0, 0, 0}, {0, 0, 0}};
        dc_vec3 centre;
        at[0].x = (dc_real)(swing * from_start);
        CHECK(dc_obstacle_move(b->world, b->world->moving_count, at, dci_vec(0, 0, 0), &b->error) ==
              DC_OK);
        CHECK(dc_world_step(b->world, (dc_real)dt, &b->report, &b->error) == DC_OK);
        CHECK(b->report.is_certified &&
              b->report.counters.rows_needed == b->report.counters.contact_rows);
        centre = dc_cloth_measure(b->world, k).centre;
        CHECK_AT_MOST(fabs((double)(centre.x - at[0].x)), 0.05);
        CHECK(centre.y > 0);
    }
    bodies_close(b);
}

/* What falls fast and meets nothing is stepped whole: its pairs do not depend on who looks at it. */
static void test_a_fast_sheet_that_meets_nothing_is_stepped_whole(void)
{
    bodies *b = bodies_begin();
    dc_index k = bodies_sheet(b, 16, 16, 1, 1, 0, 100, 0);
    int i;
    b->desc.gravity = dci_vec(0, 0, 0);
    bodies_obstacle(b, DC_OBSTACLE_SPHERE, dci_vec(0, 0, 0), dci_vec(0, 0, 0), 0.3);
    CHECK(bodies_open(b) == DC_OK);
    CHECK(dc_world_step(b->world, DCI_R(1.0 / 60), &b->report, &b->error) == DC_OK);
    bodies_throw(b, k, dci_vec(0, -60, 0));
    for (i = 0; i < 3; i++) {
        CHECK(dc_world_step(b->world, DCI_R(1.0 / 60), &b->report, &b->error) == DC_OK);
        CHECK(b->report.counters.world_substeps == 1);
    }
    bodies_close(b);
}

/* A failed step leaves the contacts as they were, too: what follows has the same bits. */
static void test_a_failed_step_leaves_contacts_as_they_were(void)
{
    bodies *b = bodies_begin();
    dc_index k = bodies_sheet(b, 5, 5, 1, 1, 0, 1e-3, 0), i;
    uint64_t hash, after;
    void *saved;
    bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, 0, 0), dci_vec(0, 1, 0), 0);
    CHECK(bodies_open(b) == DC_OK);
    for (i = 0; i < 20; i++) CHECK(dc_world_step(b->world, DCI_R(0.002), NULL, NULL) == DC_OK);
    saved = test_alloc(b->info.bytes);
    test_allow(b->memory, b->info.bytes);
    memcpy(saved, b->memory, b->info.bytes);
    CHECK(dc_world_step(b->world, DCI_R(0.002), NULL, NULL) == DC_OK);
    after = dc_world_hash(b->world);
    memcpy(b->memory, saved, b->info.bytes);
    hash = dc_world_hash(b->world);
    b->world->wind.x = (dc_real)NAN; /* as nobody can set it: forces are not finite */
    dci_world_cloth(b->world, k)->desc.drag_normal = 1;
    b->world->surface.pair_capacity = 1;
    CHECK(dc_world_step(b->world, DCI_R(0.002), NULL, &b->error) == DC_TOO_SMALL);
    CHECK(dc_world_hash(b->world) == hash);
    b->world->surface.pair_capacity =
        b->desc.pair_capacity == DC_NONE ? DCI_PAIRS_PER_VERTEX * 36 : b->desc.pair_capacity;
    b->world->wind.x = 0;
    dci_world_cloth(b->world, k)->desc.drag_normal = 0;
    CHECK(dc_world_step(b->world, DCI_R(0.002), NULL, NULL) == DC_OK);
    CHECK(dc_world_hash(b->world) == after);
    free(saved);
    bodies_close(b);
}

static void test_contact_is_checked(void)
{
    bodies *b = bodies_begin();
    bodies_sheet(b, 3, 3, 1, 1, 0, 1e-3, 0);
    b->desc.solver.round_max = 0;
    CHECK(bodies_make(b) == DC_BAD_ARGUMENT && test_error_names(&b->error, "round_max"));
    b->desc.solver.round_max = 1;
    b->desc.row_capacity = 0;
    CHECK(bodies_make(b) == DC_BAD_ARGUMENT && test_error_names(&b->error, "row_capacity"));
    b->desc.row_capacity = DC_NONE - 1;
    CHECK(bodies_make(b) == DC_BAD_ARGUMENT && test_error_names(&b->error, "row_capacity"));
    b->desc.row_capacity = 1;
    CHECK(bodies_make(b) == DC_OK);
    bodies_close(b);
}

/* Contacts beyond the room for rows are left to the stages: the sheet lies as certified as before. */
static void test_contacts_without_room_for_rows_are_left_to_the_stages(void)
{
    bodies *b = bodies_begin();
    dc_index rows, lacking = 0;
    int i;
    bodies_sheet(b, 3, 3, 1, 1, 0, 1e-3, 0);
    bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, 0, 0), dci_vec(0, 1, 0), 0);
    CHECK(bodies_open(b) == DC_OK);
    for (i = 0; i < 20; i++)
        CHECK(dc_world_step(b->world, DCI_R(0.002), &b->report, &b->error) == DC_OK);
    rows = b->report.counters.contact_rows;
    CHECK(rows > 2 && b->report.counters.rows_needed == b->report.counters.contact_rows);
    for (rows--; rows >= 0; rows--) {
        b->world->contacts->capacity = rows;
        CHECK(dc_world_step(b->world, DCI_R(0.002), &b->report, &b->error) == DC_OK);
        CHECK(b->report.is_certified && b->report.counters.contact_rows == rows);
        lacking = b->report.counters.rows_needed - b->report.counters.contact_rows;
        CHECK(lacking > 0 || rows > 1);
    }
    CHECK(lacking > 1);
    bodies_close(b);
}

/* The bytes of one use. */
static size_t rows_section(const dc_info *info, const char *name)
{
    dc_index i;
    for (i = 0; i < info->section_count; i++)
        if (strcmp(info->section[i].name, name) == 0) return info->section[i].bytes;
    return 0;
}

/* One sheet above a ball, or two: 4 or 8 rows for each vertex, or as many as are asked for. Four take
   two kilobytes, with what contacts need besides. */
static void test_rows_are_as_many_as_are_asked_for(void)
{
    enum { CELLS = 29, VERTICES = (CELLS + 1) * (CELLS + 1), BYTES = 2000 };
    static const struct {
        dc_index sheets, asked, rows;
    } cases[] = {{1, DC_NONE, 4 * VERTICES}, {1, VERTICES, VERTICES}, {2, DC_NONE, 16 * VERTICES}};
    size_t k;
    dc_index i;
    for (k = 0; k < sizeof cases / sizeof *cases; k++) {
        bodies *b = bodies_begin();
        for (i = 0; i < cases[k].sheets; i++) bodies_sheet(b, CELLS, CELLS, 1, 1, 0, 0.4 + i, 0);
        bodies_obstacle(b, DC_OBSTACLE_SPHERE, dci_vec(0, 0, 0), dci_vec(0, 0, 0), 0.3);
        b->desc.row_capacity = cases[k].asked;
        CHECK(bodies_open(b) == DC_OK);
        CHECK_EQUAL(b->world->contacts->capacity, cases[k].rows);
        if (k == 0) CHECK_AT_MOST(rows_section(&b->info, "contact rows"), BYTES * VERTICES);
        CHECK(rows_section(&b->info, "contact rows") > 0);
        bodies_close(b);
    }
}

/* A sheet falls on a plane. With room for a single row the rest is left to the stages, and the report
   says how many there were; with room for so many none is left. */
static void test_a_report_says_how_many_rows_suffice(void)
{
    dc_index needed = 1, i, k;
    for (k = 0; k < 2; k++) {
        bodies *b = bodies_begin();
        bodies_sheet(b, 3, 3, 1, 1, 0, 1e-3, 0);
        bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, 0, 0), dci_vec(0, 1, 0), 0);
        b->desc.row_capacity = needed;
        CHECK(bodies_open(b) == DC_OK);
        for (i = 0; i < 20; i++) {
            CHECK(dc_world_step(b->world, DCI_R(0.002), &b->report, &b->error) == DC_OK);
            CHECK(b->report.is_certified &&
                  b->report.counters.contact_rows <= b->desc.row_capacity);
            CHECK(k == 0 || b->report.counters.rows_needed == b->report.counters.contact_rows);
            if (k == 0) needed = dci_index_max(needed, b->report.counters.rows_needed);
        }
        bodies_close(b);
    }
    CHECK(needed > 2);
}

/* One step from a snapshot, with so many rounds and so much room for rows. */
static void rounds_step(bodies *b, const void *snapshot, size_t bytes, dc_index rounds,
                        dc_index rows)
{
    dc_index capacity = b->world->contacts->capacity, round_max = b->world->round_max;
    CHECK(dc_world_load(b->world, snapshot, bytes, &b->error) == DC_OK);
    b->world->round_max = rounds;
    b->world->contacts->capacity = rows;
    CHECK(dc_world_step(b->world, DCI_R(0.01), &b->report, &b->error) == DC_OK);
    b->world->contacts->capacity = capacity;
    b->world->round_max = round_max;
}

/* A sheet folds over a ball. In each step there is room for the rows of the first round alone, so
   that the marked pairs are those that later rounds could not add; until there are any. */
static void test_pairs_that_find_no_room_in_later_rounds_are_left_to_the_stages(void)
{
    bodies *b = bodies_begin();
    dc_index step, i, lacking = 0, all, rounds;
    size_t bytes;
    void *snapshot;
    bodies_sheet(b, 12, 12, 0.5, 0.5, 0, 0.105, 0);
    bodies_obstacle(b, DC_OBSTACLE_SPHERE, dci_vec(0, 0, 0), dci_vec(0, 0, 0), 0.1);
    CHECK(bodies_open(b) == DC_OK);
    all = b->world->contacts->capacity;
    rounds = b->world->round_max;
    for (step = 0; step < 80 && lacking == 0; step++) {
        dc_index first, marked = 0;
        bytes = dc_world_save_bytes(b->world); /* with the contacts of now */
        snapshot = test_alloc(bytes);
        CHECK(dc_world_save(b->world, snapshot, bytes, &b->error) == DC_OK);
        rounds_step(b, snapshot, bytes, 1, all);
        first = b->report.counters.rows_needed;
        rounds_step(b, snapshot, bytes, rounds, first);
        for (i = 0; i < b->world->surface.pair_count; i++)
            marked += b->world->surface.pair[i].is_unconstrained;
        if (b->report.counters.rounds == 1 && b->report.counters.rows_needed > first) {
            CHECK_EQUAL(marked, b->report.counters.rows_needed - first);
            lacking += b->report.counters.rows_needed - first;
        }
        rounds_step(b, snapshot, bytes, rounds, all);
        free(snapshot);
    }
    CHECK(lacking > 0);
    bodies_close(b);
}

/* Five sheets of 6 x 6 cells as pieces of one cloth, each turned a little against the one below, on a
   plane: the middle planes are half a thickness over the plane and whole ones apart. Returns the rms
   speed of the vertices in the second half of the time. */
static double stack_run(dc_element element, double time, double dt)
{
    enum { SHEETS = 5, CELLS = 6, VERTICES = DC_GRID_VERTICES(CELLS, CELLS) };
    enum { CORNERS = 3 * DC_GRID_TRIANGLES(CELLS, CELLS) };
    static const double SIDE = 0.3, THICKNESS = 4e-3, TURN = 0.1, APART = 1.02; /* [m], [rad] */
    static dc_vec3 positions[SHEETS * VERTICES], before[SHEETS * VERTICES];
    static dc_index triangles[SHEETS * CORNERS];
    bodies *b = bodies_begin();
    dc_index k = bodies_sheet(b, CELLS, CELLS, SIDE, SIDE, 0, 0, 0), i, sheet, step;
    dc_index steps = (dc_index)(time / dt + 0.5);
    double sum = 0;
    for (i = 0; i < SHEETS * VERTICES; i++) {
        dc_vec3 p = b->positions[k][i % VERTICES];
        dc_real turn = (dc_real)TURN * (dc_real)(i / VERTICES), c = dc_cos(turn), s = dc_sin(turn);
        positions[i] =
            dci_vec(c * p.x - s * p.z, (dc_real)(THICKNESS * (0.5 + APART * (i / VERTICES))),
                    s * p.x + c * p.z);
    }
    for (i = 0; i < SHEETS * CORNERS; i++)
        triangles[i] = b->triangles[k][i % CORNERS] + VERTICES * (i / CORNERS);
    b->cloth[k].mesh.positions = positions;
    b->cloth[k].mesh.vertex_count = SHEETS * VERTICES;
    b->cloth[k].mesh.triangles = triangles;
    b->cloth[k].mesh.triangle_count = SHEETS * CORNERS / 3;
    b->cloth[k].thickness = (dc_real)THICKNESS;
    b->cloth[k].element = element;
    bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, 0, 0), dci_vec(0, 1, 0), 0)->friction =
        b->cloth[k].friction;
    b->desc.row_capacity = 8 * 4 * SHEETS * VERTICES; /* with midpoints */
    CHECK(bodies_open(b) == DC_OK);
    for (step = 0; step < steps; step++) {
        const dc_vec3 *x = dc_body_positions(b->world, k);
        memcpy(before, x, sizeof before);
        CHECK(dc_world_step(b->world, (dc_real)dt, &b->report, &b->error) == DC_OK);
        CHECK(b->report.is_certified &&
              b->report.counters.rows_needed == b->report.counters.contact_rows);
        for (i = 0; i < SHEETS * VERTICES && 2 * step >= steps; i++) {
            dc_vec3 way = dci_vec_sub(x[i], before[i]);
            sum += (double)dci_dot(way, way);
        }
    }
    for (sheet = 0; sheet < SHEETS; sheet++) {
        const dc_vec3 *x = dc_body_positions(b->world, k) + sheet * VERTICES;
        double height = 0;
        for (i = 0; i < VERTICES; i++) height += (double)x[i].y / VERTICES;
        CHECK_NEAR(height / THICKNESS, sheet + 0.5, 0.01 * (sheet + 0.5) + TOL(0, 0.01));
    }
    bodies_close(b);
    return sqrt(sum / (steps - steps / 2) / (SHEETS * VERTICES)) / dt;
}

static void test_a_stack_of_sheets_keeps_its_heights(void)
{
    stack_run(DC_ELEMENT_NONCONFORMING, 0.3, 0.005);
}

static void test_a_stack_of_sheets_lies_still(void)
{
    CHECK_AT_MOST(stack_run(DC_ELEMENT_NONCONFORMING, 10, 0.005), TOL(1e-5, 1e-3));
    CHECK_AT_MOST(stack_run(DC_ELEMENT_ISOMETRIC, 10, 0.005), TOL(1e-5, 1e-3));
}

/* A part of a step that is done again foresees the same as the first time. */
static void test_a_step_that_is_done_again_foresees_the_same(void)
{
    enum { VERTICES = 16 };
    bodies *b = bodies_begin();
    dci_span span = {DCI_R(0.005), 0, 1, 0};
    dc_vec3 foreseen[VERTICES];
    bodies_sheet(b, 3, 3, 1, 1, 0, 0.0018, 0);
    bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, 0, 0), dci_vec(0, 1, 0), 0);
    CHECK(bodies_open(b) == DC_OK);
    bodies_throw(b, 0, dci_vec(0, -3, 0));
    CHECK(dci_world_predict_contacts(b->world, &span, &b->report, &b->error) == DC_OK);
    memcpy(foreseen, b->world->surface.end, sizeof foreseen);
    CHECK(b->world->contacts->count > 0);
    CHECK(dci_world_advance_groups(b->world, &span, 0, &b->report, &b->error) == DC_OK);
    CHECK(dci_world_collide(b->world, &span, &b->report, &b->error) == DC_OK);
    CHECK(dci_world_follow_surface(b->world, span.dt, &b->report, &b->error) == DC_OK);
    CHECK(dci_world_predict_contacts(b->world, &span, &b->report, &b->error) == DC_OK);
    CHECK(!memcmp(foreseen, b->world->surface.end, sizeof foreseen));
    bodies_close(b);
}

/* A sheet lies on a plane; then it is lifted by what gravity there is, and nothing pulls any more: the
   next landing will be a blow. */
static void test_what_has_left_the_ground_remembers_no_force(void)
{
    bodies *b = bodies_begin();
    dc_index k = bodies_sheet(b, 3, 3, 1, 1, 0, 1e-3, 0), i;
    const dci_force_history *kept;
    double lying = 0, flying = 0;
    bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, 0, 0), dci_vec(0, 1, 0), 0);
    CHECK(bodies_open(b) == DC_OK);
    kept = &dci_world_cloth(b->world, k)->committed;
    for (i = 0; i < 40; i++) CHECK(bodies_step(b, 0.001) == DC_OK);
    for (i = 0; i < dci_world_cloth(b->world, k)->element.node_count; i++)
        lying += (double)kept->steady[i].y;
    CHECK_NEAR(lying, 0.15 * 9.81, TOL(1e-3, 1e-2) * 0.15 * 9.81);
    CHECK(dc_world_set_gravity(b->world, dci_vec(0, DCI_R(9.81), 0), &b->error) == DC_OK);
    for (i = 0; i < 40; i++) CHECK(bodies_step(b, 0.001) == DC_OK);
    CHECK(b->report.counters.contact_rows == 0);
    for (i = 0; i < dci_world_cloth(b->world, k)->element.node_count; i++)
        flying += (double)dci_norm(kept->steady[i]) + (double)dci_norm(kept->last[i]);
    CHECK(flying == 0);
    bodies_close(b);
}

/* least = thickness - deficit / (1 + r dt): after a second of any steps, (1 + r dt)^(-1/dt) of the
   deficit is left, and not a twentieth less with each step. The plane keeps half of the thickness;
   half of that is left to the stages. */
static void test_what_is_too_close_parts_at_a_rate(void)
{
    static const double dt[3] = {0.001, 0.002, 0.005}, thickness = 2e-3;
    int i, step;
    for (i = 0; i < 6; i++) {
        bodies *b = bodies_begin();
        double start = 0.6 * thickness / 2, left;
        dc_index k = bodies_sheet(b, 3, 3, 1, 1, 0, start, 0);
        b->cloth[k].thickness = (dc_real)thickness;
        bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, 0, 0), dci_vec(0, 1, 0), 0);
        b->cloth[k].element = i < 3 ? DC_ELEMENT_NONCONFORMING : DC_ELEMENT_ISOMETRIC;
        CHECK(bodies_open(b) == DC_OK);
        for (step = 0; step < (int)(1 / dt[i % 3] + 0.5); step++)
            CHECK(dc_world_step(b->world, (dc_real)dt[i % 3], NULL, &b->error) == DC_OK);
        left = (thickness / 2 - dc_body_positions(b->world, k)[0].y) / (thickness / 2 - start);
        CHECK_NEAR(left, pow(1 + 1.25 * dt[i % 3], -1 / dt[i % 3]), 0.03);
        bodies_close(b);
    }
}

/* Two bodies' worth of thickness in every triangle: a flat sheet that falls freely makes no row, and no
   stage acts, for all that is close belongs together. By (30.1) a square cell of h lets its layers
   come as close as .9 h / sqrt 2; cut in four, half of that. Two sheets keep it all the same. */
static void test_a_thick_sheet_does_not_push_itself_apart(void)
{
    static const dc_element elements[2] = {DC_ELEMENT_NONCONFORMING, DC_ELEMENT_ISOMETRIC};
    const double cell = 0.125;
    int i;
    for (i = 0; i < 2; i++) {
        bodies *b = bodies_begin();
        dc_index k = bodies_sheet(b, 8, 8, 1, 1, 0, 0, 0);
        b->cloth[k].element = elements[i];
        b->cloth[k].self_contact = 1;
        b->cloth[k].thickness = (dc_real)(2 * cell);
        b->desc.pair_capacity = 100000;
        CHECK(bodies_make(b) == DC_OK);
        CHECK_EQUAL(b->info.thin_body, 0);
        CHECK_NEAR((double)b->info.self_thickness, 0.9 * cell / sqrt(2) / (1 + i),
                   TOL(1e-12, 1e-6));
        CHECK(bodies_open(b) == DC_OK);
        CHECK(bodies_step(b, 0.002) == DC_OK);
        CHECK(b->report.counters.pairs > 0 && b->report.counters.contact_rows == 0 &&
              b->report.counters.repulsions == 0);
        b->cloth[k].thickness = DCI_R(1e-3);
        CHECK(bodies_make(b) == DC_OK && b->info.thin_body == DC_NONE &&
              b->info.self_thickness == 0);
        bodies_close(b);
    }
}

static const test_case tests_contact_rows[] = {
    {"an attachment between held vertices divides by nothing",
     test_an_attachment_between_held_vertices_divides_by_nothing},
    {"what is too close parts at a rate", test_what_is_too_close_parts_at_a_rate},
    {"a thick sheet does not push itself apart", test_a_thick_sheet_does_not_push_itself_apart},
    {"a contact pushes, and its friction is within the cone",
     test_a_contact_pushes_and_its_friction_is_within_the_cone},
    {"the stiffness of a contact bounds the derivative of its law",
     test_the_stiffness_of_a_contact_bounds_the_derivative_of_its_law},
    {"friction that turns is not settled", test_friction_that_turns_is_not_settled},
    {"a contact whose gap stalls becomes a spring",
     test_a_contact_whose_gap_stalls_becomes_a_spring},
    {"contact gives way as what is behind it", test_a_contact_gives_way_as_what_is_behind_it},
    {"contact under load yields by a part of the thickness",
     test_a_contact_under_load_yields_by_a_part_of_the_thickness},
    {"a sheet at rest is at rest", test_a_sheet_at_rest_is_at_rest},
    {"a sheet does not bounce off a plane",
     test_a_sheet_does_not_bounce_off_a_plane},
    {"a board that falls flat wins no energy", test_a_board_that_falls_flat_wins_no_energy},
    {"a stiff sheet on a ball keeps its lengths and does not tremble",
     test_a_stiff_sheet_on_a_ball_keeps_its_lengths_and_does_not_tremble},
    {"a sheet goes with a ball frame by frame", test_a_sheet_goes_with_a_ball_frame_by_frame},
    {"a fast sheet that meets nothing is stepped whole",
     test_a_fast_sheet_that_meets_nothing_is_stepped_whole},
    {"a failed step leaves contacts as they were", test_a_failed_step_leaves_contacts_as_they_were},
    {"capacity and rounds of contact are checked", test_contact_is_checked},
    {"pairs that find no room in later rounds are left to the stages",
     test_pairs_that_find_no_room_in_later_rounds_are_left_to_the_stages},
    {"contacts without room for rows are left to the stages",
     test_contacts_without_room_for_rows_are_left_to_the_stages},
    {"rows are as many as are asked for", test_rows_are_as_many_as_are_asked_for},
    {"a report says how many rows suffice", test_a_report_says_how_many_rows_suffice},
    {"a stack of sheets keeps its heights", test_a_stack_of_sheets_keeps_its_heights},
    {"a step that is done again foresees the same",
     test_a_step_that_is_done_again_foresees_the_same},
    {"a stack of sheets lies still", test_a_stack_of_sheets_lies_still},
    {"what has left the ground remembers no force",
     test_what_has_left_the_ground_remembers_no_force},
};
