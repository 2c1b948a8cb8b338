// Fails with: cannot convert value of type 'String' to expected argument type 'URL'
import OzuUIKit
import UIKit

@MainActor
func mistake(_ view: UIImageView) {
  view.ozu.setImage(from: "https://example.com/a.jpg")
}
