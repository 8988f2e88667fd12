/* examples/papers/phb15.c: coordinates, energies, their gradients, time steps and collisions of [PHB15]. */
#include "paper_test.h"

#define main phb15_main
#include "../../examples/papers/phb15.c"
#undef main

/* A helix whose creases and angles are not even, in motion. */
static ribbon stirred(dc_index n)
{
    ribbon r = make_ribbon(n, 6, 0.4);
    dc_index j;
    for (j = 1; j < n; j++) r.c[j] += 0.1 * sin(3.0 * j), r.psi[j] += 0.1 * cos(5.0 * j);
    begin(&r);
    for (j = 0; j < 2 * n + 2; j++)
        r.v_old[j] = vec_make(sin(2.0 * j), cos(3.0 * j), 0.5 * sin(5.0 * j));
    for (j = 1; j < n; j++) r.c[j] += 0.05 * cos(4.0 * j), r.psi[j] += 0.05 * sin(7.0 * j);
    return r;
}

/* Appendix C against central differences of f, with every term in it. */
static void test_gradients_are_those_of_the_energy(void)
{
    int which;
    for (which = 0; which < 5; which++) { /* full, lumped, a loop at rest, a band, T_k as printed */
        const dc_index n = 12;
        ribbon r = stirred(n);
        double *g = paper_reals(2 * n + 4), *unused = paper_reals(2 * n + 4), scale = 0;
        dc_index i;
        r.is_floating = 1;
        r.beta = 1e-3;
        r.is_lumped = which == 1;
        r.h = which == 2 ? 0 : 0.01;
        r.joins = which == 3 ? -1 : which == 2;
        r.is_printed = which == 4;
        r.pose[0] = which % 2 ? vec_make(0.7, -0.4, 1.1) : vec_make(1e-3, -2e-3, 3e-3);
        r.pose[1] = vec_make(0.2, 0.1, -0.3);
        r.lambda[0] = -30, r.lambda[1] = -2e4;
        r.guide.segment = 7;
        r.guide.stiffness = 0.3;
        r.guide.target = vec_make(0.6, 0, 0.8);
        pack(&r, r.at);
        objective(&r, r.at, g);
        for (i = 0; i < variable_count(&r); i++) scale = fmax(scale, fabs(g[i]));
        for (i = 0; i < variable_count(&r); i++) {
            double was = r.at[i], step = 1e-6, above, below;
            r.at[i] = was + step, above = objective(&r, r.at, unused);
            r.at[i] = was - step, below = objective(&r, r.at, unused);
            r.at[i] = was;
            CHECK_AT_MOST(fabs((above - below) / (2 * step) - g[i]), 1e-6 * scale);
        }
    }
}

/* Entry (2,4) of T_k: mended, points of the crease stay where they are; printed they do not. */
static void test_a_fold_leaves_its_crease_in_place(void)
{
    int is_printed;
    for (is_printed = 0; is_printed < 2; is_printed++) {
        ribbon r = stirred(20);
        double worst = 0;
        dc_index k;
        int rim, i, j;
        r.is_printed = is_printed;
        for (k = 1; k < 20; k++) {
            matrix t, a, b;
            fold(&r, k, &t, &a, &b);
            for (rim = RIM_X; rim <= RIM_Y; rim++)
                worst = fmax(worst,
                             vec_length(vec_sub(apply(&t, flat(&r, k, rim), 1), flat(&r, k, rim))));
            for (i = 0; i < 3; i++) /* it is a rotation */
                for (j = 0; j < 3; j++)
                    CHECK_NEAR(t.a[0][i] * t.a[0][j] + t.a[1][i] * t.a[1][j] +
                                   t.a[2][i] * t.a[2][j],
                               i == j, 1e-15);
        }
        if (!is_printed) CHECK_AT_MOST(worst, 1e-15);
        if (is_printed) CHECK(worst > 1e-3);
    }
}

/* Appendix B: bilinear shapes carry x and y exactly, so that M integrates their products over the flat
   rectangle, wherever creases lie. */
