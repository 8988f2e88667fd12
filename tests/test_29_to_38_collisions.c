/* Chapters 29 to 38: the grid against brute force, the contract of the stages, obstacles, friction, and
   frames judged by an exact referee. */

/* ---- The grid ---- */

static dci_box random_box(uint32_t seed, uint32_t number)
{
    dc_vec3 centre = random_vector(seed, number);
    return dci_box_grow(dci_box_of_point(centre),
                        number % 17 == 0 ? DCI_R(0.9) : DCI_R(0.05) * (dc_real)(number % 3));
}

static void grid_check(dci_grid *grid, const dci_box *box, uint32_t seed)
{
    uint32_t question;
    dc_index i;
    for (question = 0; question < 40; question++) {
        dci_box asked = random_box(seed + 1, question);
        dc_index count = dci_grid_query(grid, &asked), expected = 0;
        for (i = 0; i < grid->feature_count; i++) expected += dci_box_overlaps(&box[i], &asked);
        CHECK_EQUAL(count, expected);
        for (i = 0; i < count; i++) CHECK(dci_box_overlaps(&box[grid->found[i]], &asked));
    }
}

/* Cells of many sizes: of the smallest each box has too many, and all are large. */
static void test_grid_finds_what_brute_force_finds(void)
{
    static const double cells[4] = {0.003, 0.04, 0.3, 5};
    static dci_box box[300];
    uint32_t k;
    dc_index i;
    for (k = 0; k < 4; k++) {
        dci_arena arena = dci_arena_measure();
        dci_grid grid;
        void *memory;
        dci_grid_layout(&arena, &grid, 300);
        memory = test_alloc(dci_arena_bytes(&arena));
        arena = dci_arena_over(memory, dci_arena_bytes(&arena));
        dci_grid_layout(&arena, &grid, 300);
        dci_grid_begin(&grid, (dc_real)cells[k]);
        for (i = 0; i < 300; i++) {
            box[i] = random_box(k, (uint32_t)i);
            dci_grid_enter(&grid, i, &box[i]);
        }
        grid_check(&grid, box, 100 * k);
        for (i = 0; i < 300; i += 2) { /* grow */
            dci_box more = random_box(k + 50, (uint32_t)i);
            dci_grid_enter(&grid, i, &more);
            box[i] = dci_box_join(box[i], more);
        }
        grid_check(&grid, box, 100 * k + 50);
        free(memory);
    }
}

/* ---- Scenes ---- */

/* A square sheet of side 1 in the plane y = height, around the y axis, that collides. */
static fixture lying_sheet(dc_index cells, double height)
{
    fixture f = fixture_begin();
    dc_index v;
    fixture_grid(&f, cells, cells);
    for (v = 0; v < f.cloth.mesh.vertex_count; v++)
        f.positions[v] =
            dci_vec(f.positions[v].x - DCI_R(0.5), (dc_real)height, DCI_R(0.5) - f.positions[v].y);
    f.desc.collides = 1;
    return f;
}

static dc_obstacle_desc obstacle_sphere(double radius)
{
    dc_obstacle_desc o;
    memset(&o, 0, sizeof o);
    o.kind = DC_OBSTACLE_SPHERE;
    o.radius = (dc_real)radius;
    o.friction = DCI_R(0.3);
    o.point[0] = dci_vec(0, -o.radius, 0);
    return o;
}

/* A half space whose surface is the plane y = height. */
static dc_obstacle_desc obstacle_floor(double height)
{
    dc_obstacle_desc o;
    memset(&o, 0, sizeof o);
    o.kind = DC_OBSTACLE_PLANE;
    o.point[0] = dci_vec(0, (dc_real)height, 0);
    o.point[1] = dci_vec(0, (dc_real)height + 1, 0);
    o.friction = DCI_R(0.3);
    return o;
}

/* The sheet glides along a floor, a little higher than repulsion reaches. */
static void test_without_contact_the_bits_are_those_without_collisions(void)
{
    fixture f = lying_sheet(6, 0), g = lying_sheet(6, 0);
    dc_obstacle_desc floor_ = obstacle_floor(-0.6 * (double)f.cloth.thickness);
    int i;
    f.desc.obstacles = &floor_;
    f.desc.obstacle_count = 1;
    f.desc.gravity = g.desc.gravity = dci_vec(3, 0, 0);
    g.desc.collides = 0;
    CHECK(fixture_open(&f) == DC_OK && fixture_open(&g) == DC_OK);
    for (i = 0; i < 20; i++) {
        CHECK(fixture_step(&f, 0.002) == DC_OK && fixture_step(&g, 0.002) == DC_OK);
        CHECK(f.report.is_certified &&
              f.report.counters.repulsions + f.report.counters.impulses == 0);
        CHECK(f.report.counters.pairs > 0); /* and it looked */
    }
    /* the hash of the one that looks has its contacts, too: none */
    CHECK(!memcmp(dc_body_positions(f.world, 0), dc_body_positions(g.world, 0),
                  49 * sizeof(dc_vec3)));
    CHECK(!memcmp(dc_body_velocities(f.world, 0), dc_body_velocities(g.world, 0),
                  49 * sizeof(dc_vec3)));
    fixture_close(&f);
    fixture_close(&g);
}

