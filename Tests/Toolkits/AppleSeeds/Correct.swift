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

struct LoadingView: View {
  let url: URL
  @State private var loader = RemoteImageLoader(pipeline: .shared)
  @Environment(\.displayScale) private var displayScale

  var body: some View {
    ZStack {
      loader.image?.resizable().scaledToFit()
      if loader.isLoading { ProgressView(value: loader.progress) }
      if loader.error != nil { Button("Again") { loader.retry() } }
    }
    .onAppear {
      loader.load(url, in: DisplaySize(width: 48, height: 48), scale: Double(displayScale)) { print($0) }
      loader.load(ImageRequest(url: url))
    }
    .onDisappear { loader.cancel() }
  }
}

struct CorrectView: View {
  var body: some View {
    RemoteImage(url: nil).options(DisplayOptions { $0.failureContent = UIImage(named: "broken")?.ozuContent })
      .placeholder(Image(systemName: "photo")).mode(.aspectFit).onDisappear(.keepLoading)
      .processors([RoundedCorners(.rectangle(radius: 8))]).imageDescription(Text("A bridge"))
  }
}
