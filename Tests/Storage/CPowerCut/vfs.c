// A VFS over the default one: everything is handed on; what concerns a recorded folder is noted.
//
// A write is noted after it was handed to the kernel, a sync's beginning before and its end after: where threads
// overlap, a sync covers too little rather than too much. The `-shm` file never comes here: unix makes it on its own,
// and nothing of it is meant to survive the power.
#include "recording.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

typedef struct shim_file {
  sqlite3_file base;
  // NULL: only handed on.
  powercut_recording *recording;
  uint64_t file;
  // Lies behind this structure.
  sqlite3_file *real;
} shim_file;

// What this thread is doing, for `open_folder`: unix syncs a folder inside of its xSync and xDelete, and only it knows
// when.
struct folder_call {
  powercut_recording *recording;
  // What an xDelete has unlinked by then.
  const char *deleted;
  uint64_t sync;
};

static _Thread_local struct folder_call *folder_call;
static sqlite3_vfs *unix_vfs;
static int (*unix_open_folder)(const char *, int *);

// In place of unix's `openDirectory`, which it calls for one purpose: to sync the folder next.
static int open_folder(const char *path, int *descriptor) {
  int result = unix_open_folder(path, descriptor);
  struct folder_call *call = folder_call;
  if (result != SQLITE_OK || !call) return result;
  powercut_lock();
  if (call->deleted) powercut_remove_name(call->recording, call->deleted);
  call->deleted = NULL;
  call->sync = powercut_begin_sync(call->recording, POWERCUT_FOLDER_SYNC_BEGAN, 0);
  powercut_unlock();
  return result;
}

static sqlite3_file *real(sqlite3_file *file) { return ((shim_file *)file)->real; }

static int shim_close(sqlite3_file *base) {
  shim_file *file = (shim_file *)base;
  int result = file->real->pMethods ? file->real->pMethods->xClose(file->real) : SQLITE_OK;
  if (file->recording) powercut_release(file->recording);
  file->recording = NULL;
  return result;
}

static int shim_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  return real(file)->pMethods->xRead(real(file), bytes, count, offset);
}

static void note(shim_file *file, powercut_kind kind, sqlite3_int64 place, const void *bytes, int count) {
  if (!file->recording) return;
  powercut_lock();
  powercut_note(file->recording, kind, file->file, (uint64_t)place, NULL, bytes, (size_t)count);
  powercut_unlock();
}

static int shim_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
  int result = real(base)->pMethods->xWrite(real(base), bytes, count, offset);
  if (result == SQLITE_OK) note((shim_file *)base, POWERCUT_WROTE, offset, bytes, count);
  return result;
}

// Some calls set a length that they do not name.
static sqlite3_int64 size_now(sqlite3_file *base) {
  sqlite3_int64 size = -1;
  return real(base)->pMethods->xFileSize(real(base), &size) == SQLITE_OK ? size : -1;
}

static int shim_truncate(sqlite3_file *base, sqlite3_int64 size) {
  int result = real(base)->pMethods->xTruncate(real(base), size);
  if (result == SQLITE_OK) note((shim_file *)base, POWERCUT_TRUNCATED, size_now(base), NULL, 0);
  return result;
}

static int shim_sync(sqlite3_file *base, int flags) {
  shim_file *file = (shim_file *)base;
  if (!file->recording) return file->real->pMethods->xSync(file->real, flags);
  powercut_lock();
  uint64_t sync = powercut_begin_sync(file->recording, POWERCUT_SYNC_BEGAN, file->file);
  powercut_unlock();
  struct folder_call call = {.recording = file->recording};
  folder_call = &call;
  int result = file->real->pMethods->xSync(file->real, flags);
  folder_call = NULL;
  if (result == SQLITE_OK) {
    powercut_note_sync_end(file->recording, sync);
    powercut_note_sync_end(file->recording, call.sync);
  }
  return result;
}

static int shim_file_size(sqlite3_file *file, sqlite3_int64 *size) {
  return real(file)->pMethods->xFileSize(real(file), size);
}
static int shim_lock(sqlite3_file *file, int level) { return real(file)->pMethods->xLock(real(file), level); }
static int shim_unlock(sqlite3_file *file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }
static int shim_check_reserved(sqlite3_file *file, int *is_reserved) {
  return real(file)->pMethods->xCheckReservedLock(real(file), is_reserved);
}

