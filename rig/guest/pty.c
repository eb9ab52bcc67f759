// pty LINK USER   makes a pseudo-terminal that USER may open by LINK; what is written to the pipe LINK.in arrives there
#define _GNU_SOURCE
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

int main(int count, char **words) {
  if (count != 3) return 2;
  struct passwd *user = getpwnam(words[2]);
  int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (!user || master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) return 1;
  const char *name = ptsname(master);
  int kept = open(name, O_RDWR | O_NOCTTY);  // so that the line lives while nobody reads
  struct termios raw;
  tcgetattr(kept, &raw);
  cfmakeraw(&raw);
  tcsetattr(kept, TCSANOW, &raw);
  char pipe[300];
  snprintf(pipe, sizeof pipe, "%s.in", words[1]);
  unlink(pipe);
  unlink(words[1]);
  if (mkfifo(pipe, 0600) != 0 || chown(name, user->pw_uid, user->pw_gid) != 0 || symlink(name, words[1]) != 0) {
    perror(name);
    return 1;
  }
  int in = open(pipe, O_RDWR);
  char bytes[512];
  for (ssize_t got; (got = read(in, bytes, sizeof bytes)) > 0;)
    if (write(master, bytes, got) != got) return 1;
  return 1;
}
