import Foundation
import JPEGOracle
import OzuCodecs
import OzuImaging
import OzuLibraryCodecs
import OzuStandardCodecs
import Testing

/// The memory for pixels has the size of the plan, and libjpeg writes the size of the file: so both must be
/// compared.
@Suite("JPEG decoder with a plan for another size")
struct JPEGTwoSizesTests {
  private let refused = ImageDecodingError.corrupt(.jpeg, stage: "header", reason: "it declares two sizes")

  private func header(_ size: PixelSize, _ data: Data) throws -> ImageHeader {
    let own = try CodecRegistry.standard.header(of: data)
    return ImageHeader(
      type: .jpeg, storedSize: size, isProgressive: own.isProgressive, planeLayout: own.planeLayout)
  }

  @Test(
    "makes no pixels from a file of another size than planned",
    arguments: [PixelSize(72, 48), PixelSize(64, 56), PixelSize(61, 48), PixelSize(64, 47)], [false, true])
  func pixels(planned: PixelSize, isProgressive: Bool) throws {
    let data = JPEGVariant(PixelSize(64, 48), isProgressive: isProgressive).data
    let header = try header(planned, data)
    #expect(throws: refused) {
      try JPEGDecoder().open(data, limits: .default).decode(
        DecodePlan(header: header, resize: nil), context: .init())
    }
  }

  @Test(
    "makes no rows from it either", arguments: [PixelSize(440, 304), PixelSize(400, 328)], [false, true])
  func rows(planned: PixelSize, isProgressive: Bool) throws {
    let data = JPEGVariant(PixelSize(400, 304), isProgressive: isProgressive).data
    let header = try header(planned, data)
    // Too large for the reduced decoder.
    let size = PixelSize(planned.width * 2 / 3, planned.height * 2 / 3)
    let plan = DecodePlan(header: header, resize: Resize(size, mode: .fill))
    try #require(plan.reduction == nil)
    #expect(throws: refused) {
      try JPEGDecoder().open(data, limits: .default).render(plan, context: .init())
    }
  }
}
