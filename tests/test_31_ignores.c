/* Chapter 30: bodies that ignore each other. */

enum { IGNORES_STEPS = 40 };
static const double IGNORES_DT = 0.005;

/* Whose category ignores whose, if one does; the last ones have bits that do not meet. */
static const uint32_t ignores_kinds[5][4] = {
    /* category and ignores of the upper, and of the lower */
    {0, 0, 0, 0},
    {1, 0, 0, 1},
    {0, 0x80000004u, 0x80000000u, 0},
    {1, 4, 2, 8},
    {1, 1, 2, 2}};
static const int ignores_passes[5] = {0, 1, 1, 0, 0};

/* A sheet falls towards another one, all of whose vertices are pinned, 2 cm below it. */
static bodies *ignores_begin(int kind)
{
    static dc_index pins[DC_GRID_VERTICES(4, 4)];
    const uint32_t *bits = ignores_kinds[kind];
    bodies *b = bodies_begin();
    dc_index v;
    for (v = 0; v < DC_GRID_VERTICES(4, 4); v++) pins[v] = v;
    bodies_sheet(b, 6, 6, 0.3, 0.3, 0, 0.01, 0);
    bodies_sheet(b, 4, 4, 0.4, 0.4, 0, -0.01, 0);
    b->cloth[1].pin_vertices = pins;
    b->cloth[1].pin_count = DC_GRID_VERTICES(4, 4);
    b->cloth[0].category = bits[0], b->cloth[0].ignores = bits[1];
    b->cloth[1].category = bits[2], b->cloth[1].ignores = bits[3];
    return b;
}

/* Steps that are certified, and in which nothing ever crosses. */
static void ignores_steps(bodies *b, int count)
{
    int i;
    for (i = 0; i < count; i++) {
        CHECK(dc_world_step(b->world, (dc_real)IGNORES_DT, &b->report, &b->error) == DC_OK);
        CHECK(b->report.is_certified && b->report.crossings == 0);
        CHECK_EQUAL(dc_world_crossings(b->world, 0, NULL), 0);
    }
}

/* How far a cloth fell: as far as any flat sheet falls, or about as far as it may. */
static void ignores_check_fell(const bodies *b, dc_index cloth, double from, int passes,
                               double most)
{
    double time = IGNORES_STEPS * IGNORES_DT;
    double way = from - (double)dc_cloth_measure(b->world, cloth).centre.y;
    if (passes)
        CHECK_NEAR(way, 9.81 / 2 * time * time, 9.81 * time * IGNORES_DT + 1e-7);
    else
        CHECK_AT_MOST(way, most);
}

static void test_sheets_of_which_one_ignores_the_other_pass_through_each_other(void)
{
    int kind;
    for (kind = 0; kind < 5; kind++) {
        bodies *b = ignores_begin(kind);
        CHECK(bodies_open(b) == DC_OK);
        ignores_steps(b, IGNORES_STEPS);
        ignores_check_fell(b, 0, 0.01, ignores_passes[kind], 0.03);
        CHECK((dc_world_contacts(b->world, 0, NULL) > 0) == !ignores_passes[kind]);
        CHECK(b->report.counters.contact_rows == 0 || !ignores_passes[kind]);
        bodies_close(b);
    }
}

/* Bits that nobody ignores change no bit of the result. */
static void test_categories_that_nobody_ignores_change_nothing(void)
{
    uint64_t hash[5];
    int kind;
    for (kind = 0; kind < 5; kind++) {
        bodies *b = ignores_begin(kind);
        CHECK(bodies_open(b) == DC_OK);
        ignores_steps(b, IGNORES_STEPS);
        hash[kind] = dc_world_hash(b->world);
        bodies_close(b);
    }
    CHECK(hash[3] == hash[0] && hash[4] == hash[0]);
    CHECK(hash[1] == hash[2] && hash[1] != hash[0]);
}

/* Two sheets cross at the start, a ball is around the corner of both, and a half space has all: no
   world begins so, unless all of them ignore each other. */
static void test_what_ignores_each_other_may_start_where_it_crosses(void)
{
    int ignores, who;
    for (ignores = 0; ignores < 2; ignores++)
        for (who = 0; who < 3; who++) {
            bodies *b = bodies_begin();
            dc_index v, x = bodies_sheet(b, 4, 4, 0.4, 0.4, 0, 0, 0);
            dc_status status;
            if (who == 0) {
                dc_index y = bodies_sheet(b, 4, 4, 0.4, 0.4, 0.03, 0, 0.03);
                for (v = 0; v < b->cloth[y].mesh.vertex_count; v++)
                    b->positions[y][v].y = (dc_real)0.5 * b->positions[y][v].x;
                b->cloth[y].category = 2;
            } else {
                dc_vec3 at = dci_vec(DCI_R(0.2), DCI_R(0.1), DCI_R(0.2));
                dc_vec3 above = dci_vec(DCI_R(0.2), DCI_R(1.1), DCI_R(0.2));
                bodies_obstacle(b, who == 1 ? DC_OBSTACLE_SPHERE : DC_OBSTACLE_PLANE, at, above,
                                0.15)
                    ->category = 2;
            }
            b->cloth[x].ignores = ignores ? 2 : 1;
            status = bodies_open(b);
            CHECK(status == (ignores ? DC_OK : DC_CROSSING));
            if (status == DC_OK) ignores_steps(b, 5);
            bodies_close(b);
        }
}

