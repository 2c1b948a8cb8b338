// Checks of the caller's memory.

#include "CCodecs.h"

size_t ozu_pixel_size(OzuPixels format) {
  switch (format) {
    case OzuPixelsBGRA8: return 4;
    case OzuPixelsRGBA16: return 8;
    case OzuPixelsGray8: return 1;
  }
  return SIZE_MAX;
}

bool ozu_rows_hold(const OzuRows *rows, uint32_t width, uint32_t height, OzuPixels format) {
  return rows->bytes != NULL && rows->format == format && rows->width == width && rows->height == height
      && rows->bytes_per_row / ozu_pixel_size(format) >= width;
}

bool ozu_encode_request_holds(const OzuEncodeRequest *request) {
  return request->pixels != NULL && request->width > 0 && request->height > 0
      && request->width <= INT32_MAX && request->height <= INT32_MAX && request->bytes_per_row <= INT32_MAX
      && request->bytes_per_row / ozu_pixel_size(request->format) >= request->width;
}
