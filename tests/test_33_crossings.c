/* Chapter 33: what crosses at the start is found, named, and treated as the user chose. */

/* Two square sheets of side 1 that collide, without gravity: one in the plane y = 0, the other
   placed by the test. */
typedef struct two_sheets {
    fixture f;
    dc_cloth_desc cloth[2];
    dc_vec3 *other; /* positions of the second sheet */
} two_sheets;

static two_sheets two_sheets_begin(dc_index cells, dc_start policy)
{
    two_sheets t;
    size_t bytes;
    dc_index v;
    t.f = lying_sheet(cells, 0);
    t.f.desc.gravity = dci_vec(0, 0, 0);
    t.f.desc.start = policy;
    t.f.cloth.thickness = DCI_R(0.01);
    bytes = (size_t)t.f.cloth.mesh.vertex_count * sizeof(dc_vec3);
    t.other = (dc_vec3 *)test_alloc(bytes);
    for (v = 0; v < t.f.cloth.mesh.vertex_count; v++) t.other[v] = t.f.positions[v];
    return t;
}

static dc_status two_sheets_open(two_sheets *t)
{
    t->cloth[0] = t->cloth[1] = t->f.cloth;
    t->cloth[1].mesh.positions = t->other;
    t->f.desc.cloths = t->cloth;
    t->f.desc.cloth_count = 2;
    return make_world(&t->f.desc, &t->f.memory, &t->f.world, &t->f.info, &t->f.error);
}

static void two_sheets_close(two_sheets *t)
{
    free(t->other);
    fixture_close(&t->f);
}

/* The second sheet is tilted about the line x + z = .4, so that it cuts a corner off the first, and
   shifted along that line, so that no edge meets another. */
static void cut_a_corner(two_sheets *t)
{
    dc_index v;
    for (v = 0; v < t->f.cloth.mesh.vertex_count; v++) {
        dc_real s = (t->other[v].x + t->other[v].z) / DC_SQRT(2), d = DCI_R(0.4) / DC_SQRT(2);
        dc_real c = (t->other[v].x - t->other[v].z) / DC_SQRT(2) + DCI_R(0.017);
        dc_real along = d + (s - d) * DCI_R(0.96); /* a turn by acos .96 = 16 degrees */
        t->other[v].x = (along + c) / DC_SQRT(2);
        t->other[v].z = (along - c) / DC_SQRT(2);
        t->other[v].y = (s - d) * DCI_R(0.28);
    }
}

/* Whether an edge and a triangle that are named cross, by exact arithmetic. */
static int pair_crosses(const two_sheets *t, const dc_feature_pair *pair)
{
    const dc_vec3 *e = dc_body_positions(t->f.world, pair->first.body);
    const dc_vec3 *x = dc_body_positions(t->f.world, pair->second.body);
    const dc_index *v = pair->second.vertex;
    CHECK(pair->first.vertex[1] != DC_NONE && pair->first.vertex[2] == DC_NONE);
    CHECK(v[2] != DC_NONE && pair->first.body != pair->second.body);
    return exact_pierces(e[pair->first.vertex[0]], e[pair->first.vertex[1]], x[v[0]], x[v[1]],
                         x[v[2]]);
}

static void test_a_start_that_crosses_is_refused_and_the_pairs_are_named(void)
{
    two_sheets t = two_sheets_begin(7, DC_START_REFUSE);
    static dc_feature_pair pairs[500];
    const dc_mesh *mesh;
    dc_index count, i, exact;
    cut_a_corner(&t);
    CHECK(two_sheets_open(&t) == DC_CROSSING);
    CHECK(t.f.error.value > 0 && t.f.error.pair.first.body != DC_NONE);
    count = (dc_index)t.f.error.value;
    free(t.f.memory), t.f.memory = NULL;
    t.f.desc.start = DC_START_TOLERATE; /* now the world is there to be asked */
    CHECK(two_sheets_open(&t) == DC_OK);
    CHECK_EQUAL(dc_world_crossings(t.f.world, 500, pairs), count);
    CHECK_EQUAL(dc_world_crossings(t.f.world, 0, NULL), count);
    mesh = dc_cloth_mesh(t.f.world, 0);
    exact = referee_count(mesh, dc_body_positions(t.f.world, 0), dc_cloth_mesh(t.f.world, 1),
                          dc_body_positions(t.f.world, 1)) +
            referee_count(dc_cloth_mesh(t.f.world, 1), dc_body_positions(t.f.world, 1), mesh,
                          dc_body_positions(t.f.world, 0));
    CHECK_EQUAL(count, exact);
    for (i = 0; i < count; i++) CHECK(pair_crosses(&t, &pairs[i]));
    CHECK(fixture_step(&t.f, 0.002) == DC_OK);
    CHECK(!t.f.report.is_certified && t.f.report.crossings == count);
    two_sheets_close(&t);
}

