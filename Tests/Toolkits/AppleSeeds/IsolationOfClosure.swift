// Fails with: main actor-isolated
import Foundation
import OzuUIKit
import UIKit

@MainActor
func mistake(_ view: UIImageView) {
  NotificationCenter.default.addObserver(
    forName: UIApplication.didReceiveMemoryWarningNotification, object: nil, queue: nil
  ) { _ in
    view.image = nil
  }
}
