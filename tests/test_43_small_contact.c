/* Chapters 43 and 48: small steps in contact. Ways are compared with closed forms, crossings with the
   exact referee, and forces with weights. */

/* ---- Sliding ---- */

/* A sheet slides down a slope. In N sub-steps symplectic Euler goes 1 + 1/N of the way; all that is off
   is less than a hundredth of it, to the side as well. */
static void small_slide(slide_base base, dc_index cells, double rate, double friction)
{
    slide s = slide_on(base, cells, 26, rate, friction);
    s.step = DC_STEP_SMALL;
    double ideal = slide_closed_form(&s) * SLIDE_TIME * SLIDE_TIME / 2;
    bodies *b = slide_sheet(&s, base == SLIDE_CLOTH || base == SLIDE_SELF ? 1.001e-3 : 0.501e-3);
    CHECK(bodies_open(b) == DC_OK);
    dc_vec3 moved = slide_run(b, SLIDE_VERTICES, s.dt, SLIDE_TIME);
    CHECK_NEAR((double)dci_dot(moved, slide_point(1, 0, 0)), ideal, 0.01 * ideal);
    CHECK_AT_MOST(fabs((double)moved.z), 0.01 * ideal);
    slide_close(b);
}

static void test_small_steps_slide_as_on_a_plane(void)
{
    small_slide(SLIDE_PLANE, 1, 60, 0.2);
    small_slide(SLIDE_MESH, 1, 60, 0);
    small_slide(SLIDE_MESH, 12, 120, 0.35);
    small_slide(SLIDE_CLOTH, 6, 120, 0.2);
    small_slide(SLIDE_SELF, 6, 120, 0.2);
}

/* tan 25 degrees is .47. */
static void test_small_steps_stick_below_the_angle_of_friction(void)
{
    slide s = slide_on(SLIDE_MESH, 12, 26, 60, 0.6);
    s.step = DC_STEP_SMALL;
    bodies *b = slide_sheet(&s, 0.501e-3);
    CHECK(bodies_open(b) == DC_OK);
    dc_vec3 moved = slide_run(b, SLIDE_VERTICES, s.dt, SLIDE_TIME);
    CHECK_AT_MOST((double)dci_norm(moved), 1e-3); /* it would slide .17 m */
    slide_close(b);
}

/* ---- Round bodies ---- */

/* A sheet of .6 m above a sphere, or a capsule along x. */
static bodies *small_over(dc_obstacle_kind kind, double half)
{
    bodies *b = bodies_begin();
    dc_index k = bodies_sheet(b, 12, 12, 0.6, 0.6, 0, 0.3, 0);
    b->cloth[k].step = DC_STEP_SMALL;
    b->cloth[k].drag_normal = DCI_R(0.3);
    b->cloth[k].thickness = DCI_R(4e-3);
    bodies_obstacle(b, kind, dci_vec((dc_real)-half, DCI_R(0.1), 0),
                    dci_vec((dc_real)half, DCI_R(0.1), 0), 0.18)
        ->friction = DCI_R(0.4);
    CHECK(bodies_open(b) == DC_OK);
    return b;
}

static void small_drop(bodies *b, int frames)
{
    for (int i = 0; i < frames; i++)
        CHECK(bodies_step(b, 1.0 / 60) == DC_OK && b->report.is_certified);
}

/* The sum of the contact forces on the cloth [N]. */
static dc_vec3 small_force(const bodies *b)
{
    static dc_contact_force forces[4000];
    dc_index count = dc_world_contacts(b->world, 4000, forces);
    CHECK(count > 0 && count <= 4000);
    return contacts_force_on(forces, count, 0);
}

static void small_rests(dc_obstacle_kind kind, double half)
{
    enum { REST = 60 };
    bodies *b = small_over(kind, half);
    dc_vec3 mean = dci_vec(0, 0, 0);
    double weight = 0.6 * 0.6 * 0.15 * 9.81;
    small_drop(b, 180);
    dc_real height = dc_cloth_measure(b->world, 0).centre.y;
    for (int i = 0; i < REST; i++) {
        small_drop(b, 1);
        mean = dci_vec_axpy(mean, DCI_R(1) / REST, small_force(b));
    }
    /* It lies on the body, is not strained, and the body carries its weight. */
    CHECK_NEAR((double)dc_cloth_measure(b->world, 0).centre.y, (double)height, 5e-3);
    CHECK_AT_MOST((double)b->report.strain_rms, 2e-3);
    CHECK_NEAR((double)mean.y, weight, 0.05 * weight);
    CHECK_AT_MOST(hypot((double)mean.x, (double)mean.z), 0.05 * weight);
    bodies_close(b);
}

