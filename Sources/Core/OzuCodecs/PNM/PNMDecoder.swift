import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decodes the portable formats of Netpbm, in Swift: bitmaps, graymaps and pixmaps, plain (P1 to P3) and raw (P4 to P6),
/// and PAM (P7) of one to four channels; 1 to 16 bits.
///
/// Of several pictures in a file the first is read. Values are taken as sRGB, as all programs do.
public struct PNMDecoder: ImageDecoding {
  private let alpha: Alpha

  /// Makes a decoder.
  public init() { alpha = .premultiplied }

  package init(alpha: Alpha) { self.alpha = alpha }

  /// PNM.
  public var types: [ImageType] { [.pnm] }

  /// Opens a file: reads its header.
  ///
  /// - Throws: `corrupt`, `truncated`, `unsupportedType`.
  public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
    let details = try PNMHeader(data.span)
    let header = ImageHeader(
      type: .pnm, storedSize: details.size, bitsPerComponent: details.largest > 255 ? 16 : 8,
      colorModel: details.channelCount < 3 ? .gray : .rgb, hasAlpha: details.hasAlpha)
    return SampleFile(data, header, alpha: alpha) { PNMRows(details) }
  }
}

/// Reads the pixels behind the header.
private struct PNMRows: SampleRowReading {
  private let header: PNMHeader
  private var position: Int

  init(_ header: PNMHeader) {
    self.header = header
    position = header.pixelOffset
  }

  mutating func readRow(_ bytes: Span<UInt8>, into row: inout [SIMD4<UInt16>]) throws(ImageDecodingError)
    -> Bool
  {
    let sampleByteCount = header.largest > 255 ? 2 : 1
    let rowByteCount =
      header.isBitmap
      ? (header.size.width + 7) / 8 : header.size.width * header.channelCount * sampleByteCount
    if !header.isPlain, rowByteCount > bytes.count - position { return false }
    for x in row.indices {
      var samples = SIMD4<UInt16>(repeating: .max)
      for channel in 0..<header.channelCount {
        let value: Int?
        if header.isPlain {
          value = try plainValue(bytes)
        } else if header.isBitmap {
          value = bytes.byte(at: position + x / 8).map { Int($0 >> UInt8(7 - x % 8) & 1) }
        } else {
          value = bytes.bigEndian(
            at: position + (x * header.channelCount + channel) * sampleByteCount, bytes: sampleByteCount)
        }
        guard let value else { return false }
        samples[channel] = header.sample(value)
      }
      switch header.channelCount {
      case 1: row[x] = SIMD4(samples.x, samples.x, samples.x, .max)
      case 2: row[x] = SIMD4(samples.x, samples.x, samples.x, samples.y)
      default: row[x] = samples
      }
    }
    if !header.isPlain { position += rowByteCount }
    return true
  }

  /// The next value of a plain file. Digits of a bitmap need no space between them.
  private mutating func plainValue(_ bytes: Span<UInt8>) throws(ImageDecodingError) -> Int? {
    PNMHeader.skipSpace(bytes, &position)
    guard header.isBitmap else { return try PNMHeader.number(bytes, &position) }
    guard let digit = bytes.byte(at: position) else { return nil }
    guard digit == 0x30 || digit == 0x31 else { throw PNMHeader.corrupt("a pixel that is neither 0 nor 1") }
    position += 1
    return Int(digit - 0x30)
  }
}
