/* Worlds of several cloths and obstacles for tests, with a step that the exact referee watches. */
#ifndef TEST_BODIES_H
#define TEST_BODIES_H

enum { BODIES_MAX = 5 };

typedef struct bodies {
    dc_world_desc desc;
    dc_cloth_desc cloth[BODIES_MAX];
    dc_obstacle_desc obstacle[BODIES_MAX];
    dc_info info;
    dc_world *world;
    dc_report report;
    dc_error error;
    void *memory;
    dc_vec3 *positions[BODIES_MAX]; /* of the cloths' meshes                                     */
    dc_index *triangles[BODIES_MAX];
    dc_mesh mesh[2 * BODIES_MAX]; /* cloths, then obstacles: for the referee                     */
    void *mesh_memory[2 * BODIES_MAX];
    dc_vec3 *before[2 * BODIES_MAX]; /* positions at the start of the step                       */
} bodies;

static bodies *bodies_begin(void)
{
    bodies *b = (bodies *)test_alloc(sizeof *b);
    b->desc = dc_world_defaults();
    b->desc.cloths = b->cloth;
    b->desc.obstacles = b->obstacle;
    b->desc.collides = 1;
    return b;
}

/* A shape as the mesh of a new cloth; its positions can be changed before bodies_open(). */
static dc_index bodies_shape(bodies *b, const shape_desc *shape)
{
    dc_index vertices, triangles, k = b->desc.cloth_count++;
    b->cloth[k] = dc_cloth_defaults();
    CHECK(shape_counts(shape, &vertices, &triangles, &b->error) == DC_OK);
    b->positions[k] = (dc_vec3 *)test_alloc((size_t)vertices * sizeof(dc_vec3));
    b->triangles[k] = (dc_index *)test_alloc(3 * (size_t)triangles * sizeof(dc_index));
    CHECK(shape_build(shape, b->positions[k], b->triangles[k], NULL, &b->cloth[k].mesh,
                      &b->error) == DC_OK);
    return k;
}

/* A sheet width x depth in the plane y = height, its middle at (x, z). */
static dc_index bodies_sheet(bodies *b, dc_index columns, dc_index rows, double width, double depth,
                             double x, double height, double z)
{
    shape_desc shape = shape_defaults(SHAPE_GRID);
    dc_index k, v;
    shape.columns = columns;
    shape.rows = rows;
    shape.width = (dc_real)width;
    shape.height = (dc_real)depth;
    k = bodies_shape(b, &shape);
    for (v = 0; v < b->cloth[k].mesh.vertex_count; v++) {
        dc_vec3 *p = &b->positions[k][v];
        *p = dci_vec(p->x + (dc_real)(x - width / 2), (dc_real)height,
                     (dc_real)(z + depth / 2) - p->y);
    }
    return k;
}

static dc_obstacle_desc *bodies_obstacle(bodies *b, dc_obstacle_kind kind, dc_vec3 point0,
                                         dc_vec3 point1, double radius)
{
    dc_obstacle_desc *o = &b->obstacle[b->desc.obstacle_count++];
    memset(o, 0, sizeof *o);
    o->kind = kind;
    o->point[0] = point0;
    o->point[1] = point1;
    o->radius = (dc_real)radius;
    return o;
}

static dc_status bodies_make(bodies *b)
{
    return make_world(&b->desc, &b->memory, &b->world, &b->info, &b->error);
}

/* A copy of a body's mesh for the referee. */
static void bodies_take_mesh(bodies *b, dc_index place, const dc_mesh_desc *desc)
{
    size_t bytes = dc_mesh_bytes(desc->vertex_count, desc->triangle_count);
    b->mesh_memory[place] = test_alloc(bytes);
    CHECK(dc_mesh_init(desc, b->mesh_memory[place], bytes, &b->mesh[place], &b->error) == DC_OK);
}

/* Vertices of a body, 0 if there is none in this place. */
static dc_index bodies_vertex_count(const bodies *b, dc_index place)
{
    static const dc_index counts[4] = {0, 1, 2, 3};
    dc_index k = place - BODIES_MAX;
    if (place < b->desc.cloth_count) return b->mesh[place].vertex_count;
    if (k < 0 || k >= b->desc.obstacle_count) return 0;
    if (b->obstacle[k].kind == DC_OBSTACLE_MESH) return b->obstacle[k].mesh.vertex_count;
    return counts[b->obstacle[k].kind];
}

static void bodies_take_surface(bodies *b, dc_index cloth)
{
    const dc_mesh *mesh = dc_body_mesh(b->world, cloth);
    dc_mesh_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.vertex_count = mesh->vertex_count;
    desc.triangle_count = mesh->triangle_count;
    desc.triangles = mesh->triangles;
    desc.positions = dc_body_positions(b->world, cloth);
    bodies_take_mesh(b, cloth, &desc);
}

