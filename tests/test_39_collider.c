/* Chapter 39: the collision stages for positions that another solver finds. */

typedef struct collider_test {
    dc_collider_desc desc;
    dc_collider_body body[3];
    dc_obstacle_desc obstacle[3];
    dc_collider *collider;
    dc_info info;
    dc_report report;
    dc_error error;
    void *memory;
} collider_test;

static collider_test collider_begin(int body_count, int obstacle_count)
{
    collider_test t;
    memset(&t, 0, sizeof t);
    t.desc = dc_collider_defaults();
    t.desc.body_count = body_count;
    t.desc.obstacle_count = obstacle_count;
    return t;
}

static dc_status collider_make(collider_test *t, void *memory, size_t bytes)
{
    t->desc.bodies = t->body;
    t->desc.obstacles = t->desc.obstacle_count > 0 ? t->obstacle : NULL;
    return dc_collider_init(&t->desc, memory, bytes, &t->collider, &t->info, &t->error);
}

static dc_status collider_open(collider_test *t)
{
    size_t bytes = 4096;
    dc_status status;
    for (;;) {
        free(t->memory);
        t->memory = test_alloc(bytes);
        status = collider_make(t, t->memory, bytes);
        if (status != DC_TOO_SMALL) return status;
        CHECK(t->error.needed > bytes);
        bytes = t->error.needed > 2 * bytes ? t->error.needed : 2 * bytes;
    }
}

static dc_status collider_resolve(collider_test *t, const dc_vec3 *before, dc_vec3 *after)
{
    return dc_collider_resolve(t->collider, before, after, &t->report, &t->error);
}

/* ---- Single triangles ---- */

static const dc_index one_triangle[3] = {0, 1, 2};
static const dc_vec3 upright_triangle[3] = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}};
static const dc_vec3 lying_triangle[3] = {{-1, 0, 1}, {1, 0, 1}, {0, 0, -1}};
static const dc_real ones[3] = {1, 1, 1}, threes[3] = {3, 3, 3};

static dc_collider_body triangle_body(const dc_vec3 *positions, const dc_real *masses)
{
    dc_collider_body body;
    memset(&body, 0, sizeof body);
    body.mesh.vertex_count = 3;
    body.mesh.triangle_count = 1;
    body.mesh.positions = positions;
    body.mesh.triangles = one_triangle;
    body.masses = masses;
    return body;
}

static void triangle_put(dc_vec3 *x, const dc_vec3 *shape, dc_vec3 at)
{
    int i;
    for (i = 0; i < 3; i++) x[i] = dci_vec_add(shape[i], at);
}

/* One of mass 3 goes a metre towards one of mass 9 that stands half a metre away. Momentum is 3 kg m in
   the step before and after; they do not pass each other, and what is inelastic leaves no more than the
   room of half a metre as relative motion: both ends are at .625, or the first one's is before. All at
   once, rounding grows with the condition of H, some hundreds for K of (37.1). */
static void test_triangles_that_meet_share_their_momentum(void)
{
    int global;
    for (global = 0; global < 2; global++) {
        collider_test t = collider_begin(2, 0);
        dc_vec3 x[6], next[6], sum = dci_vec(0, 0, 0);
        int i;
        t.body[0] = triangle_body(upright_triangle, ones);
        t.body[1] = triangle_body(upright_triangle, threes);
        t.desc.impacts = global ? DC_IMPACTS_GLOBAL : DC_IMPACTS_LOCAL;
        triangle_put(x, upright_triangle, dci_vec(0, 0, 0));
        triangle_put(x + 3, upright_triangle, dci_vec(0, 0, DCI_R(0.5)));
        triangle_put(next, upright_triangle, dci_vec(0, 0, 1));
        triangle_put(next + 3, upright_triangle, dci_vec(0, 0, DCI_R(0.5)));
        CHECK(collider_open(&t) == DC_OK);
        CHECK(collider_resolve(&t, x, next) == DC_OK);
        CHECK(t.report.is_certified);
        CHECK(t.report.counters.vertex_contacts + t.report.counters.edge_contacts > 0);
        CHECK((global ? t.report.counters.global_contacts : t.report.counters.impulses) > 0);
        for (i = 0; i < 3; i++) {
            sum = dci_vec_axpy(sum, 1, dci_vec_sub(next[i], x[i]));
            sum = dci_vec_axpy(sum, 3, dci_vec_sub(next[i + 3], x[i + 3]));
            CHECK(next[i].z < next[i + 3].z);
            CHECK_AT_MOST(next[i].z, 0.625 + TOL(1e-6, 1e-3));
        }
        CHECK_NEAR(sum.z, 3, TOL(1e-12, 1e-4));
        CHECK_NEAR(sum.x, 0, TOL(1e-12, 1e-4));
        CHECK_NEAR(sum.y, 0, TOL(1e-12, 1e-4));
        free(t.memory), t.memory = NULL;
    }
}

/* Vertices without mass go where they are told, to the bit; the other gives way to all of it. */
static void test_vertices_without_mass_go_where_they_are_told(void)
{
    static const dc_real none[3] = {0, 0, 0};
    static const dc_vec3 large[3] = {{-3, -2, 0}, {3, -2, 0}, {0, 4, 0}};
    int is_null;
    for (is_null = 0; is_null < 2; is_null++) {
        collider_test t = collider_begin(2, 0);
        dc_vec3 x[6], next[6], told[3];
        int i;
        t.body[0] = triangle_body(upright_triangle, ones);
        t.body[1] = triangle_body(large, is_null ? NULL : none);
        triangle_put(x, upright_triangle, dci_vec(0, 0, 0));
        triangle_put(x + 3, large, dci_vec(0, 0, DCI_R(0.5)));
        triangle_put(next, upright_triangle, dci_vec(0, 0, 0));
        triangle_put(told, large, dci_vec(DCI_R(0.125), 0, -1));
        memcpy(next + 3, told, sizeof told);
        CHECK(collider_open(&t) == DC_OK);
        CHECK(collider_resolve(&t, x, next) == DC_OK);
        CHECK(t.report.is_certified);
        CHECK(memcmp(next + 3, told, sizeof told) == 0);
        for (i = 0; i < 3; i++) CHECK(next[i].z < -1);
        free(t.memory), t.memory = NULL;
    }
}

