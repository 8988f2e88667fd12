/* Prints tests/newton_table.md, for the three systems of Newton's method (chapters 25 and 26):
   sizes, times and iterations. `make newton-table`, some minutes; `build/newton_table CELLS...` for
   some sizes alone. */
#define _POSIX_C_SOURCE 199309L /* clock_gettime() */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

#define DEVCLOTH_IMPLEMENTATION
#include "../devcloth.h"

#include "bench/bench.h"
#include "support/meshes.h"
#include "support/worlds.h"

/* Bending [N m] and step [s]. */
static const struct {
    const char *name;
    double bending, dt;
} cases[] = {{"k 1e-5, 2 ms", 1e-5, 0.002},
             {"k .1, 2 ms", 0.1, 0.002},
             {"k .1, 1/60 s", 0.1, 1.0 / 60},
             {"k 10, 1/60 s", 10, 1.0 / 60}};
enum { CASES = sizeof cases / sizeof *cases };

static const char *const names[4] = {"", "null space", "symmetric positive definite", "primal"};

static const double START = 0.2;      /* [s] before the clock runs: the sheet is on its way down */
static const double BUDGET = 3;       /* [s] of processor time for one cell of the table         */
static const double FLOPS_MAX = 1e11; /* of a factorisation; what takes more is only planned     */
enum { STEPS = 20, STEPS_MIN = 2 };

/* A sheet of 1 m, horizontal, hung by two corners. */
static fixture hung(int cells, dc_newton_system system, int c)
{
    static dc_index pins[2];
    fixture f = fixture_begin();
    dc_index v;
    fixture_grid(&f, cells, cells);
    pins[1] = cells;
    for (v = 0; v < f.cloth.mesh.vertex_count; v++)
        f.positions[v] = dci_vec(f.positions[v].x, 0, -f.positions[v].y);
    f.cloth.pin_vertices = pins;
    f.cloth.pin_count = 2;
    f.cloth.projection = DC_PROJECTION_COUPLED;
    f.cloth.newton_system = system;
    f.cloth.bending = (dc_real)cases[c].bending;
    if (fixture_plan(&f) != DC_OK) bench_fail("plan", &f.error);
    return f;
}

static void open(fixture *f)
{
    f->memory = test_alloc(f->plan.bytes);
    if (dc_world_init(&f->plan, f->memory, f->plan.bytes, &f->world, &f->error) != DC_OK)
        bench_fail("init", &f->error);
}

/* Steps from the start's state: milliseconds a step, Newton iterations a step, inner ones for each
   of these. */
static void print_steps(fixture *f, const fixture *start, double dt)
{
    dci_cloth *to = fixture_cloth(f), *from = fixture_cloth(start);
    double newton = 0, inner = 0, busy = bench_busy(), seconds = 0;
    int i;
    dci_state_copy(&to->state, &from->state, to->element.particle_count, to->rows.count);
    for (i = 0; i < STEPS && (i < STEPS_MIN || seconds < BUDGET); i++) {
        if (fixture_step(f, dt) != DC_OK) bench_fail("step", &f->error);
        newton += (double)f->report.newton_iterations;
        inner += (double)f->report.cg_iterations;
        seconds = bench_busy() - busy;
    }
    printf(" %.3g (%.1f, %.0f) |", 1e3 * seconds / i, newton / i, newton > 0 ? inner / newton : 0);
    fflush(stdout);
}

static const dc_cholesky_symbolic *factor_of(const fixture *f, dc_newton_system system)
{
    const dci_cloth_plan *plan = f->plan.world->cloth;
    return system == DC_NEWTON_NULL_SPACE ? &plan->dual : &plan->system_factor;
}

static void print_row(int cells, dc_newton_system system, const fixture *starts)
{
    int c, is_large = 0;
    for (c = 0; c < CASES && !is_large; c++) {
        fixture f = hung(cells, system, c);
        const dc_cholesky_symbolic *factor = factor_of(&f, system);
        is_large = factor->flops > FLOPS_MAX;
        if (c == 0)
            printf("| %d | %s | %.1f | %.3g | %.3g | %.3g |", cells, names[system],
                   1e-3 * factor->n, 1e-6 * factor->factor_nonzeros, 1e-9 * factor->flops,
                   1e-6 * (double)f.plan.bytes);
        if (!is_large) {
            open(&f);
            print_steps(&f, &starts[c], cases[c].dt);
        }
        fixture_close(&f);
    }
    printf("%s\n", is_large ? " | | | |" : "");
}

/* The sheet under way, by the null space. */
static fixture started(int cells, int c)
{
    fixture f = hung(cells, DC_NEWTON_NULL_SPACE, c);
    int i, steps = (int)(START / cases[c].dt + 0.5);
    open(&f);
    for (i = 0; i < steps; i++)
        if (fixture_step(&f, cases[c].dt) != DC_OK) bench_fail("start", &f.error);
    return f;
}

static void print_size(int cells)
{
    fixture starts[CASES];
    int c, system;
    for (c = 0; c < CASES; c++) starts[c] = started(cells, c);
    for (system = DC_NEWTON_NULL_SPACE; system <= DC_NEWTON_PRIMAL; system++)
        print_row(cells, (dc_newton_system)system, starts);
    for (c = 0; c < CASES; c++) fixture_close(&starts[c]);
}

int main(int argument_count, char **arguments)
{
    int cells, i, c;
    printf("| cells a side | system | rows, thousands | L, million entries | Gflop | MB |");
    for (c = 0; c < CASES; c++) printf(" %s |", cases[c].name);
    printf("\n|");
    for (c = 0; c < 6 + CASES; c++) printf(" --- |");
    printf("\n");
    for (i = 1; i < argument_count; i++) print_size(atoi(arguments[i]));
    for (cells = 8; argument_count < 2 && cells <= 64; cells *= 2) print_size(cells);
    return 0;
}
