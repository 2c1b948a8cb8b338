#ifndef OZU_COLOR_H
#define OZU_COLOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A way from the colours of a profile to sRGB, through Little CMS: relative colorimetric with black-point compensation
/// (ISO 18619), whatever intent the profile names. May be used by several threads at a time.
typedef struct OzuColorTransform OzuColorTransform;

/// What the pixels are that go in. BGRA comes out, but for 16 bits, which stay.
typedef enum __attribute__((enum_extensibility(closed))) {
  /// One byte a pixel.
  OzuColorLayoutGray = 0,
  /// BGRA; alpha, not multiplied in, is kept.
  OzuColorLayoutBGRA = 1,
  /// Cyan, magenta, yellow, black; 255 is full ink.
  OzuColorLayoutCMYK = 2,
  /// RGBA in 16 bits a channel, in the order of the machine; alpha, not multiplied in, is kept.
  OzuColorLayoutRGBA16 = 3,
  /// One word of 16 bits a pixel, in the order of the machine. RGBA in 16 bits comes out.
  OzuColorLayoutGray16 = 4,
} OzuColorLayout;

/// The transfer functions that profiles are made for without a file.
typedef enum __attribute__((enum_extensibility(closed))) {
  OzuColorCurveSRGB = 0,
  OzuColorCurveGamma = 1,
} OzuColorCurve;

/// From an ICC profile; NULL when it is broken or is not for such pixels.
OzuColorTransform *ozu_color_transform_new(const uint8_t *profile, size_t size, OzuColorLayout layout);

/// From the chromaticities of white, red, green and blue (x and y each) and a curve.
OzuColorTransform *ozu_color_transform_from_primaries(
    const double chromaticities[8], OzuColorCurve curve, double gamma, OzuColorLayout layout);

/// Whether the darkest colour of the profile is lighter than black and becomes black. False for a profile whose black is
/// black already, and for one whose darkest colour is not the one that it should be.
bool ozu_color_transform_moves_black(const OzuColorTransform *transform);
void ozu_color_transform_free(OzuColorTransform *transform);

/// Converts so many pixels. The alpha of grey is left open. `to` may be `from` where both have the same layout. False,
/// and nothing is written, when one of them has fewer bytes than the pixels take.
bool ozu_color_transform_apply(
    const OzuColorTransform *transform, const uint8_t *from, size_t from_size, uint8_t *to, size_t to_size,
    size_t pixels);

#endif
