/* Chapters 18 to 20: constraints, loads, integrators. */

/* The full Jacobian of a plan's rows: one dense row a constraint, three columns a node. */
static dense jacobian_of(const dci_rows *rows, const dc_vec3 *direction)
{
    dense j = dense_new(rows->count, 3 * rows->weight.column_count);
    dc_index i, p;
    for (i = 0; i < rows->count; i++)
        for (p = 0; p < dci_rows_term_count(rows, i); p++) {
            dc_real w;
            dc_index node = dci_rows_term(rows, i, p, &w);
            *dense_at(&j, i, 3 * node) = (double)(w * direction[i].x);
            *dense_at(&j, i, 3 * node + 1) = (double)(w * direction[i].y);
            *dense_at(&j, i, 3 * node + 2) = (double)(w * direction[i].z);
        }
    return j;
}

/* Node positions of the flat sheet, or of the same sheet bent and crumpled a little. */
static dc_vec3 *place_nodes(const dci_cloth *plan, int is_bent)
{
    dc_index n = plan->element.node_count, k;
    dc_vec3 *x = (dc_vec3 *)test_alloc((size_t)n * sizeof(dc_vec3));
    for (k = 0; k < n; k++) {
        dc_vec2 at = flat_node(plan, k);
        x[k] = dci_vec(at.x, at.y, 0);
        if (!is_bent) continue;
        x[k].z = DCI_R(0.3) * at.x * at.x + DCI_R(0.2) * at.x * at.y;
        x[k] = dci_vec_axpy(x[k], DCI_R(0.02),
                            dci_vec(dci_random(1, (uint32_t)k), dci_random(2, (uint32_t)k),
                                    dci_random(3, (uint32_t)k)));
    }
    return x;
}

/* Rank of the Jacobian; `planar` looks at x and y alone. */
static int rank_of_rows(const dci_cloth *plan, int is_bent, int planar, int *columns)
{
    const dci_rows *rows = &plan->rows;
    dc_vec3 *x = place_nodes(plan, is_bent),
            *direction = (dc_vec3 *)test_alloc((size_t)rows->count * sizeof(dc_vec3));
    dc_real *value = (dc_real *)test_alloc((size_t)rows->count * sizeof(dc_real));
    dense j, flat;
    int rank, i, k;
    dci_rows_evaluate(rows, NULL, 0, x, direction, value);
    j = jacobian_of(rows, direction);
    if (planar) {
        flat = dense_new(j.rows, j.columns / 3 * 2);
        for (i = 0; i < j.rows; i++)
            for (k = 0; k < flat.columns; k++)
                *dense_at(&flat, i, k) = *dense_at(&j, i, k / 2 * 3 + k % 2);
        free(j.a);
        j = flat;
    }
    *columns = j.columns;
    rank = dense_rank(&j, 1e-7);
    free(j.a), free(x), free(direction), free(value);
    return rank;
}

/* NUMERICS: rigidity rows alone have full rank 3 t, flat or bent; 4N - 3 spurious in-plane motions. */
static void test_rigidity_rows_have_full_rank(void)
{
    int kind, is_bent, columns;
    for (kind = 0; kind < 5; kind++)
        for (is_bent = 0; is_bent < 2; is_bent++) {
            dc_mesh_desc desc = square_of_kind(kind, 5);
            planned p = plan_mesh(&desc, DC_ELEMENT_NONCONFORMING);
            int lacking = 3 * desc.triangle_count - rank_of_rows(p.plan, is_bent, 0, &columns);
            /* NUMERICS, union-jack when flat: (n - 4)^2/2 for n = 6 vertices a side, one for each vertex
               with four triangles that is two cells away from the border */
            CHECK_EQUAL(lacking, kind == 1 && !is_bent ? 2 : 0);
            if (kind == 0 && !is_bent) {
                int rank = rank_of_rows(p.plan, 0, 1, &columns);
                CHECK_EQUAL(columns - rank, (4 * 5 - 3) + 3); /* spurious and rigid */
            }
            fixture_close(&p.f);
        }
}

