/* All fuzzers in one program, for the library takes long to compile under sanitizers. libFuzzer runs
   the one that the environment variable FUZZ_TARGET names; replay.c the one that its first argument
   names. */
#include "fuzz_ccd.c"
#include "fuzz_cholesky.c"
#include "fuzz_drape.c"
#include "fuzz_mesh.c"
#include "fuzz_obj.c"
#include "fuzz_world.c"

typedef struct fuzz_target {
    const char *name;
    int (*run)(const uint8_t *data, size_t size);
} fuzz_target;

static const fuzz_target targets[] = {{"obj", run_obj},           {"mesh", run_mesh},
                                      {"cholesky", run_cholesky}, {"ccd", run_ccd},
                                      {"world", run_world},       {"drape", run_drape}};

static const fuzz_target *chosen;

int fuzz_choose(const char *name);
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Returns whether there is a fuzzer of this name, which LLVMFuzzerTestOneInput() is from now on. */
int fuzz_choose(const char *name)
{
    size_t i;
    for (i = 0; name && i < sizeof targets / sizeof targets[0]; i++)
        if (strcmp(targets[i].name, name) == 0) chosen = targets + i;
    if (!chosen) fprintf(stderr, "no fuzzer has the name %s\n", name ? name : "in FUZZ_TARGET");
    return chosen != NULL;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    if (!fuzz_choose(getenv("FUZZ_TARGET"))) exit(2);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return chosen->run(data, size);
}
