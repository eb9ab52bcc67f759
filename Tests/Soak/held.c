// Preloaded into the processes that are measured: tells whoever connects to the socket SOAK_HELD.<process> how many bytes malloc has
// given out. To the byte, where the size of the process moves by megabytes with what malloc keeps in reserve.
//
// And no disk is waited for: what a process gathers does not hang on it, and where others keep the disk busy a scan would wait seconds
// for the syncs of journal and ticket system. That what was promised outlives a cut of power is Tests/Storage/PowerCut's and the rig's matter.
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void *answer(void *listener) {
  for (;;) {
    int caller = accept4((int)(long)listener, NULL, NULL, SOCK_CLOEXEC);
    if (caller < 0) continue;
    struct mallinfo2 info = mallinfo2();
    dprintf(caller, "%zu\n", info.uordblks + info.hblkhd);
    close(caller);
  }
  return NULL;
}

int fsync(int file) {
  (void)file;
  return 0;
}

int fdatasync(int file) { return fsync(file); }

__attribute__((constructor)) static void begin(void) {
  const char *place = getenv("SOAK_HELD");
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (!place) return;
  snprintf(address.sun_path, sizeof address.sun_path, "%s.%d", place, getpid());
  // The shell of umockdev-wrapper was the same process.
  unlink(address.sun_path);
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  pthread_t thread;
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 4) < 0) return;
  pthread_create(&thread, NULL, answer, (void *)(long)listener);
}
