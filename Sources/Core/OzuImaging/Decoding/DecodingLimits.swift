import OzuBase

/// The limits of one load, on memory and on time. They are checked from the header, before memory is taken, and
/// again inside the decoders.
///
/// Nothing is unlimited by default: a hostile file of a few kilobytes can declare gigabytes of pixels. And nothing
/// cheap is refused: each limit says below what it protects.
public struct DecodingLimits: Hashable, Sendable {
  /// The most pixels a source may have. 128 million by default. Protects time: for most formats a decoder goes
  /// through all pixels even for a thumbnail, and some libraries cannot be stopped.
  ///
  /// A picture whose result is made piece by piece (`DecodingDemand.isPiecewise`) may have more by default, because its
  /// memory is bounded by `decodedByteCount`, and its time by `cpuTime`: 512 million for a JPEG that is reduced, 256 million for
  /// a HEIC or AVIF that consists of tiles. Telephones write 200. Once this limit has another value than the default, it is the limit
  /// for all pictures.
  public var pixelCount: Int
  /// The longest side of a source and of a result, in pixels. 65,535 by default, the most that JPEG and GIF can declare.
  /// Protects the counters of libraries; the cost of a tall picture is already bounded by its pixels and bytes.
  public var side: Int
  /// The most bytes that one render may take at a time, in total: `DecodePlan.byteCount`. 512 MB by default, as
  /// much as all decodes of a process may take (`DecodedByteBudget.shared`, which is smaller on a phone). Protects memory.
  public var decodedByteCount: Int
  /// The most frames of an animation that are played. 16,384 by default. Protects the memory of their table. A
  /// picture with more is not refused: the frames beyond are left out, and a limit below two shows the first frame
  /// alone.
  public var frameCount: Int
  /// The most bytes that the frames of one animation may take in memory while it is played. 64 MB by default. No
  /// picture is refused for it: frames beyond the budget are decoded again in each round.
  public var animationByteCount: Int
  /// The most scans of a progressive JPEG. 100 by default; real ones have about 10. Protects time.
  public var scanCount: Int
  /// The most pixels in all scans of a JPEG: the pixels of the picture times the number of scans. 2,560 million by
  /// default, which is 20 scans of a picture of 128 million, and 12 of one of 200. Protects time: an empty scan takes a few
  /// bytes of the file, and still a tenth of a millisecond for each megapixel.
  public var scannedPixelCount: Int
  /// The most bytes of an encoded file. 100 MB by default. Protects memory: the file is held while it is decoded.
  public var encodedByteCount: Int
  /// The most processor time one picture may take, on the thread that decodes. 10 seconds by default.
  public var cpuTime: Duration

  /// Makes limits; an argument that is left out has its default.
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

  /// A limit that was exceeded, and by how much.
  public struct Violation: Hashable, Sendable {
    /// The quantities that have limits.
    public enum Quantity: String, Hashable, Sendable {
      /// Pixels of the source.
      case pixelCount = "pixels"
      /// A side of the source or of the result, in pixels.
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
      /// Characters of a label.
      case characterCount = "characters"
    }

    /// The quantity over its limit.
    public let quantity: Quantity
    /// The value of the picture.
    public let value: Int
    /// The value that is allowed.
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
  /// - Throws: `ImageDecodingError.limitExceeded` with the first limit that is exceeded.
  public func check(_ header: ImageHeader) throws(ImageDecodingError) {
    let size = header.storedSize
    try check(.side, max(size.width, size.height), side)
    try check(.pixelCount, size.pixelCount, pixelCount)
    try check(.side, max(size.width, size.height), Self.countableSide)
  }

  /// The most pixels a source may have whose result is made piece by piece.
  package var piecewisePixelCount: Int {
    pixelCount == Self.default.pixelCount ? 512_000_000 : pixelCount
  }

