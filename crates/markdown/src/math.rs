//! Writes formulas in TeX as MathML, which browsers show without a script. What it does not know is shown as code.

use base::markup::push_text;

use super::Html;

/// Deepest nesting of groups.
const MAX_DEPTH: usize = 24;

/// How a formula is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    Inline,
    Block,
}

/// A formula as MathML, or as code if it uses a command that is not known.
pub fn formula(tex: &str, setting: Setting) -> Html {
    let tex = tex.trim();
    let mut reader = FormulaReader {
        rest: tex,
        markup: String::with_capacity(tex.len() * 12),
        depth: 0,
    };
    let mut source = String::with_capacity(tex.len());
    push_text(&mut source, tex);
    let markup = match reader.row(None) {
        Some(()) => {
            let display = match setting {
                Setting::Inline => "",
                Setting::Block => " display=\"block\"",
            };
            let row = reader.markup;
            format!(
                "<math{display}><semantics><mrow>{row}</mrow>\
                 <annotation encoding=\"application/x-tex\">{source}</annotation></semantics></math>"
            )
        }
        None => format!("<code class=\"formula\">{source}</code>"),
    };
    Html::trusted(match setting {
        Setting::Inline => markup,
        Setting::Block => format!(
            "<div class=\"formula\" tabindex=\"0\" role=\"group\" aria-label=\"Formula\">{markup}</div>\n"
        ),
    })
}

struct FormulaReader<'t> {
    rest: &'t str,
    markup: String,
    depth: usize,
}

impl<'t> FormulaReader<'t> {
    /// Writes terms up to `end`, or to the end of the formula.
    fn row(&mut self, end: Option<char>) -> Option<()> {
        loop {
            self.rest = self.rest.trim_start();
            match self.rest.chars().next() {
                None => return end.is_none().then_some(()),
                Some(c) if Some(c) == end => {
                    self.rest = &self.rest[c.len_utf8()..];
                    return Some(());
                }
                Some('}') => return None,
                Some(_) => self.scripted()?,
            }
        }
    }

    /// Writes a term with what is above and below it.
    fn scripted(&mut self) -> Option<()> {
        let start = self.markup.len();
        if !self.rest.starts_with(['^', '_']) {
            self.term()?;
        } else {
            self.markup.push_str("<mrow></mrow>");
        }
        let mut tag = "";
        for _ in 0..2 {
            self.rest = self.rest.trim_start();
            let (next, both) = match self.rest.chars().next() {
                Some('^') => ("msup", tag == "msub"),
                Some('_') => ("msub", tag == "msup"),
                _ => break,
            };
            if tag == next {
                return None;
            }
            // `x^2_1` is written with the index first.
            if both && tag == "msup" {
                return None;
            }
            self.rest = self.rest[1..].trim_start();
            self.term()?;
            tag = if both { "msubsup" } else { next };
        }
        if !tag.is_empty() {
            self.markup.insert_str(start, &format!("<{tag}>"));
            self.markup.push_str(&format!("</{tag}>"));
        }
        Some(())
    }

    /// Writes a group, a command, a number, a letter or a sign.
    fn term(&mut self) -> Option<()> {
        let c = self.rest.chars().next()?;
        match c {
            '{' => {
                self.rest = &self.rest[1..];
                self.group(Some('}'))
            }
            '\\' => self.command(),
            '0'..='9' => {
                let end = self.rest.find(|c: char| !c.is_ascii_digit() && c != '.');
                let (number, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
                self.rest = rest;
                self.leaf("mn", number)
            }
            c if c.is_alphabetic() => {
                let (letter, rest) = self.rest.split_at(c.len_utf8());
                self.rest = rest;
                self.leaf("mi", letter)
            }
            '&' | '#' | '%' | '~' | '}' | '$' | '^' | '_' => None,
            c => {
                let (sign, rest) = self.rest.split_at(c.len_utf8());
                self.rest = rest;
                self.leaf("mo", if sign == "-" { "−" } else { sign })
            }
        }
    }

    fn group(&mut self, end: Option<char>) -> Option<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        self.markup.push_str("<mrow>");
        self.row(end)?;
        self.markup.push_str("</mrow>");
        self.depth -= 1;
        Some(())
    }

