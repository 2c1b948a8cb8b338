// The stores that the benchmark `disk-cache` compares with when OZU_BENCHMARKS is `peers`. Nothing else of
// Ozu uses them.
#ifndef OZU_CBENCHPEERS_H
#define OZU_CBENCHPEERS_H

#include <lmdb.h>
#include <sqlite3.h>

#endif
