/* The built-in scenes in one program: each at its small size, every step certified, every picture
   judged by the referee, and its story happens. The table of scenes is looped over; a new scene is
   tested by its row alone, and by a story if one is told of it below.

   Arguments: names of scenes; without any, all are run. */
#include <math.h>
#include <string.h>

#include "test.h"

#define DEVCLOTH_IMPLEMENTATION
#include "../devcloth.h"

#include "../examples/common/figure.h"
#include "../examples/common/scenes_parts.h"

#include "support/referee.h"
#include "support/sweep_referee.h"
#include "support/worlds.h"
#include "support/bodies.h"

/* ---- Watching a scene ---- */

typedef struct watch {
    scene scene;
    dc_mesh obstacle_mesh[SCENE_OBSTACLES_MAX]; /* of the obstacles that are meshes              */
    void *mesh_memory[SCENE_OBSTACLES_MAX];
    dc_vec3 *start[SCENE_CLOTHS_MAX]; /* (vertex_count) [m] where the cloths began       */
    dc_vec3 obstacle_start[SCENE_OBSTACLES_MAX]; /* [m] the first point of each                  */
    double turned;     /* [rad] summed up by a story                                             */
    double last_angle; /* [rad]                                                                  */
} watch;

static int watch_open(watch *w, const scene_kind *kind)
{
    scene *s = &w->scene;
    failure why;
    int i;
    memset(w, 0, sizeof *w);
    if (!scene_open(s, kind->name, kind->small_cells, &why)) {
        printf("    %s\n", why.text);
        return 0;
    }
    for (i = 0; i < s->cloth_count; i++) {
        size_t bytes = (size_t)dc_cloth_mesh(s->world, i)->vertex_count * sizeof(dc_vec3);
        w->start[i] = (dc_vec3 *)test_alloc(bytes);
        memcpy(w->start[i], dc_body_positions(s->world, i), bytes);
    }
    for (i = 0; i < s->obstacle_count; i++) {
        const dc_mesh_desc *mesh = &s->obstacle[i].mesh;
        size_t bytes;
        w->obstacle_start[i] = dc_body_positions(s->world, s->cloth_count + i)[0];
        if (s->obstacle[i].kind != DC_OBSTACLE_MESH) continue;
        bytes = dc_mesh_bytes(mesh->vertex_count, mesh->triangle_count);
        w->mesh_memory[i] = test_alloc(bytes);
        CHECK(dc_mesh_init(mesh, w->mesh_memory[i], bytes, &w->obstacle_mesh[i], NULL) == DC_OK);
    }
    return 1;
}

static void watch_close(watch *w)
{
    int i;
    for (i = 0; i < SCENE_CLOTHS_MAX; i++) free(w->start[i]);
    for (i = 0; i < SCENE_OBSTACLES_MAX; i++) free(w->mesh_memory[i]);
    scene_close(&w->scene);
}

static const dc_vec3 *cloth_now(const watch *w, int cloth)
{
    return dc_body_positions(w->scene.world, cloth);
}

/* What is drawn and collides, and where it is. */
static const dc_mesh *surface_of(const watch *w, int cloth)
{
    return dc_body_mesh(w->scene.world, cloth);
}

static const dc_vec3 *surface_now(const watch *w, int cloth)
{
    return dc_body_positions(w->scene.world, cloth);
}

static const dc_vec3 *obstacle_now(const watch *w, int obstacle)
{
    return dc_body_positions(w->scene.world, w->scene.cloth_count + obstacle);
}

static int vertices_of(const watch *w, int cloth)
{
    return (int)dc_cloth_mesh(w->scene.world, cloth)->vertex_count;
}

/* ---- Judging a picture ---- */

/* How many vertices of a cloth are not in front of a plane through three points. */
static int judge_plane(const watch *w, int cloth, const dc_vec3 *plane)
{
    const dc_vec3 *x = surface_now(w, cloth);
    int v, count = 0;
    for (v = 0; v < surface_of(w, cloth)->vertex_count; v++)
        count += exact_side(plane[0], plane[1], plane[2], x[v]) <= 0;
    return count;
}

