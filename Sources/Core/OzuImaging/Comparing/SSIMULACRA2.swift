/// Scores how much a lossy copy looks like its original: SSIMULACRA 2.1 (Sneyers, Cloudinary 2023).
///
/// The score is 100 for equal pictures and has no lower bound. By the author's tests with observers: 90 cannot be told
/// from the original even when the two are flickered, 80 not side by side, 70 shows artefacts only beside the
/// original, 50 annoys a little, 30 annoys. It is meant for the artefacts of compression; two different pictures
/// are far below zero.
///
/// ```swift
/// let copy = try await pipeline.image(for: url).bitmap
/// let score = try SSIMULACRA2.score(of: copy, original: picture.bitmap)
/// ```
///
/// How it works: both pictures are converted to XYB, a space of the eye's three kinds of cones, at six scales. Each
/// scale is half of the one before, averaged in linear light. At every pixel and in each of the three channels, three errors are
/// computed from neighbourhoods of a Gaussian (standard deviation 1.5): structure (SSIM without the division by
/// luminance), ringing (edges that the original does not have), and blur (edges that are lost). Their means and fourth norms
/// make 108 numbers; a weighted sum and a polynomial make the score. Equations, constants and weights are those of
/// <https://github.com/cloudinary/ssimulacra2>, version 2.1.
///
/// The reference blurs by a recursion in single precision, whose rounding errors it takes for errors of the copy: its builds differ
/// by up to 2 points above 85, in smooth pictures. This has none of them, and is within 0.2 points of the reference with that blur in
/// double precision.
///
/// Pictures are read row by row at all scales together, so the memory depends on the width alone:
/// `workingByteCount(width:)`.
public enum SSIMULACRA2 {
  /// The shortest side that has a score.
  public static let leastSide = 8

  /// The score of a copy.
  ///
  /// Transparent pictures are blended with dark grey (0.1 of white, by value) and with light grey (0.9), and the lower
  /// score counts. Pixels of 16 bits are compared in 16 bits. Values in a colour space other than sRGB are taken as if they were
  /// sRGB, which is close for profiles with a similar curve, like Display P3 and Adobe RGB.
  ///
  /// - Parameters:
  ///   - distorted: the copy. Scores are not symmetrical: edges that are lost weigh more than new ones.
  ///   - original: the picture that it is compared with.
  ///   - limits: `pixelCount` bounds the time, `decodedByteCount` the working memory.
  /// - Complexity: O(pixels), about 260 instructions of x86-64 for each; twice that with transparency.
  public static func score(
    of distorted: Bitmap, original: Bitmap, limits: DecodingLimits = .default
  ) throws(ImageComparisonError) -> Double {
    try ImageComparisonError.check(distorted, original)
    let size = original.size
    guard min(size.width, size.height) >= leastSide else { throw .tooSmall(size) }
    guard size.pixelCount <= limits.piecewisePixelCount else {
      throw .limitExceeded(
        .init(.pixelCount, value: size.pixelCount, limit: limits.piecewisePixelCount))
    }
    let byteCount = workingByteCount(width: size.width)
    guard byteCount <= limits.decodedByteCount else {
      throw .limitExceeded(.init(.decodedByteCount, value: byteCount, limit: limits.decodedByteCount))
    }
    let backgrounds: [Float] = distorted.isOpaque && original.isOpaque ? [0] : [0.1, 0.9]
    return backgrounds.map { score(distorted, original, over: $0) }.reduce(100, min)
  }

  /// The working memory for pictures of a width, in bytes: about 0.9 KB for each pixel of it.
  public static func workingByteCount(width: Int) -> Int {
    let widths = sequence(first: width) { ($0 + 1) / 2 }.prefix(ErrorWeights.scaleCount)
    return widths.reduce(0) { $0.saturatingSum(ScaleComparison.floatCount(width: $1)) }
      .saturatingProduct(MemoryLayout<Float>.stride)
  }

  private static func score(_ distorted: Bitmap, _ original: Bitmap, over background: Float) -> Double {
    let sizes = scales(of: original.size)
    var comparison: ScaleComparison?
    for (index, size) in sizes.enumerated().reversed() {
      comparison = ScaleComparison(
        size: size, channels: (0..<3).map { ErrorWeights.terms($0, scale: index, of: sizes.count) },
        next: comparison)
    }
    guard let first = comparison else { return 100 }
    let reader = LinearRowReader(background: background)
    for y in 0..<original.size.height {
      reader.read(original, y, to: first.originalRow)
      reader.read(distorted, y, to: first.distortedRow)
      first.append()
    }
    let errors = sequence(first: first) { $0.next }.map { $0.finish() }
    return ErrorWeights.score(errors)
  }

