/* Chapters 22 to 26: one step; failures; the ghost mesh. */

/* A sheet hung by two corners on a shallow arc, after a moment of falling. */
static fixture hung_sheet(dc_index cells, dc_linear_solver solver)
{
    fixture f = fixture_begin();
    static dc_index pins[2];
    dc_index v;
    fixture_grid(&f, cells, cells);
    pins[0] = cells * (cells + 1);
    pins[1] = pins[0] + cells;
    for (v = 0; v < f.cloth.mesh.vertex_count; v++) { /* an arc of radius 2: chord .9897 */
        dc_real a = (f.positions[v].x - DCI_R(0.5)) / 2;
        f.positions[v] = dci_vec(2 * dc_sin(a), 2 * (dc_cos(a) - 1), f.positions[v].y);
    }
    f.cloth.pin_vertices = pins;
    f.cloth.pin_count = 2;
    f.cloth.solver.linear_solver = solver;
    return f;
}

static void test_both_linear_solvers_make_the_same_step(void)
{
    fixture f = hung_sheet(6, DC_LINEAR_CHOLESKY), g = hung_sheet(6, DC_LINEAR_CG);
    double worst = 0;
    dc_index v;
    CHECK(fixture_open(&f) == DC_OK && fixture_open(&g) == DC_OK);
    CHECK(fixture_run(&f, 0.05, 0.001) == DC_OK && fixture_run(&g, 0.05, 0.001) == DC_OK);
    for (v = 0; v < 49; v++)
        worst = fmax(worst, (double)dci_norm(dci_vec_sub(dc_body_positions(f.world, 0)[v],
                                                         dc_body_positions(g.world, 0)[v])));
    CHECK_AT_MOST(worst, TOL(1e-7, 5e-4));
    fixture_close(&f);
    fixture_close(&g);
}

/* In every accepted step of every configuration all lengths hold, measured anew. */
static void test_every_accepted_step_keeps_its_lengths(void)
{
    int element, integrator;
    for (element = 0; element < 2; element++)
        for (integrator = 0; integrator < DCI_INTEGRATOR_COUNT; integrator++) {
            fixture f = hung_sheet(6, DC_LINEAR_CHOLESKY);
            int i;
            f.cloth.element = cloth_elements[element];
            f.cloth.integrator = (dc_integrator)integrator;
            CHECK(fixture_open(&f) == DC_OK);
            for (i = 0; i < 60; i++) {
                dc_measures m;
                CHECK(fixture_step(&f, 0.001) == DC_OK);
                m = dc_cloth_measure(f.world, 0);
                CHECK_AT_MOST(m.constraint_error, 1.001e-4);
                CHECK_AT_MOST(f.report.constraint_error, 1.001e-4);
                CHECK(dci_first_not_finite(dc_body_positions(f.world, 0), 49) == DC_NONE);
                CHECK(f.report.substeps >= 1);
            }
            fixture_close(&f);
        }
}

/* A pin is pulled further than the cloth reaches: refused, named, and nothing has happened. */
static void test_a_failed_step_leaves_the_state_and_names_the_worst_row(void)
{
    fixture f = hung_sheet(6, DC_LINEAR_CHOLESKY);
    uint64_t hash;
    dc_vec3 corner;
    CHECK(fixture_open(&f) == DC_OK);
    CHECK(fixture_run(&f, 0.02, 0.002) == DC_OK);
    hash = dc_world_hash(f.world);
    corner = dc_body_positions(f.world, 0)[f.cloth.pin_vertices[1]];
    CHECK(dc_cloth_set_pin(f.world, 0, 1, dci_vec_add(corner, dci_vec(3, 0, 0)), &f.error) ==
          DC_OK);
    CHECK(fixture_step(&f, 0.002) == DC_NOT_CONVERGED);
    CHECK(f.error.body == 0 && f.error.value > DCI_R(1e-4));
    CHECK(f.error.index >= 0 || strstr(f.error.what, "balanced"));
    CHECK(strstr(f.error.what, "triangle") || strstr(f.error.what, "pin"));
    CHECK(dc_world_hash(f.world) == hash);
    CHECK(dc_cloth_set_pin(f.world, 0, 1, corner, &f.error) == DC_OK);
    CHECK(fixture_step(&f, 0.002) == DC_OK); /* and life goes on */
    fixture_close(&f);
}

/* Only what is set counts: a world planned without gravity takes the same steps, bit for bit. */
static void test_gravity_may_be_set_after_planning(void)
{
    uint64_t hash[2];
    int i;
    for (i = 0; i < 2; i++) {
        fixture f = hung_sheet(6, DC_LINEAR_CHOLESKY);
        dc_vec3 gravity = f.desc.gravity;
        if (i == 1) f.desc.gravity = dci_vec(0, 0, 0);
        CHECK(fixture_open(&f) == DC_OK);
        CHECK(dc_world_set_gravity(f.world, gravity, &f.error) == DC_OK);
        CHECK(fixture_run(&f, 0.1, 0.01) == DC_OK);
        hash[i] = dc_world_hash(f.world);
        fixture_close(&f);
    }
    CHECK(hash[0] == hash[1]);
}

static void test_nonsense_is_refused_and_changes_nothing(void)
{
    fixture f = hung_sheet(4, DC_LINEAR_CHOLESKY);
    volatile dc_real zero = 0;
    dc_real nan = zero / zero, infinite = 1 / zero;
    dc_vec3 forces[25], bad = dci_vec(0, nan, 0);
    uint64_t hash;
    int i;
    CHECK(fixture_open(&f) == DC_OK);
    hash = dc_world_hash(f.world);
    CHECK(fixture_step(&f, 0) == DC_BAD_ARGUMENT);
    CHECK(fixture_step(&f, -1) == DC_BAD_ARGUMENT);
    CHECK(dc_world_step(f.world, nan, NULL, &f.error) == DC_BAD_ARGUMENT);
    CHECK(dc_world_step(f.world, infinite, &f.report, NULL) == DC_BAD_ARGUMENT);
    CHECK(dc_world_set_gravity(f.world, bad, &f.error) == DC_NOT_FINITE);
    CHECK(dc_world_set_wind(f.world, bad, &f.error) == DC_NOT_FINITE);
    CHECK(dc_cloth_set_pin(f.world, 0, 1, bad, &f.error) == DC_NOT_FINITE && f.error.index == 1);
    for (i = 0; i < 25; i++) forces[i] = dci_vec(0, 0, 0);
    forces[7] = bad;
    CHECK(dc_cloth_set_forces(f.world, 0, forces, &f.error) == DC_NOT_FINITE && f.error.index == 7);
    CHECK(dc_cloth_correct(f.world, 0, forces, &f.error) == DC_NOT_FINITE && f.error.index == 7);
    CHECK(dc_world_hash(f.world) == hash);
    CHECK(fixture_step(&f, 0.001) == DC_OK);
    hash = dc_world_hash(f.world);
    forces[7] = dci_vec(DCI_R(1e30), 0, 0); /* finite, but out of all bounds */
    CHECK(dc_cloth_set_forces(f.world, 0, forces, &f.error) == DC_OK);
    CHECK(fixture_step(&f, 0.001) != DC_OK);
    CHECK(dc_world_hash(f.world) == hash);
    forces[7] = dci_vec(DCI_REAL_MAX, DCI_REAL_MAX, DCI_REAL_MAX);
    CHECK(dc_cloth_set_forces(f.world, 0, forces, &f.error) == DC_OK);
    CHECK(fixture_step(&f, 1) != DC_OK);
    CHECK(dc_world_hash(f.world) == hash);
    CHECK(dc_cloth_set_forces(f.world, 0, NULL, &f.error) == DC_OK);
    CHECK(fixture_step(&f, 1e30) != DC_OK);
    CHECK(dc_world_hash(f.world) == hash);
    CHECK(fixture_step(&f, 1e-30) == DC_OK || dc_world_hash(f.world) == hash);
    fixture_close(&f);
}

