/* How low a sheet can hang at best: a lower bound of sum m_i h_i, h_i the height of vertex i above
   the origin, over all shapes in which no two vertices are further apart than they are in the flat
   sheet. Every isometric shape is one of them, folds of any fineness included, so none lies below.
   The flat sheet has to be convex; else the distance in it is not that of the straight line.

   Strings are tied between pairs i j of vertices, of their flat distance d, and the sheet may do
   all that the strings let it do:

       min sum m_i h_i   with   | x_i - x_j | <= d_ij,   x_a = t_a at the anchors            (1)

   A string can only pull. Whatever the forces f_ij on j towards i, and -f_ij on i, are,
   f_ij . (x_i - x_j) - |f_ij| d_ij <= 0, so that

       sum m_i h_i >= sum m_i h_i + sum f_ij . (x_i - x_j) - sum |f_ij| d_ij
                    = sum r_i . x_i - sum |f_ij| d_ij,   r_i = m_i u + sum_j f_ij - sum_k f_ki   (2)

   where u points up. If the forces balance the weights, r_i = 0 at every free vertex, then what is
   left is known: r_a . t_a at the anchors. If not, another string from i to an anchor a takes up
   the rest, with the force -r_i, which turns r_i . x_i into r_i . t_a - |r_i| d_ia. So any forces
   give a bound, without any tolerance but the rounding of (2), 1e-16 of its terms; good forces give
   a good one.

   They come from elastic strings: the minimum of

       phi = sum m_i h_i + 1/(2 kappa) sum max(0, l - d)^2 / d,    l = |x_i - x_j|            (3)

   balances the weights with forces (l - d) / (kappa d). It is convex, and Newton's method finds it.
   kappa, the strain under the weight of one vertex, sinks from stage to stage, and (2) rises
   towards (1): what it lacks is at most a fifth of the largest strain, as a part of the fall.
   Strings go from every vertex to all within `reach`, and to all anchors. On an even grid a reach
   of 3.7 cells has all directions (1, 0), (1, 1), (2, 1), (3, 1), (3, 2) and their mirror images,
   and lies .1% of the fall below that of all pairs. */
#ifndef TEST_DRAPE_BOUND_H
#define TEST_DRAPE_BOUND_H

typedef struct bound_sheet {
    dc_index vertex_count;
    const dc_vec2 *flat;           /* (vertex_count) [m] of a convex sheet                        */
    const double *weight;          /* (vertex_count) m_i                                          */
    const dc_anchor_desc *anchors; /* (anchor_count) at least one                                 */
    dc_index anchor_count;
    double up[3]; /* of length 1                                                              */
    double reach; /* [m] of strings                                                           */
} bound_sheet;

typedef struct bound_result {
    double bound;   /* [m]                                                                    */
    double charged; /* [m] part of it: what the forces lacked in balance, at most 0 but for
                       anchors that are out of reach                                          */
    double strain;  /* the largest of a string in the end                                     */
    int iterations; /* of Newton's method                                                     */
} bound_result;

/* Not between two anchors. */
typedef struct bound_string {
    dc_index first, second; /* vertices; the second is free                                     */
    dc_index place;         /* where its three columns begin in the rows of its later end       */
    double length;          /* [m]                                                              */
} bound_string;

typedef struct bound_solver {
    const bound_sheet *sheet;
    dc_index *row_of_vertex; /* (vertex_count) among the free ones; DC_NONE: an anchor            */
    dc_index free_count;
    bound_string *string; /* (string_count)                                                      */
    dc_index string_count;
    double kappa;
    double *x, *trial, *gradient, *step; /* (vertex_count, 3)                                     */
    dc_sparse hessian; /* (3 free_count, 3 free_count) lower triangle                           */
    dc_real *rhs;      /* (free_count, 3)                                                       */
    void *scratch, *memory;
    dc_cholesky *cholesky;
} bound_solver;

/* Forces that balance the weights to this part of the mean weight are good enough: what is charged
   for the rest stays below that part of sum m_i d_ia. */
