#if os(Linux)
  import CDynamicLibrary
  import Foundation
  import Ozu
  import OzuLibraryCodecs
  import OzuTesting
  import Testing

  /// A table for the libraries of these tests. It exists until the process ends, like the tables of Ozu.
  ///
  /// Unchecked Sendable: only `load` writes it, which any thread may call.
  private final class Table: @unchecked Sendable {
    private let library: UnsafeMutablePointer<OzuDynamicLibrary>
    let functions: UnsafeMutablePointer<UnsafeMutableRawPointer?>

    init(_ sonames: [String], functions names: [String] = ["zlibVersion", "crc32"]) {
      functions = .allocate(capacity: names.count)
      functions.initialize(repeating: nil, count: names.count)
      library = .allocate(capacity: 1)
      library.initialize(
        to: OzuDynamicLibrary(
          sonames: Self.list(sonames), names: Self.list(names), functions: functions, is_loaded: false))
    }

    /// Loads the library; returns nil, or why it failed.
    func load() -> String? {
      var message = [CChar](repeating: 0, count: 256)
      if ozu_dynamic_library_load(library, &message, message.count) { return nil }
      return String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    var isLoaded: Bool { library.pointee.is_loaded }

    private static func list(_ strings: [String]) -> UnsafePointer<UnsafePointer<CChar>?> {
      let list = UnsafeMutablePointer<UnsafePointer<CChar>?>.allocate(capacity: strings.count + 1)
      for (index, string) in strings.enumerated() { (list + index).initialize(to: strdup(string)) }
      (list + strings.count).initialize(to: nil)
      return UnsafePointer(list)
    }
  }

  @Suite("Libraries that are opened when they are first needed")
  struct DynamicLibraryTests {
    @Test("a library that is not installed is named")
    func missing() {
      let table = Table(["libozu-absent.so.1"])
      #expect(table.load() == "libozu-absent.so.1 is not installed")
      #expect(!table.isLoaded)
      #expect(table.functions[0] == nil)
    }

    @Test("of several names the first that exists is used; if none exists, the first is in the error")
    func severalNames() throws {
      let table = Table(["libozu-absent.so.1", "libz.so.1"])
      #expect(table.load() == nil)
      let address = try #require(table.functions[0])
      let version = unsafeBitCast(address, to: (@convention(c) () -> UnsafePointer<CChar>).self)
      #expect(String(cString: version()).hasPrefix("1."))
      #expect(
        Table(["libozu-absent.so.1", "libozu-absent.so.2"]).load() == "libozu-absent.so.1 is not installed")
    }

    @Test("a library that lacks a function is another version, and no table is used")
    func anotherVersion() {
      let table = Table(["libz.so.1"], functions: ["zlibVersion", "ozu_absent"])
      #expect(table.load() == "libz.so.1 is another version than Ozu was built for: it has no ozu_absent")
      #expect(!table.isLoaded)
      #expect(table.functions[0] == nil)
    }

    @Test("a file that is not a library has another error than one that does not exist")
    func noLibrary() throws {
      let folder = try FileManager.default.url(
        for: .itemReplacementDirectory, in: .userDomainMask,
        appropriateFor: FileManager.default.temporaryDirectory,
        create: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let path = folder.appending(path: "libozu-text.so.1").path
      try Data("text".utf8).write(to: URL(fileURLWithPath: path))
      #expect(Table([path]).load()?.hasPrefix("\(path) cannot be loaded: \(path): ") == true)
    }

    @Test("a library that is installed later is found")
    func laterInstalled() throws {
      let folder = try FileManager.default.url(
        for: .itemReplacementDirectory, in: .userDomainMask,
        appropriateFor: FileManager.default.temporaryDirectory,
        create: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let path = folder.appending(path: "libozu-later.so.1").path
      let table = Table([path])
      #expect(table.load() == "\(path) is not installed")
      let installed = try #require(
        ["/lib/x86_64-linux-gnu/libz.so.1", "/lib/aarch64-linux-gnu/libz.so.1", "/usr/lib/libz.so.1"]
          .first(where: FileManager.default.fileExists))
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: installed)
      #expect(table.load() == nil)
    }

    @Test("many threads that load at once all find the whole table")
    func threads() async {
      for _ in 0..<50 {
        let table = Table(["libz.so.1"])
        let wholeCount = await withTaskGroup(of: Bool.self) { group in
          for _ in 0..<8 {
            group.addTask { table.load() == nil && table.functions[0] != nil && table.functions[1] != nil }
          }
          return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(wholeCount == 8)
      }
    }

    @Test("every library that this build uses can be loaded ahead of the first file")
    func prepares() throws {
      var codecs = CodecRegistry.libraries
      #if SVG
        codecs.registerInProcessSVG()
      #endif
      try codecs.prepare(for: codecs.decodableTypes)
      #expect(throws: ImageDecodingError.unsupportedType(.svg, reason: "no decoder is registered for it")) {
        try CodecRegistry().prepare(for: [.svg])
      }
    }
  }
#endif
