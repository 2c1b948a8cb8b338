#ifndef OZU_JPEG_ORACLE_H
#define OZU_JPEG_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// How a test wants its JPEG.
typedef struct {
  int width, height;
  /// 1 for grey, 3 for YCbCr.
  int components;
  int quality;
  /// Sampling factors of luma; those of red chroma are 1.
  int horizontal, vertical;
  /// Sampling factors of blue chroma.
  int blue_horizontal, blue_vertical;
  bool is_progressive;
  bool optimizes_tables;
  /// Groups of blocks between restart markers; 0 for none.
  int restart_interval;
} OracleVariant;

/// Encodes rows of `components` bytes a pixel (RGB or grey). Gives a block for the caller to free(); NULL when it
/// fails.
uint8_t *oracle_encode(const uint8_t *pixels, OracleVariant variant, size_t *size);

/// The quantized coefficients of one component, as libjpeg reads them.
typedef struct {
  int columns, rows;
  /// `columns * rows` blocks of 64 in natural order, for the caller to free().
  int16_t *coefficients;
  /// In natural order.
  uint16_t quantization[64];
  /// The number of warnings of libjpeg for the whole file.
  long warnings;
} OracleComponent;

/// Reads all coefficients of a file of `count` components. False when libjpeg cannot.
bool oracle_read(const uint8_t *file, size_t size, int count, OracleComponent *components);

#endif
