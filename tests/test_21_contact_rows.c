/* Contact inside the step: the law of a row, and what it is for: rest at rest, no rebound, a stiff
   sheet that touches and keeps its lengths. Friction on inclines is tested with that of the stages. */

/* A row in which nothing is special, from random numbers. */
static dci_touch touch_random(uint32_t seed)
{
    dci_touch touch;
    dc_vec3 n = dci_vec(dci_random(seed, 1), dci_random(seed, 2) + DCI_R(1.1), dci_random(seed, 3));
    memset(&touch, 0, sizeof touch);
    touch.normal = dci_vec_scale(1 / dci_norm(n), n);
    touch.friction = dci_abs(dci_random(seed, 4));
    touch.compliance = DCI_R(1.5) + dci_random(seed, 5);
    touch.force = dci_vec_scale(3 * dci_abs(dci_random(seed, 6)), touch.normal);
    touch.guess = touch.force;
    touch.gap = dci_vec(2 * dci_random(seed, 7), 2 * dci_random(seed, 8), 2 * dci_random(seed, 9));
    return touch;
}

/* Forces push, are inside the cone, and friction is against the sliding. */
static void test_a_contact_pushes_and_its_friction_is_within_the_cone(void)
{
    uint32_t seed;
    int open = 0, sticks = 0, slides = 0;
    for (seed = 0; seed < 1000; seed++) {
        dci_touch touch = touch_random(seed);
        dc_vec3 law = dci_touch_law(&touch, -1), side, slid;
        dc_real pressure = dci_dot(law, touch.normal);
        side = dci_vec_axpy(law, -pressure, touch.normal);
        slid = dci_vec_axpy(touch.gap, -dci_dot(touch.gap, touch.normal), touch.normal);
        CHECK(pressure >= 0);
        CHECK_AT_MOST(dci_norm(side),
                      touch.friction * pressure * (1 + TOL(1e-12, 1e-5)) + TOL(1e-13, 1e-5));
        CHECK_AT_MOST(dci_dot(side, slid), TOL(1e-12, 1e-5));
        open += touch.across == 0;
        slides += touch.across > 0 && dci_norm(touch.along) > 0;
        sticks += touch.across > 0 && dci_norm(touch.along) == 0;
    }
    CHECK(open > 100 && sticks > 20 && slides > 100);
}

