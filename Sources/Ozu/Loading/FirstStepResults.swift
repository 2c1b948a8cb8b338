import OzuSynchronization

/// The results of first steps on some bytes, kept as long as a load uses the bytes: several encoded files of one
/// photograph share one decode, however late one of them begins.
///
/// Only for encoded images, because apps make sets of them. Other equal work at the same time shares the job, and
/// nothing is kept.
struct FirstStepResults: ~Copyable, Sendable {
  // Not private: the compiler (6.3) cannot lay out a class of another file around it.
  let made = Mutex<[CacheKey: Rendered]>([:])

  /// The result of a recipe up to its first step.
  func result(of recipe: CacheKey) -> Rendered? { made.withLock { $0[recipe] } }

  func note(_ result: Rendered, of recipe: CacheKey) {
    // Without timings: the time counts only for the load that did the work.
    let later = Rendered(picture: result.picture, timings: StageTimings())
    made.withLock { $0[recipe] = later }
  }
}
