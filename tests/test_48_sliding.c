/* Chapters 30 and 48: what slides on triangles slides as on a plane. Ways are compared with closed forms:
   on an incline g (sin a - mu cos a) t^2 / 2, in a half pipe a pendulum's. */

#define SLIDE_ANGLE (25 * DCI_PI / 180)
static const double SLIDE_TIME = 0.5; /* [s] */

typedef enum slide_base { SLIDE_PLANE, SLIDE_MESH, SLIDE_CLOTH, SLIDE_SELF } slide_base;

typedef struct slide {
    slide_base base;
    dc_index cells, pieces; /* of the base: cells along a side of one of pieces^2 meshes */
    double turn;            /* [deg] of the sheet on the slope */
    double dt, friction;
    dc_step step;
    dc_element element;
    dc_integrator integrator;
    double jitter; /* of the vertices inside a grid, in cells */
} slide;

static slide slide_on(slide_base base, dc_index cells, double turn, double rate, double friction)
{
    slide s;
    memset(&s, 0, sizeof s);
    s.base = base;
    s.cells = cells;
    s.pieces = 1;
    s.turn = turn;
    s.dt = 1 / rate;
    s.friction = friction;
    s.element = dc_cloth_defaults().element;
    s.integrator = dc_cloth_defaults().integrator;
    return s;
}

/* A point of the slope: down along it, upwards from it, and across. */
static dc_vec3 slide_point(double along, double up, double across)
{
    double c = cos((double)SLIDE_ANGLE), s = sin((double)SLIDE_ANGLE);
    return dci_vec((dc_real)(c * along + s * up), (dc_real)(c * up - s * along), (dc_real)across);
}

/* ---- Grids ---- */

/* The place of (u, v), both from 0 to 1. */
typedef dc_vec3 (*slide_map)(double u, double v, const void *context);

typedef struct slide_rectangle {
    double from, to, left, right; /* [m] along and across */
    double up, turn;              /* [m] above the slope; [rad] about its middle */
} slide_rectangle;

static dc_vec3 slide_in_rectangle(double u, double v, const void *context)
{
    const slide_rectangle *r = (const slide_rectangle *)context;
    double along = (u - 0.5) * (r->to - r->from), across = (v - 0.5) * (r->right - r->left);
    return slide_point((r->from + r->to) / 2 + cos(r->turn) * along + sin(r->turn) * across, r->up,
                       (r->left + r->right) / 2 + cos(r->turn) * across - sin(r->turn) * along);
}

/* Between -1/2 and 1/2, the same for the same number. */
static double slide_noise(dc_index number)
{
    return (double)(dci_hash32((uint32_t)number + 1) % 1000) / 1000 - 0.5;
}

static dc_mesh_desc slide_grid(dc_index columns, dc_index rows, slide_map map, const void *context,
                               double jitter)
{
    dc_index vertices = DC_GRID_VERTICES(columns, rows), i, j;
    dc_vec3 *x = (dc_vec3 *)test_alloc((size_t)vertices * sizeof *x);
    dc_index *t = (dc_index *)test_alloc(6 * (size_t)(columns * rows) * sizeof *t);
    dc_mesh_desc mesh;
    memset(&mesh, 0, sizeof mesh);
    mesh.positions = x;
    mesh.triangles = t;
    mesh.vertex_count = vertices;
    mesh.triangle_count = DC_GRID_TRIANGLES(columns, rows);
    for (j = 0; j <= rows; j++)
        for (i = 0; i <= columns; i++) {
            dc_index k = j * (columns + 1) + i;
            int is_inside = i > 0 && i < columns && j > 0 && j < rows;
            double du = is_inside ? jitter * slide_noise(2 * k) : 0;
            double dv = is_inside ? jitter * slide_noise(2 * k + 1) : 0;
            x[k] =
                map(((double)i + du) / (double)columns, ((double)j + dv) / (double)rows, context);
        }
    for (j = 0; j < rows; j++)
        for (i = 0; i < columns; i++) {
            dc_index a = j * (columns + 1) + i, c = a + columns + 1, k;
            const dc_index corner[6] = {a, a + 1, c + 1, a, c + 1, c};
            for (k = 0; k < 6; k++) *t++ = corner[k];
        }
    return mesh;
}

/* ---- Worlds ---- */

/* Adds a grid as a cloth; bodies_close() frees it. */
static void slide_add_cloth(bodies *b, dc_mesh_desc mesh, const slide *s)
{
    dc_index k = b->desc.cloth_count++;
    b->cloth[k] = dc_cloth_defaults();
    b->cloth[k].mesh = mesh;
    b->positions[k] = (dc_vec3 *)mesh.positions;
    b->triangles[k] = (dc_index *)mesh.triangles;
    b->cloth[k].thickness = DCI_R(1e-3);
    b->cloth[k].friction = (dc_real)s->friction;
    b->cloth[k].step = s->step;
    b->cloth[k].element = s->element;
    b->cloth[k].integrator = s->integrator;
    b->cloth[k].self_contact = 0;
}

static void slide_add_obstacle(bodies *b, dc_mesh_desc mesh, double friction)
{
    dc_obstacle_desc *o =
        bodies_obstacle(b, DC_OBSTACLE_MESH, dci_vec(0, 0, 0), dci_vec(0, 0, 0), 0);
    o->mesh = mesh;
    o->friction = (dc_real)friction;
}

