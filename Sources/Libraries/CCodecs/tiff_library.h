// The functions of libtiff that are called. Not visible to Swift.
//
// Undefines OZU_TIFF if libtiff is missing or too old, so that there is no error but the one that says so.

#ifndef OZU_TIFF_LIBRARY_H
#define OZU_TIFF_LIBRARY_H

#ifdef OZU_TIFF
#if __has_include(<tiffio.h>)
#include "tiff_versions.h"
#else
#error "libtiff is missing: apt-get install libtiff-dev, brew install libtiff, or leave out the trait TIFF"
#undef OZU_TIFF
#endif
#endif

#ifdef OZU_TIFF

#include "ozu_dynamic_library.h"

#define OZU_TIFF_FUNCTIONS(FUNCTION) \
  FUNCTION(TIFFClientOpenExt) \
  FUNCTION(TIFFClose) \
  FUNCTION(TIFFComputeTile) \
  FUNCTION(TIFFCurrentDirOffset) \
  FUNCTION(TIFFGetField) \
  FUNCTION(TIFFGetFieldDefaulted) \
  FUNCTION(TIFFIsCODECConfigured) \
  FUNCTION(TIFFIsTiled) \
  FUNCTION(TIFFLastDirectory) \
  FUNCTION(TIFFNumberOfStrips) \
  FUNCTION(TIFFNumberOfTiles) \
  FUNCTION(TIFFOpenOptionsAlloc) \
  FUNCTION(TIFFOpenOptionsFree) \
  FUNCTION(TIFFOpenOptionsSetErrorHandlerExtR) \
  FUNCTION(TIFFOpenOptionsSetMaxSingleMemAlloc) \
  FUNCTION(TIFFOpenOptionsSetWarningHandlerExtR) \
  FUNCTION(TIFFRGBAImageBegin) \
  FUNCTION(TIFFRGBAImageEnd) \
  FUNCTION(TIFFRGBAImageGet) \
  FUNCTION(TIFFRGBAImageOK) \
  FUNCTION(TIFFReadDirectory) \
  FUNCTION(TIFFReadEncodedTile) \
  FUNCTION(TIFFReadScanline) \
  FUNCTION(TIFFScanlineSize) \
  FUNCTION(TIFFSetDirectory) \
  FUNCTION(TIFFSetField) \
  FUNCTION(TIFFSetSubDirectory) \
  FUNCTION(TIFFStripSize) \
  FUNCTION(TIFFTileSize)

OZU_DECLARE_LIBRARY(tiff, OZU_TIFF_FUNCTIONS)

#ifdef OZU_LOADS_LIBRARIES
#define TIFFClientOpenExt ozu_tiff.TIFFClientOpenExt
#define TIFFClose ozu_tiff.TIFFClose
#define TIFFComputeTile ozu_tiff.TIFFComputeTile
#define TIFFCurrentDirOffset ozu_tiff.TIFFCurrentDirOffset
#define TIFFGetField ozu_tiff.TIFFGetField
#define TIFFGetFieldDefaulted ozu_tiff.TIFFGetFieldDefaulted
#define TIFFIsCODECConfigured ozu_tiff.TIFFIsCODECConfigured
#define TIFFIsTiled ozu_tiff.TIFFIsTiled
#define TIFFLastDirectory ozu_tiff.TIFFLastDirectory
#define TIFFNumberOfStrips ozu_tiff.TIFFNumberOfStrips
#define TIFFNumberOfTiles ozu_tiff.TIFFNumberOfTiles
#define TIFFOpenOptionsAlloc ozu_tiff.TIFFOpenOptionsAlloc
#define TIFFOpenOptionsFree ozu_tiff.TIFFOpenOptionsFree
#define TIFFOpenOptionsSetErrorHandlerExtR ozu_tiff.TIFFOpenOptionsSetErrorHandlerExtR
#define TIFFOpenOptionsSetMaxSingleMemAlloc ozu_tiff.TIFFOpenOptionsSetMaxSingleMemAlloc
#define TIFFOpenOptionsSetWarningHandlerExtR ozu_tiff.TIFFOpenOptionsSetWarningHandlerExtR
#define TIFFRGBAImageBegin ozu_tiff.TIFFRGBAImageBegin
#define TIFFRGBAImageEnd ozu_tiff.TIFFRGBAImageEnd
#define TIFFRGBAImageGet ozu_tiff.TIFFRGBAImageGet
#define TIFFRGBAImageOK ozu_tiff.TIFFRGBAImageOK
#define TIFFReadDirectory ozu_tiff.TIFFReadDirectory
#define TIFFReadEncodedTile ozu_tiff.TIFFReadEncodedTile
#define TIFFReadScanline ozu_tiff.TIFFReadScanline
#define TIFFScanlineSize ozu_tiff.TIFFScanlineSize
#define TIFFSetDirectory ozu_tiff.TIFFSetDirectory
#define TIFFSetField ozu_tiff.TIFFSetField
#define TIFFSetSubDirectory ozu_tiff.TIFFSetSubDirectory
#define TIFFStripSize ozu_tiff.TIFFStripSize
#define TIFFTileSize ozu_tiff.TIFFTileSize
#endif

#endif

#endif
