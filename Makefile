# scangate: `make demo` shows it, `make test` proves it. Both install the Debian packages that they lack, and say so.
SWIFT ?= swift
PREFIX ?= /usr/local

.PHONY: help deps build programs release reproducible image test-image demo test test-all test-arm64 unit room fuzz bench bench-decode rig replug cameras kiosks torture fleet fleet-replicas fleet-versions soak check api-check metrics-check format pages deb install uninstall clean

help:
	@printf '%s\n' \
	  'make demo    a gate in this terminal: a real ticket system on loopback, no devices needed' \
	  'make test    everything that proves it: formatting, unit and property tests, HTTP faults, and the rig' \
	  'make unit    the tests without the rig' \
	  'make torture the gateway killed, or its power cut, 1,000 times while people present tickets (KILLS=n, SEED=n)' \
	  'make fleet   evenings of three servers and eight stations while everything happens to them, for half an hour (MINUTES=n, SEED=n); as root' \
	  'make fleet-versions  the same where every other station runs another version: FORMER=commit is built, or PROGRAM=path of a scangate; as root' \
	  'make soak    10,000 scanners come and go, 10,000 reloads, 100,000 scans: memory, threads, descriptors stay level (SCANNERS=n, RELOADS=n, SCANS=n)' \
  'make cameras the rig tests of cameras, all of them: ten minutes' \
  'make kiosks  the rig tests of setting up by a scan, all of them, with the power cut at any moment: ten minutes' \
  'make replug  scanners unplugged 200 times while they type' \
	  'make fuzz    damaged input, driven by coverage, for all that reads: one minute, or SECONDS=n' \
	  'make bench   build for release and measure: times, memory, processor, scans a second' \
	  'make bench-decode  reading of pictures and frames beside libzbar and zxing-cpp, and what the whole camera reader takes; DECODE_IMAGES=folder' \
	  'make pages   the pages for people in a real browser, with pictures in .rig/pictures and an accessibility checker (installs 300 MB: Chromium)' \
	  'make rig     build and boot the rig (a QEMU guest with real kernel devices)' \
	  'make api-check  a console that runs (ADDRESS=http://…) by public tools: its document, and requests of it; TOKEN=file' \
	  'make check   formatting and the rules of the tree, no build' \
	  'make metrics-check  has promtool read the pages of metrics that tests compare, and the example rules' \
	  'make format  put every Swift file into the form that check wants' \
	  'make deps    install the Debian packages that building needs' \
	  'make deb     a Debian package for this architecture, in .build/deb; ARCH=arm64 for a Raspberry Pi, from an x86_64 machine' \
	  'make test-arm64  the package for arm64 looked into and run: its programs and tests on an emulated processor, and installed in guests with the processors of Raspberry Pis (these as root)' \
	  'make image ARCH=arm64  a memory card for a Raspberry Pi 3, 4 or Zero 2, of the package that make deb ARCH=arm64 made, in .build/image' \
	  'make test-image  that card booted in QEMU, from power-on to the first admission by one scan; wrong files, power cuts: forty minutes (as root)' \
	  'make programs the programs as stations get them; make install puts them below PREFIX (/usr/local), make uninstall takes them away' \
	  'make release VERSION=…  packages, bill of materials, checksums, a signed repository of apt'"'"'s (docs/releasing.md)' \
	  'make reproducible  the packages of this commit, built twice in different places, are the same, byte for byte: as long as a build; ARCH=arm64 for that processor'

deps:
	@scripts/deps

build: deps
	@scripts/build debug --product scangate
	@scripts/build debug --product scangate-decode

programs: deps
	@SCANGATE_BUILD=stations scripts/programs

release: deps
	@scripts/release "$(VERSION)"

reproducible: deps
	@scripts/reproducible

demo: deps
	@scripts/demo

test:
	@scripts/test

test-all:
	@scripts/test --all

test-arm64:
	@ARCH=arm64 scripts/deps
	@scripts/test-arm64

room: deps
	@scripts/room $(ROOM)

unit: deps
	@scripts/unit

fuzz: deps
	@Fuzz/run $(or $(SECONDS),60)

bench: programs
	@SCANGATE_BUILD=stations scripts/programs journal-child decide-bench claim-bench
	@Benchmarks/bench
	@Benchmarks/journal
	@Benchmarks/offline
	@Benchmarks/deciding
	@Benchmarks/bookings
	@Benchmarks/console
	@Benchmarks/fleet

bench-decode: deps
	@SCANGATE_BUILD=stations scripts/programs decode-bench camera-replay
	@Benchmarks/decode $(if $(DECODE_IMAGES),--images "$(DECODE_IMAGES)")

rig: deps
	@rig/build

torture: programs
	@Tests/Torture/torture --program .build/programs/scangate --kills $(or $(KILLS),1000) $(if $(SEED),--seed $(SEED))

fleet: programs
	@rig/fleet --scangate .build/programs/scangate --minutes $(or $(MINUTES),30) $(if $(SEED),--seed $(SEED))

fleet-replicas:
	@rig/fleet_replicas --rounds $(or $(ROUNDS),40) $(if $(SEED),--seed $(SEED))

fleet-versions: programs
	@second='$(PROGRAM)' && { [ -n "$$second" ] || second=$$(scripts/former-programs $(FORMER)); } && \
	rig/fleet --scangate .build/programs/scangate --second "$$second" --minutes $(or $(MINUTES),30) $(if $(SEED),--seed $(SEED))

soak: programs
	@Tests/Soak/soak --programs .build/programs --scanners $(or $(SCANNERS),10000) --reloads $(or $(RELOADS),10000) --scans $(or $(SCANS),100000)

replug: programs
	@rig/test -k Replugging --rounds 200

cameras:
	@scripts/deb
	@rig/test -k test_camera

kiosks:
	@scripts/deb
	@rig/test -k test_kiosk

pages: programs
	@rig/native-test --pages --scangate .build/programs/scangate

check: deps
	@scripts/check

metrics-check:
	@scripts/metrics-check

api-check:
	@scripts/api-check $(ADDRESS) $(TOKEN)

format:
	@$(SWIFT) format -i -r Sources Tests Fuzz Package.swift

deb:
	@ARCH="$(ARCH)" scripts/deps
	@ARCH="$(ARCH)" scripts/deb

image:
	@[ "$(ARCH)" = arm64 ] || { echo "make image ARCH=arm64: a card is for a Raspberry Pi." >&2; exit 2; }
	@ARCH=arm64 scripts/deps image
	@scripts/image "$$(ls -t .build/deb/scangate_*_arm64.deb 2>/dev/null | head -n 1)"

test-image: programs
	@ARCH=arm64 scripts/deps image
	@scripts/try-image --all --cuts $(or $(CUTS),6) "$$(ls -t .build/image/scangate_*_pi.img 2>/dev/null | head -n 1)"

# As root, so they build nothing: `make programs` before.
install:
	@DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" scripts/install

uninstall:
	@DESTDIR="$(DESTDIR)" PREFIX="$(PREFIX)" scripts/install --remove

clean:
	@rm -rf .build .rig
