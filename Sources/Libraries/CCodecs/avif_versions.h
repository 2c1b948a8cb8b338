// The differences between versions of libavif. Nothing else in C asks for its version. Not visible to Swift.
//
// Ozu is compiled with 0.11 (Debian 12), 1.0 (Ubuntu 24.04) and 1.2 (Debian 13). A version that breaks others has a
// name of its own, so a program runs with the version that it was compiled with, or a newer one of that name.

#ifndef OZU_AVIF_VERSIONS_H
#define OZU_AVIF_VERSIONS_H

#include <avif/avif.h>

#if AVIF_VERSION >= 1000000

#define OZU_AVIF_SONAME "libavif.so.16"

/// 0: the top and the bottom change places. 1: left and right do.
#define OZU_AVIF_MIRROR_AXIS(mirror) ((mirror).axis)

/// The result of a function that has one since 1.0. Before, it ended the process if memory was short.
#define OZU_AVIF_RESULT(call) (call)

/// How often an animation is played; 0 for without end, also if the file does not say. Since 1.0 the library reads it.
#define OZU_AVIF_LOOPS(decoder) ((decoder)->repetitionCount < 0 ? 0 : (uint32_t)(decoder)->repetitionCount + 1)

#elif AVIF_VERSION >= 110000

#define OZU_AVIF_SONAME "libavif.so.15"
#define OZU_AVIF_MIRROR_AXIS(mirror) ((mirror).mode)
#define OZU_AVIF_RESULT(call) ((call), AVIF_RESULT_OK)
#define OZU_AVIF_LOOPS(decoder) 0

#else
#error "Ozu needs libavif 0.11 or newer, and this one is older: leave out the trait AVIF"
// The rest of the sources for AVIF is not compiled, so that this error is the only one.
#undef OZU_AVIF
#endif

#endif
