/* Chapter 37: sweeps against hand solutions, the conditions of the least and Coulomb's law; the stage
   against closed forms; worlds that resolve all impacts at once. */

/* ---- Sweeps ---- */

enum { QP_MAX = 40 };

typedef struct qp_problem {
    dci_global g;
    dci_impact impact[QP_MAX];
    dc_real a[QP_MAX * (QP_MAX + 1) / 2];
} qp_problem;

/* All normals along x, so that S = A; no friction. */
static void qp_begin(qp_problem *p, dc_index count)
{
    dc_index i;
    memset(p, 0, sizeof *p);
    p->g.count = count;
    p->g.impact = p->impact;
    p->g.a = p->a;
    for (i = 0; i < count; i++) p->impact[i].normal = dci_vec(1, 0, 0);
}

/* b_k */
static void qp_approach(qp_problem *p, dc_index k, double b)
{
    p->impact[k].motion = dci_vec_scale(-(dc_real)b, p->impact[k].normal);
}

/* q_k */
static double qp_force(const qp_problem *p, dc_index k)
{
    return (double)dci_dot(p->impact[k].force, p->impact[k].normal);
}

/* Two contacts: S = | s00 s01 |, b = (b0, b1).
                     | s01 s11 |                 */
static void qp_two(qp_problem *p, double s00, double s01, double s11, double b0, double b1)
{
    qp_begin(p, 2);
    p->a[0] = (dc_real)s00;
    p->a[1] = (dc_real)s01;
    p->a[2] = (dc_real)s11;
    qp_approach(p, 0, b0);
    qp_approach(p, 1, b1);
}

static void qp_check_two(const qp_problem *p, double q0, double q1, double tol)
{
    CHECK_NEAR(qp_force(p, 0), q0, tol);
    CHECK_NEAR(qp_force(p, 1), q1, tol);
}

static dc_real qp_sweep(qp_problem *p)
{
    dc_real largest = 0;
    dc_index k;
    for (k = 0; k < p->g.count; k++) largest = dci_max(largest, dci_global_stop(&p->g, k));
    return largest;
}

/* The chapter's example. Changes fall by 4 a sweep. The last one is at most .001 of the first's, 3.5 m
   of the second contact, or .00175 kg m; what is left to change is a third of it. */
static void test_two_contacts_on_a_line_share_their_forces(void)
{
    qp_problem p;
    qp_two(&p, 2, -1, 2, 1, 3);
    CHECK_NEAR(qp_sweep(&p), 3.5, TOL(1e-14, 1e-6));
    qp_check_two(&p, 0.5, 1.75, TOL(1e-14, 1e-6));
    qp_sweep(&p);
    qp_check_two(&p, 11.0 / 8, 35.0 / 16, TOL(1e-14, 1e-6));
    qp_two(&p, 2, -1, 2, 1, 3);
    dci_global_solve(&p.g, NULL);
    qp_check_two(&p, 5.0 / 3, 7.0 / 3, 0.00175 / 3);
    qp_two(&p, 2, 0, 4, 3, -1); /* the second parts anyway */
    dci_global_solve(&p.g, NULL);
    qp_check_two(&p, 1.5, 0, TOL(1e-14, 1e-6));
}

/* The first enters with .3, the second with .55; then .09375 and .859; then the first has to spare, and
   the second, alone, needs 1. */
static void test_a_contact_that_another_relieves_drops_out(void)
{
    qp_problem p;
    qp_two(&p, 4, 1.5, 1, 1.2, 1);
    dci_global_solve(&p.g, NULL);
    CHECK(dci_norm(p.impact[0].force) == 0);
    qp_check_two(&p, 0, 1, TOL(1e-14, 1e-6));
}

/* The second is the first, and twice the first but less urgent. */
static void test_the_same_contact_again_changes_nothing(void)
{
    qp_problem p;
    qp_two(&p, 1, 1, 1, 2, 2);
    dci_global_solve(&p.g, NULL);
    qp_check_two(&p, 2, 0, TOL(1e-14, 1e-6));
    qp_two(&p, 1, 2, 4, 1.5, 2);
    dci_global_solve(&p.g, NULL);
    qp_check_two(&p, 1.5, 0, TOL(1e-14, 1e-6));
}

/* Between two jaws that close by 3 and 2 there is no place: each sweep adds 5 to both impulses, of which
   only the difference, 2, moves what is between. A third contact elsewhere is met all the same. */
