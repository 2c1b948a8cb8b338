// The stores that `ozu bench disk-cache` compares with when it is built with the trait BenchPeers. Nothing else of
// Ozu uses them.
#ifndef OZU_CBENCHPEERS_H
#define OZU_CBENCHPEERS_H

#include <lmdb.h>
#include <sqlite3.h>

#endif
