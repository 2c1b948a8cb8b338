import Foundation
import OzuTesting
import Testing

@testable import OzuCLI

/// The installer goes by `scripts/packages`; `make lint` compares the pages with that list.
@Suite("Installation")
struct InstallationTests {
  private static func text(_ path: String) throws -> String {
    try String(contentsOf: Repository.url(path), encoding: .utf8)
  }

  /// The packages of the list, each with what it is for.
  private static func packages() throws -> [(name: String, use: String)] {
    try text("scripts/packages").split(separator: "\n").filter { !$0.hasPrefix("#") }
      .map { $0.split(separator: " ").map(String.init) }.map { ($0[0], $0[1]) }
  }

  /// Runs the installer with an `apt-get` that only records that it was called, as if no package were installed.
  private func install(swift: String, traits: String = "") throws -> (
    status: Int32, message: String, hasInstalled: Bool
  ) {
    let folder = try Folder()
    for (name, script) in [
      ("dpkg-query", "exit 1"), ("apt-get", "touch '\(folder.url.path)/called'"), ("sudo", "exit 1"),
    ] {
      let tool = folder.url.appending(path: name)
      try Data("#!/bin/sh\n\(script)\n".utf8).write(to: tool)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: tool.path)
    }
    let run = try ProgramRun(
      "/bin/sh", [Repository.url("scripts/install-dependencies").path],
      environment: [
        "PATH": "\(folder.url.path):/usr/bin:/bin", "SWIFT": swift, "HOME": folder.url.path, "TRAITS": traits,
      ])
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
        "/bin/sh",
        [
          "-c", #"umask 077; exec "$0" "$@""#, Repository.url("scripts/install-ozu").path, build,
          folder.path("root"), "/usr",
        ])
      #expect(installed.status == 0, "\(installed.output)")
    }
    let hidden = try ProgramRun(named: "find", [folder.path("root"), "!", "-perm", "-004"])
    #expect(hidden?.output == "", "everybody may read all of it")
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

  @Test(
    "the installer installs what the traits take when nothing is installed, and nothing for the others",
    arguments: [
      ("", ["GTK"]), ("Formats", ["SVG", "GTK"]), ("Desktop", []),
      ("WebP", ["AVIF", "HEIF", "JXL", "TIFF", "SVG", "GTK"]),
    ])
  func installs(traits: String, others: [String]) throws {
    let folder = try Folder()
    let swift = folder.url.appending(path: "swift")
    try Data("#!/bin/sh\necho 'Swift version 6.3.1 (swift-6.3.1-RELEASE)'\n".utf8).write(to: swift)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: swift.path)
    let answer = try install(swift: swift.path, traits: traits)
    let words = answer.message.split { " '\n".contains($0) }.map(String.init)
    for (name, use) in try Self.packages() {
      #expect(words.contains(name) == !others.contains(use), "\(name)")
    }
    #expect(answer.hasInstalled == (getuid() == 0))
  }
}
