// JPEG decoding through libjpeg-turbo's libjpeg interface.
//
// A file of one scan is decoded row by row while it is read. A file of several scans is read in the library's
// buffered-image mode, in which jpeg_consume_input() stops after every row of blocks: so a file of thousands of
// scans can be stopped at any point, which jpeg_start_decompress() in the ordinary mode would not allow without a
// callback; and its coefficients can be output as often as needed.

#include "jpeg_decoder.h"

OzuStatus ozu_jpeg_decoder_open(
    OzuJPEGDecoder *decoder, int eighths, size_t memory_limit, int *width, int *height) {
  struct jpeg_decompress_struct *info = &decoder->info;
  CATCH_FAILURE(decoder);
  info->mem->max_memory_to_use = (long)memory_limit;
  if (jpeg_read_header(info, TRUE) == JPEG_SUSPENDED || decoder->has_ended) return OzuStatusTruncated;
  bool has_four = info->jpeg_color_space == JCS_CMYK || info->jpeg_color_space == JCS_YCCK;
  info->out_color_space = has_four ? JCS_CMYK : JCS_EXT_BGRA;
  info->scale_num = (unsigned)eighths;
  info->scale_denom = 8;
  info->dct_method = JDCT_ISLOW;
  info->do_fancy_upsampling = TRUE;
  info->buffered_image = jpeg_has_multiple_scans(info);
  jpeg_calc_output_dimensions(info);
  *width = (int)info->output_width;
  *height = (int)info->output_height;
  decoder->has_header = true;
  return OzuStatusDone;
}

OzuStatus ozu_jpeg_decoder_start(OzuJPEGDecoder *decoder) {
  CATCH_FAILURE(decoder);
  if (!decoder->has_header) return refuse(decoder, "the header was not read");
  if (!decoder->is_started) ozu_jpeg_decoder_hide_end(decoder, false);
  if (!decoder->is_started && !jpeg_start_decompress(&decoder->info)) return OzuStatusTruncated;
  decoder->is_started = true;
  return OzuStatusDone;
}

bool ozu_jpeg_decoder_misses_bits(const OzuJPEGDecoder *decoder) {
  const struct jpeg_decompress_struct *info = &decoder->info;
  for (int component = 0; component < info->num_components; component++) {
    if (!decoder->has_scan[component]) return true;
    for (int coefficient = 0; info->coef_bits != NULL && coefficient < DCTSIZE2; coefficient++)
      if (info->coef_bits[component][coefficient] != 0) return true;
  }
  return false;
}

OzuStatus ozu_jpeg_decoder_consume(OzuJPEGDecoder *decoder, int block_rows) {
  struct jpeg_decompress_struct *info = &decoder->info;
  if (!decoder->is_started) return refuse(decoder, "it was not started");
  if (!info->buffered_image) return OzuStatusDone;
  CATCH_FAILURE(decoder);
  for (int row = 0; row < block_rows; row++) {
    // If the library has suspended within the header of a scan, it knows only some of its components.
    for (int i = 0; i < info->comps_in_scan && info->cur_comp_info[i] != NULL; i++)
      decoder->has_scan[info->cur_comp_info[i]->component_index] = true;
    switch (jpeg_consume_input(info)) {
      case JPEG_SUSPENDED: return OzuStatusTruncated;
      case JPEG_REACHED_EOI: {
        // A file that lacks only its EOI marker is complete. In arithmetic coding an EOI does not tell more: it may
        // stand in the middle of a scan.
        bool is_cut = decoder->has_ended && ozu_jpeg_decoder_misses_bits(decoder);
        return decoder->misses_data || is_cut ? OzuStatusTruncated : OzuStatusDone;
      }
      // The scans of a whole file were counted before; those of other files are counted by the caller.
      case JPEG_REACHED_SOS:
        if (!decoder->is_whole) return OzuStatusMore;
        ozu_jpeg_decoder_hide_end(decoder, false);
        continue;
      default: continue;
    }
  }
  return OzuStatusMore;
}

int ozu_jpeg_decoder_scans_begun(const OzuJPEGDecoder *decoder) {
  return decoder->is_started ? decoder->info.input_scan_number : 0;
}