/* Two sheets lie a millimetre above an obstacle that ignores the first, once by its own word and once by
   the sheet's. */
static void test_an_obstacle_stops_only_those_that_do_not_ignore_it(void)
{
    static const dc_vec3 corners[3] = {{-2, 0, -2}, {DCI_R(0.5), 0, 3}, {3, 0, -2}};
    static const dc_index triangle[3] = {0, 1, 2};
    int kind, who;
    for (kind = DC_OBSTACLE_MESH; kind <= DC_OBSTACLE_PLANE; kind++)
        for (who = 0; who < 2; who++) {
            bodies *b = bodies_begin();
            double down = kind == DC_OBSTACLE_PLANE ? 0 : -0.2; /* from the top to the centre */
            dc_vec3 at = dci_vec(0, (dc_real)down, 0);
            dc_vec3 to = dci_vec(kind == DC_OBSTACLE_CAPSULE ? 1 : 0,
                                 (dc_real)(kind == DC_OBSTACLE_PLANE ? 1 : down), 0);
            dc_obstacle_desc *o = bodies_obstacle(b, (dc_obstacle_kind)kind, at, to, 0.2);
            bodies_sheet(b, 4, 4, 0.2, 0.2, 0, 0.003, 0);
            bodies_sheet(b, 4, 4, 0.2, 0.2, kind == DC_OBSTACLE_SPHERE ? 0 : 0.5, 0.006, 0);
            o->mesh.vertex_count = 3;
            o->mesh.triangle_count = 1;
            o->mesh.positions = corners;
            o->mesh.triangles = triangle;
            o->category = 1, b->cloth[0].category = 2, b->cloth[1].category = 4;
            o->ignores = who ? 2 : 0;
            b->cloth[0].ignores = who ? 0 : 1;
            CHECK(bodies_open(b) == DC_OK);
            ignores_steps(b, IGNORES_STEPS);
            ignores_check_fell(b, 0, 0.003, 1, 0);
            ignores_check_fell(b, 1, 0.006, 0, 0.06);
            CHECK(dc_world_contacts(b->world, 0, NULL) > 0);
            bodies_close(b);
        }
}

/* A ribbon falls on a sheet, or through it. Another one, which hangs from a corner of the sheet, hangs
   there whether it ignores the sheet or not. */
static void test_a_ribbon_passes_through_a_cloth_and_stays_attached_to_it(void)
{
    static dc_index pins[DC_GRID_VERTICES(4, 4)];
    int kind;
    dc_index v;
    for (v = 0; v < DC_GRID_VERTICES(4, 4); v++) pins[v] = v;
    for (kind = 0; kind < 5; kind++) {
        ribbons *r = ribbons_begin();
        dc_vec3 corner, end;
        double time = IGNORES_STEPS * IGNORES_DT, way;
        int i;
        r->desc.gravity = dci_vec(0, DCI_R(-9.81), 0);
        r->desc.collides = 1;
        ribbons_sheet(r, 4, 0.4, 0.4, 0, 0, 0);
        r->cloth[0].pin_vertices = pins;
        r->cloth[0].pin_count = DC_GRID_VERTICES(4, 4);
        r->desc.ribbon_count = 2;
        for (i = 0; i < 2; i++) {
            r->ribbon[i].segment_count = 6;
            r->ribbon[i].length = DCI_R(0.2);
            r->ribbon[i].width = DCI_R(0.04);
            r->ribbon[i].category = ignores_kinds[kind][0];
            r->ribbon[i].ignores = ignores_kinds[kind][1];
            r->ribbon[i].along = dci_vec(1, 0, 0);
            r->ribbon[i].normal = dci_vec(0, 1, 0);
        }
        corner = r->positions[4];
        r->ribbon[0].origin = dci_vec(DCI_R(-0.1), DCI_R(0.02), 0);
        r->ribbon[1].origin = corner;
        ribbons_hold(r, 1, 0, 0, corner)->body = 0;
        r->hold[1][0].vertex = 4;
        r->cloth[0].category = ignores_kinds[kind][2];
        r->cloth[0].ignores = ignores_kinds[kind][3];
        CHECK(ribbons_open(r) == DC_OK);
        for (i = 0; i < IGNORES_STEPS; i++) {
            CHECK(dc_world_step(r->world, (dc_real)IGNORES_DT, &r->report, &r->error) == DC_OK);
            CHECK(r->report.is_certified && r->report.crossings == 0);
        }
        way = 0.02 - (double)dc_ribbon_measure(r->world, r->desc.cloth_count).centre.y;
        if (ignores_passes[kind])
            CHECK_NEAR(way, 9.81 / 2 * time * time, 9.81 * time * IGNORES_DT + 1e-6);
        else
            CHECK_AT_MOST(way, 0.02);
        end = dci_vec_scale(DCI_R(0.5),
                            dci_vec_add(dc_body_positions(r->world, r->desc.cloth_count + 1)[0],
                                        dc_body_positions(r->world, r->desc.cloth_count + 1)[1]));
        CHECK_AT_MOST(dci_norm(dci_vec_sub(end, corner)), 0.001);
        CHECK((double)dc_ribbon_measure(r->world, r->desc.cloth_count + 1).centre.y < -0.05);
        ribbons_close(r);
    }
}

