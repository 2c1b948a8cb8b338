// JPEG XL decoding through libjxl, on the calling thread. The file is passed in pieces, so that decoding can be
// stopped between two of them.
//
// The input is never closed: the library then asks for more bytes at the end of a truncated file. If it is told
// that there are no more, it reports the same file as broken, and Debian's build prints a line to standard error.

#include "jxl_library.h"

#ifdef OZU_JXL

#include "jxl_decoder.h"

OZU_DEFINE_LIBRARY(jxl, OZU_JXL_FUNCTIONS, "Read and write JPEG XL", OZU_JXL_SONAME)

enum { smallest_piece = 1 << 16, pieces = 32 };

bool ozu_jxl_give_more(JXLDecoder *self) {
  size_t rest = jxl.JxlDecoderReleaseInput(self->decoder);
  size_t done = self->given - rest;
  if (self->given == self->base.size) return false;
  size_t piece = self->base.size / pieces > smallest_piece ? self->base.size / pieces : smallest_piece;
  size_t end = self->base.size - self->given < piece ? self->base.size : self->given + piece;
  self->given = end;
  if (jxl.JxlDecoderSetInput(self->decoder, self->base.data + done, end - done) != JXL_DEC_SUCCESS) return false;
  return true;
}

// Takes a part of a row in floating point. For 16 bits the library keeps a whole picture in floating point, unless
// it is asked for rows like this; it then takes 1.7 times as long as for 8 bits.
static void take_row(void *opaque, size_t x, size_t y, size_t count, const void *pixels) {
  const JXLDecoder *self = opaque;
  if (self->rows == NULL || y >= self->info.ysize || x > self->info.xsize || count > self->info.xsize - x) return;
  const float *from = pixels;
  uint16_t *to = (uint16_t *)(void *)(self->rows + y * self->bytes_per_row) + x * 4;
  for (size_t i = 0; i < count * 4; i++) {
    // NaN becomes 0.
    float value = from[i] > 0 ? from[i] : 0;
    to[i] = (uint16_t)(int32_t)((value < 1 ? value : 1) * 65535 + 0.5f);
  }
}

// Sets the output: 16-bit colours row by row, others into the caller's memory.
static bool set_output(JXLDecoder *self, uint8_t *pixels, size_t room) {
  bool is_deep = self->base.makes_deep;
  if (is_deep && self->info.num_color_channels == 3) {
    JxlPixelFormat format = {4, JXL_TYPE_FLOAT, JXL_NATIVE_ENDIAN, 0};
    return jxl.JxlDecoderSetImageOutCallback(self->decoder, &format, take_row, self) == JXL_DEC_SUCCESS;
  }
  // The library wants to know the alignment of rows: the distance is the next multiple of it.
  JxlPixelFormat format = {4, is_deep ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 16};
  size_t size = 0;
  // It also counts the padding after the last pixel of the last row, though it does not write there.
  return jxl.JxlDecoderImageOutBufferSize(self->decoder, &format, &size) == JXL_DEC_SUCCESS && size <= room
      && jxl.JxlDecoderSetImageOutBuffer(self->decoder, &format, pixels, room) == JXL_DEC_SUCCESS;
}

