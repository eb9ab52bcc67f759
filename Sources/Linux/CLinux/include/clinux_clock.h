// Kept out of the header: <sys/timex.h> would give this module types that Swift's own Glibc module has too.
#ifndef CLINUX_CLOCK_H
#define CLINUX_CLOCK_H

/// Whether something keeps the civil clock right (adjtimex(2)): 1, 0 where nothing does, or -1 where this process may not ask.
int clinux_clock_is_synchronised(void);

/// Whether a battery clock reports that its power was lost (rtc(4), RTC_VL_READ): 1, 0, or -1 where it cannot be asked.
int clinux_rtc_lost_power(const char *path);

#endif
