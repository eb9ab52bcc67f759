#define _GNU_SOURCE
#include "recording.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct name {
  char *name;
  uint64_t file;
};

struct powercut_recording {
  powercut_recording *next;
  char *folder;
  int references;
  bool is_running, is_incomplete;
  powercut_event *events;
  size_t count, room;
  struct name *names;
  size_t names_count;
  uint64_t files, syncs;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static powercut_recording *running;

void powercut_lock(void) { pthread_mutex_lock(&mutex); }
void powercut_unlock(void) { pthread_mutex_unlock(&mutex); }

powercut_recording *powercut_make(const char *folder) {
  powercut_recording *recording = calloc(1, sizeof *recording);
  // SQLite resolves links before it opens: so do we.
  if (recording && !(recording->folder = realpath(folder, NULL))) {
    free(recording);
    return NULL;
  }
  if (recording) recording->references = 1;
  return recording;
}

static void unlink_running(powercut_recording *recording) {
  recording->is_running = false;
  for (powercut_recording **place = &running; *place; place = &(*place)->next)
    if (*place == recording) {
      *place = recording->next;
      return;
    }
}

void powercut_stop(powercut_recording *recording) {
  powercut_lock();
  unlink_running(recording);
  powercut_unlock();
}

void powercut_retain(powercut_recording *recording) { recording->references++; }

void powercut_release(powercut_recording *recording) {
  powercut_lock();
  bool is_last = --recording->references == 0;
  if (is_last) unlink_running(recording);
  powercut_unlock();
  if (!is_last) return;
  for (size_t i = 0; i < recording->count; i++) {
    free((char *)recording->events[i].name);
    free((uint8_t *)recording->events[i].bytes);
  }
  for (size_t i = 0; i < recording->names_count; i++) free(recording->names[i].name);
  free(recording->names);
  free(recording->events);
  free(recording->folder);
  free(recording);
}

void powercut_note(
    powercut_recording *recording, powercut_kind kind, uint64_t file, uint64_t place, const char *name, const void *bytes,
    size_t count) {
  if (!recording->is_running || recording->is_incomplete) return;
  if (recording->count == recording->room) {
    size_t room = recording->room ? recording->room * 2 : 1024;
    powercut_event *events = realloc(recording->events, room * sizeof *events);
    if (!events) {
      recording->is_incomplete = true;
      return;
    }
    recording->events = events;
    recording->room = room;
  }
  char *own_name = name ? strdup(name) : NULL;
  uint8_t *own_bytes = count ? malloc(count) : NULL;
  if ((name && !own_name) || (count && !own_bytes)) {
    free(own_name);
    free(own_bytes);
    recording->is_incomplete = true;
    return;
  }
  if (count) memcpy(own_bytes, bytes, count);
  recording->events[recording->count++] =
      (powercut_event){.kind = kind, .file = file, .place = place, .name = own_name, .bytes = own_bytes, .count = count};
}

powercut_recording *powercut_find(const char *path, const char **name) {
  const char *slash = strrchr(path, '/');
  if (!slash || !slash[1]) return NULL;
  size_t length = (size_t)(slash - path);
  for (powercut_recording *recording = running; recording; recording = recording->next)
    if (strlen(recording->folder) == length && !memcmp(recording->folder, path, length)) {
      *name = slash + 1;
      return recording;
    }
  return NULL;
}

static struct name *find_name(powercut_recording *recording, const char *name) {
  for (size_t i = 0; i < recording->names_count; i++)
    if (!strcmp(recording->names[i].name, name)) return &recording->names[i];
  return NULL;
}

uint64_t powercut_file(powercut_recording *recording, const char *name) {
  struct name *known = find_name(recording, name);
  return known ? known->file : 0;
}

uint64_t powercut_add_file(powercut_recording *recording, const char *name) {
  struct name *names = realloc(recording->names, (recording->names_count + 1) * sizeof *names);
  char *own_name = strdup(name);
  if (names) recording->names = names;
  if (!names || !own_name) {
    free(own_name);
    recording->is_incomplete = true;
    return 0;
  }
  names[recording->names_count++] = (struct name){.name = own_name, .file = ++recording->files};
  return recording->files;
}

void powercut_remove_name(powercut_recording *recording, const char *name) {
  struct name *known = find_name(recording, name);
  if (!known) return;
  powercut_note(recording, POWERCUT_DELETED, known->file, 0, name, NULL, 0);
  free(known->name);
  *known = recording->names[--recording->names_count];
}

uint64_t powercut_begin_sync(powercut_recording *recording, powercut_kind kind, uint64_t file) {
  uint64_t sync = ++recording->syncs;
  powercut_note(recording, kind, file, sync, NULL, NULL, 0);
  return sync;
}

// What the file holds now: malloced, or NULL.
static uint8_t *contents(int folder, const char *name, size_t *count) {
  int file = openat(folder, name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return NULL;
  struct stat status;
  uint8_t *bytes = NULL;
  if (!fstat(file, &status) && S_ISREG(status.st_mode) && (bytes = malloc((size_t)status.st_size + 1))) {
    *count = 0;
    ssize_t got;
    while ((got = read(file, bytes + *count, (size_t)status.st_size - *count)) > 0) *count += (size_t)got;
  }
  close(file);
  return bytes;
}

static bool is_shared_memory(const char *name) {
  size_t length = strlen(name);
  return length > 4 && !strcmp(name + length - 4, "-shm");
}

int powercut_start(powercut_recording *recording) {
  if (!powercut_register()) return ENOSYS;
  DIR *folder = opendir(recording->folder);
  if (!folder) return errno;
  powercut_lock();
  bool is_taken = recording->is_running || recording->count;
  for (powercut_recording *other = running; other; other = other->next)
    is_taken = is_taken || !strcmp(other->folder, recording->folder);
  if (is_taken) {
    powercut_unlock();
    closedir(folder);
    return EBUSY;
  }
  recording->is_running = true;
  recording->next = running;
  running = recording;
  for (struct dirent *entry; (entry = readdir(folder));) {
    size_t count = 0;
    uint8_t *bytes = is_shared_memory(entry->d_name) ? NULL : contents(dirfd(folder), entry->d_name, &count);
    if (!bytes) continue;
    uint64_t file = powercut_add_file(recording, entry->d_name);
    powercut_note(recording, POWERCUT_PRESENT, file, 0, entry->d_name, bytes, count);
    free(bytes);
  }
  powercut_unlock();
  closedir(folder);
  return 0;
}

long powercut_count(powercut_recording *recording) {
  powercut_lock();
  long count = recording->is_incomplete ? -1 : (long)recording->count;
  powercut_unlock();
  return count;
}

powercut_event powercut_at(powercut_recording *recording, long index) {
  powercut_lock();
  powercut_event event = recording->events[index];
  powercut_unlock();
  return event;
}

uint64_t powercut_note_sync_begin(powercut_recording *recording, const char *name) {
  powercut_lock();
  uint64_t file = powercut_file(recording, name);
  uint64_t sync = file ? powercut_begin_sync(recording, POWERCUT_SYNC_BEGAN, file) : 0;
  powercut_unlock();
  return sync;
}

uint64_t powercut_note_folder_sync_begin(powercut_recording *recording) {
  powercut_lock();
  uint64_t sync = powercut_begin_sync(recording, POWERCUT_FOLDER_SYNC_BEGAN, 0);
  powercut_unlock();
  return sync;
}

void powercut_note_sync_end(powercut_recording *recording, uint64_t sync) {
  powercut_lock();
  if (sync) powercut_note(recording, POWERCUT_SYNC_ENDED, 0, sync, NULL, NULL, 0);
  powercut_unlock();
}

void powercut_note_mark(powercut_recording *recording, uint64_t mark) {
  powercut_lock();
  powercut_note(recording, POWERCUT_PROMISED, 0, mark, NULL, NULL, 0);
  powercut_unlock();
}
