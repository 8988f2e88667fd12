/* Chapter 48: the work of a step is counted and bounded. */

enum { WORK_STEPS = 40 };
static const double WORK_DT = 0.005; /* [s] */

/* A sheet above a ball and a plane. */
static bodies *work_describe(dc_linear_solver solver)
{
    bodies *b = bodies_begin();
    dc_index k = bodies_sheet(b, 6, 6, 0.6, 0.6, 0.02, 0.21, 0.05);
    b->cloth[k].solver.linear_solver = solver;
    b->cloth[k].thickness = DCI_R(0.01);
    b->cloth[k].drag_normal = DCI_R(0.5);
    bodies_obstacle(b, DC_OBSTACLE_SPHERE, dci_vec(0, 0, 0), dci_vec(0, 0, 0), 0.2);
    bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, DCI_R(-0.15), 0), dci_vec(0, 1, 0), 0);
    return b;
}

/* Throws it down. */
static bodies *work_open(bodies *b)
{
    CHECK(bodies_open(b) == DC_OK);
    if (b->world) bodies_throw(b, 0, dci_vec(0, -3, 0));
    return b;
}

static bodies *work_begin(dc_linear_solver solver, uint64_t work_max, int takes_unconverged)
{
    bodies *b = work_describe(solver);
    b->desc.work_max = work_max;
    b->desc.takes_unconverged = takes_unconverged;
    return work_open(b);
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
        least = b->info.work_least;
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
    uint64_t least = b->info.work_least;
    bodies_close(b);
    return least;
}

/* What steps that go on unconverged do. */
typedef struct work_steps {
    int unconverged, halts; /* steps; a halt moves nothing */
    int lacks_room;         /* for pairs: the step failed, and was the last */
    double gain;            /* [J] the largest of kinetic and potential energy */
} work_steps;

static work_steps go_on_unconverged(bodies *b)
{
    work_steps done = {0, 0, 0, 0};
    dc_measures m = dc_cloth_measure(b->world, 0);
    double energy = (double)(m.kinetic + m.gravity);
    int i;
    for (i = 0; i < 3 * WORK_STEPS; i++) {
        double height = (double)m.centre.y;
        dc_status status = bodies_step(b, WORK_DT);
        done.lacks_room = status == DC_TOO_SMALL;
        if (done.lacks_room) return done;
        CHECK(status == DC_OK && b->report.is_certified);
        CHECK(b->report.work <= 2 * b->desc.work_max);
        done.unconverged += b->report.is_unconverged;
        m = dc_cloth_measure(b->world, 0);
        done.gain = fmax(done.gain, (double)(m.kinetic + m.gravity) - energy);
        if (b->report.time > 0) continue;
        CHECK(b->report.is_unconverged && m.kinetic == 0 && (double)m.centre.y == height);
        done.halts++;
    }
    return done;
}

static void test_steps_may_go_on_unconverged(void)
{
    uint64_t hash, most = work_most(DC_LINEAR_CHOLESKY, 0, &hash), least = work_least();
    int part, went_on = 0;
    CHECK(least < most);
    for (part = 0; part < 4; part++) {
        bodies *b = work_begin(DC_LINEAR_CHOLESKY, least + (most - least) / 5 * (uint64_t)part, 1);
        work_steps done = go_on_unconverged(b);
        CHECK(!done.lacks_room);
        CHECK(done.unconverged > done.halts || done.unconverged == 0);
        went_on += done.unconverged;
        CHECK_AT_MOST(done.gain, 0.02);
        CHECK_AT_MOST((double)dc_cloth_measure(b->world, 0).constraint_error, 1e-2);
        bodies_close(b);
    }
    CHECK(went_on > 0);
}

/* The same at its least bound, with room for so few pairs that collisions reach theirs. */
static bodies *work_begin_least(const dc_index *pin, dc_index pair_capacity)
{
    bodies *b = work_describe(DC_LINEAR_CHOLESKY);
    b->cloth[0].pin_vertices = pin;
    b->cloth[0].pin_count = pin != NULL;
    b->desc.pair_capacity = pair_capacity;
    b->desc.takes_unconverged = 1;
    b->desc.work_max = 1;
    CHECK(bodies_make(b) == DC_BAD_ARGUMENT);
    b->desc.work_max = (uint64_t)b->error.value;
    return work_open(b);
}

