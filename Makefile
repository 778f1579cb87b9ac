# The two commands: `make demo` and `make test`. `make help` lists the rest.

# gocv's tags: with OpenCV 4.6 (Debian 12) only these of its modules compile.
TAGS := gocv_specific_modules,gocv_videoio,gocv_features2d,gocv_calib3d
export GOFLAGS := -buildvcs=false -tags=$(TAGS)
# OpenCV's headers take a while to compile; the go tool keeps the result.
GO ?= go

.PHONY: help demo build test check bench soak clean deps-demo deps-test

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

check: ## formatting and static checks
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "not formatted (run gofmt -w):"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...

bench: build ## the speed table of docs/measurements.md
	$(GO) test -run '^$$' -bench . -benchmem ./...

clean: ## remove what was built
	rm -rf bin

deps-demo:
	@.ci/apt demo

deps-test:
	@.ci/apt test
