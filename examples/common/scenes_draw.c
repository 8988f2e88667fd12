#include "scenes_draw.h"

#include <string.h>

#include "scenes_parts.h"

static const render_colour FRONTS[SCENE_CLOTHS_MAX] = {
    {.12, .53, .62}, {.80, .30, .22}, {.90, .68, .22}, {.36, .56, .30}, {.46, .36, .62}};
static const render_colour BACKS[SCENE_CLOTHS_MAX] = {
    {.95, .72, .42}, {.95, .82, .74}, {.96, .90, .70}, {.82, .90, .74}, {.86, .80, .92}};
static const render_colour STONE = {.62, .60, .58}, MARK = {.25, .25, .28};
static const render_colour RED = {.80, .08, .08};

static render_mesh mesh_of(const dc_mesh_desc *mesh, const dc_vec3 *positions)
{
    render_mesh m;
    memset(&m, 0, sizeof m);
    m.vertex_count = mesh->vertex_count;
    m.triangle_count = mesh->triangle_count;
    m.positions = positions;
    m.triangles = mesh->triangles;
    return m;
}

static render_mesh surface_of(const dc_world *world, int cloth)
{
    const dc_mesh *surface = dc_body_mesh(world, cloth);
    render_mesh m;
    memset(&m, 0, sizeof m);
    m.vertex_count = surface->vertex_count;
    m.triangle_count = surface->triangle_count;
    m.positions = dc_body_positions(world, cloth);
    m.triangles = surface->triangles;
    return m;
}

/* `now`: the vertices, or the points, as they are now. */
static void add_obstacle(const dc_obstacle_desc *o, const dc_vec3 *now, render_scene *view)
{
    render_material stone = render_solid(STONE);
    switch (o->kind) {
    case DC_OBSTACLE_MESH: render_add_mesh(view, mesh_of(&o->mesh, now), stone); break;
    case DC_OBSTACLE_SPHERE:
        render_add_capsule(view, now[0], now[0], (double)o->radius, stone);
        break;
    case DC_OBSTACLE_CAPSULE:
        render_add_capsule(view, now[0], now[1], (double)o->radius, stone);
        break;
    case DC_OBSTACLE_PLANE: view->ground = (double)now[0].y; break;
    }
}

/* Knobs around the sphere of `turning`, that show how it turns. */
static void add_marks(const scene *s, render_scene *view)
{
    enum { MARKS = 8 };
    static const double HEIGHT = -0.35, RADIUS = 0.014; /* part of the radius, [m] */
    double radius = (double)s->obstacle[0].radius;
    double angle = scene_turning_angle((double)dc_world_time(s->world));
    int i;
    for (i = 0; i < MARKS; i++) {
        double turn = angle + 2 * VEC_PI * i / MARKS, level = sqrt(1 - HEIGHT * HEIGHT);
        dc_vec3 out = vec_make(level * vec_sin(turn), HEIGHT, level * vec_cos(turn));
        dc_vec3 p = vec_add(s->obstacle[0].point[0], vec_scale(radius, out));
        render_add_capsule(view, p, p, RADIUS, render_solid(MARK));
    }
}

static void aim(const scene *s, render_scene *view)
{
    const scene_camera *c = &s->kind->camera;
    dc_vec3 target = vec_make(c->target[0], c->target[1], c->target[2]);
    if (s->kind->is_followed) {
        dc_vec3 way =
            vec_sub(dc_body_positions(s->world, s->cloth_count)[0], s->obstacle[0].point[0]);
        way.y = 0;
        target = vec_add(target, way);
    }
    render_aim(view, target, c->distance, c->turn, c->rise);
}

void scene_add_bodies(const scene *s, double edge_width, render_scene *view)
{
    int i;
    aim(s, view);
    for (i = 0; i < s->obstacle_count; i++)
        add_obstacle(&s->obstacle[i], dc_body_positions(s->world, s->cloth_count + i), view);
    if (s->kind->build == scene_build_turning) add_marks(s, view);
    for (i = 0; i < s->cloth_count; i++) {
        render_material material = render_cloth(FRONTS[i], BACKS[i]);
        material.edge_width = edge_width;
        render_add_mesh(view, surface_of(s->world, i), material);
    }
}

/* ---- Drapes ---- */

static void add_anchors(const drape_scene *s, const dc_vec3 *positions, render_scene *view)
{
    static const double RADIUS = 0.005; /* of the distance to the eye */
    dc_index k;
    for (k = 0; k < s->desc.anchor_count; k++) {
        dc_vec3 at = positions[s->anchors[k].vertex];
        render_add_capsule(view, at, at, RADIUS * s->camera.distance, render_solid(RED));
    }
}

void drape_add_bodies(const drape_scene *s, const dc_vec3 *positions, double edge_width,
                      render_scene *view)
{
    static const double FLOOR = 0.3, LINES = 0.06; /* of the distance to the eye */
    const scene_camera *c = &s->camera;
    render_material material = render_cloth(FRONTS[0], BACKS[0]);
    dc_index i;
    render_aim(view, vec_make(c->target[0], c->target[1], c->target[2]), c->distance, c->turn,
               c->rise);
    view->ground = c->target[1] - FLOOR * c->distance;
    view->grid = LINES * c->distance;
    for (i = 0; i < s->desc.obstacle_count; i++) {
        const dc_obstacle_desc *o = &s->obstacle[i];
        add_obstacle(o, o->kind == DC_OBSTACLE_MESH ? o->mesh.positions : o->point, view);
    }
    material.edge_width = edge_width;
    render_add_mesh(view, mesh_of(&s->shape.mesh, positions), material);
    add_anchors(s, positions, view);
}

/* ---- Ribbons ---- */

enum { LINKS_OF_A_COLOUR = 9 }; /* a chain has two colours, and the next one others */

static void add_ribbon(const ribbon_scene *s, int i, double crease_width, render_scene *view)
{
    int colour = i % 2 + i / LINKS_OF_A_COLOUR % 2 * 2;
    render_material material = render_cloth(FRONTS[colour], BACKS[colour]);
    render_mesh m;
    memset(&m, 0, sizeof m);
    m.vertex_count = dc_body_mesh(s->world, i)->vertex_count;
    m.triangle_count = 2 * s->body[i].desc.segment_count;
    m.positions = dc_body_positions(s->world, i);
    m.triangles = s->body[i].triangles;
    material.edge_width = crease_width;
    material.has_diagonals = 1;
    render_add_mesh(view, m, material);
}

void ribbon_add_bodies(const ribbon_scene *s, double crease_width, render_scene *view)
{
    static const double FLOOR = 0.35, LINES = 0.1; /* of the distance to the eye */
    const scene_camera *c = &s->kind->camera;
    int i;
    render_aim(view, vec_make(c->target[0], c->target[1], c->target[2]), c->distance, c->turn,
               c->rise);
    view->ground = c->target[1] - FLOOR * c->distance;
    view->grid = LINES * c->distance;
    for (i = 0; i < s->obstacle_count; i++)
        add_obstacle(&s->obstacle[i], dc_body_positions(s->world, s->body_count + i), view);
    for (i = 0; i < s->body_count; i++) add_ribbon(s, i, crease_width, view);
}
