// What every JPEG that is written has: tables, sampling factors, density, and an end after an error.

#pragma once

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

#include "ozu_jpeg.h"

// Sets up a new object for pixels in BGRX by the parameters. Errors go to the object's error handler.
void ozu_jpeg_set_up(j_compress_ptr info, int width, int height, const OzuJPEGParameters *parameters);

// Where the errors of a writer lead, and the library's message.
typedef struct {
  jmp_buf place;
  char message[JMSG_LENGTH_MAX];
  struct jpeg_error_mgr errors;
} JPEGFailure;

// Has an object that is not made yet jump to `place` for an error, and print nothing.
void ozu_jpeg_catch(j_common_ptr info, JPEGFailure *failure);
