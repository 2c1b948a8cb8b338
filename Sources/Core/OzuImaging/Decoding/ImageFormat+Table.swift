extension ImageType {
  /// JPEG (ITU-T T.81).
  public static let jpeg = ImageType(rawValue: "jpeg")
  /// PNG, animated or not (W3C PNG, third edition).
  public static let png = ImageType(rawValue: "png")
  /// GIF (87a and 89a).
  public static let gif = ImageType(rawValue: "gif")
  /// WebP (RFC 9649).
  public static let webp = ImageType(rawValue: "webp")
  /// AVIF.
  public static let avif = ImageType(rawValue: "avif")
  /// HEIC and other HEIF.
  public static let heic = ImageType(rawValue: "heic")
  /// JPEG XL (ISO/IEC 18181).
  public static let jxl = ImageType(rawValue: "jxl")
  /// TIFF 6.0.
  public static let tiff = ImageType(rawValue: "tiff")
  /// Windows bitmap.
  public static let bmp = ImageType(rawValue: "bmp")
  /// Windows icon or cursor.
  public static let ico = ImageType(rawValue: "ico")
  /// Scalable Vector Graphics.
  public static let svg = ImageType(rawValue: "svg")
  /// The portable formats of Netpbm: bitmaps, graymaps, pixmaps and PAM.
  public static let pnm = ImageType(rawValue: "pnm")
  /// The Quite OK Image Format.
  public static let qoi = ImageType(rawValue: "qoi")
  /// Truevision TGA.
  public static let tga = ImageType(rawValue: "tga")
  /// Apple icon.
  public static let icns = ImageType(rawValue: "icns")
  /// Photoshop document.
  public static let psd = ImageType(rawValue: "psd")
  /// Ozu's own format: lossless pixels for the disk cache. Not meant for other programs.
  public static let ozuDelta = ImageType(rawValue: "ozu-delta")
  /// A `Label` as a document, which is drawn where drawings are (`LabelDocument`).
  package static let label = ImageType(rawValue: "label")
}

extension ImageFormat {
  /// The formats that Ozu knows, in the order in which they are recognised. Where a client or a server accepts several
  /// equally, the earlier one is chosen.
  static let table: [ImageFormat] = common + cameraRAW + others + unread

  private static let common: [ImageFormat] = [
    ImageFormat(
      .jpeg, "JPEG", endings: ["jpg", "jpeg", "jpe", "jfif"], .own, [.bytes(0xFF, 0xD8, 0xFF)],
      isWritten: true, audience: .browsers),
    ImageFormat(
      .png, "PNG", mediaTypes: ["image/png", "image/apng"], endings: ["png", "apng"], .own,
      [.bytes(0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A)], isWritten: true, audience: .browsers),
    ImageFormat(
      .gif, "GIF", .own, [.text("GIF87a"), .text("GIF89a")], isWritten: true, audience: .browsers),
    ImageFormat(
      .avif, "AVIF", endings: ["avif", "avifs"], .library, [.brands("avif", "avis")], isWritten: true,
      audience: .browsers, requestedQuality: 1),
    ImageFormat(
      .jxl, "JPEG XL", .library,
      [.bytes(0xFF, 0x0A), .bytes(0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A)],
      isWritten: true, audience: .browsers, requestedQuality: 0.95),
    ImageFormat(
      .webp, "WebP", .library, [.text("RIFF").and(.text("WEBP", at: 8))], isWritten: true,
      audience: .browsers, requestedQuality: 0.9),
    ImageFormat(
      .heic, "HEIC", mediaTypes: ["image/heic", "image/heif"], endings: ["heic", "heif", "hif"],
      .library(startsThreads: true),
      [
        .brands(
          "heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1", "mif2", "mif3",
          // Of other codings, and of all of them.
          "avci", "avcs", "j2ki", "jpeg", "vvic", "miaf")
      ], requestedQuality: 0.85),
  ]

