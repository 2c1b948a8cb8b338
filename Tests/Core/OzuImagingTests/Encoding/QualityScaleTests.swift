import Foundation
import OzuImaging
import Testing

@Suite("One quality in every format")
struct QualityScaleTests {
  @Test(
    "is a parameter of the codec that rises from the lowest to the highest",
    arguments: [ImageType.jpeg, .webp, .avif, .jxl, .heic])
  func rising(type: ImageType) {
    let parameters = (0...1000).map { QualityScale.parameter(of: type, at: Double($0) / 1000) }
    #expect(zip(parameters, parameters.dropFirst()).allSatisfy { $0 < $1 })
    #expect(parameters.first == 0 && parameters.last == 1)
    for (quality, parameter) in [(-1.0, 0.0), (2, 1), (.infinity, 1), (.nan, 0)] {
      #expect(QualityScale.parameter(of: type, at: quality) == parameter)
    }
  }

  /// Writes the options' qualities as text.
  private struct Encoder: ImageEncoding {
    let type: ImageType
    var keepsAlpha: Bool { true }

    func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
      Data("\(options.compressionQuality) \(options.quality(for: type)) \(options.qualities.count)".utf8)
    }
  }

  @Test(
    "a format has its own quality or the common one, and its encoder gets no other",
    arguments: [
      (ImageType.webp, "0.3 0.3 0"), (.avif, "1.0 1.0 0"), (.jpeg, "0.0 0.0 0"), (.jxl, "0.6 0.6 0"),
    ])
  func ofOneFormat(type: ImageType, text: String) throws {
    var options = EncodingOptions(compressionQuality: 0.6)
    options.qualities = [.webp: 0.3, .avif: 7, .jpeg: .nan]
    var codecs = CodecRegistry()
    codecs.register(encoder: Encoder(type: type))
    let bitmap = Bitmap(size: PixelSize(1, 1)) { _, _ in Pixel(red: 0, green: 0, blue: 0) }
    #expect(String(decoding: try codecs.encode(bitmap, as: type, options: options), as: UTF8.self) == text)
  }
}