/* A large step cannot be taken whole with few iterations: it is cut, and says so. */
static void test_a_step_that_is_too_large_is_cut(void)
{
    fixture f = hung_sheet(24, DC_LINEAR_CHOLESKY);
    dc_index most = 0, i;
    f.cloth.solver.iteration_max = 8;
    CHECK(fixture_open(&f) == DC_OK);
    for (i = 0; i < 12; i++) {
        CHECK(fixture_step(&f, 0.016) == DC_OK);
        if (f.report.substeps > most) most = f.report.substeps;
    }
    CHECK(most > 1 && most <= 64);
    CHECK_NEAR(dc_world_time(f.world), 12 * 0.016, TOL(1e-14, 1e-6));
    fixture_close(&f);
}

/* Steps of any length, one after the other: BDF2 keeps its ratio below 2 by sub-steps of its own. */
static void test_steps_may_change_their_length_at_will(void)
{
    /* in single precision a microsecond is too short to balance forces */
    static const double lengths[8] = {
        1e-3, 4e-3, 1e-4, 5e-3, 5e-3, sizeof(dc_real) == 8 ? 1e-6 : 3e-4, 1e-3, 8e-3};
    fixture f = hung_sheet(8, DC_LINEAR_CHOLESKY);
    int i;
    CHECK(fixture_open(&f) == DC_OK);
    for (i = 0; i < 40; i++) {
        CHECK(fixture_step(&f, lengths[i % 8]) == DC_OK);
        CHECK_AT_MOST(fixture_cloth(&f)->state.dt_prev, lengths[i % 8] * 1.0000001);
        CHECK(f.report.substeps == 1 || i == 0 || lengths[i % 8] > 1.9 * lengths[(i + 7) % 8]);
    }
    fixture_close(&f);
}

/* Without forces a still sheet stays still, bit for bit; without constraints to meet, no iteration. */
static void test_a_sheet_at_rest_stays_at_rest(void)
{
    int integrator;
    for (integrator = 0; integrator < DCI_INTEGRATOR_COUNT; integrator++) {
        fixture f = fixture_begin();
        dc_index i;
        double worst = 0;
        fixture_grid(&f, 5, 5);
        f.desc.gravity = dci_vec(0, 0, 0);
        f.cloth.integrator = (dc_integrator)integrator;
        CHECK(fixture_open(&f) == DC_OK);
        CHECK(fixture_run(&f, 0.1, 0.001) == DC_OK);
        for (i = 0; i < 36; i++)
            worst = fmax(worst, (double)dci_norm(
                                    dci_vec_sub(dc_body_positions(f.world, 0)[i], f.positions[i])));
        CHECK_AT_MOST(worst, TOL(1e-12, 1e-5));
        fixture_close(&f);
    }
}

/* ---- Projection onto nearby rest shapes ---- */

static void test_start_positions_are_moved_onto_the_constraints(void)
{
    fixture f = fixture_begin();
    dc_index v;
    dc_measures m;
    dc_vec3 *start;
    fixture_grid(&f, 8, 8);
    start = (dc_vec3 *)test_alloc(81 * sizeof(dc_vec3));
    for (v = 0; v < 81; v++)
        start[v] = dci_vec_axpy(f.positions[v], DCI_R(0.01),
                                dci_vec(dci_random(1, (uint32_t)v), dci_random(2, (uint32_t)v),
                                        dci_random(3, (uint32_t)v)));
    f.cloth.start_positions = start;
    CHECK(fixture_open(&f) == DC_OK);
    m = dc_cloth_measure(f.world, 0);
    CHECK_AT_MOST(m.constraint_error, 1e-4);
    CHECK(m.kinetic == 0);
    fixture_close(&f);
    f = fixture_begin();
    fixture_grid(&f, 8, 8);
    for (v = 0; v < 81; v++) start[v] = dci_vec_scale(DCI_R(0.001), f.positions[v]);
    start[40] = dci_vec(5, 5, 5);
    start[0] = start[80] = start[40];
    f.cloth.start_positions = start;
    f.cloth.solver.iteration_max = 3;
    CHECK(fixture_open(&f) == DC_NOT_CONVERGED && f.error.index >= 0 && f.error.body == 0);
    fixture_close(&f);
    free(start);
}

/* ---- Black nodes ---- */

static fixture isometric_sheet(dc_index cells)
{
    fixture f = hung_sheet(cells, DC_LINEAR_CHOLESKY);
    f.cloth.element = DC_ELEMENT_ISOMETRIC;
    return f;
}

/* How far black nodes are from where the red ones want them [m]. */
static double black_mismatch(const fixture *f)
{
    const dci_cloth *c = fixture_cloth(f);
    dc_index v, n = c->mesh.vertex_count;
    dc_vec3 *wanted = (dc_vec3 *)test_alloc((size_t)(n + c->mesh.edge_count) * sizeof(dc_vec3));
    double worst = 0;
    dc_sparse_multiply(&c->element.vertex, 3, dci_const_reals(c->state.x), dci_reals(wanted));
    for (v = 0; v < n; v++)
        worst = fmax(worst,
                     (double)dci_norm(dci_vec_sub(dc_body_positions(f->world, 0)[v], wanted[v])));
    free(wanted);
    return worst;
}

static void test_black_nodes_are_where_the_red_ones_want_them(void)
{
    int solver, i;
    for (solver = DC_LINEAR_CHOLESKY; solver <= DC_LINEAR_CG; solver++) {
        fixture f = isometric_sheet(6);
        f.cloth.solver.linear_solver = (dc_linear_solver)solver;
        CHECK(fixture_open(&f) == DC_OK);
        CHECK_AT_MOST(black_mismatch(&f), TOL(1e-15, 1e-6));
        for (i = 0; i < 60; i++) {
            CHECK(fixture_step(&f, 0.004) == DC_OK);
            CHECK_AT_MOST(black_mismatch(&f), TOL(1e-14, 1e-5));
            CHECK_AT_MOST(dc_cloth_measure(f.world, 0).constraint_error, 1.001e-4);
        }
        fixture_close(&f);
    }
}

