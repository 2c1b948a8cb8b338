package struct WorkerConfinement: Hashable, Sendable {
  /// Whether a filter of system calls (seccomp) is active.
  package var filtersSystemCalls = false
  /// The version of Landlock, which denies access to files, and in later versions to networks and signals; 0 for
  /// none.
  package var landlockVersion = 0
  /// Whether memory, processor time, files and core dumps have limits.
  package var limitsResources = false
  /// Whether it has no rights of an administrator.
  package var dropsCapabilities = false
  /// Whether the number of threads has a limit; also true if none may be started.
  package var limitsThreads = false
  /// The restrictions that the system refused, with the reason: "seccomp: Operation not permitted".
  package var missing: [String] = []
  /// The number of threads in the process that workers are forked from; 0 if the system does not report it. More
  /// than one is a mistake of `WorkerHandling.prepare`: a lock that another thread holds stays locked in the
  /// worker.
  package var zygoteThreadCount = 0

  package init() {}

  /// The missing restriction without which a worker of a kind is not safe; nil if it is safe.
  ///
  /// The filter denies all files, except for kinds that read some: for these, Landlock decides which.
  package func fault(for kind: WorkerKind) -> String? {
    let isConfined =
      filtersSystemCalls && limitsResources && dropsCapabilities && limitsThreads
      && (landlockVersion > 0 || !kind.readsFonts)
    return isConfined ? nil : missing.joined(separator: ", ")
  }
}

#if os(Linux) && canImport(CIsolation)
  import CIsolation
  import OzuBase

  extension WorkerConfinement {
    /// The worker's report about itself.
    package struct Report {
      var confined = ozu_confined()
      var zygoteThreadCount: Int32 = 0
      var process = getpid()
    }

    init(_ report: Report) {
      let confined = report.confined
      filtersSystemCalls = confined.filter_error == 0
      limitsResources = confined.limits_error == 0
      dropsCapabilities = confined.capabilities_error == 0
      limitsThreads = confined.threads_error == 0
      landlockVersion = Int(confined.landlock_version)
      zygoteThreadCount = Int(report.zygoteThreadCount)
      let calls = [
        ("setrlimit", confined.limits_error), ("capset", confined.capabilities_error),
        ("a root folder of its own", confined.root_error), ("landlock", confined.landlock_error),
        ("seccomp", confined.filter_error), ("counting threads", confined.threads_error),
      ]
      missing = calls.compactMap { name, code in code == 0 ? nil : "\(name): \(systemMessage(code))" }
    }
  }
#endif

/// The restrictions of workers, and how many there were.
package struct WorkerStatus: Hashable, Sendable {
  /// The restrictions, as reported by the first worker, and what any worker is missing; nil before.
  package var confinement: WorkerConfinement?
  package var workerCount = 0
  package var startedWorkerCount = 0
  package var startedZygoteCount = 0
  package var answerCount = 0
  /// How many requests ended with `ImageDecodingError.decoderFailed`.
  package var failureCount = 0

  package init() {}
}
