// Follows files, the kernel's trace and the lamps of gadget keyboards: all of it is pushed to the host as it comes.
//
// Small programs that watch something for the rig write to files, and are followed there. They are asked by way of a socket whether they have
// written down everything that has happened (watcher.h), so that what nobody was told by the end of a "sync" has not been.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "../watcher.h"
#include "agent.h"

#define TRACE_FILE_SYSTEM 0x74726163
#define PATIENCE_MS 20000
#define MOST_WATCHERS 16

enum kind { FILE_THAT_GROWS, STREAM, LAMPS };

struct followed {
  unsigned long id;
  enum kind kind;
  int fd, watch;  // -1: it is not there yet; is in no folder
  char path[500];
  struct followed *next;
};

static struct followed *all_followed;
static int growth, door, watchers[MOST_WATCHERS], watcher_count;

static void tell_lamps(struct followed *followed, const unsigned char *report) {
  char text[40];
  tell_part(followed->id, text, snprintf(text, sizeof text, "%lld %02x\n", now_ns(), report[0]));
}

// Tells everything that is there.
static void read_to_end(struct followed *followed) {
  static char data[1 << 16];
  if (followed->fd < 0) return;
  for (;;) {
    ssize_t got = read(followed->fd, data, followed->kind == LAMPS ? 8 : sizeof data);
    if (got < 0 && errno == EINTR) continue;
    if (got > 0 && followed->kind == LAMPS) tell_lamps(followed, (unsigned char *)data);
    else if (got > 0) tell_part(followed->id, data, got);
    else {
      // A pipe that nobody writes to any more, or a device that is gone.
      if (followed->kind != FILE_THAT_GROWS && !(got < 0 && errno == EAGAIN)) forget_descriptor(followed->fd);
      return;
    }
  }
}

static void is_ready(void *context) { read_to_end(context); }

static void has_grown(void *context) {
  (void)context;
  char buffer[4096] __attribute__((aligned(8)));
  ssize_t got;
  while ((got = read(growth, buffer, sizeof buffer)) > 0)
    for (char *next = buffer; next < buffer + got;) {
      struct inotify_event *event = (void *)next;
      for (struct followed *each = all_followed; each; each = each->next)
        if (each->watch == event->wd || (event->mask & IN_Q_OVERFLOW)) read_to_end(each);
      next += sizeof *event + event->len;
    }
}

static void take_watcher(void *context) {
  (void)context;
  int watcher = accept4(door, NULL, NULL, SOCK_CLOEXEC);
  if (watcher < 0) return;
  if (watcher_count == MOST_WATCHERS) {
    fprintf(stderr, "too many watchers\n");
    close(watcher);
    return;
  }
  watchers[watcher_count++] = watcher;
}

void start_following(void) {
  growth = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  door = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  struct sockaddr_un address = watchers_address();
  if (growth < 0 || door < 0 || bind(door, (struct sockaddr *)&address, sizeof address) != 0 || listen(door, MOST_WATCHERS) != 0) die("follow");
  watch_descriptor(growth, has_grown, NULL);
  watch_descriptor(door, take_watcher, NULL);
}

static void add(unsigned long id, enum kind kind, int fd, const char *path) {
  struct followed *followed = calloc(1, sizeof *followed);
  if (!followed) die("calloc");
  *followed = (struct followed){.id = id, .kind = kind, .fd = fd, .watch = -1, .next = all_followed};
  snprintf(followed->path, sizeof followed->path, "%s", path);
  all_followed = followed;
  if (fd >= 0) watch_descriptor(fd, is_ready, followed);
}

static void try_to_open(struct followed *followed) {
  int fd = open(followed->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return;
  followed->fd = fd;
  struct statfs system;
  if (fstatfs(fd, &system) == 0 && system.f_type == TRACE_FILE_SYSTEM) {
    followed->kind = STREAM;
    watch_descriptor(fd, is_ready, followed);
  } else {
    // By its descriptor: another file may have taken its name.
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    followed->watch = inotify_add_watch(growth, path, IN_MODIFY);
    if (followed->watch < 0) die("inotify_add_watch");
  }
  read_to_end(followed);
}

void follow(struct request *request) {
  add(request->id, FILE_THAT_GROWS, -1, request->words);
  try_to_open(all_followed);
}

void watch_lamps(struct request *request) {
  int fd = open(request->words, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return tell_error(request->id, request->words);
  add(request->id, LAMPS, fd, request->words);
}

static void stop(struct followed *followed) {
  read_to_end(followed);
  int is_shared = 0;
  for (struct followed *each = all_followed; each; each = each->next) is_shared |= each != followed && each->watch == followed->watch;
  if (followed->watch >= 0 && !is_shared) inotify_rm_watch(growth, followed->watch);
  if (followed->fd >= 0 && followed->kind != FILE_THAT_GROWS) forget_descriptor(followed->fd);
  if (followed->fd >= 0) close(followed->fd);
  free(followed);
}

int stop_following(unsigned long id) {
  for (struct followed **link = &all_followed; *link; link = &(*link)->next)
    if ((*link)->id == id) {
      struct followed *followed = *link;
      *link = followed->next;
      stop(followed);
      return 1;
    }
  return 0;
}

int follow_timeout(void) {
  for (struct followed *each = all_followed; each; each = each->next)
    if (each->fd < 0) return 10;
  return is_following_journal() ? 25 : -1;
}

void look_again(void) {
  for (struct followed *each = all_followed; each; each = each->next)
    if (each->fd < 0) try_to_open(each);
  look_at_journal();
}

// Waits until a watcher has written down what it has seen: 1, or 0 if it is no more, or -1 if it does not answer.
static int has_written(int watcher, long long deadline) {
  for (;;) {
    struct pollfd wait = {.fd = watcher, .events = POLLIN};
    long long left = (deadline - now_ns()) / 1000000;
    if (left < 0 || poll(&wait, 1, left) == 0) return -1;
    char word;
    ssize_t got = read(watcher, &word, 1);
    if (got < 0 && errno == EINTR) continue;
    return got == 1;
  }
}

void synchronize(struct request *request) {
  take_watcher(NULL);
  long long deadline = now_ns() + PATIENCE_MS * 1000000LL;
  char late[64];
  for (int i = 0; i < watcher_count; i++) {
    // What was answered too late is no answer to this.
    while (recv(watchers[i], late, sizeof late, MSG_DONTWAIT) > 0) {
    }
    send(watchers[i], "?", 1, MSG_NOSIGNAL);
  }
  for (int i = watcher_count; i-- > 0;) {
    int has = has_written(watchers[i], deadline);
    if (has < 0) {
      errno = ETIMEDOUT;
      return tell_error(request->id, "a watcher");
    }
    if (has == 0) {
      close(watchers[i]);
      watchers[i] = watchers[--watcher_count];
    }
  }
  for (struct followed *each = all_followed; each; each = each->next) {
    if (each->fd < 0) try_to_open(each);
    else read_to_end(each);
  }
  tell_end(request->id, DONE, NULL, 0);
}