/* Masses may change: a vertex that is held goes where it is told, and when it is let go it does not. */
static void test_masses_take_hold_and_let_go(void)
{
    static const dc_real held[3] = {0, 1, 1};
    collider_test t = collider_begin(1, 1);
    dc_vec3 x[3], next[3];
    dc_real bad[3] = {1, 1, -1};
    t.body[0] = triangle_body(lying_triangle, ones);
    t.obstacle[0].kind = DC_OBSTACLE_PLANE;
    t.obstacle[0].point[1] = dci_vec(0, 1, 0);
    CHECK(collider_open(&t) == DC_OK);
    CHECK(dc_collider_set_masses(t.collider, 0, held, &t.error) == DC_OK);
    triangle_put(x, lying_triangle, dci_vec(0, DCI_R(0.1), 0));
    triangle_put(next, lying_triangle, dci_vec(0, DCI_R(0.05), 0));
    next[1].y = next[2].y = -1;
    CHECK(collider_resolve(&t, x, next) == DC_OK);
    CHECK(next[0].y == lying_triangle[0].y + DCI_R(0.05) && next[1].y >= 0 && next[2].y >= 0);
    next[0].y = -1; /* a held vertex led through the plane cannot be helped */
    CHECK(collider_resolve(&t, x, next) == DC_NOT_CONVERGED);
    CHECK(next[0].y == -1);
    CHECK_EQUAL(t.error.pair.first.body, 0);
    CHECK_EQUAL(t.error.pair.first.vertex[0], 0);
    CHECK_EQUAL(t.error.pair.second.body, 1);
    CHECK(!t.report.is_certified && t.report.unresolved > 0);
    CHECK(dc_collider_set_masses(t.collider, 0, bad, &t.error) == DC_BAD_ARGUMENT);
    CHECK_EQUAL(t.error.index, 2);
    bad[2] = (dc_real)NAN;
    CHECK(dc_collider_set_masses(t.collider, 0, bad, &t.error) == DC_BAD_ARGUMENT);
    CHECK(collider_resolve(&t, x, next) == DC_NOT_CONVERGED); /* held as before */
    CHECK(dc_collider_set_masses(t.collider, 0, ones, &t.error) == DC_OK);
    CHECK(collider_resolve(&t, x, next) == DC_OK);
    CHECK(next[0].y >= 0);
    free(t.memory), t.memory = NULL;
}

static void test_what_is_far_apart_is_not_touched(void)
{
    collider_test t = collider_begin(2, 0);
    dc_vec3 x[6], next[6], told[6];
    int i;
    t.body[0] = triangle_body(upright_triangle, ones);
    t.body[1] = triangle_body(upright_triangle, ones);
    t.body[0].thickness = t.body[1].thickness = DCI_R(0.1);
    triangle_put(x, upright_triangle, dci_vec(0, 0, 0));
    triangle_put(x + 3, upright_triangle, dci_vec(0, 0, 9));
    triangle_put(told, upright_triangle, dci_vec(DCI_R(0.3), DCI_R(0.7), DCI_R(0.1)));
    triangle_put(told + 3, upright_triangle, dci_vec(DCI_R(0.1), 0, 8));
    memcpy(next, told, sizeof told);
    CHECK(collider_open(&t) == DC_OK);
    CHECK(collider_resolve(&t, x, next) == DC_OK);
    CHECK(memcmp(next, told, sizeof told) == 0);
    CHECK(t.report.is_certified && t.report.counters.pairs == 0 &&
          t.report.counters.repulsions == 0);
    for (i = 0; i < 6; i++) CHECK(dci_norm(dc_collider_pushes(t.collider)[i]) == 0);
    free(t.memory), t.memory = NULL;
}

static void test_defaults_lack_only_a_shape(void)
{
    collider_test t = collider_begin(1, 1);
    const dc_collider_body none = dc_collider_body_defaults();
    t.body[0] = triangle_body(lying_triangle, ones);
    t.body[0].thickness = none.thickness;
    t.body[0].friction = none.friction;
    t.body[0].self_contact = none.self_contact;
    CHECK(none.thickness == DCI_R(2e-3) && none.friction == DCI_R(0.3) && none.self_contact);
    CHECK(!none.masses && none.mesh.vertex_count == 0 && none.category == 0 && none.ignores == 0);
    t.obstacle[0] = dc_obstacle_defaults();
    CHECK(t.obstacle[0].friction == none.friction && t.obstacle[0].kind == DC_OBSTACLE_MESH);
    CHECK(collider_open(&t) == DC_BAD_ARGUMENT && t.error.body == t.desc.body_count);
    t.obstacle[0].mesh = t.body[0].mesh;
    CHECK(collider_open(&t) == DC_OK);
    free(t.memory), t.memory = NULL;
}

/* (32.4): a triangle that lies flat slides over a plane while it is stopped by d: friction of the mean
   coefficient takes mu d of its way, at most all of it. */
