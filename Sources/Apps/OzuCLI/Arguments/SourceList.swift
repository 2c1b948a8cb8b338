import Foundation
import Ozu
import OzuBase

extension OptionSpecification {
  /// A list of sources; see `SourceList`.
  static let from = OptionSpecification(
    name: "from", value: "FILE|-", kind: .file,
    help: """
      Take the sources in this file too, or in standard input: one a line, or as find -print0 writes them. Behind a tab may stand \
      a name of its own for the result, which {name} stands for, and {dir} for its folders.
      """)
}

/// The lines of `--from`: a source each, with a name of its own behind a tab if it has one.
enum SourceList {
  /// The sources of the option; none without it.
  ///
  /// - Throws: for a file that cannot be read, and for a name that leads out of the folder of the results.
  static func sources(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> [ListedSource] {
    guard let path = arguments.value(OptionSpecification.from.name) else { return [] }
    let lines: [String]
    do {
      lines = try await BlockingWork.run { try self.lines(of: path, console) }
    } catch {
      throw UsageError("--from \(path): \(error.oneLine)")
    }
    var sources: [ListedSource] = []
    for (index, text) in lines.enumerated() {
      // Editors and tables of Windows write a mark before the first line.
      let hasMark = index == 0 && text.unicodeScalars.first == "\u{FEFF}"
      let line = hasMark ? String(text.unicodeScalars.dropFirst()) : text
      if !line.isEmpty { sources.append(try source(line, "--from \(path), line \(index + 1)")) }
    }
    if sources.isEmpty { throw UsageError("--from \(path): there is no source in it") }
    try SourceArgument.checkStandardInput(
      arguments.positional + sources.map(\.text)
        + (path == SourceArgument.standardInput ? [SourceArgument.standardInput] : []))
    return sources
  }

  /// The most bytes of a list: more is a device, or another kind of file.
  private static let maximumByteCount = 64 << 20

  private static func lines(of path: String, _ console: Console) throws -> [String] {
    let tooLarge = OutputError(reason: "a list may have \(Format.bytes(maximumByteCount)) at most")
    if path == SourceArgument.standardInput {
      var lines: [String] = []
      var byteCount = 0
      while let more = console.readLines() {
        lines += more
        byteCount += more.reduce(0) { $0 + $1.utf8.count + 1 }
        if byteCount > maximumByteCount { throw tooLarge }
      }
      return Self.lines(in: lines.joined(separator: "\n"))
    }
    let data = try data(of: path, tooLarge)
    guard let text = String(validating: data, as: UTF8.self) else {
      throw OutputError(reason: "it is not a text in UTF-8")
    }
    return Self.lines(in: text)
  }

  /// The lines; or what stands before each zero, which no name has: `find -print0` writes it behind names with line feeds in them.
  private static func lines(in text: String) -> [String] {
    let end: UInt8 = text.utf8.contains(0) ? 0 : 0x0A
    let lines: [Substring.UTF8View] = text.utf8.split(separator: end, omittingEmptySubsequences: false)
    return lines.map { line in
      let isOfWindows = end == 0x0A && line.last == 0x0D
      return String(Substring(isOfWindows ? line.dropLast() : line))
    }
  }

  /// Reads a file or a pipe, whose size is not known before.
  private static func data(of path: String, _ tooLarge: OutputError) throws -> Data {
    do throws(SystemError) {
      let descriptor = try OutputFile.open(path, O_RDONLY)
      defer { close(descriptor) }
      if let data = try BlockingCalls.readAll(descriptor, limit: maximumByteCount) { return data }
    } catch {
      throw OutputError(reason: systemMessage(error.code))
    }
    throw tooLarge
  }

  private static func source(_ line: String, _ place: String) throws(UsageError) -> ListedSource {
    let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard !parts[0].isEmpty else { throw UsageError("\(place): a source is missing before the tab") }
    guard parts.count == 2, !parts[1].isEmpty else { return ListedSource(text: parts[0]) }
    // Its ending would come before that of the format.
    var name = parts[1]
    let ending = URL(fileURLWithPath: name).pathExtension
    if OutputFormats.promisedType(ofEnding: ending) != nil {
      name = String(name.dropLast(ending.count + 1))
    }
    var folders = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard let last = folders.popLast(), !last.isEmpty,
      (folders + [last]).allSatisfy({ !$0.isEmpty && OutputNames.harmless($0) == $0 })
    else {
      throw UsageError(
        "\(place): the name \(parts[1]) leads elsewhere or has a dot at its beginning",
        hint: "For example: red-shoes, or shoes/red")
    }
    return ListedSource(text: parts[0], folder: folders.joined(separator: "/"), name: last)
  }
}
