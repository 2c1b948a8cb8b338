import OzuSynchronization

/// The pictures that the first steps have made of some bytes, kept as long as somebody works with the bytes: several files of
/// one photograph are made of one decode, however late one of them begins.
///
/// For encoded images alone, of which sets are made. Whatever else wants the same at the same time shares the job, and
/// nothing is kept.
struct FirstSteps: ~Copyable, Sendable {
  // Not private: the compiler (6.3) cannot lay out a class of another file around it.
  let made = Mutex<[CacheKey: Rendered]>([:])

  /// What the recipe up to the step has made.
  func result(of recipe: CacheKey) -> Rendered? { made.withLock { $0[recipe] } }

  func note(_ result: Rendered, of recipe: CacheKey) {
    // It has cost its time once, for the first who came.
    let later = Rendered(picture: result.picture, timings: StageTimings())
    made.withLock { $0[recipe] = later }
  }
}