    fn command(&mut self) -> Option<()> {
        let after = &self.rest[1..];
        let letters = after.find(|c: char| !c.is_ascii_alphabetic());
        let length = letters.unwrap_or(after.len());
        if length == 0 {
            return self.escaped(after);
        }
        let (name, rest) = after.split_at(length);
        self.rest = rest;
        match name {
            "frac" | "dfrac" | "tfrac" => {
                self.markup.push_str("<mfrac>");
                self.argument()?;
                self.argument()?;
                self.markup.push_str("</mfrac>");
            }
            "sqrt" if !self.rest.starts_with('[') => {
                self.markup.push_str("<msqrt>");
                self.argument()?;
                self.markup.push_str("</msqrt>");
            }
            "text" | "mathrm" | "operatorname" | "mathbf" | "mathit" | "mathsf" | "texttt"
            | "textbf" => {
                let body = self.rest.trim_start().strip_prefix('{')?;
                let (words, rest) = body.split_once('}')?;
                if words.contains(['{', '\\', '$']) {
                    return None;
                }
                self.rest = rest;
                return self.leaf("mtext", words);
            }
            "left" | "right" | "big" | "Big" | "bigl" | "bigr" | "displaystyle" | "limits" => {
                // Only the size differs. A dot stands for no bracket.
                if matches!(name, "left" | "right") {
                    self.rest = self
                        .rest
                        .trim_start()
                        .strip_prefix('.')
                        .unwrap_or(self.rest);
                }
            }
            "quad" | "qquad" => self.markup.push_str("<mspace width=\"1em\"></mspace>"),
            "sin" | "cos" | "tan" | "log" | "ln" | "exp" | "max" | "min" | "lim" | "Pr" | "det"
            | "gcd" | "deg" | "dim" | "inf" | "sup" | "arg" => return self.leaf("mi", name),
            name => {
                let at = SYMBOLS.binary_search_by_key(&name, |(name, _)| name).ok()?;
                let symbol = SYMBOLS[at].1;
                let is_letter = symbol.chars().all(char::is_alphabetic);
                return self.leaf(if is_letter { "mi" } else { "mo" }, symbol);
            }
        }
        Some(())
    }

    /// A command of one character: an escaped sign or a space.
    fn escaped(&mut self, after: &'t str) -> Option<()> {
        let c = after.chars().next()?;
        let (sign, rest) = after.split_at(c.len_utf8());
        self.rest = rest;
        match c {
            ',' | ';' | ':' | ' ' | '!' => Some(()),
            '{' | '}' | '%' | '$' | '#' | '&' | '_' | '|' => self.leaf("mo", sign),
            _ => None,
        }
    }

    fn argument(&mut self) -> Option<()> {
        self.rest = self.rest.trim_start();
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        self.term()?;
        self.depth -= 1;
        Some(())
    }

    fn leaf(&mut self, tag: &str, text: &str) -> Option<()> {
        self.markup.push_str(&format!("<{tag}>"));
        push_text(&mut self.markup, text);
        self.markup.push_str(&format!("</{tag}>"));
        Some(())
    }
}

