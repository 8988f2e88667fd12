/* Contact and friction against closed forms: inclined plane, turntable, strips over a cylinder, impact
   on a one-sided obstacle, free bodies, a turning sphere; then what must not happen. */

/* ---- Inclined plane ---- */

/* A small sheet that begins where repulsion would put it, on a plane tilted by this angle. Gravity
   turns instead of the plane: x is down the plane, y away from it. */
static bodies *incline_begin(double degrees, double friction, double speed)
{
    bodies *b = bodies_begin();
    double a = degrees * 3.14159265358979324 / 180;
    dc_index k = bodies_sheet(b, 3, 3, 1, 1, 0, 1e-3, 0);
    bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, 0, 0), dci_vec(0, 1, 0), 0)->friction =
        b->cloth[k].friction = (dc_real)friction;
    b->desc.gravity = dci_vec((dc_real)(9.81 * sin(a)), (dc_real)(-9.81 * cos(a)), 0);
    CHECK(bodies_open(b) == DC_OK);
    bodies_throw(b, k, dci_vec((dc_real)speed, 0, 0));
    return b;
}

/* Steps for a time [s]; returns how far the sheet has gone down the plane [m]. */
static double incline_run(bodies *b, double time, double dt)
{
    double from = (double)dc_cloth_measure(b->world, 0).centre.x;
    int i;
    for (i = 0; i < (int)(time / dt + 0.5); i++)
        CHECK(dc_world_step(b->world, (dc_real)dt, &b->report, &b->error) == DC_OK &&
              b->report.is_certified);
    return (double)dc_cloth_measure(b->world, 0).centre.x - from;
}

/* g (sin - mu cos). The speed is read between .2 s, when the sheet lies close, and 1 s. */
static void test_sheets_slide_down_inclines_with_the_acceleration_of_friction(void)
{
    static const double cases[3][3] = {
        {20, .3, .589702223}, {30, .3, 2.356287237}, {45, .5, 3.468358762}};
    int i;
    for (i = 0; i < 3; i++) {
        const double *c = cases[i];
        bodies *b = incline_begin(c[0], c[1], 0);
        dc_measures start, end;
        incline_run(b, 0.2, 0.005);
        start = dc_cloth_measure(b->world, 0);
        incline_run(b, 0.8, 0.005);
        end = dc_cloth_measure(b->world, 0);
        CHECK_NEAR((end.momentum.x - start.momentum.x) / end.mass / DCI_R(0.8), c[2],
                   TOL(1e-3, 1e-2) * c[2]);
        bodies_close(b);
    }
}

/* v^2 / (2 g (mu cos - sin)), after 10.39 s; then it stays. */
static void test_a_sheet_stops_on_an_incline_after_its_way(void)
{
    bodies *b = incline_begin(30, 0.6, 2);
    CHECK_NEAR(incline_run(b, 11, 0.005), 10.3936314, TOL(1e-3, 1e-2) * 10.3936314);
    /* in a second, 20 spacings of floats */
    CHECK_AT_MOST(fabs(incline_run(b, 4, 0.005)), 4 * TOL(1e-9, 2e-5));
    bodies_close(b);
}

/* 1% above and below tan 35, at 20 degrees that is another test's. Without friction enough it has gone
   g (sin - mu cos) t^2 / 2 = .70 m in 5 s; with it, nothing in a minute once it has settled. */
static void test_the_angle_of_friction_is_found_within_a_hundredth(void)
{
    double mu = tan(35 * 3.14159265358979324 / 180);
    bodies *b = incline_begin(35, 0.99 * mu, 0);
    CHECK(incline_run(b, 5, 0.005) > 0.35);
    bodies_close(b);
    b = incline_begin(35, 1.01 * mu, 0);
    CHECK_AT_MOST(fabs(incline_run(b, 5, 0.005)), 2e-3);
    CHECK_AT_MOST(fabs(incline_run(b, 60, 0.005)), TOL(1e-9, 1e-5));
    bodies_close(b);
}

/* ---- Turntable ---- */

/* A square of two triangles, half its side 3 m, turned by `angle` about y. */
static void table_corners(double angle, dc_vec3 corner[4])
{
    int i;
    for (i = 0; i < 4; i++) {
        double x = i == 0 || i == 3 ? -3 : 3, z = i < 2 ? 3 : -3;
        corner[i] = dci_vec((dc_real)(x * cos(angle) + z * sin(angle)), 0,
                            (dc_real)(z * cos(angle) - x * sin(angle)));
    }
}

/* How far a patch, at 1 m from the axis and moving with the table, slides on it in `time` [s]. */
static double turntable_slip(double omega, double friction, double time, double dt)
{
    static const dc_index triangles[6] = {0, 1, 2, 0, 2, 3};
    const double r = 1, side = 0.04;
    bodies *b = bodies_begin();
    dc_vec3 corner[4], none = dci_vec(0, 0, 0);
    dc_measures m;
    dci_cloth *c;
    dc_index v, k = bodies_sheet(b, 2, 2, side, side, r, 1e-3, 0);
    dc_obstacle_desc *table = bodies_obstacle(b, DC_OBSTACLE_MESH, none, none, 0);
    double angle = 0, x, z;
    int i;
    table_corners(0, corner);
    table->mesh.positions = corner;
    table->mesh.vertex_count = 4;
    table->mesh.triangles = triangles;
    table->mesh.triangle_count = 2;
    table->friction = b->cloth[k].friction = (dc_real)friction;
    CHECK(bodies_open(b) == DC_OK);
    c = dci_world_cloth(b->world, k);
    for (v = 0; v < c->element.node_count; v++) /* omega y cross x */
        c->state.v[v] = c->state.v_prev[v] =
            dci_vec((dc_real)omega * c->state.x[v].z, 0, -(dc_real)omega * c->state.x[v].x);
    for (i = 0; i < (int)(time / dt + 0.5); i++) {
        angle = omega * dt * (i + 1);
        table_corners(angle, corner);
        CHECK(dc_obstacle_move(b->world, b->world->moving_count, corner, none, &b->error) == DC_OK);
        CHECK(dc_world_step(b->world, (dc_real)dt, &b->report, &b->error) == DC_OK);
        if (b->error.status != DC_OK) break;
    }
    m = dc_cloth_measure(b->world, k);
    x = (double)m.centre.x * cos(angle) -
        (double)m.centre.z * sin(angle); /* in the table's frame */
    z = (double)m.centre.x * sin(angle) + (double)m.centre.z * cos(angle);
    bodies_close(b);
    return sqrt((x - r) * (x - r) + z * z);
}

