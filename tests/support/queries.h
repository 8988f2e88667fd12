/* The query sets of [WFC21], which are read where they are and are no part of this project. */
#ifndef TEST_QUERIES_H
#define TEST_QUERIES_H

#include <stdio.h>
#include <stdlib.h>

enum { QUERIES_MAX = 4096, DATA_PATH_MAX = 256 };

typedef struct ccd_query {
    dc_vec3 start[4], end[4];
    int is_edges, contact_rows;
} ccd_query;

/* Eight lines a query: three rationals and the truth. */
static int ccd_read_file(const char *path, int is_edges, ccd_query *queries, int count)
{
    FILE *file = fopen(path, "r");
    char line[1024];
    int row = 0, axis;
    if (!file) return count;
    while (count < QUERIES_MAX && fgets(line, sizeof line, file)) {
        ccd_query *q = &queries[count];
        char *text = line;
        double x[3];
        dc_vec3 p;
        for (axis = 0; axis < 3; axis++) {
            double numerator = strtod(text, &text), denominator = strtod(text + 1, &text);
            x[axis] = numerator / denominator;
            text++;
        }
        p = dci_vec((dc_real)x[0], (dc_real)x[1], (dc_real)x[2]);
        if (row < 4)
            q->start[row] = p;
        else
            q->end[row - 4] = p;
        q->contact_rows = atoi(text);
        q->is_edges = is_edges;
        if (++row == 8) row = 0, count++;
    }
    fclose(file);
    return count;
}

/* queries (QUERIES_MAX); returns how many there are, 0 if the sets are not there. */
static int ccd_read_all(ccd_query *queries)
{
    static const char *const sets[8] = {"erleben-sliding-spike", "erleben-sliding-wedge",
                                        "erleben-spike-crack",   "erleben-spike-wedge",
                                        "erleben-spikes",        "erleben-wedge-crack",
                                        "erleben-wedges",        "unit-tests"};
    char path[DATA_PATH_MAX];
    int set, kind, part, count = 0;
    for (set = 0; set < 8; set++)
        for (kind = 0; kind < 2; kind++)
            for (part = 0; part < 2; part++) {
                snprintf(path, sizeof path, "../shared/data/ccd/%s/%s/data_0_%d.csv", sets[set],
                         kind ? "edge-edge" : "vertex-face", part);
                count = ccd_read_file(path, kind, queries, count);
            }
    return count;
}

#endif
