// Fails with: write 'ozu' before the call
import Foundation
import OzuUIKit
import UIKit

/// A subclass may have the names that stood in every view.
final class Album: UIImageView {
  var images: [URL] = []
  var cacheFormat = "jpeg"
}

@MainActor
func mistake(_ view: UIImageView, _ url: URL) {
  view.setImage(from: url)
}