/* Pins all vertices of a cloth from `first` on. */
static void slide_pin(bodies *b, dc_index cloth, dc_index first)
{
    dc_index count = b->cloth[cloth].mesh.vertex_count - first, i;
    dc_index *pins = (dc_index *)test_alloc((size_t)count * sizeof *pins);
    for (i = 0; i < count; i++) pins[i] = first + i;
    b->cloth[cloth].pin_vertices = pins;
    b->cloth[cloth].pin_count = count;
}

/* One mesh of two. */
static dc_mesh_desc slide_join(dc_mesh_desc a, dc_mesh_desc b)
{
    dc_index vertices = a.vertex_count + b.vertex_count, i;
    dc_index triangles = a.triangle_count + b.triangle_count;
    dc_vec3 *x = (dc_vec3 *)test_alloc((size_t)vertices * sizeof *x);
    dc_index *t = (dc_index *)test_alloc(3 * (size_t)triangles * sizeof *t);
    for (i = 0; i < vertices; i++)
        x[i] = i < a.vertex_count ? a.positions[i] : b.positions[i - a.vertex_count];
    for (i = 0; i < 3 * triangles; i++)
        t[i] = i < 3 * a.triangle_count ? a.triangles[i]
                                        : a.vertex_count + b.triangles[i - 3 * a.triangle_count];
    free((void *)a.positions), free((void *)a.triangles);
    free((void *)b.positions), free((void *)b.triangles);
    a.positions = x;
    a.triangles = t;
    a.vertex_count = vertices;
    a.triangle_count = triangles;
    return a;
}

/* The slope, 1.2 x .6 m. */
static void slide_add_slope(bodies *b, const slide *s)
{
    dc_index p = s->pieces, i, j;
    if (s->base == SLIDE_PLANE)
        bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, 0, 0), slide_point(0, 1, 0), 0)->friction =
            (dc_real)s->friction;
    for (i = 0; s->base != SLIDE_PLANE && i < p; i++)
        for (j = 0; j < p; j++) {
            slide_rectangle r = {
                1.2 * i / p, 1.2 * (i + 1) / p, 0.3 - 0.6 * j / p, 0.3 - 0.6 * (j + 1) / p, 0, 0};
            dc_mesh_desc mesh = slide_grid(s->cells, s->cells, slide_in_rectangle, &r, s->jitter);
            dc_index first = b->cloth[0].mesh.vertex_count;
            if (s->base == SLIDE_MESH) {
                slide_add_obstacle(b, mesh, s->friction);
            } else if (s->base == SLIDE_CLOTH) {
                slide_add_cloth(b, mesh, s);
                slide_pin(b, 1, 0);
            } else {
                mesh = slide_join(b->cloth[0].mesh, mesh);
                b->cloth[0].mesh = mesh;
                b->positions[0] = (dc_vec3 *)mesh.positions;
                b->triangles[0] = (dc_index *)mesh.triangles;
                b->cloth[0].self_contact = 1;
                slide_pin(b, 0, first);
            }
        }
}

static void slide_close(bodies *b)
{
    dc_index i;
    for (i = 0; i < b->desc.cloth_count; i++) free((void *)b->cloth[i].pin_vertices);
    for (i = 0; i < b->desc.obstacle_count; i++) {
        free((void *)b->obstacle[i].mesh.positions);
        free((void *)b->obstacle[i].mesh.triangles);
    }
    bodies_close(b);
}

/* The mean of a cloth's vertices, up to `count`. */
static dc_vec3 slide_centre(const bodies *b, dc_index count)
{
    dc_vec3 sum = dci_vec(0, 0, 0);
    dc_index v;
    for (v = 0; v < count; v++) sum = dci_vec_add(sum, dc_body_positions(b->world, 0)[v]);
    return dci_vec_scale(1 / (dc_real)count, sum);
}

/* Takes all steps, all of them certified and none short of rows. Returns the way. */
static dc_vec3 slide_run(bodies *b, dc_index count, double dt, double duration)
{
    int steps = (int)(duration / dt + 0.5), i;
    dc_vec3 start = slide_centre(b, count);
    for (i = 0; i < steps; i++) {
        CHECK(bodies_step(b, dt) == DC_OK && b->report.is_certified);
        CHECK(b->report.counters.rows_needed <= b->world->contacts->capacity);
    }
    return dci_vec_sub(slide_centre(b, count), start);
}

enum { SLIDE_CELLS = 5, SLIDE_VERTICES = DC_GRID_VERTICES(SLIDE_CELLS, SLIDE_CELLS) };
#define SLIDE_SIDE 0.27 /* [m] */

/* The acceleration of what slides [m/s^2]. */
static double slide_closed_form(const slide *s)
{
    return 9.81 * (sin((double)SLIDE_ANGLE) - s->friction * cos((double)SLIDE_ANGLE));
}

