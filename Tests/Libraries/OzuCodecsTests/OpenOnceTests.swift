import CCodecs
import Foundation
import OzuBase
import OzuCodecs
import OzuImaging
import Testing

@testable import OzuLibraryCodecs

/// A decoder over one of the libraries whose constructor counts its calls.
private struct CountedDecoder: ImageDecoding {
  private final class Count: Sendable {
    let value = Atomic(0)
  }

  private let library: LibraryDecoder
  private let count: Count

  init(_ library: LibraryDecoder) {
    let count = Count()
    let opening = library.opening
    var counted = LibraryDecoder(type: library.type, signature: library.signature) {
      count.value.add(1, ordering: .relaxed)
      return opening($0, $1, $2)
    }
    counted.isDrawing = library.isDrawing
    counted.thumbnail = library.thumbnail
    counted.feed = library.feed
    self.library = counted
    self.count = count
  }

  /// How often the library opened a file.
  var openCount: Int { count.value.load(ordering: .relaxed) }

  var types: [ImageType] { library.types }

  func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
    try library.open(data, limits: limits)
  }
}

@Suite("A library opens a file once")
struct OpenOnceTests {
  private static let drawing = Data(
    """
    <svg xmlns='http://www.w3.org/2000/svg' width='64' height='48'>
    <rect width='32' height='48' fill='red'/></svg>
    """.utf8)

  /// The libraries, each with a file. The traits decide which decoders are in the build.
  private static var files: [(LibraryDecoder, Data)] {
    get throws {
      var files: [(LibraryDecoder, Data)] = []
      #if SVG
        files.append((SVGDecoder().library, drawing))
      #endif
      #if AVIF
        for path in ["matrix/avif-420-q90.avif", "matrix/avif-alpha.avif", "matrix/anim.avif"] {
          files.append((AVIFDecoder().library, try fixture(path)))
        }
      #endif
      #if HEIF
        for path in ["matrix/heic-420.heic", "matrix/heic-alpha-444.heic"] {
          files.append((HEIFDecoder().library, try fixture(path)))
        }
      #endif
      #if JXL
        for path in ["matrix/jxl-lossy.jxl", "matrix/jxl-lossless-alpha.jxl", "matrix/anim.jxl"] {
          files.append((JXLDecoder().library, try fixture(path)))
        }
      #endif
      #if TIFF
        for path in ["matrix/tiff-raw.tif", "matrix/tiff-rgba-lzw.tif"] {
          files.append((TIFFDecoder().library, try fixture(path)))
        }
      #endif
      return files
    }
  }

  private static let recipes: [Resize?] = [
    nil, Resize(PixelSize(20, 15)), Resize(PixelSize(5, 5), mode: .aspectFill, crops: true),
    Resize(PixelSize(20, 15), light: .linear),
  ]

  @Test("to make a picture of it and all frames", arguments: recipes)
  func picture(resize: Resize?) throws {
    for (library, data) in try Self.files {
      let decoder = CountedDecoder(library)
      var codecs = CodecRegistry()
      codecs.register(decoder: decoder)
      let picture = try codecs.picture(from: data, resize: resize)
      #expect(picture.size.width > 0)
      #expect(decoder.openCount == 1, "\(library.type.displayName)")
      guard let animation = picture.animation else { continue }
      // Backwards too: the library then starts again, with the same decoder.
      for index in Array(0..<animation.frameCount) + [0] {
        #expect(try animation.frame(at: index).size == picture.size)
      }
      #expect(decoder.openCount == 1, "\(library.type.displayName), \(animation.frameCount) frames")
    }
  }

  @Test("to read the header now and make the picture later")
  func deferred() throws {
    for (library, data) in try Self.files {
      let decoder = CountedDecoder(library)
      var codecs = CodecRegistry()
      codecs.register(decoder: decoder)
      let picture = try codecs.deferredPicture(from: data)
      try picture.decode()
      #expect(decoder.openCount == 1, "\(library.type.displayName)")
    }
  }
}
