/* The built-in scenes of ribbons in one program: each at its small size, every step certified where
   ribbons collide, every picture judged by the referee, and its story happens. The table of scenes is
   looped over; a new scene is tested by its row alone, and by a story if one is told of it below.

   Arguments: names of scenes; without any, all are run. */
#include <math.h>
#include <string.h>

#include "test.h"

#define DEVCLOTH_IMPLEMENTATION
#include "../devcloth.h"

#include "../examples/common/ribbons_parts.h"

#include "support/referee.h"

/* What must hold. */
static const double CREASE_LIMIT =
    0.95; /* of 2 length / (width n)                                */

/* ---- Watching a scene ---- */

typedef struct watch {
    ribbon_scene scene;
    dc_mesh mesh[RIBBON_BODIES_MAX]; /* triangles and their edges only, for the referee          */
    dc_index *corners[RIBBON_BODIES_MAX]; /* of the triangles, then of the edges                 */
    dc_vec3 *start[RIBBON_BODIES_MAX]; /* (vertex_count) [m] where the ribbons began             */
    dc_ribbon_measures first;          /* of ribbon 0 at the start                               */
    double turned;                     /* [rad] summed up by a story                             */
    double last_angle;                 /* [rad]                                                  */
} watch;

static const dc_vec3 *ribbon_now(const watch *w, int ribbon)
{
    return dc_body_positions(w->scene.world, ribbon);
}

static int vertices_of(const watch *w, int ribbon)
{
    return (int)dc_body_mesh(w->scene.world, ribbon)->vertex_count;
}

/* A mesh as the referee needs it: a Moebius band has no front, so dc_mesh_init() is none for it. Edges
   that two triangles have are in it twice. */
static void take_mesh(watch *w, int ribbon)
{
    dc_mesh *mesh = &w->mesh[ribbon];
    dc_index count = 2 * w->scene.body[ribbon].desc.segment_count, *triangles, *edges, q;
    triangles = w->corners[ribbon] = (dc_index *)test_alloc(9 * (size_t)count * sizeof(dc_index));
    edges = triangles + 3 * count;
    memcpy(triangles, dc_body_mesh(w->scene.world, ribbon)->triangles,
           3 * (size_t)count * sizeof(dc_index));
    for (q = 0; q < 3 * count; q++) {
        edges[2 * q] = triangles[q];
        edges[2 * q + 1] = triangles[q - q % 3 + (q + 1) % 3];
    }
    mesh->vertex_count = vertices_of(w, ribbon);
    mesh->triangle_count = count;
    mesh->triangles = triangles;
    mesh->edge_count = 3 * count;
    mesh->edge_vertices = edges;
}

static int watch_open(watch *w, const ribbon_kind *kind)
{
    ribbon_scene *s = &w->scene;
    ribbon_choice choice;
    failure why;
    int i;
    memset(w, 0, sizeof *w);
    memset(&choice, 0, sizeof choice);
    choice.segments = kind->small_segments;
    if (!ribbon_scene_open(s, kind->name, &choice, &why)) {
        printf("    %s\n", why.text);
        return 0;
    }
    for (i = 0; i < s->body_count; i++) {
        size_t bytes = (size_t)vertices_of(w, i) * sizeof(dc_vec3);
        w->start[i] = (dc_vec3 *)test_alloc(bytes);
        memcpy(w->start[i], ribbon_now(w, i), bytes);
        take_mesh(w, i);
    }
    w->first = dc_ribbon_measure(s->world, 0);
    return 1;
}

static void watch_close(watch *w)
{
    int i;
    for (i = 0; i < RIBBON_BODIES_MAX; i++) {
        free(w->start[i]);
        free(w->corners[i]);
    }
    ribbon_scene_close(&w->scene);
}

/* ---- Judging a picture ---- */

/* Crossings of a ribbon with itself and with those of higher numbers. */
static void judge_ribbon(const watch *w, int ribbon)
{
    const ribbon_scene *s = &w->scene;
    const dc_mesh *mesh = &w->mesh[ribbon];
    const dc_vec3 *x = ribbon_now(w, ribbon);
    int k, v;
    CHECK(s->body[ribbon].desc.self_contact);
    CHECK_EQUAL(referee_count(mesh, x, mesh, x), 0);
    for (k = ribbon + 1; k < s->body_count; k++) {
        CHECK_EQUAL(referee_count(mesh, x, &w->mesh[k], ribbon_now(w, k)), 0);
        CHECK_EQUAL(referee_count(&w->mesh[k], ribbon_now(w, k), mesh, x), 0);
    }
    for (k = 0; k < s->obstacle_count; k++) { /* all of them are planes, facing up */
        const dc_vec3 *plane = dc_body_positions(s->world, s->body_count + k);
        int below = 0;
        for (v = 0; v < vertices_of(w, ribbon); v++) below += !(x[v].y > plane[0].y);
        CHECK_EQUAL(below, 0);
    }
}

