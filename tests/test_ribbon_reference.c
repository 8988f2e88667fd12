/* Ribbons against closed forms: cylinder, cone, helix; motion of flat ribbons; rings, Moebius
   bands, the heavy cantilever. */

static const double RIBBON_PI = 3.14159265358979323846;

/* ---- Shapes ---- */

/* In the plane of along (x) and normal (y here) chords of s = length / n, each turned against the
   last by psi, have their ends on a circle of radius s / (2 sin(psi/2)) around (s/2, radius
   cos(psi/2)). */
static void test_straight_creases_of_one_angle_make_a_cylinder(void)
{
    enum { N = 24 };
    dc_vec3 x[2 * N + 2];
    ribbons *r = ribbons_begin();
    dc_ribbon_desc *d = &r->ribbon[0];
    double s = 1.0 / N, psi = 0.2, radius = s / (2 * sin(psi / 2));
    int k;
    d->segment_count = N;
    d->along = dci_vec(1, 0, 0);
    d->normal = dci_vec(0, 1, 0);
    ribbons_bend(r, 0, 0, psi);
    CHECK(dc_ribbon_shape(d, x, NULL, NULL, &r->error) == DC_OK);
    for (k = 0; k < 2 * N + 2; k++) {
        double dx = (double)x[k].x - s / 2, dy = (double)x[k].y - radius * cos(psi / 2);
        CHECK_NEAR(sqrt(dx * dx + dy * dy), radius, TOL(1e-14, 2e-6));
        CHECK_NEAR(x[k].z, k % 2 ? -0.025 : 0.025, TOL(1e-15, 1e-7));
    }
    CHECK(x[2 * 8].y > DCI_R(0.05)); /* towards the normal */
    ribbons_close(r);
}

/* Creases through one point of the pattern, (.5, height): c_j = (.5 - j length / n) / height. The
   point is on every crease, so it stays, and everything keeps its distance from it. */
static void make_cone(ribbons *r, dc_index n, double height, double curving)
{
    dc_index j;
    r->ribbon[0].segment_count = n;
    ribbons_bend(r, 0, 0, 0);
    for (j = 1; j < n; j++) {
        double left = (0.5 - (j - 0.5) / n) / height, right = (0.5 - (j + 0.5) / n) / height;
        r->creases[0][j - 1] = (dc_real)((0.5 - (double)j / n) / height);
        r->angles[0][j - 1] = (dc_real)(curving * (atan(left) - atan(right)));
    }
}

static void test_creases_through_one_point_make_a_cone(void)
{
    enum { N = 30 };
    dc_vec3 x[2 * N + 2], apex;
    dc_vec2 flat[2 * N + 2];
    ribbons *r = ribbons_begin();
    dc_ribbon_desc *d = &r->ribbon[0];
    int k;
    make_cone(r, N, 0.5, 1.3);
    d->origin = dci_vec(1, 2, 3);
    d->along = dci_vec(0, 0, 1);
    d->normal = dci_vec(1, 0, 0); /* across is (1,0,0) x (0,0,1) = (0,-1,0) */
    apex = dci_vec(1, DCI_R(1.5), DCI_R(3.5));
    CHECK(dc_ribbon_shape(d, x, NULL, flat, &r->error) == DC_OK);
    for (k = 0; k < 2 * N + 2; k++) {
        double dx = (double)flat[k].x - 0.5, dy = (double)flat[k].y - 0.5;
        CHECK_NEAR(ribbons_way(x[k], apex), sqrt(dx * dx + dy * dy), TOL(2e-14, 1e-5));
    }
    CHECK(fabs((double)x[2 * N].x - 1) > 0.1); /* and it is no longer flat */
    ribbons_close(r);
}

/* [REFERENCE] A ribbon round a cylinder of radius R at the pitch angle p: creases along the
   cylinder lean by tan p, and are R-chords apart: length / n cos p = 2 R sin(psi/2). The centre
   line's corners lie on the cylinder, p up for every segment, each psi further round. R = .1, p =
   30 degrees, n = 50: psi = .173422321096, rise .5; the smooth helix makes l cos p / (2 pi R) =
   1.378322239 turns. */
static void test_leaning_creases_make_a_helix(void)
{
    enum { N = 50 };
    dc_vec3 x[2 * N + 2];
    ribbons *r = ribbons_begin();
    dc_ribbon_desc *d = &r->ribbon[0];
    const double psi = 0.173422321096, c = 0.57735026919, s = 1.0 / N, radius = 0.1;
    double cosine = sqrt(0.75), turned = 0, last = 0;
    int j;
    d->along = dci_vec(1, 0, 0);
    d->normal = dci_vec(0, 0, 1);
    ribbons_bend(r, 0, c, psi);
    CHECK(dc_ribbon_shape(d, x, NULL, NULL, &r->error) == DC_OK);
    for (j = 0; j <= N; j++) {
        dc_vec3 m = dci_vec_scale(DCI_R(0.5), dci_vec_add(x[2 * j], x[2 * j + 1]));
        /* the axis is along the creases, (1/2, sqrt(3)/2); across it and up, from the axis, which
           is over the middle of the first chord */
        double up = (double)m.x / 2 + (double)m.y * cosine,
               side = (double)m.x * cosine - (double)m.y / 2 - s * cosine / 2,
               high = (double)m.z - radius * cos(psi / 2), angle = atan2(side, -high);
        CHECK_NEAR(sqrt(side * side + high * high), radius, TOL(1e-12, 2e-6));
        CHECK_NEAR(up, 0.01 * j, TOL(1e-12, 2e-6));
        if (j > 0) turned += fmod(angle - last + 4 * RIBBON_PI, 2 * RIBBON_PI);
        last = angle;
    }
    CHECK_NEAR(turned, N * psi, TOL(1e-9, 1e-4));
    CHECK_NEAR(turned / (2 * RIBBON_PI), 1.378322239, 2e-3); /* the chords are .13% shorter */
    ribbons_close(r);
}

/* ---- Energies ---- */

/* [REFERENCE] The same with angles of the smooth helix, psi = kappa_1 length / n cos p, kappa_1 =
   10: its bending energy is k/2 kappa_1^2 length width = 5 k/2, and n - 1 creases have (n - 1)/n of
   that; but in the first and the last segment rulings fan out, and half a crease has atanh(x)/x of
   it in each, (45.7). */
