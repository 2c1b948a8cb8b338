import OzuBase
import OzuImaging

/// Decodes Windows and OS/2 bitmaps, in Swift: palettes of 1, 2, 4 and 8 bits; 16, 24 and 32 bits with or without
/// masks and alpha; run lengths of 4, 8 and 24 bits; rows in both orders; with the header of a file or, as in some `.dib`, without it.
///
/// Pixels that a run-length coded file skips have the first colour of the palette. A picture of 32 bits whose alpha is 0
/// in every pixel is opaque. Bitmaps that contain a JPEG, a PNG or Huffman codes are not supported.
public struct BMPDecoder: ImageDecoding {
  /// Makes a decoder.
  public init() {}

  /// BMP.
  public var types: [ImageType] { [.bmp] }

  /// Opens a file: reads its headers, and whether any pixel has alpha.
  ///
  /// - Throws: `corrupt`, `truncated`, `unsupportedType`.
  /// - Complexity: O(1); O(pixels) for a file of 32 bits that declares alpha and has none.
  public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
    let hasFileHeader = data.span.hasBytes("BM", at: 0)
    return BMPFile(data, try BMPHeader(data.span, in: hasFileHeader ? .file : .bareFile))
  }

  /// The colour of missing pixels.
  static let missing: UInt32 = 0xFF80_8080
}

final class BMPFile: ImageFile {
  private static let imageStage = "pixels"
  private static let rowsPerCheckpoint = 64
  private static let runLengthsInIcon = "its pixels are run-length coded"

  private let data: Data
  private let details: BMPHeader
  /// Whether the alpha of the pixels means something.
  private let usesAlpha: Bool
  let header: ImageHeader

  private var isIcon: Bool { header.type == .ico }

  /// - Parameters:
  ///   - type: `bmp`, or `ico` for a bitmap with a mask below it.
  ///   - notes: notes about the icon.
  init(_ data: Data, _ details: BMPHeader, type: ImageType = .bmp, notes: [String] = []) {
    self.data = data
    self.details = details
    var header = details.imageHeader(type: type, of: data.span)
    usesAlpha = BMPRows(details).hasAlphaValues(data.span)
    header.hasAlpha = usesAlpha || type == .ico
    header.notes = notes
    if type == .ico, details.compression != .none { header.noteUnread(Self.runLengthsInIcon) }
    self.header = header
  }

  /// Decodes the picture.
  ///
  /// - Throws: `ImageDecodingError`; `truncated` if the file ends before the pixels do, unless the context allows it:
  ///   then the rest is grey, or transparent in an icon. A missing mask hides nothing.
  func decode(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    if isIcon, details.compression != .none {
      throw .unsupportedType(.ico, reason: Self.runLengthsInIcon)
    }
    try context.limits.checkDecodedByteCount(details.size.byteCount(as: .bgra8))
    return try data.withBytes { (bytes) throws(ImageDecodingError) in
      // The bytes of the file, bounds-checked from here on.
      let file = bytes.bindMemory(to: UInt8.self).span
      let isOpaque = !header.hasAlpha
      return try Bitmap(
        size: details.size, isOpaque: isOpaque, colorSpace: header.storedColorSpace, pool: context.pool
      ) { (pixels, bytesPerRow) throws(ImageDecodingError) in
        let canvas = PixelCanvas(pixels, bytesPerRow: bytesPerRow, size: details.size)
        let isWhole = try read(file, to: canvas, context)
        if !isWhole { try context.acceptTruncation(of: header.type, stage: Self.imageStage) }
        // Icons from before alpha was supported have the mask instead.
        if isIcon, !usesAlpha { BMPRows(details).applyMask(file, to: canvas) }
        if !isOpaque, context.alpha == .premultiplied { canvas.premultiply() }
      }
    }
  }

  /// The profile and the resolution, which are all that a bitmap can have.
  func readMetadata() -> ImageMetadata {
    var metadata = ImageMetadata()
    metadata.resolution = details.resolution
    metadata.complete(with: header)
    return metadata
  }

