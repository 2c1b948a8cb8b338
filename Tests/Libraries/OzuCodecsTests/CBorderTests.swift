import CCodecs
import Foundation
import OzuImaging
import Testing

@testable import OzuLibraryCodecs

/// The C code writes nothing to memory that is for another picture.
@Suite("Memory that C receives")
struct CBorderTests {
  /// Calls a closure with memory for the rows of a picture, and with rows that are wrong in one respect each.
  /// Nothing may be written to any of them.
  ///
  /// - Parameter attempt: returns whether the rows were refused.
  private static func refuses(
    _ size: PixelSize, _ format: PixelFormat = .bgra8, mayBeShorter: Bool = false,
    _ attempt: (OzuRows) -> Bool
  ) {
    let bytesPerRow = Bitmap.bytesPerRow(width: size.width, format: format)
    // Enough for everything that a wrong function could write.
    var bytes = [UInt8](repeating: 0xA5, count: (size.height + 64) * (bytesPerRow + 64) * 8)
    bytes.withUnsafeMutableBytes { bytes in
      let right = OzuRows(bytes, bytesPerRow: bytesPerRow, size: size, format: format)
      var changes: [(String, (inout OzuRows) -> Void)] = [
        ("no memory", { $0.bytes = nil }), ("a narrow picture", { $0.width -= 1 }),
        ("a wide picture", { $0.width += 1 }), ("a high picture", { $0.height += 1 }),
        ("short rows", { $0.bytes_per_row = size.width * format.bytesPerPixel - 1 }),
        ("no rows", { $0.bytes_per_row = 0 }),
      ]
      for other in PixelFormat.allCases where other != format {
        changes.append(("\(other)", { $0.format = other.pixels }))
      }
      if !mayBeShorter { changes.append(("a low picture", { $0.height -= 1 })) }
      for (name, change) in changes {
        var rows = right
        change(&rows)
        #expect(attempt(rows), "\(name) is taken")
        #expect(bytes.allSatisfy { $0 == 0xA5 }, "\(name) is written to")
      }
    }
  }

