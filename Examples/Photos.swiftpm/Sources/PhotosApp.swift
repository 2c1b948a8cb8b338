import Foundation
import OzuSwiftUI
import SwiftUI

@main
struct PhotosApp: App {
  private let addresses = (1...300).compactMap { URL(string: "https://picsum.photos/id/\($0)/1200/900") }

  var body: some Scene {
    WindowGroup {
      TabView {
        PhotoGrid(addresses: addresses).tabItem { Text("Photos") }
        CacheScreen().tabItem { Text("Cache") }
      }
    }
  }
}

/// A grid whose pictures are decoded in the size of their cells.
struct PhotoGrid: View {
  let addresses: [URL]
  @State private var shown: URL?

  var body: some View {
    ZStack {
      ScrollView {
        LazyVGrid(columns: [GridItem(.adaptive(minimum: 110), spacing: 2)], spacing: 2) {
          ForEach(addresses, id: \.self) { address in
            RemoteImage(url: address)
              .ratio(.fixed(1))
              .imageDescription(Text("A photograph"))
              .onTapGesture { shown = address }
          }
        }
      }
      if let shown {
        Photo(address: shown).onTapGesture { self.shown = nil }
      }
    }
  }
}

/// One photograph as large as the screen, which two fingers enlarge.
struct Photo: View {
  let address: URL
  @State private var scale: CGFloat = 1

  var body: some View {
    ZStack {
      Color.black
      RemoteImage(url: address)
        .mode(.aspectFit)
        .imageDescription(Text("A photograph; touch it to close it"))
        .scaleEffect(scale)
        .gesture(
          MagnifyGesture()
            .onChanged { scale = max(1, $0.magnification) }
            .onEnded { _ in withAnimation { scale = 1 } })
    }
  }
}

/// How full the caches are.
struct CacheScreen: View {
  @Environment(\.imagePipeline) private var pipeline
  @State private var contents: CacheContents?

  var body: some View {
    List {
      row("Memory", contents?.memory)
      row("Disk", contents?.disk)
      Button("Remove everything") {
        Task {
          await pipeline.removeAllImages()
          contents = await pipeline.cacheContents()
        }
      }
    }
    .task { contents = await pipeline.cacheContents() }
  }

  private func row(_ name: String, _ part: CacheContents.Part?) -> Text {
    guard let part else { return Text("\(name): none") }
    return Text("\(name): \(part.entryCount) pictures, \(part.byteCount >> 20) of \(part.byteLimit >> 20) MB")
  }
}
