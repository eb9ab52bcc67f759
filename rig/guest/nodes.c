// nodes here PATTERN   waits until there is a device in sysfs whose folder matches, and udev is through with it; prints its node in /dev
// nodes gone PATTERN   waits until nothing matches
//                      Both give up after 30 s with exit status 1.
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// What udev has finished with, it has a record of.
static int is_ready(const char *folder, char node[600]) {
  char path[600], number[32] = "", name[300] = "", line[400];
  snprintf(path, sizeof path, "%s/uevent", folder);
  FILE *file = fopen(path, "r");
  int major = -1, minor = -1;
  while (file && fgets(line, sizeof line, file)) {
    sscanf(line, "MAJOR=%d", &major);
    sscanf(line, "MINOR=%d", &minor);
    sscanf(line, "DEVNAME=%299s", name);
  }
  if (file) fclose(file);
  snprintf(number, sizeof number, "c%d:%d", major, minor);
  snprintf(path, sizeof path, "/run/udev/data/%s", number);
  snprintf(node, 600, "/dev/%s", name);
  return name[0] && access(path, F_OK) == 0 && access(node, F_OK) == 0;
}

int main(int count, char **words) {
  if (count != 3) return 2;
  int wants_gone = strcmp(words[1], "gone") == 0;
  for (int tries = 0; tries < 3000; tries++) {
    glob_t found = {0};
    int status = glob(words[2], GLOB_NOSORT, NULL, &found);
    char node[600];
    for (size_t i = 0; status == 0 && !wants_gone && i < found.gl_pathc; i++)
      if (is_ready(found.gl_pathv[i], node)) {
        puts(node);
        return 0;
      }
    globfree(&found);
    if (wants_gone && status == GLOB_NOMATCH) return 0;
    struct timespec step = {0, 10000000};
    nanosleep(&step, NULL);
  }
  fprintf(stderr, "%s: %s after 30 s\n", words[2], wants_gone ? "still there" : "nothing");
  return 1;
}
