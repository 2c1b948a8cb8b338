// JPEG decoding to planes: luma and chroma as stored, in rows of whole blocks.

#include "jpeg_decoder.h"

void ozu_jpeg_decoder_keep_planes(OzuJPEGDecoder *decoder) {
  decoder->info.raw_data_out = TRUE;
  decoder->info.out_color_space = decoder->info.jpeg_color_space;
}

static int block_size(const jpeg_component_info *component) {
#if JPEG_LIB_VERSION >= 70
  return component->DCT_h_scaled_size;
#else
  return component->DCT_scaled_size;
#endif
}

bool ozu_jpeg_decoder_plane(const OzuJPEGDecoder *decoder, int component, OzuJPEGPlane *plane) {
  const struct jpeg_decompress_struct *info = &decoder->info;
  if (component < 0 || component >= info->num_components || info->num_components > 3) return false;
  const jpeg_component_info *part = &info->comp_info[component];
#if JPEG_LIB_VERSION >= 70
  if (part->DCT_h_scaled_size != part->DCT_v_scaled_size) return false;
#endif
  unsigned group = 8u * (unsigned)info->max_h_samp_factor;
  unsigned groups = (info->image_width + group - 1) / group;
  plane->width = (int)part->downsampled_width;
  plane->height = (int)part->downsampled_height;
  plane->eighths = block_size(part);
  plane->step_rows = part->v_samp_factor * plane->eighths;
  plane->bytes_per_row = (size_t)groups * (size_t)(part->h_samp_factor * plane->eighths);
  return true;
}

OzuStatus ozu_jpeg_decoder_read_planes(OzuJPEGDecoder *decoder, const OzuPlaneRows *planes, int count) {
  // A group has at most four blocks of eight rows one below the other.
  enum { most_rows = MAX_SAMP_FACTOR * DCTSIZE };
  struct jpeg_decompress_struct *info = &decoder->info;
  if (!gives_rows(decoder)) return refuse(decoder, "no output was started");
  CATCH_FAILURE(decoder);
  decoder->misses_data_now = false;
  JSAMPROW rows[3][most_rows];
  JSAMPARRAY arrays[3] = {rows[0], rows[1], rows[2]};
  unsigned lines = 0;
  for (int i = 0; i < info->num_components; i++) {
    OzuJPEGPlane plane;
    if (count != info->num_components || !ozu_jpeg_decoder_plane(decoder, i, &plane) || plane.step_rows > most_rows
        || !ozu_plane_rows_hold(&planes[i], plane.bytes_per_row, (uint32_t)plane.step_rows))
      return refuse(decoder, "components of another kind than announced");
    for (int y = 0; y < plane.step_rows; y++) rows[i][y] = planes[i].bytes + (size_t)y * planes[i].bytes_per_row;
    if ((unsigned)plane.step_rows > lines) lines = (unsigned)plane.step_rows;
  }
  if (jpeg_read_raw_data(info, arrays, lines) == 0) return refuse(decoder, "fewer rows than announced");
  return decoder->misses_data_now ? OzuStatusTruncated : OzuStatusDone;
}
