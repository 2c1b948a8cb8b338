/// What confines a worker.
package struct WorkerConfinement: Hashable, Sendable {
  /// Whether a filter of system calls (seccomp) is in force.
  package var filtersSystemCalls = false
  /// The version of Landlock that keeps files, and later versions networks and signals, from it; 0 for none.
  package var landlockVersion = 0
  /// Whether memory, processor time, files and core dumps have limits.
  package var limitsResources = false
  /// The calls that the system refused, with its reason: "seccomp (Operation not permitted)".
  package var missing: [String] = []

  package init() {}
}
