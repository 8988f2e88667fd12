/* Scenes of hash.c: worlds of cloths and ribbons. Their steps do not depend on the number asked for. */

enum { STAGE_BODIES = 4, STAGE_BLOCKS = 16 };

typedef struct stage {
    const char *name;
    dc_world_desc desc;
    dc_cloth_desc cloth[STAGE_BODIES];
    dc_ribbon_desc ribbon[STAGE_BODIES];
    dc_obstacle_desc obstacle[STAGE_BODIES];
    dc_vec3 *positions[STAGE_BODIES]; /* of the cloths' meshes */
    void *memory, *fresh;
    dc_world *world;
    dc_error error;
    int at_once; /* whether impacts are resolved so, as in worlds with ribbons */
    int steps;
    long newton, evaluations, contacts, zones, crossings; /* in all steps */
    uint64_t measured;                                    /* hash of measurements */
    void *block[STAGE_BLOCKS];
    int block_count;
} stage;

static void stage_begin(stage *s, const char *name)
{
    memset(s, 0, sizeof *s);
    s->name = name;
    s->desc = dc_world_defaults();
    s->desc.cloths = s->cloth;
    s->desc.ribbons = s->ribbon;
    s->desc.obstacles = s->obstacle;
    s->measured = HASH_BEGIN;
}

static void stage_expect(stage *s, const char *call, dc_status status)
{
    if (status != DC_OK) stop(s->name, call, &s->error);
}

/* A block that lives as long as the stage. */
static void *stage_allocate(stage *s, size_t bytes)
{
    if (s->block_count == STAGE_BLOCKS) exit(1);
    return s->block[s->block_count++] = allocate(bytes);
}

/* Positions of a shape, which may be changed until stage_open(), and its mesh. */
static dc_vec3 *stage_shape(stage *s, const shape_desc *shape, dc_mesh_desc *mesh)
{
    dc_index vertices, triangles, *corners;
    dc_vec3 *positions;
    stage_expect(s, "counts", shape_counts(shape, &vertices, &triangles, &s->error));
    positions = (dc_vec3 *)stage_allocate(s, (size_t)vertices * sizeof *positions);
    corners = (dc_index *)stage_allocate(s, 3 * (size_t)triangles * sizeof *corners);
    stage_expect(s, "build", shape_build(shape, positions, corners, NULL, mesh, &s->error));
    return positions;
}

/* A grid of square cells, a metre wide, upright in the xy plane, from x to the right and y up. */
static dc_cloth_desc *stage_sheet(stage *s, dc_index columns, dc_index rows, double x, double y)
{
    shape_desc shape = shape_defaults(SHAPE_GRID);
    dc_index number = s->desc.cloth_count++, v;
    dc_cloth_desc *cloth = s->cloth + number;
    dc_vec3 *positions;
    *cloth = dc_cloth_defaults();
    shape.columns = columns;
    shape.rows = rows;
    shape.height = (dc_real)rows / (dc_real)columns;
    positions = s->positions[number] = stage_shape(s, &shape, &cloth->mesh);
    for (v = 0; v < cloth->mesh.vertex_count; v++)
        positions[v] = dci_vec_add(positions[v], dci_vec((dc_real)x, (dc_real)y, 0));
    return cloth;
}

/* Turns a sheet about the x axis into the plane y = height. */
static void stage_lay(stage *s, dc_index number, double height)
{
    dc_index v;
    for (v = 0; v < s->cloth[number].mesh.vertex_count; v++) {
        dc_vec3 *x = s->positions[number] + v;
        *x = dci_vec(x->x, (dc_real)height, -x->y);
    }
}

static dc_obstacle_desc *stage_obstacle(stage *s, dc_obstacle_kind kind, dc_vec3 point,
                                        double radius)
{
    dc_obstacle_desc *o = s->obstacle + s->desc.obstacle_count++;
    o->kind = kind;
    o->point[0] = o->point[1] = point;
    if (kind == DC_OBSTACLE_PLANE) o->point[1].y += 1;
    o->radius = (dc_real)radius;
    o->friction = (dc_real)0.5;
    s->desc.collides = 1;
    return o;
}

