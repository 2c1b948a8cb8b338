/// What one load may take: of memory and of time. Checked from the header, before memory is taken, and again inside the
/// decoders.
///
/// Nothing is unlimited by default: a few kilobytes of hostile file can declare gigabytes of pixels. And nothing is refused
/// that costs little: each limit names below what it protects.
public struct DecodingLimits: Hashable, Sendable {
  /// The most pixels a source may have. 128 million by default. Protects time: decoders step through all pixels of most
  /// files, also for a thumbnail, and some libraries cannot be stopped on the way.
  public var pixelCount: Int
  /// The longest side of a source, in pixels. 65,535 by default, the most that JPEG and GIF can declare. Protects the
  /// counters of libraries: pixels and bytes are what a picture costs, and bound tall pictures too.
  public var side: Int
  /// The most bytes that one render may take at a time, all of it counted: `DecodePlan.byteCount`. 512 MB by default, as
  /// much as all decodes of a process may take (`DecodedByteBudget.shared`). Protects memory.
  public var decodedByteCount: Int
  /// The most frames of an animation that are played. 16,384 by default. Protects the memory of their table. No picture
  /// is refused for having more: frames beyond are left out, and with a limit below two the first is shown alone.
  public var frameCount: Int
  /// What the frames of one animation may take in memory while it is played, in bytes. 64 MB by default. No
  /// picture is refused for it: frames beyond the budget are decoded again in each round.
  public var animationByteCount: Int
  /// The most scans of a progressive JPEG. 100 by default; real ones have about 10. Protects time.
  public var scanCount: Int
  /// The most pixels that all scans of a JPEG may go over: those of the picture times the scans. 2,560 million by
  /// default, which is 20 scans of the largest picture that is allowed. A scan without content costs a few bytes of file
  /// and still a tenth of a millisecond for each megapixel.
  public var scannedPixelCount: Int
  /// The most bytes of an encoded file. 100 MB by default. Protects memory: the file is held while it is decoded.
  public var encodedByteCount: Int
  /// The most processor time one picture may take, on the thread that decodes. 10 seconds by default.
  public var cpuTime: Duration

  /// Makes limits; what is not given has its default.
  public init(
    pixelCount: Int = 128_000_000, side: Int = 65_535, decodedByteCount: Int = 512 << 20,
    frameCount: Int = 16_384, scanCount: Int = 100, encodedByteCount: Int = 100 << 20,
    cpuTime: Duration = .seconds(10), animationByteCount: Int = 64 << 20,
    scannedPixelCount: Int = 2_560_000_000
  ) {
    self.pixelCount = pixelCount
    self.side = side
    self.decodedByteCount = decodedByteCount
    self.frameCount = frameCount
    self.animationByteCount = animationByteCount
    self.scanCount = scanCount
    self.scannedPixelCount = scannedPixelCount
    self.encodedByteCount = encodedByteCount
    self.cpuTime = cpuTime
  }

  /// The defaults.
  public static let `default` = DecodingLimits()

  /// A limit that was passed, and by how much.
  public struct Violation: Hashable, Sendable {
    /// What is limited.
    public enum Quantity: String, Hashable, Sendable {
      /// Pixels of the source.
      case pixelCount = "pixels"
      /// A side of the source, in pixels.
      case side = "pixels a side"
      /// Bytes of the decoded picture.
      case decodedByteCount = "decoded bytes"
      /// Scans of a JPEG.
      case scanCount = "scans"
      /// Pixels of the source times the scans of a JPEG.
      case scannedPixelCount = "pixels in all scans"
      /// Bytes of the encoded file.
      case encodedByteCount = "bytes of file"
      /// Processor time, in milliseconds.
      case cpuTime = "milliseconds of processor time"
    }

    /// What is limited.
    public let quantity: Quantity
    /// What the picture has or needs.
    public let value: Int
    /// What is allowed.
    public let limit: Int

    /// Makes a violation.
    public init(_ quantity: Quantity, value: Int, limit: Int) {
      self.quantity = quantity
      self.value = value
      self.limit = limit
    }
  }

  /// Checks what a header declares.
  ///
  /// - Throws: `DecodingError.limitExceeded` with the first limit that is passed.
  public func check(_ header: ImageHeader) throws(DecodingError) {
    let size = header.storedSize
    try check(.side, max(size.width, size.height), side)
    try check(.pixelCount, size.pixelCount, pixelCount)
    try check(.side, max(size.width, size.height), Self.countableSide)
  }

  /// The longest side that sizes are worked out for, whatever is allowed; no format can declare it.
  static let countableSide = 1 << 40

  /// The most bytes that sizes are worked out for: whatever is allowed, sums of a few such numbers fit an `Int`.
  static let countableByteCount = Int.max / 16

  /// Checks the bytes that a decoder is about to take.
  ///
  /// A number that does not fit (`PixelSize.byteCount(as:)` gives `Int.max` for it) is refused whatever the limit is.
  ///
  /// - Throws: `DecodingError.limitExceeded`.
  public func checkDecodedByteCount(_ count: Int) throws(DecodingError) {
    try check(.decodedByteCount, count, min(decodedByteCount, Self.countableByteCount))
  }

  /// Checks the length of a file.
  ///
  /// - Throws: `DecodingError.limitExceeded`.
  public func checkEncodedByteCount(_ count: Int) throws(DecodingError) {
    try check(.encodedByteCount, count, encodedByteCount)
  }

  /// Checks how many scans a JPEG has, and the pixels that they go over, if a single one is not too much already.
  ///
  /// - Throws: `DecodingError.limitExceeded`.
  public func checkScanCount(_ count: Int, size: PixelSize) throws(DecodingError) {
    try check(.scanCount, count, scanCount)
    guard size.pixelCount <= pixelCount else { return }
    let (product, overflow) = count.multipliedReportingOverflow(by: size.pixelCount)
    try check(.scannedPixelCount, overflow ? .max : product, scannedPixelCount)
  }

  private func check(
    _ quantity: Violation.Quantity, _ value: Int, _ limit: Int
  ) throws(DecodingError) {
    guard value > limit else { return }
    throw .limitExceeded(Violation(quantity, value: value, limit: limit))
  }
}

extension DecodingLimits.Violation: CustomStringConvertible {
  /// `900000000 pixels, limit 128000000`.
  public var description: String { "\(value) \(quantity.rawValue), limit \(limit)" }
}
