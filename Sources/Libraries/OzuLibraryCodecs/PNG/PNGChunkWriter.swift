import CCodecs
import OzuBase
import OzuCodecs
import OzuImaging

/// Appends the signature and the chunks of a PNG to a file that is being written (W3C PNG, third edition, §5.2 and §5.3).
enum PNGChunkWriter {
  static func appendHeader(
    _ size: PixelSize, bitDepth: UInt8, colorType: UInt8, to file: inout OzuBytes
  ) throws(PNGDeflater.Failure) {
    try append([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], to: &file)
    try append(
      chunk: "IHDR",
      size.width.bigEndianBytes(4) + size.height.bigEndianBytes(4)
        + [bitDepth, colorType, 0, 0, 0], to: &file)
  }

  static func append(
    chunk name: String, _ bytes: [UInt8], to file: inout OzuBytes
  ) throws(PNGDeflater.Failure) {
    let result = bytes.withUnsafeBytes { bytes -> Result<Void, PNGDeflater.Failure> in
      Result { () throws(PNGDeflater.Failure) in try append(chunk: name, bytes, to: &file) }
    }
    try result.get()
  }

  /// Appends a chunk: the length, the name, the bytes, and the checksum of name and bytes.
  ///
  /// - Parameter prefix: bytes of the chunk before `bytes`.
  static func append(
    chunk name: String, prefix: [UInt8] = [], _ bytes: UnsafeRawBufferPointer, to file: inout OzuBytes
  ) throws(PNGDeflater.Failure) {
    try append((prefix.count + bytes.count).bigEndianBytes(4), to: &file)
    let start = file.count
    try append(Array(name.utf8) + prefix, to: &file)
    if let base = bytes.baseAddress, !bytes.isEmpty {
      // C copies `bytes.count` bytes.
      guard ozu_bytes_append(&file, base.assumingMemoryBound(to: UInt8.self), bytes.count) else {
        throw PNGDeflater.Failure()
      }
    }
    // The bytes from `start` to the end were appended above.
    let sum = file.bytes.map { ozu_crc32($0 + start, file.count - start) } ?? 0
    try append(sum.bigEndianBytes(4), to: &file)
  }

  private static func append(_ bytes: [UInt8], to file: inout OzuBytes) throws(PNGDeflater.Failure) {
    guard ozu_bytes_append(&file, bytes, bytes.count) else { throw PNGDeflater.Failure() }
  }

  /// Appends the chunks about colours, and those of the metadata blocks (§11.3), all of which may come before the
  /// pixels. A grey picture gets no profile: it would have to be one for grey.
  static func append(
    _ metadata: EncodedMetadata, isGray: Bool, _ colorSpace: ColorSpaceTag, to file: inout OzuBytes
  ) throws(PNGDeflater.Failure) {
    if let profile = metadata.colorProfile, !isGray {
      // Any keyword, as the profile has its name inside; its end, the only method of compression.
      try append(chunk: "iCCP", Array("ICC profile".utf8) + [0, 0] + deflated(profile), to: &file)
    } else if case .coded(let primaries, let transfer) = colorSpace {
      // No matrix, and the full range, because PNG has nothing else (§11.3.2.6).
      try append(
        chunk: "cICP", [UInt8(clamping: primaries), UInt8(clamping: transfer), 0, 1], to: &file)
    } else {
      // The intent "perceptual".
      try append(chunk: "sRGB", [0], to: &file)
    }
    // Light is in units of 0.0001 (§11.3.2.7 and 8).
    if let display = metadata.lightLevels?.masteringDisplay(.redFirst) {
      try append(chunk: "mDCV", display, to: &file)
    }
    if let levels = metadata.lightLevels?.contentLevels(bytes: 4, units: LightLevels.lightUnits) {
      try append(chunk: "cLLI", levels, to: &file)
    }
    if let resolution = metadata.resolution?.valid {
      let perMeter = [resolution.horizontal, resolution.vertical].map {
        UInt32(clamping: max(1, $0 * PNGMetadata.inchesPerMeter), rounded: .toNearestOrAwayFromZero)
          .bigEndianBytes(4)
      }
      // 1 for metres.
      try append(chunk: "pHYs", perMeter[0] + perMeter[1] + [1], to: &file)
    }
    if let exif = metadata.exif { try append(chunk: "eXIf", [UInt8](exif), to: &file) }
    if let xmp = metadata.xmp {
      let keyword = PNGMetadata.xmpKeyword.withUTF8Buffer { Array($0) }
      // Not compressed, without a language.
      try append(chunk: "iTXt", keyword + [0, 0, 0, 0] + xmp, to: &file)
    }
  }

  private static func deflated(_ data: Data) throws(PNGDeflater.Failure) -> [UInt8] {
    let deflater = try PNGDeflater(.zlib(9), isFiltered: false, pieceByteCount: 16 << 10)
    var result: [UInt8] = []
    try data.withBytes { (bytes) throws(PNGDeflater.Failure) in
      try deflater.deflate(bytes, isLast: true) { result += $0 }
    }
    return result
  }
}

/// Compresses bytes that come in pieces to a zlib stream.
///
/// Unsafe: C gets pointers to the piece and to `output` for the time of a call.
final class PNGDeflater {
  /// The library that compresses.
  enum Method {
    /// ISA-L: about ten times as fast as zlib at its usual level, and as good for data with few repetitions.
    case fast
    case zlib(Int32)
  }

  /// Memory was short, or the library failed.
  struct Failure: Error {}

  private let deflater: OpaquePointer
  private let output: UnsafeMutableRawBufferPointer
  private var filledCount = 0

  /// - Parameters:
  ///   - isFiltered: whether the bytes are rows that were filtered.
  ///   - pieceByteCount: the bytes that `flush` receives at a time.
  init(_ method: Method, isFiltered: Bool, pieceByteCount: Int) throws(Failure) {
    let level: Int32 = if case .zlib(let level) = method { level } else { 0 }
    guard let deflater = ozu_deflater_new(level, isFiltered) else { throw Failure() }
    self.deflater = deflater
    output = .allocate(byteCount: pieceByteCount, alignment: 16)
  }

  deinit {
    ozu_deflater_free(deflater)
    output.deallocate()
  }

  /// Compresses bytes, and calls `flush` with each full piece of the stream.
  ///
  /// - Parameter isLast: whether the stream ends after them; then `flush` also receives the rest.
  func deflate(
    _ bytes: UnsafeRawBufferPointer, isLast: Bool,
    flush: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    var position = 0
    while true {
      var (used, written) = (0, 0)
      let status = ozu_deflater_step(
        deflater, bytes.baseAddress.map { ($0 + position).assumingMemoryBound(to: UInt8.self) },
        bytes.count - position, isLast, &used,
        output.baseAddress.map { ($0 + filledCount).assumingMemoryBound(to: UInt8.self) },
        output.count - filledCount, &written)
      position += used
      filledCount += written
      guard status == .done || status == .more else { throw Failure() }
      if filledCount == output.count || status == .done {
        try flush(UnsafeRawBufferPointer(rebasing: output[..<filledCount]))
        filledCount = 0
      }
      if status == .done { return }
      // Bytes that the library has kept back come out with the next call.
      if !isLast, position == bytes.count { return }
    }
  }
}
