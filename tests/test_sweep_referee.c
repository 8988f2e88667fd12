/* The exact referee of motions (support/sweep_referee.h): itself, then the library judged by it.

   Its own cases are those of chapters 25 and 26, grazing ones, and the query sets, whose truth was
   found with exact arithmetic too. */

static void test_sweep_referee_answers_cases_made_by_hand_in_every_order(void)
{
    size_t i;
    int order;
    for (i = 0; i < sizeof ccd_cases / sizeof ccd_cases[0]; i++)
        for (order = 0; order < (ccd_cases[i].is_edges ? 8 : 6); order++) {
            ccd_query q = ccd_ordered(&ccd_cases[i], order);
            CHECK_EQUAL(sweep_touches(q.start, q.end, q.is_edges), q.touches);
        }
}

/* Above the point (0, 0) a turning edge, or triangle, has the height (3 t - 1)^2: it is at height 0 at
   y = y_0 = 1 - 3 t, with the slope 3 t - 1 along y. What lies there at -gap is touched once, never, or
   twice: at t = (1 -+ sqrt(-gap)) / 3. No t = 1/3 is a dyadic number. */
static ccd_query grazing_query(int is_edges, double gap)
{
    ccd_query q;
    int end;
    q.is_edges = is_edges;
    for (end = 0; end < 2; end++) {
        dc_vec3 *x = end ? q.end : q.start;
        dc_real y = end ? -2 : 1, slope = end ? 2 : -1, height = -(dc_real)gap;
        if (is_edges) {
            x[0] = dci_vec(-1, 0, height);
            x[1] = dci_vec(1, 0, height);
            x[2] = dci_vec(0, y - 4, -4 * slope);
            x[3] = dci_vec(0, y + 4, 4 * slope);
        } else {
            x[0] = dci_vec(0, 0, height);
            x[1] = dci_vec(-4, y - 4, -4 * slope);
            x[2] = dci_vec(4, y - 4, -4 * slope);
            x[3] = dci_vec(0, y + 8, 8 * slope);
        }
    }
    return q;
}

static void test_sweep_referee_tells_grazing_from_missing_by_a_hair(void)
{
    static const double gap[7] = {0, 1e-3, 1e-12, 1e-30, -1e-3, -1e-12, -1e-30};
    int is_edges, i;
    for (is_edges = 0; is_edges < 2; is_edges++)
        for (i = 0; i < 7; i++) {
            ccd_query q = grazing_query(is_edges, gap[i]);
            CHECK_EQUAL(sweep_touches(q.start, q.end, is_edges), gap[i] <= 0);
        }
}

/* An even number of crossings leaves the sides at both ends as they were: (3 t - 1)^2 = 1/4 at t = 1/6
   and 1/2, where a parity test answers "none". */
static void test_sweep_referee_finds_two_crossings_within_one_step(void)
{
    int is_edges;
    for (is_edges = 0; is_edges < 2; is_edges++) {
        ccd_query q = grazing_query(is_edges, -0.25);
        CHECK(sweep_touches(q.start, q.end, is_edges));
    }
}

/* A vertex stops above, or an edge comes down beside the end of another, by a hair. */
static void test_sweep_referee_knows_a_hair_from_nothing(void)
{
    static const double hair[3] = {1e-12, 0, -1e-12};
    int i;
    for (i = 0; i < 3; i++) {
        ccd_query q = ccd_ordered(&ccd_cases[1], 0); /* a vertex stops above */
        q.end[0].z = (dc_real)hair[i];
        CHECK_EQUAL(sweep_touches(q.start, q.end, 0), hair[i] <= 0);
        q = ccd_ordered(&ccd_cases[13], 0); /* edges cross: along x from -1 to 1, and along y */
        q.start[0].x = q.end[0].x = (dc_real)hair[i]; /* the first now begins at the second */
        CHECK_EQUAL(sweep_touches(q.start, q.end, 1), hair[i] <= 0);
    }
}

static void test_sweep_referee_agrees_with_the_truth_of_the_query_sets(void)
{
    int count = ccd_read_all(ccd_queries), i, wrong = 0, missed = 0;
    if (count == 0) {
        test_skip("query sets of [WFC21]");
        return;
    }
    for (i = 0; i < count; i++) {
        const ccd_query *q = &ccd_queries[i];
        int touches = sweep_touches(q->start, q->end, q->is_edges);
        wrong += touches != q->touches;
        missed += touches && ccd_ask(q, 0).answer == DC_CCD_CLEAR;
    }
    if (sizeof(dc_real) == 8) CHECK_EQUAL(wrong, 0); /* in single the queries are other ones */
    CHECK_EQUAL(missed, 0);
}

/* The library calls clear what is clear and nothing else, but for what comes closer than its resolution:
   1e-11 of the size, which among a few thousand motions at random should not occur. */
static void test_sweep_referee_and_ccd_agree_on_motions_at_random(void)
{
    uint32_t seed;
    int touching = 0, alarms = 0;
    for (seed = 0; seed < 3000; seed++) {
        ccd_query q;
        int i, touches, is_clear;
        q.is_edges = (int)(seed % 2);
        for (i = 0; i < 4; i++) {
            q.start[i] = random_vector(seed + 7000, (uint32_t)i);
            q.end[i] = random_vector(seed + 7000, (uint32_t)(4 + i));
        }
        touches = sweep_touches(q.start, q.end, q.is_edges);
        is_clear = ccd_ask(&q, 0).answer == DC_CCD_CLEAR;
        CHECK(!(touches && is_clear));
        touching += touches;
        alarms += !touches && !is_clear;
    }
    CHECK(touching > 300 && touching < 2700);
    CHECK_AT_MOST(alarms, TOL(0, 3)); /* in single 1e-5 of the size: 3000 of them expect .1 or so */
}

static const test_case tests_sweep_referee[] = {
    {"sweep referee answers cases made by hand in every order",
     test_sweep_referee_answers_cases_made_by_hand_in_every_order},
    {"sweep referee tells grazing from missing by a hair",
     test_sweep_referee_tells_grazing_from_missing_by_a_hair},
    {"sweep referee finds two crossings within one step",
     test_sweep_referee_finds_two_crossings_within_one_step},
    {"sweep referee knows a hair from nothing", test_sweep_referee_knows_a_hair_from_nothing},
    {"sweep referee agrees with the truth of the query sets",
     test_sweep_referee_agrees_with_the_truth_of_the_query_sets},
    {"sweep referee and ccd agree on motions at random",
     test_sweep_referee_and_ccd_agree_on_motions_at_random},
};
