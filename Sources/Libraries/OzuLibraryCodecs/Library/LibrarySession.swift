import CCodecs
import OzuBase
import OzuCodecs
import OzuImaging

/// One decode of a file by a library; ends with the value.
///
/// The bytes must outlive it, and have the same address at each use: inside one `withBytes`, or those of one
/// `PinnedBytes`.
///
/// `@unchecked Sendable`: no decoder belongs to a thread, and its owner has a lock or is on one thread.
struct LibrarySession: ~Copyable, @unchecked Sendable {
  private static let headerStage = "header"
  static let imageStage = "image data"

  let decoder: OpaquePointer
  let type: ImageType
  let info: OzuPictureInfo

  init(
    _ bytes: UnsafeRawBufferPointer, type: ImageType, limits: DecodingLimits, open: LibraryDecoder.Opening,
    cut: PixelRectangle? = nil
  ) throws(ImageDecodingError) {
    let libraryLimits = OzuPictureLimits(
      side: UInt32(clamping: limits.side), pixels: UInt64(clamping: limits.pixelCount),
      frames: UInt32(clamping: limits.frameCount), bytes: max(1 << 20, limits.decodedByteCount))
    guard let decoder = open(bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, libraryLimits) else {
      throw .corrupt(type, stage: Self.headerStage, reason: "out of memory")
    }
    var info = OzuPictureInfo()
    var status = ozu_picture_open(decoder, &info)
    if let cut, status == .done {
      status = ozu_picture_cut(
        decoder, UInt32(clamping: cut.x), UInt32(clamping: cut.y), UInt32(clamping: cut.size.width),
        UInt32(clamping: cut.size.height), &info)
    }
    guard status == .done else {
      let error = Self.failure(decoder, status, type, stage: Self.headerStage)
      ozu_picture_free(decoder)
      throw error
    }
    self.decoder = decoder
    self.type = type
    self.info = info
  }

  deinit {
    ozu_picture_free(decoder)
  }

  var header: ImageHeader {
    let profile = profile
    // The bytes belong to the library, or are in the file itself; both outlive the session.
    let exif = UnsafeBufferPointer(start: info.exif, count: info.exif == nil ? 0 : info.exif_size)
    var header = ImageHeader(
      type: type, storedSize: ownSize,
      orientation: Orientation(rawValue: Int(info.orientation)) ?? .up, bitsPerComponent: Int(info.bits),
      colorModel: info.is_cmyk ? .cmyk : info.is_gray ? .gray : .rgb, hasAlpha: info.has_alpha,
      frameCount: max(1, Int(info.frames)), planeLayout: planeLayout)
    header.add(profile)
    header.colorEncoding =
      header.colorEncoding ?? ColorEncoding(primaries: Int(info.primaries), transfer: Int(info.transfer))
    header.add(
      statedDotsPerInch: info.dots_per_inch > 0
        ? info.dots_per_inch : EXIFMetadata.dotsPerInch(in: exif.span))
    header.metadata = EXIFMetadata.find(in: exif.span)
    if info.region_width > 0, info.region_height > 0 {
      header.regionUnit = PixelSize(Int(info.region_width), Int(info.region_height))
      header.hasParts = info.has_parts
    }
    let exactSize = SIMD2(info.drawing_width, info.drawing_height)
    // A number that does not fit is over every limit, whatever its fraction is.
    if exactSize.max() < Double(Int32.max), exactSize.rounded(.down) != exactSize {
      header.exactSize = exactSize
    }
    let peak = Double(info.peak)
    if peak > 0, LightLevels.possible ~= peak { header.lightLevels = LightLevels(maximumContent: peak) }
    return header
  }

  /// Copies of the blocks that the library found, for use inside the closure that provides the file.
  var metadata: ImageMetadata {
    // The bytes belong to the library, or are in the file itself; both outlive the session.
    let exif = UnsafeBufferPointer(start: info.exif, count: info.exif == nil ? 0 : info.exif_size)
    let xmp = UnsafeBufferPointer(start: info.xmp, count: info.xmp == nil ? 0 : info.xmp_size)
    var metadata = ImageMetadata()
    if type == .tiff {
      // The EXIF data of a TIFF are in its own directories; the block leaves out everything about its pixels.
      if let block = try? EXIFBlock(exif.span) { metadata.add(exif: block.serialized().span) }
      metadata.add(iptc: EXIFMetadata.iptc(inTIFF: exif.span))
    } else {
      metadata.add(exif: exif.span)
    }
    metadata.add(xmp: xmp.span)
    metadata.complete(with: header)
    return metadata
  }

  /// A copy of the embedded profile, which belongs to the library.
  private var profile: ICCProfile? {
    guard let start = info.profile, info.profile_size > 0 else { return nil }
    return ICCProfile(Data(bytes: start, count: info.profile_size))
  }

  func select(_ frame: Int) throws(ImageDecodingError) {
    let status = ozu_picture_select(decoder, UInt32(frame))
    guard status == .done else { throw Self.failure(decoder, status, type, stage: Self.imageStage) }
  }

  /// The delay of a frame in milliseconds.
  func delay(_ frame: Int) throws(ImageDecodingError) -> Double {
    var milliseconds = 0.0
    let status = ozu_picture_delay(decoder, UInt32(frame), &milliseconds)
    guard status == .done else { throw Self.failure(decoder, status, type, stage: Self.headerStage) }
    return milliseconds
  }

  /// The size of this file's picture, whatever the caller's header says.
  private var ownSize: PixelSize { PixelSize(Int(info.width), Int(info.height)) }

