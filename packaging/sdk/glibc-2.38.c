/* What Swift's libraries call since they were built against glibc 2.38, and Debian 12's 2.36 does not have. Each does what the name that
   programs built on Debian 12 get does; C23's binary numbers are read by nobody of ours. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

long __isoc23_strtol(const char *text, char **end, int base) { return strtol(text, end, base); }
unsigned long __isoc23_strtoul(const char *text, char **end, int base) { return strtoul(text, end, base); }
long long __isoc23_strtoll(const char *text, char **end, int base) { return strtoll(text, end, base); }
unsigned long long __isoc23_strtoull(const char *text, char **end, int base) { return strtoull(text, end, base); }

int __isoc23_sscanf(const char *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int read = vsscanf(text, format, arguments);
  va_end(arguments);
  return read;
}

/* Copies as much as fits and always ends it; the length that it would have had, as in OpenBSD. */
size_t strlcpy(char *to, const char *from, size_t size) {
  size_t length = strlen(from);
  if (size > 0) {
    size_t copied = length < size - 1 ? length : size - 1;
    memcpy(to, from, copied);
    to[copied] = 0;
  }
  return length;
}

size_t strlcat(char *to, const char *from, size_t size) {
  size_t length = strnlen(to, size);
  return length == size ? size + strlen(from) : length + strlcpy(to + length, from, size - length);
}