static void test_small_steps_come_to_rest_on_round_bodies(void)
{
    small_rests(DC_OBSTACLE_SPHERE, 0);
    small_rests(DC_OBSTACLE_CAPSULE, 0.5);
}

/* The ball spins at 1 rad/s; what lies on it goes along. */
static void test_small_steps_are_carried_along_by_a_spinning_ball(void)
{
    bodies *b = small_over(DC_OBSTACLE_SPHERE, 0);
    small_drop(b, 120);
    for (int i = 0; i < 120; i++) {
        CHECK(dc_obstacle_move(b->world, 1, b->obstacle[0].point, dci_vec(0, 1, 0), &b->error) ==
              DC_OK);
        small_drop(b, 1);
    }
    dc_measures m = dc_cloth_measure(b->world, 0);
    /* All vertices turn at about this rate: the mean of (r x v)_y / (x^2 + z^2). */
    double turn = 0;
    dc_index count = b->cloth[0].mesh.vertex_count;
    for (dc_index v = 0; v < count; v++) {
        dc_vec3 x = dc_body_positions(b->world, 0)[v], u = dc_body_velocities(b->world, 0)[v];
        double r_sq = (double)(x.x * x.x + x.z * x.z);
        if (r_sq > 1e-3) turn += (double)(x.z * u.x - x.x * u.z) / r_sq / count;
    }
    CHECK_NEAR(turn, 1, 0.15);
    CHECK_AT_MOST(hypot((double)m.centre.x, (double)m.centre.z), 0.03);
    bodies_close(b);
}

/* ---- Cloths ---- */

/* Two sheets fly at each other without gravity: no momentum is lost. */
static void test_small_steps_keep_the_momentum_of_cloths_that_collide(void)
{
    bodies *b = bodies_begin();
    dc_vec3 before = dci_vec(0, 0, 0), after = before;
    double size = 0;
    for (int k = 0; k < 2; k++) {
        dc_index c = bodies_sheet(b, 6, 6, 0.3, 0.3, 0.05 * k, 0.02 * k, 0.03 * k);
        b->cloth[c].step = DC_STEP_SMALL;
        b->cloth[c].density = DCI_R(0.15) * (dc_real)(k + 1);
    }
    b->desc.gravity = dci_vec(0, 0, 0);
    CHECK(bodies_open(b) == DC_OK);
    bodies_throw(b, 0, dci_vec(DCI_R(0.1), 1, 0));
    bodies_throw(b, 1, dci_vec(0, -1, DCI_R(0.1)));
    for (int k = 0; k < 2; k++) {
        before = dci_vec_add(before, dc_cloth_measure(b->world, k).momentum);
        size += (double)dci_norm(dc_cloth_measure(b->world, k).momentum);
    }
    small_drop(b, 60);
    for (int k = 0; k < 2; k++)
        after = dci_vec_add(after, dc_cloth_measure(b->world, k).momentum);
    /* Floats round positions to 1e-8 m, and velocities to that over a sub-step, in each sweep. */
    CHECK_AT_MOST((double)dci_norm(dci_vec_sub(after, before)), TOL(1e-3, 1e-2) * size);
    /* They have met: the light one goes down, or stays. */
    CHECK((double)dc_cloth_measure(b->world, 0).momentum.y < 0.5 * 0.15 * 0.09);
    bodies_close(b);
}

/* A clamp that is led over a ball arrives in each step, though contacts act near it. */
static void test_small_steps_lead_clamps_in_contact(void)
{
    static const dc_clamp_desc clamp = {0, 1};
    bodies *b = bodies_begin();
    dc_index c = bodies_sheet(b, 6, 6, 0.3, 0.3, 0, 0.2, 0);
    b->cloth[c].step = DC_STEP_SMALL;
    b->cloth[c].clamps = &clamp;
    b->cloth[c].clamp_count = 1;
    bodies_obstacle(b, DC_OBSTACLE_SPHERE, dci_vec(0, DCI_R(0.08), 0), dci_vec(0, 0, 0), 0.1);
    CHECK(bodies_open(b) == DC_OK);
    dc_vec3 from = dc_body_positions(b->world, 0)[0], to = dc_body_positions(b->world, 0)[1];
    for (int i = 0; i < 40; i++) { /* by a tenth of a mean edge each time */
        dc_vec3 outward = dci_vec(0, 0, 1);
        from.z += DCI_R(0.005), to.z += DCI_R(0.005);
        CHECK(dc_cloth_set_clamp(b->world, 0, 0, from, to, outward, &b->error) == DC_OK);
        small_drop(b, 1);
        dc_vec3 at = dc_cloth_midpoints(b->world, 0)[dci_world_cloth(b->world, 0)->clamps.edge[0]];
        dc_vec3 middle = dci_vec_scale(DCI_R(0.5), dci_vec_add(from, to));
        CHECK_AT_MOST((double)dci_norm(dci_vec_sub(at, middle)), 0.2 * 0.025);
    }
    bodies_close(b);
}

