// powercut FOLDER PID...   ends processes (a negative one is a group) at once and then takes the file system of FOLDER (ext4) down as a power
//                          cut does: what was not synced, data and journal, is gone. It is there again when it is mounted anew.
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#define EXT4_IOC_SHUTDOWN _IOR('X', 125, uint32_t)
#define WITHOUT_ITS_LOG 2

int main(int count, char **words) {
  if (count < 2) return 2;
  int folder = open(words[1], O_RDONLY | O_DIRECTORY);
  if (folder < 0) {
    perror(words[1]);
    return 1;
  }
  for (int i = 2; i < count; i++) kill(atoi(words[i]), SIGKILL);
  uint32_t how = WITHOUT_ITS_LOG;
  if (ioctl(folder, EXT4_IOC_SHUTDOWN, &how) != 0) {
    perror("EXT4_IOC_SHUTDOWN");
    return 1;
  }
  return 0;
}
