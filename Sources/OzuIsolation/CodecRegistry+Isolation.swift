import OzuImaging

extension CodecRegistry {
  /// Has the built-in decoders of some formats work in processes of their own, as the settings say; those of the app stay
  /// where they are. Calling it again replaces what an earlier call has set.
  ///
  /// - Returns: what tells how that goes; `nil` for `off`.
  package mutating func isolate(_ settings: DecoderIsolation) -> IsolationReport? {
    guard settings.mode != .off else {
      isolateBuiltIn([]) { _, _ in nil }
      return nil
    }
    let desk = DecoderDesk.shared(for: settings)
    isolateBuiltIn(settings.types.sorted { $0.rawValue < $1.rawValue }) { type, inner in
      IsolatedDecoder(type, desk, inner: inner)
    }
    return IsolationReport(desk)
  }
}

/// How isolation goes.
package struct IsolationReport: Sendable {
  private let desk: DecoderDesk

  init(_ desk: DecoderDesk) { self.desk = desk }

  package var status: IsolationStatus { IsolationStatus(desk) }
}
