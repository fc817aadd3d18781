//! Subscriptions of both revisions. A legacy client is notified on its connection after `resources/subscribe`, a modern
//! client within its request `subscriptions/listen`.
//!
//! Owns: which of the requested subscriptions are accepted, and the notifications.
//! Never: knows how a change is found.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use rmcp::RoleServer;
use rmcp::model::{ErrorData, ResourceUpdatedNotificationParam, SubscriptionFilter};
use rmcp::service::{Peer, RequestContext, SubscriptionContext};
use tokio_util::sync::CancellationToken;

use super::changes::{Subscription, TooManyResources, Topic};
use super::error;
use super::server::McpServer;
use crate::limits::{MAX_WATCHED_RESOURCES, MAX_WATCHED_RESOURCES_PER_CALLER};
use wardroom_service::LogLevel;

/// How long before the start of a subscription its acknowledgement may have been sent. The client may change something
/// at once.
const MAX_ACK_AGE: Duration = Duration::from_millis(100);

/// The subscriptions of a legacy client. They end with its connection.
#[derive(Default)]
pub(super) struct LegacySubscriptions {
    subscription: OnceLock<Arc<Subscription>>,
    /// Set after the first scan of the lists whose changes the client is notified of.
    lists_subscribed: tokio::sync::OnceCell<()>,
    /// The lowest level that is logged; `None` before the client sets one.
    log_level: Mutex<Option<LogLevel>>,
    disconnected: CancellationToken,
}

impl LegacySubscriptions {
    pub(super) fn log_level(&self) -> Option<LogLevel> {
        *self.log_level.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_log_level(&self, level: LogLevel) {
        *self.log_level.lock().unwrap_or_else(PoisonError::into_inner) = Some(level);
    }
}

impl Drop for LegacySubscriptions {
    fn drop(&mut self) {
        self.disconnected.cancel();
    }
}

impl McpServer {
    /// Starts to notify a legacy client of changed lists. A request for the resources waits for this, so that every
    /// later change is reported.
    pub(super) async fn subscribe_to_lists(&self, peer: &Peer<RoleServer>) {
        let is_legacy = peer.peer_info().is_some_and(|client| client.protocol_version.has_initialize());
        if self.notifies_of_changes() && is_legacy {
            self.legacy_subscriptions.lists_subscribed.get_or_init(|| self.start_list_subscriptions(peer)).await;
        }
    }

    async fn start_list_subscriptions(&self, peer: &Peer<RoleServer>) {
        // The time of change of these lists is known, so that no client has to wait for a scan.
        let since = Some(SystemTime::now());
        // A server with too many subscriptions still answers.
        let _ = self.legacy_subscription(peer).add(BTreeSet::from([Topic::Resources]), None).await;
        if self.catalogue.has_prompts() {
            let declared = BTreeSet::from([Topic::Tools, Topic::Prompts]);
            let _ = self.legacy_subscription(peer).add(declared, since).await;
        }
    }

    pub(super) async fn subscribe_resource(
        &self,
        uri: String,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if !self.notifies_of_changes() {
            return Err(error::method_not_found("resources/subscribe"));
        }
        let validated = self.run(context, self.catalogue.validation(&uri, &self.caller)).await?;
        validated.map_err(|error| error::from_service_error(error, &context.id))?;
        let topic = Topic::Resource(uri.into());
        let subscription = self.legacy_subscription(&context.peer);
        let is_new = !subscription.contains(&topic);
        let adding = subscription.add(BTreeSet::from([topic.clone()]), None);
        // A cancelled request does not wait for the scan.
        match context.ct.run_until_cancelled(adding).await {
            Some(added) => added.map_err(|TooManyResources| too_many_resources()),
            None => {
                if is_new {
                    subscription.remove(&topic);
                }
                Err(error::cancelled())
            }
        }
    }

    pub(super) fn unsubscribe_resource(&self, uri: &str) -> Result<(), ErrorData> {
        if !self.notifies_of_changes() {
            return Err(error::method_not_found("resources/unsubscribe"));
        }
        if let Some(subscription) = self.legacy_subscriptions.subscription.get() {
            subscription.remove(&Topic::Resource(uri.into()));
        }
        Ok(())
    }

