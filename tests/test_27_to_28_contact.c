/* Chapters 27 and 28: nearest points and swept contact, against the query sets of [WFC21] (their
   truth was found with exact arithmetic), cases made by hand, and sampling. */

static ccd_query ccd_queries[QUERIES_MAX];

/* The largest coordinate of a difference: M of chapter 28. */
static double ccd_size(const ccd_query *q)
{
    dci_sweep sweep;
    double size = 0;
    int i;
    dci_sweep_between(q->is_edges ? 4 : 3, q->start, q->end, &sweep);
    for (i = 0; i < sweep.corner_count; i++) {
        size = fmax(size, (double)dci_vec_largest(sweep.start[i]));
        size = fmax(size, (double)dci_vec_largest(sweep.end[i]));
    }
    return size;
}

static dc_ccd_result ccd_ask(const ccd_query *q, double separation)
{
    return q->is_edges ? dc_ccd_edge_edge(q->start, q->end, (dc_real)separation)
                       : dc_ccd_vertex_triangle(q->start, q->end, (dc_real)separation);
}

/* In single the coordinates themselves are rounded, by 6e-8 of the largest; it gets a separation.
   */
static void test_ccd_misses_no_contact_of_the_query_sets(void)
{
    int count = ccd_read_all(ccd_queries), i, misses = 0, alarms = 0, clear = 0;
    double worst = 0;
    if (count == 0) {
        test_skip("query sets of [WFC21]");
        return;
    }
    for (i = 0; i < count; i++) {
        const ccd_query *q = &ccd_queries[i];
        double size = ccd_size(q), separation = TOL(0, 1e-5) * size;
        dc_ccd_result r = ccd_ask(q, separation);
        if (q->contact_rows && r.answer == DC_CCD_CLEAR) misses++;
        if (q->contact_rows) continue;
        clear++;
        if (r.answer == DC_CCD_CLEAR) continue;
        alarms++;
        worst = fmax(worst, ((double)r.distance - separation) / size);
        CHECK(r.answer == DC_CCD_CONTACT);
    }
    CHECK_EQUAL(misses, 0);
    CHECK_AT_MOST(alarms, TOL(0.05, 0.15) * clear);
    CHECK_AT_MOST(worst, TOL(1e-11, 1e-5) + 32 * (double)DCI_EPSILON);
}

/* ---- Cases by hand ---- */

/* Four points at both ends as numbers. */
typedef struct ccd_case {
    const char *name;
    int is_edges, contact_rows;
    double start[12], end[12];
} ccd_case;

