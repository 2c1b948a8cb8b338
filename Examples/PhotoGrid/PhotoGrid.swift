import Foundation
import OzuSwiftUI
import SwiftUI

/// A grid of photographs that blur into view, and a bar of progress where one takes its time.
struct PhotoGrid: View {
  let photographs: [Photograph]
  private let columns = [GridItem(.adaptive(minimum: 110), spacing: 2)]

  var body: some View {
    ScrollView {
      LazyVGrid(columns: columns, spacing: 2) {
        ForEach(photographs, id: \.address) { photograph in
          RemoteImage(url: photograph.address)
            .placeholder(photograph.blur.flatMap(DisplayPlaceholder.blurHash(text:)))
            .aspectRatio(1, contentMode: .fit)
            .accessibilityLabel(Text(photograph.title))
        }
      }
    }
  }
}

/// A photograph on a page of its own, with what happens on the way.
struct PhotoPage: View {
  let photograph: Photograph

  var body: some View {
    RemoteImage(url: photograph.address) { state in
      if let image = state.image {
        image.resizable().aspectRatio(contentMode: .fit)
      } else if let error = state.error {
        Text("\(error)")
      } else {
        ProgressView(value: state.progress)
      }
    }
    .mode(.aspectFit)
    .appearance(.fade(.milliseconds(200)))
  }
}

/// A photograph of the grid.
struct Photograph {
  let title: String
  let address: URL
  /// A BlurHash to stand in for it.
  let blur: String?
}
