// rig-agent: does in the guest what the host asks for, over the virtio-serial port "ctl".
//
// Requests are   ID VERB LENGTH WORDS\n   and LENGTH bytes. What they have to say while they go on is told as   ID -1 LENGTH\n   and LENGTH
// bytes, and each ends with   ID STATUS LENGTH\n   and LENGTH bytes: 0, or what its verb says; 125 and the reason if the agent itself failed.
//
//   run                    a bash script: told at its end are its status and its output (standard output and error together)
//   spawn LOG              a program, words each ended by a 0: the user (may be empty), NAME=VALUE..., the program and its own. Its output is the
//                          new file LOG; its process id is told at once, its status at the end. It is the first of a process group of its own.
//   pids NAME              the processes of that name, as the kernel cuts it to 15 characters
//   signal NUMBER PID      PID may be negative: a group
//   get OFFSET PATH        the content of a file from a byte on
//   put PATH               the new content of PATH, which is replaced as a whole
//   files                  changes of files, see files.c
//   now, settime NS        CLOCK_MONOTONIC; the clock of the wall
//   follow PATH            what the file has and what it gets, as it comes; it may not be there yet
//   lamps DEVICE           what the host of a gadget keyboard writes to its lamps: "NANOSECONDS BYTE\n"
//   sync                   ends when everything that is followed was read to its end, and told
//   journal, syncjournal   follows the journal, see journal.c; ends when everything that services had said is told
//   await MS               ends when all conditions hold (see await.c), or after so many milliseconds with 124
//   pause MS               ends after so many milliseconds
//   grab NODE              whether an input device may be grabbed, which it is for an instant: "yes" or "no"
//   keys DEVICE GAP_US, bytes DEVICE GAP_US   type, see typing.c
//   bus                    a call of the service manager's D-Bus, and its answer
//   kill 0                 ends the request ID, which answers if it has not; a program with its process group
//
// What takes time has a thread or a process of its own, so that one may wait for what another one brings about.
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "agent.h"

static const struct {
  const char *verb;
  void (*serve)(struct request *);
  int in_thread;
} verbs[] = {
    {"run", run, 0},       {"spawn", spawn, 0},       {"signal", send_signal, 0}, {"get", get, 0},
    {"put", put, 0},       {"files", change_files, 0}, {"now", tell_time, 0},      {"settime", set_time, 0},
    {"follow", follow, 0}, {"lamps", watch_lamps, 0}, {"sync", synchronize, 0},   {"journal", follow_journal, 0},
    {"keys", type_keys, 1}, {"bytes", type_bytes, 1}, {"await", await, 1},        {"syncjournal", synchronize_journal, 0},
    {"grab", grab, 0},     {"bus", call_bus, 1},      {"pause", pass_time, 1},      {"pids", tell_pids, 0},
};

struct watched {
  int fd;
  void (*ready)(void *);
  void *context;
  struct watched *next;
};

static int events;
static struct watched *all_watched, *gone;

long long now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

void pause_ms(long ms) {
  struct timespec step = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&step, NULL);
}

void watch_descriptor(int fd, void (*ready)(void *), void *context) {
  struct watched *watched = malloc(sizeof *watched);
  if (!watched) die("malloc");
  *watched = (struct watched){fd, ready, context, all_watched};
  all_watched = watched;
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = watched};
  if (epoll_ctl(events, EPOLL_CTL_ADD, fd, &event) != 0) die("epoll_ctl");
}

void forget_descriptor(int fd) {
  for (struct watched **link = &all_watched; *link; link = &(*link)->next)
    if ((*link)->fd == fd) {
      struct watched *watched = *link;
      *link = watched->next;
      epoll_ctl(events, EPOLL_CTL_DEL, fd, NULL);
      // An event of it may wait to be looked at in this very turn.
      watched->ready = NULL;
      watched->next = gone;
      gone = watched;
      return;
    }
}

static void *in_thread(void *context) {
  void **both = context;
  struct request *request = both[0];
  void (*serve)(struct request *) = both[1];
  free(both);
  serve(request);
  free(request->body);
  free(request);
  return NULL;
}

static void start_thread(struct request *request, void (*serve)(struct request *)) {
  struct request *own = malloc(sizeof *own);
  void **both = malloc(2 * sizeof *both);
  if (!own || !both) die("malloc");
  *own = *request;
  both[0] = own, both[1] = serve;
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 256 << 10);
  if ((errno = pthread_create(&thread, &attributes, in_thread, both)) != 0) die("pthread_create");
  pthread_attr_destroy(&attributes);
}

static void serve_request(struct request *request) {
  if (strcmp(request->verb, "kill") == 0) {
    if (!kill_process(request->id) && !stop_following(request->id)) stop_waiting(request->id);
    free(request->body);
    return;
  }
  for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
    if (strcmp(request->verb, verbs[i].verb) == 0) {
      if (verbs[i].in_thread) return start_thread(request, verbs[i].serve);
      verbs[i].serve(request);
      free(request->body);
      return;
    }
  errno = ENOSYS;
  tell_error(request->id, request->verb);
  free(request->body);
}

static void serve_port(void *context) {
  (void)context;
  struct request request;
  while (next_request(&request)) serve_request(&request);
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  events = epoll_create1(EPOLL_CLOEXEC);
  if (events < 0) die("epoll_create1");
  open_port();
  watch_descriptor(port_descriptor(), serve_port, NULL);
  start_following();
  tell_end(0, DONE, NULL, 0);
  for (;;) {
    struct epoll_event ready[32];
    int count = epoll_wait(events, ready, 32, follow_timeout());
    if (count < 0 && errno != EINTR) die("epoll_wait");
    for (int i = 0; i < count; i++) {
      struct watched *watched = ready[i].data.ptr;
      if (watched->fd == port_descriptor() && !(ready[i].events & EPOLLIN)) pause_ms(5);  // no host at the other end for now
      else if (watched->ready) watched->ready(watched->context);
    }
    while (gone) {
      struct watched *next = gone->next;
      free(gone);
      gone = next;
    }
    look_again();
  }
}
