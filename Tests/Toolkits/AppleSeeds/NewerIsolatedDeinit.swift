// Fails with: isolated deinit
import OzuUIKit
import UIKit

@MainActor
final class Mistake {
  private let view = UIImageView(frame: .zero)

  isolated deinit { view.image = nil }
}
