import OzuSynchronization
import Testing

@testable import Ozu

@Suite("Progress events")
struct ProgressBroadcastTests {
  private final class Listener: ProgressListener {
    let heard = Mutex<[ProgressEvent]>([])
    var wantsSize: Bool { false }

    func receive(_ event: ProgressEvent) { heard.withLock { $0.append(news) } }
  }

  private func news(_ number: Int, received: Int, size: PixelSize? = nil) -> ProgressEvent {
    ProgressEvent(
      number: number, progress: LoadProgress(receivedByteCount: received, expectedByteCount: 300),
      preview: nil, size: size)
  }

  @Test("an older event of another job that comes last is not passed on")
  func order() {
    let board = ProgressBroadcast()
    let listener = Listener()
    board.add(listener)
    for (number, received) in [(7, 100), (9, 300), (8, 200), (9, 300)] {
      board.relay(news(number, received: received))
    }
    #expect(board.latest.progress?.receivedByteCount == 300)
    let heard = listener.heard.withLock { $0 }
    #expect(heard.map { $0.progress?.receivedByteCount } == [100, 300])
    #expect(heard[0].number < heard[1].number)
  }

  @Test("facts that a later event leaves out are kept")
  func size() {
    let board = ProgressBroadcast()
    board.relay(news(1, received: 10, size: PixelSize(4, 3)))
    board.relay(news(2, received: 20))
    #expect(board.latest.size == PixelSize(4, 3) && board.latest.progress?.receivedByteCount == 20)
  }
}
