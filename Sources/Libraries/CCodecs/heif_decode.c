// HEIC and HEIF decoding through libheif, which turns pictures upright itself. A picture is decoded in one call.

#include "heif_library.h"

#ifdef OZU_HEIF

#include <pthread.h>
#include <stdio.h>

#include "boxes.h"
#include "picture.h"

OZU_DEFINE_LIBRARY(heif, OZU_HEIF_FUNCTIONS, "Read HEIC and HEIF", "libheif.so.1")

typedef struct {
  OzuPictureDecoder base;
  struct heif_context *context;
  struct heif_image_handle *handle;
  struct heif_image *image;
  uint8_t *profile;
  uint8_t *exif;
  uint8_t *xmp;
  uint32_t width;
  uint32_t height;
  int bits;
} HEIFDecoder;

static void start_library(void) { heif.heif_init(NULL); }

// The library's decoders are plugins on some systems: it loads them when it is first used, or here.
static void load_plugins(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, start_library);
}

// Whether the library has a decoder. A plugin that was installed after the library was started is found, too.
static bool has_decoder(enum heif_compression_format format) {
  load_plugins();
  if (heif.heif_have_decoder_for_format(format)) return true;
  static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&loading);
  heif.heif_load_plugins(LIBHEIF_PLUGIN_DIRECTORY, NULL, NULL, 0);
  pthread_mutex_unlock(&loading);
  return heif.heif_have_decoder_for_format(format);
}

// Whether the library lacks the decoder for a coding, and the message about it. The packages are those of Debian and
// Ubuntu.
static bool lacks_decoder(OzuPictureDecoder *base, const char *kind) {
  static const struct {
    const char *kind;
    enum heif_compression_format format;
    const char *message;
  } codings[] = {
      {"hvc1", heif_compression_HEVC, "libheif has no decoder for HEVC: install the package libheif-plugin-libde265"},
      {"av01", heif_compression_AV1, "libheif has no decoder for AV1: install the package libheif-plugin-dav1d"},
      {"jpeg", heif_compression_JPEG, "libheif has no decoder for JPEG"},
      {"avc1", heif_compression_AVC, "libheif has no decoder for AVC"},
      {"j2k1", heif_compression_JPEG2000, "libheif has no decoder for JPEG 2000"},
      {"unci", OZU_HEIF_UNCOMPRESSED, "its pixels are uncompressed"},
  };
  for (size_t i = 0; i < sizeof(codings) / sizeof(codings[0]); i++) {
    if (memcmp(kind, codings[i].kind, 4) != 0 || has_decoder(codings[i].format)) continue;
    ozu_picture_fail(base, codings[i].message);
    base->is_unsupported = true;
    return true;
  }
  return false;
}

static bool lacks_own_decoder(OzuPictureDecoder *base) {
  char kind[4];
  return ozu_boxes_find_coding(base->data, base->size, kind) && lacks_decoder(base, kind);
}

// Names a coding that no version of the library reads: it takes no item of such a kind for a picture.
static bool has_unknown_coding(OzuPictureDecoder *base) {
  static const char known[][5] = {
      "hvc1", "av01", "jpeg", "avc1", "vvc1", "j2k1", "unci", "mski", "iden", "grid", "iovl", "tmap"};
  char kind[4], message[64];
  if (!ozu_boxes_find_coding(base->data, base->size, kind)) return false;
  for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
    if (memcmp(kind, known[i], 4) == 0) return false;
  for (size_t i = 0; i < 4; i++)
    if (kind[i] < 0x20 || kind[i] > 0x7E) return false;
  snprintf(message, sizeof(message), "its coding, %.4s, is not supported", kind);
  ozu_picture_fail(base, message);
  return base->is_unsupported = true;
}

static OzuStatus fail(OzuPictureDecoder *base, struct heif_error error) {
  if (lacks_own_decoder(base) || has_unknown_coding(base)) return OzuStatusFailed;
  ozu_picture_fail(base, error.message);
  // A library that does not know the box "mini" misses the boxes that it stands for.
  bool misses_boxes = error.subcode == heif_suberror_No_ftyp_box || error.subcode == heif_suberror_No_meta_box
      || error.code == heif_error_Unsupported_filetype;
  if (misses_boxes && ozu_boxes_have(base->data, base->size, "mini")) {
    base->is_unsupported = true;
    return ozu_picture_fail(base, "it has a minimised header");
  }
  switch (error.code) {
    case heif_error_Memory_allocation_error:
    case heif_error_Unsupported_feature:
    case heif_error_Unsupported_filetype:
    case heif_error_Decoder_plugin_error:
    case heif_error_Plugin_loading_error: base->is_unsupported = true; break;
    default: break;
  }
  // A limit of the library is no fault of the file.
  if (error.subcode == heif_suberror_Security_limit_exceeded) base->is_unsupported = true;
  // Where a file ends inside a box, the library's error depends on the place. It may also end behind its brands.
  bool is_cut = ozu_boxes_find_end(base->data, base->size) == OzuBoxesEndCut
      || (!ozu_boxes_have(base->data, base->size, "meta") && !ozu_boxes_have(base->data, base->size, "mdat")
          && !ozu_boxes_have(base->data, base->size, "moov"));
  // No part of a picture is there before all of it is.
  base->is_truncated =
      error.subcode == heif_suberror_End_of_data || (is_cut && (misses_boxes || !base->is_unsupported));
  return OzuStatusFailed;
}

