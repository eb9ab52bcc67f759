// What SQLite tells its file system, written down: the input of power cuts that are replayed (see Tests/Storage/PowerCut).
//
// The process's default VFS becomes one that hands everything on to the former default (unix), and notes what concerns
// the folders that are recorded. Every function may be called from any thread.
#ifndef POWERCUT_H
#define POWERCUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct powercut_recording powercut_recording;

typedef enum powercut_kind {
  // A file was there, durably, before the recording began: name, bytes.
  POWERCUT_PRESENT,
  // A name came into the folder, for a new and empty file: name.
  POWERCUT_CREATED,
  // Bytes were handed to the kernel: place is the offset.
  POWERCUT_WROTE,
  // The file's length was set: place is the length.
  POWERCUT_TRUNCATED,
  // The name was removed: name.
  POWERCUT_DELETED,
  // A sync of the file begins: place is the sync's number.
  POWERCUT_SYNC_BEGAN,
  // A sync of the folder begins: place is the sync's number.
  POWERCUT_FOLDER_SYNC_BEGAN,
  // A sync returned without error: place is its number.
  POWERCUT_SYNC_ENDED,
  // Somebody was promised that the mark is durable: place is the mark.
  POWERCUT_PROMISED,
} powercut_kind;

typedef struct powercut_event {
  powercut_kind kind;
  // Counted from 1 in a recording. A name that is created again is another file.
  uint64_t file;
  uint64_t place;
  // Valid while the recording is not released; NULL where the kind has none.
  const char *name;
  const uint8_t *bytes;
  size_t count;
} powercut_event;

// Makes a recording of the folder, which must be there; NULL otherwise. Files in folders within it are not recorded.
powercut_recording *powercut_make(const char *folder);
// Begins, with what lies in the folder. Before anybody opens a database there: files are opened and closed, and closing
// one takes the process's POSIX locks on it. Once; 0, or an errno.
int powercut_start(powercut_recording *recording);
// Ends. Files that are still open are used on, and not noted.
void powercut_stop(powercut_recording *recording);
// The caller lets go of it; it stays as long as files are open.
void powercut_release(powercut_recording *recording);

// How many events there are; -1 when memory ran out and they are not complete.
long powercut_count(powercut_recording *recording);
// The event, with index below the count.
powercut_event powercut_at(powercut_recording *recording, long index);

// Somebody else than SQLite is about to sync a file of the folder: the sync's number, or 0 when no such file is known.
// Only what was written before this call is taken to be covered.
uint64_t powercut_note_sync_begin(powercut_recording *recording, const char *name);
// The same for the folder itself.
uint64_t powercut_note_folder_sync_begin(powercut_recording *recording);
// It has returned without error. One that failed has no end.
void powercut_note_sync_end(powercut_recording *recording, uint64_t sync);
// At this moment somebody was promised that the mark is durable.
void powercut_note_mark(powercut_recording *recording, uint64_t mark);

#endif
