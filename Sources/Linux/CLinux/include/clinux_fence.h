// What a process does to itself so that it can do no more: prctl and syscall are variadic, its numbers macros.
#ifndef CLINUX_FENCE_H
#define CLINUX_FENCE_H

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// Every function returns 0 when it worked, -1 with errno when not.

/// Nothing that this process may start can get more rights than it.
static inline int clinux_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); }

/// No core, and nobody else of the same user may look into its memory.
static inline int clinux_not_dumpable(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

/// It is killed when the thread that started it ends.
static inline int clinux_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); }

/// Drops every capability. Where there is none, nothing is asked for: a service's own filter may refuse even that.
static inline int clinux_drop_capabilities(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  struct __user_cap_data_struct has[_LINUX_CAPABILITY_U32S_3], none[_LINUX_CAPABILITY_U32S_3];
  memset(has, 0xFF, sizeof has);
  memset(none, 0, sizeof none);
  if (syscall(SYS_capget, &header, has) == 0 && memcmp(has, none, sizeof none) == 0) return 0;
  header.version = _LINUX_CAPABILITY_VERSION_3;
  return (int)syscall(SYS_capset, &header, none);
}

/// Where memory runs out it is ended first. Only while it is dumpable: the file is another user's afterwards.
static inline int clinux_die_first(void) {
  int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return -1;
  ssize_t count = write(file, "1000", 4);
  close(file);
  return count == 4 ? 0 : -1;
}

/// It comes no sooner to the processor than a process that nobody favours.
static inline int clinux_no_favour(void) {
  errno = 0;
  int nice = getpriority(PRIO_PROCESS, 0);
  if (nice == -1 && errno != 0) return -1;
  return nice < 0 ? setpriority(PRIO_PROCESS, 0, 0) : 0;
}

/// What would write past the limit of file size fails, and does not end.
static inline int clinux_no_size_signal(void) { return signal(SIGXFSZ, SIG_IGN) == SIG_ERR ? -1 : 0; }

/// The limits of a process, whose names are an enumeration of glibc's.
enum clinux_limit {
  clinux_limit_memory = RLIMIT_AS,
  clinux_limit_data = RLIMIT_DATA,
  clinux_limit_core = RLIMIT_CORE,
  clinux_limit_file_size = RLIMIT_FSIZE,
  clinux_limit_files = RLIMIT_NOFILE,
  clinux_limit_processes = RLIMIT_NPROC,
  clinux_limit_locked = RLIMIT_MEMLOCK,
};

/// Sets a limit for good.
static inline int clinux_limit(enum clinux_limit limit, unsigned long most) {
  struct rlimit both = {.rlim_cur = most, .rlim_max = most};
  return setrlimit((int)limit, &both);
}

/// The C library asks nothing about its two output streams any more, and keeps no memory for them.
static inline void clinux_unbuffered(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  setvbuf(stderr, NULL, _IONBF, 0);
}

/// A call that a closed fence answers with an error of its own, and an open one with a number: the parent's.
static inline long clinux_parent(void) { return syscall(SYS_getppid); }

#endif