static void test_a_sheet_stops_for_a_step_and_falls_on(void)
{
    dc_index capacity;
    int halts = 0, falls = 0;
    bodies *b;
    for (capacity = 66; capacity < 132; capacity += 6) {
        work_steps done;
        b = work_begin_least(NULL, capacity);
        done = go_on_unconverged(b);
        if (!done.lacks_room) {
            CHECK(done.unconverged > done.halts);
            CHECK_AT_MOST((double)dc_cloth_measure(b->world, 0).centre.y, 0.15);
            halts += done.halts;
            falls++;
        }
        bodies_close(b);
    }
    CHECK(halts > 0 && falls >= 3);
    /* What does not move because it stops is not at rest. */
    b = work_begin_least(NULL, 2 * 49);
    CHECK(dc_world_settle(b->world, (dc_real)WORK_DT, DCI_R(1e-3), 1000, NULL, &b->error) ==
          DC_WORK_SPENT);
    bodies_close(b);
}

/* What is prescribed has gone the part of its way that is told, and time has passed as told. */
static void check_part(const bodies *b, dc_real time, dc_vec3 from, dc_vec3 to, dc_vec3 now)
{
    dc_real part = 1 - b->report.part_left;
    dc_vec3 way = dci_vec_scale(part, dci_vec_sub(to, from));
    CHECK(b->report.is_certified && part >= 0 && part <= 1);
    CHECK((part == 0) == (b->report.counters.world_substeps == 0) &&
          (part == 0) == (b->report.time == 0));
    CHECK(b->report.time == (dc_real)WORK_DT || b->report.is_unconverged);
    CHECK_AT_MOST((double)dci_norm(dci_vec_sub(dci_vec_sub(now, from), way)), TOL(1e-6, 1e-4));
    CHECK(dc_world_time(b->world) == time + b->report.time && b->report.time <= (dc_real)WORK_DT);
    CHECK(b->report.work <= 2 * b->desc.work_max);
}

/* The upper row of a sheet is set down further on, in one step. */
static bodies *work_begin_row(dc_vec3 way, int collides, dc_vec3 *target)
{
    static dc_index pin[9];
    bodies *b = bodies_begin();
    dc_index k = bodies_sheet(b, 8, 8, 1, 1, 0, 0, 0), i;
    for (i = 0; i < 9; i++) pin[i] = i;
    b->cloth[k].pin_vertices = pin;
    b->cloth[k].pin_count = 9;
    b->cloth[k].drag_normal = b->cloth[k].drag_tangential = DCI_R(0.1);
    b->cloth[k].solver.linear_solver = collides ? DC_LINEAR_CHOLESKY : DC_LINEAR_CG;
    b->desc.takes_unconverged = 1;
    b->desc.collides = collides;
    CHECK(bodies_open(b) == DC_OK);
    CHECK(dc_world_set_work_max(b->world, 2 * b->info.work_least, &b->error) == DC_OK);
    b->desc.work_max = 2 * b->info.work_least;
    for (i = 0; i < 9; i++) {
        target[i] =
            dci_vec_axpy(dc_body_positions(b->world, k)[i], 1 + DCI_R(0.001) * (dc_real)i, way);
        CHECK(dc_cloth_set_pin(b->world, k, i, target[i], &b->error) == DC_OK);
    }
    return b;
}

static void test_pins_go_a_part_of_their_way(void)
{
    dc_vec3 target[9];
    bodies *b = work_begin_row(dci_vec(DCI_R(0.5), 0, 0), 1, target);
    int parts = 0, i;
    for (i = 0; i < 2 * WORK_STEPS; i++) {
        dc_vec3 from = dc_body_positions(b->world, 0)[8];
        dc_real time = dc_world_time(b->world);
        CHECK(bodies_step(b, WORK_DT) == DC_OK);
        check_part(b, time, from, target[8], dc_body_positions(b->world, 0)[8]);
        parts += b->report.part_left > 0 && b->report.part_left < 1;
        if (b->report.part_left == 0) break;
    }
    CHECK(parts > 0 && i < 2 * WORK_STEPS);
    CHECK_AT_MOST((double)dc_cloth_measure(b->world, 0).constraint_error, 0.1);
    bodies_close(b);
}

/* It is carried on at 20 m/s, and first has no work for that. What is late is never led faster than
   twice that speed, and what stands still is reached. */
