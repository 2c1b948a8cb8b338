#ifndef OZU_JPEG_H
#define OZU_JPEG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ozu_bytes.h"
#include "ozu_encode.h"
#include "ozu_pixels.h"
#include "ozu_status.h"

/// A decoder of JPEG over libjpeg-turbo. Belongs to one thread at a time.
typedef struct OzuJPEGDecoder OzuJPEGDecoder;

/// Makes a decoder; NULL if memory is short.
OzuJPEGDecoder *ozu_jpeg_decoder_new(void);
void ozu_jpeg_decoder_free(OzuJPEGDecoder *decoder);

/// The library's message about the last failure. Valid until the next call.
const char *ozu_jpeg_decoder_message(const OzuJPEGDecoder *decoder);

/// Passes the file from its beginning: all of it, or the part that has arrived. The bytes must not move until
/// `take_back`. Each call passes the same bytes and perhaps more.
void ozu_jpeg_decoder_lend(OzuJPEGDecoder *decoder, const uint8_t *data, size_t size, bool is_whole);
void ozu_jpeg_decoder_take_back(OzuJPEGDecoder *decoder);

/// Reads the markers up to the first scan and prepares decoding at eighths/8 to BGRA (CMYK files: to CMYK,
/// converted row by row). The library may take at most `memory_limit` bytes. Takes no picture memory. `Truncated`
/// if bytes are missing: if the file is still arriving, call again with more of it.
OzuStatus ozu_jpeg_decoder_open(
    OzuJPEGDecoder *decoder, int eighths, size_t memory_limit, int *width, int *height);

/// Outputs CMYK (255 is full ink) instead of BGRA, if the file has it.
void ozu_jpeg_decoder_keep_cmyk(OzuJPEGDecoder *decoder);

/// Outputs one byte for each pixel instead of BGRA, for a grey file. False, with a message, for any other file: its
/// pixels would not fit.
bool ozu_jpeg_decoder_keep_gray(OzuJPEGDecoder *decoder);

/// Starts decoding. From here on the coefficients of a file of several scans are in memory. `Truncated` as in
/// `open`.
OzuStatus ozu_jpeg_decoder_start(OzuJPEGDecoder *decoder);

/// Continues to read a file of several scans, at most `block_rows` rows of blocks; in a file that is still arriving, not
/// further than to the next scan. `More` until all scans are read. `Truncated` if all bytes were read, but the file
/// is not complete.
OzuStatus ozu_jpeg_decoder_consume(OzuJPEGDecoder *decoder, int block_rows);

/// How many scans of a file of several scans have begun, and how many are complete.
int ozu_jpeg_decoder_scans_begun(const OzuJPEGDecoder *decoder);
int ozu_jpeg_decoder_scans(const OzuJPEGDecoder *decoder);

/// Begins with the first row of the picture that the complete scans of a file of several scans make; at least one
/// must be complete. Does nothing for a file of one scan.
OzuStatus ozu_jpeg_decoder_start_output(OzuJPEGDecoder *decoder);

/// How many rows were decoded since then.
int ozu_jpeg_decoder_rows(const OzuJPEGDecoder *decoder);

/// Decodes the next rows: all rows of the memory. `Truncated` if data were missing for them: in a whole file they
/// are filled with grey, and the caller may go on; in a file that is still arriving, only some of the rows were
/// decoded. `Failed` if the memory is for other pixels than this file's, or for more rows than are left; nothing is
/// written then.
OzuStatus ozu_jpeg_decoder_read_rows(OzuJPEGDecoder *decoder, OzuRows rows);

/// The longest side of a JPEG by libjpeg's rules, in pixels.
extern const int ozu_jpeg_side_limit;

/// The options for writing a JPEG.
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

/// Encodes rows of premultiplied BGRA, blended over white unless `is_opaque`.
///
/// On `Done`, `file` has the bytes; the caller has to free() them. On `Failed` it is empty, and `message` has the
/// library's message.
OzuStatus ozu_jpeg_encode(
    const uint8_t *pixels, size_t bytes_per_row, int width, int height, bool is_opaque,
    const OzuJPEGParameters *parameters, OzuBytes *file, char *message, size_t message_capacity);

/// The coefficients of a picture, to be written as a JPEG. Belongs to one thread at a time.
typedef struct OzuJPEGCoefficients OzuJPEGCoefficients;

/// A component of a picture: its blocks, and the quantization steps in rows of frequencies.
typedef struct {
  int across;
  int down;
  uint16_t steps[64];
} OzuJPEGComponent;

/// A scan of a progressive file: `component_count` components from `first_component` on, the frequencies `start` to
/// `end` in zigzag order, and the lowest bit that is known before (0 if none is) and after it.
typedef struct {
  int first_component;
  int component_count;
  int start;
  int end;
  int bits_before;
  int bits_after;
} OzuJPEGScan;

enum { OZU_JPEG_SCAN_LIMIT = 32 };

/// Makes zeros for the blocks of a picture, two to six bytes for each pixel; NULL, with a message, if memory is short or a
/// JPEG cannot have these sides.
OzuJPEGCoefficients *ozu_jpeg_coefficients_new(
    int width, int height, const OzuJPEGParameters *parameters, char *message, size_t message_capacity);
void ozu_jpeg_coefficients_free(OzuJPEGCoefficients *coefficients);

/// The library's message about the last failure. Valid until the next call.
const char *ozu_jpeg_coefficients_message(const OzuJPEGCoefficients *coefficients);

/// All zero for a component that the picture does not have.
OzuJPEGComponent ozu_jpeg_coefficients_component(const OzuJPEGCoefficients *coefficients, int component);

/// A row of `across` blocks of 64 coefficients, in rows of frequencies. NULL outside the component. Valid until the next
/// call.
int16_t *ozu_jpeg_coefficients_row(OzuJPEGCoefficients *coefficients, int component, int row);

/// Writes a file, with Huffman tables for each scan. May be called several times.
///
/// On `Done`, `file` has the bytes, which belong to the coefficients and are valid until the next call. On `Failed` it is
/// empty.
OzuStatus ozu_jpeg_coefficients_write(
    OzuJPEGCoefficients *coefficients, const OzuJPEGScan *scans, int scan_count, OzuBytes *file);

/// Stores a picture of an orientation of EXIF, 2 to 8, upright, without decoding its pixels. All application segments are
/// copied as they are. The library may take at most `memory_limit` bytes.
///
/// On `Done`, `file` has the bytes; the caller has to free() them. On `Failed` it is empty, and `message` says why: the
/// sides of the picture do not allow it, or the file is damaged.
OzuStatus ozu_jpeg_turn(
    const uint8_t *data, size_t size, int orientation, size_t memory_limit, OzuBytes *file, char *message,
    size_t message_capacity);

#endif
