#!/usr/bin/env python3
"""Writes cargo-sources.json and npm-sources.json into a folder: what flatpak-builder fetches before a build without a
network, with the checksums of Cargo.lock and ui/package-lock.json.

    flatpak-sources.py FOLDER
"""

import base64
import json
import pathlib
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
CRATES = "https://static.crates.io/crates"
NPM = "https://registry.npmjs.org"
# What npm calls a processor, and what Flatpak calls it.
ARCHES = {"x64": "x86_64", "arm64": "aarch64"}


def cargo_sources():
    """The crates as a folder of vendored sources, and the file that makes Cargo take them."""
    sources = []
    for package in tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]:
        if "checksum" not in package:
            continue
        name, version, checksum = package["name"], package["version"], package["checksum"]
        folder = f"cargo/vendor/{name}-{version}"
        sources.append({
            "type": "archive",
            "archive-type": "tar-gzip",
            "url": f"{CRATES}/{name}/{name}-{version}.crate",
            "sha256": checksum,
            "dest": folder,
        })
        sources.append({
            "type": "inline",
            "contents": json.dumps({"package": checksum, "files": {}}),
            "dest": folder,
            "dest-filename": ".cargo-checksum.json",
        })
    settings = '[source.crates-io]\nreplace-with = "vendored"\n[source.vendored]\ndirectory = "cargo/vendor"\n'
    sources.append({"type": "inline", "contents": settings, "dest": "cargo", "dest-filename": "config.toml"})
    return sources


def npm_sources():
    """The packages where `npm ci` would put them; those for other systems are left out."""
    sources = []
    packages = json.loads((ROOT / "ui/package-lock.json").read_text())["packages"]
    for path, package in packages.items():
        if not path or "linux" not in package.get("os", ["linux"]) or "glibc" not in package.get("libc", ["glibc"]):
            continue
        arches = [ARCHES[cpu] for cpu in package.get("cpu", ARCHES) if cpu in ARCHES]
        if not arches:
            continue
        name = package.get("name", path.rpartition("node_modules/")[2])
        algorithm, _, checksum = package["integrity"].partition("-")
        source = {
            "type": "archive",
            "archive-type": "tar-gzip",
            "url": f"{NPM}/{name}/-/{name.rpartition('/')[2]}-{package['version']}.tgz",
            algorithm: base64.b64decode(checksum).hex(),
            "dest": f"ui/{path}",
        }
        if "cpu" in package:
            source["only-arches"] = arches
        sources.append(source)
    return sources


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: flatpak-sources.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    for name, sources in [("cargo", cargo_sources()), ("npm", npm_sources())]:
        (folder / f"{name}-sources.json").write_text(json.dumps(sources, indent=1) + "\n")


main()