  /// Checks that a plan is for this file: the library writes all pixels of the file. A drawing can be drawn at any
  /// size that the library supports.
  func check(_ size: PixelSize) throws(ImageDecodingError) {
    let isPossible =
      type == .svg ? !size.isEmpty && max(size.width, size.height) <= Int32.max : size == ownSize
    guard isPossible else {
      throw .corrupt(
        type, stage: Self.headerStage, reason: "the file has \(ownSize) pixels, and the plan \(size)")
    }
  }

  /// Decodes the picture at a size: the header's, or any if the format is a drawing.
  ///
  /// - Throws: `corrupt` if the plan has another size than the file, because it was then made for another file.
  func decode(
    header: ImageHeader, size: PixelSize, _ context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap {
    try check(size)
    let wanted = header.pixelFormat(under: context.pixelFormats)
    let format: PixelFormat = wanted == .rgba16 && info.is_deep ? .rgba16 : .bgra8
    let scratch = Int(clamping: info.scratch)
    let (sum, overflow) = size.byteCount(as: format).addingReportingOverflow(scratch)
    try context.limits.checkDecodedByteCount(overflow ? .max : sum)
    ozu_picture_set_size(decoder, UInt32(size.width), UInt32(size.height))
    let inks = inkTransform(header, context)
    if inks != nil { ozu_picture_keep_cmyk(decoder) }
    if format == .rgba16 { ozu_picture_make_deep(decoder) }
    let bitmap = try Bitmap(
      size: size, format: format, isOpaque: !info.has_alpha,
      colorSpace: inks == nil ? header.storedColorSpace : .sRGB, pool: context.pool
    ) { (pixels, bytesPerRow) throws(ImageDecodingError) in
      if context.allowsTruncation { pixels.fillMissing(isOpaque: !info.has_alpha, format: format) }
      try read(pixels, bytesPerRow, size, format, context)
      guard let start = pixels.baseAddress else { return }
      for y in 0..<size.height {
        // Rows are `bytesPerRow` apart, and there are `size.height` of them.
        let row = start + y * bytesPerRow
        if format == .rgba16, inks == nil {
          finishDeep(row, size.width, context.alpha)
        } else {
          Self.finish(row, size.width, info, context.alpha, inks: inks)
        }
      }
    }
    // Not all libraries can write grey, so it is converted here.
    return wanted == .gray8 ? bitmap.converted(to: .gray8, pool: context.pool) : bitmap
  }

  /// Converts a row of BGRA or CMYK, as the library has written it, to the form of a bitmap.
  static func finish(
    _ row: UnsafeMutableRawPointer, _ width: Int, _ info: OzuPictureInfo, _ alpha: Alpha,
    inks: ColorTransform?
  ) {
    if let inks {
      inks.apply(to: row, count: width)
      Premultiplication.makeOpaque(row, width: width)
      return
    }
    switch (info.has_alpha, info.is_premultiplied, alpha) {
    case (false, _, _): Premultiplication.makeOpaque(row, width: width)
    case (true, true, .straight): Premultiplication.undo(row, to: row, width: width, rounds: false)
    case (true, true, .premultiplied): Premultiplication.clamp(row, width: width)
    case (true, false, .straight): break
    case (true, false, .premultiplied): Premultiplication.apply(to: row, width: width)
    }
  }

  /// The same for RGBA in 16 bits.
  private func finishDeep(_ row: UnsafeMutableRawPointer, _ width: Int, _ alpha: Alpha) {
    switch (info.has_alpha, info.is_premultiplied, alpha) {
    case (false, _, _): Premultiplication.makeOpaqueWide(row, width: width)
    case (true, true, .straight): Premultiplication.undoWide(row, to: row, width: width)
    case (true, true, .premultiplied): Premultiplication.clampWide(row, width: width)
    case (true, false, .straight): break
    case (true, false, .premultiplied): Premultiplication.applyWide(to: row, width: width)
    }
  }

  /// The transform from CMYK to sRGB; `nil` if it is not requested or not available.
  func inkTransform(_ header: ImageHeader, _ context: DecodingContext) -> ColorTransform? {
    guard info.is_cmyk, context.colorPolicy.converts(header), let encoding = header.colorEncoding else {
      return nil
    }
    return ColorTransform.cached(encoding, .CMYK)
  }

  private func read(
    _ pixels: UnsafeMutableRawBufferPointer, _ bytesPerRow: Int, _ size: PixelSize, _ format: PixelFormat,
    _ context: DecodingContext
  ) throws(ImageDecodingError) {
    let rows = OzuRows(pixels, bytesPerRow: bytesPerRow, size: size, format: format)
    while true {
      try context.checkpoint()
      let status = ozu_picture_step(decoder, rows)
      switch status {
      case .done: return
      case .more: continue
      case .truncated:
        try context.acceptTruncation(of: type, stage: Self.imageStage)
        return
      case .failed: throw Self.failure(decoder, status, type, stage: Self.imageStage)
      }
    }
  }

  static func failure(
    _ decoder: OpaquePointer, _ status: OzuStatus, _ type: ImageType, stage: String
  ) -> ImageDecodingError {
    if status == .truncated || ozu_picture_is_truncated(decoder) { return .truncated(type, stage: stage) }
    let reason = String(cString: ozu_picture_message(decoder))
    return ozu_picture_is_unsupported(decoder)
      ? .unsupportedType(type, reason: reason) : .corrupt(type, stage: stage, reason: reason)
  }
}
