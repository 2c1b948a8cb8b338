import OzuBase

/// The result of a load: upright pixels and the facts about them.
///
/// A value that is one reference: caches, tasks and views pass pictures around all the time, and a copy only
/// increments a reference count.
public struct Picture: Sendable {
  private let content: Content

  /// The whole content of a picture, immutable.
  private final class Content: Sendable {
    let pixels: Pixels
    let scale: Double
    let header: ImageHeader?
    let isPreview: Bool
    let animation: PictureAnimation?
    let notes: [String]
    let isIsolated: Bool

    init(
      pixels: Pixels, scale: Double, header: ImageHeader?, isPreview: Bool, animation: PictureAnimation?,
      notes: [String], isIsolated: Bool
    ) {
      self.pixels = pixels
      self.scale = scale
      self.header = header
      self.isPreview = isPreview
      self.animation = animation
      self.notes = PictureNotes.bounded(notes)
      self.isIsolated = isIsolated
    }
  }

  private enum Pixels: Sendable {
    case ready(Bitmap)
    case deferred(DeferredPixels)
  }

  /// Makes a picture from upright pixels.
  public init(
    _ bitmap: Bitmap, scale: Double = 1, header: ImageHeader? = nil, isPreview: Bool = false,
    animation: PictureAnimation? = nil, notes: [String] = []
  ) {
    self.init(
      bitmap, scale: scale, header: header, isPreview: isPreview, animation: animation, notes: notes,
      isIsolated: false)
  }

  /// Makes a picture from upright pixels, and says whether another process has decoded them.
  package init(
    _ bitmap: Bitmap, scale: Double = 1, header: ImageHeader? = nil, isPreview: Bool = false,
    animation: PictureAnimation? = nil, notes: [String] = [], isIsolated: Bool
  ) {
    content = Content(
      pixels: .ready(bitmap), scale: scale, header: header, isPreview: isPreview, animation: animation,
      notes: notes, isIsolated: isIsolated)
  }

  /// Makes a picture that is decoded when its pixels are first used.
  init(_ pixels: DeferredPixels, header: ImageHeader) {
    content = Content(
      pixels: .deferred(pixels), scale: 1, header: header, isPreview: false, animation: nil, notes: [],
      isIsolated: false)
  }

  private init(_ content: Content) { self.content = content }

  /// The pixels, upright. A picture that is not decoded is decoded now, on this thread, once for all copies; if
  /// that fails, the pixels are transparent, and `decode()` throws the reason.
  public var bitmap: Bitmap {
    switch content.pixels {
    case .ready(let bitmap): bitmap
    case .deferred(let pixels): pixels.bitmap
    }
  }

  /// Whether the pixels are decoded. Only a picture from a pipeline without `isDecompressionEnabled` may not
  /// be.
  public var isDecoded: Bool {
    switch content.pixels {
    case .ready: true
    case .deferred(let pixels): pixels.isDecoded
    }
  }

  /// Decodes the pixels on this thread, unless they are decoded already.
  ///
  /// - Throws: `ImageDecodingError`; after a failure, each call throws it again.
  public func decode() throws(ImageDecodingError) {
    if case .deferred(let pixels) = content.pixels { try pixels.decode() }
  }

  /// How many pixels make one point of a toolkit: 1 by default, 2 or 3 for high-density screens.
  public var scale: Double { content.scale }
  /// The header of the file that the pixels come from; `nil` for a picture made in memory.
  ///
  /// From a disk cache it comes without `metadata`, `colorEncoding`, `gainMap`, `dotsPerInch` and `cameraRAW`, which
  /// `ImagePipeline.header(for:)` has.
  public var header: ImageHeader? { content.header }
  /// Whether this is a part or a coarse form of a picture that is still loading.
  public var isPreview: Bool { content.isPreview }
  /// The frames of an animated picture; `bitmap` is then shown until they are asked for. `nil` for a still picture.
  public var animation: PictureAnimation? { content.animation }
  /// Notes about what was converted, cut off, assumed or ignored, although the picture is shown: a tone mapping, a
  /// broken colour profile. The same from every cache. At most 32 notes of 512 bytes; further ones are left out,
  /// longer ones are cut.
  public var notes: [String] {
    if case .deferred(let pixels) = content.pixels { pixels.notes } else { content.notes }
  }

  /// Whether the file was decoded in a process of its own, so that a crash of the decoder would have affected this
  /// picture only.
  public var isIsolated: Bool {
    if case .deferred(let pixels) = content.pixels { pixels.isIsolated } else { content.isIsolated }
  }

  /// The width in pixels.
  public var width: Int { size.width }
  /// The height in pixels.
  public var height: Int { size.height }

  /// The size in pixels.
  public var size: PixelSize {
    switch content.pixels {
    case .ready(let bitmap): bitmap.size
    case .deferred(let pixels): pixels.size
    }
  }

  /// The bytes that the pixels take in memory, or may take when the picture is played or decoded: its cost in a
  /// cache.
  public var byteCount: Int {
    switch content.pixels {
    case .ready(let bitmap): bitmap.byteCount.saturatingSum(animation?.largestByteCount ?? 0)
    case .deferred(let pixels): pixels.byteCount
    }
  }

