#!/usr/bin/env bash
# Makes the packages under target/packages, with their checksums: a .deb and an .rpm of `tidings` (the app and the program for
# the terminal) and of `tidings-server` (a service), a tarball of all, and the list of what they are built of, in the format of
# CycloneDX. packaging/files.txt says what they install.
#
#   package.sh [--for-trial] [--programs FOLDER] [--unpacked FOLDER]
#
# It refuses if the list of known weaknesses is too old for a release; --for-trial makes packages that nobody is to be given.
# --programs takes `tidings` and `tidings-desktop` from a folder and builds nothing. --unpacked writes what the tarball has
# into a folder, and makes no package.
set -euo pipefail
cd "$(dirname "$0")/.."

trial= programs= unpacked=
while [ $# -gt 0 ]; do
  case "$1" in
    --for-trial) trial=yes ;;
    --programs) programs=${2:?--programs needs a folder}; shift ;;
    --unpacked) unpacked=${2:?--unpacked needs a folder}; shift ;;
    *) echo "usage: package.sh [--for-trial] [--programs FOLDER] [--unpacked FOLDER]" >&2; exit 2 ;;
  esac
  shift
done
if [ -n "$trial" ]; then
  echo "for trial: nothing says whether what it is built of has known weaknesses"
else
  scripts/advisories.sh release
fi

target="${CARGO_TARGET_DIR:-$PWD/target}" parts=target/package
out=$target/packages made=$parts/made
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
# The date is that of the commit, so that two packages of one commit are alike.
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"

# No program may tell in which folder it was built, else two builds of one commit differ.
build() {
  local cargo_home=${CARGO_HOME:-$HOME/.cargo}
  export RUSTFLAGS="--remap-path-prefix=$target=/tidings/target --remap-path-prefix=$PWD=/tidings --remap-path-prefix=$cargo_home=/cargo"
  export CFLAGS="-ffile-prefix-map=$target=/tidings/target -ffile-prefix-map=$cargo_home=/cargo"
  cargo build --release --locked -p tidings-desktop -p tidings-cli --bins --features tidings-desktop/custom-protocol
  programs=$target/release
}

# What the program itself says of its commands, and the changelog as Debian has it.
make_parts() {
  mkdir -p "$made/completions"
  "$programs/tidings" man --to "$made/man"
  "$programs/tidings" completions bash >"$made/completions/tidings"
  "$programs/tidings" completions zsh >"$made/completions/_tidings"
  "$programs/tidings" completions fish >"$made/completions/tidings.fish"
  local package
  for package in tidings tidings-server; do
    gzip -9n >"$made/$package.changelog.gz" <<X
$package ($version) unstable; urgency=medium

  * Version $version. NEWS.md says what a user notices in it.

 -- The Tidings contributors <maintainers@tidings.org>  $(date --utc --rfc-email --date "@$SOURCE_DATE_EPOCH")
X
  done
}

# lay_out FORMAT NAME TREE PACKAGE…: puts the files of the packages into a tree as they are installed.
lay_out() {
  local format=$1 name=$2 tree=$3 package formats mode source to
  shift 3
  while read -r package formats mode source to; do
    case "$package" in '' | '#'*) continue ;; esac
    case " $* both " in *" $package "*) ;; *) continue ;; esac
    case ",$formats," in *,all,* | *",$format,"*) ;; *) continue ;; esac
    source=${source//@/$name} to=$tree/${to//@/$name}
    case "$source" in
      programs/*) source=$programs/${source#programs/} ;;
      made/*) source=$made/${source#made/} ;;
    esac
    case "$to" in */) mkdir -p "$to" ;; *) mkdir -p "$(dirname "$to")" ;; esac
    if [ "$mode" = link ]; then
      ln -s "$source" "$to"
      continue
    fi
    # shellcheck disable=SC2086 # a source may be a pattern
    install -m "$mode" $source "$to"
  done <packaging/files.txt
  find "$tree/usr/share/man" -type f -exec gzip -9n {} +
  find "$tree" -exec touch --no-dereference --date "@$SOURCE_DATE_EPOCH" {} +
}

deb() {
  local crate
  lay_out deb tidings "$parts/deb/tidings" tidings
  lay_out deb tidings-server "$parts/deb/tidings-server" tidings-server
  for crate in tidings-desktop tidings-cli; do
    cargo deb --quiet --no-build --locked --package "$crate" --output "$out/"
  done
  lintian --fail-on error,warning "$out"/*.deb
}

rpm() {
  local package tree settings
  # The same files give the same package, whenever and on whatever machine.
  settings=(--define "_topdir $PWD/$parts/rpmbuild" --define "_rpmdir $out"
    --define "_rpmfilename %{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}.rpm" --define "version $version"
    --define "debug_package %{nil}" --define "_build_id_links none" --define "_buildhost localhost"
    --define "use_source_date_epoch_as_buildtime 1" --define "clamp_mtime_to_source_date_epoch 1"
    --define "__os_install_post %{nil}" --define "_binary_payload w6.xzdio")
  for package in tidings tidings-server; do
    tree=$parts/rpm/$package
    lay_out rpm "$package" "$tree" "$package"
    # No folders: those of the system belong to others.
    (cd "$tree" && find . ! -type d | LC_ALL=C sort) | sed -E \
      -e 's|^\.||' -e 's|^(/etc/.*)|%config(noreplace) \1|' \
      -e 's|^(/usr/share/licenses/.*)|%license \1|' -e 's|^(/usr/share/doc/.*)|%doc \1|' >"$parts/$package.files"
    rpmbuild -bb --quiet "${settings[@]}" --define "tree $PWD/$tree" --define "file_list $PWD/$parts/$package.files" \
      "packaging/rpm/$package.spec"
  done
}

unpacked_tarball() {
  lay_out tarball tidings "$1" tidings tidings-server
  install -m 755 packaging/tarball/install.sh "$1/"
}

tarball() {
  local name
  name=tidings-$version-linux-$(uname -m)
  unpacked_tarball "$parts/tarball/$name"
  # One thread: with several the file would depend on the number of cores.
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -C "$parts/tarball" -c "$name" |
    xz -6 --threads=1 >"$out/$name.tar.xz"
}

rm -rf "$parts"
mkdir -p "$made"
scripts/metainfo.sh >"$made/org.tidings.desktop.metainfo.xml"
if [ -z "$unpacked" ]; then
  desktop-file-validate packaging/org.tidings.desktop.desktop
  appstreamcli validate --no-net "$made/org.tidings.desktop.metainfo.xml"
fi
[ -n "$programs" ] || build
make_parts
if [ -n "$unpacked" ]; then
  unpacked_tarball "$unpacked"
  exit 0
fi
rm -rf "$out"
mkdir -p "$out"
deb
rpm
tarball
scripts/sbom.py >"$out/tidings-$version.cdx.json"
(cd "$out" && sha256sum -- * >SHA256SUMS)
ls -l "$out"
for package in "$out"/*.deb; do
  echo "$(basename "$package") takes $(dpkg-deb --field "$package" Installed-Size) KiB once it is installed"
done
