// The header of a JPEG XL: the facts about the picture, and the delays of its frames.

#include "jxl_library.h"

#ifdef OZU_JXL

#include "jxl_decoder.h"

static void read_colors(JXLDecoder *self, OzuPictureInfo *info) {
  JxlColorEncoding encoding;
  if (jxl.JxlDecoderGetColorAsEncodedProfile(
          OZU_JXL_COLORS_OF(self->decoder), JXL_COLOR_PROFILE_TARGET_DATA, &encoding) == JXL_DEC_SUCCESS
      && encoding.white_point == JXL_WHITE_POINT_D65
      && encoding.transfer_function != JXL_TRANSFER_FUNCTION_GAMMA
      && encoding.transfer_function != JXL_TRANSFER_FUNCTION_UNKNOWN
      && (encoding.color_space == JXL_COLOR_SPACE_GRAY
          || (encoding.color_space == JXL_COLOR_SPACE_RGB && encoding.primaries != JXL_PRIMARIES_CUSTOM))) {
    // The numbers are those of H.273, except for P3 with the white point D65.
    info->primaries = encoding.color_space == JXL_COLOR_SPACE_GRAY ? 1
        : encoding.primaries == JXL_PRIMARIES_P3 ? 12 : (int)encoding.primaries;
    info->transfer = (int)encoding.transfer_function;
    return;
  }
  size_t size = 0;
  if (jxl.JxlDecoderGetICCProfileSize(
          OZU_JXL_COLORS_OF(self->decoder), JXL_COLOR_PROFILE_TARGET_DATA, &size) != JXL_DEC_SUCCESS
      || size == 0 || size > 16 << 20 || (self->profile = malloc(size)) == NULL)
    return;
  if (jxl.JxlDecoderGetColorAsICCProfile(
          OZU_JXL_COLORS_OF(self->decoder), JXL_COLOR_PROFILE_TARGET_DATA, self->profile, size) != JXL_DEC_SUCCESS)
    return;
  info->profile = self->profile;
  info->profile_size = size;
}

// Finds out whether the colours are inks: only a profile can say that. Of the four inks, black is an extra channel.
static void find_inks(JXLDecoder *self, OzuPictureInfo *info) {
  enum { space = 16 };
  self->has_inks = self->info.num_color_channels == 3 && info->profile_size >= space + 4
      && memcmp(info->profile + space, "CMYK", 4) == 0;
  if (!self->has_inks) return;
  for (uint32_t i = 0; i < self->info.num_extra_channels && self->black_channel < 0; i++) {
    JxlExtraChannelInfo channel;
    if (jxl.JxlDecoderGetExtraChannelInfo(self->decoder, i, &channel) == JXL_DEC_SUCCESS
        && channel.type == JXL_CHANNEL_BLACK)
      self->black_channel = (int)i;
  }
  info->is_cmyk = true;
  info->is_deep = false;
  info->drops_alpha = info->has_alpha;
  info->has_alpha = info->is_premultiplied = false;
}

// The most bytes of EXIF data or XMP that are unpacked: the limit of `ImageMetadata`.
enum { largest_block = 4 << 20 };

// Unpacks a box whose content is compressed ("brob"), through the library. NULL if it cannot; otherwise the caller frees
// the bytes.
static uint8_t *unpack(const uint8_t *box, size_t size, size_t *unpacked_size) {
  // The library takes no box before these two, with which every file begins. The rest of the file is not shown to it.
  static const uint8_t head[32] = {
      0,   0,   0,   12,  'J', 'X', 'L', ' ', 0x0D, 0x0A, 0x87, 0x0A, 0,   0,   0,   20,
      'f', 't', 'y', 'p', 'j', 'x', 'l', ' ', 0,    0,    0,    0,    'j', 'x', 'l', ' '};
  JxlDecoder *decoder = jxl.JxlDecoderCreate(NULL);
  if (decoder == NULL) return NULL;
  OzuBytes content = {0};
  bool has_room = false, is_whole = false;
  bool is_ready = jxl.JxlDecoderSubscribeEvents(decoder, JXL_DEC_BOX) == JXL_DEC_SUCCESS
      && jxl.JxlDecoderSetDecompressBoxes(decoder, JXL_TRUE) == JXL_DEC_SUCCESS
      && jxl.JxlDecoderSetInput(decoder, head, sizeof(head)) == JXL_DEC_SUCCESS;
  for (bool is_in_box = false; is_ready;) {
    JxlDecoderStatus status = jxl.JxlDecoderProcessInput(decoder);
    if (has_room) content.count = content.capacity - jxl.JxlDecoderReleaseBoxBuffer(decoder);
    has_room = false;
    if (status == JXL_DEC_NEED_MORE_INPUT) {
      // The end of the head, or of the box.
      is_whole = is_in_box;
      if (is_in_box || jxl.JxlDecoderReleaseInput(decoder) > 0
          || jxl.JxlDecoderSetInput(decoder, box, size) != JXL_DEC_SUCCESS)
        break;
      is_in_box = true;
    } else if (status != JXL_DEC_BOX && status != JXL_DEC_BOX_NEED_MORE_OUTPUT) {
      break;
    } else if (is_in_box) {
      if (content.count > largest_block || !ozu_bytes_reserve(&content, 1)) break;
      has_room = jxl.JxlDecoderSetBoxBuffer(decoder, content.bytes + content.count, content.capacity - content.count)
          == JXL_DEC_SUCCESS;
      if (!has_room) break;
    }
  }
  jxl.JxlDecoderDestroy(decoder);
  *unpacked_size = content.count;
  if (is_whole && content.count > 0 && content.count <= largest_block) return content.bytes;
  free(content.bytes);
  return NULL;
}

