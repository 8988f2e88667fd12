/* Chapters 21 to 25: one step, both ways; failures; the ghost mesh. */

/* A sheet hung by two corners on a shallow arc, after a moment of falling. */
static fixture hung_sheet(dc_index cells, dc_projection projection, dc_linear_solver solver)
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
    f.cloth.projection = projection;
    f.cloth.linear_solver = solver;
    return f;
}

static void test_both_projections_agree_for_small_steps(void)
{
    fixture f = hung_sheet(8, DC_PROJECTION_MASS, DC_LINEAR_CHOLESKY),
            g = hung_sheet(8, DC_PROJECTION_COUPLED, DC_LINEAR_CHOLESKY);
    double worst = 0;
    dc_index v;
    f.cloth.tolerance = g.cloth.tolerance = TOL(DCI_R(1e-9), DCI_R(1e-5));
    g.cloth.residual_tol = TOL(DCI_R(1e-6), DCI_R(0.1));
    g.cloth.cg_tol = DCI_R(1e-4);
    CHECK(fixture_open(&f) == DC_OK && fixture_open(&g) == DC_OK);
    CHECK(fixture_run(&f, 0.1, 0.0005) == DC_OK);
    CHECK(fixture_run(&g, 0.1, 0.0005) == DC_OK);
    for (v = 0; v < 81; v++)
        worst = fmax(worst, (double)dci_norm(dci_vec_sub(dc_cloth_positions(f.world, 0)[v],
                                                         dc_cloth_positions(g.world, 0)[v])));
    /* the splitting of bending and lengths is what differs: far below the way of 5 cm that it fell */
    CHECK_AT_MOST(worst, TOL(1e-4, 2e-3));
    fixture_close(&f);
    fixture_close(&g);
}

static void test_both_linear_solvers_make_the_same_step(void)
{
    int projection;
    for (projection = DC_PROJECTION_MASS; projection <= DC_PROJECTION_COUPLED; projection++) {
        fixture f = hung_sheet(6, (dc_projection)projection, DC_LINEAR_CHOLESKY),
                g = hung_sheet(6, (dc_projection)projection, DC_LINEAR_CG);
        double worst = 0;
        dc_index v;
        CHECK(fixture_open(&f) == DC_OK && fixture_open(&g) == DC_OK);
        CHECK(fixture_run(&f, 0.05, 0.001) == DC_OK && fixture_run(&g, 0.05, 0.001) == DC_OK);
        for (v = 0; v < 49; v++)
            worst = fmax(worst, (double)dci_norm(dci_vec_sub(dc_cloth_positions(f.world, 0)[v],
                                                             dc_cloth_positions(g.world, 0)[v])));
        CHECK_AT_MOST(worst, TOL(1e-7, 5e-4));
        fixture_close(&f);
        fixture_close(&g);
    }
}

/* In every accepted step of every configuration all lengths hold, measured anew. */
static void test_every_accepted_step_keeps_its_lengths(void)
{
    int element, projection, integrator, form;
    for (element = DC_ELEMENT_NONCONFORMING; element <= DC_ELEMENT_CONFORMING; element++)
        for (projection = DC_PROJECTION_AUTO; projection <= DC_PROJECTION_COUPLED; projection++)
            for (integrator = 0; integrator < DCI_INTEGRATOR_COUNT; integrator++)
                for (form = 0; form < 2; form++) {
                    fixture f = hung_sheet(6, (dc_projection)projection, DC_LINEAR_CHOLESKY);
                    int i;
                    f.cloth.element = (dc_element)element;
                    f.cloth.integrator = (dc_integrator)integrator;
                    f.cloth.bending_form = (dc_bending)form;
                    CHECK(fixture_open(&f) == DC_OK);
                    for (i = 0; i < 60; i++) {
                        dc_measures m;
                        CHECK(fixture_step(&f, 0.001) == DC_OK);
                        m = dc_cloth_measure(f.world, 0);
                        CHECK_AT_MOST(m.constraint_error, 1.001e-4);
                        CHECK_AT_MOST(f.report.constraint_error, 1.001e-4);
                        CHECK(dci_first_not_finite(dc_cloth_positions(f.world, 0), 49) == DC_NONE);
                        CHECK(f.report.substeps >= 1);
                    }
                    fixture_close(&f);
                }
}

