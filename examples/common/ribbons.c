#include "ribbons.h"

#include <stdlib.h>
#include <string.h>

#include "ribbons_parts.h"

/* ---- The table ---- */

/* clang-format off */
static const ribbon_kind kinds[] = {
    {.name = "twist",
     .title = "A ribbon twisted",
     .text = "one end of a ribbon is turned twice around its length; it snaps into a fold",
     .dt = 0.01, .seconds = 3, .shown = 1.6, .fps = 25,
     .segments = 50, .small_segments = 50, .small_seconds = 3,
     .camera = {.target = {0.5, 0, 0}, .distance = 1.65, .turn = 10, .rise = 18},
     .build = ribbon_build_twist,
     .drive = ribbon_drive_twist},
    {.name = "drag",
     .title = "A loop dragged",
     .text = "a loop of paper is dragged about by its far side with hundreds of times its weight",
     .dt = 0.01, .seconds = 3, .shown = 1.6, .fps = 25,
     .segments = 50, .small_segments = 50, .small_seconds = 3,
     .camera = {.target = {0.1, -0.3, 0}, .distance = 1.5, .turn = 20, .rise = 12},
     .build = ribbon_build_drag,
     .drive = ribbon_drive_drag},
    {.name = "torsion",
     .title = "Torsion of a wide ribbon",
     .text = "the ends of a ribbon a tenth as wide as long are turned against each other",
     .dt = 0.01, .seconds = 3, .shown = 3, .fps = 25,
     .segments = 50, .small_segments = 50, .small_seconds = 3,
     .camera = {.target = {0, 0, 0}, .distance = 1.6, .turn = 12, .rise = 22},
     .build = ribbon_build_torsion,
     .drive = ribbon_drive_torsion},
    {.name = "helix",
     .title = "A helix unrolls",
     .text = "a ribbon wound up like a spring, held at one end, unrolls and swings",
     .dt = 0.01, .seconds = 3, .shown = 0.6, .fps = 20,
     .segments = 50, .small_segments = 50, .small_seconds = 1,
     .camera = {.target = {0.2, -0.05, 0}, .distance = 1.3, .turn = 20, .rise = 15},
     .build = ribbon_build_helix},
    {.name = "rotating",
     .title = "A rotating ribbon",
     .text = "a ribbon held at one end spins about its length, twists up and is thrown about",
     .dt = 0.01, .seconds = 2, .shown = 0.8, .fps = 25,
     .segments = 50, .small_segments = 50, .small_seconds = 1,
     .camera = {.target = {0.5, 0, 0}, .distance = 1.65, .turn = 10, .rise = 18},
     .build = ribbon_build_rotating},
    {.name = "fall",
     .title = "A long ribbon falls",
     .text = "three metres of ribbon fall on the floor, one end first, and fold up",
     .dt = 0.01, .seconds = 2, .shown = 1.2, .fps = 25,
     .segments = 150, .small_segments = 150, .small_seconds = 0.8,
     .camera = {.target = {0, 0.3, 0}, .distance = 2, .turn = 30, .rise = 14},
     .build = ribbon_build_fall},
    {.name = "moebius",
     .title = "A chain of Moebius bands",
     .text = "nine interlinked Moebius bands hang from the first and swing",
     .dt = 0.01, .seconds = 2, .shown = 1.5, .fps = 25,
     .segments = 50, .small_segments = 50, .small_seconds = 0.3,
     .camera = {.target = {0, -1.55, 0}, .distance = 7, .turn = 35, .rise = 8},
     .build = ribbon_build_moebius},
    {.name = "chains",
     .title = "Two chains collide",
     .text = "a chain of nine paper rings swings into another",
     .dt = 0.01, .seconds = 2, .shown = 1.4, .fps = 25,
     .segments = 50, .small_segments = 50, .small_seconds = 0.3,
     .camera = {.target = {0.4, -1.6, 0}, .distance = 7.5, .turn = 15, .rise = 8},
     .build = ribbon_build_chains},
};
/* clang-format on */

const ribbon_kind *ribbon_kinds(int *count)
{
    *count = (int)(sizeof kinds / sizeof kinds[0]);
    return kinds;
}

