// The errors and the input of the JPEG decoder: the library reads the bytes that the caller lends.
//
// A whole file and one that is still arriving are read in the same way. If bytes are missing at the end of a whole
// file, the source inserts an end of image, and the library fills the rest. In a file that is still arriving, the
// source suspends: the library goes back to the last place from which it can continue, and returns. It cannot
// suspend in arithmetic codes.

#include "jpeg_decoder.h"

static void fail(j_common_ptr info) {
  OzuJPEGDecoder *decoder = info->client_data;
  info->err->format_message(info, decoder->message);
  longjmp(decoder->failure, 1);
}

static void miss_data(OzuJPEGDecoder *decoder) {
  decoder->misses_data = true;
  decoder->misses_data_now = true;
}

// The library calls this for warnings (level -1), and for traces, which are ignored.
static void note(j_common_ptr info, int level) {
  OzuJPEGDecoder *decoder = info->client_data;
  if (level >= 0) return;
  info->err->num_warnings++;
  // The entropy decoder met a marker. The library handles restart markers itself; at the end of the image, the rest
  // of this scan is lost.
  if (info->err->msg_code == JWRN_HIT_MARKER && decoder->info.unread_marker == JPEG_EOI) miss_data(decoder);
#ifdef D_ARITH_CODING_SUPPORTED
  // Zeros behind the end made no code, and the rest of the scan is not decoded.
  if (info->err->msg_code == JWRN_ARITH_BAD_CODE && decoder->zeros > 0) miss_data(decoder);
#endif
}

static void print_nothing(j_common_ptr info) { (void)info; }

static void start_source(j_decompress_ptr info) { (void)info; }

// The decoder of arithmetic codes reads about three bytes ahead, and encoders leave out zeros at the end. A complete file
// needs no more zeros than these behind its last byte, except where its rest is flat, which takes few bits. One that has
// its EOI is believed up to more than any of 1,100 files needed, most of them with a flat end (18 in one scan, 58 in a
// progressive file), and beyond that for the blocks of a flat rest, which take a byte for about a hundred thousand. A file
// that was cut mostly needs more zeros than it has lost bytes: 935 of 942 are told, and the others lacked 300 at the most.
static int most_zeros(const OzuJPEGDecoder *decoder) {
  enum { without_end = 4, in_one_scan = 64, in_several = 128, blocks_a_byte = 1 << 15 };
  const struct jpeg_decompress_struct *info = &decoder->info;
  if (!decoder->has_end) return without_end;
  uint64_t blocks = (uint64_t)(info->image_width / DCTSIZE + 1) * (info->image_height / DCTSIZE + 1)
      * (uint64_t)info->num_components;
  return (info->progressive_mode ? in_several : in_one_scan) + (int)(blocks / blocks_a_byte);
}

// Gives the decoder of arithmetic codes a zero after the end of a whole file, as it would do itself without a warning.
// Their number tells whether data are missing: more than a few are decoded only in their place.
static bool gives_zero(j_decompress_ptr info) {
  static const JOCTET zero = 0;
  OzuJPEGDecoder *decoder = info->client_data;
  if (!info->arith_code || info->input_iMCU_row >= info->total_iMCU_rows) return false;
  if (decoder->zeros == most_zeros(decoder)) {
    miss_data(decoder);
    return false;
  }
  decoder->zeros++;
  info->src->next_input_byte = &zero;
  info->src->bytes_in_buffer = 1;
  return true;
}

void ozu_jpeg_decoder_hide_end(OzuJPEGDecoder *decoder, bool is_behind_all) {
  struct jpeg_source_mgr *source = &decoder->source;
  if (!decoder->is_whole || !decoder->info.arith_code) return;
  const JOCTET *bytes = source->next_input_byte;
  for (size_t i = 0; i + 1 < source->bytes_in_buffer; i++) {
    JOCTET code = bytes[i + 1];
    bool is_marker = bytes[i] == 0xFF && code != 0 && code != 0xFF && (code < JPEG_RST0 || code > JPEG_RST0 + 7);
    if (!is_marker) continue;
    if (code != JPEG_EOI && is_behind_all && i + 3 < source->bytes_in_buffer) {
      // A segment, whose length counts itself.
      i += 1 + ((size_t)bytes[i + 2] << 8 | bytes[i + 3]);
      continue;
    }
    if (code != JPEG_EOI) return;
    // Any number of these may stand before a marker.
    while (i > 0 && bytes[i - 1] == 0xFF) i--;
    source->bytes_in_buffer = i;
    decoder->has_end = true;
  }
}

