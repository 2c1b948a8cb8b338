import CCodecs
import OzuCodecs
import OzuImaging

/// The rows of the bitmap that a PNG is decoded into.
struct PNGRows {
  let size: PixelSize
  /// The bytes of the bitmap, used only while it is made: `size.height` rows, `bytesPerRow` apart.
  let pixels: UnsafeMutableRawBufferPointer
  let bytesPerRow: Int
  let format: PixelFormat
  let multipliesAlpha: Bool

  /// Converts rows that are completely decoded to the form of the bitmap.
  func finish(_ range: Range<Int>) {
    guard multipliesAlpha, let start = pixels.baseAddress else { return }
    for y in range { Premultiplication.apply(to: start + y * bytesPerRow, width: size.width, format) }
  }
}

/// One decode of a file by libpng; ends with the value.
///
/// The bytes must outlive it: it is made and used inside one `withBytes`, and cannot be copied out.
struct PNGSession: ~Copyable {
  private let decoder: OpaquePointer

  init(_ bytes: UnsafeRawBufferPointer) throws(ImageDecodingError) {
    let start = bytes.bindMemory(to: UInt8.self).baseAddress
    guard let decoder = ozu_png_decoder_new(start, bytes.count) else {
      throw .corrupt(.png, stage: PNGHeader.stage, reason: "out of memory")
    }
    self.decoder = decoder
  }

  deinit {
    ozu_png_decoder_free(decoder)
  }

  /// Reads the chunks before the pixels.
  func open(
    size: PixelSize, format: PixelFormat, wantsPartial: Bool
  ) throws(ImageDecodingError) -> (passCount: Int, hasAlpha: Bool) {
    var passCount: Int32 = 1
    var hasAlpha = false
    let status = ozu_png_decoder_open(
      decoder, UInt32(size.width), UInt32(size.height), format.pixels, wantsPartial, &passCount, &hasAlpha)
    switch status {
    case .done, .more: return (Int(passCount), hasAlpha)
    case .truncated: throw .truncated(.png, stage: PNGHeader.stage)
    case .failed: throw failure(stage: PNGHeader.stage)
    }
  }

  func readRows(_ rows: PNGRows, _ range: Range<Int>, fillsBlocks: Bool) -> OzuStatus {
    let memory = OzuRows(
      range, of: rows.pixels, bytesPerRow: rows.bytesPerRow, width: rows.size.width, format: rows.format)
    return ozu_png_decoder_read_rows(decoder, memory, fillsBlocks)
  }

  /// The last message of the library, as an error.
  func failure(stage: String) -> ImageDecodingError {
    .corrupt(.png, stage: stage, reason: String(cString: ozu_png_decoder_message(decoder)))
  }
}