/* Sum of m u and of m x cross u over the free vertices. */
static void surface_momentum(const dci_surface *s, dc_vec3 *linear, dc_vec3 *angular)
{
    dc_index v;
    *linear = *angular = dci_vec(0, 0, 0);
    for (v = 0; v < s->vertex_count; v++) {
        dc_vec3 u = dci_vec_sub(s->end[v], s->start[v]);
        if (!(s->inv_mass[v] > 0)) continue;
        *linear = dci_vec_axpy(*linear, 1 / s->inv_mass[v], u);
        *angular = dci_vec_axpy(*angular, 1 / s->inv_mass[v], dci_cross(s->start[v], u));
    }
}

/* Two free sheets, one .01 m above the other, on their way by `shift` and a turn; the pairs are
   found, and no stage has been run. */
typedef struct stage_scene {
    fixture f, g;
    dc_cloth_desc both[2];
    dci_surface *surface;
    dc_report report;
} stage_scene;

static void stage_scene_open(stage_scene *t, int at_once, double shift, double turn)
{
    const dci_span whole = {1, 0, 1, 0};
    dci_surface *s;
    dc_index v, i;
    t->f = lying_sheet(5, 0), t->g = lying_sheet(4, 0.01);
    t->both[0] = t->f.cloth, t->both[1] = t->g.cloth;
    t->f.desc.cloths = t->both;
    t->f.desc.cloth_count = 2;
    CHECK(make_world(&t->f.desc, &t->f.memory, &t->f.world, &t->f.info, &t->f.error) == DC_OK);
    if (at_once) t->f.impacts = impacts_at_once(t->f.world);
    for (i = 0; i < 2; i++) {
        dci_cloth *cloth = dci_world_cloth(t->f.world, i);
        dci_fields_copy(&cloth->trial, &cloth->state, dci_state_fields, cloth->count);
    }
    dci_world_fill(t->f.world, DCI_CANDIDATE, &whole);
    t->surface = s = &t->f.world->surface;
    for (v = 0; v < s->vertex_count; v++) { /* up and down past each other, and turning */
        dc_real up = (dc_real)(v < 36 ? shift : -shift), w = (dc_real)turn;
        dc_vec3 way = dci_vec(2 * w * s->start[v].z, up + w * s->start[v].x, DCI_R(0.3) * w);
        s->end[v] = dci_vec_add(s->start[v], way);
        s->push[v] = dci_vec(0, 0, 0);
    }
    dci_surface_find_pairs(s);
    memset(&t->report, 0, sizeof t->report);
}

static void stage_scene_close(stage_scene *t)
{
    t->f.world = NULL;
    fixture_close(&t->f);
    fixture_close(&t->g);
}

/* Whether two features with these vertices, whose boxes overlap, may touch: then they must be listed. */
static dc_index pair_expected(const dci_surface *s, const dc_index *first, dc_index first_count,
                              const dc_index *second)
{
    dci_box a = dci_surface_box(s, first, first_count);
    dci_box b = dci_surface_box(s, second, 4 - first_count);
    dci_pair pair = dci_pair_of(s, first, first_count, second);
    if (!dci_box_overlaps(&a, &b)) return 0;
    if (!dci_surface_may_collide(s, first, first_count, second, 4 - first_count)) return 0;
    if (dci_pair_is_far(s, &pair)) return 0;
    CHECK(dci_surface_has(s, &pair));
    return 1;
}

/* The number of pairs that brute force finds. */
static dc_index pairs_expected(const dci_surface *s)
{
    dc_index count = 0, v, t, e, low;
    for (v = 0; v < s->vertex_count; v++)
        for (t = 0; t < s->triangle_count; t++)
            count += pair_expected(s, &v, 1, s->triangle + 3 * t);
    for (e = 0; e < s->edge_count; e++)
        for (low = 0; low < e; low++)
            count += pair_expected(s, s->edge + 2 * low, 2, s->edge + 2 * e);
    return count;
}

