#include "render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How a picture is made:

     1 gather    all bodies into one list of triangles with normals
     2 sky       how much of the sky each vertex sees, and a net of points on the floor: depth maps
                 from many directions
     3 light     one depth map from the main light, for shadows
     4 see       one depth map from the eye, which remembers triangles
     5 shade     every sample of every pixel; their mean, in linear light, becomes sRGB       */

/* ---- Vectors ---- */

typedef struct vec {
    double x, y, z;
} vec;

static vec make(double x, double y, double z)
{
    vec v = {x, y, z};
    return v;
}

static vec from_dc(dc_vec3 p)
{
    return make((double)p.x, (double)p.y, (double)p.z);
}

static vec add(vec a, vec b)
{
    return make(a.x + b.x, a.y + b.y, a.z + b.z);
}

static vec sub(vec a, vec b)
{
    return make(a.x - b.x, a.y - b.y, a.z - b.z);
}

static vec scaled(double s, vec a)
{
    return make(s * a.x, s * a.y, s * a.z);
}

static double dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vec cross(vec a, vec b)
{
    return make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/* Of unit length; a vector without direction becomes the vertical. */
static vec unit(vec a)
{
    double length = sqrt(dot(a, a));
    return length > 0 ? scaled(1 / length, a) : make(0, 1, 0);
}

static vec mixed(vec a, vec b, double part)
{
    return add(scaled(1 - part, a), scaled(part, b));
}

static double clamped(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* 0 below `low`, 1 above `high`, smooth between them. */
static double ramp(double x, double low, double high)
{
    double t = clamped((x - low) / (high - low), 0, 1);
    return t * t * (3 - 2 * t);
}

/* ---- Colours: r, g, b of a vec, linear light ---- */

static double linear_of_srgb(double s)
{
    return s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
}

static double srgb_of_linear(double l)
{
    return l <= 0.0031308 ? 12.92 * l : 1.055 * pow(l, 1 / 2.4) - 0.055;
}

static vec colour_of(render_colour c)
{
    return make(linear_of_srgb(c.r), linear_of_srgb(c.g), linear_of_srgb(c.b));
}

/* Blue, white, red for -1, 0, 1. */
static vec diverging(double value)
{
    static const render_colour stops[5] = {
        {.13, .26, .60}, {.40, .62, .83}, {.88, .88, .86}, {.92, .55, .38}, {.65, .06, .13}};
    double at = 2 * (clamped(value, -1, 1) + 1);
    int i = at < 3 ? (int)at : 3;
    return mixed(colour_of(stops[i]), colour_of(stops[i + 1]), at - i);
}

/* ---- Scenes ---- */

static const double DEGREE = 0.017453292519943295;    /* [rad] */
static const double GOLDEN_ANGLE = 2.399963229728653; /* [rad] spreads points evenly on spirals */

render_scene render_scene_defaults(void)
{
    render_scene scene;
    memset(&scene, 0, sizeof scene);
    scene.eye.z = 1;
    scene.view_angle = 28;
    scene.light.x = (dc_real)-0.3;
    scene.light.y = 1;
    scene.light.z = (dc_real)0.3;
    scene.grid = 0.5;
    scene.samples = 2;
    return scene;
}

void render_aim(render_scene *scene, dc_vec3 target, double distance, double turn, double rise)
{
    double level = distance * cos(DEGREE * rise);
    scene->target = target;
    scene->eye.x = target.x + (dc_real)(level * sin(DEGREE * turn));
    scene->eye.y = target.y + (dc_real)(distance * sin(DEGREE * rise));
    scene->eye.z = target.z + (dc_real)(level * cos(DEGREE * turn));
}

render_material render_cloth(render_colour front, render_colour back)
{
    render_material m = {front, back, 0.3, 0.15, 0, 0};
    return m;
}

render_material render_solid(render_colour colour)
{
    render_material m = {colour, colour, 0, 0.5, 0, 0};
    return m;
}

void render_add_mesh(render_scene *scene, render_mesh mesh, render_material material)
{
    render_body *body = &scene->body[scene->body_count];
    if (scene->body_count == RENDER_BODIES_MAX) return;
    memset(body, 0, sizeof *body);
    body->mesh = mesh;
    body->material = material;
    scene->body_count++;
}

void render_add_capsule(render_scene *scene, dc_vec3 end0, dc_vec3 end1, double radius,
                        render_material material)
{
    render_body *body = &scene->body[scene->body_count];
    if (scene->body_count == RENDER_BODIES_MAX) return;
    memset(body, 0, sizeof *body);
    body->end[0] = end0;
    body->end[1] = end1;
    body->radius = radius;
    body->material = material;
    scene->body_count++;
}

/* ---- 1 Gather ---- */

enum { CAPSULE_AROUND = 20, CAPSULE_RINGS = 12 }; /* facets around, rings from pole to pole */
enum {
    CAPSULE_VERTICES = CAPSULE_AROUND * CAPSULE_RINGS,
    CAPSULE_TRIANGLES = 2 * CAPSULE_AROUND * (CAPSULE_RINGS - 1)
};

/* Everything there is to draw. Normals point to the front; sky is the light from the sky that
   arrives at the front and at the back. */
typedef struct soup {
    size_t vertex_count, triangle_count;
    vec *position, *normal; /* (vertex_count) */
    vec *colour;            /* (vertex_count) of shown values; x < 0: the material's */
    double (*sky)[2];       /* (vertex_count) front, back; 0 to 1 */
    size_t (*corner)[3];    /* (triangle_count) */
    int *body;              /* (triangle_count) */
    vec low, high;          /* bounds [m] */
} soup;

static void soup_free(soup *s)
{
    free(s->position);
    free(s->normal);
    free(s->colour);
    free(s->sky);
    free(s->corner);
    free(s->body);
}

/* Arrays of the size that the bodies need. 0: no memory. */
static int soup_init(soup *s, const render_scene *scene)
{
    size_t vertices = 1, triangles = 1; /* so that an empty scene is no zero-sized block */
    int i;
    for (i = 0; i < scene->body_count; i++) {
        const render_mesh *mesh = &scene->body[i].mesh;
        vertices += mesh->positions ? (size_t)mesh->vertex_count : CAPSULE_VERTICES;
        triangles += mesh->positions ? (size_t)mesh->triangle_count : CAPSULE_TRIANGLES;
    }
    memset(s, 0, sizeof *s);
    s->position = calloc(vertices, sizeof *s->position);
    s->normal = calloc(vertices, sizeof *s->normal);
    s->colour = calloc(vertices, sizeof *s->colour);
    s->sky = calloc(vertices, sizeof *s->sky);
    s->corner = calloc(triangles, sizeof *s->corner);
    s->body = calloc(triangles, sizeof *s->body);
    return s->position && s->normal && s->colour && s->sky && s->corner && s->body;
}

static void add_vertex(soup *s, vec p, vec colour)
{
    s->colour[s->vertex_count] = colour;
    s->position[s->vertex_count++] = p;
}

static void add_triangle(soup *s, size_t a, size_t b, size_t c, int body)
{
    size_t *corner = s->corner[s->triangle_count];
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
    s->body[s->triangle_count++] = body;
}

static void gather_mesh(soup *s, const render_mesh *mesh, int place)
{
    size_t first = s->vertex_count, t;
    dc_index v;
    for (v = 0; v < mesh->vertex_count; v++)
        add_vertex(s, from_dc(mesh->positions[v]),
                   mesh->values ? diverging(mesh->values[v] / mesh->value_max) : make(-1, 0, 0));
    for (t = 0; t < (size_t)mesh->triangle_count; t++) {
        const dc_index *corners = &mesh->triangles[3 * t];
        add_triangle(s, first + (size_t)corners[0], first + (size_t)corners[1],
                     first + (size_t)corners[2], place);
    }
}

/* Rings from the pole beyond end 0 to the pole beyond end 1; half of them around each end. */
static void gather_capsule(soup *s, const render_body *body, int place)
{
    vec from = from_dc(body->end[0]), axis = sub(from_dc(body->end[1]), from), along = unit(axis);
    vec side = unit(cross(fabs(along.x) < 0.5 ? make(1, 0, 0) : make(0, 0, 1), along));
    vec other = cross(along, side);
    size_t first = s->vertex_count, i, j;
    for (i = 0; i < CAPSULE_RINGS; i++) {
        size_t half = i >= CAPSULE_RINGS / 2;
        double angle = DEGREE * 180 * ((double)(i - half) / (CAPSULE_RINGS - 2) - 0.5);
        vec centre =
            add(add(from, half ? axis : make(0, 0, 0)), scaled(body->radius * sin(angle), along));
        for (j = 0; j < CAPSULE_AROUND; j++) {
            double turn = DEGREE * 360 * (double)j / CAPSULE_AROUND;
            vec out = add(scaled(cos(turn), side), scaled(sin(turn), other));
            add_vertex(s, add(centre, scaled(body->radius * cos(angle), out)), make(-1, 0, 0));
        }
    }
    for (i = 0; i + 1 < CAPSULE_RINGS; i++)
        for (j = 0; j < CAPSULE_AROUND; j++) {
            size_t a = first + CAPSULE_AROUND * i + j;
            size_t b = first + CAPSULE_AROUND * i + (j + 1) % CAPSULE_AROUND;
            add_triangle(s, a, b, b + CAPSULE_AROUND, place);
            add_triangle(s, a, b + CAPSULE_AROUND, a + CAPSULE_AROUND, place);
        }
}

/* Mean of the triangles' normals, weighted by area. */
static void find_normals(soup *s)
{
    size_t t, v;
    int c;
    for (t = 0; t < s->triangle_count; t++) {
        const size_t *corner = s->corner[t];
        vec p = s->position[corner[0]];
        vec n = cross(sub(s->position[corner[1]], p), sub(s->position[corner[2]], p));
        for (c = 0; c < 3; c++) s->normal[corner[c]] = add(s->normal[corner[c]], n);
    }
    for (v = 0; v < s->vertex_count; v++) s->normal[v] = unit(s->normal[v]);
}

static void find_bounds(soup *s)
{
    size_t v;
    if (s->vertex_count > 0) s->low = s->high = s->position[0];
    for (v = 0; v < s->vertex_count; v++) {
        vec p = s->position[v];
        s->low = make(fmin(s->low.x, p.x), fmin(s->low.y, p.y), fmin(s->low.z, p.z));
        s->high = make(fmax(s->high.x, p.x), fmax(s->high.y, p.y), fmax(s->high.z, p.z));
    }
}

static int gather(soup *s, const render_scene *scene)
{
    int i;
    if (!soup_init(s, scene)) return 0;
    for (i = 0; i < scene->body_count; i++) {
        const render_body *body = &scene->body[i];
        if (body->mesh.positions)
            gather_mesh(s, &body->mesh, i);
        else
            gather_capsule(s, body, i);
    }
    find_normals(s);
    find_bounds(s);
    return 1;
}

/* ---- Depth maps ---- */

enum { NOTHING = -1 };

/* What is nearest in each pixel. Depth grows towards the viewer and is linear on the map: minus the
   distance along parallel rays, one over the distance from an eye. */
typedef struct depth_map {
    int width, height;
    float *depth;      /* (height, width); EMPTY where nothing is */
    int32_t *triangle; /* (height, width), or NULL: not wanted */
} depth_map;

static const float EMPTY = -1e30f;

static int map_init(depth_map *map, int width, int height, int wants_triangles)
{
    size_t count = (size_t)width * (size_t)height;
    map->width = width;
    map->height = height;
    map->depth = malloc(count * sizeof *map->depth);
    map->triangle = wants_triangles ? malloc(count * sizeof *map->triangle) : NULL;
    return map->depth != NULL && (map->triangle != NULL || !wants_triangles);
}

static void map_free(depth_map *map)
{
    free(map->depth);
    free(map->triangle);
}

static void map_clear(depth_map *map)
{
    size_t i, count = (size_t)map->width * (size_t)map->height;
    for (i = 0; i < count; i++) map->depth[i] = EMPTY;
    for (i = 0; map->triangle != NULL && i < count; i++) map->triangle[i] = NOTHING;
}

/* Twice the area of a triangle on the map, positive if a b c turn clockwise as y goes down. */
static double turn_of(vec a, vec b, vec c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/* Draws a triangle whose corners have x, y [pixel] and z, the depth. */
static void map_draw(depth_map *map, vec a, vec b, vec c, int32_t triangle)
{
    double area = turn_of(a, b, c);
    int x0 = (int)clamped(ceil(fmin(a.x, fmin(b.x, c.x)) - 0.5), 0, map->width);
    int x1 = (int)clamped(ceil(fmax(a.x, fmax(b.x, c.x)) - 0.5), 0, map->width);
    int y0 = (int)clamped(ceil(fmin(a.y, fmin(b.y, c.y)) - 0.5), 0, map->height);
    int y1 = (int)clamped(ceil(fmax(a.y, fmax(b.y, c.y)) - 0.5), 0, map->height);
    int x, y;
    if (!(fabs(area) > 0)) return;
    for (y = y0; y < y1; y++)
        for (x = x0; x < x1; x++) {
            vec p = make(x + 0.5, y + 0.5, 0);
            double u = turn_of(b, c, p) / area, v = turn_of(c, a, p) / area, w = 1 - u - v;
            size_t at = (size_t)y * (size_t)map->width + (size_t)x;
            float depth = (float)(u * a.z + v * b.z + w * c.z);
            if (u < 0 || v < 0 || w < 0 || depth <= map->depth[at]) continue;
            map->depth[at] = depth;
            if (map->triangle != NULL) map->triangle[at] = triangle;
        }
}

/* A view along parallel rays of everything within a ball. */
typedef struct parallel_view {
    vec centre, right, up, towards; /* towards the viewer */
    double pixels_per_metre, half_size;
} parallel_view;

static parallel_view look_along(vec towards, vec centre, double radius, int size)
{
    parallel_view view;
    view.towards = unit(towards);
    view.right =
        unit(cross(fabs(view.towards.y) < 0.9 ? make(0, 1, 0) : make(1, 0, 0), view.towards));
    view.up = cross(view.towards, view.right);
    view.centre = centre;
    view.half_size = size / 2.0;
    view.pixels_per_metre = view.half_size / radius;
    return view;
}

static vec seen_along(const parallel_view *view, vec p)
{
    vec d = sub(p, view->centre);
    return make(view->half_size + view->pixels_per_metre * dot(d, view->right),
                view->half_size - view->pixels_per_metre * dot(d, view->up), dot(d, view->towards));
}

static void map_draw_parallel(depth_map *map, const parallel_view *view, const soup *s)
{
    size_t t;
    map_clear(map);
    for (t = 0; t < s->triangle_count; t++) {
        const size_t *corner = s->corner[t];
        map_draw(map, seen_along(view, s->position[corner[0]]),
                 seen_along(view, s->position[corner[1]]), seen_along(view, s->position[corner[2]]),
                 (int32_t)t);
    }
}

/* The depth at a place of the map; EMPTY outside. */
static float depth_at(const depth_map *map, double x, double y)
{
    if (!(x >= 0 && y >= 0 && x < map->width && y < map->height)) return EMPTY;
    return map->depth[(size_t)y * (size_t)map->width + (size_t)x];
}

/* ---- 2 Sky ---- */

enum { SKY_DIRECTIONS = 48, SKY_MAP = 192 /* [pixel] */, FLOOR_NET = 65 /* points a side */ };

static const double SKY_BIAS = 0.012;    /* in units of the ball's radius: about 1.2 pixels */
static const double FLOOR_NET_WIDTH = 4; /* in units of the ball's radius */
static const double FLOOR_LIGHT = 0.6; /* light that the floor gives back to what hangs above it */

typedef struct sky {
    vec centre;    /* of a ball around everything */
    double radius; /* [m] */
    double floor[FLOOR_NET][FLOOR_NET];
} sky;

/* Directions spread evenly over the upper half sphere, on a spiral. */
static vec sky_direction(int i)
{
    double height = (i + 0.5) / SKY_DIRECTIONS, level = sqrt(1 - height * height);
    double turn = GOLDEN_ANGLE * i;
    return make(level * cos(turn), height, level * sin(turn));
}

static double floor_net_at(const sky *k, int i)
{
    return k->radius * FLOOR_NET_WIDTH * ((double)i / (FLOOR_NET - 1) - 0.5);
}

static vec floor_point(const sky *k, double ground, int i, int j)
{
    return make(k->centre.x + floor_net_at(k, j), ground, k->centre.z + floor_net_at(k, i));
}

/* Adds one direction's light, `part` of all, to vertices and floor that see it. */
static void add_sky_light(soup *s, sky *k, const depth_map *map, const parallel_view *view,
                          double ground, double part)
{
    double bias = SKY_BIAS * k->radius;
    size_t v;
    int i, j;
    for (v = 0; v < s->vertex_count; v++) {
        double slope = dot(s->normal[v], view->towards);
        int side = slope < 0;
        vec p =
            add(s->position[v], scaled(side ? -bias : bias, s->normal[v])); /* off the surface */
        vec at = seen_along(view, p);
        if ((double)depth_at(map, at.x, at.y) <= at.z + bias) s->sky[v][side] += part * fabs(slope);
    }
    for (i = 0; i < FLOOR_NET; i++)
        for (j = 0; j < FLOOR_NET; j++) {
            vec at = seen_along(view, floor_point(k, ground, i, j));
            if ((double)depth_at(map, at.x, at.y) <= at.z + bias)
                k->floor[i][j] += part * view->towards.y;
        }
}

static int find_sky(soup *s, sky *k, double ground)
{
    depth_map map;
    vec across = sub(s->high, s->low);
    int i, is_made;
    size_t v;
    memset(k, 0, sizeof *k);
    k->centre = scaled(0.5, add(s->low, s->high));
    k->radius = fmax(0.5 * sqrt(dot(across, across)), 1e-6) * 1.02;
    is_made = map_init(&map, SKY_MAP, SKY_MAP, 0);
    for (i = 0; is_made && i < SKY_DIRECTIONS; i++) {
        parallel_view view = look_along(sky_direction(i), k->centre, k->radius, SKY_MAP);
        map_draw_parallel(&map, &view, s);
        /* the mean height is a half, so that the floor under an open sky gets 1 */
        add_sky_light(s, k, &map, &view, ground, 2.0 / SKY_DIRECTIONS);
    }
    for (v = 0; v < s->vertex_count; v++) {
        s->sky[v][0] += FLOOR_LIGHT * (0.5 - 0.5 * s->normal[v].y);
        s->sky[v][1] += FLOOR_LIGHT * (0.5 + 0.5 * s->normal[v].y);
    }
    map_free(&map);
    return is_made;
}

/* Between the net's points; 1 beyond it. */
static double floor_sky(const sky *k, vec p)
{
    double size = k->radius * FLOOR_NET_WIDTH;
    double x = ((p.x - k->centre.x) / size + 0.5) * (FLOOR_NET - 1);
    double z = ((p.z - k->centre.z) / size + 0.5) * (FLOOR_NET - 1);
    int i, j;
    if (!(x >= 0 && z >= 0 && x < FLOOR_NET - 1 && z < FLOOR_NET - 1)) return 1;
    i = (int)z;
    j = (int)x;
    x -= j;
    z -= i;
    return (1 - z) * ((1 - x) * k->floor[i][j] + x * k->floor[i][j + 1]) +
           z * ((1 - x) * k->floor[i + 1][j] + x * k->floor[i + 1][j + 1]);
}

/* ---- 3 Light ---- */

enum { SHADOW_MAP = 1024 /* [pixel] */, SHADOW_TAPS = 12 };
enum { BLOCK = 16 /* [pixel] */, BLOCKS = SHADOW_MAP / BLOCK, BLOCKS_AROUND = 2 };

static const double LIGHT_SIZE = 0.07;     /* radius of the lamp over its distance */
static const double SHADOW_BIAS = 0.004;   /* in units of the ball's radius: 2 pixels */
static const double SHADOW_SEARCH = 0.045; /* ... how far around shadow casters are looked for: 23
                                              pixels, less than BLOCKS_AROUND blocks */
static const double SHADOW_SHARP = 0.003;  /* ... the least blur, against steps */

typedef struct light {
    depth_map map;
    float nearest[BLOCKS][BLOCKS]; /* greatest depth in a block of the map and in those around it */
    double tap[SHADOW_TAPS][2];    /* places in a disk of unit radius */
    parallel_view view;
    double radius; /* [m] of the ball */
} light;

static void find_nearest(light *l)
{
    const depth_map *map = &l->map;
    int i, j, x, y;
    for (i = 0; i < BLOCKS; i++)
        for (j = 0; j < BLOCKS; j++) l->nearest[i][j] = EMPTY;
    for (y = 0; y < SHADOW_MAP; y++)
        for (x = 0; x < SHADOW_MAP; x++) {
            float depth = map->depth[(size_t)y * SHADOW_MAP + (size_t)x];
            if (depth <= EMPTY) continue;
            for (i = y / BLOCK - BLOCKS_AROUND; i <= y / BLOCK + BLOCKS_AROUND; i++)
                for (j = x / BLOCK - BLOCKS_AROUND; j <= x / BLOCK + BLOCKS_AROUND; j++)
                    if (i >= 0 && j >= 0 && i < BLOCKS && j < BLOCKS && depth > l->nearest[i][j])
                        l->nearest[i][j] = depth;
        }
}

static int light_init(light *l, const render_scene *scene, const soup *s, const sky *k)
{
    int i;
    l->view = look_along(from_dc(scene->light), k->centre, k->radius, SHADOW_MAP);
    l->radius = k->radius;
    if (!map_init(&l->map, SHADOW_MAP, SHADOW_MAP, 0)) return 0;
    map_draw_parallel(&l->map, &l->view, s);
    find_nearest(l);
    for (i = 0; i < SHADOW_TAPS; i++) {
        double angle = GOLDEN_ANGLE * i, radius = sqrt((i + 0.5) / SHADOW_TAPS);
        l->tap[i][0] = radius * cos(angle);
        l->tap[i][1] = radius * sin(angle);
    }
    return 1;
}

/* Whether anything can come between the lamp and a point seen at `at`. A shadow seen from outside
   the map is none. */
static int may_be_dark(const light *l, vec at, double limit)
{
    double margin = BLOCK;
    int i, j;
    if (!(at.x > -margin && at.y > -margin)) return 0;
    j = (int)clamped(at.x / BLOCK, 0, BLOCKS - 1);
    i = (int)clamped(at.y / BLOCK, 0, BLOCKS - 1);
    return (double)l->nearest[i][j] > limit;
}

/* Of the taps in a disk around (x, y) that see something above the limit: how many, and the sum of
   their depths. The disk is turned by the angle of (cosine, sine). */
static int count_casters(const light *l, vec at, double radius, const double turn[2], double limit,
                         double *sum)
{
    double c = radius * turn[0], s = radius * turn[1];
    int i, count = 0;
    for (i = 0; i < SHADOW_TAPS; i++) {
        double x = l->tap[i][0], y = l->tap[i][1];
        double depth = (double)depth_at(&l->map, at.x + c * x - s * y, at.y + s * x + c * y);
        if (depth <= limit) continue;
        *sum += depth;
        count++;
    }
    return count;
}

/* The part of the lamp that p sees. First how far away the casters of its shadow are, from that how
   wide its half-shadow is, then the mean over that width. `angle` differs from sample to sample. */
static double light_at(const light *l, vec p, double angle)
{
    vec at = seen_along(&l->view, p);
    double limit = at.z + SHADOW_BIAS * l->radius, sum = 0, wide;
    double turn[2];
    int count;
    if (!may_be_dark(l, at, limit)) return 1;
    turn[0] = cos(angle);
    turn[1] = sin(angle);
    count = count_casters(l, at, SHADOW_SEARCH * l->radius * l->view.pixels_per_metre, turn, limit,
                          &sum);
    if (count == 0) return 1;
    wide = LIGHT_SIZE * (sum / count - at.z) / l->radius;
    wide = clamped(wide, SHADOW_SHARP, SHADOW_SEARCH) * l->radius * l->view.pixels_per_metre;
    return 1 - (double)count_casters(l, at, wide, turn, limit, &sum) / SHADOW_TAPS;
}

/* ---- 4 See ---- */

typedef struct camera {
    vec eye, right, up, forward;
    double focus;              /* [sample] distance of the picture plane */
    double middle_x, middle_y; /* [sample] */
} camera;

static camera make_camera(const render_scene *scene, int width, int height)
{
    camera c;
    c.eye = from_dc(scene->eye);
    c.forward = unit(sub(from_dc(scene->target), c.eye));
    c.right = unit(cross(c.forward, make(0, 1, 0)));
    c.up = cross(c.right, c.forward);
    c.focus = 0.5 * height / tan(0.5 * DEGREE * scene->view_angle);
    c.middle_x = 0.5 * width;
    c.middle_y = 0.5 * height;
    return c;
}

/* x, y [sample] and one over the distance along the view; that is not positive behind the eye. */
static vec seen_by(const camera *c, vec p)
{
    vec d = sub(p, c->eye);
    double inverse = 1 / dot(d, c->forward);
    return make(c->middle_x + c->focus * dot(d, c->right) * inverse,
                c->middle_y - c->focus * dot(d, c->up) * inverse, inverse);
}

static vec ray_through(const camera *c, double x, double y)
{
    vec right = scaled((x - c->middle_x) / c->focus, c->right);
    vec up = scaled((c->middle_y - y) / c->focus, c->up);
    return unit(add(c->forward, add(right, up)));
}

static void map_draw_view(depth_map *map, const camera *view, const soup *s)
{
    size_t t;
    map_clear(map);
    for (t = 0; t < s->triangle_count; t++) {
        const size_t *corner = s->corner[t];
        vec a = seen_by(view, s->position[corner[0]]);
        vec b = seen_by(view, s->position[corner[1]]);
        vec c = seen_by(view, s->position[corner[2]]);
        if (a.z > 0 && b.z > 0 && c.z > 0) map_draw(map, a, b, c, (int32_t)t);
    }
}

/* ---- 5 Shade ---- */

enum { TONES = 4096 }; /* a step at the dark end is less than one of sRGB's 255 */

typedef struct stage {
    const render_scene *scene;
    vec colour[RENDER_BODIES_MAX][2]; /* linear, of front and back */
    unsigned char bytes[TONES];       /* sRGB of linear light from 0 to 1 */
    soup soup;
    sky sky;
    light light;
    camera camera;
    depth_map seen;
} stage;

/* Light: warm from the lamp, bluish from the sky, a little from beside the eye. White under all of
   them is about 1. */
static const vec LAMP = {0.74, 0.70, 0.63}, SKY = {0.34, 0.37, 0.42}, FILL = {0.17, 0.18, 0.20};

static const vec WALL_TOP = {0.56, 0.63, 0.70}, WALL_LOW = {0.86, 0.87, 0.88}; /* linear */
static const vec LINE_COLOUR = {0.05, 0.06, 0.08};
static const double LINE_STRENGTH = 0.42; /* of the mesh edges */

static vec times(vec a, vec b)
{
    return make(a.x * b.x, a.y * b.y, a.z * b.z);
}

static vec background(const stage *g, double y)
{
    return mixed(WALL_TOP, WALL_LOW, ramp(y / (2 * g->camera.middle_y), -0.05, 0.75));
}

/* Dark lines on the floor, one sample of the distance wide at least, 1 on them. */
static double floor_line(double x, double spacing, double width)
{
    double off = fabs(x / spacing - floor(x / spacing + 0.5)) * spacing;
    return 1 - ramp(off, 0.5 * width, 1.5 * width);
}

/* The floor takes the wall's colour, so that no horizon is seen; it shows by shadows and lines. */
static vec shade_floor(const stage *g, vec ray, double distance, vec wall, double turn)
{
    static const double GRID_STRENGTH = 0.10, LINE_WIDTH = 0.004; /* [1], [m] at least */
    const render_scene *scene = g->scene;
    vec p = add(g->camera.eye, scaled(distance, ray)), off = sub(p, g->sky.centre);
    double far = sqrt(off.x * off.x + off.z * off.z) / g->sky.radius;
    double near = 1 - ramp(far, 1.5, 5); /* lines and shadows fade into the distance */
    double open = light_at(&g->light, p, turn), above = floor_sky(&g->sky, p), line = 0;
    double width = fmax(LINE_WIDTH, 0.9 * distance / g->camera.focus / fmax(0.05, -ray.y));
    vec full = add(LAMP, SKY), lit = add(scaled(open, LAMP), scaled(above, SKY));
    lit = make(lit.x / full.x, lit.y / full.y, lit.z / full.z);
    if (scene->grid > 0 && near > 0)
        line = fmax(floor_line(p.x, scene->grid, width), floor_line(p.z, scene->grid, width));
    lit = scaled(1 - GRID_STRENGTH * near * line, lit);
    return times(wall, mixed(make(1, 1, 1), lit, near));
}

/* Weights of the corners at a point of the triangle's plane. */
static void weights_at(const vec *corner, vec p, double *weight)
{
    vec n = cross(sub(corner[1], corner[0]), sub(corner[2], corner[0]));
    double area = dot(n, n);
    weight[0] = dot(n, cross(sub(corner[1], p), sub(corner[2], p))) / area;
    weight[1] = dot(n, cross(sub(corner[2], p), sub(corner[0], p))) / area;
    weight[2] = 1 - weight[0] - weight[1];
}

/* How much a mesh edge covers the point: 1 on it, 0 further than half the width away. The edges are
   those opposite corners `first` to 2. */
static double edge_cover(const vec *corner, const double *weight, double width, int first)
{
    double cover = 0;
    int c;
    for (c = first; c < 3; c++) {
        vec edge = sub(corner[(c + 2) % 3], corner[(c + 1) % 3]);
        vec n = cross(sub(corner[1], corner[0]), sub(corner[2], corner[0]));
        double distance = weight[c] * sqrt(dot(n, n) / dot(edge, edge));
        cover = fmax(cover, 1 - ramp(distance, 0.15 * width, 0.65 * width));
    }
    return cover;
}

typedef struct surface {
    vec position, normal, colour; /* the normal on the side that is seen */
    double sky;
    const render_material *material;
} surface;

static vec blended(const vec *of_vertex, const size_t *corner, const double *weight)
{
    vec sum = scaled(weight[0], of_vertex[corner[0]]);
    sum = add(sum, scaled(weight[1], of_vertex[corner[1]]));
    return add(sum, scaled(weight[2], of_vertex[corner[2]]));
}

static surface surface_at(const stage *g, size_t t, vec ray)
{
    const soup *s = &g->soup;
    const size_t *corner = s->corner[t];
    surface at;
    vec p[3], n;
    double weight[3], distance, pixel;
    int c, side;
    for (c = 0; c < 3; c++) p[c] = s->position[corner[c]];
    n = cross(sub(p[1], p[0]), sub(p[2], p[0]));
    side = dot(n, ray) > 0;
    distance = dot(n, sub(p[0], g->camera.eye)) / dot(n, ray);
    at.position = add(g->camera.eye, scaled(distance, ray));
    weights_at(p, at.position, weight);
    at.normal = scaled(side ? -1 : 1, unit(blended(s->normal, corner, weight)));
    at.material = &g->scene->body[s->body[t]].material;
    at.colour = blended(s->colour, corner, weight);
    if (s->colour[corner[0]].x < 0) at.colour = g->colour[s->body[t]][side];
    at.sky = 0;
    for (c = 0; c < 3; c++) at.sky += weight[c] * s->sky[corner[c]][side];
    pixel = g->scene->samples * distance / g->camera.focus; /* [m] */
    if (at.material->edge_width > 0)
        at.colour = mixed(at.colour, LINE_COLOUR,
                          LINE_STRENGTH * edge_cover(p, weight, at.material->edge_width * pixel,
                                                     at.material->has_diagonals != 0));
    return at;
}

static vec shade_surface(const stage *g, size_t t, vec ray, double turn)
{
    static const double SHARPNESS = 24, RIM = 0.10; /* of the highlight; light along the outline */
    surface at = surface_at(g, t, ray);
    vec to_light = g->light.view.towards, half = unit(sub(to_light, ray)), sum;
    double slope = dot(at.normal, to_light), facing = fmax(0, -dot(at.normal, ray));
    double lift = 2 * SHADOW_BIAS * g->light.radius;
    vec above = add(at.position, scaled(slope < 0 ? -lift : lift, at.normal));
    double open = light_at(&g->light, above, turn);
    double shine =
        slope > 0 ? at.material->gloss * pow(fmax(0, dot(at.normal, half)), SHARPNESS) : 0;
    double through = slope < 0 ? at.material->translucency * -slope : 0;
    sum = add(scaled(open * (fmax(0, slope) * 1.15 + through), LAMP), scaled(at.sky, SKY));
    sum = add(sum, scaled(facing, FILL));
    return add(times(at.colour, sum),
               scaled(0.35 * shine * open + RIM * at.sky * pow(1 - facing, 3), LAMP));
}

/* A number for each sample that looks random, 0 to 1. */
static double noise(int x, int y)
{
    uint32_t h = (uint32_t)x * 0x9e3779b1u ^ (uint32_t)y * 0x85ebca6bu;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return (double)(h >> 8) / (1 << 24);
}

static vec shade_sample(const stage *g, int x, int y)
{
    size_t at = (size_t)y * (size_t)g->seen.width + (size_t)x;
    vec ray = ray_through(&g->camera, x + 0.5, y + 0.5), wall;
    double turn = 6.283185307179586 * noise(x, y),
           drop = (double)g->scene->ground - g->camera.eye.y;
    if (g->seen.triangle[at] != NOTHING)
        return shade_surface(g, (size_t)g->seen.triangle[at], ray, turn);
    wall = background(g, y);
    if (drop / ray.y > 0) return shade_floor(g, ray, drop / ray.y, wall, turn);
    return wall;
}

static unsigned char byte_of(double linear)
{
    return (unsigned char)(255 * srgb_of_linear(clamped(linear, 0, 1)) + 0.5);
}

/* What does not change from sample to sample. */
static void prepare(stage *g)
{
    int i;
    for (i = 0; i < TONES; i++) g->bytes[i] = byte_of((double)i / (TONES - 1));
    for (i = 0; i < g->scene->body_count; i++) {
        g->colour[i][0] = colour_of(g->scene->body[i].material.front);
        g->colour[i][1] = colour_of(g->scene->body[i].material.back);
    }
}

static unsigned char tone(const stage *g, double linear)
{
    return g->bytes[(int)(clamped(linear, 0, 1) * (TONES - 1) + 0.5)];
}

static void shade_row(const stage *g, image *picture, int y)
{
    int n = g->scene->samples, x, i, j;
    unsigned char *pixel = picture->rgb + 3 * (size_t)y * (size_t)picture->width;
    for (x = 0; x < picture->width; x++, pixel += 3) {
        vec sum = make(0, 0, 0);
        for (i = 0; i < n; i++)
            for (j = 0; j < n; j++) sum = add(sum, shade_sample(g, n * x + j, n * y + i));
        pixel[0] = tone(g, sum.x / (n * n));
        pixel[1] = tone(g, sum.y / (n * n));
        pixel[2] = tone(g, sum.z / (n * n));
    }
}

int render_draw(const render_scene *scene, image *picture, failure *why)
{
    stage g;
    int width = scene->samples * picture->width, height = scene->samples * picture->height, y;
    int is_made;
    memset(&g, 0, sizeof g);
    g.scene = scene;
    g.camera = make_camera(scene, width, height);
    is_made = gather(&g.soup, scene) && find_sky(&g.soup, &g.sky, scene->ground) &&
              light_init(&g.light, scene, &g.soup, &g.sky) && map_init(&g.seen, width, height, 1);
    if (is_made) {
        prepare(&g);
        map_draw_view(&g.seen, &g.camera, &g.soup);
        for (y = 0; y < picture->height; y++) shade_row(&g, picture, y);
    }
    map_free(&g.seen);
    map_free(&g.light.map);
    soup_free(&g.soup);
    return is_made ? 1 : failure_set(why, "not enough memory to draw a picture");
}

/* ---- Legend ---- */

void render_legend(image *picture, int x, int y, int scale, double value_max, const char *title)
{
    static const image_colour ink = {40, 44, 52};
    const int width = 180 * scale, height = 10 * scale;
    char text[32];
    int i;
    image_text(picture, x, y, scale, ink, title);
    for (i = 0; i < width; i++) {
        vec colour = diverging(2.0 * i / (width - 1) - 1);
        image_colour c = {byte_of(colour.x), byte_of(colour.y), byte_of(colour.z)};
        image_fill(picture, x + i, y + 12 * scale, 1, height, c);
    }
    for (i = -1; i <= 1; i++) {
        int middle = x + (i + 1) * width / 2, size;
        snprintf(text, sizeof text, "%+.3g%%", 100 * i * value_max);
        if (i == 0) strcpy(text, "0");
        size = image_text_width(scale, text);
        image_text(picture, middle - (i + 1) * size / 2, y + 25 * scale, scale, ink, text);
    }
}
