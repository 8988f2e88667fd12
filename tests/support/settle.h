/* Waiting until a cloth is in equilibrium. */
#ifndef TEST_SETTLE_H
#define TEST_SETTLE_H

/* Air that takes the swing out of a sheet of .15 kg/m^2 and a metre in a few seconds: its rate,
   drag / density, is about that of critical damping of a pendulum of a metre, 2 sqrt(g / L). It is
   linear in the velocity, so it does not move the equilibrium. */
static const double SETTLE_DRAG = 1; /* [kg/(m^2 s)] */
/* In equilibrium is what has stayed within SETTLE_WAY of one place for SETTLE_TIME. Such sheets come
   to rest like e^(-3 t), so that they are then within 3e-6 of it. */
static const double SETTLE_WAY = 1e-6, SETTLE_WAY_SINGLE = 2e-5; /* [m] */
static const double SETTLE_TIME = 0.2;                           /* [s] */

/* How far the midpoint that moved most is from its place in `place`. */
static double settle_way(const fixture *f, const dc_vec3 *place)
{
    const dc_vec3 *midpoint = dc_cloth_midpoints(f->world, 0);
    double way = 0;
    dc_index e;
    for (e = 0; e < dc_cloth_mesh(f->world, 0)->edge_count; e++)
        way = fmax(way, (double)dci_norm(dci_vec_sub(midpoint[e], place[e])));
    return way;
}

/* Steps until all midpoints are still. DC_NOT_CONVERGED, too, if they are not within `time_max` [s],
   and then f->error.what says so. */
static dc_status fixture_settle(fixture *f, double dt, double time_max)
{
    size_t bytes = (size_t)dc_cloth_mesh(f->world, 0)->edge_count * sizeof(dc_vec3);
    dc_vec3 *place = (dc_vec3 *)test_alloc(bytes);
    dc_status status = DC_OK;
    double still = 0;
    int i;
    memcpy(place, dc_cloth_midpoints(f->world, 0), bytes);
    for (i = 0; status == DC_OK && still < SETTLE_TIME && i * dt < time_max; i++) {
        status = fixture_step(f, dt);
        still += dt;
        if (settle_way(f, place) < TOL(SETTLE_WAY, SETTLE_WAY_SINGLE)) continue;
        memcpy(place, dc_cloth_midpoints(f->world, 0), bytes);
        still = 0;
    }
    free(place);
    if (status != DC_OK || still >= SETTLE_TIME) return status;
    return dci_fail(&f->error, DC_NOT_CONVERGED, "it did not come to rest", DC_NONE, 0);
}

#endif
