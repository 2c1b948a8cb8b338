import OzuBase

/// One step after the resize: a value with a stable identity.
///
/// ```swift
/// let request = ImageRequest(url: url, resize: resize, processors: [.roundedCorners(radius: 12), .grayscale])
/// ```
///
/// A processor of the app is a type with its parameters as stored properties. If it is `Encodable`, `identifier` is
/// made from them; otherwise the compiler asks for an `identifier`:
///
/// ```swift
/// struct Posterize: ImageProcessing, Encodable {
///   let levels: Int
///
///   func process(_ bitmap: BGRABitmap, context: ProcessingContext) throws(ProcessingError) -> BGRABitmap { … }
/// }
/// ```
public protocol ImageProcessing: Sendable {
  /// The kind of processor with all its parameters. It is part of the key of cached results, in memory and on disk.
  ///
  /// Processors with equal identifiers count as equal. An identifier that is written by hand must contain the kind
  /// of processor and every parameter that changes a pixel.
  var identifier: String { get }

  /// Makes the new picture. The old one is not changed.
  ///
  /// - Throws: `ProcessingError` if the processor cannot be applied to this picture.
  func process(_ bitmap: BGRABitmap, context: ProcessingContext) throws(ProcessingError) -> BGRABitmap

  /// Makes the new picture from one in `rgba16`, in the same format and colours; returns `nil` (the default) if the
  /// processor supports only 8 bits. `Picture.processed(by:)` then rounds the picture to 8 bits, with a note.
  ///
  /// - Throws: `ProcessingError` if the processor cannot be applied to this picture.
  func process(wide bitmap: Bitmap, context: ProcessingContext) throws(ProcessingError) -> Bitmap?
}

extension ImageProcessing {
  /// Returns `nil`: only 8 bits are supported.
  public func process(wide bitmap: Bitmap, context: ProcessingContext) throws(ProcessingError) -> Bitmap? {
    nil
  }

  /// Makes the new picture from a bitmap of any format. It is converted to `bgra8` first, unless the processor
  /// supports its 16 bits.
  ///
  /// - Throws: `ProcessingError` if the processor cannot be applied to this picture.
  public func process(
    _ bitmap: Bitmap, context: ProcessingContext = ProcessingContext()
  ) throws(ProcessingError) -> Bitmap {
    if bitmap.format == .rgba16, let result = try process(wide: bitmap, context: context) { return result }
    return try process(BGRABitmap(bitmap, pool: context.pool), context: context).bitmap
  }
}

/// The surroundings of a processor: memory and limits.
public struct ProcessingContext: Sendable {
  /// The pool that memory for pixels comes from.
  public let pool: PixelBufferPool
  /// The limits of the result: its sides and its bytes.
  public let limits: DecodingLimits
  /// Receives the notes of processors; `nil` where nobody reads them.
  private var notes: ProcessingNotes?
  /// The parts that are the same in all frames of an animation; `nil` for a still picture.
  var parts: FrameParts?

  /// Makes a context.
  public init(pool: PixelBufferPool = .shared, limits: DecodingLimits = .default) {
    self.pool = pool
    self.limits = limits
  }

  /// Notes what is not as it was asked for, such as a character that no font has: a line of `Picture.notes`. A line that is
  /// there already is not added again.
  public func note(_ text: String) { notes?.add(text) }

  /// The same surroundings, with notes that are added to a list.
  fileprivate func noting(in notes: ProcessingNotes) -> ProcessingContext {
    var context = self
    context.notes = notes
    return context
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

  /// The size of a canvas with room for a bitmap, within the limits; `nil` if the bitmap fills it.
  func canvas(
    of size: PixelSize, around bitmap: BGRABitmap, for processor: some ImageProcessing
  ) throws(ProcessingError) -> PixelSize? {
    let canvas = PixelSize(max(size.width, bitmap.size.width), max(size.height, bitmap.size.height))
    guard canvas != bitmap.size else { return nil }
    try check(canvas, for: processor)
    return canvas
  }
}

/// The notes of the processors of one picture. A processor may work on several threads, so a lock guards the list.
private final class ProcessingNotes: Sendable {
  private let list: Mutex<[String]>

  init(_ notes: [String]) { list = Mutex(notes) }

  var texts: [String] { list.withLock { $0 } }

  func add(_ text: String) {
    list.withLock { notes in
      if !notes.contains(text), notes.count <= PictureNotes.mostNotes { notes.append(text) }
    }
  }
}

/// Why a processor failed.
public enum ProcessingError: Error, Hashable, Sendable {
  /// The processor cannot be applied to this picture; the first value is the processor's identifier.
  case invalidParameters(String, reason: String)
  /// A processor of the app failed.
  case failed(String, reason: String)
}

extension ProcessingError: DescribedError {
  /// The error in one line, to show to people.
  public var description: String {
    switch self {
    case .invalidParameters(let step, let reason): "\(step) cannot be applied: \(reason)"
    case .failed(let step, let reason): "\(step) failed: \(reason)"
    }
  }
}

extension Picture {
  /// The picture after some processors, in this order. A picture in `rgba16` stays so until the first processor
  /// that supports only 8 bits: from there on it is `bgra8`, with a note. All other pictures are converted to
  /// `bgra8`.
  ///
  /// - Throws: `ProcessingError` of the first processor that fails.
  public func processed(
    by processors: [any ImageProcessing], context: ProcessingContext = ProcessingContext()
  ) throws(ProcessingError) -> Picture {
    guard !processors.isEmpty else { return self }
    let notes = ProcessingNotes(notes)
    let context = context.noting(in: notes)
    var result = bitmap
    var steps = processors[...]
    while result.format == .rgba16, let step = steps.first {
      guard let made = try step.process(wide: result, context: context) else {
        context.note("\(step.identifier) works in 8 bits: the picture was rounded to them")
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
      result, scale: scale, header: header, isPreview: isPreview, notes: notes.texts, isIsolated: isIsolated)
  }
}

extension ImageProcessing where Self: Encodable {
  /// The name of the type with its stored properties, each with its name and exact value:
  /// `App.Posterize(levels:8)`.
  ///
  /// It is made by encoding the processor, so a type with its own `encode(to:)` decides which values appear. Two
  /// private types with one name in one module have equal names here: give their stored properties different names,
  /// or write the identifiers by hand.
  ///
  /// - Precondition: encoding the processor does not throw.
  public var identifier: String {
    let values = EncodedText.certainText(of: self)
    return TypeName.stable(of: Self.self) + (values.hasPrefix("(") ? values : "(\(values))")
  }
}

/// Names of types that are the same in every run of a program.
enum TypeName {
  /// The name with its module and the surrounding types. For types that are private to a file or a function, the
  /// runtime's name contains an address, which is removed.
  static func stable(of type: Any.Type) -> String {
    var name = ""
    var rest = Substring(String(reflecting: type))
    while let start = rest.firstRange(of: "(unknown context at "),
      let end = rest[start.upperBound...].firstIndex(of: ")")
    {
      name += rest[..<start.lowerBound]
      rest = rest[rest.index(after: end)...]
      if rest.first == "." { rest.removeFirst() }
    }
    return name + rest
  }
}

/// A processor with lengths: pixels in a request for a pipeline, points in a view, so that a corner is as round on every screen.
public protocol ScaledProcessing: ImageProcessing {
  /// The same with its lengths multiplied by a factor.
  func scaled(by factor: Double) -> Self
}