static void test_a_helix_has_the_bending_energy_of_the_smooth_one(void)
{
    static const dc_index counts[3] = {25, 50, 100};
    int i;
    for (i = 0; i < 3; i++) {
        ribbons *r = ribbons_begin();
        dc_index n = counts[i];
        double half = 0.5e-4, c = sqrt(1.0 / 3), x = (n == 100 ? 0.02 : 0.05) * c * n / 2;
        double expected = 5 * half * (n - 2 + atanh(x) / x) / n;
        dc_ribbon_measures m;
        r->ribbon[0].segment_count = n;
        r->ribbon[0].bending = DCI_R(1e-4);
        r->ribbon[0].ruling = DCI_R(3e-2);
        ribbons_bend(r, 0, c, 10 * sqrt(0.75) / n);
        if (n == 100) r->ribbon[0].width = DCI_R(0.02); /* lets c_1 be .577: the limit is .95 */
        if (n == 100) expected *= 0.4;
        CHECK(ribbons_open(r) == DC_OK);
        m = dc_ribbon_measure(r->world, 0);
        CHECK_NEAR(m.bending / expected, 1, TOL(1e-13, 1e-6));
        CHECK_NEAR(m.ruling / (3e-6 * (n - 1) / 3), 1, TOL(1e-13, 1e-6)); /* k beta sum of c^2 */
        CHECK_NEAR(m.kinetic, 0, 0);
        ribbons_close(r);
    }
}

/* A cone that curves by f for each radian of its pattern has E = k/2 f^2 angle ln(r2/r1), where
   both ends of a ruling are height +- width/2 below the apex: ln((h + w/2)/(h - w/2)) = w/h (1 +
   (w/h)^2/12 + ...). At w/h = .1 that is .08% more than a crease of even curvature has, (1 + c^2)
   psi^2 n w / l; and the half crease missing at both ends is left out of the angle. */
static void test_a_cone_has_the_bending_energy_of_the_smooth_one(void)
{
    ribbons *r = ribbons_begin();
    const dc_index n = 80;
    const double height = 0.5, f = 0.8;
    double first = (0.5 - 0.5 / n) / height, angle = 2 * atan(first);
    double expected = 0.5e-4 * f * f * angle * log((height + 0.025) / (height - 0.025));
    r->ribbon[0].bending = DCI_R(1e-4);
    r->ribbon[0].width = DCI_R(0.05);
    make_cone(r, n, height, f);
    /* the limit between crease 1 and the end, .475, forbids c_1 near 1: let the first ones come
       up */
    r->creases[0][0] = DCI_R(0.45);
    r->creases[0][1] = DCI_R(0.85);
    r->creases[0][n - 2] = DCI_R(-0.45);
    r->creases[0][n - 3] = DCI_R(-0.85);
    r->angles[0][0] = r->angles[0][1] = r->angles[0][n - 2] = r->angles[0][n - 3] = 0;
    first = (0.5 - 2.5 / n) / height;
    angle = 2 * atan(first);
    expected = 0.5e-4 * f * f * angle * log((height + 0.025) / (height - 0.025));
    CHECK(ribbons_open(r) == DC_OK);
    CHECK_NEAR(dc_ribbon_measure(r->world, 0).bending / expected, 1, 1.5e-3);
    ribbons_close(r);
}

/* ---- Motion ---- */

static void spin(ribbons *r, dc_vec3 centre, dc_vec3 velocity, dc_vec3 omega)
{
    static dc_vec3 x[2 * RIBBON_SEGMENTS + 2];
    dc_index k;
    CHECK(dc_ribbon_shape(&r->ribbon[0], x, NULL, NULL, &r->error) == DC_OK);
    for (k = 0; k < 2 * r->ribbon[0].segment_count + 2; k++)
        r->velocities[0][k] = dci_vec_add(velocity, dci_cross(omega, dci_vec_sub(x[k], centre)));
    r->ribbon[0].start_velocities = r->velocities[0];
}

/* A rectangle l x w of mass m that moves with v and turns with omega: kinetic energy m v^2/2 + m
   omega^2 (l^2 + w^2)/24 about its normal, m omega^2 w^2/24 about its long axis. Lean creases
   change nothing about that. */
static void test_measurements_of_a_flat_moving_ribbon(void)
{
    int kind;
    for (kind = 0; kind < 4; kind++) {
        ribbons *r = ribbons_begin();
        dc_ribbon_desc *d = &r->ribbon[0];
        dc_ribbon_measures m;
        dc_vec3 v = dci_vec(DCI_R(0.3), DCI_R(-0.2), DCI_R(0.5)), middle, omega;
        double mass = 2 * 0.3 * 0.1, inertia, turn = 1.5;
        int about_normal = kind % 2;
        d->segment_count = 10;
        d->length = 2;
        d->width = DCI_R(0.3);
        d->density = DCI_R(0.1);
        d->origin = dci_vec(1, 1, -2);
        d->along = dci_vec(0, 1, 0);
        d->normal = dci_vec(0, 0, 1);
        if (kind / 2) random_folds(r, 0, 0.9, 0, 6);
        middle = dci_vec(1, 2, -2);
        omega = about_normal ? dci_vec(0, 0, (dc_real)turn) : dci_vec(0, (dc_real)turn, 0);
        inertia = about_normal ? mass * (4 + 0.09) / 12 : mass * 0.09 / 12;
        spin(r, middle, v, omega);
        CHECK(ribbons_open(r) == DC_OK);
        m = dc_ribbon_measure(r->world, 0);
        CHECK_NEAR(m.mass, mass, TOL(1e-15, 1e-7));
        CHECK_AT_MOST(ribbons_way(m.centre, middle), TOL(1e-13, 1e-5));
        CHECK_AT_MOST(ribbons_way(m.momentum, dci_vec_scale((dc_real)mass, v)), TOL(1e-14, 1e-6));
        CHECK_NEAR(m.kinetic, mass * (0.09 + 0.04 + 0.25) / 2 + inertia * turn * turn / 2,
                   TOL(1e-14, 1e-6));
        {
            dc_vec3 orbit = dci_vec_scale((dc_real)mass, dci_cross(middle, v));
            dc_vec3 own = dci_vec_scale((dc_real)(inertia / turn * turn), omega);
            CHECK_AT_MOST(ribbons_way(m.angular_momentum, dci_vec_add(orbit, own)),
                          TOL(1e-13, 1e-5));
        }
        CHECK_NEAR(m.bending + m.gap + m.attached, 0, 0);
        CHECK_AT_MOST(m.area_error, TOL(1e-11, 1e-3));
        ribbons_close(r);
    }
}

/* BDF2 with its start is exact for x = x_0 + v t + g t^2/2; backward Euler's velocity is exact too,
   and its place after n steps is g h^2 n (n + 1)/2. */
