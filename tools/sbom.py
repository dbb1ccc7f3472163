#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a build consists of: a software bill of materials (SPDX 2.3, JSON) and a NOTICE with every licence.

usage: sbom.py BUILD --spdx FILE | --notice FILE

Libraries are those that the command is linked with (ldd, and Debian's records of them); the page of reports carries the
JavaScript libraries of viewer/package-lock.json that are not for development alone.
"""
import hashlib
import json
import os
import re
import subprocess
import sys
from datetime import datetime, timezone

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
IN_PAGE = ("three", "uplot", "fflate")  # what viewer/build.mjs bundles


def output(*words):
    return subprocess.run(words, capture_output=True, text=True).stdout


def version():
    header = open(os.path.join(ROOT, "include/stickslip/base.h"), encoding="utf8").read()
    return ".".join(re.search(rf"SS_VERSION_{part} (\d+)", header).group(1) for part in ("MAJOR", "MINOR", "PATCH"))


def names_of(path):
    return list(dict.fromkeys((path, os.path.realpath(path), path.replace("/lib/", "/usr/lib/", 1))))


def debian_packages(paths):
    """Which package each file belongs to; one question for all, because dpkg reads all its lists for each."""
    owners = {}
    for line in output("dpkg", "-S", *[name for path in paths for name in names_of(path)]).split("\n"):
        package, colon, name = line.partition(": ")
        if colon:
            owners[name] = package.split(",")[0]
    found = {path: next((owners[n] for n in names_of(path) if n in owners), None) for path in paths}
    lines = output("dpkg-query", "-W", "-f=${binary:Package} ${Version}\n", *sorted({p for p in found.values() if p}))
    versions = {line.split()[0].split(":")[0]: line.split()[1] for line in lines.split("\n") if line}
    return {path: (p.split(":")[0], versions.get(p.split(":")[0], "")) for path, p in found.items() if p}


def copyright_of(package):
    place = f"/usr/share/doc/{package}/copyright"
    return open(place, encoding="utf8", errors="replace").read() if os.path.exists(place) else ""


def licences_in(text):
    found = re.findall(r"^License:[ \t]*(\S.*)$", text, re.M)
    return sorted(set(found))


def linked_libraries(command):
    paths = re.findall(r"=> (/\S+)", output("ldd", command))
    known, packages = debian_packages(paths), {}
    for path in paths:
        name, number = known.get(path, (os.path.basename(path), ""))
        text = copyright_of(name)
        packages[name] = {"name": name, "version": number, "text": text, "kind": "deb" if path in known else "file",
                          "licences": licences_in(text)}
    return [packages[name] for name in sorted(packages)]


def page_libraries():
    lock = json.load(open(os.path.join(ROOT, "viewer/package-lock.json"), encoding="utf8"))
    page = open(os.path.join(ROOT, "viewer/page.html"), encoding="utf8").read()
    libraries = []
    for name in IN_PAGE:
        entry = lock["packages"][f"node_modules/{name}"]
        text = page.split(f"/* {name}\n", 1)[1].split(" */\n", 1)[0]  # viewer/build.mjs puts it there
        libraries.append({"name": name, "version": entry["version"], "text": text, "kind": "npm",
                          "licences": [entry.get("license", "NOASSERTION")], "address": entry.get("resolved", "NOASSERTION")})
    return libraries


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def purl(library):
    if library["kind"] == "npm":
        return f"pkg:npm/{library['name']}@{library['version']}"
    return f"pkg:deb/debian/{library['name']}@{library['version']}"


def as_package(library):
    simple = library["kind"] == "npm"
    package = {"SPDXID": identifier(f"{library['kind']}-{library['name']}"), "name": library["name"],
               "versionInfo": library["version"] or "NOASSERTION", "filesAnalyzed": False,
               "downloadLocation": library.get("address", "NOASSERTION"), "copyrightText": "NOASSERTION",
               "licenseConcluded": "NOASSERTION", "licenseDeclared": library["licences"][0] if simple else "NOASSERTION"}
    if library["kind"] != "file":
        package["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                    "referenceLocator": purl(library)}]
    if not simple and library["licences"]:
        package["licenseComments"] = "Debian's copyright file names: " + "; ".join(library["licences"])
    return package


def spdx(libraries, command):
    digest = hashlib.sha256(open(command, "rb").read()).hexdigest()
    when = int(os.environ.get("SOURCE_DATE_EPOCH", "0")) or datetime.now(timezone.utc).timestamp()
    own = {"SPDXID": "SPDXRef-stickslip", "name": "stickslip", "versionInfo": version(), "filesAnalyzed": False,
           "downloadLocation": "NOASSERTION", "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0",
           "copyrightText": "NOASSERTION", "checksums": [{"algorithm": "SHA256", "checksumValue": digest}]}
    packages = [as_package(x) for x in libraries]
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"stickslip-{version()}",
        "documentNamespace": f"https://spdx.org/spdxdocs/stickslip-{version()}-{digest[:32]}",
        "creationInfo": {"created": datetime.fromtimestamp(when, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "creators": ["Tool: stickslip-tools-sbom"]},
        "packages": [own] + packages,
        "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                           "relatedSpdxElement": "SPDXRef-stickslip"}] +
                         [{"spdxElementId": "SPDXRef-stickslip", "relatedSpdxElement": package["SPDXID"],
                           "relationshipType": "CONTAINS" if library["kind"] == "npm" else "DYNAMIC_LINK"}
                          for library, package in zip(libraries, packages)],
    }


def notice(libraries):
    parts = [f"stickslip {version()}\n\nLicensed under the Apache License, Version 2.0 (see LICENSE). A build contains or is linked "
             "with the following.\n"]
    for library in libraries:
        how = "in the page of reports" if library["kind"] == "npm" else "linked"
        parts.append(f"{'=' * 100}\n{library['name']} {library['version']} ({how}; {'; '.join(library['licences']) or 'see its package'})\n"
                     f"{'=' * 100}\n{library['text'].strip()}\n")
    return "\n".join(parts)


def main():
    build, what, out = sys.argv[1:4]
    command = os.path.join(build, "stickslip")
    libraries = linked_libraries(command) + page_libraries()
    with open(out, "w", encoding="utf8") as f:
        f.write(json.dumps(spdx(libraries, command), indent=2) + "\n" if what == "--spdx" else notice(libraries))
    print(f"wrote {out}: {len(libraries)} components")


main()
