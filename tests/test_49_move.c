/* Bodies that are moved without motion: to another place, turned, with all that belongs to them. */

enum { CAPE_CELLS = 8, CAPE_PINS = CAPE_CELLS + 1 };

static dc_index cape_pins[CAPE_PINS];

/* A cape of half a metre that hangs behind a trunk and a head, all with coordinates that are
   multiples of 1/1024, `by` from the origin. Bodies 0, 1 and 2. */
static bodies *cape_begin(dc_vec3 by)
{
    shape_desc shape = shape_defaults(SHAPE_GRID);
    bodies *b = bodies_begin();
    dc_index v;
    int i;
    shape.columns = shape.rows = CAPE_CELLS;
    shape.width = shape.height = DCI_R(.5);
    bodies_shape(b, &shape);
    for (i = 0; i < CAPE_PINS; i++) cape_pins[i] = CAPE_CELLS * (CAPE_CELLS + 1) + i;
    b->cloth[0].pin_vertices = cape_pins;
    b->cloth[0].pin_count = CAPE_PINS;
    b->cloth[0].drag_normal = b->cloth[0].drag_tangential = DCI_R(.1);
    for (v = 0; v < b->cloth[0].mesh.vertex_count; v++)
        b->positions[0][v] = dci_vec_add(b->positions[0][v], by);
    bodies_obstacle(b, DC_OBSTACLE_CAPSULE, dci_vec_add(by, dci_vec(DCI_R(.25), 0, DCI_R(-.125))),
                    dci_vec_add(by, dci_vec(DCI_R(.25), DCI_R(.375), DCI_R(-.125))), .109375);
    bodies_obstacle(b, DC_OBSTACLE_SPHERE, dci_vec_add(by, dci_vec(DCI_R(.25), DCI_R(.75), 0)),
                    dci_vec(0, 0, 0), .125);
    CHECK(bodies_open(b) == DC_OK);
    return b;
}

static dc_status move_by(bodies *b, dc_index body, dc_vec3 rotation, dc_vec3 by)
{
    return dc_world_move(b->world, body, rotation, dci_vec(0, 0, 0), by, 0, &b->error);
}

/* The figure steps forward, into its cape. */
static void cape_step(bodies *b, int step)
{
    int i;
    for (i = 0; i < 2; i++) {
        dc_vec3 to[2] = {{0, 0, 0}, {0, 0, 0}};
        const dc_vec3 *now = dc_body_positions(b->world, b->world->moving_count + i);
        to[0] = dci_vec_add(now[0], dci_vec(0, 0, DCI_R(.0078125)));
        if (i == 0) to[1] = dci_vec_add(now[1], dci_vec(0, 0, DCI_R(.0078125)));
        CHECK(dc_obstacle_move(b->world, b->world->moving_count + i, to, dci_vec(0, step % 2, 0),
                               &b->error) == DC_OK);
    }
    CHECK(dc_world_step(b->world, DCI_R(.01), &b->report, &b->error) == DC_OK);
}

/* Moved by metres that are exact in binary, all together or body by body, a cape and its figure take
   the steps of those that were planned there, bit for bit, with contact and without strain. */
static void test_a_moved_cape_takes_the_steps_of_one_planned_there(void)
{
    const dc_vec3 none = {0, 0, 0}, by = {TOL(50, 4), -2, DCI_R(-.5)};
    int run, i, contacts = 0;
    for (run = 0; run < 2; run++) {
        bodies *there = cape_begin(by), *moved = cape_begin(none);
        if (run) CHECK(move_by(moved, DC_NONE, none, by) == DC_OK);
        for (i = 0; i < 3 && !run; i++) CHECK(move_by(moved, i, none, by) == DC_OK);
        CHECK_EQUAL(memcmp(dc_body_positions(there->world, 0), dc_body_positions(moved->world, 0),
                           (size_t)there->mesh[0].vertex_count * sizeof(dc_vec3)),
                    0);
        for (i = 0; i < 12; i++) {
            cape_step(there, i), cape_step(moved, i);
            CHECK(dc_world_hash(there->world) == dc_world_hash(moved->world));
            CHECK_AT_MOST(moved->report.constraint_error, moved->cloth[0].tolerance);
            contacts +=
                moved->report.counters.contact_rows + moved->report.counters.obstacle_contacts;
        }
        CHECK(moved->report.is_certified);
        bodies_close(there), bodies_close(moved);
    }
    CHECK(contacts > 0);
}

