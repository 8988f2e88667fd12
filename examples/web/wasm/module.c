/*
 * module.c - what worker.js calls: the functions of page.h, with plain numbers
 *
 * Pointers are places in the linear memory. Vectors go through `vector`. The memory behind the
 * program is the block of the page; it grows with the scenes.
 */
#include "../page.h"

#define EXPORT(name) __attribute__((export_name(name)))

enum { WASM_PAGE = 65536, POINTS = 256, ARROWS = 64 + PAGE_CONTACTS, VECTOR = 16, SEGMENTS = 256 };

extern unsigned char __heap_base; /* of the linker: the first free byte */

static page the_page;
static double vector[VECTOR];
static float points[3 * POINTS], arrows[6 * ARROWS], segments[6 * SEGMENTS];

static dc_vec3 vector_at(int i)
{
    return vec_make(vector[i], vector[i + 1], vector[i + 2]);
}

static void set_vector(int i, dc_vec3 v)
{
    vector[i] = (double)v.x;
    vector[i + 1] = (double)v.y;
    vector[i + 2] = (double)v.z;
}

EXPORT("vector") double *module_vector(void)
{
    return vector;
}

EXPORT("precision") int module_precision(void)
{
    return (int)sizeof(dc_real);
}

/* ---- The table of scenes ---- */

EXPORT("sceneCount") int module_scene_count(void)
{
    return page_scene_count;
}

/* Its name, title and sentence; the camera's eye and target go to `vector`. */
EXPORT("sceneText") const char *module_scene_text(int scene, int which)
{
    const page_scene *s = &page_scenes[scene];
    set_vector(0, s->eye);
    set_vector(3, s->target);
    return which == 0 ? s->name : which == 1 ? s->title : s->text;
}

EXPORT("settingCount") int module_setting_count(void)
{
    return PAGE_SETTINGS;
}

/* Its name, label and unit; min, max, step, start and whether it restarts go to `vector`. */
EXPORT("settingText") const char *module_setting_text(int scene, int setting, int which)
{
    page_setting s = page_slider(scene, setting);
    vector[0] = s.min;
    vector[1] = s.max;
    vector[2] = s.step;
    vector[3] = s.start;
    vector[4] = s.restarts;
    return which == 0 ? s.name : which == 1 ? s.label : s.unit;
}

/* ---- Running ---- */

EXPORT("set") void module_set(int setting, double value)
{
    page_set(&the_page, setting, value);
}

/* 1 if the memory has at least so many bytes from __heap_base on. */
static int grow(size_t bytes)
{
    size_t end = (size_t)&__heap_base + bytes, have = __builtin_wasm_memory_size(0) * WASM_PAGE;
    if (end <= have) return 1;
    return __builtin_wasm_memory_grow(0, (end - have + WASM_PAGE - 1) / WASM_PAGE) != (size_t)-1;
}

/* Opens a scene with the settings as they are. 1 if that succeeds; else see errorText(). */
EXPORT("open") int module_open(int scene)
{
    size_t bytes = __builtin_wasm_memory_size(0) * WASM_PAGE - (size_t)&__heap_base;
    dc_status status;
    while ((status = page_open(&the_page, scene, &__heap_base, bytes)) == DC_TOO_SMALL) {
        bytes =
            the_page.error.needed > bytes + bytes / 2 ? the_page.error.needed : bytes + bytes / 2;
        if (!grow(bytes)) return 0;
    }
    return status == DC_OK;
}

/* 1 if the step was taken, 2 if before it converged; 0: see errorText(). */
EXPORT("step") int module_step(void)
{
    return page_step(&the_page) != DC_OK ? 0 : the_page.report.is_unconverged ? 2 : 1;
}

/* What failed, or the label of the body that it is about, or of the second one; NULL for none.
   The error's index and value go to `vector`. */
EXPORT("errorText") const char *module_error_text(int which)
{
    vector[0] = the_page.error.index;
    vector[1] = (double)the_page.error.value;
    return which == 0 ? the_page.error.what : page_error_label(&the_page, which == 2);
}

/* The hash of the state; its upper half if `upper`. */
EXPORT("hash") uint32_t module_hash(int upper)
{
    uint64_t hash = page_hash(&the_page);
    return (uint32_t)(upper ? hash >> 32 : hash);
}

/* ---- The pointer ---- */

