import Foundation
import OzuText

extension Error {
  /// The error in one line for people, without characters that a terminal obeys.
  ///
  /// Foundation's errors describe themselves by a dump of their domain, code and dictionary. Of those the cause that the
  /// system gave is said, with the file it is about, or else Foundation's sentence for users.
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
