import OzuIsolation
import OzuStandardCodecs

extension DecoderIsolation {
  /// Decodes for another process and does not return, if this process was started for that; else returns at once.
  ///
  /// The first line of the `main` of an app that is its own helper (`Helper.thisProgram`), before anything that starts a
  /// thread:
  ///
  /// ```swift
  /// DecoderIsolation.runIfHelper()
  /// ```
  public static func runIfHelper() {
    runIfHelper { .helper(hasDeepStack: $0) }
  }
}
