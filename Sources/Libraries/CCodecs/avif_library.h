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

#ifdef OZU_LOADS_LIBRARIES
#define avifCodecName ozu_avif.avifCodecName
#define avifCropRectConvertCleanApertureBox ozu_avif.avifCropRectConvertCleanApertureBox
#define avifDecoderCreate ozu_avif.avifDecoderCreate
#define avifDecoderDestroy ozu_avif.avifDecoderDestroy
#define avifDecoderNthImage ozu_avif.avifDecoderNthImage
#define avifDecoderNthImageMaxExtent ozu_avif.avifDecoderNthImageMaxExtent
#define avifDecoderNthImageTiming ozu_avif.avifDecoderNthImageTiming
#define avifDecoderParse ozu_avif.avifDecoderParse
#define avifDecoderSetIOMemory ozu_avif.avifDecoderSetIOMemory
#define avifDiagnosticsClearError ozu_avif.avifDiagnosticsClearError
#define avifEncoderCreate ozu_avif.avifEncoderCreate
#define avifEncoderDestroy ozu_avif.avifEncoderDestroy
#define avifEncoderWrite ozu_avif.avifEncoderWrite
#define avifImageCreate ozu_avif.avifImageCreate
#define avifImageDestroy ozu_avif.avifImageDestroy
#define avifImageRGBToYUV ozu_avif.avifImageRGBToYUV
#define avifImageSetMetadataExif ozu_avif.avifImageSetMetadataExif
#define avifImageSetMetadataXMP ozu_avif.avifImageSetMetadataXMP
#define avifImageSetProfileICC ozu_avif.avifImageSetProfileICC
#define avifImageYUVToRGB ozu_avif.avifImageYUVToRGB
#define avifRGBImageSetDefaults ozu_avif.avifRGBImageSetDefaults
#define avifRWDataFree ozu_avif.avifRWDataFree
#define avifResultToString ozu_avif.avifResultToString
#endif

#endif

#endif
