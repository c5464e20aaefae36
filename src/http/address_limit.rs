//! A limit of open connections for each client address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::domain::account::network;

/// Counts the open connections of each network, except of addresses without a limit of their own.
pub(super) struct AddressLimit {
    max: usize,
    is_exempt: Box<dyn Fn(IpAddr) -> bool + Send + Sync>,
    open: Mutex<HashMap<IpAddr, usize>>,
    has_warned: AtomicBool,
}

/// An open connection of a network. Dropping it ends its count.
pub(super) struct CountedConnection {
    limit: Arc<AddressLimit>,
    /// `None` for an address without a limit.
    network: Option<IpAddr>,
}

impl AddressLimit {
    pub(super) fn new(
        max: usize,
        is_exempt: impl Fn(IpAddr) -> bool + Send + Sync + 'static,
    ) -> AddressLimit {
        AddressLimit {
            max,
            is_exempt: Box::new(is_exempt),
            open: Mutex::default(),
            has_warned: AtomicBool::new(false),
        }
    }

    /// Counts a connection from `peer`; `None` when its network has as many as it may.
    pub(super) fn count(self: &Arc<AddressLimit>, peer: IpAddr) -> Option<CountedConnection> {
        let network = (!(self.is_exempt)(peer)).then(|| network(peer));
        if let Some(network) = network {
            let mut open = self.open.lock();
            let of_network = open.entry(network).or_default();
            if *of_network >= self.max {
                drop(open);
                self.warn(network);
                return None;
            }
            *of_network += 1;
        }
        Some(CountedConnection { limit: self.clone(), network })
    }

    fn warn(&self, network: IpAddr) {
        if !self.has_warned.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                %network,
                "refused a connection over limits.connections_per_address, and will not report further ones: if this is \
                 your proxy, add it to trusted_proxies"
            );
        }
    }
}

impl Drop for CountedConnection {
    fn drop(&mut self) {
        let Some(network) = self.network else { return };
        let mut open = self.limit.open.lock();
        if let Some(of_network) = open.get_mut(&network) {
            *of_network -= 1;
            if *of_network == 0 {
                open.remove(&network);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
