/* Bending against values that nobody here invented, each with both of the library's elements for
   cloth. In single precision energies, sums of squares of small differences, have wider bounds.
   Meshes of kind 0 are even, 2 jittered, 3 Delaunay, 4 turned. */

static const int mesh_kinds[4] = {0, 2, 3, 4};

/* ---- Heavy cantilever ---- */

static void check_cantilever(cantilever *c, int elastica, double bound)
{
    const char *why;
    double x = 0, drop = 0;
    c->gamma = elasticas[elastica].gamma;
    CHECK(cantilever_settle(c, &x, &drop, &why) == DC_OK);
    CHECK_NEAR(x, elasticas[elastica].x, bound);
    CHECK_NEAR(drop, elasticas[elastica].drop, bound);
}

static void test_heavy_cantilevers_end_where_the_elastica_ends(void)
{
    int element, kind, g;
    for (element = 0; element < 2; element++)
        for (kind = 0; kind < 4; kind++)
            for (g = 0; g < ELASTICAS; g++) {
                cantilever c = cantilever_defaults();
                c.element = cloth_elements[element];
                c.kind = mesh_kinds[kind];
                check_cantilever(&c, g, 0.007);
                c.cells = 10;
                c.rows = 3;
                /* at gamma = 100 the sheet turns by 13.7 / 10 rad in the cell at the clamp, and
                   half of that, a, in one edge; 2 sin(a / 2) counts for a, 2% too little */
                check_cantilever(&c, g, elasticas[g].gamma < 100 ? 0.015 : 0.02);
            }
}

/* Three cells wide, 4:1, 2:1 and 1:1; each width with each gamma and each mesh, but that wide strips
   are not turned: clamped along so long an edge, a turned lattice has nearly dependent rows, and
   steps fail. */
static void test_cantilevers_of_all_widths_end_where_the_elastica_ends(void)
{
    static const double widths[4] = {0.15, 0.25, 0.5, 1};
    int element, w, g;
    for (element = 0; element < 2; element++)
        for (w = 0; w < 4; w++)
            for (g = 0; g < ELASTICAS; g++) {
                cantilever c = cantilever_defaults();
                c.element = cloth_elements[element];
                c.kind = mesh_kinds[(w + g) % (w < 2 ? 4 : 3)];
                c.width = widths[w];
                c.rows = (int)(widths[w] * c.cells + 0.5);
                check_cantilever(&c, g, 0.007);
            }
}

/* The first guess of a step, (25.9), must not bend it at its clamp again and again. */
static void test_short_cantilever_rests_at_long_steps(void)
{
    int element;
    for (element = 0; element < 2; element++) {
        cantilever c = cantilever_defaults();
        c.element = cloth_elements[element];
        c.cells = 10;
        c.rows = 3;
        c.dt = 0.05;
        check_cantilever(&c, 0, 0.007);
    }
}

static void test_cantilever_does_not_depend_on_the_step(void)
{
    const double steps[4] = {TOL(0.001, 0.005), 0.005, 0.02, 0.05};
    int element, integrator, k;
    for (element = 0; element < 2; element++) {
        double first_x = 0, first_drop = 0;
        for (integrator = 0; integrator < DCI_INTEGRATOR_COUNT; integrator++)
            for (k = 0; k < 4; k++) {
                cantilever c = cantilever_defaults();
                const char *why;
                double x = 0, drop = 0;
                c.element = cloth_elements[element];
                c.kind = 2;
                c.dt = steps[k];
                c.integrator = (dc_integrator)integrator;
                CHECK(cantilever_settle(&c, &x, &drop, &why) == DC_OK);
                if (integrator == 0 && k == 0) first_x = x, first_drop = drop;
                CHECK_NEAR(x, first_x, TOL(2e-5, 2e-3)); /* see SETTLE_WAY */
                CHECK_NEAR(drop, first_drop, TOL(2e-5, 2e-3));
            }
    }
}

/* ---- Strips held at both ends ---- */

static held_strip held_strip_begin(dc_element element, int kind, int cells)
{
    held_strip h;
    memset(&h, 0, sizeof h);
    h.element = element;
    h.kind = kind;
    h.cells = cells;
    h.rows = cells / 10;
    h.width = 0.1;
    return h;
}

static held_shape shorten(held_strip h, int k)
{
    h.end_x = 1 - shortenings[k][0];
    return held_strip_settle(&h);
}

static void test_shortened_strips_sag_as_the_elastica(void)
{
    int element, kind, k;
    for (element = 0; element < 2; element++) {
        held_shape coarse, fine;
        for (kind = 0; kind < 4; kind++)
            for (k = kind % 2; k < SHORTENINGS; k += 2) {
                const double *right = shortenings[k];
                held_shape s =
                    shorten(held_strip_begin(cloth_elements[element], mesh_kinds[kind], 40), k);
                CHECK_NEAR(-s.lowest, right[1], 0.005 * right[1]);
                CHECK_NEAR(s.energy, 4 * right[2], TOL(0.02, 0.03) * 4 * right[2]);
            }
        if (TOL(0, 1)) continue;
        /* second order on even meshes */
        coarse = shorten(held_strip_begin(cloth_elements[element], 0, 20), 2);
        fine = shorten(held_strip_begin(cloth_elements[element], 0, 40), 2);
        CHECK_AT_MOST(fabs(-fine.lowest / shortenings[2][1] - 1) * 3.5,
                      fabs(-coarse.lowest / shortenings[2][1] - 1));
        CHECK_AT_MOST(fabs(fine.energy / 4 / shortenings[2][2] - 1) * 3.5,
                      fabs(coarse.energy / 4 / shortenings[2][2] - 1));
    }
}