static double judge_thick(const watch *w, int cloth, int obstacle)
{
    const dc_obstacle_desc *o = &w->scene.obstacle[obstacle];
    const dc_vec3 *end = obstacle_now(w, obstacle);
    return sampled_depth(surface_of(w, cloth), surface_now(w, cloth), o, end[0],
                         end[o->kind == DC_OBSTACLE_CAPSULE]);
}

static void judge_cloth(const watch *w, int cloth)
{
    const scene *s = &w->scene;
    const dc_mesh *mesh = surface_of(w, cloth);
    const dc_vec3 *x = surface_now(w, cloth);
    int k;
    CHECK(s->cloth[cloth].desc.self_contact);
    CHECK_EQUAL(referee_count(mesh, x, mesh, x), 0);
    for (k = cloth + 1; k < s->cloth_count; k++)
        CHECK_EQUAL(judge_meshes(mesh, x, surface_of(w, k), surface_now(w, k)), 0);
    for (k = 0; k < s->obstacle_count; k++) {
        const dc_vec3 *other = obstacle_now(w, k);
        if (s->obstacle[k].kind == DC_OBSTACLE_MESH)
            CHECK_EQUAL(judge_meshes(mesh, x, &w->obstacle_mesh[k], other), 0);
        else if (s->obstacle[k].kind == DC_OBSTACLE_PLANE)
            CHECK_EQUAL(judge_plane(w, cloth, other), 0);
        else /* rounding of a metre */
            CHECK_AT_MOST(judge_thick(w, cloth, k), TOL(1e-12, 1e-6));
    }
}

/* ---- What the stories ask ---- */

/* Adds how far an angle went since it was last asked for, the short way, to w->turned. */
static void follow_angle(watch *w, double angle)
{
    double way = angle - w->last_angle;
    w->turned += way - 2 * VEC_PI * floor(way / (2 * VEC_PI) + 0.5);
    w->last_angle = angle;
}

static double lowest(const dc_vec3 *x, int count)
{
    double least = (double)x[0].y;
    int v;
    for (v = 1; v < count; v++) least = fmin(least, (double)x[v].y);
    return least;
}

static double highest(const dc_vec3 *x, int count)
{
    double most = (double)x[0].y;
    int v;
    for (v = 1; v < count; v++) most = fmax(most, (double)x[v].y);
    return most;
}

static dc_vec3 centre_of(const watch *w, int cloth)
{
    return dc_cloth_measure(w->scene.world, cloth).centre;
}

/* Heights at which the vertical through (x, z) meets a cloth: the lowest and the highest. False if it
   does not. */
static int heights_over(const watch *w, int cloth, double x, double z, double height[2])
{
    const dc_mesh *mesh = dc_cloth_mesh(w->scene.world, cloth);
    const dc_vec3 *p = cloth_now(w, cloth);
    dc_index t;
    int i, count = 0;
    for (t = 0; t < mesh->triangle_count; t++) {
        double area[3], sum, at = 0;
        for (i = 0; i < 3; i++) {
            dc_vec3 a = p[mesh->triangles[3 * t + (i + 1) % 3]];
            dc_vec3 b = p[mesh->triangles[3 * t + (i + 2) % 3]];
            area[i] = ((double)a.x - x) * ((double)b.z - z) - ((double)a.z - z) * ((double)b.x - x);
        }
        sum = area[0] + area[1] + area[2];
        if (!(fmin(area[0], fmin(area[1], area[2])) >= 0 ||
              fmax(area[0], fmax(area[1], area[2])) <= 0) ||
            sum == 0)
            continue;
        for (i = 0; i < 3; i++) at += area[i] / sum * (double)p[mesh->triangles[3 * t + i]].y;
        height[0] = count > 0 ? fmin(height[0], at) : at;
        height[1] = count > 0 ? fmax(height[1], at) : at;
        count++;
    }
    return count > 0;
}

/* ---- sphere, turning ---- */

/* [m] of the ball, obstacle 0 */
static double top_of_ball(const watch *w)
{
    return (double)obstacle_now(w, 0)[0].y + (double)w->scene.obstacle[0].radius;
}

