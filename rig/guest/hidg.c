// hidg type DEVICE GAP_US   reads keyboard reports from standard input, two hexadecimal bytes each: modifiers and key
//                           ("0204" is shift + a, "0000" releases everything), and sends them one after the other.
//                           Prints how many of them the USB host has taken; the exit status is 1 if not all.
// hidg watch DEVICE         prints "nanoseconds byte" (CLOCK_MONOTONIC) for each LED report that the host writes
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// The kernel's gadget holds one report at a time: the device is writable again once the host has fetched the last one.
static int taken(int fd) {
  struct pollfd wait = {.fd = fd, .events = POLLOUT};
  return poll(&wait, 1, 10000) == 1 && (wait.revents & POLLOUT) && !(wait.revents & (POLLERR | POLLHUP));
}

static int type(int fd, long gap_us) {
  unsigned modifiers, key, sent = 0, failed = 0;
  while (scanf(" %2x%2x", &modifiers, &key) == 2) {
    unsigned char report[8] = {modifiers, 0, key};
    if (write(fd, report, sizeof report) != sizeof report || !taken(fd)) {
      failed = 1;
      fprintf(stderr, "report %u: %s\n", sent, strerror(errno));
      break;
    }
    sent++;
    if (gap_us > 0) {
      struct timespec gap = {gap_us / 1000000, gap_us % 1000000 * 1000};
      nanosleep(&gap, NULL);
    }
  }
  printf("%u\n", sent);
  return failed;
}

static int watch(int fd) {
  unsigned char report[8];
  for (;;) {
    ssize_t got = read(fd, report, sizeof report);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return 1;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("%lld %02x\n", now.tv_sec * 1000000000LL + now.tv_nsec, report[0]);
    fflush(stdout);
  }
}

int main(int count, char **words) {
  if (count < 3) return 2;
  int fd = open(words[2], strcmp(words[1], "watch") == 0 ? O_RDONLY : O_WRONLY);
  if (fd < 0) {
    perror(words[2]);
    return 2;
  }
  return strcmp(words[1], "watch") == 0 ? watch(fd) : type(fd, count > 3 ? atol(words[3]) : 0);
}
