// The system calls of a server's I/O loop that Swift cannot make: epoll(7) and accept4(2). Each returns what the call
// does; -1 with errno where it fails. Empty outside Linux.
#ifndef CLISTENER_H
#define CLISTENER_H

#include <stdint.h>

#if defined(__linux__)

// A socket that became ready.
typedef struct {
  // Given when it was added.
  uint64_t number;
  // There is something to read, or the other side has ended.
  int isReadable;
  int isWritable;
  // The other side sends no more, or the connection is broken.
  int isHungUp;
} ozu_listener_event;

int ozu_listener_epoll(void);

// Sets what is waited for. A hang-up is told in any case.
int ozu_listener_watch(int epoll, int descriptor, uint64_t number, int isNew, int forReading, int forWriting);

// Waits no longer for a socket. Closing it would do, unless another process has the same one.
int ozu_listener_forget(int epoll, int descriptor);

// Waits until something is ready; 0 after `milliseconds`, or when a signal came. -1 milliseconds for no limit.
int ozu_listener_wait(int epoll, ozu_listener_event *events, int capacity, int milliseconds);

// The next connection: closed on exec, and never waiting.
int ozu_listener_accept(int listener);

#endif
#endif