static void test_both_linear_solvers_make_the_same_isometric_step(void)
{
    fixture f = isometric_sheet(6), g = isometric_sheet(6);
    double worst = 0;
    dc_index v;
    g.cloth.solver.linear_solver = DC_LINEAR_CG;
    CHECK(fixture_open(&f) == DC_OK && fixture_open(&g) == DC_OK);
    CHECK(fixture_run(&f, 0.05, 0.001) == DC_OK && fixture_run(&g, 0.05, 0.001) == DC_OK);
    for (v = 0; v < dc_body_mesh(f.world, 0)->vertex_count; v++)
        worst = fmax(worst, (double)dci_norm(dci_vec_sub(dc_body_positions(f.world, 0)[v],
                                                         dc_body_positions(g.world, 0)[v])));
    CHECK_AT_MOST(worst, TOL(1e-7, 5e-4));
    fixture_close(&f);
    fixture_close(&g);
}

/* Moved apart, red and black nodes come together again in the next step; without other forces their
   momentum stays what it was. */
static void test_black_nodes_come_back_and_keep_momentum(void)
{
    fixture f = isometric_sheet(5);
    const dc_mesh *mesh;
    dc_vec3 *push, *before;
    dc_measures start, end;
    double worst = 0;
    dc_index v;
    int i;
    f.cloth.pin_count = 0;
    f.desc.gravity = dci_vec(0, 0, 0);
    f.cloth.tolerance = TOL(DCI_R(1e-9), DCI_R(1e-5));
    f.cloth.solver.residual_tol = TOL(DCI_R(1e-6), DCI_R(0.1));
    CHECK(fixture_open(&f) == DC_OK);
    CHECK(fixture_run(&f, 0.01, 0.001) == DC_OK);
    mesh = dc_body_mesh(f.world, 0);
    push = (dc_vec3 *)test_alloc((size_t)mesh->vertex_count * sizeof(dc_vec3));
    before = (dc_vec3 *)test_alloc((size_t)mesh->vertex_count * sizeof(dc_vec3));
    for (v = 0; v < mesh->vertex_count; v++) {
        before[v] = dc_body_positions(f.world, 0)[v];
        push[v] = dci_vec_scale(DCI_R(1e-4),
                                dci_vec(dci_random(1, (uint32_t)v), dci_random(2, (uint32_t)v),
                                        1 + dci_random(3, (uint32_t)v)));
    }
    CHECK(dc_cloth_correct(f.world, 0, push, &f.error) == DC_OK);
    for (v = 0; v < mesh->vertex_count; v++)
        worst = fmax(worst, (double)dci_norm(dci_vec_sub(dc_body_positions(f.world, 0)[v],
                                                         dci_vec_add(before[v], push[v]))));
    CHECK(worst == 0); /* each takes its own, exactly */
    CHECK(black_mismatch(&f) > 1e-5);
    start = dc_cloth_measure(f.world, 0);
    for (i = 0; i < 50; i++) {
        CHECK(fixture_step(&f, 0.001) == DC_OK);
        CHECK_AT_MOST(black_mismatch(&f), TOL(1e-14, 1e-5));
        end = dc_cloth_measure(f.world, 0);
        CHECK_AT_MOST(dci_norm(dci_vec_sub(end.momentum, start.momentum)) / end.mass,
                      TOL(1e-7, 1e-3));
    }
    free(push), free(before);
    fixture_close(&f);
}

/* All particles of a flat sheet fall on their parabola. */
static void test_isometric_sheets_fall_freely(void)
{
    fixture f = fixture_begin();
    dc_vec3 velocity[36], *start;
    double worst = 0, t = 0.2;
    size_t bytes;
    dc_index v, count;
    fixture_grid(&f, 5, 5);
    f.cloth.element = DC_ELEMENT_ISOMETRIC;
    f.cloth.start_velocities = velocity;
    f.cloth.solver.residual_tol = TOL(DCI_R(1e-7), DCI_R(0.05));
    f.cloth.solver.cg_tol = TOL(DCI_R(1e-9), DCI_R(1e-4));
    for (v = 0; v < 36; v++) velocity[v] = dci_vec(1, 2, -1);
    CHECK(fixture_open(&f) == DC_OK);
    count = dc_body_mesh(f.world, 0)->vertex_count;
    CHECK_EQUAL(count, 36 + 85);
    bytes = (size_t)count * sizeof(dc_vec3);
    start = (dc_vec3 *)test_alloc(bytes);
    memcpy(start, dc_body_positions(f.world, 0), bytes);
    CHECK(fixture_run(&f, t, 0.01) == DC_OK);
    for (v = 0; v < count; v++) {
        dc_vec3 x = dci_vec_axpy(start[v], (dc_real)t, velocity[0]);
        x.y -= (dc_real)(9.81 * t * t / 2);
        worst = fmax(worst, (double)dci_norm(dci_vec_sub(x, dc_body_positions(f.world, 0)[v])));
    }
    CHECK_AT_MOST(worst, TOL(1e-10, 1e-4));
    free(start);
    fixture_close(&f);
}

/* ---- A step with every particle and every constraint as unknowns ---- */

typedef struct whole_step {
    dci_cloth *cloth; /* its step is begun                                                       */
    dense a;          /* (3 particles + rows + 3 black)^2                                        */
    double *b, *u;    /* (likewise) residual; displacements, lambda, multipliers of (3.3)        */
} whole_step;

/* Adds the energy's matrix, and minus its product with u to b, for the red nodes. */
static void whole_add_energy(whole_step *w)
{
    dci_cloth *c = w->cloth;
    const dci_energy *energy = &c->energy;
    const dc_sparse *r = &energy->rows;
    dc_index row, p, s;
    int x;
    for (row = 0; row < energy->elastic_count; row++) {
        double factor = (double)dci_energy_factor(energy, c->weight, c->scheme.rate / c->dt, row);
        for (p = r->start[row]; p < r->start[row + 1]; p++)
            for (s = r->start[row]; s < r->start[row + 1]; s++)
                for (x = 0; x < 3; x++) {
                    int i = 3 * r->column[p] + x, j = 3 * r->column[s] + x;
                    double value = factor * (double)(r->value[p] * r->value[s]);
                    *dense_at(&w->a, i, j) += value;
                    w->b[i] -= value * w->u[j];
                }
    }
}

/* Inertia of all particles and their forces at u = 0. */
static void whole_add_loads(whole_step *w)
{
    dci_cloth *c = w->cloth;
    dc_index n = c->element.node_count, all = c->element.particle_count, k;
    dc_vec3 *force = (dc_vec3 *)test_alloc((size_t)all * sizeof(dc_vec3)),
            *velocity = (dc_vec3 *)test_alloc((size_t)n * sizeof(dc_vec3));
    int x;
    for (k = 0; k < n; k++) velocity[k] = dci_step_velocity_at_zero(c, k);
    dci_energy_add_force(&c->energy, c->trial.x, c->clamps.known, NULL, force);
    dci_energy_add_damping(&c->energy, velocity, force);
    for (k = 0; k < all; k++) {
        dc_vec3 drift = dci_step_free_displacement(c, k);
        force[k] = dci_vec_axpy(force[k], c->mass[k], *c->gravity);
        for (x = 0; x < 3; x++) {
            int i = 3 * k + x;
            *dense_at(&w->a, i, i) += (double)c->mass[k];
            w->b[i] += (double)c->mass[k] * ((double)dci_reals(&drift)[x] - w->u[i]) +
                       (double)(c->weight * dci_reals(force + k)[x]);
        }
    }
    free(force), free(velocity);
}