/* BENDING: with the jump term a flat free square keeps 3 rigid motions in plane and 3 affine normal ones. */
static void test_rows_and_bending_leave_rigid_motions_only(void)
{
    int kind;
    for (kind = 0; kind < 4; kind++) {
        dc_mesh_desc desc = square_of_kind(kind, 4);
        planned p = plan_mesh(&desc, DC_ELEMENT_NONCONFORMING);
        const dci_rows *rows = &p.plan->rows;
        const dci_energy *energy = &p.plan->energy;
        dc_vec3 *x = place_nodes(p.plan, 0),
                *direction = (dc_vec3 *)test_alloc((size_t)rows->count * sizeof(dc_vec3));
        dc_real *value = (dc_real *)test_alloc((size_t)rows->count * sizeof(dc_real));
        dense j, all;
        int i, k, axis, n = p.plan->element.node_count;
        dci_rows_evaluate(rows, NULL, 0, x, direction, value);
        j = jacobian_of(rows, direction);
        all = dense_new(j.rows + 3 * energy->rows.row_count, 3 * n);
        memcpy(all.a, j.a, (size_t)j.rows * (size_t)j.columns * sizeof(double));
        for (i = 0; i < energy->rows.row_count; i++)
            for (axis = 0; axis < 3; axis++)
                for (k = energy->rows.start[i]; k < energy->rows.start[i + 1]; k++)
                    *dense_at(&all, j.rows + 3 * i + axis, 3 * energy->rows.column[k] + axis) =
                        0.05 * (double)energy->rows.value[k];
        CHECK_EQUAL(dense_rank(&all, TOL(1e-9, 1e-5)), 3 * n - 6);
        free(j.a), free(all.a), free(x), free(direction), free(value);
        fixture_close(&p.f);
    }
}

/* ---- Derivatives ---- */

/* A small world whose cloth's chapters can be called directly: pins, one released; a clamp. */
static fixture crumpled_world(dc_element element)
{
    static const dc_index pins[3] = {20, 24, 12};
    static const dc_clamp_desc clamp = {0, 1};
    fixture f = fixture_begin();
    dc_index k;
    dci_cloth *c;
    fixture_grid(&f, 4, 4);
    f.cloth.element = element;
    f.cloth.pin_vertices = pins;
    f.cloth.pin_count = 3;
    f.cloth.clamps = &clamp;
    f.cloth.clamp_count = 1;
    CHECK(fixture_open(&f) == DC_OK);
    c = fixture_cloth(&f);
    dc_cloth_release_pin(f.world, 0, 2, NULL);
    for (k = 0; k < c->element.node_count; k++) {
        c->trial.x[k] = dci_vec_axpy(c->state.x[k], DCI_R(0.05),
                                     dci_vec(dci_random(1, (uint32_t)k), dci_random(2, (uint32_t)k),
                                             dci_random(3, (uint32_t)k)));
        c->u[k] = dci_vec(0, 0, 0);
    }
    return f;
}

static void test_directions_are_the_gradients_of_the_constraints(void)
{
    int element;
    for (element = DC_ELEMENT_NONCONFORMING; element <= DC_ELEMENT_ISOMETRIC; element++) {
        fixture f = crumpled_world((dc_element)element);
        dci_cloth *c = fixture_cloth(&f);
        dc_index rows = c->rows.count, n = c->element.node_count, i, k, worst_row;
        const dc_real h = TOL(DCI_R(1e-5), DCI_R(3e-3));
        dense j;
        dc_real *up = (dc_real *)test_alloc((size_t)rows * sizeof(dc_real));
        double worst = 0;
        dci_step_constraints(c, c->u, &worst_row);
        j = jacobian_of(&c->rows, c->direction);
        for (k = 0; k < 3 * n; k++) {
            dci_reals(c->u)[k] = h;
            dci_step_constraints(c, c->u, &worst_row);
            memcpy(up, c->value, (size_t)rows * sizeof(dc_real));
            dci_reals(c->u)[k] = -h;
            dci_step_constraints(c, c->u, &worst_row);
            dci_reals(c->u)[k] = 0;
            for (i = 0; i < rows; i++)
                worst = fmax(worst,
                             fabs((double)((up[i] - c->value[i]) / (2 * h)) - *dense_at(&j, i, k)));
        }
        CHECK_AT_MOST(worst, TOL(1e-9, 2e-3)); /* constraints are quadratic: rounding only */
        free(j.a), free(up);
        fixture_close(&f);
    }
}