int ozu_jpeg_decoder_scans(const OzuJPEGDecoder *decoder) {
  // Until it reaches the end, the library is in the last scan that has begun.
  if (!decoder->is_started || !decoder->info.buffered_image) return 0;
  bool has_ended = jpeg_input_complete((struct jpeg_decompress_struct *)&decoder->info);
  return decoder->info.input_scan_number - (has_ended ? 0 : 1);
}

OzuStatus ozu_jpeg_decoder_start_output(OzuJPEGDecoder *decoder) {
  struct jpeg_decompress_struct *info = &decoder->info;
  if (!decoder->is_started) return refuse(decoder, "it was not started");
  if (!info->buffered_image) return OzuStatusDone;
  CATCH_FAILURE(decoder);
  int scan = ozu_jpeg_decoder_scans(decoder);
  if (scan < 1) return refuse(decoder, "no scan is complete");
  // Ends the previous output, whether it is complete or not. It shows a complete scan, so nothing more is read.
  if (decoder->is_painting && !jpeg_finish_output(info)) return OzuStatusTruncated;
  decoder->is_painting = true;
  return jpeg_start_output(info, scan) ? OzuStatusDone : OzuStatusTruncated;
}

// Converts ink to light without colour management: each colour is the light that passes its ink and black. Every file
// is read as Adobe's are written, with light in place of ink, whether it has Adobe's marker or not: so do all browsers,
// Pillow and libvips, and so nobody writes other files.
static void convert_cmyk_row(uint8_t *row, unsigned width) {
  for (unsigned x = 0; x < width; x++, row += 4) {
    unsigned c = row[0], m = row[1], y = row[2], k = row[3];
    row[0] = (uint8_t)((y * k + 127) / 255);
    row[1] = (uint8_t)((m * k + 127) / 255);
    row[2] = (uint8_t)((c * k + 127) / 255);
    row[3] = 255;
  }
}

bool ozu_jpeg_decoder_keep_gray(OzuJPEGDecoder *decoder) {
  if (decoder->info.jpeg_color_space != JCS_GRAYSCALE) {
    refuse(decoder, "it is not grey");
    return false;
  }
  decoder->info.out_color_space = JCS_GRAYSCALE;
  return true;
}

void ozu_jpeg_decoder_keep_cmyk(OzuJPEGDecoder *decoder) { decoder->keeps_cmyk = true; }

// Whether the memory is for rows of the pixels that the library writes, and not for more rows than are left.
static bool holds(const struct jpeg_decompress_struct *info, const OzuRows *rows) {
  OzuPixels format = info->out_color_space == JCS_GRAYSCALE ? OzuPixelsGray8 : OzuPixelsBGRA8;
  return (size_t)info->out_color_components == ozu_pixel_size(format)
      && rows->height <= info->output_height - info->output_scanline
      && ozu_rows_hold(rows, info->output_width, rows->height, format);
}

int ozu_jpeg_decoder_rows(const OzuJPEGDecoder *decoder) {
  return gives_rows(decoder) ? (int)decoder->info.output_scanline : 0;
}

OzuStatus ozu_jpeg_decoder_read_rows(OzuJPEGDecoder *decoder, OzuRows rows) {
  struct jpeg_decompress_struct *info = &decoder->info;
  if (!gives_rows(decoder)) return refuse(decoder, "no output was started");
  CATCH_FAILURE(decoder);
  decoder->misses_data_now = false;
  if (!holds(info, &rows)) return refuse(decoder, "the memory is for another picture");
  for (uint32_t i = 0; i < rows.height; i++) {
    JSAMPROW row = rows.bytes + (size_t)i * rows.bytes_per_row;
    if (jpeg_read_scanlines(info, &row, 1) != 1)
      return decoder->is_whole ? refuse(decoder, "fewer rows than announced") : OzuStatusTruncated;
    if (info->out_color_space != JCS_CMYK) continue;
    if (!decoder->keeps_cmyk) {
      convert_cmyk_row(row, info->output_width);
    } else {
      for (size_t x = 0; x < (size_t)info->output_width * 4; x++) row[x] = (uint8_t)~row[x];
    }
  }
  return decoder->misses_data_now ? OzuStatusTruncated : OzuStatusDone;
}