/* Sheets in the same place are drawn apart to their thickness, slowly: what is missing, times
   DCI_CONTACT_ROW_PARTING, is their first speed, which nothing brakes. So it takes 1/1.25 = .8 s. */
static void test_coincident_sheets_are_refused_or_separated(void)
{
    two_sheets t = two_sheets_begin(6, DC_START_REFUSE);
    dc_measures low, high;
    int i;
    CHECK(two_sheets_open(&t) == DC_CROSSING);
    free(t.f.memory), t.f.memory = NULL;
    t.f.desc.start = DC_START_SEPARATE;
    CHECK(two_sheets_open(&t) == DC_OK);
    for (i = 0; i < 400; i++) {
        CHECK(fixture_step(&t.f, 0.002) == DC_OK);
        CHECK_AT_MOST(dc_cloth_measure(t.f.world, 0).kinetic, 1e-4); /* [J] .15 kg at 4 cm/s */
    }
    CHECK(t.f.report.is_certified && dc_world_crossings(t.f.world, 0, NULL) == 0);
    low = dc_cloth_measure(t.f.world, 0);
    high = dc_cloth_measure(t.f.world, 1);
    CHECK_NEAR(high.centre.y - low.centre.y, 0.01, 1e-3);
    /* equal masses; in single the rounding of x makes 3e-5 m/s a step */
    CHECK_NEAR(high.centre.y + low.centre.y, 0, TOL(1e-9, 1e-4));
    two_sheets_close(&t);
}

static void test_a_corner_that_pokes_through_is_drawn_back(void)
{
    two_sheets t = two_sheets_begin(8, DC_START_SEPARATE);
    int i;
    cut_a_corner(&t);
    CHECK(two_sheets_open(&t) == DC_OK);
    for (i = 0; i < 1000 && (i == 0 || !t.f.report.is_certified); i++)
        CHECK(fixture_step(&t.f, 0.002) == DC_OK);
    CHECK(t.f.report.is_certified);
    CHECK_EQUAL(dc_world_crossings(t.f.world, 0, NULL), 0);
    CHECK_EQUAL(referee_count(dc_cloth_mesh(t.f.world, 0), dc_body_positions(t.f.world, 0),
                              dc_cloth_mesh(t.f.world, 1), dc_body_positions(t.f.world, 1)),
                0);
    two_sheets_close(&t);
}

/* The second sheet has a bump of 12 cm that goes 10 cm through the first, as it does at rest; no edges
   meet. */
static void bump_through(two_sheets *t)
{
    dc_index v;
    for (v = 0; v < t->f.cloth.mesh.vertex_count; v++) {
        dc_real x = t->other[v].x, z = t->other[v].z, reach = DCI_R(0.3);
        dc_real part = dci_max(0, 1 - (x * x + z * z) / (reach * reach));
        t->other[v].x += DCI_R(0.0137);
        t->other[v].z += DCI_R(0.0071);
        t->other[v].y = DCI_R(0.02) - DCI_R(0.12) * part * part;
    }
}

/* A row of vertices leaps through the other sheet, and the next step restores the lengths. In a short
   step this would be fast: a leap of a fifth of an edge in .1 ms, 400 m/s. In floats a few crossings
   may come back for a step. */
