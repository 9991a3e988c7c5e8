#!/bin/sh
# Installs the Debian packages that Perdure is built from. Does nothing, and needs no privileges, when all are there.
set -eu

compiler_packages() {
  llvm=$1
  echo "clang-$llvm llvm-$llvm-dev llvm-$llvm-tools libclang-$llvm-dev lld-$llvm libclang-rt-$llvm-dev"
}

default_llvm_packages="$(compiler_packages 19) clang-format-19 clang-tidy-19 libc++-19-dev libc++abi-19-dev"
newest_llvm_packages="$(compiler_packages 22)"
build_packages="g++ ccache cmake ninja-build git make pkg-config"
library_packages="libpmem-dev libpmemobj-dev libtbb-dev libxxhash-dev libcli11-dev nlohmann-json3-dev libdw-dev
  libgtest-dev libgmock-dev libboost-context-dev libboost-fiber-dev zlib1g-dev libzstd-dev libevent-dev libjemalloc2"
# Containers of others, which tests put into pools (tests/other_code).
container_packages="libboost-dev libabsl-dev libeigen3-dev libfmt-dev uthash-dev"
# Peers of the benchmarks, beside libpmemobj: key-value stores; and what stores/ is built and tested with.
peer_packages="librocksdb-dev libleveldb-dev liblmdb-dev libsqlite3-dev libsnappy-dev python3-plyvel"
# A file system of the tests, which loses what was not synchronised.
fuse_packages="libfuse3-dev fuse3"
script_packages="python3 python3-jinja2 python3-matplotlib python3-numpy"
# What the server benchmarks/memcached is tested and compared with.
memcached_packages="memcached libmemcached-tools python3-pymemcache python3-pylibmc python3-memcache"

fail() {
  echo "setup: $1" >&2
  exit 1
}

missing_packages() {
  for package in $default_llvm_packages $newest_llvm_packages $build_packages $library_packages $container_packages \
    $peer_packages $fuse_packages $script_packages $memcached_packages; do
    status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
    test "$status" = installed || echo "$package"
  done
}

# Packages of the list that apt has no version of.
unknown_packages() {
  for package in "$@"; do
    apt-cache show --no-all-versions "$package" >/dev/null 2>&1 || echo "$package"
  done
}

as_root() {
  if test "$(id -u)" = 0; then
    "$@"
  else
    sudo "$@"
  fi
}

install_packages() {
  if test -n "$(unknown_packages "$@")"; then
    as_root apt-get -qq update
  fi
  unknown=$(unknown_packages "$@" | tr '\n' ' ')
  if test -n "$unknown"; then
    fail "apt has no package ${unknown}
  The clang-22 family comes from Debian's security archive. Add this line to /etc/apt/sources.list and try again:
    deb http://deb.debian.org/debian-security bookworm-security main"
  fi
  # The index may name versions that the mirror has replaced since: refresh it once and try again.
  download_and_install "$@" || { as_root apt-get -qq update && download_and_install "$@"; } ||
    fail "apt-get could not install: $*"
}

# Quiet but for errors; waits when another program holds apt's lock.
download_and_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends \
    -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" </dev/null >/dev/null
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  fail "this system has no dpkg and apt-get. Setup knows Debian 12; elsewhere, install what docs/install.md lists."
fi
missing=$(missing_packages | tr '\n' ' ')
if test -z "$missing"; then
  exit 0
fi
echo "setup: installing ${missing}"
if test "$(id -u)" != 0 && ! command -v sudo >/dev/null; then
  fail "installing packages needs root, and there is no sudo. Run as root:
  apt-get update && apt-get install --no-install-recommends ${missing}"
fi
# shellcheck disable=SC2086  # a list of words
install_packages $missing
still_missing=$(missing_packages | tr '\n' ' ')
test -z "$still_missing" || fail "still missing after installation: ${still_missing}"
echo "setup: done"
