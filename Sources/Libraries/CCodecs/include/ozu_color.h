#ifndef OZU_COLOR_H
#define OZU_COLOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A transform from the colours of a profile to sRGB, through Little CMS: relative colorimetric with black-point
/// compensation (ISO 18619), whatever intent the profile names. Several threads may use it at the same time.
typedef struct OzuColorTransform OzuColorTransform;

/// The format of the input pixels. The output is BGRA, except for 16 bits, which stay 16 bits.
typedef enum __attribute__((enum_extensibility(closed))) {
  /// One byte for each pixel.
  OzuColorLayoutGray = 0,
  /// BGRA; straight alpha, which is kept.
  OzuColorLayoutBGRA = 1,
  /// Cyan, magenta, yellow, black; 255 is full ink.
  OzuColorLayoutCMYK = 2,
  /// RGBA with 16 bits for each channel in the byte order of the machine; straight alpha, which is kept.
  OzuColorLayoutRGBA16 = 3,
  /// One 16-bit word for each pixel in the byte order of the machine. The output is RGBA in 16 bits.
  OzuColorLayoutGray16 = 4,
} OzuColorLayout;

/// The transfer functions for which profiles are made without a file.
typedef enum __attribute__((enum_extensibility(closed))) {
  OzuColorCurveSRGB = 0,
  OzuColorCurveGamma = 1,
} OzuColorCurve;

/// From an ICC profile; NULL if it is broken or is not for such pixels.
OzuColorTransform *ozu_color_transform_new(const uint8_t *profile, size_t size, OzuColorLayout layout);

/// From the chromaticities of white, red, green and blue (x and y each) and a curve.
OzuColorTransform *ozu_color_transform_from_primaries(
    const double chromaticities[8], OzuColorCurve curve, double gamma, OzuColorLayout layout);

/// Whether the darkest colour of the profile is lighter than black and becomes black. False for a profile whose
/// black is already black, and for one whose black point is not plausible.
bool ozu_color_transform_moves_black(const OzuColorTransform *transform);
void ozu_color_transform_free(OzuColorTransform *transform);

/// Converts `pixels` pixels. The alpha of grey is not written. `to` may be `from` if both have the same layout.
/// False, and nothing is written, if one of them has fewer bytes than the pixels need.
bool ozu_color_transform_apply(
    const OzuColorTransform *transform, const uint8_t *from, size_t from_size, uint8_t *to, size_t to_size,
    size_t pixels);

#endif