static void test_in_short_steps_crossings_are_not_parted_faster(void)
{
    two_sheets t = two_sheets_begin(5, DC_START_SEPARATE);
    const double edge = 0.2;
    dc_index v, n = t.f.cloth.mesh.vertex_count, crossings, first;
    double fastest = 0;
    int i, k;
    for (v = 0; v < n; v++) /* a turn by acos .6 = 53 degrees */
        t.other[v] = dci_vec(t.other[v].x + DCI_R(0.0015), DCI_R(0.02) + DCI_R(0.8) * t.other[v].z,
                             DCI_R(-0.18) + DCI_R(0.6) * t.other[v].z);
    CHECK(two_sheets_open(&t) == DC_OK);
    first = crossings = dc_world_crossings(t.f.world, 0, NULL);
    for (i = 0; i < 400; i++) {
        CHECK(fixture_step(&t.f, 0.0001) == DC_OK);
        if (sizeof(dc_real) == 8) CHECK(t.f.report.crossings <= crossings);
        crossings = t.f.report.crossings;
        for (k = 0; k < 2; k++)
            for (v = 0; v < n; v++)
                fastest = fmax(fastest, (double)dci_norm(dc_body_velocities(t.f.world, k)[v]));
    }
    CHECK(crossings <= first);
    CHECK_AT_MOST(fastest, 200 * edge); /* [m/s] */
    two_sheets_close(&t);
}

/* Edges that pierce triangles of the other sheet, by exact arithmetic. */
static int two_sheets_count(const two_sheets *t)
{
    const dc_mesh *mesh[2];
    const dc_vec3 *x[2];
    int i;
    for (i = 0; i < 2; i++) {
        mesh[i] = dc_cloth_mesh(t->f.world, i);
        x[i] = dc_body_positions(t->f.world, i);
    }
    return referee_count(mesh[0], x[0], mesh[1], x[1]) +
           referee_count(mesh[1], x[1], mesh[0], x[0]);
}

/* They fall on the ground, where the lower sheet is pressed onto the bump. */
static void test_a_bump_through_a_sheet_never_crosses_more_and_comes_out(void)
{
    int policy, i, most, now;
    for (policy = DC_START_TOLERATE; policy <= DC_START_SEPARATE; policy++) {
        two_sheets t = two_sheets_begin(8, (dc_start)policy);
        int steps = policy == DC_START_SEPARATE ? 60 : 8;
        dc_obstacle_desc ground;
        memset(&ground, 0, sizeof ground);
        ground.kind = DC_OBSTACLE_PLANE;
        ground.point[0] = dci_vec(0, DCI_R(-0.2), 0);
        ground.point[1] = dci_vec(0, 1, 0);
        ground.friction = DCI_R(0.3);
        t.f.desc.obstacles = &ground;
        t.f.desc.obstacle_count = 1;
        t.f.desc.gravity = dci_vec(0, DCI_R(-9.81), 0);
        t.f.cloth.thickness = DCI_R(0.002);
        bump_through(&t);
        CHECK(two_sheets_open(&t) == DC_OK);
        most = two_sheets_count(&t);
        CHECK(most > 30);
        for (i = 0; i < steps && most > 0; i++) {
            CHECK(fixture_step(&t.f, 1.0 / 120) == DC_OK);
            now = two_sheets_count(&t);
            CHECK_AT_MOST(now, most);
            most = now;
        }
        if (policy == DC_START_SEPARATE) CHECK_EQUAL(most, 0);
        two_sheets_close(&t);
    }
}

/* A sheet that begins deep in a ball: refused; tolerated, it falls out below; separated, it comes
   out above, where it is nearer. */
static void test_a_sheet_inside_a_ball(void)
{
    dc_start policy;
    for (policy = DC_START_REFUSE; policy <= DC_START_SEPARATE; policy = (dc_start)(policy + 1)) {
        fixture f = lying_sheet(8, 0.02);
        dc_obstacle_desc ball = obstacle_sphere(0.25);
        int i;
        ball.point[0].y = DCI_R(-0.15);
        f.desc.obstacles = &ball;
        f.desc.obstacle_count = 1;
        f.desc.start = policy;
        f.cloth.drag_normal = DCI_R(0.2);
        if (policy == DC_START_REFUSE) {
            CHECK(fixture_open(&f) == DC_CROSSING);
            CHECK(f.error.pair.first.body + f.error.pair.second.body == 1);
            fixture_close(&f);
            continue;
        }
        CHECK(fixture_open(&f) == DC_OK);
        CHECK(dc_world_crossings(f.world, 0, NULL) > 0);
        for (i = 0; i < 250; i++) CHECK(fixture_step(&f, 0.002) == DC_OK);
        CHECK(f.report.is_certified && dc_world_crossings(f.world, 0, NULL) == 0);
        if (policy == DC_START_TOLERATE)
            CHECK(dc_cloth_measure(f.world, 0).centre.y < DCI_R(-0.4));
        else
            CHECK(dc_cloth_measure(f.world, 0).centre.y > DCI_R(-0.15));
        fixture_close(&f);
    }
}

