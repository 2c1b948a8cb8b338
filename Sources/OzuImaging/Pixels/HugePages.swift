#if canImport(Glibc)
  import Glibc
#endif

/// Memory for pixels from the system, in pages of 2 MB where there is enough of it: a fresh picture then costs a
/// few dozen page faults instead of ten thousand, which are a third of a full decode.
enum HugePages {
  /// From here on huge pages are asked for.
  static let threshold = 4 << 20
  private static let pageByteCount = 2 << 20
  private static let cacheLine = 64

  /// Takes a block, to be given back by `deallocate()`.
  static func allocate(byteCount: Int) -> UnsafeMutableRawBufferPointer {
    guard byteCount >= threshold else { return .allocate(byteCount: byteCount, alignment: cacheLine) }
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: pageByteCount)
    #if canImport(Glibc)
      // Whole pages of the block only. A system that has none says so, and nothing is lost.
      _ = madvise(block.baseAddress, byteCount & ~(pageByteCount - 1), MADV_HUGEPAGE)
    #endif
    return block
  }
}
