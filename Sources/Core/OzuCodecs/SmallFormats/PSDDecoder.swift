import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decodes the flattened picture of a Photoshop document (PSD and PSB), in Swift: bitmaps, grey, indexed, RGB and CMYK, of 8
/// and 16 bits, plain or packed. Layers are not read.
///
/// CMYK is converted to RGB without its profile.
public struct PSDDecoder: ImageDecoding {
  /// As for other formats.
  private static let longestProfile = 4 << 20
  private static let unmerged = "it was saved without a picture of all its layers"

  private let alpha: Alpha

  /// Makes a decoder.
  public init() { alpha = .premultiplied }

  package init(alpha: Alpha) { self.alpha = alpha }

  /// PSD.
  public var types: [ImageType] { [.psd] }

  /// Opens a file: reads its header and its metadata.
  ///
  /// - Throws: `corrupt`, `truncated`, `unsupportedType`.
  public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
    let bytes = data.span
    let details = try PSDHeader(bytes)
    var metadata = ImageMetadata()
    var profile: ICCProfile?
    var dotsPerInch: Double?
    var iptcDigest: [UInt8]?
    var isMerged = true
    for (kind, place) in details.resources(bytes) {
      let content = bytes.extracting(place)
      switch kind {
      case 1005: dotsPerInch = content.bigEndian(at: 0, bytes: 4).map { Double($0) / 65_536 }
      case 1039 where details.model != .cmyk && place.count <= Self.longestProfile:
        profile = ICCProfile(Data(content.copy(from: 0, byteCount: place.count)))
      case 1028: metadata.add(iptc: Data(content.copy(from: 0, byteCount: place.count)))
      // Without a picture of all layers, the document has a white one in its place.
      case 1057: isMerged = content.byte(at: 4) != 0
      case 1058: metadata.add(exif: content)
      case 1060: metadata.add(xmp: content)
      case 1061: iptcDigest = content.copy(from: 0, byteCount: place.count)
      default: break
      }
    }
    var header = ImageHeader(
      type: .psd, storedSize: details.size, bitsPerComponent: details.bits == 16 ? 16 : 8,
      colorModel: details.colorModel, hasAlpha: details.hasAlpha, colorProfileName: profile?.name,
      colorEncoding: profile.map(ColorEncoding.profile), dotsPerInch: dotsPerInch)
    if details.model == .cmyk { header.notes.append("inks are converted without a profile") }
    if !isMerged { header.noteUnread(Self.unmerged) }
    metadata.complete(with: header, iptcDigest: iptcDigest)
    let rows = try PSDRows(details, bytes, unreadReason: isMerged ? nil : Self.unmerged)
    return SampleFile(data, header, alpha: alpha, metadata: metadata) { rows }
  }
}

/// Reads the pixels: all rows of a channel, then those of the next.
private struct PSDRows: SampleRowReading {
  private let header: PSDHeader
  /// Why the pixels are not read.
  private let unreadReason: String?
  private let isPacked: Bool
  /// The positions of the next row in the channels that are used.
  private var positions: [Int] = []
  /// The lengths of the packed rows of all channels, in the file.
  private let lengths: Int
  private var y = 0
  /// Whether a row was missing: then channels may stand at different rows, and all further ones are missing.
  private var hasEnded = false
  private var samples: [[UInt8]]

  init(
    _ header: PSDHeader, _ bytes: Span<UInt8>, unreadReason: String? = nil
  ) throws(ImageDecodingError) {
    self.header = header
    self.unreadReason = unreadReason
    guard let method = bytes.bigEndian(at: header.pixelOffset, bytes: 2) else {
      throw .truncated(.psd, stage: "pixels")
    }
    guard method <= 1 else { throw .unsupportedType(.psd, reason: "its picture is deflated") }
    isPacked = method == 1
    lengths = header.pixelOffset + 2
    samples = Array(repeating: [], count: header.usedChannelCount)
    let start = lengths + (isPacked ? header.channelCount * header.size.height * header.lengthByteCount : 0)
    var next = start
    for _ in 0..<header.usedChannelCount {
      positions.append(next)
      if isPacked {
        for row in 0..<header.size.height {
          guard let length = length(bytes, row: row + (positions.count - 1) * header.size.height) else {
            throw .truncated(.psd, stage: "pixels")
          }
          next += length
        }
      } else {
        next += header.rowByteCount * header.size.height
      }
    }
  }

  private func length(_ bytes: Span<UInt8>, row: Int) -> Int? {
    bytes.bigEndian(at: lengths + row * header.lengthByteCount, bytes: header.lengthByteCount)
  }

  mutating func readRow(_ bytes: Span<UInt8>, into row: inout [SIMD4<UInt16>]) throws(ImageDecodingError)
    -> Bool
  {
    if let unreadReason { throw .unsupportedType(.psd, reason: unreadReason) }
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
      if isPacked {
        guard let length = length(bytes, row: y + channel * header.size.height) else { return false }
        positions[channel] += length
        guard length <= bytes.count - position else { return false }
        samples[channel] = try unpacked(bytes.extracting(position..<position + length))
      } else {
        positions[channel] += header.rowByteCount
        guard header.rowByteCount <= bytes.count - position else { return false }
        samples[channel] = bytes.copy(from: position, byteCount: header.rowByteCount)
      }
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

  /// PackBits; `nil` if the row has too few bytes.
  private func unpacked(_ bytes: Span<UInt8>) throws(ImageDecodingError) -> [UInt8] {
    var row: [UInt8] = []
    row.reserveCapacity(header.rowByteCount)
    var position = 0
    while row.count < header.rowByteCount, let code = bytes.byte(at: position) {
      if code < 128 {
        row += bytes.copy(from: position + 1, byteCount: Int(code) + 1)
        position += Int(code) + 2
      } else {
        if code > 128, let byte = bytes.byte(at: position + 1) {
          row += repeatElement(byte, count: 257 - Int(code))
        }
        position += code > 128 ? 2 : 1
      }
    }
    guard row.count >= header.rowByteCount else {
      throw .corrupt(.psd, stage: "pixels", reason: "a packed row that is too short")
    }
    return row
  }
}