  /// After camera RAW, of which some files begin like TIFF; files of the makers without a signature are told from TIFF by
  /// their directories (`init(rawWithStructureOfTIFF:)`).
  private static let others: [ImageFormat] = [
    ImageFormat(
      .tiff, "TIFF", endings: ["tiff", "tif"], .library,
      [
        .bytes(0x49, 0x49, 0x2A, 0), .bytes(0x4D, 0x4D, 0, 0x2A), .bytes(0x49, 0x49, 0x2B, 0),
        .bytes(0x4D, 0x4D, 0, 0x2B),
      ]),
    // Many texts begin with "BM". A bitmap also has zeros in the reserved fields of the file header, or, if these
    // have a hot spot, a small number as the length of the next header.
    ImageFormat(
      .bmp, "BMP", endings: ["bmp", "dib"], .own,
      [.text("BM").and(.bytes(0, 0, 0, 0, at: 6)), .text("BM").and(.bytes(0, 0, 0, at: 15)), .bareBitmap],
      audience: .browsers),
    // Before icons: an icon without pictures would begin like it.
    ImageFormat(
      .tga, "TGA", mediaTypes: ["image/x-tga", "image/x-targa"], endings: ["tga", "icb", "vda", "vst"], .own,
      [.targa]),
    ImageFormat(
      .ico, "ICO", mediaTypes: ["image/vnd.microsoft.icon", "image/x-icon"], endings: ["ico", "cur"], .own,
      // With some pictures, but fewer than 256.
      [
        .bytes(0, 0, 1, 0).and(.nonzero(at: 4)).and(.bytes(0, at: 5)),
        .bytes(0, 0, 2, 0).and(.nonzero(at: 4)).and(.bytes(0, at: 5)),
      ], audience: .browsers),
    ImageFormat(
      .pnm, "PNM",
      mediaTypes: [
        "image/x-portable-anymap", "image/x-portable-bitmap", "image/x-portable-graymap",
        "image/x-portable-pixmap", "image/x-portable-arbitrarymap",
      ], endings: ["pnm", "pbm", "pgm", "ppm", "pam"], .own, [.netpbm], isWritten: true),
    ImageFormat(
      .qoi, "QOI", mediaTypes: ["image/qoi", "image/x-qoi"], .own, [.text("qoif")], isWritten: true),
    ImageFormat(.icns, "ICNS", mediaTypes: ["image/icns", "image/x-icns"], .own, [.text("icns")]),
    ImageFormat(
      .psd, "PSD", mediaTypes: ["image/vnd.adobe.photoshop", "image/x-psd"], endings: ["psd", "psb"], .own,
      [.text("8BPS\0\u{1}"), .text("8BPS\0\u{2}")]),
    // Drawings are texts, which `ContentKind` examines after all signatures.
    ImageFormat(
      .svg, "SVG", mediaTypes: ["image/svg+xml", "image/svg+xml-compressed"], endings: ["svg", "svgz"],
      .drawing, [], audience: .browsers),
    ImageFormat(
      .ozuDelta, "Ozu delta", mediaTypes: ["image/x-ozu-delta"], .own, [.text("OZUD\u{1}")],
      isWritten: true, audience: .ozu),
    ImageFormat(
      .label, "label", mediaTypes: ["application/x-ozu-label"], .drawing, [.text(LabelDocument.magic)],
      audience: .ozu),
  ]

  private static let cameraRAW: [ImageFormat] = [
    raw(
      .cr2, "Canon CR2", ["image/x-canon-cr2"], .bytes(0x49, 0x49, 0x2A, 0).and(.text("CR", at: 8)),
      .bytes(0x4D, 0x4D, 0, 0x2A).and(.text("CR", at: 8))),
    raw(.cr3, "Canon CR3", ["image/x-canon-cr3"], .text("ftypcrx ", at: 4)),
    raw(.orf, "Olympus ORF", ["image/x-olympus-orf"], .text("IIRO"), .text("IIRS"), .text("MMOR")),
    raw(.rw2, "Panasonic RW2", ["image/x-panasonic-rw2"], endings: ["rwl"], .text("IIU\0")),
    raw(.raf, "Fujifilm RAF", ["image/x-fuji-raf"], .text("FUJIFILMCCD-RAW ")),
    raw(.dng, "Adobe DNG", ["image/x-adobe-dng"]),
    raw(.nef, "Nikon NEF", ["image/x-nikon-nef", "image/x-nikon-nrw"], endings: ["nrw"]),
    raw(.arw, "Sony ARW", ["image/x-sony-arw", "image/x-sony-sr2"], endings: ["sr2"]),
    raw(.pef, "Pentax PEF", ["image/x-pentax-pef"]),
    raw(.srw, "Samsung SRW", ["image/x-samsung-srw"]),
    raw(.raw, "camera RAW", ["image/x-dcraw"]),
  ]

  private static func raw(
    _ type: ImageType, _ name: String, _ mediaTypes: [String], endings: [String] = [],
    _ signatures: ContentSignature...
  ) -> ImageFormat {
    ImageFormat(
      type, name, mediaTypes: mediaTypes, endings: [type.rawValue] + endings, .own, signatures,
      isCameraRAW: true)
  }

