// Fails with: has no member 'compactMap'
import ImageIO
import OzuUIKit

func mistake() -> [String] { CGImageSourceCopyTypeIdentifiers().compactMap { $0 as? String } }