/* A pin is pulled further than the cloth reaches: refused, named, and nothing has happened. */
static void test_a_failed_step_leaves_the_state_and_names_the_worst_row(void)
{
    int projection;
    for (projection = DC_PROJECTION_AUTO; projection <= DC_PROJECTION_COUPLED; projection++) {
        fixture f = hung_sheet(6, (dc_projection)projection, DC_LINEAR_CHOLESKY);
        uint64_t hash;
        dc_vec3 corner;
        CHECK(fixture_open(&f) == DC_OK);
        CHECK(fixture_run(&f, 0.02, 0.002) == DC_OK);
        hash = dc_world_hash(f.world);
        corner = dc_cloth_positions(f.world, 0)[f.cloth.pin_vertices[1]];
        CHECK(dc_cloth_set_pin(f.world, 0, 1, dci_vec_add(corner, dci_vec(3, 0, 0)), &f.error) ==
              DC_OK);
        CHECK(fixture_step(&f, 0.002) == DC_NOT_CONVERGED);
        CHECK(f.error.cloth == 0 && f.error.value > DCI_R(1e-4));
        CHECK(f.error.index >= 0 || strstr(f.error.what, "balanced"));
        CHECK(strstr(f.error.what, "triangle") || strstr(f.error.what, "pin"));
        CHECK(dc_world_hash(f.world) == hash);
        CHECK(dc_cloth_set_pin(f.world, 0, 1, corner, &f.error) == DC_OK);
        CHECK(fixture_step(&f, 0.002) == DC_OK); /* and life goes on */
        fixture_close(&f);
    }
}

