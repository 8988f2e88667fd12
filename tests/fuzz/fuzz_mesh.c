/* dc_mesh_init() on meshes good and bad.

   - Memory of dc_mesh_bytes() is enough, and one byte less is refused with that number. What was in
     it before does not matter, nor where it begins.
   - Every corner has its edge, every edge its corners; no two edges have the same ends; 3 T = 2 E - B
     with B edges on the border, each of which has its left triangle alone; directions are those of
     the left triangle, which has the smaller corner.
   - The fans hold every corner once; a fan turns counter-clockwise about one vertex; closed fans come
     round, open ones begin and end at borders, and there are B of them.
   - Lengths are those given; areas are Heron's. mesh_report_make() counts what a walk over the mesh
     counts.
   - What is refused is bad, by a check of its own, the index in the record is one of its elements,
     and the arguments are as they were. What is good is not refused. */
#include "fuzz.h"

#include "shapes.h"

#include "../../examples/common/mesh_report.c"

enum { MESH_TRIANGLES_MAX = 40 };

/* ---- An independent opinion ---- */

typedef struct opinion {
    int is_finite, is_surface; /* numbers; indices, orientations, at most two triangles an edge   */
    int is_fat, is_thin;       /* surely: all areas are well above the limit; one is far below it */
} opinion;

static int is_finite2(dc_vec2 a)
{
    return isfinite(a.x) && isfinite(a.y);
}

static int all_finite(const dc_mesh_desc *d)
{
    dc_index i;
    int ok = 1;
    for (i = 0; i < d->vertex_count; i++) {
        ok &= isfinite(d->positions[i].x) && isfinite(d->positions[i].y) &&
              isfinite(d->positions[i].z);
        ok &= !d->flat_vertices || is_finite2(d->flat_vertices[i]);
    }
    for (i = 0; i < 3 * d->triangle_count; i++) {
        ok &= !d->flat_corners || is_finite2(d->flat_corners[i]);
        ok &= !d->rest_lengths || isfinite(d->rest_lengths[i]);
    }
    return ok;
}

/* Sides as (from, to): each at most once, and no more than two with the same ends. */
static int is_surface(const dc_mesh_desc *d)
{
    dc_index corners = 3 * d->triangle_count, i, k;
    for (i = 0; i < corners; i++)
        if (d->triangles[i] < 0 || d->triangles[i] >= d->vertex_count) return 0;
    for (i = 0; i < corners; i++) {
        dc_index from = d->triangles[i / 3 * 3 + (i + 1) % 3];
        dc_index to = d->triangles[i / 3 * 3 + (i + 2) % 3];
        if (from == to) return 0;
        for (k = 0; k < i; k++) {
            dc_index a = d->triangles[k / 3 * 3 + (k + 1) % 3];
            dc_index b = d->triangles[k / 3 * 3 + (k + 2) % 3];
            if (a == from && b == to) return 0;
        }
    }
    return 1;
}

static long double given_length(const dc_mesh_desc *d, dc_index corner)
{
    dc_index next = corner / 3 * 3 + (corner + 1) % 3, prev = corner / 3 * 3 + (corner + 2) % 3;
    dc_index a = d->triangles[next], b = d->triangles[prev];
    if (d->rest_lengths) return d->rest_lengths[corner];
    if (d->flat_corners || d->flat_vertices) {
        dc_vec2 p = d->flat_corners ? d->flat_corners[next] : d->flat_vertices[a];
        dc_vec2 q = d->flat_corners ? d->flat_corners[prev] : d->flat_vertices[b];
        long double x = (long double)p.x - q.x, y = (long double)p.y - q.y;
        return sqrtl(x * x + y * y);
    } else {
        dc_vec3 p = d->positions[a], q = d->positions[b];
        long double x = (long double)p.x - q.x, y = (long double)p.y - q.y,
                    z = (long double)p.z - q.z;
        return sqrtl(x * x + y * y + z * z);
    }
}

