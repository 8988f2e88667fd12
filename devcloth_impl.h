/*
 * devcloth_impl.h - the implementation of devcloth.h, to be read from top to bottom
 *
 * MIT licence, as in devcloth.h. Included by devcloth.h where DEVCLOTH_IMPLEMENTATION is defined.
 *
 * THE PROBLEM
 *
 * Cloth bends easily and hardly stretches. If a simulator lets it stretch a little, it sags like
 * rubber. If it forbids stretching on an ordinary triangle mesh, the mesh locks: about three edges
 * per vertex put three length constraints on its three coordinates, so it can hardly bend.
 *
 * English and Bridson take the positions of edge midpoints as unknowns, three times as many. Rigid
 * triangles then use two thirds of the degrees of freedom and leave three per vertex for bending.
 * The price: neighbouring triangles are joined only at the midpoint of their common edge.
 *
 *          ______            the sheet as it is simulated: rigid triangles,
 *         /\    /\           hinged on their edge midpoints (o)
 *        /  o--o--\o
 *       /__/_\/____\         the sheet as it is drawn: at each vertex the mean
 *                            of the corners of the triangles around it
 *
 * HOW TO READ THIS
 *
 * From the first page to the last, or along a path. Chapters 2 to 6 are tools to look up.
 *
 *     path             lines  chapters, in this order
 *     hanging sheet    4,200  5 7 9 15 16 17 18 19 20 22 23 24 25 26 42
 *     contact          3,000  5 27 28 29 30 31 32 33 34 35 36 38
 *     contact inside   3,600  21 25 48 49
 *     ribbons          3,900  5 20 44 45 46 47
 *     sparse Cholesky  1,700  9 10 11 12 13
 *
 * The hanging sheet is the core: elements that do not lock, and one time step, [EB08]. The contact
 * path proves that nothing crosses, whatever moved the vertices. Contact inside the step builds on
 * both: its forces, how they are solved for, and the world that calls both. Ribbons are separate:
 * their coordinates cannot describe a stretched strip. Sparse Cholesky is a page of code, chapter
 * 10; a good order makes it 8 times as fast, and dense blocks 3 times more.
 *
 * WHERE TO ADD THINGS
 *
 * Integrators, elements, solvers, stages and kinds of bodies are rows of constant tables.
 *
 *     an integrator    its numbers and a row in dci_integrators (20); its name in dc_integrator
 *     a force          its coefficient in dc_cloth_desc and dci_cloth_entries (41), or in
 *                      dc_world_desc, dci_world_entries and dci_world_build() (49), and if it can
 *                      be set between steps in dci_world_fields. As rows of an energy, damped like
 *                      those of bending or of jumps: dci_energy_bound(), dci_energy_build() (17).
 *                      On nodes: dci_step_load() (22), and for settling dci_cloth_add_motion()
 *                      (43). If it acts on black nodes, too, dci_step_load_black(), and if it
 *                      changes with the velocity, as drag does, dci_step_inertia() (22)
 *     an element on    its map to vertices and a row in dci_elements (15); its energy (17), or its
 *     edge midpoints   rows in dci_rows (18) and dci_plan_rows() (41); its name in dc_element and
 *                      dci_cloth_entries (41). If it is not drawn as the ghost mesh:
 *                      dci_cloth_find_step(), dci_cloth_weigh() (43)
 *     a linear solver  six functions and a row in dci_solvers (41); its name in dc_linear_solver
 *     a stage          its chapter, a row in dci_stages (38), its counts in dc_report; for drapes,
 *                      dci_drape_certify() (51)
 *     a kind of body   see chapter 40
 *
 * THE PLAN OF THE BOOK
 *
 *     tools            1 Platform  2 Status  3 Memory  4 Numbers  5 Vectors  6 Lists
 *     meshes           7 Mesh  8 Grid
 *     linear algebra   9 Sparse  10 Cholesky in a page  11 Nested dissection
 *                      12 Elimination tree  13 Cholesky  14 Conjugate gradients
 *     physics          15 Elements  16 Bending  17 Energies  18 Constraints  19 Loads
 *     the step         20 Integrators  21 Contact rows  22 Step  23 Multipliers  24 Projection
 *                      25 Coupled step  26 Ghost mesh, back to what is drawn
 *     collisions       27 Nearness  28 Swept contact  29 Hash grid  30 Surfaces  31 Pairs
 *                      32 The contact of a pair  33 Crossings  34 Repulsion  35 Impulses
 *                      36, 37 Impact zones  38 Collisions  39 Collider
 *     the objects      40 Bodies  41 Plan  42 Cloth  43 Cloth as a body
 *     another body     44 to 47 Ribbons
 *     all together     48 Groups in contact  49 World
 *     the drape        50 Block matrix  51 to 53 Drape: where cloth comes to rest
 *
 * Code uses only chapters above it; formulas may refer to later ones. Private names begin with
 * dci_, most of them with the tag in the chapter's heading. One-letter names are in its table.
 *
 * LETTERS USED THROUGHOUT
 *
 *     v vertex   e edge   t triangle   c corner (0, 1, 2)   q = 3 t + c   i, j row and column
 *     k iteration or neighbour   p place in a sparse array   n number of unknowns
 *
 * THE RUNNING EXAMPLE
 *
 * Two triangles make a unit square; many chapters work it out in numbers.
 *
 *     3 --e4-- 2        triangle 0: 0 1 2      triangle 1: 0 2 3
 *     |      / |
 *    e2   e1  e3        five edges, so five midpoints:
 *     |  /     |        e0 (.5, 0)  e1 (.5, .5)  e2 (0, .5)  e3 (1, .5)  e4 (.5, 1)
 *     0 --e0-- 1
 *
 * REFERENCES
 *
 *     [EB08]   E. English, R. Bridson: Animating developable surfaces using nonconforming elements.
 *              SIGGRAPH 2008; numbers without a point, as (30), are those of English's thesis of
 *              the same title
 *     [HL03]   P. Hansbo, M. G. Larson: Discontinuous Galerkin and the Crouzeix-Raviart element:
 *              application to elasticity. M2AN 37, 2003
 *     [Wan12]  Z. Wang: Isometrically deforming cloth with simultaneous collision handling.
 *              Master's thesis, University of British Columbia, 2012
 *     [Geo73]  A. George: Nested dissection of a regular finite element mesh. SINUM 10, 1973
 *     [GL78]   A. George, J. Liu: An automatic nested dissection algorithm for irregular finite
 *              element problems. SINUM 15, 1978
 *     [HR98]   B. Hendrickson, E. Rothberg: Improving the run time and quality of nested dissection
 *              ordering. SISC 20, 1998
 *     [Liu90]  J. Liu: The role of elimination trees in sparse factorization. SIMAX 11, 1990
 *     [NP93]   E. Ng, B. Peyton: Block sparse Cholesky algorithms on advanced uniprocessor
 *              computers. SISC 14, 1993
 *     [Dav06]  T. Davis: Direct methods for sparse linear systems. SIAM, 2006
 *     [Bel58]  R. Bellman: On a routing problem. Quarterly of Applied Mathematics 16, 1958
 *     [HS52]   M. Hestenes, E. Stiefel: Methods of conjugate gradients for solving linear systems.
 *              J. Res. Nat. Bur. Stand. 49, 1952
 *     [ST02]   Z. Strakos, P. Tichy: On error estimation in the conjugate gradient method and why
 *              it works in finite precision computations. ETNA 13, 2002
 *     [GHN01]  N. Gould, M. Hribar, J. Nocedal: On the solution of equality constrained quadratic
 *              programming problems arising in optimization. SISC 23, 2001
 *     [BFA02]  R. Bridson, R. Fedkiw, J. Anderson: Robust treatment of collisions, contact and
 *              friction for cloth animation. SIGGRAPH 2002
 *     [Pro97]  X. Provot: Collision and self-collision handling in cloth model dedicated to design
 *              garments. Graphics Interface 1997
 *     [THM03]  M. Teschner, B. Heidelberger, M. Mueller et al.: Optimized spatial hashing for
 *              collision detection of deformable objects. Vision, Modeling and Visualization 2003
 *     [WFC21]  B. Wang, Z. Ferguson et al.: A large-scale benchmark and an inclusion-based
 *              algorithm for continuous collision detection. ACM Trans. Graph. 40, 2021
 *     [Cun76]  P. Cundall: Explicit finite difference methods in geomechanics. Blacksburg, 1976
 *     [CT10]   M. Chen, K. Tang: A fully geometric approach for developable cloth deformation
 *              simulation. The Visual Computer 26, 2010
 *     [MLG17]  D. Magisano, L. Leonetti, G. Garcea: How to improve efficiency and robustness of the
 *              Newton method in geometrically non-linear structural problem discretized via
 *              displacement-based finite elements. CMAME 313, 2017
 *     [FY05]   J. Fan, Y. Yuan: On the quadratic convergence of the Levenberg-Marquardt method
 *              without nonsingularity assumption. Computing 74, 2005
 *     [Wun62]  W. Wunderlich: Ueber ein abwickelbares Moebiusband. Monatsh. Math. 66, 1962
 *     [PHB15]  Z. Pan et al.: Modelling developable ribbons using ruling bending coordinates. 2015
 *     [Bel57]  R. Bellman: Dynamic Programming, 1957
 *     [Mar63]  D. Marquardt: An algorithm for least-squares estimation of nonlinear parameters.
 *              J. SIAM 11, 1963
 *     [TMT14]  Y. Tassa et al.: Control-limited differential dynamic programming. ICRA 2014
 *     [PTVF92] W. Press, S. Teukolsky, W. Vetterling, B. Flannery: Numerical Recipes in C, 1992
 *     [HVTG08] D. Harmon et al.: Robust treatment of simultaneous collisions. SIGGRAPH 2008
 *     [Hil57]  C. Hildreth: A quadratic programming procedure. Naval Res. Logist. Quart. 4, 1957
 *     [Jea99]  M. Jean: The non-smooth contact dynamics method. CMAME 177, 1999
 *     [BPC+11] S. Boyd et al.: Distributed optimization and statistical learning via the
 *              alternating direction method of multipliers. Foundations and Trends in Machine
 *              Learning 3, 2011
 *     [Kah14]  W. Kahan: Miscalculating area and angles of a needle-like triangle. 2014
 */
#ifndef DEVCLOTH_IMPL_H
#define DEVCLOTH_IMPL_H

/* ============================================================================================
 * 1 PLATFORM
 *
 * All that depends on the compiler or processor is here. Results must not depend on them, so
 * arithmetic must be IEEE 754 as written: no fused multiply-add, no wider intermediate results, no
 * -ffast-math. Compilation stops if a macro shows such a mode; dc_float_check() finds the others.
 *
 * The pragmas below forbid fused multiply-adds, but the vectoriser of gcc 12 ignores them in a loop
 * that rotates pairs, x' = c x + s y, y' = c y - s x; tests/compile/fused.sh searches for these.
 *
 * gcc 12 can split an address so that one part looks like a null pointer, and then deletes the
 * store, as in chapter 21 on 64-bit PowerPC. The option below declares every address valid.
 * ============================================================================================ */

#include <float.h>
#include <math.h>
#include <string.h>

/* Whether numbers that callers give are checked. */
#ifdef DC_NO_CHECKS
#define DCI_HAS_CHECKS 0
#else
#define DCI_HAS_CHECKS 1
#endif

/* A broken precondition stops the program: by the C library's assert(), with gcc and clang in spite
   of NDEBUG, or without a C library by a trap. */
#if !defined(DC_ASSERT) && defined(DC_NO_CHECKS)
#define DC_ASSERT(condition) ((void)0)
#elif !defined(DC_ASSERT) && defined(__GNUC__) && !__STDC_HOSTED__
#define DC_ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())
#elif !defined(DC_ASSERT)
#ifdef __GNUC__
#define DCI_ASSERTS
#pragma push_macro("NDEBUG")
#undef NDEBUG
#endif
#include <assert.h>
#define DC_ASSERT(condition) assert(condition)
#endif

#if defined(__TINYC__) && __TINYC__ <= 927 && defined(DEVCLOTH_SINGLE)
#error "tcc 0.9.27 writes beyond a dc_vec3 of floats that a function returns: use double"
#endif

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("no-delete-null-pointer-checks")
#endif

#ifndef DC_ALLOW_INEXACT

#ifdef __FAST_MATH__
#error "-ffast-math changes results from machine to machine; or define DC_ALLOW_INEXACT"
#endif

/* 0: as written. 1: float as double, harmless if all is double. 16: as 0, except for _Float16. */
#ifdef FLT_EVAL_METHOD
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16
#if defined(DEVCLOTH_SINGLE) || FLT_EVAL_METHOD != 1
#error "intermediate results are wider than their type (x87?); try -msse2 -mfpmath=sse"
#endif
#endif
#endif

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off", "no-fast-math")
#endif

#endif /* DC_ALLOW_INEXACT */

/* With parts switched off, some shared functions have no caller. */
#if defined(DC_NO_CLOTH) || defined(DC_NO_RIBBONS) || defined(DC_NO_DRAPE) ||                      \
    defined(DC_NO_GLOBAL_IMPACTS) || defined(DC_NO_CG)
#define DCI_NO_PART
#endif
#ifdef DCI_NO_PART
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#endif

#ifndef DC_MEMCPY
#define DC_MEMCPY memcpy
#endif
#ifndef DC_MEMMOVE
#define DC_MEMMOVE memmove
#endif
#ifndef DC_MEMSET
#define DC_MEMSET memset
#endif

#ifdef DEVCLOTH_SINGLE
#ifndef DC_SQRT
#define DC_SQRT sqrtf
#endif
typedef uint32_t dci_bits; /* an unsigned integer as wide as dc_real                             */
#define DCI_REAL_MAX FLT_MAX
#define DCI_REAL_MIN FLT_MIN
#define DCI_EPSILON FLT_EPSILON
#else
#ifndef DC_SQRT
#define DC_SQRT sqrt
#endif
typedef uint64_t dci_bits;
#define DCI_REAL_MAX DBL_MAX
#define DCI_REAL_MIN DBL_MIN
#define DCI_EPSILON DBL_EPSILON
#endif

#define DCI_R(x) ((dc_real)(x))

#if defined(__SSE2__) || defined(__ARM_NEON) || defined(__wasm_simd128__) || defined(__VSX__) ||   \
    defined(__VX__) || defined(__riscv_vector) || defined(__loongarch_sx) || defined(__mips_msa)
#define DCI_HAS_VECTORS
#endif

/* Numbers in a pack. Each has its own sum, so that results do not depend on the vector width. */
#define DCI_TILE 4

/* Use the compiler's vector types, unless the processor has none or computes scalars in a wider
   type, so that results would differ. */
#if !defined(DC_PLAIN_C) && defined(DCI_HAS_VECTORS) &&                                            \
    (defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 9)) &&                                \
    (!defined(FLT_EVAL_METHOD) || FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 16)
#if defined(__AVX__) || defined(DEVCLOTH_SINGLE)
#define DCI_VECTOR 4
#else
#define DCI_VECTOR 2
#endif
typedef dc_real dci_vector __attribute__((__vector_size__(DCI_VECTOR * (int)sizeof(dc_real))));
typedef dc_real dci_vector_stored __attribute__((__vector_size__(DCI_VECTOR * (int)sizeof(dc_real)),
                                                 __aligned__(sizeof(dc_real)), __may_alias__));
typedef float dci_narrow __attribute__((__vector_size__(DCI_TILE * (int)sizeof(float))));
typedef float dci_narrow_stored __attribute__((__vector_size__(DCI_TILE * (int)sizeof(float)),
                                               __aligned__(sizeof(float)), __may_alias__));
#else
#define DCI_VECTOR 1
typedef dc_real dci_vector;
typedef dc_real dci_vector_stored;
typedef float dci_narrow;
typedef float dci_narrow_stored;
#endif

/* Vectors in a pack of dc_real, and of floats. A strip (chapter 13) is three packs of one vector or
   one of several: the sums of its product with a tile fill at most 12 of 16 vector registers. */
enum {
    DCI_PACK_PARTS = DCI_TILE / DCI_VECTOR,
    DCI_NARROW_PARTS = (int)(DCI_TILE * sizeof(float) / sizeof(dci_narrow)),
    DCI_STRIP = DCI_PACK_PARTS == 1 ? 3 : 1,
    DCI_NARROW_STRIP = DCI_NARROW_PARTS == 1 ? 3 : 1,
    DCI_STRIP_MAX = DCI_NARROW_STRIP > DCI_STRIP ? DCI_NARROW_STRIP : DCI_STRIP
};

/* Of dc_real or, if narrow, of floats. is_narrow is a constant, so no branch is compiled. */
typedef struct dci_pack {
    dci_vector part[DCI_PACK_PARTS];
    dci_narrow narrow[DCI_NARROW_PARTS];
} dci_pack;

/* DCI_UNROLL keeps the packs of a short loop in registers; clang does so by itself. DCI_INLINE is
   for loops that constant arguments make short. Neither is used where code should be small. */
#if defined(DC_PLAIN_C) || (defined(__OPTIMIZE_SIZE__) && !defined(DCI_HAS_VECTORS))
#define DCI_IS_SMALL
#endif
#if defined(__GNUC__) && !defined(__clang__) && !defined(DCI_IS_SMALL)
#define DCI_UNROLL _Pragma("GCC unroll 16")
#else
#define DCI_UNROLL
#endif
#if (defined(__GNUC__) || defined(__clang__)) && !defined(DCI_IS_SMALL)
#define DCI_INLINE static inline __attribute__((__always_inline__))
#else
#define DCI_INLINE static
#endif

DCI_INLINE dc_real dci_number(const void *a, dc_index place, const int is_narrow)
{
    return is_narrow ? (dc_real)((const float *)a)[place] : ((const dc_real *)a)[place];
}

DCI_INLINE void dci_number_set(void *a, dc_index place, dc_real x, const int is_narrow)
{
    if (is_narrow)
        ((float *)a)[place] = (float)x;
    else
        ((dc_real *)a)[place] = x;
}

DCI_INLINE void dci_pack_clear(dci_pack *p, const int is_narrow)
{
    if (is_narrow)
        DC_MEMSET(p->narrow, 0, sizeof p->narrow);
    else
        DC_MEMSET(p->part, 0, sizeof p->part);
}

DCI_INLINE void dci_pack_load(dci_pack *p, const void *a, dc_index place, const int is_narrow)
{
    if (is_narrow) {
        const dci_narrow_stored *v = (const dci_narrow_stored *)((const float *)a + place);
        DCI_UNROLL for (int i = 0; i < DCI_NARROW_PARTS; i++) p->narrow[i] = v[i];
    } else {
        const dci_vector_stored *v = (const dci_vector_stored *)((const dc_real *)a + place);
        DCI_UNROLL for (int i = 0; i < DCI_PACK_PARTS; i++) p->part[i] = v[i];
    }
}

DCI_INLINE void dci_pack_store(const dci_pack *p, void *a, dc_index place, const int is_narrow)
{
    if (is_narrow) {
        dci_narrow_stored *v = (dci_narrow_stored *)((float *)a + place);
        DCI_UNROLL for (int i = 0; i < DCI_NARROW_PARTS; i++) v[i] = p->narrow[i];
    } else {
        dci_vector_stored *v = (dci_vector_stored *)((dc_real *)a + place);
        DCI_UNROLL for (int i = 0; i < DCI_PACK_PARTS; i++) v[i] = p->part[i];
    }
}

/* Of the packs of a strip. */
typedef union dci_pack_numbers {
    dc_real real[DCI_STRIP_MAX * DCI_TILE];
    float narrow[DCI_STRIP_MAX * DCI_TILE];
} dci_pack_numbers;

DCI_INLINE void dci_pack_get(const dci_pack *p, dc_real *x, const int is_narrow)
{
    dci_pack_numbers stored;
    dci_pack_store(p, &stored, 0, is_narrow);
    DCI_UNROLL for (int i = 0; i < DCI_TILE; i++) x[i] = dci_number(&stored, i, is_narrow);
}

/* Where floats are computed in a wider type, the casts round. */
DCI_INLINE dc_real dci_pack_sum(const dci_pack *p, const int is_narrow)
{
    dci_pack_numbers x;
    dci_pack_store(p, &x, 0, is_narrow);
    if (!is_narrow) return (x.real[0] + x.real[2]) + (x.real[1] + x.real[3]);
    float even = (float)(x.narrow[0] + x.narrow[2]);
    float odd = (float)(x.narrow[1] + x.narrow[3]);
    return (dc_real)(float)(even + odd);
}

/* p += a s. */
DCI_INLINE void dci_pack_add_scaled(dci_pack *p, const dci_pack *a, dc_real s, const int is_narrow)
{
    if (is_narrow) {
        DCI_UNROLL for (int i = 0; i < DCI_NARROW_PARTS; i++)
            p->narrow[i] = (dci_narrow)(p->narrow[i] + (dci_narrow)(a->narrow[i] * (float)s));
    } else {
        DCI_UNROLL for (int i = 0; i < DCI_PACK_PARTS; i++) p->part[i] += a->part[i] * s;
    }
}

/* p += a b, elementwise */
DCI_INLINE void dci_pack_add_product(dci_pack *p, const dci_pack *a, const dci_pack *b,
                                     const int is_narrow)
{
    if (is_narrow) {
        DCI_UNROLL for (int i = 0; i < DCI_NARROW_PARTS; i++)
            p->narrow[i] = (dci_narrow)(p->narrow[i] + (dci_narrow)(a->narrow[i] * b->narrow[i]));
    } else {
        DCI_UNROLL for (int i = 0; i < DCI_PACK_PARTS; i++) p->part[i] += a->part[i] * b->part[i];
    }
}

/* p = (a - p) s */
DCI_INLINE void dci_pack_scaled_difference(dci_pack *p, const dci_pack *a, dc_real s,
                                           const int is_narrow)
{
    int i;
    if (is_narrow) {
        DCI_UNROLL for (i = 0; i < DCI_NARROW_PARTS; i++)
            p->narrow[i] = (dci_narrow)((dci_narrow)(a->narrow[i] - p->narrow[i]) * (float)s);
    } else {
        DCI_UNROLL for (i = 0; i < DCI_PACK_PARTS; i++) p->part[i] = (a->part[i] - p->part[i]) * s;
    }
}

/* Set by tests with a sanitizer: a gap after each array of an arena, and hooks that guard bytes. */
#ifndef DCI_GAP
#define DCI_GAP 0 /* [bytes] a multiple of 16 */
#define DCI_FORBID(address, bytes) ((void)0)
#define DCI_ALLOW(address, bytes) ((void)0)
#endif

/* An array of negative size stops compilation, as for an AVR whose double has 32 bits. */
typedef char dci_real_has_its_size[sizeof(dc_real) == sizeof(dci_bits) ? 1 : -1];
typedef char dci_vec3_has_no_padding[sizeof(dc_vec3) == 3 * sizeof(dc_real) ? 1 : -1];
typedef char dci_index_has_32_bits[sizeof(dc_index) == 4 ? 1 : -1];

/* ============================================================================================
 * 2 STATUS                                                                               dci_fail
 *
 * A failure is recorded once, where it is detected; callers return its status unchanged.
 * ============================================================================================ */

static const char *const dci_status_names[] = {
    "DC_OK",       "DC_BAD_ARGUMENT",  "DC_BAD_MESH",   "DC_TOO_SMALL", "DC_TOO_LARGE",
    "DC_SINGULAR", "DC_NOT_CONVERGED", "DC_NOT_FINITE", "DC_CROSSING",  "DC_WORK_SPENT"};

/* `value` is an int, because compilers warn about value >= 0 if an enum is unsigned. */
static int dci_is_in_enum(int value, int last)
{
    return value >= 0 && value <= last;
}

const char *dc_status_name(dc_status status)
{
    return dci_is_in_enum((int)status, DC_WORK_SPENT) ? dci_status_names[status] : "unknown status";
}

static dc_feature_pair dci_feature_pair_none(void)
{
    const dc_feature none = {DC_NONE, {DC_NONE, DC_NONE, DC_NONE}};
    dc_feature_pair pair;
    pair.first = pair.second = none;
    return pair;
}

#ifndef DC_ONLY_SPARSE
static dc_report dci_report_empty(void)
{
    dc_report report;
    DC_MEMSET(&report, 0, sizeof report);
    report.worst_body = report.worst_triangle = report.worst_ribbon_body = DC_NONE;
    report.pinched_body = report.pinched_vertex = DC_NONE;
    report.first_unresolved = dci_feature_pair_none();
    return report;
}

#endif

/* Begins a public function: clears the record and stores the function's name. */
static void dci_enter(dc_error *error, const char *where)
{
    if (!error) return;
    error->status = DC_OK;
    error->where = where;
    error->field = error->what = "";
    error->index = error->body = DC_NONE;
    error->value = 0;
    error->needed = error->given = 0;
    error->pair = dci_feature_pair_none();
}

/* Fills the record and returns the status, so that callers write: return dci_fail(...). */
static dc_status dci_fail(dc_error *error, dc_status status, const char *what, dc_index index,
                          dc_real value)
{
    if (!error) return status;
    dci_enter(error, error->where);
    error->status = status;
    error->what = what;
    error->index = index;
    error->value = value;
    return status;
}

static dc_status dci_bad(dc_error *error, const char *what, dc_index index, dc_real value)
{
    return dci_fail(error, DC_BAD_ARGUMENT, what, index, value);
}

static dc_status dci_bad_field(dc_error *error, const char *field, const char *what, dc_index index,
                               dc_real value)
{
    dci_bad(error, what, index, value);
    if (error) error->field = field;
    return DC_BAD_ARGUMENT;
}

static dc_status dci_not_finite(dc_error *error, const char *what, dc_index index)
{
    return dci_fail(error, DC_NOT_FINITE, what, index, 0);
}

static dc_status dci_fail_memory(dc_error *error, const char *what, size_t needed, size_t given)
{
    dci_fail(error, DC_TOO_SMALL, what, DC_NONE, 0);
    if (error) {
        error->needed = needed;
        error->given = given;
    }
    return DC_TOO_SMALL;
}

/* Of an object not made: DC_TOO_SMALL is for its block, so that loops that enlarge it end. */
static dc_status dci_fail_start(dc_error *error, dc_status status)
{
    if (status != DC_TOO_SMALL) return status;
    return dci_bad_field(error, "pair_capacity", "the start has more pairs, which are value",
                         DC_NONE, error ? (dc_real)error->needed : 0);
}

/* Names the body of a failure. */
static dc_status dci_in_body(dc_error *error, dc_status status, dc_index body)
{
    if (error && status != DC_OK) error->body = body;
    return status;
}

/* Of a number that the caller gave. */
static dc_status dci_bad_index(dc_error *error, const char *field, dc_index index)
{
    return dci_bad_field(error, field, "there is none of this number", index, (dc_real)index);
}

/* Whether a number is that of one of `count` items of a body; if not, that is the failure. */
static int dci_is_index(dc_error *error, const char *field, dc_index index, dc_index count,
                        dc_index body)
{
    if (!DCI_HAS_CHECKS || (index >= 0 && index < count)) return 1;
    dci_in_body(error, dci_bad_index(error, field, index), body);
    return 0;
}

static dc_status dci_fail_in_body(dc_error *error, dc_status status, const char *what,
                                  dc_index index, dc_index body)
{
    return dci_in_body(error, dci_fail(error, status, what, index, 0), body);
}

/* Ends a public function. Success clears the record, in case an attempt failed before. */
static dc_status dci_leave(dc_error *error, dc_status status)
{
    if (status == DC_OK) dci_enter(error, "");
    return status;
}

static dc_status dci_succeed(dc_error *error)
{
    return dci_leave(error, DC_OK);
}

/* ============================================================================================
 * 3 MEMORY                                                                              dci_arena
 *
 * An arena hands out pieces of a block that the caller provides, and records the most bytes in use
 * at once, its peak. Without a block it only measures: one function lays out a factorisation twice.
 * Other objects, whose sizes are not known before, are built in the block at once.
 *
 *     block   |/|aaaaaaaa|bbbb|cccccccccccc|         |wwwwww|vvvv|
 *              ^ skipped to align          ^ used    ^ size - work
 *
 * Lasting arrays are taken from the front; temporary ones from the back, where they are released
 * together. Blocks need no alignment, because the longest skip is always counted.
 * ============================================================================================ */

enum { DCI_ALIGNMENT = 16 }; /* [bytes] of every array; a power of two */

typedef struct dci_arena {
    unsigned char *base; /* NULL: measure only                                                   */
    size_t given;        /* [bytes] of the block                                                 */
    size_t size;         /* [bytes] from base, a multiple of DCI_ALIGNMENT                       */
    size_t used, work;   /* [bytes] taken in front and at the back                               */
    size_t peak;         /* [bytes] the largest used + work so far                               */
    int is_work;         /* arrays are taken at the back                                         */
    int is_short;        /* an array did not fit; sizes are still counted, up to SIZE_MAX        */
} dci_arena;

static dci_arena dci_arena_measure(void)
{
    dci_arena arena;
    DC_MEMSET(&arena, 0, sizeof arena);
    arena.size = SIZE_MAX;
    return arena;
}

static dci_arena dci_arena_over(void *memory, size_t bytes)
{
    dci_arena arena = dci_arena_measure();
    size_t misaligned = (size_t)((uintptr_t)memory % DCI_ALIGNMENT);
    arena.size = 0;
    arena.given = bytes;
    arena.is_short = !memory || bytes < DCI_ALIGNMENT - 1;
    if (arena.is_short) return arena;
    DCI_FORBID(memory, bytes);
    arena.base = (unsigned char *)memory + (misaligned ? DCI_ALIGNMENT - misaligned : 0);
    arena.size = (bytes - (DCI_ALIGNMENT - 1)) / DCI_ALIGNMENT * DCI_ALIGNMENT;
    return arena;
}

/* The bytes of a block, of any alignment, that holds the peak; SIZE_MAX if that overflows. */
static size_t dci_arena_bytes(const dci_arena *arena)
{
    return arena->peak > SIZE_MAX - DCI_ALIGNMENT ? SIZE_MAX : arena->peak + DCI_ALIGNMENT - 1;
}

/* Returns NULL while measuring or if the block is too short. Arrays in front are filled with 0. An
   item may be a row of up to DCI_COUNT_MAX numbers, whose bytes fit in 32 bits. */
static void *dci_arena_take(dci_arena *arena, dc_index count, size_t item_bytes)
{
    size_t taken = arena->used + arena->work, wanted, bytes;
    unsigned char *array;
    if (taken > SIZE_MAX / 2 || count < 0 || /* no block is larger than half of all addresses */
        (size_t)count > (SIZE_MAX - taken - DCI_ALIGNMENT - DCI_GAP) / item_bytes) {
        arena->peak = SIZE_MAX;
        arena->is_short = 1;
        return NULL;
    }
    wanted = (size_t)count * item_bytes;
    bytes = (wanted + DCI_ALIGNMENT - 1) / DCI_ALIGNMENT * DCI_ALIGNMENT + DCI_GAP;
    if (taken + bytes > arena->peak) arena->peak = taken + bytes;
    if (taken + bytes > arena->size) arena->is_short = 1;
    *(arena->is_work ? &arena->work : &arena->used) += bytes;
    if (!arena->base || arena->is_short) return NULL;
    array = arena->base + (arena->is_work ? arena->size - arena->work : arena->used - bytes);
    DCI_ALLOW(array, wanted);
    DCI_FORBID(array + wanted, bytes - wanted);
    if (!arena->is_work) DC_MEMSET(array, 0, wanted);
    return array;
}

/* The state to which releasing temporary arrays returns. */
typedef struct dci_work {
    size_t work;
    int is_work;
} dci_work;

static dci_work dci_arena_begin_work(dci_arena *arena)
{
    const dci_work before = {arena->work, arena->is_work};
    arena->is_work = 1;
    return before;
}

static void dci_arena_to_front(dci_arena *arena)
{
    arena->is_work = 0;
}

static void dci_arena_end_work(dci_arena *arena, dci_work before)
{
    if (arena->base && !arena->is_short)
        DCI_FORBID(arena->base + arena->size - arena->work, arena->work - before.work);
    arena->work = before.work;
    arena->is_work = before.is_work;
}

/* Releases the arrays taken in front since `used` bytes were taken there. */
static void dci_arena_release(dci_arena *arena, size_t used)
{
    if (arena->base && !arena->is_short) DCI_FORBID(arena->base + used, arena->used - used);
    arena->used = used;
}

/* The record tells the bytes needed so far; the whole may need more. */
static dc_status dci_arena_fail(const dci_arena *arena, dc_error *error)
{
    if (arena->peak == SIZE_MAX)
        return dci_fail(error, DC_TOO_LARGE, "size overflows size_t", DC_NONE, 0);
    return dci_fail_memory(error, "the block is too small", dci_arena_bytes(arena), arena->given);
}

static dc_index *dci_arena_indices(dci_arena *arena, dc_index count)
{
    return (dc_index *)dci_arena_take(arena, count, sizeof(dc_index));
}

static dc_real *dci_arena_reals(dci_arena *arena, dc_index count)
{
    return (dc_real *)dci_arena_take(arena, count, sizeof(dc_real));
}

static dc_vec3 *dci_arena_vectors(dci_arena *arena, dc_index count)
{
    return (dc_vec3 *)dci_arena_take(arena, count, sizeof(dc_vec3));
}

static void *dci_arena_copy(dci_arena *arena, const void *source, dc_index count, size_t item_bytes)
{
    void *target = dci_arena_take(arena, count, item_bytes);
    if (target && count > 0) DC_MEMCPY(target, source, (size_t)count * item_bytes);
    return target;
}

/* Descriptions may not have larger counts, so that the largest per-triangle count, 36 entries of
   bending rows, still fits a dc_index. So many numbers take 400 MB, which fits a 32-bit size_t. */
enum { DCI_COUNT_MAX = 50000000 };

static int dci_is_count(dc_index count, dc_index least)
{
    return count >= least && count <= DCI_COUNT_MAX;
}

#ifndef DC_ONLY_SPARSE

/* Notes what a user may want to know about the object, and adds up the arena's bytes by use. */
typedef struct dci_ledger {
    dc_info info;
    size_t noted;
} dci_ledger;

static dci_ledger dci_ledger_empty(void)
{
    dci_ledger ledger;
    dc_info *info = &ledger.info;
    DC_MEMSET(&ledger, 0, sizeof ledger);
    info->thin_body = info->calm_body = info->wide_body = DC_NONE;
    info->taut_body = info->taut_pin[0] = info->taut_pin[1] = DC_NONE;
    return ledger;
}

static void dci_ledger_note(dci_ledger *ledger, const dci_arena *arena, const char *name)
{
    dc_info *info = &ledger->info;
    dc_index i;
    for (i = 0; i < info->section_count; i++)
        if (info->section[i].name == name) break;
    DC_ASSERT(i < DC_INFO_SECTIONS);
    if (i == info->section_count) info->section[info->section_count++].name = name;
    info->section[i].bytes += arena->used - ledger->noted;
    ledger->noted = arena->used;
}

/* When the object is built: adds the work arrays for which lasting arrays left no room. */
static void dci_ledger_close(dci_ledger *ledger, dci_arena *arena, dc_info *info)
{
    ledger->noted = arena->used;
    arena->used = arena->peak;
    dci_ledger_note(ledger, arena, "work of building");
    ledger->info.bytes = dci_arena_bytes(arena);
    if (info) *info = ledger->info;
}

#endif /* DC_ONLY_SPARSE */

/* ============================================================================================
 * 4 NUMBERS                                                                                  dci_
 *
 * The last bits of C libraries differ. So here arguments are reduced and Taylor series summed:
 *
 *     sine, cosine    x = k pi/2 + r with |r| <= pi/4. pi/2 is split into three parts; two have so
 *                     few bits that k times them is exact for |x| <= 1e5 (6e3 in single)
 *     atan, atanh     atan x = pi/4 + atan((x - 1)/(x + 1)) for x > tan(pi/8);
 *                     atanh x = m/2 + atanh((x - t)/(1 - t x)) with t = tanh(m/2)
 *
 * Tests are written so that NaN fails them: !(x > 0), never x <= 0.
 * ============================================================================================ */

#define DCI_PI DCI_R(3.14159265358979323846)

static dc_real dci_abs(dc_real x)
{
    return x < 0 ? -x : x;
}

static dc_real dci_min(dc_real a, dc_real b)
{
    return a < b ? a : b;
}

static dc_real dci_max(dc_real a, dc_real b)
{
    return a > b ? a : b;
}

static int dci_is_finite(dc_real x)
{
    return x - x == 0;
}

static int dci_is_positive(dc_real x)
{
    return x > 0 && dci_is_finite(x);
}

static int dci_is_not_negative(dc_real x)
{
    return x >= 0 && dci_is_finite(x);
}

int dc_float_check(void)
{
    /* h^2 is at most half a unit in the last place of 1, so (1 + h)^2 rounds to 1 + 2 h unless
       fused. a and b are two, because a compiler may round the square of one before it adds. The
       sums read copies that are not volatile, so that a compiler that reassociates cancels them. */
    const dc_real h = sizeof(dc_real) == 4 ? DCI_R(1.0 / 4096) : DCI_R(1.0 / 134217728);
    volatile dc_real a = 1 + h, b = 1 + h, c = -(1 + 2 * h);
    volatile dc_real one = 1, half_ulp = DCI_EPSILON / 2, big = DCI_R(1e30), zero = 0;
    volatile dc_real tiny = DCI_REAL_MIN;
    dc_real large = big, unit = one, little = half_ulp, not_a_number;
    int found = 0;

    if (a * b + c != 0) found |= DC_FLOAT_CONTRACTED;
    if ((large + unit) - large != 0)
        found |= DC_FLOAT_REASSOCIATED;
    else if ((unit + little) - unit != 0)
        found |= DC_FLOAT_EXCESS;
    not_a_number = zero / zero;
    if (not_a_number == not_a_number || !!(not_a_number > 0)) found |= DC_FLOAT_NAN_LOST;
    if (tiny / 2 == 0) found |= DC_FLOAT_FLUSHED;
    return found;
}

#ifdef DEVCLOTH_SINGLE
#define DCI_HALF_PI_1 DCI_R(1.5703125)
#define DCI_HALF_PI_2 DCI_R(4.837512969970703125e-4)
#define DCI_HALF_PI_3 DCI_R(7.54978995489188216e-8)
#else
#define DCI_HALF_PI_1 DCI_R(1.57079632673412561417)
#define DCI_HALF_PI_2 DCI_R(6.07710050630396597660e-11)
#define DCI_HALF_PI_3 DCI_R(2.02226624879595063154e-21)
#endif

/* For larger angles the number of the quadrant might overflow, so the sine is NaN. */
#define DCI_ANGLE_MAX DCI_R(1e9)

/* sum over k of (-1)^k r^(2k) / (first (first + 1) ... (first + 2k - 1)), smallest term first: cos
   r for first = 1, sin r / r for first = 2. The terms left out are below 1e-18 at pi/4. */
static dc_real dci_circle_series(dc_real r, int first)
{
    dc_real sum = 1, square = r * r;
    for (int k = 9; k >= 1; k--)
        sum = 1 - sum * square / (dc_real)((first + 2 * k - 2) * (first + 2 * k - 1));
    return sum;
}

/* sin(x + quadrants pi/2). */
static dc_real dci_sine(dc_real x, int quadrants)
{
    if (!(dci_abs(x) <= DCI_ANGLE_MAX)) return (x - x) / (x - x);
    dc_real turns = x * DCI_R(0.63661977236758134308); /* 2/pi */
    int32_t k = (int32_t)(turns < 0 ? turns - DCI_R(0.5) : turns + DCI_R(0.5));
    dc_real r = x - (dc_real)k * DCI_HALF_PI_1;
    r = r - (dc_real)k * DCI_HALF_PI_2;
    r = r - (dc_real)k * DCI_HALF_PI_3;
    r = dci_max(-1, dci_min(r, 1)); /* rounding leaves more where x is large */
    k += quadrants;
    dc_real value = k % 2 == 0 ? r * dci_circle_series(r, 2) : dci_circle_series(r, 1);
    return (k % 4 + 4) % 4 >= 2 ? -value : value;
}

dc_real dc_sin(dc_real x)
{
    return dci_sine(x, 0);
}

dc_real dc_cos(dc_real x)
{
    return dci_sine(x, 1);
}

/* For 0 <= x <= 1. */
static dc_real dci_arc_tangent(dc_real x)
{
    const dc_real tan_eighth = DCI_R(0.41421356237309504880); /* tan(pi/8) */
    int is_large = x > tan_eighth;
    dc_real t = is_large ? (x - 1) / (x + 1) : x, square = t * t, sum = 0;
    for (int k = 20; k >= 1; k--) sum = square * (1 / (dc_real)(2 * k + 1) - sum);
    return is_large ? DCI_PI / 4 + (t - t * sum) : t - t * sum;
}

dc_real dc_atan2(dc_real y, dc_real x)
{
    dc_real ax = dci_abs(x), ay = dci_abs(y), angle;
    if (!dci_is_finite(x) || !dci_is_finite(y)) return (x - x) + (y - y);
    if (ax == 0 && ay == 0) return 0;
    angle = ay <= ax ? dci_arc_tangent(ay / ax) : DCI_PI / 2 - dci_arc_tangent(ax / ay);
    if (x < 0) angle = DCI_PI - angle;
    return y < 0 ? -angle : angle;
}

dc_real dc_acos(dc_real x)
{
    if (!(x >= -1 && x <= 1)) return (x - x) / (x - x);
    return 2 * dc_atan2(DC_SQRT(1 - x), DC_SQRT(1 + x));
}

#define DCI_ATANH_MAX DCI_R(0.97)

/* For |x| <= DCI_ATANH_MAX the error is at most 4 units in the last place. t is the nearest
   tanh(m/2); the rest is at most tanh(1/4), for which 12 terms leave less than 1e-17 of the sum. */
static dc_real dci_atanh(dc_real x)
{
    static const dc_real tanh_half[5] = {
        0, DCI_R(0.46211715726000975850), DCI_R(0.76159415595576488812),
        DCI_R(0.90514825364486643824), DCI_R(0.96402758007581688395)};
    static const dc_real tanh_between[4] = {
        DCI_R(0.24491866240370912918), DCI_R(0.63514895238728731921), DCI_R(0.84828363995751289761),
        DCI_R(0.94137553849728736227)};
    dc_real size = dci_abs(x), square, sum = 0, value;
    int m = 0, k;
    if (!(size <= DCI_ATANH_MAX)) return (x - x) / (x - x);
    while (m < 4 && size > tanh_between[m]) m++;
    size = (size - tanh_half[m]) / (1 - size * tanh_half[m]);
    square = size * size;
    for (k = 12; k >= 1; k--) sum = square * (1 / (dc_real)(2 * k + 1) + sum);
    value = DCI_R(0.5) * (dc_real)m + (size + size * sum);
    return x < 0 ? -value : value;
}

/* An integer hash of 32 bits, and a pseudo-random real in [-1, 1), the same on all platforms. */
static uint32_t dci_hash32(uint32_t x)
{
    x ^= x >> 16;
    x *= UINT32_C(0x7feb352d);
    x ^= x >> 15;
    x *= UINT32_C(0x846ca68b);
    return x ^ (x >> 16);
}

static dc_real dci_random(uint32_t seed, uint32_t number)
{
    uint32_t bits = dci_hash32(dci_hash32(seed) + number) >> 8;
    return (dc_real)bits / DCI_R(8388608.0) - 1;
}

/* ============================================================================================
 * 5 VECTORS                                                                               dci_vec
 * ============================================================================================ */

static dc_vec3 dci_vec(dc_real x, dc_real y, dc_real z)
{
    const dc_vec3 v = {x, y, z};
    return v;
}

static dc_vec3 dci_vec_add(dc_vec3 a, dc_vec3 b)
{
    return dci_vec(a.x + b.x, a.y + b.y, a.z + b.z);
}

static dc_vec3 dci_vec_sub(dc_vec3 a, dc_vec3 b)
{
    return dci_vec(a.x - b.x, a.y - b.y, a.z - b.z);
}

static dc_vec3 dci_vec_along(int axis, dc_real size)
{
    return dci_vec(axis == 0 ? size : DCI_R(0), axis == 1 ? size : DCI_R(0),
                   axis == 2 ? size : DCI_R(0));
}

static dc_vec3 dci_vec_scale(dc_real s, dc_vec3 a)
{
    return dci_vec(s * a.x, s * a.y, s * a.z);
}

/* a + s b */
static dc_vec3 dci_vec_axpy(dc_vec3 a, dc_real s, dc_vec3 b)
{
    return dci_vec(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static dc_real dci_dot(dc_vec3 a, dc_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static dc_vec3 dci_cross(dc_vec3 a, dc_vec3 b)
{
    return dci_vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static dc_real dci_norm(dc_vec3 a)
{
    return DC_SQRT(dci_dot(a, a));
}

static dc_vec3 dci_vec_clamp(dc_vec3 a, dc_real most)
{
    dc_real length = dci_norm(a);
    return length > most ? dci_vec_scale(most / length, a) : a;
}

/* The largest norm. */
static dc_real dci_vec_longest(const dc_vec3 *a, dc_index count)
{
    dc_real longest_sq = 0;
    for (dc_index i = 0; i < count; i++) longest_sq = dci_max(longest_sq, dci_dot(a[i], a[i]));
    return DC_SQRT(longest_sq);
}

static void dci_vec_copy(dc_vec3 *to, const dc_vec3 *from, dc_index count)
{
    if (count > 0) DC_MEMCPY(to, from, (size_t)count * sizeof *to);
}

/* Where a point is after part of its way. */
static dc_vec3 dci_way_at(dc_vec3 start, dc_vec3 target, dc_real part)
{
    return part < 1 ? dci_vec_axpy(start, part, dci_vec_sub(target, start)) : target;
}

static int dci_vec_is_finite(dc_vec3 a)
{
    return dci_is_finite(a.x) && dci_is_finite(a.y) && dci_is_finite(a.z);
}

/* DC_NONE if all are finite or `a` is NULL. */
static dc_index dci_first_not_finite(const dc_vec3 *a, dc_index count)
{
    for (dc_index i = 0; a && i < count; i++)
        if (!dci_vec_is_finite(a[i])) return i;
    return DC_NONE;
}

/* a . b, as DCI_TILE independent sums: a single one would wait for each addition. */
static dc_real dci_array_dot(dc_index n, const dc_real *a, const dc_real *b)
{
    dci_pack sum, left, right;
    dc_real rest = 0;
    dc_index i;
    dci_pack_clear(&sum, 0);
    for (i = 0; i + DCI_TILE <= n; i += DCI_TILE) {
        dci_pack_load(&left, a, i, 0);
        dci_pack_load(&right, b, i, 0);
        dci_pack_add_product(&sum, &left, &right, 0);
    }
    for (; i < n; i++) rest += a[i] * b[i];
    return dci_pack_sum(&sum, 0) + rest;
}

static int dci_array_is_finite(dc_index n, const dc_real *a)
{
    for (dc_index i = 0; i < n; i++)
        if (!dci_is_finite(a[i])) return 0;
    return 1;
}

/* An array of vectors as one of numbers: x0 y0 z0 x1 y1 z1 ... */
static dc_real *dci_reals(dc_vec3 *a)
{
    return (dc_real *)a;
}

static const dc_real *dci_const_reals(const dc_vec3 *a)
{
    return (const dc_real *)a;
}

/* r rotated about w by |w|, Rodrigues' formula. */
static dc_vec3 dci_vec_rotate(dc_vec3 r, dc_vec3 w)
{
    dc_real angle = dci_norm(w), sine, versine;
    if (!(angle > 0)) return r;
    dc_vec3 axis = dci_vec_scale(1 / angle, w);
    sine = dc_sin(angle / 2);
    versine = 2 * sine * sine;
    dc_vec3 across = dci_cross(axis, r);
    r = dci_vec_axpy(r, dc_sin(angle), across);
    return dci_vec_axpy(r, versine, dci_cross(axis, across));
}

/* A rigid motion x -> centre + R (x - centre) + by. */
typedef struct dci_relocation {
    dc_vec3 axis[3];    /* columns of R                                                          */
    dc_vec3 centre, by; /* [m]                                                                   */
    int is_turning;     /* R is not 1; if it is, only the addition of `by` rounds                */
} dci_relocation;

static dci_relocation dci_relocation_of(dc_vec3 rotation, dc_vec3 centre, dc_vec3 by)
{
    dci_relocation to;
    for (int i = 0; i < 3; i++) to.axis[i] = dci_vec_rotate(dci_vec_along(i, 1), rotation);
    to.centre = centre;
    to.by = by;
    to.is_turning = dci_norm(rotation) > 0;
    return to;
}

static dc_vec3 dci_relocate_vector(const dci_relocation *to, dc_vec3 v)
{
    dc_vec3 turned = dci_vec_scale(v.x, to->axis[0]);
    if (!to->is_turning) return v;
    turned = dci_vec_axpy(turned, v.y, to->axis[1]);
    return dci_vec_axpy(turned, v.z, to->axis[2]);
}

static dc_vec3 dci_relocate_point(const dci_relocation *to, dc_vec3 x)
{
    dc_vec3 arm = dci_vec_sub(x, to->centre);
    if (to->is_turning) x = dci_vec_add(to->centre, dci_relocate_vector(to, arm));
    return dci_vec_add(x, to->by);
}

/* ============================================================================================
 * 6 LISTS                                               dci_index, dci_fields, dci_snapshot
 *
 * n lists are stored in two arrays, start (n + 1) and item: list i is item[start[i]] to
 * item[start[i + 1] - 1]. They are made in four steps, here with 2, 0 and 3 items:
 *
 *     count     start[i] = number of items in list i             2 0 3
 *     offsets   start[i] = where list i begins                   0 2 2 5
 *     fill      item[start[i]++] = ..., for each item            2 2 5 5
 *     rewind    shift start back by one list                     0 2 2 5
 *
 * The state of an object is what it keeps from one step to the next. It is listed once, in a
 * constant table of fields or in one function. Layout, copies, hashes, snapshots, comparisons and
 * rigid motions all follow that list. A snapshot is the state as bytes, the same on every machine:
 *
 *     byte 0   4         5               6      8                16         24
 *     | "dcsn" | version | bytes a real | kind | bytes in total | checksum | description | state |
 *
 * Numbers are stored lowest byte first, reals as their IEEE 754 bits. The checksum is the hash
 * FNV-1a of all other bytes, which finds every single wrong byte.
 * ============================================================================================ */

/* Turns counts into offsets. Returns the total, or DC_NONE if it does not fit. */
static dc_index dci_index_offsets(dc_index *start, dc_index n)
{
    int64_t total = 0;
    for (dc_index i = 0; i < n; i++) {
        dc_index count = start[i];
        start[i] = (dc_index)total;
        total += count;
        if (total > INT32_MAX) return DC_NONE;
    }
    start[n] = (dc_index)total;
    return start[n];
}

static void dci_index_rewind(dc_index *start, dc_index n)
{
    DC_MEMMOVE(start + 1, start, (size_t)n * sizeof(dc_index));
    start[0] = 0;
}

static void dci_index_fill(dc_index *a, dc_index count, dc_index value)
{
    for (dc_index i = 0; i < count; i++) a[i] = value;
}

static dc_index dci_index_min(dc_index a, dc_index b)
{
    return a < b ? a : b;
}

static dc_index dci_index_max(dc_index a, dc_index b)
{
    return a > b ? a : b;
}

/* DC_NONE if an index cannot hold the count. */
static dc_index dci_index_or_none(int64_t count)
{
    return count > INT32_MAX ? DC_NONE : (dc_index)count;
}

/* Sorts the items of `order` stably by key[item] < key_count. start (key_count + 1) is work. */
static void dci_index_sort(dc_index count, const dc_index *key, dc_index key_count,
                           const dc_index *order, dc_index *sorted, dc_index *start)
{
    dci_index_fill(start, key_count + 1, 0);
    for (dc_index i = 0; i < count; i++) start[key[order[i]]]++;
    dci_index_offsets(start, key_count);
    for (dc_index i = 0; i < count; i++) sorted[start[key[order[i]]]++] = order[i];
}

/* Lists for each of n vertices the features, of `corners` vertices each, that it belongs to. */
static void dci_index_star(dc_index n, const dc_index *feature, dc_index count, dc_index corners,
                           dc_index *start, dc_index *item)
{
    dci_index_fill(start, n + 1, 0);
    for (dc_index i = 0; i < corners * count; i++) start[feature[i]]++;
    dci_index_offsets(start, n);
    for (dc_index i = 0; i < corners * count; i++) item[start[feature[i]]++] = i / corners;
    dci_index_rewind(start, n);
}

#ifndef DC_NO_MESH

/* The root of i in a union-find forest; halves the path on the way. */
static dc_index dci_index_root(dc_index *parent, dc_index i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/* The root of a tree is its lowest number. */
static void dci_index_unite(dc_index *parent, dc_index a, dc_index b)
{
    a = dci_index_root(parent, a);
    b = dci_index_root(parent, b);
    parent[dci_index_max(a, b)] = dci_index_min(a, b);
}

#endif /* DC_NO_MESH */

#ifndef DC_ONLY_SPARSE

/* ---- Counted work ---- */

/* Work of a step, in units of about one multiplication, and its bounds. A NULL meter: no bound. */
typedef struct dci_meter {
    uint64_t work;
    uint64_t body_max; /* bodies stop when the work exceeds it                                   */
    uint64_t max;      /* likewise collisions: body_max, times 1.5 if takes_unconverged          */
    int takes_unconverged, is_unconverged; /* bodies may stop before convergence; some did       */
} dci_meter;

/* Work of testing a pair's motion, and of finding a pair, or a contact at one instant. */
enum { DCI_WORK_TEST = 1000, DCI_WORK_NEAR = 100 };

static void dci_meter_release(dci_meter *meter)
{
    meter->body_max = meter->max = UINT64_MAX;
}

/* Starts a step; work_max 0: no bound. */
static void dci_meter_begin(dci_meter *meter, uint64_t work_max)
{
    dci_meter_release(meter);
    meter->work = 0;
    meter->is_unconverged = 0;
    if (work_max == 0) return;
    meter->body_max = meter->max = work_max;
    if (meter->takes_unconverged)
        meter->max += work_max < UINT64_MAX / 2 ? work_max / 2 : UINT64_MAX - work_max;
}

static void dci_meter_add(dci_meter *meter, dc_index count, uint64_t each)
{
    if (meter) meter->work += (uint64_t)count * each;
}

static int dci_meter_is_spent(const dci_meter *meter)
{
    return meter && meter->work > meter->body_max;
}

static int dci_meter_is_over(const dci_meter *meter)
{
    return meter && meter->work > meter->max;
}

/* How many items costing `each` still fit, at least 1 and at most `most`. */
static dc_index dci_meter_left(const dci_meter *meter, uint64_t each, dc_index most)
{
    if (!meter || dci_meter_is_spent(meter)) return meter ? 1 : most;
    uint64_t left = (meter->body_max - meter->work) / each + 1;
    return left < (uint64_t)most ? (dc_index)left : most;
}

/* The status of a body that has not converged when the meter is spent. */
static dc_status dci_meter_stop(dci_meter *meter)
{
    meter->is_unconverged = meter->takes_unconverged;
    return meter->takes_unconverged ? DC_OK : DC_WORK_SPENT;
}

static dc_status dci_meter_fail(const dci_meter *meter, dc_error *error)
{
    return dci_fail(error, DC_WORK_SPENT, "the step reached work_max; value is its work", DC_NONE,
                    (dc_real)meter->work);
}

/* ---- Fields ---- */

typedef enum dci_field_kind {
    DCI_POINTS,     /* an array; `count` is the place of its length in a table of counts        */
    DCI_VECTORS,    /* likewise; rigid motions rotate them                                      */
    DCI_LOADS,      /* likewise, of vectors that rigid motions leave as they are                */
    DCI_REALS,      /* likewise                                                                 */
    DCI_NUMBERS,    /* `count` real numbers in the object itself                                */
    DCI_OWN_POINT,  /* `count` points in the object itself                                      */
    DCI_OWN_VECTOR, /* likewise vectors                                                         */
    DCI_AXES,       /* 9 numbers: three unit vectors at right angles                            */
    DCI_FLAG,       /* an int in the object itself, 0 or 1                                      */
    DCI_END         /* of the table                                                             */
} dci_field_kind;

typedef struct dci_field {
    const char *name;
    size_t offset; /* in the object: of the array's address, or of the numbers                   */
    dci_field_kind kind;
    dc_index count;
} dci_field;

static int dci_field_is_array(const dci_field *field)
{
    return field->kind <= DCI_REALS;
}

static size_t dci_field_item_bytes(const dci_field *field)
{
    static const size_t bytes[] = {sizeof(dc_vec3), sizeof(dc_vec3), sizeof(dc_vec3),
                                   sizeof(dc_real), sizeof(dc_real), sizeof(dc_vec3),
                                   sizeof(dc_vec3), sizeof(dc_real), sizeof(int)};
    return bytes[field->kind];
}

static dc_index dci_field_items(const dci_field *field, const dc_index *count)
{
    return dci_field_is_array(field) ? count[field->count] : field->count;
}

/* For functions that read or write an object; they only read a constant one. */
static void *dci_drop_const(const void *object)
{
    return (void *)(uintptr_t)object;
}

static void *dci_field_data(const void *object, const dci_field *field)
{
    unsigned char *at = (unsigned char *)dci_drop_const(object) + field->offset;
    void *array;
    if (!dci_field_is_array(field)) return at;
    DC_MEMCPY(&array, at, sizeof array);
    return array;
}

static void dci_fields_layout(dci_arena *arena, void *object, const dci_field *field,
                              const dc_index *count)
{
    for (; field->kind != DCI_END; field++) {
        if (!dci_field_is_array(field)) continue;
        void *array = dci_arena_take(arena, count[field->count], dci_field_item_bytes(field));
        DC_MEMCPY((unsigned char *)object + field->offset, &array, sizeof array);
    }
}

static void dci_fields_copy(void *to, const void *from, const dci_field *field,
                            const dc_index *count)
{
    for (; field->kind != DCI_END; field++) {
        size_t bytes = (size_t)dci_field_items(field, count) * dci_field_item_bytes(field);
        if (bytes > 0) DC_MEMCPY(dci_field_data(to, field), dci_field_data(from, field), bytes);
    }
}

/* ---- Snapshots ---- */

enum { DCI_SNAPSHOT_VERSION = 12, DCI_SNAPSHOT_SUM = 16, DCI_SNAPSHOT_BEGIN = 24 };
enum { DCI_SNAPSHOT_NAME = 0x6e736364 }; /* "dcsn", lowest byte first                            */
#define DCI_HASH_START UINT64_C(14695981039346656037)

typedef enum dci_snapshot_mode {
    DCI_SNAPSHOT_WRITE, /* to a block; without one: only measure and hash                        */
    DCI_SNAPSHOT_CHECK, /* whether a block can be loaded                                         */
    DCI_SNAPSHOT_COMPARE,
    DCI_SNAPSHOT_READ
} dci_snapshot_mode;

/* One pass over a state. */
typedef struct dci_snapshot {
    dci_snapshot_mode mode;
    unsigned char *to;         /* the block that is written, or NULL                             */
    const unsigned char *from; /* the block that is read, or NULL                                */
    size_t used, size;         /* [bytes] of the block                                           */
    uint64_t hash;             /* without a block: of the bytes that would be written            */
    const dci_relocation *to_place; /* a rigid motion to apply, without a block; or NULL          */
    dc_status status;
    dc_error *error;
} dci_snapshot;

static uint64_t dci_hash_byte(uint64_t hash, unsigned char byte)
{
    return (hash ^ byte) * UINT64_C(1099511628211);
}

static dci_snapshot dci_snapshot_begin(void)
{
    dci_snapshot s;
    DC_MEMSET(&s, 0, sizeof s);
    s.size = SIZE_MAX;
    s.hash = DCI_HASH_START;
    s.status = DC_OK;
    return s;
}

static void dci_snapshot_fail(dci_snapshot *s, const char *what, dc_index index)
{
    if (s->status == DC_OK) s->status = dci_bad(s->error, what, index, 0);
}

static void dci_snapshot_differs(dci_snapshot *s, const char *field, dc_index item)
{
    if (s->status == DC_OK)
        s->status = dci_bad_field(s->error, field, "this field differs from the snapshot", item, 0);
}

/* Writes or hashes a number, and returns it; or returns the one that it reads. */
static uint64_t dci_snapshot_bits(dci_snapshot *s, uint64_t bits, unsigned bytes)
{
    const size_t at = s->used;
    if (s->size - at < bytes) {
        dci_snapshot_fail(s, "the snapshot is cut short", DC_NONE);
        return bits;
    }
    s->used += bytes;
    if (s->from) {
        bits = 0;
        for (unsigned i = 0; i < bytes; i++) bits |= (uint64_t)s->from[at + i] << (8 * i);
    } else if (s->to) {
        for (unsigned i = 0; i < bytes; i++) s->to[at + i] = (unsigned char)(bits >> (8 * i));
    } else {
        for (unsigned i = 0; i < bytes; i++)
            s->hash = dci_hash_byte(s->hash, (unsigned char)(bits >> (8 * i)));
    }
    return bits;
}

/* Visits one item of the field `name`. Returns it, or the one in the block. */
static dc_real dci_snapshot_real(dci_snapshot *s, const char *name, dc_index item, dc_real *x)
{
    dci_bits own, found;
    dc_real value;
    DC_MEMCPY(&own, x, sizeof own);
    found = (dci_bits)dci_snapshot_bits(s, own, sizeof own);
    DC_MEMCPY(&value, &found, sizeof value);
    if (s->mode == DCI_SNAPSHOT_COMPARE && found != own) dci_snapshot_differs(s, name, item);
    if (s->mode == DCI_SNAPSHOT_CHECK && !(value - value == 0))
        dci_snapshot_fail(s, "a number of the snapshot is not finite", item);
    if (s->mode == DCI_SNAPSHOT_READ) *x = value;
    return value;
}

/* Likewise an integer, which must be from `least` to limit - 1. */
static dc_index dci_snapshot_index(dci_snapshot *s, const char *name, dc_index item, dc_index *x,
                                   dc_index least, dc_index limit)
{
    uint32_t found = (uint32_t)dci_snapshot_bits(s, (uint32_t)*x, sizeof found);
    dc_index value;
    DC_MEMCPY(&value, &found, sizeof value);
    if (s->mode == DCI_SNAPSHOT_COMPARE && value != *x) dci_snapshot_differs(s, name, item);
    if (s->mode == DCI_SNAPSHOT_COMPARE) value = *x;
    if (value < least || value >= limit) {
        dci_snapshot_fail(s, "an integer of the snapshot is out of range", item);
        return least;
    }
    if (s->mode == DCI_SNAPSHOT_READ) *x = value;
    return value;
}

static void dci_snapshot_flag(dci_snapshot *s, const char *name, dc_index item, int *flag)
{
    dc_index value = *flag;
    dci_snapshot_index(s, name, item, &value, 0, 2);
    if (s->mode == DCI_SNAPSHOT_READ) *flag = (int)value;
}

/* A vector that rigid motions leave as it is. */
static dc_vec3 dci_snapshot_load(dci_snapshot *s, const char *name, dc_index item, dc_vec3 *v)
{
    dc_vec3 found;
    found.x = dci_snapshot_real(s, name, item, &v->x);
    found.y = dci_snapshot_real(s, name, item, &v->y);
    found.z = dci_snapshot_real(s, name, item, &v->z);
    return found;
}

/* If reading, replaces v by `moved`, whose square must be finite, so that sums of squares are. */
static dc_vec3 dci_snapshot_relocate(dci_snapshot *s, dc_vec3 *v, dc_vec3 moved)
{
    if (s->status == DC_OK && !dci_is_finite(dci_dot(moved, moved)))
        s->status = dci_not_finite(
            s->error, "the new place of this body is not finite, or too far away", DC_NONE);
    if (s->mode == DCI_SNAPSHOT_READ) *v = moved;
    return moved;
}

static dc_vec3 dci_snapshot_vector(dci_snapshot *s, const char *name, dc_index item, dc_vec3 *v)
{
    if (s->to_place) return dci_snapshot_relocate(s, v, dci_relocate_vector(s->to_place, *v));
    return dci_snapshot_load(s, name, item, v);
}

static dc_vec3 dci_snapshot_point(dci_snapshot *s, const char *name, dc_index item, dc_vec3 *x)
{
    if (s->to_place) return dci_snapshot_relocate(s, x, dci_relocate_point(s->to_place, *x));
    return dci_snapshot_load(s, name, item, x);
}

/* Steps divide by the lengths of axes, which are 1 but for rounding. */
static void dci_snapshot_axes(dci_snapshot *s, const char *name, dc_vec3 *axis)
{
    dc_vec3 found[3];
    for (dc_index i = 0; i < 3; i++) found[i] = dci_snapshot_vector(s, name, i, axis + i);
    for (dc_index i = 0; s->mode == DCI_SNAPSHOT_CHECK && i < 3; i++)
        for (dc_index j = 0; j <= i; j++)
            if (!(dci_abs(dci_dot(found[i], found[j]) - (i == j)) <= DCI_R(0.01)))
                dci_snapshot_fail(s, "axes of the snapshot are not orthonormal", i);
}

static void dci_snapshot_item(dci_snapshot *s, const dci_field *field, void *data, dc_index i)
{
    dc_vec3 *v = (dc_vec3 *)data + i;
    switch (field->kind) {
    case DCI_POINTS:
    case DCI_OWN_POINT: dci_snapshot_point(s, field->name, i, v); return;
    case DCI_VECTORS:
    case DCI_OWN_VECTOR: dci_snapshot_vector(s, field->name, i, v); return;
    case DCI_LOADS: dci_snapshot_load(s, field->name, i, v); return;
    case DCI_FLAG: dci_snapshot_flag(s, field->name, i, (int *)data); return;
    case DCI_REALS:
    case DCI_NUMBERS: dci_snapshot_real(s, field->name, i, (dc_real *)data + i); return;
    case DCI_AXES: /* all at once */
    case DCI_END: return;
    }
}

static void dci_snapshot_fields(dci_snapshot *s, const void *object, const dci_field *field,
                                const dc_index *count)
{
    for (; field->kind != DCI_END; field++) {
        void *data = dci_field_data(object, field);
        dc_index n = dci_field_items(field, count), i;
        if (field->kind == DCI_AXES) dci_snapshot_axes(s, field->name, (dc_vec3 *)data);
        for (i = 0; i < n; i++) dci_snapshot_item(s, field, data, i);
    }
}

/* A number of the description; the snapshot must have the same. */
static void dci_snapshot_same(dci_snapshot *s, const char *field, uint64_t bits)
{
    if (dci_snapshot_bits(s, bits, sizeof bits) != bits) dci_snapshot_differs(s, field, DC_NONE);
}

static void dci_snapshot_same_reals(dci_snapshot *s, const char *field, const dc_real *x,
                                    dc_index count)
{
    dci_snapshot sum = dci_snapshot_begin(); /* writes: x stays */
    dc_index i;
    for (i = 0; i < count; i++) dci_snapshot_real(&sum, field, i, (dc_real *)dci_drop_const(x + i));
    dci_snapshot_same(s, field, sum.hash);
}

static void dci_snapshot_same_indices(dci_snapshot *s, const char *field, const dc_index *x,
                                      dc_index count)
{
    dci_snapshot sum = dci_snapshot_begin();
    for (dc_index i = 0; i < count; i++) dci_snapshot_bits(&sum, (uint32_t)x[i], sizeof x[i]);
    dci_snapshot_same(s, field, sum.hash);
}

/* The header without the checksum. Returns the total bytes, which may exceed a size_t. */
static uint64_t dci_snapshot_head(dci_snapshot *s, size_t bytes)
{
    if (dci_snapshot_bits(s, DCI_SNAPSHOT_NAME, 4) != DCI_SNAPSHOT_NAME)
        dci_snapshot_fail(s, "the block is not a snapshot", DC_NONE);
    if (dci_snapshot_bits(s, DCI_SNAPSHOT_VERSION, 1) != DCI_SNAPSHOT_VERSION)
        dci_snapshot_fail(s, "the snapshot has another version", DC_NONE);
    if (dci_snapshot_bits(s, sizeof(dc_real), 1) != sizeof(dc_real))
        dci_snapshot_fail(s, "the snapshot has another number type", DC_NONE);
    dci_snapshot_bits(s, 0, 2);
    return dci_snapshot_bits(s, bytes, 8);
}

static uint64_t dci_snapshot_sum(const unsigned char *block, size_t bytes)
{
    uint64_t hash = DCI_HASH_START;
    for (size_t i = 0; i < bytes; i++)
        if (i < DCI_SNAPSHOT_SUM || i >= DCI_SNAPSHOT_BEGIN) hash = dci_hash_byte(hash, block[i]);
    return hash;
}

/* Visits each number of an object's description and state. */
typedef void (*dci_snapshot_walk)(dci_snapshot *s, const void *object);

static size_t dci_snapshot_bytes(dci_snapshot_walk walk, const void *object)
{
    dci_snapshot s = dci_snapshot_begin();
    s.used = DCI_SNAPSHOT_BEGIN;
    walk(&s, object);
    return s.used;
}

static dc_status dci_snapshot_save(dci_snapshot_walk walk, const void *object, void *block,
                                   size_t bytes, dc_error *error)
{
    size_t needed = dci_snapshot_bytes(walk, object);
    dci_snapshot s = dci_snapshot_begin();
    if (!block || bytes < needed)
        return dci_fail_memory(error, "the block is too small for the snapshot", needed, bytes);
    s.to = (unsigned char *)block;
    s.size = needed;
    dci_snapshot_head(&s, needed);
    s.used = DCI_SNAPSHOT_BEGIN;
    walk(&s, object);
    s.used = DCI_SNAPSHOT_SUM;
    dci_snapshot_bits(&s, dci_snapshot_sum(s.to, needed), 8);
    return DC_OK;
}

/* Writes a state without a header to a block that is large enough, or reads it back. */
static void dci_snapshot_transfer(dci_snapshot_walk walk, const void *object,
                                  dci_snapshot_mode mode, unsigned char *block)
{
    dci_snapshot s = dci_snapshot_begin();
    s.mode = mode;
    if (mode == DCI_SNAPSHOT_WRITE)
        s.to = block;
    else
        s.from = block;
    walk(&s, object);
}

/* Checks the whole block, then compares the object with it, or loads it. */
static dc_status dci_snapshot_use(dci_snapshot_walk walk, const void *object,
                                  dci_snapshot_mode mode, const void *block, size_t bytes,
                                  dc_error *error)
{
    dci_snapshot s = dci_snapshot_begin();
    s.error = error;
    s.mode = DCI_SNAPSHOT_CHECK;
    s.from = (const unsigned char *)block;
    s.size = block ? bytes : 0;
    uint64_t total = dci_snapshot_head(&s, 0);
    if (s.status == DC_OK && (total > bytes || total < DCI_SNAPSHOT_BEGIN))
        dci_snapshot_fail(&s, "the snapshot is cut short", DC_NONE);
    if (s.status != DC_OK) return s.status;
    s.size = (size_t)total;
    if (dci_snapshot_bits(&s, 0, 8) != dci_snapshot_sum(s.from, s.size))
        dci_snapshot_fail(&s, "the snapshot is damaged", DC_NONE);
    if (s.status != DC_OK) return s.status;
    walk(&s, object);
    if (s.used != s.size) dci_snapshot_fail(&s, "the snapshot is damaged", DC_NONE);
    if (s.status != DC_OK) return s.status;
    s.mode = mode;
    s.used = DCI_SNAPSHOT_BEGIN;
    walk(&s, object);
    if (s.used != s.size) dci_snapshot_fail(&s, "the snapshot is damaged", DC_NONE);
    return s.status;
}

/* ---- Descriptions ----
   A table has a row for each field. Defaults, checks, errors and the comparison with a snapshot
   follow it. Vectors, and conditions on several fields, are checked apart. */

/* What a field may hold. */
typedef enum dci_rule {
    DCI_POSITIVE,     /* a real number above 0                                                   */
    DCI_NOT_NEGATIVE, /* of at least 0                                                           */
    DCI_FRACTION,     /* between 0 and 1                                                         */
    DCI_INDEX,        /* a dc_index from `least` to `most`                                       */
    DCI_CAPACITY,     /* likewise, or DC_NONE                                                    */
    DCI_CHOICE,       /* an enum from 0 to `most`                                                */
    DCI_ARRAY,        /* an address; NULL only if the index in the row above is 0                */
    DCI_SWITCH,       /* an int                                                                  */
    DCI_BITS          /* 32 of them                                                              */
} dci_rule;

typedef struct dci_entry {
    const char *name; /* NULL: the end of the table                                              */
    size_t offset;    /* in the description                                                      */
    dci_rule rule;
    dc_real usual; /* its default                                                                */
    dc_index least, most;
} dci_entry;

#define DCI_ENTRY(desc, field) #field, offsetof(desc, field)
#define DCI_ENTRY_NONE {NULL, 0, DCI_ARRAY, 0, 0, 0}

static int dci_entry_is_real(const dci_entry *entry)
{
    return entry->rule <= DCI_FRACTION;
}

/* Bytes of an enum with few values: one for some compilers. */
enum { DCI_CHOICE_BYTES = sizeof(dc_status) };

static dc_index dci_entry_index(const void *desc, const dci_entry *entry)
{
    const unsigned char *at = (const unsigned char *)desc + entry->offset;
    dc_index i;
    int number;
    if (entry->rule == DCI_CHOICE && DCI_CHOICE_BYTES == 1) return *at;
    if (entry->rule == DCI_CHOICE || entry->rule == DCI_SWITCH) {
        DC_MEMCPY(&number, at, sizeof number);
        return (dc_index)number;
    }
    DC_MEMCPY(&i, at, sizeof i);
    return i;
}

static dc_real dci_entry_value(const void *desc, const dci_entry *entry)
{
    const unsigned char *at = (const unsigned char *)desc + entry->offset;
    const void *array;
    dc_index i;
    dc_real x;
    if (entry->rule == DCI_ARRAY) {
        DC_MEMCPY(&array, at, sizeof array);
        return array != NULL;
    }
    if (!dci_entry_is_real(entry)) {
        i = dci_entry_index(desc, entry);
        return (dc_real)i;
    }
    DC_MEMCPY(&x, at, sizeof x);
    return x;
}

static void dci_desc_fill(void *desc, size_t bytes, const dci_entry *entry)
{
    DC_MEMSET(desc, 0, bytes);
    for (; entry->name; entry++) {
        unsigned char *at = (unsigned char *)desc + entry->offset;
        dc_index i = (dc_index)entry->usual;
        int number = (int)i;
        if (dci_entry_is_real(entry))
            DC_MEMCPY(at, &entry->usual, sizeof entry->usual);
        else if (entry->rule == DCI_CHOICE && DCI_CHOICE_BYTES == 1)
            *at = (unsigned char)number;
        else if (entry->rule == DCI_CHOICE || entry->rule == DCI_SWITCH)
            DC_MEMCPY(at, &number, sizeof number);
        else if (i != 0)
            DC_MEMCPY(at, &i, sizeof i);
    }
}

static int dci_entry_holds(const void *desc, const dci_entry *entry)
{
    dc_real x = dci_entry_value(desc, entry);
    int is_in = x >= (dc_real)entry->least && x <= (dc_real)entry->most;
    switch (entry->rule) {
    case DCI_POSITIVE: return dci_is_positive(x);
    case DCI_NOT_NEGATIVE: return dci_is_not_negative(x);
    case DCI_FRACTION: return x > 0 && x < 1;
    case DCI_INDEX:
    case DCI_CHOICE: return is_in;
    case DCI_CAPACITY: return is_in || x == DC_NONE;
    case DCI_ARRAY: return x > 0 || dci_entry_index(desc, entry - 1) == 0;
    case DCI_SWITCH:
    case DCI_BITS: break;
    }
    return 1;
}

static dc_status dci_desc_check(const void *desc, const dci_entry *entry, dc_error *error)
{
    static const char *const fault[] = {"this field is not positive and finite",
                                        "this field is negative or not finite",
                                        "this field is not between 0 and 1",
                                        "this field is too small or too large",
                                        "this field is neither DC_NONE nor in its range",
                                        "this field is not one of its values",
                                        "this array is missing"};
    for (; entry->name; entry++)
        if (!dci_entry_holds(desc, entry))
            return dci_bad_field(error, entry->name, fault[entry->rule], DC_NONE,
                                 dci_entry_value(desc, entry));
    return DC_OK;
}

static void dci_snapshot_desc(dci_snapshot *s, const void *desc, const dci_entry *entry)
{
    for (; entry->name; entry++) {
        dc_real x = dci_entry_value(desc, entry);
        if (dci_entry_is_real(entry))
            dci_snapshot_same_reals(s, entry->name, &x, 1);
        else if (entry->rule == DCI_SWITCH)
            dci_snapshot_same(s, entry->name, x != 0);
        else if (entry->rule != DCI_ARRAY)
            dci_snapshot_same(s, entry->name, (uint32_t)dci_entry_index(desc, entry));
    }
}

#endif /* DC_ONLY_SPARSE */

#ifndef DC_NO_MESH

/* ============================================================================================
 * 7 MESH                                                                                 dci_mesh
 *
 * Derives edges, neighbours, fans (the corners around each vertex) and the rest shape from a list
 * of triangles. A triangle's edge has the number of the opposite corner:
 *
 *              c                    edge c runs from corner c+1 to corner c+2, so that
 *             / \                   the triangle lies to its left
 *     edge   /   \  edge
 *     c+2   /     \  c+1            (c+1 and c+2 are taken modulo 3)
 *         c+1-----c+2
 *            edge c
 *
 * The rest shape is three lengths for each triangle, without positions. A garment is not planar as
 * a whole, but two neighbouring triangles can be laid in one plane. No more is needed later:
 *
 *            apex             the frame of edge c: its origin is corner c+1, its first axis lies
 *            /|\              along the edge, its second axis points into the triangle
 *           / |h\
 *          /__|__\            foot = (a^2 + b^2 - d^2) / (2 a)    a = |edge c|, b = |c+1 apex|,
 *          foot               h = 2 area / a                      d = |c+2 apex|       (7.1)
 *
 * Running example: edges sorted by vertices are 01 02 03 12 23, e0 to e4. Of the two corners
 * opposite an edge, the lower-numbered one is on its left: corner 1 for e1, which runs from 2 to 0.
 *
 * Two vertices of an inextensible sheet are never farther apart than along edges. Shortest paths
 * are found with a queue of vertices whose distance has decreased, a few times each, [Bel58].
 *
 *     distance(to) = min( distance(to), distance(v) + |edge| )                         (7.2)
 * ============================================================================================ */

/* Least area over longest edge squared, because chapter 16 divides by the area. Lengths with errors
   of 3.5 u, the unit roundoff, give collinear corners sqrt(7 u / 8): 9.9e-9 (single: 2.3e-4). */
#define DCI_AREA_MIN (sizeof(dc_real) == 4 ? DCI_R(2.5e-4) : DCI_R(1e-8))

static dc_index dci_corner_next(dc_index q)
{
    return q % 3 == 2 ? q - 2 : q + 1;
}

static dc_index dci_corner_prev(dc_index q)
{
    return q % 3 == 0 ? q + 2 : q - 1;
}

/* The vertex's corner in the next triangle counter-clockwise; DC_NONE at a border. */
static dc_index dci_corner_ccw(const dc_mesh *mesh, dc_index q)
{
    dc_index opposite = dci_corner_next(q), edge = mesh->edge_of_corner[opposite];
    dc_index other = mesh->corner_of_edge[2 * edge] == opposite ? mesh->corner_of_edge[2 * edge + 1]
                                                                : mesh->corner_of_edge[2 * edge];
    return other == DC_NONE ? DC_NONE : dci_corner_next(other);
}

static int dci_edge_is_boundary(const dc_mesh *mesh, dc_index e)
{
    return mesh->corner_of_edge[2 * e + 1] == DC_NONE;
}

/* Foot and height (7.1) for the edge opposite corner q. */
static dc_vec2 dci_corner_apex(const dc_mesh *mesh, dc_index q)
{
    dc_real a = mesh->rest_length[q], b = mesh->rest_length[dci_corner_prev(q)],
            d = mesh->rest_length[dci_corner_next(q)];
    dc_vec2 apex;
    apex.x = (a * a + (b - d) * (b + d)) / (2 * a);
    apex.y = 2 * mesh->rest_area[q / 3] / a;
    return apex;
}

static dc_real dci_corner_angle(const dc_mesh *mesh, dc_index q)
{
    dc_vec2 apex = dci_corner_apex(mesh, dci_corner_prev(q)); /* seen along q -> q+1 */
    return dc_atan2(apex.y, apex.x);
}

/* The edge between two vertices, or DC_NONE. Edges are sorted by lower end, then by higher end. */
static dc_index dci_mesh_find_edge(const dc_mesh *mesh, dc_index a, dc_index b)
{
    dc_index low = dci_index_min(a, b), high = dci_index_max(a, b);
    dc_index first = 0, last = mesh->edge_count;
    while (first < last) {
        dc_index e = first + (last - first) / 2;
        const dc_index *end = mesh->edge_vertices + 2 * e;
        dc_index below = dci_index_min(end[0], end[1]), above = dci_index_max(end[0], end[1]);
        if (below == low && above == high) return e;
        if (below < low || (below == low && above < high))
            first = e + 1;
        else
            last = e;
    }
    return DC_NONE;
}

/* The rest length of an edge: the mean if its two triangles disagree. */
static dc_real dci_edge_length(const dc_mesh *mesh, dc_index e)
{
    dc_index left = mesh->corner_of_edge[2 * e], right = mesh->corner_of_edge[2 * e + 1];
    dc_real length = mesh->rest_length[left];
    return right == DC_NONE ? length : (length + mesh->rest_length[right]) / 2;
}

static dc_status dci_mesh_check_counts(const dc_mesh_desc *desc, dc_error *error)
{
    if (!(desc->vertex_count > 0)) return dci_bad(error, "the mesh has no vertices", DC_NONE, 0);
    if (!(desc->triangle_count > 0)) return dci_bad(error, "the mesh has no triangles", DC_NONE, 0);
    if (desc->vertex_count > DCI_COUNT_MAX || desc->triangle_count > DCI_COUNT_MAX)
        return dci_fail(error, DC_TOO_LARGE, "more than 50 million vertices or triangles", DC_NONE,
                        0);
    if (!desc->positions || !desc->triangles)
        return dci_bad(error, "positions or triangles are missing", DC_NONE, 0);
    return DC_OK;
}

static dc_status dci_mesh_check_finite(const dc_mesh_desc *desc, dc_error *error)
{
    dc_index i, corner_count = 3 * desc->triangle_count;
    i = dci_first_not_finite(desc->positions, desc->vertex_count);
    if (i != DC_NONE) return dci_not_finite(error, "the position of this vertex is not finite", i);
    for (i = 0; desc->flat_vertices && i < desc->vertex_count; i++)
        if (!dci_is_finite(desc->flat_vertices[i].x) || !dci_is_finite(desc->flat_vertices[i].y))
            return dci_not_finite(error, "the flat position of this vertex is not finite", i);
    for (i = 0; desc->flat_corners && i < corner_count; i++)
        if (!dci_is_finite(desc->flat_corners[i].x) || !dci_is_finite(desc->flat_corners[i].y))
            return dci_not_finite(error, "the flat position of this corner is not finite", i);
    for (i = 0; desc->rest_lengths && i < corner_count; i++)
        if (!dci_is_finite(desc->rest_lengths[i]))
            return dci_not_finite(error, "the rest length opposite this corner is not finite", i);
    return DC_OK;
}

static dc_status dci_mesh_check_vertices(const dc_mesh_desc *desc, dc_error *error)
{
    for (dc_index t = 0; t < desc->triangle_count; t++) {
        const dc_index *vertex = desc->triangles + 3 * t;
        for (dc_index c = 0; c < 3; c++)
            if (vertex[c] < 0 || vertex[c] >= desc->vertex_count)
                return dci_fail(error, DC_BAD_MESH,
                                "this triangle names a vertex that does not exist", t,
                                (dc_real)vertex[c]);
        if (vertex[0] == vertex[1] || vertex[1] == vertex[2] || vertex[2] == vertex[0])
            return dci_fail(error, DC_BAD_MESH, "this triangle names the same vertex twice", t, 0);
    }
    return DC_OK;
}

/* ---- Edges ---- */

/* Sorts half-edges, the sides of triangles, by their ends. Each is named by its opposite corner. */
static void dci_mesh_sort_half_edges(const dc_mesh *mesh, dc_index *sorted, dc_index *key,
                                     dc_index *other, dc_index *start)
{
    const dc_index *v = mesh->triangles;
    dc_index corner_count = 3 * mesh->triangle_count, q;
    for (q = 0; q < corner_count; q++) {
        key[q] = dci_index_max(v[dci_corner_next(q)], v[dci_corner_prev(q)]);
        sorted[q] = q;
    }
    dci_index_sort(corner_count, key, mesh->vertex_count, sorted, other, start);
    for (q = 0; q < corner_count; q++)
        key[q] = dci_index_min(v[dci_corner_next(q)], v[dci_corner_prev(q)]);
    dci_index_sort(corner_count, key, mesh->vertex_count, other, sorted, start);
}

static int dci_mesh_same_edge(const dc_mesh *mesh, dc_index q, dc_index r)
{
    dc_index q0 = mesh->triangles[dci_corner_next(q)], q1 = mesh->triangles[dci_corner_prev(q)];
    dc_index r0 = mesh->triangles[dci_corner_next(r)], r1 = mesh->triangles[dci_corner_prev(r)];
    return (q0 == r0 && q1 == r1) || (q0 == r1 && q1 == r0);
}

/* Counts the edges; lists their ends if there is an array. */
static dc_index dci_mesh_list_edges(const dc_mesh *mesh, const dc_index *sorted)
{
    dc_index count = 0, i;
    for (i = 0; i < 3 * mesh->triangle_count; i++) {
        if (i > 0 && dci_mesh_same_edge(mesh, sorted[i - 1], sorted[i])) continue;
        if (mesh->edge_vertices) {
            mesh->edge_vertices[2 * count] = mesh->triangles[dci_corner_next(sorted[i])];
            mesh->edge_vertices[2 * count + 1] = mesh->triangles[dci_corner_prev(sorted[i])];
        }
        count++;
    }
    return count;
}

/* `third` is DC_NONE if an edge has only two half-edges. A duplicate triangle is reported before
   other faults of the edge, because it should be removed, not reversed. */
static dc_status dci_mesh_check_edge(const dc_mesh *mesh, dc_index left, dc_index right,
                                     dc_index third, dc_error *error)
{
    const dc_index *vertex = mesh->triangles; /* opposite the edge: the same for twins */
    int is_against = vertex[dci_corner_next(left)] == vertex[dci_corner_next(right)];
    dc_index twin = DC_NONE;
    if (third == DC_NONE && !is_against) return DC_OK;
    if (vertex[left] == vertex[right])
        twin = right;
    else if (third != DC_NONE && (vertex[left] == vertex[third] || vertex[right] == vertex[third]))
        twin = third;
    if (twin != DC_NONE)
        return dci_fail(error, DC_BAD_MESH,
                        "this triangle has the vertices of another one: it is there twice",
                        twin / 3, 0);
    if (third != DC_NONE)
        return dci_fail(error, DC_BAD_MESH, "this triangle is the third on one of its edges",
                        third / 3, 0);
    return dci_fail(error, DC_BAD_MESH, "this triangle is oriented against its neighbour",
                    right / 3, 0);
}

/* One half-edge makes a border edge, two make an inner edge; more are an error. */
static dc_status dci_mesh_build_edges(dc_mesh *mesh, const dc_index *sorted, dc_error *error)
{
    dc_index corner_count = 3 * mesh->triangle_count, place = 0, e = 0;
    while (place < corner_count) {
        dc_index left = sorted[place++], right = DC_NONE, third = DC_NONE;
        dc_status status = DC_OK;
        if (place < corner_count && dci_mesh_same_edge(mesh, left, sorted[place]))
            right = sorted[place++];
        if (place < corner_count && dci_mesh_same_edge(mesh, left, sorted[place]))
            third = sorted[place];
        if (right != DC_NONE) status = dci_mesh_check_edge(mesh, left, right, third, error);
        if (status != DC_OK) return status;
        mesh->corner_of_edge[2 * e] = left;
        mesh->corner_of_edge[2 * e + 1] = right;
        mesh->edge_of_corner[left] = e;
        if (right != DC_NONE) mesh->edge_of_corner[right] = e;
        mesh->boundary_edge_count += right == DC_NONE;
        e++;
    }
    return DC_OK;
}

/* ---- Rest shape ---- */

/* The length of the edge opposite corner q, from the first of the sources in dc_mesh_desc. */
static dc_real dci_mesh_given_length(const dc_mesh_desc *desc, dc_index q)
{
    dc_index next = dci_corner_next(q), prev = dci_corner_prev(q);
    dc_index from = desc->triangles[next], to = desc->triangles[prev];
    if (desc->rest_lengths) return desc->rest_lengths[q];
    if (!desc->flat_corners && !desc->flat_vertices)
        return dci_norm(dci_vec_sub(desc->positions[to], desc->positions[from]));
    dc_vec2 a = desc->flat_corners ? desc->flat_corners[next] : desc->flat_vertices[from];
    dc_vec2 b = desc->flat_corners ? desc->flat_corners[prev] : desc->flat_vertices[to];
    return DC_SQRT((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y));
}

/* Heron's formula without cancellation, [Kah14]. Returns 0 if the lengths form no triangle. */
static dc_real dci_triangle_area(dc_real a, dc_real b, dc_real c)
{
    dc_real product, swap;
    if (a < b) swap = a, a = b, b = swap;
    if (b < c) swap = b, b = c, c = swap;
    if (a < b) swap = a, a = b, b = swap;
    product = (a + (b + c)) * (c - (a - b)) * (c + (a - b)) * (a + (b - c));
    return product > 0 ? DC_SQRT(product) / 4 : 0;
}

static dc_status dci_mesh_build_shape(dc_mesh *mesh, const dc_mesh_desc *desc, dc_error *error)
{
    for (dc_index t = 0; t < mesh->triangle_count; t++) {
        dc_real *length = mesh->rest_length + 3 * t, longest;
        for (dc_index c = 0; c < 3; c++) length[c] = dci_mesh_given_length(desc, 3 * t + c);
        longest = dci_max(length[0], dci_max(length[1], length[2]));
        if (!(dci_min(length[0], dci_min(length[1], length[2])) > 0))
            return dci_fail(error, DC_BAD_MESH, "an edge of this triangle has no length", t, 0);
        mesh->rest_area[t] = dci_triangle_area(length[0], length[1], length[2]);
        if (!dci_is_finite(longest * longest * longest * longest))
            return dci_fail(error, DC_BAD_MESH, "this triangle is too large to compute its area", t,
                            longest);
        if (!(mesh->rest_area[t] > DCI_AREA_MIN * longest * longest))
            return dci_fail(error, DC_BAD_MESH, "this triangle has no area", t, mesh->rest_area[t]);
    }
    return DC_OK;
}

/* ---- Fans ---- */

static void dci_mesh_add_fan(dc_mesh *mesh, dc_index first, dc_index *is_used)
{
    dc_index place = mesh->fan_start[mesh->fan_count], q = first;
    do {
        is_used[q] = 1;
        mesh->fan_corner[place++] = q;
        q = dci_corner_ccw(mesh, q);
    } while (q != DC_NONE && q != first);
    mesh->fan_start[++mesh->fan_count] = place;
}

/* Open fans begin at their most clockwise corner, closed ones at their lowest-numbered. */
static void dci_mesh_build_fans(dc_mesh *mesh, dc_index *is_used)
{
    dc_index corner_count = 3 * mesh->triangle_count, q;
    mesh->fan_start[0] = 0;
    dci_index_fill(is_used, corner_count, 0);
    for (q = 0; q < corner_count; q++)
        if (dci_edge_is_boundary(mesh, mesh->edge_of_corner[dci_corner_prev(q)]))
            dci_mesh_add_fan(mesh, q, is_used);
    for (q = 0; q < corner_count; q++)
        if (!is_used[q]) dci_mesh_add_fan(mesh, q, is_used);
}

static int dci_fan_is_closed(const dc_mesh *mesh, dc_index fan)
{
    dc_index first = mesh->fan_corner[mesh->fan_start[fan]];
    return !dci_edge_is_boundary(mesh, mesh->edge_of_corner[dci_corner_prev(first)]);
}

static void dci_mesh_add_counts(dc_mesh *sum, const dc_mesh *mesh)
{
    sum->vertex_count += mesh->vertex_count;
    sum->edge_count += mesh->edge_count;
    sum->triangle_count += mesh->triangle_count;
}

static void dci_mesh_layout_corners(dci_arena *arena, dc_mesh *mesh)
{
    dc_index corner_count = 3 * mesh->triangle_count;
    mesh->triangles = dci_arena_indices(arena, corner_count);
    mesh->edge_of_corner = dci_arena_indices(arena, corner_count);
    mesh->fan_corner = dci_arena_indices(arena, corner_count);
    mesh->rest_length = dci_arena_reals(arena, corner_count);
    mesh->rest_area = dci_arena_reals(arena, mesh->triangle_count);
}

static void dci_mesh_layout_edges(dci_arena *arena, dc_mesh *mesh)
{
    mesh->edge_vertices = dci_arena_indices(arena, 2 * mesh->edge_count);
    mesh->corner_of_edge = dci_arena_indices(arena, 2 * mesh->edge_count);
}

typedef struct dci_mesh_work {
    dc_index *sorted, *key, *other; /* (3 triangle_count), the last and one more                 */
    dc_index *start;                /* (vertex_count + 1)                                        */
} dci_mesh_work;

static void dci_mesh_work_layout(dci_arena *arena, dci_mesh_work *work, const dc_mesh *mesh)
{
    dc_index corner_count = 3 * mesh->triangle_count;
    work->sorted = dci_arena_indices(arena, corner_count);
    work->key = dci_arena_indices(arena, corner_count);
    work->other = dci_arena_indices(arena, corner_count + 1);
    work->start = dci_arena_indices(arena, mesh->vertex_count + 1);
}

/* Edges of a soup may have any triangles in any orientation: only edge_vertices is set. */
static dc_status dci_mesh_build(const dc_mesh_desc *desc, int is_soup, dci_arena *arena,
                                dc_mesh *mesh, dc_error *error)
{
    dci_mesh_work work;
    dc_status status;

    /* Check the input, and take memory for what its counts determine. */
    if ((status = dci_mesh_check_finite(desc, error)) != DC_OK) return status;
    if ((status = dci_mesh_check_vertices(desc, error)) != DC_OK) return status;
    DC_MEMSET(mesh, 0, sizeof *mesh);
    mesh->vertex_count = desc->vertex_count;
    mesh->triangle_count = desc->triangle_count;
    dci_mesh_layout_corners(arena, mesh);
    dci_work before = dci_arena_begin_work(arena);
    dci_mesh_work_layout(arena, &work, mesh);
    dci_arena_to_front(arena);
    if (arena->is_short) return dci_arena_fail(arena, error);

    /* Find the edges; compute lengths and areas. */
    DC_MEMCPY(mesh->triangles, desc->triangles,
              3 * (size_t)mesh->triangle_count * sizeof(dc_index));
    dci_mesh_sort_half_edges(mesh, work.sorted, work.key, work.other, work.start);
    mesh->edge_count = dci_mesh_list_edges(mesh, work.sorted);
    dci_mesh_layout_edges(arena, mesh);
    if (arena->is_short) return dci_arena_fail(arena, error);
    dci_mesh_list_edges(mesh, work.sorted);
    if (!is_soup) status = dci_mesh_build_edges(mesh, work.sorted, error);
    if (status != DC_OK) return status;
    if ((status = dci_mesh_build_shape(mesh, desc, error)) != DC_OK) return status;

    /* Find the fans. */
    if (!is_soup) {
        mesh->fan_start = work.other; /* until they are counted */
        dci_mesh_build_fans(mesh, work.key);
        mesh->fan_start = (dc_index *)dci_arena_copy(arena, work.other, mesh->fan_count + 1,
                                                     sizeof(dc_index));
        if (arena->is_short) return dci_arena_fail(arena, error);
    }
    dci_arena_end_work(arena, before);
    return DC_OK;
}

size_t dc_mesh_bytes(dc_index vertex_count, dc_index triangle_count)
{
    dci_arena arena = dci_arena_measure();
    dci_mesh_work work;
    dc_mesh mesh;
    if (!dci_is_count(vertex_count, 1) || !dci_is_count(triangle_count, 1)) return 0;
    DC_MEMSET(&mesh, 0, sizeof mesh);
    mesh.vertex_count = vertex_count;
    mesh.triangle_count = triangle_count;
    mesh.edge_count = 3 * triangle_count;
    dci_mesh_layout_corners(&arena, &mesh);
    dci_mesh_layout_edges(&arena, &mesh);
    mesh.fan_start = dci_arena_indices(&arena, 3 * triangle_count + 1);
    dci_mesh_work_layout(&arena, &work, &mesh);
    return arena.is_short ? 0 : dci_arena_bytes(&arena);
}

dc_status dc_mesh_init(const dc_mesh_desc *desc, void *memory, size_t bytes, dc_mesh *mesh,
                       dc_error *error)
{
    dci_enter(error, "dc_mesh_init");
    dci_arena arena = dci_arena_over(memory, bytes);
    dc_mesh built;
    dc_status status = dci_mesh_check_counts(desc, error);
    if (status != DC_OK) return status;
    size_t needed = dc_mesh_bytes(desc->vertex_count, desc->triangle_count);
    if (needed == 0) return dci_fail(error, DC_TOO_LARGE, "size overflows size_t", DC_NONE, 0);
    if (bytes < needed || !memory)
        return dci_fail_memory(error, "memory is too small", needed, bytes);
    status = dci_mesh_build(desc, 0, &arena, &built, error);
    if (status != DC_OK) return status;
    *mesh = built;
    return dci_succeed(error);
}

/* ---- Midpoints, pieces, normals ---- */

static void dci_mesh_midpoints(const dc_mesh *mesh, const dc_vec3 *x, dc_vec3 *middle)
{
    for (dc_index e = 0; e < mesh->edge_count; e++) {
        const dc_index *end = mesh->edge_vertices + 2 * e;
        middle[e] = dci_vec_scale(DCI_R(0.5), dci_vec_add(x[end[0]], x[end[1]]));
    }
}

/* Finds the pieces of a mesh: for each of n vertices or edges, given by corner, the lowest number
   of its piece. */
static void dci_mesh_pieces(const dc_mesh *mesh, const dc_index *of_corner, dc_index n,
                            dc_index *piece)
{
    for (dc_index k = 0; k < n; k++) piece[k] = k;
    for (dc_index k = 0; k < 3 * mesh->triangle_count; k++)
        dci_index_unite(piece, of_corner[k], of_corner[dci_corner_next(k)]);
    for (dc_index k = 0; k < n; k++) piece[k] = dci_index_root(piece, k);
}

void dc_mesh_normals(const dc_mesh *mesh, const dc_vec3 *positions, dc_vec3 *normals)
{
    for (dc_index v = 0; v < mesh->vertex_count; v++) normals[v] = dci_vec(0, 0, 0);
    for (dc_index t = 0; t < mesh->triangle_count; t++) {
        const dc_index *corner = mesh->triangles + 3 * t;
        dc_vec3 x = positions[corner[0]];
        dc_vec3 area =
            dci_cross(dci_vec_sub(positions[corner[1]], x), dci_vec_sub(positions[corner[2]], x));
        for (dc_index c = 0; c < 3; c++) normals[corner[c]] = dci_vec_add(normals[corner[c]], area);
    }
    for (dc_index v = 0; v < mesh->vertex_count; v++) {
        dc_real length = dci_norm(normals[v]);
        if (length > 0) normals[v] = dci_vec_scale(1 / length, normals[v]);
    }
}

/* ---- Shortest paths ---- */

enum { DCI_TAUT_SOURCES_MAX = 32 }; /* held vertices from which planning (41) seeks taut paths    */

typedef struct dci_paths {
    dc_index *start, *edge;   /* edges of each vertex: (vertex_count + 1), (2 edge_count)        */
    dc_real *distance;        /* (vertex_count)                                                  */
    dc_index *steps;          /* (vertex_count) edges of the path                                */
    dc_index *queue;          /* (vertex_count) a ring of vertices that wait                     */
    unsigned char *is_queued; /* (vertex_count)                                                  */
} dci_paths;

static void dci_paths_layout(dci_arena *arena, dci_paths *paths, const dc_mesh *mesh)
{
    paths->start = dci_arena_indices(arena, mesh->vertex_count + 1);
    paths->edge = dci_arena_indices(arena, 2 * mesh->edge_count);
    paths->distance = dci_arena_reals(arena, mesh->vertex_count);
    paths->steps = dci_arena_indices(arena, mesh->vertex_count);
    paths->queue = dci_arena_indices(arena, mesh->vertex_count);
    paths->is_queued = (unsigned char *)dci_arena_take(arena, mesh->vertex_count, 1);
}

/* Paths from `source` end at other held vertices. held[v]: v's number among these, or DC_NONE. */
static void dci_paths_find(dci_paths *paths, const dc_mesh *mesh, const dc_index *held,
                           dc_index source)
{
    dc_index n = mesh->vertex_count, first = 0, count = 1, v, k;
    for (v = 0; v < n; v++) {
        paths->distance[v] = DCI_REAL_MAX;
        paths->is_queued[v] = 0;
    }
    paths->distance[source] = 0;
    paths->steps[source] = 0;
    paths->queue[0] = source;
    while (count > 0) {
        v = paths->queue[first];
        paths->is_queued[v] = 0;
        first = (first + 1) % n;
        count--;
        if (held[v] != DC_NONE && v != source) continue;
        for (k = paths->start[v]; k < paths->start[v + 1]; k++) {
            dc_index e = paths->edge[k];
            dc_index to = mesh->edge_vertices[2 * e] == v ? mesh->edge_vertices[2 * e + 1]
                                                          : mesh->edge_vertices[2 * e];
            dc_real length = paths->distance[v] + dci_edge_length(mesh, e);
            if (!(length < paths->distance[to])) continue;
            paths->distance[to] = length; /* (7.2) */
            paths->steps[to] = paths->steps[v] + 1;
            if (paths->is_queued[to]) continue;
            paths->is_queued[to] = 1;
            paths->queue[(first + count++) % n] = to;
        }
    }
}

/* Finds held vertices at least `part` times as far apart at x as along `steps` edges or more. */
static void dci_paths_find_taut(dci_paths *paths, const dc_mesh *mesh, const dc_index *held,
                                const dc_vec3 *x, dc_real part, dc_index steps, dc_index taut[2])
{
    dc_index v, to, sources = 0;
    dci_index_star(mesh->vertex_count, mesh->edge_vertices, mesh->edge_count, 2, paths->start,
                   paths->edge);
    for (v = 0; v < mesh->vertex_count && sources < DCI_TAUT_SOURCES_MAX; v++) {
        if (held[v] == DC_NONE) continue;
        sources++;
        dci_paths_find(paths, mesh, held, v);
        for (to = 0; to < mesh->vertex_count; to++) {
            dc_real length = paths->distance[to];
            if (to == v || held[to] == DC_NONE || length == DCI_REAL_MAX) continue;
            if (paths->steps[to] < steps) continue;
            if (!(dci_norm(dci_vec_sub(x[to], x[v])) >= part * length)) continue;
            taut[0] = dci_index_min(held[v], held[to]);
            taut[1] = dci_index_max(held[v], held[to]);
            return;
        }
    }
}

/* ============================================================================================
 * 8 GRID                                                                                 dci_grid
 *
 * Makes a rectangle of cells, the simplest mesh.
 *
 *     j up  d---c         each cell is cut along a-c  /  or b-d  \
 *           | / |
 *           a---b         i to the right
 * ============================================================================================ */

static void dci_grid_cut(dc_index columns, dc_index rows, dc_diagonals diagonals,
                         dc_index *triangles)
{
    dc_index i, j, k, count = 0;
    for (j = 0; j < rows; j++)
        for (i = 0; i < columns; i++) {
            dc_index a = j * (columns + 1) + i, b = a + 1, d = b + columns, c = d + 1;
            int is_forward = diagonals == DC_DIAGONALS_FORWARD ||
                             (diagonals == DC_DIAGONALS_HERRINGBONE && i % 2 == 0);
            const dc_index corners[6] = {a, b, is_forward ? c : d, is_forward ? a : b, c, d};
            for (k = 0; k < 6; k++) triangles[count++] = corners[k];
        }
}

dc_mesh_desc dc_grid(dc_index columns, dc_index rows, dc_real width, dc_real height,
                     dc_diagonals diagonals, dc_vec3 *positions, dc_index *triangles)
{
    dc_mesh_desc mesh;
    DC_ASSERT(columns > 0 && rows > 0);
    for (dc_index j = 0; j <= rows; j++)
        for (dc_index i = 0; i <= columns; i++)
            positions[j * (columns + 1) + i] = dci_vec(width * (dc_real)i / (dc_real)columns,
                                                       height * ((dc_real)j / (dc_real)rows), 0);
    dci_grid_cut(columns, rows, diagonals, triangles);
    DC_MEMSET(&mesh, 0, sizeof mesh);
    mesh.vertex_count = DC_GRID_VERTICES(columns, rows);
    mesh.triangle_count = DC_GRID_TRIANGLES(columns, rows);
    mesh.positions = positions;
    mesh.triangles = triangles;
    return mesh;
}

#endif /* DC_NO_MESH */

/* ============================================================================================
 * 9 SPARSE                                                                   dci_sparse, dci_gram
 *
 * The systems of a time step are sparse and symmetric. Chapters 9 to 14 store them, and solve them
 * by factors or by iteration. Symbols, with names in code and shapes (i, j, l are indices):
 *
 *     A, a_ij     a                 (n, n), from (10.1) on symmetric and positive definite
 *     x, b, y     x, b, y           (n) A x = b or y = A x; L y = b
 *     X, w, G     x, weights, gram  (rows, columns), (rows), (columns)^2 of (9.2)
 *     L           upper, panel      (n, n) lower triangular, A = L L^T; stored as L^T, or in blocks
 *     k           k, pivot          the unknown eliminated k-th; a row or column of L
 *     v, h        v, level          node of the graph of A, level of a cut (11.1)
 *     -           d, c              the objects of chapters 11 and 13
 *     F, L11, L21 panel             columns of a supernode before and after (13.2)
 *     T, I, J     DCI_TILE          size of a tile; numbers of blocks of T rows (13.3)
 *     P           precondition      (n, n) close to A^-1
 *     r, z, s, q  r, z, s, q        (n) residual, P r, search direction, A s
 *
 * Matrices are stored by compressed rows and built row by row. Two products are needed:
 *
 *     y = A x                                                                          (9.1)
 *     G = sum over rows l of w_l X_l^T X_l = X^T diag(w) X      the weighted Gram matrix (9.2)
 *
 * Bending, damping and jump penalties are sums of squares: their Hessian is (9.2), with a row of X
 * per square. The first factor of (18.3) is also (9.2), with the transposed weights as X.
 *
 *     row l of X     . . 3 . 5 . .         adds    9 w   15 w   at (2, 2) and (2, 4),
 *                        2   4                    15 w   25 w   at (4, 2) and (4, 4)
 *
 * G has an entry (i, j) if some row of X has entries in columns i and j. Only j <= i is stored, the
 * diagonal first in each row. The pattern is found once. Most of the work is then to find entries,
 * by marks on columns. So up to four adjacent rows with the same columns are added together.
 * ============================================================================================ */

/* Returns sum + (row i of A) x. */
static dc_vec3 dci_sparse_row(const dc_sparse *a, dc_index i, const dc_vec3 *x, dc_vec3 sum)
{
    for (dc_index p = a->start[i]; p < a->start[i + 1]; p++)
        sum = dci_vec_axpy(sum, a->value[p], x[a->column[p]]);
    return sum;
}

/* The transpose: y += factor (row i of A)^T x. */
static void dci_sparse_row_transposed(const dc_sparse *a, dc_index i, dc_real factor, dc_vec3 x,
                                      dc_vec3 *y)
{
    for (dc_index p = a->start[i]; p < a->start[i + 1]; p++)
        y[a->column[p]] = dci_vec_axpy(y[a->column[p]], factor * a->value[p], x);
}

#ifndef DC_NO_SPARSE

void dc_sparse_multiply(const dc_sparse *a, dc_index width, const dc_real *x, dc_real *y)
{
    for (dc_index i = 0; i < a->row_count; i++) {
        for (dc_index k = 0; k < width; k++) y[i * width + k] = 0;
        for (dc_index p = a->start[i]; p < a->start[i + 1]; p++)
            for (dc_index k = 0; k < width; k++)
                y[i * width + k] += a->value[p] * x[a->column[p] * width + k];
    }
}

/* y += A^T x */
static void dci_sparse_apply_transposed(const dc_sparse *a, const dc_vec3 *x, dc_vec3 *y)
{
    for (dc_index i = 0; i < a->row_count; i++) dci_sparse_row_transposed(a, i, 1, x[i], y);
}

/* `nonzero_count` may be an upper bound. */
static void dci_sparse_layout(dci_arena *arena, dc_sparse *a, dc_index row_count,
                              dc_index column_count, dc_index nonzero_count)
{
    a->row_count = row_count;
    a->column_count = column_count;
    a->start = dci_arena_indices(arena, row_count + 1);
    a->column = dci_arena_indices(arena, nonzero_count);
    a->value = dci_arena_reals(arena, nonzero_count);
}

/* ---- Building a matrix row by row ---- */

/* place[column] is the column's last entry; it is in the current row if it is >= begin. */
dc_sparse_builder dc_sparse_begin(dc_sparse *matrix, dc_index capacity, dc_index *work)
{
    dc_sparse_builder builder;
    builder.matrix = matrix;
    builder.place = work;
    builder.row = builder.begin = builder.end = 0;
    builder.capacity = capacity;
    builder.bad_row = DC_NONE;
    matrix->start[0] = 0;
    dci_index_fill(work, matrix->column_count, DC_NONE);
    return builder;
}

void dc_sparse_add(dc_sparse_builder *builder, dc_index column, dc_real value)
{
    dc_sparse *matrix = builder->matrix;
    if (column < 0 || column >= matrix->column_count) {
        if (builder->bad_row == DC_NONE) builder->bad_row = builder->row;
        return;
    }
    if (builder->place[column] >= builder->begin) {
        if (builder->place[column] < builder->capacity)
            matrix->value[builder->place[column]] += value;
        return;
    }
    builder->place[column] = builder->end;
    if (builder->end < builder->capacity) {
        matrix->column[builder->end] = column;
        matrix->value[builder->end] = value;
    }
    if (builder->end < INT32_MAX) builder->end++;
}

void dc_sparse_finish_row(dc_sparse_builder *builder)
{
    builder->begin = builder->end;
    builder->row++;
    if (builder->row <= builder->matrix->row_count)
        builder->matrix->start[builder->row] = builder->end;
}

static void dci_sparse_add_row(dc_sparse_builder *builder, const dc_sparse *a, dc_index i)
{
    for (dc_index p = a->start[i]; p < a->start[i + 1]; p++)
        dc_sparse_add(builder, a->column[p], a->value[p]);
}

dc_status dc_sparse_finish(dc_sparse_builder *builder, dc_error *error)
{
    dci_enter(error, "dc_sparse_finish");
    dc_sparse *matrix = builder->matrix;
    if (builder->bad_row != DC_NONE)
        return dci_bad(error, "a column of this row is out of range", builder->bad_row, 0);
    if (builder->row > matrix->row_count)
        return dci_fail_memory(error, "row_count is too small", (size_t)builder->row,
                               (size_t)matrix->row_count);
    if (builder->end > builder->capacity)
        return dci_fail_memory(error, "capacity is too small", (size_t)builder->end,
                               (size_t)builder->capacity);
    matrix->row_count = builder->row;
    return dci_succeed(error);
}

void dc_sparse_transpose(const dc_sparse *a, dc_sparse *transposed)
{
    dc_index nonzero_count = a->start[a->row_count], i, p;
    transposed->row_count = a->column_count;
    transposed->column_count = a->row_count;
    dci_index_fill(transposed->start, a->column_count + 1, 0);
    for (p = 0; p < nonzero_count; p++) transposed->start[a->column[p]]++;
    dci_index_offsets(transposed->start, a->column_count);
    for (i = 0; i < a->row_count; i++) {
        for (p = a->start[i]; p < a->start[i + 1]; p++) {
            dc_index place = transposed->start[a->column[p]]++;
            transposed->column[place] = i;
            transposed->value[place] = a->value[p];
        }
    }
    dci_index_rewind(transposed->start, a->column_count);
}

/* ---- The Gram matrix (9.2) ---- */

dc_index dc_gram_pattern(const dc_sparse *x, const dc_sparse *transposed, dc_sparse *gram,
                         dc_index *work)
{
    dc_index n = x->column_count, i, p, k;
    int64_t end = 0;
    gram->row_count = gram->column_count = n;
    dci_index_fill(work, n, DC_NONE);
    for (i = 0; i < n; i++) {
        gram->start[i] = (dc_index)end;
        work[i] = i;
        if (gram->column) gram->column[end] = i;
        end++;
        /* Add each column j < i that shares a row of X with column i. */
        for (p = transposed->start[i]; p < transposed->start[i + 1]; p++) {
            dc_index row = transposed->column[p];
            for (k = x->start[row]; k < x->start[row + 1]; k++) {
                dc_index j = x->column[k];
                if (work[j] == i || j > i) continue;
                work[j] = i;
                if (gram->column) gram->column[end] = j;
                end++;
            }
        }
        if (end > INT32_MAX) return DC_NONE;
    }
    gram->start[n] = (dc_index)end;
    return (dc_index)end;
}

/* Builds the pattern in an arena. Returns its entry count, or DC_NONE if that is too large. */
static dc_index dci_gram_build(dci_arena *arena, const dc_sparse *x, dc_sparse *gram)
{
    dc_index n = x->column_count, found, *mark;
    dc_sparse transposed;
    gram->column = NULL;
    gram->value = NULL;
    gram->start = dci_arena_indices(arena, n + 1);
    dci_work before = dci_arena_begin_work(arena);
    dci_sparse_layout(arena, &transposed, n, x->row_count, x->start[x->row_count]);
    mark = dci_arena_indices(arena, n);
    dci_arena_to_front(arena);
    if (arena->is_short) return 0;
    dc_sparse_transpose(x, &transposed);
    found = dc_gram_pattern(x, &transposed, gram, mark); /* counts */
    if (found != DC_NONE) gram->column = dci_arena_indices(arena, found);
    if (gram->column) dc_gram_pattern(x, &transposed, gram, mark);
    dci_arena_end_work(arena, before);
    return found;
}

static int dci_sparse_same_columns(const dc_sparse *a, dc_index i, dc_index j)
{
    const dc_index *left = a->column + a->start[i], *right = a->column + a->start[j];
    dc_index count = a->start[i + 1] - a->start[i], p;
    if (a->start[j + 1] - a->start[j] != count) return 0;
    for (p = 0; p < count; p++)
        if (left[p] != right[p]) return 0;
    return 1;
}

/* Most rows of X in a block; (16.2) has four for each vertex. */
enum { DCI_GRAM_ROWS = 4 };

/* work[column] is the column's last entry in X; it is in row `first` if it is >= begin. */
DCI_INLINE void dci_gram_add(const dc_sparse *x, const dc_real *weights, dc_index first,
                             const dc_index row_count, dc_sparse *gram, dc_index *work)
{
    dc_index begin = x->start[first], end = x->start[first + 1], least = gram->row_count, p, k, r;
    for (p = begin; p < end; p++) {
        work[x->column[p]] = p;
        least = dci_index_min(least, x->column[p]);
    }
    for (p = begin; p < end; p++) {
        dc_index i = x->column[p], stop = gram->start[i + 1];
        dc_real factor[DCI_GRAM_ROWS];
        if (i == least) stop = gram->start[i] + 1; /* all others are > i: the diagonal alone */
        for (r = 0; r < row_count; r++)
            factor[r] = weights[first + r] * x->value[p + r * (end - begin)];
        for (k = gram->start[i]; k < stop; k++) {
            dc_index other = work[gram->column[k]];
            dc_real sum = gram->value[k];
            if (other < begin) continue;
            for (r = 0; r < row_count; r++)
                sum += factor[r] * x->value[other + r * (end - begin)]; /* (9.2) */
            gram->value[k] = sum;
        }
    }
}

void dc_gram_values(const dc_sparse *x, const dc_real *weights, dc_sparse *gram, dc_index *work)
{
    dc_index row = 0, count, p;
    dci_index_fill(work, gram->row_count, DC_NONE);
    for (p = 0; p < gram->start[gram->row_count]; p++) gram->value[p] = 0;
    for (; row < x->row_count; row += count) {
        count = 1;
        while (count < DCI_GRAM_ROWS && row + count < x->row_count &&
               dci_sparse_same_columns(x, row, row + count))
            count++;
        if (count == DCI_GRAM_ROWS) /* loops of constant length */
            dci_gram_add(x, weights, row, DCI_GRAM_ROWS, gram, work);
        else
            dci_gram_add(x, weights, row, count, gram, work);
    }
}

/* y = G x; each entry off the diagonal is used twice. */
static void dci_gram_apply(const dc_sparse *gram, const dc_vec3 *x, dc_vec3 *y)
{
    for (dc_index i = 0; i < gram->row_count; i++) {
        dc_vec3 own = x[i], sum = dci_vec_scale(gram->value[gram->start[i]], own);
        for (dc_index p = gram->start[i] + 1; p < gram->start[i + 1]; p++) {
            dc_index j = gram->column[p];
            sum = dci_vec_axpy(sum, gram->value[p], x[j]);
            y[j] = dci_vec_axpy(y[j], gram->value[p], own); /* set before, as j < i */
        }
        y[i] = sum;
    }
}

/* ============================================================================================
 * 10 CHOLESKY IN A PAGE                                                                 dci_small
 *
 * A symmetric positive definite A is L L^T with a lower triangular L, so that A x = b is solved by
 * two triangular systems. Each row k of L follows from the rows above, [Dav06] ch. 4:
 *
 *     L_kj = (a_kj - sum over i < j of L_ki L_ji) / L_jj      for j < k, ascending         (10.1)
 *     L_kk = sqrt(pivot),  pivot = a_kk - sum over j < k of L_kj^2                         (10.2)
 *
 * L has an entry L_kj where a_kj is not 0. If column j has entries L_ij and L_kj with i < k, then
 * L_ki is an entry, too. The first such i, parent[j], leads to all the others. So row k of L has
 * the columns on the paths from the entries of row k of A up to k, [Liu90]. Climbing also finds the
 * parents: k becomes the parent of each column on the way that has none yet.
 *
 *     A  4            L  *            Row 3 starts in column 0 and climbs 0 -> 1 -> 2, so L has an
 *       -1  4            *  *         entry in column 1 where A has none: fill. The pivots are
 *        . -1  4         .  *  *      4, 15/4, 56/15 and 24/7.
 *       -1  . -1  4      *  +  *  *
 *
 * The first pass counts the entries of each column of L, the second computes them. Work:
 *
 *     flops = sum over columns j of (entries of column j)^2                                (10.3)
 *
 * Chapters 11 to 13 do the same, faster: 1,000,099 entries of L for a sheet of 100 x 100 points
 * become 179,673 by its order, and blocks take a third of the time though they store 261,526.
 * ============================================================================================ */

typedef struct dci_small {
    const dc_sparse *a;
    dc_sparse *upper; /* L^T; row j of it is column j of L                                       */
    dc_index *parent; /* (n) of a column, or DC_NONE                                             */
    dc_index *mark;   /* (n) last row that reached a column                                      */
    dc_index *reach;  /* (n) columns of a row, at the end; at the start a path                   */
    dc_index *end;    /* (n) end of the entries of a column so far                               */
    dc_real *row;     /* (n) row k of A less the sums of (10.1); zeros between rows               */
} dci_small;

/* Lists the columns j < k of row k of L, each after those it depends on; returns their start. */
static dc_index dci_small_reach(dci_small *factor, dc_index k)
{
    dc_index top = factor->a->row_count, length, p, j;
    factor->mark[k] = k;
    for (p = factor->a->start[k]; p < factor->a->start[k + 1]; p++) {
        if (factor->a->column[p] > k) continue;
        length = 0;
        for (j = factor->a->column[p]; factor->mark[j] != k; j = factor->parent[j]) {
            if (factor->parent[j] == DC_NONE) factor->parent[j] = k;
            factor->reach[length++] = j;
            factor->mark[j] = k;
        }
        while (length > 0) factor->reach[--top] = factor->reach[--length];
    }
    return top;
}

/* Finds the tree and counts the entries of each column of L; false if they are too many. */
static int dci_small_count(dci_small *factor, dc_index *count)
{
    dc_index n = factor->a->row_count, k, p;
    int64_t total = 0;
    dci_index_fill(factor->mark, n, DC_NONE);
    for (k = 0; k < n && total <= INT32_MAX; k++) {
        factor->parent[k] = DC_NONE;
        count[k] = 1;
        p = dci_small_reach(factor, k);
        total += n - p + 1;
        for (; p < n; p++) count[factor->reach[p]]++;
    }
    return total <= INT32_MAX;
}

static void dci_small_append(dci_small *factor, dc_index j, dc_index k, dc_real entry)
{
    factor->upper->column[factor->end[j]] = k;
    factor->upper->value[factor->end[j]++] = entry;
}

/* Computes row k of L, and returns its pivot. */
static dc_real dci_small_row(dci_small *factor, dc_index k)
{
    const dc_sparse *a = factor->a, *u = factor->upper;
    dc_index place = dci_small_reach(factor, k), p;
    dc_real pivot, entry;
    for (p = a->start[k]; p < a->start[k + 1]; p++)
        if (a->column[p] <= k) factor->row[a->column[p]] += a->value[p];
    pivot = factor->row[k];
    factor->row[k] = 0;
    for (; place < a->row_count; place++) {
        dc_index j = factor->reach[place];
        entry = factor->row[j] / u->value[u->start[j]]; /* (10.1) */
        factor->row[j] = 0;
        for (p = u->start[j] + 1; p < factor->end[j]; p++)
            factor->row[u->column[p]] -= u->value[p] * entry;
        pivot -= entry * entry; /* (10.2) */
        dci_small_append(factor, j, k, entry);
    }
    if (pivot > 0) dci_small_append(factor, k, k, DC_SQRT(pivot));
    return pivot;
}

/* Counts the entries of the lower triangle. */
static dc_status dci_small_check(const dc_sparse *a, dc_index *lower_count, dc_error *error)
{
    *lower_count = 0;
    if (a->row_count < 1 || a->column_count != a->row_count)
        return dci_bad(error, "the matrix is not square, or has no rows", DC_NONE, 0);
    if (a->row_count > DCI_COUNT_MAX)
        return dci_fail(error, DC_TOO_LARGE, "more than 50 million rows", DC_NONE, 0);
    for (dc_index i = 0; i < a->row_count; i++)
        for (dc_index p = a->start[i]; p < a->start[i + 1]; p++) {
            dc_index j = a->column[p];
            if (j < 0 || j >= a->row_count)
                return dci_bad(error, "a column of this row is out of range", i, (dc_real)j);
            *lower_count += j <= i;
        }
    return DC_OK;
}

static void dci_small_layout(dci_arena *arena, dci_small *factor)
{
    dc_index n = factor->a->row_count;
    factor->upper->row_count = factor->upper->column_count = n;
    factor->upper->start = dci_arena_indices(arena, n + 1);
    dci_arena_begin_work(arena);
    factor->parent = dci_arena_indices(arena, n);
    factor->mark = dci_arena_indices(arena, n);
    factor->reach = dci_arena_indices(arena, n);
    factor->end = dci_arena_indices(arena, n);
    factor->row = dci_arena_reals(arena, n);
    dci_arena_to_front(arena);
}

dc_status dc_cholesky_small_factor(const dc_sparse *a, void *memory, size_t bytes, dc_sparse *upper,
                                   dc_error *error)
{
    dci_enter(error, "dc_cholesky_small_factor");
    dci_arena arena = dci_arena_over(memory, bytes);
    dc_index entry_count, k;
    dc_status status = dci_small_check(a, &entry_count, error);
    dci_small factor;
    if (status != DC_OK) return status;
    factor.a = a;
    factor.upper = upper;
    dci_small_layout(&arena, &factor);
    if (arena.is_short) return dci_arena_fail(&arena, error);
    /* Count the entries of L, and lay it out. */
    if (!dci_small_count(&factor, upper->start))
        return dci_fail(error, DC_TOO_LARGE, "the factor has too many entries", DC_NONE, 0);
    entry_count = dci_index_offsets(upper->start, a->row_count);
    upper->column = dci_arena_indices(&arena, entry_count);
    upper->value = dci_arena_reals(&arena, entry_count);
    if (arena.is_short) return dci_arena_fail(&arena, error);
    /* Factor row by row. */
    dci_index_fill(factor.mark, a->row_count, DC_NONE);
    for (k = 0; k < a->row_count; k++) {
        factor.end[k] = upper->start[k];
        factor.row[k] = 0;
        dc_real pivot = dci_small_row(&factor, k);
        if (!dci_is_finite(pivot))
            return dci_fail(error, DC_NOT_FINITE, "the matrix is not finite in this row", k, pivot);
        if (!(pivot > 0))
            return dci_fail(error, DC_SINGULAR, "the matrix is not positive definite in this row",
                            k, pivot);
    }
    return dci_succeed(error);
}

void dc_cholesky_small_solve(const dc_sparse *upper, const dc_real *b, dc_real *x)
{
    const dc_index *start = upper->start, *column = upper->column;
    const dc_real *value = upper->value;
    dc_index n = upper->row_count, j, p;
    for (j = 0; j < n; j++) x[j] = b[j];
    for (j = 0; j < n; j++) { /* L y = b */
        x[j] /= value[start[j]];
        for (p = start[j] + 1; p < start[j + 1]; p++) x[column[p]] -= value[p] * x[j];
    }
    for (j = n - 1; j >= 0; j--) { /* L^T x = y */
        for (p = start[j] + 1; p < start[j + 1]; p++) x[j] -= value[p] * x[column[p]];
        x[j] /= value[start[j]];
    }
}

#endif /* DC_NO_SPARSE */

#ifndef DC_NO_DIRECT

/* ============================================================================================
 * 11 NESTED DISSECTION                                                                dci_dissect
 *
 * When an unknown is eliminated, all its neighbours in the graph of A become neighbours of each
 * other. A separator is a set of nodes whose removal divides the graph into two sides. Both are
 * eliminated before it, so that no entry of L joins them, and divided in the same way, [Geo73]:
 *
 *      0   2 | 20 | 10  12      The middle column, 20 to 24, comes last. 8 9 and 18 19 cut
 *      1   3 | 21 | 11  13      the sides; four blocks of four are left.
 *     -------|    |--------
 *      8   9 | 22 | 18  19                   20 ... 24
 *     -------|    |--------                 /         \            chapter 12: every cut is
 *      4   6 | 23 | 14  16               8 9           18 19       a fork in the tree
 *      5   7 | 24 | 15  17              /   \         /     \
 *                                    0..3   4..7   10..13   14..17
 *
 * A square grid of n nodes has about 31/8 n log2 n entries in L then; no order has fewer than a
 * constant times n log n, [Geo73]. The example of chapters 11 to 13 has a_ii = 4 and a_ij = -1:
 *
 *     0 - 1 - 2      The middle row is the separator. The sides, their middles last, give the order
 *     |   |   |      0 2 1, 6 8 7, 3 4 5, and five entries of fill: 1-3 1-5, 3-7 5-7, 3-5. Row by
 *     3 - 4 - 5      row there are eight: 1-3, 2-3 2-4, 3-5, 4-6, 5-6 5-7, 6-8.
 *     |   |   |
 *     6 - 7 - 8
 *
 * Separators are found by distances, in edges, from a source node. In a part of `count` nodes all
 * levels h are tried (on the left, distances from 0):
 *
 *     1 2 3 4 5      separator(h) = nodes at distance h with a farther neighbour
 *     0 1 2 3 4      left(h) = nodes up to distance h, without the separator                (11.1)
 *     1 2 3 4 5      cost(h) = |separator(h)| (2 count + |the larger side|)                 (11.2)
 *
 * Four sources are tried, each with the largest sum of distances to those before. The cheapest
 * balanced cut is taken, or else the cheapest that leaves a little on each side. [GL78] takes the
 * middle level from one source. Multilevel partitioning, [HR98], would give somewhat less fill, and
 * minimum degree much less for random graphs, whose separators are all large.
 *
 * A part with few edges, or without such a cut, is ordered by the number of neighbours, fewest
 * first, which suits stars and dense parts. If a part is not connected, the search continues in its
 * next component, at a distance above all before; some separators are then empty.
 * ============================================================================================ */

enum {
    DCI_DISSECT_EDGES = 8,  /* a part with fewer is not cut                                      */
    DCI_DISSECT_SHARE = 30, /* [percent] least of a part on each side of a balanced cut ...      */
    DCI_DISSECT_LEAST = 5,  /* ... and of any other, so that nested cuts end soon                */
    DCI_DISSECT_SOURCES = 4
};

enum { DCI_LEFT, DCI_RIGHT, DCI_SEPARATOR }; /* sides */

typedef struct dci_part {
    dc_index first, count; /* its nodes are order[first], ...                                   */
} dci_part;

typedef struct dci_cut {
    dc_index source, level; /* a node, and h                                                      */
    int64_t cost;           /* (11.2)                                                             */
} dci_cut;

typedef struct dci_dissect {
    dc_index n, *order;       /* (n) the nodes, part by part                                      */
    dc_index *end;            /* (n) end of the part that begins at a place of the order          */
    dc_index *start, *degree; /* (n + 1) neighbours of i: degree[i], neighbour[start[i] ...] ...  */
    dc_index *neighbour;      /* (2 nonzero_count) ... in the part of i                           */
    dc_index *distance;       /* (n) from the source                                              */
    int64_t *total;           /* (n) sum of distances from all sources so far                     */
    dc_index *queue;          /* (n) of a search; then a copy of the part                         */
    dc_index *at, *border;    /* (n + 1) how many are at a distance, or of a degree; and have a
                                 farther neighbour                                                */
    unsigned char *side;      /* (n) DCI_LEFT and so on                                           */
} dci_dissect;

static void dci_dissect_layout(dci_arena *arena, dci_dissect *d, dc_index n, dc_index nonzero_count)
{
    dc_index **array[] = {&d->end,   &d->start, &d->degree, &d->distance,
                          &d->queue, &d->at,    &d->border};
    d->n = n;
    for (size_t i = 0; i < sizeof array / sizeof array[0]; i++)
        *array[i] = dci_arena_indices(arena, n + 1);
    d->neighbour = dci_arena_indices(arena, dci_index_or_none(2 * (int64_t)nonzero_count));
    d->total = (int64_t *)dci_arena_take(arena, n, sizeof(int64_t));
    d->side = (unsigned char *)dci_arena_take(arena, n, 1);
}

static void dci_dissect_graph(const dci_dissect *d, const dc_sparse *a)
{
    dc_index *degree = d->degree, i, p;
    dci_index_fill(d->start, d->n + 1, 0);
    dci_index_fill(degree, d->n, 0);
    for (i = 0; i < d->n; i++)
        for (p = a->start[i]; p < a->start[i + 1]; p++)
            if (a->column[p] < i) d->start[i]++, d->start[a->column[p]]++;
    dci_index_offsets(d->start, d->n);
    for (i = 0; i < d->n; i++) {
        for (p = a->start[i]; p < a->start[i + 1]; p++) {
            dc_index j = a->column[p];
            if (j >= i) continue;
            d->neighbour[d->start[i] + degree[i]++] = j;
            d->neighbour[d->start[j] + degree[j]++] = i;
        }
    }
}

/* ---- A cut ---- */

/* Sets distances, breadth first, component by component. */
static void dci_dissect_search(const dci_dissect *d, const dci_part *part, dc_index source)
{
    const dc_index *fresh = d->order + part->first;
    dc_index *distance = d->distance, read, write = 1, k;
    for (k = 0; k < part->count; k++) distance[fresh[k]] = DC_NONE;
    d->queue[0] = source;
    distance[source] = 0;
    for (read = 0; read < part->count; read++) {
        if (read == write) {
            while (distance[*fresh] != DC_NONE) fresh++;
            distance[*fresh] = distance[d->queue[read - 1]] + 1;
            d->queue[write++] = *fresh;
        }
        dc_index v = d->queue[read];
        for (k = d->start[v]; k < d->start[v] + d->degree[v]; k++) {
            dc_index u = d->neighbour[k];
            if (distance[u] != DC_NONE) continue;
            distance[u] = distance[v] + 1;
            d->queue[write++] = u;
        }
    }
}

static int dci_dissect_is_border(const dci_dissect *d, dc_index v)
{
    for (dc_index k = d->start[v]; k < d->start[v] + d->degree[v]; k++)
        if (d->distance[d->neighbour[k]] > d->distance[v]) return 1;
    return 0;
}

/* Tries all levels for the source of the last search. Replaces `best` if one costs less. */
static void dci_dissect_sweep(const dci_dissect *d, const dci_part *part, dci_cut cut,
                              dci_cut *best)
{
    const dc_index *node = d->order + part->first;
    dc_index count = part->count, reached = 0, left, h, k;
    int64_t smaller, larger;
    dci_index_fill(d->at, count, 0);
    dci_index_fill(d->border, count, 0);
    for (k = 0; k < count; k++) {
        d->at[d->distance[node[k]]]++;
        d->border[d->distance[node[k]]] += dci_dissect_is_border(d, node[k]);
    }
    for (h = 0; h < count; h++) {
        reached += d->at[h];
        left = reached - d->border[h]; /* (11.1) */
        smaller = dci_index_min(left, count - reached);
        larger = dci_index_max(left, count - reached);
        if (smaller == 0 || 100 * smaller < (int64_t)count * DCI_DISSECT_LEAST) continue;
        cut.level = h;
        cut.cost = d->border[h] * (2 * (int64_t)count + larger); /* (11.2) */
        if (100 * smaller < (int64_t)count * DCI_DISSECT_SHARE)  /* dearer than all balanced cuts */
            cut.cost += 4 * (int64_t)count * count;
        if (cut.cost < best->cost) *best = cut;
    }
}

/* Sets the sides of a part. Returns 0 if it has few edges, or no cut leaves enough on both. */
static int dci_dissect_cut(const dci_dissect *d, const dci_part *part)
{
    const dc_index *node = d->order + part->first;
    dci_cut cut = {node[0], 0, 0}, best = {node[0], 0, INT64_MAX};
    int64_t degrees = 0;
    for (dc_index k = 0; k < part->count; k++) {
        degrees += d->degree[node[k]];
        d->total[node[k]] = 0;
    }
    if (degrees < 2 * DCI_DISSECT_EDGES) return 0;
    /* Find the best of all levels from all sources. */
    for (dc_index round = 0; round < DCI_DISSECT_SOURCES; round++) {
        dci_dissect_search(d, part, cut.source);
        dci_dissect_sweep(d, part, cut, &best);
        for (dc_index k = 0; k < part->count; k++) {
            d->total[node[k]] += d->distance[node[k]];
            if (d->total[node[k]] > d->total[cut.source]) cut.source = node[k];
        }
    }
    if (best.cost == INT64_MAX) return 0;
    /* Divide the part. */
    dci_dissect_search(d, part, best.source);
    for (dc_index k = 0; k < part->count; k++) {
        dc_index v = node[k], beyond = d->distance[v] - best.level;
        d->side[v] = beyond > 0 ? DCI_RIGHT : DCI_LEFT;
        if (beyond == 0 && dci_dissect_is_border(d, v)) d->side[v] = DCI_SEPARATOR;
    }
    return 1;
}

/* ---- The order ---- */

/* Makes three parts of one. Drops all edges but those on a side: the separator is not cut again. */
static void dci_dissect_split(const dci_dissect *d, const dci_part *part)
{
    dc_index *old = d->queue, place = part->first, first, i, k, side;
    DC_MEMCPY(old, d->order + place, (size_t)part->count * sizeof(dc_index));
    for (side = DCI_LEFT; side <= DCI_SEPARATOR; side++) {
        for (first = place, k = 0; k < part->count; k++)
            if (d->side[old[k]] == side) d->order[place++] = old[k];
        if (place > first) d->end[first] = place;
    }
    for (k = 0; k < part->count; k++) {
        dc_index v = old[k], *neighbour = d->neighbour + d->start[v], degree = 0;
        for (i = 0; i < d->degree[v] && d->side[v] != DCI_SEPARATOR; i++)
            if (d->side[neighbour[i]] == d->side[v]) neighbour[degree++] = neighbour[i];
        d->degree[v] = degree;
    }
}

/* Orders a part by the number of neighbours. */
static void dci_dissect_finish(const dci_dissect *d, const dci_part *part)
{
    dc_index *order = d->order + part->first;
    DC_MEMCPY(d->queue, order, (size_t)part->count * sizeof(dc_index));
    dci_index_sort(part->count, d->degree, part->count, d->queue, order, d->at);
}

/* Fills order (n). After a cut, the left side is the next part. */
static void dci_dissect_run(dci_dissect *d, const dc_sparse *a, dc_index *order)
{
    dci_part part;
    dci_dissect_graph(d, a);
    d->order = order;
    for (dc_index i = 0; i < d->n; i++) order[i] = i;
    d->end[0] = d->n;
    for (part.first = 0; part.first < d->n;) {
        part.count = d->end[part.first] - part.first;
        if (dci_dissect_cut(d, &part)) {
            dci_dissect_split(d, &part);
        } else {
            dci_dissect_finish(d, &part);
            part.first += part.count;
        }
    }
}

/* Takes its memory at the back; without a matrix, only measures it. */
static void dci_dissect_in(dci_arena *arena, dc_index n, dc_index nonzero_count, const dc_sparse *a,
                           dc_index *order)
{
    dci_work before = dci_arena_begin_work(arena);
    dci_dissect dissection;
    dci_dissect_layout(arena, &dissection, n, nonzero_count);
    if (a) dci_dissect_run(&dissection, a, order);
    dci_arena_end_work(arena, before);
}

/* ============================================================================================
 * 12 ELIMINATION TREE                                                                    dci_tree
 *
 * Finds, once for all values of A, the order of elimination, the pattern of L and the memory. The
 * parents of chapter 10 form the elimination tree, [Liu90]:
 *
 *     0  *                          tree      The 3 x 3 sheet in the order of chapter 11; rows
 *     2    *                                  of L, where + is fill.
 *     1  * * *                        5
 *     6        *                      |       Climbing for row 5 visits 1 3 4 from 2 and 7 from 8,
 *     8          *                    4       nothing new from 4. So row 5 of L has columns
 *     7        * * *                  |       2 1 8 7 3 4.
 *     3  *   + *   + *                3
 *     4      *     * * *            /   \     The two sides of a separator are subtrees that do not
 *     5    * +   * + + * *         1     7    depend on each other.
 *                                 / \   / \
 *        0 2 1 6 8 7 3 4 5       0   2 6   8
 *
 * A supernode is a run of columns with the same rows below: a dense block, treated as one column.
 *
 *     L of a supernode     width columns  |\      a triangle, and row_count full rows
 *                                         |_\     below it, `rows` in (12.1)
 *                                         |__|
 *
 * In the sheet, 7 3 4 5 form one; all others are single columns. One is merged with its parent,
 * which stores zeros where rows differ, if the total cost does not rise:
 *
 *     cost = step + entry (width / 2 + rows) width + update rows^2 + flops / 2          (12.1)
 *
 * Supernodes are numbered in postorder, each after those in its subtrees.
 * ============================================================================================ */

static dc_index dci_blocks(dc_index count)
{
    return (count + DCI_TILE - 1) / DCI_TILE;
}

/* Padding after the last panel: kernels read whole tiles even where a panel has fewer columns. */
enum { DCI_PANEL_TAIL = DCI_TILE * DCI_TILE };

/* step, entry and update of (12.1), in multiply-adds of the tile kernel. */
#define DCI_COST_STEP DCI_R(500)
#define DCI_COST_ENTRY 6
#define DCI_COST_UPDATE 6

struct dci_cholesky_analysis {
    dc_cholesky_desc desc;
    dc_index n, nonzero_count, super_count, panel_entries, factor_nonzeros;
    dc_index front_max;     /* columns and rows of the largest supernode                         */
    int64_t flops;          /* of a factorisation                                                */
    dc_index *order;        /* (n) order[k] = row of A eliminated k-th                           */
    dc_sparse lower;        /* (n, n) pattern of A's lower triangle in that order ...            */
    dc_index *source;       /* (nonzero_count) ... and the places of its entries in A's values   */
    dc_index *super_first;  /* (super_count + 1) first column                                    */
    dc_index *super_parent; /* (super_count) DC_NONE at a root                                   */
    dc_index *super_rows;   /* (super_count) row_count of each                                   */
    dc_index *panel_start;  /* (super_count + 1) entries of L with padding                       */
    dc_index *row_start;    /* (super_count + 1) rows below the triangle, in whole blocks        */
};

typedef struct dci_tree_work {
    dci_work before;
    dci_arena *arena;               /* with memory for a dissection                              */
    dc_index *inverse, *old;        /* (n) new number of an unknown, and the order before        */
    dc_index *parent, *count;       /* (n) of columns: tree, later of supernodes; entries of L   */
    dc_index *mark, *reach;         /* (n) of chapter 10                                         */
    dc_index *super_of;             /* (n) the supernode of a column, named by its last column   */
    dc_index *width, *number;       /* (n) of supernodes                                         */
    dc_index *size, *free;          /* (n) of a subtree; end of the free places before it        */
} dci_tree_work;

/* Lays out an analysis, and the arrays for making it at the back. */
static void dci_tree_begin(dci_arena *arena, dc_index n, dc_index nonzero_count,
                           struct dci_cholesky_analysis *plan, dci_tree_work *work)
{
    dc_index **lasting[] = {&plan->order,        &plan->lower.start, &plan->super_first,
                            &plan->super_parent, &plan->super_rows,  &plan->panel_start,
                            &plan->row_start};
    dc_index **array[] = {&work->inverse, &work->parent, &work->count,  &work->mark,
                          &work->reach,   &work->width,  &work->number, &work->old,
                          &work->size,    &work->free,   &work->super_of};
    size_t i;
    DC_MEMSET(plan, 0, sizeof *plan);
    plan->n = plan->lower.row_count = plan->lower.column_count = n;
    plan->nonzero_count = nonzero_count;
    for (i = 0; i < sizeof lasting / sizeof lasting[0]; i++)
        *lasting[i] = dci_arena_indices(arena, n + 1);
    plan->lower.column = dci_arena_indices(arena, nonzero_count);
    plan->source = dci_arena_indices(arena, nonzero_count);
    work->arena = arena;
    work->before = dci_arena_begin_work(arena);
    for (i = 0; i < sizeof array / sizeof array[0]; i++) *array[i] = dci_arena_indices(arena, n);
    dci_dissect_in(arena, n, nonzero_count, NULL, NULL);
}

/* Finds the pattern of the permuted lower triangle and the inverse of the order. */
static void dci_tree_permute(struct dci_cholesky_analysis *plan, const dc_sparse *a,
                             dc_index *inverse)
{
    dc_index *start = plan->lower.start;
    for (dc_index i = 0; i < plan->n; i++) inverse[plan->order[i]] = i;
    dci_index_fill(start, plan->n + 1, 0);
    for (dc_index pass = 0; pass < 2; pass++) { /* count, then fill */
        for (dc_index i = 0; i < plan->n; i++) {
            for (dc_index p = a->start[i]; p < a->start[i + 1]; p++) {
                dc_index k = inverse[i], j = inverse[a->column[p]], row = dci_index_max(k, j);
                if (a->column[p] > i) continue;
                if (pass == 1) {
                    plan->lower.column[start[row]] = dci_index_min(k, j);
                    plan->source[start[row]] = p;
                }
                start[row]++;
            }
        }
        if (pass == 0)
            dci_index_offsets(start, plan->n);
        else
            dci_index_rewind(start, plan->n);
    }
}

/* ---- Supernodes ---- */

/* (12.1) */
static dc_real dci_tree_cost(dc_index column_count, dc_index row_count)
{
    dc_real width = (dc_real)column_count, rows = (dc_real)row_count;
    dc_real flops = width * rows * rows + width * width * (rows + width / 3);
    return DCI_COST_STEP + DCI_COST_ENTRY * (width / 2 + rows) * width +
           DCI_COST_UPDATE * rows * rows + flops / 2;
}

/* From the leaves up. At first each column is a supernode; its last column names a merged one. */
static void dci_tree_merge(const struct dci_cholesky_analysis *plan, dci_tree_work *work)
{
    dc_index j, parent;
    for (j = 0; j < plan->n; j++) {
        work->super_of[j] = j;
        work->width[j] = 1;
    }
    for (j = 0; j < plan->n; j++) {
        dc_real apart, merged;
        if ((parent = work->parent[j]) == DC_NONE) continue;
        apart = dci_tree_cost(work->width[j], work->count[j] - 1) +
                dci_tree_cost(work->width[parent], work->count[parent] - 1);
        merged = dci_tree_cost(work->width[j] + work->width[parent], work->count[parent] - 1);
        if (merged > apart) continue;
        work->width[parent] += work->width[j];
        work->super_of[j] = parent;
    }
    for (j = plan->n - 1; j >= 0; j--) { /* parents first, to follow chains of merges */
        parent = work->parent[j];
        work->super_of[j] = work->super_of[work->super_of[j]];
        if (parent != DC_NONE) work->parent[j] = work->super_of[parent];
    }
}

/* From the roots down, each subtree takes the last free places before its parent. */
static void dci_tree_number(struct dci_cholesky_analysis *plan, dci_tree_work *work)
{
    dc_index *size = work->size, *number = work->number, end = 0, i, j, above;
    dci_index_fill(size, plan->n, 0);
    for (j = 0; j < plan->n; j++) {
        if (work->super_of[j] != j) continue;
        size[j]++;
        if ((above = work->parent[j]) != DC_NONE) size[above] += size[j];
        end++;
    }
    plan->super_count = end;
    for (j = plan->n - 1; j >= 0; j--) {
        if (work->super_of[j] != j) continue;
        above = work->parent[j];
        dc_index *place = above == DC_NONE ? &end : &work->free[above];
        i = number[j] = work->free[j] = *place - 1;
        *place -= size[j];
        plan->super_first[i] = work->width[j];
        plan->super_parent[i] = above == DC_NONE ? DC_NONE : number[above];
        plan->super_rows[i] = work->count[j] - 1;
    }
    dci_index_offsets(plan->super_first, plan->super_count);
    DC_MEMCPY(work->old, plan->order, (size_t)plan->n * sizeof(dc_index));
    for (j = 0; j < plan->n; j++)
        plan->order[plan->super_first[number[work->super_of[j]]]++] = work->old[j];
    dci_index_rewind(plan->super_first, plan->super_count);
}

static dc_index dci_tree_width(const struct dci_cholesky_analysis *plan, dc_index super)
{
    return plan->super_first[super + 1] - plan->super_first[super];
}

/* Places panels and lists of rows; false if one is too large for an index. */
static int dci_tree_measure(struct dci_cholesky_analysis *plan)
{
    int64_t rows = 0, panels = 0, entries = 0;
    plan->flops = 0;
    plan->front_max = plan->row_start[0] = plan->panel_start[0] = 0;
    for (dc_index i = 0; i < plan->super_count; i++) {
        int64_t width = dci_tree_width(plan, i), below = plan->super_rows[i], front = width + below;
        int64_t padded = (int64_t)dci_blocks((dc_index)front) * DCI_TILE; /* rows, (13.3) */
        rows += padded - width;
        panels += padded * width;
        if (rows > INT32_MAX || panels > INT32_MAX - DCI_PANEL_TAIL) return 0;
        plan->row_start[i + 1] = (dc_index)rows;
        plan->panel_start[i + 1] = (dc_index)panels;
        entries += width * (width + 1) / 2 + width * below;
        plan->flops += width * below * front + width * width * width / 3;
        plan->front_max = dci_index_max(plan->front_max, (dc_index)front);
    }
    plan->panel_entries = (dc_index)panels;
    plan->factor_nonzeros = (dc_index)entries;
    return 1;
}

/* Analyses a matrix that has been checked; false if it is too large. */
static int dci_tree_analyse(struct dci_cholesky_analysis *plan, const dc_sparse *a,
                            dci_tree_work *work)
{
    dci_small rows = {&plan->lower, NULL, work->parent, work->mark, work->reach, NULL, NULL};
    /* Order the unknowns, find their tree, and merge columns into supernodes. */
    dci_dissect_in(work->arena, plan->n, plan->nonzero_count, a, plan->order);
    dci_tree_permute(plan, a, work->inverse);
    if (!dci_small_count(&rows, work->count)) return 0;
    dci_tree_merge(plan, work);
    dci_tree_number(plan, work);
    dci_tree_permute(plan, a, work->inverse);
    return dci_tree_measure(plan);
}

/* ============================================================================================
 * 13 CHOLESKY                                                                        dci_cholesky
 *
 * Factors A = L L^T, supernode after supernode, because processors are much faster on dense blocks.
 * The panel of a supernode holds its columns of L: a triangle L11 and the rows below it, L21.
 * "Left-looking": each panel subtracts products of the finished panels D to its left, [NP93]:
 *
 *        width                 1  add the entries of A in these columns
 *       |\                     2  F = A - sum over D of D_rows D_columns^T              (13.1)
 *       | \                    3  L11 L11^T = F11,  L21 = F21 L11^-T                    (13.2)
 *       |L11\
 *       |----+                 D_rows and D_columns are the rows of D with the numbers
 *       |L21 |  row_count      of the panel's rows, and of its columns
 *
 * In the 3 x 3 sheet, here with the supernode 3 4 5, columns 0, 2, 6 and 8 subtract nothing.
 * Columns 1 and 7 subtract products of two of them each, and the supernode those of all:
 *
 *     0 |  4                  L  2           1 |  4 - 1/4 - 1/4  =  7/2
 *     1 | -1                    -1/2         3 | -1/4                        from 0
 *     3 | -1                    -1/2         4 | -1
 *                                            5 | -1/4                        from 2
 *
 *     3 4 5, of 0 2 6 8:  | 7/2           |     and of 1 7, each  1/56 | 1       |
 *                         | -1   4        |                            | 4 16    |
 *                         |  0  -1    7/2 |                            | 1  4  1 |
 *
 *     so F11 = 1/56 | 194         |
 *                   | -64 192     |    The rest is an ordinary dense factorisation.
 *                   |  -2 -64 194 |
 *
 * A finished supernode waits in the list of the next one that has some of its rows as columns, and
 * then moves to the list of the following one. A panel is stored in blocks of T rows, each column
 * by column, so that a product of T x T tiles reads both factors from front to back:
 *
 *     block I:  | column 0: T rows | column 1: T rows | ... | column width - 1 |
 *
 *     tile (I, J) of the result -= sum over columns k of block I [k] block J [k]^T       (13.3)
 *
 * The kernel multiplies a strip of blocks by a tile of columns with all sums in registers. The rows
 * of L21 follow those of L11 without a gap; the last block is padded with zeros.
 *
 * From each entry, one sum over ascending k is subtracted for each D, and one for its own panel. So
 * its bits do not depend on the vector width. Instead of L_jj its inverse is stored. A row that
 * follows from others has a pivot of 0 up to rounding. The inverse 0 drops it: its unknown is 0.
 *
 * Panels hold dc_real or, if "narrow", floats, for half the memory and two thirds of the time. To
 * solve with a diagonal tile takes a chain of dependent operations. So a finished narrow panel
 * holds the inverses of its diagonal tiles: its residual is larger, but is corrected anyway.
 * ============================================================================================ */

struct dc_cholesky {
    struct dci_cholesky_analysis shape; /* arrays: order, super_first, super_rows, *_start only   */
    dc_index *super_of;                 /* (n) the supernode of a column                          */
    dc_index *entry_start;              /* (super_count + 1) entries of A by supernode           */
    dc_index *entry_source, *entry_target; /* (nonzero_count) place in the values, in the panel   */
    dc_index *row;          /* rows below each triangle, ascending, in whole blocks; padding: n   */
    dc_index *place;        /* (n + 1) where row k begins in the current panel                    */
    dc_index *at;           /* (front_max in whole blocks) where the rows of another panel do     */
    dc_index *first, *next; /* (super_count) lists of finished supernodes ...                     */
    dc_index *used;         /* (super_count) ... and how many rows they have used, with L11; at
                               first, how many are listed below it                                */
    void *panel;            /* numbers: panels of L, supernode after supernode                    */
    void *work;             /* (rhs_max, n + 1) numbers: right-hand sides in elimination order, 0 */
    void *gathered;         /* (front_max in whole blocks) numbers: x or diagonal of A of a panel */
    dc_real pivot_tol, bad_pivot; /* of the last factorisation: arguments, ...                    */
    dc_pivots rule;
    dc_status verdict;            /* ... DC_OK or why it stopped, ...                             */
    dc_index bad_column, dropped; /* ... in which column; redundant rows                          */
};

/* ---- Memory ---- */

/* Whether panels hold floats and dc_real is wider. */
static int dci_cholesky_is_narrow(const struct dci_cholesky_analysis *plan)
{
    return plan->desc.storage == DC_STORAGE_FLOAT && sizeof(dc_real) > sizeof(float);
}

/* Multiplications of a solve with one right-hand side. */
static uint64_t dci_cholesky_solve_work(const dc_cholesky *c)
{
    return 2 * (uint64_t)c->shape.panel_entries;
}

static dc_index dci_panel_place(dc_index row, dc_index column, dc_index width)
{
    return (row / DCI_TILE * width + column) * DCI_TILE + row % DCI_TILE;
}

/* Finds the supernodes of columns, by climbing their rows, and the places of A's entries. */
static void dci_cholesky_start(dc_cholesky *c, const struct dci_cholesky_analysis *plan,
                               dc_index *mark)
{
    dc_index k, p, s;
    for (s = 0; s < plan->super_count; s++)
        for (k = plan->super_first[s]; k < plan->super_first[s + 1]; k++) c->super_of[k] = s;
    dci_index_fill(c->entry_start, plan->super_count, 0);
    for (p = 0; p < plan->nonzero_count; p++) c->entry_start[c->super_of[plan->lower.column[p]]]++;
    dci_index_offsets(c->entry_start, plan->super_count);
    dci_index_fill(c->used, plan->super_count, 0);
    dci_index_fill(mark, plan->super_count, DC_NONE);
    dci_index_fill(c->row, plan->row_start[plan->super_count], plan->n); /* padding */
    for (k = 0; k < plan->n; k++) {
        mark[c->super_of[k]] = k;
        for (p = plan->lower.start[k]; p < plan->lower.start[k + 1]; p++) {
            dc_index j = plan->lower.column[p], own = c->super_of[j], super = own, first, i;
            for (; mark[super] != k; super = plan->super_parent[super]) {
                mark[super] = k;
                c->row[plan->row_start[super] + c->used[super]++] = k;
            }
            first = plan->super_first[own];
            i = k < plan->super_first[own + 1] ? k - first
                                               : dci_tree_width(plan, own) + c->used[own] - 1;
            c->entry_source[c->entry_start[own]] = plan->source[p];
            c->entry_target[c->entry_start[own]++] =
                dci_panel_place(i, j - first, dci_tree_width(plan, own));
        }
    }
    dci_index_rewind(c->entry_start, plan->super_count);
}

/* Lays out a factorisation and, if there is memory, enters its pattern. */
static void dci_cholesky_layout(dci_arena *arena, dc_cholesky *c,
                                const struct dci_cholesky_analysis *plan)
{
    dc_index supers = plan->super_count, rows = dci_blocks(plan->front_max) * DCI_TILE;
    size_t index = sizeof(dc_index);
    size_t number = dci_cholesky_is_narrow(plan) ? sizeof(float) : sizeof(dc_real);
    DC_MEMSET(c, 0, sizeof *c);
    c->shape = *plan;
    c->shape.order = (dc_index *)dci_arena_copy(arena, plan->order, plan->n, index);
    c->shape.super_first = (dc_index *)dci_arena_copy(arena, plan->super_first, supers + 1, index);
    c->shape.super_rows = (dc_index *)dci_arena_copy(arena, plan->super_rows, supers, index);
    c->shape.panel_start = (dc_index *)dci_arena_copy(arena, plan->panel_start, supers + 1, index);
    c->shape.row_start = (dc_index *)dci_arena_copy(arena, plan->row_start, supers + 1, index);
    c->super_of = dci_arena_indices(arena, plan->n);
    c->entry_start = dci_arena_indices(arena, supers + 1);
    c->entry_source = dci_arena_indices(arena, plan->nonzero_count);
    c->entry_target = dci_arena_indices(arena, plan->nonzero_count);
    c->row = dci_arena_indices(arena, plan->row_start[supers]);
    c->place = dci_arena_indices(arena, plan->n + 1);
    c->at = dci_arena_indices(arena, rows);
    c->first = dci_arena_indices(arena, supers);
    c->next = dci_arena_indices(arena, supers);
    c->used = dci_arena_indices(arena, supers);
    c->panel = dci_arena_take(arena, plan->panel_entries + DCI_PANEL_TAIL, number);
    c->work = dci_arena_take(arena, plan->n + 1, (size_t)plan->desc.rhs_max * number);
    c->gathered = dci_arena_take(arena, rows, number);
    dci_work before = dci_arena_begin_work(arena);
    dc_index *mark = dci_arena_indices(arena, supers);
    if (mark) dci_cholesky_start(c, plan, mark);
    dci_arena_end_work(arena, before);
}

/* ---- Checks, plan, init ---- */

static dc_status dci_cholesky_check_rows(const dc_sparse *a, dc_index *mark, dc_error *error)
{
    dc_index i, j, p;
    dci_index_fill(mark, a->row_count, DC_NONE);
    for (i = 0; i < a->row_count; i++) {
        for (p = a->start[i]; p < a->start[i + 1]; p++) {
            j = a->column[p];
            if (mark[j] == i) return dci_bad(error, "this row has a column twice", i, (dc_real)j);
            mark[j] = i;
        }
        if (mark[i] != i) return dci_bad(error, "this row has no diagonal entry", i, 0);
    }
    return DC_OK;
}

/* The arena then holds the analysis. */
static dc_status dci_cholesky_plan_in(const dc_sparse *a, const dc_cholesky_desc *desc,
                                      dci_arena *arena, struct dci_cholesky_analysis *plan,
                                      dc_error *error)
{
    dci_tree_work work;
    dc_index lower_count;
    dc_status status = dci_small_check(a, &lower_count, error);
    if (status != DC_OK) return status;
    if (!dci_is_in_enum((int)desc->storage, DC_STORAGE_FLOAT))
        return dci_bad(error, "storage is not one of its values", DC_NONE, 0);
    if (desc->rhs_max <= 0) return dci_bad(error, "rhs_max is not positive", DC_NONE, 0);
    if (desc->rhs_max > DCI_COUNT_MAX)
        return dci_fail(error, DC_TOO_LARGE, "rhs_max is more than 50 million", DC_NONE, 0);
    dci_tree_begin(arena, a->row_count, lower_count, plan, &work);
    plan->desc = *desc;
    if (arena->is_short) return dci_arena_fail(arena, error);
    if ((status = dci_cholesky_check_rows(a, work.mark, error)) != DC_OK) return status;
    if (!dci_tree_analyse(plan, a, &work))
        return dci_fail(error, DC_TOO_LARGE, "the factor has more entries than an index can count",
                        DC_NONE, 0);
    dci_arena_end_work(arena, work.before);
    return DC_OK;
}

/* Plans and initialises in one arena; only the analysis is temporary. */
static dc_status dci_cholesky_make(const dc_sparse *a, const dc_cholesky_desc *desc,
                                   dci_arena *arena, dc_cholesky *c, dc_error *error)
{
    struct dci_cholesky_analysis plan;
    dci_work before = dci_arena_begin_work(arena);
    dc_status status = dci_cholesky_plan_in(a, desc, arena, &plan, error);
    dci_arena_to_front(arena);
    if (status != DC_OK) return status;
    dci_cholesky_layout(arena, c, &plan);
    dci_arena_end_work(arena, before);
    return arena->is_short ? dci_arena_fail(arena, error) : DC_OK;
}

size_t dc_cholesky_scratch_bytes(dc_index n, dc_index nonzero_count)
{
    dci_arena arena = dci_arena_measure();
    struct dci_cholesky_analysis plan;
    dci_tree_work work;
    if (!dci_is_count(n, 1) || nonzero_count < 0) return 0;
    dci_arena_take(&arena, 1, sizeof plan);
    dci_tree_begin(&arena, n, nonzero_count, &plan, &work);
    return arena.is_short ? 0 : dci_arena_bytes(&arena);
}

dc_cholesky_desc dc_cholesky_defaults(void)
{
    const dc_cholesky_desc desc = {1, DC_STORAGE_REAL};
    return desc;
}

dc_status dc_cholesky_plan(const dc_sparse *a, const dc_cholesky_desc *desc, void *scratch,
                           size_t bytes, dc_cholesky_symbolic *symbolic, dc_error *error)
{
    dci_enter(error, "dc_cholesky_plan");
    dci_arena arena = dci_arena_over(scratch, bytes), measure = dci_arena_measure();
    struct dci_cholesky_analysis plan, *stored;
    dc_cholesky measured;
    dc_status status;
    stored = (struct dci_cholesky_analysis *)dci_arena_take(&arena, 1, sizeof plan);
    if ((status = dci_cholesky_plan_in(a, desc, &arena, &plan, error)) != DC_OK) return status;
    dci_arena_take(&measure, 1, sizeof measured);
    dci_cholesky_layout(&measure, &measured, &plan);
    if (measure.is_short) return dci_fail(error, DC_TOO_LARGE, "size overflows size_t", DC_NONE, 0);
    *stored = plan;
    symbolic->n = plan.n;
    symbolic->factor_nonzeros = plan.factor_nonzeros;
    symbolic->flops = plan.flops;
    symbolic->bytes = dci_arena_bytes(&measure);
    symbolic->analysis = stored;
    return dci_succeed(error);
}

dc_status dc_cholesky_init(const dc_cholesky_symbolic *symbolic, void *memory, size_t bytes,
                           dc_cholesky **cholesky, dc_error *error)
{
    dci_enter(error, "dc_cholesky_init");
    dci_arena arena = dci_arena_over(memory, bytes);
    dc_cholesky *c;
    if (bytes < symbolic->bytes || !memory)
        return dci_fail_memory(error, "memory is too small", symbolic->bytes, bytes);
    c = (dc_cholesky *)dci_arena_take(&arena, 1, sizeof *c);
    dci_cholesky_layout(&arena, c, symbolic->analysis);
    DC_ASSERT(!arena.is_short);
    *cholesky = c;
    return dci_succeed(error);
}

/* ---- Kernels: a strip of rows times a tile of columns ----
   `blocks` is a constant, so that all sums stay in registers; so is is_narrow. */

/* (13.3): sum[i][j] = sum over k of (column k of block i of `rows`) times columns[k][j]. */
DCI_INLINE void dci_strip_product(const int blocks, dc_index count, const void *panel,
                                  dc_index rows, dc_index stride, dc_index columns, dci_pack *sum,
                                  const int is_narrow)
{
    DCI_UNROLL for (int j = 0; j < blocks * DCI_TILE; j++) dci_pack_clear(&sum[j], is_narrow);
    for (dc_index k = 0; k < count; k++, rows += DCI_TILE, columns += DCI_TILE) {
        dci_pack row[DCI_STRIP_MAX];
        DCI_UNROLL for (int i = 0; i < blocks; i++)
            dci_pack_load(&row[i], panel, rows + i * stride, is_narrow);
        DCI_UNROLL for (int j = 0; j < DCI_TILE; j++) DCI_UNROLL for (int i = 0; i < blocks; i++)
            dci_pack_add_scaled(&sum[i * DCI_TILE + j], &row[i],
                                dci_number(panel, columns + j, is_narrow), is_narrow);
    }
}

/* (13.2): x = (tile - sum) L^-T, for columns from `first` on. `left`: block of the diagonal tile */
DCI_INLINE void dci_strip_solve(const int blocks, dc_index width, dc_index first, void *panel,
                                dc_index left, dc_index rows, const int is_narrow)
{
    dc_index stride = width * DCI_TILE, triangle = left + first * DCI_TILE;
    dci_pack sum[DCI_STRIP_MAX * DCI_TILE], entry;
    dci_strip_product(blocks, first, panel, rows, stride, left, sum, is_narrow);
    rows += first * DCI_TILE;
    DCI_UNROLL for (int j = 0; j < DCI_TILE; j++)
    {
        if (first + j >= width) return;
        DCI_UNROLL for (int i = 0; i < blocks; i++)
        {
            dci_pack *x = &sum[i * DCI_TILE + j];
            dc_index place = rows + i * stride + j * DCI_TILE, column = triangle + j * DCI_TILE;
            dci_pack_load(&entry, panel, place, is_narrow);
            dci_pack_scaled_difference(x, &entry, dci_number(panel, column + j, is_narrow),
                                       is_narrow);
            dci_pack_store(x, panel, place, is_narrow);
            DCI_UNROLL for (int l = j + 1; l < DCI_TILE; l++) dci_pack_add_scaled(
                &sum[i * DCI_TILE + l], x, dci_number(panel, column + l, is_narrow), is_narrow);
        }
    }
}

/* Returns 1/sqrt(pivot), or 0 to drop the row. The first failure sets the verdict. */
static dc_real dci_pivot_invert(dc_cholesky *c, dc_real pivot, dc_real diagonal, dc_index column)
{
    int is_finite = dci_is_finite(pivot);
    if (is_finite && pivot > c->pivot_tol * diagonal && pivot > 0) return 1 / DC_SQRT(pivot);
    if (is_finite && c->rule == DC_PIVOTS_DROP) {
        c->dropped++;
    } else if (c->verdict == DC_OK) {
        c->verdict = is_finite ? DC_SINGULAR : DC_NOT_FINITE;
        c->bad_column = column;
        c->bad_pivot = pivot;
    }
    return 0;
}

/* Inverts a diagonal tile, which has 1/L_jj on its diagonal; any rows of L21 in it stay. */
static void dci_tile_invert(float *tile, dc_index columns)
{
    dc_index i, j, l;
    for (j = 0; j < columns; j++) {
        float *inverse = tile + j * DCI_TILE; /* column j, where L's was, from the top */
        for (i = j + 1; i < columns; i++) {
            dc_real sum = 0;
            for (l = j; l < i; l++) sum -= (dc_real)tile[l * DCI_TILE + i] * (dc_real)inverse[l];
            inverse[i] = (float)(sum * (dc_real)tile[i * DCI_TILE + i]);
        }
    }
}

/* Factors columns from `first` on of the block at `rows`: a diagonal tile and any rows of L21. */
DCI_INLINE void dci_tile_factor(dc_cholesky *c, dc_index super, dc_index first, dc_index rows,
                                const int is_narrow)
{
    dc_index width = dci_tree_width(&c->shape, super), i, j, l;
    dc_index columns = dci_index_min(width - first, DCI_TILE);
    dc_index column = c->shape.super_first[super] + first;
    dc_index place = rows + first * DCI_TILE;
    dc_real sum[DCI_TILE * DCI_TILE];
    dci_pack packs[DCI_TILE];
    dci_strip_product(1, first, c->panel, rows, 0, rows, packs, is_narrow);
    DCI_UNROLL for (j = 0; j < DCI_TILE; j++)
        dci_pack_get(&packs[j], sum + j * DCI_TILE, is_narrow);
    for (j = 0; j < columns; j++, place += DCI_TILE) {
        dc_real x[DCI_TILE], diagonal = dci_number(c->gathered, first + j, is_narrow);
        for (i = j; i < DCI_TILE; i++)
            x[i] = dci_number(c->panel, place + i, is_narrow) - sum[j * DCI_TILE + i];
        x[j] = dci_pivot_invert(c, x[j], diagonal, column + j);
        for (i = j + 1; i < DCI_TILE; i++) x[i] *= x[j];
        for (i = j; i < DCI_TILE; i++) dci_number_set(c->panel, place + i, x[i], is_narrow);
        for (l = j + 1; l < columns; l++)
            for (i = l; i < DCI_TILE; i++) sum[l * DCI_TILE + i] += x[i] * x[l];
    }
}

/* ---- One supernode ---- */

/* Step 3, a strip of rows at a time, which stays in the cache. */
DCI_INLINE void dci_panel_factor(dc_cholesky *c, dc_index super, dc_index blocks,
                                 const int is_narrow)
{
    dc_index start = c->shape.panel_start[super], width = dci_tree_width(&c->shape, super);
    dc_index stride = width * DCI_TILE, block, end, column, k;
    const int many = is_narrow ? DCI_NARROW_STRIP : DCI_STRIP;
    float *narrow = (float *)c->panel + start;
    for (block = 0; block < blocks; block = end) {
        end = dci_index_min(block + many, blocks);
        /* Solve the columns before the rows of the strip. */
        for (column = 0; column < width && column < block * DCI_TILE; column += DCI_TILE) {
            dc_index left = start + column * width, rows = start + block * stride;
            if (end - block == many)
                dci_strip_solve(many, width, column, c->panel, left, rows, is_narrow);
            else
                for (k = block; k < end; k++, rows += stride)
                    dci_strip_solve(1, width, column, c->panel, left, rows, is_narrow);
        }
        /* Factor the columns that begin in it. */
        for (; column < width && column < end * DCI_TILE; column += DCI_TILE) {
            dc_index left = start + column * width;
            dci_tile_factor(c, super, column, left, is_narrow);
            for (k = column / DCI_TILE + 1; k < end; k++)
                dci_strip_solve(1, width, column, c->panel, left, start + k * stride, is_narrow);
        }
    }
    for (column = 0; is_narrow && column < width; column += DCI_TILE, narrow += stride)
        dci_tile_invert(narrow + column * DCI_TILE, dci_index_min(width - column, DCI_TILE));
}

/* Subtracts a tile of products from a panel that begins with column_first. Its rows from `i` on
   begin at at[]. Of its columns from `j` on, `begin` to end - 1 count; their numbers are row[]. */
DCI_INLINE void dci_tile_scatter(const dci_pack *sum, dc_index i, dc_index j, dc_index begin,
                                 dc_index end, const dc_index *row, dc_index column_first,
                                 const dc_index *at, void *panel, const int is_narrow)
{
    dc_index k, l, to = dci_index_min(end - j, DCI_TILE);
    for (k = dci_index_max(begin - j, 0); k < to; k++) {
        dc_index column = (row[j + k - begin] - column_first) * DCI_TILE;
        dci_pack_numbers tile;
        dci_pack_store(&sum[k], &tile, 0, is_narrow);
        for (l = i > j ? 0 : k; l < DCI_TILE; l++) {
            dc_index place = at[i + l] + column;
            dc_real rest = dci_number(panel, place, is_narrow) - dci_number(&tile, l, is_narrow);
            dci_number_set(panel, place, rest, is_narrow);
        }
    }
}

/* Puts a supernode in the list of the one that has its row `used` as a column. */
static void dci_cholesky_pass_on(dc_cholesky *c, dc_index d, dc_index used)
{
    const struct dci_cholesky_analysis *plan = &c->shape;
    dc_index width = dci_tree_width(plan, d), target;
    c->used[d] = used;
    if (used == width + plan->super_rows[d]) return;
    target = c->super_of[c->row[plan->row_start[d] + used - width]];
    c->next[d] = c->first[target];
    c->first[target] = d;
}

/* Step 2 for one finished supernode d. */
DCI_INLINE void dci_cholesky_take(dc_cholesky *c, dc_index super, dc_index d, const int is_narrow)
{
    const struct dci_cholesky_analysis *plan = &c->shape;
    dc_index width = dci_tree_width(plan, d), front = width + plan->super_rows[d], i, j, l;
    dc_index stride = width * DCI_TILE, padded = dci_blocks(front) * DCI_TILE;
    dc_index begin = c->used[d], end = begin, first = plan->super_first[super];
    dc_index start = plan->panel_start[d], next = plan->super_first[super + 1];
    const dc_index *row = c->row + plan->row_start[d]; /* those below its columns */
    dci_pack sum[DCI_STRIP_MAX * DCI_TILE];
    const int many = is_narrow ? DCI_NARROW_STRIP : DCI_STRIP;
    while (end < front && row[end - width] < next) end++;
    for (i = begin; i < padded; i++) c->at[i] = c->place[row[i - width]];
    for (j = begin / DCI_TILE * DCI_TILE; j < end; j += DCI_TILE) {
        for (i = j; i < padded;) {
            dc_index rows = start + i * width, left = start + j * width, strip = 1;
            if (i > j && i + many * DCI_TILE <= padded) strip = many;
            if (strip == many)
                dci_strip_product(many, width, c->panel, rows, stride, left, sum, is_narrow);
            else
                dci_strip_product(1, width, c->panel, rows, stride, left, sum, is_narrow);
            for (l = 0; l < strip; l++, i += DCI_TILE)
                dci_tile_scatter(sum + l * DCI_TILE, i, j, begin, end, row + begin - width, first,
                                 c->at, c->panel, is_narrow);
        }
    }
    dci_cholesky_pass_on(c, d, end);
}

/* Steps 1 to 3. */
DCI_INLINE void dci_cholesky_eliminate(dc_cholesky *c, const dc_real *values, dc_index super,
                                       const int is_narrow)
{
    const struct dci_cholesky_analysis *plan = &c->shape;
    dc_index width = dci_tree_width(plan, super), front = width + plan->super_rows[super];
    dc_index start = plan->panel_start[super], blocks = dci_blocks(front), i, p, d, next;
    const dc_index *row = c->row + plan->row_start[super];
    /* Add the entries of A. Save the diagonal, with which pivots are compared. */
    for (i = 0; i < blocks * DCI_TILE * width; i++)
        dci_number_set(c->panel, start + i, 0, is_narrow);
    for (p = c->entry_start[super]; p < c->entry_start[super + 1]; p++)
        dci_number_set(c->panel, start + c->entry_target[p], values[c->entry_source[p]], is_narrow);
    for (i = 0; i < width; i++) {
        dc_index place = start + dci_panel_place(i, i, width);
        dci_number_set(c->gathered, i, dci_number(c->panel, place, is_narrow), is_narrow);
    }
    /* Subtract the products of finished supernodes. */
    for (i = 0; i < front; i++)
        c->place[i < width ? plan->super_first[super] + i : row[i - width]] =
            start + dci_panel_place(i, 0, width);
    for (d = c->first[super]; d != DC_NONE; d = next) {
        next = c->next[d];
        dci_cholesky_take(c, super, d, is_narrow);
    }
    dci_panel_factor(c, super, blocks, is_narrow);
    dci_cholesky_pass_on(c, super, width);
}

/* ---- Factorisation ---- */

dc_status dc_cholesky_factor(dc_cholesky *cholesky, const dc_real *values, dc_real pivot_tol,
                             dc_pivots rule, dc_error *error)
{
    dci_enter(error, "dc_cholesky_factor");
    int is_narrow = dci_cholesky_is_narrow(&cholesky->shape);
    dc_index super;
    if (!(pivot_tol >= 0 && pivot_tol < 1))
        return dci_bad(error, "pivot_tol is not between 0 and 1", DC_NONE, pivot_tol);
    cholesky->pivot_tol = pivot_tol;
    cholesky->rule = rule;
    cholesky->dropped = 0;
    cholesky->verdict = DC_OK;
    dci_index_fill(cholesky->first, cholesky->shape.super_count, DC_NONE);
    cholesky->place[cholesky->shape.n] = 0; /* of padding, whose products are 0 */
    for (super = 0; super < cholesky->shape.super_count && cholesky->verdict == DC_OK; super++)
        if (is_narrow)
            dci_cholesky_eliminate(cholesky, values, super, 1);
        else
            dci_cholesky_eliminate(cholesky, values, super, 0);
    if (cholesky->verdict == DC_OK) return dci_succeed(error);
    return dci_fail(error, cholesky->verdict,
                    cholesky->verdict == DC_SINGULAR
                        ? "the matrix is not positive definite in this row"
                        : "the matrix is not finite, or too large, in this row",
                    cholesky->shape.order[cholesky->bad_column], cholesky->bad_pivot);
}

dc_index dc_cholesky_dropped(const dc_cholesky *cholesky)
{
    return cholesky->dropped;
}

/* ---- Solution ----
   Loops over right-hand sides inside each supernode, so that a panel is read once. */

/* sum = (a strip of blocks, `stride` apart) times y, from `first` on; floats are not converted. */
DCI_INLINE void dci_strip_times(const int blocks, const dc_cholesky *c, dc_index place,
                                dc_index stride, dc_index columns, const void *y, dc_index first,
                                dci_pack_numbers *sum, const int is_narrow)
{
    dci_pack total[DCI_STRIP_MAX], rows;
    int i;
    DCI_UNROLL for (i = 0; i < blocks; i++) dci_pack_clear(&total[i], is_narrow);
    for (dc_index k = 0; k < columns; k++, place += DCI_TILE) {
        dc_real known = dci_number(y, first + k, is_narrow);
        DCI_UNROLL for (i = 0; i < blocks; i++)
        {
            dci_pack_load(&rows, c->panel, place + i * stride, is_narrow);
            dci_pack_add_scaled(&total[i], &rows, known, is_narrow);
        }
    }
    DCI_UNROLL for (i = 0; i < blocks; i++) dci_pack_store(&total[i], sum, i * DCI_TILE, is_narrow);
}

/* y = L^-1 (y - sum) for the diagonal tile at `place`. Completes the sums of any rows below it. */
DCI_INLINE void dci_tile_forward(const dc_cholesky *c, dc_index place, const dc_index columns,
                                 void *y, dc_index first, dci_pack_numbers *sum,
                                 const int is_narrow)
{
    dci_pack column[DCI_TILE], total;
    dc_real x[DCI_TILE];
    DCI_UNROLL for (dc_index k = 0; k < columns; k++)
    {
        dci_pack_load(&column[k], c->panel, place + k * DCI_TILE, is_narrow);
        x[k] = dci_number(y, first + k, is_narrow) - dci_number(sum, k, is_narrow);
    }
    if (is_narrow) {
        dci_pack_clear(&total, is_narrow);
        DCI_UNROLL for (dc_index k = 0; k < columns; k++)
            dci_pack_add_scaled(&total, &column[k], x[k], is_narrow);
        dci_pack_get(&total, x, is_narrow);
    } else {
        DCI_UNROLL for (dc_index k = 0; k < columns; k++)
        {
            x[k] *= dci_number(c->panel, place + k * DCI_TILE + k, is_narrow);
            DCI_UNROLL for (dc_index i = k + 1; i < columns; i++) x[i] -=
                dci_number(c->panel, place + k * DCI_TILE + i, is_narrow) * x[k];
        }
    }
    dci_pack_load(&total, sum, 0, is_narrow);
    DCI_UNROLL for (dc_index k = 0; k < columns; k++)
    {
        dci_number_set(y, first + k, x[k], is_narrow);
        if (columns < DCI_TILE) dci_pack_add_scaled(&total, &column[k], x[k], is_narrow);
    }
    dci_pack_store(&total, sum, 0, is_narrow);
}

/* Solves L y = b in place for one supernode. */
DCI_INLINE void dci_cholesky_forward(const dc_cholesky *c, dc_index super, void *x,
                                     const int is_narrow)
{
    dc_index width = dci_tree_width(&c->shape, super), stride = width * DCI_TILE, first, i;
    dc_index end = dci_blocks(width + c->shape.super_rows[super]) * DCI_TILE, rows;
    const dc_index *row = c->row + c->shape.row_start[super];
    dc_index place = c->shape.panel_start[super], own = c->shape.super_first[super];
    const int many = is_narrow ? DCI_NARROW_STRIP : DCI_STRIP;
    dci_pack_numbers sum;
    /* Solve the triangle tile by tile. */
    for (first = 0; first < width; first += DCI_TILE, place += stride) {
        dc_index columns = width - first, tile = place + first * DCI_TILE;
        dci_strip_times(1, c, place, 0, first, x, own, &sum, is_narrow);
        if (columns >= DCI_TILE)
            dci_tile_forward(c, tile, DCI_TILE, x, own + first, &sum, is_narrow);
        else
            dci_tile_forward(c, tile, columns, x, own + first, &sum, is_narrow);
        for (i = columns; i < DCI_TILE; i++) {
            dc_index k = row[first + i - width];
            dci_number_set(x, k, dci_number(x, k, is_narrow) - dci_number(&sum, i, is_narrow),
                           is_narrow);
        }
    }
    /* Update the rows below. */
    for (; first < end; first += rows, place += rows * width) {
        if (first + many * DCI_TILE <= end) {
            rows = many * DCI_TILE;
            dci_strip_times(many, c, place, stride, width, x, own, &sum, is_narrow);
        } else {
            rows = DCI_TILE;
            dci_strip_times(1, c, place, 0, width, x, own, &sum, is_narrow);
        }
        for (i = 0; i < rows; i++) {
            dc_index k = row[first + i - width];
            dci_number_set(x, k, dci_number(x, k, is_narrow) - dci_number(&sum, i, is_narrow),
                           is_narrow);
        }
    }
}

/* dci_tile_backward() with the inverse of a narrow tile. All x are stored together at the end: to
   load a pack just after its numbers were stored singly would stall. */
DCI_INLINE void dci_tile_multiply(const float *tile, const dc_index columns, const dc_real *sum,
                                  float *x)
{
    float y[DCI_TILE], total[DCI_TILE];
    DCI_UNROLL for (dc_index k = 0; k < columns; k++)
    {
        y[k] = (float)(x[k] - (float)sum[k]);
        DCI_UNROLL for (dc_index i = columns; i < DCI_TILE; i++) y[k] =
            (float)(y[k] - (float)(tile[k * DCI_TILE + i] * x[i]));
    }
    DCI_UNROLL for (dc_index k = 0; k < columns; k++)
    {
        total[k] = 0;
        DCI_UNROLL for (dc_index i = k; i < columns; i++) total[k] =
            (float)(total[k] + (float)(tile[k * DCI_TILE + i] * y[i]));
    }
    DCI_UNROLL for (dc_index k = 0; k < columns; k++) x[k] = total[k];
}

/* x = L^-T (x - sum) for the diagonal tile at `place`, whose gathered values begin at `first`. */
DCI_INLINE void dci_tile_backward(const dc_cholesky *c, dc_index place, const dc_index columns,
                                  dc_index first, const dc_real *sum, const int is_narrow)
{
    dc_real x[DCI_TILE];
    if (is_narrow) {
        dci_tile_multiply((const float *)c->panel + place, columns, sum,
                          (float *)c->gathered + first);
        return;
    }
    for (dc_index i = 0; i < DCI_TILE; i++) x[i] = dci_number(c->gathered, first + i, is_narrow);
    DCI_UNROLL for (dc_index k = columns - 1; k >= 0; k--)
    {
        dc_index own = place + k * DCI_TILE;
        x[k] -= sum[k];
        DCI_UNROLL for (dc_index i = k + 1; i < DCI_TILE; i++) x[k] -=
            dci_number(c->panel, own + i, is_narrow) * x[i];
        x[k] *= dci_number(c->panel, own + k, is_narrow);
        dci_number_set(c->gathered, first + k, x[k], is_narrow);
    }
}

/* Solves L^T x = y in place for one supernode. */
DCI_INLINE void dci_cholesky_backward(const dc_cholesky *c, dc_index super, void *x,
                                      const int is_narrow)
{
    dc_index width = dci_tree_width(&c->shape, super), stride = width * DCI_TILE, block, k;
    dc_index blocks = dci_blocks(width + c->shape.super_rows[super]), i, below;
    const dc_index *row = c->row + c->shape.row_start[super];
    dc_index own = c->shape.super_first[super];
    /* Gather the known values, then solve tile by tile, reading last what was stored last. */
    for (i = blocks * DCI_TILE - 1; i >= width; i--)
        dci_number_set(c->gathered, i, dci_number(x, row[i - width], is_narrow), is_narrow);
    for (i = 0; i < width; i++)
        dci_number_set(c->gathered, i, dci_number(x, own + i, is_narrow), is_narrow);
    for (block = dci_blocks(width) - 1; block >= 0; block--) {
        dc_index first = block * DCI_TILE;
        dc_index tile = c->shape.panel_start[super] + block * stride + first * DCI_TILE;
        dci_pack sum[DCI_TILE], rows, values;
        dc_real total[DCI_TILE];
        DCI_UNROLL for (k = 0; k < DCI_TILE; k++) dci_pack_clear(&sum[k], is_narrow);
        for (below = blocks - 1; below > block; below--) {
            dc_index place = tile + (below - block) * stride;
            dci_pack_load(&values, c->gathered, below * DCI_TILE, is_narrow);
            DCI_UNROLL for (k = 0; k < DCI_TILE; k++)
            {
                dci_pack_load(&rows, c->panel, place + k * DCI_TILE, is_narrow);
                dci_pack_add_product(&sum[k], &rows, &values, is_narrow);
            }
        }
        DCI_UNROLL for (k = 0; k < DCI_TILE; k++) total[k] = dci_pack_sum(&sum[k], is_narrow);
        if (width - first >= DCI_TILE)
            dci_tile_backward(c, tile, DCI_TILE, first, total, is_narrow);
        else
            dci_tile_backward(c, tile, width - first, first, total, is_narrow);
    }
    for (i = 0; i < width; i++)
        dci_number_set(x, own + i, dci_number(c->gathered, i, is_narrow), is_narrow);
}

/* Solves L L^T x = b: forward up the tree, backward down. */
DCI_INLINE void dci_cholesky_sweep(const dc_cholesky *c, size_t width, const dc_real *b, dc_real *x,
                                   const int is_narrow)
{
    size_t stride = ((size_t)c->shape.n + 1) * (is_narrow ? sizeof(float) : sizeof(dc_real)), r;
    unsigned char *work = (unsigned char *)c->work; /* vector r begins at work + r stride */
    const dc_index *order = c->shape.order;
    dc_index n = c->shape.n, super, i;
    for (r = 0; r < width; r++) {
        for (i = 0; i < n; i++)
            dci_number_set(work + r * stride, i, b[(size_t)order[i] * width + r], is_narrow);
        dci_number_set(work + r * stride, n, 0, is_narrow);
    }
    for (super = 0; super < c->shape.super_count; super++)
        for (r = 0; r < width; r++) dci_cholesky_forward(c, super, work + r * stride, is_narrow);
    for (super--; super >= 0; super--)
        for (r = 0; r < width; r++) dci_cholesky_backward(c, super, work + r * stride, is_narrow);
    for (r = 0; r < width; r++)
        for (i = 0; i < n; i++)
            x[(size_t)order[i] * width + r] = dci_number(work + r * stride, i, is_narrow);
}

void dc_cholesky_solve(dc_cholesky *cholesky, dc_index rhs_count, const dc_real *b, dc_real *x)
{
    DC_ASSERT(rhs_count >= 1 && rhs_count <= cholesky->shape.desc.rhs_max);
    if (dci_cholesky_is_narrow(&cholesky->shape))
        dci_cholesky_sweep(cholesky, (size_t)rhs_count, b, x, 1);
    else
        dci_cholesky_sweep(cholesky, (size_t)rhs_count, b, x, 0);
}

#endif /* DC_NO_DIRECT */

#ifndef DC_NO_SPARSE

/* ============================================================================================
 * 14 CONJUGATE GRADIENTS                                                                   dci_cg
 *
 * Solves A x = b by products with A, without a factor of it, [HS52]. P approximates A^-1:
 *
 *     r = b - A x,  z = P r,  s = z                                                   (14.1)
 *     repeat   alpha = (r . z) / (s . A s)                                            (14.2)
 *              x = x + alpha s,   r = r - alpha A s,   z = P r                        (14.3)
 *              s = z + (r . z)_new / (r . z)_old  s                                   (14.4)
 *
 * The iteration stops by the energy norm of the error, because sqrt(r . P r) underestimates the
 * error where P is small. Each iteration reduces the square of that norm by
 *
 *     gain = alpha (r . z)                                                            (14.5)
 *
 * so the sum of `delay` further gains is a lower bound on the square before them, [ST02].
 * ============================================================================================ */

typedef struct dci_cg {
    dc_real *r, *z, *s, *q;        /* (n) residual, P r, search direction, A s                 */
    dc_real rz;                    /* r . z                                                    */
    dc_real gain[DC_CG_DELAY_MAX]; /* (14.5) of the last iterations, by number modulo the size */
    dc_real gained;                /* sum of all gains                                         */
} dci_cg;

static void dci_cg_precondition(const dc_cg_desc *desc, dci_cg *cg)
{
    if (desc->precondition)
        desc->precondition(desc->context, cg->r, cg->z);
    else
        DC_MEMCPY(cg->z, cg->r, (size_t)desc->n * sizeof(dc_real));
    cg->rz = dci_array_dot(desc->n, cg->r, cg->z);
}

/* (14.1) */
static void dci_cg_begin(const dc_cg_desc *desc, dci_cg *cg, const dc_real *b, const dc_real *x)
{
    cg->r = desc->work;
    cg->z = cg->r + desc->n;
    cg->s = cg->z + desc->n;
    cg->q = cg->s + desc->n;
    cg->gained = 0;
    for (dc_index i = 0; i < DC_CG_DELAY_MAX; i++) cg->gain[i] = 0;
    desc->apply(desc->context, x, cg->q);
    for (dc_index i = 0; i < desc->n; i++) cg->r[i] = b[i] - cg->q[i];
    dci_cg_precondition(desc, cg);
    DC_MEMCPY(cg->s, cg->z, (size_t)desc->n * sizeof(dc_real));
}

/* (14.2) to (14.4). Returns the curvature s . A s; unless it is positive, x is unchanged. */
static dc_real dci_cg_iterate(const dc_cg_desc *desc, dci_cg *cg, dc_real *x, dc_index iteration)
{
    dc_real curvature, alpha, beta, rz = cg->rz;
    dc_index n = desc->n, i;
    desc->apply(desc->context, cg->s, cg->q);
    curvature = dci_array_dot(n, cg->s, cg->q);
    if (!(curvature > 0)) return curvature;
    alpha = rz / curvature; /* (14.2) */
    for (i = 0; i < n; i++) {
        x[i] += alpha * cg->s[i];
        cg->r[i] -= alpha * cg->q[i]; /* (14.3) */
    }
    dci_cg_precondition(desc, cg);
    beta = cg->rz / rz;
    for (i = 0; i < n; i++) cg->s[i] = cg->z[i] + beta * cg->s[i]; /* (14.4) */
    cg->gain[iteration % DC_CG_DELAY_MAX] = alpha * rz;            /* (14.5) */
    cg->gained += alpha * rz;
    return curvature;
}

/* The error `delay` iterations ago, DCI_REAL_MAX until it is known; sqrt(r . z) if delay is 0. */
static dc_real dci_cg_error(const dc_cg_desc *desc, const dci_cg *cg, dc_index iterations)
{
    dc_real sum = 0;
    if (desc->delay == 0) return DC_SQRT(dci_max(cg->rz, 0));
    if (!(cg->rz > 0)) return 0; /* solved exactly */
    if (iterations < desc->delay) return DCI_REAL_MAX;
    for (dc_index k = 1; k <= desc->delay; k++) sum += cg->gain[(iterations - k) % DC_CG_DELAY_MAX];
    return DC_SQRT(sum);
}

/* Whether r . z is negative, or 0 because its terms cancel, not because all are 0. */
static int dci_cg_is_indefinite(const dc_cg_desc *desc, const dci_cg *cg)
{
    if (!(cg->rz <= 0)) return 0;
    for (dc_index i = 0; i < desc->n; i++)
        if (cg->r[i] * cg->z[i] != 0) return 1;
    return 0;
}

static int dci_cg_is_done(const dc_cg_desc *desc, const dc_cg_result *result)
{
    return result->end <= desc->tolerance * result->start ||
           (result->end <= desc->floor && result->end <= desc->floor_tolerance * result->start);
}

/* Without a floor or a delay. */
static dc_cg_desc dci_cg_plain(dc_index n, dc_linear_map apply, dc_linear_map precondition,
                               void *context, dc_real *work, dc_real tolerance,
                               dc_index iteration_max)
{
    const dc_cg_desc desc = {n,         apply, precondition, context, work,
                             tolerance, 0,     0,            0,       iteration_max};
    return desc;
}

dc_status dc_cg_solve(const dc_cg_desc *desc, const dc_real *b, dc_real *x, dc_cg_result *result,
                      dc_error *error)
{
    dci_enter(error, "dc_cg_solve");
    dc_real curvature = 0;
    dci_cg cg;
    DC_ASSERT(desc->delay >= 0 && desc->delay <= DC_CG_DELAY_MAX);
    dci_cg_begin(desc, &cg, b, x);
    result->iterations = 0;
    result->start = result->end = dci_cg_error(desc, &cg, 0);
    while (dci_is_finite(cg.rz) && !dci_cg_is_done(desc, result)) {
        if (result->iterations >= desc->iteration_max && dci_array_is_finite(desc->n, x))
            return dci_fail(error, DC_NOT_CONVERGED, "iteration_max is reached", DC_NONE,
                            result->end);
        if (result->iterations >= desc->iteration_max) break;
        curvature = dci_cg_iterate(desc, &cg, x, result->iterations);
        if (!dci_is_finite(curvature)) break;
        if (!(curvature > 0))
            return dci_fail(
                error, DC_SINGULAR,
                "the matrix is not positive definite; value is the curvature of a search direction",
                DC_NONE, curvature);
        result->iterations++;
        result->end = dci_cg_error(desc, &cg, result->iterations);
        if (desc->delay > 0) result->start = DC_SQRT(cg.gained);
    }
    if (!dci_is_finite(cg.rz) || !dci_is_finite(curvature) || !dci_is_finite(result->end) ||
        !dci_array_is_finite(desc->n, x))
        return dci_not_finite(error, "the residual or the solution is not finite", DC_NONE);
    if (dci_cg_is_indefinite(desc, &cg))
        return dci_fail(error, DC_SINGULAR,
                        "the preconditioner is not positive definite; value is r . P r", DC_NONE,
                        cg.rz);
    return dci_succeed(error);
}

#endif /* DC_NO_SPARSE */

#ifndef DC_NO_BENDING

/* ============================================================================================
 * 15 ELEMENTS                                                                         dci_element
 *
 * Rigid triangles that share their vertices leave a sheet hardly any freedom to bend. So here the
 * unknowns are the midpoints of the edges, called nodes and numbered like the edges. The surface is
 * linear in each triangle, and two triangles are joined only at the node of their common edge
 * (Crouzeix-Raviart). The corners of a triangle follow ("geometric similarity", [EB08]):
 *
 *              x                x_corner = m_next + m_prev - m_opposite                  (15.1)
 *             / \
 *       m_prev   m_next         (m_c is the midpoint of the edge opposite corner c)
 *           /     \
 *          o---m---o
 *
 * Each vertex of the ghost mesh A x, (10), is the mean of its triangles' corners; it is drawn and
 * collides. [EB08] has further constraints on border triangles, which chapter 16 makes needless.
 *
 * The isometric element, [Wan12] sec. 3.1, simulates what is drawn. Each triangle is divided into
 * four, and the mesh of these small triangles is drawn and collides. Its vertices are the
 * midpoints, or "red" nodes, and the old vertices, or "black" nodes, with their own mass and state:
 *
 *               b              red r: rigid lengths and bending, as in the nonconforming element
 *              / \             black b: inertia, weight, the user's forces, and
 *             / 0 \
 *            r-----r                x_b = A x_r,    [Wan12] (3.3)                      (15.2)
 *           / \ 3 / \
 *          / 1 \ / 2 \         The mass of a small triangle is divided among its corners: a red
 *         b-----r-----b        node gets 1/4 of the large triangle, a black node 1/12.
 *
 * (15.2) holds at the end of a step, until collisions move red and black nodes. Chapter 22
 * eliminates the black nodes. The map from red nodes to all vertices is A with I below it.
 *
 * Symbols of chapters 15 to 26, to which later ones add, with names in code and shapes. Particles
 * are the nodes and, after them, the black nodes. Indices: n a step, b a black node, r a red one.
 *
 *     x, v     x, v            (particles) [m], [m/s] positions and velocities
 *     m, M     mass            (particles) [kg] masses, and their diagonal matrix
 *     A        vertex          (vertices, nodes) maps nodes to the vertices of the surface
 *     a, n     area, normal    (nodes) [m^2] areas; unit normals
 *
 * Running example: five nodes. Both triangles have area 1/2; with density 1, e1 has mass 1/3, other
 * nodes 1/6. Vertex 1 is e0 + e3 - e1, vertex 0 the mean of e0 + e1 - e3 and e1 + e2 - e4.
 * ============================================================================================ */

/* A row for each dc_element; vertices with mass are black nodes. */
typedef struct dci_element_row {
    dc_real node_share;   /* part of a third of a triangle's mass at each of its midpoints ...   */
    dc_real vertex_share; /* ... and at each of its vertices                                     */
    dc_real height_share; /* least height of the surface's triangles over that of the mesh's     */
} dci_element_row;

static const dci_element_row dci_elements[] = {
    {DCI_R(1), DCI_R(0), DCI_R(1)},         /* DC_ELEMENT_NONCONFORMING */
    {DCI_R(0.75), DCI_R(0.25), DCI_R(0.5)}, /* DC_ELEMENT_ISOMETRIC */
};

static int dci_element_has_black(dc_element kind)
{
    return dci_elements[kind].vertex_share > 0;
}

typedef struct dci_element {
    const dci_element_row *row;
    dc_index node_count;
    dc_index black_count;    /* vertices, if they are particles that follow the nodes; else 0 */
    dc_index particle_count; /* both together                                                    */
    dc_sparse vertex; /* A, with I below it if there are black nodes; isolated vertex: empty row */
    dc_real *area;    /* (node_count) [m^2] a third of each triangle at its midpoints            */
} dci_element;

/* Bounds the entries of A: 2 k (closed) or 2 k + 1 (open) for a fan of k triangles; and I. */
static dc_index dci_element_entries(const dc_mesh *mesh, dc_element kind)
{
    return 6 * mesh->triangle_count + mesh->fan_count +
           (dci_element_has_black(kind) ? mesh->edge_count : 0);
}

/* Builds A from the corners at each vertex; `place` (edge_count) is workspace. */
static void dci_element_build_vertex(dci_element *element, const dc_mesh *mesh, dc_element kind,
                                     const dc_index *corner_start, const dc_index *corner,
                                     dc_index *place)
{
    dc_sparse_builder rows =
        dc_sparse_begin(&element->vertex, dci_element_entries(mesh, kind), place);
    for (dc_index v = 0; v < mesh->vertex_count; v++) {
        dc_index count = corner_start[v + 1] - corner_start[v];
        for (dc_index k = corner_start[v]; k < corner_start[v + 1]; k++) {
            dc_index q = corner[k];
            const dc_index *edge = mesh->edge_of_corner;
            dc_real part = 1 / (dc_real)count;
            dc_sparse_add(&rows, edge[dci_corner_next(q)], part);
            dc_sparse_add(&rows, edge[dci_corner_prev(q)], part);
            dc_sparse_add(&rows, edge[q], -part); /* (15.1) */
        }
        dc_sparse_finish_row(&rows);
    }
    for (dc_index k = 0; k < element->vertex.row_count - mesh->vertex_count; k++) { /* I */
        dc_sparse_add(&rows, k, 1);
        dc_sparse_finish_row(&rows);
    }
}

static void dci_element_build(dci_element *element, const dc_mesh *mesh, dc_element kind,
                              dci_arena *arena)
{
    dc_index corner_count = 3 * mesh->triangle_count, *place, *corner_start, *corner, e, q;
    int has_black = dci_element_has_black(kind);
    element->row = dci_elements + kind;
    element->node_count = mesh->edge_count;
    element->black_count = has_black ? mesh->vertex_count : 0;
    element->particle_count = element->node_count + element->black_count;
    dci_sparse_layout(arena, &element->vertex,
                      mesh->vertex_count + (has_black ? mesh->edge_count : 0), mesh->edge_count,
                      dci_element_entries(mesh, kind));
    element->area = dci_arena_reals(arena, mesh->edge_count);
    dci_work before = dci_arena_begin_work(arena);
    place = dci_arena_indices(arena, mesh->edge_count);
    corner_start = dci_arena_indices(arena, mesh->vertex_count + 1);
    corner = dci_arena_indices(arena, corner_count);
    if (arena->is_short) return;
    dci_index_star(mesh->vertex_count, mesh->triangles, corner_count, 1, corner_start, corner);
    dci_element_build_vertex(element, mesh, kind, corner_start, corner, place);
    for (e = 0; e < mesh->edge_count; e++) element->area[e] = 0;
    for (q = 0; q < corner_count; q++)
        element->area[mesh->edge_of_corner[q]] += mesh->rest_area[q / 3] / 3;
    dci_arena_end_work(arena, before);
}

static void dci_element_masses(const dci_element *element, const dc_mesh *mesh, dc_real density,
                               dc_real *mass)
{
    dc_real *black = mass + element->node_count;
    const dci_element_row *row = element->row;
    for (dc_index k = 0; k < element->node_count; k++)
        mass[k] = density * (row->node_share * element->area[k]);
    for (dc_index k = 0; k < element->black_count; k++) black[k] = 0;
    for (dc_index q = 0; element->black_count > 0 && q < 3 * mesh->triangle_count; q++)
        black[mesh->triangles[q]] += density * mesh->rest_area[q / 3] * row->vertex_share / 3;
}

/* ---- The refined mesh ---- */

/* The vertices of the refined mesh are those of the mesh, then the edge midpoints. Triangle 4 t + c
   is at corner c of t; 4 t + 3 is in the middle, with its corner c opposite corner c of t. */
static void dci_element_cut(const dc_mesh *mesh, dc_index *triangles, dc_real *length)
{
    for (dc_index q = 0; q < 3 * mesh->triangle_count; q++) {
        dc_index next = dci_corner_next(q), prev = dci_corner_prev(q);
        dc_index outer = 3 * (4 * (q / 3) + q % 3), inner = 3 * (4 * (q / 3) + 3) + q % 3;
        triangles[outer] = mesh->triangles[q];
        triangles[outer + 1] = mesh->vertex_count + mesh->edge_of_corner[prev];
        triangles[outer + 2] = mesh->vertex_count + mesh->edge_of_corner[next];
        triangles[inner] = mesh->vertex_count + mesh->edge_of_corner[q];
        length[outer] = length[inner] = mesh->rest_length[q] / 2;
        length[outer + 1] = mesh->rest_length[next] / 2;
        length[outer + 2] = mesh->rest_length[prev] / 2;
    }
}

/* Flat positions of its corners, in place: four triangles replace one, so the last comes first. */
static void dci_element_cut_flat(const dc_mesh *mesh, dc_vec2 *flat)
{
    static const int from[12] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 1, 2, 0}, /* each is between two */
        to[12] = {0, 1, 2, 1, 2, 0, 2, 0, 1, 2, 0, 1};
    dc_index t = mesh->triangle_count, k;
    while (t-- > 0) {
        const dc_vec2 corner[3] = {flat[3 * t], flat[3 * t + 1], flat[3 * t + 2]};
        for (k = 0; k < 12; k++) {
            flat[12 * t + k].x = (corner[from[k]].x + corner[to[k]].x) / 2;
            flat[12 * t + k].y = (corner[from[k]].y + corner[to[k]].y) / 2;
        }
    }
}

static dc_status dci_element_build_surface(const dci_element *element, const dc_mesh *mesh,
                                           dci_arena *arena, dc_mesh *surface, dc_error *error)
{
    dc_index corner_count = 12 * mesh->triangle_count, *triangles;
    dc_mesh_desc desc;
    *surface = *mesh;
    if (element->black_count == 0) return DC_OK;
    dci_work before = dci_arena_begin_work(arena);
    triangles = dci_arena_indices(arena, corner_count);
    dc_real *length = dci_arena_reals(arena, corner_count);
    dci_arena_to_front(arena);
    if (arena->is_short) return dci_arena_fail(arena, error);
    dci_element_cut(mesh, triangles, length);
    DC_MEMSET(&desc, 0, sizeof desc);
    desc.vertex_count = mesh->vertex_count + mesh->edge_count;
    desc.triangle_count = 4 * mesh->triangle_count;
    desc.triangles = triangles;
    desc.rest_lengths = length;
    dc_status status = dci_mesh_build(&desc, 0, arena, surface, error);
    dci_arena_end_work(arena, before);
    return status;
}

/* ============================================================================================
 * 16 BENDING                                                                             dci_bend
 *
 * A sheet that keeps its lengths resists only bending, with the energy E = k/2 int |Hess x|^2 dA.
 * Here its second derivatives lie on the edges, where the gradient jumps. The frame of an edge:
 *
 *            left            t along the edge, n into the left triangle;
 *            /|\             [grad] = grad_left - grad_right, the jump of the gradient (3 x 2),
 *           / ^n\            [x_n] = [grad] n, [x_t] = [grad] t: its two columns in this frame
 *       v0 o--+->o v1
 *           \ | t            In one triangle, with foot and height of (7.1):
 *            \|/             x_n = ( -|e| m_own + (|e| - foot) m_next + foot m_prev ) / area
 *           right            x_t = ( height m_next - height m_prev ) / area         (16.1)
 *
 * The right triangle's own frame has both axes reversed, so [x_n] and [x_t] are sums of (16.1) over
 * both sides. The Hessian at a vertex is the mean of these jumps over the vertex's area:
 *
 *     H_v = 1/(2 W_v) sum over inner edges e at v of |e| [grad]_e n_e^T               (16.2)
 *     E_H = k/2 sum_v W_v |H_v|^2,      W_v = a third of the area around v             (16.3)
 *
 * (|.| is the Frobenius norm; [grad] n^T is 2 x 2 for each coordinate.) Let each node be the mean
 * of a quadratic surface over its edge. Then a triangle's gradient is exact at its centroid, and
 * H_v is exact at inner vertices, on any mesh. At the border only inner edges count: no moment.
 *
 * E_H is zero for affine maps, but on some meshes also where neighbouring triangles turn in
 * opposite senses and the sheet shrinks. So the jumps [x_t] cost energy, too, as in [HL03]:
 *
 *     E_J = (k gamma + beta rho a size h^2)/2  sum over inner e of |e|^2/W_e |[x_t]_e|^2  (16.4)
 *
 *     k     desc.bending [N m]      gamma, beta   jump_gamma, jump_beta     rho   desc.density
 *     a     jump_acceleration       h     mean edge length    size   root of the sheet's area
 *     W_e   a third of the area of the two triangles
 *
 * E_H + E_J is zero for affine maps only. The published form (8) has only the normal jumps, edge by
 * edge: saddles have no energy, and free borders are too soft.
 *
 * A clamped edge is a border edge beyond which the surface continues with a prescribed gradient,
 * that of a ghost triangle without area. The direction of an edge at a vertex is the sum of the
 * corner angles before it; a closed fan is scaled to 2 pi. The pieces of a garment lie in no common
 * plane, so each jump is taken in the plane of its own two triangles.
 *
 * Running example: e1 is the only inner edge; |e| = sqrt 2, foot = height = |e|/2, area 1/2, and
 * [x_n] = sqrt 2 (-4 e1 + e0 + e3 + e2 + e4) and [x_t] = sqrt 2 (e0 - e3 + e4 - e2).
 * ============================================================================================ */

/* (16.1) for the edge opposite corner q: coefficients of midpoints own, next, prev in x_n, x_t. */
typedef struct dci_gradient {
    dc_index edge[3];
    dc_real normal[3], tangent[3];
} dci_gradient;

static dci_gradient dci_bend_gradient(const dc_mesh *mesh, dc_index q)
{
    const dc_index *edge = mesh->edge_of_corner;
    dc_real a = mesh->rest_length[q], area = mesh->rest_area[q / 3];
    dc_vec2 apex = dci_corner_apex(mesh, q);
    const dci_gradient g = {{edge[q], edge[dci_corner_next(q)], edge[dci_corner_prev(q)]},
                            {-a / area, (a - apex.x) / area, apex.x / area},
                            {0, apex.y / area, -apex.y / area}};
    return g;
}

enum { DCI_HESSIAN_ROWS = 4 }; /* components of H_v, one per row */

/* A held point: a vertex (pin) or an edge midpoint (clamp). */
typedef struct dci_hold {
    dc_vec3 start, target; /* [m] at the beginning and at the end of the step                    */
    int is_held;
} dci_hold;

/* R and P of (17.1), built row by row; P has columns for x_n and x_t of each clamp. */
typedef struct dci_bend_rows {
    const dc_mesh *mesh;
    const dc_index *clamp_of_edge; /* (edge_count) or DC_NONE                                    */
    const dci_hold *clamp;         /* (clamp_count); NULL: all are held                          */
    dc_sparse_builder rows, known;
    dc_real *stiffness; /* s of the rows                                                         */
} dci_bend_rows;

static int dci_edge_has_jump(const dc_mesh *mesh, const dc_index *clamp_of_edge, dc_index e)
{
    return !dci_edge_is_boundary(mesh, e) || clamp_of_edge[e] != DC_NONE;
}

/* Adds along_normal [x_n]_e + along_edge [x_t]_e to the current row. Clamps keep their zeros. */
static void dci_bend_add_jump(dci_bend_rows *b, dc_index e, dc_real along_normal,
                              dc_real along_edge)
{
    dc_index side, k, clamp = b->clamp_of_edge[e];
    if (clamp != DC_NONE) {
        dc_real on = b->clamp && !b->clamp[clamp].is_held ? DCI_R(0) : DCI_R(1);
        along_normal *= on;
        along_edge *= on;
        dc_sparse_add(&b->known, 2 * clamp, -along_normal);
        dc_sparse_add(&b->known, 2 * clamp + 1, -along_edge);
    }
    for (side = 0; side < 2; side++) {
        dc_index q = b->mesh->corner_of_edge[2 * e + side];
        if (q == DC_NONE) continue;
        dci_gradient g = dci_bend_gradient(b->mesh, q);
        for (k = 0; k < 3; k++) {
            dc_real value = along_normal * g.normal[k] + along_edge * g.tangent[k];
            if (value != 0 || clamp != DC_NONE) dc_sparse_add(&b->rows, g.edge[k], value);
        }
    }
}

static void dci_bend_finish_row(dci_bend_rows *b, dc_real stiffness)
{
    b->stiffness[b->rows.row] = stiffness;
    dc_sparse_finish_row(&b->rows);
    dc_sparse_finish_row(&b->known);
}

/* The edge between corner number `spoke` of a fan and the one before it. */
static dc_index dci_fan_spoke(const dc_mesh *mesh, dc_index fan, dc_index spoke)
{
    dc_index first = mesh->fan_start[fan];
    if (spoke == 0) return mesh->edge_of_corner[dci_corner_prev(mesh->fan_corner[first])];
    return mesh->edge_of_corner[dci_corner_next(mesh->fan_corner[first + spoke - 1])];
}

/* The area of a fan (a third of its triangles) and the sum of its corner angles. */
static dc_real dci_fan_area(const dc_mesh *mesh, dc_index fan, dc_real *angle)
{
    dc_real area = 0;
    *angle = 0;
    for (dc_index place = mesh->fan_start[fan]; place < mesh->fan_start[fan + 1]; place++) {
        area += mesh->rest_area[mesh->fan_corner[place] / 3] / 3;
        *angle += dci_corner_angle(mesh, mesh->fan_corner[place]);
    }
    return area;
}

/* Whether a fan has an edge with a jump; two triangles have an inner edge between them. */
static int dci_fan_has_jump(const dc_mesh *mesh, const dc_index *clamp_of_edge, dc_index fan)
{
    return mesh->fan_start[fan + 1] - mesh->fan_start[fan] > 1 ||
           dci_edge_has_jump(mesh, clamp_of_edge, dci_fan_spoke(mesh, fan, 0)) ||
           dci_edge_has_jump(mesh, clamp_of_edge, dci_fan_spoke(mesh, fan, 1));
}

/* Adds component (row, column) of H_v of a fan; axis 0 of its frame is along spoke 0. */
static void dci_bend_add_hessian(dci_bend_rows *b, dc_index fan, dc_index row, dc_index column)
{
    const dc_mesh *mesh = b->mesh;
    dc_index corner_count = mesh->fan_start[fan + 1] - mesh->fan_start[fan], spoke;
    int is_closed = dci_fan_is_closed(mesh, fan);
    dc_real total, area = dci_fan_area(mesh, fan, &total);
    dc_real scale = is_closed ? 2 * DCI_PI / total : 1, angle = 0;
    for (spoke = 0; spoke <= corner_count; spoke++) {
        dc_index e = dci_fan_spoke(mesh, fan, spoke);
        dc_real t[2], n[2], factor = dci_edge_length(mesh, e) / (2 * area);
        if (spoke > 0)
            angle +=
                scale * dci_corner_angle(mesh, mesh->fan_corner[mesh->fan_start[fan] + spoke - 1]);
        if (is_closed && spoke == 0) continue; /* the last spoke is the same edge */
        if (!dci_edge_has_jump(mesh, b->clamp_of_edge, e)) continue;
        t[0] = dc_cos(angle);
        t[1] = dc_sin(angle);
        n[0] = -t[1];
        n[1] = t[0];
        dci_bend_add_jump(b, e, factor * n[row] * n[column],
                          factor * t[row] * n[column]); /* (16.2) */
    }
}

static void dci_bend_add_hessians(dci_bend_rows *b, dc_real stiffness)
{
    for (dc_index fan = 0; fan < b->mesh->fan_count; fan++) {
        dc_real angle, area = dci_fan_area(b->mesh, fan, &angle);
        if (!dci_fan_has_jump(b->mesh, b->clamp_of_edge, fan)) continue;
        for (dc_index component = 0; component < DCI_HESSIAN_ROWS; component++) {
            dci_bend_add_hessian(b, fan, component / 2, component % 2);
            dci_bend_finish_row(b, stiffness * area); /* (16.3) */
        }
    }
}

/* The factor of (16.4). */
static dc_real dci_bend_jump_stiffness(const dc_mesh *mesh, const dc_cloth_desc *desc)
{
    dc_real area = 0, length = 0;
    for (dc_index t = 0; t < mesh->triangle_count; t++) area += mesh->rest_area[t];
    for (dc_index e = 0; e < mesh->edge_count; e++) length += dci_edge_length(mesh, e);
    length /= (dc_real)mesh->edge_count;
    return desc->bending * desc->jump_gamma + desc->jump_beta * desc->density *
                                                  desc->jump_acceleration * DC_SQRT(area) * length *
                                                  length;
}

static void dci_bend_add_jumps(dci_bend_rows *b, const dc_cloth_desc *desc)
{
    dc_real stiffness = dci_bend_jump_stiffness(b->mesh, desc);
    for (dc_index e = 0; e < b->mesh->edge_count; e++) {
        dc_index left = b->mesh->corner_of_edge[2 * e], right = b->mesh->corner_of_edge[2 * e + 1];
        dc_real length = dci_edge_length(b->mesh, e), area = b->mesh->rest_area[left / 3];
        if (!dci_edge_has_jump(b->mesh, b->clamp_of_edge, e)) continue;
        if (right != DC_NONE) area += b->mesh->rest_area[right / 3];
        dci_bend_add_jump(b, e, 0, 1);
        dci_bend_finish_row(b, stiffness * length * length / (area / 3)); /* (16.4) */
    }
}

/* ============================================================================================
 * 17 ENERGIES                                                                          dci_energy
 *
 * Both energies of chapter 16 are weighted sums of squares of linear functions y of x:
 *
 *     y = R x + P b                                                                   (17.1)
 *     E = 1/2 sum over rows of s_i |y_i|^2,     force  F = -R^T s y                    (17.2)
 *
 *     R       rows             (rows, nodes) [1/m^2], of jumps [1/m]
 *     P, b    known            (rows, 2 clamps); (2 clamps) gradients beyond the clamped edges
 *     s       stiffness        (rows) [N m^3], of jumps [N m]
 *     tau     damping          (2) [s] of bending, of jumps
 *     delta                    (rows of bending) [1/m] rest curvature; T delta: turned
 *
 * Damping is proportional to stiffness: F = -R^T tau s (R v). The black nodes of chapter 15 add
 * their inertia to the matrix of a step. Their rows, those of A, come last and have no energy.
 *
 * Rest curvature. If the rest shape is bent, its y is delta = R x_rest + P b_rest. The energy
 * measures the deviation from delta, rotated with the cloth, [Wan12] sec. 3.2.1:
 *
 *     E = 1/2 sum over rows of s_i |R_i x + P_i b - T_i delta_i|^2    [Wan12] (3.8)   (17.3)
 *
 * delta turns with the rest shape. Wang uses one "average" rotation, for which a rolled-up sleeve
 * gives no answer. Here each row has its own rotation T_i, from the frame of the triangles around
 * its vertex in the rest shape to their current frame. l_rest and l are the sides of their medial
 * triangles, between midpoints, at rest and now; || means "is the unit vector along":
 *
 *     n_rest || sum l_rest x l_rest',   n || sum l x l'      (two sides of one triangle)
 *     from_1 any unit vector normal to n_rest,   from_2 = n_rest x from_1
 *     to_1 || the part normal to n of sum [ (l_rest . from_1) l + (l_rest . from_2) l x n ]
 *     to_2 = n x to_1,   T = to_1 from_1^T + to_2 from_2^T + n n_rest^T               (17.4)
 *
 * to_1 minimises the sum of |T l_rest - l|^2, whatever from_1 is. To keep (17.3) quadratic, T is
 * fixed during a step, at the position reached without forces ([Wan12]: under gravity). Fans whose
 * normals cancel have no frame; their T delta is 0 in that step.
 *
 * The rows (16.4) have delta = 0: in a rest shape given by its vertices, x_t is the unit vector
 * along the edge on both sides. On uneven meshes (16.2) gives the mean curvature of the rest shape
 * to a few per cent. Beyond a clamped edge b_rest continues the plane of its triangle.
 * ============================================================================================ */

typedef struct dci_energy {
    dc_sparse rows, known;
    dc_real *stiffness;
    const dc_real *inertia; /* masses of the black nodes, within those of all particles          */
    dc_real damping[2];     /* tau of bending, of jumps                                          */
    dc_index bending_count; /* rows before this are bending ...                                  */
    dc_index elastic_count; /* ... from there to this, jumps; the rest, black nodes              */
} dci_energy;

/* Bounds on rows and entries, from the counts of the mesh alone. */
static void dci_energy_bound(const dc_mesh *mesh, const dc_cloth_desc *desc, dc_index *row_max,
                             dc_index *entry_max)
{
    int64_t fan_entries = 6 * (int64_t)mesh->triangle_count + mesh->fan_count; /* as in A */
    int64_t jump_entries = 5 * (int64_t)mesh->edge_count;
    int64_t rows = mesh->edge_count + DCI_HESSIAN_ROWS * (int64_t)mesh->fan_count;
    int64_t entries = jump_entries + DCI_HESSIAN_ROWS * fan_entries;
    if (dci_element_has_black(desc->element)) {
        rows += mesh->vertex_count;
        entries += fan_entries;
    }
    *row_max = dci_index_or_none(rows);
    *entry_max = dci_index_or_none(entries);
}

static void dci_energy_layout(dci_arena *arena, dci_energy *energy, const dc_mesh *mesh,
                              const dc_cloth_desc *desc, dc_index node_count)
{
    dc_index row_max, entry_max;
    dci_energy_bound(mesh, desc, &row_max, &entry_max);
    dci_sparse_layout(arena, &energy->rows, row_max, node_count, entry_max);
    /* A clamp has two entries in each of nine rows, four per vertex and its jump: fewer than 20. */
    dci_sparse_layout(arena, &energy->known, row_max, 2 * desc->clamp_count,
                      20 * desc->clamp_count);
    energy->stiffness = dci_arena_reals(arena, row_max);
}

/* Builds all rows. place (node_count) and known_place (2 clamp_count) are workspace. */
static void dci_energy_build(dci_energy *energy, const dc_mesh *mesh, const dci_element *element,
                             const dc_cloth_desc *desc, const dc_index *clamp_of_edge,
                             const dci_hold *clamp, dc_index *place, dc_index *known_place)
{
    dc_index row_max, entry_max, v;
    dci_bend_rows b;
    dci_energy_bound(mesh, desc, &row_max, &entry_max);
    b.mesh = mesh;
    b.clamp_of_edge = clamp_of_edge;
    b.clamp = clamp;
    b.stiffness = energy->stiffness;
    b.rows = dc_sparse_begin(&energy->rows, entry_max, place);
    b.known = dc_sparse_begin(&energy->known, 20 * desc->clamp_count, known_place);
    dci_bend_add_hessians(&b, desc->bending);
    energy->bending_count = b.rows.row;
    energy->damping[0] = desc->bending_damping;
    energy->damping[1] = desc->jump_damping;
    dci_bend_add_jumps(&b, desc);
    energy->elastic_count = b.rows.row;
    for (v = 0; v < element->black_count; v++) { /* these come first in A */
        dci_sparse_add_row(&b.rows, &element->vertex, v);
        dci_bend_finish_row(&b, 0);
    }
    DC_ASSERT(b.rows.end <= b.rows.capacity && b.known.end <= b.known.capacity);
    energy->rows.row_count = energy->known.row_count = b.rows.row;
}

/* y of (17.1) for one row; NULL b stands for 0. */
static dc_vec3 dci_energy_residual(const dci_energy *energy, dc_index row, const dc_vec3 *x,
                                   const dc_vec3 *b)
{
    dc_vec3 sum = dci_sparse_row(&energy->rows, row, x, dci_vec(0, 0, 0));
    return b ? dci_sparse_row(&energy->known, row, b, sum) : sum;
}

static dc_real dci_energy_damping(const dci_energy *energy, dc_index row)
{
    return energy->stiffness[row] * energy->damping[row >= energy->bending_count];
}

/* force += -R^T s (R x + P b - T delta), (17.2), (17.3); NULL `turned` stands for 0 */
static void dci_energy_add_force(const dci_energy *energy, const dc_vec3 *x, const dc_vec3 *b,
                                 const dc_vec3 *turned, dc_vec3 *force)
{
    for (dc_index row = 0; row < energy->elastic_count; row++) {
        dc_vec3 y = dci_energy_residual(energy, row, x, b);
        if (turned && row < energy->bending_count) y = dci_vec_sub(y, turned[row]);
        y = dci_vec_scale(-energy->stiffness[row], y);
        dci_sparse_row_transposed(&energy->rows, row, 1, y, force);
    }
}

/* force += -R^T tau s (R v) */
static void dci_energy_add_damping(const dci_energy *energy, const dc_vec3 *v, dc_vec3 *force)
{
    for (dc_index row = 0; row < energy->elastic_count; row++) {
        dc_vec3 y = dci_energy_residual(energy, row, v, NULL);
        y = dci_vec_scale(-dci_energy_damping(energy, row), y);
        dci_sparse_row_transposed(&energy->rows, row, 1, y, force);
    }
}

/* The factor of a row in H, (22.2): weight (s + rate tau s), or the mass of a black node. */
static dc_real dci_energy_factor(const dci_energy *energy, dc_real weight, dc_real rate,
                                 dc_index row)
{
    if (row >= energy->elastic_count) return energy->inertia[row - energy->elastic_count];
    return weight * (energy->stiffness[row] + rate * dci_energy_damping(energy, row));
}

/* image += R^T factor R x */
static void dci_energy_add_image(const dci_energy *energy, dc_real weight, dc_real rate,
                                 const dc_vec3 *x, dc_vec3 *image)
{
    for (dc_index row = 0; row < energy->rows.row_count; row++) {
        dc_vec3 y = dci_energy_residual(energy, row, x, NULL);
        y = dci_vec_scale(dci_energy_factor(energy, weight, rate, row), y);
        dci_sparse_row_transposed(&energy->rows, row, 1, y, image);
    }
}

/* diagonal += that of R^T factor R */
static void dci_energy_add_diagonal(const dci_energy *energy, dc_real weight, dc_real rate,
                                    dc_real *diagonal)
{
    const dc_sparse *r = &energy->rows;
    for (dc_index row = 0; row < r->row_count; row++) {
        dc_real factor = dci_energy_factor(energy, weight, rate, row);
        for (dc_index p = r->start[row]; p < r->start[row + 1]; p++)
            diagonal[r->column[p]] += factor * r->value[p] * r->value[p];
    }
}

/* [J] (17.2), over rows first to end - 1. */
static dc_real dci_energy_value(const dci_energy *energy, dc_index first, dc_index end,
                                const dc_vec3 *x, const dc_vec3 *b)
{
    dc_real sum = 0;
    for (dc_index row = first; row < end; row++) {
        dc_vec3 y = dci_energy_residual(energy, row, x, b);
        sum += energy->stiffness[row] * dci_dot(y, y) / 2;
    }
    return sum;
}

/* ---- Rest curvature ---- */

/* A sum of vectors has no direction if it is shorter than this fraction of their total length. */
#define DCI_FRAME_MIN (sizeof(dc_real) == 4 ? DCI_R(1e-3) : DCI_R(1e-6))

typedef struct dci_rest {
    dc_vec3 *x;      /* (node_count) [m] the rest shape                                          */
    dc_vec3 *known;  /* (2 clamp_count) its gradients beyond the clamped edges                   */
    dc_vec3 *turned; /* (bending_count) T delta in this step; NULL: flat rest shape              */
} dci_rest;

/* The vectors from midpoint c to midpoint c + 1 in the triangle at this place of a fan. */
static void dci_fan_sides(const dc_mesh *mesh, dc_index place, const dc_vec3 *x, dc_vec3 side[3])
{
    const dc_index *edge = mesh->edge_of_corner + 3 * (mesh->fan_corner[place] / 3);
    for (int c = 0; c < 3; c++) side[c] = dci_vec_sub(x[edge[(c + 1) % 3]], x[edge[c]]);
}

/* Normalises a sum of vectors of this total length. Fails if it has no finite direction. */
static int dci_frame_direction(dc_vec3 sum, dc_real lengths, dc_vec3 *direction)
{
    dc_real length = dci_norm(sum);
    if (!(length > DCI_FRAME_MIN * lengths)) return 0;
    *direction = dci_vec_scale(1 / length, sum);
    return dci_vec_is_finite(*direction);
}

static int dci_fan_normal(const dc_mesh *mesh, dc_index fan, const dc_vec3 *x, dc_vec3 *normal)
{
    dc_vec3 sum = dci_vec(0, 0, 0);
    dc_real lengths = 0;
    for (dc_index place = mesh->fan_start[fan]; place < mesh->fan_start[fan + 1]; place++) {
        dc_vec3 side[3], n;
        dci_fan_sides(mesh, place, x, side);
        n = dci_cross(side[0], side[1]);
        sum = dci_vec_add(sum, n);
        lengths += dci_norm(n);
    }
    return dci_frame_direction(sum, lengths, normal);
}

/* A unit vector normal to a unit vector. */
static dc_vec3 dci_vec_across(dc_vec3 n)
{
    dc_real x = dci_abs(n.x), y = dci_abs(n.y), z = dci_abs(n.z);
    dc_vec3 least = dci_vec(0, 0, 1), across;
    if (x <= y && x <= z)
        least = dci_vec(1, 0, 0);
    else if (y <= z)
        least = dci_vec(0, 1, 0);
    across = dci_cross(n, least);
    return dci_vec_scale(1 / dci_norm(across), across);
}

/* The frames of (17.4), normals last. Returns 0 if there are none. */
static int dci_fan_frames(const dc_mesh *mesh, dc_index fan, const dc_vec3 *x_rest,
                          const dc_vec3 *x, dc_vec3 from[3], dc_vec3 to[3])
{
    dc_vec3 sum = dci_vec(0, 0, 0);
    dc_real lengths = 0;
    if (!dci_fan_normal(mesh, fan, x_rest, from + 2)) return 0;
    if (!dci_fan_normal(mesh, fan, x, to + 2)) return 0;
    from[0] = dci_vec_across(from[2]);
    from[1] = dci_cross(from[2], from[0]);
    for (dc_index place = mesh->fan_start[fan]; place < mesh->fan_start[fan + 1]; place++) {
        dc_vec3 rest[3], side[3];
        dci_fan_sides(mesh, place, x_rest, rest);
        dci_fan_sides(mesh, place, x, side);
        for (dc_index c = 0; c < 3; c++) {
            sum = dci_vec_axpy(sum, dci_dot(rest[c], from[0]), side[c]);
            sum = dci_vec_axpy(sum, dci_dot(rest[c], from[1]), dci_cross(side[c], to[2]));
            lengths += dci_norm(rest[c]) * dci_norm(side[c]);
        }
    }
    sum = dci_vec_axpy(sum, -dci_dot(sum, to[2]), to[2]);
    if (!dci_frame_direction(sum, lengths, to)) return 0;
    to[1] = dci_cross(to[2], to[0]);
    return 1;
}

/* [J] The bending energy (17.3) at x, with T at x; T delta in `turned`, unless that is NULL. */
static dc_real dci_rest_value(const dci_rest *rest, const dci_energy *energy, const dc_mesh *mesh,
                              const dc_index *clamp_of_edge, const dc_vec3 *x, const dc_vec3 *b,
                              dc_vec3 *turned)
{
    dc_real sum = 0;
    dc_index fan, row = 0, i, c;
    for (fan = 0; fan < mesh->fan_count; fan++) {
        dc_vec3 from[3], to[3];
        if (!dci_fan_has_jump(mesh, clamp_of_edge, fan)) continue;
        int has_frame = dci_fan_frames(mesh, fan, rest->x, x, from, to);
        for (i = 0; i < DCI_HESSIAN_ROWS; i++, row++) {
            dc_vec3 delta = dci_energy_residual(energy, row, rest->x, rest->known);
            dc_vec3 own = dci_vec(0, 0, 0), y = dci_energy_residual(energy, row, x, b);
            for (c = 0; has_frame && c < 3; c++)
                own = dci_vec_axpy(own, dci_dot(from[c], delta), to[c]); /* (17.4) */
            y = dci_vec_sub(y, own);
            sum += energy->stiffness[row] * dci_dot(y, y) / 2;
            if (turned) turned[row] = own;
        }
    }
    return sum;
}

/* The gradient of the triangle beside a border edge, in the edge's frame: x_n, x_t. */
static void dci_rest_gradient(const dc_mesh *mesh, dc_index e, const dc_vec3 *x,
                              dc_vec3 gradient[2])
{
    dci_gradient g = dci_bend_gradient(mesh, mesh->corner_of_edge[2 * e]);
    gradient[0] = gradient[1] = dci_vec(0, 0, 0);
    for (int k = 0; k < 3; k++) {
        dc_vec3 m = x[g.edge[k]];
        gradient[0] = dci_vec_axpy(gradient[0], g.normal[k], m);
        gradient[1] = dci_vec_axpy(gradient[1], g.tangent[k], m);
    }
}

#endif /* DC_NO_BENDING */

#ifndef DC_NO_CLOTH

/* ============================================================================================
 * 18 CONSTRAINTS                                                                         dci_rows
 *
 * One solver serves lengths and held points. A constraint combines nodes, y_i = sum over k of w_ik
 * x_k, and has a direction g_i. Its row of the Jacobian is J_i = w_i g_i^T:
 *
 *     length   C_i = (|y_i|^2 - d_i^2) / (2 d_i),    g_i = y_i / d_i                   (18.1)
 *     held     C_i = (y_i - target) . axis,          g_i = axis (0 if released)        (18.2)
 *
 * A triangle is rigid if its midpoints keep their distances, [EB08] (1), each half an edge length:
 *
 *              x             rows of a triangle: m_next - m_prev, d = half the opposite edge
 *             / \
 *            o---o           (1) is divided by 2 d: then g_i is almost a unit vector, and the
 *           / \ / \          rows of large and small triangles have the same weight
 *          x---o---x
 *
 * The rows of a triangle have the weights 1 and -1 and are not stored. A held vertex is a row of A,
 * a held edge midpoint a node; each has three rows, one per axis, with the same stored weights.
 *
 *     w, d         weight, rest      (rows, nodes); (rows) [m] weights, rest lengths
 *     C, g         value, direction  (rows) [m]; (rows)
 *     lambda, eta  lambda, eta       (rows) [kg m] constraint forces times weight dt^2; changes
 *     kappa        kappa             (rows) [kg] lambda / d, the geometric stiffness
 *     G^-1, S      mobility, s       (nodes) [1/kg], G: a diagonal metric; (rows)^2 [1/kg]
 *
 * Chapters 24 and 25 choose G and find multipliers with the Schur complement,
 *
 *     S_ij = (J G^-1 J^T)_ij = ( sum over k of w_ik w_jk / G_k ) (g_i . g_j)           (18.3)
 *
 * The first factor is a Gram matrix (9.2) with a fixed pattern. The constraint force J^T lambda
 * rotates with the cloth. Its derivative (geometric stiffness) is
 *
 *     sum over lengths of kappa_i w_i^T w_i,      kappa_i = lambda_i / d_i             (18.4)
 *
 * a Laplacian, positive in tension and negative in compression. The matrix of a step must stay
 * positive definite, so each triangle's contribution is replaced by its positive part. Since y_0 +
 * y_1 + y_2 = 0, the contribution in (y_0, y_1) is
 *
 *     | kappa_0 + kappa_2       kappa_2      |
 *     |      kappa_2       kappa_1 + kappa_2 |                                         (18.5)
 *
 * In an orthonormal basis of the nodes' differences the negative eigenvalues of this matrix are set
 * to 0. The result has the form (18.4) again, with other kappa_i.
 *
 * Running example, density 1, flat: row 3 t + c is opposite corner c of triangle t. Row 0 is e1 -
 * e0, pointing up; row 1 is e0 - e3; row 2 is e3 - e1, pointing right:
 *
 *          |    9 4.24             -3       |    S_00 = (6 + 3) g_0 . g_0 = 9
 *          | 4.24   12 4.24                 |    S_01 = -6 g_0 . g_1 = 6/sqrt 2
 *     S =  |      4.24    9   -3            |    S_02 = -3 g_0 . g_2 = 0 at the right angle
 *          |             -3    9      4.24  |    S_04 = 3 g_0 . g_4 = -3 through e1
 *          |   -3                   9 4.24  |
 *          |                4.24 4.24   12  |
 * ============================================================================================ */

typedef struct dci_rows {
    dc_index count;        /* all rows                                                           */
    dc_index length_count; /* the first ones: row 3 t + c is opposite corner c of triangle t. The
                              others are held points, three rows each                            */
    const dc_index *edge;  /* of the mesh: edge_of_corner, and ...                               */
    const dc_real *length; /* ... rest_length                                                    */
    dc_sparse weight;      /* (held points, node_count)                                          */
    dc_real edge_length;   /* [m] mean edge length, used as d for held points                    */
} dci_rows;

static void dci_rows_begin(dci_rows *rows, const dc_mesh *mesh)
{
    rows->length_count = 3 * mesh->triangle_count;
    rows->edge = mesh->edge_of_corner;
    rows->length = mesh->rest_length;
    rows->edge_length = 0;
    for (dc_index e = 0; e < mesh->edge_count; e++)
        rows->edge_length += dci_edge_length(mesh, e) / (dc_real)mesh->edge_count;
}

/* ---- Terms of a row ---- */

static dc_real dci_rows_rest(const dci_rows *rows, dc_index i)
{
    return i < rows->length_count ? rows->length[i] / 2 : rows->edge_length;
}

/* The held point of row i, which is no length. */
static dc_index dci_rows_held(const dci_rows *rows, dc_index i)
{
    return (i - rows->length_count) / 3;
}

static dc_index dci_rows_term_count(const dci_rows *rows, dc_index i)
{
    const dc_index *start = rows->weight.start;
    dc_index held = dci_rows_held(rows, i);
    return i < rows->length_count ? 2 : start[held + 1] - start[held];
}

/* The node of term p of row i, and its weight. */
static dc_index dci_rows_term(const dci_rows *rows, dc_index i, dc_index p, dc_real *weight)
{
    if (i < rows->length_count) {
        *weight = p == 0 ? DCI_R(1) : DCI_R(-1);
        return rows->edge[p == 0 ? dci_corner_next(i) : dci_corner_prev(i)];
    }
    p += rows->weight.start[dci_rows_held(rows, i)];
    *weight = rows->weight.value[p];
    return rows->weight.column[p];
}

/* The transpose of all weights: the rows at each node, ascending. */
static void dci_rows_transpose(const dci_rows *rows, dc_sparse *transposed)
{
    dc_index i, p, nodes = rows->weight.column_count;
    dc_real weight;
    transposed->row_count = nodes;
    transposed->column_count = rows->count;
    dci_index_fill(transposed->start, nodes + 1, 0);
    for (i = 0; i < rows->count; i++)
        for (p = 0; p < dci_rows_term_count(rows, i); p++)
            transposed->start[dci_rows_term(rows, i, p, &weight)]++;
    dci_index_offsets(transposed->start, nodes);
    for (i = 0; i < rows->count; i++)
        for (p = 0; p < dci_rows_term_count(rows, i); p++) {
            dc_index place = transposed->start[dci_rows_term(rows, i, p, &weight)]++;
            transposed->column[place] = i;
            transposed->value[place] = weight;
        }
    dci_index_rewind(transposed->start, nodes);
}

/* ---- Products ---- */

/* y of the three rows of a triangle, from its edges. */
static void dci_rows_differences(const dc_index *edge, const dc_vec3 *x, dc_vec3 y[3])
{
    dc_vec3 a = x[edge[0]], b = x[edge[1]], c = x[edge[2]];
    y[0] = dci_vec_sub(b, c);
    y[1] = dci_vec_sub(c, a);
    y[2] = dci_vec_sub(a, b);
}

/* The transpose: adds the forces of the three rows to the nodes. */
static void dci_rows_add_sides(const dc_index *edge, const dc_vec3 force[3], dc_vec3 *node)
{
    dc_vec3 *a = node + edge[0], *b = node + edge[1], *c = node + edge[2];
    *a = dci_vec_add(dci_vec_sub(*a, force[1]), force[2]);
    *b = dci_vec_sub(dci_vec_add(*b, force[0]), force[2]);
    *c = dci_vec_add(dci_vec_sub(*c, force[0]), force[1]);
}

/* y_i, the combination of nodes of a stored row. */
static dc_vec3 dci_rows_combine(const dci_rows *rows, dc_index i, const dc_vec3 *x)
{
    return dci_sparse_row(&rows->weight, dci_rows_held(rows, i), x, dci_vec(0, 0, 0));
}

/* (18.1) */
static dc_real dci_length_value(dc_vec3 y, dc_real d)
{
    return (dci_norm(y) - d) * (dci_norm(y) + d) / (2 * d);
}

/* C of (18.1), (18.2) and directions at x, with targets at the fraction `part` of the step. */
static void dci_rows_evaluate(const dci_rows *rows, const dci_hold *hold, dc_real part,
                              const dc_vec3 *x, dc_vec3 *direction, dc_real *value)
{
    dc_index i, c;
    for (i = 0; i < rows->length_count; i += 3) {
        dc_vec3 y[3];
        dci_rows_differences(rows->edge + i, x, y);
        for (c = 0; c < 3; c++) { /* (18.1) */
            dc_real d = dci_rows_rest(rows, i + c);
            direction[i + c] = dci_vec_scale(1 / d, y[c]);
            value[i + c] = dci_length_value(y[c], d);
        }
    }
    for (; i < rows->count; i++) {
        const dci_hold *h = hold + dci_rows_held(rows, i);
        dc_index axis = (i - rows->length_count) % 3;
        dc_vec3 change = dci_vec_sub(h->target, h->start);
        dc_vec3 target = part == 1 ? h->target : dci_vec_axpy(h->start, part, change);
        dc_vec3 error = dci_vec_sub(dci_rows_combine(rows, i, x), target);
        direction[i] = h->is_held ? dci_vec(axis == 0, axis == 1, axis == 2) : dci_vec(0, 0, 0);
        value[i] = dci_dot(direction[i], error); /* (18.2) */
    }
}

static void dci_rows_ends(const dci_rows *rows, dc_index i, dc_index end[2])
{
    end[0] = rows->edge[dci_corner_next(i)];
    end[1] = rows->edge[dci_corner_prev(i)];
}

/* The largest relative error, 2 |C_i| / d_i (lengths: ||y|^2 - d^2| / d^2), and its row; one that
   is not finite is kept. C is `value`; if that is NULL, that of lengths at x. */
static dc_real dci_rows_error(const dci_rows *rows, const dc_real *value, const dc_vec3 *x,
                              dc_index *worst)
{
    dc_index count = value ? rows->count : rows->length_count, i, end[2];
    dc_real largest = 0;
    *worst = DC_NONE;
    for (i = 0; i < count && dci_is_finite(largest); i++) {
        dc_real d = dci_rows_rest(rows, i), c, error;
        if (!value) dci_rows_ends(rows, i, end);
        c = value ? value[i] : dci_length_value(dci_vec_sub(x[end[0]], x[end[1]]), d);
        error = 2 * dci_abs(c) / d;
        if (error <= largest) continue;
        largest = error;
        *worst = i;
    }
    return largest;
}

/* product = J x */
static void dci_rows_apply(const dci_rows *rows, const dc_vec3 *direction, const dc_vec3 *x,
                           dc_real *product)
{
    dc_index i, c;
    for (i = 0; i < rows->length_count; i += 3) {
        dc_vec3 side[3];
        dci_rows_differences(rows->edge + i, x, side);
        for (c = 0; c < 3; c++) product[i + c] = dci_dot(direction[i + c], side[c]);
    }
    for (; i < rows->count; i++) product[i] = dci_dot(direction[i], dci_rows_combine(rows, i, x));
}

/* The forces on the nodes: y += factor J^T eta. */
static void dci_rows_add_reaction(const dci_rows *rows, const dc_vec3 *direction, dc_real factor,
                                  const dc_real *eta, dc_vec3 *y)
{
    dc_index i, c;
    for (i = 0; i < rows->length_count; i += 3) {
        dc_vec3 force[3];
        for (c = 0; c < 3; c++) force[c] = dci_vec_scale(factor * eta[i + c], direction[i + c]);
        dci_rows_add_sides(rows->edge + i, force, y);
    }
    for (; i < rows->count; i++)
        dci_sparse_row_transposed(&rows->weight, dci_rows_held(rows, i), factor,
                                  dci_vec_scale(eta[i], direction[i]), y);
}

/* ---- The Schur complement ---- */

/* The lowest node of row i above `node`, and its weight; DC_NONE if there is none. */
static dc_index dci_rows_next_node(const dci_rows *rows, dc_index i, dc_index node, dc_real *weight)
{
    dc_index p, next = DC_NONE, count = dci_rows_term_count(rows, i);
    for (p = 0; p < count; p++) {
        dc_real w;
        dc_index k = dci_rows_term(rows, i, p, &w);
        if (k <= node || (next != DC_NONE && k > next)) continue;
        next = k;
        *weight = w;
    }
    return next;
}

/* The first factor of (18.3), summed over nodes in ascending order. */
static dc_real dci_rows_bracket(const dci_rows *rows, const dc_real *mobility, dc_index i,
                                dc_index j)
{
    dc_real sum = 0, w_i, w_j;
    dc_index k = dci_rows_next_node(rows, j, DC_NONE, &w_j), p,
             count = dci_rows_term_count(rows, i);
    for (; k != DC_NONE; k = dci_rows_next_node(rows, j, k, &w_j))
        for (p = 0; p < count; p++)
            if (dci_rows_term(rows, i, p, &w_i) == k) sum += mobility[k] * w_i * w_j;
    return sum;
}

/* (18.3), the diagonal times 1 + regularisation, or 1 for a released row. */
static dc_real dci_rows_entry(const dci_rows *rows, const dc_real *mobility,
                              const dc_vec3 *direction, dc_real regularisation, dc_index i,
                              dc_index j)
{
    dc_real turn = dci_dot(direction[i], direction[j]);
    dc_real entry = turn == 0 ? DCI_R(0) : dci_rows_bracket(rows, mobility, i, j) * turn;
    if (i != j) return entry;
    return entry > 0 ? entry + regularisation * entry : DCI_R(1);
}

/* Row i of S for a length, faster than entry by entry: all its columns are lengths, too. */
static void dci_rows_assemble_length(const dci_rows *rows, const dc_real *mobility,
                                     const dc_vec3 *direction, dc_real regularisation, dc_index i,
                                     dc_sparse *s)
{
    dc_index a[2], b[2], p;
    dc_real inv[2];
    dci_rows_ends(rows, i, a);
    inv[0] = mobility[a[0]];
    inv[1] = mobility[a[1]];
    for (p = s->start[i]; p < s->start[i + 1]; p++) {
        dc_index j = s->column[p];
        dci_rows_ends(rows, j, b);
        dc_real along = (a[0] == b[0] ? inv[0] : 0) + (a[1] == b[1] ? inv[1] : 0);
        dc_real against = (a[0] == b[1] ? inv[0] : 0) + (a[1] == b[0] ? inv[1] : 0);
        s->value[p] = (along - against) * dci_dot(direction[i], direction[j]); /* (18.3) */
        if (i == j) s->value[p] += regularisation * s->value[p];
    }
}

static void dci_rows_assemble(const dci_rows *rows, const dc_real *mobility,
                              const dc_vec3 *direction, dc_real regularisation, dc_sparse *s)
{
    dc_index i, p;
    for (i = 0; i < rows->length_count; i++)
        dci_rows_assemble_length(rows, mobility, direction, regularisation, i, s);
    for (; i < s->row_count; i++)
        for (p = s->start[i]; p < s->start[i + 1]; p++)
            s->value[p] =
                dci_rows_entry(rows, mobility, direction, regularisation, i, s->column[p]);
}

/* ---- Geometric stiffness ---- */

/* Replaces kappa of a triangle's rows by that of the nearest positive semi-definite matrix. For
   y_0 = sqrt(3/2) a - sqrt(1/2) b,  y_1 = -sqrt(3/2) a - sqrt(1/2) b,  y_2 = sqrt 2 b, with
   orthonormal coordinates (a, b) of the differences, (18.5) is
   | 3/2 (kappa_0 + kappa_1)         sqrt(3)/2 (kappa_1 - kappa_0)       |   | u  w |
   | sqrt(3)/2 (kappa_1 - kappa_0)   1/2 (kappa_0 + kappa_1) + 2 kappa_2 | = | w  v |         */
static void dci_rows_positive_part(dc_real kappa[3])
{
    const dc_real sqrt3 = DCI_R(1.7320508075688772935);
    dc_real u = DCI_R(1.5) * (kappa[0] + kappa[1]),
            v = DCI_R(0.5) * (kappa[0] + kappa[1]) + 2 * kappa[2];
    dc_real w = sqrt3 / 2 * (kappa[1] - kappa[0]);
    dc_real mean = (u + v) / 2, half = (u - v) / 2;
    dc_real radius = DC_SQRT(half * half + w * w), large = mean + radius, factor;
    if (mean >= radius) return; /* both eigenvalues are positive */
    if (!(large > 0)) {
        kappa[0] = kappa[1] = kappa[2] = 0;
        return;
    }
    /* Keep large (matrix - small I) / (large - small), the part of the large eigenvalue. */
    factor = large / (2 * radius);
    u = factor * (half + radius);
    v = factor * (radius - half);
    w = factor * w;
    kappa[0] = u / 3 - w / sqrt3;
    kappa[1] = u / 3 + w / sqrt3;
    kappa[2] = (v - u / 3) / 2;
}

/* kappa of the positive part of (18.4); 0 for held points. */
static void dci_rows_geometric_stiffness(const dci_rows *rows, const dc_real *lambda,
                                         dc_real *kappa)
{
    dc_index i, c;
    for (i = 0; i < rows->length_count; i += 3) {
        for (c = 0; c < 3; c++) kappa[i + c] = lambda[i + c] / dci_rows_rest(rows, i + c);
        dci_rows_positive_part(kappa + i);
    }
    for (; i < rows->count; i++) kappa[i] = 0;
}

/* ============================================================================================
 * 19 LOADS                                                                               dci_load
 *
 * Forces on vertices act on nodes by F_nodes = A^T F_vertices, which preserves work. Drag opposes
 * the velocity relative to the air, with different coefficients across and along the surface:
 *
 *     F = -a Z (v - wind),      Z = drag_t I + (drag_n - drag_t) n n^T                (19.1)
 *
 *     a, n             [m^2] area of the surface at a node, and its unit normal
 *     drag_n, drag_t   drag_normal, drag_tangential [kg/(m^2 s)]
 *
 * Z couples the three coordinates. To keep one matrix for all of them, the implicit drag uses the
 * scalar drag = max(drag_n, drag_t). The excess over Z is returned at v*, the velocity extrapolated
 * to the end of the step. This is of second order, and stable for any drag:
 *
 *     F = -a drag (v_end - wind) + a (drag I - Z) (v* - wind)                         (19.2)
 * ============================================================================================ */

static dc_real dci_load_drag(const dc_cloth_desc *desc)
{
    return dci_max(desc->drag_normal, desc->drag_tangential);
}

/* force += a (drag I - Z) (v* - wind), (19.2), a third of a triangle's area at each midpoint. */
static void dci_load_add_drag(const dc_cloth_desc *desc, dc_vec3 wind, const dc_mesh *mesh,
                              const dc_vec3 *midpoint, const dc_vec3 *velocity, dc_vec3 *force)
{
    dc_real drag = dci_load_drag(desc);
    for (dc_index t = 0; t < mesh->triangle_count; t++) {
        const dc_index *edge = mesh->edge_of_corner + 3 * t;
        dc_vec3 normal = dci_cross(dci_vec_sub(midpoint[edge[1]], midpoint[edge[0]]),
                                   dci_vec_sub(midpoint[edge[2]], midpoint[edge[0]]));
        dc_real length = dci_norm(normal), area = mesh->rest_area[t] / 3;
        if (!(length > 0)) continue;
        normal = dci_vec_scale(1 / length, normal);
        for (dc_index k = 0; k < 3; k++) {
            dc_vec3 relative = dci_vec_sub(velocity[edge[k]], wind), *f = force + edge[k];
            dc_vec3 across = dci_vec_scale(dci_dot(relative, normal), normal);
            dc_vec3 along = dci_vec_sub(relative, across);
            *f = dci_vec_axpy(*f, area * (drag - desc->drag_normal), across);
            *f = dci_vec_axpy(*f, area * (drag - desc->drag_tangential), along);
        }
    }
}

#endif /* DC_NO_CLOTH */

#ifndef DC_ONLY_SPARSE

/* ============================================================================================
 * 20 INTEGRATORS                                                                       dci_scheme
 *
 * Integrators solve M v' = F, x' = v in steps of dt, with the force at the end of each step, so
 * that stiff forces do not limit dt. With u = x_new - x_n, they differ in seven numbers:
 *
 *     u~ = past (x_{n-1} - x_n) + dt (now v_n + then v_{n-1})         without forces  (20.1)
 *     M (u - u~) = weight dt^2 F(x_n + u)                             the step        (20.2)
 *     v_new = (rate u + rate_past (x_{n-1} - x_n)) / dt - turn v_n    the velocity    (20.3)
 *
 * BDF2 approximates derivatives by a parabola. With a step dt after one of dt_prev,
 *
 *     dt y' = c0 y_new - c1 y_n + c2 y_{n-1},        omega = dt / dt_prev,
 *     c0 = (1 + 2 omega)/(1 + omega), c1 = 1 + omega, c2 = omega^2/(1 + omega)        (20.4)
 *
 * for x and for v; then v_new is eliminated, [EB08] (21). ([EB08] (22) lacks its last dt.) A step
 * without a valid predecessor has the mean of the old and the new velocity instead:
 *
 *     x_new = x_n + dt v_n + dt^2/2 F/M,   v_new = 2 u/dt - v_n                       (20.5)
 *
 * The error of this step is of second order. Backward Euler is v_new = u / dt = v_n + dt F/M.
 *
 *                       past     now       then       weight    rate   rate_past   turn
 *     BDF2              -c2/c0   c1/c0^2   -c2/c0^2   1/c0^2    c0     c2          0
 *     with omega = 1    -1/3     8/9       -2/9       4/9       3/2    1/2         0
 *     its start         0        1         0          1/2       2      0           1
 *     backward Euler    0        1         0          1         1      0           0
 *
 * BDF2 with growing steps is stable up to omega = 1 + sqrt 2; chapter 42 keeps omega <= 2.
 *
 * Collisions displace a body's particles by dx in a step: x_n += dx. BDF2 also uses v_{n-1}: if
 * only v_n changed, the body would bounce off at half its speed. If both change, it moves freely:
 *
 *     v_n += dx/dt,      v_{n-1} += dx/dt,      x_{n-1} unchanged                      (20.6)
 *
 * The displacement by repulsion (chapter 34) changes no velocity: it moves both x_n and x_{n-1}.
 *
 * If the step was divided, x_{n-1} is where its last sub-step began, dt_prev before the end. It
 * moves by the part of dx that a uniform motion would have reached by then:
 *
 *     x_{n-1} += (1 - dt_prev/dt) dx                                                  (20.7)
 *
 * Reported velocities. (20.6) leaves a sheet at rest on the ground with v_n = gravity dt/2 and
 * v_{n-1} = -gravity dt/2: BDF2 moves it by gravity dt^2 in each step, and collisions lift it back.
 * So after a collision the reported velocity is that of the last sub-step, (x_n - x_{n-1})/dt_prev.
 * ============================================================================================ */

typedef struct dci_scheme {
    dc_real past, now, then, weight; /* (20.1), (20.2)                                           */
    dc_real rate, rate_past, turn;   /* (20.3)                                                   */
} dci_scheme;

static dci_scheme dci_scheme_bdf2(dc_real ratio)
{
    dc_real c0 = (1 + 2 * ratio) / (1 + ratio), c1 = 1 + ratio, c2 = ratio * ratio / (1 + ratio);
    dc_real c0_sq = c0 * c0;
    const dci_scheme scheme = {-c2 / c0, c1 / c0_sq, -c2 / c0_sq, 1 / c0_sq, c0, c2, 0};
    return scheme; /* (20.4) */
}

typedef struct dci_integrator {
    int order;                           /* of the error in dt                                   */
    dci_scheme start;                    /* without a previous step                              */
    dci_scheme (*scheme)(dc_real ratio); /* dt / dt_prev; NULL: not a multistep method           */
} dci_integrator;

/* In the order of dc_integrator. */
static const dci_integrator dci_integrators[] = {
    {2, {0, 1, 0, DCI_R(0.5), 2, 0, 1}, dci_scheme_bdf2}, /* (20.5) */
    {1, {0, 1, 0, 1, 1, 0, 0}, NULL},                     /* backward Euler */
};
enum { DCI_INTEGRATOR_COUNT = sizeof dci_integrators / sizeof dci_integrators[0] };

/* The numbers of a step; dt_prev = 0: without a previous one. */
static dci_scheme dci_scheme_of(const dci_integrator *method, dc_real dt, dc_real dt_prev)
{
    return dt_prev > 0 && method->scheme ? method->scheme(dt / dt_prev) : method->start;
}

/* ---- The state that an integrator advances ---- */

enum { DCI_START_PART = 8 };    /* a multistep method begins with 1/8 of the first step */
enum { DCI_HALVINGS_MAX = 10 }; /* of a step, at most */

typedef struct dci_state {
    dc_vec3 *x, *v;           /* (particle_count) current; black nodes come last                 */
    dc_vec3 *x_prev, *v_prev; /* (particle_count) one (sub-)step earlier                         */
    dc_real *lambda;          /* (rows.count)                                                    */
    dc_real lambda_weight;    /* weight dt^2 that lambda refers to; 0: lambda is 0               */
    dc_real dt_prev;          /* 0: there is no previous step                                    */
    int is_hit;               /* collisions displaced it after the last step                     */
} dci_state;

static const dci_field dci_state_fields[] = {
    {"positions", offsetof(dci_state, x), DCI_POINTS, 0},
    {"velocities", offsetof(dci_state, v), DCI_VECTORS, 0},
    {"previous positions", offsetof(dci_state, x_prev), DCI_POINTS, 0},
    {"previous velocities", offsetof(dci_state, v_prev), DCI_VECTORS, 0},
    {"multipliers", offsetof(dci_state, lambda), DCI_REALS, 1},
    {"weight of the multipliers", offsetof(dci_state, lambda_weight), DCI_NUMBERS, 1},
    {"previous step", offsetof(dci_state, dt_prev), DCI_NUMBERS, 1},
    {"whether collisions moved it", offsetof(dci_state, is_hit), DCI_FLAG, 1},
    {NULL, 0, DCI_END, 0}};

/* The reported velocity. */
static dc_vec3 dci_state_velocity(const dci_state *s, dc_index k)
{
    if (!s->is_hit || !(s->dt_prev > 0)) return s->v[k];
    return dci_vec_scale(1 / s->dt_prev, dci_vec_sub(s->x[k], s->x_prev[k]));
}

/* Distinguishes the parts of a step that may precede its last sub-step: 0, or at least 1/2. */
#define DCI_SUBSTEP_LEAST DCI_R(0.25)

/* (20.6) and (20.7) for all particles; rate = 1/dt. */
static void dci_state_displace(dci_state *state, const dc_vec3 *change, dc_index particle_count,
                               dc_real rate)
{
    dc_real before = state->dt_prev > 0 ? 1 - rate * state->dt_prev : DCI_R(0);
    for (dc_index k = 0; k < particle_count; k++) {
        state->x[k] = dci_vec_add(state->x[k], change[k]);
        if (before > DCI_SUBSTEP_LEAST)
            state->x_prev[k] = dci_vec_axpy(state->x_prev[k], before, change[k]);
        state->v[k] = dci_vec_axpy(state->v[k], rate, change[k]);
        state->v_prev[k] = dci_vec_axpy(state->v_prev[k], rate, change[k]);
    }
}

/* ============================================================================================
 * 21 CONTACT ROWS                                                                dci_contact_row
 *
 * Collision handling (chapters 27 to 38) moves vertices after a step, regardless of lengths and
 * bending. The next step has to restore both, and a stiff sheet jitters. So here contacts, of a
 * vertex and a triangle or of two edges, are constraints of the step, [Wan12] sec. 3.3:
 *
 *     y(u) = sum over vertices of cloth of c_i ( A (x_n + u) )_i  +  y_known             (21.1)
 *     gap(u) = n . y(u) - least >= 0,     p . n >= 0,     one of them 0                  (21.2)
 *     slip(u) = (I - n n^T) ( y(u) - y(0) ),   |p_t| <= mu p . n,   p_t opposes slip     (21.3)
 *
 *         second            y          [m] from the contact point of the first feature to the other
 *        ____o____          c_i, n     factor: weights (32.1); unit normal, from first to second
 *            ^  n           y_known    [m] part of y due to obstacles, whose motion is prescribed
 *            |  y           p, p'      estimate, force [kg m] force times weight dt^2
 *       _____o_____         p_n, p_t   its component along n, and its part normal to n
 *           first           D, K       compliance [1/kg]; [kg] stiffness
 *                           mu         friction;    A: chapter 15    u: chapter 22
 *
 * (21.2) lets contacts open, and (21.3) is Coulomb's law; [Wan12] has gap = 0 and a regularised
 * slip = 0. `least` is the thickness (30.1) minus a deficit that decays with time, not by steps:
 *
 *     least = thickness - deficit / (1 + rate dt)
 *
 * Force. With an estimate p and a compliance D, the regularisation in [Wan12] (3.29), it is
 *
 *     p'_n = max( 0, p_n - gap/D ),     p'_t = p_t - slip/D, shortened to mu p'_n        (21.4)
 *
 * and a bound K on -dp'/dy enters the matrix of Newton's method:
 *
 *     K = 0            if it is open;     K = I/D            if it sticks; else          (21.5)
 *     K = 1/D ( n n^T + |p'_t| / |p_t - slip/D| (I - n n^T - cos t t^T) ), unit t along p'_t
 *
 * -dp'/dy itself has cos = 1. With that, friction would reverse in early iterations. So cos is the
 * cosine of the angle by which p'_t turned in the last iteration, or 0 if that is negative. Within
 * an iteration friction is bounded by mu times the last p'_n. H gains A^T c K c^T A, c = (c_i).
 *
 * After an iteration p' becomes p (method of multipliers), until contacts are within tolerance.
 * Then p is fixed, and Newton's method converges; if contacts contradict each other, p would
 * otherwise grow without bound. The next step starts from the last p', also on another triangle.
 *
 * Between two obstacles there may be no room for cloth. If a group touches two, a contact whose gap
 * stays too small and hardly changes for two iterations becomes a spring, whose p is fixed.
 *
 * Compliance. D is that of the cloth behind the contact, with all other nodes fixed:
 *
 *     D = min( sum over nodes of (c^T A)_k^2 / H_kk,  sum c_i^2 / m_i )                  (21.6)
 *
 * with H of (22.2) and the vertex masses (42.2). With masses alone, a stiff sheet would land as if
 * on rubber. Under a pile D is reduced until its force compresses by 3% of the thickness,
 *
 *     D <- max( D_min, min( D, .03 thickness / (p . n) ) )                               (21.7)
 *
 * D_min is 0, or D/20 in two cases: between two obstacles, so that pinched cloth yields between its
 * layers, not in its lengths; and with ribbons, which are solved in turn. With D/20 everywhere,
 * forces under a heavy sheet would converge so slowly that its pile swings.
 *
 * Ribbons find their own steps for given contact forces (chapter 47). So the part of y due to their
 * vertices is known here. Their part of D is the sum of c_i^2 / m_i, or (47.2) between ribbons. For
 * them (21.4) has a potential. With side = p_t - slip/D, which becomes p'_t when shortened, it is
 *
 *     D ( p'_n^2 / 2 + |p'_t| (|side| - |p'_t| / 2) )                                    (21.8)
 *
 * Attachments of ribbons to vertices of free bodies are rows of y = 0, with K from chapter 47:
 *
 *     p' = p - K y                                                                       (21.9)
 *
 * Soft attachments and contacts of pinched cloth (chapter 48) are springs: they have no tolerance,
 * and p is fixed, at 0 for attachments, at the force of the last step for contacts.
 *
 * Grabs are springs from vertices to moving targets, K = 1/compliance I. If f_max is exceeded,
 *
 *     K' = K min( 1, weight dt^2 f_max / |K y| ),     p' = -K' y                         (21.10)
 *
 * replaces K. It is at least the derivative of the force, and fixed during a Newton step.
 *
 * Rolling. Where an edge or a triangle turns on a round body by an angle, its contact moves by |y|
 * times this angle. With the c_i of the predicted motion it would rock with growing amplitude. So a
 * row for each direction t in the feature moves the force with the slope,
 *
 *     slope(u) = n . ( sum over vertices of c'_i x_i ),     c'_i the derivative along t of c_i
 *     p' = -k (slope(u) - slope predicted) n,     k = weight dt^2 N |y| / max(.1, sin^2)  (21.11)
 *
 * with N the force of the last step, and sin the sine of the angle between t and the axis of a
 * capsule, 1 on a sphere. k is the part of the second derivative of -p . n gap(u) that is positive.
 * ============================================================================================ */

/* The tolerance of (21.2) is DCI_CONTACT_ROW_MOTION_TOL of the largest displacement, between two
   bounds in thicknesses: a stack rests only if errors are small; in motion such accuracy costs
   iterations. Ribbons would tremble within the lower bound, so theirs is smaller. The tolerances of
   gaps, forces and residuals grow fourfold every DCI_CONTACT_ROW_ITERATIONS iterations. */
#define DCI_CONTACT_ROW_MOTION_TOL DCI_R(0.02)
#define DCI_CONTACT_ROW_TOL_MIN (sizeof(dc_real) == 4 ? DCI_R(0.003) : DCI_R(0.001))
#define DCI_CONTACT_ROW_TOL_RIBBONS DCI_R(0.1) /* part of the lower bound */
#define DCI_CONTACT_ROW_TOL_MAX DCI_R(0.02)
/* Bounds on the forces' relative change: this, and 10 times the tolerance of (21.2). */
#define DCI_CONTACT_ROW_FORCE_TOL DCI_R(0.01)
#define DCI_CONTACT_ROW_FORCE_PART 10
/* The factor of both with DC_REAL_TIME: friction converges last, and moves nothing visible. */
#define DCI_REAL_TIME_FORCES 10
enum { DCI_CONTACT_ROW_ITERATIONS = 4 };
/* A gap stalls if an iteration leaves more than this part of its error. */
#define DCI_CONTACT_ROW_STALLED DCI_R(0.7)
enum { DCI_CONTACT_ROW_STALLS_MAX = 2 };
/* The 3% and the 1/20 of (21.7). In floats a small D would make forces noisy by rounding. */
#define DCI_CONTACT_ROW_YIELD (sizeof(dc_real) == 4 ? DCI_R(0.1) : DCI_R(0.03))
#define DCI_CONTACT_ROW_COMPLIANCE_PART DCI_R(0.05)
/* [1/s] `rate` of `least`; a larger one costs Newton iterations. */
#define DCI_CONTACT_ROW_PARTING DCI_R(1.25)

#ifdef DC_NO_COLLISIONS
enum { DCI_HAS_ROWS = 0 };
#else
enum { DCI_HAS_ROWS = 1 };
#endif

/* Kinds of rows. Those of contacts come last in the list of a group, and pulls, attachments and
   grabs, first. */
typedef enum dci_row_kind {
    DCI_ROW_CONTACT,
    DCI_ROW_PINCHED, /* a contact, and a spring                                                  */
    DCI_ROW_ROLLING, /* (21.11)                                                                  */
    DCI_ROW_TIE,     /* a hard attachment, (21.9)                                                */
    DCI_ROW_SPRING,  /* a soft one                                                               */
    DCI_ROW_GRAB     /* (21.10)                                                                  */
} dci_row_kind;

/* The data of a pull. */
typedef struct dci_pull {
    dc_vec3 stiffness[3]; /* [N/m] K / weight                                                    */
    dc_real force_max;    /* [N] of a grab, f_max of (21.10)                                     */
    dc_index attachment;  /* its number in the ribbon that has corners 1 to 3                    */
} dci_pull;

typedef struct dci_contact_row {
    dc_index vertex[4];        /* vertices in contact, of the surface of chapter 30               */
    dc_index body[2];          /* of the two features                                             */
    dc_index place[4];         /* its place in dci_contact_rows.vertex; DC_NONE: not of a cloth   */
    dc_real factor[4];         /* c_i                                                             */
    dc_vec3 normal;            /* n                                                               */
    dc_vec3 known[2];          /* [m] y_known at the start and at the end of the step             */
    dc_real least;             /* [m]                                                             */
    dc_real thickness;         /* [m] of the pair, (30.1)                                         */
    dc_real friction;          /* mu                                                              */
    dc_real compliance;        /* D [1/kg]                                                        */
    dc_real ribbon_compliance; /* [1/kg] the part of it due to vertices of ribbons               */
    union {
        dci_pull *pull;
        dc_real rolling; /* [N m] k / (weight dt^2) of (21.11)                                   */
        dc_real pinch;   /* [m] of a contact, q of (48.1)                                        */
    } own;
    dc_real share;             /* K'/K of attachments, chapter 47, and of grabs, (21.10)          */
    dc_real weight;            /* [s^2] weight dt^2 that the forces refer to; 0: they are 0       */
    dc_vec3 estimate;          /* p [kg m]                                                        */
    dc_vec3 force;             /* p' [kg m] ...                                                   */
    dc_vec3 force_start;       /* ... at the start of the sub-step                                */
    dc_vec3 y_start;           /* [m] y at the start of the sub-step                              */
    dc_vec3 gap;               /* [m] gap n + slip, at the current u                              */
    dc_real k_normal, k_side;  /* [kg] K along n: 1/D, or 0 if open; K normal to n, if cos = 0    */
    dc_vec3 sliding;           /* [kg^(1/2)] K is less by sliding sliding^T                       */
    dc_real settled;           /* cos of (21.5)                                                   */
    dc_real lack;              /* [m] -gap in the last iteration                                  */
    unsigned char kind;         /* dci_row_kind                                                  */
    unsigned char corner_count; /* 3: vertex and triangle, 4: two edges                          */
    unsigned char is_free[2];   /* whether each feature moves freely; else its motion is known   */
    unsigned char stalls;       /* iterations in which its gap has stalled; then it is a spring  */
} dci_contact_row;

typedef struct dci_grab {
    dc_index vertex;       /* of the surface; DC_NONE: free for another one                      */
    dc_vec3 start, target; /* [m] at the beginning and at the end of the step                    */
    dc_real compliance;    /* [m/N]                                                              */
} dci_grab;

typedef struct dci_grabs {
    dci_grab *grab; /* (capacity)                                                           */
    dc_index capacity;
    dc_real force_max; /* [N]                                                                */
} dci_grabs;

/* A body whose contacts are constraints of its step. */
typedef struct dci_contact_body {
    const dc_sparse *vertex; /* A; NULL: not a cloth                                             */
    dc_index first_node;     /* its first node in the vectors of its group                       */
    dc_index first_vertex;   /* its first vertex in the surface                                  */
    dc_index *place; /* of each vertex among those in contact, or DC_NONE; NULL: only grabs      */
} dci_contact_body;

/* A vertex of a cloth in contact. Forces are summed by vertex before they go to the nodes. */
typedef struct dci_contact_vertex {
    const dci_contact_body *body;
    dc_index number;  /* in the body                                                             */
    dc_vec3 at, push; /* A x; the sum of c_i times forces, 0 between uses                        */
} dci_contact_vertex;

/* The contact constraints of a group: bodies that touch each other, chapter 25. */
typedef struct dci_contact_rows {
    dci_contact_row *row; /* of the world                                                */
    dc_vec3 *ribbons; /* [m] the part of y of each row due to ribbons; NULL: there are none      */
    const dc_index *list; /* (count) those of the group                                  */
    dc_index count;
    const dci_contact_body *body; /* of the world                                                */
    dci_contact_vertex *vertex;   /* (vertex_count) of cloths in contact                         */
    dc_index vertex_count;
    int is_real_time; /* DC_REAL_TIME                                                            */
} dci_contact_rows;

typedef struct dci_force_history {
    dc_vec3 *last;   /* (node_count) [N] force in the last sub-step                              */
    dc_vec3 *steady; /* (node_count) [N] the part of it that acted in the sub-step before, too   */
} dci_force_history;

static const dci_field dci_force_history_fields[] = {
    {"contact forces", offsetof(dci_force_history, last), DCI_VECTORS, 4},
    {"steady contact forces", offsetof(dci_force_history, steady), DCI_VECTORS, 4},
    {NULL, 0, DCI_END, 0}};

/* The constant 0 without collisions, so that compilers leave out loops over rows. */
static dc_index dci_contact_rows_count(const dci_contact_rows *rows)
{
    return DCI_HAS_ROWS && rows ? rows->count : 0;
}

static dci_contact_row *dci_contact_row_at(const dci_contact_rows *rows, dc_index i)
{
    return rows->row + rows->list[i];
}

/* The feature, 0 or 1, that has vertex i. */
static int dci_contact_row_side(const dci_contact_row *row, dc_index i)
{
    return i > row->corner_count - 3;
}

static dci_contact_vertex *dci_contact_row_vertex(const dci_contact_rows *rows,
                                                  const dci_contact_row *row, dc_index i)
{
    return row->place[i] == DC_NONE ? NULL : rows->vertex + row->place[i];
}

static void dci_contact_rows_locate(const dci_contact_rows *rows, const dc_vec3 *x)
{
    for (dc_index i = 0; DCI_HAS_ROWS && i < rows->vertex_count; i++) {
        dci_contact_vertex *v = rows->vertex + i;
        v->at = dci_sparse_row(v->body->vertex, v->number, x + v->body->first_node,
                               dci_vec(0, 0, 0));
    }
}

/* The sum of c_i (A x)_i over the vertices of cloths. */
static dc_vec3 dci_contact_row_combine(const dci_contact_rows *rows, const dci_contact_row *row)
{
    dc_vec3 sum = dci_vec(0, 0, 0);
    for (dc_index i = 0; i < 4; i++) {
        const dci_contact_vertex *v = dci_contact_row_vertex(rows, row, i);
        if (v) sum = dci_vec_axpy(sum, row->factor[i], v->at);
    }
    return sum;
}

/* The transpose: adds c_i reaction to the vertices, ... */
static void dci_contact_row_push(const dci_contact_rows *rows, const dci_contact_row *row,
                                 dc_vec3 reaction)
{
    for (dc_index i = 0; i < 4; i++) {
        dci_contact_vertex *v = dci_contact_row_vertex(rows, row, i);
        if (v) v->push = dci_vec_axpy(v->push, row->factor[i], reaction);
    }
}

/* ... then A^T times these sums to y. */
static void dci_contact_rows_push_nodes(const dci_contact_rows *rows, dc_vec3 *y)
{
    for (dc_index i = 0; DCI_HAS_ROWS && i < rows->vertex_count; i++) {
        dci_contact_vertex *v = rows->vertex + i;
        dci_sparse_row_transposed(v->body->vertex, v->number, 1, v->push, y + v->body->first_node);
        v->push = dci_vec(0, 0, 0);
    }
}

/* The first term of (21.6), and the part of ribbons. `weight` (nodes) is 0 between uses. */
static dc_real dci_contact_row_yield(const dci_contact_rows *rows, const dci_contact_row *row,
                                     const dc_real *diagonal, dc_real *weight)
{
    dc_real sum = row->ribbon_compliance;
    for (int pass = 0; pass < 2; pass++) /* (c^T A)_k, then the sum */
        for (dc_index k = 0; k < 4; k++) {
            const dci_contact_vertex *v = dci_contact_row_vertex(rows, row, k);
            const dc_sparse *a = v ? v->body->vertex : NULL;
            for (dc_index p = v ? a->start[v->number] : 0; v && p < a->start[v->number + 1]; p++) {
                dc_index node = v->body->first_node + a->column[p];
                if (pass == 1) sum += weight[node] * weight[node] / diagonal[node];
                weight[node] = pass == 0 ? weight[node] + row->factor[k] * a->value[p] : DCI_R(0);
            }
        }
    return sum;
}

/* (21.7) */
static dc_real dci_contact_row_load_compliance(const dci_contact_row *row, int is_between)
{
    dc_real load = dci_dot(row->force, row->normal), d = row->compliance;
    dc_real least = 0;
    if (is_between || row->ribbon_compliance > 0) least = DCI_CONTACT_ROW_COMPLIANCE_PART * d;
    if (!(load > 0)) return d;
    return dci_max(least, dci_min(d, DCI_CONTACT_ROW_YIELD * row->thickness / load));
}

static int dci_contact_row_is_contact(const dci_contact_row *row)
{
    return row->kind <= DCI_ROW_PINCHED;
}

static int dci_contact_row_is_pull(const dci_contact_row *row)
{
    return row->kind >= DCI_ROW_TIE;
}

/* Whether there are contacts with two bodies whose motion is prescribed. */
static int dci_contact_rows_are_between(const dci_contact_rows *rows)
{
    dc_index first = DC_NONE, i, side;
    for (i = 0; i < dci_contact_rows_count(rows); i++)
        for (side = 0; side < 2; side++) {
            const dci_contact_row *row = dci_contact_row_at(rows, i);
            if (row->is_free[side] || !dci_contact_row_is_contact(row)) continue;
            if (first == DC_NONE) first = row->body[side];
            if (first != row->body[side]) return 1;
        }
    return 0;
}

/* D of (21.6), whose second term is given, and (21.7); `diagonal` of H, `weight` is workspace. */
static void dci_contact_rows_set_compliance(const dci_contact_rows *rows, dc_index node_count,
                                            const dc_real *diagonal, dc_real *weight)
{
    int is_between = dci_contact_rows_are_between(rows);
    for (dc_index k = 0; k < node_count; k++) weight[k] = 0;
    for (dc_index i = 0; i < dci_contact_rows_count(rows); i++) {
        dci_contact_row *row = dci_contact_row_at(rows, i);
        if (!dci_contact_row_is_contact(row)) continue;
        row->compliance =
            dci_min(row->compliance, dci_contact_row_yield(rows, row, diagonal, weight));
        row->compliance = dci_contact_row_load_compliance(row, is_between);
    }
}

/* y of (21.1) at the fraction `part` of the step. */
static dc_vec3 dci_contact_row_between(const dci_contact_rows *rows, const dci_contact_row *row,
                                       dc_real part)
{
    dc_vec3 known = dci_vec_axpy(dci_vec_scale(1 - part, row->known[0]), part, row->known[1]);
    if (rows->ribbons) known = dci_vec_add(known, rows->ribbons[row - rows->row]);
    return dci_vec_add(dci_contact_row_combine(rows, row), known);
}

/* Begins a sub-step at x, at the fraction `part` of the step, with this weight dt^2. */
static void dci_contact_rows_begin(const dci_contact_rows *rows, const dc_vec3 *x, dc_real part,
                                   dc_real weight)
{
    dci_contact_rows_locate(rows, x);
    for (dc_index i = 0; i < dci_contact_rows_count(rows); i++) {
        dci_contact_row *row = dci_contact_row_at(rows, i);
        dc_real rescale = row->weight > 0 ? weight / row->weight : DCI_R(0);
        row->y_start = dci_contact_row_between(rows, row, part);
        row->force = dci_vec_scale(rescale, row->force);
        row->estimate = row->force_start = row->force;
        row->weight = weight;
        row->settled = row->lack = 0;
        row->stalls = 0;
        if (row->kind == DCI_ROW_ROLLING) row->k_normal = weight * row->own.rolling;
        if (!dci_contact_row_is_pull(row)) continue;
        const dc_vec3 *k = row->own.pull->stiffness;
        row->share = 1;
        row->k_normal = weight * (k[0].x + k[1].y + k[2].z);
        if (row->kind != DCI_ROW_TIE) row->estimate = dci_vec(0, 0, 0);
    }
}

/* Whether no row is with a body or target whose motion is prescribed. */
static int dci_contact_rows_are_internal(const dci_contact_rows *rows)
{
    for (dc_index i = 0; i < dci_contact_rows_count(rows); i++) {
        const dci_contact_row *row = dci_contact_row_at(rows, i);
        if (!row->is_free[0] || !row->is_free[1]) return 0;
    }
    return 1;
}

/* K y of (21.9). */
static dc_vec3 dci_contact_row_pull(const dci_contact_row *row, dc_vec3 y)
{
    const dc_vec3 *k = row->own.pull->stiffness;
    return dci_vec_scale(row->weight * row->share,
                         dci_vec(dci_dot(k[0], y), dci_dot(k[1], y), dci_dot(k[2], y)));
}

/* p' of (21.11). */
static dc_vec3 dci_contact_row_roll(const dci_contact_row *row, dc_vec3 gap)
{
    return dci_vec_scale(-row->k_normal * dci_dot(row->normal, gap), row->normal);
}

/* K' of (21.10) at the present y. */
static void dci_contact_row_bound(dci_contact_row *row)
{
    dc_real pull, most = row->weight * row->own.pull->force_max;
    if (row->kind != DCI_ROW_GRAB) return;
    row->share = 1;
    pull = dci_norm(dci_contact_row_pull(row, row->gap));
    if (pull > most) row->share = most / pull;
}

/* [kg m^2] The potential (21.8), with friction of at most mu `pressure`; finds p' and K. */
static dc_real dci_contact_row_potential(dci_contact_row *row, dc_vec3 gap, dc_real pressure,
                                         dc_vec3 *force)
{
    if (dci_contact_row_is_pull(row)) {
        dc_vec3 pull = dci_contact_row_pull(row, gap);
        *force = dci_vec_sub(row->estimate, pull);
        return dci_dot(gap, pull) / 2 - dci_dot(gap, row->estimate);
    }
    if (row->kind == DCI_ROW_ROLLING) {
        *force = dci_contact_row_roll(row, gap);
        return -dci_dot(gap, *force) / 2;
    }
    dc_vec3 trial = dci_vec_axpy(row->estimate, -1 / row->compliance, gap);
    dc_real along = dci_dot(trial, row->normal);
    dc_real normal = dci_max(0, along);
    dc_vec3 side = dci_vec_axpy(trial, -along, row->normal);
    dc_real size = dci_norm(side);
    dc_real most = row->friction * pressure;
    dc_real part = size > most ? most / size : DCI_R(1);
    row->k_normal = normal > 0 ? 1 / row->compliance : DCI_R(0);
    row->k_side = part / row->compliance;
    *force = dci_vec_axpy(dci_vec_scale(normal, row->normal), part, side);
    return row->compliance * (normal * normal / 2 + part * size * size * (1 - part / 2));
}

/* Restores the forces after a sub-step that failed. */
static void dci_contact_rows_restore_forces(const dci_contact_rows *rows)
{
    for (dc_index i = 0; i < dci_contact_rows_count(rows); i++) {
        dci_contact_row *row = dci_contact_row_at(rows, i);
        row->force = row->force_start;
    }
}

/* The contacts: the last rows of the list. */
static dci_contact_rows dci_contact_rows_of_contacts(const dci_contact_rows *rows)
{
    dci_contact_rows contacts = *rows;
    while (contacts.count > 0 && !dci_contact_row_is_contact(dci_contact_row_at(&contacts, 0))) {
        contacts.list++;
        contacts.count--;
    }
    return contacts;
}

/* Removes all rows but pulls. Returns whether there were any. */
static int dci_contact_rows_release(dci_contact_rows *rows)
{
    dc_index count = dci_contact_rows_count(rows), left = count;
    while (left > 0 && !dci_contact_row_is_pull(dci_contact_row_at(rows, left - 1))) left--;
    if (left < count) rows->count = left;
    return left < count;
}

/* gap n + slip at the positions x; y of pulls. */
static void dci_contact_rows_measure(const dci_contact_rows *rows, const dc_vec3 *x, dc_real part)
{
    dci_contact_rows_locate(rows, x);
    for (dc_index i = 0; i < dci_contact_rows_count(rows); i++) {
        dci_contact_row *row = dci_contact_row_at(rows, i);
        dc_vec3 y = dci_contact_row_between(rows, row, part);
        dc_vec3 slip = dci_vec_sub(y, row->y_start);
        dc_real gap = dci_dot(y, row->normal) - row->least;
        row->gap = dci_vec_axpy(slip, gap - dci_dot(slip, row->normal), row->normal);
        if (dci_contact_row_is_pull(row)) row->gap = y;
    }
}

/* p' and K. Friction is at most mu `pressure`, or mu p'_n if `pressure` < 0. */
static dc_vec3 dci_contact_row_law(dci_contact_row *row, dc_real pressure)
{
    if (dci_contact_row_is_pull(row)) {
        dci_contact_row_bound(row);
        return dci_vec_sub(row->estimate, dci_contact_row_pull(row, row->gap));
    }
    if (row->kind == DCI_ROW_ROLLING) return dci_contact_row_roll(row, row->gap);
    dc_vec3 trial = dci_vec_axpy(row->estimate, -1 / row->compliance, row->gap);
    dc_real normal = dci_dot(trial, row->normal);
    row->k_normal = row->k_side = 0;
    row->sliding = dci_vec(0, 0, 0);
    if (!(normal > 0)) return dci_vec(0, 0, 0);
    dc_vec3 side = dci_vec_axpy(trial, -normal, row->normal);
    dc_real size = dci_norm(side);
    dc_real most = row->friction * (pressure < 0 ? normal : pressure);
    row->k_normal = row->k_side = 1 / row->compliance;
    if (size <= most) return trial;
    row->k_side *= most / size;
    row->sliding = dci_vec_scale(DC_SQRT(row->settled * row->k_side) / size, side);
    return dci_vec_axpy(dci_vec_scale(normal, row->normal), most / size, side);
}

/* Whether its p is fixed and it has no tolerance. */
static int dci_contact_row_yields(const dci_contact_row *row)
{
    return (row->kind != DCI_ROW_CONTACT && row->kind != DCI_ROW_TIE) ||
           row->stalls >= DCI_CONTACT_ROW_STALLS_MAX;
}

/* p' becomes the force, and p unless it is fixed. Finds cos of (21.5); returns the change. */
static dc_vec3 dci_contact_row_update(dci_contact_row *row, int is_estimate_fixed)
{
    dc_vec3 n = row->normal, before = row->force, after = dci_contact_row_law(row, -1);
    dc_vec3 a = dci_vec_axpy(before, -dci_dot(before, n), n);
    dc_vec3 b = dci_vec_axpy(after, -dci_dot(after, n), n);
    dc_real product = dci_dot(a, b), sizes = dci_norm(a) * dci_norm(b);
    row->force = after;
    if (!is_estimate_fixed && !dci_contact_row_yields(row)) row->estimate = after;
    row->settled = product > 0 ? DCI_R(1) : DCI_R(0);
    if (product > 0 && product < sizes) row->settled = product / sizes; /* sizes may underflow */
    return dci_vec_sub(after, before);
}

/* Counts the iterations in which a gap outside this tolerance, in thicknesses, has stalled. */
static void dci_contact_row_watch(dci_contact_row *row, dc_real tol)
{
    dc_real before = row->lack;
    row->lack = -dci_dot(row->gap, row->normal);
    if (!dci_contact_row_is_contact(row) || row->stalls >= DCI_CONTACT_ROW_STALLS_MAX) return;
    row->stalls++;
    if (!(before > 0) ||
        !(row->lack > dci_max(tol * row->thickness, DCI_CONTACT_ROW_STALLED * before)))
        row->stalls = 0;
}

/* Records the force on node k of weight `carried` [N]; returns its impulsive part (chapter 25). */
static dc_vec3 dci_force_history_advance(const dci_force_history *history, dc_index k,
                                         dc_vec3 reaction, dc_real carried)
{
    dc_vec3 sudden = dci_vec_sub(reaction, dci_vec_clamp(history->steady[k], dci_norm(reaction)));
    history->steady[k] = dci_vec_clamp(reaction, dci_norm(history->last[k]));
    history->last[k] = reaction;
    return dci_vec_sub(sudden, dci_vec_clamp(sudden, carried));
}

/* Updates the forces. Returns their relative change, without those of (21.11) in [kg m^2]. */
static dc_real dci_contact_rows_update(const dci_contact_rows *rows, dc_real tol,
                                       int is_estimate_fixed)
{
    dc_real change = 0, sum = 0;
    int is_between = dci_contact_rows_are_between(rows);
    for (dc_index i = 0; i < dci_contact_rows_count(rows); i++) {
        dci_contact_row *row = dci_contact_row_at(rows, i);
        if (is_between) dci_contact_row_watch(row, tol);
        dc_real moved = dci_norm(dci_contact_row_update(row, is_estimate_fixed));
        if (row->kind == DCI_ROW_ROLLING) continue;
        change += moved;
        sum += dci_norm(row->force);
    }
    return sum > 0 ? change / sum : DCI_R(0);
}

/* force += factor A^T c p'. */
static void dci_contact_rows_add_forces(const dci_contact_rows *rows, dc_real factor,
                                        dc_vec3 *force)
{
    for (dc_index i = 0; i < dci_contact_rows_count(rows); i++) {
        const dci_contact_row *row = dci_contact_row_at(rows, i);
        dci_contact_row_push(rows, row, dci_vec_scale(factor, row->force));
    }
    dci_contact_rows_push_nodes(rows, force);
}

/* Replaces the forces in the residual f by p', and sets K. */
static void dci_contact_rows_add_changes(const dci_contact_rows *rows, dc_vec3 *residual)
{
    for (dc_index i = 0; i < dci_contact_rows_count(rows); i++) {
        dci_contact_row *row = dci_contact_row_at(rows, i);
        dc_vec3 law = dci_contact_row_law(row, dci_dot(row->force, row->normal));
        dci_contact_row_push(rows, row, dci_vec_sub(row->force, law));
    }
    dci_contact_rows_push_nodes(rows, residual);
}

/* K y. */
static dc_vec3 dci_contact_row_stiffen(const dci_contact_row *row, dc_vec3 y)
{
    dc_vec3 reaction = dci_vec_scale(row->k_side, y);
    dc_real normal = (row->k_normal - row->k_side) * dci_dot(y, row->normal);
    if (dci_contact_row_is_pull(row)) return dci_contact_row_pull(row, y);
    reaction = dci_vec_axpy(reaction, normal, row->normal);
    return dci_vec_axpy(reaction, -dci_dot(y, row->sliding), row->sliding);
}

/* diagonal += squared weights times k_normal, which bounds K's eigenvalues, vertex by vertex. */
static void dci_contact_rows_add_diagonal(const dci_contact_rows *rows, dc_real *diagonal)
{
    for (dc_index i = 0; i < dci_contact_rows_count(rows); i++)
        for (dc_index k = 0; k < 4; k++) {
            const dci_contact_row *row = dci_contact_row_at(rows, i);
            const dci_contact_vertex *v = dci_contact_row_vertex(rows, row, k);
            const dc_sparse *a = v ? v->body->vertex : NULL;
            for (dc_index p = v ? a->start[v->number] : 0; v && p < a->start[v->number + 1]; p++) {
                dc_real weight = row->factor[k] * a->value[p];
                diagonal[v->body->first_node + a->column[p]] += row->k_normal * weight * weight;
            }
        }
}

/* Largest violation of (21.2) in thicknesses: penetration, or a gap across which a force acts. */
static dc_real dci_contact_rows_error(const dci_contact_rows *rows)
{
    dc_real largest = 0;
    for (dc_index i = 0; i < dci_contact_rows_count(rows); i++) {
        const dci_contact_row *row = dci_contact_row_at(rows, i);
        dc_real gap = dci_dot(row->gap, row->normal);
        dc_real push = row->compliance * dci_dot(row->force, row->normal);
        dc_real error = dci_abs(dci_min(gap, push));
        if (dci_contact_row_yields(row)) continue;
        if (dci_contact_row_is_pull(row)) error = dci_norm(row->gap);
        largest = dci_max(largest, error / row->thickness);
    }
    return largest;
}

/* image += A^T c K c^T A x. */
static void dci_contact_rows_add_product(const dci_contact_rows *rows, const dc_vec3 *x,
                                         dc_vec3 *image)
{
    dci_contact_rows_locate(rows, x);
    for (dc_index i = 0; i < dci_contact_rows_count(rows); i++) {
        const dci_contact_row *row = dci_contact_row_at(rows, i);
        if (row->k_normal > 0)
            dci_contact_row_push(
                rows, row, dci_contact_row_stiffen(row, dci_contact_row_combine(rows, row)));
    }
    dci_contact_rows_push_nodes(rows, image);
}

/* The sum of dy . K dy, for the change dy of y by x, which stays at the vertices. */
static dc_real dci_contact_rows_work(const dci_contact_rows *rows, const dc_vec3 *x)
{
    dc_real work = 0;
    dci_contact_rows_locate(rows, x);
    for (dc_index i = 0; i < dci_contact_rows_count(rows); i++) {
        const dci_contact_row *row = dci_contact_row_at(rows, i);
        dc_vec3 change = dci_contact_row_combine(rows, row);
        work += dci_dot(change, dci_contact_row_stiffen(row, change));
    }
    return work;
}

/* The sum of dy . (p'(part) - p'(0)), of (25.6). */
static dc_real dci_contact_rows_work_after(const dci_contact_rows *rows, dc_real part)
{
    dc_real work = 0;
    for (dc_index i = 0; i < dci_contact_rows_count(rows); i++) {
        dci_contact_row row = *dci_contact_row_at(rows, i);
        dc_vec3 change = dci_contact_row_combine(rows, &row);
        dc_real pressure = dci_dot(row.force, row.normal);
        dc_vec3 before = dci_contact_row_law(&row, pressure), after;
        row.gap = dci_vec_axpy(row.gap, part, change);
        after = dci_contact_row_law(&row, pressure);
        work += dci_dot(change, dci_vec_sub(after, before));
    }
    return work;
}

/* The factor of tolerances at an iteration; that of lengths is not relaxed. */
static dc_real dci_contact_rows_factor(dc_index iteration)
{
    dc_index late = iteration / DCI_CONTACT_ROW_ITERATIONS;
    return (dc_real)((dc_index)1 << (late < 10 ? 2 * late : 20));
}

/* Tolerance of contacts, in thicknesses, by the largest displacement [m]. */
static dc_real dci_contact_rows_tol(dc_real displacement, dc_real thickness, int has_ribbons)
{
    dc_real tol = DCI_CONTACT_ROW_MOTION_TOL * displacement / thickness;
    dc_real least =
        DCI_CONTACT_ROW_TOL_MIN * (has_ribbons ? DCI_CONTACT_ROW_TOL_RIBBONS : DCI_R(1));
    return dci_max(least, dci_min(DCI_CONTACT_ROW_TOL_MAX, tol));
}

/* `change` is that of the forces, relative; `factor` relaxes both tolerances. */
static int dci_contact_rows_converged(const dci_contact_rows *rows, dc_real change, dc_real tol,
                                      dc_real factor)
{
    dc_real force_tol = dci_min(DCI_CONTACT_ROW_FORCE_TOL, DCI_CONTACT_ROW_FORCE_PART * tol);
    if (rows->is_real_time) force_tol *= DCI_REAL_TIME_FORCES;
    return change <= factor * force_tol && dci_contact_rows_error(rows) <= factor * tol;
}

/* The bodies of a group that are not cloths; NULL functions if there are none. `solve` solves their
   steps for the present contact forces, and updates these. Unless a body is held or has another
   `weight`, `add_excess` adds m dx by which they moved too far for gravity and drag, and m. */
typedef struct dci_partners {
    const struct dci_group *members;
    void (*begin)(const struct dci_group *, dc_real dt, dc_real part, int is_cut);
    dc_status (*solve)(const struct dci_group *, int is_estimate_fixed, dc_real *change);
    int (*add_excess)(const struct dci_group *, dc_real weight, dc_vec3 *sum, dc_real *mass);
    void (*shift)(const struct dci_group *, dc_vec3 by);
    void (*end)(const struct dci_group *, dc_status);
} dci_partners;

/* Vectors over the nodes of a cloth, or of all cloths of a group, one after the other. Four share
   the memory of the conjugate gradients; only `residual` lasts from one line to the next:

       when (chapter)               residual     image         x_trial      along
       Q, T delta (22)                           velocity      x_n + u~     drag
       projection (24)                           u before      x_n + u
       constraints, contacts (25)                              x_n + u
       residual (22.4)              f            H u
       along the velocity (25.4)                 G v, B du                  z
       conjugate gradients (14)     -f, then r   z             direction    its product
       line search (25.6)           f_cg         B' du                                          */
typedef struct dci_node_vectors {
    dc_vec3 *step, *work; /* du; work                                                            */
    dc_real *mobility;    /* G^-1                                                                */
    dc_vec3 *residual, *image, *x_trial, *along; /* in one array, that of the whole group        */
} dci_node_vectors;

#endif /* DC_ONLY_SPARSE */

#ifndef DC_NO_CLOTH

/* ============================================================================================
 * 22 STEP                                                                                dci_step
 *
 * A step finds the displacements u that satisfy the integrator's equation (20.2) and all
 * constraints at its end. The forces of bending, jumps and drag are linear in u, the others known
 * at the start. So a step without contacts is the minimum of a quadratic on a curved set:
 *
 *     minimise  1/2 u^T H u - Q^T u   such that  C(x_n + u) = 0                       (22.1)
 *
 *     H = M + weight dt^2 [ R^T s R  +  rate/dt (R^T tau s R + drag a) ]               (22.2)
 *     Q = M u~ + weight dt^2 F(u = 0)                                                  (22.3)
 *
 *     u, Q    u, load_q    (nodes) [m], [kg m]     R, s, tau          of the energies, chapter 17
 *     H       hessian      (nodes)^2 [kg]          C, J, lambda       chapter 18
 *     f       residual     (nodes) [kg m]          u~, weight, rate   of the integrator, chapter 20
 *
 * T of (17.3) is that at x_n + u~. H is the same for x, y and z, and constant as long as dt is. The
 * unknown is u rather than x, which loses fewer digits. At the minimum
 *
 *     f = H u - Q + J^T lambda = 0,     C = 0                                          (22.4)
 *
 * lambda, the constraint force times weight dt^2, is stored between steps and rescaled accordingly.
 *
 * Black nodes (chapter 15) satisfy x_b + u_b = A (x_r + u_r), which is linear:
 *
 *     u_b = A u_r + o,      o = A x_r - x_b                                           (22.5)
 *
 * o is 0 unless collisions have moved red and black nodes apart. Eliminating the black nodes from
 * (22.1) for all particles gives the same problem for the red nodes alone, with
 *
 *     H = H_r + A^T M_b A,      Q = Q_r + A^T (Q_b - M_b o)                           (22.6)
 *
 * where Q_b = M_b u~_b + weight dt^2 F_b and F_b is gravity only (the user's forces reach the nodes
 * by A^T, chapter 19). This is exact, as if (15.2) were rows of C, but S stays small. H gains
 * hardly any entries: the Hessian at a vertex (16.2) couples the same nodes as its row of A.
 * ============================================================================================ */

typedef struct dci_counters {
    dc_index newton, cg, factorizations;
} dci_counters;

static void dci_node_vectors_share(dci_node_vectors *node, dc_index count)
{
    node->image = node->residual + count;
    node->x_trial = node->image + count;
    node->along = node->x_trial + count;
}

static dci_node_vectors dci_node_vectors_of_group(const dci_node_vectors *all, dc_index first,
                                                  dc_index count)
{
    dci_node_vectors group = *all;
    group.step += first;
    group.work += first;
    group.mobility += first;
    group.residual += 4 * (size_t)first;
    dci_node_vectors_share(&group, count);
    return group;
}

static dci_node_vectors dci_node_vectors_from(const dci_node_vectors *node, dc_index first)
{
    dci_node_vectors part = *node;
    part.step += first;
    part.work += first;
    part.mobility += first;
    part.residual += first;
    part.image += first;
    part.x_trial += first;
    part.along += first;
    return part;
}

typedef struct dci_cloth_work {
    dc_real *schur;        /* (4 rows.count), with conjugate gradients                           */
    dc_real *row;          /* (rows.count) right side of a solve; in schur, if there is one      */
    dc_real *lambda_start; /* (rows.count) lambda before the sub-step                            */
    dc_vec3 *vertex;       /* (vertex_count) in load_q, between steps; unused with black nodes   */
    dc_vec3 *change;       /* (surface vertices) in vertex_v, made anew when a step ends         */
    dc_index *place;       /* (node_count) to assemble H or R, if needed                         */
    dc_index *known_place; /* (2 clamps)                                                         */
} dci_cloth_work;

/* The result of solving (22.1). */
typedef struct dci_solve_result {
    dc_real error;      /* largest relative constraint error ...                                 */
    dc_index worst_row; /* ... and its row                                                       */
    dc_real unbalanced; /* [m/s^2] rms, (25.8); 0 after a projection                             */
    int is_balanced;    /* whether that is within its bound                                      */
    int is_far;         /* whether it is far above its bound, and decreases                      */
} dci_solve_result;

typedef struct dci_cloth dci_cloth;

/* How H and S of a cloth are stored and used: a row for each dc_linear_solver (chapter 41). */
typedef struct dci_solver {
    uint64_t (*work)(const dci_cloth *, int is_newton); /* of a Newton or a CG iteration         */
    /* Patterns of H and S, and H of the current step; both NULL: nothing is assembled. */
    dc_status (*plan)(dci_cloth *, dci_arena *, dc_error *);
    void (*assemble)(dci_cloth *);
    void (*apply)(const dci_cloth *, const dc_vec3 *, dc_vec3 *);   /* y = H x                   */
    void (*diagonal)(const dci_cloth *, dc_real *diagonal);         /* of H                      */
    dc_status (*prepare)(dci_cloth *);                              /* S of the current G and J  */
    /* S eta = right side, not in place; that may be work.row, which is then overwritten. */
    dc_status (*solve)(dci_cloth *, const dc_real *, dc_real *eta);
} dci_solver;

/* Work of a conjugate gradient iteration per row of constraints, nodes and energy included. */
enum { DCI_WORK_ROW = 50 };

/* Clamped edges, in the order of the description. */
typedef struct dci_clamps {
    dc_index *edge;            /* (clamps)                                                       */
    dc_index *of_edge;         /* (edge_count) the clamp, or DC_NONE                             */
    unsigned char *is_flipped; /* (clamps) the description names the edge's ends in reverse      */
    dc_vec3 *known;            /* (2 clamps) clamped gradients during the step ...               */
    dc_vec3 *known_start, *known_target; /* ... and at its start and end                         */
} dci_clamps;

struct dci_cloth {
    const dci_solver *solver;
    dci_meter *meter;   /* of the step, or NULL                                           */
    dc_cloth_desc desc; /* pin_vertices is a copy; other pointers are not used after the start   */
    const dc_vec3 *gravity, *wind; /* of the world                                               */
    dc_real total_mass;       /* [kg]                                                            */
    dc_real residual_goal;    /* [m/s^2] desc.residual_tol, or less while settling               */
    dc_integrator integrator; /* desc.integrator, or backward Euler while settling               */

    dc_mesh mesh;
    dc_mesh surface; /* what is drawn and collides: the mesh or its refinement (15)              */
    dci_element element;
    dci_rows rows;
    dci_energy energy;
    dc_real *start_length_sq; /* (triangle_count, 3) [m^2] of start_positions, or NULL           */
    dc_real *length;          /* likewise [m] the current rest lengths: chapter 42               */
    dci_rest rest;
    dc_real *mass;        /* (particle_count)                                                    */
    dc_index *piece;      /* (node_count) the first node of its piece                            */
    dc_index *piece_size; /* (node_count) at the first node of a piece, the number of its nodes  */
    dc_vec3 *force;       /* (surface vertices) [N] by the user; 0 at midpoints                  */
    int has_force;        /* whether any is set                                                  */
    dci_hold *hold;       /* (held points) pins, then clamps                                     */
    dci_clamps clamps;
    dci_grabs grabs;

    dci_state state, trial; /* the committed state; that of the current step                     */
    dci_force_history history, committed; /* contact forces: in the current step, and committed  */
    dc_vec3 *vertex_x, *vertex_v; /* (surface vertices) of the committed state                   */
    dc_index count[5]; /* of fields: particles, rows, surface vertices, 2 clamps, and nodes with
                          contact forces, none if bodies do not collide                          */

    /* The current step. */
    dci_cloth *next;     /* in its group: chapter 25                                             */
    dc_index first_node; /* in the vectors of its group                                          */
    dci_solve_result outcome;
    dci_scheme scheme;
    dc_real dt, weight; /* [s], scheme.weight dt^2 [s^2]                                         */
    dc_real part;       /* fraction of the held points' motion at the end of the sub-step        */
    dc_sparse hessian;  /* empty with conjugate gradients                                        */
    dc_real hessian_key[2]; /* weight and rate / dt for which it was assembled                   */
    dc_sparse s; /* (18.3), lower; empty with conjugate gradients                                */
#ifndef DC_NO_DIRECT
    dc_cholesky schur; /* factor of S; not with conjugate gradients                              */
#endif
    dc_real *block; /* (2 rows.count) block factors of chapter 23, with conjugate gradients      */

    dc_vec3 *u, *load_q;   /* (node_count)                                                       */
    dci_node_vectors node; /* its own, or its part of those of its group                         */
    dci_node_vectors
        own_node;       /* between steps `step` is work (particle_count)                      */
    dc_vec3 *direction; /* (rows.count)                                                          */
    dc_real *value, *eta, *eta_change, *kappa; /* (rows.count)                                   */
    dc_real regularisation; /* relative, added to the diagonal of the current S                  */
    int is_dependent; /* in this step S was singular, or nearly                                  */
    int has_failed;   /* a solve with S inside conjugate gradients failed                        */
    int is_repeated;  /* the step begins from u and lambda of its last solution; between steps,
                         whether it may: it was made in one sub-step                             */
    int has_contacts; /* its group has contact constraints                                       */
    int has_impulse;  /* there is an impulsive contact force: chapter 25                         */
    dc_real residual_bound; /* [m/s^2] on (25.8); unchanged if the step is repeated ...          */
    dc_real bound;          /* ... and relaxed where it cannot be reached                        */
    dci_counters counters;
    dci_cloth_work work;
};

/* Values that the caller sets, besides pins and clamps. */
static const dci_field dci_cloth_fields[] = {
    {"forces", offsetof(dci_cloth, force), DCI_LOADS, 2},
    {"whether there are forces", offsetof(dci_cloth, has_force), DCI_FLAG, 1},
    {"gradients of clamps at the start", offsetof(dci_cloth, clamps.known_start), DCI_VECTORS, 3},
    {"gradients of clamps at the end", offsetof(dci_cloth, clamps.known_target), DCI_VECTORS, 3},
    {NULL, 0, DCI_END, 0}};

/* The velocity at u = 0, (20.3). */
static dc_vec3 dci_step_velocity_at_zero(const dci_cloth *cloth, dc_index k)
{
    const dci_state *s = &cloth->trial;
    dc_vec3 past = dci_vec_sub(s->x_prev[k], s->x[k]);
    return dci_vec_axpy(dci_vec_scale(cloth->scheme.rate_past / cloth->dt, past),
                        -cloth->scheme.turn, s->v[k]);
}

/* u~ of (20.1). */
static dc_vec3 dci_step_free_displacement(const dci_cloth *cloth, dc_index k)
{
    const dci_state *s = &cloth->trial;
    const dci_scheme *c = &cloth->scheme;
    dc_vec3 drift = dci_vec_scale(c->past, dci_vec_sub(s->x_prev[k], s->x[k]));
    drift = dci_vec_axpy(drift, cloth->dt * c->now, s->v[k]);
    return dci_vec_axpy(drift, cloth->dt * c->then, s->v_prev[k]);
}

/* v*, the velocity extrapolated to the end of the step. */
static dc_vec3 dci_step_extrapolate(const dci_cloth *cloth, dc_index k)
{
    const dci_state *s = &cloth->trial;
    dc_real ratio = s->dt_prev > 0 ? cloth->dt / s->dt_prev : 0;
    return dci_vec_axpy(s->v[k], ratio, dci_vec_sub(s->v[k], s->v_prev[k]));
}

static void dci_step_add_drag(dci_cloth *cloth, dc_vec3 *force)
{
    dc_real drag = dci_load_drag(&cloth->desc);
    dc_vec3 *excess = cloth->node.along;
    dc_index k;
    for (k = 0; k < cloth->element.node_count; k++) { /* the nodes are those of the edges */
        dc_vec3 relative = dci_vec_sub(dci_step_velocity_at_zero(cloth, k), *cloth->wind);
        force[k] = dci_vec_axpy(force[k], -drag * cloth->element.area[k], relative); /* (19.2) */
        cloth->node.image[k] = dci_step_extrapolate(cloth, k);
        excess[k] = dci_vec(0, 0, 0);
    }
    dci_load_add_drag(&cloth->desc, *cloth->wind, &cloth->mesh, cloth->trial.x, cloth->node.image,
                      excess);
    for (k = 0; k < cloth->element.node_count; k++) force[k] = dci_vec_add(force[k], excess[k]);
}

/* o of (22.5) for black node v. */
static dc_vec3 dci_step_mismatch(const dci_cloth *cloth, dc_index v)
{
    const dci_energy *energy = &cloth->energy;
    const dc_sparse *a = &energy->rows;
    dc_index row = energy->elastic_count + v, p;
    dc_vec3 black = cloth->trial.x[cloth->element.node_count + v], o = dci_vec(0, 0, 0);
    for (p = a->start[row]; p < a->start[row + 1]; p++) { /* the row sums to 1 */
        dc_vec3 offset = dci_vec_sub(cloth->trial.x[a->column[p]], black);
        o = dci_vec_axpy(o, a->value[p], offset);
    }
    return o;
}

/* Adds the black nodes' part of Q, (22.6). */
static void dci_step_load_black(dci_cloth *cloth)
{
    for (dc_index v = 0; v < cloth->element.black_count; v++) {
        dc_index k = cloth->element.node_count + v;
        dc_vec3 drift = dci_step_free_displacement(cloth, k), change, load;
        change = dci_vec_axpy(dci_vec_sub(drift, dci_step_mismatch(cloth, v)), cloth->weight,
                              *cloth->gravity);
        load = dci_vec_scale(cloth->mass[k], change);
        dci_sparse_row_transposed(&cloth->energy.rows, cloth->energy.elastic_count + v, 1, load,
                                  cloth->load_q);
    }
}

/* T delta of (17.3), with T at x_n + u~, if there is a rest shape. */
static void dci_step_predict_rest(dci_cloth *cloth)
{
    if (!cloth->rest.turned) return;
    for (dc_index k = 0; k < cloth->element.node_count; k++)
        cloth->node.x_trial[k] =
            dci_vec_add(cloth->trial.x[k], dci_step_free_displacement(cloth, k));
    (void)dci_rest_value(&cloth->rest, &cloth->energy, &cloth->mesh, cloth->clamps.of_edge,
                         cloth->node.x_trial, cloth->clamps.known, cloth->rest.turned);
}

/* Q of (22.3). */
static void dci_step_load(dci_cloth *cloth)
{
    dc_index n = cloth->element.node_count, k;
    dc_vec3 *force = cloth->load_q;
    for (k = 0; k < n; k++) force[k] = dci_vec(0, 0, 0);
    if (cloth->has_force) dci_sparse_apply_transposed(&cloth->element.vertex, cloth->force, force);
    for (k = 0; k < n; k++) {
        force[k] = dci_vec_axpy(force[k], cloth->mass[k], *cloth->gravity);
        cloth->node.image[k] = dci_step_velocity_at_zero(cloth, k);
    }
    dci_energy_add_force(&cloth->energy, cloth->trial.x, cloth->clamps.known, cloth->rest.turned,
                         force);
    dci_energy_add_damping(&cloth->energy, cloth->node.image, force);
    if (dci_load_drag(&cloth->desc) > 0) dci_step_add_drag(cloth, force);
    for (k = 0; k < n; k++)
        cloth->load_q[k] =
            dci_vec_axpy(dci_vec_scale(cloth->mass[k], dci_step_free_displacement(cloth, k)),
                         cloth->weight, force[k]);
    dci_step_load_black(cloth);
}

/* The part of the diagonal of H due to mass and drag. */
static dc_real dci_step_inertia(const dci_cloth *cloth, dc_index k)
{
    dc_real drag = dci_load_drag(&cloth->desc);
    if (!(drag > 0)) return cloth->mass[k];
    return cloth->mass[k] +
           cloth->weight * (cloth->scheme.rate / cloth->dt * drag * cloth->element.area[k]);
}

static void dci_step_hessian(dci_cloth *cloth)
{
    dc_real rate = cloth->scheme.rate / cloth->dt;
    if (cloth->hessian_key[0] == cloth->weight && cloth->hessian_key[1] == rate) return;
    cloth->hessian_key[0] = cloth->weight;
    cloth->hessian_key[1] = rate;
    if (cloth->solver->assemble) cloth->solver->assemble(cloth);
}

/* Sets up (22.1) for a sub-step of length dt that ends at the fraction `part` of the step. */
static void dci_step_begin(dci_cloth *cloth, dc_real dt, dc_real part)
{
    dci_state *state = &cloth->trial;
    cloth->scheme = dci_scheme_of(dci_integrators + cloth->integrator, dt, state->dt_prev);
    cloth->dt = dt;
    cloth->part = part;
    cloth->weight = cloth->scheme.weight * dt * dt;
    /* Rescale the multipliers, move the clamps. */
    for (dc_index i = 0; i < cloth->rows.count; i++)
        state->lambda[i] *= state->lambda_weight > 0 ? cloth->weight / state->lambda_weight : 0;
    state->lambda_weight = cloth->weight;
    for (dc_index i = 0; i < 2 * cloth->desc.clamp_count; i++) {
        dc_vec3 change = dci_vec_sub(cloth->clamps.known_target[i], cloth->clamps.known_start[i]);
        cloth->clamps.known[i] = dci_vec_axpy(cloth->clamps.known_start[i], part, change);
    }
    dci_step_predict_rest(cloth);
    dci_step_load(cloth);
    dci_step_hessian(cloth);
}

/* Evaluates C and its directions at x_n + u; returns the largest relative error. */
static dc_real dci_step_constraints(dci_cloth *cloth, const dc_vec3 *u, dc_index *worst)
{
    for (dc_index k = 0; k < cloth->element.node_count; k++)
        cloth->node.x_trial[k] = dci_vec_add(cloth->trial.x[k], u[k]);
    dci_rows_evaluate(&cloth->rows, cloth->hold, cloth->part, cloth->node.x_trial, cloth->direction,
                      cloth->value);
    return dci_rows_error(&cloth->rows, cloth->value, NULL, worst);
}

/* Moves one particle by u. Backward Euler in place of BDF2 leaves a constant velocity. */
static void dci_step_move(dci_cloth *cloth, dc_index k, dc_vec3 u)
{
    dci_state *s = &cloth->trial;
    dc_vec3 v =
        dci_vec_axpy(dci_step_velocity_at_zero(cloth, k), cloth->scheme.rate / cloth->dt, u);
    s->x_prev[k] = s->x[k];
    s->v_prev[k] = cloth->integrator == cloth->desc.integrator ? s->v[k] : v;
    s->x[k] = dci_vec_add(s->x[k], u);
    s->v[k] = v;
}

/* Changes the velocities by the displacement dx due to impulsive contact forces, (25.7). */
static void dci_step_apply_impulse(dci_cloth *cloth, dc_index k, dc_vec3 dx)
{
    dci_state *s = &cloth->trial;
    s->v[k] = dci_vec_axpy(s->v[k], (1 - cloth->scheme.rate) / cloth->dt, dx);
    s->v_prev[k] = dci_vec_axpy(s->v_prev[k], 1 / cloth->dt, dx);
}

/* A of black node v times x. */
static dc_vec3 dci_step_black(const dci_cloth *cloth, dc_index v, const dc_vec3 *x)
{
    return dci_energy_residual(&cloth->energy, cloth->energy.elastic_count + v, x, NULL);
}

/* Sets the new state from u. Black nodes come first: (22.5) needs the old x of the red ones. */
static void dci_step_accept(dci_cloth *cloth)
{
    dc_index n = cloth->element.node_count, k;
    for (k = 0; k < cloth->element.black_count; k++) {
        dc_vec3 u = dci_step_black(cloth, k, cloth->u);
        dci_step_move(cloth, n + k, dci_vec_add(u, dci_step_mismatch(cloth, k))); /* (22.5) */
    }
    for (k = 0; k < n; k++) dci_step_move(cloth, k, cloth->u[k]);
    for (k = 0; cloth->has_impulse && k < cloth->element.black_count; k++)
        dci_step_apply_impulse(cloth, n + k, dci_step_black(cloth, k, cloth->node.step));
    for (k = 0; cloth->has_impulse && k < n; k++)
        dci_step_apply_impulse(cloth, k, cloth->node.step[k]);
    cloth->trial.dt_prev = cloth->dt;
}

/* ============================================================================================
 * 23 MULTIPLIERS                                                                         dci_schur
 *
 * Chapters 24 and 25 solve S eta = rhs, with S of (18.3), many times for the same directions. There
 * are two solvers. One factors S. The other is conjugate gradients with products J (G^-1 (J^T eta))
 * and the triangles' 3 x 3 blocks as preconditioner. It does not store H either, and takes a tenth
 * of the memory, but more iterations the finer the mesh. Three correct digits are enough, for both
 * chapters iterate. So conjugate gradients stop early, and the factor is read as floats.
 *
 * S is singular where constraints are linearly dependent: two or more lines of pins also fix the
 * lengths between them, and so do clamps all around a flat sheet. Then S is regularised:
 *
 *     (S + epsilon diag S) eta = rhs                                                   (23.1)
 *
 * If rhs is an eigenvector of S with eigenvalue sigma (diag S = 1), eta is too small by the factor
 * sigma/(sigma + epsilon). Further iterations add the rest (method of multipliers). Dropping rows
 * instead works only if they are exactly dependent, as they are not in a slightly bent sheet.
 *
 * Rows of released pins and clamps become rows of the unit matrix; the pattern of S stays.
 *
 * A 3 x 3 block is factored as L L^T without dependent rows; the diagonal of L is stored inverted:
 *     block = L_00  L_10 L_11  L_20 L_21 L_22
 * ============================================================================================ */

/* S counts as singular if a pivot is below this fraction of its diagonal entry: 50 times the
   rounding of floats. Pivots of flat sheets are above 5e-3, those of fine tubes above 4e-5. */
#define DCI_PIVOT_TOL DCI_R(3e-6)
/* epsilon of (23.1): above the pivots that dependent rows leave by rounding in floats, far below the
   least other eigenvalues, for which it slows down convergence. */
#define DCI_SCHUR_REGULARISATION DCI_R(3e-5)
/* The error that conjugate gradients on S leave. A larger one shows in the steps. */
#define DCI_SCHUR_TOL DCI_R(1e-3)
/* In exact arithmetic one iteration per row is enough. */
enum { DCI_SCHUR_ROWS = 5000, DCI_SCHUR_ITERATIONS_PER_ROW = 4 }; /* of at most so many rows */

#ifndef DC_NO_DIRECT

/* (22.2) as a sparse matrix. */
static void dci_direct_assemble(dci_cloth *cloth)
{
    const dci_energy *energy = &cloth->energy;
    dc_sparse *h = &cloth->hessian;
    dc_real rate = cloth->scheme.rate / cloth->dt, *weight = dci_reals(cloth->node.residual);
    for (dc_index i = 0; i < energy->rows.row_count; i++)
        weight[i] = dci_energy_factor(energy, cloth->weight, rate, i);
    dc_gram_values(&energy->rows, weight, h, cloth->work.place);
    for (dc_index i = 0; i < h->row_count; i++) h->value[h->start[i]] += dci_step_inertia(cloth, i);
}

static void dci_direct_apply(const dci_cloth *cloth, const dc_vec3 *x, dc_vec3 *y)
{
    dci_gram_apply(&cloth->hessian, x, y);
}

static void dci_direct_diagonal(const dci_cloth *cloth, dc_real *diagonal)
{
    const dc_sparse *h = &cloth->hessian;
    for (dc_index i = 0; i < h->row_count; i++) diagonal[i] = h->value[h->start[i]];
}

/* Factors S, with `regularisation` for epsilon of (23.1). */
static dc_status dci_schur_factor(dci_cloth *cloth, dc_real regularisation, dc_real pivot_tol,
                                  dc_pivots rule)
{
    cloth->regularisation = regularisation;
    dci_rows_assemble(&cloth->rows, cloth->node.mobility, cloth->direction, regularisation,
                      &cloth->s);
    return dc_cholesky_factor(&cloth->schur, cloth->s.value, pivot_tol, rule, NULL);
}

static dc_status dci_direct_prepare(dci_cloth *cloth)
{
    dc_status status = DC_SINGULAR;
    if (!cloth->is_dependent) status = dci_schur_factor(cloth, 0, DCI_PIVOT_TOL, DC_PIVOTS_REFUSE);
    if (status != DC_SINGULAR) return status;
    cloth->is_dependent = 1;
    return dci_schur_factor(cloth, DCI_SCHUR_REGULARISATION, 0, DC_PIVOTS_DROP);
}

static dc_status dci_direct_solve(dci_cloth *cloth, const dc_real *rhs, dc_real *eta)
{
    dc_cholesky_solve(&cloth->schur, 1, rhs, eta);
    return DC_OK;
}

#endif /* DC_NO_DIRECT */

#ifndef DC_NO_CG

static void dci_iterative_apply(const dci_cloth *cloth, const dc_vec3 *x, dc_vec3 *y)
{
    for (dc_index k = 0; k < cloth->element.node_count; k++)
        y[k] = dci_vec_scale(dci_step_inertia(cloth, k), x[k]);
    dci_energy_add_image(&cloth->energy, cloth->weight, cloth->scheme.rate / cloth->dt, x, y);
}

static void dci_iterative_diagonal(const dci_cloth *cloth, dc_real *diagonal)
{
    for (dc_index i = 0; i < cloth->element.node_count; i++)
        diagonal[i] = dci_step_inertia(cloth, i);
    dci_energy_add_diagonal(&cloth->energy, cloth->weight, cloth->scheme.rate / cloth->dt,
                            diagonal);
}

static dc_real dci_schur_entry(const dci_cloth *cloth, dc_index i, dc_index j)
{
    return dci_rows_entry(&cloth->rows, cloth->node.mobility, cloth->direction,
                          cloth->regularisation, i, j);
}

static void dci_schur_factor_block(const dci_cloth *cloth, dc_index first, dc_real *block)
{
    dc_index i, j, k;
    for (i = 0; i < 3; i++) {
        for (j = 0; j <= i; j++) {
            dc_real sum = dci_schur_entry(cloth, first + i, first + j), full = sum;
            for (k = 0; k < j; k++) sum -= block[i * (i + 1) / 2 + k] * block[j * (j + 1) / 2 + k];
            if (j < i)
                block[i * (i + 1) / 2 + j] = sum * block[j * (j + 1) / 2 + j];
            else
                block[i * (i + 1) / 2 + i] = sum > DCI_PIVOT_TOL * full ? 1 / DC_SQRT(sum) : 0;
        }
    }
}

static void dci_schur_solve_blocks(void *context, const dc_real *rhs, dc_real *eta)
{
    const dci_cloth *cloth = (const dci_cloth *)context;
    for (dc_index first = 0; first < cloth->rows.count; first += 3) {
        const dc_real *block = cloth->block + 2 * first;
        dc_real *part = eta + first;
        for (dc_index i = 0; i < 3; i++) {
            part[i] = rhs[first + i];
            for (dc_index k = 0; k < i; k++) part[i] -= block[i * (i + 1) / 2 + k] * part[k];
            part[i] *= block[i * (i + 1) / 2 + i];
        }
        for (dc_index i = 2; i >= 0; i--) {
            for (dc_index k = i + 1; k < 3; k++) part[i] -= block[k * (k + 1) / 2 + i] * part[k];
            part[i] *= block[i * (i + 1) / 2 + i];
        }
    }
}

/* product = S eta */
static void dci_schur_apply(void *context, const dc_real *eta, dc_real *product)
{
    dci_cloth *cloth = (dci_cloth *)context;
    for (dc_index k = 0; k < cloth->element.node_count; k++) cloth->node.work[k] = dci_vec(0, 0, 0);
    dci_rows_add_reaction(&cloth->rows, cloth->direction, 1, eta, cloth->node.work);
    for (dc_index k = 0; k < cloth->element.node_count; k++)
        cloth->node.work[k] = dci_vec_scale(cloth->node.mobility[k], cloth->node.work[k]);
    dci_rows_apply(&cloth->rows, cloth->direction, cloth->node.work, product);
    for (dc_index i = 0; cloth->regularisation > 0 && i < cloth->rows.count; i++)
        product[i] += cloth->regularisation / (1 + cloth->regularisation) *
                      dci_schur_entry(cloth, i, i) * eta[i];
}

static dc_status dci_iterative_prepare(dci_cloth *cloth)
{
    cloth->regularisation = cloth->is_dependent ? DCI_SCHUR_REGULARISATION : DCI_R(0);
    for (dc_index first = 0; first < cloth->rows.count; first += 3)
        dci_schur_factor_block(cloth, first, cloth->block + 2 * first);
    return DC_OK;
}

static dc_status dci_iterative_solve(dci_cloth *cloth, const dc_real *rhs, dc_real *eta)
{
    const dc_index n = cloth->rows.count;
    const uint64_t work = DCI_WORK_ROW * (uint64_t)n; /* of an iteration */
    dc_index most = DCI_SCHUR_ITERATIONS_PER_ROW * dci_index_min(n, DCI_SCHUR_ROWS), i;
    dc_cg_desc desc = dci_cg_plain(n, dci_schur_apply, dci_schur_solve_blocks, cloth,
                                   cloth->work.schur, DCI_SCHUR_TOL,
                                   dci_meter_left(cloth->meter, work, most));
    dc_cg_result result;
    for (i = 0; i < n; i++) eta[i] = 0;
    dc_status status = dc_cg_solve(&desc, rhs, eta, &result, NULL);
    cloth->counters.cg += result.iterations;
    dci_meter_add(cloth->meter, result.iterations, work);
    if (status != DC_OK) cloth->is_dependent = 1; /* the next, shorter sub-step uses (23.1) */
    return status;
}

#endif /* DC_NO_CG */

static dc_status dci_schur_prepare(dci_cloth *cloth)
{
    cloth->counters.factorizations++;
    return cloth->solver->prepare(cloth);
}

/* ============================================================================================
 * 24 PROJECTION                                                                       dci_project
 *
 * Start positions need not have the lengths of the mesh; nor do those of a step that was cut short
 * (chapter 42). The projection finds the nearest positions, in the mass metric, that satisfy the
 * constraints. With u the displacement from the start, an iteration is
 *
 *     u <- u - M^-1 J^T eta,   S eta = C,   until C = 0    with G = M                 (24.1)
 *
 *          o  start               Each line is an iteration. It satisfies the constraint linearised
 *          |\                     at its start; the curved constraint is satisfied only
 *       ___|_\___                 approximately.
 *     /    o---o \
 *    |  C = 0     |
 *
 * If an iteration increases |C|, its change of u is halved, [EB08] (30). |C|^2 is the sum of
 * (C_i/d_i)^2; the largest error, which decides convergence, would force tiny steps.
 *
 * In [EB08] the projection also ends each step. But (24.1) ignores energies: jumps of a swinging
 * sheet would grow, and stiff bending would find a wrong equilibrium.
 * ============================================================================================ */

enum { DCI_LINE_SEARCH_MAX = 10 };

static dc_real dci_project_size(const dci_rows *rows, const dc_real *value)
{
    dc_real sum = 0;
    for (dc_index i = 0; i < rows->count; i++) {
        dc_real error = value[i] / dci_rows_rest(rows, i);
        sum += error * error;
    }
    return sum;
}

/* One iteration of (24.1), halved until |C| decreases. */
static dc_status dci_project_iterate(dci_cloth *cloth)
{
    dci_solve_result *outcome = &cloth->outcome;
    dc_index n = cloth->element.node_count, k, halving;
    dc_real before = dci_project_size(&cloth->rows, cloth->value), length = 1;
    dc_status status = dci_schur_prepare(cloth);
    if (status == DC_OK) status = cloth->solver->solve(cloth, cloth->value, cloth->eta);
    if (status != DC_OK) return status;
    for (k = 0; k < n; k++) cloth->node.step[k] = dci_vec(0, 0, 0);
    dci_rows_add_reaction(&cloth->rows, cloth->direction, -1, cloth->eta, cloth->node.step);
    for (k = 0; k < n; k++) {
        cloth->node.image[k] = cloth->u[k];
        cloth->node.step[k] = dci_vec_scale(cloth->node.mobility[k], cloth->node.step[k]);
    }
    for (halving = 0; halving <= DCI_LINE_SEARCH_MAX; halving++) {
        for (k = 0; k < n; k++)
            cloth->u[k] = dci_vec_axpy(cloth->node.image[k], length, cloth->node.step[k]);
        outcome->error = dci_step_constraints(cloth, cloth->u, &outcome->worst_row);
        if (dci_project_size(&cloth->rows, cloth->value) < before) break;
        if (outcome->error <= cloth->desc.tolerance) break;
        length /= 2;
    }
    return DC_OK;
}

static dc_status dci_project(dci_cloth *cloth, dc_index iteration_max)
{
    dci_solve_result *outcome = &cloth->outcome;
    dc_index iteration, k;
    for (k = 0; k < cloth->element.node_count; k++) cloth->node.mobility[k] = 1 / cloth->mass[k];
    outcome->unbalanced = 0;
    outcome->is_balanced = 1;
    outcome->error = dci_step_constraints(cloth, cloth->u, &outcome->worst_row);
    for (iteration = 0; outcome->error > cloth->desc.tolerance; iteration++) {
        if (iteration >= iteration_max) return DC_NOT_CONVERGED;
        cloth->counters.newton++;
        dc_status status = dci_project_iterate(cloth);
        if (status != DC_OK) return status;
    }
    return dci_is_finite(outcome->error) ? DC_OK : DC_NOT_FINITE;
}

/* ============================================================================================
 * 25 COUPLED STEP                                                                      dci_couple
 *
 * Newton's method on (22.4) solves for displacements and multipliers together:
 *
 *     | H + curvature   J^T | | du      |     | f |
 *     |                     | |         | = - |   |,     f = H u - Q + J^T lambda      (25.1)
 *     |      J           0  | | dlambda |     | C |
 *
 *     B, B'   [kg] its upper left block, and B without contacts    G   diag B; mobility: G^-1
 *     r, z    [kg m] residual of conjugate gradients; [m] a motion that keeps the constraints
 *     S, eta, C, J, lambda: chapter 18     H, Q, f, u: chapter 22     K, p, D, y: chapter 21
 *
 * The curvature is the positive part of (18.4): by it a taut sheet resists transverse motion.
 *
 * Only products with B are needed, [GHN01]. With G in place of B, the factor of S solves (25.1):
 *
 *     S eta = J G^-1 r,    z = G^-1 (r - J^T eta)    so that  J z = 0                  (25.2)
 *
 * z is G^-1 r projected to the null space of J, the motions that keep all constraints to first
 * order. The first du satisfies the linearised constraints,
 *
 *     S eta = C - J G^-1 f,  du = -G^-1 (f + J^T eta)  so that  J du = -C              (25.3)
 *
 * and conjugate gradients on B continue from there, preconditioned by (25.2), which keep J du = -C.
 * The last eta is dlambda. G includes the curvature, which is most of B in a taut sheet.
 *
 * Between the two, one step minimises along the velocity v, projected to the null space:
 *
 *     z of (25.2) with G v for r,  du <- du + z (z . r) / (z . B z),  r = -f - B du      (25.4)
 *
 * Conjugate gradients resolve the slowest mode of a stiff sheet last, with an error of the same
 * sign in every step, which would drive the sheet for ever.
 *
 * Solves with S are not exact, so z is not quite in the null space of J, outside of which r
 * contains the forces that J^T eta balances. If nothing can move, z is nothing but error, and
 * conjugate gradients would scale it up until lengths are lost. But motions in the null space do no
 * work against J^T eta, so it is subtracted from r itself, [GHN01]:
 *
 *     S change = J G^-1 r,  r <- r - J^T change,  z = G^-1 r,  eta <- eta + change     (25.5)
 *
 * Now each solution corrects the last ones. J^T eta of (25.3) is subtracted, too, before (25.4).
 *
 * To factor S takes as long as seven solves. G and the factor are kept while directions turn by no
 * more than the error of the solutions, except far from balance, where tensions change at once.
 *
 * The number of conjugate gradient iterations is proportional to dt and to the root of the largest
 * eigenvalue of M^-1 R^T s R: about 10 for dt = 1 ms.
 *
 * Groups. Contacts (chapter 21) add their matrix to B, its diagonal to G, and their forces to f.
 * Cloths that touch each other are a group. (25.1) then has a block for each cloth, and the matrix
 * of contacts couples them. So (25.2), (25.3) and (25.5) are done cloth by cloth, and the rest for
 * all together. After each iteration ribbons find their steps, and update contact forces by (21.4).
 *
 * Line search. Full Newton steps may oscillate. The energy's derivative at a part of du,
 *
 *     slope(part) = du . ( f_cg - (1 - part) B' du )
 *                   - sum over contacts of dy . ( K dy + p'(part) - p'(0) )           (25.6)
 *
 * increases with the part; dy is the change of y, and f_cg the residual of the linear solution. If
 * it is positive at 1, the step ends at its root. Only full steps update contact forces.
 *
 * Impacts. An impulsive contact is not smooth enough for BDF2, whose parabola through the last
 * positions would let a body that stops at a wall rebound at half its speed. So, as in (20.6), the
 * displacement dx due to the impulsive part of the contact forces changes the velocities,
 *
 *     B' dx + J^T eta = impulsive part of the contact forces on the nodes,      J dx = 0
 *     v_n <- v_n - (rate - 1) dx/dt,      v_{n-1} <- v_{n-1} + dx/dt                    (25.7)
 *
 * by one more solution with the same factor; backward Euler needs no change. The impulsive part of
 * a force is the excess over the smaller of the last two forces on its node, and over the node's
 * weight: a load that begins to be carried has hit nothing. It is ignored if it is less than half
 * of the forces, or if dx far exceeds all motion, for forces on squeezed cloth jump between nodes.
 *
 * Convergence. After an iteration f is the sum of f_cg, which is small in the energy norm, and the
 * rest, due to the curvature of the constraints, which as an acceleration,
 *
 *     rms = sqrt( sum |f_k - f_cg,k|^2/m_k / sum m_k ) / (weight dt^2)                 (25.8)
 *
 * must be below residual_tol, or below a few thousandths of its initial value (after collisions) or
 * of the acceleration that suddenly moved pins impose. (f as a whole misleads: its part in the
 * highest bending modes is large, but moves nothing.) No iteration moves a node by more than h.
 *
 * While (25.8) is far above its bound, the curvature leaves more than a loose linear solution
 * would, so solutions are loose: except after an iteration that stalled; in the last one, because
 * f_cg is not in (25.8); and in the first one if nothing touches or hit the cloth.
 * ============================================================================================ */

/* The conjugate gradients stop when their error is this fraction of residual_goal, and never above
   a tenth of the first error, or a sheet would swing for ever. */
#define DCI_COUPLE_CG_FLOOR DCI_R(0.5)
#define DCI_COUPLE_CG_FLOOR_TOL DCI_R(0.1)
/* Above DCI_COUPLE_FAR times the bound of (25.8), solutions leave this fraction of the error. */
#define DCI_COUPLE_FAR 10
#define DCI_COUPLE_LOOSE_CG_TOL DCI_R(0.2)
enum { DCI_COUPLE_CG_DELAY = 2, DCI_COUPLE_LOOSE_CG_DELAY = 1, DCI_COUPLE_CG_MAX = 1000 };
/* Least bound on (25.8), relative to the acceleration after an impact or by moved pins. */
#define DCI_COUPLE_IMPACT_TOL DCI_R(3e-3)

/* An iteration stalls if it leaves more than this fraction of the residual. Then residual_tol is
   enough while settling (chapter 49), with its smaller bound: the rest may be rounding. */
#define DCI_COUPLE_STALLED DCI_R(0.5)

/* A Newton step is shortened if slope(1) of (25.6) is above this fraction of du . B du. */
#define DCI_COUPLE_PART_TOL DCI_R(0.1)
enum { DCI_COUPLE_PART_BISECTIONS = 10 };

/* G and the factor of S are kept while no node has moved by more than this part of an edge. */
#define DCI_COUPLE_KEPT DCI_R(3e-3)

/* Further solves for z of (25.4) with (23.1): (25.4) scales up what violates J z = 0. */
enum { DCI_COUPLE_REFINEMENTS = 2 };

/* image += curvature x */
static void dci_couple_add_curvature(const dci_cloth *cloth, const dc_vec3 *x, dc_vec3 *image)
{
    const dci_rows *rows = &cloth->rows;
    const dc_real *kappa = cloth->kappa;
    for (dc_index i = 0; i < rows->length_count; i += 3) {
        dc_vec3 reaction[3];
        if (kappa[i] == 0 && kappa[i + 1] == 0 && kappa[i + 2] == 0) continue;
        dci_rows_differences(rows->edge + i, x, reaction);
        for (dc_index c = 0; c < 3; c++) reaction[c] = dci_vec_scale(kappa[i + c], reaction[c]);
        dci_rows_add_sides(rows->edge + i, reaction, image); /* (18.4) */
    }
}

/* The cloths of a group, which may be a single one without contacts. */
typedef struct dci_cloths {
    dci_cloth *first; /* the others follow by `next`                                             */
    dci_partners partners;
    dci_contact_rows *contact_rows, no_rows;
    dci_node_vectors node;
    dc_index node_count;
    dc_real mass;                              /* [kg] of all                                  */
    dc_real thickness, cg_tol, residual_tol;   /* the smallest of the descriptions             */
    dc_index iteration_max, halvings_max;      /* the largest                                  */
    dci_meter *meter;                          /* of the step                                  */
    uint64_t newton_work, cg_work;             /* of an iteration                              */
    dc_real time, step_dt; /* [s] of the world at the start of its step, and that step's length  */
    dc_real moved; /* [edge lengths] sum of the largest displacements since S was factored     */
    int is_cut;   /* cut short: only one Newton iteration is made                                */
} dci_cloths;

/* Work of a contact constraint in a conjugate gradient iteration. */
enum { DCI_WORK_CONTACT = 100 };

/* Once the work is spent, a step is accepted if lengths are within this many tolerances. Otherwise
   it is cut short (chapter 42), with so many conjugate gradient iterations and projections. */
#define DCI_CUT_NEAR 100
enum { DCI_CUT_CG = 10, DCI_CUT_PROJECTIONS = 3 };

static void dci_cloths_sum(dci_cloths *group)
{
    group->node_count = group->iteration_max = group->halvings_max = 0;
    group->mass = 0;
    group->cg_work = (uint64_t)dci_contact_rows_count(group->contact_rows) * DCI_WORK_CONTACT;
    group->newton_work = 6 * group->cg_work;
    group->thickness = group->cg_tol = group->residual_tol = DCI_REAL_MAX;
    for (dci_cloth *c = group->first; c; c = c->next) {
        const dc_solver_desc *solver = &c->desc.solver;
        c->first_node = group->node_count;
        group->node_count += c->element.node_count;
        group->mass += c->total_mass;
        group->cg_work += c->solver->work(c, 0);
        group->newton_work += c->solver->work(c, 1);
        group->thickness = dci_min(group->thickness, c->desc.thickness);
        group->cg_tol = dci_min(group->cg_tol, solver->cg_tol);
        group->residual_tol = dci_min(group->residual_tol, solver->residual_tol);
        group->iteration_max = dci_index_max(group->iteration_max, solver->iteration_max);
        group->halvings_max = dci_index_max(group->halvings_max, solver->halvings_max);
    }
}

/* image = B' x */
static void dci_couple_apply_elastic(const dci_cloths *group, const dc_vec3 *x, dc_vec3 *image)
{
    for (const dci_cloth *c = group->first; c; c = c->next) {
        c->solver->apply(c, x + c->first_node, image + c->first_node);
        dci_couple_add_curvature(c, x + c->first_node, image + c->first_node);
    }
}

/* image = B x */
static void dci_couple_apply(void *context, const dc_real *x, dc_real *image)
{
    const dci_cloths *group = (const dci_cloths *)context;
    const dc_vec3 *from = (const dc_vec3 *)x;
    dc_vec3 *to = (dc_vec3 *)image;
    dci_couple_apply_elastic(group, from, to);
    dci_contact_rows_add_product(group->contact_rows, from, to);
}

static void dci_couple_find_mobility(dci_cloths *group)
{
    dc_real *diagonal = group->node.mobility;
    dc_index i, k, end[2];
    for (const dci_cloth *c = group->first; c; c = c->next) {
        dc_real *own = diagonal + c->first_node;
        c->solver->diagonal(c, own);
        for (i = 0; i < c->rows.length_count; i++) {
            dci_rows_ends(&c->rows, i, end);
            own[end[0]] += c->kappa[i]; /* (18.4) */
            own[end[1]] += c->kappa[i];
        }
    }
    dci_contact_rows_add_diagonal(group->contact_rows, diagonal);
    for (k = 0; k < group->node_count; k++) group->node.mobility[k] = 1 / diagonal[k];
}

/* S eta = J z + C for z = sign G^-1 r,  r <- r - sign J^T eta,  z = sign G^-1 r; NULL: C = 0 */
static dc_status dci_couple_project(dci_cloth *cloth, dc_real sign, const dc_real *value,
                                    dc_vec3 *r, dc_vec3 *z, dc_real *eta)
{
    const dc_real *mobility = cloth->node.mobility;
    dc_index n = cloth->element.node_count, k;
    for (k = 0; k < n; k++) z[k] = dci_vec_scale(sign * mobility[k], r[k]);
    dci_rows_apply(&cloth->rows, cloth->direction, z, cloth->work.row);
    for (k = 0; value && k < cloth->rows.count; k++) cloth->work.row[k] += value[k];
    dc_status status = cloth->solver->solve(cloth, cloth->work.row, eta);
    dci_rows_add_reaction(&cloth->rows, cloth->direction, -sign, eta, r);
    for (k = 0; k < n; k++) z[k] = dci_vec_scale(sign * mobility[k], r[k]);
    return status;
}

/* (25.5), without the change of eta. */
static void dci_couple_refine(dci_cloth *cloth, dc_vec3 *r, dc_vec3 *z)
{
    if (dci_couple_project(cloth, 1, NULL, r, z, cloth->eta_change) != DC_OK) cloth->has_failed = 1;
}

/* (25.3): `step` becomes the first du, and the residual f + J^T eta. */
static dc_status dci_couple_feasible(dci_cloth *cloth)
{
    return dci_couple_project(cloth, -1, cloth->value, cloth->node.residual, cloth->node.step,
                              cloth->eta);
}

/* (25.5) for each cloth; r is `residual`. If a solve fails, z = 0 ends the iteration. */
static void dci_couple_precondition(void *context, const dc_real *r, dc_real *z)
{
    const dci_cloths *group = (const dci_cloths *)context;
    int has_failed = 0;
    (void)r;
    dci_meter_add(group->meter, 1, group->cg_work);
    for (dci_cloth *c = group->first; c; c = c->next) {
        dci_couple_refine(c, c->node.residual, (dc_vec3 *)z + c->first_node);
        for (dc_index i = 0; i < c->rows.count; i++) c->eta[i] += c->eta_change[i];
        has_failed |= c->has_failed;
    }
    for (dc_index i = 0; has_failed && i < 3 * group->node_count; i++) z[i] = 0;
}

/* Replaces f_cg by f; node.work is J^T lambda minus the contact forces. Returns (25.8). */
static dc_real dci_couple_residual(dci_cloth *cloth)
{
    dc_index n = cloth->element.node_count, k;
    dc_real sum = 0;
    cloth->solver->apply(cloth, cloth->u, cloth->node.image);
    for (k = 0; k < n; k++) {
        dc_vec3 forces = dci_vec_add(cloth->node.image[k], cloth->node.work[k]);
        dc_vec3 f = dci_vec_sub(forces, cloth->load_q[k]);
        dc_vec3 rest = dci_vec_sub(f, cloth->node.residual[k]); /* f - f_cg */
        cloth->node.residual[k] = f;
        sum += dci_dot(rest, rest) / cloth->mass[k];
    }
    return DC_SQRT(sum / cloth->total_mass) / cloth->weight;
}

/* z of (25.4). */
static void dci_couple_project_velocity(dci_cloth *cloth)
{
    dc_vec3 *image = cloth->node.image;
    for (dc_index k = 0; k < cloth->element.node_count; k++)
        image[k] = dci_vec_scale(1 / cloth->node.mobility[k], cloth->trial.v[k]);
    dci_couple_refine(cloth, image, cloth->node.along);
    for (dc_index k = 0; cloth->regularisation > 0 && k < DCI_COUPLE_REFINEMENTS; k++)
        dci_couple_refine(cloth, image, cloth->node.along);
}

/* (25.4) with this z. */
static void dci_couple_along_velocity(dci_cloths *group)
{
    dc_index n = group->node_count, k;
    dc_vec3 *along = group->node.along, *image = group->node.image;
    dc_real work = 0, curvature, part;
    dci_couple_apply(group, dci_reals(group->node.step), dci_reals(image));
    for (k = 0; k < n; k++)
        work -= dci_dot(along[k], dci_vec_add(group->node.residual[k], image[k]));
    dci_couple_apply(group, dci_reals(along), dci_reals(image));
    curvature = dci_array_dot(3 * n, dci_reals(along), dci_reals(image));
    if (!(curvature > 0)) return; /* at rest */
    part = work / curvature;
    if (!dci_is_finite(part)) return;
    for (k = 0; k < n; k++) group->node.step[k] = dci_vec_axpy(group->node.step[k], part, along[k]);
}

static dc_cg_desc dci_couple_describe(dci_cloths *group, dc_real cg_tol)
{
    dc_cg_desc desc =
        dci_cg_plain(3 * group->node_count, dci_couple_apply, dci_couple_precondition, group,
                     dci_reals(group->node.residual), cg_tol, DCI_CUT_CG);
    dc_real goal_sq = 0;
    desc.floor_tolerance = DCI_COUPLE_CG_FLOOR_TOL;
    desc.delay = cg_tol > group->cg_tol ? DCI_COUPLE_LOOSE_CG_DELAY : DCI_COUPLE_CG_DELAY;
    if (!group->is_cut)
        desc.iteration_max = dci_meter_left(group->meter, group->cg_work, DCI_COUPLE_CG_MAX);
    for (const dci_cloth *c = group->first; c; c = c->next) {
        dc_real goal = c->residual_goal * c->weight;
        goal_sq += goal * goal * c->total_mass;
    }
    desc.floor = DCI_COUPLE_CG_FLOOR * DC_SQRT(goal_sq);
    return desc;
}

/* Conjugate gradients on (25.1), from the du in `step`. The residual f becomes f_cg. */
static dc_status dci_couple_reduce(dci_cloths *group, dc_real cg_tol)
{
    dc_cg_desc desc = dci_couple_describe(group, cg_tol);
    dc_vec3 *residual = group->node.residual;
    dc_cg_result result;
    dc_status status;
    dc_index k;
    for (k = 0; k < group->node_count; k++) residual[k] = dci_vec_scale(-1, residual[k]);
    status =
        dc_cg_solve(&desc, dci_const_reals(residual), dci_reals(group->node.step), &result, NULL);
    group->first->counters.cg += result.iterations;
    for (dci_cloth *c = group->first; c; c = c->next) {
        if (status == DC_NOT_FINITE) c->is_dependent = 1; /* S was too close to singular */
        if (c->has_failed || status == DC_NOT_FINITE) return DC_NOT_CONVERGED;
        residual = c->node.residual;
        for (k = 0; k < c->element.node_count; k++) /* f_cg, or 0 if they did not converge */
            residual[k] = status == DC_OK ? dci_vec_scale(-1, residual[k]) : dci_vec(0, 0, 0);
    }
    return DC_OK; /* unconverged conjugate gradients still give a good direction */
}

/* Finds G and the factor of S, unless those of an earlier iteration are kept. */
static dc_status dci_couple_factor(dci_cloths *group)
{
    int is_kept = group->moved <= DCI_COUPLE_KEPT;
    dc_status status = DC_OK;
    dci_cloth *c;
    for (c = group->first; c; c = c->next)
        is_kept &= !(c->outcome.unbalanced > DCI_COUPLE_FAR * c->bound);
    if (is_kept) return DC_OK;
    dci_couple_find_mobility(group);
    for (c = group->first; c && status == DC_OK; c = c->next) status = dci_schur_prepare(c);
    group->moved = 0;
    return status;
}

/* Solves (25.1): `step` and eta become du and dlambda. */
static dc_status dci_couple_solve(dci_cloths *group, dc_real cg_tol)
{
    dc_status status;
    for (dci_cloth *c = group->first; c; c = c->next)
        dci_rows_geometric_stiffness(&c->rows, c->trial.lambda, c->kappa);
    if ((status = dci_couple_factor(group)) != DC_OK) return status;
    /* For each cloth, satisfy the constraints. */
    for (dci_cloth *c = group->first; c; c = c->next) {
        c->has_failed = 0;
        dci_couple_project_velocity(c);
        if ((status = dci_couple_feasible(c)) != DC_OK) return status;
    }
    /* Minimise along the velocity, and reduce the residual. */
    dci_couple_along_velocity(group);
    return dci_couple_reduce(group, cg_tol);
}

/* The line search: the root of (25.6) by bisection, or 1. */
static dc_real dci_couple_part(dci_cloths *group)
{
    const dci_contact_rows *rows = group->contact_rows;
    const dc_vec3 *step = group->node.step, *image = group->node.image;
    dc_index n = group->node_count, i;
    dc_real left, elastic, stiff, low = 0, high = 1;
    if (dci_contact_rows_count(rows) == 0) return 1;
    dci_couple_apply_elastic(group, step, group->node.image);
    elastic = dci_array_dot(3 * n, dci_const_reals(step), dci_const_reals(image));
    left = dci_array_dot(3 * n, dci_const_reals(step), dci_const_reals(group->node.residual));
    stiff = dci_contact_rows_work(rows, step);
    if (!(left - stiff - dci_contact_rows_work_after(rows, 1) >
          DCI_COUPLE_PART_TOL * (elastic + stiff)))
        return 1;
    for (i = 0; i < DCI_COUPLE_PART_BISECTIONS; i++) {
        dc_real part = (low + high) / 2;
        if (left - (1 - part) * elastic - stiff - dci_contact_rows_work_after(rows, part) > 0)
            high = part;
        else
            low = part;
    }
    return (low + high) / 2;
}

/* Adds `part` of step and eta, or less if a node would move by more than an edge. Returns it. */
static dc_real dci_couple_advance(dci_cloths *group, dc_real part)
{
    dc_real longest = 0; /* in edge lengths */
    for (dci_cloth *c = group->first; c; c = c->next)
        longest = dci_max(longest, dci_vec_longest(c->node.step, c->element.node_count) /
                                       c->rows.edge_length);
    if (part * longest > 1) part = 1 / longest;
    group->moved += part * longest;
    for (dci_cloth *c = group->first; c; c = c->next) {
        for (dc_index k = 0; k < c->element.node_count; k++)
            c->u[k] = dci_vec_axpy(c->u[k], part, c->node.step[k]);
        for (dc_index k = 0; k < c->rows.count; k++) c->trial.lambda[k] += part * c->eta[k];
    }
    return part;
}

/* The sum of m dx over all particles, for the dx in `step`; black nodes follow the red ones. */
static dc_vec3 dci_couple_step_momentum(const dci_cloth *cloth)
{
    const dc_vec3 *step = cloth->node.step;
    dc_index n = cloth->element.node_count, k;
    dc_vec3 sum = dci_vec(0, 0, 0);
    for (k = 0; k < n; k++) sum = dci_vec_axpy(sum, cloth->mass[k], step[k]);
    for (k = 0; k < cloth->element.black_count; k++)
        sum = dci_vec_axpy(sum, cloth->mass[n + k], dci_step_black(cloth, k, step)); /* (22.5) */
    return sum;
}

/* Whether nothing outside the group holds or touches it. */
static int dci_couple_is_free(const dci_cloths *group)
{
    for (const dci_cloth *c = group->first; c; c = c->next)
        for (dc_index i = 0; i < c->desc.pin_count + c->desc.clamp_count; i++)
            if (c->hold[i].is_held) return 0;
    return dci_contact_rows_are_internal(group->contact_rows);
}

/* [kg m] The sum of all residuals. With free partners it has no contact forces: these act on both
   sides, and on the partners only within a tolerance. */
static dc_vec3 dci_couple_excess(dci_cloths *group, int has_partners)
{
    dc_vec3 *force = group->node.work, sum = dci_vec(0, 0, 0);
    for (dc_index k = 0; k < group->node_count; k++) force[k] = dci_vec(0, 0, 0);
    if (has_partners) dci_contact_rows_add_forces(group->contact_rows, 1, force);
    for (dc_index k = 0; k < group->node_count; k++)
        sum = dci_vec_add(sum, dci_vec_add(group->node.residual[k], force[k]));
    return sum;
}

/* Translates a free group so that it conserves momentum, some of which tolerances would lose. */
static void dci_couple_keep_momentum(dci_cloths *group)
{
    const dci_partners *partners = &group->partners;
    dc_vec3 sum = dci_vec(0, 0, 0);
    dc_real mass = group->mass;
    if (!dci_couple_is_free(group)) return;
    int has_partners = partners->add_excess &&
                   partners->add_excess(partners->members, group->first->weight, &sum, &mass);
    sum = dci_vec_scale(-1 / mass, dci_vec_add(sum, dci_couple_excess(group, has_partners)));
    for (dci_cloth *c = group->first; c; c = c->next)
        for (dc_index k = 0; k < c->element.node_count; k++) c->u[k] = dci_vec_add(c->u[k], sum);
    if (has_partners) partners->shift(partners->members, sum);
}

/* Least impulsive part of the contact forces that counts. */
#define DCI_IMPULSE_PART DCI_R(0.5)
/* Longest dx of an impact, relative to the longest motion. */
#define DCI_IMPULSE_MOTION 2

/* The residual becomes minus the impulsive part of the contact forces. All cloths of a group have
   an impulse, or none has: otherwise momentum would be lost. */
static int dci_couple_has_impulse(dci_cloths *group)
{
    const dci_contact_rows contacts = dci_contact_rows_of_contacts(group->contact_rows);
    dc_real sum = 0, all = 0;
    for (dc_index k = 0; k < group->node_count; k++) group->node.residual[k] = dci_vec(0, 0, 0);
    dci_contact_rows_add_forces(&contacts, 1, group->node.residual);
    for (dci_cloth *c = group->first; c; c = c->next) {
        dc_vec3 *residual = c->node.residual;
        dc_real gravity = dci_norm(*c->gravity);
        for (dc_index k = 0; k < c->element.node_count; k++) {
            dc_vec3 reaction = dci_vec_scale(1 / c->weight, residual[k]);
            dc_real carried = c->mass[k] * gravity;
            dc_vec3 sudden = dci_force_history_advance(&c->history, k, reaction, carried);
            residual[k] = dci_vec_scale(-c->weight, sudden);
            sum += dci_dot(sudden, sudden) / c->mass[k];
            all += dci_dot(reaction, reaction) / c->mass[k];
        }
    }
    return DC_SQRT(sum / group->mass) > group->residual_tol &&
           DC_SQRT(sum) > DCI_IMPULSE_PART * DC_SQRT(all);
}

/* Whether no dx far exceeds the longest motion: before the step, in it, or by gravity. */
static int dci_couple_is_impact(const dci_cloths *group)
{
    dc_real longest = 0, motion = 0;
    for (const dci_cloth *c = group->first; c; c = c->next) {
        dc_index n = c->element.node_count;
        longest = dci_max(longest, dci_vec_longest(c->node.step, n));
        motion = dci_max(motion, dci_vec_longest(c->u, n));
        motion = dci_max(motion, c->dt * dci_vec_longest(c->trial.v, n));
        motion = dci_max(motion, c->weight * dci_norm(*c->gravity));
    }
    return longest <= DCI_IMPULSE_MOTION * motion;
}

/* Shifts dx of a free group so that its momentum is 0: impulsive parts need not balance. */
static void dci_couple_balance_impulse(dci_cloths *group)
{
    dc_vec3 sum = dci_vec(0, 0, 0);
    dci_cloth *c;
    if (!dci_couple_is_free(group)) return;
    for (c = group->first; c; c = c->next) sum = dci_vec_add(sum, dci_couple_step_momentum(c));
    for (dc_index k = 0; k < group->node_count; k++)
        group->node.step[k] = dci_vec_axpy(group->node.step[k], -1 / group->mass, sum);
}

/* `step` becomes dx of (25.7), if there is an impact. */
static dc_status dci_couple_impulse(dci_cloths *group)
{
    const dci_contact_rows *rows = group->contact_rows;
    dc_status status;
    if (!DCI_HAS_ROWS || group->first->count[4] == 0) return DC_OK;
    if (!dci_couple_has_impulse(group)) return DC_OK;
    if (group->first->integrator == DC_INTEGRATOR_BACKWARD_EULER) return DC_OK;
    /* Solve (25.7), with K = 0. The forces remain, for the next step to start from. */
    for (dc_index k = 0; k < rows->count; k++) {
        dci_contact_row *row = dci_contact_row_at(rows, k);
        row->k_normal = row->k_side = 0;
    }
    for (dci_cloth *c = group->first; c; c = c->next) {
        for (dc_index k = 0; k < c->rows.count; k++) c->value[k] = 0;
        if ((status = dci_couple_feasible(c)) != DC_OK) return status;
    }
    if ((status = dci_couple_reduce(group, group->cg_tol)) != DC_OK) return status;
    dci_couple_balance_impulse(group);
    int is_impact = dci_couple_is_impact(group);
    for (dci_cloth *c = group->first; c; c = c->next) c->has_impulse = is_impact;
    return DC_OK;
}

/* The first guess. With v* the extrapolated velocity, for which (20.3) needs the displacement u*,
 *
 *     u = dt (v + v*)/2 + mean of u* - dt (v + v*)/2 over the piece of cloth            (25.9)
 *
 * Under a uniform acceleration u is u*; another guess would lag behind by the same distance in
 * every step. With u* at each node, errors could grow: if a step of backward Euler leaves a part e
 * of the guess's error, errors y_n in stiff modes obey y_n = e (3 y_n-1 - 3 y_n-2 + y_n-3), which
 * does not decay for e > 1/7; with (25.9) e may be 1/5. With BDF2 u* is near dt (v + v*)/2. For a
 * piece that is held the mean is left out: it would bend the piece where it is held. */
static void dci_couple_guess(dci_cloth *cloth)
{
    const dc_real rate = cloth->scheme.rate / cloth->dt;
    dc_index n = cloth->element.node_count, k;
    dc_vec3 *sum = cloth->node.work; /* at the first node of a piece */
    const dc_sparse *held = &cloth->rows.weight;
    for (k = 0; k < n; k++) sum[k] = dci_vec(0, 0, 0);
    for (k = 0; k < n; k++) {
        dc_vec3 last = dci_step_extrapolate(cloth, k), zero = dci_step_velocity_at_zero(cloth, k);
        dc_vec3 ideal = dci_vec_scale(1 / rate, dci_vec_sub(last, zero)); /* (20.3) */
        cloth->u[k] = dci_vec_scale(cloth->dt / 2, dci_vec_add(cloth->trial.v[k], last));
        sum[cloth->piece[k]] =
            dci_vec_add(sum[cloth->piece[k]], dci_vec_sub(ideal, cloth->u[k]));
    }
    for (k = 0; k < cloth->desc.pin_count + cloth->desc.clamp_count; k++)
        if (cloth->hold[k].is_held)
            sum[cloth->piece[held->column[held->start[k]]]] = dci_vec(0, 0, 0);
    for (k = 0; k < n; k++) {
        dc_index piece = cloth->piece[k];
        cloth->u[k] = dci_vec_axpy(cloth->u[k], 1 / (dc_real)cloth->piece_size[piece], sum[piece]);
    }
}

static dc_real dci_couple_contact_tol(const dci_cloths *group)
{
    dc_real longest = 0;
    for (const dci_cloth *c = group->first; c; c = c->next)
        longest = dci_max(longest, dci_vec_longest(c->u, c->element.node_count));
    return dci_contact_rows_tol(longest, group->thickness, group->partners.solve != NULL);
}

/* `change` of forces 0: only gaps matter. Without ribbons their tolerance grows for the third time
   four iterations later: gaps wrong by a tenth of the thickness set cloth in motion. */
static int dci_couple_contacts_converged(const dci_cloths *group, dc_real change,
                                         dc_index iteration)
{
    const dc_index delay = group->partners.solve ? 0 : DCI_CONTACT_ROW_ITERATIONS;
    dc_real factor =
        dci_contact_rows_factor(iteration < 3 * delay ? iteration : iteration - delay);
    return dci_contact_rows_count(group->contact_rows) == 0 ||
           dci_contact_rows_converged(group->contact_rows, change, dci_couple_contact_tol(group),
                                      factor);
}

/* [m/s^2] The bound on (25.8), by its first value and the rms acceleration that holds impose. */
static dc_real dci_couple_goal(const dci_cloth *cloth, dc_real unbalanced)
{
    dc_real sum = 0, imposed;
    for (dc_index i = cloth->rows.length_count; i < cloth->rows.count; i++)
        sum += cloth->value[i] * cloth->value[i];
    imposed = DC_SQRT(sum / (dc_real)cloth->mesh.vertex_count) / cloth->weight;
    if (cloth->trial.is_hit) imposed = dci_max(imposed, unbalanced);
    return dci_max(cloth->residual_goal, DCI_COUPLE_IMPACT_TOL * imposed);
}

/* Sets the bound on (25.8), and relaxes it where rounding stalls iterations. */
static void dci_couple_bound(dci_cloth *cloth, dc_index iteration, dc_real before)
{
    dc_real unbalanced = cloth->outcome.unbalanced;
    if (iteration == 0 && !cloth->is_repeated)
        cloth->residual_bound = dci_couple_goal(cloth, unbalanced);
    if (iteration == 0) cloth->bound = cloth->residual_bound;
    int is_stalled = iteration > 0 && unbalanced > DCI_COUPLE_STALLED * before;
    if (iteration > 1 && is_stalled)
        cloth->bound = dci_max(cloth->bound, cloth->desc.solver.residual_tol);
    cloth->outcome.is_far = !is_stalled && unbalanced > DCI_COUPLE_FAR * cloth->bound;
}

/* Evaluates constraints, contacts, residuals and their bounds. */
static dc_status dci_couple_evaluate(dci_cloths *group, dc_index iteration, int do_update,
                                     dc_real *change)
{
    const dci_contact_rows *rows = group->contact_rows;
    dc_status status = DC_OK;
    for (dci_cloth *c = group->first; c; c = c->next)
        c->outcome.error = dci_step_constraints(c, c->u, &c->outcome.worst_row);
    dci_contact_rows_measure(rows, group->node.x_trial, group->first->part);
    int is_fixed = iteration > 1 && dci_couple_contacts_converged(group, 0, iteration);
    if (iteration > 0 && do_update)
        *change = dci_contact_rows_update(rows, dci_couple_contact_tol(group), is_fixed);
    if (group->partners.solve)
        status = group->partners.solve(group->partners.members, is_fixed || !do_update, change);
    if (status != DC_OK) return status;
    for (dc_index k = 0; k < group->node_count; k++) group->node.work[k] = dci_vec(0, 0, 0);
    for (dci_cloth *c = group->first; c; c = c->next)
        dci_rows_add_reaction(&c->rows, c->direction, 1, c->trial.lambda, c->node.work);
    dci_contact_rows_add_forces(rows, -1, group->node.work);
    for (dci_cloth *c = group->first; c; c = c->next) {
        dc_real before = c->outcome.unbalanced;
        c->outcome.unbalanced = dci_couple_residual(c);
        if (!dci_is_finite(c->outcome.error + c->outcome.unbalanced)) return DC_NOT_FINITE;
        dci_couple_bound(c, iteration, before);
    }
    return DC_OK;
}

/* Whether all cloths are within their bounds; they are balanced only if contacts hold. */
static int dci_couple_is_solved(dci_cloths *group, int contacts_hold, dc_index iteration)
{
    dc_real factor = dci_contact_rows_factor(iteration);
    int is_solved = 1;
    for (dci_cloth *c = group->first; c; c = c->next) {
        c->outcome.is_balanced = contacts_hold && c->outcome.unbalanced <= factor * c->bound;
        is_solved &= c->outcome.is_balanced && c->outcome.error <= c->desc.tolerance;
    }
    return is_solved;
}

static int dci_couple_is_near(const dci_cloths *group)
{
    for (const dci_cloth *c = group->first; c; c = c->next)
        if (c->outcome.error > DCI_CUT_NEAR * c->desc.tolerance) return 0;
    return 1;
}

/* Solutions are loose while all cloths are far from their bounds; with ribbons none is. */
static dc_real dci_couple_cg_tol(const dci_cloths *group, dc_index iteration)
{
    if (group->partners.solve) return group->cg_tol;
    for (const dci_cloth *c = group->first; c; c = c->next) {
        int is_touched = dci_contact_rows_count(group->contact_rows) > 0 || c->trial.is_hit;
        if (!c->outcome.is_far || (iteration == 0 && !is_touched)) return group->cg_tol;
    }
    return dci_max(group->cg_tol, DCI_COUPLE_LOOSE_CG_TOL);
}

/* Solves (22.1): finds u, lambda and the outcome of each cloth. */
static dc_status dci_couple_step(dci_cloths *group)
{
    dc_real part = 1, change = 0, cg_tol = 0;
    group->moved = DCI_REAL_MAX; /* S of an earlier sub-step is not kept */
    for (dc_index k = 0; k < group->node_count; k++) group->node.residual[k] = dci_vec(0, 0, 0);
    for (dci_cloth *c = group->first; c; c = c->next)
        if (!c->is_repeated) dci_couple_guess(c);
    for (dc_index iteration = 0;; iteration++) {
        int contacts_hold, is_loose = cg_tol > group->cg_tol;
        dc_status status = dci_couple_evaluate(group, iteration, part == 1, &change);
        if (status != DC_OK) return status;
        /* Stop if all are within their bounds. */
        contacts_hold =
            iteration > 0 && part == 1 && dci_couple_contacts_converged(group, change, iteration);
        if (dci_couple_is_solved(group, contacts_hold, iteration) && !is_loose) break;
        if (group->is_cut && iteration == 1) return DC_OK;
        if (!group->is_cut && dci_meter_is_spent(group->meter)) {
            int is_usable = iteration > 0 && dci_couple_is_near(group);
            return is_usable ? dci_meter_stop(group->meter) : DC_WORK_SPENT;
        }
        if (iteration >= group->iteration_max) return DC_NOT_CONVERGED;
        /* Solve (25.1), and advance as far as the line search allows. */
        group->first->counters.newton++;
        dci_meter_add(group->meter, 1, group->newton_work);
        dci_contact_rows_add_changes(group->contact_rows, group->node.residual);
        cg_tol = dci_couple_cg_tol(group, iteration);
        if ((status = dci_couple_solve(group, cg_tol)) != DC_OK) return status;
        part = dci_couple_advance(group, dci_couple_part(group));
    }
    dci_couple_keep_momentum(group);
    return dci_couple_impulse(group);
}

/* ============================================================================================
 * 26 GHOST MESH                                                                         dci_ghost
 *
 * The ghost mesh A x of chapter 15 is drawn and collides. After collisions have moved its vertices,
 * the nodes follow by the smallest change of x that yields these positions, (11) to (13):
 *
 *     A A^T eta = change of A x,      change of x = A^T eta                            (26.1)
 *
 * with the multipliers eta (vertices). The condition number of A A^T is about 11 on any mesh, so a
 * few dozen iterations of conjugate gradients suffice. Isolated vertices are left out.
 *
 * This suits impulses, which move a few vertices. But repulsion and a caller's own displacements d
 * may move the whole sheet, and the smallest change does not reproduce even a translation: if all
 * vertices of a grid move by 1 m, midpoints move by .78 to 1.18 m. So there each midpoint first
 * moves by the mean (B d) of its edge's ends, and only the rest takes the smallest change:
 *
 *     A A^T eta = d - A B d,      change of x = B d + A^T eta                           (26.2)
 *
 * No rest remains if d is linear on the flat pattern, since A and B reproduce linear functions.
 * ============================================================================================ */

/* Far below any tolerance of lengths. */
#define DCI_GHOST_TOL (sizeof(dc_real) == 4 ? DCI_R(1e-6) : DCI_R(1e-12))
enum { DCI_GHOST_ITERATIONS_MAX = 300 };
/* Changes are scaled by at most 2^70: squared residuals of 1e-17 m would underflow floats. */
#define DCI_GHOST_SCALE_MAX DCI_R(1180591620717411303424.0)

typedef struct dci_ghost {
    const dc_sparse *vertex; /* A                                                                */
    dc_vec3 *node;           /* (node_count) work                                                */
} dci_ghost;

/* image = A A^T eta, but image = eta for isolated vertices. */
static void dci_ghost_apply(void *context, const dc_real *eta, dc_real *image)
{
    const dci_ghost *ghost = (const dci_ghost *)context;
    const dc_sparse *a = ghost->vertex;
    dc_vec3 *to = (dc_vec3 *)image;
    const dc_vec3 *from = (const dc_vec3 *)eta;
    for (dc_index k = 0; k < a->column_count; k++) ghost->node[k] = dci_vec(0, 0, 0);
    dci_sparse_apply_transposed(a, from, ghost->node);
    for (dc_index k = 0; k < a->row_count; k++)
        to[k] = a->start[k] == a->start[k + 1]
                    ? from[k]
                    : dci_sparse_row(a, k, ghost->node, dci_vec(0, 0, 0));
}

/* A power of two, which is exact, that scales the largest change to about 1 m. */
static dc_real dci_ghost_scale(const dc_vec3 *change, dc_index count)
{
    dc_real largest = 0, scale = 1;
    dc_index i;
    for (i = 0; i < 3 * count; i++) largest = dci_max(largest, dci_abs(dci_const_reals(change)[i]));
    while (scale * largest < 1 && scale < DCI_GHOST_SCALE_MAX) scale *= 2;
    return scale;
}

/* Solves (26.1). eta (vertex_count) and b (4 vertex_count) are workspace. */
static dc_status dci_ghost_move_nodes(const dc_sparse *vertex, const dc_vec3 *vertex_change,
                                      dc_vec3 *eta, dc_vec3 *b, dc_vec3 *node_change,
                                      dc_cg_result *result)
{
    dci_ghost ghost = {vertex, node_change};
    dc_cg_desc desc = dci_cg_plain(3 * vertex->row_count, dci_ghost_apply, NULL, &ghost,
                                   dci_reals(b), DCI_GHOST_TOL, DCI_GHOST_ITERATIONS_MAX);
    dc_real scale = dci_ghost_scale(vertex_change, vertex->row_count);
    for (dc_index k = 0; k < vertex->row_count; k++) {
        b[k] = dci_vec_scale(scale, vertex_change[k]);
        eta[k] = dci_vec(0, 0, 0);
    }
    dc_status status = dc_cg_solve(&desc, desc.work, dci_reals(eta), result, NULL);
    for (dc_index k = 0; k < vertex->row_count; k++) eta[k] = dci_vec_scale(1 / scale, eta[k]);
    result->end /= scale;
    for (dc_index k = 0; k < vertex->column_count; k++) node_change[k] = dci_vec(0, 0, 0);
    dci_sparse_apply_transposed(vertex, eta, node_change);
    return status;
}

#endif /* DC_NO_CLOTH */

#ifndef DC_NO_COLLISIONS

/* ============================================================================================
 * 27 NEARNESS                                                                            dci_hull
 *
 * Symbols of chapters 27 to 38, with names in code and shapes. As indices, i and j are vertices, k
 * and j contacts of chapter 37. In code, n is a count, s the surface, g the data of chapter 37.
 *
 *     x, u      start, end           (vertices) [m] positions; displacements in a step, end - start
 *     m         1 / inv_mass         (vertices) [kg]
 *     d         corner               (3 or 4) [m] differences (27.1), the corners of a hull
 *     n         normal               unit, from the origin to the hull, first to second feature
 *     tau, X    time, size           part of the step; [m] largest coordinate of a difference
 *     beta      beta                 (3) [m] of (28.2); sigma: part of a rotation
 *     epsilon   DCI_EPSILON          twice the unit roundoff
 *     D, h      distance, thickness  [m] of a pair: at the start, less radii; kept by repulsion
 *     c         factor               (4) weights of a pair's vertices in (32.1)
 *     w, w_n    motion               [m] relative displacement of a pair; its part along n
 *     q, mu     force, friction      [kg m] impulse times time step; coefficient of friction
 *     r, P, L   r, momentum, moment  [m] from the centre; [kg m], [kg m^2] of a zone, (36.1)
 *     I, omega  inertia, turn        [kg m^2], [rad] of a zone; R its rotation
 *     y, E      change               (vertices) [m] change of the ends; its norm (37.1)
 *     K, Delta  stiffness            [kg], (vertices)^2 Laplacian of the edges
 *     M, H      -, matrix            (vertices)^2 [kg] masses; of (37.3), lower
 *     f, p      force, -             (contacts) [kg m] impulses as vectors; their friction
 *     A         a                    (contacts)^2 [1/kg] lower rows
 *     S, b      -                    (contacts)^2 [1/kg], (contacts) [m] of (37.4)
 *
 * Two triangles are closest at a vertex of one and the other's face, or at two edges. In both cases
 * the distance is that of the origin o from the hull of differences
 *
 *     d_i = x_i - x_0                a triangle:        vertex x_0, triangle x_1 x_2 x_3
 *     d_ij = x_j - x_i               a parallelogram:   edges x_0 x_1 and x_2 x_3       (27.1)
 *
 *           d_3                 d_03 _____ d_13         Corners are in order around the hull:
 *           / \                    /     /              d_1 d_2 d_3,  d_02 d_12 d_13 d_03
 *          /   \   o              /  o  /
 *       d_1 --- d_2           d_02 --- d_12
 *
 * A half space is the plane through d_1 d_2 d_3, without sides and with weights of any sign. The
 * proofs of chapter 28 need the accurate direction to the nearest point at any distance. So on a
 * side this point is made orthogonal to the side twice; inside, n is the normal of the hull.
 * ============================================================================================ */

#define DCI_HULL_ROUNDING (4 * DCI_EPSILON) /* of a hull's normal, relative to its corners */

typedef struct dci_near {
    dc_vec3 point;  /* [m] the nearest point of the hull                                         */
    dc_vec3 normal; /* from the origin to it, not of unit length; 0: none                        */
    dc_real distance_sq;
    dc_real weight[4];
} dci_near;

/* Tries the side from corner a to the next. Its end belongs to the next side. */
static void dci_hull_try_side(const dc_vec3 *corner, int corner_count, int a, dci_near *nearest)
{
    int b = a + 1 == corner_count ? 0 : a + 1, i;
    dc_vec3 side = dci_vec_sub(corner[b], corner[a]), point = corner[a];
    dc_real side_sq = dci_dot(side, side), along = -dci_dot(corner[a], side), part = 0, distance_sq;
    if (along >= side_sq && side_sq > 0) return;
    if (along > 0 && side_sq > 0) { /* side_sq is 0 where it underflows */
        part = along / side_sq;
        point = dci_vec_axpy(point, part, side);
        point = dci_vec_axpy(point, -dci_dot(point, side) / side_sq, side);
    }
    distance_sq = dci_dot(point, point);
    if (!(distance_sq < nearest->distance_sq)) return;
    nearest->distance_sq = distance_sq;
    nearest->point = nearest->normal = point;
    for (i = 0; i < corner_count; i++) nearest->weight[i] = 0;
    nearest->weight[a] = 1 - part;
    nearest->weight[b] = part;
}

/* Whether the origin is left of all sides; left[i] is proportional to its area with side i. */
static int dci_hull_is_above(const dc_vec3 *corner, int corner_count, dc_vec3 normal, dc_real *left)
{
    for (int i = 0; i < corner_count; i++) {
        dc_vec3 next = corner[i + 1 == corner_count ? 0 : i + 1];
        left[i] = dci_dot(dci_cross(corner[i], next), normal);
        if (!(left[i] > 0)) return 0;
    }
    return 1;
}

/* Whether the hull is nearly a segment, so that its normal may be due to rounding. */
static int dci_hull_is_thin(dc_vec3 corner, dc_vec3 side0, dc_vec3 side1, dc_real normal_sq)
{
    dc_real rounding = DCI_HULL_ROUNDING * (dci_norm(side0) + dci_norm(side1));
    dc_real least = rounding * (dci_norm(corner) + dci_norm(side0) + dci_norm(side1));
    return !(normal_sq > least * least);
}

static void dci_hull_try_inside(const dc_vec3 *corner, int corner_count, dci_near *nearest)
{
    dc_vec3 side0 = dci_vec_sub(corner[1], corner[0]);
    dc_vec3 side1 = dci_vec_sub(corner[corner_count - 1], corner[0]);
    dc_vec3 normal = dci_cross(side0, side1);
    dc_real normal_sq = dci_dot(normal, normal), height = dci_dot(normal, corner[0]), left[4];
    if (!(normal_sq > 0) || !dci_hull_is_above(corner, corner_count, normal, left)) return;
    if (dci_hull_is_thin(corner[0], side0, side1, normal_sq)) return;
    if (!(height * height / normal_sq <= nearest->distance_sq)) return;
    nearest->distance_sq = height * height / normal_sq;
    nearest->point = dci_vec_scale(height / normal_sq, normal);
    nearest->normal = height < 0 ? dci_vec_scale(-1, normal) : normal;
    if (corner_count == 3) { /* a corner's weight: the area at the opposite side */
        dc_real total = left[0] + left[1] + left[2];
        nearest->weight[0] = left[1] / total;
        nearest->weight[1] = left[2] / total;
        nearest->weight[2] = left[0] / total;
    } else { /* fractions of the distance from side 3 to side 1, and from side 0 to side 2 */
        dc_real along = left[3] / (left[3] + left[1]), across = left[0] / (left[0] + left[2]);
        nearest->weight[0] = (1 - along) * (1 - across);
        nearest->weight[1] = along * (1 - across);
        nearest->weight[2] = along * across;
        nearest->weight[3] = (1 - along) * across;
    }
}

static dci_near dci_hull_nearest(const dc_vec3 *corner, int corner_count)
{
    dci_near nearest;
    nearest.distance_sq = DCI_REAL_MAX;
    nearest.point = nearest.normal = dci_vec(0, 0, 0);
    for (int i = 0; i < 4; i++) nearest.weight[i] = 0;
    for (int i = 0; i < corner_count; i++) dci_hull_try_side(corner, corner_count, i, &nearest);
    dci_hull_try_inside(corner, corner_count, &nearest);
    return nearest;
}

/* The same for the plane through three corners, counter-clockwise seen from its free side. The
   normal is opposite to the plane's: normal . point < 0 if the origin is behind the plane. */
static dci_near dci_hull_plane(const dc_vec3 corner[3])
{
    dci_near nearest;
    dc_vec3 normal =
        dci_cross(dci_vec_sub(corner[2], corner[0]), dci_vec_sub(corner[1], corner[0]));
    dc_real normal_sq = dci_dot(normal, normal), height = dci_dot(normal, corner[0]);
    DC_MEMSET(&nearest, 0, sizeof nearest);
    nearest.normal = normal;
    if (!(normal_sq > 0)) return nearest;
    nearest.distance_sq = height * height / normal_sq;
    nearest.point = dci_vec_scale(height / normal_sq, normal);
    nearest.weight[1] = dci_dot(dci_cross(corner[0], corner[2]), normal) / normal_sq;
    nearest.weight[2] = dci_dot(dci_cross(corner[1], corner[0]), normal) / normal_sq;
    nearest.weight[0] = 1 - nearest.weight[1] - nearest.weight[2];
    return nearest;
}

/* ============================================================================================
 * 28 SWEPT CONTACT                                                                       dci_sweep
 *
 * Do two features touch while their vertices move in straight lines? The usual test seeks roots of
 * a cubic, the times when four points are coplanar. Rounding loses some of them, and no tolerance
 * cures that. We prove the opposite. Let n point to the nearest point of the hull (27.1) at time
 * tau. As long as
 *
 *     n . d_i(tau) > separation        for all corners                                (28.1)
 *
 * a plane normal to n separates the features. This is linear in tau; when it fails, n is updated:
 *
 *     . \  . | . /                     Either the planes reach the end of the step: proved clear.
 *      . \ . |. /    o moves past      Or the distance decreases to the separation: contact.
 *       . \ .|./     .  a corner
 *        o-> o->o->
 *
 * If one feature rotates over the other, fixed planes fail too soon. A plane that rotates with it,
 * n(sigma) = (1 - sigma) n_0 + sigma n_1 for sigma from 0 to 1, tau from tau_0 to tau_1, has
 *
 *     n . d_i = (1 - sigma)^2 beta_0 + 2 sigma (1 - sigma) beta_1 + sigma^2 beta_2     (28.2)
 *     beta_0 = n_0 . d_i(tau_0),    beta_2 = n_1 . d_i(tau_1),
 *     beta_1 = (n_0 . d_i(tau_1) + n_1 . d_i(tau_0)) / 2
 *
 * which exceeds the separation if all three beta do (and |n(sigma)| <= 1). A vertex x_0 is above an
 * infinite plane through moving vertices x_1 x_2 x_3 as long as
 *
 *     (x_2 - x_1) x (x_3 - x_1) . (x_0 - x_1) > separation |x_2 - x_1| |x_3 - x_1|     (28.3)
 *
 * The left side is a cubic in tau, and above a bound if its four Bernstein coefficients are. If the
 * plane does not rotate, this test is exact. The contact reported is that at the start.
 *
 * Rounding. Only the signs in (28.1), (28.2) matter. With X the largest coordinate of a difference,
 * the error of a difference is epsilon X / 2 per coordinate, three times as much at time tau; that
 * of its product with a unit vector is below 3 sqrt 3 epsilon X. We require 16 epsilon X more.
 *
 * Answers. "Clear" is a proof. "Contact": the distance fell to the separation plus a resolution of
 * at most 1e-11 X (1e-5 X in single), or (28.3) was not shown. "Undecided", to be treated like
 * contact: the iteration limit was reached, or a coordinate is not finite.
 *
 * Where the nearest point, at distance D, has just passed from a side to the inside, rounding may
 * still choose the side. The error of n is then up to sqrt(epsilon X / D), so (28.1) fails at a far
 * corner once D falls to X epsilon^(1/3), or much earlier at the surface of a thick body, because D
 * and the separation contain its radius. Then the normal of the hull's own plane is tried.
 * ============================================================================================ */

/* Rotating planes are tried only after this many fixed ones. */
enum { DCI_SWEEP_ITERATIONS_MAX = 100, DCI_SWEEP_FIXED_PLANES = 3 };
#define DCI_SWEEP_ROUNDING (16 * DCI_EPSILON)
#define DCI_SWEEP_RESOLUTION (sizeof(dc_real) == 4 ? DCI_R(1e-5) : DCI_R(1e-11))

typedef struct dci_sweep {
    int corner_count;
    int is_plane;             /* the hull is the whole plane of its three corners                */
    dc_vec3 side[2][2];       /* [m] of a plane: x_2 - x_1 and x_3 - x_1, at the start and end   */
    dc_vec3 start[4], end[4]; /* [m] differences at the start and end of the step                */
    dc_real bound;            /* [m] separation and rounding                                     */
    dc_real resolution;       /* [m] contact is reported this close to the bound                 */
    dc_real resolution_min;   /* [m]                                                             */
} dci_sweep;

typedef struct dci_sweep_sample {
    dc_real time;
    dc_vec3 corner[4];
    dci_near nearest;
    dc_vec3 normal; /* unit                                                                      */
} dci_sweep_sample;

static dc_real dci_vec_largest(dc_vec3 a)
{
    return dci_max(dci_abs(a.x), dci_max(dci_abs(a.y), dci_abs(a.z)));
}

/* Sets the bounds from X. False if a difference is not finite. */
static int dci_sweep_prepare(dci_sweep *sweep, dc_real separation)
{
    dc_real size = 0;
    for (int i = 0; i < sweep->corner_count; i++) {
        if (!dci_vec_is_finite(sweep->start[i]) || !dci_vec_is_finite(sweep->end[i])) return 0;
        size = dci_max(size, dci_vec_largest(sweep->start[i]));
        size = dci_max(size, dci_vec_largest(sweep->end[i]));
    }
    sweep->bound = separation + DCI_SWEEP_ROUNDING * size;
    sweep->resolution = DCI_SWEEP_RESOLUTION * size;
    sweep->resolution_min = 2 * DCI_SWEEP_ROUNDING * size;
    return dci_is_finite(sweep->bound);
}

/* The hull at this time and its nearest point. False if the origin lies in the hull. */
static int dci_sweep_evaluate(const dci_sweep *sweep, dc_real time, dci_sweep_sample *at)
{
    at->time = time;
    for (int i = 0; i < sweep->corner_count; i++)
        at->corner[i] = dci_vec_axpy(dci_vec_scale(1 - time, sweep->start[i]), time, sweep->end[i]);
    at->nearest = sweep->is_plane ? dci_hull_plane(at->corner)
                                  : dci_hull_nearest(at->corner, sweep->corner_count);
    dc_real length = dci_norm(at->nearest.normal);
    if (!(length > 0)) return 0;
    at->normal = dci_vec_scale(1 / length, at->nearest.normal);
    length = dci_norm(at->normal); /* 1, unless the squares above are denormal */
    if (dci_abs(length - 1) > 8 * DCI_EPSILON) at->normal = dci_vec_scale(1 / length, at->normal);
    return 1;
}

/* The smallest n . d_i, (28.1). */
static dc_real dci_sweep_gap(const dci_sweep *sweep, const dci_sweep_sample *at)
{
    dc_real gap = DCI_REAL_MAX;
    for (int i = 0; i < sweep->corner_count; i++) {
        dc_real height = dci_dot(at->normal, at->corner[i]);
        if (!(height >= gap)) gap = height;
    }
    return gap;
}

/* The time when (28.1) fails; above 1: never. A quarter of the resolution covers its rounding. */
static dc_real dci_sweep_until(const dci_sweep *sweep, dc_vec3 normal)
{
    dc_real until = 2, least = sweep->bound + sweep->resolution / 4;
    for (int i = 0; i < sweep->corner_count; i++) {
        dc_real start = dci_dot(normal, sweep->start[i]), end = dci_dot(normal, sweep->end[i]);
        if (end >= least) continue;
        until = start > end ? dci_min(until, (start - least) / (start - end)) : DCI_R(0);
    }
    return until;
}

/* Whether a rotating plane separates the features between two instants, (28.2). */
static int dci_sweep_is_clear_rotating(const dci_sweep *sweep, const dci_sweep_sample *from,
                                       const dci_sweep_sample *to)
{
    for (int i = 0; i < sweep->corner_count; i++) {
        dc_real beta[3];
        beta[0] = dci_dot(from->normal, from->corner[i]);
        beta[1] = (dci_dot(from->normal, to->corner[i]) + dci_dot(to->normal, from->corner[i])) / 2;
        beta[2] = dci_dot(to->normal, to->corner[i]);
        if (!(beta[0] > sweep->bound && beta[1] > sweep->bound && beta[2] > sweep->bound)) return 0;
    }
    return 1;
}

/* (28.3) for the whole step. The hull's corners are x_i - x_0. */
static int dci_sweep_stays_above(const dci_sweep *sweep)
{
    static const int power[8] = {0, 1, 1, 2, 1, 2, 2, 3}; /* bits of i: factors at the end */
    const dc_vec3(*side)[2] = sweep->side;
    dc_real coefficient[4] = {0, 0, 0, 0}, bound;
    for (int i = 0; i < 8; i++) {
        dc_vec3 normal = dci_cross(side[i & 1][0], side[(i >> 1) & 1][1]);
        coefficient[power[i]] +=
            dci_dot(normal, dci_vec_scale(-1, i >> 2 ? sweep->end[0] : sweep->start[0]));
    }
    bound = sweep->bound * dci_max(dci_norm(side[0][0]), dci_norm(side[1][0])) *
            dci_max(dci_norm(side[0][1]), dci_norm(side[1][1]));
    return coefficient[0] > bound && coefficient[1] > 3 * bound && coefficient[2] > 3 * bound &&
           coefficient[3] > bound;
}

/* Takes the normal of the hull's own plane if it separates. Returns whether it does. */
static int dci_sweep_takes_plane(const dci_sweep *sweep, dci_sweep_sample *at)
{
    const dc_vec3 *x = at->corner;
    dci_sweep_sample other = *at;
    dc_vec3 normal = dci_cross(dci_vec_sub(x[1], x[0]), dci_vec_sub(x[2], x[0]));
    dc_real length = dci_norm(normal);
    if (!(length > 0)) return 0;
    other.normal = dci_vec_scale((dci_dot(normal, x[0]) < 0 ? -1 : 1) / length, normal);
    if (!(dci_sweep_gap(sweep, &other) > sweep->bound + sweep->resolution)) return 0;
    *at = other;
    return 1;
}

/* Follows the hull from plane to plane. `now` becomes the last instant that was examined. */
static dc_ccd_answer dci_sweep_follow(dci_sweep *sweep, dci_sweep_sample *now)
{
    dci_sweep_sample then;
    dc_real step = 0, gap;
    if (!dci_sweep_evaluate(sweep, 0, now)) return DC_CCD_CONTACT;
    if (sweep->is_plane) return dci_sweep_stays_above(sweep) ? DC_CCD_CLEAR : DC_CCD_CONTACT;
    /* Refine the resolution where the start is close. */
    gap = dci_sweep_gap(sweep, now) - sweep->bound;
    if (gap < 2 * sweep->resolution) sweep->resolution = dci_max(gap / 2, sweep->resolution_min);
    for (int iteration = 0; iteration < DCI_SWEEP_ITERATIONS_MAX; iteration++) {
        /* Find how long the plane separates. */
        if (!(dci_sweep_gap(sweep, now) > sweep->bound + sweep->resolution) &&
            !dci_sweep_takes_plane(sweep, now))
            return DC_CCD_CONTACT;
        dc_real until = dci_sweep_until(sweep, now->normal);
        if (until > 1) return DC_CCD_CLEAR;
        if (!(until > now->time)) return DC_CCD_UNDECIDED;
        /* Try a rotating plane. */
        if (iteration >= DCI_SWEEP_FIXED_PLANES) {
            step = dci_min(dci_max(step, 2 * (until - now->time)), 1 - now->time);
            if (dci_sweep_evaluate(sweep, now->time + step, &then) &&
                dci_sweep_is_clear_rotating(sweep, now, &then)) {
                if (!(then.time < 1)) return DC_CCD_CLEAR;
                *now = then;
                step *= 2;
                continue;
            }
            step /= 2;
        }
        /* Take the plane at the time of failure. */
        if (!dci_sweep_evaluate(sweep, until, now)) return DC_CCD_CONTACT;
    }
    return DC_CCD_UNDECIDED;
}

/* ---- One pair ---- */

/* The hull of differences (27.1) of four vertices, and the sides of their plane. */
static void dci_sweep_between(int corner_count, const dc_vec3 *start, const dc_vec3 *end,
                              dci_sweep *sweep)
{
    static const int from[4] = {0, 1, 1, 0}, to[4] = {2, 2, 3, 3};
    int i;
    sweep->corner_count = corner_count;
    sweep->is_plane = 0;
    for (i = 0; i < 2; i++) { /* not from corners: far from the plane, these are less accurate */
        sweep->side[0][i] = dci_vec_sub(start[2 + i], start[1]);
        sweep->side[1][i] = dci_vec_sub(end[2 + i], end[1]);
    }
    for (i = 0; i < corner_count; i++) {
        int a = corner_count == 3 ? 0 : from[i], b = corner_count == 3 ? i + 1 : to[i];
        sweep->start[i] = dci_vec_sub(start[b], start[a]);
        sweep->end[i] = dci_vec_sub(end[b], end[a]);
    }
}

/* The weights of the four vertices in the two nearest points. */
static void dci_near_weights(int corner_count, const dci_near *nearest, dc_real weight[4])
{
    const dc_real *w = nearest->weight;
    if (corner_count == 3) {
        weight[0] = 1;
        weight[1] = w[0];
        weight[2] = w[1];
        weight[3] = w[2];
    } else {
        weight[0] = w[0] + w[3];
        weight[1] = w[1] + w[2];
        weight[2] = w[0] + w[1];
        weight[3] = w[2] + w[3];
    }
}

static dc_ccd_result dci_ccd(int corner_count, const dc_vec3 start[4], const dc_vec3 end[4],
                             dc_real separation)
{
    dci_sweep sweep;
    dci_sweep_sample at;
    dc_ccd_result result;
    DC_MEMSET(&at, 0, sizeof at);
    dci_sweep_between(corner_count, start, end, &sweep);
    result.answer =
        dci_sweep_prepare(&sweep, separation) ? dci_sweep_follow(&sweep, &at) : DC_CCD_UNDECIDED;
    result.time = at.time;
    result.distance = DC_SQRT(at.nearest.distance_sq);
    result.normal = at.normal;
    dci_near_weights(corner_count, &at.nearest, result.weight);
    return result;
}

dc_ccd_result dc_ccd_vertex_triangle(const dc_vec3 start[4], const dc_vec3 end[4],
                                     dc_real separation)
{
    return dci_ccd(3, start, end, separation);
}

dc_ccd_result dc_ccd_edge_edge(const dc_vec3 start[4], const dc_vec3 end[4], dc_real separation)
{
    return dci_ccd(4, start, end, separation);
}

/* ============================================================================================
 * 29 HASH GRID                                                                           dci_grid
 *
 * Finds the boxes that overlap a given one. Space is divided into cubic cells. A feature is in the
 * list of each cell that its box overlaps; a query visits the cells of its own box, [EB08] thesis
 * sec. 4.2. A hash of a cell's coordinates finds its list, so space is unbounded, [THM03].
 *
 *      . . . . . . .      Box 1 is in four lists, box 2 in one; query 3 visits two. A feature's
 *      . . +-1-+ . .      mailbox holds the number of the last query that found it: no query finds
 *      . . | . | 3 .      it twice.
 *      . 2 +---+ 3 .
 *
 * Boxes only grow until the grid is emptied, so entries are only added. A feature that overlaps too
 * many cells, or finds too few entries left, is in a list of large ones that each query visits.
 * ============================================================================================ */

typedef struct dci_box {
    dc_vec3 low, high;
} dci_box;

/* A box in more cells (4 per side) is large. One smaller than a cell is in at most 2 per side. */
enum { DCI_GRID_CELLS_MAX = 64, DCI_GRID_ENTRIES_PER_BOX = 8 };
/* Bound on cell coordinates, so that they fit dc_index; all beyond are the same cell. */
#define DCI_GRID_COORDINATE_MAX DCI_R(1e9)

typedef struct dci_grid_entry {
    dc_index next, feature;
} dci_grid_entry;

typedef struct dci_grid {
    dc_index feature_count, bucket_count, entry_capacity, entry_count;
    dc_real inv_cell; /* [1/m]                                                                   */
    dci_box *box;     /* (feature_count) as entered                                              */
    dc_index *bucket; /* (bucket_count) first entry or DC_NONE                                   */
    dci_grid_entry *entry;   /* (entry_capacity)                                                 */
    dc_index *large;         /* (feature_count) large_count of these are used                    */
    unsigned char *is_large; /* (feature_count)                                                  */
    dc_index large_count;
    uint32_t *mailbox; /* (2 feature_count) last query that found it; half is a second thread's  */
    uint32_t query;
    dc_index *found; /* (2 feature_count + 2) the result of the last query; likewise             */
} dci_grid;

static dci_box dci_box_of_point(dc_vec3 point)
{
    const dci_box box = {point, point};
    return box;
}

static dci_box dci_box_join(dci_box a, dci_box b)
{
    a.low =
        dci_vec(dci_min(a.low.x, b.low.x), dci_min(a.low.y, b.low.y), dci_min(a.low.z, b.low.z));
    a.high = dci_vec(dci_max(a.high.x, b.high.x), dci_max(a.high.y, b.high.y),
                     dci_max(a.high.z, b.high.z));
    return a;
}

static dci_box dci_box_grow(dci_box box, dc_real margin)
{
    box.low = dci_vec(box.low.x - margin, box.low.y - margin, box.low.z - margin);
    box.high = dci_vec(box.high.x + margin, box.high.y + margin, box.high.z + margin);
    return box;
}

/* Without branches, which would be mispredicted often. */
static int dci_box_overlaps(const dci_box *a, const dci_box *b)
{
    return (a->low.x <= b->high.x) & (b->low.x <= a->high.x) & (a->low.y <= b->high.y) &
           (b->low.y <= a->high.y) & (a->low.z <= b->high.z) & (b->low.z <= a->high.z);
}

static void dci_grid_layout(dci_arena *arena, dci_grid *grid, dc_index feature_count)
{
    int64_t entries = (int64_t)DCI_GRID_ENTRIES_PER_BOX * feature_count;
    grid->feature_count = feature_count;
    grid->entry_capacity = entries > INT32_MAX ? DC_NONE : (dc_index)entries;
    grid->bucket_count = 1;
    while (grid->bucket_count < feature_count && grid->bucket_count <= INT32_MAX / 2)
        grid->bucket_count *= 2;
    grid->box = (dci_box *)dci_arena_take(arena, feature_count, sizeof(dci_box));
    grid->bucket = dci_arena_indices(arena, grid->bucket_count);
    grid->entry =
        (dci_grid_entry *)dci_arena_take(arena, grid->entry_capacity, sizeof(dci_grid_entry));
    grid->large = dci_arena_indices(arena, feature_count);
    grid->is_large = (unsigned char *)dci_arena_take(arena, feature_count, 1);
    grid->mailbox = (uint32_t *)dci_arena_take(arena, 2 * feature_count, sizeof(uint32_t));
    grid->found = dci_arena_indices(arena, 2 * feature_count + 2);
}

/* Empties the grid, and sets the width of its cells [m]. */
static void dci_grid_begin(dci_grid *grid, dc_real cell)
{
    grid->inv_cell = 1 / cell;
    grid->entry_count = grid->large_count = 0;
    grid->query = 0;
    dci_index_fill(grid->bucket, grid->bucket_count, DC_NONE);
    for (dc_index i = 0; i < grid->feature_count; i++) {
        grid->box[i].low = dci_vec(DCI_REAL_MAX, DCI_REAL_MAX, DCI_REAL_MAX); /* not entered */
        grid->box[i].high = dci_vec_scale(-1, grid->box[i].low);
        grid->is_large[i] = 0;
        grid->mailbox[i] = grid->mailbox[grid->feature_count + i] = 0;
    }
}

/* ---- Cells ---- */

typedef struct dci_cells {
    dc_index low[3], high[3], at[3];
    int64_t count;
} dci_cells;

/* floor(x / cell), bounded; NaN is mapped to the lower bound. */
static dc_index dci_grid_coordinate(const dci_grid *grid, dc_real x)
{
    dc_real scaled = x * grid->inv_cell, bound = DCI_GRID_COORDINATE_MAX;
    if (!(scaled > -bound)) return -(dc_index)bound;
    if (!(scaled < bound)) return (dc_index)bound;
    dc_index whole = (dc_index)scaled;
    return (dc_real)whole > scaled ? whole - 1 : whole;
}

static dci_cells dci_grid_cells(const dci_grid *grid, const dci_box *box)
{
    const dc_real *low = dci_const_reals(&box->low), *high = dci_const_reals(&box->high);
    dci_cells cells;
    cells.count = 1;
    for (int axis = 0; axis < 3; axis++) {
        cells.at[axis] = cells.low[axis] = dci_grid_coordinate(grid, low[axis]);
        cells.high[axis] = dci_grid_coordinate(grid, high[axis]);
        int64_t width = (int64_t)cells.high[axis] - cells.low[axis] + 1;
        cells.count = cells.count > DCI_GRID_CELLS_MAX ? cells.count : cells.count * width;
    }
    return cells;
}

/* False after the last cell. */
static int dci_cells_next(dci_cells *cells)
{
    for (int axis = 0; axis < 3; axis++) {
        if (cells->at[axis] < cells->high[axis]) {
            cells->at[axis]++;
            return 1;
        }
        cells->at[axis] = cells->low[axis];
    }
    return 0;
}

static int dci_cells_have(const dci_cells *these, const dci_cells *cells)
{
    int axis, inside = 1;
    for (axis = 0; axis < 3; axis++)
        inside &= these->low[axis] <= cells->at[axis] && cells->at[axis] <= these->high[axis];
    return inside;
}

/* The factors are those of [THM03]. */
static dc_index dci_cells_bucket(const dci_cells *cells, const dci_grid *grid)
{
    uint32_t hash = (uint32_t)cells->at[0] * UINT32_C(73856093) ^
                    (uint32_t)cells->at[1] * UINT32_C(19349663) ^
                    (uint32_t)cells->at[2] * UINT32_C(83492791);
    return (dc_index)(dci_hash32(hash) & (uint32_t)(grid->bucket_count - 1));
}

/* ---- Entries and queries ---- */

/* Enters a feature, or extends its box by this one. */
static void dci_grid_enter(dci_grid *grid, dc_index feature, const dci_box *box)
{
    dci_cells before = dci_grid_cells(grid, &grid->box[feature]), cells;
    grid->box[feature] = dci_box_join(grid->box[feature], *box);
    cells = dci_grid_cells(grid, &grid->box[feature]);
    if (grid->is_large[feature]) return;
    if (cells.count > DCI_GRID_CELLS_MAX ||
        cells.count > grid->entry_capacity - grid->entry_count) {
        grid->is_large[feature] = 1;
        grid->large[grid->large_count++] = feature;
        return;
    }
    do {
        dc_index bucket = dci_cells_bucket(&cells, grid);
        if (dci_cells_have(&before, &cells)) continue;
        grid->entry[grid->entry_count].feature = feature;
        grid->entry[grid->entry_count].next = grid->bucket[bucket];
        grid->bucket[bucket] = grid->entry_count++;
    } while (dci_cells_next(&cells));
}

/* Adds a feature once per query. Writing it always, and counting it only if its box overlaps, needs
   no branches, which would be mispredicted often. */
static void dci_grid_overlap(dci_grid *grid, const dci_box *box, dc_index feature, dc_index *count)
{
    grid->found[*count] = feature;
    *count += (grid->mailbox[feature] != grid->query) & dci_box_overlaps(&grid->box[feature], box);
    grid->mailbox[feature] = grid->query;
}

/* Puts all features whose boxes overlap this one into found[], and returns their number. */
static dc_index dci_grid_query(dci_grid *grid, const dci_box *box)
{
    dci_cells cells = dci_grid_cells(grid, box);
    dc_index count = 0, i;
    if (++grid->query == 0) { /* the number overflowed: clear the mailboxes */
        for (i = 0; i < grid->feature_count; i++) grid->mailbox[i] = 0;
        grid->query = 1;
    }
    if (cells.count > DCI_GRID_CELLS_MAX) {
        for (i = 0; i < grid->feature_count; i++) dci_grid_overlap(grid, box, i, &count);
        return count;
    }
    do {
        dc_index entry = grid->bucket[dci_cells_bucket(&cells, grid)];
        for (; entry != DC_NONE; entry = grid->entry[entry].next)
            dci_grid_overlap(grid, box, grid->entry[entry].feature, &count);
    } while (dci_cells_next(&cells));
    for (i = 0; i < grid->large_count; i++) dci_grid_overlap(grid, box, grid->large[i], &count);
    return count;
}

/* ============================================================================================
 * 30 SURFACES                                                                         dci_surface
 *
 * The conforming meshes of all cloths, the ribbons and the obstacles form one surface of vertices,
 * edges and triangles. In a step a vertex moves in a straight line from `start`, where nothing
 * crosses, to `end`, which the stages of collision handling change. A vertex of inverse mass 0 is
 * kinematic: it is pinned or belongs to an obstacle, and its motion is prescribed.
 *
 *     body         vertices                 edges         triangles
 *     cloth        of its conforming mesh   all           all
 *     mesh, ribbon its own                  all           all
 *     sphere       1, with a radius         -             -
 *     capsule      2, with a radius         1             -
 *     plane        3, on it                 -             -
 *
 * A radius reduces distances (27.1). A triangle is clear of a capsule if its sides and corners are,
 * and the capsule's ends are clear of the triangle. A feature is clear of the half space below a
 * plane if all its vertices are above it.
 *
 * Thickness. h is the mean thickness of the two bodies. Within a body it must not contradict the
 * rest shape: since lengths are rigid, no vertex can be further from the opposite edge, and so from
 * the triangle beyond,
 *
 *               o  vertex         than the height of its triangle. So in one body
 *              /|\
 *             / | \                 h <= DCI_HEIGHT_FRACTION height,                    (30.1)
 *            /  |  \
 *           o---+---o             for each of the four vertices and each triangle at it. Otherwise
 *            \     /              contact constraints (chapter 21) between all such pairs of a fine
 *             \   /   beyond      mesh would conflict with its rigid lengths.
 *               o
 * ============================================================================================ */

/* Below 1: contact constraints are for pairs closer than 1.1 times the thickness (chapter 48). */
#define DCI_HEIGHT_FRACTION DCI_R(0.9)

typedef struct dci_body {
    dc_real radius;    /* [m] of a sphere or capsule, else 0                                     */
    dc_real thickness; /* [m] a pair uses the mean of two; 0 of obstacles                        */
    dc_real friction;  /* coefficient; a pair uses the mean of two                               */
    dc_vec3 centre;    /* [m] mean of the vertices, for chapter 33                               */
    dc_vec3 spin;      /* [rad] in this step, of a sphere or capsule                             */
    dc_vec3 spin_rate; /* [rad/s] likewise                                                       */
    dc_index first_vertex; /* in the surface                                                     */
    uint32_t category, ignores; /* bits: it passes through categories that it ignores           */
    int self_contact, is_plane, is_obstacle;
    int is_ribbon;
    int is_tied;  /* ties name its vertices                                                      */
    int is_off;   /* it collides with nothing                                                    */
} dci_body;

/* A ribbon's attached point and the vertex it is, or was, attached to; they do not collide. */
typedef struct dci_tie {
    dc_index vertex[4];   /* the vertex, or DC_NONE; the triangle that contains the point         */
    dc_real weight[3];    /* of its corners                                                      */
    int is_active;        /* it is attached now, to a body that moves freely                     */
    dc_index attachment;  /* its number in the ribbon                                            */
    dc_real spring;       /* [N/m] if it is soft, or 0                                           */
    dc_real tolerance;    /* [m]                                                                 */
    dc_vec3 force;        /* [N] on the point in the last step                                   */
} dci_tie;

typedef struct dci_pair {
    dc_index vertex[4]; /* vertex and triangle, or two edges                                     */
    dc_index next[4];   /* in the list of all pairs of that vertex: 4 pair + place               */
    unsigned char corner_count; /* 3: vertex and triangle, 4: two edges                          */
    unsigned char is_plane;     /* the triangle stands for its whole plane                       */
    unsigned char is_queued;
    unsigned char is_near;    /* repulsion considers it                                          */
    unsigned char is_contact; /* a stage treated it as a contact                                 */
    unsigned char is_crossed; /* it is exempt from the stages: chapter 33                        */
    unsigned char is_unconstrained; /* beyond the capacity for constraints, chapter 21           */
    unsigned char responses;        /* how often a stage responded to it                         */
} dci_pair;

typedef struct dci_surface {
    dc_index vertex_count, edge_count, triangle_count, body_count, pair_capacity;
    dc_vec3 *start, *end; /* (vertex_count) [m]                                                  */
    dc_real *mass;        /* (vertex_count) [kg], 0 of obstacles                                 */
    dc_real *inv_mass;    /* (vertex_count) [1/kg]                                               */
    dc_index *body_of;    /* (vertex_count)                                                      */
    dc_index *edge;       /* (edge_count, 2)                                                     */
    dc_index *triangle;   /* (triangle_count, 3)                                                 */
    dc_index *edge_start, *edge_at; /* (vertex_count + 1), (2 edge_count) edges at a vertex      */
    dc_index *triangle_start, *triangle_at; /* (vertex_count + 1), (3 triangle_count)            */
    dc_index *bundle_start[2], *bundle_at[2]; /* likewise triangles [0], edges [1] of its bundle */
    dci_body *body;                         /* (body_count)                                      */
    dc_real *thickness_max;                 /* (vertex_count) [m] (30.1)                         */
    dc_vec3 *aim;   /* (vertex_count) [m] the end for which pairs were found                     */
    dc_real *slack; /* (vertex_count) [m] allowed distance of the end from it                    */
    dc_real slack_fraction; /* of a vertex's displacement                                        */
    dc_real slack_max;      /* [m] upper bound of this part                                      */
    dc_real free_edge; /* [m] mean length of edges that may move                                 */
    dci_box *box, *edge_box, *triangle_box; /* (vertex_count), (edge_count), (triangle_count)    */
    dci_grid bundles;                       /* named by their lowest vertices                    */

    dci_tie *tie; /* (tie_count)                                                                 */
    dc_index tie_count; /* 0 of colliders                                                        */

    dci_pair *pair; /* (pair_capacity)                                                           */
    dc_index pair_count, pairs_needed; /* including those beyond the capacity                    */
    dc_index *first_pair;              /* (vertex_count) 4 pair + place, or DC_NONE              */
    dc_index *queue;                   /* (pair_capacity) a ring buffer of pairs to test         */
    dc_index queue_start, queue_count;

    dc_vec3 *push;              /* (vertex_count) [m] motion without velocity, chapters 34, 48   */
    dc_index *zone, *zone_next; /* (vertex_count) first vertex of its zone, next in a circle     */
    dc_index *zone_size;        /* (vertex_count) of the zone with this first vertex             */
    unsigned char *only_translates; /* (vertex_count) by the first vertex of a zone              */
    dc_index *first_warm; /* (vertex_count, none of colliders) of the last step: chapter 48      */

    int has_rows;  /* contacts are constraints of the step, chapter 21; 0 of colliders           */
    int may_cross; /* crossings were found, or positions were set since: chapter 33              */
    dc_start start_policy;
    unsigned char *is_tangled; /* (vertex_count) of features that cross                          */
    unsigned char *is_cut;     /* (edge_count) whether it pierces a triangle                     */
    int is_frozen; /* exempt pairs are kept apart unless they touch at the start                 */
    dc_vec3 *asked; /* (vertex_count, none if crossings are refused) [m] `end` before the stages  */
    dc_index leap;  /* which leap, a longer push of crossings, is tried; 0: none                  */
    dc_real crossing_push_max; /* in cells of the grid                                           */
    struct dci_global *global; /* resolves all impacts at once: chapter 37; or NULL              */
    dci_meter *meter;          /* of a world's steps, or NULL                                    */
    dc_parallel_for parallel_for; /* of a world, or NULL                                         */
    void *parallel_context;
} dci_surface;

/* Default capacity per vertex: a drape uses 3, a twisted tube 22, a waved ribbon perhaps more. */
enum { DCI_PAIRS_PER_VERTEX = 32, DCI_PAIRS_PER_RIBBON_VERTEX = 128 };

static dc_status dci_surface_fail_pairs(const dci_surface *s, dc_error *error)
{
    return dci_fail_memory(error, "pair_capacity is too small", (size_t)s->pairs_needed,
                           (size_t)s->pair_capacity);
}

static dc_status dci_surface_check_pairs(const dci_surface *s, dc_error *error)
{
    if (dci_meter_is_over(s->meter)) return dci_meter_fail(s->meter, error);
    return s->pairs_needed > s->pair_capacity ? dci_surface_fail_pairs(s, error) : DC_OK;
}

/* Lays out the features of `counts` and the pairs, `asked` or the default. */
static void dci_surface_layout(dci_arena *arena, dci_surface *s, const dc_mesh *counts,
                               dc_index asked, int64_t by_default)
{
    dc_index n = counts->vertex_count, pairs = asked;
    if (asked == DC_NONE) pairs = by_default < DCI_COUNT_MAX ? (dc_index)by_default : DCI_COUNT_MAX;
    s->vertex_count = n;
    s->edge_count = counts->edge_count;
    s->triangle_count = counts->triangle_count;
    s->pair_capacity = pairs;
    s->start = dci_arena_vectors(arena, n);
    s->end = dci_arena_vectors(arena, n);
    s->mass = dci_arena_reals(arena, n);
    s->inv_mass = dci_arena_reals(arena, n);
    s->body_of = dci_arena_indices(arena, n);
    s->edge = dci_arena_indices(arena, 2 * s->edge_count);
    s->triangle = dci_arena_indices(arena, 3 * s->triangle_count);
    s->edge_start = dci_arena_indices(arena, n + 1);
    s->edge_at = dci_arena_indices(arena, 2 * s->edge_count);
    s->triangle_start = dci_arena_indices(arena, n + 1);
    s->triangle_at = dci_arena_indices(arena, 3 * s->triangle_count);
    s->bundle_start[0] = dci_arena_indices(arena, n + 1);
    s->bundle_start[1] = dci_arena_indices(arena, n + 1);
    s->bundle_at[0] = dci_arena_indices(arena, s->triangle_count);
    s->bundle_at[1] = dci_arena_indices(arena, s->edge_count);
    s->body = (dci_body *)dci_arena_take(arena, s->body_count, sizeof(dci_body));
    s->thickness_max = dci_arena_reals(arena, n);
    s->aim = dci_arena_vectors(arena, n);
    s->slack = dci_arena_reals(arena, n);
    s->box = (dci_box *)dci_arena_take(arena, n, sizeof(dci_box));
    s->edge_box = (dci_box *)dci_arena_take(arena, s->edge_count, sizeof(dci_box));
    s->triangle_box = (dci_box *)dci_arena_take(arena, s->triangle_count, sizeof(dci_box));
    dci_grid_layout(arena, &s->bundles, n);
    s->pair = (dci_pair *)dci_arena_take(arena, pairs, sizeof(dci_pair));
    s->first_pair = dci_arena_indices(arena, n);
    s->queue = dci_arena_indices(arena, pairs);
    s->push = dci_arena_vectors(arena, n);
    s->zone = dci_arena_indices(arena, n);
    s->zone_next = dci_arena_indices(arena, n);
    s->first_warm = dci_arena_indices(arena, s->has_rows ? n : 0);
    s->zone_size = dci_arena_indices(arena, n);
    s->only_translates = (unsigned char *)dci_arena_take(arena, n, 1);
    s->is_tangled = (unsigned char *)dci_arena_take(arena, n, 1);
    s->is_cut = (unsigned char *)dci_arena_take(arena, s->edge_count, 1);
    s->asked = dci_arena_vectors(arena, s->start_policy == DC_START_REFUSE ? 0 : n);
}

/* ---- Zones of vertices ---- */

static void dci_zone_begin(dci_surface *s)
{
    for (dc_index v = 0; v < s->vertex_count; v++) {
        s->zone[v] = s->zone_next[v] = v;
        s->zone_size[v] = 1;
        s->only_translates[v] = 0;
    }
}

/* False if they are the same. The work is proportional to the size of the second zone. */
static int dci_zone_join(dci_surface *s, dc_index a, dc_index b)
{
    dc_index into = s->zone[a], from = s->zone[b], v, swap;
    if (into == from) return 0;
    s->only_translates[into] |= s->only_translates[from];
    s->zone_size[into] += s->zone_size[from];
    v = from;
    do {
        s->zone[v] = into;
        v = s->zone_next[v];
    } while (v != from);
    swap = s->zone_next[into];
    s->zone_next[into] = s->zone_next[from];
    s->zone_next[from] = swap;
    return 1;
}

/* ---- Obstacles ---- */

static const dci_entry dci_obstacle_entries[] = {
    {DCI_ENTRY(dc_obstacle_desc, kind), DCI_CHOICE, 0, 0, DC_OBSTACLE_PLANE},
    {DCI_ENTRY(dc_obstacle_desc, friction), DCI_NOT_NEGATIVE, DCI_R(0.3), 0, 0},
    DCI_ENTRY_NONE};

dc_obstacle_desc dc_obstacle_defaults(void)
{
    dc_obstacle_desc desc;
    dci_desc_fill(&desc, sizeof desc, dci_obstacle_entries);
    return desc;
}

static dc_status dci_obstacle_check(const dc_obstacle_desc *desc, dc_error *error)
{
    dc_vec3 normal = dci_vec_sub(desc->point[1], desc->point[0]);
    dc_status status = dci_desc_check(desc, dci_obstacle_entries, error);
    if (status != DC_OK) return status;
    if (desc->kind == DC_OBSTACLE_MESH) return dci_mesh_check_counts(&desc->mesh, error);
    if (desc->kind != DC_OBSTACLE_PLANE && !dci_is_positive(desc->radius))
        return dci_bad(error, "this obstacle's radius is not positive", DC_NONE, 0);
    if (!dci_vec_is_finite(desc->point[0]) || !dci_vec_is_finite(desc->point[1]))
        return dci_bad(error, "a point of this obstacle is not finite", DC_NONE, 0);
    if (desc->kind == DC_OBSTACLE_PLANE && !dci_is_positive(dci_dot(normal, normal)))
        return dci_bad(error, "this plane's two points give no normal", DC_NONE, 0);
    return DC_OK;
}

/* `first` is the number of the first one among the bodies. */
static dc_status dci_obstacles_check(const dc_obstacle_desc *desc, dc_index count, dc_index first,
                                     dc_error *error)
{
    for (dc_index i = 0; i < count; i++) {
        dc_status status = dci_obstacle_check(desc + i, error);
        if (status != DC_OK) return dci_in_body(error, status, first + i);
    }
    return DC_OK;
}

/* Three points of a plane, two of them a metre from the first. */
static void dci_obstacle_plane(const dc_obstacle_desc *desc, dc_vec3 point[3])
{
    dc_vec3 normal = dci_vec_sub(desc->point[1], desc->point[0]), tangent;
    normal = dci_vec_scale(1 / dci_norm(normal), normal);
    tangent = dci_abs(normal.x) < DCI_R(0.5) ? dci_vec(1, 0, 0) : dci_vec(0, 1, 0);
    tangent = dci_vec_axpy(tangent, -dci_dot(tangent, normal), normal);
    tangent = dci_vec_scale(1 / dci_norm(tangent), tangent);
    point[0] = desc->point[0];
    point[1] = dci_vec_add(point[0], tangent);
    point[2] = dci_vec_add(point[0], dci_cross(normal, tangent));
}

/* ---- Entering bodies ---- */

typedef struct dci_entered {
    dc_index body, vertex, edge, triangle;
} dci_entered;

/* Vertices and edges of an obstacle by its kind; a mesh has its own. */
static const dc_index dci_obstacle_features[4][2] = {{0, 0}, {1, 0}, {2, 1}, {3, 0}};

static dci_body *dci_surface_enter(dci_surface *s, dc_index vertex_count, dci_entered *at)
{
    dci_body *body = s->body + at->body;
    DC_MEMSET(body, 0, sizeof *body);
    body->first_vertex = at->vertex;
    for (dc_index v = 0; v < vertex_count; v++) s->body_of[at->vertex++] = at->body;
    at->body++;
    return body;
}

static dci_body *dci_surface_enter_mesh(dci_surface *s, const dc_mesh *mesh, dci_entered *at)
{
    dc_index *edge = s->edge + 2 * at->edge, *triangle = s->triangle + 3 * at->triangle, i;
    for (i = 0; i < 2 * mesh->edge_count; i++) edge[i] = at->vertex + mesh->edge_vertices[i];
    for (i = 0; i < 3 * mesh->triangle_count; i++) triangle[i] = at->vertex + mesh->triangles[i];
    at->edge += mesh->edge_count;
    at->triangle += mesh->triangle_count;
    return dci_surface_enter(s, mesh->vertex_count, at);
}

/* The bound (30.1) by corner q [m]. */
static dc_real dci_mesh_height_bound(const dc_mesh *mesh, dc_index q)
{
    dc_index first = q - q % 3;
    dc_real side = mesh->rest_length[q], next = mesh->rest_length[first + (q + 1) % 3],
            last = mesh->rest_length[first + (q + 2) % 3],
            height = 2 * mesh->rest_area[q / 3] / side;
    if (dci_abs(next * next - last * last) > side * side) /* the foot lies beyond an end */
        height = dci_min(next, last);
    return DCI_HEIGHT_FRACTION * height;
}

static void dci_surface_bound_thickness(dci_surface *s, const dc_mesh *mesh, dc_index vertex)
{
    for (dc_index i = 0; i < mesh->vertex_count; i++) s->thickness_max[vertex + i] = DCI_REAL_MAX;
    for (dc_index i = 0; i < 3 * mesh->triangle_count; i++) {
        dc_real *bound = s->thickness_max + vertex + mesh->triangles[i];
        *bound = dci_min(*bound, dci_mesh_height_bound(mesh, i));
    }
}

/* Counts the features of a mesh, built temporarily in the arena. A surface, if given, takes it. */
static dc_status dci_surface_take_mesh(dci_surface *s, const dc_mesh_desc *desc, int is_soup,
                                       dci_arena *arena, dc_mesh *counts, dci_entered *at,
                                       dc_error *error)
{
    size_t used = arena->used;
    dc_status status = dci_mesh_build(desc, is_soup, arena, counts, error);
    if (status == DC_OK && s)
        dci_surface_bound_thickness(s, counts, dci_surface_enter_mesh(s, counts, at)->first_vertex);
    dci_arena_release(arena, used);
    return status;
}

static dc_status dci_obstacle_count(const dc_obstacle_desc *desc, dci_arena *arena, dc_mesh *counts,
                                    dc_error *error)
{
    DC_MEMSET(counts, 0, sizeof *counts);
    counts->vertex_count = dci_obstacle_features[desc->kind][0];
    counts->edge_count = dci_obstacle_features[desc->kind][1];
    if (desc->kind != DC_OBSTACLE_MESH) return DC_OK;
    return dci_surface_take_mesh(NULL, &desc->mesh, 0, arena, counts, NULL, error);
}

static dc_status dci_obstacles_count(const dc_obstacle_desc *desc, dc_index count, dc_index first,
                                     dci_arena *arena, dc_mesh *sum, dc_error *error)
{
    dc_mesh counts;
    for (dc_index i = 0; i < count; i++) {
        dc_status status = dci_obstacle_count(desc + i, arena, &counts, error);
        if (status != DC_OK) return dci_in_body(error, status, first + i);
        dci_mesh_add_counts(sum, &counts);
    }
    return DC_OK;
}

static dc_status dci_surface_enter_obstacle(dci_surface *s, const dc_obstacle_desc *desc,
                                            dci_arena *arena, dc_vec3 *now, dci_entered *at,
                                            dc_error *error)
{
    dc_index vertex_count = dci_obstacle_features[desc->kind][0], i;
    dci_body *body = s->body + at->body;
    dc_mesh counts;
    if (desc->kind == DC_OBSTACLE_MESH) {
        dc_status status = dci_surface_take_mesh(s, &desc->mesh, 0, arena, &counts, at, error);
        if (status != DC_OK) return status;
        for (i = 0; i < counts.vertex_count; i++) now[i] = desc->mesh.positions[i];
    } else {
        if (desc->kind == DC_OBSTACLE_CAPSULE) {
            s->edge[2 * at->edge] = at->vertex;
            s->edge[2 * at->edge++ + 1] = at->vertex + 1;
        }
        dci_surface_enter(s, vertex_count, at);
        body->is_plane = desc->kind == DC_OBSTACLE_PLANE;
        if (body->is_plane)
            dci_obstacle_plane(desc, now);
        else
            for (i = 0; i < vertex_count; i++) now[i] = desc->point[i];
        body->radius = body->is_plane ? 0 : desc->radius;
    }
    body->friction = desc->friction;
    body->category = desc->category;
    body->ignores = desc->ignores;
    body->is_obstacle = 1;
    return DC_OK;
}

/* Smallest sine of the angle at a plane's first point: (28.3) asks for separation / sine. */
#define DCI_PLANE_SINE_LEAST DCI_R(0.1)

static dc_index dci_surface_count_of(const dci_surface *s, dc_index body)
{
    dc_index end = body + 1 < s->body_count ? s->body[body + 1].first_vertex : s->vertex_count;
    return end - s->body[body].first_vertex;
}

static dc_status dci_surface_check_move(const dci_surface *s, dc_index body,
                                        const dc_vec3 *positions, dc_vec3 spin, dc_error *error)
{
    dc_index bad = dci_first_not_finite(positions, dci_surface_count_of(s, body));
    if (bad != DC_NONE || !dci_vec_is_finite(spin))
        return dci_not_finite(error, "a position of this obstacle or its spin is not finite", bad);
    if (s->body[body].is_plane) {
        dc_vec3 side0 = dci_vec_sub(positions[1], positions[0]);
        dc_vec3 side1 = dci_vec_sub(positions[2], positions[0]);
        dc_vec3 normal = dci_cross(side0, side1);
        dc_real area = dci_norm(normal), sides = dci_norm(side0) * dci_norm(side1);
        if (!(area > DCI_PLANE_SINE_LEAST * sides && area <= DCI_REAL_MAX))
            return dci_bad(error,
                           "the three points of a plane are nearly in one line, or too far apart",
                           DC_NONE, 0);
    }
    return DC_OK;
}

/* Lists features by their lowest vertices (kind 0: triangles, 1: edges), from those at vertices. */
static void dci_surface_list_bundles(dci_surface *s, int kind, const dc_index *vertex,
                                     const dc_index *start, const dc_index *at)
{
    dc_index corners = 3 - kind, end = 0, v, p, c;
    for (v = 0; v < s->vertex_count; v++) {
        s->bundle_start[kind][v] = end;
        for (p = start[v]; p < start[v + 1]; p++) {
            for (c = 0; c < corners && vertex[corners * at[p] + c] >= v;) c++;
            if (c == corners) s->bundle_at[kind][end++] = at[p];
        }
    }
    s->bundle_start[kind][v] = end;
}

/* Lists the features at each vertex, once all are entered. */
static void dci_surface_connect(dci_surface *s)
{
    dci_index_star(s->vertex_count, s->edge, s->edge_count, 2, s->edge_start, s->edge_at);
    dci_index_star(s->vertex_count, s->triangle, s->triangle_count, 3, s->triangle_start,
                   s->triangle_at);
    dci_surface_list_bundles(s, 0, s->triangle, s->triangle_start, s->triangle_at);
    dci_surface_list_bundles(s, 1, s->edge, s->edge_start, s->edge_at);
}

/* A vertex's number in its body. */
static dc_index dci_surface_in_body(const dci_surface *s, dc_index vertex)
{
    return vertex - s->body[s->body_of[vertex]].first_vertex;
}

/* A feature in the caller's numbering. */
static dc_feature dci_surface_feature(const dci_surface *s, const dc_index *vertex, dc_index count)
{
    dc_feature feature = {s->body_of[vertex[0]], {DC_NONE, DC_NONE, DC_NONE}};
    for (dc_index i = 0; i < count; i++) feature.vertex[i] = dci_surface_in_body(s, vertex[i]);
    return feature;
}

static dc_feature_pair dci_surface_features(const dci_surface *s, const dc_index *vertex,
                                            dc_index first_count, dc_index second_count)
{
    const dc_feature_pair named = {dci_surface_feature(s, vertex, first_count),
                                   dci_surface_feature(s, vertex + first_count, second_count)};
    return named;
}

/* ============================================================================================
 * 31 PAIRS                                                                            dci_surface
 *
 * The list of all features that may touch in a step, for the stages of the next chapters.
 *
 * Candidate pairs are a vertex and a triangle, or two edges, that may touch, without a common
 * vertex, not both of obstacles, and of bodies that do not ignore each other. A vertex's box holds
 * its path and a margin. The box of any other feature is the union of its vertices' boxes.
 *
 *        +-----------+        The stages may move `end` by `slack` from `aim`. If they move it
 *        | start     |        further, `aim` and the boxes of all features at the vertex are
 *        |   o-->end |        updated, and new pairs are found. So at any time the list has every
 *        +-----------+        pair that may touch.
 *
 * Most overlaps are between neighbours in one sheet that move together. Such a pair is skipped if
 * at the start it is further apart than the thickness plus any relative motion:
 *
 *     D > h + max |u_i - u_j| + slack_i + slack_j                                      (31.1)
 *
 * for vertices i of the first feature and j of the second.
 *
 * A sheet has six features per vertex, and a search for each would be slow. A vertex v, and the
 * edges and triangles whose lowest vertex is v, are a bundle. The grid holds the boxes of bundles,
 * each the union of those of v and these edges (two of them are sides of each triangle). Where two
 * bundles overlap, the boxes of their features are compared one by one.
 * ============================================================================================ */

/* Slack of a vertex: a part of its displacement (less in a drape, which falls by an edge at once),
   at most a part of the mean edge; plus a part of the thickness. More slack makes more pairs, and
   less makes more updates. */
#define DCI_SLACK_FRACTION DCI_R(0.25)
#define DCI_SLACK_FRACTION_DRAPE DCI_R(0.05)
#define DCI_SLACK_EDGES DCI_R(0.25)
#define DCI_SLACK_THICKNESSES DCI_R(0.125)

/* Sets `aim` and `slack`; returns the box of the path. */
static dci_box dci_surface_aim(dci_surface *s, dc_index v)
{
    const dci_body *body = s->body + s->body_of[v];
    dc_vec3 displacement = dci_vec_sub(s->end[v], s->start[v]);
    dci_box box = dci_box_join(dci_box_of_point(s->start[v]), dci_box_of_point(s->end[v]));
    s->aim[v] = s->end[v];
    s->slack[v] = dci_min(s->slack_fraction * dci_norm(displacement), s->slack_max) +
                  DCI_SLACK_THICKNESSES * body->thickness;
    if (!(s->inv_mass[v] > 0)) s->slack[v] = 0;
    return dci_box_grow(box, body->radius + body->thickness / 2 + s->slack[v]);
}

static dci_box dci_surface_box(const dci_surface *s, const dc_index *vertex, dc_index count)
{
    dci_box box = s->box[vertex[0]];
    for (dc_index i = 1; i < count; i++) box = dci_box_join(box, s->box[vertex[i]]);
    return box;
}

/* ---- Pairs ---- */

static void dci_surface_enqueue(dci_surface *s, dc_index pair)
{
    if (s->pair[pair].is_queued) return;
    s->pair[pair].is_queued = 1;
    s->queue[(s->queue_start + s->queue_count++) % s->pair_capacity] = pair;
}

/* DC_NONE: the queue is empty, or the work is spent. */
static dc_index dci_surface_dequeue(dci_surface *s)
{
    if (s->queue_count == 0 || dci_meter_is_over(s->meter)) return DC_NONE;
    dci_meter_add(s->meter, 1, DCI_WORK_TEST);
    dc_index pair = s->queue[s->queue_start];
    s->queue_start = (s->queue_start + 1) % s->pair_capacity;
    s->queue_count--;
    s->pair[pair].is_queued = 0;
    return pair;
}

static int dci_are_vertices_same(const dc_index a[4], const dc_index b[4])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2] && a[3] == b[3];
}

static int dci_surface_has(const dci_surface *s, const dci_pair *wanted)
{
    dc_index link = s->first_pair[wanted->vertex[0]];
    while (link != DC_NONE) {
        const dci_pair *pair = s->pair + link / 4;
        if (pair->corner_count == wanted->corner_count &&
            dci_are_vertices_same(pair->vertex, wanted->vertex))
            return 1;
        link = pair->next[link % 4];
    }
    return 0;
}

static dc_index dci_first_count(dc_index corner_count)
{
    return corner_count == 3 ? 1 : 2;
}

static int dci_feature_has(const dc_index *vertex, dc_index count, dc_index wanted)
{
    for (dc_index i = 0; i < count; i++)
        if (vertex[i] == wanted) return 1;
    return 0;
}

static int dci_surface_ties(const dci_surface *s, const dc_index *first, dc_index first_count,
                            const dc_index *second, dc_index second_count)
{
    for (dc_index i = 0; i < s->tie_count; i++) {
        const dci_tie *tie = s->tie + i;
        if (!dci_feature_has(first, first_count, tie->vertex[0])) continue;
        for (dc_index k = 1; k < 4; k++)
            if (dci_feature_has(second, second_count, tie->vertex[k])) return 1;
    }
    return 0;
}

/* Whether two bodies, or one with itself, may collide. */
static int dci_body_may_collide(const dci_body *a, const dci_body *b)
{
    if (a->is_off || b->is_off) return 0;
    if (a == b) return a->self_contact;
    if (a->is_obstacle && b->is_obstacle) return 0;
    return !(a->ignores & b->category) && !(b->ignores & a->category);
}

/* Kinematic vertices count: a pin inside an obstacle is not clear. */
static int dci_surface_may_collide(const dci_surface *s, const dc_index *first,
                                   dc_index first_count, const dc_index *second,
                                   dc_index second_count)
{
    dc_index a = s->body_of[first[0]], b = s->body_of[second[0]], i;
    for (i = 0; i < first_count; i++)
        if (dci_feature_has(second, second_count, first[i])) return 0;
    if (!dci_body_may_collide(s->body + a, s->body + b)) return 0;
    return !s->body[a].is_tied || !s->body[b].is_tied ||
           (!dci_surface_ties(s, first, first_count, second, second_count) &&
            !dci_surface_ties(s, second, second_count, first, first_count));
}

static dc_real dci_pair_radii(const dci_surface *s, const dci_pair *pair)
{
    return s->body[s->body_of[pair->vertex[0]]].radius +
           s->body[s->body_of[pair->vertex[3]]].radius;
}

/* h [m], by (30.1) if both are of one body. */
static dc_real dci_pair_thickness(const dci_surface *s, const dci_pair *pair)
{
    const dci_body *first = s->body + s->body_of[pair->vertex[0]];
    const dci_body *second = s->body + s->body_of[pair->vertex[3]];
    dc_real thickness = (first->thickness + second->thickness) / 2;
    if (first != second) return thickness;
    for (int i = 0; i < 4; i++) thickness = dci_min(thickness, s->thickness_max[pair->vertex[i]]);
    return thickness;
}

static void dci_pair_sweep(const dci_pair *pair, const dc_vec3 *starts, const dc_vec3 *ends,
                           dci_sweep *sweep)
{
    dc_vec3 start[4], end[4];
    for (int i = 0; i < 4; i++) {
        start[i] = starts[pair->vertex[i]];
        end[i] = ends[pair->vertex[i]];
    }
    dci_sweep_between(pair->corner_count, start, end, sweep);
    sweep->is_plane = pair->is_plane;
}

/* Whether a plane perpendicular to the axis separates the hull at the start from the origin by more
   than `reach`. `lowest` is the corner that is lowest along the axis. */
static int dci_sweep_is_behind(const dci_sweep *sweep, dc_vec3 axis, dc_real reach, int *lowest)
{
    dc_real least = DCI_REAL_MAX;
    for (int i = 0; i < sweep->corner_count; i++) {
        dc_real height = dci_dot(axis, sweep->start[i]);
        if (height < least) *lowest = i;
        least = dci_min(least, height);
    }
    return least > 0 && least * least > reach * reach * dci_dot(axis, axis);
}

/* Tries two planes: one perpendicular to the line from the origin to the middle; then, for the thin
   hulls of parallel edges, one that contains the middle and the corner too low for the first. */
static int dci_sweep_is_beyond(const dci_sweep *sweep, dc_real reach)
{
    dc_vec3 middle = {0, 0, 0}, across, axis;
    dc_real part = 1 / (dc_real)sweep->corner_count, square;
    int i, lowest = 0;
    for (i = 0; i < sweep->corner_count; i++) middle = dci_vec_axpy(middle, part, sweep->start[i]);
    if (dci_sweep_is_behind(sweep, middle, reach, &lowest)) return 1;
    across = dci_vec_sub(sweep->start[lowest], middle);
    square = dci_dot(across, across);
    if (!(square > 0)) return 0;
    axis = dci_vec_axpy(middle, -dci_dot(middle, across) / square, across);
    return dci_sweep_is_behind(sweep, axis, reach, &lowest);
}

/* Whether two features are too far apart to touch, (31.1); never for half spaces. */
static int dci_pair_is_far(const dci_surface *s, const dci_pair *pair)
{
    dc_index first_count = dci_first_count(pair->corner_count), i;
    dc_real slack[2] = {0, 0}, motion_sq = 0, reach;
    dci_sweep sweep;
    dci_sweep_sample start;
    if (pair->is_plane) return 0;
    dci_pair_sweep(pair, s->start, s->aim, &sweep);
    for (i = 0; i < 4; i++) {
        dc_real *largest = slack + (i >= first_count);
        *largest = dci_max(*largest, s->slack[pair->vertex[i]]);
    }
    for (i = 0; i < sweep.corner_count; i++) { /* u_i - u_j */
        dc_vec3 motion = dci_vec_sub(sweep.end[i], sweep.start[i]);
        motion_sq = dci_max(motion_sq, dci_dot(motion, motion));
    }
    reach = dci_pair_radii(s, pair) + dci_pair_thickness(s, pair) + DC_SQRT(motion_sq) + slack[0] +
            slack[1];
    if (dci_sweep_is_beyond(&sweep, reach)) return 1;
    if (!dci_sweep_evaluate(&sweep, 0, &start)) return 0;
    return dci_dot(start.normal, start.nearest.point) > reach;
}

static int dci_pair_is_tangled(const dci_surface *s, const dci_pair *pair)
{
    dc_index first_count = dci_first_count(pair->corner_count), i;
    int tangled[2] = {0, 0};
    for (i = 0; i < 4; i++) tangled[i >= first_count] |= s->is_tangled[pair->vertex[i]];
    return tangled[0] && tangled[1];
}

/* Whether a pair of tangled features is kept apart, because passing through each other would make
   more crossings. Features that touch at the start cannot be kept apart. */
static int dci_pair_is_frozen(const dci_surface *s, const dci_pair *pair)
{
    dci_sweep sweep;
    dci_sweep_sample start;
    if (!s->is_frozen || pair->is_plane || dci_pair_radii(s, pair) > 0) return 0;
    dci_pair_sweep(pair, s->start, s->end, &sweep);
    return dci_sweep_prepare(&sweep, 0) && dci_sweep_evaluate(&sweep, 0, &start) &&
           dci_dot(start.normal, start.nearest.point) > sweep.bound;
}

/* The pair of a vertex and a triangle or half space, or of two edges. */
static dci_pair dci_pair_of(const dci_surface *s, const dc_index *first, dc_index first_count,
                            const dc_index *second)
{
    dci_pair pair;
    dc_index i;
    DC_MEMSET(&pair, 0, sizeof pair);
    for (i = 0; i < 4; i++) pair.vertex[i] = i < first_count ? first[i] : second[i - first_count];
    pair.corner_count = first_count == 1 ? 3 : 4;
    pair.is_plane = (unsigned char)s->body[s->body_of[second[0]]].is_plane;
    return pair;
}

static void dci_surface_link(dci_surface *s, dc_index number)
{
    dci_pair *pair = s->pair + number;
    for (dc_index i = 0; i < 4; i++) {
        pair->next[i] = s->first_pair[pair->vertex[i]];
        s->first_pair[pair->vertex[i]] = 4 * number + i;
    }
    dci_surface_enqueue(s, number);
}

/* Adds the pair of two features if it may touch. A late one, found after the first search, is
   linked at once; it may be in the list already, or belong to a crossing of chapter 33. */
static void dci_surface_add(dci_surface *s, const dc_index *first, dc_index first_count,
                            const dc_index *second, int is_late)
{
    if (!dci_surface_may_collide(s, first, first_count, second, 4 - first_count)) return;
    if (dci_meter_is_over(s->meter)) return; /* the step fails */
    dci_meter_add(s->meter, 1, DCI_WORK_NEAR);
    dci_pair pair = dci_pair_of(s, first, first_count, second);
    if (is_late && dci_surface_has(s, &pair)) return;
    if (dci_pair_is_far(s, &pair)) return;
    if (is_late && s->may_cross) pair.is_crossed = (unsigned char)dci_pair_is_tangled(s, &pair);
    if (s->pair_count >= s->pair_capacity) {
        if (s->pairs_needed < INT32_MAX) s->pairs_needed++;
        return;
    }
    s->pair[s->pair_count++] = pair;
    s->pairs_needed++;
    if (is_late) dci_surface_link(s, s->pair_count - 1);
}

/* Whether a box may reach below a plane; always if the plane rotates. */
static int dci_plane_reaches(const dci_surface *s, const dci_body *plane, const dci_box *box)
{
    const dc_vec3 *start = s->start + plane->first_vertex, *end = s->end + plane->first_vertex;
    dc_vec3 side0 = dci_vec_sub(start[1], start[0]), side1 = dci_vec_sub(start[2], start[0]);
    dc_vec3 normal = dci_cross(side0, side1), low;
    dc_vec3 change0 = dci_vec_sub(dci_vec_sub(end[1], end[0]), side0);
    dc_vec3 change1 = dci_vec_sub(dci_vec_sub(end[2], end[0]), side1);
    if (dci_dot(change0, change0) > 0 || dci_dot(change1, change1) > 0) return 1;
    low = dci_vec(normal.x > 0 ? box->low.x : box->high.x, normal.y > 0 ? box->low.y : box->high.y,
                  normal.z > 0 ? box->low.z : box->high.z);
    return !(dci_dot(normal, dci_vec_sub(low, start[0])) > 0 &&
             dci_dot(normal, dci_vec_sub(low, end[0])) > 0);
}

static void dci_surface_pair_planes(dci_surface *s, dc_index v, int is_late)
{
    for (dc_index i = 0; i < s->body_count; i++) {
        dc_index first = s->body[i].first_vertex, corner[3] = {first, first + 1, first + 2};
        if (s->body[i].is_plane && dci_plane_reaches(s, s->body + i, &s->box[v]))
            dci_surface_add(s, &v, 1, corner, is_late);
    }
}

static void dci_surface_pair_vertex(dci_surface *s, dc_index v, dc_index bundle, int is_late)
{
    if (!dci_box_overlaps(&s->box[v], &s->bundles.box[bundle])) return;
    for (dc_index i = s->bundle_start[0][bundle]; i < s->bundle_start[0][bundle + 1]; i++) {
        dc_index t = s->bundle_at[0][i];
        if (dci_box_overlaps(&s->box[v], &s->triangle_box[t]))
            dci_surface_add(s, &v, 1, s->triangle + 3 * t, is_late);
    }
}

/* The lower number comes first. */
static void dci_surface_pair_edge(dci_surface *s, dc_index e, dc_index bundle, int is_late)
{
    if (!dci_box_overlaps(&s->edge_box[e], &s->bundles.box[bundle])) return;
    for (dc_index i = s->bundle_start[1][bundle]; i < s->bundle_start[1][bundle + 1]; i++) {
        dc_index other = s->bundle_at[1][i], low = dci_index_min(e, other), high = e + other - low;
        if (dci_box_overlaps(&s->edge_box[e], &s->edge_box[other]))
            dci_surface_add(s, s->edge + 2 * low, 2, s->edge + 2 * high, is_late);
    }
}

/* Pairs a bundle with those of lower numbers, or with all if late; not with itself. */
static void dci_surface_pair_bundle(dci_surface *s, dc_index v, int is_late)
{
    dc_index count = dci_grid_query(&s->bundles, &s->bundles.box[v]), i, k;
    for (k = 0; k < count; k++) {
        dc_index other = s->bundles.found[k];
        if (other == v || (other > v && !is_late)) continue;
        dci_surface_pair_vertex(s, v, other, is_late);
        dci_surface_pair_vertex(s, other, v, is_late);
        for (i = s->bundle_start[1][v]; i < s->bundle_start[1][v + 1]; i++)
            dci_surface_pair_edge(s, s->bundle_at[1][i], other, is_late);
    }
    dci_surface_pair_planes(s, v, is_late);
}

/* Finds the mean edge lengths. Returns the width of a cell: twice the mean length and displacement,
   so that most boxes overlap few cells and few boxes share one. */
static dc_real dci_surface_scale(dci_surface *s)
{
    dc_real length = 0, distance = 0, free_length = 0, cell;
    dc_index i, free_count = 0;
    for (i = 0; i < s->edge_count; i++) {
        dc_index a = s->edge[2 * i], b = s->edge[2 * i + 1];
        dc_real edge = dci_norm(dci_vec_sub(s->start[b], s->start[a]));
        length += edge / (dc_real)s->edge_count;
        distance += dci_norm(dci_vec_sub(s->end[a], s->start[a])) / (dc_real)s->edge_count;
        if (!(s->inv_mass[a] > 0)) continue;
        free_length += edge;
        free_count++;
    }
    s->slack_max = DCI_SLACK_EDGES * length;
    s->free_edge = free_count > 0 ? free_length / (dc_real)free_count : DCI_R(0);
    cell = 2 * (length + distance);
    return dci_is_positive(cell) ? cell : DCI_R(1); /* [m], without edges */
}

/* ---- The search among all features ---- */

/* Finds all boxes, and enters the bundles into the empty grid; planes are infinite and stay out. */
static void dci_surface_enter_boxes(dci_surface *s)
{
    dc_index v, i;
    for (v = 0; v < s->vertex_count; v++) s->box[v] = dci_surface_aim(s, v);
    for (i = 0; i < s->edge_count; i++) s->edge_box[i] = dci_surface_box(s, s->edge + 2 * i, 2);
    for (i = 0; i < s->triangle_count; i++)
        s->triangle_box[i] = dci_surface_box(s, s->triangle + 3 * i, 3);
    for (v = 0; v < s->vertex_count; v++) {
        dci_box box = s->box[v];
        for (i = s->bundle_start[1][v]; i < s->bundle_start[1][v + 1]; i++)
            box = dci_box_join(box, s->edge_box[s->bundle_at[1][i]]);
        if (!s->body[s->body_of[v]].is_plane) dci_grid_enter(&s->bundles, v, &box);
    }
}

/* Finds the pairs of bundles with even (part 0) or odd numbers (1). */
static void dci_surface_search(dci_surface *s, dc_index part)
{
    for (dc_index v = part; v < s->vertex_count && !dci_meter_is_over(s->meter); v += 2)
        if (!s->body[s->body_of[v]].is_plane) dci_surface_pair_bundle(s, v, 0);
}

/* Both parts at the same time, each in a copy of the surface, with half of the list and of the work
   that is left. If these suffice, the pairs and their order are the same as one after the other. */
typedef struct dci_searches {
    dci_surface of[2];
    dci_meter meter[2];
} dci_searches;

static void dci_searches_task(void *context, dc_index i)
{
    dci_surface_search(((dci_searches *)context)->of + i, i);
}

static void dci_searches_divide(dci_searches *searches, int i, const dci_surface *s, dc_index first,
                                dc_index end)
{
    dci_surface *part = searches->of + i;
    *part = *s;
    part->pair += first;
    part->pair_capacity = end - first;
    if (!s->meter || dci_meter_is_over(s->meter)) return;
    part->meter = searches->meter + i;
    *part->meter = *s->meter;
    part->meter->max = s->meter->work + (s->meter->max - s->meter->work) / 2;
}

/* Returns 0, with nothing found, if a half did not suffice. */
static int dci_surface_search_together(dci_surface *s)
{
    dci_searches searches;
    const dci_surface *even = searches.of;
    dci_surface *odd = searches.of + 1;
    dc_index half = s->pair_capacity / 2;
    if (!s->parallel_for || dci_meter_is_over(s->meter)) return 0;
    dci_searches_divide(&searches, 0, s, 0, half);
    dci_searches_divide(&searches, 1, s, half, s->pair_capacity);
    /* Its queries, at the same time, use the other half of the grid's lists. */
    odd->bundles.mailbox += s->bundles.feature_count;
    odd->bundles.found += s->bundles.feature_count + 1;
    s->parallel_for(s->parallel_context, 2, dci_searches_task, &searches);
    s->bundles.query = even->bundles.query;
    if (even->pairs_needed > half || odd->pairs_needed > s->pair_capacity - half) return 0;
    if (dci_meter_is_over(even->meter) || dci_meter_is_over(odd->meter)) return 0;
    if (s->meter) s->meter->work = even->meter->work + odd->meter->work - s->meter->work;
    s->pair_count = s->pairs_needed = even->pair_count + odd->pair_count;
    DC_MEMMOVE(s->pair + even->pair_count, odd->pair, (size_t)odd->pair_count * sizeof *s->pair);
    return 1;
}

/* Finds all pairs that may touch, unless the work is spent first. */
static void dci_surface_find_pairs(dci_surface *s)
{
    s->pair_count = s->pairs_needed = 0;
    s->queue_start = s->queue_count = 0;
    dci_index_fill(s->first_pair, s->vertex_count, DC_NONE);
    dci_grid_begin(&s->bundles, dci_surface_scale(s));
    dci_surface_enter_boxes(s);
    dci_meter_add(s->meter, s->vertex_count + s->edge_count, DCI_WORK_NEAR);
    if (!dci_surface_search_together(s))
        for (dc_index i = 0; i < 2; i++) dci_surface_search(s, i);
    for (dc_index i = 0; i < s->pair_count; i++) dci_surface_link(s, i);
}

/* Moves the end of a vertex and queues its pairs. If it exceeds its slack, the boxes of all
   features at it grow, and new pairs of their bundles are found. */
static void dci_surface_move(dci_surface *s, dc_index v, dc_vec3 end)
{
    s->end[v] = end;
    if (!(dci_norm(dci_vec_sub(end, s->aim[v])) <= s->slack[v])) {
        dci_box box = dci_surface_aim(s, v), *grown = &s->box[v];
        *grown = dci_box_join(*grown, box);
        dci_grid_enter(&s->bundles, v, &box);
        for (dc_index i = s->triangle_start[v]; i < s->triangle_start[v + 1]; i++) {
            grown = &s->triangle_box[s->triangle_at[i]];
            *grown = dci_box_join(*grown, box);
        }
        for (dc_index i = s->edge_start[v]; i < s->edge_start[v + 1]; i++) {
            const dc_index *corner = s->edge + 2 * s->edge_at[i];
            dc_index lowest = dci_index_min(corner[0], corner[1]);
            grown = &s->edge_box[s->edge_at[i]];
            *grown = dci_box_join(*grown, box);
            dci_grid_enter(&s->bundles, lowest, &box);
            if (lowest != v) dci_surface_pair_bundle(s, lowest, 1);
        }
        dci_surface_pair_bundle(s, v, 1);
    }
    for (dc_index link = s->first_pair[v]; link != DC_NONE; link = s->pair[link / 4].next[link % 4])
        dci_surface_enqueue(s, link / 4);
}

/* Reuses pairs found for other ends: moves all vertices to `end`, and queues all pairs. */
static void dci_surface_renew_pairs(dci_surface *s)
{
    s->queue_start = s->queue_count = 0;
    for (dc_index i = 0; i < s->pair_count; i++) {
        dci_pair *pair = s->pair + i;
        pair->is_queued = pair->is_near = pair->is_contact = pair->responses = 0;
    }
    for (dc_index i = 0; i < s->vertex_count; i++)
        if (!s->body[s->body_of[i]].is_plane) dci_surface_move(s, i, s->end[i]);
    for (dc_index i = 0; i < s->pair_count; i++) dci_surface_enqueue(s, i);
}

static dc_feature_pair dci_pair_features(const dci_surface *s, const dci_pair *pair)
{
    dc_index first_count = dci_first_count(pair->corner_count);
    return dci_surface_features(s, pair->vertex, first_count, 4 - first_count);
}

/* ============================================================================================
 * 32 THE CONTACT OF A PAIR                                                            dci_contact
 *
 * Where two features are nearest, how they move there, and how an impulse changes that.
 *
 * The relative displacement of a pair is
 *
 *     w = sum over its vertices of c_i u_i,       w_n = n . w                          (32.1)
 *
 * c_i = -weight in the first, + in the second. An impulse q n adds c_i q n/m_i to u_i, and to w_n
 *
 *     q sum c_i^2 / m_i                                                                (32.2)
 *
 * Separation. A pair must stay apart by the radii and a part of h, or half of D if that is less:
 *
 *     separation = radii + min( DCI_SEPARATION_FRACTION h, D / 2 )                     (32.3)
 *
 * Stopping a contact raises w_n to 0, or to minus the remaining distance. Friction is Coulomb's,
 * [EB08] (16), with w_t = w - w_n n and mu the mean of the two bodies':
 *
 *     w_t' = max( 0, 1 - mu |change of w_n| / |w_t| ) w_t                              (32.4)
 *
 * Contacts. The vector between the nearest points of two features is the normal of a contact only
 * if no features beside them are nearer. Here the vertex is above the right triangle. The nearest
 * point of the left one is on its side, and a force towards it would brake the sliding vertex:
 *
 *              o ->              Sliding must not depend on how the other surface is divided into
 *            / |                 triangles. So a normal has to be in the cone of each feature:
 *     ______/__|______           that of a face is a ray, that of an edge the sector between the
 *      left    |  right          normals of two faces, that of a vertex opposes all of its edges.
 *
 * With g a unit vector from a feature into a neighbour (the height of a triangle on an edge, or an
 * edge at a vertex), n from the feature to the other one moves into the cone by
 *
 *     n <- n - max( 0, n . g ) g       for the largest n . g, then n <- n / |n|        (32.5)
 *
 * If n is far outside of a cone, neighbours of that feature are nearer and make the contact. If two
 * edges are nearest at an end of one, a vertex and a triangle make it. An edge of an obstacle that
 * is no ridge, or a vertex without one, makes none, because other points of the edge or triangle
 * over it are as near. (An edge of cloth may become a ridge in the step, so it counts.)
 *
 * The cone of an obstacle alone limits n, because the obstacle does not yield. On a flat part n is
 * the normal of its faces, which is right for all points nearby. Between cloths the cone with which
 * they end further apart limits n. Spheres, capsules and half spaces have no neighbours.
 * ============================================================================================ */

/* The part of the thickness in (32.3). */
#define DCI_SEPARATION_FRACTION DCI_R(1e-2)
/* Features too close (chapter 34) or crossing (33) are separated in about this many steps. */
#define DCI_PUSH_STEPS DCI_R(20)

/* (32.5) is repeated at a vertex: each time at most .7 of the part outside remains. */
enum { DCI_CONE_PASSES = 4 };
/* A sine or cosine of an angle to a cone that counts as 0: in floats, a direction that has lost all
   but this part of its length is still right to 1e-4. */
#define DCI_CONE_ZERO DCI_R(1e-3)
/* The least cosine of the angle to a cone, 26 degrees; beyond, neighbours make the contact.
   Slightly outside a pair still does: motions are predicted, in folds at rest pairs waver, and if
   those with a force dropped out, a step would begin with others than the last one ended with. */
#define DCI_CONE_NEAR DCI_R(0.9)
/* Within a cloth, 60 degrees: between the two layers of a fold all pairs lean towards the fold.
   Without contacts the layers would interlock and not slide apart again. */
#define DCI_CONE_NEAR_SELF DCI_R(0.5)

typedef struct dci_contact {
    dc_vec3 normal;    /* n, in the cones                                                        */
    dc_real factor[4]; /* c_i of (32.1)                                                          */
    dc_real distance;  /* [m] along n, before the radii are subtracted                           */
    int is_beside;     /* others make the contact: n shows only the side                         */
} dci_contact;

static dc_real dci_pair_friction(const dci_surface *s, const dci_pair *pair)
{
    return (s->body[s->body_of[pair->vertex[0]]].friction +
            s->body[s->body_of[pair->vertex[3]]].friction) /
           2;
}

/* (32.3) */
static dc_real dci_pair_separation(const dci_surface *s, const dci_pair *pair,
                                   const dci_sweep *sweep)
{
    dc_real least = DCI_SEPARATION_FRACTION * dci_pair_thickness(s, pair);
    dc_real radii = dci_pair_radii(s, pair);
    dci_sweep_sample start;
    if (!dci_sweep_evaluate(sweep, 0, &start)) return radii;
    return radii + dci_min(least, (dci_dot(start.normal, start.nearest.point) - radii) / 2);
}

static dci_contact dci_contact_of(int corner_count, const dci_near *nearest, dc_vec3 normal)
{
    dci_contact contact;
    dc_real weight[4];
    dc_index i, first = dci_first_count(corner_count);
    dci_near_weights(corner_count, nearest, weight);
    for (i = 0; i < 4; i++) contact.factor[i] = i < first ? -weight[i] : weight[i];
    contact.normal = normal;
    contact.distance = dci_dot(normal, nearest->point);
    contact.is_beside = 0;
    return contact;
}

/* The nearest points of a pair at the positions x, without cones. False if the features meet. */
static int dci_pair_nearest(const dci_pair *pair, const dc_vec3 *x, dci_contact *contact)
{
    dci_sweep sweep;
    dci_sweep_sample at;
    dci_pair_sweep(pair, x, x, &sweep);
    if (!dci_sweep_evaluate(&sweep, 0, &at)) return 0;
    *contact = dci_contact_of(pair->corner_count, &at.nearest, at.normal);
    return 1;
}

/* The vector between the points of a contact, at the positions x. */
static dc_vec3 dci_contact_between(const dci_pair *pair, const dci_contact *contact,
                                   const dc_vec3 *x)
{
    dc_vec3 y = dci_vec(0, 0, 0);
    for (dc_index i = 0; i < 4; i++) y = dci_vec_axpy(y, contact->factor[i], x[pair->vertex[i]]);
    return y;
}

/* A direction out of a cone, and how much of the normal is along it. */
typedef struct dci_outside {
    dc_vec3 direction;
    dc_real most;
} dci_outside;

static void dci_outside_try(dci_outside *outside, dc_vec3 normal, dc_vec3 toward)
{
    dc_real size, along = dci_dot(normal, toward);
    if (!(along > 0)) return; /* as for half of them */
    size = dci_norm(toward);
    if (!(along > outside->most * size)) return;
    outside->most = along / size;
    outside->direction = dci_vec_scale(1 / size, toward);
}

/* The height of a triangle on its side from a to b; 0 if it has no such side. */
static dc_vec3 dci_triangle_height(const dci_surface *s, const dc_vec3 *x, dc_index triangle,
                                   dc_index a, dc_index b)
{
    const dc_index *corner = s->triangle + 3 * triangle;
    dc_vec3 side = dci_vec_sub(x[b], x[a]), height;
    dc_real side_sq = dci_dot(side, side);
    dc_index c = 0;
    if (!dci_feature_has(corner, 3, a) || !dci_feature_has(corner, 3, b) || !(side_sq > 0))
        return dci_vec(0, 0, 0);
    while (corner[c] == a || corner[c] == b) c++;
    height = dci_vec_sub(x[corner[c]], x[a]);
    return dci_vec_axpy(height, -dci_dot(height, side) / side_sq, side);
}

/* (32.5) at the edge from a to b, without the last step. */
static dc_vec3 dci_cone_at_edge(const dci_surface *s, const dc_vec3 *x, dc_index a, dc_index b,
                                dc_vec3 normal)
{
    dci_outside outside = {{0, 0, 0}, 0};
    for (dc_index i = s->triangle_start[a]; i < s->triangle_start[a + 1]; i++)
        dci_outside_try(&outside, normal, dci_triangle_height(s, x, s->triangle_at[i], a, b));
    return dci_vec_axpy(normal, -outside.most, outside.direction);
}

/* (32.5) at a vertex, without the last step. */
static dc_vec3 dci_cone_at_vertex(const dci_surface *s, const dc_vec3 *x, dc_index v,
                                  dc_vec3 normal)
{
    for (dc_index pass = 0; pass < DCI_CONE_PASSES; pass++) {
        dci_outside outside = {{0, 0, 0}, 0};
        for (dc_index i = s->edge_start[v]; i < s->edge_start[v + 1]; i++) {
            const dc_index *end = s->edge + 2 * s->edge_at[i];
            dci_outside_try(&outside, normal, dci_vec_sub(x[end[end[0] == v]], x[v]));
        }
        if (!(outside.most > DCI_CONE_ZERO)) break;
        normal = dci_vec_axpy(normal, -outside.most, outside.direction);
    }
    return normal;
}

/* Those vertices of one of the two features between which the nearest point lies. */
typedef struct dci_touched {
    dc_index vertex[3], count;
} dci_touched;

static dci_touched dci_contact_touched(const dci_pair *pair, const dci_contact *contact, int second)
{
    dc_index first = dci_first_count(pair->corner_count), i;
    dc_index from = second ? first : 0, to = second ? 4 : first;
    dci_touched touched = {{0, 0, 0}, 0};
    for (i = from; i < to; i++)
        if (contact->factor[i] != 0) touched.vertex[touched.count++] = pair->vertex[i];
    return touched;
}

/* Whether an edge is no ridge: two faces meet there, and none falls away from n. */
static int dci_edge_is_flat(const dci_surface *s, const dc_vec3 *x, dc_index a, dc_index b,
                            dc_vec3 normal)
{
    dc_index i, faces = 0;
    for (i = s->triangle_start[a]; i < s->triangle_start[a + 1]; i++) {
        dc_vec3 height = dci_triangle_height(s, x, s->triangle_at[i], a, b);
        dc_real size = dci_norm(height);
        if (dci_dot(height, normal) < -DCI_CONE_ZERO * size) return 0;
        faces += size > 0;
    }
    return faces > 1;
}

/* Whether an edge of an obstacle, or all at its vertex, are no ridges. */
static int dci_touched_is_flat(const dci_surface *s, const dc_vec3 *x, const dci_touched *touched,
                               dc_vec3 normal)
{
    dc_index v = touched->vertex[0], i;
    if (touched->count == 3 || !s->body[s->body_of[v]].is_obstacle) return 0;
    if (touched->count == 2) return dci_edge_is_flat(s, x, v, touched->vertex[1], normal);
    for (i = s->edge_start[v]; i < s->edge_start[v + 1]; i++) {
        const dc_index *end = s->edge + 2 * s->edge_at[i];
        if (!dci_edge_is_flat(s, x, v, end[end[0] == v], normal)) return 0;
    }
    return s->edge_start[v] < s->edge_start[v + 1];
}

static dc_vec3 dci_cone_limit(const dci_surface *s, const dc_vec3 *x, const dci_touched *touched,
                              dc_vec3 normal)
{
    if (touched->count == 1) return dci_cone_at_vertex(s, x, touched->vertex[0], normal);
    if (touched->count == 2)
        return dci_cone_at_edge(s, x, touched->vertex[0], touched->vertex[1], normal);
    return normal;
}

/* Which feature's cone limits n: 0 the first's, 1 the second's. */
static int dci_contact_limiting(const dci_surface *s, const dci_pair *pair,
                                const dci_contact *contact, const dc_vec3 limit[2])
{
    if (s->body[s->body_of[pair->vertex[3]]].is_obstacle) return 1;
    if (s->body[s->body_of[pair->vertex[0]]].is_obstacle) return 0;
    dc_vec3 y = dci_contact_between(pair, contact, s->end);
    return dci_dot(limit[1], y) > dci_dot(limit[0], y);
}

static int dci_pair_has_cones(const dci_surface *s, const dci_pair *pair)
{
    return !pair->is_plane && !(dci_pair_radii(s, pair) > 0);
}

static int dci_contact_is_at_end(const dci_pair *pair, const dci_contact *contact)
{
    const dc_real *c = contact->factor;
    return pair->corner_count == 4 && (c[0] == 0 || c[1] == 0 || c[2] == 0 || c[3] == 0);
}

/* Limits the normal by the cones at the positions x. Decides whether others make the contact. */
static void dci_contact_limit(const dci_surface *s, const dci_pair *pair, const dc_vec3 *x,
                              dci_contact *contact)
{
    dc_vec3 n = contact->normal, limit[2];
    dc_real cosine[2];
    int k, is_self = s->body_of[pair->vertex[0]] == s->body_of[pair->vertex[3]];
    if (!dci_pair_has_cones(s, pair)) return;
    contact->is_beside = dci_contact_is_at_end(pair, contact);
    for (k = 0; k < 2; k++) {
        dc_real sign = k ? DCI_R(-1) : DCI_R(1);
        dci_touched touched = dci_contact_touched(pair, contact, k);
        limit[k] = dci_cone_limit(s, x, &touched, dci_vec_scale(sign, n)); /* (32.5) */
        cosine[k] = dci_norm(limit[k]);
        if (cosine[k] > DCI_CONE_ZERO) limit[k] = dci_vec_scale(1 / cosine[k], limit[k]);
        contact->is_beside |= !(cosine[k] > (is_self ? DCI_CONE_NEAR_SELF : DCI_CONE_NEAR));
        if (k == 0 || pair->corner_count == 4) /* not a triangle at its edge or vertex */
            contact->is_beside |= dci_touched_is_flat(s, x, &touched, limit[k]);
        limit[k] = dci_vec_scale(sign, limit[k]);
    }
    k = dci_contact_limiting(s, pair, contact, limit);
    if (!(cosine[k] > DCI_CONE_ZERO)) return;
    contact->normal = limit[k];
    contact->distance *= dci_dot(n, limit[k]);
}

/* False if the features meet. */
static int dci_pair_contact(const dci_surface *s, const dci_pair *pair, const dc_vec3 *x,
                            dci_contact *contact)
{
    if (!dci_pair_nearest(pair, x, contact)) return 0;
    dci_contact_limit(s, pair, x, contact);
    return 1;
}

/* w of (32.1), with the spin of the bodies. */
static dc_vec3 dci_contact_motion(const dci_surface *s, const dci_pair *pair,
                                  const dci_contact *contact)
{
    const dci_body *first = s->body + s->body_of[pair->vertex[0]];
    const dci_body *second = s->body + s->body_of[pair->vertex[3]];
    dc_vec3 motion = dci_vec(0, 0, 0), turn;
    for (int i = 0; i < 4; i++) {
        dc_index v = pair->vertex[i];
        motion = dci_vec_axpy(motion, contact->factor[i], dci_vec_sub(s->end[v], s->start[v]));
    }
    /* `turn` is separate: tcc loses a float kept across a call that returns a structure */
    turn = dci_cross(first->spin, contact->normal);
    motion = dci_vec_axpy(motion, -first->radius, turn);
    turn = dci_cross(second->spin, contact->normal);
    return dci_vec_axpy(motion, -second->radius, turn);
}

/* A contact is rigid if no free vertex has at least this weight. A push of a twentieth of the
   deficit (chapter 34) would move one of less weight by more than the deficit. */
#define DCI_LEVER_MIN DCI_R(0.05)

/* The sum of c_i^2 / m_i in (32.2), or 0 if the contact is rigid. */
static dc_real dci_contact_compliance(const dci_surface *s, const dci_pair *pair,
                                      const dci_contact *contact)
{
    dc_real sum = 0, lever = 0;
    for (int i = 0; i < 4; i++) {
        dc_real inv_mass = s->inv_mass[pair->vertex[i]];
        if (inv_mass > 0) lever = dci_max(lever, dci_abs(contact->factor[i]));
        sum += contact->factor[i] * contact->factor[i] * inv_mass;
    }
    return lever < DCI_LEVER_MIN ? 0 : sum;
}

/* Changes w by `size` times a direction, by an impulse; a push changes no velocity. */
static void dci_contact_change(dci_surface *s, const dci_pair *pair, const dci_contact *contact,
                               dc_real size, dc_vec3 direction, int is_push)
{
    dc_real compliance = dci_contact_compliance(s, pair, contact);
    if (!(compliance > 0)) return;
    for (int i = 0; i < 4; i++) {
        dc_index v = pair->vertex[i];
        dc_real part = contact->factor[i] * s->inv_mass[v] / compliance * size;
        if (part == 0) continue;
        if (is_push) s->push[v] = dci_vec_axpy(s->push[v], part, direction);
        dci_surface_move(s, v, dci_vec_axpy(s->end[v], part, direction));
    }
}

/* Stops an approach beyond `allowed` [m], with friction (32.4). Returns how much it stopped [m]. */
static dc_real dci_contact_stop(dci_surface *s, const dci_pair *pair, const dci_contact *contact,
                                dc_real allowed)
{
    dc_vec3 motion = dci_contact_motion(s, pair, contact), sliding, change;
    dc_real whole = -dci_dot(motion, contact->normal), approach = whole - allowed, speed, friction;
    if (!(approach > 0) || !(dci_contact_compliance(s, pair, contact) > 0)) return 0;
    change = dci_vec_scale(approach, contact->normal);
    sliding = dci_vec_axpy(motion, whole, contact->normal);
    speed = dci_norm(sliding);
    friction = dci_pair_friction(s, pair) * approach;
    if (friction >= speed)
        change = dci_vec_sub(change, sliding);
    else
        change = dci_vec_axpy(change, -friction / speed, sliding);
    dci_contact_change(s, pair, contact, 1, change, 0);
    return approach;
}

/* ============================================================================================
 * 33 CROSSINGS                                                                       dci_crossing
 *
 * The proof of chapter 38 starts from a state without crossings, but in a user's meshes an edge may
 * pierce a triangle. It does not if a plane separates the two,
 *
 *     n . (x_j - x_i) > rounding       for the edge x_0 x_1, the triangle x_2 x_3 x_4  (33.1)
 *
 * Most edges lie on one side of the triangle's plane, and its normal will do. Else n is that of the
 * nearest two points: of an end and the triangle, or of the edge and a side. If even this n fails,
 * they cross or touch. A vertex or an edge crosses a thick obstacle if it is closer than the radii,
 * and a half space if it is behind the plane.
 *
 * The user chooses to refuse, tolerate or separate crossings. The vertices of crossing features are
 * tangled. Pairs of two features with tangled vertices are exempt from the stages; all others are
 * kept apart, including those that have separated.
 *
 * The number of crossings. An edge starts or stops piercing a triangle only when one of its
 * ends passes through the triangle, or the edge through a side: when a pair of chapter 31 touches.
 * So if no pair is exempt, the crossings stay the same, by the proof of chapter 38. If exempt pairs
 * have made more of them, the stages start again with these pairs frozen, that is, kept apart. Then
 * crossings grow in number only if the vertices of pins and obstacles leave no other way.
 *
 * To separate features, one must know which side is wrong. Cuts along piercing edges divide the
 * sheet:
 *
 *            o--o--#--o         #  cut edges         The smaller part has poked through. The end of
 *            |  |  #  |         The part on the      a cut edge in this part is moved back through
 *            o--o--#--o         right is smaller.    the triangle, and the triangle the other way,
 *
 * a little in every step, as repulsion does. But if both bodies have contact constraints, one more
 * constraint asks for this (chapter 48), and lengths hold. The way out may lead through more
 * crossings: when a row of vertices passes through a sheet, the first to pass adds more crossings
 * than it removes. So before pairs are frozen, features are pushed further, in leaps that may bring
 * a whole row through.
 *
 * A slit does not divide the body. Then the correct side is the one on which the centre of the
 * edge's body lies; where a sheet crosses itself along a slit, the crossing remains. If the parts
 * have equal size, the body that comes first is pushed behind the other's triangles (within one
 * body, the edge is pushed if its first vertex has the lower number). Repulsion (chapter 34) leads
 * out of thick obstacles and half spaces.
 * ============================================================================================ */

/* Longest push in a step, in cells of the grid (over two edges): more would distort the sheet. The
   next step restores its lengths, so in short steps this speed [1/s] bounds the pushes. */
#define DCI_CROSSING_PUSH_MAX DCI_R(0.01)
#define DCI_CROSSING_PUSH_SPEED 5
/* Leaps push this many times as far: the first mostly suffices, the last distorts. */
enum { DCI_CROSSING_LEAPS = 3 };
static const dc_real dci_crossing_leap[DCI_CROSSING_LEAPS + 1] = {1, 2, 5, 10};

/* Two crossing features: the vertices of the first, then those of the second. */
typedef struct dci_crossing {
    dc_index first_count, second_count;
    dc_index vertex[5];
    dc_index edge; /* that pierces a triangle, or DC_NONE                                        */
} dci_crossing;

/* Iterates over crossings: triangles with edges, then pairs, which must have been found. The grid
   must not be queried meanwhile. */
typedef struct dci_crossings {
    const dc_vec3 *x; /* start or end of the surface                                             */
    dc_index triangle;
    dc_index place, count; /* of the bundles found at this triangle                              */
    dc_index member;       /* edge in this bundle                                                */
    dc_index pair;
} dci_crossings;

/* The normal at the nearest points of an edge and a triangle; none if they touch. */
static dc_vec3 dci_crossing_nearest(const dc_vec3 e[2], const dc_vec3 t[3])
{
    dci_sweep_sample best, tried;
    best.nearest.distance_sq = DCI_REAL_MAX;
    best.normal = dci_vec(0, 0, 0);
    for (int i = 0; i < 5; i++) { /* two ends with the triangle, the edge with three sides */
        dci_sweep sweep;
        dc_vec3 x[4] = {i < 2 ? e[i] : e[0], t[0], t[1], t[2]};
        if (i >= 2) x[1] = e[1], x[2] = t[i - 2], x[3] = t[(i - 1) % 3];
        dci_sweep_between(i < 2 ? 3 : 4, x, x, &sweep);
        if (!dci_sweep_prepare(&sweep, 0) || !dci_sweep_evaluate(&sweep, 0, &tried))
            return dci_vec(0, 0, 0);
        if (tried.nearest.distance_sq < best.nearest.distance_sq) best = tried;
    }
    return best.normal;
}

/* (33.1) for this unit vector or its opposite */
static int dci_crossing_is_excluded_by(dc_vec3 n, const dc_vec3 e[2], const dc_vec3 t[3])
{
    dc_vec3 apart[6];
    dc_real rounding, size = 0;
    int i, above = 0, below = 0;
    for (i = 0; i < 6; i++) {
        apart[i] = dci_vec_sub(t[i % 3], e[i / 3]);
        size = dci_max(size, dci_vec_largest(apart[i]));
    }
    rounding = DCI_SWEEP_ROUNDING * size;
    for (i = 0; i < 6; i++) {
        dc_real height = dci_dot(n, apart[i]);
        above += height > rounding;
        below += height < -rounding;
    }
    return above == 6 || below == 6;
}

int dc_edge_crosses_triangle(const dc_vec3 e[2], const dc_vec3 t[3])
{
    dc_vec3 normal = dci_cross(dci_vec_sub(t[1], t[0]), dci_vec_sub(t[2], t[0]));
    dc_real length_sq = dci_dot(normal, normal);
    if (length_sq > DCI_REAL_MIN / DCI_EPSILON) { /* else it is not exact enough */
        normal = dci_vec_scale(1 / DC_SQRT(length_sq), normal);
        if (dci_crossing_is_excluded_by(normal, e, t)) return 0;
    }
    return !dci_crossing_is_excluded_by(dci_crossing_nearest(e, t), e, t);
}

/* Whether an edge and a triangle cross, unless they are not tested. */
static int dci_crossing_of(const dci_surface *s, const dc_vec3 *position, dc_index edge,
                           dc_index triangle, dci_crossing *crossing)
{
    const dc_index *a = s->edge + 2 * edge, *b = s->triangle + 3 * triangle;
    dc_vec3 x[5];
    if (!dci_surface_may_collide(s, a, 2, b, 3)) return 0;
    for (dc_index i = 0; i < 5; i++) {
        crossing->vertex[i] = i < 2 ? a[i] : b[i - 2];
        x[i] = position[crossing->vertex[i]];
    }
    crossing->first_count = 2;
    crossing->second_count = 3;
    crossing->edge = edge;
    return dc_edge_crosses_triangle(x, x + 2);
}

/* Whether a pair starts inside a thick obstacle or a half space. */
static int dci_crossing_of_pair(const dci_surface *s, const dci_pair *pair, dci_crossing *crossing)
{
    dci_sweep sweep;
    dci_sweep_sample start;
    dc_real radii = dci_pair_radii(s, pair);
    if (!(radii > 0) && !pair->is_plane) return 0;
    for (dc_index i = 0; i < 4; i++) crossing->vertex[i] = pair->vertex[i];
    crossing->first_count = dci_first_count(pair->corner_count);
    crossing->second_count = 4 - crossing->first_count;
    crossing->edge = DC_NONE;
    dci_pair_sweep(pair, s->start, s->end, &sweep);
    if (!dci_sweep_prepare(&sweep, radii) || !dci_sweep_evaluate(&sweep, 0, &start)) return 1;
    return !(dci_dot(start.normal, start.nearest.point) > sweep.bound);
}

static int dci_crossings_next_edge(dci_surface *s, dci_crossings *at, dci_crossing *crossing)
{
    const dci_box *box = &s->triangle_box[at->triangle];
    if (at->place == 0) at->count = dci_grid_query(&s->bundles, box);
    for (; at->place < at->count; at->place++, at->member = 0) {
        const dc_index *start = s->bundle_start[1] + s->bundles.found[at->place];
        while (at->member < start[1] - start[0]) {
            dc_index edge = s->bundle_at[1][start[0] + at->member++];
            if (dci_box_overlaps(box, &s->edge_box[edge]) &&
                dci_crossing_of(s, at->x, edge, at->triangle, crossing))
                return 1;
        }
    }
    return 0;
}

/* False if there is none. */
static int dci_crossings_next(dci_surface *s, dci_crossings *at, dci_crossing *crossing)
{
    for (; at->triangle < s->triangle_count; at->triangle++, at->place = 0)
        if (dci_crossings_next_edge(s, at, crossing)) return 1;
    while (at->pair < s->pair_count)
        if (dci_crossing_of_pair(s, s->pair + at->pair++, crossing)) return 1;
    return 0;
}

/* Marks tangled vertices and exempt pairs. Returns the number of crossings. */
static dc_index dci_crossings_mark(dci_surface *s)
{
    dci_crossings at = {s->start, 0, 0, 0, 0, 0};
    dci_crossing crossing;
    dc_index count = 0, i;
    for (i = 0; i < s->vertex_count; i++) s->is_tangled[i] = 0;
    for (i = 0; i < s->edge_count; i++) s->is_cut[i] = 0;
    while (dci_crossings_next(s, &at, &crossing)) {
        for (i = 0; i < crossing.first_count + crossing.second_count; i++)
            s->is_tangled[crossing.vertex[i]] = 1;
        if (crossing.edge != DC_NONE) s->is_cut[crossing.edge] = 1;
        count++;
    }
    s->may_cross = count > 0;
    for (i = 0; i < s->pair_count && count > 0; i++) {
        dci_pair *pair = s->pair + i;
        pair->is_crossed = (unsigned char)dci_pair_is_tangled(s, pair);
    }
    return count;
}

static dc_index dci_crossings_list(dci_surface *s, dc_index capacity, dc_feature_pair *pairs)
{
    dci_crossings at = {s->start, 0, 0, 0, 0, 0};
    dci_crossing crossing;
    dc_index count = 0;
    for (; dci_crossings_next(s, &at, &crossing); count++)
        if (count < capacity)
            pairs[count] = dci_surface_features(s, crossing.vertex, crossing.first_count,
                                                crossing.second_count);
    return count;
}

static dc_status dci_crossings_fail(dci_surface *s, dc_index count, dc_error *error)
{
    dci_fail(error, DC_CROSSING, "surfaces cross or touch; value is the number of crossings",
             DC_NONE, (dc_real)count);
    if (error) dci_crossings_list(s, 1, &error->pair);
    return DC_CROSSING;
}

/* The number of crossings of an edge and a triangle at these positions, `start` or `end`. */
static dc_index dci_crossings_count(dci_surface *s, const dc_vec3 *x)
{
    dci_crossings at = {x, 0, 0, 0, 0, s->pair_count};
    dci_crossing crossing;
    dc_index count = 0;
    while (dci_crossings_next(s, &at, &crossing)) count++;
    return count;
}

/* ---- Separation ---- */

/* Makes a zone of each part into which cut edges divide a body. */
static void dci_crossings_divide(dci_surface *s)
{
    dci_zone_begin(s);
    for (dc_index e = 0; e < s->edge_count; e++) {
        dc_index a = s->edge[2 * e], b = s->edge[2 * e + 1];
        int is_less = s->zone_size[s->zone[a]] < s->zone_size[s->zone[b]];
        if (!s->is_cut[e]) dci_zone_join(s, is_less ? b : a, is_less ? a : b);
    }
}

static void dci_crossings_find_centres(dci_surface *s)
{
    for (dc_index body = 0; body < s->body_count; body++) {
        dc_index first = s->body[body].first_vertex, count = dci_surface_count_of(s, body);
        dc_vec3 sum = dci_vec(0, 0, 0);
        for (dc_index v = first; v < first + count; v++) sum = dci_vec_add(sum, s->start[v]);
        s->body[body].centre = dci_vec_scale(1 / (dc_real)(count > 0 ? count : 1), sum);
    }
}

/* Changes w of two features by pushes that conserve momentum. */
static void dci_crossing_push(dci_surface *s, const dc_index *vertex, dc_index count,
                              const dc_real *factor, dc_vec3 w)
{
    dc_real compliance = 0;
    dc_index i;
    for (i = 0; i < count; i++) compliance += factor[i] * factor[i] * s->inv_mass[vertex[i]];
    if (!(compliance > 0)) return;
    for (i = 0; i < count; i++)
        s->push[vertex[i]] =
            dci_vec_axpy(s->push[vertex[i]], factor[i] * s->inv_mass[vertex[i]] / compliance, w);
}

/* The part of an edge on the wrong side of a triangle. */
typedef enum dci_wrong {
    DCI_WRONG_END0,
    DCI_WRONG_END1,
    DCI_WRONG_BOTH, /* the whole edge, by the order of bodies                                    */
    DCI_WRONG_UNKNOWN
} dci_wrong;

/* By the heights of both ends and of their body's centre above the triangle. */
static dci_wrong dci_crossing_wrong(const dci_surface *s, const dci_crossing *crossing,
                                    const dc_real height[2], dc_real middle)
{
    const dc_index *e = crossing->vertex, *size = s->zone_size;
    dc_index part0 = s->zone[e[0]], part1 = s->zone[e[1]];
    if (part0 != part1 && size[part0] == size[part1]) return DCI_WRONG_BOTH;
    if (part0 != part1) return size[part1] < size[part0] ? DCI_WRONG_END1 : DCI_WRONG_END0;
    if (s->body_of[e[0]] == s->body_of[crossing->vertex[2]]) return DCI_WRONG_UNKNOWN;
    return (height[1] > height[0]) != (middle > 0) ? DCI_WRONG_END1 : DCI_WRONG_END0;
}

typedef struct dci_parting {
    dci_wrong wrong;
    dc_vec3 normal;    /* of the triangle, to the side where the wrong part of the edge belongs   */
    dc_real height[2]; /* [m] of the ends of the edge above the triangle, along it                */
} dci_parting;

/* False if the right side is not known. */
static int dci_crossing_parting(const dci_surface *s, const dci_crossing *crossing,
                                dci_parting *parting)
{
    const dc_index *e = crossing->vertex, *t = crossing->vertex + 2;
    const dci_body *first = s->body + s->body_of[e[0]], *second = s->body + s->body_of[t[0]];
    dc_vec3 corner = s->start[t[0]];
    dc_vec3 normal =
        dci_cross(dci_vec_sub(s->start[t[1]], corner), dci_vec_sub(s->start[t[2]], corner));
    dc_real length = dci_norm(normal), *height = parting->height;
    int i, is_behind;
    if (!(length > 0)) return 0;
    normal = dci_vec_scale(1 / length, normal);
    for (i = 0; i < 2; i++) height[i] = dci_dot(normal, dci_vec_sub(s->start[e[i]], corner));
    parting->wrong = dci_crossing_wrong(s, crossing, height,
                                        dci_dot(normal, dci_vec_sub(first->centre, corner)));
    if (parting->wrong == DCI_WRONG_UNKNOWN) return 0;
    if (parting->wrong == DCI_WRONG_BOTH)
        is_behind = first == second ? e[0] < t[0] : first < second;
    else
        is_behind = height[parting->wrong] > 0;
    parting->normal = is_behind ? dci_vec_scale(-1, normal) : normal;
    for (i = 0; i < 2 && is_behind; i++) height[i] = -height[i];
    return 1;
}

/* Pushes an edge out of a triangle, by a part of the thickness minus the edge's height. */
static void dci_crossing_part(dci_surface *s, const dci_crossing *crossing)
{
    const dc_real third = DCI_R(1) / 3;
    const dci_body *first = s->body + s->body_of[crossing->vertex[0]];
    const dci_body *second = s->body + s->body_of[crossing->vertex[2]];
    dci_parting parting;
    dc_real factor[5], push = (first->thickness + second->thickness) / 2;
    if (!dci_crossing_parting(s, crossing, &parting)) return;
    if (s->has_rows && s->leap == 0 && parting.wrong != DCI_WRONG_BOTH) return;
    factor[0] = factor[1] = DCI_R(0.5);
    factor[2] = factor[3] = factor[4] = -third;
    if (parting.wrong != DCI_WRONG_BOTH) {
        factor[parting.wrong] = 1;
        factor[parting.wrong == DCI_WRONG_END0] = 0;
        push -= parting.height[parting.wrong];
    }
    dci_crossing_push(s, crossing->vertex, 5, factor,
                      dci_vec_scale(s->leap > 0 ? push : push / DCI_PUSH_STEPS, parting.normal));
}

static void dci_crossing_run(dci_surface *s, dc_report *report)
{
    dci_crossings at = {s->start, 0, 0, 0, 0, 0};
    dci_crossing crossing;
    dc_real most = dci_crossing_leap[s->leap] * s->crossing_push_max / s->bundles.inv_cell;
    (void)report;
    if (!s->may_cross || s->start_policy != DC_START_SEPARATE) return;
    /* Push each crossing apart. */
    dci_crossings_divide(s);
    dci_crossings_find_centres(s);
    while (dci_crossings_next(s, &at, &crossing))
        if (crossing.edge != DC_NONE) dci_crossing_part(s, &crossing);
    /* Limit the pushes and apply them. */
    dc_real longest = dci_vec_longest(s->push, s->vertex_count);
    for (dc_index v = 0; v < s->vertex_count; v++) {
        dc_real length = dci_norm(s->push[v]);
        if (!(length > 0)) continue;
        length = s->leap > 0 ? length : longest;
        s->push[v] = dci_vec_scale(dci_min(1, most / length), s->push[v]);
        dci_surface_move(s, v, dci_vec_add(s->end[v], s->push[v]));
    }
}

/* ============================================================================================
 * 34 REPULSION                                                                         dci_repel
 *
 * Most contacts are treated before they happen. Where D + w_n < h, the approach stops at h.
 * Features closer than h stop and are pushed apart slowly, [EB08] (15) after [BFA02]:
 *
 *     w_n' = max( w_n, h - D )                     if D >= h
 *     w_n' = max( w_n, (h - D) / DCI_PUSH_STEPS )  otherwise                           (34.1)
 *
 * Stops include friction, (32.4); pushes follow after all stops. In a pile a layer approaches the
 * one below only after that one has been stopped. So passes are repeated, back and forth, until the
 * largest approach is small. Inelastic stops add no energy.
 *
 * Departures from [EB08]. After a single pass, pushes would carry the upper layers of a pile
 * without friction, and they would slide. Contacts are pairs too close at the end, not only at the
 * start: a resting sheet's distance fluctuates about h, and it would slide in every step that
 * starts above h. Only stops cause friction. If pushes did, too, sheets would stick on slopes
 * steeper than their friction angle. Pushes change positions but not velocities, so cloth does not
 * leave with (h - D) / DCI_PUSH_STEPS per step.
 *
 * Where impacts are resolved all at once (chapter 37), large approaches are left to that. So are
 * all contacts of ribbons: moving their few vertices one by one would crush the segment that hits
 * the ground, and flattening it again would throw it off. For pairs with contact constraints
 * (chapter 21) h is small, because every correction here changes lengths, and never exceeds D,
 * because (21.2) already separates what is too close. Of these pairs, only those that would end
 * closer than h are stopped: in a turning fold, others approach along the normal at the start
 * without coming close.
 * ============================================================================================ */

enum { DCI_REPEL_PASSES_MAX = 20 }; /* the rest is left to impulses */
/* The passes end when the largest approach is this part of that in the first pass. */
#define DCI_REPEL_TOL DCI_R(0.01)
/* h of pairs with contact constraints, as a part of the thickness: twice that in (32.3). With a
   half, pinched cloth would be pushed in every step. */
#define DCI_REPEL_PART_WITH_ROWS DCI_R(0.02)
/* Largest approach stopped here if chapter 37 follows, as a part of the mean edge: such a stop
   cannot turn a triangle over. */
#define DCI_REPEL_EDGES_WITH_GLOBAL DCI_R(0.5)

static int dci_repel_has_row(const dci_surface *s, const dci_pair *pair)
{
    return s->has_rows && !pair->is_unconstrained && !pair->is_crossed;
}

/* h of (34.1), for features at this distance. */
static dc_real dci_repel_thickness(const dci_surface *s, const dci_pair *pair, dc_real distance)
{
    dc_real thickness = dci_pair_thickness(s, pair);
    if (!dci_repel_has_row(s, pair)) return thickness;
    return dci_min(DCI_REPEL_PART_WITH_ROWS * thickness, distance);
}

static int dci_repel_is_exempt(const dci_surface *s, const dci_pair *pair)
{
    int expels = s->start_policy == DC_START_SEPARATE && !dci_pair_has_cones(s, pair);
    int has_ribbon = s->body[s->body_of[pair->vertex[0]]].is_ribbon ||
                     s->body[s->body_of[pair->vertex[3]]].is_ribbon;
    return (pair->is_crossed && !expels) || (s->global && has_ribbon);
}

static dc_real dci_repel_deficit(const dci_surface *s, const dci_pair *pair,
                                 const dci_contact *contact)
{
    dc_real distance = contact->distance - dci_pair_radii(s, pair);
    return dci_repel_thickness(s, pair, distance) - distance;
}

/* The contact of a pair at the start, and by how much it is closer than h. */
static int dci_repel_contact(const dci_surface *s, const dci_pair *pair, dci_contact *contact,
                             dc_real *deficit)
{
    if (dci_repel_is_exempt(s, pair)) return 0;
    if (!dci_pair_contact(s, pair, s->start, contact) || contact->is_beside) return 0;
    *deficit = dci_repel_deficit(s, pair, contact);
    return 1;
}

/* Whether features are closer than h plus both displacements, so that passes may bring them too
   close. With a row they must also end closer. */
static int dci_repel_is_near(const dci_surface *s, const dci_pair *pair)
{
    dc_index first_count = dci_first_count(pair->corner_count), k;
    dc_real u_sq[2] = {0, 0}, deficit;
    dci_contact contact, end;
    if (dci_repel_is_exempt(s, pair) || !dci_pair_nearest(pair, s->start, &contact)) return 0;
    deficit = dci_repel_deficit(s, pair, &contact);
    for (k = 0; k < 4; k++) {
        dc_vec3 u = dci_vec_sub(s->end[pair->vertex[k]], s->start[pair->vertex[k]]);
        u_sq[k >= first_count] = dci_max(u_sq[k >= first_count], dci_dot(u, u));
    }
    if (!(DC_SQRT(u_sq[0]) + DC_SQRT(u_sq[1]) + deficit > 0)) return 0;
    return !dci_repel_has_row(s, pair) || !dci_pair_nearest(pair, s->end, &end) ||
           !(end.distance > contact.distance + deficit);
}

/* Stops each approach up to a bound once, in the list's order or its reverse. A pair that is too
   close is a contact even if it separates: a push follows. Returns the largest stop [m]. */
static dc_real dci_repel_pass(dci_surface *s, dc_report *report, dc_real approach_max,
                              int is_backward)
{
    dc_index i, count = s->pair_count;
    dc_real largest = 0, deficit;
    dci_meter_add(s->meter, count, DCI_WORK_NEAR);
    for (i = 0; i < count; i++) {
        dc_index number = is_backward ? count - 1 - i : i;
        dci_pair pair = s->pair[number];
        dci_contact contact;
        if (!pair.is_near || !dci_repel_contact(s, &pair, &contact, &deficit)) continue;
        dc_real w_n = dci_dot(dci_contact_motion(s, &pair, &contact), contact.normal);
        if (!(deficit > 0 || deficit > w_n)) continue;
        if (-w_n > approach_max) continue;
        report->counters.repulsions += !s->pair[number].is_contact;
        s->pair[number].is_contact = 1;
        largest = dci_max(largest, dci_contact_stop(s, &pair, &contact, dci_max(0, -deficit)));
    }
    return largest;
}

static void dci_repel_run(dci_surface *s, dc_report *report)
{
    dc_index i, pass, count;
    dc_real largest, first;
    dc_real approach_max = s->global ? DCI_REPEL_EDGES_WITH_GLOBAL * s->free_edge : DCI_REAL_MAX;
    /* Stop approaches in passes over all near pairs. */
    for (i = 0; i < s->pair_count; i++)
        s->pair[i].is_near = (unsigned char)dci_repel_is_near(s, s->pair + i);
    first = dci_repel_pass(s, report, approach_max, 0);
    for (pass = 1, largest = first; pass < DCI_REPEL_PASSES_MAX; pass++) {
        if (!(largest > DCI_REPEL_TOL * first) || dci_meter_is_over(s->meter)) break;
        largest = dci_repel_pass(s, report, approach_max, pass % 2);
    }
    /* Push contacts apart; pairs added by this are not contacts. */
    count = s->pair_count;
    for (i = 0; i < count; i++) {
        dci_pair pair = s->pair[i];
        dci_contact contact;
        dc_real deficit, missing;
        if (!pair.is_contact || !dci_repel_contact(s, &pair, &contact, &deficit)) continue;
        missing = deficit / DCI_PUSH_STEPS -
                  dci_dot(dci_contact_motion(s, &pair, &contact), contact.normal); /* (34.1) */
        if (deficit > 0 && missing > 0)
            dci_contact_change(s, &pair, &contact, missing, contact.normal, 1);
    }
}

/* ============================================================================================
 * 35 IMPULSES                                                                        dci_impulse
 *
 * All pairs are queued. A pair that continuous collision detection (chapter 28) does not prove
 * clear gets an impulse along the normal of its contact, which stops the approach (inelastic), and
 * friction slows sliding; all pairs of the moved vertices are queued again. Among layers this may
 * take long, so a pair is left to the next stage after a few impulses.
 * ============================================================================================ */

enum { DCI_RESPONSES_MAX = 8 }; /* to one pair, here and in chapter 37; and rounds there */

/* Whether a pair is proved clear, or exempt; if not, its contact. */
static int dci_pair_is_clear(const dci_surface *s, const dci_pair *pair, dci_contact *contact)
{
    dci_sweep sweep;
    dci_sweep_sample at;
    if (pair->is_crossed && !dci_pair_is_frozen(s, pair)) return 1;
    DC_MEMSET(&at, 0, sizeof at);
    dci_pair_sweep(pair, s->start, s->end, &sweep);
    if (dci_sweep_prepare(&sweep, dci_pair_separation(s, pair, &sweep)) &&
        dci_sweep_follow(&sweep, &at) == DC_CCD_CLEAR)
        return 1;
    *contact = dci_contact_of(pair->corner_count, &at.nearest, at.normal);
    return 0;
}

static void dci_impulse_run(dci_surface *s, dc_report *report)
{
    dc_index number;
    while ((number = dci_surface_dequeue(s)) != DC_NONE) {
        dci_pair pair = s->pair[number];
        dci_contact contact;
        if (pair.responses >= DCI_RESPONSES_MAX || dci_pair_is_clear(s, &pair, &contact)) continue;
        s->pair[number].responses++;
        s->pair[number].is_contact = 1;
        report->counters.impulses++;
        dci_contact_stop(s, &pair, &contact, 0);
    }
}

/* ============================================================================================
 * 36 IMPACT ZONES                                                                       dci_zone
 *
 * Pairs that impulses cannot separate move like a rigid body, [Pro97]. The vertices of a pair that
 * is not clear form a zone; zones with a common vertex merge. Linear and angular momentum are
 * conserved:
 *
 *     m = sum m_i,   centre = sum m_i x_i / m,   r_i = x_i - centre,   P = sum m_i u_i (36.1)
 *     L = sum m_i r_i x u_i,   I = sum m_i ( |r_i|^2 1 - r_i r_i^T )
 *     I omega = L,   end_i = centre + P/m + R r_i                                      (36.2)
 *
 * where x_i is at the start and R the rotation by |omega| about omega. If all vertices are on a
 * line, I is singular. A rotation about the line moves nothing, so its row is dropped.
 *
 * A rotating vertex still moves in a straight line, so pairs inside a zone are tested like others.
 * If one is not clear, its zone only translates from then on, without relative motion. So every
 * pair that is not clear merges zones or ends a rotation: the stage terminates. A zone with
 * kinematic vertices follows the rigid motion that fits these best, by the same sums over them with
 * equal masses. If kinematic vertices themselves approach each other, as two obstacles may, the
 * pair is unresolved and the step is subdivided.
 * ============================================================================================ */

typedef struct dci_rigid {
    dc_vec3 centre; /* [m]                                                                       */
    dc_vec3 shift;  /* P/m [m]                                                                   */
    dc_vec3 turn;   /* omega [rad]                                                               */
} dci_rigid;

/* m_i of (36.1). */
static dc_real dci_zone_mass(const dci_surface *s, dc_index v, int has_kinematic)
{
    if (has_kinematic) return s->inv_mass[v] > 0 ? DCI_R(0) : DCI_R(1);
    return 1 / s->inv_mass[v];
}

/* Solves A x = b, A semi-definite, its lower triangle by rows; x is 0 where a pivot is rounding. */
static dc_vec3 dci_solve_3x3(const dc_real a[6], dc_vec3 b)
{
    const dc_real least = 64 * DCI_EPSILON * (a[0] + a[2] + a[5]);
    dc_real x0 = 0, x1 = 0, x2 = 0, l10 = 0, l20 = 0, l21 = 0, d1, d2, y1, y2;
    if (a[0] > least) l10 = a[1] / a[0], l20 = a[3] / a[0];
    d1 = a[2] - l10 * a[1];
    if (d1 > least) l21 = (a[4] - l20 * a[1]) / d1;
    d2 = a[5] - l20 * a[3] - l21 * l21 * d1;
    y1 = b.y - l10 * b.x;
    y2 = b.z - l20 * b.x - l21 * y1;
    if (d2 > least) x2 = y2 / d2;
    if (d1 > least) x1 = y1 / d1 - l21 * x2;
    if (a[0] > least) x0 = b.x / a[0] - l10 * x1 - l20 * x2;
    return dci_vec(x0, x1, x2);
}

/* Adds a mass m at r from the centre, moved by u, to L and I of (36.1), I stored like A. */
static void dci_rigid_add(dc_vec3 *moment, dc_real inertia[6], dc_real m, dc_vec3 r, dc_vec3 u)
{
    *moment = dci_vec_axpy(*moment, m, dci_cross(r, u));
    inertia[0] += m * (r.y * r.y + r.z * r.z);
    inertia[1] -= m * r.x * r.y;
    inertia[2] += m * (r.x * r.x + r.z * r.z);
    inertia[3] -= m * r.x * r.z;
    inertia[4] -= m * r.y * r.z;
    inertia[5] += m * (r.x * r.x + r.y * r.y);
}

/* The motion of a zone by the sums of (36.1). */
static dci_rigid dci_zone_motion(const dci_surface *s, dc_index zone)
{
    dci_rigid rigid;
    dc_vec3 momentum = dci_vec(0, 0, 0), moment = momentum;
    dc_real mass = 0, inertia[6] = {0, 0, 0, 0, 0, 0};
    dc_index v = zone;
    int has_kinematic = 0;
    rigid.centre = dci_vec(0, 0, 0);
    do has_kinematic |= !(s->inv_mass[v] > 0);
    while ((v = s->zone_next[v]) != zone);
    do {
        dc_real m = dci_zone_mass(s, v, has_kinematic);
        mass += m;
        rigid.centre = dci_vec_axpy(rigid.centre, m, s->start[v]);
        momentum = dci_vec_axpy(momentum, m, dci_vec_sub(s->end[v], s->start[v]));
    } while ((v = s->zone_next[v]) != zone);
    rigid.centre = dci_vec_scale(1 / mass, rigid.centre);
    rigid.shift = dci_vec_scale(1 / mass, momentum);
    do {
        dc_real m = dci_zone_mass(s, v, has_kinematic);
        dci_rigid_add(&moment, inertia, m, dci_vec_sub(s->start[v], rigid.centre),
                      dci_vec_sub(s->end[v], s->start[v]));
    } while ((v = s->zone_next[v]) != zone);
    rigid.turn = s->only_translates[zone] ? dci_vec(0, 0, 0) : dci_solve_3x3(inertia, moment);
    return rigid;
}

/* Moves the free vertices of a zone, (36.2). */
static void dci_zone_apply(dci_surface *s, dc_index zone)
{
    dci_rigid rigid = dci_zone_motion(s, zone);
    dc_index v = zone;
    int is_turning = dci_dot(rigid.turn, rigid.turn) > 0;
    dci_meter_add(s->meter, s->zone_size[zone], DCI_WORK_NEAR);
    do {
        dc_vec3 r = dci_vec_sub(s->start[v], rigid.centre);
        dc_vec3 moved =
            is_turning ? dci_vec_sub(dci_vec_rotate(r, rigid.turn), r) : dci_vec(0, 0, 0);
        if (!(s->inv_mass[v] > 0)) continue;
        dci_surface_move(s, v, dci_vec_add(s->start[v], dci_vec_add(rigid.shift, moved)));
    } while ((v = s->zone_next[v]) != zone);
}

static void dci_zone_count(const dci_surface *s, dc_counters *counters)
{
    for (dc_index v = 0; v < s->vertex_count; v++)
        counters->zones += s->zone[v] == v && s->zone_size[v] > 1;
}

/* Queues all pairs that were ever not clear again, and empties the queue. Counts those that are not
   clear though their zone only translates. */
static void dci_zone_run(dci_surface *s, dc_report *report)
{
    dc_index i, number;
    for (i = 0; i < s->pair_count; i++)
        if (s->pair[i].responses > 0) dci_surface_enqueue(s, i);
    if (s->queue_count == 0) return;
    dci_zone_begin(s);
    while ((number = dci_surface_dequeue(s)) != DC_NONE) {
        dci_pair pair = s->pair[number];
        dc_index zone = s->zone[pair.vertex[0]];
        dci_contact contact;
        int is_new = 0;
        if (dci_pair_is_clear(s, &pair, &contact)) continue;
        /* Merge the zones of the pair, or let their common zone only translate. */
        for (i = 1; i < 4; i++) is_new |= dci_zone_join(s, zone, pair.vertex[i]);
        if (!is_new && s->only_translates[zone]) {
            if (report->unresolved++ == 0) report->first_unresolved = dci_pair_features(s, &pair);
            continue;
        }
        s->pair[number].is_contact = 1;
        if (!is_new) s->only_translates[zone] = 1;
        report->counters.merges++;
        dci_zone_apply(s, zone);
        dci_surface_enqueue(s, number); /* even if no vertex of the zone is free */
    }
    dci_zone_count(s, &report->counters);
}

#ifndef DC_NO_GLOBAL_IMPACTS

/* ============================================================================================
 * 37 NON-RIGID IMPACT ZONES                                                            dci_global
 *
 * Impulses (chapter 35) stop contacts one by one, by four vertices. In a long step or on a coarse
 * mesh one vertex, alone, is thrown back by an edge or more, which tears triangles apart. Here all
 * contacts are stopped at once, by the smallest change y of the ends in a mesh norm, [PHB15] sec.
 * 5.2:
 *
 *     E(y) = 1/2 sum over i of m_i |y_i|^2 + K/2 sum over edges of |y_i - y_j|^2      (37.1)
 *     n_k . (w_k + sum over i of c_ki y_i) >= 0        for every contact k            (37.2)
 *
 * with w_k of (32.1) before the stage. K = 0 is [HVTG08]. With K > 0, neighbours move along:
 *
 *               o                         o          A sheet falls on a bar below its middle
 *     K = 0:   / \            K > 0:   o     o       vertex. Its neighbours follow, by a fraction
 *             |   |                  o         o     that falls to 1/e after sqrt(K/m), about ten,
 *     o--o--o-+   +-o--o--o       o               o  edges.
 *
 * With H = M + K Delta, the same for all coordinates, and impulses f_k = q_k n_k,
 *
 *     H y = sum over k of c_k f_k,      w_j becomes w_j + sum over k of A_jk f_k       (37.3)
 *     A_jk = c_j^T H^-1 c_k
 *
 * so that only the last step involves all vertices. The minimum of (37.1) under (37.2) is given by
 *
 *     q >= 0,  S q >= b,  q . (S q - b) = 0,   S_jk = A_jk n_j . n_k,  b_j = -n_j . w_j    (37.4)
 *
 * i.e. the minimum of 1/2 q S q - b q over q >= 0. Sweeps of Gauss and Seidel lead there, [Hil57]:
 * one contact after another gets the impulse that stops it, with w_k by all present impulses,
 *
 *     q_k <- max( 0, q_k - n_k . w_k / A_kk )                                          (37.5)
 *
 * This is the minimum along q_k, and lowers the function by at least A_kk / 2 times the square of
 * the change. If some y satisfies (37.2), the function is bounded below. So changes tend to 0, and
 * where no q_k changes, (37.4) holds. If none does, as between jaws that close, impulses grow in
 * every sweep; the sweeps are bounded, and the next stage follows. Where contacts are dense, 50
 * sweeps leave up to a hundredth of an approach.
 *
 * Two contacts on a line, no stiffness: S = | 2 -1 |  b = (1, 3). The first sweep gives q = (1/2,
 *                                           |-1  2 |  7/4), the second (11/8, 35/16). Each divides
 * the distance from the solution (5/3, 7/3) by 4.
 *
 * Friction, (32.4), is Coulomb's law for f_k = q_k n_k + p_k with p_k tangential. A_kk is the same
 * in all directions, so for one contact the law's solution is
 *
 *     g = f_k - w_k / A_kk,   q_k = max( 0, n_k . g ),   p_k = g - (n_k . g) n_k           (37.6)
 *
 * with p_k shortened to mu q_k. This replaces (37.5). The bound on p_k changes with q_k, so sweeps
 * with friction minimise no function, but they converge as well, [Jea99].
 *
 * Energy. Moving thirty neighbours may add more of it than stopping one fast vertex removes. So
 * only that part of y becomes velocity which minimises kinetic energy less the work of kinematic
 * vertices,
 *
 *     part = min( 1, -( sum of m_i u_i . y_i + sum of f_k . w'_k ) / sum of m_i |y_i|^2 )  (37.7)
 *
 * but no less than 0, with u_i before the stage and w'_k the kinematic vertices' part of w_k. Where
 * a sheet lands in one piece the part is 1; where a corner whips into something, it is small. The
 * rest of y changes only positions, like the push of chapter 34.
 *
 * Contacts are those at the time of contact, chapter 28. Once all are stopped there may be others,
 * or the same with another normal; these are added, and the sweeps go on from the impulses so far.
 * After some rounds, or if a pair recurs too often or the capacity is reached, rigid zones
 * follow. They test all pairs that were ever not clear, so the proof does not rely on this chapter.
 *
 * Departures. In [PHB15] masses are 1; ours are those of the vertices, and K is relative to their
 * mean. So linear momentum among free vertices is conserved, as Delta has constants in its null
 * space; angular momentum is not, as in [PHB15]: edges resist rotation. Kinematic vertices are not
 * unknowns, but edges to them resist. The sweeps, (37.7) and the bound on contacts are ours.
 *
 * In a hard impact the surroundings, ten edges wide, stop together. Memory: H and its factor, 400
 * to 750 bytes per vertex or more; of contacts, half the square of their number. Work: a solution
 * with H for each contact, and the square of their number for each sweep.
 * ============================================================================================ */

/* K of (37.1) relative to the mean mass of a free vertex, as in [PHB15] where masses are 1. */
#define DCI_GLOBAL_STIFFNESS DCI_R(100)
enum { DCI_GLOBAL_PER_VERTEX = 4, DCI_GLOBAL_CONTACTS_MAX = 512 }; /* contacts; 1.2 MB */
/* Sweeps end when the largest change of a w_k is this part of that in the round's first sweep: well
   below the hundredth of an approach that dense contacts leave anyway. */
#define DCI_GLOBAL_TOL DCI_R(1e-3)
enum { DCI_GLOBAL_SWEEPS_MAX = 50 };

/* ---- Plan and memory ---- */

typedef struct dci_impact {
    dc_index vertex[4];
    dc_real factor[4];  /* c, but 0 of kinematic vertices                                        */
    dc_vec3 normal;     /* unit                                                                  */
    dc_vec3 motion;     /* w [m], with all impulses                                              */
    dc_vec3 prescribed; /* w' [m], the part of kinematic vertices                                */
    dc_vec3 force;      /* f [kg m]                                                              */
    dc_real friction;   /* mu                                                                    */
} dci_impact;

typedef struct dci_global {
    dc_index vertex_count, capacity, count; /* the last two of contacts                          */
    dc_sparse matrix;                       /* H                                                 */
    dc_cholesky factor;
    dc_real stiffness; /* K relative to the mean mass                                            */
    int is_factored;
    dc_real *inv_mass;  /* (vertex_count) for which H is factored                                */
    dc_vec3 *before;    /* (vertex_count) [m] the ends before the stage                          */
    dc_vec3 *change;    /* (vertex_count) [m] y, and work                                        */
    dci_impact *impact; /* (capacity)                                                            */
    dc_real *a;         /* (capacity, capacity) lower rows, A                                    */
} dci_global;

/* The place of (i, j) or (j, i) in lower rows. */
static dc_index dci_global_place(dc_index i, dc_index j)
{
    return i < j ? j * (j + 1) / 2 + i : i * (i + 1) / 2 + j;
}

/* H for the masses of the surface, with K and the diagonal of kinematic vertices. */
static void dci_global_build(dci_global *g, const dci_surface *s, dc_real stiffness,
                             dc_real kinematic)
{
    dc_sparse *matrix = &g->matrix;
    dc_index end = 0, v, place;
    for (v = 0; v < g->vertex_count; v++) {
        int is_free = s->inv_mass[v] > 0;
        dc_real degree = (dc_real)(s->edge_start[v + 1] - s->edge_start[v]);
        matrix->start[v] = end;
        matrix->column[end] = v;
        matrix->value[end++] = is_free ? 1 / s->inv_mass[v] + stiffness * degree : kinematic;
        for (place = s->edge_start[v]; place < s->edge_start[v + 1]; place++) {
            const dc_index *edge = s->edge + 2 * s->edge_at[place];
            dc_index i = edge[0] + edge[1] - v;
            if (i > v) continue;
            matrix->column[end] = i;
            matrix->value[end++] = is_free && s->inv_mass[i] > 0 ? -stiffness : DCI_R(0);
        }
    }
    matrix->start[v] = end;
}

static dc_status dci_global_make(dci_surface *s, const dc_mesh *moving, dci_arena *arena,
                                 dc_error *error)
{
    dci_global *g = (dci_global *)dci_arena_take(arena, 1, sizeof(dci_global));
    dc_cholesky_desc desc = dc_cholesky_defaults();
    dc_index n = moving->vertex_count;
    if (!g) return dci_arena_fail(arena, error);
    s->global = g;
    g->vertex_count = n;
    g->stiffness = DCI_GLOBAL_STIFFNESS;
    dci_sparse_layout(arena, &g->matrix, n, n, dci_index_or_none((int64_t)n + moving->edge_count));
    if (arena->is_short) return dci_arena_fail(arena, error);
    dci_global_build(g, s, 0, 1); /* its pattern */
    desc.rhs_max = 3;
    dc_status status = dci_cholesky_make(&g->matrix, &desc, arena, &g->factor, error);
    if (status != DC_OK) return status;
    g->inv_mass = dci_arena_reals(arena, n);
    g->before = dci_arena_vectors(arena, n);
    g->change = dci_arena_vectors(arena, n);
    g->capacity = dci_index_min(DCI_GLOBAL_PER_VERTEX * n, DCI_GLOBAL_CONTACTS_MAX);
    g->impact = (dci_impact *)dci_arena_take(arena, g->capacity, sizeof(dci_impact));
    g->a = dci_arena_reals(arena, dci_global_place(g->capacity, 0));
    return arena->is_short ? dci_arena_fail(arena, error) : DC_OK;
}

/* Factors H if masses have changed. False on failure. */
static int dci_global_factor(dci_global *g, const dci_surface *s)
{
    dc_real mean = 0;
    dc_index v, free_count = 0;
    int is_new = !g->is_factored;
    for (v = 0; v < g->vertex_count; v++) {
        is_new |= g->inv_mass[v] != s->inv_mass[v];
        g->inv_mass[v] = s->inv_mass[v];
        if (!(g->inv_mass[v] > 0)) continue;
        mean += 1 / g->inv_mass[v];
        free_count++;
    }
    if (!is_new) return 1;
    g->is_factored = 0;
    if (free_count == 0) return 0;
    mean /= (dc_real)free_count;
    dci_global_build(g, s, g->stiffness * mean, mean);
    g->is_factored =
        dc_cholesky_factor(&g->factor, g->matrix.value, 0, DC_PIVOTS_REFUSE, NULL) == DC_OK;
    return g->is_factored;
}

/* ---- Contacts ---- */

/* c_j . y */
static dc_real dci_impact_dot(const dci_impact *impact, const dc_real *y)
{
    dc_real sum = 0;
    for (int i = 0; i < 4; i++)
        if (impact->factor[i] != 0) sum += impact->factor[i] * y[impact->vertex[i]];
    return sum;
}

/* Adds a contact and its row of A, unless it is rigid. */
static void dci_global_add(dci_global *g, const dci_surface *s, const dci_pair *pair,
                           const dci_contact *contact)
{
    dc_index k = g->count, j, i;
    dci_impact *impact = g->impact + k;
    dc_real *y = dci_reals(g->change);
    if (!dci_global_factor(g, s)) return;
    impact->normal = contact->normal;
    impact->motion = impact->prescribed = dci_contact_motion(s, pair, contact);
    impact->force = dci_vec(0, 0, 0);
    impact->friction = dci_pair_friction(s, pair);
    for (i = 0; i < g->vertex_count; i++) y[i] = 0;
    for (i = 0; i < 4; i++) {
        dc_index v = pair->vertex[i];
        dc_real c = s->inv_mass[v] > 0 ? contact->factor[i] : DCI_R(0);
        impact->vertex[i] = v;
        impact->factor[i] = c;
        if (c == 0) continue;
        impact->prescribed =
            dci_vec_axpy(impact->prescribed, -c, dci_vec_sub(s->end[v], s->start[v]));
        y[v] = c;
    }
    dc_cholesky_solve(&g->factor, 1, y, y);
    dci_meter_add(s->meter, 1, dci_cholesky_solve_work(&g->factor) + 4 * (uint64_t)k);
    for (j = 0; j <= k; j++) g->a[dci_global_place(k, j)] = dci_impact_dot(g->impact + j, y);
    if (dci_is_positive(g->a[dci_global_place(k, k)])) g->count++;
}

/* Adds contacts of pairs that are not clear. Returns their number. */
static dc_index dci_global_collect(dci_global *g, dci_surface *s)
{
    dc_index count = g->count, number;
    while ((number = dci_surface_dequeue(s)) != DC_NONE) {
        dci_pair pair = s->pair[number];
        dci_contact contact;
        if (pair.responses >= DCI_RESPONSES_MAX || dci_pair_is_clear(s, &pair, &contact)) continue;
        s->pair[number].responses++;
        s->pair[number].is_contact = 1;
        if (g->count == g->capacity) continue;
        if (dci_contact_compliance(s, &pair, &contact) > 0) dci_global_add(g, s, &pair, &contact);
    }
    return g->count - count;
}

/* Stops contact k, (37.6). Returns by how much its motion changes [m]. */
static dc_real dci_global_stop(dci_global *g, dc_index k)
{
    dci_impact *impact = g->impact + k;
    dc_real rate = g->a[dci_global_place(k, k)], along, q;
    dc_vec3 force = dci_vec_axpy(impact->force, -1 / rate, impact->motion), change;
    along = dci_dot(force, impact->normal);
    q = dci_max(0, along);
    force = dci_vec_clamp(dci_vec_axpy(force, -along, impact->normal), impact->friction * q);
    force = dci_vec_axpy(force, q, impact->normal); /* (37.6) */
    change = dci_vec_sub(force, impact->force);
    if (!(dci_dot(change, change) > 0)) return 0;
    impact->force = force;
    for (dc_index j = 0; j < g->count; j++)
        g->impact[j].motion =
            dci_vec_axpy(g->impact[j].motion, g->a[dci_global_place(j, k)], change); /* (37.3) */
    return rate * dci_norm(change);
}

/* Sweeps until impulses hardly change. */
static void dci_global_solve(dci_global *g, dci_meter *meter)
{
    dc_real first = 0, largest = 1;
    for (dc_index sweep = 0; sweep < DCI_GLOBAL_SWEEPS_MAX && !dci_meter_is_over(meter); sweep++) {
        if (!(largest > DCI_GLOBAL_TOL * first)) break;
        largest = 0;
        for (dc_index k = 0; k < g->count; k++) largest = dci_max(largest, dci_global_stop(g, k));
        if (sweep == 0) first = largest;
        dci_meter_add(meter, g->count, (uint64_t)g->count);
    }
}

/* Computes y of (37.3), and moves the ends. */
static void dci_global_move(dci_global *g, dci_surface *s)
{
    dc_index v, k, i;
    for (v = 0; v < g->vertex_count; v++) g->change[v] = dci_vec(0, 0, 0);
    for (k = 0; k < g->count; k++) {
        const dci_impact *impact = g->impact + k;
        for (i = 0; i < 4; i++) {
            if (impact->factor[i] == 0) continue;
            v = impact->vertex[i];
            g->change[v] = dci_vec_axpy(g->change[v], impact->factor[i], impact->force);
        }
    }
    dc_cholesky_solve(&g->factor, 3, dci_const_reals(g->change), dci_reals(g->change));
    for (v = 0; v < g->vertex_count; v++) {
        dc_vec3 end = dci_vec_add(g->before[v], g->change[v]), now = s->end[v];
        if (!(s->inv_mass[v] > 0) || !dci_vec_is_finite(end)) continue;
        if (end.x != now.x || end.y != now.y || end.z != now.z) dci_surface_move(s, v, end);
    }
}

/* Splits the change into velocity, (37.7), and push. */
static void dci_global_part(dci_global *g, dci_surface *s)
{
    dc_real loss = 0, square = 0, part;
    dc_index v, k;
    for (v = 0; v < g->vertex_count; v++) {
        dc_vec3 y = dci_vec_sub(s->end[v], g->before[v]);
        if (!(g->inv_mass[v] > 0)) continue;
        loss -= dci_dot(y, dci_vec_sub(g->before[v], s->start[v])) / g->inv_mass[v];
        square += dci_dot(y, y) / g->inv_mass[v];
    }
    for (k = 0; k < g->count; k++) loss -= dci_dot(g->impact[k].force, g->impact[k].prescribed);
    if (!(loss < square)) return;
    part = 1 - dci_max(0, loss / square);
    for (v = 0; v < g->vertex_count; v++)
        s->push[v] = dci_vec_axpy(s->push[v], part, dci_vec_sub(s->end[v], g->before[v]));
}

static void dci_global_run(dci_surface *s, dc_report *report)
{
    dci_global *g = s->global;
    for (dc_index v = 0; v < g->vertex_count; v++) g->before[v] = s->end[v];
    g->count = 0;
    for (dc_index round = 0; round < DCI_RESPONSES_MAX && !dci_meter_is_over(s->meter); round++) {
        /* Find new contacts, and stop all found so far. */
        dc_index added = dci_global_collect(g, s);
        if (added == 0) break;
        report->counters.global_contacts += added;
        report->counters.global_rounds++;
        dci_global_solve(g, s->meter);
        dci_global_move(g, s);
    }
    if (g->count > 0) dci_global_part(g, s);
}

enum { DCI_HAS_GLOBAL = 1 };

#else

enum { DCI_HAS_GLOBAL = 0 };

static dc_status dci_global_make(dci_surface *s, const dc_mesh *moving, dci_arena *arena,
                                 dc_error *error)
{
    (void)s, (void)moving, (void)arena;
    return dci_bad(error, "DC_IMPACTS_GLOBAL is left out of this build", DC_NONE, 0);
}

#endif /* DC_NO_GLOBAL_IMPACTS */

/* ============================================================================================
 * 38 COLLISIONS                                                                       dci_collide
 *
 * Turns the candidate motions of all vertices in one step into motions that are proved clear:
 *
 *     find all pairs and queue them                                         chapter 31
 *     if something may cross: find and mark crossings                       chapter 33
 *     run each stage of the table that applies                              chapters 33 to 37
 *     certified if nothing crossed at the start, the queue is empty and no pair is unresolved
 *
 * Why this is a proof. At the start nothing crosses. A pair leaves the queue only when it is proved
 * clear for the current motion, or to return for the last stage; when a vertex's motion changes,
 * all its pairs return. All features that are to be kept apart and may touch are pairs, because
 * boxes contain the motion and (31.1) excludes only pairs that cannot touch. Features with a common
 * vertex need no test: an edge that ends at a corner of a triangle can meet it elsewhere only in
 * its plane, where the edge's other end touches the triangle or the edge its opposite side, and
 * these are pairs. So if the queue is empty and no pair is unresolved, no vertex went through a
 * triangle and no edge through an edge, and nothing crosses at the end. The ends are the very
 * positions at which the next step starts (chapter 49).
 * ============================================================================================ */

/* A stage takes the surface with a queue of pairs that are not proved clear. It changes `end` of
   free vertices by dci_surface_move(), which queues their pairs again; without contact it changes
   nothing. Between free vertices it conserves linear momentum. A pair that it takes from the queue
   is proved clear, or has `responses` from then on, so that the last stage queues it again. */
typedef struct dci_stage {
    const char *name;
    void (*run)(dci_surface *surface, dc_report *report);
    int is_run[2]; /* with impacts one by one, and all at once                                   */
} dci_stage;

static const dci_stage dci_stages[] = {{"separation", dci_crossing_run, {1, 1}},
                                       {"repulsion", dci_repel_run, {1, 1}},
                                       {"impulses", dci_impulse_run, {1, 0}},
#ifndef DC_NO_GLOBAL_IMPACTS
                                       {"non-rigid impact zones", dci_global_run, {0, 1}},
#endif
                                       {"impact zones", dci_zone_run, {1, 1}}};

enum { DCI_STAGE_COUNT = sizeof dci_stages / sizeof dci_stages[0] };

static void dci_collide_count(const dci_surface *s, dc_report *report)
{
    dc_counters *counters = &report->counters;
    for (dc_index i = 0; i < s->pair_count; i++) {
        const dci_pair *pair = s->pair + i;
        dci_contact end;
        dc_real distance = -dci_pair_radii(s, pair);
        if (!pair->is_contact) continue;
        if (dci_pair_nearest(pair, s->end, &end)) distance += end.distance;
        if (counters->vertex_contacts + counters->edge_contacts == 0 ||
            distance < report->smallest_distance)
            report->smallest_distance = distance;
        counters->vertex_contacts += pair->corner_count == 3;
        counters->edge_contacts += pair->corner_count == 4;
        counters->obstacle_contacts += s->body[s->body_of[pair->vertex[0]]].is_obstacle ||
                                       s->body[s->body_of[pair->vertex[3]]].is_obstacle;
    }
}

static void dci_collide_run_stages(dci_surface *s, dc_report *report)
{
    for (dc_index i = 0; i < s->vertex_count; i++) s->push[i] = dci_vec(0, 0, 0);
    for (dc_index i = 0; i < DCI_STAGE_COUNT && s->pairs_needed <= s->pair_capacity; i++)
        if (dci_stages[i].is_run[s->global != NULL]) dci_stages[i].run(s, report);
}

static void dci_collide_repeat(dci_surface *s, const dc_report *before, dc_report *report)
{
    *report = *before;
    dci_vec_copy(s->end, s->asked, s->vertex_count);
    dci_surface_renew_pairs(s);
    dci_collide_run_stages(s, report);
}

static int dci_collide_grows(dci_surface *s, dc_index count)
{
    return s->pairs_needed <= s->pair_capacity && !dci_meter_is_over(s->meter) &&
           dci_crossings_count(s, s->end) > count;
}

/* Runs the stages again while crossings grow: chapter 33. */
static void dci_collide_crossed(dci_surface *s, dc_report *report)
{
    const dc_report before = *report;
    dc_index count = dci_crossings_count(s, s->start), attempt;
    const dc_index leaps = s->start_policy == DC_START_SEPARATE ? DCI_CROSSING_LEAPS : 0;
    dci_vec_copy(s->asked, s->end, s->vertex_count);
    dci_collide_run_stages(s, report);
    if (report->unresolved > 0) return;
    for (attempt = 1; attempt <= leaps + 1; attempt++) {
        if (report->unresolved == 0 && !dci_collide_grows(s, count)) break;
        s->is_frozen = attempt > leaps;
        s->leap = s->is_frozen ? 0 : attempt;
        dci_collide_repeat(s, &before, report);
    }
    s->leap = s->is_frozen = 0;
    if (report->unresolved > 0) dci_collide_repeat(s, &before, report);
}

/* Runs the stages. Adds their work to the report, whose contacts become those of this step. Fails
   if pairs exceed the capacity, crossings are refused, or a pair is left. */
static dc_status dci_collide(dci_surface *s, dc_report *report, dc_error *error)
{
    dc_index crossings = 0;
    dc_status status;
    report->counters.vertex_contacts = report->counters.edge_contacts = 0;
    report->counters.obstacle_contacts = 0;
    report->smallest_distance = 0;
    report->unresolved = 0;
    /* Find the pairs that may touch. */
    if (s->has_rows)
        dci_surface_renew_pairs(s);
    else
        dci_surface_find_pairs(s);
    report->counters.pairs = dci_index_max(report->counters.pairs, s->pairs_needed);
    if ((status = dci_surface_check_pairs(s, error)) != DC_OK) return status;
    /* Find crossings at the start. */
    if (s->may_cross) crossings = dci_crossings_mark(s);
    report->crossings = dci_index_max(report->crossings, crossings);
    if (crossings > 0 && s->start_policy == DC_START_REFUSE)
        return dci_crossings_fail(s, crossings, error);
    if (crossings > 0)
        dci_collide_crossed(s, report);
    else
        dci_collide_run_stages(s, report);
    report->counters.pairs = dci_index_max(report->counters.pairs, s->pairs_needed);
    if ((status = dci_surface_check_pairs(s, error)) != DC_OK) return status;
    dci_collide_count(s, report);
    if (report->unresolved == 0) return DC_OK;
    dci_fail(error, DC_NOT_CONVERGED,
             "collisions could not be resolved; value is the number of pairs left", DC_NONE,
             (dc_real)report->unresolved);
    if (error) error->pair = report->first_unresolved;
    return DC_NOT_CONVERGED;
}

/* ============================================================================================
 * 39 COLLIDER                                                                        dc_collider
 *
 * The stages for positions that another solver finds: the surface, without a world.
 * ============================================================================================ */

/* Between steps surface.end holds the positions last proved clear, and surface.start obstacles. */
struct dc_collider {
    dci_surface surface;
    dc_index body_count;
    dc_index vertex_count; /* of the bodies, which are first in the surface                      */
    dc_vec3 *target;       /* (vertices of obstacles) [m]                                        */
};

static const dci_entry dci_collider_entries[] = {
    {DCI_ENTRY(dc_collider_desc, body_count), DCI_INDEX, 0, 1, DCI_COUNT_MAX},
    {DCI_ENTRY(dc_collider_desc, bodies), DCI_ARRAY, 0, 0, 0},
    {DCI_ENTRY(dc_collider_desc, obstacle_count), DCI_INDEX, 0, 0, DCI_COUNT_MAX},
    {DCI_ENTRY(dc_collider_desc, obstacles), DCI_ARRAY, 0, 0, 0},
    {DCI_ENTRY(dc_collider_desc, start), DCI_CHOICE, 0, 0, DC_START_SEPARATE},
    {DCI_ENTRY(dc_collider_desc, impacts), DCI_CHOICE, 0, 0, DCI_HAS_GLOBAL},
    {DCI_ENTRY(dc_collider_desc, pair_capacity), DCI_CAPACITY, DC_NONE, 1, DCI_COUNT_MAX},
    DCI_ENTRY_NONE};

dc_collider_desc dc_collider_defaults(void)
{
    dc_collider_desc desc;
    dci_desc_fill(&desc, sizeof desc, dci_collider_entries);
    return desc;
}

static const dci_entry dci_collider_body_entries[] = {
    {DCI_ENTRY(dc_collider_body, thickness), DCI_NOT_NEGATIVE, DCI_R(2e-3), 0, 0},
    {DCI_ENTRY(dc_collider_body, friction), DCI_NOT_NEGATIVE, DCI_R(0.3), 0, 0},
    {DCI_ENTRY(dc_collider_body, self_contact), DCI_SWITCH, 1, 0, 0},
    DCI_ENTRY_NONE};

dc_collider_body dc_collider_body_defaults(void)
{
    dc_collider_body body;
    dci_desc_fill(&body, sizeof body, dci_collider_body_entries);
    return body;
}

static dc_status dci_collider_check_masses(const dc_real *masses, dc_index count, dc_error *error)
{
    for (dc_index i = 0; masses && i < count; i++)
        if (!dci_is_not_negative(masses[i]))
            return dci_bad(error, "the mass of this vertex is negative or not finite", i,
                           masses[i]);
    return DC_OK;
}

static dc_status dci_collider_check(const dc_collider_desc *desc, dc_error *error)
{
    dc_status status = dci_desc_check(desc, dci_collider_entries, error);
    for (dc_index i = 0; status == DC_OK && i < desc->body_count; i++) {
        const dc_collider_body *body = desc->bodies + i;
        status = dci_mesh_check_counts(&body->mesh, error);
        if (status == DC_OK) status = dci_desc_check(body, dci_collider_body_entries, error);
        if (status == DC_OK)
            status = dci_collider_check_masses(body->masses, body->mesh.vertex_count, error);
        dci_in_body(error, status, i);
    }
    if (status != DC_OK) return status;
    return dci_obstacles_check(desc->obstacles, desc->obstacle_count, desc->body_count, error);
}

static void dci_collider_take_masses(dc_collider *collider, dc_index body, const dc_real *masses)
{
    dci_surface *s = &collider->surface;
    dc_index first = s->body[body].first_vertex, i;
    for (i = 0; i < dci_surface_count_of(s, body); i++) {
        dc_real mass = masses ? masses[i] : 0;
        s->mass[first + i] = mass;
        s->inv_mass[first + i] = mass > 0 ? 1 / mass : DCI_R(0);
    }
}

static dc_status dci_collider_build_surface(dc_collider *collider, const dc_collider_desc *desc,
                                            dci_arena *arena, dc_error *error)
{
    dci_surface *s = &collider->surface;
    dci_entered at = {0, 0, 0, 0};
    dc_mesh mesh;
    dc_status status;
    for (dc_index i = 0; i < desc->body_count; i++) {
        const dc_collider_body *body = desc->bodies + i;
        status = dci_surface_take_mesh(s, &body->mesh, 1, arena, &mesh, &at, error);
        if (status != DC_OK) return status;
        s->body[i].thickness = body->thickness;
        s->body[i].friction = body->friction;
        s->body[i].self_contact = body->self_contact;
        s->body[i].category = body->category;
        s->body[i].ignores = body->ignores;
    }
    for (dc_index i = 0; i < desc->obstacle_count; i++) {
        status = dci_surface_enter_obstacle(s, desc->obstacles + i, arena, s->start + at.vertex,
                                            &at, error);
        if (status != DC_OK) return status;
    }
    for (dc_index i = 0; i < collider->body_count; i++)
        dci_collider_take_masses(collider, i, desc->bodies[i].masses);
    for (dc_index i = collider->vertex_count; i < s->vertex_count; i++)
        collider->target[i - collider->vertex_count] = s->start[i];
    dci_surface_connect(s);
    s->may_cross = 1;
    return DC_OK;
}

static dc_status dci_collider_build(dc_collider *collider, const dc_collider_desc *desc,
                                    dci_arena *arena, dc_error *error)
{
    dci_surface *s = &collider->surface;
    dc_mesh counts, moving, all;
    dc_status status;
    /* Count the features; this checks the meshes. */
    DC_MEMSET(&moving, 0, sizeof moving);
    for (dc_index i = 0; i < desc->body_count; i++) {
        status = dci_surface_take_mesh(NULL, &desc->bodies[i].mesh, 1, arena, &counts, NULL, error);
        if (status != DC_OK) return dci_in_body(error, status, i);
        dci_mesh_add_counts(&moving, &counts);
    }
    all = moving;
    status = dci_obstacles_count(desc->obstacles, desc->obstacle_count, desc->body_count, arena,
                                 &all, error);
    if (status != DC_OK) return status;
    /* Lay out the surface and enter them. */
    collider->body_count = desc->body_count;
    collider->vertex_count = moving.vertex_count;
    s->body_count = desc->body_count + desc->obstacle_count;
    s->start_policy = desc->start;
    s->crossing_push_max = DCI_CROSSING_PUSH_MAX;
    s->slack_fraction = DCI_SLACK_FRACTION;
    dci_surface_layout(arena, s, &all, desc->pair_capacity,
                       (int64_t)DCI_PAIRS_PER_VERTEX * collider->vertex_count);
    collider->target = dci_arena_vectors(arena, s->vertex_count - collider->vertex_count);
    if (arena->is_short) return dci_arena_fail(arena, error);
    if ((status = dci_collider_build_surface(collider, desc, arena, error)) != DC_OK) return status;
    if (desc->impacts == DC_IMPACTS_LOCAL) return DC_OK;
    return dci_global_make(s, &moving, arena, error);
}

dc_status dc_collider_init(const dc_collider_desc *desc, void *memory, size_t bytes,
                           dc_collider **collider, dc_info *info, dc_error *error)
{
    dci_enter(error, "dc_collider_init");
    dci_arena arena = dci_arena_over(memory, bytes);
    dci_ledger ledger = dci_ledger_empty();
    dc_collider *made;
    dc_status status = dci_collider_check(desc, error);
    if (status != DC_OK) return status;
    made = (dc_collider *)dci_arena_take(&arena, 1, sizeof *made);
    if (!made) return dci_arena_fail(&arena, error);
    if ((status = dci_collider_build(made, desc, &arena, error)) != DC_OK) return status;
    dci_ledger_note(&ledger, &arena, "collisions");
    dci_ledger_close(&ledger, &arena, info);
    *collider = made;
    return dci_succeed(error);
}

dc_status dc_collider_set_masses(dc_collider *collider, dc_index body, const dc_real *masses,
                                 dc_error *error)
{
    dci_enter(error, "dc_collider_set_masses");
    dc_status status;
    DC_ASSERT(collider);
    if (!dci_is_index(error, "body", body, collider->body_count, DC_NONE)) return DC_BAD_ARGUMENT;
    status =
        dci_collider_check_masses(masses, dci_surface_count_of(&collider->surface, body), error);
    if (status != DC_OK) return dci_in_body(error, status, body);
    dci_collider_take_masses(collider, body, masses);
    return dci_succeed(error);
}

dc_status dc_collider_move(dc_collider *collider, dc_index body, const dc_vec3 *positions,
                           dc_vec3 spin, dc_error *error)
{
    dci_enter(error, "dc_collider_move");
    dci_surface *s = &collider->surface;
    dc_index first = collider->body_count, i;
    if (DCI_HAS_CHECKS && (body < first || body >= s->body_count))
        return dci_bad_index(error, "body", body);
    dc_status status = dci_surface_check_move(s, body, positions, spin, error);
    if (status != DC_OK) return dci_in_body(error, status, body);
    first = s->body[body].first_vertex - collider->vertex_count;
    for (i = 0; i < dci_surface_count_of(s, body); i++) collider->target[first + i] = positions[i];
    s->body[body].spin = spin;
    return dci_succeed(error);
}

/* Sets the motion. Vertices that are not where the last step left them may cross. */
static void dci_collider_fill(dc_collider *collider, const dc_vec3 *before, const dc_vec3 *after,
                              const dc_vec3 *obstacles)
{
    dci_surface *s = &collider->surface;
    dc_index v;
    for (v = 0; v < collider->vertex_count; v++) {
        s->may_cross |=
            before[v].x != s->end[v].x || before[v].y != s->end[v].y || before[v].z != s->end[v].z;
        s->start[v] = before[v];
        s->end[v] = after[v];
    }
    for (; v < s->vertex_count; v++) s->end[v] = obstacles[v - collider->vertex_count];
}

dc_status dc_collider_resolve(dc_collider *collider, const dc_vec3 *before, dc_vec3 *after,
                              dc_report *report, dc_error *error)
{
    dci_enter(error, "dc_collider_resolve");
    dci_surface *s = &collider->surface;
    dc_report result = dci_report_empty();
    dc_index v, n = collider->vertex_count, bad = dci_first_not_finite(before, n);
    if (bad == DC_NONE) bad = dci_first_not_finite(after, n);
    if (bad != DC_NONE)
        return dci_not_finite(error, "a position of this vertex, before or after, is not finite",
                              bad);
    dci_collider_fill(collider, before, after, collider->target);
    dc_status status = dci_collide(s, &result, error);
    result.is_certified = status == DC_OK && result.crossings == 0;
    if (report) *report = result;
    if (status != DC_OK) {
        s->may_cross = 1; /* `end` is not a valid state */
        return status;
    }
    for (v = 0; v < n; v++) after[v] = s->end[v];
    for (v = n; v < s->vertex_count; v++) s->start[v] = s->end[v];
    return dci_succeed(error);
}

const dc_vec3 *dc_collider_pushes(const dc_collider *collider)
{
    return collider->surface.push;
}

dc_index dc_collider_crossings(dc_collider *collider, const dc_vec3 *positions, dc_index capacity,
                               dc_feature_pair *pairs)
{
    dci_surface *s = &collider->surface;
    DC_ASSERT(pairs || capacity <= 0);
    dci_collider_fill(collider, positions, positions, s->start + collider->vertex_count);
    s->may_cross = 1;
    dci_surface_find_pairs(s);
    if (s->pairs_needed > s->pair_capacity) return DC_NONE;
    return dci_crossings_list(s, capacity, pairs);
}

#endif /* DC_NO_COLLISIONS */

#ifndef DC_NO_WORLD

/* ============================================================================================
 * 40 BODIES                                                                   dci_kind, dci_member
 *
 * Each kind of body is a table of functions, dci_kind, so the world (chapter 49) loops over bodies
 * without knowing their kinds, except where snapshots count them. A new kind needs a chapter that
 * ends in such a table, places in dci_kinds and dci_letters (chapter 49), and a description in
 * dc_world_desc; if it collides, also its flags in dci_body (chapter 30).
 *
 *     kind        object         table            moves freely
 *     cloth       dci_cloth      chapter 43       yes
 *     ribbon      dci_ribbon     chapter 47       yes
 *     obstacle    dci_obstacle   this chapter     no
 *
 * Bodies are numbered kind by kind; obstacles, whose motion is prescribed, come last. The vertices
 * of all bodies make one surface (chapter 30) in the same order.
 *
 * A body has a committed state and a candidate. `advance` computes candidates; bodies that touch
 * are advanced together. The stages of collision handling change the surface; by `follow_surface`
 * candidates fit it. Then `accept` makes them the committed states. If bodies collide, a step may
 * be divided into parts: the world saves the committed state at its start and restores it if a part
 * fails.
 * ============================================================================================ */

/* Part of a step. */
typedef struct dci_span {
    dc_real dt;       /* [s] its length                                                          */
    dc_real from, to; /* 0 to 1: its place within the step                                       */
    int is_divisible; /* if it cannot be solved with its contacts, the world halves it           */
} dci_span;

/* Divides a span into parts, all multiples of a tick. After a success the next part is twice as
   long; after a failure who holds the clock halves `size`. */
typedef struct dci_clock {
    dci_span span;
    dc_index total, size, done; /* ticks of the span, of the next part, and before it            */
} dci_clock;

static dci_clock dci_clock_of(const dci_span *span, dc_index halvings_max)
{
    dci_clock clock = {*span, (dc_index)1 << halvings_max, (dc_index)1 << halvings_max, 0};
    return clock;
}

static dci_span dci_clock_part(const dci_clock *clock)
{
    dci_span part = clock->span;
    dc_real length = part.to - part.from, total = (dc_real)clock->total;
    part.dt *= (dc_real)clock->size / total;
    part.to = part.from + length * ((dc_real)(clock->done + clock->size) / total);
    part.from += length * ((dc_real)clock->done / total);
    return part;
}

/* Halves the next part until it is at most this long [s], or a tick. */
static void dci_clock_limit(dci_clock *clock, dc_real dt)
{
    while (clock->size > 1 && dci_clock_part(clock).dt > dt) clock->size /= 2;
}

/* Chooses the first part after a step of dt_prev (0: there is none). Returns dt_prev, or 0 if a
   multistep method has to begin anew. */
static dc_real dci_clock_start(dci_clock *clock, dc_real dt_prev, int is_multistep)
{
    if (dt_prev > 0) dci_clock_limit(clock, 2 * dt_prev);
    if (dci_clock_part(clock).dt > 2 * dt_prev) dt_prev = 0;
    if (dt_prev == 0 && is_multistep) clock->size = dci_index_max(1, clock->size / DCI_START_PART);
    return dt_prev;
}

static void dci_clock_succeed(dci_clock *clock)
{
    dc_index twice = 2 * clock->size;
    clock->done += clock->size;
    if (clock->done % twice == 0 && clock->done + twice <= clock->total) clock->size = twice;
}

typedef struct dci_kind dci_kind;

typedef struct dci_member {
    const dci_kind *kind;
    void *object;           /* dci_cloth, dci_ribbon or dci_obstacle                             */
    dc_index body;          /* its number                                                        */
    dc_index number;        /* among the bodies of its kind                                      */
    dc_index vertex_count;  /* of its mesh: those to which ribbons may be attached               */
    const dc_mesh *surface; /* the mesh that collides; for obstacles its counts only             */
    dc_index first;         /* its first vertex in the surface of all bodies                     */
    const struct dc_sparse *map; /* A of a cloth, with empty rows of isolated vertices; or NULL  */
    int is_off; /* it stays where it is, and collides with nothing                               */
    const struct dci_grabs *grabs; /* of a cloth, or NULL                                        */
    dc_index tie_count, first_tie; /* attachments to others; the first in the surface            */
    int waits;      /* it needs the candidates of bodies before it: attached, but not by rows    */
} dci_member;

typedef struct dci_group {
    dci_member *const *member;
    dc_index count;
    struct dci_contact_rows *contact_rows; /* NULL: the world has none                           */
    const struct dci_node_vectors *node;   /* for all groups of two or more cloths, ...          */
    dc_index first_node;                   /* ... and where its part of them begins              */
    dci_member *only;                      /* of a world without contacts                        */
    dci_meter *meter, share; /* of the step, or while groups are advanced its share of it        */
    int is_repeat;               /* solved again in this part of the step, with more rows        */
    dc_index substeps, released; /* as in dc_report                                              */
    dc_status status;
} dci_group;

/* Solves one sub-step of bodies. */
typedef dc_status (*dci_substep)(void *bodies, const dci_span *);

/* Advances the bodies of a group over its span, in sub-steps. If one does not converge with its
   contacts, these are left to the collision stages, unless the world will halve the span and find
   them anew. A sub-step that fails again is halved. */
static dc_status dci_group_advance(dci_group *group, dci_clock *clock, dci_substep solve,
                                   void *bodies)
{
    while (clock->done < clock->total) {
        dci_span part = dci_clock_part(clock);
        dc_status status = solve(bodies, &part);
        if (status == DC_NOT_CONVERGED && part.is_divisible) return status;
        if (status == DC_NOT_CONVERGED && dci_contact_rows_release(group->contact_rows)) {
            group->released++;
            status = solve(bodies, &part);
        }
        if (status == DC_OK) {
            group->substeps++;
            dci_clock_succeed(clock);
        } else if (clock->size == 1 || status == DC_WORK_SPENT) {
            return status;
        } else {
            clock->size /= 2;
        }
    }
    return DC_OK;
}

#ifdef DC_NO_COLLISIONS
/* Nothing collides. */
typedef struct dci_surface {
    dc_index vertex_count, pair_capacity; /* 0 */
    int may_cross;
    dc_vec3 *end; /* NULL */
    dc_real *mass;
} dci_surface;
#define DCI_COLLISION(row) NULL
#else
#define DCI_COLLISION(row) &row
#endif

enum { DCI_WORLD_HALVINGS = 6 }; /* by default, and where nothing collides                     */

/* How a world handles contact; NULL in a build without collisions. */
typedef struct dci_contact_method {
    /* Makes surface and rows. At the start: marks or refuses crossings. */
    dc_status (*build)(dc_world *, const dc_world_desc *, dci_arena *, dci_ledger *, dc_error *);
    dc_status (*check_crossings)(dc_world *, int is_strict, dc_error *);
    /* In a step: the candidates after a part of it, and whether to halve that part. */
    dc_status (*take_part)(dc_world *, const dci_span *, dc_report *, dc_error *);
    int (*needs_halves)(const dc_world *, const dci_span *, dc_status, const dc_report *);
    void (*describe)(dci_snapshot *, const dc_world *);
    /* Of the contacts of the last step, visits all for a snapshot, turns or drops those of a body that
       is moved, and drops those of one that is switched off (NULL). */
    void (*walk)(dci_snapshot *, dc_world *);
    void (*relocate)(dc_world *, dc_index body, const dci_relocation *);
} dci_contact_method;

struct dc_world {
    dc_vec3 gravity, wind;
    dc_real time;
    dci_member *member;    /* (member_count)                                                     */
    dc_index member_count; /* first those that move freely, then the obstacles                   */
    dc_index moving_count;
    dci_group *group; /* (moving_count) in a step                                                */
    dc_parallel_for parallel_for;
    void *parallel_context;
    const dci_contact_method *method; /* NULL: a build without collisions                        */
    int collides;                     /* whether bodies do                                       */
    dci_surface surface;              /* of all bodies, if they collide                          */
    struct dci_contacts *contacts;    /* NULL: there are neither collisions nor grabs            */
    dci_span part;                    /* of the step, for which they are made                    */
    size_t contact_bytes;             /* capacity for their forces in saved states               */
    dc_index round_max, halvings_max;
    dci_meter *meter;    /* of the current step                                                   */
    uint64_t work_max;   /* bound on its work, 0: none                                           */
    uint64_t work_least; /* of such bounds                                                       */
    dc_real fitting;     /* part of a step that its work sufficed for: 1 whole, 0 none         */
    dc_real lag;         /* [s] by which targets are late                                      */
    dc_real length_error; /* relative, of squared lengths, after the last part that was accepted */
    int is_settling;     /* within dc_world_settle(): steps by backward Euler                  */
    dc_real goal;        /* [m/s^2] bound on residuals, if below residual_tol                  */
    unsigned char *saved; /* the state at the start of the step; NULL: a step is one part       */
    size_t bytes;
};

/* DC_REAL_TIME: the least residual_tol, relative to gravity. In a frame of 1/60 s such a residual
   moves a body by less than .3 mm. */
#define DCI_REAL_TIME_RESIDUAL DCI_R(0.2)

/* [m/s^2] A body's residual_tol in this world. */
static dc_real dci_world_residual_tol(const dc_world_desc *world, dc_real residual_tol)
{
    dc_real least = DCI_REAL_TIME_RESIDUAL * dci_norm(world->gravity);
    return world->quality == DC_REAL_TIME ? dci_max(residual_tol, least) : residual_tol;
}

/* Sums over particles, for (49.1). */
typedef struct dci_motion {
    dc_real mass;     /* [kg]                                                                    */
    dc_real speed_sq; /* [kg m^2/s^2] of mass times speed squared                                */
    dc_real load_sq;  /* [kg m^2/s^4] of mass times squared acceleration by the loads            */
} dci_motion;

/* Which positions become the surface's `end`. */
typedef enum dci_when {
    DCI_AT_REST,   /* where the bodies are                                                       */
    DCI_PREDICTED, /* where they would be if they kept their velocities                          */
    DCI_CANDIDATE, /* where their candidates are                                                 */
} dci_when;

struct dci_partners; /* chapter 25 */

/* Functions of a body that moves freely. `check_links` may be NULL. */
typedef struct dci_dynamics {
    uint64_t (*iteration_work)(const dci_member *);
    dc_status (*check_links)(const dci_member *, const dc_world *, dc_error *); /* to others     */
    dc_status (*start)(dci_member *, const dc_world *, dc_error *);
    /* Finds the candidates of a group. Several groups are advanced at the same time, so it writes
       to nothing that they share. */
    dc_status (*advance)(dci_group *, const dc_world *, const dci_span *);
    /* Reports the group with this status, and names the body in an error. */
    dc_status (*conclude)(const dci_group *, dc_status, dc_report *, dc_error *);
    /* Cloths conduct the step of a group. Other members join before it and report after it; `leave`
       returns whether it named one in an error. Both are NULL for cloths. */
    void (*join)(const dci_group *, const dc_world *, const dci_span *, struct dci_partners *);
    int (*leave)(const dci_group *, dc_status, dc_report *, dc_error *);
    /* The candidate becomes the state; if it collides, with the surface proved to be clear. */
    void (*accept)(dci_member *, const dc_vec3 *surface);
    void (*stop)(dci_member *); /* sets its velocity to zero                                     */
    void (*carry)(dci_member *); /* moves it along with its targets, as it is                   */
    void (*add_motion)(dci_member *, dc_vec3 gravity, dci_motion *);
    void (*walk_state)(dci_snapshot *, const dci_member *);
} dci_dynamics;

#ifndef DC_NO_COLLISIONS

/* Bounds on contact_error. */
#define DCI_ROWS_ERROR_MAX DCI_R(0.02)
#define DCI_OPEN_RIBBON_ERROR_MAX DCI_R(0.3)

/* Functions of a body that collides. For obstacles, which have no dynamics, some are NULL. */
typedef struct dci_collision {
    dc_index pairs_per_vertex; /* default capacity                                               */
    /* The largest contact_error where a step is not halved; NULL: DCI_ROWS_ERROR_MAX. */
    dc_real (*error_max)(const dci_member *);
    void (*layout)(dci_member *, const dc_world_desc *, dci_arena *, dci_ledger *);
    dc_status (*enter)(dci_member *, const dc_world_desc *, dci_surface *, dci_entered *,
                       dci_arena *, dc_error *); /* adds its features to the surface            */
    void (*fill)(dci_member *, dci_surface *, dci_when, const dci_span *);
    dc_status (*follow_surface)(dci_member *, const dci_surface *, dc_real dt, dc_report *,
                                dc_error *);
} dci_collision;

#endif /* DC_NO_COLLISIONS */

struct dci_kind {
    dc_index letter; /* in dci_letters, chapter 49                                               */
    size_t object_bytes;
    size_t count_at, array_at; /* of the bodies, in dc_world_desc                                */
    const char *wrong_count;   /* the error if the count is wrong                                */
    dc_status (*check_desc)(const dc_world_desc *, dc_index number, dc_error *);
    dc_status (*build)(dci_member *, const dc_world_desc *, dci_arena *, dci_ledger *, dc_error *);
    /* Positions or velocities of its vertices, committed. An obstacle has no velocities: NULL. */
    const dc_vec3 *(*points)(const dci_member *, int wants_velocities);
    /* Where a vertex is in the candidate; for an obstacle, after part of a step. */
    dc_vec3 (*next)(const dci_member *, dc_index vertex, dc_real part);
    /* Writes texture coordinates of the surface's corners; NULL: it has none. */
    dc_status (*texture)(const dci_member *, const dc_mesh_desc *, dc_vec2 *, dc_error *);
    /* After a step: targets that were partly reached become starts. And the longest way that is
       left [m], with its held point, attachment or vertex. */
    void (*arrive)(dci_member *, dc_real part);
    dc_real (*longest_way)(const dci_member *, dc_index *index);
    void (*describe)(dci_snapshot *, const dci_member *, const dci_surface *);
    void (*walk_input)(dci_snapshot *, const dci_member *);
    const dci_dynamics *dynamics; /* NULL: its motion is prescribed                              */
    const struct dci_collision *collision;
};

static void dci_way_compare(dc_vec3 start, dc_vec3 target, dc_index i, dc_real *most,
                            dc_index *index)
{
    dc_real way = dci_norm(dci_vec_sub(target, start));
    if (!(way > *most)) return;
    *most = way;
    *index = i;
}

/* The number of bodies of a kind in a description, or DC_NONE if it is wrong. */
static dc_index dci_kind_count(const dci_kind *kind, const dc_world_desc *desc)
{
    dc_index count;
    const void *array;
    DC_MEMCPY(&count, (const unsigned char *)desc + kind->count_at, sizeof count);
    DC_MEMCPY(&array, (const unsigned char *)desc + kind->array_at, sizeof array);
    return count < 0 || count > DCI_COUNT_MAX || (count > 0 && !array) ? DC_NONE : count;
}

/* Whether a number is that of a body of this kind; NULL: of any. */
static int dci_is_of_kind(const dc_world *world, dc_index body, const dci_kind *kind)
{
    return world && body >= 0 && body < world->member_count &&
           (!kind || world->member[body].kind == kind);
}

/* The body, or NULL after a failure. */
static dci_member *dci_find_body(const dc_world *world, dc_index body, const dci_kind *kind,
                                 dc_error *error)
{
    DC_ASSERT(world);
    if (!DCI_HAS_CHECKS || dci_is_of_kind(world, body, kind)) return world->member + body;
    dci_bad_index(error, "body", body);
    return NULL;
}

static dc_vec3 dci_world_vertex_now(const dc_world *world, dc_index body, dc_index vertex,
                                    dc_real part)
{
    const dci_member *m = world->member + body;
    return m->kind->dynamics ? m->kind->points(m, 0)[vertex] : m->kind->next(m, vertex, part);
}

/* A body that is switched off has no candidate. */
static dc_vec3 dci_world_vertex_next(const dc_world *world, dc_index body, dc_index vertex,
                                     dc_real part)
{
    const dci_member *m = world->member + body;
    if (m->is_off) return dci_world_vertex_now(world, body, vertex, part);
    return m->kind->next(m, vertex, part);
}

/* ---- What the caller reads ---- */

const dc_vec3 *dc_body_positions(const dc_world *world, dc_index body)
{
    DC_ASSERT(dci_is_of_kind(world, body, NULL));
    return world->member[body].kind->points(world->member + body, 0);
}

const dc_vec3 *dc_body_velocities(const dc_world *world, dc_index body)
{
    DC_ASSERT(dci_is_of_kind(world, body, NULL));
    return world->member[body].kind->points(world->member + body, 1);
}

const dc_mesh *dc_body_mesh(const dc_world *world, dc_index body)
{
    DC_ASSERT(dci_is_of_kind(world, body, NULL));
    return world->member[body].surface;
}

#ifndef DC_NO_MESH
void dc_body_normals(const dc_world *world, dc_index body, dc_vec3 *normals)
{
    const dc_mesh *mesh = dc_body_mesh(world, body);
    DC_ASSERT(mesh->triangles); /* it is no obstacle */
    dc_mesh_normals(mesh, dc_body_positions(world, body), normals);
}
#endif

dc_status dc_body_texture_coordinates(const dc_world *world, dc_index body,
                                      const dc_mesh_desc *mesh, dc_vec2 *coordinates,
                                      dc_error *error)
{
    dci_enter(error, "dc_body_texture_coordinates");
    const dci_member *m = dci_find_body(world, body, NULL, error);
    if (!m) return DC_BAD_ARGUMENT;
    dc_status status = m->kind->texture ? m->kind->texture(m, mesh, coordinates, error)
                              : dci_bad(error, "an obstacle has no flat shape", DC_NONE, 0);
    return dci_in_body(error, dci_leave(error, status), body);
}

#ifndef DC_NO_COLLISIONS

static void dci_world_fill(dc_world *world, dci_when when, const dci_span *span)
{
    for (dc_index i = 0; i < world->member_count; i++) {
        dci_member *m = world->member + i;
        world->surface.body[i].is_off = m->is_off;
        m->kind->collision->fill(m, &world->surface, m->is_off ? DCI_AT_REST : when, span);
    }
}

/* Returns 0 if pairs exceed the capacity. */
static int dci_world_find_pairs(dc_world *world)
{
    const dci_span none = {0, 0, 0, 0};
    dci_world_fill(world, DCI_AT_REST, &none);
    dci_surface_find_pairs(&world->surface);
    return world->surface.pairs_needed <= world->surface.pair_capacity;
}

/* ---- Obstacles ---- */

typedef struct dci_obstacle {
    dc_mesh counts;
    dc_vec3 *start;  /* (vertex_count) [m] at the start of the step                       */
    dc_vec3 *target; /* (vertex_count) [m] at its end                                     */
    dc_vec3 spin;    /* [rad/s]                                                           */
} dci_obstacle;

static const dci_field dci_obstacle_fields[] = {
    {"spin of this obstacle", offsetof(dci_obstacle, spin), DCI_OWN_VECTOR, 1},
    {"positions of this obstacle", offsetof(dci_obstacle, start), DCI_POINTS, 0},
    {"targets of this obstacle", offsetof(dci_obstacle, target), DCI_POINTS, 0},
    {NULL, 0, DCI_END, 0}};

static dc_status dci_obstacle_check_desc(const dc_world_desc *desc, dc_index number,
                                         dc_error *error)
{
    if (!desc->collides)
        return dci_bad(error, "there are obstacles, but collides is 0", DC_NONE, 0);
    return dci_obstacle_check(desc->obstacles + number, error);
}

static dc_status dci_obstacle_build(dci_member *m, const dc_world_desc *desc, dci_arena *arena,
                                    dci_ledger *ledger, dc_error *error)
{
    dci_obstacle *o = (dci_obstacle *)m->object;
    dc_status status = dci_obstacle_count(desc->obstacles + m->number, arena, &o->counts, error);
    if (status != DC_OK) return status;
    m->surface = &o->counts;
    m->vertex_count = o->counts.vertex_count;
    dci_fields_layout(arena, o, dci_obstacle_fields, &m->vertex_count);
    dci_ledger_note(ledger, arena, "collisions");
    return DC_OK;
}

/* Drops a target that it has not reached. */
static void dci_obstacle_stay(dci_member *m)
{
    dci_obstacle *o = (dci_obstacle *)m->object;
    for (dc_index v = 0; v < m->vertex_count; v++) o->target[v] = o->start[v];
}

static dc_status dci_obstacle_enter(dci_member *m, const dc_world_desc *desc, dci_surface *s,
                                    dci_entered *at, dci_arena *arena, dc_error *error)
{
    dci_obstacle *o = (dci_obstacle *)m->object;
    dc_status status =
        dci_surface_enter_obstacle(s, desc->obstacles + m->number, arena, o->start, at, error);
    if (status == DC_OK) dci_obstacle_stay(m);
    return status;
}

static const dc_vec3 *dci_obstacle_points(const dci_member *m, int wants_velocities)
{
    return wants_velocities ? NULL : ((const dci_obstacle *)m->object)->start;
}

static dc_vec3 dci_obstacle_at(const dci_member *m, dc_index vertex, dc_real part)
{
    const dci_obstacle *o = (const dci_obstacle *)m->object;
    return dci_way_at(o->start[vertex], o->target[vertex], part);
}

static void dci_obstacle_fill(dci_member *m, dci_surface *s, dci_when when, const dci_span *span)
{
    const dci_obstacle *o = (const dci_obstacle *)m->object;
    dci_body *body = s->body + s->body_of[m->first];
    for (dc_index v = 0; v < m->vertex_count; v++) {
        s->start[m->first + v] = dci_obstacle_at(m, v, span->from);
        s->end[m->first + v] = dci_obstacle_at(m, v, span->to);
    }
    if (when == DCI_AT_REST) return;
    body->spin_rate = o->spin;
    body->spin = dci_vec_scale(span->dt, o->spin);
}

static void dci_obstacle_arrive(dci_member *m, dc_real part)
{
    dci_obstacle *o = (dci_obstacle *)m->object;
    for (dc_index v = 0; v < m->vertex_count; v++) o->start[v] = dci_obstacle_at(m, v, part);
}

static dc_real dci_obstacle_longest_way(const dci_member *m, dc_index *index)
{
    const dci_obstacle *o = (const dci_obstacle *)m->object;
    dc_real most = 0;
    for (dc_index v = 0; v < m->vertex_count; v++)
        dci_way_compare(o->start[v], o->target[v], v, &most, index);
    return most;
}

static void dci_obstacle_describe(dci_snapshot *s, const dci_member *m, const dci_surface *surface)
{
    const dci_body *body = surface->body + surface->body_of[m->first];
    dci_snapshot_same(s, "mesh.vertex_count", (uint32_t)m->vertex_count);
    dci_snapshot_same(s, "kind", (uint32_t)body->is_plane);
    dci_snapshot_same_reals(s, "radius", &body->radius, 1);
    dci_snapshot_same_reals(s, "friction", &body->friction, 1);
    dci_snapshot_same(s, "category", body->category);
    dci_snapshot_same(s, "ignores", body->ignores);
}

static void dci_obstacle_walk_input(dci_snapshot *s, const dci_member *m)
{
    dci_snapshot_fields(s, m->object, dci_obstacle_fields, &m->vertex_count);
}

static const dci_collision dci_obstacle_collision = {
    0, NULL, NULL, dci_obstacle_enter, dci_obstacle_fill, NULL,
};

static const dci_kind dci_obstacle_kind = {
    'o',
    sizeof(dci_obstacle),
    offsetof(dc_world_desc, obstacle_count),
    offsetof(dc_world_desc, obstacles),
    "obstacle_count is negative or too large, or obstacles is missing",
    dci_obstacle_check_desc,
    dci_obstacle_build,
    dci_obstacle_points,
    dci_obstacle_at,
    NULL,
    dci_obstacle_arrive,
    dci_obstacle_longest_way,
    dci_obstacle_describe,
    dci_obstacle_walk_input,
    NULL,
    &dci_obstacle_collision,
};

dc_status dc_obstacle_move(dc_world *world, dc_index body, const dc_vec3 *positions, dc_vec3 spin,
                           dc_error *error)
{
    dci_enter(error, "dc_obstacle_move");
    dci_member *m = dci_find_body(world, body, &dci_obstacle_kind, error);
    if (!m) return DC_BAD_ARGUMENT;
    dc_status status = dci_surface_check_move(&world->surface, body, positions, spin, error);
    if (status != DC_OK) return dci_in_body(error, status, body);
    dci_obstacle *o = (dci_obstacle *)m->object;
    for (dc_index v = 0; v < m->vertex_count; v++) o->target[v] = positions[v];
    o->spin = spin;
    if (m->is_off) dci_obstacle_arrive(m, 1);
    return dci_succeed(error);
}

#endif /* DC_NO_COLLISIONS */

#endif /* DC_NO_WORLD */

#ifndef DC_NO_CLOTH

/* ============================================================================================
 * 41 PLAN                                                                              dci_plan
 *
 * Planning checks the description, and builds all that depends on it alone:
 *
 *     mesh -> element -> pins and clamps -> constraint rows -> energy rows -> S and H
 *
 * S and H are built and analysed only for the direct solver. The cloth is built at the front of the
 * caller's block, with work arrays of planning at its back. If the block is too small, the error
 * says how many bytes were needed up to that point.
 * ============================================================================================ */

#define DCI_TAUT DCI_R(1e-4) /* two pins are taut if the path between has less relative slack */

/* ---- Linear solvers ---- */

#ifndef DC_NO_DIRECT

/* Builds S and H, and analyses S. Solutions are refined, so a factor of floats suffices. */
static dc_status dci_direct_plan(dci_cloth *cloth, dci_arena *arena, dc_error *error)
{
    const dc_sparse *w = &cloth->rows.weight;
    dc_cholesky_desc desc = dc_cholesky_defaults();
    dc_sparse transposed;
    dci_work before = dci_arena_begin_work(arena);
    dci_sparse_layout(arena, &transposed, cloth->element.node_count, cloth->rows.count,
                      dci_index_or_none(2 * (int64_t)cloth->rows.length_count +
                                        3 * (int64_t)w->start[w->row_count]));
    dci_arena_to_front(arena);
    if (arena->is_short) return dci_arena_fail(arena, error);
    dci_rows_transpose(&cloth->rows, &transposed);
    dc_index found_s = dci_gram_build(arena, &transposed, &cloth->s);
    if (arena->is_short) return dci_arena_fail(arena, error);
    dci_arena_end_work(arena, before);
    dc_index found_h = dci_gram_build(arena, &cloth->energy.rows, &cloth->hessian);
    if (arena->is_short) return dci_arena_fail(arena, error);
    if (found_s == DC_NONE || found_h == DC_NONE)
        return dci_fail(error, DC_TOO_LARGE, "a matrix has more entries than an index can count",
                        DC_NONE, 0);
    cloth->s.value = dci_arena_reals(arena, found_s);
    cloth->hessian.value = dci_arena_reals(arena, found_h);
    desc.storage = DC_STORAGE_FLOAT;
    return dci_cholesky_make(&cloth->s, &desc, arena, &cloth->schur, error);
}

/* A Newton iteration has six solves. */
static uint64_t dci_direct_work(const dci_cloth *cloth, int is_newton)
{
    uint64_t work = 3 * (uint64_t)cloth->hessian.start[cloth->hessian.row_count] +
                    dci_cholesky_solve_work(&cloth->schur) +
                    DCI_WORK_ROW * (uint64_t)cloth->rows.count;
    return is_newton ? 6 * work + (uint64_t)cloth->schur.shape.flops : work;
}

static const dci_solver dci_solver_direct = {
    dci_direct_work,     dci_direct_plan,    dci_direct_assemble, dci_direct_apply,
    dci_direct_diagonal, dci_direct_prepare, dci_direct_solve,
};
#define DCI_SOLVER_DIRECT &dci_solver_direct
#define DCI_SOLVER_DEFAULT 0

#else

#define DCI_SOLVER_DIRECT NULL
#define DCI_SOLVER_DEFAULT 1

#endif /* DC_NO_DIRECT */

#ifndef DC_NO_CG

/* Excludes the iterations of the solves, which are counted where they are made. */
static uint64_t dci_iterative_work(const dci_cloth *cloth, int is_newton)
{
    return (is_newton ? 6u : 1u) * DCI_WORK_ROW * (uint64_t)cloth->rows.count;
}

static const dci_solver dci_solver_iterative = {
    dci_iterative_work,     NULL,                  NULL, dci_iterative_apply,
    dci_iterative_diagonal, dci_iterative_prepare, dci_iterative_solve,
};
#define DCI_SOLVER_ITERATIVE &dci_solver_iterative

#else

#define DCI_SOLVER_ITERATIVE NULL

#endif /* DC_NO_CG */

/* In the order of dc_linear_solver. */
static const dci_solver *const dci_solvers[] = {DCI_SOLVER_DIRECT, DCI_SOLVER_ITERATIVE};
enum { DCI_SOLVERS = sizeof dci_solvers / sizeof dci_solvers[0] };

static const dci_entry dci_cloth_entries[] = {
    {DCI_ENTRY(dc_cloth_desc, element), DCI_CHOICE, 0, 0, DC_ELEMENT_ISOMETRIC},
    {DCI_ENTRY(dc_cloth_desc, density), DCI_POSITIVE, DCI_R(0.15), 0, 0},
    {DCI_ENTRY(dc_cloth_desc, bending), DCI_NOT_NEGATIVE, DCI_R(1e-5), 0, 0},
    {DCI_ENTRY(dc_cloth_desc, bending_damping), DCI_NOT_NEGATIVE, 0, 0, 0},
    {DCI_ENTRY(dc_cloth_desc, jump_gamma), DCI_NOT_NEGATIVE, DCI_R(0.1), 0, 0},
    {DCI_ENTRY(dc_cloth_desc, jump_beta), DCI_NOT_NEGATIVE, DCI_R(1.5), 0, 0},
    {DCI_ENTRY(dc_cloth_desc, jump_acceleration), DCI_NOT_NEGATIVE, DCI_R(9.81), 0, 0},
    {DCI_ENTRY(dc_cloth_desc, jump_damping), DCI_NOT_NEGATIVE, DCI_R(0.002), 0, 0},
    {DCI_ENTRY(dc_cloth_desc, start_lengths), DCI_NOT_NEGATIVE, 0, 0, 0},
    {DCI_ENTRY(dc_cloth_desc, thickness), DCI_POSITIVE, DCI_R(2e-3), 0, 0},
    {DCI_ENTRY(dc_cloth_desc, friction), DCI_NOT_NEGATIVE, DCI_R(0.3), 0, 0},
    {DCI_ENTRY(dc_cloth_desc, self_contact), DCI_SWITCH, 1, 0, 0},
    {DCI_ENTRY(dc_cloth_desc, category), DCI_BITS, 0, 0, 0},
    {DCI_ENTRY(dc_cloth_desc, ignores), DCI_BITS, 0, 0, 0},
    {DCI_ENTRY(dc_cloth_desc, grab_capacity), DCI_INDEX, 0, 0, DCI_COUNT_MAX},
    {DCI_ENTRY(dc_cloth_desc, grab_force_max), DCI_POSITIVE, 200, 0, 0},
    {DCI_ENTRY(dc_cloth_desc, drag_normal), DCI_NOT_NEGATIVE, 0, 0, 0},
    {DCI_ENTRY(dc_cloth_desc, drag_tangential), DCI_NOT_NEGATIVE, 0, 0, 0},
    {DCI_ENTRY(dc_cloth_desc, pin_count), DCI_INDEX, 0, 0, DCI_COUNT_MAX},
    {DCI_ENTRY(dc_cloth_desc, pin_vertices), DCI_ARRAY, 0, 0, 0},
    {DCI_ENTRY(dc_cloth_desc, clamp_count), DCI_INDEX, 0, 0, DCI_COUNT_MAX},
    {DCI_ENTRY(dc_cloth_desc, clamps), DCI_ARRAY, 0, 0, 0},
    {DCI_ENTRY(dc_cloth_desc, integrator), DCI_CHOICE, 0, 0, DCI_INTEGRATOR_COUNT - 1},
    {DCI_ENTRY(dc_cloth_desc, solver.linear_solver), DCI_CHOICE, DCI_SOLVER_DEFAULT, 0,
     DCI_SOLVERS - 1},
    {DCI_ENTRY(dc_cloth_desc, tolerance), DCI_POSITIVE, DCI_R(1e-4), 0, 0},
    {DCI_ENTRY(dc_cloth_desc, solver.residual_tol), DCI_POSITIVE, DCI_R(0.5), 0, 0},
    {DCI_ENTRY(dc_cloth_desc, solver.cg_tol), DCI_FRACTION, DCI_R(0.01), 0, 0},
    {DCI_ENTRY(dc_cloth_desc, solver.iteration_max), DCI_INDEX, 30, 1, DCI_COUNT_MAX},
    {DCI_ENTRY(dc_cloth_desc, solver.halvings_max), DCI_INDEX, 6, 0, DCI_HALVINGS_MAX},
    DCI_ENTRY_NONE};

dc_cloth_desc dc_cloth_defaults(void)
{
    dc_cloth_desc desc;
    dci_desc_fill(&desc, sizeof desc, dci_cloth_entries);
    return desc;
}

/* ---- Checks ---- */

/* Checks that need no memory. */
static dc_status dci_plan_check(const dc_world_desc *world, dc_index number, dc_error *error)
{
    const dc_cloth_desc *desc = world->cloths + number;
    const dc_vec3 *const given[3] = {desc->start_positions, desc->rest_positions,
                                     desc->start_velocities};
    static const char *const what[3] = {"the start position of this vertex is not finite",
                                        "the rest position of this vertex is not finite",
                                        "the start velocity of this vertex is not finite"};
    dc_index i, bad;
    dc_status status = dci_mesh_check_counts(&desc->mesh, error);
    if (status == DC_OK) status = dci_desc_check(desc, dci_cloth_entries, error);
    if (status != DC_OK) return status;
    if (!dci_solvers[desc->solver.linear_solver])
        return dci_bad_field(error, "solver.linear_solver",
                             "this field's value is left out of this build", DC_NONE, 0);
    if (desc->grab_capacity > 0 && !DCI_HAS_ROWS)
        return dci_bad_field(error, "grab_capacity", "grabs are left out of this build", DC_NONE,
                             0);
    for (i = 0; i < 3; i++) {
        bad = dci_first_not_finite(given[i], desc->mesh.vertex_count);
        if (bad != DC_NONE) return dci_not_finite(error, what[i], bad);
    }
    return DC_OK;
}

/* Checks the pins and finds the pin of each vertex, or DC_NONE. */
static dc_status dci_plan_check_pins(const dci_cloth *cloth, dc_index *pin, dc_error *error)
{
    const dc_sparse *a = &cloth->element.vertex;
    dci_index_fill(pin, cloth->mesh.vertex_count, DC_NONE);
    for (dc_index i = 0; i < cloth->desc.pin_count; i++) {
        dc_index v = cloth->desc.pin_vertices[i];
        if (v < 0 || v >= cloth->mesh.vertex_count)
            return dci_bad(error, "this pin's vertex does not exist", i, (dc_real)v);
        if (pin[v] != DC_NONE)
            return dci_bad(error, "this pin's vertex has another pin", i, (dc_real)v);
        if (a->start[v] == a->start[v + 1])
            return dci_bad(error, "this pin's vertex has no triangles", i, (dc_real)v);
        pin[v] = i;
    }
    return DC_OK;
}

static dc_status dci_plan_find_clamps(dci_cloth *cloth, dc_error *error)
{
    const dc_mesh *mesh = &cloth->mesh;
    dci_index_fill(cloth->clamps.of_edge, mesh->edge_count, DC_NONE);
    for (dc_index i = 0; i < cloth->desc.clamp_count; i++) {
        dc_index a = cloth->desc.clamps[i].vertex0, b = cloth->desc.clamps[i].vertex1, e;
        if (dci_index_min(a, b) < 0 || dci_index_max(a, b) >= mesh->vertex_count)
            return dci_bad(error, "a vertex of this clamp does not exist", i, 0);
        e = dci_mesh_find_edge(mesh, a, b);
        if (e == DC_NONE)
            return dci_bad(error, "this clamp's vertices are not joined by an edge", i, 0);
        if (!dci_edge_is_boundary(mesh, e))
            return dci_bad(error, "this clamp's edge is inside the mesh", i, 0);
        if (cloth->clamps.of_edge[e] != DC_NONE)
            return dci_bad(error, "this clamp's edge has another clamp", i, 0);
        cloth->clamps.of_edge[e] = i;
        cloth->clamps.edge[i] = e;
    }
    return DC_OK;
}

/* ---- Planning ---- */

static dc_status dci_plan_rows(dci_cloth *cloth, dci_arena *arena, dc_error *error)
{
    const dc_mesh *mesh = &cloth->mesh;
    const dc_index *start = cloth->element.vertex.start, *pin = cloth->desc.pin_vertices;
    dc_index held_count = cloth->desc.pin_count + cloth->desc.clamp_count, count, i, *place;
    int64_t entries = cloth->desc.clamp_count;
    for (i = 0; i < cloth->desc.pin_count; i++) entries += start[pin[i] + 1] - start[pin[i]];
    count = dci_index_or_none(entries);
    dci_sparse_layout(arena, &cloth->rows.weight, held_count, cloth->element.node_count, count);
    dci_work before = dci_arena_begin_work(arena);
    place = dci_arena_indices(arena, cloth->element.node_count);
    if (arena->is_short) return dci_arena_fail(arena, error);
    dc_sparse_builder builder = dc_sparse_begin(&cloth->rows.weight, count, place);
    dci_rows_begin(&cloth->rows, mesh);
    for (i = 0; i < held_count; i++) {
        if (i < cloth->desc.pin_count)
            dci_sparse_add_row(&builder, &cloth->element.vertex, pin[i]);
        else
            dc_sparse_add(&builder, cloth->clamps.edge[i - cloth->desc.pin_count], 1);
        dc_sparse_finish_row(&builder);
    }
    DC_ASSERT(builder.end <= builder.capacity);
    cloth->rows.count = cloth->rows.length_count + 3 * held_count;
    dci_arena_end_work(arena, before);
    return DC_OK;
}

static dc_status dci_plan_energy(dci_cloth *cloth, dci_arena *arena, dc_error *error)
{
    dc_index node_count = cloth->element.node_count, *place, *known_place;
    dci_energy_layout(arena, &cloth->energy, &cloth->mesh, &cloth->desc, node_count);
    dci_work before = dci_arena_begin_work(arena);
    place = dci_arena_indices(arena, node_count);
    known_place = dci_arena_indices(arena, 2 * cloth->desc.clamp_count);
    if (arena->is_short) return dci_arena_fail(arena, error);
    dci_energy_build(&cloth->energy, &cloth->mesh, &cloth->element, &cloth->desc,
                     cloth->clamps.of_edge, NULL, place, known_place);
    dci_arena_end_work(arena, before);
    return DC_OK;
}

/* Checks clamps and pins. Finds the clamps' edges, and notes the first two pins that are taut. */
static dc_status dci_plan_held(dci_cloth *cloth, dc_index body, dci_arena *arena, dc_info *info,
                               dc_error *error)
{
    const dc_mesh *mesh = &cloth->mesh;
    const dc_vec3 *x = cloth->desc.start_positions;
    dc_index clamp_count = cloth->desc.clamp_count, *pin;
    dci_paths paths;
    cloth->clamps.edge = dci_arena_indices(arena, clamp_count);
    cloth->clamps.of_edge = dci_arena_indices(arena, mesh->edge_count);
    dci_work before = dci_arena_begin_work(arena);
    pin = dci_arena_indices(arena, mesh->vertex_count);
    dci_paths_layout(arena, &paths, mesh);
    if (arena->is_short) return dci_arena_fail(arena, error);
    dc_status status = dci_plan_find_clamps(cloth, error);
    if (status == DC_OK) status = dci_plan_check_pins(cloth, pin, error);
    if (status != DC_OK) return status;
    if (info->taut_body == DC_NONE)
        dci_paths_find_taut(&paths, mesh, pin, x, 1 - DCI_TAUT, 2, info->taut_pin);
    if (info->taut_body == DC_NONE && info->taut_pin[0] != DC_NONE) info->taut_body = body;
    dci_arena_end_work(arena, before);
    return DC_OK;
}

/* ============================================================================================
 * 42 CLOTH                                                                            dci_cloth
 *
 * The memory of a cloth, its start, and the sub-steps of a step. The first sub-step is the whole
 * step. One that fails is halved, down to dt / 2^halvings_max; after a success the length doubles
 * again:
 *
 *     tries    |-------------- fails --------------|
 *              |---- fails -----|
 *              |-------||------||------------------|       done: three sub-steps
 *
 * A sub-step begins at a multiple of its length, so that the last ends exactly with the step. None
 * is more than twice as long as the one before it (chapter 20); if even the shortest would be, the
 * integrator restarts. BDF2, whose start (20.5) has a large error constant, starts with sub-steps
 * of 1/8, 1/8, 1/4 and 1/2 of the step.
 *
 * Cloths of a group (chapter 25) take common sub-steps, because with different weights dt^2 the
 * matrix of their contacts would not be symmetric. If their last sub-steps differed, as they may
 * when cloths begin to touch, the integrator restarts for all.
 *
 * If the start shape has other lengths than the rest shape, it may approach these over a time T,
 * start_lengths. At time t squared lengths, and so the metric of each triangle, are
 *
 *     l^2 = l_start^2 + q^2 (3 - 2 q) (l_rest^2 - l_start^2),     q = min(1, t / T)     (42.1)
 *
 * The rate is 0 at the start and at the end. A jump of it would be an impact on all nodes.
 *
 * Vertex masses. If collisions move vertices by d, nodes follow by A^T (A A^T)^-1 d, (26.1). Their
 * mass times displacement is
 *
 *     sum_k m_k (A^T (A A^T)^-1 d)_k = sum_v w_v d_v,      A A^T w = A m               (42.2)
 *
 * So momentum is conserved if collisions use the vertex masses w: on an even grid a third of the
 * mass of the triangles around each vertex. If all vertices of the surface are particles (isometric
 * element), each has its own mass, and neither (26.1) nor (42.2) is needed.
 *
 * When the work is spent (chapter 49), a sub-step is taken if its lengths are nearly right. Else,
 * from the committed state, the cloths make one of one Newton iteration, without contacts. In the
 * next step its length errors would become velocity, so positions are projected, (24.1), but
 * velocities are not.
 * ============================================================================================ */

static dci_cloth *dci_cloth_of(const dci_member *m)
{
    return (dci_cloth *)m->object;
}

/* ---- Layout ---- */

static void dci_cloth_layout_work(dci_arena *arena, dci_cloth *cloth)
{
    dc_index nodes = cloth->element.node_count, rows = cloth->rows.count;
    dc_index vertices = cloth->element.black_count > 0 ? 0 : cloth->mesh.vertex_count;
    dc_index most = dci_index_max(nodes, vertices), weights = cloth->energy.rows.row_count;
    dc_index clamps = cloth->desc.clamp_count;
    int is_direct = cloth->solver == DCI_SOLVER_DIRECT;
    cloth->u = dci_arena_vectors(arena, nodes);
    cloth->node.step = dci_arena_vectors(arena, cloth->element.particle_count);
    cloth->load_q = dci_arena_vectors(arena, most);
    cloth->node.work = dci_arena_vectors(arena, nodes);
    cloth->direction = dci_arena_vectors(arena, rows);
    cloth->value = dci_arena_reals(arena, rows);
    cloth->eta = dci_arena_reals(arena, rows);
    cloth->eta_change = dci_arena_reals(arena, rows);
    cloth->kappa = dci_arena_reals(arena, rows);
    cloth->work.row = dci_arena_reals(arena, is_direct ? rows : 0);
    cloth->work.lambda_start = dci_arena_reals(arena, rows);
    cloth->node.mobility = dci_arena_reals(arena, nodes);
    cloth->node.residual = (dc_vec3 *)dci_arena_take(arena, dci_index_max(most, weights / 12 + 1),
                                                     4 * sizeof(dc_vec3));
    cloth->work.schur = (dc_real *)dci_arena_take(arena, is_direct ? 0 : rows, 4 * sizeof(dc_real));
    cloth->block = (dc_real *)dci_arena_take(arena, is_direct ? 0 : rows, 2 * sizeof(dc_real));
    cloth->work.place = dci_arena_indices(arena, is_direct || clamps > 0 ? nodes : 0);
    cloth->work.known_place = dci_arena_indices(arena, 2 * clamps);
    /* Work arrays that share memory. */
    if (!cloth->node.residual) return; /* the block is too small */
    dci_node_vectors_share(&cloth->node, nodes);
    cloth->own_node = cloth->node;
    if (!is_direct) cloth->work.row = cloth->work.schur;
    cloth->work.vertex = cloth->load_q;
    cloth->work.change = cloth->vertex_v;
}

static void dci_cloth_find_pieces(dci_arena *arena, dci_cloth *cloth)
{
    dc_index n = cloth->element.node_count, k;
    cloth->piece = dci_arena_indices(arena, n);
    cloth->piece_size = dci_arena_indices(arena, n);
    if (arena->is_short) return;
    dci_mesh_pieces(&cloth->mesh, cloth->mesh.edge_of_corner, n, cloth->piece);
    for (k = 0; k < n; k++) cloth->piece_size[cloth->piece[k]]++;
}

static void dci_cloth_layout_state(dci_arena *arena, dci_cloth *cloth)
{
    dc_index particles = cloth->element.particle_count, *count = cloth->count;
    dc_index pins = cloth->desc.pin_count, clamps = cloth->desc.clamp_count;
    count[0] = particles;
    count[1] = cloth->rows.count;
    count[2] = cloth->element.vertex.row_count;
    count[3] = 2 * clamps;
    if (cloth->desc.start_lengths > 0) {
        cloth->start_length_sq = dci_arena_reals(arena, cloth->rows.length_count);
        cloth->length = dci_arena_reals(arena, cloth->rows.length_count);
    }
    cloth->mass = dci_arena_reals(arena, particles);
    if (cloth->mass) cloth->energy.inertia = cloth->mass + cloth->element.node_count;
    dci_cloth_find_pieces(arena, cloth);
    cloth->hold = (dci_hold *)dci_arena_take(arena, pins + clamps, sizeof(dci_hold));
    cloth->grabs.grab = (dci_grab *)dci_arena_take(arena, cloth->grabs.capacity, sizeof(dci_grab));
    dci_fields_layout(arena, cloth, dci_cloth_fields, count);
    cloth->clamps.known = dci_arena_vectors(arena, count[3]);
    cloth->clamps.is_flipped = (unsigned char *)dci_arena_take(arena, clamps, 1);
    cloth->desc.pin_vertices =
        (dc_index *)dci_arena_copy(arena, cloth->desc.pin_vertices, pins, sizeof(dc_index));
    dci_fields_layout(arena, &cloth->state, dci_state_fields, count);
    dci_fields_layout(arena, &cloth->trial, dci_state_fields, count);
    cloth->vertex_x = dci_arena_vectors(arena, count[2]);
    cloth->vertex_v = dci_arena_vectors(arena, count[2]);
}

/* Notes a cloth whose unit may not be the metre. Vertices without triangles do not count. */
static void dci_info_note_wide(dc_info *info, const dc_mesh_desc *mesh, dc_index body)
{
    dc_vec3 low = mesh->positions[mesh->triangles[0]], high = low;
    for (dc_index q = 1; q < 3 * mesh->triangle_count; q++) {
        dc_vec3 x = mesh->positions[mesh->triangles[q]];
        low = dci_vec(dci_min(low.x, x.x), dci_min(low.y, x.y), dci_min(low.z, x.z));
        high = dci_vec(dci_max(high.x, x.x), dci_max(high.y, x.y), dci_max(high.z, x.z));
    }
    dc_real width = dci_max(high.x - low.x, dci_max(high.y - low.y, high.z - low.z));
    if (!(width > (dc_real)DC_WIDE_CLOTH) || info->wide_body != DC_NONE) return;
    info->wide_body = body;
    info->wide_width = width;
}

static dc_status dci_cloth_build(dci_member *m, const dc_world_desc *world, dci_arena *arena,
                                 dci_ledger *ledger, dc_error *error)
{
    dci_cloth *cloth = dci_cloth_of(m);
    const dc_cloth_desc *desc = world->cloths + m->number;
    dc_info *info = &ledger->info;
    dc_status status;
    cloth->desc = *desc;
    if (!desc->start_positions) cloth->desc.start_positions = desc->mesh.positions;
    cloth->desc.solver.residual_tol = dci_world_residual_tol(world, desc->solver.residual_tol);
    cloth->solver = dci_solvers[desc->solver.linear_solver];
    if (!(dci_load_drag(desc) > 0) && dci_dot(world->wind, world->wind) > 0 &&
        info->calm_body == DC_NONE)
        info->calm_body = m->body;
    if ((status = dci_mesh_build(&desc->mesh, 0, arena, &cloth->mesh, error)) != DC_OK)
        return status;
    dci_info_note_wide(info, &desc->mesh, m->body);
    m->surface = &cloth->surface;
    m->vertex_count = cloth->mesh.vertex_count;
    m->grabs = &cloth->grabs;
    cloth->grabs.capacity = desc->grab_capacity;
    cloth->grabs.force_max = desc->grab_force_max;
    dci_ledger_note(ledger, arena, "mesh");
    dci_element_build(&cloth->element, &cloth->mesh, desc->element, arena);
    if (arena->is_short) return dci_arena_fail(arena, error);
    m->map = &cloth->element.vertex;
    status =
        dci_element_build_surface(&cloth->element, &cloth->mesh, arena, &cloth->surface, error);
    if (status != DC_OK) return status;
    if ((status = dci_plan_held(cloth, m->body, arena, info, error)) != DC_OK) return status;
    if ((status = dci_plan_rows(cloth, arena, error)) != DC_OK) return status;
    dci_ledger_note(ledger, arena, "elements and constraints");
    if ((status = dci_plan_energy(cloth, arena, error)) != DC_OK) return status;
    if (desc->rest_positions) {
        cloth->rest.x = dci_arena_vectors(arena, cloth->element.node_count);
        cloth->rest.known = dci_arena_vectors(arena, 2 * desc->clamp_count);
        cloth->rest.turned = dci_arena_vectors(arena, cloth->energy.bending_count);
    }
    dci_ledger_note(ledger, arena, "bending");
    dci_cloth_layout_state(arena, cloth);
    dci_ledger_note(ledger, arena, "state");
    if (cloth->solver->plan) status = cloth->solver->plan(cloth, arena, error);
    if (status != DC_OK) return status;
    dci_ledger_note(ledger, arena, "matrices");
    dci_cloth_layout_work(arena, cloth);
    dci_ledger_note(ledger, arena, "work");
    return arena->is_short ? dci_arena_fail(arena, error) : DC_OK;
}

/* ---- Start ---- */

/* A vertex of the surface, from particles x; 0 if it is isolated and not a particle. */
static dc_vec3 dci_cloth_vertex(const dci_cloth *cloth, const dc_vec3 *x, dc_index v)
{
    if (v < cloth->element.black_count) return x[cloth->element.node_count + v];
    return dci_sparse_row(&cloth->element.vertex, v, x, dci_vec(0, 0, 0));
}

static void dci_cloth_place_vertices(const dci_cloth *cloth, const dc_vec3 *x, dc_vec3 *vertex)
{
    dc_index v;
    for (v = 0; v < cloth->element.vertex.row_count; v++) vertex[v] = dci_cloth_vertex(cloth, x, v);
}

/* After a collision, velocities are the last displacements over the sub-step's length. */
static void dci_cloth_update_vertex_v(dci_cloth *cloth)
{
    const dci_state *s = &cloth->state;
    int is_hit = s->is_hit && s->dt_prev > 0;
    dci_cloth_place_vertices(cloth, is_hit ? s->x : s->v, cloth->vertex_v);
    for (dc_index v = 0; is_hit && v < cloth->element.vertex.row_count; v++) {
        dc_vec3 x = dci_vec_sub(cloth->vertex_v[v], dci_cloth_vertex(cloth, s->x_prev, v));
        cloth->vertex_v[v] = dci_vec_scale(1 / s->dt_prev, x);
    }
}

/* Updates vertex_x and vertex_v; an isolated vertex that is not a particle stays. */
static void dci_cloth_update_surface(dci_cloth *cloth)
{
    const dc_sparse *a = &cloth->element.vertex;
    for (dc_index v = 0; v < a->row_count; v++)
        if (cloth->element.black_count > 0 || a->start[v] < a->start[v + 1])
            cloth->vertex_x[v] = dci_cloth_vertex(cloth, cloth->state.x, v);
    dci_cloth_update_vertex_v(cloth);
}

/* The gradient of x at a clamped edge: [0] across it, into its only triangle, the left one; [1]
   along it. Fails if the edge has no length, or `outward` is 0 or almost along the edge. */
static int dci_clamp_gradient(dc_vec3 end0, dc_vec3 end1, dc_vec3 outward, dc_vec3 gradient[2])
{
    dc_vec3 along = dci_vec_sub(end1, end0), across;
    dc_real length = dci_norm(along);
    if (!(length > 0)) return 0;
    along = dci_vec_scale(1 / length, along);
    across = dci_vec_axpy(outward, -dci_dot(outward, along), along);
    length = dci_norm(across);
    if (!(length > DCI_R(1e-3) * dci_norm(outward))) return 0; /* within .06 degrees of the edge */
    gradient[0] = dci_vec_scale(-1 / length, across);
    gradient[1] = along;
    return 1;
}

/* Clamps hold their edge where it is at the start, in the plane of its triangle. */
static void dci_cloth_start_clamps(dci_cloth *cloth, const dc_vec3 *x)
{
    for (dc_index i = 0; i < cloth->desc.clamp_count; i++) {
        dc_index e = cloth->clamps.edge[i], v0 = cloth->mesh.edge_vertices[2 * e],
                 v1 = cloth->mesh.edge_vertices[2 * e + 1];
        dc_index apex = cloth->mesh.triangles[cloth->mesh.corner_of_edge[2 * e]];
        dci_hold *hold = cloth->hold + cloth->desc.pin_count + i;
        dc_vec3 *gradient = cloth->clamps.known_start + 2 * i; /* 0 where it fails */
        hold->is_held = 1;
        hold->start = hold->target = dci_vec_scale(DCI_R(0.5), dci_vec_add(x[v0], x[v1]));
        cloth->clamps.is_flipped[i] = cloth->desc.clamps[i].vertex0 != v0;
        (void)dci_clamp_gradient(x[v0], x[v1], dci_vec_sub(x[v0], x[apex]), gradient);
        cloth->clamps.known_target[2 * i] = gradient[0];
        cloth->clamps.known_target[2 * i + 1] = gradient[1];
    }
}

static dc_index dci_cloth_triangle_of_row(const dci_cloth *cloth, dc_index row)
{
    return row == DC_NONE || row >= cloth->rows.length_count ? DC_NONE : row / 3;
}

static dc_status dci_cloth_fail(const dci_cloth *cloth, dc_status status, dc_error *error)
{
    const dci_solve_result *outcome = &cloth->outcome;
    dc_index row = outcome->worst_row;
    if (status == DC_NOT_FINITE)
        return dci_fail(error, status,
                        "the step is not finite: forces, targets or velocities are too large",
                        DC_NONE, 0);
    if (!outcome->is_balanced && outcome->error <= cloth->desc.tolerance)
        return dci_fail(error, DC_NOT_CONVERGED,
                        "forces could not be balanced to residual_tol; index is the triangle of "
                        "the largest length error",
                        dci_cloth_triangle_of_row(cloth, row), outcome->unbalanced);
    if (row == DC_NONE || row < cloth->rows.length_count)
        return dci_fail(error, DC_NOT_CONVERGED,
                        "edge lengths of this triangle could not be kept; value is the error",
                        dci_cloth_triangle_of_row(cloth, row), outcome->error);
    return dci_fail(
        error, DC_NOT_CONVERGED,
        "this pin (or clamp, counted after the pins) could not be held; value is the error",
        dci_rows_held(&cloth->rows, row), outcome->error);
}

/* Places black nodes by the red ones, (15.2), and isolated ones at their vertices x. */
static void dci_cloth_start_black(dci_cloth *cloth, const dc_vec3 *x)
{
    const dci_energy *energy = &cloth->energy;
    for (dc_index v = 0; v < cloth->element.black_count; v++) {
        dc_index k = cloth->element.node_count + v, row = energy->elastic_count + v;
        int is_isolated = energy->rows.start[row] == energy->rows.start[row + 1];
        dc_vec3 at = is_isolated ? x[v] : dci_energy_residual(energy, row, cloth->state.x, NULL);
        cloth->state.x[k] = cloth->state.x_prev[k] = at;
        cloth->state.v[k] = cloth->state.v_prev[k] =
            dci_energy_residual(energy, row, cloth->state.v, NULL);
    }
}

static void dci_cloth_start_rest(dci_cloth *cloth)
{
    if (!cloth->rest.turned) return;
    dci_mesh_midpoints(&cloth->mesh, cloth->desc.rest_positions, cloth->rest.x);
    for (dc_index i = 0; i < cloth->desc.clamp_count; i++)
        dci_rest_gradient(&cloth->mesh, cloth->clamps.edge[i], cloth->rest.x,
                          cloth->rest.known + 2 * i);
}

static void dci_cloth_set_lengths(dci_cloth *cloth, dc_real time)
{
    const dc_real *rest = cloth->mesh.rest_length;
    dc_real q = dci_min(1, time / cloth->desc.start_lengths), part = q * q * (3 - 2 * q);
    for (dc_index i = 0; i < cloth->rows.length_count; i++) {
        dc_real start_sq = cloth->start_length_sq[i], rest_sq = rest[i] * rest[i];
        cloth->length[i] =
            q < 1 ? DC_SQRT(start_sq + part * (rest_sq - start_sq)) : rest[i]; /* (42.1) */
    }
}

static dc_status dci_cloth_start_lengths(dci_cloth *cloth, const dc_vec3 *x, dc_error *error)
{
    const dc_index *vertex = cloth->mesh.triangles;
    if (!cloth->start_length_sq) return DC_OK;
    for (dc_index i = 0; i < cloth->rows.length_count; i++) {
        dc_vec3 side = dci_vec_sub(x[vertex[dci_corner_next(i)]], x[vertex[dci_corner_prev(i)]]);
        cloth->start_length_sq[i] = dci_dot(side, side);
        if (!dci_is_positive(cloth->start_length_sq[i]))
            return dci_bad(error, "start positions give an edge of this triangle no length", i / 3,
                           0);
    }
    cloth->rows.length = cloth->length;
    dci_cloth_set_lengths(cloth, 0);
    return DC_OK;
}

/* The largest relative difference of current and final squared lengths. */
static dc_real dci_cloth_length_left(const dci_cloth *cloth)
{
    dc_real left = 0;
    for (dc_index i = 0; cloth->length && i < cloth->rows.length_count; i++) {
        dc_real ratio = cloth->length[i] / cloth->mesh.rest_length[i];
        left = dci_max(left, dci_abs(ratio * ratio - 1));
    }
    return left;
}

#define DCI_WEIGHT_LEAST DCI_R(0.1) /* smallest w of (42.2) to use, relative to the lumped mass */

/* Vertex masses (42.2). On an uneven mesh some are far too small: such a vertex gets the lumped
   mass of its triangles, and conservation of momentum is only approximate. */
static dc_status dci_cloth_weigh(dci_cloth *cloth, dc_real *mass, dc_error *error)
{
    const dc_sparse *a = &cloth->element.vertex;
    dc_vec3 *nodes = cloth->node.work, *sums = cloth->work.change, *w = cloth->work.vertex;
    dc_cg_result result;
    dc_index i, black = cloth->element.black_count;
    for (i = 0; i < cloth->surface.vertex_count && black > 0; i++)
        mass[i] = cloth->mass[i < black ? cloth->element.node_count + i : i - black];
    if (black > 0) return DC_OK;
    for (i = 0; i < cloth->element.node_count; i++) nodes[i] = dci_vec(cloth->mass[i], 0, 0);
    dc_sparse_multiply(a, 3, dci_const_reals(nodes), dci_reals(sums));
    if (dci_ghost_move_nodes(a, sums, w, cloth->node.residual, cloth->node.step, &result) != DC_OK)
        return dci_fail(error, DC_NOT_CONVERGED, "vertex masses could not be computed", DC_NONE, 0);
    for (i = 0; i < 3 * cloth->mesh.triangle_count; i++)
        mass[cloth->mesh.triangles[i]] += cloth->desc.density * cloth->mesh.rest_area[i / 3] / 3;
    for (i = 0; i < cloth->mesh.vertex_count; i++)
        if (w[i].x > DCI_WEIGHT_LEAST * mass[i]) mass[i] = w[i].x;
    return DC_OK;
}

static dc_status dci_cloth_start(dci_member *m, const dc_world *world, dc_error *error)
{
    dci_cloth *cloth = dci_cloth_of(m);
    const dc_vec3 *x = cloth->desc.start_positions, *v = cloth->desc.start_velocities;
    dc_index n = cloth->element.node_count, k, i;
    dc_status status;
    cloth->residual_goal = cloth->desc.solver.residual_tol;
    cloth->integrator = cloth->desc.integrator;
    cloth->gravity = &world->gravity;
    cloth->wind = &world->wind;
    dci_element_masses(&cloth->element, &cloth->mesh, cloth->desc.density, cloth->mass);
    for (k = 0; k < cloth->element.particle_count; k++) cloth->total_mass += cloth->mass[k];
    dci_mesh_midpoints(&cloth->mesh, x, cloth->trial.x);
    if (v) dci_mesh_midpoints(&cloth->mesh, v, cloth->trial.v);
    dci_cloth_start_rest(cloth);
    /* Hold pins and clamps where they are. */
    for (i = 0; i < cloth->desc.pin_count; i++) {
        cloth->hold[i].is_held = 1;
        cloth->hold[i].start = cloth->hold[i].target = x[cloth->desc.pin_vertices[i]];
    }
    dci_cloth_start_clamps(cloth, x);
    for (i = 0; i < cloth->grabs.capacity; i++) cloth->grabs.grab[i].vertex = DC_NONE;
    for (k = 0; k < cloth->mesh.vertex_count; k++) cloth->vertex_x[k] = x[k];
    /* Move the nodes onto the constraints. */
    if ((status = dci_cloth_start_lengths(cloth, x, error)) != DC_OK) return status;
    for (k = 0; k < n; k++) cloth->u[k] = dci_vec(0, 0, 0);
    status = dci_project(cloth, cloth->desc.solver.iteration_max);
    if (status != DC_OK) {
        status = dci_cloth_fail(cloth, status, error);
        if (error && status == DC_NOT_CONVERGED)
            error->what = "start positions are too far from the rest shape, or pins too far apart";
        return status;
    }
    /* Commit this state. */
    for (k = 0; k < n; k++) {
        cloth->state.x[k] = cloth->state.x_prev[k] = dci_vec_add(cloth->trial.x[k], cloth->u[k]);
        cloth->state.v[k] = cloth->state.v_prev[k] = cloth->trial.v[k];
    }
    dci_cloth_start_black(cloth, x);
    if (world->collides) status = dci_cloth_weigh(cloth, world->surface.mass + m->first, error);
    dci_cloth_update_surface(cloth);
    return status;
}

/* ---- Sub-steps ---- */

static void dci_cloths_begin(dci_cloths *group, const dci_span *span)
{
    const dci_contact_rows *rows = group->contact_rows;
    for (dci_cloth *c = group->first; c; c = c->next) {
        if (c->length) dci_cloth_set_lengths(c, group->time + span->to * group->step_dt);
        dci_step_begin(c, span->dt, span->to);
        DC_MEMCPY(c->work.lambda_start, c->trial.lambda, (size_t)c->rows.count * sizeof(dc_real));
        c->has_impulse = 0;
    }
    if (group->partners.begin)
        group->partners.begin(group->partners.members, span->dt, span->to, group->is_cut);
    if (dci_contact_rows_count(rows) == 0) return;
    /* Start the contacts, with compliances from H of this sub-step. */
    for (dci_cloth *c = group->first; c; c = c->next) {
        dci_vec_copy(c->node.x_trial, c->trial.x, c->element.node_count);
        c->solver->diagonal(c, c->node.mobility);
    }
    dci_contact_rows_begin(rows, group->node.x_trial, span->from, group->first->weight);
    dci_contact_rows_set_compliance(rows, group->node_count, group->node.mobility,
                                    dci_reals(group->node.work));
}

static dc_status dci_cloths_try(void *cloths, const dci_span *span)
{
    dci_cloths *group = (dci_cloths *)cloths;
    dci_cloths_begin(group, span);
    dc_status status = dci_couple_step(group);
    for (dci_cloth *c = group->first; c; c = c->next) {
        size_t bytes = (size_t)c->rows.count * sizeof(dc_real);
        if (status == DC_OK)
            dci_step_accept(c);
        else
            DC_MEMCPY(c->trial.lambda, c->work.lambda_start, bytes);
        c->is_repeated = 0;
    }
    if (group->partners.end) group->partners.end(group->partners.members, status);
    if (status != DC_OK) dci_contact_rows_restore_forces(group->contact_rows);
    return status;
}

/* Resets the trial to the committed state. If the step is repeated, keeps u and lambda. */
static void dci_cloth_reset_trial(dci_cloth *cloth, int is_repeat)
{
    dc_index count[2] = {cloth->count[0], cloth->count[1]};
    cloth->is_repeated = is_repeat && cloth->is_repeated;
    cloth->is_dependent = 0;
    if (cloth->is_repeated) count[1] = 0;
    dci_fields_copy(&cloth->trial, &cloth->state, dci_state_fields, count);
    dci_fields_copy(&cloth->history, &cloth->committed, dci_force_history_fields, cloth->count);
    if (cloth->is_repeated) cloth->trial.lambda_weight = cloth->weight;
}

/* The first sub-step of cloths. */
static dci_clock dci_cloths_start_clock(const dci_cloths *group, const dci_span *span)
{
    dci_clock clock = dci_clock_of(span, group->halvings_max);
    int is_multistep = dci_integrators[group->first->integrator].scheme != NULL;
    dc_real dt_prev = group->first->trial.dt_prev;
    for (dci_cloth *c = group->first; c; c = c->next)
        if (c->trial.dt_prev != group->first->trial.dt_prev) dt_prev = 0;
    dt_prev = dci_clock_start(&clock, dt_prev, is_multistep);
    for (dci_cloth *c = group->first; c; c = c->next) c->trial.dt_prev = dt_prev;
    return clock;
}

static void dci_cloth_restore_lengths(dci_cloth *cloth)
{
    dc_index n = cloth->element.node_count, k;
    dc_vec3 *x = cloth->trial.x;
    for (k = 0; k < n; k++) cloth->u[k] = dci_vec(0, 0, 0);
    dci_meter_add(cloth->meter, DCI_CUT_PROJECTIONS, cloth->solver->work(cloth, 1));
    (void)dci_project(cloth, DCI_CUT_PROJECTIONS);
    for (k = 0; k < cloth->element.black_count; k++)
        x[n + k] = dci_vec_add(x[n + k], dci_step_black(cloth, k, cloth->u));
    for (k = 0; k < n; k++) x[k] = dci_vec_add(x[k], cloth->u[k]);
}

/* One sub-step of one Newton iteration: little work, and lengths change to second order only. */
static dc_status dci_cloths_cut(dci_cloths *group, const dci_span *span)
{
    for (dci_cloth *c = group->first; c; c = c->next) {
        dci_cloth_reset_trial(c, 0);
        c->trial.dt_prev = 0;
    }
    group->is_cut = 1;
    group->contact_rows = &group->no_rows;
    if (dci_cloths_try(group, span) != DC_OK) return DC_WORK_SPENT;
    for (dci_cloth *c = group->first; c; c = c->next) dci_cloth_restore_lengths(c);
    return DC_OK;
}

/* The energy's values after a clamp was set or released; its pattern stays. */
static void dci_cloth_rebuild_energy(dci_cloth *cloth)
{
    dci_energy_build(&cloth->energy, &cloth->mesh, &cloth->element, &cloth->desc,
                     cloth->clamps.of_edge, cloth->hold + cloth->desc.pin_count,
                     cloth->work.place, cloth->work.known_place);
    cloth->hessian_key[0] = 0;
}

/* ============================================================================================
 * 43 CLOTH AS A BODY                                                       dci_measure, dci_cloth
 *
 * The measures of a cloth between two steps, its table of functions (chapter 40), and its public
 * functions. Strain and angle defect are those of the surface that is drawn.
 * ============================================================================================ */

static void dci_measure_strain(const dci_cloth *cloth, dc_measures *m)
{
    const dc_mesh *mesh = &cloth->surface;
    dc_real sum = 0;
    m->strain_edge = DC_NONE;
    for (dc_index e = 0; e < mesh->edge_count; e++) {
        const dc_index *v = mesh->edge_vertices + 2 * e;
        dc_real rest = dci_edge_length(mesh, e);
        dc_vec3 side = dci_vec_sub(cloth->vertex_x[v[1]], cloth->vertex_x[v[0]]);
        dc_real strain = (dci_norm(side) - rest) / rest;
        sum += strain * strain;
        if (dci_abs(strain) <= m->strain_max) continue;
        m->strain_max = dci_abs(strain);
        m->strain_edge = e;
    }
    m->strain_rms = DC_SQRT(sum / (dc_real)mesh->edge_count);
}

static void dci_measure_motion(const dci_cloth *cloth, dc_measures *m)
{
    for (dc_index k = 0; k < cloth->element.particle_count; k++) {
        dc_real mass = cloth->mass[k];
        dc_vec3 x = cloth->state.x[k], v = dci_state_velocity(&cloth->state, k);
        m->mass += mass;
        m->kinetic += mass * dci_dot(v, v) / 2;
        m->gravity -= mass * dci_dot(*cloth->gravity, x);
        m->momentum = dci_vec_axpy(m->momentum, mass, v);
        m->angular_momentum = dci_vec_axpy(m->angular_momentum, mass, dci_cross(x, v));
        m->centre = dci_vec_axpy(m->centre, mass, x);
    }
    m->centre = dci_vec_scale(1 / m->mass, m->centre);
}

static dc_real dci_measure_angle(const dci_cloth *cloth, dc_index q)
{
    const dc_index *vertex = cloth->surface.triangles;
    dc_vec3 x = cloth->vertex_x[vertex[q]];
    dc_vec3 a = dci_vec_sub(cloth->vertex_x[vertex[dci_corner_next(q)]], x);
    dc_vec3 b = dci_vec_sub(cloth->vertex_x[vertex[dci_corner_prev(q)]], x);
    return dc_atan2(dci_norm(dci_cross(a, b)), dci_dot(a, b));
}

static void dci_measure_defect(const dci_cloth *cloth, dc_measures *m)
{
    const dc_mesh *mesh = &cloth->surface;
    m->angle_defect_vertex = DC_NONE;
    for (dc_index fan = 0; fan < mesh->fan_count; fan++) {
        dc_real defect = 0;
        if (!dci_fan_is_closed(mesh, fan)) continue;
        for (dc_index place = mesh->fan_start[fan]; place < mesh->fan_start[fan + 1]; place++)
            defect += dci_corner_angle(mesh, mesh->fan_corner[place]) -
                      dci_measure_angle(cloth, mesh->fan_corner[place]);
        if (dci_abs(defect) <= m->angle_defect_max) continue;
        m->angle_defect_max = dci_abs(defect);
        m->angle_defect_vertex = mesh->triangles[mesh->fan_corner[mesh->fan_start[fan]]];
    }
}

static void dci_measure_energies(const dci_cloth *cloth, dc_measures *m)
{
    const dci_energy *energy = &cloth->energy;
    const dc_vec3 *x = cloth->state.x, *known = cloth->clamps.known_start;
    if (cloth->rest.turned)
        m->bending = dci_rest_value(&cloth->rest, energy, &cloth->mesh, cloth->clamps.of_edge, x,
                                    known, NULL);
    else
        m->bending = dci_energy_value(energy, 0, energy->bending_count, x, known);
    m->jump = dci_energy_value(energy, energy->bending_count, energy->elastic_count, x, known);
}

/* ---- As a body: step ---- */

static const dc_vec3 *dci_cloth_points(const dci_member *m, int wants_velocities)
{
    return wants_velocities ? dci_cloth_of(m)->vertex_v : dci_cloth_of(m)->vertex_x;
}

static dc_vec3 dci_cloth_next(const dci_member *m, dc_index vertex, dc_real part)
{
    (void)part;
    return dci_cloth_vertex(dci_cloth_of(m), dci_cloth_of(m)->trial.x, vertex);
}

static void dci_cloths_gather(dci_cloths *group, const dci_group *members, int has_ribbons,
                              const dc_world *world)
{
    dci_cloth *c;
    int is_euler = world->is_settling;
    DC_MEMSET(group, 0, sizeof *group);
    group->meter = members->meter;
    group->contact_rows = members->contact_rows ? members->contact_rows : &group->no_rows;
    is_euler |= has_ribbons && dci_contact_rows_of_contacts(group->contact_rows).count > 0;
    for (dc_index i = members->count - 1; i >= 0; i--) {
        c = dci_cloth_of(members->member[i]);
        c->next = group->first;
        c->meter = members->meter;
        group->first = c;
        c->residual_goal = dci_min(world->goal, c->desc.solver.residual_tol);
        c->integrator = is_euler ? DC_INTEGRATOR_BACKWARD_EULER : c->desc.integrator;
        DC_MEMSET(&c->counters, 0, sizeof c->counters);
    }
    dci_cloths_sum(group);
    if (members->count == 1) {
        group->node = group->first->own_node;
        return;
    }
    group->node = dci_node_vectors_of_group(members->node, members->first_node, group->node_count);
    for (c = group->first; c; c = c->next)
        c->node = dci_node_vectors_from(&group->node, c->first_node);
}

static void dci_cloth_report(const dci_cloth *cloth, dc_index body, int is_taken, dc_report *report)
{
    report->counters.newton_iterations += cloth->counters.newton;
    report->counters.cg_iterations += cloth->counters.cg;
    report->counters.factorizations += cloth->counters.factorizations;
    if (!is_taken) return; /* an attempt */
    report->length_left = dci_max(report->length_left, dci_cloth_length_left(cloth));
    if (report->worst_body != DC_NONE && !(cloth->outcome.error > report->constraint_error)) return;
    report->constraint_error = cloth->outcome.error;
    report->worst_body = body;
    report->worst_triangle = dci_cloth_triangle_of_row(cloth, cloth->outcome.worst_row);
}

/* A step that can be halved is given up after this part of iteration_max: halves converge sooner. */
#define DCI_DIVISIBLE_NEWTON_PART DCI_R(0.67)

/* Cloths are the first members of a group. */
static dc_index dci_group_divide(const dci_group *all, dci_group *cloths, dci_group *others)
{
    dc_index count = 1;
    while (count < all->count && all->member[count]->kind == all->member[0]->kind) count++;
    *cloths = *others = *all;
    cloths->count = count;
    others->member += count;
    others->count -= count;
    return others->count;
}

static dc_status dci_cloth_advance_in(dci_group *members, const dc_world *world,
                                      const dci_span *span)
{
    dci_cloths group;
    dci_group cloths, others;
    const dci_dynamics *other = NULL;
    dci_cloth *c;
    if (dci_group_divide(members, &cloths, &others) > 0) other = others.member[0]->kind->dynamics;
    dci_cloths_gather(&group, &cloths, other != NULL, world);
    group.time = world->time;
    group.step_dt = span->dt / (span->to - span->from);
    if (other) other->join(&others, world, span, &group.partners);
    if (span->is_divisible)
        group.iteration_max =
            dci_index_max(1, (dc_index)(DCI_DIVISIBLE_NEWTON_PART * (dc_real)group.iteration_max));
    for (c = group.first; c; c = c->next) dci_cloth_reset_trial(c, members->is_repeat);
    dci_clock clock = dci_cloths_start_clock(&group, span);
    dc_status status = dci_group_advance(members, &clock, dci_cloths_try, &group);
    for (c = group.first; c; c = c->next)
        c->is_repeated = status == DC_OK && members->substeps == 1;
    if (status == DC_WORK_SPENT && dci_meter_stop(members->meter) == DC_OK) {
        members->substeps = 1;
        status = dci_cloths_cut(&group, span);
    }
    for (dc_index i = 0; i < cloths.count; i++) {
        c = dci_cloth_of(cloths.member[i]);
        c->node = c->own_node;
        c->meter = world->meter;
        c->has_contacts = dci_contact_rows_count(group.contact_rows) > 0;
        c->trial.is_hit = 0; /* until collisions displace it */
    }
    return status;
}

static dc_status dci_cloth_conclude(const dci_group *members, dc_status status, dc_report *report,
                                    dc_error *error)
{
    dci_group cloths, others;
    const dci_member *failed = NULL;
    dc_index count = dci_group_divide(members, &cloths, &others), i;
    for (i = 0; i < cloths.count; i++) {
        const dci_member *m = cloths.member[i];
        const dci_cloth *c = dci_cloth_of(m);
        int has_converged = c->outcome.is_balanced && c->outcome.error <= c->desc.tolerance;
        dci_cloth_report(c, m->body, status == DC_OK, report);
        if (!failed && !has_converged) failed = m;
    }
    if (count > 0 && others.member[0]->kind->dynamics->leave(&others, status, report, error))
        return status;
    if (status == DC_OK) return DC_OK;
    if (status == DC_WORK_SPENT) return dci_meter_fail(members->meter, error);
    if (!failed) failed = members->member[0];
    return dci_in_body(error, dci_cloth_fail(dci_cloth_of(failed), status, error), failed->body);
}

static void dci_cloth_accept(dci_member *m, const dc_vec3 *surface)
{
    dci_cloth *cloth = dci_cloth_of(m);
    dci_state swap = cloth->state;
    cloth->state = cloth->trial;
    cloth->trial = swap;
    dci_fields_copy(&cloth->committed, &cloth->history, dci_force_history_fields, cloth->count);
    dci_cloth_update_surface(cloth);
    if (surface) dci_vec_copy(cloth->vertex_x, surface, cloth->surface.vertex_count);
}

static void dci_cloth_arrive(dci_member *m, dc_real part)
{
    dci_cloth *cloth = dci_cloth_of(m);
    dci_hold *hold = cloth->hold;
    dci_grab *grab = cloth->grabs.grab;
    dc_vec3 *start = cloth->clamps.known_start, *target = cloth->clamps.known_target;
    for (dc_index i = 0; i < cloth->desc.pin_count + cloth->desc.clamp_count; i++)
        hold[i].start = dci_way_at(hold[i].start, hold[i].target, part);
    for (dc_index i = 0; i < 2 * cloth->desc.clamp_count; i++)
        start[i] = dci_way_at(start[i], target[i], part);
    for (dc_index i = 0; i < cloth->grabs.capacity; i++)
        grab[i].start = dci_way_at(grab[i].start, grab[i].target, part);
}

/* Of its pins and clamps. */
static dc_real dci_cloth_longest_way(const dci_member *m, dc_index *index)
{
    const dci_cloth *cloth = dci_cloth_of(m);
    dc_real most = 0;
    for (dc_index i = 0; i < cloth->desc.pin_count + cloth->desc.clamp_count; i++) {
        const dci_hold *hold = cloth->hold + i;
        if (hold->is_held) dci_way_compare(hold->start, hold->target, i, &most, index);
    }
    return most;
}

/* Finds in `step` the displacements of particles. Isolated vertices stay. */
static dc_status dci_cloth_find_step(dci_cloth *cloth, const dc_vec3 *change, dc_error *error)
{
    const dc_sparse *a = &cloth->element.vertex;
    dc_vec3 *particle_change = cloth->node.step;
    dc_index black = cloth->element.black_count, n = cloth->element.node_count, v;
    dc_cg_result result;
    if (black == 0) {
        dc_status status = dci_ghost_move_nodes(a, change, cloth->work.vertex, cloth->node.residual,
                                                particle_change, &result);
        if (status == DC_OK) return DC_OK;
        return dci_fail(error, DC_NOT_CONVERGED,
                        "no midpoints were found that fit the corrected vertices", DC_NONE,
                        result.end);
    }
    for (v = 0; v < black; v++)
        particle_change[n + v] = a->start[v] == a->start[v + 1] ? dci_vec(0, 0, 0) : change[v];
    for (v = 0; v < n; v++) particle_change[v] = change[black + v];
    return DC_OK;
}

/* Likewise without changing velocities, by (26.2). Overwrites work.change. */
static dc_status dci_cloth_find_even_step(dci_cloth *cloth, const dc_vec3 *change, dc_error *error)
{
    const dc_sparse *a = &cloth->element.vertex;
    dc_vec3 *mean = cloth->node.work, *left = cloth->work.change, *step = cloth->node.step;
    dc_index k, v;
    if (cloth->element.black_count > 0) return dci_cloth_find_step(cloth, change, error);
    dci_mesh_midpoints(&cloth->mesh, change, mean);
    dci_cloth_place_vertices(cloth, mean, left);
    for (v = 0; v < a->row_count; v++)
        left[v] =
            a->start[v] == a->start[v + 1] ? dci_vec(0, 0, 0) : dci_vec_sub(change[v], left[v]);
    dc_status status = dci_cloth_find_step(cloth, left, error);
    for (k = 0; k < cloth->element.node_count; k++) step[k] = dci_vec_add(mean[k], step[k]);
    return status;
}

/* ---- As a body: collisions ---- */

#ifndef DC_NO_COLLISIONS

/* (30.1), where the smallest triangle height of the surface is `part` of that of the mesh. */
static void dci_info_note_thin(dc_info *info, const dc_mesh *mesh, dc_real thickness, dc_real part,
                               dc_index body)
{
    dc_real least = thickness;
    for (dc_index i = 0; i < 3 * mesh->triangle_count; i++)
        least = dci_min(least, part * dci_mesh_height_bound(mesh, i));
    if (!(least < thickness) || info->thin_body != DC_NONE) return;
    info->thin_body = body;
    info->self_thickness = least;
}

static void dci_cloth_layout_in(dci_member *m, const dc_world_desc *desc, dci_arena *arena,
                                dci_ledger *ledger)
{
    dci_cloth *cloth = dci_cloth_of(m);
    const dc_cloth_desc *d = desc->cloths + m->number;
    if (d->self_contact)
        dci_info_note_thin(&ledger->info, &cloth->mesh, d->thickness,
                           cloth->element.row->height_share, m->body);
    cloth->count[4] = cloth->element.node_count;
    dci_fields_layout(arena, &cloth->history, dci_force_history_fields, cloth->count);
    dci_fields_layout(arena, &cloth->committed, dci_force_history_fields, cloth->count);
}

static dc_status dci_cloth_enter(dci_member *m, const dc_world_desc *desc, dci_surface *s,
                                 dci_entered *at, dci_arena *arena, dc_error *error)
{
    const dci_cloth *cloth = dci_cloth_of(m);
    dci_body *body = dci_surface_enter_mesh(s, &cloth->surface, at);
    dci_surface_bound_thickness(s, &cloth->surface, body->first_vertex);
    body->thickness = cloth->desc.thickness;
    body->friction = cloth->desc.friction;
    body->self_contact = cloth->desc.self_contact;
    body->category = cloth->desc.category;
    body->ignores = cloth->desc.ignores;
    (void)arena;
    if (cloth->desc.integrator != desc->cloths->integrator)
        return dci_bad(error, "contact needs the integrator of the first cloth", DC_NONE, 0);
    return DC_OK;
}

/* Pinned vertices do not move. Ends of a clamped edge may: a clamp holds its midpoint. */
static void dci_cloth_fill_masses(const dci_cloth *cloth, dci_surface *s, dc_index first)
{
    for (dc_index i = first; i < first + cloth->surface.vertex_count; i++)
        s->inv_mass[i] = s->mass[i] > 0 ? 1 / s->mass[i] : DCI_R(0);
    for (dc_index i = 0; i < cloth->desc.pin_count; i++)
        if (cloth->hold[i].is_held) s->inv_mass[first + cloth->desc.pin_vertices[i]] = 0;
    for (dc_index i = 0; i < cloth->desc.clamp_count; i++)
        if (cloth->hold[cloth->desc.pin_count + i].is_held && cloth->element.black_count > 0)
            s->inv_mass[first + cloth->element.black_count + cloth->clamps.edge[i]] = 0;
}

/* For a prediction recomputes vertex_v, which an earlier attempt may have overwritten. */
static void dci_cloth_fill(dci_member *m, dci_surface *s, dci_when when, const dci_span *span)
{
    dci_cloth *cloth = dci_cloth_of(m);
    const dc_index *row = cloth->element.vertex.start;
    dc_vec3 *start = s->start + m->first, *end = s->end + m->first;
    dci_cloth_fill_masses(cloth, s, m->first);
    if (when == DCI_CANDIDATE) dci_cloth_place_vertices(cloth, cloth->trial.x, end);
    if (when == DCI_PREDICTED) dci_cloth_update_vertex_v(cloth);
    for (dc_index v = 0; v < cloth->surface.vertex_count; v++) {
        start[v] = cloth->vertex_x[v];
        if (when == DCI_PREDICTED)
            end[v] = dci_vec_axpy(start[v], span->dt, cloth->vertex_v[v]);
        else if (when == DCI_AT_REST || row[v] == row[v + 1])
            end[v] = start[v];
    }
}

/* Moves the trial to the corrected surface. Repulsion (`push`) leaves velocities as they are. */
static dc_status dci_cloth_displace_trial(dci_cloth *cloth, const dci_surface *s, dc_index first,
                                          dc_real dt, dc_error *error)
{
    dci_state *t = &cloth->trial;
    dc_index v, k, n = cloth->surface.vertex_count;
    dc_vec3 *change = cloth->work.change;
    dc_status status;
    int is_moved = 0, is_pushed = 0;
    dci_cloth_place_vertices(cloth, t->x, change);
    for (v = 0; v < n; v++) {
        int is_isolated = cloth->element.vertex.start[v] == cloth->element.vertex.start[v + 1];
        dc_vec3 all = is_isolated ? dci_vec(0, 0, 0) : dci_vec_sub(s->end[first + v], change[v]);
        is_moved |= all.x != 0 || all.y != 0 || all.z != 0;
        is_pushed |= dci_dot(s->push[first + v], s->push[first + v]) > 0;
        change[v] = dci_vec_sub(all, s->push[first + v]);
    }
    t->is_hit = is_moved;
    if (!is_moved) return DC_OK;
    if ((status = dci_cloth_find_step(cloth, change, error)) != DC_OK) return status;
    dci_state_displace(t, cloth->node.step, cloth->element.particle_count, 1 / dt);
    if (!is_pushed) return DC_OK;
    if ((status = dci_cloth_find_even_step(cloth, s->push + first, error)) != DC_OK) return status;
    for (k = 0; k < cloth->element.particle_count; k++) {
        t->x[k] = dci_vec_add(t->x[k], cloth->node.step[k]);
        t->x_prev[k] = dci_vec_add(t->x_prev[k], cloth->node.step[k]);
    }
    return DC_OK;
}

#define DCI_CLAMP_ERROR_MAX DCI_R(0.2) /* in half edge lengths; bending alone gives .06 at most */
/* The distance of a clamped edge's middle from its target, in half edge lengths: contacts push
   it. */
static dc_real dci_cloth_clamp_error(const dci_cloth *cloth, const dc_vec3 *x, dc_index clamp)
{
    const dci_hold *hold = cloth->hold + cloth->desc.pin_count + clamp;
    const dc_index *end = cloth->mesh.edge_vertices + 2 * cloth->clamps.edge[clamp];
    dc_vec3 a = x[end[0]], b = x[end[1]];
    dc_vec3 at = dci_vec_axpy(hold->start, cloth->part, dci_vec_sub(hold->target, hold->start));
    dc_vec3 middle = dci_vec_scale(DCI_R(0.5), dci_vec_add(a, b));
    return dci_norm(dci_vec_sub(middle, at)) / (dci_norm(dci_vec_sub(b, a)) / 2);
}

static dc_status dci_cloth_check_clamps(const dci_cloth *cloth, const dc_vec3 *x, dc_error *error)
{
    if (!cloth->trial.is_hit && !cloth->has_contacts) return DC_OK;
    for (dc_index i = 0; i < cloth->desc.clamp_count; i++) {
        dc_real distance = dci_cloth_clamp_error(cloth, x, i);
        if (cloth->hold[cloth->desc.pin_count + i].is_held && !(distance <= DCI_CLAMP_ERROR_MAX))
            return dci_fail(error, DC_NOT_CONVERGED,
                            "contacts keep this clamp's edge from its target; value is the "
                            "distance in half edges",
                            cloth->desc.pin_count + i, distance);
    }
    return DC_OK;
}

static dc_status dci_cloth_follow_surface(dci_member *m, const dci_surface *s, dc_real dt,
                                          dc_report *report, dc_error *error)
{
    dci_cloth *cloth = dci_cloth_of(m);
    dc_index worst;
    dc_status status = dci_cloth_displace_trial(cloth, s, m->first, dt, error);
    if (status != DC_OK) return status;
    dc_real length_error = dci_rows_error(&cloth->rows, NULL, cloth->trial.x, &worst);
    if (!(length_error <= report->contact_error)) report->contact_error = length_error;
    return dci_cloth_check_clamps(cloth, s->end + m->first, error);
}

static const dci_collision dci_cloth_collision = {
    DCI_PAIRS_PER_VERTEX, NULL,           dci_cloth_layout_in,
    dci_cloth_enter,      dci_cloth_fill, dci_cloth_follow_surface,
};

#endif /* DC_NO_COLLISIONS */

/* ---- As a body: rest ---- */

/* dt_prev = 0 restarts a multistep method. */
static void dci_cloth_stop(dci_member *m)
{
    dci_cloth *cloth = dci_cloth_of(m);
    dci_state *s = &cloth->state;
    dc_index k;
    for (k = 0; k < cloth->element.particle_count; k++) s->v[k] = s->v_prev[k] = dci_vec(0, 0, 0);
    s->dt_prev = 0;
    dci_cloth_update_vertex_v(cloth);
}

/* The mean way of pins and clamps to their targets [m]. */
static dc_vec3 dci_cloth_way(const dci_cloth *cloth)
{
    dc_vec3 sum = dci_vec(0, 0, 0);
    dc_index count = 0, i;
    for (i = 0; i < cloth->desc.pin_count + cloth->desc.clamp_count; i++) {
        const dci_hold *hold = cloth->hold + i;
        if (!hold->is_held) continue;
        sum = dci_vec_add(sum, dci_vec_sub(hold->target, hold->start));
        count++;
    }
    return count > 0 ? dci_vec_scale(1 / (dc_real)count, sum) : sum;
}

/* All of it moves by this way, so that no length changes. Distances that remain between pins and
   their targets are left to the next step. */
static void dci_cloth_carry(dci_member *m)
{
    dci_cloth *cloth = dci_cloth_of(m);
    const dc_vec3 way = dci_cloth_way(cloth);
    for (dc_index i = 0; i < cloth->grabs.capacity; i++)
        cloth->grabs.grab[i].start = cloth->grabs.grab[i].target;
    if (!dci_is_positive(dci_dot(way, way))) return;
    for (dc_index i = 0; i < cloth->desc.pin_count + cloth->desc.clamp_count; i++)
        cloth->hold[i].start = dci_vec_add(cloth->hold[i].start, way);
    for (dc_index i = 0; i < cloth->element.particle_count; i++)
        cloth->state.x[i] = cloth->state.x_prev[i] = dci_vec_add(cloth->state.x[i], way);
    for (dc_index i = 0; i < cloth->surface.vertex_count; i++)
        cloth->vertex_x[i] = dci_vec_add(cloth->vertex_x[i], way);
}

static void dci_cloth_add_motion(dci_member *m, dc_vec3 gravity, dci_motion *sum)
{
    dci_cloth *cloth = dci_cloth_of(m);
    dc_real gravity_sq = dci_dot(gravity, gravity);
    dc_index n = cloth->element.node_count, k;
    dc_vec3 *force = cloth->node.work;
    sum->mass += cloth->total_mass;
    for (k = 0; k < cloth->element.particle_count; k++) {
        dc_vec3 v = dci_state_velocity(&cloth->state, k);
        sum->speed_sq += cloth->mass[k] * dci_dot(v, v);
    }
    for (k = 0; k < n; k++) force[k] = dci_vec_scale(cloth->mass[k], gravity);
    if (cloth->has_force) dci_sparse_apply_transposed(&cloth->element.vertex, cloth->force, force);
    for (k = 0; k < n; k++) sum->load_sq += dci_dot(force[k], force[k]) / cloth->mass[k];
    for (; k < cloth->element.particle_count; k++) sum->load_sq += cloth->mass[k] * gravity_sq;
}

/* ---- As a body: snapshot ---- */

static void dci_cloth_describe(dci_snapshot *s, const dci_member *m, const dci_surface *surface)
{
    const dci_cloth *c = dci_cloth_of(m);
    const dc_cloth_desc *d = &c->desc;
    const dc_mesh *mesh = &c->mesh;
    dc_index reals = c->rest.x ? 3 * c->element.node_count : 0;
    dci_snapshot_same(s, "mesh.vertex_count", (uint32_t)mesh->vertex_count);
    dci_snapshot_same_indices(s, "mesh.triangles", mesh->triangles, 3 * mesh->triangle_count);
    dci_snapshot_same_reals(s, "rest lengths", mesh->rest_length, 3 * mesh->triangle_count);
    dci_snapshot_same_reals(s, "start_positions", c->start_length_sq,
                            c->start_length_sq ? 3 * mesh->triangle_count : 0);
    dci_snapshot_same_reals(s, "rest_positions", reals > 0 ? &c->rest.x->x : NULL, reals);
    dci_snapshot_same_indices(s, "pin_vertices", d->pin_vertices, d->pin_count);
    dci_snapshot_same_indices(s, "clamps", c->clamps.edge, d->clamp_count);
    dci_snapshot_desc(s, d, dci_cloth_entries);
    (void)surface;
}

/* The multipliers of held points are forces, so they turn with the cloth. The surface is made anew,
   to have the bits of one that was made there. */
static void dci_cloth_relocate(dci_cloth *cloth, const dci_relocation *to)
{
    dc_vec3 *force = (dc_vec3 *)(cloth->state.lambda + cloth->rows.length_count);
    for (dc_index i = 0; i < cloth->desc.pin_count + cloth->desc.clamp_count; i++)
        force[i] = dci_relocate_vector(to, force[i]);
    dci_cloth_update_surface(cloth);
}

static void dci_cloth_walk_state(dci_snapshot *s, const dci_member *m)
{
    dci_cloth *c = dci_cloth_of(m);
    dci_snapshot_fields(s, &c->state, dci_state_fields, c->count);
    for (dc_index v = 0; v < c->surface.vertex_count; v++)
        dci_snapshot_point(s, "surface", v, c->vertex_x + v);
    dci_snapshot_fields(s, &c->committed, dci_force_history_fields, c->count);
    if (s->to_place && s->mode == DCI_SNAPSHOT_READ) dci_cloth_relocate(c, s->to_place);
}

static void dci_cloth_walk_input(dci_snapshot *s, const dci_member *m)
{
    dci_cloth *c = dci_cloth_of(m);
    dci_snapshot_fields(s, c, dci_cloth_fields, c->count);
    for (dc_index i = 0; i < c->desc.pin_count + c->desc.clamp_count; i++) {
        dci_snapshot_flag(s, "whether pins and clamps hold", i, &c->hold[i].is_held);
        dci_snapshot_point(s, "starts of pins and clamps", i, &c->hold[i].start);
        dci_snapshot_point(s, "targets of pins and clamps", i, &c->hold[i].target);
    }
    for (dc_index i = 0; i < c->grabs.capacity; i++) {
        dci_grab *grab = c->grabs.grab + i;
        dci_snapshot_index(s, "grabbed vertices", i, &grab->vertex, DC_NONE,
                           c->surface.vertex_count);
        dci_snapshot_point(s, "starts of grabs", i, &grab->start);
        dci_snapshot_point(s, "targets of grabs", i, &grab->target);
        dci_snapshot_real(s, "compliances of grabs", i, &grab->compliance);
    }
    if (s->mode != DCI_SNAPSHOT_READ) return;
    if (c->desc.clamp_count > 0) dci_cloth_rebuild_energy(c);
    dci_cloth_update_vertex_v(c);
}

static uint64_t dci_cloth_iteration_work(const dci_member *m)
{
    return dci_cloth_of(m)->solver->work(dci_cloth_of(m), 1);
}

static const dci_dynamics dci_cloth_dynamics = {
    dci_cloth_iteration_work,
    NULL,
    dci_cloth_start,
    dci_cloth_advance_in,
    dci_cloth_conclude,
    NULL,
    NULL,
    dci_cloth_accept,
    dci_cloth_stop,
    dci_cloth_carry,
    dci_cloth_add_motion,
    dci_cloth_walk_state,
};

static dc_status dci_cloth_texture(const dci_member *m, const dc_mesh_desc *mesh,
                                   dc_vec2 *coordinates, dc_error *error)
{
    const dci_cloth *c = dci_cloth_of(m);
    if (!mesh || (!mesh->flat_corners && !mesh->flat_vertices))
        return dci_bad(error, "the mesh has no flat shape", DC_NONE, 0);
    if (mesh->triangle_count != c->mesh.triangle_count ||
        mesh->vertex_count != c->mesh.vertex_count)
        return dci_bad(error, "the mesh has another triangle_count or vertex_count", DC_NONE, 0);
    for (dc_index q = 0; q < 3 * mesh->triangle_count; q++)
        coordinates[q] =
            mesh->flat_corners ? mesh->flat_corners[q] : mesh->flat_vertices[c->mesh.triangles[q]];
    if (c->element.black_count > 0) dci_element_cut_flat(&c->mesh, coordinates);
    return DC_OK;
}

static const dci_kind dci_cloth_kind = {
    'c',
    sizeof(dci_cloth),
    offsetof(dc_world_desc, cloth_count),
    offsetof(dc_world_desc, cloths),
    "cloth_count is negative or too large, or cloths is missing",
    dci_plan_check,
    dci_cloth_build,
    dci_cloth_points,
    dci_cloth_next,
    dci_cloth_texture,
    dci_cloth_arrive,
    dci_cloth_longest_way,
    dci_cloth_describe,
    dci_cloth_walk_input,
    &dci_cloth_dynamics,
    DCI_COLLISION(dci_cloth_collision),
};

/* ---- What the caller reads and sets ---- */

static dci_cloth *dci_world_cloth(const dc_world *world, dc_index body)
{
    return dci_cloth_of(world->member + body);
}

/* The cloth, or NULL after a failure. */
static dci_cloth *dci_find_cloth(const dc_world *world, dc_index body, dc_error *error)
{
    dci_member *m = dci_find_body(world, body, &dci_cloth_kind, error);
    return m ? dci_cloth_of(m) : NULL;
}

const dc_vec3 *dc_cloth_midpoints(const dc_world *world, dc_index body)
{
    DC_ASSERT(dci_is_of_kind(world, body, &dci_cloth_kind));
    return dci_world_cloth(world, body)->state.x;
}

const dc_mesh *dc_cloth_mesh(const dc_world *world, dc_index body)
{
    DC_ASSERT(dci_is_of_kind(world, body, &dci_cloth_kind));
    return &dci_world_cloth(world, body)->mesh;
}

dc_measures dc_cloth_measure(const dc_world *world, dc_index body)
{
    DC_ASSERT(dci_is_of_kind(world, body, &dci_cloth_kind));
    const dci_cloth *c = dci_world_cloth(world, body);
    dc_measures m;
    dci_rows rows = c->rows;
    dc_index row;
    DC_MEMSET(&m, 0, sizeof m);
    rows.length = c->mesh.rest_length;
    m.constraint_error = dci_rows_error(&rows, NULL, c->state.x, &row);
    m.constraint_triangle = dci_cloth_triangle_of_row(c, row);
    dci_measure_strain(c, &m);
    dci_measure_motion(c, &m);
    dci_measure_defect(c, &m);
    dci_measure_energies(c, &m);
    return m;
}

static void dci_hold_release(dci_cloth *cloth, dc_index held)
{
    dc_index row = cloth->rows.length_count + 3 * held, axis;
    cloth->hold[held].is_held = 0;
    for (axis = 0; axis < 3; axis++) cloth->state.lambda[row + axis] = 0;
}

dc_status dc_cloth_set_pin(dc_world *world, dc_index body, dc_index pin, dc_vec3 target,
                           dc_error *error)
{
    dci_enter(error, "dc_cloth_set_pin");
    dci_cloth *c = dci_find_cloth(world, body, error);
    if (!c || !dci_is_index(error, "pin", pin, c->desc.pin_count, body)) return DC_BAD_ARGUMENT;
    if (!dci_vec_is_finite(target))
        return dci_fail_in_body(error, DC_NOT_FINITE, "target is not finite", pin, body);
    if (!c->hold[pin].is_held) c->hold[pin].start = c->vertex_x[c->desc.pin_vertices[pin]];
    c->hold[pin].is_held = 1;
    c->hold[pin].target = target;
    return dci_succeed(error);
}

dc_status dc_cloth_release_pin(dc_world *world, dc_index body, dc_index pin, dc_error *error)
{
    dci_enter(error, "dc_cloth_release_pin");
    dci_cloth *c = dci_find_cloth(world, body, error);
    if (!c || !dci_is_index(error, "pin", pin, c->desc.pin_count, body)) return DC_BAD_ARGUMENT;
    dci_hold_release(c, pin);
    return dci_succeed(error);
}

#ifndef DC_NO_COLLISIONS

/* The grab of a vertex, or with DC_NONE a free one; NULL if there is none. */
static dci_grab *dci_grabs_find(const dci_grabs *grabs, dc_index vertex)
{
    for (dc_index i = 0; i < grabs->capacity; i++)
        if (grabs->grab[i].vertex == vertex) return grabs->grab + i;
    return NULL;
}

#define DCI_GRAB_COMPLIANCE_MIN DCI_R(1e-8) /* [m/N] stiffer springs swamp the masses' terms */

/* Whether the squared force of the stiffest spring is finite. */
static int dci_grab_can_reach(dc_vec3 target)
{
    dc_vec3 pull = dci_vec_scale(1 / DCI_GRAB_COMPLIANCE_MIN, target);
    return dci_is_finite(dci_dot(pull, pull));
}

dc_status dc_cloth_grab(dc_world *world, dc_index body, dc_index vertex, dc_vec3 target,
                        dc_real compliance, dc_error *error)
{
    dci_enter(error, "dc_cloth_grab");
    dci_cloth *c = dci_find_cloth(world, body, error);
    if (!c || !dci_is_index(error, "vertex", vertex, c->surface.vertex_count, body))
        return DC_BAD_ARGUMENT;
    if (!dci_grab_can_reach(target))
        return dci_fail_in_body(error, DC_NOT_FINITE, "target is not finite, or too large", vertex,
                                body);
    if (!(compliance >= DCI_GRAB_COMPLIANCE_MIN && dci_is_finite(compliance)))
        return dci_fail_in_body(error, DC_BAD_ARGUMENT,
                                "compliance is below 1e-8 m/N, or not finite", vertex, body);
    if (c->element.vertex.start[vertex] == c->element.vertex.start[vertex + 1])
        return dci_fail_in_body(error, DC_BAD_ARGUMENT, "the vertex is in no triangle", vertex,
                                body);
    dci_grab *grab = dci_grabs_find(&c->grabs, vertex);
    if (!grab) {
        if (!(grab = dci_grabs_find(&c->grabs, DC_NONE))) {
            dci_fail_memory(error, "grab_capacity is too small", (size_t)c->grabs.capacity + 1,
                            (size_t)c->grabs.capacity);
            if (error) error->index = vertex;
            return dci_in_body(error, DC_TOO_SMALL, body);
        }
        grab->vertex = vertex;
        grab->start = c->vertex_x[vertex];
    }
    grab->target = target;
    grab->compliance = compliance;
    return dci_succeed(error);
}

dc_status dc_cloth_grab_move(dc_world *world, dc_index body, dc_index vertex, dc_vec3 target,
                             dc_error *error)
{
    dci_enter(error, "dc_cloth_grab_move");
    dci_cloth *c = dci_find_cloth(world, body, error);
    dci_grab *grab;
    if (!c || !dci_is_index(error, "vertex", vertex, c->surface.vertex_count, body))
        return DC_BAD_ARGUMENT;
    if (!(grab = dci_grabs_find(&c->grabs, vertex)))
        return dci_fail_in_body(error, DC_BAD_ARGUMENT, "the vertex is not grabbed", vertex, body);
    if (!dci_grab_can_reach(target))
        return dci_fail_in_body(error, DC_NOT_FINITE, "target is not finite, or too large", vertex,
                                body);
    grab->target = target;
    return dci_succeed(error);
}

dc_status dc_cloth_release(dc_world *world, dc_index body, dc_index vertex, dc_error *error)
{
    dci_enter(error, "dc_cloth_release");
    dci_cloth *c = dci_find_cloth(world, body, error);
    dci_grab *grab;
    if (!c || !dci_is_index(error, "vertex", vertex, c->surface.vertex_count, body))
        return DC_BAD_ARGUMENT;
    if ((grab = dci_grabs_find(&c->grabs, vertex)) != NULL) grab->vertex = DC_NONE;
    return dci_succeed(error);
}

#endif /* DC_NO_COLLISIONS */

dc_status dc_cloth_set_clamp(dc_world *world, dc_index body, dc_index clamp, dc_vec3 end0,
                             dc_vec3 end1, dc_vec3 outward, dc_error *error)
{
    dci_enter(error, "dc_cloth_set_clamp");
    dci_cloth *c = dci_find_cloth(world, body, error);
    dc_vec3 gradient[2];
    if (!c || !dci_is_index(error, "clamp", clamp, c->desc.clamp_count, body))
        return DC_BAD_ARGUMENT;
    dci_hold *hold = c->hold + c->desc.pin_count + clamp;
    if (!dci_vec_is_finite(end0) || !dci_vec_is_finite(end1) || !dci_vec_is_finite(outward))
        return dci_fail_in_body(error, DC_NOT_FINITE, "end0, end1 or outward is not finite", clamp,
                                body);
    if (!dci_clamp_gradient(c->clamps.is_flipped[clamp] ? end1 : end0,
                            c->clamps.is_flipped[clamp] ? end0 : end1, outward, gradient))
        return dci_fail_in_body(
            error, DC_BAD_ARGUMENT,
            "end0 and end1 coincide, or outward is zero or parallel to the edge", clamp, body);
    c->clamps.known_target[2 * clamp] = gradient[0];
    c->clamps.known_target[2 * clamp + 1] = gradient[1];
    hold->target = dci_vec_scale(DCI_R(0.5), dci_vec_add(end0, end1));
    if (!hold->is_held) {
        hold->is_held = 1;
        hold->start = c->state.x[c->clamps.edge[clamp]];
        c->clamps.known_start[2 * clamp] = gradient[0];
        c->clamps.known_start[2 * clamp + 1] = gradient[1];
        dci_cloth_rebuild_energy(c);
    }
    return dci_succeed(error);
}

dc_status dc_cloth_release_clamp(dc_world *world, dc_index body, dc_index clamp, dc_error *error)
{
    dci_enter(error, "dc_cloth_release_clamp");
    dci_cloth *c = dci_find_cloth(world, body, error);
    if (!c || !dci_is_index(error, "clamp", clamp, c->desc.clamp_count, body))
        return DC_BAD_ARGUMENT;
    if (!c->hold[c->desc.pin_count + clamp].is_held) return dci_succeed(error);
    dci_hold_release(c, c->desc.pin_count + clamp);
    dci_cloth_rebuild_energy(c);
    return dci_succeed(error);
}

dc_status dc_cloth_set_forces(dc_world *world, dc_index body, const dc_vec3 *forces,
                              dc_error *error)
{
    dci_enter(error, "dc_cloth_set_forces");
    dci_cloth *c = dci_find_cloth(world, body, error);
    if (!c) return DC_BAD_ARGUMENT;
    dc_index bad = dci_first_not_finite(forces, c->mesh.vertex_count);
    if (bad != DC_NONE)
        return dci_fail_in_body(error, DC_NOT_FINITE, "the force on this vertex is not finite", bad,
                                body);
    c->has_force = forces != NULL;
    for (dc_index k = 0; forces && k < c->mesh.vertex_count; k++) c->force[k] = forces[k];
    return dci_succeed(error);
}

static dc_status dci_cloth_find_correction(dci_cloth *cloth, const dc_vec3 *displacements,
                                           dc_real rate, dc_error *error)
{
    const dci_state *s = &cloth->state;
    dc_index k, bad = dci_first_not_finite(displacements, cloth->surface.vertex_count);
    dc_status status;
    if (bad != DC_NONE)
        return dci_not_finite(error, "the displacement of this vertex is not finite", bad);
    if ((status = dci_cloth_find_even_step(cloth, displacements, error)) != DC_OK) return status;
    for (k = 0; k < cloth->element.particle_count; k++)
        if (!dci_vec_is_finite(dci_vec_axpy(s->v[k], rate, cloth->node.step[k])) ||
            !dci_vec_is_finite(dci_vec_axpy(s->v_prev[k], rate, cloth->node.step[k])))
            return dci_not_finite(
                error, "the corrected velocities are not finite: displacements are too large",
                DC_NONE);
    return DC_OK;
}

dc_status dc_cloth_correct(dc_world *world, dc_index body, const dc_vec3 *displacements,
                           dc_error *error)
{
    dci_enter(error, "dc_cloth_correct");
    dci_cloth *c = dci_find_cloth(world, body, error);
    if (!c) return DC_BAD_ARGUMENT;
    dc_real rate = c->state.dt_prev > 0 ? 1 / c->state.dt_prev : DCI_R(0);
    dc_status status = dci_cloth_find_correction(c, displacements, rate, error);
    if (status != DC_OK) {
        dci_cloth_update_vertex_v(c);
        return dci_in_body(error, status, body);
    }
    dci_state_displace(&c->state, c->node.step, c->element.particle_count, rate);
    for (dc_index k = 0; k < c->element.particle_count; k++) {
        dc_vec3 step = c->node.step[k];
        c->state.is_hit |= step.x != 0 || step.y != 0 || step.z != 0;
    }
    world->surface.may_cross = 1;
    dci_cloth_update_surface(c);
    return dci_succeed(error);
}

#endif /* DC_NO_CLOTH */

#ifndef DC_NO_RIBBONS

/* ============================================================================================
 * 44 RIBBON COORDINATES                                                              dci_ribbon
 *
 * Bent paper is a developable surface: straight rulings run across it, and no length changes. Here
 * a long strip is flat between rulings and folds along them only: they are creases, [PHB15]. The
 * unknowns are the slope and the fold angle of each crease, and the pose of the first segment.
 * All lengths are exact whatever their values, so ribbons need no length constraints.
 *
 *     y_0       y_1      y_2           y_n      the flat pattern, l x w
 *      +---------+-------+-------- -----+
 *      |    0     \   1 /     2         |  -->  axes: e_x along the ribbon, e_y across it (up), e_z
 *      +-----------+---+---------- -----+       towards the reader, the normal
 *     x_0         x_1 x_2              x_n
 *
 * Symbols of chapters 44 to 47, with names in code and shapes. j is a crease, or the segment beyond
 * it. In code r is a shape, in chapter 47 a ribbon, q its problem, a an attachment.
 *
 *     n, l, w  segment_count, ...  segments, length and width [m]; h = l/n is the pitch
 *     c, psi   crease, angle       (n + 1) tangent of a crease's angle to the transverse, and [rad]
 *                                  fold of segment j towards the normal; 0 at both ends
 *     s        s                   sqrt(1 + c^2)
 *     p, e     frame               (n) origin [m], the midpoint of crease j, and axes of a segment
 *     x, y, X  x[2 j], x[2 j + 1]  [m] lower and upper ends of creases, (2 n + 2) in X
 *     P, R, d  predicted, d        (2 n + 2) [m] X by (20.1); resampling; d = X - R(P), (45.3)
 *     N        e[2]                (n) normals of segments
 *     g, g_N   g                   (2 n + 2) [N], (n) [J] gradients by points and by normals
 *     F, W     load                (n) [N], [N m] force and moments of a segment, (44.5)
 *     u, v     angle, crease       axes of rotation by psi and by c, (44.4); twists U, V of (46.1)
 *     f, E     f                   [J] what a step minimises, and its potential part
 *     A, M     inertia             [kg/(m^2 s^2)], [m^2] mass matrix of unit density, (45.4)
 *     rho, k   density, stiffness  [kg/m^2]; [J] of bending, stiffness is k w/h
 *     delta    lean                c_(j+1) - c_j; lean = w delta/2 lengthens the upper rim
 *     L, phi   fan                 cost of converging rulings, and its argument, (45.7)
 *     lambda   lambda, penalty     [N] multipliers of hard constraints, and mu [N/m]
 *     xi, o    twist, pivot        (6) twist of a segment about the point o [m]
 *     z        state               (7 or 13) xi and dc; with xi_0 if the ends are joined
 *
 * Frames and points follow from one crease to the next:
 *
 *     p_j = p_(j-1) + h e_x,    x_j, y_j = p_j -+ w/2 (c_j e_x + e_y)       in frame j - 1   (44.1)
 *     frame j = frame (j - 1) T_j,    T_j the rotation by -psi_j about a_j = (c_j, 1, 0)/s_j
 *
 *           | 1 - Q      c Q       -S  |
 *     T_j = | c Q      1 - c^2 Q   c S |     Q = (1 - cos psi) / s^2                         (44.2)
 *           | S         -c S     cos psi |   S = sin psi / s
 *
 * Creases must not cross. At one rim their distance is h - w/2 |c_j - c_(j-1)|, hence
 *
 *     |c_j - c_(j-1)| <= .95 (2 l) / (w n)         for j = 1 to n                            (44.3)
 *
 * where .95 keeps triangles from degenerating. |psi_j| <= .95 pi keeps neighbours from overlapping.
 *
 * Derivatives. If psi_j or c_j changes, everything beyond crease j rotates rigidly about p_j with
 *
 *     d/d psi_j:   u_j = -a_j
 *     d/d c_j:     v_j = -sin psi a' + (1 - cos psi) a x a'                                  (44.4)
 *                  a' = da/dc = (1, -c, 0)/s^3,   a x a' = -(0, 0, 1)/s^2
 *
 * in frame j - 1. So derivatives of a function f(x, N) follow from the sums of its gradients g and
 * g_N beyond the crease, and from their moments. On one segment, about its origin, these are
 *
 *     F = sum g,    W = sum (x - p) g^T + sum N g_N^T                                        (44.5)
 *
 * The skew part of the 3 x 3 matrix W gives torque = sum (x - p) x g + sum N x g_N. A sweep from
 * the last segment to the first sums them, with W += (p_(j+1) - p_j) F^T, and finds at each crease
 *
 *     df/d psi_j = u_j . torque,    df/dc_j = v_j . torque + w/2 e_x . (g_yj - g_xj)         (44.6)
 *
 * The last term is that of x_j and y_j sliding along the rims of segment j - 1. This is algorithm 3
 * of [PHB15].
 *
 * Departure: appendix A prints sqrt(c^2 + 1) instead of c^2 + 1 in row 2, column 4.
 * ============================================================================================ */

#define DCI_CREASE_PART DCI_R(0.95) /* safety factor in (44.3)                                    */
#define DCI_LIMIT_ROUNDING (8 * DCI_EPSILON) /* relative excess over (44.3) in descriptions */
#define DCI_FOLD_MAX (DCI_R(0.95) * DCI_PI)

#define DCI_POSE_SINE_LEAST DCI_R(1e-5) /* of the angle between two directions that fix a frame */

/* The frame of a segment in world coordinates: unit axes and the origin p. */
typedef struct dci_pose {
    dc_vec3 e[3];
    dc_vec3 p; /* [m]                                                                            */
} dci_pose;

/* (44.4): rotation rates of everything beyond crease j, in world coordinates. */
typedef struct dci_crease_axes {
    dc_vec3 angle, crease; /* u_j, v_j                                                           */
} dci_crease_axes;

typedef struct dci_ribbon_shape {
    dc_index segment_count;
    dc_real length, width; /* [m]                                                                */
    dc_real pitch;         /* [m] h = length / segment_count                                     */
    dc_real limit;         /* right-hand side of (44.3)                                          */
    dc_real *crease;       /* (n + 1) c_j                                                        */
    dc_real *angle;        /* (n + 1) psi_j [rad]                                                */
    dci_pose *frame;       /* (n) of segments; frame[0] is the pose of the ribbon                */
    dc_vec3 *x;            /* (2 n + 2) [m] x_j, y_j                                             */
    dci_crease_axes *axes; /* (n) of creases, found by the adjoint sweep                         */
} dci_ribbon_shape;

/* A copy of a shape's coordinates. */
typedef struct dci_coordinates {
    dc_real *crease, *angle; /* (n + 1)                                                          */
    dci_pose pose;           /* of the first segment                                             */
} dci_coordinates;

/* (44.5) for one segment, or summed over it and all segments beyond it. */
typedef struct dci_wrench {
    dc_vec3 force;
    dc_vec3 moment[3]; /* rows of W                                                              */
} dci_wrench;

/* The frame with e_x along `along` and e_z near `normal`. Returns 0 if these do not define one. */
static int dci_pose_of(dc_vec3 origin, dc_vec3 along, dc_vec3 normal, dci_pose *pose)
{
    dc_real length = dci_norm(along), across;
    if (!(length > 0)) return 0;
    pose->p = origin;
    pose->e[0] = dci_vec_scale(1 / length, along);
    pose->e[1] = dci_cross(normal, pose->e[0]);
    across = dci_norm(pose->e[1]);
    if (!(across > DCI_POSE_SINE_LEAST * dci_norm(normal))) return 0;
    pose->e[1] = dci_vec_scale(1 / across, pose->e[1]);
    pose->e[2] = dci_cross(pose->e[0], pose->e[1]);
    return 1;
}

/* Converts a vector from a frame's coordinates to world coordinates. */
static dc_vec3 dci_pose_vector(const dci_pose *frame, dc_real x, dc_real y, dc_real z)
{
    dc_vec3 v = dci_vec_scale(x, frame->e[0]);
    v = dci_vec_axpy(v, y, frame->e[1]);
    return dci_vec_axpy(v, z, frame->e[2]);
}

/* (44.2): turns the frame before a crease into the one beyond it; p is on the crease. */
static void dci_pose_fold(dci_pose *frame, dc_real c, dc_real angle)
{
    const dci_pose before = *frame;
    dc_real s_sq = 1 + c * c, cosine = dc_cos(angle);
    dc_real versine = (1 - cosine) / s_sq, sine = dc_sin(angle) / DC_SQRT(s_sq); /* Q, S */
    frame->e[0] = dci_pose_vector(&before, 1 - versine, c * versine, sine);
    frame->e[1] = dci_pose_vector(&before, c * versine, 1 - c * c * versine, -c * sine);
    frame->e[2] = dci_pose_vector(&before, -sine, c * sine, cosine);
}

/* x_j and y_j by (44.1): pose has p_j and the axes of segment j - 1. */
static void dci_pose_crease(const dci_pose *pose, dc_real crease, dc_real width, dc_vec3 end[2])
{
    dc_vec3 across = dci_vec_axpy(pose->e[1], crease, pose->e[0]);
    end[0] = dci_vec_axpy(pose->p, -width / 2, across);
    end[1] = dci_vec_axpy(pose->p, width / 2, across);
}

/* Moves a pose along segment j - 1 to crease j, finds its ends, and folds. */
static void dci_pose_advance(dci_pose *pose, dc_real pitch, dc_real width, dc_real crease,
                             dc_real angle, dc_vec3 end[2])
{
    pose->p = dci_vec_axpy(pose->p, pitch, pose->e[0]);
    dci_pose_crease(pose, crease, width, end);
    dci_pose_fold(pose, crease, angle);
}

/* Computes all frames and points from the pose, frame[0], and the coordinates. */
static void dci_ribbon_reconstruct(dci_ribbon_shape *r)
{
    dci_pose pose = r->frame[0];
    dci_pose_crease(&pose, r->crease[0], r->width, r->x);
    for (dc_index j = 1; j <= r->segment_count; j++) {
        dci_pose_advance(&pose, r->pitch, r->width, r->crease[j], r->angle[j], r->x + 2 * j);
        if (j < r->segment_count) r->frame[j] = pose;
    }
}

static void dci_ribbon_take(dci_ribbon_shape *r, const dci_coordinates *from)
{
    size_t bytes = (size_t)(r->segment_count + 1) * sizeof(dc_real);
    DC_MEMCPY(r->crease, from->crease, bytes);
    DC_MEMCPY(r->angle, from->angle, bytes);
    r->frame[0] = from->pose;
}

static void dci_ribbon_keep(const dci_ribbon_shape *r, dci_coordinates *to)
{
    size_t bytes = (size_t)(r->segment_count + 1) * sizeof(dc_real);
    DC_MEMCPY(to->crease, r->crease, bytes);
    DC_MEMCPY(to->angle, r->angle, bytes);
    to->pose = r->frame[0];
}

/* ---- The adjoint ---- */

/* Adds arm g^T to W. For a gradient by a normal, arm = N, this is all. */
static void dci_wrench_turn(dci_wrench *wrench, dc_vec3 arm, dc_vec3 g)
{
    wrench->moment[0] = dci_vec_axpy(wrench->moment[0], arm.x, g);
    wrench->moment[1] = dci_vec_axpy(wrench->moment[1], arm.y, g);
    wrench->moment[2] = dci_vec_axpy(wrench->moment[2], arm.z, g);
}

static void dci_wrench_add(dci_wrench *wrench, dc_vec3 arm, dc_vec3 g)
{
    wrench->force = dci_vec_add(wrench->force, g);
    dci_wrench_turn(wrench, arm, g);
}

/* The axial vector of W. */
static dc_vec3 dci_wrench_torque(const dci_wrench *wrench)
{
    const dc_vec3 *w = wrench->moment;
    return dci_vec(w[1].z - w[2].y, w[2].x - w[0].z, w[0].y - w[1].x);
}

/* cos psi_j and sin psi_j, from the normals on both sides. */
static void dci_ribbon_fold_of(const dci_ribbon_shape *r, dc_index j, dc_real *cosine,
                               dc_real *sine)
{
    const dci_pose *frame = r->frame + j - 1;
    dc_real c = r->crease[j];
    *cosine = dci_dot(frame[1].e[2], frame->e[2]);
    *sine = dci_dot(frame[1].e[2], dci_vec_axpy(dci_vec_scale(-1, frame->e[0]), c, frame->e[1])) /
            DC_SQRT(1 + c * c);
}

static dci_crease_axes dci_ribbon_axes(const dci_ribbon_shape *r, dc_index j)
{
    const dci_pose *frame = r->frame + j - 1;
    dc_real c = r->crease[j], s_sq = 1 + c * c, s = DC_SQRT(s_sq), cosine, sine, turn, lift;
    dci_crease_axes axes;
    dci_ribbon_fold_of(r, j, &cosine, &sine);
    turn = -sine / (s * s_sq);
    lift = -(1 - cosine) / s_sq;
    axes.angle = dci_pose_vector(frame, -c / s, -1 / s, 0);
    axes.crease = dci_pose_vector(frame, turn, -c * turn, lift);
    return axes;
}

/* The segment that carries crease end i: the one before the crease. */
static dc_index dci_ribbon_segment_of(dc_index i)
{
    return i < 2 ? 0 : i / 2 - 1;
}

/* Adds gradients at points to the segments that carry them. */
static void dci_ribbon_load_points(const dci_ribbon_shape *r, const dc_vec3 *g, dci_wrench *load)
{
    for (dc_index i = 0; i < 2 * r->segment_count + 2; i++) {
        dc_index segment = dci_ribbon_segment_of(i);
        dci_wrench_add(load + segment, dci_vec_sub(r->x[i], r->frame[segment].p), g[i]);
    }
}

/* The sweep of (44.6): sums `load`, adds to d_crease and d_angle, and finds the axes. */
static void dci_ribbon_pass_back(const dci_ribbon_shape *r, const dc_vec3 *g, dci_wrench *load,
                                 dc_real *d_crease, dc_real *d_angle)
{
    for (dc_index j = r->segment_count - 1; j > 0; j--) {
        dci_crease_axes axes = r->axes[j] = dci_ribbon_axes(r, j);
        dci_wrench carried = load[j];
        dc_vec3 torque = dci_wrench_torque(load + j), slide = dci_vec_sub(g[2 * j + 1], g[2 * j]);
        d_angle[j] += dci_dot(axes.angle, torque);
        d_crease[j] += dci_dot(axes.crease, torque);
        d_crease[j] += r->width / 2 * dci_dot(r->frame[j - 1].e[0], slide);
        dci_wrench_turn(&carried, dci_vec_sub(r->frame[j].p, r->frame[j - 1].p), carried.force);
        load[j - 1].force = dci_vec_add(load[j - 1].force, carried.force);
        for (int a = 0; a < 3; a++)
            load[j - 1].moment[a] = dci_vec_add(load[j - 1].moment[a], carried.moment[a]);
    }
}

/* ============================================================================================
 * 45 RIBBON ENERGIES                                                                 dci_ribbon
 *
 * A step minimises a function f of the coordinates. Its kinetic term attracts the ribbon to P,
 * where gravity and inertia alone would take it, (20.1); E is its potential energy:
 *
 *     f = A/2 | X - R(P) |_M^2 + E                      A = rho / (weight dt^2)              (45.1)
 *     E = bending + beta k sum c_j^2 + attachments                                           (45.2)
 *
 * Resampling. When a crease moves in the material, its ends become other material points, which
 * remain on the rims. So R interpolates P along each rim:
 *
 *     old   o------o---------o------o     P is known here
 *     new   x---x------------x--x---x     R(P) is needed here                                (45.3)
 *
 * [PHB15] interpolates linearly, with kinks at the old ends, where each step begins. Here R is a
 * cubic in each interval; its slope at an old end is that of the parabola through this end and its
 * neighbours.
 *
 * Mass, [PHB15] appendix B. Shape functions are bilinear. With nodes x_j, y_j, x_(j+1), y_(j+1) and
 * rims of the lengths low = h - w delta/2 and high = h + w delta/2,
 *
 *     M = w/36 | 3 low + high   low + high | (x) | 1  1/2 |        rims (x) creases          (45.4)
 *              | low + high   low + 3 high |     | 1/2  1 |
 *     dM/d delta = w^2/36 diag(-1, 1) (x) the same
 *
 * For the shape at rest, A = 0 and gravity has the energy -rho gravity^T M X. The row sums of M are
 *
 *     w/12 (2 low + high) for x_j and x_(j+1),   w/12 (low + 2 high) for y_j and y_(j+1)     (45.5)
 *
 * Air drag D has the energy D rate/(2 dt) |X - X_air|_M^2, where X_air is the X for which v_new of
 * (20.3) is the wind. It joins the kinetic term: A becomes A + D rate/dt, P the weighted mean.
 *
 * Bending is k/2 times the integral of kappa^2 over the area. Between two creases the rulings turn
 * evenly: c grows by delta/h per length of the centre line. At height y, two neighbours are
 *
 *          +-----------------+ y = w/2
 *          |\   :   :   /   /      dl (1 + y delta/h) apart along the ribbon,
 *          | \  :  :  /  /         dl (1 + y delta/h) / s apart at right angles
 *          |  \ : :  / /
 *          +-----------------+ y = -w/2
 *
 * The fold psi of a crease is spread over the two adjacent half segments, psi/h per length. Thus
 *
 *     kappa = (psi/h) s / (1 + y delta/h)    on the area    (1 + y delta/h) dl dy            (45.6)
 *
 * With c of the crease throughout, the integral over y is the logarithm of [Wun62]. The total is
 *
 *     w (psi/h)^2 s^2 L(phi) dl,    phi = w delta/(2 h)
 *     L(phi) = 1/(2 phi) ln((1 + phi)/(1 - phi)) = atanh(phi)/phi                            (45.7)
 *     bending = k/2 (w/h) sum L(phi_j)/2 (b_j + b_(j+1)),    b_j = s_j^2 psi_j^2             (45.8)
 *
 * [PHB15] calls k/2 alpha. It has L = 1, so that rulings may meet at a rim at no cost; ours is 1.93
 * at phi = .95. Where psi = 0, bending leaves c undetermined; beta keeps such creases transverse.
 *
 * Attachments. A point attachment acts on the segment that contains the material point now, a
 * normal attachment on segment floor(place.x / h). With the error x - target, or (w/2)(N - target),
 *
 *     soft: K/2 |error|^2,      hard: lambda . error + mu/2 |error|^2                        (45.9)
 *
 * except that a soft normal has K/2 |N - target|^2. Chapter 46 finds lambda. Joined ends have three
 * hard errors: x_n - x_0, y_n - y_0 (or crosswise), and (w/2)(N_(n-1) -+ N_0).
 *
 * Contacts that are constraints of the step (chapter 21) add their potential (21.8), divided by the
 * weight dt^2 to which their forces refer. Friction holds the material, not the crease. So a
 * contact at the end of a crease acts at the material point that was there at the start, x_j0:
 *
 *     x_j0 = x_j + w/2 (c_j - c_j0) e_x,    y_j0 = y_j - w/2 (c_j - c_j0) e_x           (45.10)
 *
 * Damping of creases. In small steps, and with contact forces, the place where a crease samples P
 * can matter more in (45.1) than bending does. Creases would then move at random, and in steps of
 * BDF2 gain energy. The term below prevents this, and vanishes at rest:
 *
 *     D/2 sum (c_j - c_j0)^2,                                                           (45.11)
 *     D = 1e-4 A w^3 h + 10 w/n times the sum of the contact forces
 * ============================================================================================ */

typedef struct dci_attachment {
    dc_attachment_desc desc;
    dc_vec3 start, target; /* at both ends of the step: points [m] or directions                 */
    dc_vec3 goal;          /* target of the current sub-step                                     */
    int is_active;
    int follows; /* it follows desc.body until it is given a target                               */
    int is_tied; /* while it follows it is a constraint of both bodies, chapter 48, in steps      */
} dci_attachment;

enum { DCI_JOINTS = 3 }; /* errors of joined ends, see (45.9)                                    */

/* The function f and its gradient at a shape. */
typedef struct dci_ribbon_problem {
    dci_ribbon_shape shape;
    dc_ribbon_ends ends;
    dc_real density, stiffness, ruling; /* rho; k w/h and 2 beta k [J]                           */
    dc_real fan;                        /* w/(2 h) of (45.7)                                     */
    dc_real holding;                    /* D [J] of creases, (45.11)                             */
    dc_real inertia;                    /* A with drag [kg/(m^2 s^2)]; 0 for the shape of rest   */
    dc_real metric;     /* mass term of (46.5) for sigma = 1, per area [kg/(m^2 s^2)]             */
    dc_real proximity;  /* part of it that does not depend on sigma                               */
    int is_hit;         /* collisions moved the state from which P is predicted                   */
    int may_perturb;    /* Newton's method leaves saddle points                                   */
    dc_vec3 gravity;    /* used if inertia is 0                                                   */
    dc_vec3 *predicted; /* (2 n + 2) P; predicted[0] is the origin of heights at rest           */
    dc_real *old_crease; /* (n + 1) creases of the trial state, at whose ends P is known        */
    dci_attachment *attachment;
    dc_index attachment_count;
    dc_vec3 *lambda; /* (3 + attachment_count) [N] of joined ends, hard attachments               */
    dc_real penalty; /* mu [N/m]                                                                 */
    dci_meter *meter; /* of the step, or NULL                                                    */
    const struct dci_contact_rows *rows; /* contacts that are constraints of the step, or NULL   */
    dc_index body, first_vertex;         /* its number in them, and its first vertex             */
    int touches_itself;                  /* some of them couple its segments                     */
    dc_vec3 *placed; /* (2 n + 2) [m] contact points, as the rows have them                      */

    dc_real kinetic;             /* first term of f; at rest, gravity's energy                   */
    dc_real pressure;            /* [N] sum of the contact forces in (45.11)                     */
    dc_vec3 *g;                  /* (2 n + 2) df/dx, while f is minimised                        */
    dc_vec3 *slope;              /* (2 n + 2) of R(P) along the rims                             */
    dci_wrench *load;            /* (n)                                                          */
    dc_real *d_crease, *d_angle; /* (n + 1) df/dc, df/dpsi                                       */
} dci_ribbon_problem;

/* [m] Lengths of a segment's rims, (45.4), and row sums of its M at them, (45.5), in w/12. */
typedef struct dci_rims {
    dc_real low, high, share[2];
} dci_rims;

static dci_rims dci_ribbon_rims(const dci_ribbon_shape *r, const dc_real *crease, dc_index segment)
{
    dc_real lean = r->width / 2 * (crease[segment + 1] - crease[segment]), thrice = 3 * r->pitch;
    const dci_rims rims = {r->pitch - lean, r->pitch + lean, {thrice - lean, thrice + lean}};
    return rims;
}

/* ---- Inertia ---- */

/* M d of one segment, (45.4). */
static void dci_segment_mass(const dci_ribbon_shape *r, dc_index segment, const dc_vec3 d[4],
                             dc_vec3 md[4])
{
    dci_rims rims = dci_ribbon_rims(r, r->crease, segment);
    dc_real low = r->width / 36 * (3 * rims.low + rims.high);
    dc_real both = r->width / 36 * (rims.low + rims.high);
    dc_real high = r->width / 36 * (rims.low + 3 * rims.high);
    for (int i = 0; i < 4; i += 2) {
        dc_vec3 along_low = dci_vec_axpy(d[i], DCI_R(0.5), d[2 - i]);
        dc_vec3 along_high = dci_vec_axpy(d[i + 1], DCI_R(0.5), d[3 - i]);
        md[i] = dci_vec_axpy(dci_vec_scale(low, along_low), both, along_high);
        md[i + 1] = dci_vec_axpy(dci_vec_scale(both, along_low), high, along_high);
    }
}

/* d^T (dM/dd) d */
static dc_real dci_segment_mass_slope(dc_real width, const dc_vec3 d[4])
{
    dc_real low = dci_dot(d[0], d[0]) + dci_dot(d[2], d[2]) + dci_dot(d[0], d[2]);
    dc_real high = dci_dot(d[1], d[1]) + dci_dot(d[3], d[3]) + dci_dot(d[1], d[3]);
    return width * width / 36 * (high - low);
}

/* A rim of the flat pattern with values at the ends of the old creases. */
typedef struct dci_rim {
    const dci_ribbon_shape *shape;
    const dc_real *crease; /* (n + 1) the old ones                                               */
    const dc_vec3 *value;  /* (2 n + 2) at their ends, both rims                                 */
    int side;              /* 0: the lower one, 1: the upper one                                 */
} dci_rim;

/* [m] Where crease j meets the rim, by the old slopes or the new ones. */
static dc_real dci_rim_place(const dci_rim *rim, const dc_real *crease, dc_index j)
{
    dc_real y = (rim->side ? rim->shape->width : -rim->shape->width) / 2;
    return rim->shape->pitch * (dc_real)j + y * crease[j];
}

/* The mean slope between old creases j and j + 1, and their distance [m]. */
static dc_vec3 dci_rim_chord(const dci_rim *rim, dc_index j, dc_real *length)
{
    dc_vec3 change = dci_vec_sub(rim->value[2 * j + 2 + rim->side], rim->value[2 * j + rim->side]);
    *length = dci_rim_place(rim, rim->crease, j + 1) - dci_rim_place(rim, rim->crease, j);
    return dci_vec_scale(1 / *length, change);
}

/* The slope at an old crease, of the parabola through it and its neighbours. */
static dc_vec3 dci_rim_slope(const dci_rim *rim, dc_index j)
{
    dc_real before, after;
    dc_vec3 left = dci_rim_chord(rim, j > 0 ? j - 1 : 0, &before), right;
    if (j == 0 || j == rim->shape->segment_count) return left;
    right = dci_rim_chord(rim, j, &after);
    return dci_vec_axpy(left, before / (before + after), dci_vec_sub(right, left));
}

/* (45.3): value and slope at a new crease. *interval grows to the old one that contains it. */
static dc_vec3 dci_rim_resample(const dci_rim *rim, dc_index crease, dc_index *interval,
                                dc_vec3 *slope)
{
    dc_real place = dci_rim_place(rim, rim->shape->crease, crease), length, t;
    dc_index j = *interval;
    while (j + 1 < rim->shape->segment_count && !(place < dci_rim_place(rim, rim->crease, j + 1)))
        j++;
    *interval = j;
    dc_vec3 chord = dci_rim_chord(rim, j, &length);
    t = (place - dci_rim_place(rim, rim->crease, j)) / length;
    dc_vec3 first = dci_vec_sub(dci_rim_slope(rim, j), chord);
    dc_vec3 second = dci_vec_sub(dci_rim_slope(rim, j + 1), chord);
    dc_vec3 value = dci_vec_axpy(rim->value[2 * j + rim->side], length * t, chord);
    value = dci_vec_axpy(value, length * t * (1 - t) * (1 - t), first);
    value = dci_vec_axpy(value, -length * t * t * (1 - t), second);
    *slope = dci_vec_axpy(chord, (1 - t) * (1 - 3 * t), first);
    *slope = dci_vec_axpy(*slope, t * (3 * t - 2), second);
    return value;
}

/* The mass-weighted mean of values at the ends of these creases. */
static dc_vec3 dci_ribbon_mean(const dci_ribbon_shape *r, const dc_real *crease,
                               const dc_vec3 *value)
{
    dc_vec3 sum = dci_vec(0, 0, 0);
    dc_real part = 1 / (12 * r->length);
    int i;
    for (dc_index j = 0; j < r->segment_count; j++) {
        dci_rims rims = dci_ribbon_rims(r, crease, j);
        for (i = 0; i < 4; i++) sum = dci_vec_axpy(sum, part * rims.share[i % 2], value[2 * j + i]);
    }
    return sum;
}

/* Resamples values (2 n + 2) from the old creases to those of the shape, and shifts them to restore
   their mass-weighted mean: for velocities, momentum by mass. Returns the shift. */
static dc_vec3 dci_ribbon_resample(const dci_ribbon_shape *r, const dc_real *old_crease,
                                   const dc_vec3 *value, dc_vec3 *resampled)
{
    dci_rim rim = {r, old_crease, value, 0};
    dc_vec3 slope, shift;
    dc_index j, interval;
    for (rim.side = 0; rim.side < 2; rim.side++)
        for (j = 0, interval = 0; j <= r->segment_count; j++)
            resampled[2 * j + rim.side] = dci_rim_resample(&rim, j, &interval, &slope);
    shift = dci_vec_sub(dci_ribbon_mean(r, old_crease, value),
                        dci_ribbon_mean(r, r->crease, resampled));
    for (j = 0; j < 2 * r->segment_count + 2; j++) resampled[j] = dci_vec_add(resampled[j], shift);
    return shift;
}

/* d = X - R(P) at the two ends of a crease, with the intervals of dci_rim_resample(). */
static void dci_ribbon_offset(dci_ribbon_problem *q, dc_index j, dc_index interval[2], dc_vec3 d[2])
{
    const dci_ribbon_shape *r = &q->shape;
    dci_rim rim = {r, q->old_crease, q->predicted, 0};
    for (rim.side = 0; rim.side < 2; rim.side++) {
        dc_index i = 2 * j + rim.side;
        dc_vec3 aim = dci_rim_resample(&rim, j, interval + rim.side, q->slope + i);
        d[rim.side] = dci_vec_sub(r->x[i], aim);
    }
}

/* A/2 |X - R(P)|_M^2. Its gradient by x is added to g, derivatives of M and R by c to d_crease. */
static dc_real dci_ribbon_kinetic_term(dci_ribbon_problem *q)
{
    const dci_ribbon_shape *r = &q->shape;
    dc_index interval[2] = {0, 0}, j, n = r->segment_count;
    dc_vec3 d[4], md[4];
    dc_real energy = 0;
    dci_ribbon_offset(q, 0, interval, d);
    for (j = 0; j <= n; j++, d[0] = d[2], d[1] = d[3]) {
        dc_vec3 *g = q->g + 2 * j, *along = q->slope + 2 * j;
        if (j < n) {
            dci_ribbon_offset(q, j + 1, interval, d + 2);
            dci_segment_mass(r, j, d, md);
            dc_real slope = q->inertia / 2 * dci_segment_mass_slope(r->width, d);
            q->d_crease[j + 1] += slope;
            q->d_crease[j] -= slope;
            for (int i = 0; i < 4; i++) g[i] = dci_vec_axpy(g[i], q->inertia, md[i]);
        }
        energy += (dci_dot(d[0], g[0]) + dci_dot(d[1], g[1])) / 2;
        q->d_crease[j] += r->width / 2 * (dci_dot(g[0], along[0]) - dci_dot(g[1], along[1]));
    }
    return energy;
}

/* The energy of gravity at rest, by (45.5). */
static dc_real dci_ribbon_gravity(dci_ribbon_problem *q)
{
    const dci_ribbon_shape *r = &q->shape;
    dc_real unit = q->density * r->width / 12, mass = q->density * r->width * r->length;
    dc_vec3 mean = dci_ribbon_mean(r, r->crease, r->x);
    for (dc_index j = 0; j < r->segment_count; j++) {
        dci_rims rims = dci_ribbon_rims(r, r->crease, j);
        for (int i = 0; i < 4; i++) {
            dc_vec3 *g = q->g + 2 * j + i;
            dc_real slope = unit * r->width / 2 * dci_dot(q->gravity, r->x[2 * j + i]);
            *g = dci_vec_axpy(*g, -unit * rims.share[i % 2], q->gravity);
            q->d_crease[j + 1] += i % 2 ? -slope : slope;
            q->d_crease[j] += i % 2 ? slope : -slope;
        }
    }
    return -mass * dci_dot(q->gravity, dci_vec_sub(mean, q->predicted[0]));
}

/* ---- Bending ---- */

#define DCI_FAN_SMALL DCI_R(0.25) /* below it a series is used: L' would lose digits */

/* L of (45.7) with its first and second derivatives. */
typedef struct dci_fan {
    dc_real value, slope, bend;
} dci_fan;

/* By phi L' + L = 1/(1 - phi^2) and its derivative. For small phi, L'/phi is the sum of 14 terms
   (2 k + 2)/(2 k + 3) phi^(2 k), with a remainder below 2e-17. */
static dci_fan dci_fan_of(dc_real phi)
{
    dc_real square = phi * phi, inverse = 1 / (1 - square), ratio = 0; /* L'/phi */
    dci_fan fan;
    if (square < DCI_FAN_SMALL * DCI_FAN_SMALL) {
        for (int k = 13; k >= 0; k--)
            ratio = (dc_real)(2 * k + 2) / (dc_real)(2 * k + 3) + square * ratio;
        fan.value = inverse - square * ratio;
    } else {
        fan.value = dci_atanh(phi) / phi;
        ratio = (inverse - fan.value) / square;
    }
    fan.slope = phi * ratio;
    fan.bend = 2 * (inverse * inverse - ratio);
    return fan;
}

/* L and its derivatives by delta. Rounding may lead beyond (44.3): there L is a parabola. */
static dci_fan dci_ribbon_fan(const dci_ribbon_problem *q, dc_index segment)
{
    dc_real phi = q->fan * (q->shape.crease[segment + 1] - q->shape.crease[segment]);
    dc_real inside = dci_max(-DCI_CREASE_PART, dci_min(DCI_CREASE_PART, phi)), past = phi - inside;
    dci_fan fan = dci_fan_of(inside);
    fan.value += past * (fan.slope + past / 2 * fan.bend);
    fan.slope = q->fan * (fan.slope + past * fan.bend);
    fan.bend = q->fan * q->fan * fan.bend;
    return fan;
}

/* b_j of (45.8) */
static dc_real dci_ribbon_bent(const dci_ribbon_shape *r, dc_index j)
{
    dc_real c = r->crease[j], psi = r->angle[j];
    return (1 + c * c) * psi * psi;
}

/* (45.8) */
static dc_real dci_ribbon_bending(dci_ribbon_problem *q)
{
    const dci_ribbon_shape *r = &q->shape;
    dc_real energy = 0, quarter = q->stiffness / 4;
    for (dc_index j = 0; j < r->segment_count; j++) {
        dci_fan fan = dci_ribbon_fan(q, j);
        dc_real bent = dci_ribbon_bent(r, j) + dci_ribbon_bent(r, j + 1);
        energy += quarter * fan.value * bent;
        for (dc_index i = j; i <= j + 1; i++) {
            dc_real c = r->crease[i], psi = r->angle[i];
            q->d_angle[i] += 2 * quarter * fan.value * (1 + c * c) * psi;
            q->d_crease[i] += 2 * quarter * fan.value * c * psi * psi;
        }
        q->d_crease[j] -= quarter * fan.slope * bent;
        q->d_crease[j + 1] += quarter * fan.slope * bent;
    }
    return energy;
}

/* k/2 sum (c_j - from_j)^2, where from_j = 0 without an array. */
static dc_real dci_ribbon_hold(dci_ribbon_problem *q, dc_real k, const dc_real *from)
{
    dc_real energy = 0;
    for (dc_index j = 1; j < q->shape.segment_count; j++) {
        dc_real moved = q->shape.crease[j] - (from ? from[j] : DCI_R(0));
        energy += k / 2 * moved * moved;
        q->d_crease[j] += k * moved;
    }
    return energy;
}

/* ---- Attachments and joined ends ---- */

/* The segment that contains a material point now. */
static dc_index dci_ribbon_segment_at(const dci_ribbon_shape *r, dc_vec2 place)
{
    dc_index low = 0, high = r->segment_count - 1;
    while (low < high) {
        dc_index j = low + (high - low + 1) / 2;
        if (place.x < r->pitch * (dc_real)j + r->crease[j] * place.y)
            high = j - 1;
        else
            low = j;
    }
    return low;
}

/* The attached or joined part of a segment: a point, or the normal times w/2. */
typedef struct dci_handle {
    dc_index segment;
    dc_vec3 arm;   /* [m] from the segment's p to the point; or the scaled normal                */
    dc_vec3 error; /* [m] relative to a goal                                                     */
    int is_normal;
} dci_handle;

/* Adds a gradient by a handle. */
static void dci_handle_load(const dci_handle *handle, dc_vec3 g, dci_wrench *load)
{
    if (handle->is_normal)
        dci_wrench_turn(load + handle->segment, handle->arm, g);
    else
        dci_wrench_add(load + handle->segment, handle->arm, g);
}

static dc_index dci_attachment_segment(const dci_ribbon_shape *r, const dc_attachment_desc *desc)
{
    if (desc->kind != DC_ATTACH_NORMAL) return dci_ribbon_segment_at(r, desc->place);
    return dci_index_min((dc_index)(desc->place.x / r->pitch), r->segment_count - 1);
}

static dci_handle dci_attachment_handle(const dci_ribbon_shape *r, const dc_attachment_desc *desc,
                                        dc_vec3 goal)
{
    dci_handle handle;
    handle.is_normal = desc->kind == DC_ATTACH_NORMAL;
    handle.segment = dci_attachment_segment(r, desc);
    if (handle.is_normal) {
        handle.arm = dci_vec_scale(r->width / 2, r->frame[handle.segment].e[2]);
        goal = dci_vec_scale(r->width / 2, goal);
    } else {
        handle.arm =
            dci_pose_vector(r->frame + handle.segment,
                            desc->place.x - r->pitch * (dc_real)handle.segment, desc->place.y, 0);
        goal = dci_vec_sub(goal, r->frame[handle.segment].p);
    }
    handle.error = dci_vec_sub(handle.arm, goal);
    return handle;
}

/* Whether (45.9) has an attachment: in a step, not if it is a constraint of both bodies. */
static int dci_attachment_acts(const dci_ribbon_problem *q, const dci_attachment *a)
{
    return a->is_active && !(q->inertia > 0 && a->follows && a->is_tied);
}

/* What joint i makes equal, (45.9), on the last segment and on the first. Returns its error [m]. */
static dc_vec3 dci_ribbon_joint(const dci_ribbon_problem *q, dc_index i, dci_handle end[2])
{
    const dci_ribbon_shape *r = &q->shape;
    dc_index n = r->segment_count, crossed = q->ends == DC_RIBBON_MOEBIUS, k;
    dc_vec3 at[2];
    at[0] = i < 2 ? r->x[2 * n + (crossed ? 1 - i : i)] : r->frame[n - 1].e[2];
    at[1] = i < 2 ? r->x[i] : dci_vec_scale(crossed ? -1 : 1, r->frame[0].e[2]);
    for (k = 0; k < 2; k++) {
        end[k].segment = k ? 0 : n - 1;
        end[k].is_normal = i == 2;
        if (i == 2) at[k] = dci_vec_scale(r->width / 2, at[k]);
        end[k].arm = i < 2 ? dci_vec_sub(at[k], r->frame[end[k].segment].p) : at[k];
    }
    return dci_vec_sub(at[0], at[1]);
}

/* A term of (45.9): an attachment, or a joint, which has two ends. */
typedef struct dci_link {
    dci_handle end[2];
    int count;         /* of ends; 0: it does not act                                            */
    int is_soft;
    dc_vec3 error;     /* [m]                                                                    */
    dc_real stiffness; /* [N/m] second derivative of its energy by the error                     */
} dci_link;

/* The segment of its first end; DC_NONE if it does not act. */
static dc_index dci_ribbon_link_segment(const dci_ribbon_problem *q, dc_index i)
{
    if (i < DCI_JOINTS) return q->ends == DC_RIBBON_OPEN ? DC_NONE : q->shape.segment_count - 1;
    const dci_attachment *a = q->attachment + (i - DCI_JOINTS);
    return dci_attachment_acts(q, a) ? dci_attachment_segment(&q->shape, &a->desc) : DC_NONE;
}

/* That of lambda[i]. */
static dci_link dci_ribbon_link(const dci_ribbon_problem *q, dc_index i)
{
    dci_link link;
    DC_MEMSET(&link, 0, sizeof link);
    link.stiffness = q->penalty;
    if (dci_ribbon_link_segment(q, i) == DC_NONE) return link;
    if (i < DCI_JOINTS) {
        link.count = 2;
        link.error = dci_ribbon_joint(q, i, link.end);
    } else {
        const dci_attachment *a = q->attachment + (i - DCI_JOINTS);
        dc_real unit = a->desc.kind == DC_ATTACH_NORMAL ? q->shape.width / 2 : DCI_R(1);
        link.count = 1;
        link.end[0] = dci_attachment_handle(&q->shape, &a->desc, a->goal);
        link.error = link.end[0].error;
        link.is_soft = a->desc.is_soft != 0;
        if (link.is_soft) link.stiffness = a->desc.stiffness / (unit * unit);
    }
    return link;
}

/* (45.9) of all that is soft or hard. */
static dc_real dci_ribbon_linked(dci_ribbon_problem *q, int is_soft)
{
    dc_real energy = 0;
    for (dc_index i = 0; i < DCI_JOINTS + q->attachment_count; i++) {
        dci_link link = dci_ribbon_link(q, i);
        dc_vec3 lambda = is_soft ? dci_vec(0, 0, 0) : q->lambda[i];
        dc_vec3 g = dci_vec_axpy(lambda, link.stiffness, link.error);
        if (link.count == 0 || link.is_soft != is_soft) continue;
        energy += dci_dot(dci_vec_add(lambda, g), link.error) / 2;
        dci_handle_load(link.end, g, q->load);
        if (link.count == 2) dci_handle_load(link.end + 1, dci_vec_scale(-1, g), q->load);
    }
    return energy;
}

#define DCI_TURNS 2 /* the folds in (46.5) are those of a ribbon wound up this often */

static dc_real dci_ribbon_coil_angle(const dci_ribbon_shape *r)
{
    return DCI_TURNS * 2 * DCI_PI / (dc_real)r->segment_count;
}

/* D of (45.11), relative to A w^3 h and to w/n times the contact forces. */
#define DCI_CREASE_INERTIA DCI_R(1e-4)
#define DCI_CREASE_HOLDING 10

static dc_real dci_ribbon_inertial_holding(const dci_ribbon_problem *q)
{
    dc_real width = q->shape.width;
    return DCI_CREASE_INERTIA * q->inertia * width * width * width * q->shape.pitch;
}

/* ---- Contacts ---- */

/* (45.10) of crease end i. */
static dc_vec3 dci_ribbon_contact_point(const dci_ribbon_problem *q, dc_index i)
{
    const dci_ribbon_shape *r = &q->shape;
    dc_real slid = r->width / 2 * (r->crease[i / 2] - q->old_crease[i / 2]);
    return dci_vec_axpy(r->x[i], i % 2 ? -slid : slid, r->frame[dci_ribbon_segment_of(i)].e[0]);
}

/* The number of a row's vertex in the ribbon; DC_NONE if it belongs to another body. */
static dc_index dci_ribbon_own(const dci_ribbon_problem *q, const dci_contact_row *row, dc_index i)
{
    int side = dci_contact_row_side(row, i);
    if (!row->is_free[side] || row->body[side] != q->body) return DC_NONE;
    return row->vertex[i] - q->first_vertex;
}

/* The change of a row's y by the ribbon's vertices since the row was updated. */
static dc_vec3 dci_ribbon_contact_change(const dci_ribbon_problem *q, const dci_contact_row *row)
{
    dc_vec3 sum = dci_vec(0, 0, 0);
    for (dc_index i = 0; i < 4; i++) {
        dc_index own = dci_ribbon_own(q, row, i);
        if (own == DC_NONE) continue;
        sum = dci_vec_axpy(sum, row->factor[i],
                           dci_vec_sub(dci_ribbon_contact_point(q, own), q->placed[own]));
    }
    return sum;
}

static int dci_ribbon_has_contact(const dci_ribbon_problem *q, const dci_contact_row *row)
{
    return dci_ribbon_own(q, row, 0) != DC_NONE || dci_ribbon_own(q, row, 3) != DC_NONE;
}

/* Adds c_i force / divisor at the vertices of a row to the gradient. */
static void dci_ribbon_load_row(dci_ribbon_problem *q, const dci_contact_row *row, dc_vec3 force,
                                dc_real divisor)
{
    for (dc_index i = 0; i < 4; i++) {
        dc_index own = dci_ribbon_own(q, row, i), segment = dci_ribbon_segment_of(own);
        if (own == DC_NONE) continue;
        dci_wrench_add(q->load + segment,
                       dci_vec_sub(dci_ribbon_contact_point(q, own), q->shape.frame[segment].p),
                       dci_vec_scale(row->factor[i] / divisor, force));
    }
}

/* Potential [J] of the contact forces, (21.8). Finds `pressure`, to which each contact adds the
   larger of its force now and at the shape. */
static dc_real dci_ribbon_contacts(dci_ribbon_problem *q)
{
    dc_real energy = 0;
    q->pressure = 0;
    for (dc_index k = 0; k < dci_contact_rows_count(q->rows); k++) {
        dci_contact_row *row = dci_contact_row_at(q->rows, k);
        dc_vec3 gap, force;
        if (!dci_ribbon_has_contact(q, row)) continue;
        gap = dci_vec_add(row->gap, dci_ribbon_contact_change(q, row));
        energy += dci_contact_row_potential(row, gap, dci_dot(row->force, row->normal), &force) /
                  row->weight;
        dci_ribbon_load_row(q, row, force, -row->weight);
        if (row->kind != DCI_ROW_ROLLING)
            q->pressure += dci_max(dci_norm(force), dci_norm(row->force)) / row->weight;
    }
    return energy;
}

/* Finds D of (45.11). */
static void dci_ribbon_hold_creases(dci_ribbon_problem *q)
{
    const dci_ribbon_shape *r = &q->shape;
    dci_ribbon_reconstruct(&q->shape);
    (void)dci_ribbon_contacts(q);
    q->holding = DCI_CREASE_HOLDING * q->pressure * r->width / (dc_real)r->segment_count;
    q->holding += dci_ribbon_inertial_holding(q);
}

static void dci_ribbon_clear_gradient(dci_ribbon_problem *q)
{
    dc_index n = q->shape.segment_count, j;
    DC_MEMSET(q->load, 0, (size_t)n * sizeof *q->load);
    for (j = 0; j < 2 * n + 2; j++) q->g[j] = dci_vec(0, 0, 0);
    for (j = 0; j <= n; j++) q->d_crease[j] = q->d_angle[j] = 0;
}

/* f of (45.1), its derivatives by creases and angles, and load[0], the wrench on the ribbon. */
static dc_real dci_ribbon_evaluate(dci_ribbon_problem *q)
{
    dci_ribbon_reconstruct(&q->shape);
    dci_ribbon_clear_gradient(q);
    /* Add up all energies, with gradients by points and coordinates and wrenches on segments. */
    dc_real f = q->inertia > 0 ? dci_ribbon_kinetic_term(q) : dci_ribbon_gravity(q);
    q->kinetic = f;
    /* Terms of one sum could be found in any order, and these change the same gradients. */
    dc_real bent = dci_ribbon_bending(q);
    f += bent + dci_ribbon_hold(q, q->ruling, NULL); /* the beta term of (45.2) */
    dc_real hard = dci_ribbon_linked(q, 0);
    f += hard + dci_ribbon_linked(q, 1);
    f += dci_ribbon_hold(q, q->holding, q->old_crease); /* (45.11) */
    f += dci_ribbon_contacts(q);
    /* Sweep backward for the gradient by creases and angles. */
    dci_ribbon_load_points(&q->shape, q->g, q->load);
    dci_ribbon_pass_back(&q->shape, q->g, q->load, q->d_crease, q->d_angle);
    return f;
}

/* ============================================================================================
 * 46 RIBBON STEP                                                                     dci_ribbon
 *
 * A step minimises f of (45.1) over pose, creases and angles, subject to the limits (44.3) and the
 * hard constraints of (45.9). Each coordinate moves all points beyond it, so second derivatives
 * fill a matrix; [PHB15] avoids them by L-BFGS-B. But along the chain of segments they have a
 * structure by which a Newton step costs only O(n).
 *
 * Newton direction. An infinitesimal motion of segment j is a twist xi_j = (omega, nu), which moves
 * the point o + arm by nu + omega x arm. Each crease adds to it:
 *
 *     xi_j = xi_(j-1) + U_j dpsi_j + V_j dc_j,     dc_j = dc_(j-1) + e_j                     (46.1)
 *
 * with U_j = (u_j, u_j x (o - p_j)), V_j likewise, by (44.4). xi_0 is the change of the pose and
 * e_j that of c_j - c_(j-1), which is limited. The second-order model of f is
 *
 *     sum_j 1/2 xi_j^T I_j xi_j          moments of masses, springs, penalties of segment j
 *     + sum_j omega_(j-1)^T G_j (u_j dpsi_j + v_j dc_j)        the geometric stiffness
 *     + bending and ruling terms of creases j and j - 1, + the gradient                      (46.2)
 *
 * with G_j = W_j - tr(W_j) 1, since omega . ((u x arm) x g) = omega^T (arm g^T - (arm . g) 1) u.
 * It leaves out changes of M and of the slope of R with c, and the coupling of delta and psi by L
 * in (45.8). I_j includes K of (21.5) for contacts. For a contact that couples segments, each of
 * these gets its share of an upper bound:
 *
 *     | sum c_i x_i |^2 <= sum |c_i|  sum |c_i| |x_i|^2
 *
 * Minimising this model is an optimal control problem: (46.1) is the system, dpsi and e are the
 * controls and (46.2) is the cost. The state is z = (xi, dc), because (45.8) couples c_(j-1) and
 * c_j. By Bellman's principle, [Bel57], the least cost J_j of segments j to n - 1 is a quadratic:
 *
 *     J_(j-1)(z) = 1/2 xi^T I_(j-1) xi + min over dpsi, e of [ J_j after (46.1) + crease j ] (46.3)
 *
 * This Riccati sweep, from the last segment to the first, has one pivot per crease and one per
 * angle. Each gives a law, control = constant - gain . z, which a forward sweep applies. It is a
 * Cholesky factorisation with the fill of one state: 7 x 7, or 13 x 13 for joined ends, which
 * couple xi_(n-1) with xi_0.
 *
 * Limits. The backward sweep fixes a control that would exceed its limit at z = 0, [TMT14]; the
 * forward sweep keeps all of them within their limits. They include |c_j| <= (n - j) limit, without
 * which c_n = 0 could not be reached.
 *
 * Contacts of a ribbon with itself couple distant segments. With upper bounds alone, Newton's
 * method takes a hundred iterations, so conjugate gradients (chapter 14) improve the direction.
 * With B the matrix of (46.2) and x_i = G_i d the motion of a vertex in contact, they solve
 *
 *     (B + C) d = -g,     C = sum over contacts of c_i c_k G_i^T K G_k, less the bounds    (46.4)
 *
 * B is the preconditioner. B p needs no product: it is summed from r as p is from z.
 *
 * Damping by Levenberg and Marquardt, [Mar63], adds to (46.2)
 *
 *     sigma/2 (k w/h) (s_j^2 dpsi_j^2 + (psi_j^2 + (4 pi/n)^2) dc_j^2) for each crease, and sigma
 *     rho/(weight dt^2) times the masses, in full at rest, a thousandth in a step            (46.5)
 *
 * If a pivot is not positive or f decreases too little, sigma grows at least tenfold; good steps
 * reduce it. These terms scale as bending does, so sigma is independent of n.
 *
 * Masses. With the arms a_k of its four nodes, and M of (45.4), a segment has in (46.2)
 *
 *     1/2 sum M_kl (omega x a_k + nu) . (omega x a_l + nu)
 *
 *         = 1/2 xi^T | tr(T) 1 - T   [S]x | xi        S = sum (M a)_k                        (46.6)
 *                    |    -[S]x       m 1 |           T = sum a_k (M a)_k^T,    m = w h
 *
 * Far from equilibrium, geometric stiffness may make the matrix indefinite. At rest, and with
 * attachments or contacts, it is then left out: the Gauss-Newton matrix is positive.
 *
 * The iteration ends when the Newton decrement, -gradient . direction, corresponds to a residual
 * acceleration below residual_tol; if the step was damped, less damping must have failed. If the
 * full matrix is not positive there, the shape is a saddle point, such as a flat ribbon that should
 * twist. Such a shape is perturbed, but in a step only after the first round or with normals.
 *
 * Constraints. The augmented Lagrangian of [PHB15], algorithm 2: after a round of minimisation,
 * lambda += mu error, or mu grows if a round reduces the error too little (DCI_PENALTY). In contact
 * shapes change more, and mu is smaller, because joined ends make f a curved valley that is narrow
 * if mu is large. Departures: each step starts with the last one's lambda, and the limit of
 * |c_(n-1)| is no term of the Lagrangian: its second derivative would jump just at the minimum.
 * ============================================================================================ */

/* Length of a twist; places of dc and of xi_0 in the state, and its length; that of a twist and the
   slopes of both creases. */
enum { DCI_TWIST = 6, DCI_SLOPE = 6, DCI_BASE = 7, DCI_STATE_MAX = 13, DCI_SEGMENT = 8 };

/* A quadratic 1/2 z^T h z + g . z of the state z = (xi, dc) or (xi, dc, xi_0). */
typedef struct dci_quadratic {
    dc_real h[DCI_STATE_MAX][DCI_STATE_MAX];
    dc_real g[DCI_STATE_MAX];
    dc_index size;
} dci_quadratic;

/* Twist per unit of a coordinate of a crease: U_j or V_j. */
typedef struct dci_screw {
    dc_real x[DCI_TWIST];
} dci_screw;

/* A matrix of a segment's twist. */
typedef struct dci_twist_block {
    dc_real h[DCI_TWIST][DCI_TWIST];
} dci_twist_block;

/* One of its twist and of the slopes of its creases. */
typedef struct dci_segment_block {
    dc_real h[DCI_SEGMENT][DCI_SEGMENT];
} dci_segment_block;

typedef struct dci_newton {
    dc_index size;        /* of the state: 7 or 13                                               */
    dc_vec3 pivot;        /* o [m]                                                               */
    dc_real *law;         /* (n - 1, 2, size + 1) of creases and angles                          */
    dci_twist_block pose; /* the matrix of the pose, factored                                    */
    dc_real *x; /* (2 n + 4) the direction: xi_0 of the pose, then dc_j, dpsi_j of each crease    */
    dci_coordinates base; /* before the step                                                     */
    int is_fixed;
    dc_real damping; /* sigma of (46.5)                                                          */
    int is_plain;    /* Gauss-Newton: no geometric stiffness                                     */
    /* With contacts that are constraints of the step, for (46.4). */
    dci_twist_block *block;     /* (n) K, by twists of segments                                  */
    dci_screw *motion, *load;   /* (n) twists of segments, wrenches on them                      */
    dc_real *r, *z, *p;         /* (2 n + 4) as the direction                                    */
    dc_real *image, *q;         /* likewise; B p and (B + C) p                                   */
} dci_newton;

/* ---- Segments ---- */

/* How the unit twist i about the pivot moves a point. */
static dc_vec3 dci_twist_unit(int i, dc_vec3 arm)
{
    return i < 3 ? dci_cross(dci_vec_along(i, 1), arm) : dci_vec_along(i - 3, 1);
}

/* How a twist moves a point. */
static dc_vec3 dci_twist_move(const dc_real *xi, dc_vec3 arm)
{
    return dci_vec_add(dci_cross(dci_vec(xi[0], xi[1], xi[2]), arm), dci_vec(xi[3], xi[4], xi[5]));
}

/* The transpose: adds a force to a wrench about the pivot. */
static void dci_twist_load(dc_real *wrench, dc_vec3 arm, dc_vec3 force)
{
    dc_vec3 torque = dci_cross(arm, force);
    wrench[0] += torque.x, wrench[1] += torque.y, wrench[2] += torque.z;
    wrench[3] += force.x, wrench[4] += force.y, wrench[5] += force.z;
}

/* Adds `sign` times the motion of a handle by each unit twist. */
static void dci_newton_add_motion(const dci_newton *newton, const dci_ribbon_problem *q,
                                  const dci_handle *handle, dc_real sign, dc_vec3 *by)
{
    dc_vec3 arm = dci_vec_sub(q->shape.frame[handle->segment].p, newton->pivot);
    arm = handle->is_normal ? handle->arm : dci_vec_add(arm, handle->arm);
    for (int i = 0; i < (handle->is_normal ? 3 : DCI_TWIST); i++)
        by[i] = dci_vec_axpy(by[i], sign, dci_twist_unit(i, arm));
}

/* Adds stiffness/2 |sum z_i by_i|^2. */
static void dci_quadratic_add_square(dci_quadratic *z, dc_real stiffness, const dc_vec3 *by)
{
    for (dc_index i = 0; i < z->size; i++)
        for (dc_index k = 0; k < z->size; k++) z->h[i][k] += stiffness * dci_dot(by[i], by[k]);
}

/* Adds (45.9) linearised, joints with the last segment. */
static void dci_newton_add_links(const dci_newton *newton, const dci_ribbon_problem *q,
                                 dc_index segment, dci_quadratic *z)
{
    for (dc_index i = 0; i < DCI_JOINTS + q->attachment_count; i++) {
        if (dci_ribbon_link_segment(q, i) != segment) continue;
        dci_link link = dci_ribbon_link(q, i);
        dc_vec3 by[DCI_STATE_MAX] = {{0, 0, 0}};
        dci_newton_add_motion(newton, q, link.end, 1, by);
        if (link.count == 2 && z->size > DCI_BASE)
            dci_newton_add_motion(newton, q, link.end + 1, -1, by + DCI_BASE);
        dci_quadratic_add_square(z, link.stiffness, by);
    }
}

/* Second derivatives of a segment's kinetic term, below the diagonal: (46.6), and zeros. */
static dci_segment_block dci_newton_weigh(const dci_newton *newton, const dci_ribbon_problem *q,
                                          dc_index segment, const dc_vec3 arm[4])
{
    const dci_ribbon_shape *r = &q->shape;
    dc_real inertia = (q->proximity + newton->damping) * q->metric + q->inertia;
    dc_real m = inertia * r->width * r->pitch;
    dci_wrench moments = {{0, 0, 0}, {{0, 0, 0}}};
    dc_vec3 reaction[4];
    dci_segment_mass(r, segment, arm, reaction);
    for (int k = 0; k < 4; k++)
        dci_wrench_add(&moments, arm[k], dci_vec_scale(inertia, reaction[k]));
    const dc_vec3 s = moments.force, *t = moments.moment;
    const dci_segment_block block = {{{t[1].y + t[2].z},
                                      {-t[1].x, t[2].z + t[0].x},
                                      {-t[2].x, -t[2].y, t[0].x + t[1].y},
                                      {0, s.z, -s.y, m},
                                      {-s.z, 0, s.x, 0, m},
                                      {s.y, -s.x, 0, 0, 0, m}}};
    return block;
}

/* The same with the slopes of its creases, by which its nodes move relative to R(P). Of the masses
   of proximity and damping they have none. */
static dci_segment_block dci_newton_slide(const dci_newton *newton, const dci_ribbon_problem *q,
                                          dc_index segment)
{
    const dci_ribbon_shape *r = &q->shape;
    dc_vec3 arm[4], slide[4], reaction[4];
    for (int k = 0; k < 4; k++) arm[k] = dci_vec_sub(r->x[2 * segment + k], newton->pivot);
    dci_segment_block block = dci_newton_weigh(newton, q, segment, arm);
    for (int k = 0; k < 4 && q->inertia > 0; k++) {
        dc_vec3 past = dci_vec_sub(r->frame[segment].e[0], q->slope[2 * segment + k]);
        slide[k] = dci_vec_scale((k % 2 ? r->width : -r->width) / 2, past);
    }
    for (int i = 0; i < 2 && q->inertia > 0; i++) {
        dc_real *row = block.h[DCI_SLOPE + i];
        dc_vec3 moved[4] = {{0, 0, 0}};
        moved[2 * i] = slide[2 * i], moved[2 * i + 1] = slide[2 * i + 1];
        dci_segment_mass(r, segment, moved, reaction);
        for (int k = 0; k < 4; k++) {
            dc_vec3 g = dci_vec_scale(q->inertia, reaction[k]);
            dci_twist_load(row, arm[k], g);
            row[DCI_SLOPE + k / 2] += dci_dot(slide[k], g);
        }
    }
    return block;
}

/* Work for a segment: of an iteration, and of solving again with its factors. */
enum { DCI_WORK_SEGMENT = 5000, DCI_WORK_RESOLVE = 300 };

#define DCI_STEP_METRIC DCI_R(1e-3) /* relative to the masses: damping in a step, (46.5) */

/* Adds the cost of a segment, and of its first crease sliding. */
static void dci_newton_add_segment(const dci_newton *newton, const dci_ribbon_problem *q,
                                   dc_index segment, const dci_segment_block *mass,
                                   dci_quadratic *z)
{
    int i, k, touches = dci_contact_rows_count(q->rows) > 0;
    for (i = 0; i <= DCI_SLOPE; i++)
        for (k = 0; k <= DCI_SLOPE; k++) z->h[i][k] += i < k ? mass->h[k][i] : mass->h[i][k];
    for (i = 0; touches && i < DCI_TWIST; i++)
        for (k = 0; k < DCI_TWIST; k++) z->h[i][k] += newton->block[segment].h[i][k];
    dci_newton_add_links(newton, q, segment, z);
}

/* ---- Contacts ---- */

/* K y, with K of (21.8). */
static dc_vec3 dci_ribbon_row_stiffen(const dci_contact_row *row, dc_vec3 y)
{
    dc_real along = dci_max(0, row->k_normal - row->k_side) * dci_dot(row->normal, y);
    if (dci_contact_row_is_pull(row)) return dci_contact_row_pull(row, y);
    return dci_vec_axpy(dci_vec_scale(row->k_side, y), along, row->normal);
}

/* Whether K is not zero. */
static int dci_ribbon_row_is_stiff(const dci_contact_row *row)
{
    return dci_contact_row_is_pull(row) || row->k_normal > 0 || row->k_side > 0;
}

/* A vertex of a row, from the pivot. */
static dc_vec3 dci_newton_arm(const dci_newton *newton, const dci_ribbon_problem *q, dc_index own)
{
    return dci_vec_sub(dci_ribbon_contact_point(q, own), newton->pivot);
}

/* The blocks K of all contacts, after f was evaluated: of each vertex, its share of the bound. */
static void dci_newton_gather_contacts(dci_newton *newton, const dci_ribbon_problem *q)
{
    if (dci_contact_rows_count(q->rows) == 0) return;
    DC_MEMSET(newton->block, 0, (size_t)q->shape.segment_count * sizeof(dci_twist_block));
    for (dc_index k = 0; k < q->rows->count; k++) {
        const dci_contact_row *row = dci_contact_row_at(q->rows, k);
        dc_real sum = 0;
        if (!dci_ribbon_row_is_stiff(row)) continue;
        for (dc_index i = 0; i < 4; i++)
            if (dci_ribbon_own(q, row, i) != DC_NONE) sum += dci_abs(row->factor[i]) / row->weight;
        for (dc_index i = 0; i < 4; i++) {
            dc_index own = dci_ribbon_own(q, row, i);
            dc_real part = sum * dci_abs(row->factor[i]);
            if (own == DC_NONE) continue;
            dc_vec3 arm = dci_newton_arm(newton, q, own);
            for (int m = 0; m < DCI_TWIST; m++)
                dci_twist_load(
                    newton->block[dci_ribbon_segment_of(own)].h[m], arm,
                    dci_ribbon_row_stiffen(row, dci_vec_scale(part, dci_twist_unit(m, arm))));
        }
    }
}

/* ---- One crease ---- */

static dci_screw dci_screw_about(dc_vec3 axis, dc_vec3 lever)
{
    dc_vec3 moved = dci_cross(axis, lever);
    const dci_screw screw = {{axis.x, axis.y, axis.z, moved.x, moved.y, moved.z}};
    return screw;
}

/* V_j and U_j, once f has been evaluated. */
static void dci_newton_screws(const dci_newton *newton, const dci_ribbon_shape *r, dc_index j,
                              dci_screw screw[2])
{
    dc_vec3 lever = dci_vec_sub(newton->pivot, r->frame[j].p);
    screw[0] = dci_screw_about(r->axes[j].crease, lever);
    screw[1] = dci_screw_about(r->axes[j].angle, lever);
}

/* G u, (46.2). */
static dc_vec3 dci_wrench_stiffen(const dci_wrench *load, dc_vec3 u)
{
    const dc_vec3 *w = load->moment;
    dc_vec3 turned = dci_vec(dci_dot(w[0], u), dci_dot(w[1], u), dci_dot(w[2], u));
    return dci_vec_axpy(turned, -(w[0].x + w[1].y + w[2].z), u);
}

/* The terms of one variable of a quadratic: 1/2 d x^2 + (cross . z + g) x. */
typedef struct dci_control {
    dc_real cross[DCI_STATE_MAX], d, g;
} dci_control;

/* Derivatives of v_j, (44.4), by psi and by c. */
static dci_crease_axes dci_ribbon_axes_change(const dci_ribbon_shape *r, dc_index j)
{
    const dci_pose *frame = r->frame + j - 1;
    dc_real c = r->crease[j], s_sq = 1 + c * c, s_cube = s_sq * DC_SQRT(s_sq);
    dc_real bent = 3 * c / s_sq, cosine, sine;
    dci_crease_axes change;
    dci_ribbon_fold_of(r, j, &cosine, &sine);
    change.angle = dci_pose_vector(frame, -cosine / s_cube, c * cosine / s_cube, -sine / s_sq);
    change.crease = dci_pose_vector(frame, sine * bent / s_cube, sine * (1 - c * bent) / s_cube,
                                    2 * c * (1 - cosine) / (s_sq * s_sq));
    return change;
}

/* Second derivatives of (45.8), by L of segments j - 1 and j. If is_plain, s_j psi_j, the root of
   b_j, is taken as linear. */
static void dci_ribbon_bend_crease(const dci_ribbon_problem *q, dc_index j, const dci_fan fan[2],
                                   int is_plain, dci_control part[2])
{
    const dci_ribbon_shape *r = &q->shape;
    dc_real stiffness = q->stiffness / 2 * (fan[0].value + fan[1].value), quarter = q->stiffness / 4;
    dc_real c = r->crease[j], psi = r->angle[j], s_sq = 1 + c * c, bent = dci_ribbon_bent(r, j);
    dc_real before = -quarter * fan[0].bend * (bent + dci_ribbon_bent(r, j - 1));
    part[0].cross[DCI_SLOPE] = before;
    part[0].d = stiffness * psi * psi * (is_plain ? c * c / s_sq : 1) - before +
                quarter * fan[1].bend * (bent + dci_ribbon_bent(r, j + 1));
    part[1].cross[DCI_SLOPE] = stiffness * c * psi * (is_plain ? 1 : 2);
    part[1].d = stiffness * s_sq;
}

static void dci_control_turn(dci_control *x, dc_vec3 torque)
{
    x->cross[0] += torque.x, x->cross[1] += torque.y, x->cross[2] += torque.z;
}

/* The terms of crease j itself: of dc_j, which cross[DCI_SLOPE] couples with dc_(j-1), and of
   dpsi_j, which it couples with dc_j. */
static void dci_newton_part(const dci_newton *newton, const dci_ribbon_problem *q, dc_index j,
                            const dci_fan fan[2], dci_control part[2])
{
    const dci_ribbon_shape *r = &q->shape;
    dci_crease_axes axes = r->axes[j], change = dci_ribbon_axes_change(r, j);
    dc_real c = r->crease[j], psi = r->angle[j], damping = newton->damping * q->stiffness;
    dc_real coil = dci_ribbon_coil_angle(r);
    DC_MEMSET(part, 0, 2 * sizeof *part);
    dci_ribbon_bend_crease(q, j, fan, newton->is_plain, part);
    part[0].g = q->d_crease[j];
    part[1].g = q->d_angle[j];
    part[0].d += q->ruling + q->holding + damping * (psi * psi + coil * coil);
    part[1].d += damping * (1 + c * c);
    if (newton->is_plain) return;
    dc_vec3 slide = dci_vec_scale(r->width / 2, dci_vec_sub(q->g[2 * j + 1], q->g[2 * j]));
    dc_vec3 torque = dci_wrench_torque(q->load + j);
    dc_vec3 with_crease = dci_wrench_stiffen(q->load + j, axes.crease);
    dc_vec3 with_angle = dci_wrench_stiffen(q->load + j, axes.angle);
    part[0].d += dci_dot(axes.crease, with_crease) + dci_dot(change.crease, torque);
    part[1].d += dci_dot(axes.angle, with_angle);
    part[1].cross[DCI_SLOPE] += dci_dot(axes.crease, with_angle) + dci_dot(change.angle, torque);
    dci_control_turn(part, dci_vec_add(with_crease, dci_cross(r->frame[j - 1].e[0], slide)));
    dci_control_turn(part + 1, with_angle);
}

/* ---- The backward sweep, (46.3) ---- */

/* Adds to a variable's terms those that it has if xi + screw x is substituted for xi. */
static void dci_quadratic_along(const dci_quadratic *z, const dci_screw *screw, dci_control *x)
{
    for (dc_index i = 0; i < z->size; i++) {
        dc_real cross = dci_array_dot(DCI_TWIST, screw->x, z->h[i]);
        x->cross[i] += cross;
        if (i >= DCI_TWIST) continue;
        x->d += screw->x[i] * cross;
        x->g += screw->x[i] * z->g[i];
    }
}

/* Adds the terms of x, which is dc or differs from it by a constant, to those of dc. */
static void dci_quadratic_add_to_slope(dci_quadratic *z, const dci_control *x)
{
    z->h[DCI_SLOPE][DCI_SLOPE] += x->d + x->cross[DCI_SLOPE];
    z->g[DCI_SLOPE] += x->g;
    for (dc_index i = 0; i < z->size; i++) {
        z->h[i][DCI_SLOPE] += x->cross[i];
        z->h[DCI_SLOPE][i] = z->h[i][DCI_SLOPE];
    }
}

/* Removes dc from the state, leaving zeros in its place, and adds its terms to those of x. */
static void dci_quadratic_remove_slope(dci_quadratic *z, dci_control *x)
{
    x->d += z->h[DCI_SLOPE][DCI_SLOPE];
    x->g += z->g[DCI_SLOPE];
    z->h[DCI_SLOPE][DCI_SLOPE] = z->g[DCI_SLOPE] = 0;
    for (dc_index i = 0; i < z->size; i++) {
        x->cross[i] += z->h[i][DCI_SLOPE];
        z->h[i][DCI_SLOPE] = z->h[DCI_SLOPE][i] = 0;
    }
}

/* Eliminates a control. If its value at z = 0 is that of the minimum, x = -(cross . z + g)/d; the
   law then has the gains cross/d (size) and 1/d. Any other value is a limit: x is fixed there. */
static void dci_quadratic_eliminate(dci_quadratic *z, const dci_control *x, dc_real value,
                                    dc_real *law)
{
    int is_fixed = value != -x->g / x->d;
    law[z->size] = is_fixed ? 0 : 1 / x->d;
    for (dc_index i = 0; i < z->size; i++) {
        law[i] = is_fixed ? 0 : x->cross[i] / x->d;
        for (dc_index k = 0; k < z->size && !is_fixed; k++) z->h[i][k] -= law[i] * x->cross[k];
        z->g[i] += is_fixed ? x->cross[i] * value : -(law[i] * x->g);
    }
}

/* The largest |c_j| from which the creases beyond can still reach c_n = 0. */
static dc_real dci_ribbon_reach(const dci_ribbon_shape *r, dc_index j)
{
    return r->limit * (dc_real)(r->segment_count - j);
}

/* The change of `at` nearest to x that does not lead out of -limit to limit, or further out. */
static dc_real dci_change_within(dc_real x, dc_real at, dc_real limit)
{
    return dci_max(dci_min(-limit - at, 0), dci_min(dci_max(limit - at, 0), x));
}

/* The same for c_j - c_(j-1), by (44.3). */
static dc_real dci_ribbon_step_within(const dci_ribbon_shape *r, dc_index j, dc_real x)
{
    return dci_change_within(x, r->crease[j] - r->crease[j - 1], r->limit);
}

/* The nearest change of c_j within both limits, if c_(j-1) changes by `before`. */
static dc_real dci_ribbon_crease_change(const dci_ribbon_shape *r, dc_index j, dc_real before,
                                        dc_real x)
{
    return dci_change_within(before + dci_ribbon_step_within(r, j, x - before), r->crease[j],
                             dci_ribbon_reach(r, j));
}

/* The place of dc_j or dpsi_j in a vector of coordinates; for dc_n, the vector's length. */
static dc_index dci_newton_place(dc_index j, int is_angle)
{
    return DCI_TWIST + 2 * (j - 1) + is_angle;
}

static dc_real *dci_newton_law(const dci_newton *newton, dc_index j, int is_angle)
{
    return newton->law + (2 * (j - 1) + is_angle) * (newton->size + 1);
}

/* Eliminates dpsi_j in favour of xi_(j-1) and dc_j, or fixes it at a limit. */
static int dci_newton_eliminate_angle(dci_newton *newton, const dci_ribbon_shape *r,
                                      const dci_control *angle, dc_index j, dci_quadratic *z)
{
    dc_real *value = newton->x + dci_newton_place(j, 1);
    if (!(angle->d > 0)) return 0;
    *value = dci_change_within(-angle->g / angle->d, r->angle[j], DCI_FOLD_MAX);
    dci_quadratic_eliminate(z, angle, *value, dci_newton_law(newton, j, 1));
    return 1;
}

/* Eliminates dc_j in favour of xi_(j-1) and dc_(j-1), or fixes it or e_j at a limit. */
static int dci_newton_eliminate_crease(dci_newton *newton, const dci_ribbon_shape *r,
                                       dci_control *crease, dc_index j, dci_quadratic *z)
{
    dc_real wanted, limited, c = r->crease[j], reach = dci_ribbon_reach(r, j);
    dc_real *value = newton->x + dci_newton_place(j, 0), *law = dci_newton_law(newton, j, 0);
    if (!(crease->d > 0)) return 0;
    wanted = -crease->g / crease->d;
    limited = dci_ribbon_step_within(r, j, wanted);
    int fixes_step = limited != wanted && limited == dci_change_within(limited, c, reach);
    *value = fixes_step ? limited : dci_change_within(wanted, c, reach);
    if (fixes_step) { /* e_j: substitute dc_(j-1) + e_j for dc_j */
        dci_quadratic_add_to_slope(z, crease);
        crease->cross[DCI_SLOPE] += crease->d;
    }
    dci_quadratic_eliminate(z, crease, *value, law);
    if (fixes_step) law[DCI_SLOPE] = -1;
    return 1;
}

static int dci_newton_pass_back(dci_newton *newton, const dci_ribbon_problem *q, dci_quadratic *z)
{
    const dci_ribbon_shape *r = &q->shape;
    dc_index j = r->segment_count - 1, i;
    dci_segment_block mass = dci_newton_slide(newton, q, j);
    dci_fan fan[2];
    DC_MEMSET(z, 0, sizeof *z);
    z->size = newton->size;
    for (fan[0] = dci_ribbon_fan(q, j); j > 0; j--) {
        const dc_real *slide = mass.h[DCI_SLOPE + 1];
        dci_control part[2], crease;
        dci_screw screw[2];
        fan[1] = fan[0], fan[0] = dci_ribbon_fan(q, j - 1);
        dci_newton_part(newton, q, j, fan, part);
        dci_newton_screws(newton, r, j, screw);
        dci_newton_add_segment(newton, q, j, &mass, z);
        /* Substitute xi_(j-1) and both controls for xi_j, (46.1), and eliminate the angle. */
        DC_MEMSET(&crease, 0, sizeof crease);
        dci_quadratic_along(z, screw, &crease);
        dci_quadratic_add_to_slope(z, &crease);
        dci_quadratic_along(z, screw + 1, part + 1);
        if (!dci_newton_eliminate_angle(newton, r, part + 1, j, z)) return 0;
        /* Eliminate the crease, which also slides in segment j - 1. */
        dci_quadratic_remove_slope(z, part);
        mass = dci_newton_slide(newton, q, j - 1);
        for (i = 0; i <= DCI_SLOPE; i++) part[0].cross[i] += slide[i];
        part[0].d += slide[DCI_SLOPE + 1];
        if (!dci_newton_eliminate_crease(newton, r, part, j, z)) return 0;
    }
    dci_newton_add_segment(newton, q, 0, &mass, z);
    return 1;
}

/* ---- The forward sweep ---- */

/* Factors h by symmetric elimination. Returns 0 if a pivot is not positive. */
static int dci_pose_factor(dci_twist_block *pose)
{
    dc_real(*h)[DCI_TWIST] = pose->h;
    for (int i = DCI_TWIST - 1; i >= 0; i--) {
        if (!(h[i][i] > 0)) return 0;
        for (int k = 0; k < i; k++) {
            dc_real part = h[i][k] / h[i][i];
            for (int m = 0; m < i; m++) h[k][m] -= part * h[i][m];
        }
    }
    return 1;
}

/* x = h^-1 x with h factored. */
static void dci_pose_solve(const dci_twist_block *pose, dc_real *x)
{
    for (int i = DCI_TWIST - 1; i >= 0; i--)
        for (int k = 0; k < i; k++) x[k] -= pose->h[i][k] / pose->h[i][i] * x[i];
    for (int i = 0; i < DCI_TWIST; i++) {
        for (int k = 0; k < i; k++) x[i] -= pose->h[i][k] * x[k];
        x[i] /= pose->h[i][i];
    }
}

/* The gradient of f by the pose: the wrench on the whole ribbon about o, which it returns, too. */
static dci_wrench dci_newton_pose_gradient(const dci_newton *newton, const dci_ribbon_problem *q,
                                           dc_real *g)
{
    dci_wrench whole = q->load[0];
    dci_wrench_turn(&whole, dci_vec_sub(q->shape.frame[0].p, newton->pivot), whole.force);
    dc_vec3 torque = dci_wrench_torque(&whole);
    g[0] = torque.x, g[1] = torque.y, g[2] = torque.z;
    g[3] = whole.force.x, g[4] = whole.force.y, g[5] = whole.force.z;
    return whole;
}

/* Finds xi_0; on segment 0, xi = xi_0 and dc = 0. Returns 0 if no minimum exists. */
static int dci_newton_find_pose(dci_newton *newton, const dci_ribbon_problem *q, dci_quadratic *z)
{
    dc_real(*h)[DCI_STATE_MAX] = z->h, *x = newton->x;
    int i, k, is_joined = z->size > DCI_BASE;
    for (i = 0; i < DCI_TWIST; i++) x[i] = 0;
    if (newton->is_fixed) return 1;
    /* Substitute xi = xi_0, and add the gradient. */
    dci_wrench whole = dci_newton_pose_gradient(newton, q, x);
    for (i = 0; i < DCI_TWIST && is_joined; i++)
        for (k = 0; k < DCI_TWIST; k++)
            h[i][k] += h[DCI_BASE + i][k] + h[i][DCI_BASE + k] + h[DCI_BASE + i][DCI_BASE + k];
    for (i = 0; i < 3 && !newton->is_plain; i++) { /* the symmetric part of G */
        dc_vec3 turned = dci_wrench_stiffen(&whole, dci_vec_along(i, 1));
        h[0][i] += turned.x / 2, h[1][i] += turned.y / 2, h[2][i] += turned.z / 2;
        h[i][0] += turned.x / 2, h[i][1] += turned.y / 2, h[i][2] += turned.z / 2;
    }
    for (i = 0; i < DCI_TWIST; i++) {
        for (k = 0; k < DCI_TWIST; k++) newton->pose.h[i][k] = h[i][k];
        x[i] = -(z->g[i] + (is_joined ? z->g[DCI_BASE + i] : DCI_R(0)) + x[i]);
    }
    if (!dci_pose_factor(&newton->pose)) return 0;
    dci_pose_solve(&newton->pose, x);
    return 1;
}

/* Applies the laws. x has the twist of the pose, then their constants, which become changes of
   creases and angles; within all limits, or regardless of them. */
static void dci_newton_pass_forward(const dci_newton *newton, const dci_ribbon_shape *r,
                                    int is_limited, dc_real *x)
{
    dc_real state[DCI_STATE_MAX] = {0};
    for (dc_index i = 0; i < DCI_TWIST; i++) state[i] = x[i];
    for (dc_index i = 0; i < DCI_TWIST && newton->size > DCI_BASE; i++) state[DCI_BASE + i] = x[i];
    for (dc_index j = 1; j < r->segment_count; j++) {
        dc_real *control = x + dci_newton_place(j, 0), before = state[DCI_SLOPE];
        dci_screw screw[2];
        dci_newton_screws(newton, r, j, screw);
        /* Change the crease by its law, then the angle. */
        for (int k = 0; k < 2; k++) {
            const dc_real *law = dci_newton_law(newton, j, k);
            for (dc_index i = 0; i < newton->size; i++) control[k] -= law[i] * state[i];
            if (is_limited && k)
                control[1] = dci_change_within(control[1], r->angle[j], DCI_FOLD_MAX);
            else if (is_limited)
                control[0] = dci_ribbon_crease_change(r, j, before, control[0]);
            state[DCI_SLOPE] = control[0];
        }
        /* Move on to the next segment by (46.1). */
        for (dc_index i = 0; i < DCI_TWIST; i++)
            state[i] += screw[1].x[i] * control[1] + screw[0].x[i] * control[0];
    }
}

/* The slope of f along the direction. */
static dc_real dci_newton_slope(const dci_newton *newton, const dci_ribbon_problem *q)
{
    dc_real g[DCI_TWIST], slope;
    dci_newton_pose_gradient(newton, q, g);
    slope = dci_array_dot(DCI_TWIST, g, newton->x);
    for (dc_index j = 1; j < q->shape.segment_count; j++) {
        const dc_real *x = newton->x + dci_newton_place(j, 0);
        slope += q->d_crease[j] * x[0] + q->d_angle[j] * x[1];
    }
    return slope;
}

/* ---- Contacts of a ribbon with itself, (46.4) ---- */

/* The backward sweep for another gradient g: the constants of the laws, and those of the pose. */
static void dci_newton_reduce(const dci_newton *newton, const dci_ribbon_shape *r,
                              const dc_real *g, dc_real *constant)
{
    dc_real z[DCI_STATE_MAX] = {0};
    for (dc_index j = r->segment_count - 1; j > 0; j--) {
        dci_screw screw[2];
        dc_real slope[2];
        dci_newton_screws(newton, r, j, screw);
        for (int k = 0; k < 2; k++)
            slope[k] = g[dci_newton_place(j, k)] + dci_array_dot(DCI_TWIST, screw[k].x, z);
        z[DCI_SLOPE] += slope[0];
        for (int k = 1; k >= 0; k--) {
            const dc_real *law = dci_newton_law(newton, j, k);
            if (k == 0) slope[0] = z[DCI_SLOPE], z[DCI_SLOPE] = 0;
            constant[dci_newton_place(j, k)] = slope[k] * law[newton->size];
            for (dc_index i = 0; i < newton->size; i++) z[i] -= law[i] * slope[k];
        }
    }
    for (int m = 0; m < DCI_TWIST; m++)
        constant[m] = g[m] + z[m] + (newton->size > DCI_BASE ? z[DCI_BASE + m] : DCI_R(0));
}

/* Solves B x = g with the stored factors. Controls that are fixed at limits remain fixed. */
static void dci_newton_resolve(const dci_newton *newton, const dci_ribbon_shape *r,
                               const dc_real *g, dc_real *x)
{
    dci_newton_reduce(newton, r, g, x);
    for (int i = 0; i < DCI_TWIST && newton->is_fixed; i++) x[i] = 0;
    if (!newton->is_fixed) dci_pose_solve(&newton->pose, x);
    dci_newton_pass_forward(newton, r, 0, x);
}

/* Finds the twists of all segments from coordinates, (46.1). */
static void dci_newton_find_motion(dci_newton *newton, const dci_ribbon_shape *r, const dc_real *x)
{
    int i, m;
    for (i = 0; i < DCI_TWIST; i++) newton->motion[0].x[i] = x[i];
    for (dc_index j = 1; j < r->segment_count; j++) {
        dci_screw screw[2];
        dci_newton_screws(newton, r, j, screw);
        for (newton->motion[j] = newton->motion[j - 1], m = 0; m < 2; m++)
            for (i = 0; i < DCI_TWIST; i++)
                newton->motion[j].x[i] += screw[m].x[i] * x[dci_newton_place(j, m)];
    }
}

/* The transpose of (46.1): by coordinates, from the wrenches on segments, which it sums up. */
static void dci_newton_sum_loads(dci_newton *newton, const dci_ribbon_shape *r, dc_real *y)
{
    for (dc_index j = r->segment_count - 1; j > 0; j--) {
        dci_screw screw[2];
        dci_newton_screws(newton, r, j, screw);
        for (int m = 0; m < 2; m++)
            y[dci_newton_place(j, m)] = dci_array_dot(DCI_TWIST, screw[m].x, newton->load[j].x);
        for (int i = 0; i < DCI_TWIST; i++) newton->load[j - 1].x[i] += newton->load[j].x[i];
    }
    for (int i = 0; i < DCI_TWIST; i++) y[i] = newton->is_fixed ? DCI_R(0) : newton->load[0].x[i];
}

/* How the ribbon's motion moves a row's y. */
static dc_vec3 dci_newton_row_motion(const dci_newton *newton, const dci_ribbon_problem *q,
                                     const dci_contact_row *row)
{
    dc_vec3 moved = dci_vec(0, 0, 0);
    for (dc_index i = 0; i < 4; i++) {
        dc_index own = dci_ribbon_own(q, row, i);
        if (own == DC_NONE) continue;
        const dci_screw *motion = newton->motion + dci_ribbon_segment_of(own);
        moved = dci_vec_axpy(moved, row->factor[i],
                             dci_twist_move(motion->x, dci_newton_arm(newton, q, own)));
    }
    return moved;
}

/* The transpose: adds a force on a row's y to the wrenches. */
static void dci_newton_load_row(dci_newton *newton, const dci_ribbon_problem *q,
                                const dci_contact_row *row, dc_vec3 force)
{
    for (dc_index i = 0; i < 4; i++) {
        dc_index own = dci_ribbon_own(q, row, i);
        if (own != DC_NONE)
            dci_twist_load(newton->load[dci_ribbon_segment_of(own)].x,
                           dci_newton_arm(newton, q, own), dci_vec_scale(row->factor[i], force));
    }
}

/* y = C x */
static void dci_newton_couple(dci_newton *newton, const dci_ribbon_problem *q, const dc_real *x,
                              dc_real *y)
{
    dc_index n = q->shape.segment_count, j, k;
    dci_newton_find_motion(newton, &q->shape, x);
    for (j = 0; j < n; j++)
        for (int i = 0; i < DCI_TWIST; i++)
            newton->load[j].x[i] =
                -dci_array_dot(DCI_TWIST, newton->block[j].h[i], newton->motion[j].x);
    for (k = 0; k < q->rows->count; k++) {
        const dci_contact_row *row = dci_contact_row_at(q->rows, k);
        if (!dci_ribbon_has_contact(q, row) || !dci_ribbon_row_is_stiff(row)) continue;
        dc_vec3 reaction = dci_ribbon_row_stiffen(row, dci_newton_row_motion(newton, q, row));
        dci_newton_load_row(newton, q, row, dci_vec_scale(1 / row->weight, reaction));
    }
    dci_newton_sum_loads(newton, &q->shape, y);
}

/* G B^-1 G^T f: how a force on a row's y moves it. */
static dc_vec3 dci_newton_yield(dci_newton *newton, const dci_ribbon_problem *q,
                                const dci_contact_row *row, dc_vec3 force)
{
    dc_index n = q->shape.segment_count;
    DC_MEMSET(newton->load, 0, (size_t)n * sizeof *newton->load);
    dci_newton_load_row(newton, q, row, force);
    dci_newton_sum_loads(newton, &q->shape, newton->r);
    dci_newton_resolve(newton, &q->shape, newton->r, newton->x);
    dci_newton_find_motion(newton, &q->shape, newton->x);
    dci_meter_add(q->meter, n, DCI_WORK_RESOLVE);
    return dci_newton_row_motion(newton, q, row);
}

#define DCI_NEWTON_CG_TOL DCI_R(0.1) /* relative to the direction by B, in the norm of B */
enum { DCI_NEWTON_CG_MAX = 30 };

/* Conjugate gradients for (46.4), from the direction by B. */
static void dci_newton_iterate(dci_newton *newton, const dci_ribbon_problem *q)
{
    dc_index n = q->shape.segment_count, size = dci_newton_place(n, 0), i, k;
    dc_real *x = newton->x, *r = newton->r, *z = newton->z, *p = newton->p;
    dc_real now, before = 1, enough, curvature, step;
    enough = -DCI_NEWTON_CG_TOL * DCI_NEWTON_CG_TOL * dci_newton_slope(newton, q);
    /* B x = -g, so the residual is -C x. */
    dci_newton_couple(newton, q, x, r);
    for (i = 0; i < size; i++) r[i] = -r[i], p[i] = newton->image[i] = 0;
    for (k = 0; k < DCI_NEWTON_CG_MAX; k++) {
        dci_meter_add(q->meter, n + q->rows->count, DCI_WORK_RESOLVE);
        dci_newton_resolve(newton, &q->shape, r, z);
        now = dci_array_dot(size, r, z);
        if (!(now > enough)) return;
        for (i = 0; i < size; i++) {
            p[i] = z[i] + now / before * p[i];
            newton->image[i] = r[i] + now / before * newton->image[i];
        }
        dci_newton_couple(newton, q, p, newton->q);
        for (i = 0; i < size; i++) newton->q[i] += newton->image[i];
        curvature = dci_array_dot(size, p, newton->q);
        if (!(curvature > 0)) return;
        step = now / curvature;
        for (i = 0; i < size; i++) {
            x[i] += step * p[i];
            r[i] -= step * newton->q[i];
        }
        before = now;
    }
}

/* Keeps the changes of creases and angles within their limits. */
static void dci_newton_limit(dci_newton *newton, const dci_ribbon_shape *r)
{
    dc_real last = 0;
    for (dc_index j = 1; j < r->segment_count; j++) {
        dc_real *change = newton->x + dci_newton_place(j, 0);
        change[0] = last = dci_ribbon_crease_change(r, j, last, change[0]);
        change[1] = dci_change_within(change[1], r->angle[j], DCI_FOLD_MAX);
    }
}

/* Finds the Newton direction where f has been evaluated. Returns 0 if a pivot is not positive. */
static int dci_newton_direct(dci_newton *newton, const dci_ribbon_problem *q)
{
    dci_quadratic z;
    newton->pivot = q->shape.frame[q->shape.segment_count / 2].p;
    dci_newton_gather_contacts(newton, q);
    if (!dci_newton_pass_back(newton, q, &z)) return 0;
    if (!dci_newton_find_pose(newton, q, &z)) return 0;
    dci_newton_pass_forward(newton, &q->shape, 1, newton->x);
    if (dci_contact_rows_count(q->rows) > 0 && q->touches_itself) {
        dci_newton_iterate(newton, q);
        dci_newton_limit(newton, &q->shape);
    }
    return 1;
}

/* ---- Minimising ---- */

/* Moves the shape by the Newton step, and keeps the one before in `base`. */
static void dci_newton_apply(dci_newton *newton, dci_ribbon_shape *r)
{
    const dc_real *x = newton->x;
    dc_vec3 omega = dci_vec(x[0], x[1], x[2]), arm;
    const dci_pose *pose = &newton->base.pose;
    dci_ribbon_keep(r, &newton->base);
    for (dc_index j = 1; j < r->segment_count; j++) {
        r->crease[j] += x[dci_newton_place(j, 0)];
        r->angle[j] += x[dci_newton_place(j, 1)];
    }
    if (newton->is_fixed) return;
    arm = dci_vec_rotate(dci_vec_sub(pose->p, newton->pivot), omega);
    arm = dci_vec_add(arm, dci_vec(x[3], x[4], x[5]));
    dci_pose_of(dci_vec_add(newton->pivot, arm), dci_vec_rotate(pose->e[0], omega),
                dci_vec_rotate(pose->e[2], omega), r->frame);
}

#define DCI_DECREASE_LEAST DCI_R(1e-4) /* of f, required for a step, relative to slope */
#define DCI_DECREASE_GOOD DCI_R(0.25)  /* with less damping grows, with more it shrinks */
/* Accepted Newton decrements: the first two relative to the kinetic term, the third to f. */
#define DCI_DECREMENT_HIT DCI_R(1e-4) /* after a collision: no shape of (44.1) can follow it */
#define DCI_DECREMENT_MAX DCI_R(0.05) /* at the iteration limit */
#define DCI_DECREMENT_ROUNDING (8 * DCI_EPSILON)
#define DCI_DAMPING_FIRST DCI_R(1e-2) /* sigma when it is first needed                            */
#define DCI_DAMPING_STEP 10
/* A step more than 10 times too long raises the damping again, once per further factor of 100. */
#define DCI_DAMPING_NEAR DCI_R(0.1)
#define DCI_DAMPING_DIGITS 100
enum { DCI_DAMPING_LEAPS = 6 };
#define DCI_ENOUGH_MAX DCI_R(1e4)   /* times `enough`, accepted at the limit: 100 residual_tol */
#define DCI_DAMPING_MAX DCI_R(1e12) /* beyond it, only rounding prevents a decrease             */

typedef struct dci_effort {
    dc_index iterations, evaluations, rounds;
    dc_real decrement; /* [J] the last Newton decrement: twice the predicted decrease */
} dci_effort;

static dc_real dci_damping_more(dc_real damping)
{
    return dci_max(DCI_DAMPING_FIRST, DCI_DAMPING_STEP * damping);
}

static dc_real dci_damping_less(dc_real damping)
{
    return damping > DCI_DAMPING_FIRST ? damping / DCI_DAMPING_STEP : DCI_R(0);
}

/* Damping after a failed step. The parabola through slope and rise estimates the optimal length. */
static dc_real dci_damping_after(dc_real damping, dc_real slope, dc_real rise)
{
    dc_real part = -slope / (2 * (rise - slope));
    damping = dci_damping_more(damping);
    for (int k = 0; k < DCI_DAMPING_LEAPS && part > 0 && part < DCI_DAMPING_NEAR; k++) {
        damping = dci_damping_more(damping);
        part *= DCI_DAMPING_DIGITS;
    }
    return damping;
}

/* Attempts to leave a saddle point, each with its own pattern of small folds and slopes. */
enum { DCI_PERTURBATIONS = 2 };
#define DCI_PERTURBATION DCI_R(1e-3) /* of a coil's folds and of the limit (44.3) */

static dc_real dci_newton_perturb(dci_newton *newton, dci_ribbon_problem *q, int number)
{
    dci_ribbon_shape *r = &q->shape;
    dc_real fold = DCI_PERTURBATION * dci_ribbon_coil_angle(r);
    uint32_t pattern = (uint32_t)number;
    for (int i = 0; i < DCI_TWIST; i++) newton->x[i] = 0;
    for (dc_index j = 1; j < r->segment_count; j++) {
        dc_real *change = newton->x + dci_newton_place(j, 0);
        pattern = (uint32_t)(UINT64_C(1664525) * pattern + 1013904223u); /* [PTVF92] */
        change[1] = pattern >> 31 ? fold : -fold;
        change[0] = (pattern >> 30 & 1 ? DCI_PERTURBATION : -DCI_PERTURBATION) * r->limit;
    }
    dci_newton_limit(newton, r);
    dci_newton_apply(newton, r);
    return dci_ribbon_evaluate(q);
}

/* Finds a descent direction and returns the slope of f along it, positive if there is none. At
   rest, with attachments or contacts it leaves out geometric stiffness if necessary. */
static dc_real dci_newton_descend(dci_newton *newton, const dci_ribbon_problem *q)
{
    dc_real slope = 1;
    newton->is_plain = 0;
    if (dci_newton_direct(newton, q)) slope = dci_newton_slope(newton, q);
    if (slope <= 0 || (q->proximity == 0 && q->attachment_count == 0 &&
                       dci_contact_rows_count(q->rows) == 0))
        return slope;
    newton->is_plain = 1;
    return dci_newton_direct(newton, q) ? dci_newton_slope(newton, q) : DCI_R(1);
}

/* Minimises f to a Newton decrement of `enough` [J], and leaves it evaluated at the last shape. */
static dc_status dci_newton_minimise(dci_newton *newton, dci_ribbon_problem *q, dc_real enough,
                                     dc_index iteration_max, dci_effort *effort)
{
    dc_real f = dci_ribbon_evaluate(q), slope, found, tolerable;
    int has_failed = 0;    /* less damping has just failed */
    int is_indefinite = 0; /* a pivot was not positive */
    int perturbations = q->may_perturb ? 0 : DCI_PERTURBATIONS;
    newton->damping = 0;
    effort->evaluations++;
    effort->decrement = DCI_REAL_MAX; /* no direction yet */
    if (!dci_is_finite(f)) return DC_NOT_FINITE;
    for (dc_index k = 0; k < iteration_max && newton->damping < DCI_DAMPING_MAX; k++) {
        if (k > 0 && dci_meter_is_spent(q->meter)) break;
        dci_meter_add(q->meter, q->shape.segment_count, DCI_WORK_SEGMENT);
        effort->iterations++;
        /* Find a direction. Without one, increase the damping. */
        slope = dci_newton_descend(newton, q);
        if (!(slope <= 0)) {
            newton->damping = dci_damping_more(newton->damping);
            has_failed = is_indefinite = 1;
            continue;
        }
        /* If its decrement is small, stop, leave a saddle point or damp less. */
        effort->decrement = -slope;
        tolerable = dci_max(enough, DCI_DECREMENT_ROUNDING * dci_abs(f));
        if (q->is_hit) tolerable = dci_max(tolerable, DCI_DECREMENT_HIT * q->kinetic);
        if (-slope <= tolerable) {
            int is_saddle = is_indefinite || newton->is_plain;
            if (!is_saddle && (has_failed || newton->damping == 0)) return DC_OK;
            if (is_saddle && ++perturbations > DCI_PERTURBATIONS) return DC_OK;
            if (is_saddle) {
                f = dci_newton_perturb(newton, q, perturbations);
                effort->evaluations++;
                effort->decrement = DCI_REAL_MAX;
            }
            newton->damping = is_saddle ? 0 : dci_damping_less(newton->damping);
            has_failed = is_indefinite = 0;
            continue;
        }
        /* Take the step. Keep it if f decreases enough, and adapt the damping. */
        dci_newton_apply(newton, &q->shape);
        found = dci_ribbon_evaluate(q);
        effort->evaluations++;
        if (found - f <= DCI_DECREASE_LEAST * slope) {
            if (!(found - f <= DCI_DECREASE_GOOD * slope))
                newton->damping = dci_damping_more(newton->damping);
            else if (!has_failed)
                newton->damping = dci_damping_less(newton->damping);
            has_failed = is_indefinite = 0;
            f = found;
            continue;
        }
        /* Otherwise go back and increase the damping. */
        has_failed = 1;
        newton->damping = dci_damping_after(newton->damping, slope, found - f);
        dci_ribbon_take(&q->shape, &newton->base);
        f = dci_ribbon_evaluate(q);
        effort->evaluations++;
    }
    tolerable = DCI_ENOUGH_MAX * enough;
    if (q->inertia > 0) tolerable = dci_max(tolerable, DCI_DECREMENT_MAX * q->kinetic);
    return effort->decrement <= tolerable ? DC_OK : DC_NOT_CONVERGED;
}

/* ---- The augmented Lagrangian ---- */

#define DCI_PENALTY DCI_R(1e3)         /* mu in mass / (weight dt^2): a round leaves 1e-3 */
#define DCI_CONTACT_PENALTY DCI_R(1e2) /* mu in contact */
#define DCI_REST_PENALTY DCI_R(1e5)    /* mu at rest, where only bending resists */
#define DCI_PENALTY_GAIN DCI_R(0.25)   /* if a round leaves more of the error, mu grows */
#define DCI_PENALTY_STEP 10            /* by this factor, */
#define DCI_PENALTY_RANGE DCI_R(1e6)   /* to at most this multiple */

/* The largest hard error. *worst is its attachment, DC_NONE for joined ends. */
static dc_real dci_ribbon_hard_error_max(const dci_ribbon_problem *q, dc_index *worst)
{
    dc_real largest = 0;
    *worst = DC_NONE;
    for (dc_index i = 0; i < DCI_JOINTS + q->attachment_count; i++) {
        dci_link link = dci_ribbon_link(q, i);
        if (link.is_soft || dci_norm(link.error) <= largest) continue;
        largest = dci_norm(link.error);
        *worst = i < DCI_JOINTS ? DC_NONE : i - DCI_JOINTS;
    }
    return largest;
}

/* lambda += mu error */
static void dci_ribbon_raise_multipliers(dci_ribbon_problem *q)
{
    for (dc_index i = 0; i < DCI_JOINTS + q->attachment_count; i++) {
        dci_link link = dci_ribbon_link(q, i);
        if (!link.is_soft) q->lambda[i] = dci_vec_axpy(q->lambda[i], q->penalty, link.error);
    }
}

/* Whether (45.9) has an attachment of this kind. */
static int dci_ribbon_is_attached(const dci_ribbon_problem *q, dc_attachment_kind kind)
{
    for (dc_index i = 0; i < q->attachment_count; i++) {
        const dci_attachment *a = q->attachment + i;
        if (a->desc.kind == kind && dci_attachment_acts(q, a)) return 1;
    }
    return 0;
}

/* ============================================================================================
 * 47 RIBBON                                                                          dci_ribbon
 *
 * A ribbon is a body as cloth is (chapter 43). A step is [PHB15] algorithm 1:
 *
 *     predict P by (20.1), at the ends of the old creases      with gravity and drag only
 *     minimise (45.1) from the old coordinates                 chapter 46
 *     x = the new crease ends;  old x, v = R(old x, v)         resample the history, (45.3)
 *     v = (20.3)
 *
 * The surface has two triangles per segment, x_j x_(j+1) y_j and y_j x_(j+1) y_(j+1). If ends are
 * joined, the last crease is the first one.
 *
 * Contacts are constraints of the step, and so are attachments to bodies that move freely. Groups
 * with ribbons and contacts step by backward Euler: contacts are not smooth enough for BDF2, and if
 * cloths used another method, one force would give the two bodies different momenta. Ribbons
 * without cloths repeat, until (21.2) holds and the forces hardly change:
 *
 *     for each ribbon: minimise (45.1) for the present forces; update these by (21.4)
 *
 * Attachments to other bodies. The other body's step needs the stiffness K (chapters 21 and 48)
 * with which the ribbon, without contacts, resists at the attached point. It then finds its motion
 * together with the ribbon's, to first order. With B the ribbon's Gauss-Newton matrix, and G the
 * motion of the point by that of the ribbon,
 *
 *     K^-1 = G B^-1 G^T                                                                  (47.1)
 *
 * Hardly anything resists the creases of a flat ribbon, so B includes (45.11) with D = mass w^2 /
 * (weight dt^2). This K is too small, and forces grow slowly, where something heavy hangs on the
 * ribbon or both its ends are held. So it is balanced, as in [BPC+11] section 3.4.1: K is doubled
 * if an iteration leaves a y more than twice as long as the motion of the ribbon's point in it. It
 * is halved, but not below (47.1), if y is less than half as long.
 *
 * Contacts of two ribbons. Each is solved while the other rests, so D has to fit both. It is four
 * times what they yield along the normal, because about four contact constraints share a force.
 * With a larger D the forces would converge slowly, with a smaller one the positions would.
 * Within a ribbon, G is the relative motion of both sides:
 *
 *     D = 4 / (weight dt^2) sum over both of n^T G B^-1 G^T n                            (47.2)
 *
 * Collisions may move vertices off all shapes of (44.1). The next prediction starts from there, but
 * the next minimum is a shape of (44.1) again, so area errors do not accumulate.
 * ============================================================================================ */

enum { DCI_RIBBON_HALVINGS = 3 }; /* of a step, at most */

typedef struct dci_ribbon_state {
    dci_state motion; /* (2 n + 2), the last two equal the first if joined; no rows               */
    dci_coordinates at;
    dc_vec3 *lambda; /* (3 + attachment_count) [N] for joined ends, attachments                   */
} dci_ribbon_state;

static const dci_field dci_ribbon_fields[] = {
    {"positions", offsetof(dci_ribbon_state, motion.x), DCI_POINTS, 0},
    {"velocities", offsetof(dci_ribbon_state, motion.v), DCI_VECTORS, 0},
    {"previous positions", offsetof(dci_ribbon_state, motion.x_prev), DCI_POINTS, 0},
    {"previous velocities", offsetof(dci_ribbon_state, motion.v_prev), DCI_VECTORS, 0},
    {"creases", offsetof(dci_ribbon_state, at.crease), DCI_REALS, 1},
    {"angles", offsetof(dci_ribbon_state, at.angle), DCI_REALS, 1},
    {"axes of the first segment", offsetof(dci_ribbon_state, at.pose.e), DCI_AXES, 9},
    {"place of the first segment", offsetof(dci_ribbon_state, at.pose.p), DCI_OWN_POINT, 1},
    {"multipliers", offsetof(dci_ribbon_state, lambda), DCI_VECTORS, 2},
    {"previous step", offsetof(dci_ribbon_state, motion.dt_prev), DCI_NUMBERS, 1},
    {"whether collisions moved it", offsetof(dci_ribbon_state, motion.is_hit), DCI_FLAG, 1},
    {NULL, 0, DCI_END, 0}};

typedef struct dci_ribbon {
    dc_ribbon_desc desc;
    dci_ribbon_problem problem;
    dci_newton newton;
    dci_ribbon_state state, trial;
    dc_vec3 *work;           /* (2 n + 2) in problem.g, when f is minimised                      */
    dc_index field_count[3]; /* lengths of their arrays, by dci_ribbon_fields                    */
    dc_mesh surface;         /* only triangles, and edges if there are collisions             */
    const dc_vec3 *gravity, *wind; /* of the world                                               */
    dc_real mass;          /* [kg]                                                               */
    dc_real residual_goal; /* [m/s^2] desc.residual_tol, smaller while settling                  */
    dc_integrator integrator; /* desc.integrator, or backward Euler while settling               */
    dci_effort effort;
    dci_scheme scheme;   /* of the sub-step ...                                                  */
    dc_real dt, time_sq; /* [s] its length, [s^2] weight dt^2                                    */
    dc_real penalty_max; /* [N/m]                                                                */
    dc_status status;
    dc_index worst; /* attachment with the largest error, or DC_NONE                             */
    dc_real error;  /* [m]                                                                       */
    int touches;    /* its group has contacts that are constraints of the step                   */
    int is_cut;     /* only one Newton iteration is made                                         */
} dci_ribbon;

/* [m] Default tolerance for joined ends and attachments. */
#define DCI_RIBBON_TOLERANCE (sizeof(dc_real) == 4 ? DCI_R(1e-5) : DCI_R(1e-6))

static dci_ribbon *dci_ribbon_of(const dci_member *m)
{
    return (dci_ribbon *)m->object;
}

static const dci_entry dci_ribbon_entries[] = {
    {DCI_ENTRY(dc_ribbon_desc, segment_count), DCI_INDEX, 50, 2, DCI_COUNT_MAX},
    {DCI_ENTRY(dc_ribbon_desc, length), DCI_POSITIVE, 1, 0, 0},
    {DCI_ENTRY(dc_ribbon_desc, width), DCI_POSITIVE, DCI_R(0.05), 0, 0},
    {DCI_ENTRY(dc_ribbon_desc, ends), DCI_CHOICE, 0, 0, DC_RIBBON_MOEBIUS},
    {DCI_ENTRY(dc_ribbon_desc, is_fixed), DCI_SWITCH, 0, 0, 0},
    {DCI_ENTRY(dc_ribbon_desc, density), DCI_POSITIVE, DCI_R(0.1), 0, 0},
    {DCI_ENTRY(dc_ribbon_desc, bending), DCI_POSITIVE, DCI_R(1e-4), 0, 0},
    {DCI_ENTRY(dc_ribbon_desc, ruling), DCI_POSITIVE, DCI_R(1e-4), 0, 0},
    {DCI_ENTRY(dc_ribbon_desc, drag), DCI_NOT_NEGATIVE, 0, 0, 0},
    {DCI_ENTRY(dc_ribbon_desc, thickness), DCI_POSITIVE, DCI_R(2e-3), 0, 0},
    {DCI_ENTRY(dc_ribbon_desc, friction), DCI_NOT_NEGATIVE, DCI_R(0.3), 0, 0},
    {DCI_ENTRY(dc_ribbon_desc, self_contact), DCI_SWITCH, 1, 0, 0},
    {DCI_ENTRY(dc_ribbon_desc, category), DCI_BITS, 0, 0, 0},
    {DCI_ENTRY(dc_ribbon_desc, ignores), DCI_BITS, 0, 0, 0},
    {DCI_ENTRY(dc_ribbon_desc, attachment_count), DCI_INDEX, 0, 0, DCI_COUNT_MAX},
    {DCI_ENTRY(dc_ribbon_desc, attachments), DCI_ARRAY, 0, 0, 0},
    {DCI_ENTRY(dc_ribbon_desc, integrator), DCI_CHOICE, 0, 0, DCI_INTEGRATOR_COUNT - 1},
    {DCI_ENTRY(dc_ribbon_desc, tolerance), DCI_POSITIVE, DCI_RIBBON_TOLERANCE, 0, 0},
    {DCI_ENTRY(dc_ribbon_desc, solver.residual_tol), DCI_POSITIVE, DCI_R(0.1), 0, 0},
    {DCI_ENTRY(dc_ribbon_desc, solver.iteration_max), DCI_INDEX, 100, 1, DCI_COUNT_MAX},
    {DCI_ENTRY(dc_ribbon_desc, solver.round_max), DCI_INDEX, 20, 1, DCI_COUNT_MAX},
    DCI_ENTRY_NONE};

dc_ribbon_desc dc_ribbon_defaults(void)
{
    dc_ribbon_desc desc;
    dci_desc_fill(&desc, sizeof desc, dci_ribbon_entries);
    desc.along = dci_vec(1, 0, 0);
    desc.normal = dci_vec(0, 1, 0);
    return desc;
}

dc_attachment_desc dc_attachment_defaults(void)
{
    dc_attachment_desc desc;
    DC_MEMSET(&desc, 0, sizeof desc);
    desc.kind = DC_ATTACH_POINT;
    desc.body = desc.vertex = DC_NONE;
    return desc;
}

/* ---- Checks ---- */

/* The first and last segments of a loop form one side of length 2 h. Two more cannot close it. */
enum { DCI_LOOP_SEGMENTS = 5 };

static dc_status dci_ribbon_check_fields(const dc_ribbon_desc *d, dc_error *error)
{
    dc_status status = dci_desc_check(d, dci_ribbon_entries, error);
    if (status == DC_OK && d->ends != DC_RIBBON_OPEN && d->segment_count < DCI_LOOP_SEGMENTS)
        return dci_bad_field(error, "segment_count", "this field is below 5, for a loop", DC_NONE,
                             (dc_real)d->segment_count);
    return status;
}

static const char *dci_attachment_wrong_field(const dc_ribbon_desc *r, const dc_attachment_desc *a)
{
    if (a->kind != DC_ATTACH_POINT && a->kind != DC_ATTACH_NORMAL)
        return "this attachment's kind is not one of its values";
    if (!(a->place.x >= 0 && a->place.x <= r->length))
        return "this attachment's place is not between 0 and length";
    if (a->kind == DC_ATTACH_POINT && !(dci_abs(a->place.y) <= r->width / 2))
        return "this attachment's place is not within the width";
    if (a->is_soft && !dci_is_positive(a->stiffness))
        return "this attachment is soft, but its stiffness is not positive and finite";
    if (a->body != DC_NONE && a->kind == DC_ATTACH_NORMAL)
        return "this attachment is a normal, and cannot follow a vertex";
    if (a->kind == DC_ATTACH_NORMAL && !(dci_norm(a->target) > 0))
        return "this attachment's direction is zero";
    return NULL;
}

static dc_real dci_ribbon_limit(const dc_ribbon_desc *d)
{
    return DCI_CREASE_PART * 2 * d->length / (d->width * (dc_real)d->segment_count);
}

/* A start crease or angle: 0 at both ends, and without an array. */
static dc_real dci_ribbon_start_value(const dc_ribbon_desc *d, const dc_real *start, dc_index j)
{
    return start && j > 0 && j < d->segment_count ? start[j - 1] : DCI_R(0);
}

/* Checks the limits (44.3) of the start, creases up to rounding. */
static dc_status dci_ribbon_check_start(const dc_ribbon_desc *d, dc_error *error)
{
    dc_real limit = dci_ribbon_limit(d) * (1 + DCI_LIMIT_ROUNDING), before = 0;
    dc_index n = d->segment_count, j;
    for (j = 1; j <= n; j++) {
        dc_real crease = dci_ribbon_start_value(d, d->start_creases, j);
        dc_real angle = dci_ribbon_start_value(d, d->start_angles, j);
        if (!dci_is_finite(crease) || !dci_is_finite(angle))
            return dci_not_finite(error, "this crease or angle is not finite", j);
        if (!(dci_abs(crease - before) <= limit))
            return dci_bad(error,
                           "this crease and the one before differ by more than 0.95 * 2 length / "
                           "(width segment_count), and the ends are straight; value is the "
                           "difference",
                           j, crease - before);
        if (!(dci_abs(angle) <= DCI_FOLD_MAX))
            return dci_bad(error, "this crease is folded by more than 0.95 pi", j, angle);
        before = crease;
    }
    return DC_OK;
}

dc_status dc_ribbon_start(const dc_ribbon_desc *ribbon, dc_real turn, dc_real lean,
                          dc_real *creases, dc_real *angles, dc_error *error)
{
    dci_enter(error, "dc_ribbon_start");
    dc_status status = dci_ribbon_check_fields(ribbon, error);
    dc_ribbon_desc start = *ribbon;
    dc_index n = ribbon->segment_count, j;
    DC_ASSERT(creases && angles);
    if (status != DC_OK) return status;
    if (!dci_is_finite(turn) || !dci_is_finite(lean))
        return dci_not_finite(error, "turn or lean is not finite", DC_NONE);
    for (j = 1; j < n; j++) {
        dc_real most = dci_ribbon_limit(ribbon) * (dc_real)(j < n - j ? j : n - j); /* (44.3) */
        dc_real c = dci_max(-most, dci_min(most, lean));
        creases[j - 1] = c;
        angles[j - 1] = turn / (dc_real)(n - 1) * DC_SQRT(1 + c * c); /* sin psi / s of (44.2) */
    }
    start.start_creases = creases;
    start.start_angles = angles;
    return dci_leave(error, dci_ribbon_check_start(&start, error));
}

static dc_status dci_ribbon_check_pose(dc_vec3 origin, dc_vec3 along, dc_vec3 normal,
                                       dci_pose *pose, dc_error *error)
{
    if (!dci_vec_is_finite(origin) || !dci_vec_is_finite(along) || !dci_vec_is_finite(normal))
        return dci_not_finite(error, "origin, along or normal is not finite", DC_NONE);
    if (!dci_pose_of(origin, along, normal, pose))
        return dci_bad(error, "along or normal is zero, or both are the same direction", DC_NONE,
                       0);
    return DC_OK;
}

static dc_status dci_ribbon_check(const dc_world_desc *desc, dc_index number, dc_error *error)
{
    const dc_ribbon_desc *d = desc->ribbons + number;
    const char *wrong;
    dci_pose pose;
    dc_status status = dci_ribbon_check_fields(d, error);
    if (status == DC_OK)
        status = dci_ribbon_check_pose(d->origin, d->along, d->normal, &pose, error);
    if (status == DC_OK) status = dci_ribbon_check_start(d, error);
    if (status != DC_OK) return status;
    dc_index bad = dci_first_not_finite(d->start_velocities, 2 * d->segment_count + 2);
    if (bad != DC_NONE)
        return dci_not_finite(error, "the start velocity of this vertex is not finite", bad);
    for (dc_index i = 0; i < d->attachment_count; i++) {
        const dc_attachment_desc *a = d->attachments + i;
        if (!dci_vec_is_finite(a->target) || !dci_is_finite(a->place.x) ||
            !dci_is_finite(a->place.y))
            return dci_not_finite(error, "this attachment's place or target is not finite", i);
        wrong = dci_attachment_wrong_field(d, a);
        if (wrong) return dci_bad(error, wrong, i, 0);
    }
    return DC_OK;
}

/* Where crease end i is on the flat pattern, for the slope of its crease. */
static dc_vec2 dci_ribbon_flat(const dc_ribbon_desc *d, dc_index i, dc_real crease)
{
    dc_vec2 place;
    place.y = (i % 2 ? d->width : -d->width) / 2;
    place.x = d->length / (dc_real)d->segment_count * (dc_real)(i / 2) + place.y * crease;
    return place;
}

/* Crease ends, normals and flat pattern of the start shape. */
static void dci_ribbon_shape_of(const dc_ribbon_desc *d, const dci_pose *first, dc_vec3 *x,
                                dc_vec3 *normals, dc_vec2 *flat)
{
    dci_pose pose = *first;
    dc_real pitch = d->length / (dc_real)d->segment_count;
    dc_index j, i;
    for (j = 0; j <= d->segment_count; j++) {
        dc_real crease = dci_ribbon_start_value(d, d->start_creases, j);
        dc_real angle = dci_ribbon_start_value(d, d->start_angles, j);
        dci_pose_advance(&pose, j > 0 ? pitch : DCI_R(0), d->width, crease, angle, x + 2 * j);
        if (normals && j < d->segment_count) normals[j] = pose.e[2];
        for (i = 2 * j; flat && i < 2 * j + 2; i++) flat[i] = dci_ribbon_flat(d, i, crease);
    }
}

/* ---- Memory ---- */

static void dci_ribbon_layout(dci_arena *arena, dci_ribbon *r, const dc_ribbon_desc *d)
{
    dci_ribbon_problem *q = &r->problem;
    dci_newton *newton = &r->newton;
    dc_vec3 **points[] = {&q->shape.x, &q->predicted, &q->g, &q->slope};
    dc_real **creases[] = {&q->shape.crease, &q->shape.angle,      &q->d_crease,
                           &q->d_angle,      &newton->base.crease, &newton->base.angle};
    dc_index n = d->segment_count;
    for (size_t i = 0; i < sizeof points / sizeof points[0]; i++)
        *points[i] = dci_arena_vectors(arena, 2 * n + 2);
    for (size_t i = 0; i < sizeof creases / sizeof creases[0]; i++)
        *creases[i] = dci_arena_reals(arena, n + 1);
    r->work = q->g;
    q->shape.frame = (dci_pose *)dci_arena_take(arena, n, sizeof(dci_pose));
    q->shape.axes = (dci_crease_axes *)dci_arena_take(arena, n, sizeof(dci_crease_axes));
    q->attachment =
        (dci_attachment *)dci_arena_take(arena, d->attachment_count, sizeof(dci_attachment));
    q->load = (dci_wrench *)dci_arena_take(arena, n, sizeof(dci_wrench));
    newton->is_fixed = d->is_fixed;
    newton->size = d->ends != DC_RIBBON_OPEN && !d->is_fixed ? DCI_STATE_MAX : DCI_BASE;
    newton->law = dci_arena_reals(arena, 2 * (n - 1) * (newton->size + 1));
    newton->x = dci_arena_reals(arena, 2 * n + 4);
}

/* ---- Surface and state ---- */

/* The surface vertex of crease end i. */
static dc_index dci_ribbon_vertex(const dc_ribbon_desc *d, dc_index i)
{
    dc_index last = 2 * d->segment_count;
    if (i < last || d->ends == DC_RIBBON_OPEN) return i;
    return d->ends == DC_RIBBON_MOEBIUS ? last + 1 - i : i - last;
}

/* The corners of a segment's two triangles. */
static const unsigned char dci_ribbon_corners[6] = {0, 2, 1, 1, 2, 3};

/* The same vertices of each segment, by the numbers 0 to 3 of x_j, y_j, x_(j+1), y_(j+1). */
static void dci_ribbon_connect(const dc_ribbon_desc *d, const unsigned char *corner, int count,
                               dc_index *vertex)
{
    for (dc_index j = 0; j < d->segment_count; j++)
        for (int k = 0; k < count; k++) *vertex++ = dci_ribbon_vertex(d, 2 * j + corner[k]);
}

/* Takes the arrays of a ribbon, and builds its surface, which never changes. */
static dc_status dci_ribbon_build(dci_member *m, const dc_world_desc *desc, dci_arena *arena,
                                  dci_ledger *ledger, dc_error *error)
{
    const dc_ribbon_desc *d = desc->ribbons + m->number;
    dci_ribbon *r = dci_ribbon_of(m);
    dc_mesh *surface = &r->surface;
    dc_index n = d->segment_count, *triangles, i;
    r->desc = *d;
    r->desc.solver.residual_tol = dci_world_residual_tol(desc, d->solver.residual_tol);
    m->tie_count = d->attachment_count;
    for (i = 0; i < d->attachment_count; i++) m->waits |= d->attachments[i].body != DC_NONE;
    dci_ribbon_layout(arena, r, d);
    r->field_count[0] = 2 * n + 2;
    r->field_count[1] = n + 1;
    r->field_count[2] = DCI_JOINTS + d->attachment_count;
    dci_fields_layout(arena, &r->state, dci_ribbon_fields, r->field_count);
    dci_fields_layout(arena, &r->trial, dci_ribbon_fields, r->field_count);
    surface->vertex_count = d->ends == DC_RIBBON_OPEN ? 2 * n + 2 : 2 * n;
    surface->triangle_count = 2 * n;
    surface->edge_count = 4 * n + (d->ends == DC_RIBBON_OPEN);
    surface->triangles = triangles = dci_arena_indices(arena, 3 * surface->triangle_count);
    m->surface = surface;
    m->vertex_count = surface->vertex_count;
    dci_ledger_note(ledger, arena, "ribbons");
    if (arena->is_short) return dci_arena_fail(arena, error);
    dci_ribbon_connect(d, dci_ribbon_corners, 6, triangles);
    return DC_OK;
}

/* Gives the last crease of a joined ribbon the values of the first. */
static void dci_ribbon_join(const dc_ribbon_desc *d, dc_vec3 *value)
{
    for (dc_index i = 2 * d->segment_count; i < 2 * d->segment_count + 2; i++)
        value[i] = value[dci_ribbon_vertex(d, i)];
}

static void dci_ribbon_join_state(const dc_ribbon_desc *d, dci_ribbon_state *state)
{
    dci_ribbon_join(d, state->motion.x);
    dci_ribbon_join(d, state->motion.v);
    dci_ribbon_join(d, state->motion.x_prev);
    dci_ribbon_join(d, state->motion.v_prev);
}

/* Activates all attachments, or only hard ones that do not follow a body. */
static void dci_ribbon_activate(dci_ribbon *r, int only_hard)
{
    for (dc_index i = 0; i < r->desc.attachment_count; i++) {
        dci_attachment *a = r->problem.attachment + i;
        a->desc = r->desc.attachments[i];
        a->target = a->desc.target;
        if (a->desc.kind == DC_ATTACH_NORMAL)
            a->target = dci_vec_scale(1 / dci_norm(a->target), a->target);
        a->start = a->goal = a->target;
        a->follows = a->desc.body != DC_NONE;
        a->is_tied = 0;
        a->is_active = !only_hard || (!a->desc.is_soft && !a->follows);
    }
    r->problem.attachment_count = r->desc.attachment_count;
}

static void dci_ribbon_problem_start(dci_ribbon *r)
{
    const dc_ribbon_desc *d = &r->desc;
    dci_ribbon_problem *q = &r->problem;
    q->shape.segment_count = d->segment_count;
    q->shape.length = d->length;
    q->shape.width = d->width;
    q->shape.pitch = d->length / (dc_real)d->segment_count;
    q->shape.limit = dci_ribbon_limit(d);
    q->ends = d->ends;
    q->density = d->density;
    q->stiffness = d->bending * d->width / q->shape.pitch;
    q->fan = d->width / (2 * q->shape.pitch);
    q->ruling = 2 * d->ruling * d->bending;
}

/* ---- A step ---- */

/* Sets goals at a fraction of the motion. Directions are interpolated linearly and normalised. */
static void dci_ribbon_set_goals(dci_ribbon *r, dc_real part)
{
    for (dc_index i = 0; i < r->problem.attachment_count; i++) {
        dci_attachment *a = r->problem.attachment + i;
        dc_vec3 goal = dci_vec_axpy(a->start, part, dci_vec_sub(a->target, a->start));
        dc_real size = a->desc.kind == DC_ATTACH_NORMAL ? dci_norm(goal) : DCI_R(1);
        int is_there = part == 1 || !(size > DCI_POSE_SINE_LEAST);
        a->goal = is_there ? a->target : dci_vec_scale(1 / size, goal);
    }
}

/* P and A of (45.1) with gravity and drag. */
static void dci_ribbon_predict(dci_ribbon *r, const dci_scheme *scheme, dc_real dt)
{
    const dci_state *s = &r->trial.motion;
    const dc_ribbon_desc *d = &r->desc;
    dc_real inertia = d->density / (scheme->weight * dt * dt), drag = d->drag * scheme->rate / dt;
    r->problem.inertia = inertia + drag;
    for (dc_index i = 0; i < 2 * d->segment_count + 2; i++) {
        dc_vec3 shift = dci_vec_scale(scheme->past, dci_vec_sub(s->x_prev[i], s->x[i])), air;
        shift = dci_vec_axpy(shift, dt * scheme->now, s->v[i]);
        shift = dci_vec_axpy(shift, dt * scheme->then, s->v_prev[i]);
        shift = dci_vec_axpy(shift, scheme->weight * dt * dt, *r->gravity);
        air = dci_vec_scale(dt, dci_vec_axpy(*r->wind, scheme->turn, s->v[i]));
        air = dci_vec_axpy(air, -scheme->rate_past, dci_vec_sub(s->x_prev[i], s->x[i]));
        air = dci_vec_sub(dci_vec_scale(1 / scheme->rate, air), shift);
        shift = dci_vec_axpy(shift, drag / (inertia + drag), air);
        r->problem.predicted[i] = dci_vec_add(s->x[i], shift);
    }
}

#define DCI_REST_PROXIMITY DCI_R(1e-4) /* of the masses, at rest: for a pose without support */
/* Tolerated Newton decrement at rest, in units of mass l^2 / time_sq. */
#define DCI_REST_ENOUGH (sizeof(dc_real) == 4 ? DCI_R(1e-7) : DCI_R(1e-12))

/* Starts with the multipliers of the step before; time_sq [s^2] is weight dt^2 or replaces it. */
static void dci_ribbon_prepare(dci_ribbon *r, dc_real time_sq)
{
    const dc_ribbon_desc *d = &r->desc;
    dci_ribbon_problem *q = &r->problem;
    dc_index count = 2 * d->segment_count + 2, i;
    dc_vec3 *p = &q->shape.frame->p;
    dci_ribbon_take(&q->shape, &r->trial.at);
    q->old_crease = r->trial.at.crease;
    /* Guess the old shape, moved by P's mean motion. Further away f is often not convex. */
    for (i = 0; q->inertia > 0 && !d->is_fixed && i < count; i++)
        *p = dci_vec_axpy(*p, 1 / (dc_real)count,
                          dci_vec_sub(q->predicted[i], r->trial.motion.x[i]));
    q->lambda = r->trial.lambda;
    q->holding = dci_ribbon_inertial_holding(q);
    q->metric = (q->proximity > 0 ? 1 : DCI_STEP_METRIC) * d->density / time_sq;
    q->penalty = dci_contact_rows_count(q->rows) > 0 ? DCI_CONTACT_PENALTY
                 : q->inertia > 0 ? DCI_PENALTY : DCI_REST_PENALTY;
    q->penalty *= r->mass / time_sq;
    r->penalty_max = DCI_PENALTY_RANGE * q->penalty;
}

/* Minimises f with its constraints, from the shape as it is. */
static dc_status dci_ribbon_solve(dci_ribbon *r, dc_real enough)
{
    const dc_ribbon_desc *d = &r->desc;
    dci_ribbon_problem *q = &r->problem;
    dc_real before = 0;
    dc_status status = DC_OK;
    dc_index round;
    for (round = 1; round <= d->solver.round_max; round++) {
        /* Minimise for these multipliers. */
        q->may_perturb =
            q->proximity > 0 || round > 1 || dci_ribbon_is_attached(q, DC_ATTACH_NORMAL);
        status = dci_newton_minimise(&r->newton, q, enough, d->solver.iteration_max, &r->effort);
        if (round > r->effort.rounds) r->effort.rounds = round;
        r->error = dci_ribbon_hard_error_max(q, &r->worst);
        if (status == DC_NOT_FINITE || !dci_is_finite(r->error)) return DC_NOT_FINITE;
        /* Update the multipliers, or raise the penalty where that gains too little. */
        if (status == DC_OK && (round == 1 || r->error <= DCI_PENALTY_GAIN * before))
            dci_ribbon_raise_multipliers(q);
        else if (status == DC_OK && r->error > d->tolerance)
            q->penalty = dci_min(DCI_PENALTY_STEP * q->penalty, r->penalty_max);
        before = r->error;
        if (dci_meter_is_spent(q->meter)) break;
        /* At rest, go on even if errors are small: further rounds may find the minimum. A step fails
           without it, and is halved if it may be. */
        if (status != DC_OK && !(q->inertia > 0)) continue;
        if (r->error <= d->tolerance) break;
    }
    if (round > d->solver.round_max) status = DC_NOT_CONVERGED;
    if (dci_meter_is_spent(q->meter) && !(status == DC_OK && r->error <= d->tolerance))
        status = r->is_cut ? DC_OK : DC_WORK_SPENT;
    return status;
}

static int dci_ribbon_is_free(const dci_ribbon *r)
{
    return !r->desc.is_fixed && !dci_ribbon_is_attached(&r->problem, DC_ATTACH_POINT) &&
           !dci_ribbon_is_attached(&r->problem, DC_ATTACH_NORMAL);
}

/* From the centre of mass to that of R(P): 0 in the minimum of a free ribbon. *loss is from there
   to that of P, which resampling moves slightly. */
static dc_vec3 dci_ribbon_lag(const dci_ribbon *r, dc_vec3 *loss)
{
    const dci_ribbon_problem *q = &r->problem;
    dc_vec3 *resampled = r->work;
    *loss = dci_ribbon_resample(&q->shape, q->old_crease, q->predicted, resampled);
    dc_vec3 lag = dci_vec_sub(dci_ribbon_mean(&q->shape, q->old_crease, q->predicted),
                              dci_ribbon_mean(&q->shape, q->shape.crease, q->shape.x));
    return dci_vec_sub(lag, *loss);
}

static void dci_ribbon_translate(dci_ribbon *r, dc_vec3 shift)
{
    dci_ribbon_shape *shape = &r->problem.shape;
    shape->frame[0].p = dci_vec_add(shape->frame[0].p, shift);
    for (dc_index i = 0; i < 2 * shape->segment_count + 2; i++)
        shape->x[i] = dci_vec_add(shape->x[i], shift);
}

/* Makes the new state from the minimum: positions, history at the new creases, velocities. */
static void dci_ribbon_move(dci_ribbon *r)
{
    const dci_scheme *scheme = &r->scheme;
    const dci_ribbon_shape *shape = &r->problem.shape;
    dci_state *s = &r->trial.motion;
    dc_vec3 *past = r->work;
    dc_index i, count = 2 * r->desc.segment_count + 2;
    dci_ribbon_resample(shape, r->problem.old_crease, s->x_prev, past);
    for (i = 0; i < count; i++) s->x_prev[i] = past[i];
    dci_ribbon_resample(shape, r->problem.old_crease, s->v, s->v_prev);
    dci_ribbon_resample(shape, r->problem.old_crease, s->x, past); /* the old positions */
    for (i = 0; i < count; i++) {
        dc_vec3 v = dci_vec_scale(scheme->rate / r->dt, dci_vec_sub(shape->x[i], past[i]));
        v = dci_vec_axpy(v, scheme->rate_past / r->dt, dci_vec_sub(s->x_prev[i], past[i]));
        s->v[i] = dci_vec_axpy(v, -scheme->turn, s->v_prev[i]);
        s->x_prev[i] = past[i];
        s->x[i] = shape->x[i];
    }
    s->dt_prev = r->dt;
    s->is_hit = 0;
    dci_ribbon_join_state(&r->desc, &r->trial);
}

/* Begins a sub-step of the trial state; `part` is the fraction of prescribed motion at its end. One
   that is cut short begins from the committed state. */
static void dci_ribbon_begin(dci_ribbon *r, dc_real dt, dc_real part, int is_cut)
{
    dc_integrator number = r->integrator;
    if (is_cut) {
        dci_fields_copy(&r->trial, &r->state, dci_ribbon_fields, r->field_count);
        r->trial.motion.dt_prev = 0;
    }
    r->is_cut = is_cut;
    /* In contact and after a collision, previous states do not extrapolate. */
    if (r->trial.motion.is_hit || r->touches) number = DC_INTEGRATOR_BACKWARD_EULER;
    r->scheme = dci_scheme_of(dci_integrators + number, dt, r->trial.motion.dt_prev);
    r->dt = dt;
    r->time_sq = r->scheme.weight * dt * dt;
    r->problem.proximity = 0;
    r->problem.is_hit = r->trial.motion.is_hit;
    dci_ribbon_predict(r, &r->scheme, dt);
    dci_ribbon_set_goals(r, part);
    dci_ribbon_prepare(r, r->time_sq);
}

/* ---- Contact constraints ---- */

#define DCI_RIBBON_YIELD DCI_R(0.01) /* of weight dt^2 / mass: added to what ribbons yield */
#define DCI_RIBBON_ROWS 4            /* constraints that share a force, (47.2) */
#define DCI_TIE_BALANCE 2            /* ratio of |y| and motion above which K changes */

static int dci_row_is_between_ribbons(const dci_contact_rows *rows, const dci_contact_row *row)
{
    return dci_contact_row_is_contact(row) && row->is_free[0] && row->is_free[1] &&
           !rows->body[row->body[0]].vertex && !rows->body[row->body[1]].vertex;
}

static void dci_matrix_invert(const dc_vec3 a[3], dc_vec3 inverse[3])
{
    dc_vec3 c = dci_cross(a[1], a[2]);
    dc_real scale = 1 / dci_dot(a[0], c);
    inverse[0] = dci_vec_scale(scale, c);
    inverse[1] = dci_vec_scale(scale, dci_cross(a[2], a[0]));
    inverse[2] = dci_vec_scale(scale, dci_cross(a[0], a[1]));
}

/* (47.1) */
static void dci_ribbon_stiffen(dci_ribbon *r, dci_contact_row *row)
{
    dc_real least = DCI_RIBBON_YIELD * r->time_sq / r->mass;
    dc_vec3 compliance[3];
    for (int i = 0; i < 3; i++) {
        dc_vec3 axis = dci_vec_along(i, 1);
        compliance[i] = dci_newton_yield(&r->newton, &r->problem, row, axis);
        compliance[i] = dci_vec_axpy(compliance[i], least, axis);
    }
    dci_matrix_invert(compliance, row->own.pull->stiffness);
}

/* (47.2): adds what this ribbon yields along the normal. */
static void dci_ribbon_yield(dci_ribbon *r, dci_contact_row *row)
{
    dc_vec3 moved = dci_newton_yield(&r->newton, &r->problem, row, row->normal);
    dc_real compliance = dci_dot(row->normal, moved) / r->time_sq;
    row->ribbon_compliance += DCI_RIBBON_ROWS * (DCI_RIBBON_YIELD / r->mass + compliance);
    row->compliance = row->ribbon_compliance;
}

/* Whether a row is a hard attachment of the ribbon to another body. */
static int dci_ribbon_has_tie(const dci_ribbon_problem *q, const dci_contact_row *row)
{
    return row->kind == DCI_ROW_TIE && dci_ribbon_own(q, row, 3) != DC_NONE;
}

/* Finds (47.1) for attachments to other bodies, and (47.2) for contacts with ribbons. */
static void dci_ribbon_stiffen_rows(dci_ribbon *r)
{
    dci_ribbon_problem *q = &r->problem;
    const dci_contact_rows *rows = q->rows;
    dc_index n = q->shape.segment_count, i;
    q->rows = NULL;
    q->touches_itself = 0;
    /* Factor B, without contacts and with creases held. */
    q->holding = r->mass * q->shape.width * q->shape.width / r->time_sq;
    r->newton.is_plain = 1;
    r->newton.damping = 0;
    (void)dci_ribbon_evaluate(q);
    dci_meter_add(q->meter, n, DCI_WORK_SEGMENT);
    int has_matrix = dci_newton_direct(&r->newton, q);
    for (i = 0; i < rows->count; i++) {
        dci_contact_row *row = dci_contact_row_at(rows, i);
        q->touches_itself |=
            dci_ribbon_own(q, row, 0) != DC_NONE && dci_ribbon_own(q, row, 3) != DC_NONE;
        if (has_matrix && dci_ribbon_has_tie(q, row)) dci_ribbon_stiffen(r, row);
        if (has_matrix && dci_row_is_between_ribbons(rows, row) && dci_ribbon_has_contact(q, row))
            dci_ribbon_yield(r, row);
    }
    q->rows = rows;
}

/* Begins a sub-step of all ribbons of a group, without contacts if it is cut short. */
static void dci_ribbons_begin(const dci_group *group, dc_real dt, dc_real part, int is_cut)
{
    const dci_contact_rows *rows = is_cut ? NULL : group->contact_rows;
    dc_index count = dci_contact_rows_count(rows), i, k, c;
    for (k = 0; k < count; k++) {
        dci_contact_row *row = dci_contact_row_at(rows, k);
        rows->ribbons[row - rows->row] = dci_vec(0, 0, 0);
        if (dci_row_is_between_ribbons(rows, row)) row->ribbon_compliance = 0;
    }
    for (i = 0; i < group->count; i++) {
        dci_ribbon *r = dci_ribbon_of(group->member[i]);
        dci_ribbon_problem *q = &r->problem;
        q->rows = rows;
        if (!is_cut) r->touches = count > 0 && dci_contact_rows_of_contacts(rows).count > 0;
        dci_ribbon_begin(r, dt, part, is_cut);
        if (count == 0) continue;
        dci_ribbon_stiffen_rows(r);
        for (k = 0; k < r->surface.vertex_count; k++) q->placed[k] = r->trial.motion.x[k];
        for (k = 0; k < count; k++) {
            const dci_contact_row *row = dci_contact_row_at(rows, k);
            dc_vec3 *sum = rows->ribbons + (row - rows->row);
            for (c = 0; c < 4; c++) {
                dc_index own = dci_ribbon_own(q, row, c);
                if (own != DC_NONE) *sum = dci_vec_axpy(*sum, row->factor[c], q->placed[own]);
            }
        }
    }
}

/* Balances K after an iteration in which the ribbon's point moved by this much. */
static void dci_tie_balance(dci_contact_row *row, dc_real moved)
{
    dc_real gap = dci_norm(row->gap), factor = 1;
    if (gap > DCI_TIE_BALANCE * moved && gap > DCI_CONTACT_ROW_TOL_MAX * row->thickness)
        factor = 2;
    if (moved > DCI_TIE_BALANCE * gap && row->share > 1) factor = DCI_R(0.5);
    row->share *= factor;
    row->k_normal *= factor;
}

/* Updates the rows of a ribbon by its shape. Adds up forces and their changes. */
static void dci_ribbon_update_rows(dci_ribbon *r, int is_estimate_fixed, dc_real *change,
                                   dc_real *sum)
{
    dci_ribbon_problem *q = &r->problem;
    dc_index i;
    for (i = 0; i < q->rows->count; i++) {
        dci_contact_row *row = dci_contact_row_at(q->rows, i);
        if (!dci_ribbon_has_contact(q, row)) continue;
        dc_vec3 moved = dci_ribbon_contact_change(q, row);
        row->gap = dci_vec_add(row->gap, moved);
        q->rows->ribbons[row - q->rows->row] =
            dci_vec_add(q->rows->ribbons[row - q->rows->row], moved);
        *change += dci_norm(dci_contact_row_update(row, is_estimate_fixed));
        *sum += dci_norm(row->force);
        if (dci_ribbon_has_tie(q, row)) dci_tie_balance(row, dci_norm(moved));
    }
    for (i = 0; i < r->surface.vertex_count; i++) q->placed[i] = dci_ribbon_contact_point(q, i);
}

/* Part of residual_tol that ribbons in contact reach: what is left shakes the bodies that touch. */
#define DCI_RIBBON_CONTACT_GOAL DCI_R(0.1)

/* Solves the steps of all ribbons for the present contact forces, one by one, and updates these. */
static dc_status dci_ribbons_solve(const dci_group *group, int is_estimate_fixed, dc_real *change)
{
    dc_real changes = 0, sum = 0;
    for (dc_index i = 0; i < group->count; i++) {
        dci_ribbon *r = dci_ribbon_of(group->member[i]);
        int has_rows = dci_contact_rows_count(r->problem.rows) > 0;
        dc_real goal = r->residual_goal * (has_rows ? DCI_RIBBON_CONTACT_GOAL : DCI_R(1));
        if (has_rows) dci_ribbon_hold_creases(&r->problem);
        r->status = dci_ribbon_solve(r, r->mass * goal * goal * r->time_sq);
        if (r->status != DC_OK) return r->status;
        if (has_rows)
            dci_ribbon_update_rows(r, is_estimate_fixed, &changes, &sum);
    }
    if (sum > 0) *change = dci_max(*change, changes / sum);
    return DC_OK;
}

/* Keeps the forces of attachments to other bodies, and the largest error. */
static void dci_ribbon_keep_ties(dci_ribbon *r)
{
    const dci_ribbon_problem *q = &r->problem;
    for (dc_index i = 0; i < dci_contact_rows_count(q->rows); i++) {
        const dci_contact_row *row = dci_contact_row_at(q->rows, i);
        dc_real error = dci_norm(row->gap);
        if (!dci_ribbon_has_tie(q, row)) continue;
        q->lambda[DCI_JOINTS + row->own.pull->attachment] = dci_vec_scale(-1 / row->weight, row->force);
        if (error <= r->error) continue;
        r->error = error;
        r->worst = row->own.pull->attachment;
    }
}

static int dci_ribbons_add_excess(const dci_group *group, dc_real weight, dc_vec3 *sum,
                                  dc_real *mass)
{
    dc_vec3 all = *sum, loss;
    dc_real m = *mass;
    for (dc_index i = 0; i < group->count; i++) {
        const dci_ribbon *r = dci_ribbon_of(group->member[i]);
        if (!dci_ribbon_is_free(r) || r->time_sq != weight) return 0;
        all = dci_vec_axpy(all, -r->mass, dci_ribbon_lag(r, &loss));
        m += r->mass;
    }
    *sum = all;
    *mass = m;
    return 1;
}

static void dci_ribbons_shift(const dci_group *group, dc_vec3 by)
{
    dc_index i;
    for (i = 0; i < group->count; i++) dci_ribbon_translate(dci_ribbon_of(group->member[i]), by);
}

/* Restores the momentum of free ribbons: what resampling loses, and what errors have added. If they
   touch only each other, these are errors of the contact forces, too, and only their sum is 0. */
static void dci_ribbons_keep_momentum(const dci_group *group)
{
    const dci_ribbon *first = dci_ribbon_of(group->member[0]);
    const dci_contact_rows *rows = first->problem.rows;
    dc_real mass = 0;
    dc_vec3 sum = dci_vec(0, 0, 0), loss;
    dc_index i, count = dci_contact_rows_count(rows), between = 0;
    for (i = 0; i < count; i++)
        between += dci_row_is_between_ribbons(rows, dci_contact_row_at(rows, i));
    if (count > 0 && between == count && dci_ribbons_add_excess(group, first->time_sq, &sum, &mass))
        dci_ribbons_shift(group, dci_vec_scale(-1 / mass, sum));
    for (i = 0; i < group->count; i++) {
        dci_ribbon *r = dci_ribbon_of(group->member[i]);
        dc_vec3 lag = dci_ribbon_lag(r, &loss);
        if (dci_ribbon_is_free(r))
            dci_ribbon_translate(r, count > 0 ? loss : dci_vec_add(loss, lag));
    }
}

/* Ends a sub-step: updates positions, history and velocities, or restores the multipliers. */
static void dci_ribbons_end(const dci_group *group, dc_status status)
{
    if (status == DC_OK) dci_ribbons_keep_momentum(group);
    for (dc_index i = 0; i < group->count; i++) {
        dci_ribbon *r = dci_ribbon_of(group->member[i]);
        size_t lambda_bytes = (size_t)(DCI_JOINTS + r->desc.attachment_count) * sizeof(dc_vec3);
        if (status == DC_OK) {
            dci_ribbon_keep_ties(r);
            dci_ribbon_move(r);
            dci_ribbon_keep(&r->problem.shape, &r->trial.at);
        } else {
            DC_MEMCPY(r->trial.lambda, r->state.lambda, lambda_bytes);
        }
        r->problem.rows = NULL;
    }
}

static dc_real dci_ribbons_contact_tol(const dci_group *group)
{
    dc_real longest = 0, thickness = DCI_REAL_MAX;
    for (dc_index i = 0; i < group->count; i++) {
        const dci_ribbon *r = dci_ribbon_of(group->member[i]);
        thickness = dci_min(thickness, r->desc.thickness);
        for (dc_index k = 0; k < r->surface.vertex_count; k++) {
            dc_vec3 moved = dci_vec_sub(r->problem.placed[k], r->trial.motion.x[k]);
            longest = dci_max(longest, dci_norm(moved));
        }
    }
    return dci_contact_rows_tol(longest, thickness, 1);
}

/* Without cloths: most updates of the contact forces, and largest factor of their tolerances. */
enum { DCI_RIBBON_CONTACT_ROUNDS = 40 };
#define DCI_RIBBON_FACTOR_MAX DCI_R(16)

/* Without cloths: minimises f and updates the contact forces in turn, until these converge. */
static dc_status dci_ribbons_couple(const dci_group *group, dc_real part_before, dc_real part)
{
    const dci_contact_rows *rows = group->contact_rows;
    dci_contact_rows_begin(rows, NULL, part_before, dci_ribbon_of(group->member[0])->time_sq);
    dci_contact_rows_set_compliance(rows, 0, NULL, NULL);
    dci_contact_rows_measure(rows, NULL, part);
    for (dc_index round = 0; round < DCI_RIBBON_CONTACT_ROUNDS; round++) {
        dc_real factor = dci_min(DCI_RIBBON_FACTOR_MAX, dci_contact_rows_factor(round));
        dc_real change = 0;
        int do_hold =
            round > 1 && dci_contact_rows_error(rows) <= factor * dci_ribbons_contact_tol(group);
        dc_status status = dci_ribbons_solve(group, do_hold, &change);
        if (status != DC_OK) return status;
        if (round > 0 &&
            dci_contact_rows_converged(rows, change, dci_ribbons_contact_tol(group), factor))
            return DC_OK;
    }
    return DC_NOT_CONVERGED;
}

/* Solves a sub-step of a group without cloths. */
static dc_status dci_ribbons_try(const dci_group *group, const dci_span *span, int is_cut)
{
    int has_rows = dci_contact_rows_count(group->contact_rows) > 0;
    dc_real change = 0;
    dci_ribbons_begin(group, span->dt, span->to, is_cut);
    dc_status status = has_rows ? dci_ribbons_couple(group, span->from, span->to)
                      : dci_ribbons_solve(group, 0, &change);
    dci_ribbons_end(group, status);
    if (status != DC_OK && has_rows) dci_contact_rows_restore_forces(group->contact_rows);
    return status;
}

static dc_status dci_ribbons_substep(void *ribbons, const dci_span *span)
{
    const dci_group *group = (const dci_group *)ribbons;
    return dci_meter_is_spent(group->meter) ? DC_WORK_SPENT : dci_ribbons_try(group, span, 0);
}

/* With rows, the first sub-step is the whole span. */
static dc_status dci_ribbons_advance(dci_group *group, const dci_span *span)
{
    dci_clock clock = dci_clock_of(span, DCI_RIBBON_HALVINGS);
    const dci_ribbon *r = dci_ribbon_of(group->member[0]);
    int is_multistep = dci_integrators[r->integrator].scheme != NULL;
    if (dci_contact_rows_count(group->contact_rows) == 0)
        dci_clock_start(&clock, r->trial.motion.dt_prev, is_multistep);
    for (dc_index i = 0; i < group->count; i++) {
        dci_state *s = &dci_ribbon_of(group->member[i])->trial.motion;
        if (dci_clock_part(&clock).dt > 2 * s->dt_prev) s->dt_prev = 0;
    }
    return dci_group_advance(group, &clock, dci_ribbons_substep, group);
}

/* Finds the shape at rest for these goals, from the state to the trial. time_sq is weight dt^2. */
static dc_status dci_ribbon_rest(dci_ribbon *r, dc_real inertia, dc_real time_sq)
{
    const dc_ribbon_desc *d = &r->desc;
    dci_state *trial = &r->trial.motion;
    dc_index count = 2 * d->segment_count + 2, i;
    if (!(time_sq > 0)) return DC_NOT_FINITE;
    dc_real enough = DCI_REST_ENOUGH * r->mass * d->length * d->length / time_sq;
    if (!dci_is_finite(enough)) return DC_NOT_FINITE; /* every shape would be accepted */
    dci_fields_copy(&r->trial, &r->state, dci_ribbon_fields, r->field_count);
    for (i = 0; i < DCI_JOINTS + d->attachment_count; i++) r->trial.lambda[i] = dci_vec(0, 0, 0);
    for (i = 0; i < count; i++) r->problem.predicted[i] = r->state.motion.x[i];
    r->problem.inertia = inertia;
    r->problem.proximity = DCI_REST_PROXIMITY;
    r->problem.gravity = *r->gravity;
    r->problem.is_hit = trial->is_hit = 0;
    dci_ribbon_prepare(r, time_sq);
    dc_status status = dci_ribbon_solve(r, enough);
    if (status != DC_OK) return status;
    dci_ribbon_keep(&r->problem.shape, &r->trial.at);
    for (i = 0; i < count; i++) trial->x[i] = trial->x_prev[i] = r->problem.shape.x[i];
    dci_ribbon_join_state(d, &r->trial);
    return DC_OK;
}

static dc_status dci_ribbon_fail(const dci_ribbon *r, dc_status status, dc_error *error)
{
    if (status == DC_NOT_FINITE)
        return dci_fail(error, status, "energies of this ribbon are not finite", DC_NONE, 0);
    if (r->error <= r->desc.tolerance)
        return dci_fail(
            error, status,
            "the minimum of this ribbon's energy was not found; value is how much lower it "
            "may be",
            DC_NONE, r->effort.decrement / 2);
    if (r->worst == DC_NONE)
        return dci_fail(error, status, "this ribbon's ends do not meet; value is their gap",
                        DC_NONE, r->error);
    const dci_attachment *worst = r->problem.attachment + r->worst;
    dc_vec3 off = dci_attachment_handle(&r->problem.shape, &worst->desc, worst->goal).error;
    return dci_fail(error, status,
                    "this attachment did not reach its target; value is the distance", r->worst,
                    dci_norm(off));
}

/* ---- Start ---- */

/* A start that violates joined ends or hard targets is replaced by the nearest shape that does not:
   f is minimised with P = the start and weight dt^2 = this fraction of the squared bending time. */
#define DCI_CLOSE_TIME_SQ DCI_R(1e-2)

static dc_status dci_ribbon_close(dci_ribbon *r)
{
    const dc_ribbon_desc *d = &r->desc;
    dc_real l_sq = d->length * d->length;
    dc_real time_sq = DCI_CLOSE_TIME_SQ * d->density * l_sq * l_sq / (12 * d->bending);
    dc_index i;
    dci_ribbon_activate(r, 1);
    dci_ribbon_set_goals(r, 1);
    if (dci_ribbon_hard_error_max(&r->problem, &r->worst) <= d->tolerance) return DC_OK;
    dc_status status = dci_ribbon_rest(r, d->density / time_sq, time_sq);
    if (status != DC_OK) return status;
    for (i = 0; i < DCI_JOINTS + d->attachment_count; i++) r->trial.lambda[i] = dci_vec(0, 0, 0);
    dci_fields_copy(&r->state, &r->trial, dci_ribbon_fields, r->field_count);
    return DC_OK;
}

static dc_status dci_ribbon_start(dci_member *m, const dc_world *world, dc_error *error)
{
    dci_ribbon *r = dci_ribbon_of(m);
    const dc_ribbon_desc *d = &r->desc;
    dc_index n = d->segment_count, i;
    dci_ribbon_shape *shape = &r->problem.shape;
    dci_state *motion = &r->state.motion;
    r->gravity = &world->gravity;
    r->wind = &world->wind;
    r->mass = d->density * d->length * d->width;
    dci_pose_of(d->origin, d->along, d->normal, &r->state.at.pose);
    for (i = 0; i <= n; i++) {
        r->state.at.crease[i] = dci_ribbon_start_value(d, d->start_creases, i);
        r->state.at.angle[i] = dci_ribbon_start_value(d, d->start_angles, i);
    }
    dci_ribbon_problem_start(r);
    dci_ribbon_take(shape, &r->state.at);
    dci_ribbon_reconstruct(shape);
    for (i = 0; i < 2 * n + 2; i++) {
        motion->x[i] = motion->x_prev[i] = shape->x[i];
        motion->v[i] = d->start_velocities ? d->start_velocities[i] : dci_vec(0, 0, 0);
        motion->v_prev[i] = motion->v[i];
    }
    dc_status status = dci_ribbon_close(r);
    dci_ribbon_join_state(d, &r->state);
    dci_ribbon_activate(r, 0);
    r->desc.start_creases = r->desc.start_angles = NULL; /* owned by the caller */
    r->desc.start_velocities = NULL;
    r->desc.attachments = NULL;
    return status == DC_OK ? DC_OK : dci_ribbon_fail(r, status, error);
}

/* ---- Measures ---- */

/* Kinetic energy 1/2 rho |v|_M^2, momenta, centre and potential energy of the state. */
static void dci_ribbon_measure_motion(const dci_ribbon *r, dc_ribbon_measures *m)
{
    const dci_ribbon_shape *shape = &r->problem.shape;
    const dci_state *s = &r->state.motion;
    dc_vec3 md[4];
    for (dc_index j = 0; j < shape->segment_count; j++) {
        dci_segment_mass(shape, j, s->v + 2 * j, md);
        for (int i = 0; i < 4; i++) {
            dc_vec3 p = dci_vec_scale(r->desc.density, md[i]);
            m->kinetic += dci_dot(s->v[2 * j + i], p) / 2;
            m->momentum = dci_vec_add(m->momentum, p);
            m->angular_momentum = dci_vec_add(m->angular_momentum, dci_cross(s->x[2 * j + i], p));
        }
    }
    m->mass = r->mass;
    m->centre = dci_ribbon_mean(shape, shape->crease, s->x);
    m->gravity = -r->mass * dci_dot(*r->gravity, m->centre);
}

/* The largest relative error of a triangle's area. */
static dc_real dci_ribbon_area_error(const dci_ribbon *r)
{
    const dci_ribbon_shape *shape = &r->problem.shape;
    const dc_vec3 *x = r->state.motion.is_hit ? r->state.motion.x : shape->x;
    dc_real worst = 0;
    for (dc_index t = 0; t < 2 * shape->segment_count; t++) {
        dc_index j = t / 2, third = t % 2 == 0 ? 2 * j : 2 * j + 3;
        dci_rims rims = dci_ribbon_rims(shape, shape->crease, j);
        dc_real flat = shape->width * (t % 2 == 0 ? rims.low : rims.high);
        dc_vec3 twice =
            dci_cross(dci_vec_sub(x[2 * j + 1], x[third]), dci_vec_sub(x[2 * j + 2], x[third]));
        worst = dci_max(worst, dci_abs(dci_norm(twice) - flat) / flat);
    }
    return worst;
}

/* ---- As a body: planning and start ---- */

/* Checks that attachments can follow their bodies, which have to exist and move before. */
static dc_status dci_ribbon_check_links(const dci_member *m, const dc_world *world, dc_error *error)
{
    const dc_ribbon_desc *d = &dci_ribbon_of(m)->desc;
    for (dc_index i = 0; i < d->attachment_count; i++) {
        dc_index body = d->attachments[i].body, v = d->attachments[i].vertex;
        if (body == DC_NONE) continue;
        if (body < 0 || body >= world->member_count)
            return dci_bad(error, "this attachment's body does not exist", i, 0);
        const dci_member *other = world->member + body;
        if (other >= m && other->kind->dynamics)
            return dci_bad(
                error, "this attachment follows a ribbon that does not come before its own", i, 0);
        if (v < 0 || v >= other->vertex_count)
            return dci_bad(error, "this attachment's vertex does not exist", i, 0);
        if (other->map && other->map->start[v] == other->map->start[v + 1])
            return dci_bad(error, "this attachment's vertex has no triangles", i, 0);
    }
    return DC_OK;
}

/* ---- As a body: attachments to others ---- */

/* Sets goals for the present state of all bodies. */
static void dci_ribbon_set_goals_now(dci_ribbon *ribbon, const dc_world *world)
{
    dci_ribbon_set_goals(ribbon, 1);
    for (dc_index i = 0; i < ribbon->problem.attachment_count; i++) {
        dci_attachment *a = ribbon->problem.attachment + i;
        if (a->follows) a->goal = dci_world_vertex_now(world, a->desc.body, a->desc.vertex, 0);
    }
}

/* Where an attachment's target begins to move: if soft, at its body's vertex; else where the
   attached point is now, or in the direction of the normal. */
static dc_vec3 dci_attachment_origin(dci_ribbon *ribbon, const dc_world *world,
                                     const dci_attachment *a, dc_real part)
{
    dci_ribbon_shape *shape = &ribbon->problem.shape;
    if (a->is_active && a->desc.is_soft)
        return dci_world_vertex_now(world, a->desc.body, a->desc.vertex, part);
    dci_ribbon_take(shape, &ribbon->state.at);
    dci_ribbon_reconstruct(shape);
    dci_handle handle = dci_attachment_handle(shape, &a->desc, a->goal);
    if (handle.is_normal) return shape->frame[handle.segment].e[2];
    return dci_vec_add(shape->frame[handle.segment].p, handle.arm);
}

/* Moves each attachment's target to its body's predicted position. A hard attachment starts where
   the attached point is: off its body's vertex at first and after collisions. */
static void dci_ribbon_follow(dci_ribbon *ribbon, const dc_world *world, const dci_span *span)
{
    for (dc_index i = 0; i < ribbon->problem.attachment_count; i++) {
        dci_attachment *a = ribbon->problem.attachment + i;
        if (!a->follows || !a->is_active || a->is_tied) continue;
        const dci_member *body = world->member + a->desc.body;
        dc_vec3 now = dci_attachment_origin(ribbon, world, a, span->from);
        dc_vec3 next = dci_world_vertex_next(world, a->desc.body, a->desc.vertex, span->to);
        /* Keep a small offset from a body that is off: a taut ribbon may not reach two of them. */
        if (body->is_off && body->kind->dynamics &&
            dci_norm(dci_vec_sub(next, now)) < ribbon->desc.thickness)
            next = now;
        next = dci_vec_scale(1 / (span->to - span->from), dci_vec_sub(next, now));
        a->start = dci_vec_axpy(now, -span->from, next); /* at the start of the whole step */
        a->target = dci_vec_add(a->start, next);
    }
}

/* ---- As a body: step ---- */

static const dc_vec3 *dci_ribbon_points(const dci_member *m, int wants_velocities)
{
    const dci_state *motion = &dci_ribbon_of(m)->state.motion;
    return wants_velocities ? motion->v : motion->x;
}

static dc_vec3 dci_ribbon_next(const dci_member *m, dc_index vertex, dc_real part)
{
    (void)part;
    return dci_ribbon_of(m)->trial.motion.x[vertex];
}

static void dci_ribbon_report(const dci_ribbon *ribbon, dc_index body, int is_taken,
                              dc_report *report)
{
    dc_counters *counters = &report->counters;
    counters->ribbon_iterations += ribbon->effort.iterations;
    counters->ribbon_evaluations += ribbon->effort.evaluations;
    counters->ribbon_rounds = dci_index_max(counters->ribbon_rounds, ribbon->effort.rounds);
    if (!is_taken) return; /* an attempt */
    if (report->worst_ribbon_body != DC_NONE && !(ribbon->error > report->ribbon_error)) return;
    report->ribbon_error = ribbon->error;
    report->worst_ribbon_body = body;
}

/* Sets up a part of a step. */
static void dci_ribbons_enter(const dci_group *group, const dc_world *world, const dci_span *span)
{
    for (dc_index i = 0; i < group->count; i++) {
        const dci_member *m = group->member[i];
        dci_ribbon *r = dci_ribbon_of(m);
        r->residual_goal = dci_min(world->goal, r->desc.solver.residual_tol);
        r->integrator = world->is_settling ? DC_INTEGRATOR_BACKWARD_EULER : r->desc.integrator;
        r->problem.meter = group->meter;
        r->problem.body = m->body;
        r->problem.first_vertex = m->first;
        dci_ribbon_follow(r, world, span);
        DC_MEMSET(&r->effort, 0, sizeof r->effort);
        r->is_cut = r->touches = 0;
        r->status = DC_OK;
        dci_fields_copy(&r->trial, &r->state, dci_ribbon_fields, r->field_count);
    }
}

/* Reports the ribbons of a group; names the first that failed and returns whether there is one. */
static int dci_ribbons_leave(const dci_group *group, dc_status status, dc_report *report,
                             dc_error *error)
{
    const dci_member *failed = NULL;
    for (dc_index i = 0; i < group->count; i++) {
        const dci_ribbon *r = dci_ribbon_of(group->member[i]);
        dci_ribbon_report(r, group->member[i]->body, status == DC_OK, report);
        if (!failed && r->status != DC_OK) failed = group->member[i];
    }
    if (status == DC_OK || status == DC_WORK_SPENT || !failed) return 0;
    dci_ribbon_set_goals(dci_ribbon_of(failed), 1); /* of the whole step */
    status = dci_ribbon_fail(dci_ribbon_of(failed), status, error);
    dci_in_body(error, status, failed->body);
    return 1;
}

static void dci_ribbons_join(const dci_group *group, const dc_world *world, const dci_span *span,
                             dci_partners *partners)
{
    const dci_partners made = {
        group, dci_ribbons_begin, dci_ribbons_solve, dci_ribbons_add_excess, dci_ribbons_shift,
        dci_ribbons_end};
    dci_ribbons_enter(group, world, span);
    *partners = made;
}

/* A group without cloths. */
static dc_status dci_ribbon_advance_in(dci_group *group, const dc_world *world,
                                       const dci_span *span)
{
    dci_ribbons_enter(group, world, span);
    dc_status status = dci_ribbons_advance(group, span);
    if (status != DC_WORK_SPENT || dci_meter_stop(group->meter) != DC_OK) return status;
    /* Cut short, without contacts, as in dci_cloths_cut(). */
    dci_group alone = *group;
    alone.contact_rows = NULL;
    group->substeps = 1;
    return dci_ribbons_try(&alone, span, 1) == DC_OK ? DC_OK : DC_WORK_SPENT;
}

static dc_status dci_ribbon_conclude(const dci_group *group, dc_status status, dc_report *report,
                                     dc_error *error)
{
    if (dci_ribbons_leave(group, status, report, error) || status == DC_OK) return status;
    if (status == DC_WORK_SPENT) return dci_meter_fail(group->meter, error);
    return dci_fail_in_body(error, status, "contacts of this ribbon could not be resolved", DC_NONE,
                            group->member[0]->body);
}

static void dci_ribbon_accept(dci_member *m, const dc_vec3 *surface)
{
    dci_ribbon *r = dci_ribbon_of(m);
    dci_ribbon_state swap = r->state;
    r->state = r->trial;
    r->trial = swap;
    if (!surface) return;
    DC_MEMCPY(r->state.motion.x, surface, (size_t)m->vertex_count * sizeof *surface);
    dci_ribbon_join(&r->desc, r->state.motion.x);
}

static void dci_ribbon_arrive(dci_member *m, dc_real part)
{
    dci_ribbon *r = dci_ribbon_of(m);
    if (part < 1) dci_ribbon_set_goals(r, part);
    for (dc_index i = 0; i < r->problem.attachment_count; i++) {
        dci_attachment *a = r->problem.attachment + i;
        a->start = part < 1 ? a->goal : a->target;
    }
}

/* The longest motion of an attached point. */
static dc_real dci_ribbon_longest_way(const dci_member *m, dc_index *index)
{
    const dci_ribbon *r = dci_ribbon_of(m);
    dc_real most = 0;
    for (dc_index i = 0; i < r->problem.attachment_count; i++) {
        const dci_attachment *a = r->problem.attachment + i;
        if (a->is_active && a->desc.kind == DC_ATTACH_POINT)
            dci_way_compare(a->start, a->target, i, &most, index);
    }
    return most;
}

/* ---- As a body: collisions ---- */

#ifndef DC_NO_COLLISIONS

/* What a Newton step needs in contact. */
static void dci_newton_layout_contacts(dci_arena *arena, dci_newton *newton, dc_index n)
{
    dc_real **vectors[] = {&newton->r, &newton->z, &newton->p, &newton->image, &newton->q};
    newton->block = (dci_twist_block *)dci_arena_take(arena, n, sizeof(dci_twist_block));
    newton->motion = (dci_screw *)dci_arena_take(arena, n, sizeof(dci_screw));
    newton->load = (dci_screw *)dci_arena_take(arena, n, sizeof(dci_screw));
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        *vectors[i] = dci_arena_reals(arena, 2 * n + 4);
}

static void dci_ribbon_layout_in(dci_member *m, const dc_world_desc *desc, dci_arena *arena,
                                 dci_ledger *ledger)
{
    static const unsigned char end[8] = {0, 1, 0, 2, 1, 3, 2, 1}; /* crease, rims, diagonal */
    dci_ribbon *r = dci_ribbon_of(m);
    dc_index n = r->desc.segment_count, *edge = dci_arena_indices(arena, 2 * r->surface.edge_count);
    (void)desc, (void)ledger;
    r->surface.edge_vertices = edge;
    m->waits = 0;
    r->problem.placed = dci_arena_vectors(arena, 2 * n + 2);
    dci_newton_layout_contacts(arena, &r->newton, n);
    if (arena->is_short) return;
    dci_ribbon_connect(&r->desc, end, 8, edge);
    if (r->desc.ends != DC_RIBBON_OPEN) return;
    edge[8 * n] = 2 * n; /* the last crease */
    edge[8 * n + 1] = 2 * n + 1;
}

/* The masses for collisions: row sums of M at the surface's vertices, (45.5). */
static void dci_ribbon_weigh(const dci_ribbon *r, dc_real *mass)
{
    const dc_ribbon_desc *d = &r->desc;
    dc_index j, i;
    for (i = 0; i < r->surface.vertex_count; i++) mass[i] = 0;
    for (j = 0; j < d->segment_count; j++) {
        dci_rims rims = dci_ribbon_rims(&r->problem.shape, r->state.at.crease, j);
        dc_real unit = d->density * d->width / 12;
        for (i = 0; i < 4; i++) mass[dci_ribbon_vertex(d, 2 * j + i)] += unit * rims.share[i % 2];
    }
}

/* (30.1) at the vertices of a ribbon; its triangles change with the creases. */
static void dci_ribbon_bound_thickness(const dci_ribbon *r, dc_real *bound)
{
    const dc_vec3 *x = r->state.motion.x;
    for (dc_index c = 0; c < r->surface.vertex_count; c++) bound[c] = DCI_REAL_MAX;
    for (dc_index t = 0; t < r->surface.triangle_count; t++) {
        const dc_index *v = r->surface.triangles + 3 * t;
        dc_vec3 side = dci_vec_sub(x[v[1]], x[v[0]]), next = dci_vec_sub(x[v[2]], x[v[1]]);
        dc_real longest = dci_max(dci_norm(side), dci_norm(next));
        dc_real twice_area = dci_norm(dci_cross(side, next)), height;
        longest = dci_max(longest, dci_norm(dci_vec_add(side, next)));
        height = DCI_HEIGHT_FRACTION * twice_area / longest;
        for (dc_index c = 0; c < 3; c++) bound[v[c]] = dci_min(bound[v[c]], height);
    }
}

static dc_status dci_ribbon_enter(dci_member *m, const dc_world_desc *desc, dci_surface *s,
                                  dci_entered *at, dci_arena *arena, dc_error *error)
{
    const dci_ribbon *r = dci_ribbon_of(m);
    dci_body *body = dci_surface_enter_mesh(s, &r->surface, at);
    body->thickness = r->desc.thickness;
    body->friction = r->desc.friction;
    body->self_contact = r->desc.self_contact;
    body->category = r->desc.category;
    body->ignores = r->desc.ignores;
    body->is_ribbon = 1;
    (void)desc, (void)arena, (void)error;
    return DC_OK;
}

/* The triangle of the surface that contains a material point at the start of the step. */
static void dci_ribbon_locate(const dci_ribbon *r, dc_vec2 place, dc_index first, dci_tie *tie)
{
    static const unsigned char corner[2][3] = {{0, 2, 1}, {2, 3, 1}};
    dci_ribbon_shape shape = r->problem.shape;
    const dc_real *crease = shape.crease = r->state.at.crease;
    dc_index j = dci_ribbon_segment_at(&shape, place), i;
    dci_rims rims = dci_ribbon_rims(&shape, crease, j);
    dc_real up = place.y / shape.width + DCI_R(0.5);
    /* Distances from both creases, by the lengths of the rims. */
    dc_real from = (place.x - shape.pitch * (dc_real)j - crease[j] * place.y) / rims.low;
    dc_real to = (shape.pitch * (dc_real)(j + 1) + crease[j + 1] * place.y - place.x) / rims.high;
    int is_high = from > 1 - up;
    tie->weight[0] = is_high ? 1 - up : 1 - up - from;
    tie->weight[1] = is_high ? up - to : from;
    tie->weight[2] = is_high ? to : up;
    for (i = 0; i < 3; i++)
        tie->vertex[1 + i] = first + dci_ribbon_vertex(&r->desc, 2 * j + corner[is_high][i]);
}

/* The attachments to bodies. */
static void dci_ribbon_fill_ties(const dci_member *m, dci_surface *s)
{
    const dci_ribbon *r = dci_ribbon_of(m);
    for (dc_index i = 0; i < m->tie_count; i++) {
        dci_attachment *a = r->problem.attachment + i;
        dci_tie *tie = s->tie + m->first_tie + i;
        tie->vertex[0] = DC_NONE;
        tie->is_active = 0;
        if (a->desc.body == DC_NONE) continue;
        const dci_body *other = s->body + a->desc.body;
        a->is_tied = !other->is_obstacle && !other->is_off;
        tie->attachment = i;
        tie->is_active = a->is_active && a->follows && a->is_tied && !m->is_off;
        tie->vertex[0] = s->body[a->desc.body].first_vertex + a->desc.vertex;
        dci_ribbon_locate(r, a->desc.place, m->first, tie);
        tie->spring = a->desc.is_soft ? a->desc.stiffness : DCI_R(0);
        tie->tolerance = r->desc.tolerance;
        tie->force = dci_vec_scale(-1, r->state.lambda[DCI_JOINTS + i]);
        s->body[s->body_of[m->first]].is_tied = s->body[a->desc.body].is_tied = 1;
    }
}

static void dci_ribbon_fill(dci_member *m, dci_surface *s, dci_when when, const dci_span *span)
{
    const dci_ribbon *r = dci_ribbon_of(m);
    const dci_state *state = &r->state.motion;
    dc_index v, i;
    dci_ribbon_fill_ties(m, s);
    dci_ribbon_weigh(r, s->mass + m->first);
    dci_ribbon_bound_thickness(r, s->thickness_max + m->first);
    for (v = 0; v < m->vertex_count; v++) {
        i = m->first + v;
        s->start[i] = s->end[i] = state->x[v];
        if (when == DCI_PREDICTED) s->end[i] = dci_vec_axpy(state->x[v], span->dt, state->v[v]);
        if (when == DCI_CANDIDATE) s->end[i] = r->trial.motion.x[v];
        s->inv_mass[i] = r->desc.is_fixed && v < 4 ? DCI_R(0) : 1 / s->mass[i];
    }
}

/* Largest error of the squared length of a crease or rim, relative to h^2: rims may be short. */
static dc_real dci_ribbon_length_error(const dci_ribbon *r, const dci_ribbon_state *state)
{
    const dc_ribbon_desc *d = &r->desc;
    const dc_vec3 *x = state->motion.x;
    dc_real worst = 0, pitch = r->problem.shape.pitch;
    for (dc_index j = 0; j < d->segment_count; j++) {
        static const unsigned char end[3][2] = {{0, 1}, {0, 2}, {1, 3}};
        dci_rims rims = dci_ribbon_rims(&r->problem.shape, state->at.crease, j);
        dc_real c = state->at.crease[j], w_sq = d->width * d->width;
        const dc_real flat[3] = {w_sq * (1 + c * c), rims.low * rims.low, rims.high * rims.high};
        for (int i = 0; i < 3; i++) {
            dc_vec3 edge = dci_vec_sub(x[2 * j + end[i][1]], x[2 * j + end[i][0]]);
            worst = dci_max(worst, dci_abs(dci_dot(edge, edge) - flat[i]) / (pitch * pitch));
        }
    }
    return worst;
}

/* Takes corrected positions into the trial state, as cloth does, by (20.6) and (20.7). */
static dc_status dci_ribbon_follow_surface(dci_member *m, const dci_surface *s, dc_real dt,
                                           dc_report *report, dc_error *error)
{
    dci_ribbon *r = dci_ribbon_of(m);
    dci_state *t = &r->trial.motion;
    dc_vec3 *change = r->work;
    dc_index i, count = r->surface.vertex_count;
    for (i = 0; i < count; i++) {
        dc_vec3 all = dci_vec_sub(s->end[m->first + i], t->x[i]);
        t->is_hit |= dci_dot(all, all) > 0;
        change[i] = dci_vec_sub(all, s->push[m->first + i]);
    }
    (void)error;
    if (t->is_hit) dci_state_displace(t, change, count, 1 / dt);
    for (i = 0; i < count && t->is_hit; i++) {
        t->x[i] = s->end[m->first + i];
        t->x_prev[i] = dci_vec_add(t->x_prev[i], s->push[m->first + i]);
    }
    dci_ribbon_join_state(&r->desc, &r->trial);
    report->contact_error = dci_max(report->contact_error, dci_ribbon_length_error(r, &r->trial));
    return DC_OK;
}

/* Open ends are fast, and halving gains little. With joined ends, larger errors add energy. */
static dc_real dci_ribbon_error_max(const dci_member *m)
{
    return dci_ribbon_of(m)->desc.ends == DC_RIBBON_OPEN ? DCI_OPEN_RIBBON_ERROR_MAX
                                                         : DCI_ROWS_ERROR_MAX;
}

static const dci_collision dci_ribbon_collision = {
    DCI_PAIRS_PER_RIBBON_VERTEX,
    dci_ribbon_error_max,
    dci_ribbon_layout_in,
    dci_ribbon_enter,
    dci_ribbon_fill,
    dci_ribbon_follow_surface,
};

#endif /* DC_NO_COLLISIONS */

/* ---- As a body: rest ---- */

static void dci_ribbon_stop(dci_member *m)
{
    dci_ribbon *r = dci_ribbon_of(m);
    dci_state *s = &r->state.motion;
    dc_index i;
    for (i = 0; i < 2 * r->desc.segment_count + 2; i++) s->v[i] = s->v_prev[i] = dci_vec(0, 0, 0);
    s->dt_prev = 0;
}

/* Moves a ribbon that is not fixed by the mean motion of its attached points, with their starts. */
static void dci_ribbon_carry(dci_member *m)
{
    dci_ribbon *r = dci_ribbon_of(m);
    dci_state *s = &r->state.motion;
    dc_vec3 shift = dci_vec(0, 0, 0);
    dc_index count = 0, i;
    for (i = 0; i < r->problem.attachment_count; i++) {
        const dci_attachment *a = r->problem.attachment + i;
        if (!a->is_active || a->follows || a->desc.kind != DC_ATTACH_POINT) continue;
        shift = dci_vec_add(shift, dci_vec_sub(a->target, a->start));
        count++;
    }
    if (count > 0) shift = dci_vec_scale(1 / (dc_real)count, shift);
    if (r->desc.is_fixed || !dci_is_positive(dci_dot(shift, shift))) return;
    r->state.at.pose.p = dci_vec_add(r->state.at.pose.p, shift);
    for (i = 0; i < r->problem.attachment_count; i++) {
        dci_attachment *a = r->problem.attachment + i;
        if (a->desc.kind == DC_ATTACH_POINT) a->start = dci_vec_add(a->start, shift);
    }
    for (i = 0; i < 2 * r->desc.segment_count + 2; i++)
        s->x[i] = s->x_prev[i] = dci_vec_add(s->x[i], shift);
}

static void dci_ribbon_add_motion(dci_member *m, dc_vec3 gravity, dci_motion *sum)
{
    dci_ribbon *r = dci_ribbon_of(m);
    dc_ribbon_measures measures;
    DC_MEMSET(&measures, 0, sizeof measures);
    dci_ribbon_take(&r->problem.shape, &r->state.at);
    dci_ribbon_measure_motion(r, &measures);
    sum->mass += r->mass;
    sum->speed_sq += 2 * measures.kinetic;
    sum->load_sq += r->mass * dci_dot(gravity, gravity);
}

/* ---- As a body: snapshot ---- */

static void dci_ribbon_describe(dci_snapshot *s, const dci_member *m, const dci_surface *surface)
{
    const dci_ribbon *r = dci_ribbon_of(m);
    const dc_ribbon_desc *d = &r->desc;
    (void)surface;
    dci_snapshot_desc(s, d, dci_ribbon_entries);
    for (dc_index i = 0; i < r->problem.attachment_count; i++) {
        const dc_attachment_desc *a = &r->problem.attachment[i].desc;
        const dc_real place[3] = {a->place.x, a->place.y, a->is_soft ? a->stiffness : 0};
        const dc_index what[4] = {(dc_index)a->kind, a->is_soft != 0, a->body, a->vertex};
        dci_snapshot_same_reals(s, "attachments", place, 3);
        dci_snapshot_same_indices(s, "attachments", what, 4);
    }
}

static void dci_ribbon_walk_state(dci_snapshot *s, const dci_member *m)
{
    dci_ribbon *r = dci_ribbon_of(m);
    dci_snapshot_fields(s, &r->state, dci_ribbon_fields, r->field_count);
}

static void dci_ribbon_walk_input(dci_snapshot *s, const dci_member *m)
{
    dci_ribbon *r = dci_ribbon_of(m);
    dc_vec3 (*walk)(dci_snapshot *, const char *, dc_index, dc_vec3 *);
    dc_index i;
    for (i = 0; i < r->desc.attachment_count; i++) { /* building measures it before the start */
        dci_attachment *a = r->problem.attachment + i;
        dci_snapshot_flag(s, "whether attachments hold", i, &a->is_active);
        dci_snapshot_flag(s, "whether attachments follow", i, &a->follows);
        walk = a->desc.kind == DC_ATTACH_NORMAL ? dci_snapshot_vector : dci_snapshot_point;
        walk(s, "starts of attachments", i, &a->start);
        walk(s, "targets of attachments", i, &a->target);
    }
}

static uint64_t dci_ribbon_iteration_work(const dci_member *m)
{
    return DCI_WORK_SEGMENT * (uint64_t)dci_ribbon_of(m)->desc.segment_count;
}

static const dci_dynamics dci_ribbon_dynamics = {
    dci_ribbon_iteration_work, dci_ribbon_check_links, dci_ribbon_start,      dci_ribbon_advance_in,
    dci_ribbon_conclude,       dci_ribbons_join,       dci_ribbons_leave,     dci_ribbon_accept,
    dci_ribbon_stop,           dci_ribbon_carry,       dci_ribbon_add_motion, dci_ribbon_walk_state,
};

static dc_status dci_ribbon_texture(const dci_member *m, const dc_mesh_desc *mesh,
                                    dc_vec2 *coordinates, dc_error *error)
{
    const dci_ribbon *r = dci_ribbon_of(m);
    (void)mesh, (void)error;
    for (dc_index q = 0; q < 6 * r->desc.segment_count; q++) {
        dc_index end = 2 * (q / 6) + dci_ribbon_corners[q % 6];
        coordinates[q] = dci_ribbon_flat(&r->desc, end, r->state.at.crease[end / 2]);
    }
    return DC_OK;
}

static const dci_kind dci_ribbon_kind = {
    'r',
    sizeof(dci_ribbon),
    offsetof(dc_world_desc, ribbon_count),
    offsetof(dc_world_desc, ribbons),
    "ribbon_count is negative or too large, or ribbons is missing",
    dci_ribbon_check,
    dci_ribbon_build,
    dci_ribbon_points,
    dci_ribbon_next,
    dci_ribbon_texture,
    dci_ribbon_arrive,
    dci_ribbon_longest_way,
    dci_ribbon_describe,
    dci_ribbon_walk_input,
    &dci_ribbon_dynamics,
    DCI_COLLISION(dci_ribbon_collision),
};

/* ---- What the caller reads and sets ---- */

static dci_ribbon *dci_world_ribbon(const dc_world *world, dc_index body)
{
    return dci_ribbon_of(world->member + body);
}

/* The ribbon with this attachment, or NULL after a failure. */
static dci_ribbon *dci_find_ribbon(const dc_world *world, dc_index body, dc_index attachment,
                                   dc_error *error)
{
    dci_member *m = dci_find_body(world, body, &dci_ribbon_kind, error);
    dci_ribbon *r = m ? dci_ribbon_of(m) : NULL;
    dc_index count = r ? r->problem.attachment_count : 0;
    return r && dci_is_index(error, "attachment", attachment, count, body) ? r : NULL;
}

const dc_real *dc_ribbon_creases(const dc_world *world, dc_index body)
{
    DC_ASSERT(dci_is_of_kind(world, body, &dci_ribbon_kind));
    return dci_world_ribbon(world, body)->state.at.crease;
}

const dc_real *dc_ribbon_angles(const dc_world *world, dc_index body)
{
    DC_ASSERT(dci_is_of_kind(world, body, &dci_ribbon_kind));
    return dci_world_ribbon(world, body)->state.at.angle;
}

dc_ribbon_measures dc_ribbon_measure(dc_world *world, dc_index body)
{
    DC_ASSERT(dci_is_of_kind(world, body, &dci_ribbon_kind));
    dci_ribbon *r = dci_world_ribbon(world, body);
    dci_ribbon_problem *q = &r->problem;
    const dci_ribbon_shape *shape = &q->shape;
    dc_ribbon_measures m;
    dci_handle end[2];
    DC_MEMSET(&m, 0, sizeof m);
    dci_ribbon_take(&q->shape, &r->state.at);
    dci_ribbon_reconstruct(&q->shape);
    dci_ribbon_clear_gradient(q);
    q->lambda = r->state.lambda;
    m.bending = dci_ribbon_bending(q);
    m.ruling = dci_ribbon_hold(q, q->ruling, NULL);
    dci_ribbon_set_goals_now(r, world);
    q->inertia = 0; /* (45.9) has all attachments */
    m.attached = dci_ribbon_linked(q, 1);
    dci_ribbon_measure_motion(r, &m);
    m.area_error = dci_ribbon_area_error(r);
    for (dc_index j = 1; j <= shape->segment_count; j++)
        m.crease_limit = dci_max(m.crease_limit, dci_abs(shape->crease[j] - shape->crease[j - 1]));
    m.crease_limit = DCI_CREASE_PART * m.crease_limit / shape->limit;
    for (dc_index j = 0; j < 2 && q->ends != DC_RIBBON_OPEN; j++)
        m.gap = dci_max(m.gap, dci_norm(dci_ribbon_joint(q, j, end)));
    return m;
}

dc_status dc_ribbon_set_attachment(dc_world *world, dc_index body, dc_index attachment,
                                   dc_vec3 target, dc_error *error)
{
    dci_enter(error, "dc_ribbon_set_attachment");
    dci_ribbon *r = dci_find_ribbon(world, body, attachment, error);
    dc_real size = dci_norm(target);
    if (!r) return DC_BAD_ARGUMENT;
    dci_attachment *a = r->problem.attachment + attachment;
    if (!dci_vec_is_finite(target))
        return dci_fail_in_body(error, DC_NOT_FINITE, "target is not finite", attachment, body);
    if (a->desc.kind == DC_ATTACH_NORMAL && !(size > 0))
        return dci_fail_in_body(error, DC_BAD_ARGUMENT, "the target of a normal is zero",
                                attachment, body);
    if (a->desc.kind == DC_ATTACH_NORMAL) target = dci_vec_scale(1 / size, target);
    if (!a->is_active || a->follows) a->start = dci_attachment_origin(r, world, a, 0);
    a->is_active = 1;
    a->follows = 0;
    a->target = target;
    return dci_succeed(error);
}

dc_status dc_ribbon_release_attachment(dc_world *world, dc_index body, dc_index attachment,
                                       dc_error *error)
{
    dci_enter(error, "dc_ribbon_release_attachment");
    dci_ribbon *r = dci_find_ribbon(world, body, attachment, error);
    if (!r) return DC_BAD_ARGUMENT;
    r->problem.attachment[attachment].is_active = 0;
    r->state.lambda[DCI_JOINTS + attachment] = dci_vec(0, 0, 0);
    return dci_succeed(error);
}

dc_status dc_ribbon_relax(dc_world *world, dc_index body, dc_report *report, dc_error *error)
{
    dci_enter(error, "dc_ribbon_relax");
    dci_member *m = dci_find_body(world, body, &dci_ribbon_kind, error);
    dc_report result = dci_report_empty();
    int may_cross = world->surface.may_cross;
    dc_real l_sq, rate_sq; /* 1/time_sq */
    if (!m) return DC_BAD_ARGUMENT;
    dci_ribbon *r = dci_ribbon_of(m);
    const dc_ribbon_desc *d = &r->desc;
    l_sq = d->length * d->length;
    dci_ribbon_set_goals_now(r, world);
    if (!d->is_fixed && dci_norm(*r->gravity) > 0 &&
        !dci_ribbon_is_attached(&r->problem, DC_ATTACH_POINT))
        return dci_fail_in_body(error, DC_BAD_ARGUMENT, "nothing holds this ribbon against gravity",
                                DC_NONE, body);
    DC_MEMSET(&r->effort, 0, sizeof r->effort);
    /* The time is about that of swinging as a beam or of falling by l, whichever is shorter. */
    rate_sq = 12 * d->bending / (d->density * l_sq * l_sq) + dci_norm(*r->gravity) / d->length;
    r->problem.meter = world->meter; /* not its group's */
    dc_status status = dci_ribbon_rest(r, 0, 1 / rate_sq);
    dci_ribbon_report(r, body, 1, &result);
    if (report) *report = result;
    if (status != DC_OK) return dci_in_body(error, dci_ribbon_fail(r, status, error), body);
    dci_ribbon_accept(m, NULL);
    status = world->collides ? world->method->check_crossings(world, 1, error) : DC_OK;
    if (status != DC_OK) {
        dci_ribbon_accept(m, NULL); /* back */
        world->surface.may_cross = may_cross;
        return status;
    }
    dci_ribbon_stop(m);
    dci_ribbon_arrive(m, 1);
    return dci_succeed(error);
}

dc_status dc_ribbon_shape(const dc_ribbon_desc *desc, dc_vec3 *x, dc_vec3 *normals, dc_vec2 *flat,
                          dc_error *error)
{
    dci_enter(error, "dc_ribbon_shape");
    dci_pose pose;
    if (!dci_is_count(desc->segment_count, 2))
        return dci_bad(error, "segment_count is below 2 or too large", DC_NONE, 0);
    if (!dci_is_positive(desc->length) || !dci_is_positive(desc->width))
        return dci_bad(error, "length or width is not positive and finite", DC_NONE, 0);
    dc_status status = dci_ribbon_check_pose(desc->origin, desc->along, desc->normal, &pose, error);
    if (status != DC_OK) return status;
    if ((status = dci_ribbon_check_start(desc, error)) != DC_OK) return status;
    dci_ribbon_shape_of(desc, &pose, x, normals, flat);
    return dci_succeed(error);
}

#endif /* DC_NO_RIBBONS */

#ifndef DC_NO_WORLD

/* ============================================================================================
 * 48 GROUPS IN CONTACT                                                                  dci_world
 *
 * Contact inside the step. A part of a step finds the candidates of all bodies, after [Wan12] table
 * 3.1:
 *
 *     find pairs for bodies that keep their velocities; those in contact get rows      chapter 21
 *     repeat
 *         for each group of bodies that touch, with new rows: its candidate after dt      advance
 *         pairs that come too close get another row, by their contact at the end
 *         pairs that would pass through each other get one by their contact when they touch
 *             (those that were beside each other at the start, if there are no others)
 *     until there are none, or round_max times
 *     for all together: collisions of their surfaces (chapter 38)                            fill
 *     for each body: the candidate follows its surface                             follow_surface
 *
 * If bodies do not collide, only grabs have rows.
 *
 * A row bounds the distance at one point of each feature, along one normal. So in a long step a
 * triangle may rotate about that point into a sphere, or an unforeseen contact may appear:
 *
 *            row                      row   row
 *         \   |                         |     |          Rows of earlier rounds remain: with the
 *          \  |                       --o-----o--        new one alone the triangle would turn
 *        .--'-o--.                     .-------.         back. Then the stages have little left
 *       (      \  )                   (         )        to do, and hardly change lengths.
 *
 * Rows are made within a body and between bodies. Bodies with a contact between them are in one
 * group, and so are those that touch these. A group is solved together (chapter 25; without cloths,
 * chapter 47), other bodies one by one. What happens to a group that does not converge with its
 * rows is in the ladder of chapter 49.
 *
 * Groups share no memory that they write to, so a caller's threads may advance several at the same
 * time. Each group gets a share of the remaining work and is reported afterwards, in the order of
 * the groups, so that bits do not depend on the order in which they end. Those whose share did not
 * suffice then go on, one after the other, with what the others left. The first group that fails
 * decides; later ones do not count. If bodies do not collide, a ribbon that follows one waits for
 * its candidate. A body that is switched off has no candidate, no rows and no pairs.
 *
 * Rows of grabs, (21.10), and of attachments, (21.9), come first: there is always room for them.
 * The stages do not separate attached bodies: features of the attached vertex do not collide with
 * those of the triangle around the point. An attachment starts with its force at the end of the
 * last step. If the point is off its vertex at the start, as after collisions, y_known lets this
 * distance decay at a fixed rate, because closing it in one step would add velocity.
 *
 * Crossings to be separated get rows with a negative distance: that of the wrong end of an edge
 * from the triangle that the edge pierces (chapter 33). `least` lets it grow at a fixed speed.
 *
 * Pinched cloth. Between obstacles there may be less room than the thicknesses need. Then the rows
 * contradict each other, and lengths would suffer. So before the bodies are solved, their vertices
 * alone are moved until the rows hold, regardless of lengths and masses. Free vertices begin where
 * the step starts, prescribed ones are where it ends. Each row moves its free vertices by c_i q n,
 *
 *     q' = max( 0, q + (lack - Y q)/(s + Y) ),  s = sum c_i^2,  lack = least - n . y         (48.1)
 *
 * with Y = 0. If rows still lack distance after some sweeps, there is no room. Further sweeps with
 * Y = s distribute the shortage over both sides, and `least` is reduced by what they leave:
 *
 *     ====v====  obstacle       Both rows ask for h/2 and have less.
 *     ---------  cloth          They yield, down to a tenth of the
 *     ====^====  obstacle       thickness.
 * ============================================================================================ */

/* ---- Groups side by side ---- */

typedef struct dci_advance {
    dc_world *world;
    const dci_span *span;
    dci_group *group; /* those advanced at the same time                                         */
    dc_index count;
} dci_advance;

static void dci_advance_group(void *context, dc_index i)
{
    const dci_advance *a = (const dci_advance *)context;
    dci_group *group = a->group + i;
    dci_span span = *a->span;
    if (span.is_divisible) span.is_divisible = dci_contact_rows_count(group->contact_rows) > 0;
    group->substeps = group->released = 0;
    group->status = group->member[0]->kind->dynamics->advance(group, a->world, &span);
}

/* Work of an iteration of a group, without its contacts. */
static uint64_t dci_group_work(const dci_group *group)
{
    uint64_t work = 0;
    for (dc_index i = 0; i < group->count; i++)
        work += group->member[i]->kind->dynamics->iteration_work(group->member[i]);
    return work;
}

/* left work/all, rounded down by up to a thousandth of `all`: no product overflows. */
static uint64_t dci_work_share(uint64_t left, uint64_t work, uint64_t all)
{
    return left / all * work + left % all * (1024 * work / all) / 1024;
}

/* Divides the remaining work in proportion to iterations; rounding to the last. */
static void dci_advance_share_work(const dci_advance *a)
{
    const dci_meter *meter = a->world->meter;
    uint64_t left = dci_meter_is_spent(meter) ? 0 : meter->body_max - meter->work, all = 0;
    for (dc_index i = 0; i < a->count; i++) all += dci_group_work(a->group + i);
    for (dc_index i = 0; i < a->count; i++) {
        dci_group *g = a->group + i;
        uint64_t work = dci_group_work(g), share = left;
        if (i + 1 < a->count) share = dci_work_share(left, work, all);
        left -= share;
        all -= work;
        g->share = *meter;
        g->share.is_unconverged = 0;
        if (!dci_meter_is_spent(meter)) g->share.body_max = meter->work + share;
        g->meter = &g->share;
    }
}

static int dci_group_ran_out(const dci_group *group)
{
    return group->status == DC_WORK_SPENT || group->share.is_unconverged;
}

/* Advances groups at the same time if there are threads. Else the first that fails is the last. */
static void dci_advance_together(dci_advance *a)
{
    const dc_world *world = a->world;
    if (world->parallel_for && a->count > 1) {
        world->parallel_for(world->parallel_context, a->count, dci_advance_group, a);
        return;
    }
    for (dc_index i = 0; i < a->count; i++) {
        dci_advance_group(a, i);
        if (a->group[i].status != DC_OK && !dci_group_ran_out(a->group + i)) return;
    }
}

static dc_status dci_group_conclude(const dci_group *group, dc_status status, dc_report *report,
                                    dc_error *error)
{
    report->substeps = dci_index_max(report->substeps, group->substeps);
    report->counters.released += group->released;
    return group->member[0]->kind->dynamics->conclude(group, status, report, error);
}

static dc_status dci_advance_run(dci_advance *a, dc_report *report, dc_error *error)
{
    dci_meter *meter = a->world->meter;
    uint64_t begun = meter->work;
    dc_status status = DC_OK;
    dci_advance_share_work(a);
    dci_advance_together(a);
    /* Whatever the order in which they ended, add them up in theirs. */
    for (dci_group *g = a->group; status == DC_OK && g < a->group + a->count; g++) {
        meter->work += g->share.work - begun;
        g->meter = meter;
        if (!dci_group_ran_out(g)) status = dci_group_conclude(g, g->status, report, error);
    }
    for (dci_group *g = a->group; status == DC_OK && g < a->group + a->count; g++) {
        if (!dci_group_ran_out(g)) continue;
        if (dci_meter_is_spent(meter)) {
            meter->is_unconverged |= g->share.is_unconverged;
        } else {
            (void)dci_group_conclude(g, DC_WORK_SPENT, report, NULL);
            g->is_repeat = 1;
            dci_advance_group(a, (dc_index)(g - a->group));
        }
        status = dci_group_conclude(g, g->status, report, error);
    }
    return status;
}

/* Candidates of the first `count` groups listed. Those that wait for others come after them. */
static dc_status dci_world_advance_listed(dc_world *world, dc_index count, const dci_span *span,
                                          dc_report *report, dc_error *error)
{
    dc_status status = DC_OK;
    dci_advance a = {world, span, NULL, 0};
    for (dc_index first = 0; status == DC_OK && first < count; first += a.count) {
        a.group = world->group + first;
        a.count = 1;
        while (first + a.count < count && !a.group[a.count].member[0]->waits) a.count++;
        status = dci_advance_run(&a, report, error);
    }
    return status;
}

static dc_status dci_world_advance_each(dc_world *world, const dci_span *span, dc_report *report,
                                        dc_error *error)
{
    dc_index i, count = 0;
    for (i = 0; i < world->moving_count; i++) {
        dci_group *g = world->group + count;
        if (world->member[i].is_off) continue;
        DC_MEMSET(g, 0, sizeof *g);
        g->only = world->member + i;
        g->member = &g->only;
        g->count = 1;
        count++;
    }
    return dci_world_advance_listed(world, count, span, report, error);
}

#ifndef DC_NO_COLLISIONS

/* ---- Collisions: planning ---- */

/* Allocates the surface of all bodies. `moving` gets the counts of those that move freely. */
static dc_status dci_world_layout_surface(dci_arena *arena, dc_world *world,
                                          const dc_world_desc *desc, dc_mesh *moving,
                                          dc_error *error)
{
    dci_surface *s = &world->surface;
    dc_mesh all;
    int64_t pairs = 0;
    DC_MEMSET(&all, 0, sizeof all);
    *moving = all;
    for (dc_index i = 0; i < world->member_count; i++) {
        dci_member *m = world->member + i;
        m->first = all.vertex_count;
        m->first_tie = s->tie_count;
        s->tie_count += m->tie_count;
        dci_mesh_add_counts(&all, m->surface);
        pairs += (int64_t)m->kind->collision->pairs_per_vertex * m->surface->vertex_count;
        if (m->kind->dynamics) *moving = all;
    }
    s->body_count = world->member_count;
    s->meter = world->meter;
    s->parallel_for = desc->parallel_for;
    s->parallel_context = desc->parallel_context;
    s->start_policy = desc->start;
    s->has_rows = 1;
    s->slack_fraction = DCI_SLACK_FRACTION;
    dci_surface_layout(arena, s, &all, desc->pair_capacity, pairs);
    s->tie = (dci_tie *)dci_arena_take(arena, s->tie_count, sizeof *s->tie);
    return arena->is_short ? dci_arena_fail(arena, error) : DC_OK;
}

/* They come after cloths. */
static int dci_world_has_ribbons(const dc_world *world)
{
    return !world->member[world->moving_count - 1].map;
}

static dc_status dci_world_build_collisions(dc_world *world, const dc_world_desc *desc,
                                            dci_arena *arena, dci_ledger *ledger, dc_error *error)
{
    dci_surface *s = &world->surface;
    dci_entered at = {0, 0, 0, 0};
    dc_mesh moving;
    world->halvings_max = desc->solver.halvings_max;
    world->round_max = desc->solver.round_max;
    for (dc_index i = 0; i < world->moving_count; i++)
        world->member[i].kind->collision->layout(world->member + i, desc, arena, ledger);
    dc_status status = dci_world_layout_surface(arena, world, desc, &moving, error);
    if (status != DC_OK) return status;
    for (dc_index i = 0; i < world->member_count; i++) {
        dci_member *m = world->member + i;
        status = m->kind->collision->enter(m, desc, s, &at, arena, error);
        if (status != DC_OK) return dci_in_body(error, status, m->body);
    }
    dci_surface_connect(s);
    if (DCI_HAS_GLOBAL && dci_world_has_ribbons(world))
        status = dci_global_make(s, &moving, arena, error);
    dci_ledger_note(ledger, arena, "collisions");
    return status;
}

/* ---- Collisions: step ---- */

static dc_status dci_world_collide(dc_world *world, const dci_span *span, dc_report *report,
                                   dc_error *error)
{
    dci_world_fill(world, DCI_CANDIDATE, span);
    world->surface.crossing_push_max =
        dci_min(DCI_CROSSING_PUSH_MAX, DCI_CROSSING_PUSH_SPEED * span->dt);
    return dci_collide(&world->surface, report, error);
}

static dc_status dci_world_follow_surface(dc_world *world, dc_real dt, dc_report *report,
                                          dc_error *error)
{
    for (dc_index i = 0; i < world->moving_count; i++) {
        dci_member *m = world->member + i;
        dc_status status = DC_OK;
        if (!m->is_off)
            status = m->kind->collision->follow_surface(m, &world->surface, dt, report, error);
        if (status != DC_OK) return dci_in_body(error, status, m->body);
    }
    return DC_OK;
}

/* Resets what is reported of collisions: each attempt at a part of a step reports anew. */
static void dci_report_reset(dc_report *report)
{
    report->unresolved = 0;
    report->first_unresolved = dci_feature_pair_none();
    report->contact_error = 0;
    report->pinched = 0;
    report->pinched_body = report->pinched_vertex = DC_NONE;
}

/* ---- Rows: planning and snapshot ---- */

/* A contact of the last step, and its force p'. */
typedef struct dci_warm_contact {
    dc_index vertex[4], next; /* next: in the list of a vertex                                   */
    unsigned char corner_count, is_recalled;
    dc_vec3 force;  /* [kg m]                                                                    */
    dc_real weight; /* [s^2] weight dt^2 that the force refers to                                */
} dci_warm_contact;

/* Contact constraints of a world, and the groups of bodies that they make. */
typedef struct dci_contacts {
    dci_contact_row *row;   /* (capacity)                                                       */
    dci_pull *pull;         /* of the first rows: all attachments and grabs                     */
    dc_vec3 *ribbons;       /* (capacity, none in a world without) as in dci_contact_rows       */
    dci_warm_contact *warm; /* (capacity)                                                       */
    dci_contact_body *body; /* (member_count)                                                   */
    dci_contact_rows *rows; /* (moving_count) of each group                                     */
    dci_contact_vertex *vertex; /* (at most those of cloths) in contact, group by group         */
    dci_member **member;    /* (moving_count)                                                   */
    dc_index *member_start; /* (moving_count + 1)                                               */
    dc_index *row_start;    /* (moving_count + 1)                                               */
    dc_index *by_group;     /* (moving_count) members, then (capacity) rows, by their groups    */
    dc_index *group_of;     /* likewise the group of each                                       */
    dc_index *parent;       /* (moving_count) union-find forest of bodies that touch            */
    dci_node_vectors node;  /* for a group of two or more cloths                                */
    dc_index count, needed; /* rows made, and rows needed: more if the capacity is too small    */
    dc_index warm_count, group_count, capacity, vertex_count;
} dci_contacts;

/* The default capacity per moving vertex. A sheet on a ball takes 1 row per vertex, a tightly
   twisted tube 2, a pile of several bodies 8, so worlds with several, or with ribbons, have room
   for this. A sheet that lies folded in two takes 5, without friction 9. */
enum { DCI_ROWS_PER_VERTEX = 4, DCI_ROWS_PER_VERTEX_IN_PILES = 8 };

static dc_index dci_world_row_capacity(const dc_world *world, dc_index capacity)
{
    int64_t rows = 0;
    if (!world->collides) return 0;
    if (capacity != DC_NONE) return capacity;
    for (dc_index i = 0; i < world->moving_count; i++) {
        const dci_member *m = world->member + i;
        int is_single = m->map && world->moving_count == 1;
        int64_t each = is_single ? DCI_ROWS_PER_VERTEX : DCI_ROWS_PER_VERTEX_IN_PILES;
        rows += each * m->surface->vertex_count;
    }
    return rows < DCI_COUNT_MAX ? (dc_index)rows : DCI_COUNT_MAX;
}

static dc_status dci_world_build_contact(dc_world *world, const dc_world_desc *desc,
                                         dci_arena *arena, dci_ledger *ledger, dc_error *error)
{
    dci_contacts *contacts, counts;
    dc_index i, n = world->moving_count, bodies = 0, nodes = 0, vertices = 0, pulls = 0;
    int has_ribbons = desc->collides && dci_world_has_ribbons(world);
    dc_status status = DC_OK;
    world->collides = desc->collides != 0;
    if (world->collides) status = dci_world_build_collisions(world, desc, arena, ledger, error);
    if (status != DC_OK) return status;
    DC_MEMSET(&counts, 0, sizeof counts);
    for (i = 0; i < n; i++) {
        const dci_member *m = world->member + i;
        if (m->grabs) vertices += m->grabs->capacity;
        if (m->grabs) pulls += m->grabs->capacity;
        if (!world->collides) continue;
        pulls += m->tie_count;
        if (!m->map) continue;
        nodes += m->map->column_count;
        vertices += m->map->row_count;
        bodies++;
    }
    counts.capacity = pulls + dci_world_row_capacity(world, desc->row_capacity);
    if (counts.capacity == 0 && !world->collides) return DC_OK;
    if (bodies < 2) nodes = 0;
    contacts = (dci_contacts *)dci_arena_take(arena, 1, sizeof counts);
    counts.row = (dci_contact_row *)dci_arena_take(arena, counts.capacity, sizeof *counts.row);
    counts.pull = (dci_pull *)dci_arena_take(arena, pulls, sizeof *counts.pull);
    counts.ribbons = dci_arena_vectors(arena, has_ribbons ? counts.capacity : 0);
    counts.warm = (dci_warm_contact *)dci_arena_take(arena, counts.capacity, sizeof *counts.warm);
    counts.body =
        (dci_contact_body *)dci_arena_take(arena, world->member_count, sizeof *counts.body);
    counts.rows = (dci_contact_rows *)dci_arena_take(arena, n, sizeof *counts.rows);
    counts.vertex = (dci_contact_vertex *)dci_arena_take(arena, vertices, sizeof *counts.vertex);
    counts.member = (dci_member **)dci_arena_take(arena, n, sizeof *counts.member);
    counts.member_start = dci_arena_indices(arena, n + 1);
    counts.row_start = dci_arena_indices(arena, n + 1);
    counts.by_group = dci_arena_indices(arena, n + counts.capacity);
    counts.group_of = dci_arena_indices(arena, n + counts.capacity);
    counts.parent = dci_arena_indices(arena, n);
    counts.node.step = dci_arena_vectors(arena, nodes);
    counts.node.work = dci_arena_vectors(arena, nodes);
    counts.node.mobility = dci_arena_reals(arena, nodes);
    counts.node.residual = (dc_vec3 *)dci_arena_take(arena, nodes, 4 * sizeof(dc_vec3));
    for (i = 0; i < n; i++) {
        const dc_sparse *map = world->member[i].map;
        dc_index count = map && world->collides ? map->row_count : 0;
        dc_index *place = dci_arena_indices(arena, count);
        if (arena->is_short) continue;
        counts.rows[i].is_real_time = desc->quality == DC_REAL_TIME;
        counts.body[i].vertex = map;
        counts.body[i].first_vertex = world->member[i].first;
        dci_index_fill(place, count, DC_NONE);
        if (count > 0) counts.body[i].place = place;
    }
    if (arena->is_short) return dci_arena_fail(arena, error);
    if (!has_ribbons) counts.ribbons = NULL;
    *contacts = counts;
    world->contacts = contacts;
    world->contact_bytes = (size_t)contacts->capacity * sizeof(dci_warm_contact);
    dci_ledger_note(ledger, arena, "contact rows");
    return DC_OK;
}

static void dci_contacts_walk(dci_snapshot *s, dc_world *world)
{
    dci_contacts *contacts = world->contacts;
    const char *name = "forces of contact constraints";
    dc_index count = dci_snapshot_index(s, "number of contact constraints", 0,
                                        &contacts->warm_count, 0, contacts->capacity + 1);
    for (dc_index i = 0; i < count; i++) {
        dci_warm_contact *warm = contacts->warm + i;
        dc_index corners = warm->corner_count;
        for (dc_index k = 0; k < 4; k++)
            dci_snapshot_index(s, name, i, warm->vertex + k, 0, world->surface.vertex_count);
        dci_snapshot_index(s, name, i, &corners, 3, 5);
        if (s->mode == DCI_SNAPSHOT_READ) warm->corner_count = (unsigned char)corners;
        dci_snapshot_real(s, name, i, &warm->weight);
        dci_snapshot_vector(s, name, i, &warm->force);
    }
}

/* ---- Rows of contacts ---- */

#define DCI_CROSSING_TIME DCI_R(0.5)    /* [s] in which crossings are moved by a mean edge */
#define DCI_CONTACT_ROW_NEAR DCI_R(1.1) /* thicknesses: pairs closer now or soon get a row      */
#define DCI_CONTACT_ROW_FAR 2 /* thicknesses: beyond this distance the normal is uncertain */
#define DCI_CONTACT_ROW_SAME_SIDE DCI_R(0.5) /* least cosine between two normals of a contact */
#define DCI_CONTACT_ROW_CLOSE DCI_R(0.01)    /* thicknesses above h of (34.1): a new row */

/* The part of y_known of (21.1) that a spinning surface adds during the whole step. */
static dc_vec3 dci_contact_row_spin(const dci_surface *s, const dci_pair *pair, dc_vec3 normal,
                                    dc_real dt)
{
    dc_vec3 sum = dci_vec(0, 0, 0), turn; /* separate: see dci_contact_motion() */
    for (dc_index i = 0; i < 4; i += 3) {
        const dci_body *body = s->body + s->body_of[pair->vertex[i]];
        if (!body->is_obstacle) continue;
        turn = dci_cross(body->spin_rate, normal);
        sum = dci_vec_axpy(sum, -body->radius * dt, turn);
    }
    return sum;
}

/* `least` of (21.2). While settling, features too close are not parted: that would be motion. */
static dc_real dci_world_least(const dc_world *world, const dci_pair *pair, dc_real distance)
{
    const dci_surface *s = &world->surface;
    dc_real least = dci_pair_thickness(s, pair) + dci_pair_radii(s, pair);
    dc_real deficit = dci_max(0, least - distance), dt = world->part.dt;
    return world->is_settling ? least - deficit
                              : least - deficit / (1 + DCI_CONTACT_ROW_PARTING * dt);
}

static dci_contact_row dci_world_contact_row(const dc_world *world, const dci_pair *pair,
                                             const dci_contact *contact)
{
    const dci_surface *s = &world->surface;
    const dci_span *span = &world->part;
    dci_contact_row row;
    DC_MEMSET(&row, 0, sizeof row);
    row.corner_count = pair->corner_count;
    row.normal = contact->normal;
    row.least = dci_world_least(world, pair, contact->distance);
    row.thickness = dci_pair_thickness(s, pair);
    row.friction = dci_pair_friction(s, pair);
    row.compliance = dci_contact_compliance(s, pair, contact);
    for (dc_index i = 0; i < 4; i++) {
        dc_index v = pair->vertex[i], own = dci_surface_in_body(s, v);
        const dci_member *m = world->member + s->body_of[v];
        int side = dci_contact_row_side(&row, i);
        row.vertex[i] = v;
        row.body[side] = s->body_of[v];
        row.factor[i] = contact->factor[i];
        row.is_free[side] = m->kind->dynamics != NULL;
        if (m->kind->dynamics && !m->map)
            row.ribbon_compliance += row.factor[i] * row.factor[i] * s->inv_mass[v];
        if (m->kind->dynamics) continue;
        row.known[0] = dci_vec_axpy(row.known[0], row.factor[i], m->kind->next(m, own, 0));
        row.known[1] = dci_vec_axpy(row.known[1], row.factor[i], m->kind->next(m, own, 1));
    }
    row.known[1] =
        dci_vec_add(row.known[1], dci_contact_row_spin(s, pair, contact->normal,
                                                       span->dt / (span->to - span->from)));
    return row;
}

static int dci_contact_keeps_side(const dci_contact *start, const dci_contact *end)
{
    return dci_dot(start->normal, end->normal) > DCI_CONTACT_ROW_SAME_SIDE;
}

/* Whether features are close at the start, or will be if they move on along the normal. */
static int dci_contact_is_near(const dci_surface *s, const dci_pair *pair, const dci_contact *start)
{
    dc_real gap = start->distance - dci_pair_radii(s, pair);
    dc_real apart = dci_dot(dci_contact_motion(s, pair, start), start->normal);
    return gap + dci_min(apart, 0) < DCI_CONTACT_ROW_NEAR * dci_pair_thickness(s, pair);
}

/* Whether triangles or edges are close at the predicted end: neighbours may slide there. */
static int dci_contact_arrives(const dci_surface *s, const dci_pair *pair, const dci_contact *end)
{
    return dci_pair_has_cones(s, pair) && end->distance > 0 &&
           end->distance < DCI_CONTACT_ROW_NEAR * dci_pair_thickness(s, pair);
}

/* Whether a pair is in contact, or will be soon. Finds the contact at the predicted end, with the
   distance at the start, which `least` needs. Where cloth slides over a round body at speed v, the
   normal turns by v dt / radius, and a force along the initial normal would brake. Nor does a
   border brake where another piece continues it: it is as far away along the final normal as the
   cloth that slides past. If the pair would change sides, the contact is that at the start. */
static int dci_pair_needs_row(const dci_surface *s, const dci_pair *pair, dci_contact *contact)
{
    dc_real reach = dci_pair_radii(s, pair) + DCI_CONTACT_ROW_FAR * dci_pair_thickness(s, pair);
    dci_contact start;
    int is_near, arrives, has_end;
    if (pair->is_crossed || !dci_pair_nearest(pair, s->start, &start)) return 0;
    has_end = dci_pair_nearest(pair, s->end, contact);
    is_near = !(start.distance > reach) && !dci_contact_is_at_end(pair, &start);
    arrives =
        has_end && dci_contact_arrives(s, pair, contact) && !dci_contact_is_at_end(pair, contact);
    if (!is_near && !arrives) return 0; /* as for most pairs */
    dci_contact_limit(s, pair, s->start, &start);
    if (has_end) dci_contact_limit(s, pair, s->end, contact);
    is_near = is_near && !start.is_beside && dci_contact_is_near(s, pair, &start);
    if (has_end && dci_contact_keeps_side(&start, contact)) {
        is_near |= arrives;
        contact->distance = start.distance;
    } else {
        *contact = start;
    }
    return is_near && !contact->is_beside && dci_contact_compliance(s, pair, contact) > 0;
}

/* Whether candidates take a vertex through a triangle, or an edge through an edge, not past a side
   or an end. Finds their contact when they touch, chapter 35, in the cones of the start. A ribbon
   that meets itself is left to the stages: with that many rows its step does not converge. */
static int dci_pair_passes(const dci_surface *s, const dci_pair *pair, dci_contact *contact)
{
    dc_index inside = pair->corner_count == 3 ? 3 : 2;
    const dc_index *body = s->body_of;
    if (body[pair->vertex[0]] == body[pair->vertex[3]] && s->body[body[pair->vertex[0]]].is_ribbon)
        return 0;
    if (!dci_pair_has_cones(s, pair) || dci_pair_is_clear(s, pair, contact)) return 0;
    dci_contact_limit(s, pair, s->start, contact);
    return dci_contact_touched(pair, contact, 0).count == dci_first_count(pair->corner_count) &&
           dci_contact_touched(pair, contact, 1).count == inside;
}

/* DCI_PASSES_FROM_BESIDE: the pair would pass, but at the start others made the contact. */
typedef enum dci_closeness { DCI_APART, DCI_TOO_CLOSE, DCI_PASSES_FROM_BESIDE } dci_closeness;

/* Too close is where the stages may push a pair apart. Finds the contact at the end, but with the
   distance at the start, which `least` needs. */
static dci_closeness dci_pair_closeness(const dci_surface *s, const dci_pair *pair,
                                        dci_contact *contact)
{
    dc_real apart = dci_pair_radii(s, pair) + DCI_CONTACT_ROW_CLOSE * dci_pair_thickness(s, pair);
    dci_contact start;
    int is_apart, is_close, keeps_side;
    if (pair->is_crossed || !dci_pair_nearest(pair, s->start, &start)) return DCI_APART;
    is_apart = dci_pair_nearest(pair, s->end, contact);
    is_close = is_apart && contact->distance - apart < dci_repel_thickness(s, pair, DCI_REAL_MAX);
    if (is_apart && !is_close && dci_contact_keeps_side(&start, contact))
        return DCI_APART; /* as most are */
    dci_contact_limit(s, pair, s->start, &start);
    if (is_apart) dci_contact_limit(s, pair, s->end, contact);
    keeps_side = is_apart && dci_contact_keeps_side(&start, contact);
    if (keeps_side)
        is_close = !contact->is_beside &&
                   contact->distance - apart <
                       dci_repel_thickness(s, pair, start.distance - dci_pair_radii(s, pair));
    else
        is_close = dci_pair_passes(s, pair, contact);
    contact->distance = start.distance;
    if (!is_close || !(dci_contact_compliance(s, pair, contact) > 0)) return DCI_APART;
    return !keeps_side && start.is_beside ? DCI_PASSES_FROM_BESIDE : DCI_TOO_CLOSE;
}

/* The vertex by which a contact of the last step is listed: the first that moves freely. */
static dc_index dci_world_listing_vertex(const dc_world *world, const dc_index vertex[4])
{
    const dci_surface *s = &world->surface;
    return s->body[s->body_of[vertex[0]]].is_obstacle ? vertex[3] : vertex[0];
}

static void dci_world_list_warm_contacts(const dc_world *world)
{
    dci_contacts *contacts = world->contacts;
    dc_index i, *first_warm = world->surface.first_warm;
    dci_index_fill(first_warm, world->surface.vertex_count, DC_NONE);
    for (i = 0; i < contacts->warm_count; i++) {
        dc_index v = dci_world_listing_vertex(world, contacts->warm[i].vertex);
        contacts->warm[i].next = first_warm[v];
        contacts->warm[i].is_recalled = 0;
        first_warm[v] = i;
    }
}

/* Adds up the last forces of a row's pair; or those on its vertex that push along n and that no row
   has recalled: a vertex that slides passes them on from one triangle to the next. */
static void dci_world_recall(const dc_world *world, dci_contact_row *row, int is_passed_on)
{
    const dci_contacts *contacts = world->contacts;
    dc_index warm = world->surface.first_warm[dci_world_listing_vertex(world, row->vertex)];
    for (; warm != DC_NONE; warm = contacts->warm[warm].next) {
        dci_warm_contact *last = contacts->warm + warm;
        int is_same = is_passed_on ? last->vertex[0] == row->vertex[0] && !last->is_recalled &&
                                         dci_dot(last->force, row->normal) > 0
                                   : dci_are_vertices_same(last->vertex, row->vertex);
        if (!is_same || last->corner_count != row->corner_count) continue;
        last->is_recalled = 1;
        row->force = dci_vec_add(row->force, last->force);
        row->weight = last->weight; /* the group's: the same for all */
    }
}

/* Lists the members of each group, the bodies in one tree of `parent`, and finds where each of them
   begins in the group's vectors. */
static void dci_world_list_members(const dc_world *world)
{
    dci_contacts *contacts = world->contacts;
    dc_index *group_of = contacts->group_of, i, g;
    contacts->group_count = 0;
    for (i = 0; i < world->moving_count; i++) {
        dc_index root = dci_index_root(contacts->parent, i); /* the lowest number: it comes first */
        group_of[i] = root == i ? contacts->group_count++ : group_of[root];
    }
    dci_index_star(contacts->group_count, group_of, world->moving_count, 1, contacts->member_start,
                   contacts->by_group);
    for (i = 0; i < world->moving_count; i++)
        contacts->member[i] = world->member + contacts->by_group[i];
    for (g = 0; g < contacts->group_count; g++) {
        dc_index first_node = 0;
        for (i = contacts->member_start[g]; i < contacts->member_start[g + 1]; i++) {
            dci_contact_body *body = contacts->body + contacts->by_group[i];
            body->first_node = first_node;
            if (body->vertex) first_node += body->vertex->column_count;
        }
    }
}

/* Lists the vertices of cloths in a row. If bodies do not collide, each has one row, its grab. */
static void dci_contact_row_list_vertices(dci_contact_rows *rows, dci_contact_row *row)
{
    for (dc_index i = 0; i < 4; i++) {
        int side = dci_contact_row_side(row, i);
        const dci_contact_body *body = rows->body + row->body[side];
        dc_index own = row->vertex[i] - body->first_vertex, place;
        row->place[i] = DC_NONE;
        if (!row->is_free[side] || !body->vertex) continue;
        place = body->place ? body->place[own] : DC_NONE;
        if (place == DC_NONE) {
            place = rows->vertex_count++;
            rows->vertex[place].body = body;
            rows->vertex[place].number = own;
            rows->vertex[place].push = dci_vec(0, 0, 0);
            if (body->place) body->place[own] = place;
        }
        row->place[i] = place;
    }
}

static void dci_world_list_rows(const dc_world *world)
{
    dci_contacts *contacts = world->contacts;
    const dc_index *group_of = contacts->group_of;
    dc_index *of_row = contacts->group_of + world->moving_count, i, g;
    dc_index *by_group = contacts->by_group + world->moving_count;
    for (i = 0; i < contacts->vertex_count; i++) {
        const dci_contact_vertex *v = contacts->vertex + i;
        if (v->body->place) v->body->place[v->number] = DC_NONE;
    }
    contacts->vertex_count = 0;
    for (i = 0; i < contacts->count; i++) {
        const dci_contact_row *row = contacts->row + i;
        of_row[i] = group_of[row->body[!row->is_free[0]]];
        if (contacts->ribbons) contacts->ribbons[i] = dci_vec(0, 0, 0);
    }
    dci_index_star(contacts->group_count, of_row, contacts->count, 1, contacts->row_start, by_group);
    for (g = 0; g < contacts->group_count; g++) {
        dci_contact_rows *rows = contacts->rows + g;
        rows->row = contacts->row;
        rows->ribbons = contacts->ribbons;
        rows->list = by_group + contacts->row_start[g];
        rows->count = contacts->row_start[g + 1] - contacts->row_start[g];
        rows->body = contacts->body;
        rows->vertex = contacts->vertex + contacts->vertex_count;
        rows->vertex_count = 0;
        for (i = 0; i < rows->count; i++)
            dci_contact_row_list_vertices(rows, dci_contact_row_at(rows, i));
        contacts->vertex_count += rows->vertex_count;
    }
}

/* Returns NULL if there are too many. */
static dci_contact_row *dci_world_add_row(dc_world *world, const dci_pair *pair,
                                          const dci_contact *contact)
{
    dci_contacts *contacts = world->contacts;
    contacts->needed++;
    if (contacts->count == contacts->capacity) return NULL;
    dci_contact_row *row = contacts->row + contacts->count++;
    *row = dci_world_contact_row(world, pair, contact);
    if (row->is_free[0] && row->is_free[1])
        dci_index_unite(contacts->parent, row->body[0], row->body[1]);
    return row;
}

static void dci_world_list_groups(const dc_world *world)
{
    dci_world_list_members(world);
    dci_world_list_rows(world);
}

/* Makes a row that moves the wrong end of an edge out of the triangle that the edge pierces, unless
   one of the rows from `first` on does. */
static void dci_world_add_parting_row(dc_world *world, const dci_crossing *crossing,
                                      const dci_parting *parting, dc_index first)
{
    const dci_surface *s = &world->surface;
    const dci_contacts *contacts = world->contacts;
    dci_pair pair = dci_pair_of(s, crossing->vertex + parting->wrong, 1, crossing->vertex + 2);
    dci_contact contact;
    for (; first < contacts->count; first++)
        if (dci_are_vertices_same(contacts->row[first].vertex, pair.vertex)) return;
    if (!dci_pair_nearest(&pair, s->start, &contact)) return;
    contact.normal = dci_vec_scale(-1, parting->normal);
    contact.distance = parting->height[parting->wrong];
    if (!(dci_contact_compliance(s, &pair, &contact) > 0)) return;
    dci_contact_row *row = dci_world_add_row(world, &pair, &contact);
    if (!row) return;
    row->friction = 0;
    row->least = dci_min(dci_pair_thickness(s, &pair),
                         contact.distance + world->part.dt * s->free_edge / DCI_CROSSING_TIME);
}

static void dci_world_add_parting_rows(dc_world *world)
{
    dci_surface *s = &world->surface;
    dci_crossings at = {s->start, 0, 0, 0, 0, 0};
    dci_crossing crossing;
    dci_parting parting;
    dc_index triangle = DC_NONE, first = 0;
    dci_crossings_divide(s);
    dci_crossings_find_centres(s);
    while (dci_crossings_next(s, &at, &crossing)) {
        if (crossing.edge == DC_NONE || !dci_crossing_parting(s, &crossing, &parting)) continue;
        if (parting.wrong == DCI_WRONG_BOTH) continue;
        if (at.triangle != triangle) first = world->contacts->count;
        triangle = at.triangle;
        dci_world_add_parting_row(world, &crossing, &parting, first);
    }
}

#define DCI_TIE_RATE DCI_R(30) /* [1/s] at which distances of attached points decay */

static dci_pull *dci_contacts_pull(const dci_contacts *contacts, dci_contact_row *row,
                                   dc_real stiffness)
{
    row->own.pull = contacts->pull + (row - contacts->row);
    DC_MEMSET(row->own.pull, 0, sizeof *row->own.pull);
    for (int i = 0; i < 3; i++) row->own.pull->stiffness[i] = dci_vec_along(i, stiffness);
    return row->own.pull;
}

static void dci_world_add_tie(dc_world *world, dci_tie *tie)
{
    const dci_surface *s = &world->surface;
    const dci_span *span = &world->part;
    dci_pair pair = dci_pair_of(s, tie->vertex, 1, tie->vertex + 1);
    dci_contact contact;
    DC_MEMSET(&contact, 0, sizeof contact);
    for (dc_index i = 0; i < 4; i++) contact.factor[i] = i > 0 ? tie->weight[i - 1] : DCI_R(-1);
    dc_vec3 off = dci_contact_between(&pair, &contact, s->start);
    dci_contact_row *row = dci_world_add_row(world, &pair, &contact);
    row->kind = tie->spring > 0 ? DCI_ROW_SPRING : DCI_ROW_TIE;
    dci_contacts_pull(world->contacts, row, tie->spring)->attachment = tie->attachment;
    row->thickness = tie->tolerance / DCI_CONTACT_ROW_TOL_MIN;
    row->force = tie->force;
    row->weight = 1;
    if (row->kind == DCI_ROW_SPRING) return;
    /* y_known is -off where the span begins, and what remains of that where it ends. */
    dc_real left = 1 / (1 + DCI_TIE_RATE * span->dt);
    dc_real slope = (1 - left) / (span->to - span->from);
    row->known[0] = dci_vec_scale(-1 - slope * span->from, off);
    row->known[1] = dci_vec_scale(slope * (1 - span->from) - 1, off);
}

static void dci_contacts_add_grab(dci_contacts *contacts, dc_index body, dci_grab *grab,
                                  dc_real force_max)
{
    dci_contact_row *row = contacts->row + contacts->count++;
    DC_MEMSET(row, 0, sizeof *row);
    row->body[0] = row->body[1] = body;
    row->is_free[0] = 1;
    row->vertex[0] = contacts->body[body].first_vertex + grab->vertex;
    row->factor[0] = 1;
    row->known[0] = dci_vec_scale(-1, grab->start);
    row->known[1] = dci_vec_scale(-1, grab->target);
    dci_contacts_pull(contacts, row, 1 / grab->compliance)->force_max = force_max;
    row->kind = DCI_ROW_GRAB;
    row->corner_count = 3;
    contacts->needed++;
}

static void dci_world_begin_rows(dc_world *world, const dci_span *span)
{
    dci_contacts *contacts = world->contacts;
    world->part = *span;
    contacts->count = contacts->needed = 0;
    for (dc_index i = 0; i < world->moving_count; i++) {
        const dci_grabs *grabs = world->member[i].is_off ? NULL : world->member[i].grabs;
        contacts->parent[i] = i;
        for (dc_index k = 0; grabs && k < grabs->capacity; k++)
            if (grabs->grab[k].vertex != DC_NONE)
                dci_contacts_add_grab(contacts, i, grabs->grab + k, grabs->force_max);
    }
}

/* ---- Rows of contacts that roll ---- */

/* The least sin^2 in (21.11). */
#define DCI_ROLLING_SINE_SQ_MIN DCI_R(0.1)

/* Adds (21.11) for a direction in which the feature's weights change by the factors [1/m]. */
static void dci_world_add_rolling(dc_world *world, const dci_pair *pair, const dci_contact *contact,
                                  dc_real rolling)
{
    const dci_surface *s = &world->surface;
    const dci_span *span = &world->part;
    dc_real slope = 1 / (span->to - span->from);
    dci_contact_row *row = dci_world_add_row(world, pair, contact);
    if (!row) return;
    row->kind = DCI_ROW_ROLLING;
    row->own.rolling = rolling;
    row->least = 0;
    /* y_known is minus the predicted slope, which changes linearly. */
    for (dc_index k = 0; k < 2; k++) {
        dc_real part = slope * ((dc_real)k - span->from);
        row->known[k] = dci_vec(0, 0, 0);
        for (dc_index i = 0; i < 4; i++) {
            dc_vec3 from = s->start[pair->vertex[i]], to = s->end[pair->vertex[i]];
            dc_vec3 place = dci_vec_axpy(from, part, dci_vec_sub(to, from));
            row->known[k] = dci_vec_axpy(row->known[k], -contact->factor[i], place);
        }
    }
}

/* Adds (21.11) for a triangle, along its first side and across. */
static void dci_world_add_rolling_triangle(dc_world *world, const dci_pair *pair,
                                           dci_contact *contact, dc_real rolling)
{
    dc_vec3 x[3], side, across, plane;
    dc_real twice_area, *rate = contact->factor;
    for (int c = 0; c < 3; c++) x[c] = world->surface.end[pair->vertex[1 + c]];
    side = dci_vec_sub(x[1], x[0]);
    plane = dci_cross(side, dci_vec_sub(x[2], x[0]));
    twice_area = dci_norm(plane);
    if (!(twice_area > 0)) return;
    plane = dci_vec_scale(1 / twice_area, plane);
    side = dci_vec_scale(1 / dci_norm(side), side);
    across = dci_cross(plane, side);
    for (int k = 0; k < 2; k++) {
        for (int c = 0; c < 3; c++) {
            dc_vec3 opposite = dci_vec_sub(x[dci_corner_prev(c)], x[dci_corner_next(c)]);
            rate[1 + c] = dci_dot(dci_cross(plane, opposite), k ? across : side) / twice_area;
        }
        dci_world_add_rolling(world, pair, contact, rolling);
    }
}

/* Adds (21.11) for the edge from corner a to corner b. */
static void dci_world_add_rolling_edge(dc_world *world, const dci_pair *pair, dci_contact *contact,
                                       int a, int b, dc_real rolling)
{
    const dc_vec3 *x = world->surface.end;
    const dc_index *v = pair->vertex;
    dc_vec3 edge = dci_vec_sub(x[v[b]], x[v[a]]), axis = dci_vec(0, 0, 0);
    dc_real length_sq = dci_dot(edge, edge), axis_sq, cosine;
    if (!(length_sq > 0)) return;
    if (pair->corner_count == 4) axis = dci_vec_sub(x[v[(a + 3) % 4]], x[v[(a + 2) % 4]]);
    axis_sq = dci_dot(axis, axis);
    cosine = dci_dot(edge, axis);
    if (axis_sq > 0)
        rolling /= dci_max(DCI_ROLLING_SINE_SQ_MIN, 1 - cosine * cosine / (length_sq * axis_sq));
    contact->factor[b] = 1 / DC_SQRT(length_sq);
    contact->factor[a] = -contact->factor[b];
    dci_world_add_rolling(world, pair, contact, rolling);
}

/* Adds (21.11) for a contact with a round body that had a force in the last step. */
static void dci_world_add_rolling_rows(dc_world *world, const dci_pair *pair,
                                       const dci_contact *contact)
{
    dci_contact_row last = dci_world_contact_row(world, pair, contact);
    dci_contact change;
    int corner[4], count = 0, i;
    dci_world_recall(world, &last, 0);
    dc_real rolling = dci_dot(last.force, last.normal) * contact->distance;
    if (!(rolling > 0)) return;
    rolling /= last.weight;
    for (i = 0; i < 4; i++)
        if (last.is_free[dci_contact_row_side(&last, i)] && contact->factor[i] != 0)
            corner[count++] = i;
    DC_MEMSET(&change, 0, sizeof change);
    change.normal = last.normal;
    if (count == 3)
        dci_world_add_rolling_triangle(world, pair, &change, rolling);
    else if (count == 2)
        dci_world_add_rolling_edge(world, pair, &change, corner[0], corner[1], rolling);
}

/* Makes groups, and rows for all contacts of the predicted motion, with their last forces. */
static void dci_world_make_rows(dc_world *world)
{
    dci_surface *s = &world->surface;
    dci_world_list_warm_contacts(world);
    for (dc_index i = 0; i < s->tie_count; i++)
        if (s->tie[i].is_active) dci_world_add_tie(world, s->tie + i);
    for (dc_index i = 0; i < s->pair_count; i++) {
        const dci_pair *pair = s->pair + i;
        dci_contact contact;
        if (!(dci_pair_radii(s, pair) > 0)) continue;
        if (dci_pair_needs_row(s, pair, &contact))
            dci_world_add_rolling_rows(world, pair, &contact);
    }
    for (dc_index i = 0; i < s->pair_count; i++) {
        dci_pair *pair = s->pair + i;
        dci_contact contact;
        pair->is_unconstrained = 0;
        if (!dci_pair_needs_row(s, pair, &contact)) continue;
        dci_contact_row *row = dci_world_add_row(world, pair, &contact);
        pair->is_unconstrained = row == NULL;
        if (row) dci_world_recall(world, row, 0);
    }
    for (dc_index i = 0; i < world->contacts->count; i++) {
        dci_contact_row *row = world->contacts->row + i;
        if (row->corner_count == 3 && dci_contact_row_is_contact(row))
            dci_world_recall(world, row, 1);
    }
    if (s->may_cross && s->start_policy == DC_START_SEPARATE) dci_world_add_parting_rows(world);
    dci_world_list_groups(world);
}

/* ---- Pinched cloth ---- */

/* Sweeps of (48.1) without yield; for a stack of five they reduce the shortage to a hundredth. Then
   sweeps that distribute it: each leaves a quarter of the error. */
enum { DCI_PINCH_SWEEPS = 16, DCI_PINCH_SHARE_SWEEPS = 8 };
/* The part of the thickness that remains: ten times what the stages keep, (32.3). */
#define DCI_PINCH_LEAST DCI_R(0.1)

/* `lack` of (48.1) [m]; `push` moves the free vertices. */
static dc_real dci_pinch_lack(const dci_surface *s, const dci_contact_row *row)
{
    dc_vec3 y = dci_vec(0, 0, 0);
    for (dc_index i = 0; i < 4; i++) {
        dc_index v = row->vertex[i];
        dc_vec3 x = s->inv_mass[v] > 0 ? dci_vec_add(s->start[v], s->push[v]) : s->end[v];
        y = dci_vec_axpy(y, row->factor[i], x);
    }
    return row->least - dci_dot(y, row->normal);
}

/* (48.1) for a row; returns its lack before. */
static dc_real dci_pinch_relax(dci_surface *s, dci_contact_row *row, dc_real yield)
{
    dc_real lack = dci_pinch_lack(s, row), before = row->own.pinch, change, sum = 0;
    for (dc_index i = 0; i < 4; i++)
        if (s->inv_mass[row->vertex[i]] > 0) sum += row->factor[i] * row->factor[i];
    change = (lack - yield * sum * before) / ((1 + yield) * sum);
    row->own.pinch = dci_max(0, before + change); /* (48.1) */
    for (dc_index i = 0; i < 4; i++) {
        dc_index v = row->vertex[i];
        dc_real part = row->factor[i] * (row->own.pinch - before);
        if (s->inv_mass[v] > 0) s->push[v] = dci_vec_axpy(s->push[v], part, row->normal);
    }
    return lack;
}

static int dci_pinch_is_short(const dci_contact_row *row, dc_real lack)
{
    return lack > DCI_CONTACT_ROW_TOL_MIN * row->thickness;
}

/* Sweeps (48.1) back and forth until no row is short. Returns whether some still are. */
static int dci_pinch_sweep(dci_surface *s, const dci_contact_rows *rows, dc_index sweeps,
                           dc_real yield)
{
    int is_short = 1;
    for (dc_index i = 0; i < rows->count; i++) dci_contact_row_at(rows, i)->own.pinch = 0;
    for (dc_index sweep = 0; is_short && sweep < sweeps; sweep++) {
        dci_meter_add(s->meter, rows->count, DCI_WORK_NEAR);
        is_short = 0;
        for (dc_index i = 0; i < rows->count; i++) {
            dci_contact_row *row = dci_contact_row_at(rows, sweep % 2 ? rows->count - 1 - i : i);
            is_short |= dci_pinch_is_short(row, dci_pinch_relax(s, row, yield));
        }
    }
    return is_short;
}

/* How much less than the thickness a row requires [m]. */
static dc_real dci_pinch_reduction(const dci_surface *s, const dci_contact_row *row)
{
    return row->thickness + s->body[row->body[0]].radius + s->body[row->body[1]].radius -
           row->least;
}

/* Lowers `least` by what rows still lack. Returns the most reduced row, or NULL. */
static const dci_contact_row *dci_pinch_lower(const dci_surface *s, const dci_contact_rows *rows)
{
    const dci_contact_row *worst = NULL;
    for (dc_index i = 0; i < rows->count; i++) {
        dci_contact_row *row = dci_contact_row_at(rows, i);
        dc_real lack = dci_pinch_lack(s, row), rest;
        if (!dci_pinch_is_short(row, lack)) continue;
        rest = (1 - DCI_PINCH_LEAST) * row->thickness - dci_pinch_reduction(s, row);
        row->least -= dci_max(0, dci_min(lack, rest));
        row->kind = DCI_ROW_PINCHED;
        if (!worst || dci_pinch_reduction(s, row) > dci_pinch_reduction(s, worst)) worst = row;
    }
    return worst;
}

/* The corner of a row with the largest factor, among vertices of cloths; DC_NONE without any. */
static dc_index dci_pinch_corner(const dc_world *world, const dci_contact_row *row)
{
    dc_index i, corner = DC_NONE;
    for (i = 0; i < 4; i++) {
        if (!world->member[row->body[dci_contact_row_side(row, i)]].map) continue;
        if (corner == DC_NONE || dci_abs(row->factor[i]) > dci_abs(row->factor[corner])) corner = i;
    }
    return corner;
}

/* Reports a corner of the most reduced row, and the reductions on both sides of it. */
static void dci_pinch_report(const dc_world *world, const dci_contact_rows *rows,
                             const dci_contact_row *worst, dc_report *report)
{
    const dci_surface *s = &world->surface;
    dc_index corner = dci_pinch_corner(world, worst), i, k;
    dc_real opposite = 0, missing;
    if (corner == DC_NONE) return;
    for (i = 0; i < rows->count; i++) {
        const dci_contact_row *row = dci_contact_row_at(rows, i);
        dc_real side = dci_dot(row->normal, worst->normal) * worst->factor[corner];
        for (k = 0; k < 4; k++)
            if (row->vertex[k] == worst->vertex[corner] && side * row->factor[k] < 0)
                opposite = dci_max(opposite, dci_pinch_reduction(s, row));
    }
    missing = dci_pinch_reduction(s, worst) + opposite;
    if (!(missing > report->pinched)) return;
    report->pinched = missing;
    report->pinched_body = worst->body[dci_contact_row_side(worst, corner)];
    report->pinched_vertex = dci_surface_in_body(s, worst->vertex[corner]);
}

/* Does nothing if surfaces may cross, because rows that lead out may contradict others. */
static void dci_world_find_pinched(dc_world *world, dc_report *report)
{
    dci_surface *s = &world->surface;
    if (s->may_cross) return;
    for (dc_index i = 0; i < s->vertex_count; i++) s->push[i] = dci_vec(0, 0, 0);
    for (dc_index g = 0; g < world->contacts->group_count; g++) {
        const dci_contact_rows rows = dci_contact_rows_of_contacts(world->contacts->rows + g);
        if (dci_contact_rows_are_internal(&rows)) continue;
        if (!dci_pinch_sweep(s, &rows, DCI_PINCH_SWEEPS, 0)) continue;
        (void)dci_pinch_sweep(s, &rows, DCI_PINCH_SHARE_SWEEPS, 1);
        const dci_contact_row *worst = dci_pinch_lower(s, &rows);
        if (worst) dci_pinch_report(world, &rows, worst, report);
    }
}

/* Saves the forces of all contacts that were not released, for the next warm start. */
static void dci_contacts_save(dci_contacts *contacts)
{
    contacts->warm_count = 0;
    for (dc_index g = 0; g < contacts->group_count; g++)
        for (dc_index i = 0; i < contacts->rows[g].count; i++) {
            const dci_contact_row *row = dci_contact_row_at(contacts->rows + g, i);
            dci_warm_contact *warm = contacts->warm + contacts->warm_count;
            if (!dci_contact_row_is_contact(row)) continue;
            contacts->warm_count++;
            for (dc_index k = 0; k < 4; k++) warm->vertex[k] = row->vertex[k];
            warm->corner_count = row->corner_count;
            warm->force = row->force;
            warm->weight = row->weight;
        }
}

/* The contacts of a body that is moved, or with DC_NONE of all: their forces turn, but those with a
   body that stays are dropped. All are if `to` is NULL. */
static void dci_contacts_relocate(dc_world *world, dc_index body, const dci_relocation *to)
{
    dci_contacts *contacts = world->contacts;
    const dc_index *body_of = world->surface.body_of;
    dc_index i, kept = 0;
    for (i = 0; i < contacts->warm_count; i++) {
        dci_warm_contact warm = contacts->warm[i];
        int moves = body == DC_NONE || body_of[warm.vertex[0]] == body;
        int does_other = body == DC_NONE || body_of[warm.vertex[3]] == body;
        if (moves != does_other || (moves && !to)) continue;
        if (moves) warm.force = dci_relocate_vector(to, warm.force);
        contacts->warm[kept++] = warm;
    }
    contacts->warm_count = kept;
}

/* A contact of the last step, where its features are now. */
static dc_contact_force dci_world_contact_force(const dc_world *world, const dci_warm_contact *warm)
{
    const dci_surface *s = &world->surface;
    dc_index first_count = dci_first_count(warm->corner_count), i;
    dci_pair pair = dci_pair_of(s, warm->vertex, first_count, warm->vertex + first_count);
    dc_contact_force named;
    dci_contact contact;
    DC_MEMSET(&named, 0, sizeof named);
    named.pair = dci_pair_features(s, &pair);
    named.force = dci_vec_scale(1 / warm->weight, warm->force);
    named.position = s->start[warm->vertex[0]];
    if (!dci_pair_contact(s, &pair, s->start, &contact)) return named; /* the features cross */
    named.normal = contact.normal;
    /* From the first's point by its radius and half the gap. */
    dc_real offset = (contact.distance + s->body[s->body_of[warm->vertex[0]]].radius -
                      s->body[s->body_of[warm->vertex[3]]].radius) /
                     2;
    named.position = dci_vec_scale(offset, contact.normal);
    for (i = 0; i < first_count; i++)
        named.position =
            dci_vec_axpy(named.position, -contact.factor[i], s->start[warm->vertex[i]]);
    return named;
}

dc_index dc_world_contacts(dc_world *world, dc_index capacity, dc_contact_force *forces)
{
    const dci_span none = {0, 0, 0, 0};
    dc_index i, count = 0;
    DC_ASSERT(world && (forces || capacity <= 0));
    if (!world->collides) return 0;
    dci_world_fill(world, DCI_AT_REST, &none);
    for (i = 0; i < world->contacts->warm_count; i++) {
        const dci_warm_contact *warm = world->contacts->warm + i;
        if (!(dci_dot(warm->force, warm->force) > 0)) continue;
        if (count < capacity) forces[count] = dci_world_contact_force(world, warm);
        count++;
    }
    return count;
}

/* Candidates of all bodies, or again of groups with rows from `first_new` on. */
static dc_status dci_world_advance_groups(dc_world *world, const dci_span *span, dc_index first_new,
                                          dc_report *report, dc_error *error)
{
    dci_contacts *contacts = world->contacts;
    dc_index g, i, count = 0, nodes = 0;
    int is_repeat = first_new != DC_NONE;
    for (g = 0; g < contacts->group_count; g++) {
        dci_group *group = world->group + count;
        dci_contact_rows *rows = contacts->rows + g; /* in ascending order */
        if (is_repeat && (rows->count == 0 || rows->list[rows->count - 1] < first_new)) continue;
        if (contacts->member[contacts->member_start[g]]->is_off) continue; /* it is alone */
        DC_MEMSET(group, 0, sizeof *group);
        group->member = contacts->member + contacts->member_start[g];
        group->count = contacts->member_start[g + 1] - contacts->member_start[g];
        group->contact_rows = rows;
        group->is_repeat = is_repeat;
        group->node = &contacts->node;
        group->first_node = nodes;
        for (i = 0; i < group->count; i++)
            if (group->member[i]->map) nodes += group->member[i]->map->column_count;
        count++;
    }
    return dci_world_advance_listed(world, count, span, report, error);
}

static dc_status dci_world_predict_contacts(dc_world *world, const dci_span *span,
                                            dc_report *report, dc_error *error)
{
    dci_surface *s = &world->surface;
    dc_status status;
    dci_world_begin_rows(world, span);
    if (!world->collides) dci_world_list_groups(world);
    if (!world->collides) return DC_OK;
    dci_world_fill(world, DCI_PREDICTED, span);
    dci_surface_find_pairs(s);
    report->counters.pairs = dci_index_max(report->counters.pairs, s->pairs_needed);
    if ((status = dci_surface_check_pairs(s, error)) != DC_OK) return status;
    if (s->may_cross) dci_crossings_mark(s);
    dci_world_make_rows(world);
    dci_world_find_pinched(world, report);
    return DC_OK;
}

/* The number of rows that were not released. */
static dc_index dci_contacts_unreleased(const dci_contacts *contacts)
{
    dc_index g, rows = 0;
    for (g = 0; g < contacts->group_count; g++) rows += contacts->rows[g].count;
    return rows;
}

/* Adds rows for the pairs of one kind. Returns the number of pairs of the other. */
static dc_index dci_world_add_close(dc_world *world, dci_closeness kind)
{
    dci_surface *s = &world->surface;
    dc_index i, others = 0;
    for (i = 0; i < s->pair_count; i++) {
        dci_pair *pair = s->pair + i;
        dci_contact contact;
        if (pair->is_unconstrained) continue;
        dci_closeness now = dci_pair_closeness(s, pair, &contact);
        if (now == kind)
            pair->is_unconstrained = dci_world_add_row(world, pair, &contact) == NULL;
        else
            others += now != DCI_APART;
    }
    return others;
}

/* Adds rows for pairs that the candidates bring too close. Returns whether there are any. Pairs
   that pass from beside wait until there are no others: cloth without the others' rows sinks, and
   meets features from the side or from below, which would hold it. After a release no rows are
   added, because contacts are then left to the stages. */
static int dci_world_add_rows(dc_world *world)
{
    dci_surface *s = &world->surface;
    dc_index count = world->contacts->count, left;
    if (dci_contacts_unreleased(world->contacts) < count || world->meter->is_unconverged) return 0;
    dci_world_fill(world, DCI_CANDIDATE, &world->part);
    dci_surface_renew_pairs(s);
    if (s->pairs_needed > s->pair_capacity) return 0; /* dci_collide() will fail */
    left = dci_world_add_close(world, DCI_TOO_CLOSE);
    if (left > 0 && world->contacts->count == count)
        dci_world_add_close(world, DCI_PASSES_FROM_BESIDE);
    dci_world_list_groups(world);
    return world->contacts->count > count;
}

static dc_status dci_world_part_in_contact(dc_world *world, const dci_span *span,
                                           dc_report *report, dc_error *error)
{
    dci_contacts *contacts = world->contacts;
    dc_index round = 1;
    dci_report_reset(report);
    dc_status status = dci_world_predict_contacts(world, span, report, error);
    if (status != DC_OK) return status;
    /* Compute candidates with these rows, and with more where they come too close. */
    status = dci_world_advance_groups(world, span, DC_NONE, report, error);
    if (status != DC_OK || !world->collides) return status;
    for (; status == DC_OK && round < world->round_max; round++) {
        dc_index count = contacts->count;
        if (!dci_world_add_rows(world)) break;
        dci_world_find_pinched(world, report);
        status = dci_world_advance_groups(world, span, count, report, error);
    }
    if (status != DC_OK) return status;
    report->counters.rounds = dci_index_max(report->counters.rounds, round);
    report->counters.contact_rows = dci_contacts_unreleased(contacts);
    report->counters.rows_needed = contacts->needed;
    dci_contacts_save(contacts);
    /* Resolve collisions. */
    if ((status = dci_world_collide(world, span, report, error)) != DC_OK) return status;
    return dci_world_follow_surface(world, span->dt, report, error);
}

/* ---- Collisions: all or nothing ---- */

/* Bound on contact_error, a relative error of squared length, beyond which a part of a step is
   halved. From about 1 on, the next step throws cloth off or fails. */
#define DCI_CONTACT_ERROR_MAX DCI_R(0.75)

/* The bound for divisible parts. */
static dc_real dci_world_error_max(const dc_world *world)
{
    dc_real most = DCI_CONTACT_ERROR_MAX;
    for (dc_index i = 0; i < world->moving_count; i++) {
        const dci_collision *c = world->member[i].kind->collision;
        most = dci_min(most, c->error_max ? c->error_max(world->member + i) : DCI_ROWS_ERROR_MAX);
    }
    return most;
}

static int dci_world_needs_halves(const dc_world *world, const dci_span *span, dc_status status,
                                  const dc_report *report)
{
    int has_room = world->contacts->needed == world->contacts->count; /* halves have no more */
    int has_strict_bound = span->is_divisible && report->crossings == 0 && has_room;
    dc_real most = has_strict_bound ? dci_world_error_max(world) : DCI_CONTACT_ERROR_MAX;
    return status == DC_TOO_SMALL ||
           (status == DC_NOT_CONVERGED && (span->is_divisible || report->unresolved > 0)) ||
           (status == DC_OK && !(report->contact_error <= most) && !world->meter->is_unconverged);
}

/* Marks crossings; refuses them if strict, or if the start policy is DC_START_REFUSE. */
static dc_status dci_world_check_crossings(dc_world *world, int is_strict, dc_error *error)
{
    if (!dci_world_find_pairs(world)) return dci_surface_fail_pairs(&world->surface, error);
    dc_index count = dci_crossings_mark(&world->surface);
    if (count > 0 && (is_strict || world->surface.start_policy == DC_START_REFUSE))
        return dci_crossings_fail(&world->surface, count, error);
    return DC_OK;
}

static void dci_world_describe_collisions(dci_snapshot *s, const dc_world *world)
{
    const dci_surface *surface = &world->surface;
    dci_snapshot_same(s, "start", (uint32_t)surface->start_policy);
    dci_snapshot_same(s, "solver.halvings_max", (uint32_t)world->halvings_max);
    dci_snapshot_same(s, "solver.round_max", (uint32_t)world->round_max);
    dci_snapshot_same(s, "pair_capacity", (uint32_t)surface->pair_capacity);
    dci_snapshot_same_indices(s, "obstacles", surface->triangle, 3 * surface->triangle_count);
}

static const dci_contact_method dci_contact_inside = {
    dci_world_build_contact,
    dci_world_check_crossings,
    dci_world_part_in_contact,
    dci_world_needs_halves,
    dci_world_describe_collisions,
    dci_contacts_walk,
    dci_contacts_relocate,
};

dc_index dc_world_crossings(dc_world *world, dc_index capacity, dc_feature_pair *pairs)
{
    DC_ASSERT(world && (pairs || capacity <= 0));
    if (!world->collides) return 0;
    if (!dci_world_find_pairs(world)) return DC_NONE;
    return dci_crossings_list(&world->surface, capacity, pairs);
}

#endif /* DC_NO_COLLISIONS */

/* ============================================================================================
 * 49 WORLD                                                                              dci_world
 *
 * All bodies together, through the functions of their kinds (chapter 40). A step is one part or
 * several. Each finds candidates (chapter 48), and then for each body the candidate becomes the
 * state (accept).
 *
 * The fallbacks. Each rung of this ladder is reached only if those above it do not suffice. Lengths
 * hold to their tolerance up to rung 6, and nothing crosses on any. On rung 4 a part is halved
 * rather than iterated for long, because shorter motions are predicted better.
 *
 *        what is done                 when                               given up    dc_report, counters
 *     1  Newton steps are shortened   the line search says so (25.6)                 newton_iterations
 *     2  a row becomes a spring       its gap stalls (21)                thickness   smallest_distance
 *     3  tolerances of forces grow    every four iterations              balance     newton_iterations
 *     4  the world halves the step    iteration_max; up to 4 parts       time        world_substeps
 *     5  rows of contacts are dropped iteration_max, in shorter parts    friction    released
 *     6  the group halves its part    it fails without them              time        substeps
 *     7  the stages move vertices     they come too close all the same   lengths     contact_error
 *     8  the world halves the step    that moved them too far, a pair    time        world_substeps
 *                                     is unresolved, too many pairs
 *     9  the shortest part is taken   vertices were moved too far        lengths     contact_error
 *    10  bodies are cut short         the work is spent                  balance     is_unconverged
 *    11  the step ends early          the work of the stages is spent    time        part_left
 *    12  bodies stop                  not even the shortest part fits    motion      part_left
 *    13  the step fails               all else                           the step
 *
 * Rungs 10 to 12 need takes_unconverged. On rung 8, vertices that were moved too far halve the step
 * because restoring their lengths adds spurious velocity. Within a ribbon, chapter 46 has a ladder
 * of its own.
 *
 * Bodies stop once the work exceeds the bound, collisions at up to 1.5 times the bound. Work that
 * cannot be divided takes less than half of it, so no step takes more than twice the bound.
 *
 * A step whose work is spent keeps the parts that were accepted. Targets have then moved by that
 * part of their way. The rest is left to the next step, which begins with a part of the length that
 * fitted last. If none did, bodies stop, and the next step begins with the shortest part, because
 * the same step would always fail in the same way.
 *
 * A late target is several steps away. If it were reached in a single step, the held points would
 * move at a speed that the caller never asked for. So the world keeps the time `lag` by which
 * targets are late, and a step of dt covers at most 2 dt of the way of lag + dt.
 *
 * Rest. Velocities are set to zero at the start and whenever the kinetic energy begins to decrease,
 * [Cun76]: a swinging body is fastest where its potential is lowest. In a step from zero velocity
 * an unbalanced acceleration a gives the speed a dt. So rest is judged by forces: in root mean
 * squares by mass,
 *
 *     speed one step after a stop / dt  <=  tolerance * acceleration by the loads       (49.1)
 *
 * A load deflects a mode of angular frequency omega by load / omega^2, and a / omega^2 is the part
 * still missing: the tolerance bounds the relative error of the deflection, on any mesh. A bound on
 * speed would not: a slow mode is slow long before it is at rest. Steps are by backward Euler.
 *
 * Moving without motion. The state of a body is visited as for a snapshot, which moves each point
 * and turns each vector; a first visit finds whether all new values are finite. Rounding changes
 * distances, so the certificate is lost, and the next step looks for crossings first.
 * ============================================================================================ */

/* The kinds of bodies, in the order in which bodies are numbered. */
static const dci_kind *const dci_kinds[] = {
#ifndef DC_NO_CLOTH
    &dci_cloth_kind,
#endif
#ifndef DC_NO_RIBBONS
    &dci_ribbon_kind,
#endif
#ifndef DC_NO_COLLISIONS
    &dci_obstacle_kind,
#endif
};
enum { DCI_KINDS = sizeof dci_kinds / sizeof dci_kinds[0] };

/* ---- State ---- */

static const dci_field dci_world_fields[] = {
    {"gravity", offsetof(dc_world, gravity), DCI_NUMBERS, 3},
    {"wind", offsetof(dc_world, wind), DCI_NUMBERS, 3},
    {"part of a step that its work suffices for", offsetof(dc_world, fitting), DCI_NUMBERS, 1},
    {"time behind targets", offsetof(dc_world, lag), DCI_NUMBERS, 1},
    {"error of lengths", offsetof(dc_world, length_error), DCI_NUMBERS, 1},
    {NULL, 0, DCI_END, 0}};

/* Snapshots count all kinds, also those left out of this build, so that any build can load them. */
static const struct {
    dc_index letter;
    const char *count;
} dci_letters[] = {{'c', "cloth_count"}, {'r', "ribbon_count"}, {'o', "obstacle_count"}};

static void dci_world_describe(dci_snapshot *s, const dc_world *world)
{
    dc_index i, k, count;
    for (k = 0; k < 3; k++) {
        for (count = 0, i = 0; i < world->member_count; i++)
            count += world->member[i].kind->letter == dci_letters[k].letter;
        dci_snapshot_same(s, dci_letters[k].count, (uint32_t)count);
    }
    dci_snapshot_same(s, "collides", world->collides != 0);
    for (i = 0; s->status == DC_OK && i < world->member_count; i++) {
        const dci_member *m = world->member + i;
        m->kind->describe(s, m, &world->surface);
        dci_in_body(s->error, s->status, m->body);
    }
    if (world->collides) world->method->describe(s, world);
}

/* State that steps change. */
static void dci_world_walk_state(dci_snapshot *s, const dc_world *object)
{
    dc_world *world = (dc_world *)dci_drop_const(object);
    dci_snapshot_real(s, "time", DC_NONE, &world->time);
    dci_snapshot_flag(s, "whether surfaces may cross", DC_NONE, &world->surface.may_cross);
    if (world->collides) world->method->walk(s, world);
    for (dc_index i = 0; s->status == DC_OK && i < world->moving_count; i++) {
        const dci_member *m = world->member + i;
        m->kind->dynamics->walk_state(s, m);
        dci_in_body(s->error, s->status, m->body);
    }
}

/* State that the caller sets, and where obstacles are. */
static void dci_world_walk_input(dci_snapshot *s, const dc_world *world)
{
    dci_snapshot_fields(s, world, dci_world_fields, NULL);
    for (dc_index i = 0; s->status == DC_OK && i < world->member_count; i++) {
        dci_member *m = world->member + i;
        dci_snapshot_flag(s, "which bodies are switched off", i, &m->is_off);
        m->kind->walk_input(s, m);
        dci_in_body(s->error, s->status, m->body);
    }
}

static void dci_world_walk_all(dci_snapshot *s, const void *object)
{
    const dc_world *world = (const dc_world *)object;
    dci_world_walk_state(s, world);
    dci_world_walk_input(s, world);
}

static void dci_world_walk(dci_snapshot *s, const void *object)
{
    dci_world_describe(s, (const dc_world *)object);
    dci_world_walk_all(s, object);
}

/* ---- Building and starting ---- */

static const dci_entry dci_world_entries[] = {
    {DCI_ENTRY(dc_world_desc, quality), DCI_CHOICE, 0, 0, DC_REAL_TIME},
#ifdef DC_NO_CLOTH
    {DCI_ENTRY(dc_world_desc, cloth_count), DCI_INDEX, 0, 0, 0},
#endif
#ifdef DC_NO_RIBBONS
    {DCI_ENTRY(dc_world_desc, ribbon_count), DCI_INDEX, 0, 0, 0},
#endif
#ifdef DC_NO_COLLISIONS
    {DCI_ENTRY(dc_world_desc, obstacle_count), DCI_INDEX, 0, 0, 0},
    {DCI_ENTRY(dc_world_desc, collides), DCI_INDEX, 0, 0, 0},
#else
    {DCI_ENTRY(dc_world_desc, start), DCI_CHOICE, 0, 0, DC_START_SEPARATE},
    {DCI_ENTRY(dc_world_desc, pair_capacity), DCI_CAPACITY, DC_NONE, 1, DCI_COUNT_MAX},
    {DCI_ENTRY(dc_world_desc, row_capacity), DCI_CAPACITY, DC_NONE, 1, DCI_COUNT_MAX},
    {DCI_ENTRY(dc_world_desc, solver.halvings_max), DCI_INDEX, DCI_WORLD_HALVINGS, 0,
     DCI_HALVINGS_MAX},
    {DCI_ENTRY(dc_world_desc, solver.round_max), DCI_INDEX, 3, 1, DCI_COUNT_MAX},
#endif
    DCI_ENTRY_NONE};

dc_world_desc dc_world_defaults(void)
{
    dc_world_desc desc;
    dci_desc_fill(&desc, sizeof desc, dci_world_entries);
    desc.gravity = dci_vec(0, DCI_R(-9.81), 0);
    return desc;
}

/* Checks that need no memory, so that a bad description is reported before DC_TOO_SMALL. */
static dc_status dci_world_check(const dc_world_desc *desc, dc_error *error)
{
    dc_index k, i, moving = 0, body = 0;
    if (!dci_vec_is_finite(desc->gravity))
        return dci_not_finite(error, "gravity is not finite", DC_NONE);
    if (!dci_vec_is_finite(desc->wind)) return dci_not_finite(error, "wind is not finite", DC_NONE);
    for (k = 0; k < DCI_KINDS; k++) {
        dc_index count = dci_kind_count(dci_kinds[k], desc);
        if (count == DC_NONE) return dci_bad(error, dci_kinds[k]->wrong_count, DC_NONE, 0);
        if (dci_kinds[k]->dynamics) moving += count > 0;
    }
    if (moving == 0) return dci_bad(error, "the world has no body that moves freely", DC_NONE, 0);
    dc_status status = dci_desc_check(desc, dci_world_entries, error);
    for (k = 0; k < DCI_KINDS; k++)
        for (i = 0; status == DC_OK && i < dci_kind_count(dci_kinds[k], desc); i++)
            status = dci_in_body(error, dci_kinds[k]->check_desc(desc, i, error), body++);
    return status;
}

static void dci_world_layout(dc_world *world, const dc_world_desc *desc, dci_arena *arena)
{
    dc_index k, i, n = 0;
    world->meter = (dci_meter *)dci_arena_take(arena, 1, sizeof(dci_meter));
    for (k = 0; k < DCI_KINDS; k++) {
        world->member_count += dci_kind_count(dci_kinds[k], desc);
        if (dci_kinds[k]->dynamics) world->moving_count = world->member_count;
    }
    world->member = (dci_member *)dci_arena_take(arena, world->member_count, sizeof(dci_member));
    world->group = (dci_group *)dci_arena_take(arena, world->moving_count, sizeof(dci_group));
    for (k = 0; k < DCI_KINDS; k++)
        for (i = 0; i < dci_kind_count(dci_kinds[k], desc); i++, n++) {
            void *object = dci_arena_take(arena, 1, dci_kinds[k]->object_bytes);
            if (arena->is_short) continue; /* the arena still counts bytes */
            world->member[n].kind = dci_kinds[k];
            world->member[n].object = object;
            world->member[n].body = n;
            world->member[n].number = i;
        }
}

static dc_status dci_world_build(dc_world *world, const dc_world_desc *desc, dci_arena *arena,
                                 dci_ledger *ledger, dc_error *error)
{
    dc_status status = DC_OK;
    world->gravity = desc->gravity;
    world->wind = desc->wind;
    world->parallel_for = desc->parallel_for;
    world->parallel_context = desc->parallel_context;
    world->goal = DCI_REAL_MAX;
    world->fitting = 1;
    world->halvings_max = DCI_WORLD_HALVINGS; /* unless bodies collide */
    world->method = DCI_COLLISION(dci_contact_inside);
    dci_world_layout(world, desc, arena);
    if (arena->is_short) return dci_arena_fail(arena, error);
    world->meter->takes_unconverged = desc->takes_unconverged || desc->quality == DC_REAL_TIME;
    dci_meter_release(world->meter);
    dci_ledger_note(ledger, arena, "objects");
    for (dc_index i = 0; i < world->member_count; i++) {
        dci_member *m = world->member + i;
        status = m->kind->build(m, desc, arena, ledger, error);
        if (status != DC_OK) return dci_in_body(error, status, m->body);
    }
    if (world->method) status = world->method->build(world, desc, arena, ledger, error);
    if (status != DC_OK || !(world->collides || world->meter->takes_unconverged)) return status;
    /* Allocate the state saved before a step, with contacts up to their capacity. */
    size_t saved = dci_snapshot_bytes(dci_world_walk_all, world) + world->contact_bytes;
    world->saved = (unsigned char *)dci_arena_take(arena, 1, saved);
    dci_ledger_note(ledger, arena, "state before a step");
    return arena->is_short ? dci_arena_fail(arena, error) : DC_OK;
}

/* The least work_max, by the work that cannot be divided: iterations of all bodies, more if they
   may be cut short, and passes over all pairs. */
static uint64_t dci_world_work_least(const dc_world *world)
{
    uint64_t work = 0;
    for (dc_index i = 0; i < world->moving_count; i++)
        work += world->member[i].kind->dynamics->iteration_work(world->member + i);
    return (world->meter->takes_unconverged ? 16 : 2) * work +
           4 * DCI_WORK_NEAR * (uint64_t)world->surface.pair_capacity;
}

static dc_status dci_world_set_bound(dc_world *world, uint64_t work_max, dc_error *error)
{
    if (work_max > 0 && work_max < world->work_least)
        return dci_bad_field(error, "work_max", "work_max is below the least, which is value",
                             DC_NONE, (dc_real)(int64_t)world->work_least);
    world->work_max = work_max;
    return DC_OK;
}

static dc_status dci_world_start(dc_world *world, dc_error *error)
{
    for (dc_index i = 0; i < world->moving_count; i++) {
        dci_member *m = world->member + i;
        dc_status status = DC_OK;
        if (m->kind->dynamics->check_links)
            status = m->kind->dynamics->check_links(m, world, error);
        if (status == DC_OK) status = m->kind->dynamics->start(m, world, error);
        if (status != DC_OK) return dci_in_body(error, status, m->body);
    }
    return world->collides ? world->method->check_crossings(world, 0, error) : DC_OK;
}

dc_status dc_world_init(const dc_world_desc *desc, void *memory, size_t bytes, dc_world **world,
                        dc_info *info, dc_error *error)
{
    dci_enter(error, "dc_world_init");
    dci_arena arena = dci_arena_over(memory, bytes);
    dci_ledger ledger = dci_ledger_empty();
    dc_world *made;
    dc_status status = dci_world_check(desc, error);
    if (status != DC_OK) return status;
    made = (dc_world *)dci_arena_take(&arena, 1, sizeof *made);
    if (!made) return dci_arena_fail(&arena, error);
    status = dci_world_build(made, desc, &arena, &ledger, error);
    if (status != DC_OK) return status;
    ledger.info.work_least = made->work_least = dci_world_work_least(made);
    made->work_max = desc->quality == DC_REAL_TIME ? made->work_least : 0;
    if (desc->work_max > 0) status = dci_world_set_bound(made, desc->work_max, error);
    if (status != DC_OK) return status;
    dci_ledger_close(&ledger, &arena, info);
    made->bytes = ledger.info.bytes;
    if ((status = dci_world_start(made, error)) != DC_OK) return dci_fail_start(error, status);
    *world = made;
    return dci_succeed(error);
}

/* ---- Step ---- */

static void dci_world_accept(dc_world *world)
{
    const dc_vec3 *end = world->surface.end;
    for (dc_index i = 0; i < world->moving_count; i++) {
        dci_member *m = world->member + i;
        if (!m->is_off) m->kind->dynamics->accept(m, end ? end + m->first : NULL);
    }
}

/* While a step has fewer parts, they are divisible: more would make pinched cloth tremble. */
enum { DCI_ROWS_PARTS_MAX = 4 };

/* The next step begins with a part that the work sufficed for; after a success, twice as long. */
static void dci_world_fit_next_step(dc_world *world, dc_status status, dc_real part)
{
    if (!world->meter->takes_unconverged) return;
    if (status == DC_WORK_SPENT) world->fitting = part;
    if (status == DC_OK) world->fitting = dci_min(1, 2 * dci_max(part, world->fitting));
}

/* Relative error of squared length beyond which bodies that were cut short are not accepted, unless
   it was as large before: errors would grow from step to step. */
#define DCI_CUT_ERROR_MAX DCI_R(0.1)

static int dci_world_has_large_error(const dc_world *world, const dc_report *report)
{
    dc_real most = dci_max(DCI_CUT_ERROR_MAX, world->length_error);
    return world->meter->is_unconverged && !(report->contact_error <= most);
}

#define DCI_CATCH_UP DCI_R(2) /* speed of late targets, in units of their own */

/* `taken` becomes the report of the parts that were accepted, also after an error. */
static dc_status dci_world_run(dc_world *world, dc_real dt, dc_report *report, dc_report *taken,
                               dc_error *error)
{
    dci_span step = {dt, 0, dci_min(1, DCI_CATCH_UP * dt / (world->lag + dt)), 0};
    dci_clock clock = dci_clock_of(&step, world->halvings_max);
    dc_real part_done = 0;
    dc_status status = DC_OK;
    taken->part_left = 1;
    dci_clock_limit(&clock, world->fitting * dt);
    while (clock.done < clock.total) {
        dci_span part = dci_clock_part(&clock);
        int can_halve = world->collides && clock.size > 1;
        part.is_divisible = can_halve && clock.total / clock.size < DCI_ROWS_PARTS_MAX;
        /* Compute candidates, or halve the part. */
        report->length_left = 0; /* of this part */
        status = world->contacts ? world->method->take_part(world, &part, report, error)
                                 : dci_world_advance_each(world, &part, report, error);
        if (can_halve && world->method->needs_halves(world, &part, status, report)) {
            clock.size /= 2;
            continue;
        }
        if (status == DC_OK && dci_world_has_large_error(world, report)) status = DC_WORK_SPENT;
        if (status != DC_OK) break;
        /* Accept them, and double the next part if it then fits. */
        dci_world_accept(world);
        world->length_error = report->contact_error;
        part_done = (dc_real)clock.size / (dc_real)clock.total;
        dci_clock_succeed(&clock);
        report->counters.world_substeps++;
        *taken = *report;
        taken->time = dt * ((dc_real)clock.done / (dc_real)clock.total);
        taken->part_left = 1 - part.to;
        taken->is_certified = world->collides && report->crossings == 0;
    }
    dci_world_fit_next_step(world, status, part_done);
    return status;
}

static void dci_world_stop(dc_world *world)
{
    for (dc_index i = 0; i < world->moving_count; i++)
        world->member[i].kind->dynamics->stop(world->member + i);
}

/* Writes the state at the start of a step to `saved`, or reads it back. */
static void dci_world_transfer(dc_world *world, dci_snapshot_mode mode)
{
    if (world->saved) dci_snapshot_transfer(dci_world_walk_all, world, mode, world->saved);
}

/* The work did not suffice for any part of two steps in a row. Names the target farthest away. */
static dc_status dci_world_fail_idle(const dc_world *world, dc_error *error)
{
    const dci_member *worst = NULL;
    dc_index index = DC_NONE, i;
    dc_real most = 0;
    for (i = 0; i < world->member_count; i++) {
        const dci_member *m = world->member + i;
        dc_index at = DC_NONE;
        dc_real way = m->is_off ? DCI_R(0) : m->kind->longest_way(m, &at);
        if (!(way > most)) continue;
        worst = m;
        index = at;
        most = way;
    }
    if (!worst) return dci_meter_fail(world->meter, error);
    return dci_in_body(
        error,
        dci_fail(error, DC_WORK_SPENT,
                 "no part of two steps was possible within work_max, and this has the longest way; "
                 "value is the work of the second one",
                 index, (dc_real)world->meter->work),
        worst->body);
}

static dc_status dci_world_pause(dc_world *world, const dc_report *tried, dc_report *taken,
                                 dc_error *error)
{
    if (taken->time == 0) {
        dci_world_transfer(world, DCI_SNAPSHOT_READ);
        if (world->fitting == 0) return dci_world_fail_idle(world, error);
        dci_world_stop(world);
        world->fitting = 0;
        taken->crossings = tried->crossings;
        taken->is_certified = world->collides && !world->surface.may_cross;
    }
    world->meter->is_unconverged = 1;
    return DC_OK;
}

/* The report is of the accepted parts or, after an error, of all attempts. */
static dc_status dci_world_try(dc_world *world, dc_real dt, dc_report *report, dc_error *error)
{
    dc_report taken = dci_report_empty();
    dci_meter_begin(world->meter, world->work_max);
    dc_status status = dci_world_run(world, dt, report, &taken, error);
    if (status == DC_WORK_SPENT && world->meter->takes_unconverged && !world->is_settling)
        status = dci_world_pause(world, report, &taken, error);
    else if (status != DC_OK)
        dci_world_transfer(world, DCI_SNAPSHOT_READ);
    if (status == DC_OK) *report = taken;
    dci_meter_release(world->meter);
    report->work = world->meter->work;
    report->is_unconverged = world->meter->is_unconverged;
    return status;
}

static dc_status dci_world_step(dc_world *world, dc_real dt, dc_report *report, dc_error *error)
{
    dc_report result = dci_report_empty();
    if (report) *report = result;
    if (!dci_is_positive(dt)) return dci_bad(error, "dt is not positive and finite", DC_NONE, dt);
    dci_world_transfer(world, DCI_SNAPSHOT_WRITE);
    dc_status status = dci_world_try(world, dt, &result, error);
    if (report) *report = result;
    if (status != DC_OK) return status;
    dc_real part = 1 - result.part_left;
    world->lag = (world->lag + dt) * result.part_left;
    world->time += result.time;
    for (dc_index i = 0; i < world->member_count; i++) {
        dci_member *m = world->member + i;
        if (!m->kind->dynamics || !m->is_off) m->kind->arrive(m, part);
    }
    return DC_OK;
}

dc_status dc_world_step(dc_world *world, dc_real dt, dc_report *report, dc_error *error)
{
    dci_enter(error, "dc_world_step");
    DC_ASSERT(world);
    return dci_leave(error, dci_world_step(world, dt, report, error));
}

/* ---- Settling ---- */

/* The root mean square speed [m/s] and acceleration by the loads [m/s^2], by mass. */
static dc_real dci_world_speed(dc_world *world, dc_real *load)
{
    dci_motion sum = {0, 0, 0};
    for (dc_index i = 0; i < world->moving_count; i++) {
        dci_member *m = world->member + i;
        if (!m->is_off) m->kind->dynamics->add_motion(m, world->gravity, &sum);
    }
    if (sum.mass == 0) sum.mass = 1; /* all bodies are switched off */
    if (load) *load = DC_SQRT(sum.load_sq / sum.mass);
    return DC_SQRT(sum.speed_sq / sum.mass);
}

#define DCI_SETTLE_GOAL DCI_R(0.1) /* residual of a step, relative to the bound of (49.1) */

/* Kinetic damping, [Cun76], until (49.1) holds. */
static dc_status dci_world_find_rest(dc_world *world, dc_real dt, dc_real tolerance,
                                     dc_index step_max, dc_index *steps, dc_error *error)
{
    dc_real load, before = 0, left = 1, now;
    int is_stopped = 1;
    dci_world_speed(world, &load);
    dci_world_stop(world);
    while (*steps < step_max) {
        dc_status status;
        world->goal = load > 0 ? DCI_SETTLE_GOAL * tolerance * load : DCI_REAL_MAX;
        if ((status = dci_world_step(world, dt, NULL, error)) != DC_OK) return status;
        ++*steps;
        now = dci_world_speed(world, NULL);
        /* After a step from zero velocity, measure the unbalanced acceleration. */
        if (is_stopped && !(load > 0)) load = now / dt;
        if (is_stopped) left = load > 0 ? now / (dt * load) : DCI_R(0); /* (49.1) */
        is_stopped = now < before || left <= tolerance;
        before = is_stopped ? DCI_R(0) : now;
        if (is_stopped) dci_world_stop(world);
        if (left <= tolerance) return DC_OK;
    }
    dci_world_stop(world);
    return dci_fail(
        error, DC_NOT_CONVERGED,
        "the world is not at rest after step_max steps; value is the unbalanced part of the load",
        DC_NONE, left);
}

dc_status dc_world_settle(dc_world *world, dc_real dt, dc_real tolerance, dc_index step_max,
                          dc_index *steps, dc_error *error)
{
    dci_enter(error, "dc_world_settle");
    dc_index unused;
    DC_ASSERT(world);
    if (!steps) steps = &unused;
    *steps = 0;
    if (!dci_is_positive(dt)) return dci_bad(error, "dt is not positive and finite", DC_NONE, dt);
    if (!dci_is_positive(tolerance))
        return dci_bad(error, "tolerance is not positive and finite", DC_NONE, tolerance);
    if (step_max < 1) return dci_bad(error, "step_max is not positive", DC_NONE, 0);
    world->is_settling = 1;
    dc_status status = dci_world_find_rest(world, dt, tolerance, step_max, steps, error);
    world->is_settling = 0;
    world->goal = DCI_REAL_MAX;
    return dci_leave(error, status);
}

/* ---- Rays ---- */

typedef struct dci_ray {
    dc_vec3 origin;
    dc_vec3 along, across[2]; /* unit vectors: its direction, and two normal to it               */
    dc_ray_hit hit;
} dci_ray;

/* Records a hit at this distance, if it is the nearest; returns whether it is. */
static int dci_ray_meet(dci_ray *ray, dc_index body, dc_real distance)
{
    if (!(distance >= 0 && distance < ray->hit.distance)) return 0;
    ray->hit.body = body;
    ray->hit.triangle = DC_NONE;
    ray->hit.distance = distance;
    ray->hit.position = dci_vec_axpy(ray->origin, distance, ray->along);
    for (dc_index i = 0; i < 3; i++) ray->hit.vertex[i] = DC_NONE, ray->hit.weight[i] = 0;
    return 1;
}

/* Seen along the ray, a triangle is hit if the areas of the origin with its three sides have one
   sign; they are its barycentric weights, but for a factor. Rounding may make an area 0, but never
   changes its sign, because it is the difference of two rounded products, and products are rounded
   in order. So no ray passes between two triangles. */
static int dci_ray_triangle(dci_ray *ray, dc_index body, const dc_vec3 corner[3])
{
    dc_real u[3], v[3], area[3], sum, distance = 0;
    for (dc_index i = 0; i < 3; i++) {
        dc_vec3 arm = dci_vec_sub(corner[i], ray->origin);
        u[i] = dci_dot(arm, ray->across[0]);
        v[i] = dci_dot(arm, ray->across[1]);
    }
    for (dc_index i = 0; i < 3; i++) {
        dc_index next = (i + 1) % 3, prev = (i + 2) % 3;
        area[i] = u[next] * v[prev] - u[prev] * v[next];
    }
    sum = area[0] + area[1] + area[2];
    for (dc_index i = 0; i < 3; i++)
        if (!(sum > 0 ? area[i] >= 0 : area[i] <= 0)) return 0;
    if (sum == 0) return 0; /* the ray lies in its plane */
    for (dc_index i = 0; i < 3; i++)
        distance += area[i] / sum * dci_dot(dci_vec_sub(corner[i], ray->origin), ray->along);
    if (!dci_ray_meet(ray, body, distance)) return 0;
    for (dc_index i = 0; i < 3; i++) ray->hit.weight[i] = area[i] / sum;
    return 1;
}

/* Intersects the ray with the part of a sphere, or of a cylinder about the axis, whose points have
   a height between `from` and `to` over the centre. */
static void dci_ray_round(dci_ray *ray, dc_index body, dc_vec3 centre, dc_vec3 axis,
                          int is_cylinder, dc_real radius, dc_real from, dc_real to)
{
    dc_vec3 arm = dci_vec_sub(ray->origin, centre), across = arm, along = ray->along;
    if (is_cylinder) {
        across = dci_vec_axpy(arm, -dci_dot(arm, axis), axis);
        along = dci_vec_axpy(along, -dci_dot(along, axis), axis);
    }
    dc_real a = dci_dot(along, along);
    if (!(a > 0)) return;
    dc_real middle = -dci_dot(along, across) / a; /* where the ray is closest to the centre */
    across = dci_vec_axpy(across, middle, along);
    dc_real root = (radius * radius - dci_dot(across, across)) / a;
    if (!(root >= 0)) return;
    root = DC_SQRT(root);
    for (int k = -1; k <= 1; k += 2) {
        dc_real distance = middle + (dc_real)k * root;
        dc_real height = dci_dot(dci_vec_axpy(arm, distance, ray->along), axis);
        if (height >= from && height <= to) dci_ray_meet(ray, body, distance);
    }
}

/* The vertices of the body are numbered from `first` on. */
static void dci_ray_mesh(dci_ray *ray, const dc_world *world, dc_index body, dc_index first,
                         const dc_index *triangle, dc_index count)
{
    const dci_member *m = world->member + body;
    dc_index t, i;
    for (t = 0; t < count; t++) {
        dc_vec3 corner[3];
        for (i = 0; i < 3; i++) corner[i] = m->kind->points(m, 0)[triangle[3 * t + i] - first];
        if (!dci_ray_triangle(ray, body, corner)) continue;
        ray->hit.triangle = t;
        for (i = 0; i < 3; i++) ray->hit.vertex[i] = triangle[3 * t + i] - first;
    }
}

#ifndef DC_NO_COLLISIONS

/* How far a capsule's cylinder reaches into its caps, in radii: no ray passes between them. */
#define DCI_RAY_SEAM DCI_R(1e-4)

static void dci_ray_obstacle(dci_ray *ray, const dc_world *world, dc_index body)
{
    const dci_surface *s = &world->surface;
    const dci_member *m = world->member + body;
    const dci_body *round = s->body + body;
    const dc_vec3 *x = m->kind->points(m, 0);
    dc_vec3 end = x[m->vertex_count > 1], axis = dci_vec_sub(end, x[0]);
    dc_real length = dci_norm(axis), slack = DCI_RAY_SEAM * round->radius;
    dc_index t = 0, count = m->surface->triangle_count;
    if (!round->is_plane && !(round->radius > 0)) {
        while (t < s->triangle_count && s->body_of[s->triangle[3 * t]] != body) t++;
        dci_ray_mesh(ray, world, body, m->first, s->triangle + 3 * t, count);
        return;
    }
    if (length > 0) axis = dci_vec_scale(1 / length, axis);
    if (round->is_plane) {
        dc_vec3 normal = dci_cross(axis, dci_vec_sub(x[2], x[0]));
        dc_real slope = dci_dot(ray->along, normal);
        dc_real height = dci_dot(dci_vec_sub(x[0], ray->origin), normal);
        if (slope < 0 || slope > 0) dci_ray_meet(ray, body, height / slope);
        return;
    }
    dci_ray_round(ray, body, x[0], axis, 0, round->radius, -DCI_REAL_MAX, 0);
    dci_ray_round(ray, body, end, axis, 0, round->radius, 0, DCI_REAL_MAX);
    dci_ray_round(ray, body, x[0], axis, 1, round->radius, -slack, length + slack);
}

#endif /* DC_NO_COLLISIONS */

dc_status dc_world_cast_ray(const dc_world *world, dc_vec3 origin, dc_vec3 direction,
                            dc_ray_hit *hit, dc_error *error)
{
    dci_enter(error, "dc_world_cast_ray");
    dci_ray ray;
    dc_index i;
    dc_vec3 axis;
    dc_real length = dci_norm(direction);
    DC_ASSERT(world && hit);
    if (!dci_vec_is_finite(origin) || !dci_is_finite(length))
        return dci_not_finite(error, "origin or direction is not finite", DC_NONE);
    if (!(length > 0)) return dci_bad(error, "direction is zero", DC_NONE, 0);
    DC_MEMSET(&ray, 0, sizeof ray);
    ray.origin = origin;
    ray.along = dci_vec_scale(1 / length, direction);
    axis = dci_vec_along(dci_abs(ray.along.x) < DCI_R(0.6) ? 0 : 1, 1); /* 37 degrees or more off */
    ray.across[0] = dci_cross(ray.along, axis);
    ray.across[0] = dci_vec_scale(1 / dci_norm(ray.across[0]), ray.across[0]);
    ray.across[1] = dci_cross(ray.along, ray.across[0]);
    ray.hit.body = ray.hit.triangle = DC_NONE;
    for (i = 0; i < 3; i++) ray.hit.vertex[i] = DC_NONE;
    ray.hit.distance = DCI_REAL_MAX;
    for (i = 0; i < world->member_count; i++) {
        const dci_member *m = world->member + i;
        if (m->is_off) continue;
        if (m->kind->dynamics)
            dci_ray_mesh(&ray, world, i, 0, m->surface->triangles, m->surface->triangle_count);
#ifndef DC_NO_COLLISIONS
        else
            dci_ray_obstacle(&ray, world, i);
#endif
    }
    *hit = ray.hit;
    return dci_succeed(error);
}

dc_real dc_world_time(const dc_world *world)
{
    DC_ASSERT(world);
    return world->time;
}

size_t dc_world_bytes(const dc_world *world)
{
    DC_ASSERT(world);
    return world->bytes;
}

/* ---- Snapshots ---- */

size_t dc_world_save_bytes(const dc_world *world)
{
    DC_ASSERT(world);
    return dci_snapshot_bytes(dci_world_walk, world);
}

dc_status dc_world_save(const dc_world *world, void *snapshot, size_t bytes, dc_error *error)
{
    dci_enter(error, "dc_world_save");
    DC_ASSERT(world);
    return dci_leave(error, dci_snapshot_save(dci_world_walk, world, snapshot, bytes, error));
}

dc_status dc_world_compare(const dc_world *world, const void *snapshot, size_t bytes,
                           dc_error *error)
{
    dci_enter(error, "dc_world_compare");
    DC_ASSERT(world);
    return dci_leave(error, dci_snapshot_use(dci_world_walk, world, DCI_SNAPSHOT_COMPARE,
                                             snapshot, bytes, error));
}

dc_status dc_world_load(dc_world *world, const void *snapshot, size_t bytes, dc_error *error)
{
    dci_enter(error, "dc_world_load");
    DC_ASSERT(world);
    return dci_leave(error, dci_snapshot_use(dci_world_walk, world, DCI_SNAPSHOT_READ, snapshot,
                                             bytes, error));
}

uint64_t dc_world_hash(const dc_world *world)
{
    dci_snapshot s = dci_snapshot_begin();
    DC_ASSERT(world);
    dci_world_walk_state(&s, world);
    return s.hash;
}

/* ---- What the caller sets ---- */

dc_status dc_world_set_gravity(dc_world *world, dc_vec3 gravity, dc_error *error)
{
    dci_enter(error, "dc_world_set_gravity");
    if (!dci_vec_is_finite(gravity)) return dci_not_finite(error, "gravity is not finite", DC_NONE);
    world->gravity = gravity;
    return dci_succeed(error);
}

dc_status dc_world_set_wind(dc_world *world, dc_vec3 wind, dc_error *error)
{
    dci_enter(error, "dc_world_set_wind");
    if (!dci_vec_is_finite(wind)) return dci_not_finite(error, "wind is not finite", DC_NONE);
    world->wind = wind;
    return dci_succeed(error);
}

dc_status dc_world_set_work_max(dc_world *world, uint64_t work_max, dc_error *error)
{
    dci_enter(error, "dc_world_set_work_max");
    DC_ASSERT(world);
    return dci_leave(error, dci_world_set_bound(world, work_max, error));
}

/* Visits a body, or with DC_NONE all, to check that it can be moved, or to move it. */
static void dci_world_relocate(dc_world *world, dc_index body, dci_snapshot *s)
{
    dc_index i, end = body == DC_NONE ? world->member_count : body + 1;
    for (i = body == DC_NONE ? 0 : body; s->status == DC_OK && i < end; i++) {
        dci_member *m = world->member + i;
        m->kind->walk_input(s, m);
        if (m->kind->dynamics) m->kind->dynamics->walk_state(s, m);
        dci_in_body(s->error, s->status, m->body);
    }
}

#define DCI_ROTATION_MAX DCI_R(1e3) /* [rad] sines are exact to rounding, also of floats */

dc_status dc_world_move(dc_world *world, dc_index body, dc_vec3 rotation, dc_vec3 centre,
                        dc_vec3 translation, int is_stopped, dc_error *error)
{
    dci_enter(error, "dc_world_move");
    dci_snapshot s = dci_snapshot_begin();
    if (body != DC_NONE && !dci_find_body(world, body, NULL, error)) return DC_BAD_ARGUMENT;
    if (!dci_vec_is_finite(rotation) || !dci_vec_is_finite(centre) ||
        !dci_vec_is_finite(translation))
        return dci_not_finite(error, "rotation, centre or translation is not finite", DC_NONE);
    if (!(dci_norm(rotation) <= DCI_ROTATION_MAX))
        return dci_bad(error, "rotation is more than 1000 rad", DC_NONE, dci_norm(rotation));
    dci_relocation to = dci_relocation_of(rotation, centre, translation);
    s.error = error;
    s.to_place = &to;
    s.mode = DCI_SNAPSHOT_CHECK;
    dci_world_relocate(world, body, &s);
    if (s.status != DC_OK) return s.status;
    s.mode = DCI_SNAPSHOT_READ;
    dci_world_relocate(world, body, &s);
    for (dc_index i = 0; i < world->moving_count && is_stopped; i++)
        if (body == DC_NONE || body == i) world->member[i].kind->dynamics->stop(world->member + i);
    if (world->collides) world->method->relocate(world, body, &to);
    world->surface.may_cross |= world->collides;
    return dci_succeed(error);
}

static void dci_world_switch_off(dc_world *world, dci_member *m)
{
    m->is_off = 1;
    if (m->kind->dynamics) m->kind->dynamics->stop(m);
#ifndef DC_NO_COLLISIONS
    if (!m->kind->dynamics) dci_obstacle_stay(m);
#endif
    if (world->collides) world->method->relocate(world, m->body, NULL);
}

/* A body that is switched on moves to its targets, unless it crosses something there. */
dc_status dc_body_set_active(dc_world *world, dc_index body, int is_active, dc_error *error)
{
    dci_enter(error, "dc_body_set_active");
    dci_member *m = dci_find_body(world, body, NULL, error);
    dc_status status = DC_OK;
    if (!m) return DC_BAD_ARGUMENT;
    if (!is_active) dci_world_switch_off(world, m);
    if (!is_active || !m->is_off) return dci_succeed(error);
    dci_world_transfer(world, DCI_SNAPSHOT_WRITE);
    m->is_off = 0;
    if (m->kind->dynamics) m->kind->dynamics->carry(m);
    if (world->collides) status = world->method->check_crossings(world, 0, error);
    if (status == DC_OK) return dci_succeed(error);
    m->is_off = 1;
    dci_world_transfer(world, DCI_SNAPSHOT_READ);
    return status;
}

#endif /* DC_NO_WORLD */

#ifndef DC_NO_DRAPE

/* ============================================================================================
 * 50 BLOCK MATRIX                                                                       dci_block
 *
 * Symbols of the drape, chapters 50 to 53. Edges are springs of stiffness 1, so force is in [m].
 *
 *     x, h     x                   (vertices) [m] positions, and heights up . x
 *     m, N     mass, vertex_count  (vertices) shares of the area, mean 1; number of vertices
 *     l, l0    length              (edges) [m] lengths, now and at rest
 *     l0'      spring_length       (edges) [m] rest lengths of the springs
 *     y        anchor[].at         (anchors) [m] where anchored vertices are to be now
 *     F, D     merit, step         [m^2] (52.1); (vertices) [m] the change of x that is sought
 *     kappa    schedule.gravity    [m] weight of a vertex with m = 1
 *     H, C     stiffness           [1] of an anchor, DCI_ANCHOR_STIFFNESS; of a contact
 *     eta, nu  damping, smooth     [1] of (52.3), in the schedule; smooth is nu / (kappa N)
 *     b, B     bending_length, bending   [m], [m^2] of (51.1), (52.1); E_H is (16.3) with k = 1
 *     A, K     matrix              (3 vertices)^2, (3)^2 normal equations; a term of a block
 *     n, u     n, normal           direction of an edge, or normal of a contact; (52.2)
 *     c, s     factor, stuck_at    (4) weights of (32.1); (vertices) [m] sticking points
 *     g        left                (vertices) [m] force that was left at the last rest
 *     delta    depth               [m] thickness minus distance of a contact; mu: its friction
 *
 * A is symmetric with a 3 x 3 block for each vertex and each edge of the mesh. The lower triangle
 * is stored. Blocks are sums of terms K = alpha 1 + beta n n^T. Rows 3 i to 3 i + 2 of vertex i
 * hold the blocks of neighbours with lower numbers, then its own block:
 *
 *     row 3 i + a:  | block of edge e | block of edge f | a + 1 numbers of i's own |
 *                   ^ start
 * ============================================================================================ */

static void dci_block_build(dci_arena *arena, dc_sparse *matrix, const dc_mesh *mesh)
{
    const dc_index *end = mesh->edge_vertices;
    dc_index rows = 3 * mesh->vertex_count, *start, e, v, a, k;
    int64_t entries = 9 * (int64_t)mesh->edge_count + 6 * (int64_t)mesh->vertex_count;
    dci_sparse_layout(arena, matrix, rows, rows, dci_index_or_none(entries));
    if (arena->is_short) return;
    start = matrix->start;
    dci_index_fill(start, rows + 1, 0);
    for (e = 0; e < mesh->edge_count; e++)
        for (a = 0; a < 3; a++) start[3 * dci_index_max(end[2 * e], end[2 * e + 1]) + a] += 3;
    for (v = 0; v < mesh->vertex_count; v++)
        for (a = 0; a < 3; a++) start[3 * v + a] += a + 1;
    dci_index_offsets(start, rows);
    for (e = 0; e < mesh->edge_count; e++)
        for (a = 0; a < 3; a++)
            for (k = 0; k < 3; k++)
                matrix->column[start[3 * dci_index_max(end[2 * e], end[2 * e + 1]) + a]++] =
                    3 * dci_index_min(end[2 * e], end[2 * e + 1]) + k;
    for (v = 0; v < mesh->vertex_count; v++)
        for (a = 0; a < 3; a++)
            for (k = 0; k <= a; k++) matrix->column[start[3 * v + a]++] = 3 * v + k;
    dci_index_rewind(start, rows);
}

/* K = alpha 1 + beta n n^T. */
typedef struct dci_stiffness {
    dc_real alpha, beta;
    dc_vec3 n;
} dci_stiffness;

/* K x. */
static dc_vec3 dci_stiffness_apply(const dci_stiffness *k, dc_vec3 x)
{
    return dci_vec_axpy(dci_vec_scale(k->alpha, x), k->beta * dci_dot(k->n, x), k->n);
}

/* Adds w K to the block of an edge between i and j, or of the vertex i = j. */
static void dci_block_add(dc_sparse *matrix, dc_index i, dc_index j, dc_real w,
                          const dci_stiffness *k)
{
    const dc_real n[3] = {k->n.x, k->n.y, k->n.z};
    dc_index low = 3 * dci_index_min(i, j), high = 3 * dci_index_max(i, j), place = 0, a, b;
    while (matrix->column[matrix->start[high] + place] != low) place += 3;
    for (a = 0; a < 3; a++) {
        dc_real *row = matrix->value + matrix->start[high + a] + place;
        for (b = 0; b < 3 && low + b <= high + a; b++) row[b] += w * k->beta * n[a] * n[b];
        row[a] += w * k->alpha;
    }
}

/* image = A x. */
static void dci_block_apply(const dc_sparse *matrix, const dc_real *x, dc_real *image)
{
    dc_index i, p;
    for (i = 0; i < matrix->row_count; i++) {
        dc_real sum = 0;
        for (p = matrix->start[i]; p < matrix->start[i + 1] - 1; p++) {
            sum += matrix->value[p] * x[matrix->column[p]];
            image[matrix->column[p]] += matrix->value[p] * x[i];
        }
        image[i] = sum + matrix->value[p] * x[i];
    }
}

/* ============================================================================================
 * 51 DRAPE                                                                          dci_drape
 *
 * Finds where cloth comes to rest, without dynamics: of all shapes that preserve the edge lengths,
 * reach the anchors and do not intersect, one with locally minimal potential energy:
 *
 *     min sum m_i h_i + b^3 N / area E_H    with   l = l0 for each edge,
 *                                                  P (p - y) = 0 for each anchor          (51.1)
 *
 * p = sum w_k x_k is a vertex or a point of a triangle. P is 1 if it is to be at y, 1 - n n^T on
 * the line through y along n, n n^T in the plane through y across n. A soft anchor is a spring
 * instead, with the energy N / (2 give) |P (p - y)|^2.
 *
 * b^3 is the ratio of bending stiffness to weight per area; folds narrower than b cost more than
 * they gain. [CT10] has no bending: finer folds are always lower, and there the mesh crumples. E_H
 * is the energy (16.3) of the edges' midpoints. Without gravity E_H alone is minimised.
 *
 * Vertices can be held to a curve instead, with y_i the point of a polyline nearest to x_i. They
 * slide: neighbours are a chord apart, which is shorter than the curve by l0^3 / (24 r^2), so
 * vertices at fixed places of a curve of radius r could not keep their lengths.
 *
 * A shape is measured by
 *
 *     E_L = sum (l - l0)^2,   E_I = sum |P (p - y)|^2,   E_G = sum m_i h_i                (51.2)
 *     E_A = | area - rest area | / rest area                                              (51.3)
 *
 * ([CT10] squares E_G, so that it depends on the origin of heights.) Each change of shape, from x
 * to a trial, passes the collision stages like a step of a world. Impulses and impact zones stop
 * intersections, and a change that is not proved clear is rejected. In place of repulsion (chapter
 * 34), contacts are springs between features, with the energy
 *
 *     1/2 sum C_c max(0, delta)^2,  C_c = C / min(1, 2 (1 - delta / thickness))^2 at x    (51.4)
 *
 * C_c grows where features come nearer than half the thickness. Otherwise the tension of a sheet at
 * a sharp corner would press it through its spring, to where only impulses stop it. F has no term
 * for those, so the descent would go on into the corner.
 *
 * Friction at an obstacle is a spring from the sticking point s_i of each vertex in contact, with
 *
 *     slide = (1 - n n^T) sum c_i (x_i - s_i), force -C_c slide, at most mu C_c delta long (51.5)
 *
 * Where it would be longer, s_i follows: Coulomb's law as a slipping spring, which does not creep.
 * ============================================================================================ */

/* A contact at x and its spring. */
typedef struct dci_drape_contact {
    dc_index vertex[4]; /* of the surface                                                        */
    dc_real factor[4];  /* c_i of (32.1)                                                         */
    dc_vec3 normal;
    dc_real depth;      /* delta [m], positive                                                   */
    dc_real stiffness;  /* C_c                                                                   */
    dc_real limit;      /* mu delta [m]; 0 within the sheet, and in the last stage               */
    dc_vec3 slide;      /* (51.5) [m]                                                            */
    dc_real tangential; /* stiffness across the normal, in units of C_c                          */
    int first_count; /* vertices of the first feature                                            */
} dci_drape_contact;

/* A point p that is held. */
typedef struct dci_anchor {
    dc_index vertex[3];
    dc_real weight[3];        /* w_k                                                             */
    dc_anchor_kind kind;
    dci_stiffness projection; /* P                                                               */
    dc_real give;             /* [m]                                                             */
    dc_vec3 at, target;       /* [m] where it is to be now, y, and in the end                    */
    int is_held;
} dci_anchor;

/* A polyline; a closed one has as many segments as points, others one less. */
typedef struct dci_curve {
    dc_vec3 *point, *target; /* [m] now, and in the end                                          */
    dc_vec3 *next;           /* [m] another target, before it is checked                         */
    dc_index point_count, segment_count;
    dc_curve_function function; /* or NULL                                                       */
    void *context;
} dci_curve;

/* A vertex on a curve. */
typedef struct dci_curve_vertex {
    dc_index vertex, curve;
    dc_index segment; /* with the nearest point, from which the next one is searched             */
} dci_curve_vertex;

enum { DCI_CONTACTS_PER_VERTEX = 4 }; /* a capacity: further contacts have no springs */

/* The state of the descent, chapter 52. */
typedef struct dci_schedule {
    dc_real gravity;  /* kappa [m]                                                                */
    dc_real damping;  /* eta by `strain`                                                          */
    dc_real strain;   /* in the last stage the mean strain, in the others 1                       */
    dc_real smooth;   /* nu / (kappa N)                                                           */
    dc_real bending;  /* B [m^2]                                                                  */
    dc_real spring;   /* [1] of edges that stand for bending in A                                 */
    dc_real lowest;   /* [m^2] F when it last decreased enough                                    */
    dc_index stalled; /* iterations since then                                                   */
    dc_index refused; /* rejected steps in a row                                                 */
    dc_index count;   /* iterations in this stage                                                */
    dc_index tunings; /* updates (52.4) in this stage                                            */
    dc_real lead_step; /* [m] by which obstacles are led in an iteration                         */
    int is_changed;   /* whether a target has changed since the last iteration                   */
    int has_new_holds; /* likewise, whether an anchor was released or held again                */
    int was_at_rest;  /* before a target changed                                                 */
    int is_near;      /* whether it began where it was at rest                                   */
    int is_led;       /* whether this iteration leads the sheet                                  */
    int is_newton;    /* whether the step has the stiffness of compressed edges                  */
    int is_soft_kept; /* whether stage 0 has ended                                               */
} dci_schedule;

struct dc_drape {
    dc_drape_desc desc; /* its pointers are not used after the start                             */
    dc_mesh mesh;
    dc_real unit;      /* [m] the mean rest length                                               */
    dc_real rest_area; /* [m^2]                                                                  */
    dc_vec3 up;        /* unit, or 0                                                             */
    dc_real *length, *mass;
    dc_real *spring_length; /* (edge_count) [m] l0'                                             */
    dci_anchor *anchor; /* (desc.anchor_count)                                                  */
    dc_index *piece;    /* (vertex_count) the first vertex of its piece                         */
    dci_curve *curve;           /* (desc.curve_count)                                           */
    dci_curve_vertex *on_curve; /* (on_curve_count)                                             */
    dc_index on_curve_count;
    dc_index far_anchor;    /* an anchor too far from another, or DC_NONE                       */
    dc_vec3 *x, *previous;  /* (vertex_count) now, and before the last change                   */
    dc_vec3 *trial, *step;  /* (vertex_count)                                                   */
    dc_vec3 *force;         /* (vertex_count) minus the gradient of F                           */
    dc_vec3 *soft;    /* (vertex_count) x at the end of stage 0                                  */
    dc_vec3 *settled; /* (vertex_count) x at the end of the tuned stage                          */
    dc_vec3 *left;    /* (vertex_count) g, the force that was left there                        */
    dc_real *tension; /* (edge_count) [m] t of (52.7), near rest                                */
    dc_vec3 *obstacle_target; /* (vertices of obstacles) [m]; and where they were at `soft`       */
    dc_vec3 *obstacle_soft;
    dc_sparse matrix; /* chapter 50                                                               */
    dc_cholesky factor;
    dc_real *work, *inverse;    /* (12 vertex_count), (3 vertex_count)                           */
    dci_energy bending;         /* (16.3) of the midpoints, with k = 1                           */
    dc_vec3 *middle, *response; /* (edge_count) midpoints; minus the forces on them              */
    dci_surface surface;        /* without vertices if nothing collides                          */
    dc_real stiffness;          /* C                                                             */
    dci_drape_contact *contact;
    dc_index contact_count, contact_capacity;
    dc_vec3 *stuck_at;
    unsigned char *is_stuck;
    dci_schedule schedule;
    dc_drape_report report;
};

#define DCI_ANCHOR_STIFFNESS DCI_R(10) /* H of (52.1) */
#define DCI_CURVE_STIFFNESS DCI_R(2)   /* H for curves */

static int dci_drape_has_gravity(const dc_drape *d)
{
    return dci_dot(d->up, d->up) > 0;
}

/* The last stage of chapter 52 restores the lengths alone. */
static int dci_drape_is_last(const dc_drape *d)
{
    return d->report.stage == DC_DRAPE_STAGES - 1;
}

/* Near rest: the tuned stage of a posture that began where the sheet was at rest. */
static int dci_drape_is_near(const dc_drape *d)
{
    return d->schedule.is_near && d->report.stage == DC_DRAPE_STAGES - 2;
}

/* ---- Anchors ---- */

/* P (y - p) at x [m]. */
static dc_vec3 dci_anchor_offset(const dci_anchor *a, dc_vec3 y, const dc_vec3 *x)
{
    for (int k = 0; k < 3; k++) y = dci_vec_axpy(y, -a->weight[k], x[a->vertex[k]]);
    return dci_stiffness_apply(&a->projection, y);
}

/* | P (to - from) | [m], 0 if that is rounding: a line does not move along itself. */
static dc_real dci_anchor_way(const dci_anchor *a, dc_vec3 from, dc_vec3 to)
{
    dc_real way = dci_norm(dci_stiffness_apply(&a->projection, dci_vec_sub(to, from)));
    return way > 4 * DCI_EPSILON * (dci_norm(from) + dci_norm(to)) ? way : DCI_R(0);
}

/* S of (52.1). In the last stage soft anchors have no force. */
static dc_real dci_drape_anchor_stiffness(const dc_drape *d, const dci_anchor *a)
{
    dc_real weight = d->schedule.gravity * (dc_real)d->mesh.vertex_count;
    dc_real edge = d->unit / DC_SQRT(d->rest_area);
    if (!(a->give > 0)) return DCI_ANCHOR_STIFFNESS;
    if (!dci_drape_has_gravity(d)) weight *= edge * edge * edge; /* b is an edge */
    return DCI_ANCHOR_STIFFNESS * weight / (weight + DCI_ANCHOR_STIFFNESS * a->give);
}

static void dci_drape_add_anchor(dc_drape *d, const dci_anchor *a)
{
    dc_vec3 offset = dci_anchor_offset(a, a->at, d->x);
    dc_real stiffness = dci_drape_anchor_stiffness(d, a);
    for (int k = 0; k < 3 && a->is_held; k++) {
        dc_vec3 *force = d->force + a->vertex[k];
        dc_real weight = stiffness * a->weight[k];
        *force = dci_vec_axpy(*force, weight, offset);
        for (int j = 0; j <= k && weight > 0; j++)
            if (a->weight[j] > 0)
                dci_block_add(&d->matrix, a->vertex[j], a->vertex[k], weight * a->weight[j],
                              &a->projection);
    }
}

static dc_real dci_drape_anchor_energy(const dc_drape *d, const dci_anchor *a, const dc_vec3 *x)
{
    dc_vec3 offset = dci_anchor_offset(a, a->at, x);
    return a->is_held ? dci_drape_anchor_stiffness(d, a) / 2 * dci_dot(offset, offset) : 0;
}

/* ---- Curves ---- */

/* The point of a curve nearest to a point. */
typedef struct dci_curve_near {
    dc_vec3 point, tangent; /* unit; 0 at an end of the curve                                    */
    dc_index segment;
    dc_real distance;
} dci_curve_near;

static dci_curve_near dci_curve_segment(const dci_curve *c, dc_index segment, dc_vec3 x)
{
    dc_vec3 a = c->point[segment], b = c->point[(segment + 1) % c->point_count];
    dc_vec3 along = dci_vec_sub(b, a);
    dc_real length = dci_norm(along), part;
    int is_open = c->segment_count < c->point_count;
    dci_curve_near nearest;
    along = dci_vec_scale(1 / length, along);
    part = dci_dot(dci_vec_sub(x, a), along);
    nearest.tangent = along;
    if (is_open && ((segment == 0 && part < 0) ||
                    (segment == c->segment_count - 1 && part > length)))
        nearest.tangent = dci_vec(0, 0, 0);
    nearest.point = dci_vec_axpy(a, dci_min(length, dci_max(0, part)), along);
    nearest.segment = segment;
    nearest.distance = dci_norm(dci_vec_sub(x, nearest.point));
    return nearest;
}

/* Searches from a segment in both directions as long as the distance does not grow, because the
   curve may be near again elsewhere. */
static dci_curve_near dci_curve_nearest(const dci_curve *c, dc_index segment, dc_vec3 x)
{
    dci_curve_near best = dci_curve_segment(c, segment, x);
    dc_index count = c->segment_count, i;
    for (int direction = -1; direction <= 1; direction += 2) {
        dci_curve_near last = best;
        for (i = 1; i < count; i++) {
            dc_index next = last.segment + direction;
            if (count < c->point_count && (next < 0 || next == count)) break;
            dci_curve_near found = dci_curve_segment(c, (next + count) % count, x);
            if (found.distance > last.distance) break;
            last = found;
        }
        if (last.distance < best.distance) best = last;
    }
    return best;
}

typedef struct dci_curve_hold {
    dc_vec3 force;
    dci_stiffness across, along; /* the tangent; the force                                       */
    dc_real energy;
} dci_curve_hold;

/* In the last stage a vertex is nearly free within the tolerance of its curve. If all had to be on
   it, lengths could not be kept where the ends of a run are held, or where the curve is closed. */
static dci_curve_hold dci_drape_curve_hold(const dc_drape *d, const dci_curve_vertex *on, dc_vec3 x)
{
    dci_curve_near nearest = dci_curve_nearest(d->curve + on->curve, on->segment, x);
    dc_vec3 way = dci_vec_sub(nearest.point, x);
    dc_real free_way = d->desc.curve_tolerance * d->unit, beyond = nearest.distance - free_way;
    dci_curve_hold hold = {{0, 0, 0}, {0, 0, {0, 0, 0}}, {0, 0, {0, 0, 0}}, 0};
    int is_last = dci_drape_is_last(d);
    hold.across.alpha = is_last ? DCI_ANCHOR_STIFFNESS * d->desc.tolerance : DCI_CURVE_STIFFNESS;
    hold.energy = hold.across.alpha / 2 * dci_dot(way, way);
    if (is_last && beyond > 0) {
        hold.energy += DCI_CURVE_STIFFNESS / 2 * beyond * beyond;
        hold.across.alpha += DCI_CURVE_STIFFNESS * beyond / nearest.distance;
        hold.along.beta = DCI_CURVE_STIFFNESS * free_way / nearest.distance;
        hold.along.n = dci_vec_scale(1 / nearest.distance, way);
    }
    hold.across.beta = -hold.across.alpha;
    hold.across.n = nearest.tangent;
    hold.force = dci_vec_scale(hold.across.alpha, way);
    return hold;
}

/* ---- Energies ---- */

/* l0', or in the last stage l0. */
static dc_real dci_drape_rest_length(const dc_drape *d, dc_index e)
{
    return dci_drape_is_last(d) ? d->length[e] : d->spring_length[e];
}

static dc_vec3 dci_drape_edge(const dc_drape *d, const dc_vec3 *x, dc_index e)
{
    return dci_vec_sub(x[d->mesh.edge_vertices[2 * e]], x[d->mesh.edge_vertices[2 * e + 1]]);
}

static dc_real dci_drape_area(const dc_drape *d)
{
    dc_real sum = 0;
    for (dc_index t = 0; t < d->mesh.triangle_count; t++) {
        const dc_index *v = d->mesh.triangles + 3 * t;
        dc_vec3 side = dci_vec_sub(d->x[v[1]], d->x[v[0]]);
        sum += dci_norm(dci_cross(side, dci_vec_sub(d->x[v[2]], d->x[v[0]]))) / 2;
    }
    return sum;
}

/* E_H. */
static dc_real dci_drape_bending_energy(const dc_drape *d, const dc_vec3 *x)
{
    dci_mesh_midpoints(&d->mesh, x, d->middle);
    return dci_energy_value(&d->bending, 0, d->bending.bending_count, d->middle, NULL);
}

/* image += the derivative of weight E_H at x, minus the forces of springs along the edges. */
static void dci_drape_add_bending(const dc_drape *d, dc_real weight, dc_real spring,
                                  const dc_vec3 *x, dc_vec3 *image)
{
    if (weight == 0) return;
    dci_mesh_midpoints(&d->mesh, x, d->middle);
    for (dc_index e = 0; e < d->mesh.edge_count; e++) d->response[e] = dci_vec(0, 0, 0);
    dci_energy_add_image(&d->bending, weight, 0, d->middle, d->response);
    for (dc_index e = 0; e < d->mesh.edge_count; e++) {
        dc_vec3 *a = image + d->mesh.edge_vertices[2 * e];
        dc_vec3 *b = image + d->mesh.edge_vertices[2 * e + 1];
        dc_vec3 stretch = dci_vec_scale(spring, dci_drape_edge(d, x, e));
        *a = dci_vec_sub(dci_vec_axpy(*a, DCI_R(0.5), d->response[e]), stretch);
        *b = dci_vec_add(dci_vec_axpy(*b, DCI_R(0.5), d->response[e]), stretch);
    }
}

/* (51.2), (51.3). */
static void dci_drape_measure(dc_drape *d)
{
    dc_drape_report *r = &d->report;
    dc_index i;
    r->bending = dci_drape_bending_energy(d, d->x);
    r->length_energy = r->anchor_energy = r->potential = 0;
    r->strain_max = r->anchor_distance = 0;
    r->strain_edge = 0;
    r->worst_anchor = DC_NONE;
    for (i = 0; i < d->mesh.edge_count; i++) {
        dc_real length = dci_norm(dci_drape_edge(d, d->x, i)), excess = length - d->length[i];
        dc_real strain = dci_abs(excess) / d->length[i];
        r->length_energy += excess * excess;
        if (strain > r->strain_max) r->strain_edge = i;
        r->strain_max = dci_max(r->strain_max, strain);
    }
    for (i = 0; i < d->desc.anchor_count; i++) {
        const dci_anchor *anchor = d->anchor + i;
        dc_real distance = dci_norm(dci_anchor_offset(anchor, anchor->target, d->x));
        if (!anchor->is_held || anchor->give > 0) continue;
        r->anchor_energy += distance * distance;
        if (r->worst_anchor == DC_NONE || distance > r->anchor_distance) r->worst_anchor = i;
        r->anchor_distance = dci_max(r->anchor_distance, distance);
    }
    r->curve_distance = 0;
    r->curve_vertex = DC_NONE;
    for (i = 0; i < d->on_curve_count; i++) {
        dci_curve_vertex *on = d->on_curve + i;
        dci_curve_near nearest =
            dci_curve_nearest(d->curve + on->curve, on->segment, d->x[on->vertex]);
        on->segment = nearest.segment;
        if (r->curve_vertex == DC_NONE || nearest.distance > r->curve_distance)
            r->curve_vertex = on->vertex;
        r->curve_distance = dci_max(r->curve_distance, nearest.distance);
    }
    for (i = 0; i < d->mesh.vertex_count; i++) r->potential += d->mass[i] * dci_dot(d->up, d->x[i]);
    r->area_error = dci_abs(dci_drape_area(d) - d->rest_area) / d->rest_area;
}

/* ---- Contacts ---- */

/* The square root of C / C_c. In a far lead an obstacle may be ahead of the sheet by more than the
   thickness, where (51.4) has no value. */
#define DCI_CONTACT_SOFTNESS_LEAST DCI_R(1e-2)

static int dci_drape_collides(const dc_drape *d)
{
    return d->surface.vertex_count > 0;
}

/* Vertices of the sheet come first, then those of obstacles. */
static int dci_drape_owns(const dc_drape *d, dc_index v)
{
    return v < d->mesh.vertex_count;
}

static int dci_drape_contact_is_self(const dc_drape *d, const dci_drape_contact *contact)
{
    return dci_drape_owns(d, contact->vertex[0]) && dci_drape_owns(d, contact->vertex[3]);
}

static int dci_drape_is_near_lead(const dc_drape *d)
{
    return d->schedule.is_led && d->schedule.is_near;
}

/* The next motion of a contact's obstacle: minus the sum of c_i u_i over its vertices. */
static dc_vec3 dci_drape_contact_motion(const dc_drape *d, const dci_drape_contact *contact)
{
    const dci_surface *s = &d->surface;
    dc_vec3 sum = dci_vec(0, 0, 0);
    for (dc_index i = 0; i < 4; i++) {
        dc_index v = contact->vertex[i];
        if (!dci_drape_owns(d, v))
            sum = dci_vec_axpy(sum, -contact->factor[i], dci_vec_sub(s->end[v], s->start[v]));
    }
    return sum;
}

/* Finds pairs closer at x than `part` of their thickness, among the pairs of the last change, with
   obstacles where they are or, in a far lead, where they will be next. */
static void dci_drape_find_contacts(dc_drape *d, dc_real part)
{
    const dci_surface *s = &d->surface;
    int is_last = dci_drape_is_last(d);
    d->contact_count = d->report.contacts = 0;
    for (dc_index i = 0; i < s->pair_count && d->contact_count < d->contact_capacity; i++) {
        const dci_pair *pair = s->pair + i;
        dci_drape_contact *contact = d->contact + d->contact_count;
        dci_contact found;
        dc_real thickness = dci_pair_thickness(s, pair), softness;
        if (!dci_pair_nearest(pair, s->start, &found)) continue;
        DC_MEMCPY(contact->vertex, pair->vertex, sizeof contact->vertex);
        DC_MEMCPY(contact->factor, found.factor, sizeof contact->factor);
        contact->normal = found.normal;
        contact->depth = part * thickness + dci_pair_radii(s, pair) - found.distance;
        if (d->schedule.is_led && !d->schedule.is_near)
            contact->depth += dci_dot(found.normal, dci_drape_contact_motion(d, contact));
        d->report.contacts += contact->depth + (1 - part) * thickness > 0;
        if (!(contact->depth > 0)) continue;
        softness = dci_min(1, 2 * (1 - contact->depth / thickness)); /* (51.4) */
        softness = dci_max(softness, DCI_CONTACT_SOFTNESS_LEAST);
        contact->stiffness = d->stiffness / (softness * softness);
        contact->first_count = dci_first_count(pair->corner_count);
        contact->limit = dci_pair_friction(s, pair) * contact->depth;
        if (is_last || dci_drape_contact_is_self(d, contact)) contact->limit = 0;
        contact->tangential = 0;
        contact->slide = dci_vec(0, 0, 0);
        d->contact_count++;
    }
}

/* The tangential part of sum c_i (to_i - from_i), over vertices of the sheet. */
static dc_vec3 dci_drape_contact_slide(const dc_drape *d, const dci_drape_contact *contact,
                                       const dc_vec3 *to, const dc_vec3 *from)
{
    dc_vec3 sum = dci_vec(0, 0, 0);
    for (dc_index i = 0; i < 4; i++) {
        dc_index v = contact->vertex[i];
        if (dci_drape_owns(d, v))
            sum = dci_vec_axpy(sum, contact->factor[i], dci_vec_sub(to[v], from[v]));
    }
    return dci_vec_axpy(sum, -dci_dot(sum, contact->normal), contact->normal);
}

/* Finds slides (51.5), and secant stiffnesses for the larger of slide and last motion; in a near
   lead all stick. */
static void dci_drape_find_slides(dc_drape *d)
{
    for (dc_index i = 0; i < d->contact_count; i++) {
        dci_drape_contact *contact = d->contact + i;
        if (!(contact->limit > 0)) continue;
        for (dc_index k = 0; k < 4; k++) {
            dc_index v = contact->vertex[k];
            if (!dci_drape_owns(d, v) || d->is_stuck[v]) continue;
            d->stuck_at[v] = d->x[v];
            d->is_stuck[v] = 1;
        }
        contact->slide = dci_drape_contact_slide(d, contact, d->x, d->stuck_at);
        dc_real length = dci_norm(dci_drape_contact_slide(d, contact, d->x, d->previous));
        length = dci_max(dci_norm(contact->slide), length);
        if (dci_drape_is_near_lead(d)) length = 0;
        contact->tangential = length > contact->limit ? contact->limit / length : DCI_R(1);
    }
}

/* Moves sticking points along with their obstacles, by the mean of their contacts. */
static void dci_drape_carry(dc_drape *d)
{
    dc_real *weight = d->work;
    dc_vec3 *motion = (dc_vec3 *)(weight + d->mesh.vertex_count);
    for (dc_index i = 0; i < d->mesh.vertex_count; i++) {
        weight[i] = 0;
        motion[i] = dci_vec(0, 0, 0);
    }
    for (dc_index i = 0; i < d->contact_count; i++) {
        const dci_drape_contact *contact = d->contact + i;
        dc_vec3 way = dci_drape_contact_motion(d, contact);
        dc_real side = 0; /* the sum of c_i over the sheet: 1 or -1 */
        for (dc_index k = 0; k < 4; k++)
            if (dci_drape_owns(d, contact->vertex[k])) side += contact->factor[k];
        for (dc_index k = 0; k < 4 && contact->limit > 0; k++) {
            dc_index v = contact->vertex[k];
            dc_real c = dci_abs(contact->factor[k]);
            if (!dci_drape_owns(d, v)) continue;
            weight[v] += c;
            motion[v] = dci_vec_axpy(motion[v], c * side, way);
        }
    }
    for (dc_index i = 0; i < d->mesh.vertex_count; i++)
        if (weight[i] > 0) d->stuck_at[i] = dci_vec_axpy(d->stuck_at[i], 1 / weight[i], motion[i]);
}

/* Moves sticking points where contacts slip. Forgets those of vertices without contact. */
static void dci_drape_slip(dc_drape *d)
{
    for (dc_index i = 0; i < d->mesh.vertex_count; i++) d->is_stuck[i] = 0;
    for (dc_index i = 0; i < d->contact_count; i++) {
        const dci_drape_contact *contact = d->contact + i;
        dc_real sum = 0, length;
        if (!(contact->limit > 0)) continue;
        dc_vec3 slide = dci_drape_contact_slide(d, contact, d->x, d->stuck_at);
        length = dci_norm(slide);
        for (dc_index k = 0; k < 4; k++)
            if (dci_drape_owns(d, contact->vertex[k])) {
                d->is_stuck[contact->vertex[k]] = 1;
                sum += contact->factor[k] * contact->factor[k];
            }
        if (!(length > contact->limit)) continue;
        for (dc_index k = 0; k < 4; k++) {
            dc_index v = contact->vertex[k];
            dc_real part = contact->factor[k] / sum * (1 - contact->limit / length);
            if (dci_drape_owns(d, v)) d->stuck_at[v] = dci_vec_axpy(d->stuck_at[v], part, slide);
        }
    }
}

/* ---- Certified changes ---- */

/* Returns 0 if pairs exceed the capacity. */
static int dci_drape_find_pairs(dc_drape *d, const dc_vec3 *trial)
{
    dci_surface *s = &d->surface;
    dci_vec_copy(s->start, d->x, d->mesh.vertex_count);
    dci_vec_copy(s->end, trial, d->mesh.vertex_count);
    dci_surface_find_pairs(s);
    return s->pairs_needed <= s->pair_capacity;
}

/* Corrects the trial until the change from x is proved clear. 0 if that or the capacity fails. */
static int dci_drape_certify(dc_drape *d)
{
    dci_surface *s = &d->surface;
    dc_report report = dci_report_empty();
    if (!dci_drape_collides(d)) return 1;
    if (!dci_drape_find_pairs(d, d->trial)) return 0;
    dci_impulse_run(s, &report);
    if (s->pairs_needed > s->pair_capacity) return 0;
    dci_zone_run(s, &report);
    if (s->pairs_needed > s->pair_capacity || report.unresolved > 0) return 0;
    dci_vec_copy(d->trial, s->end, d->mesh.vertex_count);
    return 1;
}

/* t of (52.7): how much longer edges are at x than l0', in their directions at another shape. */
static void dci_drape_find_tensions(dc_drape *d, const dc_vec3 *directions)
{
    for (dc_index e = 0; e < d->mesh.edge_count; e++) {
        dc_vec3 n = dci_drape_edge(d, directions, e);
        dc_real l = dci_norm(n);
        if (l > 0)
            d->tension[e] = dci_dot(n, dci_drape_edge(d, d->x, e)) / l - d->spring_length[e];
    }
}

/* Accepts the trial and the motion of obstacles. */
static void dci_drape_accept(dc_drape *d)
{
    dci_vec_copy(d->previous, d->x, d->mesh.vertex_count);
    dci_vec_copy(d->x, d->trial, d->mesh.vertex_count);
    if (dci_drape_is_near(d)) dci_drape_find_tensions(d, d->previous);
    dci_vec_copy(d->surface.start, d->surface.end, d->surface.vertex_count);
}

/* The sheet and the obstacles stay where they are. */
static void dci_drape_stay(dc_drape *d)
{
    if (!dci_drape_collides(d)) return;
    dci_vec_copy(d->surface.end, d->surface.start, d->surface.vertex_count);
    dci_drape_find_pairs(d, d->x);
}

/* ============================================================================================
 * 52 DESCENT                                                                        dci_drape
 *
 * [CT10] solves linear least squares problems for lengths, anchors and gravity, axis by axis. This
 * does not converge: steps overshoot; bending is in the null space of the length rows and undamped;
 * a sheet locks if it nearly keeps its lengths while it falls. Here each iteration solves one
 * sparse least squares problem, for all axes together, to decrease
 *
 *     F = 1/2 sum (l - l0')^2 + kappa sum m_i h_i + B E_H + 1/2 sum S |P (p - y)|^2
 *         + (51.4) + the energy of (51.5),      B = kappa b^3 N / area                     (52.1)
 *
 * l0' is l0 except in the tuned stage. S is H, or for soft anchors that of two springs in series,
 * 1/S = 1/H + give / W, with W the weight kappa N or, without gravity, B / area^(1/2). An edge from
 * j to i in direction n has two rows,
 *
 *     n . (D_i - D_j) = l0' - l                                       length
 *     sqrt(u) (1 - n n^T) (D_i - D_j) = 0,  u = max(0, 1 - l0'/l)     geometric stiffness  (52.2)
 *
 * A has the positive part of F's Hessian, so this is Newton's method where edges are taut. In
 * compression u is 0, and the first row is [CT10] (8). Bending, which would couple each vertex to
 * all within two edges, is not in A. In its place edges are springs of stiffness 6 B / edge^2, as
 * stiff as bending is for the finest folds, and the step is found by conjugate gradients with A as
 * the preconditioner. Two more rows are damping:
 *
 *     sqrt(eta) D_i = 0,     sqrt(nu) (D_i - D_j) = 0                                      (52.3)
 *
 * eta damps motions that no other row determines. nu makes steps smooth, so that the sheet buckles
 * into large folds, because small ones do not open again once they touch. A line search halves the
 * step until F, after the collision stages, has decreased (Armijo).
 *
 * Gravity is weakened in stages. At first the sheet stretches and falls like rubber around its
 * obstacles. Whenever F stops decreasing, the next stage begins and the sheet contracts towards its
 * lengths. C decreases with gravity, so that contacts stay as deep: stiffer ones would throw the
 * sheet off. With C below .03, strain would press the sheet through them. The table has the strain
 * of an edge at an anchor, in a sheet that hangs by two corners:
 *
 *     stage                  0      1      2      3       4       5 tuned   6 lengths only
 *     kappa N [mean edges]   2.4    .192   .048   .0096   .0019   .0019     0
 *     C                      9.6    .768   .192   .0384   .03     .03       1
 *     strain                 .8     .09    .025   .005    .001
 *
 * Without gravity kappa is the weight of bending alone. A flat start buckles into as many folds as
 * bending allows, and on its way to a curve a sheet crumples; such folds do not open again. So in
 * both cases b is ten times as long at first, up to the size of the sheet. A sheet that falls gets
 * 1.3 times: with less, folds of single triangles lock where it lands; with more, a skirt stays
 * conical.
 *
 * H is 10 for anchors, but 2 for curves. In the last stage H is 10 times the tolerance, and 2 for
 * vertices farther from their curve than its tolerance, so that these lie on the curve as far as
 * lengths allow. Steps do not foresee this jump in H. If it is larger, they oscillate across it; if
 * H is less, a sheet is farther from its curve when the last stage begins.
 *
 * The tuned stage offsets the strain. An edge that rests at l will rest near l0 with a new length
 *
 *     l0' = l0' - (l - l0)     from l0' = l0 on                                            (52.4)
 *
 * So the shape is the lowest before gravity is removed. In the last stage F is a sum of squares
 * that becomes 0, and its steps are those of Levenberg and Marquardt: u and nu are 0, and eta is a
 * fifth of the mean strain,
 *
 *     eta = .2 (2 F / number of edges)^(1/2) / mean edge                                    (52.5)
 *
 * They converge quadratically to a nearby shape even if many shapes have these lengths, [FY05]. In
 * flat parts, which bend before their lengths change, the Jacobian J nearly vanishes, and an error
 * shrinks by eta / (J^2 + eta) only. With the whole mean strain as eta, a sheet on a box takes a
 * third more steps; with a twentieth, one that follows a curve takes a tenth more. There is no line
 * search: F first grows by 10 to 30 times, as flat parts bend, and if it had to decrease, steps
 * would be an eighth as long. Whenever F has grown, eta grows by 1.4, because steps would oscillate
 * where lengths cannot be met and F does not vanish.
 *
 * Anchors, curves and obstacles may get other targets: another posture. If none is farther than a
 * mean edge, the tuned stage goes on where it had ended, with its l0'. With g the force that was
 * left there the first time, F gets the term sum g_i . x_i, so that a sheet at rest stays there,
 * and comes back when the targets do. At first the sheet is led to the targets,
 *
 *     A D = force + sum c_i K_c (motion of the obstacle)  over contacts c                  (52.6)
 *
 * which is Newton's step if contacts stick to their obstacles. The next steps are Newton's, too:
 * compressed edges have their negative geometric stiffness, unless F is not convex with it. But the
 * tension t in u is not l - l0'. Vertices move along curved paths and a step along the tangents, so
 * it makes edges too long by its square, which is more than the strain at rest. So t is the tension
 * that the last step predicts, in the direction n that the edge had before it, as in [MLG17]:
 *
 *     t = n . (x_i - x_j) - l0',     u = t / l                                              (52.7)
 *
 * With l - l0' the error halves in an iteration; with t it is squared. nu is 0, and eta 2e-8: with
 * 1e-7 it would be stiffer than the bending of waves as long as the sheet. The step that leads has
 * no line search, so eta grows there until no vertex goes much farther than the targets. Otherwise
 * a sheet without gravity, which only eta hinders, would slide far along its curve.
 *
 * Farther targets are reached from the soft shape without folds at the end of stage 0, with
 * obstacles back where they were then; the way there was certified in the other direction. Each
 * iteration leads obstacles by one edge, and is a step of stage 0 with contacts at their next
 * places; F may grow.
 *
 * A mesh with too few degrees of freedom for folding locks: it comes to rest late, too high, or not
 * at all. A truncated cone of N vertices, B on its borders, has 3 N - B edges. If all R vertices of
 * a border are anchored, it has B - 2 R degrees of freedom left.
 * ============================================================================================ */

static const dc_real dci_drape_kappa_n[DC_DRAPE_STAGES] = {
    DCI_R(2.4), DCI_R(0.192), DCI_R(0.048), DCI_R(0.0096), DCI_R(0.0019), DCI_R(0.0019), 0};
enum { DCI_STAGE_TUNE = DC_DRAPE_STAGES - 2, DCI_STAGE_PROJECT = DC_DRAPE_STAGES - 1 };
/* The iteration limit of each stage with gravity, in units of stall_count. While F decreases, the
   tuned stage goes on beyond it. */
static const dc_index dci_drape_stage_max[DCI_STAGE_PROJECT] = {13, 10, 10, 7, 5, 5};

/* b in units of desc.bending_length, without gravity or with curves. */
static const dc_real dci_drape_bending[DC_DRAPE_STAGES] = {
    DCI_R(10), DCI_R(6.3), DCI_R(4), DCI_R(2.5), DCI_R(1.6), 1, 1};

#define DCI_BENDING_FALL DCI_R(0.033)  /* of this increase of b, for a sheet that falls */
#define DCI_BENDING_SPRING DCI_R(6)    /* spring [mean edge]^2 / B */
#define DCI_LEAD_REACH DCI_R(1.3)      /* the largest displacement by that of a target */
#define DCI_TUNE_MOVED DCI_R(1e-3)     /* mean edges: a larger displacement means motion */
enum { DCI_TUNINGS = 2 };
#define DCI_CONTACT_STIFFNESS DCI_R(4) /* C / (kappa N) */
#define DCI_CONTACT_STIFFNESS_LEAST DCI_R(0.03)
#define DCI_SMOOTH_START DCI_R(6e-2) /* nu / (kappa N) */
#define DCI_SMOOTH_DECAY DCI_R(0.9) /* per accepted step */
#define DCI_DAMPING_START DCI_R(1e-3)
#define DCI_DAMPING_LEAST DCI_R(1e-7)
#define DCI_DAMPING_POSTURE DCI_R(2e-8) /* near rest */
#define DCI_DAMPING_STRAIN DCI_R(0.2)   /* the .2 of (52.5) */
#define DCI_DAMPING_GROWTH DCI_R(1.4)   /* of eta in the last stage, when F has grown */
#define DCI_DRAPE_ARMIJO DCI_R(1e-4)
#define DCI_DRAPE_STEP_MAX 2 /* mean edges that a vertex moves at most, before collisions */
enum { DCI_DRAPE_HALVINGS = 12, DCI_DRAPE_REFUSALS = 10 };
/* F has stalled if it decreases by less than this fraction of kappa N times the sheet's size. */
#define DCI_DRAPE_STALL DCI_R(5e-4)
#define DCI_DRAPE_STALL_LAST DCI_R(3e-4) /* in the tuned stage */
#define DCI_GUARD_PART DCI_R(0.5)        /* of the thickness, for contacts in the last stage */
/* Conjugate gradients: with the factor; or with the diagonal, and near rest, where an error changes
   the shape (in a lead with the first tolerance, by 7% of strain). */
#define DCI_DRAPE_CG_TOL DCI_R(5e-2)
#define DCI_DRAPE_CG_TOL_FINE DCI_R(1e-4)
enum { DCI_DRAPE_CG_MAX = 50, DCI_DRAPE_CG_MAX_DIAGONAL = 1000 };

/* Sets l0' to l0 or, in the tuned stage, by (52.4). */
static void dci_drape_set_springs(dc_drape *d, int is_tuned)
{
    for (dc_index e = 0; e < d->mesh.edge_count; e++) {
        dc_real rest = d->length[e], excess = dci_norm(dci_drape_edge(d, d->x, e)) - rest;
        d->spring_length[e] = is_tuned ? d->spring_length[e] - excess : rest;
    }
    d->schedule.tunings = is_tuned ? d->schedule.tunings + 1 : 0;
}

/* B of (52.1), and the springs that stand for it. */
static void dci_drape_set_bending(dc_drape *d, dc_index stage)
{
    int falls = dci_drape_has_gravity(d) && d->on_curve_count == 0;
    dc_real b = d->desc.bending_length, increase = b * (dci_drape_bending[stage] - 1);
    dc_real longer = b + (falls ? DCI_BENDING_FALL : DCI_R(1)) * increase;
    b = dci_max(b, dci_min(longer, DC_SQRT(d->rest_area)));
    d->schedule.bending =
        d->schedule.gravity * b * b * b * (dc_real)d->mesh.vertex_count / d->rest_area;
    d->schedule.spring = DCI_BENDING_SPRING * d->schedule.bending / (d->unit * d->unit);
}

static void dci_drape_keep_soft(dc_drape *d)
{
    dc_index count = d->mesh.vertex_count, all = d->surface.vertex_count;
    dci_vec_copy(d->soft, d->x, count);
    if (all > count) dci_vec_copy(d->obstacle_soft, d->surface.start + count, all - count);
}

static void dci_drape_enter(dc_drape *d, dc_index stage)
{
    dci_schedule *s = &d->schedule;
    dc_real stiffness =
        dci_max(DCI_CONTACT_STIFFNESS_LEAST, DCI_CONTACT_STIFFNESS * dci_drape_kappa_n[stage]);
    if (stage == 1 && !s->is_soft_kept) {
        dci_drape_keep_soft(d);
        s->is_soft_kept = 1;
    }
    if (stage == DCI_STAGE_PROJECT) dci_vec_copy(d->settled, d->x, d->mesh.vertex_count);
    d->report.stage = stage;
    s->gravity = dci_drape_kappa_n[stage] / (dc_real)d->mesh.vertex_count * d->unit;
    dci_drape_set_bending(d, stage);
    s->lowest = DCI_REAL_MAX;
    s->count = s->stalled = s->refused = 0;
    if (stage < DCI_STAGE_PROJECT && !s->is_near) dci_drape_set_springs(d, stage == DCI_STAGE_TUNE);
    d->stiffness = stage == DCI_STAGE_PROJECT ? DCI_R(1) : stiffness;
    s->damping = dci_min(s->damping, DCI_DAMPING_START);
    if (stage == DCI_STAGE_PROJECT) s->damping = DCI_DAMPING_STRAIN;
    s->strain = 1;
}

/* F at `to`, with the contacts and their normals at x. */
static dc_real dci_drape_merit(const dc_drape *d, const dc_vec3 *to)
{
    dc_real sum = 0;
    for (dc_index i = 0; i < d->mesh.edge_count; i++) {
        dc_real excess = dci_norm(dci_drape_edge(d, to, i)) - dci_drape_rest_length(d, i);
        sum += excess * excess / 2;
    }
    for (dc_index i = 0; i < d->mesh.vertex_count; i++)
        sum += d->schedule.gravity * d->mass[i] * dci_dot(d->up, to[i]);
    if (d->schedule.bending > 0) sum += d->schedule.bending * dci_drape_bending_energy(d, to);
    for (dc_index i = 0; i < d->mesh.vertex_count && dci_drape_is_near(d); i++)
        sum += dci_dot(d->left[i], dci_vec_sub(to[i], d->settled[i]));
    for (dc_index i = 0; i < d->desc.anchor_count; i++)
        sum += dci_drape_anchor_energy(d, d->anchor + i, to);
    for (dc_index i = 0; i < d->on_curve_count; i++) {
        const dci_curve_vertex *on = d->on_curve + i;
        sum += dci_drape_curve_hold(d, on, to[on->vertex]).energy;
    }
    for (dc_index i = 0; i < d->contact_count; i++) {
        const dci_drape_contact *contact = d->contact + i;
        dc_real depth = contact->depth, length;
        for (dc_index k = 0; k < 4; k++)
            if (dci_drape_owns(d, contact->vertex[k]))
                depth -= contact->factor[k] *
                         dci_dot(contact->normal,
                                 dci_vec_sub(to[contact->vertex[k]], d->x[contact->vertex[k]]));
        depth = dci_max(0, depth);
        sum += contact->stiffness / 2 * depth * depth;
        if (!(contact->limit > 0)) continue;
        dc_vec3 slide = dci_vec_add(contact->slide, dci_drape_contact_slide(d, contact, to, d->x));
        length = dci_norm(slide);
        sum += contact->stiffness * (length < contact->limit
                                   ? length * length / 2
                                   : contact->limit * (length - contact->limit / 2));
    }
    return sum;
}

/* ---- The rows ---- */

static dci_stiffness dci_drape_contact_stiffness(const dci_drape_contact *contact)
{
    const dci_stiffness k = {contact->stiffness * contact->tangential,
                             contact->stiffness * (1 - contact->tangential), contact->normal};
    return k;
}

/* Adds a contact's force, and its stiffness within each feature: dci_drape_apply() couples them. */
static void dci_drape_add_contact(dc_drape *d, const dci_drape_contact *contact)
{
    dci_stiffness k = dci_drape_contact_stiffness(contact);
    dc_vec3 force = dci_vec_scale(contact->stiffness * contact->depth, contact->normal);
    dc_real length = dci_norm(contact->slide);
    dc_real part = length > contact->limit ? contact->limit / length : DCI_R(1);
    force = dci_vec_axpy(force, -contact->stiffness * part, contact->slide);
    if (dci_drape_is_near_lead(d))
        force = dci_vec_add(force, dci_stiffness_apply(&k, dci_drape_contact_motion(d, contact)));
    for (int i = 0; i < 4; i++) {
        dc_index v = contact->vertex[i];
        dc_real c = contact->factor[i];
        if (!dci_drape_owns(d, v) || c == 0) continue;
        d->force[v] = dci_vec_axpy(d->force[v], c, force);
        for (int j = i < contact->first_count ? 0 : contact->first_count; j <= i; j++)
            if (contact->factor[j] != 0)
                dci_block_add(&d->matrix, contact->vertex[j], v, c * contact->factor[j], &k);
    }
}

static void dci_drape_add_edge(dc_drape *d, dc_index e, dc_real smooth)
{
    dc_index a = d->mesh.edge_vertices[2 * e], b = d->mesh.edge_vertices[2 * e + 1];
    dc_vec3 n = dci_drape_edge(d, d->x, e);
    dc_real l = dci_norm(n), excess = l - dci_drape_rest_length(d, e), u;
    dc_real tension = dci_drape_is_near(d) ? d->tension[e] : excess; /* (52.7) */
    dci_stiffness k;
    if (!(l > 0)) return; /* no direction, no force */
    n = dci_vec_scale(1 / l, n);
    u = dci_drape_is_last(d) ? 0 : dci_max(0, tension / l);
    k.alpha = u + smooth, k.beta = 1 - u, k.n = n; /* (52.2), (52.3) */
    dci_block_add(&d->matrix, a, a, 1, &k);
    dci_block_add(&d->matrix, b, b, 1, &k);
    dci_block_add(&d->matrix, a, b, -1, &k);
    d->force[a] = dci_vec_axpy(d->force[a], -excess, n);
    d->force[b] = dci_vec_axpy(d->force[b], excess, n);
}

/* Assembles the normal equations: `force` is minus the gradient of F. */
static void dci_drape_assemble(dc_drape *d)
{
    const dci_schedule *s = &d->schedule;
    dc_real eta = s->damping * s->strain;
    const dci_stiffness one = {1, 0, {0, 0, 0}};
    dc_real smooth = s->smooth * dci_drape_kappa_n[d->report.stage]; /* nu */
    dc_sparse *matrix = &d->matrix;
    for (dc_index i = 0; i < matrix->start[matrix->row_count]; i++) matrix->value[i] = 0;
    for (dc_index i = 0; i < d->mesh.vertex_count; i++) {
        d->force[i] = dci_vec_scale(-s->gravity * d->mass[i], d->up);
        dci_block_add(&d->matrix, i, i, eta, &one);
    }
    dci_drape_add_bending(d, -s->bending, 0, d->x, d->force);
    for (dc_index i = 0; i < d->mesh.edge_count; i++)
        dci_drape_add_edge(d, i, smooth + s->spring);
    for (dc_index i = 0; i < d->desc.anchor_count; i++) dci_drape_add_anchor(d, d->anchor + i);
    for (dc_index i = 0; i < d->on_curve_count; i++) {
        dc_index v = d->on_curve[i].vertex;
        dci_curve_hold hold = dci_drape_curve_hold(d, d->on_curve + i, d->x[v]);
        d->force[v] = dci_vec_add(d->force[v], hold.force);
        dci_block_add(&d->matrix, v, v, 1, &hold.across);
        dci_block_add(&d->matrix, v, v, 1, &hold.along);
    }
    for (dc_index i = 0; i < d->contact_count; i++) dci_drape_add_contact(d, d->contact + i);
    for (dc_index i = 0; i < d->mesh.vertex_count && dci_drape_is_near(d); i++)
        d->force[i] = dci_vec_sub(d->force[i], d->left[i]);
}

static void dci_drape_add_compression(const dc_drape *d, const dc_vec3 *x, dc_vec3 *image)
{
    for (dc_index e = 0; e < d->mesh.edge_count; e++) {
        dc_vec3 *a = image + d->mesh.edge_vertices[2 * e];
        dc_vec3 *b = image + d->mesh.edge_vertices[2 * e + 1];
        dc_vec3 n = dci_drape_edge(d, d->x, e), change;
        dc_real l = dci_norm(n);
        if (!(l > 0) || !(d->tension[e] < 0)) continue;
        n = dci_vec_scale(1 / l, n);
        change = dci_drape_edge(d, x, e);
        change = dci_vec_axpy(change, -dci_dot(n, change), n);
        change = dci_vec_scale(d->tension[e] / l, change);
        *a = dci_vec_add(*a, change);
        *b = dci_vec_sub(*b, change);
    }
}

/* image = A x, with bending in place of its springs, with the coupling of two features of the sheet
   by contacts and, near rest, with compressed edges. */
static void dci_drape_apply(void *context, const dc_real *x, dc_real *image)
{
    const dc_drape *d = (const dc_drape *)context;
    const dc_vec3 *from = (const dc_vec3 *)x;
    dc_vec3 *to = (dc_vec3 *)image;
    dci_block_apply(&d->matrix, x, image);
    dci_drape_add_bending(d, d->schedule.bending, d->schedule.spring, from, to);
    if (d->schedule.is_newton) dci_drape_add_compression(d, from, to);
    for (dc_index i = 0; i < d->contact_count; i++) {
        const dci_drape_contact *contact = d->contact + i;
        dci_stiffness stiffness = dci_drape_contact_stiffness(contact);
        dc_vec3 sum[2]; /* of each feature; then the force on the other one */
        if (!dci_drape_contact_is_self(d, contact)) continue;
        sum[0] = sum[1] = dci_vec(0, 0, 0);
        for (int k = 0; k < 4; k++) {
            dc_vec3 *own = sum + (k >= contact->first_count);
            *own = dci_vec_axpy(*own, contact->factor[k], from[contact->vertex[k]]);
        }
        for (int side = 0; side < 2; side++) sum[side] = dci_stiffness_apply(&stiffness, sum[side]);
        for (int k = 0; k < 4; k++) {
            dc_vec3 *own = to + contact->vertex[k];
            *own = dci_vec_axpy(*own, contact->factor[k], sum[k < contact->first_count]);
        }
    }
}

static void dci_drape_precondition(void *context, const dc_real *residual, dc_real *image)
{
    dc_drape *d = (dc_drape *)context;
    if (d->desc.solver.linear_solver == DC_LINEAR_CHOLESKY)
        dc_cholesky_solve(&d->factor, 1, residual, image);
    else
        for (dc_index i = 0; i < d->matrix.row_count; i++) image[i] = d->inverse[i] * residual[i];
}

static dc_status dci_drape_solve_cg(dc_drape *d, int is_newton, const dc_real *force, dc_real *step)
{
    int is_diagonal = d->desc.solver.linear_solver != DC_LINEAR_CHOLESKY;
    int is_fine = is_diagonal || dci_drape_is_near(d);
    dc_cg_desc desc = dci_cg_plain(d->matrix.row_count, dci_drape_apply, dci_drape_precondition, d,
                                   d->work, is_fine ? DCI_DRAPE_CG_TOL_FINE : DCI_DRAPE_CG_TOL,
                                   is_diagonal ? DCI_DRAPE_CG_MAX_DIAGONAL : DCI_DRAPE_CG_MAX);
    dc_cg_result result;
    for (dc_index i = 0; i < desc.n; i++) step[i] = 0;
    d->schedule.is_newton = is_newton;
    dc_status status = dc_cg_solve(&desc, force, step, &result, NULL);
    d->report.cg_iterations += result.iterations;
    return status == DC_NOT_CONVERGED ? DC_OK : status;
}

static dc_status dci_drape_iterate_cg(dc_drape *d, const dc_real *force, dc_real *step)
{
    int is_newton = dci_drape_is_near(d) && !d->schedule.is_led;
    dc_status status = dci_drape_solve_cg(d, is_newton, force, step);
    return status == DC_SINGULAR && is_newton ? dci_drape_solve_cg(d, 0, force, step) : status;
}

static dc_status dci_drape_find_step(dc_drape *d)
{
    const dc_sparse *matrix = &d->matrix;
    dc_real *force = &d->force[0].x, *step = &d->step[0].x;
    int is_diagonal = d->desc.solver.linear_solver != DC_LINEAR_CHOLESKY;
    int is_exact = !(d->schedule.bending > 0); /* whether A has all terms */
    for (dc_index i = 0; is_diagonal && i < matrix->row_count; i++)
        d->inverse[i] = 1 / matrix->value[matrix->start[i + 1] - 1];
    if (is_diagonal) return dci_drape_iterate_cg(d, force, step);
    d->report.factorizations++;
    dc_status status = dc_cholesky_factor(&d->factor, matrix->value, 0, DC_PIVOTS_REFUSE, NULL);
    if (status != DC_OK) return status;
    for (dc_index i = 0; i < d->contact_count; i++)
        is_exact &= !dci_drape_contact_is_self(d, d->contact + i);
    if (!is_exact) return dci_drape_iterate_cg(d, force, step);
    dc_cholesky_solve(&d->factor, 1, force, step);
    return DC_OK;
}

/* Increases the damping until the matrix is numerically positive definite. */
static dc_status dci_drape_find_damped_step(dc_drape *d, dc_error *error)
{
    dc_status status = DC_SINGULAR;
    for (int i = 0; status == DC_SINGULAR && i < DCI_DRAPE_REFUSALS; i++) {
        if (i > 0) d->schedule.damping = 8 * dci_max(d->schedule.damping, DCI_EPSILON);
        dci_drape_assemble(d);
        status = dci_drape_find_step(d);
    }
    if (status == DC_OK) return DC_OK;
    return dci_fail(error, status,
                    status == DC_SINGULAR ? "the least-squares matrix is not positive definite"
                                          : "the least-squares problem is not finite",
                    DC_NONE, 0);
}

/* ---- One iteration ---- */

static dc_real dci_drape_first_part(const dc_drape *d)
{
    dc_real longest = dci_max(DCI_REAL_MIN, dci_vec_longest(d->step, d->mesh.vertex_count));
    return dci_min(1, DCI_DRAPE_STEP_MAX * d->unit / longest);
}

/* Finds a clear trial of lower F, *merit; in the last stage, any clear one. Returns the halvings;
   DCI_DRAPE_HALVINGS is failure. */
static int dci_drape_search(dc_drape *d, dc_real before, dc_real *merit)
{
    dc_real slope = 0, part = dci_drape_first_part(d), bound;
    int halvings;
    d->surface.pairs_needed = 0; /* for the last trial that dci_drape_certify() saw */
    for (dc_index v = 0; v < d->mesh.vertex_count; v++) slope += dci_dot(d->force[v], d->step[v]);
    for (halvings = 0; halvings < DCI_DRAPE_HALVINGS; halvings++, part /= 2) {
        /* Halve it until F decreases enough, before and after the collision stages. */
        bound = dci_drape_is_last(d) ? DCI_REAL_MAX : before - DCI_DRAPE_ARMIJO * part * slope;
        for (dc_index v = 0; v < d->mesh.vertex_count; v++)
            d->trial[v] = dci_vec_axpy(d->x[v], part, d->step[v]);
        if (!(dci_drape_merit(d, d->trial) <= bound)) continue;
        if (!dci_drape_certify(d)) continue;
        *merit = dci_drape_merit(d, d->trial);
        if (*merit <= bound) break;
    }
    return halvings;
}

static void dci_drape_adapt(dc_drape *d, int halvings)
{
    dci_schedule *s = &d->schedule;
    dc_real least = dci_drape_is_near(d) ? DCI_DAMPING_POSTURE : DCI_DAMPING_LEAST;
    if (halvings == 0) s->damping = dci_max(least, s->damping / 2);
    if (halvings > 1) s->damping *= 2;
    s->smooth *= DCI_SMOOTH_DECAY;
}

/* Counts the changes since F last decreased enough. */
static void dci_drape_note_merit(dc_drape *d, dc_real merit)
{
    dci_schedule *s = &d->schedule;
    dc_real part = d->report.stage == DCI_STAGE_TUNE ? DCI_DRAPE_STALL_LAST : DCI_DRAPE_STALL;
    dc_real size = DC_SQRT(d->rest_area), weight = s->gravity * (dc_real)d->mesh.vertex_count;
    dc_real scale = dci_drape_has_gravity(d) ? weight * size : s->bending;
    int has_decreased = merit < s->lowest - part * scale;
    if (has_decreased) s->lowest = merit;
    s->stalled = has_decreased ? 0 : s->stalled + 1;
}

static dc_real dci_drape_moved(const dc_drape *d)
{
    dc_real moved = 0;
    for (dc_index v = 0; v < d->mesh.vertex_count; v++)
        moved = dci_max(moved, dci_norm(dci_vec_sub(d->x[v], d->previous[v])));
    return moved;
}

static int dci_drape_has_stalled(const dc_drape *d)
{
    return d->schedule.stalled >= d->desc.solver.stall_count;
}

/* In the tuned stage the sheet must have stopped moving, too; near rest, this suffices. */
static int dci_drape_has_settled(const dc_drape *d)
{
    int has_stalled = dci_drape_has_stalled(d);
    int has_stopped = dci_drape_moved(d) <= DCI_TUNE_MOVED * d->unit;
    if (dci_drape_is_near(d)) return has_stalled || has_stopped;
    return has_stalled && (has_stopped || d->report.stage != DCI_STAGE_TUNE);
}

static int dci_drape_is_at_limit_of_stage(const dc_drape *d)
{
    dc_index stage = d->report.stage;
    if (stage == DCI_STAGE_TUNE && !dci_drape_has_stalled(d)) return 0;
    return d->schedule.count / d->desc.solver.stall_count >= dci_drape_stage_max[stage];
}

/* How far the worst edge, anchor and vertex on a curve are beyond their tolerances [m]. */
typedef struct dci_drape_excess {
    dc_real edge, anchor, curve;
} dci_drape_excess;

static dci_drape_excess dci_drape_find_excess(const dc_drape *d)
{
    const dc_drape_report *r = &d->report;
    dc_real tolerance = d->desc.tolerance, curve_tolerance = d->desc.curve_tolerance + tolerance;
    dci_drape_excess excess;
    excess.edge = (r->strain_max - tolerance) * d->unit;
    excess.anchor = r->anchor_distance - tolerance * d->unit;
    excess.curve = r->curve_distance - curve_tolerance * d->unit;
    return excess;
}

static int dci_drape_is_converged(const dc_drape *d)
{
    dci_drape_excess excess = dci_drape_find_excess(d);
    return excess.edge <= 0 && excess.anchor <= 0 && excess.curve <= 0;
}

/* Fails if the pairs exceed their capacity. */
static dc_status dci_drape_refuse(dc_drape *d, dc_error *error)
{
    dc_status status = DC_OK;
    if (d->surface.pairs_needed > d->surface.pair_capacity)
        status = dci_surface_fail_pairs(&d->surface, error);
    dci_drape_stay(d);
    if (status != DC_OK) return status;
    d->report.refused++;
    d->schedule.refused++;
    d->schedule.damping *= 8;
    return DC_OK;
}

static dc_status dci_drape_descend(dc_drape *d, dc_error *error)
{
    dci_schedule *s = &d->schedule;
    dc_index stage = d->report.stage;
    int halvings, is_last = stage == DCI_STAGE_PROJECT, is_done = 0;
    dc_real before, merit = 0;
    if (is_last && dci_drape_is_converged(d)) {
        d->report.state = DC_DRAPE_AT_REST;
        return DC_OK;
    }
    /* Find contacts. */
    dci_drape_find_contacts(d, is_last ? DCI_GUARD_PART : DCI_R(1));
    dci_drape_find_slides(d);
    /* Find a step and search along it. */
    before = dci_drape_merit(d, d->x);
    if (is_last) /* (52.5) */
        s->strain = DC_SQRT(2 * before / (dc_real)d->mesh.edge_count) / d->unit;
    dc_status status = dci_drape_find_damped_step(d, error);
    if (status != DC_OK) return status;
    halvings = dci_drape_search(d, before, &merit);
    /* Accept the trial, or increase the damping. */
    if (halvings < DCI_DRAPE_HALVINGS) {
        s->refused = 0;
        dci_drape_accept(d);
        if (dci_drape_collides(d) && !is_last) dci_drape_slip(d);
        if (is_last && merit > before) s->damping *= DCI_DAMPING_GROWTH;
        if (!is_last) {
            dci_drape_adapt(d, halvings);
            dci_drape_note_merit(d, merit);
            is_done = dci_drape_has_settled(d);
        }
    } else {
        if ((status = dci_drape_refuse(d, error)) != DC_OK) return status;
        is_done = s->refused >= DCI_DRAPE_REFUSALS;
    }
    dci_drape_measure(d);
    s->count++;
    /* Tune once more, enter the next stage, or finish. */
    if (is_done && stage == DCI_STAGE_TUNE && s->tunings < DCI_TUNINGS && !s->is_near) {
        dci_drape_set_springs(d, 1);
        s->lowest = DCI_REAL_MAX; /* F has changed */
        s->stalled = s->refused = is_done = 0;
    }
    if (!is_last && (is_done || dci_drape_is_at_limit_of_stage(d)))
        dci_drape_enter(d, stage + 1);
    else if (is_last && dci_drape_is_converged(d))
        d->report.state = DC_DRAPE_AT_REST;
    else if (is_last && is_done)
        d->report.state = DC_DRAPE_AT_LIMIT;
    return DC_OK;
}

/* ---- Postures ---- */

/* The largest distance of an anchor, a curve or an obstacle from its target [m]. */
static dc_real dci_drape_way(const dc_drape *d)
{
    dc_index n = d->mesh.vertex_count, i, k;
    dc_real way = 0;
    for (i = 0; i < d->desc.anchor_count; i++)
        way = dci_max(way, dci_anchor_way(d->anchor + i, d->anchor[i].at, d->anchor[i].target));
    for (i = 0; i < d->desc.curve_count; i++)
        for (k = 0; k < d->curve[i].point_count; k++)
            way = dci_max(way, dci_norm(dci_vec_sub(d->curve[i].target[k], d->curve[i].point[k])));
    for (i = n; i < d->surface.vertex_count; i++)
        way = dci_max(way, dci_norm(dci_vec_sub(d->obstacle_target[i - n], d->surface.start[i])));
    return way;
}

static void dci_drape_lead_holds(dc_drape *d, dc_real part)
{
    for (dc_index i = 0; i < d->desc.anchor_count; i++) {
        dci_anchor *anchor = d->anchor + i;
        anchor->at = dci_way_at(anchor->at, anchor->target, part);
    }
    for (dc_index i = 0; i < d->desc.curve_count; i++) {
        dci_curve *c = d->curve + i;
        for (dc_index k = 0; k < c->point_count; k++)
            c->point[k] = dci_way_at(c->point[k], c->target[k], part);
    }
}

/* Sets where obstacles are about to be. */
static void dci_drape_lead_obstacles(dc_drape *d, dc_real part)
{
    dci_surface *s = &d->surface;
    dc_index n = d->mesh.vertex_count, i;
    for (i = n; i < s->vertex_count; i++)
        s->end[i] = dci_way_at(s->start[i], d->obstacle_target[i - n], part);
}

/* For targets that move by `way`. Near rest the step is damped until it goes little farther. */
static dc_status dci_drape_find_lead_step(dc_drape *d, dc_real way, dc_error *error)
{
    dci_schedule *s = &d->schedule;
    dc_status status = dci_drape_find_damped_step(d, error);
    int i;
    if (!s->is_near) return status;
    for (i = 0; i < DCI_DRAPE_REFUSALS && status == DC_OK &&
                dci_vec_longest(d->step, d->mesh.vertex_count) > DCI_LEAD_REACH * way; i++) {
        s->damping *= 8;
        status = dci_drape_find_damped_step(d, error);
    }
    s->damping = DCI_DAMPING_POSTURE;
    return status;
}

static dc_status dci_drape_lead(dc_drape *d, dc_real way, dc_error *error)
{
    dci_schedule *s = &d->schedule;
    dc_real part = dci_min(1, s->lead_step / way), scale;
    int halvings;
    s->is_led = 1;
    dci_drape_lead_holds(d, part);
    dci_drape_lead_obstacles(d, part);
    if (dci_drape_collides(d)) dci_drape_find_pairs(d, d->x);
    dci_drape_find_contacts(d, 1);
    dci_drape_find_slides(d);
    dc_status status = dci_drape_find_lead_step(d, dci_min(way, s->lead_step), error);
    s->is_led = 0;
    if (status != DC_OK) return status;
    scale = dci_drape_first_part(d);
    for (halvings = 0; halvings < DCI_DRAPE_HALVINGS; halvings++, scale /= 2, part /= 2) {
        dci_drape_lead_obstacles(d, part);
        for (dc_index v = 0; v < d->mesh.vertex_count; v++)
            d->trial[v] = dci_vec_axpy(d->x[v], scale, d->step[v]);
        if (dci_drape_certify(d)) break;
    }
    if (halvings < DCI_DRAPE_HALVINGS) {
        dci_drape_carry(d);
        dci_drape_accept(d);
        s->refused = 0;
    } else {
        if ((status = dci_drape_refuse(d, error)) != DC_OK) return status;
        if (s->refused >= DCI_DRAPE_REFUSALS) d->report.state = DC_DRAPE_AT_LIMIT;
    }
    s->lowest = DCI_REAL_MAX; /* F has changed */
    s->stalled = s->count = 0;
    dci_drape_measure(d);
    return DC_OK;
}

static dc_index dci_drape_first_stage(const dc_drape *d)
{
    return dci_drape_has_gravity(d) || d->desc.bending_length > 0 ? 0 : DCI_STAGE_PROJECT;
}

/* The first time, keeps the force that is left. */
static void dci_drape_restart_near(dc_drape *d, int is_first)
{
    dc_index n = d->mesh.vertex_count;
    if (d->report.stage != DCI_STAGE_PROJECT) return;
    dci_vec_copy(d->x, d->settled, n);
    dci_drape_stay(d);
    d->schedule.is_near = 1;
    d->schedule.damping = DCI_DAMPING_POSTURE;
    d->schedule.smooth = 0; /* it has its folds */
    dci_drape_enter(d, DCI_STAGE_TUNE);
    dci_drape_find_tensions(d, d->x);
    if (!is_first) return;
    dci_drape_find_contacts(d, 1);
    dci_drape_find_slides(d);
    DC_MEMSET(d->left, 0, (size_t)n * sizeof *d->left);
    dci_drape_assemble(d);
    dci_vec_copy(d->left, d->force, n);
}

/* If the sheet never was soft, goes on from where it is. */
static void dci_drape_restart_far(dc_drape *d)
{
    dc_index count = d->mesh.vertex_count, all = d->surface.vertex_count;
    dc_index stage = dci_drape_first_stage(d);
    dci_schedule *s = &d->schedule;
    dci_drape_lead_holds(d, 1);
    if (stage == 0) {
        dci_vec_copy(d->x, d->soft, count);
        dci_vec_copy(d->previous, d->soft, count);
        if (all > count) dci_vec_copy(d->surface.start + count, d->obstacle_soft, all - count);
        if (all > 0) DC_MEMSET(d->is_stuck, 0, (size_t)count);
    }
    dci_drape_stay(d);
    s->is_near = 0;
    s->smooth = DCI_SMOOTH_START;
    s->damping = DCI_DAMPING_START;
    dci_drape_enter(d, stage);
}

/* Farther targets advance by an edge in an iteration, or more if half of iteration_max were not
   enough. */
static void dci_drape_restart(dc_drape *d)
{
    dci_schedule *s = &d->schedule;
    dc_real way = dci_drape_way(d);
    int is_near = !s->has_new_holds && way <= d->unit && dci_drape_first_stage(d) == 0 &&
                  (s->was_at_rest || s->is_near || d->report.stage < DCI_STAGE_PROJECT);
    s->lead_step = dci_max(d->unit, 2 * way / (dc_real)d->desc.solver.iteration_max);
    d->far_anchor = DC_NONE;
    if (is_near)
        dci_drape_restart_near(d, s->was_at_rest && !s->is_near);
    else
        dci_drape_restart_far(d);
    s->is_changed = s->has_new_holds = s->was_at_rest = 0;
    dci_drape_measure(d);
}

/* ============================================================================================
 * 53 DRAPE, THE OBJECT                                                              dci_drape
 *
 * The functions of devcloth.h for a drape. It is built and started like a world.
 * ============================================================================================ */

#define DCI_REACH_SLACK DCI_R(1e-6)  /* anchors whose path is shorter by this part are too far */
#define DCI_SAME_PLANE (64 * DCI_EPSILON) /* rounding of a plane's points, by their size */

dc_anchor_desc dc_anchor_defaults(void)
{
    dc_anchor_desc desc;
    DC_MEMSET(&desc, 0, sizeof desc);
    desc.triangle = DC_NONE;
    return desc;
}

static const dci_entry dci_drape_entries[] = {
    {DCI_ENTRY(dc_drape_desc, anchor_count), DCI_INDEX, 0, 0, DCI_COUNT_MAX},
    {DCI_ENTRY(dc_drape_desc, anchors), DCI_ARRAY, 0, 0, 0},
    {DCI_ENTRY(dc_drape_desc, curve_count), DCI_INDEX, 0, 0, DCI_COUNT_MAX},
    {DCI_ENTRY(dc_drape_desc, curves), DCI_ARRAY, 0, 0, 0},
    {DCI_ENTRY(dc_drape_desc, curve_tolerance), DCI_POSITIVE, DCI_R(1e-2), 0, 0},
    {DCI_ENTRY(dc_drape_desc, obstacle_count), DCI_INDEX, 0, 0, DCI_COUNT_MAX},
    {DCI_ENTRY(dc_drape_desc, obstacles), DCI_ARRAY, 0, 0, 0},
    {DCI_ENTRY(dc_drape_desc, thickness), DCI_NOT_NEGATIVE, 0, 0, 0},
    {DCI_ENTRY(dc_drape_desc, friction), DCI_NOT_NEGATIVE, 0, 0, 0},
    {DCI_ENTRY(dc_drape_desc, self_contact), DCI_SWITCH, 1, 0, 0},
    {DCI_ENTRY(dc_drape_desc, seed), DCI_BITS, 1, 0, 0},
    {DCI_ENTRY(dc_drape_desc, pair_capacity), DCI_CAPACITY, DC_NONE, 1, DCI_COUNT_MAX},
    {DCI_ENTRY(dc_drape_desc, solver.linear_solver), DCI_CHOICE, 0, 0, 1},
    {DCI_ENTRY(dc_drape_desc, tolerance), DCI_POSITIVE, DCI_R(1e-5), 0, 0},
    {DCI_ENTRY(dc_drape_desc, solver.stall_count), DCI_INDEX, 3, 1, DCI_COUNT_MAX},
    {DCI_ENTRY(dc_drape_desc, solver.iteration_max), DCI_INDEX, 200, 1, DCI_COUNT_MAX},
    DCI_ENTRY_NONE};

dc_drape_desc dc_drape_defaults(void)
{
    dc_drape_desc desc;
    dci_desc_fill(&desc, sizeof desc, dci_drape_entries);
    desc.down = dci_vec(0, -1, 0);
    desc.bending_length = -1;
    desc.noise = DCI_R(0.01);
    return desc;
}

static dc_status dci_anchor_check(const dc_anchor_desc *a, dc_index number,
                                  const dc_mesh_desc *mesh, dc_error *error)
{
    dc_real sum = a->weight[0] + a->weight[1] + a->weight[2];
    if (a->vertex != DC_NONE && (a->vertex < 0 || a->vertex >= mesh->vertex_count))
        return dci_bad(error, "this anchor's vertex does not exist", number, 0);
    if (a->vertex == DC_NONE && (a->triangle < 0 || a->triangle >= mesh->triangle_count))
        return dci_bad(error, "this anchor has no vertex, and its triangle does not exist", number,
                       0);
    if (a->vertex == DC_NONE && !(a->weight[0] >= 0 && a->weight[1] >= 0 && a->weight[2] >= 0 &&
                                  dci_abs(sum - 1) <= 8 * DCI_EPSILON))
        return dci_bad(error, "a weight of this anchor is negative, or their sum is not 1", number,
                       sum);
    if (!dci_vec_is_finite(a->target))
        return dci_not_finite(error, "this anchor's target is not finite", number);
    if (!dci_is_in_enum((int)a->kind, 2))
        return dci_bad(error, "this anchor's kind is not one of its values", number, 0);
    if (!dci_vec_is_finite(a->direction))
        return dci_not_finite(error, "this anchor's direction is not finite", number);
    if (a->kind != DC_ANCHOR_POINT && !dci_is_positive(dci_norm(a->direction)))
        return dci_bad(error, "this anchor's direction is 0 or too long", number, 0);
    if (!dci_is_not_negative(a->give))
        return dci_bad(error, "this anchor's give is negative or not finite", number, 0);
    return DC_OK;
}

static dc_status dci_curve_take(dci_curve *c, const dc_vec3 *points, dc_index number,
                                dc_error *error)
{
    dc_index i;
    if (!points && !c->function)
        return dci_bad(error, "this curve has neither points nor a function", number, 0);
    for (i = 0; i < c->point_count; i++)
        c->next[i] = points ? points[i]
                            : c->function(c->context, (dc_real)i / (dc_real)c->segment_count);
    i = dci_first_not_finite(c->next, c->point_count);
    if (i != DC_NONE)
        return dci_fail(error, DC_NOT_FINITE, "a point of this curve, value, is not finite", number,
                        (dc_real)i);
    for (i = 0; i < c->segment_count; i++)
        if (!(dci_norm(dci_vec_sub(c->next[(i + 1) % c->point_count], c->next[i])) > 0))
            return dci_bad(error, "a point of this curve, value, is where the next one is", number,
                           (dc_real)i);
    return DC_OK;
}

static dc_status dci_curve_check(const dc_curve_desc *c, dc_index number, dc_index vertex_count,
                                 dc_error *error)
{
    if (!dci_is_count(c->vertex_count, 1) || !c->vertices)
        return dci_bad(error, "this curve's vertex_count is not positive, or vertices is missing",
                       number, 0);
    if (!dci_is_count(c->point_count, 2))
        return dci_bad(error, "this curve's point_count is less than 2 or too large", number, 0);
    for (dc_index i = 0; i < c->vertex_count; i++) {
        if (c->vertices[i] < 0 || c->vertices[i] >= vertex_count)
            return dci_bad(error, "a vertex of this curve, value, does not exist", number,
                           (dc_real)c->vertices[i]);
        for (dc_index k = 0; k < i; k++)
            if (c->vertices[k] == c->vertices[i])
                return dci_bad(error, "a vertex of this curve, value, is in its run twice", number,
                               (dc_real)c->vertices[i]);
    }
    return DC_OK;
}

static dc_status dci_drape_check(const dc_drape_desc *d, dc_error *error)
{
    dc_index i, bad = dci_first_not_finite(d->start_positions, d->mesh.vertex_count);
    dc_status status = dci_desc_check(d, dci_drape_entries, error);
    if (status != DC_OK) return status;
    if (!dci_is_finite(d->bending_length))
        return dci_bad_field(error, "bending_length", "this field is not finite", DC_NONE, 0);
    if (!(d->noise >= 0 && d->noise <= DCI_R(0.1)))
        return dci_bad_field(error, "noise", "this field is not between 0 and 0.1", DC_NONE,
                             d->noise);
    if (!dci_vec_is_finite(d->down)) return dci_not_finite(error, "down is not finite", DC_NONE);
    if (bad != DC_NONE)
        return dci_not_finite(error, "the start position of this vertex is not finite", bad);
    for (i = 0; i < d->anchor_count && status == DC_OK; i++)
        status = dci_anchor_check(d->anchors + i, i, &d->mesh, error);
    for (i = 0; i < d->curve_count && status == DC_OK; i++)
        status = dci_curve_check(d->curves + i, i, d->mesh.vertex_count, error);
    if (status != DC_OK) return status;
    return dci_obstacles_check(d->obstacles, d->obstacle_count, 1, error);
}

/* The vertex that an anchor holds, or DC_NONE if it holds a point between vertices. */
static dc_index dci_anchor_vertex(const dc_anchor_desc *a, const dc_mesh_desc *mesh)
{
    for (int k = 0; k < 3 && a->vertex == DC_NONE; k++)
        if (a->weight[k] >= 1) return mesh->triangles[3 * a->triangle + k];
    return a->vertex;
}

/* Finds the anchor that holds each vertex at a point, or DC_NONE, and its target. Refuses two at
   one vertex. */
static dc_status dci_drape_find_anchors(const dc_drape_desc *d, dc_index *of_vertex,
                                        dc_vec3 *target, dc_error *error)
{
    dci_index_fill(of_vertex, d->mesh.vertex_count, DC_NONE);
    for (dc_index i = 0; i < d->anchor_count; i++) {
        const dc_anchor_desc *anchor = d->anchors + i;
        dc_index vertex = dci_anchor_vertex(anchor, &d->mesh), *first;
        if (vertex == DC_NONE || anchor->kind != DC_ANCHOR_POINT || anchor->give > 0) continue;
        first = of_vertex + vertex;
        if (*first != DC_NONE)
            return dci_bad(error,
                           "this anchor's vertex has another anchor; value is the distance between "
                           "their targets",
                           i,
                           dci_norm(dci_vec_sub(anchor->target, d->anchors[*first].target)));
        *first = i;
        target[vertex] = anchor->target;
    }
    return DC_OK;
}

static int dci_drape_holds(const dc_drape *d, dc_index piece)
{
    for (dc_index i = 0; i < d->desc.anchor_count; i++)
        if (d->anchor[i].is_held && d->piece[d->anchor[i].vertex[0]] == piece) return 1;
    for (dc_index i = 0; i < d->on_curve_count; i++)
        if (d->piece[d->on_curve[i].vertex] == piece) return 1;
    return 0;
}

/* If there is gravity, but no obstacle, something must hold each piece. */
static dc_status dci_drape_check_held(const dc_drape *d, dc_error *error)
{
    if (!dci_drape_has_gravity(d) || d->desc.obstacle_count > 0) return DC_OK;
    for (dc_index i = 0; i < 2 * d->mesh.edge_count; i++) {
        dc_index v = d->mesh.edge_vertices[i];
        if (d->piece[v] == v && !dci_drape_holds(d, v))
            return dci_bad(error,
                           "the piece with this vertex falls: it has no anchor and no curve, and "
                           "there is no obstacle",
                           v, 0);
    }
    return DC_OK;
}

static dc_status dci_drape_enter_surface(dc_drape *d, dci_arena *arena, dc_error *error)
{
    dci_surface *s = &d->surface;
    dci_entered at = {0, 0, 0, 0};
    dci_body *body = dci_surface_enter_mesh(s, &d->mesh, &at);
    dci_surface_bound_thickness(s, &d->mesh, 0);
    for (dc_index i = 0; i < d->mesh.vertex_count; i++) s->mass[i] = s->inv_mass[i] = 1;
    body->thickness = d->desc.thickness;
    body->friction = d->desc.friction;
    body->self_contact = d->desc.self_contact;
    for (dc_index i = 0; i < d->desc.obstacle_count; i++) {
        const dc_obstacle_desc *desc = d->desc.obstacles + i;
        dc_vec3 *now = s->start + at.vertex;
        dc_status status = dci_surface_enter_obstacle(s, desc, arena, now, &at, error);
        if (status != DC_OK) return status;
    }
    for (dc_index i = d->mesh.vertex_count; i < s->vertex_count; i++)
        s->end[i] = d->obstacle_target[i - d->mesh.vertex_count] = s->start[i];
    dci_surface_connect(s);
    return DC_OK;
}

static dc_status dci_drape_build_surface(dc_drape *d, dci_arena *arena, dc_error *error)
{
    const dc_drape_desc *desc = &d->desc;
    dci_surface *s = &d->surface;
    dc_mesh all = d->mesh;
    dc_status status =
        dci_obstacles_count(desc->obstacles, desc->obstacle_count, 1, arena, &all, error);
    if (status != DC_OK || (!desc->self_contact && desc->obstacle_count == 0)) return status;
    s->slack_fraction = DCI_SLACK_FRACTION_DRAPE;
    s->body_count = 1 + desc->obstacle_count;
    dci_surface_layout(arena, s, &all, desc->pair_capacity,
                       (int64_t)DCI_PAIRS_PER_VERTEX * d->mesh.vertex_count);
    d->obstacle_target = dci_arena_vectors(arena, all.vertex_count - d->mesh.vertex_count);
    d->obstacle_soft = dci_arena_vectors(arena, all.vertex_count - d->mesh.vertex_count);
    d->contact_capacity =
        dci_index_or_none(DCI_CONTACTS_PER_VERTEX * (int64_t)d->mesh.vertex_count);
    d->contact =
        (dci_drape_contact *)dci_arena_take(arena, d->contact_capacity, sizeof(dci_drape_contact));
    d->is_stuck = (unsigned char *)dci_arena_take(arena, d->mesh.vertex_count, 1);
    if (arena->is_short) return dci_arena_fail(arena, error);
    return dci_drape_enter_surface(d, arena, error);
}

static dc_status dci_drape_build_matrix(dc_drape *d, dci_arena *arena, dc_error *error)
{
    dc_cholesky_desc desc = dc_cholesky_defaults();
    dci_block_build(arena, &d->matrix, &d->mesh);
    if (arena->is_short) return dci_arena_fail(arena, error);
    d->work = dci_arena_reals(arena, 4 * d->matrix.row_count);
    if (d->desc.solver.linear_solver != DC_LINEAR_CHOLESKY) {
        d->inverse = dci_arena_reals(arena, d->matrix.row_count);
        return DC_OK;
    }
    return dci_cholesky_make(&d->matrix, &desc, arena, &d->factor, error);
}

/* Bending is that of a nonconforming sheet whose midpoints are those of the edges. */
static dc_status dci_drape_build_bending(dc_drape *d, dci_arena *arena, dc_error *error)
{
    const dc_mesh *mesh = &d->mesh;
    dci_element element;
    dc_cloth_desc desc;
    DC_MEMSET(&element, 0, sizeof element);
    DC_MEMSET(&desc, 0, sizeof desc);
    desc.bending = 1;
    dci_energy_layout(arena, &d->bending, mesh, &desc, mesh->edge_count);
    d->middle = dci_arena_vectors(arena, mesh->edge_count);
    d->response = dci_arena_vectors(arena, mesh->edge_count);
    dci_work before = dci_arena_begin_work(arena);
    dc_index *clamp_of_edge = dci_arena_indices(arena, mesh->edge_count);
    dc_index *place = dci_arena_indices(arena, mesh->edge_count);
    if (arena->is_short) return dci_arena_fail(arena, error);
    dci_index_fill(clamp_of_edge, mesh->edge_count, DC_NONE);
    dci_energy_build(&d->bending, mesh, &element, &desc, clamp_of_edge, NULL, place, NULL);
    d->bending.rows.row_count = d->bending.bending_count; /* no edge has a jump */
    dci_arena_end_work(arena, before);
    return DC_OK;
}

static dc_status dci_drape_build_curves(dc_drape *d, dci_arena *arena, dc_error *error)
{
    const dc_drape_desc *desc = &d->desc;
    int64_t count = 0;
    for (dc_index i = 0; i < desc->curve_count; i++) count += desc->curves[i].vertex_count;
    d->curve = (dci_curve *)dci_arena_take(arena, desc->curve_count, sizeof(dci_curve));
    d->on_curve = (dci_curve_vertex *)dci_arena_take(arena, dci_index_or_none(count),
                                                     sizeof(dci_curve_vertex));
    for (dc_index i = 0; i < desc->curve_count; i++) {
        const dc_curve_desc *from = desc->curves + i;
        dc_vec3 *point = dci_arena_vectors(arena, 3 * from->point_count);
        dci_curve *c = d->curve + i;
        dc_status status;
        if (arena->is_short) continue;
        c->point = point;
        c->target = point + from->point_count;
        c->next = c->target + from->point_count;
        c->point_count = from->point_count;
        c->segment_count = from->point_count - (from->is_closed == 0);
        c->function = from->function;
        c->context = from->context;
        if ((status = dci_curve_take(c, from->points, i, error)) != DC_OK) return status;
        for (dc_index k = 0; k < c->point_count; k++) c->point[k] = c->target[k] = c->next[k];
        for (dc_index k = 0; k < from->vertex_count; k++) {
            dci_curve_vertex *on = d->on_curve + d->on_curve_count++;
            on->vertex = from->vertices[k];
            on->curve = i;
        }
    }
    return arena->is_short ? dci_arena_fail(arena, error) : DC_OK;
}

static void dci_drape_start_anchor(dc_drape *d, const dc_anchor_desc *desc, dci_anchor *a)
{
    static const dci_stiffness projection[] = {{1, 0, {0, 0, 0}}, {1, -1, {0, 0, 0}},
                                               {0, 1, {0, 0, 0}}};
    for (int k = 0; k < 3; k++) {
        a->vertex[k] = desc->vertex;
        a->weight[k] = k == 0;
        if (desc->vertex != DC_NONE) continue;
        a->vertex[k] = d->mesh.triangles[3 * desc->triangle + k];
        a->weight[k] = desc->weight[k];
    }
    a->kind = desc->kind;
    a->projection = projection[desc->kind];
    if (desc->kind != DC_ANCHOR_POINT)
        a->projection.n = dci_vec_scale(1 / dci_norm(desc->direction), desc->direction);
    a->give = desc->give;
    a->at = a->target = desc->target;
    a->is_held = 1;
}

static dc_status dci_drape_build_anchors(dc_drape *d, dci_arena *arena, dc_info *info,
                                         dc_error *error)
{
    dci_paths paths;
    d->anchor = (dci_anchor *)dci_arena_take(arena, d->desc.anchor_count, sizeof(dci_anchor));
    d->piece = dci_arena_indices(arena, d->mesh.vertex_count);
    dci_work before = dci_arena_begin_work(arena);
    dc_index *of_vertex = dci_arena_indices(arena, d->mesh.vertex_count);
    dc_vec3 *target = dci_arena_vectors(arena, d->mesh.vertex_count);
    dci_paths_layout(arena, &paths, &d->mesh);
    if (arena->is_short) return dci_arena_fail(arena, error);
    dc_status status = dci_drape_find_anchors(&d->desc, of_vertex, target, error);
    if (status != DC_OK) return status;
    for (dc_index i = 0; i < d->desc.anchor_count; i++)
        dci_drape_start_anchor(d, d->desc.anchors + i, d->anchor + i);
    dci_mesh_pieces(&d->mesh, d->mesh.triangles, d->mesh.vertex_count, d->piece);
    if ((status = dci_drape_check_held(d, error)) != DC_OK) return status;
    dci_paths_find_taut(&paths, &d->mesh, of_vertex, target, 1 + DCI_REACH_SLACK, 1,
                        info->taut_pin);
    d->far_anchor = info->taut_pin[1];
    if (d->far_anchor != DC_NONE) info->taut_body = 0;
    dci_arena_end_work(arena, before);
    return DC_OK;
}

static void dci_drape_start_mesh(dc_drape *d)
{
    const dc_mesh *mesh = &d->mesh;
    dc_real sum = 0;
    for (dc_index i = 0; i < mesh->edge_count; i++) sum += d->length[i] = dci_edge_length(mesh, i);
    d->unit = sum / (dc_real)mesh->edge_count;
    for (dc_index i = 0; i < mesh->triangle_count; i++) d->rest_area += mesh->rest_area[i];
    for (dc_index i = 0; i < 3 * mesh->triangle_count; i++)
        d->mass[mesh->triangles[i]] += mesh->rest_area[i / 3] / 3;
    for (dc_index i = 0; i < mesh->vertex_count; i++)
        d->mass[i] *= (dc_real)mesh->vertex_count / d->rest_area;
    if (!(d->desc.thickness > 0)) d->desc.thickness = d->unit / 10;
    if (d->desc.bending_length < 0 || (d->desc.bending_length > 0 && !dci_drape_has_gravity(d)))
        d->desc.bending_length = d->unit;
}

static dc_status dci_drape_build(dc_drape *d, dci_arena *arena, dci_ledger *ledger, dc_error *error)
{
    dc_status status = dci_mesh_build(&d->desc.mesh, 0, arena, &d->mesh, error);
    if (status != DC_OK) return status;
    dc_index n = d->mesh.vertex_count;
    if ((status = dci_drape_build_curves(d, arena, error)) != DC_OK) return status;
    status = dci_drape_build_anchors(d, arena, &ledger->info, error);
    if (status != DC_OK) return status;
    d->length = dci_arena_reals(arena, d->mesh.edge_count);
    d->mass = dci_arena_reals(arena, n);
    if (arena->is_short) return dci_arena_fail(arena, error);
    dci_drape_start_mesh(d);
    dci_ledger_note(ledger, arena, "mesh");
    if ((status = dci_drape_build_bending(d, arena, error)) != DC_OK) return status;
    dci_ledger_note(ledger, arena, "bending");
    if ((status = dci_drape_build_matrix(d, arena, error)) != DC_OK) return status;
    dci_ledger_note(ledger, arena, "least squares");
    if ((status = dci_drape_build_surface(d, arena, error)) != DC_OK) return status;
    dci_ledger_note(ledger, arena, "collisions");
    d->trial = dci_arena_vectors(arena, n);
    d->step = dci_arena_vectors(arena, n);
    d->force = dci_arena_vectors(arena, n);
    d->x = dci_arena_vectors(arena, n);
    d->previous = dci_arena_vectors(arena, n);
    d->soft = dci_arena_vectors(arena, n);
    d->settled = dci_arena_vectors(arena, n);
    d->left = dci_arena_vectors(arena, n);
    d->spring_length = dci_arena_reals(arena, d->mesh.edge_count);
    d->tension = dci_arena_reals(arena, d->mesh.edge_count);
    if (dci_drape_collides(d)) d->stuck_at = dci_arena_vectors(arena, n);
    dci_ledger_note(ledger, arena, "shape");
    return arena->is_short ? dci_arena_fail(arena, error) : DC_OK;
}

/* The unit vector against gravity, or 0 without. Squares of a very long one would overflow. */
static dc_vec3 dci_drape_find_up(dc_vec3 down)
{
    dc_real most = dci_vec_largest(down);
    if (!(most > 0)) return down;
    down = dci_vec(down.x / most, down.y / most, down.z / most);
    return dci_vec_scale(-1 / dci_norm(down), down);
}

/* ---- Starting ---- */

static dc_real dci_curve_segment_length(const dci_curve *c, dc_index segment)
{
    return dci_norm(dci_vec_sub(c->point[(segment + 1) % c->point_count], c->point[segment]));
}

/* The distance at the start from a vertex of a run to the next one; from the last one, to the first
   in a closed run and 0 in an open one. */
static dc_real dci_drape_run_length(const dc_drape *d, dc_index first, dc_index end, dc_index i)
{
    const dci_curve *c = d->curve + d->on_curve[first].curve;
    dc_index next = i + 1 < end ? i + 1 : first;
    if (next == first && c->segment_count < c->point_count) return 0;
    return dci_norm(dci_vec_sub(d->x[d->on_curve[next].vertex], d->x[d->on_curve[i].vertex]));
}

/* Copies the start shape and adds noise, except to isolated vertices. */
static void dci_drape_start_shape(dc_drape *d, const dc_drape_desc *desc)
{
    const dc_vec3 *start = desc->start_positions ? desc->start_positions : desc->mesh.positions;
    dc_real amplitude = desc->noise * d->unit;
    for (dc_index v = 0; v < d->mesh.vertex_count; v++) {
        uint32_t number = (uint32_t)(3 * v);
        dc_vec3 noise = dci_vec(dci_random(desc->seed, number), dci_random(desc->seed, number + 1),
                                dci_random(desc->seed, number + 2));
        if (!(d->mass[v] > 0) || desc->is_at_rest) noise = dci_vec(0, 0, 0);
        d->x[v] = d->previous[v] = dci_vec_axpy(start[v], amplitude, noise);
    }
}

/* Spreads the vertices of a run, from `first` on, over their curve. Returns the end of the run. */
static dc_index dci_drape_start_on_curve(dc_drape *d, dc_index first)
{
    const dci_curve *c = d->curve + d->on_curve[first].curve;
    dc_index end = first, i, segment = 0;
    dc_real run = 0, length = 0, way = 0, passed;
    while (end < d->on_curve_count && d->on_curve[end].curve == d->on_curve[first].curve) end++;
    for (i = first; i < end; i++) run += dci_drape_run_length(d, first, end, i);
    for (i = 0; i < c->segment_count; i++) length += dci_curve_segment_length(c, i);
    passed = dci_curve_segment_length(c, 0);
    for (i = first; i < end; i++) {
        while (segment < c->segment_count - 1 && passed * run < way * length)
            passed += dci_curve_segment_length(c, ++segment);
        d->on_curve[i].segment = segment;
        way += dci_drape_run_length(d, first, end, i);
    }
    return end;
}

static dc_status dci_drape_start(dc_drape *d, dc_error *error)
{
    dc_index count, i;
    dci_drape_start_shape(d, &d->desc);
    for (i = 0; i < d->on_curve_count;) i = dci_drape_start_on_curve(d, i);
    if (dci_drape_collides(d)) {
        if (!dci_drape_find_pairs(d, d->x)) return dci_surface_fail_pairs(&d->surface, error);
        count = dci_crossings_mark(&d->surface);
        if (count > 0) return dci_crossings_fail(&d->surface, count, error);
    }
    dci_drape_measure(d);
    d->schedule.smooth = DCI_SMOOTH_START;
    d->schedule.damping = DCI_DAMPING_START;
    dci_drape_keep_soft(d);
    dci_drape_set_springs(d, 0);
    d->schedule.was_at_rest = d->desc.is_at_rest != 0;
    dci_drape_enter(d, d->desc.is_at_rest ? DCI_STAGE_PROJECT : dci_drape_first_stage(d));
    d->report.is_certified = dci_drape_collides(d);
    return DC_OK;
}

dc_status dc_drape_init(const dc_drape_desc *desc, void *memory, size_t bytes, dc_drape **drape,
                        dc_info *info, dc_error *error)
{
    dci_enter(error, "dc_drape_init");
    dci_arena arena = dci_arena_over(memory, bytes);
    dci_ledger ledger = dci_ledger_empty();
    dc_drape *made;
    dc_status status = dci_mesh_check_counts(&desc->mesh, error);
    if (status == DC_OK) status = dci_drape_check(desc, error);
    if (status != DC_OK) return status;
    made = (dc_drape *)dci_arena_take(&arena, 1, sizeof *made);
    if (!made) return dci_arena_fail(&arena, error);
    made->desc = *desc;
    made->up = dci_drape_find_up(desc->down);
    if ((status = dci_drape_build(made, &arena, &ledger, error)) != DC_OK) return status;
    dci_ledger_close(&ledger, &arena, info);
    if ((status = dci_drape_start(made, error)) != DC_OK) return dci_fail_start(error, status);
    *drape = made;
    return dci_succeed(error);
}

/* ---- Iterating ---- */

static dc_vec3 dci_plane_normal(const dc_vec3 x[3])
{
    dc_vec3 normal = dci_cross(dci_vec_sub(x[1], x[0]), dci_vec_sub(x[2], x[0]));
    return dci_vec_scale(1 / dci_norm(normal), normal);
}

static dc_status dci_drape_iterate(dc_drape *drape, dc_drape_report *report, dc_error *error)
{
    dc_drape_report *r = &drape->report;
    dc_status status = DC_OK;
    if (drape->schedule.is_changed) {
        dci_drape_restart(drape);
    } else if (r->state == DC_DRAPE_MOVING) {
        dc_real way = dci_drape_way(drape);
        status = way > 0 ? dci_drape_lead(drape, way, error) : dci_drape_descend(drape, error);
        drape->schedule.was_at_rest = r->state == DC_DRAPE_AT_REST;
        if (++r->iterations >= drape->desc.solver.iteration_max && r->state == DC_DRAPE_MOVING)
            r->state = DC_DRAPE_AT_LIMIT;
    }
    if (report) *report = *r;
    return status;
}

dc_status dc_drape_iterate(dc_drape *drape, dc_drape_report *report, dc_error *error)
{
    dci_enter(error, "dc_drape_iterate");
    return dci_leave(error, dci_drape_iterate(drape, report, error));
}

static void dci_drape_change(dc_drape *d)
{
    d->schedule.is_changed = 1;
    d->report.state = DC_DRAPE_MOVING;
    d->report.iterations = d->report.refused = 0;
    d->report.factorizations = d->report.cg_iterations = 0;
}

/* Returns whether a target changes. */
static int dci_drape_set_targets(dc_vec3 *target, const dc_vec3 *to, dc_index count)
{
    int is_changed = 0;
    for (dc_index i = 0; i < count; i++) {
        is_changed |= dci_norm(dci_vec_sub(to[i], target[i])) > 0;
        target[i] = to[i];
    }
    return is_changed;
}

/* The points of a plane that moves into the one through `to` by the shortest way, without sliding
   along itself. If that is the same plane, they stay. */
static void dci_plane_move(const dc_vec3 from[3], const dc_vec3 to[3], dc_vec3 moved[3])
{
    dc_vec3 normal = dci_plane_normal(to), axis = dci_cross(dci_plane_normal(from), normal);
    dc_real cosine = dci_dot(dci_plane_normal(from), normal), way = 0;
    dc_real height = dci_dot(normal, dci_vec_sub(to[0], from[0]));
    dc_real size = dci_norm(from[0]) + dci_norm(to[0]) + dci_norm(dci_vec_sub(from[1], from[0]));
    for (int i = 0; i < 3; i++) {
        dc_vec3 side = dci_vec_sub(from[i], from[0]);
        dc_vec3 turned = dci_vec_axpy(dci_cross(axis, side), cosine, side);
        turned = dci_vec_axpy(turned, dci_dot(axis, side) / (1 + cosine), axis);
        moved[i] = dci_vec_axpy(dci_vec_add(from[0], turned), height, normal);
        way = dci_max(way, dci_norm(dci_vec_sub(moved[i], from[i])));
    }
    if (!(1 + cosine > DCI_SAME_PLANE)) DC_MEMCPY(moved, to, 3 * sizeof *moved); /* turned over */
    if (way <= DCI_SAME_PLANE * size) DC_MEMCPY(moved, from, 3 * sizeof *moved);
}

dc_status dc_drape_set_anchor(dc_drape *drape, dc_index anchor, dc_vec3 target, dc_error *error)
{
    dci_enter(error, "dc_drape_set_anchor");
    dci_anchor *a = drape->anchor + anchor;
    if (!dci_is_index(error, "anchor", anchor, drape->desc.anchor_count, DC_NONE))
        return DC_BAD_ARGUMENT;
    if (!dci_vec_is_finite(target))
        return dci_not_finite(error, "this anchor's target is not finite", anchor);
    if (!a->is_held) {
        a->is_held = drape->schedule.has_new_holds = 1;
        dci_drape_change(drape);
    }
    if (dci_anchor_way(a, a->target, target) > 0) dci_drape_change(drape);
    a->target = target;
    return dci_succeed(error);
}

dc_status dc_drape_release_anchor(dc_drape *drape, dc_index anchor, dc_error *error)
{
    dci_enter(error, "dc_drape_release_anchor");
    dci_anchor *a = drape->anchor + anchor;
    dc_status status;
    if (!dci_is_index(error, "anchor", anchor, drape->desc.anchor_count, DC_NONE))
        return DC_BAD_ARGUMENT;
    int was_held = a->is_held;
    a->is_held = 0;
    if ((status = dci_drape_check_held(drape, error)) != DC_OK) {
        a->is_held = was_held;
        return status;
    }
    a->at = a->target;
    if (!was_held) return dci_succeed(error);
    drape->schedule.has_new_holds = 1;
    dci_drape_change(drape);
    return dci_succeed(error);
}

dc_status dc_drape_move_curve(dc_drape *drape, dc_index curve, const dc_vec3 *points,
                              dc_error *error)
{
    dci_enter(error, "dc_drape_move_curve");
    dci_curve *c = drape->curve + curve;
    dc_status status;
    if (!dci_is_index(error, "curve", curve, drape->desc.curve_count, DC_NONE))
        return DC_BAD_ARGUMENT;
    if ((status = dci_curve_take(c, points, curve, error)) != DC_OK) return status;
    if (dci_drape_set_targets(c->target, c->next, c->point_count)) dci_drape_change(drape);
    return dci_succeed(error);
}

dc_status dc_drape_move_obstacle(dc_drape *drape, dc_index body, const dc_vec3 *positions,
                                 dc_error *error)
{
    dci_enter(error, "dc_drape_move_obstacle");
    const dci_surface *s = &drape->surface;
    dc_vec3 plane[3], *target;
    if (DCI_HAS_CHECKS && (body < 1 || body > drape->desc.obstacle_count))
        return dci_bad_index(error, "body", body);
    dc_status status = dci_surface_check_move(s, body, positions, dci_vec(0, 0, 0), error);
    if (status != DC_OK) return dci_in_body(error, status, body);
    target = drape->obstacle_target + s->body[body].first_vertex - drape->mesh.vertex_count;
    if (s->body[body].is_plane) {
        dci_plane_move(target, positions, plane);
        positions = plane;
    }
    if (dci_drape_set_targets(target, positions, dci_surface_count_of(s, body)))
        dci_drape_change(drape);
    return dci_succeed(error);
}

static dc_status dci_drape_fail_anchor(const dc_drape *d, dc_error *error)
{
    dc_index worst = d->report.worst_anchor;
    const char *what =
        "this anchor did not reach its target: the cloth is too short, something is in the way, or "
        "anchors contradict each other";
    if (d->far_anchor != DC_NONE)
        what = "this anchor did not reach its target: some anchors are farther apart than the "
               "cloth allows";
    return dci_fail(error, DC_NOT_CONVERGED, what, worst, d->report.anchor_distance);
}

/* Names the obstacle farthest from its target. */
static dc_status dci_drape_fail_led(const dc_drape *d, dc_error *error)
{
    dc_index n = d->mesh.vertex_count, i, worst = n;
    dc_real way = 0;
    for (i = n; i < d->surface.vertex_count; i++) {
        dc_real left = dci_norm(dci_vec_sub(d->obstacle_target[i - n], d->surface.start[i]));
        if (left > way) worst = i;
        way = dci_max(way, left);
    }
    dci_fail(error, DC_NOT_CONVERGED,
             "the sheet is in the way of this obstacle; value is what is left of its way", DC_NONE,
             way);
    return dci_in_body(error, DC_NOT_CONVERGED, d->surface.body_of[worst]);
}

/* The reason is the error that exceeds its tolerance most. */
static dc_status dci_drape_fail(const dc_drape *d, dc_error *error)
{
    const dc_drape_report *r = &d->report;
    dci_drape_excess excess = dci_drape_find_excess(d);
    dc_real edge = dci_max(0, excess.edge), curve = dci_max(0, excess.curve);
    if (dci_drape_way(d) > 0) return dci_drape_fail_led(d, error);
    if (r->worst_anchor != DC_NONE &&
        (d->far_anchor != DC_NONE || excess.anchor > dci_max(edge, curve)))
        return dci_drape_fail_anchor(d, error);
    if (curve > edge)
        return dci_fail(error, DC_NOT_CONVERGED,
                        "this vertex did not reach its curve; value is the distance",
                        r->curve_vertex, r->curve_distance);
    if (r->stage < DCI_STAGE_PROJECT || !(edge > 0))
        return dci_fail(error, DC_NOT_CONVERGED,
                        "the sheet still moves, or falls, at iteration_max; value is how far in "
                        "an iteration",
                        DC_NONE, dci_drape_moved(d));
    return dci_fail(error, DC_NOT_CONVERGED,
                    "the length of this edge is out of tolerance: what holds the sheet may not fit "
                    "it; value is the strain",
                    r->strain_edge, r->strain_max);
}

dc_status dc_drape_solve(dc_drape *drape, dc_drape_report *report, dc_error *error)
{
    dci_enter(error, "dc_drape_solve");
    dc_status status = DC_OK;
    while (status == DC_OK && drape->report.state == DC_DRAPE_MOVING)
        status = dci_drape_iterate(drape, report, error);
    if (report) *report = drape->report;
    if (status != DC_OK) return status;
    if (drape->report.state != DC_DRAPE_AT_REST) return dci_drape_fail(drape, error);
    return dci_succeed(error);
}

const dc_vec3 *dc_drape_positions(const dc_drape *drape)
{
    return drape->x;
}

const dc_mesh *dc_drape_mesh(const dc_drape *drape)
{
    return &drape->mesh;
}

dc_drape_report dc_drape_look(const dc_drape *drape)
{
    return drape->report;
}

uint64_t dc_drape_hash(const dc_drape *drape)
{
    dci_snapshot s = dci_snapshot_begin();
    dc_index v;
    for (v = 0; v < drape->mesh.vertex_count; v++) dci_snapshot_point(&s, "", v, drape->x + v);
    return s.hash;
}

#ifndef DC_NO_CLOTH
/* Returns the new count. */
static dc_index dci_add_once(dc_index *list, dc_index count, dc_index number)
{
    for (dc_index i = 0; i < count; i++)
        if (list[i] == number) return count;
    list[count] = number;
    return count + 1;
}

void dc_drape_hand_over(const dc_drape *drape, dc_cloth_desc *cloth, dc_index *pins)
{
    dc_index i, k, count = 0;
    for (i = 0; i < drape->desc.anchor_count; i++) {
        const dci_anchor *a = drape->anchor + i;
        for (k = 0; k < 3 && a->is_held; k++)
            if (a->weight[k] > 0) count = dci_add_once(pins, count, a->vertex[k]);
    }
    for (i = 0; i < drape->on_curve_count; i++)
        count = dci_add_once(pins, count, drape->on_curve[i].vertex);
    cloth->start_positions = drape->x;
    cloth->pin_vertices = pins;
    cloth->pin_count = count;
    cloth->thickness = drape->desc.thickness;
    cloth->friction = drape->desc.friction;
    cloth->self_contact = drape->desc.self_contact;
}
#endif

#endif /* DC_NO_DRAPE */

/* ============================================================================================
 * THE END of the compiler's special mode: what follows in the user's file is compiled as before.
 * ============================================================================================ */

#ifdef DCI_NO_PART
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif
#endif

#ifdef DCI_ASSERTS
#pragma pop_macro("NDEBUG")
#include <assert.h>
#endif

#if defined(__clang__) && !defined(DC_ALLOW_INEXACT)
#pragma STDC FP_CONTRACT DEFAULT
#elif defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

#endif /* DEVCLOTH_IMPL_H */
