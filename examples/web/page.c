/* A running scene: opening it, steps, and what a hand does to it. */
#include "page.h"

#include <string.h>

/* The least and the most cells, and where sliders start, are the scene's. */
static const page_setting SLIDER[PAGE_SETTINGS] = {
    {"cells", "Cells", "", 0, 0, 1, 0, 1},
    {"rate", "Steps a second", "1/s", 60, 480, 60, 0, 0},
    {"bending", "Bending", "\302\265N m", 1, 1000, 1, 0, 1},
    {"friction", "Friction", "", 0, 1, .05, 0, 1},
    {"wind", "Wind", "m/s", -5, 5, .1, 0, 0},
    {"gravity", "Gravity", "m/s\302\262", -10, 20, .01, 0, 0},
};

static const double GRAB_COMPLIANCE = 1e-3; /* [m/N] of a vertex that is dragged */
static const double PIN_COMPLIANCE = 1e-4;  /* [m/N] of one that is pinned by hand */
static const double HAND_SPEED = 5;         /* [m/s] the most of a vertex that is dragged */
static const double PIN_SPEED = 3;          /* [m/s] the most of a pin that is dragged */
/* Bound on the work of a step, times the square of the cells: a tenth of a second or so at 20.
   Where it is reached, the step goes on with what has converged. */
static const double WORK_MAX = 5e5;
static const double PIN_REACH = 0.05; /* [m] a pin can be freed from so far away */

/* ---- Sliders ---- */

page_setting page_slider(int scene, int setting)
{
    page_setting slider = SLIDER[setting];
    if (setting == PAGE_CELLS) {
        slider.min = page_scenes[scene].cells_min;
        slider.max = page_scenes[scene].cells_max;
    }
    slider.start = page_scenes[scene].start[setting];
    if (slider.start == PAGE_UNUSED) slider.start = slider.min = slider.max = 0;
    return slider;
}

/* Whether a slider can stand at this value. */
static int takes_value(const page_setting *slider, double value)
{
    static const double ROUNDING = 1e-6; /* of a number of steps */
    double steps, off;
    if (!(value >= slider->min && value <= slider->max)) return 0;
    steps = (value - slider->min) / slider->step;
    off = steps - (double)(int)(steps + 0.5);
    return off < ROUNDING && off > -ROUNDING;
}

/* Checks that the sliders can stand where the scene starts them. */
static void check_start(page *p, int scene)
{
    int k;
    for (k = 0; k < PAGE_SETTINGS; k++) {
        page_setting slider = page_slider(scene, k);
        double value = slider.start;
        if (takes_value(&slider, value)) continue;
        page_fail(p, "a slider starts outside its range or off its step; index is its place");
        p->error.index = k;
        p->error.value = (dc_real)value;
        return;
    }
}

/* ---- Opening ---- */

static void apply_air_and_weight(page *p, dc_vec3 *gravity, dc_vec3 *wind)
{
    *gravity = vec_make(0, -p->setting[PAGE_GRAVITY], 0);
    *wind = vec_make(0, 0, p->setting[PAGE_WIND]);
}

/* The descriptions one after another, as the world wants them. */
static void gather(page *p)
{
    dc_index k;
    for (k = 0; k < p->desc.cloth_count; k++) p->cloth_desc[k] = p->cloth[k].desc;
    for (k = 0; k < p->desc.ribbon_count; k++) p->ribbon_desc[k] = p->ribbon[k].desc;
    for (k = 0; k < p->desc.obstacle_count; k++) p->obstacle_desc[k] = p->obstacle[k].desc;
    p->desc.cloths = p->cloth_desc;
    p->desc.ribbons = p->ribbon_desc;
    p->desc.obstacles = p->obstacle_desc;
}

dc_vec3 page_grip_position(const page *p, dc_index ribbon, dc_index grip)
{
    const dc_vec3 *x = dc_body_positions(p->world, page_ribbon_body(p, ribbon));
    dc_index crease = p->ribbon[ribbon].crease[grip];
    if (p->ribbon[ribbon].desc.ends != DC_RIBBON_OPEN)
        crease %= p->ribbon[ribbon].desc.segment_count;
    return vec_scale(0.5, vec_add(x[2 * crease], x[2 * crease + 1]));
}

