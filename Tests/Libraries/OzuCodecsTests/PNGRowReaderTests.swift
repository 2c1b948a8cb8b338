import Foundation
import OzuImaging
import OzuLibraryCodecs
import OzuStandardCodecs
import OzuTesting
import Testing

@testable import OzuCodecs

@Suite("PNG row reader")
struct PNGRowReaderTests {
  /// Writes PNGs whose rows use the five filters in turn, in stored blocks.
  struct Writer {
    var size: PixelSize
    var colorType: UInt8
    var palette: [UInt8] = []
    var alphas: [UInt8] = []
    var breaksChecksum = false
    var breaksAdler = false
    /// How many bytes at the end of the stream are missing; its last four are a checksum.
    var missingByteCount = 0
    var chunkByteCount = 1000
    var filterOffset = 0
    /// 1 to 16.
    var bitDepth = 8

    var channelCount: Int { [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][colorType] ?? 1 }
    var pixelByteCount: Int { max(1, channelCount * bitDepth / 8) }

    /// A byte of a pixel; with fewer bits, its value.
    func value(_ x: Int, _ y: Int, _ byte: Int) -> UInt8 {
      if colorType == 3 { return UInt8((x + y * 3) % max(1, palette.count / 3)) }
      let value = UInt8(truncatingIfNeeded: x * 5 + y * 9 + byte * 40 + (x * y) % 7)
      return bitDepth < 8 ? value % (1 << UInt8(bitDepth)) : value
    }

    /// The bytes of a row.
    private func row(_ y: Int) -> [Int] {
      guard bitDepth < 8 else {
        let width = size.width * pixelByteCount
        return (0..<width).map { Int(value($0 / pixelByteCount, y, $0 % pixelByteCount)) }
      }
      var bytes = [Int](repeating: 0, count: (size.width * bitDepth + 7) / 8)
      for x in 0..<size.width {
        let (byte, bit) = (x * bitDepth / 8, x * bitDepth % 8)
        bytes[byte] |= Int(value(x, y, 0)) << (8 - bitDepth - bit)
      }
      return bytes
    }

    var data: Data {
      var file = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
      file += chunk(
        "IHDR", PNGFile.big(size.width) + PNGFile.big(size.height) + [UInt8(bitDepth), colorType, 0, 0, 0])
      if !palette.isEmpty { file += chunk("PLTE", palette) }
      if !alphas.isEmpty { file += chunk("tRNS", alphas) }
      let stream = zlib(rows).dropLast(missingByteCount)
      for start in stride(from: 0, to: stream.count, by: chunkByteCount) {
        let part = Array(stream[start..<min(start + chunkByteCount, stream.count)])
        file += chunk("IDAT", part, isBroken: breaksChecksum && start > 0)
      }
      return file + chunk("IEND", [])
    }

    private var rows: [UInt8] {
      let width = row(0).count
      var above = [Int](repeating: 0, count: width)
      var bytes: [UInt8] = []
      for y in 0..<size.height {
        let row = row(y)
        let filter = (y + filterOffset) % 5
        bytes.append(UInt8(filter))
        for x in 0..<width {
          let left = x < pixelByteCount ? 0 : row[x - pixelByteCount]
          let corner = x < pixelByteCount ? 0 : above[x - pixelByteCount]
          let distances = [abs(above[x] - corner), abs(left - corner), abs(left + above[x] - 2 * corner)]
          let nearest =
            distances[0] <= distances[1] && distances[0] <= distances[2]
            ? left : distances[1] <= distances[2] ? above[x] : corner
          let prediction = [0, left, above[x], (left + above[x]) / 2, nearest][filter]
          bytes.append(UInt8(truncatingIfNeeded: row[x] - prediction))
        }
        above = row
      }
      return bytes
    }

    private func chunk(_ name: String, _ content: [UInt8], isBroken: Bool = false) -> Data {
      let body = Array(name.utf8) + content
      var sum: UInt32 = 0xFFFF_FFFF
      for byte in body {
        sum ^= UInt32(byte)
        for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
      }
      return Data(PNGFile.big(content.count) + body + PNGFile.big(Int(~sum) ^ (isBroken ? 1 : 0)))
    }

