import Foundation
import OzuCodecs
import OzuImaging
import OzuStandardCodecs
import Testing

@Suite("Variants of formats")
struct VariantTests {
  static let variants: [(file: String, reference: String, tolerance: Int)] = [
    ("bmp-gray.bmp", "gray", 0), ("bmp-palette.bmp", "palette", 0), ("bmp-rgb24.bmp", "rgb", 0),
    ("gif-palette.gif", "palette", 0), ("gif-palette-interlaced.gif", "palette", 0),
    ("anim.gif", "anim-gif-0", 0), ("ico-png.ico", "rgba-32", 0), ("anim.avif", "anim-0", 90),
    ("avif-420-q90.avif", "rgb", 110), ("avif-444-q90.avif", "rgb", 60), ("avif-alpha.avif", "rgba", 90),
    ("jpeg-arithmetic.jpg", "rgb", 110), ("jpeg-arith-progressive.jpg", "rgb", 110),
    ("heic-420.heic", "rgb", 110), ("heic-alpha-444.heic", "rgba", 110),
    ("jxl-lossless-alpha.jxl", "rgba", 0), ("jxl-lossless.jxl", "rgb", 0), ("jxl-lossy.jxl", "rgb", 70),
    ("tiff-g4.tif", "bilevel", 0), ("tiff-jpeg.tif", "rgb", 110), ("tiff-packbits.tif", "rgb", 0),
    ("tiff-raw.tif", "rgb", 0), ("tiff-rgba-lzw.tif", "rgba", 0),
    ("tiff-tiff_adobe_deflate.tif", "rgb", 0), ("tiff-tiff_lzw.tif", "rgb", 0),
  ].filter { isDecodable($0.0) }

  @Test("all decode to the same picture", arguments: variants)
  func pixels(file: String, reference: String, tolerance: Int) throws {
    let bitmap = try picture("matrix/\(file)").bitmap
    let expected = try picture("matrix/ref/\(reference).png").bitmap
    #expect(bitmap.largestDifference(from: expected) <= tolerance)
    #expect(bitmap.meanDifference(from: expected) < 10)
  }

  @Test("give only the part that exists if they are truncated", arguments: variants)
  func cut(file: String, reference: String, tolerance: Int) throws {
    let data = try fixture("matrix/\(file)")
    for count in [0, 5, 13, 20, 60, data.count / 2, data.count * 9 / 10, data.count * 97 / 100] {
      let context = DecodingContext(allowsTruncation: true)
      do throws(ImageDecodingError) {
        let part = try CodecRegistry.standard.picture(from: data.prefix(count), context: context)
        #expect(!part.size.isEmpty)
        #expect(part.notes.contains { $0.hasPrefix("the file is cut off") }, "\(count) bytes")
        // Of a still AVIF or HEIC there is nothing before all is there.
        let isWholeOrNothing = file != "anim.avif" && (file.hasSuffix("avif") || file.hasSuffix("heic"))
        #expect(!isWholeOrNothing, "\(count) bytes")
      } catch {
        #expect(!error.description.isEmpty)
      }
    }
  }

  /// A cut upload is a file that can be sent again; a corrupt one is not.
  @Test(
    "are truncated and not corrupt if they are cut off",
    arguments: variants.filter { !$0.file.hasSuffix("heic") })
  func truncated(file: String, reference: String, tolerance: Int) throws {
    let data = try fixture("matrix/\(file)")
    for count in [100, data.count / 3, data.count / 2, data.count * 9 / 10] {
      do throws(ImageDecodingError) {
        let part = try CodecRegistry.standard.picture(from: data.prefix(count))
        // Later frames are missing.
        #expect(part.notes.contains { $0.hasPrefix("the file is cut off") }, "\(count) bytes")
      } catch {
        guard case .truncated = error else {
          Issue.record("\(count) bytes: \(error)")
          continue
        }
      }
    }
  }
}
