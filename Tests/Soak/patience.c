// Preloaded into the test bed: udev's news wait for whoever hears them. A real netlink socket has room for thousands of them, those of
// umockdev for ten, and a full one ends the bed.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

ssize_t sendmsg(int socket, const struct msghdr *message, int flags) {
  static ssize_t (*send_now)(int, const struct msghdr *, int);
  if (!send_now) send_now = (ssize_t (*)(int, const struct msghdr *, int))dlsym(RTLD_NEXT, "sendmsg");
  for (int turns = 0;; turns++) {
    ssize_t sent = send_now(socket, message, flags);
    if (sent >= 0 || errno != EAGAIN || turns == 10000) return sent;
    usleep(1000);
  }
}
