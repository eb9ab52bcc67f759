// camera read DEVICE FILE         takes one frame as an application does (mmap), writes it to FILE; prints "fourcc width height bytesused"
// camera watch DEVICE             takes frames until an error, which it prints; prints "frame" for each
// camera set DEVICE NAME VALUE    sets a control by the name that the driver gives it; presses it if it is a button
#include <fcntl.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define BUFFERS 3
// The first frames may be of before.
#define DROPPED 3

static int fail(const char *what) {
  perror(what);
  return 1;
}

static void *frames[BUFFERS];

// Begins to stream into `frames`.
static int begin(int fd) {
  struct v4l2_requestbuffers request = {.count = BUFFERS, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
  if (ioctl(fd, VIDIOC_REQBUFS, &request) != 0) return fail("VIDIOC_REQBUFS");
  for (unsigned i = 0; i < BUFFERS; i++) {
    struct v4l2_buffer buffer = {.index = i, .type = request.type, .memory = request.memory};
    if (ioctl(fd, VIDIOC_QUERYBUF, &buffer) != 0) return fail("VIDIOC_QUERYBUF");
    frames[i] = mmap(NULL, buffer.length, PROT_READ, MAP_SHARED, fd, buffer.m.offset);
    if (frames[i] == MAP_FAILED) return fail("mmap");
    if (ioctl(fd, VIDIOC_QBUF, &buffer) != 0) return fail("VIDIOC_QBUF");
  }
  return ioctl(fd, VIDIOC_STREAMON, &request.type) == 0 ? 0 : fail("VIDIOC_STREAMON");
}

static int next(int fd, struct v4l2_buffer *buffer) {
  struct pollfd wait = {.fd = fd, .events = POLLIN};
  *buffer = (struct v4l2_buffer){.type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
  if (poll(&wait, 1, 30000) != 1) return fail("no frame within 30 s");
  return ioctl(fd, VIDIOC_DQBUF, buffer) == 0 ? 0 : fail("VIDIOC_DQBUF");
}

static int take(int fd, const char *path) {
  struct v4l2_format format = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
  struct v4l2_buffer buffer;
  if (ioctl(fd, VIDIOC_G_FMT, &format) != 0) return fail("VIDIOC_G_FMT");
  if (begin(fd) != 0) return 1;
  for (int i = 0; i < DROPPED; i++) {
    if (next(fd, &buffer) != 0) return 1;
    if (ioctl(fd, VIDIOC_QBUF, &buffer) != 0) return fail("VIDIOC_QBUF");
  }
  if (next(fd, &buffer) != 0) return 1;
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file < 0 || write(file, frames[buffer.index], buffer.bytesused) != (ssize_t)buffer.bytesused) return fail(path);
  __u32 fourcc = format.fmt.pix.pixelformat;
  printf("%c%c%c%c %u %u %u\n", fourcc & 0x7F, fourcc >> 8 & 0x7F, fourcc >> 16 & 0x7F, fourcc >> 24 & 0x7F,
         format.fmt.pix.width, format.fmt.pix.height, buffer.bytesused);
  return 0;
}

static int watch(int fd) {
  struct v4l2_buffer buffer;
  if (begin(fd) != 0) return 1;
  while (next(fd, &buffer) == 0) {
    puts("frame");
    fflush(stdout);
    if (ioctl(fd, VIDIOC_QBUF, &buffer) != 0) return fail("VIDIOC_QBUF");
  }
  return 1;
}

static int set(int fd, const char *name, int value) {
  struct v4l2_queryctrl control = {.id = V4L2_CTRL_FLAG_NEXT_CTRL};
  for (; ioctl(fd, VIDIOC_QUERYCTRL, &control) == 0; control.id |= V4L2_CTRL_FLAG_NEXT_CTRL) {
    if (strcmp((const char *)control.name, name) != 0) continue;
    struct v4l2_control wanted = {.id = control.id, .value = value};
    return ioctl(fd, VIDIOC_S_CTRL, &wanted) == 0 ? 0 : fail(name);
  }
  fprintf(stderr, "no control \"%s\"\n", name);
  return 1;
}

int main(int count, char **words) {
  if (count < 3) return 2;
  int fd = open(words[2], O_RDWR);
  if (fd < 0) return fail(words[2]);
  if (strcmp(words[1], "read") == 0 && count == 4) return take(fd, words[3]);
  if (strcmp(words[1], "watch") == 0 && count == 3) return watch(fd);
  if (strcmp(words[1], "set") == 0 && count == 5) return set(fd, words[3], atoi(words[4]));
  return 2;
}