/* A vertex of a square sheet, by its place in cells along both sides. */
static dc_index sheet_vertex(const watch *w, int column, int row)
{
    return row * (w->scene.cells + 1) + column;
}

/* The sheet lies on the ball: the vertical through the ball's top meets it once, in a triangle that
   touches the ball or whose corners, at most an edge e away, do. Then it is e^2 / r higher at most,
   and what repulsion keeps. The corners are sqrt(1/2) = 0.71 m from the middle of the sheet; that is
   0.32 m farther than the equator, so they hang below it. */
static void check_on_ball(const watch *w)
{
    const scene *s = &w->scene;
    double radius = (double)s->obstacle[0].radius, height[2] = {0, 1e30};
    double gap = (double)s->cloth[0].desc.thickness + s->edge * s->edge / radius;
    int i;
    CHECK(heights_over(w, 0, 0, 0, height) && height[0] == height[1]);
    CHECK(height[0] > top_of_ball(w));
    CHECK_AT_MOST(height[1], top_of_ball(w) + gap);
    for (i = 0; i < 4; i++)
        CHECK_AT_MOST(cloth_now(w, 0)[sheet_vertex(w, i % 2 * s->cells, i / 2 * s->cells)].y,
                      obstacle_now(w, 0)[0].y);
}

static void end_sphere(watch *w)
{
    check_on_ball(w);
}

/* The direction of the middle half of a row of cells, as an angle about the vertical: it grows as the
   ball turns. */
static void follow_turning(watch *w)
{
    int cells = w->scene.cells;
    const dc_vec3 *x = cloth_now(w, 0);
    dc_vec3 a = x[sheet_vertex(w, cells / 4, cells / 2)];
    dc_vec3 b = x[sheet_vertex(w, cells - cells / 4, cells / 2)], way = vec_sub(b, a);
    follow_angle(w, atan2(-(double)way.z, (double)way.x));
}

/* [rad/s] about the vertical through the origin: the mean over the vertices, by their moments of
   inertia */
static double spin_of(const watch *w)
{
    const dc_vec3 *x = cloth_now(w, 0), *v = dc_body_velocities(w->scene.world, 0);
    double momentum = 0, inertia = 0;
    int i;
    for (i = 0; i < vertices_of(w, 0); i++) {
        momentum += (double)(x[i].z * v[i].x - x[i].x * v[i].z);
        inertia += (double)(x[i].z * x[i].z + x[i].x * x[i].x);
    }
    return momentum / inertia;
}

/* The ball stands again; the sheet went most of the way with it, and no farther than a quarter turn
   beyond, and has lost nearly all of the speed that it had on the way. */
static void end_turning(watch *w)
{
    double end = w->scene.kind->small_seconds, all = scene_turning_angle(end), dt = 0.01;
    double fastest = 0, time;
    for (time = 0; time < end; time += dt)
        fastest = fmax(fastest, (scene_turning_angle(time + dt) - scene_turning_angle(time)) / dt);
    CHECK(scene_turning_angle(end - dt) == all && all > 2 * VEC_PI);
    CHECK(w->turned > all * 0.75 && w->turned < all + VEC_PI / 2);
    CHECK_NEAR(spin_of(w), 0, fastest / 20);
    check_on_ball(w);
}

/* ---- cape, shirt ---- */

/* The figure has gone more than a step, of 0.7 m. The garment still hangs on its shoulders, and as
   steeply as it should: its centre is more below the neck than away from the figure. */
static void end_figure(watch *w)
{
    dc_vec3 neck = obstacle_now(w, FIGURE_NECK)[0], hip = obstacle_now(w, FIGURE_HIPS)[0];
    dc_vec3 other = obstacle_now(w, FIGURE_HIPS)[1], away = centre_of(w, 0);
    double below = (double)(neck.y - away.y);
    away = vec_sub(away, vec_scale(0.5, vec_add(hip, other)));
    away.y = 0;
    CHECK(hip.z - w->obstacle_start[FIGURE_HIPS].z > 0.7);
    CHECK_AT_MOST(vec_length(away), below);
    CHECK(highest(cloth_now(w, 0), vertices_of(w, 0)) >
          (double)obstacle_now(w, FIGURE_SHOULDERS)[0].y);
}

