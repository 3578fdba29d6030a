# One place to look for what can be done here. Every target is also one plain
# command, for systems without make: `go test ./...`, or `bash .ci/run STEP`,
# where the steps that need more than one command are written once, for
# developers and for the server alike.

.DEFAULT_GOAL := help
.PHONY: screenshot help tour test short race vet lint generate check-generated docs site cross ci

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-16s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

tour: ## generate, then run the tour: plain go generate ./... and go run ./examples/tour
	go generate ./...
	go run ./examples/tour

# A busy machine takes longer than the ten minutes that go test allows a package.
TESTFLAGS ?= -timeout=60m

test: ## run all tests, five to twenty minutes: plain go test -timeout=60m ./...
	go test $(TESTFLAGS) ./...

short: ## run the tests that start no other program, under a minute once they are built: plain go test -short ./...
	go test -short ./...

race: ## run the tests of packages and examples under the race detector with GOMAXPROCS 1, 2 and 8
	bash .ci/run race

vet: ## build and vet every module, and check that its go.mod is tidy
	bash .ci/run build vet

lint: ## check formatting and run golangci-lint, built on first use
	bash .ci/run lint

generate: ## generate the second form of every async function: plain go generate ./...
	go generate ./...

check-generated: ## check that generating changes nothing
	bash .ci/run generated

docs: ## check the links of the documents and the programs in them
	bash .ci/run docs

site: ## build the documents as a site, in dist/site
	mkdir -p dist && cd lab/site && go run . -out ../../dist/site

cross: ## type-check and vet for Windows, macOS, arm64 and 32 bits
	bash .ci/run cross

screenshot: ## make the picture of docs/explain.md in a headless Chromium, installed if there is none
	bash .ci/screenshot

ci: ## run everything that a change has to pass
	bash .ci/run
