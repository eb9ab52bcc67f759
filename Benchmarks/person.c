// person PORT PEOPLE GAP [GADGET]   people with tickets who come to a wedge scanner a second apart, and the ticket system that is asked for them.
//
// Between two reports of the scanner there are GAP microseconds. It is a keyboard of its own (uinput), or with GADGET, such as /dev/hidg0, one
// at a simulated USB port. Prints the input device's name ("usb" for a GADGET), waits for SIGUSR1, and prints for each person the nanoseconds
// (CLOCK_MONOTONIC) from just before the last key, Enter, goes down to the request's first byte. One process, so one clock stamps both ends.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/uinput.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000LL
#define APART (1000 * MS)
#define PATIENCE (10000 * MS)
#define DIGITS 32
//: Each key goes down and up; the last is Enter.
#define STEPS (2 * (DIGITS + 1))
#define ENTER 11
#define CONNECTIONS 16

struct connection {
  long long began;
  size_t length;
  char buffer[16384];
};

static volatile sig_atomic_t is_begun;
static int keyboard, is_usb;

static void begin(int signal) {
  (void)signal;
  is_begun = 1;
}

static long long now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec * 1000 * MS + at.tv_nsec;
}

static void check(int is_right, const char *what) {
  if (is_right) return;
  perror(what);
  exit(1);
}

static void make_keyboard(void) {
  struct uinput_setup setup = {.id = {.bustype = BUS_USB, .vendor = 0x0c2e, .product = 0x0901, .version = 0x100}, .name = "Bench Scanner"};
  char name[64] = "";
  keyboard = open("/dev/uinput", O_RDWR);
  check(keyboard >= 0 && ioctl(keyboard, UI_SET_EVBIT, EV_KEY) == 0, "/dev/uinput");
  for (int code = KEY_ESC; code <= KEY_F12; code++) ioctl(keyboard, UI_SET_KEYBIT, code);
  check(ioctl(keyboard, UI_DEV_SETUP, &setup) == 0 && ioctl(keyboard, UI_DEV_CREATE) == 0, "uinput");
  check(ioctl(keyboard, UI_GET_SYSNAME(sizeof name), name) >= 0, "uinput");
  puts(name);
}

/// A key goes down or up: 1 to 9, 10 for the digit 0, or `ENTER`.
static void press(int key, int is_down) {
  unsigned char report[8] = {[2] = is_down ? 0x1d + key : 0};
  struct input_event events[2] = {{.type = EV_KEY, .code = key == ENTER ? KEY_ENTER : KEY_1 - 1 + key, .value = is_down}, {.type = EV_SYN}};
  ssize_t written = is_usb ? write(keyboard, report, sizeof report) : write(keyboard, events, sizeof events);
  check(written > 0, "keyboard");
}

static void answer(int fd, const char *status, const char *body) {
  char text[1024];
  int length = snprintf(text, sizeof text, "HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s", status, strlen(body), body);
  check(write(fd, text, length) == length, "answer");
}

static void admit(int fd, int entry) {
  char body[512], at[64];
  time_t seconds = time(NULL);
  strftime(at, sizeof at, "%Y-%m-%dT%H:%M:%S.000000Z", gmtime(&seconds));
  snprintf(body, sizeof body, "{\"data\":{\"sale_id\":%d,\"entry_id\":%d,\"scanned_at\":\"%s\",\"sale\":{\"id\":%d,\"status\":\"paid\",\"name\":\"John Doe\","
    "\"email\":\"john@example.com\",\"event_id\":456,\"event\":{\"id\":456,\"name\":\"Concert 2025\"},"
    "\"tickets\":[{\"id\":789,\"ticket_id\":101,\"quantity\":1,\"usage_status\":\"used\"}]}}}", entry, entry, at, entry);
  answer(fd, "201 Created", body);
}

/// Takes what came; the time of a whole request's first byte if it asks for `code`, 0 if there is none yet, -1 at the connection's end.
static long long receive(int fd, struct connection *from, const char *code, int entry) {
  long long at = now();
  ssize_t count = read(fd, from->buffer + from->length, sizeof from->buffer - 1 - from->length);
  if (count <= 0) return -1;
  if (from->length == 0) from->began = at;
  from->buffer[from->length += count] = 0;
  char *body = strstr(from->buffer, "\r\n\r\n"), *length = strcasestr(from->buffer, "\r\ncontent-length:");
  if (!body || (length && length < body && from->buffer + from->length < body + 4 + atol(length + 17))) return 0;
  from->length = 0;
  if (strstr(body, code)) {
    admit(fd, entry);
    return from->began;
  }
  // Whether scans would be decided is no scan.
  answer(fd, "422 Unprocessable Content", "{\"error\": \"The code field is required.\"}");
  return 0;
}

int main(int count, char **words) {
  if (count < 4) return 2;
  static struct connection connections[CONNECTIONS + 1];
  struct pollfd waits[CONNECTIONS + 1] = {{.events = POLLIN}};
  int people = atoi(words[2]), used = 1, yes = 1;
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(atoi(words[1])), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  waits[0].fd = socket(AF_INET, SOCK_STREAM, 0);
  setsockopt(waits[0].fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  check(bind(waits[0].fd, (struct sockaddr *)&here, sizeof here) == 0 && listen(waits[0].fd, CONNECTIONS) == 0, "port");
  signal(SIGUSR1, begin);
  setvbuf(stdout, NULL, _IOLBF, 0);
  is_usb = count > 4;
  if (is_usb) {
    keyboard = open(words[4], O_RDWR);
    check(keyboard >= 0, words[4]);
    puts("usb");
  } else {
    make_keyboard();
  }

  char code[DIGITS + 1] = "nobody yet";
  long long gap = atoll(words[3]) * 1000, due = 0, pressed = 0, next_person = 0, asked = 0;
  int person = 0, step = STEPS;
  for (;;) {
    long long at = now();
    if (is_begun && step == STEPS && (person == 0 || (asked && at >= next_person))) {
      if (person == people) return 0;
      snprintf(code, sizeof code, "%0*d", DIGITS, ++person);
      step = 0, asked = 0, due = at, next_person = at + APART;
    }
    if (step < STEPS && at >= due) {
      int key = step / 2 == DIGITS ? ENTER : code[step / 2] == '0' ? 10 : code[step / 2] - '0';
      if (step == STEPS - 2) pressed = now();
      press(key, step % 2 == 0);
      step++, due = at + gap;
    }
    if (pressed && step == STEPS && !asked && at > pressed + PATIENCE) {
      fprintf(stderr, "nothing came for person %d\n", person);
      return 1;
    }
    long long until = step < STEPS ? due : asked ? next_person : at + 100 * MS, left = until - now();
    struct timespec pause = {left > 0 ? left / (1000 * MS) : 0, left > 0 ? left % (1000 * MS) : 0};
    if (ppoll(waits, used, &pause, NULL) <= 0) continue;
    for (int i = used - 1; i > 0; i--) {
      if (!waits[i].revents) continue;
      long long came = receive(waits[i].fd, &connections[i], code, person);
      if (came > 0 && !asked) printf("%lld\n", (asked = came) - pressed);
      if (came >= 0) continue;
      close(waits[i].fd);
      waits[i] = waits[--used];
      connections[i] = connections[used];
    }
    if (waits[0].revents && used <= CONNECTIONS) {
      int fd = accept(waits[0].fd, NULL, NULL);
      check(fd >= 0, "accept");
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
      connections[used].length = 0;
      waits[used++] = (struct pollfd){.fd = fd, .events = POLLIN};
    }
  }
}
