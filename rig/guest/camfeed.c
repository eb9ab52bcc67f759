// camfeed DEVICE WIDTH HEIGHT FOURCC RATE FILE   is the sensor of a v4l2loopback camera: shows the frame in FILE, so many a second.
//                                                A frame that is moved there is shown from the next one on. Prints "showing" once
//                                                a reader can have the first.
// Each frame differs from the one before by the noise of a sensor: the lowest bit of the brightness. JPEGs stay as they are.
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static unsigned char *frame, *noisy;
static size_t length, capacity;
static struct stat shown;

// Reads the frame anew if another file has taken its place.
static int look(const char *path) {
  struct stat now;
  int fd = open(path, O_RDONLY);
  if (fd < 0 || fstat(fd, &now) != 0) return -1;
  if (now.st_ino != shown.st_ino || now.st_mtim.tv_nsec != shown.st_mtim.tv_nsec || now.st_mtim.tv_sec != shown.st_mtim.tv_sec) {
    ssize_t got;
    for (length = 0; length < capacity && (got = read(fd, frame + length, capacity - length)) > 0;) length += got;
    shown = now;
  }
  return close(fd);
}

static void add_noise(size_t step) {
  static uint32_t state = 2463534242u;
  memcpy(noisy, frame, length);
  for (size_t i = 0; i < length; i += step) {
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    noisy[i] ^= state & 1;
  }
}

int main(int count, char **words) {
  if (count != 7 || strlen(words[4]) != 4) return 2;
  const char *fourcc = words[4];
  long period = 1000000000L / atol(words[5]);
  int is_jpeg = strcmp(fourcc, "MJPG") == 0;
  struct v4l2_format format = {.type = V4L2_BUF_TYPE_VIDEO_OUTPUT};
  format.fmt.pix.width = atoi(words[2]), format.fmt.pix.height = atoi(words[3]);
  format.fmt.pix.pixelformat = v4l2_fourcc(fourcc[0], fourcc[1], fourcc[2], fourcc[3]);
  format.fmt.pix.field = V4L2_FIELD_NONE;
  capacity = (size_t)format.fmt.pix.width * format.fmt.pix.height * 2;
  format.fmt.pix.sizeimage = capacity;
  frame = malloc(capacity), noisy = malloc(capacity);
  int fd = open(words[1], O_RDWR);
  // A writer that does not say that it streams is not taken for one when it goes: the device would never be of use again. A newer driver knows
  // it by what it writes, and takes that word only of whoever has buffers.
  if (fd < 0 || !frame || !noisy || ioctl(fd, VIDIOC_S_FMT, &format) != 0 || (ioctl(fd, VIDIOC_STREAMON, &format.type) != 0 && errno != EINVAL)) {
    perror(words[1]);
    return 1;
  }
  struct timespec next;
  clock_gettime(CLOCK_MONOTONIC, &next);
  for (int first = 1;; first = 0) {
    if (look(words[6]) != 0) {
      perror(words[6]);
      return 1;
    }
    if (!is_jpeg) add_noise(strcmp(fourcc, "YUYV") == 0 ? 2 : 1);
    if (write(fd, is_jpeg ? frame : noisy, length) != (ssize_t)length) {
      perror(words[1]);
      return 1;
    }
    if (first && (puts("showing") < 0 || fflush(stdout) != 0)) return 1;
    next.tv_nsec += period;
    next.tv_sec += next.tv_nsec / 1000000000, next.tv_nsec %= 1000000000;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL) == EINTR) {
    }
  }
}
