import OzuImaging

extension CodecRegistry {
  /// Makes the built-in decoders work in processes of their own, all of them if that is required, else those of the
  /// formats in the settings. Decoders of the app are not changed. Another call replaces the settings.
  ///
  /// - Returns: reports the state of isolation; `nil` for `off`.
  package mutating func isolate(_ settings: DecoderIsolation) -> IsolationReport? {
    guard settings.mode != .off else {
      isolateBuiltIn([]) { _, _ in nil }
      return nil
    }
    let client = WorkerClient.shared(for: settings)
    // No decoder in this process may stay reachable if isolation is required. Drawings have none.
    let drawings = ImageFormat.read.filter { $0.decoding == .drawing }.map(\.type)
    let types = settings.mode == .required ? Set(builtInTypes + drawings) : settings.types
    isolateBuiltIn(types.sorted { $0.rawValue < $1.rawValue }) { type, inner in
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
