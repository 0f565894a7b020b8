# What a person does with this project, one word each. `make help` lists it.
# Every target installs what it needs first (apt on Debian and Ubuntu) and nothing twice.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help run test lint-and-test lint-crates lint-others check-page test-page build-tests test-docs test-crates fuzz fuzz-coverage voices mutants coverage soak bench bench-smoke bench-peers bench-scale steady lint fmt advisories package test-package reproducible release flatpak test-desktops orca docs screenshots icons page
.PHONY: setup-build setup-desktop setup-test setup-soak setup-peers setup-fuzz setup-voices setup-mutants setup-coverage setup-lint setup-package setup-test-package setup-reproducible setup-flatpak setup-desktops setup-orca setup-docs setup-shots setup-icons

export PATH := $(HOME)/.cargo/bin:$(PATH)
export CARGO_TERM_PROGRESS_WHEN ?= never

# One feature set for building and testing, so that nothing is compiled twice.
# custom-protocol embeds the page in the program; without it the window asks a development server.
FEATURES := --features tidings-desktop/custom-protocol
LOCKED := $(if $(CI),--locked)

# Three times as many as cores: most tests wait for a window, a bus, a database or a bound of time. How many desktops run at
# a time is in .config/nextest.toml.
TEST_THREADS := $(shell echo $$(( 3 * $$(nproc 2>/dev/null || echo 2) )))
# Half again as many as cores: half of its time, a test of the page waits for the page's own timers.
PAGE_WORKERS := $(shell echo $$(( (3 * $$(nproc 2>/dev/null || echo 2) + 1) / 2 )))
# For what nothing else waits for: it has what the build leaves of the processor, and then what the tests leave.
ASIDE := nice -n 5

PAGE_SOURCES := $(shell find i18n ui -path ui/node_modules -prune -o -path ui/dist -prune -o -type f -print 2>/dev/null)

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: setup-build page ## Build and open Tidings; with no display, on a virtual one, ending with a picture
	scripts/run.sh

test: setup-desktop page ## Everything: the page, the crates, the stories, the real desktop
	$(MAKE) --no-print-directory -j 5 check-page test-page test-docs test-crates

# What .ci/run makes. Half of the time of the lints, and of setting up what the tests need, is waiting for registries.
lint-and-test: setup-build
	$(MAKE) --no-print-directory -j 8 lint-others check-page test-page test-docs test-crates

check-page: page
	cd ui && $(ASIDE) npm run check

test-page: page
	cd ui && $(ASIDE) npm test -- --maxWorkers=$(PAGE_WORKERS)

# Examples are linted by the build of .ci/run.
BUILT := $(if $(CI),--all-targets,--bins --tests)
# Without make's flags: cargo has job slots of its own.
build-tests test-docs test-crates soak bench-smoke: CARGO := env -u MAKEFLAGS -u MFLAGS cargo
build-tests: page
	$(CARGO) build --workspace $(BUILT) $(FEATURES) $(LOCKED)

test-docs: build-tests
	$(ASIDE) $(CARGO) test --workspace --doc --quiet $(FEATURES) $(LOCKED)

test-crates: build-tests setup-desktop
	$(CARGO) nextest run --workspace --test-threads $(TEST_THREADS) $(FEATURES) $(LOCKED) $(if $(CI),--profile ci)

# What these have tried is written into docs/TRUST.md once all of it went well.
fuzz fuzz-coverage voices mutants coverage soak steady: export TIDINGS_REPORT = $(or $(CARGO_TARGET_DIR),$(CURDIR)/target)/$@.tried

fuzz: setup-fuzz page ## Requests of every shape, drawn from the reference, at a server of its own
	cargo build --package tidings-cli --bin tidings $(LOCKED)
	rm -f "$$TIDINGS_REPORT"
	scripts/fuzz.sh
	scripts/trust.py "\`make $@\`"

