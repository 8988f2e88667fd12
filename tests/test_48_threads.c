/* Groups of bodies side by side through a parallel_for: the same bits in any order, and without. */

/* Orders of tasks, by what a parallel_for gets as its context. */
typedef enum threads_order {
    THREADS_NONE,
    THREADS_REVERSE,
    THREADS_SHUFFLED,
    THREADS_TWO,
    THREADS_THREE
} threads_order;

#ifdef DEVCLOTH_TEST_THREADS
enum { THREADS_ORDERS = 5 };
#else
enum { THREADS_ORDERS = 3 };
#endif

typedef struct threads_run {
    threads_order order;
    int calls; /* with several tasks */
} threads_run;

static void threads_for(void *context, dc_index count, dc_task task, void *task_context)
{
    threads_run *run = (threads_run *)context;
    dc_index i;
    run->calls += count > 1;
#ifdef DEVCLOTH_TEST_THREADS
    if (run->order >= THREADS_TWO) {
        pool threads;
        pool_open(&threads, run->order == THREADS_TWO ? 2 : 3);
        pool_run(&threads, count, task, task_context);
        pool_close(&threads);
        return;
    }
#endif
    for (i = count - 1; run->order == THREADS_REVERSE && i >= 0; i--) task(task_context, i);
    for (i = 0; run->order == THREADS_SHUFFLED && i < count; i++) /* odd ones first */
        task(task_context, 2 * i + 1 < count ? 2 * i + 1 : 2 * (i - count / 2));
}

/* Four sheets: two meet each other and a ball, one meets a ball, one falls freely. */
static bodies *threads_describe(threads_run *run, threads_order order)
{
    bodies *b = bodies_begin();
    dc_index k;
    bodies_sheet(b, 6, 6, 0.6, 0.6, 0.02, 0.21, 0.05);
    bodies_sheet(b, 4, 4, 0.4, 0.4, 2.02, 0.21, 0.05);
    bodies_sheet(b, 5, 5, 0.6, 0.6, -0.03, 0.24, 0.02);
    bodies_sheet(b, 3, 3, 0.3, 0.3, 4, 0, 0);
    for (k = 0; k < 4; k++) {
        b->cloth[k].thickness = DCI_R(0.01);
        b->cloth[k].drag_normal = DCI_R(0.5);
    }
    bodies_obstacle(b, DC_OBSTACLE_SPHERE, dci_vec(0, 0, 0), dci_vec(0, 0, 0), 0.2);
    bodies_obstacle(b, DC_OBSTACLE_SPHERE, dci_vec(2, 0, 0), dci_vec(0, 0, 0), 0.2);
    run->order = order;
    run->calls = 0;
    if (order != THREADS_NONE) b->desc.parallel_for = threads_for;
    b->desc.parallel_context = run;
    return b;
}

static bodies *threads_open(bodies *b)
{
    dc_index k;
    CHECK(bodies_open(b) == DC_OK);
    for (k = 0; k < b->desc.cloth_count; k++) bodies_throw(b, k, dci_vec(0, -2, 0));
    return b;
}

/* Whether two worlds did the same: statuses, errors and reports, and each bit of the state. */
static int threads_agree(const bodies *a, const bodies *b)
{
    const dc_report *p = &a->report, *q = &b->report;
    const dc_error *e = &a->error, *f = &b->error;
    return dc_world_hash(a->world) == dc_world_hash(b->world) && e->status == f->status &&
           e->body == f->body && e->index == f->index && e->value == f->value &&
           p->work == q->work && p->is_unconverged == q->is_unconverged && p->time == q->time &&
           p->substeps == q->substeps &&
           p->counters.newton_iterations == q->counters.newton_iterations &&
           p->counters.cg_iterations == q->counters.cg_iterations &&
           p->counters.factorizations == q->counters.factorizations &&
           p->constraint_error == q->constraint_error && p->worst_body == q->worst_body &&
           p->worst_triangle == q->worst_triangle && p->counters.released == q->counters.released &&
           p->counters.rounds == q->counters.rounds && p->counters.pairs == q->counters.pairs &&
           p->counters.contact_rows == q->counters.contact_rows;
}

