// The virtio-serial port "ctl": requests of the host, and what it is told.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent.h"

#define PORT "/dev/virtio-ports/ctl"
#define PART (-1)

static int port;
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
static char *waiting;  // what has come in and is no whole request yet
static size_t used, capacity;

void die(const char *what) {
  perror(what);
  exit(1);
}

void write_all(int fd, const void *data, size_t length) {
  const char *next = data;
  while (length > 0) {
    ssize_t written = write(fd, next, length);
    if (written < 0 && (errno == EINTR || errno == EAGAIN)) {
      if (errno == EAGAIN) pause_ms(1);
      continue;
    }
    if (written < 0) die("write");
    next += written;
    length -= written;
  }
}

void open_port(void) {
  port = open(PORT, O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (port < 0) die(PORT);
}

int port_descriptor(void) { return port; }

static void tell(unsigned long id, int status, const void *data, size_t length) {
  char text[512];
  size_t head = snprintf(text, sizeof text, "%lu %d %zu\n", id, status, length);
  pthread_mutex_lock(&writing);
  // Each write is a message of its own to the host: one where it fits.
  int fits = head + length <= sizeof text;
  if (fits && length > 0) memcpy(text + head, data, length);
  write_all(port, text, fits ? head + length : head);
  if (!fits) write_all(port, data, length);
  pthread_mutex_unlock(&writing);
}

void tell_part(unsigned long id, const void *data, size_t length) { tell(id, PART, data, length); }

void tell_end(unsigned long id, int status, const void *data, size_t length) { tell(id, status, data, length); }

void tell_error(unsigned long id, const char *what) {
  char text[700];
  snprintf(text, sizeof text, "%s: %s\n", what, strerror(errno));
  tell(id, WENT_WRONG, text, strlen(text));
}

// Takes in what has come; false where there is nothing. A port whose host end is closed reads as end of file until somebody connects again.
static int receive(void) {
  if (capacity - used < 1 << 16) {
    capacity = 2 * capacity + (1 << 17);
    waiting = realloc(waiting, capacity);
    if (!waiting) die("realloc");
  }
  ssize_t got = read(port, waiting + used, capacity - used);
  if (got < 0 && errno != EINTR && errno != EAGAIN) die("read " PORT);
  if (got <= 0) return 0;
  used += got;
  return 1;
}

int next_request(struct request *request) {
  for (;;) {
    char *end = used ? memchr(waiting, '\n', used) : NULL;
    if (end) {
      size_t head = end + 1 - waiting;
      *end = 0;
      memset(request, 0, sizeof *request);
      int found = sscanf(waiting, "%lu %11s %zu %499[^\n]", &request->id, request->verb, &request->length, request->words);
      *end = '\n';
      if (found >= 3 && used - head < request->length) {
        if (!receive()) return 0;
        continue;
      }
      if (found >= 3) {
        request->body = malloc(request->length + 1);
        if (!request->body) die("malloc");
        memcpy(request->body, waiting + head, request->length);
        request->body[request->length] = 0;
        head += request->length;
      } else {
        fprintf(stderr, "request not understood: %.*s", (int)head, waiting);
      }
      used -= head;
      memmove(waiting, waiting + head, used);
      if (found >= 3) return 1;
      continue;
    }
    if (!receive()) return 0;
  }
}