static int shim_control(sqlite3_file *base, int code, void *argument) {
  bool is_hint = code == SQLITE_FCNTL_SIZE_HINT;
  sqlite3_int64 before = is_hint ? size_now(base) : 0;
  int result = real(base)->pMethods->xFileControl(real(base), code, argument);
  sqlite3_int64 after = is_hint ? size_now(base) : 0;
  if (before != after) note((shim_file *)base, POWERCUT_TRUNCATED, after, NULL, 0);
  return result;
}

static int shim_sector_size(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }

// Batches of writes that a file system (F2FS) makes atomic are not modelled: SQLite is not told of them.
static int shim_characteristics(sqlite3_file *file) {
  return real(file)->pMethods->xDeviceCharacteristics(real(file)) & ~SQLITE_IOCAP_BATCH_ATOMIC;
}

static int shim_map(sqlite3_file *file, int region, int size, int extend, void volatile **memory) {
  return real(file)->pMethods->xShmMap(real(file), region, size, extend, memory);
}
static int shim_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
  return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}
static void shim_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }
static int shim_unmap(sqlite3_file *file, int deletes) { return real(file)->pMethods->xShmUnmap(real(file), deletes); }
// Mapped pages are read only: what SQLite changes comes by xWrite all the same.
static int shim_fetch(sqlite3_file *file, sqlite3_int64 offset, int count, void **page) {
  return real(file)->pMethods->xFetch(real(file), offset, count, page);
}
static int shim_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *page) {
  return real(file)->pMethods->xUnfetch(real(file), offset, page);
}

static const sqlite3_io_methods methods = {
    .iVersion = 3,
    .xClose = shim_close,
    .xRead = shim_read,
    .xWrite = shim_write,
    .xTruncate = shim_truncate,
    .xSync = shim_sync,
    .xFileSize = shim_file_size,
    .xLock = shim_lock,
    .xUnlock = shim_unlock,
    .xCheckReservedLock = shim_check_reserved,
    .xFileControl = shim_control,
    .xSectorSize = shim_sector_size,
    .xDeviceCharacteristics = shim_characteristics,
    .xShmMap = shim_map,
    .xShmLock = shim_shm_lock,
    .xShmBarrier = shim_barrier,
    .xShmUnmap = shim_unmap,
    .xFetch = shim_fetch,
    .xUnfetch = shim_unfetch,
};

// What a file that somebody else has made held when SQLite opened it: written, and not synced, as far as we know.
static void note_contents(shim_file *file) {
  sqlite3_int64 size = size_now(&file->base);
  if (size <= 0) return;
  void *bytes = malloc((size_t)size);
  if (bytes && file->real->pMethods->xRead(file->real, bytes, (int)size, 0) == SQLITE_OK)
    powercut_note(file->recording, POWERCUT_WROTE, file->file, 0, NULL, bytes, (size_t)size);
  free(bytes);
}

static int shim_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *base, int flags, int *out) {
  shim_file *file = (shim_file *)base;
  memset(file, 0, sizeof *file);
  file->real = (sqlite3_file *)(file + 1);
  int passing = SQLITE_OPEN_TEMP_DB | SQLITE_OPEN_TEMP_JOURNAL | SQLITE_OPEN_TRANSIENT_DB | SQLITE_OPEN_SUBJOURNAL;
  const char *name = NULL;
  powercut_recording *recording = NULL;
  powercut_lock();
  if (path && !(flags & (passing | SQLITE_OPEN_DELETEONCLOSE))) recording = powercut_find(path, &name);
  // A name that comes is noted before anybody else's word on the folder; others open without the lock.
  if (!recording) powercut_unlock();
  int result = unix_vfs->xOpen(unix_vfs, path, file->real, flags, out);
  if (file->real->pMethods) base->pMethods = &methods;
  if (!recording) return result;
  if (result == SQLITE_OK) {
    file->file = powercut_file(recording, name);
    bool is_new = !file->file;
    if (is_new) file->file = powercut_add_file(recording, name);
    if (is_new) powercut_note(recording, POWERCUT_CREATED, file->file, 0, name, NULL, 0);
    powercut_retain(recording);
    file->recording = recording;
    if (is_new) note_contents(file);
  }
  powercut_unlock();
  return result;
}

