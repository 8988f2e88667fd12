/*
 * 09_in_your_engine.cpp - cloth in a C++ engine, drawn from the library's own arrays
 *
 * What one will see: a sheet of 1 m hangs by two corners for two seconds. A pretended renderer is
 * handed pointers and strides: to the positions and the indices that the library holds, and to
 * normals that the library writes into a buffer of the engine. Nothing is copied. What the renderer
 * saw and the memory that the engine gave are printed; the program fails if it saw anything else.
 */

/* dc_real is float, as vertex buffers want it: the same in all files that include devcloth.h. One
   file of the engine has the implementation, in C or in C++. */
#define DEVCLOTH_SINGLE
#define DEVCLOTH_IMPLEMENTATION
#include "../devcloth.h"

#include <cmath>
#include <cstdio>
#include <vector>

namespace
{

const int CELLS = 20, PINS = 2, PICTURES = 120;
const dc_real DT = dc_real(1) / 60; // [s]

static_assert(sizeof(dc_vec3) == 3 * sizeof(float), "three floats without padding");
static_assert(sizeof(dc_index) == 4, "indices of 32 bits");

/* ---- What an engine has ---- */

/* A block for all objects of a level, from front to back. */
class Arena
{
  public:
    explicit Arena(size_t bytes) : block_(bytes), used_(0)
    {
    }
    unsigned char *rest()
    {
        return block_.data() + used_;
    }
    size_t rest_bytes() const
    {
        return block_.size() - used_;
    }
    void take(size_t bytes)
    {
        used_ += bytes;
    }
    size_t used() const
    {
        return used_;
    }
    bool has(const void *p) const
    {
        const unsigned char *byte = static_cast<const unsigned char *>(p);
        return byte >= block_.data() && byte < block_.data() + used_;
    }

  private:
    std::vector<unsigned char> block_;
    size_t used_;
};

/* Vectors of three floats, `stride` bytes apart. */
struct VertexBuffer {
    const void *data;
    size_t stride;
    int count;

    const float *at(int i) const
    {
        const unsigned char *bytes = static_cast<const unsigned char *>(data);
        return reinterpret_cast<const float *>(bytes + stride * static_cast<size_t>(i));
    }
};

struct IndexBuffer {
    const int32_t *data;
    int count;
};

/* Instead of drawing it adds up what it sees from the front. */
class Renderer
{
  public:
    double area, lowest; // [m^2] of all triangles; [m] of all vertices
    double normal_error; // largest difference of a normal's length from 1
    VertexBuffer positions;
    IndexBuffer indices;

    void draw(const VertexBuffer &position, const VertexBuffer &normal, const IndexBuffer &index)
    {
        positions = position;
        indices = index;
        area = normal_error = 0;
        lowest = 1;
        for (int i = 0; i < position.count; i++) {
            const float *n = normal.at(i);
            double length =
                std::sqrt(double(n[0]) * n[0] + double(n[1]) * n[1] + double(n[2]) * n[2]);
            normal_error = std::fmax(normal_error, std::fabs(length - 1));
            lowest = std::fmin(lowest, double(position.at(i)[1]));
        }
        for (int t = 0; t < index.count; t += 3) area += triangle_area(index.data + t);
    }

  private:
    double triangle_area(const int32_t *corner) const
    {
        const float *o = positions.at(corner[0]), *p = positions.at(corner[1]),
                    *q = positions.at(corner[2]);
        double a[3], b[3];
        for (int i = 0; i < 3; i++) a[i] = double(p[i]) - o[i], b[i] = double(q[i]) - o[i];
        double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2],
               z = a[0] * b[1] - a[1] * b[0];
        return std::sqrt(x * x + y * y + z * z) / 2;
    }
};

/* ---- What it adds for cloth ---- */

class Cloth
{
  public:
    Cloth() : world_(NULL)
    {
    }

    /* The mesh and the description are needed until this returns, and not afterwards. */
    bool open(Arena *arena, const dc_mesh_desc &mesh, const dc_index *pins, dc_error *error)
    {
        dc_cloth_desc cloth = dc_cloth_defaults();
        dc_world_desc desc = dc_world_defaults();
        dc_info info;
        cloth.mesh = mesh;
        cloth.pin_vertices = pins;
        cloth.pin_count = PINS;
        cloth.drag_normal = cloth.drag_tangential = dc_real(0.3);
        desc.cloths = &cloth;
        desc.cloth_count = 1;
        /* The world is at the front of what is left; `info` tells how much it keeps. */
        if (dc_world_init(&desc, arena->rest(), arena->rest_bytes(), &world_, &info, error) !=
            DC_OK)
            return false;
        arena->take(info.bytes);
        normals_.resize(static_cast<size_t>(surface()->vertex_count));
        return true;
    }

