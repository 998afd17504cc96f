#!/usr/bin/env python3
"""Compares what `catalog` says about components of public repositories with what their maintainers would say.

    tests/facts/measure.py REPOSITORIES [--catalog PROGRAM] [--details] [NAME…]

REPOSITORIES holds a checkout per description beside this file (`OWNER+NAME`), each at the commit that the description
names. Checkouts that are missing are skipped. Prints right, wrong, missing and noise per kind of fact; `--details` lists
everything that is not right. Needs Python 3.11. README.md explains the descriptions.
"""
import argparse
import json
import re
import subprocess
import sys
import tomllib
from collections import Counter, defaultdict
from pathlib import Path

EDGES = ("runs", "deploys", "exposes")
OUTCOMES = ("right", "wrong", "missing", "noise")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("--catalog", default="catalog", help="the program to measure")
    parser.add_argument("--details", action="store_true", help="list everything that is not right")
    parser.add_argument("--charts", action="store_true", help="also expect the facts that only rendered charts determine")
    parser.add_argument("names", nargs="*", help="only these descriptions")
    arguments = parser.parse_args()
    here = Path(__file__).resolve().parent
    total = Tally()
    measured = 0
    for path in sorted(here.glob("*.toml")):
        if arguments.names and path.stem not in arguments.names:
            continue
        checkout = arguments.repositories / path.stem
        if not checkout.is_dir():
            print(f"{path.stem}: no checkout, skipped", file=sys.stderr)
            continue
        expected = tomllib.loads(path.read_text(encoding="utf-8"))
        warn_about_commit(checkout, expected)
        document = export(arguments.catalog, checkout)
        tally = Tally()
        Repository(expected, document, tally, arguments.charts).measure()
        measured += 1
        print(f"{path.stem}: {tally.summary()}")
        if arguments.details:
            for line in tally.lines:
                print(f"  {line}")
        total.add(tally)
    if not measured:
        sys.exit("no repository was measured")
    print(total.table())


def export(program, checkout):
    command = [program, "export", "--format", "json", "--repo", str(checkout), "--quiet"]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def warn_about_commit(checkout, expected):
    command = ["git", "-C", str(checkout), "rev-parse", "HEAD"]
    head = subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout.strip()
    if head and head != expected["commit"]:
        print(f"{expected['repository']}: checked out at {head[:12]}, described at {expected['commit'][:12]}", file=sys.stderr)


class Tally:
    """Counts outcomes by kind of fact."""

    def __init__(self):
        self.counts = defaultdict(Counter)
        self.lines = []

    def count(self, kind, outcome, line=None):
        self.counts[kind][outcome] += 1
        if outcome != "right":
            self.lines.append(f"{outcome:7} {kind:12} {line}")

    def add(self, other):
        for kind, counts in other.counts.items():
            self.counts[kind].update(counts)

    def sums(self):
        return sum(self.counts.values(), Counter())

    def summary(self):
        sums = self.sums()
        return ", ".join(f"{sums[outcome]} {outcome}" for outcome in OUTCOMES)

    def table(self):
        rows = [("fact", *OUTCOMES)]
        rows += [(kind, *(str(counts[one]) for one in OUTCOMES)) for kind, counts in sorted(self.counts.items())]
        sums = self.sums()
        rows.append(("all", *(str(sums[one]) for one in OUTCOMES)))
        everything = sum(sums[one] for one in OUTCOMES) or 1
        rows.append(("share", *(f"{100 * sums[one] / everything:.1f} %" for one in OUTCOMES)))
        return "\n".join(f"{row[0]:14}" + "".join(f"{cell:>9}" for cell in row[1:]) for row in rows)


