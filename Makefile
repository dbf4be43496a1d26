# What a newcomer types; `make help` lists it. Everything else is CMake's: see CMakePresets.json.

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
LIVE_SECONDS ?= 120
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

.PHONY: all everything help setup demo kafka-demo live-demo check test test-long lint coverage abi fuzz torture bench docs site wheel format install uninstall deb clean

# The program, the library, the manual. A build folder that is new gets no tests: targets that need them add them.
all: setup
	@[ -e build/release/CMakeCache.txt ] || cmake --preset release -DSLUICE_TESTS=OFF -DSLUICE_EXAMPLES=OFF $(CMAKE_FLAGS) >/dev/null
	@[ -z "$(CMAKE_FLAGS)" ] || cmake --preset release $(CMAKE_FLAGS) >/dev/null
	@MAKEFLAGS=--no-print-directory cmake --build --preset release --target installed -j $(JOBS)

# The same with the tests and the examples.
everything:
	@sh scripts/setup.sh check
	@cmake --preset release -DSLUICE_TESTS=ON -DSLUICE_EXAMPLES=ON $(CMAKE_FLAGS) >/dev/null
	@MAKEFLAGS=--no-print-directory cmake --build --preset release -j $(JOBS)

help:
	@echo "make            installs what is missing (Debian), builds build/release/bin/sluice"
	@echo "make demo       learns a synthetic stream with several learners"
	@echo "make kafka-demo a Kafka broker, a topic learned while it is written, kill -9, going on, the proof: 20 s"
	@echo "make live-demo  sluice serve under traffic, with a page to watch it: 2 minutes, LIVE_SECONDS=120; Ctrl-C ends it"
	@echo "make check      the quick tests: under 30 s"
	@echo "make test       all tests, also with the sanitizers, with clang and with other kernels: under 15 minutes"
	@echo "make test-long  musl, aarch64 (qemu), without optional libraries, every kernel"
	@echo "make lint       layout, clang-tidy, shellcheck, first lines"
	@echo "make coverage   lines and branches that the tests run, per folder"
	@echo "make abi        compares the library with the last tag (abidiff)"
	@echo "make install    PREFIX=/usr/local, DESTDIR respected; make uninstall removes what it installed"
	@echo "make deb        the Debian package sluiceway_*.deb"
	@echo "make fuzz       libFuzzer and AFL++, FUZZ_SECONDS=60 for every reader of bytes, loader and build"
	@echo "make torture    every allocation and system call fails once, kills, power failures: 20 minutes"
	@echo "make bench      measures beside other programs, on a quiet machine"
	@echo "make wheel      the Python package: wheel and sdist in python/dist, tested in empty environments of Python 3.10 to 3.13"
	@echo "make site       the documentation of the Python package, in build/site"
	@echo "make docs       writes docs/learners.md anew; make format lays out the sources; make clean"
	@echo "CMAKE_FLAGS=... is handed to cmake, for example CMAKE_FLAGS=-DSLUICE_WITH_ZSTD=OFF"

setup:
	@sh scripts/setup.sh

demo: all
	@sh scripts/demo.sh build/release/bin/sluice build/demo

kafka-demo: everything
	@sh scripts/setup.sh kafka
	@/usr/bin/python3 scripts/kafka_demo.py build/release/bin/sluice build/release/bin/kafka_tool

live-demo: all
	@/usr/bin/python3 scripts/live_demo.py build/release/bin/sluice --seconds $(LIVE_SECONDS)

check: everything
	@ctest --test-dir build/release -L check -j $(JOBS) --timeout 1800 --output-on-failure --progress

test:
	@sh scripts/setup.sh test
	@sh scripts/test.sh

test-long:
	@sh scripts/setup.sh test long
	@sh scripts/ci-long.sh

lint:
	@sh scripts/setup.sh lint
	@sh scripts/lint.sh

coverage:
	@sh scripts/setup.sh coverage
	@sh scripts/coverage.sh

abi: everything
	@sh scripts/setup.sh abi
	@sh scripts/abi.sh

fuzz: setup
	@sh scripts/fuzz.sh $(FUZZ_SECONDS)

torture: everything
	@sh scripts/torture.sh build/release

# Beside the peers, on a quiet machine: half an hour. Results go to bench/results, the rest to build/bench.
bench: all
	@sh scripts/setup.sh bench
	@cmake --preset release -DSLUICE_BENCH=ON -DSLUICE_TESTS=ON >/dev/null
	@MAKEFLAGS=--no-print-directory cmake --build --preset release -j $(JOBS)
	python3 bench/compare.py
	@[ -z "$$SLUICE_DATA" ] || python3 bench/compare.py --stream news20-ub
	python3 bench/micro.py --micro build/release/bin/micro
	python3 bench/scaling.py --micro build/release/bin/micro
	python3 bench/sweep_costs.py
	python3 bench/dense_costs.py --dense build/release/bin/dense_costs

# The pages that the program writes itself; a test checks that they are up to date.
docs: all
	build/release/bin/sluice learners --markdown > docs/learners.md

# The site of the Python package: read build/site/index.html, no server needed.
site: all
	@sh scripts/setup.sh wheel
	@sh scripts/site.sh

wheel:
	@sh scripts/setup.sh wheel
	@sh scripts/wheel.sh

format:
	clang-format -i $$(git ls-files "*.[ch]")

install: all
	cmake --install build/release --prefix $(PREFIX)

# build/release/sluiceway_*.deb: apt install ./build/release/sluiceway_*.deb
deb: all
	@sh scripts/setup.sh deb
	@cd build/release && cpack -G DEB >/dev/null && ls "$$PWD"/sluiceway_*.deb

# CMake wrote what it installed into the manifest. Folders stay: others may use them.
uninstall:
	@sh scripts/uninstall.sh build/release

clean:
	rm -rf build
