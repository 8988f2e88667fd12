/* Bodies that are switched off and on again; texture coordinates. */

/* A sheet above another, and that above a ball; 0, 1 and 2 are their body numbers. */
static bodies *active_begin(void)
{
    bodies *b = bodies_begin();
    bodies_sheet(b, 8, 8, 0.4, 0.4, 0, 0.01, 0);
    bodies_sheet(b, 6, 6, 0.3, 0.3, 0, -0.01, 0);
    bodies_obstacle(b, DC_OBSTACLE_SPHERE, dci_vec(0, DCI_R(-0.12), 0), dci_vec(0, 0, 0), 0.1);
    return b;
}

static dc_status active_set(bodies *b, dc_index body, int is_active)
{
    return dc_body_set_active(b->world, body, is_active, &b->error);
}

static void active_steps(bodies *b, int count)
{
    int i;
    for (i = 0; i < count; i++)
        CHECK(dc_world_step(b->world, DCI_R(0.005), &b->report, &b->error) == DC_OK);
}

/* Free fall of a flat sheet, by backward Euler steps or BDF2: between both. */
static void check_fell(const bodies *b, dc_index cloth, double from, double time)
{
    double y = (double)dc_cloth_measure(b->world, cloth).centre.y;
    CHECK_NEAR(from - y, 9.81 / 2 * time * time, 9.81 * time * 0.005 + 1e-7);
}

/* With the lower sheet and the ball off, the upper sheet falls through both. Then the sheet falls on
   the ball, as if it had just begun. */
static void test_a_body_that_is_off_neither_moves_nor_meets_others(void)
{
    bodies *b = active_begin();
    const dc_vec3 up = {0, 1, 0}, from = {0, DCI_R(-0.5), 0};
    dc_ray_hit hit;
    dc_measures m;
    CHECK(bodies_open(b) == DC_OK);
    CHECK(active_set(b, 1, 0) == DC_OK && active_set(b, 2, 0) == DC_OK);
    bodies_remember(b);
    active_steps(b, 50);
    CHECK(b->report.is_certified && b->report.counters.contact_rows == 0);
    check_fell(b, 0, 0.01, 0.25);
    CHECK(memcmp(b->before[1], dc_body_positions(b->world, 1),
                 sizeof(dc_vec3) * DC_GRID_VERTICES(6, 6)) == 0);
    /* The ray passes through the ball and the lower sheet. */
    CHECK(dc_world_cast_ray(b->world, from, up, &hit, &b->error) == DC_OK);
    CHECK(hit.body == 0);
    active_steps(b, 20);
    CHECK(dc_world_cast_ray(b->world, from, up, &hit, &b->error) == DC_OK);
    CHECK(hit.body == DC_NONE);
    CHECK(active_set(b, 0, 0) == DC_OK && active_set(b, 1, 1) == DC_OK);
    CHECK(active_set(b, 2, 1) == DC_OK);
    CHECK(dc_world_cast_ray(b->world, from, up, &hit, &b->error) == DC_OK);
    CHECK(hit.body == 2);
    check_fell(b, 1, -0.01, 0);
    active_steps(b, 40);
    m = dc_cloth_measure(b->world, 1);
    CHECK(m.centre.y > -0.1 && m.centre.y < -0.02); /* the ball holds it up */
    CHECK(b->report.counters.obstacle_contacts + b->report.counters.contact_rows > 0);
    /* Off and on again, it is at rest. */
    CHECK(m.kinetic > 0);
    CHECK(active_set(b, 1, 0) == DC_OK);
    CHECK(dc_cloth_measure(b->world, 1).kinetic == 0);
    bodies_close(b);
}

