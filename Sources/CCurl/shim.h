#ifndef OZU_CCURL_H
#define OZU_CCURL_H
#include <curl/curl.h>
#endif
