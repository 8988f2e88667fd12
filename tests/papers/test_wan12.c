/* examples/papers/wan12.c: rows, bending, rest shapes, both systems, time steps and contacts of [Wan12]. */
#include "paper_test.h"

#include "../../examples/papers/paper.h"

/* In place of paper_write_obj(): no file is written. */
static int shapes_written, shapes_fail;

static int write_no_obj(const char *path, const dc_mesh *mesh, const dc_vec3 *x)
{
    shapes_written += path && mesh->vertex_count > 0 && isfinite(x[0].x);
    return !shapes_fail;
}

#define main wan12_main
#define paper_write_obj write_no_obj
#include "../../examples/papers/wan12.c"
#undef main
#undef paper_write_obj

static options small_options(int cells)
{
    options o = default_options();
    o.cells = cells;
    return o;
}

/* Stirred and bent, without a collider. */
static shell stirred(const options *o, int is_curl, print how)
{
    shell s = make_shell(o, is_curl, how);
    dc_index i;
    s.collider = NULL;
    for (i = 0; i < s.node_count; i++)
        s.v[i] = vec_make(0.3 * sin(3.0 * i), 0.5 * cos(2.0 * i), 0.3 * sin(5.0 * i));
    return s;
}

static dc_vec3 momentum(const shell *s)
{
    dc_vec3 sum = vec_make(0, 0, 0);
    dc_index i;
    for (i = 0; i < s->node_count; i++) sum = vec_axpy(sum, s->mass[i], s->v[i]);
    return sum;
}

/* Turned about an oblique axis, and moved. */
static dc_vec3 turned(dc_vec3 p)
{
    dc_vec3 axis = vec_make(2 / 7.0, 3 / 7.0, 6 / 7.0), r = vec_scale(cos(1.1), p);
    r = vec_axpy(r, sin(1.1), vec_cross(axis, p));
    r = vec_axpy(r, (1 - cos(1.1)) * vec_dot(axis, p), axis);
    return vec_add(r, vec_make(4, -5, 6));
}

/* (3.30) is (3.23) with what is known eliminated: the same step, and with (3.29) too. */
static void test_both_systems_have_the_same_solution(void)
{
    int is_soft;
    for (is_soft = 0; is_soft < 2; is_soft++) {
        options o = small_options(3);
        shell spd, kkt;
        dc_index i;
        double apart = 0, moved = 0;
        int k;
        o.regular = 1e-6;
        if (is_soft) o.soft[LENGTH] = 10, o.soft[BORDER] = 1;
        spd = stirred(&o, 0, MENDED);
        o.is_kkt = 1;
        kkt = stirred(&o, 0, MENDED);
        for (k = 0; k < 10; k++) {
            spd.contact_count = kkt.contact_count = 0;
            CHECK(step(&spd, o.dt));
            CHECK(step(&kkt, o.dt));
        }
        for (i = 0; i < spd.node_count; i++) {
            apart = fmax(apart, vec_length(vec_sub(spd.x[i], kkt.x[i])));
            moved = fmax(moved, vec_length(vec_sub(spd.x[i], spd.x_old[i])));
        }
        CHECK(moved > 1e-4);
        CHECK_AT_MOST(apart, 1e-9);
    }
}

/* With contacts in it, one Newton step each from the same place. */
static void test_both_systems_agree_about_contacts(void)
{
    options o = small_options(3);
    shell s = stirred(&o, 0, MENDED);
    dc_vec3 *x_free = paper_vectors(s.node_count), *one = paper_vectors(s.node_count);
    dc_vec3 *other = paper_vectors(s.node_count);
    double beta, pushed;
    dc_index i;
    s.with.regular = 1e-9;
    s.contact_count = 2;
    for (i = 0; i < 2; i++) {
        s.contacts[i].node = 20 + i;
        s.contacts[i].normal = vec_make(2 / 3.0, 2 / 3.0, 1 / 3.0);
        s.contacts[i].place = vec_axpy(s.x[20 + i], 1e-3, s.contacts[i].normal);
    }
    predict(&s, o.dt, &beta, x_free);
    add_contacts(&s);
    s.dual = paper_dual_make(&s.rows, s.inv_mass);
    dc_sparse_multiply(&s.rows, 3, &x_free->x, &s.y_free->x);
    evaluate(&s, s.x);
    CHECK(solve_spd(&s, x_free, beta, one));
    CHECK(solve_kkt(&s, x_free, beta, other));
    for (i = 0; i < s.node_count; i++) CHECK_AT_MOST(vec_length(vec_sub(one[i], other[i])), 1e-9);
    for (i = 0; i < 2; i++) { /* (3.26), (3.28) */
        pushed = vec_dot(s.contacts[i].normal, vec_sub(one[20 + i], s.x[20 + i]));
        CHECK_NEAR(pushed, 1e-3, 1e-7);
    }
}

