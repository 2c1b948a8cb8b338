import Foundation
import JPEGOracle
import OzuCodecs
import OzuImaging
import OzuLibraryCodecs
import OzuStandardCodecs
import Testing

@Suite("Codecs in Swift alone")
struct PureSwiftCodecsTests {
  static let thumbnails = [
    JPEGVariant(PixelSize(640, 480), sampling: (2, 2)),
    JPEGVariant(PixelSize(640, 480), sampling: (1, 1), isProgressive: true),
    JPEGVariant(PixelSize(640, 480), isGray: true),
  ]

  @Test("make the same thumbnail of a JPEG as the standard codecs", arguments: thumbnails)
  func thumbnail(variant: JPEGVariant) throws {
    let resize = Resize(PixelSize(64, 48), mode: .fill)
    let picture = try CodecRegistry.pureSwift.picture(from: variant.data, resize: resize)
    #expect(picture.size == PixelSize(64, 48))
    #expect(
      picture.bitmap == (try CodecRegistry.libraries.picture(from: variant.data, resize: resize).bitmap))
    let metadata = try CodecRegistry.pureSwift.metadata(of: variant.data)
    #expect(try metadata == CodecRegistry.libraries.metadata(of: variant.data))
  }

  @Test("read GIF, BMP and icons", arguments: ["gif-palette.gif", "bmp-rgb24.bmp"])
  func formats(name: String) throws {
    let data = try fixture("matrix/\(name)")
    let picture = try CodecRegistry.pureSwift.picture(from: data)
    #expect(picture.bitmap == (try CodecRegistry.standard.picture(from: data).bitmap))
  }

  @Test("refuse a JPEG that needs a full decoder, with the reason")
  func wholePictures() throws {
    let large = JPEGVariant(PixelSize(64, 48)).data
    let error = #expect(throws: ImageDecodingError.self) { try CodecRegistry.pureSwift.picture(from: large) }
    guard case .unsupportedType(.jpeg, let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("thumbnails only"))
  }

  @Test("refuse an icon that is a PNG, unless they have a decoder for it")
  func icons() throws {
    let icon = try fixture("matrix/ico-png.ico")
    #expect(throws: ImageDecodingError.self) { try CodecRegistry.pureSwift.picture(from: icon) }
    var codecs = CodecRegistry.pureSwift
    codecs.register(decoder: ICODecoder(png: PNGDecoder()))
    #expect(
      try codecs.picture(from: icon).bitmap == (try CodecRegistry.standard.picture(from: icon).bitmap))
  }

  @Test("refuse every other format, with the reason")
  func absence() throws {
    let error = #expect(throws: ImageDecodingError.self) {
      try CodecRegistry.pureSwift.picture(from: fixture("matrix/anim.png"))
    }
    guard case .unsupportedType(.png, let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("C library"))
  }
}