/* A sheet `up` [m] above the slope. */
static bodies *slide_sheet(const slide *s, double up)
{
    double turn = s->turn * (double)DCI_PI / 180;
    slide_rectangle place = {0.2, 0.2 + SLIDE_SIDE, SLIDE_SIDE / 2, -SLIDE_SIDE / 2, up, turn};
    bodies *b = bodies_begin();
    dc_mesh_desc mesh =
        slide_grid(SLIDE_CELLS, SLIDE_CELLS, slide_in_rectangle, &place, s->jitter);
    slide_add_cloth(b, mesh, s);
    slide_add_slope(b, s);
    return b;
}

/* The sheet slides down the slope: its way, relative to the closed form. */
static void slide_check(slide s, double tolerance)
{
    double ideal = slide_closed_form(&s) * SLIDE_TIME * SLIDE_TIME / 2, way;
    bodies *b = slide_sheet(&s, s.base == SLIDE_CLOTH || s.base == SLIDE_SELF ? 1.001e-3 : 0.501e-3);
    dc_vec3 moved;
    CHECK(bodies_open(b) == DC_OK);
    moved = slide_run(b, SLIDE_VERTICES, s.dt, SLIDE_TIME);
    way = (double)dci_dot(moved, slide_point(1, 0, 0));
    CHECK_NEAR(way / ideal, 1, tolerance);
    CHECK_AT_MOST(fabs((double)moved.z), 2e-3 * way);
    slide_close(b);
}

static void test_sheets_slide_on_triangles_as_on_a_plane(void)
{
    slide s;
    slide_check(slide_on(SLIDE_PLANE, 0, 26, 120, 0.2), 0.01);
    slide_check(slide_on(SLIDE_MESH, 1, 45, 60, 0), 0.01);
    slide_check(slide_on(SLIDE_MESH, 12, 26, 60, 0), 0.01);
    slide_check(slide_on(SLIDE_MESH, 12, 0, 120, 0.2), 0.01);
    slide_check(slide_on(SLIDE_MESH, 30, 26, 120, 0.35), 0.01);
    slide_check(slide_on(SLIDE_MESH, 1, 26, 60, 0.35), 0.01);
    s = slide_on(SLIDE_MESH, 12, 26, 60, 0.2);
    s.element = DC_ELEMENT_ISOMETRIC;
    slide_check(s, 0.01);
    s.element = DC_ELEMENT_NONCONFORMING;
    s.integrator = DC_INTEGRATOR_BACKWARD_EULER;
    slide_check(s, 0.04); /* its way after 30 steps is longer by a thirtieth */
    s.integrator = DC_INTEGRATOR_BDF2;
    s.jitter = 0.6;
    slide_check(s, 0.01);
}

/* The same for more meshes, directions, steps and frictions, and for cloth. */
static void test_sheets_of_all_kinds_slide_on_triangles(void)
{
    static const dc_index cells[] = {1, 3, 12, 30};
    static const double turns[] = {0, 26, 45}, frictions[] = {0, 0.2, 0.35};
    int i, j, k;
    for (i = 0; i < 4; i++)
        for (j = 0; j < 3; j++)
            for (k = 0; k < 3; k++)
                slide_check(slide_on(SLIDE_MESH, cells[i], turns[j], 120, frictions[k]), 0.01);
    for (i = 30; i <= 960; i *= 2)
        for (k = 0; k < 3; k++) {
            slide_check(slide_on(SLIDE_PLANE, 1, 26, i, frictions[k]), 0.01);
            slide_check(slide_on(SLIDE_MESH, k == 1 ? 30 : 12, 26, i, frictions[k]), 0.01);
        }
    for (i = 60; i <= 120; i *= 2)
        for (k = 0; k < 3; k++)
            for (j = 6; j <= 12; j += 6)
                slide_check(slide_on(SLIDE_SELF, j, 26, i, frictions[k]), 0.01);
}

/* A sheet that touches the slope is let go: nothing hits anything, so contacts carry its weight from
   the first step on, and it begins as it goes on. */
static void slide_begin(double rate, double friction)
{
    slide s = slide_on(SLIDE_PLANE, 0, 26, rate, friction);
    double load, push = 0;
    bodies *b = slide_sheet(&s, 0.5e-3);
    dc_contact_force force[2 * SLIDE_VERTICES];
    dc_index i, forces;
    dc_vec3 velocity = dci_vec(0, 0, 0);
    b->cloth[0].solver.residual_tol = DCI_R(0.01);
    CHECK(bodies_open(b) == DC_OK && bodies_step(b, s.dt) == DC_OK);
    for (i = 0; i < SLIDE_VERTICES; i++)
        velocity = dci_vec_add(velocity, dc_body_velocities(b->world, 0)[i]);
    velocity = dci_vec_scale(1 / (dc_real)SLIDE_VERTICES, velocity);
    CHECK_NEAR(dci_dot(velocity, slide_point(1, 0, 0)) / (slide_closed_form(&s) * s.dt), 1, 0.02);
    CHECK_NEAR(dci_dot(velocity, slide_point(0, 1, 0)) / (9.81 * s.dt), 0, 5e-3);
    forces = dc_world_contacts(b->world, 2 * SLIDE_VERTICES, force);
    CHECK(forces > 0 && forces <= 2 * SLIDE_VERTICES);
    for (i = 0; i < forces && i < 2 * SLIDE_VERTICES; i++)
        push += fabs((double)dci_dot(force[i].force, slide_point(0, 1, 0)));
    load = SLIDE_SIDE * SLIDE_SIDE * b->cloth[0].density * 9.81 * cos((double)SLIDE_ANGLE);
    CHECK_NEAR(push / load, 1, 0.05);
    slide_close(b);
}

