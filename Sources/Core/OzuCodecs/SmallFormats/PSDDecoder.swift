import OzuBase
import OzuImaging

/// Decodes the flattened picture of a Photoshop document (PSD and PSB), in Swift: bitmaps, grey, indexed, RGB and CMYK, of 8
/// and 16 bits, plain or packed. Layers are not read.
///
/// CMYK is converted to RGB without its profile.
public struct PSDDecoder: SampleDecoding {
  /// As for other formats.
  private static let longestProfile = 4 << 20
  private static let unmerged = "it was saved without a picture of all its layers"

  /// Makes a decoder.
  public init() {}

  /// PSD.
  public var types: [ImageType] { [.psd] }

  func contents(_ bytes: Span<UInt8>) throws(ImageDecodingError) -> SampleContents {
    let details = try PSDHeader(bytes)
    var metadata = ImageMetadata()
    var profile: ICCProfile?
    var resolution: ImageResolution?
    var isMerged = true
    let section = bytes.extracting(details.resources)
    let resources = PhotoshopResources(section)
    for (number, range) in resources.contents {
      let content = section.extracting(range)
      switch number {
      case 1005: resolution = Self.resolution(content)
      case 1039 where details.model != .cmyk && range.count <= Self.longestProfile:
        profile = ICCProfile(Data(content.copy(from: 0, byteCount: range.count)))
      // Without a picture of all layers, the document has a white one in its place.
      case 1057: isMerged = content.byte(at: 4) != 0
      case 1058: metadata.add(exif: content)
      case 1060: metadata.add(xmp: content)
      default: break
      }
    }
    metadata.add(iptc: resources.iptc)
    var header = ImageHeader(
      type: .psd, storedSize: details.size, bitsPerComponent: details.bits == 16 ? 16 : 8,
      colorModel: details.colorModel, hasAlpha: details.hasAlpha)
    header.add(profile)
    header.add(statedDotsPerInch: resolution?.horizontal)
    // EXIF data may have that of the camera still.
    metadata.resolution = resolution ?? metadata.resolution
    if details.model == .cmyk { header.notes.append("inks are converted without a profile") }
    metadata.complete(with: header, iptcDigest: resources.digest)
    return SampleContents(
      header: header, rows: try PSDRows(details, bytes), metadata: metadata,
      unreadReason: isMerged ? nil : Self.unmerged)
  }

  /// Dots per inch in 16.16 bits. The units beside them are those in which Photoshop shows them.
  private static func resolution(_ content: Span<UInt8>) -> ImageResolution? {
    guard let horizontal = content.bigEndian(at: 0, bytes: 4),
      let vertical = content.bigEndian(at: 8, bytes: 4)
    else { return nil }
    let one = 65_536.0
    return ImageResolution(horizontal: Double(horizontal) / one, vertical: Double(vertical) / one).valid
  }
}

/// Reads the pixels: all rows of a channel, then those of the next.
private struct PSDRows: SampleRowReading {
  private let header: PSDHeader
  private let isPacked: Bool
  /// The positions of the next row in the channels that are used.
  private var positions: [Int] = []
  /// The lengths of the packed rows of all channels, in the file.
  private let lengths: Int
  private var y = 0
  /// Whether a row was missing: then channels may stand at different rows, and all further ones are missing.
  private var hasEnded = false
  private var samples: [[UInt8]]

  init(_ header: PSDHeader, _ bytes: Span<UInt8>) throws(ImageDecodingError) {
    self.header = header
    guard let method = bytes.bigEndian(at: header.pixelOffset, bytes: 2) else {
      throw .truncated(.psd, stage: "pixels")
    }
    guard method <= 1 else { throw .unsupportedType(.psd, reason: "its picture is deflated") }
    isPacked = method == 1
    lengths = header.pixelOffset + 2
    samples = Array(repeating: [], count: header.usedChannelCount)
    var next = lengths
    if isPacked { next += header.channelCount * header.size.height * header.lengthByteCount }
    for channel in 0..<header.usedChannelCount {
      positions.append(next)
      for row in 0..<header.size.height {
        guard let byteCount = byteCount(bytes, row, channel) else {
          throw .truncated(.psd, stage: "pixels")
        }
        next += byteCount
      }
    }
  }

