// standstills   prints "BEGIN END" (nanoseconds of CLOCK_MONOTONIC) of each time in which it should have run, every 40 ms, and could not for
//               more than 20 ms: then the whole guest stood still. No program comes before it but the kernel's own: one that keeps the
//               processor busy is no excuse.
#include <sched.h>
#include <stdio.h>
#include <time.h>

// Each time wakes the processor, which costs an idle guest most of what it takes: less than this is not worth knowing.
#define STEP 40000000LL
#define TOLD 20000000LL

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(void) {
  struct sched_param first = {.sched_priority = sched_get_priority_max(SCHED_FIFO)};
  if (sched_setscheduler(0, SCHED_FIFO, &first) != 0) {
    perror("SCHED_FIFO");
    return 1;
  }
  setlinebuf(stdout);
  for (long long ran = now();;) {
    long long due = ran + STEP;
    struct timespec wake = {due / 1000000000, due % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL);
    ran = now();
    if (ran - due > TOLD) printf("%lld %lld\n", due, ran);
  }
}