static int shim_delete(sqlite3_vfs *vfs, const char *path, int syncs_folder) {
  const char *name = NULL;
  powercut_lock();
  powercut_recording *recording = powercut_find(path, &name);
  if (recording) powercut_retain(recording);
  powercut_unlock();
  if (!recording) return unix_vfs->xDelete(unix_vfs, path, syncs_folder);
  struct folder_call call = {.recording = recording, .deleted = name};
  folder_call = &call;
  int result = unix_vfs->xDelete(unix_vfs, path, syncs_folder);
  folder_call = NULL;
  powercut_lock();
  if (result == SQLITE_OK && call.deleted) powercut_remove_name(recording, call.deleted);
  powercut_unlock();
  if (result == SQLITE_OK) powercut_note_sync_end(recording, call.sync);
  powercut_release(recording);
  return result;
}

// The rest concerns no file's contents. Called with the former default, which looks into its own structure.
static int shim_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
  return unix_vfs->xAccess(unix_vfs, path, flags, result);
}
static int shim_full_path(sqlite3_vfs *vfs, const char *path, int count, char *out) {
  return unix_vfs->xFullPathname(unix_vfs, path, count, out);
}
static void *shim_dl_open(sqlite3_vfs *vfs, const char *path) { return unix_vfs->xDlOpen(unix_vfs, path); }
static void shim_dl_error(sqlite3_vfs *vfs, int count, char *text) { unix_vfs->xDlError(unix_vfs, count, text); }
static void (*shim_dl_symbol(sqlite3_vfs *vfs, void *library, const char *symbol))(void) {
  return unix_vfs->xDlSym(unix_vfs, library, symbol);
}
static void shim_dl_close(sqlite3_vfs *vfs, void *library) { unix_vfs->xDlClose(unix_vfs, library); }
static int shim_randomness(sqlite3_vfs *vfs, int count, char *out) {
  return unix_vfs->xRandomness(unix_vfs, count, out);
}
static int shim_sleep(sqlite3_vfs *vfs, int microseconds) { return unix_vfs->xSleep(unix_vfs, microseconds); }
static int shim_time(sqlite3_vfs *vfs, double *days) { return unix_vfs->xCurrentTime(unix_vfs, days); }
static int shim_time_64(sqlite3_vfs *vfs, sqlite3_int64 *time) {
  return unix_vfs->xCurrentTimeInt64(unix_vfs, time);
}
static int shim_last_error(sqlite3_vfs *vfs, int count, char *text) {
  return unix_vfs->xGetLastError(unix_vfs, count, text);
}
static int shim_set_call(sqlite3_vfs *vfs, const char *name, sqlite3_syscall_ptr call) {
  return unix_vfs->xSetSystemCall(unix_vfs, name, call);
}
static sqlite3_syscall_ptr shim_get_call(sqlite3_vfs *vfs, const char *name) {
  return unix_vfs->xGetSystemCall(unix_vfs, name);
}
static const char *shim_next_call(sqlite3_vfs *vfs, const char *name) {
  return unix_vfs->xNextSystemCall(unix_vfs, name);
}

static sqlite3_vfs shim = {
    .iVersion = 3,
    .zName = "powercut",
    .xOpen = shim_open,
    .xDelete = shim_delete,
    .xAccess = shim_access,
    .xFullPathname = shim_full_path,
    .xDlOpen = shim_dl_open,
    .xDlError = shim_dl_error,
    .xDlSym = shim_dl_symbol,
    .xDlClose = shim_dl_close,
    .xRandomness = shim_randomness,
    .xSleep = shim_sleep,
    .xCurrentTime = shim_time,
    .xGetLastError = shim_last_error,
    .xCurrentTimeInt64 = shim_time_64,
    .xSetSystemCall = shim_set_call,
    .xGetSystemCall = shim_get_call,
    .xNextSystemCall = shim_next_call,
};

static bool is_registered;

static void register_once(void) {
  unix_vfs = sqlite3_vfs_find(NULL);
  if (!unix_vfs || unix_vfs->iVersion < 3) return;
  unix_open_folder = (int (*)(const char *, int *))unix_vfs->xGetSystemCall(unix_vfs, "openDirectory");
  if (!unix_open_folder) return;
  if (unix_vfs->xSetSystemCall(unix_vfs, "openDirectory", (sqlite3_syscall_ptr)open_folder) != SQLITE_OK) return;
  shim.szOsFile = (int)sizeof(shim_file) + unix_vfs->szOsFile;
  shim.mxPathname = unix_vfs->mxPathname;
  is_registered = sqlite3_vfs_register(&shim, 1) == SQLITE_OK;
}

bool powercut_register(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, register_once);
  return is_registered;
}
