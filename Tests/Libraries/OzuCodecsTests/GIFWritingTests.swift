import Foundation
import OzuCodecs
import OzuImaging
import OzuStandardCodecs
import Testing

@Suite("GIF files that are written")
struct GIFWritingTests {
  private let codecs = CodecRegistry.standard

  private func roundTrip(_ bitmap: Bitmap, effort: EncodingOptions.Effort = .medium) throws -> Bitmap {
    try codecs.picture(from: codecs.encode(bitmap, as: .gif, options: .init(effort: effort))).bitmap
  }

  /// Widths around which code tables are full, for each number of colours.
  static let streams: [(colorCount: Int, widths: ClosedRange<Int>)] = [
    (1, 1...60), (2, 1...60), (4, 1...120), (5, 60...70), (16, 4060...4100), (200, 3830...3850),
    (256, 3820...3860), (3, 20_000...20_010),
  ]

  @Test("keep up to 256 colours, also where the codes grow and the table is full", arguments: streams)
  func codes(colorCount: Int, widths: ClosedRange<Int>) throws {
    for width in widths {
      let bitmap = Bitmap(size: PixelSize(width, 1)) { x, _ in
        FrameSequence.speckle(x, 1, 7, colorCount: UInt32(colorCount))
      }
      #expect(try roundTrip(bitmap) == bitmap, "\(width)")
    }
  }

  @Test("keep large flat pictures, and noise", arguments: [1, 3, 256])
  func large(colorCount: Int) throws {
    let bitmap = Bitmap(size: PixelSize(600, 500)) { x, y in
      FrameSequence.speckle(x, y, 0, colorCount: UInt32(colorCount))
    }
    #expect(try roundTrip(bitmap) == bitmap)
  }

  @Test("choose good colours, and better ones with more effort")
  func quantized() throws {
    let bitmap = waves(PixelSize(200, 150))
    let results = try EncodingOptions.Effort.allCases.map { try roundTrip(bitmap, effort: $0) }
    for result in results { #expect(Set(result.packed.chunks(of: 4)).count <= 256) }
    // Error diffusion makes single pixels worse and the mean of many better.
    let qualities = results.map { $0.signalToNoise(against: bitmap) }
    #expect(qualities[0] > 28.5)
    #expect(qualities == qualities.sorted())
    let means = results.map { $0.reduced(by: 4).signalToNoise(against: bitmap.reduced(by: 4)) }
    #expect(means.allSatisfy { $0 > 39 })
  }

  @Test("do not dither inside areas whose colour the palette has nearly")
  func flat() throws {
    // 300 areas of one colour each.
    let bitmap = Bitmap(size: PixelSize(200, 150)) { x, y in
      let number = y / 10 * 20 + x / 10
      return Pixel(red: UInt8(number % 256), green: UInt8(number / 2), blue: UInt8(255 - number % 256))
    }
    let result = try roundTrip(bitmap)
    var cleanCount = 0
    for y in stride(from: 0, to: 150, by: 10) {
      for x in stride(from: 0, to: 200, by: 10) {
        let inside = Set((0..<81).map { result[x + 1 + $0 % 9, y + 1 + $0 / 9] })
        if inside.count == 1 { cleanCount += 1 }
      }
    }
    #expect(cleanCount >= 290)
    #expect(result.largestDifference(from: bitmap) < 24)
  }

  @Test("have pixels that are opaque in their own colour, or transparent")
  func transparency() throws {
    let bitmap = Bitmap(size: PixelSize(256, 2), isOpaque: false) { x, y in
      Pixel(red: UInt8(x), green: 0, blue: 0, alpha: UInt8(x))
    }
    let result = try roundTrip(bitmap)
    for x in 0..<256 {
      #expect(result[x, 0] == (x < 128 ? .clear : Pixel(red: 255, green: 0, blue: 0)))
    }
  }

  @Test("accept any pixel format", arguments: [PixelFormat.gray8, .rgba16])
  func formats(format: PixelFormat) throws {
    let bitmap = Bitmap(size: PixelSize(16, 16)) { x, y in
      Pixel(red: UInt8(x * 16), green: UInt8(x * 16), blue: UInt8(x * 16))
    }
    #expect(try roundTrip(bitmap.converted(to: format)) == bitmap)
  }

  @Test("share one table of colours until it is full")
  func sharedColors() throws {
    func tableCount(colorsPerFrame: Int) throws -> Int {
      let data = try FrameSequence("", 64, 8, count: 3) { x, y, index in
        let number = index * colorsPerFrame + (y * 64 + x) % colorsPerFrame
        return Pixel(red: UInt8(number % 256), green: UInt8(number / 256), blue: 0)
      }.encoded(as: .gif)
      // Counts the image descriptors of the whole canvas or its right part, and their colour tables.
      var count = data[10] & 0x80 == 0 ? 0 : 1
      for place in data.indices.dropLast(10)
      where data[place] == 0x2C && data[place + 7] == 8 && data[place + 6] == 0 && data[place + 8] == 0 {
        if data[place + 9] & 0x80 != 0 { count += 1 }
      }
      return count
    }
    #expect(try tableCount(colorsPerFrame: 80) == 1)
    #expect(try tableCount(colorsPerFrame: 120) == 2)
  }

  @Test("are refused above 65,535 pixels a side")
  func size() throws {
    let bitmap = Bitmap(size: PixelSize(65_536, 1)) { _, _ in .black }
    #expect(throws: ImageEncodingError.tooLarge(.gif, bitmap.size)) { try codecs.encode(bitmap, as: .gif) }
  }
}

extension Array {
  fileprivate func chunks(of count: Int) -> [[Element]] {
    stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
  }
}