/* A sheet on a ball, at rest with friction. */
static bodies *resting_begin(void)
{
    bodies *b = bodies_begin();
    bodies_sheet(b, 6, 6, 0.25, 0.25, 0, 0.002, 0);
    b->cloth[0].drag_normal = b->cloth[0].drag_tangential = 1;
    b->cloth[0].bending = DCI_R(1e-4);
    bodies_obstacle(b, DC_OBSTACLE_SPHERE, dci_vec(0, DCI_R(-.1), 0), dci_vec(0, 0, 0), 0.1)
        ->friction = 1;
    CHECK(bodies_open(b) == DC_OK);
    CHECK(dc_world_settle(b->world, DCI_R(.01), DCI_R(1e-3), 1000, NULL, &b->error) == DC_OK);
    return b;
}

/* The force of all contacts on the first body, and their number. */
static dc_vec3 contact_force_sum(bodies *b, dc_index *count)
{
    static dc_contact_force force[500];
    dc_vec3 sum = {0, 0, 0};
    dc_index i;
    *count = dc_world_contacts(b->world, 500, force);
    CHECK(*count <= 500);
    for (i = 0; i < *count; i++)
        if (force[i].pair.second.body == 0)
            sum = dci_vec_add(sum, force[i].force);
        else
            sum = dci_vec_sub(sum, force[i].force);
    return sum;
}

/* The largest distance of vertices from where a motion takes them. */
static double move_error(dc_index count, const dc_vec3 *moved, const dc_vec3 *still,
                         const dci_relocation *to)
{
    dc_index v;
    double worst = 0;
    for (v = 0; v < count; v++) {
        dc_vec3 x = dci_vec_sub(dci_relocate_point(to, still[v]), moved[v]);
        worst = fmax(worst, (double)dci_norm(x));
    }
    return worst;
}

/* What rests goes on resting: nowhere does it lift off or slide, its energies stay, and contact
   forces carry it in the first step as before. */
static void test_what_rests_goes_on_resting_where_it_is_moved_to(void)
{
    static const dc_vec3 rotation[3] = {{0, 0, 0}, {0, DCI_R(1.5707963267948966), 0}, {0, 4, 0}};
    const dc_vec3 none = {0, 0, 0}, by = {TOL(64, 4), 0, 0};
    int run, i;
    for (run = 0; run < 3; run++) {
        bodies *still = resting_begin(), *moved = resting_begin();
        dci_relocation to = dci_relocation_of(rotation[run], none, by);
        dci_relocation turn = dci_relocation_of(rotation[run], none, none);
        const dci_cloth *c[2] = {dci_world_cloth(still->world, 0),
                                 dci_world_cloth(moved->world, 0)};
        dc_measures before = dc_cloth_measure(moved->world, 0), after;
        dc_index contacts, kept;
        dc_vec3 force = contact_force_sum(moved, &contacts), turned;
        CHECK(move_by(moved, DC_NONE, rotation[run], by) == DC_OK);
        turned = contact_force_sum(moved, &kept);
        CHECK(contacts > 0 && contacts == kept);
        CHECK_NEAR(force.y, before.mass * DCI_R(9.81), 0.05 * 9.81 * (double)before.mass);
        CHECK_AT_MOST(dci_norm(dci_vec_sub(turned, dci_relocate_vector(&to, force))),
                      TOL(1e-12, 1e-5));
        CHECK_AT_MOST(
            move_error(c[0]->count[4], c[1]->committed.last, c[0]->committed.last, &turn),
            TOL(1e-12, 1e-5));
        CHECK_AT_MOST(
            move_error(c[0]->count[4], c[1]->committed.steady, c[0]->committed.steady, &turn),
            TOL(1e-12, 1e-5));
        for (i = 0; i < 10; i++) {
            CHECK(dc_world_step(still->world, DCI_R(.005), &still->report, &still->error) == DC_OK);
            CHECK(dc_world_step(moved->world, DCI_R(.005), &moved->report, &moved->error) == DC_OK);
            CHECK_AT_MOST(move_error(49, dc_body_positions(moved->world, 0),
                                     dc_body_positions(still->world, 0), &to),
                          TOL(1e-6, 1e-3));
        }
        after = dc_cloth_measure(moved->world, 0);
        CHECK_NEAR(after.bending, before.bending, 0.01 * (double)before.bending);
        CHECK_NEAR(after.gravity, dc_cloth_measure(still->world, 0).gravity,
                   TOL(1e-6, 1e-3) * (double)after.mass);
        CHECK_AT_MOST(after.kinetic, TOL(1e-6, 1e-4) * (double)after.mass);
        bodies_close(still), bodies_close(moved);
    }
}

