/* A strip of length 1 whose two ends are held in position and direction: the elastica with its ends
   brought together, a ring that hangs by its top, a pear. */
#ifndef TEST_HELD_STRIP_H
#define TEST_HELD_STRIP_H

enum { HELD_CLAMPS = 32, CURVE_PARTS = 2000 };

typedef struct held_strip {
    dc_element element;
    int kind; /* of mesh, as that of a cantilever                                               */
    int cells, rows;
    double width;
    double first, last; /* [rad] direction of the tangent at both ends, in the x y plane          */
    double end_x;       /* where it ends; it begins at 0, and both are at one height              */
    double gamma;       /* rho g L^3 / k; 0: no gravity                                           */
} held_strip;

/* Shortening, sag by L, energy by B / L with pinned ends; clamped ones have 4 times that. When the
   ends meet, a strip leaves its plane. */
enum { SHORTENINGS = 4 };
static const double shortenings[SHORTENINGS][3] = {{.1, .194924311, 1.0126022},
                                                   {.3, .314312613, 3.2117560},
                                                   {.5, .373306427, 5.7005918},
                                                   {.7, .399730531, 8.5819429}};

/* What comes of it, lengths by the strip's, the energy by B / L. */
typedef struct held_shape {
    double lowest, width, energy;
} held_shape;

/* The curve to begin with: its direction is first + (last - first) s - swing sin(2 pi s). */
typedef struct curve {
    double x[CURVE_PARTS + 1], y[CURVE_PARTS + 1];
} curve;

static void curve_make(const held_strip *h, double swing, curve *c)
{
    const double pi = acos(-1.0);
    int i;
    c->x[0] = c->y[0] = 0;
    for (i = 0; i < CURVE_PARTS; i++) {
        double s = (i + 0.5) / CURVE_PARTS;
        double angle = h->first + (h->last - h->first) * s - swing * sin(2 * pi * s);
        c->x[i + 1] = c->x[i] + cos(angle) / CURVE_PARTS;
        c->y[i + 1] = c->y[i] + sin(angle) / CURVE_PARTS;
    }
}

/* The swing with which it ends at end_x: that falls with the swing, until 2.4 if the ends are level
   (the first zero of the Bessel function J0) and about 1.3 in a pear. */
static void curve_fit(const held_strip *h, curve *c)
{
    double low = 0, high = h->first == h->last ? 2.4 : 1.3;
    int i;
    for (i = 0; i < 60; i++) {
        double swing = (low + high) / 2;
        curve_make(h, swing, c);
        if (c->x[CURVE_PARTS] > h->end_x)
            low = swing;
        else
            high = swing;
    }
}

/* Puts the mesh on the curve. */
static void held_strip_place(const held_strip *h, const test_mesh *mesh, dc_vec3 *x)
{
    static curve c;
    dc_index v;
    if (fabs(h->last - h->first) > 6)
        curve_make(h, 0, &c); /* the circle is closed as it is */
    else
        curve_fit(h, &c);
    for (v = 0; v < mesh->vertex_count; v++) {
        double s = (double)mesh->flat[v].x * CURVE_PARTS;
        int i = (int)s < CURVE_PARTS ? (int)s : CURVE_PARTS - 1;
        x[v].x = (dc_real)(c.x[i] + (s - i) * (c.x[i + 1] - c.x[i]));
        x[v].y = (dc_real)(c.y[i] + (s - i) * (c.y[i + 1] - c.y[i]));
        x[v].z = mesh->flat[v].y;
    }
}

/* The border edges at x = 0, then those at x = 1. */
static dc_index held_strip_clamps(const test_mesh *mesh, dc_clamp_desc *clamps)
{
    dc_index q, count = 0, end;
    for (end = 0; end < 2; end++)
        for (q = 0; q < 3 * mesh->triangle_count; q++) {
            dc_index a = mesh->triangles[q], b = mesh->triangles[dci_corner_next(q)];
            if (fabs((double)mesh->flat[a].x - end) + fabs((double)mesh->flat[b].x - end) > 1e-6)
                continue;
            clamps[count].vertex0 = a;
            clamps[count++].vertex1 = b;
        }
    return count;
}

/* Leads all clamps to where they are to be. */
static void held_strip_hold(const held_strip *h, const test_mesh *mesh, fixture *f)
{
    dc_index i;
    for (i = 0; i < f->cloth.clamp_count; i++) {
        dc_index a = f->cloth.clamps[i].vertex0, b = f->cloth.clamps[i].vertex1;
        int is_last = mesh->flat[a].x > DCI_R(0.5);
        double angle = is_last ? h->last : h->first, sign = is_last ? 1 : -1;
        dc_real x = (dc_real)(is_last ? h->end_x : 0);
        CHECK(dc_cloth_set_clamp(
                  f->world, 0, i, dci_vec(x, 0, mesh->flat[a].y), dci_vec(x, 0, mesh->flat[b].y),
                  dci_vec((dc_real)(sign * cos(angle)), (dc_real)(sign * sin(angle)), 0),
                  &f->error) == DC_OK);
    }
}

static held_shape held_strip_measure(const held_strip *h, const fixture *f)
{
    const dc_vec3 *midpoint = dc_cloth_midpoints(f->world, 0);
    dc_measures m = dc_cloth_measure(f->world, 0);
    double left = 0, right = 0;
    held_shape shape;
    dc_index e;
    shape.lowest = 0;
    for (e = 0; e < dc_cloth_mesh(f->world, 0)->edge_count; e++) {
        shape.lowest = fmin(shape.lowest, (double)midpoint[e].y);
        left = fmin(left, (double)midpoint[e].x);
        right = fmax(right, (double)midpoint[e].x);
    }
    shape.width = right - left;
    shape.energy = (double)(m.bending + m.jump) / ((double)f->cloth.bending * h->width);
    return shape;
}

/* Lets it come to rest. */
static held_shape held_strip_settle(const held_strip *h)
{
    static dc_clamp_desc clamps[HELD_CLAMPS];
    static dc_vec3 start[TEST_MESH_VERTICES];
    static test_mesh mesh;
    cantilever as = cantilever_defaults();
    fixture f = fixture_begin();
    held_shape shape;
    as.kind = h->kind;
    as.cells = h->cells;
    as.rows = h->rows;
    as.width = h->width;
    cantilever_mesh(&as, &mesh);
    held_strip_place(h, &mesh, start);
    f.cloth.mesh = test_mesh_desc(&mesh);
    f.cloth.start_positions = start;
    f.cloth.clamps = clamps;
    f.cloth.clamp_count = held_strip_clamps(&mesh, clamps);
    f.cloth.bending = (dc_real)(0.15 * 9.81 / (h->gamma > 0 ? h->gamma : 20));
    f.cloth.drag_normal = f.cloth.drag_tangential = (dc_real)SETTLE_DRAG;
    f.cloth.integrator = DC_INTEGRATOR_BACKWARD_EULER;
    f.cloth.element = h->element;
    if (!(h->gamma > 0)) f.desc.gravity = dci_vec(0, 0, 0);
    CHECK(fixture_open(&f) == DC_OK);
    held_strip_hold(h, &mesh, &f);
    CHECK(fixture_settle(&f, 0.02, 20) == DC_OK);
    shape = held_strip_measure(h, &f);
    fixture_close(&f);
    return shape;
}

#endif