static void test_sliding_is_slowed_by_coulombs_law(void)
{
    static const double friction[3] = {0.4, 0.04, 4};
    int k, i;
    for (k = 0; k < 3; k++) {
        collider_test t = collider_begin(1, 1);
        dc_vec3 x[3], next[3];
        t.body[0] = triangle_body(lying_triangle, ones);
        t.body[0].friction = (dc_real)friction[k];
        t.obstacle[0].kind = DC_OBSTACLE_PLANE;
        t.obstacle[0].point[1] = dci_vec(0, 1, 0);
        triangle_put(x, lying_triangle, dci_vec(0, DCI_R(0.25), 0));
        triangle_put(next, lying_triangle, dci_vec(DCI_R(0.6), -1, DCI_R(0.8)));
        CHECK(collider_open(&t) == DC_OK);
        CHECK(collider_resolve(&t, x, next) == DC_OK);
        CHECK(t.report.is_certified && t.report.counters.obstacle_contacts == 3);
        for (i = 0; i < 3; i++) {
            double stopped = (double)next[i].y + 1, slid = 1 - friction[k] / 2 * stopped;
            dc_vec3 way = dci_vec_sub(next[i], x[i]);
            if (slid < 0) slid = 0;
            CHECK(next[i].y >= 0 && next[i].y < DCI_R(0.26));
            CHECK_NEAR(way.x, 0.6 * slid, TOL(1e-12, 1e-5));
            CHECK_NEAR(way.z, 0.8 * slid, TOL(1e-12, 1e-5));
        }
        free(t.memory), t.memory = NULL;
    }
}

/* A ball that turns by .5 rad clockwise about z drags what comes down on its top along x. */
static void test_a_turning_ball_drags_along(void)
{
    static const dc_vec3 small[3] = {
        {DCI_R(-0.01), 0, DCI_R(0.01)}, {DCI_R(0.01), 0, DCI_R(0.01)}, {0, 0, DCI_R(-0.01)}};
    collider_test t = collider_begin(1, 1);
    dc_vec3 x[3], next[3], centre = dci_vec(0, 0, 0);
    double stopped = 0, dragged = 0;
    int i;
    t.body[0] = triangle_body(small, ones);
    t.body[0].friction = DCI_R(0.4);
    t.obstacle[0].kind = DC_OBSTACLE_SPHERE;
    t.obstacle[0].radius = 1;
    t.obstacle[0].friction = DCI_R(0.4);
    triangle_put(x, small, dci_vec(0, DCI_R(1.01), 0));
    triangle_put(next, small, dci_vec(0, DCI_R(0.91), 0));
    CHECK(collider_open(&t) == DC_OK);
    CHECK(dc_collider_move(t.collider, t.desc.body_count, &centre, dci_vec(0, 0, DCI_R(-0.5)),
                           &t.error) == DC_OK);
    CHECK(collider_resolve(&t, x, next) == DC_OK);
    for (i = 0; i < 3; i++) {
        stopped += (double)next[i].y - 0.91;
        dragged += (double)(next[i].x - x[i].x);
    }
    CHECK_NEAR(dragged / stopped, 0.4, 0.01); /* normals lean by up to .01 */
    free(t.memory), t.memory = NULL;
}

/* Two sheets lie closer than their thickness: repulsion pushes them apart by a part of what is missing,
   each by half. That is no velocity: the ends less the pushes are where they were. */
static void test_pushes_are_told_apart_from_motion(void)
{
    collider_test t = collider_begin(2, 0);
    dc_vec3 x[6], next[6];
    const dc_vec3 *push;
    int i;
    t.body[0] = triangle_body(lying_triangle, ones);
    t.body[1] = triangle_body(lying_triangle, ones);
    t.body[0].thickness = t.body[1].thickness = DCI_R(0.1);
    triangle_put(x, lying_triangle, dci_vec(0, 0, 0));
    triangle_put(x + 3, lying_triangle, dci_vec(0, DCI_R(0.05), 0));
    memcpy(next, x, sizeof x);
    CHECK(collider_open(&t) == DC_OK);
    CHECK(collider_resolve(&t, x, next) == DC_OK);
    CHECK(t.report.is_certified && t.report.counters.repulsions > 0);
    push = dc_collider_pushes(t.collider);
    for (i = 0; i < 6; i++) {
        dc_vec3 rest = dci_vec_sub(dci_vec_sub(next[i], push[i]), x[i]);
        CHECK_AT_MOST(dci_norm(rest), TOL(1e-15, 1e-7));
        CHECK((i < 3 ? -push[i].y : push[i].y) > 0);
    }
    CHECK(next[3].y - next[0].y > DCI_R(0.05) && next[3].y - next[0].y <= DCI_R(0.1));
    free(t.memory), t.memory = NULL;
}

/* ---- Any triangles ---- */

/* A sheet that is moved by .2 m onto a ball keeps its lengths: all impacts at once spread over the mesh.
   If repulsion stopped approaches of more than half an edge, a strain of 1.2 would be left. */
