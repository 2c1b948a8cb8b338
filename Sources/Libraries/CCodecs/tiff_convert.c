// Converts the rows of a TIFF to pixels.

#include "tiff_decoder.h"

#ifdef OZU_TIFF

#include <math.h>

// A sample of a row. Two bytes must follow the row. The library has converted words of 16, 24 and 32 bits to the
// byte order of the machine; samples of other sizes are stored bit by bit, the highest bit first.
static uint32_t integer(const TIFFDecoder *self, const uint8_t *row, size_t index) {
  switch (self->bits) {
    case 8: return row[index];
    case 16: {
      uint16_t value;
      memcpy(&value, row + index * 2, 2);
      return value;
    }
    case 24: return (uint32_t)row[index * 3] | (uint32_t)row[index * 3 + 1] << 8 | (uint32_t)row[index * 3 + 2] << 16;
    case 32: {
      uint32_t value;
      memcpy(&value, row + index * 4, 4);
      return value;
    }
    default: {
      const uint8_t *at = row + index * self->bits / 8;
      uint32_t word = (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];
      return word >> (24 - index * self->bits % 8 - self->bits) & ((1u << self->bits) - 1);
    }
  }
}

static float real(const uint8_t *row, size_t index) {
  float value;
  memcpy(&value, row + index * 4, 4);
  return value > 0 ? value < 1 ? value : 1 : 0;
}

static uint8_t sample(const TIFFDecoder *self, const uint8_t *row, size_t index) {
  if (self->is_float) return (uint8_t)lrintf(real(row, index) * 255);
  uint32_t value = integer(self, row, index);
  if (self->bits >= 8) return (uint8_t)(value >> (self->bits - 8));
  uint32_t most = (1u << self->bits) - 1;
  return (uint8_t)((value * 255 + most / 2) / most);
}

static void ink_to_light(const uint8_t ink[4], uint8_t *pixel) {
  uint8_t light[3];
  for (int i = 0; i < 3; i++) light[i] = (uint8_t)(((255 - ink[2 - i]) * (255 - ink[3]) + 127) / 255);
  memcpy(pixel, light, 3);
  pixel[3] = 255;
}

// The value of sRGB in 8 bits of a linear one.
static uint8_t encoded(float light) {
  if (!(light > 0)) return 0;
  if (light >= 1) return 255;
  return (uint8_t)lrintf(255 * (light <= 0.0031308f ? 12.92f * light : 1.055f * powf(light, 1 / 2.4f) - 0.055f));
}

static float cube(float root) { return root > 6.0f / 29 ? root * root * root : (root - 4.0f / 29) * 3 * 36 / 841; }

// CIE L*a*b* (TIFF 6.0, section 23), of which a* and b* are signed. It is relative to the white of the picture, which
// becomes the white of sRGB: by Bradford's matrix from D50, for which programs write it. The library leaves white yellow,
// and has no straight part of the curve.
static void lab_to_light(const TIFFDecoder *self, const uint8_t *row, size_t at, uint8_t *pixel) {
  bool is_wide = self->bits == 16;
  uint32_t lightness = integer(self, row, at), a = integer(self, row, at + 1), b = integer(self, row, at + 2);
  float y = ((float)lightness * 100 / (is_wide ? 65535 : 255) + 16) / 116;
  float x = y + (is_wide ? (float)(int16_t)a / 256 : (float)(int8_t)a) / 500;
  float z = y - (is_wide ? (float)(int16_t)b / 256 : (float)(int8_t)b) / 200;
  x = 0.96422f * cube(x);
  y = cube(y);
  z = 0.82521f * cube(z);
  pixel[2] = encoded(3.1338561f * x - 1.6168667f * y - 0.4906146f * z);
  pixel[1] = encoded(-0.9787684f * x + 1.9161415f * y + 0.0334540f * z);
  pixel[0] = encoded(0.0719453f * x - 0.2289914f * y + 1.4052427f * z);
}

static void index_to_light(const TIFFDecoder *self, const uint8_t *row, size_t at, uint8_t *pixel) {
  const uint8_t *color = self->palette[integer(self, row, at) & 255];
  for (int i = 0; i < 3; i++) pixel[i] = color[2 - i];
}

// The common formats: grey and RGB in 8 bits without alpha; false for others. Words are built in registers, so that
// compilers vectorise the loops.
static bool convert_bytes(const TIFFDecoder *self, const uint8_t *row, uint8_t *pixels) {
  if (self->bits != 8 || self->is_float || self->alpha != no_alpha) return false;
  size_t width = self->width, samples = self->samples;
  if (self->photometric == PHOTOMETRIC_RGB) {
    for (size_t x = 0; x < width; x++) {
      const uint8_t *at = row + x * samples;
      uint32_t word = (uint32_t)at[2] | (uint32_t)at[1] << 8 | (uint32_t)at[0] << 16 | 0xFF000000u;
      memcpy(pixels + 4 * x, &word, 4);
    }
    return true;
  }
  if (self->photometric > PHOTOMETRIC_RGB) return false;
  uint8_t inversion = self->photometric == PHOTOMETRIC_MINISWHITE ? 0xFF : 0;
  for (size_t x = 0; x < width; x++) {
    uint32_t word = (uint32_t)(uint8_t)(row[x * samples] ^ inversion) * 0x010101u | 0xFF000000u;
    memcpy(pixels + 4 * x, &word, 4);
  }
  return true;
}