  /// Checks what a header declares, before it is known whether the result is made piece by piece.
  ///
  /// - Throws: `ImageDecodingError.limitExceeded` with the first limit that is exceeded.
  package func checkDeclared(_ header: ImageHeader) throws(ImageDecodingError) {
    let size = header.storedSize
    // The message names the limit that can be set.
    if size.pixelCount <= piecewisePixelCount {
      try check(.side, max(size.width, size.height), min(side, Self.countableSide))
    } else {
      try check(header)
    }
  }

  /// Checks the sides of a result.
  ///
  /// - Throws: `ImageDecodingError.limitExceeded`.
  package func checkSide(of size: PixelSize) throws(ImageDecodingError) {
    try check(.side, max(size.width, size.height), side)
  }

  /// Checks the pixels of a source whose decoder goes through all of them at once.
  ///
  /// - Throws: `ImageDecodingError.limitExceeded`.
  package func checkPixelCount(_ count: Int) throws(ImageDecodingError) {
    try check(.pixelCount, count, pixelCount)
  }

  /// The longest side for which sizes are computed, whatever the limits allow; no format can declare it.
  static let countableSide = 1 << 40

  /// The most bytes for which sizes are computed, whatever the limits allow: sums of a few such numbers fit into an
  /// `Int`.
  static let countableByteCount = Int.max / 16

  /// Checks the bytes that a decoder is about to allocate.
  ///
  /// A number that overflows (`PixelSize.byteCount(as:)` then returns `Int.max`) is refused, whatever the limit is.
  ///
  /// - Throws: `ImageDecodingError.limitExceeded`.
  public func checkDecodedByteCount(_ count: Int) throws(ImageDecodingError) {
    try check(.decodedByteCount, count, min(decodedByteCount, Self.countableByteCount))
  }

  /// Checks the length of a file.
  ///
  /// - Throws: `ImageDecodingError.limitExceeded`.
  public func checkEncodedByteCount(_ count: Int) throws(ImageDecodingError) {
    try check(.encodedByteCount, count, encodedByteCount)
  }

  /// Checks the number of scans of a JPEG and the pixels in all of them, unless one scan is already over the limit on
  /// pixels: the header of such a file can still be read.
  ///
  /// - Throws: `ImageDecodingError.limitExceeded`.
  public func checkScanCount(_ count: Int, size: PixelSize) throws(ImageDecodingError) {
    try check(.scanCount, count, scanCount)
    guard size.pixelCount <= pixelCount else { return }
    try checkScannedPixelCount(count, size: size)
  }

  /// Checks the pixels in all scans of a JPEG.
  ///
  /// - Throws: `ImageDecodingError.limitExceeded`.
  package func checkScannedPixelCount(_ count: Int, size: PixelSize) throws(ImageDecodingError) {
    let (product, overflow) = count.multipliedReportingOverflow(by: size.pixelCount)
    try check(.scannedPixelCount, overflow ? .max : product, scannedPixelCount)
  }

  /// Checks the processor time that was spent.
  ///
  /// - Throws: `ImageDecodingError.limitExceeded`.
  func check(spentTime spent: Duration) throws(ImageDecodingError) {
    guard spent > cpuTime else { return }
    // Rounded up, so that the time spent never reads as the limit itself.
    func milliseconds(_ time: Duration) -> Int { Int(clamping: time / .milliseconds(1), rounded: .up) }
    throw .limitExceeded(Violation(.cpuTime, value: milliseconds(spent), limit: milliseconds(cpuTime)))
  }

  private func check(
    _ quantity: Violation.Quantity, _ value: Int, _ limit: Int
  ) throws(ImageDecodingError) {
    guard value > limit else { return }
    throw .limitExceeded(Violation(quantity, value: value, limit: limit))
  }
}

extension DecodingLimits.Violation: CustomStringConvertible {
  /// `900000000 pixels, limit 128000000`.
  public var description: String { "\(value) \(quantity.rawValue), limit \(limit)" }
}
