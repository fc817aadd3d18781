//! The prompts of `blog`.
//!
//! Owns: their texts. An argument is quoted in them, and is no part of the instruction.
//! Never: contains what posts say.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Blog;
use crate::complete::CompletedName;
use wardroom_service::{
    ArgumentCompletion, Caller, ContentItem, Cost, EntryExtras, MessageRole, PromptArgument, PromptEntry,
    PromptMessage, PromptProvider, RenderedPrompt, ServiceError, Work, entries_after, escape_and_truncate,
};

struct BlogPrompt {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    arguments: &'static [(&'static str, &'static str)],
    render: fn(&BTreeMap<String, String>) -> Result<String, ServiceError>,
}

/// Sorted by name.
const PROMPTS: [BlogPrompt; 3] = [
    BlogPrompt {
        name: "content-audit",
        title: "Content Audit",
        description: "Reviews the posts for missing excerpts, inconsistent tags, weak titles and missing links",
        arguments: &[("category", "Only posts of this category"), ("tag", "Only posts with this tag")],
        render: |arguments| {
            let mut text = "Audit the content of this blog.\n\
                1. Read bds://stats, bds://tags and bds://categories, and list the posts with search_posts.\n\
                2. Check for: missing or poor excerpts, inconsistent tags (spelling, near duplicates), weak titles, and posts \
                that no other post links to.\n\
                3. Suggest changes with propose_post_metadata where that tool exists, one proposal for each post: a person \
                reviews them.\n\
                4. Finish with a summary: what you found, what you proposed, and what needs a person.\n"
                .to_owned();
            if let Some(category) = argument(arguments, "category") {
                text.push_str(&format!("Look at posts of the category {category} only.\n"));
            }
            if let Some(tag) = argument(arguments, "tag") {
                text.push_str(&format!("Look at posts with the tag {tag} only.\n"));
            }
            Ok(text)
        },
    },
    BlogPrompt {
        name: "draft-blog-post",
        title: "Draft Blog Post",
        description: "Writes a post in the style of the blog, for review",
        arguments: &[("topic", "What the post is about"), ("category", "The category of the post")],
        render: |arguments| {
            let mut text = "Write a post for this blog.\n\
                1. Read bds://posts, bds://tags and bds://categories, and some posts with read_post_by_slug, to learn the \
                style, the length and the tags.\n\
                2. Write the post in Markdown, with a good title, a clear structure, and tags that the blog has.\n\
                3. Submit it with draft_post where that tool exists, or else show it: a person reviews it before it is \
                published.\n"
                .to_owned();
            if let Some(topic) = argument(arguments, "topic") {
                text.push_str(&format!("The topic: {topic}\n"));
            }
            if let Some(category) = argument(arguments, "category") {
                text.push_str(&format!("The category: {category}\n"));
            }
            Ok(text)
        },
    },
    BlogPrompt {
        name: "improve-media-metadata",
        title: "Improve Media Metadata",
        description: "Improves titles, alt texts and captions of pictures, for review",
        arguments: &[("scope", "all, missing-alt or missing-caption")],
        render: |arguments| {
            let step = match arguments.get("scope").map(String::as_str) {
                None | Some("" | "all") => "Look at every item with search_media.",
                Some("missing-alt") => "Find the items without alt text: search_media with missing: alt.",
                Some("missing-caption") => "Find the items without a caption: search_media with missing: caption.",
                Some(other) => {
                    let message = format!(
                        "scope: expected all, missing-alt or missing-caption, not '{}'",
                        escape_and_truncate(other)
                    );
                    return Err(ServiceError::Invalid(message));
                }
            };
            Ok(format!(
                "Improve the metadata of the pictures of this blog.\n1. {step}\n2. Look at each picture: \
                 bds://media/{{id}}/image.\n3. Write alt text that describes the picture to a person who cannot see it, in one \
                 or two sentences, and a title and a caption where they are missing.\n4. Suggest them with \
                 propose_media_metadata where that tool exists, one proposal for each item: a person reviews them.\n"
            ))
        },
    },
];

/// Returns an argument in quotes, if it is given.
fn argument(arguments: &BTreeMap<String, String>, name: &str) -> Option<String> {
    let value = arguments.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())?;
    Some(format!("\"{}\"", escape_and_truncate(value)))
}

impl BlogPrompt {
    fn to_entry(&self) -> Arc<PromptEntry> {
        let argument = |(name, description): &(&str, &str)| PromptArgument {
            name: (*name).to_owned(),
            title: None,
            description: Some((*description).to_owned()),
            is_required: false,
        };
        Arc::new(PromptEntry {
            name: self.name.to_owned(),
            title: Some(self.title.to_owned()),
            description: Some(self.description.to_owned()),
            arguments: self.arguments.iter().map(argument).collect(),
            extra: EntryExtras::default(),
        })
    }
}

impl PromptProvider for Blog {
    fn list(&self, mark: Option<&str>, limit: usize, _caller: &Caller) -> Vec<Arc<PromptEntry>> {
        entries_after(PROMPTS.iter().map(BlogPrompt::to_entry).collect(), mark, limit, |entry| &entry.name)
    }

    fn resolve(
        self: Arc<Self>,
        name: &str,
        arguments: &Arc<BTreeMap<String, String>>,
        _caller: &Arc<Caller>,
    ) -> Option<Result<Work<RenderedPrompt>, ServiceError>> {
        let prompt = PROMPTS.iter().find(|prompt| prompt.name == name)?;
        Some((prompt.render)(arguments).map(|text| {
            let message = PromptMessage { role: MessageRole::User, content: ContentItem::from(text) };
            Work::done(RenderedPrompt {
                description: Some(prompt.description.to_owned()),
                messages: vec![message],
                meta: None,
            })
        }))
    }

    fn complete(
        self: Arc<Self>,
        completing: &ArgumentCompletion,
        _caller: &Arc<Caller>,
    ) -> Option<Result<Work<Vec<String>>, ServiceError>> {
        let prompt = PROMPTS.iter().find(|prompt| prompt.name == completing.prompt)?;
        if !prompt.arguments.iter().any(|(name, _)| *name == completing.argument) {
            let given = escape_and_truncate(&completing.argument);
            return Some(Err(ServiceError::Invalid(format!("{} has no argument '{given}'", prompt.name))));
        }
        let prefix = completing.prefix.clone();
        Some(Ok(match completing.argument.as_str() {
            "category" => {
                Work::new(Cost::Worker, move |info| CompletedName::Category.names(&self.state(info)?, &prefix))
            }
            "tag" => Work::new(Cost::Worker, move |info| CompletedName::Tag.names(&self.state(info)?, &prefix)),
            "scope" => {
                let scopes = ["all", "missing-alt", "missing-caption"].map(str::to_owned);
                Work::done(scopes.into_iter().filter(|scope| scope.starts_with(&prefix)).collect())
            }
            _ => Work::done(Vec::new()),
        }))
    }
}
