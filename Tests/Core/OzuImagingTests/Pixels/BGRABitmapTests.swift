import OzuImaging
import Testing

@Suite("Pixels in one format")
struct BGRABitmapTests {
  private static let sizes = [PixelSize(1, 1), PixelSize(3, 2), PixelSize(4, 5), PixelSize(61, 47)]

  @Test("are those of the bitmap, converted", arguments: PixelFormat.allCases, sizes)
  func conversion(format: PixelFormat, size: PixelSize) {
    let source = Bitmap.noise(size: size, seed: 7, isOpaque: false).converted(to: format)
    let expected = source.converted(to: .bgra8)
    let pixels = BGRABitmap(source)
    #expect(pixels.bitmap.format == .bgra8)
    #expect(pixels.bitmap == expected)
    #expect(pixels == BGRABitmap(expected))
    for y in 0..<size.height {
      let row = pixels.withRow(y) { row in row.indices.map { row[$0] } }
      #expect(row == (0..<size.width).map { expected[$0, y] })
      #expect(row == (0..<size.width).map { pixels[$0, y] })
    }
    pixels.withPixels { all, rows in
      #expect(rows.width == size.width && rows.height == size.height)
      #expect(all[rows[size.height - 1].upperBound - 1] == expected[size.width - 1, size.height - 1])
    }
  }

  @Test("are written row by row, and transparent where a closure leaves them out", arguments: sizes)
  func writing(size: PixelSize) {
    // Fills the pool with a picture that must not be visible.
    let pool = PixelBufferPool(retainedByteLimit: 1 << 20)
    do { _ = BGRABitmap(.noise(size: size).converted(to: .rgba16), pool: pool) }
    var seen: [Int] = []
    let result = BGRABitmap(size: size, isOpaque: false, pool: pool) { y, row in
      seen.append(y)
      #expect(row.count == size.width)
      for x in row.indices where (x + y) % 2 == 0 { row[x] = .white }
    }
    #expect(seen == Array(0..<size.height))
    for y in 0..<size.height {
      for x in 0..<size.width { #expect(result[x, y] == ((x + y) % 2 == 0 ? .white : .clear)) }
    }
  }

  @Test("are mapped one by one")
  func mapping() {
    let source = BGRABitmap(.noise(size: PixelSize(13, 7), isOpaque: false))
    let faint = source.map { Pixel(red: $0.red / 2, green: $0.green / 2, blue: $0.blue / 2, alpha: $0.alpha) }
    let opaque = source.map(isOpaque: true) { _ in .black }
    #expect(!faint.isOpaque && opaque.isOpaque)
    #expect(faint[12, 6].red == source[12, 6].red / 2 && faint[12, 6].alpha == source[12, 6].alpha)
    #expect(opaque[0, 6] == .black)
  }

  @Test("pass on the errors of a closure")
  func failure() {
    #expect(throws: ImageDecodingError.cancelled) {
      try BGRABitmap(size: PixelSize(2, 2), isOpaque: true) { (y, _) throws(ImageDecodingError) in
        if y == 1 { throw .cancelled }
      }
    }
  }

  @Test("a position outside ends the program before it is read or written")
  func outside() async {
    await #expect(processExitsWith: .failure) {
      _ = BGRABitmap(.flat(.white, size: PixelSize(4, 4)))[4, 0]
    }
    await #expect(processExitsWith: .failure) {
      _ = BGRABitmap(.flat(.white, size: PixelSize(4, 4)))[0, -1]
    }
    await #expect(processExitsWith: .failure) {
      BGRABitmap(.flat(.white, size: PixelSize(4, 4))).withRow(4) { _ in }
    }
    await #expect(processExitsWith: .failure) {
      _ = BGRABitmap(.flat(.white, size: PixelSize(4, 4))).withRow(0) { $0[4] }
    }
    await #expect(processExitsWith: .failure) {
      _ = BGRABitmap(size: PixelSize(4, 4), isOpaque: true) { _, row in row[4] = .white }
    }
    await #expect(processExitsWith: .failure) {
      let plane = SamplePlane(columnCount: 8, rowCount: 2, extentWidth: 8, extentHeight: 2)
      plane.withRow(2) { $0[0] = 1 }
    }
  }

  @Test("rows of a plane are read and written")
  func planes() {
    let plane = SamplePlane(columnCount: 10, rowCount: 2, extentWidth: 10, extentHeight: 2)
    plane.withRow(1) { row in
      #expect(row.count == 16)
      for x in row.indices { row[x] = Int16(x) }
    }
    #expect(plane.withRow(0) { $0[15] } == 0)
    #expect(plane.withRow(1) { $0[15] } == 15)
  }
}