/* K is what the force loses along a small way, with the bound of friction kept. */
static void test_the_stiffness_of_a_contact_is_the_derivative_of_its_law(void)
{
    const dc_real h = TOL(DCI_R(1e-6), DCI_R(1e-3));
    uint32_t seed;
    for (seed = 0; seed < 300; seed++) {
        dci_touch touch = touch_random(seed), moved;
        dc_real pressure = dci_dot(touch.force, touch.normal);
        dc_vec3 way = dci_vec(dci_random(seed, 10), dci_random(seed, 11), dci_random(seed, 12));
        dc_vec3 before = dci_touch_law(&touch, pressure), after, wanted, found;
        moved = touch;
        moved.gap = dci_vec_axpy(touch.gap, h, way);
        after = dci_touch_law(&moved, pressure);
        if ((touch.across > 0) != (moved.across > 0)) continue;
        wanted = dci_touch_stiffen(&touch, way);
        found = dci_vec_scale(1 / h, dci_vec_sub(before, after));
        CHECK_AT_MOST(dci_norm(dci_vec_sub(found, wanted)), TOL(1e-4, 2e-2));
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
    dc_vec3 work[NODES];
    dci_touch touch = touch_random(3);
    dci_touches touches;
    memset(&a, 0, sizeof a);
    memset(&touches, 0, sizeof touches);
    memcpy(starts, start, sizeof starts);
    memcpy(columns, column, sizeof columns);
    for (p = 0; p < 9; p++) value[p] = dci_random(5, (uint32_t)p);
    for (k = 0; k < NODES; k++) diagonal[k] = DCI_R(1.5) + dci_random(6, (uint32_t)k);
    for (k = 0; k < VERTICES; k++) {
        touch.own[k] = k;
        touch.factor[k] = dci_random(7, (uint32_t)k);
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
                if (column[p] == k) weight += touch.factor[v] * value[p];
        wanted += weight * weight / diagonal[k];
    }
    touches.touch = &touch;
    touches.count = 1;
    touches.vertex = &a;
    touch.compliance = 2 * wanted;
    dci_touch_comply(&touches, diagonal, work);
    CHECK_NEAR(touch.compliance, wanted, TOL(1e-14, 1e-6) * wanted);
    touch.compliance = wanted / 2; /* the masses give way less */
    dci_touch_comply(&touches, diagonal, work);
    CHECK(touch.compliance == wanted / 2);
}

/* A sheet that lies on a plane has no speed, and the forces of its contacts are its weight. */
static void test_a_sheet_at_rest_is_at_rest(void)
{
    int element;
    for (element = 0; element < 2; element++) {
        bodies *b = bodies_begin();
        dc_index k = bodies_sheet(b, 5, 5, 1, 1, 0, 1e-3, 0), i;
        const dci_cloth *c;
        dc_vec3 pull = dci_vec(0, 0, 0);
        bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, 0, 0), dci_vec(0, 1, 0), 0);
        b->desc.contact = DC_CONTACT_SIMULTANEOUS;
        b->cloth[k].element = element == 0 ? DC_ELEMENT_NONCONFORMING : DC_ELEMENT_ISOMETRIC;
        CHECK(bodies_open(b) == DC_OK);
        for (i = 0; i < 100; i++) CHECK(bodies_step(b, 0.002) == DC_OK && b->report.is_certified);
        c = &b->world->cloth[k];
        for (i = 0; i < dc_cloth_surface_mesh(b->world, k)->vertex_count; i++)
            CHECK_AT_MOST(dci_norm(c->vertex_v[i]), 1e-3);
        for (i = 0; i < c->element.node_count; i++)
            pull = dci_vec_add(pull, c->touches.kept.last[i]);
        CHECK_NEAR(pull.y, 9.81 * (double)c->total_mass, TOL(2e-3, 1e-2) * 9.81 * c->total_mass);
        CHECK(b->report.rounds == 1 && b->report.released == 0);
        bodies_close(b);
    }
}

/* As with the stages, (47.1): it stays where it meets the plane at 2 m/s. */
static void test_a_sheet_does_not_bounce_off_with_contact_inside(void)
{
    bodies *b = bodies_begin();
    dc_index k = bodies_sheet(b, 4, 4, 0.5, 0.5, 0, 0.0157, 0), i;
    double fastest = 0;
    bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, 0, 0), dci_vec(0, 1, 0), 0);
    b->desc.gravity = dci_vec(0, 0, 0);
    b->desc.contact = DC_CONTACT_SIMULTANEOUS;
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
    b->desc.contact = DC_CONTACT_SIMULTANEOUS;
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
    int iterations, steps;
} stiff_run;

/* A stiff sheet on a ball, pictures of .01 s. */
static stiff_run stiff_sheet(dc_contact contact)
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
    b->desc.contact = contact;
    CHECK(bodies_open(b) == DC_OK);
    for (i = 0; i < PICTURES; i++) {
        double before = i > 1 ? energy[i - 1] - energy[i - 2] : 0, change;
        for (step = 0; step < STEPS; step++) {
            CHECK(dc_world_step(b->world, DCI_R(0.002), &b->report, &b->error) == DC_OK);
            CHECK(b->report.is_certified);
            run.error = fmax(run.error, (double)b->report.contact_error);
            run.iterations += b->report.newton_iterations;
            run.steps++;
        }
        energy[i] = (double)dc_cloth_measure(b->world, k).bending;
        change = i > 0 ? energy[i] - energy[i - 1] : 0;
        if (change * before < 0) run.trembling += fmin(fabs(change), fabs(before));
    }
    bodies_close(b);
    return run;
}

