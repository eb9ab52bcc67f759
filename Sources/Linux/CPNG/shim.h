// libpng's simplified interface alone: the other one returns from errors by longjmp, over Swift's frames.
#include <png.h>
#include <stdint.h>
#include <string.h>

/// Begins to read a PNG: size and format are in `image` when it is true. `png_image_free` ends it.
static inline int cpng_begin(png_image *image, const void *bytes, size_t count) {
  memset(image, 0, sizeof *image);
  image->version = PNG_IMAGE_VERSION;
  return png_image_begin_read_from_memory(image, bytes, count);
}

static inline int cpng_is_colour(const png_image *image) { return (image->format & PNG_FORMAT_FLAG_COLOR) != 0; }

/// Reads the pixels, in eight bits, what is transparent over white: one byte a pixel, or three in the order R, G, B.
static inline int cpng_finish(png_image *image, int colour, void *pixels, int stride) {
  static const png_color white = {255, 255, 255};
  // Sixteen bits that do not say otherwise are sRGB, as everybody takes them, not linear.
  image->flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
  image->format = colour ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  return png_image_finish_read(image, &white, pixels, stride, NULL);
}

/// Reads the pixels, in eight bits, what is transparent stays so: four bytes in the order R, G, B, A.
static inline int cpng_finish_rgba(png_image *image, void *pixels, int stride) {
  image->flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
  image->format = PNG_FORMAT_RGBA;
  return png_image_finish_read(image, NULL, pixels, stride, NULL);
}

/// Writes RGB pixels as PNG into `memory`; returns its length, or 0 where they do not fit.
static inline size_t cpng_write(const void *rgb, uint32_t width, uint32_t height, void *memory, size_t capacity) {
  png_image image;
  memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.width = width;
  image.height = height;
  image.format = PNG_FORMAT_RGB;
  image.flags = PNG_IMAGE_FLAG_FAST;
  png_alloc_size_t size = capacity;
  return png_image_write_to_memory(&image, memory, &size, 0, rgb, 0, NULL) ? size : 0;
}
