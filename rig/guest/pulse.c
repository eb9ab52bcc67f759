// pulse CHIP OFFSET MILLISECONDS COUNT [GAP_MS]   drives COUNT pulses on a line of a GPIO character device (uAPI v2)
#include <fcntl.h>
#include <linux/gpio.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>

static void sleep_ms(int ms) {
  struct timespec length = {ms / 1000, ms % 1000 * 1000000L};
  nanosleep(&length, NULL);
}

static int set(int line, int value) {
  struct gpio_v2_line_values values = {.bits = value, .mask = 1};
  return ioctl(line, GPIO_V2_LINE_SET_VALUES_IOCTL, &values);
}

int main(int count, char **words) {
  if (count < 5) return 2;
  int chip = open(words[1], O_RDWR);
  struct gpio_v2_line_request request = {.offsets = {atoi(words[2])}, .num_lines = 1, .consumer = "pulse"};
  request.config.flags = GPIO_V2_LINE_FLAG_OUTPUT;
  if (chip < 0 || ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &request) != 0) {
    perror(words[1]);
    return 1;
  }
  for (int i = 0; i < atoi(words[4]); i++) {
    if (i > 0) sleep_ms(count > 5 ? atoi(words[5]) : 50);
    set(request.fd, 1);
    sleep_ms(atoi(words[3]));
    set(request.fd, 0);
  }
  return 0;
}