/* All grips hold at first: those that the scene holds do so where the ribbon is. */
static void let_grips_go(page *p, dc_index ribbon)
{
    page_ribbon *r = &p->ribbon[ribbon];
    dc_index k;
    for (k = 0; k < PAGE_GRIPS; k++) {
        r->held_at[k] = page_grip_position(p, ribbon, k);
        if (r->is_held[k])
            dc_ribbon_set_attachment(p->world, page_ribbon_body(p, ribbon), k, r->held_at[k], NULL);
        else
            dc_ribbon_release_attachment(p->world, page_ribbon_body(p, ribbon), k, NULL);
    }
}

static void add_surface(page *p, page_kind kind, dc_index body, const char *label)
{
    page_surface *s = &p->surface[p->surface_count++];
    s->kind = kind;
    s->body = body;
    s->label = label;
    s->is_new = 1;
}

/* The uv coordinates are places on the flat cloth. */
static void set_uv(page *p, page_surface *s, const dc_vec2 *flat)
{
    dc_index v;
    s->uv = page_take(p, 2 * s->vertex_count, sizeof *s->uv);
    for (v = 0; s->uv && v < s->vertex_count; v++) {
        s->uv[2 * v] = (float)flat[v].x;
        s->uv[2 * v + 1] = (float)flat[v].y;
    }
}

static void show_mesh(page *p, page_surface *s, const dc_mesh *mesh, const dc_vec2 *flat)
{
    s->mesh = mesh;
    s->vertex_count = mesh->vertex_count;
    s->triangle_count = mesh->triangle_count;
    s->triangles = mesh->triangles;
    if (flat) set_uv(p, s, flat);
    s->strain = page_take(p, s->vertex_count, sizeof *s->strain);
}

static void show_cloth(page *p, page_surface *s)
{
    const dc_mesh *surface = dc_body_mesh(p->world, s->body);
    const dc_mesh *mesh = dc_cloth_mesh(p->world, s->body);
    int is_same = surface->vertex_count == mesh->vertex_count;
    show_mesh(p, s, surface, is_same ? p->cloth[s->body].flat : NULL);
    if (!is_same) return; /* the isometric element: its midpoints are vertices */
    s->midpoint_count = mesh->edge_count;
    s->midpoint_of = mesh->edge_of_corner;
    s->midpoints = page_take(p, 3 * s->midpoint_count, sizeof *s->midpoints);
}

static void show_ribbon(page *p, page_surface *s)
{
    const dc_ribbon_desc *desc = &p->ribbon[s->body].desc;
    const dc_mesh *mesh = dc_body_mesh(p->world, page_ribbon_body(p, s->body));
    dc_index vertices = 2 * desc->segment_count + 2; /* with both ends, joined or not */
    dc_vec3 *x = page_take(p, vertices, sizeof *x);
    dc_vec2 *flat = page_take(p, vertices, sizeof *flat);
    s->vertex_count = mesh->vertex_count;
    s->triangle_count = mesh->triangle_count;
    s->triangles = mesh->triangles;
    if (!x || !flat || dc_ribbon_shape(desc, x, NULL, flat, &p->error) != DC_OK) return;
    set_uv(p, s, flat);
}

static void show_obstacle(page *p, page_surface *s)
{
    const page_obstacle *o = &p->obstacle[s->body];
    s->vertex_count = o->vertex_count;
    s->triangle_count = o->triangle_count;
    s->triangles = o->shape ? o->triangles : o->desc.mesh.triangles;
}

