/* Tables of the papers' scenes: a program of examples/papers beside the library's defaults. Each table
   includes a program, with its main() under another name, and prints rows of tests/tables/papers.md. */
#ifndef PAPER_TABLE_H
#define PAPER_TABLE_H

#include <time.h>

static double table_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void table_head(const char *title)
{
    printf("\n## %s\n\n"
           "| scene | form | ms a step | iterations a step | error of lengths | bending [J] | "
           "strain of "
           "the drawn mesh |\n| --- | --- | --- | --- | --- | --- | --- |\n",
           title);
}

/* What the paper tells; "" what it does not. */
static void table_published(const char *scene, const char *time, const char *iterations,
                            const char *error)
{
    printf("| %s | published | %s | %s | %s | | |\n", scene, time, iterations, error);
    fflush(stdout);
}

/* Means over the steps of time and iterations; the largest errors and strains at the ends of steps;
   bending at the end. */
typedef struct table_row {
    double begin, error, bending, strain;
    long steps, iterations;
    const char *stopped; /* why it did not go on, or NULL */
} table_row;

static table_row table_begin(void)
{
    table_row row;
    memset(&row, 0, sizeof row);
    row.begin = table_seconds();
    return row;
}

static void table_print(const table_row *row, const char *scene, const char *form)
{
    double steps = (double)(row->steps > 0 ? row->steps : 1);
    printf("| %s | %s%s%s | %.3g | %.1f | %.1e | %.2e | %.1e |\n", scene, form,
           row->stopped ? ", until " : "", row->stopped ? row->stopped : "",
           1000 * (table_seconds() - row->begin) / steps, (double)row->iterations / steps,
           row->error, row->bending, row->strain);
    fflush(stdout);
}

static dc_world *table_world(const dc_world_desc *desc)
{
    size_t bytes = 0;
    void *memory = NULL;
    dc_world *world;
    dc_error error;
    while (dc_world_init(desc, memory, bytes, &world, NULL, &error) == DC_TOO_SMALL) {
        free(memory);
        bytes = error.needed > 2 * bytes ? error.needed : 2 * bytes;
        memory = paper_memory(bytes);
    }
    if (error.status != DC_OK) {
        fprintf(stderr, "%s: %s\n", error.where, error.what);
        exit(1);
    }
    return world;
}

/* Steps a world of one cloth. */
static void table_run_cloth(dc_world *world, const char *scene, const char *form, int steps,
                            double dt)
{
    table_row row = table_begin();
    dc_report report;
    dc_error error;
    for (row.steps = 0; row.steps < steps && !row.stopped; row.steps++) {
        dc_measures m;
        if (dc_world_step(world, dt, &report, &error) != DC_OK) row.stopped = error.what;
        m = dc_cloth_measure(world, 0);
        row.iterations += report.counters.newton_iterations;
        row.error = fmax(row.error, fmax(report.constraint_error, report.contact_error));
        row.strain = fmax(row.strain, m.strain_max);
        row.bending = m.bending;
    }
    table_print(&row, scene, form);
}

#endif
