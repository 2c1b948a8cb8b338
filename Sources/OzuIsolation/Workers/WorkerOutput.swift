/// Memory for the payload of an answer, shared with the process that asked. Belongs to one answer.
package final class WorkerOutput {
  /// Makes the payload so long and returns its memory, which holds what earlier answers left.
  ///
  /// - Returns: nil when that is more than the question allows. Moves the memory when it grows: earlier results are not
  ///   valid then, what was written stays.
  package func resize(to byteCount: Int) -> UnsafeMutableRawBufferPointer? { fatalError() }
}