static void stage_open(stage *s)
{
    s->memory = s->block[s->block_count++] = make_world(s->name, &s->desc, &s->world);
    if (s->at_once) s->block[s->block_count++] = impacts_at_once(s->world);
    s->fresh = carry_begin(s->memory, dc_world_bytes(s->world));
}

/* Whether the step went well. One that fails changes nothing, and that is hashed too. */
static int stage_try(stage *s, double dt)
{
    dc_report report;
    dc_status status;
    carry_world(s->name, s->steps, s->world, s->memory, s->fresh);
    status = dc_world_step(s->world, (dc_real)dt, &report, &s->error);
    s->steps++;
    s->newton += report.counters.newton_iterations;
    s->evaluations += report.counters.ribbon_evaluations;
    s->contacts += (long)report.counters.vertex_contacts + report.counters.edge_contacts +
                   report.counters.global_contacts;
    s->zones += report.counters.zones;
    s->crossings += report.crossings;
    return status == DC_OK;
}

static void stage_step(stage *s, double dt)
{
    if (!stage_try(s, dt)) {
        printf("step %d: ", s->steps);
        stop(s->name, "step", &s->error);
    }
}

static void stage_measure(stage *s)
{
    dc_index i;
    for (i = 0; i < s->desc.cloth_count; i++) {
        dc_measures m = dc_cloth_measure(s->world, i);
        s->measured = hash_reals(s->measured, &m.constraint_error, 1);
        s->measured = hash_reals(s->measured, &m.strain_max, 2);
        s->measured = hash_reals(s->measured, &m.kinetic, 4);
        s->measured = hash_reals(s->measured, &m.momentum.x, 3);
        s->measured = hash_reals(s->measured, &m.angular_momentum.x, 3);
        s->measured = hash_reals(s->measured, &m.centre.x, 3);
        s->measured = hash_reals(s->measured, &m.mass, 2);
    }
    for (i = 0; i < s->desc.ribbon_count; i++) {
        dc_ribbon_measures m = dc_ribbon_measure(s->world, s->desc.cloth_count + i);
        s->measured = hash_reals(s->measured, &m.kinetic, 8);
        s->measured = hash_reals(s->measured, &m.momentum.x, 3);
        s->measured = hash_reals(s->measured, &m.angular_momentum.x, 3);
        s->measured = hash_reals(s->measured, &m.centre.x, 3);
    }
}

/* Prints what came out, and frees everything. */
static void stage_close(stage *s)
{
    uint64_t hash = dc_world_hash(s->world);
    stage_measure(s);
    printf(PRECISION " %s %d ", s->name, s->steps);
    print_bits(hash);
    printf(" measured ");
    print_bits(s->measured);
    printf(" newton %ld evaluations %ld contacts %ld zones %ld crossings %ld\n", s->newton,
           s->evaluations, s->contacts, s->zones, s->crossings);
    free(s->fresh);
    while (s->block_count > 0) free(s->block[--s->block_count]);
}

/* ---- Cloth ---- */

/* A sheet with a rest shape that is rolled up, held by a clamp and a pin, in long steps. */
static void roll_up(const char *name, dc_element element)
{
    static const dc_index pin = 0;
    static const dc_clamp_desc clamp = {18, 27}; /* at the left border */
    static stage s;
    dc_vec3 rolled[9 * 5];
    dc_cloth_desc *cloth;
    int i;
    stage_begin(&s, name);
    cloth = stage_sheet(&s, 8, 4, 0, 0);
    for (i = 0; i < 9 * 5; i++) {
        dc_vec3 x = cloth->mesh.positions[i];
        rolled[i] = dci_vec(dc_sin(2 * x.x) / 2, x.y, dc_cos(2 * x.x) / 2);
    }
    stage_lay(&s, 0, 0);
    cloth->rest_positions = rolled;
    cloth->element = element;
    cloth->bending = (dc_real)0.0625;
    cloth->bending_damping = (dc_real)0.0078125;
    cloth->pin_vertices = &pin;
    cloth->pin_count = 1;
    cloth->clamps = &clamp;
    cloth->clamp_count = 1;
    stage_open(&s);
    for (i = 0; i < 20; i++) {
        if (i == 10) dc_cloth_release_clamp(s.world, 0, 0, NULL);
        stage_step(&s, 1.0 / 64);
    }
    stage_close(&s);
}

