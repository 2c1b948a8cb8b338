// libcurl behind the functions of CCurl.h.

#ifdef __linux__

#include "CCurl.h"

#include <pthread.h>
#include <stdio.h>

#include "curl_library.h"
#include "curl_versions.h"
#include "wake_pair.h"

// Of the builds of libcurl with the same interface, the one with OpenSSL is tried first, because its results of a verification
// are the numbers that messages are made of.
OZU_DEFINE_LIBRARY(
    curl, OZU_CURL_FUNCTIONS, "Load pictures over HTTP", "libcurl.so.4", "libcurl-gnutls.so.4", "libcurl-nss.so.4")

bool ozu_curl_load(char *message, size_t message_capacity) {
  static pthread_mutex_t setting_up = PTHREAD_MUTEX_INITIALIZER;
  static bool is_set_up = false;
  if (!ozu_dynamic_library_load(&ozu_curl_library, message, message_capacity)) return false;
  pthread_mutex_lock(&setting_up);
  // A failure, for want of memory, may not be there the next time.
  CURLcode result = is_set_up ? CURLE_OK : curl.curl_global_init(CURL_GLOBAL_DEFAULT);
  is_set_up = result == CURLE_OK;
  pthread_mutex_unlock(&setting_up);
  if (result == CURLE_OK) return true;
  snprintf(message, message_capacity, "libcurl cannot start: %s", curl.curl_easy_strerror(result));
  return false;
}

CURL *ozu_curl_easy_init(void) { return curl.curl_easy_init(); }

void ozu_curl_easy_cleanup(CURL *easy) { curl.curl_easy_cleanup(easy); }

void ozu_curl_easy_reset(CURL *easy) { curl.curl_easy_reset(easy); }

CURLcode ozu_curl_easy_pause(CURL *easy, int directions) { return curl.curl_easy_pause(easy, directions); }

const char *ozu_curl_easy_strerror(CURLcode code) { return curl.curl_easy_strerror(code); }

struct curl_slist *ozu_curl_slist_append(struct curl_slist *list, const char *line) {
  return curl.curl_slist_append(list, line);
}

void ozu_curl_slist_free_all(struct curl_slist *list) { curl.curl_slist_free_all(list); }

CURLM *ozu_curl_multi_init(void) { return ozu_multi_with_own_wake_pair(); }

void ozu_curl_multi_cleanup(CURLM *multi) { curl.curl_multi_cleanup(multi); }

CURLMcode ozu_curl_multi_add_handle(CURLM *multi, CURL *easy) { return curl.curl_multi_add_handle(multi, easy); }

CURLMcode ozu_curl_multi_remove_handle(CURLM *multi, CURL *easy) { return curl.curl_multi_remove_handle(multi, easy); }

CURLMcode ozu_curl_multi_socket_action(CURLM *multi, curl_socket_t socket, int events, int *running) {
  return curl.curl_multi_socket_action(multi, socket, events, running);
}

CURLMcode ozu_curl_multi_timeout(CURLM *multi, long *milliseconds) { return curl.curl_multi_timeout(multi, milliseconds); }

const char *ozu_curl_multi_strerror(CURLMcode code) { return curl.curl_multi_strerror(code); }

const char *ozu_curl_authorities(void) {
  const curl_version_info_data *version = curl.curl_version_info(CURLVERSION_NOW);
  // Later members than those of the version's age do not exist.
  if (version->age < CURLVERSION_SEVENTH) return NULL;
  return version->cainfo != NULL ? version->cainfo : version->capath;
}

CURLcode ozu_curl_set_long(CURL *easy, CURLoption option, long value) {
  return curl.curl_easy_setopt(easy, option, value);
}

CURLcode ozu_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
  return curl.curl_easy_setopt(easy, option, value);
}

CURLcode ozu_curl_set_string(CURL *easy, CURLoption option, const char *value) {
  return curl.curl_easy_setopt(easy, option, value);
}

CURLcode ozu_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl.curl_easy_setopt(easy, option, value);
}

CURLcode ozu_curl_set_header_list(CURL *easy, struct curl_slist *list) {
  return curl.curl_easy_setopt(easy, CURLOPT_HTTPHEADER, list);
}

CURLcode ozu_curl_set_on_body(CURL *easy, curl_write_callback callback, void *context) {
  curl.curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, callback);
  return curl.curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
}

CURLcode ozu_curl_set_on_header(CURL *easy, curl_write_callback callback, void *context) {
  curl.curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, callback);
  return curl.curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
}

CURLcode ozu_curl_set_on_upload(
    CURL *easy, curl_read_callback read, curl_seek_callback seek, void *context) {
  curl.curl_easy_setopt(easy, CURLOPT_READFUNCTION, read);
  curl.curl_easy_setopt(easy, CURLOPT_READDATA, context);
  curl.curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, seek);
  return curl.curl_easy_setopt(easy, CURLOPT_SEEKDATA, context);
}

CURLcode ozu_curl_set_on_connected(
    CURL *easy, curl_prereq_callback callback, void *context) {
  curl.curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
  return curl.curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
}

CURLcode ozu_curl_set_on_socket(CURL *easy, curl_opensocket_callback opened, void *context) {
  curl.curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
  return curl.curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, opened);
}

// Sets a choice of protocols: as text, or as bits if the library is too old for that.
static CURLcode allow_only_http(CURL *easy, CURLoption text, CURLoption bits) {
  CURLcode result = curl.curl_easy_setopt(easy, text, "http,https");
  if (result != CURLE_UNKNOWN_OPTION) return result;
  return curl.curl_easy_setopt(easy, bits, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
}

CURLcode ozu_curl_allow_only_http(CURL *easy) {
  CURLcode result = allow_only_http(easy, OZU_CURLOPT_REDIR_PROTOCOLS_STR, OZU_CURLOPT_REDIR_PROTOCOLS);
  return result == CURLE_OK ? allow_only_http(easy, OZU_CURLOPT_PROTOCOLS_STR, OZU_CURLOPT_PROTOCOLS) : result;
}

// Older versions do not have the option, and answer so.
void ozu_curl_never_wait_for_resolver(CURL *easy) { curl.curl_easy_setopt(easy, OZU_CURLOPT_QUICK_EXIT, 1L); }

long ozu_curl_long(CURL *easy, CURLINFO info) {
  long value = 0;
  return curl.curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

curl_off_t ozu_curl_offset(CURL *easy, CURLINFO info) {
  curl_off_t value = 0;
  return curl.curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

void *ozu_curl_private(CURL *easy) {
  char *value = NULL;
  return curl.curl_easy_getinfo(easy, CURLINFO_PRIVATE, &value) == CURLE_OK ? value : NULL;
}

CURLMcode ozu_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl.curl_multi_setopt(multi, option, value);
}

void ozu_curl_multi_set_on_socket(CURLM *multi, curl_socket_callback changed, void *context) {
  curl.curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
  curl.curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, changed);
}

CURL *ozu_curl_multi_next_finished(CURLM *multi, CURLcode *result) {
  int left = 0;
  CURLMsg *message;
  while ((message = curl.curl_multi_info_read(multi, &left)) != NULL) {
    if (message->msg == CURLMSG_DONE) {
      *result = message->data.result;
      return message->easy_handle;
    }
  }
  return NULL;
}

#endif