static void test_a_sheet_that_is_thrown_at_a_ball_keeps_its_lengths(void)
{
    enum { CELLS = 10, VERTICES = DC_GRID_VERTICES(CELLS, CELLS) };
    static dc_index triangles[3 * DC_GRID_TRIANGLES(CELLS, CELLS)];
    dc_vec3 x[VERTICES], next[VERTICES];
    dc_real masses[VERTICES];
    collider_test t = collider_begin(1, 1);
    dc_index i;
    t.body[0] = dc_collider_body_defaults();
    t.body[0].mesh = dc_grid(CELLS, CELLS, 1, 1, DC_DIAGONALS_FORWARD, x, triangles);
    t.body[0].masses = masses;
    for (i = 0; i < VERTICES; i++) {
        masses[i] = DCI_R(1e-3);
        x[i] = dci_vec(x[i].x - DCI_R(0.5), DCI_R(0.02), x[i].y - DCI_R(0.5));
        next[i] = dci_vec(x[i].x, x[i].y - DCI_R(0.2), x[i].z);
    }
    t.obstacle[0] = dc_obstacle_defaults();
    t.obstacle[0].kind = DC_OBSTACLE_SPHERE;
    t.obstacle[0].radius = DCI_R(0.2);
    t.obstacle[0].point[0] = dci_vec(0, DCI_R(-0.2), 0);
    t.desc.impacts = DC_IMPACTS_GLOBAL;
    CHECK(collider_open(&t) == DC_OK);
    CHECK(collider_resolve(&t, x, next) == DC_OK && t.report.is_certified);
    CHECK(t.report.counters.global_contacts > 0);
    for (i = 0; i < t.body[0].mesh.triangle_count; i++) {
        const dc_index *corner = triangles + 3 * i;
        int side;
        for (side = 0; side < 3; side++) {
            dc_index a = corner[side], b = corner[(side + 1) % 3];
            double before = (double)dci_norm(dci_vec_sub(x[b], x[a]));
            CHECK_NEAR(dci_norm(dci_vec_sub(next[b], next[a])) / before, 1, 0.05);
        }
    }
    free(t.memory);
}

/* A spine with four pages, of which the first two are turned one way and the others the other way. */
static const dc_index book_triangles[12] = {0, 1, 2, 0, 1, 3, 1, 0, 4, 1, 0, 5};
static const dc_real book_masses[6] = {1, 1, 1, 1, 1, 1};

static void book_open_at(dc_vec3 *x, double spread)
{
    int i;
    x[0] = dci_vec(0, 0, 0);
    x[1] = dci_vec(0, 0, 1);
    for (i = 0; i < 4; i++) {
        double angle = spread * (i - 1.5);
        x[2 + i] = dci_vec((dc_real)sin(angle), (dc_real)cos(angle), DCI_R(0.5));
    }
}

static dc_collider_body book_body(const dc_vec3 *x)
{
    dc_collider_body body = triangle_body(x, book_masses);
    body.mesh.vertex_count = 6;
    body.mesh.triangle_count = 4;
    body.mesh.triangles = book_triangles;
    body.thickness = DCI_R(0.02);
    body.self_contact = 1;
    return body;
}

/* Pages have the spine in common and never meet; books do. The second is turned by a right angle and
   falls on the first. */
static void test_meshes_need_not_be_surfaces(void)
{
    collider_test t = collider_begin(2, 0);
    dc_vec3 x[12], next[12];
    sweep_body swept[2];
    dc_mesh mesh[2];
    dc_index edges[18] = {0, 1, 0, 2, 1, 2, 0, 3, 1, 3, 0, 4, 1, 4, 0, 5, 1, 5};
    int i;
    book_open_at(x, 0.5);
    book_open_at(x + 6, 0.4);
    for (i = 6; i < 12; i++)
        x[i] = dci_vec_add(dci_vec(x[i].z - DCI_R(0.5), -x[i].y, x[i].x), dci_vec(0, 3, 0));
    memcpy(next, x, sizeof x);
    for (i = 6; i < 12; i++) next[i].y -= 2;
    t.body[0] = book_body(x);
    t.body[1] = book_body(x + 6);
    CHECK(collider_open(&t) == DC_OK);
    CHECK_EQUAL(t.collider->surface.edge_count, 18);
    CHECK(collider_resolve(&t, x, next) == DC_OK);
    CHECK(t.report.is_certified && t.report.counters.repulsions + t.report.counters.impulses > 0);
    for (i = 0; i < 2; i++) {
        memset(mesh + i, 0, sizeof *mesh);
        mesh[i].vertex_count = 6;
        mesh[i].triangle_count = 4;
        mesh[i].edge_count = 9;
        mesh[i].triangles = (dc_index *)book_triangles;
        mesh[i].edge_vertices = edges;
        swept[i].mesh = mesh + i;
        swept[i].start = x + 6 * i;
        swept[i].end = next + 6 * i;
    }
    CHECK_EQUAL(sweep_count(swept, swept + 1), 0);
    for (i = 6; i < 12; i++) next[i].y -= 2; /* what they had been without a collider */
    CHECK(sweep_count(swept, swept + 1) > 0);
    free(t.memory), t.memory = NULL;
}

/* ---- What crosses at the start ---- */

/* A triangle through another. */
static collider_test collider_crossed(dc_start start, dc_vec3 x[6])
{
    collider_test t = collider_begin(2, 0);
    t.body[0] = triangle_body(upright_triangle, ones);
    t.body[1] = triangle_body(lying_triangle, ones);
    t.body[0].thickness = t.body[1].thickness = DCI_R(0.05);
    t.desc.start = start;
    triangle_put(x, upright_triangle, dci_vec(0, 0, 0));
    triangle_put(x + 3, lying_triangle, dci_vec(0, DCI_R(0.3), 0));
    CHECK(collider_open(&t) == DC_OK);
    return t;
}

static void test_a_start_that_crosses_is_refused_by_a_collider(void)
{
    dc_vec3 x[6], next[6];
    collider_test t = collider_crossed(DC_START_REFUSE, x);
    dc_feature_pair pairs[8];
    dc_index count = dc_collider_crossings(t.collider, x, 8, pairs);
    CHECK(count > 0 && count <= 8);
    memcpy(next, x, sizeof x);
    CHECK(collider_resolve(&t, x, next) == DC_CROSSING);
    CHECK(t.error.value == (dc_real)count);
    CHECK(memcmp(&t.error.pair, pairs, sizeof *pairs) == 0);
    CHECK(pairs[0].first.body != pairs[0].second.body);
    CHECK(pairs[0].first.vertex[2] == DC_NONE && pairs[0].second.vertex[2] != DC_NONE);
    CHECK(!t.report.is_certified && t.report.crossings == count);
    free(t.memory), t.memory = NULL;
}

