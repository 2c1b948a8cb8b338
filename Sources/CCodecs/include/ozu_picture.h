#ifndef OZU_PICTURE_H
#define OZU_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ozu_pixels.h"
#include "ozu_status.h"

/// A picture being decoded through one of the libraries that traits add: libavif, libheif, libjxl, libtiff,
/// librsvg. They differ much inside and little outside, so they have one face. Belongs to one thread at a time.
typedef struct OzuPictureDecoder OzuPictureDecoder;

/// Where frames are no longer counted.
enum { OZU_LARGEST_FRAME_COUNT = 65536 };

/// The most smaller renditions of its picture that are looked for in a file.
enum { OZU_MOST_LEVELS = 16 };

/// A smaller rendition of the picture in the same file.
typedef struct {
  uint32_t width;
  uint32_t height;
  /// Where the file describes it.
  uint64_t place;
} OzuPictureLevel;

/// What a file may ask of a library, beyond what the caller checks.
typedef struct {
  uint32_t side;
  uint64_t pixels;
  /// The frames that are played: of more, nothing is kept.
  uint32_t frames;
  size_t bytes;
} OzuPictureLimits;

/// What a header says.
typedef struct {
  /// As stored, before it is turned upright.
  uint32_t width;
  uint32_t height;
  /// How to turn it upright, as in EXIF: 1 to 8.
  int orientation;
  int bits;
  bool has_alpha;
  bool is_gray;
  bool is_cmyk;
  /// Whether `step` gives colours that are multiplied by alpha.
  bool is_premultiplied;
  /// Counted up to `OZU_LARGEST_FRAME_COUNT`.
  uint32_t frames;
  uint32_t loops;
  /// An embedded ICC profile that belongs to the decoder; NULL when there is none.
  const uint8_t *profile;
  size_t profile_size;
  /// Colour primaries and transfer function by ITU-T H.273; 2 when not given.
  int primaries;
  int transfer;
  /// The brightest pixel in candelas per square metre; 0 when not given.
  float peak;
  /// 0 when not given.
  double dots_per_inch;
  /// EXIF data, with or without the word before them, that belong to the decoder; NULL when there are none.
  const uint8_t *exif;
  size_t exif_size;
  /// An XMP packet that belongs to the decoder; NULL when there is none.
  const uint8_t *xmp;
  size_t xmp_size;
  /// Whether the container has a smaller rendition, beside what EXIF may have.
  bool has_thumbnail;
  /// Whether there are more than 8 bits to be had.
  bool is_deep;
  /// Memory that decoding takes beside the pixels.
  size_t scratch;
  /// Whether `ozu_picture_planes` can be called.
  bool has_planes;
  /// How many pixels a chroma sample stands for on each side; 0 for a grey picture.
  int chroma_columns;
  int chroma_rows;
  /// Whether `ozu_picture_row` can be called.
  bool has_rows;
  /// How many bytes a pixel has in what `ozu_picture_samples` gives: 1 for grey, 3 for red, green and blue; 0 when it
  /// cannot be called.
  int row_channels;
  /// Between which columns and rows `ozu_picture_cut` cuts: multiples of these; 0 when it cannot.
  uint32_t region_width;
  uint32_t region_height;
  /// Whether a part that is cut out costs much less than the whole.
  bool has_parts;
  /// Of `scratch`, what each column of the picture takes: of a narrower part, there are fewer.
  size_t column_scratch;
  /// The same picture with fewer pixels, as the file says; in no order.
  uint32_t level_count;
  OzuPictureLevel levels[OZU_MOST_LEVELS];
} OzuPictureInfo;

/// One of the levels; the index is below `level_count`.
OzuPictureLevel ozu_picture_level(const OzuPictureInfo *info, uint32_t index);

/// A decoded picture in luma and chroma.
typedef struct {
  /// Luma, blue difference, red difference; the latter two NULL for a grey picture. Samples of more than 8 bits are
  /// 16-bit words.
  const uint8_t *samples[3];
  size_t bytes_per_row[3];
  uint32_t width;
  uint32_t height;
  int bits;
  bool is_full_range;
  /// By ITU-T H.273.
  int matrix;
} OzuPicturePlanes;

