#include "cbuild.h"

#include <gnu/libc-version.h>

// Package.swift defines what scripts/build has put into the environment. In a file of its own, so that another commit compiles nothing else anew.
#ifndef SCANGATE_COMMIT
#define SCANGATE_COMMIT ""
#endif
#ifndef SCANGATE_COMPILER
#define SCANGATE_COMPILER ""
#endif
#ifndef SCANGATE_PACKAGES
#define SCANGATE_PACKAGES ""
#endif

const char *cbuild_commit(void) { return SCANGATE_COMMIT; }
const char *cbuild_compiler(void) { return SCANGATE_COMPILER; }
const char *cbuild_packages(void) { return SCANGATE_PACKAGES; }
const char *cbuild_libc(void) { return gnu_get_libc_version(); }