/* A thrown sheet flies on in the direction to which it was turned, or stops. */
static void test_velocities_turn_or_stop(void)
{
    const dc_vec3 quarter = {0, DCI_R(1.5707963267948966), 0}, none = {0, 0, 0};
    int stops, i;
    for (stops = 0; stops < 2; stops++) {
        const dc_vec3 expected = {0, stops ? 0 : 1, stops ? 0 : -2};
        bodies *b = bodies_begin();
        bodies_sheet(b, 3, 3, 1, 1, 0, 0, 0);
        b->desc.gravity = none;
        CHECK(bodies_open(b) == DC_OK);
        bodies_throw(b, 0, dci_vec(2, 1, 0));
        for (i = 0; i < 3; i++)
            CHECK(dc_world_step(b->world, DCI_R(.01), NULL, &b->error) == DC_OK);
        CHECK(dc_world_move(b->world, 0, quarter, dci_vec(1, 0, 1), none, stops, &b->error) ==
              DC_OK);
        for (i = 0; i < 2; i++) {
            dc_measures m = dc_cloth_measure(b->world, 0);
            dc_vec3 velocity = dci_vec_scale(1 / m.mass, m.momentum);
            CHECK_AT_MOST(dci_norm(dci_vec_sub(velocity, expected)), TOL(1e-9, 1e-4));
            CHECK(dc_world_step(b->world, DCI_R(.01), NULL, &b->error) == DC_OK);
        }
        bodies_close(b);
    }
}

/* A sheet with pins, a clamp, a grab and forces; a ribbon that is fixed, and held at a point, at a
   normal and by a vertex of the sheet; a plane below. Targets lead away in the next step. */
