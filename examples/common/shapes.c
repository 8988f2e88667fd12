#include "shapes.h"

#include <string.h>

/* Grids and strips are the library's. Round shapes are lattices that are rolled up:

       annulus           (i, j) -> (angle, radius), outside first
       cylinder          (i, j) -> (angle, y)
       sphere, capsule   like the cylinder, with rings of varying radius, and a fan of triangles at
                         each pole

   The disk has a centre and rings of 6, 12, 18 ... vertices: its triangles are nearly equilateral. */

static const int64_t SHAPE_COUNT_MAX = 50000000;     /* of the library's meshes */
static const dc_real SHAPE_SIZE_MAX = (dc_real)1e18; /* [m] squares are finite in floats, too */
static const dc_real SHAPE_PI = (dc_real)3.14159265358979323846;

shape_desc shape_defaults(shape_kind kind)
{
    shape_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.kind = kind;
    desc.columns = kind == SHAPE_GRID ? 20 : 40;
    desc.rows = kind == SHAPE_GRID || kind == SHAPE_SPHERE ? 20 : 10;
    desc.width = 1;
    desc.height = kind == SHAPE_STRIP ? (dc_real)0.25 : 1;
    desc.radius = (dc_real)0.5;
    desc.inner_radius = (dc_real)0.25;
    desc.diagonals = kind == SHAPE_STRIP ? DC_DIAGONALS_HERRINGBONE : DC_DIAGONALS_FORWARD;
    return desc;
}

/* ---- Checks and counts ---- */

static dc_status shape_tell(dc_error *error, dc_status status, const char *what)
{
    if (!error) return status;
    memset(error, -1, sizeof *error); /* all indices are DC_NONE */
    error->status = status;
    error->where = "shape_build";
    error->what = what;
    error->value = 0;
    error->needed = error->given = 0;
    return status;
}

static int shape_is_size(dc_real x)
{
    return x > 0 && x <= SHAPE_SIZE_MAX;
}

static const char *shape_wrong_field(const shape_desc *desc)
{
    int has_columns = desc->kind != SHAPE_DISK, is_box = desc->kind <= SHAPE_STRIP;
    int has_height = is_box || desc->kind == SHAPE_CYLINDER || desc->kind == SHAPE_CAPSULE;
    dc_index columns_min = is_box ? 1 : 3, rows_min = desc->kind == SHAPE_SPHERE ? 2 : 1;
    if ((int)desc->kind < 0 || desc->kind > SHAPE_CAPSULE) return "kind is not one of its values";
    if (has_columns && desc->columns < columns_min) return "columns are too few for this shape";
    if (desc->rows < rows_min) return "rows are too few for this shape";
    if (is_box && !shape_is_size(desc->width)) return "width is not between 0 and 1e18 m";
    if (has_height && !shape_is_size(desc->height)) return "height is not between 0 and 1e18 m";
    if (!is_box && !shape_is_size(desc->radius)) return "radius is not between 0 and 1e18 m";
    if (desc->kind == SHAPE_ANNULUS &&
        !(desc->inner_radius > 0 && desc->inner_radius < desc->radius))
        return "inner_radius is not between 0 and radius";
    if ((int)desc->diagonals < 0 || desc->diagonals > DC_DIAGONALS_HERRINGBONE)
        return "diagonals is not one of its values";
    if (!(desc->jitter >= 0 && desc->jitter <= (dc_real)0.3))
        return "jitter is not between 0 and 0.3";
    return NULL;
}

/* Rows of cells from the cylinder's end to a pole, so that cells are about as high as wide. */
static dc_index shape_cap_rows(const shape_desc *desc)
{
    return desc->columns < 8 ? 1 : desc->columns / 4;
}

static int shape_has_poles(const shape_desc *desc)
{
    return desc->kind == SHAPE_SPHERE || desc->kind == SHAPE_CAPSULE;
}

/* Of cells, without the triangles at the poles. */
static dc_index shape_lattice_rows(const shape_desc *desc)
{
    if (desc->kind == SHAPE_SPHERE) return desc->rows - 2;
    if (desc->kind == SHAPE_CAPSULE) return desc->rows + 2 * (shape_cap_rows(desc) - 1);
    return desc->rows;
}

dc_status shape_counts(const shape_desc *desc, dc_index *vertex_count, dc_index *triangle_count,
                       dc_error *error)
{
    const char *wrong = shape_wrong_field(desc);
    int64_t columns = desc->columns, rows = desc->rows, vertices, triangles;
    *vertex_count = *triangle_count = 0;
    if (wrong) return shape_tell(error, DC_BAD_ARGUMENT, wrong);
    if (columns > SHAPE_COUNT_MAX || rows > SHAPE_COUNT_MAX)
        return shape_tell(error, DC_TOO_LARGE, "more than 50 million cells");
    if (desc->kind == SHAPE_DISK) {
        vertices = 1 + 3 * rows * (rows + 1);
        triangles = 6 * rows * rows;
    } else {
        int is_open = desc->kind <= SHAPE_STRIP, has_poles = shape_has_poles(desc);
        rows = shape_lattice_rows(desc);
        vertices = (columns + is_open) * (rows + 1) + 2 * has_poles;
        triangles = 2 * columns * (rows + has_poles);
    }
    if (vertices > SHAPE_COUNT_MAX || triangles > SHAPE_COUNT_MAX)
        return shape_tell(error, DC_TOO_LARGE, "more than 50 million vertices or triangles");
    *vertex_count = (dc_index)vertices;
    *triangle_count = (dc_index)triangles;
    return shape_tell(error, DC_OK, "");
}