/* What is drawn, behind the world in the block. */
static void make_surfaces(page *p)
{
    dc_index k;
    int i;
    for (k = 0; k < p->desc.cloth_count; k++) add_surface(p, PAGE_CLOTH, k, p->cloth[k].label);
    if (p->own.positions) add_surface(p, PAGE_CLOTH, DC_NONE, p->own.label);
    for (k = 0; k < p->desc.ribbon_count; k++) add_surface(p, PAGE_RIBBON, k, p->ribbon[k].label);
    for (k = 0; k < p->desc.obstacle_count; k++)
        add_surface(p, PAGE_OBSTACLE, k, p->obstacle[k].label);
    for (i = 0; i < p->surface_count; i++) {
        page_surface *s = &p->surface[i];
        if (s->body == DC_NONE)
            show_mesh(p, s, &p->own.mesh, p->own.flat);
        else if (s->kind == PAGE_CLOTH)
            show_cloth(p, s);
        else if (s->kind == PAGE_RIBBON)
            show_ribbon(p, s);
        else
            show_obstacle(p, s);
        s->positions = page_take(p, 3 * s->vertex_count, sizeof *s->positions);
        s->normals = page_take(p, 3 * s->vertex_count, sizeof *s->normals);
    }
}

/* Builds the world of what the scene describes, if that is any body. */
static dc_status open_world(page *p)
{
    dc_index k;
    if (p->desc.cloth_count == 0 && p->desc.ribbon_count == 0 && p->own.positions) return DC_OK;
    gather(p);
    if (dc_world_init(&p->desc, p->memory + p->used, p->bytes - p->used, &p->world, &p->info,
                      &p->error) != DC_OK) {
        p->error.needed += p->used;
        return p->error.status;
    }
    p->used += p->info.bytes;
    for (k = 0; k < p->desc.ribbon_count; k++) let_grips_go(p, k);
    return DC_OK;
}

dc_status page_open(page *p, int scene, void *memory, size_t bytes)
{
    double setting[PAGE_SETTINGS];
    memcpy(setting, p->setting, sizeof setting);
    memset(p, 0, sizeof *p);
    memcpy(p->setting, setting, sizeof setting);
    p->scene = &page_scenes[scene];
    p->memory = memory;
    p->bytes = bytes;
    p->desc = dc_world_defaults();
    p->desc.work_max = (uint64_t)(WORK_MAX * p->setting[PAGE_CELLS] * p->setting[PAGE_CELLS]);
    p->desc.takes_unconverged = 1;
    apply_air_and_weight(p, &p->desc.gravity, &p->desc.wind);
    check_start(p, scene);
    if (p->error.status == DC_OK) p->scene->build(p);
    if (p->error.status != DC_OK || open_world(p) != DC_OK) return p->error.status;
    make_surfaces(p);
    return p->error.status;
}

void page_set(page *p, int setting, double value)
{
    dc_vec3 gravity, wind;
    p->setting[setting] = value;
    if (!p->world) return;
    apply_air_and_weight(p, &gravity, &wind);
    if (setting == PAGE_GRAVITY) dc_world_set_gravity(p->world, gravity, NULL);
    if (setting == PAGE_WIND) dc_world_set_wind(p->world, wind, NULL);
}

/* ---- Steps ---- */

/* From a to b, but not further than `most`. */
static dc_vec3 towards(dc_vec3 a, dc_vec3 b, double most)
{
    dc_vec3 way = vec_sub(b, a);
    double length = vec_length(way);
    return length <= most ? b : vec_axpy(a, most / length, way);
}

static dc_vec3 vertex_position(const page *p, dc_index cloth, dc_index vertex)
{
    return dc_body_positions(p->world, cloth)[vertex];
}

static page_grab *find_grab(page *p, dc_index cloth, dc_index vertex)
{
    int i;
    for (i = 0; i < p->grab_count; i++)
        if (p->grab[i].cloth == cloth && p->grab[i].vertex == vertex) return &p->grab[i];
    return NULL;
}

