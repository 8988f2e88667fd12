/* [Wan12]: a stiff sheet on a ball, contacts after the step and inside it, at the thesis's step. */
#define main wan12_main
#include "../../examples/papers/wan12.c"
#undef main
#include "paper_table.h"

static void run_program(const options *o, const char *scene, print how)
{
    shell s = make_shell(o, 0, how);
    table_row row = table_begin();
    int steps = (int)(o->seconds / o->dt + 0.5);
    for (row.steps = 0; row.steps < steps && !row.stopped; row.steps++) {
        if (!step(&s, o->dt)) row.stopped = "no step leads on";
        s.rows.row_count = s.fixed_count;
        row.error = fmax(row.error, evaluate(&s, s.x));
        row.strain = fmax(row.strain, largest_strain(&s));
    }
    row.iterations = s.count.newton;
    row.bending = bending_energy(&s);
    table_print(&row, scene, print_names[how]);
}

static void run_library(const options *o, const char *scene, dc_element element)
{
    dc_world_desc desc = dc_world_defaults();
    dc_cloth_desc cloth = dc_cloth_defaults();
    dc_obstacle_desc ball;
    dc_vec3 *x, *flat;
    dc_mesh mesh = paper_grid(o->cells, 1, DC_DIAGONALS_FORWARD, &x);
    dc_index v;
    memcpy(flat = paper_vectors(mesh.vertex_count), x, (size_t)mesh.vertex_count * sizeof *x);
    for (v = 0; v < mesh.vertex_count; v++)
        x[v] = vec_make(x[v].x - 0.49, RADIUS + 0.03, 0.51 - x[v].y);
    memset(&ball, 0, sizeof ball);
    ball.kind = DC_OBSTACLE_SPHERE;
    ball.radius = RADIUS;
    ball.friction = cloth.friction = FRICTION;
    cloth.mesh = paper_body(&mesh, flat).mesh;
    cloth.start_positions = x;
    cloth.density = DENSITY;
    cloth.bending = o->bending;
    cloth.element = element;
    desc.obstacles = &ball;
    desc.obstacle_count = desc.collides = 1;
    desc.cloths = &cloth;
    desc.cloth_count = 1;
    table_run_cloth(table_world(&desc), scene,
                    element == DC_ELEMENT_ISOMETRIC ? "library, isometric" : "library",
                    (int)(o->seconds / o->dt + 0.5), o->dt);
}

int main(void)
{
    static const int cells[] = {8, 12};
    size_t k;
    table_head("Wang 2012");
    table_published("draping, 100 cells", "18700", "< 20", "1e-3");
    for (k = 0; k < sizeof cells / sizeof *cells; k++) {
        options o = default_options();
        char name[64];
        o.cells = cells[k];
        snprintf(name, sizeof name, "stiff, %d cells, %g ms, %g s", o.cells, 1000 * o.dt,
                 o.seconds);
        run_program(&o, name, MENDED);
        run_program(&o, name, STAGGERED);
        run_library(&o, name, DC_ELEMENT_ISOMETRIC);
        run_library(&o, name, DC_ELEMENT_NONCONFORMING);
    }
    return 0;
}
