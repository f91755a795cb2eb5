# A thin front of CMake. `make help` lists what there is.

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
RELEASE = build/release
JOBS := $(shell getconf _NPROCESSORS_ONLN)

PEERS = build/peers-venv/bin/python

.PHONY: all demo test check fuzz bench paper data-report docs dist wheel deb r install format clean help

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

test:
	scripts/setup.sh build
	cmake -S . -B $(RELEASE) -DORFF_TESTS=ON
	cmake --build $(RELEASE) -j $(JOBS)
	ctest --test-dir $(RELEASE) -L quick -j $(JOBS) --output-on-failure --no-tests=error

check:
	scripts/setup.sh check
	scripts/check.sh

fuzz:
	scripts/setup.sh fuzz
	FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/fuzz.sh

bench:
	scripts/setup.sh bench
	cmake -S . -B $(RELEASE)
	cmake --build $(RELEASE) -j $(JOBS)
	bench/run.sh $(RELEASE)
	bench/run_learn.sh $(RELEASE)
	$${PYTHON:-/usr/bin/python3} bench/python_bench.py $(RELEASE)

paper:
	scripts/setup.sh build
	cmake -S . -B $(RELEASE)
	cmake --build $(RELEASE) -j $(JOBS) --target orff_paper
	$(RELEASE)/paper/orff-paper all --resume -o build/paper $(if $(DATA),--data $(DATA))

data-report:
	scripts/setup.sh report
	cmake -S . -B $(RELEASE)
	cmake --build $(RELEASE) -j $(JOBS) --target orff_program
	$(PEERS) bench/data_report/run.py $(RELEASE)/cli/orff $(if $(DATA),--data $(DATA)) $(REPORT)
	$(PEERS) bench/data_report/table.py $(RELEASE)/cli/orff

docs:
	scripts/setup.sh docs
	cmake -S . -B $(RELEASE)
	cmake --build $(RELEASE) -j $(JOBS) --target orff orff_program
	site/build.sh $(RELEASE) build/docs

dist:
	scripts/setup.sh build
	packaging/test-dist.sh $$(scripts/dist.sh | tee /dev/stderr)

wheel:
	scripts/setup.sh wheel
	FFT=$(or $(FFT),fftw) packaging/wheel.sh

deb:
	scripts/setup.sh deb
	packaging/deb.sh
	packaging/test-deb.sh

r:
	scripts/setup.sh r
	cmake -S . -B $(RELEASE)
	cmake --build $(RELEASE) -j $(JOBS) --target orff orff_static orff_program orff_documents
	packaging/test-r.sh $(RELEASE)

install: all
	cmake --install $(RELEASE) --prefix $(PREFIX)

format:
	scripts/setup.sh format
	find include src formats cli tests examples bench paper -name '*.[ch]' -exec clang-format -i {} +

clean:
	rm -rf build demo

help:
	@echo 'make                  build the library and its tests in $(RELEASE)'
	@echo 'make demo             install what is missing, build, and write the demo to demo/'
	@echo 'make test             build, and run the quick tests: less than a minute'
	@echo 'make check            install what is missing, run all tests, also under sanitizers; warnings of clang, cppcheck'
	@echo 'make fuzz             fuzz every reader of files for FUZZ_SECONDS (now $(FUZZ_SECONDS)) with clang and libFuzzer'
	@echo 'make bench            install what is missing and run the benchmarks'
	@echo 'make paper            regenerate the results of the paper in build/paper (DATA=folder of MNIST)'
	@echo 'make data-report      compare with other methods on real data, in docs/data.md; hours (DATA=folder, REPORT=options of run.py)'
	@echo 'make docs             build the documentation as a site: build/docs/index.html'
	@echo 'make dist             the release archive, in build/dist; it is unpacked elsewhere, built and tried'
	@echo 'make wheel            Python wheel and source distribution, in build/dist/python, tried with packages of PyPI (FFT=none: without FFTW)'
	@echo 'make deb              Debian packages, in build/deb, installed and tried in new systems; minutes, as root'
	@echo 'make r                check the R package over this build'
	@echo 'make install          install under PREFIX (now $(PREFIX))'
	@echo 'make format           clang-format all C files'
	@echo 'make clean            remove build/ and demo/'
