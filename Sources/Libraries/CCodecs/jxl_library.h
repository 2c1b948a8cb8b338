// The functions of libjxl that are called. Not visible to Swift.
//
// Undefines OZU_JXL if libjxl is missing or too old, so that there is no error but the one that says so.

#ifndef OZU_JXL_LIBRARY_H
#define OZU_JXL_LIBRARY_H

#ifdef OZU_JXL
#if __has_include(<jxl/decode.h>)
#include "jxl_versions.h"
#else
#error "libjxl is missing: apt-get install libjxl-dev, brew install jpeg-xl, or leave out the trait JXL"
#undef OZU_JXL
#endif
#endif

#ifdef OZU_JXL

#include "ozu_dynamic_library.h"

#define OZU_JXL_FUNCTIONS(FUNCTION) \
  FUNCTION(JxlColorEncodingSetToSRGB) \
  FUNCTION(JxlDecoderCreate) \
  FUNCTION(JxlDecoderDestroy) \
  FUNCTION(JxlDecoderExtraChannelBufferSize) \
  FUNCTION(JxlDecoderFlushImage) \
  FUNCTION(JxlDecoderGetBasicInfo) \
  FUNCTION(JxlDecoderGetColorAsEncodedProfile) \
  FUNCTION(JxlDecoderGetColorAsICCProfile) \
  FUNCTION(JxlDecoderGetExtraChannelInfo) \
  FUNCTION(JxlDecoderGetFrameHeader) \
  FUNCTION(JxlDecoderGetICCProfileSize) \
  FUNCTION(JxlDecoderImageOutBufferSize) \
  FUNCTION(JxlDecoderProcessInput) \
  FUNCTION(JxlDecoderReleaseBoxBuffer) \
  FUNCTION(JxlDecoderReleaseInput) \
  FUNCTION(JxlDecoderReleaseJPEGBuffer) \
  FUNCTION(JxlDecoderRewind) \
  FUNCTION(JxlDecoderSetBoxBuffer) \
  FUNCTION(JxlDecoderSetDecompressBoxes) \
  FUNCTION(JxlDecoderSetExtraChannelBuffer) \
  FUNCTION(JxlDecoderSetImageOutBuffer) \
  FUNCTION(JxlDecoderSetImageOutCallback) \
  FUNCTION(JxlDecoderSetInput) \
  FUNCTION(JxlDecoderSetJPEGBuffer) \
  FUNCTION(JxlDecoderSetKeepOrientation) \
  FUNCTION(JxlDecoderSetProgressiveDetail) \
  FUNCTION(JxlDecoderSkipFrames) \
  FUNCTION(JxlDecoderSubscribeEvents) \
  FUNCTION(JxlEncoderAddBox) \
  FUNCTION(JxlEncoderAddImageFrame) \
  FUNCTION(JxlEncoderAddJPEGFrame) \
  FUNCTION(JxlEncoderCloseInput) \
  FUNCTION(JxlEncoderCreate) \
  FUNCTION(JxlEncoderDestroy) \
  FUNCTION(JxlEncoderFrameSettingsCreate) \
  FUNCTION(JxlEncoderFrameSettingsSetOption) \
  FUNCTION(JxlEncoderGetError) \
  FUNCTION(JxlEncoderInitBasicInfo) \
  FUNCTION(JxlEncoderProcessOutput) \
  FUNCTION(JxlEncoderSetBasicInfo) \
  FUNCTION(JxlEncoderSetColorEncoding) \
  FUNCTION(JxlEncoderSetFrameDistance) \
  FUNCTION(JxlEncoderSetFrameLossless) \
  FUNCTION(JxlEncoderSetICCProfile) \
  FUNCTION(JxlEncoderStoreJPEGMetadata) \
  FUNCTION(JxlEncoderUseBoxes)

OZU_DECLARE_LIBRARY(jxl, OZU_JXL_FUNCTIONS)

#endif

#endif
