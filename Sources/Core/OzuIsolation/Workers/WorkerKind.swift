import OzuImaging

/// A kind of work that has its own workers, in practice an image format.
///
/// Workers do not depend on pictures: messages and bodies are bytes.
package struct WorkerKind: Hashable, Sendable {
  /// Unique among kinds; at most `nameByteCount` bytes of UTF-8.
  package let name: String
  /// The format that appears in errors.
  package let type: ImageType
  /// Whether workers may open fonts and the files of fontconfig for reading. Then they may also start threads.
  package var readsFonts: Bool
  /// Whether workers may start threads.
  package var startsThreads: Bool

  package var mayStartThreads: Bool { startsThreads || readsFonts }

  /// The most threads that a worker has at one time, its first one included. Libraries that start threads are asked for
  /// one.
  package static let mostThreads = 16

  /// The longest name, in bytes of UTF-8.
  package static let nameByteCount = 200

  package init(name: String, type: ImageType, readsFonts: Bool = false, startsThreads: Bool = false) {
    precondition(name.utf8.count <= Self.nameByteCount, "a name of \(name.utf8.count) bytes")
    self.name = name
    self.type = type
    self.readsFonts = readsFonts
    self.startsThreads = startsThreads
  }
}
