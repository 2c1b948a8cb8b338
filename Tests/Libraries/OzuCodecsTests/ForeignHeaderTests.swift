import Foundation
import OzuCodecs
import OzuImaging
import OzuStandardCodecs
import OzuTesting
import Testing

/// `ImageFile` is public and takes a plan from its caller. The pixels that it writes must depend on the file alone.
@Suite("Files that are given the plan of another file")
struct ForeignHeaderTests {
  /// A file for every decoder, with and without the features that have code of their own.
  private static let files: [String] = [
    "matrix/avif-420-q90.avif", "matrix/avif-alpha.avif", "matrix/anim.avif", "orientation/avif-6.avif",
    "matrix/heic-420.heic", "matrix/heic-alpha-444.heic", "matrix/jxl-lossy.jxl", "matrix/anim.jxl",
    "matrix/jxl-lossless-alpha.jxl", "matrix/tiff-raw.tif", "matrix/tiff-g4.tif", "matrix/tiff-rgba-lzw.tif",
    "matrix/tiff-jpeg.tif", "matrix/webp-lossy.webp", "matrix/webp-lossless-alpha.webp",
    "matrix/anim-lossy.webp", "matrix/jpeg-baseline-420.jpg", "matrix/jpeg-gray.jpg",
    "matrix/jpeg-cmyk-noprofile.jpg", "matrix/jpeg-progressive-444.jpg", "matrix/jpeg-arithmetic.jpg",
    "matrix/png-rgb8.png", "matrix/png-gray16.png", "matrix/png-palette.png", "matrix/anim.png",
    "matrix/gif-palette.gif", "matrix/anim.gif", "matrix/bmp-rgb24.bmp", "matrix/bmp-palette.bmp",
    "matrix/ico-png.ico",
  ].filter(isDecodable)

  /// Headers that a file may be used with: smaller and larger ones, and ones of its size with wrong facts about its
  /// pixels.
  private static func foreignHeaders(_ own: ImageHeader) -> [ImageHeader] {
    let size = own.storedSize
    let sizes = [
      PixelSize(1, 1), PixelSize(size.width - 1, size.height), PixelSize(size.width, size.height + 1),
      PixelSize(size.height + 7, size.width), PixelSize(4 * size.width, 4 * size.height), PixelSize(900, 700),
    ]
    var headers = sizes.filter { !$0.isEmpty }.map { size in
      var header = own
      header.storedSize = size
      return header
    }
    for model in [ImageHeader.ColorModel.gray, .rgb, .cmyk] {
      for bits in [8, 16] {
        for hasAlpha in [false, true] {
          var header = own
          header.colorModel = model
          header.bitsPerComponent = bits
          header.hasAlpha = hasAlpha
          header.colorEncoding = nil
          headers.append(header)
        }
      }
    }
    let steps = [nil, PlaneLayout.ChromaStep(horizontal: 1, vertical: 1), .init(horizontal: 2, vertical: 1)]
    let sources = [PlaneLayout.Source.frequencies, .rows, .wholePlanes(bytesPerPixel: 3)]
    for step in steps {
      for source in sources {
        var header = own
        header.planeLayout = PlaneLayout(chromaStep: step, source: source)
        headers.append(header)
      }
    }
    var animated = own
    animated.frameCount = own.frameCount + 3
    headers.append(animated)
    return headers
  }

  private func contexts() -> [DecodingContext] {
    // Separate blocks, so that the address sanitizer sees their ends.
    let pool = PixelBufferPool(retainedByteLimit: 0)
    return [
      DecodingContext(pool: pool), DecodingContext(pool: pool, pixelFormats: .asStored),
      DecodingContext(pool: pool, allowsTruncation: true, pixelFormats: .asStored),
    ]
  }

  @Test("decode their own picture or nothing", arguments: Cases.every(2, of: files))
  func whole(path: String) throws {
    let data = try fixture(path)
    let file = try CodecRegistry.standard.open(data)
    let own = file.header.storedSize
    let expected = try file.decode(DecodePlan(header: file.header, resize: nil), context: DecodingContext())
    for header in Self.foreignHeaders(file.header) {
      for context in contexts() {
        for scales in [[8], file.scales.filter { $0 < 8 }] {
          let plan = DecodePlan(
            header: header, resize: scales == [8] ? nil : Resize(PixelSize(8, 8)), scales: scales)
          do throws(ImageDecodingError) {
            let bitmap = try file.decode(plan, context: context)
            // At its own size, or reduced as in a plan for its own size.
            #expect(bitmap.size == (plan.eighths == 8 ? own : plan.decodedSize), "\(header.storedSize)")
            if plan.eighths == 8, bitmap.format == .bgra8 { #expect(bitmap == expected) }
          } catch {
            #expect(!error.description.isEmpty)
          }
        }
      }
    }
  }

  @Test("render a picture of the plan or nothing", arguments: Cases.every(2, of: files))
  func planes(path: String) throws {
    let file = try CodecRegistry.standard.open(fixture(path))
    for header in Self.foreignHeaders(file.header) {
      for context in contexts() {
        for target in [PixelSize(3, 3), PixelSize(9, 7), PixelSize(20, 20)] {
          let plan = DecodePlan(header: header, resize: Resize(target, mode: .fill), scales: file.scales)
          let result = Result { () throws(ImageDecodingError) in try file.render(plan, context: context) }
          if case .success(let bitmap) = result { #expect(bitmap.size == plan.outputSize) }
        }
      }
    }
  }

  @Test("show previews of their own file or nothing", arguments: files)
  func incremental(path: String) throws {
    let data = try fixture(path)
    let decoder = try CodecRegistry.standard.decoder(for: data)
    let own = try decoder.open(data, limits: .default).header
    let other = try fixture("matrix/jpeg-baseline-444.jpg")
    for header in Self.foreignHeaders(own) {
      let plan = DecodePlan(header: header, resize: nil)
      // The second file is the same, or another one after the first half.
      for rest in [data, other] {
        let context = DecodingContext(pool: PixelBufferPool(retainedByteLimit: 0))
        do throws(ImageDecodingError) {
          let half = data.prefix(data.count / 2)
          guard case .opened(let file) = try decoder.open(beginning: half, limits: .default) else { return }
          for bytes in [half, rest] {
            guard let bitmap = try file.feed(bytes, plan: plan, context: context) else { continue }
            #expect([own.storedSize, header.storedSize].contains(bitmap.size))
          }
        } catch {
          #expect(!error.description.isEmpty)
        }
      }
    }
  }

  @Test("a drawing is drawn at the size of the plan, and refused at one that no library counts")
  func drawing() throws {
    let codecs = CodecRegistry.standardWithDrawings
    guard codecs.decodableTypes.contains(.svg) else { return }
    let data = Data("<svg xmlns='http://www.w3.org/2000/svg' width='20' height='10'/>".utf8)
    let file = try codecs.open(data)
    var header = file.header
    header.storedSize = PixelSize(33, 44)
    let bitmap = try file.decode(DecodePlan(header: header, resize: nil), context: DecodingContext())
    #expect(bitmap.size == header.storedSize)
    header.storedSize = PixelSize(1 << 32, 1)
    let uncountable = DecodePlan(header: header, resize: nil)
    #expect(throws: ImageDecodingError.self) { try file.decode(uncountable, context: DecodingContext()) }
  }
}
