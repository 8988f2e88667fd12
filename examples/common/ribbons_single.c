/* Scenes of one ribbon: twisted, dragged, unrolled, spun, dropped. */
#include "ribbons_parts.h"

/* ---- Waves ---- */

/* Bends a straight ribbon along x, its normal up, into waves: slopes phi_j = A sin(2 pi W j / (n - 1))
   of its segments, for a flat one would not know which way to give. It ends level, at the height at
   which it began. Returns its reach: the sum of l / n cos(phi_j), about l (1 - A^2 / 4) [m]. */
static double make_waves(ribbon_body *b, int waves, double amplitude)
{
    int n = (int)b->desc.segment_count, j;
    double before = 0, reach = 1;
    for (j = 1; j < n; j++) {
        double slope = amplitude * vec_sin(2 * VEC_PI * waves * j / (n - 1));
        b->angles[j - 1] = (dc_real)(slope - before);
        reach += vec_cos(slope);
        before = slope;
    }
    return reach * (double)b->desc.length / n;
}

/* [m/s^2] What is hauled about by its ends need not be balanced to the default, a hundredth of its
   weight. */
static const double HAULED_RESIDUAL = 1;

/* ---- twist ---- */

static const double TWIST_ANGLE = 4 * 3.14159265358979323846, TWIST_TIME = 2; /* [rad], [s] */

/* How far apart ends are that are turned against each other by an angle, as parts of the length: by
   what a helix at the rim takes, and `slack` less. A ribbon that is twisted by more than two turns
   gets rid of them where it is not kept taut, by a loop around its end. */
static double twisted_reach(double angle, double width, double slack)
{
    double rim = angle * width / 2;
    return sqrt(1 - rim * rim) * (1 - slack);
}

static const double TWIST_SLOPE = 0.1; /* [rad] */

/* The first segment is held; the last one's normal is told, and the middle of its end. */
int ribbon_build_twist(ribbon_scene *s, failure *why)
{
    enum { WAVES = 5 };
    ribbon_body *b = ribbon_add(s, why);
    double reach;
    if (b == NULL) return 0;
    b->desc.solver.residual_tol = (dc_real)HAULED_RESIDUAL;
    s->collides = 1;
    s->gravity = vec_make(0, 0, 0);
    b->desc.is_fixed = 1;
    b->desc.drag = (dc_real)0.05;
    reach = make_waves(b, WAVES, TWIST_SLOPE);
    ribbon_attach_normal(b, (double)b->desc.length, vec_make(0, 1, 0));
    ribbon_attach_point(b, (double)b->desc.length, 0, vec_make(reach, 0, 0), 0);
    return 1;
}

void ribbon_drive_twist(ribbon_scene *s, double time)
{
    static const double SLACK = 0.03, SLACK_TIME = 0.3; /* of the length, [s] */
    const dc_ribbon_desc *ribbon = &s->body[0].desc;
    double angle = TWIST_ANGLE * vec_blend(0, TWIST_TIME, time), length = (double)ribbon->length;
    double reach = (double)s->body[0].attachment[1].target.x;
    reach *= twisted_reach(angle, (double)ribbon->width / length,
                           SLACK * vec_blend(0, SLACK_TIME, time));
    dc_ribbon_set_attachment(s->world, 0, 0, vec_make(0, vec_cos(angle), vec_sin(angle)), NULL);
    dc_ribbon_set_attachment(s->world, 0, 1, vec_make(reach, 0, 0), NULL);
}

/* ---- drag ---- */

