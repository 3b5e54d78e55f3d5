# make run           run the live bench until Ctrl-C, and show it in a browser too, at the address
#                      that it prints (ARGS='--firmware classic' passes options; V=1 shows the
#                      output of the build, and the session as JSON where no terminal shows it)
# make test          run the tests, and link the guarded sketch for the chip
# make check         run the deeper checks with independent tools and peers, which it installs;
#                      ONLY=gateway runs the tests of the program with that in their names
# make soak          attack the gateway for ten minutes, and the port over TCP, search the slowest
#                      response of guarded, compare model and binary on 10 000 random streams for
#                      each sketch, and the models with blocking code on 3 000, damage recordings
#                      by other tools more than a million times and saved states 250 000 times, and
#                      build what the pages of docs/extending add; takes more than an hour
# make release       build the program that install, the wheel and the checks use
# make bench         measure the speed and compare it with similar tools
# make firmware      rebuild the sketches for the Uno and print the resources that they use
# make firmware-zip  pack the Arduino libraries as zips for the Arduino IDE, in dist
# make flash         write a prebuilt sketch to an Uno: SKETCH=guarded. PORT=/dev/ttyACM0 selects one
#                      of several ports, BAUD=57600 the bootloader of an old Nano
# make camera        print what a camera sees, as observations for aim (default: camera 0;
#                      ARGS='video.mp4' or ARGS='--detect strips 0' selects something else)
# make camera-setup  only set up the camera program, as .build/camera/bin/sentry-camera
# make camera-test   run the tests of the camera program
# make phone         build the gateway's page for phones in .build/phone, from where `make install`
#                      copies it
# make playground    build the bench as a web page in .build/playground, for any static server;
#                      `make install` copies it too
# make docs          write the documentation of the library products into .build/docs/site
# make install       install sentrybench in PREFIX/bin (default: /usr/local/bin), and its pages, its
#                      manual pages and the completions for bash, zsh and fish in PREFIX/share
# make wheel         pack the program, its pages and its Python package as a wheel, in dist (on
#                      Linux)
# make dist          pack the wheel, the program and its pages as a tar.gz, and checksums, in dist
#                      (on Linux)
# make format        format the Swift code
# make help          print this list

SWIFT ?= swift
# The only release build. It has its own scratch path, because `sudo make install` must not write
# into that of the debug builds. It has no debug information, which would be half of the program and
# take time to build. BoringSSL is 284 files of C++ that include the same headers; as a module, these
# are parsed only once. Its ciphers are assembly, so less optimization of the rest saves time at no
# noticeable cost. Modules are compiled in parallel, so a second thread for one would not save time.
INSTALL = .build/install
RELEASE = $(INSTALL)/release/sentrybench
RELEASE_OPTIONS = -c release --product sentrybench --scratch-path $(INSTALL) \
  -debug-info-format none -Xswiftc -num-threads -Xswiftc 1 \
  -Xcxx -O1 -Xcxx -fno-exceptions -Xcxx -fno-rtti -Xcxx -fmodules \
  -Xcxx '-fmodules-cache-path=$(CURDIR)/$(INSTALL)/modules' $(STATIC)
# Quick to build: a debug build without TLS, which would require building BoringSSL. Only the devices
# are optimized, and there is no debug information and no index for editors. Each module is compiled
# as a whole, so that its declarations are checked once.
QUICK = .build/run
QUICK_INDEX = --disable-index-store
QUICK_OPTIONS = --disable-default-traits --scratch-path $(QUICK) \
  -debug-info-format none $(QUICK_INDEX) -Xswiftc -wmo -Xswiftc -num-threads -Xswiftc 1 \
  -Xswiftc -disable-batch-mode
QUICK_BUILD = .ci/quietly $(QUICK)/build.log \
  env SENTRY_QUICK_BUILD=1 $(SWIFT) build $(QUICK_OPTIONS)

PYTHON ?= python3
CAMERA = .build/camera
# Prints the folder of Python's standard library.
STDLIB = $(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("stdlib"))'

PREFIX ?= /usr/local
# A program that is installed or packed must depend neither on this toolchain's libraries nor on
# development packages, and needs no symbols. macOS includes Swift's libraries.
STATIC = $(if $(filter Linux,$(shell uname)),--static-swift-stdlib \
  --pkg-config-path $(INSTALL)/static -Xlinker -s -Xswiftc -use-ld=lld)