/* (3.1) by differences of |x_i - x_j|: the direction of a row is the derivative, as (3.2) mended. */
static void test_directions_are_the_derivatives_of_lengths(void)
{
    options o = small_options(3);
    shell s = stirred(&o, 0, MENDED);
    double h = 1e-6;
    dc_index i, p;
    int k, seen = 0;
    for (i = 0; i < s.node_count; i++) s.x[i] = vec_axpy(s.x[i], 0.02, s.v[i]);
    evaluate(&s, s.x);
    for (i = s.energy_count; i < s.fixed_count; i++)
        for (p = s.rows.start[i]; s.kinds[i] == LENGTH && p < s.rows.start[i + 1]; p++)
            for (k = 0; k < 3; k++) {
                dc_index other = s.rows.column[2 * s.rows.start[i] + 1 - p];
                dc_vec3 way = vec_axpy(s.x[s.rows.column[p]], h, AXIS[k]), back;
                back = vec_axpy(s.x[s.rows.column[p]], -h, AXIS[k]);
                CHECK_NEAR(
                    (vec_length(vec_sub(way, s.x[other])) - vec_length(vec_sub(back, s.x[other]))) /
                        (2 * h),
                    s.rows.value[p] * (&s.g[i].x)[k], 1e-7);
                seen++;
            }
    CHECK_EQUAL(seen, 6 * 3 * s.mesh.triangle_count);
}

/* (3.3): row by row from the triangles; each corner stands at its vertex, once. */
static void test_a_black_node_is_the_mean_of_its_triangles(void)
{
    options o = small_options(3);
    shell s = stirred(&o, 0, MENDED);
    dc_index first = s.energy_count + 3 * s.mesh.triangle_count, v, q;
    for (q = 0; q < s.node_count; q++) s.x[q] = vec_axpy(s.x[q], 0.05, s.v[q]);
    evaluate(&s, s.x);
    for (v = 0; v < s.mesh.vertex_count; v++) {
        dc_vec3 sum = vec_make(0, 0, 0);
        int count = 0, k;
        for (q = 0; q < 3 * s.mesh.triangle_count; q++) {
            dc_index t = q - q % 3;
            if (s.mesh.triangles[q] != v) continue;
            for (k = 0; k < 3; k++) {
                double sign = t + k == q ? -1 : 1;
                sum = vec_axpy(sum, sign, s.x[red(&s, s.mesh.edge_of_corner[t + k])]);
            }
            count++;
        }
        sum = vec_axpy(s.x[v], -1.0 / count, sum);
        for (k = 0; k < 3; k++) {
            CHECK_EQUAL(s.kinds[first + 3 * v + k], BLACK);
            CHECK_NEAR(vec_dot(s.g[first + 3 * v + k], s.y[first + 3 * v + k]), (&sum.x)[k], 1e-15);
        }
    }
}

/* (3.1), (3.3), (3.4) hold after each step; nothing inside has momentum; gravity has its own. */
static void test_lengths_and_momentum_are_kept(void)
{
    int is_bdf2;
    for (is_bdf2 = 0; is_bdf2 < 2; is_bdf2++) {
        options o = small_options(4);
        shell s;
        double mass = 0;
        dc_index i;
        int k;
        o.is_bdf2 = is_bdf2;
        s = stirred(&o, 1, MENDED);
        for (i = 0; i < s.node_count; i++) mass += s.mass[i];
        CHECK_NEAR(mass, DENSITY, 1e-15);
        for (k = 0; k < 20; k++) {
            dc_vec3 before = momentum(&s);
            CHECK(step(&s, o.dt));
            CHECK_AT_MOST(evaluate(&s, s.x), STRAIN_MAX);
            CHECK_AT_MOST(vec_length(vec_sub(momentum(&s), before)), 1e-11);
        }
    }
}

