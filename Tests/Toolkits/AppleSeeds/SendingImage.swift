// Fails with: risks causing data races
import AppKit
import OzuAppKit

actor Archive {
  func keep(_ image: NSImage) {}
}

@MainActor
func mistake(_ image: NSImage, _ archive: Archive) async {
  await archive.keep(image)
}
