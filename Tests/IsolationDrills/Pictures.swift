#if os(Linux)
  import Foundation
  import Glibc
  import OzuImaging
  import OzuIsolation

  /// A helper whose only decoder ends the process when a drawing says so, as a library does that meets what its authors
  /// did not expect.
  enum Pictures {
    static func run() {
      var codecs = CodecRegistry()
      codecs.register(decoder: FragileDecoder())
      WorkerMain.runIfHelper(CommandLine.arguments) { [codecs] _ in PictureWorker(codecs: codecs) }
    }

    private struct FragileDecoder: ImageDecoding {
      var types: [ImageType] { [.svg] }

      func open(_ data: Data, limits: DecodingLimits) throws(DecodingError) -> any ImageFile {
        throw .corrupt(.svg, stage: "header", reason: "it is only drawn whole")
      }

      func makePicture(
        from data: Data, resize: Resize?, context: DecodingContext
      ) throws(DecodingError) -> Picture? {
        if data.range(of: Data("<crash/>".utf8)) != nil { abort() }
        let header = ImageHeader(type: .svg, storedSize: PixelSize(60, 40))
        return Picture(Bitmap(size: header.storedSize) { _, _ in .black }, header: header)
      }
    }
  }
#endif