/* At first exactly these; after vertices have moved further than their slack, the new ones too, and
   none twice. */
static void test_bundles_find_the_pairs_that_brute_force_finds(void)
{
    static const double turns[3] = {0, 0.01, 0.05};
    int k;
    for (k = 0; k < 3; k++) {
        stage_scene t;
        dci_surface *s;
        dc_index count, v, i, j;
        stage_scene_open(&t, 0, 0.02, turns[k]);
        s = t.surface;
        count = s->pair_count;
        CHECK(count > 100 && count < s->pair_capacity);
        CHECK_EQUAL(pairs_expected(s), count);
        for (v = 0; v < s->vertex_count; v += 5)
            dci_surface_move(s, v,
                             dci_vec_axpy(s->end[v], DCI_R(0.3), random_vector(7, (uint32_t)v)));
        CHECK(s->pair_count > count && s->pair_count < s->pair_capacity);
        CHECK(pairs_expected(s) > count);
        for (i = 0; i < s->pair_count; i++)
            for (j = 0; j < i; j++)
                CHECK(!dci_are_vertices_same(s->pair[i].vertex, s->pair[j].vertex) ||
                      s->pair[i].corner_count != s->pair[j].corner_count);
        stage_scene_close(&t);
    }
}

/* Thrown at each other: every stage keeps their momentum, and at the end the way is proved clear. */
static void test_stages_keep_the_momentum_of_free_bodies(void)
{
    dc_index stage;
    for (stage = 0; stage < DCI_STAGE_COUNT; stage++) {
        stage_scene t;
        dc_vec3 before[2], after[2];
        stage_scene_open(&t, !dci_stages[stage].is_run[0], 0.02, 0.01);
        surface_momentum(t.surface, &before[0], &before[1]);
        dci_stages[stage].run(t.surface, &t.report);
        surface_momentum(t.surface, &after[0], &after[1]);
        CHECK_AT_MOST(dci_norm(dci_vec_sub(after[0], before[0])), TOL(1e-15, 1e-7));
        /* impulses act at the moment of contact, zones turn by a finite angle: not exact in L */
        CHECK_AT_MOST(dci_norm(dci_vec_sub(after[1], before[1])), 1e-4);
        if (stage > 1) {
            CHECK(t.report.counters.impulses + t.report.counters.global_contacts +
                      t.report.counters.merges >
                  0);
            dci_zone_run(t.surface, &t.report);
            CHECK_EQUAL(t.surface->queue_count, 0);
            CHECK_EQUAL(t.report.unresolved, 0);
        }
        stage_scene_close(&t);
    }
}

/* They come closer by 7 mm, which leaves 3 mm between them, more than the thickness: no stage changes
   a bit. */
static void test_stages_change_nothing_without_contact(void)
{
    dc_index stage, v;
    for (stage = 0; stage < DCI_STAGE_COUNT; stage++) {
        stage_scene t;
        dc_vec3 ends[61];
        stage_scene_open(&t, !dci_stages[stage].is_run[0], 0.0035, 0);
        CHECK(t.surface->pair_count > 0 && t.surface->vertex_count == 61);
        CHECK(t.both[0].thickness < DCI_R(0.003));
        for (v = 0; v < 61; v++) ends[v] = t.surface->end[v];
        dci_stages[stage].run(t.surface, &t.report);
        CHECK_EQUAL(t.report.unresolved, 0);
        CHECK(memcmp(ends, t.surface->end, sizeof ends) == 0);
        stage_scene_close(&t);
    }
}

/* A sheet falls on a ball: every step is certified, every tenth frame is judged exactly, no vertex is in
   the ball. */
static void drop_on_a_sphere(dc_element element, dc_index cells)
{
    fixture f = lying_sheet(cells, 0.01);
    dc_obstacle_desc ball = obstacle_sphere(0.25);
    double depth = 0;
    int i;
    dc_index v;
    f.cloth.element = element;
    f.desc.obstacles = &ball;
    f.desc.obstacle_count = 1;
    CHECK(fixture_open(&f) == DC_OK);
    for (i = 0; i < 400; i++) {
        const dc_mesh *mesh;
        const dc_vec3 *x;
        CHECK(fixture_step(&f, 0.002) == DC_OK);
        CHECK(f.report.is_certified && f.report.unresolved == 0);
        if (f.error.status != DC_OK) break;
        CHECK(f.report.contact_error == dc_cloth_measure(f.world, 0).constraint_error);
        x = dc_body_positions(f.world, 0);
        mesh = dc_body_mesh(f.world, 0);
        for (v = 0; v < mesh->vertex_count; v++)
            depth = fmax(depth, 0.25 - (double)dci_norm(dci_vec_sub(x[v], ball.point[0])));
        if (i % 10 == 0) CHECK_EQUAL(referee_count(mesh, x, mesh, x), 0);
    }
    CHECK_AT_MOST(depth, 0);
    CHECK(dc_cloth_measure(f.world, 0).centre.y > DCI_R(-0.5)); /* it stayed on the ball */
    fixture_close(&f);
}

