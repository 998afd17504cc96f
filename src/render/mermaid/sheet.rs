//! The stylesheet that the engine puts into a drawing, read as far as it is needed to say what applies to an element:
//! tags, classes, ids and attributes, below or directly below one another. A selector with more to it is left out.

use std::collections::BTreeMap;

use roxmltree::Node;

/// A stylesheet, ready to be asked.
#[derive(Default)]
pub struct Sheet<'a> {
    rules: Vec<Rule<'a>>,
    /// The rules by a class or the tag that the element itself must have, and those that ask for neither.
    by_class: BTreeMap<&'a str, Vec<usize>>,
    by_tag: BTreeMap<&'a str, Vec<usize>>,
    by_else: Vec<usize>,
}

/// One selector with its declarations.
struct Rule<'a> {
    /// From the element outwards.
    steps: Vec<Step<'a>>,
    weight: Weight,
    declarations: &'a str,
}

/// How a rule stands against others: ids, classes and tags, then the order.
pub type Weight = (u32, u32, u32, usize);

struct Step<'a> {
    /// Whether the next step must be the parent, or may be any ancestor.
    outwards: Outwards,
    tag: Option<&'a str>,
    classes: Vec<&'a str>,
    id: Option<&'a str>,
    attributes: Vec<(&'a str, Test<'a>)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outwards {
    Parent,
    Ancestor,
}

enum Test<'a> {
    Has,
    Is(&'a str),
    Begins(&'a str),
    Ends(&'a str),
    Holds(&'a str),
}

/// `name: value`, and whether it is important.
pub struct Declaration<'a> {
    pub name: &'a str,
    pub value: &'a str,
    pub important: bool,
}

impl<'a> Sheet<'a> {
    pub fn add(&mut self, css: &'a str) {
        let mut rest = css;
        while let Some(open) = rest.find('{') {
            let (prelude, body) = (&rest[..open], &rest[open + 1..]);
            let end = closing(body);
            // Animations and conditions do not concern a picture.
            if !prelude.trim_start().starts_with('@') {
                for selector in prelude.split(',') {
                    self.add_rule(selector.trim(), &body[..end]);
                }
            }
            rest = body.get(end + 1..).unwrap_or_default();
        }
    }

    fn add_rule(&mut self, selector: &'a str, declarations: &'a str) {
        let Some(steps) = steps(selector) else {
            return;
        };
        let Some(element) = steps.first() else {
            return;
        };
        let at = self.rules.len();
        let list = match (element.classes.first(), element.tag) {
            (Some(class), _) => self.by_class.entry(class).or_default(),
            (None, Some(tag)) => self.by_tag.entry(tag).or_default(),
            (None, None) => &mut self.by_else,
        };
        list.push(at);
        let mut weight = (0, 0, 0, at);
        for step in &steps {
            weight.0 += u32::from(step.id.is_some());
            weight.1 += (step.classes.len() + step.attributes.len()) as u32;
            weight.2 += u32::from(step.tag.is_some());
        }
        self.rules.push(Rule {
            steps,
            weight,
            declarations,
        });
    }

    /// What is declared for `node`, each with its weight, in no particular order.
    pub fn declared(&self, node: Node<'a, 'a>) -> impl Iterator<Item = (Weight, Declaration<'a>)> {
        let classes = node.attribute("class").unwrap_or_default();
        let lists = classes
            .split_ascii_whitespace()
            .filter_map(|class| self.by_class.get(class))
            .chain(self.by_tag.get(node.tag_name().name()))
            .chain([&self.by_else]);
        lists
            .flatten()
            .map(|at| &self.rules[*at])
            .filter(move |rule| fits(&rule.steps, node))
            .flat_map(|rule| declarations(rule.declarations).map(|each| (rule.weight, each)))
    }
}

/// The declarations of a rule or of a `style` attribute.
pub fn declarations(text: &str) -> impl Iterator<Item = Declaration<'_>> {
    text.split(';').filter_map(|declaration| {
        let (name, value) = declaration.split_once(':')?;
        let value = value.trim();
        let bare = value.strip_suffix("important").map(str::trim_end);
        let bare = bare.and_then(|value| value.strip_suffix('!'));
        Some(Declaration {
            name: name.trim(),
            value: bare.unwrap_or(value).trim(),
            important: bare.is_some(),
        })
    })
}

/// Where the block that `body` begins in ends.
fn closing(body: &str) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in body.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 0 => return at,
            b'}' => depth -= 1,
            _ => {}
        }
    }
    body.len()
}

fn fits(steps: &[Step], node: Node) -> bool {
    let Some((first, outer)) = steps.split_first() else {
        return true;
    };
    if !first.fits(node) {
        return false;
    }
    let Some(_) = outer.first() else {
        return true;
    };
    match first.outwards {
        Outwards::Parent => node.parent().is_some_and(|parent| fits(outer, parent)),
        Outwards::Ancestor => node
            .ancestors()
            .skip(1)
            .any(|ancestor| fits(outer, ancestor)),
    }
}

impl Step<'_> {
    fn fits(&self, node: Node) -> bool {
        if !node.is_element() || self.tag.is_some_and(|tag| tag != node.tag_name().name()) {
            return false;
        }
        if self.id.is_some_and(|id| node.attribute("id") != Some(id)) {
            return false;
        }
        let own = node.attribute("class").unwrap_or_default();
        let has = |class: &&str| own.split_ascii_whitespace().any(|own| own == *class);
        self.classes.iter().all(has)
            && self.attributes.iter().all(|(name, test)| {
                node.attribute(*name).is_some_and(|value| match test {
                    Test::Has => true,
                    Test::Is(wanted) => value == *wanted,
                    Test::Begins(start) => value.starts_with(start),
                    Test::Ends(end) => value.ends_with(end),
                    Test::Holds(part) => value.contains(part),
                })
            })
    }
}

