#include "drapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "panel.h"
#include "scenes_parts.h"

static const double FRICTION = 0.3; /* [1] of sheets and obstacles: dry cloth */

/* ---- Meshes ---- */

static void use_shape(drape_scene *s)
{
    s->desc.mesh = s->shape.mesh;
    s->desc.friction = (dc_real)FRICTION;
    s->desc.self_contact = 1;
}

enum { GRID_CELLS = 30 }; /* 31 x 31 = 961 vertices, as in the paper */

/* A square of unit edges around the origin in the xz plane, with diagonals of both directions, so
   that it does not bend more easily in one. */
static int make_grid(drape_scene *s, failure *why)
{
    shape_desc desc = shape_defaults(SHAPE_GRID);
    dc_index v;
    desc.columns = desc.rows = GRID_CELLS;
    desc.width = desc.height = GRID_CELLS;
    desc.diagonals = DC_DIAGONALS_HERRINGBONE;
    if (!sim_shape_build(&s->shape, &desc, why)) return 0;
    for (v = 0; v < s->shape.mesh.vertex_count; v++)
        s->shape.positions[v] = vec_make((double)s->shape.flat[v].x - GRID_CELLS / 2.0, 0,
                                         GRID_CELLS / 2.0 - (double)s->shape.flat[v].y);
    use_shape(s);
    return 1;
}

/* The vertex of the square that is nearest to (x, z). */
static dc_index nearest(const drape_scene *s, double x, double z)
{
    dc_index v, best = 0;
    double least = -1;
    for (v = 0; v < s->shape.mesh.vertex_count; v++) {
        double dx = (double)s->shape.positions[v].x - x, dz = (double)s->shape.positions[v].z - z;
        double far = dx * dx + dz * dz;
        if (least >= 0 && far >= least) continue;
        least = far;
        best = v;
    }
    return best;
}

/* The irregular square: with 28 edges along a side and points of 1.016 edges apart inside it has
   918 to 929 vertices, by the random numbers. */
enum { SQUARE_EDGES = 28 };
static const double SQUARE_SIDE = SQUARE_EDGES, SQUARE_SPACING = 1.016;

static int cut_square(panel *p, failure *why)
{
    int i;
    for (i = 0; i < 4 * SQUARE_EDGES; i++) {
        double along = SQUARE_SIDE * (i % SQUARE_EDGES) / SQUARE_EDGES - SQUARE_SIDE / 2;
        double across = -SQUARE_SIDE / 2, x, y;
        int side = i / SQUARE_EDGES;
        x = side % 2 ? -across : along;
        y = side % 2 ? along : across;
        if (!panel_outline(p, side < 2 ? x : -x, side < 2 ? y : -y, why)) return 0;
    }
    return panel_fill(p, SQUARE_SPACING, why);
}

/* With the first random numbers that give as many vertices as the paper has. */
static int find_square(panel *p, int vertex_count, failure *why)
{
    enum { SEED_MAX = 1000, ROOM = 2 };
    uint32_t seed;
    for (seed = 1; seed <= SEED_MAX; seed++) {
        if (!panel_init(p, ROOM * vertex_count, why)) return 0;
        p->seed = seed;
        if (!cut_square(p, why)) return 0;
        if (p->point_count == vertex_count) return 1;
        panel_free(p);
    }
    return failure_set(why, "no square of %d vertices was found", vertex_count);
}

static int make_square(drape_scene *s, failure *why)
{
    panel p;
    dc_index v;
    int is_made = find_square(&p, s->kind->vertex_count, why) &&
                  scene_make_shape(&s->shape, p.point_count, p.triangle_count, why);
    for (v = 0; is_made && v < p.point_count; v++)
        s->shape.positions[v] = vec_make(p.points[v].x, 0, -p.points[v].y);
    if (is_made)
        memcpy(s->shape.triangles, p.triangles, 3 * (size_t)p.triangle_count * sizeof *p.triangles);
    panel_free(&p);
    if (is_made) use_shape(s);
    return is_made;
}

