import CAllocations
import OzuTesting

/// The memory that work takes: the number of allocations on all threads of the process, and the peak of resident memory
/// above its start. Either is `nil` if the system does not report it.
struct Footprint {
  var allocationCount: Int?
  var peakByteCount: Int?

  /// Measures once. Counting slows allocations down, so time is taken in other rounds.
  static func of(_ work: () async throws -> Void) async rethrows -> Footprint {
    PeakMemory.trimHeap()
    ozu_allocations_begin()
    let peak: Int?
    do {
      peak = try await PeakMemory.measure(work).byteCount
    } catch {
      _ = ozu_allocations_end()
      throw error
    }
    let count = ozu_allocations_end()
    return Footprint(allocationCount: count < 0 ? nil : count, peakByteCount: peak)
  }
}
