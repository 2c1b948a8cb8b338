import Foundation
import OzuImaging
import Testing

@Suite("Encoders of animations in a registry")
struct AnimationEncodingRegistryTests {
  private struct Encoder: AnimationEncoding {
    var type = ImageType.gif
    var keepsAlpha: Bool

    func makeWriter(
      canvas: PixelSize, loopCount: Int, options: EncodingOptions
    ) throws(ImageEncodingError) -> any AnimationWriting {
      throw .tooLarge(type, canvas)
    }
  }

  @Test("are found by type, those registered last first, and apart from those of still pictures")
  func order() throws {
    var codecs = CodecRegistry()
    #expect(throws: ImageEncodingError.unsupportedType(.gif)) { try codecs.animationEncoder(for: .gif) }
    codecs.register(animationEncoder: Encoder(keepsAlpha: false))
    codecs.register(animationEncoder: Encoder(keepsAlpha: true))
    codecs.register(animationEncoder: Encoder(type: .webp, keepsAlpha: true))
    #expect(codecs.encodableAnimationTypes == [.webp, .gif])
    #expect(codecs.encodableTypes.isEmpty)
    #expect(try codecs.animationEncoder(for: .gif).keepsAlpha)
  }

  @Test(
    "fail with a message",
    arguments: [
      (ImageEncodingError.cancelled, "cancelled"),
      (
        .tooManyFrames(.webp, frameCount: 20_000, limit: 16_384),
        "20000 frames are more than the limit of 16384 for an animation as WebP"
      ),
    ])
  func words(error: ImageEncodingError, words: String) {
    #expect("\(error)" == words)
  }
}
