import Dispatch
import Foundation
import Ozu
import Synchronization

/// A cache that a gallery looks its pictures up in.
protocol GalleryStore: Sendable {
  /// Whether the picture was found; a found one is retained and released.
  func lookUp(_ index: Int) -> Bool
  func contains(_ index: Int) -> Bool
  func insert(_ index: Int)
}

/// Plays a trace. The calling thread stands for the main thread and looks up its frames; two threads decode the
/// pictures that it misses and insert them; a fourth reads ahead at every tenth frame, as a prefetcher does.
///
/// The main thread either waits for each frame, as the display would have it, or takes one after the other, which is
/// the most that the threads can disturb each other.
final class GalleryPlayer<Store: GalleryStore>: Sendable {
  struct Figures {
    /// Nanoseconds that the lookups of each frame took, of processor time and elapsed.
    var cpu: [Double] = []
    var wall: [Double] = []
    var missCount = 0
  }

  private let store: Store
  private let trace: GalleryTrace
  private let isPaced: Bool
  /// The pictures to decode, the most urgent last.
  private let demand = Mutex<[Int]>([])
  private let demanded = DispatchSemaphore(value: 0)
  private let readAhead = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)
  private let frame = Atomic<Int>(0)
  private let isOver = Atomic<Bool>(false)

  init(_ store: Store, _ trace: GalleryTrace, isPaced: Bool) {
    self.store = store
    self.trace = trace
    self.isPaced = isPaced
  }

  func play() -> Figures {
    for work in [decode, decode, readNext] {
      Thread.detachNewThread {
        work()
        self.ended.signal()
      }
    }
    var figures = Figures()
    var misses: [Int] = []
    misses.reserveCapacity(100)
    let start = ContinuousClock.now
    for (number, cells) in trace.frames.enumerated() {
      if isPaced {
        let due = start + .seconds(Double(number) / GalleryTrace.framesPerSecond)
        Thread.sleep(forTimeInterval: max(0, (due - .now) / .seconds(1)))
      }
      misses.removeAll(keepingCapacity: true)
      let (cpuStart, wallStart) = (DecodingContext.systemThreadTime(), ContinuousClock.now)
      for index in cells where !store.lookUp(index) { misses.append(index) }
      let (wallEnd, cpuEnd) = (ContinuousClock.now, DecodingContext.systemThreadTime())
      figures.cpu.append((cpuEnd - cpuStart) / .nanoseconds(1))
      figures.wall.append((wallEnd - wallStart) / .nanoseconds(1))
      figures.missCount += misses.count
      frame.store(number, ordering: .relaxed)
      let newCount = demand.withLock { demand in
        // Requests for pictures that left the screen are cancelled.
        defer { demand = misses.reversed() }
        return max(0, misses.count - demand.count)
      }
      for _ in 0..<newCount { demanded.signal() }
      if number % 10 == 0 { readAhead.signal() }
    }
    isOver.store(true, ordering: .sequentiallyConsistent)
    for semaphore in [demanded, demanded, readAhead] { semaphore.signal() }
    for _ in 0..<3 { ended.wait() }
    return figures
  }

  @Sendable private func decode() {
    while true {
      demanded.wait()
      while let index = demand.withLock({ $0.popLast() }) {
        if isOver.load(ordering: .sequentiallyConsistent) { return }
        if store.contains(index) { continue }
        // The time that a picture of some megapixels takes.
        let end = DecodingContext.systemThreadTime() + .milliseconds(2)
        while isPaced, DecodingContext.systemThreadTime() < end {}
        store.insert(index)
      }
      if isOver.load(ordering: .sequentiallyConsistent) { return }
    }
  }

  @Sendable private func readNext() {
    while true {
      readAhead.wait()
      if isOver.load(ordering: .sequentiallyConsistent) { return }
      let next = trace.frames[frame.load(ordering: .relaxed)].upperBound
      for index in next..<min(GalleryTrace.count, next + 36) where store.contains(index) {
        _ = store.lookUp(index)
      }
    }
  }
}