static void test_a_pinch_ends_and_the_rest_is_solved(void)
{
    qp_problem p;
    qp_begin(&p, 3);
    p.impact[1].normal = dci_vec(-1, 0, 0);
    p.a[0] = p.a[1] = p.a[2] = 1;
    p.a[5] = 2;
    qp_approach(&p, 0, 3);
    qp_approach(&p, 1, 2);
    qp_approach(&p, 2, 1);
    dci_global_solve(&p.g, NULL);
    qp_check_two(&p, 3 + 5 * 49, 5 * 50, TOL(1e-12, 1e-4));
    CHECK_NEAR(qp_force(&p, 2), 0.5, TOL(1e-14, 1e-6));
}

/* A contact that comes by 1 and slides by .5 under friction .3 keeps .2; under .7 it sticks. */
static void test_one_contact_obeys_coulombs_law_after_one_sweep(void)
{
    static const double friction[2] = {0.3, 0.7};
    int i;
    for (i = 0; i < 2; i++) {
        qp_problem p;
        qp_begin(&p, 1);
        p.a[0] = 4;
        p.impact[0].motion = dci_vec(-1, DCI_R(0.3), DCI_R(0.4));
        p.impact[0].friction = (dc_real)friction[i];
        qp_sweep(&p);
        CHECK_NEAR(qp_force(&p, 0), 0.25, TOL(1e-15, 1e-7));
        CHECK_NEAR(p.impact[0].motion.x, 0, TOL(1e-15, 1e-7));
        CHECK_NEAR(dci_norm(p.impact[0].motion), i == 0 ? 0.2 : 0, TOL(1e-15, 1e-7));
        CHECK(qp_sweep(&p) < TOL(1e-15, 1e-7));
    }
}

/* A sheet of QP_VERTICES vertices in a row, joined by springs; contacts of four vertices each. */
enum { QP_VERTICES = 14 };

typedef struct qp_random {
    double h[QP_VERTICES][QP_VERTICES], c[QP_MAX][QP_VERTICES], y[QP_MAX][QP_VERTICES];
    double normal[QP_MAX][3];
} qp_random;

static double qp_number(uint32_t seed, int a, int b)
{
    return (double)dci_random(seed, (uint32_t)(100 * a + b));
}

static void qp_random_matrix(qp_random *r, uint32_t seed)
{
    int v;
    memset(r->h, 0, sizeof r->h);
    for (v = 0; v < QP_VERTICES; v++) r->h[v][v] = 1 + 0.5 * qp_number(seed, 50, v);
    for (v = 0; v + 1 < QP_VERTICES; v++) {
        r->h[v][v] += 100, r->h[v + 1][v + 1] += 100;
        r->h[v][v + 1] -= 100, r->h[v + 1][v] -= 100;
    }
}

/* One contact: two points, each on two vertices; y = H^-1 c. Each tenth one is an earlier one. */
static void qp_random_contact(qp_random *r, uint32_t seed, int k)
{
    dense h = dense_new(QP_VERTICES, QP_VERTICES);
    double length = 0;
    int v, i;
    for (v = 0; v < QP_VERTICES; v++) r->c[k][v] = 0;
    for (i = 0; i < 2; i++) {
        int first = (int)((qp_number(seed, k, i) + 1) / 2 * (QP_VERTICES - 1.01));
        double weight = (qp_number(seed, k, 2 + i) + 1) / 2;
        r->c[k][first] += (i == 0 ? -1 : 1) * weight;
        r->c[k][first + 1] += (i == 0 ? -1 : 1) * (1 - weight);
    }
    for (i = 0; i < 3; i++) {
        r->normal[k][i] = qp_number(seed, k, 4 + i);
        length += r->normal[k][i] * r->normal[k][i];
    }
    for (i = 0; i < 3; i++) r->normal[k][i] /= sqrt(length);
    if (k % 10 == 9) {
        memcpy(r->c[k], r->c[k - 4], sizeof r->c[k]);
        memcpy(r->normal[k], r->normal[k - 4], sizeof r->normal[k]);
    }
    for (v = 0; v < QP_VERTICES; v++)
        for (i = 0; i < QP_VERTICES; i++) *dense_at(&h, v, i) = r->h[v][i];
    memcpy(r->y[k], r->c[k], sizeof r->c[k]);
    dense_solve(&h, r->y[k]);
    free(h.a);
}

