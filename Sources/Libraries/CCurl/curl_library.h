// The functions of libcurl that are called. Not visible to Swift.

#ifndef OZU_CURL_LIBRARY_H
#define OZU_CURL_LIBRARY_H

#include <curl/curl.h>

#include "ozu_dynamic_library.h"

#define OZU_CURL_FUNCTIONS(FUNCTION) \
  FUNCTION(curl_easy_cleanup) \
  FUNCTION(curl_easy_getinfo) \
  FUNCTION(curl_easy_init) \
  FUNCTION(curl_easy_pause) \
  FUNCTION(curl_easy_reset) \
  FUNCTION(curl_easy_setopt) \
  FUNCTION(curl_easy_strerror) \
  FUNCTION(curl_global_init) \
  FUNCTION(curl_multi_add_handle) \
  FUNCTION(curl_multi_cleanup) \
  FUNCTION(curl_multi_info_read) \
  FUNCTION(curl_multi_init) \
  FUNCTION(curl_multi_poll) \
  FUNCTION(curl_multi_remove_handle) \
  FUNCTION(curl_multi_setopt) \
  FUNCTION(curl_multi_socket_action) \
  FUNCTION(curl_multi_strerror) \
  FUNCTION(curl_multi_timeout) \
  FUNCTION(curl_multi_wakeup) \
  FUNCTION(curl_slist_append) \
  FUNCTION(curl_slist_free_all) \
  FUNCTION(curl_version_info)

OZU_DECLARE_LIBRARY(curl, OZU_CURL_FUNCTIONS)

// The header has macros of these names, which only count the arguments.
#undef curl_easy_getinfo
#undef curl_easy_setopt
#undef curl_multi_setopt

#endif
