// Programs and scripts.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent.h"

#define MOST_WORDS 256
#define MOST_GROUPS 64

struct child {
  unsigned long id;
  pid_t pid;
  int pidfd, output;  // -1: its output is told elsewhere
  struct child *next;
};

static struct child *children;

static void finish(void *context) {
  struct child *done = context;
  int status = 0;
  waitpid(done->pid, &status, 0);
  forget_descriptor(done->pidfd);
  for (struct child **link = &children; *link; link = &(*link)->next)
    if (*link == done) {
      *link = done->next;
      break;
    }
  struct stat file;
  char *text = NULL;
  if (done->output >= 0 && fstat(done->output, &file) == 0 && file.st_size > 0) {
    text = mmap(NULL, file.st_size, PROT_READ, MAP_SHARED, done->output, 0);
    if (text == MAP_FAILED) die("mmap");
  }
  tell_end(done->id, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text, text ? file.st_size : 0);
  if (text) munmap(text, file.st_size);
  if (done->output >= 0) close(done->output);
  close(done->pidfd);
  free(done);
}

static void add_child(unsigned long id, pid_t pid, int output) {
  struct child *child = malloc(sizeof *child);
  int pidfd = syscall(SYS_pidfd_open, pid, 0);
  if (!child || pidfd < 0) die("pidfd_open");
  *child = (struct child){id, pid, pidfd, output, children};
  children = child;
  watch_descriptor(pidfd, finish, child);
}

static void become_child(int output) {
  setsid();
  signal(SIGPIPE, SIG_DFL);
  dup2(open("/dev/null", O_RDONLY), 0);
  dup2(output, 1);
  dup2(output, 2);
}

void run(struct request *request) {
  int source = memfd_create("script", 0), output = memfd_create("output", MFD_CLOEXEC);
  if (source < 0 || output < 0) die("memfd_create");
  write_all(source, request->body, request->length);
  pid_t pid = fork();
  if (pid < 0) die("fork");
  if (pid == 0) {
    char path[32];
    become_child(output);
    snprintf(path, sizeof path, "/proc/self/fd/%d", source);
    execl("/bin/bash", "bash", path, (char *)NULL);
    perror("/bin/bash");
    _exit(126);
  }
  close(source);
  add_child(request->id, pid, output);
}

// Starts the program of a request; what it prints goes to `output`.
static pid_t start(struct request *request, int output) {
  char *words[MOST_WORDS + 1];
  int count = 0;
  for (char *word = request->body; word < request->body + request->length && count < MOST_WORDS; word += strlen(word) + 1) words[count++] = word;
  words[count] = NULL;
  // Looked up here: between fork and exec of a program with threads no lock may be needed.
  struct passwd *user = count > 0 && words[0][0] ? getpwnam(words[0]) : NULL;
  gid_t groups[MOST_GROUPS];
  int group_count = MOST_GROUPS;
  int program = 1;
  while (program < count && strchr(words[program], '=')) program++;
  if (program >= count || (words[0][0] && (!user || getgrouplist(words[0], user->pw_gid, groups, &group_count) < 0))) {
    errno = EINVAL;
    return -1;
  }
  pid_t pid = fork();
  if (pid != 0) return pid;
  become_child(output);
  for (int i = 1; i < program; i++) putenv(words[i]);
  if (user && (setgroups(group_count, groups) != 0 || setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0)) _exit(126);
  execvp(words[program], &words[program]);
  perror(words[program]);
  _exit(127);
}

static void tell_pid(unsigned long id, pid_t pid) {
  char text[16];
  tell_part(id, text, snprintf(text, sizeof text, "%d\n", pid));
}

void spawn(struct request *request) {
  // A new file: whoever looks at the one before goes on with that.
  unlink(request->words);
  int log = open(request->words, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (log < 0) return tell_error(request->id, request->words);
  pid_t pid = start(request, log);
  close(log);
  if (pid < 0) return tell_error(request->id, "spawn");
  tell_pid(request->id, pid);
  add_child(request->id, pid, -1);
}

void send_signal(struct request *request) {
  int number, pid;
  if (sscanf(request->words, "%d %d", &number, &pid) != 2) errno = EINVAL;
  else if (kill(pid, number) == 0) return tell_end(request->id, DONE, NULL, 0);
  tell_error(request->id, request->words);
}

int kill_process(unsigned long id) {
  for (struct child *child = children; child; child = child->next)
    if (child->id == id) return kill(-child->pid, SIGKILL), 1;
  return 0;
}

void tell_pids(struct request *request) {
  char text[4096], path[300], name[32];
  size_t used = 0;
  DIR *processes = opendir("/proc");
  for (struct dirent *entry; processes && (entry = readdir(processes));) {
    snprintf(path, sizeof path, "/proc/%s/comm", entry->d_name);
    FILE *file = atoi(entry->d_name) > 0 ? fopen(path, "re") : NULL;
    if (!file) continue;
    int is_named = fgets(name, sizeof name, file) && strcspn(name, "\n") == strlen(request->words) && strncmp(name, request->words, strlen(request->words)) == 0;
    fclose(file);
    if (is_named && used + 16 < sizeof text) used += sprintf(text + used, "%s\n", entry->d_name);
  }
  if (processes) closedir(processes);
  tell_end(request->id, DONE, text, used);
}
