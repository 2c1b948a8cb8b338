import Foundation
import Testing

@testable import OzuCLI

@Suite("A file that a command writes")
struct OutputFileTests {
  private static let new = Data("new".utf8)
  private static let old = Data("old contents".utf8)

  @Test("a regular file is replaced and keeps its permissions; nothing else is left")
  func replaced() throws {
    let folder = try Folder()
    let path = try folder.write(Self.old, to: "a")
    #expect(chmod(path, 0o640) == 0)
    try OutputFile(path).write(Self.new, isDurable: true)
    #expect(try folder.contents == ["a": Self.new])
    #expect(folder.permissions("a") == 0o640)
  }

  @Test("a new file has the permissions of the process's mask")
  func created() throws {
    let folder = try Folder()
    let descriptor = open(folder.path("usual"), O_CREAT | O_WRONLY, 0o666)
    close(descriptor)
    try OutputFile(folder.path("ours")).write(Self.new)
    #expect(folder.permissions("ours") == folder.permissions("usual"))
    #expect(folder.data("ours") == Self.new)
  }

  @Test("another hard link to a file keeps the old contents")
  func hardLink() throws {
    let folder = try Folder()
    let path = try folder.write(Self.old, to: "a")
    #expect(link(path, folder.path("b")) == 0)
    try OutputFile(path).write(Self.new)
    #expect(try folder.contents == ["a": Self.new, "b": Self.old])
  }

  @Test(
    "links are followed, one after the other; where they lead nowhere, the file is made",
    arguments: [true, false])
  func links(isDangling: Bool) throws {
    let folder = try Folder()
    try FileManager.default.createDirectory(atPath: folder.path("far"), withIntermediateDirectories: false)
    if !isDangling { try folder.write(Self.old, to: "far/target") }
    #expect(symlink("far/target", folder.path("near")) == 0)
    #expect(symlink(folder.path("near"), folder.path("link")) == 0)
    try OutputFile(folder.path("link")).write(Self.new)
    #expect(folder.data("far/target") == Self.new)
    #expect(folder.kind("link") == S_IFLNK && folder.kind("near") == S_IFLNK)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("far")) == ["target"])
  }

  @Test("a pipe is written to, by its name and through a link", arguments: ["pipe", "link"])
  func pipe(_ name: String) async throws {
    let folder = try Folder()
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    #expect(symlink("pipe", folder.path("link")) == 0)
    // More than a pipe holds, so that it is read while it is written.
    let data = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) })
    // Opened for reading and writing: opening does not wait for the other side, and closing it ends the pipe.
    let keeper = open(folder.path("pipe"), O_RDWR | O_CLOEXEC)
    let reader = FileHandle(
      fileDescriptor: open(folder.path("pipe"), O_RDONLY | O_CLOEXEC), closeOnDealloc: true)
    async let received = ChildRun.onThread { try? reader.readToEnd() }
    await #expect(throws: Never.self) {
      try await BlockingWork.run { try OutputFile(folder.path(name)).write(data) }
    }
    close(keeper)
    #expect(await received == data)
    #expect(folder.kind("pipe") == S_IFIFO)
  }

  @Test("a device is written to, and its error is one line", .enabled(if: access("/dev/full", W_OK) == 0))
  func device() throws {
    let folder = try Folder()
    // Through a link, so that a fault in the test cannot replace a device of the machine.
    #expect(symlink("/dev/full", folder.path("full")) == 0)
    let error = #expect(throws: OutputError.self) { try OutputFile(folder.path("full")).write(Self.new) }
    #expect(error?.description == "no space left on \(folder.path("full")) (needs 3 B)")
    #expect(folder.kind("full") == S_IFLNK)
  }

  /// A path in a folder, an obstacle that makes it impossible to write, and the system's message about it.
  private static let failures: [(String, @Sendable (Folder) throws -> Void, String)] = [
    ("a", { mkdir($0.path("a"), 0o700) }, "Is a directory"),
    ("file/a", { try $0.write(OutputFileTests.old, to: "file") }, "Not a directory"),
    ("a", { symlink("a", $0.path("a")) }, "Too many levels of symbolic links"),
    ("none/a", { _ in }, "No such file or directory"),
  ]

  @Test("an error is one line that names the file and the cause", arguments: 0..<4)
  func failures(_ index: Int) throws {
    let (name, prepare, reason) = Self.failures[index]
    let folder = try Folder()
    try prepare(folder)
    let names = try folder.names
    let error = #expect(throws: OutputError.self) { try OutputFile(folder.path(name)).write(Self.new) }
    #expect(error?.description == "\(folder.path(name)) cannot be written: \(reason)")
    #expect(try folder.names == names)
  }

  @Test("a file that may not be written stays", .enabled(if: getuid() != 0))
  func readOnly() throws {
    let folder = try Folder()
    let path = try folder.write(Self.old, to: "a")
    #expect(chmod(path, 0o444) == 0)
    #expect(throws: OutputError.self) { try OutputFile(path).write(Self.new) }
    #expect(try folder.contents == ["a": Self.old])
  }

  @Test("drafts with a name give the same results", arguments: [true, false])
  func named(isNew: Bool) throws {
    let folder = try Folder()
    if !isNew { try folder.write(Self.old, to: "a") }
    func status(_ name: String) -> stat? {
      var status = stat()
      return stat(folder.path(name), &status) == 0 ? status : nil
    }
    try FileReplacement(path: folder.path("a"), old: status("a"), isDurable: false, triesNameless: false)
      .write(Self.new)
    #expect(try folder.contents == ["a": Self.new])
    // A draft that cannot be renamed is removed.
    mkdir(folder.path("b"), 0o700)
    #expect(throws: SystemError.self) {
      try FileReplacement(path: folder.path("b"), old: nil, isDurable: false, triesNameless: false)
        .write(Self.new)
    }
    #expect(try folder.names == ["a", "b"])
  }
}