static const ccd_case ccd_cases[] = {
    {"a vertex falls through",
     0,
     1,
     {.2, .2, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0},
     {.2, .2, -1, 0, 0, 0, 1, 0, 0, 0, 1, 0}},
    {"it stops above",
     0,
     0,
     {.2, .2, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0},
     {.2, .2, .01, 0, 0, 0, 1, 0, 0, 0, 1, 0}},
    {"it passes beside",
     0,
     0,
     {.6, .6, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0},
     {.6, .6, -1, 0, 0, 0, 1, 0, 0, 0, 1, 0}},
    {"the triangle sweeps over it and back: two crossings in one step",
     0,
     1,
     {0, 0, -.1, -1, -1, 1, 1, -1, 1, 0, 2, -1},
     {0, 0, -.1, -1, -1, -1, 1, -1, -1, 0, 2, 1}},
    {"everything stays in one plane, the vertex runs into a side",
     0,
     1,
     {-1, .2, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0},
     {1, .2, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0}},
    {"in one plane, past it",
     0,
     0,
     {-1, 1.2, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0},
     {1, 1.2, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0}},
    {"a triangle without area, hit at its line",
     0,
     1,
     {.5, 0, 1, 0, 0, 0, 1, 0, 0, 2, 0, 0},
     {.5, 0, -1, 0, 0, 0, 1, 0, 0, 2, 0, 0}},
    {"a triangle without area, missed",
     0,
     0,
     {.5, .1, 1, 0, 0, 0, 1, 0, 0, 2, 0, 0},
     {.5, .1, -1, 0, 0, 0, 1, 0, 0, 2, 0, 0}},
    {"a triangle that is a point, hit",
     0,
     1,
     {0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0},
     {0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"all four points are one and move together",
     0,
     1,
     {1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3},
     {2, 2, 3, 2, 2, 3, 2, 2, 3, 2, 2, 3}},
    {"a vertex grazes a corner",
     0,
     1,
     {-1, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0, -1},
     {1, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0, -1}},
    {"huge",
     0,
     1,
     {.2e9, .2e9, 1e9, 0, 0, 0, 1e9, 0, 0, 0, 1e9, 0},
     {.2e9, .2e9, -1e9, 0, 0, 0, 1e9, 0, 0, 0, 1e9, 0}},
    {"tiny",
     0,
     0,
     {.2e-9, .2e-9, 1e-9, 0, 0, 0, 1e-9, 0, 0, 0, 1e-9, 0},
     {.2e-9, .2e-9, 1e-11, 0, 0, 0, 1e-9, 0, 0, 0, 1e-9, 0}},
    {"edges cross",
     1,
     1,
     {-1, 0, 1, 1, 0, 1, 0, -1, 0, 0, 1, 0},
     {-1, 0, -1, 1, 0, -1, 0, -1, 0, 0, 1, 0}},
    {"edges pass beside each other",
     1,
     0,
     {-1, 0, 1, 1, 0, 1, 1.1, -1, 0, 1.1, 1, 0},
     {-1, 0, -1, 1, 0, -1, 1.1, -1, 0, 1.1, 1, 0}},
    {"parallel edges meet",
     1,
     1,
     {-1, 0, 1, 1, 0, 1, -1, 0, 0, 1, 0, 0},
     {-1, 0, -1, 1, 0, -1, -1, 0, 0, 1, 0, 0}},
    {"parallel edges keep apart",
     1,
     0,
     {-1, 0, 1, 1, 0, 1, -1, 0, 0, 1, 0, 0},
     {-1, 0, .1, 1, 0, .1, -1, 0, 0, 1, 0, 0}},
    {"edges on one line run into each other",
     1,
     1,
     {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0},
     {0, 0, 0, 1, 0, 0, .5, 0, 0, 1.5, 0, 0}},
    {"edges on one line keep apart",
     1,
     0,
     {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0},
     {0, 0, 0, 1, 0, 0, 1.1, 0, 0, 2.1, 0, 0}},
    {"in one plane edges swing across each other",
     1,
     1,
     {0, 0, 0, 1, 0, 0, .5, .1, 0, .5, 1, 0},
     {0, 0, 0, 1, 0, 0, .5, -.5, 0, .5, 1, 0}},
    {"an edge without length is hit",
     1,
     1,
     {-1, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0},
     {-1, 0, -1, 1, 0, -1, 0, 0, 0, 0, 0, 0}},
    {"a turning edge meets another off its middle",
     1,
     1,
     {-1, .3, .1, 1, .3, .1, 0, -1, 1, 0, 1, -1},
     {-1, .3, .1, 1, .3, .1, 0, -1, -1, 0, 1, 1}},
    {"it passes over its middle",
     1,
     0,
     {-1, 0, .1, 1, 0, .1, 0, -1, 1, 0, 1, -1},
     {-1, 0, .1, 1, 0, .1, 0, -1, -1, 0, 1, 1}}};

/* In every order of vertices that means the same: 6 of a triangle; 8 of two edges. */
static ccd_query ccd_ordered(const ccd_case *c, int order)
{
    static const int triangle[6][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 1, 3},
                                       {0, 2, 3, 1}, {0, 3, 1, 2}, {0, 3, 2, 1}};
    static const int edges[8][4] = {{0, 1, 2, 3}, {1, 0, 2, 3}, {0, 1, 3, 2}, {1, 0, 3, 2},
                                    {2, 3, 0, 1}, {3, 2, 0, 1}, {2, 3, 1, 0}, {3, 2, 1, 0}};
    ccd_query q;
    int i;
    for (i = 0; i < 4; i++) {
        const double *s = c->start + 3 * (c->is_edges ? edges[order][i] : triangle[order][i]);
        const double *e = c->end + 3 * (c->is_edges ? edges[order][i] : triangle[order][i]);
        q.start[i] = dci_vec((dc_real)s[0], (dc_real)s[1], (dc_real)s[2]);
        q.end[i] = dci_vec((dc_real)e[0], (dc_real)e[1], (dc_real)e[2]);
    }
    q.is_edges = c->is_edges;
    q.contact_rows = c->contact_rows;
    return q;
}

