# wardroom. `make run` shows it at work, `make test` tests it; `make check` is what continuous integration runs.
# The profile `release` serves for running, testing and linting, so that the slow dependencies are built once. `dist` is what ships
# and what is measured.

CARGO ?= cargo
APPDIR ?= target/demo
WARDROOM = target/release/wardroom
# Continuous integration packs the program that was tested.
DIST_PROFILE ?= dist
SHIPPED = target/$(DIST_PROFILE)/wardroom
DENY_VERSION = 0.20.2
FUZZ_VERSION = 0.13.2
FUZZ_TARGETS = uri extract lines stdio folders post edit preview template script image query http registry json_edit toml_edit frame journal \
	task card_query value saved_index request_state traces agents_md metadata
# These begin with documents of all programs.
FUZZ_DOCUMENTS = post edit preview template script
FUZZ_SECONDS ?= 60
CONFORMANCE = target/conformance
CLIENTS = target/clients
HOSTS = target/hosts
WEB = target/web
CLUSTER = target/cluster
PEERS = target/bench/peers
SBOM = target/sbom

.DEFAULT_GOAL := help
.PHONY: help setup setup-clippy setup-deny build guest guest-documents guest-core dist packages code-order run test models miri setup-miri sanitize lint docs deny check conformance clients web pictures hosts \
	check-clients setup-browser setup-shells setup-cluster cluster bench learn soak fuzz fuzz-check clean sign reproducible advisories advisories-fetch

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1|/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-14s %s\n", $$1, $$2 }'

setup: ## install what building takes: the guest's target, or a toolchain that has it
	@sh guest/toolchain.sh install

build: setup ## the guest and the host, release
	$(CARGO) build --release --locked

guest: setup ## the component alone: target/wasm32-wasip2/guest/wardroom_guest.wasm
	sh guest/toolchain.sh build --package wardroom-guest --lib

guest-documents: setup ## the component of documents: target/wasm32-wasip2/guest/wardroom_documents_guest.wasm
	sh guest/toolchain.sh build --package wardroom-documents-guest --lib

MAKE_CORE = $(CARGO) run --release --locked --manifest-path guest/core/Cargo.toml --target-dir $(HOSTS)/core --
CORE_MODULE = target/wasm32-unknown-unknown/guest/wardroom_guest.wasm
guest-core: ## the component without any import, for hosts without WASI: target/hosts/guest-core.wasm
	GUEST_TARGET=wasm32-unknown-unknown sh guest/toolchain.sh install
	GUEST_TARGET=wasm32-unknown-unknown sh guest/toolchain.sh build --package wardroom-guest --lib
	mkdir -p $(HOSTS)
	$(MAKE_CORE) wrap $(CORE_MODULE) $(HOSTS)/guest-core.wasm

# What was packed is unpacked and run.
DIST = target/packages
TARGET = $(shell rustc -vV | sed -n 's/^host: //p')
# No path of this machine is in what ships, and its code has an order (docs/RELEASING.md). Each build of the profile has these
# flags, so that each takes what another one left.
DIST_CARGO = WARDROOM_CODE_ORDER=1 CARGO_ENCODED_RUSTFLAGS="$$(sh dist/paths.sh)" $(CARGO)
dist: setup ## a release: target/packages/wardroom-VERSION-TARGET.tar.gz, a bundle for clients, server.json, SHA256SUMS (takes Python 3)
	$(DIST_CARGO) build --profile $(DIST_PROFILE) --locked
	rm -rf $(DIST)
	mkdir -p $(DIST)/tmp
	python3 dist/archive.py $(SHIPPED) $(TARGET) $(DIST)
	python3 dist/archive.py $(SHIPPED) $(TARGET) $(DIST)/tmp/again >/dev/null
	diff $(DIST)/SHA256SUMS $(DIST)/tmp/again/SHA256SUMS
	tar -xzf $(DIST)/wardroom-*-$(TARGET).tar.gz -C $(DIST)/tmp
	HOME=$(abspath $(DIST))/tmp $(DIST)/tmp/wardroom-*/wardroom extract host/assets/demo/packages/cot >/dev/null
	rm -r $(DIST)/tmp

