// Lists, for the examples.

import Foundation

@MainActor open class UIViewController: UIResponder {
  public init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: Bundle?) { fatalError() }
  public required init?(coder: NSCoder) { fatalError() }

  open var title: String? {
    get { fatalError() }
    set { fatalError() }
  }
  open func viewDidLoad() { fatalError() }
}

@MainActor open class UITableViewCell: UIView {
  public enum CellStyle: Int, Sendable {
    case `default`
    case value1
    case value2
    case subtitle
  }

  public init(style: UITableViewCell.CellStyle, reuseIdentifier: String?) { fatalError() }
  public required init?(coder: NSCoder) { fatalError() }

  open var contentView: UIView { fatalError() }
  open func prepareForReuse() { fatalError() }
}

@MainActor public protocol UITableViewDataSourcePrefetching: NSObjectProtocol {
  func tableView(_ tableView: UITableView, prefetchRowsAt indexPaths: [IndexPath])
  func tableView(_ tableView: UITableView, cancelPrefetchingForRowsAt indexPaths: [IndexPath])
}

@MainActor open class UITableView: UIView {
  public enum Style: Int, Sendable {
    case plain
    case grouped
  }

  weak open var prefetchDataSource: (any UITableViewDataSourcePrefetching)? {
    get { fatalError() }
    set { fatalError() }
  }
  open var rowHeight: CGFloat {
    get { fatalError() }
    set { fatalError() }
  }
  open var visibleCells: [UITableViewCell] { fatalError() }
  open func register(_ cellClass: AnyClass?, forCellReuseIdentifier identifier: String) { fatalError() }
  open func dequeueReusableCell(withIdentifier identifier: String, for indexPath: IndexPath) -> UITableViewCell {
    fatalError()
  }
}

extension IndexPath {
  public var row: Int {
    get { fatalError() }
    set { fatalError() }
  }
}

@MainActor open class UITableViewController: UIViewController {
  public init(style: UITableView.Style) { fatalError() }
  public required init?(coder: NSCoder) { fatalError() }

  open var tableView: UITableView! {
    get { fatalError() }
    set { fatalError() }
  }
  open func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int { fatalError() }
  open func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
    fatalError()
  }
}