static void test_nonsense_is_refused_and_changes_nothing(void)
{
    fixture f = hung_sheet(4, DC_PROJECTION_AUTO, DC_LINEAR_CHOLESKY);
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

/* The published projection cannot take a large step whole here: it is cut, and says so. */
static void test_a_step_that_is_too_large_is_cut(void)
{
    fixture f = hung_sheet(24, DC_PROJECTION_MASS, DC_LINEAR_CHOLESKY);
    dc_index most = 0, i;
    f.cloth.newton_max = 8;
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
    fixture f = hung_sheet(8, DC_PROJECTION_COUPLED, DC_LINEAR_CHOLESKY);
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
            worst = fmax(worst, (double)dci_norm(dci_vec_sub(dc_cloth_positions(f.world, 0)[i],
                                                             f.positions[i])));
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
    f.cloth.newton_max = 3;
    CHECK(fixture_open(&f) == DC_NOT_CONVERGED && f.error.index >= 0 && f.error.cloth == 0);
    fixture_close(&f);
    free(start);
}

/* ---- Ghost mesh ---- */

static void test_nodes_follow_their_vertices_by_the_smallest_change(void)
{
    int element, cells;
    dc_index iterations[2] = {0, 0};
    for (element = DC_ELEMENT_NONCONFORMING; element <= DC_ELEMENT_CONFORMING; element++)
        for (cells = 8; cells <= 24; cells += 16) {
            dc_mesh_desc desc = square_of_kind(3, cells);
            planned p = plan_mesh(&desc, (dc_element)element, DC_BENDING_VERTEX_HESSIAN);
            const dc_sparse *a = &p.plan->element.vertex;
            dc_index v, k, vertices = a->row_count, nodes = a->column_count;
            dc_vec3 *change = (dc_vec3 *)test_alloc((size_t)vertices * sizeof(dc_vec3)),
                    *mu = (dc_vec3 *)test_alloc((size_t)vertices * sizeof(dc_vec3));
            dc_vec3 *node = (dc_vec3 *)test_alloc((size_t)nodes * sizeof(dc_vec3)),
                    *again = (dc_vec3 *)test_alloc((size_t)vertices * sizeof(dc_vec3));
            dc_real *work = (dc_real *)test_alloc(12 * (size_t)vertices * sizeof(dc_real));
            dc_cg_result result;
            double worst = 0, smallest = 0, other = 0;
            for (v = 0; v < vertices; v++)
                change[v] = dci_vec(dci_random(1, (uint32_t)v), dci_random(2, (uint32_t)v),
                                    dci_random(3, (uint32_t)v));
            CHECK(dci_ghost_take_back(a, change, mu, work, node, &result) == DC_OK);
            dci_sparse_apply(a, node, again);
            for (v = 0; v < vertices; v++)
                worst = fmax(worst, (double)dci_norm(dci_vec_sub(again[v], change[v])));
            CHECK_AT_MOST(worst, TOL(1e-10, 1e-4));
            { /* changes too small to be squared are followed as well */
                const dc_real tiny = DCI_R(1.0) / (DCI_R(1073741824.0) * DCI_R(1073741824.0));
                dc_vec3 *small = (dc_vec3 *)test_alloc((size_t)nodes * sizeof(dc_vec3));
                for (v = 0; v < vertices; v++) again[v] = dci_vec_scale(tiny, change[v]);
                CHECK(dci_ghost_take_back(a, again, mu, work, small, &result) == DC_OK);
                worst = 0;
                for (k = 0; k < nodes; k++)
                    worst = fmax(worst, (double)dci_norm(dci_vec_sub(
                                            dci_vec_scale(1 / tiny, small[k]), node[k])));
                CHECK_AT_MOST(worst, TOL(1e-10, 1e-4));
                free(small);
            }
            /* smallest: adding any change that the means do not see makes it longer */
            for (k = 0; k < nodes; k++) smallest += (double)dci_dot(node[k], node[k]);
            for (k = 0; k < nodes; k++)
                node[k] = dci_vec_add(node[k], dci_vec(dci_random(4, (uint32_t)k), 0, 0));
            dci_sparse_apply(a, node, again);
            for (v = 0; v < vertices; v++) again[v] = dci_vec_sub(change[v], again[v]);
            {
                dc_vec3 *back = (dc_vec3 *)test_alloc((size_t)nodes * sizeof(dc_vec3));
                CHECK(dci_ghost_take_back(a, again, mu, work, back, &result) == DC_OK);
                for (k = 0; k < nodes; k++) {
                    dc_vec3 sum = dci_vec_add(node[k], back[k]);
                    other += (double)dci_dot(sum, sum);
                }
                free(back);
            }
            CHECK(other >= smallest * 0.999);
            if (element == DC_ELEMENT_NONCONFORMING) iterations[cells > 8] = result.iterations;
            free(change), free(mu), free(node), free(again), free(work);
            fixture_close(&p.f);
        }
    CHECK(iterations[1] <= iterations[0] + 12 &&
          iterations[1] <= 60); /* does not grow with the mesh */
}

static void test_corrections_move_vertices_and_velocities(void)
{
    fixture f = hung_sheet(6, DC_PROJECTION_COUPLED, DC_LINEAR_CHOLESKY);
    dc_vec3 before[49], speed[49], push[49];
    double worst = 0, worst_speed = 0;
    dc_index v;
    CHECK(fixture_open(&f) == DC_OK);
    CHECK(fixture_run(&f, 0.02, 0.002) == DC_OK);
    for (v = 0; v < 49; v++) {
        before[v] = dc_cloth_positions(f.world, 0)[v];
        speed[v] = dc_cloth_velocities(f.world, 0)[v];
        push[v] = dci_vec(0, v == 10 ? DCI_R(0.001) : 0, 0);
    }
    CHECK(dc_cloth_correct(f.world, 0, push, &f.error) == DC_OK);
    for (v = 0; v < 49; v++) {
        dc_vec3 moved = dci_vec_sub(dc_cloth_positions(f.world, 0)[v], before[v]);
        dc_vec3 faster = dci_vec_sub(dc_cloth_velocities(f.world, 0)[v], speed[v]);
        worst = fmax(worst, (double)dci_norm(dci_vec_sub(moved, push[v])));
        worst_speed =
            fmax(worst_speed, (double)dci_norm(dci_vec_axpy(faster, -1 / DCI_R(0.002), push[v])));
    }
    CHECK_AT_MOST(worst, TOL(1e-12, 1e-6));
    CHECK_AT_MOST(worst_speed, TOL(1e-9, 1e-3));
    CHECK(fixture_step(&f, 0.002) == DC_OK);
    fixture_close(&f);
}

static const test_case tests_steps[] = {
    {"both projections agree for small steps", test_both_projections_agree_for_small_steps},
    {"both linear solvers make the same step", test_both_linear_solvers_make_the_same_step},
    {"every accepted step keeps its lengths", test_every_accepted_step_keeps_its_lengths},
    {"a failed step leaves the state and names the worst row",
     test_a_failed_step_leaves_the_state_and_names_the_worst_row},
    {"nonsense is refused and changes nothing", test_nonsense_is_refused_and_changes_nothing},
    {"a step that is too large is cut", test_a_step_that_is_too_large_is_cut},
    {"steps may change their length at will", test_steps_may_change_their_length_at_will},
    {"a sheet at rest stays at rest", test_a_sheet_at_rest_stays_at_rest},
    {"start positions are moved onto the constraints",
     test_start_positions_are_moved_onto_the_constraints},
    {"nodes follow their vertices by the smallest change",
     test_nodes_follow_their_vertices_by_the_smallest_change},
    {"corrections move vertices and velocities", test_corrections_move_vertices_and_velocities},
};
