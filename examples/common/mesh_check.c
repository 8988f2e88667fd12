#include "mesh_check.h"

#include <math.h>
#include <stdlib.h>

#include "mesh_crossings.h"
#include "mesh_faults.h"

/* ---- What the library says ---- */

int mesh_check(const char *name, const sim_shape *shape, mesh_report *report,
               dc_index *border_edges, failure *why)
{
    const dc_mesh_desc *desc = &shape->mesh;
    size_t bytes = dc_mesh_bytes(desc->vertex_count, desc->triangle_count);
    void *memory = malloc(bytes > 0 ? bytes : 1);
    dc_mesh mesh;
    sim_names names = {NULL, NULL, NULL, NULL};
    dc_error error;
    failure reason;
    dc_status status;
    int is_made = memory != NULL;
    if (!is_made) return failure_set(why, "not enough memory to check %s", name);
    status = dc_mesh_init(desc, memory, bytes, &mesh, &error);
    if (status == DC_OK) {
        *border_edges = mesh.boundary_edge_count;
        is_made = mesh_report_make(report, &mesh);
    }
    free(memory);
    if (!is_made) return failure_set(why, "not enough memory to check %s", name);
    if (status == DC_OK) return 1;
    names.shape = shape;
    sim_failure_of(&reason, &error, &names);
    return failure_set(why, "%s: %s", name, reason.text);
}

static int print_pattern(FILE *file, const sim_shape *shape, const mesh_report *r)
{
    char name[SIM_NAME_MAX];
    int count = 0;
    if (r->seam_count > 0 && ++count)
        fprintf(file, "doubtful: %ld edges have different lengths on their two sides (edge %ld)\n",
                (long)r->seam_count, (long)r->seam_edge + 1);
    if (r->is_alternating && ++count) {
        sim_name_vertex(name, shape, r->alternating_vertex);
        fprintf(file,
                "doubtful: diagonals alternate (%ld vertices with four triangles, such as %s): "
                "constraints are not independent\n",
                (long)r->alternating_count, name);
    }
    return count;
}

int mesh_print_doubts(FILE *file, const sim_shape *shape, const mesh_report *r)
{
    char name[SIM_NAME_MAX];
    int count = 0;
    if (r->isolated_count > 0 && ++count) {
        sim_name_vertex(name, shape, r->isolated_vertex);
        fprintf(file, "doubtful: %ld vertices without a triangle stay where they are (%s)\n",
                (long)r->isolated_count, name);
    }
    if (r->sliver_count > 0 && ++count) {
        sim_name_triangle(name, shape, r->sliver_triangle);
        fprintf(file, "doubtful: %ld triangles are needles (%s)\n", (long)r->sliver_count, name);
    }
    return count + print_pattern(file, shape, r);
}

/* ---- Places ---- */

/* The pair as "vertex 5 in line 5 at that of vertex 2 in line 2". */
static void name_pair(char text[2 * SIM_NAME_MAX], const sim_shape *shape, const coincident *c)
{
    char earlier[SIM_NAME_MAX], later[SIM_NAME_MAX];
    sim_name_vertex(earlier, shape, c->pair[0]);
    sim_name_vertex(later, shape, c->pair[1]);
    snprintf(text, 2 * SIM_NAME_MAX, "%.100s at that of %.100s", later, earlier);
}

int mesh_print_coincident(FILE *file, const sim_shape *shape, const coincident *c)
{
    char pair[2 * SIM_NAME_MAX];
    if (c->count == 0) return 0;
    name_pair(pair, shape, c);
    fprintf(file, "doubtful: %ld vertices lie at the place of another (%s); ", (long)c->count,
            pair);
    if (c->apart_count > 0)
        fprintf(file, "the mesh is in %ld pieces, which come apart there: ", (long)c->piece_count);
    else
        fprintf(file, "the mesh is open there, if that is not meant: ");
    fprintf(file, "--weld makes one of them\n");
    return 1;
}

int mesh_check_apart(const char *name, const coincident *c, const sim_shape *shape,
                     const char *way_out, failure *why)
{
    char pair[2 * SIM_NAME_MAX];
    if (c->apart_count == 0) return 1;
    name_pair(pair, shape, c);
    return failure_set(why,
                       "%s: %ld vertices lie at the place of another (%s), and the mesh is in %ld "
                       "pieces, which cannot collide so: make one of them with --weld%s",
                       name, (long)c->count, pair, (long)c->piece_count, way_out);
}

/* Finds the lowest coordinates of the triangles, and the sides of the box around them. */
static void find_box(const dc_mesh_desc *mesh, double low[3], double side[3])
{
    dc_index q;
    int k;
    for (k = 0; k < 3; k++) low[k] = HUGE_VAL, side[k] = -HUGE_VAL;
    for (q = 0; q < 3 * mesh->triangle_count; q++) {
        dc_vec3 p = mesh->positions[mesh->triangles[q]];
        const double x[3] = {(double)p.x, (double)p.y, (double)p.z};
        for (k = 0; k < 3; k++) low[k] = fmin(low[k], x[k]), side[k] = fmax(side[k], x[k]);
    }
    for (k = 0; k < 3; k++) side[k] -= low[k];
}

/* Whether all triangles lie at one height, to a millionth of how wide they are, and are no line. */
static int is_level(const double side[3])
{
    static const double PART = 1e-6;
    double least = fmin(side[0], side[2]), most = fmax(side[0], side[2]);
    return side[1] <= PART * most && least > PART * most;
}

