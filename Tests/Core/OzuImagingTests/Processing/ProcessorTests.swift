import Testing

@testable import OzuImaging

@Suite("The effect of each processor")
struct ProcessorTests {
  private static let red = Pixel(red: 255, green: 0, blue: 0)
  private static let blue = Pixel(red: 0, green: 0, blue: 255)
  private static let clear = Pixel(red: 0, green: 0, blue: 0, alpha: 0)
  private static let context = ProcessingContext()

  private static func numbered(_ width: Int, _ height: Int) -> Bitmap {
    Bitmap(size: PixelSize(width, height)) { x, y in
      Pixel(red: UInt8(y * width + x), green: 0, blue: 0)
    }
  }

  private static func numbers(_ bitmap: Bitmap) -> [[UInt8]] {
    (0..<bitmap.size.height).map { y in (0..<bitmap.size.width).map { bitmap[$0, y].red } }
  }

  private static func run(_ processor: any ImageProcessing, _ bitmap: Bitmap) throws -> Bitmap {
    try processor.process(bitmap, context: context)
  }

  @Test(
    "crops by rectangle and by proportions",
    arguments: [
      (Crop.Area.rectangle(PixelRectangle(x: 1, y: 1, width: 2, height: 1)), [[5, 6]] as [[UInt8]]),
      (.rectangle(PixelRectangle(x: 3, y: -5, width: 99, height: 6)), [[3]]),
      (.rectangle(PixelRectangle(x: 2, y: 2, width: .max, height: .max)), [[10, 11]]),
      (.proportions(PixelSize(1, 1), .left), [[0, 1, 2], [4, 5, 6], [8, 9, 10]]),
      (.proportions(PixelSize(7, 7), .right), [[1, 2, 3], [5, 6, 7], [9, 10, 11]]),
      (.proportions(PixelSize(4, 1), .bottom), [[8, 9, 10, 11]]),
      (.proportions(PixelSize(9000, 1), .top), [[0, 1, 2, 3]]),
    ])
  func crop(_ area: Crop.Area, _ expected: [[UInt8]]) throws {
    #expect(Self.numbers(try Self.run(.crop(area), Self.numbered(4, 3))) == expected)
  }

  @Test(
    "the largest part with proportions of any size",
    arguments: [
      (PixelSize(.max, 1), PixelSize(4, 1)), (PixelSize(1, .max), PixelSize(1, 3)),
      (PixelSize(.max, .max), PixelSize(3, 3)), (PixelSize(.max, .max / 2), PixelSize(4, 1)),
    ])
  func largest(_ proportions: PixelSize, _ expected: PixelSize) {
    #expect(Crop.largest(proportions, in: PixelSize(4, 3)) == expected)
  }

  @Test("attention finds the detail, wherever it is", arguments: [(10, 60), (150, 60), (290, 60)])
  func attention(_ left: Int, _ top: Int) throws {
    let picture = Bitmap(size: PixelSize(360, 120)) { x, y in
      let isDetail = (left..<left + 50).contains(x) && (top..<top + 50).contains(y)
      return isDetail && (x / 5 + y / 5) % 2 == 0 ? Self.red : Pixel(red: 90, green: 90, blue: 90)
    }
    let result = try Self.run(.crop(.attention(PixelSize(1, 1))), picture)
    #expect(result.size == PixelSize(120, 120))
    let found = (0..<120).reduce(0) { sum, y in sum + (0..<120).count { result[$0, y] == Self.red } }
    let all = (0..<120).reduce(0) { sum, y in sum + (0..<360).count { picture[$0, y] == Self.red } }
    #expect(found == all)
  }

  @Test("attention stays where it fell in the first frame of an animation")
  func attentionOfFrames() throws {
    func frame(_ left: Int) -> Bitmap {
      Bitmap(size: PixelSize(90, 30)) { x, y in
        let isDetail = (left..<left + 20).contains(x) && (x / 5 + y / 5) % 2 == 0
        return isDetail ? Self.red : Pixel.black
      }
    }
    let crop = Crop(.attention(PixelSize(1, 1)))
    let context = ProcessingContext().forFrames()
    let first = Self.numbers(try crop.process(frame(5), context: context))
    let second = Self.numbers(try crop.process(frame(65), context: context))
    #expect(first.contains { $0.contains(255) } && !second.contains { $0.contains(255) })
    #expect(Self.numbers(try Self.run(crop, frame(65))).contains { $0.contains(255) })
  }

