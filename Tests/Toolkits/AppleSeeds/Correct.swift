// Without a mistake: it must pass, or the failures of the others would prove nothing.
import Foundation
import OzuAppKit
import OzuSwiftUI
import OzuUIKit
import SwiftUI
import UIKit

@MainActor
func correct(_ view: UIImageView, _ button: UIButton, _ url: URL) {
  view.ozu.setImage(from: url, placeholder: .nothing, transition: DisplayTransition.none)
  view.ozu.cacheFormat = CacheFormat("row", size: PixelSize(320, 240), mode: .aspectFill)
  view.ozu.setImage(
    from: url, placeholder: .image(UIImage(systemName: "photo")), failureImage: UIImage(named: "broken"))
  view.ozu.cancelSetImage()
  button.ozu.setImage(from: url, for: .normal)
  button.ozu.backgroundImage(for: .highlighted).setImage(fromFile: "a.jpg")
}

func observed() -> ImagePipeline {
  ImagePipeline { $0.observers = [SignpostObserver(subsystem: "com.example.app")] }
}

struct CorrectView: View {
  var body: some View {
    RemoteImage(url: nil).placeholder(Image(systemName: "photo")).mode(.aspectFit).onDisappear(.keepLoading)
      .processors([RoundedCorners(.rectangle(radius: 8))])
  }
}
