/* replay TARGET FILE-OR-DIRECTORY...: calls a fuzzer with these files, where there is no libFuzzer: the
   corpora of tests/fuzz/corpus are tests for any compiler. */
#include <dirent.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int fuzz_choose(const char *name);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PATH_MAX_HERE = 1024, INPUT_MAX = 1 << 20 };

static const char *replayed; /* the file */

static void replay_name(int number)
{
    fprintf(stderr, "with the input %s\n", replayed);
    signal(number, SIG_DFL);
    raise(number);
}

static int replay_file(const char *path)
{
    static uint8_t buffer[INPUT_MAX];
    FILE *file = fopen(path, "rb");
    uint8_t *data;
    size_t size;
    if (!file) {
        fprintf(stderr, "%s: cannot open it\n", path);
        return 0;
    }
    size = fread(buffer, 1, sizeof buffer, file);
    fclose(file);
    data = (uint8_t *)malloc(size + (size == 0)); /* exactly, so that what reads beyond it shows */
    if (!data) return 0;
    memcpy(data, buffer, size);
    replayed = path;
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 1;
}

/* Returns how many were run; -1: one could not be read. */
static int replay_directory(const char *path)
{
    DIR *directory = opendir(path);
    struct dirent *entry;
    int count = 0;
    if (!directory) return -1;
    while ((entry = readdir(directory)) != NULL) {
        char name[PATH_MAX_HERE];
        if (entry->d_name[0] == '.') continue;
        if (snprintf(name, sizeof name, "%s/%s", path, entry->d_name) >= (int)sizeof name ||
            !replay_file(name)) {
            count = -1;
            break;
        }
        count++;
    }
    closedir(directory);
    return count;
}

int main(int argc, char **argv)
{
    int i, count = 0;
    if (argc < 2 || !fuzz_choose(argv[1])) return 2;
    signal(SIGABRT, replay_name);
    signal(SIGSEGV, replay_name);
    signal(SIGFPE, replay_name);
    for (i = 2; i < argc; i++) {
        struct stat found;
        int added = -1;
        if (stat(argv[i], &found) == 0)
            added = S_ISDIR(found.st_mode) ? replay_directory(argv[i]) : replay_file(argv[i]);
        if (added < 0) {
            fprintf(stderr, "%s: cannot be read\n", argv[i]);
            return 1;
        }
        count += added;
    }
    printf("%d inputs\n", count);
    return count == 0;
}
