// rig-agent: does in the guest what the host asks for, over the virtio-serial port "ctl".
//
// Requests:   ID run LENGTH\n   and LENGTH bytes of a bash script
//             ID put LENGTH PATH\n   and LENGTH bytes: the new content of PATH, which is replaced as a whole
//             ID kill 0\n   ends the script ID together with its process group
// Answers:    ID STATUS LENGTH\n   and LENGTH bytes of output (standard output and error together)
//
// Scripts run side by side, so that one may wait for what another one brings about.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PORT "/dev/virtio-ports/ctl"
#define MAX_SCRIPTS 64

struct script {
  unsigned long id;
  pid_t pid;
  int pidfd, output;
};

static struct script scripts[MAX_SCRIPTS];
static int script_count;
static int port;

static void die(const char *what) {
  perror(what);
  exit(1);
}

static void write_all(int fd, const void *data, size_t length) {
  const char *next = data;
  while (length > 0) {
    ssize_t written = write(fd, next, length);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) die("write");
    next += written;
    length -= written;
  }
}

// A port whose host end is closed reads as end of file until somebody connects again.
static void read_all(void *data, size_t length) {
  char *next = data;
  while (length > 0) {
    ssize_t got = read(port, next, length);
    if (got < 0 && errno != EINTR && errno != EAGAIN) die("read " PORT);
    if (got <= 0) {
      usleep(5000);
      continue;
    }
    next += got;
    length -= got;
  }
}

static void answer(unsigned long id, int status, const void *data, size_t length) {
  char head[64];
  write_all(port, head, snprintf(head, sizeof head, "%lu %d %zu\n", id, status, length));
  write_all(port, data, length);
}

static void answer_error(unsigned long id, const char *what) {
  char text[512];
  int length = snprintf(text, sizeof text, "%s: %s\n", what, strerror(errno));
  answer(id, 125, text, length < (int)sizeof text ? length : (int)sizeof text - 1);
}

static void run(unsigned long id, const char *text, size_t length) {
  if (script_count == MAX_SCRIPTS) {
    errno = EAGAIN;
    return answer_error(id, "too many scripts at once");
  }
  int source = memfd_create("script", 0), output = memfd_create("output", MFD_CLOEXEC);
  if (source < 0 || output < 0) die("memfd_create");
  write_all(source, text, length);
  pid_t pid = fork();
  if (pid < 0) die("fork");
  if (pid == 0) {
    char path[32];
    setsid();
    signal(SIGPIPE, SIG_DFL);
    snprintf(path, sizeof path, "/proc/self/fd/%d", source);
    dup2(open("/dev/null", O_RDONLY), 0);
    dup2(output, 1);
    dup2(output, 2);
    execl("/bin/bash", "bash", path, (char *)NULL);
    perror("/bin/bash");
    _exit(126);
  }
  close(source);
  int pidfd = syscall(SYS_pidfd_open, pid, 0);
  if (pidfd < 0) die("pidfd_open");
  scripts[script_count++] = (struct script){.id = id, .pid = pid, .pidfd = pidfd, .output = output};
}

static void finish(int index) {
  struct script done = scripts[index];
  scripts[index] = scripts[--script_count];
  int status = 0;
  waitpid(done.pid, &status, 0);
  struct stat file;
  char *text = NULL;
  if (fstat(done.output, &file) == 0 && file.st_size > 0) {
    text = mmap(NULL, file.st_size, PROT_READ, MAP_SHARED, done.output, 0);
    if (text == MAP_FAILED) die("mmap");
  }
  answer(done.id, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text, text ? file.st_size : 0);
  if (text) munmap(text, file.st_size);
  close(done.output);
  close(done.pidfd);
}

static void put(unsigned long id, const char *path, const char *data, size_t length) {
  char fresh[512];
  snprintf(fresh, sizeof fresh, "%s.new", path);
  int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return answer_error(id, fresh);
  write_all(fd, data, length);
  close(fd);
  if (rename(fresh, path) != 0) return answer_error(id, path);
  answer(id, 0, NULL, 0);
}

static void serve_request(void) {
  char line[512], verb[8] = "", path[400] = "";
  size_t used = 0, length = 0;
  unsigned long id = 0;
  do {
    read_all(&line[used], 1);
  } while (line[used++] != '\n' && used < sizeof line - 1);
  line[used] = 0;
  if (sscanf(line, "%lu %7s %zu %399[^\n]", &id, verb, &length, path) < 3) {
    fprintf(stderr, "request not understood: %s", line);
    return;
  }
  char *body = malloc(length + 1);
  if (!body) die("malloc");
  read_all(body, length);
  if (strcmp(verb, "run") == 0) {
    run(id, body, length);
  } else if (strcmp(verb, "put") == 0) {
    put(id, path, body, length);
  } else if (strcmp(verb, "kill") == 0) {
    for (int i = 0; i < script_count; i++)
      if (scripts[i].id == id) kill(-scripts[i].pid, SIGKILL);
  } else {
    errno = ENOSYS;
    answer_error(id, verb);
  }
  free(body);
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  port = open(PORT, O_RDWR | O_CLOEXEC);
  if (port < 0) die(PORT);
  answer(0, 0, NULL, 0);
  for (;;) {
    struct pollfd waits[MAX_SCRIPTS + 1] = {{.fd = port, .events = POLLIN}};
    int count = script_count;
    for (int i = 0; i < count; i++) waits[i + 1] = (struct pollfd){.fd = scripts[i].pidfd, .events = POLLIN};
    if (poll(waits, count + 1, -1) < 0 && errno != EINTR) die("poll");
    for (int i = count; i > 0; i--)  // from the end: finish() moves the last one into the gap
      if (waits[i].revents) finish(i - 1);
    if (waits[0].revents & POLLIN) serve_request();
    else if (waits[0].revents & POLLHUP) usleep(5000);  // no host at the other end for now
  }
}
