/* [EB08]: sheets of 100 x 100 cells in steps of 1 ms, and coarser ones. */
#define main eb08_main
#include "../../examples/papers/eb08.c"
#undef main
#include "paper_table.h"

static void run_program(const options *o, const char *scene, int has_ball)
{
    sheet s = make_sheet(o, has_ball, MENDED);
    table_row row = table_begin();
    int steps = (int)(o->seconds / o->dt + 0.5);
    double root;
    for (row.steps = 0; row.steps < steps && !row.stopped; row.steps++) {
        if (!advance(&s, o->dt)) row.stopped = "no step leads on";
        row.error = fmax(row.error, evaluate(&s, s.x, &root));
        row.strain = fmax(row.strain, ghost_strain(&s));
    }
    row.iterations = s.count.iterations;
    row.bending = measure(&s).bending;
    table_print(&row, scene, "program");
}

static void run_library(const options *o, const char *scene, int has_ball)
{
    dc_world_desc desc = dc_world_defaults();
    dc_cloth_desc cloth = dc_cloth_defaults();
    dc_obstacle_desc ball;
    dc_index pins[2];
    dc_vec3 *x, *flat;
    dc_mesh mesh = paper_grid(o->cells, 1, DC_DIAGONALS_FORWARD, &x);
    size_t bytes = (size_t)mesh.vertex_count * sizeof *x;
    memcpy(flat = paper_vectors(mesh.vertex_count), x, bytes);
    place(x, mesh.vertex_count, has_ball);
    memset(&ball, 0, sizeof ball);
    ball.kind = DC_OBSTACLE_SPHERE;
    ball.radius = RADIUS;
    ball.friction = cloth.friction;
    pins[0] = o->cells * (o->cells + 1);
    pins[1] = pins[0] + o->cells;
    cloth.mesh = paper_body(&mesh, flat).mesh;
    cloth.start_positions = x;
    cloth.density = DENSITY;
    cloth.bending = BENDING;
    cloth.thickness = 0.01;
    if (!has_ball) {
        cloth.pin_vertices = pins;
        cloth.pin_count = 2;
    } else {
        desc.obstacles = &ball;
        desc.obstacle_count = desc.collides = 1;
    }
    desc.cloths = &cloth;
    desc.cloth_count = 1;
    table_run_cloth(table_world(&desc), scene, "library", (int)(o->seconds / o->dt + 0.5), o->dt);
}

int main(void)
{
    static const struct {
        const char *name;
        int cells, has_ball;
        double dt, seconds;
    } rows[] = {{"hung, 16 cells, 2 ms, 2 s", 16, 0, 0.002, 2},
                {"hung, 100 cells, 1 ms, .2 s", 100, 0, 0.001, 0.2},
                {"ball, 16 cells, 2 ms, 1 s", 16, 1, 0.002, 1},
                {"ball, 100 cells, 1 ms, .2 s", 100, 1, 0.001, 0.2}};
    size_t k;
    table_head("English & Bridson 2008");
    for (k = 0; k < sizeof rows / sizeof *rows; k++) {
        options o = {16, 0, 0.002, 2, BORDER_UNKNOWNS};
        o.cells = rows[k].cells;
        o.dt = rows[k].dt;
        o.seconds = rows[k].seconds;
        if (o.cells == 100) table_published(rows[k].name, "9520", "10", "1e-4");
        run_program(&o, rows[k].name, rows[k].has_ball);
        run_library(&o, rows[k].name, rows[k].has_ball);
    }
    return 0;
}
