#ifndef OZU_PICTURE_H
#define OZU_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ozu_pixels.h"
#include "ozu_status.h"

/// A decoder over one of the libraries of the package traits: libavif, libheif, libjxl, libtiff, librsvg. All of
/// them have this one interface. Belongs to one thread at a time.
typedef struct OzuPictureDecoder OzuPictureDecoder;

/// The count at which frames are no longer counted.
enum { OZU_LARGEST_FRAME_COUNT = 65536 };

/// The largest number of smaller renditions that are searched for in a file.
enum { OZU_MOST_LEVELS = 16 };

/// A smaller rendition of the picture in the same file.
typedef struct {
  uint32_t width;
  uint32_t height;
  /// The place in the file that describes it.
  uint64_t place;
} OzuPictureLevel;

/// The limits of the library's work that the caller cannot check.
typedef struct {
  uint32_t side;
  uint64_t pixels;
  /// The most frames that are played; nothing is kept of further frames.
  uint32_t frames;
  size_t bytes;
} OzuPictureLimits;

/// The facts in a header.
typedef struct {
  /// As stored, before it is turned upright.
  uint32_t width;
  uint32_t height;
  /// The size of a drawing in fractions of a pixel, of which `width` and `height` are rounded up; 0 for a picture.
  double drawing_width;
  double drawing_height;
  /// How it is turned upright, as in EXIF: 1 to 8.
  int orientation;
  int bits;
  bool has_alpha;
  bool is_gray;
  bool is_cmyk;
  /// Whether there is alpha that is not returned.
  bool drops_alpha;
  /// Whether there are pages after the picture that are neither smaller renditions nor masks.
  bool has_pages;
  /// Why the pixels cannot be read, as far as the header shows it; valid as long as the decoder. NULL if they can.
  const char *unread;
  /// Whether `step` returns premultiplied colours.
  bool is_premultiplied;
  /// Counted up to `OZU_LARGEST_FRAME_COUNT`.
  uint32_t frames;
  uint32_t loops;
  /// Whether the file ends before the last of its frames does, and how many are wholly there.
  bool is_cut;
  uint32_t whole_frames;
  /// An embedded ICC profile that belongs to the decoder; NULL when there is none.
  const uint8_t *profile;
  size_t profile_size;
  /// Colour primaries and transfer function by ITU-T H.273; 2 if not declared.
  int primaries;
  int transfer;
  /// The brightest pixel in candelas per square metre; 0 if not declared.
  float peak;
  /// 0 if not declared.
  double dots_per_inch;
  /// EXIF data that belong to the decoder, with or without `Exif\0\0` before them; NULL if there are none.
  const uint8_t *exif;
  size_t exif_size;
  /// An XMP packet that belongs to the decoder; NULL if there is none.
  const uint8_t *xmp;
  size_t xmp_size;
  /// Whether pixels with more than 8 bits are available.
  bool is_deep;
  /// The bytes that decoding takes beside the pixels.
  size_t scratch;
  /// Whether `ozu_picture_planes` can be called.
  bool has_planes;
  /// How many pixels a chroma sample covers on each side; 0 for a grey picture.
  int chroma_columns;
  int chroma_rows;
  /// Whether `ozu_picture_row` can be called.
  bool has_rows;
  /// The bytes of a pixel in the result of `ozu_picture_samples`: 1 for grey, 3 for red, green and blue; 0 if it
  /// cannot be called.
  int row_channels;
  /// The columns and rows at which `ozu_picture_cut` can cut: multiples of these; 0 if it cannot.
  uint32_t region_width;
  uint32_t region_height;
  /// Whether decoding a part costs much less than the whole.
  bool has_parts;
  /// The bytes of `scratch` for each column of the picture: a narrower part needs less.
  size_t column_scratch;
  /// Smaller renditions of the same picture, as the file declares them; in no order.
  uint32_t level_count;
  OzuPictureLevel levels[OZU_MOST_LEVELS];
} OzuPictureInfo;

/// One of the levels; the index is below `level_count`.
OzuPictureLevel ozu_picture_level(const OzuPictureInfo *info, uint32_t index);

/// A decoded picture in luma and chroma.
typedef struct {
  /// Luma, blue difference, red difference; the last two are NULL for a grey picture. Samples of more than 8 bits
  /// are 16-bit words.
  const uint8_t *samples[3];
  size_t bytes_per_row[3];
  uint32_t width;
  uint32_t height;
  int bits;
  bool is_full_range;
  /// By ITU-T H.273.
  int matrix;
} OzuPicturePlanes;

