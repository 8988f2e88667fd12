/* Chapter 25: two more systems for Newton's method, which take the same steps as that of chapter
   26. */

/* ---- The systems themselves ---- */

/* (25.3): squared it is the matrix (18.5), whose single mu may be negative; so is that of a matrix
   that has no rank left but one, and of 0. */
static void test_root_of_a_triangle_s_curvature_squares_to_it(void)
{
    static const double cases[5][3] = {{1, 2, 3}, {-0.5, 3, 2}, {4, -0.5, 2}, {1, 0, 0}, {0, 0, 0}};
    int i;
    for (i = 0; i < 5; i++) {
        const double *m = cases[i];
        double a = m[0] + m[2], b = m[2], c = m[1] + m[2];
        dc_real mu[3], root[3];
        int k;
        for (k = 0; k < 3; k++) mu[k] = (dc_real)m[k];
        CHECK(a * c - b * b >= 0); /* as chapter 18 leaves it */
        dci_system_root(mu, root);
        CHECK_NEAR(root[0] * root[0] + root[1] * root[1], a, TOL(1e-15, 1e-6) * (a + c));
        CHECK_NEAR(root[1] * (root[0] + root[2]), b, TOL(1e-15, 1e-6) * (a + c));
        CHECK_NEAR(root[1] * root[1] + root[2] * root[2], c, TOL(1e-15, 1e-6) * (a + c));
    }
}

/* The positive part of a triangle that is pushed has rank one: in floats and doubles its
   determinant is rounding of either sign. */
static void test_root_keeps_its_digits_where_rank_is_lost(void)
{
    uint32_t i;
    for (i = 0; i < 200; i++) {
        dc_real mu[3], root[3], a, b, c, size;
        int k;
        for (k = 0; k < 3; k++) mu[k] = dci_random(7, 3 * i + (uint32_t)k) - DCI_R(0.5);
        dci_rows_positive_part(mu);
        dci_system_root(mu, root);
        a = mu[0] + mu[2];
        b = mu[2];
        c = mu[1] + mu[2];
        size = TOL(1e-14, 1e-5) * (dci_abs(mu[0]) + dci_abs(mu[1]) + dci_abs(mu[2]));
        CHECK_NEAR(root[0] * root[0] + root[1] * root[1], a, size);
        CHECK_NEAR(root[1] * (root[0] + root[2]), b, size);
        CHECK_NEAR(root[1] * root[1] + root[2] * root[2], c, size);
    }
}

/* A world of one sheet with this system; two pins, drag and damping if wanted. */
static fixture system_sheet(dc_index cells, dc_newton_system system, dc_element element,
                            double bending, int is_damped)
{
    fixture f = hung_sheet(cells, DC_PROJECTION_COUPLED, DC_LINEAR_CHOLESKY);
    f.cloth.newton_system = system;
    f.cloth.element = element;
    f.cloth.bending = (dc_real)bending;
    f.cloth.integrator = DC_INTEGRATOR_BACKWARD_EULER; /* it takes its first step whole */
    if (is_damped) {
        f.cloth.bending_damping = DCI_R(0.01);
        f.cloth.drag_normal = f.cloth.drag_tangential = DCI_R(0.5);
    }
    return f;
}

/* Sets up the system of a sheet's first step at u = 0, with lambda at random, and factors it. */
static dci_cloth *system_prepared(fixture *f)
{
    dci_cloth *c = fixture_cloth(f);
    dc_index worst, i;
    dci_cloth_depart(c, 0);
    for (i = 0; i < c->rows.count; i++) c->trial.lambda[i] = dci_random(3, (uint32_t)i) / 1000;
    dci_step_begin(c, DCI_R(0.01), 0, 1);
    for (i = 0; i < c->rows.count; i++) c->trial.lambda[i] = dci_random(3, (uint32_t)i) / 1000;
    for (i = 0; i < c->element.node_count; i++) c->u[i] = dci_vec(0, 0, 0);
    dci_step_constraints(c, c->u, &worst);
    dci_rows_curvature(&c->rows, c->trial.lambda, c->mu);
    dci_couple_metric(c);
    CHECK(dci_system_prepare(c) == DC_OK);
    return c;
}

