# devcloth: make demo, make test, make bench

CC ?= cc
CFLAGS ?= -O3
WARNINGS = -Wall -Wextra -Wno-unused-function
LIBRARY = devcloth.h devcloth_impl.h
COMMON = $(wildcard examples/common/*.c)
COMMON_OBJECTS = $(patsubst examples/common/%.c,build/common_%.o,$(COMMON))
EXAMPLES = $(patsubst examples/%.c,build/%,$(wildcard examples/[0-9]*.c))
SCENES = $(filter-out %/scenes_draw.c,$(wildcard examples/common/scenes*.c)) \
    $(patsubst %,examples/common/%.c,figure panel sim files)
SCENE_HEADERS = $(wildcard examples/common/*.h)
TESTS = $(wildcard tests/*.c tests/*.h tests/support/*.h)
MESH ?=
SCENE ?= sphere

.PHONY: help demo scene examples test check-sanitizers check-ports bench clean

help:
	@echo "make demo              simulate a hanging sheet and draw it, files under out/demo"
	@echo "make demo MESH=a.obj   the same with your mesh, hung by its highest vertices"
	@echo "make scene SCENE=name  simulate a built-in scene and draw it, files under out/name;"
	@echo "                       build/devcloth scenes lists them; some take half an hour"
	@echo "make examples          build and run the numbered examples, files under out/"
	@echo "make test              all tests; ends with N passed, N failed"
	@echo "make check-sanitizers  the tests once more, watched by sanitizers and valgrind"
	@echo "make check-ports       the same bits from other processors, emulated"
	@echo "make bench             speed and memory: metric NAME VALUE UNIT"
	@echo "make clean             remove build/ and out/"

build:
	mkdir -p build

# ---- Examples and the tool ----

build/common_%.o: examples/common/%.c $(wildcard examples/common/*.h) $(LIBRARY) | build
	$(CC) -std=c99 $(WARNINGS) $(CFLAGS) -c -o $@ $<

build/devcloth: examples/tool/devcloth.c $(COMMON_OBJECTS) $(LIBRARY) | build
	$(CC) -std=c99 $(WARNINGS) $(CFLAGS) -o $@ $< $(COMMON_OBJECTS) -lm

$(EXAMPLES): build/%: examples/%.c $(COMMON_OBJECTS) $(LIBRARY) | build
	$(CC) -std=c99 $(WARNINGS) $(CFLAGS) -o $@ $< $(COMMON_OBJECTS) -lm

demo: build/devcloth
	build/devcloth demo $(MESH)

scene: build/devcloth
	build/devcloth run $(SCENE)

examples: $(EXAMPLES)
	set -e; for example in $(EXAMPLES); do $$example; done

# ---- Tests ----

# Tests include the implementation and use private functions, so not all warnings apply to them.
build/tests: tests/all.c $(TESTS) $(LIBRARY) | build
	$(CC) -std=c99 $(WARNINGS) -O2 -o $@ tests/all.c -lm

build/tests_single: tests/all.c $(TESTS) $(LIBRARY) | build
	$(CC) -std=c99 -DDEVCLOTH_SINGLE $(WARNINGS) -O2 -o $@ tests/all.c -lm

build/tests_scenes: tests/test_scenes.c $(SCENES) $(SCENE_HEADERS) $(TESTS) $(LIBRARY) | build
	$(CC) -std=c99 $(WARNINGS) -O2 -o $@ $< $(SCENES) -lm

build/tests_scenes_single: tests/test_scenes.c $(SCENES) $(SCENE_HEADERS) $(TESTS) $(LIBRARY) | build
	$(CC) -std=c99 -DDEVCLOTH_SINGLE $(WARNINGS) -O2 -o $@ $< $(SCENES) -lm

test: build/tests build/tests_single build/tests_scenes build/tests_scenes_single build/devcloth \
    $(EXAMPLES)
	sh tests/run.sh

# What takes longer: continuous integration runs it too.
check-sanitizers:
	sh tests/ports/sanitize.sh

check-ports:
	sh tests/ports/cross.sh

# ---- Benches ----

build/bench: tests/bench/bench.c $(SCENES) $(SCENE_HEADERS) $(LIBRARY) | build
	$(CC) -std=c99 $(WARNINGS) -O3 -o $@ $< $(SCENES) -lm

build/bench_native: tests/bench/bench.c $(SCENES) $(SCENE_HEADERS) $(LIBRARY) | build
	$(CC) -std=c99 $(WARNINGS) -O3 -march=native -o $@ $< $(SCENES) -lm

bench: build/bench
	build/bench

clean:
	rm -rf build out
