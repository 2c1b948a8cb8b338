import Foundation
import Testing

@testable import OzuCLI

// Sanitizers have an allocator of their own.
#if canImport(Glibc) && !OZU_ASAN && !OZU_TSAN
  @Suite("The heap of a command that loads many pictures")
  struct HeapTests {
    /// Whether a block of a size is mapped on its own: a bit of the word in front of a block says so (malloc.c,
    /// `IS_MMAPPED`).
    private static func isMapped(_ byteCount: Int) -> Bool {
      guard let block = malloc(byteCount) else { return false }
      defer { free(block) }
      return UnsafeRawPointer(block).load(fromByteOffset: -8, as: UInt.self) & 2 != 0
    }

    @Test("large blocks are mapped on their own, though larger ones were freed")
    func largeBlocks() async {
      await #expect(processExitsWith: .success) {
        Heap.mapLargeBlocks()
        // Without the setting, blocks that are smaller than this one would come from the heap from now on.
        free(malloc(20 << 20))
        exit(Self.isMapped(2 << 20) && !Self.isMapped(100 << 10) ? 0 : 1)
      }
    }
  }
#endif
