# scangate: `make demo` shows it, `make test` proves it. Both install the Debian packages that they lack, and say so.
SWIFT ?= swift
BUILD := $(SWIFT) build --explicit-target-dependency-import-check error
BIN := .build/debug/scangate

.PHONY: help deps build demo test unit fuzz rig check format clean

help:
	@printf '%s\n' \
	  'make demo    a gate in this terminal: a real ticket server on loopback, no devices needed' \
	  'make test    everything that proves it: formatting, unit and property tests, HTTP faults, and the rig' \
	  'make unit    the tests without the rig' \
	  'make fuzz    damaged input, driven by coverage, for all that reads: one minute, or SECONDS=n' \
  'make rig     build and boot the rig (a QEMU guest with real kernel devices)' \
	  'make check   formatting and the rules of the tree, no build' \
	  'make format  put every Swift file into the form that check wants' \
	  'make deps    install the Debian packages that building needs'

deps:
	@scripts/deps

build: deps
	@$(BUILD) --product scangate

demo: build
	@$(BIN) demo

test: check deps
	@scripts/test

unit: deps
	@scripts/unit

fuzz: deps
	@Fuzz/run $(or $(SECONDS),60)

rig: build
	@rig/build

check:
	@scripts/check

format:
	@$(SWIFT) format -i -r Sources Tests Fuzz/Fuzzers Fuzz/Package.swift Package.swift

clean:
	@rm -rf .build .rig
