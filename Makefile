# Builds and tests stand on the Swift toolchain, make and a POSIX shell alone; checks, pages and peers on python3 too.
# `make` lists the usual targets (`##`), `make help-all` all.
#
#   SWIFT=…   the swift to use                          FLAGS=…   more flags for every build, such as --traits
#   CONFIG=…  debug (as usual) or release, for build    FILTER=…  the tests to run, a regular expression
#   TRAITS=…  AllFormats as usual; Desktop for GTK too
#   ARGS=…    arguments for demo and bench              CORPUS=…, REPORT=…  see conformance
#   FORMAT=…, SECONDS=…  what is fuzzed and for how long, from the files of CORPUS too
#   PREFIX=…, DESTDIR=…  see install

SWIFT ?= swift
TRAITS ?= AllFormats
CONFIG ?= debug
FLAGS ?=
FILTER ?=
ARGS ?=
CORPUS ?=
REPORT ?=
FORMAT ?= jpeg
SECONDS ?= 60
PREFIX ?= /usr/local
DESTDIR ?=

SHELL := /bin/sh
MAKEFLAGS += --no-print-directory
export SWIFT TRAITS

SOURCES = Package.swift Sources Tests Examples $(wildcard Benchmarks)
BUILD = $(SWIFT) build
# SVG is no default trait of the package. Programs and tests of the repository have all formats, by one trait: with two,
# SwiftPM up to 6.3 builds everything again whenever it passes them in another order.
FORMATS = $(if $(findstring traits,$(FLAGS)),,--traits $(TRAITS))
RELEASE = $(BUILD) -c release $(FLAGS) $(FORMATS)
# A report names lines; nobody looks at variables.
LINE_TABLES = -Xswiftc -gline-tables-only
TSAN = --scratch-path .build-tsan --sanitize=thread $(LINE_TABLES) -Xswiftc -DOZU_TSAN -Xswiftc -use-ld=lld
# Beside the sanitizer, the debug preconditions of the standard library in optimised code too: bounds of unsafe buffers
# within their memory, alignment, arithmetic on ranges and pointers.
ASAN = --scratch-path .build-asan --sanitize=address $(LINE_TABLES) -Xswiftc -DOZU_ASAN -Xswiftc -use-ld=lld -Xswiftc -assert-config -Xswiftc Debug
# SQLite and LMDB are measured where they can be compiled against (`make bench-peers`).
BENCHMARKS = OZU_BENCHMARKS=$(if $(and $(wildcard /usr/include/lmdb.h),$(wildcard /usr/include/sqlite3.h)),peers,own)
# A process for each of these, the longest first.
PARTS = OzuCodecsTests OzuTests OzuCachingTests OzuIsolationTests OzuCLITests OzuImagingTests OzuHTTPTests OzuSharedStoresTests OzuServerTests OzuBaseTests $(if $(OZU_BENCHMARKS),OzuBenchTests)
# The longest part in halves: one process would still run it when the others are done.
choices = $(if $(FILTER),'--filter=$(FILTER)',$(foreach part,$(1),$(if $(filter OzuCodecsTests,$(part)),$(halves),'--filter=^$(part)\.')))
halves = '--filter=^OzuCodecsTests\.[A-I]' '--filter=^OzuCodecsTests\.[J-Z]'
# Code with unsafe pointers, and code that reads pictures of strangers. HTTP is for the thread sanitizer and the fuzzers, which stand
# in this build.
UNSAFE = OzuCodecsTests OzuCachingTests OzuIsolationTests OzuImagingTests
# Of these, models of the disk cache and the memory cache that take minutes and have no memory of their own, and pictures of 200
# megapixels.
MODELS = ^OzuCachingTests\.(IndexEdge|LeastRecentlyUsed|MemoryCache|OfferModel|PowerLoss)Tests|^OzuCodecsTests\.HugePictureTests/(jpeg|tiles)
# Code with data that threads share; the loops over pixels belong to one thread each, and take most of an hour, and so does what
# a command does before it loads. The tests of the service start `ozu serve`.
SHARED = OzuTests OzuCachingTests OzuIsolationTests OzuHTTPTests OzuSharedStoresTests OzuServerTests
SHARED_PIXELS = $(addprefix OzuImagingTests/,Pixels/PixelBufferPoolTests.swift Decoding/DecodedByteBudgetTests.swift) \
  $(addprefix OzuCodecsTests/,AnimationTests.swift AnimationEncodingTests.swift AnimationWritingTests.swift ScanTailTests.swift)