static void test_what_is_laid_down_has_hit_nothing(void)
{
    slide_begin(30, 0);
    slide_begin(30, 0.35);
    slide_begin(60, 0.35);
}

/* Whatever its direction, on coarse steps and with nearly all of its weight held by friction. And as
   contacts go from triangle to triangle with their forces, each step begins as the last one ended: an
   iteration or two are enough. */
static void test_sheets_slide_in_all_directions(void)
{
    int turn, i, iterations = 0, parts = 0;
    for (turn = 20; turn < 32; turn += 1) {
        slide s = slide_on(SLIDE_MESH, turn % 2 ? 12 : 30, turn, 30, 0.35);
        bodies *b = slide_sheet(&s, 0.5e-3);
        CHECK(bodies_open(b) == DC_OK && bodies_step(b, s.dt) == DC_OK);
        for (i = 0; i < 12; i++) {
            CHECK(bodies_step(b, s.dt) == DC_OK);
            iterations += (int)b->report.counters.newton_iterations;
            parts += (int)b->report.counters.world_substeps;
        }
        slide_close(b);
        slide_check(s, 0.01);
    }
    CHECK_AT_MOST(iterations, 1.25 * parts);
}

static void test_sheets_slide_on_pieces_that_are_not_joined(void)
{
    slide s = slide_on(SLIDE_MESH, 12, 26, 60, 0.2);
    s.pieces = 2;
    slide_check(s, 0.02);
    s.pieces = 2;
    s.cells = 6;
    s.friction = 0;
    slide_check(s, 0.02);
}

/* Moves the slope by these accelerations [m/s^2], along it and upwards from it, until `time`. */
static void slide_move_slope(const bodies *b, double along, double up, double time)
{
    dc_vec3 by = dci_vec_scale((dc_real)(time * time / 2), slide_point(along, up, 0));
    dc_index i, v;
    for (i = 0; i < b->desc.obstacle_count; i++) {
        const dc_mesh_desc *mesh = &b->obstacle[i].mesh;
        dc_vec3 *to = (dc_vec3 *)test_alloc((size_t)mesh->vertex_count * sizeof *to);
        for (v = 0; v < mesh->vertex_count; v++) to[v] = dci_vec_add(mesh->positions[v], by);
        CHECK(dc_obstacle_move(b->world, b->world->moving_count + i, to, dci_vec(0, 0, 0), NULL) ==
              DC_OK);
        free(to);
    }
}

/* A slope is drawn up from under a sheet, and falls away from it. Friction is that of the weight which
   the slope still bears. */
static void slide_check_moving(slide s, double tolerance)
{
    const double along = -2, up = -3;
    double weight = 9.81 * cos((double)SLIDE_ANGLE) + up, time = 0, ideal;
    bodies *b = slide_sheet(&s, 0.501e-3);
    dc_vec3 start, moved;
    CHECK(bodies_open(b) == DC_OK);
    start = slide_centre(b, SLIDE_VERTICES);
    while (time < SLIDE_TIME - s.dt / 2) {
        time += s.dt;
        slide_move_slope(b, along, up, time);
        CHECK(bodies_step(b, s.dt) == DC_OK && b->report.is_certified);
    }
    ideal = (9.81 * sin((double)SLIDE_ANGLE) - s.friction * weight) * time * time / 2;
    moved = dci_vec_sub(slide_centre(b, SLIDE_VERTICES), start);
    CHECK_NEAR((double)dci_dot(moved, slide_point(1, 0, 0)) / ideal, 1, tolerance);
    slide_close(b);
}

/* A sheet sinks a little before it has its rows. If edges that come from the side took hold of it from
   below, they would hurl it along. */
static void test_a_slope_is_drawn_from_under_a_sheet(void)
{
    slide s = slide_on(SLIDE_MESH, 12, 26, 60, 0.3);
    slide_check_moving(s, 0.01);
    s = slide_on(SLIDE_MESH, 3, 26, 30, 0.3);
    s.pieces = 2;
    slide_check_moving(s, 0.01);
}

static void test_cloth_slides_on_cloth(void)
{
    slide_check(slide_on(SLIDE_CLOTH, 12, 26, 60, 0.2), 0.01);
    slide_check(slide_on(SLIDE_SELF, 6, 26, 60, 0.35), 0.01);
}

/* ---- Cones ---- */

/* Adds the tent of the chapter comment, or its left half: triangles of height `rise` along the ridge
   from (0, 0) to (0, 1). `corner` (4) is used until the world is opened. */
