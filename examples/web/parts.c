/* Parts of a scene: descriptions with the sliders' settings, in the page's block of memory. */
#include "page.h"

enum {
    ALIGNMENT = 16,
    ROUND_COLUMNS = 32,
    ROUND_ROWS = 16,
    CAPSULE_COLUMNS = 20,
    CAPSULE_ROWS = 4
};

static const double FLOOR_HALF = 1.5;     /* [m] of its drawn part */
static const double GRAB_FORCE = 20;      /* [N] the most with which a hand pulls */
static const double GRIP_STIFFNESS = 200; /* [N/m] of a ribbon's grips */
static const double AIR = 1;              /* [kg/(m^2 s)] */

/* ---- Errors and memory ---- */

/* Keeps an error, unless there was one before. */
static void keep(page *p, const dc_error *error)
{
    if (p->error.status == DC_OK) p->error = *error;
}

static void fail(page *p, dc_status status, const char *what, dc_index index, size_t needed)
{
    static const dc_feature nothing = {DC_NONE, {DC_NONE, DC_NONE, DC_NONE}};
    dc_error error = {0};
    error.status = status;
    error.what = what;
    error.field = "";
    error.index = index;
    error.body = DC_NONE;
    error.needed = needed;
    error.pair.first = error.pair.second = nothing;
    keep(p, &error);
}

dc_index page_ribbon_body(const page *p, dc_index ribbon)
{
    return p->desc.cloth_count + ribbon;
}

dc_index page_obstacle_body(const page *p, dc_index obstacle)
{
    return p->desc.cloth_count + p->desc.ribbon_count + obstacle;
}

void page_fail(page *p, const char *what)
{
    fail(p, DC_BAD_ARGUMENT, what, DC_NONE, 0);
}

/* Whether index is below count; if not, that is an error. */
static int is_below(page *p, dc_index index, dc_index count, const char *what)
{
    if (index >= 0 && index < count) return 1;
    fail(p, DC_BAD_ARGUMENT, what, index, 0);
    return 0;
}

