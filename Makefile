# The two commands: `make demo` and `make test`. `make help` lists the rest.

# gocv's tags: with OpenCV 4.6 (Debian 12) only these of its modules compile.
TAGS := gocv_specific_modules,gocv_videoio,gocv_features2d,gocv_calib3d
export GOFLAGS := -buildvcs=false -tags=$(TAGS)
# OpenCV's headers take a while to compile; the go tool keeps the result.
GO ?= go

.PHONY: help demo build test test-race test-leaks check bench match soak clean deps-demo deps-test

help: ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

demo: deps-demo build ## install what is missing, build, run on the simulated table
	@./bin/scanner demo

build: bin/scanner ## build bin/scanner

# Go knows better than make what is out of date.
.PHONY: bin/scanner
bin/scanner:
	@echo "Building bin/scanner (the first time takes some minutes: OpenCV's binding is compiled)"
	@$(GO) build -o $@ ./cmd/scanner

test: deps-test check ## everything CI runs
	$(GO) test -timeout 9m ./...
	$(MAKE) --no-print-directory test-race test-leaks

# The packages in which goroutines share something, but for the browser.
test-race: ## data races
	$(GO) test -race -short -skip 'Page|Motion|Names' ./web ./tracker ./rules/... ./hardware/light
	$(GO) test -race -run 'Reuse|Region|KnownPlane' ./vision/detect

# With this tag gocv counts the Mats that were not closed.
test-leaks: ## OpenCV memory that nobody frees
	$(GO) test -tags=$(TAGS),matprofile -run Leak ./vision ./vision/detect ./vision/identify ./vision/localize ./vision/watch
	$(GO) test -tags=$(TAGS),matprofile ./hardware/camera

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

check: ## formatting and static checks
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "not formatted (run gofmt -w):"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	@mkdir -p .cache
	@# Without a network, and the first time only, this one check can't be had.
	@if GOFLAGS= GOBIN=$(CURDIR)/.cache $(GO) install $(STATICCHECK) 2>.cache/staticcheck.log; then \
		.cache/staticcheck -tags=$(TAGS) ./...; \
	else \
		echo "staticcheck is LEFT OUT: it can't be fetched (.cache/staticcheck.log says why)"; \
	fi

# The figures of a busy machine are worth nothing: see docs/measurements.md.
BENCH_RUNS ?= 6
SOAK_FRAMES ?= 10000
BENCHSTAT := golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da
run-bench = $(GO) test -run '^$$' -count $(BENCH_RUNS) -timeout 1h -bench '^Benchmark($(1))$$' -benchtime $(2) ./cmd/scanner >> .cache/bench.txt || { cat .cache/bench.txt; exit 1; }

bench: ## the speed table of docs/measurements.md, medians of BENCH_RUNS runs (half an hour)
	@mkdir -p .cache && rm -f .cache/bench.txt
	@uptime
	@$(call run-bench,NothingMoved|WholeFrame|IdentifyAmong20000|Photograph,3s)
	@$(call run-bench,OneCardMoved|RestToClient,1x)
	@$(call run-bench,Memory,300x)
	@uptime
	@GOFLAGS= $(GO) run $(BENCHSTAT) .cache/bench.txt

match: ## two minutes of a simulated match: every act told once, in order, in time
	$(GO) test -run '^$$' -bench '^BenchmarkMatch$$' -benchtime 1x -timeout 1h ./cmd/scanner

soak: ## memory over SOAK_FRAMES frames at 15 a second (10,000: eleven minutes)
	$(GO) test -run '^$$' -bench '^BenchmarkMemory$$' -benchtime $(SOAK_FRAMES)x -timeout 3h ./cmd/scanner

clean: ## remove what was built
	rm -rf bin

deps-demo:
	@.ci/apt demo

deps-test:
	@.ci/apt test
