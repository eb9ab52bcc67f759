// What the C library offers only as macros or variadic functions, as functions that Swift can call.
#ifndef CLINUX_FILE_H
#define CLINUX_FILE_H

// Without _GNU_SOURCE, which changes the fields of types (fd_set) that Swift's own Glibc module and the system libraries
// have too: clang then takes them for different types. What it would declare is declared here.
#include <linux/stat.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int ppoll(struct pollfd *descriptors, nfds_t count, const struct timespec *timeout, const sigset_t *mask);
int pthread_setname_np(pthread_t thread, const char *name);

// The inode of an open file, and when it was made, in nanoseconds; 0 where the file system does not say when.
// Returns 0, or -1 with errno.
static inline int clinux_file_stamp(int descriptor, uint64_t *inode, int64_t *made) {
  struct statx entry;
  // AT_EMPTY_PATH, which the C library declares for _GNU_SOURCE alone.
  if (syscall(SYS_statx, descriptor, "", 0x1000, STATX_INO | STATX_BTIME, &entry)) return -1;
  *inode = entry.stx_ino;
  *made = entry.stx_mask & STATX_BTIME ? entry.stx_btime.tv_sec * 1000000000LL + entry.stx_btime.tv_nsec : 0;
  return 0;
}

// Waits until what was written to a file so far is with the disk; not its size, nor where on the disk it lies (sync_file_range(2)).
static inline void clinux_write_out(int descriptor) {
#ifdef SYS_sync_file_range
  // SYNC_FILE_RANGE_WAIT_BEFORE | _WRITE | _WAIT_AFTER, of the whole file.
  (void)syscall(SYS_sync_file_range, descriptor, 0LL, 0LL, 7);
#endif
}

#endif