static void test_a_flat_ribbon_falls_freely(void)
{
    int kind;
    for (kind = 0; kind < 2; kind++) {
        ribbons *r = ribbons_begin();
        dc_ribbon_desc *d = &r->ribbon[0];
        dc_ribbon_measures before, m;
        const dc_vec3 v = {DCI_R(0.3), 2, DCI_R(-0.4)};
        double h = 0.02, steps = 15, fall;
        d->integrator = (dc_integrator)kind;
        d->segment_count = 10;
        d->solver.residual_tol = TOL(DCI_R(1e-9), DCI_R(1e-3));
        d->solver.iteration_max = 2000;
        d->along = dci_vec(1, DCI_R(0.5), DCI_R(0.2));
        r->desc.gravity = dci_vec(0, DCI_R(-9.81), 0);
        spin(r, dci_vec(0, 0, 0), v, dci_vec(0, 0, 0));
        CHECK(ribbons_open(r) == DC_OK);
        before = dc_ribbon_measure(r->world, 0);
        CHECK(ribbons_run(r, steps * h, h) == DC_OK);
        m = dc_ribbon_measure(r->world, 0);
        fall = 9.81 * h * h * (kind ? steps * (steps + 1) / 2 : steps * steps / 2);
        CHECK_NEAR(m.centre.y, (double)before.centre.y + 2 * steps * h - fall, TOL(1e-9, 1e-3));
        CHECK_NEAR(m.centre.x, (double)before.centre.x + 0.3 * steps * h, TOL(1e-9, 1e-3));
        CHECK_NEAR(m.momentum.y / m.mass, 2 - 9.81 * steps * h, TOL(1e-8, 2e-3));
        CHECK_NEAR(m.gravity, 9.81 * (double)m.mass * (double)m.centre.y, TOL(1e-13, 1e-6));
        CHECK_AT_MOST(m.bending, TOL(1e-12, 1e-7));
        ribbons_close(r);
    }
}

/* A rigid body that turns in a plane by a rule that is linear in old places and velocities, and
   then is put to the nearest place, turns as one complex number z on the unit circle does: z~ is
   that rule, z its direction. So a spun flat ribbon is known exactly. */
typedef struct spun_point {
    double x[2], y[2], vx[2], vy[2]; /* now and before */
    double h;                        /* of the last step */
} spun_point;

/* A step of h after one of h_before, 0 for the first, by (20.3) to (20.5). */
static void spun_point_step(spun_point *p, int is_euler, double h, double h_before)
{
    int is_plain = is_euler || h_before == 0;
    double w = is_plain ? 1 : h / h_before, c0 = (1 + 2 * w) / (1 + w), c1 = 1 + w,
           c2 = w * w / (1 + w);
    double past = is_plain ? 0 : -c2 / c0, now = is_plain ? 1 : c1 / (c0 * c0),
           then = is_plain ? 0 : -c2 / (c0 * c0);
    double px = p->x[1] - p->x[0], py = p->y[1] - p->y[0], ux, uy, size, vx, vy;
    double x = p->x[0] + past * px + h * (now * p->vx[0] + then * p->vx[1]),
           y = p->y[0] + past * py + h * (now * p->vy[0] + then * p->vy[1]);
    size = sqrt(x * x + y * y);
    ux = x / size - p->x[0];
    uy = y / size - p->y[0];
    if (is_euler)
        vx = ux / h, vy = uy / h;
    else if (is_plain)
        vx = 2 * ux / h - p->vx[0], vy = 2 * uy / h - p->vy[0];
    else
        vx = (c0 * ux + c2 * px) / h, vy = (c0 * uy + c2 * py) / h;
    p->x[1] = p->x[0], p->y[1] = p->y[0], p->vx[1] = p->vx[0], p->vy[1] = p->vy[0];
    p->x[0] += ux, p->y[0] += uy, p->vx[0] = vx, p->vy[0] = vy;
}

/* A step of the world: the first of BDF2 is made in parts of 1/8, 1/8, 1/4 and 1/2. */
static void spun_point_world_step(spun_point *p, int is_euler, int is_first, double h)
{
    if (is_euler || !is_first) {
        spun_point_step(p, is_euler, h, is_first ? 0 : p->h);
        p->h = h;
        return;
    }
    spun_point_step(p, 0, h / 8, 0);
    spun_point_step(p, 0, h / 8, h / 8);
    spun_point_step(p, 0, h / 4, h / 8);
    spun_point_step(p, 0, h / 2, h / 4);
    p->h = h / 2;
}

typedef struct spun {
    double angle, kinetic, momentum; /* of the point */
    double kinetic_lost;
} spun;

/* Spins a flat ribbon by omega for `steps`, about its normal or about its long axis, and
   compares. */
static spun spin_ribbon(dc_integrator integrator, int is_roll, double h, int steps)
{
    ribbons *r = ribbons_begin();
    dc_ribbon_desc *d = &r->ribbon[0];
    dc_ribbon_measures m;
    spun_point p;
    spun s;
    const double omega = 3, mass = 0.005;
    double inertia = mass * (is_roll ? 0.0025 : 1.0025) / 12;
    dc_vec3 edge;
    int i;
    d->segment_count = 8;
    d->integrator = integrator;
    d->along = dci_vec(1, 0, 0);
    d->normal = dci_vec(0, 0, 1);
    d->origin = dci_vec(DCI_R(-0.5), 0, 0);
    d->bending = 1; /* so that it stays flat */
    d->solver.residual_tol = TOL(DCI_R(3e-10), DCI_R(1e-3));
    spin(r, dci_vec(0, 0, 0), dci_vec(0, 0, 0),
         is_roll ? dci_vec((dc_real)omega, 0, 0) : dci_vec(0, 0, (dc_real)omega));
    CHECK(ribbons_open(r) == DC_OK);
    memset(&p, 0, sizeof p);
    p.x[0] = 1;
    p.vy[0] = omega;
    for (i = 0; i < steps; i++) {
        CHECK(dc_world_step(r->world, (dc_real)h, &r->report, &r->error) == DC_OK);
        CHECK_EQUAL(r->report.substeps, i || integrator == DC_INTEGRATOR_BACKWARD_EULER ? 1 : 4);
        spun_point_world_step(&p, integrator == DC_INTEGRATOR_BACKWARD_EULER, i == 0, h);
    }
    m = dc_ribbon_measure(r->world, 0);
    s.angle = atan2(p.y[0], p.x[0]);
    s.kinetic = inertia / 2 * (p.vx[0] * p.vx[0] + p.vy[0] * p.vy[0]);
    s.momentum = inertia * (p.x[0] * p.vy[0] - p.y[0] * p.vx[0]);
    s.kinetic_lost = 1 - s.kinetic / (inertia * omega * omega / 2);
    /* the least of an energy known to some units in the last place is known to the root of that,
       in each of 30 steps */
    CHECK_NEAR(m.kinetic / s.kinetic, 1, TOL(1e-7, 5e-3));
    CHECK_NEAR((is_roll ? m.angular_momentum.x : m.angular_momentum.z) / s.momentum, 1,
               TOL(1e-7, 5e-3));
    CHECK_AT_MOST(dci_norm(m.momentum), TOL(1e-12, 1e-6));
    edge = dci_vec_sub(dc_body_positions(r->world, 0)[is_roll ? 1 : 16],
                       dc_body_positions(r->world, 0)[0]);
    if (is_roll)
        CHECK_NEAR(sin(atan2((double)edge.z, (double)edge.y) - s.angle), 0, TOL(1e-7, 5e-3));
    else
        CHECK_NEAR(sin(atan2((double)edge.y, (double)edge.x) - s.angle), 0, TOL(1e-7, 5e-3));
    ribbons_close(r);
    return s;
}

