// JPEG XL encoding through libjxl.

#include "jxl_library.h"

#ifdef OZU_JXL

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CCodecs.h"

// The distance of libjxl's own tools for a quality from 0 to 100.
static float distance(double quality) {
  double q = quality * 100;
  if (q >= 100) return 0;
  return (float)(q >= 30 ? 0.1 + (100 - q) * 0.09 : 53.0 / 3000 * q * q - 23.0 / 20 * q + 25);
}

// Pixels as RGBA or RGB, because the library accepts nothing else.
static uint8_t *reordered(const OzuEncodeRequest *request, size_t channels) {
  bool is_deep = request->format == OzuPixelsRGBA16;
  size_t row_size = (size_t)request->width * channels * (is_deep ? 2 : 1), size;
  if (__builtin_mul_overflow(row_size, (size_t)request->height, &size)) return NULL;
  uint8_t *result = malloc(size);
  for (size_t y = 0; result != NULL && y < request->height; y++) {
    const uint8_t *from = request->pixels + y * request->bytes_per_row;
    uint8_t *to = result + y * row_size;
    if (is_deep) {
      for (size_t x = 0; x < request->width; x++) memcpy(to + x * channels * 2, from + x * 8, channels * 2);
      continue;
    }
    for (size_t x = 0; x < request->width; x++, from += 4, to += channels) {
      to[0] = from[2];
      to[1] = from[1];
      to[2] = from[0];
      if (channels == 4) to[3] = from[3];
    }
  }
  return result;
}

// Adds blocks as boxes of the container, uncompressed, because few readers read compressed ones. EXIF data follow
// the offset of their byte-order mark.
static JxlEncoderStatus add_boxes(JxlEncoder *encoder, const OzuEncodeBlocks *blocks) {
  if (blocks->exif == NULL && blocks->xmp == NULL) return JXL_ENC_SUCCESS;
  JxlEncoderStatus status = jxl.JxlEncoderUseBoxes(encoder);
  if (status == JXL_ENC_SUCCESS && blocks->exif != NULL) {
    uint8_t *content = calloc(1, blocks->exif_size + 4);
    if (content == NULL) return JXL_ENC_ERROR;
    memcpy(content + 4, blocks->exif, blocks->exif_size);
    status = jxl.JxlEncoderAddBox(encoder, "Exif", content, blocks->exif_size + 4, JXL_FALSE);
    free(content);
  }
  if (status == JXL_ENC_SUCCESS && blocks->xmp != NULL)
    status = jxl.JxlEncoderAddBox(encoder, "xml ", blocks->xmp, blocks->xmp_size, JXL_FALSE);
  return status;
}

// Passes that refine the picture: for lossy pictures, the means of blocks and then coarse coefficients come first;
// lossless pictures are coded as a pyramid.
static JxlEncoderStatus make_progressive(JxlEncoderFrameSettings *settings, bool is_lossless) {
  if (is_lossless) return jxl.JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_RESPONSIVE, 1);
  JxlEncoderStatus status =
      jxl.JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_PROGRESSIVE_DC, 1);
  if (status != JXL_ENC_SUCCESS) return status;
  return jxl.JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_QPROGRESSIVE_AC, 1);
}

// The colour encoding for numbers of ITU-T H.273; false if the library does not support one.
static bool find_colors(const OzuEncodeRequest *request, JxlColorEncoding *colors, JxlBasicInfo *info) {
  jxl.JxlColorEncodingSetToSRGB(colors, JXL_FALSE);
  switch (request->primaries) {
    case 0: case 1: case 2: break;
    case 9: colors->primaries = JXL_PRIMARIES_2100; break;
    case 12: colors->primaries = JXL_PRIMARIES_P3; break;
    default: return false;
  }
  switch (request->transfer) {
    case 0: case 2: case 13: return true;
    case 1: case 6: case 14: case 15: colors->transfer_function = JXL_TRANSFER_FUNCTION_709; return true;
    case 8: colors->transfer_function = JXL_TRANSFER_FUNCTION_LINEAR; return true;
    // The light of the greatest value, by which the library scales its own colours.
    case 16:
      colors->transfer_function = JXL_TRANSFER_FUNCTION_PQ;
      info->intensity_target = request->peak > 0 && request->peak <= 10000 ? request->peak : 10000;
      return true;
    case 17: colors->transfer_function = JXL_TRANSFER_FUNCTION_DCI; return true;
    case 18:
      colors->transfer_function = JXL_TRANSFER_FUNCTION_HLG;
      info->intensity_target = 1000;
      return true;
    default: return false;
  }
}