class Repository:
    def __init__(self, expected, document, tally, with_charts):
        self.expected = expected
        self.document = document
        self.tally = tally
        self.with_charts = with_charts
        self.by_name = {}
        for component in document["components"]:
            self.by_name.setdefault(slug(component["title"]), component)
        for component in document["components"]:
            self.by_name[component["id"]] = component
        # Other names of described components also count where an edge names them.
        for described in expected.get("component", []):
            found = self.find(described)
            for name in [described["id"], *described.get("also", [])]:
                if found:
                    self.by_name.setdefault(name, found)

    def measure(self):
        for kind in ("clusters", "programs"):
            if kind in self.expected:
                stated = [one["name"] for one in self.document.get(kind, [])]
                accept = self.expected.get(f"also_{kind}", [])
                self.compare_sets(kind, "", self.expected[kind], stated, accept, extra="wrong", is_same=same_name)
        for described in self.expected.get("component", []):
            self.measure_component(described)
        self.measure_findings()

    def find(self, described):
        for name in [described["id"], *described.get("also", [])]:
            if name in self.by_name:
                return self.by_name[name]
        return None

    def measure_component(self, described):
        found = self.find(described)
        name = described["id"]
        expected = dict(described)
        if self.with_charts:
            for key, value in described.get("chart", {}).items():
                more = isinstance(value, list) and isinstance(expected.get(key), list)
                expected[key] = expected[key] + value if more else value
        accept = described.get("accept", {})
        if found is None:
            self.tally.count("component", "missing", name)
            found = {"environments": [], "upstream": [], "downstream": []}
        else:
            self.tally.count("component", "right")
        for key, look in LOOKS.items():
            if key in expected:
                look(self, name, expected[key], found, accept.get(key, []))
        self.measure_edges(name, expected, found, accept)

    def compare_one(self, kind, name, expected, stated):
        if not expected:
            self.tally.count(kind, "noise" if stated else "right", f"{name}: {stated}")
        elif not stated:
            self.tally.count(kind, "missing", f"{name}: {expected}")
        else:
            outcome = "right" if str(stated) == str(expected) else "wrong"
            self.tally.count(kind, outcome, f"{name}: {stated}, expected {expected}")

    def compare_sets(self, kind, name, expected, stated, accept=(), extra="noise", is_same=None):
        is_same = is_same or (lambda one, other: one == other)
        left = list(stated)
        if not expected and not stated:
            self.tally.count(kind, "right")
        for one in expected:
            match = next((other for other in left if any(is_same(part, other) for part in str(one).split("|"))), None)
            if match is None:
                self.tally.count(kind, "missing", f"{name}: {one}")
            else:
                left.remove(match)
                self.tally.count(kind, "right")
        for other in left:
            accepted = (part for one in accept for part in str(one).split("|"))
            if not any(is_same(part, other) for part in accepted):
                self.tally.count(kind, extra, f"{name}: {other}")

    def environments(self, name, expected, found, accept):
        stated = [one["name"] for one in found["environments"]]
        # An environment may have several clusters: `aat` is also `aat-00` and `aat-01`.
        known = {slug(part) for one in expected for part in str(one).split("|")}
        of_one = lambda other: next((one for one in expected if slug(other).startswith(slug(one) + "-")), other)
        merged = {other if slug(other) in known else of_one(other) for other in stated}
        self.compare_sets("environments", name, expected, sorted(merged), accept, extra="wrong", is_same=same_name)

    def namespace(self, name, expected, found, _):
        self.compare_one("namespace", name, expected, found.get("namespace"))

    def purpose(self, name, expected, found, _):
        stated = found.get("description") or ""
        if not stated:
            self.tally.count("purpose", "missing", f"{name}: {expected}")
        else:
            outcome = "right" if any(word in stated.lower() for word in expected) else "wrong"
            self.tally.count("purpose", outcome, f"{name}: {stated!r}, expected one of {expected}")

    def version(self, name, expected, found, _):
        stated = {one["name"]: one.get("version") for one in found["environments"]}
        if not isinstance(expected, dict):
            expected = {environment: expected for environment in stated} or {"": expected}
        for environment, version in expected.items():
            near = (one for one in stated if slug(one) == slug(environment) or slug(one).startswith(slug(environment) + "-"))
            own = stated.get(next(near, None))
            self.compare_one("version", f"{name} in {environment}", plain_version(version), plain_version(own))

    def images(self, name, expected, found, accept):
        stated = {without_digest(image) for image in found.get("images", [])}
        self.compare_sets("images", name, expected, sorted(stated), accept, is_same=same_image)

    def addresses(self, name, expected, found, accept):
        stated = {host(url) for url in found.get("urls", [])}
        self.compare_sets("addresses", name, [host(one) for one in expected], sorted(stated), [host(one) for one in accept])

    def owner(self, name, expected, found, accept):
        owner = found.get("owner")
        accepted = [accept] if isinstance(accept, str) else accept
        names = [part for one in [expected, *accepted] for part in str(one).split("|")]
        known = [part for part in names if owner and slug(part) == slug(owner)]
        self.compare_one("owner", name, known[0] if known else expected, known[0] if known else owner)

    def storage(self, name, expected, found, accept):
        stated = [volume_words(volume) for volume in found.get("volumes", [])]
        self.compare_sets("storage", name, expected, stated, accept, is_same=same_volume)

    def ports(self, name, expected, found, accept):
        stated = {number for port in found.get("ports", []) for number in re.findall(r"\d{2,5}", port)[-1:]}
        self.compare_sets("ports", name, [str(one) for one in expected], sorted(stated), [str(one) for one in accept])

    def used_by(self, name, expected, found, accept):
        callers = [edge for edge in found["downstream"] if edge.get("kind", "runs") == "runs"]
        if found["downstream"] and "kind" not in found["downstream"][0]:
            callers = [edge for edge in callers if edge["reason"] in ("calls its service", "uses its Secret")]
        stated = sorted({edge["id"] for edge in callers})
        self.compare_sets("used by", name, expected, stated, accept, is_same=self.is_component)

    def measure_edges(self, name, expected, found, accept):
        judged = [kind for kind in EDGES if kind in expected]
        if not judged:
            return
        stated = {(edge["id"], edge.get("kind")) for edge in found["upstream"]}
        allowed = [part for kind in EDGES for one in [*expected.get(kind, []), *accept.get(kind, [])] for part in str(one).split("|")]
        for kind in judged:
            for one in expected[kind]:
                ends = [edge for edge in stated if any(self.is_component(part, edge[0]) for part in one.split("|"))]
                if not ends:
                    self.tally.count(kind, "missing", f"{name} -> {one}")
                else:
                    # What is also true is no mistake, but does not stand for what is expected.
                    is_accepted = any(self.is_component(part, edge[0]) for edge in ends for other in accept.get(edge[1], []) for part in other.split("|"))
                    otherwise = "missing" if is_accepted else "wrong"
                    outcome = "right" if any(edge[1] in (kind, None) for edge in ends) else otherwise
                    self.tally.count(kind, outcome, f"{name} -> {one} as {sorted(map(str, (edge[1] for edge in ends)))}")
        for target in sorted({edge[0] for edge in stated if edge[1] in judged or edge[1] is None}):
            if not any(self.is_component(part, target) for part in allowed):
                kinds = sorted({str(edge[1]) for edge in stated if edge[0] == target})
                self.tally.count("edges", "noise", f"{name} -> {target} ({', '.join(kinds)})")

    def is_component(self, name, component_id):
        found = self.by_name.get(name) or self.by_name.get(slug(name))
        return name == component_id or bool(found) and found["id"] == component_id

    def measure_findings(self):
        """Findings of ours that were judged: true ones are right, false ones wrong; true ones that we lack are missing."""
        ours = [one for one in self.document["findings"] if one["severity"] in ("error", "warning")]
        for judged in self.expected.get("finding", []):
            same = [one for one in ours if one["rule"] == judged["rule"] and one["file"] == judged["file"]]
            near = [one for one in same if "line" not in judged or abs(one["line"] - judged["line"]) <= 3]
            where = f"{judged['rule']} {judged['file']}:{judged.get('line', '')}"
            if judged.get("false"):
                if near:
                    self.tally.count("findings", "wrong", f"{where} {judged.get('why', '')}")
            else:
                self.tally.count("findings", "right" if near else "missing", where)


