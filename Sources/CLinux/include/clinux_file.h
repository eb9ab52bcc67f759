// What the C library offers only as macros or variadic functions, as functions that Swift can call.
#ifndef CLINUX_FILE_H
#define CLINUX_FILE_H

// Without _GNU_SOURCE, which changes the fields of types (fd_set) that Swift's own Glibc module and the system libraries
// have too: clang then takes them for different types. What it would declare is declared here.
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <time.h>

int ppoll(struct pollfd *descriptors, nfds_t count, const struct timespec *timeout, const sigset_t *mask);
int pthread_setname_np(pthread_t thread, const char *name);

#endif
