/* Chapter 45: the work of a step is counted and bounded. */

enum { WORK_STEPS = 40 };
static const double WORK_DT = 0.005; /* [s] */

/* A sheet thrown onto a ball and a plane. */
static bodies *work_begin(dc_linear_solver solver, uint64_t work_max, int takes_unconverged)
{
    bodies *b = bodies_begin();
    dc_index k = bodies_sheet(b, 6, 6, 0.6, 0.6, 0.02, 0.21, 0.05);
    b->cloth[k].linear_solver = solver;
    b->cloth[k].thickness = DCI_R(0.01);
    b->cloth[k].drag_normal = DCI_R(0.5);
    bodies_obstacle(b, DC_OBSTACLE_SPHERE, dci_vec(0, 0, 0), dci_vec(0, 0, 0), 0.2);
    bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, DCI_R(-0.15), 0), dci_vec(0, 1, 0), 0);
    b->desc.work_max = work_max;
    b->desc.takes_unconverged = takes_unconverged;
    CHECK(bodies_open(b) == DC_OK);
    if (b->world) bodies_throw(b, k, dci_vec(0, -3, 0));
    return b;
}

/* The largest work of a step without a bound, and the hash at the end. */
static uint64_t work_most(dc_linear_solver solver, uint64_t work_max, uint64_t *hash)
{
    bodies *b = work_begin(solver, work_max, 0);
    uint64_t most = 0;
    int i;
    for (i = 0; i < WORK_STEPS; i++) {
        CHECK(bodies_step(b, WORK_DT) == DC_OK && b->report.work > 0);
        CHECK(!b->report.is_unconverged);
        if (b->report.work > most) most = b->report.work;
    }
    *hash = dc_world_hash(b->world);
    bodies_close(b);
    return most;
}

static void test_the_work_of_a_step_is_counted(void)
{
    int solver;
    for (solver = 0; solver < 2; solver++) {
        uint64_t hash[2], most = work_most((dc_linear_solver)solver, 0, hash);
        CHECK(work_most((dc_linear_solver)solver, most, hash + 1) == most);
        CHECK(hash[0] == hash[1]); /* a bound that is not reached changes nothing */
    }
}

static void test_a_step_beyond_its_work_fails_and_changes_nothing(void)
{
    int solver, i;
    for (solver = 0; solver < 2; solver++) {
        uint64_t hash, bound = work_most((dc_linear_solver)solver, 0, &hash) / 2, work, least;
        bodies *b = work_begin((dc_linear_solver)solver, bound, 0);
        for (i = 0; i < WORK_STEPS; i++) {
            dc_status status = bodies_step(b, WORK_DT);
            CHECK(b->report.work <= 2 * bound);
            if (status != DC_OK) break;
        }
        CHECK(i < WORK_STEPS && b->error.status == DC_WORK_SPENT && b->report.work > bound);
        CHECK(strstr(b->error.what, "work_max") && b->error.value == (dc_real)b->report.work);
        /* The same again. */
        work = b->report.work;
        CHECK(bodies_step(b, WORK_DT) == DC_WORK_SPENT && b->report.work == work);
        least = b->plan.work_least;
        bodies_close(b);
        /* Settling stops likewise. */
        b = work_begin((dc_linear_solver)solver, least, 0);
        CHECK(dc_world_settle(b->world, (dc_real)WORK_DT, DCI_R(1e-3), 1000, NULL, &b->error) ==
              DC_WORK_SPENT);
        CHECK(strcmp(b->error.where, "dc_world_settle") == 0);
        bodies_close(b);
    }
}

/* The least bound of worlds that go on. */
static uint64_t work_least(void)
{
    bodies *b = work_begin(DC_LINEAR_CHOLESKY, 0, 1);
    uint64_t least = b->plan.work_least;
    bodies_close(b);
    return least;
}

/* Steps that go on unconverged; returns how many there were. At the least bound collisions may reach 1.5
   times the bound: then the step fails. */
