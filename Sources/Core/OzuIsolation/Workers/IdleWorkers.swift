#if os(Linux) && canImport(CIsolation)
  /// The idle workers: decides which one gets a request, and which one is ended. A pure value; the pool acts on it.
  struct IdleWorkers<Worker> {
    struct Place {
      var worker: Worker
      var kind: WorkerKind
      var bodyNumber: UInt64?
      /// The most memory that a request may grant it.
      var memoryByteCount: Int
      /// When its idle time ends.
      var end: ContinuousClock.Instant
    }

    /// In the order in which they were added.
    private(set) var places: [Place] = []

    var count: Int { places.count }

    mutating func put(_ place: Place) { places.append(place) }

    /// Takes a worker for a request: one that has the body, else the one that was idle for longest, whose body is
    /// the least likely to be asked for again.
    mutating func take(_ kind: WorkerKind, bodyNumber: UInt64, memoryByteCount: Int) -> Worker? {
      let fitting = places.indices.filter {
        places[$0].kind == kind && places[$0].memoryByteCount >= memoryByteCount
      }
      guard let index = fitting.first(where: { places[$0].bodyNumber == bodyNumber }) ?? fitting.first else {
        return nil
      }
      return places.remove(at: index).worker
    }

    /// Makes room: removes the workers that were idle for longest until `count` are left.
    mutating func removeAll(butLast count: Int) -> [Worker] {
      let removed = places.prefix(max(0, places.count - max(0, count)))
      places.removeFirst(removed.count)
      return removed.map(\.worker)
    }

    /// Removes the workers whose idle time has ended.
    mutating func removeExpired(at now: ContinuousClock.Instant) -> [Worker] {
      let expired = places.filter { $0.end <= now }
      if !expired.isEmpty { places.removeAll { $0.end <= now } }
      return expired.map(\.worker)
    }

    /// When the idle time of the next worker ends.
    var nextEnd: ContinuousClock.Instant? { places.map(\.end).min() }
  }
#endif
