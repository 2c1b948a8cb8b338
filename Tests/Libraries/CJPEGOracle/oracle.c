// libjpeg for tests: every variant of a file, and the coefficients in it.

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include "CJPEGOracle.h"

typedef struct {
  struct jpeg_error_mgr manager;
  jmp_buf failure;
} Errors;

static void fail(j_common_ptr info) { longjmp(((Errors *)info->err)->failure, 1); }

static void note(j_common_ptr info, int level) {
  if (level < 0) info->err->num_warnings++;
}

static void print_nothing(j_common_ptr info) { (void)info; }

static struct jpeg_error_mgr *prepare(Errors *errors) {
  jpeg_std_error(&errors->manager);
  errors->manager.error_exit = fail;
  errors->manager.emit_message = note;
  errors->manager.output_message = print_nothing;
  return &errors->manager;
}

uint8_t *oracle_encode(const uint8_t *pixels, OracleVariant variant, size_t *size) {
  struct jpeg_compress_struct info;
  Errors errors;
  // `volatile`: they are read after a longjmp.
  unsigned char *volatile file = NULL;
  unsigned char *made = NULL;
  unsigned long made_size = 0;
  info.err = prepare(&errors);
  if (setjmp(errors.failure) != 0) {
    jpeg_destroy_compress(&info);
    free((void *)file);
    return NULL;
  }
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, &made, &made_size);
  info.image_width = (JDIMENSION)variant.width;
  info.image_height = (JDIMENSION)variant.height;
  info.input_components = variant.components;
  info.in_color_space = variant.components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, variant.quality, TRUE);
  info.comp_info[0].h_samp_factor = variant.horizontal;
  info.comp_info[0].v_samp_factor = variant.vertical;
  if (variant.components > 1) {
    info.comp_info[1].h_samp_factor = variant.blue_horizontal;
    info.comp_info[1].v_samp_factor = variant.blue_vertical;
  }
  info.restart_interval = (unsigned)variant.restart_interval;
  info.optimize_coding = variant.optimizes_tables;
  if (variant.is_progressive) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  for (int y = 0; y < variant.height; y++) {
    JSAMPROW row = (JSAMPROW)(pixels + (size_t)y * (size_t)(variant.width * variant.components));
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  file = made;
  *size = made_size;
  return (uint8_t *)file;
}

static void copy(
    struct jpeg_decompress_struct *info, jvirt_barray_ptr array, int index, OracleComponent *component) {
  jpeg_component_info *source = &info->comp_info[index];
  component->columns = (int)source->width_in_blocks;
  component->rows = (int)source->height_in_blocks;
  component->coefficients = malloc((size_t)component->columns * (size_t)component->rows * sizeof(JBLOCK));
  if (component->coefficients == NULL || source->quant_table == NULL) longjmp(((Errors *)info->err)->failure, 1);
  memcpy(component->quantization, source->quant_table->quantval, sizeof(component->quantization));
  for (int row = 0; row < component->rows; row++) {
    JBLOCKARRAY blocks =
        info->mem->access_virt_barray((j_common_ptr)info, array, (JDIMENSION)row, 1, FALSE);
    memcpy(
        component->coefficients + (size_t)row * (size_t)component->columns * DCTSIZE2, blocks[0],
        (size_t)component->columns * sizeof(JBLOCK));
  }
}

bool oracle_read(const uint8_t *file, size_t size, int count, OracleComponent *components) {
  struct jpeg_decompress_struct info;
  Errors errors;
  info.err = prepare(&errors);
  for (int index = 0; index < count; index++) components[index].coefficients = NULL;
  if (setjmp(errors.failure) != 0) {
    for (int index = 0; index < count; index++) free(components[index].coefficients);
    jpeg_destroy_decompress(&info);
    return false;
  }
  jpeg_create_decompress(&info);
  info.mem->max_memory_to_use = 256L << 20;
  jpeg_mem_src(&info, file, (unsigned long)size);
  jpeg_read_header(&info, TRUE);
  jvirt_barray_ptr *arrays = jpeg_read_coefficients(&info);
  if (info.num_components != count) longjmp(errors.failure, 1);
  for (int index = 0; index < count; index++) copy(&info, arrays[index], index, &components[index]);
  for (int index = 0; index < count; index++) components[index].warnings = info.err->num_warnings;
  jpeg_destroy_decompress(&info);
  return true;
}
