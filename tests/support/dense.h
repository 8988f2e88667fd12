/* Dense linear algebra for tests, simple and slow: rows of doubles. */
#ifndef TEST_DENSE_H
#define TEST_DENSE_H

#include <math.h>

typedef struct dense {
    int rows, columns;
    double *a; /* (rows, columns) */
} dense;

static dense dense_new(int rows, int columns)
{
    dense m;
    m.rows = rows;
    m.columns = columns;
    m.a = (double *)calloc((size_t)rows * (size_t)columns + 1, sizeof(double));
    return m;
}

static double *dense_at(const dense *m, int i, int j)
{
    return m->a + (size_t)i * (size_t)m->columns + (size_t)j;
}

static dense dense_of_sparse(const dc_sparse *s)
{
    dense m = dense_new(s->row_count, s->column_count);
    dc_index i, p;
    for (i = 0; i < s->row_count; i++)
        for (p = s->start[i]; p < s->start[i + 1]; p++)
            *dense_at(&m, i, s->column[p]) += (double)s->value[p];
    return m;
}

/* The singular values of m, descending, by one-sided Jacobi rotations on its columns (or rows, if
   there are fewer of them). Destroys m. values has room for min(rows, columns). */
static int dense_singular_values(dense *m, double *values)
{
    int n, length, i, j, k, sweep, count;
    dense t = *m;
    if (m->columns > m->rows) { /* work on the transposed */
        t = dense_new(m->columns, m->rows);
        for (i = 0; i < m->rows; i++)
            for (j = 0; j < m->columns; j++) *dense_at(&t, j, i) = *dense_at(m, i, j);
    }
    n = t.columns;
    length = t.rows;
    for (sweep = 0; sweep < 60; sweep++) {
        double largest = 0;
        for (i = 0; i < n; i++)
            for (j = i + 1; j < n; j++) {
                double aa = 0, bb = 0, ab = 0, zeta, tangent, c, s;
                for (k = 0; k < length; k++) {
                    double x = *dense_at(&t, k, i), y = *dense_at(&t, k, j);
                    aa += x * x, bb += y * y, ab += x * y;
                }
                if (fabs(ab) <= 1e-15 * sqrt(aa * bb) || ab == 0) continue;
                if (fabs(ab) / sqrt(aa * bb) > largest) largest = fabs(ab) / sqrt(aa * bb);
                zeta = (bb - aa) / (2 * ab);
                tangent = (zeta >= 0 ? 1 : -1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
                c = 1 / sqrt(1 + tangent * tangent);
                s = c * tangent;
                for (k = 0; k < length; k++) {
                    double x = *dense_at(&t, k, i), y = *dense_at(&t, k, j);
                    *dense_at(&t, k, i) = c * x - s * y;
                    *dense_at(&t, k, j) = s * x + c * y;
                }
            }
        if (largest < 1e-14) break;
    }
    for (i = 0; i < n; i++) {
        double sum = 0;
        for (k = 0; k < length; k++) sum += *dense_at(&t, k, i) * *dense_at(&t, k, i);
        values[i] = sqrt(sum);
    }
    for (i = 0; i < n; i++)
        for (j = i + 1; j < n; j++)
            if (values[j] > values[i]) {
                double swap = values[i];
                values[i] = values[j];
                values[j] = swap;
            }
    count = n;
    if (t.a != m->a) free(t.a);
    return count;
}

/* Singular values above `part` of the largest. Destroys m. */
static int dense_rank(dense *m, double part)
{
    int count = m->rows < m->columns ? m->rows : m->columns, i, rank = 0;
    double *values = (double *)malloc((size_t)(count + 1) * sizeof(double));
    count = dense_singular_values(m, values);
    for (i = 0; i < count; i++) rank += values[i] > part * values[0];
    free(values);
    return rank;
}

/* Solves a x = b in place by elimination with pivots; returns 0 if it is singular. */
static int dense_solve(dense *m, double *b)
{
    int n = m->rows, i, j, k;
    for (k = 0; k < n; k++) {
        int pivot = k;
        for (i = k + 1; i < n; i++)
            if (fabs(*dense_at(m, i, k)) > fabs(*dense_at(m, pivot, k))) pivot = i;
        if (*dense_at(m, pivot, k) == 0) return 0;
        for (j = 0; j < n; j++) {
            double swap = *dense_at(m, k, j);
            *dense_at(m, k, j) = *dense_at(m, pivot, j);
            *dense_at(m, pivot, j) = swap;
        }
        {
            double swap = b[k];
            b[k] = b[pivot];
            b[pivot] = swap;
        }
        for (i = k + 1; i < n; i++) {
            double factor = *dense_at(m, i, k) / *dense_at(m, k, k);
            for (j = k; j < n; j++) *dense_at(m, i, j) -= factor * *dense_at(m, k, j);
            b[i] -= factor * b[k];
        }
    }
    for (i = n - 1; i >= 0; i--) {
        for (j = i + 1; j < n; j++) b[i] -= *dense_at(m, i, j) * b[j];
        b[i] /= *dense_at(m, i, i);
    }
    return 1;
}

#endif
