// The ioctls of input devices that libevdev keeps to itself; the request numbers are macros (linux/input.h).
#ifndef CLINUX_INPUT_H
#define CLINUX_INPUT_H

#include <errno.h>
#include <linux/input.h>
#include <stdint.h>
#include <sys/ioctl.h>

// How many keys are down now by the kernel's own account, or a negative error number.
// libevdev's copy is as old as the last event that it was asked for.
static inline int clinux_input_keys_down(int descriptor) {
  uint8_t bits[KEY_MAX / 8 + 1] = {0};
  if (ioctl(descriptor, EVIOCGKEY(sizeof bits), bits) < 0) return -errno;
  int count = 0;
  for (unsigned i = 0; i < sizeof bits; i++) count += __builtin_popcount(bits[i]);
  return count;
}

#endif
