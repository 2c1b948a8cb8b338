import Testing

@testable import OzuImaging

@Suite("Numbers that do not fit")
struct UncountableTests {
  private let limits = DecodingLimits(
    pixelCount: .max, side: .max, decodedByteCount: .max, frameCount: .max, scanCount: .max,
    encodedByteCount: .max, animationByteCount: .max, scannedPixelCount: .max)

  @Test("a picture whose bytes cannot be counted is refused whatever the limit is")
  func bytes() {
    let size = PixelSize(Int(Int32.max), Int(Int32.max))
    #expect(throws: ImageDecodingError.self) { try limits.checkDecodedByteCount(size.byteCount(as: .bgra8)) }
    #expect(throws: Never.self) { try limits.checkDecodedByteCount(1 << 40) }
  }

  @Test(
    "a header of any size ends in a picture or an error",
    arguments: [
      PixelSize(Int(Int32.max), Int(Int32.max)), PixelSize(1 << 31, 1 << 30), PixelSize(.max, 1),
      PixelSize(1, .max),
    ],
    [
      nil, Resize(PixelSize(20, 20)), Resize(PixelSize(20, 20), light: .linear),
      Resize(PixelSize(20, 20), mode: .aspectFill, crops: true),
    ] as [Resize?])
  func sizes(size: PixelSize, resize: Resize?) {
    for layout in [nil, PlaneLayout(chromaStep: nil, source: .rows)] {
      for budget in [DecodedByteBudget(byteLimit: 1 << 20), DecodedByteBudget(byteLimit: .max)] {
        // An unlimited budget would let the decoder allocate every size that can be counted.
        if budget.byteLimit == .max, size.byteCount(as: .bgra8) < .max { continue }
        var codecs = CodecRegistry()
        let header = ImageHeader(type: .png, storedSize: size, planeLayout: layout)
        codecs.register(
          decoder: FakeDecoder(header: header) { _ in .flat(.opaqueRed, size: PixelSize(1, 1)) })
        #expect(throws: ImageDecodingError.self) {
          try codecs.picture(
            from: Signature.png, resize: resize, context: DecodingContext(limits: limits, budget: budget))
        }
      }
    }
  }

  @Test("an unlimited budget adds up reservations without overflow")
  func budget() throws {
    let budget = DecodedByteBudget(byteLimit: .max)
    let first = try budget.reserve(1000)
    #expect(throws: ImageDecodingError.cancelled) { try budget.reserve(.max, isCancelled: { true }) }
    #expect(budget.reserveAside(.max) == nil)
    #expect(budget.reservedByteCount == 1000)
    withExtendedLifetime(first) {}
  }
}
