// Elsewhere a program would carry the whole of Foundation for it.
#if canImport(Darwin)
  import Foundation

  extension ImageTask {
    /// The progress of the download in bytes, for views and code that use Foundation's `Progress`. It is indeterminate
    /// while the length is not known, and complete when the picture is available. Cancelling it cancels the load. Every
    /// call returns the same object, which has no parent until the app gives it one. On Apple platforms.
    public var foundationProgress: Progress { report(Progress.of) { $0.show($1) } }
  }

  extension ImageDataTask {
    /// The progress of the download in bytes, for views and code that use Foundation's `Progress`. It is indeterminate
    /// while the length is not known, and complete when the bytes are available. Cancelling it cancels the load. Every
    /// call returns the same object, which has no parent until the app gives it one. On Apple platforms.
    public var foundationProgress: Progress { report(Progress.of) { $0.show($1) } }
  }

  extension Progress {
    fileprivate static func of(_ cancel: @escaping @Sendable () -> Void) -> Progress {
      let report = Progress.discreteProgress(totalUnitCount: -1)
      report.isCancellable = true
      report.isPausable = false
      report.cancellationHandler = cancel
      return report
    }

    /// Shows the progress; `nil` is the end.
    fileprivate func show(_ progress: LoadProgress?) {
      let end = max(1, completedUnitCount)
      totalUnitCount = progress.map { Int64($0.expectedByteCount ?? -1) } ?? end
      completedUnitCount = progress.map { Int64($0.receivedByteCount) } ?? end
    }
  }
#endif
