#define _GNU_SOURCE
#include "clinux_clock.h"

#include <sys/timex.h>

int clinux_clock_is_synchronised(void) {
  struct timex state = {0};
  return adjtimex(&state) >= 0 && (state.status & STA_UNSYNC) == 0;
}
