#if canImport(Glibc)
  // Not Foundation: with it, Swift does not allow code to set `stderr`.
  @preconcurrency import Glibc
#endif

/// The C libraries that decode pictures.
enum CLibraries {
  /// Discards the output of C libraries. libjxl 0.7, as Debian builds it, prints its source lines for every damaged
  /// file; the error of the load says the same in one line.
  ///
  /// Changes the C stream `stderr`, not the descriptor behind it. The console and the runtime of Swift write to the
  /// descriptor. Call it before there is a second thread.
  static func silence() {
    #if canImport(Glibc)
      if let nowhere = fopen("/dev/null", "we") { stderr = nowhere }
    #endif
  }
}
