#!/usr/bin/env python3
"""Records what Helm makes of the charts in charts/, for the tests that run without it.

    record.py HELM3 HELM4

Each chart NAME gives recorded/NAME.helm3.yaml, and NAME.VALUES.helm3.yaml for each of its values files apart from
values.yaml; those whose names begin with `values` or `manifests` are recorded with Helm 4, too. Each file of errors/
is a template that fails, and gives a line with Helm's message.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def template(helm, chart, values):
    files = [part for file in values for part in ("-f", str(file))]
    command = [helm, "template", "release-name", ".", "--include-crds", *files]
    return subprocess.run(command, cwd=chart, capture_output=True, text=True)


def main():
    helms = {"helm3": sys.argv[1], "helm4": sys.argv[2]}
    out = HERE / "recorded"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    for chart in sorted((HERE / "charts").iterdir()):
        own = [file for file in sorted(chart.glob("*.yaml")) if file.name not in ("Chart.yaml", "values.yaml")]
        for name, helm in helms.items():
            if name == "helm4" and chart.name not in ("values", "manifests"):
                continue
            for values in [[]] + [[file.name] for file in own]:
                done = template(helm, chart, values)
                if done.returncode:
                    sys.exit(f"{chart}: {done.stderr}")
                part = "".join(f".{pathlib.Path(file).stem}" for file in values)
                (out / f"{chart.name}{part}.{name}.yaml").write_text(done.stdout)
    messages = []
    for file in sorted((HERE / "errors").iterdir()):
        with tempfile.TemporaryDirectory() as chart:
            os.mkdir(f"{chart}/templates")
            pathlib.Path(chart, "Chart.yaml").write_text("apiVersion: v2\nname: errors\nversion: 0.1.0\n")
            pathlib.Path(chart, "values.yaml").write_text("num: 1\ns: text\nmap: {}\nlist: [1]\n")
            shutil.copy(file, f"{chart}/templates/{file.name}")
            done = template(helms["helm3"], chart, [])
            if not done.returncode:
                sys.exit(f"{file} does not fail")
            message = done.stderr.strip().removeprefix("Error: ").removesuffix("\n\nUse --debug flag to render out invalid YAML")
            messages.append(f"{file.name}: {message.strip()}\n")
    (out / "errors.txt").write_text("".join(messages))


if __name__ == "__main__":
    main()
