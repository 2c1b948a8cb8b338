#if JXL
  import Foundation
  import OzuCodecs
  import OzuStandardCodecs
  import OzuImaging
  import Testing

  @Suite("JPEG XL decoder")
  struct JXLDecoderTests {
    @Test(
      "reports a truncated file, wherever it ends",
      arguments: ["matrix/jxl-lossless.jxl", "matrix/jxl-lossy.jxl", "matrix/jxl-lossless-alpha.jxl"])
    func truncated(path: String) throws {
      let data = try fixture(path)
      for count in stride(from: 40, to: data.count - 20, by: max(1, data.count / 37)) {
        let error = #expect(throws: ImageDecodingError.self) {
          try CodecRegistry.standard.picture(from: data.prefix(count))
        }
        guard case .truncated(.jxl, _) = error else {
          Issue.record("\(count) bytes: \(String(describing: error))")
          return
        }
      }
    }
  }
#endif
