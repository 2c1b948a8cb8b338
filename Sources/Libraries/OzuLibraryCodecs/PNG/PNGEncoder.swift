import CCodecs
import OzuBase
import OzuCodecs
import OzuImaging

/// Writes PNG in the smallest layout that keeps every pixel: without alpha if all are opaque, in grey if all are grey,
/// with a palette if they have at most 256 colours and that takes fewer bytes; else RGB, and RGBA with the colours divided
/// by alpha; in 16 bits if the bitmap has them; with an sRGB chunk, unless the options have a profile. Lossless, except for
/// the rounding of premultiplied colours, and except for `EncodingOptions.colorLimit`.
///
/// Photographs and drawings need different methods. The filtered bytes of a photograph have no repetitions and only
/// their frequencies matter; ISA-L compresses them in a tenth of zlib's time. The bytes of a drawing do repeat,
/// which filters would disturb and zlib finds. A sample of the rows decides.
public struct PNGEncoder: ImageEncoding {
  static let chunkByteCount = 128 << 10

  /// Makes an encoder.
  public init() {}

  /// PNG.
  public var type: ImageType { .png }

  /// Always true.
  public var keepsAlpha: Bool { true }

  /// Always false.
  public var hasQuality: Bool { false }

  /// All kinds; no profile for a grey bitmap.
  public var keptMetadata: MetadataKinds { .all }

  /// Always true.
  public var writesColorCodes: Bool { true }

  /// Encodes a bitmap: fast, or to a small file with `EncodingOptions.effort`.
  ///
  /// - Throws: `tooLarge` above 2,147,483,647 pixels a side; `failed` if memory is short, or if the profile of the
  ///   options is not one for red, green and blue.
  public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
    guard max(bitmap.size.width, bitmap.size.height) <= Int(Int32.max) else {
      throw .tooLarge(.png, bitmap.size)
    }
    try options.metadata.checkProfile(for: .png)
    let bitmap = Self.reduced(bitmap, options)
    // A profile for colours cannot be written beside grey, nor is it known what codes for colours mean there.
    var keepsColor = options.metadata.colorProfile != nil
    if case .coded = bitmap.colorSpace { keepsColor = true }
    let layouts = PNGLayout.smallest(for: bitmap, keepsColor: keepsColor)
      .map { PNGStoredRows(bitmap: bitmap, layout: $0) }
    var file = OzuBytes()
    do throws(PNGDeflater.Failure) {
      try write(PNGPlan(layouts, effort: options.effort), options.metadata, to: &file)
    } catch {
      free(file.bytes)
      throw .failed(.png, reason: "out of memory")
    }
    return file.data() ?? Data()
  }

  /// The picture in the colours that the options allow.
  static func reduced(_ bitmap: Bitmap, _ options: EncodingOptions) -> Bitmap {
    guard let limit = options.colorLimit else { return bitmap }
    return bitmap.reduced(toColors: min(max(limit, 2), 256), effort: options.effort)
  }

  private func write(
    _ plan: PNGPlan, _ metadata: EncodedMetadata, to file: inout OzuBytes
  ) throws(PNGDeflater.Failure) {
    let (bitmap, layout) = (plan.rows.bitmap, plan.rows.layout)
    try PNGChunkWriter.appendHeader(
      bitmap.size, bitDepth: UInt8(layout.bitDepth), colorType: layout.colorType, to: &file)
    try PNGChunkWriter.append(
      metadata, isGray: layout.isGray || bitmap.format == .gray8, bitmap.colorSpace, to: &file)
    if let palette = layout.palette {
      try PNGChunkWriter.append(chunk: "PLTE", palette.colors, to: &file)
      let alphas = palette.alphas
      if !alphas.isEmpty { try PNGChunkWriter.append(chunk: "tRNS", alphas, to: &file) }
    }
    try plan.deflate { (piece) throws(PNGDeflater.Failure) in
      try PNGChunkWriter.append(chunk: "IDAT", piece, to: &file)
    }
    try PNGChunkWriter.append(chunk: "IEND", [UInt8](), to: &file)
  }
}

extension PNGEncoder: AnimationEncoding {
  /// Begins an animated PNG: RGB in 8 bits, with alpha if a frame has it, lossless. Readers that do not support
  /// animation show the first frame.
  ///
  /// - Throws: `tooLarge` above 2,147,483,647 pixels a side; `failed` if memory is short.
  public func makeWriter(
    canvas: PixelSize, loopCount: Int, options: EncodingOptions
  ) throws(ImageEncodingError) -> any AnimationWriting {
    try PNGAnimationWriter(canvas: canvas, loopCount: loopCount, options: options)
  }
}