/* ---- dress ---- */

/* The dress has the lengths of its pattern, which is as high as it hangs but for a fifth, and its hem
   has gone around with the figure. */
static void end_dress(watch *w)
{
    const scene_cloth *cloth = &w->scene.cloth[0];
    const dc_vec3 *x = cloth_now(w, 0);
    int count = vertices_of(w, 0), around = (int)cloth->desc.pin_count, v;
    double length = w->scene.edge * w->scene.cells, turned = 0;
    for (v = count - around; v < count; v++) {
        dc_vec3 from = vec_turn_y(w->start[0][v], scene_dress_angle(w->scene.kind->small_seconds));
        dc_vec3 to = x[v];
        from.y = to.y = 0;
        turned += vec_dot(from, to) / (vec_length(from) * vec_length(to)) / around;
    }
    CHECK_AT_MOST(dc_cloth_measure(w->scene.world, 0).constraint_error, 1e-2);
    CHECK(highest(x, count) - lowest(x, count) < 1.05 * length);
    CHECK(highest(x, count) - lowest(x, count) > 0.8 * length);
    CHECK(turned > 0.9);
}

/* ---- crushed, twisted ---- */

/* The middle of one ring of pins: those of the first end come first. */
static dc_vec3 ring_middle(const watch *w, const dc_vec3 *x, int is_second)
{
    const scene_cloth *cloth = &w->scene.cloth[0];
    int half = (int)cloth->desc.pin_count / 2, k;
    dc_vec3 sum = vec_make(0, 0, 0);
    for (k = 0; k < half; k++) sum = vec_add(sum, x[cloth->pins[is_second * half + k]]);
    return vec_scale(1.0 / half, sum);
}

static double ring_radius(const watch *w)
{
    return vec_length(
        vec_sub(w->start[0][w->scene.cloth[0].pins[0]], ring_middle(w, w->start[0], 0)));
}

/* The plate has gone down by nearly half of the can's height L, and the can's upper end with it. Lines
   along the can keep their lengths, so they leave the cylinder: by least if they are folded to and
   fro at every edge e, which then swings by e sqrt(1 - (h / L)^2), half of that to each side. */
static void end_crushed(watch *w)
{
    double was = (double)vec_sub(ring_middle(w, w->start[0], 1), ring_middle(w, w->start[0], 0)).y;
    double way = (double)obstacle_now(w, 0)[0].y - (double)w->obstacle_start[0].y;
    const dc_vec3 *x = cloth_now(w, 0);
    double now = (double)vec_sub(ring_middle(w, x, 1), ring_middle(w, x, 0)).y, most = 0;
    int v;
    for (v = 0; v < vertices_of(w, 0); v++) {
        double away = vec_length(vec_make((double)x[v].x, 0, (double)x[v].z)) - ring_radius(w);
        most = fmax(most, fabs(away));
    }
    CHECK_NEAR(now, was + way, 1e-3 * w->scene.edge);
    CHECK_NEAR(now / was, 0.5, 0.05);
    CHECK(most > w->scene.edge / 2 * sqrt(1 - now / was * (now / was)));
}

/* How far the ends of the tube are turned against each other about its axis, along x. */
static void follow_twisted(watch *w)
{
    const scene_cloth *cloth = &w->scene.cloth[0];
    const dc_vec3 *x = cloth_now(w, 0);
    double angle[2];
    int end;
    for (end = 0; end < 2; end++) {
        dc_index pin = cloth->pins[end * (int)cloth->desc.pin_count / 2];
        dc_vec3 p = vec_sub(x[pin], ring_middle(w, x, end));
        angle[end] = atan2((double)p.z, (double)p.y);
    }
    follow_angle(w, angle[0] - angle[1]);
}

/* More than three turns of the four, and the middle of the tube is a rope: half a turn would bring
   opposite walls together, so by now it is closer around its own middle than half the radius. */
