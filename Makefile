# A thin front of CMake. `make help` lists what there is.

PREFIX ?= /usr/local
RELEASE = build/release
JOBS := $(shell getconf _NPROCESSORS_ONLN)

.PHONY: all demo check bench install format clean help

all:
	cmake -S . -B $(RELEASE)
	cmake --build $(RELEASE) -j $(JOBS)

demo:
	scripts/setup.sh build
	cmake -S . -B $(RELEASE)
	cmake --build $(RELEASE) -j $(JOBS) --target orff-demo orff_program
	$(RELEASE)/examples/orff-demo demo
	@echo
	scripts/demo.sh $(RELEASE)/cli/orff demo

check:
	scripts/setup.sh check
	scripts/check.sh

bench:
	scripts/setup.sh bench
	cmake -S . -B $(RELEASE)
	cmake --build $(RELEASE) -j $(JOBS)
	bench/run.sh $(RELEASE)
	bench/run_learn.sh $(RELEASE)

install: all
	cmake --install $(RELEASE) --prefix $(PREFIX)

format:
	scripts/setup.sh format
	find include src formats cli tests examples bench -name '*.[ch]' -exec clang-format -i {} +

clean:
	rm -rf build demo

help:
	@echo 'make                  build the library and its tests in $(RELEASE)'
	@echo 'make demo             install what is missing, build, and write the demo to demo/'
	@echo 'make check            install what is missing, run all tests, also under sanitizers; build with clang'
	@echo 'make bench            install what is missing and run the benchmarks'
	@echo 'make install          install under PREFIX (now $(PREFIX))'
	@echo 'make format           clang-format all C files'
	@echo 'make clean            remove build/ and demo/'
