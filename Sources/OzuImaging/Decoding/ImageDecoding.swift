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

  /// Whether this decoder takes a file. One that declines is passed over, and the next is asked.
  ///
  /// By default it takes what is one of its `types`. A decoder of a format of the app's own takes what it recognises;
  /// one for some files of a known format declines the others.
  ///
  /// - Parameter type: what the content says it is; `nil` when it is no format known here.
  /// - Complexity: to be asked of every file; it looks at the beginning and no more.
  func accepts(_ data: Data, as type: ImageType?) -> Bool

  /// Opens a file: reads its header, without decoding pixels and without memory in proportion to them.
  ///
  /// By default a file that asks this decoder for each thing anew.
  ///
  /// - Throws: `corrupt`, `truncated` or `limitExceeded` (for what must be counted to be declared, as scans).
  func open(_ data: Data, limits: DecodingLimits) throws(DecodingError) -> any ImageFile

  /// The eighths of each side at which it can decode more cheaply than in whole. `[8]` by default.
  var scales: [Int] { get }

  /// Reads the header, without decoding pixels and without memory in proportion to them.
  ///
  /// - Throws: `corrupt`, `truncated` or `limitExceeded` (for what must be counted to be declared, as scans).
  func header(of data: Data, limits: DecodingLimits) throws(DecodingError) -> ImageHeader

  /// Decodes the picture at the plan's scale, as stored: not resampled to the target, not turned upright.
  ///
  /// - Returns: a bitmap of exactly `plan.decodedSize`, in `bgra8`, or in the format of `header.pixelFormat(under:)` when
  ///   the context asks for it and the decoder can.
  /// - Throws: `DecodingError`; the limits were checked by the caller, but for what only decoding shows.
  func decode(
    _ data: Data, header: ImageHeader, plan: DecodePlan, context: DecodingContext
  ) throws(DecodingError) -> Bitmap

  /// Makes the result as stored: decoded and resampled to the target, not turned upright.
  ///
  /// By default `decode` and a `Resampler`. A decoder that can do better than hand out pixels at one of its
  /// scales has its own; it calls `context.begin(.resize)` when it goes over to that.
  ///
  /// - Returns: a bitmap of exactly `plan.outputSize`.
  /// - Throws: `DecodingError`.
  func render(
    _ data: Data, header: ImageHeader, plan: DecodePlan, context: DecodingContext
  ) throws(DecodingError) -> Bitmap
}

extension ImageDecoding {
  /// What is one of the decoder's types.
  public func accepts(_ data: Data, as type: ImageType?) -> Bool { type.map(types.contains) ?? false }

  /// A file that asks this decoder for each thing anew.
  public func open(_ data: Data, limits: DecodingLimits) throws(DecodingError) -> any ImageFile {
    DecoderFile(self, data, header: try header(of: data, limits: limits))
  }

  /// The header of a file that is opened for it.
  public func header(of data: Data, limits: DecodingLimits) throws(DecodingError) -> ImageHeader {
    try open(data, limits: limits).header
  }

  /// The picture of a file that is opened for it.
  public func decode(
    _ data: Data, header: ImageHeader, plan: DecodePlan, context: DecodingContext
  ) throws(DecodingError) -> Bitmap {
    try open(data, limits: context.limits).decode(plan, context: context)
  }

  /// Whole pictures only.
  public var scales: [Int] { [8] }

  /// Decodes at the plan's scale, then resamples.
  public func render(
    _ data: Data, header: ImageHeader, plan: DecodePlan, context: DecodingContext
  ) throws(DecodingError) -> Bitmap {
    try renderFromPixels(data, header: header, plan: plan, context: context)
  }

  /// Decodes to pixels at the plan's scale, then resamples: what `render` does by default, for decoders that
  /// have their own and go back to this one.
  ///
  /// - Throws: `DecodingError`; `corrupt` when `decode` gives another size than planned.
  public func renderFromPixels(
    _ data: Data, header: ImageHeader, plan: DecodePlan, context: DecodingContext
  ) throws(DecodingError) -> Bitmap {
    // Filters work in one format.
    let context = plan.needsNoResampling ? context : context.inWorkingFormat()
    try context.limits.checkDecodedByteCount(
      plan.decodedSize.bitmapByteCount(as: header.pixelFormat(under: context.pixelFormats))
        .saturatingSum(plan.throughPixels.workingByteCount))
    let bitmap = try decode(data, header: header, plan: plan, context: context)
    guard bitmap.size == plan.decodedSize else {
      throw .corrupt(
        header.type, stage: "pixels", reason: "decoded to \(bitmap.size) instead of \(plan.decodedSize)")
    }
    try context.checkpoint()
    context.begin(.resize)
    if plan.needsNoResampling { return bitmap }
    return try plan.resampler.resample(
      bitmap, region: plan.region, to: plan.outputSize, pool: context.pool
    ) { () throws(DecodingError) in try context.checkpoint() }
  }
}