/* Nodes of a cylinder about z, of radius 1: as in the test of eb08.c the energy is one and a half times
   k_b / 2 times the area, for the square of the Laplacian at the midpoints is 2, 1 and 0. */
static void test_bending_of_a_cylinder_is_one_and_a_half_times_too_large(void)
{
    options o = small_options(16);
    shell s = make_shell(&o, 0, MENDED);
    double area = 0;
    dc_index e, i;
    CHECK_AT_MOST(bending_energy(&s), 1e-20);
    for (i = 0; i < s.node_count; i++) s.x[i] = vec_make(sin(s.x[i].x), cos(s.x[i].x), s.x[i].z);
    for (e = 0; e < s.mesh.edge_count; e++)
        if (!paper_is_border(&s.mesh, e)) area += o.bending / pow(bend_scale(&s, e), 2);
    CHECK_NEAR(bending_energy(&s) / (o.bending / 2 * area), 1.5, 0.1);
}

/* (3.8): wherever the rest shape is turned it has no energy and no force; what is flat has. With little
   D, to which the lengths of the rest shape give way. */
static void test_a_curved_rest_shape_rests_however_it_is_turned(void)
{
    options o = small_options(6);
    shell s;
    dc_vec3 *start;
    double flat, apart = 0;
    dc_index i;
    int k;
    o.regular = 1e-9;
    s = make_shell(&o, 1, MENDED);
    start = paper_vectors(s.node_count);
    flat = bending_energy(&s);
    CHECK(flat > 1e-2);
    for (i = 0; i < s.node_count; i++) start[i] = s.x[i] = turned(s.rest[i]);
    CHECK_AT_MOST(bending_energy(&s), 1e-24 * flat + 1e-24);
    for (k = 0; k < 100; k++) CHECK(step(&s, o.dt));
    for (i = 0; i < s.node_count; i++) apart = fmax(apart, vec_length(vec_sub(s.x[i], start[i])));
    CHECK_AT_MOST(apart, 2 * STRAIN_MAX);
    CHECK_AT_MOST(bending_energy(&s), 1e-4 * flat);
}

/* Nodes on a cylinder of this radius about z, and then as near to it as lengths allow. */
static void bend(shell *s, double radius)
{
    dc_vec3 *on = paper_vectors(s->node_count);
    dc_index i;
    for (i = 0; i < s->node_count; i++) {
        double angle = s->x[i].x / radius;
        s->x[i] = on[i] = vec_make(radius * sin(angle), radius * cos(angle), s->x[i].z);
    }
    add_contacts(s);
    CHECK(project(s, on, 0, s->x));
    free(on);
}

/* A corner of a small sheet that was bent and falls, after .05 s. */
static dc_vec3 end_of(double dt, int is_bdf2, print how)
{
    options o = small_options(2);
    shell s;
    int k, steps = (int)(0.05 / dt + 0.5);
    o.is_bdf2 = is_bdf2;
    o.bending = 0.01;
    o.regular = 1e-12;
    s = make_shell(&o, 0, how);
    s.collider = NULL;
    s.strain_max = s.moved_max = 1e-10;
    bend(&s, 0.5);
    for (k = 0; k < steps; k++) CHECK(step(&s, dt));
    return s.x[0];
}

/* Half the step leaves a quarter of the error with BDF2, half of it with backward Euler, and with the
   weight of the potential as printed. */
