#!/usr/bin/env python3
"""Runs the tests of a chart, which are in the format of helm-unittest, with helm alone.

    unittest.py CHART [option of 'helm template'...]

helm-unittest itself is a Go program that has to be compiled with half of Kubernetes. This script knows
the part of its format that the chart's tests use and refuses the rest, so that no test passes because
it was not understood. Exit code 1: a test fails; 2: a test cannot be read.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

import yaml


class Unreadable(Exception):
    pass


def known(what, given, allowed):
    if not isinstance(given, dict):
        raise Unreadable(f"{what} is no map")
    other = sorted(set(given) - set(allowed))
    if other:
        raise Unreadable(f"{what} has {', '.join(other)}, which {os.path.basename(__file__)} does not know")


# ---- values and paths -----------------------------------------------------------------------------

STEP = re.compile(r'\.?([A-Za-z0-9_-]+)|\[(\d+)\]|\["([^"]+)"\]')


def steps(path):
    """The keys and indices of 'a.b[0]["c/d"]'."""
    found, at = [], 0
    while at < len(path):
        step = STEP.match(path, at)
        if step is None:
            raise Unreadable(f"the path {path!r}")
        name, index, quoted = step.groups()
        found.append(int(index) if index is not None else name or quoted)
        at = step.end()
    return found


MISSING = object()


def look_up(document, path):
    value = document
    for step in steps(path):
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return MISSING
    return value


def merge(into, more):
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            merge(into[key], value)
        else:
            into[key] = json.loads(json.dumps(value))


def values(*sets):
    """'a.b: 1' sets b in a; the keys further down are taken as they are."""
    result = {}
    for one in sets:
        for path, value in one.items():
            for step in reversed(steps(path)):
                value = {step: value}
            merge(result, value)
    return result


# ---- rendering ------------------------------------------------------------------------------------

class Chart:
    def __init__(self, folder, options):
        self.folder = folder
        self.options = options
        self.rendered = {}

    def render(self, given, release):
        """The documents of each template, by its name below templates/, or what helm says is wrong."""
        known("release", release, ["name", "namespace"])
        text = json.dumps(given, sort_keys=True)
        key = (text, release.get("name"), release.get("namespace"))
        if key not in self.rendered:
            self.rendered[key] = self.run(text, release)
        return self.rendered[key]

    def run(self, text, release):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(text)
            file.flush()
            command = ["helm", "template", release.get("name", "release"), self.folder, "-f", file.name]
            command += ["--namespace", release.get("namespace", "default")] + self.options
            ran = subprocess.run(command, capture_output=True, text=True)
        if ran.returncode != 0:
            return None, ran.stderr
        documents = {}
        for part in re.split(r"^---\n", ran.stdout, flags=re.MULTILINE):
            source = re.match(r"# Source: [^/]+/templates/(\S+)\n", part)
            document = yaml.safe_load(part)
            if document is not None:
                if source is None:
                    raise Unreadable(f"the output of helm has a document without a source:\n{part}")
                documents.setdefault(source.group(1), []).append(document)
        return documents, ran.stderr


# ---- assertions -----------------------------------------------------------------------------------

def equal(value, path, value_expected):
    if value != value_expected or isinstance(value, bool) != isinstance(value_expected, bool):
        return f"{path} is {shown(value)} and not {shown(value_expected)}"
    return None


def has(value, content, partly):
    if partly and isinstance(content, dict):
        return any(isinstance(one, dict) and all(one.get(k, MISSING) == v for k, v in content.items()) for one in value)
    return content in value


def shown(value):
    return "missing" if value is MISSING else json.dumps(value)


def judge_document(kind, given, document):
    path = given["path"]
    value = look_up(document, path)
    if kind == "equal":
        known(kind, given, ["path", "value"])
        return equal(value, path, given["value"])
    if kind == "matchRegex":
        known(kind, given, ["path", "pattern"])
        pattern = given["pattern"]
        if pattern.endswith("$") and not pattern.endswith("\\$"):
            pattern = pattern[:-1] + r"\Z"  # as in Go: a last newline is no end
        if not isinstance(value, str) or re.search(pattern, value) is None:
            return f"{path} does not match {given['pattern']!r}: {shown(value)}"
        return None
    if kind == "notExists":
        known(kind, given, ["path"])
        return None if value is MISSING else f"{path} is {shown(value)}"
    if not isinstance(value, list):
        return f"{path} is no list: {shown(value)}"
    if kind == "lengthEqual":
        known(kind, given, ["path", "count"])
        return None if len(value) == given["count"] else f"{path} has {len(value)} items, and not {given['count']}"
    known(kind, given, ["path", "content", "any"])
    if has(value, given["content"], given.get("any", False)) == (kind == "contains"):
        return None
    return f"{path} {'lacks' if kind == 'contains' else 'has'} {shown(given['content'])}: {shown(value)}"


ON_DOCUMENTS = ["equal", "matchRegex", "notExists", "lengthEqual", "contains", "notContains"]
KINDS = ON_DOCUMENTS + ["hasDocuments", "failedTemplate"]


def judge(assertion, test, documents, said):
    """Why the assertion does not hold; None if it does."""
    known("an assertion", assertion, KINDS + ["template", "documentSelector"])
    kinds = [kind for kind in assertion if kind in KINDS]
    if len(kinds) != 1:
        raise Unreadable(f"one of {', '.join(KINDS)} is wanted, and not {kinds}")
    kind, given = kinds[0], assertion[kinds[0]]
    if kind == "failedTemplate":
        known(kind, given, ["errorPattern"])
        if documents is not None:
            return "the template renders"
        return None if re.search(given["errorPattern"], said) else f"helm says something else: {said}"
    if documents is None:
        return said
    template = assertion.get("template", test.get("template"))
    if template is None:
        raise Unreadable("an assertion names no template")
    chosen = documents.get(template, [])
    if kind == "hasDocuments":
        known(kind, given, ["count"])
        return None if len(chosen) == given["count"] else f"{template} has {len(chosen)} documents"
    selector = assertion.get("documentSelector", test.get("documentSelector"))
    if selector is not None:
        known("documentSelector", selector, ["path", "value"])
        chosen = [one for one in chosen if look_up(one, selector["path"]) == selector["value"]]
    if not chosen:
        return f"{template} has no such document"
    for document in chosen:
        wrong = judge_document(kind, given, document)
        if wrong is not None:
            return wrong
    return None


# ---- suites ---------------------------------------------------------------------------------------

def run_suite(chart, path):
    """How many tests passed, and how many failed."""
    with open(path, encoding="utf-8") as file:
        suite = yaml.safe_load(file)
    known(path, suite, ["suite", "templates", "release", "set", "tests"])
    passed = failed = 0
    for test in suite["tests"]:
        name = f"{os.path.basename(path)}: {test.get('it')}"
        known(name, test, ["it", "template", "set", "asserts", "documentSelector"])
        if not test.get("asserts"):
            raise Unreadable(f"{name}: it asserts nothing")
        given = values(suite.get("set", {}), test.get("set", {}))
        documents, said = chart.render(given, suite.get("release", {}))
        for assertion in test["asserts"]:
            template = assertion.get("template", test.get("template"))
            if template is not None and not os.path.exists(os.path.join(chart.folder, "templates", template)):
                raise Unreadable(f"{name}: there is no template {template}")
            if template not in suite["templates"]:
                raise Unreadable(f"{name}: {template} is none of the suite's templates")
        wrong = [judge(assertion, test, documents, said) for assertion in test["asserts"]]
        wrong = [one for one in wrong if one is not None]
        for one in wrong:
            print(f"FAILED {name}\n  {one}", file=sys.stderr)
        if wrong:
            failed += 1
        else:
            passed += 1
    return passed, failed


def main(folder, *options):
    tests = os.path.join(folder, "tests")
    chart = Chart(folder, list(options))
    passed = failed = 0
    for name in sorted(os.listdir(tests)):
        if name.endswith("_test.yaml"):
            more = run_suite(chart, os.path.join(tests, name))
            passed, failed = passed + more[0], failed + more[1]
    print(f"the chart's tests: {passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    try:
        sys.exit(main(*sys.argv[1:]))
    except (Unreadable, yaml.YAMLError, KeyError) as e:
        print(f"{os.path.basename(__file__)}: {e!r}", file=sys.stderr)
        sys.exit(2)
