//! Draws cards when they are first asked for, on a thread that gives way to those that answer, and keeps them.

use std::future::Future;
use std::net::IpAddr;

use bytes::Bytes;
use parking_lot::Mutex;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::domain::error::ApiError;
use crate::http::network_budget::NetworkBudget;
use crate::http::shared_work::WorkLimit;
use crate::http::site::cards::{Card, drawing};

/// The memory for drawn cards.
const MEMORY: u64 = 8 * 1_024 * 1_024;

/// The usual size of a card.
const USUAL: usize = 16 * 1_024;

/// How many cards are drawn at the same time. Drawing takes a processor, which requests of the API need more.
const DRAWN_AT_ONCE: usize = 1;

/// How many cards wait to be drawn; requests for more are refused.
const WAITING: usize = 32;

/// How many of them one network may wait for, and one /48: others ask for cards too.
const WAITING_OF_NETWORK: usize = 4;
const WAITING_OF_WIDE: usize = 8;

/// The cards that were drawn, by their versions.
pub(crate) struct CardStore {
    drawn: Cache<u64, Bytes, Weight>,
    limit: WorkLimit,
    networks: Mutex<NetworkBudget>,
}

#[derive(Clone)]
struct Weight;

impl Weighter<u64, Bytes> for Weight {
    fn weight(&self, _: &u64, png: &Bytes) -> u64 {
        u64::try_from(png.len()).unwrap_or(MEMORY)
    }
}

impl CardStore {
    pub(crate) fn new() -> CardStore {
        let items = usize::try_from(MEMORY).unwrap_or(usize::MAX) / USUAL;
        CardStore {
            drawn: Cache::with_weighter(items, MEMORY, Weight),
            limit: WorkLimit::new(DRAWN_AT_ONCE, WAITING),
            networks: Mutex::new(NetworkBudget::new(WAITING_OF_NETWORK, WAITING_OF_WIDE)),
        }
    }

    /// The PNG of a card. Those who ask for the same card at the same time wait for one drawing. A client without an
    /// address is on this machine or in a private network, behind which there may be many.
    pub(crate) fn png(
        &self,
        card: Card,
        client: Option<IpAddr>,
    ) -> impl Future<Output = Result<Bytes, ApiError>> {
        let version = card.version();
        async move { self.drawn.get_or_insert_async(&version, self.draw(card, client)).await }
    }

    async fn draw(&self, card: Card, client: Option<IpAddr>) -> Result<Bytes, ApiError> {
        let _waits = match client {
            Some(client) => Some(self.wait_of(client)?),
            None => None,
        };
        let png = self.limit.turn().await?.work_apart(move || drawing::png(&card)).await?;
        png.map(Bytes::from).ok_or(ApiError::Internal)
    }

    fn wait_of(&self, client: IpAddr) -> Result<Wait<'_>, ApiError> {
        match self.networks.lock().take(client, 1) {
            true => Ok(Wait { networks: &self.networks, client }),
            false => Err(ApiError::Overloaded),
        }
    }
}

/// A network waits for a card until this is dropped.
struct Wait<'a> {
    networks: &'a Mutex<NetworkBudget>,
    client: IpAddr,
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        self.networks.lock().give_back(self.client, 1);
    }
}
