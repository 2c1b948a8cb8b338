#if canImport(Glibc)
  import Glibc
#endif

/// Allocates memory for pixels in pages of 2 MB if the block is large enough: a fresh picture then costs a few
/// dozen page faults instead of ten thousand, which are a third of a full decode.
enum HugePages {
  /// Blocks of at least this size use huge pages.
  static let threshold = 4 << 20
  private static let pageByteCount = 2 << 20
  private static let cacheLine = 64

  /// Allocates a block; free it with `deallocate()`.
  static func allocate(byteCount: Int) -> UnsafeMutableRawBufferPointer {
    guard byteCount >= threshold else { return .allocate(byteCount: byteCount, alignment: cacheLine) }
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: pageByteCount)
    #if canImport(Glibc)
      // Only the whole pages of the block. A system without huge pages returns an error, which is ignored.
      _ = madvise(block.baseAddress, byteCount & ~(pageByteCount - 1), MADV_HUGEPAGE)
    #endif
    return block
  }
}
