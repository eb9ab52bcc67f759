// GPIO lines through the character device, uAPI v2 (Linux 5.10 and later; linux/gpio.h, Documentation/userspace-api/gpio).
// ioctl is variadic and its numbers are macros: neither can be called from Swift.
#ifndef CLINUX_GPIO_H
#define CLINUX_GPIO_H

#include <errno.h>
#include <linux/gpio.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>

// The layout is the kernel's: a header that differs from it must not compile.
_Static_assert(sizeof(struct gpiochip_info) == 68, "struct gpiochip_info");
_Static_assert(sizeof(struct gpio_v2_line_values) == 16, "struct gpio_v2_line_values");
_Static_assert(sizeof(struct gpio_v2_line_info) == 256, "struct gpio_v2_line_info");
_Static_assert(sizeof(struct gpio_v2_line_request) == 592, "struct gpio_v2_line_request");
_Static_assert(sizeof(struct gpio_v2_line_event) == 48, "struct gpio_v2_line_event");

static const unsigned long clinux_gpio_chip_info_number = GPIO_GET_CHIPINFO_IOCTL;
static const unsigned long clinux_gpio_line_info_number = GPIO_V2_GET_LINEINFO_IOCTL;
static const unsigned long clinux_gpio_request_number = GPIO_V2_GET_LINE_IOCTL;
static const unsigned long clinux_gpio_get_values_number = GPIO_V2_LINE_GET_VALUES_IOCTL;
static const unsigned long clinux_gpio_set_values_number = GPIO_V2_LINE_SET_VALUES_IOCTL;

// Every function returns 0 or a descriptor when it worked, else -1 with errno.

/// Reads name, label and number of lines of an open chip.
static inline int clinux_gpio_chip_info(int chip, struct gpiochip_info *info) {
  memset(info, 0, sizeof *info);
  return ioctl(chip, GPIO_GET_CHIPINFO_IOCTL, info) < 0 ? -1 : 0;
}

/// Reads name, flags and consumer of the line at `offset`.
static inline int clinux_gpio_line_info(int chip, uint32_t offset, struct gpio_v2_line_info *info) {
  memset(info, 0, sizeof *info);
  info->offset = offset;
  return ioctl(chip, GPIO_V2_GET_LINEINFO_IOCTL, info) < 0 ? -1 : 0;
}

/// Fills a request of one line with these flags (`GPIO_V2_LINE_FLAG_…`); an output is active from the first (1) or not (0).
static inline void clinux_gpio_fill_request(
    struct gpio_v2_line_request *request, uint32_t offset, uint64_t flags, int value, const char *consumer) {
  memset(request, 0, sizeof *request);
  request->offsets[0] = offset;
  request->num_lines = 1;
  strncpy(request->consumer, consumer, sizeof request->consumer - 1);
  request->config.flags = flags;
  if (flags & GPIO_V2_LINE_FLAG_OUTPUT) {
    request->config.num_attrs = 1;
    request->config.attrs[0].mask = 1;
    request->config.attrs[0].attr.id = GPIO_V2_LINE_ATTR_ID_OUTPUT_VALUES;
    request->config.attrs[0].attr.values = value ? 1 : 0;
  }
}

/// Requests one line; returns its descriptor, which the kernel opens with O_CLOEXEC.
static inline int clinux_gpio_request_line(
    int chip, uint32_t offset, uint64_t flags, int value, const char *consumer) {
  struct gpio_v2_line_request request;
  clinux_gpio_fill_request(&request, offset, flags, value, consumer);
  if (ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &request) < 0) return -1;
  return request.fd;
}

/// Makes the requested line active (1) or inactive (0); active-low is the kernel's business.
static inline int clinux_gpio_set(int line, int value) {
  struct gpio_v2_line_values values = {.bits = value ? 1 : 0, .mask = 1};
  return ioctl(line, GPIO_V2_LINE_SET_VALUES_IOCTL, &values) < 0 ? -1 : 0;
}

/// Reads the requested line: 1 active, 0 inactive.
static inline int clinux_gpio_get(int line) {
  struct gpio_v2_line_values values = {.bits = 0, .mask = 1};
  if (ioctl(line, GPIO_V2_LINE_GET_VALUES_IOCTL, &values) < 0) return -1;
  return (int)(values.bits & 1);
}

/// Fills a request of one input line with these flags, debounced for so many microseconds; 0 is not at all.
static inline void clinux_gpio_fill_input_request(
    struct gpio_v2_line_request *request, uint32_t offset, uint64_t flags, uint32_t debounce, const char *consumer) {
  memset(request, 0, sizeof *request);
  request->offsets[0] = offset;
  request->num_lines = 1;
  strncpy(request->consumer, consumer, sizeof request->consumer - 1);
  request->config.flags = flags;
  if (debounce > 0) {
    request->config.num_attrs = 1;
    request->config.attrs[0].mask = 1;
    request->config.attrs[0].attr.id = GPIO_V2_LINE_ATTR_ID_DEBOUNCE;
    request->config.attrs[0].attr.debounce_period_us = debounce;
  }
}

/// Requests one input line; returns its descriptor, which the kernel opens with O_CLOEXEC.
static inline int clinux_gpio_request_input(
    int chip, uint32_t offset, uint64_t flags, uint32_t debounce, const char *consumer) {
  struct gpio_v2_line_request request;
  clinux_gpio_fill_input_request(&request, offset, flags, debounce, consumer);
  if (ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &request) < 0) return -1;
  return request.fd;
}

/// The debounce that a line has by the kernel's account, in microseconds; 0 where it has none.
static inline uint32_t clinux_gpio_debounce(const struct gpio_v2_line_info *info) {
  for (uint32_t i = 0; i < info->num_attrs && i < GPIO_V2_LINE_NUM_ATTRS_MAX; i++) {
    if (info->attrs[i].id == GPIO_V2_LINE_ATTR_ID_DEBOUNCE) return info->attrs[i].debounce_period_us;
  }
  return 0;
}

#endif
