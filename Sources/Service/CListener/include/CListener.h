// The system calls of a server that Swift cannot make: epoll(7), accept4(2) and openat(2) without opening. Each returns the result
// of the call; -1 with errno if it fails. Empty outside Linux.
#ifndef CLISTENER_H
#define CLISTENER_H

#include <stdint.h>

#if defined(__linux__)

// A socket that became ready.
typedef struct {
  // The number given to `ozu_listener_watch`.
  uint64_t number;
  // The other side sends no more, or the connection is broken.
  int isHungUp;
} ozu_listener_event;

int ozu_listener_epoll(void);

// Sets the events to wait for. A broken connection is always reported; that the other side sends no more is, except while waiting
// to write.
int ozu_listener_watch(int epoll, int descriptor, uint64_t number, int isNew, int forReading, int forWriting);

// Stops waiting for a socket. Closing the socket would have the same effect, unless another process has it too.
int ozu_listener_forget(int epoll, int descriptor);

// Waits for events; returns 0 after `milliseconds` or after a signal. -1 milliseconds means no limit.
int ozu_listener_wait(int epoll, ozu_listener_event *events, int capacity, int milliseconds);

// Accepts the next connection as a non-blocking socket that is closed on exec.
int ozu_listener_accept(int listener);

// Opens a regular file beneath a folder for reading. Neither the file nor a folder on the way may be a symbolic link, and
// `..` may not lead out: there is no moment between the check and the opening. A device, a pipe or a socket is not opened.
// Errors: ENOENT, ELOOP or ENOTDIR for a link, EXDEV for a path that leads out, EISDIR, ENXIO for what is no file.
int ozu_open_beneath(int folder, const char *path);

#endif
#endif
