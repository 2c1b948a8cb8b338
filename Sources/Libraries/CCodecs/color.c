// Colour conversion through Little CMS, which does not use longjmp. It reports an error by returning NULL.

#if !__has_include(<lcms2.h>)
#error "Little CMS is missing: apt-get install liblcms2-dev, brew install little-cms2"
#endif

#include <lcms2.h>
#include <stdlib.h>
#include <string.h>

#include "CCodecs.h"

struct OzuColorTransform {
  cmsContext context;
  cmsHTRANSFORM transform;
  // The results for all grey values, four bytes or words each; NULL for other pixels.
  uint8_t *table;
  bool is_wide;
  bool moves_black;
  // The bytes of an input pixel.
  size_t source_pixel_size;
};

enum { values_of_gray = 256, values_of_wide_gray = 65536 };

// Fills the table of a transform for grey. The library would precalculate the curve at 33 points, which misses the
// shadows of a steep curve between the first two. So this optimisation is off, and each value is converted once.
static bool make_table(OzuColorTransform *self) {
  if (self->is_wide) {
    if ((self->table = calloc(values_of_wide_gray, 4 * sizeof(uint16_t))) == NULL) return false;
    for (uint32_t value = 0; value < values_of_wide_gray; value++) {
      uint16_t gray = (uint16_t)value;
      cmsDoTransform(self->transform, &gray, self->table + value * 8, 1);
    }
    return true;
  }
  if ((self->table = calloc(values_of_gray, 4)) == NULL) return false;
  for (uint32_t value = 0; value < values_of_gray; value++) {
    uint8_t gray = (uint8_t)value;
    cmsDoTransform(self->transform, &gray, self->table + value * 4, 1);
  }
  return true;
}

// To find the black point, Little CMS looks only at the table of the intent, though it converts with the perceptual
// table if a profile has no other. So a profile with only one of the two tables gets it under both names. The black
// point of a printer is found by converting from Lab to ink and back; a profile without the table for the first
// step is treated as that of a scanner, whose black is full ink. Pixels are converted with the same tables as
// before.
static void complete_tables(cmsHPROFILE source) {
  bool has_perceptual = cmsIsTag(source, cmsSigAToB0Tag);
  bool has_colorimetric = cmsIsTag(source, cmsSigAToB1Tag);
  if (has_perceptual && !has_colorimetric) cmsLinkTag(source, cmsSigAToB1Tag, cmsSigAToB0Tag);
  if (has_colorimetric && !has_perceptual) cmsLinkTag(source, cmsSigAToB0Tag, cmsSigAToB1Tag);
  if (cmsGetDeviceClass(source) == cmsSigOutputClass && !cmsIsTag(source, cmsSigBToA0Tag))
    cmsSetDeviceClass(source, cmsSigInputClass);
}

// Whether 0, 0, 0 is darker than white, and no corner of the RGB cube is darker still. In spaces that do not belong
// to a device, such as XYB, 0, 0, 0 is a colour like any other.
static bool is_zero_darkest(cmsContext context, cmsHPROFILE source) {
  cmsHPROFILE lab = cmsCreateLab4ProfileTHR(context, NULL);
  cmsHTRANSFORM transform = NULL;
  if (lab != NULL)
    transform = cmsCreateTransformTHR(
        context, source, TYPE_RGB_16, lab, TYPE_Lab_DBL, INTENT_RELATIVE_COLORIMETRIC,
        cmsFLAGS_NOOPTIMIZE | cmsFLAGS_NOCACHE);
  if (lab != NULL) cmsCloseProfile(lab);
  if (transform == NULL) return false;
  cmsUInt16Number corners[8][3];
  cmsCIELab results[8];
  for (unsigned i = 0; i < 8; i++)
    for (unsigned channel = 0; channel < 3; channel++) corners[i][channel] = i >> channel & 1 ? 65535 : 0;
  cmsDoTransform(transform, corners, results, 8);
  cmsDeleteTransform(transform);
  for (unsigned i = 1; i < 8; i++)
    if (results[i].L < results[0].L) return false;
  return results[7].L > results[0].L;
}

// Whether the darkest colour of a profile is visibly lighter than black: by more than a thirtieth of a step in 8
// bits of sRGB, which is 0.0003 in Y there. A darkest colour of L* 50 and above belongs to a broken or negative
// profile; Little CMS limits the value to L* 50, which is Y 0.184.
static bool needs_compensation(cmsContext context, cmsHPROFILE source) {
  const double least = 1e-5, most = 0.184;
  cmsCIEXYZ black;
  if (!cmsDetectBlackPoint(&black, source, INTENT_RELATIVE_COLORIMETRIC, 0)) return false;
  if (!(black.Y > least && black.Y < most)) return false;
  return cmsGetColorSpace(source) != cmsSigRgbData || is_zero_darkest(context, source);
}

