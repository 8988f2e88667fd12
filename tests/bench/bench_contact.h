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
        newton += (double)report.newton_iterations / STEPS;
        for (i = 0; i < s.cloth_count; i++)
            drawn_rms = fmax(drawn_rms, (double)dc_cloth_measure(s.world, i).strain_rms);
    }
    scene_close(&s);
    bench_metric(name, "error_max", error_max, "1"); /* of a squared length, after collisions */
    bench_metric(name, "drawn_rms", 100 * drawn_rms, "%");
    bench_metric(name, "newton", newton, "iterations/step");
}

static void bench_contact(void)
{
    bench_contact_scene("shirt");
    bench_contact_scene("cape");
    bench_contact_scene("sphere");
}

#endif
