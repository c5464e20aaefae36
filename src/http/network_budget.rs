//! What the networks of clients hold of something that all clients share.

use std::collections::HashMap;
use std::net::IpAddr;

use crate::domain::network::CountedNetwork;

/// Counts what each network holds, and each /48: neither may hold more than its limit.
pub(super) struct NetworkBudget {
    max_of_network: usize,
    max_of_wide: usize,
    held: HashMap<CountedNetwork, usize>,
}

impl NetworkBudget {
    pub(super) fn new(max_of_network: usize, max_of_wide: usize) -> NetworkBudget {
        NetworkBudget { max_of_network, max_of_wide, held: HashMap::new() }
    }

    /// Takes an amount for a client, unless its network, or the /48 around it, would hold more than it may. Whether it
    /// was taken.
    pub(super) fn take(&mut self, client: IpAddr, amount: usize) -> bool {
        let is_full = |network| {
            let held = self.held.get(&network).copied().unwrap_or_default();
            held.saturating_add(amount) > self.max_of(network)
        };
        if CountedNetwork::all_of(client).any(is_full) {
            return false;
        }
        CountedNetwork::all_of(client).for_each(|network| *self.held.entry(network).or_default() += amount);
        true
    }

    /// Gives back what was taken for a client.
    pub(super) fn give_back(&mut self, client: IpAddr, amount: usize) {
        for network in CountedNetwork::all_of(client) {
            if let Some(held) = self.held.get_mut(&network) {
                *held -= amount;
                if *held == 0 {
                    self.held.remove(&network);
                }
            }
        }
    }

    fn max_of(&self, network: CountedNetwork) -> usize {
        match network {
            CountedNetwork::Network(_) => self.max_of_network,
            CountedNetwork::Wide(_) => self.max_of_wide,
        }
    }

    /// Whether no network holds anything.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }
}
