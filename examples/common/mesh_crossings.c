#include "mesh_crossings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "coincident.h"
#include "sim.h"

/* The mesh that is looked at. */
typedef struct part {
    dc_index *first;     /* (vertex_count) the earliest vertex at the place of each */
    dc_index *triangles; /* (triangle_count, 3) of these vertices */
    dc_index *source;    /* (triangle_count) each one's number in the whole mesh */
    dc_mesh_desc mesh;
} part;

static int part_make(part *p, const dc_mesh_desc *mesh, const char *is_sound, failure *why)
{
    size_t n = (size_t)mesh->triangle_count;
    dc_index t, count = 0;
    int c;
    memset(p, 0, sizeof *p);
    p->first = malloc((size_t)mesh->vertex_count * sizeof *p->first);
    p->triangles = malloc(3 * n * sizeof *p->triangles);
    p->source = malloc(n * sizeof *p->source);
    if (p->first == NULL || p->triangles == NULL || p->source == NULL)
        return failure_set(why, "not enough memory to look for crossings");
    if (!coincident_first(p->first, mesh, why)) return 0;
    for (t = 0; t < mesh->triangle_count; t++) {
        if (!is_sound[t]) continue;
        for (c = 0; c < 3; c++) p->triangles[3 * count + c] = p->first[mesh->triangles[3 * t + c]];
        p->source[count++] = t;
    }
    p->mesh.vertex_count = mesh->vertex_count;
    p->mesh.triangle_count = count;
    p->mesh.positions = mesh->positions;
    p->mesh.triangles = p->triangles;
    return 1;
}

static void part_free(part *p)
{
    free(p->first);
    free(p->triangles);
    free(p->source);
}

/* The number in the whole mesh of the triangle with these vertices, in any order. */
static dc_index find_triangle(const part *p, const dc_index vertex[3])
{
    dc_index t, found = DC_NONE;
    int a, b;
    for (t = 0; t < p->mesh.triangle_count && found == DC_NONE; t++) {
        int same = 0;
        for (a = 0; a < 3; a++)
            for (b = 0; b < 3; b++) same += p->triangles[3 * t + a] == vertex[b];
        if (same == 3) found = p->source[t];
    }
    return found;
}

/* Which of the two features is the edge is not said, but an edge has no third vertex. */
static void read_pair(mesh_crossings *c, const part *p, const dc_feature_pair *pair)
{
    int is_edge_first = pair->first.vertex[2] == DC_NONE;
    const dc_feature *edge = is_edge_first ? &pair->first : &pair->second;
    const dc_feature *triangle = is_edge_first ? &pair->second : &pair->first;
    c->edge[0] = edge->vertex[0];
    c->edge[1] = edge->vertex[1];
    c->triangle = find_triangle(p, triangle->vertex);
}

/* [m] along the axis where the mesh is longest. */
static double size_of(const dc_mesh_desc *mesh)
{
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    dc_index q;
    int k;
    for (q = 0; q < 3 * mesh->triangle_count; q++) {
        dc_vec3 p = mesh->positions[mesh->triangles[q]];
        const double x[3] = {(double)p.x, (double)p.y, (double)p.z};
        for (k = 0; k < 3; k++) low[k] = fmin(low[k], x[k]), high[k] = fmax(high[k], x[k]);
    }
    return fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
}

/* Plans a collider of the part alone, in a block that is made as large as it has to be. What is near
   does not matter here, only what crosses: a thin surface has few pairs. */
static int open_collider(dc_collider **collider, const part *p, void **memory, failure *why)
{
    static const double THICKNESS_PART = 1e-6; /* of the size */
    dc_collider_desc desc = dc_collider_defaults();
    dc_collider_body body = dc_collider_body_defaults();
    dc_error error;
    size_t bytes = 0;
    body.mesh = p->mesh;
    body.thickness = (dc_real)(THICKNESS_PART * size_of(&p->mesh));
    desc.bodies = &body;
    desc.body_count = 1;
    desc.start = DC_START_TOLERATE;
    while (dc_collider_init(&desc, *memory, bytes, collider, NULL, &error) == DC_TOO_SMALL) {
        bytes = error.needed > 2 * bytes ? error.needed : 2 * bytes;
        free(*memory);
        *memory = malloc(bytes);
        if (*memory == NULL) return failure_set(why, "not enough memory to look for crossings");
    }
    return error.status == DC_OK ? 1 : sim_failure(why, &error);
}

int mesh_crossings_find(mesh_crossings *c, const dc_mesh_desc *mesh, const char *is_sound,
                        failure *why)
{
    part p;
    void *memory = NULL;
    dc_collider *collider = NULL;
    dc_feature_pair pair;
    int is_made = part_make(&p, mesh, is_sound, why);
    c->count = 0;
    if (is_made && p.mesh.triangle_count > 0) {
        is_made = open_collider(&collider, &p, &memory, why);
        if (is_made) c->count = dc_collider_crossings(collider, mesh->positions, 1, &pair);
        if (c->count > 0) read_pair(c, &p, &pair);
    }
    part_free(&p);
    free(memory);
    return is_made;
}
