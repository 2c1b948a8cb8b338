import OzuImaging

extension ImageDecodingError {
  /// The error about a file inside another one, as an error about the outer file.
  ///
  /// - Parameters:
  ///   - type: the format of the outer file. Its own errors stay as they are.
  ///   - part: what the inner file is to the outer one: `preview`.
  func named(_ type: ImageType, part: String) -> ImageDecodingError {
    switch self {
    case .corrupt(let inner, let stage, let reason) where inner != type:
      .corrupt(type, stage: "\(part), \(stage)", reason: reason)
    case .truncated(let inner, _) where inner != type: .truncated(type, stage: part)
    case .unsupportedType(let inner, let reason) where inner != type:
      .unsupportedType(type, reason: "its \(part): \(reason)")
    default: self
    }
  }
}
