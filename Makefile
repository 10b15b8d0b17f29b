# The commands of daily work and of CI. `make` alone lists them.
.DEFAULT_GOAL := help
SHELL := /bin/sh
GO ?= go
# The linter's cache remembers files by their content and reports them under the
# path of the checkout that first held them, so each checkout has its own.
# It holds the types of the whole program, so it collects garbage rarely, unless it has more than 4 GiB.
LINT := GOGC=400 GOMEMLIMIT=4GiB GOLANGCI_LINT_CACHE=$(CURDIR)/.cache/golangci-lint $(GO) tool -modfile=lint.mod golangci-lint
FUZZTIME ?= 30s
# One package more than there are processors is tested at a time, because tests of browsers and servers
# wait a third of the time. Test programs are linked without debugger tables (-w), which saves a
# third of the time of the linker. Stack traces do not need them. Vet is off, because make lint runs
# all its checks. A test of a browser may take more than go's limit of ten minutes on a busy machine.
TEST := $(GO) test -p $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1) -timeout=20m -ldflags=-w -shuffle=on -vet=off
# The packages that start goroutines, which make race tests.
RACE := ./worker ./graph/... ./storage/... ./server/... ./client ./limit ./auth ./worker/child ./worker/sandbox \
	./internal/semaphore ./internal/background ./internal/counter
# The packages whose tests take minutes start first: go starts them in the order of its arguments.
SLOW := ./web/console ./internal/conformance/space ./cmd/portico
# What make quick runs: all packages but db/private, whose tests start a Postgres each, and those of
# whose tests a short run (-short) skips almost all, because linking them takes half a minute. The
# order of the tests is fixed, so that go does not repeat the tests of packages that have not changed.
QUICK = $(filter-out portico/db/private portico/internal/trial/% $(addprefix portico/internal/conformance/,\
	clients frontends outage replicas space viewer),$(shell $(GO) list ./...))

.PHONY: help
help: ## List these commands.
	@awk '/^##@ / {printf "\n%s\n", substr($$0, 5)} \
		/^[a-z-]+:.*## / {split($$0, part, ":.*## "); printf "  make %-16s %s\n", part[1], part[2]}' $(MAKEFILE_LIST)

##@ Run

.PHONY: build
build: ## Build bin/portico, stripped of debugging tables.
	$(GO) build -ldflags='-s -w' -o bin/portico ./cmd/portico

.PHONY: run
run: build ## Serve on http://127.0.0.1:8080, with all data in ./data.
	./bin/portico serve

.PHONY: gallery
gallery: ## Show the components of the console on a live page, with npm.
	web/console/gallery.sh

##@ Check, before each commit

.PHONY: test
test: ## Run all tests, in web (npm) and against a real, private Postgres; SKIP_RACED=yes leaves out those of make race.
	web/run.sh test
	$(TEST) $(SLOW) $(if $(SKIP_RACED),$(filter-out $(shell $(GO) list $(RACE)),$(shell $(GO) list ./...)),./...)

.PHONY: quick
quick: ## Run most tests: none that need a browser, npm, a built program or faults.
	$(GO) test -short -ldflags=-w -vet=off $(QUICK)

.PHONY: race
race: ## Test what runs concurrently, with the race detector.
	GORACE=atexit_sleep_ms=0 $(TEST) -race $(RACE)

.PHONY: lint
lint: ## Check the formatting, vet and lint, in web with npm.
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo 'gofmt these:'; gofmt -l $$(git ls-files '*.go'); exit 1; }
	web/run.sh lint
	$(LINT) run

.PHONY: verify
verify: generate ## Check that generated code, go.mod and web/dist (npm) are up to date.
	$(GO) mod tidy -diff
	git diff --exit-code -- graph/door/generated.go graph/schema go.mod go.sum
ifdef SKIP_DIST
	@echo 'web/dist is not compared with a new build, because SKIP_DIST is set'
else
	web/build.sh -check
endif

##@ Generate

