/* [CT10]: its table 1, for the scenes of the program. Lengths are in edges, about 1. */
#define main ct10_main
#include "../../examples/papers/ct10.c"
#undef main
#include "paper_table.h"

static const double FRICTION = 0.3; /* [1] without it a sheet slides off the ball */

typedef struct drape_row {
    double begin, anchor_energy, length_energy, area_error, strain, rise;
    long iterations;
    const char *end;
} drape_row;

static void print_row(const drape_row *row, const char *scene, const char *form)
{
    printf("| %s | %s | %.2f | %ld | %s | %.1e | %.1e | %.1e | %.1e | %.0f |\n", scene, form,
           table_seconds() - row->begin, row->iterations, row->end, row->anchor_energy,
           row->length_energy, row->area_error, row->strain, row->rise);
    fflush(stdout);
}

static void run_program(const scene *example)
{
    drape_row row;
    sheet s;
    outcome o;
    row.begin = table_seconds();
    s = make_sheet(CELLS);
    begin(&s, example, CELLS);
    o = update_mesh(&s, example->anchor_count, MENDED);
    row.anchor_energy = o.anchor_energy;
    row.length_energy = o.length_energy;
    row.area_error = o.area_error;
    row.strain = o.strain;
    row.rise = o.rise;
    row.iterations = o.iterations;
    row.end = o.dynamic > 0 ? "limit, crosses" : "limit";
    if (o.is_at_rest) row.end = "rest";
    print_row(&row, example->name, "program");
}

static void run_library(const scene *example)
{
    dc_drape_desc desc = dc_drape_defaults();
    dc_anchor_desc anchors[4];
    dc_obstacle_desc ball;
    dc_drape_report report;
    dc_error error;
    dc_plan plan;
    dc_drape *drape;
    drape_row row;
    sheet s = make_sheet(CELLS);
    enum { MEMORY_BYTES = 64 << 20 }; /* ample */
    void *memory;
    dc_index v;
    begin(&s, example, CELLS);
    for (v = 0; v < s.mesh.vertex_count; v++) {
        if (s.held[v] != GIVEN) continue;
        anchors[desc.anchor_count].vertex = v;
        anchors[desc.anchor_count++].target = s.target[v];
    }
    memset(&ball, 0, sizeof ball);
    ball.kind = DC_OBSTACLE_SPHERE;
    ball.point[0] = BALL;
    ball.radius = BALL_RADIUS;
    ball.friction = FRICTION;
    desc.mesh = paper_body(&s.mesh, s.flat).mesh;
    desc.anchors = anchors;
    desc.obstacles = &ball;
    desc.obstacle_count = example->has_ball;
    desc.down = vec_make(0, 0, example->has_gravity ? -1 : 0);
    desc.friction = FRICTION;
    row.begin = table_seconds();
    memory = paper_memory(MEMORY_BYTES);
    if (dc_drape_plan(&desc, memory, MEMORY_BYTES, &plan, &error) != DC_OK ||
        dc_drape_init(&plan, &drape, &error) != DC_OK) {
        fprintf(stderr, "%s: %s\n", error.where, error.what);
        exit(1);
    }
    row.end = dc_drape_solve(drape, &report, &error) == DC_OK ? "rest" : error.what;
    row.anchor_energy = report.anchor_energy;
    row.length_energy = report.length_energy;
    row.area_error = report.area_error;
    row.strain = report.strain_max;
    row.iterations = report.iterations;
    row.rise = 0;
    for (v = 0; v < s.mesh.vertex_count; v++)
        row.rise += dc_drape_positions(drape)[v].z - s.flat[v].z;
    print_row(&row, example->name, "library");
    free(memory);
}

int main(void)
{
    /* Seconds, iterations, end, E_I, E_L, E_A, strain, sum of dz. */
    static const char *const published[SCENES] = {
        "28.33 | 56 | rest | 6.1e-04 | 2.3e-03 | 2.0e-03 | | 12959",
        "53.28 | 92 | rest | 8.4e-04 | 4.7e-03 | 2.2e-03 | | -3929",
        "18.62 | 36 | rest | 7.7e-03 | 2.1e-03 | 1.9e-03 | | -6949",
        "12.55 | 23 | rest | 7.1e-03 | 2.1e-03 | 2.2e-03 | | -6410",
        "15.82 | 32 | rest | 6.3e-03 | 2.3e-03 | 1.9e-03 | | -16888",
        "31.60 | 158 | rest | 1.2e-04 | 2.1e-03 | 1.7e-03 | | -32721",
        "40.11 | 200 | limit | 3.1e-04 | 2.3e-03 | 1.9e-03 | | -21508"};
    int k;
    printf("\n## Chen & Tang 2010\n\n"
           "| scene | form | seconds | iterations | end | E_I | E_L | E_A | strain of the drawn "
           "mesh | sum of dz |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (k = 0; k < SCENES; k++) {
        printf("| %s | published | %s |\n", scenes[k].name, published[k]);
        run_program(&scenes[k]);
        run_library(&scenes[k]);
    }
    return 0;
}
