import CCodecs
import OzuBase
import OzuCodecs
import OzuImaging

/// Decodes JPEG: baseline, progressive, arithmetic-coded; grey, YCbCr, RGB, CMYK, YCCK.
///
/// A picture that becomes several times smaller has a decoder of its own (see the article "How reduced decoding
/// works" of `OzuCodecs`). All others are decoded by libjpeg-turbo at 8, 4, 2 or 1 eighths of their size: to luma
/// and chroma if the result is at most half as large on each side, else to pixels. The header is read without the
/// library. CMYK is converted to RGB by its profile, or without a profile as if inks were ideal.
public struct JPEGDecoder: ImageDecoding {
  /// Makes a decoder.
  public init() {}

  /// JPEG.
  public var types: [ImageType] { [.jpeg] }

  /// Opens a file: reads the marker segments up to the first scan, and counts the scans if there are several.
  ///
  /// - Throws: `corrupt`, `truncated`; `limitExceeded` for the number of scans, or for the pixels in all of them.
  /// - Complexity: O(header); O(bytes) for a file of several scans.
  public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
    let outline = try JPEGOutline(data, limits: limits)
    var header = outline.header
    header.regionUnit = outline.frame?.regionUnit
    header.hasParts = header.regionUnit != nil
    return JPEGFile(data, outline, header: header)
  }

  /// Opens a file that is shown while it is downloaded: row by row, or scan by scan if there are several.
  ///
  /// Arithmetic-coded files, in which libjpeg cannot pause, and files that it cannot read are shown only when they
  /// are complete.
  ///
  /// - Throws: `corrupt`, `limitExceeded`.
  public func open(beginning data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> PartialFile {
    try PartialFile { () throws(ImageDecodingError) in
      let outline = try JPEGOutline(data, limits: limits)
      guard !outline.details.isArithmeticCoded, outline.details.unsupportedReason == nil else {
        return .notIncremental
      }
      return .opened(JPEGFile(data, outline))
    }
  }
}

extension JPEGDecoder: LosslessTurning {
  /// Lets the coefficients of a JPEG change their places and signs.
  ///
  /// - Complexity: O(pixels) in time, and in memory four bytes for each pixel of each component.
  package func turned(
    _ data: Data, from orientation: Orientation, limits: DecodingLimits
  ) throws(ImageDecodingError) -> Data {
    let outline = try JPEGOutline(data, limits: limits)
    let byteCount = outline.details.coefficientByteCount.saturatingProduct(2).saturatingSum(32 << 20)
    try limits.checkDecodedByteCount(byteCount)
    var file = OzuBytes()
    var message = [CChar](repeating: 0, count: 256)
    let status = data.withUnsafeBytes { bytes in
      // The memory is that of the file, and C keeps no pointer to it.
      ozu_jpeg_turn(
        bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, Int32(orientation.rawValue), byteCount,
        &file, &message, message.count)
    }
    guard status == .done, let turned = file.data() else {
      throw .unsupportedType(.jpeg, reason: message.text)
    }
    return turned
  }
}

/// Writes JPEG through libjpeg-turbo, in one scan (baseline) or in several (progressive), with Huffman tables that
/// are optimised for the picture.
///
/// Quality 0 to 1 is libjpeg's 0 to 100. Up to 0.85 the quantization tables are those that mozjpeg's authors tuned for
/// MS-SSIM, which take about a tenth fewer bytes at equal points of SSIMULACRA2; from 0.9 on they are those of Annex K of
/// ITU-T T.81. Unless the options say otherwise, chroma is stored at half the size on each side (4:2:0) below 0.9, and at
/// full size (4:4:4) from 0.9 on. Grey bitmaps (`gray8`) have one component. Transparent pixels are blended over white.
///
/// With high effort the file is always progressive: white overshoots at edges, coefficients are quantized by a trellis, and of a
/// few ways to distribute them over scans the smallest is taken.
public struct JPEGEncoder: ImageEncoding {
  private static let fullChromaQuality = 0.9

  /// Makes an encoder.
  public init() {}

  /// JPEG.
  public var type: ImageType { .jpeg }

  /// Always false.
  public var keepsAlpha: Bool { false }

  /// Always true.
  public var hasChromaSubsampling: Bool { true }

  /// All kinds; at most 65,527 bytes of EXIF data, 65,504 of XMP, and about 16 MB of a profile.
  public var keptMetadata: MetadataKinds { .all }

  /// Encodes a bitmap.
  ///
  /// - Throws: `tooLarge` above 65,500 pixels a side; `failed` if memory is short, or if the profile of the options
  ///   is not one for red, green and blue.
  public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
    // A profile for red, green and blue does not fit grey.
    let isGray = bitmap.format == .gray8 && options.metadata.colorProfile == nil
    let bitmap = bitmap.converted(to: .bgra8)
    guard max(bitmap.size.width, bitmap.size.height) <= Int(ozu_jpeg_side_limit) else {
      throw .tooLarge(.jpeg, bitmap.size)
    }
    try options.metadata.checkProfile(for: .jpeg)
    let quality = options.quality(for: .jpeg)
    let resolution = options.metadata.resolution?.valid
    var parameters = OzuJPEGParameters(
      quality: Int32(clamping: quality * 100, rounded: .toNearestOrAwayFromZero),
      chroma: options.chromaSubsampling.value(isFull: quality >= Self.fullChromaQuality),
      is_progressive: options.isProgressive, is_gray: isGray,
      dots_per_inch_x: resolution.density(\.horizontal),
      dots_per_inch_y: resolution.density(\.vertical))
    let data =
      options.effort == .high ? try smallFile(bitmap, parameters) : try file(bitmap, &parameters)
    return JPEGSegments.insert(options.metadata, into: data)
  }

  private func file(_ bitmap: Bitmap, _ parameters: inout OzuJPEGParameters) throws(ImageEncodingError)
    -> Data
  {
    var file = OzuBytes()
    var message = [CChar](repeating: 0, count: 256)
    let status = bitmap.withUnsafeBytes { pixels in
      ozu_jpeg_encode(
        pixels.bindMemory(to: UInt8.self).baseAddress, bitmap.bytesPerRow, Int32(bitmap.size.width),
        Int32(bitmap.size.height), bitmap.isOpaque, &parameters, &file, &message,
        message.count)
    }
    guard status == .done, let data = file.data() else {
      throw .failed(.jpeg, reason: message.text)
    }
    return data
  }

  private func smallFile(_ bitmap: Bitmap, _ parameters: OzuJPEGParameters) throws(ImageEncodingError) -> Data
  {
    do throws(JPEGCoefficients.Failure) {
      return try JPEGCoefficients(bitmap, parameters: parameters).file()
    } catch {
      throw .failed(.jpeg, reason: error.message)
    }
  }
}

extension ImageResolution? {
  /// The density for JFIF: an integer of 16 bits, 0 for none.
  fileprivate func density(_ side: KeyPath<ImageResolution, Double>) -> UInt16 {
    map { UInt16(clamping: max(1, $0[keyPath: side]), rounded: .toNearestOrAwayFromZero) } ?? 0
  }
}