/* It sticks if omega^2 r <= mu g. Where friction lacks 1% of it, the patch moves off from rest by
   .01 mu g t^2 / 2 = 2.5 cm in the first second alone, and faster then. The patch begins without
   forces between it and the table, and may take up to a step's way, 2 ms x 2.2 m/s, to feel them. */
static void test_a_turntable_carries_a_patch_as_far_as_friction_holds(void)
{
    const double mu = 0.5, omega_sq = mu * 9.81;
    CHECK_AT_MOST(turntable_slip(sqrt(0.99 * omega_sq), mu, 2, 0.002), 0.0044);
    CHECK(turntable_slip(sqrt(1.01 * omega_sq), mu, 2, 0.002) > 0.1);
}

/* ---- Strip over a cylinder ---- */

enum { HUNG_COLUMNS_MAX = 1000 };

/* A strip without bending that hangs over a cylinder along z, `left` and `right` of it. The cylinder
   gets the radius at which its own and half the thickness make 1. */
typedef struct hung_strip {
    bodies *b;
    dc_index columns;
    double step, left, right; /* [m] length of a column, hanging lengths at the start            */
} hung_strip;

/* Vertices of the strip's line, one every step: straight up along x = -radius to y = 0, around in chords
   that touch the circle, straight down. Where chords touch, `ahead` behind one vertex, the next touches
   as much behind it: they turn by 2 atan(ahead / radius). */
static void hung_line(double radius, double left, double step, dc_index count, dc_vec3 *line)
{
    double x = -radius, y = -left, turned = 0, ahead = 0;
    dc_index i;
    for (i = 0; i < count; i++) {
        double turn = 0;
        line[i] = dci_vec((dc_real)x, (dc_real)y, 0);
        if (i * step >= left) {
            ahead = ahead > 0 || turned > 0 ? step - ahead : i * step - left;
            turn = fmin(2 * atan(ahead / radius), 3.14159265358979324 - turned);
        }
        turned += turn;
        x += step * sin(turned);
        y += step * cos(turned);
    }
}

static hung_strip hung_begin(double radius, double left, double right,
                             dc_index columns, double friction)
{
    static dc_vec3 line[HUNG_COLUMNS_MAX + 1], start[2 * (HUNG_COLUMNS_MAX + 1)];
    hung_strip h;
    dc_obstacle_desc *o;
    double arc = 3.14159265358979324 * radius, length = left + arc + right;
    dc_index k, v;
    h.b = bodies_begin();
    h.columns = columns;
    h.step = length / columns;
    h.left = left, h.right = right;
    k = bodies_sheet(h.b, columns, 1, length, h.step, 0, 0, 0);
    h.b->cloth[k].bending = 0;
    h.b->cloth[k].friction = (dc_real)friction;
    h.b->cloth[k].self_contact = 0;
    h.b->cloth[k].thickness = DCI_R(2e-3) * (dc_real)radius;
    o = bodies_obstacle(h.b, DC_OBSTACLE_CAPSULE, dci_vec(0, 0, (dc_real)(-5 * radius)),
                        dci_vec(0, 0, (dc_real)(5 * radius)), 0.999 * radius);
    o->friction = (dc_real)friction;
    hung_line(radius, left, h.step, columns + 1, line);
    for (v = 0; v < h.b->cloth[k].mesh.vertex_count; v++) {
        start[v] = line[v % (columns + 1)];
        start[v].z = h.b->positions[k][v].z;
    }
    h.b->cloth[k].start_positions = start;
    CHECK(bodies_open(h.b) == DC_OK);
    return h;
}

/* How far the strip has moved towards its right [m]: mean over both ends. */
static double hung_way(const hung_strip *h)
{
    const dc_vec3 *x = dc_body_positions(h->b->world, 0);
    double left = (double)(x[0].y + x[h->columns + 1].y) / 2;
    double right = (double)(x[h->columns].y + x[2 * h->columns + 1].y) / 2;
    return (left - right + h->left - h->right) / 2;
}

static void hung_run(hung_strip *h, double time, double dt)
{
    int i;
    for (i = 0; i < (int)(time / dt + 0.5); i++) {
        CHECK(dc_world_step(h->b->world, (dc_real)dt, &h->b->report, &h->b->error) == DC_OK);
        if (h->b->error.status != DC_OK) return;
    }
}

/* x = x_0 cosh(sqrt(2 g / L) t), for a cylinder of any radius: the work of gravity on the moving length
   is that of 2 x of it. The table has x_0 = .05; of the strip, whose chords are a little longer than
   the arc, the length really hanging counts. Columns of 1 / 40 of the half circle. */
