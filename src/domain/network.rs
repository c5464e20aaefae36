//! Networks: which hosts and addresses are this machine, a private network or the internet, and by which network a
//! client is counted.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Top-level domains that exist in private networks only.
const PRIVATE_DOMAINS: [&str; 6] = ["localhost", "local", "internal", "lan", "home", "arpa"];

/// Whether a host, as URLs and headers name it without a port, is this machine: `localhost`, a name below it, or a
/// loopback address.
pub fn is_this_machine(host: &str) -> bool {
    match address_of(host) {
        Some(address) => address.to_canonical().is_loopback(),
        None => {
            let name = host.trim_end_matches('.').to_ascii_lowercase();
            name == "localhost" || name.ends_with(".localhost")
        }
    }
}

/// Whether a host, as URLs and headers name it without a port, is meant for the internet: a name or an address that is
/// not private.
pub fn is_public(host: &str) -> bool {
    match address_of(host) {
        Some(address) => !is_private(address) && !address.to_canonical().is_unspecified(),
        // a name without a dot is known to one network only
        None => {
            let last = host.trim_end_matches('.').rsplit_once('.').map(|(_, last)| last);
            last.is_some_and(|last| !PRIVATE_DOMAINS.iter().any(|private| private.eq_ignore_ascii_case(last)))
        }
    }
}

/// The address that a host is. That of IPv6 may be in brackets.
fn address_of(host: &str) -> Option<IpAddr> {
    host.trim_matches(['[', ']']).parse().ok()
}

/// Whether an address is of this machine, or of a network that is not the internet.
pub(crate) fn is_private(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            // 100.64.0.0/10 is shared by the customers of a provider, and by private overlay networks
            let [first, second, ..] = address.octets();
            let is_shared = first == 100 && (64..128).contains(&second);
            address.is_loopback() || address.is_private() || address.is_link_local() || is_shared
        }
        IpAddr::V6(address) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
    }
}

/// Whether an address is one of the internet: neither of this machine, nor of a private, reserved or translated
/// network.
pub fn is_global(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => is_global_v4(address),
        IpAddr::V6(address) => is_global_v6(address),
    }
}

fn is_global_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    let is_special = match (first, second) {
        // this network, private, loopback, multicast and reserved
        (0 | 10 | 127 | 224..=255, _) => true,
        // shared by the customers of a provider
        (100, 64..128) => true,
        (169, 254) | (192, 168) => true,
        (172, 16..32) => true,
        // protocol assignments, documentation, relays to IPv6
        (192, 0) => third == 0 || third == 2,
        (192, 88) => third == 99,
        // measurements
        (198, 18 | 19) => true,
        // documentation
        (198, 51) => third == 100,
        (203, 0) => third == 113,
        _ => false,
    };
    !is_special
}

fn is_global_v6(address: Ipv6Addr) -> bool {
    match address.segments() {
        // protocol assignments and Teredo, which holds an IPv4 address
        [0x2001, 0..0x200, ..] => false,
        // documentation, and 6to4, which holds an IPv4 address
        [0x2001, 0xdb8, ..] | [0x2002, ..] | [0x3fff, 0..0x1000, ..] => false,
        // all that is given out
        [0x2000..0x4000, ..] => true,
        _ => false,
    }
}

/// An IPv6 /48 has the limits of this many networks: see [`wide_network`].
pub(crate) const WIDE_FACTOR: u32 = 8;

/// The network that rate limits count a client by: an IPv4 address, or the /64 of an IPv6 address, because one
/// customer owns all addresses of a /64.
pub(crate) fn network(client: IpAddr) -> IpAddr {
    match client.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into(),
        address => address,
    }
}

/// The /48 of an IPv6 address: the largest block that providers give to one customer, who then has 65,536 networks.
fn wide_network(client: IpAddr) -> Option<IpAddr> {
    match client.to_canonical() {
        IpAddr::V6(address) => Some(Ipv6Addr::from_bits(address.to_bits() >> 80 << 80).into()),
        IpAddr::V4(_) => None,
    }
}

/// A network that limits count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum CountedNetwork {
    /// As [`network`] says.
    Network(IpAddr),
    /// As [`wide_network`] says.
    Wide(IpAddr),
}

