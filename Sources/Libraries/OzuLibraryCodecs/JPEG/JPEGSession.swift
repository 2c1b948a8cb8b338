import CCodecs
import OzuCodecs
import OzuImaging

/// One decode of a file by libjpeg; ends with the value.
///
/// The library reads the caller's bytes: those of a whole file while the value lives, or the bytes that have
/// arrived, for one call.
struct JPEGSession: ~Copyable {
  let decoder: OpaquePointer

  /// Makes a session that has no bytes yet.
  init() throws(ImageDecodingError) {
    guard let decoder = ozu_jpeg_decoder_new() else {
      throw .corrupt(.jpeg, stage: JPEGHeader.stage, reason: "out of memory")
    }
    self.decoder = decoder
  }

  /// Opens a whole file. Its bytes must outlive the session: it is made and used inside one `withBytes`, and cannot
  /// be copied out.
  ///
  /// - Parameter plan: the plan for this file. Its size is compared with the size that the library reads.
  static func open(
    _ bytes: UnsafeRawBufferPointer, plan: DecodePlan, memoryLimit: Int, keepsGray: Bool = false
  ) throws(ImageDecodingError) -> JPEGSession {
    let session = try JPEGSession()
    let decoder = session.decoder
    ozu_jpeg_decoder_lend(decoder, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, true)
    guard try session.readHeader(plan: plan, memoryLimit: memoryLimit) else {
      throw .truncated(.jpeg, stage: JPEGHeader.stage)
    }
    if keepsGray {
      guard ozu_jpeg_decoder_keep_gray(decoder) else { throw session.failure(stage: JPEGHeader.stage) }
    }
    guard ozu_jpeg_decoder_start(decoder) == .done else { throw session.failure(stage: JPEGHeader.stage) }
    return session
  }

  deinit {
    ozu_jpeg_decoder_free(decoder)
  }

  /// Reads the header again with the library, and checks that both agree; `false` if bytes are missing.
  func readHeader(plan: DecodePlan, memoryLimit: Int) throws(ImageDecodingError) -> Bool {
    var width: Int32 = 0
    var height: Int32 = 0
    switch ozu_jpeg_decoder_open(decoder, Int32(plan.eighths), memoryLimit, &width, &height) {
    case .done, .more: break
    case .truncated: return false
    case .failed: throw failure(stage: JPEGHeader.stage)
    }
    guard plan.decodedSize == PixelSize(Int(width), Int(height)) else {
      throw .corrupt(.jpeg, stage: JPEGHeader.stage, reason: "it declares two sizes")
    }
    return true
  }

  /// The last message of the library, as an error.
  func failure(stage: String) -> ImageDecodingError {
    .corrupt(.jpeg, stage: stage, reason: String(cString: ozu_jpeg_decoder_message(decoder)))
  }
}
