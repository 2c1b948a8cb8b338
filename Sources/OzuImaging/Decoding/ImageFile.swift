#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One file that a decoder has opened, once: its header, and everything that is made of it.
///
/// It is an object of one picture, so that what was worked out for one file cannot be handed to the decode of another.
/// Calls come one at a time, from any thread.
public protocol ImageFile: AnyObject, Sendable {
  /// What the file declares. Constant.
  var header: ImageHeader { get }

  /// The eighths of each side at which it can be decoded more cheaply than in whole. `[8]` by default.
  var scales: [Int] { get }

  /// Decodes the picture at the plan's scale, as stored: not resampled to the target, not turned upright.
  ///
  /// - Returns: a bitmap of exactly `plan.decodedSize`, in `bgra8`, or in the format of `header.pixelFormat(under:)` when
  ///   the context asks for it and the decoder can.
  /// - Throws: `DecodingError`; the limits were checked by the caller, but for what only decoding shows.
  func decode(_ plan: DecodePlan, context: DecodingContext) throws(DecodingError) -> Bitmap

  /// The bytes that carrying out a plan takes of the decoder and the library under it. None by default.
  ///
  /// It is asked for a plan and, where that has planes, for its `throughPixels`, before anything is decoded.
  func demand(of plan: DecodePlan, context: DecodingContext) -> DecodingDemand

  /// Hands out the pixels that `decode` would give, row by row in `bgra8`, where the demand says so. `nil` by default.
  ///
  /// - Parameter body: gets a reader that is valid during the call, and passes its errors on. It may be called a second
  ///   time with another reader: what it made of the first one counts for nothing then.
  /// - Returns: what the last call of the closure returned.
  /// - Throws: `DecodingError`, as `decode` does.
  func withRows<Result>(
    _ plan: DecodePlan, context: DecodingContext,
    _ body: (any PixelRowReading) throws(DecodingError) -> Result
  ) throws(DecodingError) -> Result?

  /// Makes the result as stored: decoded and resampled to the target, not turned upright.
  ///
  /// By default `decode` and a `Resampler`. A file that can do better than hand out pixels at one of its scales has its
  /// own; it calls `context.begin(.resize)` when it goes over to that.
  ///
  /// - Returns: a bitmap of exactly `plan.outputSize`.
  /// - Throws: `DecodingError`.
  func render(_ plan: DecodePlan, context: DecodingContext) throws(DecodingError) -> Bitmap

  /// The same picture with fewer pixels, of which the result of a plan is made in place of the whole: a level of a pyramid.
  /// `nil` by default.
  ///
  /// Its header is this one's, but for the size, and for how parts and rows of it are had.
  ///
  /// - Returns: the smallest of which the result may be made (`DecodePlan.mayBegin(at:of:)`); `nil` when there is none, or
  ///   something is wrong with it.
  func smaller(for plan: DecodePlan, limits: DecodingLimits) -> (any ImageFile)?

  /// Decodes the small rendition of the picture that a camera has put into the file, as stored. `nil` by default.
  ///
  /// - Parameter smallest: the size below which it is of no use, and need not be decoded.
  /// - Returns: `nil` when there is none, it is too small, or anything is wrong with it.
  /// - Throws: `cancelled` and `limitExceeded` alone.
  func embeddedThumbnail(
    atLeast smallest: PixelSize, context: DecodingContext
  ) throws(DecodingError) -> Bitmap?

  /// Reads the blocks that the file holds beside its pixels. None by default.
  ///
  /// A block that is broken, larger than `ImageMetadata.largestBlock` or cut off is left out. The picture can be decoded
  /// before and after.
  ///
  /// - Complexity: O(file) at most, without decoding pixels. What it gives is not kept.
  func readMetadata() -> ImageMetadata

  /// Opens the frames of an animation, without decoding one. `nil` by default.
  ///
  /// Frames beyond `DecodingLimits.frameCount` are not played: a file keeps no table of them.
  ///
  /// - Returns: `nil` when the file is a still picture.
  /// - Throws: `DecodingError`.
  func frames(limits: DecodingLimits) throws(DecodingError) -> (any AnimationFrameReading)?

  /// Decodes on while the file comes, as far as its bytes reach, and shows what is there. `nil` by default.
  ///
  /// Of a file that was opened by its beginning. After `cancelled` it can be fed again; after another error it is not.
  ///
  /// - Parameters:
  ///   - data: the file from its beginning: the bytes of the call before, and more.
  ///   - plan: the same in all calls; the picture is decoded at its scale.
  /// - Returns: the picture so far, as stored, of exactly the plan's `decodedSize` and transparent where there is
  ///   nothing yet; `nil` when it would look as at the call before.
  /// - Throws: `DecodingError`; `limitExceeded` when what is kept between calls takes too much.
  func feed(
    _ data: Data, plan: DecodePlan, context: DecodingContext
  ) throws(DecodingError) -> Bitmap?
}