static void test_a_strip_without_friction_slides_off_a_cylinder(void)
{
    static const double expected[3] = {.0601350124, .0946487888, .1675332311};
    const double radius = 0.2, hanging = (2 - 3.14159265358979324 * radius) / 2;
    hung_strip h = hung_begin(radius, hanging - 0.05, hanging + 0.05, 127, 0);
    double start = 0.05 + hung_way(&h);
    int i;
    for (i = 0; i < 3; i++) {
        double now = expected[i] * start / 0.05;
        hung_run(&h, 0.2, 0.002);
        CHECK_NEAR(0.05 + hung_way(&h), now, 0.01 * now);
    }
    bodies_close(h.b);
}

/* How far the strip went in the first and in the second second [m]: 1 m on the left and, on the right,
   `part` of what just slips. */
static void capstan_ways(double mu, double part, double dt, double way[2])
{
    double q = 2 * mu / (1 + mu * mu), pi = 3.14159265358979324;
    double right = part * (exp(mu * pi) * (1 + q) + q), column = pi / 40;
    hung_strip h = hung_begin(1, 1, right, (dc_index)((1 + pi + right) / column + 0.5), mu);
    double start = hung_way(&h);
    hung_run(&h, 1, dt);
    way[0] = hung_way(&h) - start;
    hung_run(&h, 1, dt);
    way[1] = hung_way(&h) - start - way[0];
    bodies_close(h.b);
}

/* b/R = e^(mu pi) (a/R + q) + q for a = R: 1.8382380222 and 2.9800161213. Where 3% more hangs, it runs
   away, like an exponential; where 3% less hangs, it moves until the friction is there, and stays. */
static void test_a_strip_slips_over_a_rough_cylinder_at_the_capstan_length(void)
{
    int i;
    for (i = 0; i < 2; i++) {
        double mu = 0.1 * (1 + i), way[2];
        capstan_ways(mu, 0.97, 0.002, way);
        CHECK_AT_MOST(way[0], 0.02);
        CHECK_AT_MOST(fabs(way[1]), 0.002);
        capstan_ways(mu, 1.03, 0.002, way);
        CHECK(way[1] > 5 * way[0] && way[0] > 0.05);
    }
}

/* A strip without weight is pressed on a rough plane by a newton and pulled by its end, a little harder
   in every step. Returns the pull [N] with which its other end runs away. */
static double pull_pressed_strip(dc_element element)
{
    enum { COLUMNS = 20, ROWS = 2, VERTICES = (COLUMNS + 1) * (ROWS + 1) };
    const double press = 1, rough = 0.2, rate = 0.02, dt = 0.002, most = 0.33;
    const double away = 5e-3; /* [m/s] */
    bodies *b = bodies_begin();
    dc_index k = bodies_sheet(b, COLUMNS, ROWS, 1, 0.1, 0, 1e-3, 0), v;
    dc_vec3 forces[VERTICES];
    double reaction;
    b->desc.gravity = dci_vec(0, 0, 0);
    b->cloth[k].element = element;
    bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, 0, 0), dci_vec(0, 1, 0), 0)->friction =
        b->cloth[k].friction = DCI_R(0.3);
    CHECK(bodies_open(b) == DC_OK);
    for (reaction = 0; reaction < most; reaction += (reaction < rough ? 10 * rate : rate) * dt) {
        for (v = 0; v < VERTICES; v++) {
            int is_end = v % (COLUMNS + 1) == COLUMNS;
            forces[v] = dci_vec(is_end ? (dc_real)(reaction / (ROWS + 1)) : DCI_R(0),
                                (dc_real)(-press / VERTICES), 0);
        }
        CHECK(dc_cloth_set_forces(b->world, k, forces, &b->error) == DC_OK);
        CHECK(dc_world_step(b->world, (dc_real)dt, &b->report, &b->error) == DC_OK);
        if ((double)dc_body_velocities(b->world, k)[COLUMNS + 1].x > away) break;
    }
    bodies_close(b);
    return reaction;
}

/* Coulomb: mu times the pressure. Then v = rate t^2 / (2 m), 5 mm/s after .09 s, at .302 N. */
static void test_a_pressed_strip_slips_at_the_friction_coefficient(void)
{
    int element;
    for (element = 0; element < 2; element++)
        CHECK_NEAR(pull_pressed_strip(cloth_elements[element]), 0.3, 0.03 * 0.3);
}

/* ---- Impact and the history of BDF2 ---- */

/* What is done to a state whose collisions displaced it by dx in a step, (20.6) and others. */
typedef enum impact_rule {
    IMPACT_AS_IT_IS,     /* both velocities, as the library leaves it                         */
    IMPACT_PUBLISHED,    /* v_n += dx/dt                                                      */
    IMPACT_THREE_HALVES, /* v_n += 3/2 dx/dt                                                  */
    IMPACT_POSITIONS,    /* v_n += dx/dt, x_{n-1} += dx                                       */
    IMPACT_REBUILT,      /* v_{n-1} = v_n and x_{n-1} = x_n - dt v_n                          */
    IMPACT_RESTART,      /* v_n += dx/dt, no past                                             */
    IMPACT_RULE_COUNT
} impact_rule;

/* Steps; then another rule instead of the library's. The displacement is what a step from the same
   state without collisions does not do: a world is one block of memory, and can be copied. */