/* A loop that hangs from its first segment, and a strong spring at its far side. */
int ribbon_build_drag(ribbon_scene *s, failure *why)
{
    static const double SPRING = 20; /* [N/m] */
    ribbon_body *b = ribbon_add(s, why);
    ribbon_band band;
    dc_ribbon_desc desc;
    double length, low;
    if (b == NULL) return 0;
    b->desc.solver.residual_tol = (dc_real)HAULED_RESIDUAL;
    s->collides = 1;
    length = (double)b->desc.length;
    b->desc.ends = DC_RIBBON_LOOP;
    b->desc.drag = (dc_real)0.05;
    desc = b->desc;
    if (!ribbon_band_make(&band, &desc, why)) return 0;
    b->desc.is_fixed = 1;
    low = band.reach[0] + band.reach[1];
    ribbon_band_place(&band, b, vec_make(0, -band.reach[0], 0), vec_make(0, 1, 0),
                      vec_make(0, 0, 1));
    ribbon_band_free(&band);
    ribbon_attach_point(b, length / 2, 0, vec_make(0, -low, 0), SPRING);
    return 1;
}

/* Pulled a metre beyond its reach, then to and fro, and around. */
void ribbon_drive_drag(ribbon_scene *s, double time)
{
    static const double FAR = 1.3, PULL = 0.5, SWING = 2.5, TURNS = 6; /* [m], [s], [s], [rad] */
    dc_vec3 home = s->body[0].attachment[0].target;
    double out = vec_blend(0, PULL, time), turn = TURNS * vec_blend_sum(PULL, SWING, time) / SWING;
    double far = -(double)home.y + (FAR + (double)home.y) * out;
    dc_vec3 p = vec_turn_y(vec_turn_z(vec_make(0, -far, 0), vec_sin(turn)), turn / 3);
    dc_ribbon_set_attachment(s->world, 0, 0, p, NULL);
}

/* ---- torsion ---- */

static const double TORSION_LENGTH = 1, TORSION_WIDTH = 0.1;                        /* [m] */
static const double TORSION_ANGLE = 1.5 * 3.14159265358979323846, TORSION_TIME = 2; /* [rad], [s] */

static const double TORSION_SLACK = 0.002; /* of the length, at the start */

/* Each end is led by half of the angle. */
void ribbon_torsion_corners(double time, dc_vec3 corner[4])
{
    static const double SLACK = 0.015, SLACK_TIME = 0.2; /* of the length, [s] */
    double angle = TORSION_ANGLE * vec_blend(0, TORSION_TIME, time);
    double slack = TORSION_SLACK + SLACK * vec_blend(0, SLACK_TIME, time);
    double along = TORSION_LENGTH / 2 * twisted_reach(angle, TORSION_WIDTH / TORSION_LENGTH, slack);
    int i;
    for (i = 0; i < 4; i++) {
        double side = i < 2 ? -1 : 1, up = i % 2 ? 1 : -1;
        dc_vec3 p = vec_make(side * along, 0, -up * TORSION_WIDTH / 2);
        corner[i] = vec_turn_x(p, side * angle / 2);
    }
}

/* Lying in the plane y = 0 but for waves that take up the slack. */
int ribbon_build_torsion(ribbon_scene *s, failure *why)
{
    enum { WAVES = 6 };
    ribbon_body *b = ribbon_add(s, why);
    dc_vec3 corner[4];
    int i;
    if (b == NULL) return 0;
    b->desc.solver.residual_tol = (dc_real)HAULED_RESIDUAL;
    s->gravity = vec_make(0, 0, 0);
    b->desc.length = (dc_real)TORSION_LENGTH;
    b->desc.width = (dc_real)TORSION_WIDTH;
    b->desc.origin = vec_make(-make_waves(b, WAVES, 2 * sqrt(TORSION_SLACK)) / 2, 0, 0);
    b->desc.drag = (dc_real)0.2;
    /* where a step is cut, corners that go straight come a little nearer to each other */
    b->desc.tolerance = (dc_real)1e-4;
    ribbon_torsion_corners(0, corner);
    for (i = 0; i < 4; i++)
        ribbon_attach_point(b, i < 2 ? 0 : TORSION_LENGTH,
                            i % 2 ? TORSION_WIDTH / 2 : -TORSION_WIDTH / 2, corner[i], 0);
    return 1;
}