/* Lengths and pins, with the whole curvature of the lengths. */
static void whole_add_rows(whole_step *w)
{
    dci_cloth *c = w->cloth;
    const dci_rows *rows = &c->rows;
    dc_index n = c->element.node_count, i, p, s, first = 3 * c->element.particle_count;
    dc_vec3 *at = (dc_vec3 *)test_alloc((size_t)n * sizeof(dc_vec3)),
            *direction = (dc_vec3 *)test_alloc((size_t)rows->count * sizeof(dc_vec3));
    dc_real *value = (dc_real *)test_alloc((size_t)rows->count * sizeof(dc_real)), wp, ws;
    dense j;
    int x, k;
    for (i = 0; i < n; i++)
        at[i] = dci_vec_add(c->trial.x[i], dci_vec((dc_real)w->u[3 * i], (dc_real)w->u[3 * i + 1],
                                                   (dc_real)w->u[3 * i + 2]));
    dci_rows_evaluate(rows, c->hold, 1, at, direction, value);
    j = jacobian_of(rows, direction);
    for (i = 0; i < rows->count; i++) {
        double lambda = w->u[first + i], mu = lambda / (double)dci_rows_rest(rows, i);
        w->b[first + i] -= (double)value[i];
        for (k = 0; k < 3 * n; k++) {
            *dense_at(&w->a, first + i, k) = *dense_at(&w->a, k, first + i) = *dense_at(&j, i, k);
            w->b[k] -= *dense_at(&j, i, k) * lambda;
        }
        if (i >= rows->length_count) continue;
        for (p = 0; p < dci_rows_term_count(rows, i); p++)
            for (s = 0; s < dci_rows_term_count(rows, i); s++) {
                dc_index from = dci_rows_term(rows, i, p, &wp), to = dci_rows_term(rows, i, s, &ws);
                for (x = 0; x < 3; x++)
                    *dense_at(&w->a, 3 * from + x, 3 * to + x) += mu * (double)(wp * ws);
            }
    }
    free(at), free(direction), free(value), free(j.a);
}

/* (3.3): A x_r - x_b = 0 for every black node. */
static void whole_add_black(whole_step *w)
{
    dci_cloth *c = w->cloth;
    const dc_sparse *a = &c->element.vertex;
    dc_index n = c->element.node_count, v, p, rows = 3 * c->element.particle_count + c->rows.count;
    int x;
    for (v = 0; v < c->element.black_count; v++)
        for (x = 0; x < 3; x++) {
            int row = rows + 3 * v + x;
            for (p = a->start[v]; p <= a->start[v + 1]; p++) {
                int is_black = p == a->start[v + 1];
                dc_index k = is_black ? n + v : a->column[p];
                double weight = is_black ? -1 : (double)a->value[p];
                int i = 3 * k + x;
                *dense_at(&w->a, row, i) = *dense_at(&w->a, i, row) = weight;
                w->b[row] -= weight * ((double)dci_reals(c->trial.x + k)[x] + w->u[i]);
                w->b[i] -= weight * w->u[row];
            }
        }
}

/* Newton's method on the whole, from u = 0. Returns the largest change in the last iteration. */
static double whole_solve(whole_step *w)
{
    dci_cloth *c = w->cloth;
    int size = 3 * c->element.particle_count + c->rows.count + 3 * c->element.black_count, i, k;
    double largest = 1;
    w->u = (double *)test_alloc((size_t)size * sizeof(double));
    for (k = 0; k < 40 && largest > 1e-14; k++) {
        w->a = dense_new(size, size);
        w->b = (double *)test_alloc((size_t)size * sizeof(double));
        whole_add_energy(w);
        whole_add_loads(w);
        whole_add_rows(w);
        whole_add_black(w);
        CHECK(dense_solve(&w->a, w->b));
        largest = 0;
        for (i = 0; i < size; i++) w->u[i] += w->b[i];
        for (i = 0; i < 3 * c->element.particle_count; i++) largest = fmax(largest, fabs(w->b[i]));
        free(w->a.a), free(w->b);
    }
    return largest;
}

/* The step is that of the system of all particles, lengths, and for the isometric element black nodes
   with (3.3) and its multipliers, solved as a whole; also where collisions have left particles
   somewhere else. */
static void step_as_a_whole(dc_element element, double bending)
{
    fixture f = hung_sheet(2, DC_LINEAR_CHOLESKY);
    dci_cloth *c;
    dci_cloths group;
    dci_member *member;
    dci_group alone;
    whole_step w;
    double worst = 0, farthest = 0;
    dc_index k;
    f.cloth.element = element;
    f.cloth.bending = (dc_real)bending;
    f.cloth.bending_damping = DCI_R(0.01);
    f.cloth.tolerance = TOL(DCI_R(1e-12), DCI_R(1e-5));
    f.cloth.solver.residual_tol = TOL(DCI_R(1e-8), DCI_R(0.05));
    f.cloth.solver.cg_tol = TOL(DCI_R(1e-8), DCI_R(1e-4));
    CHECK(fixture_open(&f) == DC_OK);
    CHECK(fixture_run(&f, 0.02, 0.002) == DC_OK);
    c = fixture_cloth(&f);
    for (k = 0; k < c->element.particle_count; k++) {
        dc_vec3 d = dci_vec(dci_random(1, (uint32_t)k), dci_random(2, (uint32_t)k),
                            dci_random(3, (uint32_t)k));
        int is_black = k >= c->element.node_count;
        c->state.x[k] = dci_vec_axpy(c->state.x[k], is_black ? DCI_R(2e-3) : DCI_R(1e-4), d);
        c->state.v[k] = dci_vec_axpy(c->state.v[k], DCI_R(0.1), d);
    }
    dci_fields_copy(&c->trial, &c->state, dci_state_fields, c->count);
    member = f.world->member;
    memset(&alone, 0, sizeof alone);
    alone.member = &member;
    alone.count = 1;
    dci_cloths_gather(&group, &alone, 0, f.world);
    dci_step_begin(c, DCI_R(0.002), 1);
    w.cloth = c;
    CHECK_AT_MOST(whole_solve(&w), TOL(1e-13, 1e-6));
    c->is_repeated = 1; /* to this bound, whatever pins ask for */
    c->residual_bound = c->desc.solver.residual_tol;
    CHECK(dci_couple_step(&group) == DC_OK);
    dci_step_accept(c);
    for (k = 0; k < c->element.particle_count; k++) {
        dc_vec3 way = dci_vec_sub(c->trial.x[k], c->state.x[k]);
        dc_vec3 u = dci_vec((dc_real)w.u[3 * k], (dc_real)w.u[3 * k + 1], (dc_real)w.u[3 * k + 2]);
        worst = fmax(worst, (double)dci_norm(dci_vec_sub(way, u)));
        farthest = fmax(farthest, (double)dci_norm(way));
    }
    CHECK(farthest > 1e-4);
    CHECK_AT_MOST(worst, TOL(1e-10, 5e-6));
    free(w.u);
    fixture_close(&f);
}

static void test_the_step_is_that_of_the_whole_system(void)
{
    int element;
    for (element = 0; element < 2; element++) {
        step_as_a_whole(cloth_elements[element], 1e-5);
        step_as_a_whole(cloth_elements[element], 1e-3);
        step_as_a_whole(cloth_elements[element], 0.1);
    }
}

