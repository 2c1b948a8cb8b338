#if os(Linux)
  /// Certificates for 127.0.0.1 that are expired or not valid yet, and their key, which is used only here.
  enum SecureIdentities {
    /// Valid from 1 January 2020 to 4 March 2021, 05:06:07.
    static let expired = (certificate: pem("CERTIFICATE", expiredText), key: pem("PRIVATE KEY", keyText))
    /// Valid from 1 January 2990 on.
    static let notYetValid = (
      certificate: pem("CERTIFICATE", notYetValidText), key: pem("PRIVATE KEY", keyText)
    )

    // RFC 7468.
    private static func pem(_ label: String, _ text: String) -> String {
      "-----BEGIN \(label)-----\n\(text)\n-----END \(label)-----\n"
    }

    private static let keyText = """
      MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgePyw6fzoNaV20Nbf
      kukuIr2TjtP3HzSJK3j5WCshNS6hRANCAAQTkurGo6PPE1S5qMNkYQY99+Pis/XB
      da7x4yiR+Hoz2L0m2/sbJnv2xOXafjkT/oJKwr9rV/G6vChymm6SGac5
      """

    private static let expiredText = """
      MIIBLTCB1aADAgECAgEBMAoGCCqGSM49BAMCMA4xDDAKBgNVBAMMA296dTAeFw0y
      MDAxMDEwMDAwMDBaFw0yMTAzMDQwNTA2MDdaMA4xDDAKBgNVBAMMA296dTBZMBMG
      ByqGSM49AgEGCCqGSM49AwEHA0IABBOS6sajo88TVLmow2RhBj334+Kz9cF1rvHj
      KJH4ejPYvSbb+xsme/bE5dp+ORP+gkrCv2tX8bq8KHKabpIZpzmjJDAiMA8GA1Ud
      EQQIMAaHBH8AAAEwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiBz
      exCBQI0ZUEsJw3CRPyVIVGdnho/PCRc1mJrx6N6nRAIgDR8sfBSWHV6TT3k4pRWJ
      Gk7b0u25H14ppV0WIibghaE=
      """

    private static let notYetValidText = """
      MIIBMjCB2aADAgECAgEBMAoGCCqGSM49BAMCMA4xDDAKBgNVBAMMA296dTAiGA8y
      OTkwMDEwMTAwMDAwMFoYDzI5OTkwMTAxMDAwMDAwWjAOMQwwCgYDVQQDDANvenUw
      WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQTkurGo6PPE1S5qMNkYQY99+Pis/XB
      da7x4yiR+Hoz2L0m2/sbJnv2xOXafjkT/oJKwr9rV/G6vChymm6SGac5oyQwIjAP
      BgNVHREECDAGhwR/AAABMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAw
      RQIhALOkuGP167zfm/hs5el+KO1H4Dl7dYpTRycwx40oisPAAiBRQQekhV/ry/cU
      r/fL3kqZo6qneSJoviAlAUP41hyn5w==
      """
  }
#endif