static void test_ccd_answers_cases_made_by_hand_in_every_order(void)
{
    size_t i;
    int order;
    for (i = 0; i < sizeof ccd_cases / sizeof ccd_cases[0]; i++)
        for (order = 0; order < (ccd_cases[i].is_edges ? 8 : 6); order++) {
            ccd_query q = ccd_ordered(&ccd_cases[i], order);
            int is_clear = ccd_ask(&q, 0).answer == DC_CCD_CLEAR;
            if (is_clear == q.contact_rows) printf("    %s, order %d\n", ccd_cases[i].name, order);
            CHECK(is_clear != q.contact_rows);
        }
}

static void test_ccd_keeps_the_separation_it_is_asked_for(void)
{
    ccd_query q = ccd_ordered(&ccd_cases[1], 0); /* stops at a height of .01 */
    dc_ccd_result r = ccd_ask(&q, 0.009);
    CHECK(r.answer == DC_CCD_CLEAR);
    r = ccd_ask(&q, 0.011);
    CHECK(r.answer == DC_CCD_CONTACT);
    CHECK_NEAR(r.distance, 0.011, TOL(1e-10, 1e-4));
    CHECK_NEAR(r.time, (1 - 0.011) / 0.99, TOL(1e-10, 1e-4));
    CHECK_NEAR(r.normal.z, -1, TOL(1e-12, 1e-5)); /* from the vertex down to the triangle */
    CHECK_NEAR(r.weight[0], 1, 0);
    CHECK_NEAR(r.weight[1], 0.6, TOL(1e-12, 1e-5));
    CHECK_NEAR(r.weight[2], 0.2, TOL(1e-12, 1e-5));
    CHECK_NEAR(r.weight[3], 0.2, TOL(1e-12, 1e-5));
}

static void test_ccd_never_clears_what_is_not_finite(void)
{
    dc_real bad[3];
    int i, k, side;
    bad[0] = (dc_real)NAN, bad[1] = (dc_real)INFINITY, bad[2] = -(dc_real)INFINITY;
    for (k = 0; k < 3; k++)
        for (i = 0; i < 4; i++)
            for (side = 0; side < 2; side++) {
                ccd_query q = ccd_ordered(&ccd_cases[2], 0);
                (side ? q.end : q.start)[i].y = bad[k];
                CHECK(ccd_ask(&q, 0).answer == DC_CCD_UNDECIDED);
                q.is_edges = 1;
                CHECK(ccd_ask(&q, 0).answer == DC_CCD_UNDECIDED);
            }
}

/* ---- Random hulls ---- */

static dc_vec3 random_vector(uint32_t seed, uint32_t number)
{
    return dci_vec(dci_random(seed, 3 * number), dci_random(seed, 3 * number + 1),
                   dci_random(seed, 3 * number + 2));
}

/* A point of a convex set is the nearest if no corner lies on the near side of the plane across it.
   */
