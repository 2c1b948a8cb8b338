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

  let alpha: Alpha

  /// Makes a decoder.
  public init() { alpha = .premultiplied }

  package init(alpha: Alpha) { self.alpha = alpha }

  /// PSD.
  public var types: [ImageType] { [.psd] }

  func contents(_ bytes: Span<UInt8>) throws(ImageDecodingError) -> SampleContents {
    let details = try PSDHeader(bytes)
    var metadata = ImageMetadata()
    var profile: ICCProfile?
    var dotsPerInch: Double?
    var isMerged = true
    let section = bytes.extracting(details.resources)
    let resources = PhotoshopResources(section)
    for (number, range) in resources.contents {
      let content = section.extracting(range)
      switch number {
      case 1005: dotsPerInch = content.bigEndian(at: 0, bytes: 4).map { Double($0) / 65_536 }
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
    header.add(statedDotsPerInch: dotsPerInch)
    if details.model == .cmyk { header.notes.append("inks are converted without a profile") }
    metadata.complete(with: header, iptcDigest: resources.digest)
    return SampleContents(
      header: header, rows: try PSDRows(details, bytes), metadata: metadata,
      unreadReason: isMerged ? nil : Self.unmerged)
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

  /// The bytes of a row in the file.
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
