//! Settings that several components of an environment have from one line, such as a value that a shared patch sets.

use std::collections::BTreeMap;

use crate::catalog::{Catalog, ComponentIx, Setting};
use base::Place;

/// Settings of fewer components are listed with each of them.
const FEWEST: usize = 4;

/// A setting that components have from one line, with the same values wherever they run.
pub struct CommonSetting<'a> {
    pub setting: &'a Setting,
    /// In order.
    pub components: Vec<ComponentIx>,
    /// Each environment that has one of them, with the value there.
    pub values: BTreeMap<&'a str, Option<&'a str>>,
}

/// Settings that differ between environments, by name and by the line that sets them in one of these.
pub struct CommonSettings<'a>(BTreeMap<(&'a str, Place), CommonSetting<'a>>);

impl<'a> CommonSettings<'a> {
    pub fn new(
        catalog: &'a Catalog,
        environment: &str,
        components: &[ComponentIx],
    ) -> CommonSettings<'a> {
        let names = |at: ComponentIx| {
            let environments = catalog.components[at].environments.iter();
            environments.map(|one| one.name.as_str())
        };
        let mut having: BTreeMap<(&str, Place), Vec<(ComponentIx, &'a Setting)>> = BTreeMap::new();
        for at in components {
            let own: Vec<&str> = names(*at).collect();
            for setting in &catalog.components[*at].settings {
                if let Some(key) = key(setting, environment)
                    && setting.differs(&own)
                {
                    having.entry(key).or_default().push((*at, setting));
                }
            }
        }
        having.retain(|_, having| having.len() >= FEWEST);
        let common = having.into_iter().filter_map(|(key, having)| {
            let mut counts: BTreeMap<&str, BTreeMap<Option<&str>, usize>> = BTreeMap::new();
            for (at, setting) in &having {
                for name in names(*at) {
                    let of_name = counts.entry(name).or_default();
                    *of_name.entry(setting.text(name)).or_default() += 1;
                }
            }
            // Components that override it somewhere list it themselves.
            let usual = counts.into_iter().filter_map(|(name, values)| {
                let (value, _) = values.into_iter().max_by_key(|(_, count)| *count)?;
                Some((name, value))
            });
            let values: BTreeMap<&str, Option<&str>> = usual.collect();
            let agreeing = having.iter().filter(|(at, setting)| {
                names(*at).all(|name| values.get(name) == Some(&setting.text(name)))
            });
            let agreeing: Vec<(ComponentIx, &Setting)> = agreeing.copied().collect();
            (agreeing.len() >= FEWEST).then(|| {
                let common = CommonSetting {
                    setting: agreeing[0].1,
                    components: agreeing.iter().map(|(at, _)| *at).collect(),
                    values,
                };
                (key, common)
            })
        });
        CommonSettings(common.collect())
    }

    /// Those of most components first.
    pub fn iter(&self) -> impl Iterator<Item = &CommonSetting<'a>> {
        let mut all: Vec<&CommonSetting<'a>> = self.0.values().collect();
        all.sort_by_key(|one| std::cmp::Reverse(one.components.len()));
        all.into_iter()
    }

    /// Whether a setting of a component is one of them.
    pub fn has(&self, component: ComponentIx, setting: &Setting, environment: &str) -> bool {
        let common = key(setting, environment).and_then(|key| self.0.get(&key));
        common.is_some_and(|common| common.components.binary_search(&component).is_ok())
    }
}

fn key<'s>(setting: &'s Setting, environment: &str) -> Option<(&'s str, Place)> {
    let own = setting.values.get(environment)?;
    Some((setting.name.as_str(), own.place))
}
