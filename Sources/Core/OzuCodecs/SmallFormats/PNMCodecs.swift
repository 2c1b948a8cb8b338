import OzuBase
import OzuImaging

/// Decodes the portable formats of Netpbm, in Swift: bitmaps, graymaps and pixmaps, plain (P1 to P3) and raw (P4 to P6),
/// and PAM (P7) of one to four channels; 1 to 16 bits.
///
/// Of several pictures in a file the first is read. Values are taken as sRGB, as all programs do.
public struct PNMDecoder: SampleDecoding {
  /// Makes a decoder.
  public init() {}

  /// PNM.
  public var types: [ImageType] { [.pnm] }

  func contents(_ bytes: Span<UInt8>) throws(ImageDecodingError) -> SampleContents {
    let rows = try PNMRows(bytes)
    let header = ImageHeader(
      type: .pnm, storedSize: rows.size, bitsPerComponent: rows.largest > 255 ? 16 : 8,
      colorModel: rows.channelCount < 3 ? .gray : .rgb, hasAlpha: rows.hasAlpha)
    return SampleContents(header: header, rows: rows)
  }
}

private struct PNMRows: SampleRowReading {
  let size: PixelSize
  /// 1 for grey, 2 with alpha, 3 for colours, 4 with alpha.
  let channelCount: Int
  /// The value of white; 1 to 65,535.
  let largest: Int
  /// Whether values are written in decimal digits.
  private let isPlain: Bool
  /// Whether pixels are bits, of which 1 is black.
  private let isBitmap: Bool
  /// The values of 8 bits for those of the file, where white is another value than 255.
  private var levels: [UInt8] = []
  private var text = PNMText()

  var hasAlpha: Bool { channelCount == 2 || channelCount == 4 }
  private var sampleBitCount: Int { isBitmap ? 1 : largest > 255 ? 16 : 8 }
  private var rowByteCount: Int { (size.width * channelCount * sampleBitCount + 7) / 8 }

  /// - Throws: `corrupt`, `truncated`, `unsupportedType`.
  init(_ bytes: Span<UInt8>) throws(ImageDecodingError) {
    guard bytes.byte(at: 0) == 0x50, let digit = bytes.byte(at: 1), 0x31...0x37 ~= digit else {
      throw PNMText.corrupt("it does not begin with P1 to P7")
    }
    isPlain = digit <= 0x33
    isBitmap = digit == 0x31 || digit == 0x34
    var fields = ["DEPTH": digit == 0x33 || digit == 0x36 ? 3 : 1, "MAXVAL": 1]
    if digit == 0x37 {
      fields = try text.fields(bytes)
    } else {
      for name in ["WIDTH", "HEIGHT"] + (isBitmap ? [] : ["MAXVAL"]) { fields[name] = try text.field(bytes) }
    }
    text.endHeader(bytes)
    size = PixelSize(fields["WIDTH"] ?? 0, fields["HEIGHT"] ?? 0)
    channelCount = fields["DEPTH"] ?? 0
    largest = fields["MAXVAL"] ?? 0
    guard 1...4 ~= channelCount else {
      throw .unsupportedType(.pnm, reason: "it has \(channelCount) channels")
    }
    guard size.width > 0, size.height > 0 else { throw PNMText.corrupt("a size of \(size)") }
    guard 1...65_535 ~= largest else { throw PNMText.corrupt("a largest value of \(largest)") }
    guard text.position <= bytes.count else { throw .truncated(.pnm, stage: PNMText.stage) }
    if largest < 255 { levels = (0...255).map { UInt8(truncatingIfNeeded: sample($0)) } }
  }

  mutating func readRow(_ bytes: Span<UInt8>, into row: inout [SIMD4<UInt16>]) throws(ImageDecodingError)
    -> Bool
  {
    guard isPlain || rowByteCount <= bytes.count - text.position else { return false }
    for x in row.indices {
      var samples = SIMD4<UInt16>(repeating: .max)
      for channel in 0..<channelCount {
        guard let value = try value(x * channelCount + channel, bytes) else { return false }
        samples[channel] = sample(value)
      }
      row[x] = channelCount < 3 ? SIMD4(samples.x, samples.x, samples.x, samples.y) : samples
    }
    if !isPlain { text.position += rowByteCount }
    return true
  }