/* The area of a triangle with these sides by Heron's formula as Kahan has it. */
static long double heron(const long double side[3])
{
    long double a = side[0], b = side[1], c = side[2], product, swap;
    if (a < b) swap = a, a = b, b = swap;
    if (b < c) swap = b, b = c, c = swap;
    if (a < b) swap = a, a = b, b = swap;
    product = (a + (b + c)) * (c - (a - b)) * (c + (a - b)) * (a + (b - c));
    return product > 0 ? sqrtl(product) / 4 : 0;
}

/* The area that the description gives to a triangle: by a cross product, where it gives places. */
static long double given_area(const dc_mesh_desc *d, dc_index t, const long double side[3])
{
    long double a[3], b[3], x, y, z;
    dc_index i;
    if (d->rest_lengths) return heron(side);
    for (i = 0; i < 2; i++) {
        long double *to = i ? b : a;
        dc_index v0 = d->triangles[3 * t], v = d->triangles[3 * t + 1 + i];
        if (d->flat_corners || d->flat_vertices) {
            dc_vec2 p = d->flat_corners ? d->flat_corners[3 * t] : d->flat_vertices[v0];
            dc_vec2 q = d->flat_corners ? d->flat_corners[3 * t + 1 + i] : d->flat_vertices[v];
            to[0] = (long double)q.x - p.x, to[1] = (long double)q.y - p.y, to[2] = 0;
        } else {
            dc_vec3 p = d->positions[v0], q = d->positions[v];
            to[0] = (long double)q.x - p.x, to[1] = (long double)q.y - p.y;
            to[2] = (long double)q.z - p.z;
        }
    }
    x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    return sqrtl(x * x + y * y + z * z) / 2;
}

static opinion judge(const dc_mesh_desc *d)
{
    /* [m] beyond, products of four lengths may over- or underflow */
    static const long double LARGE = sizeof(dc_real) == 4 ? 1e9L : 1e70L,
                             SMALL = sizeof(dc_real) == 4 ? 1e-9L : 1e-70L;
    /* areas by the square of the longest side, well above and below what is refused */
    static const long double FAT = sizeof(dc_real) == 4 ? 1e-3L : 1e-6L;
    static const long double THIN = sizeof(dc_real) == 4 ? 1e-6L : 1e-10L;
    opinion o = {0, 0, 1, 0};
    dc_index t, c;
    o.is_finite = all_finite(d);
    o.is_surface = is_surface(d);
    for (t = 0; o.is_finite && o.is_surface && t < d->triangle_count; t++) {
        long double l[3], longest = 0, part;
        int is_tame = 1;
        for (c = 0; c < 3; c++) {
            l[c] = given_length(d, 3 * t + c);
            longest = fmaxl(longest, l[c]);
            is_tame &= l[c] > SMALL && l[c] < LARGE;
            if (l[c] <= 0) o.is_thin = 1;
        }
        part = given_area(d, t, l) / (longest * longest);
        if (!is_tame || !(part > FAT)) o.is_fat = 0;
        if (is_tame && part < THIN) o.is_thin = 1;
    }
    return o;
}

/* ---- What was made ---- */

static dc_index next_of(dc_index q)
{
    return q / 3 * 3 + (q + 1) % 3;
}

static dc_index prev_of(dc_index q)
{
    return q / 3 * 3 + (q + 2) % 3;
}