/* gamma; h and width of a ring hung by its top, of a pear; by L. */
static const double loops[3][5] = {{0, .3183098862, .3183098862, .424308047, .204214073},
                                   {20, .3241177104, .3128735706, .425892892, .201412104},
                                   {100, .3439542668, .2926528430, .431306114, .191516351}};

static void check_loop(held_strip *h, const double *right)
{
    held_shape s = held_strip_settle(h);
    CHECK_NEAR(-s.lowest, right[0], 0.01 * right[0]);
    CHECK_NEAR(s.width, right[1], 0.01 * right[1]);
}

static void test_loops_hang_like_rings_and_pears(void)
{
    const double pi = acos(-1.0);
    int element, kind, g;
    for (element = 0; element < 2; element++)
        for (kind = 0; kind < 4; kind += 2) /* even, Delaunay */
            for (g = 0; g < 3; g++) {
                held_strip h =
                    held_strip_begin(cloth_elements[element], mesh_kinds[kind + (g == 1)], 40);
                h.gamma = loops[g][0];
                h.last = -2 * pi;
                check_loop(&h, loops[g] + 1);
                h.first = -pi / 2;
                h.last = pi / 2;
                check_loop(&h, loops[g] + 3);
            }
}

/* ---- Sheet over a cylinder ---- */

enum { OVER_CELLS = 40, OVER_ROWS = 4 };

/* Half of a sheet that lies over a smooth cylinder, clamped level on its top; flat at first. */
static fixture over_cylinder(dc_element element, double gamma, double radius, test_mesh *mesh)
{
    static dc_clamp_desc clamps[OVER_ROWS];
    static dc_obstacle_desc cylinder;
    const double width = 0.1, thickness = 0.002;
    fixture f = fixture_begin();
    dc_index v;
    test_mesh_grid(mesh, 1, width, OVER_CELLS, OVER_ROWS, 0);
    f.cloth.mesh = test_mesh_desc(mesh);
    for (v = 0; v < mesh->vertex_count; v++) mesh->positions[v].y = (dc_real)radius;
    memset(&cylinder, 0, sizeof cylinder);
    cylinder.kind = DC_OBSTACLE_CAPSULE;
    cylinder.point[0].z = DCI_R(-0.5);
    cylinder.point[1].z = DCI_R(0.6);
    cylinder.radius = (dc_real)(radius - thickness / 2);
    f.cloth.clamps = clamps;
    f.cloth.clamp_count = cantilever_clamps(mesh, clamps);
    f.cloth.element = element;
    f.cloth.bending = (dc_real)(0.15 * 9.81 / gamma);
    f.cloth.drag_normal = f.cloth.drag_tangential = (dc_real)SETTLE_DRAG;
    f.cloth.thickness = (dc_real)thickness;
    f.cloth.friction = 0;
    f.cloth.self_contact = 0;
    f.cloth.integrator = DC_INTEGRATOR_BACKWARD_EULER;
    f.desc.collides = 1;
    f.desc.obstacles = &cylinder;
    f.desc.obstacle_count = 1;
    CHECK(fixture_open(&f) == DC_OK);
    return f;
}

/* gamma, radius, tip x and drop, by L: contact as far as the moment of the free tail allows. */
static const double laid[2][4] = {{20, .25, .471189560, .809606410},
                                  {200, .2, .220348274, .884517308}};

static void test_sheets_over_a_cylinder_end_where_they_are_to(void)
{
    static test_mesh mesh;
    int element, k;
    for (element = 0; element < 2; element++)
        for (k = 0; k < 2; k++) {
            fixture f = over_cylinder(cloth_elements[element], laid[k][0], laid[k][1], &mesh);
            double x, drop;
            CHECK(fixture_run(&f, 3, 0.01) == DC_OK); /* a centimetre a second is left at most */
            cantilever_free_edge(&f, &mesh, &x, &drop);
            CHECK_NEAR(x, laid[k][2], 0.01);
            CHECK_NEAR(drop + laid[k][1], laid[k][3], 0.01);
            fixture_close(&f);
        }
}

/* The clamped edge is a thickness from the cylinder from the start: vertices beside it, which have
   hardly a part in that contact, are not to be thrown away by it. */
static void test_contact_at_a_held_point_throws_nothing(void)
{
    static test_mesh mesh;
    int element;
    for (element = 0; element < 2; element++) {
        fixture f = over_cylinder(cloth_elements[element], 20, 0.25, &mesh);
        CHECK(fixture_step(&f, 0.005) == DC_OK);
        /* of gravity 9.81 * .005, and as much again of what contact does */
        CHECK_AT_MOST(sqrt(2 * (double)dc_cloth_measure(f.world, 0).kinetic /
                           (double)dc_cloth_measure(f.world, 0).mass),
                      2 * 9.81 * 0.005);
        fixture_close(&f);
    }
}

