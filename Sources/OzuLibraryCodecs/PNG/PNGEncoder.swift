import CCodecs
import OzuCodecs
import OzuImaging

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes PNG: RGB when all pixels are opaque, else RGBA with the colours divided by alpha; in 16 bits where the bitmap has
/// them, and grey where it is grey; with an sRGB chunk. Lossless, but for what multiplying by alpha has lost before.
///
/// Photographs and drawings need different means. Filtered, the bytes of a photograph repeat nothing and only their
/// frequencies count, which ISA-L finds in a tenth of zlib's time; those of a drawing are repeated as they are, which
/// filters disturb and zlib finds. A sample of the rows decides.
public struct PNGEncoder: ImageEncoding {
  /// The bytes of an IDAT chunk.
  static let chunkByteCount = 128 << 10

  /// Makes an encoder.
  public init() {}

  /// PNG.
  public var type: ImageType { .png }

  /// PNG has alpha.
  public var keepsAlpha: Bool { true }

  /// Encodes a bitmap: fast, or with `EncodingOptions.effort` small.
  ///
  /// - Throws: `tooLarge` above 2,147,483,647 pixels a side; `failed` when memory is short.
  public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(EncodingError) -> Data {
    guard max(bitmap.size.width, bitmap.size.height) <= Int(Int32.max) else {
      throw .tooLarge(.png, bitmap.size)
    }
    let rows = PNGStoredRows(bitmap)
    var file = OzuBytes()
    do throws(PNGDeflater.Failure) {
      let plan = try PNGPlan(rows, effort: options.effort)
      try write(rows, plan, to: &file)
    } catch {
      free(file.bytes)
      throw .failed(.png, reason: "out of memory")
    }
    return file.data() ?? Data()
  }

  private func write(
    _ rows: PNGStoredRows, _ plan: PNGPlan, to file: inout OzuBytes
  ) throws(PNGDeflater.Failure) {
    let size = rows.bitmap.size
    try appendHeader(size, bitDepth: rows.isDeep ? 16 : 8, colorType: rows.colorType, to: &file)
    let deflater = try PNGDeflater(
      plan.method, isFiltered: plan.isFiltered, pieceByteCount: Self.chunkByteCount)
    try plan.forEachRow(of: rows, 0..<size.height) { (bytes, isLast) throws(PNGDeflater.Failure) in
      try deflater.deflate(bytes, isLast: isLast) { (piece) throws(PNGDeflater.Failure) in
        try append(chunk: "IDAT", piece, to: &file)
      }
    }
    try append(chunk: "IEND", [UInt8](), to: &file)
  }

  /// Appends what stands before the pixels of every file.
  func appendHeader(
    _ size: PixelSize, bitDepth: UInt8, colorType: UInt8, to file: inout OzuBytes
  ) throws(PNGDeflater.Failure) {
    try append([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], to: &file)
    try append(
      chunk: "IHDR",
      UInt32(size.width).bigEndianBytes + UInt32(size.height).bigEndianBytes
        + [bitDepth, colorType, 0, 0, 0], to: &file)
    // Perceptual.
    try append(chunk: "sRGB", [0], to: &file)
  }

  func append(chunk name: String, _ bytes: [UInt8], to file: inout OzuBytes) throws(PNGDeflater.Failure) {
    let result = bytes.withUnsafeBytes { bytes -> Result<Void, PNGDeflater.Failure> in
      Result { () throws(PNGDeflater.Failure) in try append(chunk: name, bytes, to: &file) }
    }
    try result.get()
  }

  /// Appends a chunk: the length, the name, the bytes, and the checksum of name and bytes (third edition, §5.3).
  ///
  /// - Parameter prefix: what stands before the bytes.
  func append(
    chunk name: String, prefix: [UInt8] = [], _ bytes: UnsafeRawBufferPointer, to file: inout OzuBytes
  ) throws(PNGDeflater.Failure) {
    try append(UInt32(prefix.count + bytes.count).bigEndianBytes, to: &file)
    let start = file.count
    try append(Array(name.utf8) + prefix, to: &file)
    if let base = bytes.baseAddress, !bytes.isEmpty {
      // C copies so many bytes.
      guard ozu_bytes_append(&file, base.assumingMemoryBound(to: UInt8.self), bytes.count) else {
        throw PNGDeflater.Failure()
      }
    }
    // What was appended since `start` is there.
    let sum = file.bytes.map { ozu_crc32($0 + start, file.count - start) } ?? 0
    try append(sum.bigEndianBytes, to: &file)
  }

  func append(_ bytes: [UInt8], to file: inout OzuBytes) throws(PNGDeflater.Failure) {
    guard ozu_bytes_append(&file, bytes, bytes.count) else { throw PNGDeflater.Failure() }
  }
}

extension UInt32 {
  var bigEndianBytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: self >> (24 - 8 * $0)) } }
}
