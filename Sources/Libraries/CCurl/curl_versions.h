// Options of libcurl that not every version has. Nothing in C asks for its version. Not visible to Swift.
//
// All versions have one name, so a program may run with an older or a newer version than the one it was compiled with.
// So these options are known by their numbers, which never change, and the library says whether it has them.

#ifndef OZU_CURL_VERSIONS_H
#define OZU_CURL_VERSIONS_H

#include <curl/curl.h>

/// The protocols of requests and of redirects, as text: since 7.85.
#define OZU_CURLOPT_PROTOCOLS_STR ((CURLoption)(CURLOPTTYPE_STRINGPOINT + 318))
#define OZU_CURLOPT_REDIR_PROTOCOLS_STR ((CURLoption)(CURLOPTTYPE_STRINGPOINT + 319))

/// The same as bits, for older versions. Newer headers warn of the names.
#define OZU_CURLOPT_PROTOCOLS ((CURLoption)(CURLOPTTYPE_LONG + 181))
#define OZU_CURLOPT_REDIR_PROTOCOLS ((CURLoption)(CURLOPTTYPE_LONG + 182))

/// Whether cleaning up leaves a resolver behind that has not ended: since 7.87.
#define OZU_CURLOPT_QUICK_EXIT ((CURLoption)(CURLOPTTYPE_LONG + 322))

#endif
