// Keeps libcurl's wake pair out of the programs that an app starts.
//
// Every handle of curl_multi_init has two connected sockets, by which curl_multi_wakeup ends a wait. libcurl 7.88, for one, makes
// them without FD_CLOEXEC, and no function names them; so each program that the process starts would inherit them. They
// are found by what they do: after three wakes one unnamed Unix socket of the process holds three bytes, and its other end has
// bytes on their way; a wait takes them, and both are empty again. Nothing is changed unless exactly one pair did so.
// Between its making and this, for some microseconds, another thread can still start a program that inherits the pair.

#ifdef __linux__

#include "wake_pair.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "curl_library.h"

enum { wakes = 3, most_candidates = 256 };

typedef struct {
  int descriptor;
  // Whether it did what this end of the pair does.
  bool reads, writes;
} Candidate;

static bool is_inherited_pair_end(int descriptor) {
  int flags = fcntl(descriptor, F_GETFD);
  if (flags < 0 || (flags & FD_CLOEXEC) != 0) return false;
  struct sockaddr_un name;
  socklen_t length = sizeof name;
  // A name would be longer than the family.
  return getsockname(descriptor, (struct sockaddr *)&name, &length) == 0 && name.sun_family == AF_UNIX &&
         length == sizeof(sa_family_t);
}

// The bytes that the socket can read, and those that its other end has not read yet; -1 if there is no telling.
static int readable(int descriptor) {
  int count;
  return ioctl(descriptor, FIONREAD, &count) == 0 ? count : -1;
}

static int unread(int descriptor) {
  int count;
  return ioctl(descriptor, SIOCOUTQ, &count) == 0 ? count : -1;
}

static size_t find_candidates(Candidate *candidates) {
  DIR *folder = opendir("/proc/self/fd");
  if (folder == NULL) return 0;
  size_t count = 0;
  struct dirent *entry;
  while (count < most_candidates && (entry = readdir(folder)) != NULL) {
    int descriptor = atoi(entry->d_name);
    if (entry->d_name[0] == '.' || descriptor == dirfd(folder) || !is_inherited_pair_end(descriptor)) continue;
    if (readable(descriptor) != 0 || unread(descriptor) != 0) continue;
    candidates[count++] = (Candidate){.descriptor = descriptor};
  }
  closedir(folder);
  return count;
}

static void close_on_exec(CURLM *multi) {
  Candidate candidates[most_candidates];
  size_t count = find_candidates(candidates);
  if (count == 0) return;
  for (int wake = 0; wake < wakes; wake++) curl.curl_multi_wakeup(multi);
  for (size_t i = 0; i < count; i++) {
    int descriptor = candidates[i].descriptor;
    candidates[i].reads = readable(descriptor) == wakes && unread(descriptor) == 0;
    candidates[i].writes = readable(descriptor) == 0 && unread(descriptor) > 0;
  }
  int ready;
  curl.curl_multi_poll(multi, NULL, 0, 0, &ready);
  int reader = -1, writer = -1, readers = 0, writers = 0;
  for (size_t i = 0; i < count; i++) {
    int descriptor = candidates[i].descriptor;
    if (readable(descriptor) != 0 || unread(descriptor) != 0) continue;
    if (candidates[i].reads) reader = descriptor, readers++;
    if (candidates[i].writes) writer = descriptor, writers++;
  }
  if (readers != 1 || writers != 1) return;
  fcntl(reader, F_SETFD, FD_CLOEXEC);
  fcntl(writer, F_SETFD, FD_CLOEXEC);
}

CURLM *ozu_multi_with_own_wake_pair(void) {
  // Two pairs that are looked for at the same time would be taken for each other.
  static pthread_mutex_t looking = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&looking);
  CURLM *multi = curl.curl_multi_init();
  if (multi != NULL) close_on_exec(multi);
  pthread_mutex_unlock(&looking);
  return multi;
}

#endif