  private func read(
    _ file: Span<UInt8>, to canvas: PixelCanvas, _ context: DecodingContext
  ) throws(ImageDecodingError) -> Bool {
    if case .runLength(let bits) = details.compression {
      canvas.fill(with: details.color(0))
      return try BMPRunLengths(header: details, bits: bits).read(file, to: canvas, context)
    }
    let rows = BMPRows(details, masks: usesAlpha ? nil : details.masks?.opaque)
    var isWhole = true
    for y in 0..<details.size.height {
      if y % Self.rowsPerCheckpoint == 0 { try context.checkpoint() }
      guard !rows.read(y, file, to: canvas) else { continue }
      isWhole = false
      // Files are stored from the bottom up, so missing rows are at the top, and stored rows may follow them.
      canvas.fill(y..<y + 1, with: isIcon ? 0 : BMPDecoder.missing)
      if !context.allowsTruncation { return false }
    }
    return isWhole
  }
}

extension BMPHeader {
  func imageHeader(type: ImageType, of bytes: Span<UInt8>) -> ImageHeader {
    var header = ImageHeader(type: type, storedSize: size, colorModel: masks == nil ? .indexed : .rgb)
    header.add(
      profileRange.map { ICCProfile(Data(bytes.copy(from: $0.lowerBound, byteCount: $0.count))) })
    header.add(statedDotsPerInch: resolution?.horizontal)
    return header
  }
}

/// Reads run-length coded pixels of 4, 8 or (OS/2) 24 bits: pairs of a count and a value, or a zero and a command.
/// Pixels that the file skips are not changed on the canvas.
struct BMPRunLengths {
  private enum Command {
    static let endOfRow: UInt8 = 0
    static let endOfBitmap: UInt8 = 1
    static let move: UInt8 = 2
  }

  /// Time is in proportion to the bytes, as pixels behind the end of a row are stepped over.
  private static let bytesPerCheckpoint = 64 << 10

  let header: BMPHeader
  let bits: Int

  /// Reads up to the end marker; `false` if the file ends before it.
  func read(
    _ bytes: Span<UInt8>, to canvas: PixelCanvas, _ context: DecodingContext
  ) throws(ImageDecodingError) -> Bool {
    var position = header.pixelOffset
    var x = 0
    var row = 0
    var nextCheckpoint = position
    let size = header.size

    func put(_ word: UInt32) {
      if x < size.width {
        canvas.set(x, header.isTopDown ? row : size.height - 1 - row, to: word)
      }
      x += 1
    }

    while row < size.height {
      if position >= nextCheckpoint {
        nextCheckpoint = position + Self.bytesPerCheckpoint
        try context.checkpoint()
      }
      guard let count = bytes.byte(at: position), let value = bytes.byte(at: position + 1) else {
        return false
      }
      position += 2
      if count > 0 {
        let shown = min(Int(count), max(0, size.width - x))
        if bits == 24 {
          guard let color = bytes.littleEndian(at: position - 1, bytes: 3) else { return false }
          position += 2
          for _ in 0..<shown { put(PixelCanvas.opaqueBlack | UInt32(color)) }
        } else {
          for index in 0..<shown { put(color(value, index)) }
        }
        x += Int(count) - shown
        continue
      }
      switch value {
      case Command.endOfBitmap: return true
      case Command.endOfRow:
        x = 0
        row += 1
      case Command.move:
        guard let right = bytes.byte(at: position), let up = bytes.byte(at: position + 1) else {
          return false
        }
        position += 2
        x += Int(right)
        row += Int(up)
      default:
        let byteCount = (Int(value) * bits + 7) / 8
        guard position + byteCount <= bytes.count else { return false }
        for index in 0..<Int(value) {
          if bits == 24 {
            put(PixelCanvas.opaqueBlack | UInt32(bytes.littleEndian(at: position + index * 3, bytes: 3) ?? 0))
          } else {
            put(color(bytes[position + index * bits / 8], index))
          }
        }
        // Literal runs are padded to two bytes.
        position += byteCount + byteCount % 2
      }
    }
    return true
  }

  /// Colour number `index` of the colours in a byte: one of eight bits, or two of four bits that alternate.
  private func color(_ byte: UInt8, _ index: Int) -> UInt32 {
    guard bits == 4 else { return header.color(Int(byte)) }
    return header.color(Int(index % 2 == 0 ? byte >> 4 : byte & 15))
  }
}
