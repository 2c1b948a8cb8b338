import CCodecs
import OzuBase
import OzuCodecs
import OzuImaging

/// Encodes through one of the libraries of the package traits: the common part of the encoders of WebP, AVIF and
/// JPEG XL.
struct LibraryEncoder: Sendable {
  typealias Encoding =
    @Sendable (
      UnsafePointer<OzuEncodeRequest>, UnsafeMutablePointer<OzuBytes>, UnsafeMutablePointer<CChar>, Int
    ) -> OzuStatus

  let type: ImageType
  let sideLimit: Int
  /// Whether the format supports 16 bits. Grey bitmaps are always written as colours.
  var acceptsDeep = false
  let encode: Encoding

  func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
    let format: PixelFormat = acceptsDeep && bitmap.format == .rgba16 ? .rgba16 : .bgra8
    let bitmap = bitmap.converted(to: format)
    let size = bitmap.size
    guard max(size.width, size.height) <= sideLimit else { throw .tooLarge(type, size) }
    try options.metadata.checkProfile(for: type)
    let quality = options.quality(for: type)
    // The pixels in the layout of the libraries: without padding, colours divided by alpha.
    let rowByteCount = size.width * format.bytesPerPixel
    let straight = UnsafeMutableRawBufferPointer.allocate(
      byteCount: rowByteCount * size.height, alignment: 16)
    defer { straight.deallocate() }
    bitmap.withUnsafeBytes { pixels in
      // Each row lies inside its memory.
      guard let from = pixels.baseAddress, let to = straight.baseAddress else { return }
      for y in 0..<size.height {
        let row = from + y * bitmap.bytesPerRow
        if format == .rgba16 {
          Premultiplication.undoWide(row, to: to + y * rowByteCount, width: size.width)
        } else {
          Premultiplication.undo(row, to: to + y * rowByteCount, width: size.width)
        }
      }
    }
    var (primaries, transfer) = (0, 0)
    if case .coded(let ownPrimaries, let ownTransfer) = bitmap.colorSpace {
      (primaries, transfer) = (ownPrimaries, ownTransfer)
    }
    var request = OzuEncodeRequest(
      pixels: straight.bindMemory(to: UInt8.self).baseAddress, bytes_per_row: rowByteCount,
      format: format.pixels,
      width: UInt32(size.width), height: UInt32(size.height), has_alpha: !bitmap.isOpaque,
      quality: QualityScale.parameter(of: type, at: quality),
      is_lossless: options.isLossless, effort: options.effort.value,
      // For WebP only if it is asked for, because it is slow there.
      chroma: options.chromaSubsampling.value(isFull: type == .avif),
      is_progressive: options.isProgressive, primaries: Int32(clamping: primaries),
      transfer: Int32(clamping: transfer), peak: Float(options.metadata.lightLevels?.maximumContent ?? 0),
      blocks: OzuEncodeBlocks())
    var file = OzuBytes()
    var message = [CChar](repeating: 0, count: 256)
    let status = options.metadata.withBlocks { blocks in
      request.blocks = blocks
      return encode(&request, &file, &message, message.count)
    }
    guard status == .done, let data = file.data() else {
      throw .failed(type, reason: message.text)
    }
    return data
  }
}

extension EncodingOptions.Effort {
  var value: OzuEffort {
    switch self {
    case .low: .low
    case .medium: .medium
    case .high: .high
    }
  }
}