static dc_status bodies_open(bodies *b)
{
    dc_index i;
    dc_status status = bodies_make(b);
    if (status != DC_OK) return status;
    for (i = 0; i < b->desc.cloth_count; i++) bodies_take_surface(b, i);
    for (i = 0; i < b->desc.obstacle_count; i++)
        if (b->obstacle[i].kind == DC_OBSTACLE_MESH)
            bodies_take_mesh(b, BODIES_MAX + i, &b->obstacle[i].mesh);
    for (i = 0; i < 2 * BODIES_MAX; i++)
        if (bodies_vertex_count(b, i) > 0)
            b->before[i] =
                (dc_vec3 *)test_alloc((size_t)bodies_vertex_count(b, i) * sizeof(dc_vec3));
    return DC_OK;
}

/* Gives all of a cloth this velocity, as if it had had it before too. */
static void bodies_throw(bodies *b, dc_index cloth, dc_vec3 velocity)
{
    dci_cloth *c = dci_world_cloth(b->world, cloth);
    dc_index k;
    for (k = 0; k < c->element.particle_count; k++) c->state.v[k] = c->state.v_prev[k] = velocity;
}

static void bodies_close(bodies *b)
{
    int i;
    for (i = 0; i < BODIES_MAX; i++) {
        free(b->positions[i]);
        free(b->triangles[i]);
    }
    for (i = 0; i < 2 * BODIES_MAX; i++) {
        free(b->mesh_memory[i]);
        free(b->before[i]);
    }
    free(b->memory);
    free(b);
}

static const dc_vec3 *bodies_now(const bodies *b, int place)
{
    return place < BODIES_MAX
               ? dc_body_positions(b->world, place)
               : dc_body_positions(b->world, b->world->moving_count + place - BODIES_MAX);
}

/* Whether all vertices went in straight lines in this step. */
static int bodies_step_is_straight(const dc_report *report)
{
    return report->counters.world_substeps == 1;
}

/* Pairs of features of a cloth and a body (or the cloth itself) that touched. */
static int bodies_judge_pair(const bodies *b, int cloth, int place)
{
    dc_obstacle_kind kind =
        place < BODIES_MAX ? DC_OBSTACLE_MESH : b->obstacle[place - BODIES_MAX].kind;
    sweep_body one, other;
    if (place == cloth && !b->cloth[cloth].self_contact) return 0;
    one.mesh = &b->mesh[cloth], one.start = b->before[cloth], one.end = bodies_now(b, cloth);
    if (kind == DC_OBSTACLE_PLANE)
        return sweep_count_behind(&one, b->before[place], bodies_now(b, place));
    if (kind != DC_OBSTACLE_MESH) return 0; /* see bodies_sample() */
    other.mesh = &b->mesh[place], other.start = b->before[place], other.end = bodies_now(b, place);
    return sweep_count(&one, &other);
}

/* How many touched since the positions `before`: all cloths, each with itself and with all others and
   the obstacles. A certified step has none. */
static int bodies_judge(const bodies *b)
{
    int i, k, count = 0;
    for (i = 0; i < b->desc.cloth_count; i++)
        for (k = i; k < 2 * BODIES_MAX; k++)
            if (b->before[k]) count += bodies_judge_pair(b, i, k);
    return count;
}

/* How deep a point is in a sphere or capsule that has its axis from one point to another; below 0 outside
   of it. */
static double thick_depth(const dc_obstacle_desc *o, dc_vec3 from, dc_vec3 to, dc_vec3 p)
{
    dc_vec3 axis = dci_vec_sub(to, from), way = dci_vec_sub(p, from);
    dc_real axis_sq = dci_dot(axis, axis), part = axis_sq > 0 ? dci_dot(way, axis) / axis_sq : 0;
    part = dci_min(1, dci_max(0, part));
    return (double)o->radius - (double)dci_norm(dci_vec_axpy(way, -part, axis));
}

static dc_vec3 vector_between(dc_vec3 from, dc_vec3 to, double part)
{
    return dci_vec_add(dci_vec_scale(1 - (dc_real)part, from), dci_vec_scale((dc_real)part, to));
}

enum { SAMPLED_TIMES = 32, SAMPLED_PARTS = 4 };

/* How deep a mesh is in a sphere or capsule between two points [m], at vertices and points inside
   its triangles; below 0 outside. */