/* A sheet that begins behind a half space. */
static void test_a_sheet_behind_a_plane(void)
{
    fixture f = lying_sheet(4, -0.01);
    dc_obstacle_desc plane;
    int i;
    memset(&plane, 0, sizeof plane);
    plane.kind = DC_OBSTACLE_PLANE;
    plane.point[1] = dci_vec(0, 1, 0);
    f.desc.obstacles = &plane;
    f.desc.obstacle_count = 1;
    CHECK(fixture_open(&f) == DC_CROSSING);
    CHECK_EQUAL(f.error.value, 25); /* all its vertices */
    free(f.memory), f.memory = NULL;
    f.desc.start = DC_START_SEPARATE;
    CHECK(fixture_open(&f) == DC_OK);
    for (i = 0; i < 300; i++) CHECK(fixture_step(&f, 0.002) == DC_OK);
    CHECK(f.report.is_certified && dc_body_positions(f.world, 0)[0].y > 0);
    fixture_close(&f);
}

/* dc_cloth_correct() may move a vertex through another sheet: the next step says so. */
static void test_a_correction_that_crosses_is_noticed(void)
{
    two_sheets t = two_sheets_begin(4, DC_START_REFUSE);
    dc_vec3 push[25];
    uint64_t hash;
    dc_index steps = 7, v;
    for (v = 0; v < 25; v++) {
        t.other[v].y += DCI_R(0.05);
        push[v] = dci_vec(0, v == 12 ? DCI_R(0.1) : 0, 0); /* the one in the middle */
    }
    CHECK(two_sheets_open(&t) == DC_OK);
    CHECK(fixture_step(&t.f, 0.002) == DC_OK && t.f.report.is_certified);
    CHECK(dc_cloth_correct(t.f.world, 0, push, &t.f.error) == DC_OK);
    hash = dc_world_hash(t.f.world);
    CHECK(fixture_step(&t.f, 0.002) == DC_CROSSING);
    CHECK(t.f.error.value > 0 && t.f.error.pair.first.body != DC_NONE);
    CHECK(dc_world_hash(t.f.world) == hash);
    CHECK(dc_world_settle(t.f.world, DCI_R(0.002), DCI_R(0.01), 5, &steps, &t.f.error) ==
          DC_CROSSING);
    CHECK(steps == 0 && t.f.error.value > 0 && t.f.error.pair.first.body != DC_NONE);
    two_sheets_close(&t);
}

/* A small triangle pierces a sheet and goes away, while two balls pinch the sheet: that step fails
   after parts in which nothing crossed. The next one has to know that something does. */
static void test_a_failed_step_does_not_forget_what_crosses(void)
{
    fixture f = lying_sheet(4, 0);
    static const dc_index corners[3] = {0, 1, 2};
    dc_obstacle_desc obstacle[3];
    dc_vec3 small_[3], away[3], ball[2], none = dci_vec(0, 0, 0);
    int i, k;
    memset(obstacle, 0, sizeof obstacle);
    for (i = 0; i < 3; i++)
        small_[i] = dci_vec(DCI_R(-0.31) + DCI_R(0.05) * (i == 1), DCI_R(0.04) * (i - 1),
                            DCI_R(-0.33) + DCI_R(0.03) * (i == 2));
    for (i = 0; i < 3; i++) away[i] = dci_vec_add(small_[i], dci_vec(0, DCI_R(0.9), 0));
    obstacle[0].kind = DC_OBSTACLE_MESH;
    obstacle[0].mesh.vertex_count = 3;
    obstacle[0].mesh.triangle_count = 1;
    obstacle[0].mesh.positions = small_;
    obstacle[0].mesh.triangles = corners;
    for (k = 1; k < 3; k++) {
        obstacle[k].kind = DC_OBSTACLE_SPHERE;
        obstacle[k].radius = DCI_R(0.2);
        obstacle[k].point[0] = dci_vec(DCI_R(0.3), k == 1 ? DCI_R(0.35) : DCI_R(-0.35), DCI_R(0.3));
    }
    f.desc.obstacles = obstacle;
    f.desc.obstacle_count = 3;
    f.desc.gravity = none;
    f.desc.start = DC_START_TOLERATE;
    CHECK(fixture_open(&f) == DC_OK);
    CHECK(fixture_step(&f, 0.002) == DC_OK && !f.report.is_certified && f.report.crossings > 0);
    for (k = 0; k < 2; k++) ball[k] = obstacle[k + 1].point[0];
    ball[0].y = DCI_R(0.1), ball[1].y = DCI_R(-0.1);
    CHECK(dc_obstacle_move(f.world, f.world->moving_count, away, none, &f.error) == DC_OK);
    for (k = 0; k < 2; k++)
        CHECK(dc_obstacle_move(f.world, f.world->moving_count + 1 + k, &ball[k], none, &f.error) ==
              DC_OK);
    CHECK(fixture_step(&f, 0.002) == DC_NOT_CONVERGED && f.report.counters.world_substeps > 0);
    CHECK(dc_obstacle_move(f.world, f.world->moving_count, small_, none, &f.error) == DC_OK);
    for (k = 0; k < 2; k++)
        CHECK(dc_obstacle_move(f.world, f.world->moving_count + 1 + k, obstacle[k + 1].point, none,
                               &f.error) == DC_OK);
    CHECK(fixture_step(&f, 0.002) == DC_OK);
    CHECK(!f.report.is_certified && f.report.crossings > 0);
    CHECK(dc_world_crossings(f.world, 0, NULL) > 0);
    fixture_close(&f);
}