static void test_orders_of_convergence(void)
{
    dc_vec3 exact = end_of(0.00003125, 1, MENDED);
    int k;
    for (k = 0; k < 3; k++) {
        double coarse =
            vec_length(vec_sub(end_of(0.001, k > 0, k == 2 ? PRINTED_PHI : MENDED), exact));
        double fine =
            vec_length(vec_sub(end_of(0.0005, k > 0, k == 2 ? PRINTED_PHI : MENDED), exact));
        CHECK(coarse > 1e-6);
        if (k == 0) CHECK_NEAR(coarse / fine, 2, 0.2);
        if (k == 1) CHECK_NEAR(coarse / fine, 4, 0.6);
        if (k == 2) CHECK(fine > 0.5 * coarse && fine > 1e-3); /* goes somewhere else */
    }
}

/* As printed, - 2/9 v^(n-1) is a velocity among lengths. */
static void test_the_printed_multistep_runs_away(void)
{
    options o = small_options(2);
    shell s;
    dc_index i;
    int k, ok = 1;
    o.is_bdf2 = 1;
    s = make_shell(&o, 0, PRINTED_V);
    s.collider = NULL;
    for (k = 0; ok && k < 20; k++) ok = step(&s, o.dt);
    for (i = 0; ok && i < s.node_count; i++)
        ok = fabs(s.v[i].y + GRAVITY * 20 * o.dt) < 0.1 * GRAVITY * 20 * o.dt;
    CHECK(!ok);
}

typedef struct fall {
    double strain, constraint,
        bending; /* largest; of base edges, of (3.1); mean of the second half   */
    long uncertified;
} fall;

static fall fall_on_ball(print how, double seconds, double k_b)
{
    options o = small_options(6);
    shell s;
    fall f = {0, 0, 0, 0};
    int k, steps = (int)(seconds / o.dt + 0.5);
    dc_index i;
    o.bending = k_b;
    s = make_shell(&o, 0, how);
    for (k = 0; k < steps; k++) {
        CHECK(step(&s, o.dt));
        for (i = 0; i < s.node_count; i++) CHECK(vec_length(s.x[i]) > RADIUS);
        s.rows.row_count = s.fixed_count;
        f.constraint = fmax(f.constraint, evaluate(&s, s.x));
        f.strain = fmax(f.strain, largest_strain(&s));
        if (2 * k >= steps) f.bending += bending_energy(&s) / (steps - steps / 2);
    }
    f.uncertified = s.count.uncertified;
    return f;
}

/* Figure 4.2: contact inside the step keeps lengths, after the step it spoils them. No node in the ball,
   every step certified. Printed line 5 counts bending twice: a sheet as stiff again holds less of it. */
static void test_contact_inside_the_step_keeps_lengths(void)
{
    fall inside = fall_on_ball(MENDED, 0.45, 0.1), after = fall_on_ball(STAGGERED, 0.6, 0.1);
    fall twice = fall_on_ball(PRINTED_5, 0.45, 0.1);
    CHECK_EQUAL(inside.uncertified, 0);
    CHECK_EQUAL(after.uncertified, 0);
    CHECK_AT_MOST(inside.constraint, 1.5 * STRAIN_MAX);
    CHECK(after.constraint > 4 * inside.constraint);
    CHECK(twice.bending < 0.7 * inside.bending);
}

enum { WORDS = 12 };

/* What the program ends with, told these words. */
static int status_of(const char *const word[WORDS])
{
    char *argv[WORDS + 2] = {(char *)"wan12"};
    int argc = 1;
    for (; argc <= WORDS && word[argc - 1]; argc++) argv[argc] = (char *)word[argc - 1];
    return wan12_main(argc, argv);
}

/* Numbers that are none, are not finite, out of their bounds or missing; steps beyond counting, and none;
   two scenes. Each would otherwise run a second or more. */
