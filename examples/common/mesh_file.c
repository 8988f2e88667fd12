#include "mesh_file.h"

#include <stdlib.h>
#include <string.h>

#include "coincident.h"
#include "obj.h"

mesh_file_choice mesh_file_defaults(void)
{
    mesh_file_choice choice = {1, 0, 0};
    return choice;
}

/* Turns the mesh about x, so that z comes to be y. */
static dc_vec3 stand_up(dc_vec3 p)
{
    dc_vec3 turned;
    turned.x = p.x;
    turned.y = p.z;
    turned.z = -p.y;
    return turned;
}

dc_vec3 mesh_file_place(const mesh_file_choice *choice, dc_vec3 p)
{
    p.x *= (dc_real)choice->scale;
    p.y *= (dc_real)choice->scale;
    p.z *= (dc_real)choice->scale;
    return choice->is_z_up ? stand_up(p) : p;
}

static void place_vertices(sim_shape *shape, const mesh_file_choice *choice)
{
    dc_index v;
    for (v = 0; v < shape->mesh.vertex_count; v++)
        shape->positions[v] = mesh_file_place(choice, shape->positions[v]);
}

/* Closes the gaps that welded vertices leave. next[v] is the vertex's own place in the end, or that of
   the vertex it became: an earlier one, whose place is known by then. */
static dc_index close_gaps(sim_shape *shape, dc_index *first, dc_index *number)
{
    dc_index *next = first, v, count = 0;
    for (v = 0; v < shape->mesh.vertex_count; v++) {
        if (first[v] != v) {
            next[v] = next[first[v]];
            continue;
        }
        shape->positions[count] = shape->positions[v];
        shape->vertex_line[count] = shape->vertex_line[v];
        number[count] = v + 1;
        next[v] = count++;
    }
    return count;
}

static int weld(sim_shape *shape, dc_index *welded_count, failure *why)
{
    dc_mesh_desc *mesh = &shape->mesh;
    dc_index *first = malloc((size_t)mesh->vertex_count * sizeof *first), q, count;
    shape->vertex_number = malloc((size_t)mesh->vertex_count * sizeof *shape->vertex_number);
    if (first == NULL || shape->vertex_number == NULL || !coincident_first(first, mesh, why)) {
        free(first);
        return failure_set(why, "not enough memory to weld %ld vertices", (long)mesh->vertex_count);
    }
    count = close_gaps(shape, first, shape->vertex_number);
    for (q = 0; q < 3 * mesh->triangle_count; q++) shape->triangles[q] = first[shape->triangles[q]];
    *welded_count = mesh->vertex_count - count;
    mesh->vertex_count = count;
    free(first);
    return 1;
}

int mesh_file_read(const char *path, const mesh_file_choice *choice, sim_shape *shape,
                   dc_index *welded_count, failure *why)
{
    obj_mesh mesh;
    dc_index welded = 0;
    memset(shape, 0, sizeof *shape);
    if (!obj_read(path, &mesh, why)) return 0;
    shape->vertex_line = mesh.vertex_line;
    shape->triangle_line = mesh.triangle_line;
    shape->mesh.vertex_count = mesh.vertex_count;
    shape->mesh.triangle_count = mesh.triangle_count;
    shape->mesh.positions = shape->positions = mesh.positions;
    shape->mesh.triangles = shape->triangles = mesh.triangles;
    place_vertices(shape, choice);
    if (choice->is_welded && !weld(shape, &welded, why)) {
        sim_shape_free(shape);
        return 0;
    }
    if (welded_count != NULL) *welded_count = welded;
    return 1;
}
