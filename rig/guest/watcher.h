// What a small program that watches something has of the agent: a socket by which it is asked whether it has written down everything
// that has happened up to now.
#ifndef WATCHER_H
#define WATCHER_H

#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static inline struct sockaddr_un watchers_address(void) {
  return (struct sockaddr_un){.sun_family = AF_UNIX, .sun_path = "\0rig-watchers"};
}

// The socket, or -1 where no agent runs: then nobody asks.
static inline int connect_to_agent(void) {
  struct sockaddr_un address = watchers_address();
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
    close(fd);
    fd = -1;
  }
  return fd;
}

// Answers, once all is written down; closes the socket and returns -1 if nobody asks any more.
static inline int answer_agent(int fd) {
  char words[16];
  ssize_t got = read(fd, words, sizeof words);
  if (got > 0 && send(fd, words, got, MSG_NOSIGNAL) == got) return fd;
  close(fd);
  return -1;
}

#endif