static void read_colors(HEIFDecoder *self, OzuPictureInfo *info) {
  size_t size = heif.heif_image_handle_get_raw_color_profile_size(self->handle);
  enum heif_color_profile_type type = heif.heif_image_handle_get_color_profile_type(self->handle);
  bool is_icc = type == heif_color_profile_type_rICC || type == heif_color_profile_type_prof;
  if (is_icc && size > 0 && size <= 16 << 20 && (self->profile = malloc(size)) != NULL
      && heif.heif_image_handle_get_raw_color_profile(self->handle, self->profile).code == heif_error_Ok) {
    info->profile = self->profile;
    info->profile_size = size;
  }
  struct heif_color_profile_nclx *nclx = NULL;
  if (heif.heif_image_handle_get_nclx_color_profile(self->handle, &nclx).code == heif_error_Ok && nclx != NULL) {
    info->primaries = (int)nclx->color_primaries;
    info->transfer = (int)nclx->transfer_characteristics;
    heif.heif_nclx_color_profile_free(nclx);
  }
}

// The largest block of EXIF data or XMP, which are copied when a file is opened: the limit of `ImageMetadata`.
enum { largest_block = 4 << 20 };

static void read_exif(HEIFDecoder *self, OzuPictureInfo *info) {
  heif_item_id block;
  if (heif.heif_image_handle_get_list_of_metadata_block_IDs(self->handle, "Exif", &block, 1) != 1) return;
  size_t size = heif.heif_image_handle_get_metadata_size(self->handle, block);
  if (size == 0 || size > largest_block || (self->exif = malloc(size)) == NULL) return;
  if (heif.heif_image_handle_get_metadata(self->handle, block, self->exif).code == heif_error_Ok)
    ozu_picture_set_exif(info, self->exif, size);
}

// XMP is the item of type "mime" with this content type.
static void read_xmp(HEIFDecoder *self, OzuPictureInfo *info) {
  heif_item_id blocks[16];
  int count = heif.heif_image_handle_get_list_of_metadata_block_IDs(self->handle, "mime", blocks, 16);
  for (int i = 0; i < count; i++) {
    const char *type = heif.heif_image_handle_get_metadata_content_type(self->handle, blocks[i]);
    if (type == NULL || strcmp(type, "application/rdf+xml") != 0) continue;
    size_t size = heif.heif_image_handle_get_metadata_size(self->handle, blocks[i]);
    if (size == 0 || size > largest_block || (self->xmp = malloc(size)) == NULL) return;
    if (heif.heif_image_handle_get_metadata(self->handle, blocks[i], self->xmp).code != heif_error_Ok) return;
    info->xmp = self->xmp;
    info->xmp_size = size;
    return;
  }
}

// Coded pictures consist of blocks, so they are larger than the picture by up to one block on each side.
enum { largest_block_side = 64 };

static OzuStatus open(OzuPictureDecoder *base, OzuPictureInfo *info) {
  HEIFDecoder *self = (HEIFDecoder *)base;
  // The caller's own check then reports the error. It also checks the pixels that are shown, of which there may be
  // fewer than the file has.
  OzuPictureLimits limits = {.side = base->limits.side, .pixels = UINT64_MAX};
  if (ozu_boxes_find_large_item(base->data, base->size, limits, &info->width, &info->height)) return OzuStatusDone;
  load_plugins();
  self->context = heif.heif_context_alloc();
  if (self->context == NULL) return ozu_picture_fail(base, "out of memory");
  uint32_t side = base->limits.side, most = INT32_MAX - largest_block_side;
  heif.heif_context_set_maximum_image_size_limit(self->context, (int)((side < most ? side : most) + largest_block_side));
  heif.heif_context_set_max_decoding_threads(self->context, 0);
  struct heif_error error =
      heif.heif_context_read_from_memory_without_copy(self->context, base->data, base->size, NULL);
  if (error.code != heif_error_Ok) return fail(base, error);
  error = heif.heif_context_get_primary_image_handle(self->context, &self->handle);
  if (error.code != heif_error_Ok) return fail(base, error);
  int width = heif.heif_image_handle_get_width(self->handle), height = heif.heif_image_handle_get_height(self->handle);
  if (width <= 0 || height <= 0) return ozu_picture_fail(base, "a picture without a size");
  info->width = self->width = (uint32_t)width;
  info->height = self->height = (uint32_t)height;
  int bits = heif.heif_image_handle_get_luma_bits_per_pixel(self->handle);
  info->bits = self->bits = bits > 0 ? bits : 8;
  info->is_deep = bits > 8 && bits <= 16;
  info->has_alpha = heif.heif_image_handle_has_alpha_channel(self->handle);
  info->is_premultiplied = info->has_alpha && heif.heif_image_handle_is_premultiplied_alpha(self->handle);
  // The memory for the planes, and for the library's own picture in RGB.
  info->scratch = ozu_product((size_t)width, (size_t)height, bits > 8 ? 12 : 8);
  read_colors(self, info);
  read_exif(self, info);
  read_xmp(self, info);
  return OzuStatusDone;
}

