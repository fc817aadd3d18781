//! Subscribing, in both eras: the older ones send what changed to whoever is connected and asked for it by
//! `resources/subscribe`, the newer one into the request `subscriptions/listen`.
//!
//! Owns: which of the wanted subscriptions are accepted, and the words of the notifications.
//! Never: knows how a change is found.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use rmcp::RoleServer;
use rmcp::model::{ErrorData, ResourceUpdatedNotificationParam, SubscriptionFilter};
use rmcp::service::{Peer, RequestContext, SubscriptionContext};
use tokio_util::sync::CancellationToken;

use super::changes::{Subscription, TooMany, Topic};
use super::error;
use super::server::Server;
use wardroom_base::limits::MAX_WATCHED;
use wardroom_service::{Level, ServiceError};

/// How long ago a subscription may have been acknowledged when it begins. The client may change something at once.
const ACKNOWLEDGED: Duration = Duration::from_millis(100);

/// The subscriptions of a client of the older eras. They end with its connection.
#[derive(Default)]
pub(super) struct Older {
    subscription: OnceLock<Arc<Subscription>>,
    /// Set once somebody has looked at the lists that it is told of.
    lists: tokio::sync::OnceCell<()>,
    /// The least of what its log gets; nothing before it asked for a log.
    level: Mutex<Option<Level>>,
    ended: CancellationToken,
}

impl Older {
    pub(super) fn level(&self) -> Option<Level> {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_level(&self, level: Level) {
        *self.level.lock().unwrap_or_else(PoisonError::into_inner) = Some(level);
    }
}

impl Drop for Older {
    fn drop(&mut self) {
        self.ended.cancel();
    }
}

impl Server {
    /// From now on a client of the older eras is told when a list changes. Who lists the resources waits for this, so that
    /// what changes after that is told.
    pub(super) async fn tell_of_lists(&self, peer: &Peer<RoleServer>) {
        let is_older = peer.peer_info().is_some_and(|client| client.protocol_version.has_initialize());
        if self.changes.are_told() && is_older {
            self.older.lists.get_or_init(|| self.start_telling_of_lists(peer)).await;
        }
    }

    async fn start_telling_of_lists(&self, peer: &Peer<RoleServer>) {
        // Of these it is known when they changed: nobody has to wait.
        let since = Some(SystemTime::now());
        // A server with too many subscriptions still answers.
        let _ = self.subscription(peer).add(BTreeSet::from([Topic::List]), None).await;
        if self.catalogue.has_prompts() {
            let declared = BTreeSet::from([Topic::Tools, Topic::Prompts]);
            let _ = self.subscription(peer).add(declared, since).await;
        }
    }

    pub(super) async fn tell_of(&self, uri: String, context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
        if !self.changes.are_told() {
            return Err(error::method_not_found("resources/subscribe"));
        }
        self.ready(context).await?;
        self.catalogue.check(&uri, &self.glance()).map_err(|error| error::of_service(error, &context.id))?;
        let topic = Topic::Resource(uri.into());
        let adding = self.subscription(&context.peer).add(BTreeSet::from([topic]), None);
        // Who took the request back waits for no look.
        let added = context.ct.run_until_cancelled(adding).await.ok_or_else(error::cancelled)?;
        added.map_err(|TooMany| too_many())
    }

    pub(super) fn tell_no_more_of(&self, uri: &str) -> Result<(), ErrorData> {
        if !self.changes.are_told() {
            return Err(error::method_not_found("resources/unsubscribe"));
        }
        if let Some(subscription) = self.older.subscription.get() {
            subscription.remove(&Topic::Resource(uri.into()));
        }
        Ok(())
    }

    #[expect(clippy::disallowed_methods, reason = "it ends with the connection")]
    fn subscription(&self, peer: &Peer<RoleServer>) -> &Subscription {
        self.older.subscription.get_or_init(|| {
            let subscription = Arc::new(self.changes.subscribe(&self.caller));
            let (told, peer, ended) = (Arc::clone(&subscription), peer.clone(), self.older.ended.clone());
            tokio::spawn(async move { ended.run_until_cancelled(tell(&told, &peer)).await });
            subscription
        })
    }

    /// The part of a filter that can be served: resources that may exist, and no more than can be watched.
    pub(super) fn accepted(&self, requested: &SubscriptionFilter) -> SubscriptionFilter {
        let mut accepted = SubscriptionFilter::default();
        if self.changes.are_told() {
            accepted.resources_list_changed = requested.resources_list_changed;
            if self.catalogue.has_prompts() {
                accepted.tools_list_changed = requested.tools_list_changed;
                accepted.prompts_list_changed = requested.prompts_list_changed;
            }
            accepted.resource_subscriptions = requested.resource_subscriptions.as_ref().map(|uris| {
                let looked_at = uris.iter().take(MAX_WATCHED);
                // What nobody knows yet may exist.
                let may_exist = |uri: &&String| {
                    matches!(self.catalogue.check(uri, &self.glance()), Ok(()) | Err(ServiceError::Later))
                };
                looked_at.filter(may_exist).cloned().collect()
            });
        }
        accepted
    }

    pub(super) async fn tell_listener(&self, context: &SubscriptionContext) -> Result<(), ErrorData> {
        let since = SystemTime::now().checked_sub(ACKNOWLEDGED);
        let accepted = context.accepted();
        let uris = accepted.resource_subscriptions.iter().flatten();
        let mut topics: BTreeSet<Topic> = uris.map(|uri| Topic::Resource(uri.as_str().into())).collect();
        let lists = [
            (accepted.resources_list_changed, Topic::List),
            (accepted.tools_list_changed, Topic::Tools),
            (accepted.prompts_list_changed, Topic::Prompts),
        ];
        topics.extend(lists.into_iter().filter_map(|(wanted, topic)| (wanted == Some(true)).then_some(topic)));
        if topics.is_empty() {
            context.cancelled().await;
            return Ok(());
        }
        let listening = async {
            let subscription = self.changes.subscribe(&self.caller);
            subscription.add(topics, since).await.map_err(|TooMany| too_many())?;
            loop {
                let told = match subscription.next().await {
                    Topic::List => context.sink().notify_resource_list_changed().await,
                    Topic::Tools => context.sink().notify_tool_list_changed().await,
                    Topic::Prompts => context.sink().notify_prompt_list_changed().await,
                    Topic::Resource(uri) => context.sink().notify_resource_updated(&*uri).await,
                };
                if told.is_err() {
                    return Ok(());
                }
            }
        };
        tokio::select! {
            ended = listening => ended,
            () = context.cancelled() => Ok(()),
        }
    }
}

/// Until the client is gone.
async fn tell(subscription: &Subscription, peer: &Peer<RoleServer>) {
    loop {
        let told = match subscription.next().await {
            Topic::List => peer.notify_resource_list_changed().await,
            Topic::Tools => peer.notify_tool_list_changed().await,
            Topic::Prompts => peer.notify_prompt_list_changed().await,
            Topic::Resource(uri) => peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(&*uri)).await,
        };
        if told.is_err() {
            return;
        }
    }
}

fn too_many() -> ErrorData {
    error::busy(format!("{MAX_WATCHED} resources are subscribed to already: unsubscribe from some"))
}
