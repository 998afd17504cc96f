#!/usr/bin/env python3
"""Compares what `helm template` and the engine in crates/helm make of charts, object by object.

    compare.py CHART[:VALUES[:VALUES...]]...
    compare.py --cases FILE      one such case per line; # begins a comment

Build the other side first: cargo build --release -p catalog-helm --example template.
Helm runs twice, so that values which differ from run to run are left out. Needs PyYAML.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import yaml

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Loader(LOADER):
    """Reads timestamps and `=` as text, as Kubernetes does."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, regexp) for tag, regexp in resolvers if not tag.endswith((":timestamp", ":value"))]
    for first, resolvers in LOADER.yaml_implicit_resolvers.items()
}


def objects(text):
    """Objects by kind, namespace and name, with a number if several are equal in these."""
    found = {}
    for part in ("\n" + text).split("\n---"):
        source = next((line[10:] for line in part.splitlines() if line.startswith("# Source: ")), "")
        for value in yaml.load_all(part + "\n", Loader=Loader):
            if value is None:
                continue
            metadata = value.get("metadata") or {} if isinstance(value, dict) else {}
            kind = value.get("kind") if isinstance(value, dict) else "?"
            key = (kind, metadata.get("namespace"), str(metadata.get("name")))
            number = 0
            while key + (number,) in found:
                number += 1
            found[key + (number,)] = (value, source)
    return found


MASK = object()
# What the engine writes for random values and times, also in base64.
PLACEHOLDER = re.compile("placeholder|cGxhY2Vob2xkZX|BsYWNlaG9sZGVy|wbGFjZWhvbGRlc")


def masked(one, other):
    """A value in which everything that differs from another run of Helm is a mask."""
    if isinstance(one, dict) and isinstance(other, dict):
        return {key: masked(one[key], other.get(key, MASK)) for key in one}
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [masked(a, b) for a, b in zip(one, other)]
    return one if type(one) is type(other) and one == other else MASK


def difference(one, other, path=""):
    """Where two values differ, and how; nothing if they are equal."""
    if one is MASK:
        return None
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(set(one) | set(other), key=str):
            if key not in one:
                return f"{path}.{key} is extra: {other[key]!r:.300}"
            if key not in other:
                return f"{path}.{key} is missing: {one[key]!r:.300}"
            found = difference(one[key], other[key], f"{path}.{key}")
            if found:
                return found
        return None
    if isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            return f"{path} has {len(other)} items, not {len(one)}: {one!r:.400} / {other!r:.400}"
        for at, pair in enumerate(zip(one, other)):
            found = difference(*pair, f"{path}[{at}]")
            if found:
                return found
        return None
    if type(one) is type(other) and one == other:
        return None
    if isinstance(one, str) and isinstance(other, str):
        at = next((n for n, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
        return f"{path} differs at {at}: {one[max(0, at - 60):at + 80]!r} / {other[max(0, at - 60):at + 80]!r}"
    return f"{path}: {one!r:.300} / {other!r:.300}"


def run(command):
    started = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    return done, time.monotonic() - started


def compare(case, options):
    chart, *values = case.split(":")
    files = [part for file in values for part in ("-f", file)]
    extra = options.kube_version and ["--kube-version", options.kube_version] or []
    command = [options.helm, "template", "release-name", chart, "--include-crds", *files, *extra]
    theirs, helm_time = run(command)
    if theirs.returncode and ("dial tcp" in theirs.stderr or "open ../" in theirs.stderr):
        # A schema refers to others on the network, which the engine leaves out.
        command.append("--skip-schema-validation")
        theirs, helm_time = run(command)
    ours, own_time = run([options.ours, chart, *files, *extra, *options.engine])
    result = {"case": case, "equal": 0, "problems": [], "helm": helm_time, "ours": own_time, "total": 0}
    if theirs.returncode != 0:
        text = theirs.stderr.strip().replace("\n\nUse --debug flag to render out invalid YAML", "")
        message = text.splitlines()[-1:] or [""]
        own = ours.stderr.strip().splitlines()[:1] or [""]
        if ours.returncode == 0:
            result["problems"].append(f"helm fails, the engine does not: {text[-600:]}")
        else:
            result["fails"] = f"{message[0][:250]}\n            {own[0][:250]}"
        return result
    if PLACEHOLDER.search(ours.stdout):
        # The time is in seconds, and the second run shows which values depend on it.
        time.sleep(1.1)
    again, _ = run(command)
    if ours.returncode != 0:
        result["problems"].append("the engine fails: " + ours.stderr.strip()[:1500])
    one, other = objects(theirs.stdout), objects(again.stdout)
    own = objects(ours.stdout)
    result["total"] = len(one)
    # Objects with random names are compared in order.
    random = [key for key in one if key not in other]
    spare = [key for key in own if key not in one]
    for key, (value, source) in one.items():
        second = other.get(key)
        matching = own.pop(key, None)
        if second is None and matching is None:
            same = [k for k in spare if k[0] == key[0] and k in own]
            second = (MASK,)
            matching = own.pop(same[0]) if same else None
            value = MASK
        else:
            value = masked(value, second[0]) if second else MASK
        name = "/".join(str(part) for part in key[:3])
        if matching is None:
            result["problems"].append(f"missing {name} ({source})")
            continue
        found = difference(value, matching[0])
        if found:
            result["problems"].append(f"different {name} ({source}): {found}")
        else:
            result["equal"] += 1
    for key, (_, source) in own.items():
        result["problems"].append("extra " + "/".join(str(part) for part in key[:3]) + f" ({source})")
        result["total"] += 1
    return result


def main():
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--helm", default="helm")
    parser.add_argument("--ours", default=os.path.join(root, "target", "release", "examples", "template"))
    parser.add_argument("--engine", action="append", default=[], help="an option for the engine, such as --helm4")
    parser.add_argument("--kube-version")
    parser.add_argument("--cases")
    parser.add_argument("--quiet", action="store_true", help="only print differences")
    parser.add_argument("--most", type=int, default=8, help="differences to print per case")
    parser.add_argument("charts", nargs="*")
    options = parser.parse_args()
    cases = options.charts
    if options.cases:
        lines = (line.split("#")[0].strip() for line in open(options.cases))
        cases = cases + [line for line in lines if line]
    equal = total = failing = clean = 0
    helm_time = own_time = 0.0
    with ThreadPoolExecutor(2) as pool:
        for result in pool.map(lambda case: compare(case, options), cases):
            equal += result["equal"]
            total += result["total"]
            helm_time += result["helm"]
            own_time += result["ours"]
            failing += "fails" in result
            clean += not result["problems"]
            if result["problems"] or not options.quiet:
                print(f"{result['equal']:5}/{result['total']:<5} {result['case']}")
                if "fails" in result:
                    print(f"     both fail: {result['fails']}")
                for problem in result["problems"][: options.most]:
                    print("     ", problem)
                hidden = len(result["problems"]) - options.most
                if hidden > 0:
                    print(f"      and {hidden} more")
    share = 100 * equal / total if total else 100
    print(f"{equal} of {total} objects equal ({share:.2f} %), {clean} of {len(cases)} cases without differences, both fail in {failing}")
    print(f"helm {helm_time:.2f} s, engine {own_time:.2f} s")
    sys.exit(equal != total)


if __name__ == "__main__":
    main()