static void cone_add_tent(bodies *b, dc_vec3 *corner, double rise, dc_index triangles)
{
    static const dc_index triangle[6] = {0, 1, 2, 1, 0, 3};
    dc_obstacle_desc *o =
        bodies_obstacle(b, DC_OBSTACLE_MESH, dci_vec(0, 0, 0), dci_vec(0, 0, 0), 0);
    corner[0] = dci_vec(0, 0, 0);
    corner[1] = dci_vec(0, 0, 1);
    corner[2] = dci_vec(-1, (dc_real)-rise, DCI_R(0.5));
    corner[3] = dci_vec(1, (dc_real)-rise, DCI_R(0.5));
    o->mesh.positions = corner;
    o->mesh.vertex_count = triangles + 2;
    o->mesh.triangles = triangle;
    o->mesh.triangle_count = triangles;
}

/* A sheet's vertex `height` above the right half of the tent: its pair with the left triangle. */
static void cone_of_left(double rise, double x, double height, dc_vec3 expected, int is_beside)
{
    dc_vec3 corner[4];
    bodies *b = bodies_begin();
    const dc_index pair_vertex[4] = {0, 1, 2, 3};
    dc_index v[4], i;
    dci_pair pair;
    dci_contact contact;
    dci_surface *s;
    bodies_sheet(b, 1, 1, 1e-2, 1e-2, x + 5e-3, height, 0.5 - 5e-3);
    cone_add_tent(b, corner, rise, 2);
    CHECK(bodies_open(b) == DC_OK);
    s = &b->world->surface;
    for (i = 0; i < 4; i++) v[i] = i == 0 ? 0 : 4 + pair_vertex[i] - 1;
    pair = dci_pair_of(s, v, 1, v + 1);
    CHECK(dci_pair_contact(s, &pair, s->start, &contact));
    CHECK_EQUAL(contact.is_beside, is_beside);
    CHECK_NEAR(dci_norm(dci_vec_sub(contact.normal, expected)), 0, TOL(1e-12, 1e-5));
    bodies_close(b);
}

/* Normals point from the vertex to the triangle. */
static void test_normals_of_contacts_stay_in_the_cones(void)
{
    const double h = 1e-3, third = sqrt(1 / 3.0), slope = sqrt(1 / (1 + 1 / 3.0));
    /* above the left one, flat */
    cone_of_left(0, -0.1, h, dci_vec(0, -1, 0), 0);
    /* flat, beyond the side: the normal of the faces, and the right one is nearer */
    cone_of_left(0, h, h, dci_vec(0, -1, 0), 1);
    /* beyond by 6 degrees: still a contact, with that normal */
    cone_of_left(0, 0.1 * h, h, dci_vec(0, -1, 0), 0);
    /* a ridge of 2 x 30 degrees: within 30 degrees of the vertical the normal is that of the edge */
    cone_of_left(third, 0, h, dci_vec(0, -1, 0), 0);
    cone_of_left(third, 0.2 * h, h,
                 dci_vec((dc_real)(-0.2 / sqrt(1.04)), (dc_real)(-1 / sqrt(1.04)), 0), 0);
    /* beyond, it is that of the right face, (1/2, sqrt(3)/2) reversed */
    cone_of_left(third, 2 * h, h, dci_vec((dc_real)(-third * slope), (dc_real)-slope, 0), 1);
    /* in the plane of the right face, beyond its corner: nothing of it is in the cone, and it stays */
    cone_of_left(third, 1.7, -1.7 * third,
                 dci_vec((dc_real)-slope, (dc_real)(third * slope), 0), 1);
}

/* Whether others than this pair of a world make the contact. */
static int pair_is_beside(bodies *b, const dc_index *first, dc_index first_count,
                          const dc_index *second)
{
    dci_pair pair;
    dci_contact contact;
    CHECK(bodies_open(b) == DC_OK);
    pair = dci_pair_of(&b->world->surface, first, first_count, second);
    CHECK(dci_pair_contact(&b->world->surface, &pair, b->world->surface.start, &contact));
    bodies_close(b);
    return contact.is_beside;
}

/* A cloth's edge across the ridge of the tent, above it. */
static int edge_is_beside(double rise, dc_index triangles)
{
    static const dc_index cloth[2] = {0, 1}, ridge[2] = {4, 5};
    dc_vec3 corner[4];
    bodies *b = bodies_begin();
    bodies_sheet(b, 1, 1, 1e-2, 1e-2, 0, 5e-3, 0.5);
    cone_add_tent(b, corner, rise, triangles);
    return pair_is_beside(b, cloth, 2, ridge);
}

/* A cloth's triangle above the top of a pyramid of which only some faces are there. */
static int top_is_beside(double rise, dc_index triangles)
{
    static const dc_index triangle[12] = {0, 2, 1, 0, 3, 2, 0, 4, 3, 0, 1, 4}, top[1] = {4};
    dc_vec3 corner[5] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {-1, 0, 0}, {0, 0, -1}};
    bodies *b = bodies_begin();
    dc_index sheet = bodies_sheet(b, 1, 1, 1e-2, 1e-2, -1e-3, 5e-3, -3e-3), i;
    dc_obstacle_desc *o =
        bodies_obstacle(b, DC_OBSTACLE_MESH, dci_vec(0, 0, 0), dci_vec(0, 0, 0), 0);
    for (i = 1; i < 5; i++) corner[i].y = (dc_real)-rise;
    o->mesh.positions = corner;
    o->mesh.vertex_count = 5;
    o->mesh.triangles = triangle;
    o->mesh.triangle_count = triangles;
    return pair_is_beside(b, top, 1, b->triangles[sheet]);
}

