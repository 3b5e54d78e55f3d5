# make run    the bench, live: a turret behind a pty, until Ctrl-C (ARGS='--firmware classic' and so on)
# make test   all that a newcomer needs: the tests, and the guarded sketch linked for the chip
# make check  the deeper checks, with independent tools and peers; installs them
# make firmware  builds the Uno's sketches anew, says what they take (flashing needs no build)
# make flash  a sketch onto an Uno: SKETCH=guarded PORT=/dev/ttyACM0
# make soak   hostile clients for ten minutes, then 10 000 random streams for each sketch on model and binary; takes an hour
# make bench  speed, beside the peers, in one run
# make camera  what a camera sees, as observations for aim (ARGS='video.mp4', ARGS='--detect strips 0'; otherwise camera 0)
# make camera-setup  only sets it up, as .build/camera/bin/sentry-camera, for pipes and for a computer without a camera
# make camera-test  its tests
# make install  sentrybench into PREFIX/bin, which is /usr/local/bin
# make help   this

SWIFT ?= swift
RELEASE = .build/release/sentrybench
# A session at once: a debug build, whose core is optimized all the same, and without TLS, which takes BoringSSL.
QUICK = .build/run
QUICK_OPTIONS = --disable-default-traits --scratch-path $(QUICK)

PYTHON ?= python3
CAMERA = .build/camera

PREFIX ?= /usr/local
# What is installed must not need this toolchain's libraries; Darwin has its own.
STATIC = $(if $(filter Linux,$(shell uname)),--static-swift-stdlib)

.PHONY: run test check soak bench firmware flash camera camera-setup camera-test install format help

run: swift
	$(SWIFT) build $(QUICK_OPTIONS) --product sentrybench
	@$(QUICK)/debug/sentrybench run $(ARGS) || [ $$? -eq 130 ]

test: swift senders
	@.ci/times 'make test: the build'
	$(SWIFT) build --build-tests
	@.ci/times 'make test: the tests'
	SENTRY_TOOLS=required SWIFT='$(SWIFT)' .ci/swift-test
	@.ci/times 'make test: the guarded sketch for the chip'
	firmware/guarded/check-size

check: swift
	.ci/check

soak: swift
	$(SWIFT) build -c release --product sentrybench
	.ci/gateway/soak $(RELEASE)
	SENTRY_STREAMS=10000 SENTRY_PROGRESS=1 $(SWIFT) test --filter '^BinaryTests'

bench: swift
	Benchmarks/run

firmware: avr
	firmware/build

flash:
	@firmware/flash '$(SKETCH)' '$(PORT)'

camera: $(CAMERA)/ready
	@$(CAMERA)/bin/sentry-camera $(or $(ARGS),0) || { s=$$?; [ $$s -eq 130 ] || [ $$s -eq 141 ]; }

camera-setup: $(CAMERA)/ready
	@echo '$(CAMERA)/bin/sentry-camera is ready.'

camera-test: $(CAMERA)/ready-to-test
	$(CAMERA)/bin/python -m pytest -q senders/camera

install: swift
	$(SWIFT) build -c release $(STATIC) --product sentrybench --scratch-path .build/install
	install -d '$(DESTDIR)$(PREFIX)/bin'
	install -m 755 .build/install/release/sentrybench '$(DESTDIR)$(PREFIX)/bin/sentrybench'

format: swift
	$(SWIFT) format --in-place --recursive Sources Tests firmware Package.swift

.PHONY: swift
swift:
	@.ci/need-swift
	@.ci/install pkg-config=pkg-config=pkgconf libserialport.pc=libserialport-dev=libserialport

# The senders that the live bench is tested with; its tests fail where one is missing.
.PHONY: senders
senders:
	@[ "$$(uname)" != Linux ] || .ci/install socat=socat picocom=picocom tio=tio expect=expect python3=python3
	@[ "$$(uname)" != Linux ] || python3 -c 'import serial' 2>/dev/null || \
	  .ci/install /usr/lib/python3/dist-packages/serial/__init__.py=python3-serial

# OpenCV and what the camera sender needs else, in an environment of its own: Debian's Python takes no packages
# from PyPI. The sources are used where they are, so only a changed list of packages makes it anew. Standard output
# is left to the observations.
$(CAMERA)/ready: senders/camera/pyproject.toml
	@.ci/install $(PYTHON)=python3 >&2
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || ! command -v apt-get >/dev/null 2>&1 || \
	  .ci/install "$$($(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')/ensurepip=python3-venv" >&2
	@echo 'Setting up $(CAMERA)' >&2
	@$(PYTHON) -m venv $(CAMERA)
	@$(CAMERA)/bin/python -m pip install -q --disable-pip-version-check -e senders/camera
	@touch $@

$(CAMERA)/ready-to-test: $(CAMERA)/ready
	@$(CAMERA)/bin/python -m pip install -q --disable-pip-version-check -e 'senders/camera[test]'
	@touch $@

# The compiler for the chip, and Arduino's core. Elsewhere than on Debian the core comes with the
# Arduino IDE, and ARDUINO_AVR says where it is.
.PHONY: avr
avr:
	@.ci/install avr-gcc=gcc-avr=avr-gcc python3=python3
	@[ -n "$${ARDUINO_AVR:-}" ] || ! command -v apt-get >/dev/null 2>&1 || \
	  .ci/install /usr/lib/avr/include/avr/io.h=avr-libc \
	    /usr/share/arduino/hardware/arduino/avr/boards.txt=arduino-core-avr

help:
	@sed -n 's/^# \(make\)/\1/p' Makefile
