import Ozu

/// The operations of `JobGraph`, with the same names.
extension NaiveGraph {
  package mutating func subscribe(
    _ waiter: Int, to key: Int?, within nester: Int? = nil, _ priority: ImagePriority, payload: Int,
    _ placement: Placement, now: JobInstant
  ) -> ExpectedEffects {
    change(now) { model, _ in
      defer { if let nester { model.note(nester, waiter) } }
      let index = model.index(ofKey: key)
      let job = index.map { model.jobs[$0].payload } ?? payload
      model.subscribers.append(Subscriber(owner: .waiter(waiter), job: job, priority: priority))
      guard index == nil else { return }
      model.jobs.append(Job(key: key, payload: payload))
      model.place(payload, placement)
    }
  }

  package mutating func unsubscribe(_ waiter: Int, now: JobInstant) -> ExpectedEffects {
    change(now) { model, expected in model.drop(.waiter(waiter), now, &expected) }
  }

  private mutating func note(_ nester: Int, _ waiter: Int) {
    guard let payload = subscribers.first(where: { $0.owner == .waiter(waiter) })?.job,
      let index = index(of: payload)
    else { return }
    jobs[index].nesters[waiter] = nester
  }

  /// Whether the owner of a job would wait for itself if it waited for the job of a key.
  func wouldWaitForItself(_ payload: Int, on key: Int?) -> Bool {
    index(ofKey: key).map { isWaiting(jobs[$0].payload, for: payload) } ?? false
  }

  /// - Returns: the effects, and whether the job had a place and a subscriber.
  package mutating func pause(_ payload: Int, now: JobInstant) -> (ExpectedEffects, Bool) {
    guard let index = index(of: payload), case .running = jobs[index].state else {
      return (ExpectedEffects(), false)
    }
    return move(payload, to: .nowhere, now: now)
  }

  package mutating func setPriority(
    _ waiter: Int, to priority: ImagePriority, now: JobInstant
  ) -> ExpectedEffects {
    change(now) { model, _ in
      model.update(.waiter(waiter)) { $0.priority = priority }
    }
  }

  package mutating func setDeadline(_ waiter: Int, at instant: JobInstant?, endsAtStart: Bool) {
    update(.waiter(waiter)) { $0.deadline = instant.map { ($0, endsAtStart) } }
  }

  /// - Returns: the effects, and whether the job still has a subscriber.
  package mutating func move(
    _ payload: Int, to placement: Placement, now: JobInstant
  ) -> (ExpectedEffects, Bool) {
    var isWanted = true
    let expected = change(now) { model, expected in
      isWanted = model.leave(payload, now, &expected)
      if isWanted { model.place(payload, placement) }
    }
    return (expected, isWanted)
  }

  package mutating func depend(
    _ payload: Int, on key: Int?, then: Placement, making other: Int, _ placement: Placement,
    deadline: JobInstant?, now: JobInstant
  ) -> (ExpectedEffects, Graph.Dependence) {
    var dependence = Graph.Dependence.parked
    let expected = change(now) { model, expected in
      guard model.leave(payload, now, &expected) else {
        dependence = .abandoned
        return
      }
      model.set(payload, .deciding)
      let index = model.index(ofKey: key)
      let job = index.map { model.jobs[$0].payload } ?? other
      if model.isWaiting(job, for: payload) {
        dependence = .circular
        return
      }
      model.subscribers.append(
        Subscriber(owner: .job(payload), job: job, deadline: deadline.map { ($0, false) }))
      model.set(payload, .parked(on: job, then: then))
      guard index == nil else { return }
      model.jobs.append(Job(key: key, payload: other))
      model.place(other, placement)
    }
    return (expected, dependence)
  }

