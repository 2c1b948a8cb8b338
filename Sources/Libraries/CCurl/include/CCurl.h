// Typed functions for the parts of libcurl that Swift calls: its variadic functions and macros cannot be imported.
// The library is loaded when it is first needed. `ozu_curl_load` must be called before all others.
#ifndef OZU_CCURL_H
#define OZU_CCURL_H

// Other systems have a client of their own.
#ifdef __linux__

#if !__has_include(<curl/curl.h>)
#error "libcurl is missing: apt-get install libcurl4-openssl-dev"
#endif

#include <curl/curl.h>
#include <stdbool.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

// Loads libcurl and sets it up, unless that was done before. It takes milliseconds, and runs the initialisers of
// libcurl's libraries. Any thread may call it. Returns whether libcurl can be used; if not, the message gives the
// reason.
bool ozu_curl_load(char *message, size_t message_capacity);

// Functions of libcurl, by their own names.
CURL *ozu_curl_easy_init(void);
void ozu_curl_easy_cleanup(CURL *easy);
void ozu_curl_easy_reset(CURL *easy);
CURLcode ozu_curl_easy_pause(CURL *easy, int directions);
const char *ozu_curl_easy_strerror(CURLcode code);
struct curl_slist *ozu_curl_slist_append(struct curl_slist *list, const char *line);
void ozu_curl_slist_free_all(struct curl_slist *list);
CURLM *ozu_curl_multi_init(void);
void ozu_curl_multi_cleanup(CURLM *multi);
CURLMcode ozu_curl_multi_add_handle(CURLM *multi, CURL *easy);
CURLMcode ozu_curl_multi_remove_handle(CURLM *multi, CURL *easy);
CURLMcode ozu_curl_multi_socket_action(CURLM *multi, curl_socket_t socket, int events, int *running);
CURLMcode ozu_curl_multi_timeout(CURLM *multi, long *milliseconds);
const char *ozu_curl_multi_strerror(CURLMcode code);

CURLcode ozu_curl_set_long(CURL *easy, CURLoption option, long value);

CURLcode ozu_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value);

// libcurl copies the string, so it must live only during the call.
CURLcode ozu_curl_set_string(CURL *easy, CURLoption option, const char *value);

// libcurl keeps the pointer: it must live until the handle is reset.
CURLcode ozu_curl_set_pointer(CURL *easy, CURLoption option, void *value);

CURLcode ozu_curl_set_header_list(CURL *easy, struct curl_slist *list);

CURLcode ozu_curl_set_on_body(CURL *easy, curl_write_callback callback, void *context);

CURLcode ozu_curl_set_on_header(CURL *easy, curl_write_callback callback, void *context);

CURLcode ozu_curl_set_on_upload(
    CURL *easy, curl_read_callback read, curl_seek_callback seek, void *context);

CURLcode ozu_curl_set_on_connected(
    CURL *easy, curl_prereq_callback callback, void *context);

CURLcode ozu_curl_set_on_socket(CURL *easy, curl_opensocket_callback opened, void *context);

// Requests and redirects use HTTP and HTTPS alone, with every version of libcurl.
CURLcode ozu_curl_allow_only_http(CURL *easy);

// Without this, removing a handle that is resolving its host waits for the resolver.
void ozu_curl_never_wait_for_resolver(CURL *easy);

long ozu_curl_long(CURL *easy, CURLINFO info);

curl_off_t ozu_curl_offset(CURL *easy, CURLINFO info);

void *ozu_curl_private(CURL *easy);

CURLMcode ozu_curl_multi_set_long(CURLM *multi, CURLMoption option, long value);

void ozu_curl_multi_set_on_socket(CURLM *multi, curl_socket_callback changed, void *context);

// The next finished handle with its result, or NULL if there is none.
CURL *ozu_curl_multi_next_finished(CURLM *multi, CURLcode *result);

// The file or folder of the authorities that libcurl trusts by default; NULL if libcurl is older than 7.70 or has none.
const char *ozu_curl_authorities(void);

// The error for a header section above libcurl's limits, which is in the header since 8.6.
static const CURLcode ozu_curl_too_large = (CURLcode)100;

// A cast, which Swift does not import.
static const curl_socket_t ozu_curl_socket_timeout = CURL_SOCKET_TIMEOUT;

// A descriptor that one thread waits for and others signal; -1 if no descriptor is available.
static inline int ozu_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

static inline void ozu_eventfd_signal(int descriptor) { eventfd_write(descriptor, 1); }

static inline void ozu_eventfd_clear(int descriptor) {
  eventfd_t value;
  eventfd_read(descriptor, &value);
}

static inline void ozu_eventfd_close(int descriptor) { close(descriptor); }

// The name in debuggers and top(1), at most 15 characters.
static inline void ozu_curl_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

#endif

#endif