  private static func withFile<Result>(
    _ path: String, _ body: (UnsafePointer<UInt8>, Int) throws -> Result
  ) throws -> Result {
    try fixture(path).withUnsafeBytes { bytes in
      try body(#require(bytes.bindMemory(to: UInt8.self).baseAddress), bytes.count)
    }
  }

  static let libraries = [
    "matrix/avif-420-q90.avif", "matrix/heic-420.heic", "matrix/jxl-lossy.jxl", "matrix/tiff-raw.tif",
  ].filter(isDecodable)

  @Test("for another picture is refused by every library", arguments: libraries)
  func pictures(path: String) throws {
    typealias Opening = (UnsafePointer<UInt8>?, Int, OzuPictureLimits) -> OpaquePointer?
    var openings: [String: Opening] = [:]
    #if AVIF
      openings["avif"] = { ozu_avif_decoder_new($0, $1, $2) }
    #endif
    #if HEIF
      openings["heic"] = { ozu_heif_decoder_new($0, $1, $2) }
    #endif
    #if JXL
      openings["jxl"] = { ozu_jxl_decoder_new($0, $1, $2) }
    #endif
    #if TIFF
      openings["tif"] = { ozu_tiff_decoder_new($0, $1, $2) }
    #endif
    let name = String(path[path.index(after: path.lastIndex(of: ".") ?? path.startIndex)...])
    let open = try #require(openings[name])
    try Self.withFile(path) { start, count in
      let limits = OzuPictureLimits(side: 10_000, pixels: 1 << 24, frames: 10, bytes: 1 << 28)
      let decoder = try #require(open(start, count, limits))
      defer { ozu_picture_free(decoder) }
      var info = OzuPictureInfo()
      #expect(ozu_picture_open(decoder, &info) == .done)
      Self.refuses(PixelSize(Int(info.width), Int(info.height))) { ozu_picture_step(decoder, $0) == .failed }
      #expect(String(cString: ozu_picture_message(decoder)) == "the memory is for another picture")
    }
  }

  private static func withJPEG(
    _ path: String, isWhole: Bool = true, _ prepare: (OpaquePointer) -> Void = { _ in },
    _ body: (OpaquePointer, PixelSize) throws -> Void
  ) throws {
    try withFile(path) { start, count in
      let decoder = try #require(ozu_jpeg_decoder_new())
      defer { ozu_jpeg_decoder_free(decoder) }
      #expect(ozu_jpeg_decoder_start(decoder) == .failed, "before it is open")
      #expect(ozu_jpeg_decoder_read_rows(decoder, OzuRows()) == .failed, "before it is open")
      ozu_jpeg_decoder_lend(decoder, start, count, isWhole)
      var (width, height): (Int32, Int32) = (0, 0)
      #expect(ozu_jpeg_decoder_open(decoder, 8, 1 << 26, &width, &height) == .done)
      prepare(decoder)
      #expect(ozu_jpeg_decoder_consume(decoder, 32) == .failed, "before it is started")
      #expect(ozu_jpeg_decoder_start_output(decoder) == .failed, "before it is started")
      #expect(ozu_jpeg_decoder_start(decoder) == .done)
      while ozu_jpeg_decoder_consume(decoder, 32) == .more {}
      #expect(ozu_jpeg_decoder_start_output(decoder) == .done)
      try body(decoder, PixelSize(Int(width), Int(height)))
    }
  }

  @Test(
    "for another picture is refused by the JPEG decoder",
    arguments: ["baseline-420", "progressive-444", "gray", "cmyk-noprofile"], [true, false])
  func jpeg(name: String, isWhole: Bool) throws {
    try Self.withJPEG("matrix/jpeg-\(name).jpg", isWhole: isWhole) { decoder, size in
      Self.refuses(size, mayBeShorter: true) { ozu_jpeg_decoder_read_rows(decoder, $0) == .failed }
    }
  }

  @Test("for grey is accepted only for a grey file")
  func grayJPEG() throws {
    try Self.withJPEG("matrix/jpeg-gray.jpg", { #expect(ozu_jpeg_decoder_keep_gray($0)) }) { decoder, size in
      Self.refuses(size, .gray8, mayBeShorter: true) { ozu_jpeg_decoder_read_rows(decoder, $0) == .failed }
    }
    try Self.withJPEG("matrix/jpeg-baseline-420.jpg", { #expect(!ozu_jpeg_decoder_keep_gray($0)) }) {
      decoder, size in
      Self.refuses(size, mayBeShorter: true) { ozu_jpeg_decoder_read_rows(decoder, $0) == .failed }
    }
  }

  @Test("for another picture is refused by the PNG decoder", arguments: PixelFormat.allCases)
  func png(format: PixelFormat) throws {
    let path = format == .gray8 ? "matrix/png-gray8.png" : "matrix/png-rgb8.png"
    let size = try CodecRegistry.standard.header(of: fixture(path)).storedSize
    try Self.withFile(path) { start, count in
      let decoder = try #require(ozu_png_decoder_new(start, count))
      defer { ozu_png_decoder_free(decoder) }
      var rows = OzuRows()
      #expect(ozu_png_decoder_read_rows(decoder, rows, false) == .failed, "before it is open")
      var (passes, hasAlpha): (Int32, Bool) = (0, false)
      #expect(
        ozu_png_decoder_open(
          decoder, UInt32(size.width), UInt32(size.height), format.pixels, false, &passes, &hasAlpha) == .done
      )
      // The caller chooses how many rows are read at a time; each is written once.
      Self.refuses(size, format, mayBeShorter: true) { wrong in
        rows = wrong
        return rows.height > UInt32(size.height) || ozu_png_decoder_read_rows(decoder, rows, false) == .failed
      }
    }
  }

  @Test("with impossible rows makes no decoder for a file that is still arriving")
  func feeds() {
    let size = PixelSize(31, 9)
    func refuses(_ attempt: (OzuRows) -> Bool) {
      Self.refuses(size, mayBeShorter: true) { rows in
        // The size of the file is compared later.
        let isSound = rows.bytes != nil && rows.format == .BGRA8 && rows.bytes_per_row / 4 >= Int(rows.width)
        return isSound || attempt(rows)
      }
    }
    refuses { ozu_png_feed_new($0) == nil }
    #if WebP
      refuses { ozu_webp_decoder_new($0) == nil }
      #expect(ozu_webp_decoder_new(OzuRows()) == nil)
      #expect(ozu_webp_planes_size(0, 8) == 0 && ozu_webp_planes_size(8, 16_385) == 0)
      #expect(ozu_webp_plane_decoder_new(nil, 96, 8, 8, false) == nil)
      var planes = [UInt8](repeating: 0, count: 96)
      #expect(ozu_webp_planes_size(8, 8) == planes.count && ozu_webp_planes_size(7, 7) == 88)
      #expect(ozu_webp_plane_decoder_new(&planes, planes.count - 1, 8, 8, false) == nil)
      #expect(ozu_webp_plane_decoder_new(&planes, 0, 0, 8, false) == nil)
    #endif
    #if JXL
      refuses { ozu_jxl_feed_new($0) == nil }
      #expect(ozu_jxl_feed_new(OzuRows()) == nil)
    #endif
  }

  #if WebP
    @Test("for another picture is refused by the WebP decoder", arguments: ["lossy", "lossless"])
    func webP(name: String) throws {
      let path = "matrix/webp-\(name).webp"
      let size = try CodecRegistry.standard.header(of: fixture(path)).storedSize
      try Self.withFile(path) { start, count in
        Self.refuses(size) { rows in
          guard let decoder = ozu_webp_decoder_new(rows) else { return true }
          defer { ozu_webp_decoder_free(decoder) }
          return ozu_webp_decoder_decode(decoder, start, count) == .failed
        }
      }
    }

    @Test("of another size is refused by the WebP decoder of planes")
    func webPPlanes() throws {
      let path = "matrix/webp-lossy.webp"
      let size = try CodecRegistry.standard.header(of: fixture(path)).storedSize
      var planes = [UInt8](repeating: 0xA5, count: 4 * size.pixelCount)
      try Self.withFile(path) { start, count in
        try planes.withUnsafeMutableBufferPointer { planes in
          for (width, height) in [(size.width - 1, size.height), (size.width, size.height + 1)] {
            let decoder = try #require(
              ozu_webp_plane_decoder_new(
                planes.baseAddress, planes.count, UInt32(width), UInt32(height), false))
            defer { ozu_webp_decoder_free(decoder) }
            #expect(ozu_webp_decoder_decode(decoder, start, count) == .failed)
            #expect(ozu_webp_decoder_take_rows(decoder).luma_count == 0)
          }
        }
      }
      #expect(planes.allSatisfy { $0 == 0xA5 })
    }
  #endif
}
