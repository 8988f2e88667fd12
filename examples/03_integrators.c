/*
 * 03_integrators.c - backward Euler against BDF2: who keeps the energy
 *
 * What one will see: a table of the energy of a sheet that swings below two corners, without air
 * and without damping. In the first two seconds backward Euler loses more than twice what BDF2
 * loses; steps an eighth as long nearly make up for that. What BDF2 loses, it loses in the folds
 * into which the swing breaks up. out/03_integrators/ holds the curves, energy.svg and energy.csv.
 */
#include "../devcloth.h"

#include "common/plot.h"
#include "common/record.h"
#include "common/sim.h"

#include <math.h>

enum { CELLS = 16, RUNS = 3, FRAMES = 401, FRAMES_A_LINE = 40 };

static const double FRAME = 0.01;      /* [s] */
static const double HALF_ANGLE = 0.65; /* [rad] of the arc in which the sheet starts */
static const double TILT = 0.5;        /* [rad] below the horizontal, at the start */

static const struct {
    const char *name, *colour;
    dc_integrator integrator;
    int steps_a_frame;
} runs[RUNS] = {{"BDF2, 10 ms", "#2b6cb0", DC_INTEGRATOR_BDF2, 1},
                {"Euler, 10 ms", "#d0532b", DC_INTEGRATOR_BACKWARD_EULER, 1},
                {"Euler, 1.25 ms", "#e0a030", DC_INTEGRATOR_BACKWARD_EULER, 8}};

/* Part of a cylinder, sagging between its pinned corners, and tilted. */
static void place(sim_shape *shape)
{
    dc_index v;
    for (v = 0; v < shape->mesh.vertex_count; v++) {
        double angle = (2 * (double)shape->flat[v].x - 1) * HALF_ANGLE, radius = 0.5 / HALF_ANGLE;
        double up = radius * (cos(HALF_ANGLE) - cos(angle)), out = 1 - (double)shape->flat[v].y;
        shape->positions[v].x = (dc_real)(radius * sin(angle));
        shape->positions[v].y = (dc_real)(up * cos(TILT) - out * sin(TILT));
        shape->positions[v].z = (dc_real)(up * sin(TILT) + out * cos(TILT));
    }
}

static int open_sheet(const sim_shape *shape, dc_integrator integrator, sim *s, failure *why)
{
    const dc_index pins[2] = {CELLS * (CELLS + 1), CELLS * (CELLS + 1) + CELLS};
    dc_cloth_desc cloth = dc_cloth_defaults();
    dc_world_desc world = dc_world_defaults();
    cloth.mesh = shape->mesh;
    cloth.pin_vertices = pins;
    cloth.pin_count = 2;
    cloth.bending = (dc_real)1e-4;
    cloth.jump_damping = 0;
    cloth.integrator = integrator;
    world.cloths = &cloth;
    world.cloth_count = 1;
    return sim_open(s, &world, NULL, why);
}

static int run(const sim_shape *shape, int kind, record *r, failure *why)
{
    const int steps = runs[kind].steps_a_frame;
    sim s;
    dc_report report;
    dc_error error;
    int step, is_fine = 1;
    if (!open_sheet(shape, runs[kind].integrator, &s, why)) return 0;
    record_frame(r, s.world, 1);
    for (step = 1; is_fine && step <= (FRAMES - 1) * steps; step++) {
        if (dc_world_step(s.world, (dc_real)(FRAME / steps), &report, &error) != DC_OK) {
            is_fine = sim_failure(why, &error);
            continue;
        }
        record_step(r, &report);
        if (step % steps == 0) record_frame(r, s.world, 1);
    }
    sim_close(&s);
    return is_fine;
}

static void print_table(const record *r)
{
    int frame, i;
    printf("energy [J] since the start, kinetic + gravity + bending\n\ntime [s]");
    for (i = 0; i < RUNS; i++) printf("  %14s", runs[i].name);
    for (frame = 0; frame < FRAMES; frame += FRAMES_A_LINE) {
        printf("\n%8.1f", r[0].column[RECORD_TIME][frame]);
        for (i = 0; i < RUNS; i++) printf("  %14.3f", r[i].column[RECORD_TOTAL][frame]);
    }
    printf("\n");
}

static int write_files(const record *r, failure *why)
{
    plot_series series[RUNS];
    plot p = {"Energy of a swinging sheet", "time [s]", "energy since the start [J]", NULL, RUNS};
    output out;
    int i;
    for (i = 0; i < RUNS; i++) {
        plot_series one = {runs[i].name, runs[i].colour, NULL, NULL, FRAMES, 0};
        one.x = r[i].column[RECORD_TIME];
        one.y = r[i].column[RECORD_TOTAL];
        series[i] = one;
    }
    p.series = series;
    if (!output_open(&out, "out/03_integrators/energy.csv", why)) return 0;
    fprintf(out.file, "time_s,bdf2_10ms_J,euler_10ms_J,euler_1.25ms_J\n");
    for (i = 0; i < FRAMES; i++)
        fprintf(out.file, "%.6g,%.6g,%.6g,%.6g\n", series[0].x[i], series[0].y[i], series[1].y[i],
                series[2].y[i]);
    return output_close(&out, why) && plot_write_svg("out/03_integrators/energy.svg", &p, why);
}

int main(void)
{
    shape_desc desc = shape_defaults(SHAPE_GRID);
    sim_shape shape = {0};
    record r[RUNS] = {{0}};
    failure why;
    int i, is_fine;
    desc.columns = desc.rows = CELLS;
    is_fine =
        files_make_directory("out/03_integrators", &why) && sim_shape_build(&shape, &desc, &why);
    if (is_fine) place(&shape);
    for (i = 0; is_fine && i < RUNS; i++)
        is_fine = record_init(&r[i], FRAMES, &why) && run(&shape, i, &r[i], &why);
    if (is_fine) print_table(r);
    is_fine = is_fine && write_files(r, &why);
    if (is_fine)
        printf("\nwrote out/03_integrators/energy.svg, energy.csv\n");
    else
        fprintf(stderr, "03_integrators: %s\n", why.text);
    for (i = 0; i < RUNS; i++) record_free(&r[i]);
    sim_shape_free(&shape);
    return is_fine ? 0 : 1;
}
