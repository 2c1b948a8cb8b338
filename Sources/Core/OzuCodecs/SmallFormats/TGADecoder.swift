import OzuBase
import OzuImaging

/// Decodes Truevision TGA, in Swift: indexed, coloured and grey, plain and run-length coded, of 8, 15, 16, 24 and 32 bits,
/// from each of the four corners; and plain black and white of 1 bit.
///
/// Pixels are transparent if the file says that it has bits for that, and if those of 32 bits have a fourth byte that is not always 0.
public struct TGADecoder: SampleDecoding {
  /// Makes a decoder.
  public init() {}

  /// TGA.
  public var types: [ImageType] { [.tga] }

  func contents(_ bytes: Span<UInt8>) throws(ImageDecodingError) -> SampleContents {
    let rows = try TGARows(bytes)
    let header = ImageHeader(
      type: .tga, storedSize: rows.size, colorModel: rows.model, hasAlpha: rows.hasAlpha)
    return SampleContents(header: header, rows: rows, isBottomUp: rows.isBottomUp)
  }
}

/// Reads the header, the palette and then the pixels of a TGA (Truevision, version 2.0). A packet of a run-length coded file
/// may go on in the next row.
private struct TGARows: SampleRowReading {
  private static let models: [UInt8: ImageHeader.ColorModel] = [1: .indexed, 2: .rgb, 3: .gray]
  private static let colorBits = [15, 16, 24, 32]
  private static let indexBits = [8, 16]

  let size: PixelSize
  let model: ImageHeader.ColorModel
  let isBottomUp: Bool
  private(set) var hasAlpha: Bool
  private let isRightToLeft: Bool
  private let isRunLengthCoded: Bool
  private let isBilevel: Bool
  private let pixelByteCount: Int
  private var palette: [SIMD4<UInt16>] = []
  private let firstIndex: Int
  private var position: Int
  /// The pixels that are left of a packet.
  private var packetLength = 0
  /// The value that the packet repeats.
  private var repeated: Int?

  /// - Throws: `corrupt`, `truncated`, `unsupportedType`.
  init(_ bytes: Span<UInt8>) throws(ImageDecodingError) {
    guard bytes.count >= 18, let firstIndex = bytes.littleEndian(at: 3, bytes: 2),
      let colorCount = bytes.littleEndian(at: 5, bytes: 2),
      let width = bytes.littleEndian(at: 12, bytes: 2), let height = bytes.littleEndian(at: 14, bytes: 2)
    else { throw .truncated(.tga, stage: "header") }
    let (hasPalette, method, bits, flags) = (bytes[1] == 1, bytes[2], Int(bytes[16]), bytes[17])
    guard flags & 0xC0 == 0 else { throw .unsupportedType(.tga, reason: "its rows are interleaved") }
    guard let model = Self.models[method & ~8], width > 0, height > 0 else {
      throw .corrupt(.tga, stage: "header", reason: "\(width)x\(height) pixels of kind \(method)")
    }
    let entryBits = Int(bytes[7])
    isBilevel = bits == 1 && method == 3
    guard isBilevel || (model == .rgb ? Self.colorBits : Self.indexBits).contains(bits),
      model != .indexed || hasPalette,
      !hasPalette || Self.colorBits.contains(entryBits)
    else { throw .corrupt(.tga, stage: "header", reason: "pixels of \(bits) bits") }
    self.model = model
    self.firstIndex = firstIndex
    size = PixelSize(width, height)
    isRunLengthCoded = method & 8 != 0
    isBottomUp = flags & 0x20 == 0
    isRightToLeft = flags & 0x10 != 0
    pixelByteCount = (bits + 7) / 8
    let entryByteCount = (entryBits + 7) / 8
    let start = 18 + Int(bytes[0])
    position = start + (hasPalette ? colorCount * entryByteCount : 0)
    guard position <= bytes.count else { throw .truncated(.tga, stage: "palette") }
    hasAlpha = flags & 15 > 0 && [16, 32].contains(model == .indexed ? entryBits : bits)
    if model == .rgb, bits == 32 { hasAlpha = hasAlpha || usesFourthByte(bytes) }
    for index in 0..<(model == .indexed ? colorCount : 0) {
      let value = bytes.littleEndian(at: start + index * entryByteCount, bytes: entryByteCount) ?? 0
      palette.append(color(value, bits: entryBits))
    }
  }

