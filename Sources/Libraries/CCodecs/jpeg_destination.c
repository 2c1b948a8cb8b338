#include "jpeg_destination.h"

#include <jerror.h>

// The library writes into the free part of the block, and calls back when that is full.
static void lend_rest(j_compress_ptr info) {
  JPEGDestination *destination = (JPEGDestination *)info->dest;
  if (!ozu_bytes_reserve(&destination->file, 1)) ERREXIT1(info, JERR_OUT_OF_MEMORY, 0);
  destination->manager.next_output_byte = destination->file.bytes + destination->file.count;
  destination->manager.free_in_buffer = destination->file.capacity - destination->file.count;
}

static boolean take_full_block(j_compress_ptr info) {
  JPEGDestination *destination = (JPEGDestination *)info->dest;
  destination->file.count = destination->file.capacity;
  lend_rest(info);
  return TRUE;
}

static void take_rest(j_compress_ptr info) {
  JPEGDestination *destination = (JPEGDestination *)info->dest;
  destination->file.count = destination->file.capacity - destination->manager.free_in_buffer;
}

void ozu_jpeg_write_into(j_compress_ptr info, JPEGDestination *destination) {
  destination->manager.init_destination = lend_rest;
  destination->manager.empty_output_buffer = take_full_block;
  destination->manager.term_destination = take_rest;
  info->dest = &destination->manager;
}