static void rolled(const char *name, int steps)
{
    (void)steps;
    roll_up(name, DC_ELEMENT_NONCONFORMING);
}

static void rolled_in_four(const char *name, int steps)
{
    (void)steps;
    roll_up(name, DC_ELEMENT_ISOMETRIC);
}

/* The isometric element: a sheet with flat coordinates, which starts a little off its lengths, swings
   from two pins. */
static void swung(const char *name, int steps)
{
    static const dc_index pins[2] = {0, 6};
    static stage s;
    dc_cloth_desc *cloth;
    dc_vec2 *flat;
    dc_vec3 *thrown, *start;
    dc_vec3 pull[7 * 4];
    dc_index v, count;
    int i;
    (void)steps;
    stage_begin(&s, name);
    cloth = stage_sheet(&s, 6, 3, 0, 0);
    count = cloth->mesh.vertex_count;
    flat = (dc_vec2 *)stage_allocate(&s, (size_t)count * sizeof *flat);
    thrown = (dc_vec3 *)stage_allocate(&s, (size_t)count * sizeof *thrown);
    start = (dc_vec3 *)stage_allocate(&s, (size_t)count * sizeof *start);
    memset(pull, 0, sizeof pull);
    for (v = 0; v < count; v++) {
        flat[v].x = cloth->mesh.positions[v].x;
        flat[v].y = cloth->mesh.positions[v].y;
        thrown[v] = dci_vec(0, 0, cloth->mesh.positions[v].y);
        start[v] = cloth->mesh.positions[v];
        start[v].z += (dc_real)(v % 2) / 64;
        pull[v].z = (dc_real)(v % 3 == 0 ? 0.015625 : 0);
    }
    cloth->mesh.flat_vertices = flat;
    cloth->start_positions = start;
    cloth->start_velocities = thrown;
    cloth->element = DC_ELEMENT_ISOMETRIC;
    cloth->tolerance = (dc_real)0.0009765625;
    cloth->pin_vertices = pins;
    cloth->pin_count = 2;
    stage_open(&s);
    for (i = 0; i < 20; i++) {
        if (i == 5) stage_expect(&s, "forces", dc_cloth_set_forces(s.world, 0, pull, &s.error));
        if (i == 10)
            stage_expect(&s, "gravity", dc_world_set_gravity(s.world, dci_vec(4, -8, 0), &s.error));
        stage_try(&s, 1.0 / 256);
    }
    stage_close(&s);
}

/* ---- Collisions ---- */

/* A plate, a mesh of two large triangles, presses two sheets to the ground, one above the other: what
   impulses, or all contacts at once, do not stop goes to rigid zones. In the end there is no room left,
   and the step may fail. */
static void pressed_by(const char *name, int at_once, double lean, double least)
{
    const dc_vec3 still = {0, 0, 0};
    static stage s;
    shape_desc square = shape_defaults(SHAPE_GRID);
    dc_obstacle_desc *plate;
    dc_vec3 *x;
    int i, k;
    stage_begin(&s, name);
    for (k = 0; k < 2; k++) {
        stage_sheet(&s, 3, 3, 0.03125 * k, 0)->thickness = (dc_real)0.0009765625;
        stage_lay(&s, k, 0.0078125 * (k + 1));
    }
    stage_obstacle(&s, DC_OBSTACLE_PLANE, still, 0);
    plate = stage_obstacle(&s, DC_OBSTACLE_MESH, still, 0);
    square.columns = square.rows = 1;
    square.width = square.height = 8;
    x = stage_shape(&s, &square, &plate->mesh);
    for (i = 0; i < 4; i++) x[i] = dci_vec(x[i].x - 4, (dc_real)0.0625, 4 - x[i].y);
    s.desc.solver.halvings_max = 1;
    s.at_once = at_once;
    stage_open(&s);
    for (k = 0; k < 16; k++) {
        double height = k == 15 ? 1.0 / 65536 : k % 2 ? least : 1.0 / 64;
        for (i = 0; i < 4; i++) x[i].y = (dc_real)(height + lean * (double)x[i].x);
        stage_expect(&s, "move",
                     dc_obstacle_move(s.world, s.world->moving_count + 1, x, still, &s.error));
        stage_try(&s, 1.0 / 32);
    }
    stage_close(&s);
}

