import Ozu
import OzuBase

/// A step with notes about what it draws, which each picture gets.
struct NotedStep: ImageProcessing {
  private let step: any ImageProcessing
  private let notes: [String]

  /// The step itself where there are no notes.
  ///
  /// - Parameter path: the file that the notes are about.
  static func of(
    _ step: any ImageProcessing, _ notes: [String], about path: String? = nil
  ) -> any ImageProcessing {
    guard !notes.isEmpty else { return step }
    let name = path.map { PrintableText.name($0) + ": " } ?? ""
    return NotedStep(step: step, notes: notes.map { name + $0 })
  }

  var identifier: String { step.identifier }

  func process(_ bitmap: BGRABitmap, context: ProcessingContext) throws(ProcessingError) -> BGRABitmap {
    notes.forEach(context.note)
    return try step.process(bitmap, context: context)
  }
}