static void test_a_wrong_policy_is_refused(void)
{
    fixture f = lying_sheet(2, 0);
    f.desc.start = (dc_start)7;
    CHECK(fixture_open(&f) == DC_BAD_ARGUMENT && test_error_names(&f.error, "start"));
    fixture_close(&f);
}

static void test_a_world_that_does_not_collide_has_no_crossings(void)
{
    fixture f = lying_sheet(2, 0);
    f.desc.collides = 0;
    CHECK(fixture_open(&f) == DC_OK);
    CHECK_EQUAL(dc_world_crossings(f.world, 0, NULL), 0);
    fixture_close(&f);
}

/* Room for fewer pairs than cross: the first ones are named, and nothing is written behind them. Then
   for fewer than come near each other: DC_NONE. */
static void test_crossings_without_room_are_counted(void)
{
    two_sheets t = two_sheets_begin(7, DC_START_TOLERATE);
    static dc_feature_pair all[500], some[500];
    dc_index count, room;
    cut_a_corner(&t);
    CHECK(two_sheets_open(&t) == DC_OK);
    count = dc_world_crossings(t.f.world, 500, all);
    CHECK(count > 1 && count < 500);
    for (room = 0; room <= count + 1; room++) {
        memset(some, 7, sizeof some);
        CHECK_EQUAL(dc_world_crossings(t.f.world, room, some), count);
        CHECK(memcmp(some, all, (size_t)(room < count ? room : count) * sizeof *some) == 0);
        CHECK_EQUAL(some[room < count ? room : count].first.body, 0x07070707);
    }
    t.f.world->surface.pair_capacity = (dc_index)t.f.world->surface.pairs_needed;
    CHECK_EQUAL(dc_world_crossings(t.f.world, 500, some), count);
    t.f.world->surface.pair_capacity--;
    CHECK_EQUAL(dc_world_crossings(t.f.world, 500, some), DC_NONE);
    two_sheets_close(&t);
}