static double sampled_depth(const dc_mesh *mesh, const dc_vec3 *x, const dc_obstacle_desc *o,
                            dc_vec3 from, dc_vec3 to)
{
    dci_box thick = dci_box_join(dci_box_of_point(from), dci_box_of_point(to));
    double depth = -1e30;
    dc_index t, i, k;
    thick = dci_box_grow(thick, o->radius);
    for (t = 0; t < mesh->triangle_count; t++) {
        const dc_index *v = mesh->triangles + 3 * t;
        dci_box box = referee_box(x, v, 3);
        if (!dci_box_overlaps(&box, &thick)) continue;
        for (i = 0; i <= SAMPLED_PARTS; i++)
            for (k = 0; k <= SAMPLED_PARTS - i; k++) {
                dc_vec3 p = dci_vec_scale((dc_real)i / SAMPLED_PARTS, x[v[0]]);
                p = dci_vec_axpy(p, (dc_real)k / SAMPLED_PARTS, x[v[1]]);
                p = dci_vec_axpy(p, (dc_real)(SAMPLED_PARTS - i - k) / SAMPLED_PARTS, x[v[2]]);
                depth = fmax(depth, thick_depth(o, from, to, p));
            }
    }
    return depth;
}

/* Edges that pierce triangles of the other, counted both paths. */
static int judge_meshes(const dc_mesh *a, const dc_vec3 *ax, const dc_mesh *b, const dc_vec3 *bx)
{
    return referee_count(a, ax, b, bx) + referee_count(b, bx, a, ax);
}

/* How deep a triangle is in a sphere or capsule, at points of it and times of the step. */
static double bodies_sample_triangle(const bodies *b, int cloth, const dc_index *v, int place)
{
    const dc_obstacle_desc *o = &b->obstacle[place - BODIES_MAX];
    int last = o->kind == DC_OBSTACLE_CAPSULE, time, i, k;
    double depth = -1e30;
    for (time = 0; time <= SAMPLED_TIMES; time++) {
        double part = (double)time / SAMPLED_TIMES;
        const dc_vec3 *end = bodies_now(b, place), *start = b->before[place];
        dc_vec3 x[3], axis[2];
        axis[0] = vector_between(start[0], end[0], part);
        axis[1] = vector_between(start[last], end[last], part);
        for (i = 0; i < 3; i++)
            x[i] = vector_between(b->before[cloth][v[i]], bodies_now(b, cloth)[v[i]], part);
        for (i = 0; i <= SAMPLED_PARTS; i++)
            for (k = 0; k <= SAMPLED_PARTS - i; k++) {
                dc_vec3 p = dci_vec_scale((dc_real)i / SAMPLED_PARTS, x[0]);
                p = dci_vec_axpy(p, (dc_real)k / SAMPLED_PARTS, x[1]);
                p = dci_vec_axpy(p, (dc_real)(SAMPLED_PARTS - i - k) / SAMPLED_PARTS, x[2]);
                depth = fmax(depth, thick_depth(o, axis[0], axis[1], p));
            }
    }
    return depth;
}

/* How deep any cloth was in any sphere or capsule since `before`; below 0: never. By sampling, for
   these are beyond the referee. */
static double bodies_sample(const bodies *b)
{
    double depth = -1e30;
    dc_index i, k, t;
    for (k = 0; k < b->desc.obstacle_count; k++) {
        dc_obstacle_kind kind = b->obstacle[k].kind;
        if (kind != DC_OBSTACLE_SPHERE && kind != DC_OBSTACLE_CAPSULE) continue;
        for (i = 0; i < b->desc.cloth_count; i++)
            for (t = 0; t < b->mesh[i].triangle_count; t++)
                depth = fmax(depth, bodies_sample_triangle(b, i, b->mesh[i].triangles + 3 * t,
                                                           BODIES_MAX + k));
    }
    return depth;
}

static void bodies_remember(bodies *b)
{
    int i;
    for (i = 0; i < 2 * BODIES_MAX; i++)
        if (b->before[i])
            memcpy(b->before[i], bodies_now(b, i),
                   (size_t)bodies_vertex_count(b, i) * sizeof(dc_vec3));
}

static int bodies_are_as_remembered(const bodies *b)
{
    int i, is_same = 1;
    for (i = 0; i < 2 * BODIES_MAX; i++)
        if (b->before[i])
            is_same &= memcmp(b->before[i], bodies_now(b, i),
                              (size_t)bodies_vertex_count(b, i) * sizeof(dc_vec3)) == 0;
    return is_same;
}

/* A step that is certified and judged free, or one that fails and changes nothing. */
static dc_status bodies_step(bodies *b, double dt)
{
    uint64_t hash = dc_world_hash(b->world);
    dc_status status;
    bodies_remember(b);
    status = dc_world_step(b->world, (dc_real)dt, &b->report, &b->error);
    if (status != DC_OK) {
        CHECK(dc_world_hash(b->world) == hash && bodies_are_as_remembered(b));
        CHECK(b->error.status == status && b->error.what && !b->report.is_certified);
        return status;
    }
    CHECK(b->report.is_certified && b->report.unresolved == 0);
    if (!bodies_step_is_straight(&b->report))
        bodies_remember(b); /* judge where it ended, at rest */
    CHECK_EQUAL(bodies_judge(b), 0);
    CHECK_AT_MOST(bodies_sample(b), TOL(1e-12, 1e-5));
    return status;
}

#endif