  /// The sizes of the scales. As in the reference, a scale follows one with sides of at least 8 pixels, so the last may be
  /// smaller.
  private static func scales(of size: PixelSize) -> [PixelSize] {
    var sizes = [size]
    while sizes.count < ErrorWeights.scaleCount, let last = sizes.last,
      min(last.width, last.height) >= leastSide
    {
      sizes.append(PixelSize((last.width + 1) / 2, (last.height + 1) / 2))
    }
    return sizes
  }
}

/// Why two pictures cannot be compared.
public enum ImageComparisonError: Error, Hashable, Sendable {
  /// They have different sizes.
  case differentSizes(PixelSize, PixelSize)
  /// They have different colour spaces. Decoders convert to sRGB by default.
  case differentColors(ColorSpaceTag, ColorSpaceTag)
  /// Their values are of high dynamic range, for which the measures are not made. `Bitmap.toneMapped()` converts them.
  case highDynamicRange
  /// A side is shorter than `SSIMULACRA2.leastSide`.
  case tooSmall(PixelSize)
  /// The comparison would cost more than is allowed.
  case limitExceeded(DecodingLimits.Violation)

  /// Checks that two pictures have comparable pixels.
  static func check(_ a: Bitmap, _ b: Bitmap) throws(ImageComparisonError) {
    guard a.size == b.size else { throw .differentSizes(a.size, b.size) }
    guard a.colorSpace == b.colorSpace else { throw .differentColors(a.colorSpace, b.colorSpace) }
    if case .coded(let primaries, let transfer) = a.colorSpace,
      HighDynamicRange(primaries: primaries, transfer: transfer) != nil
    {
      throw .highDynamicRange
    }
  }
}

extension ImageComparisonError: CustomStringConvertible {
  /// The error in one line, to show to people.
  public var description: String {
    switch self {
    case .differentSizes(let a, let b): "pictures of \(a) and \(b) pixels cannot be compared"
    case .differentColors: "pictures in different colour spaces cannot be compared"
    case .highDynamicRange: "colours of high dynamic range cannot be compared"
    case .tooSmall(let size):
      "a picture of \(size) is too small: a side has at least \(SSIMULACRA2.leastSide) pixels"
    case .limitExceeded(let violation): "refused: \(violation)"
    }
  }
}

/// Reads rows of bitmaps as linear light.
struct LinearRowReader {
  /// The grey under transparent pixels, by value: 0 is black, 1 is white.
  let background: Float

  /// The light of each 16-bit value.
  private static let table: [Float] = (0...65_535).map { Float(SRGBCurve.light(Double($0) / 65_535)) }

  /// Converts a row. `target` has room for `bitmap.size.width` values in each of its planes.
  func read(_ bitmap: Bitmap, _ y: Int, to target: LinearRow) {
    let width = bitmap.size.width
    bitmap.withUnsafeBytes { bytes in
      // The row lies inside the bytes, `width` pixels of its format long.
      let row = UnsafeRawBufferPointer(rebasing: bytes[(y * bitmap.bytesPerRow)...])
      if bitmap.format == .bgra8, bitmap.isOpaque {
        LinearLight.table.withUnsafeBufferPointer { light in
          for x in 0..<width {
            target.blue[x] = light[Int(row[x * 4])]
            target.green[x] = light[Int(row[x * 4 + 1])]
            target.red[x] = light[Int(row[x * 4 + 2])]
          }
        }
        return
      }
      let under = (background * 65_535).rounded()
      Self.table.withUnsafeBufferPointer { light in
        for x in 0..<width {
          let pixel = row.words(x, bitmap.format)
          // Premultiplied values are not above alpha in pixels of decoders, but can be in those of an app.
          let gray = Int((Float(65_535 - pixel.w) * under / 65_535).rounded())
          target.red[x] = light[min(65_535, Int(pixel.x) + gray)]
          target.green[x] = light[min(65_535, Int(pixel.y) + gray)]
          target.blue[x] = light[min(65_535, Int(pixel.z) + gray)]
        }
      }
    }
  }
}

/// A row of linear light in three planes.
struct LinearRow {
  let red: UnsafeMutablePointer<Float>
  let green: UnsafeMutablePointer<Float>
  let blue: UnsafeMutablePointer<Float>
}
