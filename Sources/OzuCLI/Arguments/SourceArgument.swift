import Foundation
import Ozu
import OzuHTTP

/// A source as people type it: a URL, or the path of a file.
enum SourceArgument {
  /// What begins with a scheme is a URL; everything else is a path, whatever letters it has.
  static func source(_ text: String) -> ImageSource {
    let schemes = ["http:", "https:", "file:", "data:"]
    let lowercased = text.lowercased()
    if schemes.contains(where: lowercased.hasPrefix) || looksLikeScheme(text), let url = URL(string: text) {
      return .url(url)
    }
    return .url(URL(fileURLWithPath: text))
  }

  /// A source as it may be printed: an address without user, password, query and fragment.
  static func shown(_ text: String) -> String {
    text.contains("://") || text.hasPrefix("//") ? Redaction.address(text) : text
  }

  /// `name://`: an address of a kind nothing here reads, which deserves that answer and not "no such file".
  private static func looksLikeScheme(_ text: String) -> Bool {
    guard let range = text.range(of: "://") else { return false }
    return text[..<range.lowerBound].allSatisfy { $0.isASCII && ($0.isLetter || "+-.".contains($0)) }
  }
}
