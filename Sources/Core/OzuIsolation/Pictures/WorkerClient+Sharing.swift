import OzuBase
import OzuImaging

extension WorkerClient {
  /// The settings that pipelines must have in common to share their processes.
  private struct Terms: Hashable, Sendable {
    let mode: DecoderIsolation.Mode
    let helper: DecoderIsolation.Helper
    let deadline: Duration
    let processLimit: Int
    let domain: String

    init(_ settings: DecoderIsolation) {
      (mode, helper) = (settings.mode, settings.helper)
      (deadline, processLimit, domain) = (settings.deadline, settings.processLimit, settings.domain)
    }
  }

  private struct Place: Sendable {
    weak var client: WorkerClient?
  }

  private static let places = Mutex<[Terms: Place]>([:])

  /// The object for all registries with equal settings; it lives as long as one of them.
  static func shared(for settings: DecoderIsolation) -> WorkerClient {
    let terms = Terms(settings)
    // If another thread releases an object meanwhile, it is freed outside of the lock; so is the new one if it is
    // not used.
    let fresh = WorkerClient(settings)
    var known: [WorkerClient?] = []
    defer { withExtendedLifetime((fresh, known)) {} }
    return places.withLock { places in
      if let client = places[terms]?.client { return client }
      places = places.filter { place in
        known.append(place.value.client)
        return known[known.count - 1] != nil
      }
      places[terms] = Place(client: fresh)
      return fresh
    }
  }
}
