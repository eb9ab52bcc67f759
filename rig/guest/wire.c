// wire   prints a line of each IP packet on every interface: TIME PROTOCOL SOURCE DESTINATION BYTES (nanoseconds of CLOCK_MONOTONIC;
//        ADDRESS.PORT where there are ports). "ready" comes first, "lost N" when it is told to end (SIGTERM): so many went unseen.
//        While it runs, what has no other way goes over the loopback: a guest without network would not even try otherwise.
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <net/route.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#define BUFFER (16 << 20)

static int set_default_route(unsigned long request) {
  struct rtentry route = {.rt_flags = RTF_UP, .rt_dev = "lo"};
  route.rt_dst.sa_family = route.rt_genmask.sa_family = route.rt_gateway.sa_family = AF_INET;
  int control = socket(AF_INET, SOCK_DGRAM, 0);
  int done = ioctl(control, request, &route);
  close(control);
  return done;
}

static const char *protocol_name(int protocol) {
  static char number[12];
  switch (protocol) {
    case IPPROTO_TCP: return "tcp";
    case IPPROTO_UDP: return "udp";
    case IPPROTO_ICMP: case IPPROTO_ICMPV6: return "icmp";
  }
  snprintf(number, sizeof number, "%d", protocol);
  return number;
}

static void tell(const unsigned char *packet, size_t length) {
  char from[INET6_ADDRSTRLEN], to[INET6_ADDRSTRLEN];
  int protocol;
  size_t head;
  if (length >= sizeof(struct iphdr) && packet[0] >> 4 == 4) {
    const struct iphdr *ip = (const void *)packet;
    inet_ntop(AF_INET, &ip->saddr, from, sizeof from);
    inet_ntop(AF_INET, &ip->daddr, to, sizeof to);
    protocol = ip->protocol;
    head = ip->ihl * 4;
  } else if (length >= sizeof(struct ip6_hdr) && packet[0] >> 4 == 6) {
    const struct ip6_hdr *ip = (const void *)packet;
    inet_ntop(AF_INET6, &ip->ip6_src, from, sizeof from);
    inet_ntop(AF_INET6, &ip->ip6_dst, to, sizeof to);
    protocol = ip->ip6_nxt;
    head = sizeof *ip;
  } else {
    return;
  }
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  printf("%lld %s ", now.tv_sec * 1000000000LL + now.tv_nsec, protocol_name(protocol));
  if ((protocol == IPPROTO_TCP || protocol == IPPROTO_UDP) && length >= head + 4) {
    const unsigned char *ports = packet + head;
    printf("%s.%d %s.%d", from, ports[0] << 8 | ports[1], to, ports[2] << 8 | ports[3]);
  } else {
    printf("%s %s", from, to);
  }
  printf(" %zu\n", length);
}

int main(void) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigprocmask(SIG_BLOCK, &ends, NULL);
  int end = signalfd(-1, &ends, 0);
  int wire = socket(AF_PACKET, SOCK_DGRAM, htons(ETH_P_ALL));
  if (wire < 0 || end < 0) {
    perror("AF_PACKET");
    return 1;
  }
  int size = BUFFER;
  setsockopt(wire, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size);
  if (set_default_route(SIOCADDRT) != 0 && errno != EEXIST) {
    perror("default route");
    return 1;
  }
  setlinebuf(stdout);
  puts("ready");
  struct pollfd waits[2] = {{.fd = wire, .events = POLLIN}, {.fd = end, .events = POLLIN}};
  while (poll(waits, 2, -1) > 0 && !waits[1].revents) {
    unsigned char packet[65536];
    struct sockaddr_ll from;
    socklen_t size = sizeof from;
    ssize_t length = recvfrom(wire, packet, sizeof packet, 0, (struct sockaddr *)&from, &size);
    // What is sent to itself passes twice: out, and in.
    if (length <= 0 || (from.sll_hatype == ARPHRD_LOOPBACK && from.sll_pkttype != PACKET_OUTGOING)) continue;
    tell(packet, length);
  }
  struct tpacket_stats stats = {0};
  socklen_t length = sizeof stats;
  getsockopt(wire, SOL_PACKET, PACKET_STATISTICS, &stats, &length);
  printf("lost %u\n", stats.tp_drops);
  set_default_route(SIOCDELRT);
  return 0;
}
