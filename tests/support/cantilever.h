/* A strip that hangs from a clamp under its weight, for the tests and for the table of errors. */

/* theta'' = -gamma (1 - s) cos theta: gamma, tip x, drop, by shooting, of length 1. */
enum { ELASTICAS = 4 };
static const struct {
    double gamma, x, drop;
} elasticas[ELASTICAS] = {{1, .9912463953, .1234714020},
                          {5, .8466571800, .4959050446},
                          {20, .4452320522, .8298814434},
                          {100, .1592233826, .9375239354}};

typedef struct cantilever {
    dc_element element;
    int kind; /* of mesh: 0 even, 2 jittered by a fifth, 3 Delaunay, 4 turned by 30 degrees        */
    int cells, rows; /* along and across                                                          */
    double width;    /* of length 1                                                               */
    double gamma;    /* rho g L^3 / k                                                             */
    double dt;
    double time_max; /* [s] until which it is to be still                                         */
    dc_integrator integrator;
} cantilever;

enum { CANTILEVER_ROWS = 64 }; /* at most                                                        */

static cantilever cantilever_defaults(void)
{
    cantilever c;
    memset(&c, 0, sizeof c);
    c.cells = 20;
    c.rows = 5;
    c.width = 0.25;
    c.gamma = 5;
    c.dt = 0.02;
    c.time_max = 20;
    c.integrator = DC_INTEGRATOR_BACKWARD_EULER;
    return c;
}

static void cantilever_mesh(const cantilever *c, test_mesh *mesh)
{
    if (c->kind == 3)
        test_mesh_delaunay(mesh, 1, c->width, c->cells, c->rows);
    else if (c->kind == 4)
        test_mesh_rotated(mesh, 1, c->width, c->cells, c->rows);
    else
        test_mesh_grid(mesh, 1, c->width, c->cells, c->rows, c->kind == 2 ? 0.2 : 0);
}

/* Mean of the free edge of a strip 1 long. */
static void cantilever_free_edge(const fixture *f, const test_mesh *flat, double *x, double *drop)
{
    const dc_mesh *mesh = dc_cloth_mesh(f->world, 0);
    const dc_vec3 *midpoint = dc_cloth_midpoints(f->world, 0);
    double length = 0;
    dc_index e;
    *x = *drop = 0;
    for (e = 0; e < mesh->edge_count; e++) {
        dc_vec2 a = flat->flat[mesh->edge_vertices[2 * e]],
                b = flat->flat[mesh->edge_vertices[2 * e + 1]];
        double weight = fabs((double)b.y - (double)a.y);
        if (a.x < DCI_R(0.99999) || b.x < DCI_R(0.99999)) continue;
        *x += weight * (double)midpoint[e].x;
        *drop -= weight * (double)midpoint[e].y;
        length += weight;
    }
    *x /= length;
    *drop /= length;
}

/* The border edges at x = 0. */
static dc_index cantilever_clamps(const test_mesh *mesh, dc_clamp_desc *clamps)
{
    dc_index q, count = 0;
    for (q = 0; q < 3 * mesh->triangle_count; q++) {
        dc_index a = mesh->triangles[q], b = mesh->triangles[dci_corner_next(q)];
        if (mesh->flat[a].x > DCI_R(1e-6) || mesh->flat[b].x > DCI_R(1e-6)) continue;
        clamps[count].vertex0 = a;
        clamps[count++].vertex1 = b;
    }
    return count;
}

/* Clamps it horizontally at x = 0 and lets it hang until it is still; x and drop of the tip. The
   status, and what went wrong, are those of fixture_settle(). */
static dc_status cantilever_settle(const cantilever *c, double *x, double *drop, const char **why)
{
    static dc_clamp_desc clamps[CANTILEVER_ROWS];
    static test_mesh mesh;
    fixture f = fixture_begin();
    dc_status status;
    cantilever_mesh(c, &mesh);
    f.cloth.mesh = test_mesh_desc(&mesh);
    f.cloth.clamps = clamps;
    f.cloth.clamp_count = cantilever_clamps(&mesh, clamps);
    f.cloth.bending = (dc_real)(0.15 * 9.81 / c->gamma);
    f.cloth.bending_damping = DCI_R(0.15);
    f.cloth.drag_normal = f.cloth.drag_tangential = (dc_real)SETTLE_DRAG;
    f.cloth.integrator = c->integrator;
    f.cloth.element = c->element;
    status = fixture_open(&f);
    if (status == DC_OK) status = fixture_settle(&f, c->dt, c->time_max);
    if (status == DC_OK) cantilever_free_edge(&f, &mesh, x, drop);
    *why = status == DC_OK ? NULL : f.error.what;
    fixture_close(&f);
    return status;
}
