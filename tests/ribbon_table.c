/* The tables of tests/ribbon_table.md, after three figures of [PHB15]: `make ribbon-table` prints them.

   - Figure 9: a ribbon of 1 m x .1 m whose ends are turned against each other, as a ribbon of 50
     segments and as cloth of 50 x 10 cells: what of the shape and of the motion is noise.
   - Figure 8: a helix that unrolls, in steps of .05, .01 and .0025 s: how far they are apart.
   - Figure 11: a ribbon that rotates. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEVCLOTH_IMPLEMENTATION
#include "../devcloth.h"

#include "../examples/common/ribbons_parts.h"

static void *table_alloc(size_t bytes)
{
    void *memory = malloc(bytes);
    if (memory) return memory;
    fprintf(stderr, "ribbon_table: no memory\n");
    exit(1);
}

static void open_scene(ribbon_scene *s, const char *name, double dt)
{
    ribbon_choice choice;
    failure why;
    memset(&choice, 0, sizeof choice);
    choice.dt = dt;
    if (ribbon_scene_open(s, name, &choice, &why)) return;
    fprintf(stderr, "ribbon_table: %s\n", why.text);
    exit(1);
}

static void step_scene(ribbon_scene *s)
{
    dc_error error;
    if (ribbon_scene_step(s, NULL, &error) == DC_OK) return;
    fprintf(stderr, "ribbon_table: %s at %.2f s: %s\n", s->kind->name,
            (double)dc_world_time(s->world), error.what);
    exit(1);
}

/* ---- Figure 9: what is watched ---- */

static const double LENGTH = 1, WIDTH = 0.1;        /* [m] */
static const double DT = 0.01;                      /* [s] */
static const double STILL_FROM = 2.5, STILL_TO = 3; /* [s]; the ends stop at 2 s */

/* A triangle mesh in motion, with its flat pattern. */
typedef struct film {
    dc_index vertex_count, triangle_count;
    const dc_index *triangles;
    const dc_vec3 *x;              /* now */
    dc_vec2 *flat;                 /* of the material; of a ribbon, now */
    dc_vec3 *history[2];           /* one and two steps ago */
    double squares;                /* [m^2/s^4] of second differences, summed up */
    double energy[2];              /* [J] sum and sum of squares */
    double steps;                  /* that these are of */
    double strain_rms, strain_max; /* of edges */
    double defect_rms;             /* [rad] of the angles at inner vertices */
    double roughness;              /* [rad] of normals, see below */
    double seconds, all_steps;     /* of computing */
} film;

static double length_of(dc_vec3 a, dc_vec3 b)
{
    return vec_length(vec_sub(b, a));
}

static double flat_length(dc_vec2 a, dc_vec2 b)
{
    double x = (double)(b.x - a.x), y = (double)(b.y - a.y);
    return sqrt(x * x + y * y);
}

static void measure_strain(film *f)
{
    double sum = 0, count = 0;
    dc_index q;
    for (q = 0; q < 3 * f->triangle_count; q++) {
        dc_index a = f->triangles[q], b = f->triangles[q - q % 3 + (q + 1) % 3];
        double rest = flat_length(f->flat[a], f->flat[b]);
        double strain = length_of(f->x[a], f->x[b]) / rest - 1;
        sum += strain * strain;
        count++;
        f->strain_max = fmax(f->strain_max, fabs(strain));
    }
    f->strain_rms = sqrt(sum / count);
}

static int is_inner(const film *f, dc_index v)
{
    static const double RIM = 1e-4; /* [m] */
    double x = (double)f->flat[v].x, y = (double)f->flat[v].y;
    return x > RIM && x < LENGTH - RIM && y > RIM - WIDTH / 2 && y < WIDTH / 2 - RIM;
}

