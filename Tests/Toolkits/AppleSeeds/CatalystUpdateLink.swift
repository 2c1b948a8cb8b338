// Fails with: cannot find 'UIUpdateLink' in scope
import OzuUIKit
import UIKit

@MainActor
func mistake(_ view: UIView) { _ = UIUpdateLink(view: view) }
