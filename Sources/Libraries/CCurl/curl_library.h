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

#ifdef OZU_LOADS_LIBRARIES
// The header has macros of these names, which only count the arguments.
#undef curl_easy_getinfo
#undef curl_easy_setopt
#undef curl_multi_setopt
#define curl_easy_cleanup ozu_curl.curl_easy_cleanup
#define curl_easy_getinfo ozu_curl.curl_easy_getinfo
#define curl_easy_init ozu_curl.curl_easy_init
#define curl_easy_pause ozu_curl.curl_easy_pause
#define curl_easy_reset ozu_curl.curl_easy_reset
#define curl_easy_setopt ozu_curl.curl_easy_setopt
#define curl_easy_strerror ozu_curl.curl_easy_strerror
#define curl_global_init ozu_curl.curl_global_init
#define curl_multi_add_handle ozu_curl.curl_multi_add_handle
#define curl_multi_cleanup ozu_curl.curl_multi_cleanup
#define curl_multi_info_read ozu_curl.curl_multi_info_read
#define curl_multi_init ozu_curl.curl_multi_init
#define curl_multi_poll ozu_curl.curl_multi_poll
#define curl_multi_remove_handle ozu_curl.curl_multi_remove_handle
#define curl_multi_setopt ozu_curl.curl_multi_setopt
#define curl_multi_socket_action ozu_curl.curl_multi_socket_action
#define curl_multi_strerror ozu_curl.curl_multi_strerror
#define curl_multi_timeout ozu_curl.curl_multi_timeout
#define curl_multi_wakeup ozu_curl.curl_multi_wakeup
#define curl_slist_append ozu_curl.curl_slist_append
#define curl_slist_free_all ozu_curl.curl_slist_free_all
#define curl_version_info ozu_curl.curl_version_info
#endif

#endif
