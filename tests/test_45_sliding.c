/* Chapters 30 and 45: what slides on triangles slides as on a plane. Ways are compared with closed forms:
   on an incline g (sin a - mu cos a) t^2 / 2, in a half pipe a pendulum's. */

/* ---- Friction ---- */

/* The acceleration [m/s^2] of a sheet that slides on a plane of 20 degrees, in the last half of .5 s. */
static double slide_acceleration(dc_integrator integrator, double dt, int is_loose)
{
    const double angle = 20 * (double)DCI_PI / 180;
    bodies *b = bodies_begin();
    dc_index k = bodies_sheet(b, 3, 3, 0.3, 0.3, 0, 0.5e-3, 0), v;
    int steps = (int)(0.5 / dt + 0.5), i;
    dc_vec3 down = dci_vec((dc_real)cos(angle), (dc_real)-sin(angle), 0), before = down;
    for (v = 0; v < b->cloth[k].mesh.vertex_count; v++)
        b->positions[k][v] = dci_vec_rotate(b->positions[k][v], dci_vec(0, 0, (dc_real)-angle));
    b->cloth[k].thickness = DCI_R(1e-3);
    b->cloth[k].friction = DCI_R(0.3);
    b->cloth[k].integrator = integrator;
    if (is_loose) {
        b->cloth[k].tolerance = DCI_R(0.03);
        b->cloth[k].residual_tol = 5;
        b->cloth[k].cg_tol = DCI_R(0.05);
    }
    bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, 0, 0), dci_cross(dci_vec(0, 0, 1), down), 0)
        ->friction = DCI_R(0.3);
    CHECK(bodies_open(b) == DC_OK);
    for (i = 0; i < steps; i++) {
        if (i == steps / 2) before = dc_cloth_velocities(b->world, 0)[5];
        CHECK(bodies_step(b, dt) == DC_OK);
    }
    before = dci_vec_sub(dc_cloth_velocities(b->world, 0)[5], before);
    bodies_close(b);
    return (double)dci_dot(before, down) / (dt * (steps - steps / 2));
}

/* g (sin a - mu cos a), with the tolerances of 08_game_loop.c, too. */
static void test_sheets_accelerate_on_an_incline_as_friction_lets_them(void)
{
    const double angle = 20 * (double)DCI_PI / 180;
    const double ideal = 9.81 * (sin(angle) - 0.3 * cos(angle));
    int k;
    for (k = 0; k < 8; k++) {
        double dt = k & 2 ? 1 / 60.0 : 1 / 240.0;
        dc_integrator integrator = k & 1 ? DC_INTEGRATOR_BACKWARD_EULER : DC_INTEGRATOR_BDF2;
        CHECK_NEAR(slide_acceleration(integrator, dt, k & 4) / ideal, 1, 1e-3);
    }
}

static const test_case tests_sliding[] = {
    {"sheets accelerate on an incline as friction lets them",
     test_sheets_accelerate_on_an_incline_as_friction_lets_them},
};