# Of these, tests of one thread that take minutes under the sanitizer, which has nothing to see there.
ALONE = ^OzuCodecsTests\.ScanTailTests/(mutants|truncation|pieces|fewRows)|^OzuServerTests\.(Address|RequestHead|HeadDifference)Tests|^OzuCachingTests\.(ChosenKeys|DiskCacheAge|DiskCacheIndex|DiskCacheMetadata|DiskCacheRecovery|DrainModel|ForgedIndex|IndexEdge|IndexPages|LeastRecentlyUsed|OfferModel|PowerLoss|Resynchronization)Tests

.PHONY: help help-all demo serve-demo playground-test build install test test-bench test-tsan test-asan typecheck-apple check-systems check-arm64 gallery gallery-test lint format bench bench-report bench-peers bench-instructions fuzz fuzz-all fuzz-quick drills-tests drills-imageio drills-disk drills-mutants drills-scheduler drills-leaks drills-memory walk-cold oracle oracle-mutants docs site-test package-test conformance clean dependencies

help: ## list the usual targets (this is the default)
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-18s  %s\n", $$1, $$2 }' Makefile

help-all: ## list all targets
	@awk -F ':.*#[-#] ' '/^[a-z0-9-]+:.*#[-#] / { printf "  make %-18s  %s\n", $$1, $$2 }' Makefile

demo: dependencies ## load, resize and cache the bundled photographs, and show where each came from
	@$(RELEASE) --product ozu
	@$(SWIFT) run -c release $(FLAGS) $(FORMATS) --skip-build ozu demo $(ARGS)

serve-demo: dependencies ## start the image service with Redis and nginx, and a page to try it on (ARGS=--check, --port N)
	@$(RELEASE) --product ozu
	@scripts/serve-demo $(ARGS)

build: dependencies ## build everything (CONFIG=release for an optimised build)
	@$(BUILD) -c $(CONFIG) $(FLAGS) $(FORMATS)

install: dependencies ## build and install ozu, its manual page and its completions (PREFIX=/usr/local, DESTDIR=)
	@$(RELEASE) --product ozu
	@scripts/install-ozu "$$($(RELEASE) --show-bin-path)" '$(DESTDIR)' '$(PREFIX)'

# Nothing but the tests and what they need: no drills, no conformance run.
test: export OZU_TESTS ?= $(if $(FILTER),,$(PARTS) OzuCLI)
test: dependencies ## run the tests in a debug build (FILTER=… for some of them)
	@$(BUILD) --build-tests --disable-xctest $(FLAGS) $(FORMATS)
	@scripts/run-tests .build $(call choices,$(PARTS)) --

# A process under a sanitizer cannot be confined, so `ozu serve` does not require it in these tests.
test-tsan test-asan: export OZU_ISOLATION = off
# The sanitizer cannot see into the standard library's lock: OZU_TSAN builds with a POSIX one in its place.
test-tsan: export OZU_TESTS = $(if $(FILTER),,$(SHARED) $(SHARED_PIXELS) OzuCLI)
test-tsan: dependencies #- run the tests of what threads share under the thread sanitizer
	@$(BUILD) --build-tests --disable-xctest $(TSAN) $(FLAGS) $(FORMATS)
	@scripts/run-tests .build-tsan $(call choices,$(SHARED)) $(if $(FILTER),,'--filter=^Ozu(Imaging|Codecs)Tests\.') -- $(if $(FILTER),,'--skip=$(ALONE)')

# XCTest itself leaks a few hundred bytes at exit, so leaks are not what this run looks for. lld, because gold
# warns of every symbol of the sanitizer's assembly. The fuzzer's targets are built too, for `make fuzz-quick`.
test-asan: export OZU_TESTS = $(if $(FILTER),,$(UNSAFE) OzuFuzz)
test-asan: dependencies #- run the tests of what has unsafe code under the address sanitizer, with every debug precondition; with CORPUS=DIR the conformance run too
	@$(if $(FILTER),,OZU_FUZZ=1) $(BUILD) --build-tests --disable-xctest $(ASAN) $(FLAGS) $(FORMATS)
	@ASAN_OPTIONS=detect_leaks=0 scripts/run-tests .build-asan $(call choices,$(UNSAFE)) -- $(if $(FILTER),,'--skip=$(MODELS)')
	@test -z '$(CORPUS)' || OZU_TESTS=OzuConformance ASAN_OPTIONS=detect_leaks=0 $(SWIFT) run $(ASAN) $(FLAGS) $(FORMATS) OzuConformance '$(CORPUS)' --without-costs

typecheck-apple: #- check the code for Apple platforms against stand-ins for their frameworks, and that mistakes are found
	@scripts/typecheck-apple
	@scripts/test-typecheck-apple
	@python3 -B scripts/documentation/check_samples.py apple

