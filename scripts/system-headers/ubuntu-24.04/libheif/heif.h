// libheif 1.17.6
#include_next <libheif/heif.h>

#undef LIBHEIF_VERSION
#undef LIBHEIF_NUMERIC_VERSION
#define LIBHEIF_VERSION "1.17.6"
#define LIBHEIF_NUMERIC_VERSION 0x01110600
