#ifndef OZU_PIXELS_H
#define OZU_PIXELS_H

/// How decoders write pixels and encoders read them.
typedef enum __attribute__((enum_extensibility(closed))) {
  /// Four bytes: blue, green, red, alpha.
  OzuPixelsBGRA8 = 0,
  /// Four 16-bit integers in the order of the machine: red, green, blue, alpha.
  OzuPixelsRGBA16 = 1,
  /// One byte.
  OzuPixelsGray8 = 2,
} OzuPixels;

#endif