/* Neither a target that it had not reached nor contacts that it had remain of an obstacle. */
static void test_an_obstacle_that_is_switched_off_forgets_target_and_contacts(void)
{
    bodies *b = active_begin();
    const dc_vec3 no_spin = {0, 0, 0}, above = {0, DCI_R(0.3), 0};
    dc_index before, sheets, i;
    CHECK(bodies_open(b) == DC_OK);
    CHECK(active_set(b, 0, 0) == DC_OK);
    active_steps(b, 30);
    before = dc_world_contacts(b->world, 0, NULL);
    CHECK(before > 0);
    CHECK(dc_obstacle_move(b->world, b->world->moving_count, &above, no_spin, &b->error) == DC_OK);
    CHECK(active_set(b, 2, 0) == DC_OK);
    sheets = dc_world_contacts(b->world, 0, NULL);
    CHECK(sheets < before);
    active_steps(b, 1);
    CHECK(dc_body_positions(b->world, b->world->moving_count)[0].y == DCI_R(-0.12));
    CHECK(active_set(b, 1, 0) == DC_OK);
    CHECK_EQUAL(dc_world_contacts(b->world, 0, NULL), 0);
    for (i = 0; i < 2; i++) CHECK(active_set(b, 2, (int)i) == DC_OK);
    CHECK_EQUAL(dc_world_contacts(b->world, 0, NULL), 0);
    bodies_close(b);
}

/* What is off has no effect on the others: the bits are those of a world without it. */
static void test_others_move_as_if_a_body_that_is_off_did_not_exist(void)
{
    bodies *with = active_begin(), *without = bodies_begin();
    const dc_mesh_desc *mesh;
    bodies_sheet(without, 8, 8, 0.4, 0.4, 0, 0.01, 0);
    with->cloth[0].self_contact = without->cloth[0].self_contact = 0;
    mesh = &without->cloth[0].mesh;
    CHECK(bodies_open(with) == DC_OK && bodies_open(without) == DC_OK);
    CHECK(active_set(with, 1, 0) == DC_OK && active_set(with, 2, 0) == DC_OK);
    dc_world_set_wind(with->world, dci_vec(2, 1, 0), NULL);
    dc_world_set_wind(without->world, dci_vec(2, 1, 0), NULL);
    active_steps(with, 20);
    active_steps(without, 20);
    CHECK(memcmp(dc_body_positions(with->world, 0), dc_body_positions(without->world, 0),
                 (size_t)mesh->vertex_count * sizeof(dc_vec3)) == 0);
    bodies_close(with);
    bodies_close(without);
}

/* A sheet hangs by a row of pins, or by a corner, and goes .5 m while it is off. On again, each vertex
   is there in the same shape; a step of 10 ms accelerates it by no more than gravity does. */
