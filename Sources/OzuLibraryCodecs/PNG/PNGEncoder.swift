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
/// them, and grey where it is grey; with an sRGB chunk, unless the options have a profile. Lossless, but for what multiplying by alpha has lost before.
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

  /// All; of a grey bitmap no profile.
  public var keptMetadata: MetadataKinds { .all }

  /// They are.
  public var writesColorCodes: Bool { true }

  /// Encodes a bitmap: fast, or with `EncodingOptions.effort` small.
  ///
  /// - Throws: `tooLarge` above 2,147,483,647 pixels a side; `failed` when memory is short, or the profile of the options is none for
  ///   red, green and blue.
  public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(EncodingError) -> Data {
    guard max(bitmap.size.width, bitmap.size.height) <= Int(Int32.max) else {
      throw .tooLarge(.png, bitmap.size)
    }
    try options.metadata.checkProfile(for: .png)
    let rows = PNGStoredRows(bitmap)
    var file = OzuBytes()
    do throws(PNGDeflater.Failure) {
      let plan = try PNGPlan(rows, effort: options.effort)
      try write(rows, plan, options.metadata, to: &file)
    } catch {
      free(file.bytes)
      throw .failed(.png, reason: "out of memory")
    }
    return file.data() ?? Data()
  }

  private func write(
    _ rows: PNGStoredRows, _ plan: PNGPlan, _ metadata: EncodedMetadata, to file: inout OzuBytes
  ) throws(PNGDeflater.Failure) {
    let size = rows.bitmap.size
    try PNGChunkWriter.appendHeader(
      size, bitDepth: rows.isDeep ? 16 : 8, colorType: rows.colorType, to: &file)
    try PNGChunkWriter.append(
      metadata, isGray: rows.bitmap.format == .gray8, rows.bitmap.colorSpace, to: &file)
    let deflater = try PNGDeflater(
      plan.method, isFiltered: plan.isFiltered, pieceByteCount: Self.chunkByteCount)
    try plan.forEachRow(of: rows, 0..<size.height) { (bytes, isLast) throws(PNGDeflater.Failure) in
      try deflater.deflate(bytes, isLast: isLast) { (piece) throws(PNGDeflater.Failure) in
        try PNGChunkWriter.append(chunk: "IDAT", piece, to: &file)
      }
    }
    try PNGChunkWriter.append(chunk: "IEND", [UInt8](), to: &file)
  }
}
