#ifndef OZU_PROCESS_H
#define OZU_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/// Limits this process for good, before it reads the file of a stranger: it ends with the thread that started it, takes
/// no more than so much processor time and memory from now on, opens few files, writes none, leaves no core dump and
/// gains no rights.
///
/// Processor time that is used up ends the process by SIGXCPU; memory that is used up is an allocation that fails.
///
/// Returns whether every limit is in force; without, the process must not go on. False too when `parent` is not the
/// parent any more.
bool ozu_process_confine(int parent, uint64_t cpu_seconds, uint64_t memory_byte_count);

#endif
