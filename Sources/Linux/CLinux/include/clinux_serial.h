// Serial lines (termios(3), ioctl_tty(2)): macros, variadic ioctls, and an array that Swift has as a tuple.
#ifndef CLINUX_SERIAL_H
#define CLINUX_SERIAL_H

#include <errno.h>
#include <linux/serial.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <unistd.h>

// Every function returns 0 or more when it worked, else a negative error number, unless it says otherwise.

/// Whether something else than a tty stands at a path, told without opening it: opening can do harm (a watchdog begins to
/// count) or wait (a pipe).
static inline int clinux_serial_is_other(const char *path) {
  struct stat info;
  if (stat(path, &info) < 0) return -errno;
  if (!S_ISCHR(info.st_mode)) return 1;
  char link[64], subsystem[256];
  snprintf(link, sizeof link, "/sys/dev/char/%u:%u/subsystem", major(info.st_rdev), minor(info.st_rdev));
  ssize_t length = readlink(link, subsystem, sizeof subsystem - 1);
  // Pseudo-terminals have no place in sysfs.
  if (length < 0) return 0;
  subsystem[length] = 0;
  const char *name = strrchr(subsystem, '/');
  return name == NULL || strcmp(name, "/tty") != 0;
}

/// Whether the open tty is the slave side of a pseudo-terminal (the UNIX 98 majors 136 to 143).
static inline int clinux_serial_is_pseudo(int line) {
  struct stat info;
  if (fstat(line, &info) < 0) return 0;
  return major(info.st_rdev) >= 136 && major(info.st_rdev) <= 143;
}

/// Takes the line for this program alone. TIOCEXCL keeps everybody out but root; the lock keeps out root's programs too, as
/// far as they look for it (as tio, minicom and pyserial do). -EBUSY where another program holds it.
static inline int clinux_serial_take(int line) {
  if (flock(line, LOCK_EX | LOCK_NB) < 0) return errno == EWOULDBLOCK ? -EBUSY : -errno;
  return ioctl(line, TIOCEXCL) < 0 ? -errno : 0;
}

/// Lets others open the line again. The lock ends when the descriptor is closed.
static inline void clinux_serial_release(int line) { (void)ioctl(line, TIOCNXCL); }

/// Raw reading with these settings: eight or seven bits, parity 'N', 'E' or 'O', one stop bit or two, flow control none (0),
/// RTS/CTS (1) or XON/XOFF (2). Damaged bytes are marked (PARMRK). -EINVAL where the line does not take the settings.
static inline int clinux_serial_configure(
    int line, const struct termios *saved, speed_t speed, int bits, char parity, int stop, int flow) {
  struct termios wanted = *saved, taken;
  wanted.c_iflag = INPCK | PARMRK | (flow == 2 ? IXON | IXOFF : 0);
  wanted.c_oflag = 0;
  wanted.c_lflag = 0;
  wanted.c_cflag &= ~(tcflag_t)(CSIZE | PARENB | PARODD | CMSPAR | CSTOPB | CRTSCTS);
  wanted.c_cflag |= CREAD | CLOCAL | (bits == 7 ? CS7 : CS8) | (stop == 2 ? CSTOPB : 0) | (flow == 1 ? CRTSCTS : 0) |
                    (parity == 'N' ? 0 : PARENB) | (parity == 'O' ? PARODD : 0);
  // One byte is enough, and no waiting: with O_NONBLOCK an empty line is EAGAIN, and 0 means that it has hung up.
  wanted.c_cc[VMIN] = 1;
  wanted.c_cc[VTIME] = 0;
  if (cfsetispeed(&wanted, speed) < 0 || cfsetospeed(&wanted, speed) < 0) return -errno;
  if (tcsetattr(line, TCSANOW, &wanted) < 0) return -errno;
  // It succeeds when anything at all was taken.
  if (tcgetattr(line, &taken) < 0) return -errno;
  tcflag_t checked = CSIZE | PARENB | PARODD | CSTOPB | CRTSCTS;
  if ((taken.c_cflag & checked) != (wanted.c_cflag & checked) || taken.c_iflag != wanted.c_iflag ||
      cfgetispeed(&taken) != speed)
    return -EINVAL;
  return 0;
}

/// Tells the scanner that somebody listens. Not every line has these wires.
static inline void clinux_serial_assert_lines(int line, int with_rts) {
  int lines = TIOCM_DTR | (with_rts ? TIOCM_RTS : 0);
  (void)ioctl(line, TIOCMBIS, &lines);
}

/// How many bytes the chip and the driver lost since boot; -1 where the line does not count them.
static inline long clinux_serial_lost(int line) {
  struct serial_icounter_struct counters;
  memset(&counters, 0, sizeof counters);
  if (ioctl(line, TIOCGICOUNT, &counters) < 0) return -1;
  return (long)(unsigned)counters.overrun + (long)(unsigned)counters.buf_overrun;
}

#endif
