# devcloth: make demo, make test, make bench

CC ?= cc
CXX ?= c++
CFLAGS ?= -O3
WARNINGS = -Wall -Wextra -Wno-unused-function
LIBRARY = devcloth.h devcloth_impl.h
COMMON = $(wildcard examples/common/*.c)
COMMON_OBJECTS = $(patsubst examples/common/%.c,build/common_%.o,$(COMMON))
# Threads, where they are found: `make PTHREAD=` goes without them, and without what shows them.
ifndef PTHREAD
PTHREAD := $(shell echo '\#include <pthread.h>' | $(CC) -E - >/dev/null 2>&1 && echo -pthread)
endif
EXAMPLES = $(patsubst examples/%.c,build/%,$(filter-out $(if $(PTHREAD),,%_threads.c), \
    $(wildcard examples/[0-9]*.c)))
# And C++, where its compiler is found.
CXX_EXAMPLES = $(if $(shell command -v $(firstword $(CXX))),$(patsubst examples/%.cpp,build/%, \
    $(wildcard examples/[0-9]*.cpp)))
SCENES = $(filter-out %/scenes_draw.c,$(wildcard examples/common/scenes*.c)) \
    $(wildcard examples/common/ribbons*.c) \
    $(patsubst %,examples/common/%.c,drapes figure panel shapes sim files)
SCENE_HEADERS = $(wildcard examples/common/*.h)
SHAPES = $(wildcard examples/common/mesh_report.[ch] examples/common/shapes.[ch])
TESTS = $(wildcard tests/*.c tests/*.h tests/support/*.h)
MESH ?=
SCENE ?= sphere

PAPERS = $(patsubst examples/papers/%.c,build/%,$(wildcard examples/papers/*.c))
PICTURES = $(patsubst %,examples/pictures/%,drapes.png papers.png ribbons.png \
    scenes.png shells.png turning.png)
DRAWING = files image obj png render

.PHONY: help demo scene examples page check-page papers pictures $(PICTURES) book test table \
    drape-table ribbon-table papers-table constants-table drape-starts check hash-coverage bench clean

help:
	@echo "make demo              simulate a hanging sheet and draw it, files under out/demo"
	@echo "make demo MESH=a.obj   the same with your mesh, hung by its highest vertices"
	@echo "make scene SCENE=name  simulate a built-in scene and draw it, files under out/name;"
	@echo "                       build/devcloth scenes lists them; some take half an hour"
	@echo "make examples          build and run the numbered examples, files under out/"
	@echo "make papers            build and run each paper's program, files under out/"
	@echo "make pictures          examples/pictures anew; five minutes or so"
	@echo "make page              out/page/devcloth.html, cloth to hold in a browser; clang and lld"
	@echo "make book              out/book.html, the implementation as a page with links"
	@echo "make test              all tests; ends with N passed, N failed"
	@echo "make table             tests/bending_table.md; some minutes"
	@echo "make drape-table       tests/drape_table.md; half a minute"
	@echo "make ribbon-table      tests/ribbon_table.md: noise, steps, rotation; a minute"
	@echo "make papers-table      tests/tables/papers.md; ten minutes"
	@echo "make constants-table   tests/tables/constants.md: each tuned constant halved and doubled;"
	@echo "                       ten minutes"
	@echo "make drape-starts      drapes from several starts end equally low; minutes"
	@echo "make check             all longer checks: three quarters of an hour; SKIP=\"ports fuzz\" leaves"
	@echo "                       these out. One of them, or a part of one (tests/README.md):"
	@echo "make check-long        long settles, all scenes"
	@echo "make check-compilers   every compiler, configuration and warning, not only the usual ones"
	@echo "make check-sanitizers  the tests once more, watched by sanitizers and valgrind"
	@echo "make check-page        the page in a browser without a screen: node, npm, chromium"
	@echo "make check-ports       the same bits from other processors, emulated"
	@echo "make check-fuzz        six fuzzers, each for FUZZ_SECONDS=60 from FUZZ_SEED=1; clang"
	@echo "make hash-coverage     what the scenes with compared bits execute, by chapter; minutes"
	@echo "make bench             speed and memory: metric NAME VALUE UNIT, half an hour; a"
	@echo "                       part: build/bench GROUP..., of step growth ccd collide frame"
	@echo "                       wang drape contact ribbon solver sheets size; BENCH_SIZES=2k,20k and"
	@echo "                       BENCH_STEPS=n make it shorter"
	@echo "make clean             remove build/ and out/"

build:
	mkdir -p build

# ---- Examples and the tool ----

build/common_%.o: examples/common/%.c $(wildcard examples/common/*.h) $(LIBRARY) | build
	$(CC) -std=c99 $(WARNINGS) $(CFLAGS) -c -o $@ $<

build/devcloth: examples/tool/devcloth.c $(COMMON_OBJECTS) $(LIBRARY) | build
	$(CC) -std=c99 $(WARNINGS) $(CFLAGS) -o $@ $< $(COMMON_OBJECTS) -lm

$(EXAMPLES): build/%: examples/%.c $(COMMON_OBJECTS) $(LIBRARY) | build
	$(CC) -std=c99 $(WARNINGS) $(CFLAGS) -o $@ $< $(COMMON_OBJECTS) -lm $(PTHREAD)

$(CXX_EXAMPLES): build/%: examples/%.cpp $(LIBRARY) | build
	$(CXX) -std=c++11 $(WARNINGS) $(CFLAGS) -o $@ $<

demo: # two compilations at a time
	@$(MAKE) --no-print-directory -j2 build/devcloth
	build/devcloth demo $(MESH)

scene: build/devcloth
	build/devcloth run $(SCENE)

examples: $(EXAMPLES) $(CXX_EXAMPLES)
	set -e; for example in $(sort $(EXAMPLES) $(CXX_EXAMPLES)); do $$example; done
	@$(if $(CXX_EXAMPLES),,echo "left out: the examples in C++, for want of $(CXX)")

# Each compiles by itself, and so does its test.
PAPER_FILES = $(wildcard examples/papers/*.h) examples/common/vec.h $(SHAPES) \
    $(LIBRARY)

$(PAPERS): build/%: examples/papers/%.c $(PAPER_FILES) | build
	$(CC) -std=c99 $(WARNINGS) -O2 -o $@ $< -lm

$(PAPERS:build/%=build/tests_%): build/tests_%: tests/papers/test_%.c examples/papers/%.c \
    tests/papers/paper_test.h tests/test.h $(PAPER_FILES) | build
	$(CC) -std=c99 $(WARNINGS) -O2 -o $@ $< -lm

build/tests_lbfgsb: tests/papers/test_lbfgsb.c tests/papers/paper_test.h tests/test.h \
    examples/papers/lbfgsb.h | build
	$(CC) -std=c99 $(WARNINGS) -O2 -o $@ $< -lm

papers: $(PAPERS)
	mkdir -p out
	set -e; for paper in $(PAPERS); do $$paper; done

# Each is drawn anew whenever it is asked for.
pictures: $(PICTURES)

$(PICTURES): build/devcloth


examples/pictures/drapes.png:
	build/devcloth drape all --size 400x300 --picture $@

examples/pictures/ribbons.png:
	build/devcloth ribbon all --picture $@

examples/pictures/papers.png: papers build/draw_papers
	build/draw_papers $@

build/draw_papers: examples/pictures/papers.c $(DRAWING:%=examples/common/%.c) $(LIBRARY) | build
	$(CC) -std=c99 $(WARNINGS) -O2 -o $@ $< $(DRAWING:%=examples/common/%.c) -lm

examples/pictures/turning.png: build/draw_turning
	build/draw_turning $@

build/draw_turning: examples/pictures/turning.c $(COMMON_OBJECTS) $(LIBRARY) | build
	$(CC) -std=c99 $(WARNINGS) $(CFLAGS) -o $@ $< $(COMMON_OBJECTS) -lm

examples/pictures/scenes.png:
	build/devcloth sheet $@ sphere:30:1 stiff:24:2 turning:24:2.2 cape:20:2.8 shirt:16:2.8 \
	    crushed:30:1.52 funnel:20:1.2 twisted:20:3 tied:60:2.6

examples/pictures/shells.png:
	build/devcloth sheet $@ balloon:34:1.2 shell:34:.16 rigid:34:.4

# ---- The page ----

page:
	sh examples/web/build.sh

check-page:
	sh tests/web/check.sh

# ---- The book ----

book: out/book.html

out/book.html: devcloth_impl.h tests/book/book.awk tests/book/book.css
	mkdir -p out
	awk -f tests/book/book.awk devcloth_impl.h devcloth_impl.h >$@

# ---- Tests ----

TEST_THREADS = $(if $(PTHREAD),-DDEVCLOTH_TEST_THREADS $(PTHREAD))
SINGLE = $(if $(findstring _single,$@),-DDEVCLOTH_SINGLE)
# What runs for seconds only takes longer to compile at a higher level.
LEVEL = $(if $(filter build/tests_drapes% build/tests_ribbons%,$@),-O1,-O2)
COMPILE_TEST = $(CC) -std=c99 $(SINGLE) $(WARNINGS) $(LEVEL) -o $@ $(PROGRAM)

# Tests include the implementation and use private functions, so not all warnings apply to them.
build/tests build/tests_single: PROGRAM = tests/all.c
build/tests: TEST_STATUSES = -DTEST_STATUSES
build/tests build/tests_single: tests/all.c $(TESTS) examples/common/pool.h $(SHAPES) \
    examples/papers/lbfgsb.h build/status_calls.h $(LIBRARY) | build
	$(COMPILE_TEST) $(TEST_STATUSES) $(TEST_THREADS) -lm

# A macro with the name of a function is not expanded again in what it stands for.
build/status_calls.h: devcloth.h | build
	sed -n 's/^DC_API dc_status \(dc_[a-z0-9_]*\)(.*/\
	    #define \1(...) test_status("\1", (\1)(__VA_ARGS__))/p' devcloth.h >$@

build/tests_scenes build/tests_scenes_single: PROGRAM = tests/test_scenes.c
build/tests_drapes build/tests_drapes_single: PROGRAM = tests/test_drape_scenes.c
build/tests_ribbons build/tests_ribbons_single: PROGRAM = tests/test_ribbon_scenes.c
SCENE_TESTS = $(foreach part,scenes drapes ribbons,build/tests_$(part))
$(SCENE_TESTS) $(SCENE_TESTS:=_single): $(SCENES) $(SCENE_HEADERS) $(TESTS) $(LIBRARY) | build
	$(COMPILE_TEST) $(SCENES) -lm

build/tests_worlds: PROGRAM = tests/test_random_worlds.c
build/tests_worlds: tests/test_random_worlds.c tests/fuzz/judge.h $(TESTS) $(LIBRARY) | build
	$(COMPILE_TEST) -lm

build/hash build/hash_single: PROGRAM = tests/ports/hash.c
build/hash build/hash_single: tests/ports/hash.c $(wildcard tests/ports/*.h) $(SHAPES) $(LIBRARY) | build
	$(COMPILE_TEST) -lm

build/fuzz/search: $(wildcard tests/fuzz/*.[ch]) $(TESTS) $(SHAPES) $(LIBRARY) | build
	sh tests/fuzz/run.sh build

# Each builds the programs that it needs. tests/README.md tells what they find.
test:
	sh tests/run.sh test

check:
	sh tests/run.sh check

check-%:
	sh tests/run.sh $(subst -, ,$*)

hash-coverage:
	sh tests/ports/coverage.sh >tests/ports/coverage.txt

# ---- Tables ----

build/bending_table: tests/bending_table.c $(TESTS) $(SHAPES) $(LIBRARY) | build
	$(CC) -std=c99 $(WARNINGS) -O2 -o $@ tests/bending_table.c -lm

table: build/bending_table
	build/bending_table


build/drape_table: tests/drape_table.c tests/bench/bench.h $(SCENES) $(SCENE_HEADERS) $(TESTS) \
    $(LIBRARY) | build
	$(CC) -std=c99 $(WARNINGS) -O3 -o $@ $< $(SCENES) -lm

drape-table: build/drape_table
	build/drape_table

build/ribbon_table: tests/ribbon_table.c $(SCENES) $(SCENE_HEADERS) $(LIBRARY) | build
	$(CC) -std=c99 $(WARNINGS) -O3 -o $@ $< $(SCENES) -lm

ribbon-table: build/ribbon_table
	build/ribbon_table

PAPER_TABLES = $(patsubst %,build/table_%,eb08 wan12 phb15 ct10)
$(PAPER_TABLES): build/table_%: tests/papers/table_%.c examples/papers/%.c \
    tests/papers/paper_table.h $(PAPER_FILES) | build
	$(CC) -std=c99 $(WARNINGS) -O2 -o $@ $< -lm

papers-table: $(PAPER_TABLES)
	set -e; for table in $(PAPER_TABLES); do $$table; done

constants-table: build/hash
	sh tests/tables/constants.sh

drape-starts: build/tests_drapes
	build/tests_drapes starts

# ---- Benches ----

# Solvers that ours is compared with, those that are found: `make bench PEERS=` goes without.
ifneq ($(filter bench build/bench%,$(MAKECMDGOALS)),)
PEERS ?= $(shell sh tests/bench/peers.sh "$(CC)" "$(CXX)")
# Written anew only if it changes, so that benches are linked to what was asked for.
$(shell mkdir -p build; echo $(PEERS) | cmp -s - build/peers || echo $(PEERS) >build/peers)
endif
PEER_FLAGS = $(if $(filter cholmod,$(PEERS)),-DDEVCLOTH_BENCH_CHOLMOD) \
    $(if $(filter eigen,$(PEERS)),-DDEVCLOTH_BENCH_EIGEN)
PEER_LIBRARIES = $(if $(filter cholmod,$(PEERS)),-lopenblas -lcholmod) \
    $(if $(filter eigen,$(PEERS)),-lstdc++)
BENCH_HEADERS = $(wildcard tests/bench/*.h tests/support/*.h)
BENCH_SCENES = $(SCENES) $(patsubst %,examples/common/%.c,coincident image \
    mesh_crossings png render scenes_draw)
NATIVE = -march=native

build/bench_peer_%.o: tests/bench/peer_%.c tests/bench/peer.h | build
	$(CC) -std=c99 $(WARNINGS) -O3 -c -o $@ $<

build/bench_peer_%.o: tests/bench/peer_%.cpp tests/bench/peer.h | build
	$(CXX) -Wall -Wextra -O3 -DNDEBUG -c -o $@ $<

build/bench_native_peer_%.o: tests/bench/peer_%.c tests/bench/peer.h | build
	$(CC) -std=c99 $(WARNINGS) -O3 $(NATIVE) -c -o $@ $<

build/bench_native_peer_%.o: tests/bench/peer_%.cpp tests/bench/peer.h | build
	$(CXX) -Wall -Wextra -O3 $(NATIVE) -DNDEBUG -c -o $@ $<

PEER_OBJECTS = $(patsubst %,build/bench_peer_%.o,$(PEERS))
NATIVE_PEER_OBJECTS = $(patsubst %,build/bench_native_peer_%.o,$(PEERS))

build/bench: tests/bench/bench.c $(BENCH_HEADERS) $(BENCH_SCENES) $(SCENE_HEADERS) $(LIBRARY) \
    $(PEER_OBJECTS) build/peers
	$(CC) -std=c99 $(WARNINGS) -O3 $(PEER_FLAGS) -o $@ $< $(BENCH_SCENES) $(PEER_OBJECTS) \
	    $(PEER_LIBRARIES) -lm

build/bench_native: tests/bench/bench.c $(BENCH_HEADERS) $(BENCH_SCENES) $(SCENE_HEADERS) $(LIBRARY) \
    $(NATIVE_PEER_OBJECTS) build/peers
	$(CC) -std=c99 $(WARNINGS) -O3 $(NATIVE) $(PEER_FLAGS) -o $@ $< $(BENCH_SCENES) \
	    $(NATIVE_PEER_OBJECTS) $(PEER_LIBRARIES) -lm

bench: build/bench
	build/bench

clean:
	rm -rf build out