static void test_sheet_on_a_sphere_never_crosses(void)
{
    drop_on_a_sphere(DC_ELEMENT_NONCONFORMING, 14);
}

static void test_isometric_sheet_on_a_sphere_never_crosses(void)
{
    drop_on_a_sphere(DC_ELEMENT_ISOMETRIC, 8);
}

/* A ribbon, held at one end above itself, is folded onto itself by its weight. */
static void test_folding_ribbon_never_crosses_itself(void)
{
    fixture f = fixture_begin();
    dc_obstacle_desc floor_;
    const dc_mesh *mesh;
    int i;
    dc_index v;
    fixture_grid(&f, 24, 3);
    memset(&floor_, 0, sizeof floor_);
    floor_.kind = DC_OBSTACLE_PLANE;
    floor_.point[1] = dci_vec(0, 1, 0);
    floor_.radius = DCI_R(0.8);
    floor_.friction = DCI_R(0.4);
    for (v = 0; v < f.cloth.mesh.vertex_count; v++) { /* upright, a little bent, above the floor */
        dc_real s = f.positions[v].x, w = DCI_R(0.12) * f.positions[v].y;
        f.positions[v] = dci_vec(DCI_R(0.04) * dc_sin(6 * s), DCI_R(0.01) + s, w);
    }
    f.desc.collides = 1;
    f.desc.obstacles = &floor_;
    f.desc.obstacle_count = 1;
    CHECK(fixture_open(&f) == DC_OK);
    for (i = 0; i < 300; i++) {
        const dc_vec3 *x;
        CHECK(fixture_step(&f, 0.002) == DC_OK);
        CHECK(f.report.is_certified);
        x = dc_body_positions(f.world, 0);
        mesh = dc_cloth_mesh(f.world, 0);
        if (i % 5 == 0) CHECK_EQUAL(referee_count(mesh, x, mesh, x), 0);
        for (v = 0; v < mesh->vertex_count; v++) CHECK(x[v].y > 0);
    }
    fixture_close(&f);
}

/* ---- Friction ---- */

/* How far a sheet slides down a plane of this angle from `from` until `time` [s]. */
static double incline_way(double degrees, double friction, double from, double time, double dt)
{
    fixture f = lying_sheet(3, 0);
    dc_obstacle_desc plane;
    double a = degrees * 3.14159265358979 / 180, way = 0;
    int i;
    memset(&plane, 0, sizeof plane);
    plane.kind = DC_OBSTACLE_PLANE;
    plane.point[0] = dci_vec(0, DCI_R(-1e-3), 0);
    plane.point[1] = dci_vec(0, 1, 0);
    plane.radius = 20;
    plane.friction = f.cloth.friction = (dc_real)friction;
    f.cloth.thickness = DCI_R(2e-3); /* it begins where repulsion would put it */
    f.desc.gravity = dci_vec((dc_real)(9.81 * sin(a)), (dc_real)(-9.81 * cos(a)), 0);
    f.desc.obstacles = &plane;
    f.desc.obstacle_count = 1;
    CHECK(fixture_open(&f) == DC_OK);
    for (i = 0; i < (int)(time / dt + 0.5); i++) {
        if (i == (int)(from / dt + 0.5)) way = -(double)dc_cloth_measure(f.world, 0).centre.x;
        CHECK(fixture_step(&f, dt) == DC_OK);
    }
    way += (double)dc_cloth_measure(f.world, 0).centre.x;
    fixture_close(&f);
    return way;
}

static void test_incline_sticks_below_the_angle_of_friction_and_slides_above(void)
{
    double mu = tan(20 * 3.14159265358979 / 180);
    /* the first steps, which are cut, slide a millimetre; from then on it holds for a minute */
    CHECK_AT_MOST(fabs(incline_way(20, 1.01 * mu, 0, 5, 0.005)), 1.5e-3);
    CHECK_AT_MOST(fabs(incline_way(20, 1.01 * mu, 5, 65, 0.005)), TOL(1e-9, 1e-5));
    CHECK(incline_way(20, 0.99 * mu, 0, 5, 0.005) > 0.2); /* g (sin - mu cos) t^2 / 2 = .42 */
    CHECK_NEAR(incline_way(20, 0.3, 0, 1, 0.005), 0.589702223 / 2, 0.01 * 0.589702223 / 2);
    CHECK_NEAR(incline_way(30, 0.3, 0, 1, 0.005), 2.356287237 / 2, 0.01 * 2.356287237 / 2);
}

