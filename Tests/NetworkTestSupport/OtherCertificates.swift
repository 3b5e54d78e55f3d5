/// More self-signed certificates for `localhost`, and their keys, which protect nothing.
package enum OtherCertificates {
  /// With an RSA key, which static RSA requires.
  ///
  /// Made with `openssl req -x509 -newkey rsa:2048 -nodes -days 36500 -subj /CN=localhost`.
  package static let rsa = """
    -----BEGIN CERTIFICATE-----
    MIIDJzCCAg+gAwIBAgIUcpm3wSnMBFv/wRB4q52XdE6ixs4wDQYJKoZIhvcNAQEL
    BQAwFDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjA1NTgwMloYDzIxMjYx
    MDI5MDU1ODAyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwggEiMA0GCSqGSIb3DQEB
    AQUAA4IBDwAwggEKAoIBAQDcncyylnvNTbuIbOrlTcK6hx9d/khot/vgQvfqr0zM
    68ajwdzatZ8FWsgwj7CzqOqyq2sYY8rEJrd2W16kpsVe6GJgUfq1EXuoW3G8taHA
    XEXSH/X+SzQ3LVCzl2RH4BUpuZQ707ye72UbucVvyYaziYnLrZVdL8CYAHyxebDo
    tlnzydKj+cWCDRta4wVIKxU+nSM9EWHEPlUsdIcII57AIqS/ghOStsIVJghmqLUf
    MGZByWoqJMAbFTtk+Jgikvol9XC1FbK0a8y8Zdus6GpSu56nY5He508Hm3vSJ/w5
    Pux8gQ6Q79f6ZkPgj5ZqPOfCWWB55aMNbYe1lNx+q5O/AgMBAAGjbzBtMB0GA1Ud
    DgQWBBRo70VrZqrfNNqGBSEyx/h0sZWiIzAfBgNVHSMEGDAWgBRo70VrZqrfNNqG
    BSEyx/h0sZWiIzAPBgNVHRMBAf8EBTADAQH/MBoGA1UdEQQTMBGCCWxvY2FsaG9z
    dIcEfwAAATANBgkqhkiG9w0BAQsFAAOCAQEAIaOrEDHzjdwgmcONmTEoyeqdx2A4
    2+uFDpPCqnwLdQ2QBp7w2H7SdO19SxO6x5iw7uRH5W1Zp0Y/R9m8cqZe6+96rGa9
    dXav5wc0dIt2vx3xwPO94h20zfW7onLF1EhXcaDnwsrnOTj1QVVq3ouYKywFfJKt
    YjaVrNl2fX5TQ1fh0UhovG4fYxik2J8Ho6vpW4FoGLwFH8gAOwL2SahfzOqLViGE
    aOxz773ZRXfNY3a8rYH3ZoxLby29x93t0Pmla52nYeJb6q+KEMU2L6lDcyng6GfX
    MqAF6vbtzUYLmQ/x6t8OxajLmiBtqMGphk/ZvpshDhojPQqy/i/rY6VL6w==
    -----END CERTIFICATE-----

    """

  package static let rsaKey = """
    -----BEGIN PRIVATE KEY-----
    MIIEvwIBADANBgkqhkiG9w0BAQEFAASCBKkwggSlAgEAAoIBAQDcncyylnvNTbuI
    bOrlTcK6hx9d/khot/vgQvfqr0zM68ajwdzatZ8FWsgwj7CzqOqyq2sYY8rEJrd2
    W16kpsVe6GJgUfq1EXuoW3G8taHAXEXSH/X+SzQ3LVCzl2RH4BUpuZQ707ye72Ub
    ucVvyYaziYnLrZVdL8CYAHyxebDotlnzydKj+cWCDRta4wVIKxU+nSM9EWHEPlUs
    dIcII57AIqS/ghOStsIVJghmqLUfMGZByWoqJMAbFTtk+Jgikvol9XC1FbK0a8y8
    Zdus6GpSu56nY5He508Hm3vSJ/w5Pux8gQ6Q79f6ZkPgj5ZqPOfCWWB55aMNbYe1
    lNx+q5O/AgMBAAECggEAaEVQ3UuQof1OWHGaJ9yz37NDmQo5MP1cV6dvQ4WtF+GM
    FhPnjZtv2HkKyyDu1EtO+jlYucNYr5LY/WC7/7gu6ueMr5evler4dh8aR6XVGHTE
    L0cZ3iGvQTDyxp8UL4ByoDDtJcWyja/6KruH3Ij0WGD2NsUJJm0Oawk35i3s9l9w
    xZbxZkdNo/8fFNDBkJKN0hL6iSjYxpgcl2bXNX3HPW5W0c/ophGMNMaTLnVEMLAZ
    q1TbJ5dZNp9Lxco3F0KjM+gXMbZRh9NYyEUZjPoIpOMC8/Mf1Wz/zxH7B5CFUOx4
    6u4KDZ0zVYpEfnnKxw5XcSM+uP0mK2cb33Comm+kGQKBgQDwMgKF7afdC20tesev
    XIZrHvlDab/jK2BHPJwb/mN3Z4AEbbC/qA4EmvIpFgKCj1heQq21hAJI5wUk3L23
    nB4P254ZQLdjX1EnN6hYdb6ozi/PLOeoQ2mGZpt9wruAdGYXSiIr+C+B1yuGKh5U
    /2ZWXNkQbX0eifC/Up+vAR2/IwKBgQDrIf2XO8Gn+KGB0qc0a7qhArtVNVF+u+cL
    gLj3PPvYAuigXjE2HTzXgjJJLXzC1NXfBlGpfOXSF0GMlbfXO1MEiODCKYCSzfO0
    1hMP8Dr5eHuDhIRLdQ2v7u4KZR2/Er5rh2PpBXBNH3jod94mRvfe5i+Gr0YrCPw9
    OHKk6j3QtQKBgQCAuhyWEEcddQk/DYVFGy5C7KekFGGtasq/guEbM5u1G3gFZ5AJ
    NxTELRJJKK2RsScn5U5ZcHUVAxLDrbXTWEzYLNgvKnreO/AvN2n2dqwGpfIDc0p3
    6CD+0bDVlm6MqlUoeCeWLv2u9VUzIxF8diAverUuU69xlXW745kG3m9FxwKBgQC8
    ctCY3da2telTcC58L/8yvkq/3uzC4vwo1vDnjmPV23bv2K4eTc6OdpWw2pkMWaJT
    je/zI9vZxrPNZc0i3jQKBV4Fn1eh0RiKjaxXcNUDTlHHtXSGOXlP0PHNOP9fPTmK
    WsdzYd2AokG4JyHPkb9lUR00F9Pn99qZgl032VjTpQKBgQC70FmSNlR3LqtwH+X9
    2zPSs06o5K84jD7Zg39wqyvX/cNb44SUDC+WujTtnVJ6abJI0f9jEZgtdq718bJ2
    mDgDPqnIasz0ATFsbYmRUwXN52kDZtloGD8faTClhlFrJTPgs3KMXbQozLZLL8ai
    zY0afEx/4yvcdAgA+VDqCpSeog==
    -----END PRIVATE KEY-----

    """

  /// Valid in 2019.
  ///
  /// Made with `openssl ca -selfsign -startdate 20190101000000Z -enddate 20200101000000Z`.
  package static let expired = """
    -----BEGIN CERTIFICATE-----
    MIIBIjCByQIUA7XjmQW/gpA1eeoCTpQzGi7Ld6EwCgYIKoZIzj0EAwIwFDESMBAG
    A1UEAwwJbG9jYWxob3N0MB4XDTE5MDEwMTAwMDAwMFoXDTIwMDEwMTAwMDAwMFow
    FDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
    PtBvNP/U+0L0ADphz+eEWP5WxjIHvPrEAAo3UHidXqi7Ckh3sUq1PP981izVljye
    SZqiqKUdYvLyzD9OxYay6zAKBggqhkjOPQQDAgNIADBFAiEAz2y7Hq8WA+VEH21k
    uf8ClWFFyI5wYNAkHP2COGPRcJECIDQGknhn/PGqRXzf2c5Az/+EHrn4WIK6D+M8
    YNgw/ATm
    -----END CERTIFICATE-----

    """

  package static let expiredKey = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgF0pxZvrclbJ1Es6q
    VTGCyn7BykWwIgKzZ+pyvqDqAaihRANCAAQ+0G80/9T7QvQAOmHP54RY/lbGMge8
    +sQACjdQeJ1eqLsKSHexSrU8/3zWLNWWPJ5JmqKopR1i8vLMP07FhrLr
    -----END PRIVATE KEY-----

    """
}