static const double BOUND_BALANCE = 1e-5;
static const double BOUND_STRAIN = 1e-3; /* of the strings in the end: (2) is .02% below (1) then */
static const double BOUND_KAPPA = 3e-2;  /* to begin with                                         */
static const double BOUND_SOFTENED = 8;  /* by which kappa sinks from stage to stage              */
enum { BOUND_STAGES = 8, BOUND_ITERATIONS = 100 }; /* at most, and in each of them at most        */

/* ---- Strings ---- */

static double bound_distance(const bound_sheet *s, dc_index i, dc_index j)
{
    double dx = (double)s->flat[i].x - (double)s->flat[j].x;
    double dy = (double)s->flat[i].y - (double)s->flat[j].y;
    return sqrt(dx * dx + dy * dy);
}

static int bound_is_tied(const bound_solver *b, dc_index i, dc_index j)
{
    if (b->row_of_vertex[j] == DC_NONE) return 0;
    if (b->row_of_vertex[i] == DC_NONE) return 1;
    return i < j && bound_distance(b->sheet, i, j) <= b->sheet->reach;
}

static void bound_tie(bound_solver *b)
{
    dc_index n = b->sheet->vertex_count, i, j, count = 0;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) count += bound_is_tied(b, i, j);
    b->string = (bound_string *)test_alloc((size_t)count * sizeof(bound_string));
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            bound_string *s = &b->string[b->string_count];
            if (!bound_is_tied(b, i, j)) continue;
            s->first = i;
            s->second = j;
            s->length = bound_distance(b->sheet, i, j);
            b->string_count++;
        }
}

/* r = x_first - x_second, and its length. */
static double bound_along(const bound_string *s, const double *x, double r[3])
{
    int a;
    for (a = 0; a < 3; a++) r[a] = x[3 * s->first + a] - x[3 * s->second + a];
    return sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
}

/* ---- phi of (3) and its derivatives ---- */

static double bound_energy(const bound_solver *b, const double *x)
{
    double sum = 0, r[3];
    dc_index i, k;
    for (i = 0; i < 3 * b->sheet->vertex_count; i++)
        sum += b->sheet->weight[i / 3] * b->sheet->up[i % 3] * x[i];
    for (k = 0; k < b->string_count; k++) {
        const bound_string *s = &b->string[k];
        double over = bound_along(s, x, r) - s->length;
        if (over > 0) sum += over * over / (2 * b->kappa * s->length);
    }
    return sum;
}

/* The gradient, at anchors too: the r_i of (2) with the forces of the strings. */
static void bound_differentiate(bound_solver *b)
{
    dc_index i, k;
    int a;
    for (i = 0; i < 3 * b->sheet->vertex_count; i++)
        b->gradient[i] = b->sheet->weight[i / 3] * b->sheet->up[i % 3];
    for (k = 0; k < b->string_count; k++) {
        const bound_string *s = &b->string[k];
        double r[3], l = bound_along(s, b->x, r), over = l - s->length;
        if (!(over > 0)) continue;
        for (a = 0; a < 3; a++) {
            double f = over / (b->kappa * s->length) * r[a] / l;
            b->gradient[3 * s->first + a] += f;
            b->gradient[3 * s->second + a] -= f;
        }
    }
}

/* The rows of both ends among the free ones, in order; `early` is DC_NONE if one end is held. */
static void bound_rows(const bound_solver *b, const bound_string *s, dc_index *late,
                       dc_index *early)
{
    dc_index i = b->row_of_vertex[s->first], j = b->row_of_vertex[s->second];
    *late = i > j ? i : j;
    *early = i > j ? j : i;
}

/* Columns of row 3 i + a: three for each string to an earlier row, in the strings' order, then
   3 i to 3 i + a. */
static void bound_columns(bound_solver *b, const dc_index *ties)
{
    dc_index *column = b->hessian.column, *start = b->hessian.start, late, early, i, k, a, c;
    for (i = 0; i < 3 * b->free_count; i++)
        for (a = 0; a <= i % 3; a++) column[start[i] + 3 * ties[i / 3] + a] = i - i % 3 + a;
    for (k = 0; k < b->string_count; k++) {
        bound_rows(b, &b->string[k], &late, &early);
        if (early == DC_NONE) continue;
        for (a = 0; a < 3; a++)
            for (c = 0; c < 3; c++)
                column[start[3 * late + a] + b->string[k].place + c] = 3 * early + c;
    }
}

