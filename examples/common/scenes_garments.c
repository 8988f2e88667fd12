/* What a figure wears: a cape, a shirt, a dress. */
#include "scenes_parts.h"

#include <stdlib.h>
#include <string.h>

#include "figure.h"
#include "panel.h"

static const double FIGURE_FRICTION = 0.3; /* [1] */
static const double WALK_START = 1.5;      /* [s] */
static const double ARMS_DOWN = 0.22;      /* [rad] as they hang */
static const double ARMS_CLEAR = 0.6;      /* [rad] there is room for a sleeve beside the chest */
static const double ARMS_SPREAD = 1.134;   /* [rad] in which a shirt is put on: 65 degrees */

/* The figure's parts are the first obstacles. */
static void add_figure(scene *s, double lift)
{
    figure_posture posture = figure_at(0, WALK_START, lift, lift);
    figure_part part[FIGURE_PARTS];
    int i;
    figure_place(&posture, part);
    for (i = 0; i < FIGURE_PARTS; i++)
        scene_add_capsule(s, part[i].end[0], part[i].end[1], part[i].radius, FIGURE_FRICTION);
    scene_add_floor(s, 0, FIGURE_FRICTION);
}

/* The arms come down from `lift` to `hang`. */
static figure_posture drive_figure(scene *s, double time, double lift, double hang)
{
    figure_posture posture = figure_at(time, WALK_START, lift, hang);
    figure_part part[FIGURE_PARTS];
    int i;
    figure_place(&posture, part);
    for (i = 0; i < FIGURE_PARTS; i++)
        dc_obstacle_move(s->world, s->cloth_count + i, part[i].end, vec_make(0, 0, 0), NULL);
    return posture;
}

/* ---- cape ---- */

/* Cut from a ring around the origin: inner and outer radius [m], the angle it spans [rad]. Rolled
   up to a cone around the neck, it spans more. */
static const double CAPE_INNER = 0.14, CAPE_OUTER = 1.0, CAPE_SPAN = 3.6;
static const double CAPE_SLOPE = 1.22;   /* [rad] between the cone and its axis */
static const double CAPE_HEIGHT = 1.475; /* [m] of the neckline */

static int cut_cape(panel *p, double edge, failure *why)
{
    int around = (int)(CAPE_SPAN * CAPE_OUTER / edge + 0.5);
    int collar = (int)(CAPE_SPAN * CAPE_INNER / edge + 0.5);
    int along = (int)((CAPE_OUTER - CAPE_INNER) / edge + 0.5), i;
    for (i = 0; i < 2 * along + around + collar; i++) {
        double radius = CAPE_OUTER, angle = CAPE_SPAN * (1 - 0.5), part;
        if (i < around) {
            angle = CAPE_SPAN * ((double)i / around - 0.5);
        } else if (i < around + along) {
            part = (double)(i - around) / along;
            radius = CAPE_OUTER + (CAPE_INNER - CAPE_OUTER) * part;
        } else if (i < around + along + collar) {
            radius = CAPE_INNER;
            angle = CAPE_SPAN * (0.5 - (double)(i - around - along) / collar);
        } else {
            part = (double)(i - around - along - collar) / along;
            radius = CAPE_INNER + (CAPE_OUTER - CAPE_INNER) * part;
            angle = -CAPE_SPAN / 2;
        }
        if (!panel_outline(p, radius * vec_cos(angle), radius * vec_sin(angle), why)) return 0;
    }
    return panel_fill(p, edge, why);
}

/* The place on the cone of a point of the ring; the middle of the cape is behind. */
static dc_vec3 roll_cape(panel_point flat)
{
    double radius = sqrt(flat.x * flat.x + flat.y * flat.y), s = vec_sin(CAPE_SLOPE);
    double angle = (double)dc_atan2((dc_real)flat.y, (dc_real)flat.x) / s;
    return vec_make(-radius * s * vec_sin(angle),
                    CAPE_HEIGHT - (radius - CAPE_INNER) * vec_cos(CAPE_SLOPE),
                    -radius * s * vec_cos(angle));
}

