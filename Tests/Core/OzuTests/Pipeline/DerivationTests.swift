import Testing

@testable import Ozu

@Suite struct DerivationTests {
  private static let header = ImageHeader(type: .jpeg, storedSize: PixelSize(6000, 4000))

  struct Case: Sendable, CustomTestStringConvertible {
    let larger: Resize?
    let resize: Resize
    let isPossible: Bool
    var testDescription: String {
      "\(resize.identifier) from \(larger?.identifier ?? "the whole"): \(isPossible)"
    }
  }

  private static func fit(_ width: Int, _ height: Int) -> Resize { Resize(PixelSize(width, height)) }
  private static func fill(_ width: Int, _ height: Int, crops: Bool = true) -> Resize {
    Resize(PixelSize(width, height), mode: .aspectFill, crops: crops)
  }

  static let cases: [Case] = [
    // One and a half times on both sides, or less.
    Case(larger: fit(900, 900), resize: fit(600, 600), isPossible: true),
    Case(larger: fit(900, 900), resize: fit(601, 601), isPossible: false),
    // The whole picture contains every part.
    Case(larger: fit(900, 900), resize: fill(400, 400), isPossible: true),
    Case(larger: fill(600, 600, crops: false), resize: fill(400, 400), isPossible: true),
    Case(larger: Resize(PixelSize(900, 900), mode: .fill), resize: fit(500, 500), isPossible: true),
    // A part does not contain the whole, but smaller parts.
    Case(larger: fill(900, 900), resize: fit(300, 300), isPossible: false),
    Case(larger: fill(900, 900), resize: fill(300, 300), isPossible: true),
    Case(larger: fill(900, 900), resize: fill(300, 600), isPossible: true),
    Case(larger: fill(900, 900), resize: fill(600, 300), isPossible: false),
    // The source itself is always large enough.
    Case(larger: nil, resize: fit(5999, 5999), isPossible: true),
    Case(larger: nil, resize: Resize(PixelSize(9000, 9000), allowsUpscaling: true), isPossible: true),
    // An enlarged picture has no more detail than the source.
    Case(
      larger: Resize(PixelSize(12000, 12000), allowsUpscaling: true), resize: fit(600, 600),
      isPossible: false),
    // A coarse filter, or a fast decode, has lost detail that the result would show.
    Case(
      larger: Resize(PixelSize(900, 900), kernel: .box), resize: fit(300, 300), isPossible: false),
    Case(
      larger: Resize(PixelSize(900, 900), quality: .fast), resize: fit(300, 300), isPossible: false),
    Case(
      larger: fit(900, 900), resize: Resize(PixelSize(300, 300), kernel: .box, quality: .fast),
      isPossible: true),
  ]

  @Test(
    "a larger picture serves where it shows everything, at one and a half times the size", arguments: cases)
  func rule(_ sample: Case) throws {
    let size = ResizeGeometry(source: Self.header.size, resize: sample.larger).outputSize
    let derivation = try Derivation(
      of: Recipe(resize: sample.resize), from: Recipe(resize: sample.larger), size: size, header: Self.header)
    #expect((derivation != nil) == sample.isPossible)
    if let derivation {
      let direct = ResizeGeometry(source: Self.header.size, resize: sample.resize)
      #expect(derivation.outputSize == direct.outputSize)
    }
  }

  @Test("the size is computed from the source, not from the rounded size of a larger picture")
  func rounding() throws {
    let header = ImageHeader(type: .jpeg, storedSize: PixelSize(1001, 333))
    let larger = Resize(PixelSize(500, 500))
    let size = ResizeGeometry(source: header.size, resize: larger).outputSize
    for side in 1...330 {
      let resize = Resize(PixelSize(side, side))
      let derivation = try #require(
        try Derivation(of: Recipe(resize: resize), from: Recipe(resize: larger), size: size, header: header))
      #expect(derivation.outputSize == ResizeGeometry(source: header.size, resize: resize).outputSize)
    }
  }

  @Test("animations, drawings, and pictures of another size than their recipe's are not used")
  func exceptions() throws {
    func isPossible(_ header: ImageHeader, _ size: PixelSize) throws -> Bool {
      try Derivation(
        of: Recipe(resize: Resize(PixelSize(30, 30))), from: Recipe(resize: nil), size: size, header: header)
        != nil
    }
    var header = ImageHeader(type: .gif, storedSize: PixelSize(600, 400), frameCount: 3)
    #expect(try !isPossible(header, PixelSize(600, 400)))
    header.frameCount = 1
    #expect(try isPossible(header, PixelSize(600, 400)))
    #expect(try !isPossible(header, PixelSize(599, 400)))
    header.isDrawing = true
    #expect(try !isPossible(header, PixelSize(600, 400)))
  }

  @Test("a region outside the source is the error of a decode, not a picture of something else")
  func regionOutside() {
    var resize = Resize(PixelSize(30, 30))
    resize.region = PixelRectangle(x: 6000, y: 0, width: 10, height: 10)
    #expect(throws: ImageDecodingError.regionOutside(resize.region!, of: Self.header.size)) {
      _ = try Derivation(
        of: Recipe(resize: resize), from: Recipe(resize: Self.fit(900, 900)), size: PixelSize(900, 600),
        header: Self.header)
    }
  }
}