# Both ways to get the program. The install has the profile, the features and the versions of the build before it, and so
# takes what that left in target/: by itself it would build the dependencies a second time.
packages: dist $(SBOM)/fetched ## the release as it was packed, and `cargo install` (takes Python 3, binutils and the network)
	cd $(DIST) && sha256sum --check --quiet SHA256SUMS
	$(SBOM)/py/bin/python dist/check.py $(DIST)
	CARGO_TARGET_DIR=target $(DIST_CARGO) install --locked --profile $(DIST_PROFILE) --path host --root target/install
	test "$$(target/install/bin/wardroom --version)" = "$$($(SHIPPED) --version)"

# The schema of the bill of materials, in a library.
$(SBOM)/fetched: dist/requirements.txt
	python3 -m venv --clear $(SBOM)/py
	$(SBOM)/py/bin/pip install --quiet --disable-pip-version-check --no-deps --require-hashes --requirement $<
	touch $@

# The comment is signed as well: `wardroom verify` shows it. minisign asks for the password of the key.
sign: ## the signature of target/packages: make sign KEY=the secret key (takes minisign)
	@command -v minisign >/dev/null || { echo "install minisign (Debian: minisign)" >&2; exit 1; }
	@test -f "$(KEY)" || { echo "make sign KEY=FILE, the secret key of releases: docs/RELEASING.md" >&2; exit 1; }
	cd $(DIST) && sha256sum --check --quiet SHA256SUMS
	minisign -S -s "$(KEY)" -t "$$($(SHIPPED) --version)" -m $(DIST)/SHA256SUMS
	for file in $(DIST)/wardroom-*; do $(SHIPPED) verify $$file $(if $(PUBLIC_KEY),--key "$(PUBLIC_KEY)") || exit 1; done

# The same commit, built in a folder of another name: the binary, the guests in it and the archive are the same bytes.
SECOND = target/reproducible/a-second-folder
reproducible: dist ## builds the last commit again in another folder, and compares (takes as long as `make dist` from nothing)
	@git diff --quiet HEAD || { echo "commit the changes: the second build is of the last commit" >&2; exit 1; }
	rm -rf $(SECOND)
	git clone --quiet --no-hardlinks . $(SECOND)
	env -u CARGO_TARGET_DIR $(MAKE) -C $(SECOND) dist
	cmp $(SHIPPED) $(SECOND)/$(SHIPPED)
	for component in packages documents; do \
		$(SHIPPED) guest --component $$component --output target/reproducible/first.wasm; \
		$(SECOND)/$(SHIPPED) guest --component $$component --output target/reproducible/second.wasm; \
		cmp target/reproducible/first.wasm target/reproducible/second.wasm || exit 1; \
	done
	diff $(DIST)/SHA256SUMS $(SECOND)/$(DIST)/SHA256SUMS

# The names are those of the program that ships: one that is built in another way has others.
CODE_MAP = $(abspath target)/code.map
code-order: setup ## finds out anew which functions a start runs: dist/code.order (Linux on x86-64, as long as `make dist`; takes Python 3 and binutils)
	WARDROOM_CODE_MAP=$(CODE_MAP) $(DIST_CARGO) build --profile dist --locked
	python3 dist/code_order.py $(SHIPPED) $(CODE_MAP)

run: build ## the server's main job on a demo AppDir (or APPDIR=…), and how to connect an agent
	@sh tests/demo.sh $(WARDROOM) '$(APPDIR)'

setup-clippy:
	@command -v cargo-clippy >/dev/null && command -v rustfmt >/dev/null || rustup component add rustfmt clippy

# Tests start the binary: it is built before them, and one that is older than its sources is refused. Most wait for processes and
# timeouts, so that more of them run at once than there are processors.
export RUST_TEST_THREADS ?= 6
# Without the compiler of the guest's image: its features would be those of the server's wasmtime too.
TESTED = --release --locked --workspace --exclude wardroom-disallowed --exclude wardroom-bench --exclude wardroom-guest-image
test: build setup-clippy ## all tests
	$(CARGO) test $(TESTED)

