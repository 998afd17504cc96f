//! Words that name components and also mean something in any sentence: `Search` is a service, and what people do.

use std::sync::LazyLock;

use base::hash::HashSet;

/// Whether a word, in lower case, says little by itself.
pub fn is_plain_word(word: &str) -> bool {
    static PLAIN: LazyLock<HashSet<&str>> = LazyLock::new(|| WORDS.split_whitespace().collect());
    PLAIN.contains(word)
}

const WORDS: &str = "
    access admin agent agents ai alert alerting alerts analytics api apis app application applications apps
    assistant auth authentication automation backend backup backups base bootstrap bot build builder cache catalog
    catalogue cd chat ci client cluster clusters collector common components config configs configuration
    console control controller controllers core crd crds cron dashboard dashboards data database databases db
    default demo deployment dev dns docs documentation download edge email environment events exporter external
    files finance flux foundation global frontend gateway git health home homelab http identity images infra infrastructure ingress
    internal job jobs kubernetes lab landing load logging login logs mail main maintenance manager media metrics
    middleware migration mirror monitor monitoring music namespace namespaces network networking news newsletter
    node nodes notes notifications observability operator operators paper photos platform policies policy portal
    ports private prod production proxy public queue registry release releases reports repository resources
    root router routes rules runner runners scheduler search secret secrets security server service services shared
    shop site sites source sources stage staging status storage stream support sync system tasks template
    templates test testing tests time tools topology tracing traffic ui update updates upgrade users vault video volume
    volumes web webhook webhooks website wiki worker workers utility workload workloads world
";
