// What the parts of the agent have of each other.
#ifndef AGENT_H
#define AGENT_H

#include <stddef.h>
#include <sys/types.h>

#define DONE 0
// What a request ends with that went wrong in the agent itself, and one that was given up.
#define WENT_WRONG 125
#define GIVEN_UP 124

struct request {
  unsigned long id;
  char verb[12], words[500];  // what follows the length in its line
  char *body;                 // ends with a 0 that does not count
  size_t length;
};

// port.c: may be called by every thread.
void open_port(void);
int port_descriptor(void);
int next_request(struct request *request);  // 0 if there is no whole one yet
void tell_part(unsigned long id, const void *data, size_t length);
void tell_end(unsigned long id, int status, const void *data, size_t length);
void tell_error(unsigned long id, const char *what);  // with the reason in errno
void write_all(int fd, const void *data, size_t length);
void die(const char *what);

// The main thread waits for these, and calls back.
void watch_descriptor(int fd, void (*ready)(void *), void *context);
void forget_descriptor(int fd);

// process.c
void run(struct request *request);
void spawn(struct request *request);
void send_signal(struct request *request);
int kill_process(unsigned long id);
void tell_pids(struct request *request);

// files.c
void get(struct request *request);
void put(struct request *request);
void change_files(struct request *request);
void tell_time(struct request *request);
void set_time(struct request *request);

// follow.c
void start_following(void);
void follow(struct request *request);
void watch_lamps(struct request *request);
void synchronize(struct request *request);
int stop_following(unsigned long id);
int follow_timeout(void);  // in milliseconds: when look_again() is due; -1 for never
void look_again(void);

// journal.c
void follow_journal(struct request *request);
void synchronize_journal(struct request *request);
int is_following_journal(void);
void look_at_journal(void);

// Each of these has a thread of its own, and frees its request.
void await(struct request *request);  // await.c
int stop_waiting(unsigned long id);
void type_keys(struct request *request);  // typing.c
void type_bytes(struct request *request);
void call_bus(struct request *request);  // bus.c
void grab(struct request *request);      // await.c
void pass_time(struct request *request);

long long now_ns(void);
void pause_ms(long ms);

#endif
