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

  /// Makes the new picture of one in `rgba16`, in that format and in its colours; `nil` (the default) where the step knows
  /// 8 bits alone. `Picture.processed(by:)` then rounds the picture to them, with a note.
  ///
  /// - Throws: `ProcessingError` when the step cannot be done with this picture.
  func process(wide bitmap: Bitmap, context: ProcessingContext) throws(ProcessingError) -> Bitmap?
}

extension ImageProcessing {
  /// 8 bits alone.
  public func process(wide bitmap: Bitmap, context: ProcessingContext) throws(ProcessingError) -> Bitmap? {
    nil
  }

  /// Makes the new picture of a bitmap of any format, which is converted to `bgra8` first unless the step takes its 16 bits.
  ///
  /// - Throws: `ProcessingError` when the step cannot be done with this picture.
  public func process(
    _ bitmap: Bitmap, context: ProcessingContext = ProcessingContext()
  ) throws(ProcessingError) -> Bitmap {
    if bitmap.format == .rgba16, let result = try process(wide: bitmap, context: context) { return result }
    return try process(BGRABitmap(bitmap, pool: context.pool), context: context).bitmap
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
  /// The picture after some steps, in their order. A picture in `rgba16` stays so until a step that knows 8 bits alone: it
  /// and those after it see `bgra8`, which is noted. All others see `bgra8`.
  ///
  /// - Throws: `ProcessingError` of the first step that fails.
  public func processed(
    by processors: [any ImageProcessing], context: ProcessingContext = ProcessingContext()
  ) throws(ProcessingError) -> Picture {
    guard !processors.isEmpty else { return self }
    var notes = notes
    var result = bitmap
    var steps = processors[...]
    while result.format == .rgba16, let step = steps.first {
      guard let made = try step.process(wide: result, context: context) else {
        notes.append("\(step.identifier) works in 8 bits: the picture was rounded to them")
        break
      }
      result = made
      steps = steps.dropFirst()
    }
    if !steps.isEmpty {
      var narrow = BGRABitmap(result, pool: context.pool)
      for step in steps { narrow = try step.process(narrow, context: context) }
      result = narrow.bitmap
    }
    return Picture(
      result, scale: scale, header: header, isPreview: isPreview, notes: notes, isIsolated: isIsolated)
  }
}