static void test_obstacles_make_contacts_where_they_have_ridges(void)
{
    CHECK_EQUAL(edge_is_beside(0.1, 2), 0);
    CHECK_EQUAL(edge_is_beside(0.01, 2), 0);
    CHECK_EQUAL(edge_is_beside(0, 2), 1);
    CHECK_EQUAL(edge_is_beside(-0.01, 2), 1); /* it is hollow */
    CHECK_EQUAL(edge_is_beside(0, 1), 0);     /* a border */
    CHECK_EQUAL(top_is_beside(0.1, 4), 0);
    CHECK_EQUAL(top_is_beside(0.01, 4), 0);
    CHECK_EQUAL(top_is_beside(0, 4), 1);
    CHECK_EQUAL(top_is_beside(-0.01, 4), 1);
    CHECK_EQUAL(top_is_beside(0, 3), 0);
}

/* A sheet of 5 x 2 cells, folded along column 2 so that its layers are this angle apart. Whether a
   vertex of column 4 is beside the cones of it and of the nearest triangle in the other layer. Nearer
   to the fold the layers are nearer to each other: the vector leans by the angle. */
static int fold_is_beside(double angle)
{
    bodies *b = bodies_begin();
    dc_index sheet = bodies_sheet(b, 5, 2, 0.05, 0.02, 0, 0, 0), t, i, v[4] = {6 + 4, 0, 0, 0};
    dc_index count = b->cloth[sheet].mesh.vertex_count;
    dc_vec3 *x = (dc_vec3 *)test_alloc((size_t)count * sizeof(dc_vec3));
    dc_real least = DCI_REAL_MAX;
    const dci_surface *s;
    int is_beside = -1;
    for (i = 0; i < count; i++) {
        double along = 0.01 * (i % 6 - 2), upper = fmax(0, along);
        x[i] = dci_vec((dc_real)(fmax(0, -along) + upper * cos(angle)),
                       (dc_real)(upper * sin(angle)), b->positions[sheet][i].z);
    }
    b->cloth[sheet].start_positions = x;
    b->cloth[sheet].self_contact = 1;
    CHECK(bodies_open(b) == DC_OK);
    s = &b->world->surface;
    for (t = 0; t < s->triangle_count; t++) {
        dci_pair pair;
        dci_contact contact;
        int is_lower = 1;
        for (i = 1; i < 4; i++) {
            v[i] = s->triangle[3 * t + i - 1];
            is_lower = is_lower && v[i] % 6 <= 2;
        }
        if (!is_lower) continue;
        pair = dci_pair_of(s, v, 1, v + 1);
        CHECK(dci_pair_nearest(&pair, s->start, &contact));
        if (!(contact.distance < least)) continue;
        least = contact.distance;
        dci_contact_limit(s, &pair, s->start, &contact);
        is_beside = contact.is_beside;
    }
    CHECK_NEAR(least, 0.02 * sin(angle), TOL(1e-12, 1e-7));
    bodies_close(b);
    free(x);
    return is_beside;
}

/* If they made none, layers that are pressed together would interlock. */
static void test_layers_of_a_fold_make_contacts(void)
{
    double degree = acos(-1.0) / 180;
    CHECK_EQUAL(fold_is_beside(20 * degree), 0);
    CHECK_EQUAL(fold_is_beside(45 * degree), 0);
    CHECK_EQUAL(fold_is_beside(55 * degree), 0);
    CHECK_EQUAL(fold_is_beside(65 * degree), 1);
}

/* ---- Ribbons ---- */

/* The way of a ribbon down the slope [m]. */
static double slide_ribbon(slide_base base, double friction)
{
    slide s = slide_on(base, 12, 26, 120, friction);
    double turn = s.turn * (double)DCI_PI / 180;
    bodies *b = bodies_begin();
    dc_ribbon_desc ribbon = dc_ribbon_defaults();
    dc_vec3 moved;
    int i;
    ribbon.segment_count = 12;
    ribbon.length = DCI_R(0.27);
    ribbon.width = DCI_R(0.04);
    ribbon.friction = (dc_real)friction;
    ribbon.origin = slide_point(0.2, 1.001e-3, 0);
    ribbon.along = slide_point(cos(turn), 0, -sin(turn));
    ribbon.normal = slide_point(0, 1, 0);
    b->desc.ribbons = &ribbon;
    b->desc.ribbon_count = 1;
    slide_add_slope(b, &s);
    CHECK(bodies_open(b) == DC_OK);
    moved = dc_ribbon_measure(b->world, b->desc.cloth_count).centre;
    for (i = 0; i < 60; i++) CHECK(bodies_step(b, s.dt) == DC_OK && b->report.is_certified);
    moved = dci_vec_sub(dc_ribbon_measure(b->world, b->desc.cloth_count).centre, moved);
    slide_close(b);
    CHECK_AT_MOST(fabs((double)moved.z), 2e-3 * (double)moved.x);
    return (double)dci_dot(moved, slide_point(1, 0, 0));
}

