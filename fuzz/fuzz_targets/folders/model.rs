//! A tree of folders, files and links in memory, and what each operation of the room should do to it.
//!
//! Never: asks the system anything.

use std::collections::BTreeMap;

pub type Id = usize;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    Dir(BTreeMap<String, Id>),
    File(Vec<u8>),
    Link(String),
}

/// Why a name leads to nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Miss {
    /// With the folder and the name, when everything but the last name is there.
    NotFound(Option<(Id, String)>),
    Exists,
    Outside,
    /// A file in the middle, a turning link, or a name that stands for a folder.
    Other,
}

pub struct Model {
    nodes: Vec<Node>,
    /// Folders that were removed; a handle may still be open.
    dead: Vec<Id>,
}

pub const ROOT: Id = 0;
/// Links that the system follows for one name.
const MAX_LINKS: usize = 40;

impl Model {
    pub fn new() -> Self {
        Self { nodes: vec![Node::Dir(BTreeMap::new())], dead: Vec::new() }
    }

    pub fn node(&self, id: Id) -> &Node {
        &self.nodes[id]
    }

    pub fn entries(&self, dir: Id) -> &BTreeMap<String, Id> {
        match &self.nodes[dir] {
            Node::Dir(entries) => entries,
            other => panic!("{other:?} is no folder"),
        }
    }

    fn entries_mut(&mut self, dir: Id) -> &mut BTreeMap<String, Id> {
        match &mut self.nodes[dir] {
            Node::Dir(entries) => entries,
            other => panic!("{other:?} is no folder"),
        }
    }

    fn is_dir(&self, id: Id) -> bool {
        matches!(self.nodes[id], Node::Dir(_))
    }

    /// Every folder that is still there, with its path.
    pub fn dirs(&self) -> Vec<(Id, String)> {
        let mut found = vec![(ROOT, String::from("."))];
        let mut at = 0;
        while let Some((id, path)) = found.get(at).cloned() {
            let below = self.entries(id).iter().filter(|(_, below)| self.is_dir(**below));
            found.extend(below.map(|(name, below)| (*below, format!("{path}/{name}"))));
            at += 1;
        }
        found
    }

    // ---- What another process does, with plain names --------------------------------------------------------------

    pub fn add(&mut self, dir: Id, name: &str, node: Node) {
        let id = self.nodes.len();
        self.nodes.push(node);
        self.put(dir, name, id);
    }

    /// Gives a name to what may have others. What had the name before is gone.
    pub fn put(&mut self, dir: Id, name: &str, id: Id) {
        if let Some(before) = self.entries_mut(dir).insert(name.to_owned(), id)
            && self.is_dir(before)
        {
            self.dead.push(before);
        }
    }

    pub fn take(&mut self, dir: Id, name: &str) -> Id {
        self.entries_mut(dir).remove(name).expect("a name that is there")
    }

    pub fn remove_dir(&mut self, dir: Id, name: &str) {
        let id = self.take(dir, name);
        self.dead.push(id);
    }

    // ---- The room's operations ------------------------------------------------------------------------------------

    /// Follows a name from `root`, and does not leave it.
    pub fn walk(&self, root: Id, name: &str, follow: bool) -> Result<Id, Miss> {
        self.walk_on(&mut vec![root], name, follow, &mut 0)
    }

    fn walk_on(&self, stack: &mut Vec<Id>, name: &str, follow: bool, links: &mut usize) -> Result<Id, Miss> {
        if name.is_empty() {
            return Err(Miss::NotFound(None));
        }
        if name.starts_with('/') {
            return Err(Miss::Outside);
        }
        let must_be_dir = name.ends_with('/');
        let parts: Vec<&str> = name.split('/').filter(|part| !part.is_empty()).collect();
        for (at, part) in parts.iter().enumerate() {
            let is_last = at + 1 == parts.len();
            let here = *stack.last().expect("a folder");
            match *part {
                "." => continue,
                ".." => {
                    if stack.len() == 1 {
                        return Err(Miss::Outside);
                    }
                    stack.pop();
                    continue;
                }
                _ => {}
            }
            let Some(found) = self.entries(here).get(*part).copied() else {
                return Err(Miss::NotFound((is_last && !must_be_dir).then(|| (here, (*part).to_owned()))));
            };
            let reached = match &self.nodes[found] {
                Node::Link(_) if is_last && !must_be_dir && !follow => return Ok(found),
                Node::Link(text) => {
                    *links += 1;
                    if *links > MAX_LINKS {
                        return Err(Miss::Other);
                    }
                    match self.walk_on(stack, text, true, links) {
                        Err(Miss::NotFound(_)) if !is_last || must_be_dir => return Err(Miss::NotFound(None)),
                        walked => walked?,
                    }
                }
                Node::Dir(_) => {
                    stack.push(found);
                    found
                }
                Node::File(_) => found,
            };
            if !self.is_dir(reached) {
                return if is_last && !must_be_dir { Ok(reached) } else { Err(Miss::Other) };
            }
        }
        Ok(*stack.last().expect("a folder"))
    }

    pub fn folder(&self, root: Id, name: &str) -> Result<Id, Miss> {
        let id = self.walk(root, plain(name), true)?;
        if self.is_dir(id) { Ok(id) } else { Err(Miss::Other) }
    }