PACKAGING = .build/packaging/tools
DIST ?= dist

.PHONY: run test check soak bench docs firmware firmware-zip flash camera camera-setup camera-test phone playground install wheel dist format help

# The first time, the emulated chip is compiled next to the model. SwiftPM alone would compile it at
# the end, on one processor.
run: swift
	@[ -x $(QUICK)/debug/sentrybench ] || { \
	  echo 'Building the bench. The first time, this takes about 4 minutes on two processors.'; \
	  $(QUICK_BUILD) --target ChipDevice; }
	@[ ! -x $(QUICK)/debug/sentrybench ] || echo 'Building what has changed in the bench.'
	@$(QUICK_BUILD) --product sentrybench
	@.ci/live $(QUICK)/debug/sentrybench run --http 127.0.0.1:0 $(ARGS)

test: swift senders
	@.ci/times 'make test: the build'
	SWIFT='$(SWIFT)' .ci/swift-test --build
	@.ci/times 'make test: the tests'
	SENTRY_TOOLS=required SWIFT='$(SWIFT)' .ci/swift-test
	@.ci/times 'make test: the guarded sketch for the chip'
	firmware/guarded/check-size
	@.ci/times 'make test: the style'
	swift format lint --strict --recursive Sources Tests firmware Package.swift
	.ci/columns
	.ci/tables --check

check: swift
	.ci/check '$(ONLY)'

soak: release
	PYTEST_ADDOPTS="--timeout 3600 --seconds 600 --seed $$(date +%s)" \
	  .ci/check 'gateway_attack or hostile_clients'
	SENTRY_PHASE_CYCLES=512 SWIFT='$(SWIFT)' .ci/swift-test --filter '^FirmwareTests.ResponseTests'
	Tests/EngineTests/Simulation/simulate 60
	Tests/EngineTests/Simulation/simulate faults
	SENTRY_STREAMS=10000 SWIFT='$(SWIFT)' .ci/swift-test --filter '^BinaryTests'
	SENTRY_SEEDS=3000 SWIFT='$(SWIFT)' .ci/swift-test --filter '^SketchesTests.*(PropertyTests|ReferenceTests)'
	SENTRY_SEEDS=500 SWIFT='$(SWIFT)' .ci/swift-test --filter '^StatesTests'
	LOG_FUZZ_COUNT=400000 SWIFT='$(SWIFT)' .ci/swift-test --filter '^CapturesTests.*LogFuzzTests'
	SENTRY_SEEDS=3000 SWIFT='$(SWIFT)' .ci/swift-test --filter '^CapturesTests.*(LogicFuzzTests|GlitchTests)'
	SENTRY_SEEDS=3000 SWIFT='$(SWIFT)' .ci/swift-test --filter \
	  '^(AVRTests.*RandomProgramTests|NetworkTests.*VisionAnswerReaderTests)'
	SENTRY_SEEDS=400 SWIFT='$(SWIFT)' .ci/swift-test --filter \
	  '^(AVRTests.*CallStackTests|GDBTests.*HostileBytesTests)'
	.ci/extending

bench: release
	Benchmarks/run --no-build

phone: swift
	@web/phone/build

playground: swift
	@web/playground/build

PRODUCTS = Aim TurretLink TurretSocket TurretNIO SentryBenchModels SentryBenchTesting
# In its own scratch path, because the plugin makes it a different package.
docs: swift
	SENTRY_DOCS=1 $(SWIFT) package --scratch-path .build/docs --disable-default-traits \
	  --allow-writing-to-directory .build/docs generate-documentation \
	  $(foreach product,$(PRODUCTS),--target $(product)) \
	  --enable-experimental-combined-documentation \
	  --warnings-as-errors --output-path .build/docs/site

firmware: avr
	firmware/build

firmware-zip:
	@.ci/install python3=python3
	@firmware/zip '$(DIST)'

flash:
	@firmware/flash '$(SKETCH)' '$(PORT)' '$(BAUD)'

camera: $(CAMERA)/ready
	@$(CAMERA)/bin/sentry-camera $(or $(ARGS),0) || { s=$$?; [ $$s -eq 130 ] || [ $$s -eq 141 ]; }

