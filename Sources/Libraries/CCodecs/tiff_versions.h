// The differences between versions of libtiff. Nothing else in C asks for its version. Not visible to Swift.
//
// Ozu is compiled with 4.5 (Debian 12, Ubuntu 24.04) and 4.7 (Debian 13). 4.5 is the first with options for each file: a limit
// on memory, and errors that are not printed.

#ifndef OZU_TIFF_VERSIONS_H
#define OZU_TIFF_VERSIONS_H

#include <tiffio.h>

// The day of 4.5.0: the only form in which older versions say it.
#if TIFFLIB_VERSION < 20221213
#error "Ozu needs libtiff 4.5 or newer, and this one is older: leave out the trait TIFF"
// The rest of the sources for TIFF is not compiled, so that this error is the only one.
#undef OZU_TIFF
#endif

#endif
