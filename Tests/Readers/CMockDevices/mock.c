#define _GNU_SOURCE
#include "mock.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

// The few functions of libumockdev and GObject that are used; the types behind them are not looked into, but for the
// bytes of an ioctl's argument (struct _UMockdevIoctlData in umockdev.h).
struct ioctl_data {
  struct { void *class; unsigned count; void *data; } parent;
  uint8_t *data;
  int length;
};

static void *(*testbed_new)(void);
static int (*add_from_string)(void *, const char *, void **);
static void (*uevent)(void *, const char *, const char *);
static void (*remove_device)(void *, const char *);
static int (*attach_ioctl)(void *, const char *, void *, void **);
static int (*detach_ioctl)(void *, const char *, void **);
static int (*get_dev_fd)(void *, const char *);
static void *(*ioctl_base_new)(void);
static unsigned long (*get_request)(void *);
static struct ioctl_data *(*get_arg)(void *);
static void (*complete)(void *, long, int);
static struct ioctl_data *(*resolve)(struct ioctl_data *, size_t, size_t, void **);
static void (*update)(struct ioctl_data *, size_t, uint8_t *, int);
static unsigned long (*connect_data)(void *, const char *, void *, void *, void *, int);

enum { maximum = 64 };

static struct device {
  char node[64];
  char name[64];
  struct input_id id;
  int has_clock, is_busy, is_grabbed, is_gone, opens, key_queries, master;
  uint8_t down[KEY_MAX / 8 + 1];
} devices[maximum];

static int count;
static void *testbed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define LOCKED(statement) \
  pthread_mutex_lock(&lock); \
  statement; \
  pthread_mutex_unlock(&lock)

int mock_begin(void) {
  // A symbol that only the preloaded half has; the test bed would create its files without it, and nobody would see them.
  if (!dlsym(RTLD_DEFAULT, "ioctl_tree_execute")) return 0;
  void *library = dlopen("libumockdev.so.0", RTLD_NOW | RTLD_GLOBAL);
  if (!library) return 0;
  struct { void *at; const char *name; } wanted[] = {
      {&testbed_new, "umockdev_testbed_new"},
      {&add_from_string, "umockdev_testbed_add_from_string"},
      {&uevent, "umockdev_testbed_uevent"},
      {&remove_device, "umockdev_testbed_remove_device"},
      {&attach_ioctl, "umockdev_testbed_attach_ioctl"},
      {&detach_ioctl, "umockdev_testbed_detach_ioctl"},
      {&get_dev_fd, "umockdev_testbed_get_dev_fd"},
      {&ioctl_base_new, "umockdev_ioctl_base_new"},
      {&get_request, "umockdev_ioctl_client_get_request"},
      {&get_arg, "umockdev_ioctl_client_get_arg"},
      {&complete, "umockdev_ioctl_client_complete"},
      {&resolve, "umockdev_ioctl_data_resolve"},
      {&update, "umockdev_ioctl_data_update"},
      {&connect_data, "g_signal_connect_data"},
  };
  for (unsigned i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
    void *function = dlsym(library, wanted[i].name);
    if (!function) return 0;
    memcpy(wanted[i].at, &function, sizeof function);
  }
  testbed = testbed_new();
  return testbed != NULL;
}

int mock_add(const char *description) {
  void *error = NULL;
  return add_from_string(testbed, description, &error) ? 0 : -1;
}

void mock_tell(const char *path, const char *action) { uevent(testbed, path, action); }

void mock_remove(const char *path) { remove_device(testbed, path); }

static void set(uint8_t *bits, unsigned bit) { bits[bit / 8] |= (uint8_t)(1u << (bit % 8)); }

// Fills `bytes` with the answer to a reading ioctl and returns its result, or a negative error number.
static long answer(struct device *device, unsigned long request, uint8_t *bytes, unsigned size) {
  unsigned number = _IOC_NR(request);
  memset(bytes, 0, size);
  if (number == _IOC_NR(EVIOCGVERSION)) {
    int version = EV_VERSION;
    memcpy(bytes, &version, sizeof version);
    return 0;
  }
  if (number == _IOC_NR(EVIOCGID)) {
    memcpy(bytes, &device->id, sizeof device->id);
    return 0;
  }
  if (number == _IOC_NR(EVIOCGNAME(0))) {
    device->opens++;
    size_t length = strlen(device->name) + 1;
    memcpy(bytes, device->name, length < size ? length : size);
    return (long)length;
  }
  if (number == _IOC_NR(EVIOCGPHYS(0)) || number == _IOC_NR(EVIOCGUNIQ(0))) return -ENOENT;
  if (number == _IOC_NR(EVIOCGKEY(0))) {
    device->key_queries++;
    memcpy(bytes, device->down, size < sizeof device->down ? size : sizeof device->down);
    return size;
  }
  if (number == 0x20) {  // EVIOCGBIT(0, …): the types
    set(bytes, EV_SYN), set(bytes, EV_KEY), set(bytes, EV_LED);
    return size;
  }
  if (number == 0x20 + EV_KEY) {
    for (unsigned key = 1; key < 128 && key / 8 < size; key++) set(bytes, key);
    return size;
  }
  if (number == 0x20 + EV_LED) {
    set(bytes, LED_NUML), set(bytes, LED_CAPSL), set(bytes, LED_SCROLLL);
    return size;
  }
  if (number >= 0x20 && number < 0x40) return size;
  if (number == _IOC_NR(EVIOCGPROP(0)) || number == _IOC_NR(EVIOCGLED(0)) || number == _IOC_NR(EVIOCGSW(0))) return size;
  return -ENOTTY;
}

