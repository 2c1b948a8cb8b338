// Starting, watching and ending processes.

#ifdef __linux__

#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "CIsolation.h"

static int set_up(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes, int socket) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  int code = 0;
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO && code == 0; stream++) {
    code = posix_spawn_file_actions_addopen(actions, stream, "/dev/null", O_RDWR, 0);
  }
  if (code == 0) code = posix_spawn_file_actions_adddup2(actions, socket, OZU_WORKER_SOCKET);
  if (code == 0) code = posix_spawn_file_actions_addclosefrom_np(actions, OZU_WORKER_SOCKET + 1);
  if (code == 0) code = posix_spawnattr_setsigmask(attributes, &none);
  if (code == 0) code = posix_spawnattr_setsigdefault(attributes, &all);
  // A session of its own: keys of the terminal are for the app only, and a signal to a group does not reach both.
  if (code == 0)
    code = posix_spawnattr_setflags(
        attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
  return code;
}

int ozu_spawn(const char *path, char *const arguments[], char *const environment[], int socket) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int code = posix_spawn_file_actions_init(&actions);
  if (code != 0) return -code;
  code = posix_spawnattr_init(&attributes);
  if (code != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return -code;
  }
  pid_t process = 0;
  code = set_up(&actions, &attributes, socket);
  if (code == 0) code = posix_spawn(&process, path, &actions, &attributes, arguments, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return code != 0 ? -code : process;
}

int ozu_fork(void) {
  pid_t process = fork();
  return process < 0 ? -errno : process;
}

int ozu_process_open(int process) {
  int descriptor = (int)syscall(SYS_pidfd_open, process, 0);
  return descriptor < 0 ? -errno : descriptor;
}

int ozu_process_kill(int process_descriptor) {
  return syscall(SYS_pidfd_send_signal, process_descriptor, SIGKILL, NULL, 0) == 0 ? 0 : -errno;
}

bool ozu_process_has_ended(int process) {
  int descriptor = ozu_process_open(process);
  if (descriptor < 0) return descriptor == -ESRCH;
  // It becomes readable with the end of the process.
  struct pollfd source = {.fd = descriptor, .events = POLLIN};
  int count = poll(&source, 1, 0);
  close(descriptor);
  return count > 0;
}

int ozu_child_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  if (sigprocmask(SIG_BLOCK, &set, NULL) != 0) return -errno;
  int descriptor = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  return descriptor < 0 ? -errno : descriptor;
}

void ozu_child_signals_drain(int descriptor) {
  struct signalfd_siginfo signals[8];
  while (read(descriptor, signals, sizeof signals) == (ssize_t)sizeof signals) {
  }
}

int ozu_reap(int process, int *status) {
  pid_t reaped;
  do reaped = waitpid(process, status, WNOHANG);
  while (reaped < 0 && errno == EINTR);
  return reaped < 0 ? -errno : reaped;
}

int ozu_thread_count(int process) {
  char path[32] = "/proc/self/task";
  if (process != 0) snprintf(path, sizeof path, "/proc/%d/task", process);
  struct stat tasks;
  // One link for each thread, beside those of the folder itself.
  return stat(path, &tasks) == 0 && tasks.st_nlink > 2 ? (int)tasks.st_nlink - 2 : 0;
}

void ozu_guard_process(void) {
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  signal(SIGPIPE, SIG_IGN);
}

#endif