camera-setup: $(CAMERA)/ready
	@echo '$(CAMERA)/bin/sentry-camera is ready.'

camera-test: $(CAMERA)/ready-to-test
	$(CAMERA)/bin/python -m pytest -q senders/camera

.PHONY: release
release: swift
	@[ -z '$(STATIC)' ] || packaging/static-libraries $(INSTALL)/static
	$(SWIFT) build $(RELEASE_OPTIONS)

install: release
	install -d '$(DESTDIR)$(PREFIX)/bin'
	install -m 755 $(RELEASE) '$(DESTDIR)$(PREFIX)/bin/sentrybench'
	packaging/pages '$(DESTDIR)$(PREFIX)/share/sentrybench'
	@.ci/install python3=python3
	packaging/manuals $(RELEASE) '$(DESTDIR)$(PREFIX)/share'

# Not as prerequisites, because both pages are linked from the same modules: with -j, two makes
# would compile them at the same time.
wheel: release $(PACKAGING)/ready
	@web/phone/build && web/playground/build
	@PATH=$(CURDIR)/$(PACKAGING)/bin:$$PATH packaging/wheel $(RELEASE) $(INSTALL)/checkouts '$(DIST)'

# The wheel, the program and its pages as a tar.gz, and their checksums.
dist: wheel
	@packaging/archive $(RELEASE) $(INSTALL)/checkouts '$(DIST)'

$(PACKAGING)/ready: packaging/requirements.txt
	@PYTHON='$(PYTHON)' packaging/need-venv
	@$(PYTHON) -m venv $(PACKAGING)
	@$(PACKAGING)/bin/python -m pip install -q --disable-pip-version-check -r $<
	@touch $@

format: swift
	$(SWIFT) format --in-place --recursive Sources Tests firmware Package.swift

.PHONY: swift
swift:
	@.ci/need-swift
	@.ci/install pkg-config=pkg-config=pkgconf libserialport.pc=libserialport-dev=libserialport \
	  yaml-0.1.pc=libyaml-dev=libyaml zlib.pc=zlib1g-dev=zlib

# The senders that test the live bench. The tests fail if one is missing.
.PHONY: senders
senders:
	@[ "$$(uname)" != Linux ] || \
	  .ci/install socat=socat picocom=picocom tio=tio expect=expect python3=python3
	@[ "$$(uname)" != Linux ] || python3 -c 'import serial' 2>/dev/null || \
	  .ci/install /usr/lib/python3/dist-packages/serial/__init__.py=python3-serial

# Sets up OpenCV and the other packages of the camera program in a separate environment, because
# Debian's Python accepts no packages from PyPI. The program's sources are used in place, so the
# environment is rebuilt only if the list of packages changes. Nothing is written to standard
# output, which is reserved for the observations.
$(CAMERA)/ready: senders/camera/pyproject.toml
	@.ci/install $(PYTHON)=python3 >&2
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || ! command -v apt-get >/dev/null 2>&1 || \
	  .ci/install "$$($(STDLIB))/ensurepip=python3-venv" >&2
	@echo 'Setting up $(CAMERA)' >&2
	@$(PYTHON) -m venv $(CAMERA)
	@$(CAMERA)/bin/python -m pip install -q --disable-pip-version-check -e senders/camera
	@touch $@

$(CAMERA)/ready-to-test: $(CAMERA)/ready
	@$(CAMERA)/bin/python -m pip install -q --disable-pip-version-check -e 'senders/camera[test]'
	@touch $@

# The compiler for the chip, and Arduino's core. On systems other than Debian, the core is part of
# the Arduino IDE, and ARDUINO_AVR must name its folder.
.PHONY: avr
avr:
	@.ci/install avr-gcc=gcc-avr=avr-gcc python3=python3
	@[ -n "$${ARDUINO_AVR:-}" ] || ! command -v apt-get >/dev/null 2>&1 || \
	  .ci/install /usr/lib/avr/include/avr/io.h=avr-libc \
	    /usr/share/arduino/hardware/arduino/avr/boards.txt=arduino-core-avr

help:
	@sed -n '/^#/!q; s/^# //p' Makefile
