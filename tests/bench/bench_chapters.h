/* The seconds of the table at the end of chapter 10: one factorisation of the matrix of a sheet of 100
   x 100 points, in a page of code and in three orders, then by dense blocks. The counts of the table
   are those of a test. */
#ifndef BENCH_CHAPTERS_H
#define BENCH_CHAPTERS_H

#include "../support/reorder.h"
#include "bench.h"

enum { BENCH_SIDE = 100, BENCH_POINTS = BENCH_SIDE * BENCH_SIDE, BENCH_FACTORS = 15 };

typedef struct bench_lower {
    dc_index start[BENCH_POINTS + 1], column[3 * BENCH_POINTS];
    dc_real value[3 * BENCH_POINTS];
    dc_sparse a;
} bench_lower;

static void bench_lower_open(bench_lower *m)
{
    const dc_sparse a = {BENCH_POINTS, BENCH_POINTS, m->start, m->column, m->value};
    m->a = a;
}

/* Neighbours are -1; the diagonal is enough for a positive definite matrix. */
static void bench_lower_sheet(bench_lower *m)
{
    dc_index i, p = 0;
    bench_lower_open(m);
    for (i = 0; i < BENCH_POINTS; i++) {
        m->start[i] = p;
        if (i >= BENCH_SIDE) m->column[p] = i - BENCH_SIDE, m->value[p++] = -1;
        if (i % BENCH_SIDE) m->column[p] = i - 1, m->value[p++] = -1;
        m->column[p] = i, m->value[p++] = (dc_real)4.1;
    }
    m->start[BENCH_POINTS] = p;
}

/* One factorisation by chapter 10 in this order. */
static void bench_small(const char *chapter, const dc_sparse *a, const dc_index *order)
{
    static bench_lower m;
    static dc_index place[BENCH_POINTS];
    double seconds[BENCH_FACTORS];
    void *memory = NULL;
    size_t bytes = 0;
    dc_sparse upper;
    dc_error error;
    int i;
    bench_lower_open(&m);
    reorder(a, order, place, &m.a);
    while (dc_cholesky_small_factor(&m.a, memory, bytes, &upper, &error) == DC_TOO_SMALL) {
        free(memory);
        bytes = error.needed;
        memory = bench_alloc(bytes);
    }
    for (i = 0; i < BENCH_FACTORS; i++) {
        double start = bench_busy();
        if (dc_cholesky_small_factor(&m.a, memory, bytes, &upper, &error) != DC_OK)
            bench_fail("small factor", &error);
        seconds[i] = bench_busy() - start;
    }
    bench_metric("solver", chapter, bench_median(seconds, BENCH_FACTORS), "s");
    free(memory);
}

/* One factorisation by chapter 13, whose plan's order is that of chapter 11. */
static void bench_blocks(const dc_sparse *a, dc_index *order)
{
    size_t bytes = dc_cholesky_scratch_bytes(a->row_count, a->start[a->row_count]);
    void *scratch = bench_alloc(bytes), *memory;
    dc_cholesky_desc desc = dc_cholesky_defaults();
    dc_cholesky_symbolic symbolic;
    dc_cholesky *cholesky;
    dc_error error;
    double seconds[BENCH_FACTORS];
    int i;
    if (dc_cholesky_plan(a, &desc, scratch, bytes, &symbolic, &error) != DC_OK)
        bench_fail("plan", &error);
    memcpy(order, symbolic.analysis->order, (size_t)a->row_count * sizeof *order);
    memory = bench_alloc(symbolic.bytes);
    if (dc_cholesky_init(&symbolic, memory, symbolic.bytes, &cholesky, &error) != DC_OK)
        bench_fail("init", &error);
    for (i = 0; i < BENCH_FACTORS; i++) {
        double start = bench_busy();
        if (dc_cholesky_factor(cholesky, a->value, 0, DC_PIVOTS_REFUSE, &error) != DC_OK)
            bench_fail("factor", &error);
        seconds[i] = bench_busy() - start;
    }
    bench_metric("solver", "chapter_13.seconds", bench_median(seconds, BENCH_FACTORS), "s");
    free(memory);
    free(scratch);
}

static void bench_chapters(void)
{
    static bench_lower m;
    static dc_index order[BENCH_POINTS];
    dc_index k;
    bench_lower_sheet(&m);
    for (k = 0; k < BENCH_POINTS; k++) order[k] = k;
    bench_small("chapter_10.seconds", &m.a, order);
    bench_blocks(&m.a, order);
    bench_small("chapter_11.seconds", &m.a, order);
}

#endif