/* ---- Faults ---- */

/* At the start, and when a step sweeps so far that more features come near, if it may not be cut. */
static void test_too_few_pairs_are_told_and_nothing_is_lost(void)
{
    fixture f = lying_sheet(6, 0);
    dc_obstacle_desc floor_ = obstacle_floor(-0.3 * (double)f.cloth.thickness);
    uint64_t hash;
    f.desc.obstacles = &floor_;
    f.desc.obstacle_count = 1;
    f.desc.pair_capacity = 3;
    f.desc.solver.halvings_max = 0;
    CHECK(fixture_open(&f) == DC_BAD_ARGUMENT && test_error_names(&f.error, "pair_capacity"));
    CHECK(f.error.value > 3);
    f.desc.pair_capacity = (dc_index)f.error.value;
    CHECK(fixture_open(&f) == DC_OK);
    hash = dc_world_hash(f.world);
    CHECK(dc_world_set_gravity(f.world, dci_vec(DCI_R(4e5), 0, 0), &f.error) == DC_OK); /* .8 m */
    CHECK(fixture_step(&f, 0.002) == DC_TOO_SMALL);
    CHECK(f.error.needed > f.error.given && !f.report.is_certified);
    CHECK(dc_world_hash(f.world) == hash);
    fixture_close(&f);
}

/* The same step, in parts that sweep less. */
static void test_steps_with_too_many_pairs_are_cut(void)
{
    fixture f = lying_sheet(6, 0);
    dc_obstacle_desc floor_ = obstacle_floor(-0.3 * (double)f.cloth.thickness);
    f.desc.obstacles = &floor_;
    f.desc.obstacle_count = 1;
    f.desc.pair_capacity = 3;
    CHECK(fixture_open(&f) == DC_BAD_ARGUMENT);
    f.desc.pair_capacity = (dc_index)f.error.value;
    CHECK(fixture_open(&f) == DC_OK);
    CHECK(dc_world_set_gravity(f.world, dci_vec(DCI_R(4e5), 0, 0), &f.error) == DC_OK);
    CHECK(fixture_step(&f, 0.002) == DC_OK);
    CHECK(f.report.counters.world_substeps > 1 && f.report.is_certified);
    fixture_close(&f);
}

static void test_planning_refuses_wrong_obstacles(void)
{
    fixture f = lying_sheet(2, 0);
    dc_obstacle_desc ball = obstacle_sphere(-1);
    CHECK(fixture_open(&f) == DC_OK);
    f.desc.obstacles = &ball;
    f.desc.obstacle_count = 1;
    CHECK(fixture_open(&f) == DC_BAD_ARGUMENT && strstr(f.error.what, "radius") &&
          f.error.body == 1);
    ball.radius = 1;
    f.desc.collides = 0;
    CHECK(fixture_open(&f) == DC_BAD_ARGUMENT && strstr(f.error.what, "collides"));
    f.desc.collides = 1;
    f.desc.pair_capacity = 0;
    CHECK(fixture_open(&f) == DC_BAD_ARGUMENT && test_error_names(&f.error, "pair_capacity"));
    fixture_close(&f);
}

/* A ceiling comes down to the floor on which a sheet lies, and through it: there is no room left, so
   the step is refused, a pair is named, and the state is as it was. */
static void test_a_pinched_sheet_is_refused_and_named(void)
{
    fixture f = lying_sheet(4, 0.003);
    dc_obstacle_desc two[2];
    dc_vec3 low[3], x;
    uint64_t hash;
    int i;
    two[0] = obstacle_floor(0);
    two[1] = obstacle_floor(0.01);
    two[1].point[1].y = 0; /* its free side is below */
    f.desc.obstacles = two;
    f.desc.obstacle_count = 2;
    CHECK(fixture_open(&f) == DC_OK);
    for (i = 0; i < 3; i++) {
        low[i] = dc_body_positions(f.world, f.world->moving_count + 1)[i];
        low[i].y = DCI_R(-0.01);
    }
    hash = dc_world_hash(f.world);
    x = dc_body_positions(f.world, 0)[0];
    CHECK(dc_obstacle_move(f.world, f.world->moving_count + 1, low, dci_vec(0, 0, 0), &f.error) ==
          DC_OK);
    CHECK(fixture_step(&f, 0.002) == DC_NOT_CONVERGED);
    CHECK(f.report.unresolved > 0 && !f.report.is_certified);
    CHECK_EQUAL(f.error.value, f.report.unresolved);
    CHECK_EQUAL(f.error.pair.first.body, 0); /* a vertex of the sheet ...                       */
    CHECK(f.error.pair.second.body > 0);     /* ... and a plane                                 */
    CHECK(f.error.pair.first.vertex[0] >= 0 && f.error.pair.first.vertex[0] < 25);
    CHECK(f.report.first_unresolved.second.body == f.error.pair.second.body);
    CHECK(dc_world_hash(f.world) == hash);
    CHECK(x.y == dc_body_positions(f.world, 0)[0].y);
    CHECK(dc_body_positions(f.world, f.world->moving_count + 1)[0].y == DCI_R(0.01));
    fixture_close(&f);
}

