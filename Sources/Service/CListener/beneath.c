#if defined(__linux__)
#define _GNU_SOURCE
#include "CListener.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(int code) {
  errno = code;
  return -1;
}

static int close_with(int descriptor, int code) {
  close(descriptor);
  return fail(code);
}

// Finds a file without opening it (`O_PATH`): opening a device or a pipe may have effects. One folder after the other, as not every
// kernel and container has openat2(2).
static int find(int folder, const char *path) {
  int current = folder;
  for (;;) {
    size_t length = strcspn(path, "/");
    int isLast = path[length] == 0;
    char name[256];
    if (length == 0 || length >= sizeof name) {
      if (current != folder) close(current);
      return fail(length == 0 ? ENOENT : ENAMETOOLONG);
    }
    memcpy(name, path, length);
    name[length] = 0;
    int isParent = strcmp(name, "..") == 0;
    // A symbolic link is opened itself: as no directory on the way, and refused at the end by its kind.
    int next = isParent ? fail(EXDEV) : openat(current, name, O_PATH | O_CLOEXEC | O_NOFOLLOW | (isLast ? 0 : O_DIRECTORY));
    int code = errno;
    if (current != folder) close(current);
    if (next < 0) return fail(code);
    if (isLast) return next;
    current = next;
    path += length + 1;
  }
}

// Opens the file that was found, and no other one that has its name by now.
int ozu_open_beneath(int folder, const char *path) {
  int found = find(folder, path);
  if (found < 0) return -1;
  struct stat status;
  if (fstat(found, &status) != 0) return close_with(found, errno);
  if (S_ISLNK(status.st_mode)) return close_with(found, ELOOP);
  if (S_ISDIR(status.st_mode)) return close_with(found, EISDIR);
  if (!S_ISREG(status.st_mode)) return close_with(found, ENXIO);
  char name[32];
  snprintf(name, sizeof name, "/proc/self/fd/%d", found);
  int opened = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  // Without /proc nothing is readable; a missing file has been found missing before.
  int code = opened < 0 && errno == ENOENT ? EIO : errno;
  close(found);
  return opened < 0 ? fail(code) : opened;
}
#endif
