# The front door: `make help` says what there is. The build itself is CMake and Ninja, in build/.
LLVM     ?= 19
SANITIZE ?=
BUILD    ?= build/llvm$(LLVM)$(addprefix -,$(SANITIZE))
JOBS     ?= $(shell nproc)
PREFIX   ?= /usr/local
TARGETS  ?= all
OPTIONS  ?=
PROGRAMS ?= ON
SINCE    ?=
LIBCXX_LIBRARIES ?=
MINUTES  ?=
PYTHON   := /usr/bin/python3

.PHONY: all setup build configure test test-all test-long lint lint-recent format install clean help
.NOTPARALLEL:

all: setup build

setup:
	@scripts/setup.sh

configure:
	@cmake -S . -B "$(BUILD)" -G Ninja --log-level=NOTICE \
	  -DPERDURE_LLVM_VERSION=$(LLVM) -DPERDURE_SANITIZE=$(SANITIZE) \
	  "-DPERDURE_LIBCXX_LIBRARIES=$(LIBCXX_LIBRARIES)" -DPERDURE_PROGRAMS=$(PROGRAMS) $(OPTIONS) || { \
	  test -e "$(BUILD)/build.ninja" || rm -rf "$(BUILD)/CMakeCache.txt" "$(BUILD)/CMakeFiles"; \
	  echo "make: \`make setup\` installs what is missing" >&2; exit 1; }

build: configure
	@cmake --build "$(BUILD)" --parallel $(JOBS) --target $(TARGETS)

test: setup
	@$(PYTHON) scripts/run_tests.py --llvm "$(LLVM)" --sanitize "$(SANITIZE)" --jobs $(JOBS)

test-all: setup
	@$(PYTHON) scripts/run_tests.py --llvm "$(LLVM)" --sanitize "$(SANITIZE)" --jobs $(JOBS) --all

test-long: setup
	@$(PYTHON) scripts/run_tests.py --llvm "$(LLVM)" --sanitize "$(SANITIZE)" --jobs $(JOBS) --long $(if $(MINUTES),--minutes $(MINUTES))

lint: setup configure
	@$(PYTHON) scripts/lint.py --build "$(BUILD)" --jobs $(JOBS) $(if $(SINCE),--since $(SINCE))

# As `.ci/run` does: clang-tidy for what was changed last, as far as it gets in half a minute.
lint-recent: setup configure
	@$(PYTHON) scripts/lint.py --build "$(BUILD)" --jobs $(JOBS) --recent --minutes 0.5

format: setup
	@git ls-files -z --cached --others --exclude-standard '*.cc' '*.h' | xargs --null --no-run-if-empty clang-format-19 -i

install: TARGETS += simulated_libraries
install: build
	@cmake --install "$(BUILD)" --prefix "$(PREFIX)"

clean:
	rm -rf build

help:
	@echo 'make             install what is missing (Debian packages), then build'
	@echo 'make test        set up, build, and run the tests with a cross-section of the libraries'
	@echo 'make test-all    also libc++, thorough tests, the plugin with LLVM 22, and tests of concurrency with sanitizers'
	@echo 'make test-long   the long tests only'
	@echo 'make lint        clang-format, clang-tidy, and the rules of tests/tidy'
	@echo 'make format      format the sources in place'
	@echo 'make install     install under PREFIX (/usr/local)'
	@echo 'make clean       remove build/'
	@echo
	@echo 'Variables: LLVM=19|22  SANITIZE=address|thread  JOBS=<n>  PREFIX=<directory>  BUILD=<directory>'
	@echo '           MINUTES=<n>: make test-long goes on for so long, in any order, with new seeds in each round'
	@echo '           SINCE=<commit>: clang-tidy only for files changed since   OPTIONS="-D...": for CMake'
	@echo '           LIBCXX_LIBRARIES=<names with commas>: only these for libc++, too, or none (as make test; default: all)'
	@echo '           LLVM=22 or SANITIZE=... make `make test` run that one build only'