/// Make a decoder; NULL when memory is short. `data` must outlive it. Each is defined with its trait only.
///
/// Its library is loaded by `ozu_picture_open`, where the program is not linked with it.
OzuPictureDecoder *ozu_avif_decoder_new(const uint8_t *data, size_t size, OzuPictureLimits limits);
OzuPictureDecoder *ozu_heif_decoder_new(const uint8_t *data, size_t size, OzuPictureLimits limits);
/// Of the thumbnail that a HEIF file may hold beside its picture.
OzuPictureDecoder *ozu_heif_thumbnail_decoder_new(const uint8_t *data, size_t size, OzuPictureLimits limits);
OzuPictureDecoder *ozu_jxl_decoder_new(const uint8_t *data, size_t size, OzuPictureLimits limits);
OzuPictureDecoder *ozu_tiff_decoder_new(const uint8_t *data, size_t size, OzuPictureLimits limits);
/// Of a smaller rendition, found at `place` by a decoder of the same file. It has no levels of its own.
OzuPictureDecoder *ozu_tiff_level_decoder_new(
    const uint8_t *data, size_t size, OzuPictureLimits limits, uint64_t place);
/// Drawings recurse as deep as they are nested: on threads with deep stacks, or on the stack of the caller if that is deep.
OzuPictureDecoder *ozu_svg_decoder_new(
    const uint8_t *data, size_t size, OzuPictureLimits limits, bool caller_has_deep_stack);
void ozu_picture_free(OzuPictureDecoder *decoder);

/// The library's words for the last failure. Valid until the next call.
const char *ozu_picture_message(const OzuPictureDecoder *decoder);

/// Whether the last failure is one of the library's abilities and not of the file.
bool ozu_picture_is_unsupported(const OzuPictureDecoder *decoder);

/// Loads the library of a decoder, as `ozu_picture_open` does, which also waits for the disk and runs the library's
/// initialisers. Returns whether it is there; the message says why not. Any data will do.
bool ozu_picture_load(OzuPictureDecoder *decoder);

/// Reads the header. Takes no memory in proportion to the picture. First and once.
OzuStatus ozu_picture_open(OzuPictureDecoder *decoder, OzuPictureInfo *info);

/// Cuts a part out, between `open` and the first pixels: it takes the place of the whole picture from here on, in `info`
/// too. It begins at multiples of `region_width` and `region_height`, and ends at some or at the picture's edge. `Failed`
/// for another part; then nothing has changed.
OzuStatus ozu_picture_cut(
    OzuPictureDecoder *decoder, uint32_t x, uint32_t y, uint32_t width, uint32_t height, OzuPictureInfo *info);

/// Asks for another size than the header's, between `open` and the first `step`. Has no effect on what is no drawing.
void ozu_picture_set_size(OzuPictureDecoder *decoder, uint32_t width, uint32_t height);

/// Asks for cyan, magenta, yellow, black instead of BGRA from a file that has them; before the first `step`.
void ozu_picture_keep_cmyk(OzuPictureDecoder *decoder);

/// Asks for RGBA in 16 bits; before the first `step`. Has no effect on a picture that is not `is_deep`.
void ozu_picture_make_deep(OzuPictureDecoder *decoder);

/// Goes to a frame and says how long it is seen; before the first `step` of that frame.
OzuStatus ozu_picture_select(OzuPictureDecoder *decoder, uint32_t frame);
OzuStatus ozu_picture_delay(OzuPictureDecoder *decoder, uint32_t frame, double *milliseconds);

/// Decodes on, to BGRA or RGBA in 16 bits at the header's size. `More` until all is there. At each step the same memory
/// is given. `Failed` when it is for another size or other pixels; nothing is then written.
OzuStatus ozu_picture_step(OzuPictureDecoder *decoder, OzuRows rows);

/// Decodes, instead of `step`, the next row of the header's width to BGRA, into memory for one row. `Done` for each.
OzuStatus ozu_picture_row(OzuPictureDecoder *decoder, OzuRows row);

/// Decodes, instead of `step`, the next row of a picture without alpha, in `row_channels` bytes a pixel. It belongs to the
/// decoder, and is valid until the next call. NULL when it is missing or was the last.
const uint8_t *ozu_picture_samples(OzuPictureDecoder *decoder);

/// Exchanges red and blue in so many pixels of four bytes; `from` and `to` may be the same.
void ozu_swap_red_and_blue(const uint8_t *from, uint8_t *to, size_t pixels);

/// Decodes, instead of `step`, to the planes as they are stored. They belong to the decoder.
OzuStatus ozu_picture_planes(OzuPictureDecoder *decoder, OzuPicturePlanes *planes);

#endif