static void test_nearest_point_of_a_hull_is_the_nearest(void)
{
    uint32_t seed;
    for (seed = 0; seed < 2000; seed++) {
        int count = seed % 2 ? 3 : 4, i;
        dc_vec3 corner[4], sum = dci_vec(0, 0, 0);
        dci_near nearest;
        double total = 0, least = 1e30;
        for (i = 0; i < 3; i++) corner[i] = random_vector(seed, (uint32_t)i);
        if (seed % 5 == 0) corner[2] = corner[1];
        if (seed % 7 == 0) corner[1] = dci_vec_axpy(corner[0], DCI_R(1e-4), corner[1]);
        if (count == 4) corner[3] = dci_vec_add(corner[0], dci_vec_sub(corner[2], corner[1]));
        nearest = dci_hull_nearest(corner, count);
        for (i = 0; i < count; i++) {
            CHECK(nearest.weight[i] >= 0);
            total += (double)nearest.weight[i];
            sum = dci_vec_axpy(sum, nearest.weight[i], corner[i]);
            least =
                fmin(least, (double)dci_dot(nearest.point, dci_vec_sub(corner[i], nearest.point)));
        }
        CHECK_NEAR(total, 1, TOL(1e-14, 1e-6));
        CHECK_AT_MOST(dci_norm(dci_vec_sub(sum, nearest.point)), TOL(1e-9, 1e-3));
        CHECK_NEAR(nearest.distance_sq, dci_dot(nearest.point, nearest.point), TOL(1e-13, 1e-5));
        CHECK_AT_MOST(-least, TOL(1e-9, 1e-3));
    }
}

/* Random motions: what is called clear keeps its distance at every sampled time. */
static void test_ccd_proofs_hold_at_every_sampled_time(void)
{
    uint32_t seed;
    int clear = 0, contact = 0;
    for (seed = 0; seed < 3000; seed++) {
        ccd_query q;
        dci_sweep sweep;
        dci_sweep_sample at;
        dc_ccd_result r;
        double separation = seed % 3 == 0 ? 0.02 : 0, least = 1e30;
        int i, sample;
        q.is_edges = (int)(seed % 2);
        for (i = 0; i < 4; i++) {
            q.start[i] = random_vector(seed, (uint32_t)i);
            q.end[i] = random_vector(seed, (uint32_t)(4 + i));
        }
        r = ccd_ask(&q, separation);
        CHECK(r.answer != DC_CCD_UNDECIDED);
        dci_sweep_between(q.is_edges ? 4 : 3, q.start, q.end, &sweep);
        for (sample = 0; sample <= 400; sample++) {
            dci_sweep_evaluate(&sweep, (dc_real)sample / 400, &at);
            if (r.answer == DC_CCD_CLEAR || at.time < r.time)
                least = fmin(least, sqrt((double)at.nearest.distance_sq));
        }
        clear += r.answer == DC_CCD_CLEAR;
        contact += r.answer == DC_CCD_CONTACT;
        CHECK(least >= separation - TOL(1e-12, 1e-5));
        if (r.answer == DC_CCD_CONTACT) CHECK_AT_MOST(r.distance, separation + TOL(1e-10, 1e-4));
    }
    CHECK(clear > 300 && contact > 300); /* both answers were tried */
}

/* A vertex at a distance h of a triangle, h so small that its square is hardly a number: nothing that
   is closer than the separation is called clear. */
static void test_the_smallest_distances_are_not_called_clear(void)
{
    double h;
    for (h = TOL(1e-150, 1e-12); h > TOL(1e-163, 1e-23); h *= 0.93) {
        dc_real r = (dc_real)h;
        const dc_vec3 x[4] = {{0, 0, 0}, {r, 0, 0}, {2 * r, -r, 0}, {2 * r, r, 0}};
        CHECK(dc_ccd_vertex_triangle(x, x, (dc_real)(1.01 * h)).answer != DC_CCD_CLEAR);
    }
}

