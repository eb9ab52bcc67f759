// Input devices that do not exist, for tests: umockdev's test bed with an evdev behind it.
//
// libumockdev is loaded at run time, so that building needs no package of it. The process must have been started by
// umockdev-wrapper, and so must others that are to see them, with its UMOCKDEV_DIR.
#ifndef MOCK_H
#define MOCK_H

#include <linux/input.h>
#include <stdint.h>

// 1 when libumockdev is there and preloaded; 0 otherwise.
int mock_begin(void);
// Adds devices by umockdev's own format. 0, or -1.
int mock_add(const char *description);
// Sends udev's news of a device: "add", "change", "remove".
void mock_tell(const char *sysfs_path, const char *action);
// Removes a device from the mocked /sys and /dev, after its "remove".
void mock_remove(const char *sysfs_path);

// Answers the ioctls of a mocked node as evdev does; the node has keys 1 to 127 and three lamps.
// Returns a number for the calls below, or -1.
int mock_attach(const char *node, const char *name, uint16_t vendor, uint16_t product, int has_clock);
// The same in two steps, for a node that somebody may open as soon as it is added: the answers before it is there, and holding its other
// side, 0 or -1. The answers alone let a terminal be taken that is none of the test bed's.
int mock_answer(const char *node, const char *name, uint16_t vendor, uint16_t product, int has_clock);
int mock_hold(int device);
// Ends the other side of a node, as when it is pulled out; to be called once, before `mock_detach`.
void mock_hang_up(int device);
// Ends the answers for a node that was removed. Its number is given to another one when there is no other left.
void mock_detach(int device);
// Makes the reader's next read fail. 0, or -1.
int mock_break(int device);
// Whether EVIOCGRAB fails with EBUSY.
void mock_set_busy(int device, int is_busy);
// Sets what EVIOCGKEY says of a key.
void mock_set_down(int device, uint16_t key, int is_down);
// How often the device was asked for its name, that is opened by an evdev program.
int mock_opens(int device);
// How often it was asked which keys are down.
int mock_key_queries(int device);
// Whether it is grabbed now.
int mock_grabbed(int device);
// Writes an event with the monotonic time, as the kernel stamps it. The node is a terminal that takes
// some 150 events before the reader must come. 0, or -1.
int mock_write(int device, uint16_t type, uint16_t code, int32_t value);
// Takes one event that the reader wrote (lamps). 1, or 0 when there is none.
int mock_take(int device, uint16_t *type, uint16_t *code, int32_t *value);

// Sends bytes by a node that is a serial line. 0, or -1.
int mock_send(int device, const char *bytes, int length);

#endif
