/* What the groups of the bench share: time, memory, failures, the line of a metric. */
#ifndef BENCH_H
#define BENCH_H

#include "../../devcloth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Processor time of this process, all threads: what else the machine does disturbs it less. */
static double bench_busy(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *bench_alloc(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) {
        fprintf(stderr, "bench: no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return memory;
}

static void bench_fail(const char *doing, const dc_error *error)
{
    fprintf(stderr, "bench: %s: %s: %s\n", doing, error->where, error->what);
    exit(1);
}

static void bench_metric(const char *scene, const char *name, double value, const char *unit)
{
    printf("metric %s.%s %.6g %s\n", scene, name, value, unit);
    fflush(stdout);
}

static int bench_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts; 0 of nothing. */
static double bench_median(double *value, int count)
{
    qsort(value, (size_t)count, sizeof *value, bench_compare);
    return count > 0 ? value[count / 2] : 0;
}

static double bench_mean(const double *value, int count)
{
    double sum = 0;
    int i;
    for (i = 0; i < count; i++) sum += value[i];
    return sum / count;
}

/* How many steps: `usual`, or fewer if the environment's BENCH_STEPS says so. */
static int bench_steps(int usual)
{
    const char *asked = getenv("BENCH_STEPS");
    int steps = asked ? atoi(asked) : usual;
    return steps < 1 || steps > usual ? usual : steps;
}

/* ---- Sizes: sheets of 33, 100, 200 and 400 vertices a side ---- */

enum { BENCH_SIZES = 4 };

typedef struct bench_size {
    const char *name; /* its triangles */
    dc_index cells;   /* a side */
} bench_size;

static const bench_size bench_sizes[BENCH_SIZES] = {
    {"2k", 32}, {"20k", 99}, {"80k", 199}, {"320k", 399}};

/* Logarithm of how many times the triangles of the smallest size the largest has. */
static double bench_size_span(void)
{
    return 2 * log((double)bench_sizes[BENCH_SIZES - 1].cells / bench_sizes[0].cells);
}

/* Whether the environment's list BENCH_SIZES, such as "2k,20k", has it; without a list all are. */
static int bench_wants(const char *size)
{
    const char *list = getenv("BENCH_SIZES");
    size_t length = strlen(size);
    while (list && *list) {
        if (strncmp(list, size, length) == 0 && (list[length] == ',' || !list[length])) return 1;
        list = strchr(list, ',');
        list = list ? list + 1 : "";
    }
    return !list;
}

#endif
