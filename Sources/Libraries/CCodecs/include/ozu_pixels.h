#ifndef OZU_PIXELS_H
#define OZU_PIXELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The format in which decoders write pixels and encoders read them.
typedef enum __attribute__((enum_extensibility(closed))) {
  /// Four bytes: blue, green, red, alpha.
  OzuPixelsBGRA8 = 0,
  /// Four 16-bit integers in the byte order of the machine: red, green, blue, alpha.
  OzuPixelsRGBA16 = 1,
  /// One byte.
  OzuPixelsGray8 = 2,
} OzuPixels;

/// The bytes of a pixel.
size_t ozu_pixel_size(OzuPixels format);

/// The caller's memory for pixels: `height` rows of `width`, `bytes_per_row` apart; padding after the last pixel of
/// the last row may be missing. The caller guarantees the memory, and every function that writes compares the
/// numbers with those that its library is about to write.
typedef struct {
  uint8_t *bytes;
  size_t bytes_per_row;
  uint32_t width;
  uint32_t height;
  OzuPixels format;
} OzuRows;

/// Whether the memory is for exactly `height` rows of `width` pixels of a format, and its rows are long enough.
bool ozu_rows_hold(const OzuRows *rows, uint32_t width, uint32_t height, OzuPixels format);

#endif
