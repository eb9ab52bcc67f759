#define _GNU_SOURCE
#include "clinux_clock.h"

#include <fcntl.h>
#include <linux/rtc.h>
#include <sys/ioctl.h>
#include <sys/timex.h>
#include <unistd.h>

int clinux_clock_is_synchronised(void) {
  struct timex state = {0};
  if (adjtimex(&state) < 0) return -1;
  return (state.status & STA_UNSYNC) == 0;
}

int clinux_rtc_lost_power(const char *path) {
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return -1;
  unsigned int state = 0;
  int result = ioctl(file, RTC_VL_READ, &state);
  close(file);
  if (result < 0) return -1;
  return (state & (RTC_VL_DATA_INVALID | RTC_VL_BACKUP_EMPTY)) != 0;
}