/* Moves what the pointer holds towards it. */
static void pull(page *p, double dt)
{
    page_grab *grab = p->grip == PAGE_GRIP_VERTEX ? find_grab(p, p->body, p->item) : NULL;
    if (grab) {
        grab->target = towards(grab->target, p->target, HAND_SPEED * dt);
        dc_cloth_grab_move(p->world, p->body, p->item, grab->target, NULL);
    }
    if (p->grip == PAGE_GRIP_PIN) {
        dc_vec3 at = vertex_position(p, p->body, p->cloth[p->body].pin[p->item]);
        page_move_pin(p, p->body, p->item, towards(at, p->target, PIN_SPEED * dt));
    }
    if (p->grip == PAGE_GRIP_RIBBON) {
        dc_vec3 *at = &p->ribbon[p->body].held_at[p->item];
        *at = towards(*at, vec_add(p->target, p->offset), HAND_SPEED * dt);
        dc_ribbon_set_attachment(p->world, page_ribbon_body(p, p->body), p->item, *at, NULL);
    }
}

dc_status page_step(page *p)
{
    double dt = 1 / p->setting[PAGE_RATE];
    memset(&p->error, 0, sizeof p->error);
    if (p->scene->drive) p->scene->drive(p, p->time + dt);
    if (p->error.status == DC_OK && p->world) pull(p, dt);
    if (p->error.status != DC_OK) return p->error.status;
    if (!p->world) {
        p->time += dt;
        return DC_OK;
    }
    if (dc_world_step(p->world, (dc_real)dt, &p->report, &p->error) != DC_OK &&
        p->grip == PAGE_GRIP_PIN) /* targets remain as set: put this one back */
        page_move_pin(p, p->body, p->item,
                      vertex_position(p, p->body, p->cloth[p->body].pin[p->item]));
    p->time = (double)dc_world_time(p->world);
    return p->error.status;
}

const char *page_error_label(const page *p, int second)
{
    const dc_error *e = &p->error;
    dc_index ribbons = page_ribbon_body(p, 0), obstacles = page_obstacle_body(p, 0);
    dc_index body = second ? e->pair.second.body : e->pair.first.body;
    if (!second && e->body != DC_NONE) body = e->body;
    if (body < 0 || body >= obstacles + p->desc.obstacle_count) return NULL;
    if (body < ribbons) return p->cloth[body].label;
    if (body < obstacles) return p->ribbon[body - ribbons].label;
    return p->obstacle[body - obstacles].label;
}

/* ---- The pointer ---- */

static page_grab *add_grab(page *p, dc_index cloth, dc_index vertex, double compliance, int is_pin)
{
    page_grab *grab = &p->grab[p->grab_count];
    grab->cloth = cloth;
    grab->vertex = vertex;
    grab->target = vertex_position(p, cloth, vertex);
    grab->compliance = compliance;
    grab->is_pin = is_pin;
    if (dc_cloth_grab(p->world, cloth, vertex, grab->target, (dc_real)compliance, &p->error) !=
        DC_OK)
        return NULL;
    p->grab_count++;
    return grab;
}

static void remove_grab(page *p, page_grab *grab)
{
    dc_cloth_release(p->world, grab->cloth, grab->vertex, NULL);
    *grab = p->grab[--p->grab_count];
}

/* The pin of the scene at this vertex, or DC_NONE. */
static dc_index pin_at(const page_cloth *cloth, dc_index vertex)
{
    dc_index k;
    for (k = 0; k < cloth->desc.pin_count; k++)
        if (cloth->pin[k] == vertex) return k;
    return DC_NONE;
}

static dc_index nearest_grip(const page *p, dc_index ribbon, dc_vec3 point)
{
    dc_index k, nearest = 0;
    for (k = 1; k < PAGE_GRIPS; k++)
        if (vec_length(vec_sub(page_grip_position(p, ribbon, k), point)) <
            vec_length(vec_sub(page_grip_position(p, ribbon, nearest), point)))
            nearest = k;
    return nearest;
}

/* The corner of the triangle that was hit to which the hit is nearest. */
static dc_index nearest_corner(const dc_ray_hit *hit)
{
    int c, nearest = 0;
    for (c = 1; c < 3; c++)
        if (hit->weight[c] > hit->weight[nearest]) nearest = c;
    return hit->vertex[nearest];
}