static void pressed(const char *name, int steps)
{
    (void)steps;
    pressed_by(name, 0, 0, 1.0 / 768);
}

static void squeezed(const char *name, int steps)
{
    (void)steps;
    pressed_by(name, 1, 1.0 / 32, 1.0 / 2048);
}

/* Two sheets and a ball that cross at the start are moved apart, or are left as they are. */
static void crossed(const char *name, dc_start start)
{
    static stage s;
    dc_feature_pair pairs[8];
    int i;
    stage_begin(&s, name);
    stage_sheet(&s, 6, 6, 0.03125, -0.28125);
    stage_sheet(&s, 7, 7, 0, -0.4375);
    stage_lay(&s, 0, 0);
    stage_obstacle(&s, DC_OBSTACLE_SPHERE, dci_vec((dc_real)0.25, 0, (dc_real)-0.5), 0.125);
    s.desc.start = start;
    s.desc.gravity.y = (dc_real)-0.5;
    stage_open(&s);
    for (i = 0; i < 30; i++) stage_try(&s, 1.0 / 128);
    s.crossings += dc_world_crossings(s.world, 8, pairs);
    stage_close(&s);
}

static void separate(const char *name, int steps)
{
    (void)steps;
    crossed(name, DC_START_SEPARATE);
}

static void tolerate(const char *name, int steps)
{
    (void)steps;
    crossed(name, DC_START_TOLERATE);
}

/* A sheet falls fast onto a capsule and onto ground that tilts: it is held by an edge, let go, pushed
   and held again. */
static void steered(const char *name, int steps)
{
    enum { CELLS = 5, SURFACE = DC_GRID_VERTICES(CELLS, CELLS) + DC_GRID_EDGES(CELLS, CELLS) };
    static const dc_clamp_desc clamp = {0, 1};
    const dc_vec3 still = {0, 0, 0}, outward = {0, 0, 1}, end = {(dc_real)0.5, 0, (dc_real)-0.5};
    dc_vec3 fall[DC_GRID_VERTICES(CELLS, CELLS)], push[SURFACE], ground[3];
    static stage s;
    dc_cloth_desc *cloth;
    dc_obstacle_desc *capsule;
    dc_index v;
    int i;
    (void)steps;
    memset(push, 0, sizeof push);
    for (v = 0; v < DC_GRID_VERTICES(CELLS, CELLS); v++) {
        fall[v] = dci_vec(0, -4, 0);
        push[v].y = (dc_real)(v % 2 ? 0.0009765625 : 0);
    }
    stage_begin(&s, name);
    cloth = stage_sheet(&s, CELLS, CELLS, 0, 0);
    stage_lay(&s, 0, 0.1875);
    cloth->element = DC_ELEMENT_ISOMETRIC;
    cloth->start_velocities = fall;
    cloth->clamps = &clamp;
    cloth->clamp_count = 1;
    stage_obstacle(&s, DC_OBSTACLE_PLANE, still, 0);
    capsule = stage_obstacle(&s, DC_OBSTACLE_CAPSULE, end, 0.0625);
    capsule->point[1].z = -2;
    stage_open(&s);
    for (i = 0; i < 24; i++) {
        ground[0] = still;
        ground[1] = dci_vec(0, 0, 1);
        ground[2] = dci_vec(1, (dc_real)(i / 512.0), 0);
        stage_expect(&s, "move",
                     dc_obstacle_move(s.world, s.world->moving_count, ground, still, &s.error));
        if (i == 4) dc_cloth_release_clamp(s.world, 0, 0, NULL);
        if (i == 12) stage_expect(&s, "correct", dc_cloth_correct(s.world, 0, push, &s.error));
        if (i == 16) {
            const dc_vec3 end0 = {(dc_real)-0.0625, (dc_real)0.03125, (dc_real)-0.125};
            const dc_vec3 end1 = {(dc_real)0.125, (dc_real)0.03125, (dc_real)-0.125};
            stage_expect(&s, "clamp",
                         dc_cloth_set_clamp(s.world, 0, 0, end0, end1, outward, &s.error));
        }
        stage_try(&s, 1.0 / 64);
    }
    stage_close(&s);
}

