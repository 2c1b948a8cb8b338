// Turns a JPEG without decoding its pixels: the blocks of coefficients change places, and the coefficients within a block
// change places and signs (as jpegtran does). Only pictures without blocks that are cut at a mirrored edge can be turned.

#include "jpeg_decoder.h"
#include "jpeg_destination.h"

// Everything that must survive a longjmp is here, in memory, not in registers.
typedef struct {
  // Reads the file, and has the errors of both sides.
  OzuJPEGDecoder *decoder;
  struct jpeg_compress_struct target;
  JPEGDestination destination;
  jvirt_barray_ptr blocks[MAX_COMPONENTS];
} Turner;

// The parts of a turn: first the mirrors, then rows become columns, seen from the result.
typedef struct {
  bool is_transposed;
  bool mirrors_x;
  bool mirrors_y;
} Turn;

// For each orientation of EXIF, the turn that makes the picture upright.
static const Turn turns[9] = {
    {0}, {0}, {.mirrors_x = true}, {.mirrors_x = true, .mirrors_y = true}, {.mirrors_y = true},
    {.is_transposed = true}, {.is_transposed = true, .mirrors_x = true},
    {.is_transposed = true, .mirrors_x = true, .mirrors_y = true}, {.is_transposed = true, .mirrors_y = true}};

static void give_up(Turner *turner, const char *reason) {
  refuse(turner->decoder, reason);
  longjmp(turner->decoder->failure, 1);
}

// Reads all coefficients. Damage would be written into the result: then the file stays as it is.
static jvirt_barray_ptr *read_coefficients(Turner *turner) {
  OzuJPEGDecoder *decoder = turner->decoder;
  ozu_jpeg_decoder_hide_end(decoder, true);
  jvirt_barray_ptr *blocks = jpeg_read_coefficients(&decoder->info);
  // The first scan of a component gives it its table.
  for (int i = 0; i < decoder->info.num_components; i++)
    decoder->has_scan[i] = decoder->info.comp_info[i].quant_table != NULL;
  bool is_cut = decoder->has_ended && (!decoder->has_end || ozu_jpeg_decoder_misses_bits(decoder));
  if (blocks == NULL || decoder->misses_data || is_cut) give_up(turner, "bytes are missing");
  if (decoder->errors.num_warnings > 0) give_up(turner, "it is damaged");
  return blocks;
}

static JDIMENSION rounded_up(JDIMENSION count, int unit) {
  return (count + (JDIMENSION)unit - 1) / (JDIMENSION)unit * (JDIMENSION)unit;
}

// One block: the sign of a coefficient changes for odd frequencies in the mirrored direction.
static void turn_block(const JCOEF *from, JCOEF *to, Turn turn) {
  for (int y = 0; y < DCTSIZE; y++)
    for (int x = 0; x < DCTSIZE; x++) {
      JCOEF value = turn.is_transposed ? from[x * DCTSIZE + y] : from[y * DCTSIZE + x];
      bool is_negated = (turn.mirrors_x && (x & 1)) != (turn.mirrors_y && (y & 1));
      to[y * DCTSIZE + x] = is_negated ? (JCOEF)-value : value;
    }
}

static void turn_component(
    Turner *turner, const jpeg_component_info *component, jvirt_barray_ptr from, jvirt_barray_ptr to, Turn turn) {
  j_common_ptr info = (j_common_ptr)&turner->decoder->info;
  struct jpeg_memory_mgr *memory = info->mem;
  JDIMENSION width = turn.is_transposed ? component->height_in_blocks : component->width_in_blocks;
  JDIMENSION height = turn.is_transposed ? component->width_in_blocks : component->height_in_blocks;
  for (JDIMENSION y = 0; y < height; y++) {
    JBLOCKROW target = memory->access_virt_barray(info, to, y, 1, TRUE)[0];
    JDIMENSION v = turn.mirrors_y ? height - 1 - y : y;
    for (JDIMENSION x = 0; x < width; x++) {
      JDIMENSION u = turn.mirrors_x ? width - 1 - x : x;
      JDIMENSION row = turn.is_transposed ? u : v, column = turn.is_transposed ? v : u;
      JBLOCKROW source = memory->access_virt_barray(info, from, row, 1, FALSE)[0];
      turn_block(source[column], target[x], turn);
    }
  }
}

static void swap(int *a, int *b) {
  int old = *a;
  *a = *b;
  *b = old;
}