static dc_status impact_step(bodies *b, double dt, impact_rule rule, dc_vec3 *dx)
{
    dci_cloth *c = dci_world_cloth(b->world, 0);
    dci_state *s = &c->state;
    dc_index n = c->element.node_count, k, vertices = b->world->surface.vertex_count;
    size_t bytes = (size_t)n * sizeof(dc_vec3);
    dc_vec3 *v = (dc_vec3 *)test_alloc(bytes), *v_prev = (dc_vec3 *)test_alloc(bytes),
            *x_prev = (dc_vec3 *)test_alloc(bytes);
    void *saved = test_alloc(b->info.bytes);
    dc_status status;
    double moved = 0;
    test_allow(b->memory, b->info.bytes);
    memcpy(saved, b->memory, b->info.bytes);
    b->world->surface.vertex_count = 0;
    status = dc_world_step(b->world, (dc_real)dt, NULL, &b->error);
    memcpy(dx, s->x, bytes);
    memcpy(v, s->v, bytes);
    memcpy(x_prev, s->x_prev, bytes);
    memcpy(v_prev, s->v_prev, bytes);
    memcpy(b->memory, saved, b->info.bytes);
    b->world->surface.vertex_count = vertices;
    if (status == DC_OK) status = dc_world_step(b->world, (dc_real)dt, &b->report, &b->error);
    for (k = 0; k < n; k++) {
        dx[k] = dci_vec_sub(s->x[k], dx[k]);
        moved = fmax(moved, (double)dci_norm(dx[k]));
    }
    for (k = 0; k < n && moved > 0 && rule != IMPACT_AS_IT_IS; k++) {
        dc_real rate = rule == IMPACT_THREE_HALVES ? DCI_R(1.5) / (dc_real)dt : 1 / (dc_real)dt;
        s->v[k] = dci_vec_axpy(v[k], rate, dx[k]);
        s->v_prev[k] = rule == IMPACT_REBUILT ? s->v[k] : v_prev[k];
        s->x_prev[k] = x_prev[k];
        if (rule == IMPACT_POSITIONS) s->x_prev[k] = dci_vec_add(x_prev[k], dx[k]);
        if (rule == IMPACT_REBUILT) s->x_prev[k] = dci_vec_axpy(s->x[k], -(dc_real)dt, s->v[k]);
        if (rule == IMPACT_RESTART) s->dt_prev = 0;
    }
    free(saved), free(v), free(v_prev), free(x_prev);
    return status;
}

/* A loose sheet meets a plane at 2 m/s, without gravity. Returns the fastest that it leaves with [m/s],
   and how far it gets in 40 ms [m]. It should stay: nothing pushes it away. */
static double impact_rebound(impact_rule rule, double *lift)
{
    bodies *b = bodies_begin();
    dc_index k = bodies_sheet(b, 4, 4, 0.5, 0.5, 0, 0.0157, 0), n;
    double fastest = 0;
    dc_vec3 *dx;
    int i;
    bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, 0, 0), dci_vec(0, 1, 0), 0);
    b->desc.gravity = dci_vec(0, 0, 0);
    CHECK(bodies_open(b) == DC_OK);
    bodies_throw(b, k, dci_vec(0, -2, 0));
    n = dci_world_cloth(b->world, k)->element.node_count;
    dx = (dc_vec3 *)test_alloc((size_t)n * sizeof(dc_vec3));
    for (i = 0; i < 50; i++) { /* it arrives in the eighth step */
        dc_measures m;
        CHECK(impact_step(b, 0.001, rule, dx) == DC_OK);
        m = dc_cloth_measure(b->world, k);
        if (i > 8) fastest = fmax(fastest, (double)(m.momentum.y / m.mass));
    }
    *lift = (double)dc_cloth_measure(b->world, k).centre.y - 1e-3; /* half the thickness */
    free(dx);
    bodies_close(b);
    return fastest;
}

static void test_a_sheet_that_meets_a_plane_stays_there(void)
{
    int rule;
    double rebound[IMPACT_RULE_COUNT], lift[IMPACT_RULE_COUNT];
    for (rule = 0; rule < IMPACT_RULE_COUNT; rule++)
        rebound[rule] = impact_rebound((impact_rule)rule, &lift[rule]);
    CHECK_AT_MOST(rebound[IMPACT_AS_IT_IS], 0.15);
    CHECK_AT_MOST(lift[IMPACT_AS_IT_IS], 1.5e-3);
    for (rule = IMPACT_PUBLISHED; rule <= IMPACT_POSITIONS; rule++) {
        CHECK_AT_MOST(rebound[IMPACT_AS_IT_IS], rebound[rule] / 3);
        CHECK_AT_MOST(lift[IMPACT_AS_IT_IS], lift[rule] / 3);
    }
}

/* ---- Free bodies ---- */

static void bodies_momentum(const bodies *b, dc_vec3 *linear, dc_vec3 *angular)
{
    dc_index i;
    *linear = *angular = dci_vec(0, 0, 0);
    for (i = 0; i < b->desc.cloth_count; i++) {
        dc_measures m = dc_cloth_measure(b->world, i);
        *linear = dci_vec_add(*linear, m.momentum);
        *angular = dci_vec_add(*angular, m.angular_momentum);
    }
}

/* Moves vertices of both sheets in their planes by up to a fifth of a cell, which is .08 m. */
static void make_uneven(bodies *b)
{
    dc_index k, v;
    for (k = 0; k < 2; k++)
        for (v = 0; v < b->cloth[k].mesh.vertex_count; v++) {
            b->positions[k][v].x += DCI_R(0.016) * dci_random(31, (uint32_t)v);
            b->positions[k][v].z += DCI_R(0.016) * dci_random(32, (uint32_t)v);
        }
}

/* Two even sheets of .0375 and .024 kg, thrown at each other off their middles: they exchange
       p = 3 m/s x .0375 x .024 / (.0375 + .024) kg = .044 kg m/s.
   What stops them is opposite and equal, and so are forces within a sheet, so momentum is kept but
   for rounding, and what the conjugate gradients of (26.1) leave: 1e-12 of each
   change (1e-6 in single), in less than 20 steps.
   An impulse acts in two points, which at the start of the step are at most the way in it and the
   thickness apart, 3 mm + 2 mm, and is shared out for that time: the angular momentum changes by
   less than that times p, and times mu p of friction. */
