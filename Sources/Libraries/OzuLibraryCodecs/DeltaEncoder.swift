import CCodecs
import OzuBase
import OzuCodecs
import OzuImaging

/// Writes delta files: lossless, alpha included, for the disk cache.
public struct DeltaEncoder: ImageEncoding {
  /// The fastest level that uses all methods of zstd.
  private static let level: Int32 = 1

  /// Makes an encoder.
  public init() {}

  /// Ozu's own format.
  public var type: ImageType { .ozuDelta }

  /// Alpha and the premultiplied values are kept: nothing is lost.
  public var keepsAlpha: Bool { true }

  /// Always false.
  public var hasQuality: Bool { false }

  /// Encodes a bitmap of 8 bits. No option has an effect on this format.
  ///
  /// - Throws: `failed` if memory is short or the bitmap has another format.
  public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
    guard bitmap.format == .bgra8 else {
      throw .failed(.ozuDelta, reason: "the pixels are not BGRA")
    }
    let size = bitmap.size
    let header = DeltaFormat.Header(size: size, isOpaque: bitmap.isOpaque)
    guard let width = UInt32(exactly: size.width), let height = UInt32(exactly: size.height),
      let byteCount = header.planeByteCount
    else { throw .tooLarge(.ozuDelta, size) }
    let planes = DeltaPlanes(size: size, planeCount: header.planeCount)
    let capacity = DeltaFormat.headerByteCount + ozu_zstd_bound(byteCount)
    let memory = PixelBufferPool.shared.takeBlock(byteCount: byteCount)
    defer { PixelBufferPool.shared.giveBack(memory) }
    let start = memory.bindMemory(to: UInt8.self).baseAddress!
    bitmap.withUnsafeBytes { bytes in
      for y in 0..<size.height {
        let row = bytes.baseAddress! + y * bitmap.bytesPerRow
        planes.split(row: y, row.assumingMemoryBound(to: UInt32.self), to: start)
      }
    }
    planes.subtractRows(start)
    var file = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      let written = ozu_zstd_compress(
        start, byteCount, buffer.baseAddress! + DeltaFormat.headerByteCount,
        capacity - DeltaFormat.headerByteCount, Self.level)
      buffer[..<DeltaFormat.headerByteCount].initialize(repeating: 0)
      count = written == 0 ? 0 : DeltaFormat.headerByteCount + written
    }
    guard !file.isEmpty else { throw .failed(.ozuDelta, reason: "out of memory") }
    func put(_ value: UInt32, at offset: Int) {
      file.replaceSubrange(offset..<offset + 4, with: value.littleEndianBytes(4))
    }
    file.replaceSubrange(0..<4, with: DeltaFormat.signature)
    file[4] = DeltaFormat.version
    file[5] = header.isOpaque ? 1 : 0
    put(width, at: 6)
    put(height, at: 10)
    put(ozu_crc32(file, DeltaFormat.checkedByteCount), at: DeltaFormat.checkedByteCount)
    return Data(file)
  }
}
