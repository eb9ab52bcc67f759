// Types, in a thread of its own, and tells how much of it has been taken; the status is 1 if not all.
//
//   keys DEVICE GAP_US    keyboard reports, two hexadecimal bytes each: modifiers and key ("0204" is shift + a, "0000" releases everything)
//   bytes DEVICE GAP_US   hexadecimal bytes, from the gadget's side of a serial port, one at a time; when all are written, and may not
//                         have left it yet, their number is told as a part
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "agent.h"

static void tell_count(struct request *request, int status, unsigned count) {
  char text[16];
  tell_end(request->id, status, text, snprintf(text, sizeof text, "%u\n", count));
}

// Opens the device; where that is not possible the request has ended.
static int begin(struct request *request, struct timespec *gap) {
  char device[200] = "";
  long gap_us = 0;
  sscanf(request->words, "%199s %ld", device, &gap_us);
  *gap = (struct timespec){gap_us / 1000000, gap_us % 1000000 * 1000};
  int fd = open(device, O_WRONLY | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) tell_error(request->id, device);
  return fd;
}

// The next of the hexadecimal words of a text, which goes on behind it; false at its end.
static int next_word(char **text, unsigned long *word) {
  char *end;
  *word = strtoul(*text, &end, 16);
  int found = end != *text;
  *text = end;
  return found;
}

// The kernel's gadget holds one report at a time: the device is writable again once the host has fetched the last one.
static int taken(int fd) {
  struct pollfd wait = {.fd = fd, .events = POLLOUT};
  return poll(&wait, 1, 10000) == 1 && (wait.revents & POLLOUT) && !(wait.revents & (POLLERR | POLLHUP));
}

void type_keys(struct request *request) {
  struct timespec gap;
  int fd = begin(request, &gap), failed = 0;
  if (fd < 0) return;
  unsigned sent = 0;
  unsigned long word;
  for (char *text = request->body; !failed && next_word(&text, &word);) {
    unsigned char report[8] = {word >> 8, 0, word};
    failed = write(fd, report, sizeof report) != sizeof report || !taken(fd);
    sent += !failed;
    if (!failed && (gap.tv_sec || gap.tv_nsec)) nanosleep(&gap, NULL);
  }
  close(fd);
  tell_count(request, failed, sent);
}

// Whether all has left the port. Unplugging hangs the port up, but wakes nobody who waits in tcdrain: the port would stay open,
// and its gadget could never be taken away.
static int drained(int fd) {
  int left;
  while (ioctl(fd, TIOCOUTQ, &left) == 0) {
    if (left == 0) return 1;
    pause_ms(2);
  }
  return 0;
}

void type_bytes(struct request *request) {
  struct timespec gap;
  int fd = begin(request, &gap), failed = 0;
  if (fd < 0) return;
  struct termios raw;
  if (tcgetattr(fd, &raw) != 0) {
    tell_error(request->id, request->words);
    close(fd);
    return;
  }
  cfmakeraw(&raw);
  tcsetattr(fd, TCSANOW, &raw);
  unsigned sent = 0;
  unsigned long word;
  for (char *text = request->body; !failed && next_word(&text, &word);) {
    unsigned char one = word;
    // Unplugging hangs the port up: writing fails, and what waits in it is thrown away when it is closed.
    failed = write(fd, &one, 1) != 1;
    sent += !failed;
    if (!failed && (gap.tv_sec || gap.tv_nsec)) nanosleep(&gap, NULL);
  }
  if (!failed) {
    char text[16];
    tell_part(request->id, text, snprintf(text, sizeof text, "%u\n", sent));
    failed = !drained(fd);
  }
  close(fd);
  tell_count(request, failed, sent);
}
