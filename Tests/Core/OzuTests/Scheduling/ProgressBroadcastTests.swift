import OzuBase
import Testing

@testable import Ozu

@Suite("Progress events")
struct ProgressBroadcastTests {
  private final class Listener: ProgressListener {
    let received = Mutex<[ProgressEvent]>([])
    var wantsSize: Bool { false }

    func receive(_ event: ProgressEvent) { received.withLock { $0.append(event) } }
  }

  private func event(_ number: Int, received: Int, size: PixelSize? = nil) -> ProgressEvent {
    ProgressEvent(
      number: number, progress: LoadProgress(receivedByteCount: received, expectedByteCount: 300),
      preview: nil, size: size)
  }

  @Test("an older event that arrives last from another job is dropped")
  func order() {
    let broadcast = ProgressBroadcast()
    let listener = Listener()
    broadcast.add(listener)
    for (number, count) in [(7, 100), (9, 300), (8, 200), (9, 300)] {
      broadcast.relay(event(number, received: count))
    }
    #expect(broadcast.latest.progress?.receivedByteCount == 300)
    let received = listener.received.withLock { $0 }
    #expect(received.map { $0.progress?.receivedByteCount } == [100, 300])
    #expect(received[0].number < received[1].number)
  }

  @Test("facts that a later event leaves out are kept")
  func size() {
    let broadcast = ProgressBroadcast()
    broadcast.relay(event(1, received: 10, size: PixelSize(4, 3)))
    broadcast.relay(event(2, received: 20))
    #expect(broadcast.latest.size == PixelSize(4, 3) && broadcast.latest.progress?.receivedByteCount == 20)
  }
}
