/* Ribbons: steps of the built-in scenes, and how their time grows with the number of segments.

   Times are of the processor; [PHB15] table I has wall clock times of two Xeon E5-2630, which
   tests/ribbon_table.md compares them with. */
#ifndef BENCH_RIBBON_H
#define BENCH_RIBBON_H

#include "../../examples/common/ribbons.h"

static void bench_ribbon_open(ribbon_scene *s, const char *scene, const ribbon_choice *choice)
{
    failure why;
    if (ribbon_scene_open(s, scene, choice, &why)) return;
    fprintf(stderr, "bench: %s\n", why.text);
    exit(1);
}

/* The whole story of a scene, under the name ribbon.NAME; returns the median seconds of a step.
   BENCH_STEPS in the environment makes it shorter. */
static double bench_ribbon_scene(const char *name, const char *scene, const ribbon_choice *choice)
{
    static ribbon_scene s; /* too large for some stacks */
    double *seconds, total = 0, iterations = 0, certified = 0, median;
    char metric[48];
    int steps, i;
    bench_ribbon_open(&s, scene, choice);
    steps = bench_steps((int)(s.kind->seconds / s.dt + 0.5));
    seconds = (double *)bench_alloc((size_t)steps * sizeof(double));
    for (i = 0; i < steps; i++) {
        double start = bench_busy();
        dc_report report;
        dc_error error;
        if (ribbon_scene_step(&s, &report, &error) != DC_OK) bench_fail(scene, &error);
        seconds[i] = bench_busy() - start;
        total += seconds[i];
        iterations += (double)report.counters.ribbon_iterations;
        certified += report.is_certified;
    }
    snprintf(metric, sizeof metric, "ribbon.%s", name);
    median = bench_median(seconds, steps);
    bench_metric(metric, "seconds", median, "s");
    bench_metric(metric, "mean", total / steps, "s");
    bench_metric(metric, "longest", seconds[steps - 1], "s");
    bench_metric(metric, "iterations", iterations / steps, "iterations/step");
    if (s.collides) bench_metric(metric, "certified", certified / steps, "part");
    ribbon_scene_close(&s);
    free(seconds);
    return median;
}

/* Mean seconds of an iteration of a ribbon that swings down from its first segment, of segments of
   2 cm, so that each moves alike however many there are. */
static double bench_ribbon_iteration(dc_index segments)
{
    enum { STEPS = 40 };
    dc_ribbon_desc ribbon = dc_ribbon_defaults();
    dc_world_desc desc = dc_world_defaults();
    int steps = bench_steps(STEPS), i;
    double seconds = 0, iterations = 0;
    failure why;
    sim s;
    ribbon.segment_count = segments;
    ribbon.length = DCI_R(0.02) * (dc_real)segments;
    ribbon.is_fixed = 1;
    desc.ribbons = &ribbon;
    desc.ribbon_count = 1;
    if (!sim_open(&s, &desc, NULL, &why)) {
        fprintf(stderr, "bench: %s\n", why.text);
        exit(1);
    }
    for (i = 0; i < steps; i++) {
        double start = bench_busy();
        dc_report report;
        dc_error error;
        if (dc_world_step(s.world, DCI_R(0.01), &report, &error) != DC_OK)
            bench_fail("ribbon.growth", &error);
        seconds += bench_busy() - start;
        iterations += (double)report.counters.ribbon_iterations;
    }
    sim_close(&s);
    return seconds / iterations;
}

/* The exponent p of seconds ~ segments^p at a fixed number of iterations: the slope of least squares
   through 50 to 800 segments, both logarithmic. */
static void bench_ribbon_growth(void)
{
    enum { SIZES = 5 };
    double x[SIZES], y[SIZES], across = 0, along = 0;
    dc_index segments = 50;
    int i;
    for (i = 0; i < SIZES; i++, segments *= 2) {
        double seconds = bench_ribbon_iteration(segments);
        char name[48];
        snprintf(name, sizeof name, "ribbon.growth.%d", (int)segments);
        bench_metric(name, "seconds", seconds, "s/iteration");
        x[i] = log((double)segments);
        y[i] = log(seconds);
    }
    for (i = 0; i < SIZES; i++) {
        across += (x[i] - bench_mean(x, SIZES)) * y[i];
        along += (x[i] - bench_mean(x, SIZES)) * (x[i] - bench_mean(x, SIZES));
    }
    bench_metric("ribbon.growth", "exponent", across / along, "1");
}

static void bench_ribbon(void)
{
    ribbon_choice coarse;
    memset(&coarse, 0, sizeof coarse);
    coarse.dt = 0.05;
    bench_ribbon_scene("twist", "twist", NULL);
    bench_ribbon_scene("drag", "drag", NULL);
    bench_ribbon_scene("torsion", "torsion", NULL);
    bench_ribbon_scene("helix.01", "helix", NULL);
    bench_ribbon_scene("helix.05", "helix", &coarse);
    bench_ribbon_scene("fall", "fall", NULL);
    bench_ribbon_scene("chain", "chains", NULL);
    bench_ribbon_scene("moebius", "moebius", NULL);
    bench_ribbon_growth();
}

#endif
