// libcurl 8.5.0
// The macros that look at the types of options name all options, also those of the newer version.
#define CURL_DISABLE_TYPECHECK
#include_next <curl/curl.h>

#undef LIBCURL_VERSION
#undef LIBCURL_VERSION_NUM
#define LIBCURL_VERSION "8.5.0"
#define LIBCURL_VERSION_NUM 0x080500
