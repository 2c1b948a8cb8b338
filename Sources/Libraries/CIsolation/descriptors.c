// Sockets, shared memory and the descriptors that processes send to each other.

#ifdef __linux__

#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "CIsolation.h"

enum { most_descriptors = 8 };

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

int ozu_socket_pair(int sockets[2]) {
  return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) == 0 ? 0 : -errno;
}

int ozu_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0 ? 0 : -errno; }

int ozu_send(int socket, const void *head, size_t head_byte_count, const void *body, size_t body_byte_count,
             const int *descriptors, size_t descriptor_count) {
  if (descriptor_count > most_descriptors) return -EINVAL;
  struct iovec parts[2] = {{(void *)head, head_byte_count}, {(void *)body, body_byte_count}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = body_byte_count > 0 ? 2 : 1};
  union {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(most_descriptors * sizeof(int))];
  } control;
  if (descriptor_count > 0) {
    memset(&control, 0, sizeof control);
    message.msg_control = control.bytes;
    message.msg_controllen = CMSG_SPACE(descriptor_count * sizeof(int));
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(descriptor_count * sizeof(int));
    memcpy(CMSG_DATA(rights), descriptors, descriptor_count * sizeof(int));
  }
  ssize_t count;
  do count = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  while (count < 0 && errno == EINTR);
  return count < 0 ? -errno : 0;
}

int ozu_receive(int socket, void *bytes, size_t byte_count, int *descriptors, size_t capacity,
                size_t *descriptor_count) {
  struct iovec part = {bytes, byte_count};
  union {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(most_descriptors * sizeof(int))];
  } control;
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  *descriptor_count = 0;
  ssize_t count;
  do count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_TRUNC);
  while (count < 0 && errno == EINTR);
  if (count < 0) return -errno;
  for (struct cmsghdr *rights = CMSG_FIRSTHDR(&message); rights != NULL; rights = CMSG_NXTHDR(&message, rights)) {
    if (rights->cmsg_level != SOL_SOCKET || rights->cmsg_type != SCM_RIGHTS) continue;
    size_t received = (rights->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < received; i++) {
      int descriptor;
      memcpy(&descriptor, CMSG_DATA(rights) + i * sizeof(int), sizeof(int));
      if (*descriptor_count < capacity)
        descriptors[(*descriptor_count)++] = descriptor;
      else
        close(descriptor);
    }
  }
  return count > INT_MAX ? INT_MAX : (int)count;
}

int ozu_receive_bytes(int socket, void *bytes, size_t byte_count, bool waits) {
  // Without room for control messages, the system closes descriptors that are sent along.
  ssize_t count = recv(socket, bytes, byte_count, MSG_TRUNC | (waits ? 0 : MSG_DONTWAIT));
  if (count < 0) return -errno;
  return count > INT_MAX ? INT_MAX : (int)count;
}

int ozu_set_receive_timeout(int socket, int milliseconds) {
  struct timeval time = {milliseconds / 1000, milliseconds % 1000 * 1000};
  return setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time) == 0 ? 0 : -errno;
}

bool ozu_is_datagram_socket(int descriptor) {
  int type = 0;
  socklen_t size = sizeof type;
  return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET;
}

int ozu_segment_create(void) {
  // Some systems require that memory is marked as not executable; older ones do not support the mark.
  int segment = memfd_create("ozu", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
  if (segment < 0 && errno == EINVAL) segment = memfd_create("ozu", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (segment < 0) return -errno;
  // Without the first seal, a worker could remove pages that this process has mapped: accessing them is a SIGBUS.
  // The second seal prevents the worker from adding others, such as one against growing.
  if (fcntl(segment, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
    int code = errno;
    close(segment);
    return -code;
  }
  return segment;
}

int ozu_segment_resize(int segment, size_t byte_count) {
  return ftruncate(segment, (off_t)byte_count) == 0 ? 0 : -errno;
}

int ozu_segment_discard(int segment, size_t byte_count) {
  return fallocate(segment, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)byte_count) == 0 ? 0 : -errno;
}

int ozu_descriptor_move(int descriptor, int minimum) {
  int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, minimum);
  return moved < 0 ? -errno : moved;
}

#endif