/* ---- Round shapes ---- */

/* Rounds twice, also on a machine that could compute both operations at once. */
static dc_real shape_add_product(dc_real x, dc_real a, dc_real b)
{
    volatile dc_real product = a * b;
    return x + product;
}

dc_index shape_put_triangle(dc_index *triangles, dc_index t, dc_index a, dc_index b, dc_index c)
{
    triangles[3 * t] = a;
    triangles[3 * t + 1] = b;
    triangles[3 * t + 2] = c;
    return t + 1;
}

/* The last column is next to the first. */
static void shape_lattice_triangles(const shape_desc *desc, dc_index *triangles)
{
    dc_index columns = desc->columns, rows = shape_lattice_rows(desc), i, j, t = 0;
    dc_index south = (rows + 1) * columns, north = south + 1;
    for (j = 0; j < rows; j++) {
        for (i = 0; i < columns; i++) {
            dc_index a = j * columns + i, b = j * columns + (i + 1) % columns;
            dc_index c = b + columns, d = a + columns;
            int is_forward = desc->diagonals == DC_DIAGONALS_FORWARD ||
                             (desc->diagonals == DC_DIAGONALS_HERRINGBONE && i % 2 == 0);
            t = shape_put_triangle(triangles, t, a, b, is_forward ? c : d);
            t = shape_put_triangle(triangles, t, is_forward ? a : b, c, d);
        }
    }
    for (i = 0; shape_has_poles(desc) && i < columns; i++) {
        dc_index next = (i + 1) % columns;
        t = shape_put_triangle(triangles, t, south, next, i);
        t = shape_put_triangle(triangles, t, south - columns + i, south - columns + next, north);
    }
}

