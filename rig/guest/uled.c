// uled NAME...   makes LEDs /sys/class/leds/NAME and prints "nanoseconds NAME brightness" (CLOCK_MONOTONIC) at each change
#include <fcntl.h>
#include <linux/uleds.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "watcher.h"

#define MAX_LEDS 16

int main(int count, char **names) {
  struct pollfd waits[MAX_LEDS + 1];
  int leds = count - 1;
  if (leds < 1 || leds > MAX_LEDS) return 2;
  for (int i = 0; i < leds; i++) {
    struct uleds_user_dev led = {.max_brightness = 255};
    snprintf(led.name, sizeof led.name, "%s", names[i + 1]);
    int fd = open("/dev/uleds", O_RDWR | O_NONBLOCK);
    if (fd < 0 || write(fd, &led, sizeof led) != sizeof led) {
      perror(led.name);
      return 1;
    }
    waits[i] = (struct pollfd){.fd = fd, .events = POLLIN};
  }
  waits[leds] = (struct pollfd){.fd = connect_to_agent(), .events = POLLIN};
  for (;;) {
    poll(waits, leds + 1, -1);
    int is_asked = waits[leds].revents != 0;
    for (int i = 0; i < leds; i++) {
      int brightness;
      if (!(waits[i].revents & POLLIN) || read(waits[i].fd, &brightness, sizeof brightness) != sizeof brightness) continue;
      struct timespec now;
      clock_gettime(CLOCK_MONOTONIC, &now);
      printf("%lld %s %d\n", now.tv_sec * 1000000000LL + now.tv_nsec, names[i + 1], brightness);
      fflush(stdout);
    }
    // What happened before it was asked was looked at above only if it was there when poll was left.
    if (is_asked && poll(waits, leds, 0) == 0) waits[leds].fd = answer_agent(waits[leds].fd);
  }
}