.PHONY: generate
generate: ## Generate the GraphQL code from schema.graphqls.
	$(GO) tool gqlgen generate

.PHONY: dist
dist: ## Build web/dist, which the program embeds, from web/space and web/console, with npm.
	web/build.sh

.PHONY: release
release: ## Make the files of a release in ./release: VERSION=0.1.0, and KEY=FILE to sign (npm, and apt of Debian).
	$(GO) -C internal/release run . -source $(CURDIR) -out $(CURDIR)/release -version '$(VERSION)' -key '$(if $(KEY),$(abspath $(KEY)))'

.PHONY: test-release
test-release: ## Make a release twice, and install it on bare systems as docs/install.md says (root, debootstrap).
	PORTICO_TEST_RELEASE=yes $(GO) -C internal/release test -count=1 -timeout=60m -v .

.PHONY: playground
playground: ## Download the files of /playground again, with npm.
	$(GO) run ./web/playground/fetch

##@ Measure and attack (each takes minutes)

.PHONY: bench
bench: ## Compare Portico with a hand-written server and with pgbench.
	$(GO) run ./internal/trial/load

.PHONY: bench-splat
bench-splat: ## Compare conversions with splat-transform (npm).
	$(GO) run ./internal/trial/conversion

.PHONY: bench-up
bench-up: ## Count the captures with known up whose up is found, and that are made worse.
	$(GO) run ./internal/trial/up

.PHONY: mutate
mutate: ## Read, merge and write 1,000 randomly damaged captures, in at most 10 minutes.
	$(GO) run ./internal/trial/mutation -runs 1000 -seed 1 -limit 10m

.PHONY: pictures
pictures: ## Take pictures of all pages and spaces in .cache/pictures, those of README.md and the tour in docs/pictures, and of hubs.
	mkdir -p .cache/pictures/pages .cache/pictures/console
	PORTICO_PICTURES=$(CURDIR)/.cache/pictures/pages $(GO) test -count=1 -timeout=20m -run in_a_browser ./web/page
	PORTICO_PICTURES=$(CURDIR)/.cache/pictures/console CONSOLE_README=$(CURDIR)/docs/pictures $(GO) test -count=1 -timeout=20m \
		-run 'in_a_browser|SignIn_by_keyboard|entities_of_a_space|counts_what_is_new|publishes_captures|gate_lacks|changes_selected' ./web/console
	SPACE_PICTURES=$(CURDIR)/.cache/pictures/spaces $(GO) test -count=1 -timeout=40m -run '^TestSpace$$' ./internal/conformance/space
	SPACE_README=$(CURDIR)/docs/pictures $(GO) test -count=1 -timeout=20m -run TestPictures ./internal/conformance/space
	$(MAKE) hub-pictures

.PHONY: hub-pictures
hub-pictures: ## Take the pictures of a hub's room for web/page/pages, after a change of web/space/src/scene.
	HUB_PICTURES=$(CURDIR)/web/page/pages $(GO) test -count=1 -timeout=20m -run TestHub_pictures ./internal/conformance/space

.PHONY: lighthouse
lighthouse: ## Score the gallery and four other pages with Lighthouse (npm); fails below 95 of 100.
	LIGHTHOUSE=1 CI=1 $(GO) test -count=1 -v -run TestLighthouse ./web/page

.PHONY: faults
faults: ## Kill, disconnect, fill up and attack real processes.
	$(GO) run ./internal/trial/faults
	$(GO) run ./internal/trial/abuse
	$(GO) test -count=1 ./internal/conformance/property -sequences 1000

.PHONY: failover
failover: ## Promote standbys, cut networks, stop processes and move clocks, ROUNDS (10) times each; SEED (1) is the order.
	$(GO) run ./internal/trial/faults -only failover -runs $(or $(ROUNDS),10) -seed $(or $(SEED),1)

.PHONY: fuzz
fuzz: ## Run each fuzz test for FUZZTIME (30s).
	@set -e; for p in $$($(GO) list ./...); do \
		for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz' || true); do \
			echo "$$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s $$p; \
		done; \
	done