static double qp_dot(const double *a, const double *b)
{
    double sum = 0;
    int v;
    for (v = 0; v < QP_VERTICES; v++) sum += a[v] * b[v];
    return sum;
}

/* Random contacts that some change, `target`, meets: so there is a solution. */
static void qp_random_problem(qp_random *r, qp_problem *p, uint32_t seed, int count)
{
    double target[3][QP_VERTICES];
    int i, k, j, v;
    qp_begin(p, count);
    qp_random_matrix(r, seed);
    for (i = 0; i < 3; i++)
        for (v = 0; v < QP_VERTICES; v++) target[i][v] = qp_number(seed, 60 + i, v);
    for (k = 0; k < count; k++) {
        double apart = 0;
        qp_random_contact(r, seed, k);
        for (j = 0; j <= k; j++) p->a[dci_global_place(k, j)] = (dc_real)qp_dot(r->c[j], r->y[k]);
        p->impact[k].normal =
            dci_vec((dc_real)r->normal[k][0], (dc_real)r->normal[k][1], (dc_real)r->normal[k][2]);
        for (i = 0; i < 3; i++) apart += r->normal[k][i] * qp_dot(r->c[k], target[i]);
        qp_approach(p, k, apart - (qp_number(seed, k, 20) + 1) / 4);
    }
}

/* 1/2 q S q - b q, as S q - b is n . w by all impulses, and -b that of the start. */
static double qp_value(const qp_problem *p, const qp_problem *start)
{
    double sum = 0;
    dc_index k;
    for (k = 0; k < p->g.count; k++) {
        dc_vec3 both = dci_vec_add(p->impact[k].motion, start->impact[k].motion);
        sum += qp_force(p, k) * (double)dci_dot(p->impact[k].normal, both) / 2;
    }
    return sum;
}

/* Sweeps on a copy until changes are a millionth of the first; without friction none may raise the
   function of (37.4). Solves the problem, which must end like the copy when that had changes of a
   thousandth, or after 50 sweeps. Returns the largest change of the last one. */
static double qp_solve(qp_problem *problem, int has_friction)
{
    static qp_problem p, start;
    double first = 0, now = 1, last = 0, value = 0;
    dc_index k, sweep;
    int is_solved = 0;
    p = start = *problem;
    p.g.impact = p.impact, p.g.a = p.a;
    for (sweep = 0; sweep < 3000 && now > TOL(1e-6, 1e-4) * first; sweep++) {
        now = (double)qp_sweep(&p);
        if (sweep == 0) first = now;
        if (!has_friction) {
            double before = value;
            value = qp_value(&p, &start);
            CHECK_AT_MOST(value - before, TOL(1e-13, 1e-5) * (1 + fabs(value)));
        }
        if (is_solved || (now > 1e-3 * first && sweep < 49)) continue;
        last = now;
        is_solved = 1;
        dci_global_solve(&problem->g, NULL);
        for (k = 0; k < p.g.count; k++)
            CHECK(!memcmp(&p.impact[k].force, &problem->impact[k].force, sizeof(dc_vec3)));
    }
    CHECK(now <= TOL(1e-6, 1e-4) * first);
    return last;
}

/* The conditions of the least of (37.1) under (37.2), from the forces alone, with y = H^-1 c: forces are
   not negative, contacts are met, and forces act only where they are just met. A contact is left just
   met, and then those after it in the last sweep change its w by |A_kj| |f_j|, where A_jj |f_j| is
   at most `last` and |A_kj| at most (A_jj A_kk)^1/2. */
static void qp_check_conditions(uint32_t seed, int count)
{
    static qp_random r;
    static qp_problem p;
    double d[3][QP_VERTICES], approach[QP_MAX], scale = 0, last;
    int i, k, j, v;
    qp_random_problem(&r, &p, seed, count);
    for (k = 0; k < count; k++) {
        approach[k] = -(double)dci_dot(p.impact[k].motion, p.impact[k].normal);
        scale = fmax(scale, fabs(approach[k]));
    }
    last = qp_solve(&p, 0);
    memset(d, 0, sizeof d);
    for (k = 0; k < count; k++)
        for (i = 0; i < 3; i++)
            for (v = 0; v < QP_VERTICES; v++)
                d[i][v] += r.y[k][v] * qp_force(&p, k) * r.normal[k][i];
    for (k = 0; k < count; k++) {
        double gap = -approach[k], bound = TOL(1e-12, 1e-3) * scale;
        for (i = 0; i < 3; i++) gap += r.normal[k][i] * qp_dot(r.c[k], d[i]);
        for (j = k + 1; j < count; j++)
            bound +=
                last * sqrt((double)(p.a[dci_global_place(k, k)] / p.a[dci_global_place(j, j)]));
        CHECK(qp_force(&p, k) >= 0);
        CHECK_AT_MOST(-gap, bound);
        if (qp_force(&p, k) > 0) CHECK_AT_MOST(gap, bound);
    }
}