void *page_take(page *p, dc_index count, size_t size)
{
    size_t begin = (p->used + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    size_t end = begin + (size_t)count * size;
    if (end > p->bytes) fail(p, DC_TOO_SMALL, "the block of the page is too small", DC_NONE, end);
    if (p->error.status != DC_OK) return NULL;
    p->used = end;
    return p->memory + begin;
}

/* Builds a shape; `flat` may be NULL. 0 after an error. */
static int build_shape(page *p, const shape_desc *shape, dc_vec3 **positions, dc_index **triangles,
                       dc_vec2 **flat, dc_mesh_desc *mesh)
{
    dc_index vertices, count;
    if (p->error.status != DC_OK) return 0;
    if (shape_counts(shape, &vertices, &count, &p->error) != DC_OK) return 0;
    *positions = page_take(p, vertices, sizeof **positions);
    *triangles = page_take(p, 3 * count, sizeof **triangles);
    if (flat) *flat = page_take(p, vertices, sizeof **flat);
    if (!*positions || !*triangles || (flat && !*flat)) return 0;
    return shape_build(shape, *positions, *triangles, flat ? *flat : NULL, mesh, &p->error) ==
           DC_OK;
}

/* ---- Cloths ---- */

page_cloth *page_add_sheet(page *p, const char *label, int columns, int rows, double width,
                           double height)
{
    page_cloth *cloth = &p->cloth[p->desc.cloth_count];
    shape_desc shape = shape_defaults(SHAPE_GRID);
    dc_index *triangles;
    if (p->desc.cloth_count == PAGE_CLOTHS) {
        page_fail(p, "more cloths than PAGE_CLOTHS");
        return NULL;
    }
    shape.columns = columns;
    shape.rows = rows;
    shape.width = (dc_real)width;
    shape.height = (dc_real)height;
    shape.diagonals = DC_DIAGONALS_HERRINGBONE; /* no direction in which it bends more easily */
    cloth->label = label;
    cloth->desc = dc_cloth_defaults();
    if (!build_shape(p, &shape, &cloth->positions, &triangles, &cloth->flat, &cloth->desc.mesh))
        return NULL;
    cloth->desc.bending = (dc_real)(1e-6 * p->setting[PAGE_BENDING]);
    cloth->desc.friction = (dc_real)p->setting[PAGE_FRICTION];
    cloth->desc.drag_normal = cloth->desc.drag_tangential = (dc_real)AIR;
    cloth->desc.pin_vertices = cloth->pin;
    cloth->desc.grab_capacity = PAGE_GRABS;
    cloth->desc.grab_force_max = (dc_real)GRAB_FORCE;
    p->desc.cloth_count++;
    return cloth;
}

void page_add_pin(page *p, page_cloth *cloth, dc_index vertex)
{
    if (!is_below(p, cloth->desc.pin_count, PAGE_PINS, "more pins than PAGE_PINS")) return;
    cloth->is_held[cloth->desc.pin_count] = 1;
    cloth->pin[cloth->desc.pin_count++] = vertex;
}

static int has_pin(page *p, dc_index cloth, dc_index pin)
{
    return is_below(p, cloth, p->desc.cloth_count, "there is no cloth of this number") &&
           is_below(p, pin, p->cloth[cloth].desc.pin_count, "the cloth has no pin of this number");
}

void page_move_pin(page *p, dc_index cloth, dc_index pin, dc_vec3 target)
{
    dc_error error;
    if (!has_pin(p, cloth, pin) || !p->cloth[cloth].is_held[pin]) return;
    if (dc_cloth_set_pin(p->world, cloth, pin, target, &error) != DC_OK) keep(p, &error);
}

void page_free_pin(page *p, dc_index cloth, dc_index pin)
{
    if (!has_pin(p, cloth, pin)) return;
    p->cloth[cloth].is_held[pin] = 0;
    dc_cloth_release_pin(p->world, cloth, pin, NULL);
}

void page_start_draped(page *p, page_cloth *cloth, dc_drape_desc *desc)
{
    dc_obstacle_desc obstacle[PAGE_OBSTACLES];
    dc_info info;
    dc_drape *drape;
    dc_index k;
    if (desc->anchor_count > PAGE_PINS) page_fail(p, "more anchors than PAGE_PINS");
    if (p->error.status != DC_OK) return;
    for (k = 0; k < p->desc.obstacle_count; k++) obstacle[k] = p->obstacle[k].desc;
    desc->mesh = cloth->desc.mesh;
    desc->obstacles = obstacle;
    desc->obstacle_count = p->desc.obstacle_count;
    desc->thickness = cloth->desc.thickness;
    desc->friction = cloth->desc.friction;
    if (dc_drape_init(desc, p->memory + p->used, p->bytes - p->used, &drape, &info, &p->error) !=
        DC_OK) {
        p->error.needed += p->used;
        return;
    }
    p->used += info.bytes;
    if (dc_drape_solve(drape, NULL, &p->error) != DC_OK) return;
    dc_drape_hand_over(drape, &cloth->desc, cloth->pin);
    for (k = 0; k < cloth->desc.pin_count; k++) cloth->is_held[k] = 1;
}

/* ---- Ribbons ---- */

page_ribbon *page_add_ribbon(page *p, const char *label, double length, double width)
{
    page_ribbon *ribbon = &p->ribbon[p->desc.ribbon_count];
    int segments = (int)p->setting[PAGE_CELLS], k;
    if (p->desc.ribbon_count == PAGE_RIBBONS) {
        page_fail(p, "more ribbons than PAGE_RIBBONS");
        return NULL;
    }
    ribbon->label = label;
    ribbon->desc = dc_ribbon_defaults();
    ribbon->desc.segment_count = segments;
    ribbon->desc.length = (dc_real)length;
    ribbon->desc.width = (dc_real)width;
    ribbon->desc.bending = (dc_real)(1e-6 * p->setting[PAGE_BENDING]);
    ribbon->desc.friction = (dc_real)p->setting[PAGE_FRICTION];
    ribbon->desc.drag = (dc_real)AIR;
    for (k = 0; k < PAGE_GRIPS; k++) {
        dc_attachment_desc *grip = &ribbon->grip[k];
        ribbon->crease[k] = k * segments / (PAGE_GRIPS - 1);
        *grip = dc_attachment_defaults();
        grip->place.x = ribbon->desc.length * ((dc_real)ribbon->crease[k] / (dc_real)segments);
        grip->is_soft = 1;
        grip->stiffness = (dc_real)GRIP_STIFFNESS;
    }
    ribbon->desc.attachments = ribbon->grip;
    ribbon->desc.attachment_count = PAGE_GRIPS;
    p->desc.ribbon_count++;
    return ribbon;
}

/* ---- Obstacles ---- */

/* One of this kind, or NULL. `shape` is of what is drawn. */
static page_obstacle *add_obstacle(page *p, const char *label, dc_obstacle_kind kind,
                                   const shape_desc *shape)
{
    page_obstacle *o = &p->obstacle[p->desc.obstacle_count];
    dc_mesh_desc mesh;
    if (p->desc.obstacle_count == PAGE_OBSTACLES) {
        page_fail(p, "more obstacles than PAGE_OBSTACLES");
        return NULL;
    }
    if (shape && !build_shape(p, shape, &o->shape, &o->triangles, NULL, &mesh)) return NULL;
    if (shape) {
        o->vertex_count = mesh.vertex_count;
        o->triangle_count = mesh.triangle_count;
    }
    o->label = label;
    o->has_moved = 1;
    o->desc.kind = kind;
    o->desc.friction = (dc_real)p->setting[PAGE_FRICTION];
    p->desc.obstacle_count++;
    p->desc.collides = 1;
    return o;
}

page_obstacle *page_add_sphere(page *p, const char *label, dc_vec3 centre, double radius)
{
    shape_desc shape = shape_defaults(SHAPE_SPHERE);
    page_obstacle *o;
    shape.radius = (dc_real)radius;
    shape.columns = ROUND_COLUMNS;
    shape.rows = ROUND_ROWS;
    o = add_obstacle(p, label, DC_OBSTACLE_SPHERE, &shape);
    if (!o) return NULL;
    o->desc.point[0] = centre;
    o->desc.radius = (dc_real)radius;
    return o;
}

page_obstacle *page_add_capsule(page *p, const char *label, dc_vec3 from, dc_vec3 to, double radius)
{
    shape_desc shape = shape_defaults(SHAPE_CAPSULE);
    page_obstacle *o;
    shape.radius = (dc_real)radius;
    shape.height = (dc_real)vec_length(vec_sub(to, from));
    shape.columns = CAPSULE_COLUMNS;
    shape.rows = CAPSULE_ROWS;
    o = add_obstacle(p, label, DC_OBSTACLE_CAPSULE, &shape);
    if (!o) return NULL;
    o->desc.point[0] = from;
    o->desc.point[1] = to;
    o->desc.radius = (dc_real)radius;
    return o;
}

page_obstacle *page_add_box(page *p, const char *label, dc_vec3 low, dc_vec3 high)
{
    /* Corner k has x, y, z high where bits 0, 1, 2 of k are set. Two triangles a side. */
    static const dc_index sides[12][3] = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5},
                                          {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                                          {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
    dc_vec3 *corner = page_take(p, 8, sizeof *corner);
    page_obstacle *o = add_obstacle(p, label, DC_OBSTACLE_MESH, NULL);
    int k;
    if (!corner || !o) return NULL;
    for (k = 0; k < 8; k++) {
        corner[k].x = k & 1 ? high.x : low.x;
        corner[k].y = k & 2 ? high.y : low.y;
        corner[k].z = k & 4 ? high.z : low.z;
    }
    o->desc.mesh.positions = corner;
    o->desc.mesh.triangles = sides[0];
    o->desc.mesh.vertex_count = o->vertex_count = 8;
    o->desc.mesh.triangle_count = o->triangle_count = 12;
    return o;
}

page_obstacle *page_add_floor(page *p, double height)
{
    shape_desc shape = shape_defaults(SHAPE_GRID);
    page_obstacle *o;
    dc_index v;
    shape.width = shape.height = (dc_real)(2 * FLOOR_HALF);
    shape.columns = shape.rows = 1;
    o = add_obstacle(p, "floor", DC_OBSTACLE_PLANE, &shape);
    if (!o) return NULL;
    for (v = 0; v < o->vertex_count; v++) { /* it comes upright; lay it down */
        dc_vec3 at = o->shape[v];
        o->shape[v] = vec_make((double)at.x - FLOOR_HALF, 0, FLOOR_HALF - (double)at.y);
    }
    o->desc.point[0] = vec_make(0, height, 0);
    o->desc.point[1] = vec_make(0, height + 1, 0);
    return o;
}

void page_move_obstacle(page *p, dc_index obstacle, const dc_vec3 *positions, dc_vec3 spin)
{
    dc_error error;
    if (!is_below(p, obstacle, p->desc.obstacle_count, "there is no obstacle of this number"))
        return;
    p->obstacle[obstacle].has_moved = 1;
    if (dc_obstacle_move(p->world, page_obstacle_body(p, obstacle), positions, spin, &error) !=
        DC_OK)
        keep(p, &error);
}