static void bound_pattern(bound_solver *b)
{
    dc_index n = 3 * b->free_count, *ties, late, early, i, k;
    ties = (dc_index *)test_alloc((size_t)n * sizeof(dc_index));
    for (k = 0; k < b->string_count; k++) {
        bound_rows(b, &b->string[k], &late, &early);
        if (early != DC_NONE) b->string[k].place = 3 * ties[late]++;
    }
    b->hessian.row_count = b->hessian.column_count = n;
    b->hessian.start = (dc_index *)test_alloc((size_t)(n + 1) * sizeof(dc_index));
    for (i = 0; i < n; i++)
        b->hessian.start[i + 1] = b->hessian.start[i] + 3 * ties[i / 3] + i % 3 + 1;
    b->hessian.column = (dc_index *)test_alloc((size_t)b->hessian.start[n] * sizeof(dc_index));
    b->hessian.value = (dc_real *)test_alloc((size_t)b->hessian.start[n] * sizeof(dc_real));
    bound_columns(b, ties);
    free(ties);
}

/* Adds to the diagonal block of a row. */
static void bound_add_diagonal(bound_solver *b, dc_index row, double block[3][3])
{
    int a, c;
    if (row == DC_NONE) return;
    for (a = 0; a < 3; a++)
        for (c = 0; c <= a; c++)
            b->hessian.value[b->hessian.start[3 * row + a + 1] - 1 - a + c] += (dc_real)block[a][c];
}

/* A taut string is a spring along itself, and holds across itself by its force. */
static void bound_add_string(bound_solver *b, const bound_string *s)
{
    double r[3], block[3][3], l = bound_along(s, b->x, r);
    double along = 1 / (b->kappa * s->length), across = along * (l - s->length) / l;
    dc_index late, early;
    int a, c;
    if (!(l > s->length)) return;
    for (a = 0; a < 3; a++)
        for (c = 0; c < 3; c++)
            block[a][c] = (a == c ? across : 0.0) + (along - across) * r[a] * r[c] / (l * l);
    bound_add_diagonal(b, b->row_of_vertex[s->first], block);
    bound_add_diagonal(b, b->row_of_vertex[s->second], block);
    bound_rows(b, s, &late, &early);
    if (early == DC_NONE) return;
    for (a = 0; a < 3; a++)
        for (c = 0; c < 3; c++)
            b->hessian.value[b->hessian.start[3 * late + a] + s->place + c] -= (dc_real)block[a][c];
}

/* The Hessian; `damping` holds what no taut string does. */
static void bound_assemble(bound_solver *b, double damping)
{
    dc_index n = 3 * b->free_count, i, k;
    memset(b->hessian.value, 0, (size_t)b->hessian.start[n] * sizeof(dc_real));
    for (i = 0; i < n; i++) b->hessian.value[b->hessian.start[i + 1] - 1] = (dc_real)damping;
    for (k = 0; k < b->string_count; k++) bound_add_string(b, &b->string[k]);
}

/* ---- Newton's method ---- */

/* Straight below the nearest anchor, where strings are far from too long. */
static void bound_place(bound_solver *b, dc_index i)
{
    const bound_sheet *s = b->sheet;
    const dc_vec3 *t = &s->anchors[0].target;
    double least = bound_distance(s, i, s->anchors[0].vertex);
    dc_index k;
    for (k = 1; k < s->anchor_count; k++) {
        double d = bound_distance(s, i, s->anchors[k].vertex);
        if (!(d < least)) continue;
        least = d;
        t = &s->anchors[k].target;
    }
    b->x[3 * i] = (double)t->x - least * s->up[0];
    b->x[3 * i + 1] = (double)t->y - least * s->up[1];
    b->x[3 * i + 2] = (double)t->z - least * s->up[2];
}