fuzz-coverage: setup-build ## Inputs of one parser that reach new code, for an hour: make fuzz-coverage TARGET=mail; without TARGET it lists them
	rm -f "$$TIDINGS_REPORT"
	scripts/fuzz-coverage.sh $(TARGET) $(ARGS)
	scripts/trust.py "\`make $@\`"

voices: setup-voices ## Programs of others at servers of their own: Gotify's description, monitors, mailers, pushers, mail indexers; ARGS=postfix for one
	cargo build --package tidings-cli --bin tidings $(LOCKED)
	rm -f "$$TIDINGS_REPORT"
	scripts/voices.sh $(ARGS)
	scripts/trust.py "\`make $@\`"

mutants: setup-mutants ## Wrong lines, and whether a test notices: make mutants PART=model SHARD=0, about an hour; without PART it lists the parts
	rm -f "$$TIDINGS_REPORT"
	scripts/mutants.sh $(PART) $(SHARD)
	scripts/trust.py "\`make $@\`"

coverage: setup-coverage page ## Which lines the tests of the crates reach, by crate
	rm -f "$$TIDINGS_REPORT"
	scripts/coverage.sh $(ARGS)
	scripts/trust.py "\`make $@\`"

# All of it beside each other, as .config/nextest.toml has it: the story of two servers and the week are two of the threads.
# The shorter simulation of `make test` comes first and alone, so that its time is seen.
# Its programs are optimised a little, in a folder of their own: without it, ten thousand histories take hours.
soak: export CARGO_PROFILE_DEV_OPT_LEVEL = 1
soak: export CARGO_TARGET_DIR := $(or $(CARGO_TARGET_DIR),$(CURDIR)/target)/soak
# It is built once: files for building parts of it again would only fill the disk.
soak: export CARGO_INCREMENTAL = 0
soak: setup-soak build-tests ## An hour: 20 minutes of work at two servers while everything fails; beside it disks that fail or lose power, 10,000 simulated histories, restores that are killed, a week at the desk; TIDINGS_SOAK=600 for ten minutes at the servers
	rm -f "$$TIDINGS_REPORT"
	$(CARGO) nextest run --workspace --test-threads $(TEST_THREADS) $(FEATURES) $(LOCKED) -E 'package(tidings-tests) and test(/^simulation::days_/)'
	TIDINGS_SOAK=$${TIDINGS_SOAK:-1200} $(CARGO) nextest run --profile soak --workspace --test-threads $(TEST_THREADS) $(FEATURES) $(LOCKED)
	scripts/trust.py "\`make $@\` of $${TIDINGS_SOAK:-1200} s"

bench: setup-shots page ## The figures: prints a table and writes docs/PERFORMANCE.md
	scripts/bench.sh

# On the build of the tests: it compares counts with their bars, and needs no optimised one.
bench-smoke: setup-build ## The short run that .ci/run makes: what items, searches and publications cost in bytes, statements and allocations
	$(CARGO) build --workspace --bins $(FEATURES) $(LOCKED)
	"$${CARGO_TARGET_DIR:-target}/debug/tidings-benches" --smoke

bench-peers: setup-peers ## The time of mail indexers of Debian, and the memory of Gotify Tray, beside ours; writes docs/PERFORMANCE-PEERS.md
	scripts/bench.sh peers

bench-scale: setup-test ## The figures of many people and several processes; writes docs/PERFORMANCE-SCALE.md
	scripts/bench-scale.sh $(ARGS)

# Some three thousand connections are open at once, at both of their ends.
steady: setup-build ## Ten minutes of 1,000 notifications a second to 1,000 readers who are online: each arrives once; ARGS="--minutes 1" for one
	rm -f "$$TIDINGS_REPORT"
	cargo build --release --package tidings-benches --package tidings-cli --bins $(LOCKED)
	ulimit -n "$$(ulimit -Hn)" && "$${CARGO_TARGET_DIR:-target}/release/tidings-benches" steady $(ARGS)
	scripts/trust.py "\`make $@\`"