/* A hung sheet is carried on faster than the work suffices for. It goes in parts, and catches up. */
static void late(const char *name, int steps)
{
    enum { CELLS = 5, ROW = CELLS + 1 };
    static stage s;
    const dc_vec3 ground = {0, -2, 0};
    dc_index pin[ROW];
    dc_cloth_desc *cloth;
    int i, k;
    (void)steps;
    for (i = 0; i < ROW; i++) pin[i] = CELLS * ROW + i;
    stage_begin(&s, name);
    cloth = stage_sheet(&s, CELLS, CELLS, 0, 0);
    cloth->pin_vertices = pin;
    cloth->pin_count = ROW;
    stage_obstacle(&s, DC_OBSTACLE_PLANE, ground, 0);
    s.desc.takes_unconverged = 1;
    s.desc.work_max = 2960000; /* a little more than the least */
    stage_open(&s);
    for (i = 0; i < 32; i++) {
        for (k = 0; k < ROW; k++) {
            dc_vec3 target = s.positions[0][pin[k]];
            target.x += (dc_real)((i < 8 ? i : 8) * 0.5);
            stage_expect(&s, "pin", dc_cloth_set_pin(s.world, 0, k, target, &s.error));
        }
        stage_try(&s, 1.0 / 64);
    }
    stage_close(&s);
}

/* Two sheets fall on a ball as pictures need them. */
static void hurried(const char *name, int steps)
{
    static stage s;
    const dc_vec3 ground = {0, (dc_real)-0.5, 0};
    const dc_vec3 ball = {(dc_real)0.5, (dc_real)-0.25, (dc_real)-0.5};
    int i;
    (void)steps;
    stage_begin(&s, name);
    for (i = 0; i < 2; i++) {
        stage_sheet(&s, 8, 8, i * 0.0625, 0)->thickness = (dc_real)0.015625;
        stage_lay(&s, i, 0.0625 + i * 0.03125);
    }
    stage_obstacle(&s, DC_OBSTACLE_PLANE, ground, 0);
    stage_obstacle(&s, DC_OBSTACLE_SPHERE, ball, 0.25);
    s.desc.quality = DC_REAL_TIME;
    stage_open(&s);
    for (i = 0; i < 192; i++) stage_step(&s, 1.0 / 256);
    stage_close(&s);
}

/* A sheet is draped over a ball of triangles, handed over to a world, and settles there, as far as it
   comes. */
