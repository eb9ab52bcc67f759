#pragma once
#include <nats/nats.h>

// The client library of NATS, as Debian has it, loaded when it is asked for: a station without a fleet never has it in memory, and one
// program runs with the library of each Debian release, whose file has another name in each. So nothing is linked with it, and only what
// is the same in all of them is called: handles that are closed to us, and no structure.
//
// Each call is named as the library's own with a `c` before it. None may be made before `cnats_load` has returned NULL.

/// Calls that return a status.
#define CNATS_CALLS(CALL)                                                                                                             \
  CALL(natsOptions_Create, (natsOptions * *made), (made))                                                                             \
  CALL(natsOptions_SetURL, (natsOptions * options, const char *url), (options, url))                                                  \
  CALL(natsOptions_SetName, (natsOptions * options, const char *name), (options, name))                                               \
  CALL(natsOptions_SetSecure, (natsOptions * options, bool is), (options, is))                                                        \
  CALL(natsOptions_SetCATrustedCertificates, (natsOptions * options, const char *pem), (options, pem))                                \
  CALL(natsOptions_SetExpectedHostname, (natsOptions * options, const char *host), (options, host))                                   \
  CALL(natsOptions_SetNKey, (natsOptions * options, const char *key, natsSignatureHandler sign, void *closure),                       \
       (options, key, sign, closure))                                                                                                 \
  CALL(natsOptions_SetTimeout, (natsOptions * options, int64_t milliseconds), (options, milliseconds))                                \
  CALL(natsOptions_SetWriteDeadline, (natsOptions * options, int64_t milliseconds), (options, milliseconds))                          \
  CALL(natsOptions_SetPingInterval, (natsOptions * options, int64_t milliseconds), (options, milliseconds))                           \
  CALL(natsOptions_SetMaxPingsOut, (natsOptions * options, int count), (options, count))                                              \
  CALL(natsOptions_SetAllowReconnect, (natsOptions * options, bool is), (options, is))                                                \
  CALL(natsOptions_SetSendAsap, (natsOptions * options, bool is), (options, is))                                                      \
  CALL(natsOptions_SetIgnoreDiscoveredServers, (natsOptions * options, bool is), (options, is))                                       \
  CALL(natsOptions_SetClosedCB, (natsOptions * options, natsConnectionHandler closed, void *closure), (options, closed, closure))     \
  CALL(natsOptions_SetErrorHandler, (natsOptions * options, natsErrHandler wrong, void *closure), (options, wrong, closure))          \
  CALL(natsConnection_Connect, (natsConnection * *made, natsOptions *options), (made, options))                                       \
  CALL(natsConnection_GetConnectedServerId, (natsConnection * connection, char *buffer, size_t size), (connection, buffer, size))     \
  CALL(natsConnection_GetLastError, (natsConnection * connection, const char **words), (connection, words))                           \
  CALL(natsConnection_PublishMsg, (natsConnection * connection, natsMsg *message), (connection, message))                             \
  CALL(natsConnection_Subscribe,                                                                                                      \
       (natsSubscription * *made, natsConnection *connection, const char *subject, natsMsgHandler take, void *closure),               \
       (made, connection, subject, take, closure))                                                                                    \
  CALL(natsSubscription_SetPendingLimits, (natsSubscription * subscription, int messages, int bytes), (subscription, messages, bytes)) \
  CALL(natsMsg_Create, (natsMsg * *made, const char *subject, const char *reply, const char *data, int length),                       \
       (made, subject, reply, data, length))                                                                                          \
  CALL(natsMsgHeader_Set, (natsMsg * message, const char *name, const char *value), (message, name, value))                           \
  CALL(natsMsgHeader_Get, (natsMsg * message, const char *name, const char **value), (message, name, value))

/// Calls that return something else.
#define CNATS_VALUES(CALL)                                                                                     \
  CALL(const char *, natsMsg_GetSubject, (const natsMsg *message), (message))                                  \
  CALL(const char *, natsMsg_GetData, (const natsMsg *message), (message))                                     \
  CALL(int, natsMsg_GetDataLength, (const natsMsg *message), (message))                                        \
  CALL(const char *, natsStatus_GetText, (natsStatus status), (status))                                        \
  CALL(const char *, nats_GetLastError, (natsStatus * status), (status))

/// Calls that return nothing.
#define CNATS_ENDS(CALL)                                                 \
  CALL(natsOptions_Destroy, (natsOptions * options), (options))          \
  CALL(natsConnection_Destroy, (natsConnection * connection), (connection)) \
  CALL(natsSubscription_Destroy, (natsSubscription * subscription), (subscription)) \
  CALL(natsMsg_Destroy, (natsMsg * message), (message))

/// Where the library's calls are. Their types are those of the header that this was compiled with.
struct cnats {
#define CNATS_POINTER(name, ...) __typeof__(name) *name;
#define CNATS_VALUE_POINTER(type, name, ...) __typeof__(name) *name;
  CNATS_CALLS(CNATS_POINTER) CNATS_ENDS(CNATS_POINTER) CNATS_VALUES(CNATS_VALUE_POINTER)
#undef CNATS_VALUE_POINTER
#undef CNATS_POINTER
};

/// Filled by `cnats_load`, and by nothing else.
extern struct cnats cnats_table;

/// Loads the library and has it begin; once for a process, from whatever thread, and never undone.
/// Returns NULL, or what is wrong, for people.
const char *cnats_load(void);

/// Has OpenSSL know no certificates of its own from here on: the library has it read those that the machine believes, a megabyte of them, into
/// each connection, and would then believe a server that any of those has signed. To be called before `natsOptions_SetSecure`. It is told by
/// the process's environment; nothing else of a process that has the library may want the machine's from OpenSSL.
void cnats_believe_given_only(void);

#define CNATS_CALL(name, parameters, arguments) \
  static inline natsStatus c##name parameters { return cnats_table.name arguments; }
#define CNATS_VALUE(type, name, parameters, arguments) \
  static inline type c##name parameters { return cnats_table.name arguments; }
#define CNATS_END(name, parameters, arguments) \
  static inline void c##name parameters { cnats_table.name arguments; }
CNATS_CALLS(CNATS_CALL)
CNATS_VALUES(CNATS_VALUE)
CNATS_ENDS(CNATS_END)
#undef CNATS_END
#undef CNATS_VALUE
#undef CNATS_CALL