/* ---- The skirt ----
 *
 * A cone cut from a sector of a ring, SKIRT_SINE of the full turn, and closed. Its 23 rings of
 * about unit edges grow by as many vertices as the cone gets wider, so that all triangles are alike:
 *
 *     waist   a0 - a1 - a2             shorter diagonals join two rings
 *            / \  / \  / \
 *     below b0 - b1 - b2 - b3
 */
enum { SKIRT_RINGS = 23, SKIRT_WAIST = 24 }; /* [1], vertices around it */
enum { SKIRT_LOOPS = 4 };                    /* by which the waist is held */
static const double SKIRT_GROWTH = 3.198;    /* vertices from ring to ring: 1361 in all */
static const double SKIRT_SINE = 0.6;        /* of the angle between the cone and its axis */

/* Of the waist's circle. */
static double waist_radius(void)
{
    return SKIRT_WAIST / (2 * VEC_PI);
}

/* Along the cone from ring to ring. */
static double ring_step(void)
{
    return SKIRT_GROWTH / (2 * VEC_PI * SKIRT_SINE);
}

static int ring_size(int ring)
{
    return (int)(SKIRT_WAIST + SKIRT_GROWTH * ring + 0.5);
}

/* Turns of the place i of a ring, counted on past its end; every other ring is shifted by half an
   edge. */
static double ring_turn(int ring, int i)
{
    return (i + 0.5 * (ring % 2)) / ring_size(ring);
}

/* On the flat sector. */
static dc_vec2 skirt_flat(int ring, int i)
{
    double far = waist_radius() / SKIRT_SINE + ring_step() * ring;
    double angle = 2 * VEC_PI * SKIRT_SINE * ring_turn(ring, i);
    dc_vec2 p;
    p.x = (dc_real)(far * vec_cos(angle));
    p.y = (dc_real)(far * vec_sin(angle));
    return p;
}

static double flat_distance(dc_vec2 a, dc_vec2 b)
{
    double x = (double)(a.x - b.x), y = (double)(a.y - b.y);
    return sqrt(x * x + y * y);
}

/* On the cone, whose waist is at height 0. The waist is held, so it is a polygon of the cut's
   lengths, a little outside its circle. */
static dc_vec3 skirt_place(int ring, int i)
{
    double radius = waist_radius() + SKIRT_SINE * ring_step() * ring;
    double down = ring_step() * ring * sqrt(1 - SKIRT_SINE * SKIRT_SINE);
    double angle = 2 * VEC_PI * ring_turn(ring, i);
    if (ring == 0)
        radius =
            flat_distance(skirt_flat(0, 0), skirt_flat(0, 1)) / (2 * vec_sin(VEC_PI / SKIRT_WAIST));
    return vec_make(radius * vec_cos(angle), -down, -radius * vec_sin(angle));
}

static void put_corner(drape_scene *s, int *corner, int ring, int first, int i)
{
    s->shape.triangles[*corner] = first + i % ring_size(ring);
    s->flat_corners[*corner] = skirt_flat(ring, i);
    ++*corner;
}

/* Joins a ring and the next by the shorter diagonals; counter-clockwise from outside. */
static void zip_rings(drape_scene *s, int ring, int first, int *corner)
{
    int count = ring_size(ring), next_count = ring_size(ring + 1), i = 0, k = 0;
    while (i < count || k < next_count) {
        double above = flat_distance(skirt_flat(ring, i + 1), skirt_flat(ring + 1, k));
        double below = flat_distance(skirt_flat(ring, i), skirt_flat(ring + 1, k + 1));
        put_corner(s, corner, ring, first, i);
        put_corner(s, corner, ring + 1, first + count, k);
        if (k == next_count || (i < count && above < below))
            put_corner(s, corner, ring, first, ++i);
        else
            put_corner(s, corner, ring + 1, first + count, ++k);
    }
}

