// The functions of libavif that are called. Not visible to Swift.
//
// Undefines OZU_AVIF if libavif is missing or too old, so that there is no error but the one that says so.

#ifndef OZU_AVIF_LIBRARY_H
#define OZU_AVIF_LIBRARY_H

#ifdef OZU_AVIF
#if __has_include(<avif/avif.h>)
#include "avif_versions.h"
#else
#error "libavif is missing: apt-get install libavif-dev, brew install libavif, or leave out the trait AVIF"
#undef OZU_AVIF
#endif
#endif

#ifdef OZU_AVIF

#include "ozu_dynamic_library.h"

#define OZU_AVIF_FUNCTIONS(FUNCTION) \
  FUNCTION(avifCodecName) \
  FUNCTION(avifCropRectConvertCleanApertureBox) \
  FUNCTION(avifDecoderCreate) \
  FUNCTION(avifDecoderDestroy) \
  FUNCTION(avifDecoderNthImage) \
  FUNCTION(avifDecoderNthImageMaxExtent) \
  FUNCTION(avifDecoderNthImageTiming) \
  FUNCTION(avifDecoderParse) \
  FUNCTION(avifDecoderSetIOMemory) \
  FUNCTION(avifDiagnosticsClearError) \
  FUNCTION(avifEncoderCreate) \
  FUNCTION(avifEncoderDestroy) \
  FUNCTION(avifEncoderWrite) \
  FUNCTION(avifImageCreate) \
  FUNCTION(avifImageDestroy) \
  FUNCTION(avifImageRGBToYUV) \
  FUNCTION(avifImageSetMetadataExif) \
  FUNCTION(avifImageSetMetadataXMP) \
  FUNCTION(avifImageSetProfileICC) \
  FUNCTION(avifImageYUVToRGB) \
  FUNCTION(avifRGBImageSetDefaults) \
  FUNCTION(avifRWDataFree) \
  FUNCTION(avifResultToString)

OZU_DECLARE_LIBRARY(avif, OZU_AVIF_FUNCTIONS)

#endif

#endif