  /// A row of bytes: the usual files.
  mutating func readWords(_ bytes: Span<UInt8>, into row: inout MutableSpan<UInt32>) -> Bool? {
    guard !isPlain, !isBitmap, largest <= 255 else { return nil }
    guard rowByteCount <= bytes.count - text.position else { return false }
    let bytes = bytes.extracting(text.position..<text.position + rowByteCount)
    text.position += rowByteCount
    let (green, blue) = channelCount < 3 ? (0, 0) : (1, 2)
    let isScaled = largest < 255
    func level(_ index: Int) -> UInt8 { isScaled ? levels[Int(bytes[index])] : bytes[index] }
    // Colours four bytes at a time, in a third of the time; the fourth belongs to the next pixel, which the last has not. The
    // load checks its bounds, and any bytes are a number.
    let whole = channelCount == 3 && !isScaled ? row.count - 1 : 0
    for x in 0..<whole {
      let colors = UInt32(bigEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: 3 * x, as: UInt32.self))
      row[x] = (colors >> 8 | PixelCanvas.opaqueBlack).littleEndian
    }
    var first = whole * channelCount
    for x in whole..<row.count {
      row[x] =
        PixelCanvas.word(
          red: level(first), green: level(first + green), blue: level(first + blue),
          alpha: hasAlpha ? level(first + channelCount - 1) : 255
        ).littleEndian
      first += channelCount
    }
    return true
  }

  /// A value of the row; `nil` at the end of the file.
  private mutating func value(_ index: Int, _ bytes: Span<UInt8>) throws(ImageDecodingError) -> Int? {
    if isPlain { return try isBitmap ? text.bit(bytes) : text.number(bytes) }
    guard isBitmap else {
      return bytes.bigEndian(at: text.position + index * sampleBitCount / 8, bytes: sampleBitCount / 8)
    }
    return bytes.byte(at: text.position + index / 8).map { Int($0 >> UInt8(7 - index % 8) & 1) }
  }

  /// A value in 16 bits, rounded. Values up to 255 are those of 8 bits exactly.
  private func sample(_ value: Int) -> UInt16 {
    let value = min(value, largest)
    if isBitmap { return value == 0 ? .max : 0 }
    if largest == 255 { return UInt16(value) * 257 }
    if largest > 255 { return UInt16((value * 65_535 + largest / 2) / largest) }
    return UInt16((value * 255 + largest / 2) / largest) * 257
  }
}

/// Reads what a file of Netpbm has in letters and digits: its header, and the pixels of a plain file.
struct PNMText {
  static let stage = "header"
  /// No number has more digits; sums and products of a few such numbers fit into an `Int`.
  private static let longestNumber = 9

  var position = 2

  static func corrupt(_ reason: String) -> ImageDecodingError { .corrupt(.pnm, stage: stage, reason: reason) }

  /// The lines of a PAM, up to `ENDHDR`. The kind of tuples follows from their depth, except that four channels may be inks.
  mutating func fields(_ bytes: Span<UInt8>) throws(ImageDecodingError) -> [String: Int] {
    var fields: [String: Int] = [:]
    while true {
      switch try word(bytes) {
      case "ENDHDR": return fields
      case let name where ["WIDTH", "HEIGHT", "DEPTH", "MAXVAL"].contains(name):
        fields[name] = try field(bytes)
      case "TUPLTYPE":
        if try word(bytes).hasPrefix("CMYK") { throw .unsupportedType(.pnm, reason: "it is CMYK in PAM") }
      default: while let byte = bytes.byte(at: position), byte != 0x0A { position += 1 }
      }
    }
  }

  mutating func field(_ bytes: Span<UInt8>) throws(ImageDecodingError) -> Int {
    guard let value = try number(bytes) else { throw .truncated(.pnm, stage: Self.stage) }
    return value
  }

