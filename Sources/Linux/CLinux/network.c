#define _GNU_SOURCE
#include "clinux_network.h"

#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

int clinux_ipv4_addresses(uint32_t *addresses, int most) {
  struct ifreq entries[128];
  struct ifconf list = {.ifc_len = sizeof entries, .ifc_req = entries};
  int asked = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (asked < 0) return -1;
  int result = ioctl(asked, SIOCGIFCONF, &list), why = errno;
  close(asked);
  errno = why;
  if (result < 0) return -1;
  int count = 0, there = list.ifc_len / (int)sizeof entries[0];
  for (int at = 0; at < there && count < most; at += 1) {
    if (entries[at].ifr_addr.sa_family != AF_INET) continue;
    struct sockaddr_in address;
    memcpy(&address, &entries[at].ifr_addr, sizeof address);
    addresses[count++] = address.sin_addr.s_addr;
  }
  return count;
}