/* Between a floor and a ceiling that comes down, a sheet gets a part of its thickness; it keeps its
   lengths, and what is missing is reported, until the ceiling is up again. */
static void pinch_a_sheet(dc_element element)
{
    const double thickness = 0.02, left = 0.4 * thickness, up = 2 * thickness;
    fixture f = lying_sheet(4, 0.5 * thickness);
    dc_obstacle_desc two[2];
    int i, k, newton = 0;
    two[0] = obstacle_floor(0);
    two[1] = obstacle_floor(up);
    two[1].point[1].y = 0; /* its free side is below */
    f.desc.obstacles = two;
    f.desc.obstacle_count = 2;
    f.cloth.thickness = (dc_real)thickness;
    f.cloth.element = element;
    CHECK(fixture_open(&f) == DC_OK);
    for (i = 0; i < 100; i++) {
        double height = i < 64 ? fmax(left, up - 0.0005 * (i + 1)) : left + 0.0005 * (i - 63);
        dc_vec3 low[3];
        for (k = 0; k < 3; k++) low[k] = dc_body_positions(f.world, f.world->moving_count + 1)[k];
        for (k = 0; k < 3; k++) low[k].y = (dc_real)height;
        CHECK(dc_obstacle_move(f.world, f.world->moving_count + 1, low, dci_vec(0, 0, 0),
                               &f.error) == DC_OK);
        CHECK(fixture_step(&f, 0.005) == DC_OK && f.report.is_certified);
        CHECK_AT_MOST(f.report.contact_error, 1e-3);
        newton += (int)f.report.counters.newton_iterations;
        if (i < 64 && height < 0.97 * thickness) { /* and else nothing contradicts itself */
            CHECK_NEAR(f.report.pinched, thickness - height, 0.01 * thickness);
            CHECK(f.report.pinched_body == 0 && f.report.pinched_vertex >= 0);
        }
        if (height > thickness)
            CHECK(f.report.pinched == 0 && f.report.pinched_body == DC_NONE &&
                  f.report.pinched_vertex == DC_NONE);
    }
    CHECK_AT_MOST(newton, 8 * 100);
    fixture_close(&f);
}

static void test_a_pinched_sheet_gives_way_in_thickness(void)
{
    pinch_a_sheet(DC_ELEMENT_NONCONFORMING);
    pinch_a_sheet(DC_ELEMENT_ISOMETRIC);
}

/* A pin is led down through the floor: the steps are certified until it would pass. */
static void test_a_pin_led_through_an_obstacle_is_refused(void)
{
    const dc_index pin = 0;
    fixture f = lying_sheet(4, 0);
    dc_obstacle_desc floor_ = obstacle_floor(-0.05);
    dc_vec3 target;
    dc_status status = DC_OK;
    int i;
    f.cloth.pin_vertices = &pin;
    f.cloth.pin_count = 1;
    f.desc.gravity = dci_vec(0, 0, 0);
    f.desc.obstacles = &floor_;
    f.desc.obstacle_count = 1;
    CHECK(fixture_open(&f) == DC_OK);
    target = dc_body_positions(f.world, 0)[pin];
    for (i = 0; i < 8 && status == DC_OK; i++) {
        target.y -= DCI_R(0.01);
        CHECK(dc_cloth_set_pin(f.world, 0, 0, target, &f.error) == DC_OK);
        status = fixture_step(&f, 0.01);
        CHECK_EQUAL(f.report.is_certified, status == DC_OK);
        CHECK_EQUAL(dc_world_crossings(f.world, 0, NULL), 0);
    }
    CHECK(status == DC_NOT_CONVERGED && (i == 5 || i == 6)); /* .05 m */
    CHECK(f.error.pair.first.vertex[0] == pin && f.error.pair.second.body == 1);
    fixture_close(&f);
}

