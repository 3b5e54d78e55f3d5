/// A certificate for localhost and its key, made only for these tests.
enum ExampleCertificate {
  static let certificate = """
    -----BEGIN CERTIFICATE-----
    MIIBfzCCASWgAwIBAgIUDvHIO+RJZ4si5VG3wwIooXBGNZQwCgYIKoZIzj0EAwIw
    FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTE0NDIxMVoYDzIxMjYxMDI4
    MTQ0MjExWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
    PQMBBwNCAAQX7t20NH7jW0HOxpMC/laSHtxJQjIrJcTW9y3VyYObMWEpH5eWpx3L
    K9K4LkYrsnQZgoUdEpm3BLwH7tjrFkiko1MwUTAdBgNVHQ4EFgQUaXVmsInRIoOT
    /FPZl1vxUZ2gICUwHwYDVR0jBBgwFoAUaXVmsInRIoOT/FPZl1vxUZ2gICUwDwYD
    VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEAkoqGHO3yw+EuSqWQI+Dx
    KVGwZKqBiVkgdMdpfkDy5BMCIBFLvK6ub1DIcJ9aYMd1ihaOkC6hffCNYOhgYcsm
    oDjJ
    -----END CERTIFICATE-----
    """

  static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgeaC45f+xjnThlQNM
    uHeJhustLv98s00qCCJpfobKBqahRANCAAQX7t20NH7jW0HOxpMC/laSHtxJQjIr
    JcTW9y3VyYObMWEpH5eWpx3LK9K4LkYrsnQZgoUdEpm3BLwH7tjrFkik
    -----END PRIVATE KEY-----
    """
}
