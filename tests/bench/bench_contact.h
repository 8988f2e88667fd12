/* contact: what contact leaves of lengths, by the defaults. Every number is an error or a count: less is
   better. */
#ifndef BENCH_CONTACT_H
#define BENCH_CONTACT_H

/* A scene of 20 cells for 2 s, in steps of 2 ms: cloth falls, comes to rest, and figures begin to
   walk. */
static void bench_contact_scene(const char *scene_name)
{
    enum { CELLS = 20, STEPS = 1000 };
    static const double DT = 0.002; /* [s] */
    double error_max = 0, drawn_rms = 0, newton = 0;
    char name[64];
    scene_kind kind;
    failure why;
    scene s;
    int step;
    dc_index i;
    snprintf(name, sizeof name, "contact.%s", scene_name);
    fprintf(stderr, "%s\n", name);
    if (!scene_open(&s, scene_name, CELLS, &why)) {
        fprintf(stderr, "bench: %s\n", why.text);
        exit(1);
    }
    kind = *s.kind;
    kind.dt = DT;
    s.kind = &kind;
    for (step = 0; step < STEPS; step++) {
        dc_report report;
        dc_error error;
        if (scene_step(&s, &report, &error) != DC_OK) bench_fail(name, &error);
        error_max = fmax(error_max, (double)report.contact_error);
        newton += (double)report.counters.newton_iterations / STEPS;
        for (i = 0; i < s.cloth_count; i++)
            drawn_rms = fmax(drawn_rms, (double)dc_cloth_measure(s.world, i).strain_rms);
    }
    scene_close(&s);
    bench_metric(name, "error_max", error_max, "1"); /* of a squared length, after collisions */
    bench_metric(name, "drawn_rms", 100 * drawn_rms, "%");
    bench_metric(name, "newton", newton, "iterations/step");
}

/* Five sheets fall on a ball and on each other, 1.5 s in steps of 2 ms: in the first half they fall. */
static void bench_contact_five(int cells)
{
    enum { STEPS = 750 };
    double error_max[2] = {0, 0}, newton[2] = {0, 0}, seconds[2] = {0, 0};
    char name[64];
    failure why;
    scene s;
    scene_kind kind;
    int step, half;
    snprintf(name, sizeof name, "contact.five_%d", cells);
    fprintf(stderr, "%s\n", name);
    if (!scene_open(&s, "five", cells, &why)) {
        fprintf(stderr, "bench: %s\n", why.text);
        exit(1);
    }
    kind = *s.kind;
    kind.dt = 0.002;
    s.kind = &kind;
    for (step = 0; step < STEPS; step++) {
        double start = bench_busy();
        dc_report report;
        dc_error error;
        half = 2 * step >= STEPS;
        if (scene_step(&s, &report, &error) != DC_OK) bench_fail(name, &error);
        seconds[half] += bench_busy() - start;
        error_max[half] = fmax(error_max[half], (double)report.contact_error);
        newton[half] += 2.0 * report.counters.newton_iterations / STEPS;
    }
    scene_close(&s);
    for (half = 0; half < 2; half++) {
        const char *after = half ? "_after" : "";
        char metric[64];
        snprintf(metric, sizeof metric, "newton%s", after);
        bench_metric(name, metric, newton[half], "iterations/step");
        snprintf(metric, sizeof metric, "error_max%s", after);
        bench_metric(name, metric, error_max[half], "1");
        snprintf(metric, sizeof metric, "step%s", after);
        bench_metric(name, metric, 2e3 * seconds[half] / STEPS, "ms");
    }
}

/* A stack of five sheets of 6 x 6 cells on a plane, 10 s: the largest error of a sheet's height, and
   the rms speed in the second half. `heavy`: the sheet of 100 times the mass, or -1, and 3 s. */
