/* Drapes for tests: one sheet, its anchors and what it lies on, memory from malloc. */
#ifndef TEST_DRAPES_H
#define TEST_DRAPES_H

enum { DRAPED_ANCHORS = 256, DRAPED_OBSTACLES = 4 };

typedef struct draped {
    dc_drape_desc desc;
    dc_anchor_desc anchors[DRAPED_ANCHORS];
    dc_obstacle_desc obstacles[DRAPED_OBSTACLES];
    dc_info info;
    dc_drape *drape;
    dc_drape_report report;
    dc_error error;
    void *memory;
    dc_vec3 *positions; /* of the mesh: (vertex_count), may be changed before opening            */
    dc_index *triangles;
    dc_vec2 *flat; /* (vertex_count) of a flat shape                                         */
} draped;

static draped *draped_begin(void)
{
    draped *d = (draped *)test_alloc(sizeof *d);
    d->desc = dc_drape_defaults();
    d->desc.anchors = d->anchors;
    d->desc.obstacles = d->obstacles;
    return d;
}

/* A shape of the library as the mesh. */
static void draped_shape(draped *d, const shape_desc *shape)
{
    int is_flat = shape->kind <= SHAPE_ANNULUS;
    dc_index vertex_count, triangle_count;
    CHECK(shape_counts(shape, &vertex_count, &triangle_count, &d->error) == DC_OK);
    d->positions = (dc_vec3 *)test_alloc((size_t)vertex_count * sizeof(dc_vec3));
    d->triangles = (dc_index *)test_alloc(3 * (size_t)triangle_count * sizeof(dc_index));
    if (is_flat) d->flat = (dc_vec2 *)test_alloc((size_t)vertex_count * sizeof(dc_vec2));
    CHECK(shape_build(shape, d->positions, d->triangles, d->flat, &d->desc.mesh, &d->error) ==
          DC_OK);
}

/* width x depth in the plane y = 0, its middle at the origin; the first row has z = depth/2. */
static void draped_lay(draped *d, double width, double depth)
{
    dc_index v;
    for (v = 0; v < d->desc.mesh.vertex_count; v++)
        d->positions[v] =
            dci_vec(d->flat[v].x - (dc_real)(width / 2), 0, (dc_real)(depth / 2) - d->flat[v].y);
}

static draped *draped_sheet(dc_index columns, dc_index rows, double width, double depth)
{
    shape_desc shape = shape_defaults(SHAPE_GRID);
    draped *d = draped_begin();
    shape.columns = columns;
    shape.rows = rows;
    shape.width = (dc_real)width;
    shape.height = (dc_real)depth;
    draped_shape(d, &shape);
    draped_lay(d, width, depth);
    return d;
}

static void draped_hold(draped *d, dc_index vertex, double x, double y, double z)
{
    dc_anchor_desc *anchor = &d->anchors[d->desc.anchor_count++];
    DC_ASSERT(d->desc.anchor_count <= DRAPED_ANCHORS);
    anchor->vertex = vertex;
    anchor->target = dci_vec((dc_real)x, (dc_real)y, (dc_real)z);
}

/* Where it starts. */
static void draped_hold_there(draped *d, dc_index vertex)
{
    dc_vec3 x = d->positions[vertex];
    draped_hold(d, vertex, (double)x.x, (double)x.y, (double)x.z);
}

static dc_obstacle_desc *draped_obstacle(draped *d, dc_obstacle_kind kind, dc_vec3 point0,
                                         dc_vec3 point1, double radius)
{
    dc_obstacle_desc *o = &d->obstacles[d->desc.obstacle_count++];
    o->kind = kind;
    o->point[0] = point0;
    o->point[1] = point1;
    o->radius = (dc_real)radius;
    return o;
}

/* Can be called again. */
static dc_status draped_open(draped *d)
{
    size_t bytes = 4096;
    dc_status status;
    for (;;) {
        free(d->memory);
        d->memory = test_alloc(bytes);
        status = dc_drape_init(&d->desc, d->memory, bytes, &d->drape, &d->info, &d->error);
        if (status != DC_TOO_SMALL) return status;
        CHECK(d->error.needed > bytes && d->error.given == bytes);
        bytes = d->error.needed > 2 * bytes ? d->error.needed : 2 * bytes;
    }
}

/* Opens it and lets it come to rest; says why if it does not. */
static dc_status draped_rest(draped *d)
{
    dc_status status = draped_open(d);
    if (status == DC_OK) status = dc_drape_solve(d->drape, &d->report, &d->error);
    return status;
}

static void draped_close(draped *d)
{
    free(d->memory);
    free(d->positions), free(d->triangles), free(d->flat);
    free(d);
}

/* It is at rest, lengths met; proved not to cross, and an exact referee agrees. */
static void check_at_rest(draped *d)
{
    CHECK(d->report.state == DC_DRAPE_AT_REST && d->report.is_certified);
    CHECK_AT_MOST(d->report.strain_max, d->desc.tolerance);
    CHECK_EQUAL(referee_count(dc_drape_mesh(d->drape), dc_drape_positions(d->drape),
                              dc_drape_mesh(d->drape), dc_drape_positions(d->drape)),
                0);
}

/* It comes to rest; says why if it does not. */
static void check_rests(draped *d)
{
    dc_status status = draped_rest(d);
    CHECK(status == DC_OK);
    if (status != DC_OK) {
        printf("        %s: %s (%d), %g\n", d->error.where, d->error.what, (int)d->error.index,
               (double)d->error.value);
        if (!d->drape) exit(3);
    }
    check_at_rest(d);
}

/* It comes to rest in its new posture. */
static void check_posed(draped *d)
{
    CHECK(dc_drape_solve(d->drape, &d->report, &d->error) == DC_OK);
    check_at_rest(d);
}

#endif
