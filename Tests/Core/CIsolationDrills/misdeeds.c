// Misdeeds of a decoder that was taken over: forbidden system calls and messages.

#ifdef __linux__

#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "CIsolationDrills.h"
#include "misdeeds.h"

static int outcome(long result) {
  return result < 0 ? errno : 0;
}

static int map_code(void) {
  void *bytes = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return bytes == MAP_FAILED ? errno : 0;
}

static int make_code(void) {
  void *bytes = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (bytes == MAP_FAILED) return ENOMEM;
  return outcome(mprotect(bytes, 4096, PROT_READ | PROT_EXEC));
}

static int read_passwords(void) { return outcome(open("/etc/passwd", O_RDONLY)); }
static int read_font(void) { return outcome(open("/etc/fonts/fonts.conf", O_RDONLY)); }
static int look_at_passwords(void) { return outcome(access("/etc/passwd", R_OK)); }
static int measure_passwords(void) {
  struct stat status;
  return outcome(stat("/etc/passwd", &status));
}
static int measure_link(void) {
  struct stat status;
  return outcome(lstat("/proc/self/exe", &status));
}
static int measure_at(void) {
  struct stat status;
  return outcome(fstatat(AT_FDCWD, "/etc/passwd", &status, 0));
}
static int measure_with_empty(void) {
  struct stat status;
  return outcome(fstatat(AT_FDCWD, "/etc/passwd", &status, AT_EMPTY_PATH));
}
// All that a library asks of a font.
static int measure_font(void) {
  struct stat by_name, by_descriptor;
  if (stat("/etc/fonts/fonts.conf", &by_name) != 0 || access("/etc/fonts/fonts.conf", R_OK) != 0) return errno;
  int font = open("/etc/fonts/fonts.conf", O_RDONLY);
  if (font < 0 || fstat(font, &by_descriptor) != 0) return errno;
  close(font);
  return by_name.st_size > 0 && by_name.st_size == by_descriptor.st_size && by_name.st_ino == by_descriptor.st_ino ? 0 : EIO;
}
static int name_passwords(void) { return outcome(open("/etc/passwd", O_PATH)); }
static int follow_link(void) {
  char target[256];
  return outcome(readlink("/proc/self/exe", target, sizeof target));
}
static int write_file(void) {
  int code = outcome(open("/tmp/ozu-misdeed", O_WRONLY | O_CREAT, 0600));
  if (code == 0) unlink("/tmp/ozu-misdeed");
  return code;
}
static int make_folder(void) {
  int code = outcome(mkdir("/tmp/ozu-misdeed-folder", 0700));
  if (code == 0) rmdir("/tmp/ozu-misdeed-folder");
  return code;
}
static int make_memory(void) { return outcome(memfd_create("more", 0)); }
static int make_socket(void) { return outcome(socket(AF_INET, SOCK_STREAM, 0)); }

static int connect_socket(void) {
  struct sockaddr_un address = {AF_UNIX, "/run/dbus/system_bus_socket"};
  return outcome(connect(3, (struct sockaddr *)&address, sizeof address));
}

static int fork_process(void) {
  pid_t process = fork();
  if (process == 0) _exit(0);
  if (process > 0) waitpid(process, NULL, 0);
  return outcome(process);
}

static void *nothing(void *argument) { return argument; }

static int start_thread(void) {
  pthread_t thread;
  int code = pthread_create(&thread, NULL, nothing, NULL);
  return code != 0 ? code : pthread_join(thread, NULL);
}

// Threads that only wait, as many as the worker gets, up to 1000. The result is a number over those of errors.
static void *wait_for_ever(void *argument) {
  ozu_hang();
  return argument;
}

static int start_threads(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 << 10);
  int count = 0;
  pthread_t thread;
  while (count < 1000 && pthread_create(&thread, &attributes, wait_for_ever, NULL) == 0) count++;
  return 1000 + count;
}

static int start_threads_in_turn(void) {
  for (int i = 0; i < 200; i++) {
    int code = start_thread();
    if (code != 0) return code;
  }
  return 0;
}

static int end_at_once(void *argument) { return argument != NULL; }

// A thread in another namespace, which the system allows to an administrator.
static int make_namespace(void) {
  static char stack[64 << 10] __attribute__((aligned(16)));
  return outcome(clone(
      end_at_once, stack + sizeof stack, CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_NEWUTS, NULL));
}

static int execute(void) {
  char *const arguments[] = {"/bin/true", NULL};
  return outcome(execve(arguments[0], arguments, arguments + 1));
}

