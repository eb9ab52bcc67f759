// What playing a serial scanner needs and Swift's Glibc module leaves out: it is declared only with _XOPEN_SOURCE or
// _GNU_SOURCE (see clinux_file.h).
#ifndef MOCK_TERMINAL_H
#define MOCK_TERMINAL_H

#include <stddef.h>
#include <sys/fsuid.h>

int posix_openpt(int flags);
int grantpt(int master);
int unlockpt(int master);
int ptsname_r(int master, char *name, size_t size);

#endif
