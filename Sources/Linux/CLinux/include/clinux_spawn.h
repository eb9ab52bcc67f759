// Processes that get certain descriptors and nothing else, and memory that is shared with them. Variadic calls, macros, and
// what glibc declares only under _GNU_SOURCE (see clinux_file.h).
#ifndef CLINUX_SPAWN_H
#define CLINUX_SPAWN_H

#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
int pipe2(int ends[2], int flags);

// linux/fcntl.h, which cannot be included beside fcntl.h.
enum {
  clinux_add_seals = 1024 + 9,
  clinux_get_seals = 1024 + 10,
  clinux_seal_seal = 1,
  clinux_seal_shrink = 2,
  clinux_seal_grow = 4,
  clinux_seal_future_write = 16,
};

// Every function returns -1 with errno when it failed, unless it says otherwise.

/// Memory without a file's name that can be sealed; no child inherits it.
static inline int clinux_memory(const char *name) {
  return (int)syscall(SYS_memfd_create, name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

static inline int clinux_seal(int number, int seals) { return fcntl(number, clinux_add_seals, seals); }
static inline int clinux_seals(int number) { return fcntl(number, clinux_get_seals); }

/// A descriptor of a process, which becomes readable when it ends.
static inline int clinux_pidfd(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }

/// Both ends of a pipe that never block and that no child inherits.
static inline int clinux_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC | O_NONBLOCK); }

/// A copy of a descriptor with a number of at least `least`; no child inherits it.
static inline int clinux_copy_above(int number, int least) { return fcntl(number, F_DUPFD_CLOEXEC, least); }

/// Starts `program` with `descriptors` as its numbers `first`, `first` + 1 and so on, /dev/null as those before, and nothing else
/// open; with no signal blocked or ignored. The descriptors' own numbers are at least `first` + `count` + 1.
/// Returns 0, or the error number.
static inline int clinux_spawn_from(
    int first, pid_t *process, const char *program, char *const arguments[], char *const environment[],
    const int *descriptors, int count) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, all;
  int result = posix_spawn_file_actions_init(&actions);
  if (result != 0) return result;
  result = posix_spawnattr_init(&attributes);
  if (result != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return result;
  }
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  for (int i = 0; i < first && result == 0; i++)
    result = posix_spawn_file_actions_addopen(&actions, i, "/dev/null", O_RDWR, 0);
  for (int i = 0; i < count && result == 0; i++)
    result = posix_spawn_file_actions_adddup2(&actions, descriptors[i], first + i);
  if (result == 0) result = posix_spawn_file_actions_addclosefrom_np(&actions, first + count);
  if (result == 0) result = posix_spawn(process, program, &actions, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return result;
}

/// The same with its numbers from 2 on.
static inline int clinux_spawn(
    pid_t *process, const char *program, char *const arguments[], char *const environment[], const int *descriptors,
    int count) {
  return clinux_spawn_from(2, process, program, arguments, environment, descriptors, count);
}

#endif