// Finds EXIF data and XMP in the boxes of the container (ISO/IEC 18181-2 §9). libjxl compresses those of a JPEG that it
// stores; the name of such a box is the first word of its content.
static void find_blocks(JXLDecoder *self, OzuPictureInfo *info) {
  static const uint8_t signature[8] = {0, 0, 0, 12, 'J', 'X', 'L', ' '};
  const OzuPictureDecoder *base = &self->base;
  if (base->size < 12 || memcmp(base->data, signature, sizeof(signature)) != 0) return;
  // Only the first compressed box of each kind is unpacked: a file could have any number of them.
  bool has_packed_exif = false, has_packed_xmp = false;
  size_t at = 0;
  while (base->size - at >= 8) {
    const uint8_t *box = base->data + at;
    uint64_t length = (uint64_t)box[0] << 24 | (uint64_t)box[1] << 16 | (uint64_t)box[2] << 8 | box[3];
    size_t head = 8, rest = base->size - at;
    if (length == 1 && rest >= 16) {
      head = 16;
      length = 0;
      for (int i = 8; i < 16; i++) length = length << 8 | box[i];
    }
    if (length == 0) length = rest;
    if (length < head || length > rest) return;
    const uint8_t *content = box + head;
    size_t size = (size_t)length - head;
    bool is_packed = memcmp(box + 4, "brob", 4) == 0 && size >= 4;
    const uint8_t *name = is_packed ? content : box + 4;
    bool is_exif = memcmp(name, "Exif", 4) == 0 && info->exif == NULL && !(is_packed && has_packed_exif);
    bool is_xmp = memcmp(name, "xml ", 4) == 0 && info->xmp == NULL && !(is_packed && has_packed_xmp);
    if (is_packed && is_exif) {
      has_packed_exif = true;
      content = self->exif = unpack(box, (size_t)length, &size);
    } else if (is_packed && is_xmp) {
      has_packed_xmp = true;
      content = self->xmp = unpack(box, (size_t)length, &size);
    }
    if (is_exif && content != NULL) ozu_picture_set_exif(info, content, size);
    if (is_xmp && content != NULL && size > 0) {
      info->xmp = content;
      info->xmp_size = size;
    }
    at += (size_t)length;
  }
}

// Stores the delay of the next frame, unless it is over the limit on frames; false if memory is short.
static bool note_delay(JXLDecoder *self, double delay) {
  if (self->known_delays == self->base.limits.frames) return true;
  if (self->known_delays == self->delay_room) {
    uint32_t room = self->delay_room == 0 ? 64 : self->delay_room * 2;
    double *delays = realloc(self->delays, room * sizeof(double));
    if (delays == NULL) return false;
    self->delays = delays;
    self->delay_room = room;
  }
  self->delays[self->known_delays++] = delay;
  return true;
}

// Counts the frames of an animation, without decoding them, and stores their delays. Sets `is_cut` if the file ends in a
// frame. The library steps over all frames but the last, so it does not tell whether that one is wholly there.
static bool read_frames(JXLDecoder *self, bool *is_cut) {
  JxlDecoder *decoder = jxl.JxlDecoderCreate(NULL);
  if (decoder == NULL) return false;
  bool has_room = true, is_last = false;
  JxlDecoderStatus status = JXL_DEC_SUCCESS;
  double tick = 1000.0 * self->info.animation.tps_denominator / self->info.animation.tps_numerator;
  jxl.JxlDecoderSubscribeEvents(decoder, JXL_DEC_FRAME);
  jxl.JxlDecoderSetInput(decoder, self->base.data, self->base.size);
  while (has_room && self->frames < OZU_LARGEST_FRAME_COUNT
         && (status = jxl.JxlDecoderProcessInput(decoder)) == JXL_DEC_FRAME) {
    JxlFrameHeader header;
    if (jxl.JxlDecoderGetFrameHeader(decoder, &header) != JXL_DEC_SUCCESS) break;
    has_room = note_delay(self, header.duration * tick);
    is_last = header.is_last;
    self->frames++;
  }
  jxl.JxlDecoderDestroy(decoder);
  *is_cut = status == JXL_DEC_NEED_MORE_INPUT && !is_last;
  return has_room;
}

