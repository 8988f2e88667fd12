#include "coincident.h"

#include <stdlib.h>
#include <string.h>

typedef struct place {
    dc_vec3 x;
    dc_index v;
} place;

static int compare_numbers(dc_real a, dc_real b)
{
    return (a > b) - (a < b);
}

static int compare_places(const place *a, const place *b)
{
    int order = compare_numbers(a->x.x, b->x.x);
    if (order == 0) order = compare_numbers(a->x.y, b->x.y);
    if (order == 0) order = compare_numbers(a->x.z, b->x.z);
    return order;
}

/* For qsort(): by place, then by vertex. */
static int compare(const void *first, const void *second)
{
    const place *a = first, *b = second;
    int order = compare_places(a, b);
    return order != 0 ? order : (a->v > b->v) - (a->v < b->v);
}

static dc_index find_root(dc_index *root, dc_index v)
{
    while (root[v] != v) {
        root[v] = root[root[v]];
        v = root[v];
    }
    return v;
}

/* Makes root (vertex_count) the same for all vertices of a piece; DC_NONE: without a triangle. */
static void find_pieces(const dc_mesh_desc *mesh, dc_index *root)
{
    const dc_index *vertex = mesh->triangles;
    dc_index v, q;
    for (v = 0; v < mesh->vertex_count; v++) root[v] = DC_NONE;
    for (q = 0; q < 3 * mesh->triangle_count; q++) root[vertex[q]] = vertex[q];
    for (q = 0; q < 3 * mesh->triangle_count; q++)
        root[find_root(root, vertex[q])] = find_root(root, vertex[q - q % 3]);
    for (v = 0; v < mesh->vertex_count; v++)
        if (root[v] != DC_NONE) root[v] = find_root(root, v);
}

/* Sorts the vertices that have a triangle by place; those of one place stand together, the earliest
   first. Returns how many there are. */
static dc_index sort_places(const dc_mesh_desc *mesh, place *places)
{
    dc_index v, q, count = 0;
    for (v = 0; v < mesh->vertex_count; v++) places[v].v = DC_NONE;
    for (q = 0; q < 3 * mesh->triangle_count; q++) places[mesh->triangles[q]].v = 0;
    for (v = 0; v < mesh->vertex_count; v++) {
        if (places[v].v == DC_NONE) continue;
        places[count].x = mesh->positions[v];
        places[count++].v = v;
    }
    qsort(places, (size_t)count, sizeof *places, compare);
    return count;
}

int coincident_first(dc_index *first, const dc_mesh_desc *mesh, failure *why)
{
    place *places = malloc((size_t)mesh->vertex_count * sizeof *places);
    dc_index v, i, begin = 0, count;
    if (places == NULL) return failure_set(why, "not enough memory to compare the vertices");
    count = sort_places(mesh, places);
    for (v = 0; v < mesh->vertex_count; v++) first[v] = v;
    for (i = 1; i < count; i++) {
        if (compare_places(&places[begin], &places[i]) != 0) begin = i;
        first[places[i].v] = places[begin].v;
    }
    free(places);
    return 1;
}

static void count_coincident(coincident *c, const dc_mesh_desc *mesh, const dc_index *first,
                             const dc_index *root)
{
    dc_index v;
    for (v = 0; v < mesh->vertex_count; v++) {
        dc_index earlier = first[v];
        c->piece_count += root[v] == v;
        if (v == earlier) continue;
        if (c->count++ == 0 || (c->apart_count == 0 && root[v] != root[earlier]))
            c->pair[0] = earlier, c->pair[1] = v;
        c->apart_count += root[v] != root[earlier];
    }
}

int coincident_find(coincident *c, const dc_mesh_desc *mesh, failure *why)
{
    dc_index *root = malloc((size_t)mesh->vertex_count * sizeof *root);
    dc_index *first = malloc((size_t)mesh->vertex_count * sizeof *first);
    int is_made = root != NULL && first != NULL;
    memset(c, 0, sizeof *c);
    if (!is_made) failure_set(why, "not enough memory to compare the vertices");
    is_made = is_made && coincident_first(first, mesh, why);
    if (is_made) {
        find_pieces(mesh, root);
        count_coincident(c, mesh, first, root);
    }
    free(root);
    free(first);
    return is_made;
}