static int make_skirt(drape_scene *s, failure *why)
{
    int ring, i, vertices = 0, triangles = 0, v = 0, corner = 0;
    for (ring = 0; ring < SKIRT_RINGS; ring++) {
        vertices += ring_size(ring);
        if (ring > 0) triangles += ring_size(ring - 1) + ring_size(ring);
    }
    if (!scene_make_shape(&s->shape, vertices, triangles, why)) return 0;
    s->flat_corners = malloc(3 * (size_t)triangles * sizeof *s->flat_corners);
    if (s->flat_corners == NULL) return failure_set(why, "not enough memory for a skirt");
    for (ring = 0; ring < SKIRT_RINGS; ring++) {
        if (ring + 1 < SKIRT_RINGS) zip_rings(s, ring, v, &corner);
        for (i = 0; i < ring_size(ring); i++) s->shape.positions[v++] = skirt_place(ring, i);
    }
    s->shape.mesh.flat_corners = s->flat_corners;
    use_shape(s);
    return 1;
}

/* ---- Anchors ---- */

static int make_anchors(drape_scene *s, int count_max, failure *why)
{
    s->anchors = malloc((size_t)count_max * sizeof *s->anchors);
    s->desc.anchors = s->anchors;
    return s->anchors ? 1 : failure_set(why, "not enough memory for %d anchors", count_max);
}

static void add_anchor(drape_scene *s, dc_index vertex, dc_vec3 target)
{
    dc_anchor_desc *a = &s->anchors[s->desc.anchor_count++];
    *a = dc_anchor_defaults();
    a->vertex = vertex;
    a->target = target;
}

/* ---- Obstacles ---- */

static dc_obstacle_desc *add_obstacle(drape_scene *s, dc_obstacle_kind kind)
{
    dc_obstacle_desc *o = &s->obstacle[s->desc.obstacle_count++];
    *o = dc_obstacle_defaults();
    o->kind = kind;
    o->friction = (dc_real)FRICTION;
    s->desc.obstacles = s->obstacle;
    return o;
}

static void add_capsule(drape_scene *s, dc_vec3 end0, dc_vec3 end1, double radius)
{
    dc_obstacle_desc *o = add_obstacle(s, DC_OBSTACLE_CAPSULE);
    o->point[0] = end0;
    o->point[1] = end1;
    o->radius = (dc_real)radius;
}

/* What the sheet lies above at the start: three thicknesses of a tenth of an edge. */
static const double GAP = 0.3;

/* Wide enough for the sheet to lie on, and so small that its sides, 14 from the middle, reach past
   the equator, 12.6 from the pole. */
static const double BALL_RADIUS = 8;

static void add_ball(drape_scene *s)
{
    dc_obstacle_desc *o = add_obstacle(s, DC_OBSTACLE_SPHERE);
    o->point[0] = vec_make(0, -GAP - BALL_RADIUS, 0);
    o->radius = (dc_real)BALL_RADIUS;
}

/* A table for the square: half its top, and higher than the corners hang, 14 sqrt 2 - 6 sqrt 2. */
static const double BOX_HALF = 6, BOX_HEIGHT = 14;

static int add_box(drape_scene *s, failure *why)
{
    enum { CORNERS = 8, SIDES = 6 };
    /* Corner i is at x, y, z by its bits 0, 1, 2; sides counter-clockwise from outside. */
    static const dc_index sides[SIDES][4] = {{2, 6, 7, 3}, {0, 1, 5, 4}, {1, 3, 7, 5},
                                             {0, 4, 6, 2}, {4, 5, 7, 6}, {0, 2, 3, 1}};
    static const int halves[2][3] = {{0, 1, 2}, {0, 2, 3}};
    sim_shape box;
    int i;
    if (!scene_make_shape(&box, CORNERS, 2 * SIDES, why)) return 0;
    for (i = 0; i < CORNERS; i++)
        box.positions[i] = vec_make(i & 1 ? BOX_HALF : -BOX_HALF, i & 2 ? -GAP : -GAP - BOX_HEIGHT,
                                    i & 4 ? BOX_HALF : -BOX_HALF);
    for (i = 0; i < 6 * SIDES; i++) box.triangles[i] = sides[i / 6][halves[i % 6 / 3][i % 3]];
    s->obstacle_shape[s->desc.obstacle_count] = box;
    add_obstacle(s, DC_OBSTACLE_MESH)->mesh = box.mesh;
    return 1;
}

