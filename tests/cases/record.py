#!/usr/bin/env python3
"""Records what `kubectl kustomize` makes of the cases in kustomize/ beside this file: `python3 record.py
[--check] [NAME…]`, all cases when none is named; `--check` writes nothing and exits 1 when a case would change.
A case is a Markdown file. A fenced block with `LANG file=PATH` is a file of the case (`base64` as LANG means that
it holds bytes); a heading `## Build DIR` asks for that directory to be built, and the block below it is the output.
Where the tool refuses, the heading is `## Build DIR fails`, or `… fails in kubectl only` where Flux accepts it, and
the block is the essential part of the error, which stays as it is as long as the tool still says it.
"""
import base64
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FENCE = re.compile(r"^(`{3,})([^`]*)$")
BUILD = re.compile(r"^## Build (\S+)( fails(?: in kubectl only)?)?$")


def main():
    arguments = sys.argv[1:]
    check = "--check" in arguments
    cases = Path(__file__).resolve().parent / "kustomize"
    named = [cases / f"{name}.md" for name in arguments if name != "--check"]
    files = named or sorted(cases.glob("*.md"))
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(record, files))
    stale = 0
    for path, (old, new, notes) in zip(files, results):
        for note in notes:
            print(f"{path.name}: {note}")
        if old != new:
            stale += 1
            print(f"{path.name}: {'stale' if check else 'recorded'}")
            if not check:
                path.write_text(new, encoding="utf-8", newline="\n")
    print(f"{len(files)} cases, {stale} {'stale' if check else 'changed'}")
    sys.exit(1 if check and stale else 0)


def record(path):
    old = path.read_bytes().decode("utf-8")
    parts = parse(old)
    notes = []
    with tempfile.TemporaryDirectory(prefix="case-") as root:
        root = os.path.realpath(root)
        for part in parts:
            if part[0] == "file":
                write(root, part)
        out = []
        for part in parts:
            if part[0] == "build":
                if out and out[-1] != "\n":
                    out.append("\n")
                out.append(build(root, part, notes))
            else:
                out.append("".join(line + "\n" for line in part[-1]))
    return old, "".join(out).rstrip("\n") + "\n", notes


def parse(text):
    """Splits a case into ("text", lines), ("file", lang, path, body, lines) and
    ("build", dir, failed, body or None, lines): joined, the lines are the case."""
    lines = text.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    parts, i, heading = [], 0, None
    while i < len(lines):
        line = lines[i]
        build_heading = BUILD.match(line)
        fence = FENCE.match(line)
        if build_heading:
            heading = ["build", build_heading[1], build_heading[2], None, [line]]
            parts.append(heading)
            i += 1
        elif fence:
            end = i + 1
            while end < len(lines) and lines[end].rstrip() != fence[1]:
                end += 1
            if end == len(lines):
                raise SystemExit(f"a block that opens at line {i + 1} is never closed")
            body, info = lines[i + 1:end], fence[2].split()
            taken = lines[i:end + 1]
            named = [w[5:] for w in info if w.startswith("file=")]
            if named:
                parts.append(("file", info[0], named[0], body, taken))
                heading = None
            elif heading is not None and heading[3] is None:
                heading[3] = body
                heading[4] += taken
            else:
                parts.append(("text", taken))
            i = end + 1
        else:
            # Blank lines between a build heading and its block belong to the build.
            if heading is not None and heading[3] is None and line == "":
                heading[4].append(line)
            else:
                parts.append(("text", [line]))
            i += 1
    return parts


def write(root, part):
    _, lang, name, body, _ = part
    target = os.path.normpath(os.path.join(root, name))
    if not target.startswith(root + os.sep):
        raise SystemExit(f"{name} leaves the case")
    os.makedirs(os.path.dirname(target), exist_ok=True)
    data = base64.b64decode("".join(body)) if lang == "base64" else "".join(l + "\n" for l in body).encode()
    with open(target, "wb") as file:
        file.write(data)


def build(root, part, notes):
    _, directory, failed, body, _ = part
    run = subprocess.run(["kubectl", "kustomize", directory], cwd=root, capture_output=True,
                         env={**os.environ, "HOME": root, "NO_COLOR": "1"})
    stdout = run.stdout.decode("utf-8")
    if run.returncode == 0:
        if failed:
            notes.append(f"{directory} builds now")
        fence = fence_for(stdout)
        end = "" if not stdout or stdout.endswith("\n") else "\n"
        return f"## Build {directory}\n\n{fence}yaml\n{stdout}{end}{fence}\n"
    if body is not None and not failed:
        notes.append(f"{directory} fails now")
    message = normalise(run.stderr.decode("utf-8"), root)
    kept = body[0] if body and len(body) == 1 and failed else None
    # A hand-picked part of the message stays as long as the tool still says it.
    line = kept if kept and kept in message else essential(message)
    return f"## Build {directory}{failed or ' fails'}\n\n```text\n{line}\n```\n"


def fence_for(text):
    longest = max([len(m) for m in re.findall(r"^\s*(`{3,})", text, re.M)] + [2])
    return "`" * (longest + 1)


def normalise(stderr, root):
    """The error as one line, without log framing, warnings and the case's own directory."""
    text = stderr.replace(root + "/", "").replace(root, ".")
    kept = [l for l in text.split("\n") if not l.startswith(("# Warning", "# Found", "# Warn"))]
    line = " ".join(" ".join(kept).split())
    framed = re.search(r'"command failed" err=(?:"(.*)"|<(.*)>)', line)
    if framed:
        line = framed[2] if framed[1] is None else re.sub(r"\\+[nt]", " ", re.sub(r'\\+"', '"', framed[1]))
    return " ".join(line.removeprefix("error: ").split())


def essential(message):
    """Drops the chain of directories that led to the error."""
    line = message.rsplit("': must build at directory: ", 1)[0]
    line = re.sub(r'^.*(?:accumulateDirectory: |loader\.New )"(.*)"$', r"\1", line)
    for pattern in (r"^map\[string\]interface \{\}(?:\(nil\)|\{.*\}): ", r"^.*must resolve to a file': ", r"^.*(?:accumulating|merging) resources from '[^']*': ",
                    r"^recursed (?:accumulation of|merging from) path '[^']*': ", r"^accumulating (?:resources|components): ",
                    r"^couldn't make target for path '[^']*': ", r"^merging from generator &\{[^}]*\}: ",
                    r"^recursed accumulation of path '[^']*': ",
                    r"^couldn't make target for path '[^']*': "):
        line = re.sub(pattern, "", line)
    line = re.sub(r"id resid\.ResId\{.*Name:(\"[^\"]*\").*\} (exists|does not exist)", r"id \1 \2", line)
    line = re.sub(r"(produces ID conflict|validator shouldn't modify the resource map): .*", r"\1", line)
    line = re.sub(r" \*{4} Too many possible.*", "", line)
    line = re.sub(r"^trouble configuring builtin \w+ with config: `.*`: ", "", line)
    line = re.sub(r"(?: from|:) \[pat(?:ch|h): .*", "", line)
    return re.sub(r'(no resource matches strategic merge patch "[^"]*"|patch and path can.t be set at the same time'
                  r"|must specify one of patch and path|must specify a target for JSON patch).*", r"\1", line)


if __name__ == "__main__":
    main()