/* Casts a ray. 1: a cloth; 2: a ribbon, whose number is *body; 0: nothing that can be held. */
static int cast(page *p, dc_vec3 origin, dc_vec3 direction, dc_ray_hit *hit, dc_index *body)
{
    if (!p->world) return 0;
    if (dc_world_cast_ray(p->world, origin, direction, hit, &p->error) != DC_OK) return 0;
    *body = hit->body;
    if (*body == DC_NONE) return 0;
    if (*body < p->desc.cloth_count) return 1;
    *body -= p->desc.cloth_count;
    return *body < p->desc.ribbon_count ? 2 : 0;
}

/* The nearest handle in reach of a ray, or DC_NONE. */
static dc_index handle_at(const page *p, dc_vec3 origin, dc_vec3 direction, double reach)
{
    dc_index k, nearest = DC_NONE;
    double size = vec_length(direction);
    for (k = 0; size > 0 && k < p->own.handle_count; k++) {
        dc_vec3 way = vec_sub(p->own.handle[k], origin);
        double ahead = vec_dot(way, direction) / size;
        double part = vec_length(vec_axpy(way, -ahead / size, direction)) / ahead;
        if (!(ahead > 0 && part <= reach)) continue;
        reach = part;
        nearest = k;
    }
    return nearest;
}

static int hold_handle(page *p, dc_vec3 origin, dc_index handle, dc_ray_hit *hit)
{
    memset(hit, 0, sizeof *hit);
    hit->position = p->target = p->own.handle[handle];
    hit->distance = (dc_real)vec_length(vec_sub(hit->position, origin));
    p->item = handle;
    p->grip = PAGE_GRIP_HANDLE;
    return 1;
}

int page_take_hold(page *p, dc_vec3 origin, dc_vec3 direction, double reach, dc_ray_hit *hit)
{
    dc_index body, handle = handle_at(p, origin, direction, reach);
    int kind = cast(p, origin, direction, hit, &body);
    page_let_go(p);
    if (handle != DC_NONE) return hold_handle(p, origin, handle, hit);
    if (!kind) return 0;
    p->body = body;
    p->target = hit->position;
    if (kind == 2) {
        p->item = nearest_grip(p, body, hit->position);
        if (!p->ribbon[body].is_held[p->item])
            p->ribbon[body].held_at[p->item] = page_grip_position(p, body, p->item);
        p->offset = vec_sub(page_grip_position(p, body, p->item), hit->position);
        p->grip = PAGE_GRIP_RIBBON;
        return 1;
    }
    p->item = nearest_corner(hit);
    if (pin_at(&p->cloth[body], p->item) != DC_NONE &&
        p->cloth[body].is_held[pin_at(&p->cloth[body], p->item)]) {
        p->item = pin_at(&p->cloth[body], p->item);
        p->grip = PAGE_GRIP_PIN;
        return 1;
    }
    if (!find_grab(p, body, p->item) && !add_grab(p, body, p->item, GRAB_COMPLIANCE, 0)) return 0;
    p->grip = PAGE_GRIP_VERTEX;
    return 1;
}

void page_drag(page *p, dc_vec3 target)
{
    p->target = target;
}

void page_let_go(page *p)
{
    page_grab *grab = p->grip == PAGE_GRIP_VERTEX ? find_grab(p, p->body, p->item) : NULL;
    if (grab && !grab->is_pin) remove_grab(p, grab);
    if (p->grip == PAGE_GRIP_PIN)
        page_move_pin(p, p->body, p->item,
                      vertex_position(p, p->body, p->cloth[p->body].pin[p->item]));
    if (p->grip == PAGE_GRIP_RIBBON && !p->ribbon[p->body].is_held[p->item])
        dc_ribbon_release_attachment(p->world, page_ribbon_body(p, p->body), p->item, NULL);
    p->grip = PAGE_GRIP_NONE;
}