# What fuzz targets alone call is looked at as well.
FUZZED = --features wardroom-ace/fuzzing,wardroom-lua/fuzzing,wardroom-mcp/fuzzing
# Workspaces of their own are formatted the same. Of them clippy looks at guest/core: the others would have it build wasmtime with a
# compiler, or take a nightly toolchain.
lint: setup setup-clippy fuzz-check ## formatting and clippy, warnings denied, and what a release packs (takes Python 3)
	python3 dist/check.py
	$(CARGO) fmt --all --check
	for folder in guest/core tests/hosts/rust tests/models tests/sanitize fuzz; do $(CARGO) fmt --check --manifest-path $$folder/Cargo.toml || exit 1; done
	$(CARGO) clippy --release --locked --workspace --exclude wardroom-disallowed --all-targets $(FUZZED) -- -D warnings
	$(CARGO) clippy --release --locked --manifest-path guest/core/Cargo.toml --target-dir $(HOSTS)/core --all-targets -- -D warnings

# The scheduler's locks would be those of every crate: what is modelled is compiled alone.
models: setup-clippy ## counters and tables that threads share, in many orders of their steps
	$(CARGO) clippy --locked --manifest-path tests/models/Cargo.toml --target-dir target/models --all-targets -- -D warnings
	$(CARGO) test --release --locked --manifest-path tests/models/Cargo.toml --target-dir target/models

setup-miri:
	@cargo +nightly miri --version >/dev/null 2>&1 || rustup component add miri rust-src --toolchain nightly

# What takes minutes there shows the same in `make test`.
miri: setup-miri ## the parsers of the guest under Miri, which finds undefined behaviour (takes a nightly toolchain)
	$(CARGO) +nightly miri test --locked --target-dir target/miri --package wardroom-rules --package wardroom-lua-syntax \
		--package wardroom-guest -- --skip hostile

# C that gcc compiles, in a program that rustc links with its own runtime. What C checks beyond that ends the process.
SANITIZED = target/sanitize/x86_64-unknown-linux-gnu/release/wardroom-sanitize
SANITIZERS = -fsanitize=address,undefined -fsanitize-undefined-trap-on-error -fno-omit-frame-pointer -DLUA_USE_APICHECK -DLUAI_POOLBYTES=0
# Not the tests that count or confine processes, or take all of a worker's memory.
sanitize: build ## the tests of Lua with AddressSanitizer, and with checks for undefined behaviour in its C code (takes a nightly toolchain)
	RUSTFLAGS='-Zsanitizer=address' CFLAGS='$(SANITIZERS)' $(CARGO) +nightly build --release --locked --target x86_64-unknown-linux-gnu \
		--manifest-path tests/sanitize/Cargo.toml --target-dir target/sanitize
	WARDROOM_TEST_PROGRAM=$(abspath $(SANITIZED)) $(CARGO) test --release --locked --package wardroom-test-lua -- --skip processes --skip memory

docs: setup ## the documentation of the code, warnings denied
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc --release --locked --no-deps --workspace --exclude wardroom-disallowed

setup-deny:
	@command -v cargo-deny >/dev/null \
		|| CARGO_PROFILE_DEV_DEBUG=false $(CARGO) install cargo-deny --debug --locked --version $(DENY_VERSION)

deny: setup-deny advisories ## licences, sources, duplicates and advisories of the dependencies
	$(CARGO) deny check bans licenses sources

# `cargo deny check advisories` asks the database itself, where the network allows.
advisories: ## known weaknesses of the dependencies, in the copy of the RustSec database that is kept here (takes Python 3.11)
	python3 dist/advisories.py check

advisories-fetch: ## renews that copy (takes git and the network)
	python3 dist/advisories.py fetch

check: lint test models docs deny ## everything that must hold

# What others made lies below target/, in the versions of the lists beside the tests, and is fetched when those change.
$(CONFORMANCE)/tools/fetched: tests/conformance/package.json tests/conformance/package-lock.json
	mkdir -p $(@D)
	cp $^ $(@D)
	cd $(@D) && npm ci --no-audit --no-fund
	touch $@

$(CLIENTS)/tools/fetched: tests/clients/package.json tests/clients/package-lock.json tests/clients/requirements.txt
	mkdir -p $(@D)
	cp $^ $(@D)
	cd $(@D) && npm ci --no-audit --no-fund
	python3 -m venv --clear $(@D)/py
	$(@D)/py/bin/pip install --quiet --disable-pip-version-check --no-deps --require-hashes --requirement $(@D)/requirements.txt
	touch $@

