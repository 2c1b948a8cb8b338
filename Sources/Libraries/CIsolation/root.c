// Gives a worker that reads files a root folder of its own, which has these files and nothing else.
//
// Landlock denies the content of all other files, but a worker that was taken over could see by the error of opening a name
// whether the file exists. In the root folder here, all names outside the readable paths are missing alike. The system may
// not allow it: a process needs the rights of an administrator, or a user namespace in which it has them.

#ifdef __linux__

#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "CIsolation.h"

// No readable path is in it, and every system has it.
static const char mount_point[] = "/proc";

static int write_text(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return errno;
  ssize_t length = (ssize_t)strlen(text), count = write(file, text, (size_t)length);
  int code = count == length ? 0 : count < 0 ? errno : EIO;
  close(file);
  return code;
}

// A namespace of mounts; without the right to make one, in a user namespace with the same user and group.
static int leave_mounts(void) {
  if (unshare(CLONE_NEWNS) == 0) return 0;
  unsigned user = geteuid(), group = getegid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return errno;
  char users[64], groups[64];
  snprintf(users, sizeof users, "%u %u 1", user, user);
  snprintf(groups, sizeof groups, "%u %u 1", group, group);
  // The files belong to an administrator unless the process may be inspected.
  int inspectable = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
  prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  int code = write_text("/proc/self/setgroups", "deny");
  if (code == 0) code = write_text("/proc/self/uid_map", users);
  if (code == 0) code = write_text("/proc/self/gid_map", groups);
  prctl(PR_SET_DUMPABLE, inspectable == 1, 0, 0, 0);
  return code;
}

// Makes the folders that lead to a path.
static int make_parents(char *path) {
  for (char *slash = path + sizeof mount_point; (slash = strchr(slash, '/')) != NULL; slash++) {
    *slash = 0;
    int code = mkdir(path, 0755) == 0 || errno == EEXIST ? 0 : errno;
    *slash = '/';
    if (code != 0) return code;
  }
  return 0;
}

// Makes a file or folder visible under the same name. One that is missing is left out.
static int show(const char *path) {
  struct stat source, target;
  char name[PATH_MAX];
  if (stat(path, &source) != 0) return 0;
  int length = snprintf(name, sizeof name, "%s%s", mount_point, path);
  if (length < 0 || (size_t)length >= sizeof name) return ENAMETOOLONG;
  if (stat(name, &target) != 0) {
    int code = make_parents(name);
    if (code != 0) return code;
    if (S_ISDIR(source.st_mode)) {
      if (mkdir(name, 0755) != 0) return errno;
    } else {
      int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
      if (file < 0) return errno;
      close(file);
    }
  } else if (source.st_dev == target.st_dev && source.st_ino == target.st_ino) {
    // In a folder that is visible already.
    return 0;
  }
  return mount(path, name, NULL, MS_BIND | MS_REC, NULL) == 0 ? 0 : errno;
}

// Nothing is made outside the new root folder: no path leads upwards.
static bool is_plain(const char *path) { return path[0] == '/' && path[1] != 0 && strstr(path, "/..") == NULL; }

int ozu_enter_own_root(const struct ozu_confinement *wanted) {
  for (size_t i = 0; i < wanted->readable_path_count; i++) {
    if (!is_plain(wanted->readable_paths[i])) return EINVAL;
  }
  int code = leave_mounts();
  if (code != 0) return code;
  // Otherwise the mounts would appear in the namespace of all others too.
  if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return errno;
  if (mount("none", mount_point, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=256k,mode=755") != 0) return errno;
  for (size_t i = 0; i < wanted->readable_path_count; i++) {
    char real[PATH_MAX];
    const char *path = wanted->readable_paths[i];
    // Links in other folders lead to the real name.
    if (realpath(path, real) == NULL) continue;
    code = show(real);
    if (code == 0 && strcmp(real, path) != 0) code = show(path);
    if (code != 0) return code;
  }
  return chdir(mount_point) == 0 && chroot(".") == 0 && chdir("/") == 0 ? 0 : errno;
}

#endif
