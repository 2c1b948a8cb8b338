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
      let reason = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      throw .unsupportedType(.jpeg, reason: String(decoding: reason, as: UTF8.self))
    }
    return turned
  }
}