# Not `npm ci`, which refuses the list: three packages of other systems, which jco names as optional, were never published.
$(HOSTS)/tools/fetched: tests/hosts/node/package.json tests/hosts/node/package-lock.json tests/hosts/python/requirements.txt
	mkdir -p $(@D)
	cp $^ $(@D)
	cd $(@D) && npm install --no-save --ignore-scripts --no-audit --no-fund
	python3 -m venv --clear $(@D)/py
	$(@D)/py/bin/pip install --quiet --disable-pip-version-check --no-deps --require-hashes --requirement $(@D)/requirements.txt
	touch $@

conformance: build $(CONFORMANCE)/tools/fetched ## the official conformance suite, over HTTP and stdio: docs/CONFORMANCE.md (takes Node and the network)
	node tests/conformance/run.mjs $(WARDROOM) $(CONFORMANCE)/tools $(CONFORMANCE)/work

clients: build $(CLIENTS)/tools/fetched ## real clients, in every revision and over every transport (takes Node 20, Python 3 and the network)
	node tests/clients/run.mjs $(WARDROOM) $(CLIENTS)/tools $(CLIENTS)/work

$(WEB)/tools/fetched: tests/web/package.json tests/web/package-lock.json
	mkdir -p $(@D)
	cp $^ $(@D)
	cd $(@D) && npm ci --ignore-scripts --no-audit --no-fund
	touch $@

setup-shells: ## Debian's fish and zsh, where they are missing (as root): tests complete names in them
	@command -v fish >/dev/null && command -v zsh >/dev/null \
		|| { test "$$(id -u)" = 0 && apt-get update -q && apt-get install -q -y --no-install-recommends fish zsh; } \
		|| { echo "install fish and zsh (Debian: fish, zsh)" >&2; exit 1; }

setup-browser: ## Debian's browser and its driver, where they are missing (as root)
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null \
		|| { test "$$(id -u)" = 0 && apt-get update -q && apt-get install -q -y --no-install-recommends chromium chromium-driver; } \
		|| { echo "install chromium and chromedriver (Debian: chromium, chromium-driver)" >&2; exit 1; }

# Of the whole workspace: the package alone would take other features of its dependencies, which would be built again.
web: build setup-browser $(WEB)/tools/fetched ## the review page in a browser, with pictures of it in target/web (takes chromium, chromium-driver, Node and the network)
	WARDROOM_EXPECT_BROWSER=1 $(CARGO) test $(TESTED) --test web

pictures: web ## the pictures of README.md, taken again
	mkdir -p docs/pictures
	cp $(WEB)/run.png $(WEB)/review-post.png $(WEB)/review-list.png $(WEB)/review-window.png docs/pictures

setup-cluster: ## Debian's GlusterFS and HAProxy, where they are missing (as root)
	@command -v glusterd >/dev/null && command -v mount.glusterfs >/dev/null && command -v haproxy >/dev/null \
		|| { test "$$(id -u)" = 0 && apt-get update -q && apt-get install -q -y --no-install-recommends glusterfs-server glusterfs-client haproxy; } \
		|| { echo "install GlusterFS and HAProxy (Debian: glusterfs-server, glusterfs-client, haproxy)" >&2; exit 1; }

# GROWTH=1 measures only what more servers give; QUICK=1 leaves that out, and the trials that take long.
cluster: build setup-cluster ## three servers on one GlusterFS behind HAProxy, in trials: docs/SCALING.md (root, FUSE, Python 3, glusterfs-server and haproxy; four minutes)
	python3 tests/cluster/run.py $(WARDROOM) $(CLUSTER) $(if $(GROWTH),--growth) $(if $(QUICK),--quick)

# GUEST=… takes a component instead of the one that the binary holds.
GUEST ?= $(HOSTS)/guest.wasm
$(HOSTS)/guest.wasm: build
	mkdir -p $(@D)
	$(WARDROOM) guest --output $@

# The component of documents, as this binary's own image was compiled from, or DOCUMENTS=… of another build.
DOCUMENTS ?= $(HOSTS)/documents.wasm
$(HOSTS)/documents.wasm: build
	mkdir -p $(@D)
	$(WARDROOM) guest --component documents --output $@

