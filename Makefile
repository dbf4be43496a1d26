# What a newcomer types. Everything else is CMake's: see CMakePresets.json.
#
#   make demo    sets up, builds, learns a synthetic stream with several learners
#   make test    sets up, builds, runs all tests, also under the sanitizers
#   make         builds build/release/bin/sluice
#   make install PREFIX=/usr/local
#   make fuzz    fuzzes every reader of bytes    make bench   measures beside the peers

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

.PHONY: all setup demo test fuzz bench docs format install clean

all: setup
	@cmake --preset release $(CMAKE_FLAGS) >/dev/null
	@MAKEFLAGS= cmake --build --preset release -j $(JOBS)

setup:
	@sh scripts/setup.sh

demo: all
	@sh scripts/demo.sh build/release/bin/sluice build/demo

test:
	@sh scripts/setup.sh test
	@sh scripts/test.sh

fuzz: setup
	@sh scripts/fuzz.sh $(FUZZ_SECONDS)

# Beside the peers, on a quiet machine: half an hour. Results go to bench/results, the rest to build/bench.
bench: all
	@sh scripts/setup.sh bench
	@cmake --preset release -DSLUICE_BENCH=ON >/dev/null
	@MAKEFLAGS= cmake --build --preset release -j $(JOBS)
	python3 bench/compare.py
	@[ -z "$$SLUICE_DATA" ] || python3 bench/compare.py --stream news20-ub
	python3 bench/micro.py --micro build/release/bin/micro
	python3 bench/scaling.py --micro build/release/bin/micro
	python3 bench/sweep.py
	python3 bench/dense.py --dense build/release/bin/dense

# The pages that the program writes itself; a test checks that they are up to date.
docs: all
	build/release/bin/sluice learners --markdown > docs/learners.md

format:
	clang-format -i $$(git ls-files "*.[ch]")

install: all
	cmake --install build/release --prefix $(PREFIX)

clean:
	rm -rf build