static void test_options_that_cannot_be_are_refused(void)
{
    static const char *const refused[][WORDS] = {{"--cells", "8x"},
                                                 {"--cells", "inf"},
                                                 {"--cells", "2.5"},
                                                 {"--cells", "101"},
                                                 {"--cells"},
                                                 {"--dt", "nan"},
                                                 {"--dt", "0"},
                                                 {"--seconds", "1e9"},
                                                 {"--seconds", "1e400"},
                                                 {"--dt", ""},
                                                 {"--bending", "0"},
                                                 {"--seconds", "6e-4"},
                                                 {"--regular", "-1"},
                                                 {"--D", "border"},
                                                 {"--D", "seam", "1"},
                                                 {"--D", "length", "-1"},
                                                 {"--kkt"},
                                                 {"--kkt", "--cells", "6"},
                                                 {"ball", "curl"},
                                                 {"sphere"}};
    size_t k;
    for (k = 0; k < sizeof refused / sizeof *refused; k++) CHECK_EQUAL(status_of(refused[k]), 2);
    CHECK_EQUAL(paper_steps(1, 0.00125), 800);
    CHECK_EQUAL(paper_steps(1, 1e-6), PAPER_STEPS_MAX);
    CHECK_EQUAL(paper_steps(1.0001, 1e-6), 0);
    CHECK_EQUAL(paper_steps(HUGE_VAL, 1), 0);
}

static void test_a_shape_that_cannot_be_written_is_a_failure(void)
{
    static const char *const word[WORDS] = {"--cells", "2", "--seconds", "0.00125"};
    int fails;
    for (fails = 0; fails < 2; fails++) {
        shapes_fail = fails;
        shapes_written = 0;
        CHECK_EQUAL(status_of(word), fails);
        CHECK_EQUAL(shapes_written, 3); /* ball, staggered, curl */
    }
    shapes_fail = 0;
    CHECK(!paper_write_obj("nowhere/at_all.obj", NULL, NULL));
}

/* A curl without a rest shape, for D is too much, has no steps; iterations are those of steps alone. */
static void test_a_rest_shape_is_found_before_the_steps(void)
{
    static const char *const word[WORDS] = {"curl", "--regular", "1", "--cells", "4"};
    options o = small_options(4);
    shell s = make_shell(&o, 1, MENDED);
    CHECK(s.is_ready);
    CHECK_EQUAL(s.count.newton, 0);
    o.regular = 1;
    s = make_shell(&o, 1, MENDED);
    CHECK(!s.is_ready);
    CHECK_EQUAL(status_of(word), 1);
}

/* Almost without D two states take turns in the eighth step of BDF2, but not of backward Euler. What is
   printed wrong may fail. */
static void test_what_is_mended_has_to_go_beside_what_is_printed(void)
{
    static const char *const word[3][WORDS] = {
        {"ball", "--cells", "3", "--dt", "0.0025", "--seconds", "0.03", "--regular", "1e-9"},
        {"ball", "--cells", "3", "--dt", "0.0025", "--seconds", "0.03", "--regular", "1e-9",
         "--printed"},
        {"ball", "--cells", "3", "--seconds", "0.05", "--printed"}};
    options o = small_options(3);
    CHECK_EQUAL(status_of(word[0]), 0);
    CHECK_EQUAL(status_of(word[1]), 1);
    CHECK_EQUAL(status_of(word[2]), 0);
    o.is_bdf2 = 1;
    o.seconds = 0.05;
    CHECK(!run(&o, "ball", PRINTED_V));
}

/* Of whichever node, with finite errors before and after it: C(x), the strain, and a step. */
static void test_what_is_no_number_is_not_overlooked(void)
{
    options o = small_options(2);
    shell s = stirred(&o, 0, MENDED);
    dc_index i;
    for (i = 0; i < s.node_count; i++) {
        dc_vec3 was = s.x[i];
        s.x[i].y = NAN;
        CHECK(isnan(evaluate(&s, s.x)));
        if (i < s.mesh.vertex_count) CHECK(isnan(largest_strain(&s)));
        CHECK(!step(&s, o.dt));
        s.x[i] = was;
    }
    CHECK(step(&s, o.dt));
    CHECK(isnan(paper_max(NAN, 1)) && isnan(paper_max(1, NAN)));
    CHECK(paper_max(1, 2) == 2 && paper_max(2, 1) == 2);
}

/* Almost without D the first step of this curl jumps between two states, as border rows follow from
   others; with D it comes to rest. */
