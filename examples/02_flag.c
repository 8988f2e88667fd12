/*
 * 02_flag.c - wind, and pins that move
 *
 * What one will see: a flag of 1.5 m x 1 m is hoisted along its pole in a gusty wind that turns to
 * and fro; it sags in the lulls, snaps taut in the gusts, and flutters. out/02_flag/ holds
 * pictures, a contact sheet of twelve of them, and flag.obj with its point cache flag.pc2.
 */
#include "../devcloth.h"

#include "common/obj.h"
#include "common/pc2.h"
#include "common/png.h"
#include "common/render.h"
#include "common/sim.h"

#include <math.h>

enum { COLUMNS = 30, ROWS = 20, PIN_COUNT = 6, PIN_STRIDE = ROWS / (PIN_COUNT - 1) };
enum { FRAMES = 60, FPS = 15, STEPS_A_FRAME = 12 };
enum { WIDTH = 640, HEIGHT = 640, TILES = 12, TILE_COLUMNS = 4, TILE_FACTOR = 2 }; /* [pixel] */

static const double FLAG_WIDTH = 1.5, FLAG_HEIGHT = 1; /* [m] */
static const double START_RADIUS = 2;                  /* [m] of the curve in which it starts */
static const double PIN_SLACK =
    0.985; /* pins are that much closer than the border between them is long */
static const double HOIST_START = 0.9, HOIST_END = 1.7, HOIST_TIME = 1.6; /* [m], [s] */
static const double POLE_HEIGHT = 2.85, POLE_RADIUS = 0.022;              /* [m] */
static const double DRAG_NORMAL = 0.7, DRAG_TANGENTIAL = 0.25;            /* [kg/(m^2 s)] */

/* The lower end of the flag's border on the pole [m]. Smooth at both ends. */
static double hoist_height(double time)
{
    double t = time < HOIST_TIME ? time / HOIST_TIME : 1;
    return HOIST_START + (HOIST_END - HOIST_START) * t * t * (3 - 2 * t);
}

static dc_vec3 pin_place(int pin, double time)
{
    dc_vec3 p = {0, 0, 0};
    p.y = (dc_real)(hoist_height(time) + PIN_SLACK * FLAG_HEIGHT * pin / (PIN_COUNT - 1));
    return p;
}

/* [m/s] Gusts of three frequencies that are no multiples of each other; the direction turns too. */
static dc_vec3 wind_at(double time)
{
    double speed = 7 + 1.8 * sin(2.3 * time) + 0.9 * sin(5.9 * time + 1);
    double turn = 0.15 * sin(1.7 * time) + 0.3 * sin(6.1 * time) + 0.18 * sin(10.3 * time + 2);
    dc_vec3 wind;
    wind.x = (dc_real)(speed * cos(turn));
    wind.y = (dc_real)(0.4 * sin(3.1 * time));
    wind.z = (dc_real)(speed * sin(turn));
    return wind;
}

static int make_world(sim_shape *shape, sim *s, failure *why)
{
    dc_index pins[PIN_COUNT], k;
    shape_desc desc = shape_defaults(SHAPE_GRID);
    dc_cloth_desc cloth = dc_cloth_defaults();
    dc_world_desc world = dc_world_defaults();
    desc.columns = COLUMNS;
    desc.rows = ROWS;
    desc.width = (dc_real)FLAG_WIDTH;
    desc.height = (dc_real)FLAG_HEIGHT;
    if (!sim_shape_build(shape, &desc, why)) return 0;
    for (k = 0; k < shape->mesh.vertex_count; k++) {
        double angle = (double)shape->flat[k].x / START_RADIUS; /* around an upright cylinder */
        shape->positions[k].x = (dc_real)(START_RADIUS * sin(angle));
        shape->positions[k].y += (dc_real)HOIST_START;
        shape->positions[k].z = (dc_real)(START_RADIUS * (1 - cos(angle)));
    }
    for (k = 0; k < PIN_COUNT; k++) pins[k] = k * PIN_STRIDE * (COLUMNS + 1);
    cloth.mesh = shape->mesh;
    cloth.pin_vertices = pins;
    cloth.pin_count = PIN_COUNT;
    cloth.density = (dc_real)0.12;
    cloth.bending = (dc_real)1e-4;
    cloth.drag_normal = (dc_real)DRAG_NORMAL;
    cloth.drag_tangential = (dc_real)DRAG_TANGENTIAL;
    world.cloths = &cloth;
    world.cloth_count = 1;
    return sim_open(s, &world, NULL, why);
}

/* Steps until the next frame; pins and wind are set before each step, for its end. */
static int take_steps(sim *s, failure *why)
{
    const double dt = 1.0 / (FPS * STEPS_A_FRAME);
    dc_error error;
    int k, pin;
    for (k = 0; k < STEPS_A_FRAME; k++) {
        double time = (double)dc_world_time(s->world) + dt;
        dc_world_set_wind(s->world, wind_at(time), NULL);
        for (pin = 0; pin < PIN_COUNT; pin++)
            dc_cloth_set_pin(s->world, 0, pin, pin_place(pin, time), NULL);
        if (dc_world_step(s->world, (dc_real)dt, NULL, &error) != DC_OK)
            return sim_failure(why, &error);
    }
    return 1;
}

