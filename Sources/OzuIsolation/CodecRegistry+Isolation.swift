import OzuImaging

extension CodecRegistry {
  /// Makes the built-in decoders of some formats work in processes of their own, as the settings say; decoders of
  /// the app are not changed. Another call replaces the settings.
  ///
  /// - Returns: reports the state of isolation; `nil` for `off`.
  package mutating func isolate(_ settings: DecoderIsolation) -> IsolationReport? {
    guard settings.mode != .off else {
      isolateBuiltIn([]) { _, _ in nil }
      return nil
    }
    let client = WorkerClient.shared(for: settings)
    isolateBuiltIn(settings.types.sorted { $0.rawValue < $1.rawValue }) { type, inner in
      IsolatedDecoder(type, client, inner: inner)
    }
    return IsolationReport(client)
  }
}

/// Reports the state of isolation.
package struct IsolationReport: Sendable {
  private let client: WorkerClient

  init(_ client: WorkerClient) { self.client = client }

  package var status: IsolationStatus { IsolationStatus(client) }
}
