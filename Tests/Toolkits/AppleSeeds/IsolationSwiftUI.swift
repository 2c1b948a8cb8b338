// Fails with: main actor-isolated
import OzuSwiftUI
import SwiftUI

struct Mistake: View {
  var body: some View { RemoteImage(url: nil) }
}

func mistake(_ view: Mistake) {
  _ = view.body
}
