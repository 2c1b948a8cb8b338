import Foundation
import OzuSwiftUI
import SwiftUI

@main
struct PhotoGridApp: App {
  private let pipeline = ImagePipeline { $0.network.concurrentFetches = 8 }
  private let photographs = (1...200).compactMap { number in
    URL(string: "https://example.com/photographs/\(number).jpg").map {
      Photograph(title: "Photograph \(number)", address: $0, blur: nil)
    }
  }

  var body: some Scene {
    WindowGroup {
      PhotoGrid(photographs: photographs).imagePipeline(pipeline)
    }
  }
}
