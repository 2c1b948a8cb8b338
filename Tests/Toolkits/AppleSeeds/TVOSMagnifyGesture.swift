// Fails with: cannot find 'MagnifyGesture' in scope
import OzuSwiftUI
import SwiftUI

@MainActor
func mistake() -> some View { RemoteImage(url: nil).gesture(MagnifyGesture().onChanged { _ in }) }