    #[expect(clippy::disallowed_methods, reason = "the task ends with the connection")]
    fn legacy_subscription(&self, peer: &Peer<RoleServer>) -> &Subscription {
        self.legacy_subscriptions.subscription.get_or_init(|| {
            let subscription = Arc::new(self.change_notifier.subscribe(&self.caller));
            let (source, peer, ended) =
                (Arc::clone(&subscription), peer.clone(), self.legacy_subscriptions.disconnected.clone());
            tokio::spawn(async move { ended.run_until_cancelled(notify_peer(&source, &peer)).await });
            subscription
        })
    }

    /// Returns the part of a filter that can be served: resources that may exist, and no more than can be watched.
    pub(super) fn accepted_filter(&self, requested: &SubscriptionFilter) -> SubscriptionFilter {
        let mut accepted = SubscriptionFilter::default();
        if self.change_notifier.is_enabled() {
            accepted.resources_list_changed = requested.resources_list_changed;
            if self.catalogue.has_prompts() {
                accepted.tools_list_changed = requested.tools_list_changed;
                accepted.prompts_list_changed = requested.prompts_list_changed;
            }
            accepted.resource_subscriptions = requested.resource_subscriptions.as_ref().map(|uris| {
                // No more are looked at than there could be.
                let (mut known, mut looked_at) = (BTreeSet::new(), Vec::new());
                for uri in uris {
                    if looked_at.len() < MAX_WATCHED_RESOURCES && known.insert(uri) {
                        looked_at.push(uri);
                    }
                }
                let may_exist = |uri: &&String| self.catalogue.may_exist(uri, &self.caller);
                // Without any room one is accepted, whose subscription ends with the error that says so.
                let left = self.change_notifier.remaining_resources(&self.caller).max(1);
                looked_at.into_iter().filter(may_exist).take(left).cloned().collect()
            });
        }
        accepted
    }

    pub(super) async fn notify_listener(&self, context: &SubscriptionContext) -> Result<(), ErrorData> {
        let since = SystemTime::now().checked_sub(MAX_ACK_AGE);
        let accepted = context.accepted();
        let uris = accepted.resource_subscriptions.iter().flatten();
        let mut topics: BTreeSet<Topic> = uris.map(|uri| Topic::Resource(uri.as_str().into())).collect();
        let lists = [
            (accepted.resources_list_changed, Topic::Resources),
            (accepted.tools_list_changed, Topic::Tools),
            (accepted.prompts_list_changed, Topic::Prompts),
        ];
        topics.extend(lists.into_iter().filter_map(|(requested, topic)| (requested == Some(true)).then_some(topic)));
        if topics.is_empty() {
            context.cancelled().await;
            return Ok(());
        }
        let listening = async {
            let subscription = self.change_notifier.subscribe(&self.caller);
            subscription.add(topics, since).await.map_err(|TooManyResources| too_many_resources())?;
            loop {
                let sent = match subscription.next().await {
                    Topic::Resources => context.sink().notify_resource_list_changed().await,
                    Topic::Tools => context.sink().notify_tool_list_changed().await,
                    Topic::Prompts => context.sink().notify_prompt_list_changed().await,
                    Topic::Resource(uri) => context.sink().notify_resource_updated(&*uri).await,
                };
                if sent.is_err() {
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

/// Notifies a client until it is gone.
async fn notify_peer(subscription: &Subscription, peer: &Peer<RoleServer>) {
    loop {
        let sent = match subscription.next().await {
            Topic::Resources => peer.notify_resource_list_changed().await,
            Topic::Tools => peer.notify_tool_list_changed().await,
            Topic::Prompts => peer.notify_prompt_list_changed().await,
            Topic::Resource(uri) => peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(&*uri)).await,
        };
        if sent.is_err() {
            return;
        }
    }
}

fn too_many_resources() -> ErrorData {
    error::busy(format!(
        "no more resources can be subscribed to: the limit is {MAX_WATCHED_RESOURCES}, and {MAX_WATCHED_RESOURCES_PER_CALLER} \
         for one caller over HTTP; unsubscribe from some, or end a session that has some"
    ))
}
