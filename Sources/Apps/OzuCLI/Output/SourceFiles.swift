import Foundation
import Ozu

/// The local files among the sources of a command, which its results must not overwrite.
struct SourceFiles: Sendable {
  /// Whether a result may replace its own source.
  let mayBeOverwritten: Bool
  let indices: Range<Int>
  /// For each file the name and the numbers of the sources that lead to it.
  private let owners: [FileIdentity: (name: String, indices: Set<Int>)]

  /// - Parameter others: files that steps read, such as watermarks; they may never be overwritten.
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

  /// The name of the source that would be lost when a file is written; `nil` if the file is not a source or may be replaced.
  ///
  /// - Parameter index: the source whose result is written; `nil` for a file that is not a result.
  func source(lostBy path: String, of index: Int? = nil) -> String? {
    guard !owners.isEmpty, let identity = FileIdentity(path), let owner = owners[identity] else {
      return nil
    }
    if mayBeOverwritten, let index, owner.indices == [index] { return nil }
    return owner.name
  }
}