/// A selector from the element outwards.
fn steps(selector: &str) -> Option<Vec<Step<'_>>> {
    let mut steps: Vec<Step> = Vec::new();
    let mut rest = selector;
    let mut outwards = Outwards::Ancestor;
    loop {
        let before = rest.len();
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix('>') {
            outwards = Outwards::Parent;
            rest = after;
            continue;
        }
        if rest.is_empty() {
            break;
        }
        // Two steps without anything between them are none that we know.
        if !steps.is_empty() && before == rest.len() && outwards == Outwards::Ancestor {
            return None;
        }
        let (step, after) = step(rest, outwards)?;
        steps.push(step);
        rest = after;
        outwards = Outwards::Ancestor;
    }
    // More levels than the engine writes would only cost time.
    if steps.len() > 8 {
        return None;
    }
    steps.reverse();
    Some(steps)
}

fn step(selector: &str, outwards: Outwards) -> Option<(Step<'_>, &str)> {
    let mut step = Step {
        outwards,
        tag: None,
        classes: Vec::new(),
        id: None,
        attributes: Vec::new(),
    };
    let name = |text: &'_ str| {
        let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_')));
        end.unwrap_or(text.len())
    };
    let mut rest = selector;
    if let Some(after) = rest.strip_prefix('*') {
        rest = after;
    } else if name(rest) > 0 {
        step.tag = Some(&rest[..name(rest)]);
        rest = &rest[name(rest)..];
    }
    loop {
        let mut characters = rest.chars();
        let kind = characters.next();
        let after = characters.as_str();
        match kind {
            None | Some(' ' | '\n' | '\t' | '\r' | '>') => break,
            Some('.') if name(after) > 0 => {
                step.classes.push(&after[..name(after)]);
                rest = &after[name(after)..];
            }
            Some('#') if name(after) > 0 => {
                step.id = Some(&after[..name(after)]);
                rest = &after[name(after)..];
            }
            Some('[') => {
                let (inner, outer) = after.split_once(']')?;
                step.attributes.push(attribute(inner)?);
                rest = outer;
            }
            _ => return None,
        }
    }
    // A step of its own that asks for nothing begins with a sign we do not know.
    (rest.len() < selector.len()).then_some((step, rest))
}

fn attribute(inner: &str) -> Option<(&str, Test<'_>)> {
    let Some((name, value)) = inner.split_once('=') else {
        return Some((inner.trim(), Test::Has));
    };
    let value = value.trim().trim_matches(['"', '\'']);
    let name = name.trim();
    Some(match name.as_bytes().last()? {
        b'^' => (&name[..name.len() - 1], Test::Begins(value)),
        b'$' => (&name[..name.len() - 1], Test::Ends(value)),
        b'*' => (&name[..name.len() - 1], Test::Holds(value)),
        b'~' | b'|' => return None,
        _ => (name, Test::Is(value)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value<'a>(sheet: &Sheet<'a>, node: Node<'a, 'a>, name: &str) -> Option<&'a str> {
        let found = sheet.declared(node).filter(|(_, each)| each.name == name);
        found
            .max_by_key(|(weight, each)| (each.important, *weight))
            .map(|(_, each)| each.value)
    }

    fn shape<'a>(document: &'a roxmltree::Document<'a>) -> Node<'a, 'a> {
        document
            .descendants()
            .find(|node| node.has_tag_name("rect"))
            .unwrap()
    }

    const MARKUP: &str = r#"<svg id="m"><g class="node bad" data-look="classic"><rect class="box" id="m-a"/></g></svg>"#;

    #[test]
    fn the_more_specific_rule_wins_and_the_later_of_two_alike() {
        let document = roxmltree::Document::parse(MARKUP).unwrap();
        let mut sheet = Sheet::default();
        sheet.add("#m .node rect{fill:a;stroke:c}#m rect{fill:b}#m .node .box{stroke:d}#m .bad .box{stroke:e}");
        assert_eq!(value(&sheet, shape(&document), "fill"), Some("a"));
        assert_eq!(value(&sheet, shape(&document), "stroke"), Some("e"));
    }

    #[test]
    fn an_important_declaration_wins_over_all() {
        let document = roxmltree::Document::parse(MARKUP).unwrap();
        let mut sheet = Sheet::default();
        sheet.add(".bad rect{fill:a!important}#m .node.bad rect.box{fill:b}");
        assert_eq!(value(&sheet, shape(&document), "fill"), Some("a"));
    }

    #[test]
    fn children_and_attributes_are_understood_and_what_is_not_is_left_out() {
        let document = roxmltree::Document::parse(MARKUP).unwrap();
        let rect = shape(&document);
        for (css, applies) in [
            ("g>rect{fill:x}", true),
            ("svg > rect{fill:x}", false),
            ("[data-look=\"classic\"] rect{fill:x}", true),
            ("[data-look=\"neo\"].node rect{fill:x}", false),
            ("[id$=\"-a\"]{fill:x}", true),
            ("rect:hover{fill:x}", false),
            ("a,rect{fill:x}", true),
            ("*{fill:x}", true),
            ("@media all{rect{fill:x}}", false),
            ("@keyframes k{to{x:y}}rect{fill:x}", true),
            ("rect+rect{fill:x}", false),
            (".a.b..c{fill:x}", false),
            ("{fill:x}", false),
            ("rect{fill:x", true),
            ("}rect{fill:x}", false),
        ] {
            let mut sheet = Sheet::default();
            sheet.add(css);
            assert_eq!(value(&sheet, rect, "fill").is_some(), applies, "{css}");
        }
    }
}
