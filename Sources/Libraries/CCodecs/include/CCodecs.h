// The C codecs in a form that Swift can call: opaque handles and functions that return a status.
//
// Some libraries report errors by longjmp. Every function here sets its own jump target and returns a status, so no
// jump ever crosses a Swift frame, and nothing here calls back into Swift: decoding goes in steps of a few rows,
// and between two steps the caller decides whether to continue. Nothing is ever printed.
//
// All functions are declared, whatever the package's traits are; those of a trait that is off are not defined.

#ifndef OZU_CCODECS_H
#define OZU_CCODECS_H

#include "ozu_bytes.h"
#include "ozu_color.h"
#include "ozu_encode.h"
#include "ozu_jpeg.h"
#include "ozu_jxl_feed.h"
#include "ozu_label.h"
#include "ozu_picture.h"
#include "ozu_pixels.h"
#include "ozu_png.h"
#include "ozu_png_feed.h"
#include "ozu_status.h"
#include "ozu_webp.h"
#include "ozu_webp_animation.h"
#include "ozu_zlib.h"
#include "ozu_zstd.h"

#endif