// Sets the output of the black ink, if there is one: after that of the colours, for each frame.
static bool set_black_output(JXLDecoder *self) {
  if (self->black_channel < 0) return true;
  JxlPixelFormat format = {1, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
  uint32_t channel = (uint32_t)self->black_channel;
  size_t size = 0, room = (size_t)self->info.xsize * self->info.ysize;
  if (self->black == NULL) self->black = calloc(room, 1);
  return self->black != NULL
      && jxl.JxlDecoderExtraChannelBufferSize(self->decoder, &format, &size, channel) == JXL_DEC_SUCCESS && size <= room
      && jxl.JxlDecoderSetExtraChannelBuffer(self->decoder, &format, self->black, room, channel) == JXL_DEC_SUCCESS;
}

// Makes CMYK, or else BGRA as if inks were ideal, of a row of inks. In JPEG XL, 0 is full ink.
static void finish_inks(const JXLDecoder *self, uint8_t *row, const uint8_t *black) {
  for (uint32_t x = 0; x < self->info.xsize; x++, row += 4) {
    uint8_t light[4] = {row[0], row[1], row[2], black != NULL ? black[x] : 255};
    if (self->base.keeps_cmyk) {
      for (int i = 0; i < 4; i++) row[i] = (uint8_t)(255 - light[i]);
      continue;
    }
    for (int i = 0; i < 3; i++) row[i] = (uint8_t)((light[2 - i] * light[3] + 127) / 255);
    row[3] = 255;
  }
}

// The library writes red first.
static void finish(const JXLDecoder *self, uint8_t *pixels, size_t bytes_per_row) {
  for (uint32_t y = 0; !self->base.makes_deep && y < self->info.ysize; y++) {
    uint8_t *row = pixels + y * bytes_per_row;
    if (self->has_inks)
      finish_inks(self, row, self->black != NULL ? self->black + (size_t)y * self->info.xsize : NULL);
    else
      ozu_swap_red_and_blue(row, row, self->info.xsize);
  }
}

static OzuStatus step_with_rows(JXLDecoder *self, uint8_t *pixels, size_t bytes_per_row) {
  OzuPictureDecoder *base = &self->base;
  switch (jxl.JxlDecoderProcessInput(self->decoder)) {
    case JXL_DEC_NEED_MORE_INPUT:
      if (ozu_jxl_give_more(self)) return OzuStatusMore;
      if (self->has_output && jxl.JxlDecoderFlushImage(self->decoder) == JXL_DEC_SUCCESS)
        finish(self, pixels, bytes_per_row);
      return OzuStatusTruncated;
    case JXL_DEC_NEED_IMAGE_OUT_BUFFER: {
      size_t row_size = (size_t)self->info.xsize * (base->makes_deep ? 8 : 4);
      if (self->info.xsize != base->width || self->info.ysize != base->height
          || bytes_per_row != ((row_size + 15) & ~(size_t)15)
          || !set_output(self, pixels, bytes_per_row * self->info.ysize) || !set_black_output(self))
        return ozu_picture_fail(base, "a picture that does not fit its size");
      self->has_output = true;
      return OzuStatusMore;
    }
    case JXL_DEC_FULL_IMAGE:
      self->frame++;
      self->has_output = false;
      finish(self, pixels, bytes_per_row);
      return OzuStatusDone;
    case JXL_DEC_COLOR_ENCODING: return OzuStatusMore;
    default: return ozu_picture_fail(base, "the coded data break the rules");
  }
}

static OzuStatus step(OzuPictureDecoder *base, uint8_t *pixels, size_t bytes_per_row) {
  JXLDecoder *self = (JXLDecoder *)base;
  self->rows = pixels;
  self->bytes_per_row = bytes_per_row;
  OzuStatus status = step_with_rows(self, pixels, bytes_per_row);
  self->rows = NULL;
  return status;
}

static OzuStatus select_frame(OzuPictureDecoder *base, uint32_t frame) {
  JXLDecoder *self = (JXLDecoder *)base;
  if (frame == self->frame && !self->has_output) return OzuStatusDone;
  jxl.JxlDecoderRewind(self->decoder);
  jxl.JxlDecoderSubscribeEvents(self->decoder, JXL_DEC_FULL_IMAGE);
  jxl.JxlDecoderSetKeepOrientation(self->decoder, JXL_TRUE);
  jxl.JxlDecoderSkipFrames(self->decoder, frame);
  self->frame = frame;
  self->has_output = false;
  self->given = 0;
  return OzuStatusDone;
}

static OzuStatus delay(OzuPictureDecoder *base, uint32_t frame, double *milliseconds) {
  JXLDecoder *self = (JXLDecoder *)base;
  if (frame >= self->known_delays) return ozu_picture_fail(base, "it has fewer frames");
  *milliseconds = self->delays[frame];
  return OzuStatusDone;
}

static void close_decoder(OzuPictureDecoder *base) {
  JXLDecoder *self = (JXLDecoder *)base;
  if (self->decoder != NULL) jxl.JxlDecoderDestroy(self->decoder);
  free(self->profile);
  free(self->exif);
  free(self->xmp);
  free(self->black);
  free(self->delays);
}

OzuPictureDecoder *ozu_jxl_decoder_new(const uint8_t *data, size_t size, OzuPictureLimits limits) {
  static const OzuPictureOperations operations = {
      ozu_jxl_open, step, close_decoder, select_frame, delay, .library = &ozu_jxl_library};
  return ozu_picture_new(sizeof(JXLDecoder), &operations, data, size, limits);
}

#endif