static void test_tolerated_crossings_are_not_certified_until_they_are_gone(void)
{
    dc_vec3 x[6], next[6];
    collider_test t = collider_crossed(DC_START_TOLERATE, x);
    int i;
    memcpy(next, x, sizeof x);
    CHECK(collider_resolve(&t, x, next) == DC_OK);
    CHECK(!t.report.is_certified && t.report.crossings > 0);
    memcpy(x, next, sizeof x);
    for (i = 3; i < 6; i++) next[i].y += 3; /* off */
    CHECK(collider_resolve(&t, x, next) == DC_OK);
    CHECK(!t.report.is_certified);
    memcpy(x, next, sizeof x);
    for (i = 3; i < 6; i++) next[i].y -= 3; /* and back, which is not let through again */
    CHECK(collider_resolve(&t, x, next) == DC_OK);
    CHECK(t.report.is_certified && t.report.crossings == 0);
    CHECK_EQUAL(dc_collider_crossings(t.collider, next, 0, NULL), 0);
    free(t.memory), t.memory = NULL;
}

static void test_separation_takes_two_apart(void)
{
    dc_vec3 x[6], next[6];
    collider_test t = collider_crossed(DC_START_SEPARATE, x);
    int steps = 0;
    do {
        memcpy(next, x, sizeof x);
        CHECK(collider_resolve(&t, x, next) == DC_OK);
        memcpy(x, next, sizeof x);
    } while (!t.report.is_certified && ++steps < 2000);
    CHECK(t.report.is_certified && steps > 0);
    CHECK_EQUAL(dc_collider_crossings(t.collider, x, 0, NULL), 0);
    free(t.memory), t.memory = NULL;
}

/* What `before` is counts, not what the last step left. */
static void test_a_start_that_jumps_is_looked_at(void)
{
    collider_test t = collider_begin(2, 0);
    dc_vec3 x[6], next[6];
    t.body[0] = triangle_body(upright_triangle, ones);
    t.body[1] = triangle_body(lying_triangle, ones);
    triangle_put(x, upright_triangle, dci_vec(0, 0, 0));
    triangle_put(x + 3, lying_triangle, dci_vec(0, 5, 0));
    memcpy(next, x, sizeof x);
    CHECK(collider_open(&t) == DC_OK);
    CHECK(collider_resolve(&t, x, next) == DC_OK && t.report.is_certified);
    triangle_put(x + 3, lying_triangle, dci_vec(0, DCI_R(0.3), 0));
    memcpy(next, x, sizeof x);
    CHECK(collider_resolve(&t, x, next) == DC_CROSSING);
    CHECK(collider_resolve(&t, x, next) == DC_CROSSING);
    triangle_put(x + 3, lying_triangle, dci_vec(0, 5, 0));
    memcpy(next, x, sizeof x);
    CHECK(collider_resolve(&t, x, next) == DC_OK && t.report.is_certified);
    free(t.memory), t.memory = NULL;
}

/* ---- Errors ---- */

/* After a step that failed, ends and obstacles are as they were, and the next step does what it would
   have done. */
static void test_a_failed_collider_step_changes_nothing(void)
{
    collider_test once = collider_begin(1, 1), twice = collider_begin(1, 1), *t[2];
    static const dc_real held[3] = {0, 1, 1};
    dc_vec3 x[3], next[2][3], told[3], up = dci_vec(0, 0, 0), plane[3];
    int k;
    t[0] = &once, t[1] = &twice;
    triangle_put(x, lying_triangle, dci_vec(0, DCI_R(0.1), 0));
    plane[0] = dci_vec(0, DCI_R(0.05), 0);
    plane[1] = dci_vec(0, DCI_R(0.05), 1);
    plane[2] = dci_vec(1, DCI_R(0.05), 0);
    for (k = 0; k < 2; k++) {
        t[k]->body[0] = triangle_body(lying_triangle, ones);
        t[k]->obstacle[0].kind = DC_OBSTACLE_PLANE;
        t[k]->obstacle[0].point[1] = dci_vec(0, 1, 0);
        CHECK(collider_open(t[k]) == DC_OK);
        CHECK(dc_collider_move(t[k]->collider, t[k]->desc.body_count, plane, up, &t[k]->error) ==
              DC_OK);
        triangle_put(next[k], lying_triangle, dci_vec(DCI_R(0.3), -1, 0));
    }
    triangle_put(told, lying_triangle, dci_vec(0, -1, 0));
    CHECK(dc_collider_set_masses(twice.collider, 0, held, NULL) == DC_OK);
    CHECK(collider_resolve(&twice, x, told) == DC_NOT_CONVERGED);
    CHECK(told[0].y == -1 && told[1].y == -1 && told[2].y == -1);
    told[1].x = (dc_real)NAN;
    CHECK(collider_resolve(&twice, x, told) == DC_NOT_FINITE);
    CHECK_EQUAL(twice.error.index, 1);
    CHECK(collider_resolve(&twice, told, next[1]) == DC_NOT_FINITE);
    CHECK(dc_collider_set_masses(twice.collider, 0, ones, NULL) == DC_OK);
    CHECK(collider_resolve(&once, x, next[0]) == DC_OK);
    CHECK(collider_resolve(&twice, x, next[1]) == DC_OK);
    CHECK(memcmp(next[0], next[1], sizeof next[0]) == 0);
    CHECK(next[0][0].y >= DCI_R(0.05));
    free(once.memory), free(twice.memory);
}