  static let pict = ImageType(rawValue: "pict")

  /// The formats that are only named.
  private static let unread: [ImageFormat] = [
    named(
      "jp2", "JPEG 2000", ["jp2", "j2k", "jpx", "jpf", "j2c"],
      .bytes(0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A), .bytes(0xFF, 0x4F, 0xFF, 0x51)),
    named("jxr", "JPEG XR", ["jxr", "wdp", "hdp"], .bytes(0x49, 0x49, 0xBC, 0x01)),
    named("xcf", "XCF (GIMP)", ["xcf"], .text("gimp xcf ")),
    named("exr", "OpenEXR", ["exr"], .bytes(0x76, 0x2F, 0x31, 0x01)),
    named("hdr", "Radiance HDR", ["hdr"], .text("#?RADIANCE\n"), .text("#?RADIANCE\r\n"), .text("#?RGBE\n")),
    named("dds", "DDS", ["dds"], .text("DDS ").and(.bytes(124, 0, 0, 0, at: 4))),
    named("ktx", "KTX", ["ktx"], .bytes(0xAB, 0x4B, 0x54, 0x58, 0x20, 0x31, 0x31, 0xBB)),
    named("ktx2", "KTX 2", ["ktx2"], .bytes(0xAB, 0x4B, 0x54, 0x58, 0x20, 0x32, 0x30, 0xBB)),
    named("pfm", "PFM", ["pfm"], .text("PF\n"), .text("Pf\n")),
    named("xpm", "XPM", ["xpm"], .text("/* XPM */")),
    named("xbm", "XBM", ["xbm"], .text("#define ").and(.containing("_width "))),
    named("fits", "FITS", ["fits"], .text("SIMPLE  =")),
    named("djvu", "DjVu", ["djvu"], .text("AT&TFORM")),
    named("bpg", "BPG", ["bpg"], .bytes(0x42, 0x50, 0x47, 0xFB)),
    named("flif", "FLIF", ["flif"], .text("FLIF")),
    named(
      "jxs", "JPEG XS", ["jxs"], .bytes(0xFF, 0x10, 0xFF, 0x50),
      .bytes(0, 0, 0, 0x0C, 0x4A, 0x58, 0x53, 0x20, 0x0D, 0x0A, 0x87, 0x0A)),
    named("mng", "MNG", ["mng"], .bytes(0x8A, 0x4D, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A)),
    named("jng", "JNG", ["jng"], .bytes(0x8B, 0x4A, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A)),
    named("eps", "EPS", ["eps", "epsf"], .text("%!PS-Adobe"), .bytes(0xC5, 0xD0, 0xD3, 0xC6)),
    named("wmf", "WMF", ["wmf"], .bytes(0xD7, 0xCD, 0xC6, 0x9A)),
    named("emf", "EMF", ["emf"], .bytes(1, 0, 0, 0).and(.text(" EMF", at: 40))),
    // Of the second version. Files have 512 bytes of a program before it (`ContentKind`).
    named(pict.rawValue, "PICT", ["pict", "pct"], .bytes(0, 0x11, 0x02, 0xFF, 0x0C, 0, at: 10)),
    named("pcx", "PCX", ["pcx"], .bytes(10, 0, 1), .bytes(10, 2, 1), .bytes(10, 3, 1), .bytes(10, 5, 1)),
    named("dpx", "DPX", ["dpx"], .text("SDPX"), .text("XPDS")),
    named("sgi", "SGI", ["sgi"], .bytes(0x01, 0xDA, 0), .bytes(0x01, 0xDA, 1)),
    named("dicom", "DICOM", ["dcm"], .text("DICM", at: 128)),
    named("astc", "ASTC", ["astc"], .bytes(0x13, 0xAB, 0xA1, 0x5C)),
    named("pvr", "PVR", ["pvr"], .text("PVR\u{3}")),
    named("farbfeld", "farbfeld", ["ff"], .text("farbfeld")),
    named("ras", "Sun Raster", ["ras"], .bytes(0x59, 0xA6, 0x6A, 0x95)),
    named("ilbm", "ILBM", ["ilbm", "lbm"], .text("FORM").and(.text("ILBM", at: 8))),
  ]

  private static func named(
    _ type: String, _ name: String, _ endings: [String], _ signatures: ContentSignature...
  ) -> ImageFormat {
    ImageFormat(ImageType(rawValue: type), name, endings: endings, .none, signatures)
  }
}
