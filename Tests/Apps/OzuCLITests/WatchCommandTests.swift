#if canImport(Glibc)
  import Foundation
  import Ozu
  import OzuBase
  import OzuTesting
  import Testing

  @testable import OzuCLI

  @Suite("ozu watch")
  struct WatchCommandTests {
    private static let photo = PatternPicture(PixelSize(64, 48), tint: 3)

    /// Waits for events of the folder until all these files have come, and returns what has come. A file in a folder that is new may
    /// come twice: when the folder is read, and when the file is closed.
    private static func files(_ watch: FolderWatch, until wanted: Set<String>) async -> Set<String> {
      await ChildRun.onThread {
        var names: Set<String> = []
        while !names.isSuperset(of: wanted), let events = watch.next() {
          for case .file(let path, let folder) in events {
            names.insert(folder + "|" + (path.split(separator: "/").last ?? ""))
          }
        }
        return names
      }
    }

    @Test(
      "files come when they are closed or moved in, also in folders that come later; not those of results")
    func files() async throws {
      let folder = try Folder()
      mkdir(folder.path("deep"), 0o700)
      try folder.write(Data("x".utf8), to: "deep/first")
      var found: [FolderWatch.Event] = [.file(path: folder.path("deep/first"), folder: "deep")]
      if getuid() != 0 {
        mkdir(folder.path("closed"), 0)
        found.insert(.unwatched(path: folder.path("closed"), code: EACCES), at: 0)
      }
      let watch = try FolderWatch(folder.path(""), isRecursive: true, results: folder.path("out"))
      #expect(watch.begin() == found)
      chmod(folder.path("closed"), 0o700)
      let wanted: Set = ["|moved", "sub|new", "|written"]
      async let names = Self.files(watch, until: wanted)
      mkdir(folder.path("out"), 0o700)
      try folder.write(Data("x".utf8), to: "out/result.jpg")
      try folder.write(Data("x".utf8), to: ".hidden")
      try folder.write(Data("x".utf8), to: "a.crdownload")
      rename(folder.path(".hidden"), folder.path("moved"))
      mkdir(folder.path("old"), 0o700)
      mkdir(folder.path("sub"), 0o700)
      try folder.write(Data("x".utf8), to: "sub/new")
      let open = open(folder.path("written"), O_CREAT | O_WRONLY, 0o600)
      close(open)
      #expect(await names == wanted)
      // A subfolder that is moved within the folder has its new name.
      async let moved = Self.files(watch, until: ["sub/young|b"])
      rename(folder.path("old"), folder.path("sub/young"))
      try folder.write(Data("x".utf8), to: "sub/young/b")
      #expect(await moved.isDisjoint(with: ["old|b", "sub/old|b"]))
      watch.end()
      #expect(await ChildRun.onThread { watch.next() == nil || watch.next() == nil })
    }

    @Test("files that came before the end are told, and then nothing")
    func end() async throws {
      let folder = try Folder()
      let watch = try FolderWatch(folder.path(""), isRecursive: false, results: nil)
      try folder.write(Data("x".utf8), to: "a")
      watch.end()
      let events = await ChildRun.onThread { (watch.next(), watch.next()) }
      #expect(events.0 == [.file(path: folder.path("a"), folder: "")] && events.1 == nil)
    }

    @Test("names that are not UTF-8 are told, of files and of folders")
    func unnamed() async throws {
      let folder = try Folder()
      let root = String(folder.path("x").dropLast())
      func path(_ byte: UInt8) -> [CChar] { FileName(bytes: [byte]).path(in: root) }
      mkdir(path(0xE9), 0o700)
      let watch = try FolderWatch(root, isRecursive: true, results: nil)
      #expect(watch.begin() == [.unnamed(path: path(0xE9), shown: root + "\\xe9", isFolder: true)])
      close(open(path(0xE8), O_CREAT | O_WRONLY, 0o600))
      let events = await ChildRun.onThread { watch.next() }
      #expect(events == [.unnamed(path: path(0xE8), shown: root + "\\xe8", isFolder: false)])
    }

    @Test("a folder that goes is an event; one that is not there is an error")
    func gone() async throws {
      let folder = try Folder()
      for isMoved in [false, true] {
        mkdir(folder.path("in"), 0o700)
        let watch = try FolderWatch(folder.path("in"), isRecursive: false, results: nil)
        if isMoved { rename(folder.path("in"), folder.path("other")) } else { rmdir(folder.path("in")) }
        #expect(await ChildRun.onThread { watch.next() } == [.gone])
      }
      #expect(throws: SystemError.self) {
        try FolderWatch(folder.path("in"), isRecursive: false, results: nil)
      }
    }

    @Test(
      "pictures get the steps of load or of set, and Ctrl-C ends the command with status 0",
      arguments: [false, true])
    func command(_ isSet: Bool) async throws {
      let folder = try Folder()
      mkdir(folder.path("in"), 0o700)
      try folder.write(Self.photo.data(as: .png), to: "in/old.png")
      let process = Process()
      process.executableURL = try ChildRun.program
      process.currentDirectoryURL = folder.url
      process.environment = childEnvironment
      process.arguments =
        ["watch", "in", "--existing", "--isolation", "off"]
        + (isSet
          ? ["-w", "16", "--formats", "png", "-o", "out"]
          : ["-s", "16", "-o", "out/{counter:02}-{name}.png"])
      let (output, errors) = (Pipe(), Pipe())
      (process.standardOutput, process.standardError) = (output, errors)
      try process.run()
      let results = isSet ? ["out/old-16.png", "out/b-16.png"] : ["out/01-old.png", "out/02-b.png"]
      let deadline = ContinuousClock.now + .seconds(120)
      func wait(for name: String) async {
        await ChildRun.onThread {
          while access(folder.path(name), F_OK) != 0, ContinuousClock.now < deadline { usleep(2000) }
        }
      }
      await wait(for: results[0])
      try folder.write(Data("no picture".utf8), to: "in/notes.txt")
      try folder.write(Self.photo.data(as: .jpeg), to: "in/.b")
      rename(folder.path("in/.b"), folder.path("in/b.jpg"))
      await wait(for: results[1])
      process.interrupt()
      await ChildRun.onThread { process.waitUntilExit() }
      #expect(process.terminationReason == .exit && process.terminationStatus == 0)
      let messages = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      #expect(messages.contains("ozu: watching in; Ctrl-C ends it\n"))
      #expect(messages.contains("\nozu: 2 pictures, ") && !messages.contains("failed"), "\(messages)")
      for name in results {
        #expect(try CodecRegistry.standard.header(of: #require(folder.data(name))).size == PixelSize(16, 12))
      }
    }

    @Test("a file that cannot be read is a failure")
    func unreadable() async throws {
      let folder = try Folder()
      mkdir(folder.path("in"), 0o700)
      symlink("/proc/self/mem", folder.path("in/b.png"))
      symlink("/proc/self/mem", FileName(bytes: [0xE9]).path(in: folder.path("in") + "/"))
      let process = Process()
      process.executableURL = try ChildRun.program
      process.currentDirectoryURL = folder.url
      process.environment = childEnvironment
      process.arguments = ["watch", "in", "--existing", "-o", "out"]
      let errors = Pipe()
      process.standardError = errors
      try process.run()
      // It says that it watches, and takes what is there before it ends.
      let first = await ChildRun.onThread { errors.fileHandleForReading.availableData }
      process.interrupt()
      let rest = await ChildRun.onThread { errors.fileHandleForReading.readDataToEndOfFile() }
      await ChildRun.onThread { process.waitUntilExit() }
      #expect(process.terminationReason == .exit && process.terminationStatus == 1)
      let messages = String(decoding: first + rest, as: UTF8.self)
      #expect(messages.contains("ozu: in/b.png: the file cannot be read: Input/output error"), "\(messages)")
      #expect(messages.contains("its name is not UTF-8; rename it"), "\(messages)")
    }

    @Test(
      "what would not end, or does nothing, is refused",
      arguments: [
        (["."], "watch needs -o"), ([".", "-o", "./"], "would be its pictures again"),
        ([".", "-o", "x{name}.jpg"], "would be its pictures again"),
        (["none", "-o", "/tmp/x/"], "no such folder"),
        (["/dev/null", "-o", "/tmp/x/"], "cannot be watched"), ([".", "-o", "/tmp/x.jpg"], "need a folder"),
        ([".", "-o", "/tmp/x/", "-s", "x"], "a size is needed"),
        ([".", "-o", "/tmp/x/", "--formats", "png"], "--formats needs --widths"),
        ([".", "-o", "/tmp/x/", "-w", "9", "-f", "png"], "--format and --widths cannot be used together"),
        ([".", "-o", "/tmp/x/", "-w", "9", "--only-smaller"], "cannot be used together"),
        ([], "Usage: ozu watch FOLDER"),
      ] as [([String], String)])
    func refused(_ arguments: [String], _ message: String) async {
      let run = await CommandRun(["watch"] + arguments)
      #expect(run.status == .wrongUsage && run.errors.contains(message), "\(run.errors)")
    }
  }
#endif
