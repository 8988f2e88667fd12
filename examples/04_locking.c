/*
 * 04_locking.c - how a mesh locks
 *
 * What one will see: a sheet that hangs from two corners by an arc, twice. With unknowns at the edge
 * midpoints, devcloth's own, it drapes. With unknowns at the vertices it hangs like tin: it has 3
 * coordinates for each vertex, and about as many edges that have to keep their lengths, so hardly any
 * freedom is left to bend. That second sheet is made here, of the library's sparse matrices and
 * Cholesky alone. out/04_locking/locking.png shows both.
 */
#include "../devcloth.h"

#include "common/png.h"
#include "common/render.h"
#include "common/sim.h"
#include "common/vec.h"

#include <stdlib.h>
#include <string.h>

enum {
    CELLS = 20,
    VERTICES = DC_GRID_VERTICES(CELLS, CELLS),
    EDGES = DC_GRID_EDGES(CELLS, CELLS),
    S_ENTRIES = 10 * EDGES, /* an edge shares a vertex with ten others, and S is symmetric */
    STEPS = 800,
    ITERATIONS_MAX = 100,
    TILE = 480 /* [pixel] */
};

static const double DT = 0.005;       /* [s] */
static const double DRAG = 2;         /* [1/s] of the velocity, so that it comes to rest */
static const double TOLERANCE = 1e-4; /* of squared lengths */
/* Rows of a flat sheet follow from each other: so much is added to the diagonal, relative. */
static const double REGULAR = 1e-6;

/* ---- The sheet of vertices: backward Euler, then fast projection onto the lengths ---- */

static dc_mesh mesh;
static dc_vec3 velocity[VERTICES];
static dc_real inv_mass[3 * VERTICES], value[EDGES], force[EDGES], change[3 * VERTICES];
static dc_index work[3 * VERTICES], start[EDGES + 1], start_t[3 * VERTICES + 1], start_s[EDGES + 1];
static dc_index column[6 * EDGES], column_t[6 * EDGES], column_s[S_ENTRIES];
static dc_real entry[6 * EDGES], entry_t[6 * EDGES], entry_s[S_ENTRIES];
static dc_sparse jacobian = {EDGES, 3 * VERTICES, start, column, entry};
static dc_sparse transposed = {3 * VERTICES, EDGES, start_t, column_t, entry_t};
static dc_sparse s = {EDGES, EDGES, start_s, NULL, entry_s}; /* J M^-1 J^T */
static dc_cholesky *factor;

/* C = (|d|^2 - l^2) / 2l of each edge, and its gradient. Returns the largest error. */
static double evaluate(const dc_vec3 *x)
{
    dc_sparse_builder rows = dc_sparse_begin(&jacobian, 6 * EDGES, work);
    double largest = 0;
    dc_index e;
    for (e = 0; e < mesh.edge_count; e++) {
        const dc_index *end = mesh.edge_vertices + 2 * e;
        double length = (double)mesh.rest_length[mesh.corner_of_edge[2 * e]];
        dc_vec3 d = vec_sub(x[end[1]], x[end[0]]), g = vec_scale(1 / length, d);
        const dc_real axis[3] = {g.x, g.y, g.z};
        int c;
        for (c = 0; c < 3; c++) {
            dc_sparse_add(&rows, 3 * end[0] + c, -axis[c]);
            dc_sparse_add(&rows, 3 * end[1] + c, axis[c]);
        }
        dc_sparse_finish_row(&rows);
        value[e] = (dc_real)((vec_dot(d, d) - length * length) / (2 * length));
        largest = fmax(largest, 2 * fabs((double)value[e]) / length);
    }
    dc_sparse_transpose(&jacobian, &transposed);
    return largest;
}

/* x -= M^-1 J^T y with J M^-1 J^T y = C, until C = 0. Returns 0 if that does not end. */
static int project(dc_vec3 *x)
{
    dc_index k, i;
    for (k = 0; evaluate(x) > TOLERANCE; k++) {
        if (k == ITERATIONS_MAX) return 0;
        dc_gram_values(&transposed, inv_mass, &s, work);
        for (i = 0; i < EDGES; i++) entry_s[start_s[i]] *= (dc_real)(1 + REGULAR);
        if (dc_cholesky_factor(factor, entry_s, 0, DC_PIVOTS_DROP, NULL) != DC_OK) return 0;
        dc_cholesky_solve(factor, 1, value, force);
        dc_sparse_multiply(&transposed, 1, force, change);
        for (i = 0; i < 3 * VERTICES; i++) (&x->x)[i] -= inv_mass[i] * change[i];
    }
    return 1;
}

static int step(dc_vec3 *x)
{
    static dc_vec3 before[VERTICES];
    dc_index v;
    memcpy(before, x, sizeof before);
    for (v = 0; v < VERTICES; v++) {
        if (inv_mass[3 * v] == 0) continue; /* a pin */
        velocity[v] = vec_scale(1 - DRAG * DT, velocity[v]);
        x[v] = vec_axpy(x[v], DT, vec_axpy(velocity[v], DT, vec_make(0, -9.81, 0)));
    }
    if (!project(x)) return 0;
    for (v = 0; v < VERTICES; v++) velocity[v] = vec_scale(1 / DT, vec_sub(x[v], before[v]));
    return 1;
}

