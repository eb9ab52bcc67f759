// What the VFS and the recording know of each other.
#ifndef RECORDING_H
#define RECORDING_H

#include "powercut.h"

// One lock for all recordings, held for an instant, and while a name comes or goes: what is noted of the folder is in the
// order in which it happened.
void powercut_lock(void);
void powercut_unlock(void);

// All with the lock held.

// The recording of the folder that the path lies in, and the name within it; NULL when that is not recorded.
powercut_recording *powercut_find(const char *path, const char **name);
// The file of that name, 0 when there is none.
uint64_t powercut_file(powercut_recording *recording, const char *name);
uint64_t powercut_add_file(powercut_recording *recording, const char *name);
void powercut_remove_name(powercut_recording *recording, const char *name);
void powercut_retain(powercut_recording *recording);
void powercut_note(
    powercut_recording *recording, powercut_kind kind, uint64_t file, uint64_t place, const char *name, const void *bytes,
    size_t count);
uint64_t powercut_begin_sync(powercut_recording *recording, powercut_kind kind, uint64_t file);

// Makes the VFS the default, once. False when the former default is not what we need.
bool powercut_register(void);

#endif