static bodies *held_begin(dc_attachment_desc hold[3], dc_ribbon_desc *ribbon)
{
    static const dc_index pins[2] = {0, 4};
    static const dc_clamp_desc clamp = {20, 21};
    bodies *b = bodies_begin();
    dc_vec3 force[25];
    int i;
    bodies_sheet(b, 4, 4, 0.4, 0.4, 0, 0, 0);
    b->cloth[0].pin_vertices = pins, b->cloth[0].pin_count = 2;
    b->cloth[0].clamps = &clamp, b->cloth[0].clamp_count = 1;
    b->cloth[0].grab_capacity = 2;
    *ribbon = dc_ribbon_defaults();
    ribbon->segment_count = 10;
    ribbon->length = DCI_R(.5);
    ribbon->is_fixed = 1;
    ribbon->origin = dci_vec(DCI_R(.2), 0, DCI_R(-.2));
    ribbon->along = dci_vec(1, 0, 0), ribbon->normal = dci_vec(0, 1, 0);
    ribbon->attachments = hold, ribbon->attachment_count = 3;
    for (i = 0; i < 3; i++) hold[i] = dc_attachment_defaults();
    hold[0].place.x = DCI_R(.25);
    hold[0].target = dci_vec(DCI_R(.45), 0, DCI_R(-.2));
    hold[1].place.x = DCI_R(.4), hold[1].kind = DC_ATTACH_NORMAL, hold[1].is_soft = 1;
    hold[1].target = dci_vec(0, 1, 0), hold[1].stiffness = DCI_R(.01);
    hold[2].body = 0, hold[2].vertex = 24, hold[2].is_soft = 1, hold[2].stiffness = 5;
    b->desc.ribbons = ribbon, b->desc.ribbon_count = 1;
    bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, -1, 0), dci_vec(0, 0, 0), 0);
    CHECK(bodies_open(b) == DC_OK);
    CHECK(dc_cloth_grab(b->world, 0, 12, dci_vec(0, DCI_R(.05), 0), DCI_R(.01), &b->error) ==
          DC_OK);
    for (i = 0; i < 25; i++) force[i] = dci_vec(0, DCI_R(.001), 0);
    CHECK(dc_cloth_set_forces(b->world, 0, force, &b->error) == DC_OK);
    for (i = 0; i < 4; i++)
        CHECK(dc_world_step(b->world, DCI_R(.004), &b->report, &b->error) == DC_OK);
    CHECK(dc_cloth_set_pin(b->world, 0, 1, dci_vec(DCI_R(.19), 0, DCI_R(.2)), &b->error) == DC_OK);
    CHECK(dc_cloth_set_clamp(b->world, 0, 0, dci_vec(DCI_R(-.2), 0, DCI_R(-.19)),
                             dci_vec(DCI_R(-.1), 0, DCI_R(-.19)), dci_vec(0, DCI_R(.1), -1),
                             &b->error) == DC_OK);
    CHECK(dc_cloth_grab_move(b->world, 0, 12, dci_vec(0, DCI_R(.06), 0), &b->error) == DC_OK);
    CHECK(dc_ribbon_set_attachment(b->world, b->desc.cloth_count, 1, dci_vec(0, 1, DCI_R(.1)),
                                   &b->error) == DC_OK);
    return b;
}

/* Turned about the vertical, in the middle of a motion, all together or body by body, a world goes
   on as if it had not been moved. */
static void test_all_that_holds_a_body_goes_along(void)
{
    const dc_vec3 rotation = {0, DCI_R(.7), 0}, centre = {1, 0, 2}, by = {3, -1, DCI_R(.5)};
    const dci_relocation to = dci_relocation_of(rotation, centre, by);
    const dci_relocation turn = dci_relocation_of(rotation, dci_vec(0, 0, 0), dci_vec(0, 0, 0));
    dc_attachment_desc hold[3];
    dc_ribbon_desc ribbon;
    int one, i;
    for (one = 0; one < 2; one++) {
        bodies *still = held_begin(hold, &ribbon), *moved = held_begin(hold, &ribbon);
        for (i = one ? 0 : DC_NONE; i < (one ? 3 : 0); i++)
            CHECK(dc_world_move(moved->world, i, rotation, centre, by, 0, &moved->error) == DC_OK);
        /* Where sub-steps begin, and how multipliers do. */
        CHECK(dci_norm(dci_world_ribbon(still->world, still->desc.cloth_count)
                           ->state.lambda[DCI_JOINTS]) > 0);
        CHECK_AT_MOST(move_error(1, &dci_world_cloth(moved->world, 0)->grabs.grab->start,
                                 &dci_world_cloth(still->world, 0)->grabs.grab->start, &to),
                      TOL(1e-14, 1e-5));
        CHECK_AT_MOST(
            move_error(DCI_JOINTS + 3,
                       dci_world_ribbon(moved->world, moved->desc.cloth_count)->state.lambda,
                       dci_world_ribbon(still->world, still->desc.cloth_count)->state.lambda,
                       &turn),
            TOL(1e-12, 1e-5));
        for (i = 0; i < 6; i++) {
            CHECK_AT_MOST(move_error(25, dc_body_positions(moved->world, 0),
                                     dc_body_positions(still->world, 0), &to),
                          TOL(2e-5, 5e-4));
            CHECK_AT_MOST(move_error(22, dc_body_positions(moved->world, moved->desc.cloth_count),
                                     dc_body_positions(still->world, still->desc.cloth_count), &to),
                          TOL(2e-5, 5e-4));
            CHECK_AT_MOST(move_error(3, dc_body_positions(moved->world, moved->world->moving_count),
                                     dc_body_positions(still->world, still->world->moving_count),
                                     &to),
                          TOL(1e-14, 1e-5));
            CHECK(dc_world_step(still->world, DCI_R(.004), &still->report, &still->error) == DC_OK);
            CHECK(dc_world_step(moved->world, DCI_R(.004), &moved->report, &moved->error) == DC_OK);
        }
        bodies_close(still), bodies_close(moved);
    }
}