/* The triangle (0 0 0) (4 0 0) (0 4 0), and edges around it. */
static void test_an_edge_and_a_triangle_cross_or_do_not(void)
{
    static const dc_vec3 triangle[3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    static const struct {
        dc_vec3 edge[2];
        int crosses;
    } cases[] = {
        {{{1, 1, -1}, {1, 1, 1}}, 1},                     /* pierces it                           */
        {{{3, 3, -1}, {3, 3, 1}}, 0},                     /* beside it, through its plane         */
        {{{1, 1, DCI_R(1e-3)}, {1, 1, 1}}, 0},            /* ends before it                       */
        {{{1, 1, 0}, {1, 1, 1}}, 1},                      /* ends in it                           */
        {{{2, 2, -1}, {2, 2, 1}}, 1},                     /* through a side                       */
        {{{0, 0, -1}, {0, 0, 1}}, 1},                     /* through a corner                     */
        {{{1, 1, 0}, {2, 1, 0}}, 1},                      /* lies in it                           */
        {{{3, 3, 0}, {5, 5, 0}}, 0},                      /* in its plane, beside it              */
        {{{-1, 1, DCI_R(0.01)}, {5, 1, DCI_R(0.01)}}, 0}, /* over it                              */
        {{{1, 1, 2}, {1, 1, 2}}, 0},                      /* an edge without length, above it     */
        {{{1, 1, 0}, {1, 1, 0}}, 1},                      /* and in it                            */
    };
    /* an edge in line with the first side, apart from it, up to rounding */
    static const dc_vec3 line[5] = {
        {DCI_R(0.0033307368607771578), DCI_R(0.011660302715985834), DCI_R(0.017497414677702751)},
        {DCI_R(4.0162900958712854e-05), DCI_R(0.011660302715985837), DCI_R(0.0077218925874296442)},
        {DCI_R(0.0099118847804140348), DCI_R(0.011660302715985834), DCI_R(0.037048458858248923)},
        {DCI_R(0.0066213108205955976), DCI_R(0.011660302715985837), DCI_R(0.02727293676797584)},
        {DCI_R(0.0046877727031559274), DCI_R(0.018795432851757436), DCI_R(0.027923792049239449)}};
    dc_vec3 bad[2] = {{1, 1, 1}, {1, 1, 2}};
    size_t i;
    CHECK_EQUAL(dc_edge_crosses_triangle(line, line + 2), 0);
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++)
        CHECK_EQUAL(dc_edge_crosses_triangle(cases[i].edge, triangle), cases[i].crosses);
    CHECK_EQUAL(dc_edge_crosses_triangle(bad, triangle), 0);
    bad[1].y = (dc_real)NAN;
    CHECK_EQUAL(dc_edge_crosses_triangle(bad, triangle), 1);
    bad[1].y = (dc_real)INFINITY;
    CHECK_EQUAL(dc_edge_crosses_triangle(bad, triangle), 1);
}

/* Random ones, half of them on a small grid of coordinates, where most are degenerate: 0 is a proof, and
   1 is no more than rounding away from the truth. */
static void test_edges_that_do_not_cross_are_told_by_the_exact_referee_too(void)
{
    int i, k, crossing = 0, wrong = 0;
    for (i = 0; i < 4000; i++) {
        dc_vec3 x[5];
        int said;
        for (k = 0; k < 5; k++) {
            uint32_t number = (uint32_t)(3 * (5 * i + k));
            dc_real *at = &x[k].x;
            int axis;
            for (axis = 0; axis < 3; axis++) {
                at[axis] = dci_random(7, number + (uint32_t)axis);
                if (i % 2) at[axis] = (dc_real)(int)(3 * at[axis]);
            }
        }
        said = dc_edge_crosses_triangle(x, x + 2);
        if (exact_pierces(x[0], x[1], x[2], x[3], x[4])) {
            crossing++;
            CHECK(said);
        } else if (i % 2 == 0 && said) {
            wrong++;
        }
    }
    CHECK(crossing > 100);
    CHECK_EQUAL(wrong, 0); /* none of these lies that close */
}

static const test_case tests_crossings[] = {
    {"an edge and a triangle cross or do not", test_an_edge_and_a_triangle_cross_or_do_not},
    {"edges that do not cross are told by the exact referee too",
     test_edges_that_do_not_cross_are_told_by_the_exact_referee_too},
    {"a start that crosses is refused and the pairs are named",
     test_a_start_that_crosses_is_refused_and_the_pairs_are_named},
    {"coincident sheets are refused or separated", test_coincident_sheets_are_refused_or_separated},
    {"a corner that pokes through is drawn back", test_a_corner_that_pokes_through_is_drawn_back},
    {"in short steps crossings are not parted faster",
     test_in_short_steps_crossings_are_not_parted_faster},
    {"a bump through a sheet never crosses more, and comes out",
     test_a_bump_through_a_sheet_never_crosses_more_and_comes_out},
    {"a sheet inside a ball", test_a_sheet_inside_a_ball},
    {"a sheet behind a plane", test_a_sheet_behind_a_plane},
    {"a correction that crosses is noticed", test_a_correction_that_crosses_is_noticed},
    {"a failed step does not forget what crosses", test_a_failed_step_does_not_forget_what_crosses},
    {"a wrong policy is refused", test_a_wrong_policy_is_refused},
    {"a world that does not collide has no crossings",
     test_a_world_that_does_not_collide_has_no_crossings},
    {"crossings without room are counted", test_crossings_without_room_are_counted},
};
