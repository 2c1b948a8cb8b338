import Foundation
import OzuCodecs
import OzuImaging
import OzuLibraryCodecs
import OzuStandardCodecs
import Testing

@Suite("JPEG header")
struct JPEGHeaderTests {
  @Test(
    "declares model, passes and size",
    arguments: [
      ("matrix/jpeg-baseline-420.jpg", ImageHeader.ColorModel.rgb, false, Self.planes(2, 2)),
      ("matrix/jpeg-baseline-422.jpg", .rgb, false, Self.planes(2, 1)),
      ("matrix/jpeg-440.jpg", .rgb, false, Self.planes(1, 2)),
      (
        "matrix/jpeg-progressive-444.jpg", .rgb, true,
        PlaneLayout(chromaStep: .init(horizontal: 1, vertical: 1))
      ),
      ("matrix/jpeg-gray.jpg", .gray, false, PlaneLayout(chromaStep: nil, stripRows: 8)),
      ("matrix/jpeg-cmyk-noprofile.jpg", .cmyk, false, nil),
      ("matrix/jpeg-rgb-colourspace.jpg", .rgb, false, nil),
      ("matrix/jpeg-arithmetic.jpg", .rgb, false, nil),
      ("matrix/jpeg-arith-progressive.jpg", .rgb, true, nil),
    ])
  func properties(
    path: String, model: ImageHeader.ColorModel, isProgressive: Bool, planeLayout: PlaneLayout?
  ) throws {
    let header = try CodecRegistry.standard.header(of: fixture(path))
    var expected = ImageHeader(
      type: .jpeg, storedSize: PixelSize(64, 48), colorModel: model, isProgressive: isProgressive,
      planeLayout: planeLayout)
    // A file with planes and a single scan can be cut between its groups of blocks.
    if let planeLayout, !isProgressive {
      let step = planeLayout.chromaStep ?? .init(horizontal: 1, vertical: 1)
      expected.regionUnit = PixelSize(8 * step.horizontal, 8 * step.vertical)
      expected.hasParts = true
    }
    #expect(header == expected)
  }

  /// Those of a sequential file.
  private static func planes(_ horizontal: Int, _ vertical: Int) -> PlaneLayout? {
    PlaneLayout(
      chromaStep: PlaneLayout.ChromaStep(horizontal: horizontal, vertical: vertical), stripRows: 8 * vertical)
  }

  @Test("does not read the data of the first scan")
  func prefix() throws {
    let data = try fixture("matrix/jpeg-baseline-420.jpg")
    let scan = try #require(data.range(of: Data([0xFF, 0xDA]))).lowerBound
    let header = try JPEGDecoder().open(data.prefix(scan + 14), limits: .default).header
    #expect(header.size == PixelSize(64, 48))
  }

  @Test("that ends at any place is truncated", arguments: [3, 4, 20, 100, 300])
  func truncated(byteCount: Int) throws {
    let data = try fixture("matrix/jpeg-baseline-420.jpg").prefix(byteCount)
    #expect(throws: ImageDecodingError.truncated(.jpeg, stage: "header")) {
      try JPEGDecoder().open(Data(data), limits: .default)
    }
  }

  @Test("without a height is an error")
  func noHeight() throws {
    let data = try fixture("bombs/jpeg-height-0-no-dnl.jpg")
    let error = #expect(throws: ImageDecodingError.self) { try CodecRegistry.standard.header(of: data) }
    #expect(error?.description.contains("height") == true)
  }

  @Test("of a slice of data is read from the slice")
  func slice() throws {
    let data = try Data([1, 2, 3]) + fixture("matrix/jpeg-gray.jpg")
    #expect(try CodecRegistry.standard.header(of: data.dropFirst(3)).colorModel == .gray)
  }

  @Test("says that a colour profile is not whole", arguments: [0, 1, 2, 3] as [UInt8])
  func incompleteProfile(number: UInt8) throws {
    var data = try fixture("icc/display-p3-two-segments-reversed.jpg")
    let place = try #require(data.range(of: Data("ICC_PROFILE\0".utf8))).upperBound
    let isWhole = data[place] == number
    data[place] = number
    let header = try CodecRegistry.standard.header(of: data)
    #expect((header.colorProfileName != nil) == isWhole)
    #expect(header.notes.isEmpty == isWhole)
  }

  @Test("finds a colour profile in segments of any order")
  func profile() throws {
    let header = try CodecRegistry.standard.header(of: fixture("icc/display-p3-two-segments-reversed.jpg"))
    #expect(header.colorProfileName == "sP3")
  }
}