static void test_what_is_late_catches_up_at_twice_its_speed(void)
{
    dc_vec3 target[9];
    const dc_real speed = 20;
    bodies *b = work_begin_row(dci_vec(0, 0, 0), 1, target);
    double late = 0, fastest = 0;
    int i, k;
    for (i = 0; i < 40; i++) {
        dc_vec3 from = dc_body_positions(b->world, 0)[8], now;
        for (k = 0; k < 9; k++) {
            if (i < 20) target[k].x += speed * (dc_real)WORK_DT;
            CHECK(dc_cloth_set_pin(b->world, 0, k, target[k], &b->error) == DC_OK);
        }
        if (i == 15) CHECK(dc_world_set_work_max(b->world, 0, &b->error) == DC_OK);
        CHECK(bodies_step(b, WORK_DT) == DC_OK && b->report.is_certified);
        now = dc_body_positions(b->world, 0)[8];
        late = fmax(late, (double)(target[8].x - now.x));
        if (b->report.time > 0)
            fastest = fmax(fastest, (double)((now.x - from.x) / b->report.time));
    }
    CHECK(late > 3 * WORK_DT);
    CHECK_AT_MOST(fastest, 2 * (double)speed * TOL(1 + 1e-6, 1 + 1e-2));
    CHECK(b->report.part_left == 0);
    CHECK_AT_MOST(fabs((double)(target[8].x - dc_body_positions(b->world, 0)[8].x)),
                  (double)b->cloth[0].tolerance / 8); /* of edges of 1/8 m */
    bodies_close(b);
}

/* They are out of reach of any part. */
static void test_two_idle_steps_are_refused_with_the_longest_way(void)
{
    dc_vec3 target[9];
    bodies *b = work_begin_row(dci_vec(10, 0, 0), 0, target);
    uint64_t hash = dc_world_hash(b->world);
    int i;
    for (i = 0; i < 3; i++) {
        dc_status status = dc_world_step(b->world, (dc_real)WORK_DT, &b->report, &b->error);
        CHECK(status == (i == 0 ? DC_OK : DC_WORK_SPENT));
        CHECK(b->report.work <= 2 * b->desc.work_max && dc_world_hash(b->world) == hash);
        CHECK(i == 0 ? b->report.time == 0 : b->error.body == 0 && b->error.index == 8);
    }
    CHECK(strstr(b->error.what, "longest way") != NULL);
    bodies_close(b);
}

/* A ball rises through a sheet that falls on it. */
static void test_an_obstacle_goes_a_part_of_its_way(void)
{
    bodies *b = work_begin_least(NULL, 2 * 49);
    dc_vec3 to = dci_vec(0, 0, 0);
    int parts = 0, i;
    for (i = 0; i < 3 * WORK_STEPS; i++) {
        dc_vec3 from = *dc_body_positions(b->world, b->world->moving_count);
        dc_real time = dc_world_time(b->world);
        to.y += i < 20 ? DCI_R(0.02) : DCI_R(0);
        CHECK(dc_obstacle_move(b->world, b->world->moving_count, &to, dci_vec(0, 0, 0),
                               &b->error) == DC_OK);
        CHECK(bodies_step(b, WORK_DT) == DC_OK);
        check_part(b, time, from, to, *dc_body_positions(b->world, b->world->moving_count));
        parts += b->report.part_left > 0;
        if (i > 20 && b->report.part_left == 0) break;
    }
    CHECK(parts > 0 && i < 3 * WORK_STEPS);
    bodies_close(b);
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
        CHECK(ribbons_open(r) == DC_BAD_ARGUMENT && strcmp(r->error.field, "work_max") == 0);
        r->desc.work_max = (uint64_t)r->error.value;
        CHECK(ribbons_open(r) == DC_OK && r->info.work_least == r->desc.work_max);
        for (i = 0; i < 5 && status == DC_OK; i++) {
            status = dc_world_step(r->world, DCI_R(0.05), &r->report, &r->error);
            CHECK(r->report.work <= 2 * r->desc.work_max);
        }
        CHECK(status == (takes_unconverged ? DC_OK : DC_WORK_SPENT));
        ribbons_close(r);
    }
}

