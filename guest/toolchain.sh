#!/bin/sh
# The toolchain for the guest's target: wasm32-wasip2, or what GUEST_TARGET says.
#
#   sh guest/toolchain.sh install        makes sure that one of the two ways below works, installing what is missing
#   sh guest/toolchain.sh build ARGS…    cargo build for the target; installs nothing
#
# The two ways, in this order:
#   1. a toolchain that has the target (`rustup target add` gives it);
#   2. Debian's rustc with the standard library's source, on Debian with root, where rustup cannot add the target.
set -eu

target=${GUEST_TARGET:-wasm32-wasip2}
cargo=${CARGO:-cargo}
rustc=${RUSTC:-rustc}
debian=/usr/bin/rustc
# An outer build's wrappers and flags are for its own target.
unset RUSTC RUSTFLAGS CARGO_ENCODED_RUSTFLAGS RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER CARGO_BUILD_TARGET CARGO_BUILD_RUSTFLAGS
# The component is the same from whichever folder it is built.
paths=$(dirname "$0")/../dist/paths.sh

has_target() {
    [ -d "$("$rustc" --print sysroot)/lib/rustlib/$target" ]
}

has_debian() {
    [ -x "$debian" ] && [ -d /usr/lib/wasm32-wasi ] && [ -d "$("$debian" --print sysroot)/lib/rustlib/src/rust/library" ]
}

explain() {
    cat >&2 <<EOF
error: no toolchain here builds for $target
hint: rustup target add $target
hint: or, on Debian as root: apt-get install --no-install-recommends rustc-web rust-web-src wasi-libc
hint: or set WARDROOM_GUEST to the path of a component that was built elsewhere
EOF
    exit 1
}

install() {
    if has_target || has_debian; then return; fi
    if command -v rustup >/dev/null && rustup target add "$target"; then return; fi
    if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
        apt-get update
        apt-get install --yes --no-install-recommends rustc-web rust-web-src wasi-libc
    fi
    has_debian || explain
}

build() {
    if has_target; then
        CARGO_ENCODED_RUSTFLAGS=$(sh "$paths")
        export CARGO_ENCODED_RUSTFLAGS
        exec "$cargo" build --locked --profile guest --target "$target" "$@"
    fi
    has_debian || explain
    tools=$("$rustc" --print sysroot)/lib/rustlib/$("$rustc" -vV | sed -n 's/^host: //p')/bin
    PATH=$tools:$tools/gcc-ld:$PATH
    RUSTC=$debian
    RUSTC_BOOTSTRAP=1
    CARGO_TARGET_WASM32_WASIP2_LINKER=$tools/wasm-component-ld
    CARGO_ENCODED_RUSTFLAGS=$(RUSTC=$debian sh "$paths")
    if [ "$target" = wasm32-wasip2 ]; then
        CARGO_ENCODED_RUSTFLAGS=$(printf '%s\037-Clink-self-contained=no\037-L/usr/lib/wasm32-wasi' "$CARGO_ENCODED_RUSTFLAGS")
    fi
    export PATH RUSTC RUSTC_BOOTSTRAP CARGO_TARGET_WASM32_WASIP2_LINKER CARGO_ENCODED_RUSTFLAGS
    exec "$cargo" build --locked --profile guest --target "$target" -Zbuild-std=std,panic_abort "$@"
}

case ${1-} in
install) install ;;
build) shift; build "$@" ;;
*) sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
