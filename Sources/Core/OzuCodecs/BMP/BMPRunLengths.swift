import OzuImaging

/// Reads run-length coded pixels of 4, 8 or (OS/2) 24 bits: pairs of a count and a value, or a zero and a command.
/// Pixels that the file skips are not changed on the canvas.
struct BMPRunLengths {
  /// How reading ended.
  enum Ending {
    /// At the end marker.
    case whole
    /// At the end of the file.
    case truncated
  }

  private enum Command {
    static let endOfRow: UInt8 = 0
    static let endOfBitmap: UInt8 = 1
    static let move: UInt8 = 2
  }

  private static let rowsPerCheckpoint = 64

  let header: BMPHeader
  let bits: Int

  func read(
    _ bytes: Span<UInt8>, to canvas: PixelCanvas, _ context: DecodingContext
  ) throws(ImageDecodingError) -> Ending {
    var position = header.pixelOffset
    var x = 0
    var row = 0
    var sinceCheckpoint = 0
    let size = header.size

    func put(_ word: UInt32) {
      if x < size.width {
        canvas[x, header.isTopDown ? row : size.height - 1 - row] = word
      }
      x += 1
    }

    while row < size.height {
      guard let count = bytes.byte(at: position), let value = bytes.byte(at: position + 1) else {
        return .truncated
      }
      position += 2
      if count > 0 {
        if bits == 24 {
          guard let color = bytes.littleEndian(at: position - 1, bytes: 3) else { return .truncated }
          position += 2
          for _ in 0..<count { put(PixelCanvas.opaqueBlack | UInt32(color)) }
        } else {
          for index in 0..<Int(count) { put(color(value, index)) }
        }
        continue
      }
      switch value {
      case Command.endOfBitmap: return .whole
      case Command.endOfRow:
        x = 0
        row += 1
        sinceCheckpoint += 1
      case Command.move:
        guard let right = bytes.byte(at: position), let up = bytes.byte(at: position + 1) else {
          return .truncated
        }
        position += 2
        x += Int(right)
        row += Int(up)
        sinceCheckpoint += 1
      default:
        let byteCount = (Int(value) * bits + 7) / 8
        guard position + byteCount <= bytes.count else { return .truncated }
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
      if sinceCheckpoint >= Self.rowsPerCheckpoint {
        sinceCheckpoint = 0
        try context.checkpoint()
      }
    }
    return .whole
  }

  /// Colour number `index` of the colours in a byte: one of eight bits, or two of four bits that alternate.
  private func color(_ byte: UInt8, _ index: Int) -> UInt32 {
    guard bits == 4 else { return header.color(Int(byte)) }
    return header.color(Int(index % 2 == 0 ? byte >> 4 : byte & 15))
  }
}