/* ---- Jerks ---- */

/* Pins that go a long way in one step push the sheet that they hold into folds, one that has just
   begun or one that swings: no reason to refuse the step. Pins along one border go together by a
   hundredth of its length, and apart again. */
static void jerk_sheet(dc_element element, double time_before)
{
    enum { CELLS = 16, STRIDE = 4, PINS = CELLS / STRIDE + 1 };
    const double dt = 0.004, closer = 0.01;
    dc_index pins[PINS], i;
    fixture f = fixture_begin();
    dc_measures m;
    int k;
    fixture_grid(&f, CELLS, CELLS);
    for (i = 0; i < PINS; i++) pins[i] = i * STRIDE * (CELLS + 1);
    f.cloth.pin_vertices = pins;
    f.cloth.pin_count = PINS;
    f.cloth.element = element;
    f.cloth.solver.halvings_max = 1;
    CHECK(fixture_open(&f) == DC_OK);
    CHECK(fixture_run(&f, time_before, dt) == DC_OK);
    for (k = 0; k < 6; k++) {
        for (i = 0; i < PINS; i++) {
            dc_vec3 to = f.positions[pins[i]];
            if (k % 2 == 0) to.y *= (dc_real)(1 - closer);
            CHECK(dc_cloth_set_pin(f.world, 0, i, to, NULL) == DC_OK);
        }
        CHECK(fixture_step(&f, dt) == DC_OK);
        CHECK_AT_MOST(f.report.constraint_error, f.cloth.tolerance);
        m = dc_cloth_measure(f.world, 0);
        CHECK_AT_MOST(m.kinetic,
                      m.mass * closer * closer / (dt * dt) / 2); /* as if all of it went */
    }
    fixture_close(&f);
}

static void test_jerked_pins_take_their_sheet_along(void)
{
    int element;
    for (element = 0; element < 2; element++) {
        jerk_sheet(cloth_elements[element], 0);
        jerk_sheet(cloth_elements[element], 0.1);
    }
}

/* What moves all pins of a sheet alike: nothing, a shift, or a turn. */
typedef enum rigid_motion { STAYS, SHIFTS, TURNS } rigid_motion;

static dc_vec3 moved(dc_vec3 x, rigid_motion motion, double way)
{
    dc_real c = (dc_real)cos(way), s = (dc_real)sin(way);
    if (motion == SHIFTS) return dci_vec(x.x + (dc_real)way, x.y, x.z);
    if (motion == TURNS) return dci_vec(c * x.x + s * x.y, c * x.y - s * x.x, x.z);
    return x;
}

/* Pins of the first rows of a sheet, led from rest at .3 m/s or .3 rad/s. */
static void lead_patch(dc_element element, dc_linear_solver solver, int cells, int rows,
                       int is_flat, rigid_motion motion, int steps)
{
    dc_index pins[49], v;
    int i;
    fixture f = fixture_begin();
    fixture_grid(&f, cells, cells);
    for (v = 0; is_flat && v < f.cloth.mesh.vertex_count; v++)
        f.positions[v] = dci_vec(f.positions[v].x, 0, -f.positions[v].y);
    f.cloth.element = element;
    f.cloth.solver.linear_solver = solver;
    f.cloth.pin_vertices = pins;
    f.cloth.pin_count = rows * (cells + 1);
    for (v = 0; v < f.cloth.pin_count; v++) pins[v] = v;
    CHECK(fixture_open(&f) == DC_OK);
    for (i = 1; i <= steps; i++) {
        for (v = 0; v < f.cloth.pin_count; v++)
            CHECK(dc_cloth_set_pin(f.world, 0, v, moved(f.positions[v], motion, 0.3 * i / 240),
                                   &f.error) == DC_OK);
        CHECK(fixture_step(&f, 1. / 240) == DC_OK);
        CHECK_AT_MOST(f.report.constraint_error, f.cloth.tolerance);
    }
    for (v = 0; v < f.cloth.pin_count; v++)
        CHECK_NEAR(dci_norm(dci_vec_sub(dc_body_positions(f.world, 0)[v],
                                        moved(f.positions[v], motion, 0.3 * steps / 240))),
                   0, f.cloth.tolerance / cells);
    fixture_close(&f);
}

/* Two rows of pins and more hold the lengths between them, too: rows follow from others. */
static void lead_patches(dc_linear_solver solver, int cells, int rows, int steps)
{
    int element, is_flat, motion;
    for (element = 0; element < 2; element++)
        for (is_flat = 0; is_flat < 2; is_flat++)
            for (motion = STAYS; motion <= TURNS; motion++)
                lead_patch(cloth_elements[element], solver, cells, rows, is_flat,
                           (rigid_motion)motion, steps);
}

static void test_patches_of_pins_hold_and_move(void)
{
    lead_patches(DC_LINEAR_CHOLESKY, 9, 4, 15);
    lead_patches(DC_LINEAR_CHOLESKY, 6, 7, 15);
    lead_patch(DC_ELEMENT_NONCONFORMING, DC_LINEAR_CG, 6, 2, 0, STAYS, 4);
}

/* Conjugate gradients take long where rows follow from others. */
static void test_patches_of_pins_move_by_conjugate_gradients(void)
{
    lead_patches(DC_LINEAR_CG, 6, 2, 30);
}

/* A flat sheet that is clamped all around cannot sag, and what holds it is out of all proportion. */
static void test_clamps_all_around_hold_a_sheet(void)
{
    enum { CELLS = 7 };
    int element, i;
    for (element = 0; element < 2; element++) {
        fixture f = fixture_begin();
        dc_clamp_desc clamps[4 * CELLS];
        dc_index v, k, across = CELLS * (CELLS + 1);
        fixture_grid(&f, CELLS, CELLS);
        for (v = 0; v < f.cloth.mesh.vertex_count; v++)
            f.positions[v] = dci_vec(f.positions[v].x / 2, 0, -f.positions[v].y / 2);
        for (k = 0; k < CELLS; k++) {
            dc_index up = k * (CELLS + 1), next = up + CELLS + 1;
            clamps[4 * k].vertex0 = k, clamps[4 * k].vertex1 = k + 1;
            clamps[4 * k + 1].vertex0 = across + k, clamps[4 * k + 1].vertex1 = across + k + 1;
            clamps[4 * k + 2].vertex0 = up, clamps[4 * k + 2].vertex1 = next;
            clamps[4 * k + 3].vertex0 = up + CELLS, clamps[4 * k + 3].vertex1 = next + CELLS;
        }
        f.cloth.element = cloth_elements[element];
        f.cloth.clamps = clamps;
        f.cloth.clamp_count = 4 * CELLS;
        CHECK(fixture_open(&f) == DC_OK);
        for (i = 0; i < 60; i++) {
            CHECK(fixture_step(&f, 0.002) == DC_OK);
            CHECK_AT_MOST(f.report.constraint_error, f.cloth.tolerance);
        }
        for (v = 0; v < f.cloth.mesh.vertex_count; v++) /* an error of 1e-4 allows a slope of .01 */
            CHECK_AT_MOST(fabs((double)dc_body_positions(f.world, 0)[v].y), 0.01 * 0.25);
        fixture_close(&f);
    }
}