static double system_largest(const dc_real *x, dc_index count)
{
    double largest = 0;
    dc_index i;
    for (i = 0; i < count; i++) largest = fmax(largest, fabs((double)x[i]));
    return largest;
}

/* The largest entry of A z + J^T y - g, and of J z + c less what the springs leave, y/W. A comes
   from the products of chapter 26, which know nothing of (25.2). */
static void system_residual(dci_cloth *cloth, const dc_vec3 *g, const dc_real *c, dc_vec3 *z,
                            double *forces, double *lengths)
{
    dc_index n = cloth->element.node_count, k;
    dci_couple_apply(cloth, dci_reals(z), dci_reals(cloth->work.image));
    dci_rows_pull(&cloth->rows, cloth->direction, cloth->y, cloth->node_work);
    for (k = 0; k < n; k++) {
        dc_vec3 sum = dci_vec_add(cloth->work.image[k], cloth->node_work[k]);
        cloth->work.image[k] = dci_vec_sub(sum, g[k]);
        cloth->pull[k] = dci_vec_sub(cloth->pull[k], cloth->node_work[k]);
    }
    *forces = fmax(system_largest(dci_reals(cloth->work.image), 3 * n),
                   system_largest(dci_reals(cloth->pull), 3 * n));
    dci_rows_apply(&cloth->rows, cloth->direction, z, cloth->work.row);
    for (k = 0; k < cloth->rows.count; k++) {
        cloth->work.row[k] += c[k];
        if (cloth->system.kind == DC_NEWTON_PRIMAL)
            cloth->work.row[k] -= cloth->y[k] / cloth->system.spring;
    }
    *lengths = system_largest(cloth->work.row, cloth->rows.count);
}

/* A solution of K x = b by Cholesky leaves a residual of a few roundings times |K| |x|, in each
   component; here |K| is at most the sum of a row, less than 40 times the largest on the diagonal.
   (25.4): that residual stands in the second line as it is, and in r = Y z. From there it comes to
   the forces by Y^T, of less than 40 entries a row, none larger than the root of the largest of A.
   (25.6): it stands in the forces, where W is what counts; the lengths' own is that of J z. */
static void check_residual(dci_cloth *c, const dc_vec3 *z, double forces, double lengths)
{
    const double roundings = 10 * 40 * (double)DCI_EPSILON;
    const dci_system *s = &c->system;
    double far = system_largest(dci_const_reals(z), 3 * c->element.node_count);
    double largest = 0, inertia = system_largest(c->metric, c->element.node_count);
    dc_index i;
    for (i = 0; i < s->matrix.row_count; i++)
        largest = fmax(largest, (double)s->matrix.value[s->matrix.start[i]]);
    if (s->kind == DC_NEWTON_SPD) {
        double solution = system_largest(s->unknown, s->matrix.row_count);
        CHECK_AT_MOST(lengths, roundings * largest * solution);
        CHECK_AT_MOST(forces, roundings * largest * solution * 40 * sqrt(inertia));
    } else {
        double pull = system_largest(c->y, c->rows.count);
        CHECK_AT_MOST(lengths, roundings * far);
        CHECK_AT_MOST(forces, roundings * (largest * far + pull));
    }
}

/* (25.1) by both systems, for any g and c: soft and stiff, both elements, damped or not. */
static void test_both_systems_solve_newton_s_equations(void)
{
    int kind, i;
    for (i = 0; i < 16; i++) {
        dc_element element = i & 1 ? DC_ELEMENT_ISOMETRIC : DC_ELEMENT_NONCONFORMING;
        fixture f;
        dci_cloth *c;
        dc_vec3 *g, *z;
        dc_real *value;
        double forces, lengths;
        dc_index n, k;
        kind = i & 8 ? DC_NEWTON_SPD : DC_NEWTON_PRIMAL;
        f = system_sheet(5, (dc_newton_system)kind, element, i & 2 ? 0.1 : 1e-5, i & 4);
        CHECK(fixture_open(&f) == DC_OK);
        c = system_prepared(&f);
        n = c->element.node_count;
        g = (dc_vec3 *)test_alloc(2 * (size_t)n * sizeof *g);
        z = g + n;
        value = (dc_real *)test_alloc((size_t)c->rows.count * sizeof *value);
        for (k = 0; k < 3 * n; k++) dci_reals(g)[k] = dci_random(4, (uint32_t)k);
        for (k = 0; k < c->rows.count; k++) value[k] = dci_random(5, (uint32_t)k);
        dci_couple_forget(c);
        dci_system_solve(c, g, value, z);
        system_residual(c, g, value, z, &forces, &lengths);
        check_residual(c, z, forces, lengths);
        free(value);
        free(g);
        fixture_close(&f);
    }
}

