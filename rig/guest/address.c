// address add|remove ADDRESS   gives the guest's own loopback an address, or takes it away: programs that are reached by it
//                              are then on a network that can go. Everything that is sent there ends with ENETUNREACH then.
//                              Addresses that are there at the same time differ in their last number.
#include <arpa/inet.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

int main(int count, char **words) {
  if (count != 3) return 2;
  struct ifreq request = {0};
  struct sockaddr_in *address = (struct sockaddr_in *)&request.ifr_addr;
  struct in_addr wanted;
  if (inet_pton(AF_INET, words[2], &wanted) != 1) return 2;
  snprintf(request.ifr_name, sizeof request.ifr_name, "lo:%u", ntohl(wanted.s_addr) & 0xFF);
  int control = socket(AF_INET, SOCK_DGRAM, 0);
  int failed = 1;
  if (strcmp(words[1], "add") == 0) {
    address->sin_family = AF_INET;
    address->sin_addr = wanted;
    failed = ioctl(control, SIOCSIFADDR, &request);
    address->sin_addr.s_addr = htonl(INADDR_BROADCAST);
    failed = failed || ioctl(control, SIOCSIFNETMASK, &request);
  } else if (strcmp(words[1], "remove") == 0) {
    request.ifr_flags = 0;  // an address with a label of its own goes when it is no longer up
    failed = ioctl(control, SIOCSIFFLAGS, &request);
  }
  if (failed) perror(words[2]);
  return failed ? 1 : 0;
}
