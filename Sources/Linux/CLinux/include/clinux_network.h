// Kept out of the header: <net/if.h> would give this module types that Swift's own Glibc module has too.
#ifndef CLINUX_NETWORK_H
#define CLINUX_NETWORK_H

#include <stdint.h>

/// The IPv4 addresses of this machine's interfaces, in network order (netdevice(7), SIOCGIFCONF). getifaddrs(3) has them as well, but wants a
/// netlink socket, which a unit need not be allowed.
/// Returns how many were written, `most` at most, or -1 with errno.
int clinux_ipv4_addresses(uint32_t *addresses, int most);

#endif
