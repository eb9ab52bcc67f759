// speaker NAME   makes an input device that sounds tones (EV_SND) and prints "nanoseconds hertz" (CLOCK_MONOTONIC) for each; 0 is silence
#include <fcntl.h>
#include <linux/uinput.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int main(int count, char **words) {
  if (count != 2) return 2;
  int fd = open("/dev/uinput", O_RDWR);
  struct uinput_setup setup = {.id = {.bustype = BUS_ISA, .vendor = 0x1f, .product = 1, .version = 0x100}};
  snprintf(setup.name, sizeof setup.name, "%s", words[1]);
  if (fd < 0 || ioctl(fd, UI_SET_EVBIT, EV_SND) != 0 || ioctl(fd, UI_SET_SNDBIT, SND_TONE) != 0 || ioctl(fd, UI_SET_SNDBIT, SND_BELL) != 0 ||
      ioctl(fd, UI_DEV_SETUP, &setup) != 0 || ioctl(fd, UI_DEV_CREATE) != 0) {
    perror("/dev/uinput");
    return 1;
  }
  struct input_event event;
  while (read(fd, &event, sizeof event) == sizeof event) {
    if (event.type != EV_SND || event.code != SND_TONE) continue;
    // The kernel's stamp of when it was told: this program may come to read it only later.
    printf("%lld %d\n", event.input_event_sec * 1000000000LL + event.input_event_usec * 1000LL, event.value);
    fflush(stdout);
  }
  return 1;
}
