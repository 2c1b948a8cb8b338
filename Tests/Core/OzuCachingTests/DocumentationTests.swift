import Foundation
import OzuCaching
import OzuTesting
import Testing

/// The samples of the module's page, cut out of it, compiled against this module alone and run.
@Suite("The page's samples", .timeLimit(.minutes(15)))
struct DocumentationTests {
  /// The output of each sample of the page.
  private static let outputs = [
    "4096 bytes, 1 hit\n",
    "English 5 bytes\nhello\n",
  ]

  /// The code blocks of the page that are whole programs: those that import the module.
  private static func samples() throws -> [String] {
    let page = Repository.url("Sources/Core/OzuCaching/OzuCaching.docc/OzuCaching.md")
    return try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```swift\n").dropFirst()
      .compactMap { $0.components(separatedBy: "```").first }
      .filter { $0.contains("import OzuCaching\n") }
  }

  /// Where these tests and the module were built.
  private static var products: URL? {
    Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent()
  }

  /// Whether there is a compiler, and the module was built without a sanitizer, which a sample would have to have too.
  private static var isPossible: Bool {
    #if OZU_TSAN
      return false
    #else
      guard let products, !products.path.contains(".build-asan") else { return false }
      return FileManager.default.fileExists(atPath: products.path + "/OzuCaching.build")
        && (try? run("swiftc", ["--version"]).status) == 0
    #endif
  }

  /// The object files of a module, by the folder of its sources. Object files of sources that are gone are ignored.
  private static func objects(of folder: String) throws -> [String] {
    let sources = Repository.url(folder)
    let directory = try #require(products).appending(path: sources.lastPathComponent + ".build")
    return try FileManager.default.subpathsOfDirectory(atPath: sources.path)
      .filter { $0.hasSuffix(".swift") }
      .map { directory.appending(path: URL(fileURLWithPath: $0).lastPathComponent + ".o").path }
  }

  private static func run(_ tool: String, _ arguments: [String]) throws -> (status: Int32, text: String) {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [tool] + arguments
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: text, as: UTF8.self))
  }

  @Test("every sample is known here")
  func count() throws {
    #expect(try Self.samples().count == Self.outputs.count)
  }

  @Test(
    "a sample compiles with nothing but the module, and prints what it should", .enabled(if: isPossible),
    arguments: outputs.indices)
  func sample(number: Int) throws {
    let products = try #require(Self.products)
    let folder = FileManager.default.temporaryDirectory.appending(path: "ozu-sample-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // The folder is also the sample's directory for temporary files, so these are removed with it.
    let code = try Self.samples()[number]
    let file = folder.appending(path: "main.swift")
    try Data(code.utf8).write(to: file)
    let objects = try ["Sources/Core/OzuCaching", "Sources/Base/OzuBase"].flatMap(Self.objects)
    let program = folder.appending(path: "sample").path
    let compilation = try Self.run(
      "swiftc",
      ["-swift-version", "6", "-I", products.appending(path: "Modules").path, file.path] + objects
        + ["-o", program])
    #expect(compilation.status == 0, "\(compilation.text)")
    let outcome = try Self.run("env", ["TMPDIR=\(folder.path)/", program])
    #expect(outcome.status == 0)
    #expect(outcome.text == Self.outputs[number])
  }
}