static int add_cape(scene *s, const panel *p, failure *why)
{
    sim_shape shape;
    scene_cloth *cloth;
    dc_index v;
    if (!scene_make_shape(&shape, p->point_count, p->triangle_count, why)) return 0;
    for (v = 0; v < p->point_count; v++) shape.positions[v] = roll_cape(p->points[v]);
    memcpy(shape.triangles, p->triangles, 3 * (size_t)p->triangle_count * sizeof *p->triangles);
    cloth = scene_add_cloth(s, &shape, why);
    if (cloth == NULL || !scene_make_pins(cloth, p->outline_count, why)) return 0;
    cloth->desc.drag_normal = (dc_real)0.4;
    cloth->desc.bending = (dc_real)5e-5;
    for (v = 0; v < p->outline_count; v++) {
        panel_point at = p->points[v];
        if (at.x * at.x + at.y * at.y < 1.01 * CAPE_INNER * CAPE_INNER) scene_pin(cloth, v);
    }
    return 1;
}

int scene_build_cape(scene *s, failure *why)
{
    panel p;
    int is_built;
    s->edge = (CAPE_OUTER - CAPE_INNER) / s->cells;
    add_figure(s, ARMS_DOWN);
    if (!panel_init(&p, 6 * s->cells * s->cells, why)) return 0;
    is_built = cut_cape(&p, s->edge, why) && add_cape(s, &p, why);
    panel_free(&p);
    return is_built;
}

void scene_drive_cape(scene *s, double time)
{
    figure_posture posture = drive_figure(s, time, ARMS_DOWN, ARMS_DOWN);
    const scene_cloth *cloth = &s->cloth[0];
    dc_index k;
    for (k = 0; k < cloth->desc.pin_count; k++)
        dc_cloth_set_pin(s->world, 0, k, figure_carry(&posture, cloth->pin_home[k]), NULL);
}

/* ---- shirt: the pattern ----
 *
 * Front and back are the same panel, sewn together along the top, the sides and below the arms:
 *
 *              top      neck      top
 *         .-----------.      .-----------.
 *   wrist |             `--'             | wrist      all lengths in metres
 *         '-------.                .-----'
 *        underarm |                | underarm
 *            side |                | side
 *                 '----------------'
 *                        hem
 */
static const double SIDE = 0.28, HEM = 0.8;
static const double SLEEVE = 0.126, SLEEVE_LENGTH = 0.5;    /* half its width; along the arm */
static const double NECK = 0.115, NECK_HEIGHT = 1.6;        /* radius and middle of the hole */
static const double BODY_ROUND = 0.15, SLEEVE_ROUND = 0.08; /* radii of the seams, worn */

/* Direction of the left arm and across it, upwards. */
static panel_point arm_along(void)
{
    panel_point a = {vec_sin(ARMS_SPREAD), -vec_cos(ARMS_SPREAD)};
    return a;
}

/* A point by its place along the left arm from the shoulder and across. */
static panel_point arm_point(double along, double across)
{
    panel_point a = arm_along(), p;
    p.x = FIGURE_SHOULDER[0] + along * a.x - across * a.y;
    p.y = FIGURE_HIP_HEIGHT + FIGURE_SHOULDER[1] + along * a.y + across * a.x;
    return p;
}

/* Height of the top seam: the sleeve's line, rounded at the neck, with room for the shoulders. */
static double top_height(double x)
{
    static const double ROUND = 0.1, ROOM = 0.05, ROOM_FROM = 0.15, ROOM_TO = 0.35;
    panel_point a = arm_along(), p = arm_point(0, SLEEVE);
    double slope = a.y / a.x;
    return p.y + slope * (sqrt(x * x + ROUND * ROUND) - p.x) +
           ROOM * (1 - vec_blend(ROOM_FROM, ROOM_TO, x));
}

static panel_point armpit(void)
{
    panel_point a = arm_along(), p = arm_point(0, -SLEEVE);
    panel_point pit = {SIDE, p.y + (SIDE - p.x) * a.y / a.x};
    return pit;
}

/* Where the top seam ends at the neck. */
static double neck_x(void)
{
    double low = 0, high = 2 * NECK;
    while (high - low > 1e-9) {
        double x = (low + high) / 2, y = top_height(x) - NECK_HEIGHT;
        if (x * x + y * y < NECK * NECK)
            low = x;
        else
            high = x;
    }
    return low;
}

/* ---- shirt: the outline ---- */

enum { HEM_PIECE, SIDE_PIECE, UNDERARM_PIECE, WRIST_PIECE, TOP_PIECE, NECK_PIECE, SHIRT_PIECES };

static panel_point between(panel_point a, panel_point b, double part)
{
    panel_point p = {a.x + (b.x - a.x) * part, a.y + (b.y - a.y) * part};
    return p;
}

