# SPDX-License-Identifier: Apache-2.0
# The short way to everything; CMake does the work. Each target first installs what it needs and is
# missing (scripts/deps.sh says what and why, and touches nothing when all is there).
BUILD  ?= build
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)
DEPS   := @scripts/deps.sh
CTEST  := ctest --output-on-failure -j $(JOBS)

# A fresh build directory gets the command and the library; tests and benchmarks are switched on by
# the targets that need them and stay on.
fresh  = $(if $(wildcard $(1)/CMakeCache.txt),,-G Ninja)
config = cmake -S . -B $(1) $(call fresh,$(1)) --log-level=WARNING $(2)
first  = $(if $(wildcard $(BUILD)/CMakeCache.txt),,-DSS_BUILD_TESTS=OFF -DSS_BUILD_BENCH=OFF)

.PHONY: all page sbom notice demo test test-arm soak soak-exact soak-piles python bench bench-steps bench-solvers bench-peers validate lint asan tsan valgrind fuzz \
        check-minimal install deb api gallery gallery-pictures clean

all:
	$(DEPS) build
	$(call config,$(BUILD),-DCMAKE_BUILD_TYPE=Release $(first))
	cmake --build $(BUILD) -j $(JOBS) --target stickslip_command stickslip_shared stickslip_manual

demo: all
	scripts/demo.sh $(BUILD)

test:
	$(DEPS) build test python
	$(call config,$(BUILD),-DCMAKE_BUILD_TYPE=Release -DSS_BUILD_TESTS=ON)
	cmake --build $(BUILD) -j $(JOBS)
	$(CTEST) --test-dir $(BUILD)

# The same bits on ARM64, by a cross compiler and qemu-user where they are installed (loudly skipped elsewhere).
test-arm: all
	test/bits/check_arm.sh $(CURDIR) $(abspath $(BUILD)) || [ $$? = 77 ]

# import stickslip: the module in $(BUILD)/python, and its tests.
python:
	$(DEPS) build test python
	$(call config,$(BUILD),-DCMAKE_BUILD_TYPE=Release -DSS_BUILD_TESTS=ON)
	cmake --build $(BUILD) -j $(JOBS) --target stickslip_shared python_module
	$(CTEST) --test-dir $(BUILD) -R python_module

# viewer/page.html from viewer/src; it is kept in the repository.
page:
	$(DEPS) page
	cd viewer && { [ -d node_modules ] || npm ci --prefer-offline --no-audit --no-fund --ignore-scripts; }
	node viewer/build.mjs

# Solvers against exact arithmetic, 100 000 problems (a slice of it is in `make test`).
soak-exact:
	$(DEPS) build test
	$(call config,$(BUILD),-DCMAKE_BUILD_TYPE=Release -DSS_BUILD_TESTS=ON)
	cmake --build $(BUILD) -j $(JOBS) --target test_exact
	cmake --build $(BUILD) --target soak-exact

# Piles to rest: a wall of bricks, 1000 spheres; and the broad phase of up to 1e5 bodies.
soak-piles:
	$(DEPS) build bench
	$(call config,$(BUILD),-DCMAKE_BUILD_TYPE=Release -DSS_BUILD_BENCH=ON)
	cmake --build $(BUILD) -j $(JOBS) --target bench_piles
	cmake --build $(BUILD) --target soak-piles

# Instructions of a step of a rolling disc in each model, by callgrind.
bench-steps:
	$(DEPS) build
	$(call config,$(BUILD),-DCMAKE_BUILD_TYPE=Release)
	cmake --build $(BUILD) -j $(JOBS) --target stickslip_command
	python3 scripts/bench_steps.py $(BUILD)/stickslip --check

bench bench-solvers:
	$(DEPS) build bench
	$(call config,$(BUILD),-DCMAKE_BUILD_TYPE=Release -DSS_BUILD_BENCH=ON)
	cmake --build $(BUILD) -j $(JOBS)
	cmake --build $(BUILD) --target $@

