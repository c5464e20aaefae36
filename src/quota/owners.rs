//! What an owner must be able to do while somebody else floods with a leaked key: limited by account and network, in
//! constant memory.

use std::net::IpAddr;

use super::sketch::Sketch;
use crate::domain::account::AccountId;
use crate::domain::network::network;

/// Beyond this many networks' worth of calls in a minute, an account is counted in a sketch of its own.
const NETWORKS: u32 = 16;

/// Counts the calls of owners.
#[derive(Debug)]
pub(super) struct OwnerLimiter {
    /// Calls that an account may make in a minute from one network.
    pub(super) per_minute: u32,
    accounts: Sketch,
    owners: Sketch,
    /// Of accounts with calls from many networks: one key and the 65,536 networks of a /48 would fill the cells of all.
    crowded: Sketch,
}

impl OwnerLimiter {
    pub(super) fn new(per_minute: u32) -> OwnerLimiter {
        OwnerLimiter { per_minute, accounts: Sketch::new(), owners: Sketch::new(), crowded: Sketch::new() }
    }

    /// Counts a call, unless the account has made as many from this network as it may; returns whether it did.
    pub(super) fn count(&self, account: &AccountId, address: IpAddr, minute: u32) -> bool {
        let owner = (account, network(address));
        if self.owners.counted(owner, minute) >= self.per_minute {
            return false;
        }
        let most = self.per_minute.saturating_mul(NETWORKS);
        let counts =
            if self.accounts.count_up_to(most, account, minute) { &self.owners } else { &self.crowded };
        counts.count_up_to(self.per_minute, owner, minute)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv6Addr;

    use super::*;

    fn account(number: u32) -> AccountId {
        AccountId::from_stored(format!("acc_{number}"))
    }

    #[test]
    fn an_account_is_limited_by_network() {
        let limiter = OwnerLimiter::new(3);
        let count = |number: u32, address: &str, minute: u32| {
            limiter.count(&account(number), address.parse().expect("an address"), minute)
        };
        assert_eq!([1, 1, 1, 1].map(|number| count(number, "192.0.2.1", 7)), [true, true, true, false]);
        assert!(count(1, "192.0.2.2", 7) && count(2, "192.0.2.1", 7) && count(1, "192.0.2.1", 8));
    }

    #[test]
    fn one_key_and_a_48_keep_no_other_owner_out() {
        let limiter = OwnerLimiter::new(30);
        for network in 0..20_000 {
            let address = Ipv6Addr::new(0x2001, 0xdb8, 1, network, 0, 0, 0, 1).into();
            for _ in 0..40 {
                limiter.count(&account(0), address, 7);
            }
        }
        let owner = "2001:db8:2::1".parse().expect("an address");
        let others: Vec<u32> =
            (1..1_000).filter(|number| !limiter.count(&account(*number), owner, 7)).collect();
        assert_eq!(others, [0; 0], "locked out");
    }
}
