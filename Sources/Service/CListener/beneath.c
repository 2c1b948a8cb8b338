#if defined(__linux__)
#define _GNU_SOURCE
#include "CListener.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(SYS_openat2)
#include <linux/openat2.h>
#endif

static int fail(int code) {
  errno = code;
  return -1;
}

static int close_with(int descriptor, int code) {
  close(descriptor);
  return fail(code);
}

// Finds a file without opening it (`O_PATH`): opening a device or a pipe may have effects.
static int find_at_once(int folder, const char *path) {
#if defined(SYS_openat2)
  struct open_how how = {
      .flags = O_PATH | O_CLOEXEC | O_NOFOLLOW,
      .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS,
  };
  return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
#else
  return fail(ENOSYS);
#endif
}

static int find_step_by_step(int folder, const char *path) {
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
static int open_found(int found) {
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

int ozu_open_beneath(int folder, const char *path) {
  int found = find_at_once(folder, path);
  // A kernel before 5.6, and a container whose filter does not know the call.
  if (found < 0 && (errno == ENOSYS || errno == EPERM)) return ozu_walk_beneath(folder, path);
  return open_found(found);
}

int ozu_walk_beneath(int folder, const char *path) { return open_found(find_step_by_step(folder, path)); }
#endif