static void toggle_grip(page *p, dc_index ribbon, dc_vec3 point)
{
    page_ribbon *r = &p->ribbon[ribbon];
    dc_index k = nearest_grip(p, ribbon, point);
    r->is_held[k] = !r->is_held[k];
    r->held_at[k] = page_grip_position(p, ribbon, k);
    if (r->is_held[k])
        dc_ribbon_set_attachment(p->world, page_ribbon_body(p, ribbon), k, r->held_at[k], NULL);
    else
        dc_ribbon_release_attachment(p->world, page_ribbon_body(p, ribbon), k, NULL);
}

/* Frees the pin of a cloth that is nearest to the point, if one is near enough. */
static int free_near_pin(page *p, dc_index cloth, dc_vec3 point)
{
    page_cloth *c = &p->cloth[cloth];
    page_grab *nearest_grab = NULL;
    dc_index nearest_pin = DC_NONE, k;
    double reach = PIN_REACH;
    int i;
    for (k = 0; k < c->desc.pin_count; k++) {
        double away = vec_length(vec_sub(vertex_position(p, cloth, c->pin[k]), point));
        if (!c->is_held[k] || away > reach) continue;
        reach = away;
        nearest_pin = k;
    }
    for (i = 0; i < p->grab_count; i++) {
        page_grab *grab = &p->grab[i];
        double away = vec_length(vec_sub(vertex_position(p, cloth, grab->vertex), point));
        if (grab->cloth != cloth || !grab->is_pin || away > reach) continue;
        reach = away;
        nearest_grab = grab;
    }
    if (nearest_grab)
        remove_grab(p, nearest_grab);
    else if (nearest_pin != DC_NONE)
        page_free_pin(p, cloth, nearest_pin);
    return nearest_grab || nearest_pin != DC_NONE;
}

void page_toggle_pin(page *p, dc_vec3 origin, dc_vec3 direction)
{
    dc_ray_hit hit;
    dc_index body, pin;
    int kind = cast(p, origin, direction, &hit, &body);
    page_let_go(p);
    if (kind == 2) toggle_grip(p, body, hit.position);
    if (kind != 1 || free_near_pin(p, body, hit.position)) return;
    pin = pin_at(&p->cloth[body], nearest_corner(&hit));
    if (pin == DC_NONE) {
        add_grab(p, body, nearest_corner(&hit), PIN_COMPLIANCE, 1);
    } else {
        p->cloth[body].is_held[pin] = 1;
        page_move_pin(p, body, pin, vertex_position(p, body, nearest_corner(&hit)));
    }
}

/* ---- Measures ---- */

page_energy page_measure(page *p)
{
    page_energy sum = {0, 0, 0, p->own.rest.strain};
    dc_index k;
    for (k = 0; k < p->desc.cloth_count; k++) {
        dc_measures m = dc_cloth_measure(p->world, k);
        double error = (double)m.constraint_error / 2; /* that of squared lengths is twice this */
        sum.kinetic += (double)m.kinetic;
        sum.gravity += (double)m.gravity;
        sum.bending += (double)(m.bending + m.jump);
        if (error > sum.length_error) sum.length_error = error;
    }
    for (k = 0; k < p->desc.ribbon_count; k++) {
        dc_ribbon_measures m = dc_ribbon_measure(p->world, page_ribbon_body(p, k));
        sum.kinetic += (double)m.kinetic;
        sum.gravity += (double)m.gravity;
        sum.bending += (double)(m.bending + m.ruling);
    }
    return sum;
}

uint64_t page_hash(const page *p)
{
    static const uint64_t PRIME = UINT64_C(1099511628211); /* of FNV-1a */
    const unsigned char *byte = (const unsigned char *)p->own.positions;
    size_t count = byte ? (size_t)p->own.mesh.vertex_count * sizeof(dc_vec3) : 0, i;
    uint64_t hash = p->world ? dc_world_hash(p->world) : 0;
    for (i = 0; i < count; i++) hash = (hash ^ byte[i]) * PRIME;
    return hash;
}