static void settled(const char *name, int steps)
{
    static stage s;
    const dc_vec3 centre = {(dc_real)0.5, (dc_real)-0.3125, (dc_real)-0.5};
    shape_desc ball = shape_defaults(SHAPE_SPHERE);
    dc_drape_desc desc = dc_drape_defaults();
    dc_anchor_desc corner = dc_anchor_defaults();
    dc_drape *drape;
    dc_obstacle_desc *mesh;
    dc_index pin, count, v;
    dc_vec3 *x;
    (void)steps;
    stage_begin(&s, name);
    stage_sheet(&s, 6, 6, 0, 0);
    stage_lay(&s, 0, 0);
    mesh = stage_obstacle(&s, DC_OBSTACLE_MESH, centre, 0);
    ball.columns = 8;
    ball.rows = 6;
    ball.radius = (dc_real)0.25;
    x = stage_shape(&s, &ball, &mesh->mesh);
    for (v = 0; v < mesh->mesh.vertex_count; v++) x[v] = dci_vec_add(x[v], centre);
    corner.vertex = 0;
    corner.target = s.positions[0][0];
    desc.mesh = s.cloth[0].mesh;
    desc.anchors = &corner;
    desc.anchor_count = 1;
    desc.obstacles = s.obstacle;
    desc.obstacle_count = 1;
    desc.friction = (dc_real)0.5;
    s.block[s.block_count++] = make_drape(name, &desc, &drape);
    dc_drape_solve(drape, NULL, &s.error);
    dc_drape_hand_over(drape, s.cloth, &pin);
    s.cloth[0].bending = (dc_real)0.0009765625;
    s.cloth[0].drag_normal = s.cloth[0].drag_tangential = (dc_real)0.25;
    stage_open(&s);
    dc_world_settle(s.world, (dc_real)(1.0 / 128), (dc_real)0.0078125, 8, &count, &s.error);
    s.steps = (int)count;
    stage_close(&s);
}

/* ---- Ribbons ---- */

/* Rings of paper, each through the one above; the first is held, and a ball draws the last. They
   fall into each other: contacts by the dozen are stopped at once, and some leave again. */
static void chains(const char *name, int steps)
{
    enum { LINKS = STAGE_BODIES, SEGMENTS = 20 };
    const dc_real apart = (dc_real)0.28125; /* less than their diameter */
    static stage s;
    dc_real angles[SEGMENTS - 1];
    dc_vec3 along[2], normal, spin = {0, 0, 0}, ball = {1, -1, 0};
    dc_attachment_desc pull = dc_attachment_defaults();
    int i;
    (void)steps;
    along[0] = dci_vec(1, 0, 0);
    along[1] = dci_vec(0, 0, 1);
    normal = dci_vec(0, -1, 0);
    for (i = 0; i < SEGMENTS - 1; i++) angles[i] = 2 * DCI_PI / (SEGMENTS - 1);
    stage_begin(&s, name);
    for (i = 0; i < LINKS; i++) {
        dc_ribbon_desc *ring = s.ribbon + s.desc.ribbon_count++;
        *ring = dc_ribbon_defaults();
        ring->segment_count = SEGMENTS;
        ring->width = (dc_real)0.03125;
        ring->ends = DC_RIBBON_LOOP;
        ring->start_angles = angles;
        ring->origin.y = -apart * (dc_real)i;
        ring->along = along[i % 2];
        ring->normal = normal;
        ring->is_fixed = i == 0;
    }
    stage_obstacle(&s, DC_OBSTACLE_SPHERE, ball, 0.125);
    pull.body = LINKS; /* the ball */
    pull.vertex = 0;
    pull.is_soft = 1;
    pull.stiffness = (dc_real)0.015625;
    s.ribbon[LINKS - 1].attachments = &pull;
    s.ribbon[LINKS - 1].attachment_count = 1;
    stage_open(&s);
    for (i = 0; i < 60; i++) {
        ball.z += (dc_real)(1.0 / 128);
        stage_expect(&s, "move",
                     dc_obstacle_move(s.world, s.world->moving_count, &ball, spin, &s.error));
        stage_step(&s, 1.0 / 128);
    }
    stage_close(&s);
}