  @Test("attention takes the middle when nothing stands out")
  func attentionOfNothing() throws {
    let picture = Bitmap(size: PixelSize(101, 11)) { x, _ in x == 50 ? Self.blue : Self.blue }
    let rectangle = AttentionMap(of: BGRABitmap(picture), pool: .shared).bestRectangle(of: PixelSize(11, 11))
    #expect(rectangle == PixelRectangle(x: 45, y: 0, width: 11, height: 11))
  }

  @Test("pads at a place, and only what is too small")
  func pad() throws {
    let result = try Self.run(
      .pad(to: PixelSize(4, 1), color: .white, anchor: .bottomRight), Self.numbered(2, 2))
    #expect(Self.numbers(result) == [[255, 255, 0, 1], [255, 255, 2, 3]])
    #expect(result.isOpaque)
    #expect(try !Self.run(.pad(to: PixelSize(4, 1)), Self.numbered(2, 2)).isOpaque)
    // The canvas is below the picture too, whether or not it is larger.
    let veiled = Bitmap(size: PixelSize(2, 1), isOpaque: false) { x, _ in x == 0 ? Self.red : Self.clear }
    for width in [2, 3] {
      let padded = try Self.run(.pad(to: PixelSize(width, 1), color: .white), veiled)
      #expect(padded[0, 0] == Self.red && padded[1, 0] == .white)
    }
  }

  @Test("trims pixels that equal the corner within the tolerance")
  func trim() throws {
    let picture = Bitmap(size: PixelSize(9, 7)) { x, y in
      (3...5).contains(x) && y == 4 ? Self.blue : Pixel(red: UInt8(x), green: 0, blue: 0)
    }
    #expect(try Self.run(.trim(), picture).size == PixelSize(3, 1))
    #expect(try Self.run(.trim(tolerance: 3), picture).size == PixelSize(6, 7))
    let plain = Bitmap(size: PixelSize(5, 5)) { _, _ in Self.red }
    #expect(try Self.run(.trim(), plain).size == PixelSize(5, 5))
    // Two columns are left of the blue pixel and five right of it, one row above it and two below.
    let framed = Bitmap(size: PixelSize(8, 4)) { x, y in
      (x, y) == (2, 1) ? Self.blue : (x, y) == (0, 0) ? .init(red: 255, green: 255, blue: 255) : Self.red
    }
    let red = ColorValue(red: Self.red.red, green: Self.red.green, blue: Self.red.blue)
    for (step, size) in [
      (Trim(tolerance: 0), PixelSize(8, 4)), (Trim(tolerance: 0, color: red), PixelSize(3, 2)),
      (Trim(tolerance: 0, color: .init(red: 1, green: 2, blue: 3)), PixelSize(8, 4)),
    ] {
      #expect(try Self.run(step, framed).size == size, "\(step.identifier)")
    }
    let single = Bitmap(size: PixelSize(8, 4)) { x, y in (x, y) == (2, 1) ? Self.blue : Self.red }
    let cases: [(Trim.Axes, PixelSize)] = [
      ([], PixelSize(1, 1)), (.horizontal, PixelSize(4, 1)), (.vertical, PixelSize(1, 2)),
      ([.horizontal, .vertical], PixelSize(4, 2)),
    ]
    for (axes, size) in cases {
      #expect(try Self.run(.trim(evenAxes: axes), single).size == size)
    }
  }

