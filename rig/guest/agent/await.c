// Waits for what has to be so, all of it at once, in a thread of its own. A condition is a line; "!" before it makes it the contrary.
//
//   exists PATH         filled PATH: and is not empty
//   has PATH TEXT       a file has a text
//   says PID PATH TEXT  the same, or the process has ended
//   opened PID NODE     a process has the file open; NODE may be a symbolic link
//   port HOST PORT      something listens
//   here PATTERN        there is a device in sysfs whose folder matches, and udev is through with it; its node in /dev is told at the end
//   matches PATTERN     there is a file whose path matches
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/input.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent.h"

#define MOST_WAITING 64
#define NODE_SIZE 320
#define ANSWER_SIZE 4096

static unsigned long given_up[MOST_WAITING];
static int next_given_up;
static pthread_mutex_t giving_up = PTHREAD_MUTEX_INITIALIZER;

int stop_waiting(unsigned long id) {
  pthread_mutex_lock(&giving_up);
  given_up[next_given_up++ % MOST_WAITING] = id;
  pthread_mutex_unlock(&giving_up);
  return 1;
}

static int is_given_up(unsigned long id) {
  int found = 0;
  pthread_mutex_lock(&giving_up);
  for (int i = 0; i < MOST_WAITING; i++) found |= given_up[i] == id;
  pthread_mutex_unlock(&giving_up);
  return found;
}

static int has_text(const char *path, const char *text) {
  FILE *file = fopen(path, "re");
  if (!file) return 0;
  char *line = NULL;
  size_t capacity = 0;
  int found = 0;
  while (!found && getline(&line, &capacity, file) >= 0) found = strstr(line, text) != NULL;
  free(line);
  fclose(file);
  return found;
}

static int has_opened(const char *pid, const char *node) {
  char folder[64], real[4096], target[4096];
  snprintf(folder, sizeof folder, "/proc/%s/fd", pid);
  if (!realpath(node, real)) snprintf(real, sizeof real, "%s", node);
  DIR *descriptors = opendir(folder);
  int found = 0;
  for (struct dirent *entry; !found && descriptors && (entry = readdir(descriptors));) {
    ssize_t length = readlinkat(dirfd(descriptors), entry->d_name, target, sizeof target - 1);
    if (length < 0) continue;
    target[length] = 0;
    found = strcmp(target, real) == 0;
  }
  if (descriptors) closedir(descriptors);
  return found;
}

static int listens(const char *host, const char *port) {
  struct addrinfo wanted = {.ai_socktype = SOCK_STREAM}, *found = NULL;
  if (getaddrinfo(host, port, &wanted, &found) != 0) return 0;
  int fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int connected = fd >= 0 && connect(fd, found->ai_addr, found->ai_addrlen) == 0;
  if (fd >= 0) close(fd);
  freeaddrinfo(found);
  return connected;
}

// What udev has finished with, it has a record of.
static int is_ready(const char *folder, char node[NODE_SIZE]) {
  char path[4200], name[300] = "", line[400];
  snprintf(path, sizeof path, "%s/uevent", folder);
  FILE *file = fopen(path, "re");
  int major = -1, minor = -1;
  while (file && fgets(line, sizeof line, file)) {
    sscanf(line, "MAJOR=%d", &major);
    sscanf(line, "MINOR=%d", &minor);
    sscanf(line, "DEVNAME=%299s", name);
  }
  if (file) fclose(file);
  snprintf(path, sizeof path, "/run/udev/data/c%d:%d", major, minor);
  snprintf(node, NODE_SIZE, "/dev/%s", name);
  return name[0] && access(path, F_OK) == 0 && access(node, F_OK) == 0;
}

static int matches(const char *pattern, int as_device, char node[NODE_SIZE]) {
  glob_t found = {0};
  int is_so = 0;
  if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0)
    for (size_t i = 0; i < found.gl_pathc && !is_so; i++) is_so = !as_device || is_ready(found.gl_pathv[i], node);
  globfree(&found);
  return is_so;
}

static int is_so(const char *condition, char node[NODE_SIZE]) {
  char verb[16] = "", one[400] = "";
  int more = 0;
  struct stat file;
  sscanf(condition, "%15s %399s %n", verb, one, &more);
  const char *rest = more ? condition + more : "";
  if (strcmp(verb, "exists") == 0) return stat(one, &file) == 0;
  if (strcmp(verb, "filled") == 0) return stat(one, &file) == 0 && file.st_size > 0;
  if (strcmp(verb, "has") == 0) return has_text(one, rest);
  if (strcmp(verb, "opened") == 0) return has_opened(one, rest);
  if (strcmp(verb, "port") == 0) return listens(one, rest);
  if (strcmp(verb, "here") == 0) return matches(one, 1, node);
  if (strcmp(verb, "matches") == 0) return matches(one, 0, node);
  if (strcmp(verb, "says") == 0) {
    char path[400] = "";
    sscanf(rest, "%399s %n", path, &more);
    // In this order: what it says last counts.
    int has_ended = kill(atoi(one), 0) != 0 && errno == ESRCH;
    return has_text(path, rest + more) || has_ended;
  }
  return -1;
}

void await(struct request *request) {
  long long deadline = now_ns() + atoll(request->words) * 1000000;
  char answer[ANSWER_SIZE];
  for (long tries = 0;; tries++) {
    size_t used = 0;
    const char *missing = NULL;
    for (char *line = request->body; *line && !missing; line += strcspn(line, "\n"), line += *line == '\n') {
      char condition[1000], node[NODE_SIZE] = "";
      snprintf(condition, sizeof condition, "%.*s", (int)strcspn(line, "\n"), line);
      int is_negated = condition[0] == '!', found = is_so(condition + is_negated, node);
      if (found < 0) {
        errno = EINVAL;
        return tell_error(request->id, condition);
      }
      if (found == is_negated) missing = line;
      else if (node[0] && used + NODE_SIZE + 1 < sizeof answer) used += sprintf(answer + used, "%s\n", node);
    }
    if (!missing) return tell_end(request->id, DONE, answer, used);
    if (now_ns() >= deadline || is_given_up(request->id)) return tell_end(request->id, GIVEN_UP, missing, strcspn(missing, "\n"));
    pause_ms(tries < 40 ? 5 : 15);
  }
}

void pass_time(struct request *request) {
  pause_ms(atol(request->words));
  tell_end(request->id, DONE, NULL, 0);
}

void grab(struct request *request) {
  int fd = open(request->words, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return tell_error(request->id, request->words);
  int grabbed = ioctl(fd, EVIOCGRAB, 1) == 0;
  if (!grabbed && errno != EBUSY) tell_error(request->id, request->words);
  else tell_end(request->id, DONE, grabbed ? "yes" : "no", grabbed ? 3 : 2);
  close(fd);
}
