// The stores that the benchmark `disk-cache` compares with when they are built with the trait StorePeers. Nothing else of
// Ozu uses them.
#ifndef OZU_CBENCHPEERS_H
#define OZU_CBENCHPEERS_H

#include <lmdb.h>
#include <sqlite3.h>

#endif