lint: ## check formatting, layering, leftovers, the links, names and figures on pages; changes nothing
	@$(SWIFT) format lint --recursive --parallel --strict $(SOURCES)
	@scripts/check-layering
	@scripts/check-sources
	@scripts/check-numbers
	@scripts/test-check-numbers
	@scripts/drills-mutants check
	@scripts/oracle-mutants check
	@python3 -B scripts/documentation/check_links.py
	@python3 -B scripts/documentation/check_names.py
	@python3 -B scripts/documentation/check_words.py
	@python3 -B scripts/documentation/check_figures.py
	@python3 -B scripts/documentation/check_packages.py
	@python3 -B scripts/documentation/check_tree.py

check-arm64: #- compile Ozu for arm64 and run it under emulation, as root (CORPUS=DIR; ARGS=build for some steps)
	@CORPUS='$(CORPUS)' scripts/check-arm64 $(ARGS)

# Seconds, after the first time: the headers of packages are fetched once a week.
check-systems: #- compile the C files against the headers of every system that Ozu is for and see that old lines are found (ARGS=debian-13 for some)
	@scripts/check-systems $(ARGS)
	@scripts/test-check-systems

format: ## format the Swift sources in place
	@$(SWIFT) format --in-place --recursive --parallel $(SOURCES)

# `service` measures processes: `ozu serve` and other servers.
bench: dependencies ## run benchmarks beside their peers (ARGS=thumbnail for one of them, ARGS=service, ARGS=--help)
	@$(BENCHMARKS) $(RELEASE) --product $(if $(filter service,$(firstword $(ARGS))),ozu,ozu-bench)
	@$(if $(filter service,$(firstword $(ARGS))),python3 -B Benchmarks/service.py --ozu "$$($(RELEASE) --show-bin-path)/ozu" \
	  $(wordlist 2,99,$(ARGS)),"$$($(RELEASE) --show-bin-path)/ozu-bench" $(ARGS))

test-bench: #- run the tests of the benchmarks
	@$(BENCHMARKS) $(MAKE) test FILTER='^OzuBenchTests\.'

bench-report: #- write Benchmarks/report.html from the recorded results
	@python3 Benchmarks/report.py

bench-peers: dependencies #- install the libraries that benchmarks compare with
	@scripts/install-bench-peers

bench-instructions: dependencies #- count instructions and cache misses of fixed cases; fails above 3 % more than recorded (ARGS=record)
	@$(BENCHMARKS) $(RELEASE) --product OzuInstructions
	@scripts/bench-instructions "$$($(RELEASE) --show-bin-path)/OzuInstructions" $(ARGS)

# SwiftPM passes two sanitizers in the order of a hash table, and builds everything again in another order.
# The fuzzer has its own `main`, and the crash reporter of Swift would hold it up. The grammar of SVG is for the
# processes of `ozu --svg`, whose limits a sanitizer would not keep.
fuzz: dependencies ## feed a decoder mutated files under the address sanitizer (FORMAT=jpeg and others, see scripts/fuzz formats, or svg-grammar; SECONDS=60 CORPUS=DIR)
	@test '$(FORMAT)' != svg-grammar || $(BUILD) $(FLAGS) $(FORMATS) --product ozu
	@test '$(FORMAT)' = svg-grammar || OZU_FUZZ=1 SWIFT_DETERMINISTIC_HASHING=1 $(BUILD) -c release --scratch-path .build-fuzz $(FORMATS) --product OzuFuzz \
	  -Xswiftc -enable-testing -Xswiftc -sanitize=fuzzer,address --sanitize fuzzer --sanitize address -Xswiftc -use-ld=lld
	@scripts/fuzz '$(FORMAT)' '$(SECONDS)' '$(CORPUS)'