void mesh_print_notes(FILE *file, const sim_shape *shape, const mesh_file_choice *choice,
                      dc_index welded_count)
{
    const char *own = choice->is_z_up ? "z" : "y", *other = choice->is_z_up ? "y" : "z";
    double low[3], side[3], width;
    find_box(&shape->mesh, low, side);
    width = fmax(side[0], fmax(side[1], side[2]));
    if (choice->is_welded)
        fprintf(file, "note: %ld vertices were welded to earlier ones at their place\n",
                (long)welded_count);
    if (width > (double)DC_WIDE_CLOTH)
        fprintf(
            file,
            "note: the mesh is %.4g m wide; if it is in centimetres, say demo --scale %g, if in "
            "millimetres, --scale %g\n",
            width, choice->scale / 100, choice->scale / 1000);
    if (is_level(side))
        fprintf(
            file,
            "note: all vertices lie in one level plane, %s = %.4g: as cloth lies on a table, not "
            "as it hangs; if %s is up in the file, say --up %s\n",
            own, low[1] / choice->scale, other, other);
}

/* ---- All that can be told ---- */

/* "wrong: 2 triangles have no area (triangle 1 2 3 of the face in line 4; ...)" */
static void print_fault(const char *verdict, mesh_fault_kind kind, const mesh_fault *f,
                        const sim_shape *shape)
{
    const mesh_fault_words *words = mesh_fault_words_of(kind);
    char name[SIM_NAME_MAX];
    dc_index i;
    printf("%s: %ld %s (", verdict, (long)f->count, words->plural);
    for (i = 0; i < f->count && i < MESH_FAULTS_KEPT; i++) {
        if (words->is_vertex)
            sim_name_vertex(name, shape, f->element[i]);
        else
            sim_name_triangle(name, shape, f->element[i]);
        printf("%s%s", i > 0 ? "; " : "", name);
        if (f->other[i] == DC_NONE) continue;
        sim_name_triangle(name, shape, f->other[i]);
        printf(" %s %s", words->other, name);
    }
    printf("%s)\n", f->count > MESH_FAULTS_KEPT ? "; ..." : "");
}

/* The library may take a mesh with a twin, two triangles back to back, which is hardly meant. Returns
   the number of kinds. */
static int print_faults(const mesh_faults *faults, const sim_shape *shape, int is_usable)
{
    int kind, count = 0;
    for (kind = 0; kind < MESH_FAULT_KINDS; kind++) {
        const mesh_fault *f = &faults->of[kind];
        int is_doubt = is_usable || mesh_fault_words_of((mesh_fault_kind)kind)->is_doubt;
        if (f->count == 0) continue;
        print_fault(is_doubt ? "doubtful" : "wrong", (mesh_fault_kind)kind, f, shape);
        count++;
    }
    return count;
}

static int print_crossings(const mesh_crossings *c, const sim_shape *shape)
{
    char from[SIM_NAME_MAX], to[SIM_NAME_MAX], triangle[SIM_NAME_MAX];
    if (c->count == 0) return 0;
    if (c->count == DC_NONE) {
        printf("doubtful: the mesh crosses or touches itself in more places than can be counted\n");
        return 1;
    }
    sim_name_vertex(from, shape, c->edge[0]);
    sim_name_vertex(to, shape, c->edge[1]);
    sim_name_triangle(triangle, shape, c->triangle);
    printf("doubtful: the mesh crosses or touches itself, %ld pairs of an edge and a triangle (the "
           "edge from %s to %s, and %s)\n",
           (long)c->count, from, to, triangle);
    return 1;
}

static int find_all(const sim_shape *shape, mesh_faults *faults, mesh_crossings *crossings,
                    coincident *c, failure *why)
{
    char *is_sound = malloc((size_t)shape->mesh.triangle_count);
    int is_made = is_sound != NULL || failure_set(why, "not enough memory to look for faults");
    is_made = is_made && mesh_faults_find(faults, &shape->mesh, is_sound, why) &&
              mesh_crossings_find(crossings, &shape->mesh, is_sound, why) &&
              coincident_find(c, &shape->mesh, why);
    free(is_sound);
    return is_made;
}

static int print_shape(const char *path, const sim_shape *shape, const mesh_file_choice *choice,
                       dc_index welded_count, failure *why)
{
    mesh_faults faults;
    mesh_crossings crossings;
    coincident c;
    mesh_report report;
    dc_index border;
    int is_usable, count;
    if (!find_all(shape, &faults, &crossings, &c, why)) return 0;
    is_usable = mesh_check(path, shape, &report, &border, why);
    printf("%s: %ld vertices, %ld triangles", path, (long)shape->mesh.vertex_count,
           (long)shape->mesh.triangle_count);
    if (is_usable) printf(", %ld pieces, %ld border edges", (long)report.piece_count, (long)border);
    printf("\n");
    mesh_print_notes(stdout, shape, choice, welded_count);
    count = print_faults(&faults, shape, is_usable);
    if (is_usable) count += print_pattern(stdout, shape, &report);
    count += mesh_print_coincident(stdout, shape, &c) + print_crossings(&crossings, shape);
    printf("%s\n", !is_usable          ? "not usable"
                   : c.apart_count > 0 ? "usable once it is welded, or without collisions"
                   : count > 0         ? "usable"
                                       : "nothing is wrong with it");
    return is_usable;
}

int mesh_print_all(const char *path, const mesh_file_choice *choice, failure *why)
{
    sim_shape shape;
    dc_index welded_count;
    int is_usable;
    if (!mesh_file_read(path, choice, &shape, &welded_count, why)) return 0;
    is_usable = print_shape(path, &shape, choice, welded_count, why);
    sim_shape_free(&shape);
    return is_usable;
}
