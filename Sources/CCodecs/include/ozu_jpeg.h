#ifndef OZU_JPEG_H
#define OZU_JPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ozu_bytes.h"
#include "ozu_encode.h"
#include "ozu_pixels.h"
#include "ozu_status.h"

/// A JPEG being decoded through libjpeg-turbo. Belongs to one thread at a time.
typedef struct OzuJPEGDecoder OzuJPEGDecoder;

/// Makes a decoder; NULL when memory is short.
OzuJPEGDecoder *ozu_jpeg_decoder_new(void);
void ozu_jpeg_decoder_free(OzuJPEGDecoder *decoder);

/// The library's words for the last failure. Valid until the next call.
const char *ozu_jpeg_decoder_message(const OzuJPEGDecoder *decoder);

/// Lends the file from its beginning: as far as it is there, or all of it. The bytes must stay where they are until they
/// are taken back. Each time the same bytes, and more.
void ozu_jpeg_decoder_lend(OzuJPEGDecoder *decoder, const uint8_t *data, size_t size, bool is_whole);
void ozu_jpeg_decoder_take_back(OzuJPEGDecoder *decoder);

/// Reads the markers up to the first scan and prepares decoding at eighths/8 to BGRA (CMYK files: to CMYK,
/// converted row by row). The library may take at most `memory_limit` bytes. Takes no picture memory. `Truncated` when
/// bytes are missing: of a file that is coming, call again with more of them.
OzuStatus ozu_jpeg_decoder_open(
    OzuJPEGDecoder *decoder, int eighths, size_t memory_limit, int *width, int *height);

/// Asks for cyan, magenta, yellow, black of a file that has them, 255 for full ink, instead of BGRA.
void ozu_jpeg_decoder_keep_cmyk(OzuJPEGDecoder *decoder);

/// Asks for one byte a pixel of a file that has only brightness, instead of BGRA. False, with a message, for any other
/// file: its pixels would not fit.
bool ozu_jpeg_decoder_keep_gray(OzuJPEGDecoder *decoder);

/// Starts decoding. From here on the coefficients of a file of several scans are in memory. `Truncated` as in `open`.
OzuStatus ozu_jpeg_decoder_start(OzuJPEGDecoder *decoder);

/// Reads on in a file of several scans, by at most so many rows of blocks; of one that is coming, no further than to the
/// next scan. `More` until all scans are read. `Truncated` when all there is was read, but the file is not whole.
OzuStatus ozu_jpeg_decoder_consume(OzuJPEGDecoder *decoder, int block_rows);

/// How many scans of a file of several have begun, and how many are complete.
int ozu_jpeg_decoder_scans_begun(const OzuJPEGDecoder *decoder);
int ozu_jpeg_decoder_scans(const OzuJPEGDecoder *decoder);

/// Begins with the first row of the picture that the complete scans of a file of several make; there must be one. Does
/// nothing for a file of one scan.
OzuStatus ozu_jpeg_decoder_start_output(OzuJPEGDecoder *decoder);

/// How many rows were decoded since then.
int ozu_jpeg_decoder_rows(const OzuJPEGDecoder *decoder);

/// Decodes the next rows, as many as there is memory for. `Truncated` when data were missing for them: they are then
/// filled up with grey, and the caller may go on; of a file that is coming, when only some of the rows could be decoded.
/// `Failed` when the memory is for rows of other pixels than this file
/// gives, or for more than are left; nothing is then written.
OzuStatus ozu_jpeg_decoder_read_rows(OzuJPEGDecoder *decoder, OzuRows rows);

/// One component of a picture that is decoded to planes.
typedef struct {
  /// The samples and rows that hold picture.
  int width;
  int height;
  /// How many rows one call gives, and how far they are apart.
  int step_rows;
  size_t bytes_per_row;
  /// The size of a block of 8 × 8 as decoded.
  int eighths;
} OzuJPEGPlane;

/// Asks for luma and chroma as they are stored instead of pixels; between `open` and `start`.
void ozu_jpeg_decoder_keep_planes(OzuJPEGDecoder *decoder);

/// How the planes lie; after `start`. False when there is no such component.
bool ozu_jpeg_decoder_plane(const OzuJPEGDecoder *decoder, int component, OzuJPEGPlane *plane);

/// Decodes the next `step_rows` rows of each component. Behind the last rows of the picture there may be others, up to
/// whole blocks. `Truncated` as in `read_rows`. `Failed` when there is not memory for each component of the file.
OzuStatus ozu_jpeg_decoder_read_planes(OzuJPEGDecoder *decoder, const OzuPlaneRows *planes, int count);

/// The most pixels a side that a JPEG can have by libjpeg's rules.
extern const int ozu_jpeg_side_limit;

/// How a JPEG is written.
typedef struct {
  /// 0 to 100.
  int quality;
  OzuChroma chroma;
  bool is_progressive;
  /// Whether the file has one component, luma.
  bool is_gray;
  /// For the JFIF segment; 0 for none.
  uint16_t dots_per_inch_x;
  uint16_t dots_per_inch_y;
} OzuJPEGParameters;

/// Encodes premultiplied BGRA rows, blended over white unless `is_opaque`.
///
/// On `Done`, `file` has the bytes, for the caller to free(). On `Failed` it is empty, and `message` holds the library's
/// words.
OzuStatus ozu_jpeg_encode(
    const uint8_t *pixels, size_t bytes_per_row, int width, int height, bool is_opaque,
    const OzuJPEGParameters *parameters, OzuBytes *file, char *message, size_t message_capacity);

#endif