/* The running example of chapter 18, flat, of density 1: with P = M the last block of (25.4) is S
   as it stands there, and pinned to nothing. */
static void test_the_running_example_has_the_s_of_chapter_18(void)
{
    static const dc_vec3 x[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    static const dc_index triangle[6] = {0, 1, 2, 0, 2, 3};
    const double r = 6 / sqrt(2.0);
    const double s[6][6] = {{9, r, 0, 0, -3, 0}, {r, 12, r, 0, 0, 0}, {0, r, 9, -3, 0, 0},
                            {0, 0, -3, 9, 0, r}, {-3, 0, 0, 0, 9, r}, {0, 0, 0, r, r, 12}};
    fixture f = fixture_begin();
    const dc_sparse *a;
    dci_cloth *c;
    dc_index i, j, p, squares;
    f.cloth.mesh.vertex_count = 4;
    f.cloth.mesh.triangle_count = 2;
    f.cloth.mesh.positions = x;
    f.cloth.mesh.triangles = triangle;
    f.cloth.density = 1;
    f.cloth.newton_system = DC_NEWTON_SPD;
    CHECK(fixture_open(&f) == DC_OK);
    c = system_prepared(&f);
    a = &c->system.matrix;
    squares = a->row_count - 6;
    /* the rows of Hessians and jumps, three times; six of curvature for each triangle */
    CHECK_EQUAL(squares, 3 * c->energy.rows.row_count + 2 * 6);
    for (i = 0; i < 6; i++) {
        double row[6] = {0, 0, 0, 0, 0, 0};
        for (p = a->start[squares + i]; p < a->start[squares + i + 1]; p++)
            if (a->column[p] >= squares) row[a->column[p] - squares] = (double)a->value[p];
        for (j = 0; j <= i; j++) CHECK_NEAR(row[j], s[i][j], TOL(1e-13, 1e-5));
    }
    fixture_close(&f);
}

/* ---- Steps ---- */

/* The smallest eigenvalue of S = J M^-1 J^T where the last step ended, by inverse iteration. */
static double smallest_eigenvalue(dci_cloth *c)
{
    enum { ITERATIONS = 100 };
    dc_index n = c->rows.count, i, k;
    double size = 1;
    dci_step_metric(c, DCI_METRIC_MASS);
    CHECK(dci_dual_prepare(c, 0) == DC_OK);
    for (i = 0; i < n; i++) c->y[i] = dci_random(2, (uint32_t)i);
    for (k = 0; k < ITERATIONS; k++) {
        CHECK(dci_dual_solve(c, c->y, c->y_change) == DC_OK);
        size = sqrt((double)dci_array_dot(n, c->y_change, c->y_change));
        for (i = 0; i < n; i++) c->y[i] = c->y_change[i] / (dc_real)size;
    }
    return 1 / size;
}

/* How far one accepted step may be from the exact one, at any node. Along the constraints: A >=
   M, so forces that are off by residual_tol as an acceleration, and conjugate gradients that stop
   at half of it, (26.8), leave e with e^T M e <= (1.5 weight dt^2 residual_tol)^2 sum m. Across
   them: of all moves with J e = C the shortest, e^T M e = C^T S^-1 C <= |C|^2 / sigma. */
static double step_bound(dci_cloth *c)
{
    double along = 1.5 * (double)c->weight * (double)c->desc.residual_tol, across = 0;
    double lightest = (double)c->mass[0];
    dc_index i;
    for (i = 0; i < c->element.node_count; i++) lightest = fmin(lightest, (double)c->mass[i]);
    for (i = 0; i < c->rows.count; i++) {
        double rest = (double)c->desc.tolerance * (double)dci_rows_rest(&c->rows, i) / 2;
        across += rest * rest;
    }
    across /= smallest_eigenvalue(c);
    return (along * sqrt((double)c->total_mass) + sqrt(across)) / sqrt(lightest);
}

static double farthest(const dc_world *a, const dc_world *b)
{
    double worst = 0;
    dc_index v;
    for (v = 0; v < dc_cloth_surface_mesh(a, 0)->vertex_count; v++)
        worst = fmax(worst, (double)dci_norm(dci_vec_sub(dc_cloth_surface_positions(a, 0)[v],
                                                         dc_cloth_surface_positions(b, 0)[v])));
    return worst;
}

/* Soft and stiff, both elements, damped or not: a step of 10 ms, in which the sheet falls a
   millimetre. */
static void test_all_three_systems_take_the_same_step(void)
{
    int i, kind;
    for (i = 0; i < 8; i++) {
        dc_element element = i & 1 ? DC_ELEMENT_ISOMETRIC : DC_ELEMENT_NONCONFORMING;
        fixture f[3];
        for (kind = 0; kind < 3; kind++) {
            f[kind] = system_sheet(6, (dc_newton_system)(DC_NEWTON_NULL_SPACE + kind), element,
                                   i & 2 ? 0.1 : 1e-5, i & 4);
            f[kind].cloth.tolerance = TOL(DCI_R(1e-11), DCI_R(1e-5));
            f[kind].cloth.residual_tol = TOL(DCI_R(1e-4), DCI_R(0.1));
            f[kind].cloth.cg_tol = TOL(DCI_R(1e-9), DCI_R(1e-4));
            CHECK(fixture_open(&f[kind]) == DC_OK);
            CHECK(dc_cloth_newton_system(f[kind].world, 0) ==
                  (dc_newton_system)(DC_NEWTON_NULL_SPACE + kind));
            CHECK(fixture_step(&f[kind], 0.01) == DC_OK && f[kind].report.substeps == 1);
            CHECK((kind == 0) == (f[kind].report.cg_iterations > 0));
        }
        for (kind = 1; kind < 3; kind++)
            CHECK_AT_MOST(farthest(f[0].world, f[kind].world),
                          2 * step_bound(fixture_cloth(&f[0])));
        for (kind = 0; kind < 3; kind++) fixture_close(&f[kind]);
    }
}

/* A sheet that has come to lie on a ball, contacts in its matrix. Each system puts what touches
   to a tenth of the thickness where it is to be (DCI_TOUCH_TOL). The eigenvalues that contacts
   leave to the conjugate gradients are 1 to 16 (chapter 25): 1e-8 takes ln(2e8) sqrt(16) / 2 =
   38 iterations, and two more tell so. */
static void test_all_three_systems_agree_in_contact(void)
{
    enum { STEPS = 40 };
    int element, kind, i;
    for (element = 0; element < 2; element++) {
        bodies *b[3];
        for (kind = 0; kind < 3; kind++) {
            dc_index k;
            double newton = 0, inner = 0, contacts = 0;
            b[kind] = bodies_begin();
            k = bodies_sheet(b[kind], 6, 6, 1, 1, 0, 4e-3, 0);
            bodies_obstacle(b[kind], DC_OBSTACLE_SPHERE, dci_vec(0, DCI_R(-0.3), 0),
                            dci_vec(0, 0, 0), 0.3)
                ->friction = DCI_R(0.3);
            b[kind]->desc.contact = DC_CONTACT_SIMULTANEOUS;
            b[kind]->cloth[k].projection = DC_PROJECTION_COUPLED;
            b[kind]->cloth[k].newton_system = (dc_newton_system)(DC_NEWTON_NULL_SPACE + kind);
            b[kind]->cloth[k].element =
                element == 0 ? DC_ELEMENT_NONCONFORMING : DC_ELEMENT_ISOMETRIC;
            b[kind]->cloth[k].bending = DCI_R(0.1);
            b[kind]->cloth[k].bending_damping = DCI_R(5e-3);
            b[kind]->cloth[k].cg_tol = TOL(DCI_R(1e-8), DCI_R(1e-3));
            CHECK(bodies_open(b[kind]) == DC_OK);
            for (i = 0; i < STEPS; i++) {
                CHECK(bodies_step(b[kind], 0.002) == DC_OK && b[kind]->report.released == 0);
                newton += (double)b[kind]->report.newton_iterations;
                inner += (double)b[kind]->report.cg_iterations;
                contacts += (double)b[kind]->report.contact_rows;
            }
            CHECK(contacts > 0 && inner > 0);
            if (kind > 0) CHECK_AT_MOST(inner, 40 * newton);
            CHECK_AT_MOST(farthest(b[0]->world, b[kind]->world),
                          2 * DCI_TOUCH_TOL_MAX * b[0]->cloth[k].thickness);
        }
        for (kind = 0; kind < 3; kind++) bodies_close(b[kind]);
    }
}

/* A point let go leaves rows of zeros; a clamp let go, other energies in the same pattern. */
static void test_points_may_be_let_go_with_all_systems(void)
{
    int kind;
    for (kind = DC_NEWTON_NULL_SPACE; kind <= DC_NEWTON_PRIMAL; kind++) {
        fixture f = system_sheet(5, (dc_newton_system)kind, DC_ELEMENT_NONCONFORMING, 1e-3, 0);
        dc_clamp_desc clamp;
        dc_vec3 before;
        clamp.vertex0 = 0;
        clamp.vertex1 = 1;
        f.cloth.clamps = &clamp;
        f.cloth.clamp_count = 1;
        CHECK(fixture_open(&f) == DC_OK);
        CHECK(fixture_run(&f, 0.05, 0.01) == DC_OK);
        dc_cloth_release_pin(f.world, 0, 0);
        dc_cloth_release_pin(f.world, 0, 1);
        dc_cloth_release_clamp(f.world, 0, 0);
        CHECK(dc_world_set_gravity(f.world, dci_vec(0, 0, 0), NULL) == DC_OK);
        before = dc_cloth_measure(f.world, 0).momentum;
        CHECK(fixture_run(&f, 0.05, 0.01) == DC_OK);
        /* nothing pulls: momentum stays, but for what residual_tol leaves in .05 s */
        CHECK_AT_MOST(dci_norm(dci_vec_sub(dc_cloth_measure(f.world, 0).momentum, before)),
                      f.cloth.residual_tol * DCI_R(0.05) * DCI_R(0.15));
        fixture_close(&f);
    }
}

/* ---- Planning ---- */

static void test_systems_are_refused_where_they_cannot_be(void)
{
    static const char *const needs[3] = {"none of its names", "linear_solver", "independent rows"};
    int i;
    for (i = 0; i < 7; i++) {
        fixture f = system_sheet(3, i & 1 ? DC_NEWTON_SPD : DC_NEWTON_PRIMAL,
                                 DC_ELEMENT_NONCONFORMING, 1e-3, 0);
        int why = i < 2 ? 0 : i == 2 ? 1 : 2;
        if (i == 0) f.cloth.newton_system = (dc_newton_system)(DC_NEWTON_PRIMAL + 1);
        if (i == 1) f.cloth.newton_system = (dc_newton_system)(DC_NEWTON_AUTO - 1);
        if (i == 2) f.cloth.linear_solver = DC_LINEAR_CG;
        if (i == 3) f.cloth.element = DC_ELEMENT_CONFORMING_BOUNDARY;
        if (i == 3) f.cloth.projection = DC_PROJECTION_AUTO;
        if (i == 4) f.cloth.element = DC_ELEMENT_CONFORMING;
        if (i >= 5) f.cloth.element = DC_ELEMENT_ISOMETRIC;
        if (i >= 5) f.cloth.boundary_rows = 1;
        CHECK(fixture_plan(&f) == DC_BAD_ARGUMENT);
        CHECK(strstr(f.error.what, needs[why]) && strstr(f.error.what, "newton_system"));
        CHECK_EQUAL(f.error.cloth, 0);
        fixture_close(&f);
        if (i < 2) continue; /* the null space takes all of these */
        f = system_sheet(3, i & 1 ? DC_NEWTON_NULL_SPACE : DC_NEWTON_AUTO,
                         i == 3   ? DC_ELEMENT_CONFORMING_BOUNDARY
                         : i == 4 ? DC_ELEMENT_CONFORMING
                                  : DC_ELEMENT_ISOMETRIC,
                         1e-3, 0);
        if (i == 3) f.cloth.projection = DC_PROJECTION_AUTO;
        f.cloth.linear_solver = i == 2 ? DC_LINEAR_CG : DC_LINEAR_CHOLESKY;
        f.cloth.boundary_rows = i >= 5;
        CHECK(fixture_open(&f) == DC_OK);
        CHECK(dc_cloth_newton_system(f.world, 0) == DC_NEWTON_NULL_SPACE);
        fixture_close(&f);
    }
}

/* Arena and scratch are what planning says, to the byte; what dc_world_scratch_bytes() says is
   enough, for all shapes. */
static void test_systems_are_planned_to_the_byte(void)
{
    int kind, shape, form;
    for (kind = DC_NEWTON_SPD; kind <= DC_NEWTON_PRIMAL; kind++)
        for (shape = DC_SHAPE_GRID; shape <= DC_SHAPE_CAPSULE; shape++)
            for (form = 0; form < 4; form++) {
                static const dc_index pins[4] = {0, 1, 2, 3};
                dc_shape_desc desc = dc_shape_defaults((dc_shape)shape);
                fixture f = fixture_begin();
                size_t used, sum = 0;
                dc_index i;
                desc.columns = 6 + 4 * form;
                desc.rows = 3 + form;
                fixture_shape(&f, &desc);
                f.cloth.newton_system = (dc_newton_system)kind;
                f.cloth.element = form & 1 ? DC_ELEMENT_ISOMETRIC : DC_ELEMENT_NONCONFORMING;
                f.cloth.bending_form = form & 2 ? DC_BENDING_LAPLACIAN : DC_BENDING_VERTEX_HESSIAN;
                f.cloth.pin_vertices = pins;
                f.cloth.pin_count = 4;
                CHECK(fixture_open(&f) == DC_OK);
                CHECK(f.plan.scratch_bytes <= dc_world_scratch_bytes(&f.desc));
                CHECK_EQUAL(dc_world_bytes(f.world) > f.plan.bytes, 0);
                for (i = 0; i < f.plan.section_count; i++) sum += f.plan.section[i].bytes;
                CHECK(sum <= f.plan.bytes);
                CHECK(dc_world_init(&f.plan, f.memory, f.plan.bytes - 1, &f.world, &f.error) ==
                          DC_TOO_SMALL &&
                      f.error.needed == f.plan.bytes);
                used = f.plan.scratch_bytes;
                CHECK(dc_world_plan(&f.desc, f.scratch, used - 1, &f.plan, &f.error) ==
                          DC_TOO_SMALL &&
                      f.error.needed >= used);
                CHECK(dc_world_plan(&f.desc, f.scratch, used, &f.plan, &f.error) == DC_OK);
                fixture_close(&f);
            }
}

static const test_case tests_systems[] = {
    {"root of a triangle's curvature squares to it",
     test_root_of_a_triangle_s_curvature_squares_to_it},
    {"root keeps its digits where rank is lost", test_root_keeps_its_digits_where_rank_is_lost},
    {"both systems solve Newton's equations", test_both_systems_solve_newton_s_equations},
    {"the running example has the S of chapter 18",
     test_the_running_example_has_the_s_of_chapter_18},
    {"all three systems take the same step", test_all_three_systems_take_the_same_step},
    {"all three systems agree in contact", test_all_three_systems_agree_in_contact},
    {"points may be let go with all systems", test_points_may_be_let_go_with_all_systems},
    {"systems are refused where they cannot be", test_systems_are_refused_where_they_cannot_be},
    {"systems are planned to the byte", test_systems_are_planned_to_the_byte},
};