void ozu_tiff_convert_row(const TIFFDecoder *self, const uint8_t *row, uint8_t *pixels) {
  if (convert_bytes(self, row, pixels)) return;
  for (uint32_t x = 0; x < self->width; x++, pixels += 4) {
    size_t at = (size_t)x * self->samples;
    uint8_t a = sample(self, row, at);
    if (self->photometric == PHOTOMETRIC_SEPARATED) {
      uint8_t ink[4] = {a, sample(self, row, at + 1), sample(self, row, at + 2), sample(self, row, at + 3)};
      if (self->base.keeps_cmyk) memcpy(pixels, ink, 4);
      else ink_to_light(ink, pixels);
      continue;
    }
    if (self->photometric == PHOTOMETRIC_RGB) {
      pixels[0] = sample(self, row, at + 2);
      pixels[1] = sample(self, row, at + 1);
      pixels[2] = a;
    } else if (self->photometric == PHOTOMETRIC_CIELAB) {
      lab_to_light(self, row, at, pixels);
    } else if (self->photometric == PHOTOMETRIC_PALETTE) {
      index_to_light(self, row, at, pixels);
    } else {
      pixels[0] = pixels[1] = pixels[2] = self->photometric == PHOTOMETRIC_MINISWHITE ? (uint8_t)~a : a;
    }
    pixels[3] = self->alpha == no_alpha ? 255 : sample(self, row, at + self->alpha);
  }
}

// A sample of more than 8 bits, as 16 bits.
static uint16_t wide_sample(const TIFFDecoder *self, const uint8_t *row, size_t index) {
  if (self->is_float) return (uint16_t)lrintf(real(row, index) * 65535);
  uint32_t value = integer(self, row, index);
  if (self->bits >= 16) return (uint16_t)(value >> (self->bits - 16));
  return (uint16_t)(value << (16 - self->bits) | value >> (2 * self->bits - 16));
}

void ozu_tiff_convert_deep_row(const TIFFDecoder *self, const uint8_t *row, uint8_t *pixels) {
  for (uint32_t x = 0; x < self->width; x++, pixels += 8) {
    size_t at = (size_t)x * self->samples;
    uint16_t pixel[4];
    pixel[0] = wide_sample(self, row, at);
    if (self->photometric == PHOTOMETRIC_RGB) {
      pixel[1] = wide_sample(self, row, at + 1);
      pixel[2] = wide_sample(self, row, at + 2);
    } else {
      if (self->photometric == PHOTOMETRIC_MINISWHITE) pixel[0] = (uint16_t)~pixel[0];
      pixel[1] = pixel[2] = pixel[0];
    }
    pixel[3] = self->alpha == no_alpha ? 65535 : wide_sample(self, row, at + self->alpha);
    memcpy(pixels, pixel, 8);
  }
}

void ozu_tiff_place_deep_row(const TIFFDecoder *self, const uint8_t *row, uint8_t *pixels) {
  for (uint32_t x = 0; x < self->width; x++, pixels += 8) {
    uint16_t value = wide_sample(self, row, x), opaque = 65535;
    if (self->photometric == PHOTOMETRIC_MINISWHITE && self->plane == 0) value = (uint16_t)~value;
    bool is_gray = self->photometric != PHOTOMETRIC_RGB;
    for (int channel = 0; channel < (is_gray && self->plane == 0 ? 3 : 1); channel++)
      memcpy(pixels + 2 * (self->plane == self->alpha ? 3 : self->plane + channel), &value, 2);
    if (self->alpha == no_alpha && self->plane == 0) memcpy(pixels + 6, &opaque, 2);
  }
}

void ozu_tiff_place_row(const TIFFDecoder *self, const uint8_t *row, uint8_t *pixels) {
  for (uint32_t x = 0; x < self->width; x++, pixels += 4) {
    uint8_t value = sample(self, row, x);
    if (self->photometric == PHOTOMETRIC_SEPARATED) {
      pixels[self->plane] = value;
      if (self->plane == 3 && !self->base.keeps_cmyk) ink_to_light(pixels, pixels);
      continue;
    }
    if (self->plane == 0 && self->alpha == no_alpha) pixels[3] = 255;
    if (self->plane == self->alpha) pixels[3] = value;
    else if (self->photometric == PHOTOMETRIC_RGB) pixels[2 - self->plane] = value;
    else if (self->photometric == PHOTOMETRIC_PALETTE) index_to_light(self, row, x, pixels);
    else pixels[0] = pixels[1] = pixels[2] = self->photometric == PHOTOMETRIC_MINISWHITE ? (uint8_t)~value : value;
  }
}

#endif