LOOKS = {
    "environments": Repository.environments,
    "namespace": Repository.namespace,
    "purpose": Repository.purpose,
    "version": Repository.version,
    "images": Repository.images,
    "addresses": Repository.addresses,
    "owner": Repository.owner,
    "storage": Repository.storage,
    "ports": Repository.ports,
    "used_by": Repository.used_by,
}


def same_name(one, other):
    return slug(one) == slug(other)


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", str(text).lower()).strip("-")


def plain_version(version):
    return re.sub(r"^v(?=\d)", "", without_digest(str(version))) if version else None


def without_digest(image):
    return image.split("@")[0]


def same_image(one, other):
    registry = re.compile(r"^(docker\.io/)?(library/)?")
    return registry.sub("", without_digest(one)) == registry.sub("", without_digest(other))


def host(url):
    return re.sub(r"^[a-z]+://", "", url).rstrip("/")


def volume_words(volume):
    return " ".join(str(volume.get(key) or "-") for key in ("name", "size", "class"))


def same_volume(one, other):
    """Name, size and class, where both state them; a claim's name may be that of its volume."""
    expected, stated = one.split(), other.split()
    name_fits = expected[0] == "-" or expected[0] in stated[0] or stated[0] in expected[0]
    pairs = zip(expected[1:], stated[1:])
    return name_fits and all("-" == mine or mine == theirs for mine, theirs in pairs)


if __name__ == "__main__":
    main()
