"""Generate tf1compat_gpu/profiles/config_proto.json from the recorded schema of 36 TensorFlow releases.

usage: python generate.py                 write the file
       python generate.py --check         exit 1 if the file is not what would be written
       python generate.py --merge FILE    first take over what collect.py printed under a new release

fields.csv and enums.csv say, for the releases of releases.txt, which release first and last had each field path and enum member (every minor release
from 1.2 to 1.15 and 2.1 to 2.21, and 1.0); attr_value.json is the closure of AttrValue in 2.21. The judgement (what
a renamed field is called today) stands below.
"""

from __future__ import annotations

import argparse
import csv
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
TARGET = HERE.parents[1] / "tf1compat_gpu" / "profiles" / "config_proto.json"
RELEASES = (HERE / "releases.txt").read_text().split()
#: Field paths that went, and what took their place (same field number, or the same role).
RENAMED = {
    "graph_options.rewrite_options.optimize_tensor_layout": "graph_options.rewrite_options.layout_optimizer",
    "graph_options.rewrite_options.memory_optimizer_target_node_name_prefix": "graph_options.rewrite_options.memory_optimizer_target_node_name_scope",
    "experimental.coordination_service": "experimental.coordination_config.service_type",
    "experimental.coordination_config.coordinated_jobs": "experimental.coordination_config.coordinated_job_list",
}
#: Field paths whose type changed under the same number: the type before, and the last release that had it.
RETYPED = {"graph_options.rewrite_options.constant_folding": ["bool", "1.3"]}


def minor(release):
    """'1.12.3' -> '1.12': facts are kept by minor release."""
    return ".".join(release.split(".")[:2])


def order(release):
    return tuple(int(part) for part in release.split("."))


def read(name):
    with open(str(HERE / name), newline="") as file:
        return list(csv.DictReader(file))


def write(name, rows):
    with open(str(HERE / name), "w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def merge(collected):
    """Take over the schema that collect.py printed: extend what is known, append what is new."""
    release = collected["release"]
    if minor(release) not in RELEASES:
        RELEASES.append(minor(release))
        (HERE / "releases.txt").write_text("\n".join(sorted(RELEASES, key=order)) + "\n")
    rows = read("fields.csv")
    known = {row["path"]: row for row in rows}
    for field in collected["fields"]:
        row = known.get(field["path"])
        if row is None:
            repeated = field["repeated"]
            rows.append(
                dict.fromkeys(rows[0], "")
                | {
                    "path": field["path"],
                    "message": field["message"],
                    "number": field["number"],
                    "type": field["type"],
                    "repeated": repeated,
                    "map": field["type"].startswith("map<"),
                    "deprecated": False,
                    "first_seen": release,
                    "last_seen": release,
                }
            )
        elif order(minor(row["last_seen"])) < order(minor(release)):
            row["last_seen"] = release
    write("fields.csv", rows)
    members = read("enums.csv")
    seen = {(row["enum"], row["name"], row["number"]): row for row in members}
    for enum, values in collected["enums"].items():
        for name, number in values.items():
            row = seen.get((enum, name, str(number)))
            if row is None:
                members.append({"enum": enum, "name": name, "number": number, "first_seen": release, "last_seen": release})
            elif order(minor(row["last_seen"])) < order(minor(release)):
                row["last_seen"] = release
    write("enums.csv", members)


def build():
    """The contents of config_proto.json: messages and enums by full name, each field with its releases."""
    messages = {}
    for row in read("fields.csv"):
        fields = messages.setdefault(row["message"], {})
        first, last = minor(row["first_seen"]), minor(row["last_seen"])
        entry = fields.setdefault(
            row["path"].split(".")[-1].replace("[]", ""),
            {
                "number": int(row["number"]),
                "type": row["type"],
                "repeated": row["repeated"] == "True",
                "first": first,
                "last": last,
            },
        )
        # A message that stands at several paths (GPUOptions) has each field since the earliest of them.
        entry["first"] = min(entry["first"], first, key=order)
        entry["last"] = max(entry["last"], last, key=order)
        if row["path"] in RENAMED:
            entry["renamed_to"] = RENAMED[row["path"]]
        if row["path"] in RETYPED:
            entry["retyped"] = RETYPED[row["path"]]
    enums = {}
    for row in read("enums.csv"):
        entry = {"name": row["name"], "number": int(row["number"]), "first": minor(row["first_seen"]), "last": minor(row["last_seen"])}
        enums.setdefault(row["enum"], []).append(entry)
    for name, value in json.loads((HERE / "attr_value.json").read_text()).items():
        if isinstance(value, dict):
            enums[name] = [
                {"name": member, "number": number, "first": "1.0", "last": RELEASES[-1]} for member, number in sorted(value.items(), key=lambda item: item[1])
            ]
            continue
        for field in value:
            entry = {"number": field["number"], "type": field["type"], "repeated": field["repeated"], "first": "1.0", "last": RELEASES[-1]}
            if "oneof" in field:
                entry["oneof"] = field["oneof"]
            messages.setdefault(name, {})[field["name"]] = entry
    return {"releases": RELEASES, "messages": messages, "enums": enums}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--merge", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.merge:
        merge(json.loads(arguments.merge.read_text()))
    text = json.dumps(build(), indent=1) + "\n"
    if arguments.check:
        if not TARGET.exists() or TARGET.read_text() != text:
            sys.exit("%s is not up to date: run %s" % (TARGET.name, pathlib.Path(__file__).name))
        return
    TARGET.write_text(text)


if __name__ == "__main__":
    main()
