#include "cnats.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/// What has no certificate, and no folder of them.
static char no_file[] = "SSL_CERT_FILE=/dev/null";
static char no_folder[] = "SSL_CERT_DIR=/dev/null";
extern char **environ;

static int is_of(const char *entry, const char *other) {
  size_t name = strchr(other, '=') + 1 - other;
  return !strncmp(entry, other, name);
}

static int is_told(const char *wanted) {
  for (char **entry = environ; entry && *entry; entry++)
    if (is_of(*entry, wanted)) return !strcmp(*entry, wanted);
  return 0;
}

void cnats_believe_given_only(void) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  if (!is_told(no_file) || !is_told(no_folder)) {
    size_t count = 0;
    while (environ && environ[count]) count++;
    // setenv(3) may free what another thread is looking at; the old list stays.
    char **list = calloc(count + 3, sizeof *list);
    if (list) {
      size_t kept = 0;
      for (size_t i = 0; i < count; i++)
        if (!is_of(environ[i], no_file) && !is_of(environ[i], no_folder)) list[kept++] = environ[i];
      list[kept++] = no_file;
      list[kept] = no_folder;
      __atomic_store_n(&environ, list, __ATOMIC_RELEASE);
    }
  }
  pthread_mutex_unlock(&lock);
}
