import Foundation
import OzuCodecs
import OzuImaging
import Testing

@Suite("Placeholders and their published examples")
struct PlaceholderVectorTests {
  @Test("ThumbHash makes the published hash of its author's picture")
  func thumbHash() throws {
    let flower = try picture("placeholders/flower.jpg")
    #expect(flower.size == PixelSize(75, 100))
    #expect(ThumbHash(encoding: flower.bitmap).base64 == "k0oGLQaSVsN0BVhn2oq2Z5SQUQcZ")
  }

  @Test("the published hash has the published average and proportions")
  func thumbHashValues() throws {
    let hash = try #require(ThumbHash(base64: "k0oGLQaSVsN0BVhn2oq2Z5SQUQcZ"))
    #expect(abs(hash.aspectRatio - 0.714285731) < 1e-6)
    // Red 0.484127015, green 0.341269821, blue 0.0793650597 of 1.
    let bitmap = hash.bitmap()
    var sums = [0, 0, 0]
    for y in 0..<bitmap.size.height {
      for x in 0..<bitmap.size.width {
        let pixel = bitmap[x, y]
        sums[0] += Int(pixel.red)
        sums[1] += Int(pixel.green)
        sums[2] += Int(pixel.blue)
      }
    }
    for (sum, average) in zip(sums, [0.484127015, 0.341269821, 0.0793650597]) {
      // Dark colours are clipped at black in the drawing.
      #expect(abs(Double(sum) / Double(bitmap.size.pixelCount) / 255 - average) < 0.03)
    }
  }

  @Test("BlurHash makes the published hash of a picture")
  func blurHash() throws {
    let bitmap = try picture("placeholders/blurhash-test.png").bitmap
    #expect(BlurHash(encoding: bitmap).text == "LFE.@D9F01_2%L%MIVD*9Goe-;WB")
  }

  @Test("BlurHash draws the published pixels of a hash")
  func blurHashDrawing() throws {
    let hash = try #require(BlurHash("UBMOZfK1GG%LBBNG,;Rj2skq=eE1s9n4S5Na"))
    let drawn = hash.bitmap(size: PixelSize(32, 32))
    #expect(try drawn.largestDifference(from: picture("placeholders/cool-cat-decoded.png").bitmap) <= 1)
  }
}