/* Strips that lie on each other have contact constraints, each of which costs iterations. */
static void test_contact_of_ribbons_has_bounded_work(void)
{
    enum { STRIPS = 4 };
    int takes_unconverged, i;
    for (takes_unconverged = 0; takes_unconverged < 2; takes_unconverged++) {
        bodies *b = bodies_begin();
        dc_ribbon_desc strip[STRIPS];
        dc_status status = DC_OK;
        for (i = 0; i < STRIPS; i++) {
            strip[i] = strip_at(0.1, 1.21e-3 + 2.2e-3 * i, 0);
            if (i % 2) strip_turn(&strip[i]);
        }
        b->desc.ribbons = strip;
        b->desc.ribbon_count = STRIPS;
        bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, 0, 0), dci_vec(0, 1, 0), 0);
        b->desc.work_max = 1;
        b->desc.takes_unconverged = takes_unconverged;
        CHECK(bodies_open(b) == DC_BAD_ARGUMENT);
        b->desc.work_max = (uint64_t)b->error.value;
        CHECK(bodies_open(b) == DC_OK);
        for (i = 0; i < WORK_STEPS && status == DC_OK; i++) {
            status = bodies_step(b, WORK_DT);
            CHECK(b->report.work <= 2 * b->desc.work_max);
            CHECK(status != DC_OK || b->report.is_certified);
        }
        CHECK(status == (takes_unconverged ? DC_OK : DC_WORK_SPENT));
        bodies_close(b);
    }
}

static void test_work_max_is_checked(void)
{
    bodies *b = work_begin(DC_LINEAR_CHOLESKY, 0, 0);
    uint64_t least = b->info.work_least;
    b->desc.work_max = least - 1;
    CHECK(bodies_make(b) == DC_BAD_ARGUMENT && strcmp(b->error.field, "work_max") == 0);
    CHECK(b->error.value == (dc_real)least);
    bodies_close(b);
}

/* The least bound is told with any bound, and holds for those that are set later. */
static void test_the_bound_on_work_may_change(void)
{
    int takes_unconverged;
    for (takes_unconverged = 0; takes_unconverged < 2; takes_unconverged++) {
        bodies *b = work_begin(DC_LINEAR_CHOLESKY, 0, takes_unconverged);
        uint64_t least = b->info.work_least;
        dc_error *e = &b->error;
        dc_status status = DC_OK;
        int i;
        CHECK(dc_world_set_work_max(b->world, least - 1, e) == DC_BAD_ARGUMENT);
        CHECK(strstr(e->what, "work_max") && e->value == (dc_real)least);
        CHECK(dc_world_set_work_max(b->world, least, e) == DC_OK);
        for (i = 0; i < WORK_STEPS && status == DC_OK && !b->report.is_unconverged; i++)
            status = bodies_step(b, WORK_DT);
        CHECK(status == (takes_unconverged ? DC_OK : DC_WORK_SPENT));
        CHECK(b->report.work > least && b->report.is_unconverged == takes_unconverged);
        CHECK(dc_world_set_work_max(b->world, 0, e) == DC_OK);
        CHECK(bodies_step(b, WORK_DT) == DC_OK && !b->report.is_unconverged);
        bodies_close(b);
        b = work_begin(DC_LINEAR_CHOLESKY, 2 * least, takes_unconverged);
        CHECK(b->info.work_least == least);
        bodies_close(b);
    }
}

/* A step that its work does not suffice for goes on in a world that has more. */
static void test_a_world_with_more_work_goes_on(void)
{
    uint64_t hash, bound = work_most(DC_LINEAR_CHOLESKY, 0, &hash) / 2;
    bodies *b = work_begin(DC_LINEAR_CHOLESKY, bound, 0);
    bodies *more = work_begin(DC_LINEAR_CHOLESKY, 0, 1);
    dc_status status = DC_OK;
    void *block;
    size_t bytes;
    int i;
    for (i = 0; i < WORK_STEPS && status == DC_OK; i++) status = bodies_step(b, WORK_DT);
    CHECK(status == DC_WORK_SPENT);
    bytes = dc_world_save_bytes(b->world);
    block = test_alloc(bytes);
    CHECK(dc_world_save(b->world, block, bytes, &b->error) == DC_OK);
    CHECK(dc_world_load(more->world, block, bytes, &more->error) == DC_OK);
    for (; i <= WORK_STEPS; i++) CHECK(bodies_step(more, WORK_DT) == DC_OK);
    CHECK(dc_world_hash(more->world) == hash);
    free(block);
    bodies_close(b);
    bodies_close(more);
}