static void test_a_spun_flat_ribbon_turns_as_a_spun_point(void)
{
    int is_roll;
    for (is_roll = 0; is_roll < 2; is_roll++) {
        spun coarse = spin_ribbon(DC_INTEGRATOR_BDF2, is_roll, 0.04, 15),
             fine = spin_ribbon(DC_INTEGRATOR_BDF2, is_roll, 0.02, 30);
        CHECK(fine.kinetic_lost > 0 && fine.kinetic_lost < coarse.kinetic_lost / 3.5);
        CHECK(fabs(fine.angle - 1.8) < fabs(coarse.angle - 1.8) / 3); /* 3 rad/s for .6 s */
        coarse = spin_ribbon(DC_INTEGRATOR_BACKWARD_EULER, is_roll, 0.04, 15);
        fine = spin_ribbon(DC_INTEGRATOR_BACKWARD_EULER, is_roll, 0.02, 30);
        CHECK(fine.kinetic_lost > 0 && fine.kinetic_lost < coarse.kinetic_lost / 1.5);
    }
}

/* A helix that opens while it flies and turns: creases wander through the material. Nothing from
   outside acts, so the momentum stays; the angular momentum does by the order of the integrator. */
static double opening_helix(double h, dc_integrator integrator)
{
    ribbons *r = ribbons_begin();
    dc_ribbon_desc *d = &r->ribbon[0];
    dc_ribbon_measures before, after;
    double lost;
    d->segment_count = 16;
    d->integrator = integrator;
    d->bending = DCI_R(2e-4);
    d->solver.residual_tol = TOL(DCI_R(1e-7), DCI_R(1e-3));
    ribbons_bend(r, 0, 0.4, 0.2);
    spin(r, dci_vec(DCI_R(0.3), 0, 0), dci_vec(1, 2, 3), dci_vec(1, DCI_R(1.5), DCI_R(-1)));
    CHECK(ribbons_open(r) == DC_OK);
    before = dc_ribbon_measure(r->world, 0);
    CHECK(ribbons_run(r, 0.16, h) == DC_OK);
    after = dc_ribbon_measure(r->world, 0);
    CHECK_AT_MOST(ribbons_way(after.momentum, before.momentum) / (double)dci_norm(before.momentum),
                  TOL(1e-6, 1e-3));
    { /* about the centre of mass */
        dc_vec3 own0 =
                    dci_vec_sub(before.angular_momentum, dci_cross(before.centre, before.momentum)),
                own1 = dci_vec_sub(after.angular_momentum, dci_cross(after.centre, after.momentum));
        lost = ribbons_way(own1, own0) / (double)dci_norm(own0);
    }
    CHECK(dc_ribbon_measure(r->world, 0).bending < before.bending);
    ribbons_close(r);
    return lost;
}

/* Resampling keeps the momentum, but costs angular momentum at each step, whatever its length. */
static void test_an_opening_helix_keeps_its_momentum(void)
{
    CHECK_AT_MOST(opening_helix(0.01, DC_INTEGRATOR_BDF2), 0.05);
    CHECK_AT_MOST(opening_helix(0.005, DC_INTEGRATOR_BDF2), 0.05);
    CHECK_AT_MOST(opening_helix(0.01, DC_INTEGRATOR_BACKWARD_EULER), 0.05);
}

/* Air takes hold of a falling ribbon: v = g tau (1 - exp(-t / tau)), tau = density / drag, at last
   g tau. Wind carries it along the same way. */
static double falling_in_air(dc_integrator integrator, double h, double time, int is_wind)
{
    ribbons *r = ribbons_begin();
    dc_ribbon_desc *d = &r->ribbon[0];
    double tau = 0.1, v, goal = 9.81 * tau;
    d->segment_count = 6;
    d->integrator = integrator;
    d->drag = DCI_R(1.0);
    d->density = DCI_R(0.1);
    d->along = dci_vec(1, 0, 0);
    d->normal = dci_vec(0, 1, 0);
    d->solver.residual_tol = TOL(DCI_R(1e-9), DCI_R(1e-3));
    if (is_wind)
        r->desc.wind = dci_vec(0, DCI_R(-0.981), 0);
    else
        r->desc.gravity = dci_vec(0, DCI_R(-9.81), 0);
    CHECK(ribbons_open(r) == DC_OK);
    CHECK(ribbons_run(r, time, h) == DC_OK);
    v = (double)dc_body_velocities(r->world, 0)[7].y;
    ribbons_close(r);
    return fabs(v + goal * (1 - exp(-time / tau)));
}

static void test_drag_lets_a_ribbon_fall_at_its_terminal_velocity(void)
{
    int is_wind;
    for (is_wind = 0; is_wind < 2; is_wind++) {
        double first[2], second[2];
        int k;
        CHECK_AT_MOST(falling_in_air(DC_INTEGRATOR_BACKWARD_EULER, 0.2, 6, is_wind),
                      TOL(1e-7, 1e-3));
        CHECK_AT_MOST(falling_in_air(DC_INTEGRATOR_BDF2, 0.05, 3, is_wind), TOL(1e-6, 1e-3));
        if (TOL(0, 1)) continue;
        for (k = 0; k < 2; k++) {
            first[k] = falling_in_air(DC_INTEGRATOR_BACKWARD_EULER, 0.02 / (1 << k), 0.2, is_wind);
            second[k] = falling_in_air(DC_INTEGRATOR_BDF2, 0.02 / (1 << k), 0.2, is_wind);
        }
        CHECK_NEAR(log(first[0] / first[1]) / log(2.0), 1, 0.15);
        CHECK_NEAR(log(second[0] / second[1]) / log(2.0), 2, 0.25);
    }
}

/* Panels without stiffness, hinged to each other and to a line at the origin: the chain of rigid
   rectangles of [REFERENCE], released when it is horizontal. Returns how far the tip is from where
   it belongs. */