static double closed_error(const dc_ribbon_desc *d)
{
    if (d->ends == DC_RIBBON_OPEN) return 0;
    return (double)d->tolerance * (double)d->segment_count / (double)d->length;
}

/* The ribbons are paper: flat segments, creases that do not cross. Where nothing collides areas are
   right to rounding: coordinates of a metre, sides of a centimetre; and where ends are joined, to what
   their tolerance is of the length of a segment. */
static void judge_paper(const watch *w)
{
    const ribbon_scene *s = &w->scene;
    int i;
    for (i = 0; i < s->body_count; i++) {
        dc_ribbon_measures m = dc_ribbon_measure(s->world, i);
        CHECK_AT_MOST(m.crease_limit, CREASE_LIMIT * (1 + TOL(1e-12, 1e-5)));
        if (!s->collides)
            CHECK_AT_MOST(m.area_error, TOL(1e-11, 1e-2) + closed_error(&s->body[i].desc));
    }
}

/* ---- What the stories ask ---- */

/* The point of the centre line at crease j of ribbon 0. */
static dc_vec3 middle_at(const dc_vec3 *x, int j)
{
    return vec_scale(0.5, vec_add(x[2 * j], x[2 * j + 1]));
}

static double distance(dc_vec3 a, dc_vec3 b)
{
    return vec_length(vec_sub(b, a));
}

/* How far a point of the centre line of ribbon 0 is at most from where it began: the ends of creases
   also slide along the rims. */
static double farthest(const watch *w)
{
    double most = 0;
    int j;
    for (j = 0; 2 * j < vertices_of(w, 0); j++)
        most = fmax(most, distance(middle_at(w->start[0], j), middle_at(ribbon_now(w, 0), j)));
    return most;
}

/* The direction across the last end, about the x axis; it is summed up over time. */
static void follow_end(watch *w)
{
    int n = w->scene.segments;
    const dc_vec3 *x = ribbon_now(w, 0);
    dc_vec3 across = vec_sub(x[2 * n + 1], x[2 * n]);
    double angle = atan2((double)across.z, (double)across.y), way = angle - w->last_angle;
    w->turned += way - 2 * VEC_PI * floor(way / (2 * VEC_PI) + 0.5);
    w->last_angle = angle;
}

/* Two turns, and the end is still ahead of the start: the ribbon is twisted, not swung around. To a
   tenth of a turn, for the end may lean. */
static void end_twist(watch *w)
{
    int n = w->scene.segments;
    CHECK_NEAR(w->turned, 4 * VEC_PI, 0.2 * VEC_PI);
    CHECK((double)middle_at(ribbon_now(w, 0), n).x > 0.7 * (double)w->scene.body[0].desc.length);
}

/* The loop is two strips by now: its far side is nearly half the length away. */
static void end_drag(watch *w)
{
    int n = w->scene.segments;
    const dc_vec3 *x = ribbon_now(w, 0);
    double half = (double)w->scene.body[0].desc.length / 2;
    CHECK(distance(middle_at(x, 0), middle_at(x, n / 2)) > 0.9 * half);
}

/* Corners are where they were led. */
static void end_torsion(watch *w)
{
    int n = w->scene.segments, i;
    const dc_vec3 *x = ribbon_now(w, 0);
    dc_vec3 corner[4];
    ribbon_torsion_corners((double)dc_world_time(w->scene.world), corner);
    for (i = 0; i < 4; i++)
        CHECK_AT_MOST(distance(x[i < 2 ? i : 2 * n + i - 2], corner[i]),
                      w->scene.body[0].desc.tolerance * DCI_R(1.01) + TOL(0, 1e-5));
}

/* It has unrolled by a fifth at least: energy of the coil has gone into motion or the air. */
static void end_helix(watch *w)
{
    dc_ribbon_measures now = dc_ribbon_measure(w->scene.world, 0);
    CHECK(now.bending < w->first.bending * DCI_R(0.8));
    CHECK_AT_MOST(now.bending + now.kinetic, w->first.bending * DCI_R(1.001));
}

/* The centre line, which spinning alone leaves where it is, has gone far. */
static void end_rotating(watch *w)
{
    CHECK(farthest(w) > 2 * (double)w->scene.body[0].desc.width);
}

/* The last end has reached the floor, and the ribbon lies on it in folds: the sum of what the creases
   turn is more than a whole turn, and its first end has come down as far as in free fall, but for the
   air and what it stands on. */
