import OzuBase

/// One opened file: its header, and everything that is made from it.
///
/// It is an object for one picture, so a header or a plan of one file cannot be used to decode another.
/// Calls come one at a time, from any thread.
public protocol ImageFile: AnyObject, Sendable {
  /// The facts that the file declares. Constant.
  var header: ImageHeader { get }

  /// The eighths of each side at which decoding is cheaper than at full size. `[8]` by default.
  var scales: [Int] { get }

  /// Decodes the picture at the plan's scale, as stored: not resampled to the final size, not turned upright.
  ///
  /// - Returns: a bitmap of exactly `plan.decodedSize`, in `bgra8`, or in the format of
  ///   `header.pixelFormat(under:)` if the context asks for it and the decoder supports it.
  /// - Throws: `ImageDecodingError`. The caller has checked the limits, except for facts that only decoding shows.
  func decode(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap

  /// The memory that the decoder and its library take for a plan. None by default.
  ///
  /// Called before anything is decoded: for a plan, and for its `throughPixels` if it has planes.
  func demand(of plan: DecodePlan, context: DecodingContext) -> DecodingDemand

  /// Delivers the pixels of `decode` row by row in `bgra8`, if the demand says so. Returns `nil` by default.
  ///
  /// - Parameter body: receives a reader that is valid during the call, and passes the reader's errors on. It may
  ///   be called a second time with another reader; the result of the first call is then dropped.
  /// - Returns: the result of the last call of the closure.
  /// - Throws: `ImageDecodingError`, as `decode` does.
  func withRows<Result>(
    _ plan: DecodePlan, context: DecodingContext,
    _ body: (any PixelRowReading) throws(ImageDecodingError) -> Result
  ) throws(ImageDecodingError) -> Result?

  /// Makes the result as stored: decoded and resampled to the final size, not turned upright.
  ///
  /// By default it calls `decode` and a `Resampler`. A file implements it if it can make the result in a better way
  /// than from pixels at one of its scales; it then calls `context.begin(.resize)` when it begins to resample.
  ///
  /// - Returns: a bitmap of exactly `plan.outputSize`.
  func render(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap

  /// A smaller rendition of the same picture in the file, such as a level of a pyramid, from which the result of a
  /// plan can be made. `nil` by default.
  ///
  /// Its header is equal to this file's, except for the size and for the facts about parts and rows.
  ///
  /// - Returns: the smallest rendition that is large enough (`DecodePlan.mayBegin(at:of:)`); `nil` if there is
  ///   none, or if it is broken.
  func smaller(for plan: DecodePlan, limits: DecodingLimits) -> (any ImageFile)?

  /// Decodes the small rendition that a camera has put into the file, as stored. `nil` by default.
  ///
  /// - Parameter smallest: the least useful size; a smaller rendition is not decoded.
  /// - Returns: `nil` if there is none, if it is too small, or if it is broken.
  /// - Throws: only `cancelled` and `limitExceeded`.
  func embeddedThumbnail(
    atLeast smallest: PixelSize, context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap?

  /// Reads the metadata blocks that the file has beside its pixels. None by default.
  ///
  /// A block is left out if it is broken, truncated, or larger than `ImageMetadata.largestBlock`. The picture can
  /// be decoded before and after.
  ///
  /// - Complexity: O(file) at most, without decoding pixels. The result is not cached.
  func readMetadata() -> ImageMetadata

  /// Opens the frames of an animation, without decoding any. `nil` by default.
  ///
  /// Frames beyond `DecodingLimits.frameCount` are not played, so the file keeps no table of them.
  ///
  /// - Returns: `nil` if the file is a still picture.
  func frames(limits: DecodingLimits) throws(ImageDecodingError) -> (any AnimationFrameReading)?

  /// Decodes the bytes that have arrived so far, and returns the picture so far. `nil` by default.
  ///
  /// For a file that was opened by its beginning. After `cancelled` it can be called again; after another error it
  /// must not be.
  ///
  /// - Parameters:
  ///   - data: the file from its beginning: the bytes of the call before, and more.
  ///   - plan: the same in all calls; the picture is decoded at the plan's scale.
  /// - Returns: the picture so far, as stored, of exactly the plan's `decodedSize`, and transparent where no pixels
  ///   have arrived; `nil` if it looks the same as after the previous call.
  /// - Throws: `ImageDecodingError`; `limitExceeded` if the memory kept between calls is too large.
  func feed(
    _ data: Data, plan: DecodePlan, context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap?
}

extension ImageFile {
  /// Only the full size.
  public var scales: [Int] { [8] }

  /// No memory worth counting.
  public func demand(of plan: DecodePlan, context: DecodingContext) -> DecodingDemand { DecodingDemand() }

  /// Returns `nil`: the file gives a bitmap only.
  public func withRows<Result>(
    _ plan: DecodePlan, context: DecodingContext,
    _ body: (any PixelRowReading) throws(ImageDecodingError) -> Result
  ) throws(ImageDecodingError) -> Result? {
    nil
  }

  /// Decodes at the plan's scale, then resamples.
  public func render(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    try renderFromPixels(plan, context: context)
  }

  /// Returns `nil`: there are no smaller renditions.
  public func smaller(for plan: DecodePlan, limits: DecodingLimits) -> (any ImageFile)? { nil }

  /// No thumbnail.
  public func embeddedThumbnail(
    atLeast smallest: PixelSize, context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap? {
    nil
  }

  /// No blocks.
  public func readMetadata() -> ImageMetadata { ImageMetadata() }

  /// A still picture.
  public func frames(limits: DecodingLimits) throws(ImageDecodingError) -> (any AnimationFrameReading)? {
    nil
  }

  /// Returns `nil`: nothing is shown before the file is complete.
  public func feed(
    _ data: Data, plan: DecodePlan, context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap? {
    nil
  }

  /// Decodes to pixels at the plan's scale and resamples them: the default of `render`, also for files with a
  /// `render` of their own that fall back to it. Rows go to the resampler one by one if the file delivers them.
  ///
  /// The `byteCount` of a plan with planes is that of planes; the memory for pixels is checked against the limits,
  /// and reserved, again.
  ///
  /// - Throws: `ImageDecodingError`; `corrupt` if `decode` returns another size than planned.
  public func renderFromPixels(
    _ plan: DecodePlan, context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap {
    // Filters work in 8 bits or in 16.
    let isWide = plan.pixelFormat(of: header, context) == .rgba16
    let context = plan.needsNoResampling || isWide ? context : context.inWorkingFormat()
    var plan = plan
    if plan.reduction != nil || plan.averaging != nil {
      plan = plan.throughPixels(of: self, context)
      try plan.checkPrice(for: self, context)
      try context.reserve(atLeast: plan.byteCount)
    }
    if !plan.needsNoResampling, !isWide, demand(of: plan, context: context).deliversRows {
      return try renderFromRows(plan, context: context)
    }
    let bitmap = try decoded(plan, context: context)
    try context.checkpoint()
    context.begin(.resize)
    if plan.needsNoResampling { return bitmap }
    // A decoder may return more bits than it was asked for.
    let source = isWide ? bitmap : bitmap.converted(to: .bgra8, pool: context.pool)
    return try plan.resampler.resample(
      source, region: plan.region, to: plan.outputSize, pool: context.pool
    ) { () throws(ImageDecodingError) in try context.checkpoint() }
  }

  /// Resamples rows as the decoder delivers them. The resize stage begins after the last row.
  private func renderFromRows(
    _ plan: DecodePlan, context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap {
    let bitmap = try withRows(plan, context: context) { (reader) throws(ImageDecodingError) in
      guard reader.size == plan.decodedSize else { throw wrongSize(reader.size, plan) }
      return try plan.resampler.resample(
        reader, region: plan.region, to: plan.outputSize, readsToEnd: !plan.endsBehindRegion,
        pool: context.pool
      ) { () throws(ImageDecodingError) in try context.checkpoint() }
    }
    guard let bitmap else {
      throw .corrupt(header.type, stage: "pixels", reason: "it announced rows and has none")
    }
    context.begin(.resize)
    return bitmap
  }

  /// The bitmap of `decode`, if it has the planned size.
  func decoded(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    let bitmap = try decode(plan, context: context)
    guard bitmap.size == plan.decodedSize else { throw wrongSize(bitmap.size, plan) }
    return bitmap
  }

  private func wrongSize(_ size: PixelSize, _ plan: DecodePlan) -> ImageDecodingError {
    .corrupt(header.type, stage: "pixels", reason: "decoded to \(size) instead of \(plan.decodedSize)")
  }
}

extension ImageFile {
  /// The result of a plan from the embedded thumbnail. `nil` if the thumbnail has fewer pixels than the result, or
  /// shows another area: bars above and below, or the picture before it was cropped.
  func renderThumbnail(
    _ plan: DecodePlan, context: DecodingContext
  ) throws(ImageDecodingError) -> Bitmap? {
    let stored = header.storedSize
    let smallest = plan.smallestSubstitute(for: stored)
    guard smallest.width <= stored.width / 2, smallest.height <= stored.height / 2,
      let bitmap = try embeddedThumbnail(atLeast: smallest, context: context),
      bitmap.size.width >= smallest.width, bitmap.size.height >= smallest.height,
      bitmap.size.hasAspect(of: stored)
    else { return nil }
    context.begin(.resize)
    let result = plan.outputSize.bitmapByteCount(as: .bgra8)
    let shown = plan.sourceRegion.scaled(
      horizontal: Double(bitmap.size.width) / Double(stored.width),
      vertical: Double(bitmap.size.height) / Double(stored.height))
    let working = plan.resampler.workingByteCount(of: bitmap.size, region: shown, to: plan.outputSize)
    // The plan's `byteCount` is for decoding the picture itself, so the memory of this path is reserved here.
    try context.reserve(atLeast: bitmap.byteCount.saturatingSum(working).saturatingSum(result))
    return try plan.resampler.resample(
      bitmap, region: shown, to: plan.outputSize, pool: context.pool
    ) { () throws(ImageDecodingError) in try context.checkpoint() }
  }
}

extension DecodePlan {
  /// The least size of another rendition of the whole picture that still has one pixel for each pixel of the
  /// result.
  func smallestSubstitute(for stored: PixelSize) -> PixelSize {
    func side(_ whole: Int, _ shown: Double, _ output: Int) -> Int {
      Int(clamping: Double(whole) * Double(output) / shown, rounded: .up)
    }
    return PixelSize(
      side(stored.width, sourceRegion.width, outputSize.width),
      side(stored.height, sourceRegion.height, outputSize.height))
  }
}

extension PixelSize {
  /// Whether the sides have the same ratio as those of a larger size, except for the rounding of the shorter side.
  func hasAspect(of other: PixelSize) -> Bool {
    let difference = width * other.height - height * other.width
    return abs(difference) <= max(other.width, other.height)
  }

  /// Whether the ratio of the sides differs from that of another size by a share at most.
  func hasAspect(of other: PixelSize, within share: Double) -> Bool {
    let (own, wanted) = (Double(width) * Double(other.height), Double(other.width) * Double(height))
    return abs(own - wanted) <= share * wanted
  }
}

/// The bytes that decoding a picture takes beside its pixels or planes: buffers of the decoder and of its library,
/// such as the coefficients of a progressive JPEG.
public struct DecodingDemand: Hashable, Sendable {
  /// The most bytes at one time while pixels or planes are made.
  public let byteCount: Int
  /// The part of these bytes that is taken until the file is closed.
  public let keptByteCount: Int
  /// Whether `ImageFile.withRows` delivers the pixels row by row, so that there is no bitmap of all of them.
  public let deliversRows: Bool
  /// Whether the result is made of many small pieces with a `DecodingContext.checkpoint()` between them, so that memory
  /// and time are bounded however many pixels the file has. The limit on pixels is then a higher one
  /// (`DecodingLimits.pixelCount`).
  public let isPiecewise: Bool

  /// Makes a demand. The default is a decoder that takes nothing worth counting, and makes a whole bitmap. A
  /// negative number of bytes counts as 0.
  public init(
    byteCount: Int = 0, keptByteCount: Int = 0, deliversRows: Bool = false, isPiecewise: Bool = false
  ) {
    self.byteCount = max(0, byteCount)
    self.keptByteCount = max(0, keptByteCount)
    self.deliversRows = deliversRows
    self.isPiecewise = isPiecewise
  }
}
