import OzuBase

#if canImport(Darwin)
  import Foundation
#endif

extension Error {
  /// The error in one line, to show to people, without control characters for terminals.
  ///
  /// The description of a Foundation error is a dump of its domain, code and dictionary. For an error of a file the text
  /// is the cause that the system reported, with the file, and on Apple platforms for others Foundation's message for users:
  /// elsewhere that needs the whole of Foundation.
  package var oneLine: String {
    PrintableText.oneLine(foundationText ?? "\(self)")
  }

  private var foundationText: String? {
    let file = self as? CocoaError
    var cause: any Error = self
    while cause.systemCode == nil, let next = (cause as? CocoaError)?.underlying { cause = next }
    var message = cause.systemCode.map(systemMessage)
    #if canImport(Darwin)
      if message == nil, self is any CustomNSError || type(of: self) is NSError.Type {
        message = (self as NSError).localizedFailureReason ?? localizedDescription
      }
    #endif
    guard let message = message ?? file.map({ "error \($0.code.rawValue)" }) else { return nil }
    let path = file?.filePath ?? file?.url?.path(percentEncoded: false)
    return path.map { "\($0): \(message)" } ?? message
  }

  /// The code of a call of the system that failed.
  private var systemCode: Int32? {
    if let error = self as? POSIXError { return error.code.rawValue }
    return _domain == POSIXError.errorDomain ? Int32(truncatingIfNeeded: _code) : nil
  }
}
