/* [PHB15]: scenes of its table I. Iterations are those of L-BFGS-B, or Newton's. */
#define main phb15_main
#include "../../examples/papers/phb15.c"
#undef main
#include "paper_table.h"

static dc_vec3 target_at(double time)
{
    double turned = 2 * acos(-1) * fmin(2 * time, 1);
    return vec_make(0, cos(turned), sin(turned));
}

static ribbon start_of(kind what, dc_index n, double h)
{
    ribbon r = what == TWIST ? make_ribbon(n, 0.1, 0.02) : make_ribbon(n, 15, 0.6);
    r.h = h;
    r.stiffness = 100;
    if (what == TWIST) {
        r.gravity = 0;
        r.guide.segment = n - 1;
        r.guide.stiffness = 1;
    }
    if (what == FALL) {
        r.is_floating = 1;
        r.pose[0] = vec_make(0.3, 0.2, acos(-1) / 2);
        r.pose[1] = vec_make(0, 0.3, 0);
    }
    begin(&r);
    if (what == FALL) make_handler(&r);
    return r;
}

static void run_program(kind what, dc_index n, double h, int steps, const char *scene)
{
    ribbon r = start_of(what, n, h);
    table_row row = table_begin();
    for (row.steps = 0; row.steps < steps && !row.stopped; row.steps++) {
        r.guide.target = target_at((double)(row.steps + 1) * h);
        if (!step(&r, 0)) row.stopped = "no step leads on";
    }
    row.iterations = r.count.inner;
    row.error = row.strain = r.count.strain;
    row.bending = bending_energy(&r);
    table_print(&row, scene, "program");
}

static void run_library(kind what, dc_index n, double h, int steps, const char *scene)
{
    ribbon r = start_of(what, n, h);
    dc_world_desc desc = dc_world_defaults();
    dc_ribbon_desc cut = dc_ribbon_defaults();
    dc_attachment_desc guide = dc_attachment_defaults();
    dc_obstacle_desc ground;
    table_row row;
    dc_world *world;
    dc_report report;
    dc_error error;
    dc_vec3 at;
    cut.segment_count = n;
    cut.is_fixed = what != FALL;
    cut.start_creases = r.c + 1;
    cut.start_angles = r.psi + 1;
    cut.origin = vec_scale(0.5, vec_add(r.x[0], r.x[1]));
    cut.along = vec_sub(r.x[2], r.x[0]);
    cut.normal = r.normal[0];
    cut.bending = 2 * ALPHA;
    guide.kind = DC_ATTACH_NORMAL;
    guide.place.x = LENGTH * ((double)n - 0.5) / (double)n;
    guide.target = target_at(0);
    guide.is_soft = 1;
    guide.stiffness = 1;
    if (what == TWIST) cut.attachments = &guide, cut.attachment_count = 1;
    memset(&ground, 0, sizeof ground);
    ground.kind = DC_OBSTACLE_PLANE;
    ground.point[1] = AXIS_Y;
    if (what == FALL) desc.obstacles = &ground, desc.obstacle_count = desc.collides = 1;
    desc.gravity = vec_make(0, -r.gravity, 0);
    desc.ribbons = &cut;
    desc.ribbon_count = 1;
    world = table_world(&desc);
    row = table_begin();
    for (row.steps = 0; row.steps < steps && !row.stopped; row.steps++) {
        at = target_at((double)(row.steps + 1) * h);
        if (what == TWIST) dc_ribbon_set_attachment(world, 0, 0, at, &error);
        if (dc_world_step(world, h, &report, &error) != DC_OK) row.stopped = error.what;
        row.iterations += report.counters.ribbon_iterations;
        memcpy(r.x, dc_body_positions(world, 0), (size_t)(2 * n + 2) * sizeof *r.x);
        memcpy(r.c, dc_ribbon_creases(world, 0), (size_t)(n + 1) * sizeof *r.c);
        row.error = row.strain = fmax(row.strain, largest_strain(&r));
    }
    row.bending = dc_ribbon_measure(world, 0).bending;
    table_print(&row, scene, "library");
}

int main(void)
{
    static const struct {
        kind what;
        const char *name, *time, *iterations;
        double h;
        int n, steps;
    } rows[] = {{UNROLL, "helix, 50 segments, .01 s", "45", "414", 0.01, 50, 100},
                {UNROLL, "helix, 50 segments, .05 s", "120", "439", 0.05, 50, 20},
                {TWIST, "torsion, 50 segments, .01 s", "60", "110", 0.01, 50, 100},
                {FALL, "fall, 50 segments, .01 s", "", "", 0.01, 50, 60},
                {FALL, "fall, 150 segments, .01 s", "3320", "981", 0.01, 150, 60}};
    size_t k;
    table_head("Pan, Huang & Bao 2015");
    for (k = 0; k < sizeof rows / sizeof *rows; k++) {
        if (*rows[k].time) table_published(rows[k].name, rows[k].time, rows[k].iterations, "");
        run_program(rows[k].what, rows[k].n, rows[k].h, rows[k].steps, rows[k].name);
        run_library(rows[k].what, rows[k].n, rows[k].h, rows[k].steps, rows[k].name);
    }
    return 0;
}
