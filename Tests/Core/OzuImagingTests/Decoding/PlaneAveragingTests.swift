import OzuImaging
import Testing

@Suite("Plane averaging")
struct PlaneAveragingTests {
  struct Case: CustomTestStringConvertible {
    var stored = PixelSize(4000, 3000)
    var target: PixelSize
    var source = PlaneLayout.Source.wholePlanes(bytesPerPixel: 2)
    var chroma: (Int, Int)? = (2, 2)
    var isProgressive = false
    var light = ResamplingLight.asStored
    var kernel = ResamplingKernel.lanczos3
    /// Columns and rows of luma, then of chroma.
    var steps: [Int]?

    var testDescription: String {
      "\(stored) to \(target), \(source), chroma \(String(describing: chroma)), \(light), \(kernel)"
        + (isProgressive ? ", progressive" : "")
    }
  }

  static let cases: [Case] = [
    Case(target: PixelSize(320, 240), steps: [5, 5, 2, 2]),
    Case(target: PixelSize(160, 120), steps: [10, 10, 5, 5]),
    Case(target: PixelSize(640, 480), steps: [2, 2, 1, 1]),
    Case(target: PixelSize(800, 600), steps: [2, 2, 1, 1]),
    Case(target: PixelSize(801, 601), steps: [1, 1, 1, 1]),
    Case(target: PixelSize(2000, 1500), steps: [1, 1, 1, 1]),
    // Chroma would have to be enlarged.
    Case(target: PixelSize(2001, 1501), steps: nil),
    Case(target: PixelSize(4000, 3000), steps: nil),
    // Each side has its own step.
    Case(target: PixelSize(320, 1000), steps: [5, 1, 2, 1]),
    Case(target: PixelSize(320, 240), chroma: (2, 1), steps: [5, 5, 2, 5]),
    Case(target: PixelSize(320, 240), chroma: (1, 1), steps: [5, 5, 5, 5]),
    // At most 128 rows become one mean, and the filter does the rest.
    Case(target: PixelSize(1, 1), steps: [128, 128, 128, 128]),
    // Four planes take less memory than pixels only if at least four pixels become one mean.
    Case(target: PixelSize(800, 600), source: .rows, chroma: nil, steps: [2, 2, 2, 2]),
    Case(target: PixelSize(801, 601), source: .rows, chroma: nil, steps: nil),
    Case(target: PixelSize(160, 1500), source: .rows, chroma: nil, steps: [10, 1, 10, 1]),
    // JPEG: frequencies, or pixels of libjpeg.
    Case(target: PixelSize(1000, 750), source: .frequencies, steps: nil),
    Case(target: PixelSize(2000, 1500), source: .frequencies, steps: nil),
    Case(target: PixelSize(2001, 1501), source: .frequencies, steps: nil),
    Case(target: PixelSize(501, 376), source: .frequencies, isProgressive: true, steps: nil),
    Case(target: PixelSize(1001, 751), source: .frequencies, isProgressive: true, steps: nil),
    // Light has to be made of pixels.
    Case(target: PixelSize(320, 240), light: .linear, steps: nil),
    // The nearest pixel is not a mean, nor the luma of one pixel with a chroma that no pixel shows; a box has whole blocks.
    Case(target: PixelSize(320, 240), kernel: .nearest, steps: nil),
    Case(target: PixelSize(320, 240), source: .rows, chroma: nil, kernel: .nearest, steps: nil),
    Case(target: PixelSize(800, 600), source: .rows, chroma: nil, kernel: .box, steps: nil),
    Case(target: PixelSize(400, 300), source: .rows, chroma: nil, kernel: .box, steps: [2, 2, 2, 2]),
    Case(target: PixelSize(320, 240), source: .rows, chroma: nil, kernel: .box, steps: nil),
  ]

  @Test("averages as many samples as possible, and leaves the filter two and a half", arguments: cases)
  func table(_ entry: Case) {
    let layout = PlaneLayout(
      chromaStep: entry.chroma.map { PlaneLayout.ChromaStep(horizontal: $0.0, vertical: $0.1) },
      source: entry.source)
    let header = ImageHeader(
      type: .jpeg, storedSize: entry.stored, isProgressive: entry.isProgressive, planeLayout: layout)
    let resize = Resize(entry.target, mode: .fill, kernel: entry.kernel, light: entry.light)
    let plan = DecodePlan(
      header: header, resize: resize, scales: entry.source == .frequencies ? [1, 2, 4, 8] : [8])
    let steps = plan.averaging.map { [$0.luma.columns, $0.luma.rows, $0.chroma.columns, $0.chroma.rows] }
    #expect(steps == entry.steps)
    #expect(plan.averaging == nil || plan.reduction == nil)
  }

  @Test("a smaller rendition of the file is not used where colours must not be mixed")
  func smaller() {
    let header = ImageHeader(type: .tiff, storedSize: PixelSize(4000, 3000))
    for kernel in ResamplingKernel.allCases {
      let plan = DecodePlan(header: header, resize: Resize(PixelSize(400, 300), kernel: kernel))
      #expect(plan.mayBegin(at: PixelSize(1000, 750), of: header.storedSize) == (kernel != .nearest))
    }
  }

  @Test("counts the bytes of the means, and of the planes that a library holds")
  func bytes() {
    func byteCount(_ source: PlaneLayout.Source, _ chroma: PlaneLayout.ChromaStep?) -> Int {
      let header = ImageHeader(
        type: .png, storedSize: PixelSize(4000, 3000),
        planeLayout: PlaneLayout(chromaStep: chroma, source: source))
      return DecodePlan(header: header, resize: Resize(PixelSize(400, 300), mode: .fill)).decodedByteCount
    }
    // Means of 4 × 4 in four planes of two bytes.
    #expect(byteCount(.rows, nil) == 750_000 * 8)
    // 4:2:0: two bytes a pixel in the library; luma by 4 × 4, chroma by 2 × 2.
    #expect(
      byteCount(.wholePlanes(bytesPerPixel: 2), .init(horizontal: 2, vertical: 2))
        == 24_000_000 + 750_000 * 2 + 1_500_000 * 2)
  }

  @Test("is not used for resampling in linear light")
  func lightIsWhole() {
    let header = ImageHeader(
      type: .jpeg, storedSize: PixelSize(4000, 3000),
      planeLayout: PlaneLayout(chromaStep: .init(horizontal: 2, vertical: 2)))
    let plan = DecodePlan(
      header: header, resize: Resize(PixelSize(100, 75), light: .linear), scales: [1, 2, 4, 8])
    #expect(plan.eighths == 8 && plan.reduction == nil && plan.averaging == nil)
  }
}
