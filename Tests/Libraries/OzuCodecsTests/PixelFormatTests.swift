import Foundation
import OzuCodecs
import OzuImaging
import OzuLibraryCodecs
import OzuStandardCodecs
import Testing

private func stored(_ data: Data, resize: Resize? = nil) throws -> Picture {
  try CodecRegistry.standard.picture(
    from: data, resize: resize, context: DecodingContext(colorPolicy: .keep, pixelFormats: .asStored))
}

private func ordinary(_ data: Data) throws -> Picture {
  try CodecRegistry.standard.picture(from: data, context: DecodingContext(colorPolicy: .keep))
}

/// Waves in 16 bits, with values that do not exist in 8 bits.
private func deepWaves(_ size: PixelSize, isOpaque: Bool = true) -> Bitmap {
  Bitmap(size: size, format: .rgba16, isOpaque: isOpaque) { bytes, bytesPerRow in
    for y in 0..<size.height {
      for x in 0..<size.width {
        let alpha = isOpaque ? 65_535 : 20_000 + x * 400
        for (channel, factor) in [701, 333, 117].enumerated() {
          let value = (x * factor + y * 211) % (alpha + 1)
          bytes.storeBytes(
            of: UInt16(value), toByteOffset: y * bytesPerRow + x * 8 + channel * 2, as: UInt16.self)
        }
        bytes.storeBytes(of: UInt16(alpha), toByteOffset: y * bytesPerRow + x * 8 + 6, as: UInt16.self)
      }
    }
  }
}

/// The largest difference of a 16-bit value.
private func difference(_ a: Bitmap, _ b: Bitmap) -> Int {
  guard a.size == b.size, a.format == .rgba16, b.format == .rgba16 else { return .max }
  return a.withUnsafeBytes { left in
    b.withUnsafeBytes { right in
      var largest = 0
      for y in 0..<a.size.height {
        for offset in stride(from: y * a.bytesPerRow, to: y * a.bytesPerRow + a.size.width * 8, by: 2) {
          let one = left.load(fromByteOffset: offset, as: UInt16.self)
          largest = max(largest, abs(Int(one) - Int(right.load(fromByteOffset: offset, as: UInt16.self))))
        }
      }
      return largest
    }
  }
}

@Suite("Pixels as they are stored")
struct PixelFormatTests {
  @Test(
    "have 16 bits if the file has them",
    arguments: [
      "matrix/png-rgb16.png", "matrix/png-gray16.png", "pngsuite/basn6a16.png", "pngsuite/basi6a16.png",
      "pngsuite/basn2c16.png",
    ])
  func deep(path: String) throws {
    let data = try fixture(path)
    let picture = try stored(data)
    #expect(picture.bitmap.format == .rgba16)
    // libpng takes the high byte if 8 bits are wanted, and the conversion rounds; multiplying by alpha adds another
    // rounding.
    let narrow = picture.bitmap.converted(to: .bgra8)
    #expect(try narrow.largestDifference(from: ordinary(data).bitmap) <= 2)
  }

  @Test("are grey bytes if the file is grey", arguments: ["matrix/png-gray8.png", "matrix/jpeg-gray.jpg"])
  func gray(path: String) throws {
    let data = try fixture(path)
    let picture = try stored(data)
    #expect(picture.bitmap.format == .gray8)
    #expect(picture.bitmap.isOpaque)
    #expect(try picture.bitmap.converted(to: .bgra8) == ordinary(data).bitmap)
  }

  @Test(
    "are BGRA if the file has neither 16 bits nor grey",
    arguments: ["matrix/png-rgba8.png", "matrix/jpeg-baseline-444.jpg", "matrix/png-gray-alpha8.png"])
  func usual(path: String) throws {
    let data = try fixture(path)
    #expect(try stored(data).bitmap == ordinary(data).bitmap)
  }

