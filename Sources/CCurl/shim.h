// Typed faces over libcurl's variadic and macro-shaped API, which Swift cannot import. Header only: every
// function is one call.
#ifndef OZU_CCURL_H
#define OZU_CCURL_H

#include <curl/curl.h>

#ifdef __linux__
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>
#endif

static inline CURLcode ozu_curl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ozu_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}

// libcurl copies the string, so it need only live for the call.
static inline CURLcode ozu_curl_set_string(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

// libcurl keeps the pointer: it must live until the handle is reset.
static inline CURLcode ozu_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ozu_curl_set_header_list(CURL *easy, struct curl_slist *list) {
  return curl_easy_setopt(easy, CURLOPT_HTTPHEADER, list);
}

static inline CURLcode ozu_curl_set_on_body(CURL *easy, curl_write_callback callback, void *context) {
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, callback);
  return curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
}

static inline CURLcode ozu_curl_set_on_header(CURL *easy, curl_write_callback callback, void *context) {
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, callback);
  return curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
}

static inline CURLcode ozu_curl_set_on_upload(
    CURL *easy, curl_read_callback read, curl_seek_callback seek, void *context) {
  curl_easy_setopt(easy, CURLOPT_READFUNCTION, read);
  curl_easy_setopt(easy, CURLOPT_READDATA, context);
  curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, seek);
  return curl_easy_setopt(easy, CURLOPT_SEEKDATA, context);
}

static inline CURLcode ozu_curl_set_on_connected(
    CURL *easy, curl_prereq_callback callback, void *context) {
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
  return curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
}

static inline CURLcode ozu_curl_set_on_socket(CURL *easy, curl_opensocket_callback opened, void *context) {
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
  return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, opened);
}

static inline CURLcode ozu_curl_set_on_ssl_context(CURL *easy, curl_ssl_ctx_callback made, void *context) {
  curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, context);
  return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, made);
}

// The string form of the option came with 7.85; the bit mask it replaces is deprecated after that.
static inline CURLcode ozu_curl_allow_only_http(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
  return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
}

// Without this, removing a handle that is still resolving its host waits for the resolver.
static inline void ozu_curl_never_wait_for_resolver(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#else
  (void)easy;
#endif
}

static inline long ozu_curl_long(CURL *easy, CURLINFO info) {
  long value = 0;
  return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

static inline curl_off_t ozu_curl_offset(CURL *easy, CURLINFO info) {
  curl_off_t value = 0;
  return curl_easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

static inline void *ozu_curl_private(CURL *easy) {
  char *value = NULL;
  return curl_easy_getinfo(easy, CURLINFO_PRIVATE, &value) == CURLE_OK ? value : NULL;
}

static inline CURLMcode ozu_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

// A cast, which Swift does not import.
static const curl_socket_t ozu_curl_socket_timeout = CURL_SOCKET_TIMEOUT;

static inline void ozu_curl_multi_set_on_socket(CURLM *multi, curl_socket_callback changed, void *context) {
  curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, changed);
}

// The next finished handle with its result, or NULL when there is none.
static inline CURL *ozu_curl_multi_next_finished(CURLM *multi, CURLcode *result) {
  int left = 0;
  CURLMsg *message;
  while ((message = curl_multi_info_read(multi, &left)) != NULL) {
    if (message->msg == CURLMSG_DONE) {
      *result = message->data.result;
      return message->easy_handle;
    }
  }
  return NULL;
}

#ifdef __linux__
// A descriptor that one thread waits for and others write to; -1 when there is none left.
static inline int ozu_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

static inline void ozu_eventfd_signal(int descriptor) { eventfd_write(descriptor, 1); }

static inline void ozu_eventfd_clear(int descriptor) {
  eventfd_t value;
  eventfd_read(descriptor, &value);
}

static inline void ozu_eventfd_close(int descriptor) { close(descriptor); }
#endif

// Shown by debuggers and top(1). At most 15 characters.
static inline void ozu_curl_name_thread(const char *name) {
#ifdef __linux__
  prctl(PR_SET_NAME, name, 0, 0, 0);
#else
  (void)name;
#endif
}

#endif