static int draw(const sim *s, const sim_shape *shape, image *picture, failure *why)
{
    static const render_colour red = {.78, .16, .15}, gold = {.95, .78, .45},
                               wood = {.45, .36, .30};
    const dc_vec3 foot = {0, 0, 0}, top = {0, (dc_real)POLE_HEIGHT, 0};
    const dc_vec3 target = {(dc_real)0.62, (dc_real)1.5, 0};
    render_scene scene = render_scene_defaults();
    render_mesh mesh = {0};
    mesh.vertex_count = shape->mesh.vertex_count;
    mesh.triangle_count = shape->mesh.triangle_count;
    mesh.positions = dc_body_positions(s->world, 0);
    mesh.triangles = shape->triangles;
    render_aim(&scene, target, 6.6, 24, 7);
    render_add_mesh(&scene, mesh, render_cloth(red, gold));
    render_add_capsule(&scene, foot, top, POLE_RADIUS, render_solid(wood));
    render_add_capsule(&scene, top, top, 2 * POLE_RADIUS, render_solid(gold));
    return render_draw(&scene, picture, why);
}

/* Every FRAMES / TILES-th picture goes into the contact sheet. */
static void add_tile(image *contact, const image *picture, int frame)
{
    static const image_colour ink = {50, 56, 66};
    int tile = frame * TILES / FRAMES;
    int x = tile % TILE_COLUMNS * (WIDTH / TILE_FACTOR);
    int y = tile / TILE_COLUMNS * (HEIGHT / TILE_FACTOR);
    char text[32];
    if (frame % (FRAMES / TILES) != 0) return;
    image_paste(contact, x, y, picture, TILE_FACTOR);
    snprintf(text, sizeof text, "%.2f s", (double)frame / FPS);
    image_text(contact, x + 10, y + HEIGHT / TILE_FACTOR - 24, 2, ink, text);
}

static int write_frame(const sim *s, const sim_shape *shape, image *picture, pc2_writer *cache,
                       int frame, failure *why)
{
    char path[64];
    snprintf(path, sizeof path, "out/02_flag/frame_%04d.png", frame);
    return draw(s, shape, picture, why) && png_write(path, picture, why) &&
           pc2_add(cache, dc_body_positions(s->world, 0), why);
}

static int run(sim *s, const sim_shape *shape, image *picture, image *contact, pc2_writer *cache,
               failure *why)
{
    progress bar = progress_begin();
    int frame;
    for (frame = 0; frame < FRAMES; frame++) {
        if (frame > 0 && !take_steps(s, why)) return 0;
        if (!write_frame(s, shape, picture, cache, frame, why)) return 0;
        add_tile(contact, picture, frame);
        progress_show(&bar, frame + 1, FRAMES);
    }
    progress_end(&bar);
    return pc2_close(cache, why) && png_write("out/02_flag/contact.png", contact, why);
}

static void print_end(const sim *s)
{
    dc_measures m = dc_cloth_measure(s->world, 0);
    printf("%d frames, %.2f s: strain rms %.2f%%, largest %.1f%%, lengths kept to %.0e\n", FRAMES,
           (double)dc_world_time(s->world), 100 * (double)m.strain_rms, 100 * (double)m.strain_max,
           (double)m.constraint_error);
    printf("wrote out/02_flag/contact.png, frame_*.png, flag.obj, flag.pc2\n");
}

int main(void)
{
    sim_shape shape = {0};
    sim s = {0};
    image picture = {0}, contact = {0};
    pc2_writer cache = {0};
    failure why;
    int is_fine = files_make_directory("out/02_flag", &why) && make_world(&shape, &s, &why) &&
                  image_init(&picture, WIDTH, HEIGHT, &why) &&
                  image_init(&contact, TILE_COLUMNS * WIDTH / TILE_FACTOR,
                             TILES / TILE_COLUMNS * HEIGHT / TILE_FACTOR, &why) &&
                  obj_write("out/02_flag/flag.obj", shape.mesh.vertex_count, shape.positions,
                            shape.mesh.triangle_count, shape.triangles, &why) &&
                  pc2_open(&cache, "out/02_flag/flag.pc2", shape.mesh.vertex_count, &why) &&
                  run(&s, &shape, &picture, &contact, &cache, &why);
    if (is_fine)
        print_end(&s);
    else
        fprintf(stderr, "02_flag: %s\n", why.text);
    pc2_discard(&cache);
    image_free(&contact);
    image_free(&picture);
    sim_close(&s);
    sim_shape_free(&shape);
    return is_fine ? 0 : 1;
}