/* ---- Contracts ---- */

static void test_small_steps_refuse_other_bodies(void)
{
    bodies *b = bodies_begin();
    dc_ribbon_desc ribbon = dc_ribbon_defaults();
    bodies_sheet(b, 3, 3, 0.3, 0.3, 0, 0.1, 0);
    bodies_sheet(b, 3, 3, 0.3, 0.3, 0, 0.3, 0);
    b->cloth[0].step = DC_STEP_SMALL;
    CHECK(bodies_make(b) == DC_BAD_ARGUMENT);
    CHECK(strcmp(b->error.field, "step") == 0 && b->error.index == 1);
    b->desc.cloth_count = 1;
    b->desc.ribbons = &ribbon;
    b->desc.ribbon_count = 1;
    CHECK(bodies_make(b) == DC_BAD_ARGUMENT && strcmp(b->error.field, "step") == 0);
    b->desc.collides = 0;
    CHECK(bodies_make(b) == DC_OK);
    b->desc.cloth_count = 2;
    bodies_close(b);
}

/* A world in contact continues from a snapshot with the same bits. */
static void test_small_steps_in_contact_continue_from_a_snapshot(void)
{
    bodies *b = small_over(DC_OBSTACLE_SPHERE, 0);
    size_t bytes = dc_world_save_bytes(b->world);
    uint64_t hash;
    void *snapshot;
    small_drop(b, 40);
    bytes = dc_world_save_bytes(b->world);
    snapshot = test_alloc(bytes);
    CHECK(dc_world_save(b->world, snapshot, bytes, &b->error) == DC_OK);
    small_drop(b, 10);
    hash = dc_world_hash(b->world);
    CHECK(dc_world_load(b->world, snapshot, bytes, &b->error) == DC_OK);
    CHECK(dc_world_compare(b->world, snapshot, bytes, &b->error) == DC_OK);
    small_drop(b, 10);
    CHECK(dc_world_hash(b->world) == hash);
    free(snapshot);
    bodies_close(b);
}

/* A step that spends its work leaves the state as it was. */
static void test_small_steps_in_contact_keep_to_their_work(void)
{
    bodies *b = small_over(DC_OBSTACLE_SPHERE, 0);
    small_drop(b, 10);
    uint64_t hash = dc_world_hash(b->world);
    CHECK(dc_world_set_work_max(b->world, b->info.work_least, &b->error) == DC_OK);
    CHECK(dc_world_step(b->world, DCI_R(0.1), &b->report, &b->error) == DC_WORK_SPENT);
    CHECK(dc_world_hash(b->world) == hash);
    CHECK(b->report.work <= 2 * b->info.work_least);
    CHECK(dc_world_set_work_max(b->world, 0, &b->error) == DC_OK);
    small_drop(b, 10);
    bodies_close(b);
}

static const test_case tests_small_contact[] = {
    {"small steps slide as on a plane", test_small_steps_slide_as_on_a_plane},
    {"small steps stick below the angle of friction",
     test_small_steps_stick_below_the_angle_of_friction},
    {"small steps come to rest on round bodies", test_small_steps_come_to_rest_on_round_bodies},
    {"small steps are carried along by a spinning ball",
     test_small_steps_are_carried_along_by_a_spinning_ball},
    {"small steps keep the momentum of cloths that collide",
     test_small_steps_keep_the_momentum_of_cloths_that_collide},
    {"small steps lead clamps in contact", test_small_steps_lead_clamps_in_contact},
    {"small steps refuse other bodies", test_small_steps_refuse_other_bodies},
    {"small steps in contact continue from a snapshot",
     test_small_steps_in_contact_continue_from_a_snapshot},
    {"small steps in contact keep to their work", test_small_steps_in_contact_keep_to_their_work},
};
