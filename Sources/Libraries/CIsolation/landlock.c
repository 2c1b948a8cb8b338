// Denies a worker all files except those that it may read (Landlock).

#ifdef __linux__

#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CIsolation.h"

// From linux/landlock.h, whose version may be older than the kernel: the rights that a rule set handles, and a rule
// for a path.
struct landlock_attributes {
  uint64_t files;
  uint64_t network;
  uint64_t scopes;
};
struct landlock_path {
  uint64_t allowed;
  int32_t parent;
} __attribute__((packed));
enum { landlock_version_flag = 1, landlock_rule_path = 1, landlock_read_file = 1 << 2, landlock_read_folder = 1 << 3 };

static void allow_reading(int rules, const char *path) {
  int place = open(path, O_PATH | O_CLOEXEC);
  if (place < 0) return;
  struct stat status;
  if (fstat(place, &status) == 0) {
    struct landlock_path rule = {landlock_read_file, place};
    if (S_ISDIR(status.st_mode)) rule.allowed |= landlock_read_folder;
    syscall(SYS_landlock_add_rule, rules, landlock_rule_path, &rule, 0);
  }
  close(place);
}

int ozu_restrict_files(const struct ozu_confinement *wanted, int *version) {
#ifdef SYS_landlock_create_ruleset
  int known = (int)syscall(SYS_landlock_create_ruleset, NULL, 0, landlock_version_flag);
  if (known < 0) return errno;
  struct landlock_attributes attributes = {(1 << 13) - 1, 0, 0};
  if (known >= 2) attributes.files |= 1 << 13;  // renaming into another folder
  if (known >= 3) attributes.files |= 1 << 14;  // truncating
  if (known >= 4) attributes.network = 3;       // binding and connecting TCP
  if (known >= 5) attributes.files |= 1 << 15;  // ioctl of devices
  if (known >= 6) attributes.scopes = 3;        // abstract sockets and signals
  // An older kernel accepts a longer struct if the fields that it does not know are zero.
  int rules = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
  if (rules < 0) return errno;
  if (wanted->reads_files) {
    for (size_t i = 0; i < wanted->readable_path_count; i++) allow_reading(rules, wanted->readable_paths[i]);
  }
  int code = syscall(SYS_landlock_restrict_self, rules, 0) == 0 ? 0 : errno;
  close(rules);
  if (code == 0) *version = known;
  return code;
#else
  (void)wanted, (void)version, (void)allow_reading;
  return ENOSYS;
#endif
}

#endif
