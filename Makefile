# make run    the bench, live: a turret behind a pty, until Ctrl-C (ARGS='--firmware classic' and so on)
# make test   all that a newcomer needs: the tests, and the guarded sketch linked for the chip
# make check  the deeper checks, with independent tools and peers; installs them
# make bench  speed, beside the peers, in one run
# make help   this

SWIFT ?= swift
RELEASE = .build/release/sentrybench

.PHONY: run test check bench format help

run: swift
	$(SWIFT) build -c release --product sentrybench
	@$(RELEASE) run $(ARGS) || [ $$? -eq 130 ]

test: swift
	$(SWIFT) build --build-tests
	$(SWIFT) test
	firmware/guarded/check-size

check: swift
	.ci/check

bench: swift
	Benchmarks/run

format: swift
	$(SWIFT) format --in-place --recursive Sources Tests firmware Package.swift

.PHONY: swift
swift:
	@.ci/need-swift
	@.ci/install pkg-config=pkg-config=pkgconf libserialport.pc=libserialport-dev=libserialport

help:
	@sed -n 's/^# \(make\)/\1/p' Makefile