static void check_edges(const dc_mesh *m)
{
    dc_index q, e, k, border = 0, used = 0;
    for (q = 0; q < 3 * m->triangle_count; q++) {
        e = m->edge_of_corner[q];
        REQUIRE(e >= 0 && e < m->edge_count);
        REQUIRE(m->corner_of_edge[2 * e] == q || m->corner_of_edge[2 * e + 1] == q);
    }
    for (e = 0; e < m->edge_count; e++) {
        dc_index left = m->corner_of_edge[2 * e], right = m->corner_of_edge[2 * e + 1];
        REQUIRE(left >= 0 && left < 3 * m->triangle_count);
        REQUIRE(m->edge_vertices[2 * e] == m->triangles[next_of(left)]);
        REQUIRE(m->edge_vertices[2 * e + 1] == m->triangles[prev_of(left)]);
        used += 1 + (right != DC_NONE);
        border += right == DC_NONE;
        for (k = 0; k < e; k++)
            REQUIRE(m->edge_vertices[2 * e] != m->edge_vertices[2 * k] ||
                    m->edge_vertices[2 * e + 1] != m->edge_vertices[2 * k + 1]);
        if (right == DC_NONE) continue;
        REQUIRE(right > left && right < 3 * m->triangle_count);
        REQUIRE(m->edge_vertices[2 * e] == m->triangles[prev_of(right)]);
        REQUIRE(m->edge_vertices[2 * e + 1] == m->triangles[next_of(right)]);
    }
    REQUIRE(used == 3 * m->triangle_count && border == m->boundary_edge_count);
    REQUIRE(3 * m->triangle_count == 2 * m->edge_count - border);
}

/* Returns whether the fan is open. */
static int check_fan(const dc_mesh *m, const dc_index *corner, dc_index count)
{
    dc_index i, vertex = m->triangles[corner[0]];
    dc_index first = m->edge_of_corner[prev_of(corner[0])];
    dc_index last = m->edge_of_corner[next_of(corner[count - 1])];
    for (i = 0; i < count; i++) REQUIRE(m->triangles[corner[i]] == vertex);
    for (i = 0; i + 1 < count; i++) /* the edge that leads out is the one that leads in */
        REQUIRE(m->edge_of_corner[next_of(corner[i])] == m->edge_of_corner[prev_of(corner[i + 1])]);
    if (m->corner_of_edge[2 * first + 1] != DC_NONE) {
        REQUIRE(first == last);
        return 0;
    }
    REQUIRE(m->corner_of_edge[2 * last + 1] == DC_NONE && first != last);
    return 1;
}

static void check_fans(const dc_mesh *m)
{
    unsigned char seen[3 * MESH_TRIANGLES_MAX];
    dc_index fan, i, open = 0;
    memset(seen, 0, sizeof seen);
    REQUIRE(m->fan_start[0] == 0 && m->fan_start[m->fan_count] == 3 * m->triangle_count);
    for (fan = 0; fan < m->fan_count; fan++) {
        dc_index start = m->fan_start[fan], count = m->fan_start[fan + 1] - start;
        REQUIRE(count > 0);
        for (i = 0; i < count; i++) {
            dc_index q = m->fan_corner[start + i];
            REQUIRE(q >= 0 && q < 3 * m->triangle_count && !seen[q]);
            seen[q] = 1;
        }
        open += check_fan(m, m->fan_corner + start, count);
    }
    REQUIRE(open == m->boundary_edge_count);
}

static void check_shape(const dc_mesh *m, const dc_mesh_desc *d)
{
    static const long double ROUNDING = sizeof(dc_real) == 4 ? 1e-4L : 1e-12L;
    dc_index t, c;
    for (t = 0; t < m->triangle_count; t++) {
        long double l[3], longest = 0, area, part;
        for (c = 0; c < 3; c++) {
            l[c] = given_length(d, 3 * t + c);
            longest = fmaxl(longest, l[c]);
            REQUIRE(fabsl(l[c] - m->rest_length[3 * t + c]) <= ROUNDING * l[c]);
            l[c] = m->rest_length[3 * t + c];
        }
        area = heron(l);
        part = area / (longest * longest);
        REQUIRE(isfinite(m->rest_area[t]) && m->rest_area[t] > 0);
        if (part > 1e-4L) REQUIRE(fabsl(area - m->rest_area[t]) <= ROUNDING * area);
    }
}

