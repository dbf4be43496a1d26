# What a newcomer types. Everything else is CMake's: see CMakePresets.json.
#
#   make demo    sets up, builds, learns a synthetic stream with several learners
#   make test    sets up, builds, runs all tests, also under the sanitizers
#   make         builds build/release/bin/sluice
#   make install PREFIX=/usr/local

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

.PHONY: all setup demo test test-release test-asan test-tsan fuzz docs format install clean

all: setup
	@cmake --preset release $(CMAKE_FLAGS) >/dev/null
	@MAKEFLAGS= cmake --build --preset release -j $(JOBS)

setup:
	@sh scripts/setup.sh

demo: all
	@sh scripts/demo.sh build/release/bin/sluice build/demo

test: setup
	@sh scripts/test.sh

fuzz: setup
	@sh scripts/fuzz.sh $(FUZZ_SECONDS)

# The pages that the program writes itself; a test checks that they are up to date.
docs: all
	build/release/bin/sluice learners --markdown > docs/learners.md

format:
	clang-format -i include/*.h src/*/*.[ch] cli/*.[ch] tests/*/*.[ch]

install: all
	cmake --install build/release --prefix $(PREFIX)

clean:
	rm -rf build
