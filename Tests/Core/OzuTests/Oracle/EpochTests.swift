import Foundation
import OzuTesting
import Testing

@testable import Ozu

/// What the runs of the oracle cannot show, which order whole operations: a removal between two steps of a store.
@Suite("Epochs of sources and formats")
struct EpochTests {
  private let request = ImageRequest(key: "a", format: nil)

  enum Ending: CaseIterable {
    case source, format, everything, reload

    func begin(in epochs: SourceEpochs, _ request: ImageRequest) {
      switch self {
      case .source: epochs.beginRemoval(of: request.key.source)
      case .format: epochs.beginRemoval(ofFormat: request.format?.name ?? "")
      case .everything: epochs.beginRemovalOfAll()
      case .reload:
        let reload = request.with { $0.cachePolicy = .reload }
        _ = epochs.beginJob(for: reload, askedIn: epochs.epoch(of: reload))
      }
    }
  }

  @Test(
    "a value that is stored while the right to it ends is taken back; an original outlives the removal of a format",
    arguments: Ending.allCases, [false, true])
  func taking(_ ending: Ending, isOriginal: Bool) {
    let (epochs, request) = (
      SourceEpochs(), request.inFormat(CacheFormat("thumbnail", size: PixelSize(32, 24)))
    )
    let epoch = epochs.epoch(of: request)
    let right =
      isOriginal
      ? epochs.right(toOriginalOf: request.key.source, in: epoch) : epochs.right(to: request, in: epoch)
    var events: [String] = []
    func store(_ work: () -> Void) -> Bool {
      right.store {
        events.append("stored")
        work()
      } takeBack: {
        events.append("taken back")
      }
    }
    let isKept = isOriginal && ending == .format
    #expect(store {})
    #expect(store { ending.begin(in: epochs, request) } == isKept)
    #expect(store {} == isKept)
    #expect(events == ["stored", "stored"] + (isKept ? ["stored"] : ["taken back"]))
  }

  @Test("a picture from before a removal is not in memory after it, not even for a moment")
  func moment() {
    let (epochs, memory) = (SourceEpochs(), MemoryLevel(ImagePipeline.Configuration()))
    let picture = Picture.color(.white)
    @Sendable func entry(_ name: String) -> CachedPicture {
      CachedPicture(picture: picture, stamp: nil, validity: nil, formatName: name)
    }
    let ended = epochs.right(to: request)
    epochs.beginRemoval(of: request.key.source)
    #expect(!memory.store(entry("0"), forKey: request.key, cost: 1, by: ended))
    #expect(memory.value(forKey: request.key) == nil)
    let (isOver, returned) = (Shared(false), Shared(0))
    DispatchQueue.concurrentPerform(iterations: 2) { number in
      guard number > 0 else {
        for _ in 0..<20_000 where returned.value == 0 {
          epochs.beginRemoval(of: request.key.source)
          let now = epochs.epoch(of: request).removal
          memory.removeValue(forKey: request.key)
          for _ in 0..<20 {
            let found = memory.value(forKey: request.key)?.formatName.flatMap { Int($0) }
            if let found, found < now { returned.change { $0 += 1 } }
          }
        }
        return isOver.change { $0 = true }
      }
      while !isOver.value {
        let epoch = epochs.epoch(of: request)
        memory.store(
          entry("\(epoch.removal)"), forKey: request.key, cost: 1, by: epochs.right(to: request, in: epoch))
      }
    }
    #expect(returned.value == 0)
  }

  @Test("the table of epochs is bounded: when it is full, an epoch of everything begins")
  func bound() {
    let epochs = SourceEpochs()
    let before = epochs.epoch(of: request)
    for number in 0...SourceEpochs.countLimit { epochs.beginRemoval(of: CacheKey("\(number)")) }
    #expect(!epochs.right(to: request, in: before).isValid)
    let after = epochs.epoch(of: request)
    epochs.beginRemoval(of: CacheKey("other"))
    #expect(epochs.right(to: request, in: after).isValid)
    epochs.beginRemoval(of: request.key.source)
    #expect(!epochs.right(to: request, in: after).isValid)
  }
}
