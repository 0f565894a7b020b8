#!/usr/bin/env python3
"""Prints the list of all components that the programs are built of, as a CycloneDX document: crates and npm packages with
version, licence, checksum and what each depends on, from Cargo.lock and ui/package-lock.json.

    sbom.py

It fetches nothing. Two runs on one commit print the same if SOURCE_DATE_EPOCH is set.
"""

import datetime
import json
import os
import pathlib
import subprocess
import tomllib
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ("tidings-desktop", "tidings-cli")


def output(*command, folder=ROOT):
    return json.loads(subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE).stdout)


def crates():
    """The crates that the programs are built of, and the dependencies between them, by purl."""
    metadata = output(
        "cargo", "metadata", "--locked", "--offline", "--format-version=1",
        "--features=tidings-desktop/custom-protocol", "--filter-platform=" + host(),
    )
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    checksums = {(package["name"], package["version"]): package.get("checksum") for package in lock}
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    # What only tests depend on is left out.
    below = {
        id: [dep["pkg"] for dep in node["deps"] if any(kind["kind"] != "dev" for kind in dep["dep_kinds"])]
        for id, node in nodes.items()
    }
    programs = [id for id, package in packages.items() if package["name"] in PROGRAMS]
    found, waiting = set(), list(programs)
    while waiting:
        id = waiting.pop()
        if id not in found:
            found.add(id)
            waiting.extend(below[id])

    def purl(id):
        return f"pkg:cargo/{packages[id]['name']}@{packages[id]['version']}"

    def component(id):
        package = packages[id]
        made = {
            "bom-ref": purl(id),
            "type": "application" if id in programs else "library",
            "name": package["name"],
            "version": package["version"],
            "purl": purl(id),
        }
        if package["license"]:
            made["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
        if checksum := checksums[package["name"], package["version"]]:
            made["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        return made

    found = sorted(found, key=purl)
    dependencies = [{"ref": purl(id), "dependsOn": sorted({purl(dep) for dep in below[id]})} for id in found]
    return [component(id) for id in found], dependencies, sorted(map(purl, programs))


def host():
    said = subprocess.run(["rustc", "-vV"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return next(line.removeprefix("host: ") for line in said.splitlines() if line.startswith("host: "))


def npm_packages():
    """The packages that the page is built of, the page itself among them."""
    document = output("npm", "sbom", "--sbom-format=cyclonedx", "--package-lock-only", folder=ROOT / "ui")
    page = document["metadata"]["component"]
    return [page, *document["components"]], document["dependencies"], page["bom-ref"]


def main():
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
    rust, rust_dependencies, programs = crates()
    page, page_dependencies, page_ref = npm_packages()
    whole = f"tidings@{workspace['version']}"
    content = {
        "components": rust + page,
        "dependencies": [{"ref": whole, "dependsOn": [*programs, page_ref]}, *rust_dependencies, *page_dependencies],
    }
    made = int(os.environ.get("SOURCE_DATE_EPOCH", datetime.datetime.now().timestamp()))
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(content)).urn,
        "version": 1,
        "metadata": {
            "timestamp": datetime.datetime.fromtimestamp(made, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "bom-ref": whole,
                "type": "application",
                "name": "tidings",
                "version": workspace["version"],
                "licenses": [{"expression": workspace["license"]}],
            },
        },
        **content,
    }
    print(json.dumps(document, indent=1))


main()