    pub fn read(&self, root: Id, name: &str) -> Result<&[u8], Miss> {
        match &self.nodes[self.walk(root, plain(name), true)?] {
            Node::File(bytes) => Ok(bytes),
            Node::Dir(_) | Node::Link(_) => Err(Miss::Other),
        }
    }

    pub fn link_text(&self, root: Id, name: &str) -> Result<&str, Miss> {
        let (dir, base) = self.parent(root, plain(name))?;
        match base.and_then(|base| self.entries(dir).get(base)).map(|id| &self.nodes[*id]) {
            Some(Node::Link(text)) => Ok(text),
            _ => Err(Miss::Other),
        }
    }

    pub fn write(&mut self, root: Id, name: &str, bytes: &[u8]) -> Result<(), Miss> {
        let (dir, base) = self.destination(root, name)?;
        match self.entries(dir).get(&base) {
            Some(id) if self.is_dir(*id) => Err(Miss::Other),
            _ => {
                self.add(dir, &base, Node::File(bytes.to_vec()));
                Ok(())
            }
        }
    }

    pub fn create(&mut self, root: Id, name: &str, bytes: &[u8]) -> Result<(), Miss> {
        let (dir, base) = self.destination(root, name)?;
        if self.entries(dir).contains_key(&base) {
            return Err(Miss::Exists);
        }
        self.add(dir, &base, Node::File(bytes.to_vec()));
        Ok(())
    }

    pub fn remove(&mut self, root: Id, name: &str) -> Result<(), Miss> {
        let (dir, base) = self.parent(root, plain(name))?;
        let base = base.ok_or(Miss::Other)?.to_owned();
        match self.entries(dir).get(&base) {
            None => Err(Miss::NotFound(None)),
            Some(id) if self.is_dir(*id) => Err(Miss::Other),
            Some(_) => {
                self.take(dir, &base);
                Ok(())
            }
        }
    }

    pub fn create_folder(&mut self, root: Id, name: &str) -> Result<Id, Miss> {
        match self.make_all(root, plain(name)) {
            Ok(()) | Err(Miss::Exists) => self.folder(root, name),
            Err(miss) => Err(miss),
        }
    }

    /// A lock's file is created where it is missing, and what it holds stays.
    pub fn lock(&mut self, root: Id, name: &str) -> Result<(), Miss> {
        // With a slash behind it a name is no file's: the system refuses it without a look at where it leads.
        if name.ends_with('/') && matches!(self.parent(root, plain(name)), Ok((_, Some(_)))) {
            return Err(Miss::Other);
        }
        match self.walk(root, name, true) {
            Ok(id) if self.is_dir(id) => Err(Miss::Other),
            Ok(_) => Ok(()),
            Err(Miss::NotFound(Some((dir, base)))) if !self.dead.contains(&dir) => {
                self.add(dir, &base, Node::File(Vec::new()));
                Ok(())
            }
            Err(miss) => Err(miss),
        }
    }

    fn make_all(&mut self, root: Id, name: &str) -> Result<(), Miss> {
        if name.is_empty() {
            return Ok(());
        }
        let is_dir = |model: &Self| model.walk(root, name, true).is_ok_and(|id| model.is_dir(id));
        match self.make(root, name) {
            Err(Miss::NotFound(_)) => {}
            Err(_) if is_dir(self) => return Ok(()),
            made => return made,
        }
        let above = std::path::Path::new(name).parent().ok_or(Miss::Other)?.to_str().expect("text").to_owned();
        self.make_all(root, &above)?;
        match self.make(root, name) {
            Err(_) if is_dir(self) => Ok(()),
            made => made,
        }
    }

    fn make(&mut self, root: Id, name: &str) -> Result<(), Miss> {
        let (dir, base) = self.parent(root, plain(name))?;
        let base = base.ok_or(Miss::Exists)?.to_owned();
        if self.entries(dir).contains_key(&base) {
            return Err(Miss::Exists);
        }
        if self.dead.contains(&dir) {
            return Err(Miss::NotFound(None));
        }
        self.add(dir, &base, Node::Dir(BTreeMap::new()));
        Ok(())
    }

    /// The folder of a name, and its last part unless that stands for the folder itself.
    fn parent<'n>(&self, root: Id, name: &'n str) -> Result<(Id, Option<&'n str>), Miss> {
        let (above, base) = match name.rsplit_once('/') {
            Some(("", _)) => return Err(Miss::Outside),
            Some((above, base)) => (above, base),
            None => (".", name),
        };
        if base.is_empty() {
            return Err(Miss::NotFound(None));
        }
        let whole = matches!(base, "." | "..");
        let id = self.walk(root, if whole { name } else { above }, true)?;
        if !self.is_dir(id) {
            return Err(Miss::Other);
        }
        Ok((id, (!whole).then_some(base)))
    }

    /// Where a file is written.
    fn destination(&self, root: Id, name: &str) -> Result<(Id, String), Miss> {
        let name = plain(name);
        let (dir, base) = match name.rsplit_once('/') {
            Some((above, base)) => (self.folder(root, above)?, base),
            None => (root, name),
        };
        if matches!(base, "" | "." | "..") || self.dead.contains(&dir) {
            return Err(Miss::Other);
        }
        Ok((dir, base.to_owned()))
    }
}

fn plain(name: &str) -> &str {
    name.trim_end_matches('/')
}
