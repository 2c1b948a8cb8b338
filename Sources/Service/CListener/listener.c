#if defined(__linux__)
#define _GNU_SOURCE
#include "CListener.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>

int ozu_listener_epoll(void) { return epoll_create1(EPOLL_CLOEXEC); }

int ozu_listener_watch(int epoll, int descriptor, uint64_t number, int isNew, int forReading, int forWriting) {
  struct epoll_event event = {.data.u64 = number};
  // Input is reported only if `forReading` is set: a client that has sent too much must not keep the loop awake. Nor must one that
  // sends no more and takes its answer slowly: the end of its side would be reported again and again until it has taken all.
  event.events = forWriting ? EPOLLOUT : EPOLLRDHUP;
  if (forReading) event.events |= EPOLLIN;
  return epoll_ctl(epoll, isNew ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, &event);
}

int ozu_listener_forget(int epoll, int descriptor) { return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, 0); }

int ozu_listener_wait(int epoll, ozu_listener_event *events, int capacity, int milliseconds) {
  struct epoll_event ready[64];
  int count = epoll_wait(epoll, ready, capacity < 64 ? capacity : 64, milliseconds);
  if (count < 0) return errno == EINTR ? 0 : -1;
  for (int i = 0; i < count; i++) {
    events[i].number = ready[i].data.u64;
    events[i].isHungUp = (ready[i].events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
  }
  return count;
}

int ozu_listener_accept(int listener) {
  for (;;) {
    int accepted = accept4(listener, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (accepted >= 0 || (errno != EINTR && errno != ECONNABORTED)) return accepted;
  }
}

#endif