static void turn_file(Turner *turner, const uint8_t *data, size_t size, int orientation, size_t memory_limit) {
  struct jpeg_decompress_struct *source = &turner->decoder->info;
  struct jpeg_compress_struct *target = &turner->target;
  Turn turn = turns[orientation];
  ozu_jpeg_decoder_lend(turner->decoder, data, size, true);
  source->mem->max_memory_to_use = (long)memory_limit;
  jpeg_save_markers(source, JPEG_COM, 0xFFFF);
  for (int marker = 0; marker < 16; marker++) jpeg_save_markers(source, JPEG_APP0 + marker, 0xFFFF);
  jpeg_read_header(source, TRUE);
  // The sides of the stored picture that become its mirrored ones in the result.
  bool mirrors_width = turn.is_transposed ? turn.mirrors_y : turn.mirrors_x;
  bool mirrors_height = turn.is_transposed ? turn.mirrors_x : turn.mirrors_y;
  JDIMENSION unit_width = (JDIMENSION)(source->max_h_samp_factor * DCTSIZE);
  JDIMENSION unit_height = (JDIMENSION)(source->max_v_samp_factor * DCTSIZE);
  if (source->num_components == 1) unit_width = unit_height = DCTSIZE;
  if ((mirrors_width && source->image_width % unit_width != 0) ||
      (mirrors_height && source->image_height % unit_height != 0))
    give_up(turner, "its sides are no multiples of its blocks");
  for (int i = 0; i < source->num_components; i++) {
    const jpeg_component_info *component = &source->comp_info[i];
    int h = turn.is_transposed ? component->v_samp_factor : component->h_samp_factor;
    int v = turn.is_transposed ? component->h_samp_factor : component->v_samp_factor;
    JDIMENSION across = component->width_in_blocks, down = component->height_in_blocks;
    turner->blocks[i] = source->mem->request_virt_barray(
        (j_common_ptr)source, JPOOL_IMAGE, TRUE, rounded_up(turn.is_transposed ? down : across, h),
        rounded_up(turn.is_transposed ? across : down, v), (JDIMENSION)v);
  }
  jvirt_barray_ptr *blocks = read_coefficients(turner);
  jpeg_create_compress(target);
  ozu_jpeg_write_into(target, &turner->destination);
  jpeg_copy_critical_parameters(source, target);
  if (turn.is_transposed) {
    JDIMENSION width = target->image_width;
    target->image_width = target->image_height;
    target->image_height = width;
    UINT16 density = target->X_density;
    target->X_density = target->Y_density;
    target->Y_density = density;
    for (int i = 0; i < target->num_components; i++)
      swap(&target->comp_info[i].h_samp_factor, &target->comp_info[i].v_samp_factor);
    for (int i = 0; i < NUM_QUANT_TBLS; i++) {
      JQUANT_TBL *table = target->quant_tbl_ptrs[i];
      for (int y = 0; table != NULL && y < DCTSIZE; y++)
        for (int x = 0; x < y; x++) {
          UINT16 old = table->quantval[y * DCTSIZE + x];
          table->quantval[y * DCTSIZE + x] = table->quantval[x * DCTSIZE + y];
          table->quantval[x * DCTSIZE + y] = old;
        }
    }
  }
  for (int i = 0; i < source->num_components; i++)
    turn_component(turner, &source->comp_info[i], blocks[i], turner->blocks[i], turn);
  target->optimize_coding = !source->arith_code;
  target->arith_code = source->arith_code;
  if (source->progressive_mode) jpeg_simple_progression(target);
  jpeg_write_coefficients(target, turner->blocks);
  for (jpeg_saved_marker_ptr marker = source->marker_list; marker != NULL; marker = marker->next) {
    // The library writes these two by itself.
    if (target->write_JFIF_header && marker->marker == JPEG_APP0 && marker->data_length >= 5 &&
        memcmp(marker->data, "JFIF", 5) == 0)
      continue;
    if (target->write_Adobe_marker && marker->marker == JPEG_APP0 + 14 && marker->data_length >= 5 &&
        memcmp(marker->data, "Adobe", 5) == 0)
      continue;
    jpeg_write_marker(target, marker->marker, marker->data, marker->data_length);
  }
  jpeg_finish_compress(target);
  jpeg_finish_decompress(source);
}

OzuStatus ozu_jpeg_turn(
    const uint8_t *data, size_t size, int orientation, size_t memory_limit, OzuBytes *file, char *message,
    size_t message_capacity) {
  if (data == NULL || orientation < 2 || orientation > 8) {
    snprintf(message, message_capacity, "it is upright");
    return OzuStatusFailed;
  }
  Turner *turner = calloc(1, sizeof(Turner));
  if (turner != NULL) turner->decoder = ozu_jpeg_decoder_new();
  if (turner == NULL || turner->decoder == NULL) {
    snprintf(message, message_capacity, "out of memory");
    free(turner);
    return OzuStatusFailed;
  }
  turner->target.err = &turner->decoder->errors;
  turner->target.client_data = turner->decoder;
  OzuStatus status = OzuStatusDone;
  if (setjmp(turner->decoder->failure) == 0) {
    turn_file(turner, data, size, orientation, memory_limit);
    *file = turner->destination.file;
  } else {
    status = OzuStatusFailed;
    snprintf(message, message_capacity, "%s", turner->decoder->message);
    free(turner->destination.file.bytes);
  }
  jpeg_destroy_compress(&turner->target);
  ozu_jpeg_decoder_free(turner->decoder);
  free(turner);
  return status;
}
