import OzuImaging

extension CodecRegistry {
  /// Makes the built-in decoders work in processes of their own, all of them if that is required, else those of the
  /// formats in the settings. Decoders of the app are not changed. Another call replaces the settings.
  ///
  /// - Returns: reports the state of isolation; `nil` for `off`.
  package mutating func isolate(_ settings: DecoderIsolation) -> IsolationReport? {
    guard settings.mode != .off else {
      isolateBuiltIn([]) { _, _ in nil }
      isolateLabels { _ in nil }
      return nil
    }
    let client = WorkerClient.shared(for: settings)
    // No decoder in this process may stay reachable if isolation is required. Drawings have none.
    let drawings = ImageFormat.read.filter { $0.decoding == .drawing }.map(\.type)
    let types = settings.mode == .required ? Set(builtInTypes + drawings) : settings.types
    isolateBuiltIn(types.sorted { $0.rawValue < $1.rawValue }) { type, inner in
      IsolatedDecoder(type, client, inner: inner)
    }
    isolateLabels { IsolatedDecoder(.label, client, inner: $0) }
    return IsolationReport(client)
  }
}

package struct IsolationReport: Sendable {
  private let client: WorkerClient

  init(_ client: WorkerClient) { self.client = client }

  package var status: IsolationStatus { IsolationStatus(client) }
}

/// The state of isolation, as far as it was used.
public struct IsolationStatus: Hashable, Sendable {
  /// Whether isolation is used, and whether it is required.
  public let mode: DecoderIsolation.Mode
  /// Why the last file was decoded in the process of the app although isolation is preferred; `nil` if it was
  /// isolated.
  public let degradation: String?
  /// Whether a filter of system calls (seccomp) is active in the processes that decode; `nil` before the first of
  /// them.
  public let filtersSystemCalls: Bool?
  /// The version of Landlock that denies them files and networks: 0 for none, `nil` before the first of them.
  public let landlockVersion: Int?
  /// The restrictions that the system has refused, with the reason.
  public let missingRestrictions: [String]
  /// How many processes there are now.
  public let processCount: Int
  /// How many have been started.
  public let startedProcessCount: Int
  /// How many requests they have answered: a picture is one request, each frame of an animation another.
  public let answerCount: Int
  /// How many requests ended with `DecoderFailure`.
  public let failureCount: Int
}

extension IsolationStatus {
  init(_ client: WorkerClient) {
    let status = client.pool?.status ?? WorkerStatus()
    self.init(
      mode: client.settings.mode, degradation: client.degradation,
      filtersSystemCalls: status.confinement?.filtersSystemCalls,
      landlockVersion: status.confinement?.landlockVersion,
      missingRestrictions: status.confinement?.missing ?? [],
      processCount: status.workerCount, startedProcessCount: status.startedWorkerCount,
      answerCount: status.answerCount, failureCount: status.failureCount)
  }
}

extension IsolationStatus: CustomStringConvertible {
  /// The state in one line: the restrictions of the decoders, and their number.
  public var description: String {
    if let degradation { return "\(mode.rawValue), not isolated: \(degradation)" }
    guard let filtersSystemCalls, let landlockVersion else { return "\(mode.rawValue), nothing decoded yet" }
    let locks =
      ["a process of their own"] + (filtersSystemCalls ? ["seccomp"] : [])
      + (landlockVersion > 0 ? ["Landlock \(landlockVersion)"] : [])
    let lack = missingRestrictions.isEmpty ? "" : ", without \(missingRestrictions.joined(separator: ", "))"
    return "\(mode.rawValue), by \(locks.joined(separator: ", "))\(lack), \(processCount) running, "
      + "\(startedProcessCount) started, \(answerCount) answers, \(failureCount) failures"
  }
}