/* A soft strip lies on the ground, with half a turn in its middle. Its upper leg falls on the lower. */
static void folded(const char *name, int steps)
{
    enum { SEGMENTS = 16, STEPS = 40 };
    static stage s;
    dc_real angles[SEGMENTS - 1];
    const dc_vec3 ground = {0, 0, 0};
    dc_ribbon_desc *strip;
    int i;
    (void)steps;
    for (i = 0; i < SEGMENTS - 1; i++) angles[i] = i > 4 && i < 10 ? DCI_PI / 5 : DCI_R(0);
    stage_begin(&s, name);
    strip = s.ribbon + s.desc.ribbon_count++;
    *strip = dc_ribbon_defaults();
    strip->segment_count = SEGMENTS;
    strip->length = (dc_real)0.125;
    strip->width = (dc_real)0.015625;
    strip->bending = (dc_real)0.00000095367431640625;
    strip->origin.y = (dc_real)0.001220703125;
    strip->start_angles = angles;
    stage_obstacle(&s, DC_OBSTACLE_PLANE, ground, 0);
    stage_open(&s);
    for (i = 0; i < STEPS; i++) stage_step(&s, 1.0 / 128);
    stage_close(&s);
}

static void band_strip(stage *s, dc_attachment_desc *hold)
{
    dc_ribbon_desc *strip = s->ribbon + s->desc.ribbon_count++;
    *strip = dc_ribbon_defaults();
    strip->segment_count = 8;
    strip->is_fixed = 1;
    strip->drag = (dc_real)0.125;
    strip->integrator = DC_INTEGRATOR_BACKWARD_EULER;
    hold[0] = hold[1] = dc_attachment_defaults();
    hold[0].place.x = 1;
    hold[0].body = 0; /* the sheet's upper corner */
    hold[0].vertex = 20;
    hold[1].kind = DC_ATTACH_NORMAL;
    hold[1].place.x = (dc_real)0.5;
    hold[1].target = dci_vec(0, 1, (dc_real)0.25);
    hold[1].is_soft = 1;
    hold[1].stiffness = (dc_real)0.001;
    strip->attachments = hold;
    strip->attachment_count = 2;
}

static void band_moebius(stage *s, dc_attachment_desc *hold)
{
    enum { SEGMENTS = 30 };
    static dc_real creases[SEGMENTS - 1], angles[SEGMENTS - 1];
    dc_ribbon_desc *band = s->ribbon + s->desc.ribbon_count++;
    int i;
    for (i = 0; i < SEGMENTS - 1; i++) {
        creases[i] = (dc_real)0.5;
        angles[i] = dci_norm(dci_vec(1, (dc_real)0.5, 0)) * (2 * DCI_PI / (SEGMENTS - 1));
    }
    *band = dc_ribbon_defaults();
    band->solver.iteration_max = 1000;
    band->solver.residual_tol = 1;
    band->segment_count = SEGMENTS;
    band->width = (dc_real)0.0625;
    band->ends = DC_RIBBON_MOEBIUS;
    band->start_creases = creases;
    band->start_angles = angles;
    band->origin = dci_vec((dc_real)0.5, (dc_real)-0.125, 0);
    band->normal = dci_vec(0, -1, 0);
    hold[0] = hold[1] = dc_attachment_defaults();
    hold[0].body = 1; /* the strip's edge, by a spring: it starts where it is */
    hold[0].vertex = 8;
    hold[0].is_soft = 1;
    hold[0].stiffness = 1;
    hold[1].place.x = (dc_real)0.5;
    hold[1].body = 0; /* a corner of the sheet */
    hold[1].vertex = 0;
    hold[1].is_soft = 1;
    hold[1].stiffness = (dc_real)0.03125;
    band->attachments = hold;
    band->attachment_count = 2;
}