/* Around a tube whose end is held, length constraints are nearly dependent, but not quite: taken for
   dependent, they cost 50 to 100 iterations in each step. */
static void test_a_fine_cuff_is_held_in_a_few_iterations(void)
{
    enum { COLUMNS = 200 };
    shape_desc cuff = shape_defaults(SHAPE_CYLINDER);
    dc_index pins[COLUMNS], k;
    fixture f = fixture_begin();
    cuff.columns = COLUMNS;
    cuff.rows = 4;
    fixture_shape(&f, &cuff);
    for (k = 0; k < COLUMNS; k++) pins[k] = k;
    f.cloth.pin_vertices = pins;
    f.cloth.pin_count = COLUMNS;
    CHECK(fixture_open(&f) == DC_OK);
    for (k = 0; k < 10; k++) {
        CHECK(fixture_step(&f, 0.005) == DC_OK);
        CHECK_AT_MOST(f.report.counters.newton_iterations, TOL(12, 16));
    }
    fixture_close(&f);
}

/* A sheet in a vertical plane, pinned at two opposite sides, all around, or at a side and across the
   middle. It can hardly move, but in the null space of S rounding must not grow. */
static int is_pinned(int kind, dc_index column, dc_index row, dc_index cells)
{
    int is_at_side = column == 0 || column == cells;
    if (kind == 0) return row == 0 || row == cells;
    return kind == 1 ? row == 0 || row == cells || is_at_side : row == 0 || row == cells / 2;
}

static dc_index newton_iterations_of(fixture *f, int steps)
{
    dc_index sum = 0;
    int i;
    for (i = 0; i < steps; i++) {
        CHECK(fixture_step(f, 0.005) == DC_OK);
        CHECK_AT_MOST(f->report.constraint_error, f->cloth.tolerance);
        sum += f->report.counters.newton_iterations;
    }
    return sum;
}

static void test_sheets_between_pins_need_few_iterations(void)
{
    enum { CELLS = 32, STEPS = 20 };
    int kind;
    for (kind = 0; kind < 3; kind++) {
        dc_index pins[4 * CELLS], v;
        fixture f = fixture_begin();
        fixture_grid(&f, CELLS, CELLS);
        f.cloth.pin_vertices = pins;
        for (v = 0; v < f.cloth.mesh.vertex_count; v++)
            if (is_pinned(kind, v % (CELLS + 1), v / (CELLS + 1), CELLS))
                pins[f.cloth.pin_count++] = v;
        CHECK(fixture_open(&f) == DC_OK);
        CHECK_AT_MOST(newton_iterations_of(&f, STEPS), 2 * STEPS);
        fixture_close(&f);
    }
}

/* The same with conjugate gradients on S, which need not be accurate: if they left 1e-9, they would
   take 340,988 iterations. */
static void test_a_sheet_between_pins_steps_by_conjugate_gradients(void)
{
    enum { CELLS = 8, STEPS = 20 };
    dc_index pins[2 * (CELLS + 1)], v, sum = 0;
    fixture f = fixture_begin();
    int i;
    fixture_grid(&f, CELLS, CELLS);
    f.cloth.solver.linear_solver = DC_LINEAR_CG;
    f.cloth.pin_vertices = pins;
    for (v = 0; v < f.cloth.mesh.vertex_count; v++)
        if (is_pinned(0, v % (CELLS + 1), v / (CELLS + 1), CELLS)) pins[f.cloth.pin_count++] = v;
    CHECK(fixture_open(&f) == DC_OK);
    for (i = 0; i < STEPS; i++) {
        CHECK(fixture_step(&f, 0.005) == DC_OK);
        sum += f.report.counters.cg_iterations;
    }
    CHECK_AT_MOST(sum, 250000);
    fixture_close(&f);
}

/* A level sheet between two rows of pins: what holds it flat is out of all proportion, and S nearly
   singular. Where its factor is not accurate enough, the next sub-step regularises it. */
static void test_a_level_sheet_between_pins_steps_on(void)
{
    enum { CELLS = 20, STEPS = 20 };
    dc_index pins[2 * (CELLS + 1)], v;
    fixture f = fixture_begin();
    fixture_grid(&f, CELLS, CELLS);
    f.desc.gravity = dci_vec(0, 0, DCI_R(-9.81));
    f.cloth.pin_vertices = pins;
    for (v = 0; v < f.cloth.mesh.vertex_count; v++)
        if (is_pinned(0, v % (CELLS + 1), v / (CELLS + 1), CELLS)) pins[f.cloth.pin_count++] = v;
    CHECK(fixture_open(&f) == DC_OK);
    CHECK_AT_MOST(newton_iterations_of(&f, STEPS), 50 * STEPS);
    fixture_close(&f);
}

/* ---- Ghost mesh ---- */

static void test_nodes_follow_their_vertices_by_the_smallest_change(void)
{
    int cells;
    dc_index iterations[2] = {0, 0};
    for (cells = 8; cells <= 24; cells += 16) {
        dc_mesh_desc desc = square_of_kind(3, cells);
        planned p = plan_mesh(&desc, DC_ELEMENT_NONCONFORMING);
        const dc_sparse *a = &p.plan->element.vertex;
        dc_index v, k, vertices = a->row_count, nodes = a->column_count;
        dc_vec3 *change = (dc_vec3 *)test_alloc((size_t)vertices * sizeof(dc_vec3)),
                *mu = (dc_vec3 *)test_alloc((size_t)vertices * sizeof(dc_vec3));
        dc_vec3 *node = (dc_vec3 *)test_alloc((size_t)nodes * sizeof(dc_vec3)),
                *again = (dc_vec3 *)test_alloc((size_t)vertices * sizeof(dc_vec3));
        dc_vec3 *work = (dc_vec3 *)test_alloc(4 * (size_t)vertices * sizeof(dc_vec3));
        dc_cg_result result;
        double worst = 0, smallest = 0, other = 0;
        for (v = 0; v < vertices; v++)
            change[v] = dci_vec(dci_random(1, (uint32_t)v), dci_random(2, (uint32_t)v),
                                dci_random(3, (uint32_t)v));
        CHECK(dci_ghost_move_nodes(a, change, mu, work, node, &result) == DC_OK);
        dc_sparse_multiply(a, 3, dci_const_reals(node), dci_reals(again));
        for (v = 0; v < vertices; v++)
            worst = fmax(worst, (double)dci_norm(dci_vec_sub(again[v], change[v])));
        CHECK_AT_MOST(worst, TOL(1e-10, 1e-4));
        { /* changes too small to be squared are followed as well */
            const dc_real tiny = DCI_R(1.0) / (DCI_R(1073741824.0) * DCI_R(1073741824.0));
            dc_vec3 *small = (dc_vec3 *)test_alloc((size_t)nodes * sizeof(dc_vec3));
            for (v = 0; v < vertices; v++) again[v] = dci_vec_scale(tiny, change[v]);
            CHECK(dci_ghost_move_nodes(a, again, mu, work, small, &result) == DC_OK);
            worst = 0;
            for (k = 0; k < nodes; k++)
                worst =
                    fmax(worst,
                         (double)dci_norm(dci_vec_sub(dci_vec_scale(1 / tiny, small[k]), node[k])));
            CHECK_AT_MOST(worst, TOL(1e-10, 1e-4));
            free(small);
        }
        /* smallest: adding any change that the means do not see makes it longer */
        for (k = 0; k < nodes; k++) smallest += (double)dci_dot(node[k], node[k]);
        for (k = 0; k < nodes; k++)
            node[k] = dci_vec_add(node[k], dci_vec(dci_random(4, (uint32_t)k), 0, 0));
        dc_sparse_multiply(a, 3, dci_const_reals(node), dci_reals(again));
        for (v = 0; v < vertices; v++) again[v] = dci_vec_sub(change[v], again[v]);
        {
            dc_vec3 *back = (dc_vec3 *)test_alloc((size_t)nodes * sizeof(dc_vec3));
            CHECK(dci_ghost_move_nodes(a, again, mu, work, back, &result) == DC_OK);
            for (k = 0; k < nodes; k++) {
                dc_vec3 sum = dci_vec_add(node[k], back[k]);
                other += (double)dci_dot(sum, sum);
            }
            free(back);
        }
        CHECK(other >= smallest * 0.999);
        iterations[cells > 8] = result.iterations;
        free(change), free(mu), free(node), free(again), free(work);
        fixture_close(&p.f);
    }
    CHECK(iterations[1] <= iterations[0] + 12 &&
          iterations[1] <= 60); /* does not grow with the mesh */
}