static void check_mesh_report(const dc_mesh *m, const mesh_report *r)
{
    dc_index piece[3 * MESH_TRIANGLES_MAX + 16], corners[3 * MESH_TRIANGLES_MAX + 16], v, e, t;
    dc_index pieces = 0, isolated = 0, alternating = 0, inner = 0, fan;
    int is_changed = 1;
    for (v = 0; v < m->vertex_count; v++) piece[v] = v, corners[v] = 0;
    for (t = 0; t < 3 * m->triangle_count; t++) corners[m->triangles[t]]++;
    while (is_changed)
        for (is_changed = 0, e = 0; e < m->edge_count; e++) {
            dc_index *a = piece + m->edge_vertices[2 * e], *b = piece + m->edge_vertices[2 * e + 1];
            is_changed |= *a != *b;
            *a = *b = *a < *b ? *a : *b;
        }
    for (v = m->vertex_count - 1; v >= 0; v--) {
        pieces += corners[v] > 0 && piece[v] == v;
        isolated += corners[v] == 0;
    }
    for (fan = 0; fan < m->fan_count; fan++) {
        dc_index start = m->fan_start[fan], end = m->fan_start[fan + 1];
        dc_index edge = m->edge_of_corner[prev_of(m->fan_corner[start])];
        int is_closed = m->corner_of_edge[2 * edge + 1] != DC_NONE;
        inner += is_closed;
        alternating += is_closed && end - start == 4;
    }
    REQUIRE(r->piece_count == pieces && r->isolated_count == isolated);
    REQUIRE((r->isolated_vertex == DC_NONE) == (isolated == 0));
    if (isolated > 0) REQUIRE(corners[r->isolated_vertex] == 0);
    REQUIRE(r->alternating_count == alternating && r->is_alternating == (4 * alternating > inner));
    REQUIRE(r->sliver_count >= 0 && r->sliver_count <= m->triangle_count);
    REQUIRE((r->sliver_triangle == DC_NONE) == (r->sliver_count == 0));
    REQUIRE(r->seam_count >= 0 && r->seam_count <= m->edge_count);
    REQUIRE((r->seam_edge == DC_NONE) == (r->seam_count == 0));
}

static void check_index(const dc_mesh_desc *d, const dc_error *error)
{
    dc_index i = error->index, corners = 3 * d->triangle_count;
    REQUIRE(error->body == DC_NONE);
    if (error->status == DC_BAD_MESH) REQUIRE(i >= 0 && i < d->triangle_count);
    if (error->status == DC_NOT_FINITE) REQUIRE(i >= 0 && (i < d->vertex_count || i < corners));
}

/* ---- The whole ---- */

static int is_same(const void *a, const void *b, size_t count, size_t bytes)
{
    return memcmp(a, b, count * bytes) == 0;
}

static void check_same(const dc_mesh *a, const dc_mesh *b)
{
    size_t corners = 3 * (size_t)a->triangle_count, edges = 2 * (size_t)a->edge_count;
    REQUIRE(a->edge_count == b->edge_count && a->fan_count == b->fan_count);
    REQUIRE(is_same(a->triangles, b->triangles, corners, sizeof(dc_index)));
    REQUIRE(is_same(a->edge_of_corner, b->edge_of_corner, corners, sizeof(dc_index)));
    REQUIRE(is_same(a->edge_vertices, b->edge_vertices, edges, sizeof(dc_index)));
    REQUIRE(is_same(a->corner_of_edge, b->corner_of_edge, edges, sizeof(dc_index)));
    REQUIRE(is_same(a->fan_corner, b->fan_corner, corners, sizeof(dc_index)));
    REQUIRE(is_same(a->rest_length, b->rest_length, corners, sizeof(dc_real)));
    REQUIRE(is_same(a->rest_area, b->rest_area, corners / 3, sizeof(dc_real)));
}

static void check_mesh_refusal(const dc_mesh_desc *d, const dc_error *error)
{
    opinion o = judge(d);
    check_index(d, error);
    if (error->status == DC_NOT_FINITE) {
        REQUIRE(!o.is_finite);
    } else {
        REQUIRE(error->status == DC_BAD_MESH && o.is_finite);
        REQUIRE(!o.is_surface || !o.is_fat);
    }
}