/* Masses, the pattern of S, and its analysis. */
static int prepare(const sim_shape *shape, const dc_index pins[2])
{
    const dc_cholesky_desc desc = dc_cholesky_defaults();
    size_t mesh_bytes = dc_mesh_bytes(VERTICES, shape->mesh.triangle_count);
    size_t bytes = dc_cholesky_scratch_bytes(EDGES, S_ENTRIES);
    void *memory = malloc(mesh_bytes), *scratch = malloc(bytes);
    dc_cholesky_symbolic symbolic;
    dc_index i;
    if (!memory || !scratch) return 0;
    if (dc_mesh_init(&shape->mesh, memory, mesh_bytes, &mesh, NULL) != DC_OK) return 0;
    for (i = 0; i < 3 * VERTICES; i++) inv_mass[i] = i / 3 == pins[0] || i / 3 == pins[1] ? 0 : 1;
    evaluate(shape->positions);
    if (dc_gram_pattern(&transposed, &jacobian, &s, work) > S_ENTRIES) return 0;
    s.column = column_s;
    dc_gram_pattern(&transposed, &jacobian, &s, work);
    if (dc_cholesky_plan(&s, &desc, scratch, bytes, &symbolic, NULL) != DC_OK) return 0;
    return dc_cholesky_init(&symbolic, malloc(symbolic.bytes), symbolic.bytes, &factor, NULL) ==
           DC_OK;
}

/* ---- Both sheets ---- */

/* An arc between the corners that are pinned, from which the sheet hangs down, tilted forward by the
   rest to a right angle. Its inner vertices are jittered: no straight lines of edges to fold along. */
static void place(sim_shape *shape)
{
    const double half = 0.65, tilt = 1.2, radius = 0.5 / half; /* [rad], [rad], [m] */
    dc_index v;
    for (v = 0; v < VERTICES; v++) {
        double angle = (2 * (double)shape->flat[v].x - 1) * half,
               out = 1 - (double)shape->flat[v].y;
        double up = radius * (vec_cos(half) - vec_cos(angle));
        shape->positions[v] =
            vec_make(radius * vec_sin(angle), up * vec_cos(tilt) - out * vec_sin(tilt),
                     up * vec_sin(tilt) + out * vec_cos(tilt));
    }
}

static int draw(const sim_shape *shape, const dc_vec3 *x, const char *name, int tile,
                image *picture, failure *why)
{
    static const render_colour front = {.12, .53, .62}, back = {.95, .72, .42};
    static const image_colour ink = {50, 56, 66};
    render_scene view = render_scene_defaults();
    render_material material = render_cloth(front, back);
    render_mesh drawn = {0};
    image at = {0};
    int is_drawn;
    drawn.vertex_count = VERTICES;
    drawn.triangle_count = shape->mesh.triangle_count;
    drawn.positions = x;
    drawn.triangles = shape->triangles;
    material.edge_width = 1;
    render_aim(&view, vec_make(0, -0.58, 0), 3, 22, 12);
    view.ground = -1.1;
    view.samples = 3;
    render_add_mesh(&view, drawn, material);
    is_drawn = image_init(&at, TILE, TILE, why) && render_draw(&view, &at, why);
    if (is_drawn) {
        image_paste(picture, tile * TILE, 0, &at, 1);
        image_text(picture, tile * TILE + 14, 14, 2, ink, name);
    }
    image_free(&at);
    /* the middle of the upper border, between the pins */
    printf("%-13s the border sags %.3f m between the pins\n", name,
           -(double)x[CELLS * (CELLS + 1) + CELLS / 2].y);
    return is_drawn;
}

static int run(sim_shape *shape, image *picture, failure *why)
{
    const dc_index pins[2] = {CELLS * (CELLS + 1), CELLS * (CELLS + 1) + CELLS};
    dc_cloth_desc cloth = dc_cloth_defaults();
    dc_world_desc desc = dc_world_defaults();
    dc_error error;
    sim at_midpoints;
    int i, is_fine = 1;
    cloth.mesh = shape->mesh;
    cloth.pin_vertices = pins;
    cloth.pin_count = 2;
    cloth.drag_normal = (dc_real)0.3;
    desc.cloths = &cloth;
    desc.cloth_count = 1;
    if (!prepare(shape, pins)) return failure_set(why, "the sheet of vertices cannot be prepared");
    if (!sim_open(&at_midpoints, &desc, NULL, why)) return 0;
    for (i = 0; i < STEPS && is_fine; i++)
        if (dc_world_step(at_midpoints.world, (dc_real)DT, NULL, &error) != DC_OK)
            is_fine = sim_failure(why, &error);
    if (is_fine)
        is_fine =
            draw(shape, dc_body_positions(at_midpoints.world, 0), "midpoints", 0, picture, why);
    sim_close(&at_midpoints);
    for (i = 0; i < STEPS && is_fine; i++)
        if (!step(shape->positions))
            is_fine = failure_set(why, "no way onto the lengths in step %d", i);
    return is_fine && draw(shape, shape->positions, "vertices", 1, picture, why);
}

int main(void)
{
    shape_desc grid = shape_defaults(SHAPE_GRID);
    image picture = {0};
    sim_shape shape = {0};
    failure why;
    int is_fine;
    grid.columns = grid.rows = CELLS;
    grid.jitter = (dc_real)0.2;
    is_fine = files_make_directory("out/04_locking", &why) &&
              image_init(&picture, 2 * TILE, TILE, &why) && sim_shape_build(&shape, &grid, &why);
    if (is_fine) place(&shape);
    is_fine = is_fine && run(&shape, &picture, &why) &&
              png_write("out/04_locking/locking.png", &picture, &why);
    if (is_fine)
        printf("wrote out/04_locking/locking.png\n");
    else
        fprintf(stderr, "04_locking: %s\n", why.text);
    sim_shape_free(&shape);
    image_free(&picture);
    return is_fine ? 0 : 1;
}