/* Wang's figures 4.2 and 4.3. */
static void test_a_stiff_sheet_on_a_ball_keeps_its_lengths_and_does_not_tremble(void)
{
    stiff_run staggered = stiff_sheet(DC_CONTACT_STAGGERED),
              simultaneous = stiff_sheet(DC_CONTACT_SIMULTANEOUS);
    CHECK_AT_MOST(simultaneous.error, staggered.error / 10);
    CHECK_AT_MOST(simultaneous.trembling, staggered.trembling / 5);
    CHECK_AT_MOST(simultaneous.iterations, 20 * simultaneous.steps);
}

/* A failed step leaves the contacts as they were, too: what follows has the same bits. */
static void test_a_failed_step_leaves_contacts_as_they_were(void)
{
    bodies *b = bodies_begin();
    dc_index k = bodies_sheet(b, 5, 5, 1, 1, 0, 1e-3, 0), i;
    uint64_t hash, after;
    void *saved;
    bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, 0, 0), dci_vec(0, 1, 0), 0);
    b->desc.contact = DC_CONTACT_SIMULTANEOUS;
    CHECK(bodies_open(b) == DC_OK);
    for (i = 0; i < 20; i++) CHECK(dc_world_step(b->world, DCI_R(0.002), NULL, NULL) == DC_OK);
    saved = test_alloc(b->plan.bytes);
    test_allow(b->memory, b->plan.bytes);
    memcpy(saved, b->memory, b->plan.bytes);
    CHECK(dc_world_step(b->world, DCI_R(0.002), NULL, NULL) == DC_OK);
    after = dc_world_hash(b->world);
    memcpy(b->memory, saved, b->plan.bytes);
    hash = dc_world_hash(b->world);
    b->world->cloth[k].load.wind.x = (dc_real)NAN; /* as nobody can set it: forces are not finite */
    b->world->cloth[k].load.drag_normal = 1;
    b->world->surface.pair_capacity = 1;
    CHECK(dc_world_step(b->world, DCI_R(0.002), NULL, &b->error) == DC_TOO_SMALL);
    CHECK(dc_world_hash(b->world) == hash);
    b->world->surface.pair_capacity =
        b->desc.pair_capacity == DC_NONE ? DCI_PAIRS_PER_VERTEX * 36 : b->desc.pair_capacity;
    b->world->cloth[k].load =
        ((dci_cloth *)((char *)saved + ((char *)&b->world->cloth[k] - (char *)b->memory)))->load;
    CHECK(dc_world_step(b->world, DCI_R(0.002), NULL, NULL) == DC_OK);
    CHECK(dc_world_hash(b->world) == after);
    free(saved);
    bodies_close(b);
}

static void test_contact_is_checked(void)
{
    bodies *b = bodies_begin();
    bodies_sheet(b, 3, 3, 1, 1, 0, 1e-3, 0);
    b->desc.contact = (dc_contact)7;
    CHECK(bodies_plan(b) == DC_BAD_ARGUMENT && strstr(b->error.what, "contact"));
    b->desc.contact = DC_CONTACT_SIMULTANEOUS;
    b->desc.rounds_max = 0;
    CHECK(bodies_plan(b) == DC_BAD_ARGUMENT && strstr(b->error.what, "rounds_max"));
    b->desc.rounds_max = 1;
    CHECK(bodies_plan(b) == DC_OK);
    bodies_close(b);
}

/* Contacts beyond the room for rows are left to the stages: the sheet lies as certified as before. */
static void test_contacts_without_room_for_rows_are_left_to_the_stages(void)
{
    bodies *b = bodies_begin();
    dc_index rows;
    int i;
    bodies_sheet(b, 3, 3, 1, 1, 0, 1e-3, 0);
    bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, 0, 0), dci_vec(0, 1, 0), 0);
    b->desc.contact = DC_CONTACT_SIMULTANEOUS;
    CHECK(bodies_open(b) == DC_OK);
    for (i = 0; i < 20; i++)
        CHECK(dc_world_step(b->world, DCI_R(0.002), &b->report, &b->error) == DC_OK);
    rows = b->report.contact_rows;
    CHECK(rows > 1);
    for (; rows >= 0; rows--) {
        b->world->cloth[0].touches.capacity = rows;
        CHECK(dc_world_step(b->world, DCI_R(0.002), &b->report, &b->error) == DC_OK);
        CHECK(b->report.is_certified && b->report.contact_rows <= rows);
    }
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
        b->desc.contact = DC_CONTACT_SIMULTANEOUS;
        b->cloth[k].element = i < 3 ? DC_ELEMENT_NONCONFORMING : DC_ELEMENT_ISOMETRIC;
        CHECK(bodies_open(b) == DC_OK);
        for (step = 0; step < (int)(1 / dt[i % 3] + 0.5); step++)
            CHECK(dc_world_step(b->world, (dc_real)dt[i % 3], NULL, &b->error) == DC_OK);
        left = (thickness / 2 - dc_cloth_positions(b->world, k)[0].y) / (thickness / 2 - start);
        CHECK_NEAR(left, pow(1 + 1.25 * dt[i % 3], -1 / dt[i % 3]), 0.03);
        bodies_close(b);
    }
}

