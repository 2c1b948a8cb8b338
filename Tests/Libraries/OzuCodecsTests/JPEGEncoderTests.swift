import CCodecs
import Foundation
import OzuCodecs
import OzuImaging
import OzuStandardCodecs
import Testing

@testable import OzuLibraryCodecs

@Suite("JPEG encoder")
struct JPEGEncoderTests {
  private let codecs = CodecRegistry.standard

  /// Large letters: black bars on white.
  private static let drawing = Bitmap(size: PixelSize(240, 160)) { x, y in
    x % 23 < 5 && y % 31 < 20 ? .black : Pixel(red: 255, green: 255, blue: 255)
  }

  @Test(
    "uses tables that were tuned for MS-SSIM up to quality 0.85, those of Annex K from 0.9 on, and others between them",
    arguments: [
      (0.8, [5, 7, 7, 8, 8, 8], [3, 5, 5, 5, 5, 6]), (0.85, [4, 5, 5, 6, 6, 6], [2, 4, 4, 4, 4, 5]),
      (0.87, [4, 4, 4, 4, 4, 4], [3, 4, 4, 4, 4, 5]), (0.9, [3, 2, 2, 3, 2, 2], [3, 4, 4, 5, 4, 5]),
    ])
  func tables(quality: Double, luma: [UInt8], chroma: [UInt8]) throws {
    for effort in EncodingOptions.Effort.allCases {
      let options = EncodingOptions(compressionQuality: quality, effort: effort)
      let file = try codecs.encode(Self.drawing, as: .jpeg, options: options)
      for (number, steps) in [luma, chroma].enumerated() {
        // The marker, the length, and the number of the table.
        let start = try #require(file.range(of: Data([0xFF, 0xDB, 0, 67, UInt8(number)]))).upperBound
        #expect(Array(file[start..<start + steps.count]) == steps)
      }
    }
  }

  @Test(
    "has the samples and coefficients of libjpeg",
    arguments: [PixelSize(1, 1), PixelSize(7, 9), PixelSize(16, 16), PixelSize(17, 33), PixelSize(90, 41)])
  func coefficients(size: PixelSize) throws {
    let noise = Bitmap(size: size) { x, y in
      let value = UInt32(truncatingIfNeeded: x &* 73_856_093 ^ y &* 19_349_663) &* 2_654_435_761
      return Pixel(
        red: UInt8(truncatingIfNeeded: value >> 8), green: UInt8(truncatingIfNeeded: value >> 16),
        blue: UInt8(truncatingIfNeeded: value >> 24))
    }
    for bitmap in [noise, waves(size), waves(size, isOpaque: false)] {
      for chroma in [OzuChroma.full, .half, .quarter] {
        for (isGray, quality) in [(false, 95), (false, 40), (true, 80)] {
          var parameters = OzuJPEGParameters(
            quality: Int32(quality), chroma: chroma, is_progressive: false, is_gray: isGray,
            dots_per_inch_x: 0,
            dots_per_inch_y: 0)
          let nearest = try JPEGCoefficients(bitmap, parameters: parameters, quantization: .nearest).file()
          var file = OzuBytes()
          var message = [CChar](repeating: 0, count: 256)
          let status = bitmap.withUnsafeBytes { pixels in
            ozu_jpeg_encode(
              pixels.bindMemory(to: UInt8.self).baseAddress, bitmap.bytesPerRow, Int32(size.width),
              Int32(size.height), bitmap.isOpaque, &parameters, &file, &message, message.count)
          }
          #expect(status == .done)
          let sequential = try #require(file.data())
          #expect(try codecs.picture(from: nearest).bitmap == codecs.picture(from: sequential).bitmap)
        }
      }
    }
  }

  @Test(
    "makes smaller files of high effort, as similar and with all that belongs to them",
    arguments: [true, false])
  func highEffort(isDrawing: Bool) throws {
    let bitmap = try isDrawing ? Self.drawing : picture("placeholders/blurhash-test.png").bitmap
    for quality in [0.6, 0.85, 0.95] {
      var options = EncodingOptions(compressionQuality: quality)
      options.metadata.resolution = ImageResolution(dotsPerInch: 144)
      let medium = try codecs.encode(bitmap, as: .jpeg, options: options)
      options.effort = .high
      let high = try codecs.encode(bitmap, as: .jpeg, options: options)
      #expect(Double(high.count) < Double(medium.count) * 0.93)
      #expect(high.range(of: Data([0xFF, 0xC2])) != nil, "it is progressive")
      #expect(try codecs.metadata(of: high).resolution == ImageResolution(dotsPerInch: 144))
      let (decoded, reference) = try (codecs.picture(from: high).bitmap, codecs.picture(from: medium).bitmap)
      let loss = reference.signalToNoise(against: bitmap) - decoded.signalToNoise(against: bitmap)
      #expect(loss < (isDrawing ? 5.5 : 0.6))
    }
  }

  @Test("lets white overshoot beside edges, and nothing else")
  func overshoot() {
    var block = (0..<64).map { $0 % 8 < 3 ? Int32(-100) : 127 }
    block.withUnsafeMutableBufferPointer { JPEGOvershoot.apply(to: $0.baseAddress!, step: 8) }
    for (index, value) in block.enumerated() {
      #expect(index % 8 < 3 ? value == -100 : (127...143).contains(value))
    }
    #expect(block.contains { $0 > 130 })
    // Without an edge there is nothing to gain, and a mean of all white has no room.
    for plain: [Int32] in [Array(repeating: 127, count: 64), Array(repeating: 126, count: 64)] {
      var block = plain
      block.withUnsafeMutableBufferPointer { JPEGOvershoot.apply(to: $0.baseAddress!, step: 8) }
      #expect(block == plain)
    }
  }
}
