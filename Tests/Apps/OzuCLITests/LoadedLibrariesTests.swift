#if os(Linux) && !OZU_ASAN && !OZU_TSAN
  import Foundation
  import Ozu
  import OzuTesting
  import Testing

  @testable import OzuCLI

  /// The libraries that the real `ozu` opens at its start and later, and its messages when one is missing.
  @Suite("Libraries of ozu")
  struct LoadedLibrariesTests {
    /// The libraries that every start may open: Swift, the C library, and the small codecs. A library that is listed by
    /// mistake makes each start slower, together with all libraries that it needs.
    private static let linked: Set = [
      "libjpeg.so.62", "libpng16.so.16", "libz.so.1", "libisal.so.2", "libzstd.so.1", "libbrotlidec.so.1",
      "liblcms2.so.2", "libwebp.so.7", "libwebpmux.so.3", "libc.so.6", "libm.so.6", "libdl.so.2",
      "libpthread.so.0",
      "libgcc_s.so.1", "libstdc++.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1",
    ]
    private static let swift: Set = [
      "libswiftCore.so", "libswiftSwiftOnoneSupport.so", "libswift_Concurrency.so",
      "libswift_StringProcessing.so", "libswift_RegexParser.so", "libswiftSynchronization.so",
      "libswiftGlibc.so", "libBlocksRuntime.so", "libdispatch.so", "libswiftDispatch.so", "libFoundation.so",
      "libFoundationEssentials.so", "libFoundationInternationalization.so",
    ]

    @Test(
      "the program is not linked with libraries that few files need",
      .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/readelf")))
    func needed() async throws {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/readelf")
      process.arguments = ["--dynamic", "--wide", try ChildRun.program.path]
      let pipe = Pipe()
      process.standardOutput = pipe
      try process.run()
      let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
      process.waitUntilExit()
      let needed = Set(text.matches(of: /\(NEEDED\).*\[(.*)\]/).map { String($0.output.1) })
      #expect(needed.contains("libswiftCore.so"))
      #expect(needed.subtracting(Self.linked).subtracting(Self.swift) == [])
    }

    /// The libraries that are opened later, by their feature. Tools of distributions read this list in the program.
    private static let loaded = (try? readNotes()) ?? [:]

    private static func readNotes() throws -> [String: String] {
      var rest = try Data(contentsOf: try ChildRun.program)[...]
      var loaded: [String: String] = [:]
      while let range = rest.range(of: Data("[{\"feature\":".utf8)) {
        let text = rest[range.lowerBound...].prefix { $0 != 0 }
        rest = rest[text.endIndex...]
        let notes = try JSONSerialization.jsonObject(with: Data(text)) as? [[String: Any]]
        let note = try #require(notes?.first)
        let sonames = try #require(note["soname"] as? [String])
        loaded[try #require(note["feature"] as? String)] = sonames.first
      }
      return loaded
    }

    private static var features: Set<String> {
      var features: Set = ["curl"]
      #if AVIF
        features.insert("avif")
      #endif
      #if HEIF
        features.insert("heif")
      #endif
      #if JXL
        features.insert("jxl")
      #endif
      #if TIFF
        features.insert("tiff")
      #endif
      #if SVG
        features.insert("svg")
      #endif
      return features
    }

    @Test("a note in the program names each library that is opened later")
    func notes() {
      // Labels are no files: no format has Pango for itself.
      let labels: Set = Self.features.contains("svg") ? ["pango"] : []
      #expect(Set(Self.loaded.keys) == Self.features.union(labels))
    }

    /// The beginning of a file of each format that is read by a library that is opened later.
    private static let beginnings: [String: [UInt8]] = [
      "avif": [0, 0, 0, 20] + Array("ftypavif\0\0\0\0avif".utf8),
      "heif": [0, 0, 0, 20] + Array("ftypheic\0\0\0\0heic".utf8),
      "jxl": [0xFF, 0x0A, 0, 0, 0, 0, 0, 0],
      "tiff": [0x49, 0x49, 42, 0, 8, 0, 0, 0],
      "svg": Array("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"4\" height=\"4\"/>".utf8),
    ]

    /// Runs `ozu info` on files, and returns the later libraries that it opened.
    private func opened(
      by names: [String], in folder: Folder
    ) async throws -> (features: Set<String>, run: ChildRun) {
      let log = folder.path("log")
      let run = try await ChildRun(
        names.isEmpty ? ["--version"] : ["info"] + names, in: folder,
        variables: ["LD_DEBUG": "files", "LD_DEBUG_OUTPUT": log])
      var text = ""
      for name in try folder.names where name.hasPrefix("log.") {
        text += String(decoding: folder.data(name) ?? Data(), as: UTF8.self)
      }
      // The loader has reported libraries.
      #expect(text.contains("libswiftCore.so"))
      return (Set(Self.loaded.filter { text.contains("/\($0.value)") }.keys), run)
    }

    @Test("no library is opened for files that need none")
    func nothingOpened() async throws {
      let folder = try Folder()
      #expect(try await opened(by: [], in: folder).features == [])
      let picture = PatternPicture(PixelSize(16, 12))
      for (type, name) in [(ImageType.jpeg, "a.jpg"), (.png, "a.png")] {
        try folder.write(try picture.data(as: type), to: name)
      }
      // Drawings are recognised here, and drawn elsewhere.
      try folder.write(Data(try #require(Self.beginnings["svg"])), to: "a.svg")
      let (features, run) = try await opened(by: ["a.jpg", "a.png", "a.svg"], in: folder)
      #expect(run.text.contains("a.jpg: "))
      #expect(features == [])
    }

    // The process that draws SVG has another environment.
    @Test(
      "a file opens the library of its format, and no other",
      arguments: features.subtracting(["curl", "svg"]).sorted())
    func oneOpened(feature: String) async throws {
      let folder = try Folder()
      try folder.write(Data(try #require(Self.beginnings[feature])), to: "file")
      #expect(try await opened(by: ["file"], in: folder).features == [feature])
    }

    @Test("a library that cannot be opened is named, and other formats still work")
    func unusable() async throws {
      let folder = try Folder()
      let libraries = Self.loaded
      // The loader looks here first, and finds a file that is no library.
      try FileManager.default.createDirectory(
        at: folder.url.appending(path: "lib"), withIntermediateDirectories: true)
      for soname in Array(libraries.values) + ["libcurl-gnutls.so.4", "libcurl-nss.so.4"] {
        try folder.write(Data("text".utf8), to: "lib/\(soname)")
      }
      let names = Self.features.subtracting(["curl"]).sorted()
      for name in names { try folder.write(Data(try #require(Self.beginnings[name])), to: name) }
      try folder.write(try PatternPicture(PixelSize(16, 12)).data(as: .jpeg), to: "a.jpg")
      let path =
        [folder.path("lib")] + [ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"]].compactMap(\.self)
      let url = "http://127.0.0.1:9/a.jpg"
      let run = try await ChildRun(
        ["load"] + names + ["a.jpg", url, "--cache", "cache"], in: folder,
        variables: ["LD_LIBRARY_PATH": path.joined(separator: ":")])
      #expect(run.status == 1 && run.reason == .exit)
      let lines = run.errors.split(separator: "\n")
      for (name, feature) in names.map({ ($0, $0) }) + [(url, "curl")] {
        let line = try #require(lines.first { $0.hasPrefix("ozu: \(name): ") }, "\(run.errors)")
        let soname = try #require(libraries[feature])
        #expect(line.contains("\(soname) cannot be loaded: "), "\(line)")
      }
      #expect(run.text.contains("a.jpg: "))
    }
  }
#endif
