/* The exact referee of motions (support/sweep_referee.h): itself, then the library judged by it.

   Its own cases are those of chapters 27 and 28, grazing ones, and the query sets, whose truth was
   found with exact arithmetic too. */

static int query_touches(const ccd_query *q)
{
    return sweep_touches(q->start, q->end, q->is_edges ? SWEEP_EDGES : SWEEP_VERTEX_TRIANGLE);
}

static void test_sweep_referee_answers_cases_made_by_hand_in_every_order(void)
{
    size_t i;
    int order;
    for (i = 0; i < sizeof ccd_cases / sizeof ccd_cases[0]; i++)
        for (order = 0; order < (ccd_cases[i].is_edges ? 8 : 6); order++) {
            ccd_query q = ccd_ordered(&ccd_cases[i], order);
            CHECK_EQUAL(query_touches(&q), q.contact_rows);
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
            CHECK_EQUAL(query_touches(&q), gap[i] <= 0);
        }
}

/* An even number of crossings leaves the sides at both ends as they were: (3 t - 1)^2 = 1/4 at t = 1/6
   and 1/2, where a parity test answers "none". */
static void test_sweep_referee_finds_two_crossings_within_one_step(void)
{
    int is_edges;
    for (is_edges = 0; is_edges < 2; is_edges++) {
        ccd_query q = grazing_query(is_edges, -0.25);
        CHECK(query_touches(&q));
    }
}

/* The plane of the grazing triangle does to the vertex what the triangle does, and far beside it too. */
static void test_sweep_referee_knows_what_is_behind_a_plane(void)
{
    static const double gap[5] = {0, 1e-12, -1e-12, 1e-3, -1e-3};
    dc_mesh mesh;
    sweep_body body;
    dc_vec3 at[3], start[3], end[3];
    int i, k;
    memset(&mesh, 0, sizeof mesh);
    mesh.vertex_count = 3;
    body.mesh = &mesh, body.start = body.end = at;
    for (i = 0; i < 5; i++) {
        ccd_query q = grazing_query(0, gap[i]);
        for (k = 0; k < 3; k++) at[k] = dci_vec((dc_real)(100 * k), 0, -(dc_real)gap[i]);
        for (k = 0; k < 3; k++) { /* it is counter-clockwise seen from above, the front is below */
            start[k] = q.start[3 - k];
            end[k] = q.end[3 - k];
        }
        CHECK_EQUAL(sweep_count_behind(&body, start, end), gap[i] > 0 ? 0 : 3);
        for (k = 0; k < 3; k++) at[k].z = DCI_R(100);
        CHECK_EQUAL(sweep_count_behind(&body, start, end), 3);
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
        CHECK_EQUAL(query_touches(&q), hair[i] <= 0);
        q = ccd_ordered(&ccd_cases[13], 0); /* edges cross: along x from -1 to 1, and along y */
        q.start[0].x = q.end[0].x = (dc_real)hair[i]; /* the first now begins at the second */
        CHECK_EQUAL(query_touches(&q), hair[i] <= 0);
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
        int contact_rows = query_touches(q);
        wrong += contact_rows != q->contact_rows;
        missed += contact_rows && ccd_ask(q, 0).answer == DC_CCD_CLEAR;
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
        int i, contact_rows, is_clear;
        q.is_edges = (int)(seed % 2);
        for (i = 0; i < 4; i++) {
            q.start[i] = random_vector(seed + 7000, (uint32_t)i);
            q.end[i] = random_vector(seed + 7000, (uint32_t)(4 + i));
        }
        contact_rows = query_touches(&q);
        is_clear = ccd_ask(&q, 0).answer == DC_CCD_CLEAR;
        CHECK(!(contact_rows && is_clear));
        touching += contact_rows;
        alarms += !contact_rows && !is_clear;
    }
    CHECK(touching > 300 && touching < 2700);
    CHECK_AT_MOST(alarms, TOL(0, 3)); /* in single 1e-5 of the size: 3000 of them expect .1 or so */
}

/* ---- The library, step by step ---- */

/* Judged steps for a time [s]; returns how many contacts were met. */
static dc_index judged_run(bodies *b, double time, double dt)
{
    dc_index contacts = 0;
    int i;
    for (i = 0; i < (int)(time / dt + 0.5); i++) {
        CHECK(bodies_step(b, dt) == DC_OK);
        contacts += b->report.counters.impulses + b->report.counters.repulsions +
                    b->report.counters.contact_rows;
    }
    return contacts;
}

/* What the judged scenes would show if nothing held the bodies apart: otherwise they prove little. */
static void test_judge_finds_what_goes_through_without_collisions(void)
{
    bodies *b = bodies_begin();
    int i, count = 0;
    b->desc.collides = 0;
    b->desc.gravity = dci_vec(0, 0, 0);
    bodies_sheet(b, 4, 4, 0.5, 0.5, 0, 0, 0);
    bodies_sheet(b, 3, 3, 0.4, 0.4, 0.05, 0.011, 0.02);
    CHECK(bodies_open(b) == DC_OK);
    bodies_throw(b, 1, dci_vec(0, -1, 0));
    for (i = 0; i < 10; i++) { /* 2 mm a step: through in the sixth */
        bodies_remember(b);
        CHECK(dc_world_step(b->world, DCI_R(0.002), NULL, NULL) == DC_OK);
        count = bodies_judge(b);
        CHECK_EQUAL(count > 0, i == 5);
    }
    bodies_close(b);
}

