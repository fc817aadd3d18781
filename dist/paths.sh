#!/bin/sh
# Prints flags of rustc that keep the paths of this machine out of what is built, so that two folders build the same bytes:
#
#   CARGO_ENCODED_RUSTFLAGS=$(sh dist/paths.sh) cargo build
#
# They are separated as that variable takes them, because a path may have spaces. Cargo leaves these flags out of the names that
# it gives to crates and their folders.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd -P)
target=${CARGO_TARGET_DIR:-target}
case $target in
/*) ;;
*) target=$root/$target ;;
esac
sysroot=$("${RUSTC:-rustc}" --print sysroot)

# The last one that fits a path is taken.
printf -- '--remap-path-prefix=%s=/wardroom\037' "$root"
printf -- '--remap-path-prefix=%s=/wardroom/target\037' "$target"
printf -- '--remap-path-prefix=%s=/cargo\037' "${CARGO_HOME:-$HOME/.cargo}"
# With the source of the standard library installed, its paths are those of this machine too.
printf -- '--remap-path-prefix=%s/lib/rustlib/src/rust=/rust' "$sysroot"