  @Test("keep their bits in a resize, and become BGRA if they are processed or not asked for")
  func conversion() throws {
    let data = try fixture("matrix/png-rgb16.png")
    let whole = try stored(data)
    #expect(try ordinary(data).bitmap.format == .bgra8)
    let small = Resize(PixelSize(16, 12), mode: .fill)
    #expect(try stored(data, resize: small).bitmap.format == .rgba16)
    #expect(whole.resized(small).bitmap.format == .rgba16)
    #expect(try whole.processed(by: [ColorAdjustment(brightness: 0.1)]).bitmap.format == .bgra8)
    #expect(
      BlurHash(encoding: whole.bitmap).text == BlurHash(encoding: whole.bitmap.converted(to: .bgra8)).text)
  }

  @Test("are the same after a lossless file", arguments: [ImageType.png, .jxl], [true, false])
  func lossless(type: ImageType, isOpaque: Bool) throws {
    guard CodecRegistry.standard.encodableTypes.contains(type) else { return }
    let bitmap = deepWaves(PixelSize(61, 37), isOpaque: isOpaque)
    let data = try CodecRegistry.standard.encode(bitmap, as: type, options: EncodingOptions(isLossless: true))
    let read = try stored(data)
    #expect(read.header?.bitsPerComponent == 16)
    // Premultiplied values are restored as exactly as the division allows.
    #expect(difference(read.bitmap, bitmap) <= (isOpaque ? 0 : 1))
  }

  @Test("are written in 10 bits by AVIF")
  func avif() throws {
    guard CodecRegistry.standard.encodableTypes.contains(.avif) else { return }
    let bitmap = waves(PixelSize(64, 48)).converted(to: .rgba16)
    let data = try CodecRegistry.standard.encode(
      bitmap, as: .avif, options: EncodingOptions(compressionQuality: 1))
    let read = try stored(data)
    #expect(read.header?.bitsPerComponent == 10)
    #expect(difference(read.bitmap, bitmap) < 65_535 / 64)
  }

  @Test("are written in 8 bits by formats without 16 bits", arguments: [ImageType.jpeg, .webp])
  func narrow(type: ImageType) throws {
    guard CodecRegistry.standard.encodableTypes.contains(type) else { return }
    let wide = waves(PixelSize(64, 48))
    let options = EncodingOptions(compressionQuality: 0.9)
    #expect(
      try CodecRegistry.standard.encode(wide.converted(to: .rgba16), as: type, options: options)
        == CodecRegistry.standard.encode(wide, as: type, options: options))
  }

  @Test("stay grey in PNG")
  func grayPNG() throws {
    let bitmap = waves(PixelSize(33, 21)).converted(to: .gray8)
    let data = try PNGEncoder().encode(bitmap, options: .init())
    #expect(try CodecRegistry.standard.header(of: data).colorModel == .gray)
    #expect(try stored(data).bitmap == bitmap)
  }

  @Test("are converted to sRGB in 16 bits")
  func colors() throws {
    let data = try PNGEncoder().encode(deepWaves(PixelSize(40, 30)), options: .init())
    // A gamma of 1 instead of the sRGB chunk.
    let chunk = try #require(data.range(of: Data("sRGB".utf8)))
    var file = data
    let gamma = Data([0, 0, 0, 4]) + Data("gAMA".utf8) + Data([0, 1, 0x86, 0xA0, 0x31, 0xE8, 0x96, 0x5F])
    file.replaceSubrange(chunk.lowerBound - 4..<chunk.upperBound + 5, with: gamma)
    let deep = try CodecRegistry.standard.picture(
      from: file, context: DecodingContext(pixelFormats: .asStored))
    let usual = try CodecRegistry.standard.picture(from: file)
    #expect(deep.bitmap.format == .rgba16)
    #expect(deep.bitmap.colorSpace == .sRGB)
    #expect(deep.bitmap.converted(to: .bgra8) == usual.bitmap)
  }

  @Test("of a TIFF of 16 bits have all bits")
  func tiff() throws {
    guard CodecRegistry.standard.decodableTypes.contains(.tiff) else { return }
    var bytes = Array("II*\0".utf8) + [8, 0, 0, 0]
    let entries: [(Int, Int, Int)] = [
      (256, 3, 2), (257, 3, 1), (258, 3, 16), (259, 3, 1), (262, 3, 1), (273, 4, 8 + 2 + 9 * 12 + 4),
      (277, 3, 1), (278, 3, 1), (279, 4, 4),
    ]
    func little(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 255) } }
    bytes += little(entries.count, 2)
    for (tag, type, value) in entries {
      bytes += little(tag, 2) + little(type, 2) + little(1, 4) + little(value, 4)
    }
    bytes += little(0, 4) + little(0x1234, 2) + little(0xFEDC, 2)
    let picture = try stored(Data(bytes))
    #expect(picture.bitmap.format == .rgba16)
    let values = picture.bitmap.withUnsafeBytes { bytes in
      (0..<8).map { bytes.load(fromByteOffset: $0 * 2, as: UInt16.self) }
    }
    #expect(values == [0x1234, 0x1234, 0x1234, 0xFFFF, 0xFEDC, 0xFEDC, 0xFEDC, 0xFFFF])
  }

  #if HEIF && AVIF
    @Test("are the same through libheif and through libavif")
    func libraries() throws {
      let bitmap = waves(PixelSize(64, 48)).converted(to: .rgba16)
      let data = try AVIFEncoder().encode(bitmap, options: EncodingOptions(compressionQuality: 1))
      let context = DecodingContext(colorPolicy: .keep, pixelFormats: .asStored)
      let file = try HEIFDecoder().open(data, limits: .default)
      #expect(file.header.bitsPerComponent == 10)
      let read = try file.decode(DecodePlan(header: file.header, resize: nil), context: context)
      #expect(read.format == .rgba16)
      #expect(try difference(read, stored(data).bitmap) <= 65_535 / 256)
    }
  #endif
}
