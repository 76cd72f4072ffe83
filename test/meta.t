#!/usr/bin/env python3
"""The project's description of itself: META.json by the PGXN Meta Spec 1.0, and one version in all
places. Prints TAP."""

import json
import os
import re

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
tests = failures = 0


def check(passed, what):
    global tests, failures
    tests += 1
    failures += not passed
    print(f"{'ok' if passed else 'not ok'} {tests} - {what}")


def text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


SEMVER = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$")
TERM = re.compile(r"[^\s/\\\x00-\x1f\x7f]{2,}$")
LICENSES = {
    "agpl_3", "apache_1_1", "apache_2_0", "artistic_1", "artistic_2", "bsd", "freebsd", "gfdl_1_2",
    "gfdl_1_3", "gpl_1", "gpl_2", "gpl_3", "lgpl_2_1", "lgpl_3_0", "mit", "mozilla_1_0",
    "mozilla_1_1", "openssl", "perl_5", "postgresql", "qpl_1_0", "ssleay", "sun", "zlib",
    "open_source", "restricted", "unrestricted", "unknown",
}

meta = json.loads(text("META.json"))
for key in "name", "version", "abstract", "maintainer", "license", "provides", "meta-spec":
    check(meta.get(key), f"META.json has {key}, which the spec requires")
check(TERM.match(meta["name"]), "name is a term")
check(SEMVER.match(meta["version"]), "version is a semantic version")
check(meta["license"] in LICENSES, "license is one that the spec names")
check(all(isinstance(m, str) and m for m in meta["maintainer"]), "maintainer is a list of strings")
check(meta["meta-spec"]["version"] == "1.0.0", "meta-spec is version 1.0.0")
check(meta["release_status"] in ("stable", "testing", "unstable"), "release_status is known")
for name, extension in meta["provides"].items():
    check(TERM.match(name), f"provides {name}: a term")
    check(os.path.isfile(extension["file"]), f"provides {name}: its file exists")
    check(os.path.isfile(extension["docfile"]), f"provides {name}: its docfile exists")
    check(SEMVER.match(extension["version"]), f"provides {name}: a semantic version")
    control = dict(re.findall(r"^(\w+) *= *(\S.*?)$", text(f"{name}.control"), re.MULTILINE))
    default = control["default_version"].strip("'")
    check(extension["version"] == default, f"{name}.control has the same version")
    check(control["comment"].strip("'") == extension["abstract"], f"{name}.control: same abstract")
    check(control["trusted"] == control["relocatable"] == "true", f"{name}: trusted, relocatable")
newest = re.search(r"^## (\S+)", text("CHANGELOG.md"), re.MULTILINE)
check(newest and newest.group(1) == meta["version"], "CHANGELOG.md begins with this version")

print(f"1..{tests}")
raise SystemExit(failures > 0)
