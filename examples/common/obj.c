#include "obj.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OBJ_QUOTE_MAX = 24 }; /* [characters] of the file that a failure quotes */

/* What is known while a file is read. A face may name a vertex further down, so the largest index
   is remembered with its line and checked at the end. */
typedef struct reader {
    const char *path;
    int line;
    obj_mesh *mesh;
    dc_index vertex_capacity, triangle_capacity, vertex_line_capacity, triangle_line_capacity;
    long highest_vertex; /* from 1 */
    int highest_line;
    failure *why;
} reader;

static int fail_at(reader *r, const char *reason, const char *text)
{
    return failure_set(r->why, "%s:%d: %s '%.*s'", r->path, r->line, reason, OBJ_QUOTE_MAX, text);
}

/* Makes room for one more element of `bytes` bytes. NULL: no memory, or too many for dc_index. */
static void *make_room(void *block, dc_index count, dc_index *capacity, size_t bytes)
{
    dc_index wanted = *capacity > 0 ? *capacity : 1024;
    void *larger;
    if (count < *capacity) return block;
    if (*capacity > 0) {
        if (*capacity > INT32_MAX / 3 / 2) return NULL; /* corners are counted by dc_index too */
        wanted = 2 * *capacity;
    }
    if ((size_t)wanted > (size_t)-1 / bytes) return NULL;
    larger = realloc(block, (size_t)wanted * bytes);
    if (larger != NULL) *capacity = wanted;
    return larger;
}

/* Notes where element `count` stands. */
static int add_line(reader *r, int **lines, dc_index count, dc_index *capacity)
{
    int *room = make_room(*lines, count, capacity, sizeof *room);
    if (room == NULL) return failure_set(r->why, "%s: not enough memory", r->path);
    *lines = room;
    room[count] = r->line;
    return 1;
}

static const char *skip_blanks(const char *text)
{
    while (*text == ' ' || *text == '\t') text++;
    return text;
}

/* ---- Lines ---- */

static int read_number(reader *r, const char **text, dc_real *number)
{
    const char *start = skip_blanks(*text);
    char *end;
    *number = (dc_real)strtod(start, &end);
    if (end == start) return fail_at(r, "a coordinate is missing before", start);
    if (!isfinite(*number)) return fail_at(r, "a coordinate is not a finite number:", start);
    if (*end != 0 && *end != ' ' && *end != '\t') return fail_at(r, "this is no number:", start);
    *text = end;
    return 1;
}

static int read_vertex(reader *r, const char *text)
{
    obj_mesh *mesh = r->mesh;
    dc_vec3 p;
    void *room;
    if (!read_number(r, &text, &p.x) || !read_number(r, &text, &p.y) ||
        !read_number(r, &text, &p.z))
        return 0;
    room = make_room(mesh->positions, mesh->vertex_count, &r->vertex_capacity, sizeof p);
    if (room == NULL) return failure_set(r->why, "%s: not enough memory", r->path);
    mesh->positions = room;
    mesh->positions[mesh->vertex_count] = p;
    return add_line(r, &mesh->vertex_line, mesh->vertex_count++, &r->vertex_line_capacity);
}

/* One corner of a face; *text moves behind it. */
static int read_corner(reader *r, const char **text, dc_index *vertex)
{
    const char *start = *text;
    char *end;
    long v;
    errno = 0;
    v = strtol(start, &end, 10);
    if (end == start || (*end != 0 && strchr(" \t/", *end) == NULL))
        return fail_at(r, "this is no vertex index:", start);
    if (v < 0) v += 1 + (long)r->mesh->vertex_count;
    if (v < 1 || v > INT32_MAX || errno != 0)
        return failure_set(r->why, "%s:%d: there is no vertex '%.*s'", r->path, r->line,
                           (int)strcspn(start, " \t/"), start);
    if (v > r->highest_vertex) {
        r->highest_vertex = v;
        r->highest_line = r->line;
    }
    *vertex = (dc_index)(v - 1);
    *text = end + strcspn(end, " \t");
    return 1;
}

static int add_triangle(reader *r, dc_index a, dc_index b, dc_index c)
{
    obj_mesh *mesh = r->mesh;
    dc_index *corners;
    void *room = make_room(mesh->triangles, mesh->triangle_count, &r->triangle_capacity,
                           3 * sizeof(dc_index));
    if (room == NULL) return failure_set(r->why, "%s: not enough memory", r->path);
    mesh->triangles = room;
    corners = &mesh->triangles[3 * (size_t)mesh->triangle_count];
    corners[0] = a;
    corners[1] = b;
    corners[2] = c;
    return add_line(r, &mesh->triangle_line, mesh->triangle_count++, &r->triangle_line_capacity);
}