/* ---- Example I: a square without obstacles ---- */

/* Two corners and the middle of the opposite side, at 3/4 of their distances and a quarter of the
   side higher. */
static int build_three(drape_scene *s, failure *why)
{
    static const double HALF = GRID_CELLS / 2.0, DRAWN = 0.75, UP = GRID_CELLS / 4.0;
    if (!make_grid(s, why) || !make_anchors(s, 3, why)) return 0;
    add_anchor(s, nearest(s, -HALF, -HALF), vec_make(-DRAWN * HALF, UP, -DRAWN * HALF));
    add_anchor(s, nearest(s, HALF, -HALF), vec_make(DRAWN * HALF, UP, -DRAWN * HALF));
    add_anchor(s, nearest(s, 0, HALF), vec_make(0, UP, DRAWN * HALF));
    return 1;
}

static int build_weightless(drape_scene *s, failure *why)
{
    s->desc.down = vec_make(0, 0, 0);
    return build_three(s, why);
}

static const double CORNER_DRAWN = 24.0 / GRID_CELLS; /* [1] from 30 to 24 apart */

static int build_corners(drape_scene *s, int corner_count, failure *why)
{
    static const double HALF = GRID_CELLS / 2.0;
    int i;
    if (!make_grid(s, why) || !make_anchors(s, corner_count, why)) return 0;
    for (i = 0; i < corner_count; i++) {
        double x = i % 2 ? HALF : -HALF, z = i / 2 ? HALF : -HALF;
        add_anchor(s, nearest(s, x, z), vec_make(CORNER_DRAWN * x, 0, CORNER_DRAWN * z));
    }
    return 1;
}

static int build_two_corners(drape_scene *s, failure *why)
{
    return build_corners(s, 2, why);
}

static int build_four_corners(drape_scene *s, failure *why)
{
    return build_corners(s, 4, why);
}

static int build_middle(drape_scene *s, failure *why)
{
    if (!make_grid(s, why) || !make_anchors(s, 1, why)) return 0;
    add_anchor(s, nearest(s, 0, 0), vec_make(0, 0, 0));
    return 1;
}

/* ---- Example II: an irregular square over a ball or a box ---- */

/* Corners that are held go inwards to this part of their place, so that the sheet is slack. */
static const double HELD = 0.8;

/* A corner, told by the signs of its x and z, and how far up it goes. */
static void hold_corner(drape_scene *s, double x, double z, double up)
{
    double half = SQUARE_SIDE / 2;
    add_anchor(s, nearest(s, x * half, z * half), vec_make(x * HELD * half, up, z * HELD * half));
}

static int build_ball(drape_scene *s, failure *why)
{
    add_ball(s);
    return make_square(s, why);
}

static int build_box(drape_scene *s, failure *why)
{
    return add_box(s, why) && make_square(s, why);
}

static int build_ball_two(drape_scene *s, failure *why)
{
    static const double UP = 2; /* just over the top of the ball */
    if (!build_ball(s, why) || !make_anchors(s, 2, why)) return 0;
    hold_corner(s, -1, -1, UP);
    hold_corner(s, 1, -1, UP);
    return 1;
}

static int build_ball_one(drape_scene *s, failure *why)
{
    static const double UP = 5; /* so that the sheet leaves the ball on one side */
    if (!build_ball(s, why) || !make_anchors(s, 1, why)) return 0;
    hold_corner(s, 1, 1, UP);
    return 1;
}

static int build_box_two(drape_scene *s, failure *why)
{
    static const double UP = 2; /* two opposite corners, over the top of the box */
    if (!build_box(s, why) || !make_anchors(s, 2, why)) return 0;
    hold_corner(s, -1, -1, UP);
    hold_corner(s, 1, 1, UP);
    return 1;
}

