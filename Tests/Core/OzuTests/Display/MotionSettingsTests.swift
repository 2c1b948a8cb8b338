import Foundation
import OzuTesting
import Testing

@testable import Ozu

@Suite("The settings for people who want fewer animations")
@MainActor
struct MotionSettingsTests {
  private final class Player: MotionFollowing {
    private(set) var changes = 0

    func motionSettingsDidChange() { changes += 1 }
  }

  @Test("views hear of each change once, by whichever notification, while they live")
  func changes() async throws {
    let (center, other) = (NotificationCenter(), NotificationCenter())
    let names = [Notification.Name("images"), Notification.Name("motion")]
    let isAllowed = Shared(true)
    let settings = MotionSettings(changes: [.init(names[0], center), .init(names[1], other)]) {
      isAllowed.value
    }
    #expect(settings.allowsAnimations)
    let player = Player()
    var passing: Player? = Player()
    for each in [player, passing, player].compactMap(\.self) { settings.follow(each) }
    #expect(settings.count == 2)
    passing = nil
    #expect(settings.count == 1)
    isAllowed.change { $0 = false }
    #expect(!settings.allowsAnimations)
    center.post(name: names[0], object: nil)
    try await eventually(player.changes == 1)
    other.post(name: names[1], object: nil)
    try await eventually(player.changes == 2)
  }
}