/* A closed mesh of few triangles. */
static dc_mesh_desc small_ball(double radius, dc_vec3 *positions, dc_index *triangles)
{
    shape_desc shape = shape_defaults(SHAPE_SPHERE);
    dc_mesh_desc mesh;
    shape.columns = 8;
    shape.rows = 5;
    shape.radius = (dc_real)radius;
    CHECK(shape_build(&shape, positions, triangles, NULL, &mesh, NULL) == DC_OK);
    return mesh;
}

enum { SMALL_BALL_VERTICES = 64, SMALL_BALL_TRIANGLES = 128 };

static void test_every_step_of_a_sheet_on_a_mesh_is_judged_free(void)
{
    dc_vec3 positions[SMALL_BALL_VERTICES];
    dc_index triangles[3 * SMALL_BALL_TRIANGLES];
    bodies *b = bodies_begin();
    dc_obstacle_desc *ball =
        bodies_obstacle(b, DC_OBSTACLE_MESH, dci_vec(0, 0, 0), dci_vec(0, 0, 0), 0);
    ball->mesh = small_ball(0.15, positions, triangles);
    ball->friction = DCI_R(0.3);
    bodies_sheet(b, 8, 8, 0.6, 0.6, 0.02, 0.17, 0.01);
    CHECK(bodies_open(b) == DC_OK);
    CHECK(judged_run(b, 0.7, 0.002) > 100);
    CHECK(dc_cloth_measure(b->world, 0).centre.y > DCI_R(-0.15)); /* the ball holds it */
    bodies_close(b);
}

/* The lower sheet lies loose, the upper falls on it, turned. */
static void test_every_step_of_two_sheets_on_each_other_is_judged_free(void)
{
    bodies *b = bodies_begin();
    dc_index v;
    bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, 0, 0), dci_vec(0, 1, 0), 1)->friction =
        DCI_R(0.3);
    bodies_sheet(b, 6, 6, 0.5, 0.5, 0, 0.004, 0);
    bodies_sheet(b, 5, 5, 0.4, 0.4, 0.05, 0, 0.02);
    for (v = 0; v < b->cloth[1].mesh.vertex_count; v++) { /* tan of the slope 1/3 */
        dc_vec3 *p = &b->positions[1][v];
        *p = dci_vec(DCI_R(0.94868329805) * p->x, DCI_R(0.13) + DCI_R(0.316227766017) * p->x, p->z);
    }
    CHECK(bodies_open(b) == DC_OK);
    CHECK(judged_run(b, 0.6, 0.002) > 100);
    for (v = 0; v < b->cloth[1].mesh.vertex_count; v++)
        CHECK(dc_body_positions(b->world, 1)[v].y > 0);
    bodies_close(b);
}

/* An upright ribbon, a little bent, sinks down onto the floor and itself. */
static void test_every_step_of_a_folding_ribbon_is_judged_free(void)
{
    bodies *b = bodies_begin();
    dc_index v, k = bodies_sheet(b, 20, 2, 0.8, 0.08, 0, 0, 0);
    bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, 0, 0), dci_vec(0, 1, 0), 0.8)->friction =
        DCI_R(0.4);
    for (v = 0; v < b->cloth[k].mesh.vertex_count; v++) {
        dc_vec3 *p = &b->positions[k][v];
        dc_real s = p->x + DCI_R(0.4);
        *p = dci_vec(DCI_R(0.03) * dc_sin(8 * s), DCI_R(0.01) + s, p->z);
    }
    CHECK(bodies_open(b) == DC_OK);
    CHECK(judged_run(b, 0.5, 0.002) > 100);
    bodies_close(b);
}

static const test_case tests_sweep_referee[] = {
    {"sweep referee answers cases made by hand in every order",
     test_sweep_referee_answers_cases_made_by_hand_in_every_order},
    {"sweep referee tells grazing from missing by a hair",
     test_sweep_referee_tells_grazing_from_missing_by_a_hair},
    {"sweep referee finds two crossings within one step",
     test_sweep_referee_finds_two_crossings_within_one_step},
    {"sweep referee knows what is behind a plane", test_sweep_referee_knows_what_is_behind_a_plane},
    {"sweep referee knows a hair from nothing", test_sweep_referee_knows_a_hair_from_nothing},
    {"sweep referee agrees with the truth of the query sets",
     test_sweep_referee_agrees_with_the_truth_of_the_query_sets},
    {"sweep referee and ccd agree on motions at random",
     test_sweep_referee_and_ccd_agree_on_motions_at_random},
    {"judge finds what goes through without collisions",
     test_judge_finds_what_goes_through_without_collisions},
    {"every step of a sheet on a mesh is judged free",
     test_every_step_of_a_sheet_on_a_mesh_is_judged_free},
    {"every step of two sheets on each other is judged free",
     test_every_step_of_two_sheets_on_each_other_is_judged_free},
    {"every step of a folding ribbon is judged free",
     test_every_step_of_a_folding_ribbon_is_judged_free},
};
