import Foundation
import OzuBase

extension Error {
  /// The error in one line, to show to people, without control characters for terminals.
  ///
  /// The description of a Foundation error is a dump of its domain, code and dictionary. For such errors the text
  /// is the cause that the system reported, with the file, or else Foundation's message for users.
  package var oneLine: String {
    let isFoundations = self is any CustomNSError || type(of: self) is NSError.Type
    let text = isFoundations ? Self.words(for: self as NSError) : "\(self)"
    return PrintableText.oneLine(text)
  }

  private static func words(for error: NSError) -> String {
    var cause: NSError? = error
    while let error = cause, error.domain != NSPOSIXErrorDomain {
      cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
    }
    let message =
      cause.map { systemMessage(Int32(truncatingIfNeeded: $0.code)) }
      ?? error.localizedFailureReason ?? error.localizedDescription
    let path =
      error.userInfo[NSFilePathErrorKey] as? String
      ?? (error.userInfo[NSURLErrorKey] as? URL)?.path(percentEncoded: false)
    return path.map { "\($0): \(message)" } ?? message
  }
}
