import OzuImaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Decodes Truevision TGA, in Swift: indexed, coloured and grey, plain and run-length coded, of 8, 15, 16, 24 and 32 bits,
/// from each of the four corners.
///
/// Pixels are transparent if the file says that it has bits for that, and if those of 32 bits have a fourth byte that is not always 0.
public struct TGADecoder: ImageDecoding {
  private let alpha: Alpha

  /// Makes a decoder.
  public init() { alpha = .premultiplied }

  package init(alpha: Alpha) { self.alpha = alpha }

  /// TGA.
  public var types: [ImageType] { [.tga] }

  /// Opens a file: reads its header and its palette.
  ///
  /// - Throws: `corrupt`, `truncated`, `unsupportedType`.
  public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
    let details = try TGAHeader(data.span)
    let header = ImageHeader(
      type: .tga, storedSize: details.size, colorModel: details.colorModel, hasAlpha: details.hasAlpha)
    return SampleFile(data, header, alpha: alpha, isBottomUp: details.isBottomUp) { TGARows(details) }
  }
}

/// Reads the pixels. A packet of a run-length coded file may go on in the next row.
private struct TGARows: SampleRowReading {
  private let header: TGAHeader
  private var position: Int
  /// The pixels that are left of a packet.
  private var packetLength = 0
  /// The pixel that the packet repeats.
  private var repeated: SIMD4<UInt16>?

  init(_ header: TGAHeader) {
    self.header = header
    position = header.pixelOffset
  }

  mutating func readRow(_ bytes: Span<UInt8>, into row: inout [SIMD4<UInt16>]) throws(ImageDecodingError)
    -> Bool
  {
    let last = row.count - 1
    for index in row.indices {
      guard let pixel = header.isRunLengthCoded ? packedPixel(bytes) : pixel(bytes) else { return false }
      row[header.isRightToLeft ? last - index : index] = pixel
    }
    return true
  }

  private mutating func packedPixel(_ bytes: Span<UInt8>) -> SIMD4<UInt16>? {
    if packetLength == 0 {
      guard let head = bytes.byte(at: position) else { return nil }
      position += 1
      packetLength = Int(head & 0x7F) + 1
      repeated = nil
      if head & 0x80 != 0 {
        guard let pixel = pixel(bytes) else { return nil }
        repeated = pixel
      }
    }
    packetLength -= 1
    return repeated ?? pixel(bytes)
  }

  private mutating func pixel(_ bytes: Span<UInt8>) -> SIMD4<UInt16>? {
    guard let value = bytes.littleEndian(at: position, bytes: header.pixelByteCount) else { return nil }
    position += header.pixelByteCount
    return header.color(value)
  }
}
