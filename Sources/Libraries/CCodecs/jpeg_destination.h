// Where libjpeg writes a file: into memory that grows.
//
// Its own memory destination frees and replaces the block, and tells the owner only at the end: after a failure the owner
// would free it again.

#pragma once

#include <stdio.h>

#include <jpeglib.h>

#include "ozu_bytes.h"

typedef struct {
  // First, so that the library's pointer to it leads to the rest.
  struct jpeg_destination_mgr manager;
  // The bytes of the file; the owner frees them.
  OzuBytes file;
} JPEGDestination;

// Has the library write into the destination, which must be zero before and live as long as the library's object.
void ozu_jpeg_write_into(j_compress_ptr info, JPEGDestination *destination);