static void test_random_contacts_satisfy_the_conditions_of_the_least(void)
{
    uint32_t seed;
    int count;
    for (seed = 1; seed < 12; seed++)
        for (count = 1; count <= QP_MAX; count += 13) qp_check_conditions(seed, count);
}

/* Friction of .3 everywhere. */
static void test_random_contacts_with_friction_stay_in_their_cones(void)
{
    static qp_random r;
    static qp_problem p;
    uint32_t seed;
    int k;
    for (seed = 1; seed < 12; seed++) {
        qp_random_problem(&r, &p, seed, QP_MAX);
        for (k = 0; k < QP_MAX; k++) {
            p.impact[k].friction = DCI_R(0.3);
            p.impact[k].motion.z += (dc_real)qp_number(seed, k, 21) / 4;
        }
        qp_solve(&p, 1);
        for (k = 0; k < QP_MAX; k++) {
            double q = qp_force(&p, k), f = (double)dci_norm(p.impact[k].force);
            CHECK(q >= 0);
            CHECK_AT_MOST(f * f, q * q * 1.09 * (1 + TOL(1e-14, 1e-6)));
        }
    }
}

/* ---- The stage ---- */

/* A sheet above a floor at y = 0, on its way to where it was; ends are to be set, then it is run. */
typedef struct impact_scene {
    fixture f;
    dc_obstacle_desc floor_;
    dci_surface *s;
    dci_global *g;
    dc_report report;
} impact_scene;

static void impact_open(impact_scene *t, dc_index cells, double height, double friction)
{
    const dci_span whole = {1, 0, 1, 0};
    dci_cloth *cloth;
    dc_index v;
    t->f = lying_sheet(cells, height);
    t->floor_ = obstacle_floor(0);
    t->floor_.friction = t->f.cloth.friction = (dc_real)friction;
    t->f.desc.obstacles = &t->floor_;
    t->f.desc.obstacle_count = 1;
    CHECK(fixture_open(&t->f) == DC_OK);
    t->f.impacts = impacts_at_once(t->f.world);
    cloth = dci_world_cloth(t->f.world, 0);
    dci_fields_copy(&cloth->trial, &cloth->state, dci_state_fields, cloth->count);
    dci_world_fill(t->f.world, DCI_CANDIDATE, &whole);
    t->s = &t->f.world->surface;
    t->g = t->s->global;
    for (v = 0; v < t->s->vertex_count; v++) t->s->push[v] = dci_vec(0, 0, 0);
    memset(&t->report, 0, sizeof t->report);
}

static dc_index impact_run(impact_scene *t)
{
    dci_surface_find_pairs(t->s);
    dci_global_run(t->s, &t->report);
    return t->s->queue_count;
}

/* H^-1 c of one square, c = (1, 0, 0, 0), H = M + K L: edges as in the running example but for the
   diagonal, which here is from 1 to 2 (grids are cut the other way or this way; the mesh tells). */
static void impact_square(const impact_scene *t, double stiffness, double y[4])
{
    const dc_mesh *mesh = &dci_world_cloth(t->f.world, 0)->surface;
    dense h = dense_new(4, 4);
    double mean = 0;
    dc_index e, v;
    for (v = 0; v < 4; v++) mean += (double)t->s->mass[v] / 4;
    for (v = 0; v < 4; v++) *dense_at(&h, v, v) = (double)t->s->mass[v];
    for (e = 0; e < mesh->edge_count; e++) {
        int a = mesh->edge_vertices[2 * e], b = mesh->edge_vertices[2 * e + 1];
        *dense_at(&h, a, a) += stiffness * mean;
        *dense_at(&h, b, b) += stiffness * mean;
        *dense_at(&h, a, b) -= stiffness * mean;
        *dense_at(&h, b, a) -= stiffness * mean;
    }
    y[0] = 1, y[1] = y[2] = y[3] = 0;
    CHECK(dense_solve(&h, y));
    free(h.a);
}