static void test_the_mass_matrix_integrates_over_the_rectangle(void)
{
    ribbon r = stirred(20);
    double xx = 0, yy = 0, x1 = 0, sum = 0, slope;
    dc_index i;
    int a, b;
    for (i = 0; i < 20; i++)
        for (a = 0; a < 4; a++)
            for (b = 0; b < 4; b++) {
                dc_vec3 p = flat(&r, i + a / 2, a % 2), q = flat(&r, i + b / 2, b % 2);
                double m = mass_entry(&r, i, a, b, &slope);
                sum += m, x1 += m * p.x, yy += m * p.y * q.y;
                xx += m * p.x * q.x;
            }
    CHECK_NEAR(sum, LENGTH * WIDTH, 1e-15);
    CHECK_NEAR(x1, LENGTH * LENGTH * WIDTH / 2, 1e-15);
    CHECK_NEAR(yy, LENGTH * pow(WIDTH, 3) / 12, 1e-17);
    CHECK_NEAR(xx, pow(LENGTH, 3) * WIDTH / 3, 2e-5 * WIDTH);
}

/* A helix of parallel creases lies on a cylinder: alpha times its curvature squared times the area, of which
   n - 1 of n parts are counted. */
static void test_bending_of_a_helix(void)
{
    const dc_index n = 40;
    ribbon r = make_ribbon(n, 0, 0);
    double c = 0.5, psi = 0.1, kappa = psi * (double)n / LENGTH * sqrt(1 + c * c);
    dc_index j;
    r.beta = 0;
    for (j = 1; j < n; j++) r.c[j] = c, r.psi[j] = psi;
    CHECK_NEAR(bending_energy(&r),
               r.alpha * kappa * kappa * LENGTH * WIDTH * (double)(n - 1) / (double)n, 1e-15);
}

/* Whatever it does no edge of the drawn mesh changes its length; printed, T_k tears it. */
static void test_a_ribbon_does_not_stretch(void)
{
    int is_printed;
    for (is_printed = 0; is_printed < 2; is_printed++) {
        ribbon r = make_ribbon(20, 8, 0.5);
        int i;
        r.is_printed = is_printed;
        begin(&r);
        for (i = 0; i < 20; i++) {
            int ok = step(&r, 0);
            if (!is_printed) CHECK(ok);
        }
        if (!is_printed) CHECK_AT_MOST(r.count.strain, 1e-11);
        if (is_printed) CHECK(r.count.strain > 1e-2);
    }
}

/* Free and without gravity it keeps its momentum. */
static void test_momentum_is_kept(void)
{
    const dc_index n = 12;
    ribbon r = make_ribbon(n, 3, 0.3);
    dc_vec3 sum[2];
    dc_index j;
    int k, i;
    r.is_floating = 1;
    r.gravity = 0;
    begin(&r);
    for (j = 0; j < 2 * n + 2; j++) r.v_old[j] = vec_make(1, 2 * r.x[j].x, -2 * r.x[j].x);
    for (k = 0; k < 2; k++) { /* the velocities of the first step are not those of a ribbon */
        for (i = 0; i < 5; i++) CHECK(step(&r, 1));
        sum[k] = vec_make(0, 0, 0);
        for (j = 0; j < n; j++) {
            int a, b;
            for (a = 0; a < 4; a++)
                for (b = 0; b < 4; b++) {
                    double slope, mass = DENSITY * mass_entry(&r, j, a, b, &slope);
                    sum[k] = vec_axpy(sum[k], mass, r.v_old[2 * j + b]);
                }
        }
    }
    CHECK(vec_length(sum[0]) > 0.1 * DENSITY * LENGTH * WIDTH);
    CHECK_AT_MOST(vec_length(vec_sub(sum[0], sum[1])), 1e-2 * vec_length(sum[0]));
}

/* Figure 11. */
static void test_lumped_mass_does_not_see_a_spin(void)
{
    double turned[2];
    int is_lumped;
    for (is_lumped = 0; is_lumped < 2; is_lumped++) {
        ribbon r = make_ribbon(20, 0.01, 0.02);
        dc_vec3 before;
        dc_index k;
        r.is_floating = 1;
        r.gravity = 0;
        r.is_lumped = is_lumped;
        begin(&r);
        before = r.normal[10];
        for (k = 0; k < 42; k++)
            r.v_old[k] = vec_cross(vec_make(10, 0, 0), vec_make(0, 0, r.x[k].z));
        CHECK(step(&r, 0));
        turned[is_lumped] = angle_between(before, r.normal[10]);
    }
    CHECK_NEAR(turned[0], 0.1 * 180 / acos(-1), 0.2);
    CHECK_AT_MOST(turned[1], 1e-6);
}

