// Fails with: cannot find 'UIScreen' in scope
import OzuUIKit
import UIKit

@MainActor
func mistake() -> CGFloat { UIScreen.main.scale }