static void end_twisted(watch *w)
{
    const dc_vec3 *x = cloth_now(w, 0);
    dc_vec3 middle = vec_make(0, 0, 0);
    double spread = 0;
    int v, count = 0, pass;
    for (pass = 0; pass < 2; pass++) {
        for (v = 0; v < vertices_of(w, 0); v++) {
            if (fabs((double)x[v].x) > w->scene.edge) continue;
            if (pass == 0) {
                middle = vec_add(middle, vec_make(0, (double)x[v].y, (double)x[v].z));
                count++;
            } else {
                dc_vec3 away = vec_sub(vec_make(0, (double)x[v].y, (double)x[v].z), middle);
                spread += vec_length(away) * vec_length(away);
            }
        }
        if (pass == 0) middle = vec_scale(1.0 / count, middle);
    }
    CHECK(fabs(w->turned) > 3 * 2 * VEC_PI);
    CHECK_AT_MOST(sqrt(spread / count), ring_radius(w) / 2);
}

/* ---- five ---- */

/* At the top of the ball they lie as they fell: each wholly above the one before, and on it, as far
   apart as repulsion keeps and triangles with edges e on a ball demand (check_on_ball()). */
static void end_five(watch *w)
{
    const scene *s = &w->scene;
    double below = top_of_ball(w), height[2] = {0, 1e30};
    double gap =
        (double)s->cloth[0].desc.thickness + s->edge * s->edge / (double)s->obstacle[0].radius;
    int i;
    for (i = 0; i < s->cloth_count; i++) {
        CHECK(heights_over(w, i, 0, 0, height) && height[0] > below);
        CHECK_AT_MOST(height[0], below + gap);
        below = height[1];
    }
}

/* ---- funnel ---- */

static void end_funnel(watch *w)
{
    int funnel_count = (int)w->scene.obstacle[0].mesh.vertex_count;
    double foot = lowest(obstacle_now(w, 0), funnel_count);
    CHECK(lowest(w->start[0], vertices_of(w, 0)) > highest(obstacle_now(w, 0), funnel_count));
    CHECK(centre_of(w, 0).y < foot);
}

/* ---- tied ---- */

/* From the middle of a ribbon, the tip of its bight, to an end of it. */
static dc_vec3 ribbon_leg(const watch *w, int ribbon, const dc_vec3 *x)
{
    int cells = w->scene.cells, rows = vertices_of(w, ribbon) / (cells + 1);
    const dc_vec3 *row = x + rows / 2 * (cells + 1);
    return vec_sub(row[cells / 2], row[0]);
}

/* The bights still go through each other: the tip of the ribbon that is held on the left lies to the
   right of that of the other one. One that came away would go along with its ends; as the knot holds
   it back, its legs are drawn straight instead, by at least a quarter of the slack that they had. */
static void end_tied(watch *w)
{
    double tip[2];
    int ribbon;
    for (ribbon = 0; ribbon < 2; ribbon++) {
        const dc_vec3 *x = cloth_now(w, ribbon);
        double was = vec_length(ribbon_leg(w, ribbon, w->start[ribbon]));
        double now = vec_length(ribbon_leg(w, ribbon, x));
        double whole = w->scene.edge * w->scene.cells / 2;
        tip[ribbon] = (double)(x[0].x + ribbon_leg(w, ribbon, x).x);
        CHECK(now > was + (whole - was) / 4 && now < whole);
        CHECK(fabs((double)x[0].x) > fabs((double)w->start[ribbon][0].x));
    }
    CHECK(tip[0] > tip[1]);
}

/* ---- balloon, shell, rigid ---- */

/* How much of its height a body has kept, standing on the floor at 0. */
static double height_kept(const watch *w)
{
    int count = vertices_of(w, 0);
    return highest(cloth_now(w, 0), count) /
           (highest(w->start[0], count) - lowest(w->start[0], count));
}

/* These say in numbers what the three are called: less than half of the height is left, the horns
   still stand over a body that has given way, or nothing is to be seen. */
static const double COLLAPSED = 0.5, GAVE_WAY = 0.97;

static void end_balloon(watch *w)
{
    CHECK(height_kept(w) < COLLAPSED);
}

