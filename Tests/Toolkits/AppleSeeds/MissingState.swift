// Fails with: must be exhaustive
import OzuSwiftUI

func mistake(_ state: DisplayState) -> String {
  switch state {
  case .empty: "nothing"
  case .success: "picture"
  }
}
