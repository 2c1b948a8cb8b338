import Foundation
import OzuImaging
import OzuStandardCodecs
import OzuTesting
import Testing

@testable import OzuCodecs

#if canImport(OzuLibraryCodecs)
  import OzuLibraryCodecs

  @Suite("PNG that is written")
  struct PNGWritingTests {
    enum Content: CaseIterable { case flat, noise, waves, drawing }

    /// Pixels of a kind. A drawing has few colours in repeated shapes.
    private static func bitmap(_ content: Content, _ size: PixelSize, hasAlpha: Bool) -> Bitmap {
      Bitmap(size: size, isOpaque: !hasAlpha) { x, y in
        var noise = UInt32(truncatingIfNeeded: x &* 73_856_093 ^ y &* 19_349_663) &* 2_654_435_761
        noise ^= noise >> 15
        let alpha = hasAlpha ? UInt8(truncatingIfNeeded: x * 3 + y) : 255
        func pixel(_ red: Int, _ green: Int, _ blue: Int) -> Pixel {
          Pixel(
            red: UInt8(red & 255) / 255 * alpha, green: min(UInt8(green & 255), alpha),
            blue: min(UInt8(blue & 255), alpha), alpha: alpha)
        }
        switch content {
        case .flat: return pixel(255, 40, 90)
        case .noise: return pixel(Int(noise), Int(noise >> 8), Int(noise >> 16))
        case .waves: return pixel(x + y, x * y / 16, y - x)
        case .drawing:
          let isInk = (x % 9 + y % 13) % 5 == 0 && y / 13 % 3 != 0
          return isInk ? pixel(0, 20, 30) : pixel(255, 250, 244)
        }
      }
    }

    @Test(
      "is read again without a change, also by libpng",
      arguments: [
        PixelSize(1, 1), PixelSize(5, 3), PixelSize(16, 2), PixelSize(17, 130), PixelSize(701, 1),
        PixelSize(260, 257),
      ], Content.allCases)
    func roundTrip(size: PixelSize, content: Content) throws {
      for hasAlpha in [false, true] {
        for format in [PixelFormat.bgra8, .rgba16, .gray8] where format != .gray8 || !hasAlpha {
          let bitmap = Self.bitmap(content, size, hasAlpha: hasAlpha).converted(to: format)
          for effort in EncodingOptions.Effort.allCases {
            let file = try PNGEncoder().encode(bitmap, options: EncodingOptions(effort: effort))
            let context = DecodingContext(colorPolicy: .keep, pixelFormats: .asStored)
            let picture = try CodecRegistry.standard.picture(from: file, context: context)
            #expect(picture.bitmap.converted(to: format) == bitmap, "\(format), \(effort), alpha \(hasAlpha)")
            // libpng reads files that are still arriving, and rounds sixteen bits before it multiplies by alpha.
            if format == .rgba16, hasAlpha { continue }
            let decoder = IncrementalDecoder(codecs: .standard)
            decoder.append(file.dropLast(12))
            let preview = try #require(try decoder.preview(context: DecodingContext(colorPolicy: .keep)))
            #expect(preview.bitmap == bitmap.converted(to: .bgra8), "\(format), \(effort), alpha \(hasAlpha)")
          }
        }
      }
    }

    /// A picture of pixels in no order, and how it should be stored: the colour type, the bit depth, and the bytes of the
    /// palette and of its alpha.
    struct Layout: CustomTestStringConvertible {
      let testDescription: String
      var format = PixelFormat.bgra8
      let colors: [Pixel]
      let head: [UInt8]
      var palette = 0
      var alphas = 0

      static func gray(_ values: [Int], alpha: UInt8 = 255) -> [Pixel] {
        values.map { value in
          let value = min(UInt8(value), alpha)
          return Pixel(red: value, green: value, blue: value, alpha: alpha)
        }
      }

      static func colors(_ count: Int, alpha: UInt8 = 255) -> [Pixel] {
        var pixels: [Pixel] = []
        for index in 0..<count {
          let (red, green, blue) = (index % 16, index / 16 % 16, index / 256)
          pixels.append(Pixel(red: UInt8(red), green: UInt8(green), blue: UInt8(blue), alpha: alpha))
        }
        return pixels
      }
    }

    private static let graysWithAlpha: [Pixel] =
      Layout.gray(Array(0..<200)) + Layout.gray(Array(0..<90), alpha: 90)
    private static let colorsWithAlpha: [Pixel] =
      [Pixel.clear] + Layout.colors(3) + Layout.colors(2, alpha: 99)
    private static let manyWithAlpha: [Pixel] = Layout.colors(256) + [Pixel.clear]

    private static let layouts: [Layout] = [
      Layout(testDescription: "black and white", colors: Layout.gray([0, 255]), head: [1, 0]),
      Layout(testDescription: "four greys", colors: Layout.gray([0, 85, 170, 255]), head: [2, 0]),
      Layout(
        testDescription: "greys of a scanner", format: .gray8, colors: Layout.gray([0, 85, 170, 255]),
        head: [2, 0]),
      Layout(
        testDescription: "16 greys", colors: Layout.gray(Array(stride(from: 0, through: 255, by: 17))),
        head: [4, 0]),
      Layout(testDescription: "2 other greys", colors: Layout.gray([3, 200]), head: [1, 3], palette: 6),
      Layout(
        testDescription: "2 other greys of a scanner", format: .gray8, colors: Layout.gray([3, 200]),
        head: [1, 3], palette: 6),
      Layout(testDescription: "200 greys", colors: Layout.gray(Array(0..<200)), head: [8, 0]),
      Layout(
        testDescription: "greys with alpha",
        colors: Self.graysWithAlpha, head: [8, 4]),
      Layout(
        testDescription: "deep greys", format: .rgba16, colors: Layout.gray(Array(0..<200)), head: [16, 0]),
      Layout(testDescription: "2 colours", colors: Layout.colors(2), head: [1, 3], palette: 6),
      Layout(testDescription: "16 colours", colors: Layout.colors(16), head: [4, 3], palette: 48),
      Layout(testDescription: "256 colours", colors: Layout.colors(256), head: [8, 3], palette: 768),
      Layout(testDescription: "257 colours", colors: Layout.colors(257), head: [8, 2]),
      Layout(
        testDescription: "transparent, half, opaque",
        colors: Self.colorsWithAlpha,
        head: [4, 3], palette: 18, alphas: 3),
      Layout(
        testDescription: "257 colours with alpha", colors: Self.manyWithAlpha, head: [8, 6]),
    ]

    @Test("is stored in the smallest layout that keeps every pixel", arguments: layouts)
    func smallest(layout: Layout) throws {
      let size = PixelSize(203, 127)
      var random = SeededGenerator(seed: 5)
      var pixels = layout.colors
      while pixels.count < size.pixelCount {
        pixels.append(layout.colors[Int.random(in: 0..<layout.colors.count, using: &random)])
      }
      let isOpaque = layout.colors.allSatisfy { $0.alpha == 255 }
      let bitmap = Bitmap(size: size, isOpaque: isOpaque) { x, y in pixels[y * size.width + x] }
        .converted(to: layout.format)
      for effort in EncodingOptions.Effort.allCases {
        let file = try PNGEncoder().encode(bitmap, options: EncodingOptions(effort: effort))
        #expect(Array(file[24..<26]) == layout.head, "\(effort)")
        #expect(Self.byteCount("PLTE", in: file) == layout.palette)
        #expect(Self.byteCount("tRNS", in: file) == layout.alphas)
        let context = DecodingContext(pixelFormats: .asStored)
        let read = try CodecRegistry.standard.picture(from: file, context: context).bitmap
        #expect(read.converted(to: layout.format) == bitmap, "\(effort)")
        guard layout.format != .rgba16 else { continue }
        let decoder = IncrementalDecoder(codecs: .standard)
        decoder.append(file.dropLast(12))
        let preview = try #require(try decoder.preview(context: DecodingContext()))
        #expect(preview.bitmap == bitmap.converted(to: .bgra8), "libpng, \(effort)")
      }
    }

    /// The bytes of the content of a chunk; 0 if there is none.
    private static func byteCount(_ name: String, in file: Data) -> Int {
      var position = 8
      while position + 8 <= file.count {
        let count = file[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
        if file[position + 4..<position + 8].elementsEqual(name.utf8) { return count }
        position += count + 12
      }
      return 0
    }

    @Test(
      "has no more colours than are allowed, and the nearest of them",
      arguments: [(-1, 2), (2, 2), (16, 16), (64, 64), (256, 256), (1000, 256)], [false, true])
    func colorLimit(limit: (Int, Int), hasAlpha: Bool) throws {
      let size = PixelSize(90, 70)
      let bitmap = Self.bitmap(.waves, size, hasAlpha: hasAlpha)
      func colors(_ bitmap: Bitmap) -> [Pixel] {
        (0..<size.pixelCount).map { bitmap[$0 % size.width, $0 / size.width] }
      }
      /// The mean square of the differences, over channels and pixels.
      func error(_ limit: Int) throws -> Double {
        let options = EncodingOptions(colorLimit: limit)
        let read = try CodecRegistry.standard.picture(from: PNGEncoder().encode(bitmap, options: options))
          .bitmap
        #expect(Set(colors(read)).count <= max(2, min(limit, 256)))
        func square(_ a: UInt8, _ b: UInt8) -> Int { (Int(a) - Int(b)) * (Int(a) - Int(b)) }
        var sum = 0
        for (a, b) in zip(colors(read), colors(bitmap)) {
          sum += square(a.red, b.red) + square(a.green, b.green)
          sum += square(a.blue, b.blue) + square(a.alpha, b.alpha)
        }
        return Double(sum) / Double(4 * size.pixelCount)
      }
      let here = try error(limit.0)
      #expect(try here == error(limit.1))
      #expect(try here <= error(2))
      if limit.1 == 256 { #expect(try here < error(2) / 10) }
      // A picture with fewer stays as it is.
      let drawing = Self.bitmap(.drawing, size, hasAlpha: false)
      let file = try PNGEncoder().encode(drawing, options: EncodingOptions(colorLimit: limit.0))
      #expect(try CodecRegistry.standard.picture(from: file).bitmap == drawing)
    }

    /// With whole errors it has 56 and 81 points: they grow where the palette ends, until they show as spots of other colours.
    @Test("keeps the look of a photograph in few colours", arguments: [(16, 60.0), (256, 82.2)])
    func look(limit: Int, least: Double) throws {
      let photograph = try CodecRegistry.standard.picture(from: fixture("placeholders/flower.jpg")).bitmap
      let file = try PNGEncoder().encode(photograph, options: EncodingOptions(colorLimit: limit))
      let read = try CodecRegistry.standard.picture(from: file).bitmap
      let score = try SSIMULACRA2.score(of: read, original: photograph)
      #expect(score > least)
    }

    @Test(
      "uses the filter that leaves the smallest values, and applies it correctly", arguments: [1, 3, 4, 6, 8])
    func filters(pixelByteCount: Int) throws {
      var random = SeededGenerator(seed: UInt64(pixelByteCount))
      for width in [1, 2, 5, 6, 40, 700] {
        let count = width * pixelByteCount
        let filter = PNGFilter(rowByteCount: count, pixelByteCount: pixelByteCount)
        var above = [UInt8](repeating: 0, count: count)
        var chosen: Set<Int> = []
        for step in 0..<40 {
          // Rows that depend on the pixel to the left, on the row above, on both, or on neither.
          var row = [UInt8](repeating: 0, count: count)
          for x in 0..<count {
            let left = x >= pixelByteCount ? row[x - pixelByteCount] : 0
            let noise = UInt8.random(in: 0...3, using: &random)
            switch step % 5 {
            case 0: row[x] = left &+ noise
            case 1: row[x] = above[x] &+ noise
            case 2: row[x] = UInt8((Int(left) + Int(above[x])) / 2) &+ noise
            case 3: row[x] = UInt8.random(in: 0...255, using: &random)
            default: row[x] = UInt8(truncatingIfNeeded: x * 5 + step * 3)
            }
          }
          filter.row.copyMemory(from: row, byteCount: count)
          let expected = Self.naive(row, above, pixelByteCount)
          filter.withFiltered(.smallestSum) { bytes in
            #expect(Int(bytes[0]) == expected.number)
            #expect(Array(bytes.dropFirst()) == expected.bytes)
          }
          filter.withFiltered(.none) { bytes in
            #expect(bytes[0] == 0)
            #expect(Array(bytes.dropFirst()) == row)
          }
          chosen.insert(expected.number)
          filter.advance()
          above = row
        }
        #expect(chosen.count > 1 || width == 1)
      }
    }

    /// The best filter byte by byte (PNG, third edition, §9.2 and §12.7).
    private static func naive(
      _ row: [UInt8], _ above: [UInt8], _ pixelByteCount: Int
    ) -> (number: Int, bytes: [UInt8]) {
      var best: (number: Int, bytes: [UInt8], sum: Int) = (0, [], .max)
      for number in 1...4 {
        let bytes = row.indices.map { x -> UInt8 in
          let a = x >= pixelByteCount ? Int(row[x - pixelByteCount]) : 0
          let b = Int(above[x])
          let c = x >= pixelByteCount ? Int(above[x - pixelByteCount]) : 0
          let p = a + b - c
          let (pa, pb, pc) = (abs(p - a), abs(p - b), abs(p - c))
          let paeth = pa <= pb && pa <= pc ? a : pb <= pc ? b : c
          return row[x] &- UInt8([a, b, (a + b) / 2, paeth][number - 1])
        }
        let sum = bytes.reduce(0) { $0 + Int(Int8(bitPattern: $1).magnitude) }
        if sum < best.sum { best = (number, bytes, sum) }
      }
      return (best.number, best.bytes)
    }

    @Test("is small where the picture is a drawing, and no larger with more effort")
    func sizes() throws {
      let size = PixelSize(600, 400)
      func count(_ content: Content, _ effort: EncodingOptions.Effort) throws -> Int {
        let bitmap = Self.bitmap(content, size, hasAlpha: false)
        return try PNGEncoder().encode(bitmap, options: EncodingOptions(effort: effort)).count
      }
      #expect(try count(.drawing, .medium) < count(.drawing, .low))
      for content in Content.allCases { #expect(try count(content, .high) <= count(content, .medium)) }
      // A picture that cannot be compressed is hardly larger than its pixels.
      #expect(try count(.noise, .medium) < size.width * size.height * 3 * 102 / 100)
    }
  }
#endif