static dc_vec3 shape_vec(dc_real x, dc_real y, dc_real z)
{
    dc_vec3 v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

/* Point i of `count` on a circle in the plane z = 0. */
static dc_vec3 shape_on_circle(dc_real radius, dc_index i, dc_index count)
{
    dc_real angle = 2 * SHAPE_PI * (dc_real)i / (dc_real)count;
    return shape_vec(radius * dc_cos(angle), radius * dc_sin(angle), 0);
}

/* The same about the y axis, ordered so that the surface faces outward. */
static dc_vec3 shape_around_y(dc_real radius, dc_real y, dc_index i, dc_index count)
{
    dc_vec3 at = shape_on_circle(radius, i, count);
    return shape_vec(at.x, y, -at.y);
}

/* Vertex (i, j) of a capsule, or of a sphere, which has equally spaced rings and no cylinder. */
static dc_vec3 shape_capsule_vertex(const shape_desc *desc, dc_index i, dc_index j)
{
    int is_sphere = desc->kind == SHAPE_SPHERE;
    dc_index cap = shape_cap_rows(desc);
    dc_real half = is_sphere ? 0 : desc->height / 2, y = 0, latitude;
    if (is_sphere) {
        latitude = SHAPE_PI * ((dc_real)(j + 1) / (dc_real)desc->rows - (dc_real)0.5);
    } else if (j + 1 < cap) {
        latitude = SHAPE_PI / 2 * ((dc_real)(j + 1) / (dc_real)cap - 1);
        y = -half;
    } else if (j + 1 > cap + desc->rows) {
        latitude = SHAPE_PI / 2 * (dc_real)(j + 1 - cap - desc->rows) / (dc_real)cap;
        y = half;
    } else {
        latitude = 0;
        y = desc->height * (dc_real)(j + 1 - cap) / (dc_real)desc->rows - half;
    }
    return shape_around_y(desc->radius * dc_cos(latitude),
                          shape_add_product(y, desc->radius, dc_sin(latitude)), i, desc->columns);
}

static dc_vec3 shape_vertex(const shape_desc *desc, dc_index i, dc_index j)
{
    dc_real up = (dc_real)j / (dc_real)desc->rows;
    dc_real radius = shape_add_product(desc->radius, desc->inner_radius - desc->radius, up);
    if (desc->kind == SHAPE_ANNULUS) return shape_on_circle(radius, i, desc->columns);
    if (desc->kind == SHAPE_CYLINDER)
        return shape_around_y(desc->radius, desc->height * up, i, desc->columns);
    return shape_capsule_vertex(desc, i, j);
}

static void shape_build_lattice(const shape_desc *desc, dc_vec3 *positions, dc_index *triangles)
{
    dc_index i, j, count = 0, rows = shape_lattice_rows(desc);
    for (j = 0; j <= rows; j++)
        for (i = 0; i < desc->columns; i++) positions[count++] = shape_vertex(desc, i, j);
    if (shape_has_poles(desc)) {
        dc_real top = desc->radius + (desc->kind == SHAPE_CAPSULE ? desc->height / 2 : 0);
        positions[count] = shape_vec(0, -top, 0);
        positions[count + 1] = shape_vec(0, top, 0);
    }
    shape_lattice_triangles(desc, triangles);
}

/* Ring r > 0 of the disk has 6 r vertices, from 1 + 3 r (r - 1) on; the centre is vertex 0. */
static dc_index shape_disk_vertex(dc_index ring, dc_index around)
{
    return ring == 0 ? 0 : 1 + 3 * ring * (ring - 1) + around % (6 * ring);
}

static void shape_build_disk(const shape_desc *desc, dc_vec3 *positions, dc_index *triangles)
{
    dc_index ring, sector, k, t = 0;
    positions[0] = shape_vec(0, 0, 0);
    for (ring = 1; ring <= desc->rows; ring++) {
        dc_real radius = desc->radius * (dc_real)ring / (dc_real)desc->rows;
        for (k = 0; k < 6 * ring; k++)
            positions[shape_disk_vertex(ring, k)] = shape_on_circle(radius, k, 6 * ring);
        for (sector = 0; sector < 6; sector++) {
            dc_index inner = sector * (ring - 1), outer = sector * ring;
            for (k = 0; k < ring; k++) {
                dc_index foot = shape_disk_vertex(ring - 1, inner + k);
                dc_index at = shape_disk_vertex(ring, outer + k);
                dc_index next = shape_disk_vertex(ring, outer + k + 1);
                t = shape_put_triangle(triangles, t, foot, at, next);
                if (k + 1 < ring)
                    t = shape_put_triangle(triangles, t, foot, next,
                                           shape_disk_vertex(ring - 1, inner + k + 1));
            }
        }
    }
}

/* ---- Jitter ---- */

static uint32_t shape_hash(uint32_t x)
{
    x ^= x >> 16;
    x *= UINT32_C(0x7feb352d);
    x ^= x >> 15;
    x *= UINT32_C(0x846ca68b);
    return x ^ (x >> 16);
}

/* In [-1, 1). */
static dc_real shape_random(uint32_t seed, uint32_t number)
{
    uint32_t bits = shape_hash(shape_hash(seed) + number) >> 8;
    return (dc_real)bits / (dc_real)8388608.0 - 1;
}

/* Moves the inner vertices of a grid, strip or disk at random by up to `jitter` cells per axis. */
static void shape_jitter(const shape_desc *desc, dc_vec3 *positions)
{
    int is_disk = desc->kind == SHAPE_DISK;
    dc_index per_row = desc->columns + 1, v, first = is_disk ? 0 : per_row;
    dc_index end = is_disk ? shape_disk_vertex(desc->rows, 0) : per_row * desc->rows;
    dc_real wide = desc->width / (dc_real)desc->columns, high = desc->height / (dc_real)desc->rows;
    dc_real cell = is_disk ? desc->radius / (dc_real)desc->rows : wide < high ? wide : high;
    for (v = first; v < end; v++) {
        uint32_t number = 2 * (uint32_t)v;
        dc_real most = desc->jitter * cell;
        dc_vec3 *p = positions + v;
        if (!is_disk && (v % per_row == 0 || v % per_row == desc->columns)) continue;
        p->x = shape_add_product(p->x, most, shape_random(desc->seed, number));
        p->y = shape_add_product(p->y, most, shape_random(desc->seed, number + 1));
    }
}

dc_status shape_build(const shape_desc *desc, dc_vec3 *positions, dc_index *triangles,
                      dc_vec2 *flat, dc_mesh_desc *mesh, dc_error *error)
{
    int is_flat = desc->kind <= SHAPE_ANNULUS;
    dc_index vertex_count, triangle_count, v;
    dc_status status = shape_counts(desc, &vertex_count, &triangle_count, error);
    if (status != DC_OK) return status;
    if (desc->kind <= SHAPE_STRIP)
        dc_grid(desc->columns, desc->rows, desc->width, desc->height, desc->diagonals, positions,
                triangles);
    else if (desc->kind == SHAPE_DISK)
        shape_build_disk(desc, positions, triangles);
    else
        shape_build_lattice(desc, positions, triangles);
    if (desc->jitter > 0 && desc->kind <= SHAPE_DISK) shape_jitter(desc, positions);
    for (v = 0; flat && is_flat && v < vertex_count; v++) {
        flat[v].x = positions[v].x;
        flat[v].y = positions[v].y;
    }
    if (mesh) {
        memset(mesh, 0, sizeof *mesh);
        mesh->vertex_count = vertex_count;
        mesh->triangle_count = triangle_count;
        mesh->positions = positions;
        mesh->triangles = triangles;
        mesh->flat_vertices = flat && is_flat ? flat : NULL;
    }
    return status;
}