static void end_fall(watch *w)
{
    const ribbon_scene *s = &w->scene;
    int n = s->segments, v;
    double end = (double)dc_world_time(s->world), lowest = 1e30, turned = 0;
    double way = (double)(w->start[0][0].y - ribbon_now(w, 0)[0].y);
    for (v = 0; v < vertices_of(w, 0); v++) lowest = fmin(lowest, (double)ribbon_now(w, 0)[v].y);
    for (v = 1; v < n; v++) turned += fabs((double)dc_ribbon_angles(s->world, 0)[v]);
    CHECK_AT_MOST(lowest, s->body[0].desc.thickness);
    CHECK(turned > 2 * VEC_PI);
    CHECK(way > 0.3 * fmin(9.81 * end * end / 2, (double)w->start[0][0].y));
}

/* Chains hang together: the last link is not farther from the first than all links pulled to double
   strips, and has come down, but not as far as in free fall. */
static void end_chain(watch *w)
{
    enum { LINKS = 9 };
    double end = (double)dc_world_time(w->scene.world), length, way;
    int last = LINKS - 1;
    dc_vec3 first = dc_ribbon_measure(w->scene.world, 0).centre;
    dc_vec3 bottom = dc_ribbon_measure(w->scene.world, last).centre, was = vec_make(0, 0, 0);
    int v, count = vertices_of(w, last);
    for (v = 0; v < count; v++) was = vec_add(was, vec_scale(1.0 / count, w->start[last][v]));
    length = (double)w->scene.body[0].desc.length;
    way = (double)(was.y - bottom.y);
    CHECK_AT_MOST(distance(first, bottom), (LINKS - 1) * length / 2);
    CHECK(way > 0.02);
    CHECK_AT_MOST(way, 9.81 * end * end / 2 + 0.01);
}

/* ---- One test for each scene ---- */

typedef struct story {
    const char *scene;
    void (*follow)(watch *w); /* after every step, and before the first; may be NULL             */
    void (*end)(watch *w);
} story;

static const story stories[] = {
    {.scene = "twist", .follow = follow_end, .end = end_twist},
    {.scene = "drag", .end = end_drag},
    {.scene = "torsion", .end = end_torsion},
    {.scene = "helix", .end = end_helix},
    {.scene = "rotating", .end = end_rotating},
    {.scene = "fall", .end = end_fall},
    {.scene = "moebius", .end = end_chain},
    {.scene = "chains", .end = end_chain},
};

/* A scene of which no story is told has one in which nothing is asked. */
static story story_of(const char *name)
{
    story none = {NULL, NULL, NULL};
    size_t i;
    for (i = 0; i < sizeof stories / sizeof stories[0]; i++)
        if (strcmp(stories[i].scene, name) == 0) return stories[i];
    return none;
}

static int watch_step(watch *w)
{
    dc_report report;
    dc_error error;
    dc_status status = ribbon_scene_step(&w->scene, &report, &error);
    CHECK(status == DC_OK);
    if (status != DC_OK) {
        printf("        at %.3f s: %s\n", (double)dc_world_time(w->scene.world), error.what);
        return 0;
    }
    if (w->scene.collides) CHECK(report.is_certified && report.unresolved == 0);
    CHECK_AT_MOST(report.ribbon_error, w->scene.body[0].desc.tolerance);
    return 1;
}

static void watch_all(watch *w)
{
    const ribbon_kind *kind = w->scene.kind;
    int steps = (int)(kind->small_seconds / w->scene.dt + 0.5);
    int frame = ribbon_steps_a_frame(&w->scene), i, ribbon;
    story tale = story_of(kind->name);
    if (tale.follow) tale.follow(w);
    w->turned = 0;
    for (i = 0; i <= steps; i++) {
        judge_paper(w);
        for (ribbon = 0; w->scene.collides && i % frame == 0 && ribbon < w->scene.body_count;
             ribbon++)
            judge_ribbon(w, ribbon);
        if (i == steps || !watch_step(w)) break;
        if (tale.follow) tale.follow(w);
    }
    if (i == steps && tale.end) tale.end(w);
}

static void test_scene(const ribbon_kind *kind)
{
    static watch w; /* too large for some stacks */
    int is_open = watch_open(&w, kind);
    CHECK(is_open);
    if (!is_open) return;
    watch_all(&w);
    watch_close(&w);
}

int main(int argc, char **argv)
{
    int passed = 0, failed = 0, kind_count, i, k;
    const ribbon_kind *kinds = ribbon_kinds(&kind_count);
    for (k = 1; k < argc; k++)
        if (!ribbon_find(argv[k])) {
            printf("FAILED: there is no ribbon scene %s\n", argv[k]);
            failed++;
        }
    for (i = 0; i < kind_count; i++) {
        int before = test_failures, wanted = argc < 2;
        for (k = 1; k < argc; k++) wanted = wanted || strcmp(kinds[i].name, argv[k]) == 0;
        if (!wanted) continue;
        test_shown = 0;
        test_scene(&kinds[i]);
        if (test_failures == before) {
            passed++;
            continue;
        }
        failed++;
        printf("FAILED: ribbon scene %s\n", kinds[i].name);
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
