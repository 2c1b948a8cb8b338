// Images of the toolkit below.

import UIKit

extension Image {
  public nonisolated init(uiImage: UIImage) { fatalError() }
}
