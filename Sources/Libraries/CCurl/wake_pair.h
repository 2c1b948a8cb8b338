// The sockets that libcurl opens and does not keep to itself. Not visible to Swift.

#ifndef OZU_WAKE_PAIR_H
#define OZU_WAKE_PAIR_H

#ifdef __linux__
#include <curl/curl.h>

/// A handle of curl_multi_init whose wake pair is not inherited by the programs that the process starts; NULL without memory.
CURLM *ozu_multi_with_own_wake_pair(void);
#endif

#endif