  /// The same picture at another scale. Shares the pixels.
  public func withScale(_ scale: Double) -> Picture {
    Picture(
      Content(
        pixels: content.pixels, scale: scale, header: header, isPreview: isPreview, animation: animation,
        notes: content.notes, isIsolated: content.isIsolated))
  }
}

extension Picture {
  /// The picture after a recipe; `self` if the recipe changes nothing.
  ///
  /// For pictures that are already in memory. It is better to decode a file at its target size:
  /// `CodecRegistry.picture(from:resize:context:)`.
  ///
  /// An animation becomes a still picture of its first frame.
  ///
  /// No limits are checked. A recipe from outside belongs to a request, or is a processor (`processed(by:context:)`):
  /// these refuse a result that is too large.
  ///
  /// - Precondition: the size of the recipe is not empty, unless its mode is `none`, and the result fits into memory.
  public func resized(_ resize: Resize, pool: PixelBufferPool = .shared) -> Picture {
    let geometry = ResizeGeometry(source: size, resize: resize)
    guard !geometry.isIdentity else { return self }
    let resampled = resize.resampler.resample(
      bitmap.format == .gray8 ? bitmap.converted(to: .bgra8, pool: pool) : bitmap, region: geometry.region,
      to: geometry.outputSize, pool: pool)
    return Picture(
      resampled, scale: scale, header: header, isPreview: isPreview, notes: notes, isIsolated: isIsolated)
  }

  /// The picture after a recipe, under the rules of a decode: the same regions and limits, the same budget.
  ///
  /// - Throws: `ImageDecodingError`: `regionOutside`, `limitExceeded`, `cancelled`.
  package func resized(_ resize: Resize, context: DecodingContext) throws(ImageDecodingError) -> Picture {
    let geometry = try ResizeGeometry(of: resize, in: size)
    guard !geometry.isIdentity else { return self }
    return try resampled(geometry.region, to: geometry.outputSize, by: resize.resampler, context: context)
  }

  /// A part of the picture at a size, made within the limits of a context after its memory is reserved.
  ///
  /// - Throws: `ImageDecodingError`: `limitExceeded`, `cancelled`.
  package func resampled(
    _ region: PixelRegion, to outputSize: PixelSize, by resampler: Resampler, context: DecodingContext
  ) throws(ImageDecodingError) -> Picture {
    let source = bitmap
    let isWide = source.format == .rgba16
    let working =
      isWide
      ? resampler.wideWorkingByteCount(of: size, region: region, to: outputSize)
      : resampler.workingByteCount(of: size, region: region, to: outputSize)
    let copy = isWide || source.format == .bgra8 ? 0 : size.bitmapByteCount(as: .bgra8)
    let price = outputSize.bitmapByteCount(as: isWide ? .rgba16 : .bgra8).saturatingSum(working)
      .saturatingSum(copy)
    try context.limits.checkSide(of: outputSize)
    try context.limits.checkDecodedByteCount(price)
    let context = try context.reserving(price)
    defer { withExtendedLifetime(context) {} }
    let made = try resampler.resample(source, region: region, to: outputSize, pool: context.pool) {
      () throws(ImageDecodingError) in
      try context.checkpoint()
    }
    return Picture(
      made, scale: scale, header: header, isPreview: isPreview, notes: notes, isIsolated: isIsolated)
  }
}

/// The limits of `Picture.notes`, and the notes that tell of damage. The limits hold for every picture, so that all notes fit into
/// its record on disk.
package enum PictureNotes {
  /// How the notes begin that say that a file ends too early.
  package static let cut = "the file is cut off: "
  /// How the note begins that says why the frames of an animation cannot be shown.
  package static let withoutAnimation = "shown without its animation: "
  /// How the note begins that says what is wrong with a colour profile.
  package static let withoutProfile = "its colour profile is left out: "

  package static let mostNotes = 32
  /// The most bytes of one note, in UTF-8.
  package static let mostBytes = 512
  private static let rest = "further notes are left out"

  /// Whether a note says that the file is damaged. The others say what else is in it, or how its picture was made.
  package static func tellsOfDamage(_ note: String) -> Bool {
    [cut, withoutAnimation, withoutProfile].contains { note.hasPrefix($0) }
  }

  /// The notes within the limits. Applying it twice changes nothing.
  package static func bounded(_ notes: [String]) -> [String] {
    guard notes.count > mostNotes || notes.contains(where: { $0.utf8.count > mostBytes }) else {
      return notes
    }
    let first = notes.count > mostNotes ? notes.prefix(mostNotes - 1) + [rest] : notes[...]
    return first.map(cut)
  }

  private static func cut(_ note: String) -> String {
    guard note.utf8.count > mostBytes else { return note }
    let ellipsis = "\u{2026}"
    var room = mostBytes - ellipsis.utf8.count
    var result = String.UnicodeScalarView()
    for scalar in note.unicodeScalars {
      room -= UTF8.width(scalar)
      guard room >= 0 else { break }
      result.append(scalar)
    }
    return String(result) + ellipsis
  }
}
