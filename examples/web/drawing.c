/* What the page draws, as floats: positions, normals, strain, midpoints, pins, forces. */
#include "page.h"

static void put(float *out, dc_vec3 v)
{
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

static void put_all(float *out, const dc_vec3 *v, dc_index count)
{
    dc_index i;
    for (i = 0; i < count; i++) put(out + 3 * i, v[i]);
}

static dc_vec3 get(const float *in)
{
    return vec_make((double)in[0], (double)in[1], (double)in[2]);
}

static dc_vec3 unit(dc_vec3 v)
{
    double length = vec_length(v);
    return length > 0 ? vec_scale(1 / length, v) : v;
}

/* Sums of the triangles' normals, weighted by area. */
static void write_normals(page_surface *s)
{
    dc_index i, t;
    int c;
    for (i = 0; i < 3 * s->vertex_count; i++) s->normals[i] = 0;
    for (t = 0; t < s->triangle_count; t++) {
        const dc_index *v = s->triangles + 3 * t;
        dc_vec3 a = get(s->positions + 3 * v[0]);
        dc_vec3 n = vec_cross(vec_sub(get(s->positions + 3 * v[1]), a),
                              vec_sub(get(s->positions + 3 * v[2]), a));
        for (c = 0; c < 3; c++) put(s->normals + 3 * v[c], vec_add(get(s->normals + 3 * v[c]), n));
    }
    for (i = 0; i < s->vertex_count; i++) put(s->normals + 3 * i, unit(get(s->normals + 3 * i)));
}

/* The largest strain of an edge at each vertex. */
static void write_strain(page_surface *s)
{
    const dc_mesh *mesh = s->mesh;
    dc_index i, e;
    for (i = 0; i < s->vertex_count; i++) s->strain[i] = 0;
    for (e = 0; e < mesh->edge_count; e++) {
        const dc_index *v = mesh->edge_vertices + 2 * e;
        double rest = (double)mesh->rest_length[mesh->corner_of_edge[2 * e]];
        double length =
            vec_length(vec_sub(get(s->positions + 3 * v[0]), get(s->positions + 3 * v[1])));
        float strain = (float)((length > rest ? length - rest : rest - length) / rest);
        if (strain > s->strain[v[0]]) s->strain[v[0]] = strain;
        if (strain > s->strain[v[1]]) s->strain[v[1]] = strain;
    }
}

/* The shape that is drawn for a sphere, a capsule or a plane, where the obstacle is. */
static void place_shape(const page *p, page_surface *s)
{
    const page_obstacle *o = &p->obstacle[s->body];
    const dc_vec3 *at = dc_body_positions(p->world, page_obstacle_body(p, s->body));
    dc_vec3 middle = at[0], along = vec_make(0, 1, 0), side, ahead;
    dc_index i;
    if (o->desc.kind == DC_OBSTACLE_CAPSULE) {
        middle = vec_scale(0.5, vec_add(at[0], at[1]));
        along = unit(vec_sub(at[1], at[0]));
    }
    side = along.y * along.y < (dc_real)0.5 ? vec_make(0, 1, 0) : vec_make(1, 0, 0);
    side = unit(vec_axpy(side, -vec_dot(side, along), along));
    ahead = vec_cross(side, along);
    for (i = 0; i < s->vertex_count; i++) {
        dc_vec3 v = vec_turn_y(o->shape[i], o->turned);
        dc_vec3 x = vec_axpy(middle, (double)v.x, side);
        put(s->positions + 3 * i, vec_axpy(vec_axpy(x, (double)v.y, along), (double)v.z, ahead));
    }
}

static void draw_obstacle(page *p, page_surface *s)
{
    page_obstacle *o = &p->obstacle[s->body];
    s->is_new = o->has_moved;
    o->has_moved = 0;
    if (!s->is_new) return;
    if (o->shape)
        place_shape(p, s);
    else
        put_all(s->positions, dc_body_positions(p->world, page_obstacle_body(p, s->body)),
                s->vertex_count);
    write_normals(s);
}

static void draw_body(page *p, page_surface *s)
{
    const dc_vec3 *x = p->own.positions;
    dc_index body = s->kind == PAGE_RIBBON ? page_ribbon_body(p, s->body) : s->body;
    if (body != DC_NONE) x = dc_body_positions(p->world, body);
    put_all(s->positions, x, s->vertex_count);
    write_normals(s);
    if (s->strain) write_strain(s);
    if (s->midpoints)
        put_all(s->midpoints, dc_cloth_midpoints(p->world, s->body), s->midpoint_count);
}

void page_draw(page *p)
{
    int i;
    for (i = 0; i < p->surface_count; i++)
        if (p->surface[i].kind == PAGE_OBSTACLE)
            draw_obstacle(p, &p->surface[i]);
        else
            draw_body(p, &p->surface[i]);
}

/* ---- Pins and forces ---- */

int page_pins(const page *p, float *points, int capacity)
{
    dc_index body, k;
    int count = 0, i;
    for (body = 0; body < p->desc.cloth_count; body++)
        for (k = 0; k < p->cloth[body].desc.pin_count && count < capacity; k++)
            if (p->cloth[body].is_held[k])
                put(points + 3 * count++, dc_body_positions(p->world, body)[p->cloth[body].pin[k]]);
    for (i = 0; i < p->grab_count && count < capacity; i++)
        if (p->grab[i].is_pin)
            put(points + 3 * count++,
                dc_body_positions(p->world, p->grab[i].cloth)[p->grab[i].vertex]);
    for (body = 0; body < p->desc.ribbon_count; body++)
        for (k = 0; k < PAGE_GRIPS && count < capacity; k++)
            if (p->ribbon[body].is_held[k]) put(points + 3 * count++, p->ribbon[body].held_at[k]);
    return count;
}

/* The force of a spring, which is bounded as the description says. */
static dc_vec3 grab_force(const page *p, const page_grab *grab)
{
    double most = (double)p->cloth[grab->cloth].desc.grab_force_max;
    dc_vec3 at = dc_body_positions(p->world, grab->cloth)[grab->vertex];
    dc_vec3 force = vec_scale(1 / grab->compliance, vec_sub(grab->target, at));
    double size = vec_length(force);
    return size > most ? vec_scale(most / size, force) : force;
}

/* The force of a contact on the second body, or on the first if the second is an obstacle. */
static void put_contact(const page *p, const dc_contact_force *contact, float *arrow)
{
    int is_obstacle = contact->pair.second.body >= p->desc.cloth_count + p->desc.ribbon_count;
    put(arrow, contact->position);
    put(arrow + 3, vec_scale(is_obstacle ? -1 : 1, contact->force));
}

int page_arrows(const page *p, float *arrows, int capacity)
{
    static dc_contact_force contacts[PAGE_CONTACTS];
    int count, i, k;
    for (i = 0; i < p->grab_count && i < capacity; i++) {
        const page_grab *grab = &p->grab[i];
        put(arrows + 6 * i, dc_body_positions(p->world, grab->cloth)[grab->vertex]);
        put(arrows + 6 * i + 3, grab_force(p, grab));
    }
    count = p->world ? (int)dc_world_contacts(p->world, PAGE_CONTACTS, contacts) : 0;
    for (k = 0; k < count && k < PAGE_CONTACTS && i < capacity; k++, i++)
        put_contact(p, &contacts[k], arrows + 6 * i);
    return i;
}

int page_curve(const page *p, float *segments, int capacity)
{
    int k, count = p->own.point_count - 1 < capacity ? p->own.point_count - 1 : capacity;
    for (k = 0; k < count; k++) {
        put(segments + 6 * k, p->own.curve[k]);
        put(segments + 6 * k + 3, vec_sub(p->own.curve[k + 1], p->own.curve[k]));
    }
    return count > 0 ? count : 0;
}

int page_handles(const page *p, float *points, int capacity)
{
    int count = p->own.handle_count < capacity ? p->own.handle_count : capacity;
    put_all(points, p->own.handle, count);
    return count;
}

double page_pull(const page *p, dc_vec3 *point)
{
    int i;
    *point = p->target;
    if (p->grip == PAGE_GRIP_HANDLE) *point = p->own.handle[p->item];
    if (p->grip == PAGE_GRIP_PIN)
        *point = dc_body_positions(p->world, p->body)[p->cloth[p->body].pin[p->item]];
    if (p->grip == PAGE_GRIP_RIBBON) {
        dc_vec3 at = page_grip_position(p, p->body, p->item);
        dc_vec3 stretch = vec_sub(p->ribbon[p->body].held_at[p->item], at);
        *point = vec_sub(at, p->offset);
        return (double)p->ribbon[p->body].grip[p->item].stiffness * vec_length(stretch);
    }
    for (i = 0; p->grip == PAGE_GRIP_VERTEX && i < p->grab_count; i++)
        if (p->grab[i].cloth == p->body && p->grab[i].vertex == p->item) {
            *point = dc_body_positions(p->world, p->body)[p->item];
            return vec_length(grab_force(p, &p->grab[i]));
        }
    return 0;
}
