// The differences between versions of libheif. Nothing else in C asks for its version. Not visible to Swift.
//
// Ozu is compiled with 1.15 (Debian 12), 1.17 (Ubuntu 24.04) and 1.23 (Debian 13). All versions have one name, so a
// program may run with an older or a newer version than the one that it was compiled with: the library is asked what it
// can do, and this file is about its header alone.

#ifndef OZU_HEIF_VERSIONS_H
#define OZU_HEIF_VERSIONS_H

#include <libheif/heif.h>

#if LIBHEIF_NUMERIC_VERSION < 0x010f0000
#error "Ozu needs libheif 1.15 or newer, and this one is older: leave out the trait HEIF"
// The rest of the source for HEIF is not compiled, so that this error is the only one.
#undef OZU_HEIF
#endif

/// The format of "unci" items. Headers have the name since 1.16; older libraries answer that they do not read it.
#define OZU_HEIF_UNCOMPRESSED ((enum heif_compression_format)8)

#endif
