#include "peer.h"

#include <eigen3/Eigen/SparseCholesky>

typedef Eigen::SparseMatrix<double> Matrix;
typedef Eigen::Map<const Eigen::VectorXd> Given;

/* Rows of the lower triangle are columns of the upper one. */
struct EigenPeer {
    Matrix matrix;
    Eigen::SimplicialLDLT<Matrix, Eigen::Upper, Eigen::AMDOrdering<int>> solver;
};

static void *open_eigen(const peer_matrix *a, peer_ordering ordering, const int *, peer_analysis *)
{
    if (ordering != PEER_AMD) return NULL;
    EigenPeer *s = new EigenPeer;
    s->matrix = Eigen::Map<const Matrix>(a->n, a->n, a->start[a->n], a->start, a->column, a->value);
    s->solver.analyzePattern(s->matrix);
    return s;
}

static int factor_eigen(void *solver)
{
    EigenPeer *s = static_cast<EigenPeer *>(solver);
    s->solver.factorize(s->matrix);
    return s->solver.info() == Eigen::Success;
}

static void solve_eigen(void *solver, const double *b, double *x)
{
    EigenPeer *s = static_cast<EigenPeer *>(solver);
    Eigen::Map<Eigen::VectorXd>(x, s->matrix.rows()) = s->solver.solve(Given(b, s->matrix.rows()));
}

static void close_eigen(void *solver)
{
    delete static_cast<EigenPeer *>(solver);
}

extern const peer peer_eigen = {open_eigen, factor_eigen, solve_eigen, close_eigen};
