// Fails with: must be unwrapped
import Foundation
import ImageIO
import OzuUIKit

func mistake(_ data: Data) -> Bitmap? {
  let source = CGImageSourceCreateWithData(NSData(data: data) as CFData, nil)
  return Bitmap(CGImageSourceCreateImageAtIndex(source, 0, nil))
}
