import Foundation

/// The checkout in which Ozu's own tests are built, for what they read of it: fixtures of other tests, pages, examples.
package enum Repository {
  private static let root: URL = {
    var folder = URL(filePath: #filePath)
    while folder.pathComponents.count > 1, !has("Package.swift", folder) {
      folder = folder.deletingLastPathComponent()
    }
    return folder
  }()

  /// A file or a folder, by its path from the top.
  package static func url(_ path: String) -> URL { root.appending(path: path) }

  /// A fixture of the tests of codecs.
  package static func fixture(_ name: String) -> URL {
    url("Tests/Libraries/OzuCodecsTests/Fixtures/\(name)")
  }

  private static func has(_ name: String, _ folder: URL) -> Bool {
    FileManager.default.fileExists(atPath: folder.appending(path: name).path(percentEncoded: false))
  }
}
