/*
 * 11_paper.c - a strip of paper between two curves: its shape, and the lines to bend it along
 *
 * What one will see: a flat ring of paper, cut open, is held by its two long sides to two helices
 * around one axis, and becomes a spiral chute. There is no gravity. Its rulings, the straight lines
 * in it, are found from its shape. out/11_paper.obj is the surface, out/11_paper.png its picture,
 * out/11_paper.svg the pattern at true scale with the rulings, to print, cut out and bend.
 *
 * The curves must be such that a sheet that does not stretch fits between them. These two lie on
 * the surface of all tangents of a third helix h, which unrolls to the outside of a circle:
 *
 *     in space                                    in the pattern
 *     h(t) = (A cos t, B t, -A sin t)             a circle of the same curvature A / C^2,
 *     C = |h'| = sqrt(A^2 + B^2)                      so its radius is R = C^2 / A
 *     h(t) + l h'(t) / C                          l along its tangents
 *
 * Points of one l are a helix again, and in the pattern a circle. The rulings are the tangents. The
 * strip does not know them, so those that are found are compared with them.
 */
#include "../devcloth.h"
#include "common/obj.h"
#include "common/pattern.h"
#include "common/png.h"
#include "common/render.h"
#include "common/rulings.h"
#include "common/vec.h"

#include <string.h>

enum { COLUMNS = 64, ROWS = 6, POINTS = 400 }; /* cells; points of a curve */
enum { MEMORY_BYTES = 16 << 20 };
static const double A = 0.02, B = 0.02;         /* [m] */
static const double INNER = 0.02, OUTER = 0.07; /* [m] l of the sides */
static const double ANGLE = 6.0;                /* [rad] of the ring */
static const double SPACING = 0.008;            /* [m] of the rulings that are drawn */

static dc_vec2 flat[DC_GRID_VERTICES(COLUMNS, ROWS)];
static dc_vec3 positions[DC_GRID_VERTICES(COLUMNS, ROWS)];
static dc_index triangles[3 * DC_GRID_TRIANGLES(COLUMNS, ROWS)];
static dc_index sides[2][COLUMNS + 1];
static dc_vec3 points[2][POINTS];
static unsigned char memory[MEMORY_BYTES];

static int fail(const char *reason)
{
    fprintf(stderr, "11_paper: %s\n", reason);
    return 1;
}

/* The same on every machine, unlike hypot(). */
static double hypotenuse(double a, double b)
{
    return sqrt(a * a + b * b);
}

static double circle_radius(void)
{
    return (A * A + B * B) / A;
}

/* ---- The strip and the curves ---- */

/* The ring lies flat, its outer side first, and its first end along x. */
static dc_mesh_desc make_strip(void)
{
    double inner = hypotenuse(circle_radius(), INNER), outer = hypotenuse(circle_radius(), OUTER);
    /* Herringbone: no direction in which it bends more easily. */
    dc_mesh_desc mesh =
        dc_grid(COLUMNS, ROWS, 1, 1, DC_DIAGONALS_HERRINGBONE, positions, triangles);
    dc_index v;
    for (v = 0; v < mesh.vertex_count; v++) {
        double angle = ANGLE * (double)positions[v].x;
        double radius = outer + (inner - outer) * (double)positions[v].y;
        flat[v].x = (dc_real)(radius * vec_cos(angle));
        flat[v].y = (dc_real)(radius * vec_sin(angle));
        positions[v] = vec_make((double)flat[v].x, 0, -(double)flat[v].y);
    }
    mesh.flat_vertices = flat;
    return mesh;
}

/* The point of the surface that is at an angle [rad] and a radius [m] in the pattern. */
static dc_vec3 point_at(double angle, double radius)
{
    double c = sqrt(A * A + B * B), l = sqrt(radius * radius - circle_radius() * circle_radius());
    double turned = angle - (double)dc_atan2((dc_real)l, (dc_real)circle_radius());
    double t = turned * circle_radius() / c;
    return vec_make(A * vec_cos(t) - l * A / c * vec_sin(t), B * t + l * B / c,
                    -A * vec_sin(t) - l * A / c * vec_cos(t));
}

/* The curve of side k, 0 the outer one, and the vertices that it holds. It is a little longer at
   both ends, so that the strip can slide. */
static dc_curve_desc make_curve(int k)
{
    static const double LONGER = 0.1; /* [rad] */
    double radius = hypotenuse(circle_radius(), k == 0 ? OUTER : INNER);
    dc_curve_desc curve = {0};
    int i;
    for (i = 0; i <= COLUMNS; i++)
        sides[k][curve.vertex_count++] = k * ROWS * (COLUMNS + 1) + i;
    for (i = 0; i < POINTS; i++)
        points[k][i] = point_at((ANGLE + 2 * LONGER) * i / (POINTS - 1) - LONGER, radius);
    curve.vertices = sides[k];
    curve.points = points[k];
    curve.point_count = POINTS;
    return curve;
}

