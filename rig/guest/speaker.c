// speaker NAME   makes an input device that sounds tones (EV_SND) and prints "nanoseconds hertz" (CLOCK_MONOTONIC) for each; 0 is silence
#include <fcntl.h>
#include <linux/uinput.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "watcher.h"

int main(int count, char **words) {
  if (count != 2) return 2;
  int fd = open("/dev/uinput", O_RDWR | O_NONBLOCK);
  struct uinput_setup setup = {.id = {.bustype = BUS_ISA, .vendor = 0x1f, .product = 1, .version = 0x100}};
  snprintf(setup.name, sizeof setup.name, "%s", words[1]);
  if (fd < 0 || ioctl(fd, UI_SET_EVBIT, EV_SND) != 0 || ioctl(fd, UI_SET_SNDBIT, SND_TONE) != 0 || ioctl(fd, UI_SET_SNDBIT, SND_BELL) != 0 ||
      ioctl(fd, UI_DEV_SETUP, &setup) != 0 || ioctl(fd, UI_DEV_CREATE) != 0) {
    perror("/dev/uinput");
    return 1;
  }
  struct pollfd waits[2] = {{.fd = fd, .events = POLLIN}, {.fd = connect_to_agent(), .events = POLLIN}};
  while (poll(waits, 2, -1) > 0) {
    struct input_event event;
    while (read(fd, &event, sizeof event) == sizeof event) {
      if (event.type != EV_SND || event.code != SND_TONE) continue;
      // The kernel's stamp of when it was told: this program may come to read it only later.
      printf("%lld %d\n", event.input_event_sec * 1000000000LL + event.input_event_usec * 1000LL, event.value);
      fflush(stdout);
    }
    if (waits[1].revents) waits[1].fd = answer_agent(waits[1].fd);
  }
  return 1;
}