static int trace_parent(void) { return outcome(ptrace(PTRACE_ATTACH, getppid(), NULL, NULL)); }
static int signal_parent(void) { return outcome(kill(getppid(), SIGTERM)); }
static int signal_group(void) { return outcome(kill(0, SIGTERM)); }
static int signal_all(void) { return outcome(kill(-1, 0)); }
static int signal_thread(void) { return outcome(syscall(SYS_tgkill, getppid(), getppid(), SIGTERM)); }
static int signal_later(void) { return outcome(fcntl(3, F_SETOWN, getppid())); }

static int limit_parent(void) {
  struct rlimit limit = {1, 1};
  return outcome(prlimit(getppid(), RLIMIT_NOFILE, &limit, NULL));
}

static int raise_limit(void) {
  struct rlimit limit = {16, 1024};
  return outcome(setrlimit(RLIMIT_NOFILE, &limit));
}

static int use_ring(void) { return outcome(syscall(SYS_io_uring_setup, 1, NULL)); }
static int use_old_numbers(void) {
#ifdef __x86_64__
  return outcome(syscall(0x40000000 + SYS_getpid));
#else
  return outcome(kill(0, SIGTERM));
#endif
}

static int shrink_input(void) { return outcome(ftruncate(4, 0)); }
static int shrink_output(void) { return outcome(ftruncate(5, 0)); }
static int grow_output(void) { return outcome(ftruncate(5, (off_t)8 << 30)); }

static int fill_output(void) {
  char bytes[4096] = {0};
  lseek(5, 0, SEEK_END);
  return outcome(write(5, bytes, sizeof bytes));
}

static int seal_output(void) { return outcome(fcntl(5, F_ADD_SEALS, F_SEAL_GROW)); }

static int say(const void *bytes, size_t count) { return outcome(send(3, bytes, count, MSG_NOSIGNAL)); }
static int say_nonsense(void) {
  say("nonsense", 8);
  return ozu_hang();
}
static int say_too_much(void) {
  static char bytes[128 << 10];
  say(bytes, sizeof bytes);
  return ozu_hang();
}
static int say_nothing(void) {
  say("", 0);
  return ozu_hang();
}
static int flood(void) {
  while (true) send(3, "flood", 5, MSG_NOSIGNAL);
}
static int say_good_bye(void) {
  close(3);
  return ozu_hang();
}

static int print(void) {
  char line[1024];
  memset(line, 'x', sizeof line);
  for (int i = 0; i < 4096; i++) (void)!write(STDERR_FILENO, line, sizeof line);
  return 0;
}

static const struct misdeed call_misdeeds[] = {
    {"map-code", map_code},
    {"make-code", make_code},
    {"read-passwords", read_passwords},
    {"read-font", read_font},
    {"look-at-passwords", look_at_passwords}, {"measure-passwords", measure_passwords}, {"measure-link", measure_link},
    {"measure-at", measure_at}, {"measure-with-empty", measure_with_empty}, {"measure-font", measure_font},
    {"name-passwords", name_passwords},
    {"follow-link", follow_link},
    {"write-file", write_file},
    {"make-folder", make_folder},
    {"make-memory", make_memory},
    {"socket", make_socket},
    {"connect", connect_socket},
    {"fork", fork_process},
    {"thread", start_thread},
    {"threads", start_threads},
    {"threads-in-turn", start_threads_in_turn},
    {"namespace", make_namespace},
    {"execute", execute},
    {"trace-parent", trace_parent},
    {"signal-parent", signal_parent},
    {"signal-group", signal_group},
    {"signal-all", signal_all},
    {"signal-thread", signal_thread},
    {"signal-later", signal_later},
    {"limit-parent", limit_parent},
    {"raise-limit", raise_limit},
    {"ring", use_ring},
    {"x32", use_old_numbers},
    {"shrink-input", shrink_input},
    {"shrink-output", shrink_output},
    {"grow-output", grow_output},
    {"fill-output", fill_output},
    {"seal-output", seal_output},
    {"say-nonsense", say_nonsense},
    {"say-too-much", say_too_much},
    {"say-nothing", say_nothing},
    {"flood", flood},
    {"good-bye", say_good_bye},
    {"print", print},
    {NULL, NULL},
};

static const struct misdeed *find(const struct misdeed *misdeed, const char *name) {
  for (; misdeed->name != NULL; misdeed++)
    if (strcmp(misdeed->name, name) == 0) return misdeed;
  return NULL;
}

int ozu_misdeed(const char *name) {
  const struct misdeed *misdeed = find(call_misdeeds, name);
  if (misdeed == NULL) misdeed = find(ozu_resource_misdeeds, name);
  return misdeed == NULL ? -1 : misdeed->act();
}

bool ozu_system_confines(void) {
  uint32_t action = SECCOMP_RET_KILL_PROCESS;
  bool filters = syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
#ifdef SYS_landlock_create_ruleset
  return filters && syscall(SYS_landlock_create_ruleset, NULL, 0, 1) > 0;
#else
  (void)filters;
  return false;
#endif
}

#endif