/* One corner of a square aims .05 m down, through the floor that is .01 m below. It is to stop, with
   the others as far along as y_i / y_0 of the .05: x = H^-1 c lambda, lambda = .05 / y_0. Of that the
   part m_0 .05^2 / sum m_i d_i^2 is velocity, (37.7). Without stiffness the others stay. */
static void test_one_impact_is_the_closed_form(void)
{
    static const double stiffness[3] = {0, 1, 100};
    int i;
    for (i = 0; i < 3; i++) {
        impact_scene t;
        double y[4], square = 0, part;
        dc_index v;
        impact_open(&t, 1, 0.01, 0);
        CHECK(t.g->stiffness == 100);
        t.g->stiffness = (dc_real)stiffness[i];
        t.s->end[0].y -= DCI_R(0.05);
        CHECK_EQUAL(impact_run(&t), 0);
        CHECK_EQUAL(t.report.counters.global_contacts, 1);
        CHECK_EQUAL(t.report.counters.global_rounds, 1);
        impact_square(&t, stiffness[i], y);
        for (v = 0; v < 4; v++) square += (double)t.s->mass[v] * y[v] * y[v] / (y[0] * y[0]);
        part = fmin(1, (double)t.s->mass[0] / square);
        CHECK(stiffness[i] == 0 || part < 0.9); /* the chapter's point */
        for (v = 0; v < 4; v++) {
            double d = 0.05 * y[v] / y[0], aimed = v == 0 ? -0.04 : 0.01;
            CHECK_NEAR(t.s->end[v].y, aimed + d, TOL(1e-12, 1e-6));
            CHECK_NEAR(t.s->push[v].y, (1 - part) * d, TOL(1e-12, 1e-6));
            CHECK(t.s->end[v].x == t.s->start[v].x && t.s->end[v].z == t.s->start[v].z);
        }
        fixture_close(&t.f);
    }
}

/* A corner alone comes down by .05 m and to the side by .03: what slides is slowed by mu times .05,
   (32.4), or stops. */
static void test_friction_of_one_impact_is_coulombs(void)
{
    static const double friction[3] = {0, 0.2, 0.7};
    int i;
    for (i = 0; i < 3; i++) {
        impact_scene t;
        double left = fmax(0, 0.03 - friction[i] * 0.05);
        impact_open(&t, 1, 0.01, friction[i]);
        t.g->stiffness = 0;
        t.s->end[0] = dci_vec_add(t.s->start[0], dci_vec(DCI_R(0.03), DCI_R(-0.05), 0));
        CHECK_EQUAL(impact_run(&t), 0);
        CHECK_NEAR(t.s->end[0].y, 0.01, TOL(1e-12, 1e-7));
        CHECK_NEAR(t.s->end[0].x - t.s->start[0].x, left, TOL(1e-12, 1e-7));
        fixture_close(&t.f);
    }
}

/* All of a sheet comes down by .05 m, .03 m to the side: all stop alike, whatever the stiffness, as d is
   the same everywhere, and all of it is velocity. Each vertex feels its own mass alone, so friction
   slows all by mu .05. Fifty sweeps leave a hundredth of the approach. */
static void test_a_sheet_that_lands_flat_stops_in_one_piece(void)
{
    impact_scene t;
    dc_index v;
    impact_open(&t, 4, 0.01, 0.2);
    for (v = 0; v < 25; v++)
        t.s->end[v] = dci_vec_add(t.s->start[v], dci_vec(DCI_R(0.03), DCI_R(-0.05), 0));
    CHECK_EQUAL(impact_run(&t), 0);
    CHECK_EQUAL(t.report.counters.global_contacts, 25);
    for (v = 0; v < 25; v++) {
        CHECK_NEAR(t.s->end[v].y, 0.01, 5e-4);
        CHECK_NEAR(t.s->end[v].x - t.s->start[v].x, 0.02, TOL(1e-3, 1e-3));
        CHECK_NEAR(t.s->push[v].y, 0, TOL(1e-10, 1e-5));
    }
    fixture_close(&t.f);
}

