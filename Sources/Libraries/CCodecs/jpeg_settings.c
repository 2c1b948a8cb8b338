#include "jpeg_settings.h"

// From this quality on the tables are those of Annex K of the standard.
enum { standard_quality = 90, tuned_quality = 85 };

// Annex K of ITU-T T.81, tables K.1 and K.2, and tables that were tuned for the highest MS-SSIM at equal bytes, in rows of
// frequencies. The latter are from mozjpeg (jcparam.c, number 2 of its list).
static const unsigned annex_k[2][DCTSIZE2] = {
    {16, 11, 10, 16, 24,  40,  51,  61,  12, 12, 14, 19, 26,  58,  60,  55,
     14, 13, 16, 24, 40,  57,  69,  56,  14, 17, 22, 29, 51,  87,  80,  62,
     18, 22, 37, 56, 68,  109, 103, 77,  24, 35, 55, 64, 81,  104, 113, 92,
     49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99},
    {17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99,
     24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99, 99, 99, 99,
     99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
     99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99}};
static const unsigned tuned[2][DCTSIZE2] = {
    {12, 17, 20, 21, 30,  34,  56,  63,  18, 20, 20, 26, 28,  51,  61,  55,
     19, 20, 21, 26, 33,  58,  69,  55,  26, 26, 26, 30, 46,  87,  86,  66,
     31, 33, 36, 40, 46,  96,  100, 73,  40, 35, 46, 62, 81,  100, 111, 91,
     46, 66, 76, 86, 102, 121, 120, 101, 68, 90, 90, 96, 113, 102, 105, 103},
    {8,  12, 15, 15, 86, 96, 96, 98, 13, 13, 15, 26, 90, 96, 99, 98,
     12, 15, 18, 96, 99, 99, 99, 99, 17, 16, 90, 96, 99, 99, 99, 99,
     96, 96, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
     99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99}};

static void set_tables(j_compress_ptr info, int quality) {
  int share = standard_quality - quality, whole = standard_quality - tuned_quality;
  share = share < 0 ? 0 : share > whole ? whole : share;
  for (int i = 0; i < 2; i++) {
    unsigned table[DCTSIZE2];
    for (int k = 0; k < DCTSIZE2; k++)
      table[k] = (tuned[i][k] * (unsigned)share + annex_k[i][k] * (unsigned)(whole - share) + (unsigned)whole / 2) /
                 (unsigned)whole;
    jpeg_add_quant_table(info, i, table, jpeg_quality_scaling(quality), TRUE);
  }
}

void ozu_jpeg_set_up(j_compress_ptr info, int width, int height, const OzuJPEGParameters *parameters) {
  info->image_width = (JDIMENSION)width;
  info->image_height = (JDIMENSION)height;
  info->input_components = 4;
  info->in_color_space = JCS_EXT_BGRX;
  jpeg_set_defaults(info);
  set_tables(info, parameters->quality);
  info->dct_method = JDCT_ISLOW;
  info->optimize_coding = TRUE;
  if (parameters->is_gray) {
    jpeg_set_colorspace(info, JCS_GRAYSCALE);
  } else {
    info->comp_info[0].h_samp_factor = parameters->chroma == OzuChromaFull ? 1 : 2;
    info->comp_info[0].v_samp_factor = parameters->chroma == OzuChromaQuarter ? 2 : 1;
  }
  if (parameters->dots_per_inch_x > 0 && parameters->dots_per_inch_y > 0) {
    info->density_unit = 1;
    info->X_density = parameters->dots_per_inch_x;
    info->Y_density = parameters->dots_per_inch_y;
  }
}

static void fail(j_common_ptr info) {
  JPEGFailure *failure = info->client_data;
  info->err->format_message(info, failure->message);
  longjmp(failure->place, 1);
}

static void print_nothing(j_common_ptr info) { (void)info; }

static void note_nothing(j_common_ptr info, int level) {
  (void)info;
  (void)level;
}

void ozu_jpeg_catch(j_common_ptr info, JPEGFailure *failure) {
  info->err = jpeg_std_error(&failure->errors);
  failure->errors.error_exit = fail;
  failure->errors.emit_message = note_nothing;
  failure->errors.output_message = print_nothing;
  info->client_data = failure;
}
