// Fails with: cannot convert value of type
import OzuSwiftUI
import SwiftUI

struct Mistake: View {
  var body: some View { RemoteImage(url: nil).mode(ContentMode.fill) }
}