static JxlEncoderStatus add(JxlEncoder *encoder, const OzuEncodeRequest *request, const uint8_t *pixels) {
  JxlBasicInfo info;
  jxl.JxlEncoderInitBasicInfo(&info);
  info.xsize = request->width;
  info.ysize = request->height;
  uint32_t bits = request->format == OzuPixelsRGBA16 ? 16 : 8;
  info.bits_per_sample = bits;
  info.uses_original_profile = request->is_lossless;
  info.alpha_bits = request->has_alpha ? bits : 0;
  info.num_extra_channels = request->has_alpha ? 1 : 0;
  JxlColorEncoding colors;
  if (!find_colors(request, &colors, &info)) return JXL_ENC_ERROR;
  JxlEncoderStatus status = jxl.JxlEncoderSetBasicInfo(encoder, &info);
  const OzuEncodeBlocks *blocks = &request->blocks;
  if (status == JXL_ENC_SUCCESS)
    status = blocks->profile != NULL
        ? jxl.JxlEncoderSetICCProfile(encoder, blocks->profile, blocks->profile_size)
        : jxl.JxlEncoderSetColorEncoding(encoder, &colors);
  if (status == JXL_ENC_SUCCESS) status = add_boxes(encoder, blocks);
  if (status != JXL_ENC_SUCCESS) return status;
  JxlEncoderFrameSettings *settings = jxl.JxlEncoderFrameSettingsCreate(encoder, NULL);
  if (settings == NULL) return JXL_ENC_ERROR;
  static const int efforts[] = {3, 5, OZU_JXL_LARGEST_EFFORT};
  status = jxl.JxlEncoderFrameSettingsSetOption(
      settings, JXL_ENC_FRAME_SETTING_EFFORT, efforts[request->effort]);
  if (status != JXL_ENC_SUCCESS) return status;
  status = request->is_lossless ? jxl.JxlEncoderSetFrameLossless(settings, JXL_TRUE)
                                : jxl.JxlEncoderSetFrameDistance(settings, distance(request->quality));
  if (status != JXL_ENC_SUCCESS) return status;
  if (status == JXL_ENC_SUCCESS && request->is_progressive)
    status = make_progressive(settings, request->is_lossless);
  if (status != JXL_ENC_SUCCESS) return status;
  uint32_t channels = request->has_alpha ? 4 : 3;
  JxlPixelFormat format = {channels, bits == 16 ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
  status = jxl.JxlEncoderAddImageFrame(
      settings, &format, pixels, (size_t)request->width * request->height * channels * (bits / 8));
  jxl.JxlEncoderCloseInput(encoder);
  return status;
}

// Whether the library can read the profile that it has written. It accepts any bytes as a profile, and refuses some
// of them when it reads them again, such as some that were compressed to very few bytes: no program could open
// that picture.
static bool has_readable_profile(const OzuBytes *file) {
  JxlDecoder *decoder = jxl.JxlDecoderCreate(NULL);
  if (decoder == NULL) return false;
  bool is_readable = jxl.JxlDecoderSubscribeEvents(decoder, JXL_DEC_COLOR_ENCODING) == JXL_DEC_SUCCESS
      && jxl.JxlDecoderSetInput(decoder, file->bytes, file->count) == JXL_DEC_SUCCESS
      && jxl.JxlDecoderProcessInput(decoder) == JXL_DEC_COLOR_ENCODING;
  jxl.JxlDecoderDestroy(decoder);
  return is_readable;
}

OzuStatus ozu_jxl_encode(
    const OzuEncodeRequest *request, OzuBytes *file, char *message, size_t message_capacity) {
  if (!ozu_encode_request_holds(request) || request->format == OzuPixelsGray8) {
    snprintf(message, message_capacity, "rows that are too short");
    return OzuStatusFailed;
  }
  if (!ozu_dynamic_library_load(&ozu_jxl_library, message, message_capacity)) return OzuStatusFailed;
  JxlEncoder *encoder = jxl.JxlEncoderCreate(NULL);
  uint8_t *pixels = reordered(request, request->has_alpha ? 4 : 3);
  bool is_done = false, has_profile = true, has_memory = encoder != NULL && pixels != NULL;
  if (has_memory && add(encoder, request, pixels) == JXL_ENC_SUCCESS) {
    JxlEncoderStatus status = JXL_ENC_NEED_MORE_OUTPUT;
    while (status == JXL_ENC_NEED_MORE_OUTPUT) {
      // The library wants some room, not just one byte.
      has_memory = ozu_bytes_reserve(file, 4096);
      if (!has_memory) break;
      uint8_t *next = file->bytes + file->count;
      size_t rest = file->capacity - file->count;
      status = jxl.JxlEncoderProcessOutput(encoder, &next, &rest);
      file->count = file->capacity - rest;
    }
    has_profile = status != JXL_ENC_SUCCESS || request->blocks.profile == NULL || has_readable_profile(file);
    is_done = status == JXL_ENC_SUCCESS && has_profile;
  }
  if (!has_memory)
    snprintf(message, message_capacity, "out of memory");
  else if (!has_profile)
    snprintf(message, message_capacity, "libjxl does not read the colour profile that it has written");
  else if (!is_done)
    snprintf(message, message_capacity, "libjxl error %d", (int)jxl.JxlEncoderGetError(encoder));
  if (encoder != NULL) jxl.JxlEncoderDestroy(encoder);
  free(pixels);
  if (is_done) return OzuStatusDone;
  free(file->bytes);
  *file = (OzuBytes){0};
  return OzuStatusFailed;
}

#endif
