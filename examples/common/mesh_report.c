#include "mesh_report.h"

#include <stdlib.h>
#include <string.h>

static const dc_real SLIVER = (dc_real)0.05;        /* height over longest edge */
static const dc_real SEAM_MISMATCH = (dc_real)0.01; /* of the two lengths, relative */
/* One over the share of inner vertices with four triangles above which diagonals alternate. */
enum { ALTERNATING_PART = 4 };

static dc_index root_of(dc_index *parent, dc_index v)
{
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
}

/* parent (vertex_count) becomes a forest: a tree for each piece; DC_NONE where there is no triangle. */
static void count_pieces(mesh_report *report, const dc_mesh *mesh, dc_index *parent)
{
    dc_index v, q, e;
    for (v = 0; v < mesh->vertex_count; v++) parent[v] = DC_NONE;
    for (q = 0; q < 3 * mesh->triangle_count; q++) parent[mesh->triangles[q]] = mesh->triangles[q];
    for (e = 0; e < mesh->edge_count; e++)
        parent[root_of(parent, mesh->edge_vertices[2 * e])] =
            root_of(parent, mesh->edge_vertices[2 * e + 1]);
    for (v = 0; v < mesh->vertex_count; v++) {
        report->piece_count += parent[v] == v;
        if (parent[v] == DC_NONE && report->isolated_count++ == 0) report->isolated_vertex = v;
    }
}

int mesh_is_sliver(const dc_mesh *mesh, dc_index t)
{
    const dc_real *length = mesh->rest_length + 3 * t;
    dc_real longest = length[0] > length[1] ? length[0] : length[1];
    if (length[2] > longest) longest = length[2];
    return 2 * mesh->rest_area[t] < SLIVER * longest * longest;
}

static int is_mismatched(const dc_mesh *mesh, dc_index e)
{
    dc_index right = mesh->corner_of_edge[2 * e + 1];
    dc_real length = mesh->rest_length[mesh->corner_of_edge[2 * e]], more;
    if (right == DC_NONE) return 0;
    more = mesh->rest_length[right] - length;
    return (more < 0 ? -more : more) > SEAM_MISMATCH * length;
}

/* A fan around an inner vertex does not begin at a border edge. */
static int fan_is_closed(const dc_mesh *mesh, dc_index fan)
{
    dc_index q = mesh->fan_corner[mesh->fan_start[fan]];
    dc_index edge = mesh->edge_of_corner[q % 3 == 0 ? q + 2 : q - 1];
    return mesh->corner_of_edge[2 * edge + 1] != DC_NONE;
}

static void count_alternating(mesh_report *report, const dc_mesh *mesh)
{
    dc_index fan, inner_count = 0;
    for (fan = 0; fan < mesh->fan_count; fan++) {
        dc_index start = mesh->fan_start[fan];
        if (!fan_is_closed(mesh, fan)) continue;
        inner_count++;
        if (mesh->fan_start[fan + 1] - start == 4 && report->alternating_count++ == 0)
            report->alternating_vertex = mesh->triangles[mesh->fan_corner[start]];
    }
    report->is_alternating = ALTERNATING_PART * report->alternating_count > inner_count;
}

int mesh_report_make(mesh_report *report, const dc_mesh *mesh)
{
    dc_index *parent = (dc_index *)malloc((size_t)mesh->vertex_count * sizeof *parent), t, e;
    if (parent == NULL) return 0;
    memset(report, 0, sizeof *report);
    report->isolated_vertex = report->sliver_triangle = DC_NONE;
    report->seam_edge = report->alternating_vertex = DC_NONE;
    count_pieces(report, mesh, parent);
    for (t = 0; t < mesh->triangle_count; t++)
        if (mesh_is_sliver(mesh, t) && report->sliver_count++ == 0) report->sliver_triangle = t;
    for (e = 0; e < mesh->edge_count; e++)
        if (is_mismatched(mesh, e) && report->seam_count++ == 0) report->seam_edge = e;
    count_alternating(report, mesh);
    free(parent);
    return 1;
}
