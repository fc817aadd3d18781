//! The overviews of a blog: its tags, categories, statistics and settings.
//!
//! Owns: how names are counted: whatever their case, under the spelling that most posts have.
//! Never: reads a post.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};

use crate::BlogState;
use crate::content::time::format_time;
use crate::index::counts::{GroupColumn, GroupValue};
use crate::index::schema::DocKind;
use crate::search::matching::{PostFilters, filter_query, with_term};
use crate::search::words::fold_name;
use wardroom_service::ServiceError;

/// A tag or a category.
pub(crate) struct CountedName {
    pub(crate) name: String,
    /// Of a tag, where the settings have one.
    pub(crate) color: Option<String>,
    pub(crate) n_posts: usize,
}

impl BlogState {
    /// Returns the settings of the blog.
    pub(crate) fn project(&self) -> Value {
        let project = &self.settings.project;
        json!({
            "id": project.id,
            "name": project.name,
            "slug": project.slug,
            "description": project.description,
            "public_url": project.public_url,
            "main_language": project.main_language,
            "blog_languages": project.blog_languages.clone().unwrap_or_default(),
        })
    }

    /// Returns the tags, the most used first.
    pub(crate) fn tags(&self) -> Result<Value, ServiceError> {
        let tags = self.named_tags()?;
        let item = |tag: &CountedName| json!({"name": tag.name, "color": tag.color, "post_count": tag.n_posts});
        Ok(json!({"items": tags.iter().map(item).collect::<Vec<_>>(), "total": tags.len()}))
    }

    /// Returns the categories, the most used first.
    pub(crate) fn categories(&self) -> Result<Value, ServiceError> {
        let categories = self.named_categories()?;
        let item = |category: &CountedName| json!({"name": category.name, "post_count": category.n_posts});
        Ok(json!({"items": categories.iter().map(item).collect::<Vec<_>>(), "total": categories.len()}))
    }

    pub(crate) fn named_tags(&self) -> Result<Vec<CountedName>, ServiceError> {
        let known = self.settings.tags.iter().map(|tag| (tag.name.clone(), tag.color.clone()));
        Ok(merge_counts(known.collect(), self.name_counts(GroupColumn::Tag)?))
    }

    pub(crate) fn named_categories(&self) -> Result<Vec<CountedName>, ServiceError> {
        let known = self.settings.categories.iter().map(|category| (category.clone(), None));
        Ok(merge_counts(known.collect(), self.name_counts(GroupColumn::Category)?))
    }

    /// Counts the posts by tags or categories, whatever their case, and names each as most posts write it.
    fn name_counts(&self, column: GroupColumn) -> Result<HashMap<String, (String, usize)>, ServiceError> {
        let posts = filter_query(&self.stored.fields, DocKind::Post, &PostFilters::default());
        let counts = self.read_index(|| self.stored.count_by(&*posts, &[column]))?;
        let mut names: HashMap<String, (String, usize, usize)> = HashMap::new();
        for (group, count) in counts.groups {
            let [GroupValue::Text(name)] = group.as_slice() else { continue };
            let entry = names.entry(fold_name(name)).or_insert_with(|| (name.clone(), 0, 0));
            if (count, name) > (entry.1, &entry.0) {
                (entry.0, entry.1) = (name.clone(), count);
            }
            entry.2 += count;
        }
        Ok(names.into_iter().map(|(folded, (name, _, total))| (folded, (name, total))).collect())
    }

    /// Returns numbers of everything.
    pub(crate) fn stats(&self) -> Result<Value, ServiceError> {
        let fields = &self.stored.fields;
        let posts = filter_query(fields, DocKind::Post, &PostFilters::default());
        let by_status = self.read_index(|| self.stored.count_by(&*posts, &[GroupColumn::Status]))?;
        let by_year = self.read_index(|| self.stored.count_by(&*posts, &[GroupColumn::Year]))?;
        let status = |name: &str| by_status.groups.get(&vec![GroupValue::Text(name.to_owned())]).copied().unwrap_or(0);
        let years: BTreeMap<String, usize> = by_year
            .groups
            .iter()
            .filter_map(|(group, count)| match group.as_slice() {
                [GroupValue::Number(year)] => Some((year.to_string(), *count)),
                _ => None,
            })
            .collect();
        let of_kind = |kind: DocKind| self.read_index(|| self.stored.count(&*with_term(fields.kind, kind.as_str())));
        let bounds = self.read_index(|| self.stored.time_bounds(&*posts))?;
        let (n_tags, n_categories) = (self.named_tags()?.len(), self.named_categories()?.len());
        let n_posts = by_status.n_documents;
        Ok(json!({
            "post_count": n_posts,
            "media_count": of_kind(DocKind::Media)?,
            "tag_count": n_tags,
            "category_count": n_categories,
            "script_count": of_kind(DocKind::Script)?,
            "template_count": of_kind(DocKind::Template)?,
            "totalPosts": n_posts,
            "draftCount": status("draft"),
            "publishedCount": status("published"),
            "archivedCount": status("archived"),
            "oldestPostDate": bounds.map(|(oldest, _)| format_time(oldest)),
            "newestPostDate": bounds.map(|(_, newest)| format_time(newest)),
            "postsPerYear": years,
            "tagCount": n_tags,
            "categoryCount": n_categories,
            "notes": self.notes,
        }))
    }
}

/// Joins the names of the settings with those of posts, the most used first.
fn merge_counts(known: Vec<(String, Option<String>)>, counts: HashMap<String, (String, usize)>) -> Vec<CountedName> {
    let mut named: BTreeMap<String, CountedName> = BTreeMap::new();
    for (name, color) in known {
        named.insert(fold_name(&name), CountedName { name, color, n_posts: 0 });
    }
    for (folded, (name, n_posts)) in counts {
        named.entry(folded).or_insert(CountedName { name, color: None, n_posts: 0 }).n_posts = n_posts;
    }
    let mut names: Vec<CountedName> = named.into_values().collect();
    names.sort_by(|a, b| (Reverse(a.n_posts), &a.name).cmp(&(Reverse(b.n_posts), &b.name)));
    names
}
