import OzuImaging
import Testing

@Suite("Plane reduction")
struct PlaneReductionTests {
  struct Case: CustomTestStringConvertible {
    var stored = PixelSize(4000, 3000)
    var target: PixelSize
    var chroma: (Int, Int)? = (2, 2)
    var isProgressive = false
    var quality = DecodingQuality.balanced
    var eighths: (luma: Int, chroma: Int)?

    var testDescription: String {
      "\(stored) to \(target), chroma \(String(describing: chroma)), \(quality)"
        + (isProgressive ? ", progressive" : "")
    }
  }

  static let cases: [Case] = [
    Case(target: PixelSize(125, 93), eighths: (1, 1)),
    Case(target: PixelSize(160, 120), eighths: (1, 2)),
    Case(target: PixelSize(250, 187), eighths: (1, 2)),
    // One pixel more than the largest result for which an eighth has two samples for each pixel.
    Case(target: PixelSize(251, 188), eighths: (2, 2)),
    Case(target: PixelSize(320, 240), eighths: (2, 2)),
    Case(target: PixelSize(500, 375), eighths: (2, 3)),
    // From here on 1.9 samples of luma for a pixel are enough.
    Case(target: PixelSize(501, 376), eighths: (3, 4)),
    Case(target: PixelSize(640, 480), eighths: (3, 4)),
    Case(target: PixelSize(788, 591), eighths: (3, 4)),
    Case(target: PixelSize(792, 594), eighths: (4, 5)),
    Case(target: PixelSize(1052, 789), eighths: (4, 5)),
    Case(target: PixelSize(1056, 792), eighths: (5, 6)),
    Case(target: PixelSize(1280, 960), eighths: (5, 6)),
    Case(target: PixelSize(1500, 1125), eighths: (6, 8)),
    // There is no transform for seven.
    Case(target: PixelSize(1700, 1275), eighths: (8, 8)),
    Case(target: PixelSize(2000, 1500), eighths: (8, 8)),
    Case(target: PixelSize(2104, 1578), eighths: (8, 8)),
    Case(target: PixelSize(2108, 1581), eighths: nil),
    Case(target: PixelSize(4000, 3000), eighths: nil),
    // Chroma as fine as luma needs no more eighths; grey has none.
    Case(target: PixelSize(320, 240), chroma: (1, 1), eighths: (2, 2)),
    Case(target: PixelSize(160, 120), chroma: (1, 1), eighths: (1, 1)),
    Case(target: PixelSize(320, 240), chroma: (2, 1), eighths: (2, 2)),
    Case(target: PixelSize(320, 240), chroma: nil, eighths: (2, 2)),
    // The side that is reduced less decides.
    Case(target: PixelSize(320, 480), eighths: (3, 4)),
    Case(target: PixelSize(500, 375), isProgressive: true, eighths: (2, 3)),
    Case(target: PixelSize(501, 376), isProgressive: true, eighths: (3, 4)),
    Case(target: PixelSize(1280, 960), isProgressive: true, eighths: (5, 6)),
    Case(target: PixelSize(2108, 1581), isProgressive: true, eighths: nil),
    Case(target: PixelSize(320, 240), quality: .fast, eighths: (1, 2)),
    Case(target: PixelSize(160, 120), quality: .fast, eighths: (1, 1)),
    Case(target: PixelSize(640, 480), quality: .fast, eighths: (2, 3)),
    Case(stored: PixelSize(1600, 1200), target: PixelSize(320, 240), eighths: (4, 5)),
    Case(stored: PixelSize(8, 8), target: PixelSize(1, 1), eighths: (2, 3)),
    Case(stored: PixelSize(1, 1), target: PixelSize(1, 1), eighths: nil),
  ]

  @Test("keeps the fewest frequencies that the result needs", arguments: cases)
  func table(_ entry: Case) {
    let layout = PlaneLayout(
      chromaStep: entry.chroma.map { PlaneLayout.ChromaStep(horizontal: $0.0, vertical: $0.1) })
    let header = ImageHeader(
      type: .jpeg, storedSize: entry.stored, isProgressive: entry.isProgressive, planeLayout: layout)
    let resize = Resize(entry.target, mode: .fill, quality: entry.quality)
    let plan = DecodePlan(header: header, resize: resize, scales: [1, 2, 4, 8])
    #expect(plan.reduction?.luma == entry.eighths?.luma)
    #expect(plan.reduction?.chroma == entry.eighths?.chroma)
  }

  @Test("is not used for pictures at full size, nor for decoders without planes")
  func none() {
    let layout = PlaneLayout(chromaStep: nil)
    let header = ImageHeader(type: .jpeg, storedSize: PixelSize(4000, 3000), planeLayout: layout)
    #expect(DecodePlan(header: header, resize: nil).reduction == nil)
    let plain = ImageHeader(type: .png, storedSize: PixelSize(4000, 3000))
    #expect(DecodePlan(header: plain, resize: Resize(PixelSize(100, 75))).reduction == nil)
  }

  @Test("counts the bytes of its planes")
  func byteCount() {
    let layout = PlaneLayout(chromaStep: PlaneLayout.ChromaStep(horizontal: 2, vertical: 2))
    var header = ImageHeader(type: .jpeg, storedSize: PixelSize(4000, 3000), planeLayout: layout)
    let plan = DecodePlan(header: header, resize: Resize(PixelSize(320, 240)), scales: [1, 2, 4, 8])
    // 1000 × 750 of luma, twice 500 × 375 of chroma, two bytes each.
    #expect(plan.decodedByteCount == 2_250_000)
    // And eight for each block of 8 × 8.
    header.isProgressive = true
    let progressive = DecodePlan(header: header, resize: Resize(PixelSize(320, 240)), scales: [1, 2, 4, 8])
    #expect(progressive.decodedByteCount == 4_500_000)
    header.isProgressive = false
    let whole = DecodePlan(header: header, resize: nil)
    #expect(whole.decodedByteCount == 48_000_000)
  }

  @Test("the quality is part of a recipe's identity")
  func identifier() {
    let balanced = Resize(PixelSize(3, 2))
    let fast = Resize(PixelSize(3, 2), quality: .fast)
    #expect(balanced.identifier != fast.identifier)
    #expect(balanced != fast)
  }
}
