/* A strip that hangs from a clamp under its weight, for the tests and for the table of errors. */

typedef struct cantilever {
    dc_element element;
    dc_bending form;
    int kind; /* of mesh: 0 even, 2 jittered by a fifth, 3 Delaunay, 4 turned by 30 degrees        */
    int cells, rows; /* along and across                                                          */
    double width;    /* of length 1                                                               */
    double gamma;    /* rho g L^3 / k                                                             */
    double dt;
    dc_integrator integrator;
} cantilever;

static cantilever cantilever_defaults(void)
{
    cantilever c;
    memset(&c, 0, sizeof c);
    c.cells = 20;
    c.rows = 5;
    c.width = 0.25;
    c.gamma = 5;
    c.dt = 0.02;
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

/* Clamps it horizontally at x = 0 and steps until it has settled; x and drop of the tip. False if it
   does not, or a step fails. */
static int cantilever_settle(const cantilever *c, double *x, double *drop)
{
    static dc_clamp_desc clamps[64];
    static test_mesh mesh;
    fixture f = fixture_begin();
    dc_index q, clamp_count = 0;
    double speed = 1, still = TOL(1e-5, 1e-4); /* [m/s] */
    int i, is_fine;
    cantilever_mesh(c, &mesh);
    f.cloth.mesh = test_mesh_desc(&mesh);
    for (q = 0; q < 3 * mesh.triangle_count; q++) {
        dc_index a = mesh.triangles[q], b = mesh.triangles[dci_corner_next(q)];
        if (mesh.flat[a].x > DCI_R(1e-6) || mesh.flat[b].x > DCI_R(1e-6)) continue;
        clamps[clamp_count].vertex0 = a;
        clamps[clamp_count++].vertex1 = b;
    }
    f.cloth.clamps = clamps;
    f.cloth.clamp_count = clamp_count;
    f.cloth.bending = (dc_real)(0.15 * 9.81 / c->gamma);
    f.cloth.bending_damping = DCI_R(0.15);
    f.cloth.bending_form = c->form;
    f.cloth.jump_beta = DCI_R(0.01);
    f.cloth.integrator = c->integrator;
    f.cloth.projection = DC_PROJECTION_COUPLED;
    f.cloth.element = c->element;
    is_fine = fixture_open(&f) == DC_OK;
    for (i = 0; is_fine && i * c->dt < 20 && (speed > still || i * c->dt < 1); i++) {
        dc_measures m;
        is_fine = fixture_step(&f, c->dt) == DC_OK;
        m = dc_cloth_measure(f.world, 0);
        speed = sqrt(2 * (double)(m.kinetic / m.mass));
    }
    is_fine = is_fine && speed <= still;
    if (is_fine) cantilever_free_edge(&f, &mesh, x, drop);
    fixture_close(&f);
    return is_fine;
}