static int rest(const dc_mesh_desc *mesh, dc_drape **drape, dc_error *error)
{
    dc_drape_desc desc = dc_drape_defaults();
    dc_curve_desc curves[2];
    dc_drape_report report;
    curves[0] = make_curve(0);
    curves[1] = make_curve(1);
    desc.mesh = *mesh;
    desc.curves = curves;
    desc.curve_count = 2;
    desc.down = vec_make(0, 0, 0); /* bending alone decides */
    if (dc_drape_init(&desc, memory, sizeof memory, drape, NULL, error) != DC_OK ||
        dc_drape_solve(*drape, &report, error) != DC_OK)
        return 0;
    printf("at rest after %d iterations: largest strain %.0e, within %.0e m of the curves, %s\n",
           (int)report.iterations, (double)report.strain_max, (double)report.curve_distance,
           report.is_certified ? "proved free of crossings" : "not certified");
    return 1;
}

/* ---- Rulings ---- */

/* The angle [degree] from a ruling to the tangent of the circle that goes through its middle. */
static double error_of(const ruling *r)
{
    static const double DEGREES = 57.295779513082320877;
    double x = (double)(r->end[0].x + r->end[1].x) / 2, y = (double)(r->end[0].y + r->end[1].y) / 2;
    double l = sqrt(x * x + y * y - circle_radius() * circle_radius()), radius = circle_radius();
    double ahead = l * x - radius * y, aside = radius * x + l * y; /* the tangent, times radius^2 */
    double along = (double)(r->end[1].x - r->end[0].x),
           across = (double)(r->end[1].y - r->end[0].y);
    double sine = ahead * across - aside * along, cosine = ahead * along + aside * across;
    return DEGREES * fabs((double)dc_atan2((dc_real)sine, (dc_real)fabs(cosine)));
}

static void compare(const rulings *r)
{
    double mean = 0, most = 0;
    int k;
    for (k = 0; k < r->count; k++) {
        mean += error_of(&r->lines[k]) / r->count;
        most = fmax(most, error_of(&r->lines[k]));
    }
    printf("%d rulings, %.1f degrees from the tangents of the helix on average, %.1f at most\n",
           r->count, mean, most);
}

/* ---- Files ---- */

static int draw(const dc_drape *drape, const rulings *r, const char *path, failure *why)
{
    static const render_colour front = {.96, .94, .88}, back = {.95, .72, .42}, ink = {.2, .3, .5};
    render_scene view = render_scene_defaults();
    const dc_mesh *mesh = dc_drape_mesh(drape);
    render_mesh paper = {0};
    image picture;
    int is_written, k;
    paper.vertex_count = mesh->vertex_count;
    paper.triangle_count = mesh->triangle_count;
    paper.positions = dc_drape_positions(drape);
    paper.triangles = mesh->triangles;
    render_add_mesh(&view, paper, render_cloth(front, back));
    for (k = 0; k < r->count; k++)
        render_add_capsule(&view, r->lines[k].place[0], r->lines[k].place[1], 3e-4,
                           render_solid(ink));
    render_aim(&view, vec_make(0, 0.09, 0), 0.48, 30, 15);
    view.ground = -0.01;
    view.grid = 0.1;
    if (!image_init(&picture, 600, 450, why)) return 0;
    is_written = render_draw(&view, &picture, why) && png_write(path, &picture, why);
    image_free(&picture);
    return is_written;
}

static int write_files(const dc_drape *drape, const rulings *r, failure *why)
{
    const dc_mesh *mesh = dc_drape_mesh(drape);
    return files_make_directory("out", why) &&
           obj_write("out/11_paper.obj", mesh->vertex_count, dc_drape_positions(drape),
                     mesh->triangle_count, mesh->triangles, why) &&
           pattern_write_sheet("out/11_paper.svg", "A spiral chute", mesh, flat, r, why) &&
           draw(drape, r, "out/11_paper.png", why);
}

int main(void)
{
    const dc_mesh_desc mesh = make_strip();
    dc_drape *drape = NULL;
    dc_error error;
    rulings found;
    failure why;
    int is_written;
    if (!rest(&mesh, &drape, &error)) return fail(error.what);
    if (!rulings_find(&found, dc_drape_mesh(drape), flat, dc_drape_positions(drape), SPACING, &why))
        return fail(why.text);
    compare(&found);
    is_written = write_files(drape, &found, &why);
    rulings_free(&found);
    if (!is_written) return fail(why.text);
    printf("wrote out/11_paper.obj, out/11_paper.svg and out/11_paper.png\n");
    return 0;
}