bench-peers:
	$(DEPS) build bench-peers
	$(call config,$(BUILD),-DCMAKE_BUILD_TYPE=Release -DSS_BUILD_BENCH=ON)
	cmake --build $(BUILD) -j $(JOBS)
	cmake --build $(BUILD) --target $@

# Recorded experiments, where they are; VALIDATE=--frozen, --all or --identify (docs/benchmarks/validate.md).
DATA     ?= ../shared/data
VALIDATE ?=
validate:
	$(DEPS) build
	$(call config,$(BUILD),-DCMAKE_BUILD_TYPE=Release -DSS_BUILD_BENCH=ON)
	cmake --build $(BUILD) -j $(JOBS) --target validate stickslip_command
	bench/validate/run.sh $(BUILD) $(DATA) . $(VALIDATE)

# Long: random scenes, judged from outside (test/property/random_scenes.c); coverage of intervals.
SCENES ?= 1200
soak:
	$(DEPS) build test
	$(call config,$(BUILD),-DCMAKE_BUILD_TYPE=Release -DSS_BUILD_TESTS=ON)
	cmake --build $(BUILD) -j $(JOBS) --target random_scenes test_identify
	$(BUILD)/test/random_scenes $(SCENES)
	$(BUILD)/test/random_scenes --mixed --except test/property/mixed_exceptions.txt $(SCENES)
	$(BUILD)/test/random_scenes --shapes $(SCENES)
	$(BUILD)/test/random_scenes --slow $(SCENES)
	$(BUILD)/test/random_scenes --shots $(SCENES)
	COVERAGE=100 $(BUILD)/test/test_identify

lint:
	$(DEPS) build test lint
	cmake --preset debug -B build-lint -DSS_BUILD_BENCH=OFF -DSS_HAS_VECT_COST_MODEL=OFF --log-level=WARNING
	tools/lint.sh build-lint

asan tsan:
	$(DEPS) build test
	cmake --preset $@ --log-level=WARNING
	cmake --build build-$@ -j $(JOBS)
	$(CTEST) --test-dir build-$@ -LE install

valgrind:
	$(DEPS) build test valgrind
	cmake --preset debug --log-level=WARNING
	cmake --build build-debug -j $(JOBS)
	tools/valgrind.sh build-debug

fuzz:
	$(DEPS) build fuzz
	tools/fuzz.sh

# The core builds and runs with a compiler and libyaml alone.
check-minimal:
	$(DEPS) build test
	cmake --preset minimal --log-level=WARNING
	cmake --build build-minimal -j $(JOBS)
	$(CTEST) --test-dir build-minimal -LE install

# What a build consists of: SPDX 2.3 as JSON, and the licences of everything in it.
sbom: all
	python3 tools/sbom.py $(BUILD) --spdx $(BUILD)/stickslip.spdx.json

notice: all
	python3 tools/sbom.py $(BUILD) --notice $(BUILD)/NOTICE

install: all
	DESTDIR=$(DESTDIR) cmake --install $(BUILD) --prefix $(PREFIX)
	@scripts/installed.sh $(PREFIX) $(DESTDIR)

# build/stickslip_VERSION_ARCH.deb: library, headers, command, manual pages, completion.
deb: all
	$(DEPS) deb
	cpack -G DEB --config $(BUILD)/CPackConfig.cmake -B $(BUILD)

# build/api/html/index.html: the C API from the headers.
api:
	$(DEPS) api
	mkdir -p $(BUILD)/api
	{ cat docs/Doxyfile; echo OUTPUT_DIRECTORY=$(BUILD)/api; } | doxygen -

# build/gallery/index.html: live reports of the scenes of docs/gallery.md.
gallery: all
	python3 scripts/gallery.py $(BUILD)

# The pictures of docs/gallery.md and README.md (those in space need Chromium).
gallery-pictures: all
	python3 scripts/gallery.py $(BUILD) --pictures

clean:
	rm -rf build build-debug build-asan build-tsan build-minimal build-lint build-fuzz
