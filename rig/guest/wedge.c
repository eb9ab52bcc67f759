// wedge PID NAME   stops the one thread of a process that is called NAME, and prints "wedged"; the others go on. It runs again
//                  when this program is killed. Ends by itself when the thread has ended.
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static int is_called(const char *pid, const char *thread, const char *name) {
  char path[300], called[64] = "";
  snprintf(path, sizeof path, "/proc/%s/task/%s/comm", pid, thread);
  FILE *file = fopen(path, "r");
  if (!file) return 0;
  if (!fgets(called, sizeof called, file)) called[0] = 0;
  fclose(file);
  called[strcspn(called, "\n")] = 0;
  return strcmp(called, name) == 0;
}

static pid_t find(const char *pid, const char *name) {
  char path[300];
  snprintf(path, sizeof path, "/proc/%s/task", pid);
  DIR *folder = opendir(path);
  pid_t found = 0;
  int count = 0;
  for (struct dirent *entry; folder && (entry = readdir(folder));)
    if (entry->d_name[0] != '.' && is_called(pid, entry->d_name, name)) {
      found = atoi(entry->d_name);
      count++;
    }
  if (folder) closedir(folder);
  if (count != 1) fprintf(stderr, "process %s has %d threads called %s\n", pid, count, name);
  return count == 1 ? found : 0;
}

int main(int count, char **words) {
  if (count != 3) return 2;
  pid_t thread = find(words[1], words[2]);
  if (thread == 0) return 1;
  int status;
  if (ptrace(PTRACE_SEIZE, thread, 0, 0) != 0 || ptrace(PTRACE_INTERRUPT, thread, 0, 0) != 0 || waitpid(thread, &status, __WALL) != thread) {
    perror("ptrace");
    return 1;
  }
  puts("wedged");
  fflush(stdout);
  // The thread's end must be fetched: until then its process does not go away.
  while (waitpid(thread, &status, __WALL) == thread || errno == EINTR)
    if (WIFEXITED(status) || WIFSIGNALED(status)) break;
  puts("gone");
  return 0;
}