    private func zlib(_ bytes: [UInt8]) -> [UInt8] {
      var stream: [UInt8] = [0x78, 0x01]
      for start in stride(from: 0, to: bytes.count, by: 30_000) {
        let part = bytes[start..<min(start + 30_000, bytes.count)]
        let isLast: UInt8 = start + 30_000 >= bytes.count ? 1 : 0
        let length = [UInt8(part.count & 255), UInt8(part.count >> 8)]
        stream += [isLast] + length + length.map { ~$0 } + part
      }
      var (low, high) = (1, 0)
      for byte in bytes {
        low = (low + Int(byte)) % 65_521
        high = (high + low) % 65_521
      }
      return stream + PNGFile.big((high << 16 | low) ^ (breaksAdler ? 1 : 0))
    }
  }

  static let colors: [UInt8] = (0..<48).map { UInt8($0 * 5) }
  /// Fewer bits than a byte, in rows that end inside a byte or with it.
  static let packed: [Writer] = [1, 2, 4].flatMap { bitDepth in
    [PixelSize(1, 1), PixelSize(61, 43), PixelSize(64, 9)].flatMap { size in
      let colors = Array(colors.prefix(3 << bitDepth))
      return [
        Writer(size: size, colorType: 0, filterOffset: size.height % 5, bitDepth: bitDepth),
        Writer(size: size, colorType: 3, palette: colors, alphas: [9], bitDepth: bitDepth),
      ]
    }
  }
  static let writers: [Writer] =
    packed
    + [0, 2, 4, 6].flatMap { type in
      [PixelSize(1, 1), PixelSize(3, 7), PixelSize(61, 43), PixelSize(301, 101)].flatMap { size in
        (0..<2).flatMap { offset in
          (size.width < 301 ? [8, 16] : [8]).map {
            Writer(size: size, colorType: UInt8(type), filterOffset: offset * 3, bitDepth: $0)
          }
        }
      }
    } + [
      Writer(size: PixelSize(37, 29), colorType: 3, palette: colors),
      Writer(size: PixelSize(37, 29), colorType: 3, palette: colors, alphas: [0, 100, 200]),
      Writer(size: PixelSize(37, 29), colorType: 2, chunkByteCount: 1),
      Writer(size: PixelSize(37, 29), colorType: 6, chunkByteCount: 7),
      Writer(size: PixelSize(37, 29), colorType: 6, chunkByteCount: 7, bitDepth: 16),
      Writer(size: PixelSize(200, 60), colorType: 2, bitDepth: 16),
    ]

  @Test("undoes every filter, for every kind of pixel", arguments: Cases.every(3, of: Array(writers.indices)))
  func pixels(index: Int) throws {
    let writer = Self.writers[index]
    let file = writer.data
    let bitmap = try #require(try read(file))
    // One expectation for each row: those of all pixels would take longer than the rest of the test.
    for y in 0..<writer.size.height {
      let wrong = (0..<writer.size.width).first { x in
        // Of 16 bits the upper eight are used.
        let bytes = (0..<writer.channelCount).map { writer.value(x, y, $0 * max(8, writer.bitDepth) / 8) }
        return bitmap[x, y] != expected(bytes, writer)
      }
      try #require(wrong == nil, "in row \(y)")
    }
    // And so do the whole decoder, which other tests compare with libpng, and libpng, which reads files that may be cut.
    #expect(try CodecRegistry.straight.picture(from: file).bitmap == bitmap)
    let context = DecodingContext(allowsTruncation: true)
    #expect(try CodecRegistry.straight.picture(from: file, context: context).bitmap == bitmap)
  }