/* Held vertices stay to the bit, also where edges pull at them. */
static void test_held_vertices_stay_and_hold_their_neighbours(void)
{
    impact_scene t;
    dc_vec3 end[2];
    dc_index v;
    impact_open(&t, 1, 0.01, 0);
    t.s->inv_mass[1] = t.s->inv_mass[2] = 0;
    t.s->end[0].y -= DCI_R(0.05);
    t.s->end[1].x += DCI_R(0.01);
    end[0] = t.s->end[1], end[1] = t.s->end[2];
    CHECK_EQUAL(impact_run(&t), 0);
    CHECK(memcmp(&end[0], &t.s->end[1], sizeof end[0]) == 0);
    CHECK(memcmp(&end[1], &t.s->end[2], sizeof end[1]) == 0);
    CHECK_NEAR(t.s->end[0].y, 0.01, TOL(1e-12, 1e-7));
    /* vertex 3 is joined to 1 and 2, and to 0 only if the diagonal is: less than half way along */
    CHECK(t.s->end[3].y >= DCI_R(0.01) && t.s->end[3].y < DCI_R(0.035));
    for (v = 1; v < 3; v++) CHECK(dci_norm(t.s->push[v]) == 0);
    fixture_close(&t.f);
}

/* The kinetic energy of what free vertices do, pushes apart. */
static double surface_kinetic(const dci_surface *s)
{
    double sum = 0;
    dc_index v;
    for (v = 0; v < s->vertex_count; v++) {
        dc_vec3 u = dci_vec_sub(dci_vec_sub(s->end[v], s->start[v]), s->push[v]);
        if (s->inv_mass[v] > 0) sum += (double)(dci_dot(u, u) / s->inv_mass[v]) / 2;
    }
    return sum;
}

/* Two sheets with single vertices flung far through each other, where the whole of d as velocity would
   gain energy: it takes energy away, keeps momentum, and what is left ends clear in rigid zones. */
static void test_impacts_never_gain_energy(void)
{
    uint32_t seed;
    for (seed = 1; seed < 9; seed++) {
        stage_scene t;
        dc_vec3 before[2], after[2];
        double energy, whole = 0;
        dc_index v;
        stage_scene_open(&t, 1, 0.001, 0);
        for (v = 0; v < 61; v++) {
            dc_real fling = dci_random(seed, (uint32_t)v) > DCI_R(0.8) ? DCI_R(0.1) : DCI_R(0);
            t.surface->end[v].y += v < 36 ? fling : -fling;
        }
        dci_surface_find_pairs(t.surface);
        surface_momentum(t.surface, &before[0], &before[1]);
        energy = surface_kinetic(t.surface);
        dci_global_run(t.surface, &t.report);
        CHECK(t.report.counters.global_contacts > 0);
        surface_momentum(t.surface, &after[0], &after[1]);
        /* half a unit in the last place of H d: 61 vertices, 12 K d, K = .3 kg, d = .1 m */
        CHECK_AT_MOST(dci_norm(dci_vec_sub(after[0], before[0])), TOL(2.5e-15, 1.3e-6));
        CHECK_AT_MOST(surface_kinetic(t.surface), energy);
        for (v = 0; v < 61; v++) t.surface->push[v] = dci_vec(0, 0, 0);
        whole = surface_kinetic(t.surface);
        CHECK(whole > energy); /* which is why (37.7) */
        dci_zone_run(t.surface, &t.report);
        CHECK_EQUAL(t.report.unresolved, 0);
        stage_scene_close(&t);
    }
}

/* ---- Worlds ---- */

/* Two sheets thrown at each other, at 1/100 s: 10 cm a step, most of a cell. */
static uint64_t throw_sheets(dc_index capacity, dc_report *sum)
{
    fixture f = lying_sheet(8, 0), g = lying_sheet(7, 0.03);
    dc_cloth_desc both[2];
    dc_vec3 up[81], down[64];
    uint64_t hash;
    dc_index v, i;
    for (v = 0; v < 81; v++) up[v] = dci_vec(0, 5, DCI_R(0.4) * f.positions[v].x);
    for (v = 0; v < 64; v++) down[v] = dci_vec(DCI_R(0.3), -5, 0);
    both[0] = f.cloth, both[1] = g.cloth;
    both[0].start_velocities = up, both[1].start_velocities = down;
    f.desc.cloths = both;
    f.desc.cloth_count = 2;
    f.desc.gravity = dci_vec(0, 0, 0);
    f.desc.solver.round_max = 1; /* what passes through is left to the stages */
    CHECK(make_world(&f.desc, &f.memory, &f.world, &f.info, &f.error) == DC_OK);
    f.impacts = impacts_at_once(f.world);
    if (capacity != DC_NONE) {
        f.world->surface.global->capacity = capacity;
        f.world->surface.global->stiffness = 0;
    }
    memset(sum, 0, sizeof *sum);
    for (i = 0; i < 20; i++) {
        CHECK(fixture_step(&f, 0.01) == DC_OK);
        CHECK(f.report.is_certified && f.report.unresolved == 0 && f.report.counters.impulses == 0);
        sum->counters.global_contacts += f.report.counters.global_contacts;
        sum->counters.global_rounds += f.report.counters.global_rounds;
        sum->counters.merges += f.report.counters.merges;
        CHECK_EQUAL(referee_count(dc_body_mesh(f.world, 0), dc_body_positions(f.world, 0),
                                  dc_body_mesh(f.world, 1), dc_body_positions(f.world, 1)),
                    0);
    }
    hash = dc_world_hash(f.world);
    fixture_close(&f);
    fixture_close(&g);
    return hash;
}