/* ---- Example III: a skirt ----
 *
 * An edge is about 3 cm: a waist of 66 cm, and 59 cm from there to the hem. The hip joints are
 * 18 cm below the waist.
 */
static const double HIP_DOWN = 6;
static const double HIP_ASIDE = 1.8, LEG_RADIUS = 1.5;
static const double THIGH = 13, SHIN = 13;

/* The waist is held by its loops, turned about x; the start is `lift` above it, for where legs are
   that the cone would cut. Held all around it would hardly move: a closed cone of V vertices with b
   of them on its borders has 3 V - b edges to keep, so that b - 2 a numbers are left to fold it with
   when a ring of a vertices is held, and b - 3 a with a loops. */
static int hold_waist(drape_scene *s, double tilt, double lift, failure *why)
{
    dc_index v;
    if (!make_skirt(s, why) || !make_anchors(s, SKIRT_LOOPS, why)) return 0;
    for (v = 0; v < SKIRT_WAIST; v += SKIRT_WAIST / SKIRT_LOOPS)
        add_anchor(s, v, vec_turn_x(s->shape.positions[v], tilt));
    for (v = 0; v < s->shape.mesh.vertex_count; v++) s->shape.positions[v].y += (dc_real)lift;
    return 1;
}

/* side: 1 left, -1 right; the thigh's angles from the vertical, ahead to z and outwards [rad]. The
   shin hangs straight down if the knee is bent. */
static void add_leg(drape_scene *s, double side, double ahead, double outwards, int is_bent)
{
    dc_vec3 hip = vec_make(side * HIP_ASIDE, -HIP_DOWN, 0), knee;
    dc_vec3 along = vec_turn_z(vec_turn_x(vec_make(0, -1, 0), -ahead), side * outwards);
    knee = vec_add(hip, vec_scale(THIGH, along));
    add_capsule(s, hip, knee, LEG_RADIUS);
    add_capsule(s, knee, vec_add(knee, is_bent ? vec_make(0, -SHIN, 0) : vec_scale(SHIN, along)),
                LEG_RADIUS);
}

static const double DEGREE = 0.017453292519943295; /* [rad] */

static int build_standing(drape_scene *s, failure *why)
{
    return hold_waist(s, 0, 0, why);
}

static int build_leaning(drape_scene *s, failure *why)
{
    return hold_waist(s, 30 * DEGREE, 0, why);
}

static int build_leg_raised(drape_scene *s, failure *why)
{
    add_leg(s, 1, 60 * DEGREE, 0, 1);
    add_leg(s, -1, 0, 0, 0);
    return hold_waist(s, 0, 5, why);
}

static int build_legs_apart(drape_scene *s, failure *why)
{
    add_leg(s, 1, 0, 30 * DEGREE, 0);
    add_leg(s, -1, 0, 30 * DEGREE, 0);
    return hold_waist(s, 0, 0, why);
}

static int build_sitting(drape_scene *s, failure *why)
{
    add_leg(s, 1, 90 * DEGREE, 0, 1);
    add_leg(s, -1, 90 * DEGREE, 0, 1);
    return hold_waist(s, 0, 13, why);
}

/* ---- The table ---- */

