// Writes a JPEG from its coefficients, in scans that the caller chooses.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include "CCodecs.h"
#include "jpeg_destination.h"
#include "jpeg_settings.h"

// Everything that must survive a longjmp is here, in memory, not in registers.
struct OzuJPEGCoefficients {
  struct jpeg_compress_struct writer;
  // Owns the coefficients: the memory of `writer` is released after every file.
  struct jpeg_compress_struct owner;
  JPEGFailure failure;
  JPEGDestination destination;
  jvirt_barray_ptr blocks[MAX_COMPONENTS];
  int across[MAX_COMPONENTS];
  int down[MAX_COMPONENTS];
  jpeg_scan_info scans[OZU_JPEG_SCAN_LIMIT];
};

// The blocks that cover a side of the picture, of which a component has a part.
static int blocks_on(int pixels, int factor, int max_factor) {
  int unit = max_factor * DCTSIZE;
  return (int)(((size_t)pixels * (size_t)factor + (size_t)unit - 1) / (size_t)unit);
}

static int rounded_up(int count, int unit) { return (count + unit - 1) / unit * unit; }

static void set_up(OzuJPEGCoefficients *coefficients, int width, int height, const OzuJPEGParameters *parameters) {
  struct jpeg_compress_struct *writer = &coefficients->writer, *owner = &coefficients->owner;
  jpeg_create_compress(writer);
  jpeg_create_compress(owner);
  ozu_jpeg_set_up(writer, width, height, parameters);
  int max_h = 1, max_v = 1;
  for (int i = 0; i < writer->num_components; i++) {
    const jpeg_component_info *component = &writer->comp_info[i];
    if (component->h_samp_factor > max_h) max_h = component->h_samp_factor;
    if (component->v_samp_factor > max_v) max_v = component->v_samp_factor;
  }
  for (int i = 0; i < writer->num_components; i++) {
    int h = writer->comp_info[i].h_samp_factor, v = writer->comp_info[i].v_samp_factor;
    coefficients->across[i] = blocks_on(width, h, max_h);
    coefficients->down[i] = blocks_on(height, v, max_v);
    coefficients->blocks[i] = owner->mem->request_virt_barray(
        (j_common_ptr)owner, JPOOL_IMAGE, TRUE, (JDIMENSION)rounded_up(coefficients->across[i], h),
        (JDIMENSION)rounded_up(coefficients->down[i], v), (JDIMENSION)v);
  }
  owner->mem->realize_virt_arrays((j_common_ptr)owner);
}

OzuJPEGCoefficients *ozu_jpeg_coefficients_new(
    int width, int height, const OzuJPEGParameters *parameters, char *message, size_t message_capacity) {
  if (width <= 0 || height <= 0 || width > JPEG_MAX_DIMENSION || height > JPEG_MAX_DIMENSION) {
    snprintf(message, message_capacity, "sides that a JPEG cannot have");
    return NULL;
  }
  OzuJPEGCoefficients *coefficients = calloc(1, sizeof(OzuJPEGCoefficients));
  if (coefficients == NULL) {
    snprintf(message, message_capacity, "out of memory");
    return NULL;
  }
  ozu_jpeg_catch((j_common_ptr)&coefficients->writer, &coefficients->failure);
  ozu_jpeg_catch((j_common_ptr)&coefficients->owner, &coefficients->failure);
  if (setjmp(coefficients->failure.place) == 0) {
    set_up(coefficients, width, height, parameters);
    return coefficients;
  }
  snprintf(message, message_capacity, "%s", coefficients->failure.message);
  ozu_jpeg_coefficients_free(coefficients);
  return NULL;
}

void ozu_jpeg_coefficients_free(OzuJPEGCoefficients *coefficients) {
  if (coefficients == NULL) return;
  jpeg_destroy_compress(&coefficients->writer);
  jpeg_destroy_compress(&coefficients->owner);
  free(coefficients->destination.file.bytes);
  free(coefficients);
}

const char *ozu_jpeg_coefficients_message(const OzuJPEGCoefficients *coefficients) {
  return coefficients->failure.message;
}

OzuJPEGComponent ozu_jpeg_coefficients_component(const OzuJPEGCoefficients *coefficients, int component) {
  OzuJPEGComponent result = {0};
  if (component < 0 || component >= coefficients->writer.num_components) return result;
  const jpeg_component_info *info = &coefficients->writer.comp_info[component];
  result.across = coefficients->across[component];
  result.down = coefficients->down[component];
  const JQUANT_TBL *table = coefficients->writer.quant_tbl_ptrs[info->quant_tbl_no];
  for (int k = 0; k < DCTSIZE2; k++) result.steps[k] = table->quantval[k];
  return result;
}

int16_t *ozu_jpeg_coefficients_row(OzuJPEGCoefficients *coefficients, int component, int row) {
  if (component < 0 || component >= coefficients->writer.num_components || row < 0 ||
      row >= coefficients->down[component] || setjmp(coefficients->failure.place) != 0)
    return NULL;
  struct jpeg_compress_struct *owner = &coefficients->owner;
  return owner->mem->access_virt_barray(
      (j_common_ptr)owner, coefficients->blocks[component], (JDIMENSION)row, 1, TRUE)[0][0];
}

static void write_file(OzuJPEGCoefficients *coefficients, const OzuJPEGScan *scans, int scan_count) {
  struct jpeg_compress_struct *writer = &coefficients->writer;
  for (int i = 0; i < scan_count; i++) {
    jpeg_scan_info scan = {
        .comps_in_scan = scans[i].component_count, .Ss = scans[i].start, .Se = scans[i].end,
        .Ah = scans[i].bits_before, .Al = scans[i].bits_after};
    for (int k = 0; k < scans[i].component_count && k < MAX_COMPS_IN_SCAN; k++)
      scan.component_index[k] = scans[i].first_component + k;
    coefficients->scans[i] = scan;
  }
  writer->scan_info = coefficients->scans;
  writer->num_scans = scan_count;
  ozu_jpeg_write_into(writer, &coefficients->destination);
  jpeg_write_coefficients(writer, coefficients->blocks);
  jpeg_finish_compress(writer);
}

OzuStatus ozu_jpeg_coefficients_write(
    OzuJPEGCoefficients *coefficients, const OzuJPEGScan *scans, int scan_count, OzuBytes *file) {
  *file = (OzuBytes){0};
  if (scan_count < 1 || scan_count > OZU_JPEG_SCAN_LIMIT) {
    snprintf(coefficients->failure.message, sizeof(coefficients->failure.message), "too many scans");
    return OzuStatusFailed;
  }
  coefficients->destination.file.count = 0;
  if (setjmp(coefficients->failure.place) == 0) {
    write_file(coefficients, scans, scan_count);
    *file = coefficients->destination.file;
    return OzuStatusDone;
  }
  jpeg_abort_compress(&coefficients->writer);
  return OzuStatusFailed;
}
