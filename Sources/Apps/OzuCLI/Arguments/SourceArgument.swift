import Foundation
import Ozu
import OzuBase
import OzuHTTP

/// A source as people type it: a URL, the path of a file, or `-` for standard input.
enum SourceArgument {
  static let standardInput = "-"

  /// Whether the bytes come from standard input. A file of this name is `./-`.
  private static func isStandardInput(_ text: String) -> Bool {
    text == standardInput || text == "/dev/stdin"
  }

  /// Standard input can be read once.
  static func checkStandardInput(_ texts: [String]) throws(UsageError) {
    if texts.count(where: isStandardInput) > 1 {
      throw UsageError("-: standard input is one source, and is named more than once")
    }
  }

  static func isFile(_ text: String) -> Bool {
    if isStandardInput(text) { return false }
    if case .url(let url) = source(text) { return url.isFileURL }
    return false
  }

  /// The path of a source that names a file. One that was typed is used as it is: URLs may normalise characters, and names of
  /// files are bytes.
  static func path(ofFile text: String) -> String {
    guard text.lowercased().hasPrefix("file:"), case .url(let url) = source(text) else { return text }
    return url.path(percentEncoded: false)
  }

  /// The facts of the file that a text names; `nil` if it is not there, and for sources that are no files.
  static func status(ofFile text: String) -> stat? {
    var status = stat()
    guard isFile(text), stat(path(ofFile: text), &status) == 0 else { return nil }
    return status
  }

  /// The source of a text; reads standard input for `-`.
  static func read(_ text: String, limit: Int) async throws(ImageError) -> ImageSource {
    guard isStandardInput(text) else { return source(text) }
    return .data(try await StandardInput.read(limit: limit))
  }

  /// The same; standard input may have as many bytes as files may have for a pipeline.
  static func read(_ text: String, for pipeline: ImagePipeline) async throws(ImageError) -> ImageSource {
    try await read(text, limit: pipeline.configuration.decoding.limits.encodedByteCount)
  }

  /// A text that begins with a scheme is a URL; every other text is a path.
  static func source(_ text: String) -> ImageSource {
    if isStandardInput(text) { return .url(URL(fileURLWithPath: "/dev/stdin")) }
    let schemes = ["http:", "https:", "file:", "data:"]
    let lowercased = text.lowercased()
    if schemes.contains(where: lowercased.hasPrefix) || looksLikeScheme(text), let url = URL(webAddress: text)
    {
      return .url(url)
    }
    return .url(URL(fileURLWithPath: text))
  }

  /// A source as it may be printed: an address without user, password, query and fragment.
  static func shown(_ text: String) -> String {
    text.contains("://") || text.hasPrefix("//") ? Redaction.address(text) : text
  }

  /// A source as `shown`, for a line of a report: JSON escapes by itself.
  static func line(_ text: String) -> String { PrintableText.name(shown(text)) }

  /// Whether a text begins with `name://`. An unknown scheme must be the error then, not "no such file".
  private static func looksLikeScheme(_ text: String) -> Bool {
    guard let range = text.range(of: "://") else { return false }
    let scheme = text[..<range.lowerBound]
    return scheme.first?.isLetter ?? false
      && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
  }
}

/// The bytes of standard input, as a source.
enum StandardInput {
  // A queue of its own, because reading may block for long while results are written.
  private static let queue = DispatchQueue(label: "ozu.cli.input")

  /// Reads all of it.
  ///
  /// - Parameter limit: the most bytes to accept.
  static func read(limit: Int) async throws(ImageError) -> Data {
    let outcome = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: readAll(limit: limit)) }
    }
    return try outcome.get()
  }

  private static func readAll(limit: Int) -> Result<Data, ImageError> {
    do throws(SystemError) {
      guard let data = try BlockingCalls.readAll(STDIN_FILENO, limit: limit) else {
        return .failure(.bodyTooLarge(SourceArgument.standardInput, limit: limit))
      }
      return .success(data)
    } catch {
      return .failure(.unreadableFile(SourceArgument.standardInput, code: error.code))
    }
  }
}