/* A strip with an energy of its own is attached to a sheet, and a Moebius band to both: they follow what they are attached to. Then everything is stopped again and again, to settle. */
static void bands(const char *name, int steps)
{
    enum { VERTICES = 2 * 30 + 2 };
    static const dc_index pins[2] = {20, 24};
    static stage s;
    dc_attachment_desc hold[4];
    dc_vec3 x[VERTICES];
    dc_cloth_desc *cloth;
    int i;
    (void)steps;
    stage_begin(&s, name);
    cloth = stage_sheet(&s, 4, 4, 0.9375, -0.9375);
    cloth->pin_vertices = pins;
    cloth->pin_count = 2;
    band_strip(&s, hold);
    band_moebius(&s, hold + 2);
    stage_open(&s);
    stage_expect(&s, "shape", dc_ribbon_shape(s.ribbon + 1, x, NULL, NULL, &s.error));
    s.measured = hash_reals(s.measured, &x[0].x, 3 * VERTICES);
    stage_expect(&s, "relax", dc_ribbon_relax(s.world, s.desc.cloth_count + 1, NULL, &s.error));
    for (i = 0; i < 20; i++) {
        dc_vec3 led = dci_vec((dc_real)0.9375, (dc_real)(0.0625 + i / 256.0), 0);
        stage_expect(&s, "pin", dc_cloth_set_pin(s.world, 0, 0, led, &s.error));
        led.y = (dc_real)0.125;
        if (i == 12)
            stage_expect(&s, "attachment",
                         dc_ribbon_set_attachment(s.world, s.desc.cloth_count, 0, led, &s.error));
        if (i == 16) dc_ribbon_release_attachment(s.world, s.desc.cloth_count + 1, 1, NULL);
        stage_step(&s, 1.0 / 128);
    }
    dc_world_settle(s.world, (dc_real)(1.0 / 128), (dc_real)1e-6, 8, NULL, &s.error);
    stage_close(&s);
}

/* A sheet is dragged by a corner, over a ball, until the pull is the largest; then it falls. */
static void dragged(const char *name, int steps)
{
    const dc_vec3 centre = {(dc_real)0.5, (dc_real)-0.28125, (dc_real)-0.5};
    static stage s;
    int i;
    (void)steps;
    stage_begin(&s, name);
    stage_sheet(&s, 6, 6, 0, 0);
    stage_lay(&s, 0, 0);
    stage_obstacle(&s, DC_OBSTACLE_SPHERE, centre, 0.25);
    s.cloth[0].grab_capacity = 2;
    s.cloth[0].grab_force_max = 4;
    stage_open(&s);
    for (i = 0; i < 24; i++) {
        dc_vec3 to = s.positions[0][0];
        to.x -= (dc_real)(i * i / 512.0);
        to.y += (dc_real)(i / 64.0);
        stage_expect(&s, "grab", dc_cloth_grab(s.world, 0, 0, to, (dc_real)0.0625, &s.error));
        if (i == 18) dc_cloth_release(s.world, 0, 0, NULL);
        stage_step(&s, 1.0 / 128);
    }
    stage_close(&s);
}

/* Small steps: a sheet swings from two pins and a clamp, of which one pin is led and then released. */
static void small(const char *name, int steps)
{
    static const dc_index pins[2] = {48, 54};
    static const dc_clamp_desc clamp = {0, 1};
    static stage s;
    dc_cloth_desc *cloth;
    int i;
    (void)steps;
    stage_begin(&s, name);
    cloth = stage_sheet(&s, 6, 7, 0, 0);
    stage_lay(&s, 0, 0);
    cloth->step = DC_STEP_SMALL;
    cloth->sub_step = (dc_real)(1.0 / 1024);
    cloth->drag_normal = (dc_real)0.25;
    cloth->drag_tangential = (dc_real)0.125;
    cloth->pin_vertices = pins;
    cloth->pin_count = 2;
    cloth->clamps = &clamp;
    cloth->clamp_count = 1;
    s.desc.wind = dci_vec(1, 0, 2);
    stage_open(&s);
    for (i = 0; i < 60; i++) {
        dc_vec3 to = s.positions[0][48];
        to.x += (dc_real)(i / 256.0);
        to.z += (dc_real)(i / 512.0);
        if (i < 40) stage_expect(&s, "pin", dc_cloth_set_pin(s.world, 0, 0, to, &s.error));
        if (i == 30) dc_cloth_release_clamp(s.world, 0, 0, NULL);
        if (i == 40) dc_cloth_release_pin(s.world, 0, 0, NULL);
        stage_step(&s, 1.0 / 64);
    }
    stage_close(&s);
}