static double released_chain(dc_index panels, double width, double h, double time, double x,
                             double y)
{
    ribbons *r = ribbons_begin();
    dc_ribbon_desc *d = &r->ribbon[0];
    double side = width / 2, way;
    dc_vec3 tip;
    d->segment_count = panels;
    d->width = (dc_real)width;
    d->along = dci_vec(1, 0, 0);
    d->normal = dci_vec(0, 1, 0);
    d->bending = DCI_R(1e-8);
    d->ruling = 100;
    d->tolerance = TOL(DCI_R(1e-9), DCI_R(2e-5));
    d->solver.residual_tol = TOL(DCI_R(1e-7), DCI_R(1e-2));
    r->desc.gravity = dci_vec(0, DCI_R(-9.81), 0);
    ribbons_hold(r, 0, 0, -side, dci_vec(0, 0, (dc_real)side));
    ribbons_hold(r, 0, 0, side, dci_vec(0, 0, (dc_real)-side));
    CHECK(ribbons_open(r) == DC_OK);
    CHECK(ribbons_run(r, time, h) == DC_OK);
    tip = ribbons_point(r, 0, 1, 0);
    way = ribbons_way(tip, dci_vec((dc_real)x, (dc_real)y, 0));
    ribbons_close(r);
    return way;
}

static void test_panels_swing_as_rigid_bodies(void)
{
    double coarse = released_chain(4, 0.1, 0.01, 0.4, .45797569, -.84101794),
           fine = released_chain(4, 0.1, 0.005, 0.4, .45797569, -.84101794);
    if (getenv("RIBBON_NUMBERS")) printf("    four panels %g %g\n", coarse, fine);
    CHECK_AT_MOST(fine, 2e-3);
    if (TOL(1, 0)) CHECK_AT_MOST(fine, coarse / 3);
    coarse = released_chain(2, 0.5, 0.005, 0.4, .4309088283, -.8933459196);
    fine = released_chain(2, 0.5, 0.0025, 0.4, .4309088283, -.8933459196);
    if (getenv("RIBBON_NUMBERS")) printf("    two panels %g %g\n", coarse, fine);
    CHECK_AT_MOST(fine, 2e-3);
    if (TOL(1, 0)) CHECK_AT_MOST(fine, coarse / 3);
}

/* [REFERENCE] A clamped strip swings at 3.5160152685 sqrt(k / (density L^4)). It starts at rest in
   that mode, y ~ cosh b s - cos b s - sigma (sinh b s - sin b s), b^2 = 3.516, sigma = .7340955;
   each crease takes the curvature of a segment. Its tip goes through the middle after a quarter of
   the period. As in the cantilever below, half a segment is clamped. */
static void test_a_clamped_ribbon_swings_at_its_frequency(void)
{
    enum { N = 40 };
    ribbons *r = ribbons_begin();
    dc_ribbon_desc *d = &r->ribbon[0];
    double b = sqrt(3.5160152685), free_part = 1 - 0.5 / N, quarter, h, last = 1, now = 1,
           passed = 0;
    int j;
    d->segment_count = N;
    d->is_fixed = 1;
    d->along = dci_vec(1, 0, 0);
    d->normal = dci_vec(0, 1, 0);
    d->density = DCI_R(0.1);
    d->bending = DCI_R(0.1);
    d->solver.residual_tol = TOL(DCI_R(1e-5), DCI_R(1e-2));
    quarter = RIBBON_PI / 2 / (3.5160152685 / (free_part * free_part));
    h = quarter / 40;
    ribbons_bend(r, 0, 0, 0);
    for (j = 1; j < N; j++) {
        double s = ((double)j / N - 0.5 / N) / free_part;
        r->angles[0][j - 1] =
            (dc_real)(0.03 / N * b * b *
                      (cosh(b * s) + cos(b * s) - .7340955 * (sinh(b * s) + sin(b * s))));
    }
    CHECK(ribbons_open(r) == DC_OK);
    CHECK_NEAR(ribbons_point(r, 0, 1, 0).y, 0.06, 0.003); /* 2 x .03, hardly less for the ends */
    for (j = 1; j <= 80 && now > 0; j++) {
        last = (double)ribbons_point(r, 0, 1, 0).y;
        if (ribbons_run(r, h, h) != DC_OK) break;
        now = (double)ribbons_point(r, 0, 1, 0).y;
        passed += h;
    }
    CHECK(now <= 0);
    passed -= h * now / (now - last);
    CHECK_NEAR(passed / quarter, 1, 0.02);
    if (getenv("RIBBON_NUMBERS")) printf("    quarter of a period %g\n", passed / quarter);
    ribbons_close(r);
}

/* ---- Rest ---- */

/* A straight ribbon hangs from a spring by the middle of its end: the spring is m g / K long, and
   stores half of m g times that. */
static void test_a_ribbon_hangs_from_a_spring(void)
{
    ribbons *r = ribbons_begin();
    dc_ribbon_desc *d = &r->ribbon[0];
    dc_ribbon_measures m;
    const double weight = 9.81 * 0.005;
    d->segment_count = 6;
    d->along = dci_vec(0, -1, 0);
    d->normal = dci_vec(0, 0, 1);
    d->solver.residual_tol = TOL(DCI_R(1e-7), DCI_R(1e-3));
    d->solver.iteration_max = 2000;
    d->origin = dci_vec(0, DCI_R(0.02), 0);
    r->desc.gravity = dci_vec(0, DCI_R(-9.81), 0);
    ribbons_hold(r, 0, 0, 0, dci_vec(0, 0, 0))->is_soft = 1;
    r->hold[0][0].stiffness = 1;
    CHECK(ribbons_open(r) == DC_OK);
    CHECK(ribbons_relax(r, 0) == DC_OK);
    m = dc_ribbon_measure(r->world, 0);
    CHECK_NEAR(ribbons_point(r, 0, 0, 0).y, -weight, TOL(1e-7, 1e-4));
    CHECK_NEAR(m.attached, weight * weight / 2, TOL(1e-8, 1e-5));
    CHECK_NEAR(m.centre.y, -weight - 0.5, TOL(1e-7, 1e-4));
    CHECK_AT_MOST(m.bending, TOL(1e-12, 1e-7));
    CHECK(m.kinetic == 0);
    ribbons_close(r);
}

/* The flat ring of n segments, of which the first and the last are in line: the least of sum
   psi_j^2 with directions that close. There is a force in it, and the angle at a corner is in
   proportion to its moment: psi_j = a + b x_j + c y_j, with a, b, c such that it turns by 2 pi and
   ends where it began. Returns sum psi^2. */
static void ring_ends(int n, const double *abc, double *end, double *sum)
{
    double x = 0, y = 0, direction = 0;
    int j;
    *sum = 0;
    for (j = 0; j < n; j++) {
        double psi = j ? abc[0] + abc[1] * x + abc[2] * y : 0;
        direction += psi;
        *sum += psi * psi;
        x += cos(direction) / n;
        y += sin(direction) / n;
    }
    end[0] = direction - 2 * RIBBON_PI;
    end[1] = x;
    end[2] = y;
}

