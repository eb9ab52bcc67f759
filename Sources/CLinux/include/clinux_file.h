// What the C library offers only as macros or variadic functions, as functions that Swift can call.
#ifndef CLINUX_FILE_H
#define CLINUX_FILE_H

#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>

#endif
