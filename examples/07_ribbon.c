/*
 * 07_ribbon.c - a Moebius band finds its shape, in some kilobytes of static memory
 *
 * What one will see: a strip of paper of 60 x 4 cm starts as a helix whose ends face each other,
 * turned by half a turn; they are joined, and the band comes to rest. This is done with more and more
 * creases, and the bending energies, which are printed, come together. out/07_ribbon.png is a picture
 * of the last one, out/07_ribbon.svg its flat pattern at true scale, to print, fold and glue.
 */
#include "../devcloth.h"
#include "common/pattern.h"
#include "common/png.h"
#include "common/render.h"
#include "common/vec.h"

#include <string.h>

enum { SEGMENTS = 48, SIZES = 3 }; /* of the last one; how many there are */
static const dc_real LENGTH = (dc_real)0.6, WIDTH = (dc_real)0.04; /* [m] */

static unsigned char memory[DC_RIBBON_BYTES(SEGMENTS, 0)];
static dc_real creases[SEGMENTS - 1], angles[SEGMENTS - 1];

static int fail(const char *reason)
{
    fprintf(stderr, "07_ribbon: %s\n", reason);
    return 1;
}

/* A helix of one turn along its length and half a turn of twist: creases that lean by 1 : 2. */
static dc_ribbon_desc make_strip(int segments)
{
    dc_ribbon_desc ribbon = dc_ribbon_defaults();
    ribbon.segment_count = segments;
    ribbon.length = LENGTH;
    ribbon.width = WIDTH;
    ribbon.ends = DC_RIBBON_MOEBIUS;
    ribbon.start_creases = creases;
    ribbon.start_angles = angles;
    dc_ribbon_start(&ribbon, (dc_real)(2 * VEC_PI), (dc_real)0.5, creases, angles, NULL);
    return ribbon;
}

static int make_world(const dc_ribbon_desc *ribbon, dc_world **world, dc_error *error)
{
    dc_world_desc desc = dc_world_defaults();
    desc.gravity = vec_make(0, 0, 0);
    desc.ribbons = ribbon;
    desc.ribbon_count = 1;
    return dc_world_init(&desc, memory, sizeof memory, world, NULL, error) == DC_OK;
}

/* Energies are told in units of k width / length. */
static int rest(const dc_ribbon_desc *ribbon, dc_world **world, dc_error *error)
{
    dc_ribbon_measures m;
    if (!make_world(ribbon, world, error) || dc_ribbon_relax(*world, 0, NULL, error) != DC_OK)
        return 0;
    m = dc_ribbon_measure(*world, 0);
    printf("%2d segments: bending energy %5.1f k width / length, ends %s, areas %s\n",
           (int)ribbon->segment_count, (double)(m.bending / (ribbon->bending * WIDTH / LENGTH)),
           m.gap <= ribbon->tolerance ? "joined" : "apart",
           m.area_error < (dc_real)1e-3 ? "kept" : "lost");
    return 1;
}

static int draw(const dc_world *world, const char *path, failure *why)
{
    static const render_colour front = {.12, .53, .62}, back = {.95, .72, .42};
    render_scene view = render_scene_defaults();
    render_material material = render_cloth(front, back);
    render_mesh mesh;
    image picture;
    int is_written;
    memset(&mesh, 0, sizeof mesh);
    mesh.vertex_count = dc_body_mesh(world, 0)->vertex_count;
    mesh.triangle_count = 2 * SEGMENTS;
    mesh.positions = dc_body_positions(world, 0);
    mesh.triangles = dc_body_mesh(world, 0)->triangles;
    render_add_mesh(&view, mesh, material);
    render_aim(&view, vec_make(0, 0.05, -0.05), 0.6, 30, 30);
    view.ground = -0.1;
    view.grid = 0.1;
    if (!image_init(&picture, 600, 450, why)) return 0;
    is_written = render_draw(&view, &picture, why) && png_write(path, &picture, why);
    image_free(&picture);
    return is_written;
}

int main(void)
{
    dc_ribbon_desc ribbon;
    pattern_strip strip;
    dc_world *world = NULL;
    dc_error error;
    failure why;
    int i;
    for (i = SIZES - 1; i >= 0; i--) {
        ribbon = make_strip(SEGMENTS >> i);
        if (!rest(&ribbon, &world, &error)) return fail(error.what);
    }
    strip = pattern_strip_of(world, 0, &ribbon);
    if (!files_make_directory("out", &why) || !draw(world, "out/07_ribbon.png", &why) ||
        !pattern_write_svg("out/07_ribbon.svg", "A Moebius band", &strip, 1, &why))
        return fail(why.text);
    printf("wrote out/07_ribbon.png and out/07_ribbon.svg\n");
    return 0;
}