static void end_shell(watch *w)
{
    CHECK(height_kept(w) > COLLAPSED && height_kept(w) < GAVE_WAY);
}

static void end_rigid(watch *w)
{
    CHECK(height_kept(w) > GAVE_WAY);
}

/* ---- One test for each scene ---- */

typedef struct story {
    const char *scene;
    void (*follow)(watch *w); /* after every step, and before the first; may be NULL             */
    void (*end)(watch *w);
} story;

static const story stories[] = {
    {.scene = "sphere", .end = end_sphere},
    {.scene = "turning", .follow = follow_turning, .end = end_turning},
    {.scene = "balloon", .end = end_balloon},
    {.scene = "shell", .end = end_shell},
    {.scene = "rigid", .end = end_rigid},
    {.scene = "cape", .end = end_figure},
    {.scene = "shirt", .end = end_figure},
    {.scene = "pinched", .end = end_figure},
    {.scene = "dress", .end = end_dress},
    {.scene = "crushed", .end = end_crushed},
    {.scene = "five", .end = end_five},
    {.scene = "funnel", .end = end_funnel},
    {.scene = "twisted", .follow = follow_twisted, .end = end_twisted},
    {.scene = "tied", .end = end_tied},
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
    dc_status status = scene_step(&w->scene, &report, &error);
    CHECK(status == DC_OK);
    if (status != DC_OK) {
        printf("        at %.3f s: %s\n", (double)dc_world_time(w->scene.world), error.what);
        return 0;
    }
    CHECK(report.is_certified && report.unresolved == 0);
    CHECK_AT_MOST(report.constraint_error, w->scene.cloth[0].desc.tolerance);
    return 1;
}

static void watch_all(watch *w)
{
    const scene_kind *kind = w->scene.kind;
    int steps = (int)(kind->small_seconds / kind->dt + 0.5), frame = scene_steps_a_frame(kind);
    story tale = story_of(kind->name);
    int i, cloth;
    if (tale.follow) tale.follow(w);
    w->turned = 0;
    for (i = 0; i <= steps; i++) {
        for (cloth = 0; i % frame == 0 && cloth < w->scene.cloth_count; cloth++)
            judge_cloth(w, cloth);
        if (i == steps || !watch_step(w)) break;
        if (tale.follow) tale.follow(w);
    }
    if (i == steps && tale.end) tale.end(w);
}

static void test_scene(const scene_kind *kind)
{
    watch w;
    int is_open = watch_open(&w, kind);
    CHECK(is_open);
    if (!is_open) return;
    watch_all(&w);
    watch_close(&w);
}

/* The isometric shell comes down in steps of 10 ms as well. */
static void test_landing_in_long_steps(const scene_kind *shell)
{
    scene_kind kind = *shell;
    watch w;
    int i;
    kind.small_cells = 24;
    kind.dt = 0.01;
    if (!watch_open(&w, &kind)) {
        CHECK(0);
        return;
    }
    w.scene.kind = &kind;
    for (i = 0; i < 20 && watch_step(&w); i++) judge_cloth(&w, 0);
    CHECK_EQUAL(i, 20);
    watch_close(&w);
}

int main(int argc, char **argv)
{
    int passed = 0, failed = 0, kind_count, i, k;
    const scene_kind *kinds = scene_kinds(&kind_count);
    for (k = 1; k < argc; k++)
        if (!scene_find(argv[k])) {
            printf("FAILED: there is no scene %s\n", argv[k]);
            failed++;
        }
    for (i = 0; i < kind_count; i++) {
        int before = test_failures, wanted = argc < 2;
        for (k = 1; k < argc; k++) wanted = wanted || strcmp(kinds[i].name, argv[k]) == 0;
        if (!wanted) continue;
        test_shown = 0;
        test_scene(&kinds[i]);
        if (strcmp(kinds[i].name, "shell") == 0) test_landing_in_long_steps(&kinds[i]);
        if (test_failures == before) {
            passed++;
            continue;
        }
        failed++;
        printf("FAILED: scene %s\n", kinds[i].name);
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
