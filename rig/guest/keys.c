// keys read NODE [grab]   prints "ready", then "microseconds code value" for each key event (CLOCK_MONOTONIC), until the device goes
// keys grab NODE          grabs and lets go again: exit status 0 if that was possible, 1 (and the reason) if not
#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

int main(int count, char **words) {
  if (count < 3) return 2;
  int fd = open(words[2], O_RDONLY);
  if (fd < 0) {
    perror(words[2]);
    return 2;
  }
  int only_grab = strcmp(words[1], "grab") == 0;
  if ((only_grab || count > 3) && ioctl(fd, EVIOCGRAB, 1) != 0) {
    printf("%s\n", errno == EBUSY ? "EBUSY" : strerror(errno));
    return 1;
  }
  if (only_grab) return 0;
  int clock = CLOCK_MONOTONIC;
  ioctl(fd, EVIOCSCLOCKID, &clock);
  puts("ready");
  fflush(stdout);
  struct input_event event;
  while (read(fd, &event, sizeof event) == sizeof event) {
    if (event.type == EV_SYN && event.code == SYN_DROPPED) puts("dropped");
    if (event.type != EV_KEY) continue;
    printf("%lld %d %d\n", event.input_event_sec * 1000000LL + event.input_event_usec, event.code, event.value);
    fflush(stdout);
  }
  puts("gone");
  return 0;
}