static int read_face(reader *r, const char *text)
{
    const char *next = skip_blanks(text);
    dc_index first = 0, before = 0, now = 0;
    int count = 0;
    for (; *next != 0; next = skip_blanks(next), count++) {
        if (!read_corner(r, &next, &now)) return 0;
        if (count == 0) first = now;
        if (count >= 2 && !add_triangle(r, first, before, now)) return 0;
        before = now;
    }
    if (count < 3) return fail_at(r, "a face needs three corners, here are", skip_blanks(text));
    return 1;
}

static int read_line(reader *r, const char *text)
{
    text = skip_blanks(text);
    if (text[0] == 'v' && (text[1] == ' ' || text[1] == '\t' || text[1] == 0))
        return read_vertex(r, text + 1);
    if (text[0] == 'f' && (text[1] == ' ' || text[1] == '\t' || text[1] == 0))
        return read_face(r, text + 1);
    return 1;
}

/* ---- Files ---- */

/* Cuts the first line off the text, in place, and its comment and its end off the line. After a
   backslash the next line goes on with it: then all between them becomes blank, and it returns 1. */
static int cut_line(char **text, const char *end)
{
    char *line = *text, *line_end = memchr(line, '\n', (size_t)(end - line)), *stop;
    int goes_on;
    if (line_end == NULL) line_end = line + strlen(line);
    *line_end = 0;
    *text = line_end + 1;
    stop = line + strcspn(line, "#\r");
    goes_on = *stop != '#' && stop > line && stop[-1] == '\\';
    if (!goes_on)
        *stop = 0;
    else if (*text >= end)
        stop[-1] = 0; /* there is no next line */
    else
        memset(stop - 1, ' ', (size_t)(line_end - stop) + 2);
    return goes_on && *text < end;
}

/* Of lines joined by backslashes, r->line is the first. */
static int read_lines(reader *r, char *text, const char *end)
{
    int count = 0;
    while (text < end) {
        char *line = text;
        r->line = ++count;
        while (cut_line(&text, end)) count++;
        if (!read_line(r, line)) return 0;
    }
    return 1;
}

static int check_counts(reader *r)
{
    if (r->mesh->vertex_count == 0)
        return failure_set(r->why, "%s:%d: the file ends without a vertex", r->path, r->line);
    if (r->mesh->triangle_count == 0)
        return failure_set(r->why, "%s:%d: the file ends without a face", r->path, r->line);
    if (r->highest_vertex > r->mesh->vertex_count)
        return failure_set(r->why, "%s:%d: there is no vertex %ld, the file has %ld", r->path,
                           r->highest_line, r->highest_vertex, (long)r->mesh->vertex_count);
    return 1;
}

/* Editors on Windows like to put this mark before the first line. */
static size_t mark_bytes(const char *text)
{
    static const char UTF8_MARK[] = "\xef\xbb\xbf";
    size_t bytes = sizeof UTF8_MARK - 1;
    return strncmp(text, UTF8_MARK, bytes) == 0 ? bytes : 0;
}

int obj_read(const char *path, obj_mesh *mesh, failure *why)
{
    reader r = {0};
    char *text;
    size_t bytes;
    int is_read;
    memset(mesh, 0, sizeof *mesh);
    r.path = path;
    r.mesh = mesh;
    r.why = why;
    if (!files_read(path, &text, &bytes, why)) return 0;
    is_read = read_lines(&r, text + mark_bytes(text), text + bytes) && check_counts(&r);
    free(text);
    if (!is_read) obj_free(mesh);
    return is_read;
}

void obj_free(obj_mesh *mesh)
{
    free(mesh->positions);
    free(mesh->triangles);
    free(mesh->vertex_line);
    free(mesh->triangle_line);
    memset(mesh, 0, sizeof *mesh);
}

static void write_vertices(FILE *file, dc_index vertex_count, const dc_vec3 *positions)
{
    dc_index v;
    for (v = 0; v < vertex_count; v++)
        fprintf(file, "v %.9g %.9g %.9g\n", (double)positions[v].x, (double)positions[v].y,
                (double)positions[v].z);
}

int obj_write(const char *path, dc_index vertex_count, const dc_vec3 *positions,
              dc_index triangle_count, const dc_index *triangles, failure *why)
{
    output out;
    dc_index t;
    if (!output_open(&out, path, why)) return 0;
    write_vertices(out.file, vertex_count, positions);
    for (t = 0; t < triangle_count; t++) {
        const dc_index *corners = &triangles[3 * (size_t)t];
        fprintf(out.file, "f %ld %ld %ld\n", (long)corners[0] + 1, (long)corners[1] + 1,
                (long)corners[2] + 1);
    }
    return output_close(&out, why);
}

int obj_write_lines(const char *path, dc_index vertex_count, const dc_vec3 *positions,
                    dc_index line_count, const dc_index *lines, failure *why)
{
    output out;
    dc_index k;
    if (!output_open(&out, path, why)) return 0;
    write_vertices(out.file, vertex_count, positions);
    for (k = 0; k < line_count; k++)
        fprintf(out.file, "l %ld %ld\n", (long)lines[2 * k] + 1, (long)lines[2 * k + 1] + 1);
    return output_close(&out, why);
}
