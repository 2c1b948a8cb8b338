// What every JPEG that is written has: tables, sampling factors, density.

#pragma once

#include <stdio.h>

#include <jpeglib.h>

#include "ozu_jpeg.h"

// Sets up a new object for pixels in BGRX by the parameters. Errors go to the object's error handler.
void ozu_jpeg_set_up(j_compress_ptr info, int width, int height, const OzuJPEGParameters *parameters);
