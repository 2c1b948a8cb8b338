#if GTK
  import Ozu

  /// Loads the screenful of a grid's pictures that comes next, when nobody has scrolled for a moment. What was started for an
  /// earlier place and is not part of the next one is stopped.
  @MainActor
  final class GridPrefetching {
    private let prefetcher: ImagePrefetcher
    private var pending: Task<Void, Never>?
    /// The first position that was in sight at the last time.
    private var last = 0

    /// So short that pictures come while the user looks, and longer than the time between two events of a wheel.
    private static let moment = Duration.milliseconds(120)

    init(_ pipeline: ImagePipeline) { prefetcher = ImagePrefetcher(pipeline: pipeline) }

    isolated deinit { pending?.cancel() }

    /// Calls a closure after a moment in which this was not called again.
    func wait(_ action: @escaping @MainActor () -> Void) {
      pending?.cancel()
      pending = Task {
        try? await Task.sleep(for: Self.moment)
        if !Task.isCancelled { action() }
      }
    }

    /// The positions that come next in the direction in which the user has scrolled, the nearest first: as many as are in sight.
    func next(_ visible: ClosedRange<Int>, of count: Int) -> [Int] {
      defer { last = visible.lowerBound }
      let length = visible.count
      if visible.lowerBound < last {
        return (max(0, visible.lowerBound - length)..<visible.lowerBound).reversed()
      }
      return Array(min(visible.upperBound + 1, count)..<min(visible.upperBound + 1 + length, count))
    }

    /// Loads pictures at the size of a cell: those of addresses and files, and requests with a size of their own.
    func load(_ requests: [ImageRequest], in view: ImageView) {
      prefetcher.replace(
        with: requests.filter { request in
          if request.resize != nil || request.format != nil { return true }
          return switch request.source {
          case .url, .request: true
          case .data, .picture, .fetcher: false
          }
        }, in: view)
    }
  }
#endif
