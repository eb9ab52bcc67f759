// A call of the service manager, by D-Bus over its own socket. The host makes the message and reads the answer (rig/units.py);
// here is only what it takes to find where the answer ends.
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent.h"

#define SOCKET "/run/systemd/private"
#define HEAD 16
#define MOST (1 << 20)
#define METHOD_RETURN 2
#define ERROR 3

static int read_all(int fd, char *data, size_t length) {
  while (length > 0) {
    ssize_t got = read(fd, data, length);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return -1;
    data += got;
    length -= got;
  }
  return 0;
}

// All of it at once, and nothing more before the answer: a message that came together with "BEGIN" would lie with the manager unread.
static int introduce(int fd) {
  static const char words[] = "\0AUTH EXTERNAL 30\r\nBEGIN\r\n";  // 30: "0", for root, in hexadecimal
  char letter = 0;
  if (write(fd, words, sizeof words - 1) < 0) return -1;
  while (letter != '\n')
    if (read_all(fd, &letter, 1) != 0) return -1;
  return 0;
}

// The whole of the next message, of a little-endian machine.
static char *next_message(int fd, size_t *length) {
  char head[HEAD];
  uint32_t body, fields;
  if (read_all(fd, head, HEAD) != 0) return NULL;
  memcpy(&body, head + 4, 4);
  memcpy(&fields, head + 12, 4);
  *length = HEAD + (((size_t)fields + 7) & ~(size_t)7) + body;
  char *message = *length <= MOST ? malloc(*length) : NULL;
  if (!message) return NULL;
  memcpy(message, head, HEAD);
  if (read_all(fd, message + HEAD, *length - HEAD) == 0) return message;
  free(message);
  return NULL;
}

void call_bus(struct request *request) {
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = SOCKET};
  struct timeval patience = {.tv_sec = 60};
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0 || introduce(fd) != 0 ||
      write(fd, request->body, request->length) != (ssize_t)request->length) {
    tell_error(request->id, SOCKET);
    close(fd);
    return;
  }
  size_t length;
  for (char *message; (message = next_message(fd, &length));) {
    int is_answer = message[1] == METHOD_RETURN || message[1] == ERROR;
    if (is_answer) tell_end(request->id, DONE, message, length);
    free(message);
    if (is_answer) {
      close(fd);
      return;
    }
  }
  tell_error(request->id, SOCKET);
  close(fd);
}
