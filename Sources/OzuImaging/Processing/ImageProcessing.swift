/// One step on pixels: a value with a stable identity.
///
/// ```swift
/// let request = ImageRequest(url: url, resize: resize, processors: [.roundedCorners(radius: 12), .grayscale])
/// ```
///
/// A step of the app's own is a type with its parameters as stored properties. Where these can be encoded, `identifier`
/// is made of them; where one cannot, the compiler asks for an `identifier`:
///
/// ```swift
/// struct Posterize: ImageProcessing, Encodable {
///   let levels: Int
///
///   func process(_ bitmap: BGRABitmap, context: ProcessingContext) throws(ProcessingError) -> BGRABitmap { … }
/// }
/// ```
public protocol ImageProcessing: Sendable {
  /// The kind of step with all its parameters: a part of the key under which results are cached, in memory and on disk.
  ///
  /// Equal identifiers are taken for equal steps. One that is written by hand has to name the kind of step and every
  /// parameter that changes a pixel.
  var identifier: String { get }

  /// Makes the new picture. The old one stays as it is.
  ///
  /// - Throws: `ProcessingError` when the step cannot be done with this picture.
  func process(_ bitmap: BGRABitmap, context: ProcessingContext) throws(ProcessingError) -> BGRABitmap
}

extension ImageProcessing {
  /// Makes the new picture of a bitmap of any format, which is converted to `bgra8` first.
  ///
  /// - Throws: `ProcessingError` when the step cannot be done with this picture.
  public func process(
    _ bitmap: Bitmap, context: ProcessingContext = ProcessingContext()
  ) throws(ProcessingError) -> Bitmap {
    try process(BGRABitmap(bitmap, pool: context.pool), context: context).bitmap
  }
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
    var result = BGRABitmap(bitmap, pool: context.pool)
    for processor in processors { result = try processor.process(result, context: context) }
    return Picture(
      result.bitmap, scale: scale, header: header, isPreview: isPreview, isIsolated: isIsolated)
  }
}
