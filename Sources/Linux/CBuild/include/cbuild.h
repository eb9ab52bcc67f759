#ifndef CBUILD_H
#define CBUILD_H

/// The commit that was built, with a plus sign behind it where files differed from it; empty where scripts/build was not told to say it.
const char *cbuild_commit(void);

/// The version of the Swift compiler; empty likewise.
const char *cbuild_compiler(void);

/// The Swift packages that are linked: names and versions, `swift-nio=2.101.2`, with commas between; empty likewise.
const char *cbuild_packages(void);

/// The version of the C library that this process runs with, such as `2.36`.
const char *cbuild_libc(void);

#endif
