import CCodecs
import OzuCodecs
import OzuImaging

/// One file being decoded by libjpeg; ends with the value.
///
/// The bytes must outlive it: it is made and used inside one `withBytes`, and cannot be copied out.
struct JPEGSession: ~Copyable {
  let decoder: OpaquePointer

  init(_ bytes: UnsafeRawBufferPointer) throws(DecodingError) {
    let start = bytes.bindMemory(to: UInt8.self).baseAddress
    guard let decoder = ozu_jpeg_decoder_new(start, bytes.count) else {
      throw .corrupt(.jpeg, stage: JPEGHeader.stage, reason: "out of memory")
    }
    self.decoder = decoder
  }

  deinit {
    ozu_jpeg_decoder_free(decoder)
  }

  /// Reads the header again, by the library, and makes sure that both agree.
  func open(
    plan: DecodePlan, memoryLimit: Int, keepsGray: Bool = false, keepsPlanes: Bool = false
  ) throws(DecodingError) {
    var width: Int32 = 0
    var height: Int32 = 0
    switch ozu_jpeg_decoder_open(decoder, Int32(plan.eighths), memoryLimit, &width, &height) {
    case .done, .more: break
    case .truncated: throw .truncated(.jpeg, stage: JPEGHeader.stage)
    case .failed: throw failure(stage: JPEGHeader.stage)
    }
    guard plan.decodedSize == PixelSize(Int(width), Int(height)) else {
      throw .corrupt(.jpeg, stage: JPEGHeader.stage, reason: "it declares two sizes")
    }
    if keepsGray {
      guard ozu_jpeg_decoder_keep_gray(decoder) else { throw failure(stage: JPEGHeader.stage) }
    }
    if keepsPlanes { ozu_jpeg_decoder_keep_planes(decoder) }
    guard ozu_jpeg_decoder_start(decoder) == .done else { throw failure(stage: JPEGHeader.stage) }
  }

  /// The library's last words as an error.
  func failure(stage: String) -> DecodingError {
    .corrupt(.jpeg, stage: stage, reason: String(cString: ozu_jpeg_decoder_message(decoder)))
  }
}