static void test_free_bodies_keep_their_momentum_in_a_collision(void)
{
    int kind; /* with friction; without; with, on uneven meshes, where (42.2) matters */
    for (kind = 0; kind < 3; kind++) {
        bodies *b = bodies_begin();
        dc_vec3 linear[2], angular[2];
        double mu = kind == 1 ? 0 : 0.3, p = 0.044;
        int i, met = 0;
        bodies_sheet(b, 6, 6, 0.5, 0.5, 0, 0, 0);
        bodies_sheet(b, 5, 5, 0.4, 0.4, 0.08, 0.0153, 0.03);
        if (kind == 2) make_uneven(b);
        b->desc.gravity = dci_vec(0, 0, 0);
        b->desc.row_capacity = 1; /* the stages act */
        for (i = 0; i < 2; i++) b->cloth[i].friction = (dc_real)mu;
        CHECK(bodies_open(b) == DC_OK);
        bodies_throw(b, 0, dci_vec(0, 1, 0));
        bodies_throw(b, 1, dci_vec(DCI_R(0.5), -2, DCI_R(0.2)));
        bodies_momentum(b, &linear[0], &angular[0]);
        for (i = 0; i < 30; i++) {
            CHECK(bodies_step(b, 0.001) == DC_OK);
            met += b->report.counters.repulsions + b->report.counters.impulses;
            bodies_momentum(b, &linear[1], &angular[1]);
            CHECK_AT_MOST(dci_norm(dci_vec_sub(linear[1], linear[0])), TOL(20e-12, 20e-6) * p);
            CHECK_AT_MOST(dci_norm(dci_vec_sub(angular[1], angular[0])), (1 + mu) * 5e-3 * p);
        }
        CHECK(met > 30);
        /* they met: both go down, at about (.0375 - .048) / .0615 m/s */
        CHECK(dc_cloth_measure(b->world, 0).momentum.y < 0);
        bodies_close(b);
    }
}

/* ---- Turning sphere ---- */

/* Angular velocity about y, as that of the rigid body with the same angular momentum. */
static double turning_rate(const bodies *b)
{
    const dci_cloth *c = dci_world_cloth(b->world, 0);
    double moment = 0, inertia = 0;
    dc_index k;
    for (k = 0; k < c->element.node_count; k++) {
        dc_vec3 x = c->state.x[k], v = c->state.v[k];
        moment += (double)(c->mass[k] * (x.z * v.x - x.x * v.z));
        inertia += (double)(c->mass[k] * (x.x * x.x + x.z * x.z));
    }
    return moment / inertia;
}

/* A small sheet on the top of a sphere that turns about the vertical. Carried along, it has the speed
   of the surface, half the thickness above it: a part 1 / 251 less in angle. */
static void test_a_turning_sphere_carries_a_sheet_along_by_friction_alone(void)
{
    int slides;
    for (slides = 0; slides < 2; slides++) {
        bodies *b = bodies_begin();
        dc_vec3 centre = dci_vec(0, DCI_R(-0.25), 0);
        dc_index k = bodies_sheet(b, 4, 4, 0.05, 0.05, 0, 0.0015, 0);
        dc_obstacle_desc *ball = bodies_obstacle(b, DC_OBSTACLE_SPHERE, centre, centre, 0.25);
        ball->friction = b->cloth[k].friction = slides ? 0 : DCI_R(0.5);
        CHECK(bodies_open(b) == DC_OK);
        CHECK(dc_obstacle_move(b->world, b->world->moving_count, &centre, dci_vec(0, 4, 0),
                               &b->error) == DC_OK);
        for (k = 0; k < 300; k++) CHECK(bodies_step(b, 0.002) == DC_OK);
        CHECK_NEAR(turning_rate(b), slides ? 0 : 4, 0.04); /* 1% */
        bodies_close(b);
    }
}

/* ---- Obstacles of all kinds ---- */

static const dc_index two_triangles[6] = {0, 1, 2, 0, 2, 3};

/* A square plate of side 2 `half` in the plane y = 0, counter-clockwise seen from above. */
static void plate_corners(double half, dc_vec3 corner[4])
{
    int i;
    for (i = 0; i < 4; i++)
        corner[i] =
            dci_vec((dc_real)(i == 0 || i == 3 ? -half : half), 0, (dc_real)(i < 2 ? half : -half));
}

/* An obstacle of each kind whose highest place is at y = 0, under the origin. A mesh keeps its corners
   in `corner`. */
static void all_kinds(bodies *b, dc_vec3 corner[4])
{
    dc_obstacle_desc *plate =
        bodies_obstacle(b, DC_OBSTACLE_MESH, dci_vec(0, 0, 0), dci_vec(0, 0, 0), 0);
    plate_corners(0.2, corner);
    plate->mesh.positions = corner;
    plate->mesh.vertex_count = 4;
    plate->mesh.triangles = two_triangles;
    plate->mesh.triangle_count = 2;
    bodies_obstacle(b, DC_OBSTACLE_SPHERE, dci_vec(0, DCI_R(-0.2), 0), dci_vec(0, 0, 0), 0.2);
    bodies_obstacle(b, DC_OBSTACLE_CAPSULE, dci_vec(DCI_R(-0.3), DCI_R(-0.1), 0),
                    dci_vec(DCI_R(0.3), DCI_R(-0.1), 0), 0.1);
    bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, 0, 0), dci_vec(0, 1, 0), 0);
}

