/* What fused.sh has to find when the compiler may fuse: one function for each sign and type. */
#define FORMS(real)                                                                                \
    real real##_add(real a, real b, real c)                                                        \
    {                                                                                              \
        return a * b + c;                                                                          \
    }                                                                                              \
    real real##_subtract(real a, real b, real c)                                                   \
    {                                                                                              \
        return a * b - c;                                                                          \
    }                                                                                              \
    real real##_subtract_from(real a, real b, real c)                                              \
    {                                                                                              \
        return c - a * b;                                                                          \
    }                                                                                              \
    real real##_negate(real a, real b, real c)                                                     \
    {                                                                                              \
        return -(a * b) - c;                                                                       \
    }                                                                                              \
    void real##_vectors(int n, real *restrict x, const real *restrict y, real s)                   \
    {                                                                                              \
        int i;                                                                                     \
        for (i = 0; i < n; i++) x[i] += s * y[i];                                                  \
    }                                                                                              \
    void real##_vectors_from(int n, real *restrict x, const real *restrict y, real s)              \
    {                                                                                              \
        int i;                                                                                     \
        for (i = 0; i < n; i++) x[i] -= s * y[i];                                                  \
    }

FORMS(double)
FORMS(float)

/* Pairs that turn, which gcc 12 fuses even if it may not. */
void pairs(int n, double *x, double c, double s)
{
    int i;
    for (i = 0; i < n; i += 2) {
        double a = x[i], b = x[i + 1];
        x[i] = c * a - s * b;
        x[i + 1] = s * a + c * b;
    }
}