/* ---- Strip frequencies ---- */

/* A beam's mode at s from 0 to 1, of size 1 at s = 1: clamped at 0 and free at 1, or free at both;
   b is beta. */
static double beam_mode(double s, double b, int is_clamped)
{
    double sign = is_clamped ? -1 : 1, ratio;
    ratio = is_clamped ? (cos(b) + cosh(b)) / (sin(b) + sinh(b))
                       : (cos(b) - cosh(b)) / (sin(b) - sinh(b));
    return (cosh(b * s) + sign * cos(b * s) - ratio * (sinh(b * s) + sign * sin(b * s))) / 2;
}

/* The frequency of a strip 1 long of k / rho = 1 that is pushed in the shape of a mode, by the
   crossings of its part in that mode; beta_sq is what it should be. */
static double strip_frequency(dc_element element, double beta_sq, int is_clamped)
{
    static dc_clamp_desc clamps[CANTILEVER_ROWS];
    static dc_vec3 push[TEST_MESH_VERTICES];
    static test_mesh mesh;
    const double slope = 0.05, b = sqrt(beta_sq), dt = 2 * acos(-1.0) / beta_sq / 200;
    fixture f = fixture_begin();
    double before = 0, now = 0, first = 0, last = 0;
    int i, crossings = 0;
    dc_index v, k;
    test_mesh_grid(&mesh, 1, 0.15, 20, 3, 0);
    for (v = 0; v < mesh.vertex_count; v++) /* slopes are b times displacements */
        push[v] = dci_vec(
            0, (dc_real)(slope / b * beta_sq * beam_mode((double)mesh.flat[v].x, b, is_clamped)),
            0);
    f.cloth.mesh = test_mesh_desc(&mesh);
    f.cloth.start_velocities = push;
    f.cloth.clamps = clamps;
    f.cloth.clamp_count = is_clamped ? cantilever_clamps(&mesh, clamps) : 0;
    f.cloth.element = element;
    f.cloth.bending = f.cloth.density;
    f.cloth.tolerance = TOL(DCI_R(1e-7), DCI_R(2e-5)); /* leaves slopes of 4e-4, 6e-3 */
    f.desc.gravity = dci_vec(0, 0, 0);
    CHECK(fixture_open(&f) == DC_OK);
    for (i = 0; i < 1000 && crossings < 5; i++) {
        const dc_mesh *m = dc_cloth_mesh(f.world, 0);
        if (fixture_step(&f, dt) != DC_OK) break;
        before = now;
        for (now = 0, k = 0; k < m->edge_count; k++) {
            double s = (double)(mesh.flat[m->edge_vertices[2 * k]].x +
                                mesh.flat[m->edge_vertices[2 * k + 1]].x) /
                       2;
            now += (double)dc_cloth_midpoints(f.world, 0)[k].y * beam_mode(s, b, is_clamped);
        }
        if (i == 0 || !(before * now < 0)) continue;
        last = (i + before / (before - now)) * dt;
        if (crossings++ == 0) first = last;
    }
    CHECK_EQUAL(crossings, 5);
    fixture_close(&f);
    return acos(-1.0) * 4 / (last - first);
}

static void test_strips_swing_with_a_beams_frequencies(void)
{
    static const double clamped[3] = {3.5160152685, 22.0344915647, 61.6972144136},
                        loose[2] = {22.3732854481, 61.6728228679};
    int element, mode;
    for (element = 0; element < 2; element++) {
        for (mode = 0; mode < 3; mode++)
            CHECK_NEAR(strip_frequency(cloth_elements[element], clamped[mode], 1), clamped[mode],
                       0.02 * clamped[mode]);
        for (mode = 0; mode < 2; mode++)
            CHECK_NEAR(strip_frequency(cloth_elements[element], loose[mode], 0), loose[mode],
                       0.02 * loose[mode]);
    }
}

static const test_case tests_bending_reference[] = {
    {"heavy cantilevers end where the elastica ends",
     test_heavy_cantilevers_end_where_the_elastica_ends},
    {"cantilevers of all widths end where the elastica ends",
     test_cantilevers_of_all_widths_end_where_the_elastica_ends},
    {"short cantilever rests at long steps", test_short_cantilever_rests_at_long_steps},
    {"cantilever does not depend on the step", test_cantilever_does_not_depend_on_the_step},
    {"shortened strips sag as the elastica", test_shortened_strips_sag_as_the_elastica},
    {"loops hang like rings and pears", test_loops_hang_like_rings_and_pears},
    {"sheets over a cylinder end where they are to",
     test_sheets_over_a_cylinder_end_where_they_are_to},
    {"strips swing with a beam's frequencies", test_strips_swing_with_a_beams_frequencies},
    {"contact at a held point throws nothing", test_contact_at_a_held_point_throws_nothing},
};