static OzuColorTransform *make(cmsContext context, cmsHPROFILE source, OzuColorLayout layout) {
  static const cmsColorSpaceSignature spaces[] = {
      cmsSigGrayData, cmsSigRgbData, cmsSigCmykData, cmsSigRgbData, cmsSigGrayData};
  static const cmsUInt32Number formats[] = {TYPE_GRAY_8, TYPE_BGRA_8, TYPE_CMYK_8, TYPE_RGBA_16, TYPE_GRAY_16};
  bool is_wide = layout == OzuColorLayoutRGBA16 || layout == OzuColorLayoutGray16;
  bool is_gray = layout == OzuColorLayoutGray || layout == OzuColorLayoutGray16;
  bool has_alpha = layout == OzuColorLayoutBGRA || layout == OzuColorLayoutRGBA16;
  cmsHPROFILE target = cmsCreate_sRGBProfileTHR(context);
  cmsHTRANSFORM transform = NULL;
  bool moves_black = false;
  if (source != NULL && target != NULL && cmsGetColorSpace(source) == spaces[layout]) {
    complete_tables(source);
    moves_black = needs_compensation(context, source);
    // Formats with an A have alpha as an extra channel, which is copied if both sides have it.
    cmsUInt32Number flags = is_gray ? cmsFLAGS_NOOPTIMIZE : has_alpha ? cmsFLAGS_COPY_ALPHA : 0;
    // Curves and a matrix are calculated exactly in 8 bits alone: in 16 bits the library would precalculate them at 33
    // points a channel, which misses colours near the edge of sRGB by up to 24 of 255 steps, and up to version 2.12 the
    // shadows of linear light.
    if (is_wide && cmsIsMatrixShaper(source)) flags |= cmsFLAGS_NOOPTIMIZE;
    // The flag is left out if it would change nothing, because with it profiles of curves and a matrix lose exact
    // arithmetic.
    if (moves_black) flags |= cmsFLAGS_BLACKPOINTCOMPENSATION;
    // The intent that the profile names in its header is ignored.
    transform = cmsCreateTransformTHR(
        context, source, formats[layout], target, is_wide ? TYPE_RGBA_16 : TYPE_BGRA_8,
        INTENT_RELATIVE_COLORIMETRIC, flags);
  }
  if (source != NULL) cmsCloseProfile(source);
  if (target != NULL) cmsCloseProfile(target);
  OzuColorTransform *result = transform == NULL ? NULL : calloc(1, sizeof(OzuColorTransform));
  if (result == NULL) {
    if (transform != NULL) cmsDeleteTransform(transform);
    cmsDeleteContext(context);
    return NULL;
  }
  result->context = context;
  result->transform = transform;
  result->is_wide = is_wide;
  result->moves_black = moves_black;
  result->source_pixel_size = is_gray ? (is_wide ? 2 : 1) : (is_wide ? 8 : 4);
  if (!is_gray || make_table(result)) return result;
  ozu_color_transform_free(result);
  return NULL;
}

OzuColorTransform *ozu_color_transform_new(const uint8_t *profile, size_t size, OzuColorLayout layout) {
  cmsContext context = cmsCreateContext(NULL, NULL);
  if (context == NULL) return NULL;
  return make(context, cmsOpenProfileFromMemTHR(context, profile, (cmsUInt32Number)size), layout);
}

OzuColorTransform *ozu_color_transform_from_primaries(
    const double c[8], OzuColorCurve curve, double gamma, OzuColorLayout layout) {
  cmsContext context = cmsCreateContext(NULL, NULL);
  if (context == NULL) return NULL;
  // IEC 61966-2-1 in the form of ICC's parametric curve of type 3.
  const cmsFloat64Number srgb[5] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
  cmsToneCurve *tone = curve == OzuColorCurveSRGB ? cmsBuildParametricToneCurve(context, 4, srgb)
                                                  : cmsBuildGamma(context, gamma);
  cmsHPROFILE source = NULL;
  if (tone != NULL) {
    cmsCIExyY white = {c[0], c[1], 1};
    cmsCIExyYTRIPLE primaries = {{c[2], c[3], 1}, {c[4], c[5], 1}, {c[6], c[7], 1}};
    cmsToneCurve *curves[3] = {tone, tone, tone};
    bool is_gray = layout == OzuColorLayoutGray || layout == OzuColorLayoutGray16;
    source = is_gray ? cmsCreateGrayProfileTHR(context, &white, tone)
                                          : cmsCreateRGBProfileTHR(context, &white, &primaries, curves);
    cmsFreeToneCurve(tone);
  }
  return make(context, source, layout);
}

void ozu_color_transform_free(OzuColorTransform *transform) {
  if (transform == NULL) return;
  cmsDeleteTransform(transform->transform);
  cmsDeleteContext(transform->context);
  free(transform->table);
  free(transform);
}

bool ozu_color_transform_moves_black(const OzuColorTransform *transform) { return transform->moves_black; }

bool ozu_color_transform_apply(
    const OzuColorTransform *transform, const uint8_t *from, size_t from_size, uint8_t *to, size_t to_size,
    size_t pixels) {
  if (from_size / transform->source_pixel_size < pixels || to_size / (transform->is_wide ? 8 : 4) < pixels
      || pixels > UINT32_MAX)
    return false;
  if (transform->table != NULL && transform->is_wide) {
    for (size_t i = 0; i < pixels; i++) {
      uint16_t gray;
      memcpy(&gray, from + i * 2, 2);
      memcpy(to + i * 8, transform->table + (size_t)gray * 8, 8);
    }
    return true;
  }
  if (transform->table != NULL) {
    for (size_t i = 0; i < pixels; i++) memcpy(to + i * 4, transform->table + (size_t)from[i] * 4, 4);
    return true;
  }
  cmsDoTransform(transform->transform, from, to, (cmsUInt32Number)pixels);
  return true;
}
