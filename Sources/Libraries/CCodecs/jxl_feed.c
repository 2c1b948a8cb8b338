// JPEG XL decoding of a file that is still arriving, through libjxl. JxlDecoderReleaseInput returns the bytes that
// were not used; they are passed again with the next call.

#include "jxl_library.h"

#ifdef OZU_JXL

#include <stdlib.h>

#include "CCodecs.h"

struct OzuJXLFeed {
  JxlDecoder *decoder;
  uint8_t *pixels;
  size_t size;
  uint32_t width;
  uint32_t height;
  size_t consumed;
  int has_output;
};

OzuJXLFeed *ozu_jxl_feed_new(OzuRows rows) {
  size_t row_size = (size_t)rows.width * 4;
  if (rows.height == 0 || !ozu_rows_hold(&rows, rows.width, rows.height, OzuPixelsBGRA8)
      || rows.bytes_per_row != ((row_size + 15) & ~(size_t)15))
    return NULL;
  char message[1];
  if (!ozu_dynamic_library_load(&ozu_jxl_library, message, sizeof(message))) return NULL;
  OzuJXLFeed *feed = calloc(1, sizeof(OzuJXLFeed));
  if (feed == NULL) return NULL;
  feed->pixels = rows.bytes;
  // The library also counts the padding after the last pixel of the last row, though it does not write there.
  feed->size = rows.bytes_per_row * rows.height;
  feed->width = rows.width;
  feed->height = rows.height;
  feed->decoder = jxl.JxlDecoderCreate(NULL);
  if (feed->decoder != NULL
      && jxl.JxlDecoderSubscribeEvents(
             feed->decoder, JXL_DEC_BASIC_INFO | JXL_DEC_FRAME_PROGRESSION | JXL_DEC_FULL_IMAGE)
          == JXL_DEC_SUCCESS) {
    jxl.JxlDecoderSetKeepOrientation(feed->decoder, JXL_TRUE);
    jxl.JxlDecoderSetProgressiveDetail(feed->decoder, kPasses);
    return feed;
  }
  ozu_jxl_feed_free(feed);
  return NULL;
}

void ozu_jxl_feed_free(OzuJXLFeed *feed) {
  if (feed == NULL) return;
  if (feed->decoder != NULL) jxl.JxlDecoderDestroy(feed->decoder);
  free(feed);
}

static OzuStatus process(OzuJXLFeed *feed) {
  while (1) {
    switch (jxl.JxlDecoderProcessInput(feed->decoder)) {
      case JXL_DEC_NEED_MORE_INPUT: return OzuStatusTruncated;
      case JXL_DEC_BASIC_INFO: {
        JxlBasicInfo info;
        if (jxl.JxlDecoderGetBasicInfo(feed->decoder, &info) != JXL_DEC_SUCCESS || info.xsize != feed->width
            || info.ysize != feed->height)
          return OzuStatusFailed;
        break;
      }
      case JXL_DEC_NEED_IMAGE_OUT_BUFFER: {
        // The distance of a bitmap's rows is the next multiple of 16 bytes.
        JxlPixelFormat format = {4, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 16};
        size_t size = 0;
        if (jxl.JxlDecoderImageOutBufferSize(feed->decoder, &format, &size) != JXL_DEC_SUCCESS
            || size > feed->size
            || jxl.JxlDecoderSetImageOutBuffer(feed->decoder, &format, feed->pixels, feed->size)
                != JXL_DEC_SUCCESS)
          return OzuStatusFailed;
        feed->has_output = 1;
        break;
      }
      case JXL_DEC_FRAME_PROGRESSION: return OzuStatusMore;
      case JXL_DEC_FULL_IMAGE: return OzuStatusDone;
      default: return OzuStatusFailed;
    }
  }
}

OzuStatus ozu_jxl_feed_read(OzuJXLFeed *feed, const uint8_t *data, size_t size) {
  if (size <= feed->consumed) return OzuStatusTruncated;
  if (jxl.JxlDecoderSetInput(feed->decoder, data + feed->consumed, size - feed->consumed) != JXL_DEC_SUCCESS)
    return OzuStatusFailed;
  OzuStatus status = process(feed);
  feed->consumed = size - jxl.JxlDecoderReleaseInput(feed->decoder);
  return status;
}

OzuStatus ozu_jxl_feed_flush(OzuJXLFeed *feed) {
  if (!feed->has_output) return OzuStatusMore;
  return jxl.JxlDecoderFlushImage(feed->decoder) == JXL_DEC_SUCCESS ? OzuStatusDone : OzuStatusMore;
}

#endif
