// levels FILE   prints "nanoseconds content" (CLOCK_MONOTONIC) of a small file now and whenever it has changed, looking every 2 ms:
//               what the kernel's trace does not show, as a line that falls back to its pull when it is let go
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "watcher.h"

int main(int count, char **words) {
  if (count != 2) return 2;
  int fd = open(words[1], O_RDONLY);
  if (fd < 0) {
    perror(words[1]);
    return 1;
  }
  struct pollfd agent = {.fd = connect_to_agent(), .events = POLLIN};
  char last[64] = "", now[64];
  for (int is_asked = 0;;) {
    ssize_t got = pread(fd, now, sizeof now - 1, 0);
    if (got < 0) return 1;
    now[got] = 0;
    now[strcspn(now, "\n")] = 0;
    if (strcmp(now, last) != 0) {
      struct timespec at;
      clock_gettime(CLOCK_MONOTONIC, &at);
      printf("%lld %s\n", at.tv_sec * 1000000000LL + at.tv_nsec, now);
      fflush(stdout);
      strcpy(last, now);
    }
    struct timespec step = {0, 2000000};
    if (is_asked) agent.fd = answer_agent(agent.fd);
    is_asked = ppoll(&agent, 1, &step, NULL) > 0;
  }
}