/* What a world has factored before does not count, as a snapshot does not tell. */
static void test_the_work_of_a_loaded_world_is_the_same(void)
{
    static const dc_index pins[] = {0, 6, 45};
    bodies *b[2];
    size_t bytes;
    void *block;
    int i;
    for (i = 0; i < 2; i++) {
        b[i] = bodies_begin();
        bodies_sheet(b[i], 6, 6, 1, 1, 0, 0, 0);
        b[i]->cloth[0].pin_vertices = pins;
        b[i]->cloth[0].pin_count = 3;
        CHECK(bodies_open(b[i]) == DC_OK);
    }
    CHECK(bodies_step(b[0], 1e-3) == DC_OK);
    dc_cloth_release_pin(b[0]->world, 0, 1, NULL);
    CHECK(bodies_step(b[0], 1e-3) == DC_OK);
    bytes = dc_world_save_bytes(b[0]->world);
    block = test_alloc(bytes);
    CHECK(dc_world_save(b[0]->world, block, bytes, &b[0]->error) == DC_OK);
    CHECK(dc_world_load(b[1]->world, block, bytes, &b[1]->error) == DC_OK);
    for (i = 0; i < 2; i++) CHECK(bodies_step(b[i], 5e-3) == DC_OK);
    CHECK(b[0]->report.work == b[1]->report.work);
    CHECK(dc_world_hash(b[0]->world) == dc_world_hash(b[1]->world));
    free(block);
    bodies_close(b[0]);
    bodies_close(b[1]);
}

/* The least work that may be asked for, with conjugate gradients inside conjugate gradients. */
static void test_conjugate_gradients_stay_within_twice_the_work(void)
{
    int scene, i;
    for (scene = 0; scene < 8; scene++) {
        bodies *b = bodies_begin();
        dc_index side = 2 + scene % 4;
        static const dc_index pin = 0;
        dc_cloth_desc *cloth = b->cloth + bodies_sheet(b, side, side, 0.5, 0.5, 0, 0, 0);
        cloth->solver.linear_solver = DC_LINEAR_CG;
        cloth->solver.cg_tol = TOL(1e-8, 1e-5);
        cloth->bending *= scene < 4 ? 1 : 100;
        cloth->pin_vertices = &pin;
        cloth->pin_count = 1;
        b->desc.work_max = 1;
        CHECK(bodies_make(b) == DC_BAD_ARGUMENT);
        b->desc.work_max = (uint64_t)b->error.value;
        CHECK(bodies_open(b) == DC_OK);
        for (i = 0; i < 10; i++) {
            dc_vec3 target = dc_body_positions(b->world, 0)[pin];
            dc_status status;
            target.x += DCI_R(0.05);
            CHECK(dc_cloth_set_pin(b->world, 0, 0, target, &b->error) == DC_OK);
            status =
                dc_world_step(b->world, i % 2 ? DCI_R(1e-6) : DCI_R(1e-3), &b->report, &b->error);
            CHECK(status == DC_OK || status == DC_WORK_SPENT);
            CHECK(b->report.work <= 2 * b->desc.work_max);
        }
        bodies_close(b);
    }
}

/* A sheet falls fast on a ball. While Newton's method is far off, its linear solutions are loose: if
   they never were, conjugate gradients would take an eighth more iterations; if even the last were,
   Newton's method four times as many, with floats a third more. */
static void test_an_impact_takes_few_iterations(void)
{
    const int is_single = sizeof(dc_real) == 4;
    double newton = 0, cg = 0;
    int start, i;
    for (start = 0; start < 12; start++) {
        bodies *b = bodies_begin();
        dc_index k = bodies_sheet(b, 8, 8, 1, 1, 0, 0.4 + 0.003 * start, 0.1);
        b->cloth[k].bending = DCI_R(1e-5);
        b->cloth[k].thickness = DCI_R(0.01);
        bodies_obstacle(b, DC_OBSTACLE_SPHERE, dci_vec(0, 0, 0), dci_vec(0, 0, 0), 0.3);
        CHECK(bodies_open(b) == DC_OK);
        bodies_throw(b, 0, dci_vec(0, -3, 0));
        for (i = 0; i < 30; i++) {
            CHECK(bodies_step(b, 1.0 / 240) == DC_OK);
            newton += b->report.counters.newton_iterations;
            cg += b->report.counters.cg_iterations;
        }
        bodies_close(b);
    }
    CHECK_AT_MOST(newton, is_single ? 2160 : 3000);
    CHECK_AT_MOST(cg, is_single ? 14500 : 20800);
}

/* Iterations of a second of two sheets that are thrown on a ball and slide off it. The bound on work
   suffices for 19 of 20 steps. */