static void test_a_collider_names_the_wrong_field(void)
{
    dc_vec3 x[3];
    dc_index wrong[3] = {0, 1, 3}, twice[3] = {0, 1, 1};
    dc_real masses[3] = {1, -1, 1};
    int k;
    for (k = 0; k < 15; k++) {
        collider_test t = collider_begin(2, 1);
        dc_status expected = DC_BAD_ARGUMENT;
        memcpy(x, upright_triangle, sizeof x);
        t.body[0] = triangle_body(upright_triangle, ones);
        t.body[1] = triangle_body(x, ones);
        t.obstacle[0].kind = DC_OBSTACLE_SPHERE;
        t.obstacle[0].radius = 1;
        switch (k) {
        case 0: t.desc.body_count = 0; break;
        case 1: t.desc.obstacle_count = -1; break;
        case 2: t.desc.start = (dc_start)7; break;
        case 3: t.desc.impacts = (dc_impacts)2; break;
        case 4: t.desc.pair_capacity = 0; break;
        case 5: t.body[1].thickness = -1; break;
        case 6: t.body[1].friction = (dc_real)NAN; break;
        case 7: t.body[1].masses = masses; break;
        case 8: t.obstacle[0].radius = 0; break;
        case 9: t.body[1].mesh.positions = NULL; break;
        case 10: t.body[1].mesh.triangles = wrong, expected = DC_BAD_MESH; break;
        case 11: t.body[1].mesh.triangles = twice, expected = DC_BAD_MESH; break;
        case 12: x[2] = x[1], expected = DC_BAD_MESH; break;
        case 13: x[1].y = (dc_real)NAN, expected = DC_NOT_FINITE; break;
        case 14: t.body[1].mesh.vertex_count = 50000001, expected = DC_TOO_LARGE; break;
        }
        CHECK(collider_open(&t) == expected);
        CHECK(strcmp(t.error.where, "dc_collider_init") == 0 && strlen(t.error.what) > 10);
        CHECK_EQUAL(t.error.body, k == 8 ? t.desc.body_count : k >= 5 ? 1 : DC_NONE);
        CHECK_EQUAL(t.error.index, k == 7 || k == 13 ? 1 : k >= 10 && k <= 12 ? 0 : DC_NONE);
        free(t.memory);
    }
}

static void test_a_collider_says_how_much_memory_it_needs(void)
{
    int global;
    for (global = 0; global < 2; global++) {
        collider_test t = collider_begin(1, 1);
        size_t bytes, planned;
        unsigned char *block;
        t.body[0] = triangle_body(upright_triangle, ones);
        t.obstacle[0].kind = DC_OBSTACLE_MESH;
        t.obstacle[0].mesh = t.body[0].mesh;
        t.desc.impacts = global ? DC_IMPACTS_GLOBAL : DC_IMPACTS_LOCAL;
        CHECK(collider_open(&t) == DC_OK);
        planned = t.info.bytes;
        block = (unsigned char *)test_alloc(planned);
        for (bytes = 0; bytes < planned; bytes++) {
            CHECK(collider_make(&t, block, bytes) == DC_TOO_SMALL);
            CHECK(t.error.given == bytes && t.error.needed > bytes && t.error.needed <= planned);
        }
        CHECK_EQUAL(t.error.needed, planned);
        CHECK(collider_make(&t, block, planned) == DC_OK);
        CHECK_EQUAL(t.info.bytes, planned);
        free(block), free(t.memory), t.memory = NULL;
    }
}

static void test_a_collider_without_room_for_pairs_says_so(void)
{
    collider_test t = collider_begin(2, 0);
    dc_vec3 x[6], next[6];
    dc_index needed;
    t.body[0] = triangle_body(upright_triangle, ones);
    t.body[1] = triangle_body(upright_triangle, ones);
    t.body[0].thickness = t.body[1].thickness = 1;
    t.desc.pair_capacity = 1;
    triangle_put(x, upright_triangle, dci_vec(0, 0, 0));
    triangle_put(x + 3, upright_triangle, dci_vec(0, 0, DCI_R(0.5)));
    triangle_put(next, upright_triangle, dci_vec(0, 0, 1));
    triangle_put(next + 3, upright_triangle, dci_vec(0, 0, DCI_R(0.5)));
    CHECK(collider_open(&t) == DC_OK);
    CHECK(collider_resolve(&t, x, next) == DC_TOO_SMALL);
    CHECK(t.error.given == 1 && t.error.needed > 1);
    CHECK(next[0].z == 1);
    CHECK_EQUAL(dc_collider_crossings(t.collider, x, 0, NULL), DC_NONE);
    needed = (dc_index)t.error.needed;
    free(t.memory), t.memory = NULL;
    t.desc.pair_capacity = needed;
    CHECK(collider_open(&t) == DC_OK);
    CHECK(collider_resolve(&t, x, next) == DC_OK);
    free(t.memory), t.memory = NULL;
}

static void test_a_collider_refuses_bad_moves(void)
{
    collider_test t = collider_begin(1, 1);
    dc_vec3 plane[3] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}}, spin = {0, 0, 0};
    dc_index k;
    t.body[0] = triangle_body(lying_triangle, ones);
    t.obstacle[0].kind = DC_OBSTACLE_PLANE;
    t.obstacle[0].point[1] = dci_vec(0, 1, 0);
    CHECK(collider_open(&t) == DC_OK);
    CHECK(dc_collider_move(t.collider, t.desc.body_count, plane, spin, &t.error) == DC_OK);
    plane[2].x = DCI_R(0.01), plane[2].z = 1; /* nearly in one line */
    CHECK(dc_collider_move(t.collider, t.desc.body_count, plane, spin, &t.error) ==
          DC_BAD_ARGUMENT);
    plane[1].z = plane[2].x = DC_SQRT(DCI_REAL_MAX), plane[2].z = 0;
    plane[1].z *= 2; /* the cross product is infinite */
    CHECK(dc_collider_move(t.collider, t.desc.body_count, plane, spin, &t.error) ==
          DC_BAD_ARGUMENT);
    plane[2].x = (dc_real)NAN;
    CHECK(dc_collider_move(t.collider, t.desc.body_count, plane, spin, &t.error) == DC_NOT_FINITE);
    CHECK_EQUAL(t.error.index, 2);
    for (k = -1; k < 3; k++) { /* the body is 0, the obstacle 1 */
        if (k != 1)
            CHECK(dc_collider_move(t.collider, k, plane, spin, &t.error) == DC_BAD_ARGUMENT);
        if (k != 1) CHECK(test_error_names(&t.error, "body") && t.error.index == k);
        if (k == 0) continue;
        CHECK(dc_collider_set_masses(t.collider, k, ones, &t.error) == DC_BAD_ARGUMENT);
        CHECK(test_error_names(&t.error, "body") && t.error.index == k);
    }
    free(t.memory), t.memory = NULL;
}