/* A clamped strip under its weight, hardly bent: the moment about a crease s from the end is that of all
   beyond it, rho w g (l - s)^2 / 2 with full mass and with lumped mass, and folds it by that over 2 alpha n w / l.
   The end sinks by the sum of fold times l - s, near to the rho g l^4 / (8 k) of a beam. */
static void test_a_heavy_strip_hangs_as_a_beam(void)
{
    const dc_index n = 20;
    int is_lumped;
    for (is_lumped = 0; is_lumped < 2; is_lumped++) {
        ribbon r = make_ribbon(n, 0, 0);
        double load, sunk = 0;
        dc_index j;
        r.alpha = 100;
        r.h = 0;
        r.gradient_max = 1e-10;
        r.is_lumped = is_lumped;
        begin(&r);
        CHECK(step(&r, 0));
        load = DENSITY * WIDTH * r.gravity;
        for (j = 1; j < n; j++) {
            double beyond = LENGTH * (double)(n - j) / (double)n;
            double fold = load * beyond * beyond / 2 / (2 * r.alpha * (double)n * WIDTH / LENGTH);
            CHECK_NEAR(r.psi[j] / -fold, 1, 1e-4);
            sunk += fold * beyond;
        }
        CHECK_NEAR(r.x[2 * n].y / -sunk, 1, 1e-4);
        CHECK_NEAR(sunk / (load * pow(LENGTH, 4) / (8 * 2 * r.alpha * WIDTH)), 1, 2.0 / (double)n);
    }
}

/* Flat and free, from rest: in n steps of backward Euler its centre falls by g h^2 n (n + 1) / 2. A force of 1e-6 N that is left
   moves the ribbon's .005 kg by 2e-8 m in a step, and by 55 times that in ten. */
static void test_a_flat_ribbon_falls_freely(void)
{
    const dc_index n = 12;
    int is_lumped, i;
    for (is_lumped = 0; is_lumped < 2; is_lumped++) {
        ribbon r = make_ribbon(n, 0, 0);
        double sum = 0;
        dc_index k;
        r.is_floating = 1;
        r.gradient_max = 1e-6;
        r.is_lumped = is_lumped;
        begin(&r);
        for (i = 0; i < 10; i++) CHECK(step(&r, 0));
        for (k = 0; k < 2 * n + 2; k++) sum += r.x[k].y * (k / 2 == 0 || k / 2 == n ? 0.5 : 1);
        CHECK_NEAR(sum / (2 * (double)n), -r.gravity * r.h * r.h * 55, 2e-6);
    }
}

/* A loop is a ring: n - 1 creases of 2 pi / (n - 1), but that two segments lie in one plane, where the ends
   meet. That leaves a gap of one segment, h. Angles larger by epsilon cos(theta) move the end by
   epsilon n h / 2, so epsilon is 2 / n, and the energy larger by epsilon^2 / 2 = 2 / n^2, to first order. */
static void test_a_loop_is_a_ring(void)
{
    const dc_index n = 40;
    ribbon r = make_ribbon(n, 2 * acos(-1), 0);
    double least = r.alpha * (double)n * WIDTH / LENGTH * pow(2 * acos(-1), 2) / (double)(n - 1);
    r.gravity = r.h = 0;
    r.joins = 1;
    begin(&r);
    CHECK(step(&r, 0));
    CHECK_AT_MOST(vec_length(vec_sub(r.x[0], r.x[2 * n])), 1e-6);
    CHECK_AT_MOST(vec_length(vec_sub(r.x[1], r.x[2 * n + 1])), 1e-6);
    CHECK_AT_MOST(vec_length(vec_sub(r.normal[0], r.normal[n - 1])), 1e-4);
    r.beta = 0;
    CHECK_NEAR(bending_energy(&r) / least, 1 + 2.0 / (n * n), 2e-4);
}

/* A Moebius band: closed, its end turned over. By Fenchel's theorem the folds of a closed ribbon turn its
   centre line by 2 pi or more in all, so that sum psi_j^2 is (2 pi)^2 / (n - 1) at least. */
