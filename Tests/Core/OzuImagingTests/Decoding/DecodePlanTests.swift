import OzuImaging
import Testing

@Suite("Decode plan")
struct DecodePlanTests {
  struct Case: CustomTestStringConvertible {
    var stored: PixelSize
    var orientation: Orientation = .up
    var resize: Resize?
    var scales = [1, 2, 4, 8]
    var eighths: Int
    var decoded: PixelSize
    var region: PixelRegion
    var output: PixelSize

    var testDescription: String {
      "\(stored) \(orientation) \(resize?.identifier ?? "whole") \(scales)"
    }
  }

  static func crop(_ width: Int, _ height: Int) -> Resize {
    Resize(PixelSize(width, height), mode: .aspectFill, crops: true)
  }

  static func region(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> PixelRegion {
    PixelRegion(x: x, y: y, width: width, height: height)
  }

  static let cases: [Case] = [
    Case(
      stored: PixelSize(4000, 3000), eighths: 8, decoded: PixelSize(4000, 3000),
      region: region(0, 0, 4000, 3000), output: PixelSize(4000, 3000)),
    Case(
      stored: PixelSize(4000, 3000), resize: crop(320, 240), eighths: 2, decoded: PixelSize(1000, 750),
      region: region(0, 0, 1000, 750), output: PixelSize(320, 240)),
    Case(
      stored: PixelSize(4000, 3000), resize: crop(250, 187), eighths: 1, decoded: PixelSize(500, 375),
      region: region(0, 0.5, 500, 374), output: PixelSize(250, 187)),
    // With one pixel more, an eighth would be enough for a factor of two.
    Case(
      stored: PixelSize(4000, 3000), resize: crop(251, 187), eighths: 2, decoded: PixelSize(1000, 750),
      region: region(0, 2.490_039_840_637_464, 1000, 745.019_920_318_725_1), output: PixelSize(251, 187)),
    Case(
      stored: PixelSize(4000, 3000), resize: crop(320, 240), scales: [8], eighths: 8,
      decoded: PixelSize(4000, 3000), region: region(0, 0, 4000, 3000), output: PixelSize(320, 240)),
    Case(
      stored: PixelSize(4000, 3000), resize: crop(320, 240), scales: [], eighths: 8,
      decoded: PixelSize(4000, 3000), region: region(0, 0, 4000, 3000), output: PixelSize(320, 240)),
    // In any order; numbers that are not scales are ignored.
    Case(
      stored: PixelSize(4000, 3000), resize: crop(320, 240), scales: [8, 16, 3, -1, 0, 2], eighths: 2,
      decoded: PixelSize(1000, 750), region: region(0, 0, 1000, 750), output: PixelSize(320, 240)),
    // Odd sides: the decoder rounds up, the region does not.
    Case(
      stored: PixelSize(4001, 3001), resize: crop(320, 240), eighths: 2, decoded: PixelSize(1001, 751),
      region: region(0, 0.03125, 1000.25, 750.1875), output: PixelSize(320, 240)),
    Case(
      stored: PixelSize(4001, 3001), resize: Resize(PixelSize(100, 100)), eighths: 1,
      decoded: PixelSize(501, 376), region: region(0, 0, 500.125, 375.125), output: PixelSize(100, 75)),
    // The region must be large enough, not the picture.
    Case(
      stored: PixelSize(4000, 500), resize: crop(100, 100), eighths: 4, decoded: PixelSize(2000, 250),
      region: region(875, 0, 250, 250), output: PixelSize(100, 100)),
    // A quarter turn: the recipe is for the upright picture, the plan for the stored one.
    Case(
      stored: PixelSize(3000, 4000), orientation: .right, resize: crop(320, 240), eighths: 2,
      decoded: PixelSize(750, 1000), region: region(0, 0, 750, 1000), output: PixelSize(240, 320)),
    Case(
      stored: PixelSize(500, 4000), orientation: .left, resize: Resize(PixelSize(400, 100)), eighths: 2,
      decoded: PixelSize(125, 1000), region: region(0, 0, 125, 1000), output: PixelSize(50, 400)),
    // Half turned: the odd pixel of the margin changes sides.
    Case(
      stored: PixelSize(101, 50), orientation: .down, resize: crop(60, 50), eighths: 8,
      decoded: PixelSize(101, 50), region: region(21, 0, 60, 50), output: PixelSize(60, 50)),
    Case(
      stored: PixelSize(100, 50), resize: Resize(PixelSize(400, 400), allowsUpscaling: true), eighths: 8,
      decoded: PixelSize(100, 50), region: region(0, 0, 100, 50), output: PixelSize(400, 200)),
    Case(
      stored: PixelSize(1, 1), resize: crop(320, 240), eighths: 8, decoded: PixelSize(1, 1),
      region: region(0, 0, 1, 1), output: PixelSize(1, 1)),
  ]

  @Test("a header and a recipe give the plan of the table", arguments: cases)
  func table(_ entry: Case) {
    let header = ImageHeader(type: .jpeg, storedSize: entry.stored, orientation: entry.orientation)
    let plan = DecodePlan(header: header, resize: entry.resize, scales: entry.scales)
    #expect(plan.eighths == entry.eighths)
    #expect(plan.decodedSize == entry.decoded)
    #expect(abs(plan.region.x - entry.region.x) < 1e-9 && abs(plan.region.y - entry.region.y) < 1e-9)
    #expect(abs(plan.region.width - entry.region.width) < 1e-9)
    #expect(abs(plan.region.height - entry.region.height) < 1e-9)
    #expect(plan.outputSize == entry.output)
    #expect(plan.orientation == entry.orientation)
    #expect(plan.needsNoResampling == (entry.output == entry.decoded))
  }

  @Test("the region lies inside the decoded picture", arguments: Orientation.allCases)
  func regionIsInside(orientation: Orientation) {
    for side in [17, 100, 333, 1001, 4003] {
      for target in [1, 7, 40, 320] {
        let header = ImageHeader(type: .jpeg, storedSize: PixelSize(side, 777), orientation: orientation)
        let plan = DecodePlan(header: header, resize: Self.crop(target, 30), scales: [1, 2, 3, 4, 5, 6, 7])
        let region = plan.region
        #expect(region.x >= 0 && region.y >= 0)
        #expect(region.x + region.width <= Double(plan.decodedSize.width))
        #expect(region.y + region.height <= Double(plan.decodedSize.height))
        #expect(plan.eighths == 8 || region.width >= 2 * Double(plan.outputSize.width))
      }
    }
  }

  @Test("the filter is that of the recipe", arguments: ResamplingKernel.allCases)
  func kernel(kernel: ResamplingKernel) {
    let header = ImageHeader(type: .jpeg, storedSize: PixelSize(10, 10))
    #expect(DecodePlan(header: header, resize: Resize(PixelSize(2, 2), kernel: kernel)).kernel == kernel)
    #expect(DecodePlan(header: header, resize: nil).kernel == .lanczos3)
  }
}