/* A world with one of them alone. */
static bodies *one_kind(dc_obstacle_kind kind, dc_vec3 corner[4])
{
    bodies *b = bodies_begin();
    all_kinds(b, corner);
    b->obstacle[0] = b->obstacle[kind];
    b->desc.obstacle_count = 1;
    return b;
}

/* It would have fallen 1.2 m in half a second. */
static void test_obstacles_of_every_kind_stop_a_falling_sheet(void)
{
    int kind, i;
    for (kind = DC_OBSTACLE_MESH; kind <= DC_OBSTACLE_PLANE; kind++) {
        dc_vec3 corner[4];
        bodies *b = one_kind((dc_obstacle_kind)kind, corner);
        dc_index k = bodies_sheet(b, 6, 6, 0.3, 0.3, 0, 0.03, 0);
        b->obstacle[0].friction = DCI_R(0.3);
        CHECK(bodies_open(b) == DC_OK);
        for (i = 0; i < 250; i++) CHECK(bodies_step(b, 0.002) == DC_OK);
        CHECK(dc_cloth_measure(b->world, k).centre.y > DCI_R(-0.15));
        bodies_close(b);
    }
}

static void test_obstacles_are_where_they_were_told_after_a_step(void)
{
    static const dc_index counts[4] = {4, 1, 2, 3};
    dc_vec3 corner[4], before[4][4], told[4];
    bodies *b = bodies_begin();
    int kind, i;
    all_kinds(b, corner);
    bodies_sheet(b, 2, 2, 0.3, 0.3, 0, 3, 0);
    CHECK(bodies_open(b) == DC_OK);
    for (kind = 0; kind < 4; kind++) {
        const dc_vec3 *now = dc_body_positions(b->world, b->world->moving_count + kind);
        for (i = 0; i < counts[kind]; i++) {
            before[kind][i] = now[i];
            told[i] = dci_vec_add(now[i], dci_vec(DCI_R(0.01), DCI_R(0.02) * (dc_real)kind, 0));
        }
        if (kind == DC_OBSTACLE_MESH) CHECK(memcmp(now, corner, sizeof corner) == 0);
        if (kind == DC_OBSTACLE_SPHERE || kind == DC_OBSTACLE_CAPSULE)
            CHECK(memcmp(now, b->obstacle[kind].point, (size_t)counts[kind] * sizeof(dc_vec3)) ==
                  0);
        for (i = 0; kind == DC_OBSTACLE_PLANE && i < 3; i++) CHECK(now[i].y == 0);
        CHECK(dc_obstacle_move(b->world, b->world->moving_count + kind, told, dci_vec(0, 0, 0),
                               &b->error) == DC_OK);
        CHECK(memcmp(now, before[kind], (size_t)counts[kind] * sizeof(dc_vec3)) == 0);
    }
    for (i = 0; i < 2; i++) { /* it gets there in one step, and stays */
        CHECK(bodies_step(b, 0.002) == DC_OK);
        for (kind = 0; kind < 4; kind++) {
            const dc_vec3 *now = dc_body_positions(b->world, b->world->moving_count + kind);
            dc_vec3 way = dci_vec(DCI_R(0.01), DCI_R(0.02) * (dc_real)kind, 0), end;
            int k;
            for (k = 0; k < counts[kind]; k++) {
                end = dci_vec_add(before[kind][k], way);
                CHECK(memcmp(&now[k], &end, sizeof end) == 0);
            }
        }
    }
    bodies_close(b);
}

static void test_obstacles_are_not_moved_to_what_is_not_finite(void)
{
    static const dc_index counts[4] = {4, 1, 2, 3};
    dc_vec3 corner[4], told[4], none = dci_vec(0, 0, 0);
    bodies *b = bodies_begin();
    int kind, i;
    all_kinds(b, corner);
    bodies_sheet(b, 2, 2, 0.3, 0.3, 0, 3, 0);
    CHECK(bodies_open(b) == DC_OK);
    for (kind = 0; kind < 4; kind++) {
        const dc_vec3 *now = dc_body_positions(b->world, b->world->moving_count + kind);
        for (i = 0; i < counts[kind]; i++) told[i] = dci_vec(7, 7, (dc_real)i);
        told[counts[kind] - 1].z = (dc_real)NAN;
        CHECK(dc_obstacle_move(b->world, b->world->moving_count + kind, told, none, &b->error) ==
              DC_NOT_FINITE);
        CHECK_EQUAL(b->error.index, counts[kind] - 1);
        CHECK(b->error.status == DC_NOT_FINITE && strstr(b->error.where, "dc_obstacle_move"));
        for (i = 0; i < counts[kind]; i++) told[i] = now[i];
        CHECK(dc_obstacle_move(b->world, b->world->moving_count + kind, told,
                               dci_vec(0, (dc_real)INFINITY, 0), &b->error) == DC_NOT_FINITE);
        CHECK_EQUAL(b->error.index, DC_NONE);
    }
    for (i = 0; i < 3; i++) told[i] = dci_vec((dc_real)i, 7, 0); /* a plane's points in one line */
    CHECK(dc_obstacle_move(b->world, b->world->moving_count + DC_OBSTACLE_PLANE, told, none,
                           &b->error) == DC_BAD_ARGUMENT);
    CHECK(bodies_step(b, 0.002) == DC_OK);
    for (kind = 0; kind < 4; kind++) /* nothing turns, and nothing moved */
        CHECK(dci_norm(b->world->surface.body[kind + 1].spin_rate) == 0);
    CHECK(memcmp(dc_body_positions(b->world, b->world->moving_count), corner, sizeof corner) == 0);
    CHECK(dc_body_positions(b->world, b->world->moving_count + 1)->z == 0);
    bodies_close(b);
}