  package mutating func finish(
    _ payload: Int, succeeded: Bool, now: JobInstant
  ) -> (ExpectedEffects, Bool) {
    var isWanted = true
    let expected = change(now) { model, expected in
      let own = model.index(of: payload).map { model.jobs[$0].state }
      isWanted = model.leave(payload, now, &expected)
      guard isWanted, let index = model.index(of: payload) else { return }
      let levels = model.levels()
      let (stations, ended) = (model.stations, model.jobs.remove(at: index))
      let subscribers = model.subscribers.filter { $0.job == payload }
      var dependents: [(payload: Int, then: Placement)] = []
      for subscriber in subscribers {
        switch subscriber.owner {
        case .waiter(let waiter): expected.answers.append(waiter)
        case .job(let dependent):
          guard let index = model.index(of: dependent), case .parked(_, let then) = model.jobs[index].state
          else { continue }
          dependents.append((dependent, succeeded ? then : .nowhere))
        }
      }
      // The most urgent job that continues in the same station takes the place.
      var successor: Int?
      if case .running(let station)? = own {
        let origin = ended.origin
        var best: ImagePriority?
        for dependent in dependents {
          guard case .station(station, _, let other) = dependent.then,
            stations[station.index].originWidth == nil || other == origin
          else { continue }
          let level = levels[dependent.payload] ?? .veryLow
          if best.map({ level > $0 }) ?? true { (successor, best) = (dependent.payload, level) }
        }
        if let successor {
          model.set(successor, .running(station))
          if let index = model.index(of: successor) { model.jobs[index].origin = origin }
          expected.starts.append(
            ExpectedEffects.Start(
              payload: successor, station: station, input: payload, continues: true,
              level: levels[successor] ?? .veryLow))
        }
      }
      model.subscribers.removeAll { $0.job == payload }
      for dependent in dependents where dependent.payload != successor {
        model.place(dependent.payload, dependent.then)
        if dependent.then == .nowhere || !succeeded {
          expected.wakes.append(ExpectedEffects.Wake(payload: dependent.payload, input: payload))
        } else if let index = model.index(of: dependent.payload) {
          model.jobs[index].input = payload
        }
      }
    }
    return (expected, isWanted)
  }

  package mutating func tick(now: JobInstant) -> ExpectedEffects {
    change(now) { model, expected in
      for index in model.stations.indices {
        guard let due = model.stations[index].due, due <= now else { continue }
        model.stations[index].due = nil
        if model.queuedCount(in: StationID.allCases[index]) > 0 {
          model.stations[index].limiter?.noteDelayHasPassed(now)
        }
      }
      model.dispatchAll(now, &expected)
      while let (owner, deadline) = model.nextOverdue(now) {
        guard let subscriber = model.subscribers.first(where: { $0.owner == owner }) else { break }
        if deadline.endsAtStart, model.hasBegun(subscriber.job) {
          model.update(owner) { $0.deadline = nil }
          continue
        }
        switch owner {
        case .waiter(let waiter): expected.overdue.append(waiter)
        case .job(let dependent):
          model.set(dependent, .deciding)
          expected.wakes.append(ExpectedEffects.Wake(payload: dependent))
        }
        model.drop(owner, now, &expected)
        model.relevel()
        model.dispatchAll(now, &expected)
      }
    }
  }

  package mutating func lend(_ station: StationID, now: JobInstant) -> Bool {
    let index = station.index
    guard queuedCount(in: station) == 0, runningCount(in: station) < stations[index].width,
      !stations[index].isSuspended, !standsBack(station), stations[index].limiter?.isOpen(now) ?? true
    else { return false }
    stations[index].lentCount += 1
    return true
  }

  package mutating func takeBack(_ station: StationID, now: JobInstant) -> ExpectedEffects {
    change(now) { model, _ in model.stations[station.index].lentCount -= 1 }
  }

  package mutating func setSuspended(
    _ station: StationID, _ isSuspended: Bool, now: JobInstant
  ) -> ExpectedEffects {
    change(now) { model, _ in model.stations[station.index].isSuspended = isSuspended }
  }
}
