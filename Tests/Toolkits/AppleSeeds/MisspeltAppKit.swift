// Fails with: has no member
import AppKit
import OzuAppKit

@MainActor
func mistake(_ view: NSImageView) {
  view.imageScaling = .scaleProportionalyDown
}