static void test_products_with_the_jacobian_are_those_of_the_dense_one(void)
{
    fixture f = crumpled_world(DC_ELEMENT_NONCONFORMING);
    dci_cloth *c = fixture_cloth(&f);
    dc_index rows = c->rows.count, n = c->element.node_count, i, k, worst_row;
    dense j;
    double worst = 0;
    dci_step_constraints(c, c->u, &worst_row);
    j = jacobian_of(&c->rows, c->direction);
    for (k = 0; k < n; k++)
        c->node.step[k] = dci_vec(dci_random(7, (uint32_t)k), dci_random(8, (uint32_t)k),
                             dci_random(9, (uint32_t)k));
    dci_rows_apply(&c->rows, c->direction, c->node.step, c->eta);
    for (i = 0; i < rows; i++) {
        double sum = 0;
        for (k = 0; k < 3 * n; k++) sum += *dense_at(&j, i, k) * (double)dci_reals(c->node.step)[k];
        worst = fmax(worst, fabs(sum - (double)c->eta[i]));
    }
    for (i = 0; i < rows; i++) c->eta[i] = dci_random(10, (uint32_t)i);
    for (k = 0; k < n; k++) c->node.work[k] = dci_vec(0, 1, 0);
    dci_rows_add_reaction(&c->rows, c->direction, -2, c->eta, c->node.work);
    for (k = 0; k < n; k++) {
        double sum = 1;
        for (i = 0; i < rows; i++) sum -= 2 * *dense_at(&j, i, 3 * k + 1) * (double)c->eta[i];
        worst = fmax(worst, fabs(sum - (double)c->node.work[k].y));
    }
    CHECK_AT_MOST(worst, TOL(1e-13, 1e-5));
    free(j.a);
    fixture_close(&f);
}