/* A ball shot through the sheet in one step: certified, or refused with the state as it was. */
static void test_obstacle_shot_through_is_stopped_or_refused(void)
{
    double speed;
    for (speed = 1; speed <= 1e6; speed *= 100) {
        fixture f = lying_sheet(8, 0.02);
        dc_obstacle_desc ball = obstacle_sphere(0.2);
        dc_vec3 up = dci_vec(0, (dc_real)(0.002 * speed), 0), none = dci_vec(0, 0, 0);
        const dc_mesh *mesh;
        uint64_t hash;
        dc_status status;
        f.desc.obstacles = &ball;
        f.desc.obstacle_count = 1;
        CHECK(fixture_open(&f) == DC_OK);
        hash = dc_world_hash(f.world);
        up = dci_vec_add(up, ball.point[0]);
        CHECK(dc_obstacle_move(f.world, f.world->moving_count, &up, none, &f.error) == DC_OK);
        status = fixture_step(&f, 0.002);
        mesh = dc_cloth_mesh(f.world, 0);
        if (status == DC_OK) {
            const dc_vec3 *x = dc_body_positions(f.world, 0);
            CHECK(f.report.is_certified);
            CHECK_EQUAL(referee_count(mesh, x, mesh, x), 0);
        } else {
            CHECK(dc_world_hash(f.world) == hash);
        }
        fixture_close(&f);
    }
}

typedef struct near_run {
    uint64_t hash;
    dc_index most; /* pairs at one time, as reports have it */
    dc_error error;
} near_run;

/* A sheet falls on a ball, one way or another, in steps that may not be cut; to the end or to the
   first that fails, which changes nothing. */
static dc_status fall_on_a_ball(int kind, dc_index pair_capacity, near_run *run)
{
    fixture f = lying_sheet(4, 0.03);
    dc_obstacle_desc ball = obstacle_sphere(0.3);
    dc_status status;
    int i;
    f.desc.obstacles = &ball;
    f.desc.obstacle_count = 1;
    f.desc.pair_capacity = pair_capacity;
    f.desc.solver.halvings_max = 0;
    f.desc.row_capacity = kind == 1 ? DC_NONE : 1;
    status = fixture_open(&f);
    CHECK(status == DC_OK);
    if (kind == 2) f.impacts = impacts_at_once(f.world);
    for (i = 0, run->most = 0; i < 60 && status == DC_OK; i++) {
        run->hash = dc_world_hash(f.world);
        status = fixture_step(&f, 0.005);
        if (f.report.counters.pairs > run->most) run->most = f.report.counters.pairs;
        CHECK(status == DC_OK ? f.report.is_certified : dc_world_hash(f.world) == run->hash);
    }
    run->hash = dc_world_hash(f.world);
    run->error = f.error;
    fixture_close(&f);
    return status;
}

/* Until the first failure all steps have the same bits, so it comes with the most pairs at the
   latest, whether they are found before the stages or by them. */
static void test_as_many_pairs_as_reported_are_enough_and_one_less_is_told(void)
{
    int kind;
    for (kind = 0; kind < 3; kind++) {
        near_run plenty, enough, less;
        dc_index capacity;
        CHECK(fall_on_a_ball(kind, DC_NONE, &plenty) == DC_OK && plenty.most > 1);
        CHECK(fall_on_a_ball(kind, plenty.most, &enough) == DC_OK);
        CHECK(enough.hash == plenty.hash && enough.most == plenty.most);
        for (capacity = plenty.most - 1; capacity > 0; capacity -= 1 + capacity / 4) {
            CHECK(fall_on_a_ball(kind, capacity, &less) == DC_TOO_SMALL);
            CHECK(strstr(less.error.what, "pair_capacity") && less.error.given == (size_t)capacity);
            CHECK(less.error.needed > (size_t)capacity && less.most == (dc_index)less.error.needed);
        }
    }
}

/* At the start the number of pairs that is told is exact. */
static void test_the_pairs_of_a_start_are_counted_exactly(void)
{
    fixture f = lying_sheet(6, 0);
    dc_obstacle_desc floor_ = obstacle_floor(-0.3 * (double)f.cloth.thickness);
    int less;
    f.desc.obstacles = &floor_;
    f.desc.obstacle_count = 1;
    for (less = 0; less < 2; less++) {
        f.desc.pair_capacity = 49 - less; /* one for each vertex and the floor */
        CHECK(fixture_open(&f) == (less ? DC_BAD_ARGUMENT : DC_OK));
        CHECK(!less || f.error.value == 49);
        free(f.memory), f.memory = NULL;
    }
    f.memory = NULL;
    fixture_close(&f);
}

