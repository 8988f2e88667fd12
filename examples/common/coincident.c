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

/* Counts in places that are sorted: those of one place stand together. */
static void count_coincident(coincident *c, const place *places, dc_index count,
                             const dc_index *root)
{
    dc_index i, first = 0;
    for (i = 1; i < count; i++) {
        dc_index v = places[i].v, earlier;
        if (compare_places(&places[first], &places[i]) != 0) first = i;
        earlier = places[first].v;
        if (v == earlier) continue;
        if (c->count++ == 0 || (c->apart_count == 0 && root[v] != root[earlier]))
            c->pair[0] = earlier, c->pair[1] = v;
        c->apart_count += root[v] != root[earlier];
    }
}

int coincident_find(coincident *c, const dc_mesh_desc *mesh, failure *why)
{
    dc_index *root = malloc((size_t)mesh->vertex_count * sizeof *root), v, count = 0;
    place *places = malloc((size_t)mesh->vertex_count * sizeof *places);
    int is_made = root != NULL && places != NULL;
    memset(c, 0, sizeof *c);
    if (is_made) {
        find_pieces(mesh, root);
        for (v = 0; v < mesh->vertex_count; v++) {
            if (root[v] == DC_NONE) continue;
            places[count].x = mesh->positions[v];
            places[count++].v = v;
        }
        qsort(places, (size_t)count, sizeof *places, compare);
        count_coincident(c, places, count, root);
    }
    free(root);
    free(places);
    return is_made ? 1 : failure_set(why, "not enough memory to compare the vertices");
}
