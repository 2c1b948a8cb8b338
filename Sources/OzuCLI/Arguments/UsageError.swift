/// A command line that was not understood.
struct UsageError: Error {
  let message: String
  /// What may have been meant.
  let hint: String?

  init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }
}