/* ---- Random steps, judged ---- */

enum { JUDGED_BODIES = 3, JUDGED_VERTICES = 200, JUDGED_TRIANGLES = 300 };

typedef struct judged_scene {
    collider_test t;
    dc_mesh mesh[JUDGED_BODIES];
    dc_index triangles[JUDGED_BODIES][3 * JUDGED_TRIANGLES];
    dc_index edges[JUDGED_BODIES][6 * JUDGED_TRIANGLES];
    dc_vec3 x[JUDGED_VERTICES], next[JUDGED_VERTICES];
    dc_real mass[JUDGED_VERTICES];
    dc_index vertex_count;
    uint32_t seed, number;
} judged_scene;

static double judged_random(judged_scene *s)
{
    return (double)dci_random(s->seed, s->number++);
}

static void judged_add_edge(dc_mesh *mesh, dc_index a, dc_index b)
{
    dc_index e;
    for (e = 0; e < mesh->edge_count; e++) {
        const dc_index *edge = mesh->edge_vertices + 2 * e;
        if ((edge[0] == a && edge[1] == b) || (edge[0] == b && edge[1] == a)) return;
    }
    mesh->edge_vertices[2 * e] = a;
    mesh->edge_vertices[2 * e + 1] = b;
    mesh->edge_count++;
}

/* A shape as the next body, or a fan of slivers that all share one edge. */
static void judged_add(judged_scene *s, int body, int kind)
{
    dc_mesh *mesh = s->mesh + body;
    dc_vec3 *x = s->x + s->vertex_count;
    dc_mesh_desc *desc = &s->t.body[body].mesh;
    dc_index i;
    memset(mesh, 0, sizeof *mesh);
    if (kind < 3) {
        shape_desc shape = shape_defaults(kind == 0   ? SHAPE_GRID
                                          : kind == 1 ? SHAPE_SPHERE
                                                      : SHAPE_CYLINDER);
        shape.columns = kind == 0 ? 4 : 6;
        shape.rows = 4;
        shape.radius = DCI_R(0.4);
        CHECK(shape_build(&shape, x, s->triangles[body], NULL, desc, NULL) == DC_OK);
    } else {
        desc->vertex_count = 12;
        desc->triangle_count = 10;
        x[0] = dci_vec(0, 0, 0);
        x[1] = dci_vec(1, 0, 0);
        for (i = 0; i < 10; i++) {
            dc_index *t = s->triangles[body] + 3 * i;
            x[2 + i] =
                dci_vec((dc_real)(0.5 + 0.3 * judged_random(s)), (dc_real)(0.4 * judged_random(s)),
                        (dc_real)(0.4 * judged_random(s)));
            if (i % 3 == 0) /* high 1e-3 */
                x[2 + i] = dci_vec(DCI_R(0.5), DCI_R(1e-3), DCI_R(1e-4) * (dc_real)i);
            t[0] = i % 2, t[1] = 1 - i % 2, t[2] = 2 + i;
        }
    }
    desc->positions = x;
    desc->triangles = s->triangles[body];
    mesh->vertex_count = desc->vertex_count;
    mesh->triangle_count = desc->triangle_count;
    mesh->triangles = s->triangles[body];
    mesh->edge_vertices = s->edges[body];
    for (i = 0; i < 3 * mesh->triangle_count; i++)
        judged_add_edge(mesh, mesh->triangles[i], mesh->triangles[i % 3 == 2 ? i - 2 : i + 1]);
    s->vertex_count += desc->vertex_count;
}

/* Three bodies beside each other, of different thickness; a tenth of the vertices is held. */
static void judged_open(judged_scene *s, uint32_t seed)
{
    dc_index first = 0, v;
    int body;
    memset(s, 0, sizeof *s);
    s->seed = seed;
    s->t = collider_begin(JUDGED_BODIES, 0);
    for (body = 0; body < JUDGED_BODIES; body++) {
        dc_collider_body *b = s->t.body + body;
        judged_add(s, body, (int)(dci_hash32(seed + 77u * (uint32_t)body) % 4u));
        for (v = first; v < s->vertex_count; v++) {
            s->mass[v] = (dc_real)(judged_random(s) < -0.8 ? 0 : 2 + judged_random(s));
            s->x[v] = dci_vec_add(s->x[v], dci_vec((dc_real)(1.5 * body), 0, 0));
        }
        b->masses = s->mass + first;
        b->thickness = (dc_real)(body == 0 ? 0 : 0.01 * body);
        b->friction = DCI_R(0.3);
        b->self_contact = 1;
        first = s->vertex_count;
    }
    s->t.desc.impacts = seed % 2 ? DC_IMPACTS_GLOBAL : DC_IMPACTS_LOCAL;
    s->t.desc.pair_capacity = 100000;
    CHECK(collider_open(&s->t) == DC_OK);
}