/* The velocity that a correction changes is that of the next step; the one that is told is the whole
   displacement in the last sub-step. */
static void test_corrections_move_vertices_and_velocities(void)
{
    fixture f = hung_sheet(6, DC_LINEAR_CHOLESKY);
    const dci_cloth *c;
    dc_vec3 start[49], before[49], speed[49], push[49];
    double worst = 0, worst_speed = 0, worst_told = 0;
    dc_index v;
    CHECK(fixture_open(&f) == DC_OK);
    CHECK(fixture_run(&f, 0.018, 0.002) == DC_OK);
    for (v = 0; v < 49; v++) start[v] = dc_body_positions(f.world, 0)[v];
    CHECK(fixture_step(&f, 0.002) == DC_OK);
    CHECK_EQUAL(f.report.substeps, 1);
    c = fixture_cloth(&f);
    for (v = 0; v < 49; v++) {
        before[v] = dc_body_positions(f.world, 0)[v];
        speed[v] = dci_cloth_vertex(c, c->state.v, v);
        push[v] = dci_vec(0, v == 10 ? DCI_R(0.001) : 0, 0);
    }
    CHECK(dc_cloth_correct(f.world, 0, push, &f.error) == DC_OK);
    for (v = 0; v < 49; v++) {
        dc_vec3 now = dc_body_positions(f.world, 0)[v];
        dc_vec3 faster = dci_vec_sub(dci_cloth_vertex(c, c->state.v, v), speed[v]);
        dc_vec3 told = dci_vec_scale(1 / DCI_R(0.002), dci_vec_sub(now, start[v]));
        told = dci_vec_sub(told, dc_body_velocities(f.world, 0)[v]);
        faster = dci_vec_axpy(faster, -1 / DCI_R(0.002), push[v]);
        now = dci_vec_sub(dci_vec_sub(now, before[v]), push[v]);
        worst = fmax(worst, (double)dci_norm(now));
        worst_speed = fmax(worst_speed, (double)dci_norm(faster));
        worst_told = fmax(worst_told, (double)dci_norm(told));
    }
    CHECK_AT_MOST(worst, TOL(1e-12, 1e-6));
    CHECK_AT_MOST(worst_speed, TOL(1e-9, 1e-3));
    CHECK_AT_MOST(worst_told, TOL(1e-9, 1e-3));
    CHECK(fixture_step(&f, 0.002) == DC_OK);
    fixture_close(&f);
}

/* The largest distance of a node from where linear displacements take it: by their value there. */
static double correction_error(fixture *f, const dc_vec3 rows[3], dc_vec3 shift)
{
    dc_index count = f->cloth.mesh.vertex_count, edges, e, v;
    dc_vec3 *by = (dc_vec3 *)test_alloc((size_t)count * sizeof(dc_vec3)), *node;
    double worst = 0;
    CHECK(fixture_open(f) == DC_OK);
    edges = dc_cloth_mesh(f->world, 0)->edge_count;
    node = (dc_vec3 *)test_alloc((size_t)edges * sizeof(dc_vec3));
    memcpy(node, dc_cloth_midpoints(f->world, 0), (size_t)edges * sizeof(dc_vec3));
    for (v = 0; v < count; v++) {
        dc_vec3 x = f->positions[v];
        by[v] = dci_vec(dci_dot(rows[0], x), dci_dot(rows[1], x), dci_dot(rows[2], x));
        by[v] = dci_vec_add(by[v], shift);
    }
    CHECK(dc_cloth_correct(f->world, 0, by, &f->error) == DC_OK);
    for (e = 0; e < edges; e++) {
        dc_vec3 x = node[e];
        dc_vec3 to = dci_vec(dci_dot(rows[0], x), dci_dot(rows[1], x), dci_dot(rows[2], x));
        to =
            dci_vec_sub(dci_vec_sub(dc_cloth_midpoints(f->world, 0)[e], x), dci_vec_add(to, shift));
        worst = fmax(worst, (double)dci_norm(to));
    }
    free(by), free(node);
    return worst;
}