static void test_planning_names_what_is_wrong_with_an_obstacle(void)
{
    static const dc_index outside[6] = {0, 1, 2, 0, 2, 4}, same[6] = {0, 1, 2, 0, 2, 2};
    static const struct {
        dc_obstacle_kind kind;
        double radius, friction, x0, x1;
        const dc_index *triangles;
        const char *names;
    } cases[] = {
        {(dc_obstacle_kind)7, 1, 0, 0, 1, two_triangles, "kind"},
        {DC_OBSTACLE_SPHERE, 0, 0, 0, 1, two_triangles, "radius"},
        {DC_OBSTACLE_SPHERE, NAN, 0, 0, 1, two_triangles, "radius"},
        {DC_OBSTACLE_CAPSULE, -1, 0, 0, 1, two_triangles, "radius"},
        {DC_OBSTACLE_CAPSULE, 1, 0, 0, NAN, two_triangles, "point"},
        {DC_OBSTACLE_SPHERE, 1, 0, INFINITY, 0, two_triangles, "point"},
        {DC_OBSTACLE_PLANE, 1, 0, 0, 0, two_triangles, "normal"},
        {DC_OBSTACLE_PLANE, 1, 0, NAN, 0, two_triangles, "point"},
        {DC_OBSTACLE_SPHERE, 1, -1, 0, 0, two_triangles, "friction"},
        {DC_OBSTACLE_MESH, 1, NAN, 0, 0, two_triangles, "friction"},
        {DC_OBSTACLE_MESH, 1, 0, 0, 0, NULL, "triangles"},
        {DC_OBSTACLE_MESH, 1, 0, 0, 0, outside, ""},
        {DC_OBSTACLE_MESH, 1, 0, 0, 0, same, ""},
    };
    dc_vec3 corner[4];
    size_t i;
    plate_corners(1, corner);
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bodies *b = bodies_begin();
        dc_obstacle_desc *o;
        bodies_sheet(b, 2, 2, 1, 1, 0, 1, 0);
        bodies_obstacle(b, DC_OBSTACLE_SPHERE, dci_vec(0, 0, 0), dci_vec(0, 0, 0), 1);
        o = bodies_obstacle(b, cases[i].kind, dci_vec((dc_real)cases[i].x0, 0, 0),
                            dci_vec((dc_real)cases[i].x1, 0, 0), cases[i].radius);
        o->friction = (dc_real)cases[i].friction;
        o->mesh.positions = corner;
        o->mesh.vertex_count = 4;
        o->mesh.triangles = cases[i].triangles;
        o->mesh.triangle_count = 2;
        CHECK(bodies_make(b) == (cases[i].names[0] ? DC_BAD_ARGUMENT : DC_BAD_MESH));
        CHECK(test_error_names(&b->error, cases[i].names));
        CHECK(b->error.body == b->desc.cloth_count + 1);
        CHECK_EQUAL(b->error.index, cases[i].names[0] ? DC_NONE : 1); /* the second triangle */
        bodies_close(b);
    }
}

/* ---- What must not happen ---- */

enum {
    FAULT_SECONDS = 20
}; /* of the processor; each of these takes a fraction of one             */

/* Steps until one is refused; each is certified and judged, or changes nothing (bodies_step). Returns
   how many were made. */
static int fault_run(bodies *b, double dt, int count)
{
    clock_t begin = clock();
    int made = 0;
    while (made < count && bodies_step(b, dt) == DC_OK) made++;
    CHECK_AT_MOST((double)(clock() - begin) / CLOCKS_PER_SEC, FAULT_SECONDS);
    return made;
}

/* Up, down into the floor, or along the sheet. */
static void test_a_vertex_at_a_kilometre_a_second_is_caught_or_refused(void)
{
    static const double way[3][3] = {{0, 1, 0}, {0, -1, 0}, {0.7, -0.1, 0.7}};
    int i;
    for (i = 0; i < 3; i++) {
        static dc_vec3 velocities[49];
        bodies *b = bodies_begin();
        dc_index k = bodies_sheet(b, 6, 6, 0.5, 0.5, 0, 0.05, 0), v;
        bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, 0, 0), dci_vec(0, 1, 0), 0);
        for (v = 0; v < 49; v++) velocities[v] = dci_vec(0, 0, 0);
        velocities[24] = dci_vec((dc_real)(1000 * way[i][0]), (dc_real)(1000 * way[i][1]),
                                 (dc_real)(1000 * way[i][2]));
        b->cloth[k].start_velocities = velocities;
        if (bodies_open(b) == DC_OK) fault_run(b, 0.002, 20);
        bodies_close(b);
    }
}

static void test_steps_of_a_second_are_certified_or_refused(void)
{
    dc_vec3 corner[4];
    int kind;
    for (kind = DC_OBSTACLE_MESH; kind <= DC_OBSTACLE_PLANE; kind++) {
        bodies *b = one_kind((dc_obstacle_kind)kind, corner);
        bodies_sheet(b, 6, 6, 0.5, 0.5, 0, 0.02, 0);
        CHECK(bodies_open(b) == DC_OK);
        fault_run(b, 1, 3);
        bodies_close(b);
    }
}

/* Two sheets in one place, which is a crossing; or closer than repulsion would put them, down to what
   cannot be told apart, 1e-11 of an edge and 1e-5 in single: then the start may be refused too. */
