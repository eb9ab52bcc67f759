// Actions are macros, and rules are added by a variadic function or by one that wants an array.
#include <errno.h>
#include <seccomp.h>
#include <stdint.h>

static const uint32_t cseccomp_kill = SCMP_ACT_KILL_PROCESS;
static const uint32_t cseccomp_allow = SCMP_ACT_ALLOW;
static inline uint32_t cseccomp_fail(uint16_t number) { return SCMP_ACT_ERRNO(number); }