/* Also of a sheet that is not flat, translations; of a flat one what is linear. */
static void test_corrections_reproduce_translations_and_linear_fields(void)
{
    const dc_vec3 none[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    const dc_vec3 linear[3] = {{DCI_R(.1), DCI_R(-.2), 0}, {DCI_R(.2), DCI_R(.05), 0}, {1, -1, 0}};
    fixture f = hung_sheet(6, DC_LINEAR_CHOLESKY);
    CHECK_AT_MOST(correction_error(&f, none, dci_vec(1, DCI_R(.1), -2)), TOL(1e-14, 1e-6));
    CHECK_AT_MOST(dc_cloth_measure(f.world, 0).constraint_error, f.cloth.tolerance);
    fixture_close(&f);
    f = fixture_begin();
    fixture_grid(&f, 5, 4);
    CHECK_AT_MOST(correction_error(&f, linear, dci_vec(0, 0, 1)), TOL(1e-13, 1e-6));
    fixture_close(&f);
}

/* A floor by dc_cloth_correct() alone: a sheet falls onto it, lies still, and is told to do so; a
   step later, when nothing lifts it, its velocity is that of its fall. */
static void test_a_sheet_on_the_callers_own_floor_comes_to_rest(void)
{
    int element, method, i;
    dc_index v;
    for (element = 0; element < 2; element++)
        for (method = 0; method < DCI_INTEGRATOR_COUNT; method++) {
            fixture f = fixture_begin();
            double speed = 0, height = 0;
            dc_vec3 by[49];
            fixture_grid(&f, 3, 3);
            for (v = 0; v < 16; v++)
                f.positions[v] = dci_vec(f.positions[v].x, DCI_R(.02), -f.positions[v].y);
            f.cloth.element = cloth_elements[element];
            f.cloth.integrator = (dc_integrator)method;
            CHECK(fixture_open(&f) == DC_OK);
            for (i = 0; i < 40; i++) {
                dc_index count = dc_body_mesh(f.world, 0)->vertex_count;
                const dc_vec3 *x = dc_body_positions(f.world, 0);
                CHECK(fixture_step(&f, 0.01) == DC_OK);
                for (v = 0; v < count; v++) by[v] = dci_vec(0, dci_max(0, -x[v].y), 0);
                CHECK(dc_cloth_correct(f.world, 0, by, &f.error) == DC_OK);
            }
            for (v = 0; v < 16; v++) {
                speed = fmax(speed, (double)dci_norm(dc_body_velocities(f.world, 0)[v]));
                height = fmax(height, fabs((double)dc_body_positions(f.world, 0)[v].y));
            }
            CHECK_AT_MOST(speed, 1e-3); /* g dt is .1 */
            CHECK_AT_MOST(height, TOL(1e-9, 1e-5));
            CHECK(fixture_step(&f, 0.01) == DC_OK && fixture_step(&f, 0.01) == DC_OK);
            speed = (double)dc_body_velocities(f.world, 0)[0].y;
            CHECK_NEAR(speed, -9.81 * (method == DC_INTEGRATOR_BDF2 ? 0.025 : 0.02), 1e-3);
            fixture_close(&f);
        }
}

/* Newton's iterations of ten steps that may not be cut. */
static dc_status swing(fixture *f, dc_index newton_max, dc_index *most)
{
    dc_status status;
    uint64_t hash;
    int i;
    *f = hung_sheet(6, DC_LINEAR_CHOLESKY);
    f->cloth.integrator = DC_INTEGRATOR_BACKWARD_EULER;
    f->cloth.solver.halvings_max = 0;
    if (newton_max >= 0) f->cloth.solver.iteration_max = newton_max;
    status = fixture_open(f);
    for (i = 0, *most = 0; i < 10 && status == DC_OK; i++) {
        hash = dc_world_hash(f->world);
        status = fixture_step(f, 0.01);
        if (f->report.counters.newton_iterations > *most)
            *most = f->report.counters.newton_iterations;
        CHECK(status == DC_OK || dc_world_hash(f->world) == hash);
    }
    return status;
}

/* As many as were used are enough, with the same bits; one less is an error. */
static void test_one_newton_iteration_too_few_is_told(void)
{
    fixture f, g, h;
    dc_index most, used;
    CHECK(swing(&f, DC_NONE, &most) == DC_OK && most > 1);
    CHECK(swing(&g, most, &used) == DC_OK && used == most);
    CHECK(dc_world_hash(f.world) == dc_world_hash(g.world));
    CHECK(swing(&h, most - 1, &used) == DC_NOT_CONVERGED);
    CHECK(used == most - 1 && h.error.body == 0 && h.error.value > 0);
    fixture_close(&f);
    fixture_close(&g);
    fixture_close(&h);
}

/* The first number of halvings with which a step goes: with all fewer it fails and nothing is
   changed, with one more it goes the same way. */
static void test_one_halving_too_few_is_told(void)
{
    uint64_t hash = 0;
    dc_index halvings, first = DC_NONE;
    for (halvings = 0; halvings <= 10 && (first == DC_NONE || halvings <= first + 1); halvings++) {
        fixture f = hung_sheet(6, DC_LINEAR_CHOLESKY);
        dc_vec3 reaction = {DCI_R(0.2), DCI_R(0.2), DCI_R(0.3)};
        uint64_t before;
        dc_status status;
        f.cloth.integrator = DC_INTEGRATOR_BACKWARD_EULER;
        f.cloth.solver.iteration_max = 6;
        f.cloth.solver.halvings_max = halvings;
        CHECK(fixture_open(&f) == DC_OK);
        CHECK(dc_cloth_set_pin(f.world, 0, 1, reaction, &f.error) == DC_OK); /* across the sheet */
        before = dc_world_hash(f.world);
        status = fixture_step(&f, 0.05);
        CHECK(status == DC_OK || (status == DC_NOT_CONVERGED && dc_world_hash(f.world) == before));
        if (first == DC_NONE && status == DC_OK) {
            first = halvings;
            hash = dc_world_hash(f.world);
            CHECK(f.report.substeps > 1);
        } else if (first != DC_NONE) {
            CHECK(status == DC_OK);
        }
        fixture_close(&f);
    }
    CHECK(first > 0 && hash != 0);
}

static const test_case tests_steps[] = {
    {"both linear solvers make the same step", test_both_linear_solvers_make_the_same_step},
    {"every accepted step keeps its lengths", test_every_accepted_step_keeps_its_lengths},
    {"a failed step leaves the state and names the worst row",
     test_a_failed_step_leaves_the_state_and_names_the_worst_row},
    {"gravity may be set after planning", test_gravity_may_be_set_after_planning},
    {"nonsense is refused and changes nothing", test_nonsense_is_refused_and_changes_nothing},
    {"a step that is too large is cut", test_a_step_that_is_too_large_is_cut},
    {"steps may change their length at will", test_steps_may_change_their_length_at_will},
    {"a sheet at rest stays at rest", test_a_sheet_at_rest_stays_at_rest},
    {"start positions are moved onto the constraints",
     test_start_positions_are_moved_onto_the_constraints},
    {"black nodes are where the red ones want them",
     test_black_nodes_are_where_the_red_ones_want_them},
    {"both linear solvers make the same isometric step",
     test_both_linear_solvers_make_the_same_isometric_step},
    {"black nodes come back and keep momentum", test_black_nodes_come_back_and_keep_momentum},
    {"isometric sheets fall freely", test_isometric_sheets_fall_freely},
    {"the step is that of the whole system", test_the_step_is_that_of_the_whole_system},
    {"jerked pins take their sheet along", test_jerked_pins_take_their_sheet_along},
    {"patches of pins hold and move", test_patches_of_pins_hold_and_move},
    {"patches of pins move by conjugate gradients",
     test_patches_of_pins_move_by_conjugate_gradients},
    {"clamps all around hold a sheet", test_clamps_all_around_hold_a_sheet},
    {"a fine cuff is held in a few iterations", test_a_fine_cuff_is_held_in_a_few_iterations},
    {"sheets between pins need few iterations", test_sheets_between_pins_need_few_iterations},
    {"a sheet between pins steps by conjugate gradients",
     test_a_sheet_between_pins_steps_by_conjugate_gradients},
    {"a level sheet between pins steps on", test_a_level_sheet_between_pins_steps_on},
    {"nodes follow their vertices by the smallest change",
     test_nodes_follow_their_vertices_by_the_smallest_change},
    {"corrections move vertices and velocities", test_corrections_move_vertices_and_velocities},
    {"corrections reproduce translations and linear fields",
     test_corrections_reproduce_translations_and_linear_fields},
    {"a sheet on the caller's own floor comes to rest",
     test_a_sheet_on_the_callers_own_floor_comes_to_rest},
    {"one Newton iteration too few is told", test_one_newton_iteration_too_few_is_told},
    {"one halving too few is told", test_one_halving_too_few_is_told},
};