/* A flat sheet that bends without stretching has angles of 2 pi around each vertex. */
static void measure_defect(film *f)
{
    double *angle = (double *)table_alloc((size_t)f->vertex_count * sizeof *angle);
    double sum = 0, count = 0;
    dc_index q, v;
    for (v = 0; v < f->vertex_count; v++) angle[v] = 0;
    for (q = 0; q < 3 * f->triangle_count; q++) {
        dc_index first = q - q % 3;
        dc_vec3 p = f->x[f->triangles[q]];
        dc_vec3 a = vec_sub(f->x[f->triangles[first + (q + 1) % 3]], p);
        dc_vec3 b = vec_sub(f->x[f->triangles[first + (q + 2) % 3]], p);
        double c = (double)(a.x * b.x + a.y * b.y + a.z * b.z) / (vec_length(a) * vec_length(b));
        angle[f->triangles[q]] += acos(fmax(-1, fmin(1, c)));
    }
    for (v = 0; v < f->vertex_count; v++) {
        if (!is_inner(f, v)) continue;
        sum += (angle[v] - 2 * VEC_PI) * (angle[v] - 2 * VEC_PI);
        count++;
    }
    f->defect_rms = count > 0 ? sqrt(sum / count) : 0;
    free(angle);
}

/* ---- Figure 9: roughness ---- */

enum { ACROSS = 10, ALONG = 100, SAMPLES = ACROSS * ALONG };
static const double SMOOTHING = 0.03; /* [m] radius: one and a half cells along */

/* Twice the area of a flat triangle. */
static double flat_turn(dc_vec2 a, dc_vec2 b, double x, double y)
{
    return ((double)b.x - (double)a.x) * (y - (double)a.y) -
           ((double)b.y - (double)a.y) * (x - (double)a.x);
}

static dc_vec3 normal_of(const film *f, const dc_index *v)
{
    dc_vec3 a = vec_sub(f->x[v[1]], f->x[v[0]]), b = vec_sub(f->x[v[2]], f->x[v[0]]);
    dc_vec3 n = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return vec_scale(1 / vec_length(n), n);
}

/* The normal at a point of the flat pattern, of the triangle that it is most inside of. Triangles turn
   counter-clockwise there, or are taken to. */
static dc_vec3 normal_at(const film *f, double x, double y)
{
    double best = -1e30;
    dc_vec3 normal = vec_make(0, 0, 0);
    dc_index t;
    for (t = 0; t < f->triangle_count; t++) {
        const dc_index *v = f->triangles + 3 * t;
        dc_vec2 a = f->flat[v[0]], b = f->flat[v[1]], c = f->flat[v[2]];
        double area = flat_turn(a, b, (double)c.x, (double)c.y), inside;
        inside = fmin(flat_turn(a, b, x, y) / area,
                      fmin(flat_turn(b, c, x, y) / area, flat_turn(c, a, x, y) / area));
        if (inside <= best) continue;
        best = inside;
        normal = vec_scale(area > 0 ? 1 : -1, normal_of(f, v));
    }
    return normal;
}

/* The angle between the normal and its mean nearby, root mean square over the pattern. */
static void measure_roughness(film *f)
{
    static dc_vec3 normal[SAMPLES];
    double sum = 0;
    int i, k;
    for (i = 0; i < SAMPLES; i++)
        normal[i] = normal_at(f, LENGTH * (i / ACROSS + 0.5) / ALONG,
                              WIDTH * ((i % ACROSS + 0.5) / ACROSS - 0.5));
    for (i = 0; i < SAMPLES; i++) {
        dc_vec3 mean = vec_make(0, 0, 0);
        double cosine;
        for (k = 0; k < SAMPLES; k++) {
            double x = LENGTH * (i / ACROSS - k / ACROSS) / ALONG;
            double y = WIDTH * (i % ACROSS - k % ACROSS) / ACROSS;
            if (x * x + y * y < SMOOTHING * SMOOTHING) mean = vec_add(mean, normal[k]);
        }
        cosine = (double)(mean.x * normal[i].x + mean.y * normal[i].y + mean.z * normal[i].z) /
                 vec_length(mean);
        sum += acos(fmin(1, cosine)) * acos(fmin(1, cosine));
    }
    f->roughness = sqrt(sum / SAMPLES);
}

