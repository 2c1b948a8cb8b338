// Fails with: main actor-isolated
import Foundation
import OzuUIKit
import UIKit

func mistake(_ view: UIImageView, _ url: URL) {
  view.ozu.setImage(from: url)
}