static void test_sheets_thrown_at_each_other_are_certified_and_repeatable(void)
{
    dc_report first, second;
    uint64_t hash = throw_sheets(DC_NONE, &first);
    CHECK(first.counters.global_contacts > 0 && first.counters.global_rounds > 0);
    CHECK(throw_sheets(DC_NONE, &second) == hash);
    CHECK_EQUAL(second.counters.global_contacts, first.counters.global_contacts);
}

/* With room for three contacts, without stiffness, nearly everything is left to rigid zones. */
static void test_contacts_without_room_go_to_rigid_zones(void)
{
    dc_report sum;
    throw_sheets(3, &sum);
    CHECK(sum.counters.global_contacts > 0 && sum.counters.merges > 0);
}

/* How much the longest and the shortest way of an edge differ from its length, at most, and how many
   triangles turned over, when a strip of 16 cells falls flat by one and a half cells on a bar across
   it. */
static void strip_on_a_bar(int at_once, double *distortion, int *flipped)
{
    const dci_span whole = {1, 0, 1, 0};
    fixture f = fixture_begin();
    shape_desc shape = shape_defaults(SHAPE_STRIP);
    dc_obstacle_desc bar;
    const dc_mesh *mesh;
    dci_surface *s;
    dci_cloth *cloth;
    dc_report report;
    dc_index v, e, t;
    shape.columns = 16;
    shape.rows = 2;
    shape.width = 1;
    shape.height = DCI_R(0.125);
    fixture_shape(&f, &shape);
    for (v = 0; v < f.cloth.mesh.vertex_count; v++)
        f.positions[v] = dci_vec(f.positions[v].x - DCI_R(0.51), 0, -f.positions[v].y);
    memset(&bar, 0, sizeof bar);
    bar.kind = DC_OBSTACLE_CAPSULE;
    bar.radius = DCI_R(0.01);
    bar.point[0] = dci_vec(0, DCI_R(-0.02), DCI_R(-0.3));
    bar.point[1] = dci_vec(0, DCI_R(-0.02), DCI_R(0.3));
    f.desc.obstacles = &bar;
    f.desc.obstacle_count = 1;
    f.desc.collides = 1;
    CHECK(fixture_open(&f) == DC_OK);
    if (at_once) f.impacts = impacts_at_once(f.world);
    cloth = dci_world_cloth(f.world, 0);
    s = &f.world->surface;
    mesh = &cloth->surface;
    dci_fields_copy(&cloth->trial, &cloth->state, dci_state_fields, cloth->count);
    dci_world_fill(f.world, DCI_CANDIDATE, &whole);
    for (v = 0; v < mesh->vertex_count; v++) s->end[v].y -= DCI_R(1.5) / 16;
    report = dci_report_empty();
    CHECK(dci_collide(s, &report, NULL) == DC_OK);
    CHECK(report.counters.impulses + report.counters.global_contacts + report.counters.repulsions >
          0);
    *distortion = 0;
    *flipped = 0;
    for (e = 0; e < mesh->edge_count; e++) {
        dc_index a = mesh->edge_vertices[2 * e], b = mesh->edge_vertices[2 * e + 1];
        double rest = (double)dci_norm(dci_vec_sub(s->start[a], s->start[b]));
        double now = (double)dci_norm(dci_vec_sub(s->end[a], s->end[b]));
        *distortion = fmax(*distortion, fabs(now - rest) / rest);
    }
    for (t = 0; t < mesh->triangle_count; t++) {
        const dc_index *c = mesh->triangles + 3 * t;
        dc_vec3 normal = dci_cross(dci_vec_sub(s->end[c[1]], s->end[c[0]]),
                                   dci_vec_sub(s->end[c[2]], s->end[c[0]]));
        *flipped += !(normal.y > 0);
    }
    fixture_close(&f);
}