/* Steps such worlds in all orders. `halves` is work_max in halves of the least; 0: none. Returns how
   many steps did not converge. */
static int threads_compare(int halves, int takes_unconverged)
{
    threads_run run[THREADS_ORDERS];
    bodies *b[THREADS_ORDERS];
    int order, step, unconverged = 0;
    for (order = 0; order < THREADS_ORDERS; order++) {
        b[order] = threads_describe(run + order, (threads_order)order);
        b[order]->desc.takes_unconverged = takes_unconverged;
        threads_open(b[order]);
        CHECK(dc_world_set_work_max(b[order]->world,
                                    (uint64_t)halves * b[order]->info.work_least / 2,
                                    &b[order]->error) == DC_OK);
    }
    for (step = 0; step < 40; step++)
        for (order = 0; order < THREADS_ORDERS; order++) {
            bodies *it = b[order];
            (void)(dc_world_step)(it->world, DCI_R(0.01), &it->report, &it->error);
            unconverged += order == 0 && (it->error.status != DC_OK || it->report.is_unconverged);
            CHECK(threads_agree(b[0], it));
            if (halves > 0) CHECK(it->report.work < (uint64_t)halves * it->info.work_least);
        }
    CHECK(b[0]->report.counters.contact_rows > 0 || halves > 0);
    for (order = 0; order < THREADS_ORDERS; order++) {
        CHECK(order == THREADS_NONE || run[order].calls > 10);
        bodies_close(b[order]);
    }
    return unconverged;
}

static void test_groups_have_the_same_bits_on_threads(void)
{
    CHECK_EQUAL(threads_compare(0, 0), 0);
}

/* With just enough work, some bodies run out of theirs. */
static void test_groups_share_work_on_threads(void)
{
    CHECK(threads_compare(2, 1) > 0);
    CHECK(threads_compare(6, 1) > 0);
    CHECK(threads_compare(2, 0) > 0);
}

/* The smallest cloth swings by a vertex, with tight tolerances, and needs more than its share. It
   begins anew with what others left, and ends with the bits that it has without a bound. */
static void test_a_group_goes_on_with_work_that_others_left(void)
{
    bodies *b[2];
    int k;
    for (k = 0; k < 2; k++) {
        threads_run run;
        b[k] = threads_describe(&run, THREADS_NONE);
        b[k]->desc.collides = 0;
        b[k]->desc.obstacle_count = 0;
        b[k]->cloth[3].pin_vertices = b[k]->triangles[3];
        b[k]->cloth[3].pin_count = 1;
        b[k]->cloth[3].tolerance = TOL(DCI_R(1e-11), DCI_R(1e-4));
        b[k]->cloth[3].solver.residual_tol = DCI_R(1e-3);
        threads_open(b[k]);
        if (k == 1)
            CHECK(dc_world_set_work_max(b[1]->world, b[0]->report.work + b[0]->report.work / 2,
                                        &b[1]->error) == DC_OK);
        CHECK(dc_world_step(b[k]->world, DCI_R(0.01), &b[k]->report, &b[k]->error) == DC_OK);
    }
    CHECK(b[1]->report.work > b[0]->report.work);
    CHECK(dc_world_hash(b[0]->world) == dc_world_hash(b[1]->world));
    for (k = 0; k < 2; k++) bodies_close(b[k]);
}

/* Two of four cloths fail, and the error names the first. Nothing has changed, and what was counted
   is the same. */
static void test_the_first_group_that_fails_is_named_on_threads(void)
{
    threads_run run[THREADS_ORDERS];
    bodies *b[THREADS_ORDERS];
    int order, k;
    for (order = 0; order < THREADS_ORDERS; order++) {
        bodies *it = b[order] = threads_describe(run + order, (threads_order)order);
        it->desc.collides = 0;
        it->desc.obstacle_count = 0;
        for (k = 1; k < 3; k++) {
            it->cloth[k].pin_vertices = it->triangles[k];
            it->cloth[k].pin_count = 2;
            it->cloth[k].solver.halvings_max = 0;
        }
        threads_open(it);
        for (k = 1; k < 3; k++) /* pulled further apart than their lengths allow */
            CHECK(dc_cloth_set_pin(it->world, k, 0, dci_vec(0, 9, 0), &it->error) == DC_OK);
        CHECK(bodies_step(it, 0.01) == DC_NOT_CONVERGED);
        CHECK_EQUAL(it->error.body, 1);
        CHECK(threads_agree(b[0], it));
    }
    for (order = 0; order < THREADS_ORDERS; order++) bodies_close(b[order]);
}