/* The ray's origin and direction, and the reach of a handle are in `vector`, then the point that
   was hit and its distance. Returns 2 for a handle, 1 for anything else. */
EXPORT("takeHold") int module_take_hold(void)
{
    dc_ray_hit hit;
    int is_hit = page_take_hold(&the_page, vector_at(0), vector_at(3), vector[6], &hit);
    if (!is_hit) return 0;
    set_vector(0, hit.position);
    vector[3] = (double)hit.distance;
    return the_page.grip == PAGE_GRIP_HANDLE ? 2 : 1;
}

EXPORT("drag") void module_drag(void)
{
    page_drag(&the_page, vector_at(0));
}

EXPORT("letGo") void module_let_go(void)
{
    page_let_go(&the_page);
}

EXPORT("togglePin") void module_toggle_pin(void)
{
    page_toggle_pin(&the_page, vector_at(0), vector_at(3));
}

/* 1 while something is held; then its place, the target and the force are in `vector`. */
EXPORT("held") int module_held(void)
{
    dc_vec3 point;
    vector[6] = page_pull(&the_page, &point);
    set_vector(0, point);
    set_vector(3, the_page.target);
    return the_page.grip != PAGE_GRIP_NONE;
}

/* ---- What is shown ---- */

EXPORT("draw") int module_draw(void)
{
    page_draw(&the_page);
    return the_page.surface_count;
}

/* The numbers and places of a surface, in the order in which worker.js names them. */
EXPORT("surface") intptr_t module_surface(int surface, int which)
{
    const page_surface *s = &the_page.surface[surface];
    const intptr_t number[] = {
        (intptr_t)s->kind,      (intptr_t)s->label,       s->vertex_count,
        s->triangle_count,      s->midpoint_count,        s->is_new,
        (intptr_t)s->triangles, (intptr_t)s->midpoint_of, (intptr_t)s->uv,
        (intptr_t)s->positions, (intptr_t)s->normals,     (intptr_t)s->strain,
        (intptr_t)s->midpoints};
    return number[which];
}

EXPORT("pins") int module_pins(void)
{
    return page_pins(&the_page, points, POINTS);
}

EXPORT("pinPoints") float *module_pin_points(void)
{
    return points;
}

/* Segments of a curve, and its handles, which go to where pins are written. */
EXPORT("curve") int module_curve(void)
{
    return page_curve(&the_page, segments, SEGMENTS);
}

EXPORT("curveSegments") float *module_curve_segments(void)
{
    return segments;
}

EXPORT("handles") int module_handles(void)
{
    return page_handles(&the_page, points, POINTS);
}

EXPORT("arrows") int module_arrows(void)
{
    return page_arrows(&the_page, arrows, ARROWS);
}

EXPORT("arrowPoints") float *module_arrow_points(void)
{
    return arrows;
}

/* Writes the report of the last step to `vector`, in the order in which worker.js names it. */
EXPORT("report") void module_report(void)
{
    const dc_report *r = &the_page.report;
    page_energy energy = page_measure(&the_page);
    vector[0] = the_page.time;
    vector[1] = energy.kinetic;
    vector[2] = energy.gravity;
    vector[3] = energy.bending;
    vector[4] = energy.length_error;
    vector[5] = r->is_certified;
    vector[6] = r->counters.newton_iterations + r->counters.ribbon_iterations;
    vector[7] = r->counters.cg_iterations;
    vector[8] = r->counters.vertex_contacts + r->counters.edge_contacts + r->counters.contact_rows;
    vector[9] = r->crossings;
    vector[10] = the_page.desc.collides;
    vector[11] = the_page.own.rest.state;
    vector[12] = the_page.own.rest.iterations;
    vector[13] = the_page.own.rest.distance;
}

/* Who uses the memory: the name of a part, whose bytes go to `vector`; NULL after the last. */
EXPORT("memoryPart") const char *module_memory_part(int part)
{
    vector[0] = 0;
    if (part < the_page.info.section_count) {
        vector[0] = (double)the_page.info.section[part].bytes;
        return the_page.info.section[part].name;
    }
    vector[0] = (double)the_page.own.bytes;
    return part == the_page.info.section_count ? the_page.own.label : NULL;
}

EXPORT("memoryBytes") double module_memory_bytes(void)
{
    return (double)(the_page.info.bytes + the_page.own.bytes);
}