impl CountedNetwork {
    /// All that a client counts for, its own network first.
    pub(crate) fn all_of(client: IpAddr) -> impl Iterator<Item = CountedNetwork> {
        std::iter::once(CountedNetwork::of(client)).chain(CountedNetwork::wide_of(client))
    }

    /// The network of a client.
    pub(crate) fn of(client: IpAddr) -> CountedNetwork {
        CountedNetwork::Network(network(client))
    }

    /// The /48 of a client that has one.
    pub(crate) fn wide_of(client: IpAddr) -> Option<CountedNetwork> {
        wide_network(client).map(CountedNetwork::Wide)
    }

    /// What it may have, if a network may have so many.
    pub(crate) fn limit(self, per_network: u32) -> u32 {
        match self {
            CountedNetwork::Network(_) => per_network,
            CountedNetwork::Wide(_) => per_network.saturating_mul(WIDE_FACTOR),
        }
    }
}

/// As the names of limits have it.
impl fmt::Display for CountedNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CountedNetwork::Network(network) => write!(f, "{network}"),
            CountedNetwork::Wide(network) => write!(f, "{network}/48"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn localhost_and_loopback_addresses_are_this_machine() {
        for host in [
            "localhost",
            "LocalHost",
            "localhost.",
            "guia.localhost",
            "127.0.0.1",
            "127.9.9.9",
            "[::1]",
            "::1",
            "[::ffff:127.0.0.1]",
        ] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in [
            "guia.example",
            "127.0.0.1.example",
            "localhost.example",
            "mylocalhost",
            "10.0.0.1",
            "[2001:db8::1]",
            "0.0.0.0",
            "",
        ] {
            assert!(!is_this_machine(host), "{host}");
        }
    }

    #[test]
    fn names_and_addresses_of_the_internet_are_public() {
        for host in ["guia.example", "guia.example.", "8.8.8.8", "[2001:db8::1]", "127.0.0.1.example"] {
            assert!(is_public(host), "{host}");
        }
        for host in [
            "localhost",
            "guia.localhost",
            "",
            "candango",
            "guia.local",
            "127.0.0.1",
            "0.0.0.0",
            "10.1.2.3",
            "192.168.1.1",
            "172.16.0.1",
            "169.254.1.1",
            "100.64.0.1",
            "[::1]",
            "[::]",
            "[fd00::1]",
            "[fe80::1]",
            "[::ffff:10.0.0.1]",
        ] {
            assert!(!is_public(host), "{host}");
        }
    }

    #[test]
    fn private_addresses_are_told_from_those_of_the_internet() {
        for private in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.0.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::a00:1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:a00:1::",
            "3fff::1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_global(private.parse().expect(private)), "{private}");
        }
        for public in
            ["1.1.1.1", "8.8.8.8", "100.128.0.1", "172.32.0.1", "192.0.1.1", "2606:4700::1111", "2a00::1"]
        {
            assert!(is_global(public.parse().expect(public)), "{public}");
        }
    }

    #[test]
    fn an_ipv6_network_is_one_client() {
        let of = |text: &str| network(text.parse().expect("an address")).to_string();
        assert_eq!(of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
        assert_eq!(of("2001:db8:1:2::"), of("2001:db8:1:2:ffff:ffff:ffff:ffff"));
        assert_ne!(of("2001:db8:1:2::"), of("2001:db8:1:3::"));
        assert_eq!(of("::ffff:10.0.0.1"), "10.0.0.1");
        assert_eq!(of("10.0.0.1"), "10.0.0.1");
        let wide =
            |text: &str| wide_network(text.parse().expect("an address")).map(|found| found.to_string());
        assert_eq!(wide("2001:db8:1:2:3:4:5:6").as_deref(), Some("2001:db8:1::"));
        assert_eq!(wide("2001:db8:1:ffff::"), wide("2001:db8:1::"));
        assert_ne!(wide("2001:db8:1::"), wide("2001:db8:2::"));
        assert_eq!((wide("10.0.0.1"), wide("::ffff:10.0.0.1")), (None, None));
    }
}
