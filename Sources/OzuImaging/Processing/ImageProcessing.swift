/// One step on pixels: a value with a stable identity.
///
/// ```swift
/// let request = ImageRequest(url: url, resize: resize, processors: [.roundedCorners(radius: 12), .grayscale])
/// ```
///
/// Equal identifiers are taken for equal steps: the identifier has to name the kind of step and every parameter
/// that changes a pixel. It is a part of the key under which results are cached.
public protocol ImageProcessing: Sendable {
  /// The kind of step with all its parameters.
  var identifier: String { get }

  /// Makes the new picture. The old one stays as it is.
  ///
  /// The steps of Ozu take a bitmap of any `PixelFormat`; all but `Turn`, which moves pixels and changes none, work in
  /// `bgra8`. `Picture.processed(by:context:)` hands `bgra8` to every step.
  ///
  /// - Throws: `ProcessingError` when the step cannot be done with this picture.
  func process(_ bitmap: Bitmap, context: ProcessingContext) throws(ProcessingError) -> Bitmap
}

/// What surrounds a step.
public struct ProcessingContext: Sendable {
  /// Where pixel memory comes from.
  public let pool: PixelBufferPool
  /// What the result may cost: pixels a side and bytes in all.
  public let limits: DecodingLimits

  /// Makes a context.
  public init(pool: PixelBufferPool = .shared, limits: DecodingLimits = .default) {
    self.pool = pool
    self.limits = limits
  }

  /// Refuses sizes that are empty or over the limits, before memory is taken.
  func check(_ size: PixelSize, for processor: some ImageProcessing) throws(ProcessingError) {
    guard !size.isEmpty else {
      throw .invalidParameters(processor.identifier, reason: "nothing would be left of the picture")
    }
    guard max(size.width, size.height) <= limits.side,
      size.bitmapByteCount(as: .bgra8) <= limits.decodedByteCount
    else { throw .invalidParameters(processor.identifier, reason: "\(size) pixels are over the limits") }
  }
}

/// Why a step was not done.
public enum ProcessingError: Error, Hashable, Sendable {
  /// The step makes no sense with this picture; the first value is the step's identifier.
  case invalidParameters(String, reason: String)
  /// A step of the app's own failed.
  case failed(String, reason: String)
}

extension ProcessingError: CustomStringConvertible {
  /// One line for people.
  public var description: String {
    switch self {
    case .invalidParameters(let step, let reason): "\(step) cannot be done: \(reason)"
    case .failed(let step, let reason): "\(step) failed: \(reason)"
    }
  }
}

extension Picture {
  /// The picture after some steps, in their order. Steps see `bgra8`, whatever the picture has, and so is the result.
  ///
  /// - Throws: `ProcessingError` of the first step that fails.
  public func processed(
    by processors: [any ImageProcessing], context: ProcessingContext = ProcessingContext()
  ) throws(ProcessingError) -> Picture {
    guard !processors.isEmpty else { return self }
    var result = bitmap.converted(to: .bgra8, pool: context.pool)
    for processor in processors { result = try processor.process(result, context: context) }
    return Picture(result, scale: scale, header: header, isPreview: isPreview)
  }
}
