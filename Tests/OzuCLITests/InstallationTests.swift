import Foundation
import Testing

@testable import OzuCLI

/// `scripts/packages` is the list of the packages that a build needs; pages, manifest and installer agree with it.
@Suite("Installation")
struct InstallationTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The lines of the list: package, patterns of alternatives, libraries that are linked from it.
  private static func needs() throws -> [(package: String, libraries: [String])] {
    try text("scripts/packages").split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let words = line.split(separator: " ").map(String.init)
      return (words[0], words.dropFirst(2).filter { $0 != "-" })
    }
  }

  private static func matches(of pattern: Regex<(Substring, Substring)>, in text: String) -> [String] {
    text.matches(of: pattern).map { String($0.output.1) }
  }

  @Test(
    "a page about the installation names every package of the list, and no other",
    arguments: [
      ("README.md", []),
      ("Sources/Ozu/Ozu.docc/GettingStarted.md", []),
      ("Documentation/gtk.md", ["libgtk-4-dev"]),
      ("Documentation/getting-started/linux-desktop.md", ["libgtk-4-dev"]),
      ("Documentation/getting-started/server.md", []),
    ])
  func pages(path: String, more: [String]) throws {
    let commands = Self.matches(
      of: /apt-get install ([^`]*)```/, in: try Self.text(path).replacingOccurrences(of: "\\\n", with: " "))
    let named = commands.first?.split(whereSeparator: \.isWhitespace).map(String.init)
    #expect(commands.count == 1)
    #expect(named == (try Self.needs().map(\.package)) + more)
  }

  @Test("every linked library is in a package of the list")
  func libraries() throws {
    let manifest = try Self.text("Package.swift")
    let lists = Self.matches(of: /links: \[("[^\]]*)\]/, in: manifest)
    let linked =
      lists.flatMap { Self.matches(of: /"([^"]*)"/, in: $0) }
      + Self.matches(of: /linkedLibrary\("([^"]*)"/, in: manifest)
    #expect(Set(linked) == Set(try Self.needs().flatMap(\.libraries)))
  }

  @Test("the packages that the manifest asks for are those of the list")
  func providers() throws {
    let manifest = try Self.text("Package.swift")
    let named =
      Self.matches(of: /apt: "([^"]*)"/, in: manifest) + Self.matches(of: /\.apt\(\["([^"]*)"/, in: manifest)
    let needed = try Self.needs().filter { !$0.libraries.isEmpty }.map(\.package)
    #expect(Set(named) == Set(needed + ["libgtk-4-dev"]))
  }

  /// Runs the installer with an `apt-get` that only records that it was called, as if no package were installed.
  private func install(swift: String) throws -> (status: Int32, message: String, hasInstalled: Bool) {
    let folder = try Folder()
    for (name, script) in [
      ("dpkg-query", "exit 1"), ("apt-get", "touch '\(folder.url.path)/called'"), ("sudo", "exit 1"),
    ] {
      let tool = folder.url.appending(path: name)
      try Data("#!/bin/sh\n\(script)\n".utf8).write(to: tool)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: tool.path)
    }
    let run = try ProgramRun(
      "/bin/sh", [Self.root.appending(path: "scripts/install-dependencies").path],
      environment: ["PATH": "\(folder.url.path):/usr/bin:/bin", "SWIFT": swift, "HOME": folder.url.path])
    return (
      run.status, run.output,
      FileManager.default.fileExists(atPath: folder.url.appending(path: "called").path)
    )
  }

  @Test("ozu is installed with its resources, its manual page and its completions, and runs from there")
  func program() throws {
    let folder = try Folder()
    let build = try ChildRun.program.deletingLastPathComponent().path(percentEncoded: false)
    // Twice, because existing files are replaced.
    for _ in 0..<2 {
      let installed = try ProgramRun(
        Self.root.appending(path: "scripts/install-ozu").path, [build, folder.path("root"), "/usr"])
      #expect(installed.status == 0, "\(installed.output)")
    }
    for (file, text) in [
      ("man/man1/ozu.1", ".TH OZU 1"), ("bash-completion/completions/ozu", "complete -F _ozu"),
      ("zsh/site-functions/_ozu", "#compdef ozu"), ("fish/vendor_completions.d/ozu.fish", "complete -c ozu"),
      ("thumbnailers/ozu.thumbnailer", "Exec=ozu thumbnail"),
    ] {
      let data = try #require(folder.data("root/usr/share/" + file))
      #expect(String(decoding: data, as: UTF8.self).contains(text))
    }
    #expect(folder.data("root/usr/lib/ozu/Ozu_OzuCLI.resources/Photos/LICENSES.md") != nil)
    let version = try ProgramRun(folder.path("root/usr/bin/ozu"), ["--version"])
    #expect(version.status == 0 && version.output == "ozu \(Version.current)\n")
  }

  @Test("the installer looks for Swift before it installs anything")
  func order() throws {
    let answer = try install(swift: "no-such-swift")
    #expect(answer.status == 1)
    #expect(answer.message.contains("no-such-swift"))
    #expect(!answer.hasInstalled)
  }

  @Test("the installer installs every package of the list when none is installed")
  func installs() throws {
    let folder = try Folder()
    let swift = folder.url.appending(path: "swift")
    try Data("#!/bin/sh\necho 'Swift version 6.3.1 (swift-6.3.1-RELEASE)'\n".utf8).write(to: swift)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: swift.path)
    let answer = try install(swift: swift.path)
    for package in try Self.needs().map(\.package) { #expect(answer.message.contains(" \(package) ")) }
    #expect(answer.hasInstalled == (getuid() == 0))
  }
}