static int handle(void *base, void *client, void *user) {
  (void)base;
  struct device *device = user;
  unsigned long request = get_request(client);
  struct ioctl_data *argument = get_arg(client);
  long result = -ENOTTY;
  pthread_mutex_lock(&lock);
  if (request == EVIOCGRAB) {
    unsigned long wanted = 0;
    memcpy(&wanted, argument->data, sizeof wanted);
    result = wanted && device->is_busy ? -EBUSY : 0;
    if (result == 0) device->is_grabbed = wanted != 0;
  } else if (request == EVIOCSCLOCKID) {
    result = device->has_clock ? 0 : -ENOTTY;
  } else if (request == TIOCEXCL || request == TIOCNXCL) {
    result = 0;
  } else if (_IOC_DIR(request) == _IOC_READ) {
    uint8_t bytes[1024];
    unsigned size = _IOC_SIZE(request) < sizeof bytes ? _IOC_SIZE(request) : sizeof bytes;
    result = answer(device, request, bytes, size);
    void *error = NULL;
    struct ioctl_data *target = result >= 0 ? resolve(argument, 0, size, &error) : NULL;
    if (target) update(target, 0, bytes, (int)size);
  }
  pthread_mutex_unlock(&lock);
  complete(client, result < 0 ? -1 : result, result < 0 ? (int)-result : 0);
  return 1;
}

int mock_answer(const char *node, const char *name, uint16_t vendor, uint16_t product, int has_clock) {
  int number = count;
  if (count < maximum) {
    count++;
  } else {
    // The place of one that is gone.
    for (number = 0; number < maximum && !devices[number].is_gone; number++) continue;
    if (number == maximum) return -1;
  }
  struct device *device = &devices[number];
  memset(device, 0, sizeof *device);
  strncpy(device->node, node, sizeof device->node - 1);
  strncpy(device->name, name, sizeof device->name - 1);
  device->id = (struct input_id){BUS_USB, vendor, product, 1};
  device->has_clock = has_clock;
  void *handler = ioctl_base_new();
  connect_data(handler, "handle-ioctl", (void *)handle, device, NULL, 0);
  void *error = NULL;
  device->master = -1;
  return attach_ioctl(testbed, node, handler, &error) ? number : -1;
}

int mock_hold(int device) {
  int master = get_dev_fd(testbed, devices[device].node);
  if (master < 0) return -1;
  fcntl(master, F_SETFL, fcntl(master, F_GETFL) | O_NONBLOCK);
  devices[device].master = master;
  return 0;
}

int mock_attach(const char *node, const char *name, uint16_t vendor, uint16_t product, int has_clock) {
  int number = mock_answer(node, name, vendor, product, has_clock);
  return number < 0 || mock_hold(number) != 0 ? -1 : number;
}

void mock_hang_up(int device) {
  // The test bed would keep it open for ever.
  close(devices[device].master);
}

void mock_detach(int device) {
  void *error = NULL;
  detach_ioctl(testbed, devices[device].node, &error);
  LOCKED(devices[device].is_gone = 1);
}

int mock_break(int device) { return write(devices[device].master, "???", 3) == 3 ? 0 : -1; }

int mock_send(int device, const char *bytes, int length) {
  return write(devices[device].master, bytes, (size_t)length) == length ? 0 : -1;
}

void mock_set_busy(int device, int is_busy) { LOCKED(devices[device].is_busy = is_busy); }

void mock_set_down(int device, uint16_t key, int is_down) {
  uint8_t bit = (uint8_t)(1u << (key % 8));
  LOCKED(if (is_down) devices[device].down[key / 8] |= bit; else devices[device].down[key / 8] &= (uint8_t)~bit);
}

int mock_opens(int device) {
  int opens;
  LOCKED(opens = devices[device].opens);
  return opens;
}

int mock_key_queries(int device) {
  int queries;
  LOCKED(queries = devices[device].key_queries);
  return queries;
}

int mock_grabbed(int device) {
  int is_grabbed;
  LOCKED(is_grabbed = devices[device].is_grabbed);
  return is_grabbed;
}

int mock_write(int device, uint16_t type, uint16_t code, int32_t value) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  struct input_event event = {.type = type, .code = code, .value = value};
  event.input_event_sec = now.tv_sec;
  event.input_event_usec = now.tv_nsec / 1000;
  return write(devices[device].master, &event, sizeof event) == sizeof event ? 0 : -1;
}

int mock_take(int device, uint16_t *type, uint16_t *code, int32_t *value) {
  struct input_event event;
  if (read(devices[device].master, &event, sizeof event) != sizeof event) return 0;
  *type = event.type, *code = event.code, *value = event.value;
  return 1;
}