/* ---- Figure 9: motion ---- */

/* After each step; counts while all should be still. */
static void watch(film *f, double time, double energy)
{
    size_t bytes = (size_t)f->vertex_count * sizeof *f->x;
    dc_index v;
    if (time > STILL_FROM) {
        double sum = 0;
        for (v = 0; v < f->vertex_count; v++) {
            dc_vec3 way =
                vec_add(vec_sub(f->x[v], vec_scale(2, f->history[0][v])), f->history[1][v]);
            sum += vec_length(way) * vec_length(way);
        }
        f->squares += sum / f->vertex_count / (DT * DT * DT * DT);
        f->energy[0] += energy;
        f->energy[1] += energy * energy;
        f->steps++;
    }
    memcpy(f->history[1], f->history[0], bytes);
    memcpy(f->history[0], f->x, bytes);
}

static void begin_film(film *f, dc_index vertex_count, dc_index triangle_count,
                       const dc_index *triangles)
{
    size_t bytes = (size_t)vertex_count * sizeof *f->x;
    memset(f, 0, sizeof *f);
    f->vertex_count = vertex_count;
    f->triangle_count = triangle_count;
    f->triangles = triangles;
    f->flat = (dc_vec2 *)table_alloc((size_t)vertex_count * sizeof *f->flat);
    f->history[0] = (dc_vec3 *)table_alloc(bytes);
    f->history[1] = (dc_vec3 *)table_alloc(bytes);
}

static void end_film(film *f, const char *name)
{
    static const double DEGREES = 57.295779513082320877; /* in a radian */
    double mean, spread;
    measure_strain(f);
    measure_defect(f);
    measure_roughness(f);
    mean = f->energy[0] / f->steps;
    spread = sqrt(fmax(0, f->energy[1] / f->steps - mean * mean));
    printf("| %s | %.1f | %.1e | %.1e | %.1e | %.1f | %.1e | %.1e | %.1e |\n", name,
           1e3 * f->seconds / f->all_steps, f->strain_rms, f->strain_max, DEGREES * f->defect_rms,
           DEGREES * f->roughness, sqrt(f->squares / f->steps), mean, spread / mean);
    free(f->flat);
    free(f->history[0]);
    free(f->history[1]);
}

static void film_ribbon(void)
{
    static ribbon_scene s;
    film f;
    dc_index j;
    open_scene(&s, "torsion", DT);
    begin_film(&f, dc_body_mesh(s.world, 0)->vertex_count, 2 * s.body[0].desc.segment_count,
               s.body[0].triangles);
    while ((double)dc_world_time(s.world) < STILL_TO - DT / 2) {
        double start = files_clock();
        step_scene(&s);
        f.seconds += files_clock() - start;
        f.all_steps++;
        f.x = dc_body_positions(s.world, 0);
        watch(&f, (double)dc_world_time(s.world), (double)dc_ribbon_measure(s.world, 0).bending);
    }
    for (j = 0; j < f.vertex_count; j++) {
        double side = j % 2 ? WIDTH / 2 : -WIDTH / 2;
        double lean = (double)dc_ribbon_creases(s.world, 0)[j / 2];
        f.flat[j].x = (dc_real)(LENGTH * (j / 2) / s.segments + side * lean);
        f.flat[j].y = (dc_real)side;
    }
    end_film(&f, "ribbon, 50 segments");
    ribbon_scene_close(&s);
}

/* ---- Figure 9: cloth ---- */

enum { COLUMNS = 50, ROWS = 10, PINS = 2 * (ROWS + 1) };

/* Where the pins are at a time: evenly along both ends. */
static void place_pins(double time, dc_vec3 pin[PINS])
{
    dc_vec3 corner[4];
    int i;
    ribbon_torsion_corners(time, corner);
    for (i = 0; i < PINS; i++) {
        const dc_vec3 *end = corner + 2 * (i / (ROWS + 1));
        double part = (double)(i % (ROWS + 1)) / ROWS;
        pin[i] = vec_add(vec_scale(1 - part, end[0]), vec_scale(part, end[1]));
    }
}