static void test_a_moebius_band_closes(void)
{
    const dc_index n = 40;
    ribbon r = make_ribbon(n, 2 * acos(-1), 0.5);
    double least = r.alpha * (double)n * WIDTH / LENGTH * pow(2 * acos(-1), 2) / (double)(n - 1);
    r.gravity = r.h = 0;
    r.joins = -1;
    begin(&r);
    CHECK(step(&r, 0));
    CHECK_AT_MOST(vec_length(vec_sub(r.x[0], r.x[2 * n + 1])), 1e-6);
    CHECK_AT_MOST(vec_length(vec_sub(r.x[1], r.x[2 * n])), 1e-6);
    CHECK_AT_MOST(vec_length(vec_add(r.normal[0], r.normal[n - 1])), 1e-4);
    r.beta = 0;
    CHECK(bending_energy(&r) > least);
}

/* The conditions of Karush, Kuhn and Tucker for the QP, with rows that follow from others. */
static void test_the_dual_finds_the_nearest_point(void)
{
    const dc_index n = 10, count = 2 * n + 2;
    double k_of[3] = {0, 1, 100};
    int k;
    for (k = 0; k < 3; k++) {
        ribbon r = make_ribbon(n, 4, 0.3);
        dc_vec3 *tilde = paper_vectors(count), *x = paper_vectors(count), *pull;
        static const double one[4] = {1, 0, 0, 0};
        handler *s;
        dc_index i, e;
        int pushed = 0;
        r.stiffness = k_of[k];
        make_handler(&r);
        s = r.handler;
        for (i = 0; i < count; i++) {
            dc_index v[4] = {0, 0, 0, 0};
            tilde[i] = vec_make(r.x[i].x, 0.1 * sin(3.0 * i), r.x[i].z);
            v[0] = v[1] = v[2] = v[3] = i;
            handler_add_row(s, v, one, AXIS_Y);
            if (i % 3 == 0) handler_add_row(s, v, one, AXIS_Y);
        }
        handler_solve(s, tilde);
        handler_shift(s, tilde, x);
        pull = paper_vectors(count); /* N^T lambda */
        for (i = 0; i < s->row_count; i++) {
            const row *w = s->rows + i;
            double left = vec_dot(w->normal, handler_moved(w, x)) - GAP;
            CHECK(w->lambda >= 0);
            CHECK(left >= -2e-3 * GAP);
            CHECK_AT_MOST(fmin(w->lambda, left), 2e-3 * GAP);
            pull[w->vertex[0]] = vec_axpy(pull[w->vertex[0]], w->lambda, w->normal);
            pushed += w->lambda > 0;
        }
        CHECK(pushed > (k == 0 ? 5 : 1));
        for (i = 0; i < count; i++) pull[i] = vec_axpy(pull[i], -1, vec_sub(x[i], tilde[i]));
        for (e = 0; e < s->edge_count; e++) {
            dc_index a = s->edges[e][0], b = s->edges[e][1];
            dc_vec3 d = vec_sub(vec_sub(x[a], x[b]), vec_sub(tilde[a], tilde[b]));
            pull[a] = vec_axpy(pull[a], -k_of[k], d);
            pull[b] = vec_axpy(pull[b], k_of[k], d);
        }
        for (i = 0; i < count; i++) CHECK_AT_MOST(vec_length(pull[i]), 1e-10);
    }
}

/* Figure 6: with K the mesh keeps its shape, without it is torn. Nothing crosses or sinks, by a test that
   the handler does not use. */
static void test_stiffness_keeps_the_mesh_in_collisions(void)
{
    double strain[2];
    int k;
    for (k = 0; k < 2; k++) {
        const dc_index n = 24, count = 2 * n + 2;
        ribbon r = make_ribbon(n, 10, 0.6);
        dc_index i, j, v;
        int t;
        r.stiffness = k == 0 ? 100 : 0;
        r.is_floating = 1;
        r.pose[0] = vec_make(0.3, 0.2, acos(-1) / 2);
        r.pose[1] = vec_make(0, 0.2, 0);
        begin(&r);
        make_handler(&r);
        for (t = 0; t < 35; t++) {
            CHECK(step(&r, 0));
            for (v = 0; v < count; v++) CHECK(r.x[v].y > 0);
            for (i = 0; i < r.handler->edge_count; i++)
                for (j = 0; j < 2 * n; j++) {
                    const dc_index *e = r.handler->edges[i], *c = r.triangles + 3 * j;
                    dc_vec3 edge[2], triangle[3];
                    edge[0] = r.x[e[0]], edge[1] = r.x[e[1]];
                    for (v = 0; v < 3; v++) triangle[v] = r.x[c[v]];
                    for (v = 0; v < 3 && c[v] != e[0] && c[v] != e[1]; v++) continue;
                    if (v == 3) CHECK(!dc_edge_crosses_triangle(edge, triangle));
                }
        }
        strain[k] = r.count.strain;
    }
    CHECK_AT_MOST(strain[0], 0.1);
    CHECK(strain[1] > 5 * strain[0]);
}