const ribbon_kind *ribbon_find(const char *name)
{
    size_t i;
    for (i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
    return NULL;
}

/* ---- Open, step, close ---- */

static int make_world(ribbon_scene *s, failure *why)
{
    dc_world_desc desc = dc_world_defaults();
    dc_ribbon_desc ribbons[RIBBON_BODIES_MAX];
    int i;
    for (i = 0; i < s->body_count; i++) ribbons[i] = s->body[i].desc;
    desc.gravity = s->gravity;
    desc.ribbons = ribbons;
    desc.ribbon_count = s->body_count;
    desc.obstacles = s->obstacle;
    desc.obstacle_count = s->obstacle_count;
    desc.collides = s->collides;
    if (!sim_open(&s->sim, &desc, NULL, why)) return 0;
    s->world = s->sim.world;
    return 1;
}

static int has_corner(const dc_index *triangle, dc_index v)
{
    return triangle[0] == v || triangle[1] == v || triangle[2] == v;
}

/* Turns the corners so that the first is the one that the segment's other triangle has not. */
static void turn_corners(const dc_index *from, const dc_index *other, dc_index *to)
{
    int first = 0, c;
    for (c = 0; c < 3; c++)
        if (!has_corner(other, from[c])) first = c;
    for (c = 0; c < 3; c++) to[c] = from[(first + c) % 3];
}

static int take_triangles(ribbon_scene *s, failure *why)
{
    int i, j;
    for (i = 0; i < s->body_count; i++) {
        ribbon_body *b = &s->body[i];
        const dc_index *from = dc_body_mesh(s->world, i)->triangles;
        int count = 2 * (int)b->desc.segment_count;
        b->triangles = malloc(3 * (size_t)count * sizeof *b->triangles);
        if (b->triangles == NULL) return failure_set(why, "not enough memory for triangles");
        for (j = 0; j < count; j++)
            turn_corners(&from[3 * j], &from[3 * (j ^ 1)], &b->triangles[3 * j]);
    }
    return 1;
}

int ribbon_scene_open(ribbon_scene *s, const char *name, const ribbon_choice *choice, failure *why)
{
    failure reason;
    memset(s, 0, sizeof *s);
    s->kind = ribbon_find(name);
    if (s->kind == NULL) return failure_set(why, "there is no ribbon scene '%.40s'", name);
    s->segments = choice && choice->segments > 0 ? choice->segments : s->kind->segments;
    s->dt = choice && choice->dt > 0 ? choice->dt : s->kind->dt;
    if (s->segments < RIBBON_SEGMENTS_MIN || s->segments > RIBBON_SEGMENTS_MAX)
        return failure_set(why, "a ribbon has %d to %d segments, not %d", RIBBON_SEGMENTS_MIN,
                           RIBBON_SEGMENTS_MAX, s->segments);
    s->gravity = dc_world_defaults().gravity;
    if (s->kind->build(s, &reason)) {
        if (make_world(s, &reason) && take_triangles(s, &reason)) return 1;
    }
    ribbon_scene_close(s);
    return failure_set(why, "ribbon scene %s: %s", name, reason.text);
}

void ribbon_scene_close(ribbon_scene *s)
{
    int i;
    sim_close(&s->sim);
    for (i = 0; i < s->body_count; i++) {
        free(s->body[i].creases);
        free(s->body[i].angles);
        free(s->body[i].velocities);
        free(s->body[i].triangles);
    }
    memset(s, 0, sizeof *s);
}

dc_status ribbon_scene_step(ribbon_scene *s, dc_report *report, dc_error *error)
{
    if (s->kind->drive) s->kind->drive(s, (double)dc_world_time(s->world) + s->dt);
    return dc_world_step(s->world, (dc_real)s->dt, report, error);
}

int ribbon_steps_a_frame(const ribbon_scene *s)
{
    int steps = (int)(1 / (s->kind->fps * s->dt) + 0.5);
    return steps > 0 ? steps : 1;
}

/* ---- Parts ---- */

ribbon_body *ribbon_add(ribbon_scene *s, failure *why)
{
    ribbon_body *b = &s->body[s->body_count];
    size_t n = (size_t)s->segments;
    if (s->body_count == RIBBON_BODIES_MAX) {
        failure_set(why, "more than %d ribbons", RIBBON_BODIES_MAX);
        return NULL;
    }
    s->body_count++;
    b->creases = calloc(n - 1, sizeof *b->creases);
    b->angles = calloc(n - 1, sizeof *b->angles);
    b->velocities = calloc(2 * n + 2, sizeof *b->velocities);
    if (!b->creases || !b->angles || !b->velocities) {
        failure_set(why, "not enough memory for a ribbon of %d segments", s->segments);
        return NULL;
    }
    b->desc = dc_ribbon_defaults();
    b->desc.segment_count = s->segments;
    b->desc.start_creases = b->creases;
    b->desc.start_angles = b->angles;
    b->desc.start_velocities = b->velocities;
    b->desc.attachments = b->attachment;
    return b;
}

static dc_attachment_desc *add_attachment(ribbon_body *b, dc_attachment_kind kind, double x,
                                          double y, dc_vec3 target)
{
    dc_attachment_desc *a = &b->attachment[b->desc.attachment_count++];
    *a = dc_attachment_defaults();
    a->kind = kind;
    a->place.x = (dc_real)x;
    a->place.y = (dc_real)y;
    a->target = target;
    return a;
}

int ribbon_attach_point(ribbon_body *b, double x, double y, dc_vec3 target, double stiffness)
{
    dc_attachment_desc *a = add_attachment(b, DC_ATTACH_POINT, x, y, target);
    a->is_soft = stiffness > 0;
    a->stiffness = (dc_real)stiffness;
    return (int)b->desc.attachment_count - 1;
}

int ribbon_attach_normal(ribbon_body *b, double x, dc_vec3 direction)
{
    add_attachment(b, DC_ATTACH_NORMAL, x, 0, direction);
    return (int)b->desc.attachment_count - 1;
}

void ribbon_add_floor(ribbon_scene *s, double height, double friction)
{
    static const double EXTENT = 5; /* [m] */
    dc_obstacle_desc *o = &s->obstacle[s->obstacle_count++];
    *o = dc_obstacle_defaults();
    o->kind = DC_OBSTACLE_PLANE;
    o->friction = (dc_real)friction;
    o->point[0] = vec_make(0, height, 0);
    o->point[1] = vec_make(0, height + 1, 0);
    o->radius = (dc_real)EXTENT;
}
