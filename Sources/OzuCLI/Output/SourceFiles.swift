import Foundation
import Ozu

/// The local files among the sources of a command, which its results must not overwrite.
struct SourceFiles: Sendable {
  /// Whether a result may take the place of its own source.
  let mayBeOverwritten: Bool
  let indices: Range<Int>
  /// Each file with the sources that it is.
  private let owners: [FileIdentity: (name: String, indices: Set<Int>)]

  /// - Parameter others: files that the results are made with; they may never be overwritten.
  init(_ sources: [ImageSource], others: [ImageSource] = [], mayBeOverwritten: Bool = false) {
    self.mayBeOverwritten = mayBeOverwritten
    indices = sources.indices
    var owners: [FileIdentity: (name: String, indices: Set<Int>)] = [:]
    for (index, source) in (sources + others).enumerated() {
      guard case .url(let url) = source, url.isFileURL else { continue }
      guard let identity = FileIdentity(url.path(percentEncoded: false)) else { continue }
      owners[identity, default: (source.name, [])].indices.insert(index)
    }
    self.owners = owners
  }

  /// The name of the source that is lost when a file is written; `nil` when none is, or when it may be.
  ///
  /// - Parameter index: the source whose result is written; `nil` for what is no result.
  func source(lostBy path: String, of index: Int? = nil) -> String? {
    guard !owners.isEmpty, let identity = FileIdentity(path), let owner = owners[identity] else {
      return nil
    }
    if mayBeOverwritten, let index, owner.indices == [index] { return nil }
    return owner.name
  }
}
