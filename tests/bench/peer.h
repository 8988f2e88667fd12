/* Direct solvers behind one interface: those that devcloth is compared with, each in a file of its
   own that is compiled only where its headers are found; and devcloth's, in bench_solver.h. */
#ifndef PEER_H
#define PEER_H

#ifdef __cplusplus
extern "C" {
#endif

/* The lower triangle of a symmetric matrix by rows, columns within a row in any order. The arrays
   must outlive the solver: it may point into them. */
typedef struct peer_matrix {
    int n;
    const int *start, *column; /* (n + 1), (start[n]) */
    const double *value;       /* (start[n]) */
} peer_matrix;

typedef enum peer_ordering {
    PEER_AMD,   /* approximate minimum degree */
    PEER_METIS, /* nested dissection */
    PEER_GIVEN  /* order[k] is eliminated k-th */
} peer_ordering;

/* What the analysis found. One multiplication and one addition are 2 flops: a column of L with c
   entries, its diagonal among them, takes c^2. 0: not told. */
typedef struct peer_analysis {
    double flops, nonzeros;
} peer_analysis;

typedef struct peer {
    /* Orders and analyses; NULL if it cannot. */
    void *(*open)(const peer_matrix *a, peer_ordering ordering, const int *order,
                  peer_analysis *analysis);
    /* 0 if the matrix is not positive definite. */
    int (*factor)(void *solver);
    void (*solve)(void *solver, const double *b, double *x);
    void (*close)(void *solver);
} peer;

/* CHOLMOD's supernodal L L^T on the BLAS it is linked to, one thread. Values that changed in the
   matrix's array are seen by the next factorisation. */
extern const peer peer_cholmod;

/* Flops a second of that BLAS's dgemm for two matrices of n x n: the best of `runs`. */
double peer_dgemm_rate(int n, int runs);

/* Eigen's SimplicialLDLT; AMD alone. Its values are those at the time of open(). */
extern const peer peer_eigen;

#ifdef __cplusplus
}
#endif

#endif
