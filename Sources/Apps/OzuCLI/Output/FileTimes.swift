import Foundation

/// The times of a file: of its last use and of its last change.
struct FileTimes: Sendable {
  static let option = OptionSpecification(
    name: "times", help: "Give each result the times of its source, if that is a file.")

  private let used: timespec
  private let changed: timespec

  /// The times of the file that a source names; `nil` if it is not there, and for sources that are no files.
  init?(ofFile text: String) {
    var status = stat()
    guard SourceArgument.isFile(text), stat(SourceArgument.path(ofFile: text), &status) == 0 else {
      return nil
    }
    #if canImport(Glibc)
      (used, changed) = (status.st_atim, status.st_mtim)
    #else
      (used, changed) = (status.st_atimespec, status.st_mtimespec)
    #endif
  }

  /// Gives an open file the times. Returns false, with `errno`, if the system refuses.
  func set(_ descriptor: Int32) -> Bool { futimens(descriptor, [used, changed]) == 0 }
}