/* S of the running example as chapter 18 prints it: two triangles of density 1, flat. */
static void test_running_example_has_its_matrix(void)
{
    static const dc_index triangles[6] = {0, 1, 2, 0, 2, 3};
    const dc_vec3 positions[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    const double r = 6 / sqrt(2.0);
    const double expected[6][6] = {{9, 0, 0, 0, 0, 0},  {r, 12, 0, 0, 0, 0}, {0, r, 9, 0, 0, 0},
                                   {0, 0, -3, 9, 0, 0}, {-3, 0, 0, 0, 9, 0}, {0, 0, 0, r, r, 12}};
    fixture f = fixture_begin();
    dense s = dense_new(6, 6);
    dci_cloth *c;
    dc_index i, k, worst_row;
    f.cloth.mesh.positions = positions;
    f.cloth.mesh.triangles = triangles;
    f.cloth.mesh.vertex_count = 4;
    f.cloth.mesh.triangle_count = 2;
    f.cloth.density = 1;
    CHECK(fixture_open(&f) == DC_OK);
    c = fixture_cloth(&f);
    fixture_weigh_by_mass(c);
    dci_step_constraints(c, c->u, &worst_row);
    dci_rows_assemble(&c->rows, c->node.mobility, c->direction, 0, &c->s);
    CHECK_EQUAL(c->rows.count, 6);
    for (i = 0; i < 6; i++)
        for (k = c->s.start[i]; k < c->s.start[i + 1]; k++)
            *dense_at(&s, i, c->s.column[k]) = (double)c->s.value[k];
    for (i = 0; i < 6; i++)
        for (k = 0; k <= i; k++) CHECK_NEAR(*dense_at(&s, i, k), expected[i][k], TOL(1e-13, 1e-5));
    free(s.a);
    fixture_close(&f);
}

/* S of (18.3) is J G^-1 J^T, in both metrics; solves by both linear solvers agree with it. */
static void test_matrix_of_the_multipliers_is_the_product_it_stands_for(void)
{
    int is_hessian;
    for (is_hessian = 0; is_hessian < 2; is_hessian++) {
        fixture f = crumpled_world(DC_ELEMENT_NONCONFORMING);
        dci_cloth *c = fixture_cloth(&f);
        dc_index rows = c->rows.count, n = c->element.node_count, i, k, l, worst_row;
        dense j, s;
        double worst = 0, largest = 0;
        c->scheme = dci_scheme_bdf2(1);
        c->dt = DCI_R(0.01);
        c->weight = c->scheme.weight * c->dt * c->dt;
        dci_step_hessian(c);
        fixture_weigh_by_mass(c);
        if (is_hessian) {
            c->solver->diagonal(c, c->node.mobility);
            for (k = 0; k < n; k++) c->node.mobility[k] = 1 / c->node.mobility[k];
        }
        dci_step_constraints(c, c->u, &worst_row);
        j = jacobian_of(&c->rows, c->direction);
        dci_rows_assemble(&c->rows, c->node.mobility, c->direction, 0, &c->s);
        s = dense_new(rows, rows);
        for (i = 0; i < rows; i++)
            for (k = c->s.start[i]; k < c->s.start[i + 1]; k++)
                *dense_at(&s, i, c->s.column[k]) = (double)c->s.value[k];
        for (i = 0; i < rows; i++)
            for (k = 0; k <= i; k++) {
                double sum = 0;
                for (l = 0; l < 3 * n; l++)
                    sum += *dense_at(&j, i, l) * *dense_at(&j, k, l) *
                           (double)c->node.mobility[l / 3];
                if (i == k && sum == 0) sum = 1; /* of what was let go */
                worst = fmax(
                    worst, fabs(sum - (*dense_at(&s, i, k) + (i == k ? 0 : *dense_at(&s, k, i)))));
                largest = fmax(largest, fabs(sum));
            }
        CHECK_AT_MOST(worst / largest, TOL(1e-13, 1e-5));
        free(j.a), free(s.a);
        fixture_close(&f);
    }
}

static void test_both_linear_solvers_solve_for_the_multipliers(void)
{
    int element, solver;
    for (element = DC_ELEMENT_NONCONFORMING; element <= DC_ELEMENT_ISOMETRIC; element++)
        for (solver = DC_LINEAR_CHOLESKY; solver <= DC_LINEAR_CG; solver++) {
            fixture f = crumpled_world((dc_element)element), g = fixture_begin();
            dci_cloth *c;
            dc_index rows, i, worst_row;
            double error = 0, size = 0;
            g.cloth = f.cloth;
            g.cloth.solver.linear_solver = (dc_linear_solver)solver;
            CHECK(fixture_open(&g) == DC_OK);
            c = fixture_cloth(&g);
            memcpy(c->trial.x, fixture_cloth(&f)->trial.x,
                   (size_t)c->element.node_count * sizeof(dc_vec3));
            for (i = 0; i < c->element.node_count; i++) c->u[i] = dci_vec(0, 0, 0);
            rows = c->rows.count;
            fixture_weigh_by_mass(c);
            dci_step_constraints(c, c->u, &worst_row);
            CHECK(dci_schur_prepare(c) == DC_OK);
            CHECK(c->solver->solve(c, c->value, c->eta) == DC_OK);
            dci_schur_apply(c, c->eta, c->kappa); /* S eta, matrix-free in both cases */
            for (i = 0; i < rows; i++) {
                error += (double)((c->kappa[i] - c->value[i]) * (c->kappa[i] - c->value[i]));
                size += (double)(c->value[i] * c->value[i]);
            }
            /* Conjugate gradients stop early, by another norm. */
            CHECK_AT_MOST(sqrt(error / size),
                          solver == DC_LINEAR_CG ? TOL(2e-3, 2e-2) : TOL(1e-6, 2e-2));
            fixture_close(&g);
            fixture_close(&f);
        }
}

/* The derivative of J^T lambda is (18.4): differences of the force, for fixed multipliers. */
static void test_curvature_is_the_derivative_of_the_multipliers_force(void)
{
    fixture f = crumpled_world(DC_ELEMENT_NONCONFORMING);
    dci_cloth *c = fixture_cloth(&f);
    dc_index rows = c->rows.count, n = c->element.node_count, i, k, worst_row;
    const dc_real h = TOL(DCI_R(1e-6), DCI_R(1e-3));
    dc_vec3 *before = (dc_vec3 *)test_alloc((size_t)n * sizeof(dc_vec3)),
            *way = (dc_vec3 *)test_alloc((size_t)n * sizeof(dc_vec3)),
            *image = (dc_vec3 *)test_alloc((size_t)n * sizeof(dc_vec3));
    double worst = 0, largest = 0;
    for (i = 0; i < rows; i++) {
        c->eta[i] = dci_random(3, (uint32_t)i);
        c->kappa[i] = i < c->rows.length_count ? c->eta[i] / dci_rows_rest(&c->rows, i) : 0;
    }
    dci_step_constraints(c, c->u, &worst_row);
    for (k = 0; k < n; k++) before[k] = c->node.work[k] = dci_vec(0, 0, 0);
    dci_rows_add_reaction(&c->rows, c->direction, 1, c->eta, before);
    for (k = 0; k < n; k++) {
        way[k] = dci_vec(dci_random(4, (uint32_t)k), dci_random(5, (uint32_t)k),
                         dci_random(6, (uint32_t)k));
        c->u[k] = dci_vec_scale(h, way[k]);
        image[k] = dci_vec(0, 0, 0);
    }
    dci_step_constraints(c, c->u, &worst_row);
    dci_couple_add_curvature(c, way, image);
    dci_rows_add_reaction(&c->rows, c->direction, 1, c->eta, c->node.work);
    for (k = 0; k < n; k++) {
        dc_vec3 slope = dci_vec_scale(1 / h, dci_vec_sub(c->node.work[k], before[k]));
        worst = fmax(worst, (double)dci_norm(dci_vec_sub(slope, image[k])));
        largest = fmax(largest, (double)dci_norm(image[k]));
    }
    CHECK_AT_MOST(worst / largest, TOL(1e-8, 1e-3));
    free(before), free(way), free(image);
    fixture_close(&f);
}

/* The positive part of (18.5), against the eigenvalues of the Laplacian of three nodes. */
static void test_positive_part_keeps_positive_eigenvalues_and_drops_negative_ones(void)
{
    uint32_t seed;
    for (seed = 0; seed < 500; seed++) {
        /* the Laplacian of sum mu_i |y_i|^2 in the orthonormal coordinates of the chapter, and its part */
        dc_real mu[3], part[3], u, v, w, up, vp, wp, mean, radius, large, small;
        double trace, det;
        int i;
        for (i = 0; i < 3; i++) part[i] = mu[i] = dci_random(seed, (uint32_t)i);
        dci_rows_positive_part(part);
        u = DCI_R(1.5) * (mu[0] + mu[1]), v = DCI_R(0.5) * (mu[0] + mu[1]) + 2 * mu[2],
        w = DCI_R(0.86602540378443865) * (mu[1] - mu[0]);
        up = DCI_R(1.5) * (part[0] + part[1]), vp = DCI_R(0.5) * (part[0] + part[1]) + 2 * part[2],
        wp = DCI_R(0.86602540378443865) * (part[1] - part[0]);
        mean = (u + v) / 2, radius = DC_SQRT((u - v) * (u - v) / 4 + w * w), large = mean + radius,
        small = mean - radius;
        large = dci_max(large, 0), small = dci_max(small, 0);
        trace = (double)(up + vp), det = (double)(up * vp - wp * wp);
        CHECK_NEAR(trace, large + small, TOL(1e-14, 1e-5));
        CHECK_NEAR(det, large * small, TOL(1e-13, 1e-5));
        /* same eigenvectors: the two matrices commute, so their product is symmetric */
        CHECK_NEAR(u * wp + w * vp, up * w + wp * v, TOL(1e-13, 1e-5));
    }
}

/* ---- Loads ---- */

/* A horizontal sheet falls in air: v = g tau (1 - exp(-t / tau)), tau = density / drag. */
static double terminal_fall_error(dc_integrator integrator, double dt, double drag_tangential)
{
    fixture f = fixture_begin();
    shape_desc shape = shape_defaults(SHAPE_GRID);
    double tau = 0.15 / 1.5, time = 0.4, v;
    dc_index i;
    shape.columns = shape.rows = 2;
    fixture_shape(&f, &shape);
    for (i = 0; i < 9; i++) f.positions[i] = dci_vec(f.positions[i].x, 0, f.positions[i].y);
    f.cloth.drag_normal = DCI_R(1.5);
    f.cloth.drag_tangential = (dc_real)drag_tangential;
    f.cloth.integrator = integrator;
    f.cloth.solver.residual_tol = TOL(DCI_R(1e-9), DCI_R(1e-4));
    CHECK(fixture_open(&f) == DC_OK);
    CHECK(fixture_run(&f, time, dt) == DC_OK);
    v = (double)dc_body_velocities(f.world, 0)[4].y;
    fixture_close(&f);
    return fabs(v + 9.81 * tau * (1 - exp(-time / tau)));
}

static void test_drag_lets_a_sheet_fall_at_its_terminal_velocity(void)
{
    double first[2], second[2];
    int k;
    if (TOL(0, 1)) {
        CHECK_AT_MOST(terminal_fall_error(DC_INTEGRATOR_BDF2, 0.01, 0.3), 2e-3);
        return;
    }
    for (k = 0; k < 2;
         k++) { /* the smaller coefficient along the surface takes (22.8)'s second term */
        first[k] = terminal_fall_error(DC_INTEGRATOR_BACKWARD_EULER, 0.02 / (1 << k), 0.3);
        second[k] = terminal_fall_error(DC_INTEGRATOR_BDF2, 0.02 / (1 << k), 0.3);
    }
    CHECK_NEAR(log(first[0] / first[1]) / log(2.0), 1, 0.1);
    CHECK_NEAR(log(second[0] / second[1]) / log(2.0), 2, 0.25);
    CHECK_AT_MOST(terminal_fall_error(DC_INTEGRATOR_BDF2, 0.02, 4), 1e-1); /* along is never felt */
}

/* Wind blows a loose sheet along until it moves with it, whatever its angle. */
static void test_wind_carries_a_sheet_away(void)
{
    fixture f = fixture_begin();
    dc_measures m;
    fixture_grid(&f, 3, 3);
    f.desc.gravity = dci_vec(0, 0, 0);
    f.desc.wind = dci_vec(1, 2, 3);
    f.cloth.drag_normal = 50; /* much stronger than the step can resolve: still stable */
    f.cloth.drag_tangential = 5;
    f.cloth.solver.residual_tol = DCI_R(1e-3);
    CHECK(fixture_open(&f) == DC_OK);
    CHECK(fixture_run(&f, 2, 0.02) == DC_OK);
    m = dc_cloth_measure(f.world, 0);
    CHECK_NEAR(m.momentum.x / m.mass, 1, 0.01);
    CHECK_NEAR(m.momentum.y / m.mass, 2, 0.01);
    CHECK_NEAR(m.momentum.z / m.mass, 3, 0.01);
    fixture_close(&f);
}

/* A force on one vertex does the work of that vertex: its sum and its moment arrive. */
static void test_forces_on_vertices_arrive_in_sum_and_moment(void)
{
    fixture f = fixture_begin();
    dc_vec3 forces[25], total = {0, 0, 0}, moment = {0, 0, 0};
    dci_cloth *c;
    dc_index k;
    fixture_grid(&f, 4, 4);
    CHECK(fixture_open(&f) == DC_OK);
    c = fixture_cloth(&f);
    for (k = 0; k < 25; k++) forces[k] = dci_vec(0, 0, 0);
    forces[7] = dci_vec(1, 2, 3);
    CHECK(dc_cloth_set_forces(f.world, 0, forces, &f.error) == DC_OK);
    for (k = 0; k < c->element.node_count; k++) c->mass[k] = 0; /* leaves the user's forces */
    for (k = 0; k < c->energy.rows.row_count; k++) c->energy.stiffness[k] = 0;
    c->dt = c->weight = 1;
    dci_step_load(c);
    for (k = 0; k < c->element.node_count; k++) {
        total = dci_vec_add(total, c->load_q[k]);
        moment = dci_vec_add(moment, dci_cross(c->state.x[k], c->load_q[k]));
    }
    moment = dci_vec_sub(moment, dci_cross(f.positions[7], forces[7]));
    CHECK_AT_MOST(dci_norm(dci_vec_sub(total, forces[7])), TOL(1e-14, 1e-5));
    CHECK_AT_MOST(dci_norm(moment), TOL(1e-14, 1e-5));
    CHECK(dc_cloth_set_forces(f.world, 0, NULL, &f.error) == DC_OK);
    dci_step_load(c);
    for (k = 0; k < c->element.node_count; k++) CHECK(dci_norm(c->load_q[k]) == 0);
    fixture_close(&f);
}

/* ---- Integrators ---- */

/* Every row of the table: exact for x = t (and x = t^2 if of second order), with any step ratio. */
static void test_integrators_are_exact_for_polynomials_of_their_order(void)
{
    int i, start, degree;
    double ratio;
    for (i = 0; i < DCI_INTEGRATOR_COUNT; i++)
        for (start = 0; start < 2; start++)
            for (ratio = 0.5; ratio <= 2; ratio *= 2)
                for (degree = 1; degree <= dci_integrators[i].order; degree++) {
                    dci_scheme s =
                        dci_scheme_of(dci_integrators + i, (dc_real)ratio, start ? DCI_R(0) : 1);
                    /* x = t^degree around t_n = 1, dt = .1; acceleration at the end of the step */
                    double t = 1, dt = 0.1, before = t - dt / ratio, after = t + dt;
                    double x0 = pow(before, degree), x1 = pow(t, degree), x2 = pow(after, degree);
                    double v0 = degree * pow(before, degree - 1), v1 = degree * pow(t, degree - 1),
                           v2 = degree * pow(after, degree - 1);
                    double a2 = degree == 2 ? 2 : 0;
                    double u = (double)s.past * (x0 - x1) +
                               dt * ((double)s.now * v1 + (double)s.then * v0) +
                               (double)s.weight * dt * dt * a2;
                    double v = ((double)s.rate * u + (double)s.rate_past * (x0 - x1)) / dt -
                               (double)s.turn * v1;
                    CHECK_NEAR(x1 + u, x2, TOL(1e-13, 1e-5));
                    CHECK_NEAR(v, v2, TOL(1e-12, 1e-4));
                }
}

/* BDF2 with equal steps has the coefficients of (21), with the dt that the paper forgets. */
static void test_bdf2_has_the_coefficients_of_the_paper(void)
{
    dci_scheme s = dci_scheme_bdf2(1);
    CHECK_NEAR(s.past, -1.0 / 3,
               TOL(1e-15, 1e-7)); /* 4/3 x_n - 1/3 x_{n-1} = x_n + 1/3 (x_n - x_{n-1}) */
    CHECK_NEAR(s.now, 8.0 / 9, TOL(1e-15, 1e-7));
    CHECK_NEAR(s.then, -2.0 / 9, TOL(1e-15, 1e-7));
    CHECK_NEAR(s.weight, 4.0 / 9, TOL(1e-15, 1e-7));
    CHECK_NEAR(s.rate, 1.5, TOL(1e-15, 1e-7));
    CHECK_NEAR(s.rate_past, 0.5, TOL(1e-15, 1e-7));
}

/* The point pendulum, l = g = 1, theta0 = 2 at rest, with a table row and projection onto the circle.
   Returns the distance from the exact position at t = 4. */
static double pendulum_error(const dci_integrator *method, double dt)
{
    double x = sin(2.0), y = -cos(2.0), vx = 0, vy = 0, x_prev = x, y_prev = y, vx_prev = 0,
           vy_prev = 0;
    const double theta = -1.98608137203574;
    int i, steps = (int)(4 / dt + 0.5);
    for (i = 0; i < steps; i++) {
        dci_scheme s = dci_scheme_of(method, 1, i == 0 ? DCI_R(0) : 1);
        double ux =
            (double)s.past * (x_prev - x) + dt * ((double)s.now * vx + (double)s.then * vx_prev);
        double uy = (double)s.past * (y_prev - y) +
                    dt * ((double)s.now * vy + (double)s.then * vy_prev) -
                    (double)s.weight * dt * dt;
        double length = sqrt((x + ux) * (x + ux) + (y + uy) * (y + uy)), nvx, nvy;
        ux = (x + ux) / length - x;
        uy = (y + uy) / length - y;
        nvx = ((double)s.rate * ux + (double)s.rate_past * (x_prev - x)) / dt - (double)s.turn * vx;
        nvy = ((double)s.rate * uy + (double)s.rate_past * (y_prev - y)) / dt - (double)s.turn * vy;
        x_prev = x, y_prev = y, vx_prev = vx, vy_prev = vy;
        x += ux, y += uy, vx = nvx, vy = nvy;
    }
    return sqrt((x - sin(theta)) * (x - sin(theta)) + (y + cos(theta)) * (y + cos(theta)));
}

static void test_integrators_have_their_order_on_the_pendulum(void)
{
    static const double euler[4] = {.743, .473, .273, .148}; /* reference: fast projection */
    int i, k;
    for (k = 0; k < 4; k++)
        CHECK_NEAR(pendulum_error(&dci_integrators[DC_INTEGRATOR_BACKWARD_EULER], 0.1 / (1 << k)),
                   euler[k], 0.0006);
    for (i = 0; i < DCI_INTEGRATOR_COUNT && TOL(1, 0);
         i++) { /* rounding hides the order in single */
        double coarse = pendulum_error(&dci_integrators[i], 0.0125 / 4),
               fine = pendulum_error(&dci_integrators[i], 0.0125 / 8);
        CHECK_NEAR(log(coarse / fine) / log(2.0), dci_integrators[i].order, 0.1);
    }
    /* BDF2 with our start lies between the reference's two, exact first step and backward Euler's */
    CHECK_AT_MOST(pendulum_error(&dci_integrators[DC_INTEGRATOR_BDF2], 0.0125), 2.87e-4);
}

static const test_case tests_forces[] = {
    {"rigidity rows have full rank", test_rigidity_rows_have_full_rank},
    {"rows and bending leave rigid motions only", test_rows_and_bending_leave_rigid_motions_only},
    {"directions are the gradients of the constraints",
     test_directions_are_the_gradients_of_the_constraints},
    {"products with the Jacobian are those of the dense one",
     test_products_with_the_jacobian_are_those_of_the_dense_one},
    {"running example has its matrix", test_running_example_has_its_matrix},
    {"matrix of the multipliers is the product it stands for",
     test_matrix_of_the_multipliers_is_the_product_it_stands_for},
    {"both linear solvers solve for the multipliers",
     test_both_linear_solvers_solve_for_the_multipliers},
    {"curvature is the derivative of the multipliers' force",
     test_curvature_is_the_derivative_of_the_multipliers_force},
    {"positive part keeps positive eigenvalues and drops negative ones",
     test_positive_part_keeps_positive_eigenvalues_and_drops_negative_ones},
    {"drag lets a sheet fall at its terminal velocity",
     test_drag_lets_a_sheet_fall_at_its_terminal_velocity},
    {"wind carries a sheet away", test_wind_carries_a_sheet_away},
    {"forces on vertices arrive in sum and moment",
     test_forces_on_vertices_arrive_in_sum_and_moment},
    {"integrators are exact for polynomials of their order",
     test_integrators_are_exact_for_polynomials_of_their_order},
    {"BDF2 has the coefficients of the paper", test_bdf2_has_the_coefficients_of_the_paper},
    {"integrators have their order on the pendulum",
     test_integrators_have_their_order_on_the_pendulum},
};
