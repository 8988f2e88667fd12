# devcloth: make, make demo, make test, make bench

CC ?= cc
CFLAGS ?= -O3
STRICT = -std=c99 -pedantic -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow \
         -Wdouble-promotion -Wcast-qual -Wundef -Wvla
LIBRARY = devcloth.h devcloth_impl.h
TESTS = $(wildcard tests/*.c tests/*.h tests/support/*.h)

.PHONY: help test clean

help:
	@echo "make demo              simulate a hanging sheet and draw it, files under out/"
	@echo "make demo MESH=a.obj   the same with your mesh, hung by its highest vertices"
	@echo "make test              all tests; ends with N passed, N failed"
	@echo "make clean             remove build/ and out/"

build:
	mkdir -p build

# Tests include the implementation and use private functions, so not all warnings apply to them.
build/tests: tests/all.c $(TESTS) $(LIBRARY) | build
	$(CC) -std=c99 -Wall -Wextra -Wno-unused-function -O2 -o $@ tests/all.c -lm

build/tests_single: tests/all.c $(TESTS) $(LIBRARY) | build
	$(CC) -std=c99 -DDEVCLOTH_SINGLE -Wall -Wextra -Wno-unused-function -O2 -o $@ tests/all.c -lm

test: build/tests build/tests_single
	sh tests/run.sh

clean:
	rm -rf build out
