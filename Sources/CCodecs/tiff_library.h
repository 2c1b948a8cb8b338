// The functions of libtiff that are called. Not seen by Swift.

#ifndef OZU_TIFF_LIBRARY_H
#define OZU_TIFF_LIBRARY_H

#if !__has_include(<tiffio.h>)
#error "libtiff is missing: apt-get install libtiff-dev, brew install libtiff, or leave out the trait TIFF"
#endif

#include <tiffio.h>

#include "ozu_dynamic_library.h"

#define OZU_TIFF_FUNCTIONS(FUNCTION) \
  FUNCTION(TIFFClientOpenExt) \
  FUNCTION(TIFFClose) \
  FUNCTION(TIFFComputeTile) \
  FUNCTION(TIFFGetField) \
  FUNCTION(TIFFGetFieldDefaulted) \
  FUNCTION(TIFFIsTiled) \
  FUNCTION(TIFFOpenOptionsAlloc) \
  FUNCTION(TIFFOpenOptionsFree) \
  FUNCTION(TIFFOpenOptionsSetErrorHandlerExtR) \
  FUNCTION(TIFFOpenOptionsSetMaxSingleMemAlloc) \
  FUNCTION(TIFFOpenOptionsSetWarningHandlerExtR) \
  FUNCTION(TIFFRGBAImageBegin) \
  FUNCTION(TIFFRGBAImageEnd) \
  FUNCTION(TIFFRGBAImageGet) \
  FUNCTION(TIFFRGBAImageOK) \
  FUNCTION(TIFFReadEncodedTile) \
  FUNCTION(TIFFReadScanline) \
  FUNCTION(TIFFScanlineSize) \
  FUNCTION(TIFFSetField) \
  FUNCTION(TIFFStripSize) \
  FUNCTION(TIFFTileSize)

OZU_DECLARE_LIBRARY(tiff, OZU_TIFF_FUNCTIONS)

#ifdef OZU_LOADS_LIBRARIES
#define TIFFClientOpenExt ozu_tiff.TIFFClientOpenExt
#define TIFFClose ozu_tiff.TIFFClose
#define TIFFComputeTile ozu_tiff.TIFFComputeTile
#define TIFFGetField ozu_tiff.TIFFGetField
#define TIFFGetFieldDefaulted ozu_tiff.TIFFGetFieldDefaulted
#define TIFFIsTiled ozu_tiff.TIFFIsTiled
#define TIFFOpenOptionsAlloc ozu_tiff.TIFFOpenOptionsAlloc
#define TIFFOpenOptionsFree ozu_tiff.TIFFOpenOptionsFree
#define TIFFOpenOptionsSetErrorHandlerExtR ozu_tiff.TIFFOpenOptionsSetErrorHandlerExtR
#define TIFFOpenOptionsSetMaxSingleMemAlloc ozu_tiff.TIFFOpenOptionsSetMaxSingleMemAlloc
#define TIFFOpenOptionsSetWarningHandlerExtR ozu_tiff.TIFFOpenOptionsSetWarningHandlerExtR
#define TIFFRGBAImageBegin ozu_tiff.TIFFRGBAImageBegin
#define TIFFRGBAImageEnd ozu_tiff.TIFFRGBAImageEnd
#define TIFFRGBAImageGet ozu_tiff.TIFFRGBAImageGet
#define TIFFRGBAImageOK ozu_tiff.TIFFRGBAImageOK
#define TIFFReadEncodedTile ozu_tiff.TIFFReadEncodedTile
#define TIFFReadScanline ozu_tiff.TIFFReadScanline
#define TIFFScanlineSize ozu_tiff.TIFFScanlineSize
#define TIFFSetField ozu_tiff.TIFFSetField
#define TIFFStripSize ozu_tiff.TIFFStripSize
#define TIFFTileSize ozu_tiff.TIFFTileSize
#endif

#endif