  @Test("each block has the mean of its premultiplied pixels; blocks at the edges are smaller")
  func pixelate() throws {
    let picture = Self.numbered(5, 3)
    #expect(
      Self.numbers(try Self.run(.pixelate(blockSide: 2), picture)) == [
        [3, 3, 5, 5, 7], [3, 3, 5, 5, 7], [11, 11, 13, 13, 14],
      ])
    #expect(Self.numbers(try Self.run(.pixelate(blockSide: 1), picture)) == Self.numbers(picture))
    #expect(Set(Self.numbers(try Self.run(.pixelate(blockSide: .max), picture)).joined()) == [7])
    // Half of a red block is transparent: the other half keeps its hue.
    let veil = Bitmap(size: PixelSize(2, 1), isOpaque: false) { x, _ in
      x == 0 ? Pixel(red: 200, green: 0, blue: 0) : .clear
    }
    let result = BGRABitmap(try Self.run(.pixelate(blockSide: 2), veil))
    #expect(result[0, 0] == Pixel(red: 100, green: 0, blue: 0, alpha: 128) && result[1, 0] == result[0, 0])
  }

  @Test(
    "turns",
    arguments: [
      (Turn.right, [[3, 0], [4, 1], [5, 2]] as [[UInt8]]), (.left, [[2, 5], [1, 4], [0, 3]]),
      (.around, [[5, 4, 3], [2, 1, 0]]), (.mirror, [[2, 1, 0], [5, 4, 3]]),
      (.flip, [[3, 4, 5], [0, 1, 2]]),
    ])
  func turn(_ turn: Turn, _ expected: [[UInt8]]) throws {
    #expect(Self.numbers(try Self.run(turn, Self.numbered(3, 2))) == expected)
  }

  @Test("rounded corners: transparent outside, unchanged inside, a soft edge; a circle is cut from a square")
  func corners() throws {
    let picture = Bitmap(size: PixelSize(40, 20)) { _, _ in Self.red }
    let rounded = try Self.run(.roundedCorners(radius: 8), picture)
    #expect(rounded[0, 0] == Self.clear && rounded[39, 19] == Self.clear)
    #expect(rounded[20, 0] == Self.red && rounded[0, 10] == Self.red && rounded[8, 8] == Self.red)
    #expect((1...254).contains(rounded[2, 2].alpha))
    #expect(rounded[2, 2].red == rounded[2, 2].alpha)
    let circle = try Self.run(.circle(border: .init(width: 3, color: .white)), picture)
    #expect(circle.size == PixelSize(20, 20))
    #expect(circle[10, 10] == Self.red && circle[0, 0] == Self.clear)
    #expect(circle[10, 1] == Pixel(red: 255, green: 255, blue: 255))
    // The area of the disc, as the sum of its alpha.
    let area = (0..<20).reduce(0) { sum, y in sum + (0..<20).reduce(0) { $0 + Int(circle[$1, y].alpha) } }
    #expect(abs(Double(area) / 255 - 314.16) < 2)
    #expect(try Self.run(.roundedCorners(radius: 0), picture) == picture)
    let bare = try Self.run(.roundedCorners(radius: 8, border: .init(width: 0, color: .white)), picture)
    #expect(bare == rounded)
    // Half a pixel of white on the straight edge and in the corner.
    let thin = try Self.run(.roundedCorners(radius: 8, border: .init(width: 0.5, color: .white)), picture)
    #expect(thin[20, 0].blue == 128 && thin[2, 2].blue == 128 && thin[20, 1] == Self.red)
  }

  @Test(
    "a blur keeps equal pixels and the sum of others, and has the stated deviation",
    arguments: [0.7, 0.8, 0.9, 1.2, 1.3, 1.8, 2, 6.5])
  func blur(_ radius: Double) throws {
    let plain = Bitmap(size: PixelSize(30, 20)) { _, _ in Pixel(red: 201, green: 7, blue: 99) }
    #expect(try Self.run(.gaussianBlur(radius: radius), plain) == plain)

    let dot = Bitmap(size: PixelSize(81, 81)) { x, y in
      abs(x - 40) <= 4 && abs(y - 40) <= 4 ? Self.red : Pixel(red: 0, green: 0, blue: 0)
    }
    let result = try Self.run(.gaussianBlur(radius: radius), dot)
    var sum = 0.0
    var spread = 0.0
    for y in 0..<81 {
      for x in 0..<81 {
        sum += Double(result[x, y].red)
        spread += Double(result[x, y].red) * Double((x - 40) * (x - 40))
      }
    }
    let whole = 81.0 * 255
    #expect(abs(sum - whole) < 0.04 * whole)
    // Variances add: that of nine pixels side by side is 80/12.
    let expected = radius * radius + 80.0 / 12
    #expect(abs(spread / sum - expected) < (radius < 2 ? 0.1 : 0.15 * expected + 0.3))
  }

  @Test("a box window takes the mean of its pixels, and repeats the border beyond the edge")
  func window() throws {
    let picture = Bitmap(size: PixelSize(5, 1)) { x, _ in
      Pixel(red: [0, 30, 60, 90, 240][x], green: 0, blue: 0)
    }
    let mean = BoxWindow(before: 1, after: 1).alongRows(BGRABitmap(picture, pool: .shared), pool: .shared)
      .bitmap
    #expect(Self.numbers(mean) == [[10, 30, 60, 130, 190]])
    let tall = try Self.run(.turn(.right), picture)
    let down = BoxWindow(before: 1, after: 1).alongColumns(BGRABitmap(tall, pool: .shared), pool: .shared)
      .bitmap
    #expect(Self.numbers(down) == [[10], [30], [60], [130], [190]])
  }

  @Test("sharpening strengthens edges and does not change flat areas")
  func sharpen() throws {
    let edge = Bitmap(size: PixelSize(20, 3)) { x, _ in
      x < 10 ? Pixel(red: 100, green: 100, blue: 100) : Pixel(red: 150, green: 150, blue: 150)
    }
    let result = try Self.run(.sharpen(amount: 1), edge)
    #expect(result[9, 1].red < 100 && result[10, 1].red > 150)
    #expect(result[2, 1].red == 100 && result[17, 1].red == 150)
  }

  @Test(
    "colour adjustments",
    arguments: [
      (ColorAdjustment(), Pixel(red: 200, green: 100, blue: 50)),
      (ColorAdjustment(brightness: 0.1), Pixel(red: 226, green: 126, blue: 76)),
      (ColorAdjustment(contrast: 0), Pixel(red: 128, green: 128, blue: 128)),
      (ColorAdjustment(contrast: 2), Pixel(red: 255, green: 73, blue: 0)),
      (ColorAdjustment(saturation: 0), Pixel(red: 118, green: 118, blue: 118)),
      (ColorAdjustment(contrast: 10, saturation: 0), Pixel(red: 29, green: 29, blue: 29)),
      (ColorAdjustment(brightness: -1), Pixel(red: 0, green: 0, blue: 0)),
    ])
  func color(_ adjustment: ColorAdjustment, _ expected: Pixel) throws {
    let picture = Bitmap(size: PixelSize(1, 1)) { _, _ in Pixel(red: 200, green: 100, blue: 50) }
    let result = try Self.run(adjustment, picture)[0, 0]
    let differences = [
      Int(result.red) - Int(expected.red), Int(result.green) - Int(expected.green),
      Int(result.blue) - Int(expected.blue),
    ]
    #expect(differences.allSatisfy { abs($0) <= 1 }, "\(result)")
  }

  @Test("a tint is blended over visible pixels; a template keeps only their opacity")
  func tint() throws {
    let picture = Bitmap(size: PixelSize(2, 1), isOpaque: false) { x, _ in x == 0 ? Self.blue : Self.clear }
    let half = try Self.run(.tint(ColorValue(red: 255, green: 0, blue: 0, alpha: 128)), picture)
    #expect(half[0, 0] == Pixel(red: 128, green: 0, blue: 127) && half[1, 0] == Self.clear)
    let shape = try Self.run(.tint(ColorValue(red: 255, green: 0, blue: 0), style: .template), picture)
    #expect(shape[0, 0] == Self.red && shape[1, 0] == Self.clear)
  }

  @Test("a watermark has its place, its opacity and its blend mode")
  func watermark() throws {
    let base = Bitmap(size: PixelSize(6, 4)) { _, _ in Pixel(red: 200, green: 100, blue: 0) }
    let mark = Bitmap(size: PixelSize(2, 1)) { _, _ in Pixel(red: 100, green: 255, blue: 50) }
    let plain = try Self.run(.watermark(mark, key: "k", margin: 1), base)
    #expect(plain[3, 2] == mark[0, 0] && plain[4, 2] == mark[1, 0])
    #expect(plain[2, 2] == base[0, 0] && plain[5, 2] == base[0, 0] && plain[3, 3] == base[0, 0])
    let faint = try Self.run(.watermark(mark, key: "k", at: .topLeft, opacity: 0.5), base)[0, 0]
    #expect(abs(Int(faint.red) - 150) <= 1 && abs(Int(faint.green) - 178) <= 1)
    let darker = try Self.run(.watermark(mark, key: "k", at: .topLeft, mode: .multiply), base)[0, 0]
    #expect(darker == Pixel(red: 78, green: 100, blue: 0))
    let lighter = try Self.run(.watermark(mark, key: "k", at: .topLeft, mode: .screen), base)[0, 0]
    #expect(lighter == Pixel(red: 222, green: 255, blue: 50))
  }

  @Test(
    "a watermark far outside the picture is not visible", arguments: ImageAnchor.allCases,
    [Int.max, .min, 7, -7])
  func farMark(_ anchor: ImageAnchor, _ margin: Int) throws {
    let base = Self.numbered(6, 4)
    let mark = Bitmap(size: PixelSize(2, 1)) { _, _ in Self.blue }
    let isCentred = anchor == .center
    let isSeen = try Self.run(.watermark(mark, at: anchor, margin: margin), base) != base
    #expect(isSeen == isCentred)
  }

  @Test(
    "a resize is refused for the pictures for which a request for it is",
    arguments: [
      (
        Resize(region: PixelRectangle(x: 4, y: 0, width: 9, height: 9)), "4,0 lies outside the picture of 4x3"
      ),
      (Resize(PixelSize(99, 1), mode: .fill, allowsUpscaling: true), "99 pixels a side, limit 90"),
      // The memory of the resampler counts.
      (Resize(PixelSize(50, 50), mode: .fill, allowsUpscaling: true), "decoded bytes, limit 10000"),
      (Resize(PixelSize(0, 5)), "nothing would be left"),
    ])
  func refusals(_ resize: Resize, _ reason: String) throws {
    let limits = DecodingLimits(side: 90, decodedByteCount: 10_000)
    for bitmap in [Self.numbered(4, 3), Self.numbered(4, 3).converted(to: .rgba16, pool: .shared)] {
      let error = #expect(throws: ProcessingError.self) {
        _ = try resize.process(bitmap, context: ProcessingContext(limits: limits))
      }
      #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
    }
  }

  @Test("steps run in their order")
  func order() throws {
    let picture = Self.numbered(3, 2)
    let both = try Picture(picture).processed(by: [
      .turn(.right), .crop(.rectangle(PixelRectangle(x: 0, y: 0, width: 1, height: 3))),
    ])
    #expect(Self.numbers(both.bitmap) == [[3], [4], [5]])
    #expect(
      Self.numbers(try Self.run(Composition([.turn(.right), .turn(.left)]), picture)) == Self.numbers(picture)
    )
  }

  private struct Noting: ImageProcessing {
    let text: String

    var identifier: String { "noting(\(text))" }

    func process(_ bitmap: BGRABitmap, context: ProcessingContext) throws(ProcessingError) -> BGRABitmap {
      context.note(text)
      return bitmap
    }
  }

  @Test("the notes of steps are those of the picture, each once, after its own")
  func notes() throws {
    let picture = Picture(Self.numbered(3, 2), notes: ["a"])
    let made = try picture.processed(by: [
      Noting(text: "b"), Composition([Noting(text: "c"), Noting(text: "b")]),
    ])
    #expect(made.notes == ["a", "b", "c"] && picture.notes == ["a"])
    let many = try picture.processed(by: (0..<90).map { Noting(text: "\($0)") })
    #expect(many.notes.count == PictureNotes.mostNotes)
    // Without a picture nobody reads them.
    _ = try Noting(text: "d").process(picture.bitmap)
  }
}
