# Everything that people and the gate run. `make` alone lists it.
.DEFAULT_GOAL := help
SHELL := /bin/sh
GO ?= go
# The linter's cache remembers files by their content and reports them under the
# path of the checkout that first held them, so each checkout has its own.
LINT := GOLANGCI_LINT_CACHE=$(CURDIR)/.cache/golangci-lint $(GO) tool -modfile=lint.mod golangci-lint
FUZZTIME ?= 30s

.PHONY: help
help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build bin/portico.
	$(GO) build -o bin/portico ./cmd/portico

.PHONY: run
run: build ## Serve on http://127.0.0.1:8080, with a private Postgres and files in ./data.
	./bin/portico serve

.PHONY: test
test: ## Run all tests against a real, private Postgres.
	$(GO) test -shuffle=on ./...

.PHONY: race
race: ## Run all tests with the race detector.
	$(GO) test -race -shuffle=on ./...

.PHONY: lint
lint: ## Check formatting, vet and lint.
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo 'gofmt these:'; gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet ./...
	$(LINT) run

.PHONY: generate
generate: ## Generate the GraphQL code from schema.graphqls.
	$(GO) tool gqlgen generate

.PHONY: playground
playground: ## Fetch the files of /playground anew, with npm.
	$(GO) run ./web/playground/fetch

.PHONY: verify
verify: generate ## Check that generated code and go.mod are up to date.
	$(GO) mod tidy -diff
	git diff --exit-code -- graph/generated.go model go.mod go.sum

.PHONY: bench
bench: ## Measure Portico beside a hand-written server and pgbench, in one run.
	$(GO) run ./internal/trial/load

.PHONY: bench-splat
bench-splat: ## Measure conversion beside splat-transform (npm), in one run.
	$(GO) run ./internal/trial/conversion

.PHONY: mutate
mutate: ## Break 1,000 captures at random and have the program read them.
	$(GO) run ./internal/trial/mutation -runs 1000 -seed 1

.PHONY: faults
faults: ## Kill, cut off, fill up and attack real processes.
	$(GO) run ./internal/trial/faults
	$(GO) run ./internal/trial/abuse

.PHONY: fuzz
fuzz: ## Run each fuzz test for FUZZTIME (30s).
	@set -e; for p in $$($(GO) list ./...); do \
		for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz' || true); do \
			echo "$$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s $$p; \
		done; \
	done
