import OzuImaging
import Testing

@Suite("Bitmap")
struct BitmapTests {
  private func bitmap(width: Int, padding: UInt8) -> Bitmap {
    Bitmap(size: PixelSize(width, 2), isOpaque: true) { bytes, bytesPerRow in
      for index in bytes.indices {
        bytes[index] = index % bytesPerRow < width * 4 ? UInt8(index / bytesPerRow * 50 + 5) : padding
      }
    }
  }

  @Test("padding between rows is not compared", arguments: [1, 2, 3, 4, 5])
  func paddingIsIgnored(width: Int) {
    #expect(bitmap(width: width, padding: 0) == bitmap(width: width, padding: 255))
  }

  @Test("bitmaps that differ in one byte are not equal", arguments: 0..<4)
  func everyByteCounts(component: Int) {
    let picture = Bitmap.noise(size: PixelSize(5, 3))
    let changed = Bitmap(size: picture.size) { x, y in
      var pixel = picture[x, y]
      guard x == 4 && y == 2 else { return pixel }
      switch component {
      case 0: pixel.red ^= 1
      case 1: pixel.green ^= 1
      case 2: pixel.blue ^= 1
      default: pixel.alpha ^= 1
      }
      return pixel
    }
    #expect(changed != picture)
    #expect(Bitmap(size: picture.size) { picture[$0, $1] } == picture)
  }

  @Test("bitmaps with the same pixels in another shape are not equal")
  func shapeCounts() {
    #expect(Bitmap.flat(.opaqueRed, size: PixelSize(4, 2)) != .flat(.opaqueRed, size: PixelSize(2, 4)))
  }

  @Test("rows are multiples of 16 bytes", arguments: [(1, 16), (4, 16), (5, 32), (320, 1280)])
  func rowDistance(width: Int, bytes: Int) {
    let bitmap = Bitmap.flat(.opaqueRed, size: PixelSize(width, 3))
    #expect(bitmap.bytesPerRow == bytes)
    #expect(bitmap.byteCount == bytes * 3)
    #expect(bitmap.withUnsafeBytes(\.count) == bytes * 3)
  }

  @Test("in memory a pixel is blue, green, red, alpha")
  func layout() {
    let bitmap = Bitmap.flat(
      Pixel(red: 1, green: 2, blue: 3, alpha: 4), size: PixelSize(1, 1), isOpaque: false)
    #expect(bitmap.withUnsafeBytes { Array($0[..<4]) } == [3, 2, 1, 4])
  }

  @Test("a failed initialisation gives its memory back")
  func failure() {
    struct Refusal: Error {}
    let pool = PixelBufferPool(retainedByteLimit: 1 << 20)
    #expect(throws: Refusal.self) {
      _ = try Bitmap(size: PixelSize(10, 10), isOpaque: true, pool: pool) { _, _ in throw Refusal() }
    }
    #expect(pool.statistics.lentByteCount == 0)
    #expect(pool.statistics.retainedByteCount > 0)
  }

  @Test("a picture knows its size and cost")
  func picture() {
    let picture = Picture(.flat(.opaqueRed, size: PixelSize(5, 2)), scale: 2)
    #expect(picture.size == PixelSize(5, 2))
    #expect(picture.byteCount == 64)
    #expect(!picture.isPreview)
  }
}
