#if os(Linux) && canImport(CIsolation)
  /// The workers that wait for work: which one gets a question, and which one has to go. Pure; the pool carries it out.
  struct WorkerShelf<Worker> {
    struct Place {
      var worker: Worker
      var kind: WorkerKind
      var bodyNumber: UInt64?
      /// The most memory that a question may grant it.
      var memoryByteCount: Int
      /// When it has waited for too long.
      var end: ContinuousClock.Instant
    }

    /// The one that was put here first comes first.
    private(set) var places: [Place] = []

    var count: Int { places.count }

    mutating func put(_ place: Place) { places.append(place) }

    /// Takes a worker for a question: one that has the body, else the one that has waited longest, whose body is the least
    /// likely to be asked for again.
    mutating func take(_ kind: WorkerKind, bodyNumber: UInt64, memoryByteCount: Int) -> Worker? {
      let fitting = places.indices.filter {
        places[$0].kind == kind && places[$0].memoryByteCount >= memoryByteCount
      }
      guard let index = fitting.first(where: { places[$0].bodyNumber == bodyNumber }) ?? fitting.first else {
        return nil
      }
      return places.remove(at: index).worker
    }

    /// Makes room: takes out what has waited longest until so many are left.
    mutating func removeAll(butLast count: Int) -> [Worker] {
      let removed = places.prefix(max(0, places.count - max(0, count)))
      places.removeFirst(removed.count)
      return removed.map(\.worker)
    }

    /// Takes out those whose time has come.
    mutating func removeExpired(at now: ContinuousClock.Instant) -> [Worker] {
      let expired = places.filter { $0.end <= now }
      if !expired.isEmpty { places.removeAll { $0.end <= now } }
      return expired.map(\.worker)
    }

    /// When the next one has to go.
    var nextEnd: ContinuousClock.Instant? { places.map(\.end).min() }
  }
#endif