  private func byteCount(_ bytes: Span<UInt8>, _ row: Int, _ channel: Int) -> Int? {
    guard isPacked else { return header.rowByteCount }
    let place = (channel * header.size.height + row) * header.lengthByteCount
    return bytes.bigEndian(at: lengths + place, bytes: header.lengthByteCount)
  }

  mutating func readRow(_ bytes: Span<UInt8>, into row: inout [SIMD4<UInt16>]) throws(ImageDecodingError)
    -> Bool
  {
    guard !hasEnded, try readSamples(bytes) else {
      hasEnded = true
      return false
    }
    y += 1
    for x in row.indices { row[x] = header.color { sample($0, x) } }
    return true
  }

  /// Reads the next row of each channel; `false` if the file ends before.
  private mutating func readSamples(_ bytes: Span<UInt8>) throws(ImageDecodingError) -> Bool {
    for channel in positions.indices {
      let position = positions[channel]
      guard let byteCount = byteCount(bytes, y, channel), byteCount <= bytes.count - position else {
        return false
      }
      positions[channel] += byteCount
      samples[channel] =
        isPacked
        ? try unpacked(bytes.extracting(position..<position + byteCount))
        : bytes.copy(from: position, byteCount: byteCount)
    }
    return true
  }

  private func sample(_ channel: Int, _ x: Int) -> UInt16 {
    let row = samples[channel]
    switch header.bits {
    case 16: return UInt16(row[x * 2]) << 8 | UInt16(row[x * 2 + 1])
    case 8: return UInt16(row[x]) * 257
    default: return row[x / 8] >> UInt8(7 - x % 8) & 1 == 0 ? .max : 0
    }
  }

  /// Undoes PackBits: a code above 128 repeats a byte 2 to 128 times, and 128 means nothing.
  private func unpacked(_ bytes: Span<UInt8>) throws(ImageDecodingError) -> [UInt8] {
    var position = 0
    let row = bytes.unpacked(from: &position, count: header.rowByteCount) { $0 == 128 ? 0 : 257 - $0 }
    guard let row else { throw .corrupt(.psd, stage: "pixels", reason: "a packed row that is too short") }
    return row
  }
}

/// The sections of a Photoshop document before its pixels (Adobe Photoshop File Formats Specification).
struct PSDHeader {
  enum Model: Int {
    case bitmap = 0, gray, indexed, rgb, cmyk, duotone = 8
  }

  let size: PixelSize
  /// 1, 8 or 16.
  let bits: Int
  let model: Model
  let channelCount: Int
  /// Whether the channel behind the colours is the transparency of the picture, and no selection that was stored.
  let hasAlpha: Bool
  /// The bytes of the length of a packed row: more in a large document (PSB).
  let lengthByteCount: Int
  let pixelOffset: Int
  let resources: Range<Int>
  private let palette: [UInt8]

  var colorModel: ImageHeader.ColorModel {
    switch model {
    case .bitmap, .gray, .duotone: .gray
    case .indexed: .indexed
    case .rgb: .rgb
    case .cmyk: .cmyk
    }
  }

  private var colorChannelCount: Int { model == .rgb ? 3 : model == .cmyk ? 4 : 1 }
  var usedChannelCount: Int { colorChannelCount + (hasAlpha ? 1 : 0) }
  var rowByteCount: Int { (size.width * bits + 7) / 8 }

  private static let stage = "header"

