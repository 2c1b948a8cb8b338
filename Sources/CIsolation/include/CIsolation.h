// System calls of processes that are locked down, for OzuIsolation. Linux; empty elsewhere.
//
// Functions that return int give 0 or a number that they name, and the negative number of an error otherwise.
#ifndef OZU_CISOLATION_H
#define OZU_CISOLATION_H

#ifdef __linux__

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// In descriptors.c

// Two connected sockets of datagrams that keep their order, closed in programs that are started.
int ozu_socket_pair(int sockets[2]);

// A pipe whose ends do not block.
int ozu_pipe(int ends[2]);

// Sends one datagram of two parts, with descriptors. Neither blocks nor raises a signal.
int ozu_send(int socket, const void *head, size_t head_byte_count, const void *body, size_t body_byte_count,
             const int *descriptors, size_t descriptor_count);

// Receives one datagram and the descriptors that came with it, at most `capacity`; others are closed. Returns the number
// of bytes that were sent, which may be more than there was room for; 0 at the end.
int ozu_receive(int socket, void *bytes, size_t byte_count, int *descriptors, size_t capacity,
                size_t *descriptor_count);

// Like ozu_receive, for one who takes no descriptors: those that come are closed by the system.
int ozu_receive_bytes(int socket, void *bytes, size_t byte_count, bool waits);

// After so long a wait for a datagram the error is EAGAIN.
int ozu_set_receive_timeout(int socket, int milliseconds);

// Whether a descriptor is a socket of ordered datagrams.
bool ozu_is_datagram_socket(int descriptor);

// Memory that processes share: empty, never to shrink, and nobody can change that. Returns its descriptor.
int ozu_segment_create(void);

// Makes a segment longer, and gives the memory of its pages back; they read as zero then.
int ozu_segment_resize(int segment, size_t byte_count);
int ozu_segment_discard(int segment, size_t byte_count);

// Gives a descriptor a number of at least `minimum`, closed in programs that are started. Returns the number.
int ozu_descriptor_move(int descriptor, int minimum);

// In processes.c

// Starts a program with a socket as descriptor 3, nothing else open and nothing inherited but what is passed: a session of
// its own, no signal blocked or ignored, standard streams that lead nowhere. Returns the process.
int ozu_spawn(const char *path, char *const arguments[], char *const environment[], int socket);

int ozu_fork(void);

// The process as a descriptor; what it does cannot meet another process of the same number.
int ozu_process_open(int process);
int ozu_process_kill(int process_descriptor);

// A descriptor that can be read when a child has ended. Blocks SIGCHLD.
int ozu_child_signals(void);
void ozu_child_signals_drain(int descriptor);

// Takes the status of a child that has ended; `any` child for -1. Returns the process, 0 when none has ended.
int ozu_reap(int process, int *status);

// Fills memory with random bytes of the system, 256 at most. Returns 0 or the negative number of an error.
int ozu_random(void *bytes, size_t byte_count);

// Threads of this process; 0 when the system does not say.
int ozu_thread_count(void);

// No other process looks into this one; what it starts gets no more rights than it has.
void ozu_guard_process(void);

// In confine.c

// The descriptors of a worker. The zygote has its socket where a worker has its own.
static const int OZU_WORKER_SOCKET = 3;
static const int OZU_WORKER_INPUT = 4;
static const int OZU_WORKER_OUTPUT = 5;

struct ozu_confinement {
  // The process that must be the parent still.
  int parent;
  bool reads_files;
  bool starts_threads;
  // Files and folders that can be read when reads_files is true.
  const char *const *readable_paths;
  size_t readable_path_count;
  // The most memory that this process may ever take from now on.
  uint64_t memory_byte_count;
};

// What came of it: numbers of errors, 0 for what is in force.
struct ozu_confined {
  int limits_error;
  int landlock_error;
  int filter_error;
  int landlock_version;
  // The writable memory that the process had at that time, and the part of all its memory that was in use.
  uint64_t first_data;
  uint64_t first_resident;
  // What it had when it was last measured, and where the system says what it has now; -1 for nowhere.
  uint64_t address_space;
  uint64_t data;
  uint64_t resident;
  int usage_descriptor;
  // When the question came, and how many ended since memory was measured.
  uint64_t start;
  uint32_t unmeasured_count;
  // The processor time that was used when the question came at which the system was asked, and when that was.
  uint64_t used_time;
  uint64_t used_time_start;
};

// In a worker that was just forked: the descriptors 2 to 5 become these, and all others are closed.
int ozu_worker_take_descriptors(int words, int socket, int input, int output);

// Locks this process down for good. Fails only where the parent is gone.
int ozu_confine(const struct ozu_confinement *wish, struct ozu_confined *result);

// When a question has come; before its limits are set.
void ozu_begin_question(struct ozu_confined *confined);

// Sets the limits for one question: memory on top of what the process had when it was measured, some of which malloc keeps
// of earlier questions, and processor time on top of what it used. A limit that is in force already is not set again.
int ozu_limit_memory(const struct ozu_confined *base, uint64_t memory_byte_count, uint64_t shared_byte_count,
                     bool starts_threads);
// Allows for more shared memory while a question is answered.
int ozu_allow_shared(uint64_t byte_count);
int ozu_limit_cpu_time(struct ozu_confined *confined, uint64_t seconds, bool starts_threads);

// After a question: measures what the process has, unless the last few were short, and gives back what malloc and the
// stack keep without need, if that is much.
void ozu_end_question(struct ozu_confined *confined);

// In stack.c

// Calls a function on a stack of 64 MB, or of 16 at least where memory is limited, and says so; otherwise on the stack
// there is. For a process of one thread, once; forks go on on theirs.
void ozu_call_on_deep_stack(void (*function)(void *context, bool is_deep), void *context);

// Gives back the pages of the deep stack that nobody uses now.
void ozu_deep_stack_discard(void);

// In filter.c

// Puts the filter of system calls in force. Returns the number of an error, not negative.
int ozu_filter_system_calls(bool reads_files, bool starts_threads);

#endif
#endif
