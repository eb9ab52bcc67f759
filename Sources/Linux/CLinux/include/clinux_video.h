// Cameras by V4L2 (linux/videodev2.h): ioctl is variadic, its numbers are macros, and its structures hold unions. What Swift
// needs of them is here in flat structures. Single-planar capture into buffers that are mapped; nothing else.
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

/// What a node says of itself; texts end with NUL.
struct clinux_video_capability {
  char driver[17];
  char card[33];
  char bus[33];
  /// What this node can do, apart from the device's other nodes.
  uint32_t node;
};

/// A size or an interval of a list: one value, or a range with steps.
struct clinux_video_range {
  int is_range;
  uint32_t min_width, max_width, step_width;
  uint32_t min_height, max_height, step_height;
};

struct clinux_video_interval {
  int is_range;
  /// Seconds a picture: the shortest, and where it is a range the longest.
  uint32_t min_numerator, min_denominator;
  uint32_t max_numerator, max_denominator;
};

struct clinux_video_format {
  uint32_t fourcc, width, height, bytes_per_line, image_size;
};

struct clinux_video_frame {
  uint32_t index, bytes, sequence;
  int is_damaged;
  /// By CLOCK_MONOTONIC, or 0 where the driver has another clock.
  int64_t nanoseconds;
};

struct clinux_video_control {
  int32_t minimum, maximum, step, fallback;
  int is_menu;
};

static const uint32_t clinux_video_capture = V4L2_CAP_VIDEO_CAPTURE;
static const uint32_t clinux_video_capture_planes = V4L2_CAP_VIDEO_CAPTURE_MPLANE;
static const uint32_t clinux_video_streaming = V4L2_CAP_STREAMING;
static const uint32_t clinux_video_auto_exposure = V4L2_CID_EXPOSURE_AUTO;
static const uint32_t clinux_video_exposure = V4L2_CID_EXPOSURE_ABSOLUTE;
static const uint32_t clinux_video_exposure_priority = V4L2_CID_EXPOSURE_AUTO_PRIORITY;
static const uint32_t clinux_video_auto_focus = V4L2_CID_FOCUS_AUTO;
static const uint32_t clinux_video_focus = V4L2_CID_FOCUS_ABSOLUTE;
static const uint32_t clinux_video_power_line = V4L2_CID_POWER_LINE_FREQUENCY;
static const int32_t clinux_video_exposure_manual = V4L2_EXPOSURE_MANUAL;
static const int32_t clinux_video_exposure_aperture = V4L2_EXPOSURE_APERTURE_PRIORITY;
static const int32_t clinux_video_exposure_full = V4L2_EXPOSURE_AUTO;

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

static inline int clinux_video_query(int camera, struct clinux_video_capability *told) {
  struct v4l2_capability capability;
  memset(&capability, 0, sizeof capability);
  memset(told, 0, sizeof *told);
  int result = clinux_video_call(camera, VIDIOC_QUERYCAP, &capability);
  if (result < 0) return result;
  memcpy(told->driver, capability.driver, 16);
  memcpy(told->card, capability.card, 32);
  memcpy(told->bus, capability.bus_info, 32);
  told->node =
      capability.capabilities & V4L2_CAP_DEVICE_CAPS ? capability.device_caps : capability.capabilities;
  return 0;
}

/// The format at a place in the list; -EINVAL after the last.
static inline int clinux_video_format_at(int camera, uint32_t index, uint32_t *fourcc) {
  struct v4l2_fmtdesc description;
  memset(&description, 0, sizeof description);
  description.index = index;
  description.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  int result = clinux_video_call(camera, VIDIOC_ENUM_FMT, &description);
  *fourcc = description.pixelformat;
  return result;
}

static inline int clinux_video_size_at(int camera, uint32_t fourcc, uint32_t index, struct clinux_video_range *told) {
  struct v4l2_frmsizeenum size;
  memset(&size, 0, sizeof size);
  memset(told, 0, sizeof *told);
  size.index = index;
  size.pixel_format = fourcc;
  int result = clinux_video_call(camera, VIDIOC_ENUM_FRAMESIZES, &size);
  if (result < 0) return result;
  told->is_range = size.type != V4L2_FRMSIZE_TYPE_DISCRETE;
  if (told->is_range) {
    told->min_width = size.stepwise.min_width;
    told->max_width = size.stepwise.max_width;
    told->step_width = size.stepwise.step_width;
    told->min_height = size.stepwise.min_height;
    told->max_height = size.stepwise.max_height;
    told->step_height = size.stepwise.step_height;
  } else {
    told->min_width = told->max_width = size.discrete.width;
    told->min_height = told->max_height = size.discrete.height;
  }
  return 0;
}

static inline int clinux_video_interval_at(
    int camera, uint32_t fourcc, uint32_t width, uint32_t height, uint32_t index, struct clinux_video_interval *told) {
  struct v4l2_frmivalenum interval;
  memset(&interval, 0, sizeof interval);
  memset(told, 0, sizeof *told);
  interval.index = index;
  interval.pixel_format = fourcc;
  interval.width = width;
  interval.height = height;
  int result = clinux_video_call(camera, VIDIOC_ENUM_FRAMEINTERVALS, &interval);
  if (result < 0) return result;
  told->is_range = interval.type != V4L2_FRMIVAL_TYPE_DISCRETE;
  if (told->is_range) {
    told->min_numerator = interval.stepwise.min.numerator;
    told->min_denominator = interval.stepwise.min.denominator;
    told->max_numerator = interval.stepwise.max.numerator;
    told->max_denominator = interval.stepwise.max.denominator;
  } else {
    told->min_numerator = told->max_numerator = interval.discrete.numerator;
    told->min_denominator = told->max_denominator = interval.discrete.denominator;
  }
  return 0;
}

