import Foundation
import Testing

@testable import OzuImaging

/// The memory that a plan says a render takes.
@Suite("Price of a plan")
struct DecodePlanPriceTests {
  /// A file with a given demand.
  private final class DemandingFile: ImageFile, Sendable {
    let header: ImageHeader
    private let demand: DecodingDemand

    init(_ header: ImageHeader, _ demand: DecodingDemand) {
      self.header = header
      self.demand = demand
    }

    func demand(of plan: DecodePlan, context: DecodingContext) -> DecodingDemand { demand }

    func decode(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
      .flat(.opaqueRed, size: plan.decodedSize)
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var orientation = Orientation.up
    var encoding: ColorEncoding?
    var policy = ColorPolicy.convertToSRGB
    var formats = PixelFormatPolicy.bgra8
    var bits = 8
    var demand = DecodingDemand()
    var expected: Int
    var testDescription: String { name }
  }

  /// The bytes of the picture in 8 bits.
  static let picture = 1024 * 768 * 4
  static let profile = ColorEncoding.profile(ICCProfile(name: "P3", data: Data()))

  static let wholes: [Case] = [
    Case(name: "a bitmap", expected: picture),
    Case(name: "and its upright copy", orientation: .right, expected: 2 * picture),
    Case(name: "and its copy in sRGB", encoding: profile, expected: 2 * picture),
    Case(name: "one after the other", orientation: .right, encoding: profile, expected: 2 * picture),
    Case(name: "colours as stored", encoding: profile, policy: .keep, expected: picture),
    Case(name: "16 bits as stored", formats: .asStored, bits: 16, expected: 2 * picture),
    Case(name: "16 bits as 8", bits: 16, expected: picture),
    Case(
      name: "a library that gives everything back", demand: DecodingDemand(byteCount: 5000),
      expected: picture + 5000),
    Case(
      name: "or does not matter beside a copy", orientation: .right, demand: DecodingDemand(byteCount: 5000),
      expected: 2 * picture),
    Case(
      name: "or keeps a part", orientation: .right,
      demand: DecodingDemand(byteCount: 5000, keptByteCount: 3000),
      expected: 2 * picture + 3000),
    Case(
      name: "rows of what is shown as it is", demand: DecodingDemand(byteCount: 5000, deliversRows: true),
      expected: picture + 5000),
    Case(name: "a number that cannot be counted", demand: DecodingDemand(byteCount: .max), expected: .max),
  ]

  private func plan(_ entry: Case, _ resize: Resize?) -> DecodePlan {
    var header = ImageHeader(
      type: .png, storedSize: PixelSize(1024, 768), orientation: entry.orientation,
      bitsPerComponent: entry.bits)
    header.colorEncoding = entry.encoding
    return DecodePlan(
      of: DemandingFile(header, entry.demand), resize: resize,
      context: DecodingContext(colorPolicy: entry.policy, pixelFormats: entry.formats))
  }

  @Test("of a whole picture", arguments: wholes)
  func whole(_ entry: Case) {
    #expect(plan(entry, nil).byteCount == entry.expected)
  }

  @Test("of a smaller one has the resampler and its result", arguments: ResamplingLight.allCases)
  func smaller(light: ResamplingLight) {
    let resize = Resize(PixelSize(512, 384), light: light)
    let result = 512 * 384 * 4
    let working = Resampler(light: light).workingByteCount(
      of: PixelSize(1024, 768), region: PixelRegion(PixelSize(1024, 768)), to: PixelSize(512, 384))
    let bitmap = plan(Case(name: "", expected: 0), resize)
    #expect(bitmap.byteCount == Self.picture + working + result)
    let rows = plan(Case(name: "", demand: .init(byteCount: 700, deliversRows: true), expected: 0), resize)
    #expect(rows.byteCount == 700 + 2 * 1024 * 4 + working + result)
    let kept = plan(Case(name: "", demand: .init(byteCount: 700, keptByteCount: 600), expected: 0), resize)
    #expect(kept.byteCount == 600 + Self.picture + working + result)
  }

  @Test("of planes is that of planes, and that of pixels if planes cannot be used")
  func planes() {
    let header = ImageHeader(
      type: .jpeg, storedSize: PixelSize(4000, 3000),
      planeLayout: PlaneLayout(chromaStep: .init(horizontal: 2, vertical: 2)))
    let file = DemandingFile(header, DecodingDemand())
    let context = DecodingContext()
    let plan = DecodePlan(of: file, resize: Resize(PixelSize(320, 240)), context: context)
    #expect(plan.reduction != nil && plan.byteCount < 6 << 20)
    let pixels = plan.throughPixels(of: file, context)
    #expect(pixels.reduction == nil && pixels.byteCount > 4000 * 3000 * 4)
    #expect(pixels.outputSize == plan.outputSize && pixels.region == plan.region)
  }
}