  /// Steps over the end of the header: one space, as the next byte is a pixel, also if it looks like a space. A comment may begin
  /// directly behind the last number; then the end of its line is that space.
  mutating func endHeader(_ bytes: Span<UInt8>) {
    if bytes.byte(at: position) == 0x23 {
      while let byte = bytes.byte(at: position), byte != 0x0A, byte != 0x0D { position += 1 }
    }
    position += 1
  }

  /// The next decimal number; `nil` at the end of the file.
  mutating func number(_ bytes: Span<UInt8>) throws(ImageDecodingError) -> Int? {
    skipSpace(bytes)
    let start = position
    var value = 0
    while let byte = bytes.byte(at: position), 0x30...0x39 ~= byte {
      guard position - start < Self.longestNumber else { throw Self.corrupt("a number that is too long") }
      value = value * 10 + Int(byte - 0x30)
      position += 1
    }
    if position > start { return value }
    guard position >= bytes.count else { throw Self.corrupt("a character that is no digit") }
    return nil
  }

  /// The next digit of a bitmap, which needs no space before it; `nil` at the end of the file.
  mutating func bit(_ bytes: Span<UInt8>) throws(ImageDecodingError) -> Int? {
    skipSpace(bytes)
    guard let digit = bytes.byte(at: position) else { return nil }
    guard digit == 0x30 || digit == 0x31 else { throw Self.corrupt("a pixel that is neither 0 nor 1") }
    position += 1
    return Int(digit - 0x30)
  }

  /// The next word of a header, of which 16 bytes are read.
  private mutating func word(_ bytes: Span<UInt8>) throws(ImageDecodingError) -> String {
    skipSpace(bytes)
    let start = position
    while let byte = bytes.byte(at: position), byte > 0x20 { position += 1 }
    if position == start { throw .truncated(.pnm, stage: Self.stage) }
    return String(decoding: bytes.copy(from: start, byteCount: min(position - start, 16)), as: UTF8.self)
  }

  /// Skips spaces and comments, which extend to the end of their line.
  private mutating func skipSpace(_ bytes: Span<UInt8>) {
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
}

/// Writes the portable formats of Netpbm: a graymap (P5) of a grey bitmap, a pixmap (P6) if all pixels are opaque, else PAM
/// (P7) with alpha; in 16 bits if the bitmap is. The ending of the file does not matter: programs look at the content.
public struct PNMEncoder: ImageEncoding {
  /// Makes an encoder.
  public init() {}

  /// PNM.
  public var type: ImageType { .pnm }

  /// Always true.
  public var keepsAlpha: Bool { true }

  /// Always false.
  public var hasQuality: Bool { false }

  /// Encodes a bitmap without loss, except for the rounding of premultiplied colours. The options are ignored.
  public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
    let rows = StraightRows(bitmap)
    let largest = bitmap.format == .rgba16 ? 65_535 : 255
    let size = bitmap.size
    var file: [UInt8]
    if rows.hasAlpha {
      file = Array(
        """
        P7
        WIDTH \(size.width)
        HEIGHT \(size.height)
        DEPTH 4
        MAXVAL \(largest)
        TUPLTYPE RGB_ALPHA
        ENDHDR\n
        """.utf8)
    } else {
      file = Array(
        "\(bitmap.format == .gray8 ? "P5" : "P6")\n\(size.width) \(size.height)\n\(largest)\n".utf8)
    }
    let channelCount = bitmap.format == .gray8 ? 1 : rows.hasAlpha ? 4 : 3
    file.reserveCapacity(file.count + size.pixelCount * channelCount * (largest > 255 ? 2 : 1))
    rows.forEach { pixel in
      for channel in 0..<channelCount {
        if largest > 255 { file.append(UInt8(pixel[channel] >> 8)) }
        file.append(UInt8(truncatingIfNeeded: pixel[channel]))
      }
    }
    return Data(file)
  }
}
