/* Meshes for tests that the library does not make itself: Delaunay triangulations of a rectangle. */
#ifndef TEST_MESHES_H
#define TEST_MESHES_H

enum { TEST_MESH_VERTICES = 8000, TEST_MESH_TRIANGLES = 16000 };

typedef struct test_mesh {
    dc_index vertex_count, triangle_count;
    dc_vec2 flat[TEST_MESH_VERTICES];
    dc_vec3 positions[TEST_MESH_VERTICES];
    dc_index triangles[3 * TEST_MESH_TRIANGLES];
} test_mesh;

static double test_mesh_area(const test_mesh *m, dc_index a, dc_index b, dc_index c)
{
    double abx = (double)m->flat[b].x - (double)m->flat[a].x,
           aby = (double)m->flat[b].y - (double)m->flat[a].y;
    double acx = (double)m->flat[c].x - (double)m->flat[a].x,
           acy = (double)m->flat[c].y - (double)m->flat[a].y;
    return (abx * acy - aby * acx) / 2;
}

/* > 0 if d lies inside the circle through a, b, c (counter-clockwise). */
static double test_mesh_in_circle(const test_mesh *m, dc_index a, dc_index b, dc_index c,
                                  dc_index d)
{
    const dc_vec2 *p = m->flat;
    double ax = (double)p[a].x - (double)p[d].x, ay = (double)p[a].y - (double)p[d].y;
    double bx = (double)p[b].x - (double)p[d].x, by = (double)p[b].y - (double)p[d].y;
    double cx = (double)p[c].x - (double)p[d].x, cy = (double)p[c].y - (double)p[d].y;
    double aa = ax * ax + ay * ay, bb = bx * bx + by * by, cc = cx * cx + cy * cy;
    return ax * (by * cc - bb * cy) - ay * (bx * cc - bb * cx) + aa * (bx * cy - by * cx);
}