  @Test(
    "keeps 16 bits, and gives the same as libpng, also in 8 bits", arguments: [0, 2, 4, 6],
    Cases.every(2, of: [37, 1, 2]))
  func deep(colorType: UInt8, width: Int) throws {
    for offset in 0..<5 {
      let writer = Writer(
        size: PixelSize(width, 43), colorType: colorType, filterOffset: offset, bitDepth: 16)
      let file = writer.data
      let bitmap = try #require(try read(file, format: .rgba16))
      #expect(bitmap.format == .rgba16 && bitmap.isOpaque == (colorType < 4))
      let isGray = colorType == 0 || colorType == 4
      for y in 0..<writer.size.height {
        for x in 0..<width {
          let words = (0..<writer.channelCount).map {
            UInt16(writer.value(x, y, $0 * 2)) << 8 | UInt16(writer.value(x, y, $0 * 2 + 1))
          }
          let colors = isGray ? [words[0], words[0], words[0]] : Array(words.prefix(3))
          let expected = colors + [bitmap.isOpaque ? .max : words[words.count - 1]]
          try #require(Self.words(bitmap, x, y) == expected, "pixel \(x), \(y)")
        }
      }
      for pixelFormats in [PixelFormatPolicy.asStored, .bgra8] {
        for registry in [CodecRegistry.standard, .straight] {
          let own = try registry.picture(from: file, context: DecodingContext(pixelFormats: pixelFormats))
          // libpng makes the pixels if truncation is allowed.
          let library = try registry.picture(
            from: file, context: DecodingContext(allowsTruncation: true, pixelFormats: pixelFormats))
          #expect(own.bitmap.format == (pixelFormats == .bgra8 ? .bgra8 : .rgba16))
          #expect(own.bitmap == library.bitmap && own.bitmap.isOpaque == library.bitmap.isOpaque)
        }
      }
    }
  }

  private static func words(_ bitmap: Bitmap, _ x: Int, _ y: Int) -> [UInt16] {
    bitmap.withUnsafeBytes { bytes in
      (0..<4).map { bytes.load(fromByteOffset: y * bitmap.bytesPerRow + x * 8 + $0 * 2, as: UInt16.self) }
    }
  }

  /// The bitmap that the reader makes of a file; `nil` if libpng has to decode it.
  private func read(_ file: Data, format: PixelFormat = .bgra8) throws -> Bitmap? {
    let header = try PNGHeader(file.span)
    return try file.withBytes { bytes in
      guard let reader = PNGRowReader(bytes, header: header, pool: .shared, inflating: Inflater.self) else {
        return nil
      }
      return try reader.bitmap(
        size: header.size, format: format, alpha: .straight, colorSpace: .sRGB, context: DecodingContext())
    }
  }

  private func expected(_ bytes: [UInt8], _ writer: Writer) -> Pixel {
    switch writer.colorType {
    case 0:
      let gray = UInt8(Int(bytes[0]) * 255 / (1 << min(writer.bitDepth, 8) - 1))
      return Pixel(red: gray, green: gray, blue: gray)
    case 2: return Pixel(red: bytes[0], green: bytes[1], blue: bytes[2])
    case 3:
      let color = Int(bytes[0]) * 3
      let alpha = Int(bytes[0]) < writer.alphas.count ? writer.alphas[Int(bytes[0])] : 255
      return Pixel(
        red: writer.palette[color], green: writer.palette[color + 1], blue: writer.palette[color + 2],
        alpha: alpha)
    case 4: return Pixel(red: bytes[0], green: bytes[0], blue: bytes[0], alpha: bytes[1])
    default: return Pixel(red: bytes[0], green: bytes[1], blue: bytes[2], alpha: bytes[3])
    }
  }

  @Test(
    "averages rows to nearly the same picture as pixels after a resize",
    arguments: Cases.every(2, of: [(0, 8), (0, 2), (2, 8), (3, 8), (3, 4), (4, 8), (6, 8)]))
  func thumbnails(colorType: UInt8, bitDepth: Int) throws {
    let writer = Writer(
      size: PixelSize(360, 216), colorType: colorType, palette: colorType == 3 ? Self.colors : [],
      alphas: colorType == 3 ? [0, 100] : [], bitDepth: bitDepth)
    let file = writer.data
    let resize = Resize(PixelSize(60, 36), mode: .fill, kernel: .box)
    let pool = PixelBufferPool(retainedByteLimit: 0)
    let small = try CodecRegistry.standard.picture(
      from: file, resize: resize, context: DecodingContext(pool: pool)
    ).bitmap
    let whole = try CodecRegistry.standard.picture(from: file).resized(resize).bitmap
    #expect(small.largestDifference(from: whole) <= 2)
    #expect(pool.statistics.peakLentByteCount < 360 * 216 * 4)
  }
}
