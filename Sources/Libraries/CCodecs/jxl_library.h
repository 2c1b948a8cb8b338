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

#ifdef OZU_LOADS_LIBRARIES
#define JxlColorEncodingSetToSRGB ozu_jxl.JxlColorEncodingSetToSRGB
#define JxlDecoderCreate ozu_jxl.JxlDecoderCreate
#define JxlDecoderDestroy ozu_jxl.JxlDecoderDestroy
#define JxlDecoderExtraChannelBufferSize ozu_jxl.JxlDecoderExtraChannelBufferSize
#define JxlDecoderFlushImage ozu_jxl.JxlDecoderFlushImage
#define JxlDecoderGetBasicInfo ozu_jxl.JxlDecoderGetBasicInfo
#define JxlDecoderGetColorAsEncodedProfile ozu_jxl.JxlDecoderGetColorAsEncodedProfile
#define JxlDecoderGetColorAsICCProfile ozu_jxl.JxlDecoderGetColorAsICCProfile
#define JxlDecoderGetExtraChannelInfo ozu_jxl.JxlDecoderGetExtraChannelInfo
#define JxlDecoderGetFrameHeader ozu_jxl.JxlDecoderGetFrameHeader
#define JxlDecoderGetICCProfileSize ozu_jxl.JxlDecoderGetICCProfileSize
#define JxlDecoderImageOutBufferSize ozu_jxl.JxlDecoderImageOutBufferSize
#define JxlDecoderProcessInput ozu_jxl.JxlDecoderProcessInput
#define JxlDecoderReleaseBoxBuffer ozu_jxl.JxlDecoderReleaseBoxBuffer
#define JxlDecoderReleaseInput ozu_jxl.JxlDecoderReleaseInput
#define JxlDecoderReleaseJPEGBuffer ozu_jxl.JxlDecoderReleaseJPEGBuffer
#define JxlDecoderRewind ozu_jxl.JxlDecoderRewind
#define JxlDecoderSetBoxBuffer ozu_jxl.JxlDecoderSetBoxBuffer
#define JxlDecoderSetDecompressBoxes ozu_jxl.JxlDecoderSetDecompressBoxes
#define JxlDecoderSetExtraChannelBuffer ozu_jxl.JxlDecoderSetExtraChannelBuffer
#define JxlDecoderSetImageOutBuffer ozu_jxl.JxlDecoderSetImageOutBuffer
#define JxlDecoderSetImageOutCallback ozu_jxl.JxlDecoderSetImageOutCallback
#define JxlDecoderSetInput ozu_jxl.JxlDecoderSetInput
#define JxlDecoderSetJPEGBuffer ozu_jxl.JxlDecoderSetJPEGBuffer
#define JxlDecoderSetKeepOrientation ozu_jxl.JxlDecoderSetKeepOrientation
#define JxlDecoderSetProgressiveDetail ozu_jxl.JxlDecoderSetProgressiveDetail
#define JxlDecoderSkipFrames ozu_jxl.JxlDecoderSkipFrames
#define JxlDecoderSubscribeEvents ozu_jxl.JxlDecoderSubscribeEvents
#define JxlEncoderAddBox ozu_jxl.JxlEncoderAddBox
#define JxlEncoderAddImageFrame ozu_jxl.JxlEncoderAddImageFrame
#define JxlEncoderAddJPEGFrame ozu_jxl.JxlEncoderAddJPEGFrame
#define JxlEncoderCloseInput ozu_jxl.JxlEncoderCloseInput
#define JxlEncoderCreate ozu_jxl.JxlEncoderCreate
#define JxlEncoderDestroy ozu_jxl.JxlEncoderDestroy
#define JxlEncoderFrameSettingsCreate ozu_jxl.JxlEncoderFrameSettingsCreate
#define JxlEncoderFrameSettingsSetOption ozu_jxl.JxlEncoderFrameSettingsSetOption
#define JxlEncoderGetError ozu_jxl.JxlEncoderGetError
#define JxlEncoderInitBasicInfo ozu_jxl.JxlEncoderInitBasicInfo
#define JxlEncoderProcessOutput ozu_jxl.JxlEncoderProcessOutput
#define JxlEncoderSetBasicInfo ozu_jxl.JxlEncoderSetBasicInfo
#define JxlEncoderSetColorEncoding ozu_jxl.JxlEncoderSetColorEncoding
#define JxlEncoderSetFrameDistance ozu_jxl.JxlEncoderSetFrameDistance
#define JxlEncoderSetFrameLossless ozu_jxl.JxlEncoderSetFrameLossless
#define JxlEncoderSetICCProfile ozu_jxl.JxlEncoderSetICCProfile
#define JxlEncoderStoreJPEGMetadata ozu_jxl.JxlEncoderStoreJPEGMetadata
#define JxlEncoderUseBoxes ozu_jxl.JxlEncoderUseBoxes
#endif

#endif

#endif
