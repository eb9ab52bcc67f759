// The ioctls of input devices that libevdev keeps to itself; the request numbers are macros (linux/input.h).
#ifndef CLINUX_INPUT_H
#define CLINUX_INPUT_H

#include <errno.h>
#include <linux/input.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

// How many keys are down now by the kernel's own account, or a negative error number.
// libevdev's copy is as old as the last event that it was asked for.
static inline int clinux_input_keys_down(int descriptor) {
  uint8_t bits[KEY_MAX / 8 + 1] = {0};
  if (ioctl(descriptor, EVIOCGKEY(sizeof bits), bits) < 0) return -errno;
  int count = 0;
  for (unsigned i = 0; i < sizeof bits; i++) count += __builtin_popcount(bits[i]);
  return count;
}

// Makes a device that has SND_TONE sound at `hertz`, or be silent with 0; 0, or a negative error number.
static inline int clinux_input_tone(int descriptor, uint32_t hertz) {
  struct input_event events[2];
  memset(events, 0, sizeof events);
  events[0].type = EV_SND;
  events[0].code = SND_TONE;
  events[0].value = (int32_t)hertz;
  events[1].type = EV_SYN;
  events[1].code = SYN_REPORT;
  ssize_t written = write(descriptor, events, sizeof events);
  if (written < 0) return -errno;
  return written == sizeof events ? 0 : -EIO;
}

#endif