static double ring_angles(int n)
{
    double abc[3] = {0, 0, 0}, end[3], moved[3], m[3][4], sum, other;
    int round, i, k, p;
    abc[0] = 2 * RIBBON_PI / (n - 1);
    for (round = 0; round < 30; round++) {
        ring_ends(n, abc, end, &sum);
        for (k = 0; k < 3; k++) {
            double way = 1e-6;
            abc[k] += way;
            ring_ends(n, abc, moved, &other);
            abc[k] -= way;
            for (i = 0; i < 3; i++) m[i][k] = (moved[i] - end[i]) / way;
        }
        for (i = 0; i < 3; i++) m[i][3] = -end[i];
        for (p = 0; p < 3; p++) { /* Gauss and Jordan, largest of the column first */
            int best = p;
            for (i = p + 1; i < 3; i++)
                if (fabs(m[i][p]) > fabs(m[best][p])) best = i;
            for (k = 0; k < 4; k++) {
                double kept = m[p][k];
                m[p][k] = m[best][k];
                m[best][k] = kept;
            }
            for (i = 0; i < 3; i++) {
                double part = m[i][p] / m[p][p];
                for (k = p; i != p && k < 4; k++) m[i][k] -= part * m[p][k];
            }
        }
        for (i = 0; i < 3; i++) abc[i] += m[i][3] / m[i][i];
    }
    ring_ends(n, abc, end, &sum);
    CHECK_AT_MOST(fabs(end[0]) + fabs(end[1]) + fabs(end[2]), 1e-10);
    return sum;
}

/* E = k/2 n w/l sum psi^2; for large n that of the circle, k/2 (2 pi / l)^2 l w. */
static void test_a_loop_relaxes_to_a_ring(void)
{
    static const dc_index counts[2] = {12, 40};
    int i;
    for (i = 0; i < 2; i++) {
        ribbons *r = ribbons_begin();
        dc_ribbon_desc *d = &r->ribbon[0];
        dc_ribbon_measures m;
        double circle = 0.5e-4 * 4 * RIBBON_PI * RIBBON_PI * 0.05;
        dc_index n = counts[i];
        d->segment_count = n;
        d->ends = DC_RIBBON_LOOP;
        d->bending = DCI_R(1e-4);
        d->solver.residual_tol = TOL(DCI_R(1e-5), DCI_R(1e-3));
        d->tolerance = TOL(DCI_R(1e-7), DCI_R(2e-5));
        d->solver.iteration_max = 3000;
        ribbons_bend(r, 0, 0, 2 * RIBBON_PI / n); /* not quite closed */
        CHECK(ribbons_open(r) == DC_OK);
        CHECK(ribbons_relax(r, 0) == DC_OK);
        m = dc_ribbon_measure(r->world, 0);
        CHECK_NEAR(m.bending / (0.5e-4 * n * 0.05 * ring_angles(n)), 1, TOL(1e-5, 1e-3));
        CHECK_NEAR(m.bending / circle, 1, 4.0 / n); /* the joint takes no part: first order */
        CHECK_AT_MOST(m.ruling, TOL(1e-15, 1e-9));
        CHECK_EQUAL(dc_body_mesh(r->world, 0)->vertex_count, 2 * n);
        ribbons_close(r);
    }
}

/* A step closes a loop as well, and so do steps after it. */
static void test_a_loop_closes_in_a_step(void)
{
    ribbons *r = ribbons_begin();
    dc_ribbon_desc *d = &r->ribbon[0];
    const dc_index *triangles;
    dc_index t, largest = 0;
    d->segment_count = 20;
    d->ends = DC_RIBBON_LOOP;
    d->drag = DCI_R(0.1);
    d->tolerance = TOL(DCI_R(1e-6), DCI_R(2e-5));
    r->desc.gravity = dci_vec(0, DCI_R(-9.81), 0);
    ribbons_bend(r, 0, 0.05, 2 * RIBBON_PI / 20);
    CHECK(ribbons_open(r) == DC_OK);
    CHECK(ribbons_run(r, 0.1, 0.01) == DC_OK);
    CHECK_AT_MOST(r->report.ribbon_error, d->tolerance);
    triangles = dc_body_mesh(r->world, 0)->triangles;
    for (t = 0; t < 3 * 2 * 20; t++) {
        CHECK(triangles[t] >= 0 && triangles[t] < dc_body_mesh(r->world, 0)->vertex_count);
        largest = triangles[t] > largest ? triangles[t] : largest;
    }
    CHECK_EQUAL(largest, 39);
    ribbons_close(r);
}

/* The referee of Moebius bands: folded paper, the gradient of the appendix, and L-BFGS-B inside an
   augmented Lagrangian of its own. Variables are c_1, the differences c_j - c_(j-1), and the
   angles; energies are divided by k. Rows: x_n = y_0, y_n = x_0, a tenth of n_(n-1) = -n_0. The
   last crease's own limit is left out: it is checked in the end. */
typedef struct paper_band {
    paper f;
    double ruling, weight, error[9], multiplier[9];
} paper_band;

enum { PAPER_ROWS = 9 };
static const double PAPER_NORMAL = 0.1; /* [m] of a normal's rows, to be like those of points */

static void paper_band_take(paper_band *b, const double *q)
{
    int n = b->f.n, j;
    for (j = 1; j < n; j++) {
        b->f.c[j] = b->f.c[j - 1] + q[j - 1];
        b->f.psi[j] = q[n - 2 + j];
    }
    paper_fold(&b->f);
}

static void paper_band_rows(paper_band *b)
{
    const paper_vec *first = b->f.x, *last = b->f.x + 2 * b->f.n, n = b->f.normal[b->f.n - 1];
    paper_vec r[3];
    int i;
    r[0] = paper_sum(last[0], -1, first[1]);
    r[1] = paper_sum(last[1], -1, first[0]);
    r[2] = paper_vec_of(PAPER_NORMAL * n.x, PAPER_NORMAL * n.y, PAPER_NORMAL * (n.z + 1));
    for (i = 0; i < 3; i++) {
        b->error[3 * i] = r[i].x;
        b->error[3 * i + 1] = r[i].y;
        b->error[3 * i + 2] = r[i].z;
    }
}

/* (45.8) with k = 1, and its derivatives on top of those in by_c and by_psi. */
static double paper_band_bending(const paper_band *b, double *by_c, double *by_psi)
{
    double pitch = b->f.length / b->f.n, quarter = b->f.width / (4 * pitch), sum = 0;
    int j, i;
    for (j = 0; j < b->f.n; j++) {
        double x = b->f.width / (2 * pitch) * (b->f.c[j + 1] - b->f.c[j]), q = x * x, bent = 0;
        double fan = q < 1e-4 ? 1 + q / 3 + q * q / 5 + q * q * q / 7 : atanh(x) / x;
        double slope =
            q < 1e-4 ? x * (2.0 / 3 + q * 4 / 5 + q * q * 6 / 7) : (1 / (1 - q) - fan) / x;
        for (i = j; i <= j + 1; i++) {
            double c = b->f.c[i], psi = b->f.psi[i];
            bent += (1 + c * c) * psi * psi;
            by_psi[i] += 2 * quarter * fan * (1 + c * c) * psi;
            by_c[i] += 2 * quarter * fan * c * psi * psi;
        }
        sum += quarter * fan * bent;
        by_c[j + 1] += quarter * slope * bent * b->f.width / (2 * pitch);
        by_c[j] -= quarter * slope * bent * b->f.width / (2 * pitch);
    }
    return sum;
}

