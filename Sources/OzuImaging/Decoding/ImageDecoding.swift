#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads one or more image formats.
///
/// A decoder is asked in three steps, so that what a picture costs is known before it is paid: the header,
/// the plan that follows from it (by `DecodePlan`, from the scales offered), the pixels.
public protocol ImageDecoding: Sendable {
  /// The formats this decoder reads.
  var types: [ImageType] { get }

  /// The eighths of each side at which it can decode more cheaply than in whole. `[8]` by default.
  var scales: [Int] { get }

  /// Reads the header, without decoding pixels and without memory in proportion to them.
  ///
  /// - Throws: `corrupt`, `truncated` or `limitExceeded` (for what must be counted to be declared, as scans).
  func header(of data: Data, limits: DecodingLimits) throws(DecodingError) -> ImageHeader

  /// Decodes the picture at the plan's scale, as stored: not resampled to the target, not turned upright.
  ///
  /// - Returns: a bitmap of exactly `plan.decodedSize`.
  /// - Throws: `DecodingError`; the limits were checked by the caller, but for what only decoding shows.
  func decode(
    _ data: Data, header: ImageHeader, plan: DecodePlan, context: DecodingContext
  ) throws(DecodingError) -> Bitmap
}

extension ImageDecoding {
  /// Whole pictures only.
  public var scales: [Int] { [8] }
}