static void test_ribbons_slide_on_triangles_as_on_a_plane(void)
{
    double plane = slide_ribbon(SLIDE_PLANE, 0), rough = slide_ribbon(SLIDE_PLANE, 0.2);
    CHECK_NEAR(slide_ribbon(SLIDE_MESH, 0) / plane, 1, 0.01);
    CHECK_NEAR(slide_ribbon(SLIDE_MESH, 0.2) / rough, 1, 0.01);
}

/* ---- Round meshes ---- */

typedef struct slide_arc {
    double radius, from, to, left, right; /* [m], [rad] from straight down, [m] across */
} slide_arc;

static dc_vec3 slide_in_arc(double u, double v, const void *context)
{
    const slide_arc *r = (const slide_arc *)context;
    double angle = r->from + u * (r->to - r->from);
    return dci_vec((dc_real)(r->radius * sin(angle)), (dc_real)(-r->radius * cos(angle)),
                   (dc_real)(r->left + v * (r->right - r->left)));
}

/* Where a pendulum that starts at rest at `angle` is after a time. The sheet is an arc of this half
   angle: of each part only gravity along the circle counts, whose mean is sin(half)/half of that at
   the middle. */
static double slide_pendulum(double angle, double half, double radius, double time)
{
    const int steps = 100000;
    double speed = 0, h = time / steps;
    int i;
    for (i = 0; i < steps; i++) {
        speed -= h * 9.81 / radius * sin(angle) * sin(half) / half;
        angle += h * speed;
    }
    return angle;
}

/* A sheet in a half pipe of 20 flat strips, at first 1 rad up its side. */
static void test_a_sheet_swings_in_a_half_pipe_of_triangles(void)
{
    const double radius = 0.5, half = 0.15, time = 0.3;
    const slide s = slide_on(SLIDE_MESH, 0, 0, 120, 0);
    const double inner = radius * cos(1.5 / 20) - 0.51e-3; /* touches the strips' middles */
    const slide_arc pipe = {0.5, -1.5, 1.5, 0.4, -0.4};
    const slide_arc sheet = {inner, -1 - half, -1 + half, 0.135, -0.135};
    double end = slide_pendulum(-1, half, inner, time);
    bodies *b = bodies_begin();
    double way;
    slide_add_cloth(b, slide_grid(5, 5, slide_in_arc, &sheet, 0), &s);
    b->cloth[0].bending = DCI_R(1e-5);
    slide_add_obstacle(b, slide_grid(20, 6, slide_in_arc, &pipe, 0), 0);
    CHECK(bodies_open(b) == DC_OK);
    way = (double)slide_run(b, 36, s.dt, time).x;
    CHECK_NEAR(way / (inner * sin(half) / half * (sin(end) - sin(-1.0))), 1, 0.02);
    slide_close(b);
}

/* The way of a sheet that slides off a ball, a sphere or one of triangles [m]. */
static double slide_off_ball(int is_mesh)
{
    const double radius = 0.25;
    const slide s = slide_on(SLIDE_MESH, 0, 0, 240, 0);
    bodies *b = bodies_begin();
    shape_desc ball = shape_defaults(SHAPE_SPHERE);
    dc_index vertices, triangles;
    dc_mesh_desc mesh;
    double way;
    bodies_sheet(b, 5, 5, 0.27, 0.27, 0.08, radius + 1.2e-3, 0);
    b->cloth[0].friction = 0;
    b->cloth[0].bending = DCI_R(1e-3);
    if (is_mesh) {
        dc_vec3 *x;
        dc_index *t;
        ball.radius = (dc_real)radius;
        ball.rows = 40;
        ball.columns = 80;
        CHECK(shape_counts(&ball, &vertices, &triangles, &b->error) == DC_OK);
        x = (dc_vec3 *)test_alloc((size_t)vertices * sizeof *x);
        t = (dc_index *)test_alloc(3 * (size_t)triangles * sizeof *t);
        CHECK(shape_build(&ball, x, t, NULL, &mesh, &b->error) == DC_OK);
        slide_add_obstacle(b, mesh, 0);
    } else {
        bodies_obstacle(b, DC_OBSTACLE_SPHERE, dci_vec(0, 0, 0), dci_vec(0, 0, 0), radius);
    }
    CHECK(bodies_open(b) == DC_OK);
    way = (double)slide_run(b, 36, s.dt, SLIDE_TIME).x;
    slide_close(b);
    return way;
}

static void test_a_sheet_slides_off_a_ball_of_triangles_as_off_a_sphere(void)
{
    CHECK_NEAR(slide_off_ball(1) / slide_off_ball(0), 1, 0.02);
}

/* A sheet of 1 m falls on a ball, and its folds come to rest. Where contacts with a force drop out from
   step to step, each step takes four iterations for ever. */