static void test_coincident_sheets_are_parted_or_refused(void)
{
    static const double gap[4] = {0, 1e-9, 1e-6, 1e-4};
    int i;
    for (i = 0; i < 4; i++) {
        bodies *b = bodies_begin();
        dc_status status;
        bodies_sheet(b, 4, 4, 0.5, 0.5, 0, 0, 0);
        bodies_sheet(b, 4, 4, 0.5, 0.5, 0, gap[i], 0);
        status = bodies_open(b);
        if (status != DC_OK) {
            CHECK(status == DC_CROSSING && gap[i] < TOL(1e-9, 1e-4));
            CHECK(b->error.pair.first.body + b->error.pair.second.body == 1);
        } else {
            int made = fault_run(b, 0.002, 20);
            CHECK(gap[i] > 0);
            if (gap[i] >= TOL(1e-9, 1e-4)) CHECK_EQUAL(made, 20);
        }
        bodies_close(b);
    }
}

static void test_a_sheet_without_thickness_is_refused(void)
{
    static const double thickness[3] = {0, -1, NAN};
    int i;
    for (i = 0; i < 3; i++) {
        bodies *b = bodies_begin();
        dc_index k = bodies_sheet(b, 2, 2, 0.5, 0.5, 0, 0, 0);
        b->cloth[k].thickness = (dc_real)thickness[i];
        CHECK(bodies_make(b) == DC_BAD_ARGUMENT && test_error_names(&b->error, "thickness"));
        bodies_close(b);
    }
}

/* A micrometre of it, that is next to none: it keeps less distance, but nothing crosses. */
static void test_a_sheet_of_hardly_any_thickness_does_not_cross(void)
{
    bodies *b = bodies_begin();
    bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, 0, 0), dci_vec(0, 1, 0), 0);
    bodies_sheet(b, 4, 4, 0.4, 0.4, 0, 0.01, 0);
    bodies_sheet(b, 5, 5, 0.4, 0.4, 0.02, 0.02, 0.01);
    b->cloth[0].thickness = b->cloth[1].thickness = DCI_R(1e-6);
    CHECK(bodies_open(b) == DC_OK);
    CHECK(fault_run(b, 0.002, 100) > 20);
    bodies_close(b);
}

/* In one step from under the sheet to above it. */
static void test_obstacles_that_jump_through_a_sheet_do_not_get_through_it(void)
{
    static const double jump[3] = {0.04, 1, 100};
    int kind, i, k;
    for (kind = DC_OBSTACLE_MESH; kind <= DC_OBSTACLE_PLANE; kind++)
        for (i = 0; i < 3; i++) {
            dc_vec3 corner[4], told[4], none = dci_vec(0, 0, 0);
            bodies *b = one_kind((dc_obstacle_kind)kind, corner);
            static const dc_index counts[4] = {4, 1, 2, 3};
            bodies_sheet(b, 5, 5, 0.3, 0.3, 0, 0.02, 0);
            CHECK(bodies_open(b) == DC_OK);
            for (k = 0; k < counts[kind]; k++)
                told[k] = dci_vec_add(dc_body_positions(b->world, b->world->moving_count)[k],
                                      dci_vec(0, (dc_real)jump[i], 0));
            CHECK(dc_obstacle_move(b->world, b->world->moving_count, told, none, &b->error) ==
                  DC_OK);
            fault_run(b, 0.002, 1);
            bodies_close(b);
        }
}

static const test_case tests_contact_reference[] = {
    {"sheets slide down inclines with the acceleration of friction",
     test_sheets_slide_down_inclines_with_the_acceleration_of_friction},
    {"a sheet stops on an incline after its way", test_a_sheet_stops_on_an_incline_after_its_way},
    {"the angle of friction is found within a hundredth",
     test_the_angle_of_friction_is_found_within_a_hundredth},
    {"a turntable carries a patch as far as friction holds",
     test_a_turntable_carries_a_patch_as_far_as_friction_holds},
    {"a strip without friction slides off a cylinder",
     test_a_strip_without_friction_slides_off_a_cylinder},
    {"a pressed strip slips at the friction coefficient",
     test_a_pressed_strip_slips_at_the_friction_coefficient},
    {"a strip slips over a rough cylinder at the capstan length",
     test_a_strip_slips_over_a_rough_cylinder_at_the_capstan_length},
    {"a sheet that meets a plane stays there", test_a_sheet_that_meets_a_plane_stays_there},
    {"free bodies keep their momentum in a collision",
     test_free_bodies_keep_their_momentum_in_a_collision},
    {"a turning sphere carries a sheet along by friction alone",
     test_a_turning_sphere_carries_a_sheet_along_by_friction_alone},
    {"obstacles of every kind stop a falling sheet",
     test_obstacles_of_every_kind_stop_a_falling_sheet},
    {"obstacles are where they were told after a step",
     test_obstacles_are_where_they_were_told_after_a_step},
    {"obstacles are not moved to what is not finite",
     test_obstacles_are_not_moved_to_what_is_not_finite},
    {"planning names what is wrong with an obstacle",
     test_planning_names_what_is_wrong_with_an_obstacle},
    {"a vertex at a kilometre a second is caught or refused",
     test_a_vertex_at_a_kilometre_a_second_is_caught_or_refused},
    {"steps of a second are certified or refused", test_steps_of_a_second_are_certified_or_refused},
    {"coincident sheets are parted or refused", test_coincident_sheets_are_parted_or_refused},
    {"a sheet without thickness is refused", test_a_sheet_without_thickness_is_refused},
    {"a sheet of hardly any thickness does not cross",
     test_a_sheet_of_hardly_any_thickness_does_not_cross},
    {"obstacles that jump through a sheet do not get through it",
     test_obstacles_that_jump_through_a_sheet_do_not_get_through_it},
};