/* The forces with which held points begin the next step are those of the last one, turned. */
static void test_multipliers_turn(void)
{
    static const dc_index pins[2] = {12, 15};
    const dc_vec3 quarter = {0, DCI_R(1.5707963267948966), 0}, none = {0, 0, 0};
    const dci_relocation to = dci_relocation_of(quarter, none, none);
    fixture f = fixture_begin();
    const dci_cloth *c;
    dc_vec3 before, after;
    fixture_grid(&f, 3, 3);
    f.cloth.pin_vertices = pins, f.cloth.pin_count = 2;
    CHECK(fixture_open(&f) == DC_OK);
    CHECK(fixture_run(&f, 0.1, 0.01) == DC_OK);
    c = fixture_cloth(&f);
    memcpy(&before, c->state.lambda + c->rows.length_count + 3, sizeof before);
    CHECK(dci_norm(before) > 0);
    CHECK(dc_world_move(f.world, DC_NONE, quarter, none, none, 0, &f.error) == DC_OK);
    memcpy(&after, c->state.lambda + c->rows.length_count + 3, sizeof after);
    CHECK_AT_MOST(dci_norm(dci_vec_sub(after, dci_relocate_vector(&to, before))), 0);
    fixture_close(&f);
}

/* A body set down in another is told by the next step; after the other has followed, all goes on.
   Contacts with a body that stays are forgotten. */
static void test_what_crosses_after_a_move_is_told_by_the_next_step(void)
{
    const dc_vec3 none = {0, 0, 0}, down = {0, DCI_R(-.0625), 0}, up = {0, DCI_R(.0625), 0};
    bodies *b = resting_begin();
    dc_index contacts;
    uint64_t hash;
    contact_force_sum(b, &contacts);
    CHECK(contacts > 0);
    CHECK(move_by(b, 0, none, down) == DC_OK);
    contact_force_sum(b, &contacts);
    CHECK_EQUAL(contacts, 0);
    hash = dc_world_hash(b->world);
    CHECK(dc_world_step(b->world, DCI_R(.01), NULL, &b->error) == DC_CROSSING);
    CHECK(dc_world_hash(b->world) == hash);
    CHECK(move_by(b, 1, none, down) == DC_OK);
    CHECK(dc_world_step(b->world, DCI_R(.01), NULL, &b->error) == DC_OK);
    CHECK(move_by(b, 1, none, up) == DC_OK);
    CHECK(dc_world_step(b->world, DCI_R(.01), NULL, &b->error) == DC_CROSSING);
    bodies_close(b);
}

