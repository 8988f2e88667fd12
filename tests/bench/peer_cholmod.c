#define _POSIX_C_SOURCE 199309L /* clock_gettime() */
#include "peer.h"

#include <stdlib.h>
#include <string.h>
#include <suitesparse/cholmod.h>
#include <time.h>

/* OpenBLAS, without its header: that one is in different places. */
void openblas_set_num_threads(int count);
void dgemm_(const char *turn_a, const char *turn_b, const int *m, const int *n, const int *k,
            const double *alpha, const double *a, const int *stride_a, const double *b,
            const int *stride_b, const double *beta, double *c, const int *stride_c);

typedef struct cholmod_peer {
    cholmod_common common;
    cholmod_sparse matrix; /* points into the caller's arrays */
    cholmod_factor *factor;
    cholmod_dense *x, *work_y, *work_e; /* kept, so that a solve allocates nothing */
} cholmod_peer;

static void close_cholmod(void *solver)
{
    cholmod_peer *s = (cholmod_peer *)solver;
    cholmod_free_factor(&s->factor, &s->common);
    cholmod_free_dense(&s->x, &s->common);
    cholmod_free_dense(&s->work_y, &s->common);
    cholmod_free_dense(&s->work_e, &s->common);
    cholmod_finish(&s->common);
    free(s);
}

/* Rows of the lower triangle are columns of the upper one, which is also the half that CHOLMOD
   permutes faster. */
static void point_to(cholmod_sparse *matrix, const peer_matrix *a)
{
    memset(matrix, 0, sizeof *matrix);
    matrix->nrow = matrix->ncol = (size_t)a->n;
    matrix->nzmax = (size_t)a->start[a->n];
    matrix->p = (void *)a->start;
    matrix->i = (void *)a->column;
    matrix->x = (void *)a->value;
    matrix->stype = 1;
    matrix->itype = CHOLMOD_INT;
    matrix->xtype = CHOLMOD_REAL;
    matrix->dtype = CHOLMOD_DOUBLE;
    matrix->packed = 1;
}

static void *open_cholmod(const peer_matrix *a, peer_ordering ordering, const int *order,
                          peer_analysis *analysis)
{
    static const int METHOD[3] = {CHOLMOD_AMD, CHOLMOD_METIS, CHOLMOD_GIVEN};
    cholmod_peer *s = (cholmod_peer *)calloc(1, sizeof *s);
    if (!s) return NULL;
    openblas_set_num_threads(1);
    cholmod_start(&s->common);
    s->common.print = 0;
    s->common.supernodal = CHOLMOD_SUPERNODAL;
    s->common.nmethods = 1;
    s->common.method[0].ordering = METHOD[ordering];
    s->common.postorder = 1;
    point_to(&s->matrix, a);
    s->factor = cholmod_analyze_p(&s->matrix, ordering == PEER_GIVEN ? (int *)order : NULL, NULL, 0,
                                  &s->common);
    if (!s->factor || s->common.status != CHOLMOD_OK || s->factor->ordering != METHOD[ordering]) {
        close_cholmod(s);
        return NULL;
    }
    analysis->flops = s->common.fl;
    analysis->nonzeros = s->common.lnz;
    return s;
}

static int factor_cholmod(void *solver)
{
    cholmod_peer *s = (cholmod_peer *)solver;
    return cholmod_factorize(&s->matrix, s->factor, &s->common) && s->common.status == CHOLMOD_OK;
}

static void solve_cholmod(void *solver, const double *b, double *x)
{
    cholmod_peer *s = (cholmod_peer *)solver;
    cholmod_dense rhs;
    memset(&rhs, 0, sizeof rhs);
    rhs.nrow = rhs.d = rhs.nzmax = s->matrix.nrow;
    rhs.ncol = 1;
    rhs.x = (void *)b;
    rhs.xtype = CHOLMOD_REAL;
    rhs.dtype = CHOLMOD_DOUBLE;
    cholmod_solve2(CHOLMOD_A, s->factor, &rhs, NULL, &s->x, NULL, &s->work_y, &s->work_e,
                   &s->common);
    memcpy(x, s->x->x, s->matrix.nrow * sizeof *x);
}

const peer peer_cholmod = {open_cholmod, factor_cholmod, solve_cholmod, close_cholmod};

/* Processor time of all threads, as the contenders are timed. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double peer_dgemm_rate(int n, int runs)
{
    const double one = 1, zero = 0;
    size_t count = (size_t)n * (size_t)n, i;
    double *a = (double *)malloc(3 * count * sizeof *a), *b = a + count, *c = b + count, best = 0;
    int run;
    if (!a) return 0;
    for (i = 0; i < 3 * count; i++) a[i] = (double)(i % 7);
    openblas_set_num_threads(1);
    for (run = 0; run < runs; run++) {
        double start = now(), rate;
        dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
        rate = 2.0 * n * n * n / (now() - start);
        if (rate > best) best = rate;
    }
    free(a);
    return best;
}