// Inserts an end of image in a whole file; suspends in a file that is still arriving.
static boolean fill(j_decompress_ptr info) {
  static const JOCTET end[2] = {0xFF, JPEG_EOI};
  OzuJPEGDecoder *decoder = info->client_data;
  if (!decoder->is_whole) return FALSE;
  decoder->has_ended = true;
  if (gives_zero(info)) return TRUE;
  info->src->next_input_byte = end;
  info->src->bytes_in_buffer = sizeof(end);
  return TRUE;
}

static void skip(j_decompress_ptr info, long count) {
  OzuJPEGDecoder *decoder = info->client_data;
  if (count <= 0) return;
  size_t here = (size_t)count < info->src->bytes_in_buffer ? (size_t)count : info->src->bytes_in_buffer;
  info->src->next_input_byte += here;
  info->src->bytes_in_buffer -= here;
  if ((size_t)count == here) return;
  if (decoder->is_whole) fill(info);
  else decoder->skipped += (size_t)count - here;
}

static void end_source(j_decompress_ptr info) { (void)info; }

OzuJPEGDecoder *ozu_jpeg_decoder_new(void) {
  OzuJPEGDecoder *decoder = calloc(1, sizeof(OzuJPEGDecoder));
  if (decoder == NULL) return NULL;
  struct jpeg_decompress_struct *info = &decoder->info;
  info->err = jpeg_std_error(&decoder->errors);
  decoder->errors.error_exit = fail;
  decoder->errors.emit_message = note;
  decoder->errors.output_message = print_nothing;
  info->client_data = decoder;
  if (setjmp(decoder->failure) != 0) {
    free(decoder);
    return NULL;
  }
  // The error manager and the client data are kept.
  jpeg_create_decompress(info);
  decoder->source.init_source = start_source;
  decoder->source.fill_input_buffer = fill;
  decoder->source.skip_input_data = skip;
  decoder->source.resync_to_restart = jpeg_resync_to_restart;
  decoder->source.term_source = end_source;
  info->src = &decoder->source;
  return decoder;
}

void ozu_jpeg_decoder_free(OzuJPEGDecoder *decoder) {
  if (decoder == NULL) return;
  // Destroying cannot fail, but a jump target must exist in any case.
  if (setjmp(decoder->failure) == 0) jpeg_destroy_decompress(&decoder->info);
  free(decoder);
}

const char *ozu_jpeg_decoder_message(const OzuJPEGDecoder *decoder) { return decoder->message; }

void ozu_jpeg_decoder_lend(OzuJPEGDecoder *decoder, const uint8_t *data, size_t size, bool is_whole) {
  size_t rest = size > decoder->consumed ? size - decoder->consumed : 0;
  size_t skipped = decoder->skipped < rest ? decoder->skipped : rest;
  decoder->consumed += skipped;
  decoder->skipped -= skipped;
  decoder->data = data;
  decoder->is_whole = is_whole;
  decoder->source.next_input_byte = data + decoder->consumed;
  decoder->source.bytes_in_buffer = decoder->skipped > 0 ? 0 : rest - skipped;
}

void ozu_jpeg_decoder_take_back(OzuJPEGDecoder *decoder) {
  // An inserted end is not among the bytes, and a library that has jumped out does not continue.
  if (!decoder->has_ended && !decoder->has_failed && decoder->source.next_input_byte != NULL)
    decoder->consumed = (size_t)(decoder->source.next_input_byte - decoder->data);
  decoder->data = NULL;
  decoder->source.next_input_byte = NULL;
  decoder->source.bytes_in_buffer = 0;
}