extension ImageFile {
  /// The whole alone.
  public var scales: [Int] { [8] }

  /// Nothing to speak of.
  public func demand(of plan: DecodePlan, context: DecodingContext) -> DecodingDemand { DecodingDemand() }

  /// A bitmap only.
  public func withRows<Result>(
    _ plan: DecodePlan, context: DecodingContext,
    _ body: (any PixelRowReading) throws(DecodingError) -> Result
  ) throws(DecodingError) -> Result? {
    nil
  }

  /// Decodes at the plan's scale, then resamples.
  public func render(_ plan: DecodePlan, context: DecodingContext) throws(DecodingError) -> Bitmap {
    try renderFromPixels(plan, context: context)
  }

  /// The whole alone.
  public func smaller(for plan: DecodePlan, limits: DecodingLimits) -> (any ImageFile)? { nil }

  /// No thumbnail.
  public func embeddedThumbnail(
    atLeast smallest: PixelSize, context: DecodingContext
  ) throws(DecodingError) -> Bitmap? {
    nil
  }

  /// No blocks.
  public func readMetadata() -> ImageMetadata { ImageMetadata() }

  /// A still picture.
  public func frames(limits: DecodingLimits) throws(DecodingError) -> (any AnimationFrameReading)? { nil }

  /// Nothing is shown before the file is whole.
  public func feed(
    _ data: Data, plan: DecodePlan, context: DecodingContext
  ) throws(DecodingError) -> Bitmap? {
    nil
  }

  /// Decodes to pixels at the plan's scale and resamples them: what `render` does by default, for files that have their
  /// own and go back to this one. Rows go to the resampler one by one where the file hands them out.
  ///
  /// A plan that has planes has its price for them; pixels are checked against the limits, and reserved, anew.
  ///
  /// - Throws: `DecodingError`; `corrupt` when `decode` gives another size than planned.
  public func renderFromPixels(
    _ plan: DecodePlan, context: DecodingContext
  ) throws(DecodingError) -> Bitmap {
    // Filters work in 8 bits or in 16.
    let isWide = plan.pixelFormat(of: header, context) == .rgba16
    let context = plan.needsNoResampling || isWide ? context : context.inWorkingFormat()
    var plan = plan
    if plan.reduction != nil || plan.averaging != nil {
      plan = plan.throughPixels(of: self, context)
      try context.limits.checkDecodedByteCount(plan.byteCount)
      try context.reserve(atLeast: plan.byteCount)
    }
    if !plan.needsNoResampling, !isWide, demand(of: plan, context: context).handsOutRows {
      return try renderFromRows(plan, context: context)
    }
    let bitmap = try decoded(plan, context: context)
    try context.checkpoint()
    context.begin(.resize)
    if plan.needsNoResampling { return bitmap }
    // A decoder may give more bits than it was asked for.
    let source = isWide ? bitmap : bitmap.converted(to: .bgra8, pool: context.pool)
    return try plan.resampler.resample(
      source, region: plan.region, to: plan.outputSize, pool: context.pool
    ) { () throws(DecodingError) in try context.checkpoint() }
  }

  /// Resamples rows as the decoder makes them. The stage of resizing begins when all have been read.
  private func renderFromRows(
    _ plan: DecodePlan, context: DecodingContext
  ) throws(DecodingError) -> Bitmap {
    let bitmap = try withRows(plan, context: context) { (reader) throws(DecodingError) in
      guard reader.size == plan.decodedSize else { throw wrongSize(reader.size, plan) }
      return try plan.resampler.resample(
        reader, region: plan.region, to: plan.outputSize, readsToEnd: !plan.endsBehindRegion,
        pool: context.pool
      ) { () throws(DecodingError) in try context.checkpoint() }
    }
    guard let bitmap else {
      throw .corrupt(header.type, stage: "pixels", reason: "there are no rows, as were announced")
    }
    context.begin(.resize)
    return bitmap
  }

  /// What `decode` gives, if it has the size that was planned.
  func decoded(_ plan: DecodePlan, context: DecodingContext) throws(DecodingError) -> Bitmap {
    let bitmap = try decode(plan, context: context)
    guard bitmap.size == plan.decodedSize else { throw wrongSize(bitmap.size, plan) }
    return bitmap
  }

  private func wrongSize(_ size: PixelSize, _ plan: DecodePlan) -> DecodingError {
    .corrupt(header.type, stage: "pixels", reason: "decoded to \(size) instead of \(plan.decodedSize)")
  }
}