/* [PHB15] figure 6. */
static void test_stiffness_keeps_a_coarse_strip_in_shape(void)
{
    double local, global;
    int local_flipped, global_flipped;
    strip_on_a_bar(0, &local, &local_flipped);
    strip_on_a_bar(1, &global, &global_flipped);
    CHECK_AT_MOST(global, local / 5);
    CHECK(global_flipped <= local_flipped);
}

/* A sheet hangs from two corners; a ball comes through it at 3 m/s, 5 cm a step. */
static void test_a_ball_flies_into_a_hanging_sheet(void)
{
    static const dc_index pins[2] = {110, 120};
    fixture f = fixture_begin();
    dc_obstacle_desc ball = obstacle_sphere(0.15);
    dc_vec3 centre = dci_vec(DCI_R(0.5), DCI_R(0.4), DCI_R(-0.25)), pinned;
    dc_index contacts = 0;
    int i;
    fixture_grid(&f, 10, 10);
    f.cloth.pin_vertices = pins;
    f.cloth.pin_count = 2;
    ball.point[0] = centre;
    f.desc.obstacles = &ball;
    f.desc.obstacle_count = 1;
    f.desc.collides = 1;
    CHECK(fixture_open(&f) == DC_OK);
    f.impacts = impacts_at_once(f.world);
    pinned = dc_body_positions(f.world, 0)[pins[1]];
    for (i = 0; i < 12; i++) {
        const dc_vec3 *x;
        dc_index v;
        centre.z += DCI_R(0.05);
        CHECK(dc_obstacle_move(f.world, f.world->moving_count, &centre, dci_vec(0, 0, 0),
                               &f.error) == DC_OK);
        CHECK(fixture_step(&f, 1.0 / 60) == DC_OK);
        CHECK(f.report.is_certified);
        contacts += f.report.counters.global_contacts;
        x = dc_body_positions(f.world, 0);
        for (v = 0; v < 121; v++)
            CHECK_AT_MOST(0.15 - (double)dci_norm(dci_vec_sub(x[v], centre)), 0);
        /* a pin is held to tolerance times the mean edge by the step, and no collision moves it */
        CHECK_AT_MOST(dci_norm(dci_vec_sub(x[pins[1]], pinned)), 2e-5);
    }
    CHECK(contacts > 0);
    fixture_close(&f);
}

static const test_case tests_global[] = {
    {"two contacts on a line share their forces", test_two_contacts_on_a_line_share_their_forces},
    {"a contact that another relieves drops out", test_a_contact_that_another_relieves_drops_out},
    {"the same contact again changes nothing", test_the_same_contact_again_changes_nothing},
    {"a pinch ends and the rest is solved", test_a_pinch_ends_and_the_rest_is_solved},
    {"one contact obeys Coulomb's law after one sweep",
     test_one_contact_obeys_coulombs_law_after_one_sweep},
    {"random contacts satisfy the conditions of the least",
     test_random_contacts_satisfy_the_conditions_of_the_least},
    {"random contacts with friction stay in their cones",
     test_random_contacts_with_friction_stay_in_their_cones},
    {"one impact is the closed form", test_one_impact_is_the_closed_form},
    {"friction of one impact is Coulomb's", test_friction_of_one_impact_is_coulombs},
    {"a sheet that lands flat stops in one piece", test_a_sheet_that_lands_flat_stops_in_one_piece},
    {"held vertices stay and hold their neighbours",
     test_held_vertices_stay_and_hold_their_neighbours},
    {"impacts never gain energy", test_impacts_never_gain_energy},
    {"sheets thrown at each other are certified and repeatable",
     test_sheets_thrown_at_each_other_are_certified_and_repeatable},
    {"contacts without room go to rigid zones", test_contacts_without_room_go_to_rigid_zones},
    {"stiffness keeps a coarse strip in shape", test_stiffness_keeps_a_coarse_strip_in_shape},
    {"a ball flies into a hanging sheet", test_a_ball_flies_into_a_hanging_sheet},
};