static void test_folds_on_a_ball_come_to_rest(void)
{
    enum { CELLS = 14, STEPS = 480, LAST = 80 };
    const double radius = 0.25, dt = 0.005;
    bodies *b = bodies_begin();
    dc_cloth_desc *sheet = b->cloth + bodies_sheet(b, CELLS, CELLS, 1, 1, 0, 2 * radius + 0.03, 0);
    dc_index newton = 0;
    int i;
    for (i = 0; i < sheet->mesh.vertex_count; i++)
        b->positions[0][i] = dci_vec_rotate(b->positions[0][i], dci_vec(0, DCI_R(0.2), 0));
    sheet->thickness = DCI_R(0.2) / CELLS;
    sheet->bending = DCI_R(2e-5);
    sheet->bending_damping = DCI_R(0.01);
    sheet->drag_normal = DCI_R(0.2);
    sheet->friction = DCI_R(0.3);
    bodies_obstacle(b, DC_OBSTACLE_SPHERE, dci_vec(0, (dc_real)radius, 0), dci_vec(0, 0, 0), radius);
    bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, 0, 0), dci_vec(0, 1, 0), 0);
    b->obstacle[0].friction = b->obstacle[1].friction = DCI_R(0.3);
    CHECK(bodies_open(b) == DC_OK);
    for (i = 0; i < STEPS; i++) {
        CHECK(bodies_step(b, dt) == DC_OK && b->report.is_certified);
        if (i >= STEPS - LAST) newton += b->report.counters.newton_iterations;
    }
    CHECK_AT_MOST((double)newton / LAST, 2);
    bodies_close(b);
}

/* ---- Friction ---- */

/* The acceleration [m/s^2] of a sheet that slides on a plane of 20 degrees, in the last half of .5 s. */
static double slide_acceleration(dc_integrator integrator, double dt, int is_loose)
{
    const double angle = 20 * (double)DCI_PI / 180;
    bodies *b = bodies_begin();
    dc_index k = bodies_sheet(b, 3, 3, 0.3, 0.3, 0, 0.5e-3, 0), v;
    int steps = (int)(0.5 / dt + 0.5), i;
    dc_vec3 down = dci_vec((dc_real)cos(angle), (dc_real)-sin(angle), 0), before = down;
    for (v = 0; v < b->cloth[k].mesh.vertex_count; v++)
        b->positions[k][v] = dci_vec_rotate(b->positions[k][v], dci_vec(0, 0, (dc_real)-angle));
    b->cloth[k].thickness = DCI_R(1e-3);
    b->cloth[k].friction = DCI_R(0.3);
    b->cloth[k].integrator = integrator;
    if (is_loose) {
        b->cloth[k].tolerance = DCI_R(0.03);
        b->cloth[k].solver.residual_tol = 5;
        b->cloth[k].solver.cg_tol = DCI_R(0.05);
    }
    bodies_obstacle(b, DC_OBSTACLE_PLANE, dci_vec(0, 0, 0), dci_cross(dci_vec(0, 0, 1), down), 0)
        ->friction = DCI_R(0.3);
    CHECK(bodies_open(b) == DC_OK);
    for (i = 0; i < steps; i++) {
        if (i == steps / 2) before = dc_body_velocities(b->world, 0)[5];
        CHECK(bodies_step(b, dt) == DC_OK);
    }
    before = dci_vec_sub(dc_body_velocities(b->world, 0)[5], before);
    slide_close(b);
    return (double)dci_dot(before, down) / (dt * (steps - steps / 2));
}

/* g (sin a - mu cos a), with the tolerances of 08_game_loop.c, too. */
static void test_sheets_accelerate_on_an_incline_as_friction_lets_them(void)
{
    const double angle = 20 * (double)DCI_PI / 180;
    const double ideal = 9.81 * (sin(angle) - 0.3 * cos(angle));
    int k;
    for (k = 0; k < 8; k++) {
        double dt = k & 2 ? 1 / 60.0 : 1 / 240.0;
        dc_integrator integrator = k & 1 ? DC_INTEGRATOR_BACKWARD_EULER : DC_INTEGRATOR_BDF2;
        CHECK_NEAR(slide_acceleration(integrator, dt, k & 4) / ideal, 1, 1e-3);
    }
}

static const test_case tests_sliding[] = {
    {"normals of contacts stay in the cones", test_normals_of_contacts_stay_in_the_cones},
    {"what is laid down has hit nothing", test_what_is_laid_down_has_hit_nothing},
    {"obstacles make contacts where they have ridges",
     test_obstacles_make_contacts_where_they_have_ridges},
    {"sheets slide in all directions", test_sheets_slide_in_all_directions},
    {"layers of a fold make contacts", test_layers_of_a_fold_make_contacts},
    {"sheets slide on triangles as on a plane", test_sheets_slide_on_triangles_as_on_a_plane},
    {"sheets of all kinds slide on triangles", test_sheets_of_all_kinds_slide_on_triangles},
    {"sheets slide on pieces that are not joined", test_sheets_slide_on_pieces_that_are_not_joined},
    {"a slope is drawn from under a sheet", test_a_slope_is_drawn_from_under_a_sheet},
    {"cloth slides on cloth", test_cloth_slides_on_cloth},
    {"ribbons slide on triangles as on a plane", test_ribbons_slide_on_triangles_as_on_a_plane},
    {"a sheet swings in a half pipe of triangles", test_a_sheet_swings_in_a_half_pipe_of_triangles},
    {"folds on a ball come to rest", test_folds_on_a_ball_come_to_rest},
    {"a sheet slides off a ball of triangles as off a sphere",
     test_a_sheet_slides_off_a_ball_of_triangles_as_off_a_sphere},
    {"sheets accelerate on an incline as friction lets them",
     test_sheets_accelerate_on_an_incline_as_friction_lets_them},
};