/* The start: flat but for waves that take up the slack. */
static void place_start(const sim_shape *shape, dc_vec3 *start)
{
    static const double WAVES = 6;
    dc_vec3 corner[4];
    double slack, height;
    dc_index v;
    ribbon_torsion_corners(0, corner);
    slack = 1 - length_of(corner[0], corner[2]) / LENGTH;
    height = 2 * sqrt(slack) * LENGTH / (2 * VEC_PI * WAVES);
    for (v = 0; v < shape->mesh.vertex_count; v++) {
        double x = (double)shape->flat[v].x / LENGTH, y = (double)shape->flat[v].y;
        start[v] = vec_make(LENGTH * (1 - slack) * (x - 0.5),
                            height * vec_sin(2 * VEC_PI * WAVES * x), WIDTH / 2 - y);
    }
}

static void film_cloth(void)
{
    const char *name = "cloth, 50 x 10";
    shape_desc grid = shape_defaults(SHAPE_GRID);
    dc_cloth_desc cloth = dc_cloth_defaults();
    dc_world_desc desc = dc_world_defaults();
    const dc_ribbon_desc paper = dc_ribbon_defaults();
    dc_index pins[PINS], v;
    dc_vec3 *start, target[PINS];
    sim_shape shape;
    failure why;
    dc_error error;
    sim s;
    film f;
    int i, is_fine = 1;
    grid.columns = COLUMNS;
    grid.rows = ROWS;
    grid.width = (dc_real)LENGTH;
    grid.height = (dc_real)WIDTH;
    if (!sim_shape_build(&shape, &grid, &why)) exit(1);
    start = (dc_vec3 *)table_alloc((size_t)shape.mesh.vertex_count * sizeof *start);
    place_start(&shape, start);
    for (i = 0; i < PINS; i++) pins[i] = i % (ROWS + 1) * (COLUMNS + 1) + i / (ROWS + 1) * COLUMNS;
    cloth.mesh = shape.mesh;
    cloth.start_positions = start;
    cloth.density = paper.density;
    cloth.bending = paper.bending;
    cloth.drag_normal = cloth.drag_tangential = (dc_real)0.2; /* as the scene's */
    cloth.pin_vertices = pins;
    cloth.pin_count = PINS;
    desc.gravity = vec_make(0, 0, 0);
    desc.cloths = &cloth;
    desc.cloth_count = 1;
    if (!sim_open(&s, &desc, NULL, &why)) {
        printf("| %s | %s |\n", name, why.text);
        exit(1);
    }
    begin_film(&f, shape.mesh.vertex_count, shape.mesh.triangle_count, shape.triangles);
    while (is_fine && (double)dc_world_time(s.world) < STILL_TO - DT / 2) {
        double begun = files_clock();
        place_pins((double)dc_world_time(s.world) + DT, target);
        for (i = 0; i < PINS; i++) dc_cloth_set_pin(s.world, 0, i, target[i], NULL);
        is_fine = dc_world_step(s.world, (dc_real)DT, NULL, &error) == DC_OK;
        f.seconds += files_clock() - begun;
        f.all_steps++;
        f.x = dc_body_positions(s.world, 0);
        watch(&f, (double)dc_world_time(s.world), (double)dc_cloth_measure(s.world, 0).bending);
    }
    for (v = 0; v < f.vertex_count; v++) {
        f.flat[v].x = shape.flat[v].x;
        f.flat[v].y = shape.flat[v].y - (dc_real)(WIDTH / 2);
    }
    if (is_fine)
        end_film(&f, name);
    else
        printf("| %s | the step from %.2f s fails: %s |\n", name, (double)dc_world_time(s.world),
               error.what);
    sim_close(&s);
    sim_shape_free(&shape);
    free(start);
}