/// Asks for a format; what the driver made of it is what counts.
static inline int clinux_video_set_format(int camera, struct clinux_video_format *wanted) {
  struct v4l2_format format;
  memset(&format, 0, sizeof format);
  format.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  format.fmt.pix.width = wanted->width;
  format.fmt.pix.height = wanted->height;
  format.fmt.pix.pixelformat = wanted->fourcc;
  format.fmt.pix.field = V4L2_FIELD_NONE;
  int result = clinux_video_call(camera, VIDIOC_S_FMT, &format);
  if (result < 0) return result;
  wanted->width = format.fmt.pix.width;
  wanted->height = format.fmt.pix.height;
  wanted->fourcc = format.fmt.pix.pixelformat;
  wanted->bytes_per_line = format.fmt.pix.bytesperline;
  wanted->image_size = format.fmt.pix.sizeimage;
  return 0;
}

/// Asks for an interval between pictures, in seconds as a fraction.
static inline int clinux_video_set_interval(int camera, uint32_t *numerator, uint32_t *denominator) {
  struct v4l2_streamparm parameters;
  memset(&parameters, 0, sizeof parameters);
  parameters.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  parameters.parm.capture.timeperframe.numerator = *numerator;
  parameters.parm.capture.timeperframe.denominator = *denominator;
  int result = clinux_video_call(camera, VIDIOC_S_PARM, &parameters);
  if (result < 0) return result;
  *numerator = parameters.parm.capture.timeperframe.numerator;
  *denominator = parameters.parm.capture.timeperframe.denominator;
  return 0;
}

/// Asks for buffers to be mapped; returns how many there are.
static inline int clinux_video_request(int camera, uint32_t count) {
  struct v4l2_requestbuffers request;
  memset(&request, 0, sizeof request);
  request.count = count;
  request.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  request.memory = V4L2_MEMORY_MMAP;
  int result = clinux_video_call(camera, VIDIOC_REQBUFS, &request);
  return result < 0 ? result : (int)(request.count & 0xFFFF);
}

static inline void clinux_video_buffer(struct v4l2_buffer *buffer, uint32_t index) {
  memset(buffer, 0, sizeof *buffer);
  buffer->type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  buffer->memory = V4L2_MEMORY_MMAP;
  buffer->index = index;
}

/// Maps a buffer, for reading alone.
static inline int clinux_video_map(int camera, uint32_t index, void **start, uint32_t *length) {
  struct v4l2_buffer buffer;
  clinux_video_buffer(&buffer, index);
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

/// Gives a buffer to the driver to be filled.
static inline int clinux_video_queue(int camera, uint32_t index) {
  struct v4l2_buffer buffer;
  clinux_video_buffer(&buffer, index);
  return clinux_video_call(camera, VIDIOC_QBUF, &buffer);
}

/// Takes the oldest filled buffer; -EAGAIN where there is none.
static inline int clinux_video_dequeue(int camera, struct clinux_video_frame *told) {
  struct v4l2_buffer buffer;
  clinux_video_buffer(&buffer, 0);
  int result = clinux_video_call(camera, VIDIOC_DQBUF, &buffer);
  if (result < 0) return result;
  told->index = buffer.index;
  told->bytes = buffer.bytesused;
  told->sequence = buffer.sequence;
  told->is_damaged = (buffer.flags & V4L2_BUF_FLAG_ERROR) != 0;
  told->nanoseconds = (buffer.flags & V4L2_BUF_FLAG_TIMESTAMP_MASK) == V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC
                          ? (int64_t)buffer.timestamp.tv_sec * 1000000000 + (int64_t)buffer.timestamp.tv_usec * 1000
                          : 0;
  return 0;
}

static inline int clinux_video_stream(int camera, int is_on) {
  int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  return clinux_video_call(camera, is_on ? VIDIOC_STREAMON : VIDIOC_STREAMOFF, &type);
}

/// What a control takes; -EINVAL where there is none that can be set.
static inline int clinux_video_control(int camera, uint32_t number, struct clinux_video_control *told) {
  struct v4l2_queryctrl query;
  memset(&query, 0, sizeof query);
  query.id = number;
  int result = clinux_video_call(camera, VIDIOC_QUERYCTRL, &query);
  if (result < 0) return result;
  if (query.flags & (V4L2_CTRL_FLAG_DISABLED | V4L2_CTRL_FLAG_READ_ONLY)) return -EINVAL;
  told->minimum = query.minimum;
  told->maximum = query.maximum;
  told->step = query.step;
  told->fallback = query.default_value;
  told->is_menu = query.type == V4L2_CTRL_TYPE_MENU || query.type == V4L2_CTRL_TYPE_INTEGER_MENU;
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

static inline int clinux_video_get(int camera, uint32_t number, int32_t *value) {
  struct v4l2_control control = {.id = number, .value = 0};
  int result = clinux_video_call(camera, VIDIOC_G_CTRL, &control);
  *value = control.value;
  return result;
}

static inline int clinux_video_set(int camera, uint32_t number, int32_t value) {
  struct v4l2_control control = {.id = number, .value = value};
  return clinux_video_call(camera, VIDIOC_S_CTRL, &control);
}

#endif
