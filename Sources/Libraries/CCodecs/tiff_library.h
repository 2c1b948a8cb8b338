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

#endif

#endif