static double paper_band_ask(void *context, const double *q, double *gradient)
{
    static paper_vec x[2 * RIBBON_SEGMENTS + 2], normal[RIBBON_SEGMENTS];
    static double by_c[RIBBON_SEGMENTS + 1], by_psi[RIBBON_SEGMENTS + 1];
    paper_band *b = (paper_band *)context;
    int n = b->f.n, i, j;
    double f = 0, push[PAPER_ROWS], sum = 0;
    memset(x, 0, sizeof x);
    memset(normal, 0, sizeof normal);
    paper_band_take(b, q);
    paper_band_rows(b);
    for (i = 0; i < PAPER_ROWS; i++) {
        f += b->error[i] * (b->multiplier[i] + b->weight / 2 * b->error[i]);
        push[i] = b->multiplier[i] + b->weight * b->error[i];
    }
    x[2 * n] = paper_vec_of(push[0], push[1], push[2]);
    x[2 * n + 1] = paper_vec_of(push[3], push[4], push[5]);
    normal[n - 1] =
        paper_sum(paper_vec_of(0, 0, 0), PAPER_NORMAL, paper_vec_of(push[6], push[7], push[8]));
    paper_gradient(&b->f, x, normal, by_c, by_psi);
    f += paper_band_bending(b, by_c, by_psi);
    for (j = n - 1; j > 0; j--) {
        double c = b->f.c[j];
        f += b->ruling * c * c;
        sum += by_c[j] + 2 * b->ruling * c;
        gradient[j - 1] = sum; /* c_j and all after it move with this difference */
        gradient[n - 2 + j] = by_psi[j];
    }
    return f;
}

/* The bending energy of a band of length 1, by k, from a start with these creases and angles. */
static double paper_band_rest(int n, double width, double ruling, double crease, double angle)
{
    static paper_band b;
    static double q[2 * RIBBON_SEGMENTS], low[2 * RIBBON_SEGMENTS], high[2 * RIBBON_SEGMENTS];
    lbfgsb_problem problem;
    static double by_c[RIBBON_SEGMENTS + 1], by_psi[RIBBON_SEGMENTS + 1];
    double limit = 0.95 * 2 / (width * n), worst = 0;
    int j, round, i;
    memset(&b, 0, sizeof b);
    b.f.n = n;
    b.f.length = 1;
    b.f.width = width;
    b.ruling = ruling;
    b.weight = 1e4;
    for (j = 0; j < n - 1; j++) {
        q[j] = j ? 0 : crease;
        q[n - 1 + j] = angle;
        low[j] = -limit;
        low[n - 1 + j] = -3;
    }
    for (j = 0; j < 2 * (n - 1); j++) high[j] = -low[j];
    problem.n = 2 * (n - 1);
    problem.memory = 5;
    problem.objective = paper_band_ask;
    problem.context = &b;
    problem.lower = low;
    problem.upper = high;
    problem.gradient_max = 1e-7;
    problem.iteration_max = 20000;
    for (round = 0; round < 8; round++) { /* rounding may end it before the tolerance does */
        lbfgsb_minimise(&problem, q);
        paper_band_take(&b, q);
        paper_band_rows(&b);
        for (i = 0; i < PAPER_ROWS; i++) b.multiplier[i] += b.weight * b.error[i];
    }
    for (i = 0; i < PAPER_ROWS; i++) worst = fmax(worst, fabs(b.error[i]));
    CHECK_AT_MOST(worst, 1e-7);
    CHECK_AT_MOST(fabs(b.f.c[n - 1]), limit);
    return paper_band_bending(&b, by_c, by_psi);
}

/* A band with half a turn in it starts as a helix that need not be closed: one turn in all, and
   rulings that lean, but for its ends, where the lean has to grow from none. */
static double moebius_energy_from(double lean, dc_index n)
{
    ribbons *r = ribbons_begin();
    dc_ribbon_desc *d = &r->ribbon[0];
    double energy, step = 0.9 * 2 * (double)d->length / ((double)d->width * n);
    dc_index k;
    d->segment_count = n;
    d->ends = DC_RIBBON_MOEBIUS;
    d->bending = DCI_R(1e-4);
    d->ruling = DCI_R(1e-4);
    d->tolerance = TOL(DCI_R(1e-6), DCI_R(3e-5));
    d->solver.residual_tol = TOL(DCI_R(1e-5), DCI_R(1e-2));
    d->solver.iteration_max = 4000;
    ribbons_bend(r, 0, lean, 2 * RIBBON_PI / n / sqrt(1 + lean * lean));
    for (k = 0; k < n - 1; k++)
        r->creases[0][k] = (dc_real)fmin(lean, step * fmin(k + 1, n - 1 - k));
    CHECK(ribbons_open(r) == DC_OK);
    CHECK(ribbons_relax(r, 0) == DC_OK);
    energy = (double)dc_ribbon_measure(r->world, 0).bending / 1e-4;
    if (getenv("RIBBON_NUMBERS"))
        printf("    band of %d from a lean of %.1f: %.7f k, iterations %d rounds %d\n", (int)n,
               lean, energy, (int)r->report.counters.ribbon_iterations,
               (int)r->report.counters.ribbon_rounds);
    ribbons_close(r);
    return energy;
}

/* The least of several starts. There are many minima: where the band bends the other way, rulings
   jump from one limit to the other, and that place is stuck at a segment. Just half a turn of
   torsion (torsion by curvature is the lean) is a lean of .5. */
static double moebius_energy(dc_index n)
{
    double least = moebius_energy_from(0.3, n);
    int k;
    for (k = 4; k <= 8; k++) least = fmin(least, moebius_energy_from(k / 10.0, n));
    return least;
}

static void test_a_moebius_band_finds_its_rest_and_refines(void)
{
    double e20 = moebius_energy(20), e40 = moebius_energy(40), e80 = moebius_energy(80), lean = 0.8,
           angle;
    CHECK_AT_MOST(fabs(e80 - e40), 0.5 * fabs(e40 - e20)); /* of first order at least */
    CHECK_AT_MOST(fabs(e80 - e40), 0.01 * e80);
    angle = 2 * RIBBON_PI / 20 / sqrt(1 + lean * lean);
    if (TOL(1, 0)) {
        double e = paper_band_rest(20, 0.05, 1e-4, lean, angle);
        if (getenv("RIBBON_NUMBERS")) printf("    folded paper %.7f k\n", e);
        CHECK_NEAR(e20 / e, 1, 1e-4);
    }
}