static void print_noise(void)
{
    printf(
        "Torsion, figure 9: steps of 10 ms; strain of edges, defect of angles at vertices, and\n"
        "roughness of normals at 3 s; what moves from 2.5 s to 3 s, after the ends have stopped\n"
        "\n| | ms a step | strain rms | largest | defect [degree] | roughness [degree] | "
        "acceleration rms [m/s^2] | bending [J] | and its spread |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    film_ribbon();
    film_cloth();
}

/* ---- Figure 8 ---- */

/* The point of the centre line at crease j. */
static dc_vec3 middle_of(const ribbon_scene *s, int j)
{
    const dc_vec3 *x = dc_body_positions(s->world, 0);
    return vec_scale(0.5, vec_add(x[2 * j], x[2 * j + 1]));
}

/* The largest distance of the two now, as part of the length; *largest is of all times. */
static void print_distance(const ribbon_scene *a, const ribbon_scene *b, int is_shown,
                           double *largest)
{
    double most = 0, length = (double)a->body[0].desc.length;
    int j;
    for (j = 0; j <= a->segments; j++)
        most = fmax(most, length_of(middle_of(a, j), middle_of(b, j)) / length);
    *largest = fmax(*largest, most);
    if (is_shown) printf(" %.4f |", most);
}

static void print_steps(void)
{
    enum { SCENES = 3, LONG_STEPS = 60, SHOWN_EVERY = 10 };
    static const double dt[SCENES] = {0.05, 0.01, 0.0025};
    static const int pair[SCENES][2] = {{0, 1}, {1, 2}, {0, 2}};
    static ribbon_scene s[SCENES];
    double largest[SCENES] = {0, 0, 0};
    int i, k, m;
    for (m = 0; m < SCENES; m++) open_scene(&s[m], "helix", dt[m]);
    printf(
        "\nA helix unrolls, figure 8: largest distance between steps of .05, .01 and .0025 s, as "
        "part\nof the length\n\n"
        "| time [s] | .05 and .01 | .01 and .0025 | .05 and .0025 |\n"
        "| --- | --- | --- | --- |\n");
    for (i = 1; i <= LONG_STEPS; i++) {
        int is_shown = i % SHOWN_EVERY == 0;
        for (m = 0; m < SCENES; m++)
            for (k = 0; k < (int)(dt[0] / dt[m] + 0.5); k++) step_scene(&s[m]);
        if (is_shown) printf("| %.1f |", dt[0] * i);
        for (m = 0; m < SCENES; m++)
            print_distance(&s[pair[m][0]], &s[pair[m][1]], is_shown, &largest[m]);
        if (is_shown) printf("\n");
    }
    printf("| all | %.4f | %.4f | %.4f |\n", largest[0], largest[1], largest[2]);
    for (m = 0; m < SCENES; m++) ribbon_scene_close(&s[m]);
}

/* ---- Figure 11 ---- */

static void print_row(const char *name)
{
    static ribbon_scene s;
    dc_vec3 *start;
    double most = 0;
    int i, j;
    open_scene(&s, name, 0);
    start = (dc_vec3 *)table_alloc((size_t)(s.segments + 1) * sizeof *start);
    for (j = 0; j <= s.segments; j++) start[j] = middle_of(&s, j);
    printf("| %s |", name);
    for (i = 1; i <= 200; i++) {
        step_scene(&s);
        for (j = 0; j <= s.segments; j++) most = fmax(most, length_of(start[j], middle_of(&s, j)));
        if (i % 50 == 0)
            printf(" %.1e, %.1e |", most, (double)dc_ribbon_measure(s.world, 0).bending);
    }
    printf("\n");
    free(start);
    ribbon_scene_close(&s);
}

static void print_rotation(void)
{
    printf("\nA rotating ribbon, figure 11: how far the centre line has come so far [m], bending "
           "[J]\n\n"
           "| | .5 s | 1 s | 1.5 s | 2 s |\n| --- | --- | --- | --- | --- |\n");
    print_row("rotating");
}

int main(void)
{
    print_noise();
    print_steps();
    print_rotation();
    return 0;
}
