import Foundation

/// The heap of glibc, by functions that Swift's module of it does not have. Nothing elsewhere.
enum Heap {
  /// Keeps blocks of a megabyte and more out of the heap: each is mapped on its own and given back when it is freed.
  ///
  /// To be called before much is freed: the heap goes on using what it has. Left alone, glibc raises that border to 32 MB
  /// as soon as a large block is freed. Then pixels of many sizes lie among small blocks, and the heap of a process that
  /// loads thousands of pictures grows to three times its size.
  static func mapLargeBlocks() {
    // M_MMAP_THRESHOLD.
    set(-3, 1 << 20)
  }

  /// Has all threads share one heap, for commands that hold little and pass much from thread to thread.
  ///
  /// To be called before there are threads. Left alone, glibc makes one for each, and what one has freed the others
  /// do not use.
  static func shareAmongThreads() {
    // M_ARENA_MAX.
    set(-8, 1)
  }

  private static func set(_ parameter: Int32, _ value: Int32) {
    #if canImport(Glibc)
      guard let symbol = dlsym(nil, "mallopt") else { return }
      // int mallopt(int param, int value), by its manual page.
      _ = unsafeBitCast(symbol, to: (@convention(c) (Int32, Int32) -> Int32).self)(parameter, value)
    #endif
  }
}