static void test_steps_that_do_not_come_to_rest_are_counted_and_are_a_failure(void)
{
    int is_regular;
    for (is_regular = 0; is_regular < 2; is_regular++) {
        options o = small_options(3);
        shell s;
        o.seconds = o.dt;
        if (!is_regular) o.regular = 1e-9;
        s = make_shell(&o, 1, MENDED);
        CHECK(step(&s, o.dt));
        CHECK_EQUAL(s.count.moving, !is_regular);
        CHECK(is_regular ? s.count.moved == 0 : s.count.moved > MOVED_MAX);
        CHECK_EQUAL(run(&o, "curl", MENDED), is_regular);
        s.moved_max = -1; /* cannot be met, strains can */
        CHECK(step(&s, o.dt));
        CHECK_EQUAL(s.count.moving, !is_regular + 1);
        s.strain_max = 0;
        CHECK(!step(&s, o.dt));
        CHECK_EQUAL(s.count.steps, 2);
    }
}

/* A sheet that crosses itself, far from the ball: a corner is put under the middle, and the red node beside
   it above its place, so that the edge between them goes through the sheet. The program's collider refuses
   such a start; this one tolerates it. One Newton step each. */
static void test_steps_that_are_not_certified_are_counted(void)
{
    print how;
    int crosses;
    for (how = MENDED; how <= STAGGERED; how = (print)(how + STAGGERED))
        for (crosses = 0; crosses < 2; crosses++) {
            options o = small_options(4);
            shell s = make_shell(&o, 0, how);
            dc_collider_body body = paper_body(&s.surface, s.x);
            dc_collider_desc desc = dc_collider_defaults();
            dc_collider *refuses = s.collider;
            dc_index i;
            desc.bodies = &body;
            desc.body_count = 1;
            desc.start = DC_START_TOLERATE;
            body.thickness = 1e-4;
            s.collider = paper_collider(&desc);
            for (i = 0; i < s.node_count; i++) s.x[i].y += 1;
            if (crosses) {
                dc_index beside = red(&s, s.mesh.edge_of_corner[1]);
                s.x[0] = vec_axpy(s.x[12], -0.02, AXIS[1]);
                s.x[beside] = vec_axpy(s.x[beside], 0.02, AXIS[1]);
            }
            s.strain_max = s.moved_max = HUGE_VAL;
            CHECK(step(&s, o.dt));
            CHECK_EQUAL(s.count.uncertified, crosses);
            s.collider = refuses;
            CHECK_EQUAL(step(&s, o.dt), !crosses);
        }
}

int main(void)
{
    static const test_case tests[] = {
        {"both systems have the same solution", test_both_systems_have_the_same_solution},
        {"both systems agree about contacts", test_both_systems_agree_about_contacts},
        {"directions are the derivatives of lengths",
         test_directions_are_the_derivatives_of_lengths},
        {"a black node is the mean of its triangles",
         test_a_black_node_is_the_mean_of_its_triangles},
        {"lengths and momentum are kept", test_lengths_and_momentum_are_kept},
        {"bending of a cylinder is one and a half times too large",
         test_bending_of_a_cylinder_is_one_and_a_half_times_too_large},
        {"a curved rest shape rests however it is turned",
         test_a_curved_rest_shape_rests_however_it_is_turned},
        {"orders of convergence", test_orders_of_convergence},
        {"the printed multistep runs away", test_the_printed_multistep_runs_away},
        {"options that cannot be are refused", test_options_that_cannot_be_are_refused},
        {"a shape that cannot be written is a failure",
         test_a_shape_that_cannot_be_written_is_a_failure},
        {"what is no number is not overlooked", test_what_is_no_number_is_not_overlooked},
        {"steps that do not come to rest are counted and are a failure",
         test_steps_that_do_not_come_to_rest_are_counted_and_are_a_failure},
        {"steps that are not certified are counted", test_steps_that_are_not_certified_are_counted},
        {"what is mended has to go beside what is printed",
         test_what_is_mended_has_to_go_beside_what_is_printed},
        {"a rest shape is found before the steps", test_a_rest_shape_is_found_before_the_steps},
        {"contact inside the step keeps lengths", test_contact_inside_the_step_keeps_lengths},
    };
    return paper_tests_run(tests, sizeof tests / sizeof tests[0]);
}
