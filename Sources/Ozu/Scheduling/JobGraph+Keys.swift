/// The first job in each bucket of the table of keys; -1 for none. The number of buckets is a power of two.
struct JobBuckets: Sendable {
  fileprivate var firsts = [-1]
  fileprivate(set) var count = 0
}

/// Jobs by their keys: a hash table whose chains go through the jobs themselves. The keys of pictures store their
/// hash, so it is not computed again (`hashValue`).
///
/// - Complexity: O(1), amortised for insertion.
extension JobGraph {
  /// The job of a key; nil if there is none.
  package func job(of key: Key) -> SlotID? { index(of: key).map { jobs.id(at: $0) } }

  /// - Parameter key: `nil` for work that is not shared.
  func index(of key: Key?) -> Int? {
    guard let key else { return nil }
    let hash = key.hashValue
    var job = keys.firsts[hash & (keys.firsts.count - 1)]
    while job >= 0, jobs[job].hash != hash || jobs[job].key != key { job = jobs[job].nextOfBucket }
    return job < 0 ? nil : job
  }

  /// Adds a job to the table under its key. No other job may have that key.
  mutating func list(_ job: Int, under key: Key) {
    if keys.count == keys.firsts.count { doubleBuckets() }
    keys.count += 1
    jobs[job].hash = key.hashValue
    chain(job)
  }

  /// Removes a job from the table, so that its key is free.
  mutating func releaseKey(of job: Int) {
    guard jobs[job].key.take() != nil else { return }
    let (bucket, next) = (bucket(of: job), jobs[job].nextOfBucket)
    keys.count -= 1
    var other = keys.firsts[bucket]
    if other == job { return keys.firsts[bucket] = next }
    while jobs[other].nextOfBucket != job { other = jobs[other].nextOfBucket }
    jobs[other].nextOfBucket = next
  }

  private func bucket(of job: Int) -> Int { jobs[job].hash & (keys.firsts.count - 1) }

  private mutating func chain(_ job: Int) {
    let bucket = bucket(of: job)
    jobs[job].nextOfBucket = keys.firsts[bucket]
    keys.firsts[bucket] = job
  }

  private mutating func doubleBuckets() {
    let former = keys.firsts
    keys.firsts = Array(repeating: -1, count: 2 * former.count)
    for first in former {
      var job = first
      while job >= 0 {
        let next = jobs[job].nextOfBucket
        chain(job)
        job = next
      }
    }
  }
}
