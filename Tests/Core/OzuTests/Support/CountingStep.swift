import OzuBase

@testable import Ozu

/// A processor that does not change pixels, and counts its calls.
final class CountingStep: ImageProcessing {
  let identifier: String
  private let count = Atomic(0)
  private let onRun: @Sendable () throws(ProcessingError) -> Void

  init(_ identifier: String, onRun: @escaping @Sendable () throws(ProcessingError) -> Void = {}) {
    self.identifier = identifier
    self.onRun = onRun
  }

  var runCount: Int { count.load(ordering: .relaxed) }

  func process(
    _ bitmap: BGRABitmap, context: ProcessingContext
  ) throws(ProcessingError) -> BGRABitmap {
    count.add(1, ordering: .relaxed)
    try onRun()
    return bitmap
  }
}
