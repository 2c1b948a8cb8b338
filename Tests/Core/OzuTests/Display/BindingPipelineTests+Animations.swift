import Foundation
import OzuTesting
import Testing

@testable import Ozu

/// Animations in a view.
extension BindingPipelineTests {
  @Test("animations play while the view is on screen, and pause when it is not")
  func playing() async throws {
    let fixture = Fixture()
    let url = Fixture.url("a.gif")
    fixture.client.reply(to: url, with: .ok(Self.movingGIF))
    let view = FakeImageView(DisplaySize(2, 2), mode: .none, pipeline: fixture.pipeline)
    view.images.setImage(from: url)
    await view.settled()
    #expect(view.isFrameClockRunning && view.images.shortestFrameDelay == .milliseconds(100))
    #expect(view.shown.bitmap?[0, 0] == Pixel(red: 255, green: 0, blue: 0))
    var time = Duration.zero
    for _ in 0..<100_000 where view.steps.count < 3 {
      view.images.advance(to: time)
      time += .milliseconds(100)
      await Task.yield()
    }
    #expect(view.shown.bitmap?[0, 0] == Pixel(red: 0, green: 255, blue: 0))
    view.images.viewDidDisappear()
    #expect(!view.isFrameClockRunning)
    view.images.advance(to: time + .seconds(10))
    #expect(view.steps.count == 3)
    view.images.viewDidAppear()
    #expect(view.isFrameClockRunning)
    view.images.isPlaybackPaused = true
    #expect(!view.isFrameClockRunning)
    view.images.isPlaybackPaused = false
    for _ in 0..<100_000 where view.steps.count < 4 {
      view.images.advance(to: time)
      time += .milliseconds(100)
      await Task.yield()
    }
    #expect(view.shown.bitmap?[0, 0] == Pixel(red: 255, green: 0, blue: 0))
    view.images.clear()
    #expect(!view.isFrameClockRunning && view.images.shortestFrameDelay == nil)
  }

  @Test("an animation that is set again plays on from where it is")
  func playingOn() async throws {
    let fixture = Fixture()
    let url = Fixture.url("a.gif")
    fixture.client.reply(to: url, with: .ok(Self.movingGIF))
    let view = FakeImageView(DisplaySize(2, 2), mode: .none, pipeline: fixture.pipeline)
    view.images.setImage(from: url)
    await view.settled()
    var time = Duration.zero
    for _ in 0..<100_000 where view.steps.count < 3 {
      view.images.advance(to: time)
      time += .milliseconds(100)
      await Task.yield()
    }
    #expect(view.images.setImage(from: url))
    #expect(view.steps.count == 3 && view.isFrameClockRunning)
    #expect(view.images.setImage(from: url, options: DisplayOptions { $0.playsAnimations = false }))
    #expect(view.steps.count == 4 && !view.isFrameClockRunning)
    #expect(view.shownPicture != nil)
  }

  @Test("animations do not play if that is switched off")
  func notPlaying() async throws {
    let fixture = Fixture()
    let url = Fixture.url("a.gif")
    fixture.client.reply(to: url, with: .ok(Self.movingGIF))
    let view = FakeImageView(DisplaySize(2, 2), mode: .none, pipeline: fixture.pipeline)
    view.images.options.playsAnimations = false
    view.images.setImage(from: url)
    await view.settled()
    #expect(!view.isFrameClockRunning)
  }

  /// Two frames of two by two pixels, the first red, the second green, again and again.
  static let movingGIF: Data = {
    let head = Array("GIF89a".utf8) + [2, 0, 2, 0, 0x80, 0, 0, 255, 0, 0, 0, 255, 0]
    let loop = [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0]
    let frame: [UInt8] = [0x21, 0xF9, 4, 0, 10, 0, 0, 0, 0x2C, 0, 0, 0, 0, 2, 0, 2, 0, 0, 2]
    return Data(head + loop + frame + codes(0) + [0] + frame + codes(1) + [0, 0x3B])
  }()

  /// A block of codes of three bits for four pixels: clear, two of them, clear, two, the end.
  private static func codes(_ index: Int) -> [UInt8] {
    let values = [4, index, index, 4, index, index, 5]
    let bits = values.enumerated().reduce(0) { $0 | $1.element << (3 * $1.offset) }
    return [3, UInt8(bits & 255), UInt8(bits >> 8 & 255), UInt8(bits >> 16 & 255)]
  }
}