static int real_time_iterations(dc_quality quality)
{
    bodies *b = work_describe(DC_LINEAR_CHOLESKY);
    dc_index second = bodies_sheet(b, 6, 6, 0.6, 0.6, -0.03, 0.24, 0.02);
    int i, newton = 0, unconverged = 0;
    b->cloth[second].thickness = DCI_R(0.01);
    b->desc.quality = quality;
    work_open(b);
    for (i = 0; i < 240; i++) {
        CHECK(bodies_step(b, 1.0 / 240) == DC_OK);
        CHECK(b->report.is_certified);
        newton += b->report.counters.newton_iterations;
        if (quality == DC_EXACT) continue;
        CHECK(b->report.work <= 2 * b->info.work_least);
        unconverged += b->report.is_unconverged;
        CHECK(b->report.is_unconverged || b->report.constraint_error <= DCI_R(1e-4));
    }
    CHECK_AT_MOST(unconverged, 240 / 20);
    bodies_close(b);
    return newton;
}

static void test_real_time_takes_fewer_iterations(void)
{
    CHECK_AT_MOST(real_time_iterations(DC_REAL_TIME), 0.9 * real_time_iterations(DC_EXACT));
}

/* Without contact it is what its description says, field by field. What is coarser stays. */
static void test_real_time_sets_what_it_says(void)
{
    const double residual_tol[] = {0.1, 5};
    const dc_index pin = 0;
    int k, quality, i;
    for (k = 0; k < 2; k++) {
        uint64_t hash[2];
        for (quality = 0; quality < 2; quality++) {
            bodies *b = bodies_begin();
            bodies_sheet(b, 6, 6, 0.6, 0.6, 0.02, 0.21, 0.05);
            b->cloth[0].pin_vertices = &pin;
            b->cloth[0].pin_count = 1;
            b->cloth[0].solver.residual_tol = (dc_real)residual_tol[k];
            b->desc.quality = (dc_quality)quality;
            if (quality == DC_EXACT) {
                b->cloth[0].solver.residual_tol =
                    dci_max(DCI_R(0.2) * dci_norm(b->desc.gravity), (dc_real)residual_tol[k]);
                b->desc.takes_unconverged = 1;
                b->desc.work_max = 1;
                CHECK(bodies_make(b) == DC_BAD_ARGUMENT);
                b->desc.work_max = (uint64_t)b->error.value;
            }
            CHECK(bodies_open(b) == DC_OK);
            for (i = 0; i < 20; i++) CHECK(bodies_step(b, 0.01) == DC_OK);
            hash[quality] = dc_world_hash(b->world);
            bodies_close(b);
        }
        CHECK(hash[0] == hash[1]);
    }
}

static void test_quality_is_checked(void)
{
    bodies *b = work_describe(DC_LINEAR_CHOLESKY);
    b->desc.quality = (dc_quality)2;
    CHECK(bodies_make(b) == DC_BAD_ARGUMENT && test_error_names(&b->error, "quality"));
    bodies_close(b);
}

static const test_case tests_work[] = {
    {"real time takes fewer iterations", test_real_time_takes_fewer_iterations},
    {"real time sets what it says", test_real_time_sets_what_it_says},
    {"quality is checked", test_quality_is_checked},
    {"an impact takes few iterations", test_an_impact_takes_few_iterations},
    {"the work of a step is counted", test_the_work_of_a_step_is_counted},
    {"a step beyond its work fails and changes nothing",
     test_a_step_beyond_its_work_fails_and_changes_nothing},
    {"steps may go on unconverged", test_steps_may_go_on_unconverged},
    {"a sheet stops for a step and falls on", test_a_sheet_stops_for_a_step_and_falls_on},
    {"pins go a part of their way", test_pins_go_a_part_of_their_way},
    {"what is late catches up at twice its speed",
     test_what_is_late_catches_up_at_twice_its_speed},
    {"two idle steps are refused with the longest way",
     test_two_idle_steps_are_refused_with_the_longest_way},
    {"an obstacle goes a part of its way", test_an_obstacle_goes_a_part_of_its_way},
    {"ribbons have bounded work", test_ribbons_have_bounded_work},
    {"contact of ribbons has bounded work", test_contact_of_ribbons_has_bounded_work},
    {"work_max is checked", test_work_max_is_checked},
    {"the bound on work may change", test_the_bound_on_work_may_change},
    {"a world with more work goes on", test_a_world_with_more_work_goes_on},
    {"the work of a loaded world is the same", test_the_work_of_a_loaded_world_is_the_same},
    {"conjugate gradients stay within twice the work",
     test_conjugate_gradients_stay_within_twice_the_work},
};