  mutating func readRow(_ bytes: Span<UInt8>, into row: inout [SIMD4<UInt16>]) throws(ImageDecodingError)
    -> Bool
  {
    let last = row.count - 1
    if isBilevel {
      // The highest bit of a byte is the first pixel, and each row begins with a byte.
      for index in row.indices {
        guard let byte = bytes.byte(at: position + index / 8) else { return false }
        row[isRightToLeft ? last - index : index] = color(byte >> UInt8(7 - index % 8) & 1 == 1 ? 255 : 0)
      }
      position += (row.count + 7) / 8
      return true
    }
    for index in row.indices {
      guard let value = nextValue(bytes) else { return false }
      row[isRightToLeft ? last - index : index] = color(value)
    }
    return true
  }

  private mutating func nextValue(_ bytes: Span<UInt8>) -> Int? {
    if isRunLengthCoded {
      if packetLength == 0 {
        guard let head = bytes.byte(at: position) else { return nil }
        position += 1
        packetLength = Int(head & 0x7F) + 1
        repeated = head & 0x80 == 0 ? nil : storedValue(bytes)
        if head & 0x80 != 0, repeated == nil { return nil }
      }
      packetLength -= 1
      if let repeated { return repeated }
    }
    return storedValue(bytes)
  }

  private mutating func storedValue(_ bytes: Span<UInt8>) -> Int? {
    defer { position += pixelByteCount }
    return bytes.littleEndian(at: position, bytes: pixelByteCount)
  }

  /// The colour of the value of a pixel; black for an index that the palette does not have.
  private func color(_ value: Int) -> SIMD4<UInt16> {
    if model == .rgb { return color(value, bits: pixelByteCount * 8) }
    let black = SIMD4<UInt16>(red: 0, green: 0, blue: 0)
    if model == .indexed { return palette.element(at: value - firstIndex) ?? black }
    let gray = UInt8(truncatingIfNeeded: value)
    return SIMD4(
      red: gray, green: gray, blue: gray, alpha: hasAlpha ? UInt8(truncatingIfNeeded: value >> 8) : 255)
  }

  private func color(_ value: Int, bits: Int) -> SIMD4<UInt16> {
    func byte(_ shift: Int) -> UInt8 { UInt8(truncatingIfNeeded: value >> shift) }
    func fiveBits(_ shift: Int) -> UInt8 { UInt8((value >> shift & 31) * 255 / 31) }
    if bits < 24 {
      return SIMD4(
        red: fiveBits(10), green: fiveBits(5), blue: fiveBits(0),
        alpha: hasAlpha && value & 0x8000 == 0 ? 0 : 255)
    }
    return SIMD4(red: byte(16), green: byte(8), blue: byte(0), alpha: hasAlpha ? byte(24) : 255)
  }

  /// Whether the fourth byte of any pixel is not 0. Some programs write alpha without a word in the header, others fill pixels of
  /// 32 bits up with zeros.
  ///
  /// - Complexity: O(bytes) if none is; else it ends at the first.
  private func usesFourthByte(_ bytes: Span<UInt8>) -> Bool {
    var (reader, left) = (self, size.pixelCount)
    while left > 0, let value = reader.nextValue(bytes) {
      if value > 0xFF_FFFF { return true }
      // The others that a packet repeats are equal.
      let equal = reader.repeated == nil ? 0 : reader.packetLength
      reader.packetLength -= equal
      left -= 1 + equal
    }
    return false
  }
}
