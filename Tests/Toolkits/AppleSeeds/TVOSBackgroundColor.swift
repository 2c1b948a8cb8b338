// Fails with: has no member 'secondarySystemBackground'
import OzuUIKit
import UIKit

@MainActor
func mistake(_ view: UIImageView) { view.backgroundColor = .secondarySystemBackground }
