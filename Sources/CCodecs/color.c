// Colour conversion through Little CMS. It has its own arithmetic and no jumps; errors are NULL.

#include <lcms2.h>
#include <stdlib.h>

#include "CCodecs.h"

struct OzuColorTransform {
  cmsContext context;
  cmsHTRANSFORM transform;
};

static OzuColorTransform *make(cmsContext context, cmsHPROFILE source, OzuColorLayout layout) {
  static const cmsColorSpaceSignature spaces[] = {
      cmsSigGrayData, cmsSigRgbData, cmsSigCmykData, cmsSigRgbData};
  static const cmsUInt32Number formats[] = {TYPE_GRAY_8, TYPE_BGRA_8, TYPE_CMYK_8, TYPE_RGBA_16};
  bool is_deep = layout == OzuColorLayoutRGBA16;
  cmsHPROFILE target = cmsCreate_sRGBProfileTHR(context);
  cmsHTRANSFORM transform = NULL;
  if (source != NULL && target != NULL && cmsGetColorSpace(source) == spaces[layout])
    // Formats with an A have alpha as an extra channel, which is copied where both sides have it.
    transform = cmsCreateTransformTHR(
        context, source, formats[layout], target, is_deep ? TYPE_RGBA_16 : TYPE_BGRA_8,
        INTENT_RELATIVE_COLORIMETRIC, is_deep || layout == OzuColorLayoutBGRA ? cmsFLAGS_COPY_ALPHA : 0);
  if (source != NULL) cmsCloseProfile(source);
  if (target != NULL) cmsCloseProfile(target);
  OzuColorTransform *result = transform == NULL ? NULL : malloc(sizeof(OzuColorTransform));
  if (result == NULL) {
    if (transform != NULL) cmsDeleteTransform(transform);
    cmsDeleteContext(context);
    return NULL;
  }
  result->context = context;
  result->transform = transform;
  return result;
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
    source = layout == OzuColorLayoutGray ? cmsCreateGrayProfileTHR(context, &white, tone)
                                          : cmsCreateRGBProfileTHR(context, &white, &primaries, curves);
    cmsFreeToneCurve(tone);
  }
  return make(context, source, layout);
}

void ozu_color_transform_free(OzuColorTransform *transform) {
  if (transform == NULL) return;
  cmsDeleteTransform(transform->transform);
  cmsDeleteContext(transform->context);
  free(transform);
}

void ozu_color_transform_apply(
    const OzuColorTransform *transform, const uint8_t *from, uint8_t *to, size_t pixels) {
  cmsDoTransform(transform->transform, from, to, (cmsUInt32Number)pixels);
}
