import OzuBase

/// A label as a file: what a decoder of drawings reads in another process.
///
/// So a label has the limits, the deadline and the processes of a file. No registry reads such files for an app: a stranger
/// could name any font file in one.
package enum LabelDocument {
  /// The beginning of the file. JSON follows.
  package static let magic = "OZUL\u{1}"

  /// The file of a label.
  ///
  /// - Throws: `invalid` for numbers that JSON does not have; a label that was checked has none.
  package static func data(_ label: Label) throws(LabelError) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    do {
      return Data(magic.utf8) + (try encoder.encode(label))
    } catch {
      throw .invalid("value", reason: "it cannot be written as JSON")
    }
  }

  /// The label of a file.
  ///
  /// - Throws: `corrupt`.
  package static func label(in data: Data) throws(ImageDecodingError) -> Label {
    guard data.starts(with: Data(magic.utf8)) else {
      throw .corrupt(.label, stage: "document", reason: "it is no label")
    }
    do {
      return try JSONDecoder().decode(Label.self, from: data.dropFirst(magic.utf8.count))
    } catch {
      throw .corrupt(.label, stage: "document", reason: "its JSON cannot be read")
    }
  }
}

extension LabelError {
  /// The error as one of a file, which other processes can report.
  package var decodingError: ImageDecodingError {
    switch self {
    case .invalid(let name, let reason): .corrupt(.label, stage: name, reason: reason)
    case .fontNotFound(let reason): .corrupt(.label, stage: Self.fontStage, reason: reason)
    case .limitExceeded(let violation): .limitExceeded(violation)
    case .unavailable(let reason): .unsupportedType(.label, reason: reason)
    case .drawingFailed(let failure): .decoderFailed(.label, failure)
    case .cancelled: .cancelled
    }
  }

  /// The error that a decoder of labels has reported.
  package init(_ error: ImageDecodingError) {
    switch error {
    case .corrupt(_, Self.fontStage, let reason): self = .fontNotFound(reason: reason)
    case .corrupt(_, let stage, let reason): self = .invalid(stage, reason: reason)
    case .limitExceeded(let violation): self = .limitExceeded(violation)
    case .unsupportedType(_, let reason): self = .unavailable(reason: reason)
    case .decoderFailed(_, let failure): self = .drawingFailed(failure)
    case .cancelled: self = .cancelled
    case .emptyData, .notAnImage, .truncated, .regionOutside: self = .unavailable(reason: "\(error)")
    }
  }

  private static let fontStage = "looking for the font"
}