/* Two bodies' worth of thickness in every triangle: a flat sheet that falls freely makes no row, and no
   stage acts, for all that is close belongs together. By (31.6) a square cell of h lets its layers
   come as close as .9 h / sqrt 2; cut in four, half of that. Two sheets keep it all the same. */
static void test_a_thick_sheet_does_not_push_itself_apart(void)
{
    static const dc_element elements[2] = {DC_ELEMENT_NONCONFORMING, DC_ELEMENT_ISOMETRIC};
    const double cell = 0.125;
    int i;
    for (i = 0; i < 4; i++) {
        bodies *b = bodies_begin();
        dc_index k = bodies_sheet(b, 8, 8, 1, 1, 0, 0, 0);
        b->desc.contact = i / 2 ? DC_CONTACT_SIMULTANEOUS : DC_CONTACT_STAGGERED;
        b->cloth[k].element = elements[i % 2];
        b->cloth[k].meets_itself = 1;
        b->cloth[k].thickness = (dc_real)(2 * cell);
        b->desc.pair_capacity = 100000;
        CHECK(bodies_plan(b) == DC_OK);
        CHECK_EQUAL(b->plan.thin_cloth, 0);
        CHECK_NEAR((double)b->plan.self_thickness, 0.9 * cell / sqrt(2) / (1 + i % 2),
                   TOL(1e-12, 1e-6));
        CHECK(bodies_open(b) == DC_OK);
        CHECK(bodies_step(b, 0.002) == DC_OK);
        CHECK(b->report.pairs > 0 && b->report.contact_rows == 0 && b->report.repulsions == 0);
        b->cloth[k].thickness = DCI_R(1e-3);
        CHECK(bodies_plan(b) == DC_OK && b->plan.thin_cloth == DC_NONE &&
              b->plan.self_thickness == 0);
        bodies_close(b);
    }
}

static const test_case tests_contact_rows[] = {
    {"what is too close parts at a rate", test_what_is_too_close_parts_at_a_rate},
    {"a thick sheet does not push itself apart", test_a_thick_sheet_does_not_push_itself_apart},
    {"a contact pushes, and its friction is within the cone",
     test_a_contact_pushes_and_its_friction_is_within_the_cone},
    {"the stiffness of a contact is the derivative of its law",
     test_the_stiffness_of_a_contact_is_the_derivative_of_its_law},
    {"contact gives way as what is behind it", test_a_contact_gives_way_as_what_is_behind_it},
    {"a sheet at rest is at rest", test_a_sheet_at_rest_is_at_rest},
    {"a sheet does not bounce off with contact inside",
     test_a_sheet_does_not_bounce_off_with_contact_inside},
    {"a board that falls flat wins no energy", test_a_board_that_falls_flat_wins_no_energy},
    {"a stiff sheet on a ball keeps its lengths and does not tremble",
     test_a_stiff_sheet_on_a_ball_keeps_its_lengths_and_does_not_tremble},
    {"a failed step leaves contacts as they were", test_a_failed_step_leaves_contacts_as_they_were},
    {"contact inside the step is checked", test_contact_is_checked},
    {"contacts without room for rows are left to the stages",
     test_contacts_without_room_for_rows_are_left_to_the_stages},
};
