//! A limit of open connections for each client address.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::network_budget::NetworkBudget;
use crate::domain::network::{WIDE_FACTOR, network};

/// Counts the open connections of each network and of each /48, except of addresses without a limit of their own.
pub(super) struct AddressLimit {
    is_exempt: Box<dyn Fn(IpAddr) -> bool + Send + Sync>,
    open: Mutex<NetworkBudget>,
    has_warned: AtomicBool,
}

/// An open connection. Dropping it ends its counts.
pub(super) struct CountedConnection {
    limit: Arc<AddressLimit>,
    /// `None` for an address without a limit.
    peer: Option<IpAddr>,
}

impl AddressLimit {
    pub(super) fn new(
        max: usize,
        is_exempt: impl Fn(IpAddr) -> bool + Send + Sync + 'static,
    ) -> AddressLimit {
        AddressLimit {
            is_exempt: Box::new(is_exempt),
            open: Mutex::new(NetworkBudget::new(max, max.saturating_mul(WIDE_FACTOR as usize))),
            has_warned: AtomicBool::new(false),
        }
    }

    /// Counts a connection from `peer`; `None` when its network, or the /48 around it, has as many as it may.
    pub(super) fn count(self: &Arc<AddressLimit>, peer: IpAddr) -> Option<CountedConnection> {
        let peer = (!(self.is_exempt)(peer)).then_some(peer);
        if let Some(peer) = peer
            && !self.open.lock().take(peer, 1)
        {
            self.warn(peer);
            return None;
        }
        Some(CountedConnection { limit: self.clone(), peer })
    }

    fn warn(&self, peer: IpAddr) {
        if !self.has_warned.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                network = %network(peer),
                "refused a connection over limits.connections_per_address, and will not report further ones: if this is \
                 your proxy, add it to trusted_proxies"
            );
        }
    }
}

impl Drop for CountedConnection {
    fn drop(&mut self) {
        if let Some(peer) = self.peer {
            self.limit.open.lock().give_back(peer, 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv6Addr;

    #[test]
    fn each_network_has_its_own_limit() {
        let limit = Arc::new(AddressLimit::new(2, |peer| peer.is_loopback()));
        let count = |peer: &str| limit.count(peer.parse().expect("an address"));
        let first = [count("192.0.2.1"), count("::ffff:192.0.2.1")];
        assert!(first.iter().all(Option::is_some));
        assert!(count("192.0.2.1").is_none());
        let others = [count("192.0.2.2"), count("2001:db8::1"), count("2001:db8::2:1")].map(Option::unwrap);
        assert!(count("2001:db8::3").is_none(), "one /64 is one network");
        assert!(count("2001:db8:0:1::3").is_some());
        let exempt: Vec<_> = (0..9).map(|_| count("127.0.0.1")).collect();
        assert!(exempt.iter().all(Option::is_some));
        drop(first);
        assert!(count("192.0.2.1").is_some());
        drop((others, exempt));
        assert!(limit.open.lock().is_empty());
    }

    #[test]
    fn the_networks_of_one_48_have_the_limits_of_eight() {
        let limit = Arc::new(AddressLimit::new(2, |_| false));
        let count = |prefix: u16, subnet: u16| {
            limit.count(Ipv6Addr::new(0x2001, 0xdb8, prefix, subnet, 0, 0, 0, 1).into())
        };
        let mut held: Vec<_> = (0..1_000).filter_map(|subnet| count(1, subnet)).collect();
        assert_eq!(held.len(), 16);
        assert!(count(2, 0).is_some(), "another /48 is not affected");
        held.pop();
        assert!(count(1, 2_000).is_some(), "one that is closed makes room");
        drop(held);
        assert!(limit.open.lock().is_empty());
    }
}