/* clang-format off */
static const drape_kind kinds[] = {
    {.name = "I.b", .title = "three anchors, no gravity", .vertex_count = 961,
     .camera = {.target = {0, 2, 0}, .distance = 76, .turn = 28, .rise = 24},
     .build = build_weightless},
    {.name = "I.c", .title = "the same three anchors", .vertex_count = 961,
     .camera = {.target = {0, -1, 0}, .distance = 76, .turn = 28, .rise = 24},
     .build = build_three},
    {.name = "I.d", .title = "two corners", .vertex_count = 961,
     .camera = {.target = {0, -14, 0}, .distance = 84, .turn = 28, .rise = 14},
     .build = build_two_corners},
    {.name = "I.e", .title = "four corners", .vertex_count = 961,
     .camera = {.target = {0, -6, 0}, .distance = 76, .turn = 28, .rise = 20},
     .build = build_four_corners},
    {.name = "I.f", .title = "the middle", .vertex_count = 961,
     .camera = {.target = {0, -10, 0}, .distance = 68, .turn = 28, .rise = 14},
     .build = build_middle},
    {.name = "II.a", .title = "over a ball", .vertex_count = 923,
     .camera = {.target = {0, -9, 0}, .distance = 72, .turn = 28, .rise = 18},
     .build = build_ball},
    {.name = "II.b", .title = "over a box", .vertex_count = 923,
     .camera = {.target = {0, -8, 0}, .distance = 72, .turn = 28, .rise = 22},
     .build = build_box},
    {.name = "II.c", .title = "over a ball, two corners", .vertex_count = 923,
     .camera = {.target = {0, -8, 0}, .distance = 76, .turn = 28, .rise = 18},
     .build = build_ball_two},
    {.name = "II.d", .title = "over a ball, one corner", .vertex_count = 923,
     .camera = {.target = {0, -7, 0}, .distance = 76, .turn = -28, .rise = 18},
     .build = build_ball_one},
    {.name = "II.e", .title = "over a box, two corners", .vertex_count = 923,
     .camera = {.target = {0, -7, 0}, .distance = 74, .turn = -28, .rise = 22},
     .build = build_box_two},
    {.name = "III.b", .title = "a skirt hangs", .vertex_count = 1361,
     .camera = {.target = {0, -9, 0}, .distance = 64, .turn = 28, .rise = 10},
     .build = build_standing},
    {.name = "III.c", .title = "its waist leans", .vertex_count = 1361,
     .camera = {.target = {0, -9, 0}, .distance = 64, .turn = 65, .rise = 10},
     .build = build_leaning},
    {.name = "III.d", .title = "one leg is raised", .vertex_count = 1361,
     .camera = {.target = {0, -12, 3}, .distance = 76, .turn = 60, .rise = 10},
     .build = build_leg_raised},
    {.name = "III.e", .title = "legs apart", .vertex_count = 1361,
     .camera = {.target = {0, -13, 0}, .distance = 76, .turn = 20, .rise = 10},
     .build = build_legs_apart},
    {.name = "III.f", .title = "sitting", .vertex_count = 1361,
     .camera = {.target = {0, -9, 4}, .distance = 72, .turn = 55, .rise = 14},
     .build = build_sitting},
};
/* clang-format on */

const drape_kind *drape_kinds(int *count)
{
    *count = (int)(sizeof kinds / sizeof kinds[0]);
    return kinds;
}

