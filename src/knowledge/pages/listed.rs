//! Components that a README lists with what each is: rows of a table (`| [cart](src/cart) | Go | Stores the cart |`) and
//! items of a list (`- [cart](src/cart) - stores the cart`).

use std::collections::BTreeMap;

use super::description::first_sentence;
use crate::catalog::{Catalog, ComponentIx, DescribedBy, Description};
use crate::input::repo::Repo;
use base::hash::HashMap;
use base::{FileId, Place};

/// Rows and items of larger pages are a reference, not an overview.
const MAX_LINES: usize = 2_000;

/// What READMEs say in lists about components that they name. A name with two meanings is left out.
pub fn descriptions<'s>(
    repo: &Repo,
    catalog: &Catalog,
    sources: impl Iterator<Item = &'s (FileId, String)>,
) -> BTreeMap<ComponentIx, Description> {
    let ids = catalog.components.iter_enumerated();
    let ids: HashMap<&str, ComponentIx> = ids.map(|(at, one)| (one.id.0.as_str(), at)).collect();
    let mut found: BTreeMap<ComponentIx, Option<Description>> = BTreeMap::new();
    let readmes = sources.filter(|(file, _)| {
        let name = repo.path(*file).file_name().to_ascii_lowercase();
        name.starts_with("readme")
    });
    for (file, text) in readmes {
        for (number, line) in (1u32..).zip(text.lines().take(MAX_LINES)) {
            let Some((name, words)) = row(line).or_else(|| item(line)) else {
                continue;
            };
            let at = ids.get(name.to_lowercase().as_str());
            let Some((at, sentence)) = at.zip(first_sentence(&words)) else {
                continue;
            };
            let place = Place {
                line: number,
                ..Place::start_of(*file)
            };
            let description = Description {
                text: sentence,
                by: DescribedBy::Document,
                place,
            };
            let known = found
                .entry(*at)
                .or_insert_with(|| Some(description.clone()));
            if known
                .as_ref()
                .is_some_and(|one| one.text != description.text)
            {
                *known = None;
            }
        }
    }
    let certain = found.into_iter();
    certain.filter_map(|(at, one)| Some((at, one?))).collect()
}

/// The first and the last cell of a row.
fn row(line: &str) -> Option<(String, String)> {
    let cells = line
        .trim()
        .strip_prefix('|')?
        .trim_end()
        .strip_suffix('|')?;
    let mut cells = cells.split('|');
    let name = cells.next()?;
    Some((plain(name), plain(cells.next_back()?)))
}

/// An item that begins with a link, code or bold text, and goes on after a dash or colon.
fn item(line: &str) -> Option<(String, String)> {
    let text = line.trim_start();
    let text = text
        .strip_prefix("- ")
        .or_else(|| text.strip_prefix("* "))?;
    let marks = ["](", "`", "**"];
    if !text.starts_with(['[', '`', '*']) || !marks.iter().any(|mark| text.contains(mark)) {
        return None;
    }
    let plain = plain(text);
    let (name, words) = [" - ", " – ", " — ", ": "]
        .iter()
        .filter_map(|dash| plain.split_once(dash))
        .min_by_key(|(name, _)| name.len())?;
    Some((name.trim().to_owned(), words.trim().to_owned()))
}

/// Text without the marks of links, code and emphasis.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.trim();
    while let Some((before, after)) = rest.split_once("](") {
        let Some((_, behind)) = after.split_once(')') else {
            break;
        };
        plain.push_str(before);
        rest = behind;
    }
    plain.push_str(rest);
    plain.retain(|c| !matches!(c, '[' | '`' | '*'));
    plain.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_items_name_a_component_and_say_what_it_is() {
        let found = |line: &str| row(line).or_else(|| item(line));
        let pair = |name: &str, words: &str| Some((name.to_owned(), words.to_owned()));
        assert_eq!(
            found("| [cart](/src/cart)  | C# | Stores the items of a cart. |"),
            pair("cart", "Stores the items of a cart.")
        );
        assert_eq!(
            found("* [`cart`](src/cart) - stores [items](x)"),
            pair("cart", "stores items")
        );
        assert_eq!(
            found("- **cart**: stores items"),
            pair("cart", "stores items")
        );
        assert_eq!(found("- run the cart: with care"), None);
        assert_eq!(found("The cart | stores items"), None);
    }
}