static void test_mesh_add_triangle(test_mesh *m, dc_index a, dc_index b, dc_index c)
{
    dc_index *t = m->triangles + 3 * m->triangle_count++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

/* The triangle with the side b -> a, and its third vertex; -1 at the border. */
static dc_index test_mesh_neighbour(const test_mesh *m, dc_index a, dc_index b, dc_index *apex)
{
    dc_index t, c;
    for (t = 0; t < m->triangle_count; t++)
        for (c = 0; c < 3; c++)
            if (m->triangles[3 * t + c] == b && m->triangles[3 * t + (c + 1) % 3] == a) {
                *apex = m->triangles[3 * t + (c + 2) % 3];
                return t;
            }
    return -1;
}

/* Lawson's flips: one pass over all sides; returns how many were flipped. */
static int test_mesh_flip_pass(test_mesh *m)
{
    dc_index t, c;
    int flips = 0;
    for (t = 0; t < m->triangle_count; t++) {
        for (c = 0; c < 3; c++) {
            dc_index *tri = m->triangles + 3 * t, apex = tri[c], a = tri[(c + 1) % 3],
                     b = tri[(c + 2) % 3], other, *nb;
            dc_index n = test_mesh_neighbour(m, a, b, &other);
            double size = test_mesh_area(m, apex, a, b);
            if (n < 0 || !(test_mesh_in_circle(m, apex, a, b, other) > 1e-9 * size * size))
                continue;
            nb = m->triangles + 3 * n;
            tri[0] = apex, tri[1] = a, tri[2] = other;
            nb[0] = apex, nb[1] = other, nb[2] = b;
            flips++;
            break;
        }
    }
    return flips;
}

/* Puts point p into the triangle it lies in, or onto the side it lies on. */
static void test_mesh_insert(test_mesh *m, double x, double y)
{
    dc_index p = m->vertex_count++, t, c;
    m->flat[p].x = (dc_real)x;
    m->flat[p].y = (dc_real)y;
    for (t = 0; t < m->triangle_count; t++) {
        dc_index v[3], on = -1;
        double part[3], whole;
        int inside = 1;
        for (c = 0; c < 3; c++) v[c] = m->triangles[3 * t + c];
        whole = test_mesh_area(m, v[0], v[1], v[2]);
        for (c = 0; c < 3; c++) {
            part[c] = test_mesh_area(m, p, v[(c + 1) % 3], v[(c + 2) % 3]) / whole;
            if (part[c] < -1e-6)
                inside = 0;
            else if (part[c] < 1e-6)
                on = c;
        }
        if (!inside) continue;
        if (on < 0) {
            m->triangles[3 * t + 2] = p;
            test_mesh_add_triangle(m, v[1], v[2], p);
            test_mesh_add_triangle(m, v[2], v[0], p);
        } else {
            dc_index a = v[on], b = v[(on + 1) % 3], d = v[(on + 2) % 3], far_apex;
            dc_index n = test_mesh_neighbour(m, b, d, &far_apex), *tri = m->triangles + 3 * t;
            tri[0] = a, tri[1] = b, tri[2] = p;
            test_mesh_add_triangle(m, a, p, d);
            if (n >= 0) {
                tri = m->triangles + 3 * n;
                tri[0] = far_apex, tri[1] = d, tri[2] = p;
                test_mesh_add_triangle(m, far_apex, p, b);
            }
        }
        return;
    }
}

static void test_mesh_place(test_mesh *m)
{
    dc_index v;
    for (v = 0; v < m->vertex_count; v++) {
        m->positions[v].x = m->flat[v].x;
        m->positions[v].y = 0;
        m->positions[v].z = m->flat[v].y;
    }
}

static void test_mesh_begin(test_mesh *m, double width, double height)
{
    const double corner[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    int i;
    m->vertex_count = 4;
    m->triangle_count = 0;
    for (i = 0; i < 4; i++) {
        m->flat[i].x = (dc_real)(corner[i][0] * width);
        m->flat[i].y = (dc_real)(corner[i][1] * height);
    }
    test_mesh_add_triangle(m, 0, 1, 2);
    test_mesh_add_triangle(m, 0, 2, 3);
}

/* Points along the border, `columns` and `rows` cells. */
static void test_mesh_border(test_mesh *m, double width, double height, int columns, int rows)
{
    int i;
    for (i = 1; i < columns; i++) {
        test_mesh_insert(m, width * i / columns, 0);
        test_mesh_insert(m, width * i / columns, height);
    }
    for (i = 1; i < rows; i++) {
        test_mesh_insert(m, 0, height * i / rows);
        test_mesh_insert(m, width, height * i / rows);
    }
}

static void test_mesh_finish(test_mesh *m)
{
    int pass;
    for (pass = 0; pass < 100 && test_mesh_flip_pass(m) > 0; pass++) {
    }
    test_mesh_place(m);
}

/* width x height, `columns` x `rows` cells cut one way; inner points moved by up to jitter cells. */
static void test_mesh_grid(test_mesh *m, double width, double height, int columns, int rows,
                           double jitter)
{
    shape_desc shape = shape_defaults(SHAPE_GRID);
    dc_mesh_desc desc;
    shape.columns = columns;
    shape.rows = rows;
    shape.width = (dc_real)width;
    shape.height = (dc_real)height;
    shape.jitter = (dc_real)jitter;
    shape.seed = 7;
    shape_build(&shape, m->positions, m->triangles, m->flat, &desc, NULL);
    m->vertex_count = desc.vertex_count;
    m->triangle_count = desc.triangle_count;
    test_mesh_place(m);
}

/* Turns every other diagonal of a grid, as a union jack has them: constraints depend on each other. */
static void test_mesh_alternate(test_mesh *m, int columns, int rows)
{
    dc_index i, j, t = 0;
    for (j = 0; j < rows; j++)
        for (i = 0; i < columns; i++) {
            dc_index a = j * (columns + 1) + i, b = a + 1, c = b + columns + 1, d = c - 1;
            int forward = (i + j) % 2 == 0;
            t = shape_put_triangle(m->triangles, t, a, b, forward ? c : d);
            t = shape_put_triangle(m->triangles, t, forward ? a : b, c, d);
        }
}

/* Random inner points, then Delaunay. */
static void test_mesh_delaunay(test_mesh *m, double width, double height, int columns, int rows)
{
    int i, j;
    test_mesh_begin(m, width, height);
    test_mesh_border(m, width, height, columns, rows);
    for (j = 1; j < rows; j++)
        for (i = 1; i < columns; i++) {
            uint32_t number = (uint32_t)(2 * (j * columns + i));
            double dx = 0.35 * (double)dci_random(3, number),
                   dy = 0.35 * (double)dci_random(3, number + 1);
            test_mesh_insert(m, width * (i + dx) / columns, height * (j + dy) / rows);
        }
    test_mesh_finish(m);
}

/* A square lattice turned by 30 degrees, cut off at the border, which has its own even points. */
static void test_mesh_rotated(test_mesh *m, double width, double height, int columns, int rows)
{
    double h = width / columns, c = 0.86602540378443865, s = 0.5;
    int i, j;
    test_mesh_begin(m, width, height);
    test_mesh_border(m, width, height, columns, rows);
    for (j = -2 * columns; j <= 2 * columns; j++)
        for (i = -2 * columns; i <= 2 * columns; i++) {
            double x = width / 2 + h * (c * i - s * j), y = height / 2 + h * (s * i + c * j);
            double margin = 0.45 * h;
            if (x > margin && x < width - margin && y > margin && y < height - margin)
                test_mesh_insert(m, x, y);
        }
    test_mesh_finish(m);
}

static dc_mesh_desc test_mesh_desc(const test_mesh *m)
{
    dc_mesh_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.vertex_count = m->vertex_count;
    desc.triangle_count = m->triangle_count;
    desc.positions = m->positions;
    desc.triangles = m->triangles;
    return desc;
}

#endif
