import Foundation

/// Settings of glibc's heap, through functions that Swift's module `Glibc` lacks. They do nothing on other platforms.
enum Heap {
  /// Keeps blocks of a megabyte and more out of the heap: each is mapped on its own and given back when it is freed.
  ///
  /// Call it before much is freed, because the heap keeps the memory that it has. Without this call glibc raises the limit
  /// to 32 MB as soon as a large block is freed. Then pixels of many sizes lie between small blocks, and the heap of a
  /// process that loads thousands of pictures grows to three times its size.
  static func mapLargeBlocks() {
    // M_MMAP_THRESHOLD.
    set(-3, 1 << 20)
  }

  /// Makes all threads share one heap, for commands that hold little memory and pass much from thread to thread.
  ///
  /// Call it before there are threads. Without this call glibc makes a heap for each thread, and the other threads do not
  /// use memory that was freed in it.
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