static void test_a_cloth_that_is_switched_on_is_at_its_targets(void)
{
    static const dc_vec3 way = {DCI_R(0.3), 0, DCI_R(-0.4)};
    static const dc_index pins[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    dc_index kind, v, i, vertices = DC_GRID_VERTICES(8, 8);
    for (kind = 0; kind < 4; kind++) {
        bodies *b = bodies_begin();
        const dc_vec3 *x, *velocity;
        bodies_sheet(b, 8, 8, 0.4, 0.4, 0, 0, 0);
        b->cloth[0].pin_vertices = pins;
        b->cloth[0].pin_count = kind % 2 ? 1 : 9;
        b->cloth[0].element = kind < 2 ? DC_ELEMENT_NONCONFORMING : DC_ELEMENT_ISOMETRIC;
        CHECK(bodies_open(b) == DC_OK);
        active_steps(b, 30);
        CHECK(active_set(b, 0, 0) == DC_OK);
        bodies_remember(b);
        for (i = 0; i < b->cloth[0].pin_count; i++)
            CHECK(dc_cloth_set_pin(b->world, 0, i, dci_vec_add(b->before[0][pins[i]], way),
                                   &b->error) == DC_OK);
        active_steps(b, 2);
        CHECK(active_set(b, 0, 1) == DC_OK);
        x = dc_body_positions(b->world, 0);
        for (v = 0; v < vertices; v++)
            CHECK_AT_MOST(dci_norm(dci_vec_sub(x[v], dci_vec_add(b->before[0][v], way))),
                          TOL(1e-8, 1e-5));
        CHECK(dc_world_step(b->world, DCI_R(0.01), &b->report, &b->error) == DC_OK);
        velocity = dc_body_velocities(b->world, 0);
        for (v = 0; v < vertices; v++) CHECK_AT_MOST(dci_norm(velocity[v]), 3 * 9.81 * 0.01);
        CHECK_AT_MOST(b->report.counters.newton_iterations, 40);
        bodies_close(b);
    }
}

/* An obstacle is where the pins go: the sheet stays off, and where it was, until it has gone. */
static void test_a_cloth_is_not_switched_on_where_its_targets_make_it_cross(void)
{
    static const dc_index pins[2] = {0, 8};
    bodies *b = bodies_begin();
    const dc_vec3 no_spin = {0, 0, 0}, far_off = {5, 0, 0};
    uint64_t hash;
    int i;
    bodies_sheet(b, 8, 8, 0.4, 0.4, 0, 0, 0);
    b->cloth[0].pin_vertices = pins;
    b->cloth[0].pin_count = 2;
    bodies_obstacle(b, DC_OBSTACLE_SPHERE, dci_vec(1, 0, 0), dci_vec(0, 0, 0), 0.1);
    CHECK(bodies_open(b) == DC_OK);
    CHECK(active_set(b, 0, 0) == DC_OK);
    bodies_remember(b);
    hash = dc_world_hash(b->world);
    for (i = 0; i < 2; i++)
        CHECK(dc_cloth_set_pin(b->world, 0, i, dci_vec_add(b->before[0][pins[i]], dci_vec(1, 0, 0)),
                               &b->error) == DC_OK);
    CHECK(active_set(b, 0, 1) == DC_CROSSING && dc_world_hash(b->world) == hash);
    active_steps(b, 1);
    CHECK_EQUAL(b->report.counters.newton_iterations, 0);
    CHECK(dc_obstacle_move(b->world, b->world->moving_count, &far_off, no_spin, &b->error) ==
          DC_OK);
    active_steps(b, 1);
    CHECK(active_set(b, 0, 1) == DC_OK);
    CHECK_NEAR(dc_body_positions(b->world, 0)[0].x, b->before[0][0].x + 1, TOL(1e-12, 1e-6));
    bodies_close(b);
}

/* A ribbon in a world of its own, held at its first segment, or at a point, moved while it is off. */
static void test_a_ribbon_that_is_switched_on_is_at_its_targets(void)
{
    int is_fixed;
    for (is_fixed = 0; is_fixed < 2; is_fixed++) {
        bodies *b = bodies_begin();
        dc_ribbon_desc ribbon = dc_ribbon_defaults();
        dc_attachment_desc point = dc_attachment_defaults();
        dc_vec3 before[2], axis;
        const dc_vec3 *x, *v;
        dc_index i, count;
        ribbon.is_fixed = is_fixed;
        point.target = ribbon.origin;
        ribbon.attachments = &point;
        ribbon.attachment_count = is_fixed ? 0 : 1;
        b->desc.ribbons = &ribbon;
        b->desc.ribbon_count = 1;
        CHECK(bodies_open(b) == DC_OK);
        active_steps(b, 10);
        CHECK(active_set(b, 0, 0) == DC_OK);
        count = dc_body_mesh(b->world, b->desc.cloth_count)->vertex_count;
        x = dc_body_positions(b->world, b->desc.cloth_count);
        before[0] = x[0];
        before[1] = x[count - 1];
        axis = dci_vec_sub(before[1], before[0]);
        if (!is_fixed)
            CHECK(dc_ribbon_set_attachment(b->world, b->desc.cloth_count, 0,
                                           dci_vec_add(ribbon.origin, dci_vec(0, 0, DCI_R(0.5))),
                                           &b->error) == DC_OK);
        CHECK(active_set(b, 0, 1) == DC_OK);
        x = dc_body_positions(b->world, b->desc.cloth_count);
        CHECK_NEAR(dci_norm(dci_vec_sub(x[count - 1], x[0])), dci_norm(axis), TOL(1e-12, 1e-6));
        for (i = 0; i < 2; i++)
            CHECK_NEAR(x[i ? count - 1 : 0].z, before[i].z + (is_fixed ? 0 : DCI_R(0.5)),
                       TOL(1e-12, 1e-6));
        CHECK(dc_world_step(b->world, DCI_R(0.01), &b->report, &b->error) == DC_OK);
        v = dc_body_velocities(b->world, b->desc.cloth_count);
        for (i = 0; i < count; i++) CHECK_AT_MOST(dci_norm(v[i]), 3 * 9.81 * 0.01);
        bodies_close(b);
    }
}

/* The upper sheet is between the lower one and the ball. */
static void test_a_body_is_not_switched_on_where_it_crosses(void)
{
    int start;
    for (start = 0; start < 2; start++) {
        bodies *b = active_begin();
        const dc_vec3 low = {0, DCI_R(-0.02), 0}, high = {0, DCI_R(-0.12), 0}, still = {0, 0, 0};
        b->desc.start = start ? DC_START_TOLERATE : DC_START_REFUSE;
        CHECK(bodies_open(b) == DC_OK);
        CHECK(active_set(b, 2, 0) == DC_OK);
        /* An obstacle that is off is at once where it is moved to. */
        CHECK(dc_obstacle_move(b->world, b->world->moving_count, &low, still, &b->error) == DC_OK);
        CHECK(dc_body_positions(b->world, b->world->moving_count)->y == low.y);
        CHECK(dc_world_crossings(b->world, 0, NULL) == 0);
        if (start) {
            CHECK(active_set(b, 2, 1) == DC_OK);
            CHECK(dc_world_crossings(b->world, 0, NULL) > 0);
        } else {
            CHECK(active_set(b, 2, 1) == DC_CROSSING);
            CHECK(strcmp(b->error.where, "dc_body_set_active") == 0);
            CHECK(b->error.pair.first.body == 2 || b->error.pair.second.body == 2);
            CHECK(dc_world_crossings(b->world, 0, NULL) == 0);
            active_steps(b, 1);
            CHECK(b->report.is_certified);
        }
        CHECK(active_set(b, 2, 0) == DC_OK);
        CHECK(dc_obstacle_move(b->world, b->world->moving_count, &high, still, &b->error) == DC_OK);
        CHECK(active_set(b, 2, 1) == DC_OK);
        CHECK(dc_world_crossings(b->world, 0, NULL) == 0);
        active_steps(b, 20);
        CHECK(b->report.is_certified);
        bodies_close(b);
    }
}

static void test_switching_on_tells_that_pairs_are_too_many(void)
{
    bodies *b = active_begin();
    const dc_vec3 at = {0, DCI_R(-0.1101), 0}, still = {0, 0, 0};
    b->desc.pair_capacity = 1;
    b->cloth[0].self_contact = b->cloth[1].self_contact = 0;
    CHECK(bodies_open(b) == DC_OK);
    CHECK(active_set(b, 2, 0) == DC_OK);
    CHECK(dc_obstacle_move(b->world, b->world->moving_count, &at, still, &b->error) == DC_OK);
    CHECK(active_set(b, 2, 1) == DC_TOO_SMALL);
    CHECK(b->error.needed > 1 && b->error.given == 1);
    active_steps(b, 1);
    bodies_close(b);
}

/* A ribbon hangs from a sheet that is off as from a wall; with the sheet on, both fall. */
static void ribbon_hangs_from_a_body_that_is_off(int collides)
{
    dc_ribbon_desc ribbon;
    dc_attachment_desc hold;
    bodies *b = load_begin(&ribbon, &hold, 1e-2);
    dc_vec3 from;
    b->cloth[0].clamp_count = 0;
    b->desc.collides = collides;
    CHECK(bodies_open(b) == DC_OK);
    from = dc_body_positions(b->world, 0)[hold.vertex];
    CHECK(active_set(b, 0, 0) == DC_OK);
    active_steps(b, 40);
    CHECK_AT_MOST(dci_norm(load_gap(b, &hold)), 20 * (double)ribbon.tolerance);
    CHECK(dci_norm(dci_vec_sub(dc_body_positions(b->world, 0)[hold.vertex], from)) == 0);
    CHECK(active_set(b, 0, 1) == DC_OK);
    active_steps(b, 20);
    CHECK_AT_MOST(dci_norm(load_gap(b, &hold)), 20 * (double)ribbon.tolerance);
    CHECK(dc_body_positions(b->world, 0)[hold.vertex].y < from.y - DCI_R(0.01));
    /* The ribbon off, too: the sheet falls without it. */
    CHECK(active_set(b, 1, 0) == DC_OK);
    from = dc_body_positions(b->world, b->desc.cloth_count)[0];
    active_steps(b, 20);
    CHECK(dc_body_positions(b->world, b->desc.cloth_count)[0].y == from.y);
    CHECK(dci_norm(load_gap(b, &hold)) > 0.01);
    bodies_close(b);
}

static void test_a_ribbon_hangs_from_a_body_that_is_off(void)
{
    int collides;
    for (collides = 0; collides < 2; collides++) ribbon_hangs_from_a_body_that_is_off(collides);
}

/* Steps leave a taut strip at some distance from two sheets that swing: it keeps that while they are
   off, as it is too short to reach both. On again, they go on. */
static void test_a_taut_ribbon_stays_between_bodies_that_are_off(void)
{
    dc_ribbon_desc strip;
    dc_attachment_desc hold[2];
    bodies *b = strip_begin(&strip, hold, 10, 1);
    dc_vec3 gap;
    int i;
    CHECK(bodies_open(b) == DC_OK);
    for (i = 0; i < 30; i++) CHECK(bodies_step(b, 1.0 / 60) == DC_OK);
    gap = load_gap(b, hold);
    CHECK(dci_norm(gap) > 2 * strip.tolerance);
    for (i = 0; i < 2; i++) CHECK(active_set(b, i, 0) == DC_OK);
    for (i = 0; i < 20; i++) CHECK(bodies_step(b, 1.0 / 60) == DC_OK && b->report.is_certified);
    CHECK_AT_MOST(dci_norm(dci_vec_sub(load_gap(b, hold), gap)), 20 * (double)strip.tolerance);
    for (i = 0; i < 2; i++) CHECK(active_set(b, i, 1) == DC_OK);
    for (i = 0; i < 20; i++) CHECK(bodies_step(b, 1.0 / 60) == DC_OK && b->report.is_certified);
    CHECK_AT_MOST(dci_norm(load_gap(b, hold)), strip.thickness);
    bodies_close(b);
}

static void test_what_is_off_is_saved(void)
{
    bodies *b = active_begin();
    bodies *other = active_begin();
    size_t bytes;
    void *block;
    CHECK(bodies_open(b) == DC_OK && bodies_open(other) == DC_OK);
    CHECK(active_set(b, 1, 0) == DC_OK);
    active_steps(b, 10);
    bytes = dc_world_save_bytes(b->world);
    block = test_alloc(bytes);
    CHECK(dc_world_save(b->world, block, bytes, &b->error) == DC_OK);
    CHECK(dc_world_load(other->world, block, bytes, &other->error) == DC_OK);
    active_steps(b, 10);
    active_steps(other, 10);
    CHECK(dc_world_hash(b->world) == dc_world_hash(other->world));
    CHECK(dc_cloth_measure(other->world, 1).kinetic == 0);
    free(block);
    bodies_close(b);
    bodies_close(other);
}

static void test_a_world_whose_bodies_are_all_off_is_at_rest(void)
{
    bodies *b = active_begin();
    uint64_t hash;
    dc_index i, steps;
    CHECK(bodies_open(b) == DC_OK);
    for (i = 0; i < 3; i++) CHECK(active_set(b, i, 0) == DC_OK);
    CHECK(dc_world_settle(b->world, DCI_R(0.01), DCI_R(1e-3), 5, &steps, &b->error) == DC_OK);
    hash = dc_world_hash(b->world);
    active_steps(b, 1);
    CHECK(dc_world_hash(b->world) != hash); /* time goes on */
    CHECK(dc_cloth_measure(b->world, 0).kinetic == 0);
    bodies_close(b);
}

/* Flat lengths of the surface's triangles, [m]: those of its rest shape. */
static void check_flat_lengths(const dc_mesh *mesh, const dc_vec2 *flat)
{
    dc_index q;
    for (q = 0; q < 3 * mesh->triangle_count; q++) {
        dc_vec2 a = flat[dci_corner_next(q)], b = flat[dci_corner_prev(q)];
        CHECK_NEAR(hypot((double)(a.x - b.x), (double)(a.y - b.y)), mesh->rest_length[q],
                   TOL(1e-12, 1e-6));
    }
}

/* A tube of one panel: at its seam a vertex has two places on the pattern. */
static void test_texture_coordinates_have_the_lengths_of_the_pattern(void)
{
    int element, kind;
    for (element = 0; element < 2; element++)
        for (kind = 0; kind < 2; kind++) {
            bodies *b = bodies_begin();
            shape_desc tube = shape_defaults(kind ? SHAPE_CYLINDER : SHAPE_GRID);
            dc_mesh_desc *mesh;
            dc_vec2 *corners, *flat, none[1];
            dc_index t, c, columns, rows, count;
            tube.columns = columns = 7;
            tube.rows = rows = 3;
            bodies_shape(b, &tube);
            mesh = &b->cloth[0].mesh;
            b->cloth[0].element = (dc_element)element;
            count = mesh->triangle_count;
            corners = (dc_vec2 *)test_alloc(3 * (size_t)count * sizeof *corners);
            /* Each row of cells is unrolled to the right. */
            for (t = 0; kind && t < count; t++)
                for (c = 0; c < 3; c++) {
                    dc_index v = mesh->triangles[3 * t + c], cell = t / 2 % columns;
                    dc_index column = v % columns;
                    if (column == 0 && cell == columns - 1) column = columns;
                    corners[3 * t + c].x = DCI_R(0.1) * (dc_real)column;
                    corners[3 * t + c].y = DCI_R(0.2) * (dc_real)(v / columns);
                }
            if (kind) mesh->flat_corners = corners;
            if (kind) b->cloth[0].start_lengths = 1;
            b->cloth[0].self_contact = 0;
            CHECK(bodies_open(b) == DC_OK);
            flat = (dc_vec2 *)test_alloc(12 * (size_t)count * sizeof *flat);
            if (!kind) {
                mesh->flat_vertices = NULL;
                CHECK(dc_body_texture_coordinates(b->world, 0, mesh, none, &b->error) ==
                      DC_BAD_ARGUMENT);
                CHECK(strcmp(b->error.what, "the mesh has no flat shape") == 0);
                for (t = 0; t < 3 * count; t++) {
                    corners[t].x = b->positions[0][mesh->triangles[t]].x;
                    corners[t].y = b->positions[0][mesh->triangles[t]].y;
                }
                mesh->flat_corners = corners;
            }
            CHECK(dc_body_texture_coordinates(b->world, 0, mesh, flat, &b->error) == DC_OK);
            check_flat_lengths(dc_body_mesh(b->world, 0), flat);
            mesh->triangle_count--;
            CHECK(dc_body_texture_coordinates(b->world, 0, mesh, flat, &b->error) ==
                  DC_BAD_ARGUMENT);
            CHECK(b->error.body == 0);
            mesh->triangle_count++, mesh->vertex_count--;
            CHECK(dc_body_texture_coordinates(b->world, 0, mesh, flat, &b->error) ==
                  DC_BAD_ARGUMENT);
            CHECK(strstr(b->error.what, "vertex_count") != NULL);
            free(corners);
            free(flat);
            bodies_close(b);
        }
}

/* The triangles of a ribbon fill its rectangle, also where creases have turned. */
static void test_texture_coordinates_of_a_ribbon_fill_its_rectangle(void)
{
    int ends;
    for (ends = 0; ends < 3; ends++) {
        bodies *b = bodies_begin();
        dc_ribbon_desc ribbon = dc_ribbon_defaults();
        dc_real creases[49], angles[49];
        dc_vec2 flat[300];
        double area = 0, least = 0, most = 0;
        int i;
        ribbon.ends = (dc_ribbon_ends)ends;
        ribbon.start_creases = creases;
        ribbon.start_angles = angles;
        CHECK(dc_ribbon_start(&ribbon, DCI_R(6.2831853), ends == 1 ? DCI_R(0.) : DCI_R(0.5),
                              creases, angles, &b->error) == DC_OK);
        b->desc.ribbons = &ribbon;
        b->desc.ribbon_count = 1;
        b->desc.collides = 0;
        CHECK(bodies_open(b) == DC_OK);
        active_steps(b, 2);
        dc_body_texture_coordinates(b->world, b->desc.cloth_count, NULL, flat, NULL);
        for (i = 0; i < 100; i++) {
            const dc_vec2 *p = flat + 3 * i;
            double part = ((double)(p[1].x - p[0].x) * (double)(p[2].y - p[0].y) -
                           (double)(p[2].x - p[0].x) * (double)(p[1].y - p[0].y)) /
                          2;
            CHECK(part > 0);
            area += part;
        }
        for (i = 0; i < 300; i++) {
            least = fmin(least, (double)flat[i].x);
            most = fmax(most, (double)flat[i].x);
            CHECK_NEAR(fabs((double)flat[i].y), 0.025, TOL(1e-15, 1e-8));
        }
        CHECK_NEAR(area, 0.05, TOL(1e-12, 1e-6));
        CHECK_NEAR(least, 0, 0);
        CHECK_NEAR(most, 1, TOL(1e-15, 1e-7));
        bodies_close(b);
    }
}

static const test_case tests_active[] = {
    {"a body that is off neither moves nor meets others",
     test_a_body_that_is_off_neither_moves_nor_meets_others},
    {"an obstacle that is switched off forgets target and contacts",
     test_an_obstacle_that_is_switched_off_forgets_target_and_contacts},
    {"others move as if a body that is off did not exist",
     test_others_move_as_if_a_body_that_is_off_did_not_exist},
    {"a cloth that is switched on is at its targets",
     test_a_cloth_that_is_switched_on_is_at_its_targets},
    {"a cloth is not switched on where its targets make it cross",
     test_a_cloth_is_not_switched_on_where_its_targets_make_it_cross},
    {"a ribbon that is switched on is at its targets",
     test_a_ribbon_that_is_switched_on_is_at_its_targets},
    {"a body is not switched on where it crosses", test_a_body_is_not_switched_on_where_it_crosses},
    {"switching on tells that pairs are too many", test_switching_on_tells_that_pairs_are_too_many},
    {"a ribbon hangs from a body that is off", test_a_ribbon_hangs_from_a_body_that_is_off},
    {"a taut ribbon stays between bodies that are off",
     test_a_taut_ribbon_stays_between_bodies_that_are_off},
    {"what is off is saved", test_what_is_off_is_saved},
    {"a world whose bodies are all off is at rest",
     test_a_world_whose_bodies_are_all_off_is_at_rest},
    {"texture coordinates have the lengths of the pattern",
     test_texture_coordinates_have_the_lengths_of_the_pattern},
    {"texture coordinates of a ribbon fill its rectangle",
     test_texture_coordinates_of_a_ribbon_fill_its_rectangle},
};
