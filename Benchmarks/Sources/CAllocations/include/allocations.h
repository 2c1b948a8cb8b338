// How often memory is allocated, for the benchmarks.
#ifndef OZU_ALLOCATIONS_H
#define OZU_ALLOCATIONS_H

// Counts from zero, on all threads.
void ozu_allocations_begin(void);

// Stops counting. Returns how many allocations there were; -1 where they cannot be counted.
long ozu_allocations_end(void);

#endif