static bound_solver bound_open(const bound_sheet *sheet)
{
    size_t bytes, n = (size_t)sheet->vertex_count;
    dc_cholesky_desc desc = dc_cholesky_defaults();
    dc_cholesky_symbolic symbolic;
    bound_solver b;
    dc_index i, k;
    memset(&b, 0, sizeof b);
    b.sheet = sheet;
    b.row_of_vertex = (dc_index *)test_alloc(n * sizeof(dc_index));
    b.x = (double *)test_alloc(3 * n * sizeof(double));
    b.trial = (double *)test_alloc(3 * n * sizeof(double));
    b.gradient = (double *)test_alloc(3 * n * sizeof(double));
    b.step = (double *)test_alloc(3 * n * sizeof(double));
    b.rhs = (dc_real *)test_alloc(3 * n * sizeof(dc_real));
    for (k = 0; k < sheet->anchor_count; k++) b.row_of_vertex[sheet->anchors[k].vertex] = DC_NONE;
    for (i = 0; i < sheet->vertex_count; i++) {
        if (b.row_of_vertex[i] != DC_NONE) b.row_of_vertex[i] = b.free_count++;
        bound_place(&b, i);
    }
    bound_tie(&b);
    bound_pattern(&b);
    bytes = dc_cholesky_scratch_bytes(3 * b.free_count, b.hessian.start[3 * b.free_count]);
    b.scratch = test_alloc(bytes);
    CHECK(dc_cholesky_plan(&b.hessian, &desc, b.scratch, bytes, &symbolic, NULL) == DC_OK);
    b.memory = test_alloc(symbolic.bytes);
    CHECK(dc_cholesky_init(&symbolic, b.memory, symbolic.bytes, &b.cholesky, NULL) == DC_OK);
    return b;
}

static void bound_close(bound_solver *b)
{
    free(b->row_of_vertex), free(b->string), free(b->rhs);
    free(b->x), free(b->trial), free(b->gradient), free(b->step);
    free(b->hessian.start), free(b->hessian.column), free(b->hessian.value);
    free(b->scratch), free(b->memory);
}

/* The largest component of a force out of balance at a free vertex. */
static double bound_unbalanced(const bound_solver *b)
{
    double most = 0;
    dc_index i;
    for (i = 0; i < 3 * b->sheet->vertex_count; i++)
        if (b->row_of_vertex[i / 3] != DC_NONE) most = fmax(most, fabs(b->gradient[i]));
    return most;
}

/* (H + damping) step = -gradient; 0 if rounding makes that singular. */
static int bound_solve(bound_solver *b, double damping)
{
    dc_index i, row;
    bound_assemble(b, damping);
    if (dc_cholesky_factor(b->cholesky, b->hessian.value, 0, DC_PIVOTS_REFUSE, NULL) != DC_OK)
        return 0;
    for (i = 0; i < 3 * b->sheet->vertex_count; i++) {
        row = b->row_of_vertex[i / 3];
        if (row != DC_NONE) b->rhs[3 * row + i % 3] = (dc_real)-b->gradient[i];
    }
    dc_cholesky_solve(b->cholesky, 1, b->rhs, b->rhs);
    for (i = 0; i < 3 * b->sheet->vertex_count; i++) {
        row = b->row_of_vertex[i / 3];
        if (row != DC_NONE) b->step[i] = (double)b->rhs[3 * row + i % 3];
    }
    return 1;
}

/* Goes as far along the step as phi sinks enough, by Armijo's rule; tells which part that is. */
static double bound_search(bound_solver *b)
{
    double before = bound_energy(b, b->x), slope = 0, part;
    dc_index i, n = 3 * b->sheet->vertex_count;
    for (i = 0; i < n; i++) slope += b->gradient[i] * b->step[i];
    for (part = 1; part > 1e-6; part /= 2) {
        double *now = b->x;
        for (i = 0; i < n; i++) b->trial[i] = b->x[i] + part * b->step[i];
        if (!(bound_energy(b, b->trial) <= before + 1e-4 * part * slope)) continue;
        b->x = b->trial;
        b->trial = now;
        return part;
    }
    return 0;
}

