import Foundation

/// The environment for the programs that Ozu's own tests start: without the variables of Ozu that somebody has set where the
/// tests run. For `ozu serve` they are settings, and it refuses those that it does not know.
package var childEnvironment: [String: String] {
  // `make test-tsan` switches isolation off by this one, because no process with a sanitizer can be confined.
  ProcessInfo.processInfo.environment.filter { name, _ in !name.hasPrefix("OZU_") || name == "OZU_ISOLATION" }
}

/// The place of a program that was built with the running tests.
///
/// - Throws: where the tests are not a program of their own.
package func builtProgram(_ name: String) throws -> URL {
  guard let tests = Bundle.main.executableURL else { throw CocoaError(.fileNoSuchFile) }
  return tests.resolvingSymlinksInPath().deletingLastPathComponent().appending(path: name)
}

/// The path of a program of the system; `nil` if it is not installed.
package func installedProgram(_ name: String) -> String? {
  let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
  // Debian has servers in a folder that is on the path of root alone.
  return (folders + ["/usr/local/bin", "/usr/sbin", "/opt/homebrew/bin"]).map { "\($0)/\(name)" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }
}

/// A helper for isolated decoders that opens every file, and ends, as Swift does for a number that nobody expected, when it
/// opens one with `marker` in it.
package struct HelperWithTrap {
  /// The bytes that the decoder of `OzuIsolationDrills` looks for.
  package static let marker = Data("<a trap of ozu/>".utf8)

  package let path: String
  private let folder: URL

  /// Makes the link by whose name the program of the drills knows what it is.
  package init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "ozu-trap-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let link = folder.appending(path: "ozu-decode-with-a-trap")
    path = link.path
    try FileManager.default.createSymbolicLink(
      at: link, withDestinationURL: builtProgram("OzuIsolationDrills"))
  }

  package func remove() { try? FileManager.default.removeItem(at: folder) }
}

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
