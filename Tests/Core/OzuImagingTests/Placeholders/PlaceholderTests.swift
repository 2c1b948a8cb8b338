import OzuImaging
import Testing

/// Red grows to the right, green downwards, blue with their product; the left half is transparent or not.
private func sample(_ width: Int, _ height: Int, isOpaque: Bool = true) -> Bitmap {
  Bitmap(size: PixelSize(width, height), isOpaque: isOpaque) { x, y in
    guard isOpaque || x >= width / 2 else { return Pixel(red: 0, green: 0, blue: 0, alpha: 0) }
    return Pixel(red: UInt8(x * 8 % 256), green: UInt8(y * 8 % 256), blue: UInt8(x * y % 256))
  }
}

@Suite("BlurHash")
struct BlurHashTests {
  // The hashes were computed with the published algorithm, in double precision, by another program.
  @Test(
    "is what the published algorithm gives",
    arguments: [
      (PixelSize(30, 20), PixelSize(4, 3), "LpF|yE2SwtW-q^WVjwfAfyfTfTfM"),
      (PixelSize(20, 30), PixelSize(3, 5), "cpAe=?F:n|hjaffTgFfmfTjFb0fMf9fOfR"),
    ])
  func encoding(size: PixelSize, components: PixelSize, expected: String) {
    #expect(BlurHash(encoding: sample(size.width, size.height), components: components).text == expected)
  }

  @Test("reads the example of the published description, and draws a picture of its average")
  func example() throws {
    let hash = try #require(BlurHash("LlMF%n00%#MwS|WCWEM{R*bbWBbH"))
    #expect(hash.components == PixelSize(4, 3))
    // The digits M, F, %, n in base 83, split into bytes.
    let value = ((22 * 83 + 15) * 83 + 64) * 83 + 49
    let average = Pixel(
      red: UInt8(value >> 16), green: UInt8(value >> 8 & 255), blue: UInt8(value & 255))
    #expect(hash.averageColor == average)
    let bitmap = hash.bitmap(size: PixelSize(32, 24))
    #expect(bitmap.size == PixelSize(32, 24))
    #expect(bitmap.isOpaque)
    // Without contrast only the average is left.
    #expect(hash.bitmap(size: PixelSize(4, 4), punch: 0)[3, 1] == average)
  }

  @Test("shows what it was made of")
  func roundTrip() throws {
    let source = Bitmap(size: PixelSize(64, 64)) { x, _ in
      x < 32 ? Pixel(red: 250, green: 20, blue: 20) : Pixel(red: 20, green: 20, blue: 250)
    }
    let made = BlurHash(encoding: source)
    let read = try #require(BlurHash(made.text))
    let bitmap = read.bitmap(size: PixelSize(32, 32))
    #expect(bitmap[4, 16].red > 150 && bitmap[4, 16].blue < 100)
    #expect(bitmap[28, 16].blue > 150 && bitmap[28, 16].red < 100)
    #expect(Picture(placeholder: read).isPreview)
  }

  @Test(
    "is refused when the text is not a BlurHash",
    arguments: ["", "L", "LlMF%n", "LlMF%n00%#MwS|WCWEM{R*bbWBb", "LlMF%n00%#MwS|WCWEM{R*bbWB\"H", "~~~~~~"])
  func invalid(text: String) {
    #expect(BlurHash(text) == nil)
  }
}

@Suite("ThumbHash")
struct ThumbHashTests {
  // The hashes were computed with the published format, in double precision, by another program.
  @Test(
    "is what the published algorithm gives",
    arguments: [
      (30, 20, true, "F0gOHZhghndyiHeGeGh4ePaLD8d4"), (20, 30, true, "F7gNHRhihnCIZ4hneHh4d/uGP/iI"),
      (24, 24, false, "HFiGHQpYtoXAaJRYipeHb/tzcHqIiIeIeA=="),
    ])
  func encoding(width: Int, height: Int, isOpaque: Bool, expected: String) {
    #expect(ThumbHash(encoding: sample(width, height, isOpaque: isOpaque)).base64 == expected)
  }

  @Test("draws a picture of the same proportions, colours and transparency")
  func drawing() throws {
    let hash = ThumbHash(encoding: sample(24, 24, isOpaque: false))
    let bitmap = hash.bitmap()
    #expect(bitmap.size == PixelSize(32, 32))
    #expect(!bitmap.isOpaque)
    #expect(bitmap[2, 16].alpha < 60)
    #expect(bitmap[29, 16].alpha > 200)
    let wide = try #require(ThumbHash(base64: "F0gOHZhghndyiHeGeGh4ePaLD8d4"))
    #expect(wide.bitmap().size == PixelSize(32, 23))
    #expect(wide.aspectRatio > 1.3 && wide.aspectRatio < 1.6)
    #expect(Picture(placeholder: wide).isPreview)
  }

  @Test(
    "is refused when it is too short",
    arguments: [[], [1, 2, 3, 4], [255, 255, 255, 255, 255, 0, 0]] as [[UInt8]])
  func invalid(bytes: [UInt8]) {
    #expect(ThumbHash(bytes) == nil)
  }
}