const drape_kind *drape_find(const char *name)
{
    size_t i;
    for (i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
    return NULL;
}

/* ---- Starts ---- */

/* Turned a little about two axes. */
static dc_vec3 tilted(dc_vec3 p)
{
    static const double TURN[2] = {3, 2}; /* [degree] */
    return vec_turn_z(vec_turn_x(p, TURN[0] * DEGREE), TURN[1] * DEGREE);
}

/* On a cylinder along z that is open to above, of twice the sheet's length for its radius. */
static dc_vec3 bent(dc_vec3 p)
{
    static const double RADIUS = 60;
    double angle = (double)p.x / RADIUS;
    return vec_make(RADIUS * vec_sin(angle), (double)p.y + RADIUS * (1 - vec_cos(angle)),
                    (double)p.z);
}

static double lowest(const dc_vec3 *x, dc_index count)
{
    double least = (double)x[0].y;
    dc_index v;
    for (v = 1; v < count; v++) least = fmin(least, (double)x[v].y);
    return least;
}

/* Moved up again to where the lowest vertex was, so that nothing comes closer to what is below. */
int drape_scene_place(drape_scene *s, const drape_choice *choice, failure *why)
{
    int start = choice ? choice->start : 0;
    dc_index count = s->shape.mesh.vertex_count, v;
    double up;
    s->start = malloc((size_t)count * sizeof *s->start);
    if (s->start == NULL) return failure_set(why, "not enough memory for the start");
    for (v = 0; v < count; v++) {
        dc_vec3 p = s->shape.positions[v];
        s->start[v] = start == 1 ? tilted(p) : start == 2 ? bent(p) : p;
    }
    up = fmax(0, lowest(s->shape.positions, count) - lowest(s->start, count));
    for (v = 0; v < count; v++) s->start[v].y += (dc_real)up;
    s->desc.start_positions = s->start;
    return 1;
}

/* ---- Open and close ---- */

static double find_top(const drape_scene *s)
{
    double top = (double)s->shape.positions[0].y;
    dc_index k;
    for (k = 0; k < s->desc.anchor_count; k++) {
        double y = (double)s->anchors[k].target.y;
        top = k > 0 ? fmax(top, y) : y;
    }
    return top;
}

void drape_scene_choose(drape_scene *s, const drape_choice *choice)
{
    s->desc = dc_drape_defaults();
    if (choice == NULL) return;
    if (choice->seed > 0) s->desc.seed = choice->seed;
}

int drape_scene_build(drape_scene *s, const char *name, const drape_choice *choice, failure *why)
{
    failure reason;
    memset(s, 0, sizeof *s);
    s->kind = drape_find(name);
    if (s->kind == NULL) return failure_set(why, "there is no drape '%.40s'", name);
    s->camera = s->kind->camera;
    drape_scene_choose(s, choice);
    if (!s->kind->build(s, &reason) || !drape_scene_place(s, choice, &reason)) {
        drape_scene_close(s);
        return failure_set(why, "drape %s: %s", name, reason.text);
    }
    s->top = find_top(s);
    return 1;
}

int drape_failure(const drape_scene *s, const dc_error *error, failure *why)
{
    sim_names names = {&s->shape, NULL, s->desc.anchors, NULL};
    if (s->drape != NULL) names.mesh = dc_drape_mesh(s->drape);
    return sim_failure_of(why, error, &names);
}

int drape_scene_make(drape_scene *s, failure *why)
{
    size_t bytes = 0;
    dc_error error;
    while (dc_drape_init(&s->desc, s->memory, bytes, &s->drape, &s->info, &error) == DC_TOO_SMALL) {
        bytes = error.needed > 2 * bytes ? error.needed : 2 * bytes;
        free(s->memory);
        s->memory = malloc(bytes);
        if (s->memory == NULL) return failure_set(why, "not enough memory for a drape");
    }
    return error.status == DC_OK ? 1 : drape_failure(s, &error, why);
}

int drape_scene_open(drape_scene *s, const char *name, const drape_choice *choice, failure *why)
{
    if (!drape_scene_build(s, name, choice, why)) return 0;
    if (drape_scene_make(s, why)) return 1;
    drape_scene_close(s);
    return 0;
}

void drape_scene_close(drape_scene *s)
{
    int i;
    for (i = 0; i < DRAPE_OBSTACLES_MAX; i++) sim_shape_free(&s->obstacle_shape[i]);
    for (i = 0; i < DRAPE_CURVES_MAX; i++) {
        free(s->run[i]);
        free(s->points[i]);
    }
    sim_shape_free(&s->shape);
    free(s->flat_corners);
    free(s->start);
    free(s->anchors);
    free(s->memory);
    memset(s, 0, sizeof *s);
}

/* ---- Measures ---- */

double drape_rise(const drape_scene *s, const dc_vec3 *positions)
{
    double sum = 0;
    dc_index v;
    for (v = 0; v < s->shape.mesh.vertex_count; v++)
        sum += (double)positions[v].y - (double)s->shape.positions[v].y;
    return sum;
}

double drape_depth(const drape_scene *s, const dc_vec3 *positions)
{
    double sum = 0;
    dc_index v;
    for (v = 0; v < s->shape.mesh.vertex_count; v++) sum += s->top - (double)positions[v].y;
    return sum;
}
