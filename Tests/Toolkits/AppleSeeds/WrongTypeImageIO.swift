// Fails with: must be unwrapped
import ImageIO
import OzuUIKit

func mistake(_ data: CFData) -> Bitmap? {
  let source = CGImageSourceCreateWithData(data, nil)
  return Bitmap(CGImageSourceCreateImageAtIndex(source, 0, nil))
}
