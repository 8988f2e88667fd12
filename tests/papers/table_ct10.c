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

/* E_I of a curve, by the distances from it of the vertices that it holds. */
static double curve_energy(const sheet *s, const scene *example, const dc_vec3 *x)
{
    enum { POINTS = 30000 }; /* a thousand an edge: to 1e-6 for each vertex */
    double sum = 0;
    dc_index v;
    int i;
    for (v = 0; v < s->mesh.vertex_count; v++) {
        double least = HUGE_VAL;
        dc_vec3 p = vec_make(x[v].x, s->start[v].y > 0 ? x[v].y : -x[v].y, x[v].z);
        for (i = 0; i <= POINTS && s->held[v] == GIVEN; i++) {
            dc_vec3 off = vec_sub(p, curve_point(example->curve, CELLS, (double)i / POINTS));
            least = fmin(least, vec_dot(off, off));
        }
        if (s->held[v] == GIVEN) sum += least;
    }
    return sum;
}

static void run_program(sheet *s, const scene *example)
{
    drape_row row;
    outcome o;
    row.begin = table_seconds();
    o = update_mesh(s, begin(s, example, CELLS), MENDED);
    row.anchor_energy = o.anchor_energy;
    if (example->curve != NO_CURVE) row.anchor_energy = curve_energy(s, example, s->x);
    row.length_energy = o.length_energy;
    row.area_error = o.area_error;
    row.strain = o.strain;
    row.rise = o.rise;
    row.iterations = o.iterations;
    row.end = o.dynamic > 0 ? "limit, crosses" : "limit";
    if (o.is_at_rest) row.end = "rest";
    print_row(&row, example->name, "program");
}

static void stop(const dc_error *error)
{
    fprintf(stderr, "%s: %s\n", error->where, error->what);
    exit(1);
}

/* The scene's curve and its mirror image, on the two borders. */
static dc_curve_desc *make_curves(const scene *example)
{
    enum { POINTS = 1001 };
    dc_curve_desc *curves = (dc_curve_desc *)paper_memory(2 * sizeof *curves);
    int side, i;
    for (side = 0; side < 2; side++) {
        dc_index *run = paper_indices(CELLS + 1);
        dc_vec3 *point = paper_vectors(POINTS);
        for (i = 0; i <= CELLS; i++) run[i] = (1 - side) * CELLS * (CELLS + 1) + i;
        for (i = 0; i < POINTS; i++) {
            point[i] = curve_point(example->curve, CELLS, (double)i / (POINTS - 1));
            if (side) point[i].y = -point[i].y;
        }
        curves[side].vertices = run;
        curves[side].vertex_count = CELLS + 1;
        curves[side].points = point;
        curves[side].point_count = POINTS;
    }
    return curves;
}

/* With the anchors or the curves that the scene has put on the sheet. */
static dc_drape *make_drape(const sheet *s, const scene *example)
{
    enum { MEMORY_BYTES = 64 << 20 }; /* ample */
    dc_drape_desc desc = dc_drape_defaults();
    dc_anchor_desc anchors[4];
    dc_obstacle_desc ball;
    dc_error error;
    dc_drape *drape = NULL;
    dc_index v;
    for (v = 0; v < s->mesh.vertex_count && example->curve == NO_CURVE; v++) {
        if (s->held[v] != GIVEN) continue;
        anchors[desc.anchor_count] = dc_anchor_defaults();
        anchors[desc.anchor_count].vertex = v;
        anchors[desc.anchor_count++].target = s->target[v];
    }
    memset(&ball, 0, sizeof ball);
    ball.kind = DC_OBSTACLE_SPHERE;
    ball.point[0] = BALL;
    ball.radius = BALL_RADIUS;
    ball.friction = FRICTION;
    desc.mesh = paper_body(&s->mesh, s->start).mesh;
    desc.anchors = anchors;
    if (example->curve != NO_CURVE) {
        desc.curves = make_curves(example);
        desc.curve_count = example->curve == SINE ? 2 : 1;
    }
    desc.obstacles = &ball;
    desc.obstacle_count = example->has_ball;
    desc.down = vec_make(0, 0, example->has_gravity ? -1 : 0);
    desc.friction = FRICTION;
    if (dc_drape_init(&desc, paper_memory(MEMORY_BYTES), MEMORY_BYTES, &drape, NULL, &error) !=
        DC_OK)
        stop(&error);
    return drape;
}

static void set_anchors(dc_drape *drape, const sheet *s)
{
    dc_index v, anchor = 0;
    dc_error error;
    for (v = 0; v < s->mesh.vertex_count; v++)
        if (s->held[v] == GIVEN &&
            dc_drape_set_anchor(drape, anchor++, s->target[v], &error) != DC_OK)
            stop(&error);
}

/* *skirt is NULL before the first posture. */
static void run_library(sheet *s, const scene *example, dc_drape **skirt)
{
    dc_drape_report report;
    dc_error error;
    drape_row row;
    dc_drape *drape;
    dc_index v;
    begin(s, example, CELLS);
    row.begin = table_seconds();
    if (example->is_posture && *skirt) set_anchors(*skirt, s);
    drape = example->is_posture && *skirt ? *skirt : make_drape(s, example);
    if (example->is_posture) *skirt = drape;
    row.end = dc_drape_solve(drape, &report, &error) == DC_OK ? "rest" : error.what;
    row.anchor_energy = report.anchor_energy;
    if (example->curve != NO_CURVE)
        row.anchor_energy = curve_energy(s, example, dc_drape_positions(drape));
    row.length_energy = report.length_energy;
    row.area_error = report.area_error;
    row.strain = report.strain_max;
    row.iterations = report.iterations;
    row.rise = 0;
    for (v = 0; v < s->mesh.vertex_count; v++)
        row.rise += dc_drape_positions(drape)[v].z - s->start[v].z;
    print_row(&row, example->name, "library");
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
        "40.11 | 200 | limit | 3.1e-04 | 2.3e-03 | 1.9e-03 | | -21508",
        NULL,
        NULL,
        NULL,
        NULL,
        "21.10 | 32 | rest | 1.1e-05 | 2.6e-03 | 7.1e-03 | | -3622",
        "24.83 | 38 | rest | 3.1e-05 | 3.5e-03 | 2.2e-03 | | 3011",
        "114.90 | 176 | rest | 7.7e-04 | 3.3e-03 | 3.1e-03 | | 4771",
        "69.55 | 107 | rest | 6.3e-05 | 3.2e-03 | 2.1e-03 | | 3125",
        "84.41 | 132 | rest | 5.1e-05 | 4.2e-03 | 3.1e-03 | | 2160"};
    sheet square = make_sheet(CELLS), skirt = make_skirt(CELLS);
    dc_drape *drape = NULL;
    int k;
    printf("\n## Chen & Tang 2010\n\n"
           "| scene | form | seconds | iterations | end | E_I | E_L | E_A | strain of the drawn "
           "mesh | sum of dz |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (k = 0; k < SCENES; k++) {
        sheet *s = scenes[k].is_posture ? &skirt : &square;
        if (published[k]) printf("| %s | published | %s |\n", scenes[k].name, published[k]);
        run_program(s, &scenes[k]);
        run_library(s, &scenes[k], &drape);
    }
    return 0;
}