// Scales little-endian samples of `bits` bits, 9 to 16, to 16 bits.
static void spread(const uint8_t *from, uint8_t *to, size_t count, int bits) {
  uint32_t limit = (1u << bits) - 1;
  for (size_t i = 0; i < count; i++, from += 2, to += 2) {
    uint32_t value = (uint32_t)from[0] | (uint32_t)from[1] << 8;
    if (value > limit) value = limit;
    uint16_t wide = (uint16_t)((value * 65535u + limit / 2) / limit);
    memcpy(to, &wide, 2);
  }
}

static OzuStatus step(OzuPictureDecoder *base, uint8_t *pixels, size_t bytes_per_row) {
  HEIFDecoder *self = (HEIFDecoder *)base;
  if (self->handle == NULL) return ozu_picture_fail(base, "it is larger than the limits allow");
  if (self->image == NULL) {
    if (lacks_own_decoder(base)) return OzuStatusFailed;
    struct heif_decoding_options *options = heif.heif_decoding_options_alloc();
    if (options == NULL) return ozu_picture_fail(base, "out of memory");
    options->convert_hdr_to_8bit = !base->makes_deep;
    struct heif_error error = heif.heif_decode_image(
        self->handle, &self->image, heif_colorspace_RGB,
        base->makes_deep ? heif_chroma_interleaved_RRGGBBAA_LE : heif_chroma_interleaved_RGBA, options);
    heif.heif_decoding_options_free(options);
    return error.code == heif_error_Ok ? OzuStatusMore : fail(base, error);
  }
  int stride = 0;
  const uint8_t *rows = heif.heif_image_get_plane_readonly(self->image, heif_channel_interleaved, &stride);
  if (rows == NULL || heif.heif_image_get_width(self->image, heif_channel_interleaved) != (int)self->width
      || heif.heif_image_get_height(self->image, heif_channel_interleaved) != (int)self->height)
    return ozu_picture_fail(base, "it declares two sizes");
  if (stride < 0 || (size_t)stride / (base->makes_deep ? 8 : 4) < self->width)
    return ozu_picture_fail(base, "rows that are too short");
  if (base->makes_deep) {
    int bits = heif.heif_image_get_bits_per_pixel_range(self->image, heif_channel_interleaved);
    if (bits < 9 || bits > 16) return ozu_picture_fail(base, "an unknown depth");
    for (uint32_t y = 0; y < self->height; y++)
      spread(rows + (size_t)y * (size_t)stride, pixels + y * bytes_per_row, (size_t)self->width * 4, bits);
    return OzuStatusDone;
  }
  for (uint32_t y = 0; y < self->height; y++)
    ozu_swap_red_and_blue(rows + (size_t)y * (size_t)stride, pixels + y * bytes_per_row, self->width);
  return OzuStatusDone;
}

// Nearly all files of the format are HEVC.
static bool prepare(OzuPictureDecoder *base) { return !lacks_decoder(base, "hvc1"); }

static void close_decoder(OzuPictureDecoder *base) {
  HEIFDecoder *self = (HEIFDecoder *)base;
  if (self->image != NULL) heif.heif_image_release(self->image);
  if (self->handle != NULL) heif.heif_image_handle_release(self->handle);
  if (self->context != NULL) heif.heif_context_free(self->context);
  free(self->profile);
  free(self->exif);
  free(self->xmp);
}

OzuPictureDecoder *ozu_heif_decoder_new(const uint8_t *data, size_t size, OzuPictureLimits limits) {
  static const OzuPictureOperations operations = {
      open, step, close_decoder, .prepare = prepare, .library = &ozu_heif_library};
  return ozu_picture_new(sizeof(HEIFDecoder), &operations, data, size, limits);
}

#endif
