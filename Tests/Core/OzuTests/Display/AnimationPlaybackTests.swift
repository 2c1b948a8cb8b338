import Testing

@testable import Ozu

@Suite("The clock of an animation")
struct AnimationPlaybackTests {
  /// The frames shown at each of some times, in milliseconds; nil if nothing changes.
  private func play(
    _ playback: inout AnimationPlayback, at times: [Int], ready: (Int) -> Bool = { _ in true }
  ) -> [Int?] {
    times.map { playback.advance(to: .milliseconds($0), isReady: ready($0)) ? playback.index : nil }
  }

  @Test("each frame is shown for its delay, and the first follows the last")
  func loop() {
    var playback = AnimationPlayback(
      delays: [.milliseconds(100), .milliseconds(50), .milliseconds(20)], loopCount: 0)
    #expect(
      play(&playback, at: [1000, 1099, 1100, 1149, 1150, 1169, 1170, 1270])
        == [nil, nil, 1, nil, 2, nil, 0, 1])
  }

  @Test(
    "delays of up to 10 ms count as 100 ms, as in browsers; longer ones are kept, in every format",
    arguments: [(0, 100), (10, 100), (11, 11), (16, 16), (19, 19), (20, 20), (3000, 3000)])
  func shortDelays(stored: Int, seen: Int) {
    #expect(AnimationPlayback.seen(.milliseconds(stored)) == .milliseconds(seen))
  }

  @Test(
    "a clock ticks twice in the shortest delay, 10 to 120 times a second",
    arguments: [
      (11, 120, 91), (16, 120, 63), (20, 100, 50), (40, 50, 25), (100, 20, 10), (3000, 10, 10),
    ] as [(Int, Double, Double)])
  func ticks(delay: Int, preferred: Double, minimum: Double) {
    let playback = AnimationPlayback(delays: [.seconds(5), .milliseconds(delay)], loopCount: 0)
    let rate = FrameRate(shortestDelay: playback.shortestDelay)
    #expect(rate.preferred == preferred && rate.minimum == minimum)
  }

  @Test("ticks of the rate show every frame within half of the shortest delay", arguments: [20, 40, 100])
  func punctual(delay: Int) {
    var playback = AnimationPlayback(
      delays: Array(repeating: .milliseconds(delay), count: 100), loopCount: 1)
    let rate = FrameRate(shortestDelay: .milliseconds(delay))
    var shown: [Duration] = []
    // Each tick comes a little before or after its time.
    for number in 0..<1000 where playback.next != nil {
      let time = Duration.seconds(Double(number) * rate.interval) + .microseconds((number + 2) % 3 * 200)
      if playback.advance(to: time, isReady: true) { shown.append(time) }
    }
    #expect(shown.count == 99)
    let end = Duration.milliseconds(99 * delay)
    #expect((shown.last ?? .zero) < end + .milliseconds(delay))
  }

  @Test("a clock that is set back shows the frame for its delay, and not until the former time comes")
  func setBack() {
    var playback = AnimationPlayback(delays: [.milliseconds(100), .milliseconds(100)], loopCount: 0)
    #expect(play(&playback, at: [10_000, 10_100, 2000, 2099, 2100]) == [nil, 1, nil, nil, 0])
  }

  @Test("after the last loop the last frame stays", arguments: [1, 2])
  func end(loopCount: Int) {
    var playback = AnimationPlayback(delays: [.milliseconds(100), .milliseconds(100)], loopCount: loopCount)
    let shown = play(&playback, at: [0, 100, 200, 300, 400, 500]).compactMap(\.self)
    #expect(shown == (loopCount == 1 ? [1] : [1, 0, 1]))
    #expect(playback.next == nil)
  }

  @Test("a late clock skips no frame and does not make up for lost time")
  func late() {
    var playback = AnimationPlayback(
      delays: [.milliseconds(100), .milliseconds(100), .milliseconds(100)], loopCount: 0)
    #expect(play(&playback, at: [0, 1000, 1050, 1100, 1200]) == [nil, 1, nil, 2, 0])
  }

  @Test("a frame that is not ready is shown when it becomes ready")
  func notReady() {
    var playback = AnimationPlayback(delays: [.milliseconds(100), .milliseconds(100)], loopCount: 0)
    #expect(play(&playback, at: [0, 100, 150, 199, 200], ready: { $0 >= 150 }) == [nil, nil, 1, nil, 0])
  }

  @Test("after a pause the delay of the current frame begins again")
  func pause() {
    var playback = AnimationPlayback(delays: [.milliseconds(100), .milliseconds(100)], loopCount: 0)
    #expect(play(&playback, at: [0, 90]) == [nil, nil])
    playback.pause()
    #expect(play(&playback, at: [5000, 5099, 5100]) == [nil, nil, 1])
  }
}
