#include "cnats.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

struct cnats cnats_table;

/// The names that Debian's releases have it by: bookworm, trixie. Others were not tried.
static const char *const names[] = {"libnats.so.3.4", "libnats.so.3.10"};
static char wrong[300];

static int find(void *library) {
#define FIND(name, ...) \
  if (!(cnats_table.name = (__typeof__(name) *)dlsym(library, #name))) return 0;
#define FIND_VALUE(type, name, ...) FIND(name)
  CNATS_CALLS(FIND) CNATS_ENDS(FIND) CNATS_VALUES(FIND_VALUE)
#undef FIND_VALUE
#undef FIND
  return 1;
}

static void load(void) {
  void *library = NULL;
  for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++) library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    snprintf(wrong, sizeof wrong, "%s", dlerror());
    return;
  }
  natsStatus (*begin)(int64_t) = (natsStatus(*)(int64_t))dlsym(library, "nats_Open");
  if (!find(library) || !begin) {
    snprintf(wrong, sizeof wrong, "%s", dlerror());
    return;
  }
  // It has the whole process ignore SIGPIPE, as all of ours do that have connections.
  natsStatus status = begin(-1);
  if (status != NATS_OK) snprintf(wrong, sizeof wrong, "libnats does not begin: %s", cnats_table.natsStatus_GetText(status));
}

const char *cnats_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return wrong[0] ? wrong : NULL;
}
