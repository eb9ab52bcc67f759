// Cameras by V4L2 (linux/videodev2.h): ioctl is variadic, and its numbers are macros. The kernel's structures are used as they
// are. Single-planar capture into buffers that are mapped; nothing else.
#ifndef CLINUX_VIDEO_H
#define CLINUX_VIDEO_H

#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const unsigned long clinux_VIDIOC_QUERYCAP = VIDIOC_QUERYCAP;
static const unsigned long clinux_VIDIOC_ENUM_FMT = VIDIOC_ENUM_FMT;
static const unsigned long clinux_VIDIOC_ENUM_FRAMESIZES = VIDIOC_ENUM_FRAMESIZES;
static const unsigned long clinux_VIDIOC_ENUM_FRAMEINTERVALS = VIDIOC_ENUM_FRAMEINTERVALS;
static const unsigned long clinux_VIDIOC_S_FMT = VIDIOC_S_FMT;
static const unsigned long clinux_VIDIOC_S_PARM = VIDIOC_S_PARM;
static const unsigned long clinux_VIDIOC_REQBUFS = VIDIOC_REQBUFS;
static const unsigned long clinux_VIDIOC_QBUF = VIDIOC_QBUF;
static const unsigned long clinux_VIDIOC_DQBUF = VIDIOC_DQBUF;
static const unsigned long clinux_VIDIOC_STREAMON = VIDIOC_STREAMON;
static const unsigned long clinux_VIDIOC_STREAMOFF = VIDIOC_STREAMOFF;
static const unsigned long clinux_VIDIOC_QUERYCTRL = VIDIOC_QUERYCTRL;
static const unsigned long clinux_VIDIOC_G_CTRL = VIDIOC_G_CTRL;
static const unsigned long clinux_VIDIOC_S_CTRL = VIDIOC_S_CTRL;
static const uint32_t clinux_video_auto_exposure = V4L2_CID_EXPOSURE_AUTO;
static const uint32_t clinux_video_exposure = V4L2_CID_EXPOSURE_ABSOLUTE;
static const uint32_t clinux_video_exposure_priority = V4L2_CID_EXPOSURE_AUTO_PRIORITY;
static const uint32_t clinux_video_auto_focus = V4L2_CID_FOCUS_AUTO;
static const uint32_t clinux_video_focus = V4L2_CID_FOCUS_ABSOLUTE;
static const uint32_t clinux_video_power_line = V4L2_CID_POWER_LINE_FREQUENCY;

// Every function returns 0 or more when it worked, else a negative error number.

static inline int clinux_video_call(int camera, unsigned long number, void *argument) {
  int result;
  do result = ioctl(camera, number, argument);
  while (result < 0 && errno == EINTR);
  return result < 0 ? -errno : result;
}

/// Opens a character device without waiting for it.
static inline int clinux_video_open(const char *node) {
  struct stat info;
  if (stat(node, &info) < 0) return -errno;
  if (!S_ISCHR(info.st_mode)) return -ENOTTY;
  int camera = open(node, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  return camera < 0 ? -errno : camera;
}

/// Maps a buffer, for reading alone.
static inline int clinux_video_map(int camera, uint32_t index, void **start, uint32_t *length) {
  struct v4l2_buffer buffer;
  memset(&buffer, 0, sizeof buffer);
  buffer.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  buffer.memory = V4L2_MEMORY_MMAP;
  buffer.index = index;
  int result = clinux_video_call(camera, VIDIOC_QUERYBUF, &buffer);
  if (result < 0) return result;
  if (buffer.length == 0) return -EIO;
  void *memory = mmap(NULL, buffer.length, PROT_READ, MAP_SHARED, camera, buffer.m.offset);
  // Some drivers map only what can be written too.
  if (memory == MAP_FAILED)
    memory = mmap(NULL, buffer.length, PROT_READ | PROT_WRITE, MAP_SHARED, camera, buffer.m.offset);
  if (memory == MAP_FAILED) return -errno;
  *start = memory;
  *length = buffer.length;
  return 0;
}

/// Whether a menu has this entry.
static inline int clinux_video_has_entry(int camera, uint32_t number, int32_t entry) {
  struct v4l2_querymenu menu;
  memset(&menu, 0, sizeof menu);
  menu.id = number;
  menu.index = (uint32_t)entry;
  return clinux_video_call(camera, VIDIOC_QUERYMENU, &menu) >= 0;
}

/// When a buffer was filled, in nanoseconds by CLOCK_MONOTONIC; 0 where the driver has another clock.
static inline int64_t clinux_video_stamp(const struct v4l2_buffer *buffer) {
  if ((buffer->flags & V4L2_BUF_FLAG_TIMESTAMP_MASK) != V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC) return 0;
  return (int64_t)buffer->timestamp.tv_sec * 1000000000 + (int64_t)buffer->timestamp.tv_usec * 1000;
}

#endif