/// Commands for one character, sorted.
const SYMBOLS: &[(&str, &str)] = &[
    ("Delta", "Δ"),
    ("Gamma", "Γ"),
    ("Lambda", "Λ"),
    ("Leftarrow", "⇐"),
    ("Leftrightarrow", "⇔"),
    ("Omega", "Ω"),
    ("Phi", "Φ"),
    ("Pi", "Π"),
    ("Psi", "Ψ"),
    ("Rightarrow", "⇒"),
    ("Sigma", "Σ"),
    ("Theta", "Θ"),
    ("alpha", "α"),
    ("approx", "≈"),
    ("ast", "∗"),
    ("beta", "β"),
    ("bullet", "•"),
    ("cap", "∩"),
    ("cdot", "⋅"),
    ("cdots", "⋯"),
    ("chi", "χ"),
    ("circ", "∘"),
    ("cup", "∪"),
    ("delta", "δ"),
    ("div", "÷"),
    ("dots", "…"),
    ("ell", "ℓ"),
    ("emptyset", "∅"),
    ("epsilon", "ϵ"),
    ("equiv", "≡"),
    ("eta", "η"),
    ("exists", "∃"),
    ("forall", "∀"),
    ("gamma", "γ"),
    ("ge", "≥"),
    ("geq", "≥"),
    ("gg", "≫"),
    ("in", "∈"),
    ("infty", "∞"),
    ("int", "∫"),
    ("kappa", "κ"),
    ("lambda", "λ"),
    ("land", "∧"),
    ("langle", "⟨"),
    ("lceil", "⌈"),
    ("ldots", "…"),
    ("le", "≤"),
    ("leftarrow", "←"),
    ("leq", "≤"),
    ("lfloor", "⌊"),
    ("ll", "≪"),
    ("lor", "∨"),
    ("mapsto", "↦"),
    ("mid", "∣"),
    ("mu", "μ"),
    ("nabla", "∇"),
    ("ne", "≠"),
    ("neg", "¬"),
    ("neq", "≠"),
    ("notin", "∉"),
    ("nu", "ν"),
    ("omega", "ω"),
    ("oplus", "⊕"),
    ("partial", "∂"),
    ("phi", "ϕ"),
    ("pi", "π"),
    ("pm", "±"),
    ("prod", "∏"),
    ("propto", "∝"),
    ("psi", "ψ"),
    ("rangle", "⟩"),
    ("rceil", "⌉"),
    ("rfloor", "⌋"),
    ("rho", "ρ"),
    ("rightarrow", "→"),
    ("setminus", "∖"),
    ("sigma", "σ"),
    ("sim", "∼"),
    ("subset", "⊂"),
    ("subseteq", "⊆"),
    ("sum", "∑"),
    ("tau", "τ"),
    ("theta", "θ"),
    ("times", "×"),
    ("to", "→"),
    ("varepsilon", "ε"),
    ("varphi", "φ"),
    ("xi", "ξ"),
    ("zeta", "ζ"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_mathml_and_what_is_unknown_is_code() {
        assert!(SYMBOLS.is_sorted());
        let inline = |tex: &str| formula(tex, Setting::Inline).into_string();
        assert!(
            inline("a_1^2 \\leq 3")
                .contains("<msubsup><mi>a</mi><mn>1</mn><mn>2</mn></msubsup><mo>≤</mo><mn>3</mn>"),
            "{}",
            inline("a_1^2 \\leq 3")
        );
        assert!(inline("\\frac{1}{n}\\text{ per day}").contains(
            "<mfrac><mrow><mn>1</mn></mrow><mrow><mi>n</mi></mrow></mfrac><mtext> per day</mtext>"
        ));
        for unknown in [
            "\\begin{x}",
            "\\foo",
            "{",
            "}",
            "x^2^3",
            "\\frac{1}",
            "a & b",
            "\\sqrt[3]{x}",
        ] {
            assert!(
                inline(unknown).starts_with("<code class=\"formula\">"),
                "{unknown}"
            );
        }
        assert_eq!(
            inline("<b>&\\x"),
            "<code class=\"formula\">&lt;b&gt;&amp;\\x</code>"
        );
    }

    #[test]
    fn deep_formulas_are_code() {
        let deep = "{".repeat(4000) + &"}".repeat(4000);
        assert!(formula(&deep, Setting::Block).as_str().contains("<code"));
        let fractions = "\\frac".repeat(4000);
        assert!(
            formula(&fractions, Setting::Block)
                .as_str()
                .contains("<code")
        );
    }
}
