import Foundation

/// Drawings as gzip writes them.
enum CompressedDrawing {
  static let text =
    """
    <svg xmlns='http://www.w3.org/2000/svg' width='8' height='4'><rect width='4' height='4' fill='red'/></svg>
    """

  /// With the fixed codes.
  static let plain = data(
    """
    H4sIAAAAAAACA03MPQ6AIAxA4auwdbNEGYwBLiNISfAn0FiPrw4mzt/Ls+1M6lrL1hwQ8zEhikgnQ7fXhL3WGp8ClOTA5GAE\
    RTEnYgcGvK1x5o/Mn9SSS3FQYwD09l34G6dEds9qAAAA
    """)

  /// Not compressed.
  static let stored = data(
    """
    H4sIAAAAAAAEAwFqAJX/PHN2ZyB4bWxucz0naHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmcnIHdpZHRoPSc4JyBoZWlnaHQ9\
    JzQnPjxyZWN0IHdpZHRoPSc0JyBoZWlnaHQ9JzQnIGZpbGw9J3JlZCcvPjwvc3ZnPqdEds9qAAAA
    """)

  /// With the name of a file.
  static let named = data(
    """
    H4sICAAAAAAC/2RyYXdpbmcuc3ZnAE3MPQ6AIAxA4auwdbNEGYwBLiNISfAn0FiPrw4mzt/Ls+1M6lrL1hwQ8zEhikgnQ7fX\
    hL3WGp8ClOTA5GAERTEnYgcGvK1x5o/Mn9SSS3FQYwD09l34G6dEds9qAAAA
    """)

  /// In UTF-16.
  static let wide = data(
    """
    H4sIAAAAAAACA3WOSwqDQBAF6yju3GUkughBvYy/CZgoGtTTG980ZhMIj+5hCl7Rnz1nZqEjYuNJz0v/ghjPWxm545TVctGk\
    2gOTGo4ricWdjliWlQe1mt4sN2OeRrQzZ6CZpiSXpaES+21lf1sRrVivBBL6tV5ntu8VJQeHBqF81gAAAA==
    """)

  /// Of 5,006 bytes, whose first element is the last; with codes of its own.
  static let long = data(
    """
    H4sIAAAAAAACA4VYyZLbIBD9FeWk04zZl5TtfEtqRhm7yvGkLCfO5wcQyE3TKAe3JGigl9cL3n/7+/My/Jlu8/nzehj5Kxu/\
    HfdfXl6Gzx/D7+v7cDm/Tde3abifpvX9/fb9cb5+NM95cut7WI7Ze8vhMfPEn3vEM+dJ8C1Z8DPw+4r5KZyUcSPwbVamuADM\
    QcnCcDwvPOZJGchFmSSumCct14m0TptIbLVingzLGhoRiUyL642MLefHH56nDAjsP0/WUz4SZc/lDBeFczYSR+o0T15UZ2R3\
    QDs8eTljXc8v6nKm0/ryA2s5i5vn/QGE8ghyU/wsekAh8jHCrovCl2SEYlzKsimxP+YvZ4EV2LxYDAgw+IN8yLRBKiOQRHCb\
    GkTc8m4sUObPrkfALwgDYgCMLEJ5XgzrZaIKe97bagQfD8Wg7IVEK9HPKXsDQQnkg2QgRB30QuiMCBHwgQI9DEqeqKhOy4fH\
    CUugSCi2eiZ+yURVI2wctcULQEwqnxWPhDXaUqBHqEAORdKHXSxfAUVYDDk/a+s4thChkrNNgFDAwxmjCzUCEiFXM0vm2jzL\
    RZMQKxjIUFWwhZeDn7kGZtmyNfyhKFpMJKXDKPlf1SSsTwQlZUaUezBUoPBU6qIgBrcO2lj93yRSmw/hjKxC0vnMHd5DKdnq\
    A2A6D/U21JIOZuKk3uwE8hY5f1CJCY5Rq3tQBo4OBwgHUoGSbPVFDa3WzVvgCDupkqjUM2lQxgBZHeSGreJTuxB89eIWSEUg\
    JI66Bo3Y2BtVLKvp2TMmiZoUOVwVnVUEhwaLmUbyMMrZ+iYSleCAbsbQgicqsDHjoNnELtWiUfGIRAAHKEE2B5DDwpSZH8Bo\
    lAwobRD+zhzAeMYDcGubbGKTGS1lxjju6ujXoIjADBVnUlvsbA5VveQJrG1mzu1Gm69jI80x/OOgSdQm6jYNSnWjrXIr0IyQ\
    RBdgACzil0vUUzDL20hNlvCslGLNiGxrtFFJQZVOU57KwL3rGq3eRjbv1aVwsvEw7QEzWLV1daDRbZykMyddrLN1vMWqbDWj\
    rbZbtWSxteWqyWFx1CXqIxWMSnRUxx+ZfTXbq7yBU5oqhqh+KnClxtMq1XGSVY7CQAs9q0vpsdommjTUnrqA1Tc4a0yiJaat\
    8XhBGLSVf+sKY8GltXfDeuYQmy6u1iUBnads50W5DKtEdRHNU728Cy1HpHxZ5JjEObsXssuujgu4G1cwK3VuPVQ0tIZxwnU7\
    EsAlVQ/rcdJntRSndFcqUY2zaVtf2qB12pZTdJv0yl8NCgqVLWZcoj79DcGq3jsvC00HMhNhvTodOKfR3xyu6O555cONq2h4\
    vLwc9/Ofj+Hvz8t1Poyn+/3X193u8Xi8PuTr5+1jJxhju8AxDo/z+/10GN04nKbzx+l+GNV43N+mt3uZUnBq+HG+XA7jbXof\
    d8d93OL4DwGFnj2OEwAA
    """)

  /// Something else.
  static let other = data(
    """
    H4sIAAAAAAACA0tUKEksUkgsSs7ILEtVyCxWyMtXSClKLM/MSwcAIm3WeRsAAAA=
    """)

  private static func data(_ text: String) -> Data { Data(base64Encoded: text) ?? Data() }
}