static void bench_contact_stack(const char *name, dc_element element, double dt, int heavy)
{
    enum { SHEETS = 5, CELLS = 6, VERTICES = DC_GRID_VERTICES(CELLS, CELLS), MEMORY = 30000000 };
    static const double THICKNESS = 4e-3; /* [m] */
    static dc_vec3 flat[VERTICES], x[SHEETS][VERTICES];
    static dc_index triangles[3 * DC_GRID_TRIANGLES(CELLS, CELLS)];
    int steps = (int)((heavy < 0 ? 10 : 3) / dt + 0.5), step, i, v;
    double newton = 0, sum = 0, height_error = 0;
    dc_world_desc desc = dc_world_defaults();
    dc_cloth_desc cloth[SHEETS];
    dc_obstacle_desc plane;
    dc_mesh_desc mesh =
        dc_grid(CELLS, CELLS, (dc_real)0.3, (dc_real)0.3, DC_DIAGONALS_FORWARD, flat, triangles);
    dc_error error;
    dc_world *world;
    void *memory;
    for (i = 0; i < SHEETS; i++) {
        double c = cos(0.1 * i), s = sin(0.1 * i);
        for (v = 0; v < VERTICES; v++) {
            double a = (double)flat[v].x - 0.15, b = (double)flat[v].y - 0.15;
            x[i][v].x = (dc_real)(c * a - s * b);
            x[i][v].y = (dc_real)(THICKNESS * (0.5 + 1.02 * i));
            x[i][v].z = (dc_real)(s * a + c * b);
        }
        cloth[i] = dc_cloth_defaults();
        cloth[i].mesh = mesh;
        cloth[i].start_positions = x[i];
        cloth[i].thickness = (dc_real)THICKNESS;
        cloth[i].element = element;
        if (i == heavy) cloth[i].density *= 100;
    }
    memset(&plane, 0, sizeof plane);
    plane.kind = DC_OBSTACLE_PLANE;
    plane.point[1].y = 1;
    plane.friction = cloth[0].friction;
    desc.cloths = cloth;
    desc.cloth_count = SHEETS;
    desc.obstacles = &plane;
    desc.obstacle_count = 1;
    desc.collides = 1;
    memory = bench_alloc(MEMORY);
    if (dc_world_init(&desc, memory, MEMORY, &world, NULL, &error) != DC_OK)
        bench_fail(name, &error);
    for (step = 0; step < steps; step++) {
        dc_report report;
        for (i = 0; i < SHEETS; i++) memcpy(x[i], dc_body_positions(world, i), sizeof x[i]);
        if (dc_world_step(world, (dc_real)dt, &report, &error) != DC_OK) bench_fail(name, &error);
        newton += (double)report.counters.newton_iterations / steps;
        for (i = 0; i < SHEETS && 2 * step >= steps; i++)
            for (v = 0; v < VERTICES; v++) {
                const dc_vec3 *now = dc_body_positions(world, i) + v;
                double a = now->x - x[i][v].x, b = now->y - x[i][v].y, c = now->z - x[i][v].z;
                sum += a * a + b * b + c * c;
            }
    }
    for (i = 0; i < SHEETS; i++) {
        double height = 0;
        for (v = 0; v < VERTICES; v++)
            height += (double)dc_body_positions(world, i)[v].y / THICKNESS / VERTICES;
        height_error = fmax(height_error, fabs(height / (i + 0.5) - 1));
    }
    free(memory);
    bench_metric(name, "height_error", 100 * height_error, "%");
    bench_metric(name, "speed", sqrt(2 * sum / steps / SHEETS / VERTICES) / dt, "m/s");
    bench_metric(name, "newton", newton, "iterations/step");
}

static void bench_contact(void)
{
    bench_contact_stack("contact.stack", DC_ELEMENT_NONCONFORMING, 0.005, -1);
    bench_contact_stack("contact.stack_isometric", DC_ELEMENT_ISOMETRIC, 0.005, -1);
    bench_contact_stack("contact.stack_1ms", DC_ELEMENT_NONCONFORMING, 0.001, -1);
    bench_contact_stack("contact.heavy_top", DC_ELEMENT_NONCONFORMING, 0.005, 4);
    bench_contact_stack("contact.heavy_middle", DC_ELEMENT_NONCONFORMING, 0.005, 2);
    bench_contact_stack("contact.heavy_bottom", DC_ELEMENT_NONCONFORMING, 0.005, 0);
    bench_contact_five(10);
    bench_contact_five(36);
    bench_contact_scene("shirt");
    bench_contact_scene("cape");
    bench_contact_scene("sphere");
}

#endif