/* ---- The heavy cantilever ---- */

/* theta'' = -gamma t cos theta with t from the free end, where theta' = 0; theta = 0 at t = 1. The
   direction of the free end by bisection, the curve by Runge and Kutta. */
static double elastica_back(double gamma, double tip, double *x, double *drop)
{
    enum { PARTS = 2000 };
    double y[4] = {0, 0, 0, 0}, h = 1.0 / PARTS;
    int i, k, q;
    y[0] = tip; /* theta, theta', reach, drop */
    for (i = 0; i < PARTS; i++) {
        double slope[4][4], at[4];
        for (k = 0; k < 4; k++) {
            double part = k == 0 ? 0 : k == 3 ? 1 : 0.5, t = (i + part) * h;
            for (q = 0; q < 4; q++) at[q] = y[q] + (k ? part * h * slope[k - 1][q] : 0);
            slope[k][0] = at[1];
            slope[k][1] = -gamma * t * cos(at[0]);
            slope[k][2] = cos(at[0]);
            slope[k][3] = sin(at[0]);
        }
        for (q = 0; q < 4; q++)
            y[q] += h / 6 * (slope[0][q] + 2 * slope[1][q] + 2 * slope[2][q] + slope[3][q]);
    }
    *x = y[2];
    *drop = y[3];
    return y[0];
}

static void elastica(double gamma, double *x, double *drop)
{
    double low = 0, high = RIBBON_PI / 2;
    int i;
    for (i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        if (elastica_back(gamma, middle, x, drop) < 0)
            low = middle;
        else
            high = middle;
    }
}

/* A horizontal ribbon whose first segment is held, gamma = density g l^3 / k. Each crease stands
   for the bending of half a segment on both of its sides; half of the first segment has none, so it
   is the elastica of what is left, clamped half a segment from the end. Returns how far the tip is
   from there. */
static double cantilever_ribbon(double gamma, dc_index creases, int is_turned, double *from_end)
{
    ribbons *r = ribbons_begin();
    dc_ribbon_desc *d = &r->ribbon[0];
    double half = 0.5 / (creases + 1), left = 1 - half, x, drop, dx, dy;
    dc_vec3 tip;
    d->segment_count = creases + 1;
    d->is_fixed = 1;
    d->along = dci_vec(1, 0, 0);
    d->normal = is_turned ? dci_vec(0, -1, 0) : dci_vec(0, 1, 0);
    d->bending = (dc_real)(0.1 * 9.81 / gamma);
    d->density = DCI_R(0.1);
    d->solver.residual_tol = TOL(DCI_R(1e-6), DCI_R(1e-2));
    r->desc.gravity = dci_vec(0, DCI_R(-9.81), 0);
    CHECK(ribbons_open(r) == DC_OK);
    CHECK(ribbons_relax(r, 0) == DC_OK);
    tip = ribbons_point(r, 0, 1, 0);
    CHECK_NEAR(tip.z, 0, TOL(1e-9, 1e-4)); /* it does not twist */
    CHECK_AT_MOST(dc_ribbon_measure(r->world, 0).ruling, TOL(1e-12, 1e-6));
    elastica(gamma * left * left * left, &x, &drop);
    dx = (double)tip.x - half - left * x;
    dy = (double)tip.y + left * drop;
    elastica(gamma, &x, &drop);
    *from_end = sqrt(((double)tip.x - x) * ((double)tip.x - x) +
                     ((double)tip.y + drop) * ((double)tip.y + drop));
    ribbons_close(r);
    return sqrt(dx * dx + dy * dy);
}

static void test_a_heavy_cantilever_is_the_elastica(void)
{
    static const double gammas[3] = {5, 20, 50};
    double x, drop;
    int i;
    elastica(5, &x, &drop); /* [REFERENCE] */
    CHECK_NEAR(x, .8466571800, 1e-8);
    CHECK_NEAR(drop, .4959050446, 1e-8);
    elastica(20, &x, &drop);
    CHECK_NEAR(x, .4452320522, 1e-8);
    CHECK_NEAR(drop, .8298814434, 1e-8);
    for (i = 0; i < 3; i++) {
        double from_end[3], error[3];
        error[0] = cantilever_ribbon(gammas[i], 10, 0, &from_end[0]);
        error[1] = cantilever_ribbon(gammas[i], 20, 1, &from_end[1]);
        error[2] = cantilever_ribbon(gammas[i], 40, 0, &from_end[2]);
        if (getenv("RIBBON_NUMBERS"))
            printf("    gamma %g: %g %g %g, clamped at the end %g %g %g\n", gammas[i], error[0],
                   error[1], error[2], from_end[0], from_end[1], from_end[2]);
        CHECK_AT_MOST(error[2], 0.01);
        if (TOL(0, 1)) continue;
        CHECK_AT_MOST(error[1], error[0] / 3);
        CHECK_AT_MOST(error[2], error[1] / 3);
        CHECK_AT_MOST(from_end[2], from_end[1] / 1.8);
    }
}

static const test_case tests_ribbon_reference[] = {
    {"straight creases of one angle make a cylinder",
     test_straight_creases_of_one_angle_make_a_cylinder},
    {"creases through one point make a cone", test_creases_through_one_point_make_a_cone},
    {"leaning creases make a helix", test_leaning_creases_make_a_helix},
    {"a helix has the bending energy of the smooth one",
     test_a_helix_has_the_bending_energy_of_the_smooth_one},
    {"a cone has the bending energy of the smooth one",
     test_a_cone_has_the_bending_energy_of_the_smooth_one},
    {"measurements of a flat moving ribbon", test_measurements_of_a_flat_moving_ribbon},
    {"a flat ribbon falls freely", test_a_flat_ribbon_falls_freely},
    {"a spun flat ribbon turns as a spun point", test_a_spun_flat_ribbon_turns_as_a_spun_point},
    {"an opening helix keeps its momentum", test_an_opening_helix_keeps_its_momentum},
    {"drag lets a ribbon fall at its terminal velocity",
     test_drag_lets_a_ribbon_fall_at_its_terminal_velocity},
    {"panels swing as rigid bodies", test_panels_swing_as_rigid_bodies},
    {"a clamped ribbon swings at its frequency", test_a_clamped_ribbon_swings_at_its_frequency},
    {"a ribbon hangs from a spring", test_a_ribbon_hangs_from_a_spring},
    {"a loop relaxes to a ring", test_a_loop_relaxes_to_a_ring},
    {"a loop closes in a step", test_a_loop_closes_in_a_step},
    {"a Moebius band finds its rest and refines", test_a_moebius_band_finds_its_rest_and_refines},
    {"a heavy cantilever is the elastica", test_a_heavy_cantilever_is_the_elastica},
};
