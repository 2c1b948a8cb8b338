import OzuImaging

extension UnsafeMutableRawBufferPointer {
  /// Fills the pixels that a truncated file lacks: transparent if the picture may have transparency, else opaque
  /// mid-grey.
  package func fillMissing(fromByte start: Int = 0, isOpaque: Bool, format: PixelFormat = .bgra8) {
    guard start < count else { return }
    let rest = UnsafeMutableRawBufferPointer(rebasing: self[start...])
    guard isOpaque else {
      rest.initializeMemory(as: UInt8.self, repeating: 0)
      return
    }
    // Rows are a multiple of 16 bytes apart, so from the start of a row on there are only whole pixels.
    switch format {
    case .bgra8: rest.initializeMemory(as: UInt32.self, repeating: UInt32(littleEndian: 0xFF80_8080))
    case .rgba16:
      rest.initializeMemory(as: UInt64.self, repeating: UInt64(littleEndian: 0xFFFF_8080_8080_8080))
    case .gray8: rest.initializeMemory(as: UInt8.self, repeating: 0x80)
    }
  }
}