/* Goes back to the start of a step, and tries it with room for so many pairs. */
static dc_status step_again(fixture *f, const void *saved, dc_index pair_capacity)
{
    memcpy(f->memory, saved, f->info.bytes);
    f->world->surface.pair_capacity = pair_capacity;
    return fixture_step(f, 0.01);
}

/* A sheet is thrown at a ball. While its impacts are resolved vertices come near what they were far
   from: of some steps, more pairs than at their start. As many as there are in the end are enough for
   the same bits; with one less no step is taken for certified. */
static void test_pairs_that_come_late_are_not_lost(void)
{
    int kind;
    for (kind = 0; kind < 2; kind++) {
        fixture f = lying_sheet(6, 0.05);
        dc_obstacle_desc ball = obstacle_sphere(0.1);
        dc_vec3 down[49];
        dc_index v, i, late = 0;
        void *saved;
        for (v = 0; v < 49; v++) down[v] = dci_vec(1, -8, 0);
        f.cloth.start_velocities = down;
        f.desc.obstacles = &ball;
        f.desc.obstacle_count = 1;
        f.desc.solver.halvings_max = 0;
        CHECK(fixture_open(&f) == DC_OK);
        if (kind) f.impacts = impacts_at_once(f.world);
        saved = test_alloc(f.info.bytes);
        for (i = 0; i < 12; i++) {
            const dc_index plenty = DCI_PAIRS_PER_VERTEX * 49;
            uint64_t before = dc_world_hash(f.world), after;
            dc_index most;
            test_allow(f.memory, f.info.bytes);
            test_allow(f.memory, f.info.bytes);
            memcpy(saved, f.memory, f.info.bytes);
            if (step_again(&f, saved, plenty) != DC_OK) break;
            after = dc_world_hash(f.world);
            most = f.report.counters.pairs;
            if (most > 1) {
                CHECK(step_again(&f, saved, 1) == DC_TOO_SMALL);
                late += f.error.needed < (size_t)most;
                CHECK(step_again(&f, saved, most - 1) == DC_TOO_SMALL);
                CHECK(f.error.needed >= (size_t)most && !f.report.is_certified);
                CHECK(dc_world_hash(f.world) == before);
            }
            CHECK(step_again(&f, saved, most > 0 ? most : 1) == DC_OK && f.report.is_certified);
            CHECK(dc_world_hash(f.world) == after);
        }
        CHECK(i > 6 && late > 0);
        free(saved);
        fixture_close(&f);
    }
}

static const test_case tests_collisions[] = {
    {"grid finds what brute force finds", test_grid_finds_what_brute_force_finds},
    {"bundles find the pairs that brute force finds",
     test_bundles_find_the_pairs_that_brute_force_finds},
    {"without contact the bits are those without collisions",
     test_without_contact_the_bits_are_those_without_collisions},
    {"stages keep the momentum of free bodies", test_stages_keep_the_momentum_of_free_bodies},
    {"stages change nothing without contact", test_stages_change_nothing_without_contact},
    {"sheet on a sphere never crosses", test_sheet_on_a_sphere_never_crosses},
    {"isometric sheet on a sphere never crosses", test_isometric_sheet_on_a_sphere_never_crosses},
    {"folding ribbon never crosses itself", test_folding_ribbon_never_crosses_itself},
    {"incline sticks below the angle of friction and slides above",
     test_incline_sticks_below_the_angle_of_friction_and_slides_above},
    {"too few pairs are told and nothing is lost", test_too_few_pairs_are_told_and_nothing_is_lost},
    {"steps with too many pairs are cut", test_steps_with_too_many_pairs_are_cut},
    {"a pin led through an obstacle is refused", test_a_pin_led_through_an_obstacle_is_refused},
    {"a pinched sheet is refused and named", test_a_pinched_sheet_is_refused_and_named},
    {"a pinched sheet gives way in thickness", test_a_pinched_sheet_gives_way_in_thickness},
    {"planning refuses wrong obstacles", test_planning_refuses_wrong_obstacles},
    {"obstacle shot through is stopped or refused",
     test_obstacle_shot_through_is_stopped_or_refused},
    {"as many pairs as reported are enough and one less is told",
     test_as_many_pairs_as_reported_are_enough_and_one_less_is_told},
    {"the pairs of a start are counted exactly", test_the_pairs_of_a_start_are_counted_exactly},
    {"pairs that come late are not lost", test_pairs_that_come_late_are_not_lost},
};
