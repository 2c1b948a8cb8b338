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
  /// The samples of the 256 values of a byte, where raw pixels are bytes.
  private let samplesOfBytes: [UInt16]?
  private var position: Int

  init(_ header: PNMHeader) {
    self.header = header
    let areBytes = !header.isPlain && !header.isBitmap && header.largest <= 255
    samplesOfBytes = areBytes ? (0...255).map(header.sample) : nil
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
    if let samplesOfBytes {
      readBytes(bytes.extracting(position..<position + rowByteCount), samplesOfBytes, into: &row)
      position += rowByteCount
      return true
    }
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

  /// A row of bytes: the usual files, read in a sixth of the time.
  private func readBytes(
    _ bytes: borrowing Span<UInt8>, _ samples: [UInt16], into row: inout [SIMD4<UInt16>]
  ) {
    var index = 0
    for x in row.indices {
      let first = samples[Int(bytes[index])]
      switch header.channelCount {
      case 1: row[x] = SIMD4(first, first, first, .max)
      case 2: row[x] = SIMD4(first, first, first, samples[Int(bytes[index + 1])])
      case 3: row[x] = SIMD4(first, samples[Int(bytes[index + 1])], samples[Int(bytes[index + 2])], .max)
      default:
        row[x] = SIMD4(
          first, samples[Int(bytes[index + 1])], samples[Int(bytes[index + 2])],
          samples[Int(bytes[index + 3])])
      }
      index += header.channelCount
    }
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

/// The header of a file of Netpbm.
struct PNMHeader {
  let size: PixelSize
  /// 1 for grey, 2 with alpha, 3 for colours, 4 with alpha.
  let channelCount: Int
  /// The value of white; 1 to 65,535.
  let largest: Int
  /// Whether values are written in decimal digits.
  let isPlain: Bool
  /// Whether pixels are bits, of which 1 is black.
  let isBitmap: Bool
  let pixelOffset: Int

  var hasAlpha: Bool { channelCount == 2 || channelCount == 4 }

  /// - Throws: `corrupt`, `truncated`, `unsupportedType`.
  init(_ bytes: Span<UInt8>) throws(ImageDecodingError) {
    guard bytes.byte(at: 0) == 0x50, let digit = bytes.byte(at: 1), 0x31...0x37 ~= digit else {
      throw Self.corrupt("it does not begin with P1 to P7")
    }
    let kind = Int(digit - 0x30)
    var position = 2
    let width: Int
    let height: Int
    if kind == 7 {
      let fields = try Self.fields(bytes, &position)
      (width, height) = (fields.width, fields.height)
      (channelCount, largest) = (fields.depth, fields.largest)
      guard 1...4 ~= channelCount else {
        throw .unsupportedType(.pnm, reason: "it has \(channelCount) channels")
      }
      guard !fields.hasInks else { throw .unsupportedType(.pnm, reason: "it is CMYK in PAM") }
    } else {
      width = try Self.field(bytes, &position)
      height = try Self.field(bytes, &position)
      largest = kind == 1 || kind == 4 ? 1 : try Self.field(bytes, &position)
      channelCount = kind == 3 || kind == 6 ? 3 : 1
      // One space ends the header: the next byte is a pixel, also if it looks like a space.
      position += 1
    }
    guard width > 0, height > 0 else { throw Self.corrupt("a size of \(width)x\(height)") }
    guard 1...65_535 ~= largest else { throw Self.corrupt("a largest value of \(largest)") }
    guard position <= bytes.count else { throw .truncated(.pnm, stage: Self.stage) }
    size = PixelSize(width, height)
    isPlain = kind <= 3
    isBitmap = kind == 1 || kind == 4
    pixelOffset = position
  }

  /// A value in 16 bits, rounded. Values up to 255 are those of 8 bits exactly.
  func sample(_ value: Int) -> UInt16 {
    let value = min(value, largest)
    if isBitmap { return value == 0 ? .max : 0 }
    if largest > 255 { return UInt16((value * 65_535 + largest / 2) / largest) }
    return UInt16((value * 255 + largest / 2) / largest) * 257
  }

  private static let stage = "header"
  /// No number of a header or a pixel has more digits; sums and products of a few such numbers fit into an `Int`.
  private static let longestNumber = 9

  static func corrupt(_ reason: String) -> ImageDecodingError { .corrupt(.pnm, stage: stage, reason: reason) }

  /// Skips spaces and comments, which extend to the end of their line.
  static func skipSpace(_ bytes: Span<UInt8>, _ position: inout Int) {
    var isComment = false
    while let byte = bytes.byte(at: position) {
      if isComment {
        isComment = byte != 0x0A && byte != 0x0D
      } else if byte == 0x23 {
        isComment = true
      } else if byte != 0x20, !(0x09...0x0D ~= byte) {
        return
      }
      position += 1
    }
  }

  /// A decimal number at a position; `nil` at the end of the file.
  static func number(_ bytes: Span<UInt8>, _ position: inout Int) throws(ImageDecodingError) -> Int? {
    let start = position
    var value = 0
    while let byte = bytes.byte(at: position), 0x30...0x39 ~= byte {
      guard position - start < longestNumber else { throw corrupt("a number that is too long") }
      value = value * 10 + Int(byte - 0x30)
      position += 1
    }
    if position > start { return value }
    guard position >= bytes.count else { throw corrupt("a character that is no digit") }
    return nil
  }

  private static func field(_ bytes: Span<UInt8>, _ position: inout Int) throws(ImageDecodingError) -> Int {
    skipSpace(bytes, &position)
    guard let value = try number(bytes, &position) else { throw .truncated(.pnm, stage: stage) }
    return value
  }

  /// The lines of a PAM, up to `ENDHDR`. The kind of tuples follows from their depth, except that four channels may be inks.
  private static func fields(
    _ bytes: Span<UInt8>, _ position: inout Int
  ) throws(ImageDecodingError) -> (width: Int, height: Int, depth: Int, largest: Int, hasInks: Bool) {
    var (width, height, depth, largest) = (0, 0, 0, 0)
    var hasInks = false
    while true {
      switch try word(bytes, &position) {
      case "WIDTH": width = try field(bytes, &position)
      case "HEIGHT": height = try field(bytes, &position)
      case "DEPTH": depth = try field(bytes, &position)
      case "MAXVAL": largest = try field(bytes, &position)
      case "TUPLTYPE": hasInks = try word(bytes, &position).hasPrefix("CMYK")
      case "ENDHDR":
        position += 1
        return (width, height, depth, largest, hasInks)
      default: while let byte = bytes.byte(at: position), byte != 0x0A { position += 1 }
      }
    }
  }

  /// The next word of a header, of which 16 bytes are read.
  private static func word(
    _ bytes: Span<UInt8>, _ position: inout Int
  ) throws(ImageDecodingError) -> String {
    skipSpace(bytes, &position)
    let start = position
    while let byte = bytes.byte(at: position), byte > 0x20 { position += 1 }
    if position == start { throw .truncated(.pnm, stage: stage) }
    return String(decoding: bytes.copy(from: start, byteCount: min(position - start, 16)), as: UTF8.self)
  }
}
