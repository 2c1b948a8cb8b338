import OzuImaging

/// The values in the chunks of a PNG (W3C PNG, third edition), read without libpng and without inflating anything.
///
/// It steps through all chunks by their lengths, because EXIF data may follow the pixels (§11.3.4.5).
/// libpng checks the checksums. A file that ends early still has the header of its first chunks.
package struct PNGHeader: Sendable {
  package private(set) var size = PixelSize(0, 0)
  package private(set) var bitDepth = 8
  package private(set) var colorType = ColorType.rgb
  package private(set) var isInterlaced = false
  package private(set) var hasTransparencyChunk = false
  package private(set) var orientation: Orientation?
  package private(set) var metadata: PictureMetadata?
  /// The place of the compressed profile.
  package private(set) var profileRange: Range<Int>?
  /// The primaries and transfer function of the cICP chunk; `nil` also if it leaves both unspecified.
  package private(set) var codes: (primaries: Int, transfer: Int)?
  /// Whether the cICP chunk says that black and white are not the lowest and the highest value.
  package private(set) var hasNarrowRange = false
  /// The light levels of the chunks cLLI and mDCV.
  package private(set) var lightLevels: LightLevels?
  package private(set) var hasSRGBChunk = false
  package private(set) var gamma: Int?
  package private(set) var chromaticities: Chromaticities?
  package private(set) var dotsPerInch: Double?
  /// The number of frames in the file, up to the limit of `ImageHeader`; 1 for a still picture.
  package private(set) var frameCount = 1
  /// The number of whole frames of an animation whose file ends too early; `nil` for others.
  package private(set) var cutFrame: Int?
  /// The number of frames that such a file declares, up to the limit of `ImageHeader`.
  package private(set) var announcedFrameCount = 1
  /// Whether the last chunk is there.
  private(set) var hasEnd = false

  /// The colour type of IHDR (§6.1).
  package enum ColorType: Int, Sendable {
    case gray = 0
    case rgb = 2
    case indexed = 3
    case grayAlpha = 4
    case rgbAlpha = 6

    package var depths: [Int] {
      switch self {
      case .gray: [1, 2, 4, 8, 16]
      case .indexed: [1, 2, 4, 8]
      case .rgb, .grayAlpha, .rgbAlpha: [8, 16]
      }
    }

    package var hasAlpha: Bool { self == .grayAlpha || self == .rgbAlpha }

    /// The samples of a pixel.
    var channelCount: Int {
      switch self {
      case .gray, .indexed: 1
      case .grayAlpha: 2
      case .rgb: 3
      case .rgbAlpha: 4
      }
    }
  }

  package static let stage = "header"
  private static let signatureByteCount = 8
  private static let largestInteger = 0x7FFF_FFFF

  /// Steps through the chunks.
  ///
  /// - Throws: `corrupt` or `truncated`, in the stage `header`.
  package init(_ bytes: Span<UInt8>) throws(ImageDecodingError) {
    var position = Self.signatureByteCount
    guard let length = bytes.bigEndian(at: position, bytes: 4), bytes.count >= position + 8 else {
      throw .truncated(.png, stage: Self.stage)
    }
    if bytes.hasBytes("CgBI", at: position + 4) {
      // A PNG that Xcode has changed for iPhones: without zlib's head, with red and blue exchanged, premultiplied.
      throw .unsupportedType(.png, reason: "it is Apple's CgBI, which only Apple's systems read")
    }
    guard length == 13, bytes.hasBytes("IHDR", at: position + 4) else {
      throw Self.corrupt("its first chunk is no image header")
    }
    guard bytes.count >= position + 12 + length else { throw .truncated(.png, stage: Self.stage) }
    try readImageHeader(bytes.extracting(position + 8..<position + 8 + length))

    position += 12 + length
    var declaredFrameCount = 0
    var frameControlCount = 0
    var hasEXIF = false
    // Chunks behind their place do not count (§5.6): what the pixels need comes before them, and colours before the
    // palette too.
    var stage = Stage.colors
    var hasFrameData = false
    while let length = bytes.bigEndian(at: position, bytes: 4), length <= Self.largestInteger,
      bytes.count >= position + 12 + length
    {
      let type = position + 4
      let content = bytes.extracting(position + 8..<position + 8 + length)
      if bytes.hasBytes("IEND", at: type) {
        hasEnd = true
        break
      }
      if bytes.hasBytes("PLTE", at: type) {
        stage = max(stage, .palette)
      } else if bytes.hasBytes("IDAT", at: type) || bytes.hasBytes("fdAT", at: type) {
        stage = .pixels
        hasFrameData = true
      } else if bytes.hasBytes("tRNS", at: type) {
        hasTransparencyChunk =
          hasTransparencyChunk || stage == .palette || stage == .colors && colorType != .indexed
      } else if bytes.hasBytes("eXIf", at: type), !hasEXIF {
        hasEXIF = true
        orientation = EXIFOrientation.find(in: content)
        metadata = EXIFMetadata.find(in: content)
      } else if bytes.hasBytes("iCCP", at: type), stage == .colors, profileRange == nil {
        // A keyword of up to 79 bytes, a zero, the method of compression (§11.3.2.3).
        let start = position + 8 + (content.copy(from: 0, byteCount: 80).firstIndex(of: 0) ?? length) + 2
        if start < position + 8 + length { profileRange = start..<position + 8 + length }
      } else if bytes.hasBytes("cICP", at: type), stage == .colors, length >= 4 {
        // Unspecified numbers leave the word to the chunks of lower precedence (§4.3).
        if content[0] != 2 || content[1] != 2 { codes = (Int(content[0]), Int(content[1])) }
        hasNarrowRange = content[3] == 0
      } else if bytes.hasBytes("cLLI", at: type) || bytes.hasBytes("cLLi", at: type), stage == .colors {
        // In units of 0.0001 (W3C PNG, third edition, §11.3.2.8). Drafts of the standard had the other name.
        var levels = lightLevels ?? LightLevels()
        levels.maximumContent = content.bigEndian(at: 0, bytes: 4).map { Double($0) / LightLevels.lightUnits }
        levels.maximumAverage = content.bigEndian(at: 4, bytes: 4).map { Double($0) / LightLevels.lightUnits }
        levels.forgetUnknownAverage()
        lightLevels = levels
      } else if bytes.hasBytes("mDCV", at: type) || bytes.hasBytes("mDCv", at: type), stage == .colors {
        var levels = lightLevels ?? LightLevels()
        levels.readMasteringDisplay(content, at: 0, .redFirst)
        lightLevels = levels
      } else if bytes.hasBytes("sRGB", at: type), stage == .colors {
        hasSRGBChunk = true
      } else if bytes.hasBytes("gAMA", at: type), stage == .colors {
        gamma = content.bigEndian(at: 0, bytes: 4)
      } else if bytes.hasBytes("cHRM", at: type), stage == .colors {
        chromaticities = Self.chromaticities(content)
      } else if bytes.hasBytes("pHYs", at: type), stage < .pixels, content.byte(at: 8) == 1 {
        dotsPerInch = content.bigEndian(at: 0, bytes: 4).map { Double($0) * 0.0254 }
      } else if bytes.hasBytes("acTL", at: type), stage < .pixels {
        declaredFrameCount = content.bigEndian(at: 0, bytes: 4) ?? 0
      } else if bytes.hasBytes("fcTL", at: type) {
        frameControlCount += 1
        hasFrameData = false
      }
      position += 12 + length
    }
    // The frames are counted, because a chunk of 20 bytes can declare two billion of them.
    frameCount = max(1, min(declaredFrameCount, frameControlCount, ImageHeader.largestFrameCount))
    guard declaredFrameCount > 1, !hasEnd else { return }
    let isInFrame =
      !hasFrameData || bytes.hasBytes("fdAT", at: position + 4) || bytes.hasBytes("IDAT", at: position + 4)
    cutFrame = isInFrame ? max(0, frameControlCount - 1) : frameControlCount
    announcedFrameCount = min(declaredFrameCount, ImageHeader.largestFrameCount)
  }

  /// How far the chunks before have come.
  private enum Stage: Int, Comparable {
    case colors
    case palette
    case pixels

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }

  private mutating func readImageHeader(_ content: Span<UInt8>) throws(ImageDecodingError) {
    func field(_ offset: Int, _ byteCount: Int) -> Int {
      content.bigEndian(at: offset, bytes: byteCount) ?? 0
    }
    let width = field(0, 4)
    let height = field(4, 4)
    guard 1...Self.largestInteger ~= width, 1...Self.largestInteger ~= height else {
      throw Self.corrupt("a size of \(width)x\(height)")
    }
    guard let type = ColorType(rawValue: field(9, 1)), type.depths.contains(field(8, 1)) else {
      throw Self.corrupt("colour type \(field(9, 1)) with \(field(8, 1)) bits")
    }
    guard field(10, 1) == 0, field(11, 1) == 0, field(12, 1) <= 1 else {
      throw Self.corrupt("an unknown compression, filter or interlace method")
    }
    size = PixelSize(width, height)
    bitDepth = field(8, 1)
    colorType = type
    isInterlaced = field(12, 1) == 1
  }

  private static func chromaticities(_ content: Span<UInt8>) -> Chromaticities? {
    var values: [Double] = []
    for index in 0..<8 {
      guard let value = content.bigEndian(at: index * 4, bytes: 4), value > 0 else { return nil }
      values.append(Double(value) / 100_000)
    }
    func point(_ index: Int) -> Chromaticities.Point { .init(x: values[index], y: values[index + 1]) }
    return Chromaticities(white: point(0), red: point(2), green: point(4), blue: point(6))
  }

  private static func corrupt(_ reason: String) -> ImageDecodingError {
    .corrupt(.png, stage: stage, reason: reason)
  }
}
