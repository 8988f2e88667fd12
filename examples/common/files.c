#define _POSIX_C_SOURCE 200112L /* isatty, clock_gettime */
#include "files.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- What the platforms do each in its own way ---- */

#ifdef _WIN32

#include <direct.h>
#include <io.h>
#include <sys/stat.h>
#include <sys/types.h>

static int platform_mkdir(const char *path)
{
    return _mkdir(path);
}

static int platform_is_terminal(void)
{
    return _isatty(2);
}

static double platform_clock(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static int platform_replace(const char *from, const char *to)
{
    remove(to); /* rename() there refuses a name that is taken */
    return rename(from, to);
}

/* remove() there leaves directories alone. */
static int platform_remove(const char *path)
{
    return remove(path);
}

static int platform_is_taken(const char *path)
{
    struct _stat found;
    return _stat(path, &found) == 0 && !(found.st_mode & _S_IFREG);
}

#else

#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static int platform_mkdir(const char *path)
{
    return mkdir(path, 0777);
}

static int platform_is_terminal(void)
{
    return isatty(STDERR_FILENO);
}

static double platform_clock(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return (double)time(NULL);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int platform_replace(const char *from, const char *to)
{
    return rename(from, to);
}

static int platform_remove(const char *path)
{
    return unlink(path);
}

/* By something that rename() would put a file in the place of: a device, a link, a directory. */
static int platform_is_taken(const char *path)
{
    struct stat found;
    return lstat(path, &found) == 0 && !S_ISREG(found.st_mode);
}

#endif

double files_clock(void)
{
    return platform_clock();
}

/* ---- Failures and paths ---- */

int failure_set(failure *why, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why->text, sizeof why->text, format, arguments);
    va_end(arguments);
    return 0;
}

int files_join(char path[FILES_PATH_MAX], const char *directory, const char *name, failure *why)
{
    int length = snprintf(path, FILES_PATH_MAX, "%s/%s", directory, name);
    if (length < 0 || length >= FILES_PATH_MAX)
        return failure_set(why, "%.60s...: the path is too long", directory);
    return 1;
}

/* A file of that name passes too; then what is written below it fails and says so. */
static int make_one(const char *path, failure *why)
{
    if (platform_mkdir(path) == 0 || errno == EEXIST) return 1;
    return failure_set(why, "%s: cannot make the directory: %s", path, strerror(errno));
}

int files_make_directory(const char *path, failure *why)
{
    char part[FILES_PATH_MAX];
    size_t length = strlen(path), i;
    if (length == 0) return failure_set(why, "the name of the directory is empty");
    if (length >= sizeof part) return failure_set(why, "%.60s...: the path is too long", path);
    for (i = 1; i < length; i++) {
        if (path[i] != '/') continue;
        memcpy(part, path, i);
        part[i] = 0;
        if (!make_one(part, why)) return 0;
    }
    return make_one(path, why);
}

/* ---- Reading ---- */

enum { READ_START_BYTES = 1 << 16 };

/* Doubles the block. On failure the old one is freed. */
static char *grow(char *block, size_t *capacity)
{
    char *larger = *capacity <= (size_t)-1 / 2 ? realloc(block, 2 * *capacity) : NULL;
    if (larger == NULL) free(block);
    *capacity *= 2;
    return larger;
}

static int read_all(FILE *file, const char *path, char **text, size_t *bytes, failure *why)
{
    size_t capacity = READ_START_BYTES, used = 0;
    char *block = malloc(capacity);
    while (block != NULL) {
        size_t got = fread(block + used, 1, capacity - 1 - used, file);
        used += got;
        if (got == 0) break;
        if (used == capacity - 1) block = grow(block, &capacity);
    }
    if (block == NULL) return failure_set(why, "%s: not enough memory to read it", path);
    if (ferror(file)) {
        free(block);
        return failure_set(why, "%s: cannot read it: %s", path, strerror(errno));
    }
    block[used] = 0;
    *text = block;
    *bytes = used;
    return 1;
}

int files_read(const char *path, char **text, size_t *bytes, failure *why)
{
    FILE *file = fopen(path, "rb");
    int is_read;
    if (file == NULL) return failure_set(why, "%s: cannot open it: %s", path, strerror(errno));
    is_read = read_all(file, path, text, bytes, why);
    fclose(file);
    return is_read;
}

/* ---- Writing ---- */

int files_remove(const char *path)
{
    return platform_remove(path) == 0;
}

int output_open(output *out, const char *path, failure *why)
{
    int length = snprintf(out->part, sizeof out->part, "%s.part", path);
    if (length < 0 || (size_t)length >= sizeof out->part)
        return failure_set(why, "%.60s...: the path is too long", path);
    if (platform_is_taken(path))
        return failure_set(why, "%s: cannot write it: what has this name is no plain file", path);
    strcpy(out->path, path);
    out->file = fopen(out->part, "wb");
    if (out->file == NULL)
        return failure_set(why, "%s: cannot write it: %s", path, strerror(errno));
    return 1;
}

int output_close(output *out, failure *why)
{
    int is_written = !ferror(out->file);
    errno = 0;
    is_written = fclose(out->file) == 0 && is_written;
    out->file = NULL;
    if (is_written && platform_replace(out->part, out->path) == 0) return 1;
    failure_set(why, "%s: cannot write it: %s", out->path,
                errno ? strerror(errno) : "the device refused");
    files_remove(out->part);
    return 0;
}

void output_discard(output *out)
{
    if (out->file == NULL) return;
    fclose(out->file);
    out->file = NULL;
    files_remove(out->part);
}

/* ---- Progress ---- */

static const double TERMINAL_PAUSE = 0.1; /* [s] between two lines, so that it does not flicker */
static const double LOG_PAUSE = 10;       /* [s] the same where each line stays */

progress progress_begin(void)
{
    progress p;
    p.start = files_clock();
    p.shown = p.start - LOG_PAUSE; /* the first line comes at once */
    p.is_terminal = platform_is_terminal();
    return p;
}

void progress_show(progress *p, int done, int total)
{
    double now = files_clock(), pause = p->is_terminal ? TERMINAL_PAUSE : LOG_PAUSE;
    double left = done > 0 ? (now - p->start) * (total - done) / done : 0;
    if (done == 0 || (now - p->shown < pause && done < total)) return;
    p->shown = now;
    fprintf(stderr, "%s%3d%%  frame %d of %d, %.0f s left%s", p->is_terminal ? "\r" : "",
            (int)(100.0 * done / total), done, total, left, p->is_terminal ? "   " : "\n");
    fflush(stderr);
}

void progress_end(progress *p)
{
    if (p->is_terminal) fprintf(stderr, "\n");
}