  /// - Throws: `corrupt`, `truncated`, `unsupportedType`.
  init(_ bytes: Span<UInt8>) throws(ImageDecodingError) {
    guard let version = bytes.bigEndian(at: 4, bytes: 2),
      let channelCount = bytes.bigEndian(at: 12, bytes: 2),
      let height = bytes.bigEndian(at: 14, bytes: 4), let width = bytes.bigEndian(at: 18, bytes: 4),
      let bits = bytes.bigEndian(at: 22, bytes: 2), let mode = bytes.bigEndian(at: 24, bytes: 2)
    else { throw .truncated(.psd, stage: Self.stage) }
    // The largest side of a large document.
    guard 1...300_000 ~= width, 1...300_000 ~= height, 1...56 ~= channelCount else {
      throw Self.corrupt("\(width)x\(height) pixels of \(channelCount) channels")
    }
    guard let model = Model(rawValue: mode), model == .bitmap ? bits == 1 : bits == 8 || bits == 16 else {
      throw .unsupportedType(.psd, reason: "it has \(bits) bits in colour mode \(mode)")
    }
    let isLarge = version == 2
    var position = 26
    func section(_ lengthByteCount: Int = 4) throws(ImageDecodingError) -> Range<Int> {
      // No file has a length of more than seven bytes.
      let length = bytes.bigEndian(
        at: position + lengthByteCount - min(lengthByteCount, 7), bytes: min(lengthByteCount, 7))
      let start = position + lengthByteCount
      guard let length, length <= bytes.count - start else { throw .truncated(.psd, stage: Self.stage) }
      position = start + length
      return start..<position
    }
    let colors = try section()
    resources = try section()
    let layers = try section(isLarge ? 8 : 4)
    pixelOffset = position
    size = PixelSize(width, height)
    self.bits = bits
    self.model = model
    self.channelCount = channelCount
    lengthByteCount = isLarge ? 4 : 2
    palette = model == .indexed ? bytes.copy(from: colors.lowerBound, byteCount: min(colors.count, 768)) : []
    guard model != .indexed || palette.count == 768 && bits == 8 else { throw Self.corrupt("no palette") }
    let colorChannelCount = model == .rgb ? 3 : model == .cmyk ? 4 : 1
    guard channelCount >= colorChannelCount else { throw Self.corrupt("\(channelCount) channels") }
    hasAlpha =
      channelCount > colorChannelCount && Self.isTransparent(bytes.extracting(layers), isLarge: isLarge)
  }

  /// Whether the section of the layers says that the first channel behind the colours is transparency: by a negative number
  /// of layers, or, where the layers have 16 bits and stand behind, by a block of its own.
  private static func isTransparent(_ layers: Span<UInt8>, isLarge: Bool) -> Bool {
    let lengthByteCount = isLarge ? 8 : 4
    guard let length = layers.bigEndian(at: lengthByteCount - 4, bytes: 4) else { return false }
    if length > 0 { return layers.byte(at: lengthByteCount).map { $0 >= 0x80 } ?? false }
    guard let maskLength = layers.bigEndian(at: lengthByteCount, bytes: 4) else { return false }
    var position = lengthByteCount + 4 + maskLength
    while layers.hasBytes("8BIM", at: position) || layers.hasBytes("8B64", at: position) {
      let name = String(decoding: layers.copy(from: position + 4, byteCount: 4), as: UTF8.self)
      if ["Mtrn", "Mt16", "Mt32"].contains(name) { return true }
      // Some blocks of a large document have a longer length.
      let isLong = isLarge && longBlocks.contains(name)
      guard let length = layers.bigEndian(at: position + (isLong ? 12 : 8), bytes: 4) else { return false }
      position += (isLong ? 16 : 12) + (length + 3) / 4 * 4
    }
    return false
  }

  private static let longBlocks: Set = [
    "LMsk", "Lr16", "Lr32", "Layr", "Alph", "FMsk", "lnk2", "FEid", "FXid", "PxSD",
  ]

  /// The colour of a pixel.
  ///
  /// - Parameter sample: the value of a channel.
  func color(_ sample: (Int) -> UInt16) -> SIMD4<UInt16> {
    let alpha = hasAlpha ? sample(colorChannelCount) : .max
    // Photoshop stores the channels of a transparent picture blended over white, which is the largest value also of an ink.
    func straight(_ channel: Int) -> UInt16 {
      let value = sample(channel)
      guard alpha > 0, alpha < .max else { return value }
      return UInt16(clamping: (Int(value) - Int(UInt16.max - alpha)) * 65_535 / Int(alpha))
    }
    var color: SIMD4<UInt16>
    switch model {
    case .bitmap, .gray, .duotone:
      let gray = straight(0)
      color = SIMD4(gray, gray, gray, alpha)
    case .indexed:
      let index = Int(sample(0) >> 8)
      color = SIMD4(red: palette[index], green: palette[256 + index], blue: palette[512 + index])
      color.w = alpha
    case .rgb: color = SIMD4(straight(0), straight(1), straight(2), alpha)
    case .cmyk:
      // Stored inverted: the largest value is no ink.
      let light = UInt32(straight(3))
      func mixed(_ channel: Int) -> UInt16 { UInt16((UInt32(straight(channel)) * light + 32_767) / 65_535) }
      color = SIMD4(mixed(0), mixed(1), mixed(2), alpha)
    }
    return color
  }

  private static func corrupt(_ reason: String) -> ImageDecodingError {
    .corrupt(.psd, stage: stage, reason: reason)
  }
}
