// The functions of libheif that are called. Not visible to Swift.
//
// Undefines OZU_HEIF if libheif is missing or too old, so that there is no error but the one that says so.

#ifndef OZU_HEIF_LIBRARY_H
#define OZU_HEIF_LIBRARY_H

#ifdef OZU_HEIF
#if __has_include(<libheif/heif.h>)
#include "heif_versions.h"
#else
#error "libheif is missing: apt-get install libheif-dev, brew install libheif, or leave out the trait HEIF"
#undef OZU_HEIF
#endif
#endif

#ifdef OZU_HEIF

#include "ozu_dynamic_library.h"

#define OZU_HEIF_FUNCTIONS(FUNCTION) \
  FUNCTION(heif_context_alloc) \
  FUNCTION(heif_context_free) \
  FUNCTION(heif_context_get_primary_image_handle) \
  FUNCTION(heif_context_read_from_memory_without_copy) \
  FUNCTION(heif_context_set_max_decoding_threads) \
  FUNCTION(heif_context_set_maximum_image_size_limit) \
  FUNCTION(heif_decode_image) \
  FUNCTION(heif_decoding_options_alloc) \
  FUNCTION(heif_decoding_options_free) \
  FUNCTION(heif_have_decoder_for_format) \
  FUNCTION(heif_image_get_bits_per_pixel_range) \
  FUNCTION(heif_image_get_height) \
  FUNCTION(heif_image_get_plane_readonly) \
  FUNCTION(heif_image_get_width) \
  FUNCTION(heif_image_handle_get_color_profile_type) \
  FUNCTION(heif_image_handle_get_height) \
  FUNCTION(heif_image_handle_get_list_of_metadata_block_IDs) \
  FUNCTION(heif_image_handle_get_luma_bits_per_pixel) \
  FUNCTION(heif_image_handle_get_metadata) \
  FUNCTION(heif_image_handle_get_metadata_content_type) \
  FUNCTION(heif_image_handle_get_metadata_size) \
  FUNCTION(heif_image_handle_get_nclx_color_profile) \
  FUNCTION(heif_image_handle_get_raw_color_profile) \
  FUNCTION(heif_image_handle_get_raw_color_profile_size) \
  FUNCTION(heif_image_handle_get_width) \
  FUNCTION(heif_image_handle_has_alpha_channel) \
  FUNCTION(heif_image_handle_is_premultiplied_alpha) \
  FUNCTION(heif_image_handle_release) \
  FUNCTION(heif_image_release) \
  FUNCTION(heif_init) \
  FUNCTION(heif_load_plugins) \
  FUNCTION(heif_nclx_color_profile_free)

OZU_DECLARE_LIBRARY(heif, OZU_HEIF_FUNCTIONS)

#endif

#endif
