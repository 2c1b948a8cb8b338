// Fails with: has no member
import OzuSwiftUI
import SwiftUI

struct Mistake: View {
  var body: some View { RemoteImage(url: nil).placehoder(.nothing) }
}