void ribbon_drive_torsion(ribbon_scene *s, double time)
{
    dc_vec3 corner[4];
    int i;
    ribbon_torsion_corners(time, corner);
    for (i = 0; i < 4; i++) dc_ribbon_set_attachment(s->world, 0, i, corner[i], NULL);
}

/* ---- helix ---- */

/* On a cylinder of radius R with pitch angle 30 degrees: curvature cos^2 / R = 7.5 /m, creases that
   lean by the tangent of that angle. The first segment is held and nothing weighs. */
int ribbon_build_helix(ribbon_scene *s, failure *why)
{
    static const double RADIUS = 0.1, LEAN = 0.57735026918962576; /* [m], tan 30 degrees */
    const double cos_sq = 1 / (1 + LEAN * LEAN);
    ribbon_body *b = ribbon_add(s, why);
    double angle;
    int i;
    if (b == NULL) return 0;
    s->gravity = vec_make(0, 0, 0);
    b->desc.is_fixed = 1;
    b->desc.bending = (dc_real)4e-4;
    b->desc.drag = (dc_real)0.6; /* air of 1.2 kg/m^3 against paper that comes with .5 m/s */
    /* across a crease the surface turns by length cos / R, length / n cos^2 / cos apart */
    angle = (double)b->desc.length / s->segments * sqrt(cos_sq) / RADIUS;
    for (i = 1; i < s->segments; i++) {
        b->creases[i - 1] = (dc_real)LEAN;
        b->angles[i - 1] = (dc_real)angle;
    }
    return 1;
}

/* ---- rotating ---- */

/* Flat and held at its first segment, spinning about its centre line. Creases lean to and fro: straight
   across they could not begin to twist. */
int ribbon_build_rotating(ribbon_scene *s, failure *why)
{
    static const double SPIN = 25, LEAN = 0.3, WAVES = 5; /* [rad/s], [1], [1] */
    ribbon_body *b = ribbon_add(s, why);
    double half, lean;
    int i, n = s->segments;
    if (b == NULL) return 0;
    s->gravity = vec_make(0, 0, 0);
    b->desc.is_fixed = 1;
    half = (double)b->desc.width / 2;
    for (i = 1; i < n; i++) {
        lean = LEAN * vec_sin(2 * VEC_PI * WAVES * i / n);
        b->creases[i - 1] = (dc_real)lean;
    }
    for (i = 0; i <= n; i++) { /* across, from x_i to y_i, is -z */
        b->velocities[2 * i] = vec_make(0, -SPIN * half, 0);
        b->velocities[2 * i + 1] = vec_make(0, SPIN * half, 0);
    }
    return 1;
}

/* ---- fall ---- */

/* Upright above the floor, a little wavy. Segments of 2 cm, however many there are. */
int ribbon_build_fall(ribbon_scene *s, failure *why)
{
    static const double SEGMENT = 0.02, HEIGHT = 0.05, WAVE = 0.05, PERIOD = 0.5; /* [m], [rad] */
    static const double FRICTION = 0.3, AIR = 0.05; /* [1], [kg/(m^2 s)] */
    ribbon_body *b = ribbon_add(s, why);
    int i;
    if (b == NULL) return 0;
    s->collides = 1;
    b->desc.length = (dc_real)(SEGMENT * s->segments);
    b->desc.origin = vec_make(0, HEIGHT + SEGMENT * s->segments, 0);
    b->desc.along = vec_make(0, -1, 0);
    b->desc.normal = vec_make(0, 0, 1);
    b->desc.friction = (dc_real)FRICTION;
    b->desc.drag = (dc_real)AIR;
    for (i = 1; i < s->segments; i++) {
        b->angles[i - 1] = (dc_real)(WAVE * vec_cos(2 * VEC_PI * SEGMENT * i / PERIOD));
        b->creases[i - 1] = (dc_real)(WAVE * vec_sin(2 * VEC_PI * SEGMENT * i / PERIOD));
    }
    ribbon_add_floor(s, 0, FRICTION);
    return 1;
}
