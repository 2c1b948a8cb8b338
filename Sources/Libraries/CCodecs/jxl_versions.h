// The differences between versions of libjxl. Nothing else in C asks for its version. Not visible to Swift.
//
// Ozu is compiled with 0.7 (Debian 12, Ubuntu 24.04) and 0.11 (Debian 13). Before version 1, each minor version has a
// name of its own, so a program runs with the version that it was compiled with.

#ifndef OZU_JXL_VERSIONS_H
#define OZU_JXL_VERSIONS_H

#include <jxl/decode.h>
#include <jxl/encode.h>
#include <jxl/version.h>

#if JPEGXL_NUMERIC_VERSION < JPEGXL_COMPUTE_NUMERIC_VERSION(0, 7, 0)
#error "Ozu needs libjxl 0.7 or newer, and this one is older: leave out the trait JXL"
// The rest of the sources for JPEG XL is not compiled, so that this error is the only one.
#undef OZU_JXL
#endif

#define OZU_JXL_TEXT_OF(number) #number
#define OZU_JXL_NAME(major, minor) "libjxl.so." OZU_JXL_TEXT_OF(major) "." OZU_JXL_TEXT_OF(minor)
#define OZU_JXL_SONAME OZU_JXL_NAME(JPEGXL_MAJOR_VERSION, JPEGXL_MINOR_VERSION)

/// The largest effort. Before 0.8 an assertion ends the process on some even pictures above 7, lossless ones too
/// (`enc_ans.cc`: "n <= 255"; `cjxl -e 8` of a grey square of 37 x 29).
#if JPEGXL_NUMERIC_VERSION >= JPEGXL_COMPUTE_NUMERIC_VERSION(0, 8, 0)
#define OZU_JXL_LARGEST_EFFORT 8
#else
#define OZU_JXL_LARGEST_EFFORT 7
#endif

/// The first arguments of the functions that read the colours. Before 0.9 there is one more, which has no meaning.
#if JPEGXL_NUMERIC_VERSION >= JPEGXL_COMPUTE_NUMERIC_VERSION(0, 9, 0)
#define OZU_JXL_COLORS_OF(decoder) (decoder)
#else
#define OZU_JXL_COLORS_OF(decoder) (decoder), NULL
#endif

#endif