/* The squares of these coordinates have a few digits. */
static void test_normals_are_unit_where_squares_are_subnormal(void)
{
    double h;
    for (h = TOL(1e-159, 1e-20); h > TOL(1e-161, 1e-22); h *= 0.93) {
        const dc_vec3 p = {0, (dc_real)(3 * h), (dc_real)h};
        dc_vec3 x[4] = {{0, 0, 0}};
        x[1] = x[2] = x[3] = p;
        CHECK_NEAR(dci_norm(dc_ccd_vertex_triangle(x, x, 0).normal), 1, TOL(1e-15, 1e-6));
    }
}

/* Two edges on a line, up to the rounding of their ends, one after the other: their hull is a segment,
   whose corners span a tiny area in any direction. */
static void test_edges_on_a_line_are_as_far_apart_as_their_ends(void)
{
    static const int end[4][4] = {{0, 1, 2, 3}, {1, 0, 2, 3}, {0, 1, 3, 2}, {1, 0, 3, 2}};
    uint32_t seed;
    for (seed = 0; seed < 400000; seed++) {
        const dc_vec3 from = random_vector(seed, 0);
        dc_vec3 along = random_vector(seed, 1), x[4];
        int i;
        if (seed % 2) along.y = 0;
        for (i = 0; i < 4; i++) x[end[seed / 2 % 4][i]] = dci_vec_axpy(from, (dc_real)i, along);
        if (seed % 2) x[1].y = x[3].y *= 1 + DCI_EPSILON;
        CHECK_EQUAL(dc_ccd_edge_edge(x, x, DCI_R(0.9) * dci_norm(along)).answer, DC_CCD_CLEAR);
    }
}

/* The axis of a thick body, and edges at rest across its surface, whose nearest point is just inside
   an end of the axis. The distance between the lines is known; so is the gap. */
static void test_edges_at_rest_on_a_thick_body_are_clear(void)
{
    const double radius = 0.25, half = 0.3, gap = TOL(1e-9, 2e-5);
    uint32_t seed;
    for (seed = 0; seed < 1000; seed++) {
        dc_real inside = (dc_real)(half * (1 - 1e-3 * (1 + (double)dci_random(seed, 1))));
        dc_real angle = DCI_R(3) * dci_random(seed, 2), left = 1 + dci_random(seed, 3) / 2;
        dc_vec3 up = dci_vec(0, dc_cos(angle), dc_sin(angle));
        dc_vec3 across = dci_vec(DCI_R(0.2) * dci_random(seed, 4), -up.z, up.y);
        dc_vec3 middle = dci_vec_axpy(dci_vec(inside, 0, 0), (dc_real)(radius + gap), up), x[4];
        x[0] = dci_vec((dc_real)-half, 0, 0);
        x[1] = dci_vec((dc_real)half, 0, 0);
        x[2] = dci_vec_axpy(middle, DCI_R(-0.03) * left, across);
        x[3] = dci_vec_axpy(middle, DCI_R(0.03) * (2 - left), across);
        CHECK(dc_ccd_edge_edge(x, x, (dc_real)radius).answer == DC_CCD_CLEAR);
    }
}

static const test_case tests_contact[] = {
    {"the smallest distances are not called clear",
     test_the_smallest_distances_are_not_called_clear},
    {"ccd misses no contact of the query sets", test_ccd_misses_no_contact_of_the_query_sets},
    {"ccd answers cases made by hand in every order",
     test_ccd_answers_cases_made_by_hand_in_every_order},
    {"ccd keeps the separation it is asked for", test_ccd_keeps_the_separation_it_is_asked_for},
    {"ccd never clears what is not finite", test_ccd_never_clears_what_is_not_finite},
    {"nearest point of a hull is the nearest", test_nearest_point_of_a_hull_is_the_nearest},
    {"ccd proofs hold at every sampled time", test_ccd_proofs_hold_at_every_sampled_time},
    {"edges on a line are as far apart as their ends",
     test_edges_on_a_line_are_as_far_apart_as_their_ends},
    {"edges at rest on a thick body are clear", test_edges_at_rest_on_a_thick_body_are_clear},
    {"normals are unit where squares are subnormal",
     test_normals_are_unit_where_squares_are_subnormal},
};
