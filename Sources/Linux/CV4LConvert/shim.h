// libv4lconvert without a device: its calls to one fail, and it converts what it is given. `struct v4l2_format` has a union
// that Swift takes as opaque, so that the formats are filled here.
#include <errno.h>
#include <libv4l-plugin.h>
#include <libv4lconvert.h>
#include <stdint.h>
#include <string.h>

static inline int cv4l_ioctl(void *device, int descriptor, unsigned long request, void *argument) {
  (void)device, (void)descriptor;
  // Who it is, it must tell, or the library complains; it can nothing.
  if (request == VIDIOC_QUERYCAP) {
    memset(argument, 0, sizeof(struct v4l2_capability));
    return 0;
  }
  errno = ENOTTY;
  return -1;
}

static inline struct v4lconvert_data *cv4l_create(void) {
  static const struct libv4l_dev_ops none = {.ioctl = cv4l_ioctl};
  return v4lconvert_create_with_dev_ops(-1, NULL, &none);
}

static inline struct v4l2_format cv4l_format(uint32_t pixels, uint32_t width, uint32_t height, uint32_t stride, uint32_t size) {
  struct v4l2_format format;
  memset(&format, 0, sizeof format);
  format.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  format.fmt.pix.width = width;
  format.fmt.pix.height = height;
  format.fmt.pix.pixelformat = pixels;
  format.fmt.pix.field = V4L2_FIELD_NONE;
  format.fmt.pix.bytesperline = stride;
  format.fmt.pix.sizeimage = size;
  return format;
}

/// Converts a frame to planes of YUV 4:2:0; the grey one comes first. Returns the bytes written, -1 with words in the
/// converter's error message.
static inline int cv4l_to_yuv(
    struct v4lconvert_data *converter, uint32_t pixels, uint32_t width, uint32_t height, uint32_t stride, uint8_t *source,
    int count, uint8_t *target, int capacity) {
  struct v4l2_format from = cv4l_format(pixels, width, height, stride, (uint32_t)count);
  struct v4l2_format to = cv4l_format(V4L2_PIX_FMT_YUV420, width, height, width, (uint32_t)capacity);
  return v4lconvert_convert(converter, &from, &to, source, count, target, capacity);
}