/* The left half of the outline, counter-clockwise from the middle of the hem to that of the neck. */
static panel_point outline_at(int piece, double part)
{
    panel_point wrist[2] = {arm_point(SLEEVE_LENGTH, -SLEEVE), arm_point(SLEEVE_LENGTH, SLEEVE)};
    panel_point a = {0, HEM}, b = {SIDE, HEM};
    double neck = neck_x(), angle;
    wrist[1].y = top_height(wrist[1].x);
    switch (piece) {
    case HEM_PIECE: return between(a, b, part);
    case SIDE_PIECE: return between(b, armpit(), part);
    case UNDERARM_PIECE: return between(armpit(), wrist[0], part);
    case WRIST_PIECE: return between(wrist[0], wrist[1], part);
    case TOP_PIECE:
        a.x = wrist[1].x + (neck - wrist[1].x) * part;
        a.y = top_height(a.x);
        return a;
    default:
        angle = (double)dc_atan2((dc_real)(top_height(neck) - NECK_HEIGHT), (dc_real)neck);
        angle += (-VEC_PI / 2 - angle) * part;
        a.x = NECK * vec_cos(angle);
        a.y = NECK_HEIGHT + NECK * vec_sin(angle);
        return a;
    }
}

static int piece_edges(int piece, double edge)
{
    enum { PARTS = 32 };
    double length = 0;
    int i;
    for (i = 0; i < PARTS; i++) {
        panel_point a = outline_at(piece, (double)i / PARTS);
        panel_point b = outline_at(piece, (double)(i + 1) / PARTS);
        length += sqrt((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y));
    }
    return (int)fmax(1, length / edge + 0.5);
}

/* Adds a point; is_sewn (capacity): whether front and back share it. */
static int add_outline(panel *p, panel_point at, int sewn, unsigned char *is_sewn, failure *why)
{
    if (!panel_outline(p, at.x, at.y, why)) return 0;
    is_sewn[p->point_count - 1] = (unsigned char)sewn;
    return 1;
}

static int cut_shirt(panel *p, unsigned char *is_sewn, double edge, failure *why)
{
    static const int SEWN[SHIRT_PIECES + 1] = {0, 1, 1, 0, 1, 0, 0};
    int piece, i, count;
    for (piece = 0; piece < SHIRT_PIECES; piece++)
        for (i = 0, count = piece_edges(piece, edge); i < count; i++) {
            int sewn = SEWN[piece] || (i == 0 && piece > 0 && SEWN[piece - 1]);
            if (!add_outline(p, outline_at(piece, (double)i / count), sewn, is_sewn, why)) return 0;
        }
    for (piece = SHIRT_PIECES - 1; piece >= 0; piece--)
        for (count = piece_edges(piece, edge), i = count; i > 0; i--) {
            panel_point at = outline_at(piece, (double)i / count);
            at.x = -at.x;
            if (!add_outline(p, at, SEWN[piece] || (i == count && SEWN[piece + 1]), is_sewn, why))
                return 0;
        }
    return panel_fill(p, edge, why);
}

/* ---- shirt: worn ---- */

/* The nearest point of the seams. */
typedef struct seam {
    double distance;    /* [m] */
    panel_point inward; /* unit */
} seam;

static void near_segment(seam *nearest, panel_point p, panel_point a, panel_point b)
{
    static const double ON_SEAM = 1e-5; /* [m] there the way to the seam has no direction */
    double x = b.x - a.x, y = b.y - a.y, length = sqrt(x * x + y * y);
    double part = fmin(fmax(((p.x - a.x) * x + (p.y - a.y) * y) / (length * length), 0), 1);
    double away_x = p.x - a.x - part * x, away_y = p.y - a.y - part * y;
    double distance = sqrt(away_x * away_x + away_y * away_y);
    if (distance < ON_SEAM && nearest->distance < ON_SEAM) { /* both: in a corner */
        nearest->inward.x += -y / length;
        nearest->inward.y += x / length;
    } else if (distance < nearest->distance) {
        nearest->distance = distance;
        nearest->inward.x = distance < ON_SEAM ? -y / length : away_x / distance;
        nearest->inward.y = distance < ON_SEAM ? x / length : away_y / distance;
    }
}

