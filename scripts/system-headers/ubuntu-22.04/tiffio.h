// libtiff 4.3.0
#include_next <tiffio.h>

#undef TIFFLIB_VERSION
#undef TIFFLIB_VERSION_STR
#undef TIFFLIB_MAJOR_VERSION
#undef TIFFLIB_MINOR_VERSION
#undef TIFFLIB_MICRO_VERSION
#undef TIFFLIB_AT_LEAST
#define TIFFLIB_VERSION 20210416
#define TIFFLIB_VERSION_STR "LIBTIFF, Version 4.3.0"

// Options for each file are of 4.5.
#pragma GCC poison TIFFOpenExt TIFFOpenWExt TIFFFdOpenExt TIFFClientOpenExt TIFFOpenOptions TIFFOpenOptionsAlloc
#pragma GCC poison TIFFOpenOptionsFree TIFFOpenOptionsSetMaxSingleMemAlloc TIFFOpenOptionsSetErrorHandlerExtR
#pragma GCC poison TIFFOpenOptionsSetWarningHandlerExtR TIFFErrorExtR TIFFWarningExtR
