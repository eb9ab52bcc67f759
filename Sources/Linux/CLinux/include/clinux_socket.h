// Unix sockets. Ancillary data is made of macros, and what glibc declares only under _GNU_SOURCE (accept4, struct ucred) is
// declared here: see clinux_file.h.
#ifndef CLINUX_SOCKET_H
#define CLINUX_SOCKET_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>
#include <unistd.h>

int accept4(int socket, struct sockaddr *address, socklen_t *length, int flags);

/// Who is at the other end of a connection, as the kernel knew it when it was made.
struct clinux_peer {
  pid_t pid;
  uid_t uid;
  gid_t gid;
};

// Every function returns -1 with errno when it failed.

/// Fills an address from a path, or from "@name" for an abstract one; returns its length.
static inline int clinux_unix_address(const char *path, struct sockaddr_un *address) {
  size_t length = strlen(path);
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  if (length < 2 || length >= sizeof address->sun_path || (path[0] != '/' && path[0] != '@')) {
    errno = EINVAL;
    return -1;
  }
  memcpy(address->sun_path, path, length);
  if (path[0] != '@') return (int)(offsetof(struct sockaddr_un, sun_path) + length + 1);
  address->sun_path[0] = 0;
  return (int)(offsetof(struct sockaddr_un, sun_path) + length);
}

/// A socket of this type that never blocks and that no child inherits.
static inline int clinux_unix_socket(int type) { return socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

static inline int clinux_unix_bind(int number, const char *path) {
  struct sockaddr_un address;
  int length = clinux_unix_address(path, &address);
  return length < 0 ? -1 : bind(number, (const struct sockaddr *)&address, (socklen_t)length);
}

static inline int clinux_unix_connect(int number, const char *path) {
  struct sockaddr_un address;
  int length = clinux_unix_address(path, &address);
  return length < 0 ? -1 : connect(number, (const struct sockaddr *)&address, (socklen_t)length);
}

static inline int clinux_accept(int number) { return accept4(number, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

static inline int clinux_peer_of(int number, struct clinux_peer *peer) {
  socklen_t length = sizeof *peer;
  return getsockopt(number, SOL_SOCKET, SO_PEERCRED, peer, &length);
}

/// Keeps an open descriptor from children.
static inline int clinux_close_on_exec(int number) { return fcntl(number, F_SETFD, FD_CLOEXEC); }

/// Sends one datagram, with a copy of `descriptor` where that is not negative; to `path`, or where the socket is connected
/// to when `path` is NULL. Never blocks and raises no signal.
static inline ssize_t clinux_send(int number, const char *path, const void *data, size_t count, int descriptor) {
  struct sockaddr_un address;
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
  } control;
  struct iovec part = {.iov_base = (void *)data, .iov_len = count};
  struct msghdr message;
  memset(&message, 0, sizeof message);
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (path != NULL) {
    int length = clinux_unix_address(path, &address);
    if (length < 0) return -1;
    message.msg_name = &address;
    message.msg_namelen = (socklen_t)length;
  }
  if (descriptor >= 0) {
    memset(&control, 0, sizeof control);
    message.msg_control = &control;
    message.msg_controllen = sizeof control.space;
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(&control.header), &descriptor, sizeof descriptor);
  }
  return sendmsg(number, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/// Receives one packet without blocking; returns its whole length, which is more than `capacity` when it did not fit.
/// Where `descriptor` is NULL, descriptors that were sent along are thrown away; else it is set to the one that came, or -1.
static inline ssize_t clinux_receive(int number, void *data, size_t capacity, int *descriptor) {
  union {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
  } control;
  struct iovec part = {.iov_base = data, .iov_len = capacity};
  struct msghdr message;
  memset(&message, 0, sizeof message);
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (descriptor != NULL) {
    *descriptor = -1;
    message.msg_control = &control;
    message.msg_controllen = sizeof control.space;
  }
  ssize_t count = recvmsg(number, &message, MSG_DONTWAIT | MSG_TRUNC | MSG_CMSG_CLOEXEC);
  if (count < 0 || descriptor == NULL) return count;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
      header->cmsg_len == CMSG_LEN(sizeof(int)))
    memcpy(descriptor, CMSG_DATA(header), sizeof *descriptor);
  return count;
}

#endif
