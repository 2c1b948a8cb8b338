/// An error in the command line, with the message for the user.
struct UsageError: Error {
  let message: String
  /// A suggestion on a line of its own, such as a similar name or an example.
  let hint: String?

  init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }
}
