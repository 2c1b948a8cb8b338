import Foundation
import Ozu

/// All that a command line asks to be done with the pixels of a picture, in the order in which it was given.
struct Recipe: Sendable {
  static let options = ResizeArguments.options + StepArguments.options

  /// What the decoder does already: the first step, where that is a size.
  let resize: Resize?
  let processors: [any ImageProcessing]
  /// The files that steps are made of; no result may take their place.
  let files: [ImageSource]

  /// - Throws: for options that make no sense, and for a watermark that cannot be read.
  init(_ arguments: ParsedArguments) async throws(UsageError) {
    let sizes = try ResizeArguments(arguments)
    // Of a size that was given several times the last counts.
    let lastSize = arguments.given.lastIndex { $0.name == "size" }
    var steps: [any ImageProcessing] = []
    var files: [ImageSource] = []
    for (index, option) in arguments.given.enumerated() where option.name != "size" || index == lastSize {
      steps += try await StepArguments.steps(option.name, option.value, sizes)
      if option.name == "watermark", let text = option.value {
        files.append(.url(URL(fileURLWithPath: try WatermarkArgument(text).path)))
      }
    }
    steps.removeAll { ($0 as? Resize)?.mode == ScaleMode.none }
    resize = steps.first as? Resize
    processors = resize == nil ? steps : Array(steps.dropFirst())
    self.files = files
  }

  /// The steps in words.
  var identifiers: [String] { [resize?.identifier].compactMap(\.self) + processors.map(\.identifier) }
}
