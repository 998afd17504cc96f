//! Phrases with a blank, and words that describe the code behind them.

use super::form::{CLAIMS, TURNS};
use super::{FileFact, Mode, SentenceParser, SentenceToken};

impl SentenceParser<'_, '_> {
    /// Phrases with a blank: "as a ConfigMap", "named `x`", "tolerates the y taint". Returns how many tokens it takes.
    pub(super) fn special(&mut self) -> Option<usize> {
        use SentenceToken::{Code, Name, Open, Word};
        let text = |token: &SentenceToken<'_>| match token {
            Word(word) => word.clone(),
            _ => String::new(),
        };
        let lead: Vec<String> = self.tokens.iter().take(4).map(text).collect();
        let lead: Vec<&str> = lead.iter().map(String::as_str).collect();
        let fact = match (lead.as_slice(), self.tokens) {
            (["as", "a" | "an", ..], [_, _, Name(kind), ..]) => {
                (FileFact::OfKind((*kind).to_owned()), 3)
            }
            (["named" | "name", ..], [_, Code(name), ..]) if self.mode == Mode::Has => {
                (FileFact::Has(format!("name: {name}")), 2)
            }
            (["type", ..], [_, Code(name), ..]) if self.mode == Mode::Has => {
                (FileFact::Has(format!("type: {name}")), 2)
            }
            (["tolerates", "the", taint, "taint"], _) => {
                (FileFact::Tolerates((*taint).to_owned()), 4)
            }
            (["maps", "port", port, target], _) if is_number(port) && is_number(target) => {
                (FileFact::Ports((*port).to_owned(), (*target).to_owned()), 4)
            }
            (["instantiates", "the", module, "module"], [_, _, _, _, Word(times), ..]) => {
                let count = match times.as_str() {
                    "once" => 1,
                    "twice" => 2,
                    _ => return None,
                };
                let module = (*module).to_owned();
                self.mode = Mode::Has;
                // The code in brackets says what they are called.
                if let [_, _, _, _, _, Open, Code(one), Word(and), Code(other), ..] = self.tokens
                    && and == "and"
                {
                    let named =
                        [one, other].map(|name| FileFact::Has(format!("module \"{name}\"")));
                    self.facts.extend(named);
                    self.facts.push(FileFact::Instances { module, count });
                    return Some(9);
                }
                (FileFact::Instances { module, count }, 5)
            }
            (["wires", "the", module, "module"], rest) if rest.len() == 4 => {
                let module = (*module).to_owned();
                (FileFact::Instances { module, count: 1 }, 4)
            }
            (["liveness/readiness", "probes", "on", ..], [_, _, _, Code(code), ..]) => {
                let (path, port) = code.rsplit_once(':')?;
                let (path, port) = (path.to_owned(), port.to_owned());
                (FileFact::Probes { path, port }, 4)
            }
            (["all", "values", "from", "section"], [_, _, _, _, Word(number), ..]) => {
                (FileFact::Planned(number.clone()), 5)
            }
            // The code in brackets says how.
            (["schedules", "on", ..], [_, _, rest @ ..]) => {
                let words = rest.iter().take_while(|token| matches!(token, Word(_)));
                let length = words.count();
                let is_said = matches!(rest.get(length..), Some([Open, Code(_), ..]));
                if !is_said || length == 0 || length > MOST_DESCRIBING {
                    return None;
                }
                self.mode = Mode::Has;
                return Some(2 + length);
            }
            _ => return None,
        };
        self.facts.push(fact.0);
        Some(fact.1)
    }

    /// Words that say what the code behind them is: "a second public IP resource (`x`)".
    pub(super) fn description(&self) -> Option<usize> {
        if self.mode != Mode::Has {
            return None;
        }
        let words = self.tokens.iter().take_while(|token| match token {
            SentenceToken::Word(word) => {
                !TURNS.contains(&word.as_str()) && !CLAIMS.contains(&word.as_str())
            }
            SentenceToken::Name(_) => true,
            _ => false,
        });
        let length = words.count();
        let is_code = |at: usize| matches!(self.tokens.get(at), Some(SentenceToken::Code(_)));
        let is_open = matches!(self.tokens.get(length), Some(SentenceToken::Open));
        let is_described = is_code(length) || is_open && is_code(length + 1);
        (length > 0 && length <= MOST_DESCRIBING && is_described).then_some(length)
    }
}

/// Words in a row that can describe code.
const MOST_DESCRIBING: usize = 6;

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