lint: lint-others check-page lint-crates ## Formatting, clippy, licences, advisories, the page's rules

lint-crates: setup-lint page
	cargo clippy --workspace --all-targets $(FEATURES) $(LOCKED) -- -D warnings

lint-others: setup-lint page
	cargo fmt --check
	cargo fetch $(LOCKED)
	cargo deny --offline --log-level error check licenses bans sources
	scripts/advisories.sh
	scripts/audit.sh
	cd ui && $(ASIDE) npm run lint

fmt: ui/node_modules/.installed ## Format everything
	cargo fmt
	cd ui && npm run fmt

advisories: setup-lint ## Renew the list of known weaknesses of crates, from GitHub
	scripts/advisories.sh update

package: setup-package setup-lint page ## The .deb, .rpm and tarball under target/packages; ARGS=--for-trial for some to try
	scripts/package.sh $(ARGS)

test-package: setup-test-package ## The packages of `make package` in a fresh Debian 12: install, start, upgrade, downgrade, remove, purge
	scripts/test-package.sh $(ARGS)

reproducible: setup-reproducible ## Make the packages of the last commit twice, in different folders, and compare them
	scripts/reproducible.sh

release: setup-package setup-lint page ## Set the version, commit, package, tag: make release VERSION=0.2.0; ARGS=--dry-run only shows it
	scripts/release.sh $(ARGS) "$(VERSION)"

flatpak: setup-flatpak ## Build and install Tidings as a Flatpak; ARGS=--sources only writes its manifest and lists of sources
	scripts/flatpak.sh $(ARGS)

test-desktops: setup-desktops ## The built program with each notification daemon and on each desktop; writes the tables in docs/desktops.md
	scripts/test-desktops.sh $(ARGS)

orca: setup-orca build-tests ## A walk through the window with the screen reader Orca, by what it says
	cargo nextest run --workspace $(FEATURES) $(LOCKED) --run-ignored only -E 'test(/^window::orca::/)'

docs: setup-docs ## Make a book of docs/ in English and Chinese, in target/book
	mdbook build docs
	mdbook build docs/zh-CN

screenshots: setup-desktop page ## Take a picture of every view; four of them are those in docs/, beside one that moves
	scripts/screenshots.sh

icons: setup-icons ## Draw the PNGs in icons/ from their SVGs
	icons/render.sh

page: ui/dist/index.html

ui/node_modules/.installed: ui/package-lock.json
	cd ui && npm ci --no-audit --no-fund
	touch $@

ui/dist/index.html: ui/node_modules/.installed $(PAGE_SOURCES)
	cd ui && npm run build
	touch $@

setup-build:
	@scripts/setup.sh build
setup-desktop:
	@scripts/setup.sh build desktop test
setup-test:
	@scripts/setup.sh build test
setup-soak:
	@scripts/setup.sh build desktop test chromium
setup-peers:
	@scripts/setup.sh build desktop test peers
setup-fuzz:
	@scripts/setup.sh build fuzz
setup-voices:
	@scripts/setup.sh build fuzz voices
setup-mutants:
	@scripts/setup.sh build test mutants
setup-coverage:
	@scripts/setup.sh build desktop test coverage
setup-lint:
	@scripts/setup.sh build lint
setup-package:
	@scripts/setup.sh build package
setup-test-package:
	@scripts/setup.sh test-package
setup-reproducible:
	@scripts/setup.sh reproducible
setup-flatpak:
	@scripts/setup.sh flatpak
setup-desktops:
	@scripts/setup.sh desktop desktops
setup-orca:
	@scripts/setup.sh build desktop test orca
setup-docs:
	@scripts/setup.sh docs
setup-shots:
	@scripts/setup.sh build desktop
setup-icons:
	@scripts/setup.sh icons
