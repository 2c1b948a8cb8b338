import Foundation
import OzuSwiftUI
import SwiftUI

@main
struct PhotosApp: App {
  private let pipeline = ImagePipeline { $0.network.concurrentFetches = 8 }

  var body: some Scene {
    WindowGroup {
      PhotoList().imagePipeline(pipeline)
    }
  }
}

struct PhotoList: View {
  private let addresses = (1...100).compactMap { URL(string: "https://example.com/photos/\($0).jpg") }

  var body: some View {
    ScrollView {
      LazyVGrid(columns: [GridItem(.adaptive(minimum: 160), spacing: 4)], spacing: 4) {
        ForEach(addresses, id: \.self) { address in
          RemoteImage(url: address) { state in
            if let image = state.image {
              image.resizable().aspectRatio(contentMode: .fill)
            } else if let error = state.error {
              Text(error.explanation)
            } else {
              ProgressView(value: state.progress)
            }
          }
          .imageDescription(Text("A photograph"))
          .frame(width: 160, height: 120)
          .clipped()
          .contentShape(Rectangle())
        }
      }
    }
  }
}
