/* The reader of OBJ files, examples/common/obj.c, on any bytes.

   - What it accepts has vertices and triangles, all numbers finite, all indices in range, and as many
     vertices as there are lines of them; dc_mesh_init() accepts it or refuses it.
   - examples/common/mesh_faults.c finds faults if and only if dc_mesh_init() refuses the mesh, but for
     two triangles back to back, and the names of what is wrong are in range.
   - What it refuses leaves an empty mesh, and one line that begins with the name of the file.
   - The bytes behind the end are not read (the sanitizer sees that). */
#include "fuzz.h"

#include "../../examples/common/files.h"

/* The file is in memory. */
#define files_read fuzz_files_read
static const uint8_t *file_data;
static size_t file_size;

static int fuzz_files_read(const char *path, char **text, size_t *bytes, failure *why)
{
    (void)path;
    *bytes = file_size;
    *text = (char *)malloc(file_size + 1);
    if (*text == NULL) return failure_set(why, "no memory");
    if (file_size > 0) memcpy(*text, file_data, file_size);
    (*text)[file_size] = 0;
    return 1;
}

#include "../../examples/common/obj.c"
#undef files_read

#include "../../examples/common/mesh_faults.c"

/* Lines that begin with a v. Those behind a zero byte are cut off, as are comments. -1: not known,
   as lines may be joined. */
static int count_vertex_lines(const uint8_t *data, size_t size)
{
    size_t i = size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* byte order mark */
    int count = 0;
    if (size > 0 && memchr(data, '\\', size)) return -1;
    while (i < size) {
        const uint8_t *end = (const uint8_t *)memchr(data + i, '\n', size - i);
        size_t line_end = end ? (size_t)(end - data) : size, k = i;
        while (k < line_end && (data[k] == ' ' || data[k] == '\t')) k++;
        count += k + 1 < line_end && data[k] == 'v' && (data[k + 1] == ' ' || data[k + 1] == '\t');
        i = line_end + 1;
        if (!end && memchr(data + k, 0, size - k))
            return -1; /* the last line may go on behind it */
    }
    return count;
}

static void check_mesh(const obj_mesh *mesh, const uint8_t *data, size_t size)
{
    int lines = count_vertex_lines(data, size);
    dc_index i;
    REQUIRE(mesh->vertex_count > 0 && mesh->triangle_count > 0);
    REQUIRE(lines < 0 || mesh->vertex_count == lines);
    for (i = 0; i < mesh->vertex_count; i++)
        REQUIRE(isfinite(mesh->positions[i].x) && isfinite(mesh->positions[i].y) &&
                isfinite(mesh->positions[i].z));
    for (i = 0; i < 3 * mesh->triangle_count; i++)
        REQUIRE(mesh->triangles[i] >= 0 && mesh->triangles[i] < mesh->vertex_count);
}

/* Whether anything but a twin is wrong, and whether there are twins. */
static void count_faults(const dc_mesh_desc *mesh, int *faults, int *twins)
{
    mesh_faults found;
    failure why;
    int kind, i;
    REQUIRE(mesh_faults_find(&found, mesh, NULL, &why));
    *faults = 0;
    *twins = found.of[MESH_FAULT_TWIN].count > 0;
    for (kind = 0; kind < MESH_FAULT_KINDS; kind++) {
        const mesh_fault_words *words = mesh_fault_words_of((mesh_fault_kind)kind);
        const mesh_fault *f = &found.of[kind];
        dc_index end = words->is_vertex ? mesh->vertex_count : mesh->triangle_count;
        *faults |= f->count > 0 && !words->is_doubt && kind != MESH_FAULT_TWIN;
        REQUIRE(f->count >= 0 && f->count <= 3 * end);
        for (i = 0; i < f->count && i < MESH_FAULTS_KEPT; i++)
            REQUIRE(f->element[i] >= 0 && f->element[i] < end &&
                    (i == 0 || f->element[i] > f->element[i - 1] || kind == MESH_FAULT_ONE_SIDED));
    }
}

static void check_init(const obj_mesh *mesh)
{
    size_t bytes = dc_mesh_bytes(mesh->vertex_count, mesh->triangle_count);
    fuzz_block block = fuzz_block_new(bytes, 1, 0xff);
    dc_mesh_desc desc;
    dc_mesh made;
    dc_status status;
    dc_error error;
    int faults, twins;
    memset(&desc, 0, sizeof desc);
    desc.vertex_count = mesh->vertex_count;
    desc.triangle_count = mesh->triangle_count;
    desc.positions = mesh->positions;
    desc.triangles = mesh->triangles;
    status = dc_mesh_init(&desc, block.memory, bytes, &made, &error);
    REQUIRE(status == DC_OK || status == DC_BAD_MESH);
    REQUIRE(fuzz_error_is_good(&error, status, "dc_mesh_init"));
    count_faults(&desc, &faults, &twins);
    REQUIRE(status == DC_OK ? !faults : faults || twins);
    fuzz_block_free(&block);
}

static int run_obj(const uint8_t *data, size_t size)
{
    obj_mesh mesh;
    failure why;
    memset(&why, 0, sizeof why);
    file_data = data;
    file_size = size;
    if (!obj_read("fuzz.obj", &mesh, &why)) {
        REQUIRE(mesh.positions == NULL && mesh.triangles == NULL);
        REQUIRE(mesh.vertex_count == 0 && mesh.triangle_count == 0);
        REQUIRE(strncmp(why.text, "fuzz.obj", 8) == 0 && strlen(why.text) > 10);
        REQUIRE(strlen(why.text) < sizeof why.text && strchr(why.text, '\n') == NULL);
        return 0;
    }
    check_mesh(&mesh, data, size);
    check_init(&mesh);
    obj_free(&mesh);
    return 0;
}