hosts: $(GUEST) $(DOCUMENTS) guest-core $(HOSTS)/tools/fetched ## the guests in other hosts, each on one corpus, with sizes and times: docs/GUEST.md (takes Node 20, Python 3 and the network)
	$(MAKE_CORE) later $(CORE_MODULE) $(HOSTS)/later.wasm
	GUEST=$(abspath $(GUEST)) GUEST_CORE=$(abspath $(HOSTS))/guest-core.wasm GUEST_LATER=$(abspath $(HOSTS))/later.wasm \
		DOCUMENTS=$(abspath $(DOCUMENTS)) $(CARGO) test --release --locked --manifest-path guest/core/Cargo.toml --target-dir $(HOSTS)/core
	$(CARGO) build --release --locked --manifest-path tests/hosts/rust/Cargo.toml --bins --examples --target-dir $(HOSTS)/rust
	sh guest/toolchain.sh build --package wardroom-hostile-guests --examples
	node tests/hosts/run.mjs $(GUEST) $(HOSTS)/guest-core.wasm $(HOSTS)/later.wasm $(DOCUMENTS) $(HOSTS)/tools \
		$(HOSTS)/rust/release target/wasm32-wasip2/guest/examples $(HOSTS)/work

check-clients: hosts conformance clients packages ## everything that others' programs must find, and what they install

# The servers that the last table has beside wardroom. PEER="COMMAND ARGUMENTS" adds the original.
$(PEERS)/fetched: tests/bench/peers/package.json tests/bench/peers/package-lock.json tests/bench/peers/requirements.txt tests/bench/peers/server.py
	mkdir -p $(@D)
	cp $^ $(@D)
	cd $(@D) && npm ci --ignore-scripts --no-audit --no-fund
	python3 -m venv --clear $(@D)/py
	$(@D)/py/bin/pip install --quiet --disable-pip-version-check --no-deps --require-hashes --requirement $(@D)/requirements.txt
	touch $@

# The program is built apart: with the features that the benchmark's libraries ask for, it would be another one than ships.
bench: setup build $(PEERS)/fetched ## speed, each figure beside a floor of the same run: docs/BENCHMARKS.md (the first run writes 1.4 GB below target/; takes Node 20, Python 3 and the network)
	$(DIST_CARGO) build --profile dist --locked --package wardroom-bench
	$(DIST_CARGO) build --profile dist --locked
	target/dist/bench target/bench
	MEASURED_BLOG=$(abspath target/bench/blog-$(or $(BLOG_POSTS),100000)) $(CARGO) test --release --locked --package wardroom-test-web --test web -- --ignored --nocapture measure

# The seeds of the report were not known before its commit.
learn: build ## whether the learning log learns, on the half to develop on, or LEARN=report: docs/BENCHMARKS.md (a minute)
	LEARN=$(LEARN) LEARN_COMMIT=$$(git rev-parse HEAD) \
		$(CARGO) test --release --locked --package wardroom-test-learn --test learn -- --ignored --nocapture measure

# The page of its figures names the commit.
soak: setup ## two million mixed requests and exchanges of every kind on one AppDir: no wrong answer, no growth (a quarter of an hour)
	$(CARGO) build --release --locked --package wardroom --package wardroom-bench
	SOAK_COMMIT="$$(git rev-parse HEAD), $$(git diff --quiet HEAD && echo 'clean tree' || echo 'changed tree')" target/release/soak target/soak

# On the stable toolchain, and without building libFuzzer, since nothing is linked. With the profile and the folder of the workspace, and
# warnings denied by clippy, which does that for one workspace: so the dependencies that both have are checked once.
fuzz-check: setup setup-clippy ## that the fuzz targets compile, warnings denied
	CUSTOM_LIBFUZZER_PATH=/libfuzzer.a CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS=true \
		CARGO_PROFILE_RELEASE_INCREMENTAL=true $(CARGO) clippy --release --locked --manifest-path fuzz/Cargo.toml --target-dir target \
		-- -D warnings -A clippy::all

fuzz: setup ## each fuzz target for a minute, or FUZZ_SECONDS=… (takes a nightly toolchain)
	@command -v cargo-fuzz >/dev/null || $(CARGO) install cargo-fuzz --locked --version $(FUZZ_VERSION)
	for target in $(FUZZ_TARGETS); do \
		mkdir -p fuzz/corpus/$$target; cp fuzz/seeds/$$target/* fuzz/corpus/$$target 2>/dev/null; \
		case " $(FUZZ_DOCUMENTS) " in *" $$target "*) cp guest/documents/tests/fixtures/* fuzz/corpus/$$target;; esac; \
		$(CARGO) +nightly fuzz run $$target -- -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -len_control=10 || exit 1; \
	done

clean: ## remove what was built
	$(CARGO) clean
