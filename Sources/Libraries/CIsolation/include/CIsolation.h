// System calls for restricted processes, used by OzuIsolation. Linux; empty elsewhere.
//
// Functions that return int return 0 or the number in their comment, and a negative error number if they fail.
#ifndef OZU_CISOLATION_H
#define OZU_CISOLATION_H

#ifdef __linux__

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// In descriptors.c

// Two connected datagram sockets that keep the order; closed in programs that are started.
int ozu_socket_pair(int sockets[2]);

// A pipe whose ends do not block.
int ozu_pipe(int ends[2]);

// Sends one datagram of two parts, with descriptors. It does not block and raises no signal.
int ozu_send(int socket, const void *head, size_t head_byte_count, const void *body, size_t body_byte_count,
             const int *descriptors, size_t descriptor_count);

// Receives one datagram and at most `capacity` descriptors that were sent with it; others are closed. Returns the
// number of bytes that were sent, which may be more than the buffer has; 0 at the end.
int ozu_receive(int socket, void *bytes, size_t byte_count, int *descriptors, size_t capacity,
                size_t *descriptor_count);

// Like ozu_receive, without descriptors: those that were sent are closed by the system.
int ozu_receive_bytes(int socket, void *bytes, size_t byte_count, bool waits);

// Sets how long to wait for a datagram; after that the error is EAGAIN.
int ozu_set_receive_timeout(int socket, int milliseconds);

// Whether a descriptor is a socket for ordered datagrams.
bool ozu_is_datagram_socket(int descriptor);

// Memory that processes share. It is empty and can never shrink; no process can change that. Returns its descriptor.
int ozu_segment_create(void);

// Make a segment longer, and free the memory of its pages, which then read as zero.
int ozu_segment_resize(int segment, size_t byte_count);
int ozu_segment_discard(int segment, size_t byte_count);

// Moves a descriptor to a number of at least `minimum`; closed in programs that are started. Returns the number.
int ozu_descriptor_move(int descriptor, int minimum);

// In questions.c

// From now on a system call that a filter traps is answered by opening the file that it asks about.
int ozu_answer_questions(void);

// In processes.c

// Starts a program with a socket as descriptor 3. Nothing else is open, and nothing is inherited except the
// arguments: it has a session of its own, no blocked or ignored signals, and standard streams that lead to
// /dev/null. Returns the process.
int ozu_spawn(const char *path, char *const arguments[], char *const environment[], int socket);

int ozu_fork(void);

// A descriptor of the process. Unlike its number, it can never refer to another process.
int ozu_process_open(int process);
int ozu_process_kill(int process_descriptor);

// Whether a process has ended, even if its parent has not taken its status. False if the system does not report it.
bool ozu_process_has_ended(int process);

// A descriptor that becomes readable when a child has ended. Blocks SIGCHLD.
int ozu_child_signals(void);
void ozu_child_signals_drain(int descriptor);

// Takes the status of a child that has ended; -1 means any child. Returns the process, or 0 if none has ended.
int ozu_reap(int process, int *status);

// The number of threads of a process, 0 for this one; 0 if the system does not report it.
int ozu_thread_count(int process);

// No other process may inspect this one, and its children get no more rights than it has.
void ozu_guard_process(void);

// In confine.c

// The descriptors of a worker. The zygote has its socket at the same number.
static const int OZU_WORKER_SOCKET = 3;
static const int OZU_WORKER_INPUT = 4;
static const int OZU_WORKER_OUTPUT = 5;
// Only in workers that start threads, until they are restricted.
static const int OZU_WORKER_SUPERVISION = 6;

struct ozu_confinement {
  // The process that must still be the parent.
  int parent;
  bool reads_files;
  bool starts_threads;
  // Files and folders that may be read if reads_files is true.
  const char *const *readable_paths;
  size_t readable_path_count;
  // The most memory that this process may ever take from now on.
  uint64_t memory_byte_count;
};

// The result: error numbers, 0 for restrictions that are active.
struct ozu_confined {
  int limits_error;
  int capabilities_error;
  // Of the root folder of a worker that reads files.
  int root_error;
  int landlock_error;
  int filter_error;
  // Why threads are not counted; 0 also if none may be started.
  int threads_error;
  int landlock_version;
  // The writable memory of the process at that time, and its resident memory.
  uint64_t first_data;
  uint64_t first_resident;
  // The values of the last measurement, and the descriptor from which they are read; -1 for none.
  uint64_t address_space;
  uint64_t data;
  uint64_t resident;
  int usage_descriptor;
  // When the request came, and how many requests ended since memory was measured.
  uint64_t start;
  uint32_t unmeasured_count;
  // The processor time at the last measurement, and when that was.
  uint64_t used_time;
  uint64_t used_time_start;
};

// In a worker that was just forked: makes these its descriptors 2 to 6, and closes all others. The last may be -1.
int ozu_worker_take_descriptors(int library_output, int socket, int input, int output, int supervision);

// Restricts this process permanently. Fails only if the parent has ended. If it may start threads, it sends the
// descriptor by which they are counted to OZU_WORKER_SUPERVISION, and closes that.
int ozu_confine(const struct ozu_confinement *wanted, struct ozu_confined *result);

// Called when a request has come, before its limits are set.
void ozu_begin_request(struct ozu_confined *confined);

// Set the limits for one request: memory in addition to that of the last measurement, of which malloc may keep a
// part from earlier requests, and processor time in addition to the time used. A limit that is already active is
// not set again.
int ozu_limit_memory(const struct ozu_confined *base, uint64_t memory_byte_count, uint64_t shared_byte_count,
                     bool starts_threads);
// Allows more shared memory while a request is answered.
int ozu_allow_shared(uint64_t byte_count);
int ozu_limit_cpu_time(struct ozu_confined *confined, uint64_t seconds, bool starts_threads);

// Called after a request: measures the memory of the process, unless the last few requests were short, and frees
// memory that malloc and the stack keep without need, if it is much.
void ozu_end_request(struct ozu_confined *confined);

// In root.c

// Gives this process a root folder with the readable paths alone, under their names. Returns an error number, not
// negative; then the root folder is the old one.
int ozu_enter_own_root(const struct ozu_confinement *wanted);

// In landlock.c

// Denies all files except those that may be read; from version 4 on TCP, from version 6 on abstract sockets and
// signals to others. Returns an error number, not negative.
int ozu_restrict_files(const struct ozu_confinement *wanted, int *version);

// In stack.c

// Calls a function on a stack of 64 MB, or of at least 16 if memory is limited, and passes whether it did;
// otherwise on the current stack. For a process of one thread, once; forks continue on their own copy.
void ozu_call_on_deep_stack(void (*function)(void *context, bool is_deep), void *context);

// Frees the pages of the deep stack that are not in use.
void ozu_deep_stack_discard(void);

// In filter.c

// Activates the filter of system calls. Returns an error number, not negative.
int ozu_filter_system_calls(bool reads_files, bool starts_threads);

// In supervision.c

// From now on each start of a thread waits for the process that has the descriptor that is sent to `socket`. To be called
// before the limit on descriptors, which also limits how many are on their way. Returns an error number, not negative.
int ozu_count_threads(int socket);

// Decides about a thread that a worker wants to start; called when the descriptor is readable. It is refused if the
// worker has `most` threads. `granted` is the number of threads that it was allowed to start.
void ozu_supervise_thread(int supervisor, int process, int most, uint32_t *granted);

#endif
#endif