/* Bodies fly against each other, turn and shake, each by up to its size; every fourth step goes to
   coordinates of a coarse grid, where much lies in one plane. */
static void judged_move(judged_scene *s, int step)
{
    static const double sizes[4] = {0.3, 0.05, 0.15, 0.02};
    double size = sizes[step % 4];
    dc_index v = 0;
    int body;
    for (body = 0; body < JUDGED_BODIES; body++) {
        dc_vec3 way =
            dci_vec((dc_real)(size * (judged_random(s) + 1 - body)),
                    (dc_real)(size * judged_random(s)), (dc_real)(size * judged_random(s)));
        dc_index end = v + s->mesh[body].vertex_count;
        for (; v < end; v++) {
            dc_vec3 shake = dci_vec((dc_real)judged_random(s), (dc_real)judged_random(s),
                                    (dc_real)judged_random(s));
            s->next[v] = dci_vec_axpy(dci_vec_add(s->x[v], way), (dc_real)(size / 3), shake);
            if (s->mass[v] == 0) s->next[v] = s->x[v];
            if (step % 4 == 3 && s->mass[v] > 0) {
                s->next[v].x = (dc_real)floor(8 * (double)s->next[v].x) / 8;
                s->next[v].y = (dc_real)floor(8 * (double)s->next[v].y) / 8;
                s->next[v].z = (dc_real)floor(8 * (double)s->next[v].z) / 8;
            }
        }
    }
}

/* How many features touched on the way, and edges pierce triangles at its end, by exact arithmetic. */
static int judged_count(const judged_scene *s)
{
    sweep_body swept[JUDGED_BODIES];
    dc_index first = 0;
    int body, other, count = 0;
    for (body = 0; body < JUDGED_BODIES; body++) {
        swept[body].mesh = s->mesh + body;
        swept[body].start = s->x + first;
        swept[body].end = s->next + first;
        first += s->mesh[body].vertex_count;
    }
    for (body = 0; body < JUDGED_BODIES; body++)
        for (other = body; other < JUDGED_BODIES; other++) {
            count += sweep_count(swept + body, swept + other);
            count += referee_count(swept[body].mesh, swept[body].end, swept[other].mesh,
                                   swept[other].end);
            count += referee_count(swept[other].mesh, swept[other].end, swept[body].mesh,
                                   swept[body].end);
        }
    return count;
}

/* Goes on for `steps` steps, with new bodies every ten. Steps that cannot be resolved are left out. An
   eighth and more are stopped by impulses, most others by repulsion. */
static void judge_steps(int steps)
{
    static judged_scene s;
    int step, resolved = 0, touched = 0, missed = 0;
    for (step = 0; step < steps; step++) {
        if (step % 10 == 0) judged_open(&s, (uint32_t)(1 + step / 10));
        judged_move(&s, step);
        if (collider_resolve(&s.t, s.x, s.next) == DC_OK) {
            resolved++;
            touched += s.t.report.counters.impulses + s.t.report.counters.global_contacts +
                           s.t.report.counters.merges >
                       0;
            CHECK(s.t.report.is_certified || s.t.report.crossings > 0);
            if (s.t.report.is_certified) missed += judged_count(&s);
            memcpy(s.x, s.next, sizeof s.x);
        } else {
            CHECK(s.t.error.status == DC_NOT_CONVERGED || s.t.error.status == DC_CROSSING);
        }
        if (step % 10 == 9) free(s.t.memory);
    }
    CHECK_EQUAL(missed, 0);
    CHECK(touched > steps / 8);
    CHECK(resolved > steps * 9 / 10);
}

static void test_a_collider_leaves_random_steps_clear(void)
{
    judge_steps(200);
}

static void test_ten_thousand_random_steps_of_a_collider_are_clear(void)
{
    judge_steps(10000);
}

static const test_case tests_collider[] = {
    {"triangles that meet share their momentum", test_triangles_that_meet_share_their_momentum},
    {"vertices without mass go where they are told",
     test_vertices_without_mass_go_where_they_are_told},
    {"masses take hold and let go", test_masses_take_hold_and_let_go},
    {"what is far apart is not touched", test_what_is_far_apart_is_not_touched},
    {"defaults lack only a shape", test_defaults_lack_only_a_shape},
    {"sliding is slowed by Coulomb's law", test_sliding_is_slowed_by_coulombs_law},
    {"a turning ball drags along", test_a_turning_ball_drags_along},
    {"pushes are told apart from motion", test_pushes_are_told_apart_from_motion},
    {"a sheet that is thrown at a ball keeps its lengths",
     test_a_sheet_that_is_thrown_at_a_ball_keeps_its_lengths},
    {"meshes need not be surfaces", test_meshes_need_not_be_surfaces},
    {"a start that crosses is refused by a collider",
     test_a_start_that_crosses_is_refused_by_a_collider},
    {"tolerated crossings are not certified until they are gone",
     test_tolerated_crossings_are_not_certified_until_they_are_gone},
    {"separation takes two apart", test_separation_takes_two_apart},
    {"a start that jumps is looked at", test_a_start_that_jumps_is_looked_at},
    {"a failed collider step changes nothing", test_a_failed_collider_step_changes_nothing},
    {"a collider names the wrong field", test_a_collider_names_the_wrong_field},
    {"a collider says how much memory it needs", test_a_collider_says_how_much_memory_it_needs},
    {"a collider without room for pairs says so", test_a_collider_without_room_for_pairs_says_so},
    {"a collider refuses bad moves", test_a_collider_refuses_bad_moves},
    {"a collider leaves random steps clear", test_a_collider_leaves_random_steps_clear},
    {"ten thousand random steps of a collider are clear",
     test_ten_thousand_random_steps_of_a_collider_are_clear},
};