/* Counts and arrays that cannot be. */
static void check_wrong_counts(fuzz_bytes *f, const dc_mesh_desc *good)
{
    static const dc_index wrong[5] = {0, -1, INT32_MIN, INT32_MAX, 50000001};
    dc_mesh_desc d = *good;
    dc_mesh mesh;
    dc_error error;
    dc_status status;
    int which = fuzz_int(f, 0, 3);
    if (which == 0) d.vertex_count = wrong[fuzz_int(f, 0, 4)];
    if (which == 1) d.triangle_count = wrong[fuzz_int(f, 0, 4)];
    if (which == 2) d.positions = NULL;
    if (which == 3) d.triangles = NULL;
    status = dc_mesh_init(&d, NULL, 0, &mesh, &error);
    REQUIRE(status == DC_BAD_ARGUMENT || status == DC_TOO_LARGE);
    REQUIRE(fuzz_error_is_good(&error, status, "dc_mesh_init") && error.index == DC_NONE);
    REQUIRE(which > 1 || dc_mesh_bytes(d.vertex_count, d.triangle_count) == 0);
}

static int run_mesh(const uint8_t *data, size_t size)
{
    fuzz_bytes f = fuzz_begin(data, size);
    fuzz_mesh given;
    fuzz_block block, other;
    dc_mesh mesh, again;
    mesh_report report;
    dc_error error;
    dc_status status;
    size_t bytes;
    f.is_weird = fuzz_once_in(&f, 4);
    given = fuzz_mesh_make(&f, MESH_TRIANGLES_MAX);
    bytes = dc_mesh_bytes(given.desc.vertex_count, given.desc.triangle_count);
    REQUIRE(bytes > 0);
    block = fuzz_block_new(bytes, (unsigned)fuzz_int(&f, 0, 16), 0xff);
    other = fuzz_block_new(bytes, (unsigned)fuzz_int(&f, 0, 16), 0x5a);
    memset(&mesh, 0x77, sizeof mesh);
    again = mesh;
    REQUIRE(dc_mesh_init(&given.desc, block.memory, bytes - 1, &mesh, &error) == DC_TOO_SMALL);
    REQUIRE(fuzz_error_is_good(&error, DC_TOO_SMALL, "dc_mesh_init") && error.needed == bytes &&
            error.given == bytes - 1);
    REQUIRE(memcmp(&mesh, &again, sizeof mesh) == 0);
    status = dc_mesh_init(&given.desc, block.memory, bytes, &mesh, &error);
    REQUIRE(fuzz_error_is_good(&error, status, "dc_mesh_init"));
    if (status == DC_OK) {
        opinion o = judge(&given.desc);
        REQUIRE(o.is_finite && o.is_surface && !o.is_thin);
        REQUIRE(mesh.vertex_count == given.desc.vertex_count);
        REQUIRE(mesh.triangle_count == given.desc.triangle_count);
        REQUIRE(is_same(mesh.triangles, given.triangles, 3 * (size_t)mesh.triangle_count,
                        sizeof(dc_index)));
        check_edges(&mesh);
        check_fans(&mesh);
        check_shape(&mesh, &given.desc);
        REQUIRE(mesh_report_make(&report, &mesh));
        check_mesh_report(&mesh, &report);
        REQUIRE(dc_mesh_init(&given.desc, other.memory, bytes, &again, NULL) == DC_OK);
        check_same(&mesh, &again);
    } else {
        REQUIRE(memcmp(&mesh, &again, sizeof mesh) == 0);
        check_mesh_refusal(&given.desc, &error);
    }
    check_wrong_counts(&f, &given.desc);
    fuzz_block_free(&block);
    fuzz_block_free(&other);
    fuzz_mesh_free(&given);
    return 0;
}