/* Minimises phi; leaves its gradient; tells in how many iterations. */
static int bound_minimise(bound_solver *b)
{
    double stiffness = 1 / (b->kappa * b->sheet->reach), damping = 1e-3, part;
    int k;
    for (k = 0; k < BOUND_ITERATIONS; k++) {
        bound_differentiate(b);
        if (bound_unbalanced(b) <= BOUND_BALANCE) return k;
        part = bound_solve(b, damping * stiffness) ? bound_search(b) : 0;
        if (part == 1) damping = fmax(damping / 4, TOL(1e-9, 1e-6));
        if (part < 0.25) damping *= 4;
        if (damping > 1) break; /* phi is at its minimum but for rounding */
    }
    bound_differentiate(b);
    return k;
}

/* ---- (2) ---- */

/* r_i . x_i at least, by a string to the anchor that does best. */
static double bound_charge(const bound_solver *b, dc_index i)
{
    const double *r = b->gradient + 3 * i;
    double force = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]), best = 0;
    dc_index k;
    for (k = 0; k < b->sheet->anchor_count; k++) {
        const dc_vec3 *t = &b->sheet->anchors[k].target;
        double charge = r[0] * (double)t->x + r[1] * (double)t->y + r[2] * (double)t->z;
        charge -= force * bound_distance(b->sheet, i, b->sheet->anchors[k].vertex);
        if (k == 0 || charge > best) best = charge;
    }
    return best;
}

/* With the forces that the strings have now, in whatever shape that is. */
static bound_result bound_evaluate(const bound_solver *b)
{
    bound_result result = {0, 0, 0, 0};
    double r[3];
    dc_index i, k;
    for (i = 0; i < b->sheet->vertex_count; i++)
        if (b->row_of_vertex[i] != DC_NONE) result.charged += bound_charge(b, i);
    result.bound = result.charged;
    for (k = 0; k < b->sheet->anchor_count; k++) {
        const double *reaction = b->gradient + 3 * b->sheet->anchors[k].vertex;
        const dc_vec3 *t = &b->sheet->anchors[k].target;
        result.bound += reaction[0] * (double)t->x + reaction[1] * (double)t->y;
        result.bound += reaction[2] * (double)t->z;
    }
    for (k = 0; k < b->string_count; k++) {
        double over = bound_along(&b->string[k], b->x, r) - b->string[k].length;
        if (!(over > 0)) continue;
        result.bound -= over / b->kappa; /* |f| d */
        result.strain = fmax(result.strain, over / b->string[k].length);
    }
    return result;
}

/* The bound. If the strain does not come down to BOUND_STRAIN, anchors are further apart than the
   sheet reaches, and the bound has no limit. */
static bound_result drape_bound(const bound_sheet *sheet)
{
    bound_solver b = bound_open(sheet);
    bound_result result = {0, 0, 1, 0};
    int stage, iterations = 0;
    b.kappa = BOUND_KAPPA;
    for (stage = 0; stage < BOUND_STAGES && result.strain > BOUND_STRAIN; stage++) {
        iterations += bound_minimise(&b);
        result = bound_evaluate(&b);
        b.kappa /= BOUND_SOFTENED;
    }
    result.iterations = iterations;
    bound_close(&b);
    return result;
}

/* The weights of dc_drape_report.potential: a third of the area of each triangle around a vertex,
   by the mean over all vertices. */
static void bound_weigh(const dc_mesh_desc *mesh, const dc_vec2 *flat, double *weight)
{
    double total = 0;
    dc_index t, c, i;
    for (i = 0; i < mesh->vertex_count; i++) weight[i] = 0;
    for (t = 0; t < mesh->triangle_count; t++) {
        const dc_index *v = mesh->triangles + 3 * t;
        double abx = (double)flat[v[1]].x - (double)flat[v[0]].x,
               aby = (double)flat[v[1]].y - (double)flat[v[0]].y,
               acx = (double)flat[v[2]].x - (double)flat[v[0]].x,
               acy = (double)flat[v[2]].y - (double)flat[v[0]].y,
               area = fabs(abx * acy - aby * acx) / 2;
        for (c = 0; c < 3; c++) weight[v[c]] += area / 3;
        total += area;
    }
    for (i = 0; i < mesh->vertex_count; i++) weight[i] *= mesh->vertex_count / total;
}

#endif