# Built once, with the first. Each has a second at least: for libFuzzer 0 is for ever.
fuzz-all: #- feed every decoder mutated files, for SECONDS in all
	@formats=$$(scripts/fuzz formats) && each=$$(($(SECONDS) / $$(echo $$formats | wc -w))) && \
	if [ $$each -eq 0 ]; then each=1; fi && \
	$(MAKE) fuzz FORMAT=$${formats%% *} SECONDS=$$each && \
	for format in $${formats#* }; do scripts/fuzz $$format $$each '$(CORPUS)' || exit 1; done

# No coverage leads the changes, as it does in `make fuzz-all`; for that nothing is built again. Two at a time.
fuzz-quick: #- feed every decoder files changed at random in the build of test-asan, for SECONDS of processor time in all (SEED=1 for the same changes each time)
	@test -x .build-asan/debug/OzuFuzz || { echo "Run make test-asan first" >&2; exit 2; }
	@formats=$$(scripts/fuzz formats) && each=$$(($(SECONDS) / $$(echo $$formats | wc -w))) && \
	printf '%s\n' $$formats | QUICK=yes xargs -P 2 -I FORMAT scripts/fuzz FORMAT $$each '$(CORPUS)'

drills-tests: #- run the tests with all cases of those that otherwise take a part of them (FILTER=… for some of them)
	@OZU_ALL_CASES=1 $(MAKE) test

# In the build of `make build` or `make test`.
drills-imageio: #- run the codecs of ImageIO with a stand-in that counts what they ask of it
	@scripts/imageio-drill

drills-disk: dependencies #- kill, starve and fool the disk cache with real processes, and have power fail (ARGS='N capacity waiting' for N kills, some drills; 200 as usual)
	@$(RELEASE) --product OzuDiskDrills
	@$(SWIFT) run -c release $(FLAGS) $(FORMATS) --skip-build OzuDiskDrills drill $(ARGS)

drills-mutants: #- run the drills and the tests of the disk cache against mutated builds, each of which must fail (ARGS='N M1 L4' for N kills, some)
	@scripts/drills-mutants $(ARGS)

drills-scheduler: dependencies #- compare the scheduler with its naive twin by random operations (ARGS=N for N seeds; 100,000 as usual)
	@$(RELEASE) --product OzuSchedulerDrills
	@$(SWIFT) run -c release $(FLAGS) $(FORMATS) --skip-build OzuSchedulerDrills $(ARGS)

drills-leaks: dependencies #- load at random by pipelines that come and go, and look for what they leave behind (ARGS=N for N seconds; 600 as usual)
	@$(RELEASE) --product OzuSchedulerDrills
	@$(SWIFT) run -c release $(FLAGS) $(FORMATS) --skip-build OzuSchedulerDrills leaks $(ARGS)

walk-cold: dependencies #- print the files that a cold request runs through, by the coverage of one load (ARGS=--page to write the page's list)
	@scripts/walk-cold $(ARGS)

oracle: #- compare the pipeline with the oracle by random operations (ARGS=N for N seeds; 10,000 as usual)
	@OZU_ORACLE_SEEDS=$(or $(ARGS),10000) OZU_TESTS=OzuTests $(MAKE) test FILTER='^OzuTests\.OracleTests'

oracle-mutants: #- run the oracle against mutated builds, each of which it must find (ARGS='N D1 E2' for N seeds, some)
	@scripts/oracle-mutants $(ARGS)

drills-memory: dependencies #- bring a control group short of memory, and see a cache give back what it holds (needs root)
	@OZU_MEMORY_DRILL=1 $(MAKE) test FILTER=RealMemoryPressure

playground-test: dependencies #- use the page of `ozu serve` in headless Chromium (ARGS=FOLDER for screenshots)
	@$(BUILD) -c $(CONFIG) $(FLAGS) $(FORMATS) --product ozu
	@CONFIG=$(CONFIG) scripts/playground-test $(ARGS)

gallery: dependencies ## open a window full of pictures; needs GTK 4 (ARGS=FOLDER or a file of addresses)
	@scripts/gallery-test open $(ARGS)

gallery-test: dependencies #- scroll, resize and look at the gallery in a window of its own (ARGS='--json FILE', --strict, names of drills)
	@scripts/gallery-test $(ARGS)

docs: dependencies ## build the documentation into docs-site, and compile its samples
	@scripts/build-docs

site-test: #- read the site that `make docs` has built in headless Chromium (ARGS=FOLDER for screenshots)
	@scripts/site-test $(ARGS)

# `ozu` as the tests have built it. The display is for the page about a window.
package-test: dependencies #- build and run packages that depend on Ozu, by the pages for newcomers (ARGS=server for one page, ARGS=all for all combinations)
	@scripts/install-packages libgtk-4-dev xvfb curl python3
	@$(BUILD) $(FLAGS) $(FORMATS) --product ozu
	@python3 -B Tests/Apps/GettingStarted/walk.py Sources/Apps/OzuCLI/Resources/Photos/canyon-wren.jpg "$$($(BUILD) $(FLAGS) $(FORMATS) --show-bin-path)/ozu" $(ARGS)

conformance: ## decode a corpus and compare with its references (CORPUS=DIR, REPORT=FILE, ARGS=--isolated)
	@test -n '$(CORPUS)' || { echo "Say which corpus: make conformance CORPUS=DIR [REPORT=FILE]" >&2; exit 2; }
	@test -d '$(CORPUS)' || { echo "There is no folder '$(CORPUS)' to take as a corpus" >&2; exit 2; }
	@scripts/install-dependencies
	@$(RELEASE) --product OzuConformance
	@$(SWIFT) run -c release $(FLAGS) $(FORMATS) --skip-build OzuConformance '$(CORPUS)' $(if $(REPORT),--report '$(REPORT)') $(ARGS)

clean: ## remove everything that was built
	@rm -rf .build .build-* docs-site bench-out fuzz-out

dependencies:
	@scripts/install-dependencies