// Whether the first frame is coded by transforms of blocks, as lossy pictures are, and not by predictions
// (modular).
//
// The library does not report this. When it has read the colours, its input is at the start of the frame (ISO/IEC
// 18181-1, F.2): a bit that is set if all fields have their defaults, two bits for the type of the frame, and one
// bit for its coding. Frames of types 1 and 2 are only referred to by the picture and are always coded by
// predictions: one of them in the colours that only lossy pictures have counts as lossy.
static bool has_transforms(JXLDecoder *self) {
  size_t rest = jxl.JxlDecoderReleaseInput(self->decoder), at = self->given - rest;
  bool is_there = rest > 0 && at < self->base.size;
  if (rest > 0 && jxl.JxlDecoderSetInput(self->decoder, self->base.data + at, rest) != JXL_DEC_SUCCESS) return false;
  if (!is_there) return false;
  uint8_t first = self->base.data[at];
  enum { all_default = 1, type = 6, is_modular = 8 };
  if ((first & all_default) != 0) return true;
  return (first & type) != 0 ? !self->info.uses_original_profile : (first & is_modular) == 0;
}

// The library's memory beside the pixels, as measured with versions 0.7 and 0.11, which take the same
// (`RenderPriceTests`). Pictures that are coded by predictions take 2 to 7 bytes for each pixel, but those that come in
// passes take 25 to 35: their beginning does not show which, so the number is between. With more than 8 bits all pixels
// are kept in floating point until the last one.
enum { most_bytes_per_pixel = 36 };

static size_t bytes_per_pixel(JXLDecoder *self) {
  size_t deep = self->info.bits_per_sample > 8 ? 12 : 0, animated = self->info.have_animation ? 4 : 0;
  // The samples of black, which are kept here.
  if (self->black_channel >= 0) deep++;
  if (!has_transforms(self)) return 12 + deep;
  return (self->info.num_extra_channels > 0 ? most_bytes_per_pixel : 4) + deep + animated;
}

OzuStatus ozu_jxl_open(OzuPictureDecoder *base, OzuPictureInfo *info) {
  JXLDecoder *self = (JXLDecoder *)base;
  self->black_channel = -1;
  self->decoder = jxl.JxlDecoderCreate(NULL);
  if (self->decoder == NULL) return ozu_picture_fail(base, "out of memory");
  jxl.JxlDecoderSubscribeEvents(
      self->decoder, JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING | JXL_DEC_FULL_IMAGE);
  jxl.JxlDecoderSetKeepOrientation(self->decoder, JXL_TRUE);
  while (true) {
    switch (jxl.JxlDecoderProcessInput(self->decoder)) {
      case JXL_DEC_NEED_MORE_INPUT:
        if (!ozu_jxl_give_more(self)) return OzuStatusTruncated;
        break;
      case JXL_DEC_BASIC_INFO:
        if (jxl.JxlDecoderGetBasicInfo(self->decoder, &self->info) != JXL_DEC_SUCCESS)
          return ozu_picture_fail(base, "no basic information");
        info->width = self->info.xsize;
        info->height = self->info.ysize;
        info->orientation = (int)self->info.orientation;
        info->bits = (int)self->info.bits_per_sample;
        info->is_deep = info->bits > 8;
        info->has_alpha = self->info.alpha_bits > 0;
        info->is_premultiplied = self->info.alpha_premultiplied;
        info->is_gray = self->info.num_color_channels == 1;
        // 10,000 is the end of PQ, which is in files that declare nothing; 255 is for pictures that are not
        // brighter than white.
        if (self->info.intensity_target != 255 && self->info.intensity_target != 10000)
          info->peak = self->info.intensity_target;
        info->scratch = ozu_product(info->width, info->height, most_bytes_per_pixel);
        if (info->width > base->limits.side || info->height > base->limits.side
            || (uint64_t)info->width * info->height > base->limits.pixels)
          return OzuStatusDone;
        break;
      case JXL_DEC_COLOR_ENCODING:
        read_colors(self, info);
        find_inks(self, info);
        find_blocks(self, info);
        info->scratch = ozu_product(info->width, info->height, bytes_per_pixel(self));
        if (self->info.have_animation && self->info.animation.tps_numerator > 0) {
          if (!read_frames(self, &info->is_cut)) return ozu_picture_fail(base, "out of memory");
          info->frames = self->frames > 0 ? self->frames : 1;
          info->whole_frames = info->frames - 1;
          info->loops = self->info.animation.num_loops;
        }
        return OzuStatusDone;
      default: return ozu_picture_fail(base, "the coded data break the rules");
    }
  }
}

#endif
