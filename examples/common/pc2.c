#include "pc2.h"

#include <string.h>

enum { PC2_SAMPLES_PLACE = 28 }; /* [bytes] from the start to the number of samples */

static void write_u32(FILE *file, uint32_t number)
{
    int shift;
    for (shift = 0; shift < 32; shift += 8) putc((int)(number >> shift & 255), file);
}

static void write_float(FILE *file, float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    write_u32(file, bits);
}

int pc2_open(pc2_writer *writer, const char *path, dc_index point_count, failure *why)
{
    FILE *file;
    writer->point_count = point_count;
    writer->sample_count = 0;
    if (!output_open(&writer->out, path, why)) return 0;
    file = writer->out.file;
    fwrite("POINTCACHE2", 1, 12, file); /* with its final 0 */
    write_u32(file, 1);
    write_u32(file, (uint32_t)point_count);
    write_float(file, 0);
    write_float(file, 1);
    write_u32(file, 0);
    return 1;
}

int pc2_add(pc2_writer *writer, const dc_vec3 *positions, failure *why)
{
    FILE *file = writer->out.file;
    dc_index v;
    for (v = 0; v < writer->point_count; v++) {
        write_float(file, (float)positions[v].x);
        write_float(file, (float)positions[v].y);
        write_float(file, (float)positions[v].z);
    }
    writer->sample_count++;
    if (ferror(file)) return failure_set(why, "%s: cannot write it", writer->out.path);
    return 1;
}

int pc2_close(pc2_writer *writer, failure *why)
{
    if (fseek(writer->out.file, PC2_SAMPLES_PLACE, SEEK_SET) != 0) {
        failure_set(why, "%s: cannot go back to its header", writer->out.path);
        output_discard(&writer->out);
        return 0;
    }
    write_u32(writer->out.file, (uint32_t)writer->sample_count);
    return output_close(&writer->out, why);
}

void pc2_discard(pc2_writer *writer)
{
    output_discard(&writer->out);
}
