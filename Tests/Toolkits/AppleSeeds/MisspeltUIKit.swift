// Fails with: has no member
import OzuUIKit
import UIKit

@MainActor
func mistake(_ view: UIImageView) {
  view.isUserInteractionEnable = false
}