static int go_on_unconverged(bodies *b, int is_least)
{
    dc_measures m = dc_cloth_measure(b->world, 0);
    double energy = (double)(m.kinetic + m.gravity);
    int unconverged = 0, i;
    for (i = 0; i < 3 * WORK_STEPS; i++) {
        dc_status status = bodies_step(b, WORK_DT);
        CHECK(b->report.work <= 2 * b->desc.work_max);
        if (is_least && status == DC_WORK_SPENT) {
            CHECK(2 * b->report.work >= 3 * b->desc.work_max && !b->report.is_certified);
            break;
        }
        CHECK(status == DC_OK && b->report.is_certified);
        unconverged += b->report.is_unconverged;
        m = dc_cloth_measure(b->world, 0);
        CHECK_AT_MOST((double)(m.kinetic + m.gravity) - energy, 0.02);
    }
    CHECK_AT_MOST((double)m.constraint_error, 1e-2);
    return unconverged;
}

static void test_steps_may_go_on_unconverged(void)
{
    uint64_t hash, most = work_most(DC_LINEAR_CHOLESKY, 0, &hash), least = work_least();
    int part;
    CHECK(least < most);
    for (part = 0; part < 4; part++) {
        bodies *b = work_begin(DC_LINEAR_CHOLESKY, least + (most - least) / 4 * (uint64_t)part, 1);
        CHECK(go_on_unconverged(b, part == 0) > 0);
        bodies_close(b);
    }
}

/* Ribbons count and stop like cloths. */
static void test_ribbons_have_bounded_work(void)
{
    int takes_unconverged, i;
    for (takes_unconverged = 0; takes_unconverged < 2; takes_unconverged++) {
        ribbons *r = ribbons_begin();
        dc_status status = DC_OK;
        r->ribbon[0].segment_count = 24;
        r->ribbon[0].is_fixed = 1;
        r->desc.gravity = dci_vec(0, DCI_R(-9.81), 0);
        r->desc.takes_unconverged = takes_unconverged;
        r->desc.work_max = 1;
        CHECK(ribbons_open(r) == DC_BAD_ARGUMENT && strstr(r->error.what, "work_max"));
        r->desc.work_max = (uint64_t)r->error.value;
        CHECK(ribbons_open(r) == DC_OK && r->plan.work_least == r->desc.work_max);
        for (i = 0; i < 5 && status == DC_OK; i++) {
            status = dc_world_step(r->world, DCI_R(0.05), &r->report, &r->error);
            CHECK(r->report.work <= 2 * r->desc.work_max);
        }
        CHECK(status == (takes_unconverged ? DC_OK : DC_WORK_SPENT));
        ribbons_close(r);
    }
}

static void test_work_max_is_checked_and_saved(void)
{
    bodies *b = work_begin(DC_LINEAR_CHOLESKY, 0, 0), *other;
    uint64_t least = b->plan.work_least;
    size_t bytes = dc_world_save_bytes(b->world);
    void *block = test_alloc(bytes);
    CHECK(dc_world_save(b->world, block, bytes, &b->error) == DC_OK);
    other = work_begin(DC_LINEAR_CHOLESKY, least, 0);
    CHECK(dc_world_load(other->world, block, bytes, &other->error) == DC_BAD_ARGUMENT);
    CHECK(strstr(other->error.what, "work_max"));
    bodies_close(other);
    b->desc.work_max = least - 1;
    CHECK(bodies_plan(b) == DC_BAD_ARGUMENT && strstr(b->error.what, "work_max"));
    CHECK(b->error.value == (dc_real)least);
    free(block);
    bodies_close(b);
}

static const test_case tests_work[] = {
    {"the work of a step is counted", test_the_work_of_a_step_is_counted},
    {"a step beyond its work fails and changes nothing",
     test_a_step_beyond_its_work_fails_and_changes_nothing},
    {"steps may go on unconverged", test_steps_may_go_on_unconverged},
    {"ribbons have bounded work", test_ribbons_have_bounded_work},
    {"work_max is checked and saved", test_work_max_is_checked_and_saved},
};
