// Follows the journal: a line for each message, with tabs between them: microseconds of CLOCK_MONOTONIC, process id, who says it, of which unit
// it is and of which it tells, and the message in hexadecimal.
//
// The journal's own file is read: journalctl takes half a second of an emulated processor to start, and is told of what is new only every 250 ms.
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent.h"

#define LIBRARY "libsystemd.so.0"
#define SOCKET "/run/systemd/journal/socket"
#define LOCAL_ONLY 1
#define PATIENCE_MS 30000
#define AGAIN_MS 250
#define LONGEST 16384

typedef struct sd_journal sd_journal;

// libsystemd's, found when it is needed: to build this takes nothing of it.
static int (*journal_open)(sd_journal **, int);
static int (*add_match)(sd_journal *, const void *, size_t);
static int (*next_entry)(sd_journal *);
static int (*get_data)(sd_journal *, const char *, const void **, size_t *);
static int (*get_monotonic)(sd_journal *, uint64_t *, void *);
static int (*get_fd)(sd_journal *);
static int (*process)(sd_journal *);

static sd_journal *journal;
static unsigned long follower;
static unsigned long marks, marks_seen;

static int find_library(void) {
  void *library = dlopen(LIBRARY, RTLD_NOW);
  if (!library) return -1;
  *(void **)&journal_open = dlsym(library, "sd_journal_open");
  *(void **)&add_match = dlsym(library, "sd_journal_add_match");
  *(void **)&next_entry = dlsym(library, "sd_journal_next");
  *(void **)&get_data = dlsym(library, "sd_journal_get_data");
  *(void **)&get_monotonic = dlsym(library, "sd_journal_get_monotonic_usec");
  *(void **)&get_fd = dlsym(library, "sd_journal_get_fd");
  *(void **)&process = dlsym(library, "sd_journal_process");
  return journal_open && add_match && next_entry && get_data && get_monotonic && get_fd && process ? 0 : -1;
}

void follow_journal(struct request *request) {
  errno = ENOENT;
  if ((!journal_open && find_library() != 0) || journal_open(&journal, LOCAL_ONLY) < 0) return tell_error(request->id, LIBRARY);
  // Matches of one field are alternatives; the kernel's messages are left out.
  const char *transports[] = {"_TRANSPORT=stdout", "_TRANSPORT=journal", "_TRANSPORT=syslog"};
  for (int i = 0; i < 3; i++) add_match(journal, transports[i], 0);
  // From now on it hears of the files that the journal begins, for one it ends when it is full.
  if (get_fd(journal) < 0) return tell_error(request->id, "the journal");
  follower = request->id;
  look_at_journal();
}

// The value of a field, which need not end with a 0.
static const char *field(const char *name, int *length) {
  const void *data;
  size_t size, head = strlen(name) + 1;
  *length = 0;
  if (get_data(journal, name, &data, &size) < 0 || size < head) return "";
  *length = size - head > LONGEST ? LONGEST : (int)(size - head);
  return (const char *)data + head;
}

static void tell_entry(void) {
  static char line[2 * LONGEST + 1000];
  static const char *names[] = {"_PID", "SYSLOG_IDENTIFIER", "_SYSTEMD_UNIT", "UNIT"};
  uint64_t at = 0;
  int length;
  const char *message = field("MESSAGE", &length);
  unsigned long mark;
  char start[40];
  snprintf(start, sizeof start, "%.*s", length, message);
  if (sscanf(start, "mark %lu of the rig", &mark) == 1) {
    if (mark > marks_seen) marks_seen = mark;
    return;
  }
  get_monotonic(journal, &at, NULL);
  size_t used = snprintf(line, sizeof line, "%llu", (unsigned long long)at);
  for (int i = 0; i < 4; i++) {
    int size;
    const char *value = field(names[i], &size);
    used += snprintf(line + used, sizeof line - used, "\t%.*s", size > 200 ? 200 : size, value);
  }
  line[used++] = '\t';
  message = field("MESSAGE", &length);  // what was found before is gone by now
  for (int i = 0; i < length; i++) used += sprintf(line + used, "%02x", (unsigned char)message[i]);
  line[used++] = '\n';
  tell_part(follower, line, used);
}

int is_following_journal(void) { return journal != NULL; }

void look_at_journal(void) {
  if (journal) process(journal);
  while (journal && next_entry(journal) > 0) tell_entry();
}

// The journal takes what is there to be read in an order of its own. So there are two marks: when the first has come through, whatever was
// there with it is on its way before the second. A mark is said once more when it does not come: who reads an entry while it is being
// written may take it for one that does not fit, and look again only when there is another one.
void synchronize_journal(struct request *request) {
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = SOCKET};
  long long deadline = now_ns() + PATIENCE_MS * 1000000LL;
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  for (int i = 0; i < 2; i++) {
    char text[80];
    int length = snprintf(text, sizeof text, "MESSAGE=mark %lu of the rig\n", ++marks);
    long long again = 0;
    while (look_at_journal(), marks_seen < marks) {
      if (now_ns() > again) {
        again = now_ns() + AGAIN_MS * 1000000LL;
        if (sendto(fd, text, length, 0, (struct sockaddr *)&address, sizeof address) < 0) {
          close(fd);
          return tell_error(request->id, SOCKET);
        }
      }
      if (now_ns() > deadline) {
        close(fd);
        errno = ETIMEDOUT;
        return tell_error(request->id, "the journal");
      }
      pause_ms(2);
    }
  }
  close(fd);
  tell_end(request->id, DONE, NULL, 0);
}
