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

/// The header and the palette of a TGA (Truevision, version 2.0).
struct TGAHeader {
  private enum Kind: Int {
    case indexed = 1, color, gray
  }

  let size: PixelSize
  let isRunLengthCoded: Bool
  let isBottomUp: Bool
  let isRightToLeft: Bool
  let hasAlpha: Bool
  let pixelByteCount: Int
  let pixelOffset: Int
  private let kind: Kind
  private let palette: [SIMD4<UInt16>]
  private let firstIndex: Int

  var colorModel: ImageHeader.ColorModel {
    switch kind {
    case .indexed: .indexed
    case .color: .rgb
    case .gray: .gray
    }
  }

  /// - Throws: `corrupt`, `truncated`, `unsupportedType`.
  init(_ bytes: Span<UInt8>) throws(ImageDecodingError) {
    guard bytes.count >= 18, let firstIndex = bytes.littleEndian(at: 3, bytes: 2),
      let colorCount = bytes.littleEndian(at: 5, bytes: 2),
      let width = bytes.littleEndian(at: 12, bytes: 2), let height = bytes.littleEndian(at: 14, bytes: 2)
    else { throw .truncated(.tga, stage: "header") }
    let (hasPalette, method, bits, flags) = (bytes[1] == 1, bytes[2], Int(bytes[16]), bytes[17])
    guard flags & 0xC0 == 0 else { throw .unsupportedType(.tga, reason: "its rows are interleaved") }
    let alphaBits = Int(flags & 15)
    guard let kind = Kind(rawValue: Int(method & ~8)), width > 0, height > 0 else {
      throw Self.corrupt("\(width)x\(height) pixels of kind \(method)")
    }
    let entryBits = Int(bytes[7])
    let possible: [Int] =
      switch kind {
      case .indexed: hasPalette ? [8, 16] : []
      case .color: [15, 16, 24, 32]
      case .gray: [8, 16]
      }
    guard possible.contains(bits), !hasPalette || [15, 16, 24, 32].contains(entryBits) else {
      throw Self.corrupt("pixels of \(bits) bits")
    }
    self.kind = kind
    self.firstIndex = firstIndex
    size = PixelSize(width, height)
    isRunLengthCoded = method & 8 != 0
    isBottomUp = flags & 0x20 == 0
    isRightToLeft = flags & 0x10 != 0
    pixelByteCount = (bits + 7) / 8
    let entryByteCount = (entryBits + 7) / 8
    let start = 18 + Int(bytes[0])
    pixelOffset = start + (hasPalette ? colorCount * entryByteCount : 0)
    guard pixelOffset <= bytes.count else { throw .truncated(.tga, stage: "palette") }
    let colorBits = kind == .indexed ? entryBits : bits
    hasAlpha =
      alphaBits > 0 && (colorBits == 32 || colorBits == 16)
      || kind == .color && bits == 32 && Self.usesFourthByte(bytes, isRunLengthCoded, from: pixelOffset)
    var palette: [SIMD4<UInt16>] = []
    if kind == .indexed {
      for index in 0..<colorCount {
        let value = bytes.littleEndian(at: start + index * entryByteCount, bytes: entryByteCount) ?? 0
        palette.append(Self.color(value, bits: entryBits, hasAlpha: hasAlpha))
      }
    }
    self.palette = palette
  }

  /// The colour of the value of a pixel; black for an index that the palette does not have.
  func color(_ value: Int) -> SIMD4<UInt16> {
    switch kind {
    case .indexed:
      return palette.element(at: value - firstIndex) ?? SIMD4(red: 0, green: 0, blue: 0)
    case .color: return Self.color(value, bits: pixelByteCount * 8, hasAlpha: hasAlpha)
    case .gray:
      let gray = UInt8(truncatingIfNeeded: value)
      return SIMD4(
        red: gray, green: gray, blue: gray, alpha: hasAlpha ? UInt8(truncatingIfNeeded: value >> 8) : 255)
    }
  }

  private static func color(_ value: Int, bits: Int, hasAlpha: Bool) -> SIMD4<UInt16> {
    if bits >= 24 {
      let word = UInt32(truncatingIfNeeded: value)
      return SIMD4(
        red: UInt8(word >> 16 & 0xFF), green: UInt8(word >> 8 & 0xFF), blue: UInt8(word & 0xFF),
        alpha: hasAlpha ? UInt8(word >> 24) : 255)
    }
    func fiveBits(_ shift: Int) -> UInt8 { UInt8((value >> shift & 31) * 255 / 31) }
    return SIMD4(
      red: fiveBits(10), green: fiveBits(5), blue: fiveBits(0),
      alpha: hasAlpha && value & 0x8000 == 0 ? 0 : 255)
  }

  /// Whether the fourth byte of any pixel is not 0. Some programs write alpha without a word in the header, others fill pixels of
  /// 32 bits up with zeros.
  ///
  /// - Complexity: O(bytes) if none is; else it ends at the first.
  private static func usesFourthByte(_ bytes: Span<UInt8>, _ isRunLengthCoded: Bool, from offset: Int) -> Bool
  {
    var position = offset
    while position < bytes.count {
      var count = 1
      if isRunLengthCoded {
        let head = bytes[position]
        position += 1
        if head & 0x80 == 0 { count += Int(head) }
      }
      for _ in 0..<count {
        guard let fourth = bytes.byte(at: position + 3) else { return false }
        if fourth != 0 { return true }
        position += 4
      }
    }
    return false
  }

  private static func corrupt(_ reason: String) -> ImageDecodingError {
    .corrupt(.tga, stage: "header", reason: reason)
  }
}