/// Make a decoder; NULL if memory is short. `data` must outlive it. Each is defined only with its trait.
///
/// If the program is not linked with the library, `ozu_picture_open` loads it.
OzuPictureDecoder *ozu_avif_decoder_new(const uint8_t *data, size_t size, OzuPictureLimits limits);
OzuPictureDecoder *ozu_heif_decoder_new(const uint8_t *data, size_t size, OzuPictureLimits limits);
OzuPictureDecoder *ozu_jxl_decoder_new(const uint8_t *data, size_t size, OzuPictureLimits limits);
OzuPictureDecoder *ozu_tiff_decoder_new(const uint8_t *data, size_t size, OzuPictureLimits limits);
/// For a smaller rendition, found at `place` by a decoder of the same file. It has no levels of its own.
OzuPictureDecoder *ozu_tiff_level_decoder_new(
    const uint8_t *data, size_t size, OzuPictureLimits limits, uint64_t place);
/// Drawings recurse with their nesting: on threads with deep stacks, or on the caller's stack if that is deep.
OzuPictureDecoder *ozu_svg_decoder_new(
    const uint8_t *data, size_t size, OzuPictureLimits limits, bool caller_has_deep_stack);
void ozu_picture_free(OzuPictureDecoder *decoder);

/// The library's message about the last failure. Valid until the next call.
const char *ozu_picture_message(const OzuPictureDecoder *decoder);

/// Whether the last failure is a missing feature of the library, not an error in the file.
bool ozu_picture_is_unsupported(const OzuPictureDecoder *decoder);

/// Loads the library of a decoder and all that the library loads by itself, such as plugins; otherwise `ozu_picture_open`
/// does. It waits for the disk and runs initialisers. Returns whether files can be read; the message says why not. The
/// data are not read.
bool ozu_picture_prepare(OzuPictureDecoder *decoder);

/// Whether the last failure is that the file ends too early, also where `Failed` was returned.
bool ozu_picture_is_truncated(const OzuPictureDecoder *decoder);

/// Reads the header. Takes no memory in proportion to the picture. Must be called first, and once.
OzuStatus ozu_picture_open(OzuPictureDecoder *decoder, OzuPictureInfo *info);

/// Cuts out a part, between `open` and the first pixels: from here on it replaces the whole picture, in `info` too.
/// It must begin at multiples of `region_width` and `region_height`, and end at multiples or at the picture's edge.
/// `Failed` for another part; then nothing has changed.
OzuStatus ozu_picture_cut(
    OzuPictureDecoder *decoder, uint32_t x, uint32_t y, uint32_t width, uint32_t height, OzuPictureInfo *info);

/// Sets another size than the header's, between `open` and the first `step`. Has an effect only on a drawing.
void ozu_picture_set_size(OzuPictureDecoder *decoder, uint32_t width, uint32_t height);

/// Outputs CMYK instead of BGRA if the file has it; before the first `step`.
void ozu_picture_keep_cmyk(OzuPictureDecoder *decoder);

/// Outputs RGBA in 16 bits; before the first `step`. Has an effect only on a picture that is `is_deep`.
void ozu_picture_make_deep(OzuPictureDecoder *decoder);

/// Goes to a frame, and returns the delay of a frame; before the first `step` of that frame.
OzuStatus ozu_picture_select(OzuPictureDecoder *decoder, uint32_t frame);
OzuStatus ozu_picture_delay(OzuPictureDecoder *decoder, uint32_t frame, double *milliseconds);

/// Continues to decode, to BGRA or RGBA in 16 bits at the header's size. `More` until all is there. Each step must get the
/// same memory. `Failed` if it is for another size or other pixels; nothing is written then.
OzuStatus ozu_picture_step(OzuPictureDecoder *decoder, OzuRows rows);

/// Decodes, instead of `step`, the next row of the header's width to BGRA, into memory for one row. Returns `Done`
/// for each.
OzuStatus ozu_picture_row(OzuPictureDecoder *decoder, OzuRows row);

/// Decodes, instead of `step`, the next row of a picture without alpha, with `row_channels` bytes for each pixel.
/// It belongs to the decoder, and is valid until the next call. NULL if it is missing or was the last.
const uint8_t *ozu_picture_samples(OzuPictureDecoder *decoder);

/// Exchanges red and blue in `pixels` pixels of four bytes; `from` and `to` may be the same.
void ozu_swap_red_and_blue(const uint8_t *from, uint8_t *to, size_t pixels);

/// Decodes, instead of `step`, to the planes as stored. They belong to the decoder.
OzuStatus ozu_picture_planes(OzuPictureDecoder *decoder, OzuPicturePlanes *planes);

#endif