/* While a cape is off its figure walks on; it is set down there before it is switched on. */
static void test_a_body_that_is_off_is_moved_to_where_it_returns(void)
{
    const dc_vec3 none = {0, 0, 0}, by = {4, 0, 0};
    bodies *there = cape_begin(by);
    bodies *b = cape_begin(none);
    dc_vec3 capsule[2], sphere;
    memcpy(capsule, dc_body_positions(there->world, there->world->moving_count), sizeof capsule);
    sphere = dc_body_positions(there->world, there->world->moving_count + 1)[0];
    CHECK(dc_body_set_active(b->world, 0, 0, &b->error) == DC_OK);
    CHECK(dc_obstacle_move(b->world, b->world->moving_count, capsule, none, &b->error) == DC_OK);
    CHECK(dc_obstacle_move(b->world, b->world->moving_count + 1, &sphere, none, &b->error) ==
          DC_OK);
    CHECK(dc_world_step(b->world, DCI_R(.01), NULL, &b->error) == DC_OK);
    CHECK(move_by(b, 0, none, by) == DC_OK);
    CHECK(dc_body_set_active(b->world, 0, 1, &b->error) == DC_OK);
    CHECK(dc_world_step(b->world, DCI_R(.01), NULL, &b->error) == DC_OK);
    CHECK(dc_world_step(there->world, DCI_R(.01), NULL, &there->error) == DC_OK);
    CHECK_EQUAL(memcmp(dc_body_positions(there->world, 0), dc_body_positions(b->world, 0),
                       (size_t)there->mesh[0].vertex_count * sizeof(dc_vec3)),
                0);
    bodies_close(there), bodies_close(b);
}

/* A refused move names the body and changes nothing, not even the bodies before it. */
static void test_places_that_are_not_finite_are_refused(void)
{
    const dc_vec3 none = {0, 0, 0}, half = {DCI_R(3.14159265358979), 0, 0};
    const dc_vec3 infinite = {0, 0, DCI_REAL_MAX}, far = {0, 0, DCI_R(.9) * DC_SQRT(DCI_REAL_MAX)};
    volatile dc_real zero = 0;
    dc_vec3 wrong[2] = {{0, 0, 0}, {0, 0, 0}};
    bodies *b = cape_begin(none);
    size_t bytes;
    void *snapshot;
    int i;
    cape_step(b, 0);
    bytes = dc_world_save_bytes(b->world);
    snapshot = test_alloc(bytes);
    CHECK(dc_obstacle_move(b->world, b->world->moving_count + 1, &far, none, &b->error) == DC_OK);
    CHECK(dc_world_save(b->world, snapshot, bytes, &b->error) == DC_OK);
    wrong[0].y = zero / zero, wrong[1].z = 1 / zero;
    for (i = 0; i < 2; i++) {
        dc_world *w = b->world;
        CHECK(dc_world_move(w, 0, wrong[i], none, none, 1, &b->error) == DC_NOT_FINITE);
        CHECK(dc_world_move(w, 0, none, wrong[i], none, 1, &b->error) == DC_NOT_FINITE);
        CHECK(dc_world_move(w, 0, none, none, wrong[i], 1, &b->error) == DC_NOT_FINITE);
    }
    CHECK(dc_world_move(b->world, 0, half, infinite, none, 1, &b->error) == DC_NOT_FINITE);
    CHECK(b->error.body == 0);
    /* Only the target of the sphere is too far. */
    CHECK(dc_world_move(b->world, DC_NONE, none, none, far, 1, &b->error) == DC_NOT_FINITE);
    CHECK(b->error.body == b->world->moving_count + 1);
    CHECK(dc_world_move(b->world, DC_NONE, dci_vec(0, 1001, 0), none, none, 1, &b->error) ==
          DC_BAD_ARGUMENT);
    CHECK_NEAR(b->error.value, 1001, 1e-3);
    CHECK(dc_world_compare(b->world, snapshot, bytes, &b->error) == DC_OK);
    free(snapshot);
    bodies_close(b);
}

static const test_case tests_move[] = {
    {"a moved cape takes the steps of one planned there",
     test_a_moved_cape_takes_the_steps_of_one_planned_there},
    {"what rests goes on resting where it is moved to",
     test_what_rests_goes_on_resting_where_it_is_moved_to},
    {"velocities turn or stop", test_velocities_turn_or_stop},
    {"all that holds a body goes along", test_all_that_holds_a_body_goes_along},
    {"multipliers turn", test_multipliers_turn},
    {"what crosses after a move is told by the next step",
     test_what_crosses_after_a_move_is_told_by_the_next_step},
    {"a body that is off is moved to where it returns",
     test_a_body_that_is_off_is_moved_to_where_it_returns},
    {"places that are not finite are refused", test_places_that_are_not_finite_are_refused},
};