/* Of a point with x >= 0. The top counts all the way, as if there were no hole for the neck. */
static seam find_seam(panel_point p)
{
    enum { PARTS = 800 };             /* the top is round: to less than ON_SEAM */
    static const double BEYOND = 0.3; /* [m] seams go on past hem and wrist */
    panel_point low = {SIDE, HEM - BEYOND}, a, b;
    seam nearest = {1e3, {0, 0}};
    double end = outline_at(WRIST_PIECE, 1).x + BEYOND, length;
    int i;
    near_segment(&nearest, p, low, armpit());
    near_segment(&nearest, p, armpit(), arm_point(SLEEVE_LENGTH + BEYOND, -SLEEVE));
    for (i = 0; i < PARTS; i++) {
        a.x = end * (i + 1) / PARTS;
        a.y = top_height(a.x);
        b.x = end * i / PARTS;
        b.y = top_height(b.x);
        near_segment(&nearest, p, a, b);
    }
    length = sqrt(nearest.inward.x * nearest.inward.x + nearest.inward.y * nearest.inward.y);
    nearest.inward.x /= length;
    nearest.inward.y /= length;
    return nearest;
}

/* The front of the shirt as it is worn: around a seam it is a half circle, of the radius that suits
   the body or the sleeve, then it goes on straight. What the half circle takes, it takes from
   outside, so the middle of the panel stays where it is. */
static dc_vec3 wear(panel_point flat)
{
    panel_point p = {fabs(flat.x), flat.y};
    seam near_seam = find_seam(p);
    double round = BODY_ROUND + (SLEEVE_ROUND - BODY_ROUND) * vec_blend(0.12, SIDE, p.x);
    double angle = fmin(near_seam.distance / round, VEC_PI / 2);
    double inward = round * (VEC_PI / 2 - angle - vec_cos(angle));
    p.x += inward * near_seam.inward.x;
    p.y += inward * near_seam.inward.y;
    return vec_make(flat.x < 0 ? -p.x : p.x, p.y, round * vec_sin(angle));
}

/* back: (point_count), the vertices of the back. */
static int add_shirt(scene *s, const panel *p, const unsigned char *is_sewn, dc_index *back,
                     failure *why)
{
    int v, t, i, count = p->point_count;
    sim_shape shape;
    for (v = 0; v < p->point_count; v++) back[v] = v < p->outline_count && is_sewn[v] ? v : count++;
    if (!scene_make_shape(&shape, count, 2 * p->triangle_count, why)) return 0;
    for (v = 0; v < p->point_count; v++) {
        dc_vec3 front = wear(p->points[v]);
        if (back[v] == v) front.z = 0;
        shape.positions[v] = shape.positions[back[v]] = front;
        if (back[v] != v) shape.positions[back[v]].z = -front.z;
    }
    for (t = 0; t < p->triangle_count; t++)
        for (i = 0; i < 3; i++) {
            dc_index corner = p->triangles[3 * t + i];
            shape.triangles[3 * t + i] = corner;
            shape.triangles[3 * (p->triangle_count + t) + 2 - i] = back[corner];
        }
    return scene_add_cloth(s, &shape, why) != NULL;
}

int scene_build_shirt(scene *s, failure *why)
{
    static const double LENGTH = 0.75; /* [m] from shoulder to hem: the main side */
    unsigned char *is_sewn;
    panel p;
    dc_index *back;
    int is_built;
    s->edge = LENGTH / s->cells;
    add_figure(s, ARMS_SPREAD);
    if (!panel_init(&p, 200 + 3 * s->cells * s->cells, why)) return 0;
    back = malloc((size_t)p.capacity * sizeof *back);
    is_sewn = malloc((size_t)p.capacity);
    is_built = (back && is_sewn) || failure_set(why, "not enough memory for a shirt");
    is_built = is_built && cut_shirt(&p, is_sewn, s->edge, why);
    is_built = is_built && add_shirt(s, &p, is_sewn, back, why);
    free(is_sewn);
    free(back);
    panel_free(&p);
    return is_built;
}

void scene_drive_shirt(scene *s, double time)
{
    drive_figure(s, time, ARMS_SPREAD, ARMS_CLEAR);
}

/* The upper arms come 46 mm into the chest. */
void scene_drive_pinched(scene *s, double time)
{
    drive_figure(s, time, ARMS_SPREAD, ARMS_DOWN);
}

/* ---- dress ----
 *
 * Front and back are the same trapezoid, sewn together at the sides. It is put on as a cone, whose
 * lengths are not those of the pattern; it takes these in a while.
 */
static const double DRESS_RADIUS = 0.225, DRESS_HEIGHT = 1.24; /* [m] of its upper border */
static const double DRESS_LENGTH = 0.9, DRESS_HEM = 1.1;       /* [m] of a panel; its hem's width */
static const double DRESS_TIME = 0.4;                          /* [s] to take the pattern's lengths */

