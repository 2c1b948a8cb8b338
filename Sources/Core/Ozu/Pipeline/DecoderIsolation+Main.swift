import OzuIsolation
import OzuStandardCodecs

extension DecoderIsolation {
  /// If this process was started as a helper, decodes for another process and does not return. Otherwise returns at
  /// once.
  ///
  /// Call this in the first line of `main` of an app that is its own helper (`Helper.thisProgram`), before anything
  /// that starts a thread:
  ///
  /// ```swift
  /// DecoderIsolation.runIfHelper()
  /// ```
  public static func runIfHelper() {
    runIfHelper { .helper(hasDeepStack: $0) }
  }
}
