//! `Chart.yaml`.

use smol_str::SmolStr;

use crate::data::Data;
use crate::format::read;
use crate::functions::version::meets;

/// The content of `Chart.yaml`.
#[derive(Debug, Clone)]
pub struct Metadata {
    pub name: SmolStr,
    pub version: SmolStr,
    pub app_version: SmolStr,
    pub kube_version: SmolStr,
    /// `application`, `library` or nothing.
    pub kind: SmolStr,
    pub is_v1: bool,
    pub dependencies: Vec<ListedChart>,
    /// Everything, with the names that the file uses.
    pub all: Data,
}

/// A subchart that `Chart.yaml` lists.
#[derive(Debug, Clone)]
pub struct ListedChart {
    pub name: SmolStr,
    pub version: SmolStr,
    pub repository: SmolStr,
    pub alias: SmolStr,
    /// Paths of values; the first that is a boolean decides.
    pub condition: SmolStr,
    pub tags: Vec<SmolStr>,
    pub imports: Vec<Import>,
    pub is_enabled: bool,
}

/// An entry of `import-values`.
#[derive(Debug, Clone)]
pub enum Import {
    /// `exports.NAME` of the subchart, put at the top.
    Export(SmolStr),
    Path {
        child: SmolStr,
        parent: SmolStr,
    },
}

fn text(data: &Data, key: &str) -> SmolStr {
    match data.get(key) {
        Some(Data::Text(text)) => text.clone(),
        Some(Data::Float(number)) => crate::engine::print::float(*number).into(),
        Some(Data::Bool(value)) => value.to_string().into(),
        _ => SmolStr::default(),
    }
}

fn items<'d>(data: &'d Data, key: &str) -> &'d [Data] {
    match data.get(key) {
        Some(Data::List(items)) => items,
        _ => &[],
    }
}

impl Metadata {
    /// Reads `Chart.yaml`, with the dependencies of `requirements.yaml`.
    pub fn read(chart: &str, requirements: Option<&str>) -> Result<Metadata, String> {
        let mut all =
            read::yaml(chart).map_err(|error| format!("cannot load Chart.yaml: {error}"))?;
        if let (Some(requirements), Data::Map(map)) = (requirements, &mut all) {
            let read = read::yaml(requirements)
                .map_err(|error| format!("cannot load requirements.yaml: {error}"))?;
            if let Some(listed) = read.get("dependencies") {
                map.insert("dependencies".into(), listed.clone());
            }
        }
        // Numbers are written as they are in the file: `appVersion: 1.10` is text to Helm.
        let all = with_plain_text(chart, all);
        let metadata = Metadata {
            name: text(&all, "name"),
            version: text(&all, "version"),
            app_version: text(&all, "appVersion"),
            kube_version: text(&all, "kubeVersion"),
            kind: text(&all, "type"),
            is_v1: matches!(text(&all, "apiVersion").as_str(), "" | "v1"),
            dependencies: items(&all, "dependencies")
                .iter()
                .map(ListedChart::read)
                .collect(),
            all,
        };
        metadata.check()?;
        Ok(metadata)
    }

    fn check(&self) -> Result<(), String> {
        let missing = |what: &str| Err(format!("validation: chart.metadata.{what} is required"));
        if self.name.is_empty() {
            return missing("name");
        }
        if self.version.is_empty() {
            return missing("version");
        }
        if meets(">=0.0.0-0", &self.version).is_none() {
            return Err(format!(
                "validation: chart.metadata.version {:?} is invalid",
                self.version
            ));
        }
        Ok(())
    }
}

/// Scalars at the top as they are written, where Helm wants text.
fn with_plain_text(source: &str, mut all: Data) -> Data {
    let parsed = yaml::parse(source, base::FileId(0));
    let Some(document) = parsed.documents.first() else {
        return all;
    };
    if let Data::Map(map) = &mut all {
        for key in ["name", "version", "appVersion", "kubeVersion", "type"] {
            let scalar = document.root.get(key).and_then(|node| node.as_scalar());
            let Some(scalar) = scalar else { continue };
            let value = match crate::data::resolve(&scalar.text) {
                // Go prints the number, not what was written.
                Some(Data::Float(number)) if scalar.style == yaml::Style::Plain => {
                    SmolStr::from(crate::engine::print::float_within(number, 21))
                }
                Some(Data::Null) if scalar.style == yaml::Style::Plain => continue,
                Some(Data::Bool(value)) if scalar.style == yaml::Style::Plain => {
                    value.to_string().into()
                }
                _ => scalar.text.clone(),
            };
            map.insert(key.into(), Data::Text(value));
        }
    }
    all
}

impl ListedChart {
    fn read(data: &Data) -> ListedChart {
        let tags = items(data, "tags").iter();
        let imports = items(data, "import-values").iter();
        ListedChart {
            name: text(data, "name"),
            version: text(data, "version"),
            repository: text(data, "repository"),
            alias: text(data, "alias"),
            condition: text(data, "condition"),
            tags: tags.filter_map(|tag| Some(tag.as_str()?.into())).collect(),
            imports: imports.filter_map(Import::read).collect(),
            is_enabled: true,
        }
    }
}

impl Import {
    fn read(data: &Data) -> Option<Import> {
        match data {
            Data::Text(name) => Some(Import::Export(name.clone())),
            Data::Map(_) => Some(Import::Path {
                child: data.get("child")?.as_str()?.into(),
                parent: data.get("parent")?.as_str()?.into(),
            }),
            _ => None,
        }
    }
}