/* Columns of cells in a panel, and [m] the width of its upper border: whose vertices lie on a circle,
   a chord apart, as pins do not give way. */
static int dress_columns(const scene *s)
{
    return s->cells * 9 / 7;
}

static double dress_width(const scene *s)
{
    return 2 * DRESS_RADIUS * dress_columns(s) * vec_sin(VEC_PI / (2 * dress_columns(s)));
}

/* A point of the pattern, and where it is put on. part: 0 at the upper border, 1 at the hem. */
static dc_vec2 dress_flat(const scene *s, double column, double part)
{
    double width = dress_width(s) + (DRESS_HEM - dress_width(s)) * part;
    dc_vec2 flat;
    flat.x = (dc_real)(width * (column / dress_columns(s) - 0.5));
    flat.y = (dc_real)(-DRESS_LENGTH * part);
    return flat;
}

static dc_vec3 dress_worn(const scene *s, int column, double part)
{
    double wider = (DRESS_HEM / dress_width(s) - 1) * DRESS_RADIUS;
    double radius = DRESS_RADIUS + wider * part, angle = VEC_PI * column / dress_columns(s);
    double down = sqrt(DRESS_LENGTH * DRESS_LENGTH - wider * wider) * part;
    return vec_make(radius * vec_cos(angle), DRESS_HEIGHT - down, -radius * vec_sin(angle));
}

/* The two triangles of a cell: columns go around both panels, diagonals change from row to row. */
static void add_dress_cell(const scene *s, sim_shape *shape, int row, int column)
{
    static const int CORNERS[2][6][2] = {{{0, 0}, {1, 1}, {0, 1}, {0, 0}, {1, 0}, {1, 1}},
                                         {{0, 0}, {1, 0}, {0, 1}, {0, 1}, {1, 0}, {1, 1}}};
    int columns = dress_columns(s), around = 2 * columns, i;
    for (i = 0; i < 6; i++) {
        int down = CORNERS[row % 2][i][0], right = CORNERS[row % 2][i][1];
        int at = 6 * (row * around + column) + i;
        shape->triangles[at] = (row + down) * around + (column + right) % around;
        shape->flat[at] =
            dress_flat(s, column % columns + right, (double)(row + down) / s->cells);
    }
}

int scene_build_dress(scene *s, failure *why)
{
    int around = 2 * dress_columns(s), rows = s->cells, row, column;
    sim_shape shape;
    scene_cloth *cloth;
    s->edge = DRESS_LENGTH / s->cells;
    add_figure(s, ARMS_SPREAD);
    if (!scene_make_shape(&shape, around * (rows + 1), 2 * around * rows, why)) return 0;
    shape.flat = malloc(3 * (size_t)shape.mesh.triangle_count * sizeof *shape.flat);
    if (shape.flat == NULL) {
        sim_shape_free(&shape);
        return failure_set(why, "not enough memory for a dress");
    }
    shape.mesh.flat_corners = shape.flat;
    for (row = 0; row <= rows; row++)
        for (column = 0; column < around; column++) {
            shape.positions[row * around + column] = dress_worn(s, column, (double)row / rows);
            if (row < rows) add_dress_cell(s, &shape, row, column);
        }
    cloth = scene_add_cloth(s, &shape, why);
    if (cloth == NULL || !scene_make_pins(cloth, around, why)) return 0;
    for (column = 0; column < around; column++) scene_pin(cloth, column);
    cloth->desc.start_lengths = (dc_real)DRESS_TIME;
    return 1;
}

double scene_dress_angle(double time)
{
    static const double START = 0.6, END = 2.2, ANGLE = 3; /* [s], [rad] */
    return ANGLE * vec_blend(START, END, time);
}

/* The figure turns around, and the dress with it. */
void scene_drive_dress(scene *s, double time)
{
    double angle = scene_dress_angle(time);
    scene_cloth *cloth = &s->cloth[0];
    dc_vec3 ends[2];
    int i, k;
    for (i = 0; i < FIGURE_PARTS; i++) {
        for (k = 0; k < 2; k++) ends[k] = vec_turn_y(s->obstacle[i].point[k], angle);
        dc_obstacle_move(s->world, s->cloth_count + i, ends, vec_make(0, 0, 0), NULL);
    }
    for (k = 0; k < cloth->desc.pin_count; k++)
        dc_cloth_set_pin(s->world, 0, k, vec_turn_y(cloth->pin_home[k], angle), NULL);
}