/* One triangle goes a metre, through one half a metre away and a ball: where it is told, to the bit. */
static void test_bodies_of_a_collider_that_ignore_each_other_do_so(void)
{
    int kind, other;
    for (kind = 0; kind < 5; kind++)
        for (other = 0; other < 2; other++) {
            const uint32_t *bits = ignores_kinds[kind];
            collider_test t = collider_begin(1 + other, 1 - other);
            dc_vec3 x[6], next[6], told[6];
            t.body[0] = triangle_body(upright_triangle, ones);
            t.body[1] = triangle_body(upright_triangle, threes);
            t.body[0].category = bits[0], t.body[0].ignores = bits[1];
            t.body[1].category = t.obstacle[0].category = bits[2];
            t.body[1].ignores = t.obstacle[0].ignores = bits[3];
            t.obstacle[0].kind = DC_OBSTACLE_SPHERE;
            t.obstacle[0].point[0] = dci_vec(0, 0, DCI_R(0.5));
            t.obstacle[0].radius = DCI_R(0.1);
            triangle_put(x, upright_triangle, dci_vec(0, 0, 0));
            triangle_put(x + 3, upright_triangle, dci_vec(0, 0, DCI_R(0.5)));
            triangle_put(told, upright_triangle, dci_vec(0, 0, 1));
            triangle_put(told + 3, upright_triangle, dci_vec(0, 0, DCI_R(0.5)));
            memcpy(next, told, sizeof next);
            CHECK(collider_open(&t) == DC_OK);
            CHECK(collider_resolve(&t, x, next) == DC_OK);
            CHECK(t.report.is_certified && t.report.crossings == 0);
            CHECK((memcmp(next, told, sizeof next) == 0) == ignores_passes[kind]);
            CHECK(ignores_passes[kind] || next[0].z < 0.9);
            triangle_put(next, upright_triangle, dci_vec(0, 0, DCI_R(0.5)));
            triangle_put(next + 3, lying_triangle, dci_vec(0, 0, DCI_R(0.5)));
            CHECK((dc_collider_crossings(t.collider, next, 0, NULL) == 0) == ignores_passes[kind]);
            free(t.memory);
        }
}

/* The sheet of a drape has no category, and ignores none. */
static void test_a_drape_rests_on_obstacles_of_all_categories(void)
{
    uint64_t hash[2];
    int i;
    for (i = 0; i < 2; i++) {
        draped *d = draped_sheet(6, 6, 0.6, 0.6);
        dc_obstacle_desc *ball = draped_obstacle(d, DC_OBSTACLE_SPHERE, dci_vec(0, DCI_R(-0.3), 0),
                                                 dci_vec(0, 0, 0), 0.25);
        ball->friction = DCI_R(0.5);
        ball->category = ball->ignores = i ? 0xffffffffu : 0;
        CHECK(draped_open(d) == DC_OK);
        CHECK(dc_drape_solve(d->drape, &d->report, &d->error) == DC_OK);
        CHECK(d->report.contacts > 0);
        hash[i] = dc_drape_hash(d->drape);
        draped_close(d);
    }
    CHECK(hash[0] == hash[1]);
}

static const test_case tests_ignores[] = {
    {"sheets of which one ignores the other pass through each other",
     test_sheets_of_which_one_ignores_the_other_pass_through_each_other},
    {"categories that nobody ignores change nothing",
     test_categories_that_nobody_ignores_change_nothing},
    {"what ignores each other may start where it crosses",
     test_what_ignores_each_other_may_start_where_it_crosses},
    {"an obstacle stops only those that do not ignore it",
     test_an_obstacle_stops_only_those_that_do_not_ignore_it},
    {"a ribbon passes through a cloth and stays attached to it",
     test_a_ribbon_passes_through_a_cloth_and_stays_attached_to_it},
    {"bodies of a collider that ignore each other do so",
     test_bodies_of_a_collider_that_ignore_each_other_do_so},
    {"a drape rests on obstacles of all categories",
     test_a_drape_rests_on_obstacles_of_all_categories},
};