/* The list of pairs has room for all, but no halves for those of vertices and those of edges; then it
   is too short by one. */
static void test_pairs_are_found_in_a_full_list_on_threads(void)
{
    bodies *b[THREADS_ORDERS];
    threads_run run;
    int order, step, missing;
    dc_index most = DC_NONE;
    for (missing = 0; missing < 2; missing++) {
        for (order = 0; order < THREADS_ORDERS; order++) {
            bodies *it = b[order] = threads_describe(&run, (threads_order)order);
            if (most != DC_NONE) it->desc.pair_capacity = most - missing;
            it->desc.solver.halvings_max = 0;
            threads_open(it);
            for (step = 0; step < 20 && it->error.status == DC_OK; step++) {
                (void)(dc_world_step)(it->world, DCI_R(0.005), &it->report, &it->error);
                if (order == 0 && missing == 0)
                    most = dci_index_max(most, it->report.counters.pairs);
            }
            CHECK(it->error.status == (missing ? DC_TOO_SMALL : DC_OK));
            CHECK(threads_agree(b[0], it) && it->error.needed == b[0]->error.needed);
        }
        for (order = 0; order < THREADS_ORDERS; order++) bodies_close(b[order]);
    }
}

/* Where bodies do not collide, ribbons follow candidates of bodies before them: a sheet, and a
   ribbon. A third ribbon follows none. */
static void test_followers_come_after_those_they_follow_on_threads(void)
{
    uint64_t hash[THREADS_ORDERS];
    int order;
    for (order = 0; order < THREADS_ORDERS; order++) {
        ribbons *r = ribbons_that_follow();
        threads_run run = {(threads_order)order, 0};
        if (order != THREADS_NONE) r->desc.parallel_for = threads_for;
        r->desc.parallel_context = &run;
        r->desc.ribbon_count = 3;
        r->ribbon[2] = r->ribbon[1];
        r->ribbon[2].origin = dci_vec(2, 0, 0);
        r->ribbon[2].attachments = NULL;
        r->ribbon[2].attachment_count = 0;
        CHECK(ribbons_open(r) == DC_OK && ribbons_run(r, 0.1, 0.01) == DC_OK);
        CHECK(order == THREADS_NONE || run.calls >= 10);
        hash[order] = dc_world_hash(r->world);
        CHECK(hash[order] == hash[0]);
        ribbons_close(r);
    }
}

/* A bound on the work of steps, of which groups have shares, does not bound what relaxes. */
static void test_a_ribbon_relaxes_with_more_work_than_a_step(void)
{
    ribbons *r = ribbons_that_follow();
    r->hold[0][0].body = r->hold[1][0].body = DC_NONE;
    r->desc.takes_unconverged = 1;
    r->desc.work_max = 1;
    CHECK(ribbons_make(r) == DC_BAD_ARGUMENT);
    r->desc.work_max = (uint64_t)r->error.value;
    CHECK(ribbons_open(r) == DC_OK);
    CHECK(dc_world_step(r->world, DCI_R(0.02), NULL, &r->error) == DC_OK);
    CHECK(dc_ribbon_relax(r->world, r->desc.cloth_count, NULL, &r->error) == DC_OK);
    ribbons_close(r);
}

static const test_case tests_threads[] = {
    {"groups have the same bits on threads", test_groups_have_the_same_bits_on_threads},
    {"groups share work on threads", test_groups_share_work_on_threads},
    {"a group goes on with work that others left", test_a_group_goes_on_with_work_that_others_left},
    {"the first group that fails is named on threads",
     test_the_first_group_that_fails_is_named_on_threads},
    {"pairs are found in a full list on threads", test_pairs_are_found_in_a_full_list_on_threads},
    {"followers come after those they follow on threads",
     test_followers_come_after_those_they_follow_on_threads},
    {"a ribbon relaxes with more work than a step",
     test_a_ribbon_relaxes_with_more_work_than_a_step},
};
