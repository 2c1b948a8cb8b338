// Counts the threads of a worker: the filter of system calls asks the zygote for each.

#ifdef __linux__

#define _GNU_SOURCE

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CIsolation.h"

#if defined(SECCOMP_IOCTL_NOTIF_RECV)

#ifndef SECCOMP_USER_NOTIF_FLAG_CONTINUE
#define SECCOMP_USER_NOTIF_FLAG_CONTINUE 1
#endif

// How many threads a worker may start in its life where the system does not say how many it has.
enum { most_granted = 1024 };

int ozu_count_threads(int socket) {
  // Without a look at the architecture, whose other calls the filter for all calls refuses. clone3 never comes this far.
  struct sock_filter instructions[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {sizeof instructions / sizeof instructions[0], instructions};
  int supervisor =
      (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);
  if (supervisor < 0) return errno;
  int code = -ozu_send(socket, "", 1, NULL, 0, &supervisor, 1);
  close(supervisor);
  return code;
}

void ozu_supervise_thread(int supervisor, int process, int most, uint32_t *granted) {
  // A newer kernel may write more than its header says here.
  union {
    struct seccomp_notif notification;
    char bytes[512];
  } call;
  union {
    struct seccomp_notif_resp response;
    char bytes[512];
  } answer;
  memset(&call, 0, sizeof call);
  memset(&answer, 0, sizeof answer);
  // The worker may have been killed since it asked.
  if (ioctl(supervisor, SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) return;
  int count = ozu_thread_count(process);
  bool is_allowed = count > 0 ? count < most : *granted < most_granted;
  answer.response.id = call.notification.id;
  if (is_allowed) {
    // The filter has checked the arguments, which are in registers: no other thread can change them.
    answer.response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    *granted += 1;
  } else {
    answer.response.error = -EAGAIN;
  }
  ioctl(supervisor, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

#else

int ozu_count_threads(int socket) {
  (void)socket;
  return ENOSYS;
}

void ozu_supervise_thread(int supervisor, int process, int most, uint32_t *granted) {
  (void)supervisor, (void)process, (void)most, (void)granted;
}

#endif
#endif
