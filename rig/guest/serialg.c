// serialg DEVICE GAP_US   sends bytes, given as hexadecimal words on standard input, from the gadget's side of a serial port,
//                         one at a time. Prints how many the port has taken; the exit status is 1 if not all have left it.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

// Whether all has left the port. Unplugging hangs the port up, but wakes nobody who waits in tcdrain: the port would stay open,
// and its gadget could never be taken away.
static int drained(int fd) {
  const struct timespec pause = {0, 2000000};
  int left;
  while (ioctl(fd, TIOCOUTQ, &left) == 0) {
    if (left == 0) return 1;
    nanosleep(&pause, NULL);
  }
  return 0;
}

int main(int count, char **words) {
  if (count != 3) return 2;
  int fd = open(words[1], O_WRONLY | O_NOCTTY);
  struct termios raw;
  if (fd < 0 || tcgetattr(fd, &raw) != 0) {
    perror(words[1]);
    return 2;
  }
  cfmakeraw(&raw);
  tcsetattr(fd, TCSANOW, &raw);
  long gap_us = atol(words[2]);
  unsigned byte, sent = 0, failed = 0;
  while (!failed && scanf(" %2x", &byte) == 1) {
    unsigned char one = byte;
    // Unplugging hangs the port up: writing fails, and what waits in it is thrown away when it is closed.
    if (write(fd, &one, 1) != 1) {
      fprintf(stderr, "byte %u: %s\n", sent, strerror(errno));
      failed = 1;
      break;
    }
    sent++;
    struct timespec gap = {gap_us / 1000000, gap_us % 1000000 * 1000};
    if (gap_us > 0) nanosleep(&gap, NULL);
  }
  if (!failed && !drained(fd)) failed = 1;
  printf("%u\n", sent);
  return failed;
}
