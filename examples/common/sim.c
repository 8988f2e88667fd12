#include "sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* From 1, as the file has it. */
static long number_of(const sim_shape *shape, dc_index v)
{
    return shape->vertex_number != NULL ? (long)shape->vertex_number[v] : (long)v + 1;
}

void sim_name_vertex(char name[SIM_NAME_MAX], const sim_shape *shape, dc_index v)
{
    int length = snprintf(name, SIM_NAME_MAX, "vertex %ld", number_of(shape, v));
    if (shape->vertex_line != NULL)
        snprintf(name + length, SIM_NAME_MAX - (size_t)length, " in line %d",
                 shape->vertex_line[v]);
}

void sim_name_triangle(char name[SIM_NAME_MAX], const sim_shape *shape, dc_index t)
{
    const dc_index *v = &shape->triangles[3 * (size_t)t];
    if (shape->triangle_line == NULL)
        snprintf(name, SIM_NAME_MAX, "triangle %ld", (long)t + 1);
    else
        snprintf(name, SIM_NAME_MAX, "triangle %ld %ld %ld of the face in line %d",
                 number_of(shape, v[0]), number_of(shape, v[1]), number_of(shape, v[2]),
                 shape->triangle_line[t]);
}

static void name_edge(char name[SIM_NAME_MAX], const sim_names *names, dc_index e)
{
    char first[SIM_NAME_MAX], second[SIM_NAME_MAX];
    sim_name_vertex(first, names->shape, names->mesh->edge_vertices[2 * e]);
    sim_name_vertex(second, names->shape, names->mesh->edge_vertices[2 * e + 1]);
    snprintf(name, SIM_NAME_MAX, "from %.50s to %.50s", first, second);
}

/* The record does not tell what its index counts; its sentence does: "lengths of this triangle". */
static void name_element(char name[SIM_NAME_MAX], const dc_error *error, const sim_names *names)
{
    const sim_shape *shape = names->shape;
    dc_index i = error->index;
    if (names->pins && strstr(error->what, "this pin"))
        sim_name_vertex(name, shape, names->pins[i]);
    else if (names->anchors && strstr(error->what, "this anchor"))
        sim_name_vertex(name, shape, names->anchors[i].vertex);
    else if (names->mesh && strstr(error->what, "this edge"))
        name_edge(name, names, i);
    else if (strstr(error->what, "this vertex") && i < shape->mesh.vertex_count)
        sim_name_vertex(name, shape, i);
    else if (strstr(error->what, "triangle") && i < shape->mesh.triangle_count)
        sim_name_triangle(name, shape, i);
    else
        snprintf(name, SIM_NAME_MAX, "element %ld counted from 0", (long)i);
}

int sim_failure_of(failure *why, const dc_error *error, const sim_names *names)
{
    char name[SIM_NAME_MAX] = "", value[48] = "";
    int has_name = error->index != DC_NONE;
    if (has_name && names->shape != NULL && names->shape->vertex_line != NULL)
        name_element(name, error, names);
    else if (has_name)
        snprintf(name, sizeof name, "element %ld counted from 0", (long)error->index);
    if (error->value < 0 || error->value > 0)
        snprintf(value, sizeof value, ", value %.3g", (double)error->value);
    return failure_set(why, "%s%s%s%s%s%s (%s)", error->what, error->field[0] ? ": " : "",
                       error->field, has_name ? ", " : "", name, value, error->where);
}

int sim_failure(failure *why, const dc_error *error)
{
    const sim_names none = {NULL, NULL, NULL, NULL};
    return sim_failure_of(why, error, &none);
}

static int out_of_memory(failure *why, dc_error *error, size_t bytes)
{
    error->status = DC_OK;
    return failure_set(why, "not enough memory: %.1f MB are needed", 1e-6 * (double)bytes);
}

int sim_open(sim *s, const dc_world_desc *desc, dc_error *error, failure *why)
{
    dc_error own;
    size_t bytes = 0;
    if (error == NULL) error = &own;
    memset(s, 0, sizeof *s);
    while (dc_world_init(desc, s->memory, bytes, &s->world, &s->info, error) == DC_TOO_SMALL) {
        bytes = error->needed > 2 * bytes ? error->needed : 2 * bytes;
        free(s->memory);
        s->memory = malloc(bytes);
        if (s->memory == NULL) return out_of_memory(why, error, bytes);
    }
    if (error->status == DC_OK) return 1;
    sim_close(s);
    return sim_failure(why, error);
}

void sim_close(sim *s)
{
    free(s->memory);
    s->memory = NULL;
    s->world = NULL;
}

int sim_size(dc_info *info, const dc_world_desc *desc, failure *why)
{
    sim s;
    if (sim_open(&s, desc, NULL, why)) sim_close(&s);
    *info = s.info;
    return info->bytes > 0;
}

/* [m] */
static double distance(dc_vec3 a, dc_vec3 b)
{
    double x = (double)(b.x - a.x), y = (double)(b.y - a.y), z = (double)(b.z - a.z);
    return sqrt(x * x + y * y + z * z);
}

/* Of the edge opposite corner q. */
static double corner_strain(const dc_mesh *mesh, const dc_vec3 *x, dc_index q)
{
    dc_index first = q - q % 3; /* corner of the same triangle */
    dc_index a = mesh->triangles[first + (q + 1) % 3], b = mesh->triangles[first + (q + 2) % 3];
    double rest = (double)mesh->rest_length[q];
    return (distance(x[a], x[b]) - rest) / rest;
}

void sim_vertex_strain(const dc_world *world, dc_index cloth, double *strain)
{
    const dc_mesh *mesh = dc_cloth_mesh(world, cloth);
    const dc_vec3 *x = dc_body_positions(world, cloth);
    dc_index v, f, p;
    for (v = 0; v < mesh->vertex_count; v++) strain[v] = 0;
    for (f = 0; f < mesh->fan_count; f++) {
        dc_index start = mesh->fan_start[f], end = mesh->fan_start[f + 1];
        double sum = 0;
        for (p = start; p < end; p++) { /* the two edges at the vertex lie opposite the others */
            dc_index q = mesh->fan_corner[p], first = q - q % 3;
            sum += corner_strain(mesh, x, first + (q + 1) % 3);
            sum += corner_strain(mesh, x, first + (q + 2) % 3);
        }
        strain[mesh->triangles[mesh->fan_corner[start]]] = sum / (2 * (end - start));
    }
}

int sim_shape_build(sim_shape *shape, const shape_desc *desc, failure *why)
{
    dc_index vertices, triangles;
    dc_error error;
    memset(shape, 0, sizeof *shape);
    if (shape_counts(desc, &vertices, &triangles, &error) != DC_OK) return sim_failure(why, &error);
    shape->positions = malloc((size_t)vertices * sizeof *shape->positions);
    shape->triangles = malloc(3 * (size_t)triangles * sizeof *shape->triangles);
    shape->flat = malloc((size_t)vertices * sizeof *shape->flat);
    if (!shape->positions || !shape->triangles || !shape->flat) {
        sim_shape_free(shape);
        return failure_set(why, "not enough memory for a mesh of %ld vertices", (long)vertices);
    }
    shape_build(desc, shape->positions, shape->triangles, shape->flat, &shape->mesh, NULL);
    return 1;
}

void sim_shape_free(sim_shape *shape)
{
    free(shape->positions);
    free(shape->triangles);
    free(shape->flat);
    free(shape->vertex_line);
    free(shape->vertex_number);
    free(shape->triangle_line);
    memset(shape, 0, sizeof *shape);
}
