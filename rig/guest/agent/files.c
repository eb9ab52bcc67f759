// Files, and the clocks.
//
// Changes of files come as lines, are made in their order, and end at the first that fails, unless it begins with "-":
//
//   write PATH HEX    in one go, to a file that is there: what the kernel's own file systems understand
//   mkdir PATH, rmdir PATH, unlink PATH
//   link PATH TARGET  a symbolic one
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "agent.h"

void get(struct request *request) {
  long long offset;
  int name;
  if (sscanf(request->words, "%lld %n", &offset, &name) < 1) return errno = EINVAL, tell_error(request->id, request->words);
  int fd = open(request->words + name, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || (offset > 0 && lseek(fd, offset, SEEK_SET) < 0)) {
    tell_error(request->id, request->words + name);
    if (fd >= 0) close(fd);
    return;
  }
  size_t used = 0, capacity = 1 << 16;
  char *content = malloc(capacity);
  ssize_t got = 0;
  while (content && (got = read(fd, content + used, capacity - used)) > 0)
    if ((used += got) == capacity) content = realloc(content, capacity *= 2);
  if (!content) die("realloc");
  if (got < 0) tell_error(request->id, request->words + name);
  else tell_end(request->id, DONE, content, used);
  free(content);
  close(fd);
}

void put(struct request *request) {
  char fresh[512];
  snprintf(fresh, sizeof fresh, "%s.new", request->words);
  int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return tell_error(request->id, fresh);
  write_all(fd, request->body, request->length);
  close(fd);
  if (rename(fresh, request->words) != 0) return tell_error(request->id, request->words);
  tell_end(request->id, DONE, NULL, 0);
}

static int write_file(const char *path, char *hex) {
  size_t length = 0;
  unsigned byte;
  for (char *next = hex; sscanf(next, "%2x", &byte) == 1; next += 2) hex[length++] = byte;
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  ssize_t written = write(fd, hex, length);
  int error = errno;
  close(fd);
  errno = error;
  return written == (ssize_t)length ? 0 : -1;
}

static int change(const char *verb, const char *path, char *more) {
  if (strcmp(verb, "write") == 0) return write_file(path, more);
  if (strcmp(verb, "mkdir") == 0) return mkdir(path, 0755);
  if (strcmp(verb, "rmdir") == 0) return rmdir(path);
  if (strcmp(verb, "unlink") == 0) return unlink(path);
  if (strcmp(verb, "link") == 0) return symlink(more, path);
  errno = ENOSYS;
  return -1;
}

void change_files(struct request *request) {
  for (char *line = strtok(request->body, "\n"); line; line = strtok(NULL, "\n")) {
    char verb[16] = "", path[400] = "";
    int more = 0, may_fail = line[0] == '-';
    sscanf(line + may_fail, "%15s %399s %n", verb, path, &more);
    if (change(verb, path, line + may_fail + (more ? more : (int)strlen(line + may_fail))) != 0 && !may_fail) return tell_error(request->id, line);
  }
  tell_end(request->id, DONE, NULL, 0);
}

void tell_time(struct request *request) {
  char text[32];
  tell_end(request->id, DONE, text, snprintf(text, sizeof text, "%lld\n", now_ns()));
}

void set_time(struct request *request) {
  long long ns = atoll(request->words);
  struct timespec time = {ns / 1000000000, ns % 1000000000};
  if (clock_settime(CLOCK_REALTIME, &time) != 0) tell_error(request->id, "clock_settime");
  else tell_end(request->id, DONE, NULL, 0);
}