    bool step(dc_error *error)
    {
        return dc_world_step(world_, DT, NULL, error) == DC_OK;
    }

    /* Positions are valid until the next step: take the pointer anew for each picture. */
    void draw(Renderer *renderer)
    {
        const VertexBuffer position = {dc_body_positions(world_, 0), sizeof(dc_vec3),
                                       surface()->vertex_count};
        const VertexBuffer normal = {normals_.data(), sizeof(dc_vec3), surface()->vertex_count};
        const IndexBuffer index = {surface()->triangles, 3 * surface()->triangle_count};
        dc_body_normals(world_, 0, normals_.data()); /* could be mapped memory of the device */
        renderer->draw(position, normal, index);
    }

    const dc_world *world() const
    {
        return world_;
    }
    const dc_mesh *surface() const
    {
        return dc_body_mesh(world_, 0);
    }

  private:
    dc_world *world_;
    std::vector<dc_vec3> normals_;
};

/* ---- The scene ---- */

/* The caller's mesh, which only has to last until the cloth is made. */
bool open_sheet(Cloth *cloth, Arena *arena, dc_error *error)
{
    const dc_index pins[PINS] = {CELLS * (CELLS + 1), CELLS * (CELLS + 1) + CELLS};
    std::vector<dc_vec3> positions(DC_GRID_VERTICES(CELLS, CELLS));
    std::vector<dc_index> triangles(3 * DC_GRID_TRIANGLES(CELLS, CELLS));
    dc_mesh_desc mesh =
        dc_grid(CELLS, CELLS, 1, 1, DC_DIAGONALS_FORWARD, positions.data(), triangles.data());
    for (size_t v = 0; v < positions.size(); v++) { /* it comes upright; lay it down */
        positions[v].z = -positions[v].y;
        positions[v].y = 0;
    }
    return cloth->open(arena, mesh, pins, error);
}

/* Whether the renderer was handed the library's own arrays, in the engine's memory, and sees a
   sheet of 1 m^2 that hangs. */
bool is_right(const Cloth &cloth, const Arena &arena, const Renderer &seen)
{
    const dc_vec3 *own = dc_body_positions(cloth.world(), 0);
    int v;
    if (seen.positions.data != own || !arena.has(own)) return false;
    if (seen.indices.data != cloth.surface()->triangles || !arena.has(seen.indices.data))
        return false;
    for (v = 0; v < seen.positions.count; v++) {
        const float *p = seen.positions.at(v);
        if (p[0] != own[v].x || p[1] != own[v].y || p[2] != own[v].z) return false;
    }
    return seen.normal_error < 1e-5 && std::fabs(seen.area - 1) < 0.1 && seen.lowest < -0.5;
}

int fail(const dc_error &error)
{
    std::fprintf(stderr, "09_in_your_engine: %s: %s\n", error.where, error.what);
    return 1;
}

} // namespace

int main()
{
    Arena arena(DC_GRID_BYTES(CELLS, CELLS, PINS)); /* a bound; dc_info.bytes is exact */
    Renderer renderer;
    Cloth cloth;
    dc_error error;

    if (!open_sheet(&cloth, &arena, &error)) return fail(error);
    for (int picture = 1; picture <= PICTURES; picture++) {
        if (!cloth.step(&error)) return fail(error);
        cloth.draw(&renderer);
        if (picture % 30 == 0)
            std::printf("%.1f s: lowest vertex at %6.3f m, area %.3f m^2\n",
                        double(dc_world_time(cloth.world())), renderer.lowest, renderer.area);
    }
    if (!is_right(cloth, arena, renderer)) {
        std::fprintf(stderr, "09_in_your_engine: the renderer saw something else\n");
        return 1;
    }
    std::printf("%d vertices and %d triangles, drawn from the library's own arrays, in %d kB\n",
                renderer.positions.count, renderer.indices.count / 3, int(arena.used() / 1000));
    return 0;
}