/* Rolled up onto itself it collides where it starts, which no step can mend. */
static void test_a_step_that_fails_changes_nothing(void)
{
    const dc_index n = 24, count = 2 * n + 2;
    ribbon r = make_ribbon(n, 15, 0);
    double *c = paper_reals(n + 1), *psi = paper_reals(n + 1);
    dc_vec3 *v = paper_vectors(count), *x = paper_vectors(count), normal;
    dc_index k;
    r.is_floating = 1;
    r.pose[1] = vec_make(0, 5, 0);
    begin(&r);
    make_handler(&r);
    for (k = 0; k < count; k++) v[k] = r.v_old[k] = vec_make(0.1, 0, r.x[k].y);
    memcpy(c, r.c, (size_t)(n + 1) * sizeof *c);
    memcpy(psi, r.psi, (size_t)(n + 1) * sizeof *psi);
    memcpy(x, r.x, (size_t)count * sizeof *x);
    normal = r.normal[n - 1];
    CHECK(!step(&r, 0));
    CHECK(memcmp(c, r.c, (size_t)(n + 1) * sizeof *c) == 0);
    CHECK(memcmp(psi, r.psi, (size_t)(n + 1) * sizeof *psi) == 0);
    for (k = 0; k < count; k++) {
        CHECK_AT_MOST(vec_length(vec_sub(r.x[k], x[k])), 1e-14);
        CHECK_AT_MOST(vec_length(vec_sub(r.x_old[k], x[k])), 0);
        CHECK_AT_MOST(vec_length(vec_sub(r.v_old[k], v[k])), 0);
    }
    CHECK_AT_MOST(vec_length(vec_sub(r.normal[n - 1], normal)), 1e-14);
}

static void test_options_that_cannot_be_are_refused(void)
{
    static const char *refused[][3] = {{"--segments", "6x"},
                                       {"--segments", "5.9"},
                                       {"--segments"},
                                       {"--segments", "1e10"},
                                       {"--beta", "inf"},
                                       {"--beta", "0"},
                                       {"unroll", "twist"},
                                       {"cape"},
                                       {""}};
    size_t k;
    for (k = 0; k < sizeof refused / sizeof *refused; k++) {
        char *argv[4] = {(char *)"phb15", (char *)refused[k][0], (char *)refused[k][1], NULL};
        CHECK_EQUAL(phb15_main(refused[k][1] ? 3 : 2, argv), 2);
    }
}

int main(void)
{
    static const test_case tests[] = {
        {"gradients are those of the energy", test_gradients_are_those_of_the_energy},
        {"a fold leaves its crease in place", test_a_fold_leaves_its_crease_in_place},
        {"the mass matrix integrates over the rectangle",
         test_the_mass_matrix_integrates_over_the_rectangle},
        {"bending of a helix", test_bending_of_a_helix},
        {"a ribbon does not stretch", test_a_ribbon_does_not_stretch},
        {"momentum is kept", test_momentum_is_kept},
        {"lumped mass does not see a spin", test_lumped_mass_does_not_see_a_spin},
        {"a heavy strip hangs as a beam", test_a_heavy_strip_hangs_as_a_beam},
        {"a flat ribbon falls freely", test_a_flat_ribbon_falls_freely},
        {"a loop is a ring", test_a_loop_is_a_ring},
        {"a moebius band closes", test_a_moebius_band_closes},
        {"options that cannot be are refused", test_options_that_cannot_be_are_refused},
        {"the dual finds the nearest point", test_the_dual_finds_the_nearest_point},
        {"stiffness keeps the mesh in collisions", test_stiffness_keeps_the_mesh_in_collisions},
        {"a step that fails changes nothing", test_a_step_that_fails_changes_nothing},
    };
    return paper_tests_run(tests, sizeof tests / sizeof tests[0]);
}
